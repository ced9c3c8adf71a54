/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the pass "lower-quantized": arithmetic on quantized values as integers and floats. A quantized value is
 * handled as its storage, a value of plain integers, together with its GhloQuantization.
 */

#pragma once

#include "passes/rewrite.h"

G_BEGIN_DECLS

/* Whether values of the quantized type @type can be replaced by their storage: of static shape, with zero points that
 * the storage type has. */
gboolean          ghlo_quantized_is_supported  (const GhloIrType       *type);
/* The type of the storage of values of @type, which is quantized. */
const GhloIrType *ghlo_quantized_get_stored    (GhloRewriter           *self,
                                                const GhloIrType       *type);
/* Whether stored numbers are ordered as the numbers that they represent, and sums and differences of a few of those
 * are quantized to the sums and differences of the stored ones. */
gboolean          ghlo_quantized_is_exact      (const GhloQuantization *quantization);
gboolean          ghlo_quantized_has_zero_points (const GhloQuantization *quantization);

/* One number for all elements of @type, or @n numbers for the indices along @axis where they differ. */
GhloIrValue      *ghlo_quantized_make_channels (GhloRewriter           *self,
                                                const GhloIrType       *type,
                                                gint64                  axis,
                                                const double           *numbers,
                                                guint                   n);
/* @stored in @element_type, less the zero points. */
GhloIrValue      *ghlo_quantized_shift         (GhloRewriter           *self,
                                                GhloIrValue            *stored,
                                                const GhloQuantization *quantization,
                                                GhloElementType         element_type);
/* The numbers of the expressed type that are stored, and the reverse; specification, "Quantization computations". */
GhloIrValue      *ghlo_quantized_dequantize    (GhloRewriter           *self,
                                                GhloIrValue            *stored,
                                                const GhloQuantization *quantization);
GhloIrValue      *ghlo_quantized_quantize      (GhloRewriter           *self,
                                                GhloIrValue            *numbers,
                                                const GhloQuantization *quantization);
/* Integers in the storage type, limited to the range of the quantization. */
GhloIrValue      *ghlo_quantized_saturate      (GhloRewriter           *self,
                                                GhloIrValue            *integers,
                                                const GhloQuantization *quantization);

/* What lowers an operation: returns its result, or the storage of that if it is quantized. @stored has its operands,
 * with the storage of quantized ones. NULL, with nothing made, where the operation stays as it is. */
typedef GhloIrValue *(*GhloQuantizedFunc) (GhloRewriter        *self,
                                           const GhloIrOp      *op,
                                           GhloIrValue *const  *stored);
GhloIrValue      *ghlo_quantized_lower_product (GhloRewriter           *self,
                                                const GhloIrOp         *op,
                                                GhloIrValue *const     *stored);
/* A sum by reduce or reduce_window, whose region moves to what is made. */
GhloIrValue      *ghlo_quantized_lower_sum     (GhloRewriter           *self,
                                                const GhloIrOp         *op,
                                                GhloIrValue *const     *stored);

G_END_DECLS
