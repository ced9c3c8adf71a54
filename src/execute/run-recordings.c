/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device knows the plan's buffers by number only, plus what each of them may overlap: temporaries share an arena,
 * and an output may take over the memory of an input.
 *
 * Counted loops are recorded with the steps around them, one iteration after the other. Where two buffers are
 * swapped, the next iteration is recorded with their numbers swapped. The host makes the swaps after the
 * recording as if it had run the loop itself. A buffer is swapped with only one other buffer, in one loop
 * (plan/coalesce.c). Hence all buffers are in their own places after two iterations, and later iterations repeat
 * these two.
 *
 * Where the device chooses between branches, all branches are recorded, each under a predicate of its own. A loop
 * inside a branch therefore makes its swaps whether the branch is taken or not, and no step outside the branch
 * may see them.
 *
 * Work that is estimated to keep the device busy for long is split into several recordings, so that other users get
 * the device in between.
 */

#include "execute/run-loops.h"

enum { NO_TRIPS = -1 };

static void
find_swapped (GhloStep *step,
              gpointer  data)
{
  GhloBufferExtent *extents = data;

  for (guint i = 0; i < step->n_swaps; i++)
    {
      guint32 read = step->swaps[i].read, written = step->swaps[i].written;

      g_assert (extents[read].swapped_with == read && extents[written].swapped_with == written);
      extents[read].swapped_with = written;
      extents[written].swapped_with = read;
    }
}

/* The arena is allocation 0. An output belongs to the same allocation as all inputs that it may replace. */
static void
find_extents (GhloRunRecordings *self)
{
  const GhloStepPlan *plan = self->plan;

  for (guint i = 0; i < plan->n_buffers; i++)
    {
      const GhloStepBuffer *buffer = &plan->buffers[i];
      gboolean is_temporary = buffer->kind == GHLO_STEP_BUFFER_TEMPORARY;

      self->extents[i] = (GhloBufferExtent) { is_temporary ? 0 : i + 1, is_temporary ? buffer->offset : 0,
                                            buffer->size, i };
    }
  for (guint i = plan->n_buffers; i < plan->n_buffers + GHLO_RUN_N_LOOP_BUFFERS; i++)
    self->extents[i] = (GhloBufferExtent) { i + 1, 0, GHLO_STEP_LOOP_STATE, i };
  for (guint i = 0; i < plan->n_outputs; i++)
    for (guint k = 0; plan->outputs[i] != GHLO_STEP_NONE && k < plan->donations[i].n_inputs; k++)
      {
        guint32 from = self->extents[plan->outputs[i]].allocation;
        guint32 to = self->extents[plan->inputs[plan->donations[i].inputs[k]]].allocation;

        for (guint j = 0; from != to && j < plan->n_buffers; j++)
          if (self->extents[j].allocation == from)
            self->extents[j].allocation = to;
      }
  ghlo_step_plan_foreach (plan, find_swapped, self->extents);
}

void
ghlo_run_swap (const GhloStep  *loop,
               guint8         **addresses)
{
  for (guint i = 0; i < loop->n_swaps; i++)
    {
      guint8 **a = &addresses[loop->swaps[i].read], **b = &addresses[loop->swaps[i].written], *address = *a;

      *a = *b;
      *b = address;
    }
}

/* Makes the swaps of @trips iterations of @loop. */
static void
swap_all (const GhloStep  *loop,
          gint64           trips,
          guint8         **addresses)
{
  ghlo_run_swap_in (&loop->bodies[1], trips, addresses);
  if (trips % 2 != 0)
    ghlo_run_swap (loop, addresses);
}

/* Makes the swaps of @steps, including those in all branches. */
static void
swap_in_steps (GhloStep *const  *steps,
               guint             n_steps,
               guint8          **addresses)
{
  for (guint i = 0; i < n_steps; i++)
    if (steps[i]->kind == GHLO_STEP_LOOP)
      swap_all (steps[i], steps[i]->trips, addresses);
    else
      for (guint k = 0; k < steps[i]->n_bodies; k++)
        swap_in_steps (steps[i]->bodies[k].steps, steps[i]->bodies[k].n_steps, addresses);
}

void
ghlo_run_swap_in (const GhloStepBody  *body,
                  gint64               n,
                  guint8             **addresses)
{
  if (n % 2 != 0)
    swap_in_steps (body->steps, body->n_steps, addresses);
}

static GhloBufferRef
ref_of (const GhloRunRecordings *self,
        guint32                  buffer,
        gsize                    offset)
{
  if (buffer != GHLO_STEP_NONE && buffer == self->moved)
    return (GhloBufferRef) { self->moved_to.buffer, self->moved_to.offset + (gint64) offset };

  return (GhloBufferRef) { buffer != GHLO_STEP_NONE ? (guint32) GPOINTER_TO_SIZE (self->buffer_numbers[buffer])
                                                    : GHLO_STEP_NONE,
                           (gint64) offset };
}

static gboolean
record_step (GhloRunRecordings  *self,
             const GhloStep     *step,
             GhloCommandBuffer  *recording,
             GError            **error)
{
  GhloBufferRef *results = self->refs + step->n_operands;

  for (guint i = 0; i < step->n_operands; i++)
    self->refs[i] = ref_of (self, step->operands[i].buffer, step->operands[i].offset);
  for (guint i = 0; i < step->n_results; i++)
    results[i] = ref_of (self, step->results[i].buffer, step->results[i].offset);

  return step->implementation->record (step->compiled_step->compiled, self->refs, results,
                                       ref_of (self, step->scratch, 0), recording, error);
}

static gboolean record_loop (GhloRunRecordings *self, const GhloCommandBufferClass *commands, const GhloStep *loop,
                             gint64 trips, GhloCommandBuffer *recording, GError **error);

/* Records all bodies of a branch, each under its predicate. */
static gboolean
record_branch (GhloRunRecordings             *self,
               const GhloCommandBufferClass  *commands,
               const GhloStep                *branch,
               GhloCommandBuffer             *recording,
               GError                       **error)
{
  const GhloBufferRef index = ref_of (self, branch->operands[0].buffer, branch->operands[0].offset);
  GhloBufferRef predicate, around;
  const gboolean is_if = branch->op->kind == GHLO_OP_STABLEHLO_IF;
  gboolean ok = commands->select_branch (recording, index, is_if, branch->n_bodies, &predicate, error);

  if (!ok)
    return FALSE;
  around = commands->set_predicate (recording, predicate);
  for (guint i = 0; ok && i < branch->n_bodies; i++)
    {
      const GhloStepBody *body = &branch->bodies[i];

      commands->set_predicate (recording, predicate);
      ok = ghlo_run_recordings_record (self, commands, body->steps, body->n_steps, recording, error);
      predicate.offset += GHLO_STEP_PREDICATE_STRIDE;
    }
  commands->set_predicate (recording, around);

  return ok;
}

gboolean
ghlo_run_recordings_record (GhloRunRecordings             *self,
                            const GhloCommandBufferClass  *commands,
                            GhloStep *const               *steps,
                            guint                          n_steps,
                            GhloCommandBuffer             *recording,
                            GError                       **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < n_steps; i++)
    ok = steps[i]->kind == GHLO_STEP_LOOP ? record_loop (self, commands, steps[i], steps[i]->trips, recording, error)
         : steps[i]->kind == GHLO_STEP_BRANCH ? record_branch (self, commands, steps[i], recording, error)
                                              : record_step (self, steps[i], recording, error);

  return ok;
}

/* Records @trips iterations of a loop. */
static gboolean
record_loop (GhloRunRecordings             *self,
             const GhloCommandBufferClass  *commands,
             const GhloStep                *loop,
             gint64                         trips,
             GhloCommandBuffer             *recording,
             GError                       **error)
{
  const GhloStepBody *body = &loop->bodies[1];
  guint begins[3] = { 0 };

  for (gint64 i = 0; i < MIN (trips, 2); i++)
    {
      begins[i] = recording->n_commands;
      if (!ghlo_run_recordings_record (self, commands, body->steps, body->n_steps, recording, error))
        return FALSE;
      ghlo_run_swap (loop, self->buffer_numbers);
    }
  begins[2] = recording->n_commands;
  for (gint64 i = 2; i < trips; i++)
    commands->repeat (recording, begins[i % 2], begins[i % 2 + 1] - begins[i % 2]);
  if (trips > 2)
    swap_all (loop, trips, self->buffer_numbers);

  return TRUE;
}

gpointer
ghlo_run_recordings_begin (GhloRunRecordings *self,
                           GhloDeviceCore    *target)
{
  for (guint i = 0; i < self->plan->n_buffers; i++)
    self->buffer_numbers[i] = GSIZE_TO_POINTER (i);
  self->moved = GHLO_STEP_NONE;

  return target->command_buffers->begin (target, self->extents);
}

/* Records steps of @target, which take about @seconds; with @trips other than NO_TRIPS, that many iterations of the
 * first step, which is a loop. Returns NULL with @error. */
static gpointer
record (GhloRunRecordings  *self,
        GhloDeviceCore     *target,
        GhloStep *const    *steps,
        guint               n_steps,
        gint64              trips,
        double              seconds,
        GError            **error)
{
  const GhloCommandBufferClass *commands = target->command_buffers;
  GhloCommandBuffer *recording = ghlo_run_recordings_begin (self, target);
  gboolean ok = trips == NO_TRIPS ? ghlo_run_recordings_record (self, commands, steps, n_steps, recording, error)
                                  : record_loop (self, commands, steps[0], trips, recording, error);

  commands->end (recording, seconds);
  if (!ok)
    g_clear_pointer (&recording, commands->free);

  return recording;
}

static gboolean
record_segment (GhloRunRecordings  *self,
                GhloDeviceCore     *target,
                GhloStep *const    *steps,
                guint               n_steps,
                double              seconds,
                GhloRunSegment     *segment,
                GError            **error)
{
  *segment = (GhloRunSegment) { .device = target, .n_steps = n_steps, .n_replays = 1 };
  for (guint i = 0; i < n_steps; i++)
    segment->has_bodies |= steps[i]->n_bodies > 0;
  segment->recording = record (self, target, steps, n_steps, NO_TRIPS, seconds, error);

  return segment->recording != NULL;
}

/* Records a loop in pieces of @n iterations, an even number; each iteration takes about @seconds. */
static gboolean
record_long_loop (GhloRunRecordings  *self,
                  GhloDeviceCore     *target,
                  GhloStep *const    *loop,
                  gint64              n,
                  double              seconds,
                  GhloRunSegment     *segment,
                  GError            **error)
{
  const gint64 n_left = (*loop)->trips % n;

  *segment = (GhloRunSegment) { .device = target, .n_steps = 1, .has_bodies = TRUE,
                                .n_replays = (*loop)->trips / n };
  segment->recording = record (self, target, loop, 1, n, (double) n * seconds, error);
  if (segment->recording != NULL && n_left > 0)
    segment->rest = record (self, target, loop, 1, n_left, (double) n_left * seconds, error);

  return segment->recording != NULL && (n_left == 0 || segment->rest != NULL);
}

/* Returns whether the step fits into one recording. A single COMPUTE step is not split here; the device may do that. */
static gboolean
is_short (const GhloStep      *step,
          const GhloRunLength *length)
{
  return length->n_steps <= GHLO_RUN_MAX_LOOP_STEPS
         && (length->seconds <= GHLO_STEP_MAX_SECONDS || step->kind == GHLO_STEP_COMPUTE);
}

/* Returns how many steps from @first on form one recording, and sets *@target to the target that records them. */
static guint
measure_segment (const GhloRunRecordings  *self,
                 const GhloStepBody       *body,
                 guint                     first,
                 GhloDeviceCore          **target,
                 double                   *seconds)
{
  guint n = 0;

  *target = NULL;
  *seconds = 0;
  for (; first + n < body->n_steps; n++)
    {
      const GhloStep *step = body->steps[first + n];
      GhloDeviceCore *with_it = *target;
      GhloRunLength length = { 0 };

      if (!ghlo_run_is_recorded (self->plan, step, &with_it, &length) || !is_short (step, &length)
          || (n > 0 && *seconds + length.seconds > GHLO_STEP_MAX_SECONDS))
        break;
      *target = with_it;
      *seconds += length.seconds;
    }

  return *target != NULL ? n : 0;
}

/* Returns how many iterations form one recording: an even number, 0 where two would be too many. */
static gint64
count_iterations (const GhloRunLength *each)
{
  double n = each->n_steps > 0 ? GHLO_RUN_MAX_LOOP_STEPS / (double) each->n_steps : 0;

  if (each->seconds > 0)
    n = MIN (n, GHLO_STEP_MAX_SECONDS / each->seconds);

  return (gint64) n & ~1;
}

static gboolean record_body (GhloRunRecordings *self, const GhloStepBody *body, GError **error);

/* Handles a step that starts no segment. */
static gboolean
record_other (GhloRunRecordings  *self,
              GhloStep *const    *step,
              GError            **error)
{
  GhloDeviceCore *target = NULL;
  GhloRunSegment *segment = &self->segments[(*step)->number];
  GError *problem = NULL;
  const GhloRunLength each = ghlo_run_measure_iteration (self->plan, *step, &target);
  const gint64 n = count_iterations (&each);

  if (target != NULL && n > 0)
    return record_long_loop (self, target, step, n, each.seconds, segment, error);
  segment->loop = ghlo_run_loop_new (self, *step, &problem);
  if (problem != NULL)
    g_propagate_error (error, problem);
  if (segment->loop != NULL || problem != NULL)
    return problem == NULL;
  for (guint i = 0; i < (*step)->n_bodies; i++)
    if (!record_body (self, &(*step)->bodies[i], error))
      return FALSE;

  return TRUE;
}

/* Lets a data-dependent loop take over a short segment next to it; a segment between two loops goes to the first one.
 * @segment, which begins at @steps, follows @before, which is NULL if it has been taken over. Returns what the next
 * segment has before it. */
static GhloRunSegment *
share_with_loop (GhloRunSegment        *before,
                 GhloRunSegment        *segment,
                 GhloStep       *const *steps)
{
  if (before != NULL && before->loop != NULL && segment->recording != NULL)
    {
      ghlo_run_loop_set_steps_after (before->loop, steps, segment->n_steps);
      return NULL;
    }
  if (before != NULL && before->recording != NULL && segment->loop != NULL
      && ghlo_run_loop_set_steps_before (segment->loop, steps - before->n_steps, before->n_steps, before->recording))
    before->next = segment->loop;

  return segment;
}

static gboolean
record_body (GhloRunRecordings   *self,
             const GhloStepBody  *body,
             GError             **error)
{
  GhloRunSegment *before = NULL;
  gboolean ok = TRUE;

  for (guint i = 0, n; ok && i < body->n_steps; i += MAX (n, 1))
    {
      GhloStep *const *steps = &body->steps[i];
      GhloRunSegment *segment = &self->segments[steps[0]->number];
      GhloDeviceCore *target;
      double seconds;

      n = measure_segment (self, body, i, &target, &seconds);
      ok = n > 0 ? record_segment (self, target, steps, n, seconds, segment, error)
                 : record_other (self, steps, error);
      before = share_with_loop (before, segment, steps);
    }

  return ok;
}

GhloRunRecordings *
ghlo_run_recordings_new (const GhloStepPlan  *plan,
                         GError             **error)
{
  g_autoptr (GhloRunRecordings) self = g_new0 (GhloRunRecordings, 1);

  self->plan = plan;
  g_mutex_init (&self->lock);
  self->extents = g_new (GhloBufferExtent, plan->n_buffers + GHLO_RUN_N_LOOP_BUFFERS);
  self->refs = g_new (GhloBufferRef, plan->max_views);
  self->buffer_numbers = g_new (guint8 *, plan->n_buffers);
  self->segments = g_new0 (GhloRunSegment, plan->n_steps);
  find_extents (self);

  return record_body (self, &plan->body, error) ? g_steal_pointer (&self) : NULL;
}

static void
free_segments (GhloRunRecordings *self,
                GhloRunSegment    *segments)
{
  for (guint i = 0; segments != NULL && i < self->plan->n_steps; i++)
    {
      GhloRunSegment *segment = &segments[i];

      if (segment->recording != NULL)
        segment->device->command_buffers->free (segment->recording);
      if (segment->rest != NULL)
        segment->device->command_buffers->free (segment->rest);
      if (segment->loop != NULL)
        ghlo_run_loop_free (segment->loop);
    }
  g_free (segments);
}

void
ghlo_run_recordings_free (GhloRunRecordings *self)
{
  free_segments (self, self->segments);
  free_segments (self, self->singles);
  g_mutex_clear (&self->lock);
  g_free (self->extents);
  g_free (self->refs);
  g_free (self->buffer_numbers);
  g_free (self);
}

gsize
ghlo_run_recordings_get_size (const GhloRunRecordings *self)
{
  gsize size = 0;

  for (guint i = 0; i < self->plan->n_steps; i++)
    {
      const GhloRunSegment *segment = &self->segments[i];

      if (segment->recording != NULL)
        size += segment->recording->run_bytes;
      if (segment->rest != NULL)
        size += segment->rest->run_bytes;
    }

  return size;
}

static const GhloRunSegment *
get_single (GhloRunRecordings  *self,
            GhloStep *const    *steps,
            GError            **error)
{
  GhloRunSegment *single;
  gboolean ok;

  g_mutex_lock (&self->lock);
  if (self->singles == NULL)
    self->singles = g_new0 (GhloRunSegment, self->plan->n_steps);
  single = &self->singles[steps[0]->number];
  ok = single->recording != NULL || record_segment (self, steps[0]->target, steps, 1, 0, single, error);
  g_mutex_unlock (&self->lock);

  return ok ? single : NULL;
}

gboolean
ghlo_run_recordings_begin_with (const GhloRunRecordings *self,
                                const GhloStep          *step,
                                gboolean                 alone)
{
  const GhloRunSegment *segment = &self->segments[step->number];

  return alone ? ghlo_step_get_commands (step) != NULL : segment->recording != NULL || segment->loop != NULL;
}

/* Stays at most one submission ahead of the device, so that a cancellation takes effect. */
static gboolean
replay_often (const GhloRunSegment  *segment,
              guint8 *const         *addresses,
              const GhloMonitor     *monitor,
              GError               **error)
{
  GhloDeviceQueue *queue = segment->device->queue;
  g_autoptr (GhloFence) previous = NULL;

  for (gint64 i = 0; i < segment->n_replays; i++)
    {
      g_autoptr (GhloFence) fence = NULL;

      if (ghlo_monitor_cancelled (monitor, error)
          || !segment->device->command_buffers->replay (segment->recording, addresses, monitor, error))
        return FALSE;
      fence = queue->klass->add_fence (queue, GHLO_WAIT_IN_RUN);
      if (!queue->klass->submit (queue, error) || !ghlo_fence_wait (previous, monitor, error))
        return FALSE;
      g_clear_pointer (&previous, ghlo_fence_unref);
      previous = g_steal_pointer (&fence);
    }

  return TRUE;
}

static gboolean
replay (const GhloRunSegment  *segment,
        guint8 *const         *addresses,
        const GhloMonitor     *monitor,
        GError               **error)
{
  const GhloCommandBufferClass *commands = segment->device->command_buffers;

  if (segment->n_replays == 1 ? !commands->replay (segment->recording, addresses, monitor, error)
                              : !replay_often (segment, addresses, monitor, error))
    return FALSE;

  return segment->rest == NULL || commands->replay (segment->rest, addresses, monitor, error);
}

guint
ghlo_run_recordings_run (GhloRunRecordings   *self,
                         const GhloStepBody  *body,
                         guint                first,
                         gboolean             alone,
                         guint8             **addresses,
                         const GhloMonitor   *monitor,
                         GError             **error)
{
  GhloStep *const *steps = &body->steps[first];
  const GhloRunSegment *segment = alone ? get_single (self, steps, error) : &self->segments[steps[0]->number];

  if (segment != NULL && (segment->loop != NULL || segment->next != NULL))
    {
      const guint n_ahead = segment->next != NULL ? segment->n_steps : 0;
      const guint n = ghlo_run_loop_run (n_ahead > 0 ? segment->next : segment->loop, addresses, monitor, error);

      if (n > n_ahead + 1)
        swap_in_steps (steps + n_ahead + 1, n - n_ahead - 1, addresses);
      return n;
    }
  if (segment == NULL || !replay (segment, addresses, monitor, error))
    return 0;
  if (segment->has_bodies)
    swap_in_steps (steps, segment->n_steps, addresses);

  return segment->n_steps;
}
