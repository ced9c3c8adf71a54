/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prepared programs of a device that makes plans: each has a plan, or a program of the fallback device where no
 * plan can be made (dynamic shapes, tuples among its inputs and outputs). The functions implement those of
 * GhloDeviceCoreClass.
 */

#pragma once

#include "runtime/device.h"

G_BEGIN_DECLS

/* Fails with UNSUPPORTED where no plan can be made and @options has no fallback. */
GhloPrepared *ghlo_planned_prepare  (GhloDeviceCore           *device,
                                     GhloIrModule             *module,
                                     GhloIrOp                 *function,
                                     const GhloPrepareOptions *options,
                                     const GhloMonitor        *monitor,
                                     GError                  **error);
void          ghlo_planned_release  (GhloPrepared             *prepared);
gboolean      ghlo_planned_start    (GhloPrepared             *prepared,
                                     const GhloRunOptions     *options,
                                     GhloValue *const         *inputs,
                                     gsize                     n_inputs,
                                     GhloValue               **outputs,
                                     GhloPending             **pending,
                                     const GhloMonitor        *monitor,
                                     GError                  **error);
const GhloStepPlan *ghlo_planned_get_plan (const GhloPrepared *prepared);
char         *ghlo_planned_describe (GhloPrepared             *prepared);
void          ghlo_planned_measure  (GhloPrepared             *prepared,
                                     GhloRunFigures           *figures);

G_END_DECLS
