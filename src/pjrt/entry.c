/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When a program's inputs or outputs change, its entry gets another function type, and the sharding attributes of
 * those that changed no longer apply.
 */

#include "pjrt/entry.h"

#include "ir/attr.h"

/* Returns @dictionaries without the sharding attributes of those whose type differs from @before. */
static const GhloIrAttr *
drop_shardings (GhloIrModule             *module,
                const GhloIrAttr         *dictionaries,
                const GhloIrType *const  *before,
                const GhloIrType *const  *types)
{
  g_autofree const GhloIrAttr **kept = g_new (const GhloIrAttr *, dictionaries->length + 1);

  for (gsize i = 0; i < dictionaries->length; i++)
    {
      const GhloIrAttr *dictionary = kept[i] = dictionaries->children[i];
      g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (GhloIrNamedAttr));

      if (types[i] == before[i] || dictionary == NULL || dictionary->kind != GHLO_IR_ATTR_DICTIONARY)
        continue;
      for (gsize j = 0; j < dictionary->length; j++)
        if (g_strcmp0 (dictionary->entries[j].name, "sdy.sharding") != 0)
          g_array_append_val (entries, dictionary->entries[j]);
      kept[i] = ghlo_ir_attr_dictionary (module, (gpointer) entries->data, entries->len);
    }

  return ghlo_ir_attr_array (module, kept, dictionaries->length);
}

static void
update_attributes (GhloIrModule             *module,
                   GhloIrOp                 *function,
                   const char               *name,
                   const GhloIrType *const  *before,
                   const GhloIrType *const  *types,
                   gsize                     n)
{
  const GhloIrAttr *dictionaries = ghlo_ir_op_get (function, name);

  if (dictionaries != NULL && dictionaries->kind == GHLO_IR_ATTR_ARRAY && dictionaries->length == n)
    ghlo_ir_op_set (module, function, name, drop_shardings (module, dictionaries, before, types));
}

void
ghlo_pjrt_update_entry (GhloIrModule *module)
{
  GhloIrOp *function = ghlo_ir_module_get_entry (module);
  const GhloIrBlock *body = ghlo_ir_func_get_body (function);
  const GhloIrType *before = ghlo_ir_op_get (function, "function_type")->type, *type;
  const guint n_inputs = body->n_arguments, n_outputs = body->last->n_operands;
  g_autofree const GhloIrType **types = g_new (const GhloIrType *, (gsize) n_inputs + n_outputs + 1);

  for (guint i = 0; i < n_inputs; i++)
    types[i] = body->arguments[i]->type;
  for (guint i = 0; i < n_outputs; i++)
    types[n_inputs + i] = ghlo_ir_op_operand (body->last, i)->type;
  update_attributes (module, function, "arg_attrs", before->members, types, n_inputs);
  update_attributes (module, function, "res_attrs", before->members + n_inputs, types + n_inputs, n_outputs);
  type = ghlo_ir_type_function (module, types, n_inputs, types + n_inputs, n_outputs);
  ghlo_ir_op_set (module, function, "function_type", ghlo_ir_attr_type (module, type));
}
