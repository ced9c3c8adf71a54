/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Releasing large objects without delaying the caller: freeing a large program takes milliseconds, so a worker does
 * it.
 */

#pragma once

#include "compiler/executable-core.h"

G_BEGIN_DECLS

void ghlo_reclaim_module     (GhloIrModule       *module);
void ghlo_reclaim_executable (GhloExecutableCore *executable);

G_END_DECLS
