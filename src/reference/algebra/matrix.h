/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrices for linear algebra: dense row-major arrays of long doubles, or of pairs of
 * them for complex numbers.
 */

#pragma once

#include "reference/kernel.h"
#include "reference/scalar/complex-math.h"

G_BEGIN_DECLS

typedef long double GhloRefReal;

static inline GhloRefReal
ghlo_ref_squared_size (GhloRefComplex x)
{
  return creall (x) * creall (x) + cimagl (x) * cimagl (x);
}

/* Room for @n numbers, real or complex; the caller frees it. */
gpointer ghlo_ref_numbers_new   (gboolean         complex_numbers,
                                 gsize            n,
                                 GError         **error);
/* @n numbers of @value, starting at element @first. */
void     ghlo_ref_numbers_load  (const GhloValue *value,
                                 gsize            first,
                                 gsize            n,
                                 gpointer         numbers);
void     ghlo_ref_numbers_store (GhloValue       *value,
                                 gsize            first,
                                 gsize            n,
                                 gconstpointer    numbers);
/* Copies one triangle of a square matrix, optionally transposed and conjugated, and with ones on the diagonal
 * when @unit. Elements outside the triangle become zero. */
void     ghlo_ref_take_triangle (gboolean         complex_numbers,
                                 gconstpointer    from,
                                 gpointer         to,
                                 gsize            n,
                                 gboolean         lower,
                                 gboolean         transpose,
                                 gboolean         conjugate,
                                 gboolean         unit);

G_END_DECLS
