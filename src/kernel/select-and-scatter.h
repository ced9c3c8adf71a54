/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lowers select_and_scatter to two kernels, neither of which scatters. The first one finds the element that each
 * window selects. The second one combines, for each element of the result, the values of the windows that selected
 * it, in the order of the windows.
 */

#pragma once

#include "kernel/lower.h"

G_BEGIN_DECLS

typedef struct
{
  GhloKernel *select;           /* owned; buffers: operand; selection (i32, dense, with the source's shape) */
  GhloKernel *gather;           /* owned; buffers: source, initial value, selection, result */
  gint64      starts[3];        /* of operand, source and initial value, in bytes from the first element of the view */
  gint64      n_windows;
} GhloSelectAndScatter;

/* Returns FALSE with *@reason, a static text, where there are no such kernels. */
gboolean ghlo_kernel_lower_select_and_scatter (const GhloKernelGroup  *group,
                                               GhloSelectAndScatter   *lowered,
                                               const char            **reason);
void     ghlo_select_and_scatter_clear        (GhloSelectAndScatter   *self);

G_END_DECLS
