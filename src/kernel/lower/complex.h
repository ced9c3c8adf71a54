/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Complex numbers as pairs of expressions, and helpers for writing functions of them. Functions of complex<f32> are
 * computed in f64, where products of two f32 are exact and squares stay in range, and each part is rounded once.
 * They are therefore as accurate as those of the reference executor, which uses wider numbers for both types.
 */

#pragma once

#include "kernel/lower/lowering.h"

G_BEGIN_DECLS

/* complex-functions.c: functions on f64 parts. */

typedef GhloComplexExpr (*GhloComplexFunction) (GhloLowering    *self,
                                                GhloComplexExpr  z);

/* Returns NULL where there is none. */
GhloComplexFunction ghlo_lower_complex_function (GhloScalarKind kind);
GhloComplexExpr ghlo_lower_complex_multiply (GhloLowering       *self,
                                             GhloComplexExpr     x,
                                             GhloComplexExpr     y);
GhloComplexExpr ghlo_lower_complex_divide (GhloLowering         *self,
                                           GhloComplexExpr       x,
                                           GhloComplexExpr       y);
GhloComplexExpr ghlo_lower_complex_power (GhloLowering          *self,
                                          GhloComplexExpr        x,
                                          GhloComplexExpr        y);
guint32 ghlo_lower_complex_abs      (GhloLowering              *self,
                                     GhloComplexExpr            z);

/* Nodes of f64, and predicates on them. */

#define COMPLEX_F64 GHLO_ELEMENT_TYPE_F64
#define COMPLEX_1(name, ID, type) \
  static inline guint32 \
  name (GhloLowering *self, \
        guint32       x) \
  { \
    return ghlo_lower_node (self, GHLO_NODE_##ID, type, x, GHLO_LOWER_NONE, GHLO_LOWER_NONE); \
  }

#define COMPLEX_2(name, ID, type) \
  static inline guint32 \
  name (GhloLowering *self, \
        guint32       x, \
        guint32       y) \
  { \
    return ghlo_lower_node (self, GHLO_NODE_##ID, type, x, y, GHLO_LOWER_NONE); \
  }

COMPLEX_1 (negate, NEGATE, COMPLEX_F64)
COMPLEX_1 (magnitude, ABS, COMPLEX_F64)
COMPLEX_1 (square_root, SQRT, COMPLEX_F64)
COMPLEX_2 (add, ADD, COMPLEX_F64)
COMPLEX_2 (subtract, SUBTRACT, COMPLEX_F64)
COMPLEX_2 (multiply, MULTIPLY, COMPLEX_F64)
COMPLEX_2 (divide, DIVIDE, COMPLEX_F64)
COMPLEX_2 (larger, MAXIMUM, COMPLEX_F64)
COMPLEX_2 (smaller, MINIMUM, COMPLEX_F64)
COMPLEX_2 (equal, EQUAL, GHLO_ELEMENT_TYPE_I1)
COMPLEX_2 (unequal, NOT_EQUAL, GHLO_ELEMENT_TYPE_I1)
COMPLEX_2 (less, LESS, GHLO_ELEMENT_TYPE_I1)
COMPLEX_2 (greater, GREATER, GHLO_ELEMENT_TYPE_I1)
COMPLEX_2 (both, AND, GHLO_ELEMENT_TYPE_I1)
COMPLEX_2 (either, OR, GHLO_ELEMENT_TYPE_I1)

#undef COMPLEX_1
#undef COMPLEX_2

static inline guint32
number (GhloLowering *self,
        double        value)
{
  return ghlo_lower_float (self, COMPLEX_F64, value);
}

static inline guint32
choose (GhloLowering *self,
        guint32       predicate,
        guint32       x,
        guint32       y)
{
  return ghlo_lower_node (self, GHLO_NODE_SELECT, COMPLEX_F64, predicate, x, y);
}

static inline guint32
is_nan (GhloLowering *self,
        guint32       x)
{
  return unequal (self, x, x);
}

static inline guint32
is_zero (GhloLowering *self,
         guint32       x)
{
  return equal (self, x, number (self, 0));
}

G_END_DECLS
