/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs of elements as scalars: the type is looked at once a run, not once an
 * element. Quantized elements become real numbers on the way in and stored
 * integers on the way out.
 */

#pragma once

#include "reference/kernel.h"

G_BEGIN_DECLS

/* How many elements loops take at once. */
enum { GHLO_REF_BLOCK = 512 };

/* Element i of @data goes to (from) scalars[i * stride]. */
void ghlo_ref_load_block       (GhloElementType         type,
                                const guint8           *data,
                                gsize                   n,
                                GhloScalar             *scalars,
                                gsize                   stride);
void ghlo_ref_store_block      (GhloElementType         type,
                                guint8                 *data,
                                gsize                   n,
                                const GhloScalar       *scalars);

/* The element type that a tensor's elements are computed with: the expressed
 * type of a quantized one. */
GhloElementType ghlo_ref_expressed_type (const GhloIrType *type);

/* Indices along the quantized axis: element at @offset of a tensor of this shape
 * has index offset / inner % extent. */
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

/* Stored integers to numbers of the expressed type, and back, each step rounded
 * to that type as the specification's formulas have it. */
GhloScalar ghlo_ref_scalar_dequantize (const GhloRefQuantizedAxis *axis,
                                       gsize                       offset,
                                       GhloScalar                  stored);
GhloScalar ghlo_ref_scalar_quantize   (const GhloRefQuantizedAxis *axis,
                                       gsize                       offset,
                                       GhloScalar                  real);

G_END_DECLS
