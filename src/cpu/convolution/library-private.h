/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state that library.c sets up and library-run.c uses.
 */

#pragma once

#include "cpu/convolution/convolution-private.h"
#include "cpu/move/copy.h"
#include "cpu/library/onednn.h"

G_BEGIN_DECLS

/* A range of images and rows, of the result in the forward direction, of the source for its gradient; and a block of
 * the result's features. */
typedef struct
{
  gint64            source, result;     /* offsets in bytes; the result's is of the first feature */
  gint64            image, row, n_images, n_rows;
  gsize             block;
  GhloCpuPrimitive *primitive;          /* owned; NULL: the part is zero */
} GhloCpuConvolutionPart;

/* A tensor of the convolution: in its own memory, or as a channels-last copy. */
typedef struct
{
  gboolean    copies;
  gboolean    has_zeros;                /* the copy has features that are zeros */
  gsize       at, size;                 /* the copy's place in the scratch */
  GhloCpuCopy copy;                     /* into the tensor or out of it, as needed */
} GhloCpuConvolutionTensor;

enum { GHLO_CPU_MAX_REORDERS = 8 };

typedef struct
{
  GhloCpuConvolutionShape  shape;       /* of the whole convolution */
  GhloCpuConvolutionTensor source, weights, result;
  GhloCpuConvolutionPart  *parts;
  gsize                    n_parts;
  double                   nanoseconds; /* approximate, of all parts on one thread */
  gsize                    n_blocks;    /* of the result's features, equal ones; the primitives compute one, with its
                                         * own packed weights */
  GhloCpuPrimitive        *reorders[GHLO_CPU_MAX_REORDERS];   /* owned; each one is for some features of a block */
  gsize                    n_reorders;
  gsize                    packed_at, packed_size;      /* the size of a block */
  gint64                   block_weights;               /* bytes between the weights of two blocks */
  gsize                    own_at, own_size;   /* scratch of primitives, for each worker; behind it the result of a
                                                * part, where there are several blocks */
  gsize                    block_size;         /* of that result */
} GhloCpuConvolutionState;

void     ghlo_cpu_convolution_state_free      (gpointer                       state);
/* Computes channels-last strides: image, feature, positions. */
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
