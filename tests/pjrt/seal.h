/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Serialized executables whose checksums are made right again, so that damage reaches whoever reads what they cover. It
 * knows the forms that src/pjrt/serialize.c and src/compiler/serialize.c write.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Where the variant of the library's part begins; @size where there is none. */
gsize seal_executable (guint8 *bytes,
                       gsize   size);

G_END_DECLS
