/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The shader of a product, and where in a step's memory the addresses in its table point.
 */

#pragma once

#include "gpu/product/epilogue.h"
#include "gpu/recording.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_GPU_OPERAND,
  GHLO_GPU_RESULT,
  GHLO_GPU_SCRATCH,
} GhloGpuSourceKind;

/* A place that is resolved in each run. */
typedef struct
{
  GhloGpuSourceKind kind;
  guint                index;               /* of the operand or result */
  gint64               offset;              /* bytes */
} GhloGpuSource;

enum
{
  GHLO_GPU_PRODUCT_MAX_WORDS = GHLO_SPIRV_PRODUCT_N_WORDS
                               + GHLO_SPIRV_MAX_WINDOWS * sizeof (GhloSpirvProductWindow) / sizeof (guint64)
                               + GHLO_SPIRV_N_ROLES * GHLO_SPIRV_MAX_DIMENSIONS * (1 + GHLO_SPIRV_N_FORMS)
                               + GHLO_GPU_EPILOGUE_MAX_WORDS
};

/* For tensors, factors, the flag, and the epilogue. */
enum { GHLO_GPU_PRODUCT_MAX_ACCESSES = GHLO_SPIRV_N_TENSORS + 2 + 1 + GHLO_SPIRV_MAX_ACCESSES };

typedef struct
{
  GhloGpuProduct         product;
  const GhloGpuEpilogue *epilogue;   /* borrowed; NULL if there is none */
  GhloVulkanPipeline    *pipeline;
  GhloGpuAccess          accesses[GHLO_GPU_PRODUCT_MAX_ACCESSES];         /* all but their places */
  GhloGpuSource          sources[GHLO_GPU_PRODUCT_MAX_ACCESSES];
  guint                  n_accesses;
} GhloGpuProductShader;

/* Adds an access: word @word of GhloSpirvProductWord is the address of @source, and the shader may touch @size bytes
 * from @begin bytes past that address. */
void     ghlo_gpu_product_add_access    (GhloGpuProductShader        *self,
                                         guint                        word,
                                         GhloGpuSource                source,
                                         gint64                       begin,
                                         gsize                        size,
                                         gboolean                     is_written);
/* Adds the accesses of the epilogue, if there is one, except for stores to what is not a result of the step. */
void     ghlo_gpu_product_add_epilogue  (GhloGpuProductShader        *self);
/* Returns the number of products of two numbers, in whole tiles. */
double   ghlo_gpu_product_work          (const GhloGpuProductShader  *self);
/* Writes the product's own words of the table, with addresses as 0, and returns how many there are. */
guint    ghlo_gpu_product_words         (const GhloGpuProductShader  *self,
                                         guint64                     *own);
/* Resolves the accesses for a run. */
void     ghlo_gpu_product_find_accesses (const GhloGpuProductShader  *self,
                                         const GhloBufferRef         *operands,
                                         const GhloBufferRef         *results,
                                         GhloBufferRef                scratch,
                                         GhloGpuAccess               *accesses);
gboolean ghlo_gpu_product_compile       (GhloGpuProductShader        *self,
                                         const GhloGpuDevice         *device,
                                         GError                     **error);
void     ghlo_gpu_product_record        (const GhloGpuProductShader  *self,
                                         const GhloBufferRef         *operands,
                                         const GhloBufferRef         *results,
                                         GhloBufferRef                scratch,
                                         GhloGpuRecording            *recording);

G_END_DECLS
