/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Growable arrays of any type that keep their capacity when emptied.
 * The parser makes no other allocations for an ordinary operation.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define GHLO_IMPORT_VECTOR(type) struct { type *items; gsize n, room; }

/* Makes room for one more item. Items may move. */
#define GHLO_IMPORT_RESERVE(vector) \
  G_STMT_START { \
    if (G_UNLIKELY ((vector)->n == (vector)->room)) \
      { \
        (vector)->room = MAX ((vector)->room * 2, 16); \
        (vector)->items = g_realloc_n ((vector)->items, (vector)->room, sizeof *(vector)->items); \
      } \
  } G_STMT_END

#define GHLO_IMPORT_PUSH(vector, ...) \
  G_STMT_START { \
    GHLO_IMPORT_RESERVE (vector); \
    (vector)->items[(vector)->n++] = __VA_ARGS__; \
  } G_STMT_END

#define GHLO_IMPORT_CLEAR(vector) \
  G_STMT_START { \
    g_free ((vector)->items); \
    (vector)->items = NULL; \
    (vector)->n = (vector)->room = 0; \
  } G_STMT_END

G_END_DECLS
