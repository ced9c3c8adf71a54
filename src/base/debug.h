/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GHLO_DEBUG: words that switch debugging aids on, with commas, colons or spaces
 * between them. The variable is read once. And GHLO_DISABLE: words that switch off what is mostly wanted.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  GHLO_DEBUG_GUARD = 1 << 0,
  GHLO_DEBUG_CODE  = 1 << 1,
  GHLO_DEBUG_VULKAN = 1 << 2,
  GHLO_DEBUG_DISPATCHES = 1 << 3,
} GhloDebugFlags;

/* TRUE when any of @flags is set. */
gboolean ghlo_debug_has       (GhloDebugFlags  flags);

/* Whether GHLO_DISABLE, read anew each time, has the word @name: a pass, or what passes/pass.h lists besides. */
gboolean ghlo_debug_disables  (const char     *name);

/* The flags that there are, a line for each, when GHLO_DEBUG has the word "help";
 * NULL otherwise. For the command to show: the library prints nothing. */
char    *ghlo_debug_dup_help  (void);

/* For tests and the above: the flags of @text (nullable), the first word that is none
 * (newly allocated; NULL when there is no such), and whether "help" is among them. */
GhloDebugFlags ghlo_debug_parse (const char  *text,
                                 char       **unknown,
                                 gboolean    *help);

G_END_DECLS
