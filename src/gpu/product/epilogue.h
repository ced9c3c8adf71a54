/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Epilogues of products (plan/epilogue.h) that are computed by the product's own shader, or by the kernel that adds its
 * pieces. Each access of the epilogue's kernel is described by strides along rows, columns and batches in place of
 * strides along the kernel's axes.
 */

#pragma once

#include "gpu/product/product.h"
#include "plan/epilogue.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 size;
  gint64  strides[GHLO_SPIRV_MAX_ACCESSES];             /* bytes, for each access of the kernel */
} GhloGpuEpilogueDimension;

typedef struct
{
  const GhloStepEpilogue  *fusion;                      /* borrowed */
  GhloKernel              *kernel;                      /* owned; the fusion's kernel, expanded */
  GhloSpirvEpilogue        shader;
  GhloGpuEpilogueDimension dimensions[GHLO_SPIRV_INNER][GHLO_SPIRV_MAX_DIMENSIONS];  /* by role */
} GhloGpuEpilogue;

enum { GHLO_GPU_EPILOGUE_MAX_WORDS = GHLO_SPIRV_MAX_ACCESSES + GHLO_SPIRV_INNER * GHLO_SPIRV_MAX_DIMENSIONS
                                                               * (1 + GHLO_SPIRV_MAX_ACCESSES) };

/* @product is the product that was read for the fusion's lead operation. @alignments is that of the request, or NULL if
 * unknown. Returns NULL, or a static string that says why the epilogue needs a kernel of its own. @self must be cleared
 * in either case. */
const char *ghlo_gpu_epilogue_init     (GhloGpuEpilogue        *self,
                                        const GhloStepEpilogue *fusion,
                                        const GhloGpuProduct   *product,
                                        const guint32          *alignments);
/* Whether the epilogue is faster in the shader of @product, or in the kernel that adds its pieces, than as a kernel of
 * its own. */
gboolean    ghlo_gpu_epilogue_is_worth (const GhloGpuEpilogue  *self,
                                        const GhloGpuProduct   *product);
void        ghlo_gpu_epilogue_clear    (GhloGpuEpilogue        *self);
/* Writes the words that follow those of the product, and returns how many there are. The first ones are the addresses
 * of the kernel's accesses, and are 0. */
guint       ghlo_gpu_epilogue_words    (const GhloGpuEpilogue  *self,
                                        guint64                *words);

G_END_DECLS
