/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Outlines, prepares and runs single operations. Preparation begins after everything has been outlined, because a
 * module that a device refers to must not change.
 */

#include "execute/fallback.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "ir/outline.h"
#include "runtime/memory.h"

struct _GhloFallback
{
  GhloDeviceCore     *device;        /* nullable */
  const GhloIrModule *source;
  GhloIrModule       *module;        /* a function for each step; NULL before the first one */
  GHashTable         *steps;         /* from operations of source to GhloFallbackStep, owned */
  GPtrArray          *order;         /* of GhloFallbackStep, in the order of addition */
  gsize               module_size;   /* bytes counted for the module */
  gsize               size;          /* bytes counted in total */
};

struct _GhloFallbackStep
{
  GhloIrOp       *function;
  GhloPrepared   *prepared;
  guint           n_operands, n_results;
  GhloTensorType *types[];           /* of operands, then of results; NULL for tokens */
};

static void
step_free (gpointer data)
{
  GhloFallbackStep *self = data;

  for (guint i = 0; i < self->n_operands + self->n_results; i++)
    g_clear_pointer (&self->types[i], ghlo_tensor_type_unref);
  g_clear_pointer (&self->prepared, ghlo_prepared_free);
  g_free (self);
}

GhloFallback *
ghlo_fallback_new (GhloDeviceCore     *device,
                   const GhloIrModule *source)
{
  GhloFallback *self = g_new0 (GhloFallback, 1);

  self->device = device;
  self->source = source;
  self->steps = g_hash_table_new_full (NULL, NULL, NULL, step_free);
  self->order = g_ptr_array_new ();

  return self;
}

void
ghlo_fallback_free (GhloFallback *self)
{
  g_ptr_array_unref (self->order);
  g_hash_table_unref (self->steps);
  g_clear_pointer (&self->module, ghlo_ir_module_unref);
  ghlo_memory_unreserve (self->size);
  g_free (self);
}

static gboolean
count (GhloFallback  *self,
       gsize          size,
       GError       **error)
{
  if (!ghlo_memory_reserve (size, error))
    return FALSE;
  self->size += size;

  return TRUE;
}

static gboolean
count_module (GhloFallback  *self,
              GError       **error)
{
  gsize size = ghlo_ir_module_get_own_size (self->module);

  if (!count (self, size - self->module_size, error))
    return FALSE;
  self->module_size = size;

  return TRUE;
}

static gsize
types_size (const GhloFallbackStep *step)
{
  gsize size = 0;

  for (guint i = 0; i < step->n_operands + step->n_results; i++)
    if (step->types[i] != NULL)
      size += sizeof (GhloTensorType) + step->types[i]->rank * sizeof (gint64);

  return size;
}

GhloFallbackStep *
ghlo_fallback_add (GhloFallback    *self,
                   const GhloIrOp  *op,
                   GError         **error)
{
  GhloFallbackStep *step = g_hash_table_lookup (self->steps, op);
  g_autoptr (GPtrArray) inputs = NULL;
  GhloIrOp *function;
  gsize size;

  if (step != NULL)
    return step;
  if (self->device == NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                   "the device has no code for '%s', and there is no other device that can run the operation",
                   ghlo_ir_op_get_name (op));
      return NULL;
    }

  if (self->module == NULL)
    self->module = ghlo_ir_outline_module_new (self->source);
  inputs = g_ptr_array_new ();
  function = ghlo_ir_outline (self->module, &op, 1, ghlo_ir_op_get_name (op), inputs, NULL);
  size = sizeof *step + (inputs->len + op->n_results) * sizeof step->types[0];
  step = g_malloc0 (size);
  step->function = function;
  step->n_operands = inputs->len;
  step->n_results = op->n_results;
  for (guint i = 0; i < inputs->len; i++)
    step->types[i] = ghlo_ir_type_to_tensor_type (((const GhloIrValue *) inputs->pdata[i])->type);
  for (guint i = 0; i < op->n_results; i++)
    step->types[inputs->len + i] = ghlo_ir_type_to_tensor_type (op->results[i].type);
  g_hash_table_insert (self->steps, (gpointer) op, step);
  g_ptr_array_add (self->order, step);

  return count (self, size + types_size (step), error) && count_module (self, error) ? step : NULL;
}

gboolean
ghlo_fallback_prepare (GhloFallback             *self,
                       const GhloCustomTargets  *custom_targets,
                       const GhloMonitor        *monitor,
                       GError                  **error)
{
  const GhloPrepareOptions options = { .custom_targets = custom_targets };
  const GhloMonitor quiet = { .cancellable = monitor != NULL ? monitor->cancellable : NULL };

  for (guint i = 0; i < self->order->len; i++)
    {
      GhloFallbackStep *step = g_ptr_array_index (self->order, i);

      ghlo_monitor_progress (monitor, (double) i / self->order->len, NULL);
      step->prepared = ghlo_device_core_prepare (self->device, self->module, step->function, &options, &quiet, error);
      if (step->prepared == NULL || !count (self, ghlo_prepared_get_size (step->prepared), error))
        return FALSE;
    }

  return TRUE;
}

gsize
ghlo_fallback_get_size (const GhloFallback *self)
{
  return self->size;
}

static GhloValue *
wrap (const GhloView  *view,
      GhloTensorType  *type,
      GError         **error)
{
  g_autoptr (GBytes) bytes = NULL;
  GhloValue *value;

  if (type == NULL)
    return ghlo_value_new_token ();
  bytes = g_bytes_new_static (view->data, ghlo_view_count (view) * ghlo_element_info (type->element_type)->size);
  value = ghlo_value_new_for_bytes (type, bytes, error);
  if (value != NULL)
    value->storage->is_call_scoped = value->storage->release != NULL;

  return value;
}

gboolean
ghlo_fallback_run (const GhloFallbackStep  *step,
                   const GhloRunOptions    *options,
                   const GhloView          *operands,
                   const GhloView          *results,
                   const GhloMonitor       *monitor,
                   GError                 **error)
{
  GhloRunOptions own = { NULL };
  g_autofree GhloValue **values = g_new0 (GhloValue *, step->n_operands + step->n_results + 1);
  GhloValue **given = values + step->n_operands;
  gboolean ok = TRUE;

  if (options != NULL)
    own = (GhloRunOptions) { .probe_directory = options->probe_directory, .print = options->print,
                             .print_data = options->print_data, .process = options->process,
                             .context = options->context };
  for (guint i = 0; ok && i < step->n_operands; i++)
    ok = (values[i] = wrap (&operands[i], step->types[i], error)) != NULL;
  ok = ok && ghlo_prepared_run (step->prepared, &own, values, step->n_operands, given, monitor, error);
  for (guint i = 0; ok && i < step->n_results; i++)
    if (step->types[step->n_operands + i] != NULL && given[i]->n_bytes > 0)
      memcpy (results[i].data, given[i]->data, given[i]->n_bytes);
  ghlo_values_clear (values, step->n_operands + step->n_results);

  return ok;
}
