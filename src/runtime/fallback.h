/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The operations of a plan that another device runs, each alone: outlined into one module,
 * prepared, and counted in the memory of the process.
 */

#pragma once

#include "base/view.h"
#include "runtime/device.h"

G_BEGIN_DECLS

typedef struct _GhloFallback     GhloFallback;
typedef struct _GhloFallbackStep GhloFallbackStep;

/* @device (nullable) runs operations of @source, which lives as long as the result. */
GhloFallback     *ghlo_fallback_new      (GhloDeviceCore          *device,
                                          const GhloIrModule      *source);
void              ghlo_fallback_free     (GhloFallback            *self);
/* The step that runs @op, of which there is one however often it is added; UNSUPPORTED without a device. Its operands
 * are those of ghlo_ir_outline_inputs (). The result is @self's. */
GhloFallbackStep *ghlo_fallback_add      (GhloFallback            *self,
                                          const GhloIrOp          *op,
                                          GError                 **error);
/* Once, after all were added and before any is run. */
gboolean          ghlo_fallback_prepare  (GhloFallback            *self,
                                          const GhloCustomTargets *custom_targets,     /* nullable */
                                          const GhloMonitor       *monitor,
                                          GError                 **error);
/* The bytes that are counted. */
gsize             ghlo_fallback_get_size (const GhloFallback      *self);
/* Operands and results are dense; of a token nothing is read. Of @options (nullable) the step gets what
 * belongs to the run, and not what is said of the program's inputs and outputs. */
gboolean          ghlo_fallback_run      (const GhloFallbackStep  *step,
                                          const GhloRunOptions    *options,
                                          const GhloView          *operands,
                                          const GhloView          *results,
                                          const GhloMonitor       *monitor,
                                          GError                 **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloFallback, ghlo_fallback_free)

G_END_DECLS
