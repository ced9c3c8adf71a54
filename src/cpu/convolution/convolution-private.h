/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A convolution independent of its dimension numbers, and the interface of the algorithms that compute one.
 */

#pragma once

#include "cpu/convolution/convolution.h"
#include "cpu/way.h"

G_BEGIN_DECLS

/* A spatial dimension. Tap t at output position o reads position o * step + t * kernel_dilation - low of the input
 * after input dilation. Strides are in bytes; that of the kernel is negative where the window is reversed. */
typedef struct
{
  gint64 input, kernel, output;
  gint64 step, low, input_dilation, kernel_dilation;
  gint64 lhs, rhs, result;
} GhloCpuSpatial;

typedef struct
{
  GhloElementType lhs_type, rhs_type, result_type;
  gboolean        rhs_is_persistent;                /* as in GhloView */
  guint           n_spatial;
  GhloCpuSpatial  spatial[GHLO_MAX_RANK];
  gint64          batch, output_batch;              /* of all groups */
  gint64          features, output_features;        /* of all groups */
  gint64          group_features;                   /* of the input, in one group */
  gint64          feature_groups, batch_groups;
  gint64          lhs_batch, lhs_feature;           /* strides in bytes */
  gint64          rhs_input, rhs_output;
  gint64          result_batch, result_feature;
  gint64          rhs_first;                        /* offset of the first tap in bytes */
} GhloCpuWindows;

/* Positions of the result that together use every tap on actual input, so that a weight that is not finite makes at
 * least one of them not finite. The probes are the Cartesian product of each dimension's positions. */
enum { GHLO_CPU_MAX_PROBES = 4 };

typedef struct
{
  guint  n[GHLO_MAX_RANK];                            /* 0: a tap meets padding only, or too many are needed */
  gint64 positions[GHLO_MAX_RANK][GHLO_CPU_MAX_PROBES];
} GhloCpuProbes;

/* The arguments of a run. */
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
  /* It leaves out the zeros of padding, which would give NaN with weights that are not finite, but checks the probes
   * before an epilogue changes the result. */
  gboolean   skips_padding;
  /* Fills in @way and returns TRUE where it takes the convolution and expects less than @most nanoseconds on one
   * thread. FALSE without an error: the next algorithm is tried. No code is generated unless the convolution's compiles
   * is TRUE. */
  gboolean (*take)    (const GhloCpuConvolution     *self,
                       double                        most,
                       GhloCpuWay                   *way,
                       GError                      **error);
  /* FALSE with an error, or without one when cancelled. The same holds for pack (), which every algorithm has that sets
   * a packed_size. */
  gboolean (*compute) (const GhloCpuConvolution     *self,
                       const GhloCpuConvolutionRun  *run,
                       GError                      **error);
  gboolean (*pack)    (const GhloCpuConvolution     *self,
                       const guint8                 *rhs,
                       gpointer                      packed,
                       guint8                       *scratch,
                       const GhloMonitor            *monitor,
                       GError                      **error);
} GhloCpuConvolutionAlgorithm;

struct _GhloCpuConvolution
{
  GhloCpuWindows                     windows;        /* without taps that meet padding only */
  GhloCpuWindows                     whole;          /* with them */
  GhloCpuPanelFunc                   epilogue;
  gboolean                           compiles;       /* it is going to be run; else only its properties are queried */
  const GhloCpuConvolutionAlgorithm *algorithm;
  GhloCpuWay                         way;            /* the algorithm's own */
  gpointer                           packed;         /* packed_size bytes; NULL where the kernel is used unpacked */
  gboolean                           packs_ahead;    /* the kernel is constant, and packed by the time of a run */
  gboolean                           skips_padding;  /* taps are left out, or the algorithm skips padding */
  gboolean                           has_probes;
  GhloCpuProbes                      probes;
};

/* Whether groups have too few features, of the input or of the result, for a matrix product; or the only one, of the
 * result. There instructions for bf16 make up, from two features on, for lanes that are not used. */
gboolean ghlo_cpu_convolution_has_few_features (GhloElementType type,
                                                gint64          groups,
                                                gint64          group_features,
                                                gint64          output_features);
/* Whether the input is padded or dilated. */
gboolean ghlo_cpu_windows_are_padded         (const GhloCpuWindows *self);
gboolean ghlo_cpu_windows_find_probes        (const GhloCpuWindows *self,
                                              GhloCpuProbes        *probes);
/* Whether features [@first, @last) of the first image are finite at the probes in rows [@begin, @end) of the first
 * spatial dimension. */
gboolean ghlo_cpu_windows_probe              (const GhloCpuWindows *self,
                                              const GhloCpuProbes  *probes,
                                              const guint8         *result,
                                              gint64                begin,
                                              gint64                end,
                                              gint64                first,
                                              gint64                last);
/* Fills a copy of an operand with zeros. FALSE when cancelled. */
gboolean ghlo_cpu_windows_clear              (guint8               *memory,
                                              gsize                 size,
                                              const GhloMonitor    *monitor);
/* Whether all weights, which are floats, are finite; of no use when cancelled. */
gboolean ghlo_cpu_windows_have_finite_kernel (const GhloCpuWindows *self,
                                              const guint8         *rhs,
                                              const GhloMonitor    *monitor);
/* Writes the NaN that weights which are not finite give with padding. @result is complete, and no epilogue has read
 * or changed it yet. FALSE when cancelled. */
gboolean ghlo_cpu_windows_spread_nan         (const GhloCpuWindows *self,
                                              const guint8         *rhs,
                                              guint8               *result,
                                              const GhloMonitor    *monitor);

/* Calls the epilogue on a complete result. FALSE when cancelled. */
gboolean ghlo_cpu_windows_finish             (const GhloCpuWindows        *self,
                                              const GhloCpuConvolutionRun *run);

extern const GhloCpuConvolutionAlgorithm ghlo_cpu_convolution_library;   /* oneDNN */
extern const GhloCpuConvolutionAlgorithm ghlo_cpu_convolution_lanes;     /* few features */
extern const GhloCpuConvolutionAlgorithm ghlo_cpu_convolution_panels;    /* a matrix product */

G_END_DECLS
