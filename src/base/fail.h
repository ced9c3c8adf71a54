/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions that report what is wrong and return FALSE, so that a caller ends with
 * "return ghlo_import_fail (…);". A compiler that has not seen the body takes TRUE for
 * possible, and warns of results that only a success sets. So each such function has a
 * macro of its own name behind its prototype, through this one; the definition's name
 * stands in parentheses.
 */

#pragma once

#include "ghlo-error.h"

/* What @call does, and the value FALSE. */
#define GHLO_FALSE_AFTER(call) ({ call; FALSE; })

/* Sets INVALID_ARGUMENT with a message of a format and what is put into it. */
#define ghlo_invalid(error, ...) \
  GHLO_FALSE_AFTER (g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, __VA_ARGS__))
/* The same with UNSUPPORTED. */
#define ghlo_unsupported(error, ...) \
  GHLO_FALSE_AFTER (g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, __VA_ARGS__))
