/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tables and accesses of products.
 */

#include "gpu/product/dispatch.h"

#include "gpu/product/split-k.h"
#include "vulkan/pipelines.h"

void
ghlo_gpu_product_add_access (GhloGpuProductShader *self,
                             guint                 word,
                             GhloGpuSource         source,
                             gint64                begin,
                             gsize                 size,
                             gboolean              is_written)
{
  g_assert (self->n_accesses < GHLO_GPU_PRODUCT_MAX_ACCESSES);
  self->sources[self->n_accesses] = source;
  self->accesses[self->n_accesses++] = (GhloGpuAccess) {
    .word = GHLO_SPIRV_N_WORDS + word, .begin = begin, .size = size, .is_written = is_written,
  };
}

void
ghlo_gpu_product_add_epilogue (GhloGpuProductShader *self)
{
  const GhloGpuEpilogue *epilogue = self->epilogue;
  const guint word = ghlo_spirv_product_words (&self->product.shader);

  for (guint a = 0; epilogue != NULL && a < epilogue->kernel->n_accesses; a++)
    {
      const GhloStepEpilogue *fusion = epilogue->fusion;
      const GhloKernelAccess *access = &epilogue->kernel->accesses[a];
      const GhloKernelBuffer *buffer = &epilogue->kernel->buffers[access->buffer];
      const guint operand = access->buffer - 1u;
      const gint64 at = fusion->lowered.starts[access->buffer] + access->offset;
      GhloGpuSource source = { GHLO_GPU_OPERAND, operand, at };

      if (access->buffer == 0)
        continue;
      if (operand >= fusion->n_operands + fusion->n_results)
        continue;
      if (operand >= fusion->n_operands)
        source = (GhloGpuSource) { GHLO_GPU_RESULT, fusion->result_indices[operand - fusion->n_operands], at };
      ghlo_gpu_product_add_access (self, word + a, source, -access->offset, (gsize) buffer->size,
                                   buffer->is_written);
    }
}

gboolean
ghlo_gpu_product_compile (GhloGpuProductShader  *self,
                          const GhloGpuDevice   *device,
                          GError               **error)
{
  g_autoptr (GBytes) words = ghlo_spirv_emit_product (&self->product.shader, &device->measured.floats);
  g_autoptr (GBytes) adapted = ghlo_vulkan_driver_adapt (device->vulkan.driver, words);

  self->pipeline = ghlo_vulkan_pipelines_get (device->vulkan.pipelines, adapted, error);

  return self->pipeline != NULL;
}

guint
ghlo_gpu_product_words (const GhloGpuProductShader *self,
                        guint64                    *own)
{
  const GhloGpuProduct *product = &self->product;
  guint n = GHLO_SPIRV_PRODUCT_N_WORDS;

  own[GHLO_SPIRV_PRODUCT_M] = (guint64) product->counts[GHLO_SPIRV_ROWS];
  own[GHLO_SPIRV_PRODUCT_N] = (guint64) product->counts[GHLO_SPIRV_COLUMNS];
  own[GHLO_SPIRV_PRODUCT_K] = (guint64) product->counts[GHLO_SPIRV_INNER];
  own[GHLO_SPIRV_PRODUCT_BATCHES] = (guint64) product->counts[GHLO_SPIRV_BATCH];
  own[GHLO_SPIRV_PRODUCT_PIECE] = (guint64) product->piece;
  own[GHLO_SPIRV_PRODUCT_PLANE] = ghlo_gpu_product_plane_size (product);
  for (guint i = 0; i < product->shader.n_windows; i++)
    {
      own[n++] = product->windows[i].low;
      own[n++] = product->windows[i].extent;
      own[n++] = product->windows[i].dilation;
      own[n++] = (guint64) product->windows[i].stride;
    }
  for (guint role = 0; role < GHLO_SPIRV_N_ROLES; role++)
    for (guint i = 0; i < product->shader.n_dimensions[role]; i++)
      {
        own[n++] = product->dimensions[role][i].size;
        for (guint form = 0; form < GHLO_SPIRV_N_TENSORS + (guint) product->shader.n_windows; form++)
          own[n++] = (guint64) product->dimensions[role][i].strides[form];
      }
  if (self->epilogue != NULL)
    n += ghlo_gpu_epilogue_words (self->epilogue, own + n);

  return n;
}

void
ghlo_gpu_product_find_accesses (const GhloGpuProductShader *self,
                                const GhloBufferRef        *operands,
                                const GhloBufferRef        *results,
                                GhloBufferRef               scratch,
                                GhloGpuAccess              *accesses)
{
  for (guint i = 0; i < self->n_accesses; i++)
    {
      const GhloGpuSource *source = &self->sources[i];
      const GhloBufferRef place = source->kind == GHLO_GPU_OPERAND ? operands[source->index]
                                  : source->kind == GHLO_GPU_RESULT ? results[source->index] : scratch;

      accesses[i] = self->accesses[i];
      accesses[i].place = ghlo_gpu_place_at (place, source->offset);
    }
}

double
ghlo_gpu_product_work (const GhloGpuProductShader *self)
{
  const GhloGpuProduct *product = &self->product;

  return (double) product->n_groups * (double) product->piece
         * ghlo_spirv_tile_rows (&product->shader.tile) * ghlo_spirv_tile_columns (&product->shader.tile);
}

void
ghlo_gpu_product_record (const GhloGpuProductShader *self,
                         const GhloBufferRef        *operands,
                         const GhloBufferRef        *results,
                         GhloBufferRef               scratch,
                         GhloGpuRecording           *recording)
{
  guint64 words[GHLO_SPIRV_N_WORDS + GHLO_GPU_PRODUCT_MAX_WORDS] = { 0 };
  GhloGpuAccess accesses[GHLO_GPU_PRODUCT_MAX_ACCESSES];
  const GhloGpuDispatch dispatch = {
    .name = "product", .pipeline = self->pipeline, .n_points = self->product.n_groups, .points_per_group = 1,
    .most_groups = G_MAXUINT, .work = ghlo_gpu_product_work (self), .words = words,
    .n_words = GHLO_SPIRV_N_WORDS + ghlo_gpu_product_words (self, words + GHLO_SPIRV_N_WORDS),
    .accesses = accesses, .n_accesses = self->n_accesses,
  };

  ghlo_gpu_product_find_accesses (self, operands, results, scratch, accesses);
  ghlo_gpu_recording_dispatch (recording, &dispatch);
}
