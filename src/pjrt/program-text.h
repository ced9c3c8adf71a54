/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The text of a compiled program, for callers.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* In StableHLO as far as that can say it; the caller frees it. */
char *ghlo_pjrt_program_text (GhloIrModule  *module,
                              GError       **error);

G_END_DECLS
