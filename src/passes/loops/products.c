/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of slices. Where a loop takes slices of rows and multiplies each by a loop-invariant operand, the product of
 * all rows is computed once before the loop, and the loop takes slices of that product. One large product reads the
 * weights once for many rows, whereas products of few rows are bound by reading the weights. Slicing along a dimension
 * that is not contracted commutes with the product, wherever the slice begins.
 */

#include "passes/loops/products.h"

#include <string.h>

#include "base/sizes.h"
#include "passes/constant.h"
#include "passes/rewrite.h"
#include "passes/walk.h"

/* Products of more rows do enough work with each weight that they read. */
#define MAX_ROWS 32
/* The maximum size of a product that is kept for the duration of the loop, in bytes. */
#define MAX_BYTES 64e6

typedef struct
{
  GhloIrOp *product, *slice;
  guint     side;               /* which operand of the product is the slice */
  guint     dimension;          /* of the slice: the one that it is sliced along */
  guint     result;             /* the same dimension in the product's result */
} Product;

/* Finds the only dimension that the slice is taken along; FALSE where there are several. */
static gboolean
find_cut (Product *self)
{
  const GhloIrType *source = ghlo_ir_op_operand (self->slice, 0)->type, *type = self->slice->results[0].type;
  guint n = 0;

  if (!ghlo_type_is_plain (source) || !ghlo_type_is_plain (type))
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    if (type->dimensions[i] != source->dimensions[i])
      {
        self->dimension = i;
        n++;
      }

  return n == 1 && type->dimensions[self->dimension] > 0;
}

static gboolean
is_free (const Product *self,
         guint          side,
         gint64         dimension)
{
  static const char *const fields[2][2] = {
    { "lhs_batching_dimensions", "lhs_contracting_dimensions" },
    { "rhs_batching_dimensions", "rhs_contracting_dimensions" },
  };
  const GhloIrAttr *numbers = ghlo_ir_op_get (self->product, "dot_dimension_numbers");

  for (guint i = 0; i < 2; i++)
    {
      gsize n;
      const gint64 *dimensions = ghlo_ir_struct_get_dims (numbers, fields[side][i], &n);

      if (ghlo_dims_contain (dimensions, n, dimension))
        return FALSE;
    }

  return TRUE;
}

/* Finds the dimension of the result that corresponds to the slice's; the result has the batching dimensions, then the
 * free dimensions of both sides. Returns the number of rows on the slice's side. */
static gint64
find_result (Product *self)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (self->product, "dot_dimension_numbers");
  gint64 rows = 1;
  gsize n_batching;

  ghlo_ir_struct_get_dims (numbers, "lhs_batching_dimensions", &n_batching);
  self->result = n_batching;
  for (guint side = 0; side <= self->side; side++)
    {
      const GhloIrType *type = ghlo_ir_op_operand (self->product, side)->type;

      for (guint i = 0; i < type->rank; i++)
        {
          if (!is_free (self, side, i))
            continue;
          self->result += side < self->side || i < self->dimension;
          if (side == self->side && __builtin_mul_overflow (rows, type->dimensions[i], &rows))
            return G_MAXINT64;
        }
    }

  return rows;
}

/* Whether computing the product of all rows takes less work than the loop does, and the product is small enough
 * to keep. */
static gboolean
is_profitable (const Product *self,
               gint64         trips)
{
  const GhloIrType *type = self->product->results[0].type;
  double cut = (double) self->slice->results[0].type->dimensions[self->dimension];
  double all = (double) ghlo_ir_op_operand (self->slice, 0)->type->dimensions[self->dimension];

  return trips > 1 && (double) trips * cut >= all
         && (double) ghlo_type_count (type) / cut * all * ghlo_element_info (type->element_type)->size <= MAX_BYTES;
}

static gboolean
match (Product        *self,
       const GhloIrOp *loop,
       gint64          trips)
{
  GhloIrValue *operand = ghlo_ir_op_operand (self->product, self->side);

  self->slice = operand->op;
  if (self->slice == NULL || self->slice->kind != GHLO_OP_STABLEHLO_DYNAMIC_SLICE
      || !ghlo_pass_is_inside (operand, loop)
      || ghlo_pass_is_inside (ghlo_ir_op_operand (self->slice, 0), loop)
      || ghlo_pass_is_inside (ghlo_ir_op_operand (self->product, 1 - self->side), loop)
      || !ghlo_type_is_plain (ghlo_ir_op_operand (self->product, 1 - self->side)->type)
      || !ghlo_type_is_plain (self->product->results[0].type) || !find_cut (self))
    return FALSE;

  return is_free (self, self->side, self->dimension) && find_result (self) <= MAX_ROWS && is_profitable (self, trips);
}

/* Makes an operation before @next with the location of @product. */
static GhloIrValue *
make (GhloIrModule   *module,
      const GhloIrOp *product,
      GhloIrOpState  *state,
      GhloIrOp       *next)
{
  GhloIrOp *op;

  state->n_results = 1;
  state->location = product->location;
  state->line = product->line;
  state->column = product->column;
  op = ghlo_ir_op_new (module, state);
  ghlo_ir_op_insert_before (op, next);

  return &op->results[0];
}

static GhloIrValue *
make_whole (const Product *self,
            GhloIrModule  *module,
            GhloIrOp      *loop)
{
  const GhloIrOp *product = self->product;
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (product);
  g_autofree GhloIrNamedAttr *attributes = g_new (GhloIrNamedAttr, spec->n_attributes + 1);
  GhloIrValue *operands[] = { ghlo_ir_op_operand (product, 0), ghlo_ir_op_operand (product, 1) };
  const GhloIrType *type = product->results[0].type;
  gint64 dimensions[GHLO_MAX_RANK];
  gsize n = 0;

  operands[self->side] = ghlo_ir_op_operand (self->slice, 0);
  for (guint i = 0; i < spec->n_attributes; i++)
    if (product->attributes[i] != NULL)
      attributes[n++] = (GhloIrNamedAttr) { spec->attributes[i].name, product->attributes[i] };
  memcpy (dimensions, type->dimensions, type->rank * sizeof *dimensions);
  dimensions[self->result] = operands[self->side]->type->dimensions[self->dimension];
  type = ghlo_ir_type_tensor (module, ghlo_ir_type_get_element (module, type), dimensions, type->rank, NULL, NULL);

  return make (module, product, &(GhloIrOpState) {
    .kind = product->kind, .operands = operands, .n_operands = 2, .result_types = &type,
    .attributes = attributes, .n_attributes = n,
  }, loop);
}

/* A slice of @whole that begins where the original slice did, and spans all other dimensions. */
static GhloIrValue *
make_slice (const Product *self,
            GhloIrModule  *module,
            GhloIrValue   *whole)
{
  GhloIrOp *product = self->product;
  const GhloIrType *type = product->results[0].type, *counts = ghlo_ir_op_operand (self->slice, 1)->type;
  const GhloIrNamedAttr zero = { "value", ghlo_make_dense_splat (module, counts, (GhloScalar) { .i = 0 }) };
  const GhloIrNamedAttr sizes = { "slice_sizes", ghlo_ir_attr_i64s (module, type->dimensions, type->rank) };
  GhloIrValue *operands[GHLO_MAX_RANK + 1] = { whole };

  for (guint i = 0; i < type->rank; i++)
    operands[1 + i] = i == self->result ? ghlo_ir_op_operand (self->slice, 1 + self->dimension)
                      : make (module, product, &(GhloIrOpState) {
                          .kind = GHLO_OP_STABLEHLO_CONSTANT, .result_types = &counts, .attributes = &zero,
                          .n_attributes = 1,
                        }, product);

  return make (module, product, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_DYNAMIC_SLICE, .operands = operands, .n_operands = 1 + type->rank,
    .result_types = &type, .attributes = &sizes, .n_attributes = 1,
  }, product);
}

guint
ghlo_pass_hoist_products (GhloIrModule *module,
                          GhloIrOp     *loop,
                          gint64        trips)
{
  GhloIrOp *next;
  guint n = 0;

  for (GhloIrOp *op = ghlo_ir_op_region_block (loop, 1)->first; op != NULL; op = next)
    {
      Product self = { .product = op };

      next = op->next;
      if (op->kind != GHLO_OP_STABLEHLO_DOT_GENERAL)
        continue;
      while (self.side < 2 && !match (&self, loop, trips))
        self.side++;
      if (self.side == 2)
        continue;
      ghlo_ir_value_replace (&op->results[0], make_slice (&self, module, make_whole (&self, module, loop)));
      ghlo_pass_erase (op);
      n++;
    }

  return n;
}
