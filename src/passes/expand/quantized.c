/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jax-mps's calls for weights of 4 or 8 bits: words of 32 bits, of which the first holds the first numbers, in its
 * lowest bits, and a scale and a bias for each group of numbers along the last dimension.
 */

#include "passes/constant.h"
#include "passes/expand/check.h"
#include "passes/expand/config.h"
#include "passes/expand/expand.h"
#include "passes/expand/nn.h"
#include "passes/shapes.h"

enum { WORD_BITS = 32 };

typedef struct
{
  gint64   bits;
  gint64   group;               /* numbers that have a scale and a bias in common */
  gboolean transpose;
} Format;

static gboolean
format_read (Format          *self,
             GhloRewriter    *rewriter,
             const GhloIrOp  *op,
             gboolean         multiplies,
             char           **problem)
{
  const char *const names[] = { "group_size", "bits", multiplies ? "transpose" : NULL, NULL };
  GhloExpandConfig config;

  *self = (Format) { .bits = 4, .group = 64, .transpose = TRUE };
  if (!ghlo_expand_config_read (&config, rewriter->module, op, names, problem)
      || !ghlo_expand_config_integer (&config, "group_size", &self->group, problem)
      || !ghlo_expand_config_integer (&config, "bits", &self->bits, problem)
      || !ghlo_expand_config_boolean (&config, "transpose", &self->transpose, problem))
    return FALSE;
  if ((self->bits != 4 && self->bits != 8) || self->group <= 0 || self->group > G_MAXINT32
      || self->group * self->bits % WORD_BITS != 0)
    return ghlo_expand_refuse (problem, "expected 4 or 8 as 'bits', and whole words as 'group_size', found %"
                               G_GINT64_FORMAT " and %" G_GINT64_FORMAT, self->bits, self->group);

  return TRUE;
}

/* Whether @words, @scales and @biases are the parts of one tensor. */
static gboolean
check_parts (const Format      *self,
             const GhloIrType  *words,
             const GhloIrType  *scales,
             const GhloIrType  *biases,
             char             **problem)
{
  gint64 of_word = WORD_BITS / self->bits;

  if (words->rank > 0 && words->rank < GHLO_MAX_RANK && words->rank == scales->rank && ghlo_shape_equal (scales, biases)
      && words->element_type == GHLO_ELEMENT_TYPE_UI32 && ghlo_element_type_is_float (scales->element_type)
      && scales->element_type == biases->element_type
      && scales->dimensions[scales->rank - 1] <= G_MAXINT64 / self->group
      && words->dimensions[words->rank - 1] <= G_MAXINT64 / of_word
      && words->dimensions[words->rank - 1] * of_word == scales->dimensions[scales->rank - 1] * self->group)
    {
      guint i = 0;

      while (i + 1 < words->rank && words->dimensions[i] == scales->dimensions[i])
        i++;
      if (i + 1 == words->rank)
        return TRUE;
    }

  return ghlo_expand_refuse (problem, "expected words of ui32, and floats as a scale and a bias for each group of %"
                             G_GINT64_FORMAT " numbers", self->group);
}

/* The type with one dimension more, after the last one. */
static const GhloIrType *
with_last (GhloRewriter     *self,
           const GhloIrType *type,
           gint64            size)
{
  gint64 dimensions[GHLO_MAX_RANK];

  for (guint i = 0; i < type->rank; i++)
    dimensions[i] = type->dimensions[i];
  dimensions[type->rank] = size;

  return ghlo_make_type (self, type, dimensions, type->rank + 1);
}

/* The type with the last two dimensions merged. */
static const GhloIrType *
without_last (GhloRewriter     *self,
              const GhloIrType *type)
{
  gint64 dimensions[GHLO_MAX_RANK];

  for (guint i = 0; i + 1 < type->rank; i++)
    dimensions[i] = type->dimensions[i];
  dimensions[type->rank - 2] *= type->dimensions[type->rank - 1];

  return ghlo_make_type (self, type, dimensions, type->rank - 1);
}

/* Repeats each element along the last dimension. */
static GhloIrValue *
repeat (GhloRewriter *self,
        GhloIrValue  *value,
        gint64        times)
{
  const GhloIrType *type = with_last (self, value->type, times);
  gint64 dimensions[GHLO_MAX_RANK];

  for (guint i = 0; i < value->type->rank; i++)
    dimensions[i] = i;

  return ghlo_make_reshape (self, ghlo_make_broadcast (self, value, dimensions, type), without_last (self, type));
}

/* How far each number of a word lies from its lowest bit; of @type, whose last dimension counts the numbers. */
static GhloIrValue *
make_shifts (const Format     *self,
             GhloRewriter     *rewriter,
             const GhloIrType *type)
{
  const GhloIrNamedAttr dimension = { "iota_dimension", ghlo_ir_attr_i64 (rewriter->module, type->rank - 1) };

  return ghlo_expand_with (rewriter, GHLO_OP_STABLEHLO_MULTIPLY,
                           ghlo_make (rewriter, GHLO_OP_STABLEHLO_IOTA, type, NULL, 0, &dimension, 1),
                           (double) self->bits);
}

/* The numbers in f32. */
static GhloIrValue *
make_numbers (const Format *self,
              GhloRewriter *rewriter,
              GhloIrValue  *words,
              GhloIrValue  *scales,
              GhloIrValue  *biases)
{
  const GhloIrType *type = with_last (rewriter, words->type, WORD_BITS / self->bits);
  gint64 dimensions[GHLO_MAX_RANK];
  GhloIrValue *numbers;

  for (guint i = 0; i < words->type->rank; i++)
    dimensions[i] = i;
  numbers = ghlo_make_binary (rewriter, GHLO_OP_STABLEHLO_SHIFT_RIGHT_LOGICAL,
                              ghlo_make_broadcast (rewriter, words, dimensions, type),
                              make_shifts (self, rewriter, type));
  numbers = ghlo_expand_with (rewriter, GHLO_OP_STABLEHLO_AND, numbers, (double) ((1 << self->bits) - 1));
  numbers = ghlo_make_convert (rewriter, ghlo_make_reshape (rewriter, numbers, without_last (rewriter, type)),
                               GHLO_ELEMENT_TYPE_F32);
  scales = repeat (rewriter, ghlo_make_convert (rewriter, scales, GHLO_ELEMENT_TYPE_F32), self->group);
  biases = repeat (rewriter, ghlo_make_convert (rewriter, biases, GHLO_ELEMENT_TYPE_F32), self->group);

  return ghlo_make_binary (rewriter, GHLO_OP_STABLEHLO_ADD,
                           ghlo_make_binary (rewriter, GHLO_OP_STABLEHLO_MULTIPLY, numbers, scales), biases);
}

gboolean
ghlo_expand_mps_dequantize (GhloRewriter    *self,
                            const GhloIrOp  *op,
                            GhloIrValue    **results,
                            char           **problem)
{
  GhloIrValue *parts[3];
  Format format;

  if (!ghlo_expand_check_counts (op, 3, 3, 1, problem) || !format_read (&format, self, op, FALSE, problem))
    return FALSE;
  for (guint i = 0; i < 3; i++)
    parts[i] = ghlo_ir_op_operand (op, i);
  if (!check_parts (&format, parts[0]->type, parts[1]->type, parts[2]->type, problem))
    return FALSE;
  results[0] = make_numbers (&format, self, parts[0], parts[1], parts[2]);

  return TRUE;
}

gboolean
ghlo_expand_mps_quantized_matmul (GhloRewriter    *self,
                                  const GhloIrOp  *op,
                                  GhloIrValue    **results,
                                  char           **problem)
{
  GhloIrValue *parts[4], *weights;
  Format format;

  if (!ghlo_expand_check_counts (op, 4, 4, 1, problem) || !ghlo_expand_check_floats (op, 1, problem)
      || !format_read (&format, self, op, TRUE, problem))
    return FALSE;
  for (guint i = 0; i < 4; i++)
    parts[i] = ghlo_ir_op_operand (op, i);
  if (!check_parts (&format, parts[1]->type, parts[2]->type, parts[3]->type, problem))
    return FALSE;
  weights = make_numbers (&format, self, parts[1], parts[2], parts[3]);
  /* They are rounded as scales are, and then as the product's operands. */
  weights = ghlo_make_convert (self, ghlo_make_convert (self, weights, parts[2]->type->element_type),
                               parts[0]->type->element_type);
  if (!ghlo_expand_multiplies (parts[0]->type, weights->type, FALSE, format.transpose))
    return ghlo_expand_refuse (problem, "expected matrices to multiply as operands 0 and 1");
  results[0] = ghlo_expand_product (self, parts[0], weights, FALSE, format.transpose);

  return TRUE;
}
