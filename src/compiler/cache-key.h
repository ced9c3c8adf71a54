/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * By what the cache finds a program, and large constants, without which programs are compared and written.
 *
 * Programs are identified in two ways. A name is computed quickly from the operations' kinds and shapes; for most
 * programs, it suffices to find that there is no entry. Similar programs may have the same name. A key takes about as
 * long to compute as writing the program, and is equal only for equal programs.
 */

#pragma once

#include "compiler/optimize.h"

G_BEGIN_DECLS

/* Programs with more bytes of constants are not kept: reading all of them takes longer than the passes do. */
#define GHLO_CACHE_KEY_MAX_CONSTANTS ((gsize) 64 << 20)

/* What an entry depends on besides the program, as text: the build, the device, the options and GHLO_DISABLE, and also
 * GHLO_FUSE, since the program's fusions for the device depend on it. @device is any text that tells devices apart.
 * NULL where builds cannot be told apart. */
char *ghlo_cache_key_describe_options (const GhloOptimizeOptions *options,
                                       const char                *device,
                                       gboolean                   keep_locations);

/* A name for ghlo_cache_read (). @options is the text from the function above, here and below. */
char *ghlo_cache_key_name    (GhloIrModule       *module,
                              const char         *options);
/* The key, in hexadecimal. NULL for a program that cannot be kept; @error is then set only if @monitor
 * was cancelled. */
char *ghlo_cache_key_compute (GhloIrModule       *module,
                              const char         *options,
                              gboolean            keep_locations,
                              const GhloMonitor  *monitor,
                              GError            **error);

/* The constant operations of the program, in program order. */
GPtrArray        *ghlo_cache_key_constants   (const GhloIrModule *module);
/* The value of a constant that is large enough to leave out; NULL for others. */
const GhloIrAttr *ghlo_cache_key_large_value (const GhloIrOp     *constant);
/* elide () replaces the elements of a large constant by a splat; restore () replaces a splat by the elements, and
 * returns FALSE when they do not fit. No other thread may use the module. */
void              ghlo_cache_key_elide       (GhloIrModule       *module,
                                              GhloIrOp           *constant);
gboolean          ghlo_cache_key_restore     (GhloIrModule       *module,
                                              GhloIrOp           *constant,
                                              const GhloIrAttr   *value);

G_END_DECLS
