/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of matrices of any numbers: the part that dot_general, einsum,
 * ragged_dot and convolution have in common. A matrix is held as one plane of
 * 8-byte numbers (two for complex numbers), in the arithmetic that is exact, or
 * else the widest, for the element types at hand.
 */

#pragma once

#include "base/sizes.h"
#include "reference/kernel.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_REF_DOUBLE,     /* planes of doubles, sums in doubles */
  GHLO_REF_LONG,       /* planes of doubles, sums in long doubles */
  GHLO_REF_INT,        /* planes of 64-bit integers, sums modulo 2^64 */
} GhloRefArithmetic;

typedef struct
{
  GhloRefArithmetic arithmetic;
  gboolean          complex;         /* two planes, real parts first */
  gboolean          round_each_step; /* every product and sum is rounded to the result's type; set for short sums,
                                      * except those of narrow floats */
  gboolean          round_to_f32;    /* that type is f32 */
  gboolean          boolean;         /* the sum is a logical or */
  gboolean          integral;        /* operands are integers; where doubles are used, they hold the sums exactly */
} GhloRefNumeric;

/* The arithmetic for sums of @k products of @lhs and @rhs whose result has type @result. */
GhloRefNumeric ghlo_ref_numeric       (GhloElementType        lhs,
                                       GhloElementType        rhs,
                                       GhloElementType        result,
                                       gsize                  k);
static inline guint
ghlo_ref_numeric_planes (const GhloRefNumeric *self)
{
  return self->complex ? 2 : 1;
}

/* Splits @n elements into planes of @n 8-byte numbers each. */
gboolean       ghlo_ref_numeric_read  (const GhloRefNumeric  *self,
                                       GhloRefCall           *call,
                                       GhloElementType        type,
                                       const guint8          *data,
                                       gsize                  n,
                                       gpointer              *planes,
                                       GError               **error);
/* @result = A * Bᵀ, stored densely as [m][n] elements of @type. */
gboolean       ghlo_ref_numeric_gemm  (const GhloRefNumeric  *self,
                                       GhloRefCall           *call,
                                       gsize                  m,
                                       gsize                  n,
                                       gsize                  k,
                                       gpointer const        *a,
                                       gpointer const        *b,
                                       GhloElementType        type,
                                       guint8                *result,
                                       GError               **error);

/* The dimensions in one role (batch, left, right or contracted), and the strides of both operands and of the
 * result along them, in elements. */
typedef struct
{
  guint  rank;
  gint64 dimensions[GHLO_MAX_RANK];
  gint64 lhs[GHLO_MAX_RANK];        /* strides; 0 where the operand has no such dimension */
  gint64 rhs[GHLO_MAX_RANK];
  gint64 result[GHLO_MAX_RANK];     /* 0 for contracted dimensions */
} GhloRefAxes;

/* result[batch, left, right] = sum over contracted of lhs[batch, left, contracted]
 * * rhs[batch, right, contracted]. */
typedef struct
{
  GhloElementType lhs_type, rhs_type, result_type;
  GhloRefAxes     batch, left, right, contracted;
} GhloRefContraction;

/* The elements of an operand as plain numbers. For a quantized operand these are the dequantized values, in
 * memory that is returned in @owned; for any other operand they are its own elements. NULL with @error set
 * when there is no memory. */
const guint8  *ghlo_ref_plain_numbers (const GhloValue          *value,
                                       GhloElementType          *type,
                                       guint8                  **owned,
                                       GError                  **error);

void           ghlo_ref_axes_append   (GhloRefAxes              *self,
                                       gint64                    dimension,
                                       gint64                    lhs,
                                       gint64                    rhs);
/* Sets the result's strides to those of a row-major result with dimensions in the order batch, left, right. */
void           ghlo_ref_contraction_set_dense (GhloRefContraction *self);
gboolean       ghlo_ref_contract      (GhloRefCall              *call,
                                       const GhloRefContraction *self,
                                       const guint8             *lhs,
                                       const guint8             *rhs,
                                       guint8                   *result,
                                       GError                  **error);
/* The same for whole values, quantized or not. Fills in the element types. */
gboolean       ghlo_ref_contract_values (GhloRefCall            *call,
                                       GhloRefContraction       *self,
                                       const GhloValue          *lhs,
                                       const GhloValue          *rhs,
                                       GhloValue                *result,
                                       GError                  **error);

G_END_DECLS
