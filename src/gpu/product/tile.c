/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Chooses the tiles of products, from tables, and the pieces that k is split into.
 */

#include "gpu/product/reading.h"

#include "base/sizes.h"

/* How products are computed. Thin tiles of matrices have one row or one column of subgroups. */
typedef enum { BY_NUMBERS, BY_STREAM, BY_MATRICES, BY_THIN_MATRICES } Form;

static Form
form_of (const GhloSpirvProduct *shader)
{
  if (shader->subgroup == 0)
    return shader->stream.n_inner_threads > 0 ? BY_STREAM : BY_NUMBERS;

  return MIN (shader->tile.n_row_threads, shader->tile.n_column_threads) > 1 ? BY_MATRICES : BY_THIN_MATRICES;
}

/* How many pieces k is split into if there are few tiles: the maximum over the rows of a form. A row gives as many
 * pieces as yield at most most_groups workgroups (one, two or three for each processor of a large device; more would
 * take another turn) with at least least_steps steps each. Adding pieces costs 3 to 9 µs on an H100, for small to large
 * results; a workgroup of matrices does 160 to 768 steps in that time. */
static const struct
{
  Form    form;
  guint64 most_groups;
  gint64  least_steps[2];       /* for unsplit elements, and for two halves or planes of each */
} k_splits[] = {
  { BY_NUMBERS, 256, { 256, 256 } },
  { BY_STREAM, 128, { 256, 256 } },
  { BY_MATRICES, 160, { 160, 160 } },
  { BY_MATRICES, 400, { 768, 384 } },
  { BY_THIN_MATRICES, 300, { 256, 256 } },
};

/* A tile for products of at most most_rows and most_columns, with at least least_tiles tiles. */
typedef struct
{
  GhloSpirvTile tile;           /* n_inner is for elements of 32 bits */
  gint64        most_rows, most_columns;
  guint64       least_tiles;
} Candidate;

/* In order of preference. Few columns are those of convolutions, which are not streamed, and which then have more rows
 * (see should_swap ()). */
static const Candidate candidates[] = {
  { { 32, 2, 4, 4, 16 }, G_MAXINT64, 8, 0 },
  { { 16, 16, 8, 8, 16 }, G_MAXINT64, G_MAXINT64, 96 },
  { { 16, 16, 4, 4, 16 }, G_MAXINT64, G_MAXINT64, 64 },
  { { 8, 8, 4, 4, 32 }, G_MAXINT64, G_MAXINT64, 0 },
};

static guint64
count_tiles (const GhloGpuProduct *self,
             const GhloSpirvTile  *tile)
{
  return (guint64) ghlo_ceil_div (self->counts[GHLO_SPIRV_ROWS], ghlo_spirv_tile_rows (tile))
         * (guint64) ghlo_ceil_div (self->counts[GHLO_SPIRV_COLUMNS], ghlo_spirv_tile_columns (tile));
}

/* Whether at most a third of the area of the tiles is outside the result. */
static gboolean
is_covered_well (const GhloGpuProduct *self,
                 const GhloSpirvTile  *tile)
{
  const double covered = (double) count_tiles (self, tile) * ghlo_spirv_tile_rows (tile)
                         * ghlo_spirv_tile_columns (tile);

  return covered * 2 <= 3.0 * (double) self->counts[GHLO_SPIRV_ROWS] * (double) self->counts[GHLO_SPIRV_COLUMNS];
}

/* Whether there are at least @least_tiles tiles and they cover the result well. A minimum of 0 accepts any tile. */
static gboolean
is_worth (const GhloGpuProduct *self,
          const GhloSpirvTile  *tile,
          guint64               least_tiles)
{
  return least_tiles == 0
         || (count_tiles (self, tile) * (guint64) self->counts[GHLO_SPIRV_BATCH] >= least_tiles
             && is_covered_well (self, tile));
}

/* Whether the dimension with the smallest stride is contiguous, consists of whole pieces that can be read 16 bytes at a
 * time, and windows do not move along it. */
static gboolean
lies_in_pieces (const GhloGpuProduct *self,
                guint                 tensor)
{
  const GhloSpirvProduct *shader = &self->shader;
  const GhloSpirvRole along = shader->is_inner_adjacent[tensor] ? GHLO_SPIRV_INNER : ghlo_gpu_product_outer (tensor);
  const gint64 size = ghlo_element_info (shader->types[tensor])->size, n = ghlo_spirv_piece (shader);
  const guint n_windows = shader->windowed == tensor ? shader->n_windows : 0;
  gint64 strides = 0;

  if (ghlo_gpu_product_step (self, along, tensor) != (guint64) size)
    return FALSE;
  for (guint i = 0; i < n_windows && shader->is_dilated; i++)
    strides |= self->windows[i].stride;
  for (guint role = 0; role < GHLO_SPIRV_N_ROLES; role++)
    for (guint i = 0; i < shader->n_dimensions[role]; i++)
      {
        const GhloSpirvProductDimension *dimension = &self->dimensions[role][i];

        if (role != along || i + 1 < shader->n_dimensions[role])
          {
            strides |= dimension->strides[tensor];
            continue;
          }
        if (dimension->strides[tensor] < 0 || (gint64) dimension->size % n != 0)
          return FALSE;
        for (guint w = 0; w < n_windows; w++)
          if (dimension->strides[GHLO_SPIRV_N_TENSORS + w] != 0)
            return FALSE;
      }

  return strides % GHLO_SPIRV_PIECE_BYTES == 0;
}

/* How a tile's blocks are loaded: the steps of a block, if shared memory has room for them, and how many steps ahead of
 * their use elements are loaded. */
typedef struct
{
  guint n_steps, distance;
} Loads;

/* Tiles of subgroups, real and emulated, in order of preference, each used if there are at least least_tiles of them.
 * With blocks of two steps a workgroup waits half as often as with one, which is worth 6 % of 4096³ on an H100. Large
 * tiles have no registers for a long prefetch distance. Small ones with few workgroups need it to hide memory latency:
 * on an H200, 512×3072×768 of bf16 with weights from memory takes 18 µs instead of 24, and with halves, which take
 * twice the registers, 39 instead of 48.
 *
 * Thin tiles are for at most @most rows, or columns, for which they are transposed. */
static const struct
{
  GhloSpirvTile tile, emulated;
  guint64       least_tiles, least_emulated;
  Loads         one, two;       /* for unsplit elements, and for two halves or planes of each */
  gint64        most;           /* 0: any */
} matrix_rows[] = {
  { { 1, 4, 16, 32, 0 }, { 1, 4, 16, 16, 0 }, 0, 0, { 2, 4 }, { 2, 4 }, 16 },
  { { 1, 4, 32, 32, 0 }, { 1, 4, 32, 16, 0 }, 0, 0, { 2, 4 }, { 2, 4 }, 32 },
  { { 1, 4, 64, 32, 0 }, { 1, 4, 64, 16, 0 }, 0, 0, { 2, 4 }, { 2, 4 }, 64 },
  { { 2, 2, 64, 64, 0 }, { 2, 2, 16, 32, 0 }, 128, 4, { 2, 1 }, { 2, 1 }, 0 },
  { { 2, 2, 64, 32, 0 }, { 2, 2, 16, 32, 0 }, 264, 4, { 2, 1 }, { 2, 1 }, 0 },
  { { 2, 2, 32, 32, 0 }, { 2, 2, 16, 16, 0 }, 0, 0, { 2, 4 }, { 1, 2 }, 0 },
  /* For subgroups that are too large to share out the pieces of the tile above. */
  { { 2, 2, 64, 64, 0 }, { 2, 2, 16, 32, 0 }, 0, 0, { 2, 1 }, { 2, 1 }, 0 },
};

/* The minimum number of rows and columns for which matrices are worthwhile; with thin tiles, that of the fewer ones if
 * elements are unsplit (split ones are streamed faster), for elements of 16 bits and for bytes, and that of the
 * others. */
enum { LEAST_FOR_MATRICES = 32, LEAST_FOR_THIN = 5, LEAST_OF_BYTES = 3, LEAST_WIDE = 256 };

/* Whether all tiles can use the loop that does not check for the operands' ends. */
static gboolean
has_whole_tiles (const GhloGpuProduct *self,
                 GhloSpirvProduct     *shader)
{
  const gint64 extents[] = { ghlo_spirv_tile_rows (&shader->tile), ghlo_spirv_tile_columns (&shader->tile) };

  shader->is_short[0] = shader->is_short[1] = FALSE;
  if (shader->n_windows > 0)
    return FALSE;
  for (guint role = GHLO_SPIRV_ROWS; role < GHLO_SPIRV_N_ROLES; role++)
    if (shader->n_dimensions[role] != 1)
      return FALSE;
  if (self->counts[GHLO_SPIRV_INNER] % shader->tile.n_inner != 0)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    shader->is_short[i] = self->counts[ghlo_gpu_product_outer (i)] < extents[i];
  if (!shader->is_short[0] || !shader->is_short[1])
    return TRUE;
  shader->is_short[0] = shader->is_short[1] = FALSE;

  return FALSE;
}

/* Whether all invocations can share out the pieces of both operands, or those of the larger one for thin tiles. */
static gboolean
has_pieces (const GhloSpirvProduct *shader)
{
  const guint rows = ghlo_spirv_tile_rows (&shader->tile), columns = ghlo_spirv_tile_columns (&shader->tile);
  const guint extent = form_of (shader) == BY_THIN_MATRICES ? MAX (rows, columns) : MIN (rows, columns);

  return shader->subgroup >= GHLO_SPIRV_MATRIX && shader->subgroup <= 4 * GHLO_SPIRV_MATRIX
         && extent * ghlo_spirv_step (shader) >= ghlo_spirv_product_threads (shader) * ghlo_spirv_piece (shader);
}

/* Shortens the blocks until they fit into shared memory. Returns FALSE if they do not fit. */
static gboolean
choose_blocks (GhloSpirvProduct    *shader,
               const GhloGpuDevice *device)
{
  if (!has_pieces (shader))
    return FALSE;
  while (ghlo_spirv_product_shared (shader) > device->vulkan.shared_memory)
    {
      const guint longer = shader->n_steps[1] > shader->n_steps[0];

      if (shader->n_steps[longer] == 1)
        return FALSE;
      shader->n_steps[longer] /= 2;
    }

  return TRUE;
}

void
ghlo_gpu_product_find_vectors (GhloGpuProduct *self,
                               guint64         alignment)
{
  GhloSpirvProduct *shader = &self->shader;
  const guint size = ghlo_element_info (shader->types[GHLO_SPIRV_RESULT])->size;
  gboolean is_whole = shader->has_whole_tiles && self->counts[GHLO_SPIRV_COLUMNS] % GHLO_SPIRV_TOGETHER == 0;

  for (guint side = 0; side < 2; side++)
    is_whole = is_whole && !shader->is_short[side]
               && (shader->is_inner_adjacent[side]
                   || self->counts[GHLO_SPIRV_ROWS + side] % (gint64) ghlo_spirv_piece (shader) == 0);
  for (guint role = GHLO_SPIRV_BATCH; role <= GHLO_SPIRV_ROWS; role++)
    for (guint i = 0; i < shader->n_dimensions[role]; i++)
      alignment |= (guint64) self->dimensions[role][i].strides[GHLO_SPIRV_RESULT];
  if (shader->is_dropped)
    shader->has_whole_vectors = is_whole && shader->epilogue->adjacent != 0;
  else
    shader->has_whole_vectors = is_whole && size <= sizeof (guint32) && alignment % (GHLO_SPIRV_TOGETHER * size) == 0
                                && ghlo_gpu_product_step (self, GHLO_SPIRV_COLUMNS, GHLO_SPIRV_RESULT) == size;
}

gboolean
ghlo_gpu_product_has_matrices (const GhloGpuProduct *self,
                               const GhloGpuDevice  *device,
                               GhloSpirvSplit        split)
{
  GhloGpuProduct product = *self;
  gint64 least = LEAST_FOR_MATRICES;
  GhloElementType type;

  product.shader.split = split;
  type = ghlo_spirv_component (&product.shader);
  if (split == GHLO_SPIRV_UNSPLIT)
    least = ghlo_element_info (type)->size == 1 ? LEAST_OF_BYTES : LEAST_FOR_THIN;

  return (device->vulkan.matrices >> type & 1) != 0
         && self->shader.types[GHLO_SPIRV_RHS] == self->shader.types[GHLO_SPIRV_LHS]
         && self->shader.accumulator == (ghlo_element_type_is_float (type) ? GHLO_ELEMENT_TYPE_F32
                                                                           : GHLO_ELEMENT_TYPE_UI32)
         && MIN (self->counts[GHLO_SPIRV_ROWS], self->counts[GHLO_SPIRV_COLUMNS]) >= least
         && (ghlo_spirv_takes_planes (split)
             || (lies_in_pieces (&product, GHLO_SPIRV_LHS) && lies_in_pieces (&product, GHLO_SPIRV_RHS)));
}

/* The maximum rows and columns of a subgroup for which registers suffice for two matrices along k per step. */
enum { NARROW = 32 };

/* A step has one matrix along k, or two for small tiles that are not whole: the two share the cost of computing
 * addresses (28×28×128 of 8 images, 3×3: 40 µs instead of 47 on an H100). Two are used unless that makes the rounds
 * much longer than k. */
static void
choose_rounds (const GhloGpuProduct *self,
               GhloSpirvProduct     *shader)
{
  const gint64 k = self->counts[GHLO_SPIRV_INNER];
  gint64 longer;

  shader->n_matrices = 1;
  shader->tile.n_inner = GHLO_SPIRV_ROUND * ghlo_spirv_step (shader);
  shader->has_whole_tiles = has_whole_tiles (self, shader);
  longer = ghlo_round_up (k, 2 * (gint64) shader->tile.n_inner);
  if (shader->split != GHLO_SPIRV_BF16_X3 || shader->has_whole_tiles || 8 * longer > 9 * k
      || MAX (shader->tile.n_rows, shader->tile.n_columns) > NARROW)
    return;
  shader->n_matrices = 2;
  shader->tile.n_inner *= 2;
}

/* Applies row @row of the table to the shader. */
static void
take_matrix_row (const GhloGpuProduct *self,
                 const GhloGpuDevice  *device,
                 guint                 row,
                 GhloSpirvProduct     *shader)
{
  const guint n_steps = device->forced_matrices.n_steps, distance = device->forced_matrices.distance;
  const Loads *loads = ghlo_spirv_n_planes (shader->split) > 1 ? &matrix_rows[row].two : &matrix_rows[row].one;
  GhloSpirvTile tile = shader->is_emulated ? matrix_rows[row].emulated : matrix_rows[row].tile;

  if (matrix_rows[row].most > 0 && self->counts[GHLO_SPIRV_COLUMNS] < self->counts[GHLO_SPIRV_ROWS])
    tile = (GhloSpirvTile) { tile.n_column_threads, tile.n_row_threads, tile.n_columns, tile.n_rows, tile.n_inner };
  shader->tile = tile;
  choose_rounds (self, shader);
  for (guint side = 0; side < 2; side++)
    shader->n_steps[side] = n_steps > 0 ? n_steps : loads->n_steps;
  shader->distance = distance > 0 ? distance : loads->distance;
}

/* Whether row @row of the table is for products of this size. */
static gboolean
is_for_size (const GhloGpuProduct *self,
             guint                 row)
{
  const gint64 m = self->counts[GHLO_SPIRV_ROWS], n = self->counts[GHLO_SPIRV_COLUMNS], most = matrix_rows[row].most;

  return most == 0 ? MIN (m, n) >= LEAST_FOR_MATRICES : MIN (m, n) <= most && MAX (m, n) >= LEAST_WIDE;
}

/* Returns FALSE and changes nothing if the product is not suitable for cooperative matrices. */
static gboolean
choose_matrices (GhloGpuProduct      *self,
                 const GhloGpuDevice *device)
{
  const guint forced = device->forced_matrices.row;
  GhloSpirvProduct shader = self->shader;

  if (!ghlo_gpu_product_has_matrices (self, device, shader.split))
    return FALSE;
  shader.subgroup = device->emulates_matrices ? GHLO_SPIRV_MATRIX : device->vulkan.subgroup_size;
  shader.is_emulated = device->emulates_matrices;
  for (guint i = 0; i < G_N_ELEMENTS (matrix_rows); i++)
    {
      const guint64 least = shader.is_emulated ? matrix_rows[i].least_emulated : matrix_rows[i].least_tiles;

      if (forced > 0 ? forced != i + 1 : !is_for_size (self, i))
        continue;
      take_matrix_row (self, device, i, &shader);
      if ((forced > 0 || is_worth (self, &shader.tile, least)) && choose_blocks (&shader, device))
        {
          self->shader = shader;
          return TRUE;
        }
    }

  return FALSE;
}

/* Multiplications of a workgroup that a processor does in some 4 ms, and several times as long beside other work: a
 * run can be cancelled between workgroups. */
enum { MOST_ON_CPU = 1 << 22 };

static gboolean
is_interruptible (const GhloGpuProduct *self,
                  const GhloGpuDevice  *device)
{
  const GhloSpirvTile *tile = &self->shader.tile;

  return !device->vulkan.is_cpu
         || (double) ghlo_spirv_tile_rows (tile) * ghlo_spirv_tile_columns (tile)
              * (double) self->counts[GHLO_SPIRV_INNER] <= MOST_ON_CPU;
}

/* Returns FALSE if the device's limits permit none of the tiles. */
static gboolean
choose_tile (GhloGpuProduct      *self,
             const GhloGpuDevice *device)
{
  const guint size = MAX (ghlo_element_info (self->shader.accumulator)->size, 4);
  GhloSpirvTile *tile = &self->shader.tile;

  /* Unsplit operands are more exact. */
  if (self->shader.split == GHLO_SPIRV_BF16_X3)
    self->shader.split = GHLO_SPIRV_UNSPLIT;
  for (guint i = 0; i < G_N_ELEMENTS (candidates); i++)
    {
      const guint n_threads = candidates[i].tile.n_row_threads * candidates[i].tile.n_column_threads;

      if (self->counts[GHLO_SPIRV_ROWS] > candidates[i].most_rows
          || self->counts[GHLO_SPIRV_COLUMNS] > candidates[i].most_columns)
        continue;
      *tile = candidates[i].tile;
      tile->n_inner = tile->n_inner * 4 / size;
      if (ghlo_spirv_product_shared (&self->shader) > device->vulkan.shared_memory
          || n_threads > device->vulkan.max_group_size)
        continue;
      if (candidates[i].least_tiles == 0
          || (is_worth (self, tile, candidates[i].least_tiles) && is_interruptible (self, device)))
        return TRUE;
    }

  return FALSE;
}

static gint64
find_pieces (const GhloGpuProduct *self,
             guint64               n_tiles)
{
  const guint n_planes = ghlo_spirv_n_planes (self->shader.split);
  const Form form = form_of (&self->shader);
  gint64 most = 1;

  if (self->is_in_one || n_tiles == 0)
    return 1;
  for (guint i = 0; i < G_N_ELEMENTS (k_splits); i++)
    {
      const gint64 least = MAX (k_splits[i].least_steps[n_planes - 1],
                                form == BY_STREAM ? 2 * (gint64) self->shader.tile.n_inner : 1);

      if (k_splits[i].form == form)
        most = MAX (most, MIN ((gint64) (k_splits[i].most_groups / n_tiles), self->counts[GHLO_SPIRV_INNER] / least));
    }

  return most;
}

/* Splits k into pieces and counts workgroups. Returns FALSE if there are too many tiles. */
static gboolean
split_k (GhloGpuProduct *self)
{
  const gint64 k = MAX (self->counts[GHLO_SPIRV_INNER], 1);
  const guint64 n_batches = (guint64) self->counts[GHLO_SPIRV_BATCH];
  guint64 n_tiles = count_tiles (self, &self->shader.tile);

  if (n_tiles > G_MAXINT32 || n_tiles * n_batches > G_MAXINT32)
    return FALSE;
  n_tiles *= n_batches;
  self->piece = ghlo_round_up (ghlo_ceil_div (k, find_pieces (self, n_tiles)), self->shader.tile.n_inner);
  self->n_pieces = ghlo_ceil_div (k, self->piece);
  self->n_groups = n_tiles * (guint64) self->n_pieces;

  return TRUE;
}

/* Returns the iterations of the loops that emulate a step of matrices: those that load, multiply, clear and add. */
static double
count_emulated (const GhloSpirvProduct *shader)
{
  static const guint n_products[] = { 1, 1, 3, 3, 1, 3 };
  const double n_rows = (double) shader->tile.n_rows / GHLO_SPIRV_MATRIX;
  const double n_columns = (double) shader->tile.n_columns / GHLO_SPIRV_MATRIX;
  const double inner = shader->n_matrices * (ghlo_spirv_matrix_inner (shader) + 1), all = GHLO_SPIRV_MATRIX * inner;

  return n_products[shader->split] * n_rows * n_columns * all
         + ghlo_spirv_n_planes (shader->split) * (n_rows * inner + n_columns * all)
         + n_rows * n_columns * 2 * (GHLO_SPIRV_MATRIX + 1);
}

/* Returns the iterations of all loops of an invocation. The final evaluation of a condition counts as well. */
static double
count_iterations (const GhloGpuProduct *self)
{
  const double n_inner = self->shader.tile.n_inner;

  if (self->shader.is_emulated)
    return ((double) self->piece / n_inner + 2) * GHLO_SPIRV_ROUND * count_emulated (&self->shader);

  if (self->shader.stream.n_inner_threads > 0)
    return (double) self->piece / n_inner + 1
           + (double) ghlo_spirv_tile_rows (&self->shader.tile) * self->shader.tile.n_columns + 1;

  return ((double) self->piece / n_inner + 1) * (n_inner / GHLO_SPIRV_PRODUCT_UNROLLED + 2);
}

const char *
ghlo_gpu_product_choose_tile (GhloGpuProduct      *self,
                              const GhloGpuDevice *device,
                              gboolean             matrices)
{
  if (!(matrices && choose_matrices (self, device)) && !ghlo_gpu_product_choose_stream (self, device, matrices)
      && !choose_tile (self, device))
    return "its tiles do not fit into the device's shared memory";
  if (!split_k (self))
    return "it has too many elements";
  if (!ghlo_vulkan_driver_may_iterate (device->vulkan.driver, count_iterations (self)))
    return "its loops have more iterations than the driver supports";

  return NULL;
}
