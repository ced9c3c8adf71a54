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
/* Approximate nanoseconds to multiply 16 bytes of numbers of one vector, to widen an element of the matrix, to convert
 * a number of a vector, and to write a sum. */
#define PRODUCT_TIME 0.1
#define WIDEN_TIME   0.05
#define CONVERT_TIME 0.3
#define SUM_TIME     0.5
#define MAX_CACHED  (1024.0 * 1024.0)
/* The most nanoseconds of a tile, which cannot be interrupted. */
#define MAX_TILE 10e6

enum
{
  MIN_ROW = 32,           /* elements; shorter rows are faster in other algorithms */
  MIN_COLUMNS = 64,       /* of a tile */
  /* More than a few vectors are taken as groups of so many: the most results, and the least k, for which reading the
   * matrix again costs less than packing it; the same, and bytes of a row and in all, where k is not adjacent and the
   * matrix is gathered, because its rows do not fill registers. */
  MAX_RESULTS = 1024, MIN_DEEP = 256, MAX_GATHERED_RESULTS = 256, MAX_GATHERED_ROW = 64, MAX_GATHERED = 1 << 18,
  /* With AVX2 tiles gain less from wide registers, and lose less where these are not full: the most results of numbers
   * that are not widened, or of vectors that have to be transposed. */
  MAX_RESULTS_AVX2 = 128,
  LINE_BYTES = 64,        /* of vectors that are read at once where k is not adjacent in them */
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
  gsize             block_at;         /* offset of its block, or of the gathered matrix, in the scratch */
  GhloCpuReader     element;          /* copies the matrix's elements as they are */
  gint64            pitch;            /* elements of a row of the gathered matrix; 0: it is read where it is */
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
    { GHLO_ELEMENT_TYPE_I32, GHLO_CPU_VECTOR_I32, GHLO_CPU_I32 },
    { GHLO_ELEMENT_TYPE_UI32, GHLO_CPU_VECTOR_I32, GHLO_CPU_I32 },
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

/* The most results of a long k that are computed as groups of vectors. With AVX2, sgemm needs no gathered matrix. */
static gint64
find_most_results (const GhloCpuGemm *self)
{
  const gint64 row = self->n * (gint64) self->rhs.size;
  const gboolean has_rows = self->rhs.is_plain && self->rhs.k_adjacent;
  const gboolean is_avx2 = ghlo_cpu_level () == GHLO_CPU_LEVEL_AVX2;
  const gboolean is_sgemm = self->rhs.type == GHLO_ELEMENT_TYPE_F32 && self->lhs.is_plain && self->rhs.is_plain;
  gint64 most = MAX_RESULTS;

  if (!has_rows && (row >= MAX_GATHERED_ROW || self->rhs.size > 4 || row * self->k > MAX_GATHERED
                    || (is_avx2 && is_sgemm)))
    return 0;
  if (is_avx2 && (self->rhs.size >= 4 || !self->lhs.k_adjacent))
    most = MAX_RESULTS_AVX2;

  return has_rows ? most : MIN (most, MAX_GATHERED_RESULTS);
}

/* Whether there are so few results, of a long k each, that k should be in lanes. */
gboolean
ghlo_cpu_gemm_is_deep (const GhloCpuGemm *self)
{
  const gint64 most = find_most_results (self);

  return self->lhs.compute == NULL && self->rhs.compute == NULL && !self->is_complex && self->k >= MIN_DEEP
         && MAX (self->m, self->n) <= most && self->m * self->n <= most;
}

/* Whether a few vectors can be multiplied with the matrix where it is. */
static gboolean
has_few_vectors (const GhloCpuGemm *self)
{
  return self->m <= GHLO_CPU_MAX_VECTORS && !self->is_complex && self->rhs.is_plain && self->lhs.compute == NULL
         && (self->rhs.k_adjacent ? self->k : self->n) >= MIN_ROW;
}

/* The time of reading @bytes of the matrix, or of computing where that takes longer, as it does in caches. */
static double
estimate (const GhloCpuGemm *self,
          const State       *state,
          double             bytes)
{
  const double size = (double) ghlo_cpu_arithmetic_size (self->arithmetic) / 16;
  const double numbers = (double) self->n_batches * (double) self->m;
  const double widened = self->rhs.size < ghlo_cpu_arithmetic_size (self->arithmetic) ? WIDEN_TIME / self->m : 0;
  const double products = numbers * (double) self->k * (double) self->n * (size * PRODUCT_TIME + widened);
  const double rest = numbers * ((double) self->n * SUM_TIME
                                 + (state->vector_is_direct ? 0 : (double) self->k * CONVERT_TIME));

  return MAX (bytes / (bytes > MAX_CACHED ? READ_RATE : CACHED_RATE) * 1e9, products) + rest;
}

/* The most vectors of a tile: as many as are multiplied at once, or as there are in whole cache lines where k is not
 * adjacent. */
static gint64
count_vectors (const GhloCpuGemm *self)
{
  return self->lhs.k_adjacent ? GHLO_CPU_MAX_VECTORS : MAX (LINE_BYTES / (gint64) self->lhs.size, GHLO_CPU_MAX_VECTORS);
}

static gboolean
take (const GhloCpuGemm *self,
      GhloCpuWay        *way)
{
  gsize size = ghlo_cpu_arithmetic_size (self->arithmetic), sum_size = ghlo_cpu_sum_size (self->arithmetic);
  gint64 least = self->rhs.compute != NULL ? MIN_COMPUTED : MIN_COLUMNS;
  gint64 unit = CLAMP (self->n / 4 / least * least, least, MAX (WIDE_BYTES / (gint64) self->rhs.size, least));
  GhloCpuVector kind;
  State *state;
  gint64 most;
  gboolean reads_rows;
  double bytes;

  if ((!has_few_vectors (self) && !ghlo_cpu_gemm_is_deep (self))
      || !ghlo_cpu_find_vector (self->rhs.type, self->arithmetic, &kind))
    return FALSE;
  if (self->rhs.compute != NULL && self->rhs.k_adjacent && self->k * self->rhs.size > MAX_ROW_BYTES)
    return FALSE;

  state = g_new0 (State, 1);
  ghlo_cpu_way_set_state (way, state, state_free);
  state->kind = kind;
  state->element = (GhloCpuReader) {
    .type = self->rhs.type, .n_parts = 1, .size = self->rhs.size, .to_size = self->rhs.size, .same = TRUE,
  };
  if (!has_few_vectors (self) && !(self->rhs.is_plain && self->rhs.k_adjacent))
    state->pitch = ghlo_round_up (self->k, 64 / (gint64) self->rhs.size);
  /* A gathered matrix is multiplied with all vectors. */
  most = state->pitch > 0 ? self->m : MIN (self->m, count_vectors (self));
  reads_rows = self->rhs.k_adjacent || state->pitch > 0;
  ghlo_cpu_reader_init (&state->vector, self->lhs.type, self->arithmetic);
  ghlo_cpu_reader_init (&state->old, self->result.type,
                        self->arithmetic == GHLO_CPU_I16 ? GHLO_CPU_I32 : self->arithmetic);
  ghlo_cpu_writer_init (&state->writer, self->result.type, self->arithmetic);
  state->vector_size = (gsize) ghlo_round_up (self->k * (gint64) size, GHLO_CPU_VECTOR_PADDING);
  state->vector_is_direct = state->vector.same && self->lhs.is_plain && self->lhs.k_adjacent
                            && state->vector_size == (gsize) self->k * size;
  state->result_is_direct = state->writer.same && self->result.is_plain && !self->accumulate;
  bytes = (double) (self->n_batches * ghlo_ceil_div (self->m, GHLO_CPU_MAX_VECTORS))
          * (double) self->k * (double) self->n * self->rhs.size;
  way->nanoseconds = estimate (self, state, bytes);
  ghlo_cpu_gemm_cut (self, way, most, reads_rows ? 16 : unit, most, self->n, MAX_TILE);
  if (self->rhs.compute == NULL)
    way->tile_columns = ghlo_ceil_div (self->n, ghlo_ceil_div (self->n, way->tile_columns));
  state->block_at = ghlo_size_align ((gsize) most
                                     * ((state->vector_is_direct ? 0 : 2 * state->vector_size)
                                        + (state->result_is_direct ? 0 : (gsize) way->tile_columns * sum_size)));
  way->scratch_size = state->block_at + plan_blocks (self, way, state)
                      + (gsize) (state->pitch * way->tile_columns) * self->rhs.size;

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
  guint8 *result = tile->result + ghlo_cpu_axis_at (&self->result.rows, tile->first_row + row);

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

/* Multiplies as many vectors at once as the routine takes. */
static void
multiply_groups (const State          *state,
                 const GhloCpuVectors *whole,
                 GhloCpuVectorsFunc    multiply)
{
  GhloCpuVectors vectors = *whole;

  for (gsize i = 0; i < whole->m; i += vectors.m)
    {
      vectors.m = MIN (whole->m - i, GHLO_CPU_MAX_VECTORS);
      vectors.x = (const guint8 *) whole->x + i * whole->x_step * state->vector.to_size;
      vectors.y = (guint8 *) whole->y + i * whole->y_step * state->writer.from_size;
      multiply (&vectors);
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
    .m = (gsize) tile->n_rows, .n = (gsize) tile->n_columns, .k = (gsize) self->k,
    .matrix = tile->rhs != NULL ? tile->rhs + ghlo_cpu_axis_at (&self->rhs.outer, tile->first_column) : NULL,
    .stride = self->rhs.leading * (gint64) self->rhs.size,
    .x = tile->lhs + ghlo_cpu_axis_at (&self->lhs.outer, tile->first_row), .x_step = (gsize) self->lhs.leading,
    .y = tile->result + ghlo_cpu_axis_at (&self->result.rows, tile->first_row)
         + ghlo_cpu_axis_at (&self->result.columns, tile->first_column),
    .y_step = (gsize) self->result.leading,
  };

  if (!state->vector_is_direct)
    {
      const gsize used = (gsize) self->k * size;
      GhloCpuPlane plane = ghlo_cpu_read_plane (&state->vector, tile->lhs, &self->lhs.outer, tile->first_row,
                                                tile->n_rows, &self->lhs.k, 0, self->k,
                                                (gint64) (state->vector_size / size), scratch);

      vectors.x = plane.data;
      vectors.x_step = (gsize) plane.row / size;
      for (gint64 i = 0; i < tile->n_rows && used < state->vector_size; i++)
        memset (scratch + (gsize) i * state->vector_size + used, 0, state->vector_size - used);
      scratch += (gsize) tile->n_rows * state->vector_size;
    }
  if (!state->result_is_direct)
    {
      vectors.y = scratch;
      vectors.y_step = (gsize) tile->n_columns;
    }
  if (state->pitch > 0)
    {
      const GhloCpuPlane matrix = ghlo_cpu_read_plane (&state->element, tile->rhs, &self->rhs.outer,
                                                       tile->first_column, tile->n_columns, &self->rhs.k, 0, self->k,
                                                       state->pitch, tile->scratch + state->block_at);

      vectors.matrix = matrix.data;
      vectors.stride = matrix.row;
    }
  if (self->rhs.compute != NULL)
    multiply_blocks (self, tile, &vectors, tile->scratch + state->block_at);
  else
    multiply_groups (state, &vectors,
                     (self->rhs.k_adjacent || state->pitch > 0 ? routines->dot : routines->add)[state->kind]);

  row_size = (gsize) tile->n_columns * state->writer.from_size;
  for (gint64 i = 0; i < tile->n_rows && !state->result_is_direct; i++)
    write_row (self, tile, i, scratch + (gsize) i * row_size);

  return TRUE;
}

const GhloCpuGemmAlgorithm ghlo_cpu_gemm_vector = { "vector", TRUE, take, compute };
