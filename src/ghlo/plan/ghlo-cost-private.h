/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Costs, counted from what was compiled.
 */

#pragma once

#include "compiler/executable-core.h"
#include "ghlo-cost.h"

G_BEGIN_DECLS

GhloCost *ghlo_cost_new (const GhloExecutableCore *core);

G_END_DECLS
