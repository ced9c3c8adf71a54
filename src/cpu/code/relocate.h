/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Relocations between the parts of one blob: those that x86-64 and aarch64 have for code that is put anywhere.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The bytes that a relocation of @type changes; 0 where it cannot be done within a blob. */
guint    ghlo_code_relocation_size (guint    machine,
                                    guint    type);
/* Whether @type changes nothing. */
gboolean ghlo_code_relocation_is_none (guint machine,
                                       guint type);
/* Lets the bytes at @place, which is @position bytes into the blob, refer to @target, symbol and addend together. FALSE
 * where it is out of reach. */
gboolean ghlo_code_relocate (guint    machine,
                             guint    type,
                             guint8  *place,
                             gint64   position,
                             gint64   target);

G_END_DECLS
