/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a compile makes of a program for a device: the program after the passes, and
 * what an executor prepared. Immutable and counted atomically; it knows nothing of
 * who compiled it, so executables of equal programs may share one.
 */

#pragma once

#include "ghlo-compile-options-private.h"
#include "ghlo-compile-report.h"
#include "ghlo-device-private.h"
#include "ir/module.h"
#include "runtime/executor.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount       ref_count;
  GhloIrModule         *module;      /* as the executor was given it */
  const GhloExecutor   *executor;
  GhloPrepared         *prepared;    /* executor's */
  GhloCompileReport    *report;
} GhloRunnable;

/* @monitor is a job's own, since it is told the stage of its progress. */
GhloRunnable *ghlo_runnable_new      (GhloIrModule          *module,
                                      const GhloDeviceCore  *device,
                                      const GhloSettings    *settings,
                                      const GhloMonitor     *monitor,
                                      GError               **error);
GhloRunnable *ghlo_runnable_ref      (GhloRunnable          *self);
void          ghlo_runnable_unref    (GhloRunnable          *self);
/* What the executor says of it; NULL where it says nothing. */
char         *ghlo_runnable_describe (GhloRunnable          *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRunnable, ghlo_runnable_unref)

G_END_DECLS
