/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of slices in loops, for the pass "licm".
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Hoists products of slices out of the body of @loop, which runs @trips times. Returns the number of products. */
guint ghlo_pass_hoist_products (GhloIrModule *module,
                                GhloIrOp     *loop,
                                gint64        trips);

G_END_DECLS
