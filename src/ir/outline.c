/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One operation as a program of its own: a module with a function around a copy.
 */

#include "ir/outline.h"

static gboolean
is_inside (const GhloIrValue *value,
           const GhloIrOp    *op)
{
  const GhloIrBlock *block = value->op != NULL ? value->op->block : value->block;

  while (block != NULL && block->region->op != op)
    block = block->region->op->block;

  return block != NULL;
}

static gboolean
refers (const GhloIrAttr *attr)
{
  gboolean found = attr->kind == GHLO_IR_ATTR_SYMBOL;

  for (gsize i = 0; !found && attr->kind == GHLO_IR_ATTR_ARRAY && i < attr->length; i++)
    found = refers (attr->children[i]);

  return found;
}

typedef struct
{
  const GhloIrOp *root;
  GHashTable     *seen;       /* of GhloIrValue */
  GPtrArray      *inputs;
  gboolean        refers;     /* to symbols */
} Finder;

static void
find (Finder         *self,
      const GhloIrOp *op)
{
  gsize n = ghlo_ir_op_get_spec (op)->n_attributes;

  for (guint i = 0; i < op->n_operands; i++)
    {
      GhloIrValue *value = ghlo_ir_op_operand (op, i);

      if (!is_inside (value, self->root) && g_hash_table_add (self->seen, value))
        g_ptr_array_add (self->inputs, value);
    }
  for (gsize i = 0; i < n && !self->refers; i++)
    self->refers = op->attributes[i] != NULL && refers (op->attributes[i]);
  for (guint i = 0; i < op->n_discardable && !self->refers; i++)
    self->refers = op->discardable[i].value != NULL && refers (op->discardable[i].value);
  for (guint i = 0; i < op->n_regions; i++)
    for (const GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (const GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
        find (self, inner);
}

/* What stands beside the function that @op is in, but for that function: what the
 * operation may call. */
static void
copy_symbols (GhloIrModule   *module,
              GhloIrBlock    *body,
              const GhloIrOp *op,
              GHashTable     *made)
{
  const GhloIrOp *function = op;

  while (function->block->region->op->kind != GHLO_OP_BUILTIN_MODULE)
    function = function->block->region->op;
  for (const GhloIrOp *other = function->block->first; other != NULL; other = other->next)
    if (other != function)
      ghlo_ir_block_append (body, ghlo_ir_op_copy (module, other, FALSE, made));
}

GhloIrModule *
ghlo_ir_outline (const GhloIrModule *source,
                 const GhloIrOp     *op,
                 GPtrArray          *inputs)
{
  GhloIrModule *module = ghlo_ir_module_new (source->file_name);
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL), seen = g_hash_table_new (NULL, NULL);
  Finder finder = { .root = op, .seen = seen, .inputs = inputs };
  g_autofree const GhloIrType **input_types = NULL;
  g_autofree const GhloIrType **result_types = g_new (const GhloIrType *, op->n_results + 1);
  g_autofree GhloIrValue **returned = g_new (GhloIrValue *, op->n_results + 1);
  GhloIrNamedAttr attributes[2] = { { "sym_name", NULL }, { "function_type", NULL } };
  GhloIrOp *function, *copy;
  GhloIrBlock *body, *block;

  /* Errors name the place that the operation was read from. */
  module->is_binary = source->is_binary;
  find (&finder, op);
  input_types = g_new (const GhloIrType *, inputs->len + 1);
  for (guint i = 0; i < inputs->len; i++)
    input_types[i] = ghlo_ir_type_copy (module, ((const GhloIrValue *) g_ptr_array_index (inputs, i))->type, made);
  for (guint i = 0; i < op->n_results; i++)
    result_types[i] = ghlo_ir_type_copy (module, op->results[i].type, made);

  module->op = ghlo_ir_op_new (module, &(GhloIrOpState) { .kind = GHLO_OP_BUILTIN_MODULE, .n_regions = 1 });
  body = ghlo_ir_region_add_block (module, &module->op->regions[0]);
  /* No text can name a function so. */
  attributes[0].value = ghlo_ir_attr_string (module, "", 0);
  attributes[1].value = ghlo_ir_attr_type (module, ghlo_ir_type_function (module, input_types, inputs->len,
                                                                          result_types, op->n_results));
  function = ghlo_ir_op_new (module, &(GhloIrOpState) {
    .kind = GHLO_OP_FUNC_FUNC, .n_regions = 1, .attributes = attributes, .n_attributes = G_N_ELEMENTS (attributes),
  });
  ghlo_ir_block_append (body, function);
  block = ghlo_ir_region_add_block (module, &function->regions[0]);
  for (guint i = 0; i < inputs->len; i++)
    g_hash_table_insert (made, g_ptr_array_index (inputs, i),
                         ghlo_ir_block_add_argument (module, block, input_types[i], NULL));
  copy = ghlo_ir_op_copy (module, op, FALSE, made);
  ghlo_ir_block_append (block, copy);
  for (guint i = 0; i < op->n_results; i++)
    returned[i] = &copy->results[i];
  ghlo_ir_block_append (block, ghlo_ir_op_new (module, &(GhloIrOpState) {
    .kind = GHLO_OP_FUNC_RETURN, .operands = returned, .n_operands = op->n_results,
  }));
  if (finder.refers)
    copy_symbols (module, body, op, made);

  return module;
}
