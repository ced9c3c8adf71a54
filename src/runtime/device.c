/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is the same for the devices of all executors.
 */

#include "runtime/device.h"

#include "base/ghlo-error.h"

static gboolean
refuse (const GhloDeviceCore  *self,
        const GhloIrModule    *module,
        const GhloIrOp        *op,
        const char            *what,
        GError               **error)
{
  g_autofree char *place = op->line > 0 && !module->is_binary ? g_strdup_printf (":%u:%u", op->line, op->column) : NULL;

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
               "%s%s: '%s' needs %s, which the device '%s' lacks: compile for another device", module->file_name,
               place != NULL ? place : "", ghlo_ir_op_get_name (op), what, self->names[0]);

  return FALSE;
}

/* Whether the device lacks nothing that @op and what is inside of it need. */
static gboolean
check_op (GhloDeviceCore      *self,
          const GhloIrModule  *module,
          const GhloIrOp      *op,
          GError             **error)
{
  const char *what = self->klass->lacks (self, op);

  if (what != NULL)
    return refuse (self, module, op, what, error);
  for (guint i = 0; i < op->n_regions; i++)
    for (const GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (const GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
        if (!check_op (self, module, inner, error))
          return FALSE;

  return TRUE;
}

GhloPrepared *
ghlo_device_core_prepare (GhloDeviceCore            *self,
                          GhloIrModule              *module,
                          GhloIrOp                  *function,
                          const GhloPrepareOptions  *options,
                          const GhloMonitor         *monitor,
                          GError                   **error)
{
  static const GhloPrepareOptions no_options;
  GhloPrepared *prepared;

  if (self->klass->lacks != NULL && !check_op (self, module, module->op, error))
    return NULL;
  prepared = self->klass->prepare (self, module, function, options != NULL ? options : &no_options, monitor, error);
  if (prepared == NULL)
    return NULL;
  prepared->device = self;
  prepared->n_outputs = ghlo_ir_op_get (function, "function_type")->type->n_results;

  return prepared;
}

void
ghlo_prepared_free (GhloPrepared *self)
{
  self->device->klass->release (self);
}

gsize
ghlo_prepared_get_size (const GhloPrepared *self)
{
  return self->device->klass->prepared_size != NULL ? self->device->klass->prepared_size (self) : 0;
}

gboolean
ghlo_prepared_start (GhloPrepared          *self,
                     const GhloRunOptions  *options,
                     GhloValue *const      *inputs,
                     gsize                  n_inputs,
                     GhloValue            **outputs,
                     GhloPending          **pending,
                     const GhloMonitor     *monitor,
                     GError               **error)
{
  *pending = NULL;

  return self->device->klass->start (self, options, inputs, n_inputs, outputs, pending, monitor, error);
}

gboolean
ghlo_prepared_run (GhloPrepared          *self,
                   const GhloRunOptions  *options,
                   GhloValue *const      *inputs,
                   gsize                  n_inputs,
                   GhloValue            **outputs,
                   const GhloMonitor     *monitor,
                   GError               **error)
{
  g_autoptr (GhloPending) pending = NULL;

  if (!ghlo_prepared_start (self, options, inputs, n_inputs, outputs, &pending, monitor, error))
    return FALSE;
  /* The device is told of a cancel; what it still does with memory of the caller's ends before the call does. */
  if (ghlo_pending_wait (pending, NULL, error))
    return TRUE;
  ghlo_values_clear (outputs, self->n_outputs);

  return FALSE;
}

char *
ghlo_prepared_describe (GhloPrepared *self)
{
  return self->device->klass->describe != NULL ? self->device->klass->describe (self) : NULL;
}

gboolean
ghlo_prepared_measure (GhloPrepared   *self,
                       GhloRunFigures *figures)
{
  if (self->device->klass->measure == NULL)
    return FALSE;
  self->device->klass->measure (self, figures);

  return TRUE;
}
