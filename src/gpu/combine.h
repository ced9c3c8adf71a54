/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How shaders combine two elements: the specialization constants of combine.glsl.
 */

#pragma once

#include "kernel/scalar.h"
#include "gpu/device.h"

#include "shaders/combine.words"

G_BEGIN_DECLS

/* The fields are in the order of the specialization constants. */
typedef struct
{
  guint32 size;         /* of an element, in bytes */
  guint32 kind;
  guint32 class;
} GhloGpuCombine;

/* Returns NULL, or a static string that says why no shader combines elements of @type with @combiner, or why the device
 * would not produce the same bits as the CPU. With GHLO_COMBINER_NONE the second element replaces the first. */
const char *ghlo_gpu_combine_init       (GhloGpuCombine       *self,
                                         const GhloGpuDevice  *device,
                                         GhloCombiner          combiner,
                                         GhloElementType       type);
/* Whether the combiner adds or multiplies floats. */
gboolean    ghlo_gpu_combine_calculates (const GhloGpuCombine *self);

G_END_DECLS
