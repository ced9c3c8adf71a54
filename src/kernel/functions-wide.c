/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Exponential and logarithm in f64. Coefficients are those of coefficients/exponential.sollya and
 * coefficients/logarithm.sollya.
 */

#include "kernel/functions-wide.h"

#include <math.h>

#define UI64 GHLO_ELEMENT_TYPE_UI64

/* Adding it rounds to an integer and leaves that, plus the exponent's bias, in the low bits. */
#define MAGIC (0x1.8p52 + 1023)

guint
ghlo_expand_wide_exp2 (Builder *b,
                       guint    t)
{
  static const double c[] = {
    0x1.ffffffffabbcdp-1, 0x1.62e42ff116299p-1, 0x1.ebfbe0a4be837p-3, 0x1.c6b08aaf2d3dep-5, 0x1.3b29dc40d541cp-7,
    0x1.5d8a7089df9a6p-10, 0x1.446a1fdbd64abp-13, 0x1.fe17822bc087ep-17,
  };
  guint shifted, r;

  t = clamped (b, t, -1000, 1000);
  shifted = add_real (b, t, MAGIC);
  r = subtract (b, t, add_real (b, shifted, -MAGIC));

  return multiply (b, ESTRIN (b, r, c), float_of (b, left_by (b, bits_of (b, shifted), 52)));
}

/* @x = 2^exponent × mantissa, which is within [√½, √2). */
static void
split (Builder *b,
       guint    x,
       guint   *exponent,
       guint   *mantissa)
{
  const guint64 one = G_GUINT64_CONSTANT (0x3ff0000000000000), half_root = G_GUINT64_CONSTANT (0x3fe6a09e667f3bcd);
  guint bits = bits_of (b, x);
  guint biased = right_by (b, add (b, bits, whole (b, bits, one - half_root)), 52);
  guint number = float_of (b, or (b, biased, whole (b, bits, G_GUINT64_CONSTANT (0x4330000000000000))));

  *exponent = add_real (b, number, -(0x1p52 + 1023));
  *mantissa = float_of (b, add (b, subtract (b, bits, left_by (b, biased, 52)), whole (b, bits, one)));
}

/* exponent × ln 2 + log (1 + f) = … + 2 s + s³ p (s²), s = f / (2 + f). */
static guint
log_of (Builder      *b,
        guint         exponent,
        guint         f,
        const double *c,
        guint         n)
{
  guint s = divide (b, f, add_real (b, f, 2)), z = multiply (b, s, s);
  guint p = multiply (b, multiply (b, s, z), ghlo_expand_horner (b, z, c, n));

  return multiply_add (b, exponent, real (b, f, M_LN2), add (b, p, add (b, s, s)));
}

static const double logarithm[] = {
  0x1.5555555564f97p-1, 0x1.999998ca73466p-2, 0x1.2493243fb942bp-2, 0x1.c67ab35bcbfc5p-3, 0x1.8c8ea304ec737p-3,
};
static const double precise_logarithm[] = {
  0x1.5555555555555p-1, 0x1.9999999999d59p-2, 0x1.249249242ee17p-2, 0x1.c71c725c5fa92p-3, 0x1.745cdb74b755fp-3,
  0x1.3b21594e67499p-3, 0x1.0f4a12284778fp-3, 0x1.1023dbad0586ap-3,
};

guint
ghlo_expand_wide_log (Builder *b,
                      guint    x)
{
  guint exponent, mantissa;

  split (b, x, &exponent, &mantissa);

  return log_of (b, exponent, add_real (b, mantissa, -1), logarithm, G_N_ELEMENTS (logarithm));
}

guint
ghlo_expand_wide_log_precise (Builder *b,
                              guint    x)
{
  guint exponent, mantissa;

  split (b, x, &exponent, &mantissa);

  return log_of (b, exponent, add_real (b, mantissa, -1), precise_logarithm, G_N_ELEMENTS (precise_logarithm));
}

guint
ghlo_expand_wide_log_plus_one (Builder *b,
                               guint    t)
{
  guint exponent, mantissa, f;

  split (b, add_real (b, t, 1), &exponent, &mantissa);
  /* The sum's rounding matters where the logarithm is small alone. */
  f = choose (b, equal (b, exponent, real (b, t, 0)), t, add_real (b, mantissa, -1));

  return log_of (b, exponent, f, logarithm, G_N_ELEMENTS (logarithm));
}
