/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs that JAX exported for several platforms take the index of the current platform as an additional input
 * before the function's own. The user of the file should not need to know that, so the input becomes a constant.
 */

#include "import/exported/exported.h"

#include <string.h>

#define GLOBAL_CONSTANT "jax.global_constant"
#define PLATFORM_INDEX  "_platform_index"

/* Returns the attributes of argument @index, a dictionary; NULL if it has none. */
static const GhloIrAttr *
get_argument_attributes (const GhloIrOp *function,
                         guint           index)
{
  const GhloIrAttr *list = ghlo_ir_op_get (function, "arg_attrs");

  if (list == NULL || list->kind != GHLO_IR_ATTR_ARRAY || index >= list->length
      || list->children[index]->kind != GHLO_IR_ATTR_DICTIONARY)
    return NULL;

  return list->children[index];
}

static gboolean
is_platform_index (const GhloIrOp *function,
                   guint           index)
{
  const GhloIrAttr *attributes = get_argument_attributes (function, index);
  const GhloIrAttr *name = attributes != NULL ? ghlo_ir_dictionary_get (attributes, GLOBAL_CONSTANT) : NULL;
  const GhloIrType *type = ghlo_ir_func_get_body (function)->arguments[index]->type;

  return name != NULL && name->kind == GHLO_IR_ATTR_STRING && strcmp (name->text, PLATFORM_INDEX) == 0
         && type->kind == GHLO_IR_TYPE_TENSOR && type->rank == 0
         /* i64 if JAX's 64-bit types were enabled. */
         && (type->element_type == GHLO_ELEMENT_TYPE_I32 || type->element_type == GHLO_ELEMENT_TYPE_I64);
}

/* Chooses the CPU version of the program if there is one. */
static gint32
choose_platform (const GhloExported *self)
{
  for (gint32 i = 0; self->platforms != NULL && self->platforms[i] != NULL; i++)
    if (strcmp (self->platforms[i], "cpu") == 0)
      return i;

  return 0;
}

/* Replaces the argument by a constant at the start of the body. */
static void
replace_argument (GhloIrModule *module,
                  GhloIrBlock  *body,
                  guint         index,
                  gint32        number)
{
  GhloIrValue *argument = body->arguments[index];
  gint64 wide = number;
  GBytes *bytes = argument->type->element_type == GHLO_ELEMENT_TYPE_I64 ? g_bytes_new (&wide, sizeof wide)
                                                                         : g_bytes_new (&number, sizeof number);
  GhloIrNamedAttr value = { "value", ghlo_ir_attr_dense (module, argument->type, bytes, TRUE, NULL) };
  GhloIrOpState state = {
    .kind = GHLO_OP_STABLEHLO_CONSTANT, .result_types = &argument->type, .n_results = 1,
    .attributes = &value, .n_attributes = 1, .location = argument->location,
  };
  GhloIrOp *constant = ghlo_ir_op_new (module, &state);

  ghlo_ir_op_insert_before (constant, body->first);
  ghlo_ir_value_replace (argument, &constant->results[0]);
  ghlo_ir_block_remove_argument (body, index);
}

static void
drop_from_type (GhloIrModule *module,
                GhloIrOp     *function,
                guint         index)
{
  const GhloIrType *type = ghlo_ir_op_get (function, "function_type")->type;
  const GhloIrAttr *list = ghlo_ir_op_get (function, "arg_attrs");
  g_autoptr (GPtrArray) inputs = g_ptr_array_new (), attributes = g_ptr_array_new ();
  gboolean any = FALSE;

  for (guint i = 0; i < type->rank; i++)
    if (i != index)
      {
        g_ptr_array_add (inputs, (gpointer) type->members[i]);
        g_ptr_array_add (attributes, (gpointer) list->children[i]);
        any |= list->children[i]->length > 0;
      }
  type = ghlo_ir_type_function (module, (const GhloIrType *const *) inputs->pdata, inputs->len,
                                type->members + type->rank, type->n_results);
  ghlo_ir_op_set (module, function, "function_type", ghlo_ir_attr_type (module, type));
  ghlo_ir_op_set (module, function, "arg_attrs",
                  any ? ghlo_ir_attr_array (module, (const GhloIrAttr *const *) attributes->pdata, attributes->len)
                      : NULL);
}

void
ghlo_exported_bind_platform (const GhloExported *self,
                             GhloIrModule       *module)
{
  GhloIrOp *function = ghlo_ir_module_get_entry (module);
  GhloIrBlock *body = function != NULL ? ghlo_ir_func_get_body (function) : NULL;
  const GhloIrAttr *type = function != NULL ? ghlo_ir_op_get (function, "function_type") : NULL;
  const GhloIrAttr *list = function != NULL ? ghlo_ir_op_get (function, "arg_attrs") : NULL;

  /* Needed since the module is not verified. */
  if (body == NULL || body->first == NULL || type == NULL || type->kind != GHLO_IR_ATTR_TYPE
      || type->type->kind != GHLO_IR_TYPE_FUNCTION || list == NULL || list->kind != GHLO_IR_ATTR_ARRAY
      || body->n_arguments != type->type->rank || list->length != type->type->rank)
    return;
  for (guint i = 0; i < body->n_arguments; i++)
    if (is_platform_index (function, i))
      {
        drop_from_type (module, function, i);
        replace_argument (module, body, i, choose_platform (self));
        return;
      }
}
