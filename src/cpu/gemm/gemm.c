/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prepares a product: dimensions with a common stride are merged, those that do not merge become loops where that
 * makes the rest suitable for a library, and the first algorithm that accepts the product is chosen, or a later one
 * that expects to take less time where that packs an operand in each run.
 */

#include "cpu/gemm/gemm-private.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "cpu/gemm/convert-row.h"
#include "runtime/memory.h"
#include "runtime/parallel.h"

/* MIN_TASK, MIN_TILE: nanoseconds from which on a batch, or a tile, is worth a task of its own; a library packs both
 * operands anew for each tile. LARGE_TILE: nanoseconds of a tile where there are many tiles already. */
#define MIN_TASK   12e3
#define MIN_TILE   12e3
#define LARGE_TILE 2e6
/* Operations per call from which on a loop around a library's product pays. */
#define MIN_LOOPED 20e3

/* Approximate nanoseconds to write a byte of the result, to transpose an element of it, and what it takes more to pack
 * an element in narrow bundles. */
#define RESULT_TIME    0.02
#define TRANSPOSE_TIME 0.15
#define NARROW_TIME    0.1

/* FEW_TASKS are shared evenly enough by two or three threads, SHARES for each by more; MANY_TASKS are enough for any
 * number of them. */
enum { FEW_TASKS = 8, MANY_TASKS = 32, SHARES = 3, MIN_LOOPED_ROWS = 16, MIN_VECTOR_ROW = 32 };

/* In order of preference. */
static const GhloCpuGemmAlgorithm *const algorithms[] = {
  &ghlo_cpu_gemm_empty,
  &ghlo_cpu_gemm_nibbles,
  &ghlo_cpu_gemm_small,
  &ghlo_cpu_gemm_onednn,
  &ghlo_cpu_gemm_vector,
  &ghlo_cpu_gemm_library,
  &ghlo_cpu_gemm_panels,
};

/* The dimensions of one kind, without those of size 1. */
typedef struct
{
  guint  n;
  gint64 count;
  gint64 sizes[GHLO_MAX_RANK];
  gint64 lhs[GHLO_MAX_RANK], rhs[GHLO_MAX_RANK], result[GHLO_MAX_RANK];
} Dimensions;

typedef struct
{
  Dimensions batch, rows, columns, k;
} Shape;

static gboolean
read_dimensions (Dimensions                 *self,
                 const GhloCpuGemmDimension *dimensions,
                 guint                       n,
                 GError                    **error)
{
  gint64 sizes[GHLO_MAX_RANK];
  gsize count;

  self->n = 0;
  for (guint i = 0; i < n; i++)
    {
      sizes[i] = dimensions[i].size;
      if (dimensions[i].size == 1)
        continue;
      self->sizes[self->n] = dimensions[i].size;
      self->lhs[self->n] = dimensions[i].lhs;
      self->rhs[self->n] = dimensions[i].rhs;
      self->result[self->n] = dimensions[i].result;
      self->n++;
    }
  if (!ghlo_shape_count (sizes, n, &count) || count > G_MAXINT64)
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                           "the number of elements of a product overflows");
      return FALSE;
    }
  self->count = (gint64) count;

  return TRUE;
}

static gboolean
read_shape (Shape                    *self,
            const GhloCpuGemmProblem *problem,
            GError                  **error)
{
  return read_dimensions (&self->batch, problem->batch, problem->n_batch, error)
         && read_dimensions (&self->rows, problem->rows, problem->n_rows, error)
         && read_dimensions (&self->columns, problem->columns, problem->n_columns, error)
         && read_dimensions (&self->k, problem->contracted, problem->n_contracted, error);
}

static gint64
size_of_stride (gint64 stride)
{
  return stride < 0 ? -stride : stride;
}

/* A measure of how far the dimensions, in this order, are from rows of adjacent elements; lower is better. */
static guint
rate_order (const Dimensions *self,
            const gint64     *strides)
{
  gint64 least = G_MAXINT64;

  for (guint i = 0; i < self->n; i++)
    least = MIN (least, size_of_stride (strides[i]));

  return 2 * ghlo_cpu_axis_factors (self->sizes, strides, self->n)
         + (size_of_stride (strides[self->n - 1]) != least ? 1 : 0);
}

/* Sorts by decreasing strides; stable, for a few dimensions. */
static void
sort_dimensions (Dimensions   *self,
                 const gint64 *strides)
{
  gint64 keys[GHLO_MAX_RANK];

  memcpy (keys, strides, self->n * sizeof (gint64));
  for (guint i = 1; i < self->n; i++)
    for (guint j = i; j > 0 && size_of_stride (keys[j - 1]) < size_of_stride (keys[j]); j--)
      {
        gint64 *const arrays[] = { keys, self->sizes, self->lhs, self->rhs, self->result };

        for (guint a = 0; a < G_N_ELEMENTS (arrays); a++)
          {
            gint64 first = arrays[a][j - 1];

            arrays[a][j - 1] = arrays[a][j];
            arrays[a][j] = first;
          }
      }
}

/* The order of dimensions of one kind is free: chooses the one in which they merge best in both tensors. Their
 * strides are at the offsets @first and @second of Dimensions. */
static void
choose_order (Dimensions *self,
              gsize       first,
              gsize       second)
{
  Dimensions best = *self;
  guint rate;

  if (self->n < 2)
    return;
  rate = rate_order (self, G_STRUCT_MEMBER_P (self, first)) + rate_order (self, G_STRUCT_MEMBER_P (self, second));
  for (guint i = 0; i < 2; i++)
    {
      Dimensions sorted = *self;
      guint sorted_rate;

      sort_dimensions (&sorted, G_STRUCT_MEMBER_P (self, i == 0 ? first : second));
      sorted_rate = rate_order (&sorted, G_STRUCT_MEMBER_P (&sorted, first))
                    + rate_order (&sorted, G_STRUCT_MEMBER_P (&sorted, second));
      if (sorted_rate < rate)
        {
          best = sorted;
          rate = sorted_rate;
        }
    }
  *self = best;
}

static gboolean
is_uniform (const Dimensions *self,
            const gint64     *strides)
{
  return ghlo_cpu_axis_factors (self->sizes, strides, self->n) == 1;
}

/* Returns the index from which on the dimensions are one run in both the operand and the result. */
static guint
find_common_run (const Dimensions *self,
                 const gint64     *operand,
                 gint64           *count)
{
  guint first = self->n - 1;

  *count = self->sizes[first];
  while (first > 0 && operand[first - 1] == *count * operand[self->n - 1]
         && self->result[first - 1] == *count * self->result[self->n - 1])
    *count *= self->sizes[--first];

  return first;
}

/* Turns the first @n dimensions into loops. */
static void
append_loops (GhloCpuGemm      *self,
              const Dimensions *dimensions,
              guint             n)
{
  for (guint i = 0; i < n; i++)
    self->loops[self->n_loops++] = (GhloCpuLoop) {
      .size = dimensions->sizes[i], .lhs = dimensions->lhs[i], .rhs = dimensions->rhs[i],
      .result = dimensions->result[i],
    };
}

/* Where rows or columns are not one run, but their inner dimensions are, turns the outer ones into loops, if that
 * makes the operand a plain matrix. */
static void
loop_outer (GhloCpuGemm  *self,
            Dimensions   *dimensions,
            const gint64 *operand,
            gboolean      k_is_uniform,
            double        operations_per_row)
{
  gint64 inner;
  guint first;

  if (dimensions->n < 2 || !k_is_uniform
      || (is_uniform (dimensions, operand) && is_uniform (dimensions, dimensions->result)))
    return;
  first = find_common_run (dimensions, operand, &inner);
  if (first == 0 || inner < MIN_LOOPED_ROWS || (double) inner * operations_per_row < MIN_LOOPED)
    return;

  append_loops (self, dimensions, first);
  for (guint i = first; i < dimensions->n; i++)
    {
      gint64 *const arrays[] = { dimensions->sizes, dimensions->lhs, dimensions->rhs, dimensions->result };

      for (guint a = 0; a < G_N_ELEMENTS (arrays); a++)
        arrays[a][i - first] = arrays[a][i];
    }
  dimensions->n -= first;
  dimensions->count = inner;
}

/* Swaps rows and columns, and lhs and rhs, to compute the transposed product. */
static void
swap_shape (GhloCpuGemm *self,
            Shape       *shape)
{
  Dimensions *const all[] = { &shape->rows, &shape->columns, &shape->k };
  Dimensions rows = shape->rows;

  shape->rows = shape->columns;
  shape->columns = rows;
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    for (guint d = 0; d < all[i]->n; d++)
      {
        gint64 lhs = all[i]->lhs[d];

        all[i]->lhs[d] = all[i]->rhs[d];
        all[i]->rhs[d] = lhs;
      }
  for (guint i = 0; i < self->n_loops; i++)
    {
      gint64 lhs = self->loops[i].lhs;

      self->loops[i].lhs = self->loops[i].rhs;
      self->loops[i].rhs = lhs;
    }
  self->is_swapped = TRUE;
}

/* Whether a matrix is multiplied with a few vectors on its right. Those should be rows, since the algorithm for vectors
 * reads each row of a matrix on the right once. */
static gboolean
has_few_columns (const Shape              *shape,
                 const GhloCpuGemmProblem *problem)
{
  const Dimensions *rows = &shape->rows, *k = &shape->k;
  const gint64 size = ghlo_element_info (problem->lhs_type)->size;
  GhloCpuVector kind;

  if (shape->columns.count > GHLO_CPU_MAX_VECTORS || rows->count <= GHLO_CPU_MAX_VECTORS || k->n == 0
      || problem->lhs_type != problem->rhs_type || problem->prologue != NULL
      || !is_uniform (rows, rows->lhs) || !is_uniform (k, k->lhs)
      || (!ghlo_cpu_find_vector (problem->lhs_type, GHLO_CPU_F32, &kind)
          && !ghlo_cpu_find_vector (problem->lhs_type, GHLO_CPU_F64, &kind)
          && !ghlo_cpu_find_vector (problem->lhs_type, GHLO_CPU_I16, &kind)
          && !ghlo_cpu_find_vector (problem->lhs_type, GHLO_CPU_I32, &kind)))
    return FALSE;

  return (k->lhs[k->n - 1] == size ? k->count : rows->lhs[rows->n - 1] == size ? rows->count : 0) >= MIN_VECTOR_ROW;
}

/* Whether panels save more by rows that fill registers, and by packing the longer side in wide bundles, than it takes
 * to transpose the result. Libraries have their own ways with f32, f64 and bf16, and with bytes that stay. */
static gboolean
has_wide_rows (const Shape              *shape,
               const GhloCpuGemmProblem *problem)
{
  const guint lanes = ghlo_cpu_routines ()->tiles[GHLO_CPU_F32].columns / 2;
  const double m = (double) shape->rows.count, n = (double) shape->columns.count, k = (double) shape->k.count;
  const double saved = m * (double) ghlo_round_up (shape->columns.count, lanes)
                       - n * (double) ghlo_round_up (shape->rows.count, lanes);
  const gint64 size = ghlo_element_info (problem->lhs_type)->size;
  const gboolean is_adjacent = shape->rows.lhs[shape->rows.n - 1] == size;

  if (m <= n || n <= GHLO_CPU_MAX_VECTORS || size > 2 || problem->lhs_type == GHLO_ELEMENT_TYPE_BF16
      || problem->prologue != NULL || (problem->rhs_is_persistent && shape->batch.n == 0 && size == 1))
    return FALSE;

  return k * (2 * saved / ghlo_cpu_rate () * 1e9 + (is_adjacent ? (m - n) * NARROW_TIME : 0)) > m * n * TRANSPOSE_TIME;
}

/* The elements of a row of the result should be adjacent, and vectors should be rows, which they stay. */
static gboolean
should_swap (const Shape              *shape,
             const GhloCpuGemmProblem *problem)
{
  const guint size = ghlo_element_info (problem->result_type)->size;

  if (problem->dequantization != NULL)
    return problem->computes_lhs;
  if (shape->columns.n == 0 || shape->rows.n == 0)
    return shape->columns.n == 0 && shape->rows.n > 0;

  return has_few_columns (shape, problem) || has_wide_rows (shape, problem)
         || (shape->columns.result[shape->columns.n - 1] != size && shape->rows.result[shape->rows.n - 1] == size
             && !(shape->rows.count <= GHLO_CPU_MAX_VECTORS && shape->columns.count > GHLO_CPU_MAX_VECTORS));
}

static void
operand_init (GhloCpuOperand   *self,
              GhloElementType   type,
              const Dimensions *outer,
              const gint64     *outer_strides,
              const Dimensions *k,
              const gint64     *k_strides)
{
  gint64 size = ghlo_element_info (type)->size;
  const GhloCpuAxis *l = &self->outer, *c = &self->k;
  gint64 leading;

  self->type = type;
  self->size = (guint) size;
  ghlo_cpu_axis_init (&self->outer, outer->sizes, outer_strides, outer->n);
  ghlo_cpu_axis_init (&self->k, k->sizes, k_strides, k->n);
  if (!ghlo_cpu_axis_is_uniform (l) || !ghlo_cpu_axis_is_uniform (c))
    return;

  self->k_adjacent = c->count == 1 || c->stride == size;
  if (self->k_adjacent)
    leading = l->count == 1 ? MAX (c->count, 1) * size : l->stride;
  else
    leading = c->stride;
  if (self->k_adjacent || l->count == 1 || l->stride == size)
    self->is_plain = leading % size == 0 && leading / size >= MAX (self->k_adjacent ? c->count : l->count, 1);
  /* A single column of k is also a row of the outer dimension. */
  if (!self->is_plain && c->count == 1 && l->stride == size)
    {
      self->is_plain = TRUE;
      self->k_adjacent = FALSE;
      leading = MAX (l->count, 1) * size;
    }
  self->leading = leading / size;
}

static void
result_init (GhloCpuResult   *self,
             GhloElementType  type,
             const Shape     *shape)
{
  gint64 size = ghlo_element_info (type)->size;
  gint64 leading;

  self->type = type;
  self->size = (guint) size;
  ghlo_cpu_axis_init (&self->rows, shape->rows.sizes, shape->rows.result, shape->rows.n);
  ghlo_cpu_axis_init (&self->columns, shape->columns.sizes, shape->columns.result, shape->columns.n);

  leading = self->rows.count == 1 ? MAX (self->columns.count, 1) * size : self->rows.stride;
  self->is_plain = ghlo_cpu_axis_is_uniform (&self->rows) && ghlo_cpu_axis_is_uniform (&self->columns)
                   && (self->columns.count == 1 || self->columns.stride == size)
                   && leading % size == 0 && leading / size >= self->columns.count;
  self->leading = leading / size;
}

static gboolean
fits (GhloElementType   type,
      GhloCpuArithmetic arithmetic)
{
  GhloCpuReader reader;

  return ghlo_cpu_reader_init (&reader, type, arithmetic);
}

static gboolean
choose_integers (GhloCpuGemm *self)
{
  GhloCpuWriter writer;
  gboolean to_truth = self->result.type == GHLO_ELEMENT_TYPE_I1;

  /* Truth is not a sum modulo a power of two, so it must not wrap. */
  if (to_truth && (self->lhs.type != GHLO_ELEMENT_TYPE_I1 || self->rhs.type != GHLO_ELEMENT_TYPE_I1
                   || self->k > G_MAXINT32))
    return FALSE;

  if (ghlo_element_info (self->result.type)->size > 4)
    self->arithmetic = GHLO_CPU_I64;
  else if (fits (self->lhs.type, GHLO_CPU_I16) && fits (self->rhs.type, GHLO_CPU_I16))
    self->arithmetic = GHLO_CPU_I16;
  else
    self->arithmetic = GHLO_CPU_I32;

  return fits (self->lhs.type, self->arithmetic) && fits (self->rhs.type, self->arithmetic)
         && ghlo_cpu_writer_init (&writer, self->result.type, self->arithmetic);
}

static gboolean
choose_arithmetic (GhloCpuGemm *self,
                   GError     **error)
{
  GhloElementType l = ghlo_element_type_real_part (self->lhs.type);
  GhloElementType r = ghlo_element_type_real_part (self->rhs.type);
  GhloElementType result = ghlo_element_type_real_part (self->result.type);
  gboolean known;

  self->is_complex = ghlo_element_type_is_complex (self->result.type);
  if (ghlo_element_type_is_float (result))
    {
      self->arithmetic = GHLO_CPU_F32;
      if (MAX (MAX (ghlo_element_info (l)->bits, ghlo_element_info (r)->bits), ghlo_element_info (result)->bits) > 32)
        self->arithmetic = GHLO_CPU_F64;
      known = ghlo_element_type_is_complex (self->lhs.type) == self->is_complex
              && ghlo_element_type_is_complex (self->rhs.type) == self->is_complex
              && fits (l, self->arithmetic) && (self->dequantization != NULL || fits (r, self->arithmetic));
    }
  else
    known = choose_integers (self);

  if (!known)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                 "products of %s and %s with results of %s are not supported",
                 ghlo_element_type_to_string (self->lhs.type), ghlo_element_type_to_string (self->rhs.type),
                 ghlo_element_type_to_string (self->result.type));

  return known;
}

double
ghlo_cpu_gemm_rate (const GhloCpuGemm *self)
{
  static const double shares[] = {
    [GHLO_CPU_F32] = 1, [GHLO_CPU_F64] = 0.5, [GHLO_CPU_I16] = 1, [GHLO_CPU_I32] = 0.4, [GHLO_CPU_I64] = 0.1,
  };

  return ghlo_cpu_rate () * shares[self->arithmetic];
}

double
ghlo_cpu_count_tasks (double nanoseconds)
{
  if (nanoseconds < GHLO_PARALLEL_MIN_WORK)
    return 1;

  return MIN (nanoseconds / MIN_TILE, CLAMP (nanoseconds / LARGE_TILE, FEW_TASKS, MANY_TASKS));
}

double
ghlo_cpu_count_tiles (double nanoseconds)
{
  return MAX (ghlo_cpu_count_tasks (nanoseconds), MIN (nanoseconds / MIN_TILE, SHARES * ghlo_parallel_n_workers ()));
}

void
ghlo_cpu_gemm_cut (const GhloCpuGemm *self,
                   GhloCpuWay        *way,
                   gint64             row_unit,
                   gint64             column_unit,
                   gint64             most_rows,
                   gint64             most_columns,
                   double             most_nanoseconds)
{
  double total = way->nanoseconds, wanted = ghlo_cpu_count_tasks (total);
  gint64 row_tiles = ghlo_ceil_div (self->m, most_rows), column_tiles = ghlo_ceil_div (self->n, most_columns);

  for (;;)
    {
      gint64 rows = ghlo_round_up (ghlo_ceil_div (self->m, row_tiles), row_unit);
      gint64 columns = ghlo_round_up (ghlo_ceil_div (self->n, column_tiles), column_unit);
      double n = (double) self->n_batches * (double) row_tiles * (double) column_tiles;

      way->tile_rows = MIN (rows, self->m);
      way->tile_columns = MIN (columns, self->n);
      if (n >= wanted && total / n <= most_nanoseconds)
        return;
      if (rows >= columns && rows > row_unit)
        row_tiles = MIN (row_tiles * 2, ghlo_ceil_div (self->m, row_unit));
      else if (columns > column_unit)
        column_tiles = MIN (column_tiles * 2, ghlo_ceil_div (self->n, column_unit));
      else if (rows > row_unit)
        row_tiles = MIN (row_tiles * 2, ghlo_ceil_div (self->m, row_unit));
      else
        return;
    }
}

/* Whether the results of all batches, each of which is one tile, are contiguous in memory. */
static gboolean
find_one_run (const GhloCpuGemm *self)
{
  gint64 step = self->m * self->n * (gint64) self->result.size;

  if (!self->result.is_plain || (self->m > 1 && self->result.leading != self->n))
    return FALSE;
  for (guint i = self->n_loops; i > 0; i--)
    {
      if (self->loops[i - 1].result != step)
        return FALSE;
      step *= self->loops[i - 1].size;
    }

  return TRUE;
}

/* Turns tiles and batches into tasks; many small batches share one. */
static void
make_tasks (GhloCpuGemm *self)
{
  double batch_time;
  gint64 tiles;

  if (self->m == 0 || self->n == 0 || self->n_batches == 0)
    {
      self->n_tasks = 0;
      return;
    }
  self->n_row_tiles = ghlo_ceil_div (self->m, self->way.tile_rows);
  self->n_column_tiles = ghlo_ceil_div (self->n, self->way.tile_columns);
  tiles = self->n_row_tiles * self->n_column_tiles;
  batch_time = self->way.nanoseconds / (double) self->n_batches;
  self->batches_per_task = 1;
  if (tiles == 1 && batch_time < MIN_TASK)
    {
      const gint64 most = (gint64) CLAMP (MIN_TASK / MAX (batch_time, 1), 1, (double) self->n_batches);

      self->batches_per_task = ghlo_ceil_div (self->n_batches, ghlo_ceil_div (self->n_batches, most));
    }
  self->n_tasks = (gsize) (tiles * ghlo_ceil_div (self->n_batches, self->batches_per_task));
  self->is_one_run = tiles == 1 && find_one_run (self);
}

static gboolean
choose_algorithm (GhloCpuGemm  *self,
                  GError      **error)
{
  const gboolean is_computed = self->lhs.compute != NULL || self->rhs.compute != NULL;
  double nanoseconds;

  self->n_batches = 1;
  for (guint i = 0; i < self->n_loops; i++)
    self->n_batches *= self->loops[i].size;
  nanoseconds = (double) self->n_batches * (ghlo_cpu_gemm_operations (self) / ghlo_cpu_gemm_rate (self) * 1e9
                                            + RESULT_TIME * (double) self->m * (double) self->n * self->result.size);

  for (guint i = 0; i < G_N_ELEMENTS (algorithms); i++)
    {
      g_auto (GhloCpuWay) way = { .nanoseconds = nanoseconds };

      if ((is_computed && !algorithms[i]->takes_computed)
          || (self->dequantization != NULL && algorithms[i] != &ghlo_cpu_gemm_nibbles)
          || !algorithms[i]->take (self, &way) || (self->algorithm != NULL && way.nanoseconds >= self->way.nanoseconds))
        continue;
      self->algorithm = algorithms[i];
      ghlo_cpu_way_clear (&self->way);
      ghlo_cpu_way_move (&self->way, &way);
      if (!self->way.packs_each)
        break;
    }
  if (self->algorithm == NULL)
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "no algorithm supports this product");
      return FALSE;
    }
  if (self->way.description == NULL)
    self->way.description = g_strdup (self->algorithm->name);
  self->way.scratch_size = ghlo_size_align (self->way.scratch_size);
  make_tasks (self);

  return TRUE;
}

/* Packs the constant rhs where the algorithm wants that. FALSE where memory is short or the library fails. */
static gboolean
pack_ahead (GhloCpuGemm *self)
{
  gsize scratch_size = ghlo_cpu_gemm_scratch_size (self);
  gpointer scratch;
  gboolean ok;

  if (!self->compiles || self->rhs_data == NULL || self->way.packed_size == 0)
    return TRUE;
  self->packed = ghlo_memory_alloc_uninitialized (self->way.packed_size, NULL);
  if (self->packed == NULL)
    return FALSE;
  scratch = ghlo_memory_alloc_uninitialized (scratch_size, NULL);
  ok = scratch != NULL && self->algorithm->pack (self, self->rhs_data, self->packed, scratch, NULL, NULL);
  if (scratch != NULL)
    ghlo_memory_free (scratch, scratch_size);
  if (!ok)
    {
      ghlo_memory_free (self->packed, self->way.packed_size);
      self->packed = NULL;
    }

  return ok;
}

/* An operand that is computed has no strides of its own. */
static void
separate_operands (GhloCpuGemm        *self,
                   GhloCpuGemmProblem *problem)
{
  static const gsize offsets[] = {
    G_STRUCT_OFFSET (GhloCpuGemmDimension, lhs), G_STRUCT_OFFSET (GhloCpuGemmDimension, rhs),
  };

  for (guint i = 0; i < G_N_ELEMENTS (offsets); i++)
    if (problem->prologue == NULL || problem->computes_lhs != (i == 0))
      self->separations[i] = ghlo_cpu_separate_batches (problem, offsets[i]);
}

/* Orders dimensions, and turns some into loops, so that operands become plain matrices. */
static void
merge_dimensions (GhloCpuGemm *self,
                  Shape       *shape)
{
  choose_order (&shape->k, G_STRUCT_OFFSET (Dimensions, lhs), G_STRUCT_OFFSET (Dimensions, rhs));
  choose_order (&shape->rows, G_STRUCT_OFFSET (Dimensions, lhs), G_STRUCT_OFFSET (Dimensions, result));
  choose_order (&shape->columns, G_STRUCT_OFFSET (Dimensions, rhs), G_STRUCT_OFFSET (Dimensions, result));
  loop_outer (self, &shape->rows, shape->rows.lhs, is_uniform (&shape->k, shape->k.lhs),
              2.0 * (double) shape->columns.count * (double) shape->k.count);
  loop_outer (self, &shape->columns, shape->columns.rhs, is_uniform (&shape->k, shape->k.rhs),
              2.0 * (double) shape->rows.count * (double) shape->k.count);
}

static GhloCpuGemm *
gemm_new (const GhloCpuGemmProblem *given,
          gboolean                  compiles,
          GError                  **error)
{
  g_autoptr (GhloCpuGemm) self = g_new0 (GhloCpuGemm, 1);
  g_autofree GhloCpuGemmProblem *problem = g_memdup2 (given, sizeof (*given));
  g_autofree Shape *shape = g_new (Shape, 1);
  GhloElementType l = problem->lhs_type, r = problem->rhs_type;

  separate_operands (self, problem);
  self->result_alternates = ghlo_cpu_batches_alternate (problem, G_STRUCT_OFFSET (GhloCpuGemmDimension, result));
  if (!read_shape (shape, problem, error))
    return NULL;
  self->compiles = compiles;
  self->accumulate = problem->accumulate;
  self->epilogue = problem->epilogue;
  append_loops (self, &shape->batch, shape->batch.n);

  self->dequantization = problem->dequantization;
  if (self->dequantization == NULL)
    merge_dimensions (self, shape);
  if (should_swap (shape, problem))
    {
      swap_shape (self, shape);
      l = problem->rhs_type;
      r = problem->lhs_type;
    }

  if (!ghlo_cpu_gemm_has_batches_of_rhs (self))
    self->rhs_data = self->is_swapped ? problem->lhs_data : problem->rhs_data;
  self->rhs_is_persistent = self->is_swapped ? problem->lhs_is_persistent : problem->rhs_is_persistent;

  self->m = shape->rows.count;
  self->n = shape->columns.count;
  self->k = shape->k.count;
  operand_init (&self->lhs, l, &shape->rows, shape->rows.lhs, &shape->k, shape->k.lhs);
  operand_init (&self->rhs, r, &shape->columns, shape->columns.rhs, &shape->k, shape->k.rhs);
  result_init (&self->result, problem->result_type, shape);
  if (problem->prologue != NULL)
    (problem->computes_lhs == self->is_swapped ? &self->rhs : &self->lhs)->compute = problem->prologue;
  if (!choose_arithmetic (self, error) || !choose_algorithm (self, error))
    return NULL;
  self->has_constant_rhs = self->rhs_data != NULL;
  if (!pack_ahead (self))
    {
      self->has_constant_rhs = FALSE;
      self->rhs_data = NULL;
      ghlo_cpu_way_clear (&self->way);
      if (!choose_algorithm (self, error))
        return NULL;
    }
  self->rhs_data = NULL;

  return g_steal_pointer (&self);
}

GhloCpuGemm *
ghlo_cpu_gemm_prepare (const GhloCpuGemmProblem *problem,
                       GError                  **error)
{
  return gemm_new (problem, TRUE, error);
}

GhloCpuGemm *
ghlo_cpu_gemm_choose (const GhloCpuGemmProblem *problem,
                      GError                  **error)
{
  return gemm_new (problem, FALSE, error);
}

void
ghlo_cpu_gemm_free (GhloCpuGemm *self)
{
  if (self == NULL)
    return;
  if (self->packed != NULL)
    ghlo_memory_free (self->packed, self->way.packed_size);
  g_free (self->separations[0]);
  g_free (self->separations[1]);
  ghlo_cpu_axis_clear (&self->lhs.outer);
  ghlo_cpu_axis_clear (&self->lhs.k);
  ghlo_cpu_axis_clear (&self->rhs.outer);
  ghlo_cpu_axis_clear (&self->rhs.k);
  ghlo_cpu_axis_clear (&self->result.rows);
  ghlo_cpu_axis_clear (&self->result.columns);
  ghlo_cpu_way_clear (&self->way);
  g_free (self);
}

gsize
ghlo_cpu_gemm_scratch_size (const GhloCpuGemm *self)
{
  gsize size = self->way.scratch_size * MIN (self->n_tasks, ghlo_parallel_n_workers ());

  for (guint i = 0; i < G_N_ELEMENTS (self->separations); i++)
    size += self->separations[i] != NULL ? self->separations[i]->size : 0;

  return size;
}

gsize
ghlo_cpu_gemm_packed_size (const GhloCpuGemm *self)
{
  return self->has_constant_rhs ? self->way.packed_size : 0;
}

GBytes *
ghlo_cpu_gemm_get_packing (const GhloCpuGemm *self,
                           gsize             *size)
{
  *size = self->way.packed_size;

  return self->has_constant_rhs ? NULL : self->way.packing;
}

gboolean
ghlo_cpu_gemm_pack (const GhloCpuGemm  *self,
                    const guint8       *operand,
                    gpointer            packed,
                    gpointer            scratch,
                    const GhloMonitor  *monitor,
                    GError            **error)
{
  return self->algorithm->pack (self, operand, packed, scratch, monitor, error);
}

gboolean
ghlo_cpu_gemm_packs_rhs (const GhloCpuGemm *self)
{
  return !self->is_swapped;
}

gint64
ghlo_cpu_gemm_get_row (const GhloCpuGemm *self)
{
  return (self->lhs.compute != NULL ? &self->lhs : &self->rhs)->leading;
}

gint64
ghlo_cpu_gemm_get_pitch (const GhloCpuGemm *self)
{
  return self->way.pitch;
}

gboolean
ghlo_cpu_gemm_takes_rows (const GhloCpuGemm *self)
{
  return (self->lhs.compute != NULL ? &self->lhs : &self->rhs)->k_adjacent && self->way.pitch == self->k
         && ghlo_cpu_gemm_get_row (self) == self->k;
}

const char *
ghlo_cpu_gemm_describe (const GhloCpuGemm *self)
{
  return self->way.description;
}

gboolean
ghlo_cpu_gemm_prefers_dense (const GhloCpuGemm *self)
{
  return self->result_alternates;
}

gint64
ghlo_cpu_gemm_get_rows (const GhloCpuGemm *self)
{
  return self->m;
}

double
ghlo_cpu_gemm_nanoseconds (const GhloCpuGemm *self)
{
  return self->way.nanoseconds;
}
