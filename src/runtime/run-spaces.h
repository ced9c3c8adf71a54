/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a plan has in memory that is not the host's: constants, which lie there for as long as the
 * plan does, and the arenas and outputs of its runs.
 */

#pragma once

#include "plan/plan.h"
#include "runtime/device.h"

G_BEGIN_DECLS

typedef struct _GhloRunSpaces GhloRunSpaces;

/* Puts the constants of @plan, which lives as long as the result, where steps read them, and their addresses
 * into @addresses, which has one of the host's for each constant. */
GhloRunSpaces *ghlo_run_spaces_new      (const GhloStepPlan   *plan,
                                         guint8              **addresses,
                                         const GhloMonitor    *monitor,
                                         GError              **error);
void           ghlo_run_spaces_free     (GhloRunSpaces        *self);
/* Takes the arenas of a run, which it puts into @arenas, one for each of the plan's, for ghlo_run_spaces_end (), and
 * puts the addresses of inputs, outputs and temporaries that are not in the host's memory into @addresses, which has
 * one of the host's for each. FALSE with @error, also of what should have written an input. */
gboolean       ghlo_run_spaces_begin    (const GhloRunSpaces  *self,
                                         GhloValue *const     *inputs,
                                         GhloValue *const     *outputs,
                                         gpointer             *arenas,
                                         guint8              **addresses,
                                         const GhloMonitor    *monitor,
                                         GError              **error);
/* Has the devices begin with all that the run's steps put in. */
gboolean       ghlo_run_spaces_submit   (const GhloRunSpaces  *self,
                                         GError              **error);
void           ghlo_run_spaces_end      (const GhloRunSpaces  *self,
                                         gpointer             *arenas);
/* A value for output @output in @device's memory: @inputs' own where that is it. */
GhloValue     *ghlo_run_spaces_new_output (const GhloStepPlan *plan,
                                         GhloDeviceCore       *device,
                                         GhloValue *const     *inputs,
                                         guint                 output,
                                         GhloTensorType       *type,
                                         GError              **error);
/* The first @size bytes of @operand, which the host then has at @bytes. */
gboolean       ghlo_run_spaces_read     (const GhloStepPlan    *plan,
                                         const GhloStepOperand *operand,
                                         guint8 *const         *addresses,
                                         gpointer               bytes,
                                         gsize                  size,
                                         const GhloMonitor     *monitor,
                                         GError               **error);
/* Runs a TRANSFER step. */
gboolean       ghlo_run_spaces_transfer (const GhloStepPlan   *plan,
                                         const GhloStep       *step,
                                         guint8 *const        *addresses,
                                         const GhloMonitor    *monitor,
                                         GError              **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRunSpaces, ghlo_run_spaces_free)

G_END_DECLS
