/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compile reports as a compile makes them.
 */

#pragma once

#include "ghlo-compile-report.h"
#include "passes/pass.h"

G_BEGIN_DECLS

/* Takes @passes over. */
GhloCompileReport    *ghlo_compile_report_new        (GhloPassReport          *passes);

const GhloPassReport *ghlo_compile_report_get_record (const GhloCompileReport *self);

G_END_DECLS
