/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The operations of a plan that a fallback device runs one by one. They are outlined into one module and prepared,
 * and their memory is counted in the memory of the process.
 */

#pragma once

#include "base/view.h"
#include "execute/program.h"

G_BEGIN_DECLS

typedef struct _GhloFallback     GhloFallback;
typedef struct _GhloFallbackStep GhloFallbackStep;

/* @device (nullable) is to run operations of @source, which must outlive the result. */
GhloFallback     *ghlo_fallback_new      (GhloDeviceCore          *device,
                                          const GhloIrModule      *source);
void              ghlo_fallback_free     (GhloFallback            *self);
/* Returns the step that runs @op, owned by @self; adding an operation again returns the same step. Fails with
 * UNSUPPORTED without a device. The operands of the step are those of ghlo_ir_outline_inputs (). */
GhloFallbackStep *ghlo_fallback_add      (GhloFallback            *self,
                                          const GhloIrOp          *op,
                                          GError                 **error);
/* Called once, after all operations were added and before any is run. */
gboolean          ghlo_fallback_prepare  (GhloFallback            *self,
                                          const GhloCustomTargets *custom_targets,     /* nullable */
                                          const GhloMonitor       *monitor,
                                          GError                 **error);
/* Returns the bytes that are counted in the memory of the process. */
gsize             ghlo_fallback_get_size (const GhloFallback      *self);
/* Operands and results are dense; views of tokens are not accessed. Of @options (nullable) the step sees those of the
 * run as a whole, but not those for the program's inputs and outputs. */
gboolean          ghlo_fallback_run      (const GhloFallbackStep  *step,
                                          const GhloRunOptions    *options,
                                          const GhloView          *operands,
                                          const GhloView          *results,
                                          const GhloMonitor       *monitor,
                                          GError                 **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloFallback, ghlo_fallback_free)

G_END_DECLS
