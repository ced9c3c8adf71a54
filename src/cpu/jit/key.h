/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The cache key under which machine code is stored on disk (runtime/cache-item.h): everything that the code depends
 * on.
 */

#pragma once

#include "cpu/llvm/emit.h"

G_BEGIN_DECLS

/* Returns the key of the code that the emitter @id makes for @kernel. */
GBytes *ghlo_code_key (const GhloKernel         *kernel,
                       const GhloKernelSchedule *schedule,
                       const GhloCodeTarget     *target,
                       const char               *id);

G_END_DECLS
