/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A convolution as a matrix product: rows are positions of the result, and k is taps and features. Rows of the
 * operand overlap in memory as windows do, so that nothing is copied except for the product's packing. Where the
 * input is padded or dilated, a copy with the zeros filled in is made first.
 */

#include "cpu/convolution/convolution-private.h"
#include "cpu/move/copy.h"

/* The largest padded copy of the input: MOST_COPIES times the input and the result, or SMALL_COPY bytes. A larger one
 * is zeros almost everywhere. */
#define MOST_COPIES 256.0
#define SMALL_COPY  (256.0 * 1024.0 * 1024.0)
/* Approximate nanoseconds for an element of a window, beside those of packing a matrix: one of RUN bytes of features
 * that are adjacent, and another. */
#define ADJACENT_TIME 0.7
#define GATHER_TIME   1.5
#define RUN           64
/* Those of a call, and of a weight that is packed in each run. */
#define CALL_TIME     3e3
#define WEIGHT_TIME   0.8

typedef struct
{
  GhloCpuGemm    *gemm;
  gint64          lhs_first;          /* offset of the first window in bytes */
  /* The padded copy of the input, where there is one: */
  gboolean        copies;
  gsize           copy_size;
  GhloCpuCopy     copy;
  gint64          from, to;           /* offsets of the first element to copy */
} State;

static void
state_free (gpointer data)
{
  State *self = data;

  ghlo_cpu_gemm_free (self->gemm);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (State, state_free)

/* The range of input positions that windows reach: its first position and its size. */
static gint64
find_reach (const GhloCpuSpatial *s,
            gint64               *first)
{
  *first = -s->low;

  return MAX ((s->output - 1) * s->step + (s->kernel - 1) * s->kernel_dilation + 1, 0);
}

/* Orders the input's dimensions (batch, features, then spatial ones) by their strides, so that the copy has the
 * input's layout. */
static void
order_dimensions (const gint64 *strides,
                  guint         rank,
                  guint        *order)
{
  for (guint i = 0; i < rank; i++)
    {
      guint at = i;

      for (; at > 0 && ABS (strides[order[at - 1]]) < ABS (strides[i]); at--)
        order[at] = order[at - 1];
      order[at] = i;
    }
}

static double
find_most_bytes (const GhloCpuWindows *w)
{
  double input = (double) w->batch * (double) w->features * ghlo_element_info (w->lhs_type)->size;
  double result = (double) w->output_batch * (double) w->output_features * ghlo_element_info (w->result_type)->size;

  for (guint i = 0; i < w->n_spatial; i++)
    {
      input *= (double) w->spatial[i].input;
      result *= (double) w->spatial[i].output;
    }

  return MAX (MOST_COPIES * (input + result), SMALL_COPY);
}

/* Sets up the copy, and replaces the input's strides by those of the copy. */
static gboolean
plan_copy (State          *state,
           GhloCpuWindows *windows)
{
  guint rank = windows->n_spatial + 2, order[GHLO_MAX_RANK];
  gint64 sizes[GHLO_MAX_RANK], from[GHLO_MAX_RANK], to[GHLO_MAX_RANK], room[GHLO_MAX_RANK], dense[GHLO_MAX_RANK];
  gsize size = ghlo_element_info (windows->lhs_type)->size;
  double most = MIN (find_most_bytes (windows), (double) GHLO_MAX_TENSOR_BYTES);

  sizes[0] = room[0] = windows->batch;
  sizes[1] = room[1] = windows->features;
  from[0] = windows->lhs_batch;
  from[1] = windows->lhs_feature;
  for (guint i = 0; i < windows->n_spatial; i++)
    {
      const GhloCpuSpatial *s = &windows->spatial[i];
      gint64 first;

      room[2 + i] = find_reach (s, &first);
      from[2 + i] = s->lhs;
    }
  order_dimensions (from, rank, order);
  for (guint i = rank; i > 0; i--)
    {
      dense[order[i - 1]] = (gint64) size;
      if (room[order[i - 1]] < 0 || !ghlo_size_mul (&size, size, (gsize) room[order[i - 1]])
          || (double) size > most)
        return FALSE;
    }

  state->copies = TRUE;
  state->copy_size = ghlo_size_align (size);
  to[0] = windows->lhs_batch = dense[0];
  to[1] = windows->lhs_feature = dense[1];
  for (guint i = 0; i < windows->n_spatial; i++)
    {
      GhloCpuSpatial *s = &windows->spatial[i];
      gint64 first, reach = find_reach (s, &first);
      /* The range of the dilated input's positions that lies in [first, first + reach). */
      gint64 begin = MAX (first, 0), end = MIN ((s->input - 1) * s->input_dilation + 1, first + reach);
      gint64 from_begin = ghlo_ceil_div (begin, s->input_dilation);
      gint64 from_end = end > 0 ? ghlo_ceil_div (end, s->input_dilation) : 0;

      /* Where fewer than two elements are copied, their distance may exceed the copy. */
      sizes[2 + i] = MAX (from_end - from_begin, 0);
      to[2 + i] = dense[2 + i] * (sizes[2 + i] > 1 ? s->input_dilation : 1);
      if (sizes[2 + i] > 0)
        {
          state->from += from_begin * s->lhs;
          state->to += (from_begin * s->input_dilation - first) * dense[2 + i];
        }
      s->lhs = dense[2 + i];
      s->low = 0;
      s->input = reach;
      s->input_dilation = 1;
    }

  return ghlo_cpu_copy_init (&state->copy, rank, sizes, windows->lhs_type, from, windows->lhs_type, to);
}

static void
make_problem (const GhloCpuWindows *w,
              GhloCpuGemmProblem   *p)
{
  gint64 groups = MAX (w->feature_groups, w->batch_groups);
  gint64 features = w->output_features / groups;

  p->lhs_type = w->lhs_type;
  p->rhs_type = w->rhs_type;
  p->result_type = w->result_type;
  p->rhs_is_persistent = w->rhs_is_persistent && w->rhs_first == 0;
  p->batch[p->n_batch++] = (GhloCpuGemmDimension) {
    .size = groups,
    .lhs = w->batch_groups > 1 ? w->output_batch * w->lhs_batch : w->group_features * w->lhs_feature,
    .rhs = features * w->rhs_output, .result = features * w->result_feature,
  };
  p->columns[p->n_columns++] = (GhloCpuGemmDimension) {
    .size = features, .rhs = w->rhs_output, .result = w->result_feature,
  };
  p->rows[p->n_rows++] = (GhloCpuGemmDimension) {
    .size = w->output_batch, .lhs = w->lhs_batch, .result = w->result_batch,
  };
  for (guint i = 0; i < w->n_spatial; i++)
    {
      const GhloCpuSpatial *s = &w->spatial[i];

      p->rows[p->n_rows++] = (GhloCpuGemmDimension) { .size = s->output, .lhs = s->step * s->lhs, .result = s->result };
      p->contracted[p->n_contracted++] = (GhloCpuGemmDimension) {
        .size = s->kernel, .lhs = s->kernel_dilation * s->lhs, .rhs = s->rhs,
      };
    }
  p->contracted[p->n_contracted++] = (GhloCpuGemmDimension) {
    .size = w->group_features, .lhs = w->lhs_feature, .rhs = w->rhs_input,
  };
}

/* The time of the padded copy and the weights, and of what packing takes longer where windows overlap. */
static double
find_gather_time (const State          *state,
                  const GhloCpuWindows *w)
{
  const gint64 size = ghlo_element_info (w->lhs_type)->size;
  const gboolean is_adjacent = w->lhs_feature == size && w->group_features * size >= RUN;
  const double weights = w->rhs_is_persistent ? 0 : (double) w->output_features * (double) w->group_features;
  double taps = 1, n = (double) w->batch * (double) w->features;

  for (guint i = 0; i < w->n_spatial; i++)
    {
      taps *= (double) w->spatial[i].kernel;
      n *= (double) w->spatial[i].output;
    }
  if (taps > 1)
    n *= taps * (is_adjacent ? ADJACENT_TIME : GATHER_TIME);
  else
    n = 0;

  return (state->copies ? state->copy.nanoseconds : 0) + n + weights * taps * WEIGHT_TIME;
}

static gboolean
take (const GhloCpuConvolution  *self,
      double                     most,
      GhloCpuWay                *way,
      GError                   **error)
{
  g_autofree GhloCpuGemmProblem *problem = g_new0 (GhloCpuGemmProblem, 1);
  g_autoptr (State) state = g_new0 (State, 1);
  GhloCpuWindows windows = self->windows;

  if (ghlo_cpu_windows_are_padded (&windows))
    {
      if (!plan_copy (state, &windows))
        return FALSE;
    }
  else
    for (guint i = 0; i < windows.n_spatial; i++)
      state->lhs_first -= windows.spatial[i].low * windows.spatial[i].lhs;

  make_problem (&windows, problem);
  problem->epilogue = self->epilogue;
  state->gemm = ghlo_cpu_gemm_choose (problem, error);
  if (state->gemm == NULL)
    return FALSE;
  way->nanoseconds = ghlo_cpu_gemm_nanoseconds (state->gemm) + find_gather_time (state, &windows);
  if (way->nanoseconds + CALL_TIME >= most)
    return FALSE;
  if (self->compiles)
    {
      g_clear_pointer (&state->gemm, ghlo_cpu_gemm_free);
      state->gemm = ghlo_cpu_gemm_prepare (problem, error);
      if (state->gemm == NULL)
        return FALSE;
    }
  way->scratch_size = state->copy_size + ghlo_cpu_gemm_scratch_size (state->gemm);
  if (ghlo_cpu_gemm_packs_rhs (state->gemm))
    {
      GBytes *packing = ghlo_cpu_gemm_get_packing (state->gemm, &way->packed_size);

      way->packing = packing != NULL ? g_bytes_ref (packing) : NULL;
    }
  way->description = g_strdup_printf ("windows by %s%s", ghlo_cpu_gemm_describe (state->gemm),
                                      state->copies ? ", of a padded copy" : "");
  ghlo_cpu_way_set_state (way, g_steal_pointer (&state), state_free);

  return TRUE;
}

static gboolean
pack (const GhloCpuConvolution  *self,
      const guint8              *rhs,
      gpointer                   packed,
      guint8                    *scratch,
      const GhloMonitor         *monitor,
      GError                   **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);

  return ghlo_cpu_gemm_pack (state->gemm, rhs, packed, scratch + state->copy_size, monitor, error);
}

static gboolean
compute (const GhloCpuConvolution    *self,
         const GhloCpuConvolutionRun *run,
         GError                     **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  const guint8 *lhs = run->lhs + state->lhs_first;
  /* A kernel that was packed need not be given. */
  const guint8 *rhs = run->rhs != NULL ? run->rhs + self->windows.rhs_first : NULL;

  if (state->copies)
    {
      if (!ghlo_cpu_windows_clear (run->scratch, state->copy_size, run->monitor)
          || !ghlo_cpu_copy_run (&state->copy, run->lhs + state->from, run->scratch + state->to, run->monitor))
        return FALSE;
      lhs = run->scratch;
    }

  return ghlo_cpu_gemm_run (state->gemm, lhs, rhs, run->packed, run->result, run->scratch + state->copy_size, NULL,
                            run->epilogue_data, run->monitor, error);
}

const GhloCpuConvolutionAlgorithm ghlo_cpu_convolution_panels = { FALSE, take, compute, pack };
