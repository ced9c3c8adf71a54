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
} GhloCode;

/* @monitor is a job's own, since it is told the stage of its progress. */
GhloCode *ghlo_code_new   (GhloIrModule          *module,
                           const GhloDeviceCore  *device,
                           const GhloSettings    *settings,
                           const GhloMonitor     *monitor,
                           GError               **error);
GhloCode *ghlo_code_ref   (GhloCode              *self);
void      ghlo_code_unref (GhloCode              *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCode, ghlo_code_unref)

G_END_DECLS
