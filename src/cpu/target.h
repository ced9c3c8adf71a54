/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels of the CPU, as plans find them.
 */

#pragma once

#include "plan/target.h"

G_BEGIN_DECLS

const GhloStepTarget *ghlo_cpu_target   (void);
/* What its rates depend on; the caller unrefs it. */
GBytes               *ghlo_cpu_identify (void);

G_END_DECLS
