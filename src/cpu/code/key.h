/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What machine code depends on: the key under which it lies on disk (runtime/cache-item.h).
 */

#pragma once

#include "cpu/emit/emit.h"

G_BEGIN_DECLS

/* Of the code of @kernel that the emitter @id makes. */
GBytes *ghlo_code_key (const GhloKernel         *kernel,
                       const GhloKernelSchedule *schedule,
                       const GhloCodeTarget     *target,
                       const char               *id);

G_END_DECLS
