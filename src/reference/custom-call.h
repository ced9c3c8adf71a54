/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels of custom calls that stand in files of their own.
 */

#pragma once

#include "reference/kernel.h"

G_BEGIN_DECLS

/* The largest elements along the last dimension and their indices: k from the
 * second operand, or from the attribute "k" of the call, of its
 * mhlo.attributes, or of its backend_config. */
gboolean ghlo_ref_custom_top_k (GhloRefCall *call, GError **error);

/* reduce_window with a function instead of a region, and the window's sizes,
 * strides, dilations and padding as operands behind the initial values. */
gboolean ghlo_ref_custom_reduce_window (GhloRefCall *call, GError **error);

/* rng_bit_generator with the shape of its bits as a second operand. */
gboolean ghlo_ref_custom_rng_bit_generator (GhloRefCall *call, GError **error);

G_END_DECLS
