/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The product of a vector and a matrix, which takes as long as reading the matrix. The vector is converted to
 * adjacent numbers first, and the result is computed in adjacent numbers.
 */

#include "cpu/gemm/gemm-private.h"
#include "cpu/gemm/convert-row.h"

#include <string.h>

#include "runtime/parallel.h"

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
  PART_COLUMNS = 2048,    /* sums that stay in the L1 cache */
  MIN_COLUMNS = 256,      /* of a tile */
  WIDE_COLUMNS = 1024,    /* of a tile of a wide matrix; narrower ones would read it across pages */
};

typedef struct
{
  GhloCpuVector     kind;
  GhloCpuReader     vector, old;
  GhloCpuWriter     writer;
  gboolean          result_is_direct, vector_is_direct;
} State;

static void
state_free (gpointer data)
{
  g_free (data);
}

static gboolean
find_kind (const GhloCpuGemm *self,
           GhloCpuVector     *kind)
{
  static const struct
  {
    GhloElementType type;
    GhloCpuVector   kind;
  } kinds[] = {
    { GHLO_ELEMENT_TYPE_F32, GHLO_CPU_VECTOR_F32 },
    { GHLO_ELEMENT_TYPE_F64, GHLO_CPU_VECTOR_F64 },
    { GHLO_ELEMENT_TYPE_BF16, GHLO_CPU_VECTOR_BF16 },
    { GHLO_ELEMENT_TYPE_F16, GHLO_CPU_VECTOR_F16 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].type == self->rhs.type)
      {
        *kind = kinds[i].kind;
        return (self->arithmetic == GHLO_CPU_F64) == (self->rhs.type == GHLO_ELEMENT_TYPE_F64);
      }

  return FALSE;
}

static gboolean
take (const GhloCpuGemm *self,
      GhloCpuWay        *way)
{
  gsize size = ghlo_cpu_arithmetic_size (self->arithmetic);
  gint64 row = self->rhs.k_adjacent ? self->k : self->n;
  gint64 unit = CLAMP (self->n / 4 / MIN_COLUMNS * MIN_COLUMNS, MIN_COLUMNS, WIDE_COLUMNS);
  GhloCpuVector kind;
  State *state;
  double bytes;

  if (self->m != 1 || self->is_complex || !self->rhs.is_plain || row < MIN_ROW || !find_kind (self, &kind))
    return FALSE;

  state = g_new0 (State, 1);
  ghlo_cpu_way_set_state (way, state, state_free);
  state->kind = kind;
  ghlo_cpu_reader_init (&state->vector, self->lhs.type, self->arithmetic);
  ghlo_cpu_reader_init (&state->old, self->result.type, self->arithmetic);
  ghlo_cpu_writer_init (&state->writer, self->result.type, self->arithmetic);
  state->vector_is_direct = state->vector.same && self->lhs.is_plain && self->lhs.k_adjacent;
  state->result_is_direct = state->writer.same && self->result.is_plain;
  bytes = (double) self->n_batches * (double) self->k * (double) self->n * self->rhs.size;
  way->nanoseconds = bytes / (bytes > MAX_CACHED ? READ_RATE : CACHED_RATE) * 1e9;
  ghlo_cpu_gemm_cut (self, way, 1, self->rhs.k_adjacent ? 16 : unit, 1, self->n, MAX_TILE);
  way->scratch_size = (state->vector_is_direct ? 0 : ghlo_size_align ((gsize) self->k * size))
                       + (state->result_is_direct && !self->accumulate ? 0 : (gsize) way->tile_columns * size);

  return TRUE;
}

static void
read_axis (const GhloCpuReader *reader,
           const guint8        *data,
           const GhloCpuAxis   *axis,
           gint64               first,
           gint64               count,
           guint8              *to)
{
  for (gint64 at = first, end; at < first + count; at = end)
    {
      end = ghlo_cpu_axis_run_end (axis, at, first + count);
      ghlo_cpu_read_row (reader, data + ghlo_cpu_axis_at (axis, at), end - at == 1 ? reader->size : axis->stride,
                         to, (gsize) (end - at));
      to += (gsize) (end - at) * reader->to_size;
    }
}

static void
write_axis (const GhloCpuWriter *writer,
            const guint8        *from,
            guint8              *data,
            const GhloCpuAxis   *axis,
            gint64               first,
            gint64               count)
{
  for (gint64 at = first, end; at < first + count; at = end)
    {
      end = ghlo_cpu_axis_run_end (axis, at, first + count);
      ghlo_cpu_write_row (writer, from, data + ghlo_cpu_axis_at (axis, at),
                          end - at == 1 ? writer->size : axis->stride, (gsize) (end - at));
      from += (gsize) (end - at) * writer->from_size;
    }
}

/* Sums over the rows of k, for some of the columns at a time. */
static void
add_rows (const GhloCpuGemm *self,
          GhloCpuAddFunc     add,
          const guint8      *matrix,
          gconstpointer      x,
          guint8            *y,
          gsize              n)
{
  gsize size = ghlo_cpu_arithmetic_size (self->arithmetic);
  gint64 stride = self->k > 1 ? self->rhs.k.stride : 0;

  for (gsize column = 0; column < n; column += PART_COLUMNS)
    {
      gsize part = MIN (n - column, PART_COLUMNS);

      memset (y + column * size, 0, part * size);
      add ((gsize) self->k, part, matrix + column * self->rhs.size, stride, x, y + column * size);
    }
}

static void
add_old (GhloCpuArithmetic arithmetic,
         gpointer          y,
         const guint8     *old,
         gsize             n)
{
  for (gsize i = 0; i < n; i++)
    if (arithmetic == GHLO_CPU_F64)
      ((double *) y)[i] += ((const double *) (gconstpointer) old)[i];
    else
      ((float *) y)[i] += ((const float *) (gconstpointer) old)[i];
}

static gboolean
compute (const GhloCpuGemm  *self,
         const GhloCpuTile  *tile,
         GError            **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  gsize size = ghlo_cpu_arithmetic_size (self->arithmetic);
  gsize n = (gsize) tile->n_columns;
  const guint8 *matrix = tile->rhs + ghlo_cpu_axis_at (&self->rhs.outer, tile->first_column);
  guint8 *place = tile->result + ghlo_cpu_axis_at (&self->result.columns, tile->first_column);
  gconstpointer x = tile->lhs;
  guint8 *scratch = tile->scratch, *y = place;

  if (!state->vector_is_direct)
    {
      read_axis (&state->vector, tile->lhs, &self->lhs.k, 0, self->k, scratch);
      x = scratch;
      scratch += ghlo_size_align ((gsize) self->k * size);
    }
  if (!state->result_is_direct || self->accumulate)
    y = scratch;
  if (self->rhs.k_adjacent)
    routines->dot[state->kind] (n, (gsize) self->k, matrix, n > 1 ? self->rhs.outer.stride : 0, x, y);
  else
    add_rows (self, routines->add[state->kind], matrix, x, y, n);

  if (self->accumulate)
    for (gsize i = 0; i < n; i += 64)
      {
        guint8 old[64 * sizeof (double)];
        gsize part = MIN (n - i, 64);

        read_axis (&state->old, tile->result, &self->result.columns, tile->first_column + (gint64) i, (gint64) part,
                   old);
        add_old (self->arithmetic, y + i * size, old, part);
      }
  if (y != place)
    write_axis (&state->writer, y, tile->result, &self->result.columns, tile->first_column, tile->n_columns);

  return TRUE;
}

const GhloCpuGemmAlgorithm ghlo_cpu_gemm_vector = { "vector", take, compute };
