/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions that the devices of all executors share.
 */

#include "runtime/device.h"

#include <string.h>

#include "base/fail.h"
#include "base/ghlo-error.h"
#include "base/stack.h"
#include "runtime/place.h"
#include "runtime/value.h"

void
ghlo_device_core_lose (GhloDeviceCore *self)
{
  g_atomic_int_set (&self->lost, TRUE);
}

gboolean
ghlo_device_core_is_lost (const GhloDeviceCore *self)
{
  return g_atomic_int_get (&self->lost);
}

void
ghlo_device_core_measure_memory (GhloDeviceCore *self,
                                 GhloMemoryUse  *use)
{
  *use = (GhloMemoryUse) { 0 };
  if (self->klass->measure_memory != NULL)
    self->klass->measure_memory (self, use);
  else
    *use = (GhloMemoryUse) { ghlo_memory_get_used (), ghlo_memory_get_peak () };
}

void
ghlo_device_core_reset_memory_peak (GhloDeviceCore *self)
{
  if (self->klass->reset_memory_peak != NULL)
    self->klass->reset_memory_peak (self);
  else
    ghlo_memory_reset_peak ();
}

static void
clear_fact (gpointer fact)
{
  g_strfreev (((GhloDeviceFact *) fact)->words);
}

GArray *
ghlo_device_core_list_facts (GhloDeviceCore *self)
{
  GArray *facts = g_array_new (FALSE, FALSE, sizeof (GhloDeviceFact));

  g_array_set_clear_func (facts, clear_fact);
  if (self->klass->add_facts != NULL)
    self->klass->add_facts (self, facts);

  return facts;
}

void
ghlo_device_facts_add_words (GArray      *facts,
                             const char  *name,
                             const char  *label,
                             char       **words)
{
  const GhloDeviceFact fact = { .name = name, .label = label, .words = words };

  g_array_append_val (facts, fact);
}

void
ghlo_device_facts_add_number (GArray     *facts,
                              const char *name,
                              const char *label,
                              guint64     number)
{
  const GhloDeviceFact fact = { .name = name, .label = label, .number = number };

  g_array_append_val (facts, fact);
}

void
ghlo_device_facts_add_bytes (GArray     *facts,
                             const char *name,
                             const char *label,
                             guint64     bytes)
{
  const GhloDeviceFact fact = { .name = name, .label = label, .number = bytes, .is_bytes = TRUE };

  g_array_append_val (facts, fact);
}

const GhloStepRates *
ghlo_device_core_get_rates (GhloDeviceCore *self)
{
  return self->klass->get_rates != NULL ? self->klass->get_rates (self) : NULL;
}

char *
ghlo_device_core_describe_work (GhloDeviceCore *self)
{
  return self->klass->describe_work != NULL ? self->klass->describe_work (self) : NULL;
}

gboolean
ghlo_device_core_check (const GhloDeviceCore  *self,
                        GError               **error)
{
  if (!ghlo_device_core_is_lost (self))
    return TRUE;

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE_LOST,
               "the device '%s' went away, with all that was in its memory: list the devices again and compile for "
               "one of them", self->names[0]);

  return FALSE;
}

GhloStorage *
ghlo_device_core_allocate (GhloDeviceCore   *self,
                           GhloMemorySpace   space,
                           gsize             size,
                           GError          **error)
{
  return ghlo_device_core_check (self, error) ? self->klass->allocate (self, space, size, error) : NULL;
}

gboolean
ghlo_device_core_upload (GhloDeviceCore     *self,
                         gconstpointer       from,
                         GhloStorage        *to,
                         const GhloMonitor  *monitor,
                         GError            **error)
{
  return ghlo_device_core_check (self, error) && self->klass->upload (self, from, to, monitor, error);
}

gboolean
ghlo_device_core_download (GhloDeviceCore     *self,
                           GhloStorage        *from,
                           gpointer            to,
                           const GhloMonitor  *monitor,
                           GError            **error)
{
  if (!ghlo_device_core_check (self, error))
    return FALSE;
  if (from->host == NULL)
    return self->klass->download (self, from, to, monitor, error);
  if (!ghlo_pending_wait (from->pending, monitor, error))
    return FALSE;
  if (from->size > 0)
    memcpy (to, from->host, from->size);

  return TRUE;
}

gboolean
ghlo_device_core_copy (GhloDeviceCore  *self,
                       GhloStorage     *from,
                       GhloStorage     *to,
                       GError         **error)
{
  return ghlo_device_core_check (self, error) && self->klass->copy (self, from, to, error);
}

static gboolean
refuse (const GhloDeviceCore  *self,
        const GhloIrModule    *module,
        const GhloIrOp        *op,
        const char            *what,
        GError               **error)
{
  g_autoptr (GString) place = g_string_new (NULL);

  if (!ghlo_ir_op_append_place (op, module, place))
    g_string_append (place, module->file_name);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
               "%s: '%s' needs %s, which the device '%s' lacks: compile for another device", place->str,
               ghlo_ir_op_get_name (op), what, self->names[0]);

  return FALSE;
}

/* Returns whether the device can provide everything that @op and its nested operations need. */
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

/* A run returns as many outputs as the program returns values. The parser drops values beyond the function's results,
 * but programs are also built in other ways. */
static gboolean
check_returned (const GhloIrOp  *function,
                GError         **error)
{
  const GhloIrBlock *body = ghlo_ir_func_get_body (function);
  const guint n = ghlo_ir_op_get (function, "function_type")->type->n_results;
  const GhloIrOp *last = body != NULL ? body->last : NULL;

  if (last == NULL || (ghlo_ir_op_get_spec (last)->traits & GHLO_IR_TRAIT_TERMINATOR) == 0 || last->n_operands == n)
    return TRUE;

  return ghlo_invalid (error, "expected @%s to return %u values, found %u",
                       ghlo_ir_op_get_string (function, "sym_name"), n, last->n_operands);
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

  if (!ghlo_device_core_check (self, error) || !check_returned (function, error)
      || (self->klass->lacks != NULL && !check_op (self, module, module->op, error)))
    return NULL;
  prepared = self->klass->prepare (self, module, function, options != NULL ? options : &no_options, monitor, error);
  if (prepared == NULL)
    return NULL;
  prepared->device = self;
  prepared->n_outputs = ghlo_ir_op_get (function, "function_type")->type->n_results;

  return prepared;
}

static gpointer
release (gpointer data)
{
  GhloPrepared *self = data;

  self->device->klass->release (self);

  return NULL;
}

void
ghlo_prepared_free (GhloPrepared *self)
{
  ghlo_stack_call (release, self);
}

static void
add_time (gint64 *time,
          gint64  start)
{
  if (time != NULL)
    *time += g_get_monotonic_time () - start;
}

gsize
ghlo_prepared_get_size (const GhloPrepared *self)
{
  return self->device->klass->prepared_size != NULL ? self->device->klass->prepared_size (self) : 0;
}

/* For a device that works in host memory, where most inputs already are. */
static gboolean
place_inputs (const GhloRunOptions  *options,
              GhloValue *const      *inputs,
              gsize                  n_inputs,
              const GhloMonitor     *monitor,
              GError               **error)
{
  for (gsize i = 0; i < n_inputs; i++)
    {
      gint64 start;

      if (ghlo_value_is_on_host (inputs[i]))
        continue;
      start = g_get_monotonic_time ();
      if (!ghlo_value_fetch (inputs[i], monitor, error))
        return FALSE;
      add_time (options != NULL ? options->upload_time : NULL, start);
    }

  return TRUE;
}

/* For a device with memory of its own. Inputs that are already there are passed on without another reference, since the
 * device may take over those whose only reference the caller holds. */
static gboolean
start_on_device (GhloPrepared          *self,
                 const GhloRunOptions  *options,
                 GhloValue *const      *inputs,
                 gsize                  n_inputs,
                 GhloValue            **outputs,
                 GhloPending          **pending,
                 const GhloMonitor     *monitor,
                 GError               **error)
{
  enum { FEW = 8 };             /* inputs, up to which nothing is allocated */
  GhloValue *few[FEW] = { NULL };
  g_autofree GhloValue **many = n_inputs > FEW ? g_new0 (GhloValue *, n_inputs) : NULL;
  GhloValue **placed = many != NULL ? many : few;
  gint64 start = g_get_monotonic_time ();
  gboolean ok = ghlo_device_core_check (self->device, error);
  gsize uploaded = 0;

  for (gsize i = 0; i < n_inputs && ok; i++)
    {
      placed[i] = inputs[i];
      if (!ghlo_value_is_on (inputs[i], self->device))
        placed[i] = ghlo_value_place_read_only (inputs[i], self->device, &uploaded, monitor, error);
      ok = placed[i] != NULL;
    }
  add_time (options != NULL ? options->upload_time : NULL, start);
  if (options != NULL && options->uploaded != NULL)
    *options->uploaded += uploaded;
  ok = ok && self->device->klass->start (self, options, placed, n_inputs, outputs, pending, monitor, error);
  for (gsize i = 0; i < n_inputs; i++)
    if (placed[i] != NULL && placed[i] != inputs[i])
      ghlo_value_unref (placed[i]);

  return ok;
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
  if (!ghlo_device_core_is_host (self->device))
    return start_on_device (self, options, inputs, n_inputs, outputs, pending, monitor, error);

  return place_inputs (options, inputs, n_inputs, monitor, error)
         && self->device->klass->start (self, options, inputs, n_inputs, outputs, pending, monitor, error);
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
  /* The device handles cancellation. It must have finished with the caller's memory before this call returns, so the
   * wait itself is not cancelled. */
  if (ghlo_pending_wait (pending, NULL, error))
    return TRUE;
  ghlo_values_clear (outputs, self->n_outputs);

  return FALSE;
}

gboolean
ghlo_prepared_wait_for_code (GhloPrepared       *self,
                             const GhloMonitor  *monitor,
                             GError            **error)
{
  const GhloStepPlan *plan = ghlo_prepared_get_plan (self);

  return plan == NULL || ghlo_step_plan_wait (plan, monitor, error);
}

char *
ghlo_prepared_describe (GhloPrepared *self)
{
  return self->device->klass->describe != NULL ? self->device->klass->describe (self) : NULL;
}

const GhloStepPlan *
ghlo_prepared_get_plan (const GhloPrepared *self)
{
  return self->device->klass->get_plan != NULL ? self->device->klass->get_plan (self) : NULL;
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
