/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of a few numbers, where the overhead of any better algorithm dominates, and products with an empty
 * dimension. Sums are computed in the order of k, with every operation rounded, as the specification writes them.
 */

#include "cpu/gemm/gemm-private.h"
#include "cpu/gemm/convert-row.h"

#include <string.h>

enum { MAX_PRODUCTS = 4096 };

/* Approximate nanoseconds of a call, and of a multiplication. */
#define MIN_TIME   100
#define PRODUCT_TIME 0.2

/* The conversions, set up once. */
typedef struct
{
  GhloCpuReader lhs, rhs, old;
  GhloCpuWriter writer;
  gboolean      lhs_is_direct, rhs_is_direct, result_is_direct;
} State;

static void
state_free (gpointer data)
{
  g_free (data);
}

/* A dense matrix in scratch, or one in a tensor. */
typedef struct
{
  gpointer data;
  gint64   leading;
} Matrix;

static gboolean
take_empty (const GhloCpuGemm *self,
            GhloCpuWay        *way)
{
  if (self->k > 0 && self->m > 0 && self->n > 0 && self->n_batches > 0)
    return FALSE;
  way->tile_rows = self->m;
  way->tile_columns = self->n;

  return TRUE;
}

/* Zero is all zero bytes in every type. */
static gboolean
compute_empty (const GhloCpuGemm  *self,
               const GhloCpuTile  *tile,
               GError            **error)
{
  const GhloCpuResult *result = &self->result;

  if (self->accumulate)
    return TRUE;
  for (gint64 row = 0; row < self->m; row++)
    for (gint64 column = 0; column < self->n; column++)
      memset (tile->result + ghlo_cpu_axis_at (&result->rows, row) + ghlo_cpu_axis_at (&result->columns, column), 0,
              result->size);

  return TRUE;
}

const GhloCpuGemmAlgorithm ghlo_cpu_gemm_empty = { "empty", FALSE, take_empty, compute_empty };

/* Integers are computed in 64 bits; wrapping once at the end gives the same result. */
static GhloCpuArithmetic
get_arithmetic (const GhloCpuGemm *self)
{
  return self->arithmetic == GHLO_CPU_F32 || self->arithmetic == GHLO_CPU_F64 ? self->arithmetic : GHLO_CPU_I64;
}

static gboolean
take_small (const GhloCpuGemm *self,
            GhloCpuWay        *way)
{
  GhloCpuArithmetic arithmetic = get_arithmetic (self);
  gsize size = ghlo_cpu_sum_size (arithmetic);
  State *state;

  if (self->m > MAX_PRODUCTS || self->n > MAX_PRODUCTS || self->k > MAX_PRODUCTS
      || self->m * self->n > MAX_PRODUCTS || self->m * self->n * self->k > MAX_PRODUCTS)
    return FALSE;

  state = g_new0 (State, 1);
  ghlo_cpu_way_set_state (way, state, state_free);
  ghlo_cpu_reader_init (&state->lhs, ghlo_element_type_real_part (self->lhs.type), arithmetic);
  ghlo_cpu_reader_init (&state->rhs, ghlo_element_type_real_part (self->rhs.type), arithmetic);
  ghlo_cpu_reader_init (&state->old, ghlo_element_type_real_part (self->result.type), arithmetic);
  ghlo_cpu_writer_init (&state->writer, ghlo_element_type_real_part (self->result.type), arithmetic);
  if (!self->is_complex)
    {
      state->lhs_is_direct = state->lhs.same && self->lhs.is_plain && self->lhs.k_adjacent;
      state->rhs_is_direct = state->rhs.same && self->rhs.is_plain && (!self->rhs.k_adjacent || self->k == 1)
                             && (self->n == 1 || self->rhs.outer.stride == self->rhs.size);
      state->result_is_direct = state->writer.same && self->result.is_plain;
    }
  way->tile_rows = self->m;
  way->tile_columns = self->n;
  way->scratch_size = 2 * (gsize) (self->m * self->k + self->k * self->n + self->m * self->n) * size
                      * ghlo_cpu_gemm_n_parts (self);
  way->nanoseconds = (double) self->n_batches * (MIN_TIME + (double) (self->m * self->n * self->k)
                                                  * (self->is_complex ? 4 : 1) * PRODUCT_TIME);

  return TRUE;
}

/* Operands and result are in planes: all real parts, then all imaginary parts. */
#define MULTIPLY_COMPLEX(name, T) \
  static void \
  name (gint64   m, \
        gint64   n, \
        gint64   k, \
        const T *a, \
        const T *b, \
        T       *c) \
  { \
    for (gint64 i = 0; i < m; i++) \
      for (gint64 p = 0; p < k; p++) \
        { \
          T re = a[i * k + p], im = a[m * k + i * k + p]; \
\
          for (gint64 j = 0; j < n; j++) \
            { \
              T b_re = b[p * n + j], b_im = b[k * n + p * n + j]; \
\
              c[i * n + j] += re * b_re - im * b_im; \
              c[m * n + i * n + j] += re * b_im + im * b_re; \
            } \
        } \
  }

MULTIPLY_COMPLEX (multiply_complex_f32, float)
MULTIPLY_COMPLEX (multiply_complex_f64, double)

static void
multiply (const GhloCpuGemm *self,
          Matrix             a,
          Matrix             b,
          Matrix             c)
{
  static const GhloCpuOrderedGemm orders[] = {
    [GHLO_CPU_F32] = GHLO_CPU_ORDERED_GEMM_F32, [GHLO_CPU_F64] = GHLO_CPU_ORDERED_GEMM_F64,
    [GHLO_CPU_I16] = GHLO_CPU_ORDERED_GEMM_I64, [GHLO_CPU_I32] = GHLO_CPU_ORDERED_GEMM_I64,
    [GHLO_CPU_I64] = GHLO_CPU_ORDERED_GEMM_I64,
  };

  if (!self->is_complex)
    ghlo_cpu_routines ()->order[orders[self->arithmetic]] ((gsize) self->m, (gsize) self->n, (gsize) self->k,
                                                           a.data, a.leading, b.data, b.leading,
                                                           c.data, c.leading);
  else if (self->arithmetic == GHLO_CPU_F32)
    multiply_complex_f32 (self->m, self->n, self->k, a.data, b.data, c.data);
  else
    multiply_complex_f64 (self->m, self->n, self->k, a.data, b.data, c.data);
}

/* Copies a matrix [rows][columns], in planes where complex, from a tensor. The axes are relative to @data. */
static void
copy_matrix (const GhloCpuReader *reader,
             const guint8        *data,
             gint64               element_size,
             guint                n_parts,
             const GhloCpuAxis   *rows,
             const GhloCpuAxis   *columns,
             guint8              *to)
{
  for (guint part = 0; part < n_parts; part++)
    for (gint64 row = 0; row < rows->count; row++)
      for (gint64 column = 0, end; column < columns->count; column = end)
        {
          gint64 n;

          end = ghlo_cpu_axis_run_end (columns, column, columns->count);
          n = end - column;
          ghlo_cpu_read_row (reader,
                             data + ghlo_cpu_axis_at (rows, row) + ghlo_cpu_axis_at (columns, column)
                             + part * element_size / n_parts,
                             n == 1 ? reader->size : columns->stride, to, (gsize) n);
          to += (gsize) n * reader->to_size;
        }
}

/* Returns a matrix as numbers, in place or in the scratch @to, which has room for it twice. */
static Matrix
read_matrix (const GhloCpuReader  *reader,
             const guint8         *data,
             const GhloCpuOperand *operand,
             guint                 n_parts,
             const GhloCpuAxis    *rows,
             const GhloCpuAxis    *columns,
             guint8               *to)
{
  GhloCpuPlane plane;

  if (n_parts > 1)
    {
      copy_matrix (reader, data, operand->size, n_parts, rows, columns, to);
      return (Matrix) { to, columns->count };
    }
  plane = ghlo_cpu_read_plane (reader, data, rows, 0, rows->count, columns, 0, columns->count, columns->count, to);

  return (Matrix) { (gpointer) plane.data, plane.row / (gint64) reader->to_size };
}

static void
write_matrix (const GhloCpuGemm   *self,
              const GhloCpuWriter *writer,
              const guint8        *from,
              guint8              *data)
{
  const GhloCpuAxis *rows = &self->result.rows, *columns = &self->result.columns;
  guint n_parts = ghlo_cpu_gemm_n_parts (self);

  if (n_parts == 1 && self->result.is_plain && (self->m == 1 || self->result.leading == self->n))
    {
      ghlo_cpu_write_row (writer, from, data, writer->size, (gsize) (self->m * self->n));
      return;
    }
  for (guint part = 0; part < n_parts; part++)
    for (gint64 row = 0; row < rows->count; row++)
      for (gint64 column = 0, end; column < columns->count; column = end)
        {
          gint64 n;

          end = ghlo_cpu_axis_run_end (columns, column, columns->count);
          n = end - column;
          ghlo_cpu_write_row (writer, from,
                              data + ghlo_cpu_axis_at (rows, row) + ghlo_cpu_axis_at (columns, column)
                              + part * self->result.size / n_parts,
                              n == 1 ? writer->size : columns->stride, (gsize) n);
          from += (gsize) n * writer->from_size;
        }
}

static gboolean
compute_small (const GhloCpuGemm  *self,
               const GhloCpuTile  *tile,
               GError            **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  guint n_parts = ghlo_cpu_gemm_n_parts (self);
  gsize size = state->writer.from_size * n_parts;
  guint8 *at = tile->scratch;
  gint64 m = self->m, n = self->n, k = self->k;
  Matrix a = { (gpointer) tile->lhs, self->lhs.leading };
  Matrix b = { (gpointer) tile->rhs, self->rhs.leading };
  Matrix c = { tile->result, self->result.leading };

  if (!state->lhs_is_direct)
    {
      a = read_matrix (&state->lhs, tile->lhs, &self->lhs, n_parts, &self->lhs.outer, &self->lhs.k, at);
      at += 2 * (gsize) (m * k) * size;
    }
  if (!state->rhs_is_direct)
    {
      b = read_matrix (&state->rhs, tile->rhs, &self->rhs, n_parts, &self->rhs.k, &self->rhs.outer, at);
      at += 2 * (gsize) (k * n) * size;
    }
  if (!state->result_is_direct)
    c = (Matrix) { at, n };
  if (self->accumulate && !state->result_is_direct)
    copy_matrix (&state->old, tile->result, self->result.size, n_parts, &self->result.rows, &self->result.columns,
                 c.data);
  else if (!self->accumulate && state->result_is_direct && c.leading != n)
    for (gint64 i = 0; i < m; i++)
      memset ((guint8 *) c.data + i * c.leading * self->result.size, 0, (gsize) n * self->result.size);
  else if (!self->accumulate)
    memset (c.data, 0, (gsize) (m * n) * size);

  multiply (self, a, b, c);
  if (!state->result_is_direct)
    write_matrix (self, &state->writer, c.data, tile->result);

  return TRUE;
}

const GhloCpuGemmAlgorithm ghlo_cpu_gemm_small = { "loops", FALSE, take_small, compute_small };
