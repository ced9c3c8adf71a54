/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether an operation may be removed, repeated or moved. The trait PURE of the op table describes the operation alone;
 * the functions here also consider its regions and callees.
 *
 * A loop counts as pure when its body is: an unused loop is removed even if it would never have ended.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* The set of functions without effects. A call of any other function counts as having effects. */
GHashTable *ghlo_pass_pure_functions (const GhloIrModule *module);

/* Whether @op gives the same results whenever it runs and does nothing else, so that it may be computed once for two
 * uses, or not at all. With @functions NULL, no call is pure. */
gboolean    ghlo_pass_is_pure        (const GhloIrOp     *op,
                                      GHashTable         *functions);
/* The same, ignoring @op's regions. */
gboolean    ghlo_pass_is_pure_alone  (const GhloIrOp     *op,
                                      GHashTable         *functions);
/* Whether nothing is lost when an unused @op is removed: true of pure operations and of custom calls without
 * side effects. */
gboolean    ghlo_pass_is_removable   (const GhloIrOp     *op,
                                      GHashTable         *functions);
/* Whether each element of the result is computed from one element of each operand: the element at the same index, or
 * the only element of an operand of rank 0. */
gboolean    ghlo_pass_is_elementwise (const GhloIrOp     *op);
/* Whether the regions of @op use values from outside as they use their own: if, case, while. */
gboolean    ghlo_pass_is_control     (const GhloIrOp     *op);
/* Whether the work is proportional to the number of elements of operands and results, and the operation cannot fail,
 * whatever the elements are. */
gboolean    ghlo_pass_is_cheap       (const GhloIrOp     *op);
/* Whether the work grows faster than that. Such an operation may fail where an executor lacks something. */
gboolean    ghlo_pass_is_costly      (const GhloIrOp     *op);
/* Whether the operation only reads its operand in another way, or has no operand: moving it by itself gains nothing. */
gboolean    ghlo_pass_is_free        (const GhloIrOp     *op);

G_END_DECLS
