/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The product of a few vectors and a matrix, which takes as long as reading the matrix once. The vectors are converted
 * to adjacent numbers first, and the result is computed in adjacent numbers.
 */

#include "cpu/gemm/gemm-private.h"
#include "cpu/gemm/convert-row.h"

#include <string.h>

/* Approximate bytes per second that one core reads: of a matrix in memory, and of one of up to MAX_CACHED bytes,
 * which stays in the core's own cache between the iterations of a loop or between runs. */
#define READ_RATE   12e9
#define CACHED_RATE 50e9
#define MAX_CACHED  (1024.0 * 1024.0)
/* The most nanoseconds of a tile, which cannot be interrupted. */
#define MAX_TILE 10e6

enum
{
  MIN_ROW = 32,           /* elements; shorter rows are faster in other algorithms */
  MIN_COLUMNS = 256,      /* of a tile */
  MIN_COMPUTED = 512,     /* the same where the matrix is computed, in blocks with rows of that length */
  BLOCK_ROWS = 8,         /* of a block of a wide matrix; even, since integers are multiplied in pairs */
  BLOCK_BYTES = 16384,    /* of a block with rows along k, which has at least four; */
  MAX_ROW_BYTES = 131072, /* of such a row: blocks stay in the core's own cache */
  WIDE_BYTES = 4096,      /* of a row of a tile of a wide matrix; narrower ones would read it across pages */
};

typedef struct
{
  GhloCpuVector     kind;
  GhloCpuReader     vector, old;
  GhloCpuWriter     writer;
  gboolean          result_is_direct, vector_is_direct;
  gsize             vector_size;      /* bytes of a vector of numbers, with its padding */
  gint64            block_rows;       /* of a matrix that is computed */
  gsize             block_at;         /* offset of its block in the scratch */
} State;

static void
state_free (gpointer data)
{
  g_free (data);
}

gboolean
ghlo_cpu_find_vector (GhloElementType    type,
                      GhloCpuArithmetic  arithmetic,
                      GhloCpuVector     *kind)
{
  static const struct
  {
    GhloElementType   type;
    GhloCpuVector     kind;
    GhloCpuArithmetic arithmetic;
  } kinds[] = {
    { GHLO_ELEMENT_TYPE_F32, GHLO_CPU_VECTOR_F32, GHLO_CPU_F32 },
    { GHLO_ELEMENT_TYPE_F64, GHLO_CPU_VECTOR_F64, GHLO_CPU_F64 },
    { GHLO_ELEMENT_TYPE_BF16, GHLO_CPU_VECTOR_BF16, GHLO_CPU_F32 },
    { GHLO_ELEMENT_TYPE_F16, GHLO_CPU_VECTOR_F16, GHLO_CPU_F32 },
    { GHLO_ELEMENT_TYPE_I1, GHLO_CPU_VECTOR_U8, GHLO_CPU_I16 },
    { GHLO_ELEMENT_TYPE_I2, GHLO_CPU_VECTOR_I8, GHLO_CPU_I16 },
    { GHLO_ELEMENT_TYPE_I4, GHLO_CPU_VECTOR_I8, GHLO_CPU_I16 },
    { GHLO_ELEMENT_TYPE_I8, GHLO_CPU_VECTOR_I8, GHLO_CPU_I16 },
    { GHLO_ELEMENT_TYPE_UI2, GHLO_CPU_VECTOR_U8, GHLO_CPU_I16 },
    { GHLO_ELEMENT_TYPE_UI4, GHLO_CPU_VECTOR_U8, GHLO_CPU_I16 },
    { GHLO_ELEMENT_TYPE_UI8, GHLO_CPU_VECTOR_U8, GHLO_CPU_I16 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].type == type && kinds[i].arithmetic == arithmetic)
      {
        *kind = kinds[i].kind;
        return TRUE;
      }

  return FALSE;
}

/* Chooses the blocks of a matrix that is computed, and returns the bytes of one. */
static gsize
plan_blocks (const GhloCpuGemm *self,
             GhloCpuWay        *way,
             State             *state)
{
  const gint64 size = self->rhs.size;

  if (self->rhs.compute == NULL)
    return 0;
  way->pitch = self->rhs.k_adjacent ? self->k : way->tile_columns;
  state->block_rows = self->rhs.k_adjacent ? CLAMP (BLOCK_BYTES / (self->k * size) / 4 * 4, 4, self->n) : BLOCK_ROWS;

  return ghlo_size_align ((gsize) (state->block_rows * way->pitch * size));
}

static gboolean
take (const GhloCpuGemm *self,
      GhloCpuWay        *way)
{
  gsize size = ghlo_cpu_arithmetic_size (self->arithmetic), sum_size = ghlo_cpu_sum_size (self->arithmetic);
  gint64 row = self->rhs.k_adjacent ? self->k : self->n;
  gint64 least = self->rhs.compute != NULL ? MIN_COMPUTED : MIN_COLUMNS;
  gint64 unit = CLAMP (self->n / 4 / least * least, least, MAX (WIDE_BYTES / (gint64) self->rhs.size, least));
  GhloCpuVector kind;
  State *state;
  double bytes;

  if (self->m > GHLO_CPU_MAX_VECTORS || self->is_complex || !self->rhs.is_plain || row < MIN_ROW
      || self->lhs.compute != NULL || !ghlo_cpu_find_vector (self->rhs.type, self->arithmetic, &kind))
    return FALSE;
  if (self->rhs.compute != NULL && self->rhs.k_adjacent && self->k * self->rhs.size > MAX_ROW_BYTES)
    return FALSE;

  state = g_new0 (State, 1);
  ghlo_cpu_way_set_state (way, state, state_free);
  state->kind = kind;
  ghlo_cpu_reader_init (&state->vector, self->lhs.type, self->arithmetic);
  ghlo_cpu_reader_init (&state->old, self->result.type,
                        self->arithmetic == GHLO_CPU_I16 ? GHLO_CPU_I32 : self->arithmetic);
  ghlo_cpu_writer_init (&state->writer, self->result.type, self->arithmetic);
  state->vector_size = (gsize) ghlo_round_up (self->k * (gint64) size, GHLO_CPU_VECTOR_PADDING);
  state->vector_is_direct = state->vector.same && self->lhs.is_plain && self->lhs.k_adjacent
                            && state->vector_size == (gsize) self->k * size;
  state->result_is_direct = state->writer.same && self->result.is_plain && !self->accumulate;
  bytes = (double) self->n_batches * (double) self->k * (double) self->n * self->rhs.size;
  way->nanoseconds = bytes / (bytes > MAX_CACHED ? READ_RATE : CACHED_RATE) * 1e9;
  ghlo_cpu_gemm_cut (self, way, self->m, self->rhs.k_adjacent ? 16 : unit, self->m, self->n, MAX_TILE);
  state->block_at = ghlo_size_align ((gsize) self->m
                                     * ((state->vector_is_direct ? 0 : state->vector_size)
                                        + (state->result_is_direct ? 0 : (gsize) way->tile_columns * sum_size)));
  way->scratch_size = state->block_at + plan_blocks (self, way, state);

  return TRUE;
}

static void
add_old (GhloCpuArithmetic arithmetic,
         guint8           *y,
         const guint8     *old,
         gsize             n)
{
  for (gsize i = 0; i < n; i++)
    if (arithmetic == GHLO_CPU_F64)
      ((double *) (gpointer) y)[i] += ((const double *) (gconstpointer) old)[i];
    else if (arithmetic == GHLO_CPU_F32)
      ((float *) (gpointer) y)[i] += ((const float *) (gconstpointer) old)[i];
    else
      ((guint32 *) (gpointer) y)[i] += ((const guint32 *) (gconstpointer) old)[i];
}

/* Writes a row of sums to the result, or adds it there. */
static void
write_row (const GhloCpuGemm *self,
           const GhloCpuTile *tile,
           gint64             row,
           guint8            *y)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  guint8 *result = tile->result + ghlo_cpu_axis_at (&self->result.rows, row);

  if (self->accumulate)
    for (gint64 i = 0; i < tile->n_columns; i += 64)
      {
        guint8 old[64 * sizeof (double)];
        gint64 part = MIN (tile->n_columns - i, 64);

        ghlo_cpu_read_axis (&state->old, result, &self->result.columns, tile->first_column + i, part, old);
        add_old (self->arithmetic, y + (gsize) i * state->writer.from_size, old, (gsize) part);
      }
  ghlo_cpu_write_axis (&state->writer, y, result, &self->result.columns, tile->first_column, tile->n_columns);
}

/* Multiplies with the columns of a tile block by block. The order of each sum is that of the whole matrix. */
static void
multiply_blocks (const GhloCpuGemm    *self,
                 const GhloCpuTile    *tile,
                 const GhloCpuVectors *whole,
                 guint8               *block)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  const gint64 n = self->rhs.k_adjacent ? tile->n_columns : self->k;
  GhloCpuVectors vectors = *whole;

  vectors.matrix = block;
  vectors.stride = self->way.pitch * self->rhs.size;
  for (gint64 i = 0; i < n; i += state->block_rows)
    {
      const gint64 n_rows = MIN (state->block_rows, n - i);

      if (self->rhs.k_adjacent)
        {
          ghlo_cpu_gemm_compute_part (self, tile, &self->rhs, tile->first_column + i, n_rows, 0, self->k,
                                      ghlo_cpu_axis_at (&self->rhs.outer, n_rows), block);
          vectors.n = (gsize) n_rows;
          vectors.y = (guint8 *) whole->y + (gsize) i * state->writer.from_size;
          routines->dot[state->kind] (&vectors);
          continue;
        }
      ghlo_cpu_gemm_compute_part (self, tile, &self->rhs, tile->first_column, tile->n_columns, i, n_rows,
                                  ghlo_cpu_axis_at (&self->rhs.k, n_rows), block);
      vectors.k = (gsize) n_rows;
      vectors.x = (const guint8 *) whole->x + (gsize) i * ghlo_cpu_arithmetic_size (self->arithmetic);
      vectors.accumulate = i > 0;
      routines->add[state->kind] (&vectors);
    }
}

static gboolean
compute (const GhloCpuGemm  *self,
         const GhloCpuTile  *tile,
         GError            **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  gsize size = ghlo_cpu_arithmetic_size (self->arithmetic), row_size;
  guint8 *scratch = tile->scratch;
  GhloCpuVectors vectors = {
    .m = (gsize) self->m, .n = (gsize) tile->n_columns, .k = (gsize) self->k,
    .matrix = tile->rhs != NULL ? tile->rhs + ghlo_cpu_axis_at (&self->rhs.outer, tile->first_column) : NULL,
    .stride = self->rhs.leading * (gint64) self->rhs.size,
    .x = tile->lhs, .x_step = (gsize) self->lhs.leading,
    .y = tile->result + ghlo_cpu_axis_at (&self->result.columns, tile->first_column),
    .y_step = (gsize) self->result.leading,
  };

  if (!state->vector_is_direct)
    {
      vectors.x = scratch;
      vectors.x_step = state->vector_size / size;
      for (gint64 i = 0; i < self->m; i++, scratch += state->vector_size)
        {
          ghlo_cpu_read_axis (&state->vector, tile->lhs + ghlo_cpu_axis_at (&self->lhs.outer, i), &self->lhs.k, 0,
                              self->k, scratch);
          memset (scratch + (gsize) self->k * size, 0, state->vector_size - (gsize) self->k * size);
        }
    }
  if (!state->result_is_direct)
    {
      vectors.y = scratch;
      vectors.y_step = (gsize) tile->n_columns;
    }
  if (self->rhs.compute != NULL)
    multiply_blocks (self, tile, &vectors, tile->scratch + state->block_at);
  else
    (self->rhs.k_adjacent ? routines->dot : routines->add)[state->kind] (&vectors);

  row_size = (gsize) tile->n_columns * state->writer.from_size;
  for (gint64 i = 0; i < self->m && !state->result_is_direct; i++)
    write_row (self, tile, i, scratch + (gsize) i * row_size);

  return TRUE;
}

const GhloCpuGemmAlgorithm ghlo_cpu_gemm_vector = { "vector", TRUE, take, compute };
