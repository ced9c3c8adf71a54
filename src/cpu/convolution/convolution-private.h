/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A convolution in one form, whatever its dimension numbers, and the two ways to
 * compute one.
 */

#pragma once

#include "cpu/convolution/convolution.h"

G_BEGIN_DECLS

/* A spatial dimension. Output place o and tap t meet the input, spread out by its
 * dilation, at o * step + t * kernel_dilation - low. Strides are in bytes; the
 * kernel's is negative where the window is reversed. */
typedef struct
{
  gint64 input, kernel, output;
  gint64 step, low, input_dilation, kernel_dilation;
  gint64 lhs, rhs, result;
} GhloCpuSpatial;

typedef struct
{
  GhloElementType lhs_type, rhs_type, result_type;
  guint           n_spatial;
  GhloCpuSpatial  spatial[GHLO_MAX_RANK];
  gint64          batch, output_batch;              /* of all groups */
  gint64          features, output_features;        /* of all groups */
  gint64          group_features;                   /* of the input, in one group */
  gint64          feature_groups, batch_groups;
  gint64          lhs_batch, lhs_feature;           /* strides in bytes */
  gint64          rhs_input, rhs_output;
  gint64          result_batch, result_feature;
  gint64          rhs_first;                        /* bytes to the first tap */
} GhloCpuWindows;

/* What is given to a run. */
typedef struct
{
  const guint8      *lhs, *rhs;
  gconstpointer      packed;
  guint8            *result;
  guint8            *scratch;
  gpointer           epilogue_data;
  const GhloMonitor *monitor;
} GhloCpuConvolutionRun;

typedef struct
{
  /* Fills in the state when it takes the convolution; without an error it does not. */
  gboolean (*take)    (GhloCpuConvolution           *self,
                       GError                      **error);
  /* FALSE when cancelled, or with an error. */
  gboolean (*compute) (const GhloCpuConvolution     *self,
                       const GhloCpuConvolutionRun  *run,
                       GError                      **error);
  gboolean (*pack)    (const GhloCpuConvolution     *self,       /* nullable */
                       const guint8                 *rhs,
                       gpointer                      packed,
                       guint8                       *scratch,
                       const GhloMonitor            *monitor);
  void     (*release) (gpointer                      state);
} GhloCpuConvolutionAlgorithm;

struct _GhloCpuConvolution
{
  GhloCpuWindows                     windows;
  GhloCpuPanelFunc                   epilogue;
  const GhloCpuConvolutionAlgorithm *algorithm;
  gpointer                           state;     /* the algorithm's own */
  gsize                              scratch_size;
  gsize                              packed_size;
  double                             nanoseconds;
  char                              *description;
};

extern const GhloCpuConvolutionAlgorithm ghlo_cpu_convolution_library;   /* oneDNN */
extern const GhloCpuConvolutionAlgorithm ghlo_cpu_convolution_panels;    /* a product of matrices */

static inline gsize
ghlo_cpu_round_64 (gsize size)
{
  return (size + 63) / 64 * 64;
}

G_END_DECLS
