/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of bf16 and of 8-bit integers where oneDNN has instructions for them. There is a primitive for each tile
 * size: whole tiles, and those at the edges.
 */

#include "cpu/gemm/gemm-private.h"
#include "cpu/gemm/convert-row.h"
#include "cpu/library/onednn.h"

#include <string.h>

enum
{
  MIN_PRODUCTS = 16 * 16 * 16,
  MAX_ROWS = 512, MAX_COLUMNS = 512, UNIT = 64,
};

typedef struct
{
  GhloCpuPrimitive *primitives[2][2];     /* [0]: whole tiles, [1]: shorter ones at the end; of rows and columns */
  gboolean          result_is_direct;
  GhloCpuReader     old;
  GhloCpuWriter     writer;
  gsize             sums_size;            /* where the result is not direct */
} State;

static void
state_free (gpointer data)
{
  State *self = data;

  for (guint i = 0; i < 4; i++)
    g_clear_pointer (&self->primitives[i / 2][i % 2], ghlo_cpu_primitive_unref);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (State, state_free)

/* The byte type that oneDNN reads such elements as; small numbers of either signedness are the same in both. */
static GhloElementType
find_byte_type (GhloElementType type,
                gboolean        must_be_signed)
{
  switch (type)
    {
    case GHLO_ELEMENT_TYPE_I1:
    case GHLO_ELEMENT_TYPE_I2:
    case GHLO_ELEMENT_TYPE_I4:
    case GHLO_ELEMENT_TYPE_I8:
    case GHLO_ELEMENT_TYPE_UI2:
    case GHLO_ELEMENT_TYPE_UI4:
      return GHLO_ELEMENT_TYPE_I8;
    case GHLO_ELEMENT_TYPE_UI8:
      return must_be_signed ? GHLO_ELEMENT_TYPE_INVALID : GHLO_ELEMENT_TYPE_UI8;
    default:
      return GHLO_ELEMENT_TYPE_INVALID;
    }
}

/* Finds the types of both matrices and of the sums; FALSE where oneDNN has nothing for them. */
static gboolean
find_types (const GhloCpuGemm *self,
            GhloElementType    types[3])
{
  if (self->lhs.type == GHLO_ELEMENT_TYPE_BF16 && self->rhs.type == GHLO_ELEMENT_TYPE_BF16
      && self->arithmetic == GHLO_CPU_F32)
    {
      types[0] = types[1] = GHLO_ELEMENT_TYPE_BF16;
      types[2] = self->result.type == GHLO_ELEMENT_TYPE_BF16 && self->result.is_plain && !self->accumulate
                 ? GHLO_ELEMENT_TYPE_BF16 : GHLO_ELEMENT_TYPE_F32;
      return TRUE;
    }
  if (self->arithmetic != GHLO_CPU_I16)
    return FALSE;
  types[0] = find_byte_type (self->lhs.type, FALSE);
  types[1] = find_byte_type (self->rhs.type, TRUE);
  types[2] = GHLO_ELEMENT_TYPE_I32;

  return types[0] != GHLO_ELEMENT_TYPE_INVALID && types[1] != GHLO_ELEMENT_TYPE_INVALID;
}

/* Returns the speed relative to f32, or 0 where the primitive is not worth it: bf16 without AMX tiles is slower than
 * f32, 113 against 200 GFLOP/s, measured. */
static double
find_speed (const GhloCpuPrimitive *primitive,
            GhloElementType         type)
{
  gboolean has_tiles = strstr (ghlo_cpu_primitive_name (primitive), "amx") != NULL;

  if (type == GHLO_ELEMENT_TYPE_BF16)
    return has_tiles ? 6 : 0;

  return has_tiles ? 12 : 3;
}

static gboolean
make_primitives (const GhloCpuGemm     *self,
                 GhloCpuWay            *way,
                 State                 *state,
                 const GhloElementType  types[3])
{
  const GhloCpuPrimitiveMatrix lhs = { types[0], !self->lhs.k_adjacent, self->lhs.leading };
  const GhloCpuPrimitiveMatrix rhs = { types[1], self->rhs.k_adjacent, self->rhs.leading };
  const GhloCpuPrimitiveMatrix result = {
    types[2], FALSE, state->result_is_direct ? self->result.leading : way->tile_columns,
  };
  gint64 rows[2] = { way->tile_rows, self->m % way->tile_rows };
  gint64 columns[2] = { way->tile_columns, self->n % way->tile_columns };

  for (guint i = 0; i < 2; i++)
    for (guint j = 0; j < 2; j++)
      {
        if (rows[i] == 0 || columns[j] == 0)
          continue;
        state->primitives[i][j] = ghlo_cpu_onednn_matmul (rows[i], columns[j], self->k, &lhs, &rhs, &result);
        if (state->primitives[i][j] == NULL
            || (self->compiles && !ghlo_cpu_primitive_compile (state->primitives[i][j])))
          return FALSE;
        way->scratch_size = MAX (way->scratch_size, ghlo_cpu_primitive_scratch_size (state->primitives[i][j]));
      }

  return TRUE;
}

static gboolean
take (const GhloCpuGemm *self,
      GhloCpuWay        *way)
{
  double nanoseconds = way->nanoseconds;
  g_autoptr (State) state = NULL;
  GhloElementType types[3];
  double speed;

  if (!self->lhs.is_plain || !self->rhs.is_plain || !find_types (self, types)
      || (double) self->m * (double) self->n * (double) self->k < MIN_PRODUCTS)
    return FALSE;

  state = g_new0 (State, 1);
  state->result_is_direct = self->result.is_plain && !self->accumulate
                            && (self->result.type == types[2] || self->result.type == GHLO_ELEMENT_TYPE_UI32);
  ghlo_cpu_reader_init (&state->old, self->result.type,
                        types[2] == GHLO_ELEMENT_TYPE_I32 ? GHLO_CPU_I32 : GHLO_CPU_F32);
  ghlo_cpu_writer_init (&state->writer, self->result.type,
                        types[2] == GHLO_ELEMENT_TYPE_I32 ? GHLO_CPU_I32 : GHLO_CPU_F32);
  way->nanoseconds /= 3;
  ghlo_cpu_gemm_cut (self, way, UNIT, UNIT, MAX_ROWS, MAX_COLUMNS, G_MAXDOUBLE);
  speed = make_primitives (self, way, state, types) ? find_speed (state->primitives[0][0], types[0]) : 0;
  if (speed == 0)
    return FALSE;

  way->nanoseconds = nanoseconds / speed;
  if (!state->result_is_direct)
    {
      state->sums_size = ghlo_size_align ((gsize) (way->tile_rows * way->tile_columns) * sizeof (float));
      way->scratch_size += 2 * state->sums_size;
    }
  way->description = g_strdup_printf ("onednn matmul %s", ghlo_cpu_primitive_name (state->primitives[0][0]));
  ghlo_cpu_way_set_state (way, g_steal_pointer (&state), state_free);

  return TRUE;
}

/* Load sums from the result, and store them into it. */
static void
load_rows (const GhloCpuGemm *self,
           const State       *state,
           const GhloCpuTile *tile,
           guint8            *sums)
{
  const GhloCpuResult *result = &self->result;
  gint64 last = tile->first_column + tile->n_columns;

  for (gint64 row = 0; row < tile->n_rows; row++)
    for (gint64 column = tile->first_column, end; column < last; column = end)
      {
        end = ghlo_cpu_axis_run_end (&result->columns, column, last);
        ghlo_cpu_read_row (&state->old, tile->result + ghlo_cpu_axis_at (&result->rows, tile->first_row + row)
                           + ghlo_cpu_axis_at (&result->columns, column),
                           end - column == 1 ? result->size : result->columns.stride,
                           sums + (row * self->way.tile_columns + column - tile->first_column) * 4,
                           (gsize) (end - column));
      }
}

static void
store_rows (const GhloCpuGemm *self,
            const State       *state,
            const GhloCpuTile *tile,
            const guint8      *sums)
{
  const GhloCpuResult *result = &self->result;
  gint64 last = tile->first_column + tile->n_columns;

  for (gint64 row = 0; row < tile->n_rows; row++)
    for (gint64 column = tile->first_column, end; column < last; column = end)
      {
        end = ghlo_cpu_axis_run_end (&result->columns, column, last);
        ghlo_cpu_write_row (&state->writer, sums + (row * self->way.tile_columns + column - tile->first_column) * 4,
                            tile->result + ghlo_cpu_axis_at (&result->rows, tile->first_row + row)
                            + ghlo_cpu_axis_at (&result->columns, column),
                            end - column == 1 ? result->size : result->columns.stride, (gsize) (end - column));
      }
}

static void
add_old (const GhloCpuGemm *self,
         const State       *state,
         const GhloCpuTile *tile,
         guint8            *sums)
{
  guint8 *old = sums + state->sums_size;
  gsize n = (gsize) (tile->n_rows * self->way.tile_columns);

  load_rows (self, state, tile, old);
  if (self->arithmetic == GHLO_CPU_F32)
    for (gsize i = 0; i < n; i++)
      ((float *) (gpointer) sums)[i] += ((const float *) (gconstpointer) old)[i];
  else
    for (gsize i = 0; i < n; i++)
      ((guint32 *) (gpointer) sums)[i] += ((const guint32 *) (gconstpointer) old)[i];
}

static gboolean
compute (const GhloCpuGemm  *self,
         const GhloCpuTile  *tile,
         GError            **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  gboolean is_short = tile->n_rows < self->way.tile_rows, is_narrow = tile->n_columns < self->way.tile_columns;
  GhloCpuPrimitive *primitive = state->primitives[is_short][is_narrow];
  const guint8 *lhs = tile->lhs + ghlo_cpu_axis_at (&self->lhs.outer, tile->first_row);
  const guint8 *rhs = tile->rhs + ghlo_cpu_axis_at (&self->rhs.outer, tile->first_column);
  guint8 *sums = tile->scratch, *scratch = tile->scratch + 2 * state->sums_size;

  if (state->result_is_direct)
    sums = tile->result + ghlo_cpu_axis_at (&self->result.rows, tile->first_row)
           + ghlo_cpu_axis_at (&self->result.columns, tile->first_column);
  if (!ghlo_cpu_onednn_run_matmul (primitive, lhs, rhs, sums, scratch, error))
    return FALSE;
  if (self->accumulate)
    add_old (self, state, tile, sums);
  if (!state->result_is_direct)
    store_rows (self, state, tile, sums);

  return TRUE;
}

const GhloCpuGemmAlgorithm ghlo_cpu_gemm_onednn = { "onednn matmul", FALSE, take, compute };
