/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two environment variables. GHLO_DEBUG holds words that switch debugging aids on, separated by commas, colons or
 * spaces; it is read once. GHLO_DISABLE holds words that switch off features which are normally wanted.
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

/* The flags that are set, and another bit; 0 before they are read. */
extern gsize ghlo_debug_flags;

/* Reads the flags once. */
gsize    ghlo_debug_read_flags (void);

/* Returns TRUE when any of @flags is set. Each run asks several times. */
static inline gboolean
ghlo_debug_has (GhloDebugFlags flags)
{
  const gsize known = __atomic_load_n (&ghlo_debug_flags, __ATOMIC_ACQUIRE);

  return ((known != 0 ? known : ghlo_debug_read_flags ()) & flags) != 0;
}

/* Whether GHLO_DISABLE, which is read anew on each call, contains the word @name: the name of a pass or of another
 * feature that passes/pass.h lists. */
gboolean ghlo_debug_disables  (const char     *name);

/* Returns the list of known flags, one per line, when GHLO_DEBUG contains the word "help", and NULL otherwise. The
 * command prints it: the library itself prints nothing. */
char    *ghlo_debug_dup_help  (void);

/* Parses @text (nullable) and returns its flags. *@unknown becomes the first word that is not a flag (newly
 * allocated; NULL when every word is one), and *@help tells whether "help" is among the words. For tests and for the
 * functions above. */
GhloDebugFlags ghlo_debug_parse (const char  *text,
                                 char       **unknown,
                                 gboolean    *help);

G_END_DECLS
