/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Follows the operations from a product's operand to integers, scales and zero points, and their strides with them.
 */

#include "cpu/gemm/dequantization.h"

#include <math.h>
#include <string.h>

#include "base/sizes.h"
#include "cpu/gemm/dot-general.h"
#include "cpu/isa/routines.h"

/* Approximate nanoseconds to store a weight as f32. */
#define STORE_TIME 0.4

/* GROUP_UNIT: of numbers in a group, since so many are multiplied at once. */
enum { MAX_BITS = 4, GROUP_UNIT = 16, MAX_ZERO = 256, MAX_DEPTH = 8, PRECISION_HIGHEST = 2 };

typedef struct
{
  const GhloIrBlock     *block;         /* of the operations that are followed */
  const GhloStepRequest *request;       /* nullable */
  const GhloIrOp        *conversion;    /* of the integers, when it has been found */
} Reader;

/* A value that others are broadcast, converted or reshaped from, without an operation that computes it. */
typedef struct
{
  const GhloIrValue *value;
  GhloView           view;
  gint64             strides[GHLO_MAX_RANK];    /* for each dimension of what was asked for */
} Leaf;

static gboolean
is_convert (const GhloIrValue *value)
{
  return value->op != NULL && value->op->kind == GHLO_OP_STABLEHLO_CONVERT;
}

/* Whether all values of @from are values of @to. */
static gboolean
is_exact (GhloElementType from,
          GhloElementType to)
{
  const GhloElementInfo *a = ghlo_element_info (from), *b = ghlo_element_info (to);

  if (from == to || (to == GHLO_ELEMENT_TYPE_F32 && ghlo_element_type_is_float (from)))
    return a->bits <= 32;
  if (ghlo_element_type_is_float (to))
    return ghlo_element_type_is_integer (from) && a->bits <= b->mantissa_bits + 1u;

  return FALSE;
}

static gboolean
is_inside (const Reader      *self,
           const GhloIrValue *value)
{
  return value->op != NULL && value->op->kind != GHLO_OP_STABLEHLO_CONSTANT
         && value->op->block == self->block;
}

/* Gets the only operation of @kind that computes @value. */
static const GhloIrOp *
get_op (const Reader      *self,
        const GhloIrValue *value,
        GhloIrOpKind       kind)
{
  return is_inside (self, value) && value->op->kind == kind
         && (self->request != NULL || ghlo_ir_value_has_one_use (value)) ? value->op : NULL;
}

static gboolean
read_leaf (const Reader      *self,
           const GhloIrValue *value,
           Leaf              *leaf)
{
  guint operand;

  leaf->value = value;
  if (!ghlo_ir_type_is_numbers (value->type) || (value->op != NULL && value->op->kind != GHLO_OP_STABLEHLO_CONSTANT))
    return FALSE;
  if (self->request == NULL)
    {
      leaf->view = ghlo_step_dense_view (value->type, leaf->strides);
      return TRUE;
    }
  operand = ghlo_step_request_find_operand (self->request, value);
  if (operand >= self->request->n_operands)
    return FALSE;
  leaf->view = self->request->operands[operand];
  memcpy (leaf->strides, leaf->view.strides, leaf->view.rank * sizeof *leaf->strides);

  return TRUE;
}

static gboolean
has_dense_strides (const Leaf       *leaf,
                   const GhloIrType *type)
{
  const GhloView view = { .element_type = leaf->view.element_type, .rank = type->rank, .dimensions = type->dimensions,
                          .strides = leaf->strides };

  return ghlo_view_is_dense (&view);
}

/* Follows @value to its leaf. */
static gboolean
find_leaf (const Reader      *self,
           const GhloIrValue *value,
           guint              depth,
           Leaf              *leaf)
{
  const GhloIrOp *op = is_inside (self, value) ? value->op : NULL;
  const GhloIrValue *from = op != NULL && op->n_operands == 1 ? ghlo_ir_op_operand (op, 0) : NULL;
  gint64 strides[GHLO_MAX_RANK] = { 0 };
  const gint64 *places;
  gsize n;

  if (op == NULL)
    return read_leaf (self, value, leaf);
  if (from == NULL || depth == 0 || !find_leaf (self, from, depth - 1, leaf))
    return FALSE;
  switch (op->kind)
    {
    case GHLO_OP_STABLEHLO_CONVERT:
      return is_exact (from->type->element_type, value->type->element_type);
    case GHLO_OP_STABLEHLO_RESHAPE:
      if (!has_dense_strides (leaf, from->type))
        return FALSE;
      ghlo_shape_strides (value->type->dimensions, value->type->rank,
                          ghlo_element_info (leaf->view.element_type)->size, leaf->strides);
      return TRUE;
    case GHLO_OP_STABLEHLO_BROADCAST_IN_DIM:
      places = ghlo_ir_op_get_ints (op, "broadcast_dimensions", &n);
      for (gsize i = 0; i < n; i++)
        strides[places[i]] = from->type->dimensions[i] > 1 ? leaf->strides[i] : 0;
      memcpy (leaf->strides, strides, sizeof strides);
      return TRUE;
    default:
      return FALSE;
    }
}

/* Follows a factor, or the zero points, to a leaf. */
static gboolean
read_broadcast (const Reader      *self,
                const GhloIrValue *value,
                GhloCpuBroadcast  *broadcast)
{
  Leaf leaf;

  if (!find_leaf (self, value, MAX_DEPTH, &leaf))
    return FALSE;
  broadcast->operand = self->request != NULL ? ghlo_step_request_find_operand (self->request, leaf.value) : 0;
  broadcast->type = leaf.view.element_type;
  memcpy (broadcast->strides, leaf.strides, sizeof leaf.strides);

  return TRUE;
}

static gboolean
read_scales (const Reader      *self,
             const GhloIrValue *value,
             GhloCpuBroadcast  *scales)
{
  return read_broadcast (self, value, scales) && ghlo_element_type_is_float (scales->type);
}

/* The integers behind @value, and the difference that it is. Without a request, types may still be those of the
 * program, which become f32 in a fusion (passes/fuse/widen-floats.c). */
static gboolean
read_integers (Reader                *self,
               const GhloIrValue     *value,
               GhloCpuDequantization *integers,
               Leaf                  *leaf)
{
  const GhloIrOp *op = get_op (self, value, GHLO_OP_STABLEHLO_SUBTRACT);
  const GhloIrAttr *splat = op != NULL ? ghlo_ir_constant_get_splat (ghlo_ir_op_operand (op, 1)) : NULL;

  if (op != NULL)
    {
      const double zero = splat != NULL ? ghlo_ir_dense_get (splat, 0).f : 0;

      if (splat != NULL && (!ghlo_element_type_is_float (value->type->element_type) || zero != trunc (zero)
                            || fabs (zero) > MAX_ZERO))
        return FALSE;
      if (splat == NULL && (!read_broadcast (self, ghlo_ir_op_operand (op, 1), &integers->zeros)
                            || (self->request != NULL && value->type->element_type != GHLO_ELEMENT_TYPE_F32)))
        return FALSE;
      integers->zero = (gint64) zero;
      value = ghlo_ir_op_operand (op, 0);
    }

  self->conversion = value->op;

  return (self->request != NULL || ghlo_ir_value_has_one_use (value)) && is_inside (self, value)
         && find_leaf (self, value, MAX_DEPTH, leaf) && ghlo_element_type_is_integer (leaf->view.element_type)
         && ghlo_element_info (leaf->view.element_type)->bits <= MAX_BITS;
}

/* Skips a rounding to the type that both factors have been widened from: with excess precision, a product in that type
 * is one in f32. */
static const GhloIrValue *
skip_rounding (const Reader      *self,
               const GhloIrValue *value)
{
  const GhloIrOp *op = self->request != NULL ? get_op (self, value, GHLO_OP_STABLEHLO_CONVERT) : NULL;
  const GhloIrValue *wide = op != NULL ? ghlo_ir_op_operand (op, 0) : NULL;

  while (wide != NULL && wide->op != NULL && wide->op->kind == GHLO_OP_STABLEHLO_RESHAPE)
    wide = ghlo_ir_op_operand (wide->op, 0);
  if (wide == NULL || wide->op == NULL || wide->op->kind != GHLO_OP_STABLEHLO_MULTIPLY)
    return value;
  for (guint i = 0; i < 2; i++)
    {
      const GhloIrValue *factor = ghlo_ir_op_operand (wide->op, i);

      if (is_convert (factor) && ghlo_ir_op_operand (factor->op, 0)->type->element_type == value->type->element_type)
        return ghlo_ir_op_operand (op, 0);
    }

  return value;
}

/* Appends those of the @n dimensions of @shape that dimension @dimension of @type consists of. */
static gboolean
append_dimensions (const GhloIrType *type,
                   const GhloIrType *shape,
                   gint64            dimension,
                   guint            *numbers,
                   guint            *n)
{
  guint next = 0;

  for (gint64 i = 0; i <= dimension; i++)
    for (gint64 left = type->dimensions[i]; left > 1; )
      {
        if (next >= shape->rank || left % shape->dimensions[next] != 0)
          return FALSE;
        left /= shape->dimensions[next];
        if (i == dimension && shape->dimensions[next] > 1)
          numbers[(*n)++] = next;
        next++;
      }

  return TRUE;
}

/* Describes the integers with the shape of the operand. */
static gboolean
make_view (GhloCpuDequantization *self,
           const GhloIrType      *type,
           const GhloIrType      *shape,
           const Leaf            *leaf)
{
  for (guint i = 0; i < type->rank; i++)
    {
      guint numbers[GHLO_MAX_RANK], n = 0;

      if (!append_dimensions (type, shape, i, numbers, &n))
        return FALSE;
      for (guint k = 0; k + 1 < n; k++)
        if (leaf->strides[numbers[k]] != leaf->strides[numbers[k + 1]] * shape->dimensions[numbers[k + 1]])
          return FALSE;
      self->dimensions[i] = type->dimensions[i];
      self->strides[i] = n > 0 ? leaf->strides[numbers[n - 1]] : 0;
    }
  self->view = leaf->view;
  self->view.rank = type->rank;
  self->view.dimensions = self->dimensions;
  self->view.strides = self->strides;

  return TRUE;
}

/* Whether groups of the dimension @number of the shape share it. */
static gboolean
is_shared (const GhloCpuDequantization *self,
           guint                        number)
{
  return self->scales.strides[number] == 0 && self->zeros.strides[number] == 0;
}

static void
pick_strides (GhloCpuBroadcast *broadcast,
              const guint      *numbers,
              guint             n)
{
  gint64 all[GHLO_MAX_RANK];

  memcpy (all, broadcast->strides, sizeof all);
  for (guint i = 0; i < n; i++)
    broadcast->strides[i] = all[numbers[i]];
}

/* Sorts the dimensions of the shape into those of groups and of columns. */
static gboolean
find_groups (GhloCpuDequantization *self,
             const GhloIrOp        *product,
             guint                  operand,
             const GhloIrType      *shape)
{
  const GhloIrType *type = ghlo_ir_op_operand (product, operand)->type;
  guint numbers[GHLO_MAX_RANK], n = 0, n_k;
  GhloCpuDotNumbers dot;
  guint64 contracted = 0;

  if (!ghlo_cpu_dot_numbers_read (&dot, product) || dot.n_batch > 0)
    return FALSE;
  for (gsize i = 0; i < dot.n_contracted; i++)
    {
      const gint64 dimension = (operand == 0 ? dot.lhs_contracted : dot.rhs_contracted)[i];

      contracted |= (guint64) 1 << dimension;
      if (!append_dimensions (type, shape, dimension, numbers, &n))
        return FALSE;
    }
  n_k = n;
  self->group = 1;
  while (n > 0 && is_shared (self, numbers[n - 1]))
    self->group *= shape->dimensions[numbers[--n]];
  self->n_group_dimensions = n;
  for (guint i = 0; i < type->rank; i++)
    if ((contracted >> i & 1) == 0 && !append_dimensions (type, shape, i, numbers, &n))
      return FALSE;
  self->n_dimensions = n;
  for (guint i = 0; i < n; i++)
    self->sizes[i] = shape->dimensions[numbers[i]];
  pick_strides (&self->scales, numbers, n);
  pick_strides (&self->zeros, numbers, n);

  return n_k > 0 && (self->n_group_dimensions == 0 || self->group % GROUP_UNIT == 0);
}

/* Numbers that are far smaller than others lose bits that products in f32 keep: HIGHEST asks for those. */
static gboolean
is_product_of_floats (const GhloIrOp *op)
{
  const GhloIrAttr *precision = ghlo_ir_op_get (op, "precision_config");

  for (gsize i = 0; precision != NULL && i < precision->length; i++)
    if (precision->children[i]->integer >= PRECISION_HIGHEST)
      return FALSE;
  if (!ghlo_ir_type_is_numbers (op->results[0].type) || ghlo_ir_op_get (op, "algorithm") != NULL)
    return FALSE;
  for (guint i = 0; i < 3; i++)
    {
      const GhloIrType *type = i < 2 ? ghlo_ir_op_operand (op, i)->type : op->results[0].type;

      if (!ghlo_ir_type_is_numbers (type) || !ghlo_element_type_is_float (type->element_type)
          || type->element_type == GHLO_ELEMENT_TYPE_F64)
        return FALSE;
    }

  return TRUE;
}

static gboolean
read_operand (GhloCpuDequantization *self,
              const GhloIrOp        *product,
              guint                  operand,
              Reader                *reader)
{
  const GhloIrValue *value = ghlo_ir_op_operand (product, operand);
  const GhloIrOp *op;
  Leaf leaf;

  *self = (GhloCpuDequantization) { .weights = GHLO_STEP_NONE, .scales.operand = GHLO_STEP_NONE,
                                    .zeros.operand = GHLO_STEP_NONE };
  if (!is_product_of_floats (product))
    return FALSE;
  value = skip_rounding (reader, value);
  while ((op = get_op (reader, value, GHLO_OP_STABLEHLO_RESHAPE)) != NULL)
    value = ghlo_ir_op_operand (op, 0);
  value = skip_rounding (reader, value);
  op = get_op (reader, value, GHLO_OP_STABLEHLO_MULTIPLY);
  if (op != NULL)
    {
      const guint scale = read_scales (reader, ghlo_ir_op_operand (op, 1), &self->scales) ? 1 : 0;

      if ((reader->request != NULL && value->type->element_type != GHLO_ELEMENT_TYPE_F32)
          || (scale == 0 && !read_scales (reader, ghlo_ir_op_operand (op, 0), &self->scales))
          || !read_integers (reader, ghlo_ir_op_operand (op, 1 - scale), self, &leaf))
        return FALSE;
    }
  else if (!read_integers (reader, value, self, &leaf))
    return FALSE;
  self->type = leaf.view.element_type;
  if (reader->request != NULL)
    self->weights = ghlo_step_request_find_operand (reader->request, leaf.value);

  return make_view (self, ghlo_ir_op_operand (product, operand)->type, value->type, &leaf)
         && find_groups (self, product, operand, value->type);
}

gboolean
ghlo_cpu_dequantization_read (GhloCpuDequantization *self,
                              const GhloIrOp        *product,
                              guint                  operand,
                              const GhloStepRequest *request)
{
  Reader reader = { .block = product->block, .request = request };

  return read_operand (self, product, operand, &reader);
}

gboolean
ghlo_cpu_dequantization_pays (const GhloIrOp        *product,
                              guint                  operand,
                              const GhloIrOp *const *ops,
                              guint                  n_ops)
{
  g_autofree GhloCpuGemmProblem *problem = g_new (GhloCpuGemmProblem, 1);
  gboolean is_whole = ops == NULL;
  Reader reader = { .block = product->block };
  gint64 strides[2][GHLO_MAX_RANK];
  GhloView views[2], result;
  GhloCpuDequantization self;
  GhloCpuDotNumbers numbers;
  g_autoptr (GhloCpuGemm) gemm = NULL, stored = NULL;

  if (!read_operand (&self, product, operand, &reader))
    return FALSE;
  for (guint i = 0; i < n_ops; i++)
    is_whole = is_whole || ops[i] == reader.conversion;
  if (!is_whole)
    return FALSE;
  views[operand] = self.view;
  /* Where nothing is known of them yet, weights are those of a model. */
  views[operand].is_persistent = TRUE;
  views[1 - operand] = ghlo_step_dense_view (ghlo_ir_op_operand (product, 1 - operand)->type, strides[0]);
  result = ghlo_step_dense_view (product->results[0].type, strides[1]);
  if (!ghlo_cpu_dot_numbers_read (&numbers, product)
      || !ghlo_cpu_dot_general_read (problem, &numbers, &views[0], &views[1], &result, NULL))
    return FALSE;
  problem->dequantization = &self;
  problem->computes_lhs = operand == 0;
  gemm = ghlo_cpu_gemm_choose (problem, NULL);
  if (gemm == NULL || !ghlo_cpu_dot_read_dense (problem, product))
    return FALSE;
  stored = ghlo_cpu_gemm_choose (problem, NULL);

  /* Few rows read weights of four bits at any level, so that bits are the same. */
  return ghlo_cpu_gemm_get_rows (gemm) <= GHLO_CPU_MAX_VECTORS || stored == NULL
         || ghlo_cpu_gemm_nanoseconds (gemm) < ghlo_cpu_gemm_nanoseconds (stored)
                                               + STORE_TIME * (double) ghlo_view_count (&self.view);
}
