/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The expressions of the graph, interned.
 */

#include "kernel/lower/lowering.h"

#include "base/hash.h"

#include <string.h>

typedef struct
{
  const GhloLowering *lowering;
  const GhloExpr     *expr;
} ExprKey;

static gboolean
same_expr (gconstpointer number,
           gconstpointer key)
{
  const ExprKey *expr_key = key;

  return memcmp (ghlo_expr (expr_key->lowering, GPOINTER_TO_UINT (number) - 1), expr_key->expr, sizeof (GhloExpr)) == 0;
}

/* Initial size; most graphs have no more. */
enum { MANY_EXPRS = 64 };

void
ghlo_lower_init_graph (GhloLowering *self)
{
  G_STATIC_ASSERT (sizeof (GhloExpr) == 32);

  self->zero = ghlo_lower_affine (self, &(GhloAffine) { 0 });
  self->exprs = g_array_sized_new (FALSE, TRUE, sizeof (GhloExpr), MANY_EXPRS);
  self->reads = g_array_new (FALSE, TRUE, sizeof (GhloLowerRead));
  self->folds = g_array_new (FALSE, TRUE, sizeof (GhloLowerFold));
  self->coordinates = g_array_new (FALSE, TRUE, sizeof (const GhloAffine *));
}

void
ghlo_lower_clear_graph (GhloLowering *self)
{
  g_array_unref (self->exprs);
  g_array_unref (self->reads);
  g_array_unref (self->folds);
  g_array_unref (self->coordinates);
  ghlo_ir_intern_clear (&self->unique);
  ghlo_ir_intern_clear (&self->memo);
  ghlo_ir_intern_clear (&self->affines);
  ghlo_ir_arena_clear (&self->arena);
}

guint32
ghlo_lower_refuse (GhloLowering *self,
                   const char   *reason)
{
  if (self->reason == NULL)
    self->reason = reason;

  return GHLO_LOWER_NONE;
}

static guint32
add_expr (GhloLowering *self,
          GhloExpr      expr)
{
  const ExprKey expr_key = { self, &expr };
  guint32 hash = (guint32) ghlo_hash_bytes (&expr, sizeof expr);
  guint32 number = GPOINTER_TO_UINT (ghlo_ir_intern_find (&self->unique, hash, same_expr, &expr_key));

  if (number != 0)
    return number - 1;
  if (self->exprs->len == GHLO_LOWER_MAX_EXPRS)
    return ghlo_lower_refuse (self, "its kernel would have too many nodes");
  g_array_append_val (self->exprs, expr);
  ghlo_ir_intern_add (&self->unique, hash, GUINT_TO_POINTER (self->exprs->len));

  return self->exprs->len - 1;
}

guint32
ghlo_lower_node (GhloLowering   *self,
                 GhloNodeKind    kind,
                 GhloElementType type,
                 guint32         a,
                 guint32         b,
                 guint32         c)
{
  GhloExpr expr = { .kind = kind, .type = type, .is_row = TRUE, .operands = { a, b, c } };

  for (guint i = 0; i < ghlo_node_spec (kind)->n_operands; i++)
    {
      if (expr.operands[i] == GHLO_LOWER_NONE)
        return GHLO_LOWER_NONE;
      expr.is_row = expr.is_row && ghlo_expr (self, expr.operands[i])->is_row;
      expr.level = MAX (expr.level, ghlo_expr (self, expr.operands[i])->level);
    }

  return add_expr (self, expr);
}

static const guint32 no_operands[3] = { GHLO_LOWER_NONE, GHLO_LOWER_NONE, GHLO_LOWER_NONE };

static guint32
add_leaf_expr (GhloLowering   *self,
               guint           kind,
               GhloElementType type,
               guint32         ref,
               gboolean        is_row,
               guint           level)
{
  GhloExpr expr = { .kind = kind, .type = type, .ref = ref, .is_row = is_row, .level = level };

  memcpy (expr.operands, no_operands, sizeof no_operands);

  return add_expr (self, expr);
}

guint32
ghlo_lower_constant (GhloLowering   *self,
                     GhloElementType type,
                     guint64         bits)
{
  GhloExpr expr = { .kind = GHLO_NODE_CONSTANT, .type = type, .is_row = TRUE, .bits = bits };

  memcpy (expr.operands, no_operands, sizeof no_operands);

  return add_expr (self, expr);
}

guint32
ghlo_lower_float (GhloLowering   *self,
                  GhloElementType type,
                  double          value)
{
  return ghlo_lower_constant (self, type, ghlo_float_to_bits (type, value));
}

/* LEFT and RIGHT have the level of their fold. They count as depending on inner axes in any case. */
guint32
ghlo_lower_fold_operand (GhloLowering *self,
                         GhloNodeKind  kind,
                         guint         fold)
{
  return add_leaf_expr (self, kind, ghlo_fold (self, fold)->type, fold, FALSE, ghlo_fold (self, fold)->level);
}

guint32
ghlo_lower_fold_result (GhloLowering *self,
                        guint         fold)
{
  return add_leaf_expr (self, GHLO_EXPR_FOLD, ghlo_fold (self, fold)->type, fold, TRUE,
                        ghlo_fold (self, fold)->level + 1);
}

static gboolean
is_row_affine (const GhloLowering *self,
               const GhloAffine   *affine)
{
  for (guint i = self->n_parallel; i < self->n_axes; i++)
    if (affine->strides[i] != 0)
      return FALSE;

  return TRUE;
}

guint32
ghlo_lower_coordinate (GhloLowering     *self,
                       GhloElementType   type,
                       const GhloAffine *affine)
{
  guint number = 0;

  if (ghlo_lower_has_dynamic_offsets (affine))
    return ghlo_lower_refuse (self, "its iota is read at an offset known only at run time");
  while (number < self->coordinates->len && ghlo_coordinate (self, number) != affine)
    number++;
  if (number == self->coordinates->len)
    g_array_append_val (self->coordinates, affine);

  return add_leaf_expr (self, GHLO_EXPR_COORDINATE, type, number, is_row_affine (self, affine), 0);
}

/* Returns the number of the leaf, sets *@is_row to whether it depends on no inner axis, and *@level to its level. */
static guint
add_read (GhloLowering    *self,
          guint            buffer,
          const GhloIndex *index,
          gboolean        *is_row,
          guint           *level)
{
  GhloLowerRead read = { .buffer = buffer, .index = *index };
  guint number = 0;

  *is_row = TRUE;
  *level = 0;
  for (guint i = 0; i < self->n_dynamic_offsets; i++)
    if (ghlo_lower_uses_dynamic_offset (index, i))
      {
        *is_row = *is_row && ghlo_expr (self, self->dynamic_offsets[i].expr)->is_row;
        *level = MAX (*level, ghlo_expr (self, self->dynamic_offsets[i].expr)->level);
      }
  for (guint i = 0; i < index->rank; i++)
    *is_row = *is_row && is_row_affine (self, index->dimensions[i]);
  for (guint i = 0; i < index->n_guards; i++)
    *is_row = *is_row && is_row_affine (self, index->guards[i].position);
  while (number < self->reads->len && (ghlo_lower_read (self, number)->buffer != buffer
                                       || !ghlo_lower_same_index (&ghlo_lower_read (self, number)->index, index)))
    number++;
  if (number == self->reads->len)
    g_array_append_val (self->reads, read);

  return number;
}

guint32
ghlo_lower_carried_expr (GhloLowering   *self,
                         GhloElementType type,
                         guint           carried,
                         guint           part,
                         gboolean        is_row)
{
  return add_leaf_expr (self, GHLO_NODE_TEMPORARY, type, 2 * carried + part, is_row, 0);
}

guint32
ghlo_lower_load (GhloLowering    *self,
                 guint            buffer,
                 GhloElementType  type,
                 const GhloIndex *index,
                 guint32          fill)
{
  GhloExpr expr = { .kind = GHLO_NODE_LOAD, .type = type, .operands = { fill, GHLO_LOWER_NONE, GHLO_LOWER_NONE } };
  gboolean is_row;
  guint level;

  expr.ref = add_read (self, buffer, index, &is_row, &level);
  expr.is_row = is_row && (fill == GHLO_LOWER_NONE || ghlo_expr (self, fill)->is_row);
  expr.level = fill != GHLO_LOWER_NONE ? MAX (level, ghlo_expr (self, fill)->level) : level;

  return add_expr (self, expr);
}

/* The address of the access does not matter: it has no dimensions and refers to the first buffer. */
guint32
ghlo_lower_inside (GhloLowering    *self,
                   const GhloIndex *index)
{
  GhloIndex guards = ghlo_lower_origin (self, 0, index);
  gboolean is_row;
  guint read, level;

  if (index->n_guards == 0)
    return ghlo_lower_constant (self, GHLO_ELEMENT_TYPE_I1, TRUE);
  guards.part = 0;
  read = add_read (self, 0, &guards, &is_row, &level);

  return add_leaf_expr (self, GHLO_NODE_INSIDE, GHLO_ELEMENT_TYPE_I1, read, is_row, level);
}
