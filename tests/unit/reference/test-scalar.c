/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The arithmetic of elementwise operations on single numbers: exact results, type by type. test-accuracy tests the
 * accuracy of inexact ones.
 */

#include <float.h>
#include <math.h>
#include <string.h>

#include "reference/scalar/elementwise.h"
#include "reference/scalar/scalar.h"

/* @first and @second: comparison direction and type, or exponent and mantissa bits; 0 for operations without
 * attributes. */
static GhloScalar
compute (GhloIrOpKind    kind,
         GhloElementType operand_type,
         GhloElementType result_type,
         gint64          first,
         gint64          second,
         GhloScalar      x,
         GhloScalar      y)
{
  GhloRefScalarOp op;
  GhloRefScalarFunc func = ghlo_ref_scalar_func_for (kind, operand_type, result_type, &op);
  const GhloScalar operands[] = { x, y };

  g_assert_nonnull (func);
  if (kind == GHLO_OP_STABLEHLO_COMPARE)
    {
      op.compare.direction = first;
      op.compare.type = second;
    }
  else
    {
      op.reduce_precision.exponent_bits = first;
      op.reduce_precision.mantissa_bits = second;
    }

  return func (&op, operands);
}

static gint64
on_signed (GhloIrOpKind    kind,
           GhloElementType type,
           gint64          x,
           gint64          y)
{
  return compute (kind, type, type, 0, 0, (GhloScalar) { .i = x }, (GhloScalar) { .i = y }).i;
}

static guint64
on_unsigned (GhloIrOpKind    kind,
             GhloElementType type,
             guint64         x,
             guint64         y)
{
  return compute (kind, type, type, 0, 0, (GhloScalar) { .u = x }, (GhloScalar) { .u = y }).u;
}

static double
on_float (GhloIrOpKind    kind,
          GhloElementType type,
          double          x,
          double          y)
{
  return compute (kind, type, type, 0, 0, (GhloScalar) { .f = x }, (GhloScalar) { .f = y }).f;
}

static gboolean
same (double x,
      double y)
{
  return (isnan (x) && isnan (y)) || (x == y && signbit (x) == signbit (y));
}

#define I(type) GHLO_ELEMENT_TYPE_##type
#define OP(name) GHLO_OP_STABLEHLO_##name

static void
test_integer_wrap (void)
{
  g_assert_cmpint (on_signed (OP (ADD), I (I8), 127, 1), ==, -128);
  g_assert_cmpint (on_signed (OP (SUBTRACT), I (I4), -8, 1), ==, 7);
  g_assert_cmpint (on_signed (OP (MULTIPLY), I (I64), G_MAXINT64, 2), ==, -2);
  g_assert_cmpint (on_signed (OP (NEGATE), I (I32), G_MININT32, 0), ==, G_MININT32);
  g_assert_cmpint (on_signed (OP (ABS), I (I64), G_MININT64, 0), ==, G_MININT64);
  g_assert_cmpint (on_signed (OP (ABS), I (I2), -2, 0), ==, -2);
  g_assert_cmpuint (on_unsigned (OP (ADD), I (UI2), 3, 1), ==, 0);
  g_assert_cmpuint (on_unsigned (OP (SUBTRACT), I (UI16), 0, 1), ==, 65535);
  g_assert_cmpuint (on_unsigned (OP (NEGATE), I (UI64), 1, 0), ==, G_MAXUINT64);
  g_assert_cmpuint (on_unsigned (OP (NOT), I (UI4), 5, 0), ==, 10);
  g_assert_cmpint (on_signed (OP (NOT), I (I4), 5, 0), ==, -6);
  g_assert_cmpint (on_signed (OP (SIGN), I (I8), -7, 0), ==, -1);
  g_assert_cmpint (on_signed (OP (ADD), I (INDEX), 2, 3), ==, 5);
}

static void
test_integer_divide (void)
{
  g_assert_cmpint (on_signed (OP (DIVIDE), I (I32), -17, 3), ==, -5);
  g_assert_cmpint (on_signed (OP (REMAINDER), I (I32), -17, 3), ==, -2);
  g_assert_cmpint (on_signed (OP (DIVIDE), I (I32), 17, 0), ==, -1);
  g_assert_cmpint (on_signed (OP (REMAINDER), I (I32), 17, 0), ==, 17);
  g_assert_cmpint (on_signed (OP (DIVIDE), I (I64), G_MININT64, -1), ==, G_MININT64);
  g_assert_cmpint (on_signed (OP (REMAINDER), I (I64), G_MININT64, -1), ==, 0);
  g_assert_cmpint (on_signed (OP (DIVIDE), I (I8), -128, -1), ==, -128);
  g_assert_cmpuint (on_unsigned (OP (DIVIDE), I (UI4), 9, 0), ==, 15);
  g_assert_cmpuint (on_unsigned (OP (REMAINDER), I (UI64), 9, 0), ==, 9);
}

static void
test_integer_power (void)
{
  g_assert_cmpint (on_signed (OP (POWER), I (I64), -3, 3), ==, -27);
  g_assert_cmpint (on_signed (OP (POWER), I (I64), -3, -3), ==, 0);
  g_assert_cmpint (on_signed (OP (POWER), I (I64), 1, G_MININT64), ==, 1);
  g_assert_cmpint (on_signed (OP (POWER), I (I64), -1, -3), ==, -1);
  g_assert_cmpint (on_signed (OP (POWER), I (I64), -1, G_MININT64), ==, 1);
  g_assert_cmpint (on_signed (OP (POWER), I (I8), 2, 7), ==, -128);
  g_assert_cmpint (on_signed (OP (POWER), I (I32), 0, 0), ==, 1);
  g_assert_cmpint (on_signed (OP (POWER), I (I32), 0, -1), ==, 0);
  g_assert_cmpuint (on_unsigned (OP (POWER), I (UI64), 5, 5), ==, 3125);
  g_assert_cmpuint (on_unsigned (OP (POWER), I (UI8), 3, 255), ==, 171);
}

static void
test_integer_bits (void)
{
  g_assert_cmpint (on_signed (OP (SHIFT_LEFT), I (I8), 1, 7), ==, -128);
  g_assert_cmpint (on_signed (OP (SHIFT_LEFT), I (I8), 1, 8), ==, 0);
  g_assert_cmpint (on_signed (OP (SHIFT_LEFT), I (I64), 1, 64), ==, 0);
  g_assert_cmpint (on_signed (OP (SHIFT_LEFT), I (I64), 1, -1), ==, 0);
  g_assert_cmpint (on_signed (OP (SHIFT_RIGHT_LOGICAL), I (I8), -1, 1), ==, 127);
  g_assert_cmpint (on_signed (OP (SHIFT_RIGHT_LOGICAL), I (I4), -8, 3), ==, 1);
  g_assert_cmpint (on_signed (OP (SHIFT_RIGHT_LOGICAL), I (I32), -1, 32), ==, 0);
  g_assert_cmpint (on_signed (OP (SHIFT_RIGHT_ARITHMETIC), I (I32), -8, 1), ==, -4);
  g_assert_cmpint (on_signed (OP (SHIFT_RIGHT_ARITHMETIC), I (I32), -8, 99), ==, -1);
  g_assert_cmpuint (on_unsigned (OP (SHIFT_RIGHT_ARITHMETIC), I (UI8), 0x80, 1), ==, 0xc0);
  g_assert_cmpuint (on_unsigned (OP (SHIFT_RIGHT_ARITHMETIC), I (UI8), 0x80, 200), ==, 0xff);
  g_assert_cmpint (on_signed (OP (POPCNT), I (I4), -1, 0), ==, 4);
  g_assert_cmpint (on_signed (OP (POPCNT), I (I64), -1, 0), ==, 64);
  /* The number two does not fit into two bits. */
  g_assert_cmpint (on_signed (OP (POPCNT), I (I2), -1, 0), ==, -2);
  g_assert_cmpint (on_signed (OP (COUNT_LEADING_ZEROS), I (I8), 0, 0), ==, 8);
  g_assert_cmpint (on_signed (OP (COUNT_LEADING_ZEROS), I (I8), -1, 0), ==, 0);
  g_assert_cmpint (on_signed (OP (COUNT_LEADING_ZEROS), I (I64), 128, 0), ==, 56);
  g_assert_cmpuint (on_unsigned (OP (COUNT_LEADING_ZEROS), I (UI4), 1, 0), ==, 3);
  g_assert_cmpint (on_signed (GHLO_OP_CHLO_MULHI, I (I8), -128, -128), ==, 64);
  g_assert_cmpint (on_signed (GHLO_OP_CHLO_MULHI, I (I64), G_MININT64, G_MAXINT64), ==, -(G_GINT64_CONSTANT (1) << 62));
  g_assert_cmpuint (on_unsigned (GHLO_OP_CHLO_MULHI, I (UI64), G_MAXUINT64, G_MAXUINT64), ==, G_MAXUINT64 - 1);
}

static void
test_boolean (void)
{
  for (int x = 0; x < 2; x++)
    for (int y = 0; y < 2; y++)
      {
        g_assert_cmpint (on_signed (OP (ADD), I (I1), x, y), ==, x | y);
        g_assert_cmpint (on_signed (OP (MULTIPLY), I (I1), x, y), ==, x & y);
        g_assert_cmpint (on_signed (OP (MAXIMUM), I (I1), x, y), ==, x | y);
        g_assert_cmpint (on_signed (OP (MINIMUM), I (I1), x, y), ==, x & y);
        g_assert_cmpint (on_signed (OP (XOR), I (I1), x, y), ==, x ^ y);
        g_assert_cmpint (on_signed (OP (NOT), I (I1), x, y), ==, !x);
      }
}

static void
test_float_extremes (void)
{
  static const GhloElementType types[] = { I (F64), I (F32), I (F16), I (BF16), I (F8E5M2), I (F8E4M3FN) };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    {
      g_assert_true (same (on_float (OP (MAXIMUM), types[t], -0.0, 0.0), 0.0));
      g_assert_true (same (on_float (OP (MAXIMUM), types[t], 0.0, -0.0), 0.0));
      g_assert_true (same (on_float (OP (MINIMUM), types[t], -0.0, 0.0), -0.0));
      g_assert_true (same (on_float (OP (MINIMUM), types[t], 0.0, -0.0), -0.0));
      g_assert_true (isnan (on_float (OP (MAXIMUM), types[t], NAN, 1.0)));
      g_assert_true (isnan (on_float (OP (MINIMUM), types[t], 1.0, NAN)));
      g_assert_true (isnan (on_float (OP (SIGN), types[t], NAN, 0)));
      g_assert_true (same (on_float (OP (SIGN), types[t], -0.0, 0), -0.0));
      g_assert_true (same (on_float (OP (SIGN), types[t], -3.0, 0), -1.0));
      g_assert_true (same (on_float (OP (REMAINDER), types[t], -7.0, 4.0), -3.0));
      g_assert_true (isnan (on_float (OP (REMAINDER), types[t], 7.0, 0.0)));
      g_assert_true (same (on_float (OP (IMAG), types[t], -7.0, 0.0), 0.0));
      g_assert_true (same (on_float (OP (ROUND_NEAREST_EVEN), types[t], 2.5, 0.0), 2.0));
      g_assert_true (same (on_float (OP (ROUND_NEAREST_EVEN), types[t], -0.5, 0.0), -0.0));
      g_assert_true (same (on_float (OP (ROUND_NEAREST_AFZ), types[t], 2.5, 0.0), 3.0));
      g_assert_true (same (on_float (OP (ROUND_NEAREST_AFZ), types[t], -2.5, 0.0), -3.0));
    }

  g_assert_true (same (on_float (OP (ROUND_NEAREST_AFZ), I (F64), 0.49999999999999994, 0.0), 0.0));
  g_assert_true (same (on_float (OP (DIVIDE), I (F32), 1.0, -0.0), -INFINITY));
  g_assert_true (same (on_float (OP (LOGISTIC), I (F32), -INFINITY, 0.0), 0.0));
  g_assert_true (same (on_float (OP (LOGISTIC), I (F64), INFINITY, 0.0), 1.0));
  g_assert_true (same (on_float (OP (RSQRT), I (F64), 0.0, 0.0), INFINITY));
}

static gint64
compare (GhloElementType type,
         gint64          direction,
         gint64          compare_type,
         double          x,
         double          y)
{
  return compute (OP (COMPARE), type, I (I1), direction, compare_type,
                  (GhloScalar) { .f = x }, (GhloScalar) { .f = y }).i;
}

static void
test_compare (void)
{
  /* In the total order. */
  static const double ordered[] = { -INFINITY, -1, -0.0, 0.0, 1, INFINITY };
  const double positive_nan = copysign (NAN, 1), negative_nan = copysign (NAN, -1);

  g_assert_cmpint (compare (I (F32), GHLO_REF_COMPARE_EQ, 1, NAN, NAN), ==, 0);
  g_assert_cmpint (compare (I (F32), GHLO_REF_COMPARE_NE, 1, NAN, NAN), ==, 1);
  g_assert_cmpint (compare (I (F32), GHLO_REF_COMPARE_GE, 1, 1.0, NAN), ==, 0);
  g_assert_cmpint (compare (I (F32), GHLO_REF_COMPARE_LE, 1, -0.0, 0.0), ==, 1);
  g_assert_cmpint (compare (I (F64), GHLO_REF_COMPARE_EQ, 0, -0.0, 0.0), ==, 1);

  for (guint i = 0; i < G_N_ELEMENTS (ordered); i++)
    {
      for (guint k = 0; k < G_N_ELEMENTS (ordered); k++)
        {
          g_assert_cmpint (compare (I (F32), GHLO_REF_COMPARE_LT, 2, ordered[i], ordered[k]), ==, i < k);
          g_assert_cmpint (compare (I (F64), GHLO_REF_COMPARE_GE, 2, ordered[i], ordered[k]), ==, i >= k);
          g_assert_cmpint (compare (I (BF16), GHLO_REF_COMPARE_EQ, 2, ordered[i], ordered[k]), ==, i == k);
        }
      g_assert_cmpint (compare (I (F32), GHLO_REF_COMPARE_LT, 2, ordered[i], positive_nan), ==, 1);
      g_assert_cmpint (compare (I (F32), GHLO_REF_COMPARE_LT, 2, negative_nan, ordered[i]), ==, 1);
    }
  g_assert_cmpint (compare (I (F32), GHLO_REF_COMPARE_EQ, 2, positive_nan, positive_nan), ==, 1);
}

static GhloScalar
convert (GhloElementType from,
         GhloElementType to,
         GhloScalar      x)
{
  return compute (OP (CONVERT), from, to, 0, 0, x, x);
}

static gint64
float_to_integer (GhloElementType to,
                  double          x)
{
  return convert (I (F64), to, (GhloScalar) { .f = x }).i;
}

static void
test_convert_integers (void)
{
  g_assert_cmpint (convert (I (I32), I (I8), (GhloScalar) { .i = 300 }).i, ==, 44);
  g_assert_cmpint (convert (I (I32), I (I4), (GhloScalar) { .i = 8 }).i, ==, -8);
  g_assert_cmpint (convert (I (I8), I (UI64), (GhloScalar) { .i = -1 }).u == G_MAXUINT64, ==, TRUE);
  g_assert_cmpint (convert (I (UI64), I (I1), (GhloScalar) { .u = 256 }).i, ==, 1);
  g_assert_cmpint (float_to_integer (I (I8), -1.9), ==, -1);
  g_assert_cmpint (float_to_integer (I (I8), 1e10), ==, 127);
  g_assert_cmpint (float_to_integer (I (I8), -1e10), ==, -128);
  g_assert_cmpint (float_to_integer (I (UI8), -1), ==, 0);
  g_assert_cmpint (float_to_integer (I (UI8), 256), ==, 255);
  g_assert_cmpint (float_to_integer (I (I64), 0x1p63), ==, G_MAXINT64);
  g_assert_cmpint (float_to_integer (I (I64), -0x1p63), ==, G_MININT64);
  g_assert_cmpint (float_to_integer (I (I64), -INFINITY), ==, G_MININT64);
  g_assert_cmpint (float_to_integer (I (UI64), INFINITY), ==, -1);
  g_assert_cmpint (float_to_integer (I (UI64), 0x1.fffffffffffffp63), ==, (gint64) 0xfffffffffffff800);
  g_assert_cmpint (float_to_integer (I (I32), NAN), ==, 0);
  g_assert_cmpint (float_to_integer (I (I1), NAN), ==, 1);
  g_assert_cmpint (float_to_integer (I (I1), -0.0), ==, 0);
}

/* Whether @rounded is the number of f32 nearest to @x, ties to even. */
static void
assert_nearest_f32 (gint64 x,
                    double rounded)
{
  float direct = (float) x;

  g_assert_cmpfloat ((float) rounded, ==, direct);
}

static void
test_convert_rounds_once (void)
{
  /* Just above the midpoint between two floats, by less than a double can represent. */
  gint64 tie = (G_GINT64_CONSTANT (1) << 62) + (G_GINT64_CONSTANT (1) << 38) + 1;

  assert_nearest_f32 (tie, convert (I (I64), I (F32), (GhloScalar) { .i = tie }).f);
  assert_nearest_f32 (-tie, convert (I (I64), I (F32), (GhloScalar) { .i = -tie }).f);
  assert_nearest_f32 (tie - 1, convert (I (I64), I (F32), (GhloScalar) { .i = tie - 1 }).f);
  g_assert_cmpfloat (convert (I (I64), I (COMPLEX_F32), (GhloScalar) { .i = tie }).c.re, ==, (float) tie);
  g_assert_cmpfloat (convert (I (UI64), I (F64), (GhloScalar) { .u = G_MAXUINT64 }).f, ==, 0x1p64);
  g_assert_cmpfloat (convert (I (UI64), I (F16), (GhloScalar) { .u = G_MAXUINT64 }).f, ==, INFINITY);
  tie = (G_GINT64_CONSTANT (0x101) << 54) + 1;
  g_assert_cmpfloat (convert (I (I64), I (BF16), (GhloScalar) { .i = tie }).f, ==, 0x1.02p62);

  for (guint i = 0; i < 10000; i++)
    {
      guint64 x = ((guint64) g_test_rand_int () << 32 | (guint32) g_test_rand_int ()) >> g_test_rand_int_range (0, 63);

      assert_nearest_f32 ((gint64) x, convert (I (I64), I (F32), (GhloScalar) { .u = x }).f);
    }
}

/* Every pair of types gives a result, which is representable. */
static void
test_convert_pairs (void)
{
  static const double values[] = { 0.0, -0.0, 1.0, -1.5, 3.0, 1e30, -1e300, INFINITY, -INFINITY, NAN };

  for (guint from = I (I1); from <= I (INDEX); from++)
    for (guint to = I (I1); to <= I (INDEX); to++)
      for (guint i = 0; i < G_N_ELEMENTS (values); i++)
        {
          GhloScalar x = convert (I (F64), from, (GhloScalar) { .f = values[i] });
          GhloScalar y = convert (from, to, x);

          g_assert_true (ghlo_scalar_equal (to, y, ghlo_element_round (to, y)));
        }
}

static double
reduce (GhloElementType type,
        gint64          exponent_bits,
        gint64          mantissa_bits,
        double          x)
{
  return compute (OP (REDUCE_PRECISION), type, type, exponent_bits, mantissa_bits,
                  (GhloScalar) { .f = x }, (GhloScalar) { .f = 0 }).f;
}

static void
test_reduce_precision (void)
{
  /* Like f16, but subnormal numbers become zero. */
  g_assert_cmpfloat (reduce (I (F64), 5, 10, 65505.0), ==, 65504.0);
  g_assert_cmpfloat (reduce (I (F64), 5, 10, 65520.0), ==, INFINITY);
  g_assert_cmpfloat (reduce (I (F32), 5, 10, -65520.0), ==, -INFINITY);
  g_assert_true (same (reduce (I (F32), 5, 10, -0x1p-15), -0.0));
  g_assert_cmpfloat (reduce (I (F32), 5, 10, 0x1p-14), ==, 0x1p-14);
  g_assert_true (isnan (reduce (I (F32), 5, 10, NAN)));
  g_assert_cmpfloat (reduce (I (F64), 5, 0, NAN), ==, INFINITY);
  /* Without mantissa bits a tie is rounded to the even exponent. */
  g_assert_cmpfloat (reduce (I (F32), 8, 0, 1.5), ==, 2.0);
  g_assert_cmpfloat (reduce (I (F32), 8, 0, 3.0), ==, 2.0);
  g_assert_cmpfloat (reduce (I (F32), 8, 1, 1.25), ==, 1.0);
  g_assert_cmpfloat (reduce (I (F32), 8, 7, FLT_MAX), ==, INFINITY);
  g_assert_cmpfloat (reduce (I (F32), 8, 23, 0x1p-149), ==, 0x1p-149);
  g_assert_cmpfloat (reduce (I (F64), 1000, 1000, DBL_MAX), ==, DBL_MAX);
  g_assert_cmpfloat (reduce (I (F32), 1, 23, 2.0), ==, INFINITY);
  g_assert_cmpfloat (reduce (I (BF16), 8, 3, 1.0625), ==, 1.0);

  for (guint bits = 0; bits < 1 << 16; bits++)
    {
      double x = ghlo_float_from_bits (I (BF16), bits), f16 = ghlo_element_round (I (F16), (GhloScalar) { .f = x }).f;

      if (!isnan (x) && (fabs (f16) >= 0x1p-14 || f16 == 0))
        g_assert_true (same (reduce (I (F32), 5, 10, x), fabs (x) < 0x1p-14 ? copysign (0, x) : f16));
    }
}

static int
by_value (gconstpointer a,
          gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

/* Every value's neighbours, in every format of up to 16 bits. */
static void
test_next_after (void)
{
  for (GhloElementType type = I (F4E2M1FN); type <= I (F16); type++)
    {
      const GhloElementInfo *info = ghlo_element_info (type);
      g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));

      for (guint bits = 0; bits < 1u << info->bits; bits++)
        {
          double value = ghlo_float_from_bits (type, bits);

          if (!isnan (value) && (value != 0 || !signbit (value)))
            g_array_append_val (values, value);
        }
      g_array_sort (values, by_value);

      for (guint i = 0; i + 1 < values->len; i++)
        {
          double x = g_array_index (values, double, i), y = g_array_index (values, double, i + 1);
          double least = g_array_index (values, double, 0);
          double greatest = g_array_index (values, double, values->len - 1);

          g_assert_cmpfloat (on_float (GHLO_OP_CHLO_NEXT_AFTER, type, x, greatest), ==, y);
          g_assert_cmpfloat (on_float (GHLO_OP_CHLO_NEXT_AFTER, type, y, least), ==, x);
        }
    }

  g_assert_cmpfloat (on_float (GHLO_OP_CHLO_NEXT_AFTER, I (F64), 1, 2), ==, nextafter (1, 2));
  g_assert_cmpfloat (on_float (GHLO_OP_CHLO_NEXT_AFTER, I (F32), FLT_MAX, INFINITY), ==, INFINITY);
  g_assert_true (same (on_float (GHLO_OP_CHLO_NEXT_AFTER, I (F32), 0, -0.0), -0.0));
  g_assert_true (same (on_float (GHLO_OP_CHLO_NEXT_AFTER, I (F32), 0, -1), -0x1p-149));
  g_assert_true (isnan (on_float (GHLO_OP_CHLO_NEXT_AFTER, I (F32), NAN, 1)));
}

static void
test_special_edges (void)
{
  g_assert_cmpfloat (on_float (GHLO_OP_CHLO_LGAMMA, I (F64), 0, 0), ==, INFINITY);
  g_assert_cmpfloat (on_float (GHLO_OP_CHLO_LGAMMA, I (F64), -3, 0), ==, INFINITY);
  g_assert_cmpfloat (on_float (GHLO_OP_CHLO_LGAMMA, I (F64), -INFINITY, 0), ==, INFINITY);
  g_assert_true (isnan (on_float (GHLO_OP_CHLO_DIGAMMA, I (F64), 0, 0)));
  g_assert_true (isnan (on_float (GHLO_OP_CHLO_DIGAMMA, I (F64), -2, 0)));
  g_assert_cmpfloat (on_float (GHLO_OP_CHLO_DIGAMMA, I (F64), INFINITY, 0), ==, INFINITY);
  g_assert_cmpfloat (on_float (GHLO_OP_CHLO_ZETA, I (F64), 1, 5), ==, INFINITY);
  g_assert_true (isnan (on_float (GHLO_OP_CHLO_ZETA, I (F64), 0.5, 5)));
  g_assert_cmpfloat (on_float (GHLO_OP_CHLO_ZETA, I (F64), 2, 0), ==, INFINITY);
  g_assert_true (isnan (on_float (GHLO_OP_CHLO_ZETA, I (F64), 3, -1)));
  g_assert_true (isnan (on_float (GHLO_OP_CHLO_ZETA, I (F64), 2.5, -0.5)));
  g_assert_cmpfloat (on_float (GHLO_OP_CHLO_ZETA, I (F64), 1e300, 2), ==, 0);
  g_assert_true (isnan (on_float (GHLO_OP_CHLO_POLYGAMMA, I (F64), -1, 2)));
  g_assert_true (isnan (on_float (GHLO_OP_CHLO_POLYGAMMA, I (F64), 1.5, 2)));
  g_assert_true (isnan (on_float (GHLO_OP_CHLO_POLYGAMMA, I (F64), INFINITY, 2)));
  g_assert_cmpfloat (on_float (GHLO_OP_CHLO_POLYGAMMA, I (F64), 0, 1), ==,
                     on_float (GHLO_OP_CHLO_DIGAMMA, I (F64), 1, 0));
  g_assert_cmpfloat (on_float (GHLO_OP_CHLO_ERF_INV, I (F32), -1, 0), ==, -INFINITY);
  g_assert_true (isnan (on_float (GHLO_OP_CHLO_ERF_INV, I (F32), 1.5, 0)));
  g_assert_true (same (on_float (GHLO_OP_CHLO_ERF_INV, I (F32), -0.0, 0), -0.0));
  g_assert_true (same (on_float (GHLO_OP_CHLO_BESSEL_I1E, I (F64), -0.0, 0), -0.0));
  g_assert_true (same (on_float (GHLO_OP_CHLO_BESSEL_I1E, I (F64), INFINITY, 0), 0.0));

  /* Left of zero: trigamma (-1/2) is π²/2 + 4, and ζ (2, -1/2) the same. */
  g_assert_cmpfloat_with_epsilon (on_float (GHLO_OP_CHLO_POLYGAMMA, I (F64), 1, -0.5), G_PI * G_PI / 2 + 4, 1e-14);
  g_assert_cmpfloat_with_epsilon (on_float (GHLO_OP_CHLO_ZETA, I (F64), 2, -1.5), G_PI * G_PI / 2 + 4 + 4 / 9.0, 1e-14);
}

/* Specialized loops give the results of the functions. */
static void
test_fast_loops (void)
{
  static const GhloIrOpKind kinds[] = { OP (ADD), OP (SUBTRACT), OP (MULTIPLY), OP (DIVIDE), OP (MAXIMUM),
                                        OP (MINIMUM), OP (COMPARE) };
  static const double values[] = { 0.0, -0.0, 1.5, -7.0, 3e38, INFINITY, -INFINITY, NAN };
  enum { N = G_N_ELEMENTS (values) * G_N_ELEMENTS (values) };

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (guint direction = 0; direction < 6; direction++)
      {
        GhloElementType result_type = kinds[k] == OP (COMPARE) ? I (I1) : I (F32);
        GhloRefScalarOp op;
        GhloRefScalarFunc func = ghlo_ref_scalar_func_for (kinds[k], I (F32), result_type, &op);
        float x[N], y[N];
        guint8 results[N * sizeof (float)];
        const guint8 *operands[] = { (const guint8 *) x, (const guint8 *) y };

        op.compare.direction = direction;
        for (guint i = 0; i < N; i++)
          {
            x[i] = (float) values[i / G_N_ELEMENTS (values)];
            y[i] = (float) values[i % G_N_ELEMENTS (values)];
          }
        ghlo_ref_fast_loop (&op) (&op, operands, results, N);

        for (guint i = 0; i < N; i++)
          {
            GhloScalar expected = func (&op, (const GhloScalar[]) { { .f = x[i] }, { .f = y[i] } });
            GhloScalar found = ghlo_element_load (result_type, results + i * ghlo_element_info (result_type)->size);

            g_assert_true (ghlo_scalar_equal (result_type, expected, found));
            if (result_type == I (F32) && !isnan (expected.f))
              g_assert_cmpint (signbit (expected.f) != 0, ==, signbit (found.f) != 0);
          }
      }
}

/* Blocks hold the same values as single elements, and narrow formats round like conversion. */
static void
test_blocks (void)
{
  for (GhloElementType type = I (F4E2M1FN); type <= I (F16); type++)
    {
      const GhloElementInfo *info = ghlo_element_info (type);

      for (guint bits = 0; bits < 1u << info->bits; bits++)
        {
          guint16 data = (guint16) bits, stored = 0;
          GhloScalar loaded, expected = ghlo_element_load (type, &data);

          ghlo_ref_load_block (type, (const guint8 *) &data, 1, &loaded, 1);
          g_assert_true (same (loaded.f, expected.f));
          ghlo_ref_store_block (type, (guint8 *) &stored, 1, &loaded);
          g_assert_true (same (ghlo_element_load (type, &stored).f, expected.f));
        }

      for (guint i = 0; i < 20000; i++)
        {
          double x = ldexp (g_test_rand_double_range (-2, 2), g_test_rand_int_range (-18, 18));

          if (i % 2)
            x = ghlo_element_round (type, (GhloScalar) { .f = x }).f;
          g_assert_true (same (on_float (OP (MULTIPLY), type, x, 1.0625),
                               ghlo_element_round (type, (GhloScalar) { .f = x * 1.0625 }).f));
        }
    }
}

static void
test_quantization (void)
{
  static const double scales[] = { 0.1, 0.5 };
  static const gint64 zero_points[] = { -30, -20 }, shape[] = { 3, 2, 4 };
  g_autoptr (GhloQuantization) quantization = ghlo_quantization_new (I (I8), I (F32), -128, 127, 1,
                                                                     scales, zero_points, 2);
  GhloRefQuantizedAxis axis;

  g_assert_true (ghlo_ref_quantized_axis_init (&axis, quantization, shape, 3));
  g_assert_cmpint (ghlo_ref_scalar_quantize (&axis, 8, (GhloScalar) { .f = 4.0 }).i, ==, 10);
  g_assert_cmpint (ghlo_ref_scalar_quantize (&axis, 12, (GhloScalar) { .f = 15.0 }).i, ==, 10);
  g_assert_cmpint (ghlo_ref_scalar_quantize (&axis, 0, (GhloScalar) { .f = INFINITY }).i, ==, 127);
  g_assert_cmpint (ghlo_ref_scalar_quantize (&axis, 0, (GhloScalar) { .f = -1e30 }).i, ==, -128);
  g_assert_cmpint (ghlo_ref_scalar_quantize (&axis, 0, (GhloScalar) { .f = NAN }).i, ==, 0);
  g_assert_cmpfloat (ghlo_ref_scalar_dequantize (&axis, 4, (GhloScalar) { .i = 10 }).f, ==, 15.0);
  g_assert_cmpfloat (ghlo_ref_scalar_dequantize (&axis, 3, (GhloScalar) { .i = 10 }).f, ==, 4.0f);
  g_assert_false (ghlo_ref_quantized_axis_init (&axis, quantization, shape, 1));
  g_assert_false (ghlo_ref_quantized_axis_init (&axis, quantization, shape + 1, 2));
}

static void
test_undefined (void)
{
  GhloRefScalarOp op;

  g_assert_null (ghlo_ref_scalar_func_for (OP (SUBTRACT), I (I1), I (I1), &op));
  g_assert_null (ghlo_ref_scalar_func_for (OP (AND), I (F32), I (F32), &op));
  g_assert_null (ghlo_ref_scalar_func_for (OP (REMAINDER), I (COMPLEX_F32), I (COMPLEX_F32), &op));
  g_assert_null (ghlo_ref_scalar_func_for (OP (ADD), I (F32), I (F64), &op));
  g_assert_null (ghlo_ref_scalar_func_for (OP (RESHAPE), I (F32), I (F32), &op));
  g_assert_nonnull (ghlo_ref_scalar_func_for (GHLO_OP_CHLO_BROADCAST_ADD, I (F32), I (F32), &op));
  g_assert_cmpint (op.kind, ==, GHLO_SCALAR_ADD);
}

/* The result of an operation is a number of its type, as the next operation relies on that: for all operations, and
 * all numbers of one-byte types. */
static void
test_own_numbers (void)
{
  for (GhloElementType type = 1; type <= GHLO_ELEMENT_TYPE_F8E8M0FNU; type++)
    for (guint kind = 1; kind < GHLO_N_OPS && ghlo_element_type_is_float (type); kind++)
      {
        const guint n = 1u << ghlo_element_info (type)->bits;
        GhloRefScalarOp op;
        GhloRefScalarFunc func = ghlo_ref_scalar_func_for (kind, type, type, &op);

        if (func == NULL || n > 256)
          continue;
        op.reduce_precision.exponent_bits = 3;
        op.reduce_precision.mantissa_bits = 1;
        for (guint i = 0; i < n * n; i += i < 8 * n ? 1 : 7)
          {
            const GhloScalar operands[] = {
              { .f = ghlo_float_from_bits (type, i % n) }, { .f = ghlo_float_from_bits (type, i / n) }, { .f = 1 },
            };
            const GhloScalar result = func (&op, operands);

            if (!same (result.f, ghlo_element_round (type, result).f))
              g_error ("%s of %s: %g of %g and %g", ghlo_ir_op_spec (kind)->name, ghlo_element_info (type)->name,
                       result.f, operands[0].f, operands[1].f);
          }
      }
}

/* The result does not depend on which NaN an operand is. */
static void
test_complex_nan (void)
{
  static const GhloIrOpKind kinds[] = { OP (TAN), OP (TANH), OP (EXPONENTIAL), OP (SQRT), OP (SINE), OP (LOG) };
  static const double others[] = { 0, 1, -INFINITY, INFINITY };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    for (guint j = 0; j < 2 * G_N_ELEMENTS (others); j++)
      {
        const double other = others[j / 2];
        const GhloScalar x = { .c = { j % 2 == 0 ? NAN : other, j % 2 == 0 ? other : NAN } };
        const GhloScalar y = { .c = { j % 2 == 0 ? -NAN : other, j % 2 == 0 ? other : -NAN } };
        const GhloScalar a = compute (kinds[i], I (COMPLEX_F64), I (COMPLEX_F64), 0, 0, x, x);
        const GhloScalar b = compute (kinds[i], I (COMPLEX_F64), I (COMPLEX_F64), 0, 0, y, y);

        g_assert_true (same (a.c.re, b.c.re) && same (a.c.im, b.c.im));
      }
}

static gboolean
has_nan (GhloScalar x)
{
  return isnan (x.c.re) || isnan (x.c.im);
}

/* The result does not depend on the order of operands, and is one of them: if one has a NaN, that one. */
static void
test_complex_extremes (void)
{
  static const double parts[] = { NAN, -0.0, 0.0, 1, -2, INFINITY };
  enum { N = G_N_ELEMENTS (parts) * G_N_ELEMENTS (parts) };

  for (guint i = 0; i < N; i++)
    for (guint j = 0; j < N; j++)
      for (guint k = 0; k < 2; k++)
        {
          const GhloIrOpKind kind = k == 0 ? OP (MAXIMUM) : OP (MINIMUM);
          const GhloScalar x = { .c = { parts[i / G_N_ELEMENTS (parts)], parts[i % G_N_ELEMENTS (parts)] } };
          const GhloScalar y = { .c = { parts[j / G_N_ELEMENTS (parts)], parts[j % G_N_ELEMENTS (parts)] } };
          const GhloScalar z = compute (kind, I (COMPLEX_F32), I (COMPLEX_F32), 0, 0, x, y);
          const GhloScalar other = compute (kind, I (COMPLEX_F32), I (COMPLEX_F32), 0, 0, y, x);

          g_assert_true (same (z.c.re, other.c.re) && same (z.c.im, other.c.im));
          g_assert_true ((same (z.c.re, x.c.re) && same (z.c.im, x.c.im))
                         || (same (z.c.re, y.c.re) && same (z.c.im, y.c.im)));
          g_assert_true (has_nan (z) == (has_nan (x) || has_nan (y)));
        }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/scalar/integer/wrap", test_integer_wrap);
  g_test_add_func ("/scalar/integer/divide", test_integer_divide);
  g_test_add_func ("/scalar/integer/power", test_integer_power);
  g_test_add_func ("/scalar/integer/bits", test_integer_bits);
  g_test_add_func ("/scalar/boolean", test_boolean);
  g_test_add_func ("/scalar/float/extremes", test_float_extremes);
  g_test_add_func ("/scalar/compare", test_compare);
  g_test_add_func ("/scalar/convert/integers", test_convert_integers);
  g_test_add_func ("/scalar/convert/rounds-once", test_convert_rounds_once);
  g_test_add_func ("/scalar/convert/pairs", test_convert_pairs);
  g_test_add_func ("/scalar/reduce-precision", test_reduce_precision);
  g_test_add_func ("/scalar/next-after", test_next_after);
  g_test_add_func ("/scalar/special-edges", test_special_edges);
  g_test_add_func ("/scalar/fast-loops", test_fast_loops);
  g_test_add_func ("/scalar/blocks", test_blocks);
  g_test_add_func ("/scalar/quantization", test_quantization);
  g_test_add_func ("/scalar/complex-extremes", test_complex_extremes);
  g_test_add_func ("/scalar/complex-nan", test_complex_nan);
  g_test_add_func ("/scalar/own-numbers", test_own_numbers);
  g_test_add_func ("/scalar/undefined", test_undefined);

  return g_test_run ();
}
