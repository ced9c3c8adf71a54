/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The constructor of compile reports, for executables.
 */

#pragma once

#include "ghlo-compile-report.h"
#include "passes/pass.h"

G_BEGIN_DECLS

/* Takes a reference to @passes. */
GhloCompileReport *ghlo_compile_report_new (GhloPassReport *passes);

G_END_DECLS
