/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Allocation of the structures that each call creates.
 */

#pragma once

#include <string.h>

#include <glib.h>

/* Like g_malloc0 (), but faster: malloc () has a block of the size at hand, while calloc () has to look for one, and
 * a small call allocates a dozen of them. */
static inline gpointer
ghlo_malloc0 (gsize size)
{
  return memset (g_malloc (size), 0, size);
}

/* Like g_new0 () for one structure, and for one structure with an array of @n elements at its end. */
#define ghlo_new0(Type)                      ((Type *) ghlo_malloc0 (sizeof (Type)))
#define ghlo_new0_with(Type, n, ElementType) ((Type *) ghlo_malloc0 (sizeof (Type) + (n) * sizeof (ElementType)))
