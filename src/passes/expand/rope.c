/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rotary position embedding, and jax-mps's call for it, whose angles are made here.
 */

#include "passes/expand/rope.h"

#include <math.h>

#include "passes/constant.h"
#include "passes/expand/check.h"
#include "passes/expand/config.h"
#include "passes/expand/expand.h"
#include "passes/shapes.h"

#define MUL GHLO_OP_STABLEHLO_MULTIPLY

/* Puts the elements of two values alternately. */
static GhloIrValue *
interleave (GhloRewriter *self,
            GhloIrValue  *first,
            GhloIrValue  *second)
{
  guint rank = first->type->rank;
  GhloIrValue *columns[] = { first, second }, *pairs;
  gint64 dimensions[GHLO_MAX_RANK];

  g_assert (rank > 0);
  for (guint i = 0; i < rank; i++)
    dimensions[i] = first->type->dimensions[i];
  dimensions[rank] = 1;
  for (guint i = 0; i < 2; i++)
    columns[i] = ghlo_make_reshape (self, columns[i], ghlo_make_type (self, first->type, dimensions, rank + 1));
  pairs = ghlo_expand_concatenate (self, columns, 2, rank);
  dimensions[rank - 1] *= 2;

  return ghlo_make_reshape (self, pairs, ghlo_make_type (self, first->type, dimensions, rank));
}

GhloIrValue *
ghlo_expand_rotate (GhloRewriter *self,
                    GhloIrValue  *x,
                    GhloIrValue  *cosines,
                    GhloIrValue  *sines,
                    gboolean      neighbours)
{
  gint64 n = cosines->type->dimensions[cosines->type->rank - 1], size = x->type->dimensions[x->type->rank - 1];
  GhloIrValue *a = ghlo_expand_slice_last (self, x, 0, neighbours ? 2 * n : n, neighbours ? 2 : 1);
  GhloIrValue *b = ghlo_expand_slice_last (self, x, neighbours ? 1 : n, 2 * n, neighbours ? 2 : 1);
  GhloIrValue *parts[3], *rotated;

  parts[0] = ghlo_make_binary (self, GHLO_OP_STABLEHLO_SUBTRACT, ghlo_expand_with_broadcast (self, MUL, a, cosines),
                               ghlo_expand_with_broadcast (self, MUL, b, sines));
  parts[1] = ghlo_make_binary (self, GHLO_OP_STABLEHLO_ADD, ghlo_expand_with_broadcast (self, MUL, b, cosines),
                               ghlo_expand_with_broadcast (self, MUL, a, sines));
  if (size > 2 * n)
    parts[2] = ghlo_expand_slice_last (self, x, 2 * n, size, 1);
  if (!neighbours)
    return ghlo_expand_concatenate (self, parts, size > 2 * n ? 3 : 2, x->type->rank - 1);

  rotated = interleave (self, parts[0], parts[1]);

  return size > 2 * n ? ghlo_expand_concatenate (self, (GhloIrValue *[]) { rotated, parts[2] }, 2, x->type->rank - 1)
                      : rotated;
}

typedef struct
{
  gint64   n;                   /* pairs to be rotated */
  gboolean neighbours;
  double   base;
  double   scale;
} Rope;

static gboolean
rope_read (Rope            *self,
           GhloRewriter    *rewriter,
           const GhloIrOp  *op,
           char           **problem)
{
  static const char *const names[] = { "dims", "traditional", "base", "rope_scale", NULL };
  const GhloIrType *x = ghlo_ir_op_operand (op, 0)->type, *offset = ghlo_ir_op_operand (op, 1)->type;
  GhloExpandConfig config;
  gint64 dimensions = 0;

  *self = (Rope) { .base = 10000, .scale = 1 };
  if (!ghlo_expand_config_read (&config, rewriter->module, op, names, problem)
      || !ghlo_expand_config_integer (&config, "dims", &dimensions, problem)
      || !ghlo_expand_config_boolean (&config, "traditional", &self->neighbours, problem)
      || !ghlo_expand_config_real (&config, "base", &self->base, problem)
      || !ghlo_expand_config_real (&config, "rope_scale", &self->scale, problem))
    return FALSE;
  if (x->rank < 2 || x->rank == GHLO_MAX_RANK || dimensions <= 0 || dimensions % 2 != 0
      || dimensions > x->dimensions[x->rank - 1])
    return ghlo_expand_refuse (problem, "expected positions and a size as the last dimensions of operand 0, and an "
                               "even number of elements to rotate up to that size as 'dims', found %" G_GINT64_FORMAT,
                               dimensions);
  if (!ghlo_type_is_integer (offset) || offset->rank != 0)
    return ghlo_expand_refuse (problem, "expected an integer as operand 1");
  self->n = dimensions / 2;

  return TRUE;
}

/* The angle of each position and pair: (position + offset) scale / base^(pair / n), in f32. */
static GhloIrValue *
make_angles (const Rope   *self,
             GhloRewriter *rewriter,
             GhloIrValue  *x,
             GhloIrValue  *offset)
{
  const gint64 shape[] = { x->type->dimensions[x->type->rank - 2], self->n }, row = 1;
  const GhloIrType *element = ghlo_ir_type_element (rewriter->module, GHLO_ELEMENT_TYPE_F32);
  const GhloIrType *type = ghlo_ir_type_tensor (rewriter->module, element, shape, 2, NULL, NULL);
  const GhloIrType *vector = ghlo_ir_type_tensor (rewriter->module, element, &self->n, 1, NULL, NULL);
  float *rates = g_new (float, self->n);
  GhloIrValue *places = ghlo_make (rewriter, GHLO_OP_STABLEHLO_IOTA, type, NULL, 0,
                                   &(GhloIrNamedAttr) { "iota_dimension", ghlo_ir_attr_i64 (rewriter->module, 0) }, 1);
  GhloIrValue *constant;

  for (gint64 i = 0; i < self->n; i++)
    rates[i] = (float) pow (self->base, -(double) i / (double) self->n);
  constant = ghlo_make_constant (rewriter, ghlo_ir_attr_dense (rewriter->module, vector,
                                                               g_bytes_new_take (rates, self->n * sizeof *rates),
                                                               FALSE, NULL));
  offset = ghlo_make_broadcast (rewriter, ghlo_make_convert (rewriter, offset, GHLO_ELEMENT_TYPE_F32), NULL, type);
  places = ghlo_expand_with (rewriter, MUL, ghlo_make_binary (rewriter, GHLO_OP_STABLEHLO_ADD, places, offset),
                             self->scale);

  return ghlo_make_binary (rewriter, MUL, places, ghlo_make_broadcast (rewriter, constant, &row, type));
}

/* The gradient is rotated back. */
static GhloIrValue *
apply_rope (const Rope     *self,
            GhloRewriter   *rewriter,
            const GhloIrOp *op,
            guint           index,
            gboolean        back)
{
  GhloIrValue *x = ghlo_expand_operand (rewriter, op, index);
  GhloIrValue *angles = make_angles (self, rewriter, x, ghlo_ir_op_operand (op, 1));
  GhloIrValue *sines = ghlo_make_unary (rewriter, GHLO_OP_STABLEHLO_SINE, angles);
  GhloIrValue *cosines = ghlo_make_unary (rewriter, GHLO_OP_STABLEHLO_COSINE, angles);

  if (back)
    sines = ghlo_make_unary (rewriter, GHLO_OP_STABLEHLO_NEGATE, sines);

  return ghlo_expand_rotate (rewriter, x, ghlo_make_convert (rewriter, cosines, x->type->element_type),
                             ghlo_make_convert (rewriter, sines, x->type->element_type), self->neighbours);
}

gboolean
ghlo_expand_mps_rope (GhloRewriter    *self,
                      const GhloIrOp  *op,
                      GhloIrValue    **results,
                      char           **problem)
{
  Rope rope;

  if (!ghlo_expand_check_counts (op, 2, 2, 1, problem) || !ghlo_expand_check_floats (op, 1, problem)
      || !rope_read (&rope, self, op, problem))
    return FALSE;
  results[0] = apply_rope (&rope, self, op, 0, FALSE);

  return TRUE;
}

gboolean
ghlo_expand_mps_rope_bwd (GhloRewriter    *self,
                          const GhloIrOp  *op,
                          GhloIrValue    **results,
                          char           **problem)
{
  Rope rope;

  if (!ghlo_expand_check_counts (op, 3, 3, 1, problem) || !ghlo_expand_check_floats (op, 1, problem)
      || !rope_read (&rope, self, op, problem))
    return FALSE;
  if (!ghlo_element_type_is_float (ghlo_ir_op_operand (op, 2)->type->element_type)
      || !ghlo_shape_equal (ghlo_ir_op_operand (op, 2)->type, ghlo_ir_op_operand (op, 0)->type))
    return ghlo_expand_refuse (problem, "expected a gradient of the shape of operand 0 as operand 2");
  results[0] = apply_rope (&rope, self, op, 2, TRUE);

  return TRUE;
}
