/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The vocabulary of expansions: functions that take a builder and nodes and return the node of their result. Its
 * type is that of the first operand unless stated otherwise. Unused or duplicate nodes cost nothing:
 * ghlo_kernel_expand () drops them and numbers the remaining nodes in an order of its own. Nested calls may
 * therefore be evaluated in any order.
 */

#pragma once

#include "kernel/expand.h"

G_BEGIN_DECLS

typedef GhloKernelBuilder Builder;

/* All expansions, one file for each family; table.c has the table of the types for which each is used. */
#define EXPANSION(name) guint ghlo_expand_##name (Builder *b, GhloElementType type, const guint *operands)
#define FUNCTION(ID, name, ...) EXPANSION (name);
#include "kernel/node.def"
/* roundings.c: rounding of f32 to bf16 and back to f32, FROM_BF16 (TO_BF16 (x)). round_bf16_fast takes half as many
 * operations, but is wrong for subnormal numbers and may yield NaN for 2^111 and more. round_product_fast rounds the
 * product of its first operand and a number y, both bf16; the other operands are (2^16 + 1) y and -y. It may yield NaN
 * for such a first operand, too. If y is a power of two, the first operand may be any f32, and the result is its
 * rounding times y. upper_half returns the bits of such a result as bf16. */
EXPANSION (round_bf16);
EXPANSION (round_bf16_fast);
EXPANSION (round_product_fast);
EXPANSION (upper_half);
/* bf16.c: functions of a bf16 number; their results round to the same bf16 as the exact ones. */
EXPANSION (tanh_bf16);
EXPANSION (logistic_bf16);
/* power.c: x³, of the first operand alone. */
EXPANSION (cube);
#undef EXPANSION

/* What becomes of the value of a node, as flags. */
enum
{
  GHLO_EXPAND_IS_WANTED = 1,    /* a use needs the value itself. These uses do not: FROM_BF16 of a TO_BF16, which is
                                 * computed from the operand of the latter; TO_BF16 of a narrow function or quotient;
                                 * on the fast path TO_BF16 of a product, and the product of a rounding with a power
                                 * of two */
  GHLO_EXPAND_MAY_BE_NAN = 2,   /* if it is NaN, all results that depend on it are NaN */
};

/* Returns whether @node is FROM_BF16 of a TO_BF16 of f32. */
gboolean ghlo_expand_is_rounding (const GhloKernel     *kernel,
                                  const GhloKernelNode *node);
/* Returns whether node @number is a bf16 number times a power of two. */
gboolean ghlo_expand_is_scaled   (const GhloKernel     *kernel,
                                  guint                 number);
/* Returns whether node @number is a product of two bf16 numbers, which is exact unless it is subnormal. */
gboolean ghlo_expand_is_product  (const GhloKernel     *kernel,
                                  guint                 number);
/* If node @number is a rounding times a power of two, which the fast path merges into one operation, returns the
 * FROM_BF16 of the rounding; else GHLO_KERNEL_NONE. */
guint    ghlo_expand_find_scaled (const GhloKernel     *kernel,
                                  guint                 number);
/* Returns whether node @number is a function of a bf16 number, or a quotient of two, that is cheaper if its result is
 * rounded to bf16. */
gboolean ghlo_expand_is_narrow   (const GhloKernel     *kernel,
                                  guint                 number);
/* Fills in the flags of all nodes; MAY_BE_NAN is valid for kernels of a single block of points only. */
void     ghlo_expand_find_uses   (const GhloKernel     *kernel,
                                  gboolean              is_fast,
                                  guint8               *uses);

static inline GhloElementType
type_of (Builder *b,
         guint    x)
{
  const GhloKernelNode *node = ghlo_kernel_builder_get_node (b, x);

  return node != NULL ? node->type : GHLO_ELEMENT_TYPE_INVALID;
}

/* Constants of the type of the node @like. */
static inline guint
real (Builder *b,
      guint    like,
      double   value)
{
  return ghlo_kernel_add_float (b, type_of (b, like), value);
}

static inline guint
whole (Builder *b,
       guint    like,
       guint64  bits)
{
  return ghlo_kernel_add_constant (b, type_of (b, like), bits);
}

#define EXPAND_1(name, ID) \
  static inline guint \
  name (Builder *b, \
        guint    x) \
  { \
    return ghlo_kernel_add_node (b, GHLO_NODE_##ID, type_of (b, x), x, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE); \
  }

#define EXPAND_2(name, ID) \
  static inline guint \
  name (Builder *b, \
        guint    x, \
        guint    y) \
  { \
    return ghlo_kernel_add_node (b, GHLO_NODE_##ID, type_of (b, x), x, y, GHLO_KERNEL_NONE); \
  }

#define EXPAND_COMPARISON(name, ID) \
  static inline guint \
  name (Builder *b, \
        guint    x, \
        guint    y) \
  { \
    return ghlo_kernel_add_node (b, GHLO_NODE_##ID, GHLO_ELEMENT_TYPE_I1, x, y, GHLO_KERNEL_NONE); \
  }

EXPAND_2 (add, ADD)
EXPAND_2 (subtract, SUBTRACT)
EXPAND_2 (multiply, MULTIPLY)
EXPAND_2 (divide, DIVIDE)
EXPAND_1 (negate, NEGATE)
EXPAND_1 (magnitude, ABS)
EXPAND_1 (square_root, SQRT)
EXPAND_1 (truncated, TRUNCATE)
EXPAND_1 (rounded, ROUND_NEAREST_EVEN)
EXPAND_2 (bit_and, AND)
EXPAND_2 (bit_or, OR)
EXPAND_2 (bit_xor, XOR)
EXPAND_1 (bit_not, NOT)
EXPAND_2 (shift_left, SHIFT_LEFT)
EXPAND_2 (shift_right, SHIFT_RIGHT)
EXPAND_1 (leading_zeros, COUNT_LEADING_ZEROS)
EXPAND_COMPARISON (equal, EQUAL)
EXPAND_COMPARISON (unequal, NOT_EQUAL)
EXPAND_COMPARISON (less, LESS)
EXPAND_COMPARISON (less_equal, LESS_EQUAL)
EXPAND_COMPARISON (greater, GREATER)
EXPAND_COMPARISON (greater_equal, GREATER_EQUAL)

#undef EXPAND_1
#undef EXPAND_2
#undef EXPAND_COMPARISON

/* @x / @y in f32, with the properties of GhloQuotient. */
static inline guint
divide_bounded (Builder *b,
                guint    x,
                guint    y)
{
  return ghlo_kernel_add_quotient (b, GHLO_QUOTIENT_IS_BOUNDED, x, y);
}

static inline guint
divide_nearly (Builder *b,
               guint    x,
               guint    y)
{
  return ghlo_kernel_add_quotient (b, GHLO_QUOTIENT_IS_APPROXIMATE, x, y);
}

/* Whether a float is an integer; infinities count as integers. */
static inline guint
is_whole (Builder *b,
          guint    x)
{
  return equal (b, truncated (b, x), x);
}

/* x × y + z, rounded once. */
static inline guint
multiply_add (Builder *b,
              guint    x,
              guint    y,
              guint    z)
{
  return ghlo_kernel_add_node (b, GHLO_NODE_FMA, type_of (b, x), x, y, z);
}

static inline guint
choose (Builder *b,
        guint    predicate,
        guint    x,
        guint    y)
{
  return ghlo_kernel_add_node (b, GHLO_NODE_SELECT, type_of (b, x), predicate, x, y);
}

static inline guint
convert (Builder         *b,
         GhloElementType  type,
         guint            x)
{
  return ghlo_kernel_add_node (b, GHLO_NODE_CONVERT, type, x, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE);
}

static inline guint
bits_as (Builder         *b,
         GhloElementType  type,
         guint            x)
{
  return ghlo_kernel_add_node (b, GHLO_NODE_BITCAST, type, x, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE);
}

/* A float's bits as an unsigned integer, and back. */
static inline guint
bits_of (Builder *b,
         guint    x)
{
  return bits_as (b, type_of (b, x) == GHLO_ELEMENT_TYPE_F32 ? GHLO_ELEMENT_TYPE_UI32 : GHLO_ELEMENT_TYPE_UI64, x);
}

static inline guint
float_of (Builder *b,
          guint    x)
{
  return bits_as (b, ghlo_element_info (type_of (b, x))->bits == 32 ? GHLO_ELEMENT_TYPE_F32 : GHLO_ELEMENT_TYPE_F64,
                  x);
}

static inline guint
widen (Builder *b,
       guint    x)
{
  return convert (b, GHLO_ELEMENT_TYPE_F64, x);
}

static inline guint
narrow (Builder *b,
        guint    x)
{
  return convert (b, GHLO_ELEMENT_TYPE_F32, x);
}

/* With a constant as one operand. */
static inline guint
add_real (Builder *b,
          guint    x,
          double   value)
{
  return add (b, x, real (b, x, value));
}

static inline guint
multiply_real (Builder *b,
               guint    x,
               double   value)
{
  return multiply (b, x, real (b, x, value));
}

/* x × y + value. */
static inline guint
multiply_add_real (Builder *b,
                   guint    x,
                   guint    y,
                   double   value)
{
  return multiply_add (b, x, y, real (b, x, value));
}

/* Clamps to [least, most]; NaN is passed on. */
static inline guint
clamped (Builder *b,
         guint    x,
         double   least,
         double   most)
{
  guint low = real (b, x, least), high = real (b, x, most);

  x = choose (b, less (b, x, low), low, x);

  return choose (b, greater (b, x, high), high, x);
}

static inline guint
left_by (Builder *b,
         guint    x,
         guint    count)
{
  return shift_left (b, x, whole (b, x, count));
}

static inline guint
right_by (Builder *b,
          guint    x,
          guint    count)
{
  return shift_right (b, x, whole (b, x, count));
}

static inline guint
and_bits (Builder *b,
          guint    x,
          guint64  bits)
{
  return bit_and (b, x, whole (b, x, bits));
}

/* The sign bit of a float, as an unsigned integer. */
static inline guint
sign_of (Builder *b,
         guint    x)
{
  guint bits = bits_of (b, x);

  return and_bits (b, bits, (guint64) 1 << (ghlo_element_info (type_of (b, x))->bits - 1));
}

/* @x, whose sign bit is 0, with the sign of @from. */
static inline guint
with_sign (Builder *b,
           guint    x,
           guint    from)
{
  return float_of (b, bit_or (b, bits_of (b, x), sign_of (b, from)));
}

/* Returns the expansion of the function of a bf16 number in f32, where the result is only used rounded to bf16, or NULL
 * where there is none. */
GhloKernelExpansion ghlo_expand_find_bf16 (GhloNodeKind kind);

/* Adds a primitive like @node; @quotient is what is known about a quotient, or 0. */
guint ghlo_expand_add_primitive (Builder              *to,
                                 const GhloKernelNode *node,
                                 guint                 quotient,
                                 guint                 a,
                                 guint                 b,
                                 guint                 c);
/* Adds the nodes of @expansion to @to, where @operands are. Returns the node of the result, or GHLO_KERNEL_NONE. */
guint ghlo_expand_function      (Builder              *to,
                                 GhloKernelExpansion   expansion,
                                 GhloElementType       type,
                                 const guint          *operands,
                                 guint                 n_operands);

/* Σ c[i] x^i, lowest power first: by Horner's rule, or by Estrin's scheme, whose dependency chain has logarithmic
 * length. */
guint ghlo_expand_horner (Builder      *b,
                          guint         x,
                          const double *c,
                          guint         n);
guint ghlo_expand_estrin (Builder      *b,
                          guint         x,
                          const double *c,
                          guint         n);

/* The bits of @x, of type @type, as f32, rounded to odd: truncated, with the last bit set if the truncation was
 * inexact. Rounding the result again gives the same as a single rounding. */
guint ghlo_expand_odd_bits      (Builder         *b,
                                 GhloElementType  type,
                                 guint            x);
/* x >> count of an integer, rounded to nearest even. */
guint ghlo_expand_shift_rounded (Builder         *b,
                                 guint            x,
                                 guint            count);

#define HORNER(b, x, c) ghlo_expand_horner (b, x, c, G_N_ELEMENTS (c))
#define ESTRIN(b, x, c) ghlo_expand_estrin (b, x, c, G_N_ELEMENTS (c))

G_END_DECLS
