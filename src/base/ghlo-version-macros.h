/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Availability macros. Every exported symbol carries the macro of the version in which it was introduced; symbols
 * without one are not exported.
 */

#pragma once

#include <glib.h>

#define GHLO_AVAILABLE_IN_1_0 __attribute__ ((visibility ("default"))) extern
#define GHLO_AVAILABLE_IN_ALL GHLO_AVAILABLE_IN_1_0
