/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Availability macros: every exported symbol carries the one of the version
 * that it appeared in, and nothing else is exported.
 */

#pragma once

#include <glib.h>

#define GHLO_AVAILABLE_IN_1_0 __attribute__ ((visibility ("default"))) extern
#define GHLO_AVAILABLE_IN_ALL GHLO_AVAILABLE_IN_1_0
