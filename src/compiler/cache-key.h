/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Large constants. Programs are written to the cache, and compared, without them.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* The constant operations of the program, in program order. */
GPtrArray        *ghlo_cache_key_constants   (const GhloIrModule *module);
/* The value of a constant that is large enough to leave out; NULL for others. */
const GhloIrAttr *ghlo_cache_key_large_value (const GhloIrOp     *constant);
/* elide () replaces the elements of a large constant by a splat; restore () replaces a splat by the elements, and
 * returns FALSE when they do not fit. No other thread may use the module. */
void              ghlo_cache_key_elide     (GhloIrModule  *module,
                                            GhloIrOp *constant);
gboolean          ghlo_cache_key_restore        (GhloIrModule     *module,
                                                 GhloIrOp    *constant,
                                                 const GhloIrAttr *value);

G_END_DECLS
