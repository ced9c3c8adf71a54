/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files that people give where a program or an array is expected: what they are, and which road leads here.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Describes a file by its first bytes, for an error after "found": "an ONNX model; export …". NULL for data of no
 * format that is known here. */
const char *ghlo_foreign_format_describe (const guint8 *data,
                                          gsize         size);
/* The same for a folder; the caller frees it. */
char       *ghlo_foreign_format_describe_folder (const char *path);

G_END_DECLS
