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

G_END_DECLS
