/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Outlines operations into a function. Each walk first collects the values that the group defines; all other values
 * that the group uses come from outside.
 */

#include "ir/outline.h"

#include "ir/symbols.h"

typedef struct
{
  GHashTable *known;        /* GhloIrOp and GhloIrValue of the group itself, and the inputs found so far */
  GPtrArray  *inputs;
} Finder;

typedef struct
{
  GhloIrModule          *module;
  const GhloIrOp *const *ops;
  gsize                  n_ops;
  gboolean               same;      /* the operations belong to @module */
  GHashTable            *made;      /* see ghlo_ir_op_copy (); also contains copied symbols */
  GPtrArray             *copied;    /* GhloIrOp of the source: symbols that were copied to the module */
} Outliner;

static void
add_own (GHashTable     *known,
         const GhloIrOp *op)
{
  g_hash_table_add (known, (gpointer) op);
  for (guint i = 0; i < op->n_results; i++)
    g_hash_table_add (known, &op->results[i]);
  for (guint i = 0; i < op->n_regions; i++)
    for (const GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      {
        for (guint k = 0; k < block->n_arguments; k++)
          g_hash_table_add (known, block->arguments[k]);
        for (const GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
          add_own (known, inner);
      }
}

static void
find_operands (Finder         *self,
               const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (g_hash_table_add (self->known, ghlo_ir_op_operand (op, i)))
      g_ptr_array_add (self->inputs, ghlo_ir_op_operand (op, i));
}

static void
find_captured (Finder         *self,
               const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_regions; i++)
    for (const GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (const GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
        {
          find_operands (self, inner);
          find_captured (self, inner);
        }
}

static void
find_inputs (Finder                *self,
             const GhloIrOp *const *ops,
             gsize                  n_ops)
{
  for (gsize i = 0; i < n_ops; i++)
    add_own (self->known, ops[i]);
  for (gsize i = 0; i < n_ops; i++)
    find_operands (self, ops[i]);
  for (gsize i = 0; i < n_ops; i++)
    find_captured (self, ops[i]);
}

void
ghlo_ir_outline_inputs (const GhloIrOp *const *ops,
                        gsize                  n_ops,
                        GPtrArray             *inputs)
{
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  Finder finder = { known, inputs };

  find_inputs (&finder, ops, n_ops);
}

static gboolean
is_given (const Finder      *self,
          const GhloIrValue *result)
{
  for (const GhloIrUse *use = result->uses; use != NULL; use = use->next)
    if (!g_hash_table_contains (self->known, use->op))
      return TRUE;

  return result->uses == NULL;
}

static void
find_results (const Finder          *self,
              const GhloIrOp *const *ops,
              gsize                  n_ops,
              GPtrArray             *results)
{
  for (gsize i = 0; i < n_ops; i++)
    for (guint k = 0; k < ops[i]->n_results; k++)
      if (is_given (self, &ops[i]->results[k]))
        g_ptr_array_add (results, &ops[i]->results[k]);
}

static const GhloIrOp *
outermost (const GhloIrOp *op)
{
  for (const GhloIrOp *parent = ghlo_ir_op_get_parent (op); parent != NULL; parent = ghlo_ir_op_get_parent (op))
    op = parent;

  return op;
}

/* Copies a symbol and everything inside it. */
static void
copy_symbol (GhloIrOp *symbol,
             gpointer  data)
{
  Outliner *self = data;
  GhloIrOp *copy;

  if (ghlo_ir_op_find_symbol (self->module->op, ghlo_ir_op_get_string (symbol, "sym_name")) != NULL)
    return;
  for (const GhloIrOp *op = symbol; op != NULL; op = ghlo_ir_op_get_parent (op))
    if (g_hash_table_contains (self->made, op))
      return;
  copy = ghlo_ir_op_copy (self->module, symbol, FALSE, self->made);
  ghlo_ir_block_append (ghlo_ir_op_region_block (self->module->op, 0), copy);
  g_hash_table_insert (self->made, symbol, copy);
  g_ptr_array_add (self->copied, symbol);
}

static void
copy_symbols_of (Outliner       *self,
                 const GhloIrOp *op)
{
  ghlo_ir_op_foreach_symbol (op, copy_symbol, self);
  for (guint i = 0; i < op->n_regions; i++)
    for (const GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (const GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
        copy_symbols_of (self, inner);
}

/* Returns the types of @values as types of the module; the array is never empty. */
static const GhloIrType **
copy_types (const Outliner  *self,
            const GPtrArray *values)
{
  const GhloIrType **types = g_new (const GhloIrType *, values->len + 1);

  for (guint i = 0; i < values->len; i++)
    {
      const GhloIrType *type = ((const GhloIrValue *) g_ptr_array_index (values, i))->type;

      types[i] = self->same ? type : ghlo_ir_type_copy (self->module, type, self->made);
    }

  return types;
}

/* A name that is unused in the module and also in the source, from which further symbols may be copied later. */
static const GhloIrAttr *
unique_name (const Outliner *self,
             const char     *name)
{
  g_autofree char *text = NULL;
  guint n = g_hash_table_size (self->module->op->symbols);

  do
    {
      g_free (text);
      text = g_strdup_printf ("%s.%u", name, n++);
    }
  while (ghlo_ir_op_find_symbol (self->module->op, text) != NULL
         || ghlo_ir_op_find_symbol (self->ops[0], text) != NULL);

  return ghlo_ir_attr_string (self->module, text, -1);
}

/* Adds a function of one block whose arguments are the inputs. */
static GhloIrOp *
add_function (const Outliner  *self,
              const char      *name,
              const GPtrArray *inputs,
              const GPtrArray *results)
{
  GhloIrModule *module = self->module;
  g_autofree const GhloIrType **input_types = copy_types (self, inputs), **result_types = copy_types (self, results);
  const GhloIrNamedAttr attributes[] = {
    { "sym_name", unique_name (self, name) },
    { "function_type", ghlo_ir_attr_type (module, ghlo_ir_type_function (module, input_types, inputs->len, result_types,
                                                                         results->len)) },
    { "sym_visibility", ghlo_ir_attr_string (module, "private", -1) },
  };
  GhloIrOp *function = ghlo_ir_op_new (module, &(GhloIrOpState) {
    .kind = GHLO_OP_FUNC_FUNC, .n_regions = 1, .attributes = attributes, .n_attributes = G_N_ELEMENTS (attributes),
  });
  GhloIrBlock *block = ghlo_ir_region_add_block (module, &function->regions[0]);

  for (guint i = 0; i < inputs->len; i++)
    {
      const GhloIrValue *input = g_ptr_array_index (inputs, i);
      GhloIrValue *argument = ghlo_ir_block_add_argument (module, block, input_types[i], NULL);

      argument->name = input->name != NULL ? ghlo_ir_module_intern (module, input->name, -1) : NULL;
      g_hash_table_insert (self->made, (gpointer) input, argument);
    }
  ghlo_ir_block_append (ghlo_ir_op_region_block (module->op, 0), function);

  return function;
}

static void
fill_function (const Outliner  *self,
               GhloIrOp        *function,
               const GPtrArray *results)
{
  GhloIrBlock *block = ghlo_ir_func_get_body (function);
  g_autofree GhloIrValue **returned = g_new (GhloIrValue *, results->len + 1);

  for (gsize i = 0; i < self->n_ops; i++)
    ghlo_ir_block_append (block, ghlo_ir_op_copy (self->module, self->ops[i], self->same, self->made));
  for (guint i = 0; i < results->len; i++)
    returned[i] = g_hash_table_lookup (self->made, g_ptr_array_index (results, i));
  ghlo_ir_block_append (block, ghlo_ir_op_new (self->module, &(GhloIrOpState) {
    .kind = GHLO_OP_FUNC_RETURN, .operands = returned, .n_operands = results->len,
  }));
}

GhloIrModule *
ghlo_ir_outline_module_new (const GhloIrModule *source)
{
  GhloIrModule *module = ghlo_ir_module_new (source->file_name);

  module->is_binary = source->is_binary;
  module->op = ghlo_ir_op_new (module, &(GhloIrOpState) { .kind = GHLO_OP_BUILTIN_MODULE, .n_regions = 1 });
  ghlo_ir_region_add_block (module, &module->op->regions[0]);

  return module;
}

GhloIrOp *
ghlo_ir_outline (GhloIrModule          *module,
                 const GhloIrOp *const *ops,
                 gsize                  n_ops,
                 const char            *name,
                 GPtrArray             *inputs,
                 GPtrArray             *results)
{
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL), made = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) copied = g_ptr_array_new (), own_results = g_ptr_array_new ();
  Finder finder = { known, inputs };
  Outliner self = { module, ops, n_ops, outermost (ops[0]) == module->op, made, copied };
  GhloIrOp *function;

  find_inputs (&finder, ops, n_ops);
  if (results == NULL)
    results = own_results;
  if (results->len == 0)
    find_results (&finder, ops, n_ops, results);
  function = add_function (&self, name, inputs, results);
  fill_function (&self, function, results);
  for (gsize i = 0; i < n_ops && !self.same; i++)
    copy_symbols_of (&self, ops[i]);
  for (guint i = 0; i < copied->len; i++)
    copy_symbols_of (&self, g_ptr_array_index (copied, i));

  return function;
}
