/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrix products of 8-byte numbers, C += A * Bᵀ: A is [m][k], B is [n][k],
 * C is [m][n], all dense. Every product and sum is in the accumulator's type
 * and each element of C sums its products in ascending k, so an answer depends
 * neither on blocking nor on vector width where products are exact.
 */

#pragma once

#include "reference/kernel.h"

G_BEGIN_DECLS

/* Exact products for numbers of up to 26 bits (f32 and narrower, small
 * integers). With @round_to_f32 every product and every sum is rounded to f32. */
gboolean ghlo_ref_gemm_double (GhloRefCall       *call,
                               gboolean           round_to_f32,
                               gsize              m,
                               gsize              n,
                               gsize              k,
                               const double      *a,
                               const double      *b,
                               double            *c,
                               GError           **error);
/* For f64. @sign is 1 or -1. */
gboolean ghlo_ref_gemm_long   (GhloRefCall       *call,
                               gsize              m,
                               gsize              n,
                               gsize              k,
                               const double      *a,
                               const double      *b,
                               long double        sign,
                               long double       *c,
                               GError           **error);
/* Complex numbers, given as planes of real and imaginary parts, with every
 * operation rounded to double or, with @round_to_f32, to f32. */
gboolean ghlo_ref_gemm_complex (GhloRefCall      *call,
                               gboolean           round_to_f32,
                               gsize              m,
                               gsize              n,
                               gsize              k,
                               gpointer const    *a,
                               gpointer const    *b,
                               gpointer const    *c,
                               GError           **error);
/* Modulo 2^64: right for every integer type after keeping its low bits. */
gboolean ghlo_ref_gemm_int    (GhloRefCall       *call,
                               gsize              m,
                               gsize              n,
                               gsize              k,
                               const guint64     *a,
                               const guint64     *b,
                               guint64           *c,
                               GError           **error);

G_END_DECLS
