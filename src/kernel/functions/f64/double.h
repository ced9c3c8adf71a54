/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Building blocks for functions of f64: numbers of twice the precision as unevaluated sums of two f64, exact sums
 * and products by FMA (Dekker; Ogita, Rump and Oishi), and the cores of exponentials and logarithms. All expansions
 * for f64 are declared here; expand.c has the table of those that exist.
 */

#pragma once

#include "kernel/functions/wide.h"

G_BEGIN_DECLS

#define EXPANSION(name) \
  guint ghlo_expand_##name##_f64 (Builder *b, GhloElementType type, const guint *operands)
#define FUNCTION(ID, name, ...) EXPANSION (name);
#include "kernel/node.def"
#undef EXPANSION

/* high + low, where low is at most a few ULP of high. */
typedef struct
{
  guint high, low;
} Pair;

/* x + y, where |x| >= |y|, or x is a multiple of the ULP of y. */
static inline Pair
fast_sum (Builder *b,
          guint    x,
          guint    y)
{
  guint sum = add (b, x, y);

  return (Pair) { sum, subtract (b, y, subtract (b, sum, x)) };
}

/* x + y. */
static inline Pair
exact_sum (Builder *b,
           guint    x,
           guint    y)
{
  guint sum = add (b, x, y), part = subtract (b, sum, x);
  guint rest = add (b, subtract (b, x, subtract (b, sum, part)), subtract (b, y, part));

  return (Pair) { sum, rest };
}

/* x × y. */
static inline Pair
exact_product (Builder *b,
               guint    x,
               guint    y)
{
  guint product = multiply (b, x, y);

  return (Pair) { product, multiply_add (b, x, y, negate (b, product)) };
}

static inline Pair
pair_product (Builder *b,
              Pair     x,
              Pair     y)
{
  Pair product = exact_product (b, x.high, y.high);

  product.low = multiply_add (b, x.high, y.low, multiply_add (b, x.low, y.high, product.low));

  return product;
}

static inline Pair
pair_quotient (Builder *b,
               Pair     x,
               Pair     y)
{
  guint high = divide (b, x.high, y.high), rest;

  rest = add (b, multiply_add (b, negate (b, high), y.high, x.high), x.low);
  rest = multiply_add (b, negate (b, high), y.low, rest);

  return (Pair) { high, divide (b, rest, y.high) };
}

/* For numbers other than 0. */
static inline Pair
pair_root (Builder *b,
           Pair     x)
{
  guint high = square_root (b, x.high);
  guint rest = add (b, multiply_add (b, negate (b, high), high, x.high), x.low);

  return (Pair) { high, divide (b, rest, add (b, high, high)) };
}

static inline Pair
choose_pair (Builder *b,
             guint    predicate,
             Pair     x,
             Pair     y)
{
  return (Pair) { choose (b, predicate, x.high, y.high), choose (b, predicate, x.low, y.low) };
}

static inline guint
is_below (Builder *b,
          guint    x,
          double   limit)
{
  return less (b, x, real (b, x, limit));
}

static inline guint
is_above (Builder *b,
          guint    x,
          double   limit)
{
  return greater (b, x, real (b, x, limit));
}

static inline guint
is_real (Builder *b,
         guint    x,
         double   value)
{
  return equal (b, x, real (b, x, value));
}

static inline guint
at_most (Builder *b,
         guint    x,
         double   limit)
{
  return choose (b, is_above (b, x, limit), real (b, x, limit), x);
}

/* e^(x.high + x.low) = 2^n (1 + p), p within [-0.3, 0.42]. */
typedef struct
{
  guint n;              /* f64, an integer */
  Pair  p;
} Exponential;

Exponential ghlo_expand_double_exponential (Builder *b, Pair x);

/* 2^n for integers n within [-1022, 1023]. */
guint       ghlo_expand_double_scale       (Builder *b, guint n);

/* x 2^n, rounded once where the result is normal; |x| < 2, |n| < 2000. */
guint       ghlo_expand_double_scaled      (Builder *b, guint x, guint n);

/* For positive numbers, subnormal ones included. */
Split       ghlo_expand_double_split       (Builder *b, guint x);

/* Logarithms of a positive number, and of 1 + t, which is normal. They are not normalized: high is not rounded yet. */
Pair        ghlo_expand_double_log          (Builder *b, guint x);
Pair        ghlo_expand_double_log_plus_one (Builder *b, Pair t);

/* For positive numbers, to about 64 bits. */
Pair        ghlo_expand_double_log_precise  (Builder *b, guint x);

/* The logarithm of the gamma function of y >= 2.5; @logarithm is that of y. */
Pair        ghlo_expand_double_lgamma_beyond (Builder *b, guint y, Pair logarithm);

/* e^x - 1 for x within [-745, 710]. */
Pair        ghlo_expand_double_exponential_minus_one (Builder *b, Pair x);

G_END_DECLS
