/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Windows over dense tensors whose last dimensions are not windowed (channels-last), so that a window consists of a
 * few rows of adjacent elements. Used for select_and_scatter of f32 and f64, the gradient of reduce_window. This is
 * the walk over the windows; a routine of isa/ computes each of them.
 */

#pragma once

#include "base/view.h"
#include "cpu/isa/routines.h"
#include "cpu/steps.h"

G_BEGIN_DECLS

/* The most elements of a window. */
enum { GHLO_CPU_POOL_MAX_TAPS = 256 };

/* Element t of the window of result position i is at operand position i * step + t * dilation - low. */
typedef struct
{
  gint64 operand, result;
  gint64 window, step, low, dilation;
} GhloCpuPoolDimension;

typedef struct
{
  guint                n_dimensions;      /* at least two: all from the first to the last windowed one */
  GhloCpuPoolDimension dimensions[GHLO_MAX_RANK + 1];
  gint64               outer, inner;      /* positions in dimensions before these; adjacent elements behind them */
  gsize                size;              /* bytes of an element */
  guint                type;              /* index of the type in the routines' tables */
} GhloCpuPool;

/* Reads the windows of @op, which has one operand of the first type and one result. @result is the tensor that has
 * one element for each window. Returns NULL, or why @op is not supported. */
const char *ghlo_cpu_pool_read         (GhloCpuPool             *self,
                                        const GhloIrOp          *op,
                                        const GhloView          *operand,
                                        const GhloView          *result);
/* Sets @result, which is as large as @operand: each element is the sum, from 0 on, of the elements of @source whose
 * windows select it, in the order of the windows. FALSE when cancelled; sets no error. */
gboolean    ghlo_cpu_pool_run_gradient (const GhloCpuPool       *self,
                                        GhloCpuPoolGradientFunc  func,
                                        const guint8            *operand,
                                        const guint8            *source,
                                        guint8                  *result,
                                        const GhloMonitor       *monitor);

G_END_DECLS
