/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state that library.c plans and library-run.c runs.
 */

#pragma once

#include "cpu/convolution/convolution-private.h"
#include "cpu/move/copy.h"
#include "cpu/library/onednn.h"

G_BEGIN_DECLS

/* A range of images and rows: of the result forward, of the source for its gradient. */
typedef struct
{
  gint64            source, result;     /* bytes */
  gint64            image, row, n_images, n_rows;
  GhloCpuPrimitive *primitive;          /* owned; NULL: zeros */
} GhloCpuConvolutionPart;

/* A tensor of the convolution: as it lies in memory, or a channels-last copy. */
typedef struct
{
  gboolean    copies;
  gsize       at, size;                 /* of the copy in scratch */
  GhloCpuCopy copy;                     /* in its direction */
} GhloCpuConvolutionTensor;

enum { GHLO_CPU_MAX_REORDERS = 8 };

typedef struct
{
  GhloCpuConvolutionShape  shape;       /* of everything */
  GhloCpuConvolutionTensor source, weights, result;
  GhloCpuConvolutionPart  *parts;
  gsize                    n_parts;
  GhloCpuPrimitive        *reorders[GHLO_CPU_MAX_REORDERS];   /* owned; each of some of the result features */
  gsize                    n_reorders;
  gsize                    packed_at, packed_size;
  gsize                    sums_at;     /* gradients for weights of each part */
  gsize                    own_at, own_size;   /* what primitives need, for each worker */
  gsize                    element;
} GhloCpuConvolutionState;

/* Strides of channels-last: images, features, positions. */
void     ghlo_cpu_convolution_find_dense      (const GhloCpuConvolutionShape *shape,
                                               gint64                         features,
                                               const gint64                  *spatial,
                                               gint64                         size,
                                               gint64                        *strides);
gboolean ghlo_cpu_convolution_library_pack    (const GhloCpuConvolution      *self,
                                               const guint8                  *rhs,
                                               gpointer                       packed,
                                               guint8                        *scratch,
                                               const GhloMonitor             *monitor,
                                               GError                       **error);
gboolean ghlo_cpu_convolution_library_compute (const GhloCpuConvolution      *self,
                                               const GhloCpuConvolutionRun   *run,
                                               GError                       **error);

G_END_DECLS
