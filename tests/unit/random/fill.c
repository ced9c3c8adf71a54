/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fills the inputs and constants of random programs, and compares two answers within what is known of their numbers.
 */

#include <math.h>
#include <string.h>

#include "../passes/pass-help.h"
#include "ir/print/print.h"
#include "numbers.h"

/* 32 pseudo-random bits for a seed and a position. */
static guint32
mix (guint32 seed,
     guint64 place)
{
  guint64 bits = (place + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) ^ (guint64) seed * 0xff51afd7u;

  bits = (bits ^ bits >> 29) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);

  return (guint32) (bits >> 32);
}

/* The grid's step whose multiples are exact in types with so few mantissa bits. */
static double
grid_step (GhloElementType type)
{
  return ghlo_element_info (type)->mantissa_bits >= 7 ? 0.5 : 1;
}

static double
grid_real (GhloElementType type,
           guint32         bits)
{
  gboolean is_wide = ghlo_element_info (type)->mantissa_bits >= 7;
  int number = (int) (bits % (is_wide ? 17 : 5)) - (is_wide ? 8 : 2);

  if (type == GHLO_ELEMENT_TYPE_F8E8M0FNU)
    return ldexp (1, (int) (bits % 4));
  if (number == 0 && (bits & 64) != 0)
    return -0.0;

  return number * grid_step (type);
}

static GhloScalar
grid_scalar (GhloElementType type,
             guint32         bits)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  GhloScalar value = { .c = { 0, 0 } };

  switch (info->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT:
      value.f = grid_real (type, bits);
      break;
    case GHLO_ELEMENT_CLASS_COMPLEX:
      value.c.re = grid_real (type, bits) / 2;
      value.c.im = grid_real (type, bits >> 8) / 2;
      break;
    case GHLO_ELEMENT_CLASS_BOOLEAN:
      value.i = bits & 1;
      break;
    case GHLO_ELEMENT_CLASS_SIGNED:
      value.i = info->bits <= 2 ? (gint64) (bits % 4) - 2 : (gint64) (bits % 8) - 3;
      break;
    default:
      value.u = bits % (info->bits <= 2 ? 4 : 8);
      break;
    }

  return value;
}

static GhloScalar
plain_scalar (GhloElementType type,
              guint32         bits)
{
  static const double reals[] = { 0, -0.0, 1, -1, 2, 0.5, 0, 1 };
  static const gint64 integers[] = { 0, 1, -1, 2, 3, 4, 0, 1 };
  GhloScalar value = { .c = { 0, 0 } };

  if (type == GHLO_ELEMENT_TYPE_F8E8M0FNU)
    value.f = 1 + bits % 2;
  else if (ghlo_element_type_is_float (type) || ghlo_element_type_is_complex (type))
    value.c.re = reals[bits % (ghlo_element_info (type)->mantissa_bits >= 7 ? 8 : 5)];
  else
    value.i = type == GHLO_ELEMENT_TYPE_I1 ? bits & 1 : integers[bits % 8];
  if (ghlo_element_type_is_complex (type) && bits % 5 == 0)
    value.c.im = 1;

  return value;
}

static GhloScalar
special_scalar (GhloElementType type,
                guint32         bits)
{
  static const double specials[] = { NAN, INFINITY, -INFINITY, -0.0 };
  static const gint64 extremes[] = { G_MININT64, G_MAXINT64, -1, 1 << 16 };
  GhloScalar value = grid_scalar (type, bits >> 4);

  if (bits % 3 != 0)
    return value;
  if (ghlo_element_type_is_float (type))
    value.f = specials[bits / 3 % 4];
  else if (ghlo_element_type_is_complex (type) && bits % 2 == 0)
    value.c.re = specials[bits / 6 % 4];
  else if (ghlo_element_type_is_complex (type))
    value.c.im = specials[bits / 6 % 4];
  else if (type != GHLO_ELEMENT_TYPE_I1)
    value.i = extremes[bits / 3 % 4];

  return value;
}

/* Hermitian matrices with dominant diagonals. */
static GhloScalar
positive_scalar (GhloElementType type,
                 guint32         seed,
                 gsize           matrix,
                 gint64          row,
                 gint64          column,
                 gint64          size)
{
  guint32 bits = mix (seed, (matrix * 64 + (guint64) MIN (row, column)) * 64 + (guint64) MAX (row, column));
  double real = row == column ? (double) size + 1 + bits % 2 : ((int) (bits % 5) - 2) * 0.5;
  double imaginary = row == column ? 0 : ((int) (bits / 8 % 3) - 1) * 0.5 * (row < column ? 1 : -1);
  GhloScalar value = { .c = { 0, 0 } };

  if (ghlo_element_type_is_float (type))
    value.f = real;
  else if (ghlo_element_type_is_complex (type))
    value.c.re = real, value.c.im = imaginary;
  else
    value.i = 1 + bits % 3;

  return value;
}

void
random_fill (GhloElementType  type,
             const gint64    *dimensions,
             guint            rank,
             RandomFill       fill,
             guint32          seed,
             guint8          *data)
{
  gint64 rows = rank >= 2 ? dimensions[rank - 2] : 1, columns = rank >= 1 ? dimensions[rank - 1] : 1;
  gsize n = 1, size = ghlo_element_info (type)->size;

  for (guint i = 0; i < rank; i++)
    n *= (gsize) dimensions[i];
  for (gsize i = 0; i < n; i++)
    {
      guint32 bits = mix (seed, i);
      gint64 column = (gint64) i % columns, row = (gint64) i / columns % rows;
      GhloScalar value = fill == RANDOM_FILL_WILD      ? pass_special (type, bits % 225)
                         : fill == RANDOM_FILL_SPECIAL ? special_scalar (type, bits)
                         : fill == RANDOM_FILL_PLAIN   ? plain_scalar (type, bits)
                         : fill == RANDOM_FILL_POSITIVE
                           ? positive_scalar (type, seed, rank >= 2 ? i / (gsize) (rows * columns) : i, row,
                                              rank >= 2 ? column : row, rows)
                           : grid_scalar (type, bits);

      ghlo_element_store (type, data + i * size, value);
    }
}

static void
clamp_storage (const GhloQuantization *quantization,
               GhloValue              *value)
{
  gsize size = ghlo_element_info (quantization->storage)->size;

  for (gsize i = 0; i < value->n_elements; i++)
    {
      GhloScalar scalar = ghlo_element_load (quantization->storage, value->data + i * size);

      scalar.i = CLAMP (scalar.i, quantization->storage_min, quantization->storage_max);
      ghlo_element_store (quantization->storage, value->data + i * size, scalar);
    }
}

GhloValue *
random_input (GhloTensorType *type,
              RandomFill      fill,
              guint32         seed)
{
  GhloValue *value = ghlo_value_new_tensor (type, NULL);

  if (value == NULL)
    return NULL;
  random_fill (type->element_type, type->dimensions, type->rank, fill, seed, value->data);
  if (type->quantization != NULL)
    clamp_storage (type->quantization, value);

  return value;
}

RandomNumbers
random_numbers_filled (GhloElementType type,
                       RandomFill      fill)
{
  RandomNumbers numbers = random_numbers_unknown ();
  gboolean is_number = ghlo_element_type_is_float (type) || ghlo_element_type_is_complex (type);

  /* Without infinities, the largest number is used instead. */
  if (fill == RANDOM_FILL_WILD || (fill == RANDOM_FILL_PLAIN && !is_number)
      || (fill == RANDOM_FILL_SPECIAL && type != GHLO_ELEMENT_TYPE_I1
          && (!is_number || ghlo_element_info (type)->bits < 8)))
    return numbers;
  numbers = random_numbers_small (type == GHLO_ELEMENT_TYPE_I1 ? 1 : 8, is_number ? grid_step (type) / 2 : 1);
  numbers.specials = fill == RANDOM_FILL_SPECIAL && is_number;
  if ((fill == RANDOM_FILL_GRID || fill == RANDOM_FILL_PLAIN) && is_number)
    {
      numbers.magnitude = ghlo_element_info (type)->mantissa_bits >= 7 ? 4 : 2;
      numbers.step = grid_step (type);
      if (type == GHLO_ELEMENT_TYPE_F8E8M0FNU)
        numbers.magnitude = 8;
      if (ghlo_element_type_is_complex (type))
        numbers.magnitude = 2, numbers.step = 0.25;
    }

  return numbers;
}

static gboolean
real_agrees (GhloElementType      type,
             double               a,
             double               b,
             const RandomNumbers *numbers)
{
  double limit = random_largest (type) * (1 + random_epsilon (type));

  if (isnan (a) || isnan (b))
    return isnan (a) && isnan (b);
  if (numbers->trust == RANDOM_EQUAL || a == b)
    return a == b;
  /* Infinity stands for the number after the largest. */
  a = CLAMP (a, -limit, limit);
  b = CLAMP (b, -limit, limit);

  return fabs (a - b) <= numbers->error + numbers->ulps * random_epsilon (type) * fabs (a);
}

static gboolean
element_agrees (GhloElementType      type,
                const guint8        *expected,
                const guint8        *found,
                const RandomNumbers *numbers,
                gboolean             same_bits)
{
  GhloScalar a, b;

  if (memcmp (expected, found, ghlo_element_info (type)->size) == 0)
    return TRUE;
  a = ghlo_element_load (type, expected);
  b = ghlo_element_load (type, found);
  if (same_bits || numbers->trust == RANDOM_BITS)
    return ghlo_element_type_is_float (type)
           ? pass_same_real (a.f, b.f, 0)
           : ghlo_element_type_is_complex (type) && pass_same_real (a.c.re, b.c.re, 0)
             && pass_same_real (a.c.im, b.c.im, 0);
  if (ghlo_element_type_is_float (type))
    return real_agrees (type, a.f, b.f, numbers);
  if (ghlo_element_type_is_complex (type))
    {
      RandomNumbers both = *numbers;

      /* An error may move between the parts. */
      if (both.trust == RANDOM_NEAR && isfinite (a.c.re) && isfinite (a.c.im))
        both.error += both.ulps * random_epsilon (type) * fmax (fabs (a.c.re), fabs (a.c.im));
      return real_agrees (type, a.c.re, b.c.re, &both) && real_agrees (type, a.c.im, b.c.im, &both);
    }

  return FALSE;
}

char *
random_compare (const GhloValue     *expected,
                const GhloValue     *found,
                const RandomNumbers *numbers,
                gboolean             same_bits)
{
  GhloElementType type;
  gsize size;

  if (expected->kind != found->kind)
    return g_strdup ("the kinds of values differ");
  if (expected->kind != GHLO_VALUE_TENSOR)
    return NULL;
  if (expected->n_bytes != found->n_bytes || !ghlo_tensor_type_equal (expected->type, found->type))
    return g_strdup ("the types of values differ");
  same_bits = same_bits && !numbers->reordered;
  if (!same_bits && numbers->trust == RANDOM_NONE)
    return NULL;

  type = expected->type->element_type;
  size = ghlo_element_info (type)->size;
  for (gsize i = 0; i < expected->n_elements; i++)
    if (!element_agrees (type, expected->data + i * size, found->data + i * size, numbers, same_bits))
      {
        g_autoptr (GString) text = g_string_new (NULL);

        g_string_append_printf (text, "element %" G_GSIZE_FORMAT " was ", i);
        ghlo_ir_append_scalar (text, type, ghlo_element_load (type, expected->data + i * size));
        g_string_append (text, " and is ");
        ghlo_ir_append_scalar (text, type, ghlo_element_load (type, found->data + i * size));
        if (!same_bits && numbers->trust == RANDOM_NEAR)
          g_string_append_printf (text, ", more than %g and %g units apart", numbers->error, numbers->ulps);
        return g_string_free (g_steal_pointer (&text), FALSE);
      }

  return NULL;
}
