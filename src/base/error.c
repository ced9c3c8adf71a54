/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The error domain.
 */

#include "ghlo-error.h"

/**
 * ghlo_error_quark:
 *
 * Gets the error domain of the library.
 *
 * Returns: the quark of %GHLO_ERROR
 *
 * Since: 1.0
 */
GQuark
ghlo_error_quark (void)
{
  static gsize quark;

  /* G_DEFINE_QUARK would let several threads write the number at the same time. */
  if (g_once_init_enter (&quark))
    g_once_init_leave (&quark, g_quark_from_static_string ("ghlo-error-quark"));

  return (GQuark) quark;
}
