/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Support for functions that report a problem and return FALSE, so that a caller can end with "return
 * ghlo_import_fail (…);". A compiler that does not see the function's body assumes that it may return TRUE, and warns
 * about results that are only set on success. So each such function has, after its prototype, a macro of the same
 * name that uses the macro below. In its definition the function's name stands in parentheses, so that the macro is
 * not expanded there.
 */

#pragma once

#include "ghlo-error.h"

/* Evaluates @call and has the value FALSE. */
#define GHLO_FALSE_AFTER(call) ({ call; FALSE; })

/* Sets an INVALID_ARGUMENT error with a formatted message. */
#define ghlo_invalid(error, ...) \
  GHLO_FALSE_AFTER (g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, __VA_ARGS__))
/* Sets an UNSUPPORTED error with a formatted message. */
#define ghlo_unsupported(error, ...) \
  GHLO_FALSE_AFTER (g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, __VA_ARGS__))
