/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What machine code is made for: the level of processors that this one is used as (cpu/isa/level.h), rather
 * than all that it can, so that code is shared between machines and a user may choose less.
 */

#pragma once

#include "cpu/emit/emit.h"

G_BEGIN_DECLS

/* NULL where there is no code for this kind of processor. */
const GhloCodeTarget *ghlo_code_target  (void);
/* The same for whoever chooses schedules. */
const GhloMachine    *ghlo_code_machine (void);

G_END_DECLS
