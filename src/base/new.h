/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Structures that each call makes.
 */

#pragma once

#include <string.h>

#include <glib.h>

/* As g_new0 (), of one: malloc () has a block of the size at hand, where calloc () looks for one, and a small call
 * makes a dozen of them. */
#define ghlo_new0(Type) ((Type *) memset (g_malloc (sizeof (Type)), 0, sizeof (Type)))
