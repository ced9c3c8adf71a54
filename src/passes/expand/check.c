/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks of calls that are expanded. The verifier knows no call targets, so all that an expansion relies on is checked
 * before it makes anything.
 */

#include "passes/expand/check.h"

#include "passes/constant.h"
#include "passes/expand/nn.h"

gboolean
(ghlo_expand_refuse) (char       **problem,
                      const char  *format,
                      ...)
{
  va_list arguments;

  va_start (arguments, format);
  *problem = g_strdup_vprintf (format, arguments);
  va_end (arguments);

  return FALSE;
}

gboolean
ghlo_expand_refuse_activation (const char  *name,
                               char       **problem)
{
  return ghlo_expand_refuse (problem, "expected the name of a function as 'activation', found '%s'", name);
}

gboolean
ghlo_expand_check_counts (const GhloIrOp *op,
                          guint           least,
                          guint           most,
                          guint           n_results,
                          char          **problem)
{
  if (op->n_operands < least || op->n_operands > most || op->n_results != n_results)
    return ghlo_expand_refuse (problem, "expected %u to %u operands and %u results, found %u and %u", least, most,
                               n_results, op->n_operands, op->n_results);
  if (!ghlo_expand_is_plain (op))
    return ghlo_expand_refuse (problem, "expected tensors of static shapes");

  return TRUE;
}

gboolean
ghlo_expand_check_floats (const GhloIrOp *op,
                          guint           n,
                          char          **problem)
{
  GhloElementType wide = ghlo_expand_wide (ghlo_ir_op_operand (op, 0)->type->element_type);

  for (guint i = 0; i < n + op->n_results; i++)
    {
      const GhloIrType *type = i < n ? ghlo_ir_op_operand (op, i)->type : op->results[i - n].type;

      if (!ghlo_element_type_is_float (type->element_type) || ghlo_expand_wide (type->element_type) != wide)
        return ghlo_expand_refuse (problem, "expected %s as %s %u, found %s",
                                   wide == GHLO_ELEMENT_TYPE_F64 ? "numbers of f64" : "floats other than f64",
                                   i < n ? "operand" : "result", i < n ? i : i - n,
                                   ghlo_element_info (type->element_type)->name);
    }

  return TRUE;
}

gboolean
ghlo_expand_check_broadcasts (const GhloIrOp *op,
                              guint           index,
                              guint           to,
                              char          **problem)
{
  g_autofree char *found = NULL, *expected = NULL;

  if (ghlo_expand_broadcasts (ghlo_ir_op_operand (op, index)->type, ghlo_ir_op_operand (op, to)->type))
    return TRUE;
  found = ghlo_ir_type_to_string (ghlo_ir_op_operand (op, index)->type);
  expected = ghlo_ir_type_to_string (ghlo_ir_op_operand (op, to)->type);

  return ghlo_expand_refuse (problem, "expected operand %u to be broadcast to %s, found %s", index, expected, found);
}
