/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The version of the library at run time.
 */

#include "ghlo-version.h"

/**
 * ghlo_get_version:
 *
 * Gets the version of the library at run time, which may be newer than that of the
 * headers.
 *
 * Returns: the version, such as `0.1.0`
 *
 * Since: 1.0
 */
const char *
ghlo_get_version (void)
{
  return GHLO_VERSION;
}
