/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs what lanes.c has planned: copies the input, sums the taps of windows in lanes, and writes the sums.
 */

#include "cpu/convolution/lanes-private.h"
#include "runtime/parallel.h"

typedef GhloCpuLanesDimension Dimension;
typedef GhloCpuLanesPlan Plan;
typedef GhloCpuLanes State;

enum { CHUNK = GHLO_CPU_LANES_CHUNK, MIN_POSITIONS = GHLO_CPU_LANES_MIN_POSITIONS };

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
  guint8 *numbers = ghlo_cpu_lanes_number (work->state, work->copy, (gint64) begin);

  if (work->state->plan.pair > 0)
    work->state->pack (work->raw + begin, work->state->plan.pair, 2, 0, end - begin, end - begin, numbers);
  else
    ghlo_cpu_read_row (reader, work->raw + begin * reader->size, reader->size, numbers, end - begin);
}

/* Copies the input as it is, zeros included, and converts the copy to numbers. */
static gboolean
copy_input (Work *work)
{
  const State *state = work->state;
  const GhloMonitor *monitor = work->run->monitor;

  if (!ghlo_cpu_windows_clear (work->raw, (state->n_numbers + (gsize) state->plan.pair) * state->lhs.size, monitor))
    return FALSE;
  for (gint64 i = 0; i < state->plan.n_phases; i++)
    if (!ghlo_cpu_copy_run (&state->phases[i].copy, work->run->lhs + state->phases[i].from,
                            work->raw + state->phases[i].to, monitor))
      return FALSE;

  return state->lhs.same
         || ghlo_parallel_for (state->n_numbers, CHUNK, GHLO_CPU_LANES_ADJACENT_TIME * (double) state->n_numbers,
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

static GhloCpuWindowLanesFunc
find_sum (const State          *self,
          GhloCpuWindowWeights  kind)
{
  return ghlo_cpu_routines ()->windows[self->plan.pair > 0 ? GHLO_CPU_I16 : self->arithmetic][kind];
}

/* Writes planes of groups, one for each feature of a group, at @n positions. */
static void
write_groups (const Work   *work,
              const guint8 *from,
              gint64        n,
              guint8       *result)
{
  const State *state = work->state;
  const gint64 size = (gint64) state->writer.size, row = state->plan.row * size, features = state->features;
  const gint64 feature = work->windows->result_feature;
  const gint64 position = state->plan.dimensions[state->plan.rank - 1].window.result;
  const guint unit = g_bit_storage ((gsize) size) - 1;

  if (feature == size && features > 1)
    for (gint64 i = 0; i < n; i++)
      ghlo_cpu_routines ()->transpose[unit] (from + i * row, size, n * row, result + i * position, features * size,
                                             size, (gsize) state->groups, (gsize) features);
  else
    for (gint64 i = 0; i < features; i++)
      write_plane (state, from + i * n * row, state->plan.row, result + i * feature, position, features * feature, n,
                   state->groups);
}

/* Sums all features at some positions. */
static void
sum_groups (const Work *work,
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
  const gint64 position = last->window.step * last->stride;
  const GhloCpuWindowLanesFunc sum = find_sum (state, by_positions ? GHLO_CPU_WEIGHTS_OF_LANES
                                                                   : GHLO_CPU_WEIGHTS_OF_REGISTERS);
  GhloCpuWindowLanes lanes = {
    .offsets = state->offsets, .n_taps = plan->n_taps, .n_outputs = 1, .weights_step = (gsize) plan->row,
    .x_step = by_positions ? position : state->lanes, .y_step = by_positions ? plan->row : state->lanes,
    .n = (gsize) (by_positions ? n : n_registers),
  };

  for (gint64 i = 0; i < times; i++)
    for (gint64 o = 0; o < plan->n_outputs; o++)
      {
        lanes.x = ghlo_cpu_lanes_number (state, work->copy, copy + i * (by_positions ? state->lanes : position));
        lanes.y = ghlo_cpu_lanes_number (state, sums,
                                         o * n * plan->row + i * (by_positions ? state->lanes : plan->row));
        lanes.weights = ghlo_cpu_lanes_number (state, (gpointer) work->weights,
                                               o * (gint64) plan->n_taps * plan->row
                                               + (by_positions ? i * state->lanes : 0));
        sum (&lanes);
      }
  write_groups (work, convert_sums (state, sums, plan->n_outputs * n * plan->row), n, result);
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

/* Sums the features of joined blocks, from @first_block on, at some positions. */
static void
sum_positions (const Work *work,
               gint64      first_block,
               gint64      copy,
               gint64      first,
               gint64      n,
               guint8     *result,
               guint8     *sums)
{
  const State *state = work->state;
  const Plan *plan = &state->plan;
  const gint64 blocks_each = plan->n_blocks / state->groups, end = MIN (first_block + plan->n_joined, plan->n_blocks);
  const gint64 feature = first_block / blocks_each * state->features + first_block % blocks_each * plan->n_outputs;
  const GhloCpuWindowLanesFunc sum = find_sum (state, GHLO_CPU_WEIGHTS_SHARED);
  GhloCpuWindowLanes lanes = {
    .offsets = state->offsets, .n_taps = plan->n_taps, .n_outputs = (guint) plan->n_outputs,
    .weights_step = (gsize) plan->n_outputs, .x_step = state->lanes, .y_step = state->lanes,
    .n = (gsize) ghlo_ceil_div (n, state->lanes),
  };
  gint64 n_outputs = 0;
  const guint8 *elements;

  lanes.y_row = (gint64) lanes.n * state->lanes;
  for (gint64 block = first_block; block < end; block++)
    {
      lanes.weights = ghlo_cpu_lanes_number (state, (gpointer) work->weights,
                                             block * (gint64) plan->n_taps * plan->n_outputs);
      lanes.x = ghlo_cpu_lanes_number (state, work->copy, copy + first
                                       + block / blocks_each * work->windows->group_features * plan->plane);
      lanes.y = ghlo_cpu_lanes_number (state, sums, (block - first_block) * plan->n_outputs * lanes.y_row);
      sum (&lanes);
      n_outputs += MIN (plan->n_outputs, state->features - block % blocks_each * plan->n_outputs);
    }
  elements = convert_sums (state, sums, (end - first_block) * plan->n_outputs * lanes.y_row);
  write_positions (work, elements, lanes.y_row * (gint64) state->writer.size, n_outputs, first, n,
                   result + feature * work->windows->result_feature);
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

          copy += place * (plan->by_groups ? d->window.step : 1) * d->stride;
          result += place * d->window.result;
          rest /= d->window.output;
        }
      if (plan->by_groups)
        sum_groups (work, copy + first * plan->dimensions[plan->outer].window.step
                          * plan->dimensions[plan->outer].stride, n,
                    result + first * plan->dimensions[plan->outer].window.result, sums);
      else
        sum_positions (work, block * plan->n_joined, copy, first, n, result, sums);
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
  const gint64 blocks_each = state->plan.by_groups ? 0 : state->plan.n_blocks / state->groups;
  const gsize all = ghlo_cpu_lanes_count_chunks (&state->plan), size = state->copy_size + state->raw_size;

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
      own.weights = ghlo_cpu_lanes_number (state, (gpointer) work->weights,
                                           group * blocks_each * (gint64) state->plan.n_taps * state->plan.n_outputs);
      if (copy_input (&own))
        sum_chunks (&own, (gsize) ((wanted - group) * blocks_each) * state->plan.n_chunks, all, 0);
    }
}

gboolean
ghlo_cpu_lanes_compute (const GhloCpuConvolution    *self,
                        const GhloCpuConvolutionRun *run,
                        GError                     **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, ghlo_cpu_lanes_free);
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
      if (!ghlo_cpu_lanes_pack (self, run->rhs, weights, NULL, run->monitor, error))
        return FALSE;
    }
  if (n_tasks > 1)
    done = ghlo_parallel_for (n_tasks, 1, plan->nanoseconds, run_blocks, &work, run->monitor);
  else
    done = copy_input (&work) && ghlo_parallel_for (ghlo_cpu_lanes_count_chunks (plan), 1, plan->nanoseconds,
                                                    sum_chunks, &work, run->monitor);

  return done && (run->epilogue == NULL || ghlo_cpu_windows_finish (&self->windows, run));
}
