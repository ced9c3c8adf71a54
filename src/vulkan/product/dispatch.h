/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The shader of a product, and where in a step's memory the addresses in its table point.
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

/* A place that is resolved in each run. */
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

/* For tensors, factors, the flag, and the epilogue. */
enum { GHLO_VULKAN_PRODUCT_MAX_ACCESSES = GHLO_SPIRV_N_TENSORS + 2 + 1 + GHLO_SPIRV_MAX_ACCESSES };

typedef struct
{
  GhloVulkanProduct         product;
  const GhloVulkanEpilogue *epilogue;   /* borrowed; NULL if there is none */
  VkPipeline                pipeline;
  GhloVulkanAccess          accesses[GHLO_VULKAN_PRODUCT_MAX_ACCESSES];         /* all but their places */
  GhloVulkanSource          sources[GHLO_VULKAN_PRODUCT_MAX_ACCESSES];
  guint                     n_accesses;
} GhloVulkanProductShader;

/* Adds an access: word @word of GhloSpirvProductWord is the address of @source, and the shader may touch @size bytes
 * from @begin bytes past that address. */
void     ghlo_vulkan_product_add_access   (GhloVulkanProductShader       *self,
                                           guint                          word,
                                           GhloVulkanSource               source,
                                           gint64                         begin,
                                           gsize                          size,
                                           gboolean                       is_written);
/* Adds the accesses of the epilogue, if there is one, except for stores to what is not a result of the step. */
void     ghlo_vulkan_product_add_epilogue (GhloVulkanProductShader       *self);
/* Returns the number of products of two numbers, in whole tiles. */
double   ghlo_vulkan_product_work         (const GhloVulkanProductShader *self);
/* Writes the product's own words of the table, with addresses as 0, and returns how many there are. */
guint    ghlo_vulkan_product_words        (const GhloVulkanProductShader *self,
                                           guint64                       *own);
/* Resolves the accesses for a run. */
void     ghlo_vulkan_product_find_accesses (const GhloVulkanProductShader *self,
                                           const GhloBufferRef           *operands,
                                           const GhloBufferRef           *results,
                                           GhloBufferRef                  scratch,
                                           GhloVulkanAccess              *accesses);
gboolean ghlo_vulkan_product_compile      (GhloVulkanProductShader       *self,
                                           const GhloVulkanDevice        *device,
                                           GError                       **error);
void     ghlo_vulkan_product_record       (const GhloVulkanProductShader *self,
                                           const GhloBufferRef           *operands,
                                           const GhloBufferRef           *results,
                                           GhloBufferRef                  scratch,
                                           GhloVulkanRecording           *recording);

G_END_DECLS
