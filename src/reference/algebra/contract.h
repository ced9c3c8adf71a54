/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of matrices of any numbers: what dot_general, einsum, ragged_dot and
 * convolution have in common. A matrix is held as one plane of 8-byte numbers,
 * or two for complex ones, in the arithmetic that is exact or widest for the
 * element types at hand.
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
  gboolean          complex;      /* two planes, real parts first */
  gboolean          in_steps;     /* each operation is rounded to the result's type: short sums, but of narrow floats */
  gboolean          round_to_f32; /* which is f32 */
  gboolean          boolean;      /* the sum is a logical or */
  gboolean          integral;     /* operands are integers, and doubles hold their sums exactly where those are used */
} GhloRefNumeric;

/* The arithmetic for sums of @k products of @lhs and @rhs given as @result. */
GhloRefNumeric ghlo_ref_numeric       (GhloElementType        lhs,
                                       GhloElementType        rhs,
                                       GhloElementType        result,
                                       gsize                  k);
static inline guint
ghlo_ref_numeric_planes (const GhloRefNumeric *self)
{
  return self->complex ? 2 : 1;
}

/* Splits @n elements into planes, each of @n 8-byte numbers. */
void           ghlo_ref_numeric_read  (const GhloRefNumeric  *self,
                                       GhloElementType        type,
                                       const guint8          *data,
                                       gsize                  n,
                                       gpointer              *planes);
/* @result = A * Bᵀ, elements of @type: [m][n], dense. */
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

/* One operand's dimensions in a role, and what one step costs (in elements). */
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

/* An operand's elements as plain numbers: its own, or, where it is quantized,
 * what they stand for, in memory given in @owned. NULL with @error set when
 * there is none. */
const guint8  *ghlo_ref_plain_numbers (const GhloValue          *value,
                                       GhloElementType          *type,
                                       guint8                  **owned,
                                       GError                  **error);

void           ghlo_ref_axes_append   (GhloRefAxes              *self,
                                       gint64                    dimension,
                                       gint64                    lhs,
                                       gint64                    rhs);
/* Gives the result's axes, in the order of batch, left, right, row-major strides. */
void           ghlo_ref_contraction_set_dense (GhloRefContraction *self);
gboolean       ghlo_ref_contract      (GhloRefCall              *call,
                                       const GhloRefContraction *self,
                                       const guint8             *lhs,
                                       const guint8             *rhs,
                                       guint8                   *result,
                                       GError                  **error);
/* The same with whole values, quantized or not; fills in the element types. */
gboolean       ghlo_ref_contract_values (GhloRefCall            *call,
                                       GhloRefContraction       *self,
                                       const GhloValue          *lhs,
                                       const GhloValue          *rhs,
                                       GhloValue                *result,
                                       GError                  **error);

G_END_DECLS
