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

/* The range of versions that are supported (specification, docs/compatibility.md). */
#define GHLO_IR_VERSION_OLDEST  ((GhloIrVersion) { 0, 9, 0 })
#define GHLO_IR_VERSION_CURRENT ((GhloIrVersion) { 1, 20, 0 })

/* Returns a number below, equal to or above zero if @a is older than, equal to or newer than @b. */
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

/* Accepts three numbers separated by dots, and nothing else. */
gboolean ghlo_ir_version_parse (const char    *text,
                                GhloIrVersion *version);

/* Parses a version that a program can be written for; NULL is the
 * newest. The error INVALID_ARGUMENT lists the possible versions. */
gboolean ghlo_ir_version_parse_target (const char     *text,
                                       GhloIrVersion  *version,
                                       GError        **error);

G_END_DECLS
