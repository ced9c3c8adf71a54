/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Chooses how products with few columns stream lhs: the widths of loads, and how invocations share out rows and k.
 */

#include "gpu/product/reading.h"

#include "base/sizes.h"

/* Invocations of a workgroup whose invocations share out k, and of one whose invocations share out rows, where more of
 * them take the place of pieces of k; those that read adjacent memory, at most, and at least if there are few
 * workgroups; workgroups that occupy a large device, and invocations. Measured on an H200. */
enum
{
  INNER_THREADS = 128, ROW_THREADS = 512, INNER_ALONG = 32, ROWS_ALONG = 8, LEAST_ALONG = 4, ENOUGH_GROUPS = 128,
  ENOUGH_THREADS = 1 << 16
};

/* Loads in flight of an invocation in either case, and numbers that it accumulates, at most. More loads cost
 * registers, and so invocations: 8192×14336 of f32 times eight vectors takes 208 µs with four loads along k, and 264
 * with eight. */
enum { INNER_LOADS = 4, ROW_LOADS = 16, MOST_SUMS = 64 };

/* Steps of k of a chunk if invocations share out rows. */
enum { STEPS = 8 };

/* Returns the smallest power of two that is at least @n, or @most. */
static guint
round_up (gint64 n,
          guint  most)
{
  guint power = 1;

  while (power < n && power < most)
    power *= 2;

  return power;
}

/* Returns how many elements of an operand can be read at once along the dimension that is contiguous. */
static guint
find_width (const GhloGpuProduct *self,
            guint                 tensor,
            gboolean              is_aligned)
{
  const GhloSpirvProduct *shader = &self->shader;
  const GhloSpirvRole along = shader->is_inner_adjacent[tensor] ? GHLO_SPIRV_INNER : ghlo_gpu_product_outer (tensor);
  const gint64 size = ghlo_element_info (shader->types[tensor])->size;
  const guint n = shader->n_dimensions[along];
  gint64 bits = is_aligned ? GHLO_SPIRV_PIECE_BYTES : size;

  if (n == 0 || size > (gint64) sizeof (guint32) || self->dimensions[along][n - 1].strides[tensor] != size)
    return 1;
  bits |= (gint64) self->dimensions[along][n - 1].size * size | self->starts[tensor];
  for (guint role = 0; role < GHLO_SPIRV_N_ROLES; role++)
    for (guint i = 0; i < shader->n_dimensions[role]; i++)
      if (role != along || i + 1 < n)
        bits |= self->dimensions[role][i].strides[tensor];
  bits &= -bits;

  return bits < (gint64) sizeof (guint32) ? 1 : (guint) (bits / size);
}

/* Returns the workgroups of tiles of @rows rows, without pieces of k. */
static gint64
count_groups (const GhloGpuProduct *self,
              guint                 rows)
{
  return ghlo_ceil_div (self->counts[GHLO_SPIRV_ROWS], rows) * self->counts[GHLO_SPIRV_BATCH];
}

/* lhs is contiguous along k: so are the invocations of a few rows. There are more along k, and fewer rows for each, if
 * there are few rows. */
static void
share_inner (const GhloGpuProduct *self,
             GhloSpirvProduct     *shader)
{
  GhloSpirvStream *stream = &shader->stream;
  const gint64 k = self->counts[GHLO_SPIRV_INNER];
  guint along, rows = MIN (MOST_SUMS / 2 / shader->tile.n_columns, 4);

  stream->n_inner = MAX (stream->widths[0], stream->widths[1]);
  along = round_up (ghlo_ceil_div (k, stream->n_inner), INNER_ALONG);
  while (rows > 1 && count_groups (self, rows) * along < 2 * ENOUGH_THREADS)
    rows /= 2;
  while (along < INNER_THREADS && along * stream->n_inner < k && count_groups (self, rows) * along < ENOUGH_THREADS)
    along *= 2;
  shader->tile.n_rows = rows;
  shader->tile.n_row_threads = MIN (INNER_THREADS / along,
                                    round_up (ghlo_ceil_div (self->counts[GHLO_SPIRV_ROWS], rows), INNER_THREADS));
  stream->n_inner_threads = along;
  stream->n_chunks = MAX (INNER_LOADS * stream->widths[0] / (rows * stream->n_inner), 1);
}

/* lhs is contiguous along its rows, or not at all. */
static void
share_rows (const GhloGpuProduct *self,
            GhloSpirvProduct     *shader)
{
  GhloSpirvStream *stream = &shader->stream;
  const gint64 k = self->counts[GHLO_SPIRV_INNER];
  guint rows, along;

  while (stream->widths[0] * shader->tile.n_columns > MOST_SUMS)
    stream->widths[0] /= 2;
  rows = MAX (stream->widths[0], 4);
  along = round_up (ghlo_ceil_div (self->counts[GHLO_SPIRV_ROWS], rows), ROWS_ALONG * rows / stream->widths[0]);
  while (along > LEAST_ALONG && count_groups (self, along * rows) < ENOUGH_GROUPS)
    along /= 2;
  stream->n_inner = MAX (round_up (k, STEPS), stream->widths[1]);
  if (shader->is_inner_adjacent[GHLO_SPIRV_RHS])
    stream->widths[1] = MIN (stream->widths[1], stream->n_inner);
  stream->n_inner_threads = MIN (round_up (ghlo_ceil_div (k, stream->n_inner), ROW_THREADS), ROW_THREADS / along);
  stream->n_chunks = MAX (ROW_LOADS * stream->widths[0] / (rows * stream->n_inner), 1);
  shader->tile.n_rows = rows;
  shader->tile.n_row_threads = along;
}

gboolean
ghlo_gpu_product_choose_stream (GhloGpuProduct      *self,
                                const GhloGpuDevice *device,
                                gboolean             is_aligned)
{
  GhloSpirvProduct shader;
  GhloSpirvStream *stream = &shader.stream;

  if (MIN (self->counts[GHLO_SPIRV_ROWS], self->counts[GHLO_SPIRV_COLUMNS]) > GHLO_GPU_FEW_COLUMNS
      || self->shader.n_windows > 0)
    return FALSE;
  if (self->counts[GHLO_SPIRV_COLUMNS] > GHLO_GPU_FEW_COLUMNS)
    ghlo_gpu_product_swap (self);
  shader = self->shader;
  /* Unsplit operands are more exact. */
  if (shader.split == GHLO_SPIRV_BF16_X3)
    shader.split = GHLO_SPIRV_UNSPLIT;
  shader.tile = (GhloSpirvTile) { .n_column_threads = 1,
                                  .n_columns = round_up (self->counts[GHLO_SPIRV_COLUMNS], GHLO_GPU_FEW_COLUMNS) };
  for (guint i = 0; i < 2; i++)
    stream->widths[i] = find_width (self, i, is_aligned);
  if (!shader.is_inner_adjacent[GHLO_SPIRV_RHS])
    stream->widths[1] = MIN (stream->widths[1], shader.tile.n_columns);
  if (shader.is_inner_adjacent[GHLO_SPIRV_LHS])
    share_inner (self, &shader);
  else
    share_rows (self, &shader);
  if (shader.is_rounded_twice)
    stream->n_inner_threads = 1;
  while (ghlo_spirv_product_shared (&shader) > device->vulkan.shared_memory
         || ghlo_spirv_product_threads (&shader) > device->vulkan.max_group_size)
    if (stream->n_inner_threads > 1)
      stream->n_inner_threads /= 2;
    else
      shader.tile.n_row_threads /= 2;
  stream->n_chunks = MIN (stream->n_chunks, GHLO_SPIRV_STREAM_CHUNKS);
  while (stream->n_chunks > 1 && stream->n_inner_threads * stream->n_inner * stream->n_chunks
                                 > self->counts[GHLO_SPIRV_INNER])
    stream->n_chunks /= 2;
  shader.tile.n_inner = stream->n_inner_threads * stream->n_inner * stream->n_chunks;
  self->shader = shader;

  return TRUE;
}
