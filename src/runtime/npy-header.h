/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The header of a .npy file: a magic number, a version, and a Python dictionary literal that describes how the
 * elements after the header are stored.
 */

#pragma once

#include "base/sizes.h"

G_BEGIN_DECLS

#define GHLO_NPY_MAGIC "\x93NUMPY"

typedef struct
{
  char      kind;            /* NumPy's letter for the kind of element */
  guint     size;            /* bytes of an element, 1 to 16 */
  gboolean  swap;            /* stored in the opposite byte order */
  gboolean  fortran;         /* stored in column-major order */
  guint     rank;
  gint64    dimensions[GHLO_MAX_RANK];
} GhloNpyHeader;

/* Parses the header of a file of @size bytes. *@offset is set to the position of the elements, at most @size. Errors
 * are DATA errors. */
gboolean ghlo_npy_header_parse (GhloNpyHeader *self,
                                const guint8  *data,
                                gsize          size,
                                gsize         *offset,
                                GError       **error);

/* Sets a DATA error for an element type of NumPy that programs have no type for; @expected is nullable. */
void     ghlo_npy_header_refuse (const char  *descr,
                                 gsize        length,
                                 const char  *expected,
                                 GError     **error);

G_END_DECLS
