/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A convolution independent of its dimension numbers, and the two algorithms that compute
 * one.
 */

#pragma once

#include "cpu/convolution/convolution.h"

G_BEGIN_DECLS

/* A spatial dimension. Output position o and tap t meet the input, spread out by its
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

/* Places of the result at which every tap meets the input, at one or another of them: a weight
 * that is not finite shows in what is computed there. Those of each dimension go with all of the
 * others'. */
enum { GHLO_CPU_MAX_PROBES = 4 };

typedef struct
{
  guint  n[GHLO_MAX_RANK];                            /* 0: a tap meets padding alone, or too many are needed */
  gint64 positions[GHLO_MAX_RANK][GHLO_CPU_MAX_PROBES];
} GhloCpuProbes;

/* What is given to a run. */
typedef struct
{
  const guint8      *lhs, *rhs;
  gconstpointer      packed;
  guint8            *result;
  guint8            *scratch;
  GhloCpuPanelFunc   epilogue;     /* nullable */
  gpointer           epilogue_data;
  const GhloMonitor *monitor;
  gint              *is_suspect;   /* atomic, nullable: set where a probe is not finite */
} GhloCpuConvolutionRun;

typedef struct
{
  /* It leaves out the zeros that pad, which weights that are not finite make NaN of, but looks
   * at the probes before an epilogue does anything to them. */
  gboolean   skips_padding;
  /* Fills in the state when it takes the convolution; without an error it does not. Where it is not
   * compiled no code is generated. */
  gboolean (*take)    (GhloCpuConvolution           *self,
                       GError                      **error);
  /* FALSE with an error, or without one when it was cancelled; so is the next. */
  gboolean (*compute) (const GhloCpuConvolution     *self,
                       const GhloCpuConvolutionRun  *run,
                       GError                      **error);
  gboolean (*pack)    (const GhloCpuConvolution     *self,       /* nullable */
                       const guint8                 *rhs,
                       gpointer                      packed,
                       guint8                       *scratch,
                       const GhloMonitor            *monitor,
                       GError                      **error);
  void     (*release) (gpointer                      state);
} GhloCpuConvolutionAlgorithm;

struct _GhloCpuConvolution
{
  GhloCpuWindows                     windows;
  GhloCpuPanelFunc                   epilogue;
  gboolean                           compiles;       /* it will be run; else it is only asked for its properties */
  const GhloCpuConvolutionAlgorithm *algorithm;
  gpointer                           state;          /* the algorithm's own */
  gboolean                           skips_padding;  /* and there is some */
  gboolean                           has_probes;
  GhloCpuProbes                      probes;
  gsize                              scratch_size;
  gsize                              packed_size;
  double                             nanoseconds;
  char                              *description;
};

/* Whether zeros pad the input, or lie between its elements. */
gboolean ghlo_cpu_windows_are_padded         (const GhloCpuWindows *self);
gboolean ghlo_cpu_windows_find_probes        (const GhloCpuWindows *self,
                                              GhloCpuProbes        *probes);
/* Whether the first image is finite at the probes in rows [@begin, @end) of the first spatial
 * dimension. */
gboolean ghlo_cpu_windows_probe              (const GhloCpuWindows *self,
                                              const GhloCpuProbes  *probes,
                                              const guint8         *result,
                                              gint64                begin,
                                              gint64                end);
/* Of a kernel of floats up to 32 bits. */
gboolean ghlo_cpu_windows_have_finite_kernel (const GhloCpuWindows *self,
                                              const guint8         *rhs);
/* What weights that are not finite make of padding goes into the complete result, which no epilogue has read or
 * written yet. FALSE when cancelled. */
gboolean ghlo_cpu_windows_spread_nan         (const GhloCpuWindows *self,
                                              const guint8         *rhs,
                                              guint8               *result,
                                              const GhloMonitor    *monitor);

/* Calls the epilogue on the complete result. FALSE when cancelled. */
gboolean ghlo_cpu_windows_finish             (const GhloCpuWindows        *self,
                                              const GhloCpuConvolutionRun *run);

extern const GhloCpuConvolutionAlgorithm ghlo_cpu_convolution_library;   /* oneDNN */
extern const GhloCpuConvolutionAlgorithm ghlo_cpu_convolution_panels;    /* a product of matrices */

G_END_DECLS
