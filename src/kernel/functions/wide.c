/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Exponentials and logarithms in f64. Coefficients are those of coefficients/exponential.sollya and
 * coefficients/logarithm.sollya.
 */

#include "kernel/functions/wide.h"

#include <math.h>

#define UI64 GHLO_ELEMENT_TYPE_UI64

/* Adding it rounds to an integer and leaves that, plus the exponent's bias, in the low bits. */
#define MAGIC (0x1.8p52 + 1023)

/* p (r) 2^n, t = n + r. */
static guint
exp2_of (Builder      *b,
         guint         t,
         const double *c,
         guint         n)
{
  guint shifted, r;

  t = clamped (b, t, -1000, 1000);
  shifted = add_real (b, t, MAGIC);
  r = subtract (b, t, add_real (b, shifted, -MAGIC));

  return multiply (b, ghlo_expand_estrin (b, r, c, n), float_of (b, left_by (b, bits_of (b, shifted), 52)));
}

guint
ghlo_expand_wide_exp2 (Builder *b,
                       guint    t)
{
  static const double c[] = {
    0x1.0000000261508p0, 0x1.62e430c7e9244p-1, 0x1.ebfbdadcb0781p-3, 0x1.c6aed4b94f9cap-5, 0x1.3b2dbbc11b818p-7,
    0x1.5f456a8b9e4b9p-10, 0x1.41d3335bc8fd8p-13,
  };

  return exp2_of (b, t, c, G_N_ELEMENTS (c));
}

guint
ghlo_expand_wide_exp2_precise (Builder *b,
                               guint    t)
{
  static const double c[] = {
    0x1.0000000000039p0, 0x1.62e42fefa375p-1, 0x1.ebfbdff8157dcp-3, 0x1.c6b08d70d2527p-5, 0x1.3b2ab72a04d03p-7,
    0x1.5d87fd8f81232p-10, 0x1.43088fda746abp-13, 0x1.ffce25de9af64p-17, 0x1.63ede2d5f3e52p-20, 0x1.b3f2d0adf5f63p-24,
  };

  return exp2_of (b, t, c, G_N_ELEMENTS (c));
}

Split
ghlo_expand_wide_split (Builder *b,
                        guint    x)
{
  const guint64 one = G_GUINT64_CONSTANT (0x3ff0000000000000), half_root = G_GUINT64_CONSTANT (0x3fe6a09e667f3bcd);
  guint bits = bits_of (b, x);
  guint biased = right_by (b, add (b, bits, whole (b, bits, one - half_root)), 52);
  guint number = float_of (b, bit_or (b, biased, whole (b, bits, G_GUINT64_CONSTANT (0x4330000000000000))));

  return (Split) {
    add_real (b, number, -(0x1p52 + 1023)),
    float_of (b, add (b, subtract (b, bits, left_by (b, biased, 52)), whole (b, bits, one))),
  };
}

/* exponent × scale + log (1 + f), which is s p (s²), s = f / (2 + f). */
static guint
log_of (Builder      *b,
        guint         exponent,
        guint         f,
        double        scale,
        const double *c,
        guint         n)
{
  guint s = divide (b, f, add_real (b, f, 2)), p = ghlo_expand_horner (b, multiply (b, s, s), c, n);

  if (scale == 1)
    return multiply_add (b, s, p, exponent);

  return multiply_add (b, s, p, multiply_real (b, exponent, scale));
}

static const double logarithm[] = {
  0x1.0000000004a19p1, 0x1.555554dad2b27p-1, 0x1.999a9c8d450e3p-2, 0x1.2432c0ebf87b2p-2, 0x1.e3af8956f26bcp-3,
};
static const double precise_logarithm[] = {
  0x1p1, 0x1.5555555555555p-1, 0x1.9999999999d0ap-2, 0x1.249249243a37ap-2, 0x1.c71c724a7ef93p-3,
  0x1.745ce211bab5dp-3, 0x1.3b20184423346p-3, 0x1.0f68505bc5a54p-3, 0x1.0f049b86c7ce5p-3,
};
static const double binary_logarithm[] = {
  0x1.71547652bede5p1, 0x1.ec709d12e1573p-1, 0x1.27777fda65c64p-1, 0x1.a58d8fc10c588p-2, 0x1.5ce7cd8b16498p-2,
};

guint
ghlo_expand_wide_log2 (Builder *b,
                       guint    x)
{
  const Split split = ghlo_expand_wide_split (b, x);

  return log_of (b, split.exponent, add_real (b, split.mantissa, -1), 1, binary_logarithm,
                 G_N_ELEMENTS (binary_logarithm));
}

guint
ghlo_expand_wide_log (Builder *b,
                      guint    x)
{
  const Split split = ghlo_expand_wide_split (b, x);

  return log_of (b, split.exponent, add_real (b, split.mantissa, -1), M_LN2, logarithm, G_N_ELEMENTS (logarithm));
}

guint
ghlo_expand_wide_log_precise (Builder *b,
                              guint    x)
{
  const Split split = ghlo_expand_wide_split (b, x);

  return log_of (b, split.exponent, add_real (b, split.mantissa, -1), M_LN2, precise_logarithm,
                 G_N_ELEMENTS (precise_logarithm));
}

static guint
log_plus_one_of (Builder      *b,
                 guint         t,
                 const double *c,
                 guint         n)
{
  const Split split = ghlo_expand_wide_split (b, add_real (b, t, 1));
  /* The rounding error of the sum matters only where the logarithm is small. */
  guint f = choose (b, equal (b, split.exponent, real (b, t, 0)), t, add_real (b, split.mantissa, -1));

  return log_of (b, split.exponent, f, M_LN2, c, n);
}

guint
ghlo_expand_wide_log_plus_one (Builder *b,
                               guint    t)
{
  return log_plus_one_of (b, t, logarithm, G_N_ELEMENTS (logarithm));
}

guint
ghlo_expand_wide_log_plus_one_precise (Builder *b,
                                       guint    t)
{
  return log_plus_one_of (b, t, precise_logarithm, G_N_ELEMENTS (precise_logarithm));
}
