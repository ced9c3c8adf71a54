/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The constructors of results, from the outcome of a run.
 */

#pragma once

#include "client/run.h"
#include "ghlo-result.h"

G_BEGIN_DECLS

/* Creates the result object for outputs that may still be pending and stores it in @outcome, where
 * ghlo_result_new () finds it. */
void        ghlo_result_begin (GhloRunResult *outcome);
/* Takes ownership of the outcome. Returns NULL for NULL, so that a failed call can be passed on. */
GhloResult *ghlo_result_new (GhloRunResult *outcome);

G_END_DECLS
