/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "canonicalize": runs all groups of algebraic rules together.
 */

#include "passes/canonicalize.h"

static const GhloRuleGroup *const groups[] = {
  &ghlo_canonicalize_arithmetic,
  &ghlo_canonicalize_logic,
  &ghlo_canonicalize_conversions,
  &ghlo_canonicalize_moves,
  &ghlo_canonicalize_indexing,
  &ghlo_canonicalize_reductions,
  &ghlo_canonicalize_structure,
  &ghlo_canonicalize_dynamic,
  &ghlo_canonicalize_forms,
};

gboolean
ghlo_pass_canonicalize (GhloIrModule     *module,
                        GhloPassContext  *context,
                        GError          **error)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (GhloRuleRow));

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    g_array_append_vals (rows, groups[i]->rows, groups[i]->n_rows);

  return ghlo_rewrite_module (module, context, (gconstpointer) rows->data, rows->len, error);
}
