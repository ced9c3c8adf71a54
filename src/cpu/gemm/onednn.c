/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of bf16 and of 8-bit integers where oneDNN has instructions for them, and of f32 whose rhs is kept. Its fast
 * kernels take dense operands only, and rhs in an order of their own. So each tile of columns of rhs is packed into
 * that order, ahead or for the tile, and what is not dense is copied. There is a primitive for each tile size: whole
 * tiles, and those at the edges.
 */

#include "cpu/gemm/gemm-private.h"
#include "cpu/gemm/convert-row.h"
#include "cpu/isa/level.h"
#include "cpu/library/onednn.h"
#include "runtime/parallel.h"

#include <string.h>

/* Approximate nanoseconds of the calls for a batch whose rhs is packed in each run, and to pack an element of it. */
#define PACKED_CALLS 2500
#define PACK_TIME    0.5

enum
{
  MAX_SHARED = 1 << 20,   /* bytes of rhs that all threads read */
  MAX_CACHED = 8 << 20,   /* bytes of rhs that stay in caches from one product to the next */
  MIN_PRODUCTS = 16 * 16 * 16,
  FEW_PRODUCTS = 1 << 14, /* of a few vectors, up to which a call takes longer than the routines for them */
  MAX_ROWS = 512, MAX_COLUMNS = 512, ROW_UNIT = 8, COLUMN_UNIT = 64,
};

/* A tile width: those of whole tiles, and of the one at the end. */
typedef struct
{
  GhloCpuPrimitive *primitives[2];      /* of whole tiles of rows, and of the one at the end; NULL: there is none */
  GhloCpuPrimitive *packer;             /* packs that many columns of rhs */
  gboolean          packs_copy;         /* of a dense copy: it has no way for a part of a matrix */
  gsize             packed_size;        /* bytes, aligned */
} Width;

typedef struct
{
  Width         widths[2];
  gboolean      lhs_is_direct, result_is_direct;
  GhloCpuReader old;
  GhloCpuWriter writer;
  guint         sum_size;               /* bytes of an element of the primitives' result */
  gsize         sums_size, lhs_size;    /* of copies in the scratch; 0 where there are none */
  gsize         own_size;               /* scratch of primitives, behind which the packer's copy is */
} State;

static void
state_free (gpointer data)
{
  State *self = data;

  for (guint i = 0; i < 2; i++)
    {
      g_clear_pointer (&self->widths[i].primitives[0], ghlo_cpu_primitive_unref);
      g_clear_pointer (&self->widths[i].primitives[1], ghlo_cpu_primitive_unref);
      g_clear_pointer (&self->widths[i].packer, ghlo_cpu_primitive_unref);
    }
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (State, state_free)

/* Finds the types of both matrices and of the sums; FALSE where oneDNN has nothing for them. Products of f32 gain from
 * a packed rhs only where that is kept: sgemm packs it faster. So do products of bytes, which oneDNN packs one by one.
 */
static gboolean
find_types (const GhloCpuGemm *self,
            GhloElementType    types[3])
{
  if (self->lhs.type == GHLO_ELEMENT_TYPE_BF16 && self->rhs.type == GHLO_ELEMENT_TYPE_BF16
      && self->arithmetic == GHLO_CPU_F32)
    {
      types[0] = types[1] = GHLO_ELEMENT_TYPE_BF16;
      /* Only sums that are moved as they are can be rounded already. */
      types[2] = self->result.type == GHLO_ELEMENT_TYPE_BF16 && !self->accumulate && self->result.is_plain
                 ? GHLO_ELEMENT_TYPE_BF16 : GHLO_ELEMENT_TYPE_F32;
      return TRUE;
    }
  if (self->lhs.type == GHLO_ELEMENT_TYPE_F32 && self->rhs.type == GHLO_ELEMENT_TYPE_F32
      && self->arithmetic == GHLO_CPU_F32 && ghlo_cpu_gemm_keeps_rhs (self))
    {
      types[0] = types[1] = types[2] = GHLO_ELEMENT_TYPE_F32;
      return TRUE;
    }
  if (self->arithmetic != GHLO_CPU_I16 || !ghlo_cpu_gemm_keeps_rhs (self))
    return FALSE;
  types[0] = ghlo_cpu_onednn_byte_type (self->lhs.type, FALSE);
  types[1] = ghlo_cpu_onednn_byte_type (self->rhs.type, TRUE);
  types[2] = GHLO_ELEMENT_TYPE_I32;

  return types[0] != GHLO_ELEMENT_TYPE_INVALID && types[1] != GHLO_ELEMENT_TYPE_INVALID;
}

/* Whether the primitive keeps blocks of the result in registers (brg). Of bytes, others are worth it too; of f32 they
 * are sgemm. */
static gboolean
is_worth_it (const GhloCpuPrimitive *primitive,
             GhloElementType         type)
{
  return ghlo_element_type_is_integer (type) || g_str_has_prefix (ghlo_cpu_primitive_name (primitive), "brg");
}

/* Whether rhs is packed from a transposed copy: oneDNN packs elements of two bytes one by one where k is adjacent. */
static gboolean
transposes_copy (const GhloCpuGemm *self)
{
  return self->rhs.k_adjacent && self->rhs.size == 2;
}

static gboolean
width_init (Width                 *width,
            State                 *state,
            const GhloCpuGemm     *self,
            const GhloCpuWay      *way,
            gint64                 columns,
            const GhloElementType  types[3])
{
  const GhloCpuPrimitiveMatrix rhs = { types[1], self->rhs.k_adjacent, self->rhs.leading };
  const gint64 rows[2] = { way->tile_rows, self->m % way->tile_rows };

  for (guint i = 0; i < 2 && rows[i] > 0; i++)
    {
      width->primitives[i] = ghlo_cpu_onednn_matmul (rows[i], columns, self->k, types[0], types[1], types[2],
                                                     i > 0 ? width->primitives[0] : NULL);
      if (width->primitives[i] == NULL || (self->compiles && !ghlo_cpu_primitive_compile (width->primitives[i])))
        return FALSE;
      state->own_size = MAX (state->own_size, ghlo_cpu_primitive_scratch_size (width->primitives[i]));
    }
  width->packer = transposes_copy (self) ? NULL : ghlo_cpu_onednn_reorder_matrix (width->primitives[0], &rhs);
  width->packs_copy = width->packer == NULL;
  if (width->packs_copy)
    width->packer = ghlo_cpu_onednn_reorder_matrix (width->primitives[0], &(GhloCpuPrimitiveMatrix) {
      types[1], FALSE, columns,
    });
  if (width->packer == NULL || (self->compiles && !ghlo_cpu_primitive_compile (width->packer)))
    return FALSE;
  state->own_size = MAX (state->own_size, ghlo_cpu_primitive_scratch_size (width->packer));
  width->packed_size = ghlo_size_align (ghlo_cpu_onednn_weights_size (width->primitives[0]));

  return TRUE;
}

/* What names the order of the packed rhs: widths of tiles, and the layouts of both. */
static GBytes *
find_packing (const GhloCpuGemm *self,
              const GhloCpuWay  *way,
              const State       *state)
{
  const gint64 numbers[] = { way->tile_columns, self->n, self->k, self->rhs.leading, self->rhs.k_adjacent };
  GByteArray *key = g_byte_array_new ();

  g_byte_array_append (key, (gconstpointer) numbers, sizeof (numbers));
  for (guint i = 0; i < 2 && state->widths[i].packer != NULL; i++)
    {
      g_autoptr (GBytes) layout = ghlo_cpu_onednn_weights_layout (state->widths[i].primitives[0]);

      g_byte_array_append (key, g_bytes_get_data (layout, NULL), (guint) g_bytes_get_size (layout));
    }

  return g_byte_array_free_to_bytes (key);
}

/* Scratch holds sums, then a copy of lhs, the packed rhs, and the scratch of primitives. */
static gboolean
plan_scratch (const GhloCpuGemm     *self,
              GhloCpuWay            *way,
              State                 *state,
              const GhloElementType  types[3])
{
  gsize packed = state->widths[0].packed_size, tile = (gsize) (way->tile_rows * way->tile_columns);
  gsize all;

  state->sum_size = ghlo_element_info (types[2])->size;
  state->own_size = ghlo_size_align (state->own_size);
  if (!state->result_is_direct)
    state->sums_size = ghlo_size_align (tile * state->sum_size) * (self->accumulate ? 2 : 1);
  if (!state->lhs_is_direct)
    state->lhs_size = ghlo_size_align ((gsize) (way->tile_rows * self->k) * self->lhs.size);
  way->scratch_size = state->sums_size + state->lhs_size + packed + state->own_size;
  if (state->widths[0].packs_copy || state->widths[1].packs_copy)
    way->scratch_size += ghlo_size_align ((gsize) (self->k * way->tile_columns) * self->rhs.size);
  if (ghlo_cpu_gemm_has_batches_of_rhs (self))
    return TRUE;
  if (!ghlo_size_mul (&all, packed, (gsize) (self->n / way->tile_columns))
      || !ghlo_size_add (&way->packed_size, all, state->widths[1].packed_size))
    return FALSE;
  way->packing = find_packing (self, way, state);

  return TRUE;
}

/* Whether others convert the operands and are faster: but for vectors, converting takes longer than multiplying. */
static gboolean
is_slow (const GhloCpuGemm *self,
         GhloElementType    type)
{
  const double speed = ghlo_cpu_onednn_speed (type);

  return speed == 0 || (speed < 1 && self->m > GHLO_CPU_MAX_VECTORS);
}

/* Whether a few vectors and a matrix, or few results whose operands would be packed each time, should be left to the
 * routines for them, which are as fast as memory. In caches, converting narrow numbers takes them longer than reading
 * these. */
static gboolean
is_for_vectors (const GhloCpuGemm *self)
{
  if (self->m > GHLO_CPU_MAX_VECTORS)
    return !ghlo_cpu_gemm_keeps_rhs (self) && ghlo_cpu_gemm_is_deep (self);

  return self->rhs.type == GHLO_ELEMENT_TYPE_F32 || !ghlo_cpu_gemm_keeps_rhs (self)
         || (double) self->m * (double) self->n * (double) self->k <= FEW_PRODUCTS
         || (double) self->n * (double) self->k * self->rhs.size > MAX_CACHED;
}

static gboolean
take (const GhloCpuGemm *self,
      GhloCpuWay        *way)
{
  g_autoptr (State) state = NULL;
  GhloElementType types[3];
  GhloCpuArithmetic sums;
  double n_tiles;
  gboolean is_direct;

  if (is_for_vectors (self) || !self->lhs.is_plain || !self->rhs.is_plain || !find_types (self, types)
      || (double) self->m * (double) self->n * (double) self->k < MIN_PRODUCTS || is_slow (self, types[0]))
    return FALSE;

  state = g_new0 (State, 1);
  sums = types[2] == GHLO_ELEMENT_TYPE_I32 ? GHLO_CPU_I32 : GHLO_CPU_F32;
  way->nanoseconds = MAX (way->nanoseconds / ghlo_cpu_onednn_speed (types[0]),
                          GHLO_CPU_BYTE_TIME * (double) self->n_batches * (double) self->n * (double) self->k
                          * self->rhs.size);
  /* A tile of some columns is computed in the scratch and copied, since oneDNN's results are dense. Only rows are cut
   * where that makes enough tiles, and all threads may read rhs. */
  is_direct = self->result.is_plain && !self->accumulate && (self->result.leading == self->n || self->m == 1)
              && (self->result.type == types[2] || self->result.type == GHLO_ELEMENT_TYPE_UI32);
  n_tiles = ghlo_cpu_count_tiles (way->nanoseconds);
  if (is_direct && ghlo_ceil_div (self->m, ROW_UNIT) >= n_tiles
      && (double) self->n * (double) self->k * self->rhs.size <= MAX_SHARED)
    ghlo_cpu_gemm_cut (self, way, ROW_UNIT, self->n, MAX_ROWS, self->n, way->nanoseconds / n_tiles);
  else
    ghlo_cpu_gemm_cut (self, way, ROW_UNIT, COLUMN_UNIT, MAX_ROWS, MAX_COLUMNS, way->nanoseconds / n_tiles);
  if (!width_init (&state->widths[0], state, self, way, way->tile_columns, types)
      || (self->n % way->tile_columns > 0
          && !width_init (&state->widths[1], state, self, way, self->n % way->tile_columns, types)))
    return FALSE;
  if (!is_worth_it (state->widths[0].primitives[0], types[0]))
    return FALSE;

  state->lhs_is_direct = self->lhs.k_adjacent && (self->lhs.leading == self->k || self->m == 1);
  state->result_is_direct = is_direct && way->tile_columns == self->n;
  ghlo_cpu_reader_init (&state->old, self->result.type, sums);
  ghlo_cpu_writer_init (&state->writer, self->result.type, sums);
  if (!plan_scratch (self, way, state, types))
    return FALSE;
  way->packs_each = !ghlo_cpu_gemm_keeps_rhs (self);
  if (way->packs_each)
    way->nanoseconds += (double) self->n_batches * (PACKED_CALLS + PACK_TIME * (double) self->k * (double) self->n);
  way->description = g_strdup_printf ("onednn matmul %s", ghlo_cpu_primitive_name (state->widths[0].primitives[0]));
  ghlo_cpu_way_set_state (way, g_steal_pointer (&state), state_free);

  return TRUE;
}

/* Packs the tile of columns from @column on. */
static gboolean
pack_tile (const GhloCpuGemm  *self,
           const guint8       *rhs,
           gint64              column,
           guint8             *packed,
           guint8             *scratch,
           GError            **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  const Width *width = &state->widths[column + self->way.tile_columns > self->n];
  const gint64 size = self->rhs.size, columns = MIN (self->way.tile_columns, self->n - column);
  const guint8 *from = rhs + ghlo_cpu_axis_at (&self->rhs.outer, column);
  guint8 *copy = scratch + state->own_size;

  if (width->packs_copy)
    {
      const GhloCpuRoutines *routines = ghlo_cpu_routines ();
      const guint unit = g_bit_storage ((gsize) size) - 1;

      (self->rhs.k_adjacent ? routines->transpose : routines->move)[unit] (from, self->rhs.k.stride,
                                                                           self->rhs.outer.stride, copy, columns * size,
                                                                           size, (gsize) self->k, (gsize) columns);
      from = copy;
    }

  return ghlo_cpu_onednn_run_reorder (width->packer, from, packed, scratch, error);
}

typedef struct
{
  const GhloCpuGemm *gemm;
  const guint8      *rhs;
  guint8            *packed, *scratch;
  GError            *problem;           /* atomic, owned: the first error */
} Packing;

static void
pack_tiles (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  Packing *packing = data;
  const GhloCpuGemm *self = packing->gemm;
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  GError *problem = NULL;

  for (gsize i = begin; i < end && problem == NULL; i++)
    pack_tile (self, packing->rhs, (gint64) i * self->way.tile_columns,
               packing->packed + i * state->widths[0].packed_size,
               packing->scratch + worker * self->way.scratch_size, &problem);
  if (problem != NULL && !g_atomic_pointer_compare_and_exchange (&packing->problem, NULL, problem))
    g_error_free (problem);
}

static gboolean
pack (const GhloCpuGemm  *self,
      const guint8       *rhs,
      guint8             *packed,
      guint8             *scratch,
      const GhloMonitor  *monitor,
      GError            **error)
{
  Packing packing = { .gemm = self, .rhs = rhs };
  gboolean ok;

  packing.packed = packed;
  packing.scratch = scratch;
  ok = ghlo_parallel_for ((gsize) self->n_column_tiles, 1,
                          GHLO_CPU_PACK_TIME * (double) self->way.packed_size, pack_tiles,
                          &packing, monitor);
  if (packing.problem != NULL)
    g_propagate_error (error, packing.problem);

  return ok && packing.problem == NULL;
}

/* Returns the rows of the tile as a dense matrix. */
static const guint8 *
find_lhs (const GhloCpuGemm *self,
          const State       *state,
          const GhloCpuTile *tile,
          guint8            *copy)
{
  const guint8 *from = tile->lhs + ghlo_cpu_axis_at (&self->lhs.outer, tile->first_row);
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  const gint64 size = self->lhs.size;
  const guint unit = g_bit_storage ((gsize) size) - 1;
  GhloCpuPlaneFunc move = (self->lhs.k_adjacent ? routines->move : routines->transpose)[unit];

  if (state->lhs_is_direct)
    return from;
  move (from, self->lhs.outer.stride, self->lhs.k.stride, copy, self->k * size, size, (gsize) tile->n_rows,
        (gsize) self->k);

  return copy;
}

static guint8 *
find_row (const GhloCpuGemm *self,
          const GhloCpuTile *tile,
          gint64             row)
{
  return tile->result + ghlo_cpu_axis_at (&self->result.rows, tile->first_row + row);
}

static void
add_old (const GhloCpuGemm *self,
         const State       *state,
         const GhloCpuTile *tile,
         guint8            *sums)
{
  guint8 *old = sums + state->sums_size / 2;
  gsize n = (gsize) (tile->n_rows * tile->n_columns);

  for (gint64 row = 0; row < tile->n_rows; row++)
    ghlo_cpu_read_axis (&state->old, find_row (self, tile, row), &self->result.columns, tile->first_column,
                        tile->n_columns, old + row * tile->n_columns * state->sum_size);
  if (self->arithmetic == GHLO_CPU_F32)
    for (gsize i = 0; i < n; i++)
      ((float *) (gpointer) sums)[i] += ((const float *) (gconstpointer) old)[i];
  else
    for (gsize i = 0; i < n; i++)
      ((guint32 *) (gpointer) sums)[i] += ((const guint32 *) (gconstpointer) old)[i];
}

/* Sums that have the result's type are moved as they are. */
static void
store (const GhloCpuGemm *self,
       const State       *state,
       const GhloCpuTile *tile,
       guint8            *sums)
{
  const gint64 size = tile->n_columns * state->sum_size;
  gboolean is_same = self->result.is_plain && self->result.size == state->sum_size;

  if (self->accumulate)
    add_old (self, state, tile, sums);
  for (gint64 row = 0; row < tile->n_rows; row++, sums += size)
    if (is_same)
      memcpy (find_row (self, tile, row) + ghlo_cpu_axis_at (&self->result.columns, tile->first_column), sums,
              (gsize) size);
    else
      ghlo_cpu_write_axis (&state->writer, sums, find_row (self, tile, row), &self->result.columns,
                           tile->first_column, tile->n_columns);
}

static gboolean
compute (const GhloCpuGemm  *self,
         const GhloCpuTile  *tile,
         GError            **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  const Width *width = &state->widths[tile->n_columns < self->way.tile_columns];
  guint8 *sums = tile->scratch, *copy = sums + state->sums_size, *own_packed = copy + state->lhs_size;
  guint8 *scratch = own_packed + state->widths[0].packed_size;
  const guint8 *lhs = find_lhs (self, state, tile, copy), *packed = own_packed;

  if (state->result_is_direct)
    sums = tile->result + ghlo_cpu_axis_at (&self->result.rows, tile->first_row);
  if (tile->packed != NULL)
    packed = tile->packed + (gsize) (tile->first_column / self->way.tile_columns) * state->widths[0].packed_size;
  else if (!pack_tile (self, tile->rhs, tile->first_column, own_packed, scratch, error))
    return FALSE;
  if (!ghlo_cpu_onednn_run_matmul (width->primitives[tile->n_rows < self->way.tile_rows], lhs, packed, sums, scratch,
                                   error))
    return FALSE;
  if (!state->result_is_direct)
    store (self, state, tile, sums);

  return TRUE;
}

const GhloCpuGemmAlgorithm ghlo_cpu_gemm_onednn = { "onednn matmul", FALSE, take, compute, pack };
