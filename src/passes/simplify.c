/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "simplify": all groups of algebraic rules together.
 */

#include "passes/simplify.h"

static const GhloRuleGroup *const groups[] = {
  &ghlo_simplify_arithmetic,
  &ghlo_simplify_logic,
  &ghlo_simplify_conversions,
  &ghlo_simplify_moves,
  &ghlo_simplify_indexing,
  &ghlo_simplify_reductions,
  &ghlo_simplify_structure,
  &ghlo_simplify_dynamic,
  &ghlo_simplify_forms,
};

gboolean
ghlo_pass_simplify (GhloIrModule     *module,
                    GhloPassContext  *context,
                    GError          **error)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (GhloRuleRow));

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    g_array_append_vals (rows, groups[i]->rows, groups[i]->n_rows);

  return ghlo_rewrite_module (module, context, (const GhloRuleRow *) rows->data, rows->len, error);
}
