/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The constructor of costs, from a compiled program.
 */

#pragma once

#include "compiler/executable-core.h"
#include "ghlo-cost.h"

G_BEGIN_DECLS

GhloCost *ghlo_cost_new (const GhloExecutableCore *core);

G_END_DECLS
