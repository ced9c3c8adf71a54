/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The text of a compiled program, as callers get it.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Returns the program in StableHLO, as far as StableHLO can express it. Transfer full. */
char *ghlo_pjrt_program_text (GhloIrModule  *module,
                              GError       **error);

G_END_DECLS
