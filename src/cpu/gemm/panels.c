/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of any type and layout: blocks of both operands are packed in the order in which the tiles of routines.h
 * read them, and converted on the way, so that strides and types need no separate pass. The order of summation does
 * not depend on the number of threads or on the tiles: block by block of k, each from its first to its last.
 */

#include "cpu/gemm/gemm-private.h"
#include "cpu/gemm/pack.h"
#include "runtime/parallel.h"

#include <string.h>

/* The most bytes of a rhs of which a packed copy is kept; the same of one that is converted, whose copy is larger, and
 * of one that is converted to pairs, which takes longest. */
#define MAX_AHEAD       (64.0 * 1024.0 * 1024.0)
#define MAX_WIDER_AHEAD (4.0 * 1024.0 * 1024.0)
#define MAX_PAIRS_AHEAD (16.0 * 1024.0 * 1024.0)
/* Approximate nanoseconds to compute an element and to pack it, to pack one that is in memory, and to write one of the
 * result where it is not summed there. */
#define COMPUTE_TIME 0.3
#define PACK_TIME    0.2
#define STORE_TIME   0.2

enum
{
  /* Groups of k in a block, so that bundles of both operands stay in the L1 cache. */
  BLOCK_GROUPS_4 = 384, BLOCK_GROUPS_8 = 256,
  /* Rows of a block of lhs, which stays in the L2 cache; a multiple of the tile rows of every level. */
  BLOCK_ROWS = 192,
  /* Columns of a block of rhs. */
  MAX_COLUMNS_4 = 1024, MAX_COLUMNS_8 = 512,
  /* The largest rhs, in bytes, that is read in place. */
  MAX_SMALL = 32 * 1024,
  MAX_ROWS = 6 * BLOCK_ROWS, MAX_ROWS_INDIRECT = 2 * BLOCK_ROWS,
  /* Rows with which packing a rhs that has to be converted takes as long as multiplying. */
  FEW_ROWS = 32,
  /* Bytes of rows of the result that are written at once, where the rows are short. */
  STORED_BYTES = 4096, MAX_STORED = 128,
  /* Bundles of a computed operand that are computed together, where the outer dimension is adjacent. */
  COMPUTED_BUNDLES = 4,
};

typedef struct
{
  GhloCpuPacker       lhs, rhs;
  GhloCpuReader       old;
  GhloCpuWriter       writer;
  const GhloCpuTiles *tiles;
  guint               rows, columns;    /* of the largest tile */
  guint               sum_size;         /* bytes, of both parts where complex */
  gint64              block_k, block_rows;
  gboolean            result_is_direct;
  gboolean            rhs_is_direct;    /* except for columns that do not fill a tile */
  gboolean            packs_ahead;      /* the whole rhs may be packed ahead, block of k by block of k */
  /* Offsets in the scratch, which begins with the packed lhs. */
  gsize               rhs_at, sums_at, edge_at, rest_at, block_at;
  gint64              sums_row;         /* row stride in sums */
} State;

static void
state_free (gpointer data)
{
  g_free (data);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (State, state_free)

/* The rows and columns (in k) of a block of an operand that is computed: one bundle, or several. */
static gint64
get_block_width (const GhloCpuPacker *packer)
{
  return packer->width * (packer->along_k ? 1 : COMPUTED_BUNDLES);
}

/* Chooses the block of an operand that is computed, and returns its bytes. */
static gsize
plan_block (const GhloCpuGemm *self,
            GhloCpuWay        *way,
            const State       *state)
{
  const GhloCpuOperand *operand = self->lhs.compute != NULL ? &self->lhs : &self->rhs;
  const gint64 width = get_block_width (self->lhs.compute != NULL ? &state->lhs : &state->rhs);

  if (operand->compute == NULL)
    return 0;
  way->pitch = operand->k_adjacent ? state->block_k : width;

  return ghlo_size_align ((gsize) (width * state->block_k) * operand->size);
}

static void
plan_scratch (const GhloCpuGemm *self,
              GhloCpuWay        *way,
              State             *state)
{
  gint64 packed_columns = state->rhs_is_direct ? 1 : way->tile_columns;

  state->sums_row = ghlo_round_up (way->tile_columns, state->columns / 2);
  state->rhs_at = ghlo_cpu_packer_size (&state->lhs, state->block_rows, state->block_k);
  state->sums_at = state->rhs_at + ghlo_cpu_packer_size (&state->rhs, packed_columns, state->block_k);
  state->edge_at = state->sums_at;
  if (!state->result_is_direct)
    state->edge_at += ghlo_size_align ((gsize) (way->tile_rows * state->sums_row * state->sum_size));
  state->rest_at = state->edge_at + ghlo_size_align ((gsize) ((gint64) state->rows * state->columns * state->sum_size));
  way->scratch_size = state->rest_at
                       + MAX (ghlo_cpu_packer_scratch (&state->lhs, state->block_rows, state->block_k),
                              ghlo_cpu_packer_scratch (&state->rhs, state->packs_ahead ? self->n : packed_columns,
                                                       state->block_k));
  state->block_at = way->scratch_size;
  way->scratch_size += plan_block (self, way, state);
}

/* Whether tiles may read rhs in place: with few rows packing would not pay, and a small rhs stays in the L1 cache. */
static gboolean
can_read_rhs (const GhloCpuGemm *self,
              const State       *state)
{
  return self->rhs.compute == NULL && state->rhs.reader.same && !state->rhs.pairs && self->rhs.is_plain
         && !self->rhs.k_adjacent && self->n >= state->columns
         && (self->m <= state->rows || self->n * self->k * self->rhs.size <= MAX_SMALL);
}

/* Whether a packed copy of rhs is worth its memory. */
static gboolean
can_pack_ahead (const GhloCpuGemm *self,
                const State       *state)
{
  const double bytes = (double) self->n * (double) self->k * self->rhs.size;

  if (!ghlo_cpu_gemm_keeps_rhs (self))
    return FALSE;

  if (state->rhs.pairs)
    return bytes <= MAX_PAIRS_AHEAD;

  return state->rhs.reader.same ? bytes > MAX_SMALL && bytes <= MAX_AHEAD
         : self->m <= FEW_ROWS && bytes <= MAX_WIDER_AHEAD;
}

/* Columns of rhs, rounded up to whole bundles. */
static gint64
count_packed_columns (const GhloCpuGemm *self,
                      const State       *state)
{
  return ghlo_round_up (self->n, state->columns);
}

/* Where the block that begins at @k, a multiple of the block's, is in a packed rhs, in groups. */
static gint64
find_packed_block (const GhloCpuGemm *self,
                   const State       *state,
                   gint64             k)
{
  return ghlo_cpu_packer_groups (&state->rhs, k) * count_packed_columns (self, state);
}

/* What names the order of the packed rhs: that of bundles, and the layout of rhs. */
static GBytes *
find_packing (const GhloCpuGemm *self,
              const State       *state)
{
  const gint64 numbers[] = { self->arithmetic, self->rhs.type, self->is_complex, state->columns, state->block_k,
                             self->n, self->k, self->rhs.leading, self->rhs.k_adjacent };

  return g_bytes_new (numbers, sizeof (numbers));
}

typedef struct
{
  const GhloCpuGemm *gemm;
  const guint8      *rhs;
  guint8            *packed, *scratch;  /* the latter for conversions */
} Packing;

/* Packs blocks of k. */
static void
pack_blocks (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  const Packing *packing = data;
  const GhloCpuGemm *self = packing->gemm;
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);

  for (gsize i = begin; i < end; i++)
    {
      const gint64 k = (gint64) i * state->block_k;
      GhloCpuPart part = { packing->rhs, &self->rhs.outer, &self->rhs.k, 0, self->n, k,
                           MIN (state->block_k, self->k - k) };

      ghlo_cpu_pack (&state->rhs, &part, packing->scratch,
                     packing->packed + find_packed_block (self, state, k) * state->rhs.group_size);
    }
}

static gboolean
pack (const GhloCpuGemm  *self,
      const guint8       *rhs,
      guint8             *packed,
      guint8             *scratch,
      const GhloMonitor  *monitor,
      GError            **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  const gsize n_blocks = (gsize) ghlo_ceil_div (self->k, state->block_k);
  Packing packing = { .gemm = self, .rhs = rhs };

  packing.packed = packed;
  packing.scratch = scratch + state->rest_at;
  if (state->rhs.reader.same && !state->rhs.pairs)
    return ghlo_parallel_for (n_blocks, 1, GHLO_CPU_PACK_TIME * (double) self->way.packed_size, pack_blocks, &packing,
                              monitor);
  /* The scratch is one thread's. */
  for (gsize i = 0; i < n_blocks; i++)
    {
      if (ghlo_monitor_cancelled (monitor, error))
        return FALSE;
      pack_blocks (&packing, i, i + 1, 0);
    }

  return TRUE;
}

static gboolean
init_packers (const GhloCpuGemm *self,
            State             *state)
{
  GhloElementType part = ghlo_element_type_real_part (self->result.type);

  if (!ghlo_cpu_packer_init (&state->lhs, self->lhs.type, self->arithmetic, state->rows, &self->lhs.outer,
                             &self->lhs.k)
      || !ghlo_cpu_packer_init (&state->rhs, self->rhs.type, self->arithmetic, state->columns, &self->rhs.outer,
                                &self->rhs.k)
      || !ghlo_cpu_writer_init (&state->writer, part, self->arithmetic))
    return FALSE;
  ghlo_cpu_reader_init (&state->old, part, state->writer.arithmetic);
  if (self->is_complex)
    {
      ghlo_cpu_reader_pair (&state->old);
      ghlo_cpu_writer_pair (&state->writer);
    }

  return TRUE;
}

/* The time of everything: the columns of a tile are all computed, and the operands packed, however few of them there
 * are. */
static double
estimate (const GhloCpuGemm *self,
          const GhloCpuWay  *way,
          const State       *state)
{
  const double columns = (double) ghlo_round_up (self->n, MAX (state->columns / 2, 1));
  const double packed = (double) self->k * (double) (self->m + self->n) * PACK_TIME;
  const double stored = state->result_is_direct ? 0 : (double) self->m * (double) self->n * STORE_TIME;

  return way->nanoseconds * columns / (double) MAX (self->n, 1) + (double) self->n_batches * (packed + stored);
}

static gboolean
take (const GhloCpuGemm *self,
      GhloCpuWay        *way)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  GhloCpuArithmetic arithmetic = self->arithmetic;
  gboolean is_wide = ghlo_cpu_sum_size (arithmetic) == 8;
  gint64 block = (is_wide ? BLOCK_GROUPS_8 : BLOCK_GROUPS_4) * (arithmetic == GHLO_CPU_I16 ? 2 : 1);
  gint64 parts = ghlo_cpu_gemm_n_parts (self);
  g_autoptr (State) state = g_new0 (State, 1);

  state->tiles = self->is_complex ? &routines->complex_tiles[arithmetic] : &routines->tiles[arithmetic];
  state->rows = state->tiles->heights[0];
  state->columns = state->tiles->columns;
  state->sum_size = (guint) (ghlo_cpu_sum_size (arithmetic) * (gsize) parts);
  if (!init_packers (self, state))
    return FALSE;
  if ((self->lhs.compute != NULL && !self->lhs.is_plain) || (self->rhs.compute != NULL && !self->rhs.is_plain))
    return FALSE;

  state->result_is_direct = state->writer.same && self->result.is_plain;
  state->block_k = ghlo_round_up (ghlo_ceil_div (self->k, ghlo_ceil_div (self->k, block)), 2);
  if (self->lhs.compute == NULL && self->rhs.compute == NULL)
    way->nanoseconds = estimate (self, way, state);
  else
    way->nanoseconds += COMPUTE_TIME * (double) self->n_batches * (double) self->k
                        * (double) (self->rhs.compute != NULL ? self->n : self->m);
  ghlo_cpu_gemm_cut (self, way, state->rows, state->columns,
                     (state->result_is_direct ? MAX_ROWS : MAX_ROWS_INDIRECT) / parts,
                     (is_wide ? MAX_COLUMNS_8 : MAX_COLUMNS_4) / parts, G_MAXDOUBLE);
  state->block_rows = MIN (BLOCK_ROWS / parts, ghlo_round_up (way->tile_rows, state->rows));
  state->rhs_is_direct = can_read_rhs (self, state);
  state->packs_ahead = can_pack_ahead (self, state);
  if (state->packs_ahead)
    {
      way->packed_size = (gsize) (find_packed_block (self, state, self->k) * state->rhs.group_size);
      way->packing = find_packing (self, state);
    }
  plan_scratch (self, way, state);
  way->description = g_strdup_printf ("panels of %s%s, %s", self->is_complex ? "complex " : "",
                                       (const char *[]) { "f32", "f64", "i16", "i32", "i64" }[arithmetic],
                                       ghlo_cpu_level_name (ghlo_cpu_level ()));
  ghlo_cpu_way_set_state (way, g_steal_pointer (&state), state_free);

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
merge_row (GhloCpuArithmetic arithmetic,
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

/* The destination of sums: the result itself, or scratch with room for whole tiles. */
typedef struct
{
  guint8  *data;
  gint64   row;            /* row stride in sums */
  gint64   n_rows;
  gint64   n_columns;
  guint8  *edge;
} Sums;

/* A block of rhs: the columns of its first tile, and the bytes to those of the next tile and to the next group. */
typedef struct
{
  const guint8 *data;
  gint64        bundle, group;
} Bundles;

/* Multiplies one bundle of rhs with all rows, by full tiles and then lower ones for the rest. */
static void
multiply_bundle (const GhloCpuGemm *self,
                 const State       *state,
                 const guint8      *lhs,
                 const Bundles     *rhs,
                 gint64             groups,
                 const Sums        *sums,
                 gint64             first,
                 gboolean           accumulate)
{
  const guint *heights = state->tiles->heights;
  gint64 size = state->sum_size, parts = ghlo_cpu_gemm_n_parts (self);
  gint64 columns = state->columns, n = MIN (columns, sums->n_columns - first);
  guint width = n <= columns / 2 ? 0 : 1, height = 0;
  gboolean is_whole = !state->result_is_direct || n == columns || n == columns / 2;

  for (gint64 i = 0; i < sums->n_rows; i += heights[height])
    {
      gint64 bundle = i / state->rows;
      const guint8 *a = lhs + (bundle * groups * state->rows + i % state->rows) * state->lhs.group_size;
      guint8 *to = sums->data + (i * sums->row + first) * size;

      while (heights[height] > sums->n_rows - i)
        height++;
      if (is_whole)
        {
          state->tiles->multiply[height][width] ((gsize) groups, a, rhs->data, rhs->group, to,
                                                 (gsize) (sums->row * parts), accumulate);
          continue;
        }
      state->tiles->multiply[height][width] ((gsize) groups, a, rhs->data, rhs->group, sums->edge,
                                             (gsize) (columns * parts), FALSE);
      for (gint64 row = 0; row < heights[height]; row++)
        merge_row (self->arithmetic, to + row * sums->row * size, sums->edge + row * columns * size, n * parts,
                   accumulate);
    }
}

static void
multiply (const GhloCpuGemm *self,
          const State       *state,
          const guint8      *lhs,
          const Bundles     *rhs,
          const guint8      *rhs_edge,        /* nullable: the columns that do not fill a tile, packed */
          gint64             groups,
          const Sums        *sums,
          gboolean           accumulate)
{
  Bundles at = *rhs;

  for (gint64 j = 0; j < sums->n_columns; j += state->columns, at.data += at.bundle)
    {
      if (rhs_edge != NULL && sums->n_columns - j < state->columns)
        at = (Bundles) { rhs_edge, 0, (gint64) state->columns * state->rhs.group_size };
      multiply_bundle (self, state, lhs, &at, groups, sums, j, accumulate);
    }
}

/* Computes and packs a part of an operand block by block. */
static void
pack_computed (const GhloCpuGemm    *self,
               const State          *state,
               const GhloCpuTile    *tile,
               const GhloCpuOperand *operand,
               const GhloCpuPacker  *packer,
               const GhloCpuPart    *part,
               guint8               *to)
{
  const gint64 width = get_block_width (packer), size = operand->size, row = self->way.pitch * size;
  const GhloCpuAxis outer = { width, width, operand->k_adjacent ? row : size, NULL, 0 };
  const GhloCpuAxis k = { part->n_k, part->n_k, operand->k_adjacent ? size : row, NULL, 0 };
  GhloCpuPart block = { tile->scratch + state->block_at, &outer, &k, 0, 0, 0, part->n_k };

  for (gint64 i = 0; i < part->n_outer; i += width)
    {
      block.n_outer = MIN (width, part->n_outer - i);
      ghlo_cpu_gemm_compute_part (self, tile, operand, part->first_outer + i, block.n_outer, part->first_k, part->n_k,
                                  ghlo_cpu_axis_at (&operand->outer, width), tile->scratch + state->block_at);
      ghlo_cpu_pack (packer, &block, tile->scratch + state->rest_at, to);
      to += (gsize) (width * ghlo_cpu_packer_groups (packer, part->n_k)) * packer->group_size;
    }
}

static void
pack_part (const GhloCpuGemm    *self,
           const State          *state,
           const GhloCpuTile    *tile,
           const GhloCpuOperand *operand,
           const GhloCpuPacker  *packer,
           const GhloCpuPart    *part,
           guint8               *to)
{
  if (operand->compute != NULL)
    pack_computed (self, state, tile, operand, packer, part, to);
  else
    ghlo_cpu_pack (packer, part, tile->scratch + state->rest_at, to);
}

/* Packs what is not read in place. */
static Bundles
pack_rhs (const GhloCpuGemm *self,
          const State       *state,
          const GhloCpuTile *tile,
          gint64             k,
          gint64             n_k)
{
  guint8 *packed = tile->scratch + state->rhs_at;
  gint64 width = (gint64) state->columns * state->rhs.group_size;
  gint64 first = state->rhs_is_direct ? tile->n_columns - tile->n_columns % state->columns : 0;
  GhloCpuPart part = { tile->rhs, &self->rhs.outer, &self->rhs.k, tile->first_column + first, tile->n_columns - first,
                       k, n_k };

  if (tile->packed != NULL)
    {
      const gint64 groups = ghlo_cpu_packer_groups (&state->rhs, n_k);

      return (Bundles) {
        .data = tile->packed + (find_packed_block (self, state, k) + tile->first_column * groups)
                                * state->rhs.group_size,
        .bundle = width * groups, .group = width,
      };
    }

  pack_part (self, state, tile, &self->rhs, &state->rhs, &part, packed);
  if (!state->rhs_is_direct)
    return (Bundles) { packed, width * ghlo_cpu_packer_groups (&state->rhs, n_k), width };

  return (Bundles) {
    .data = tile->rhs + ghlo_cpu_axis_at (&self->rhs.outer, tile->first_column) + ghlo_cpu_axis_at (&self->rhs.k, k),
    .bundle = width, .group = self->rhs.leading * self->rhs.size,
  };
}

static guint8 *
find_row (const GhloCpuGemm *self,
          const GhloCpuTile *tile,
          gint64             row)
{
  return tile->result + ghlo_cpu_axis_at (&self->result.rows, tile->first_row + row);
}

/* Loads the sums in scratch from the result. */
static void
load_sums (const GhloCpuGemm *self,
           const State       *state,
           const GhloCpuTile *tile)
{
  for (gint64 row = 0; row < tile->n_rows; row++)
    ghlo_cpu_read_axis (&state->old, find_row (self, tile, row), &self->result.columns, tile->first_column,
                        tile->n_columns, tile->scratch + state->sums_at + row * state->sums_row * state->sum_size);
}

/* Stores the sums in scratch into the result, those of some short rows at once. */
static void
store_sums (const GhloCpuGemm *self,
            const State       *state,
            const GhloCpuTile *tile)
{
  const GhloCpuResult *result = &self->result;
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  const gint64 size = state->writer.size, row = state->sums_row * size;
  const guint unit = g_bit_storage ((gsize) size) - 1;
  const gboolean at_once = ghlo_cpu_axis_is_uniform (&result->rows) && ghlo_cpu_axis_is_uniform (&result->columns)
                           && row <= STORED_BYTES && tile->n_columns <= MAX_STORED;
  guint8 elements[STORED_BYTES], *sums = tile->scratch + state->sums_at;
  const guint8 *from;

  for (gint64 i = 0, n; i < tile->n_rows; i += n, sums += n * state->sums_row * state->sum_size)
    {
      guint8 *to = find_row (self, tile, i);

      n = at_once ? MIN (STORED_BYTES / row, tile->n_rows - i) : 1;
      if (!at_once)
        {
          ghlo_cpu_write_axis (&state->writer, sums, to, &result->columns, tile->first_column, tile->n_columns);
          continue;
        }
      from = state->writer.same ? sums : elements;
      if (!state->writer.same)
        ghlo_cpu_write_row (&state->writer, sums, elements, size, (gsize) (n * state->sums_row));
      to += tile->first_column * result->columns.stride;
      if (result->rows.stride == size)
        routines->transpose[unit] (from, size, row, to, result->columns.stride, size, (gsize) tile->n_columns,
                                   (gsize) n);
      else
        routines->move[unit] (from, row, size, to, result->rows.stride, result->columns.stride, (gsize) n,
                              (gsize) tile->n_columns);
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
compute (const GhloCpuGemm  *self,
         const GhloCpuTile  *tile,
         GError            **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  const guint8 *edge = state->rhs_is_direct && tile->packed == NULL ? tile->scratch + state->rhs_at : NULL;

  if (self->accumulate && !state->result_is_direct)
    load_sums (self, state, tile);
  for (gint64 k = 0; k < self->k; k += state->block_k)
    {
      gint64 n_k = MIN (state->block_k, self->k - k), groups = ghlo_cpu_packer_groups (&state->lhs, n_k);
      Bundles rhs = pack_rhs (self, state, tile, k, n_k);

      for (gint64 row = 0; row < tile->n_rows; row += state->block_rows)
        {
          gint64 n_rows = MIN (state->block_rows, tile->n_rows - row);
          GhloCpuPart part = { tile->lhs, &self->lhs.outer, &self->lhs.k, tile->first_row + row, n_rows, k, n_k };
          Sums sums = find_sums (self, state, tile);

          if (ghlo_cpu_gemm_stopped (tile->monitor))
            return FALSE;
          sums.n_rows = n_rows;
          sums.data += row * sums.row * state->sum_size;
          pack_part (self, state, tile, &self->lhs, &state->lhs, &part, tile->scratch);
          multiply (self, state, tile->scratch, &rhs, edge, groups, &sums, self->accumulate || k > 0);
        }
    }
  if (!state->result_is_direct)
    store_sums (self, state, tile);

  return TRUE;
}

const GhloCpuGemmAlgorithm ghlo_cpu_gemm_panels = { "panels", TRUE, take, compute, pack };
