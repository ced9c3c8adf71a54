/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compiling a program's entry function for a device, and what it takes.
 */

#include "ghlo-compiled-private.h"

#include "ghlo-error.h"
#include "ghlo-program-private.h"
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
