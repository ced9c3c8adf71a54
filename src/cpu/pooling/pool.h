/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Windows over dense tensors whose last dimensions have none (channels-last), so that a window is a
 * few rows of adjacent elements: select_and_scatter of f32 and f64, the gradient of reduce_window. The
 * walk over the windows is here, what is done with each is a routine of isa/.
 */

#pragma once

#include "base/view.h"
#include "cpu/isa/routines.h"
#include "cpu/steps.h"

G_BEGIN_DECLS

/* Most elements of a window. */
enum { GHLO_CPU_POOL_MAX_TAPS = 256 };

/* Position i of the result and element t of its window meet the operand at i * step + t * dilation - low. */
typedef struct
{
  gint64 operand, result;
  gint64 window, step, low, dilation;
} GhloCpuPoolDimension;

typedef struct
{
  guint                n_dimensions;      /* two at least: all from the first to the last that has windows */
  GhloCpuPoolDimension dimensions[GHLO_MAX_RANK + 1];
  gint64               outer, inner;      /* positions before these, adjacent elements behind them */
  gsize                size;              /* of an element */
  guint                type;              /* the number that routines have for it */
} GhloCpuPool;

/* Reads the windows of @op, which has one operand of the first type and one result. @result is the tensor that has an
 * element for each window. NULL, or the reason why it is not done. */
const char *ghlo_cpu_pool_read         (GhloCpuPool             *self,
                                        const GhloIrOp          *op,
                                        const GhloView          *operand,
                                        const GhloView          *result);
/* @result, which is as large as @operand, is the sum, from 0 on, of the elements of @source whose windows select the
 * element there, in the order of the windows. FALSE when cancelled, without an error. */
gboolean    ghlo_cpu_pool_run_gradient (const GhloCpuPool       *self,
                                        GhloCpuPoolGradientFunc  func,
                                        const guint8            *operand,
                                        const guint8            *source,
                                        guint8                  *result,
                                        const GhloMonitor       *monitor);

G_END_DECLS
