/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Machine code where the processor may run it: memory that is never writable and executable at once.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _GhloCodeMap GhloCodeMap;

/* A copy of @blob (blob.h). UNSUPPORTED where it is for other processors than this one, OUT_OF_MEMORY or DEVICE where
 * the system gives no memory, or none that is executable. */
GhloCodeMap *ghlo_code_map_new       (GBytes             *blob,
                                      GError            **error);
/* Nobody may be in the code. */
void         ghlo_code_map_free      (GhloCodeMap        *self);
/* The function. */
gpointer     ghlo_code_map_get_entry (const GhloCodeMap  *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCodeMap, ghlo_code_map_free)

G_END_DECLS
