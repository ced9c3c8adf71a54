/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Large constants, which programs in the cache are written and compared without.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* The constants of the program, in its order. */
GPtrArray        *ghlo_cache_key_constants   (const GhloIrModule *module);
/* The value of a constant that is worth leaving out; NULL for others. */
const GhloIrAttr *ghlo_cache_key_large_value (const GhloIrOp     *constant);
/* Puts a splat in the place of a large constant's elements, and elements where a splat
 * is; FALSE when they do not fit it. The module is the caller's alone. */
void              ghlo_cache_key_elide     (GhloIrModule  *module,
                                            GhloIrOp *constant);
gboolean          ghlo_cache_key_restore        (GhloIrModule     *module,
                                                 GhloIrOp    *constant,
                                                 const GhloIrAttr *value);

G_END_DECLS
