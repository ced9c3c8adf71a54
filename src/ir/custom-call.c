/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Looks for options in each dictionary that a call may have.
 */

#include "ir/custom-call.h"

const GhloIrAttr *
ghlo_ir_custom_call_get (const GhloIrOp *op,
                         const char     *name)
{
  static const char *const dictionaries[] = { "mhlo.attributes", "backend_config", "mhlo.backend_config" };

  for (guint i = 0; i < G_N_ELEMENTS (dictionaries); i++)
    {
      const GhloIrAttr *dictionary = ghlo_ir_op_get (op, dictionaries[i]);
      const GhloIrAttr *found = dictionary != NULL && dictionary->kind == GHLO_IR_ATTR_DICTIONARY
                                ? ghlo_ir_dictionary_get (dictionary, name) : NULL;

      if (found != NULL)
        return found;
    }

  return NULL;
}

gint64
ghlo_ir_custom_call_get_int (const GhloIrOp *op,
                             const char     *name,
                             gint64          fallback)
{
  const GhloIrAttr *attr = ghlo_ir_custom_call_get (op, name);

  return attr != NULL && (attr->kind == GHLO_IR_ATTR_INTEGER || attr->kind == GHLO_IR_ATTR_BOOL)
         ? attr->integer : fallback;
}

gboolean
ghlo_ir_custom_call_is_hint (const GhloIrOp *op)
{
  return op->kind == GHLO_OP_STABLEHLO_CUSTOM_CALL && op->n_results == 0
         && g_strcmp0 (ghlo_ir_op_get_string (op, "call_target_name"), "control_dep") == 0;
}
