/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks of elements as scalars, so that the type is dispatched once per block
 * rather than once per element. Quantized elements are converted to real numbers
 * when loaded and to stored integers when written.
 */

#pragma once

#include "reference/kernel.h"

G_BEGIN_DECLS

/* How many elements a loop handles at a time. */
enum { GHLO_REF_BLOCK = 512 };

/* Element i of @data is loaded into, or stored from, scalars[i * stride] (stride 1 when storing). */
void ghlo_ref_load_block       (GhloElementType         type,
                                const guint8           *data,
                                gsize                   n,
                                GhloScalar             *scalars,
                                gsize                   stride);
void ghlo_ref_store_block      (GhloElementType         type,
                                guint8                 *data,
                                gsize                   n,
                                const GhloScalar       *scalars);

/* The element type in which a tensor's elements are computed. For a quantized tensor this is the expressed type. */
GhloElementType ghlo_ref_expressed_type (const GhloIrType *type);

/* Indices along the quantized axis: in a tensor of this shape, the element at @offset has index offset /
 * inner % extent. */
typedef struct
{
  const GhloQuantization *quantization;
  gsize                   inner;
  gsize                   extent;
} GhloRefQuantizedAxis;

/* FALSE when the scales do not fit the dimensions. */
gboolean ghlo_ref_quantized_axis_init (GhloRefQuantizedAxis   *self,
                                       const GhloQuantization *quantization,
                                       const gint64           *dimensions,
                                       guint                   rank);

/* Convert stored integers to numbers of the expressed type and back. Each step is rounded to that type, as
 * in the specification's formulas. */
GhloScalar ghlo_ref_scalar_dequantize (const GhloRefQuantizedAxis *axis,
                                       gsize                       offset,
                                       GhloScalar                  stored);
GhloScalar ghlo_ref_scalar_quantize   (const GhloRefQuantizedAxis *axis,
                                       gsize                       offset,
                                       GhloScalar                  real);

G_END_DECLS
