/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A shader of a product, and where what its table has the addresses of lies in a step's memory.
 */

#pragma once

#include "vulkan/product/epilogue.h"
#include "vulkan/recording.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_VULKAN_OPERAND,
  GHLO_VULKAN_RESULT,
  GHLO_VULKAN_SCRATCH,
} GhloVulkanSourceKind;

/* A place that is found in each run. */
typedef struct
{
  GhloVulkanSourceKind kind;
  guint                index;               /* of the operand or result */
  gint64               offset;              /* bytes */
} GhloVulkanSource;

enum
{
  GHLO_VULKAN_PRODUCT_MAX_WORDS = GHLO_SPIRV_PRODUCT_N_WORDS
                                  + GHLO_SPIRV_MAX_WINDOWS * sizeof (GhloSpirvProductWindow) / sizeof (guint64)
                                  + GHLO_SPIRV_N_ROLES * GHLO_SPIRV_MAX_DIMENSIONS * (1 + GHLO_SPIRV_N_FORMS)
                                  + GHLO_VULKAN_EPILOGUE_MAX_WORDS
};

/* Of tensors, factors, the flag, and the epilogue. */
enum { GHLO_VULKAN_PRODUCT_MAX_ACCESSES = GHLO_SPIRV_N_TENSORS + 2 + 1 + GHLO_SPIRV_MAX_ACCESSES };

typedef struct
{
  GhloVulkanProduct         product;
  const GhloVulkanEpilogue *epilogue;   /* borrowed; NULL where the shader has none */
  VkPipeline                pipeline;
  GhloVulkanAccess          accesses[GHLO_VULKAN_PRODUCT_MAX_ACCESSES];         /* but for their places */
  GhloVulkanSource          sources[GHLO_VULKAN_PRODUCT_MAX_ACCESSES];
  guint                     n_accesses;
} GhloVulkanProductShader;

/* The word @word of GhloSpirvProductWord is the address of @source. The shader may touch @size bytes from @begin on,
 * behind that. */
void     ghlo_vulkan_product_add_access   (GhloVulkanProductShader       *self,
                                           guint                          word,
                                           GhloVulkanSource               source,
                                           gint64                         begin,
                                           gsize                          size,
                                           gboolean                       is_written);
/* Those of its epilogue, if it has one, but for what that stores and no result of the step is. */
void     ghlo_vulkan_product_add_epilogue (GhloVulkanProductShader       *self);
/* Its words of the table but for the addresses, which are 0; how many there are. */
guint    ghlo_vulkan_product_words        (const GhloVulkanProductShader *self,
                                           guint64                       *own);
/* Its accesses in a run. */
void     ghlo_vulkan_product_find_accesses (const GhloVulkanProductShader *self,
                                           const GhloStepPlace           *operands,
                                           const GhloStepPlace           *results,
                                           GhloStepPlace                  scratch,
                                           GhloVulkanAccess              *accesses);
gboolean ghlo_vulkan_product_compile      (GhloVulkanProductShader       *self,
                                           const GhloVulkanDevice        *device,
                                           GError                       **error);
void     ghlo_vulkan_product_record       (const GhloVulkanProductShader *self,
                                           const GhloStepPlace           *operands,
                                           const GhloStepPlace           *results,
                                           GhloStepPlace                  scratch,
                                           GhloVulkanRecording           *recording);

G_END_DECLS
