/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Results, made from what a run gave.
 */

#pragma once

#include "client/run.h"
#include "ghlo-result.h"

G_BEGIN_DECLS

/* Takes the outcome over. NULL for NULL: a call that failed. */
GhloResult *ghlo_result_new (GhloOutcome *outcome);

G_END_DECLS
