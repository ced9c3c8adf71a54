/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Epilogues of products (plan/epilogue.h) that the product's own shader does, or the kernel that adds its pieces. Each
 * access of the kernel gets a place by rows, columns and batches in place of the kernel's axes.
 */

#pragma once

#include "plan/epilogue.h"
#include "vulkan/product/product.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 size;
  gint64  strides[GHLO_SPIRV_MAX_ACCESSES];             /* bytes, of all accesses of the kernel */
} GhloVulkanEpilogueDimension;

typedef struct
{
  const GhloStepEpilogue     *fusion;                   /* borrowed */
  GhloKernel                 *kernel;                   /* owned; the fusion's, expanded */
  GhloSpirvEpilogue           shader;
  GhloVulkanEpilogueDimension dimensions[GHLO_SPIRV_INNER][GHLO_SPIRV_MAX_DIMENSIONS];  /* by roles */
} GhloVulkanEpilogue;

enum { GHLO_VULKAN_EPILOGUE_MAX_WORDS = GHLO_SPIRV_MAX_ACCESSES + GHLO_SPIRV_INNER * GHLO_SPIRV_MAX_DIMENSIONS
                                                                  * (1 + GHLO_SPIRV_MAX_ACCESSES) };

/* Of @product as it was read for the fusion's lead. NULL, or the reason, static, why it takes a kernel of its own.
 * @alignments: as in the request, NULL where they are not known. To be cleared in any case. */
const char *ghlo_vulkan_epilogue_init  (GhloVulkanEpilogue       *self,
                                        const GhloStepEpilogue   *fusion,
                                        const GhloVulkanProduct  *product,
                                        const guint32            *alignments);
/* Whether the shader of @product, or the kernel that adds its pieces, does it faster than one more kernel. */
gboolean    ghlo_vulkan_epilogue_is_worth (const GhloVulkanEpilogue *self,
                                           const GhloVulkanProduct  *product);
void        ghlo_vulkan_epilogue_clear (GhloVulkanEpilogue       *self);
/* The words behind those of the product; how many there are. The first are addresses, one for each access of the
 * kernel, which are 0. */
guint       ghlo_vulkan_epilogue_words (const GhloVulkanEpilogue *self,
                                        guint64                  *words);

G_END_DECLS
