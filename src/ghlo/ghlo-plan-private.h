/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plans as an executable makes them.
 */

#pragma once

#include "ghlo-runnable-private.h"
#include "ghlo-plan.h"

G_BEGIN_DECLS

/* Of what @runnable prepared, to which it keeps a reference; NULL when its device has no
 * plans. */
GhloPlan *ghlo_plan_new (GhloRunnable *runnable);

G_END_DECLS
