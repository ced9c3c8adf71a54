/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What may be done with an operation: removed, repeated, moved. The op table's trait
 * PURE speaks of the operation alone; here its regions and callees count too.
 *
 * A loop counts as pure when its body is: one whose results nobody uses is removed
 * even where it would never have ended.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* The functions without effects, as a set; calls of others have some. */
GHashTable *ghlo_pass_pure_functions (const GhloIrModule *module);

/* Gives the same results whenever it runs and does nothing else: it may be computed
 * once for two places, or not at all. @functions may be NULL: no call is pure then. */
gboolean    ghlo_pass_is_pure        (const GhloIrOp     *op,
                                      GHashTable         *functions);
/* The same, its regions left out. */
gboolean    ghlo_pass_is_pure_alone  (const GhloIrOp     *op,
                                      GHashTable         *functions);
/* As ghlo_pass_is_pure (), and custom calls without side effects: nothing is lost without it. */
gboolean    ghlo_pass_is_removable   (const GhloIrOp     *op,
                                      GHashTable         *functions);
/* Each element of its result is computed from one element of each operand: the one at the
 * same place, or the only one of an operand of rank 0. */
gboolean    ghlo_pass_is_elementwise (const GhloIrOp     *op);
/* Takes its regions' values from outside as if they were its own: if, case, while. */
gboolean    ghlo_pass_is_control     (const GhloIrOp     *op);
/* Work of the order of its operands' and results' elements; cannot fail, whatever they hold. */
gboolean    ghlo_pass_is_cheap       (const GhloIrOp     *op);
/* Work that grows beyond that; may fail where an executor lacks something. */
gboolean    ghlo_pass_is_costly      (const GhloIrOp     *op);
/* Only another way of reading its operand, or none: moving it alone gains nothing. */
gboolean    ghlo_pass_is_free        (const GhloIrOp     *op);

G_END_DECLS
