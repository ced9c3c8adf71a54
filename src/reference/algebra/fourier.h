/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fourier transforms of one row of complex numbers, of any length, in long doubles:
 * mixed radix for lengths with small prime factors, Bluestein's convolution for all
 * others. Always O(n log n).
 */

#pragma once

#include "reference/kernel.h"

G_BEGIN_DECLS

/* A plain pair, unlike GhloRefComplex, which is the complex type of C. */
typedef struct
{
  long double re, im;
} GhloRefComplexParts;

typedef struct _GhloRefFourier GhloRefFourier;

/* NULL with @error set when there is no memory or when @call is to stop. @call must outlive the transform.
 * @length is at least 1. */
GhloRefFourier *ghlo_ref_fourier_new  (GhloRefCall         *call,
                                       gsize                length,
                                       GError             **error);
void            ghlo_ref_fourier_free (GhloRefFourier      *self);
/* Transforms @row in place. The inverse transform divides by the length. FALSE when the call is to stop. */
gboolean        ghlo_ref_fourier_run  (GhloRefFourier      *self,
                                       gboolean             inverse,
                                       GhloRefComplexParts *row,
                                       GError             **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRefFourier, ghlo_ref_fourier_free)

G_END_DECLS
