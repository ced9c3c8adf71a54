/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The products of a block, on one thread: by the tiles of isa/routines.h, for which keys and values are
 * packed, or, for a few rows, by loops that read them where they lie.
 */

#include "cpu/attention/attention-private.h"

#include <string.h>

/* Tiles */

/* Multiplies rows and packed columns. Tiles write whole vectors: what is behind the last column is overwritten by the
 * next row where rows have no room for it, so the last columns come first. */
static void
multiply_tiles (const GhloCpuAttention *self,
                gint64                  k,
                const guint8           *lhs,
                gint64                  lhs_row,
                gint64                  n_rows,
                const guint8           *rhs,
                gint64                  n_columns,
                guint8                 *to,
                gint64                  to_row,
                gboolean                accumulate)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  const guint *heights = routines->tiles[self->arithmetic].heights;
  const gint64 size = self->number_size, width = routines->tiles[self->arithmetic].columns;

  for (gint64 j = (n_columns - 1) / width * width; j >= 0; j -= width)
    for (gint64 i = 0, height = 0; i < n_rows; i += heights[height])
      {
        while (heights[height] > n_rows - i)
          height++;
        routines->row_tiles[self->arithmetic][height][n_columns - j <= width / 2 ? 0 : 1]
          ((gsize) k, lhs + i * lhs_row * size, (gsize) lhs_row, rhs + j * k * size, width * size,
           to + (i * to_row + j) * size, (gsize) to_row, accumulate);
      }
}

static void
pack (const GhloCpuAttentionBlock *block,
      const GhloCpuPacker         *packer,
      const GhloCpuPart           *part)
{
  ghlo_cpu_pack (packer, part, ghlo_cpu_attention_at (block, block->attention->scratch.rest),
                 ghlo_cpu_attention_at (block, block->attention->scratch.packed));
}

static void
multiply_packed_keys (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  const gint64 n_features = self->counts[GHLO_ATTENTION_FEATURES];
  const GhloCpuPart keys = { block->keys, &self->axes[GHLO_ATTENTION_LENGTH][GHLO_ATTENTION_KEYS],
                             &self->axes[GHLO_ATTENTION_FEATURES][GHLO_ATTENTION_KEYS],
                             block->first_key, block->n_keys, 0, n_features };

  pack (block, &self->key_packer, &keys);
  multiply_tiles (self, n_features, ghlo_cpu_attention_at (block, self->scratch.queries), self->query_row,
                  block->n_rows, ghlo_cpu_attention_at (block, self->scratch.packed), block->n_keys,
                  ghlo_cpu_attention_at (block, self->scratch.scores), self->score_row, FALSE);
}

static void
multiply_packed_values (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  const gint64 n_columns = self->counts[GHLO_ATTENTION_COLUMNS];
  const GhloCpuPart values = { block->values, &self->axes[GHLO_ATTENTION_COLUMNS][GHLO_ATTENTION_VALUES],
                               &self->axes[GHLO_ATTENTION_LENGTH][GHLO_ATTENTION_VALUES],
                               0, n_columns, block->first_key, block->n_keys };

  pack (block, &self->value_packer, &values);
  multiply_tiles (self, block->n_keys, ghlo_cpu_attention_at (block, self->scratch.scores), self->score_row,
                  block->n_rows, ghlo_cpu_attention_at (block, self->scratch.packed), n_columns,
                  ghlo_cpu_attention_at (block, self->scratch.sums), self->sum_row, TRUE);
}

/* Vectors */

static void
multiply_key_vectors (const GhloCpuAttentionBlock *block)
{
  const GhloCpuAttention *self = block->attention;
  const GhloCpuMatrix *matrix = &self->key_matrix;
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
  const GhloCpuMatrix *matrix = &self->value_matrix;
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

  for (gint64 i = 0; i < block->n_rows; i++)
    {
      guint8 *to = ghlo_cpu_attention_row (block, self->scratch.queries, i, self->query_row);

      ghlo_cpu_read_axis (&self->query_reader, block->queries + ghlo_cpu_axis_at (rows, block->first_row + i),
                          features, 0, n_features, to);
      memset (to + n_features * self->number_size, 0, (gsize) ((self->query_row - n_features) * self->number_size));
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
