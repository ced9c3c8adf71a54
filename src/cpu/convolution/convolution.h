/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stablehlo.convolution with any layout, window, dilation and grouping, and therefore both of its gradients too. A
 * convolution is prepared once, when shapes and strides are known, and may be run by any number of threads at the
 * same time.
 */

#pragma once

#include "cpu/gemm/gemm.h"
#include "ir/window.h"
#include "base/view.h"

G_BEGIN_DECLS

/* The roles of the dimensions, and the window. */
typedef struct
{
  guint    n_spatial;
  gint64   input_batch, input_feature, input_spatial[GHLO_MAX_RANK];
  gint64   kernel_input_feature, kernel_output_feature, kernel_spatial[GHLO_MAX_RANK];
  gint64   output_batch, output_feature, output_spatial[GHLO_MAX_RANK];
  gint64   feature_groups, batch_groups;
  GhloIrWindow window;
} GhloCpuConvolutionNumbers;

/* Reads the numbers of @op. Returns NULL, or why it is no convolution that is supported. */
const char         *ghlo_cpu_convolution_numbers_read (GhloCpuConvolutionNumbers *self,
                                                       const GhloIrOp            *op);

typedef struct _GhloCpuConvolution GhloCpuConvolution;

/* Of the views, types, dimensions and strides are used, and data where @rhs is constant: it is then packed in the order
 * that runs read, which @monitor (nullable) cancels. UNSUPPORTED for types that no algorithm here takes, OUT_OF_MEMORY
 * where the padding or the dilation is too large. */
GhloCpuConvolution *ghlo_cpu_convolution_prepare      (const GhloCpuConvolutionNumbers *numbers,
                                                       const GhloView                  *lhs,
                                                       const GhloView                  *rhs,
                                                       const GhloView                  *result,
                                                       GhloCpuPanelFunc                 epilogue,   /* nullable */
                                                       const GhloMonitor               *monitor,
                                                       GError                         **error);
/* The same without generating code or packing: the result can be queried, but not run. */
GhloCpuConvolution *ghlo_cpu_convolution_choose       (const GhloCpuConvolutionNumbers *numbers,
                                                       const GhloView                  *lhs,
                                                       const GhloView                  *rhs,
                                                       const GhloView                  *result,
                                                       GhloCpuPanelFunc                 epilogue,
                                                       GError                         **error);
void                ghlo_cpu_convolution_free         (GhloCpuConvolution              *self);
/* Bytes of scratch that a run needs, aligned to 64. */
gsize               ghlo_cpu_convolution_scratch_size (const GhloCpuConvolution        *self);
const char         *ghlo_cpu_convolution_describe     (const GhloCpuConvolution        *self);
double              ghlo_cpu_convolution_nanoseconds  (const GhloCpuConvolution        *self);

/* Bytes of a constant kernel that is kept in packed form. */
gsize               ghlo_cpu_convolution_packed_size  (const GhloCpuConvolution        *self);

/* As ghlo_cpu_gemm_get_packing () and ghlo_cpu_gemm_pack (), for a kernel. pack () also returns FALSE, without an
 * error, where the kernel has values that are not finite. */
GBytes             *ghlo_cpu_convolution_get_packing  (const GhloCpuConvolution        *self,
                                                       gsize                           *size);
gboolean            ghlo_cpu_convolution_pack         (const GhloCpuConvolution        *self,
                                                       const guint8                    *rhs,
                                                       gpointer                         packed,
                                                       gpointer                         scratch,
                                                       const GhloMonitor               *monitor,
                                                       GError                         **error);

/* As ghlo_cpu_gemm_run(). A kernel that was constant need not be given again. */
gboolean            ghlo_cpu_convolution_run          (const GhloCpuConvolution        *self,
                                                       const guint8                    *lhs,
                                                       const guint8                    *rhs,
                                                       gconstpointer                    packed,
                                                       guint8                          *result,
                                                       gpointer                         scratch,
                                                       gpointer                         epilogue_data,
                                                       const GhloMonitor               *monitor,
                                                       GError                         **error);

/* Why @op, a convolution of plain types, need not be channels-last; NULL where channels-last is better. */
const char         *ghlo_cpu_convolution_declines_layout (const GhloIrOp              *op);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCpuConvolution, ghlo_cpu_convolution_free)

G_END_DECLS
