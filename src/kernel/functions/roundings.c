/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Roundings of f32 to bf16, with which every operation of a bf16 program ends: TO_BF16 followed by FROM_BF16. The
 * number stays f32 throughout. Where a NaN result would reveal that it went wrong, a faster rounding may be used.
 */

#include "kernel/functions/vocabulary.h"

#include <math.h>
#include <string.h>

#define F32  GHLO_ELEMENT_TYPE_F32
#define UI16 GHLO_ELEMENT_TYPE_UI16

enum { HALF = 16, UPPER_HALF = 0xffff0000 };

guint
ghlo_expand_round_bf16 (Builder         *b,
                        GhloElementType  type,
                        const guint     *operands)
{
  guint x = operands[0], bits = bits_of (b, x), is_odd = and_bits (b, right_by (b, bits, HALF), 1);

  bits = add (b, add (b, bits, whole (b, bits, 0x7fff)), is_odd);

  return choose (b, unequal (b, x, x), x, float_of (b, and_bits (b, bits, UPPER_HALF)));
}

/* Veltkamp's splitting, from Dekker, "A floating-point technique for extending the available precision" (1971). It
 * keeps 8 of 24 bits, rounds halves to even (test-kernel-roundings tests all mantissas), and keeps the sign of a zero.
 * Where the product overflows, and for infinities, it computes infinity minus infinity. */
guint
ghlo_expand_round_bf16_fast (Builder         *b,
                             GhloElementType  type,
                             const guint     *operands)
{
  guint x = operands[0], product = multiply_real (b, x, (1 << HALF) + 1);

  return subtract (b, product, subtract (b, product, x));
}

/* The same for a product of two bf16 numbers. Both the product and 2^16 + 1 times one of the factors, whose 8 bits then
 * occur twice, are exact. The first multiplication uses the latter in place of the factor, the second one is an FMA,
 * and the product itself is never computed. */
guint
ghlo_expand_round_product_fast (Builder         *b,
                                GhloElementType  type,
                                const guint     *operands)
{
  guint x = operands[0], split = operands[1], minus = operands[2], product = multiply (b, x, split);

  return subtract (b, product, multiply_add (b, x, minus, product));
}

guint
ghlo_expand_upper_half (Builder         *b,
                        GhloElementType  type,
                        const guint     *operands)
{
  return convert (b, UI16, right_by (b, bits_of (b, operands[0]), HALF));
}

gboolean
ghlo_expand_is_rounding (const GhloKernel     *kernel,
                         const GhloKernelNode *node)
{
  const GhloKernelNode *narrow = node->kind == GHLO_NODE_FROM_BF16 ? &kernel->nodes[node->operands[0]] : NULL;

  return narrow != NULL && narrow->kind == GHLO_NODE_TO_BF16 && ghlo_kernel_operand_type (kernel, narrow) == F32;
}

/* A bf16 number times a power of two is a bf16 number, unless it is subnormal. */
gboolean
ghlo_expand_is_scaled (const GhloKernel *kernel,
                       guint             number)
{
  const GhloKernelNode *node = &kernel->nodes[number];

  for (guint i = 0; i < 2 && node->kind == GHLO_NODE_MULTIPLY && node->type == F32; i++)
    {
      const GhloKernelNode *constant = &kernel->nodes[node->operands[i]];
      int exponent;

      if (constant->kind == GHLO_NODE_CONSTANT && kernel->nodes[node->operands[1 - i]].kind == GHLO_NODE_FROM_BF16
          && fabs (frexp (ghlo_float_from_bits (F32, constant->bits), &exponent)) == 0.5)
        return TRUE;
    }

  return FALSE;
}

/* A constant with few significant bits is a bf16 number, too. */
static gboolean
is_number_of_bf16 (const GhloKernelNode *node)
{
  return node->kind == GHLO_NODE_FROM_BF16 || (node->kind == GHLO_NODE_CONSTANT && (node->bits & ~UPPER_HALF) == 0);
}

static gboolean
is_of_bf16 (const GhloKernel *kernel,
            guint             number,
            GhloNodeKind      kind)
{
  const GhloKernelNode *node = &kernel->nodes[number];

  return node->kind == kind && node->type == F32 && is_number_of_bf16 (&kernel->nodes[node->operands[0]])
         && is_number_of_bf16 (&kernel->nodes[node->operands[1]]);
}

gboolean
ghlo_expand_is_product (const GhloKernel *kernel,
                        guint             number)
{
  return is_of_bf16 (kernel, number, GHLO_NODE_MULTIPLY);
}

gboolean
ghlo_expand_is_narrow (const GhloKernel *kernel,
                       guint             number)
{
  const GhloKernelNode *node = &kernel->nodes[number];

  if (node->kind == GHLO_NODE_DIVIDE)
    return is_of_bf16 (kernel, number, GHLO_NODE_DIVIDE);

  return ghlo_expand_find_bf16 (node->kind) != NULL && node->type == F32
         && kernel->nodes[node->operands[0]].kind == GHLO_NODE_FROM_BF16;
}

/* Returns whether the result is NaN if an operand is. */
static gboolean
keeps_nan (GhloNodeKind kind)
{
  switch (kind)
    {
    case GHLO_NODE_ADD:
    case GHLO_NODE_SUBTRACT:
    case GHLO_NODE_MULTIPLY:
    case GHLO_NODE_DIVIDE:
    case GHLO_NODE_FMA:
    case GHLO_NODE_MINIMUM:
    case GHLO_NODE_MAXIMUM:
    case GHLO_NODE_NEGATE:
    case GHLO_NODE_ABS:
    case GHLO_NODE_SQRT:
    case GHLO_NODE_EXPONENTIAL:
    case GHLO_NODE_EXPONENTIAL_MINUS_ONE:
    case GHLO_NODE_LOG:
    case GHLO_NODE_LOG_PLUS_ONE:
    case GHLO_NODE_TANH:
    case GHLO_NODE_LOGISTIC:
    case GHLO_NODE_ERF:
    case GHLO_NODE_ERFC:
    case GHLO_NODE_CBRT:
    case GHLO_NODE_RSQRT:
    case GHLO_NODE_FROM_BF16:
    case GHLO_NODE_TO_BF16:
      return TRUE;
    default:
      return FALSE;
    }
}

static void
mark_wanted (guint   number,
             guint8 *uses)
{
  if (number != GHLO_KERNEL_NONE)
    uses[number] |= GHLO_EXPAND_IS_WANTED;
}

guint
ghlo_expand_find_scaled (const GhloKernel *kernel,
                         guint             number)
{
  const GhloKernelNode *node = &kernel->nodes[number];
  guint found, unrounded;

  if (!ghlo_expand_is_scaled (kernel, number))
    return GHLO_KERNEL_NONE;
  found = node->operands[kernel->nodes[node->operands[0]].kind == GHLO_NODE_CONSTANT];
  if (!ghlo_expand_is_rounding (kernel, &kernel->nodes[found]))
    return GHLO_KERNEL_NONE;
  unrounded = kernel->nodes[kernel->nodes[found].operands[0]].operands[0];

  return ghlo_expand_is_product (kernel, unrounded) ? GHLO_KERNEL_NONE : found;
}

/* Returns whether node @number is computed from its operand's operands instead of the operand itself. */
static gboolean
skips_operand (const GhloKernel *kernel,
               guint             number,
               gboolean          is_fast)
{
  const GhloKernelNode *node = &kernel->nodes[number];

  if (is_fast && ghlo_expand_find_scaled (kernel, number) != GHLO_KERNEL_NONE)
    return TRUE;
  if (node->kind != GHLO_NODE_TO_BF16)
    return ghlo_expand_is_rounding (kernel, node);

  return ghlo_expand_is_narrow (kernel, node->operands[0])
         || (is_fast && ghlo_expand_is_product (kernel, node->operands[0])
             && !ghlo_expand_is_scaled (kernel, node->operands[0]));
}

static void
use_operands (const GhloKernel *kernel,
              guint             number,
              gboolean          is_fast,
              guint8           *uses)
{
  const GhloKernelNode *node = &kernel->nodes[number];
  const gboolean is_told = (uses[number] & GHLO_EXPAND_MAY_BE_NAN) != 0;
  const gboolean has_more = skips_operand (kernel, number, is_fast && is_told);
  const gboolean may_be_nan = keeps_nan (node->kind) && is_told;

  for (guint i = 0; i < G_N_ELEMENTS (node->operands); i++)
    {
      guint8 *use = node->operands[i] != GHLO_KERNEL_NONE ? &uses[node->operands[i]] : NULL;

      if (use != NULL && !has_more)
        *use |= GHLO_EXPAND_IS_WANTED;
      if (use != NULL && !may_be_nan)
        *use &= (guint8) ~GHLO_EXPAND_MAY_BE_NAN;
    }
}

/* Nodes come after their operands, so all uses of a node are seen before the node. */
void
ghlo_expand_find_uses (const GhloKernel *kernel,
                       gboolean          is_fast,
                       guint8           *uses)
{
  memset (uses, GHLO_EXPAND_MAY_BE_NAN, kernel->n_nodes);
  for (guint i = 0; i < kernel->n_stores; i++)
    mark_wanted (kernel->stores[i].node, uses);
  for (guint i = 0; i < kernel->n_terms; i++)
    mark_wanted (kernel->terms[i].node, uses);
  for (guint i = 0; i < kernel->n_folds; i++)
    {
      mark_wanted (kernel->folds[i].update, uses);
      mark_wanted (kernel->folds[i].merge, uses);
    }
  for (guint i = kernel->n_nodes; i-- > 0;)
    use_operands (kernel, i, is_fast, uses);
}
