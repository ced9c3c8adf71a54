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
G_DEFINE_QUARK (ghlo-error-quark, ghlo_error)
