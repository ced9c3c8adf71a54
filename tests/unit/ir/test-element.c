/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Element types: every bit pattern of the small float formats, rounding compared with a search in a sorted list of
 * values, integers, and text.
 */

#include <math.h>
#include <string.h>

#include "base/element.h"
#include "base/float-text.h"

static const GhloElementType small_floats[] = {
  GHLO_ELEMENT_TYPE_F4E2M1FN, GHLO_ELEMENT_TYPE_F6E2M3FN, GHLO_ELEMENT_TYPE_F6E3M2FN,
  GHLO_ELEMENT_TYPE_F8E3M4, GHLO_ELEMENT_TYPE_F8E4M3, GHLO_ELEMENT_TYPE_F8E4M3FN,
  GHLO_ELEMENT_TYPE_F8E4M3FNUZ, GHLO_ELEMENT_TYPE_F8E4M3B11FNUZ, GHLO_ELEMENT_TYPE_F8E5M2,
  GHLO_ELEMENT_TYPE_F8E5M2FNUZ, GHLO_ELEMENT_TYPE_F8E8M0FNU, GHLO_ELEMENT_TYPE_BF16, GHLO_ELEMENT_TYPE_F16,
};

static void
test_names (void)
{
  for (GhloElementType type = GHLO_ELEMENT_TYPE_I1; type <= GHLO_ELEMENT_TYPE_INDEX; type++)
    {
      const char *name = ghlo_element_type_to_string (type);

      g_assert_nonnull (name);
      g_assert_cmpint (ghlo_element_type_from_string (name), ==, type);
      g_assert_cmpuint (ghlo_element_type_get_size (type), ==, ghlo_element_info (type)->size);
    }
  g_assert_null (ghlo_element_type_to_string (GHLO_ELEMENT_TYPE_INVALID));
  g_assert_null (ghlo_element_type_to_string ((GhloElementType) 1000));
  g_assert_cmpuint (ghlo_element_type_get_size ((GhloElementType) 1000), ==, 0);
  g_assert_cmpint (ghlo_element_type_from_string ("f33"), ==, GHLO_ELEMENT_TYPE_INVALID);
  g_assert_cmpint (ghlo_element_type_from_string (NULL), ==, GHLO_ELEMENT_TYPE_INVALID);
  g_assert_cmpuint (ghlo_element_type_get_size (GHLO_ELEMENT_TYPE_COMPLEX_F64), ==, 16);
}

/* The value as defined by the format; finite patterns only. */
static double
reference_value (const GhloElementInfo *info,
                 guint                  bits)
{
  guint exponent = (bits >> info->mantissa_bits) & ((1u << info->exponent_bits) - 1);
  guint mantissa = bits & ((1u << info->mantissa_bits) - 1);
  double scale = ldexp (1, -info->mantissa_bits);
  double value;

  if (info->specials == GHLO_FLOAT_E8M0)
    return ldexp (1, (int) bits - info->bias);
  if (exponent == 0)
    value = ldexp (mantissa * scale, 1 - info->bias);
  else
    value = ldexp (1 + mantissa * scale, (int) exponent - info->bias);

  return (bits >> (info->bits - 1)) & 1 ? -value : value;
}

/* The bits of the largest finite value. */
static guint
reference_last (GhloElementType type)
{
  switch (type)
    {
    case GHLO_ELEMENT_TYPE_F4E2M1FN: return 0x7;           /* 6 */
    case GHLO_ELEMENT_TYPE_F6E2M3FN: return 0x1f;          /* 7.5 */
    case GHLO_ELEMENT_TYPE_F6E3M2FN: return 0x1f;          /* 28 */
    case GHLO_ELEMENT_TYPE_F8E3M4: return 0x6f;            /* 15.5 */
    case GHLO_ELEMENT_TYPE_F8E4M3: return 0x77;            /* 240 */
    case GHLO_ELEMENT_TYPE_F8E4M3FN: return 0x7e;          /* 448 */
    case GHLO_ELEMENT_TYPE_F8E4M3FNUZ: return 0x7f;        /* 240 */
    case GHLO_ELEMENT_TYPE_F8E4M3B11FNUZ: return 0x7f;     /* 30 */
    case GHLO_ELEMENT_TYPE_F8E5M2: return 0x7b;            /* 57344 */
    case GHLO_ELEMENT_TYPE_F8E5M2FNUZ: return 0x7f;        /* 57344 */
    case GHLO_ELEMENT_TYPE_F8E8M0FNU: return 0xfe;         /* 2^127 */
    case GHLO_ELEMENT_TYPE_BF16: return 0x7f7f;
    case GHLO_ELEMENT_TYPE_F16: return 0x7bff;             /* 65504 */
    default: g_assert_not_reached ();
    }
}

static void
check_pattern (GhloElementType type,
               guint           bits)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  double value = ghlo_float_from_bits (type, bits);
  guint magnitude = info->specials == GHLO_FLOAT_E8M0 ? bits : bits & ((1u << (info->bits - 1)) - 1);
  gboolean fnuz_nan = info->specials == GHLO_FLOAT_FNUZ && bits == 1u << (info->bits - 1);

  if (magnitude <= reference_last (type) && !fnuz_nan)
    {
      g_assert_cmpfloat (value, ==, reference_value (info, bits));
      g_assert_cmpuint (ghlo_float_to_bits (type, value), ==, bits);
    }
  else if (isinf (value))
    {
      g_assert_cmpint (info->specials, ==, GHLO_FLOAT_IEEE);
      g_assert_cmpuint (magnitude, ==, reference_last (type) + 1);
      g_assert_cmpuint (ghlo_float_to_bits (type, value), ==, bits);
    }
  else
    {
      g_assert_true (isnan (value));
      g_assert_cmpuint (ghlo_float_to_bits (type, value), ==, bits);
    }
}

static void
test_round_trip (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (small_floats); i++)
    for (guint bits = 0; bits < 1u << ghlo_element_info (small_floats[i])->bits; bits++)
      check_pattern (small_floats[i], bits);
}

/* Checks the rounding of @value, which lies between the neighbours with bits @low and @low + 1. */
static void
check_between (GhloElementType type,
               guint           low,
               double          value)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  double below = reference_value (info, low), above = reference_value (info, low + 1);
  guint expected;

  if (value - below < above - value)
    expected = low;
  else if (value - below > above - value)
    expected = low + 1;
  else
    expected = info->specials == GHLO_FLOAT_E8M0 || (low & 1) ? low + 1 : low;
  g_assert_cmpuint (ghlo_float_to_bits (type, value), ==, expected);

  if (info->specials != GHLO_FLOAT_E8M0 && !(expected == 0 && info->specials == GHLO_FLOAT_FNUZ))
    g_assert_cmpuint (ghlo_float_to_bits (type, -value), ==, expected | 1u << (info->bits - 1));
}

static void
test_rounding (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (small_floats); i++)
    {
      GhloElementType type = small_floats[i];
      const GhloElementInfo *info = ghlo_element_info (type);

      for (guint low = 0; low < reference_last (type); low++)
        {
          double below = reference_value (info, low), above = reference_value (info, low + 1);
          double middle = below + (above - below) / 2;

          check_between (type, low, middle);
          check_between (type, low, nextafter (middle, 0));
          check_between (type, low, nextafter (middle, INFINITY));
          check_between (type, low, nextafter (above, 0));
          check_between (type, low, below + (above - below) * g_test_rand_double ());
        }
    }
}

static void
test_specials (void)
{
  static const struct
  {
    GhloElementType type;
    double          value;
    guint           bits;
  } rows[] = {
    { GHLO_ELEMENT_TYPE_F8E4M3FN, 464, 0x7e },          /* a tie, to even */
    { GHLO_ELEMENT_TYPE_F8E4M3FN, 464.001, 0x7f },
    { GHLO_ELEMENT_TYPE_F8E4M3FN, -1e30, 0xff },
    { GHLO_ELEMENT_TYPE_F8E4M3FN, INFINITY, 0x7f },
    { GHLO_ELEMENT_TYPE_F8E4M3FN, -0.0, 0x80 },
    { GHLO_ELEMENT_TYPE_F8E4M3, 248, 0x78 },            /* infinity */
    { GHLO_ELEMENT_TYPE_F8E5M2, 61440, 0x7c },
    { GHLO_ELEMENT_TYPE_F8E5M2, 61439, 0x7b },
    { GHLO_ELEMENT_TYPE_F8E5M2, -INFINITY, 0xfc },
    { GHLO_ELEMENT_TYPE_F8E4M3FNUZ, 248, 0x80 },
    { GHLO_ELEMENT_TYPE_F8E4M3FNUZ, -INFINITY, 0x80 },
    { GHLO_ELEMENT_TYPE_F8E4M3FNUZ, -0.0, 0 },
    { GHLO_ELEMENT_TYPE_F8E5M2FNUZ, -1e-30, 0 },
    { GHLO_ELEMENT_TYPE_F8E4M3B11FNUZ, NAN, 0x80 },
    { GHLO_ELEMENT_TYPE_F4E2M1FN, 1e30, 0x7 },
    { GHLO_ELEMENT_TYPE_F4E2M1FN, -INFINITY, 0xf },
    { GHLO_ELEMENT_TYPE_F4E2M1FN, NAN, 0x8 },
    { GHLO_ELEMENT_TYPE_F6E3M2FN, 29.9, 0x1f },
    { GHLO_ELEMENT_TYPE_F8E8M0FNU, 0, 0 },
    { GHLO_ELEMENT_TYPE_F8E8M0FNU, 1e-300, 0 },
    { GHLO_ELEMENT_TYPE_F8E8M0FNU, -1, 0xff },
    { GHLO_ELEMENT_TYPE_F8E8M0FNU, 1e300, 0xff },
    { GHLO_ELEMENT_TYPE_F16, 65520, 0x7c00 },
    { GHLO_ELEMENT_TYPE_F16, 65519.99, 0x7bff },
    { GHLO_ELEMENT_TYPE_F16, 0x1p-25, 0 },
    { GHLO_ELEMENT_TYPE_F16, 0x1.0000001p-25, 1 },
    { GHLO_ELEMENT_TYPE_F16, 0x1p-1074, 0 },
    { GHLO_ELEMENT_TYPE_BF16, 1e39, 0x7f80 },
    /* Rounding to f32 first would turn this into a tie. */
    { GHLO_ELEMENT_TYPE_BF16, 0x1.0100000001p0, 0x3f81 },
    { GHLO_ELEMENT_TYPE_BF16, 0x1.01p0, 0x3f80 },
    { GHLO_ELEMENT_TYPE_BF16, 0x1.00ffffffffp0, 0x3f80 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_cmphex (ghlo_float_to_bits (rows[i].type, rows[i].value), ==, rows[i].bits);
}

static void
test_integers (void)
{
  guint8 bytes[9] = { 0 };
  GhloScalar value = { .i = 0 };

  value.i = 9;
  g_assert_cmpint (ghlo_element_round (GHLO_ELEMENT_TYPE_I4, value).i, ==, -7);
  g_assert_cmpint (ghlo_element_round (GHLO_ELEMENT_TYPE_I2, value).i, ==, 1);
  g_assert_cmpuint (ghlo_element_round (GHLO_ELEMENT_TYPE_UI2, value).u, ==, 1);
  value.i = -1;
  g_assert_cmpuint (ghlo_element_round (GHLO_ELEMENT_TYPE_UI4, value).u, ==, 15);
  g_assert_cmpuint (ghlo_element_round (GHLO_ELEMENT_TYPE_UI64, value).u, ==, G_MAXUINT64);
  g_assert_cmpint (ghlo_element_round (GHLO_ELEMENT_TYPE_I1, value).i, ==, 1);
  value.i = G_MININT64;
  g_assert_cmpint (ghlo_element_round (GHLO_ELEMENT_TYPE_I64, value).i, ==, G_MININT64);
  g_assert_cmpint (ghlo_element_round (GHLO_ELEMENT_TYPE_I32, value).i, ==, 0);

  /* No alignment is required, and no byte beyond the element is written. */
  value.i = -2;
  bytes[5] = 0x55;
  ghlo_element_store (GHLO_ELEMENT_TYPE_I32, bytes + 1, value);
  g_assert_cmpuint (bytes[5], ==, 0x55);
  g_assert_cmpint (ghlo_element_load (GHLO_ELEMENT_TYPE_I32, bytes + 1).i, ==, -2);

  value.i = -3;
  ghlo_element_store (GHLO_ELEMENT_TYPE_I4, bytes, value);
  g_assert_cmpuint (bytes[0], ==, 0xfd);
}

static void
test_complex (void)
{
  guint8 bytes[17];
  GhloScalar value = { .c = { 0.1, -2 } };
  GhloScalar read;

  ghlo_element_store (GHLO_ELEMENT_TYPE_COMPLEX_F32, bytes + 1, value);
  read = ghlo_element_load (GHLO_ELEMENT_TYPE_COMPLEX_F32, bytes + 1);
  g_assert_cmpfloat (read.c.re, ==, 0.1f);
  g_assert_cmpfloat (read.c.im, ==, -2);
  ghlo_element_store (GHLO_ELEMENT_TYPE_COMPLEX_F64, bytes + 1, value);
  read = ghlo_element_load (GHLO_ELEMENT_TYPE_COMPLEX_F64, bytes + 1);
  g_assert_true (ghlo_scalar_equal (GHLO_ELEMENT_TYPE_COMPLEX_F64, read, value));
  read.c.im = NAN;
  g_assert_false (ghlo_scalar_equal (GHLO_ELEMENT_TYPE_COMPLEX_F64, read, value));
  g_assert_true (ghlo_scalar_equal (GHLO_ELEMENT_TYPE_COMPLEX_F64, read, read));
  g_assert_cmpint (ghlo_element_type_real_part (GHLO_ELEMENT_TYPE_COMPLEX_F32), ==, GHLO_ELEMENT_TYPE_F32);
}

static void
check_text (GhloElementType type,
            double          value,
            const char     *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);

  ghlo_float_append (text, type, ghlo_float_to_bits (type, value));
  g_assert_cmpstr (text->str, ==, expected);
}

static void
test_text (void)
{
  check_text (GHLO_ELEMENT_TYPE_F32, 1, "1.000000e+00");
  check_text (GHLO_ELEMENT_TYPE_F32, -0.1, "-1.000000e-01");
  check_text (GHLO_ELEMENT_TYPE_F32, 0.7, "0.699999988");
  check_text (GHLO_ELEMENT_TYPE_F32, 1e-5, "9.99999974E-6");
  check_text (GHLO_ELEMENT_TYPE_F32, 3.14159265358979, "3.14159274");
  check_text (GHLO_ELEMENT_TYPE_F32, 16777215, "0x4B7FFFFF");
  check_text (GHLO_ELEMENT_TYPE_F32, 0, "0.000000e+00");
  check_text (GHLO_ELEMENT_TYPE_F32, -0.0, "-0.000000e+00");
  check_text (GHLO_ELEMENT_TYPE_F32, INFINITY, "0x7F800000");
  check_text (GHLO_ELEMENT_TYPE_F32, NAN, "0x7FC00000");
  check_text (GHLO_ELEMENT_TYPE_F64, -INFINITY, "0xFFF0000000000000");
  check_text (GHLO_ELEMENT_TYPE_F64, 0.1, "1.000000e-01");
  check_text (GHLO_ELEMENT_TYPE_F64, 1e22, "1.000000e+22");
  check_text (GHLO_ELEMENT_TYPE_F16, 0.1, "9.997550e-02");
  check_text (GHLO_ELEMENT_TYPE_BF16, NAN, "0x7FC0");
  check_text (GHLO_ELEMENT_TYPE_F8E5M2, 1.75, "1.750000e+00");
}

static void
check_text_round_trip (GString        *text,
                       GhloElementType type,
                       guint64         bits)
{
  double value = ghlo_float_from_bits (type, bits);
  guint64 read;

  g_string_truncate (text, 0);
  ghlo_float_append (text, type, bits);
  if (g_str_has_prefix (text->str, "0x"))
    read = g_ascii_strtoull (text->str + 2, NULL, 16);
  else
    read = ghlo_float_to_bits (type, g_ascii_strtod (text->str, NULL));
  if (read != bits)
    g_error ("%s of %s is not %a", text->str, ghlo_element_type_to_string (type), value);
}

static void
test_text_round_trip (void)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (small_floats); i++)
    for (guint bits = 0; bits < 1u << ghlo_element_info (small_floats[i])->bits; bits++)
      check_text_round_trip (text, small_floats[i], bits);
  for (guint i = 0; i < 50000; i++)
    {
      guint64 bits = (guint64) (guint32) g_test_rand_int () << 32 | (guint32) g_test_rand_int ();

      check_text_round_trip (text, GHLO_ELEMENT_TYPE_F64, bits);
      check_text_round_trip (text, GHLO_ELEMENT_TYPE_F32, bits & G_MAXUINT32);
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/element/names", test_names);
  g_test_add_func ("/element/round-trip", test_round_trip);
  g_test_add_func ("/element/rounding", test_rounding);
  g_test_add_func ("/element/specials", test_specials);
  g_test_add_func ("/element/integers", test_integers);
  g_test_add_func ("/element/complex", test_complex);
  g_test_add_func ("/element/text", test_text);
  g_test_add_func ("/element/text-round-trip", test_text_round_trip);

  return g_test_run ();
}
