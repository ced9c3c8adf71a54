/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Convolutions of groups with few features each, or to few features, for which a matrix product is too small; and
 * those whose windows take longer to gather for a product, or to copy for a library, than their sums take here. The
 * lanes of registers hold either groups, for one feature of each at one position, or positions of one feature. Windows
 * read a copy of the input with its zeros filled in. Where lanes are positions, rows of the copy may follow each other
 * in a register: the sums at the few positions where a window would cross two rows are not used. An input that windows
 * step over is cut into phases then, so that adjacent windows read adjacent numbers. Bytes are multiplied in pairs of
 * taps: a number of the copy has the element of another tap in its upper half, which is equally far in the copy for all
 * pairs.
 */

#include "cpu/convolution/lanes-private.h"
#include "runtime/parallel.h"

#include <string.h>

/* FEW_FEATURES: features of a group, of the input or of the result, up to which libraries are slower; with one group,
 * of the result. SOME_FEATURES: of the result, from which on a few of the input are enough for them. */
enum { FEW_FEATURES = 3, SOME_FEATURES = 8 };

/* Positions whose groups are a multiple of SET_BYTES apart in the copy would share a few sets of the L1 cache; there
 * is a gap of GAP_BYTES between them. */
enum { SET_BYTES = 512, GAP_BYTES = 64 };

/* The most features of blocks that are written together: those of a cache line. */
enum { JOINED = 16, MIN_SQUARE = 16 };

/* MAX_PHASES, MAX_TAPS: most of them. MAX_FLOAT_TAPS: of floats, which are summed one after the other, so that rounding
 * adds up; panels sum in parts. BLOCK_BYTES: of the copy of some groups that a thread makes for itself, so that it
 * stays in its caches. MIN_TASKS: blocks that are worth that; threads share the copy of fewer. ROW: weights that are
 * paired at a time. */
enum
{
  MAX_PHASES = 16, MAX_TAPS = 1 << 16, MAX_FLOAT_TAPS = 1 << 13, BLOCK_BYTES = 1 << 16, MIN_TASKS = 4, ROW = 64,
  CHUNK = GHLO_CPU_LANES_CHUNK, MIN_POSITIONS = GHLO_CPU_LANES_MIN_POSITIONS,
};

/* Approximate nanoseconds to add the products of a register of positions, and of one of groups, whose loads are not
 * shared, for a chunk of sums, and to copy a row of numbers, a number that is adjacent to the one before, and one that
 * is not. */
#define PRODUCT_TIME  0.3
#define GROUPS_TIME   0.5
#define CHUNK_TIME    60.0
#define ROW_TIME      4.0
#define ADJACENT_TIME GHLO_CPU_LANES_ADJACENT_TIME
#define APART_TIME    0.8
/* The same for a number that is transposed with others of MIN_SQUARE bytes, for each of its bytes, and for the copy. */
#define SQUARES_TIME  0.1
#define SQUARES_BYTE  0.05
#define COPY_TIME     2e3
/* The same to pack a weight. */
#define WEIGHT_TIME   0.5
/* The same to convert a number. */
#define CONVERT_TIME  0.15
/* The same for a number that is not adjacent to the one before: read or written in transposes, and written alone. */
#define TRANSPOSE_TIME 0.5
#define SCATTER_TIME   1.5

typedef GhloCpuLanesDimension Dimension;
typedef GhloCpuLanesPlan Plan;
typedef GhloCpuLanesPhase Phase;
typedef GhloCpuLanes State;

void
ghlo_cpu_lanes_free (gpointer data)
{
  State *self = data;

  g_free (self->phases);
  g_free (self->offsets);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (State, ghlo_cpu_lanes_free)

static void
find_pack (State                *self,
           const GhloCpuWindows *w)
{
  GhloCpuReader lhs, rhs;

  if (self->arithmetic == GHLO_CPU_I32 && ghlo_element_info (w->lhs_type)->size == 1
      && ghlo_cpu_reader_init (&lhs, w->lhs_type, GHLO_CPU_I16)
      && ghlo_cpu_reader_init (&rhs, w->rhs_type, GHLO_CPU_I16))
    self->pack = ghlo_cpu_find_pack (lhs.convert == ghlo_cpu_routines ()->convert[GHLO_CPU_U8_TO_I16]
                                     ? GHLO_CPU_PACK_U8 : GHLO_CPU_PACK_I8);
}

static gboolean
find_types (State                *self,
            const GhloCpuWindows *w)
{
  if (ghlo_element_type_is_float (w->result_type))
    self->arithmetic = w->result_type == GHLO_ELEMENT_TYPE_F64 ? GHLO_CPU_F64 : GHLO_CPU_F32;
  else if (ghlo_element_type_is_integer (w->result_type) && w->result_type != GHLO_ELEMENT_TYPE_I1)
    self->arithmetic = GHLO_CPU_I32;
  else
    return FALSE;

  find_pack (self, w);

  return ghlo_cpu_reader_init (&self->lhs, w->lhs_type, self->arithmetic)
         && ghlo_cpu_reader_init (&self->rhs, w->rhs_type, self->arithmetic)
         && ghlo_cpu_writer_init (&self->writer, w->result_type, self->arithmetic);
}

/* Fills in the dimensions of the result's positions, those of one position aside, and the number of taps. The longest
 * one is last where lanes are groups, else the one whose elements are closest in the input. */
static gboolean
find_dimensions (Plan                 *plan,
                 const GhloCpuWindows *w)
{
  const GhloCpuSpatial images = {
    .input = w->output_batch, .kernel = 1, .output = w->output_batch, .step = 1, .input_dilation = 1,
    .kernel_dilation = 1, .lhs = w->lhs_batch, .result = w->result_batch,
  };
  guint last = 0;

  plan->dimensions[plan->rank++] = (Dimension) { .window = images, .number = w->n_spatial };
  plan->n_taps = (gsize) w->group_features;
  for (guint i = 0; i < w->n_spatial; i++)
    {
      const GhloCpuSpatial *s = &w->spatial[i];

      if (s->input < 1 || s->kernel < 1 || s->output < 1 || (s->step > 1 && s->input_dilation > 1)
          || !ghlo_size_mul (&plan->n_taps, plan->n_taps, (gsize) s->kernel) || plan->n_taps > MAX_TAPS)
        return FALSE;
      if (s->kernel > 1 || s->output > 1 || s->input > 1 || s->low != 0)
        plan->dimensions[plan->rank++] = (Dimension) { .window = *s, .number = i };
    }
  for (guint i = 1; i < plan->rank; i++)
    {
      const GhloCpuSpatial *s = &plan->dimensions[i].window, *most = &plan->dimensions[last].window;

      if (plan->by_groups ? s->output > most->output
                            : s->output > 1 && (most->output == 1 || ABS (s->lhs) < ABS (most->lhs)))
        last = i;
    }
  if (last != plan->rank - 1)
    {
      Dimension moved = plan->dimensions[last];

      memmove (&plan->dimensions[last], &plan->dimensions[last + 1], (plan->rank - 1 - last) * sizeof (Dimension));
      plan->dimensions[plan->rank - 1] = moved;
    }

  return TRUE;
}

/* Pairs the taps, or features of a group, of the dimension that leaves the fewest. */
static void
find_pairs (Plan                 *plan,
            const GhloCpuWindows *w)
{
  const gsize n_taps = plan->n_taps;

  for (guint i = 0; i <= plan->rank; i++)
    {
      const GhloCpuSpatial *s = i < plan->rank ? &plan->dimensions[i].window : NULL;
      const gint64 size = s != NULL ? s->kernel : w->group_features, dilation = s != NULL ? s->kernel_dilation : 1;
      const gint64 phases = i < plan->rank ? plan->dimensions[i].phases : 1;
      gint64 step = 1, n_pairs;

      /* Both taps are in the same phase. */
      while (size > 1 && step * dilation % phases != 0)
        step++;
      n_pairs = size / (2 * step) * step + MAX (size % (2 * step) - step, 0);
      if (n_taps / (gsize) size * (gsize) (size - n_pairs) >= plan->n_taps)
        continue;
      plan->n_taps = n_taps / (gsize) size * (gsize) (size - n_pairs);
      plan->pair_dimension = s != NULL ? plan->dimensions[i].number : w->n_spatial;
      plan->pair_step = step;
      plan->pair = s != NULL ? step * dilation / phases * plan->dimensions[i].stride : plan->plane;
    }
}

/* Lays out the copy from the innermost dimension outwards: rows of positions, or of groups. */
static gboolean
plan_copy (Plan                 *plan,
           const State          *state,
           const GhloCpuWindows *w)
{
  gsize n = plan->by_groups ? (gsize) ghlo_round_up (state->groups, state->lanes) : 1;

  plan->row = plan->plane = (gint64) n;
  if (plan->by_groups && (!ghlo_size_mul (&n, n, (gsize) w->group_features) || n > GHLO_MAX_TENSOR_BYTES))
    return FALSE;
  if (plan->by_groups && n * state->lhs.to_size % SET_BYTES == 0)
    n += GAP_BYTES / state->lhs.to_size;
  plan->n_phases = 1;
  for (guint i = plan->rank; i > 0; i--)
    {
      Dimension *d = &plan->dimensions[i - 1];
      const GhloCpuSpatial *s = &d->window;
      gint64 reach = (s->kernel - 1) * s->kernel_dilation;

      d->phases = plan->by_groups || s->kernel == 1 ? 1 : s->step;
      d->room = plan->by_groups ? (s->output - 1) * s->step + reach + 1 : s->output + reach / s->step;
      d->stride = (gint64) n;
      plan->n_phases *= d->phases;
      if (plan->n_phases > MAX_PHASES || !ghlo_size_mul (&n, n, (gsize) d->room))
        return FALSE;
    }
  if (!plan->by_groups)
    {
      plan->row = plan->dimensions[plan->rank - 1].room;
      if (!ghlo_size_mul (&n, n, (gsize) plan->n_phases))
        return FALSE;
      plan->plane = (gint64) n;
      if (!ghlo_size_mul (&n, n, (gsize) (state->groups * w->group_features)))
        return FALSE;
    }
  plan->n_numbers = n;
  if (state->pack != NULL)
    find_pairs (plan, w);

  return TRUE;
}

static double
find_row_time (gint64   n,
               gboolean adjacent,
               double   apart)
{
  return ROW_TIME + (double) n * (adjacent ? ADJACENT_TIME : apart);
}

/* Products of each sum, those of pairs counted one by one: products of matrices have pairs as well. */
static double
count_products (const Plan *plan)
{
  return (double) plan->n_taps * (plan->pair > 0 ? 2 : 1);
}

/* The time of all sums where chunks are at one position of @outer dimensions. */
static double
plan_chunks (Plan                 *plan,
             const State          *state,
             guint                 outer)
{
  const Dimension *last = &plan->dimensions[plan->rank - 1];
  double registers;
  gsize n = 1;

  plan->outer = outer;
  plan->inner = plan->by_groups ? last->window.output : 1;
  for (guint i = outer; i < plan->rank && !plan->by_groups; i++)
    plan->inner += (plan->dimensions[i].window.output - 1) * plan->dimensions[i].stride;
  plan->chunk = plan->by_groups ? MAX (CHUNK / (plan->row * plan->n_outputs), MIN_POSITIONS)
                                : CHUNK / (plan->n_outputs * plan->n_joined);
  if (!plan->by_groups && plan->row < plan->chunk)
    plan->chunk -= plan->chunk % plan->row;
  plan->chunk = MIN (plan->chunk, plan->inner);
  plan->n_pieces = ghlo_ceil_div (plan->inner, plan->chunk);
  for (guint i = 0; i < outer; i++)
    n *= (gsize) plan->dimensions[i].window.output;
  registers = (double) plan->n_outputs * (plan->by_groups ? (double) plan->inner * (double) (plan->row / state->lanes)
                                          : (double) ghlo_ceil_div (plan->inner, state->lanes));
  plan->n_chunks = n * (gsize) plan->n_pieces;

  return (double) plan->n_blocks * ((double) plan->n_chunks * CHUNK_TIME
                                    + (double) n * registers * count_products (plan)
                                      * (plan->by_groups ? GROUPS_TIME : PRODUCT_TIME));
}

/* Cuts the sums, and estimates the time of everything. */
static void
plan_sums (Plan                 *plan,
           const State          *state,
           const GhloCpuWindows *w)
{
  const GhloCpuSpatial *last = &plan->dimensions[plan->rank - 1].window;
  const gint64 lhs_size = (gint64) state->lhs.size, size = (gint64) state->writer.size;
  double rows = 1, copied = (double) plan->n_numbers / (double) plan->row, best = 0;
  guint outer = plan->rank - 1;

  for (guint i = 0; i + 1 < plan->rank; i++)
    rows *= (double) plan->dimensions[i].window.output;
  plan->n_outputs = plan->by_groups || state->features <= 2 ? state->features : GHLO_CPU_WINDOW_OUTPUTS;
  plan->n_blocks = plan->by_groups ? 1 : state->groups * ghlo_ceil_div (state->features, plan->n_outputs);
  plan->n_joined = w->result_feature == size && state->features % plan->n_outputs == 0 && state->n_group_blocks == 1
                   ? CLAMP (JOINED / plan->n_outputs, 1, plan->n_blocks) : 1;
  if (plan->by_groups)
    rows = rows * (double) last->output
           * find_row_time (w->output_features, w->result_feature == size && state->features == 1,
                            MIN (last->result, w->result_feature) == size ? TRANSPOSE_TIME : SCATTER_TIME);
  else
    rows = rows * (double) w->output_features
           * find_row_time (last->output, last->result == size,
                            plan->n_outputs * plan->n_joined > 1 && w->result_feature == size ? TRANSPOSE_TIME
                                                                                              : SCATTER_TIME);
  if (!plan->by_groups && plan->n_phases == 1 && ABS (w->lhs_feature) == lhs_size
      && w->group_features >= MIN_SQUARE / lhs_size)
    copied = COPY_TIME + (double) plan->n_numbers * (SQUARES_TIME + SQUARES_BYTE * (double) lhs_size);
  else
    copied *= plan->by_groups ? find_row_time (plan->row, state->lhs_group == lhs_size,
                                               last->lhs == lhs_size ? TRANSPOSE_TIME : APART_TIME)
                              : find_row_time (plan->row, last->step * last->lhs == lhs_size, APART_TIME);
  if (!state->lhs.same)
    copied += CONVERT_TIME * (double) plan->n_numbers;
  for (guint i = plan->rank; i > 0 && (i == plan->rank || !plan->by_groups); i--)
    {
      double nanoseconds = plan_chunks (plan, state, i - 1);

      if (i < plan->rank && nanoseconds >= best)
        continue;
      best = nanoseconds;
      outer = i - 1;
    }
  plan->nanoseconds = plan_chunks (plan, state, outer) + rows + copied;
}

/* Advances to the next tap in row-major order, in which the specification sums; FALSE after the last. */
static gboolean
next_tap (gint64               *tap,
          const GhloCpuWindows *w)
{
  for (guint i = w->n_spatial; i > 0; i--)
    {
      if (++tap[i - 1] < w->spatial[i - 1].kernel)
        return TRUE;
      tap[i - 1] = 0;
    }

  return FALSE;
}

/* The place of a tap and a feature in the dimension of pairs. */
static gint64
find_place (const Plan           *plan,
            const GhloCpuWindows *w,
            const gint64         *tap,
            gint64                feature)
{
  return plan->pair_dimension < w->n_spatial ? tap[plan->pair_dimension] : feature;
}

/* Whether it is the second one of a pair. */
static gboolean
is_second (const Plan           *plan,
           const GhloCpuWindows *w,
           const gint64         *tap,
           gint64                feature)
{
  return plan->pair > 0 && find_place (plan, w, tap, feature) / plan->pair_step % 2 == 1;
}

static void
find_offsets (State                *self,
              const GhloCpuWindows *w)
{
  const Plan *plan = &self->plan;
  gint64 tap[GHLO_MAX_RANK] = { 0 };
  gsize n = 0;

  self->offsets = g_new (gint64, plan->n_taps);
  do
    {
      gint64 phase = 0, offset = 0;

      for (guint i = 0; i < plan->rank; i++)
        {
          const Dimension *d = &plan->dimensions[i];
          gint64 at = tap[d->number] * d->window.kernel_dilation, step = plan->by_groups ? 1 : d->window.step;

          phase = phase * d->phases + at % step;
          offset += at / step * d->stride;
        }
      for (gint64 feature = 0; feature < w->group_features; feature++)
        if (!is_second (plan, w, tap, feature))
          self->offsets[n++] = feature * plan->plane + phase * (plan->plane / plan->n_phases) + offset;
    }
  while (next_tap (tap, w));
}

/* Of the positions @phase + i * @step, for i < @room, in the padded and dilated input: the first one that has an
 * element, the number of those that have one, and the element. */
static gint64
find_part (const GhloCpuSpatial *s,
           gint64                phase,
           gint64                step,
           gint64                room,
           gint64               *element,
           gint64               *n)
{
  gint64 first = MAX (ghlo_ceil_div (MAX (s->low - phase, 0), step), 0), at = first * step + phase - s->low, end;

  /* Either windows step, or the input is dilated. */
  *element = ghlo_ceil_div (at, s->input_dilation);
  first += *element * s->input_dilation - (step > 1 ? *element : at);
  end = MIN ((room - 1) * step + phase - s->low, (s->input - 1) * s->input_dilation);
  end -= *element * s->input_dilation;
  *n = end >= 0 ? end / (step * s->input_dilation) + 1 : 0;

  return first;
}

/* Sets up the copy of each phase. */
static gboolean
find_phases (State                *self,
             const GhloCpuWindows *w)
{
  const Plan *plan = &self->plan;
  const gint64 size = (gint64) self->lhs.size;
  gint64 sizes[GHLO_MAX_RANK] = { self->groups, w->group_features };
  gint64 from[GHLO_MAX_RANK] = { self->lhs_group, w->lhs_feature };
  gint64 to[GHLO_MAX_RANK] = { (plan->by_groups ? 1 : w->group_features * plan->plane) * size, plan->plane * size };

  self->phases = g_new0 (Phase, (gsize) plan->n_phases);
  for (gint64 number = 0; number < plan->n_phases; number++)
    {
      Phase *phase = &self->phases[number];
      gint64 rest = number;

      phase->to = number * (plan->plane / plan->n_phases) * size;
      for (guint i = plan->rank; i > 0; i--)
        {
          const Dimension *d = &plan->dimensions[i - 1];
          gint64 step = plan->by_groups ? 1 : d->window.step, element, n;
          gint64 first = find_part (&d->window, rest % d->phases, step, d->room, &element, &n);

          rest /= d->phases;
          sizes[i + 1] = n;
          from[i + 1] = d->window.lhs * step;
          to[i + 1] = d->stride * size * (n > 1 ? d->window.input_dilation : 1);
          if (n > 0)
            {
              phase->from += element * d->window.lhs;
              phase->to += first * d->stride * size;
            }
        }
      if (!ghlo_cpu_copy_init (&phase->copy, plan->rank + 2, sizes, w->lhs_type, from, w->lhs_type, to))
        return FALSE;
    }

  return TRUE;
}

/* What names the order of the packed kernel. */
static GBytes *
find_packing (const State          *self,
              const GhloCpuWindows *w)
{
  GByteArray *key = g_byte_array_new ();
  const Plan *plan = &self->plan;
  const gint64 numbers[] = { plan->by_groups, self->lanes, self->all_groups, self->features, w->group_features,
                             w->rhs_type, w->rhs_first, w->rhs_input, w->rhs_output, self->arithmetic,
                             plan->pair > 0, plan->pair_dimension, plan->pair_step };

  g_byte_array_append (key, (gconstpointer) numbers, sizeof (numbers));
  for (guint i = 0; i < w->n_spatial; i++)
    {
      const gint64 taps[] = { w->spatial[i].kernel, w->spatial[i].rhs };

      g_byte_array_append (key, (gconstpointer) taps, sizeof (taps));
    }

  return g_byte_array_free_to_bytes (key);
}

/* Blocks of weights: one for each feature of a group where lanes are groups, else the blocks of features of all groups.
 */
static gint64
count_blocks (const State *self)
{
  return self->plan.by_groups ? self->features : self->plan.n_blocks / self->groups * self->all_groups;
}

/* Weights of a block for each tap. */
static gint64
count_weights (const Plan *plan)
{
  return plan->by_groups ? plan->row : plan->n_outputs;
}

static gboolean
find_sizes (State      *self,
            GhloCpuWay *way)
{
  const Plan *plan = &self->plan;
  const gsize size = self->lhs.to_size, weights = (gsize) count_weights (plan);
  const gint64 plane = plan->by_groups ? plan->chunk * plan->row : plan->chunk + self->lanes;
  const gsize sums = (gsize) (plane * plan->n_outputs * plan->n_joined);

  /* Behind the last plane, sums that are not used read what a window of the last position would, and more lanes. */
  if (!ghlo_size_add (&self->n_numbers, plan->n_numbers,
                      plan->by_groups ? 0 : (gsize) (plan->plane / plan->n_phases + self->lanes))
      || !ghlo_size_mul (&self->copy_size, self->n_numbers, size)
      || !ghlo_size_mul (&self->weights_size, (gsize) count_blocks (self) * weights, plan->n_taps * size)
      || self->copy_size > GHLO_MAX_TENSOR_BYTES || self->weights_size > GHLO_MAX_TENSOR_BYTES)
    return FALSE;
  self->copy_size = ghlo_size_align (self->copy_size);
  self->raw_size = self->lhs.same ? 0 : ghlo_size_align ((self->n_numbers + (gsize) plan->pair) * self->lhs.size);
  self->weights_size = ghlo_size_align (self->weights_size);
  self->sums_size = ghlo_size_align (sums * size) * (self->writer.same ? 1 : 2);
  self->n_copies = self->n_group_blocks * self->n_image_blocks > 1 ? ghlo_parallel_n_workers () : 1;
  if (!ghlo_size_mul (&way->scratch_size, self->copy_size + self->raw_size, self->n_copies))
    return FALSE;
  way->scratch_size += self->weights_size + self->sums_size * ghlo_parallel_n_workers ();

  return TRUE;
}

static gboolean
choose_plan (State                *self,
             const GhloCpuWindows *w)
{
  gboolean found = FALSE;

  for (guint i = 0; i < (self->groups > 1 ? 2 : 1); i++)
    {
      g_autofree Plan *plan = g_new0 (Plan, 1);

      plan->by_groups = i > 0;
      if (!find_dimensions (plan, w) || !plan_copy (plan, self, w))
        continue;
      plan_sums (plan, self, w);
      if (found && self->plan.nanoseconds <= plan->nanoseconds)
        continue;
      found = TRUE;
      self->plan = *plan;
    }

  return found;
}

/* Cuts work for several threads into blocks, each with a copy of its own: of some groups where lanes are positions, and
 * of one image where they are features, where there is one group, or where features of groups share cache lines. FALSE
 * where the block has no plan. */
static gboolean
choose_blocks (State                *self,
               const GhloCpuWindows *w)
{
  const double nanoseconds = self->plan.nanoseconds;
  const gint64 position = self->plan.dimensions[self->plan.rank - 1].window.lhs;
  const gboolean by_images = self->plan.by_groups || self->groups == 1 || ABS (w->lhs_feature) < ABS (position);
  const gsize bytes = self->plan.n_numbers / (gsize) self->groups * self->lhs.to_size;
  const gint64 room = (gint64) (BLOCK_BYTES / MAX (bytes, 1)), shared = self->groups / (2 * MIN_TASKS);
  const gint64 groups = by_images ? self->groups : CLAMP (room, 1, MAX (shared, 1));
  g_autofree GhloCpuWindows *block = g_new (GhloCpuWindows, 1);

  if (nanoseconds < GHLO_PARALLEL_MIN_WORK
      || (by_images ? w->output_batch : ghlo_ceil_div (self->groups, groups)) < MIN_TASKS)
    return TRUE;
  *block = *w;
  if (by_images)
    block->output_batch = 1;
  self->n_image_blocks = by_images ? (gsize) w->output_batch : 1;
  self->n_group_blocks = (gsize) ghlo_ceil_div (self->groups, groups);
  self->groups = groups;
  self->plan = (Plan) { .by_groups = self->plan.by_groups };
  if (!find_dimensions (&self->plan, block) || !plan_copy (&self->plan, self, block))
    return FALSE;
  plan_sums (&self->plan, self, block);
  self->plan.nanoseconds = nanoseconds;

  return TRUE;
}

gboolean
ghlo_cpu_convolution_has_few_features (GhloElementType type,
                                       gint64          groups,
                                       gint64          group_features,
                                       gint64          output_features)
{
  const gint64 features = output_features / groups;

  if (groups > 1)
    return MIN (group_features, features) <= FEW_FEATURES && !(group_features > 1 && features >= SOME_FEATURES);

  return output_features <= (type == GHLO_ELEMENT_TYPE_BF16 ? 1 : FEW_FEATURES);
}

static gboolean
take (const GhloCpuConvolution  *self,
      double                     most,
      GhloCpuWay                *way,
      GError                   **error)
{
  const GhloCpuWindows *w = &self->windows;
  g_autoptr (State) state = g_new0 (State, 1);

  state->groups = state->all_groups = MAX (w->feature_groups, w->batch_groups);
  state->n_group_blocks = state->n_image_blocks = 1;
  state->features = w->output_features / state->groups;
  if (w->n_spatial == 0 || w->n_spatial + 4 > GHLO_MAX_RANK || w->group_features < 1 || state->features < 1
      || w->output_batch < 1 || !find_types (state, w))
    return FALSE;
  state->lhs_group = w->batch_groups > 1 ? w->output_batch * w->lhs_batch : w->group_features * w->lhs_feature;
  state->lanes = (gint64) (ghlo_cpu_routines ()->register_bytes / state->lhs.to_size);
  if (!choose_plan (state, w) || !choose_blocks (state, w) || !find_sizes (state, way) || !find_phases (state, w))
    return FALSE;
  if (state->plan.n_taps > MAX_FLOAT_TAPS && !ghlo_element_type_is_integer (w->result_type))
    return FALSE;
  find_offsets (state, w);
  way->nanoseconds = state->plan.nanoseconds;
  if (!w->rhs_is_persistent)
    way->nanoseconds += WEIGHT_TIME * (double) w->output_features * count_products (&state->plan);
  if (way->nanoseconds >= most)
    return FALSE;
  way->packed_size = state->weights_size;
  way->packing = find_packing (state, w);
  way->description = g_strdup_printf ("lanes of %s, %s", state->plan.by_groups ? "groups" : "positions",
                                      ghlo_cpu_level_name (ghlo_cpu_level ()));
  ghlo_cpu_way_set_state (way, g_steal_pointer (&state), ghlo_cpu_lanes_free);

  return TRUE;
}

/* Packs a row of weights; of pairs where the plan has them, with @second in the upper halves, or 0 where that is
 * NULL. */
static void
pack_row (const State  *self,
          const guint8 *from,
          const guint8 *second,
          gint64        stride,
          gpointer      to,
          gsize         n)
{
  guint32 *pairs = to, other[ROW] = { 0 };

  ghlo_cpu_read_row (&self->rhs, from, stride, to, n);
  for (gsize i = 0; self->plan.pair > 0 && i < n; i++)
    {
      if (i % ROW == 0 && second != NULL)
        ghlo_cpu_read_row (&self->rhs, second + (gint64) i * stride, stride, other, MIN (ROW, n - i));
      pairs[i] = (pairs[i] & 0xffff) | other[i % ROW] << 16;
    }
}

/* Packs the weights of a block, @n of which are @stride bytes apart for each tap. */
static void
pack_block (const GhloCpuConvolution *self,
            const guint8             *features,
            gint64                    stride,
            gint64                    n,
            guint8                   *to)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, ghlo_cpu_lanes_free);
  const GhloCpuWindows *w = &self->windows;
  const Plan *plan = &state->plan;
  const gboolean in_space = plan->pair_dimension < w->n_spatial;
  const gint64 size = in_space ? w->spatial[plan->pair_dimension].kernel : w->group_features;
  const gint64 step = plan->pair_step * (in_space ? w->spatial[plan->pair_dimension].rhs : w->rhs_input);
  gint64 tap[GHLO_MAX_RANK] = { 0 };

  do
    for (gint64 i = 0; i < w->group_features; i++)
      {
        const guint8 *from = features + i * w->rhs_input;

        if (is_second (plan, w, tap, i))
          continue;
        for (guint d = 0; d < w->n_spatial; d++)
          from += tap[d] * w->spatial[d].rhs;
        pack_row (state, from, find_place (plan, w, tap, i) + plan->pair_step < size ? from + step : NULL, stride, to,
                  (gsize) n);
        to += count_weights (plan) * state->lhs.to_size;
      }
  while (next_tap (tap, w));
}

gboolean
ghlo_cpu_lanes_pack (const GhloCpuConvolution  *self,
                     const guint8              *rhs,
                     gpointer                   packed,
                     guint8                    *scratch,
                     const GhloMonitor         *monitor,
                     GError                   **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, ghlo_cpu_lanes_free);
  const GhloCpuWindows *w = &self->windows;
  const Plan *plan = &state->plan;
  const gint64 blocks_each = plan->by_groups ? state->features : plan->n_blocks / state->groups;
  const gint64 n_blocks = count_blocks (state), outputs_each = plan->by_groups ? 1 : plan->n_outputs;

  if (!ghlo_cpu_windows_clear (packed, state->weights_size, monitor))
    return FALSE;
  for (gint64 block = 0; block < n_blocks && !ghlo_monitor_cancelled (monitor, NULL); block++)
    {
      const gint64 first = block % blocks_each * outputs_each;

      pack_block (self, rhs + w->rhs_first + (block / blocks_each * state->features + first) * w->rhs_output,
                  (plan->by_groups ? state->features : 1) * w->rhs_output,
                  plan->by_groups ? state->groups : MIN (plan->n_outputs, state->features - first),
                  ghlo_cpu_lanes_number (state, packed, block * (gint64) plan->n_taps * count_weights (plan)));
    }

  return !ghlo_monitor_cancelled (monitor, error);
}

const GhloCpuConvolutionAlgorithm ghlo_cpu_convolution_lanes = {
  FALSE, take, ghlo_cpu_lanes_compute, ghlo_cpu_lanes_pack,
};
