/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The reference executor: every operation straight from the specification, one
 * scalar at a time. It is slow, obvious and right; everything else is tested
 * against it.
 */

#pragma once

#include "runtime/executor.h"

G_BEGIN_DECLS

const GhloExecutor *ghlo_reference_executor (void);

G_END_DECLS
