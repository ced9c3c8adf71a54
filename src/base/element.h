/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties of each element type, and how one element is read from and written to a buffer. A scalar is held in
 * the widest type of its class, so that arithmetic is written once per class and rounded once, when the result is
 * stored.
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

/* What a float format uses its all-ones exponent for. */
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
  guint8             bits;           /* logical width; for complex types, of one part */
  guint8             size;           /* bytes of one element in a buffer */
  guint8             exponent_bits;  /* of floats, and of the parts of complex types */
  guint8             mantissa_bits;
  gint16             bias;
  GhloFloatSpecials  specials;
} GhloElementInfo;

/* One element in the widest type of its class. Booleans and signed integers use i, unsigned integers u, floats f,
 * complex numbers c. A double represents every value of every float type exactly. */
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

/* Returns the float type of a complex type's parts; any other type is returned unchanged. */
GhloElementType ghlo_element_type_real_part   (GhloElementType  type);

/* Reads the element at @data, which may be unaligned. */
GhloScalar      ghlo_element_load             (GhloElementType  type,
                                               gconstpointer    data);
/* Writes @value to @data. Integers wrap around; floats are rounded to nearest even, and on overflow saturate or
 * become infinity or NaN, depending on the format. */
void            ghlo_element_store            (GhloElementType  type,
                                               gpointer         data,
                                               GhloScalar       value);
/* Returns @value rounded to @type: the value that a load gives after a store. */
GhloScalar      ghlo_element_round            (GhloElementType  type,
                                               GhloScalar       value);

/* Returns the least or the greatest value of a type, which is an infinity for floats that have one. Complex types
 * have no limits. */
GhloScalar      ghlo_element_limit            (GhloElementType  type,
                                               gboolean         greatest);

/* The greatest number of addends whose sum is rounded after each addition. Such short sums of floats or complex
 * numbers of @type are added first to last, as the specification's formula is written and as its tests expect;
 * longer sums are computed in wider arithmetic and rounded once. The limit is lower for floats below 32 bits, which
 * lose precision sooner. Longer products of those are computed in f32 and rounded once; other products are rounded
 * after each multiplication, whatever the number of factors. */
static inline gsize
ghlo_element_short_sum (GhloElementType type)
{
  return ghlo_element_info (type)->bits < 32 ? 16 : 256;
}

/* Convert between values and the bits of a float format. @bits is right-aligned. */
guint64         ghlo_float_to_bits            (GhloElementType  type,
                                               double           value);
double          ghlo_float_from_bits          (GhloElementType  type,
                                               guint64          bits);
double          ghlo_float_limit              (GhloElementType  type,
                                               gboolean         greatest);

/* Returns TRUE when two scalars of @type have the same value. NaNs count as equal. */
gboolean        ghlo_scalar_equal             (GhloElementType  type,
                                               GhloScalar       a,
                                               GhloScalar       b);

G_END_DECLS
