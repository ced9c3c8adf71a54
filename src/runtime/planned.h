/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs of a device that makes plans: a plan, or the fallback's for a program that is none (dynamic shapes,
 * tuples at its borders). The functions are those of GhloDeviceCoreClass, for the class of such a device.
 */

#pragma once

#include "runtime/device.h"

G_BEGIN_DECLS

/* UNSUPPORTED where the program is no plan and @options has no fallback. */
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
