/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Results, made from what a run gave.
 */

#pragma once

#include "client/run.h"
#include "ghlo-result.h"

G_BEGIN_DECLS

/* Makes the result of outputs that may not have ended, which ghlo_result_new () takes then. */
void        ghlo_result_begin (GhloOutcome *outcome);
/* Takes the outcome over. NULL for NULL: a call that failed. */
GhloResult *ghlo_result_new (GhloOutcome *outcome);

G_END_DECLS
