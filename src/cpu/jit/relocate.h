/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Relocations between the parts of one blob: those of position-independent code on x86-64 and aarch64.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the number of bytes that a relocation of @type changes; 0 where it cannot be resolved within a blob. */
guint    ghlo_code_relocation_size (guint    machine,
                                    guint    type);
/* Whether @type is a relocation that changes nothing. */
gboolean ghlo_code_relocation_is_none (guint machine,
                                       guint type);
/* Resolves a relocation: makes the bytes at @place, which are at offset @position of the blob, refer to offset
 * @target, the sum of symbol and addend. FALSE where the target is out of range. */
gboolean ghlo_code_relocate (guint    machine,
                             guint    type,
                             guint8  *place,
                             gint64   position,
                             gint64   target);

G_END_DECLS
