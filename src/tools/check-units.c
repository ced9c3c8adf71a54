/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counts the steps of the checked programs by the unit that runs them.
 */

#include "tools/check.h"

#include <stdio.h>

static void
count_step (GhloToolUnits *self,
            const char    *unit)
{
  guint i = 0;

  while (i < self->n && !g_str_equal (self->names[i], unit))
    i++;
  g_assert (i < G_N_ELEMENTS (self->names));
  if (i == self->n)
    self->names[self->n++] = g_intern_string (unit);
  self->counts[i]++;
  self->total++;
}

static void
count_body (GhloToolUnits      *self,
            const GhloStepBody *body)
{
  for (guint i = 0; i < body->n_steps; i++)
    {
      const GhloStep *step = body->steps[i];

      if (step->n_bodies == 0)
        count_step (self, ghlo_step_get_unit (step));
      for (guint k = 0; k < step->n_bodies; k++)
        if (ghlo_step_runs_body (step, k))
          count_body (self, &step->bodies[k]);
    }
}

void
ghlo_tool_count_units (GhloToolUnits      *self,
                       const GhloPrepared *prepared)
{
  const GhloStepPlan *plan = ghlo_prepared_get_plan (prepared);

  if (plan != NULL)
    count_body (self, &plan->body);
  else
    count_step (self, "reference");
}

void
ghlo_tool_print_units (const GhloToolUnits *self)
{
  printf ("%u steps", self->total);
  for (guint i = 0; i < self->n; i++)
    printf ("%s %s %.1f %%", i == 0 ? ":" : ",", self->names[i], 100.0 * self->counts[i] / self->total);
  putchar ('\n');
}
