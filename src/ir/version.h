/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Versions of StableHLO's portable artifacts (major.minor.patch).
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint16 major, minor, patch;
} GhloIrVersion;

/* The versions of portable artifacts (specification, docs/compatibility.md). */
#define GHLO_IR_VERSION_OLDEST  ((GhloIrVersion) { 0, 9, 0 })
#define GHLO_IR_VERSION_CURRENT ((GhloIrVersion) { 1, 20, 0 })

/* Below zero, zero or above as @a is older than, equal to or newer than @b. */
static inline int
ghlo_ir_version_compare (GhloIrVersion a,
                         GhloIrVersion b)
{
  if (a.major != b.major)
    return a.major < b.major ? -1 : 1;
  if (a.minor != b.minor)
    return a.minor < b.minor ? -1 : 1;

  return (a.patch > b.patch) - (a.patch < b.patch);
}

/* Three numbers with points between them, and nothing else. */
gboolean ghlo_ir_version_parse (const char    *text,
                                GhloIrVersion *version);

/* A version that a program can be written for; NULL is the newest. INVALID_ARGUMENT
 * says which there are. */
gboolean ghlo_ir_version_parse_target (const char     *text,
                                       GhloIrVersion  *version,
                                       GError        **error);

G_END_DECLS
