/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counts operations and bytes. A table says how operations count; of those without a row, elementwise ones count once
 * for each element of the result, and others only move data or are free.
 */

#include "ir/cost.h"

#include <math.h>
#include <string.h>

#include "base/element.h"
#include "base/sizes.h"
#include "ir/loop.h"

typedef struct
{
  GhloIrCost *cost;
  guint       depth;       /* of calls and regions */
} Counting;

static void count_region (Counting           *self,
                          const GhloIrRegion *region,
                          double              times);

/* The number of elements of a tensor; 0 for any other type. Unknown dimensions count as 1. */
static double
n_elements (Counting         *self,
            const GhloIrType *type)
{
  double n = 1;

  if (type->kind != GHLO_IR_TYPE_TENSOR)
    return 0;
  for (guint i = 0; i < type->rank; i++)
    {
      gint64 size = type->dimensions[i] >= 0 ? type->dimensions[i]
                    : type->bounds != NULL && type->bounds[i] >= 0 ? type->bounds[i] : 1;

      self->cost->exact &= type->dimensions[i] >= 0;
      n *= (double) size;
    }

  return n;
}

static double
n_bytes (Counting         *self,
         const GhloIrType *type)
{
  double n = 0;

  if (type->kind == GHLO_IR_TYPE_TUPLE)
    {
      for (guint i = 0; i < type->rank; i++)
        n += n_bytes (self, type->members[i]);
      return n;
    }

  return n_elements (self, type) * ghlo_element_info (type->element_type)->size;
}

gboolean
ghlo_ir_op_reads_part (const GhloIrOp *op,
                       guint           operand)
{
  return operand == 0
         && (op->kind == GHLO_OP_STABLEHLO_SLICE || op->kind == GHLO_OP_STABLEHLO_DYNAMIC_SLICE
             || op->kind == GHLO_OP_STABLEHLO_GATHER);
}

/* The bytes that must be read of an input: all, unless only slices of it are used. */
static double
input_bytes (Counting          *self,
             const GhloIrValue *input)
{
  double all = n_bytes (self, input->type), cut = 0;

  for (const GhloIrUse *use = input->uses; use != NULL; use = use->next)
    {
      if (!ghlo_ir_op_reads_part (use->op, (guint) (use - use->op->operands)))
        return all;
      cut += n_bytes (self, use->op->results[0].type);
    }

  return MIN (all, cut);
}

static double
result_elements (Counting       *self,
                 const GhloIrOp *op)
{
  return op->n_results > 0 ? n_elements (self, op->results[0].type) : 0;
}

static double
operand_elements (Counting       *self,
                  const GhloIrOp *op,
                  guint           index)
{
  return n_elements (self, ghlo_ir_op_operand (op, index)->type);
}

static void
count_elementwise (Counting       *self,
                   const GhloIrOp *op,
                   double          times)
{
  self->cost->scalar_operations += times * result_elements (self, op);
}

/* One multiply-add for each element of the result and each combination of contracted indices. */
static void
count_dot (Counting       *self,
           const GhloIrOp *op,
           double          times)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dot_dimension_numbers");
  const GhloIrType *lhs = ghlo_ir_op_operand (op, 0)->type;
  gsize n = 0;
  const gint64 *contracted = numbers != NULL ? ghlo_ir_struct_get_dims (numbers, "lhs_contracting_dimensions", &n)
                                             : NULL;
  double depth = 1;

  for (gsize i = 0; i < n; i++)
    depth *= (double) MAX (lhs->dimensions[contracted[i]], 1);
  if (numbers == NULL && lhs->rank > 0)
    depth = (double) MAX (lhs->dimensions[lhs->rank - 1], 1);
  self->cost->product_operations += 2 * times * depth * result_elements (self, op);
}

/* Each element of the result takes one multiply-add for each kernel element of one output feature. */
static void
count_convolution (Counting       *self,
                   const GhloIrOp *op,
                   double          times)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dimension_numbers");
  gint64 feature = ghlo_ir_struct_get_int (numbers, "kernel_output_feature_dimension");
  const GhloIrType *kernel = ghlo_ir_op_operand (op, 1)->type;
  double features = (double) MAX (kernel->dimensions[feature], 1);

  self->cost->product_operations += 2 * times * result_elements (self, op) * operand_elements (self, op, 1) / features;
}

/* The body runs for each element of the operand. */
static void
count_per_operand (Counting       *self,
                   const GhloIrOp *op,
                   double          times)
{
  count_region (self, &op->regions[0], times * operand_elements (self, op, 0));
}

/* The body runs for each element of the updates. */
static void
count_scatter (Counting       *self,
               const GhloIrOp *op,
               double          times)
{
  count_region (self, &op->regions[0], times * operand_elements (self, op, op->n_operands - 1));
}

/* For each element of the result the body runs for each position in the window, or less often where neighbours share
 * partial results: a window of twice the size takes one more than two windows. Cumulative sums are such windows. */
static void
count_window (Counting       *self,
              const GhloIrOp *op,
              double          times)
{
  double positions = 1, doublings = 1;
  gsize n;
  g_autofree gint64 *window = ghlo_ir_op_dup_ints (op, "window_dimensions", &n);

  for (gsize i = 0; i < n; i++)
    {
      positions *= (double) window[i];
      doublings += ceil (log2 ((double) MAX (window[i], 1)));
    }
  count_region (self, &op->regions[0], times * MIN (positions, doublings) * result_elements (self, op));
}

/* The comparator runs n log2 n times along the dimension. */
static void
count_sort (Counting       *self,
            const GhloIrOp *op,
            double          times)
{
  const GhloIrType *type = ghlo_ir_op_operand (op, 0)->type;
  gint64 dimension = ghlo_ir_op_get_int (op, "dimension", -1);
  double length;

  if (type->rank == 0)
    return;
  length = (double) MAX (type->dimensions[dimension < 0 ? dimension + type->rank : dimension], 2);
  count_region (self, &op->regions[0], times * operand_elements (self, op, 0) * log2 (length));
}

/* Each element of the operand is compared once. */
static void
count_top_k (Counting       *self,
             const GhloIrOp *op,
             double          times)
{
  self->cost->scalar_operations += times * operand_elements (self, op, 0);
}

/* Operations on words of 32 bits. Threefry makes two words in 20 rounds of an addition, a rotation and an exclusive or,
 * with additions of the key; Philox makes four in 10 rounds of two long multiplications. */
static void
count_random_bits (Counting       *self,
                   const GhloIrOp *op,
                   double          times)
{
  const char *algorithm = ghlo_ir_enum_word (ghlo_ir_op_get (op, "rng_algorithm"));
  const GhloIrType *type = op->results[op->n_results - 1].type;
  gboolean threefry = strcmp (algorithm, "THREE_FRY") == 0;

  self->cost->scalar_operations += times * (threefry ? 57 : 25) * n_bytes (self, type) / 4;
}

/* Cooley and Tukey's 5 n log2 n for each transform. */
static void
count_fft (Counting       *self,
           const GhloIrOp *op,
           double          times)
{
  gsize n;
  g_autofree gint64 *lengths = ghlo_ir_op_dup_ints (op, "fft_length", &n);
  double length = 1;

  for (gsize i = 0; i < n; i++)
    length *= (double) MAX (lengths[i], 1);
  self->cost->scalar_operations += times * 5 * operand_elements (self, op, 0) * log2 (MAX (length, 2));
}

/* n³/3 operations for each matrix; a triangular solve below takes n² for each right-hand side. */
static void
count_cholesky (Counting       *self,
                const GhloIrOp *op,
                double          times)
{
  const GhloIrType *type = ghlo_ir_op_operand (op, 0)->type;

  self->cost->product_operations += times * result_elements (self, op) * (double) type->dimensions[type->rank - 1] / 3;
}

static void
count_triangular_solve (Counting       *self,
                        const GhloIrOp *op,
                        double          times)
{
  const GhloIrType *type = ghlo_ir_op_operand (op, 0)->type;

  self->cost->product_operations += times * result_elements (self, op) * (double) type->dimensions[type->rank - 1];
}

static void
count_while (Counting       *self,
             const GhloIrOp *op,
             double          times)
{
  GhloIrCountedLoop counted;
  gboolean known = ghlo_ir_counted_loop (op, &counted) && counted.start_known;
  double trips = known ? (double) counted.trips : 1;

  self->cost->exact &= known;
  count_region (self, &op->regions[0], times * (trips + 1));
  count_region (self, &op->regions[1], times * trips);
}

static double
total (const GhloIrCost *cost)
{
  return cost->product_operations + cost->scalar_operations;
}

/* The most expensive branch counts. */
static void
count_branches (Counting       *self,
                const GhloIrOp *op,
                double          times)
{
  const GhloIrCost before = *self->cost;
  GhloIrCost dearest = before;

  for (guint i = 0; i < op->n_regions; i++)
    {
      *self->cost = before;
      count_region (self, &op->regions[i], times);
      if (total (self->cost) > total (&dearest))
        dearest = *self->cost;
    }
  *self->cost = dearest;
}

static void
count_call (Counting       *self,
            const GhloIrOp *op,
            double          times)
{
  const GhloIrAttr *name = ghlo_ir_op_get (op, op->kind == GHLO_OP_FUNC_CALL ? "callee" : "decomposition");
  const GhloIrOp *function = name != NULL ? ghlo_ir_op_find_symbol (op, name->text) : NULL;

  if (function == NULL || function->kind != GHLO_OP_FUNC_FUNC)
    {
      self->cost->exact = FALSE;
      return;
    }
  count_region (self, &function->regions[0], times);
}

typedef void (*Count) (Counting       *self,
                       const GhloIrOp *op,
                       double          times);

static const Count counts[GHLO_N_OPS] = {
  [GHLO_OP_STABLEHLO_DOT_GENERAL] = count_dot,
  [GHLO_OP_STABLEHLO_DOT] = count_dot,
  [GHLO_OP_STABLEHLO_CONVOLUTION] = count_convolution,
  [GHLO_OP_STABLEHLO_DYNAMIC_CONV] = count_convolution,
  [GHLO_OP_STABLEHLO_REDUCE] = count_per_operand,
  [GHLO_OP_STABLEHLO_MAP] = count_per_operand,
  [GHLO_OP_STABLEHLO_SELECT_AND_SCATTER] = count_per_operand,
  [GHLO_OP_STABLEHLO_SCATTER] = count_scatter,
  [GHLO_OP_STABLEHLO_REDUCE_WINDOW] = count_window,
  [GHLO_OP_STABLEHLO_SORT] = count_sort,
  [GHLO_OP_CHLO_TOP_K] = count_top_k,
  [GHLO_OP_STABLEHLO_RNG_BIT_GENERATOR] = count_random_bits,
  [GHLO_OP_STABLEHLO_FFT] = count_fft,
  [GHLO_OP_STABLEHLO_CHOLESKY] = count_cholesky,
  [GHLO_OP_STABLEHLO_TRIANGULAR_SOLVE] = count_triangular_solve,
  [GHLO_OP_STABLEHLO_WHILE] = count_while,
  [GHLO_OP_STABLEHLO_IF] = count_branches,
  [GHLO_OP_STABLEHLO_CASE] = count_branches,
  [GHLO_OP_FUNC_CALL] = count_call,
  [GHLO_OP_STABLEHLO_COMPOSITE] = count_call,
};

static void
count_op (Counting       *self,
          const GhloIrOp *op,
          double          times)
{
  if (counts[op->kind] != NULL)
    counts[op->kind] (self, op, times);
  else if (ghlo_ir_op_get_spec (op)->traits & (GHLO_IR_TRAIT_ELEMENTWISE | GHLO_IR_TRAIT_BROADCASTS_SCALARS))
    count_elementwise (self, op, times);
}

static void
count_region (Counting           *self,
              const GhloIrRegion *region,
              double              times)
{
  if (self->depth >= GHLO_MAX_STEP_NESTING)
    {
      self->cost->exact = FALSE;
      return;
    }
  self->depth++;
  for (const GhloIrBlock *block = region->first; block != NULL; block = block->next)
    for (const GhloIrOp *op = block->first; op != NULL; op = op->next)
      {
        const GhloIrAttr *value = op->kind == GHLO_OP_STABLEHLO_CONSTANT ? ghlo_ir_op_get (op, "value") : NULL;

        count_op (self, op, times);
        if (value != NULL && value->kind == GHLO_IR_ATTR_DENSE)
          self->cost->bytes += (double) g_bytes_get_size (value->dense.bytes);
      }
  self->depth--;
}

void
ghlo_ir_cost_add (GhloIrCost     *cost,
                  const GhloIrOp *op)
{
  Counting self = { .cost = cost };

  count_op (&self, op, 1);
}

void
ghlo_ir_cost (const GhloIrOp *function,
              GhloIrCost     *cost)
{
  Counting self = { .cost = cost };
  const GhloIrType *type = ghlo_ir_op_get (function, "function_type")->type;
  const GhloIrBlock *body = ghlo_ir_func_get_body (function);

  *cost = (GhloIrCost) { .exact = TRUE };
  for (guint i = 0; body != NULL && i < body->n_arguments; i++)
    cost->bytes += input_bytes (&self, body->arguments[i]);
  for (guint i = 0; i < type->n_results; i++)
    cost->bytes += n_bytes (&self, type->members[type->rank + i]);
  count_region (&self, &function->regions[0], 1);
}
