/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files in memory. Constants of a program are slices of its mapped file. Where one has to be copied, since it does not
 * begin at a multiple of its element's size there, the file's own pages are given back, so that it is in memory once.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The contents of @file, whose reference is taken over. */
GBytes *ghlo_mapped_bytes   (GMappedFile   *file);

/* Gives back the pages between @data and its end if they belong to such a file: they are read again when they are used
 * again. Does nothing for other memory. The caller holds a reference to the bytes. */
void    ghlo_mapped_release (gconstpointer  data,
                             gsize          size);

G_END_DECLS
