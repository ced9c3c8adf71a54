/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrix products of 8-byte numbers, C += A * Bᵀ: A is [m][k], B is [n][k] and C is
 * [m][n], all dense. Products and sums are computed in the accumulator's type, and
 * each element of C sums its products in ascending order of k. Where products are
 * exact, the result therefore depends neither on the blocking nor on the vector
 * width.
 */

#pragma once

#include "reference/kernel.h"

G_BEGIN_DECLS

/* Products are exact for numbers of up to 26 bits (f32 and narrower floats, small integers). With
 * @round_to_f32, every product and every sum is rounded to f32. */
gboolean ghlo_ref_gemm_double (GhloRefCall       *call,
                               gboolean           round_to_f32,
                               gsize              m,
                               gsize              n,
                               gsize              k,
                               const double      *a,
                               const double      *b,
                               double            *c,
                               GError           **error);
/* For f64, with sums in long doubles. @sign is 1 or -1. */
gboolean ghlo_ref_gemm_long   (GhloRefCall       *call,
                               gsize              m,
                               gsize              n,
                               gsize              k,
                               const double      *a,
                               const double      *b,
                               long double        sign,
                               long double       *c,
                               GError           **error);
/* Complex numbers as planes of real and imaginary parts. Every operation is rounded to double or, with
 * @round_to_f32, to f32. */
gboolean ghlo_ref_gemm_complex (GhloRefCall      *call,
                               gboolean           round_to_f32,
                               gsize              m,
                               gsize              n,
                               gsize              k,
                               gpointer const    *a,
                               gpointer const    *b,
                               gpointer const    *c,
                               GError           **error);
/* Modulo 2^64. Keeping the low bits of a sum gives the right result for every integer type. */
gboolean ghlo_ref_gemm_int    (GhloRefCall       *call,
                               gsize              m,
                               gsize              n,
                               gsize              k,
                               const guint64     *a,
                               const guint64     *b,
                               guint64           *c,
                               GError           **error);

G_END_DECLS
