/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The constructors of results, from those of runs.
 */

#pragma once

#include "client/run.h"
#include "ghlo-result.h"

G_BEGIN_DECLS

/* Creates the result object for outputs that may still be pending and stores it in @run_result, where
 * ghlo_result_new () finds it. */
void        ghlo_result_begin (GhloRunResult *run_result);
/* Takes ownership of @run_result. Returns NULL for NULL, so that a failed call can be passed on. */
GhloResult *ghlo_result_new (GhloRunResult *run_result);

G_END_DECLS
