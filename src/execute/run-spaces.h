/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The device memory of a plan: constants, which stay there as long as the plan, and the arenas and outputs of its
 * runs.
 */

#pragma once

#include "execute/program.h"
#include "plan/plan.h"

G_BEGIN_DECLS

typedef struct _GhloRunSpaces GhloRunSpaces;

/* Copies the constants of @plan, which must outlive the result, to the memories where steps read them, and stores their
 * addresses in @addresses, which contains the host address of each constant on entry. */
GhloRunSpaces *ghlo_run_spaces_new      (const GhloStepPlan   *plan,
                                         guint8              **addresses,
                                         const GhloMonitor    *monitor,
                                         GError              **error);
void           ghlo_run_spaces_free     (GhloRunSpaces        *self);
/* Allocates the arenas of a run and stores them in @arenas, which has room for one per arena of the plan; they are
 * released by ghlo_run_spaces_end (). Returns FALSE with @error, which may be the error of an input's writer. */
gboolean       ghlo_run_spaces_begin    (const GhloRunSpaces  *self,
                                         GhloValue *const     *inputs,
                                         gpointer             *arenas,
                                         const GhloMonitor    *monitor,
                                         GError              **error);
/* Submits to the devices all work that the steps of the run have recorded. */
gboolean       ghlo_run_spaces_submit   (const GhloRunSpaces  *self,
                                         GError              **error);
void           ghlo_run_spaces_end      (const GhloRunSpaces  *self,
                                         gpointer             *arenas);
/* Returns a value for output @output in the memory of @device; it is the input's value or storage where the plan shares
 * these, and has the storage of an input that the caller gives up where the device may overwrite that. */
GhloValue     *ghlo_run_spaces_new_output (const GhloStepPlan *plan,
                                         GhloDeviceCore       *device,
                                         const GhloRunOptions *options,
                                         GhloValue *const     *inputs,
                                         guint                 output,
                                         GhloTensorType       *type,
                                         GError              **error);
/* Reads the first @size bytes of @operand into @bytes, in host memory. */
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
