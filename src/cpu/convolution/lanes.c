/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Convolutions of groups with few features each, or to few features, for which a matrix product is too small. The
 * lanes of registers hold either the features of the result at one position, or positions of one feature. Windows read
 * a copy of the input with its zeros filled in. Where lanes are features, the copy has the input of each of them. Where
 * they are positions, rows of the copy may follow each other in a register: the sums at the few positions where a
 * window would cross two rows are not used. An input that windows step over is cut into phases then, so that adjacent
 * windows read adjacent numbers.
 */

#include "cpu/convolution/convolution-private.h"
#include "cpu/move/copy.h"
#include "runtime/parallel.h"

#include <string.h>

/* FEW_FEATURES: features of a group, of the input or of the result, up to which libraries are slower; with one group,
 * of the result. SOME_FEATURES: of the result, from which on a few of the input are enough for them. MAX_FEATURES: the
 * same as FEW_FEATURES for types that they do not have; MANY_FEATURES: of the result, from which on products are
 * faster. */
enum { FEW_FEATURES = 3, SOME_FEATURES = 8, MAX_FEATURES = 15, MANY_FEATURES = 32 };

/* MAX_PHASES, MAX_TAPS: most of them. CHUNK: numbers that are summed before they are written. MIN_POSITIONS: positions
 * from which on registers of features at several positions share a load of weights. BLOCK_BYTES: of the copy of some
 * groups that a thread makes for itself, so that it stays in its caches. MIN_TASKS: blocks that are worth that; threads
 * share the copy of fewer. */
enum { MAX_PHASES = 16, MAX_TAPS = 1 << 16, CHUNK = 2048, MIN_POSITIONS = 8, BLOCK_BYTES = 1 << 16, MIN_TASKS = 4 };

/* Approximate nanoseconds to add the products of a register, for a chunk of sums, and to copy a row of numbers, a
 * number that is adjacent to the one before, and one that is not. */
#define PRODUCT_TIME  0.25
#define CHUNK_TIME    15.0
#define ROW_TIME      2.0
#define ADJACENT_TIME 0.05
#define APART_TIME    0.4

/* A dimension of the result's positions, or its images: those are a dimension without windows. */
typedef struct
{
  GhloCpuSpatial window;
  guint          number;      /* of the spatial dimension; another number for images */
  gint64         phases;      /* 1 where lanes are features */
  gint64         room;        /* positions of the copy, of one phase */
  gint64         stride;      /* numbers of the copy from one to the next */
} Dimension;

/* One of the two ways to fill lanes. */
typedef struct
{
  gboolean  by_features;
  guint     rank;
  Dimension dimensions[GHLO_MAX_RANK];
  guint     outer;            /* a chunk is at one position of this many dimensions */
  gint64    n_phases;
  gint64    row;              /* numbers of a row of features, or of positions */
  gint64    plane;            /* numbers from one feature of a group to the next */
  gint64    inner;            /* positions, or numbers of the copy, that the inner dimensions span */
  gsize     n_numbers;        /* of the copy */
  gint64    n_outputs;        /* features of the result that share loads of the copy; 1 where lanes are features */
  gint64    n_blocks;         /* of so many features */
  gint64    chunk, n_pieces;  /* of what the inner dimensions span */
  gsize     n_chunks;         /* for each block */
  double    nanoseconds;
} Plan;

/* The copy of one phase of the input: elements to copy, and offsets of the first one in bytes. */
typedef struct
{
  GhloCpuCopy copy;
  gint64      from, to;
} Phase;

typedef struct
{
  Plan              plan;
  GhloCpuArithmetic arithmetic;
  GhloCpuReader     lhs, rhs;
  GhloCpuWriter     writer;
  gint64            lanes;                  /* of a register */
  gint64            groups, all_groups;     /* of a block, and of all blocks */
  gint64            features;               /* of the result, in a group */
  gsize             n_group_blocks;
  gsize             n_image_blocks;         /* of one image each; 1 where blocks have all images */
  gint64            lhs_group;              /* bytes from one group's input to the next */
  Phase            *phases;                 /* owned; n_phases of the plan */
  gint64           *offsets;                /* owned; of each tap and feature of a group in the copy */
  gsize             n_taps;                 /* of them */
  gsize             n_numbers;              /* of the copy and what registers read behind it */
  gsize             copy_size, raw_size;    /* bytes, aligned; of the copy, and of that before its conversion */
  gsize             weights_size, sums_size;    /* the last for each thread */
  gsize             n_copies;               /* 1, or as many as threads where each has a block */
} State;

static void
state_free (gpointer data)
{
  State *self = data;

  g_free (self->phases);
  g_free (self->offsets);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (State, state_free)

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

  return ghlo_cpu_reader_init (&self->lhs, w->lhs_type, self->arithmetic)
         && ghlo_cpu_reader_init (&self->rhs, w->rhs_type, self->arithmetic)
         && ghlo_cpu_writer_init (&self->writer, w->result_type, self->arithmetic);
}

/* Fills in the dimensions of the result's positions, those of one position aside, and the number of taps. The longest
 * one is last where lanes are features, else the one whose elements are closest in the input. */
static gboolean
find_dimensions (Plan                 *plan,
                 const GhloCpuWindows *w,
                 gsize                *n_taps)
{
  const GhloCpuSpatial images = {
    .input = w->output_batch, .kernel = 1, .output = w->output_batch, .step = 1, .input_dilation = 1,
    .kernel_dilation = 1, .lhs = w->lhs_batch, .result = w->result_batch,
  };
  guint last = 0;

  plan->dimensions[plan->rank++] = (Dimension) { .window = images, .number = w->n_spatial };
  *n_taps = (gsize) w->group_features;
  for (guint i = 0; i < w->n_spatial; i++)
    {
      const GhloCpuSpatial *s = &w->spatial[i];

      if (s->input < 1 || s->kernel < 1 || s->output < 1 || (s->step > 1 && s->input_dilation > 1)
          || !ghlo_size_mul (n_taps, *n_taps, (gsize) s->kernel) || *n_taps > MAX_TAPS)
        return FALSE;
      if (s->kernel > 1 || s->output > 1 || s->input > 1 || s->low != 0)
        plan->dimensions[plan->rank++] = (Dimension) { .window = *s, .number = i };
    }
  for (guint i = 1; i < plan->rank; i++)
    {
      const GhloCpuSpatial *s = &plan->dimensions[i].window, *most = &plan->dimensions[last].window;

      if (plan->by_features ? s->output > most->output
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

/* Lays out the copy from the innermost dimension outwards: rows of positions, or of features. */
static gboolean
plan_copy (Plan                 *plan,
           const State          *state,
           const GhloCpuWindows *w)
{
  gsize n = plan->by_features ? (gsize) ghlo_round_up (w->output_features, state->lanes) : 1;

  plan->row = plan->plane = (gint64) n;
  if (plan->by_features && !ghlo_size_mul (&n, n, (gsize) w->group_features))
    return FALSE;
  plan->n_phases = 1;
  for (guint i = plan->rank; i > 0; i--)
    {
      Dimension *d = &plan->dimensions[i - 1];
      const GhloCpuSpatial *s = &d->window;
      gint64 reach = (s->kernel - 1) * s->kernel_dilation;

      d->phases = plan->by_features || s->kernel == 1 ? 1 : s->step;
      d->room = plan->by_features ? (s->output - 1) * s->step + reach + 1 : s->output + reach / s->step;
      d->stride = (gint64) n;
      plan->n_phases *= d->phases;
      if (plan->n_phases > MAX_PHASES || !ghlo_size_mul (&n, n, (gsize) d->room))
        return FALSE;
    }
  if (!plan->by_features)
    {
      plan->row = plan->dimensions[plan->rank - 1].room;
      if (!ghlo_size_mul (&n, n, (gsize) plan->n_phases))
        return FALSE;
      plan->plane = (gint64) n;
      if (!ghlo_size_mul (&n, n, (gsize) (state->groups * w->group_features)))
        return FALSE;
    }
  plan->n_numbers = n;

  return TRUE;
}

static double
find_row_time (gint64   n,
               gboolean adjacent)
{
  return ROW_TIME + (double) n * (adjacent ? ADJACENT_TIME : APART_TIME);
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
  plan->inner = plan->by_features ? last->window.output : 1;
  for (guint i = outer; i < plan->rank && !plan->by_features; i++)
    plan->inner += (plan->dimensions[i].window.output - 1) * plan->dimensions[i].stride;
  plan->chunk = plan->by_features ? MAX (CHUNK / plan->row, MIN_POSITIONS) : CHUNK / plan->n_outputs;
  if (!plan->by_features && plan->row < plan->chunk)
    plan->chunk -= plan->chunk % plan->row;
  plan->chunk = MIN (plan->chunk, plan->inner);
  plan->n_pieces = ghlo_ceil_div (plan->inner, plan->chunk);
  for (guint i = 0; i < outer; i++)
    n *= (gsize) plan->dimensions[i].window.output;
  registers = plan->by_features ? (double) plan->inner * (double) (plan->row / state->lanes)
              : (double) plan->n_outputs * (double) ghlo_ceil_div (plan->inner, state->lanes);
  plan->n_chunks = n * (gsize) plan->n_pieces;

  return (double) plan->n_blocks * ((double) plan->n_chunks * CHUNK_TIME
                                    + (double) n * registers * (double) state->n_taps * PRODUCT_TIME);
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
  plan->n_outputs = plan->by_features || state->features == 1 ? 1 : state->features == 2 ? 2 : GHLO_CPU_WINDOW_OUTPUTS;
  plan->n_blocks = plan->by_features ? 1 : state->groups * ghlo_ceil_div (state->features, plan->n_outputs);
  if (plan->by_features)
    rows = rows * (double) last->output * find_row_time (w->output_features, w->result_feature == size);
  else
    rows = rows * (double) w->output_features * find_row_time (last->output, last->result == size);
  copied *= plan->by_features ? find_row_time (plan->row, state->features == 1 && state->lhs_group == lhs_size)
                              : find_row_time (plan->row, last->step * last->lhs == lhs_size);
  for (guint i = plan->rank; i > 0 && (i == plan->rank || !plan->by_features); i--)
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

static void
find_offsets (State                *self,
              const GhloCpuWindows *w)
{
  const Plan *plan = &self->plan;
  gint64 tap[GHLO_MAX_RANK] = { 0 };
  gsize n = 0;

  self->offsets = g_new (gint64, self->n_taps);
  do
    {
      gint64 phase = 0, offset = 0;

      for (guint i = 0; i < plan->rank; i++)
        {
          const Dimension *d = &plan->dimensions[i];
          gint64 at = tap[d->number] * d->window.kernel_dilation, step = plan->by_features ? 1 : d->window.step;

          phase = phase * d->phases + at % step;
          offset += at / step * d->stride;
        }
      for (gint64 feature = 0; feature < w->group_features; feature++)
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
  gint64 sizes[GHLO_MAX_RANK] = { self->groups, w->group_features, plan->by_features ? self->features : 1 };
  gint64 from[GHLO_MAX_RANK] = { self->lhs_group, w->lhs_feature };
  gint64 to[GHLO_MAX_RANK] = { (plan->by_features ? self->features : w->group_features * plan->plane) * size,
                               plan->plane * size, size };

  self->phases = g_new0 (Phase, (gsize) plan->n_phases);
  for (gint64 number = 0; number < plan->n_phases; number++)
    {
      Phase *phase = &self->phases[number];
      gint64 rest = number;

      phase->to = number * (plan->plane / plan->n_phases) * size;
      for (guint i = plan->rank; i > 0; i--)
        {
          const Dimension *d = &plan->dimensions[i - 1];
          gint64 step = plan->by_features ? 1 : d->window.step, element, n;
          gint64 first = find_part (&d->window, rest % d->phases, step, d->room, &element, &n);

          rest /= d->phases;
          sizes[i + 2] = n;
          from[i + 2] = d->window.lhs * step;
          to[i + 2] = d->stride * size * (n > 1 ? d->window.input_dilation : 1);
          if (n > 0)
            {
              phase->from += element * d->window.lhs;
              phase->to += first * d->stride * size;
            }
        }
      if (!ghlo_cpu_copy_init (&phase->copy, plan->rank + 3, sizes, w->lhs_type, from, w->lhs_type, to))
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
  const gint64 numbers[] = { self->plan.by_features, self->lanes, self->all_groups, self->features, w->group_features,
                             w->rhs_type, w->rhs_first, w->rhs_input, w->rhs_output, self->arithmetic };

  g_byte_array_append (key, (gconstpointer) numbers, sizeof (numbers));
  for (guint i = 0; i < w->n_spatial; i++)
    {
      const gint64 taps[] = { w->spatial[i].kernel, w->spatial[i].rhs };

      g_byte_array_append (key, (gconstpointer) taps, sizeof (taps));
    }

  return g_byte_array_free_to_bytes (key);
}

/* Blocks of features of all groups. */
static gint64
count_blocks (const State *self)
{
  return self->plan.n_blocks / self->groups * self->all_groups;
}

/* Weights that are multiplied with one register, or shared by all of them, for each tap. */
static gint64
count_weights (const Plan *plan)
{
  return plan->by_features ? plan->row : plan->n_outputs;
}

static gboolean
find_sizes (State      *self,
            GhloCpuWay *way)
{
  const Plan *plan = &self->plan;
  const gsize size = self->lhs.to_size, weights = (gsize) count_weights (plan);
  const gsize sums = (gsize) (plan->chunk * (gint64) weights + self->lanes * plan->n_outputs);

  /* Behind the last plane, sums that are not used read what a window of the last position would, and more lanes. */
  if (!ghlo_size_add (&self->n_numbers, plan->n_numbers,
                      plan->by_features ? 0 : (gsize) (plan->plane / plan->n_phases + self->lanes))
      || !ghlo_size_mul (&self->copy_size, self->n_numbers, size)
      || !ghlo_size_mul (&self->weights_size, (gsize) (plan->by_features ? 1 : count_blocks (self)) * weights,
                         self->n_taps * size)
      || self->copy_size > GHLO_MAX_TENSOR_BYTES || self->weights_size > GHLO_MAX_TENSOR_BYTES)
    return FALSE;
  self->copy_size = ghlo_size_align (self->copy_size);
  self->raw_size = self->lhs.same ? 0 : ghlo_size_align (self->n_numbers * self->lhs.size);
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

      plan->by_features = i > 0;
      if (!find_dimensions (plan, w, &self->n_taps) || !plan_copy (plan, self, w))
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
  const gboolean by_images = self->plan.by_features || self->groups == 1 || ABS (w->lhs_feature) < ABS (position);
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
  self->plan = (Plan) { .by_features = self->plan.by_features };
  if (!find_dimensions (&self->plan, block, &self->n_taps) || !plan_copy (&self->plan, self, block))
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
      GhloCpuWay                *way,
      GError                   **error)
{
  const GhloCpuWindows *w = &self->windows;
  g_autoptr (State) state = g_new0 (State, 1);

  state->groups = state->all_groups = MAX (w->feature_groups, w->batch_groups);
  state->n_group_blocks = state->n_image_blocks = 1;
  state->features = w->output_features / state->groups;
  if ((state->groups > 1 ? MIN (w->group_features, state->features) > MAX_FEATURES : state->features > FEW_FEATURES)
      || (w->group_features > FEW_FEATURES && state->features >= MANY_FEATURES)
      || w->n_spatial == 0 || w->n_spatial + 4 > GHLO_MAX_RANK || w->group_features < 1 || state->features < 1
      || w->output_batch < 1 || !find_types (state, w))
    return FALSE;
  state->lhs_group = w->batch_groups > 1 ? w->output_batch * w->lhs_batch : w->group_features * w->lhs_feature;
  state->lanes = (gint64) (ghlo_cpu_routines ()->register_bytes / state->lhs.to_size);
  if (!choose_plan (state, w) || !choose_blocks (state, w) || !find_sizes (state, way) || !find_phases (state, w))
    return FALSE;
  find_offsets (state, w);
  way->nanoseconds = state->plan.nanoseconds;
  way->packed_size = state->weights_size;
  way->packing = find_packing (state, w);
  way->description = g_strdup_printf ("lanes of %s, %s", state->plan.by_features ? "features" : "positions",
                                      ghlo_cpu_level_name (ghlo_cpu_level ()));
  ghlo_cpu_way_set_state (way, g_steal_pointer (&state), state_free);

  return TRUE;
}

/* A number of a copy, of weights, or of sums. */
static inline guint8 *
number_at (const State *self,
           gpointer     numbers,
           gint64       i)
{
  return (guint8 *) numbers + i * self->lhs.to_size;
}

/* Each tap has a weight for each feature of the result, or of a block of them. */
static gboolean
pack (const GhloCpuConvolution  *self,
      const guint8              *rhs,
      gpointer                   packed,
      guint8                    *scratch,
      const GhloMonitor         *monitor,
      GError                   **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  const GhloCpuWindows *w = &self->windows;
  const Plan *plan = &state->plan;
  const gint64 blocks_each = plan->by_features ? 1 : plan->n_blocks / state->groups;
  const gint64 n_blocks = plan->by_features ? 1 : count_blocks (state);
  gint64 at = 0;

  if (!ghlo_cpu_windows_clear (packed, state->weights_size, monitor))
    return FALSE;
  for (gint64 block = 0; block < n_blocks && !ghlo_monitor_cancelled (monitor, NULL); block++)
    {
      const gint64 first = block % blocks_each * plan->n_outputs;
      const gint64 n = plan->by_features ? w->output_features : MIN (plan->n_outputs, state->features - first);
      const guint8 *features = rhs + w->rhs_first + (block / blocks_each * state->features + first) * w->rhs_output;
      gint64 tap[GHLO_MAX_RANK] = { 0 };

      do
        {
          const guint8 *from = features;

          for (guint i = 0; i < w->n_spatial; i++)
            from += tap[i] * w->spatial[i].rhs;
          for (gint64 i = 0; i < w->group_features; i++, at += count_weights (plan))
            ghlo_cpu_read_row (&state->rhs, from + i * w->rhs_input, w->rhs_output, number_at (state, packed, at),
                               (gsize) n);
        }
      while (next_tap (tap, w));
    }

  return !ghlo_monitor_cancelled (monitor, error);
}

typedef struct
{
  const GhloCpuWindows        *windows;
  const State                 *state;
  const GhloCpuConvolutionRun *run;
  guint8                      *copy, *raw, *sums;
  gconstpointer                weights;
} Work;

static void
convert_part (gpointer data,
              gsize    begin,
              gsize    end,
              guint    worker)
{
  const Work *work = data;
  const GhloCpuReader *reader = &work->state->lhs;

  ghlo_cpu_read_row (reader, work->raw + begin * reader->size, reader->size,
                     number_at (work->state, work->copy, (gint64) begin), end - begin);
}

/* Copies the input as it is, zeros included, and converts the copy to numbers. */
static gboolean
copy_input (Work *work)
{
  const State *state = work->state;
  const GhloMonitor *monitor = work->run->monitor;

  if (!ghlo_cpu_windows_clear (work->raw, state->n_numbers * state->lhs.size, monitor))
    return FALSE;
  for (gint64 i = 0; i < state->plan.n_phases; i++)
    if (!ghlo_cpu_copy_run (&state->phases[i].copy, work->run->lhs + state->phases[i].from,
                            work->raw + state->phases[i].to, monitor))
      return FALSE;

  return state->lhs.same || ghlo_parallel_for (state->n_numbers, CHUNK, ADJACENT_TIME * (double) state->n_numbers,
                                               convert_part, work, monitor);
}

/* Returns sums as elements of the result. */
static const guint8 *
convert_sums (const State *self,
              guint8      *sums,
              gint64       n)
{
  guint8 *elements = sums + self->sums_size / 2;

  if (self->writer.same)
    return sums;
  ghlo_cpu_write_row (&self->writer, sums, elements, self->writer.size, (gsize) n);

  return elements;
}

/* Writes a plane of elements that are adjacent in its rows. */
static void
write_plane (const State  *self,
             const guint8 *from,
             gint64        row,
             guint8       *to,
             gint64        to_row,
             gint64        to_column,
             gint64        rows,
             gint64        columns)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  const gint64 size = (gint64) self->writer.size;
  const guint unit = g_bit_storage ((gsize) size) - 1;

  if (to_row == size)
    routines->transpose[unit] (from, size, row * size, to, to_column, size, (gsize) columns, (gsize) rows);
  else
    routines->move[unit] (from, row * size, size, to, to_row, to_column, (gsize) rows, (gsize) columns);
}

/* Sums all features at some positions. */
static void
sum_features (const Work *work,
              gint64      copy,
              gint64      n,
              guint8     *result,
              guint8     *sums)
{
  const State *state = work->state;
  const Plan *plan = &state->plan;
  const Dimension *last = &plan->dimensions[plan->rank - 1];
  const gboolean by_positions = n >= MIN_POSITIONS;
  const gint64 n_registers = plan->row / state->lanes, times = by_positions ? n_registers : n;
  GhloCpuWindowLanes lanes = {
    .offsets = state->offsets, .n_taps = state->n_taps, .n_outputs = 1, .weights_step = (gsize) plan->row,
    .x_step = by_positions ? last->window.step * last->stride : state->lanes,
    .y_step = by_positions ? plan->row : state->lanes, .n = (gsize) (by_positions ? n : n_registers),
  };

  for (gint64 i = 0; i < times; i++)
    {
      lanes.x = number_at (state, work->copy, copy + i * (by_positions ? state->lanes
                                                                       : last->window.step * last->stride));
      lanes.y = number_at (state, sums, i * (by_positions ? state->lanes : plan->row));
      lanes.weights = number_at (state, (gpointer) work->weights, by_positions ? i * state->lanes : 0);
      ghlo_cpu_routines ()->windows[state->arithmetic][by_positions ? GHLO_CPU_WEIGHTS_OF_LANES
                                                                    : GHLO_CPU_WEIGHTS_OF_REGISTERS] (&lanes);
    }
  write_plane (state, convert_sums (state, sums, n * plan->row), plan->row, result, last->window.result,
               work->windows->result_feature, n, work->windows->output_features);
}

/* Writes planes of outputs, which are @plane bytes apart, position by position where features are adjacent. */
static void
write_outputs (const Work   *work,
               const guint8 *from,
               gint64        plane,
               gint64        n_outputs,
               guint8       *to,
               gint64        to_row,
               gint64        rows,
               gint64        columns)
{
  const State *state = work->state;
  const gint64 size = (gint64) state->writer.size, feature = work->windows->result_feature;
  const gint64 position = state->plan.dimensions[state->plan.rank - 1].window.result;
  const guint unit = g_bit_storage ((gsize) size) - 1;

  if (feature == size && n_outputs > 1)
    for (gint64 i = 0; i < rows; i++)
      ghlo_cpu_routines ()->transpose[unit] (from + i * state->plan.row * size, size, plane, to + i * to_row, position,
                                             size, (gsize) columns, (gsize) n_outputs);
  else
    for (gint64 i = 0; i < n_outputs; i++)
      write_plane (state, from + i * plane, state->plan.row, to + i * feature, to_row, position, rows, columns);
}

/* Writes the elements of outputs at @n positions from @first on of what the inner dimensions span: whole rows, or a
 * part of one. */
static void
write_positions (const Work   *work,
                 const guint8 *elements,
                 gint64        plane,
                 gint64        n_outputs,
                 gint64        first,
                 gint64        n,
                 guint8       *result)
{
  const State *state = work->state;
  const Plan *plan = &state->plan;
  const guint end = plan->rank - 1;
  const Dimension *last = &plan->dimensions[end], *next_last = end > plan->outer ? last - 1 : NULL;

  for (gint64 at = first, next; at < first + n; at = next)
    {
      const gint64 place = at % plan->row;
      gint64 left = at / plan->row, rows = 1;
      guint8 *to = result + place * last->window.result;
      gboolean inside = place < last->window.output;

      if (place == 0 && next_last != NULL)
        rows = CLAMP ((first + n - at) / plan->row, 1, next_last->room - left % next_last->room);
      next = MIN (at - place + rows * plan->row, first + n);
      for (guint i = end; i > plan->outer && inside; i--)
        {
          const Dimension *d = &plan->dimensions[i - 1];
          const gint64 index = left % d->room;

          inside = index < d->window.output;
          if (i == end)
            rows = MIN (rows, d->window.output - index);
          to += index * d->window.result;
          left /= d->room;
        }
      if (inside)
        write_outputs (work, elements + (at - first) * (gint64) state->writer.size, plane, n_outputs, to,
                       next_last != NULL ? next_last->window.result : 0, rows,
                       MIN (next - at, last->window.output - place));
    }
}

/* Sums the features of a block at some positions. */
static void
sum_positions (const Work *work,
               gint64      block,
               gint64      copy,
               gint64      first,
               gint64      n,
               guint8     *result,
               guint8     *sums)
{
  const State *state = work->state;
  const Plan *plan = &state->plan;
  const gint64 blocks_each = plan->n_blocks / state->groups, group = block / blocks_each;
  const gint64 feature = block % blocks_each * plan->n_outputs, n_outputs = MIN (plan->n_outputs,
                                                                                 state->features - feature);
  GhloCpuWindowLanes lanes = {
    .offsets = state->offsets, .n_taps = state->n_taps, .n_outputs = (guint) plan->n_outputs,
    .weights_step = (gsize) plan->n_outputs, .x_step = state->lanes, .y_step = state->lanes,
    .n = (gsize) ghlo_ceil_div (n, state->lanes),
    .weights = number_at (state, (gpointer) work->weights, block * (gint64) state->n_taps * plan->n_outputs),
    .x = number_at (state, work->copy, group * work->windows->group_features * plan->plane + copy + first),
  };
  const guint8 *elements;

  lanes.y = sums;
  lanes.y_row = (gint64) lanes.n * state->lanes;
  ghlo_cpu_routines ()->windows[state->arithmetic][GHLO_CPU_WEIGHTS_SHARED] (&lanes);
  elements = convert_sums (state, sums, plan->n_outputs * lanes.y_row);
  result += (group * state->features + feature) * work->windows->result_feature;
  write_positions (work, elements, lanes.y_row * (gint64) state->writer.size, n_outputs, first, n, result);
}

static void
sum_chunks (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  const Work *work = data;
  const Plan *plan = &work->state->plan;
  guint8 *sums = work->sums + worker * work->state->sums_size;

  for (gsize chunk = begin; chunk < end; chunk++)
    {
      gint64 block = (gint64) (chunk / plan->n_chunks), rest = (gint64) (chunk % plan->n_chunks), copy = 0;
      gint64 first = rest % plan->n_pieces * plan->chunk, n = MIN (plan->chunk, plan->inner - first);
      guint8 *result = work->run->result;

      rest /= plan->n_pieces;
      for (guint i = plan->outer; i > 0; i--)
        {
          const Dimension *d = &plan->dimensions[i - 1];
          gint64 place = rest % d->window.output;

          copy += place * (plan->by_features ? d->window.step : 1) * d->stride;
          result += place * d->window.result;
          rest /= d->window.output;
        }
      if (plan->by_features)
        sum_features (work, copy + first * plan->dimensions[plan->outer].window.step
                            * plan->dimensions[plan->outer].stride, n,
                      result + first * plan->dimensions[plan->outer].window.result, sums);
      else
        sum_positions (work, block, copy, first, n, result, sums);
    }
}

/* Computes whole blocks, each with a copy of its own. The last block of groups begins early enough to be whole, and
 * leaves out the sums of groups that others have. */
static void
run_blocks (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  const Work *work = data;
  const State *state = work->state;
  const GhloCpuWindows *w = work->windows;
  const gint64 blocks_each = state->plan.by_features ? 0 : state->plan.n_blocks / state->groups;
  const gsize all = (gsize) state->plan.n_blocks * state->plan.n_chunks, size = state->copy_size + state->raw_size;

  for (gsize i = begin; i < end && !ghlo_monitor_cancelled (work->run->monitor, NULL); i++)
    {
      const gint64 image = (gint64) (i % state->n_image_blocks);
      const gint64 wanted = (gint64) (i / state->n_image_blocks) * state->groups;
      const gint64 group = MIN (wanted, state->all_groups - state->groups);
      GhloCpuConvolutionRun run = *work->run;
      Work own = *work;

      run.lhs += image * w->lhs_batch + group * state->lhs_group;
      run.result += image * w->result_batch + group * state->features * w->result_feature;
      own.run = &run;
      own.copy += worker * size;
      own.raw += worker * size;
      own.sums += worker * state->sums_size;
      own.weights = number_at (state, (gpointer) work->weights,
                               group * blocks_each * (gint64) state->n_taps * state->plan.n_outputs);
      if (copy_input (&own))
        sum_chunks (&own, (gsize) ((wanted - group) * blocks_each) * state->plan.n_chunks, all, 0);
    }
}

static gboolean
compute (const GhloCpuConvolution    *self,
         const GhloCpuConvolutionRun *run,
         GError                     **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, state_free);
  const Plan *plan = &state->plan;
  const gsize n_tasks = state->n_group_blocks * state->n_image_blocks;
  Work work = { .windows = &self->windows, .state = state, .run = run, .weights = run->packed };
  guint8 *weights = run->scratch + (state->copy_size + state->raw_size) * state->n_copies;
  gboolean done;

  work.copy = run->scratch;
  work.raw = run->scratch + (state->lhs.same ? 0 : state->copy_size);
  work.sums = weights + state->weights_size;
  if (work.weights == NULL)
    {
      work.weights = weights;
      if (!pack (self, run->rhs, weights, NULL, run->monitor, error))
        return FALSE;
    }
  if (n_tasks > 1)
    done = ghlo_parallel_for (n_tasks, 1, plan->nanoseconds, run_blocks, &work, run->monitor);
  else
    done = copy_input (&work) && ghlo_parallel_for ((gsize) plan->n_blocks * plan->n_chunks, 1, plan->nanoseconds,
                                                    sum_chunks, &work, run->monitor);

  return done && (run->epilogue == NULL || ghlo_cpu_windows_finish (&self->windows, run));
}

const GhloCpuConvolutionAlgorithm ghlo_cpu_convolution_lanes = { FALSE, take, compute, pack };
