/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is known of each element type, and how one element is read from and
 * written to a buffer. A scalar is held in the widest type of its class, so
 * that arithmetic is written once for a class and rounded once, on storing.
 */

#pragma once

#include "ghlo-enums.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_ELEMENT_CLASS_NONE,
  GHLO_ELEMENT_CLASS_BOOLEAN,   /* i1 */
  GHLO_ELEMENT_CLASS_SIGNED,    /* i2 … i64, index */
  GHLO_ELEMENT_CLASS_UNSIGNED,  /* ui2 … ui64 */
  GHLO_ELEMENT_CLASS_FLOAT,
  GHLO_ELEMENT_CLASS_COMPLEX,
} GhloElementClass;

/* How a float format spends its all-ones exponent. */
typedef enum
{
  GHLO_FLOAT_IEEE,      /* infinities and NaNs */
  GHLO_FLOAT_FINITE,    /* "FN": no infinity; NaN is all ones (or absent below 8 bits) */
  GHLO_FLOAT_FNUZ,      /* no infinity, no negative zero; NaN is the sign bit alone */
  GHLO_FLOAT_E8M0,      /* exponent only, NaN is 0xff */
} GhloFloatSpecials;

typedef struct
{
  const char        *name;           /* MLIR's spelling */
  GhloElementClass   element_class;
  guint8             bits;           /* logical width; of one part for complex */
  guint8             size;           /* bytes of one element in a buffer */
  guint8             exponent_bits;  /* floats, and the parts of complex */
  guint8             mantissa_bits;
  gint16             bias;
  GhloFloatSpecials  specials;
} GhloElementInfo;

/* One element in the widest type of its class. Booleans and signed integers
 * use i, unsigned ones u, floats f, complex c. For every float type but f64
 * the double is exact; f64 itself is exact too. */
typedef union
{
  gint64  i;
  guint64 u;
  double  f;
  struct { double re, im; } c;
} GhloScalar;

extern const GhloElementInfo ghlo_element_infos[];

static inline const GhloElementInfo *
ghlo_element_info (GhloElementType type)
{
  return &ghlo_element_infos[type];
}

static inline gboolean
ghlo_element_type_is_integer (GhloElementType type)
{
  GhloElementClass c = ghlo_element_info (type)->element_class;
  return c == GHLO_ELEMENT_CLASS_SIGNED || c == GHLO_ELEMENT_CLASS_UNSIGNED;
}

static inline gboolean
ghlo_element_type_is_float (GhloElementType type)
{
  return ghlo_element_info (type)->element_class == GHLO_ELEMENT_CLASS_FLOAT;
}

static inline gboolean
ghlo_element_type_is_complex (GhloElementType type)
{
  return ghlo_element_info (type)->element_class == GHLO_ELEMENT_CLASS_COMPLEX;
}

/* The float type of a complex type's parts; any other type is given back. */
GhloElementType ghlo_element_type_real_part   (GhloElementType  type);

/* Reads the element at @data, which needs no alignment. */
GhloScalar      ghlo_element_load             (GhloElementType  type,
                                               gconstpointer    data);
/* Writes @value at @data: integers wrap, floats round to nearest even (and
 * saturate or become NaN as the format has it). */
void            ghlo_element_store            (GhloElementType  type,
                                               gpointer         data,
                                               GhloScalar       value);
/* The value rounded to @type: what is loaded after it was stored. */
GhloScalar      ghlo_element_round            (GhloElementType  type,
                                               GhloScalar       value);

/* The least or the greatest value of a type: infinities of floats that have them. Complex
 * numbers have none. */
GhloScalar      ghlo_element_limit            (GhloElementType  type,
                                               gboolean         greatest);

/* Sums of at most so many floats or complex numbers of @type are rounded after each addition, first
 * to last, as the specification's formula is written and its tests expect it; longer ones are made in
 * wider arithmetic and rounded once. Floats below 32 bits would lose too much that way sooner. Their
 * products are rounded after each multiplication, whatever the number of factors. */
static inline gsize
ghlo_element_short_sum (GhloElementType type)
{
  return ghlo_element_info (type)->bits < 32 ? 16 : 256;
}

/* The bits of a float format, and back. @bits is right-aligned. */
guint64         ghlo_float_to_bits            (GhloElementType  type,
                                               double           value);
double          ghlo_float_from_bits          (GhloElementType  type,
                                               guint64          bits);
double          ghlo_float_limit              (GhloElementType  type,
                                               gboolean         greatest);

/* TRUE when two scalars of one type are the same value, NaNs counting as equal. */
gboolean        ghlo_scalar_equal             (GhloElementType  type,
                                               GhloScalar       a,
                                               GhloScalar       b);

G_END_DECLS
