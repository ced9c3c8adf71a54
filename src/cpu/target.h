/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU as a target of plans.
 */

#pragma once

#include "plan/target.h"

G_BEGIN_DECLS

const GhloStepTarget *ghlo_cpu_target   (void);
/* Identifies what the target's rates depend on; transfer full. */
GBytes               *ghlo_cpu_identify (void);

G_END_DECLS
