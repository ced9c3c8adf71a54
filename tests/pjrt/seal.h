/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recomputes the checksums of damaged serialized executables, so that the damage gets past the checksums to the
 * readers behind them. Knows the formats that src/pjrt/serialize.c and src/compiler/serialize.c write.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the offset of the variant in the library's part, or @size where there is none. */
gsize seal_executable (guint8 *bytes,
                       gsize   size);

G_END_DECLS
