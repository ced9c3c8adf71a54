/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The processor that machine code is made for. It is the instruction set level that the library uses
 * (cpu/isa/level.h) rather than everything that this processor has, so that machines can share code, and users can
 * choose a lower level.
 */

#pragma once

#include "cpu/llvm/emit.h"

G_BEGIN_DECLS

/* NULL where machine code is not supported on this kind of processor. */
const GhloCodeTarget *ghlo_code_target  (void);
/* The same target, as the cost model of schedules sees it. */
const GhloMachine    *ghlo_code_machine (void);

G_END_DECLS
