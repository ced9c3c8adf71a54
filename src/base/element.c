/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of element types, and loads and stores of one element.
 */

#include "element.h"
#include "base/bits.h"

#include <math.h>
#include <string.h>

#define BOOLEAN(name) \
  { name, GHLO_ELEMENT_CLASS_BOOLEAN, 1, 1, 0, 0, 0, GHLO_FLOAT_IEEE }
#define SIGNED(name, bits, size) \
  { name, GHLO_ELEMENT_CLASS_SIGNED, bits, size, 0, 0, 0, GHLO_FLOAT_IEEE }
#define UNSIGNED(name, bits, size) \
  { name, GHLO_ELEMENT_CLASS_UNSIGNED, bits, size, 0, 0, 0, GHLO_FLOAT_IEEE }
#define FLOAT(name, bits, size, exponent, mantissa, bias, specials) \
  { name, GHLO_ELEMENT_CLASS_FLOAT, bits, size, exponent, mantissa, bias, GHLO_FLOAT_##specials }
#define COMPLEX(name, bits, size, exponent, mantissa, bias) \
  { name, GHLO_ELEMENT_CLASS_COMPLEX, bits, size, exponent, mantissa, bias, GHLO_FLOAT_IEEE }

const GhloElementInfo ghlo_element_infos[] = {
  [GHLO_ELEMENT_TYPE_INVALID] = { NULL, GHLO_ELEMENT_CLASS_NONE, 0, 0, 0, 0, 0, GHLO_FLOAT_IEEE },
  [GHLO_ELEMENT_TYPE_I1] = BOOLEAN ("i1"),
  [GHLO_ELEMENT_TYPE_I2] = SIGNED ("i2", 2, 1),
  [GHLO_ELEMENT_TYPE_I4] = SIGNED ("i4", 4, 1),
  [GHLO_ELEMENT_TYPE_I8] = SIGNED ("i8", 8, 1),
  [GHLO_ELEMENT_TYPE_I16] = SIGNED ("i16", 16, 2),
  [GHLO_ELEMENT_TYPE_I32] = SIGNED ("i32", 32, 4),
  [GHLO_ELEMENT_TYPE_I64] = SIGNED ("i64", 64, 8),
  [GHLO_ELEMENT_TYPE_UI2] = UNSIGNED ("ui2", 2, 1),
  [GHLO_ELEMENT_TYPE_UI4] = UNSIGNED ("ui4", 4, 1),
  [GHLO_ELEMENT_TYPE_UI8] = UNSIGNED ("ui8", 8, 1),
  [GHLO_ELEMENT_TYPE_UI16] = UNSIGNED ("ui16", 16, 2),
  [GHLO_ELEMENT_TYPE_UI32] = UNSIGNED ("ui32", 32, 4),
  [GHLO_ELEMENT_TYPE_UI64] = UNSIGNED ("ui64", 64, 8),
  [GHLO_ELEMENT_TYPE_F4E2M1FN] = FLOAT ("f4E2M1FN", 4, 1, 2, 1, 1, FINITE),
  [GHLO_ELEMENT_TYPE_F6E2M3FN] = FLOAT ("f6E2M3FN", 6, 1, 2, 3, 1, FINITE),
  [GHLO_ELEMENT_TYPE_F6E3M2FN] = FLOAT ("f6E3M2FN", 6, 1, 3, 2, 3, FINITE),
  [GHLO_ELEMENT_TYPE_F8E3M4] = FLOAT ("f8E3M4", 8, 1, 3, 4, 3, IEEE),
  [GHLO_ELEMENT_TYPE_F8E4M3] = FLOAT ("f8E4M3", 8, 1, 4, 3, 7, IEEE),
  [GHLO_ELEMENT_TYPE_F8E4M3FN] = FLOAT ("f8E4M3FN", 8, 1, 4, 3, 7, FINITE),
  [GHLO_ELEMENT_TYPE_F8E4M3FNUZ] = FLOAT ("f8E4M3FNUZ", 8, 1, 4, 3, 8, FNUZ),
  [GHLO_ELEMENT_TYPE_F8E4M3B11FNUZ] = FLOAT ("f8E4M3B11FNUZ", 8, 1, 4, 3, 11, FNUZ),
  [GHLO_ELEMENT_TYPE_F8E5M2] = FLOAT ("f8E5M2", 8, 1, 5, 2, 15, IEEE),
  [GHLO_ELEMENT_TYPE_F8E5M2FNUZ] = FLOAT ("f8E5M2FNUZ", 8, 1, 5, 2, 16, FNUZ),
  [GHLO_ELEMENT_TYPE_F8E8M0FNU] = FLOAT ("f8E8M0FNU", 8, 1, 8, 0, 127, E8M0),
  [GHLO_ELEMENT_TYPE_BF16] = FLOAT ("bf16", 16, 2, 8, 7, 127, IEEE),
  [GHLO_ELEMENT_TYPE_F16] = FLOAT ("f16", 16, 2, 5, 10, 15, IEEE),
  [GHLO_ELEMENT_TYPE_F32] = FLOAT ("f32", 32, 4, 8, 23, 127, IEEE),
  [GHLO_ELEMENT_TYPE_F64] = FLOAT ("f64", 64, 8, 11, 52, 1023, IEEE),
  [GHLO_ELEMENT_TYPE_COMPLEX_F32] = COMPLEX ("complex<f32>", 32, 8, 8, 23, 127),
  [GHLO_ELEMENT_TYPE_COMPLEX_F64] = COMPLEX ("complex<f64>", 64, 16, 11, 52, 1023),
  [GHLO_ELEMENT_TYPE_INDEX] = SIGNED ("index", 64, 8),
};

enum { N_ELEMENT_TYPES = G_N_ELEMENTS (ghlo_element_infos) };

/**
 * ghlo_element_type_to_string:
 * @element_type: an element type
 *
 * Gives MLIR's spelling of an element type, such as `f32`, `ui8` or `complex<f64>`.
 *
 * Returns: (transfer none) (nullable): the spelling, or %NULL for
 *   %GHLO_ELEMENT_TYPE_INVALID and numbers that are no element type
 *
 * Since: 1.0
 */
const char *
ghlo_element_type_to_string (GhloElementType element_type)
{
  if ((guint) element_type >= N_ELEMENT_TYPES)
    return NULL;

  return ghlo_element_infos[element_type].name;
}

/**
 * ghlo_element_type_from_string:
 * @string: (nullable): MLIR's spelling of an element type
 *
 * Finds an element type by MLIR's spelling.
 *
 * Returns: the element type, or %GHLO_ELEMENT_TYPE_INVALID when no element type
 *   has that spelling
 *
 * Since: 1.0
 */
GhloElementType
ghlo_element_type_from_string (const char *string)
{
  if (string == NULL)
    return GHLO_ELEMENT_TYPE_INVALID;

  for (guint i = 1; i < N_ELEMENT_TYPES; i++)
    if (strcmp (ghlo_element_infos[i].name, string) == 0)
      return (GhloElementType) i;

  return GHLO_ELEMENT_TYPE_INVALID;
}

/**
 * ghlo_element_type_get_size:
 * @element_type: an element type
 *
 * Gives the number of bytes that one element takes in a buffer. Types under 8
 * bits take a whole byte.
 *
 * Returns: the size in bytes, 0 for %GHLO_ELEMENT_TYPE_INVALID and numbers that
 *   are no element type
 *
 * Since: 1.0
 */
gsize
ghlo_element_type_get_size (GhloElementType element_type)
{
  if ((guint) element_type >= N_ELEMENT_TYPES)
    return 0;

  return ghlo_element_infos[element_type].size;
}

GhloElementType
ghlo_element_type_real_part (GhloElementType type)
{
  if (type == GHLO_ELEMENT_TYPE_COMPLEX_F32)
    return GHLO_ELEMENT_TYPE_F32;
  if (type == GHLO_ELEMENT_TYPE_COMPLEX_F64)
    return GHLO_ELEMENT_TYPE_F64;

  return type;
}

/* Returns the @size bytes at @data as a number. */
static inline guint64
load_bits (gconstpointer data,
           gsize         size)
{
  guint16 two;
  guint32 four;
  guint64 eight;

  switch (size)
    {
    case 1:
      return *(const guint8 *) data;
    case 2:
      memcpy (&two, data, sizeof two);
      return two;
    case 4:
      memcpy (&four, data, sizeof four);
      return four;
    default:
      memcpy (&eight, data, sizeof eight);
      return eight;
    }
}

static inline void
store_bits (gpointer data,
            gsize    size,
            guint64  bits)
{
  guint16 two = (guint16) bits;
  guint32 four = (guint32) bits;

  switch (size)
    {
    case 1:
      *(guint8 *) data = (guint8) bits;
      break;
    case 2:
      memcpy (data, &two, sizeof two);
      break;
    case 4:
      memcpy (data, &four, sizeof four);
      break;
    default:
      memcpy (data, &bits, sizeof bits);
      break;
    }
}

static inline gint64
sign_extend (guint64 bits,
             guint   n_bits)
{
  guint64 sign = (guint64) 1 << (n_bits - 1);

  bits &= ghlo_low_bits (n_bits);

  return (gint64) ((bits ^ sign) - sign);
}

GhloScalar
ghlo_element_load (GhloElementType type,
                   gconstpointer   data)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  GhloScalar value = { .c = { 0, 0 } };

  switch (info->element_class)
    {
    case GHLO_ELEMENT_CLASS_BOOLEAN:
      value.i = *(const guint8 *) data != 0;
      break;
    case GHLO_ELEMENT_CLASS_SIGNED:
      value.i = sign_extend (load_bits (data, info->size), info->bits);
      break;
    case GHLO_ELEMENT_CLASS_UNSIGNED:
      value.u = load_bits (data, info->size) & ghlo_low_bits (info->bits);
      break;
    case GHLO_ELEMENT_CLASS_FLOAT:
      value.f = ghlo_float_from_bits (type, load_bits (data, info->size));
      break;
    case GHLO_ELEMENT_CLASS_COMPLEX:
      value.c.re = ghlo_float_from_bits (type, load_bits (data, info->size / 2));
      value.c.im = ghlo_float_from_bits (type, load_bits ((const guint8 *) data + info->size / 2, info->size / 2));
      break;
    case GHLO_ELEMENT_CLASS_NONE:
      break;
    }

  return value;
}

void
ghlo_element_store (GhloElementType type,
                    gpointer        data,
                    GhloScalar      value)
{
  const GhloElementInfo *info = ghlo_element_info (type);

  switch (info->element_class)
    {
    case GHLO_ELEMENT_CLASS_BOOLEAN:
      *(guint8 *) data = value.i & 1;
      break;
    case GHLO_ELEMENT_CLASS_SIGNED:
      store_bits (data, info->size, (guint64) sign_extend ((guint64) value.i, info->bits));
      break;
    case GHLO_ELEMENT_CLASS_UNSIGNED:
      store_bits (data, info->size, value.u & ghlo_low_bits (info->bits));
      break;
    case GHLO_ELEMENT_CLASS_FLOAT:
      store_bits (data, info->size, ghlo_float_to_bits (type, value.f));
      break;
    case GHLO_ELEMENT_CLASS_COMPLEX:
      store_bits (data, info->size / 2, ghlo_float_to_bits (type, value.c.re));
      store_bits ((guint8 *) data + info->size / 2, info->size / 2, ghlo_float_to_bits (type, value.c.im));
      break;
    case GHLO_ELEMENT_CLASS_NONE:
      break;
    }
}

GhloScalar
ghlo_element_round (GhloElementType type,
                    GhloScalar      value)
{
  guint8 bytes[sizeof (GhloScalar)] = { 0 };

  ghlo_element_store (type, bytes, value);

  return ghlo_element_load (type, bytes);
}

GhloScalar
ghlo_element_limit (GhloElementType type,
                    gboolean        greatest)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  guint64 bits = ghlo_low_bits (info->bits);

  switch (info->element_class)
    {
    case GHLO_ELEMENT_CLASS_BOOLEAN:
      return (GhloScalar) { .i = greatest };
    case GHLO_ELEMENT_CLASS_SIGNED:
      return (GhloScalar) { .u = greatest ? bits >> 1 : ~(bits >> 1) };
    case GHLO_ELEMENT_CLASS_UNSIGNED:
      return (GhloScalar) { .u = greatest ? bits : 0 };
    case GHLO_ELEMENT_CLASS_FLOAT:
      return (GhloScalar) { .f = ghlo_float_limit (type, greatest) };
    case GHLO_ELEMENT_CLASS_COMPLEX:
    case GHLO_ELEMENT_CLASS_NONE:
      break;
    }

  return (GhloScalar) { .c = { 0, 0 } };
}

static gboolean
real_equal (double a,
            double b)
{
  return a == b || (isnan (a) && isnan (b));
}

gboolean
ghlo_scalar_equal (GhloElementType type,
                   GhloScalar      a,
                   GhloScalar      b)
{
  switch (ghlo_element_info (type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT:
      return real_equal (a.f, b.f);
    case GHLO_ELEMENT_CLASS_COMPLEX:
      return real_equal (a.c.re, b.c.re) && real_equal (a.c.im, b.c.im);
    case GHLO_ELEMENT_CLASS_NONE:
      return TRUE;
    default:
      return a.u == b.u;
    }
}
