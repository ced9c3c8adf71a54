/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory that files are mapped to: constants of a program are slices of its file, and applications lend weights from
 * theirs. What has been copied, into another order or to a place where it is aligned, is given back, so that it is in
 * memory once: the pages are read again when somebody reads them again.
 */

#pragma once

#include "base/view.h"

G_BEGIN_DECLS

/* Gives back the pages between @data and its end if all of them are pages of files. Does nothing for other memory. The
 * bytes are not written to meanwhile. */
void ghlo_mapped_release      (gconstpointer   data,
                               gsize           size);
/* The same for the pages around the elements of @view. */
void ghlo_mapped_release_view (const GhloView *view);

G_END_DECLS
