/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attention is written as frameworks write it, so that it is fused as theirs is. With fewer groups than heads, heads
 * are two dimensions, groups and the heads of one group; the products have a batch dimension for the first of them.
 */

#include "passes/expand/attention.h"

#include <float.h>
#include <math.h>

#include "passes/expand/check.h"

/* The dimensions of keys and values. */
enum { BATCH, HEADS, POSITION, SIZE, RANK };

/* The number of dimensions of what is split by groups, between the batch dimensions and the last one. */
enum { SPLIT_RANK = 5 };

static gboolean
check_mask (GhloExpandAttention *self,
            GhloRewriter        *rewriter,
            char               **problem)
{
  const gint64 *q = self->queries->type->dimensions;
  const gint64 scores[RANK] = { q[BATCH], q[HEADS], q[POSITION], self->keys->type->dimensions[POSITION] };
  GhloElementType type = self->mask->type->element_type, wide = ghlo_expand_wide (self->queries->type->element_type);

  if (!ghlo_expand_broadcasts (self->mask->type, ghlo_make_type (rewriter, self->queries->type, scores, RANK))
      || (type != GHLO_ELEMENT_TYPE_I1 && !ghlo_element_type_is_float (type)))
    return ghlo_expand_refuse (problem, "expected booleans or floats as the mask, to be broadcast to %" G_GINT64_FORMAT
                               "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT, scores[BATCH],
                               scores[HEADS], scores[POSITION], scores[SIZE]);
  if (type != GHLO_ELEMENT_TYPE_I1)
    self->mask = ghlo_make_convert (rewriter, self->mask, wide);

  return TRUE;
}

gboolean
ghlo_expand_attention_check (GhloExpandAttention *self,
                             GhloRewriter        *rewriter,
                             char               **problem)
{
  const GhloIrType *queries = self->queries->type, *keys = self->keys->type, *values = self->values->type;
  const gint64 *q = queries->dimensions, *k = keys->dimensions, *v = values->dimensions;

  if (queries->rank != RANK || keys->rank != RANK || values->rank != RANK || q[BATCH] != k[BATCH]
      || q[BATCH] != v[BATCH] || k[HEADS] != v[HEADS] || k[HEADS] == 0 || q[HEADS] % k[HEADS] != 0
      || q[SIZE] != k[SIZE] || k[POSITION] != v[POSITION])
    return ghlo_expand_refuse (problem, "expected queries of batch x heads x positions x size, and keys and values for "
                               "the same batch, a divisor of the heads, and equal numbers of positions");
  /* Programs differ in which of them meet where there are more keys than queries. */
  if (self->causal && q[POSITION] != k[POSITION])
    return ghlo_expand_refuse (problem, "expected as many keys as queries with a causal mask, found %" G_GINT64_FORMAT
                               " and %" G_GINT64_FORMAT, k[POSITION], q[POSITION]);

  return self->mask == NULL || check_mask (self, rewriter, problem);
}

static gboolean
is_grouped (const GhloExpandAttention *self)
{
  return self->queries->type->dimensions[HEADS] != self->keys->type->dimensions[HEADS];
}

/* [batch, heads, …] to [batch, groups, heads of a group, …]. */
static GhloIrValue *
split_heads (const GhloExpandAttention *self,
             GhloRewriter              *rewriter,
             GhloIrValue               *value)
{
  const gint64 *from = value->type->dimensions;
  gint64 groups = self->keys->type->dimensions[HEADS];
  gint64 dimensions[SPLIT_RANK] = { from[BATCH], groups, from[HEADS] / groups, from[POSITION], from[SIZE] };

  return is_grouped (self) ? ghlo_make_reshape (rewriter, value, ghlo_make_type (rewriter, value->type, dimensions,
                                                                                 SPLIT_RANK)) : value;
}

static GhloIrValue *
join_heads (GhloRewriter *rewriter,
            GhloIrValue  *value)
{
  const gint64 *from = value->type->dimensions;
  gint64 dimensions[RANK];

  if (value->type->rank == RANK)
    return value;
  dimensions[BATCH] = from[0];
  dimensions[HEADS] = from[1] * from[2];
  dimensions[POSITION] = from[3];
  dimensions[SIZE] = from[4];

  return ghlo_make_reshape (rewriter, value, ghlo_make_type (rewriter, value->type, dimensions, RANK));
}

/* Sums products of what has a last dimension in common, or the second-last one of @rhs. */
static GhloIrValue *
multiply (const GhloExpandAttention *self,
          GhloRewriter              *rewriter,
          GhloIrValue               *lhs,
          GhloIrValue               *rhs,
          gint64                     rhs_summed)
{
  GhloIrValue *split = split_heads (self, rewriter, lhs);
  gint64 last = split->type->rank - 1;

  return join_heads (rewriter, ghlo_expand_dot (rewriter, split, rhs, 2, &last, &rhs_summed, 1,
                                                ghlo_expand_wide (lhs->type->element_type)));
}

/* −infinity where the key lies behind the query, else 0; of the type of the scores. */
static GhloIrValue *
make_causal_mask (GhloRewriter     *rewriter,
                  const GhloIrType *scores)
{
  const GhloIrType *integers = ghlo_make_type_of (rewriter, GHLO_ELEMENT_TYPE_I32, scores);
  const GhloIrType *booleans = ghlo_make_type_of (rewriter, GHLO_ELEMENT_TYPE_I1, scores);
  GhloIrValue *places[2], *choices[3];
  const GhloIrNamedAttr order = {
    "comparison_direction", ghlo_ir_attr_enum (rewriter->module, GHLO_IR_ENUM_COMPARISON_DIRECTION,
                                               ghlo_ir_enum_from_word (GHLO_IR_ENUM_COMPARISON_DIRECTION, "GE")),
  };

  for (guint i = 0; i < 2; i++)
    places[i] = ghlo_make (rewriter, GHLO_OP_STABLEHLO_IOTA, integers, NULL, 0,
                           &(GhloIrNamedAttr) { "iota_dimension", ghlo_ir_attr_i64 (rewriter->module, POSITION + i) },
                           1);
  choices[0] = ghlo_make (rewriter, GHLO_OP_STABLEHLO_COMPARE, booleans, places, 2, &order, 1);
  choices[1] = ghlo_make_number (rewriter, scores, 0);
  choices[2] = ghlo_make_number (rewriter, scores, -INFINITY);

  return ghlo_make (rewriter, GHLO_OP_STABLEHLO_SELECT, scores, choices, 3, NULL, 0);
}

/* Where all keys of a query are masked by booleans, they have equal weights. */
static GhloIrValue *
apply_mask (const GhloExpandAttention *self,
            GhloRewriter              *rewriter,
            GhloIrValue               *scores)
{
  double least = scores->type->element_type == GHLO_ELEMENT_TYPE_F64 ? -DBL_MAX : -FLT_MAX;
  GhloIrValue *mask = ghlo_expand_broadcast (rewriter, self->mask, scores->type);

  if (mask->type->element_type != GHLO_ELEMENT_TYPE_I1)
    return ghlo_make_binary (rewriter, GHLO_OP_STABLEHLO_ADD, scores, mask);

  return ghlo_make (rewriter, GHLO_OP_STABLEHLO_SELECT, scores->type,
                    (GhloIrValue *[]) { mask, scores, ghlo_make_number (rewriter, scores->type, least) }, 3, NULL, 0);
}

/* The weights of the keys, [batch, heads, T, S]. */
static GhloIrValue *
make_weights (const GhloExpandAttention *self,
              GhloRewriter              *rewriter)
{
  GhloIrValue *scores = multiply (self, rewriter, self->queries, self->keys, SIZE);

  if (self->scale != 1)
    scores = ghlo_expand_with (rewriter, GHLO_OP_STABLEHLO_MULTIPLY, scores, self->scale);
  if (self->mask != NULL)
    scores = apply_mask (self, rewriter, scores);
  if (self->causal)
    scores = ghlo_make_binary (rewriter, GHLO_OP_STABLEHLO_ADD, scores, make_causal_mask (rewriter, scores->type));

  return ghlo_expand_softmax (rewriter, scores, SIZE);
}

GhloIrValue *
ghlo_expand_attention (const GhloExpandAttention *self,
                       GhloRewriter              *rewriter)
{
  GhloIrValue *weights = make_weights (self, rewriter);

  return multiply (self, rewriter,
                   ghlo_make_convert (rewriter, weights, self->values->type->element_type), self->values, POSITION);
}

/* Σ over the heads of a group and over T, of products of @weights, [batch, heads, T, S], and @other,
 * [batch, heads, T, size]. */
static GhloIrValue *
sum_over_queries (const GhloExpandAttention *self,
                  GhloRewriter              *rewriter,
                  GhloIrValue               *weights,
                  GhloIrValue               *other)
{
  static const gint64 summed[] = { 2, 3 };

  return ghlo_expand_dot (rewriter, split_heads (self, rewriter, weights), split_heads (self, rewriter, other), 2,
                          summed, summed, is_grouped (self) ? 2 : 1, weights->type->element_type);
}

/* With weights w of scores s, and values v: dv = Σ w dy, dw = dy v, ds = w (dw − Σ w dw). */
void
ghlo_expand_attention_gradients (const GhloExpandAttention *self,
                                 GhloRewriter              *rewriter,
                                 GhloIrValue               *gradient,
                                 GhloIrValue               *gradients[3])
{
  GhloIrValue *weights = make_weights (self, rewriter);
  GhloIrValue *of_weights = multiply (self, rewriter, gradient, self->values, SIZE);
  GhloIrValue *products = ghlo_make_binary (rewriter, GHLO_OP_STABLEHLO_MULTIPLY, weights, of_weights);
  gint64 last = SIZE;
  GhloIrValue *of_scores;
  GhloExpandAxes axes;

  ghlo_expand_axes_init (&axes, weights->type, &last, 1);
  of_scores = ghlo_make_binary (rewriter, GHLO_OP_STABLEHLO_MULTIPLY, weights,
                                ghlo_expand_with_rows (rewriter, GHLO_OP_STABLEHLO_SUBTRACT, of_weights,
                                                       ghlo_expand_sum (rewriter, products, &axes), &axes));
  of_scores = ghlo_expand_with (rewriter, GHLO_OP_STABLEHLO_MULTIPLY, of_scores, self->scale);
  gradients[0] = multiply (self, rewriter, of_scores, self->keys, POSITION);
  gradients[1] = sum_over_queries (self, rewriter, of_scores, self->queries);
  gradients[2] = sum_over_queries (self, rewriter, weights, gradient);
}
