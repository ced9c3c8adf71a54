/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU's executor: a plan over its kernels.
 */

#pragma once

#include "runtime/executor.h"

G_BEGIN_DECLS

/* @fallback runs what there is no kernel for, and programs that are no plan. It is the
 * same in each call. */
const GhloExecutor *ghlo_cpu_executor (const GhloExecutor *fallback);

G_END_DECLS
