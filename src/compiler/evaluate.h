/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One operation run by an executor, on constants: what constant folding is given to
 * compute with. The operation is put into a program of its own, prepared, run and
 * forgotten.
 */

#pragma once

#include "passes/pass.h"
#include "runtime/executor.h"

G_BEGIN_DECLS

/* What an evaluator needs; lives as long as its evaluator. */
typedef struct
{
  const GhloExecutor *executor;
  const GhloMonitor  *monitor;      /* borrowed; nullable; progress of single operations is not told */
} GhloExecutorEvaluator;

/* @self is borrowed for as long as the result is used. */
GhloPassEvaluator ghlo_executor_evaluator (GhloExecutorEvaluator *self);

G_END_DECLS
