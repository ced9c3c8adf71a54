/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "fold-transposes": runs its two groups of rules.
 */

#include "passes/fold-transposes.h"

#include <string.h>

#include "passes/shapes.h"

gboolean
ghlo_find_permuted (const GhloIrValue  *value,
                    gint64             *permutation,
                    GhloIrValue       **operand)
{
  const gint64 *transposed = ghlo_op_get_permutation (value->op);

  if (transposed == NULL && !ghlo_op_is_reshape (value->op))
    return FALSE;
  *operand = ghlo_ir_op_operand (value->op, 0);
  if (transposed == NULL)
    return ghlo_shape_find_permutation ((*operand)->type, value->type, permutation);
  memcpy (permutation, transposed, value->type->rank * sizeof (gint64));

  return TRUE;
}

gboolean
ghlo_pass_fold_transposes (GhloIrModule     *module,
                           GhloPassContext  *context,
                           GError          **error)
{
  static const GhloRuleGroup *const groups[] = {
    &ghlo_fold_dot, &ghlo_fold_convolution,
  };
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (GhloRuleRow));

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    g_array_append_vals (rows, groups[i]->rows, groups[i]->n_rows);

  return ghlo_rewrite_module (module, context, (gconstpointer) rows->data, rows->len, error);
}
