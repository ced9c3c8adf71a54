/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Statistics, by rows of the op table, of how far randomly drawn operations got.
 */

#include <string.h>

#include "op.h"

static guint counts[GHLO_N_OPS][RANDOM_OP_N_STAGES];

void
random_op_count (const RandomOp *self,
                 RandomOpStage   stage)
{
  counts[self->op->kind][stage]++;
}

char *
random_op_coverage (gboolean is_verbose)
{
  static const char *const stages[] = { "drawn", "verified", "ran", "compared" };
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint stage = 0; stage < RANDOM_OP_N_STAGES; stage++)
    {
      guint n_rows = 0;
      guint64 n = 0;

      for (guint kind = 1; kind < GHLO_N_OPS; kind++)
        {
          n += counts[kind][stage];
          n_rows += counts[kind][stage] > 0;
        }
      g_string_append_printf (text, "%s%s %" G_GUINT64_FORMAT " of %u rows", stage > 0 ? ", " : "", stages[stage], n,
                              n_rows);
    }
  for (guint kind = 1; kind < GHLO_N_OPS; kind++)
    {
      const char *name = ghlo_ir_op_spec (kind)->name;

      if (is_verbose)
        g_string_append_printf (text, "\n%-44s %7u %7u %7u %7u", name, counts[kind][RANDOM_OP_DRAWN],
                                counts[kind][RANDOM_OP_VERIFIED], counts[kind][RANDOM_OP_RAN],
                                counts[kind][RANDOM_OP_COMPARED]);
    }

  memset (counts, 0, sizeof counts);

  return g_string_free (g_steal_pointer (&text), FALSE);
}
