/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The one error domain of the library.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include <glib.h>

#include "ghlo-version-macros.h"

G_BEGIN_DECLS

/**
 * GHLO_ERROR:
 *
 * The error domain of the library.
 *
 * Since: 1.0
 */
#define GHLO_ERROR (ghlo_error_quark ())

/**
 * GhloError:
 * @GHLO_ERROR_PARSE: a program's text or bytes are malformed
 * @GHLO_ERROR_VERIFY: a program is well formed but breaks a rule of its operations
 * @GHLO_ERROR_UNSUPPORTED: a valid program needs a feature that is not supported
 * @GHLO_ERROR_INVALID_ARGUMENT: a call's argument is wrong
 * @GHLO_ERROR_DEVICE: a device is missing or refused the work
 * @GHLO_ERROR_DEVICE_LOST: a device went away during the work
 * @GHLO_ERROR_OUT_OF_MEMORY: a memory limit was reached
 * @GHLO_ERROR_DATA: input data is malformed, or a program's own check failed
 * @GHLO_ERROR_INTERNAL: a bug in the library, please report it
 *
 * The codes of [error@Ghlo.Error]. The first line of a message is a sentence that
 * can be shown in a dialog; an excerpt of the program may follow after a newline.
 *
 * Since: 1.0
 */
typedef enum
{
  GHLO_ERROR_PARSE,
  GHLO_ERROR_VERIFY,
  GHLO_ERROR_UNSUPPORTED,
  GHLO_ERROR_INVALID_ARGUMENT,
  GHLO_ERROR_DEVICE,
  GHLO_ERROR_DEVICE_LOST,
  GHLO_ERROR_OUT_OF_MEMORY,
  GHLO_ERROR_DATA,
  GHLO_ERROR_INTERNAL,
} GhloError;

GHLO_AVAILABLE_IN_1_0
GQuark ghlo_error_quark (void) G_GNUC_CONST;

G_END_DECLS
