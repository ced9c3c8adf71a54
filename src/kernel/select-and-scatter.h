/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * select_and_scatter as two kernels, neither of which scatters: one finds which element each window
 * selects, the other adds to each element of the result the values of the windows that selected
 * it, in the order of the windows.
 */

#pragma once

#include "kernel/lower.h"

G_BEGIN_DECLS

typedef struct
{
  GhloKernel *select;           /* owned; buffers: operand; the selection, of i32, dense, as large as the source */
  GhloKernel *gather;           /* owned; buffers: source, initial value; selection; result */
  gint64      starts[3];        /* of operand, source and initial value, in bytes from the view's first element */
  gint64      n_windows;
} GhloSelectAndScatter;

/* FALSE with *reason, static, where there are no such kernels. */
gboolean ghlo_kernel_lower_select_and_scatter (const GhloKernelGroup  *group,
                                               GhloSelectAndScatter   *lowered,
                                               const char            **reason);
void     ghlo_select_and_scatter_clear        (GhloSelectAndScatter   *self);

G_END_DECLS
