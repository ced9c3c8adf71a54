/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a step is made: read, selected, then finished, which may have to read it again.
 */

#include "device/step.h"

#include "base/ghlo-error.h"
#include "device/device.h"

/* Returns a new step, with the reason why it is declined. */
static gpointer
read_step (const GhloStepImplementation  *implementation,
           GhloDeviceCore                *device,
           const GhloStepRequest         *request,
           const char                   **reason)
{
  gpointer step = g_malloc0 (implementation->size);

  *reason = implementation->read != NULL ? implementation->read (step, device, request) : NULL;

  return step;
}

gboolean
ghlo_step_select (const GhloStepImplementation *implementation,
                  GhloDeviceCore               *device,
                  const GhloStepRequest        *request,
                  GhloStepSelection            *selection)
{
  gpointer step = read_step (implementation, device, request, &selection->reason);

  selection->selection_state = implementation->keeps_selection_state ? step : NULL;
  if (selection->reason == NULL && implementation->select != NULL)
    implementation->select (step, request, selection);
  if (selection->reason != NULL)
    selection->selection_state = NULL;
  if (selection->selection_state == NULL)
    ghlo_step_free (implementation, step);

  return selection->reason == NULL;
}

gpointer
ghlo_step_compile_request (const GhloStepImplementation  *implementation,
                           GhloDeviceCore                *device,
                           const GhloStepRequest         *request,
                           const GhloMonitor             *monitor,
                           GError                       **error)
{
  const char *reason = NULL;
  gpointer step = request->selection_state != NULL ? request->selection_state
                                                   : read_step (implementation, device, request, &reason);

  if (reason != NULL)
    ghlo_step_fail (device, request, reason, error);
  else if (implementation->finish == NULL || implementation->finish (step, device, request, monitor, error))
    return step;
  ghlo_step_free (implementation, step);

  return NULL;
}

void
ghlo_step_free (const GhloStepImplementation *implementation,
                gpointer                      step)
{
  if (step != NULL && implementation->clear != NULL)
    implementation->clear (step);
  g_free (step);
}

gboolean
ghlo_step_fail (const GhloDeviceCore   *device,
                const GhloStepRequest  *request,
                const char             *reason,
                GError                **error)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "%s was selected for the device %s, but cannot be compiled: %s",
               request->op != NULL ? ghlo_ir_op_get_name (request->op) : "a copy", device->names[0], reason);

  return FALSE;
}
