/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compiles one step after the other.
 */

#include "runtime/compile-plan.h"

typedef struct
{
  const GhloStepPlan *plan;
  const GhloMonitor  *monitor;
  GError            **error;
  gboolean            ok;
} Compiler;

static void
compile_step (GhloStep *step,
              gpointer  data)
{
  Compiler *self = data;

  if (step->kind != GHLO_STEP_COMPUTE || !self->ok)
    return;
  step->compiled = ghlo_step_compile (self->plan, step, self->monitor, self->error);
  self->ok = step->compiled != NULL;
}

gboolean
ghlo_compile_plan (GhloStepPlan       *plan,
                   const GhloMonitor  *monitor,
                   GError            **error)
{
  Compiler self = { plan, monitor, error, TRUE };

  ghlo_step_plan_foreach (plan, compile_step, &self);

  return self.ok;
}
