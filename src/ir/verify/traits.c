/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks traits: relations between the types of operands and results, regions and terminators, and the placement of
 * symbols. Types are interned, so for a valid program most checks are comparisons of pointers.
 */

#include "ir/verify/from-table.h"

static guint
n_types (const GhloIrOp *op)
{
  return op->n_operands + op->n_results;
}

/* The type of operand @index, or of a result if @index is beyond the operands. */
static inline const GhloIrType *
type_at (const GhloIrOp *op,
         guint           index)
{
  return index < op->n_operands ? ghlo_ir_operand_type (op, index)
                                : ghlo_ir_result_type (op, index - op->n_operands);
}

static gboolean
all_equal (const GhloIrOp *op)
{
  for (guint i = 1; i < n_types (op); i++)
    if (type_at (op, i) != type_at (op, 0))
      return FALSE;

  return TRUE;
}

/* Checks that @relation holds between the first type and every other one. */
static gboolean
all_related (GhloIrVerifier *verifier,
             const GhloIrOp *op,
             guint           n,
             gboolean      (*relation) (const GhloIrType *, const GhloIrType *),
             const char     *what)
{
  for (guint i = 1; i < n; i++)
    if (!relation (type_at (op, i), type_at (op, 0)))
      return ghlo_ir_verify_fail_type (verifier, op, what, type_at (op, 0), type_at (op, i));

  return TRUE;
}

static gboolean
same_type (const GhloIrType *a,
           const GhloIrType *b)
{
  return a == b;
}

/* Checks that types are compatible and that the result is compatible with the merged shape of all operands. */
static gboolean
compatible_types (GhloIrVerifier *verifier,
                  const GhloIrOp *op)
{
  GhloIrShape merged;
  gboolean ranked = FALSE;

  if (!all_related (verifier, op, n_types (op), ghlo_ir_types_compatible,
                    "compatible types of operands and results, like"))
    return FALSE;
  if (op->n_operands < 2 || op->n_results != 1)
    return TRUE;

  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloIrType *type = ghlo_ir_operand_type (op, i);

      if (type->kind != GHLO_IR_TYPE_TENSOR)
        continue;
      if (!ranked)
        ghlo_ir_shape_from_type (&merged, type);
      else if (!ghlo_ir_shape_merge (verifier, op, &merged, type))
        return FALSE;
      ranked = TRUE;
    }

  return !ranked || ghlo_ir_verify_inferred (verifier, op, 0, &merged, ghlo_ir_operand_type (op, 0));
}

/* Checks that all types have the same rank and, where static, the same size in each dimension. */
static gboolean
same_shape (GhloIrVerifier *verifier,
            const GhloIrOp *op)
{
  const GhloIrType *first = NULL;
  gint64 known[GHLO_MAX_RANK];

  for (guint i = 0; i < n_types (op); i++)
    {
      const GhloIrType *type = type_at (op, i);
      gboolean good;

      if (type->kind != GHLO_IR_TYPE_TENSOR || type == first)
        continue;
      good = first == NULL || type->rank == first->rank;
      for (guint d = 0; d < type->rank && good; d++)
        {
          if (first == NULL || known[d] < 0)
            known[d] = type->dimensions[d];
          good = ghlo_ir_dims_compatible (known[d], type->dimensions[d]);
        }
      if (!good)
        return ghlo_ir_verify_fail_type (verifier, op, "equal shapes of operands and results, like", first, type);
      if (first == NULL)
        first = type;
    }

  return TRUE;
}

static gboolean
pairwise_types (GhloIrVerifier *verifier,
                const GhloIrOp *op)
{
  if (op->n_operands != op->n_results)
    return ghlo_ir_verify_fail (verifier, op, "expected as many results as operands, %u, found %u",
                                op->n_operands, op->n_results);
  for (guint i = 0; i < op->n_operands; i++)
    if (ghlo_ir_operand_type (op, i) != ghlo_ir_result_type (op, i))
      return ghlo_ir_verify_fail_type (verifier, op, "each result of its operand's type,",
                                       ghlo_ir_operand_type (op, i), ghlo_ir_result_type (op, i));

  return TRUE;
}

/* Checks that a symbol has a name and is in a symbol table, where the name is unique. */
static gboolean
symbol_in_table (GhloIrVerifier *verifier,
                 const GhloIrOp *op)
{
  const char *name = ghlo_ir_op_get_string (op, "sym_name");
  const GhloIrOp *parent = ghlo_ir_op_get_parent (op);
  const GhloIrOp *owner;

  if (parent == NULL)
    return op == verifier->module->op
           || ghlo_ir_verify_fail (verifier, op, "expected a symbol inside a module, found it outside");
  if ((ghlo_ir_op_get_spec (parent)->traits & GHLO_IR_TRAIT_SYMBOL_TABLE) == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected a symbol directly inside a module, found it inside '%s'",
                                ghlo_ir_op_get_spec (parent)->name);
  if (name == NULL || parent->symbols == NULL)
    return TRUE;

  owner = g_hash_table_lookup (parent->symbols, name);
  if (owner != NULL && owner != op && verifier->module->is_binary)
    return ghlo_ir_verify_fail (verifier, op, "expected a unique symbol name, found '%s' again"
                                " (first at byte %" G_GUINT64_FORMAT ")", name, ghlo_ir_op_get_offset (owner));
  if (owner != NULL && owner != op)
    return ghlo_ir_verify_fail (verifier, op, "expected a unique symbol name, found '%s' again"
                                " (first on line %u)", name, owner->line);

  return TRUE;
}

gboolean
ghlo_ir_verify_traits (GhloIrVerifyRun *run,
                       const GhloIrOp  *op)
{
  const guint32 on_types = GHLO_IR_TRAIT_COMPATIBLE_TYPES | GHLO_IR_TRAIT_COMPATIBLE_ELEMENTS
                           | GHLO_IR_TRAIT_SAME_ELEMENTS | GHLO_IR_TRAIT_SAME_SHAPE | GHLO_IR_TRAIT_SAME_TYPES
                           | GHLO_IR_TRAIT_SAME_OPERAND_TYPES | GHLO_IR_TRAIT_PAIRWISE_TYPES
                           | GHLO_IR_TRAIT_COMPATIBLE_OPERAND_ELEMENTS;
  GhloIrVerifier *verifier = &run->verifier;
  guint32 traits = ghlo_ir_op_get_spec (op)->traits;

  if ((traits & GHLO_IR_TRAIT_SYMBOL) != 0 && !symbol_in_table (verifier, op))
    return FALSE;
  if ((traits & GHLO_IR_TRAIT_TERMINATOR) != 0 && op->next != NULL)
    return ghlo_ir_verify_fail (verifier, op, "expected the end of the block after a terminator, found '%s'",
                                ghlo_ir_op_get_spec (op->next)->name);
  if ((traits & GHLO_IR_TRAIT_PAIRWISE_TYPES) != 0 && !pairwise_types (verifier, op))
    return FALSE;
  if ((traits & on_types) == 0 || all_equal (op))
    return TRUE;

  if ((traits & GHLO_IR_TRAIT_SAME_SHAPE) != 0 && !same_shape (verifier, op))
    return FALSE;
  if ((traits & GHLO_IR_TRAIT_COMPATIBLE_TYPES) != 0 && !compatible_types (verifier, op))
    return FALSE;
  if ((traits & GHLO_IR_TRAIT_COMPATIBLE_ELEMENTS) != 0
      && !all_related (verifier, op, n_types (op), ghlo_ir_elements_compatible,
                       "compatible element types of operands and results, like"))
    return FALSE;
  if ((traits & GHLO_IR_TRAIT_COMPATIBLE_OPERAND_ELEMENTS) != 0
      && !all_related (verifier, op, op->n_operands, ghlo_ir_elements_compatible,
                       "compatible element types of operands, like"))
    return FALSE;
  if ((traits & GHLO_IR_TRAIT_SAME_ELEMENTS) != 0
      && !all_related (verifier, op, n_types (op), ghlo_ir_same_element, "the element type of"))
    return FALSE;
  if ((traits & GHLO_IR_TRAIT_SAME_TYPES) != 0
      && !all_related (verifier, op, n_types (op), same_type, "equal types, like"))
    return FALSE;

  return (traits & GHLO_IR_TRAIT_SAME_OPERAND_TYPES) == 0
         || all_related (verifier, op, op->n_operands, same_type, "equal types of operands, like");
}
