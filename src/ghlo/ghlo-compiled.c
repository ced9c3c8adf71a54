/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compiling a program's entry function for a device, and running it.
 */

#include "ghlo-compiled-private.h"

#include <string.h>

#include "base/sizes.h"
#include "ghlo-error.h"
#include "ghlo-program-private.h"
#include "ghlo-timing-private.h"
#include "ghlo-value-info-private.h"
#include "ghlo-workers-private.h"

/* The function to run, with its type; INVALID_ARGUMENT for a program without one. */
static GhloIrOp *
find_entry (GhloIrModule      *module,
            const GhloIrType **type,
            GError           **error)
{
  GhloIrOp *function = ghlo_ir_module_get_entry (module);
  const GhloIrAttr *attribute = function != NULL ? ghlo_ir_op_get (function, "function_type") : NULL;

  if (attribute != NULL && attribute->type != NULL && attribute->type->kind == GHLO_IR_TYPE_FUNCTION
      && ghlo_ir_func_get_body (function) != NULL)
    {
      *type = attribute->type;
      return function;
    }

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "%s: expected a function 'main' or a single public function to run, found %s", module->file_name,
               function == NULL ? "none" : "a declaration without a body");

  return NULL;
}

GhloCompiled *
ghlo_compiled_new (const GhloCompileRequest  *request,
                   const GhloMonitor         *monitor,
                   GError                   **error)
{
  gint64 start = g_get_monotonic_time ();
  const GhloIrType *type = NULL;
  GhloIrOp *function = find_entry (request->module, &type, error);
  GhloCacheUse use;
  GhloRunnable *runnable;
  GhloCompiled *self;

  if (function == NULL)
    return NULL;
  runnable = ghlo_runnable_new (request->module, request->device, request->settings, &use, monitor, error);
  if (runnable == NULL)
    return NULL;

  self = g_new0 (GhloCompiled, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->module = ghlo_ir_module_ref (request->module);
  self->function = function;
  self->type = type;
  self->device = request->device;
  self->runnable = runnable;
  self->settings = ghlo_settings_ref (request->settings);
  self->counters = ghlo_counters_new ();
  self->client_counters = ghlo_counters_ref (request->counters);
  ghlo_counters_add_compile (self->counters, start, use);
  ghlo_counters_add_compile (self->client_counters, start, use);

  return self;
}

void
ghlo_compile_request_clear (GhloCompileRequest *request)
{
  g_clear_pointer (&request->module, ghlo_program_drop_module);
  g_clear_pointer (&request->settings, ghlo_settings_unref);
  g_clear_pointer (&request->counters, ghlo_counters_unref);
}

GhloCompiled *
ghlo_compiled_ref (GhloCompiled *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

static void
compiled_free (gpointer data)
{
  GhloCompiled *self = data;

  ghlo_runnable_unref (self->runnable);
  ghlo_ir_module_unref (self->module);
  ghlo_settings_unref (self->settings);
  ghlo_counters_unref (self->counters);
  ghlo_counters_unref (self->client_counters);
  g_free (self);
}

void
ghlo_compiled_unref (GhloCompiled *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  if (ghlo_program_is_large (self->module))
    ghlo_workers_free (self, compiled_free);
  else
    compiled_free (self);
}

static char *
describe_value (const GhloValue *value)
{
  GString *text;

  if (value->kind == GHLO_VALUE_TENSOR)
    return ghlo_tensor_type_to_string (value->type);
  if (value->kind == GHLO_VALUE_TOKEN)
    return g_strdup ("a token");
  if (value->kind == GHLO_VALUE_FUTURE)
    return g_strdup ("a future");

  text = g_string_new ("tuple<");
  for (guint i = 0; i < value->n_members; i++)
    {
      g_autofree char *member = describe_value (value->members[i]);

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", member);
    }
  g_string_append_c (text, '>');

  return g_string_free (text, FALSE);
}

/* A static dimension must be met, a bound not passed. */
static gboolean
dimensions_fit (const GhloIrType     *type,
                const GhloTensorType *found)
{
  if (type->rank != found->rank)
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    {
      if (type->dimensions[i] >= 0 && type->dimensions[i] != found->dimensions[i])
        return FALSE;
      if (type->dimensions[i] < 0 && type->bounds != NULL && type->bounds[i] >= 0
          && found->dimensions[i] > type->bounds[i])
        return FALSE;
    }

  return TRUE;
}

static GhloValue *
accept_tensor (const GhloIrType  *type,
               GhloValue         *value,
               GError           **error)
{
  const GhloTensorType *found = value->type;
  g_autoptr (GhloTensorType) quantized = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (type->element_type != found->element_type || type->element_type == GHLO_ELEMENT_TYPE_INVALID)
    return NULL;
  if (type->kind != GHLO_IR_TYPE_UNRANKED && !dimensions_fit (type, found))
    return NULL;
  if (type->quantization == NULL || found->quantization != NULL)
    {
      gboolean equal = type->quantization == NULL ? found->quantization == NULL
                                                  : ghlo_quantization_equal (type->quantization, found->quantization);
      return equal ? ghlo_value_ref (value) : NULL;
    }

  /* Plain stored numbers, where the program calls them quantized. */
  quantized = ghlo_tensor_type_new_full (found->element_type, found->dimensions, NULL, found->rank, type->quantization);
  bytes = ghlo_value_get_bytes (value);

  return ghlo_value_new_for_bytes (quantized, bytes, error);
}

/* NULL when @value does not fit, with @error set only for another reason. */
static GhloValue *
accept_value (const GhloIrType  *type,
              GhloValue         *value,
              GError           **error)
{
  g_autoptr (GPtrArray) members = NULL;

  switch (type->kind)
    {
    case GHLO_IR_TYPE_TENSOR:
    case GHLO_IR_TYPE_UNRANKED:
      return value->kind == GHLO_VALUE_TENSOR ? accept_tensor (type, value, error) : NULL;
    case GHLO_IR_TYPE_TOKEN:
      return value->kind == GHLO_VALUE_TOKEN ? ghlo_value_ref (value) : NULL;
    case GHLO_IR_TYPE_TUPLE:
      if (value->kind != GHLO_VALUE_TUPLE || value->n_members != type->rank)
        return NULL;
      members = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);
      for (guint i = 0; i < type->rank; i++)
        {
          GhloValue *member = accept_value (type->members[i], value->members[i], error);

          if (member == NULL)
            return NULL;
          g_ptr_array_add (members, member);
        }
      return ghlo_value_new_tuple ((GhloValue *const *) members->pdata, members->len);
    default:
      return NULL;
    }
}

GhloValue *
ghlo_compiled_accept_input (GhloCompiled  *self,
                            guint          index,
                            GhloValue     *value,
                            GError       **error)
{
  const GhloIrType *type = self->type->members[index];
  const char *name = ghlo_value_info_input_name (self->function, index);
  g_autoptr (GError) local_error = NULL;
  GhloValue *accepted = accept_value (type, value, &local_error);
  g_autofree char *expected = NULL;
  g_autofree char *found = NULL;

  if (accepted != NULL)
    return accepted;
  if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return NULL;
    }

  expected = ghlo_ir_type_to_string (type);
  found = describe_value (value);
  if (name != NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected %s for input %u ('%s'), found %s",
                 expected, index, name, found);
  else
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected %s for input %u, found %s",
                 expected, index, found);

  return NULL;
}

/* Whether a tensor of type @found may turn out to fit @type. */
static gboolean
tensor_may_fit (const GhloIrType *type,
                const GhloIrType *found)
{
  if (type->element_type != found->element_type || type->element_type == GHLO_ELEMENT_TYPE_INVALID)
    return FALSE;
  if (found->quantization != NULL
      && (type->quantization == NULL || !ghlo_quantization_equal (type->quantization, found->quantization)))
    return FALSE;
  if (type->kind == GHLO_IR_TYPE_UNRANKED || found->kind == GHLO_IR_TYPE_UNRANKED)
    return TRUE;
  if (type->rank != found->rank)
    return FALSE;

  for (guint i = 0; i < type->rank; i++)
    {
      gint64 wanted = type->dimensions[i];
      gint64 size = found->dimensions[i];

      if (size >= 0 && wanted >= 0 && wanted != size)
        return FALSE;
      if (size >= 0 && wanted < 0 && type->bounds != NULL && type->bounds[i] >= 0 && size > type->bounds[i])
        return FALSE;
    }

  return TRUE;
}

static gboolean
type_may_fit (const GhloIrType *type,
              const GhloIrType *found)
{
  gboolean tensor = type->kind == GHLO_IR_TYPE_TENSOR || type->kind == GHLO_IR_TYPE_UNRANKED;

  if (tensor)
    return (found->kind == GHLO_IR_TYPE_TENSOR || found->kind == GHLO_IR_TYPE_UNRANKED) && tensor_may_fit (type, found);
  if (type->kind != found->kind)
    return FALSE;
  if (type->kind != GHLO_IR_TYPE_TUPLE)
    return type->kind == GHLO_IR_TYPE_TOKEN;
  if (type->rank != found->rank)
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    if (!type_may_fit (type->members[i], found->members[i]))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_compiled_check_carry (GhloCompiled  *self,
                           guint          output,
                           guint          input,
                           GError       **error)
{
  const GhloIrType *type = self->type->members[input];
  const GhloIrType *found = self->type->members[self->type->rank + output];
  g_autofree char *expected_text = NULL;
  g_autofree char *found_text = NULL;

  if (type_may_fit (type, found))
    return TRUE;

  expected_text = ghlo_ir_type_to_string (type);
  found_text = ghlo_ir_type_to_string (found);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "output %u cannot be carried into input %u: expected %s, which the input is, found %s",
               output, input, expected_text, found_text);

  return FALSE;
}

/* An output that shares memory with a constant, an input or another output would
 * let a writable view of it, which some languages give, reach them. */
static GhloValue *
own_output (GhloValue  *value,
            GError    **error)
{
  GhloValue *copy;

  if (value->kind == GHLO_VALUE_TENSOR)
    {
      if (value->storage == NULL && g_atomic_ref_count_compare (&value->ref_count, 1))
        return value;
      copy = ghlo_value_new_uninitialized (value->type, error);
      if (copy != NULL && value->n_bytes > 0)
        memcpy (copy->data, value->data, value->n_bytes);
      ghlo_value_unref (value);
      return copy;
    }

  if (value->kind == GHLO_VALUE_TUPLE)
    {
      g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);
      gboolean whole = TRUE;

      /* The tuple may be shared: its members then are as well. */
      for (guint i = 0; i < value->n_members && whole; i++)
        {
          GhloValue *member = own_output (ghlo_value_ref (value->members[i]), error);

          whole = member != NULL;
          if (whole)
            g_ptr_array_add (members, member);
        }
      copy = whole ? ghlo_value_new_tuple ((GhloValue *const *) members->pdata, members->len) : NULL;
      ghlo_value_unref (value);
      return copy;
    }

  return value;
}

GhloValue *
ghlo_compiled_copy_value (GhloValue  *value,
                          GError    **error)
{
  /* With two references no memory is own. */
  return own_output (ghlo_value_ref (value), error);
}

static void
drop_output (gpointer data)
{
  if (data != NULL)
    ghlo_value_unref (data);
}

static gboolean
is_at_target (const GhloRunOptions *options,
              const GhloValue      *value,
              guint                 output)
{
  return options->targets != NULL && options->targets[output] != NULL && value->kind == GHLO_VALUE_TENSOR
         && value->n_bytes > 0 && value->data == g_bytes_get_data (options->targets[output], NULL);
}

static gboolean
is_replaced (const GhloRunOptions *options,
             GhloValue *const     *inputs,
             const GhloValue      *value,
             guint                 output)
{
  return options->replaced != NULL && options->replaced[output] != GHLO_RUN_NO_INPUT
         && value == inputs[options->replaced[output]];
}

/* Outputs that the executor has not put where the caller wants them. */
static gboolean
fill_targets (const GhloRunOptions  *options,
              GPtrArray             *outputs,
              GError               **error)
{
  for (guint i = 0; options->targets != NULL && i < outputs->len; i++)
    {
      GhloValue *value = outputs->pdata[i];
      gsize size;
      gpointer data;

      if (options->targets[i] == NULL || is_at_target (options, value, i))
        continue;
      /* The caller's to write to, though bytes mostly are not. */
      data = (gpointer) g_bytes_get_data (options->targets[i], &size);
      if (value->kind != GHLO_VALUE_TENSOR || value->n_bytes != size)
        {
          g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                       "output %u has %" G_GSIZE_FORMAT " bytes in this run, and the memory that it is bound to %"
                       G_GSIZE_FORMAT, i, value->kind == GHLO_VALUE_TENSOR ? value->n_bytes : 0, size);
          return FALSE;
        }
      if (size > 0)
        memcpy (data, value->data, size);
    }

  return TRUE;
}

/* The program's outputs, each with memory of its own or at its target. */
static GPtrArray *
run_outputs (GhloCompiled          *self,
             GhloValue *const      *inputs,
             const GhloRunOptions  *options,
             const GhloMonitor     *monitor,
             GError               **error)
{
  g_autoptr (GPtrArray) outputs = g_ptr_array_new_with_free_func (drop_output);

  g_ptr_array_set_size (outputs, self->type->n_results);
  if (!self->runnable->executor->run (self->runnable->prepared, options, inputs, self->type->rank,
                                  (GhloValue **) outputs->pdata, monitor, error))
    {
      /* What a failed run left behind is not ours to free. */
      g_ptr_array_set_free_func (outputs, NULL);
      return NULL;
    }

  for (guint i = 0; i < outputs->len; i++)
    {
      if (is_replaced (options, inputs, outputs->pdata[i], i) || is_at_target (options, outputs->pdata[i], i))
        continue;
      outputs->pdata[i] = own_output (outputs->pdata[i], error);
      if (outputs->pdata[i] == NULL)
        return NULL;
    }

  return fill_targets (options, outputs, error) ? g_steal_pointer (&outputs) : NULL;
}

GhloOutcome *
ghlo_compiled_run (GhloCompiled          *self,
                   GhloValue *const      *inputs,
                   const GhloRunOptions  *options,
                   const GhloMonitor     *monitor,
                   GError               **error)
{
  GhloRunOptions timed = options != NULL ? *options : (GhloRunOptions) { NULL };
  gint64 start = g_get_monotonic_time (), fallback_time = 0, time;
  GPtrArray *outputs;
  GhloOutcome *outcome;

  timed.fallback_time = &fallback_time;
  outputs = run_outputs (self, inputs, &timed, monitor, error);
  ghlo_counters_add_run (self->counters, start, outputs != NULL);
  ghlo_counters_add_run (self->client_counters, start, outputs != NULL);
  if (outputs == NULL)
    return NULL;

  outcome = g_new0 (GhloOutcome, 1);
  outcome->outputs = outputs;
  time = g_get_monotonic_time () - start;
  if (self->runnable->executor->measure == NULL)
    fallback_time = time;
  outcome->timing = ghlo_timing_new (0, 0, time / (double) G_USEC_PER_SEC, fallback_time / (double) G_USEC_PER_SEC,
                                     0);

  return outcome;
}

void
ghlo_outcome_free (GhloOutcome *self)
{
  g_ptr_array_unref (self->outputs);
  ghlo_timing_unref (self->timing);
  g_free (self);
}
