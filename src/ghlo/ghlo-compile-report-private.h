/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compile reports as executables make them.
 */

#pragma once

#include "ghlo-compile-report.h"
#include "passes/pass.h"

G_BEGIN_DECLS

/* Takes a reference to @passes. */
GhloCompileReport *ghlo_compile_report_new (GhloPassReport *passes);

G_END_DECLS
