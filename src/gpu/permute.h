/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies of elements whose neighbours in one place are not neighbours in the other, as in a transpose: boxes of
 * elements are staged in shared memory (shaders/permute.comp), so that both places are accessed in whole lines.
 */

#pragma once

#include "gpu/device.h"
#include "gpu/recording.h"

G_BEGIN_DECLS

enum { GHLO_GPU_PERMUTE_MAX_AXES = 5 };

/* What both places cross in one loop: a dimension, or several whose elements are at equal distances in both. */
typedef struct
{
  gint64 size;
  gint64 strides[2];                  /* of what is read and of what is written, in bytes */
} GhloGpuCopyAxis;

typedef struct
{
  GhloGpuDevice      *device;
  guint               size;           /* bytes of an element */
  GhloGpuCopyAxis     axes[GHLO_GPU_PERMUTE_MAX_AXES];  /* by their strides where is read, the least first; behind
                                                         * them some of size 1 */
  guint               to_order[GHLO_GPU_PERMUTE_MAX_AXES];      /* axes by their strides where is written */
  gint64              boxes[GHLO_GPU_PERMUTE_MAX_AXES];         /* elements of an axis in a box */
  guint               n_inner[2];     /* axes of an order whose elements in a box are adjacent */
  gsize               positions[GHLO_GPU_PERMUTE_MAX_AXES];     /* in shared memory: words between neighbours */
  gsize               n_words;        /* of shared memory, of half an element if that has 8 bytes */
  guint64             n_boxes;
  gint64              starts[2];      /* bytes from the lowest address to the first element */
  gsize               reaches[2];     /* bytes from the lowest address to the end */
  GhloVulkanPipeline *pipeline;
} GhloGpuPermute;

/* Returns FALSE where boxes gain nothing, or the device or the sizes do not permit them. @size is that of an element;
 * @starts and @reaches are as above. */
gboolean ghlo_gpu_permute_init    (GhloGpuPermute         *self,
                                   GhloGpuDevice          *device,
                                   const GhloGpuCopyAxis  *axes,
                                   guint                   n_axes,
                                   gsize                   size,
                                   const gint64           *starts,
                                   const gsize            *reaches);
gboolean ghlo_gpu_permute_compile (GhloGpuPermute         *self,
                                   GError                **error);
/* @from and @to are the places of the lowest addresses. */
void     ghlo_gpu_permute_record  (const GhloGpuPermute   *self,
                                   GhloBufferRef           from,
                                   GhloBufferRef           to,
                                   GhloGpuRecording       *recording);

G_END_DECLS
