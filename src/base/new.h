/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Structures that each call makes.
 */

#pragma once

#include <string.h>

#include <glib.h>

/* As g_malloc0 (): malloc () has a block of the size at hand, where calloc () looks for one, and a small call makes a
 * dozen of them. */
static inline gpointer
ghlo_malloc0 (gsize size)
{
  return memset (g_malloc (size), 0, size);
}

/* As g_new0 (), of one; and of one with an array of @n at its end. */
#define ghlo_new0(Type)                      ((Type *) ghlo_malloc0 (sizeof (Type)))
#define ghlo_new0_with(Type, n, ElementType) ((Type *) ghlo_malloc0 (sizeof (Type) + (n) * sizeof (ElementType)))
