/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The version of the library that runs.
 */

#include "ghlo-version.h"

/**
 * ghlo_get_version:
 *
 * Gets the version of the library that runs, which may be later than that of the
 * headers.
 *
 * Returns: the version, as in `0.1.0`
 *
 * Since: 1.0
 */
const char *
ghlo_get_version (void)
{
  return GHLO_VERSION;
}
