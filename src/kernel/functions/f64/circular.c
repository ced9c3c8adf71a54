/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Circular functions of f64. The exponent of the argument selects five of the 53-bit pieces of 2 / π: earlier
 * pieces yield whole turns, later ones nothing that matters (Payne and Hanek). Products are exact pairs. To add
 * them, all are cut at the same two places, so that the sums above and between these places are exact whatever
 * cancels. Coefficients are those of coefficients/circular-f64.sollya.
 */

#include "kernel/functions/f64/double.h"

#include <math.h>

enum { N_PIECES = 23, N_CHOSEN = 5, BITS = 53, HALF = BITS / 2 };

typedef struct
{
  Pair  r;              /* within π / 4 */
  guint quarters;       /* ui64; the low two bits are the number of quarter turns */
} Reduced;

/* Selects the pieces of 2 / π from number @first on, which is at most 18. */
static void
choose_pieces (Builder *b,
               guint    first,
               guint    like,
               guint   *pieces)
{
  static const double all[N_PIECES] = {
    0x1.45f306dc9c882p-1, 0x1.4a7f09d5f47d4p-1, 0x1.a6ee06db14accp-1, 0x1.3c439041fe516p-1, 0x1.d5ef5de2b0db8p-3,
    0x1.2371d2126e97p-2, 0x1.924bba82746p-8, 0x1.21cfe1deb1cb1p-1, 0x1.4d39f74411af8p-3, 0x1.4baed1213a671p-1,
    0x1.8135a2fbf209cp-1, 0x1.91d639835339fp-1, 0x1.272117e2ef7e4p-2, 0x1.41d8ffc4bffeep-2, 0x1.02cc07f79788cp-1,
    0x1.6b414da3eda6cp-2, 0x1.fb3c9f2c26dd2p-2, 0x1.d18fd9a797fa8p-1, 0x1.6ba93dd63f5f2p-1, 0x1.f17b3d0739f78p-1,
    0x1.4a525d4d7f6bfp-1, 0x1.88fc6ae842bp-2, 0x1.98237e3db5d5fp-1,
  };
  /* A shift by step, applied to the n pieces that later shifts may still need. */
  static const struct { guint step, n; } steps[] = {
    { 16, N_PIECES - 16 }, { 8, 12 }, { 4, 8 }, { 2, 6 }, { 1, N_CHOSEN },
  };
  guint current[N_PIECES];

  for (guint i = 0; i < N_PIECES; i++)
    current[i] = real (b, like, all[i]);
  for (guint s = 0; s < G_N_ELEMENTS (steps); s++)
    {
      guint is_taken = unequal (b, and_bits (b, first, steps[s].step), whole (b, first, 0));

      for (guint i = 0; i < steps[s].n; i++)
        current[i] = choose (b, is_taken, current[i + steps[s].step], current[i]);
    }
  for (guint i = 0; i < N_CHOSEN; i++)
    pieces[i] = current[i];
}

/* @x modulo 4. */
static guint
without_turns (Builder *b,
               guint    x)
{
  return subtract (b, x, multiply_real (b, rounded (b, multiply_real (b, x, 0.25)), 4));
}

/* Moves the part of @term above the last place of @sum, whose low bits are clear, to @sum, exactly. */
static void
cut_off (Builder *b,
         guint   *sum,
         guint   *term)
{
  guint next = add (b, *sum, *term);

  *term = subtract (b, *term, subtract (b, next, *sum));
  *sum = next;
}

/* The number of the first piece that is needed, (exponent - 55) / 53 rounded down, as a float and in the low bits of
 * one. For all earlier pieces, the products are multiples of 4 for any x. */
static void
find_first_piece (Builder *b,
                  guint    x,
                  guint   *number,
                  guint   *bits)
{
  const guint64 two_52 = G_GUINT64_CONSTANT (0x4330000000000000);
  guint exponent = and_bits (b, right_by (b, bits_of (b, x), 52), 0x7ff);

  exponent = float_of (b, bit_or (b, exponent, whole (b, exponent, two_52)));
  exponent = multiply_real (b, add_real (b, exponent, -(0x1p52 + 1023 + 55 + HALF)), 1.0 / BITS);
  exponent = choose (b, is_below (b, exponent, 0), real (b, x, 0), exponent);
  exponent = add_real (b, exponent, 0x1.8p52);
  *bits = bits_of (b, exponent);
  *number = add_real (b, exponent, -0x1.8p52);
}

/* x × 2 / π modulo 4, split into an integer and the rest. */
static Pair
quarters_of (Builder *b,
             guint    x,
             guint   *whole_part)
{
  /* The last places of sums near these numbers are 2^-44 and 2^-92. */
  const double middle = 0x1.8p8, small = 0x1.8p-40;
  guint pieces[N_CHOSEN], terms[2 * N_CHOSEN], first, bits, upper, lower, rest;
  Pair sum;

  find_first_piece (b, x, &first, &bits);
  choose_pieces (b, bits, x, pieces);
  x = multiply (b, x, ghlo_expand_double_scale (b, multiply_real (b, first, -BITS)));
  for (guint i = 0; i < N_CHOSEN; i++)
    {
      Pair product = exact_product (b, x, multiply_real (b, pieces[i], ldexp (1, -(int) i * BITS)));

      terms[2 * i] = product.high;
      terms[2 * i + 1] = product.low;
    }
  /* The other terms are small. */
  for (guint i = 0; i < 3; i++)
    terms[i] = without_turns (b, terms[i]);

  upper = real (b, x, middle);
  lower = real (b, x, small);
  rest = real (b, x, 0);
  for (guint i = 0; i < 2 * N_CHOSEN - 1; i++)
    {
      if (i < 5)
        cut_off (b, &upper, &terms[i]);
      if (i < 7)
        cut_off (b, &lower, &terms[i]);
      rest = add (b, rest, terms[i]);
    }
  upper = add_real (b, upper, -middle);
  *whole_part = add_real (b, upper, 0x1.8p52);
  upper = subtract (b, upper, add_real (b, *whole_part, -0x1.8p52));
  sum = exact_sum (b, upper, add_real (b, lower, -small));

  return fast_sum (b, sum.high, add (b, sum.low, rest));
}

static Reduced
reduce (Builder *b,
        guint    x)
{
  const double half_pi = 0x1.921fb54442d18p0, half_pi_rest = 0x1.1a62633145c07p-54;
  guint whole_part, is_small = is_below (b, magnitude (b, x), 0.785), bits;
  Pair quarters = quarters_of (b, x, &whole_part), r;

  r = pair_product (b, quarters, (Pair) { real (b, x, half_pi), real (b, x, half_pi_rest) });
  r = choose_pair (b, is_small, (Pair) { x, real (b, x, 0) }, r);
  bits = bits_of (b, whole_part);

  return (Reduced) { r, choose (b, is_small, whole (b, bits, 0), bits) };
}

/* h + (l - l h² / 2) - (h³ / 6 - …). */
static Pair
sine_of (Builder *b,
         Pair     r)
{
  static const double c[] = {
    -0x1.5555555555555p-3, 0x1.1111111110c7ap-7, -0x1.a01a019e9f08cp-13, 0x1.71de37af35646p-19,
    -0x1.ae601e9137508p-26, 0x1.5e10c280dcc21p-33,
  };
  guint z = multiply (b, r.high, r.high), low;

  low = multiply_add (b, multiply_real (b, z, -0.5), r.low, r.low);
  low = multiply_add (b, multiply (b, r.high, z), HORNER (b, z, c), low);

  return fast_sum (b, r.high, low);
}

/* 1 - h² / 2 + h⁴ / 24 - … - h l. */
static Pair
cosine_of (Builder *b,
           Pair     r)
{
  static const double c[] = {
    0x1.5555555555555p-5, -0x1.6c16c16c168cap-10, 0x1.a01a019f38357p-16, -0x1.27e4fa02dc336p-22,
    0x1.1eeb57c9019b4p-29, -0x1.90737ce567353p-37,
  };
  Pair square = exact_product (b, r.high, r.high), sum;
  guint z = square.high, low;

  sum = fast_sum (b, real (b, z, 1), multiply_real (b, z, -0.5));
  low = subtract (b, multiply_real (b, square.low, -0.5), multiply (b, r.high, r.low));
  low = multiply_add (b, multiply (b, z, z), HORNER (b, z, c), low);

  return fast_sum (b, sum.high, add (b, sum.low, low));
}

static guint
is_odd (Builder *b,
        guint    quarters)
{
  return unequal (b, and_bits (b, quarters, 1), whole (b, quarters, 0));
}

static guint
sine_of_reduced (Builder *b,
                 Reduced  reduced)
{
  Pair result = choose_pair (b, is_odd (b, reduced.quarters), cosine_of (b, reduced.r), sine_of (b, reduced.r));
  guint sign = left_by (b, and_bits (b, reduced.quarters, 2), 62);

  return float_of (b, bit_xor (b, bits_of (b, add (b, result.high, result.low)), sign));
}

guint
ghlo_expand_sine_f64 (Builder         *b,
                      GhloElementType  type,
                      const guint     *operands)
{
  guint x = operands[0];

  return choose (b, is_real (b, x, 0), x, sine_of_reduced (b, reduce (b, x)));
}

guint
ghlo_expand_cosine_f64 (Builder         *b,
                        GhloElementType  type,
                        const guint     *operands)
{
  Reduced reduced = reduce (b, operands[0]);

  reduced.quarters = add (b, reduced.quarters, whole (b, reduced.quarters, 1));

  return sine_of_reduced (b, reduced);
}

guint
ghlo_expand_tan_f64 (Builder         *b,
                     GhloElementType  type,
                     const guint     *operands)
{
  guint x = operands[0], turned;
  Reduced reduced = reduce (b, x);
  Pair s = sine_of (b, reduced.r), c = cosine_of (b, reduced.r), result;

  turned = is_odd (b, reduced.quarters);
  result = pair_quotient (b, choose_pair (b, turned, (Pair) { negate (b, c.high), negate (b, c.low) }, s),
                          choose_pair (b, turned, s, c));

  return choose (b, is_real (b, x, 0), x, add (b, result.high, result.low));
}
