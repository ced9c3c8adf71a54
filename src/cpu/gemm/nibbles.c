/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The product of a few rows and weights of four bits (dequantization.h), which are read from a copy that has two in a
 * byte. Scales are multiplied with the sums of a group, which are exact but for the last rounding, and not with each
 * weight. Where that leaves the range of f32, or numbers are not finite, a row of sums is computed as the program says.
 */

#include "cpu/gemm/convert-row.h"
#include "cpu/gemm/dequantization.h"
#include "cpu/gemm/gemm-private.h"
#include "runtime/parallel.h"

#include <string.h>

/* Approximate nanoseconds to pack a weight, and to prepare a number of a row for a tile; and bytes per second that one
 * core reads. */
#define PACK_TIME    0.1
#define PREPARE_TIME 1.0
#define READ_RATE    14e9
/* The most nanoseconds of a tile, which cannot be interrupted. */
#define MAX_TILE     10e6

enum
{
  MAX_ROWS = 64, MIN_WEIGHTS = 16384, WORD = GHLO_CPU_NIBBLES_OF_WORD, COLUMNS = GHLO_CPU_NIBBLE_COLUMNS,
  /* Numbers of a row that share an exponent, at most; the padding of rows. */
  MAX_BLOCK = 64, UNIT = 16,
  ROWS = 4,               /* that are multiplied with a panel at once */
};

/* Scales or zero points. */
typedef struct
{
  guint         operand;          /* of the request; GHLO_STEP_NONE: all are 1 */
  gboolean      is_direct;        /* they are read where they are */
  GhloCpuReader reader;
  GhloCpuAxis   groups, columns;
  gsize         at;               /* of those of a tile in the scratch */
} Numbers;

typedef struct
{
  GhloCpuReader x;
  GhloCpuWriter writer;
  Numbers       scales, zeros;
  gint64        padded_k, block, n_blocks, n_groups, group_blocks;
  gint32        first;            /* the weight that a nibble of 0 is */
  guint32       flip;
  gsize         panel_size;       /* bytes of COLUMNS packed columns */
  /* In the scratch: */
  gsize         digits_at, blocks_at, fits_at, raw_at, y_at, packed_at;
} State;

static void
state_free (gpointer data)
{
  State *self = data;

  ghlo_cpu_axis_clear (&self->scales.groups);
  ghlo_cpu_axis_clear (&self->scales.columns);
  ghlo_cpu_axis_clear (&self->zeros.groups);
  ghlo_cpu_axis_clear (&self->zeros.columns);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (State, state_free)

static gboolean
init_numbers (Numbers                     *self,
              const GhloCpuDequantization *dequantization,
              const GhloCpuBroadcast      *numbers)
{
  const guint n = dequantization->n_group_dimensions;

  self->operand = numbers->operand;
  if (self->operand == GHLO_STEP_NONE)
    return TRUE;
  ghlo_cpu_axis_init (&self->groups, dequantization->sizes, numbers->strides, n);
  ghlo_cpu_axis_init (&self->columns, dequantization->sizes + n, numbers->strides + n,
                      dequantization->n_dimensions - n);
  if (!ghlo_cpu_reader_init_numbers (&self->reader, numbers->type))
    return FALSE;
  self->is_direct = self->reader.same && ghlo_cpu_axis_is_uniform (&self->groups)
                    && ghlo_cpu_axis_is_uniform (&self->columns) && self->columns.count % COLUMNS == 0
                    && self->columns.stride == (gint64) sizeof (float)
                    && self->groups.stride % (gint64) sizeof (float) == 0 && self->groups.stride >= 0;

  return TRUE;
}

/* Whether a copy of the weights is made ahead of runs. */
static gboolean
packs_ahead (const GhloCpuGemm *self)
{
  return self->rhs_data != NULL || self->has_constant_rhs || self->rhs_is_persistent;
}

/* The time of 16 weights and a row by the level's instructions, or that of reading weights. */
static double
estimate (const GhloCpuGemm *self)
{
  static const double times[] = {
    [GHLO_CPU_LEVEL_BASELINE] = 3.4, [GHLO_CPU_LEVEL_AVX2] = 0.8, [GHLO_CPU_LEVEL_AVX512] = 0.62,
  };
  const double weights = (double) self->n * (double) self->k;
  const double time = times[ghlo_cpu_level ()] * (ghlo_cpu_has_vnni () ? 0.5 : 1);
  const double products = weights / 16 * (double) self->m * time;

  return MAX (weights / 2 / READ_RATE * 1e9, products) + (packs_ahead (self) ? 0 : PACK_TIME * weights)
         + PREPARE_TIME * (double) self->m * (double) self->k;
}

static gsize
reserve (GhloCpuWay *way,
         gsize       size)
{
  const gsize at = way->scratch_size;

  way->scratch_size = ghlo_size_align (at + size);

  return at;
}

static void
plan_scratch (const GhloCpuGemm *self,
              GhloCpuWay        *way,
              State             *state)
{
  const gsize m = (gsize) self->m, k = (gsize) state->padded_k;
  const gsize columns = (gsize) ghlo_round_up (way->tile_columns, COLUMNS);
  const gsize n_numbers = columns * (gsize) state->n_groups * sizeof (float);

  way->scratch_size = 0;
  reserve (way, m * k * sizeof (float));
  state->digits_at = reserve (way, m * k * GHLO_CPU_NIBBLE_DIGITS);
  state->blocks_at = reserve (way, m * (gsize) state->n_blocks * sizeof (GhloCpuNibbleBlock));
  state->fits_at = reserve (way, m);
  state->y_at = reserve (way, ROWS * COLUMNS * sizeof (float));
  state->scales.at = reserve (way, n_numbers);
  state->zeros.at = reserve (way, n_numbers);
  state->raw_at = reserve (way, 2 * n_numbers);
  state->packed_at = reserve (way, columns / COLUMNS * state->panel_size);
}

/* What names the order of packed weights. */
static GBytes *
find_packing (const GhloCpuGemm *self,
              const State       *state)
{
  const gint64 numbers[] = { 4, state->flip, self->n, self->k, self->rhs.leading, self->rhs.k_adjacent };

  return g_bytes_new (numbers, sizeof numbers);
}

static gboolean
take (const GhloCpuGemm *self,
      GhloCpuWay        *way)
{
  const GhloCpuDequantization *dequantization = self->dequantization;
  g_autoptr (State) state = g_new0 (State, 1);
  gint64 block = MAX_BLOCK;

  if (dequantization == NULL || self->arithmetic != GHLO_CPU_F32 || self->n_loops > 0 || self->accumulate
      || self->m > MAX_ROWS || self->n * self->k < MIN_WEIGHTS || !self->rhs.is_plain || self->rhs.size != 1
      || !ghlo_cpu_reader_init (&state->x, self->lhs.type, GHLO_CPU_F32)
      || !ghlo_cpu_writer_init (&state->writer, self->result.type, GHLO_CPU_F32)
      || !init_numbers (&state->scales, dequantization, &dequantization->scales)
      || !init_numbers (&state->zeros, dequantization, &dequantization->zeros))
    return FALSE;

  while (dequantization->n_group_dimensions > 0 && dequantization->group % block != 0)
    block -= UNIT;
  state->padded_k = ghlo_round_up (self->k, UNIT);
  state->block = block;
  state->n_blocks = ghlo_ceil_div (state->padded_k, block);
  state->n_groups = dequantization->n_group_dimensions > 0 ? self->k / dequantization->group : 1;
  state->group_blocks = dequantization->n_group_dimensions > 0 ? dequantization->group / block : state->n_blocks;
  state->panel_size = (gsize) state->padded_k / WORD * COLUMNS * sizeof (guint32);
  if (ghlo_element_info (dequantization->type)->element_class == GHLO_ELEMENT_CLASS_SIGNED)
    {
      state->first = -8;
      state->flip = 0x88888888;
    }
  state->first -= (gint32) dequantization->zero;
  if (packs_ahead (self))
    {
      if (!ghlo_size_mul (&way->packed_size, (gsize) ghlo_ceil_div (self->n, COLUMNS), state->panel_size))
        return FALSE;
      way->packing = find_packing (self, state);
    }
  way->nanoseconds = estimate (self);
  ghlo_cpu_gemm_cut (self, way, self->m, COLUMNS, self->m, self->n, MAX_TILE);
  plan_scratch (self, way, state);
  way->description = g_strdup_printf ("vectors and weights of 4 bits, %s", ghlo_cpu_level_name (ghlo_cpu_level ()));
  ghlo_cpu_way_set_state (way, g_steal_pointer (&state), state_free);

  return TRUE;
}

/* Packs columns [@first, @first + @n). All of them get a word before any gets its next one, so that rows are read in
 * one go. */
static void
pack_tile (const GhloCpuGemm *self,
           const State       *state,
           const guint8      *rhs,
           gint64             first,
           gint64             n,
           guint8            *to)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  const gboolean k_adjacent = self->rhs.k_adjacent;
  const gint64 outer = k_adjacent ? self->rhs.leading : 1, along = k_adjacent ? 1 : self->rhs.leading;
  const gint64 step = k_adjacent ? self->k : WORD;

  if (self->k % UNIT != 0)
    memset (to, 0, (gsize) ghlo_ceil_div (n, COLUMNS) * state->panel_size);
  for (gint64 k = 0; k < self->k; k += step)
    for (gint64 column = 0; column < n; column += COLUMNS)
      routines->pack_nibbles (rhs + (first + column) * outer + k * along, self->rhs.leading, k_adjacent,
                              (gsize) MIN (n - column, COLUMNS), (gsize) MIN (step, self->k - k), state->flip,
                              (guint32 *) (gpointer) (to + (gsize) (column / COLUMNS) * state->panel_size)
                              + k / WORD * COLUMNS);
}

typedef struct
{
  const GhloCpuGemm *gemm;
  const guint8      *rhs;
  guint8            *packed;
} Packing;

static void
pack_tiles (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  const Packing *packing = data;
  const GhloCpuGemm *self = packing->gemm;
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);

  for (gint64 i = (gint64) begin; i < (gint64) end; i++)
    {
      const gint64 first = i * self->way.tile_columns;

      pack_tile (self, state, packing->rhs, first, MIN (self->way.tile_columns, self->n - first),
                 packing->packed + (gsize) (first / COLUMNS) * state->panel_size);
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
  Packing packing = { .gemm = self, .rhs = rhs, .packed = packed };

  return ghlo_parallel_for ((gsize) ghlo_ceil_div (self->n, self->way.tile_columns), 1,
                            PACK_TIME * (double) self->n * (double) self->k, pack_tiles, &packing, monitor);
}

/* Converts the rows of x, and splits them into digits. */
static void
read_rows (const GhloCpuGemm *self,
           const State       *state,
           const GhloCpuTile *tile)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  const gsize k = (gsize) state->padded_k;

  for (gsize row = 0; row < (gsize) self->m; row++)
    {
      float *x = (float *) (gpointer) tile->scratch + row * k;
      GhloCpuNibbleBlock *blocks = (gpointer) (tile->scratch + state->blocks_at);

      ghlo_cpu_read_axis (&state->x, tile->lhs + ghlo_cpu_axis_at (&self->lhs.outer, (gint64) row), &self->lhs.k, 0,
                          self->k, (guint8 *) x);
      memset (x + self->k, 0, (k - (gsize) self->k) * sizeof (float));
      tile->scratch[state->fits_at + row]
        = routines->split_digits (x, k, (gsize) state->block, state->first,
                                  (gint8 *) tile->scratch + state->digits_at + row * k * GHLO_CPU_NIBBLE_DIGITS,
                                  blocks + row * (gsize) state->n_blocks);
    }
}

/* Returns the scales or zero points of a tile, with a row of numbers for each group, @step apart. */
static const float *
read_numbers (const Numbers     *numbers,
              const State       *state,
              const GhloCpuTile *tile,
              const GhloView    *operands,
              gsize             *step)
{
  const guint8 *data = numbers->operand != GHLO_STEP_NONE ? operands[numbers->operand].data : NULL;
  const gint64 n = tile->n_columns, room = ghlo_round_up (n, COLUMNS);
  float *to = (gpointer) (tile->scratch + numbers->at);

  if (numbers->is_direct)
    {
      *step = (gsize) numbers->groups.stride / sizeof (float);
      return (const float *) (gconstpointer) data + tile->first_column;
    }
  *step = (gsize) room;
  if (data == NULL)
    {
      for (gint64 i = 0; i < room * state->n_groups; i++)
        to[i] = 1;
      return to;
    }
  if (n < room)
    memset (to, 0, (gsize) (room * state->n_groups) * sizeof (float));
  if (state->n_groups > 1 && ghlo_cpu_axis_is_uniform (&numbers->groups)
      && numbers->groups.stride == (gint64) numbers->reader.size)
    {
      const GhloCpuPlane plane = ghlo_cpu_read_plane (&numbers->reader, data, &numbers->columns, tile->first_column, n,
                                                      &numbers->groups, 0, state->n_groups, state->n_groups,
                                                      tile->scratch + state->raw_at);

      ghlo_cpu_routines ()->transpose[2] (plane.data, sizeof (float), plane.row, (guint8 *) to,
                                          room * (gint64) sizeof (float), sizeof (float), (gsize) state->n_groups,
                                          (gsize) n);
      return to;
    }
  for (gint64 group = 0; group < state->n_groups; group++)
    ghlo_cpu_read_axis (&numbers->reader, data + ghlo_cpu_axis_at (&numbers->groups, group), &numbers->columns,
                        tile->first_column, n, (guint8 *) (to + group * room));

  return to;
}

static gboolean
are_finite (const float *numbers)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < COLUMNS; i++)
    ok &= __builtin_fabsf (numbers[i]) <= G_MAXFLOAT;

  return ok;
}

/* Multiplies up to ROWS rows with a panel. */
static void
multiply_panel (const GhloCpuGemm *self,
                const State       *state,
                const GhloCpuTile *tile,
                GhloCpuNibbles    *p,
                gint64             first_row,
                gint64             first_column,
                gint64             n)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  const gsize k = (gsize) state->padded_k, first = (gsize) first_row, m = MIN ((gsize) self->m - first, ROWS);
  const float *x = (const float *) (gconstpointer) tile->scratch + first * k;

  p->m = m;
  p->y = (gpointer) (tile->scratch + state->y_at);
  p->digits = (gint8 *) tile->scratch + state->digits_at + first * p->digit_step;
  p->blocks = (const GhloCpuNibbleBlock *) (gconstpointer) (tile->scratch + state->blocks_at) + first * p->n_blocks;
  routines->multiply_nibbles (p);
  for (gsize row = 0; row < m; row++, p->y += COLUMNS)
    {
      if (!tile->scratch[state->fits_at + first + row] || !are_finite (p->y))
        routines->multiply_nibbles_each (p, x + row * k);
      ghlo_cpu_write_axis (&state->writer, (const guint8 *) p->y,
                           tile->result + ghlo_cpu_axis_at (&self->result.rows, first_row + (gint64) row),
                           &self->result.columns, first_column, n);
    }
}

static gboolean
compute (const GhloCpuGemm  *self,
         const GhloCpuTile  *tile,
         GError            **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  const GhloView *operands = tile->prologue_data;
  const guint8 *packed = tile->packed != NULL
                         ? tile->packed + (gsize) (tile->first_column / COLUMNS) * state->panel_size
                         : tile->scratch + state->packed_at;
  GhloCpuNibbles p = {
    .n_words = (gsize) state->padded_k / WORD, .block_words = (gsize) state->block / WORD,
    .group_blocks = (gsize) state->group_blocks, .first = state->first,
    .digit_step = (gsize) state->padded_k * GHLO_CPU_NIBBLE_DIGITS, .n_blocks = (gsize) state->n_blocks,
    .y_step = COLUMNS,
  };
  const float *scales = read_numbers (&state->scales, state, tile, operands, &p.scale_step);
  const float *zeros = state->zeros.operand != GHLO_STEP_NONE
                       ? read_numbers (&state->zeros, state, tile, operands, &p.zero_step) : NULL;

  read_rows (self, state, tile);
  if (tile->packed == NULL)
    pack_tile (self, state, tile->rhs, tile->first_column, tile->n_columns, tile->scratch + state->packed_at);
  for (gint64 column = 0; column < tile->n_columns; column += COLUMNS, packed += state->panel_size)
    {
      p.weights = (const guint32 *) (gconstpointer) packed;
      p.scales = scales + column;
      p.zeros = zeros != NULL ? zeros + column : NULL;
      for (gint64 row = 0; row < self->m; row += ROWS)
        multiply_panel (self, state, tile, &p, row, tile->first_column + column,
                        MIN (tile->n_columns - column, COLUMNS));
    }

  return TRUE;
}

const GhloCpuGemmAlgorithm ghlo_cpu_gemm_nibbles = { "nibbles", TRUE, take, compute, pack };
