/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Giving up what is large without holding up the caller: freeing a large program takes
 * milliseconds, which are a worker's.
 */

#pragma once

#include "compiler/executable-core.h"

G_BEGIN_DECLS

void ghlo_reclaim_module     (GhloIrModule       *module);
void ghlo_reclaim_executable (GhloExecutableCore *executable);

G_END_DECLS
