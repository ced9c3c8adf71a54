/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The header of a .npy file: a magic number, a version, and a dictionary as Python
 * writes it of how the elements behind it are stored.
 */

#pragma once

#include "base/sizes.h"

G_BEGIN_DECLS

#define GHLO_NPY_MAGIC "\x93NUMPY"

typedef struct
{
  char      kind;            /* NumPy's letter for what the elements are */
  guint     size;            /* bytes of an element, 1 to 16 */
  gboolean  swap;            /* stored in the other byte order */
  gboolean  fortran;         /* stored with the first index fastest */
  guint     rank;
  gint64    dimensions[GHLO_MAX_RANK];
} GhloNpyHeader;

/* Reads the header of a file of @size bytes; *@offset is where the elements begin,
 * at most @size. DATA errors. */
gboolean ghlo_npy_header_parse (GhloNpyHeader *self,
                                const guint8  *data,
                                gsize          size,
                                gsize         *offset,
                                GError       **error);

/* Sets a DATA error: programs have no type for elements that NumPy calls so; @expected is nullable. */
void     ghlo_npy_header_refuse (const char  *descr,
                                 gsize        length,
                                 const char  *expected,
                                 GError     **error);

G_END_DECLS
