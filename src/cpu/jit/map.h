/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Executable memory for machine code. The memory is never writable and executable at once.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _GhloCodeMap GhloCodeMap;

/* Maps a copy of @blob (blob.h). Fails with UNSUPPORTED where the blob is for another kind of processor, and with
 * OUT_OF_MEMORY or DEVICE where the system refuses the memory or refuses to make it executable. */
GhloCodeMap *ghlo_code_map_new       (GBytes             *blob,
                                      GError            **error);
/* Nobody may be executing the code. */
void         ghlo_code_map_free      (GhloCodeMap        *self);
/* Returns the address of the function. */
gpointer     ghlo_code_map_get_entry (const GhloCodeMap  *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCodeMap, ghlo_code_map_free)

G_END_DECLS
