/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plans as an executable makes them.
 */

#pragma once

#include "compiler/compilation.h"
#include "ghlo-plan.h"

G_BEGIN_DECLS

/* Of what @compilation prepared, to which it keeps a reference; NULL when its executor has no
 * plans. */
GhloPlan *ghlo_plan_new (GhloCompilation *compilation);

G_END_DECLS
