/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The products of a block, on one thread: by the tiles of isa/routines.h, for which keys and values are
 * packed, or, for a few rows, by loops that read them where they lie.
 */

#include "cpu/attention/attention-private.h"

#include <string.h>

/* Tiles */

/* Multiplies rows and packed columns, by @k groups. Tiles write whole vectors: what is behind the last column is
 * overwritten by the next row where rows have no room for it, so the last columns come first. */
static void
multiply_tiles (const GhloCpuAttention       *self,
                const GhloCpuAttentionFactor *factor,
                gint64                        k,
                const guint8                 *lhs,
                gint64                        lhs_row,
                gint64                        n_rows,
                const guint8                 *rhs,
                gint64                        n_columns,
                guint8                       *to,
                gint64                        to_row,
                gboolean                      accumulate)
{
  const GhloCpuTiles *tiles = &ghlo_cpu_routines ()->tiles[self->arithmetic];
  const guint *heights = tiles->heights;
  const gint64 size = self->number_size, width = tiles->columns;

  for (gint64 j = (n_columns - 1) / width * width; j >= 0; j -= width)
    for (gint64 i = 0, height = 0; i < n_rows; i += heights[height])
      {
        while (heights[height] > n_rows - i)
          height++;
        factor->tiles[height][n_columns - j <= width / 2 ? 0 : 1]
          ((gsize) k, lhs + i * lhs_row * size, (gsize) lhs_row, rhs + j * k * size, width * size,
           to + (i * to_row + j) * size, (gsize) to_row, accumulate);
      }
}

static GhloCpuPart
get_keys (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;

  return (GhloCpuPart) { block->keys, &self->axes[GHLO_ATTENTION_LENGTH][GHLO_ATTENTION_KEYS],
                         &self->axes[GHLO_ATTENTION_FEATURES][GHLO_ATTENTION_KEYS],
                         block->first_key, block->n_keys, 0, self->counts[GHLO_ATTENTION_FEATURES] };
}

static GhloCpuPart
get_values (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;

  return (GhloCpuPart) { block->values, &self->axes[GHLO_ATTENTION_COLUMNS][GHLO_ATTENTION_VALUES],
                         &self->axes[GHLO_ATTENTION_LENGTH][GHLO_ATTENTION_VALUES],
                         0, self->counts[GHLO_ATTENTION_COLUMNS], block->first_key, block->n_keys };
}

void
ghlo_cpu_attention_pack (const GhloCpuAttentionBlock *block,
                         guint8                      *packed)
{
  const GhloCpuAttention *self = block->attention;
  const GhloCpuPart keys = get_keys (block), values = get_values (block);
  guint8 *rest = ghlo_cpu_attention_at (block, self->scratch.rest);

  ghlo_cpu_pack (&self->key.packer, &keys, rest, packed + self->key.packed_at);
  ghlo_cpu_pack (&self->value.packer, &values, rest, packed + self->value.packed_at);
}

/* Returns the packed part, which is packed now unless it has been. */
static const guint8 *
get_packed (const GhloCpuAttentionBlock  *block,
            const GhloCpuAttentionFactor *factor,
            const GhloCpuPart            *part)
{
  const GhloCpuAttention *self = block->attention;
  guint8 *packed = ghlo_cpu_attention_at (block, self->scratch.packed);

  if (self->packs_ahead)
    return block->packed + (gsize) (block->first_key / self->keys) * self->packed_size + factor->packed_at;
  ghlo_cpu_pack (&factor->packer, part, ghlo_cpu_attention_at (block, self->scratch.rest), packed);

  return packed;
}

static void
multiply_packed_keys (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  const GhloCpuPart keys = get_keys (block);

  multiply_tiles (self, &self->key, ghlo_cpu_packer_groups (&self->key.packer, keys.n_k),
                  ghlo_cpu_attention_at (block, self->scratch.queries), self->query_row, block->n_rows,
                  get_packed (block, &self->key, &keys), block->n_keys,
                  ghlo_cpu_attention_at (block, self->scratch.scores), self->score_row, FALSE);
}

/* Rounds each row of weights to bf16, as the program does, at the beginning of the row. A last pair has a 0. */
static void
pair_weights (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  const GhloCpuConvertFunc convert = ghlo_cpu_routines ()->convert[GHLO_CPU_F32_TO_BF16];
  guint16 *line = ghlo_cpu_attention_at (block, self->scratch.line);

  for (gint64 i = 0; i < block->n_rows; i++)
    {
      guint8 *row = ghlo_cpu_attention_row (block, self->scratch.scores, i, self->score_row);

      convert (row, line, (gsize) block->n_keys);
      if (block->n_keys % 2 != 0)
        line[block->n_keys] = 0;
      memcpy (row, line, (gsize) ghlo_round_up (block->n_keys, 2) * sizeof *line);
    }
}

static void
multiply_packed_values (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  const GhloCpuPart values = get_values (block);

  if (self->value.is_paired)
    pair_weights (block);
  multiply_tiles (self, &self->value, ghlo_cpu_packer_groups (&self->value.packer, block->n_keys),
                  ghlo_cpu_attention_at (block, self->scratch.scores), self->score_row, block->n_rows,
                  get_packed (block, &self->value, &values), values.n_outer,
                  ghlo_cpu_attention_at (block, self->scratch.sums), self->sum_row, TRUE);
}

/* Vectors */

static void
multiply_key_vectors (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  const GhloCpuAttentionFactor *matrix = &self->key;
  GhloCpuVectors vectors = {
    .n = (gsize) block->n_keys, .k = (gsize) self->counts[GHLO_ATTENTION_FEATURES],
    .matrix = block->keys + ghlo_cpu_axis_at (&self->axes[GHLO_ATTENTION_LENGTH][GHLO_ATTENTION_KEYS],
                                              block->first_key),
    .stride = matrix->stride, .x_step = (gsize) self->query_row, .y_step = (gsize) self->score_row,
  };

  for (gint64 row = 0; row < block->n_rows; row += GHLO_CPU_MAX_VECTORS)
    {
      vectors.m = (gsize) MIN (block->n_rows - row, GHLO_CPU_MAX_VECTORS);
      vectors.x = ghlo_cpu_attention_row (block, self->scratch.queries, row, self->query_row);
      vectors.y = ghlo_cpu_attention_row (block, self->scratch.scores, row, self->score_row);
      matrix->multiply (&vectors);
    }
}

/* The loops may read weights up to the next multiple of GHLO_CPU_VECTOR_PADDING bytes. */
static void
pad_weights (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  const gsize used = (gsize) (block->n_keys * self->number_size);
  const gsize padded = (gsize) ghlo_round_up ((gint64) used, GHLO_CPU_VECTOR_PADDING);

  for (gint64 i = 0; i < block->n_rows; i++)
    memset (ghlo_cpu_attention_row (block, self->scratch.scores, i, self->score_row) + used, 0, padded - used);
}

static void
multiply_value_vectors (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  const GhloCpuAttentionFactor *matrix = &self->value;
  guint8 *products = ghlo_cpu_attention_at (block, self->scratch.products);
  GhloCpuVectors vectors = {
    .n = (gsize) self->counts[GHLO_ATTENTION_COLUMNS], .k = (gsize) block->n_keys,
    .matrix = block->values + ghlo_cpu_axis_at (&self->axes[GHLO_ATTENTION_LENGTH][GHLO_ATTENTION_VALUES],
                                                block->first_key),
    .stride = matrix->stride, .x_step = (gsize) self->score_row, .y = products, .y_step = (gsize) self->sum_row,
  };

  pad_weights (block);
  for (gint64 row = 0; row < block->n_rows; row += GHLO_CPU_MAX_VECTORS)
    {
      vectors.m = (gsize) MIN (block->n_rows - row, GHLO_CPU_MAX_VECTORS);
      vectors.x = ghlo_cpu_attention_row (block, self->scratch.scores, row, self->score_row);
      matrix->multiply (&vectors);
      for (gsize i = 0; i < vectors.m; i++)
        {
          guint8 *sums = ghlo_cpu_attention_row (block, self->scratch.sums, row + (gint64) i, self->sum_row);

          ghlo_cpu_attention_combine (self, GHLO_SCALAR_ADD, sums,
                                      products + (gint64) i * self->sum_row * self->number_size, sums, vectors.n);
        }
    }
}

/* Both */

void
ghlo_cpu_attention_read_queries (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  const GhloCpuAxis *rows = &self->axes[GHLO_ATTENTION_ROWS][GHLO_ATTENTION_QUERIES];
  const GhloCpuAxis *features = &self->axes[GHLO_ATTENTION_FEATURES][GHLO_ATTENTION_QUERIES];
  const gint64 n_features = self->counts[GHLO_ATTENTION_FEATURES];
  const gint64 size = self->query_reader.to_size;

  for (gint64 i = 0; i < block->n_rows; i++)
    {
      guint8 *to = ghlo_cpu_attention_row (block, self->scratch.queries, i, self->query_row);

      ghlo_cpu_read_axis (&self->query_reader, block->queries + ghlo_cpu_axis_at (rows, block->first_row + i),
                          features, 0, n_features, to);
      memset (to + n_features * size, 0, (gsize) (self->query_row * self->number_size - n_features * size));
    }
}

void
ghlo_cpu_attention_multiply_keys (const GhloCpuAttentionBlock *block)
{
  (block->attention->has_vectors ? multiply_key_vectors : multiply_packed_keys) (block);
}

void
ghlo_cpu_attention_multiply_values (const GhloCpuAttentionBlock *block)
{
  (block->attention->has_vectors ? multiply_value_vectors : multiply_packed_values) (block);
}
