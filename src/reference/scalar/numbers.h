/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements in bulk as 8-byte numbers, so that loops need to be written only once:
 * floats and quantized values as doubles, integers and booleans as 64-bit integers
 * (unsigned ones zero-extended). Writing rounds, wraps or quantizes once.
 */

#pragma once

#include "reference/kernel.h"

G_BEGIN_DECLS

/* Uninitialized memory for @count elements of @size bytes. The caller frees it with g_free. NULL only with
 * OUT_OF_MEMORY set, also when the request exceeds the memory limit of the process. */
gpointer ghlo_ref_scratch      (gsize            count,
                                gsize            size,
                                GError         **error);

/* The same, zeroed. */
gpointer ghlo_ref_scratch_zeroed (gsize         count,
                                gsize            size,
                                GError         **error);

/* Any element type except complex. @data holds @n elements of that type. */
void     ghlo_ref_read_reals   (GhloElementType  type,
                                const guint8    *data,
                                gsize            n,
                                double          *reals);
void     ghlo_ref_write_reals  (GhloElementType  type,
                                const double    *reals,
                                gsize            n,
                                guint8          *data);
/* Integers and booleans. Writing keeps the low bits; a boolean is TRUE for any nonzero number. */
void     ghlo_ref_read_ints    (GhloElementType  type,
                                const guint8    *data,
                                gsize            n,
                                gint64          *ints);
void     ghlo_ref_write_ints   (GhloElementType  type,
                                const gint64    *ints,
                                gsize            n,
                                guint8          *data);
/* The elements of an integer tensor as indices. Values beyond 2^63 - 1 are clamped to it, so that indices
 * compare alike in every type. The caller frees them; NULL with @error set when there is no memory, or when the run
 * is to stop. */
gint64  *ghlo_ref_read_indices (GhloRefCall     *call,
                                const GhloValue *value,
                                GError         **error);

/* The real number that a stored integer of a quantized tensor represents, and the nearest stored integer of
 * a real number. @channel is the index along the quantized axis (0 for per-tensor quantization). */
double   ghlo_ref_dequantize   (const GhloQuantization *quantization,
                                gsize                   channel,
                                gint64                  stored);
gint64   ghlo_ref_quantize     (const GhloQuantization *quantization,
                                gsize                   channel,
                                double                  real);

/* All elements of a real or quantized tensor as real numbers. NULL with @error set when there is no memory. */
double  *ghlo_ref_value_reals  (const GhloValue *value,
                                GError         **error);
/* Fills @value, real or quantized, from @reals. */
void     ghlo_ref_value_set_reals (GhloValue    *value,
                                   const double *reals);

G_END_DECLS
