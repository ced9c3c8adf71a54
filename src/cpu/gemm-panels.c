/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of everything: blocks of both operands are packed in the order in which
 * the tiles of kernels.h read them, converted on the way, so that strides and types
 * cost no pass of their own. Complex numbers are packed in parts.
 */

#include "cpu/gemm-private.h"
#include "cpu/pack.h"

#include <string.h>

enum
{
  /* Groups of k of a block: bundles of both operands stay in the first cache. */
  BLOCK_GROUPS_4 = 384, BLOCK_GROUPS_8 = 256,
  /* Rows of a block of lhs, which stays in the second; of rows of a tile of any level. */
  BLOCK_ROWS = 192,
  /* Columns of a block of rhs. */
  MOST_COLUMNS_4 = 1024, MOST_COLUMNS_8 = 512,
  MOST_ROWS = 6 * BLOCK_ROWS, MOST_ROWS_INDIRECT = 2 * BLOCK_ROWS,
};

typedef struct
{
  GhloCpuPacker   lhs, rhs;
  GhloCpuReader   old;
  GhloCpuWriter   writer;
  GhloCpuTileFunc tile;
  guint           rows, columns;        /* of a tile of the kernel */
  gint64          block_k, block_rows;
  gboolean        result_is_direct;
  /* Offsets in scratch. Parts of a kind follow each other in these steps. */
  gsize           lhs_size, rhs_size, sums_size;
  gsize           rhs_at, sums_at, edge_at, rest_at;
  gint64          sums_row;             /* in numbers */
} State;

static gint64
ceil_div (gint64 a,
          gint64 b)
{
  return (a + b - 1) / b;
}

static gint64
round_up (gint64 n,
          gint64 unit)
{
  return ceil_div (n, unit) * unit;
}

/* Of lhs: real, imaginary, minus imaginary. */
static guint
count_lhs_parts (const GhloCpuGemm *self)
{
  return self->is_complex ? 3 : 1;
}

static void
plan_scratch (GhloCpuGemm *self,
              State       *state)
{
  gsize sum = ghlo_cpu_sum_size (self->arithmetic);
  guint n_parts = ghlo_cpu_gemm_n_parts (self);
  gint64 columns = round_up (self->tile_columns, state->columns);

  state->lhs_size = ghlo_cpu_packer_size (&state->lhs, state->block_rows, state->block_k);
  state->rhs_size = ghlo_cpu_packer_size (&state->rhs, self->tile_columns, state->block_k);
  state->sums_row = columns;
  state->sums_size = (gsize) (round_up (self->tile_rows, state->rows) * columns) * sum;
  state->rhs_at = state->lhs_size * count_lhs_parts (self);
  state->sums_at = state->rhs_at + state->rhs_size * n_parts;
  state->edge_at = state->sums_at + (state->result_is_direct ? 0 : (state->sums_size + 63) / 64 * 64 * n_parts);
  state->rest_at = state->edge_at + ((gsize) state->rows * state->columns * sum + 63) / 64 * 64;
  self->scratch_size = state->rest_at
                       + MAX (ghlo_cpu_packer_scratch (&state->lhs, state->block_rows, state->block_k),
                              ghlo_cpu_packer_scratch (&state->rhs, self->tile_columns, state->block_k));
}

static gboolean
take (GhloCpuGemm *self)
{
  const GhloCpuKernels *kernels = ghlo_cpu_kernels ();
  GhloCpuArithmetic arithmetic = self->arithmetic;
  GhloElementType part = ghlo_element_type_real_part (self->result.type);
  gboolean is_wide = ghlo_cpu_sum_size (arithmetic) == 8;
  gint64 block = (is_wide ? BLOCK_GROUPS_8 : BLOCK_GROUPS_4) * (arithmetic == GHLO_CPU_I16 ? 2 : 1);
  g_autofree State *state = g_new0 (State, 1);

  state->rows = kernels->rows;
  state->columns = kernels->columns[arithmetic];
  state->tile = kernels->tile[arithmetic];
  if (!ghlo_cpu_packer_init (&state->lhs, self->lhs.type, arithmetic, state->rows, &self->lhs.lines, &self->lhs.k)
      || !ghlo_cpu_packer_init (&state->rhs, self->rhs.type, arithmetic, state->columns, &self->rhs.lines, &self->rhs.k)
      || !ghlo_cpu_writer_init (&state->writer, part, arithmetic))
    return FALSE;
  ghlo_cpu_reader_init (&state->old, part, state->writer.arithmetic);

  state->result_is_direct = !self->is_complex && state->writer.same && self->result.is_plain;
  state->block_k = round_up (ceil_div (self->k, ceil_div (self->k, block)), 2);
  ghlo_cpu_gemm_cut (self, state->rows, state->columns, state->result_is_direct ? MOST_ROWS : MOST_ROWS_INDIRECT,
                     is_wide ? MOST_COLUMNS_8 : MOST_COLUMNS_4, G_MAXDOUBLE);
  state->block_rows = MIN (BLOCK_ROWS, round_up (self->tile_rows, state->rows));
  plan_scratch (self, state);
  self->description = g_strdup_printf ("panels of %s, %s",
                                       (const char *[]) { "f32", "f64", "i16", "i32", "i64" }[arithmetic],
                                       ghlo_cpu_level_name (ghlo_cpu_level ()));
  self->state = g_steal_pointer (&state);

  return TRUE;
}

#define MERGE(name, T) \
  static void \
  name (T *to, const T *from, gint64 n, gboolean accumulate) \
  { \
    for (gint64 i = 0; i < n; i++) \
      to[i] = accumulate ? to[i] + from[i] : from[i]; \
  }

MERGE (merge_f32, float)
MERGE (merge_f64, double)
MERGE (merge_i32, guint32)
MERGE (merge_i64, guint64)

static void
merge_line (GhloCpuArithmetic arithmetic,
            gpointer          to,
            gconstpointer     from,
            gint64            n,
            gboolean          accumulate)
{
  switch (arithmetic)
    {
    case GHLO_CPU_F32: merge_f32 (to, from, n, accumulate); break;
    case GHLO_CPU_F64: merge_f64 (to, from, n, accumulate); break;
    case GHLO_CPU_I64: merge_i64 (to, from, n, accumulate); break;
    default: merge_i32 (to, from, n, accumulate); break;
    }
}

/* Where sums go: the result itself, or scratch with room for whole tiles. */
typedef struct
{
  guint8  *data;
  gint64   row;            /* in numbers */
  gint64   n_rows;
  gint64   n_columns;
  guint8  *edge;
} Sums;

/* One packed block of each. */
static void
multiply (const GhloCpuGemm *self,
          const State       *state,
          const guint8      *lhs,
          const guint8      *rhs,
          gint64             groups,
          const Sums        *sums,
          gboolean           accumulate)
{
  gsize size = ghlo_cpu_sum_size (self->arithmetic);
  gsize lhs_step = (gsize) groups * state->rows * state->lhs.group_size;
  gsize rhs_step = (gsize) groups * state->columns * state->rhs.group_size;
  gboolean is_padded = !state->result_is_direct;

  for (gint64 j = 0; j < sums->n_columns; j += state->columns)
    for (gint64 i = 0; i < sums->n_rows; i += state->rows)
      {
        const guint8 *a = lhs + (gsize) (i / state->rows) * lhs_step;
        const guint8 *b = rhs + (gsize) (j / state->columns) * rhs_step;
        guint8 *to = sums->data + (i * sums->row + j) * (gint64) size;
        gint64 n_rows = MIN (state->rows, sums->n_rows - i), n_columns = MIN (state->columns, sums->n_columns - j);

        if (is_padded || (n_rows == state->rows && n_columns == state->columns))
          {
            state->tile ((gsize) groups, a, b, to, (gsize) sums->row, accumulate);
            continue;
          }
        state->tile ((gsize) groups, a, b, sums->edge, state->columns, FALSE);
        for (gint64 row = 0; row < n_rows; row++)
          merge_line (self->arithmetic, to + row * sums->row * (gint64) size,
                      sums->edge + (gsize) row * state->columns * size, n_columns, accumulate);
      }
}

static void
negate (GhloCpuArithmetic arithmetic,
        gconstpointer     from,
        gpointer          to,
        gsize             size)
{
  if (arithmetic == GHLO_CPU_F64)
    for (gsize i = 0; i < size / sizeof (double); i++)
      ((double *) to)[i] = -((const double *) from)[i];
  else
    for (gsize i = 0; i < size / sizeof (float); i++)
      ((float *) to)[i] = -((const float *) from)[i];
}

/* re += re re - im im, im += re im + im re; parts of sums are @step bytes apart. */
static void
multiply_complex (const GhloCpuGemm *self,
                  const State       *state,
                  const guint8      *lhs,
                  const guint8      *rhs,
                  gint64             groups,
                  const Sums        *sums,
                  gsize              step,
                  gboolean           accumulate)
{
  const guint8 *lhs_im = lhs + state->lhs_size, *lhs_minus_im = lhs_im + state->lhs_size;
  const guint8 *rhs_im = rhs + state->rhs_size;
  Sums im = *sums;

  im.data += step;
  multiply (self, state, lhs, rhs, groups, sums, accumulate);
  multiply (self, state, lhs_minus_im, rhs_im, groups, sums, TRUE);
  multiply (self, state, lhs, rhs_im, groups, &im, accumulate);
  multiply (self, state, lhs_im, rhs, groups, &im, TRUE);
}

static void
pack_lhs (const GhloCpuGemm *self,
          const State       *state,
          const GhloCpuTile *tile,
          gint64             row,
          gint64             n_rows,
          gint64             k,
          gint64             n_k)
{
  for (guint part = 0; part < ghlo_cpu_gemm_n_parts (self); part++)
    ghlo_cpu_pack (&state->lhs, tile->lhs + part * state->lhs.reader.size, &self->lhs.lines, tile->first_row + row,
                   n_rows, &self->lhs.k, k, n_k, tile->scratch + state->rest_at,
                   tile->scratch + part * state->lhs_size);
  if (self->is_complex)
    negate (self->arithmetic, tile->scratch + state->lhs_size, tile->scratch + 2 * state->lhs_size, state->lhs_size);
}

static void
pack_rhs (const GhloCpuGemm *self,
          const State       *state,
          const GhloCpuTile *tile,
          gint64             k,
          gint64             n_k)
{
  for (guint part = 0; part < ghlo_cpu_gemm_n_parts (self); part++)
    ghlo_cpu_pack (&state->rhs, tile->rhs + part * state->rhs.reader.size, &self->rhs.lines, tile->first_column,
                   tile->n_columns, &self->rhs.k, k, n_k, tile->scratch + state->rest_at,
                   tile->scratch + state->rhs_at + part * state->rhs_size);
}

typedef enum { LOAD, STORE } Direction;

/* Sums in scratch out of the result, or into it. */
static void
move_sums (const GhloCpuGemm *self,
           const State       *state,
           const GhloCpuTile *tile,
           Direction          direction)
{
  const GhloCpuResult *result = &self->result;
  gsize size = state->writer.from_size;
  guint n_parts = ghlo_cpu_gemm_n_parts (self);
  gint64 last = tile->first_column + tile->n_columns;
  gsize step = (state->sums_size + 63) / 64 * 64;

  for (guint part = 0; part < n_parts; part++)
    for (gint64 row = 0; row < tile->n_rows; row++)
      {
        guint8 *sums = tile->scratch + state->sums_at + part * step + (gsize) (row * state->sums_row) * size;
        guint8 *place = tile->result + ghlo_cpu_axis_at (&result->rows, tile->first_row + row)
                        + part * result->size / n_parts;

        for (gint64 column = tile->first_column, end; column < last; column = end)
          {
            gint64 n, stride;

            end = ghlo_cpu_axis_run_end (&result->columns, column, last);
            n = end - column;
            stride = n == 1 ? state->writer.size : result->columns.stride;
            if (direction == LOAD)
              ghlo_cpu_read_line (&state->old, place + ghlo_cpu_axis_at (&result->columns, column), stride, sums,
                                  (gsize) n);
            else
              ghlo_cpu_write_line (&state->writer, sums, place + ghlo_cpu_axis_at (&result->columns, column), stride,
                                   (gsize) n);
            sums += (gsize) n * size;
          }
      }
}

static Sums
find_sums (const GhloCpuGemm *self,
           const State       *state,
           const GhloCpuTile *tile)
{
  Sums sums = {
    .data = tile->scratch + state->sums_at, .row = state->sums_row, .n_columns = tile->n_columns,
    .edge = tile->scratch + state->edge_at,
  };

  if (state->result_is_direct)
    {
      sums.data = tile->result + ghlo_cpu_axis_at (&self->result.rows, tile->first_row)
                  + ghlo_cpu_axis_at (&self->result.columns, tile->first_column);
      sums.row = self->result.leading;
    }

  return sums;
}

static gboolean
compute (const GhloCpuGemm *self,
         const GhloCpuTile *tile)
{
  const State *state = self->state;
  gsize step = (state->sums_size + 63) / 64 * 64;
  gsize size = ghlo_cpu_sum_size (self->arithmetic);

  if (self->accumulate && !state->result_is_direct)
    move_sums (self, state, tile, LOAD);
  for (gint64 k = 0; k < self->k; k += state->block_k)
    {
      gint64 n_k = MIN (state->block_k, self->k - k), groups = ghlo_cpu_packer_groups (&state->lhs, n_k);

      pack_rhs (self, state, tile, k, n_k);
      for (gint64 row = 0; row < tile->n_rows; row += state->block_rows)
        {
          Sums sums = find_sums (self, state, tile);

          if (ghlo_cpu_gemm_stopped (tile->monitor))
            return FALSE;
          sums.n_rows = MIN (state->block_rows, tile->n_rows - row);
          sums.data += row * sums.row * (gint64) size;
          pack_lhs (self, state, tile, row, sums.n_rows, k, n_k);
          if (self->is_complex)
            multiply_complex (self, state, tile->scratch, tile->scratch + state->rhs_at, groups, &sums, step,
                              self->accumulate || k > 0);
          else
            multiply (self, state, tile->scratch, tile->scratch + state->rhs_at, groups, &sums,
                      self->accumulate || k > 0);
        }
    }
  if (!state->result_is_direct)
    move_sums (self, state, tile, STORE);

  return TRUE;
}

const GhloCpuGemmWay ghlo_cpu_gemm_panels = { "panels", take, compute, g_free };
