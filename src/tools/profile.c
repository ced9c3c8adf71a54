/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints the times of the steps of profiled runs as a table.
 */

#include "tools/tool.h"

#include "plan/cost.h"

enum { NAME_WIDTH = 40 };

typedef struct
{
  FILE                 *file;
  const GhloStepPlan   *plan;
  const GhloRunProfile *profile;
  double                total;     /* total seconds of the steps that are not nested in another step */
} Table;

static void
print_row (const Table           *self,
           const char            *name,
           const char            *unit,
           guint                  depth,
           const GhloRunStepTime *time,
           double                 bytes)
{
  double seconds = (double) time->nanoseconds / 1e9;
  g_autofree char *duration = ghlo_tool_format_time (seconds);
  g_autofree char *share = g_strdup_printf ("%.1f %%", self->total > 0 ? 100 * seconds / self->total : 0);
  g_autofree char *size = g_format_size_full ((guint64) MAX (bytes, 0), G_FORMAT_SIZE_IEC_UNITS);

  fprintf (self->file, "%*s%-*s %-10s %8" G_GUINT64_FORMAT, depth * 2, "", NAME_WIDTH - MIN (depth, NAME_WIDTH / 2) * 2,
           name, unit, time->n_runs);
  ghlo_tool_print_cell (self->file, duration, 10);
  ghlo_tool_print_cell (self->file, share, 9);
  if (bytes >= 0)
    ghlo_tool_print_cell (self->file, size, 12);
  if (bytes >= 0 && seconds > 0)
    fprintf (self->file, " %7.3g", bytes * (double) time->n_runs / seconds / 1e9);
  fputc ('\n', self->file);
}

/* Returns -1 for a loop or a branch, whose bytes are moved by its steps. */
static double
step_bytes (const Table    *self,
            const GhloStep *step)
{
  GhloStepCost cost;

  if (step->n_bodies > 0)
    return -1;
  ghlo_step_cost (self->plan, step, &cost);

  return cost.bytes;
}

static void
print_body (const Table        *self,
            const GhloStepBody *body,
            guint               depth)
{
  for (guint i = 0; i < body->n_steps; i++)
    {
      const GhloStep *step = body->steps[i];

      print_row (self, ghlo_step_get_operation (step), ghlo_step_get_unit (step), depth,
                 &self->profile->steps[step->number], step_bytes (self, step));
      for (guint k = 0; k < step->n_bodies; k++)
        if (ghlo_step_runs_body (step, k))
          print_body (self, &step->bodies[k], depth + 1);
    }
}

void
ghlo_tool_print_profile (FILE                 *file,
                         const GhloPrepared   *prepared,
                         const GhloRunProfile *profile)
{
  Table table = { file, ghlo_prepared_get_plan (prepared), profile, 0 };

  if (profile->steps == NULL)
    {
      fprintf (file, "the device '%s' runs programs without a plan, so there are no steps to measure\n",
               ghlo_prepared_get_device (prepared)->names[0]);
      return;
    }
  fprintf (file, "%-*s %-10s %8s%10s%9s%12s %7s\n", NAME_WIDTH, "step", "unit", "runs", "time", "share", "bytes",
           "GB/s");
  if (table.plan == NULL)
    {
      table.total = (double) profile->steps[0].nanoseconds / 1e9;
      print_row (&table, ghlo_ir_op_spec (GHLO_OP_FUNC_FUNC)->name, "reference", 0, &profile->steps[0], -1);
      return;
    }
  for (guint i = 0; i < table.plan->body.n_steps; i++)
    table.total += (double) profile->steps[table.plan->body.steps[i]->number].nanoseconds / 1e9;
  print_body (&table, &table.plan->body, 0);
}
