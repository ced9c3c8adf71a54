/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of plain matrices by a library: oneDNN for f32, and OpenBLAS where it is faster than panels. OpenBLAS
 * calls are serialized (blas.h), so such a product keeps one core busy.
 */

#include <string.h>

#include "cpu/library/blas.h"
#include "cpu/gemm/gemm-private.h"
#include "cpu/library/onednn.h"

enum
{
  MAX_ROWS = 2048, MAX_COLUMNS = 1024, ROW_UNIT = 48, COLUMN_UNIT = 64,
  /* Where rows of rhs are a multiple of ALIASED_BYTES apart, they share a few cache sets, and calls with a larger k
   * run at 0.88 to 0.95 of the speed (measured on Zen 4). Tiles with more rows spend little on packing, and lose as
   * much by passing over the result again; tiles with fewer rows gain nothing. */
  ALIASED_BYTES = 4096, MAX_ALIASED_K = 384, MIN_ALIASED_ROWS = 48, MAX_ALIASED_ROWS = 384,
  /* With AVX2, oneDNN does not pack the operands of tiles of up to some 500 rows and columns. Where rows of one that
   * are read across k are a multiple of CONFLICT_BYTES apart, it runs at 0.4 to 0.8 of its speed (measured on
   * Zen 3), and a copy of COPIED_K of them costs much less than that. */
  FEW_ROWS_BYTES = 1 << 20,       /* of rhs: a smaller one stays in the L2 cache */
  CONFLICT_BYTES = 1024, COPIED_K = 384, COPIED_WIDTH = 288, MIN_COPY_USES = 8, COPY_PADDING = 16,
};

/* Multiplications of one product, and operations of all batches, above which a product is worth more than one
 * core. */
#define MIN_PRODUCTS   (96.0 * 96.0 * 96.0)
#define MIN_OPERATIONS 6e6

/* Operations of a product below which a call is compared with panels, and its approximate nanoseconds beside them and
 * packing. */
#define FEW_OPERATIONS 2e5
#define CALL_TIME      2e3

/* Approximate upper bound of the seconds of one library call, which cannot be interrupted. */
#define MAX_CALL 20e-3

typedef struct
{
  const GhloCpuBlas *blas;            /* NULL: oneDNN */
  GhloCpuBlasKind    kind;
  gint64             most_k;          /* largest k of one call */
  gint64             lhs_copy, rhs_copy;     /* leading dimensions of the copies in scratch; 0 for none */
} State;

static void
state_free (gpointer data)
{
  g_free (data);
}

static GhloCpuBlasKind
find_kind (const GhloCpuGemm *self)
{
  if (self->is_complex)
    return self->arithmetic == GHLO_CPU_F32 ? GHLO_CPU_BLAS_C : GHLO_CPU_BLAS_Z;

  return self->arithmetic == GHLO_CPU_F32 ? GHLO_CPU_BLAS_S : GHLO_CPU_BLAS_D;
}

/* Panels of f64 and complex numbers run at 0.8 to 1.3 times the speed of OpenBLAS, both on one core and on all cores.
 * OpenBLAS gets small matrices of f64, which it does not pack, as far as its kernels are of the processor's level; and
 * processors that it has kernels for and we do not (AVX without FMA). The choice does not depend on the number of
 * threads, since sums must not either. */
static gboolean
prefers_panels (const GhloCpuGemm *self,
                const GhloCpuBlas *blas)
{
  return ghlo_cpu_level () > GHLO_CPU_LEVEL_BASELINE
         && (!blas->is_of_level || self->is_complex
             || ghlo_cpu_gemm_operations (self) * (double) self->n_batches >= MIN_OPERATIONS
             || (double) self->m * (double) self->n * (double) self->k >= MIN_PRODUCTS);
}

/* With few rows, reading rhs dominates. Packed ahead by panels, it is one stream of adjacent rows, while sgemm reads it
 * across pages (0.6 to 0.9 of the speed), and worse where k is adjacent. With many rows the cost of sgemm's own packing
 * is negligible. */
static gboolean
has_few_rows (const GhloCpuGemm *self)
{
  const double bytes = (double) self->n * (double) self->k * self->rhs.size;

  return ghlo_cpu_gemm_keeps_rhs (self) && ghlo_cpu_level () > GHLO_CPU_LEVEL_BASELINE && bytes >= FEW_ROWS_BYTES
         && self->m >= (self->rhs.k_adjacent ? 4 : 2)
         && self->m <= (self->arithmetic == GHLO_CPU_F32 && !self->is_complex && !self->rhs.k_adjacent ? 32 : 64);
}

/* The largest k of one call; if k has to be cut, into equal parts. */
static gint64
find_most_k (const GhloCpuGemm *self,
             const GhloCpuWay  *way,
             const State       *state)
{
  double operations = ghlo_cpu_gemm_operations (self) / (double) (self->m * self->n * self->k)
                      * (double) (way->tile_rows * way->tile_columns);
  gint64 most = (gint64) MAX (MAX_CALL * ghlo_cpu_gemm_rate (self) / operations, 256);

  if (state->lhs_copy > 0 || state->rhs_copy > 0)
    most = MIN (most, COPIED_K);
  else if (state->blas == NULL && !self->rhs.k_adjacent && self->rhs.leading * self->rhs.size % ALIASED_BYTES == 0
           && way->tile_rows >= MIN_ALIASED_ROWS && way->tile_rows <= MAX_ALIASED_ROWS)
    most = MIN (most, MAX_ALIASED_K);

  return ghlo_ceil_div (self->k, ghlo_ceil_div (self->k, most));
}

static gboolean
has_conflicts (const GhloCpuOperand *operand)
{
  return ghlo_cpu_level () == GHLO_CPU_LEVEL_AVX2 && !operand->k_adjacent
         && operand->leading * operand->size % CONFLICT_BYTES == 0;
}

/* A leading dimension for a copy of @width numbers a row, whose rows do not conflict. */
static gint64
find_copy_leading (gint64 width,
                   guint  size)
{
  gint64 leading = ghlo_round_up (width, COPY_PADDING) + COPY_PADDING;

  return leading * size % CONFLICT_BYTES == 0 ? leading + COPY_PADDING : leading;
}

/* Cuts the result into tiles. Where operands are to be copied, their copies stay in the L2 cache. */
static void
cut (const GhloCpuGemm *self,
     GhloCpuWay        *way,
     State             *state)
{
  gboolean copies_lhs = state->blas == NULL && has_conflicts (&self->lhs) && self->n >= MIN_COPY_USES;
  gboolean copies_rhs = state->blas == NULL && has_conflicts (&self->rhs) && self->m >= MIN_COPY_USES;
  gint64 most_rows = MAX (MAX_ROWS, ghlo_round_up ((gint64) MAX_ROWS * MAX_COLUMNS / self->n, 4));
  gint64 most_columns = MAX (MAX_COLUMNS, ghlo_round_up ((gint64) MAX_ROWS * MAX_COLUMNS / self->m, 4));

  if (copies_lhs || copies_rhs)
    {
      most_rows = copies_lhs ? COPIED_WIDTH : MAX_ROWS;
      most_columns = copies_rhs ? COPIED_WIDTH : MAX_COLUMNS;
    }
  ghlo_cpu_gemm_cut (self, way, ROW_UNIT, COLUMN_UNIT, most_rows, most_columns, G_MAXDOUBLE);
  if (copies_lhs)
    state->lhs_copy = find_copy_leading (way->tile_rows, self->lhs.size);
  if (copies_rhs)
    state->rhs_copy = find_copy_leading (way->tile_columns, self->rhs.size);
  way->scratch_size = (gsize) ((state->lhs_copy + state->rhs_copy) * MIN (self->k, COPIED_K)) * self->lhs.size;
}

/* Both libraries count in int. */
static gboolean
has_fitting_numbers (const GhloCpuGemm *self)
{
  const gint64 numbers[] = {
    self->m, self->n, self->k, self->lhs.leading, self->rhs.leading, self->result.leading,
  };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (!ghlo_cpu_onednn_fits (numbers[i]) || !ghlo_cpu_blas_fits (numbers[i]))
      return FALSE;

  return TRUE;
}

static gboolean
take (const GhloCpuGemm *self,
      GhloCpuWay        *way)
{
  GhloElementType types[] = {
    GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F64, GHLO_ELEMENT_TYPE_COMPLEX_F32, GHLO_ELEMENT_TYPE_COMPLEX_F64,
  };
  GhloCpuBlasKind kind = find_kind (self);
  const GhloCpuBlas *blas = NULL;
  State *state;

  if (has_few_rows (self))
    return FALSE;
  if (self->lhs.type != types[kind] || self->rhs.type != types[kind] || self->result.type != types[kind]
      || !self->lhs.is_plain || !self->rhs.is_plain || !self->result.is_plain)
    return FALSE;
  if (!has_fitting_numbers (self))
    return FALSE;
  if (kind != GHLO_CPU_BLAS_S || !ghlo_cpu_onednn_has_sgemm ())
    {
      blas = ghlo_cpu_blas ();
      if (blas == NULL || (kind != GHLO_CPU_BLAS_S && prefers_panels (self, blas)))
        return FALSE;
    }

  state = g_new0 (State, 1);
  ghlo_cpu_way_set_state (way, state, state_free);
  state->blas = blas;
  state->kind = kind;
  cut (self, way, state);
  state->most_k = find_most_k (self, way, state);
  if (blas == NULL && ghlo_cpu_gemm_operations (self) < FEW_OPERATIONS)
    {
      way->packs_each = TRUE;
      way->nanoseconds += (double) self->n_batches
                          * (CALL_TIME + GHLO_CPU_PACK_TIME * (double) self->n * (double) self->k * self->rhs.size);
    }
  if (blas != NULL)
    way->description = g_strdup_printf ("openblas %cgemm, %s", "sdcz"[kind], blas->core);
  else
    way->description = g_strdup_printf ("onednn sgemm, %s", ghlo_cpu_level_name (ghlo_cpu_level ()));

  return TRUE;
}

/* OpenBLAS is column-major: computes the transposed product with swapped operands. */
static void
call_blas (const GhloCpuGemm *self,
           const State       *state,
           const GhloCpuTile *tile,
           gint64             n_k,
           const guint8      *lhs,
           const guint8      *rhs,
           guint8            *result,
           gboolean           accumulate)
{
  static const double double_one[2] = { 1, 0 }, double_zero[2] = { 0, 0 };
  static const float float_one[2] = { 1, 0 }, float_zero[2] = { 0, 0 };
  gboolean is_float = self->arithmetic == GHLO_CPU_F32;
  gconstpointer one = is_float ? (gconstpointer) float_one : double_one;
  gconstpointer zero = is_float ? (gconstpointer) float_zero : double_zero;
  int m = ghlo_cpu_blas_int (tile->n_columns), n = ghlo_cpu_blas_int (tile->n_rows), k = ghlo_cpu_blas_int (n_k);
  int lhs_leading = ghlo_cpu_blas_int (self->lhs.leading), rhs_leading = ghlo_cpu_blas_int (self->rhs.leading);
  int result_leading = ghlo_cpu_blas_int (self->result.leading);

  ghlo_cpu_blas_begin ();
  state->blas->gemm[state->kind] (self->rhs.k_adjacent ? "T" : "N", self->lhs.k_adjacent ? "N" : "T", &m, &n, &k,
                                  one, rhs, &rhs_leading, lhs, &lhs_leading, accumulate ? one : zero,
                                  result, &result_leading, 1, 1);
  ghlo_cpu_blas_end ();
}

/* Copies @n_k rows of @width numbers, unless @copy_leading is 0. Returns the rows to use. */
static const guint8 *
copy_rows (const guint8 *from,
           gint64        leading,
           gint64        copy_leading,
           gint64        n_k,
           gint64        width,
           guint8       *to)
{
  if (copy_leading == 0)
    return from;

  for (gint64 i = 0; i < n_k; i++)
    memcpy (to + i * copy_leading * (gint64) sizeof (float), from + i * leading * (gint64) sizeof (float),
            (gsize) width * sizeof (float));

  return to;
}

static gboolean
call_onednn (const GhloCpuGemm  *self,
             const GhloCpuTile  *tile,
             gint64              n_k,
             const guint8       *lhs,
             const guint8       *rhs,
             guint8             *result,
             gboolean            accumulate,
             GError            **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  guint8 *rhs_copy = tile->scratch + state->lhs_copy * n_k * (gint64) sizeof (float);
  const guint8 *a = copy_rows (lhs, self->lhs.leading, state->lhs_copy, n_k, tile->n_rows, tile->scratch);
  const guint8 *b = copy_rows (rhs, self->rhs.leading, state->rhs_copy, n_k, tile->n_columns, rhs_copy);

  return ghlo_cpu_onednn_sgemm (!self->lhs.k_adjacent, self->rhs.k_adjacent, tile->n_rows, tile->n_columns, n_k,
                                (gconstpointer) a, state->lhs_copy > 0 ? state->lhs_copy : self->lhs.leading,
                                (gconstpointer) b, state->rhs_copy > 0 ? state->rhs_copy : self->rhs.leading,
                                accumulate, (gpointer) result, self->result.leading, error);
}

static gboolean
compute (const GhloCpuGemm  *self,
         const GhloCpuTile  *tile,
         GError            **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  const guint8 *lhs = tile->lhs + ghlo_cpu_axis_at (&self->lhs.outer, tile->first_row);
  const guint8 *rhs = tile->rhs + ghlo_cpu_axis_at (&self->rhs.outer, tile->first_column);
  guint8 *result = tile->result + ghlo_cpu_axis_at (&self->result.rows, tile->first_row)
                   + ghlo_cpu_axis_at (&self->result.columns, tile->first_column);

  for (gint64 k = 0; k < self->k; k += state->most_k)
    {
      const guint8 *a = lhs + ghlo_cpu_axis_at (&self->lhs.k, k), *b = rhs + ghlo_cpu_axis_at (&self->rhs.k, k);
      gint64 n_k = MIN (state->most_k, self->k - k);
      gboolean accumulate = self->accumulate || k > 0;

      if (k > 0 && ghlo_cpu_gemm_stopped (tile->monitor))
        return FALSE;
      if (state->blas != NULL)
        call_blas (self, state, tile, n_k, a, b, result, accumulate);
      else if (!call_onednn (self, tile, n_k, a, b, result, accumulate, error))
        return FALSE;
    }

  return TRUE;
}

const GhloCpuGemmAlgorithm ghlo_cpu_gemm_library = { "library", FALSE, take, compute };
