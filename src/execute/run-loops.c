/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A data-dependent loop is recorded in batches of iterations, whose steps have no effect once the loop has ended.
 * Each iteration of a batch has a predicate: a byte that is 0 before the batch begins, and that the condition of the
 * iteration writes. The condition itself is executed under the previous predicate. If that is 0, the condition has no
 * effect and its own predicate stays 0, and so do all later ones. Nothing therefore has to record after each iteration
 * whether there is another one. At the end of a batch the device counts the iterations by their predicates, resets
 * these to 0, and tells whether the first condition of the next batch runs.
 *
 * The condition that yields 0 is the last one to run, so carried values stay where that condition read them.
 *
 * A body is executed under the predicate of its condition. A body whose only writes are to buffers that are swapped and
 * to its own temporaries does no harm in an iteration that does not exist. Such a body runs ahead: beside its
 * condition, under the previous predicate. The iteration then waits once, for the previous iteration, instead of also
 * waiting for its condition, and the condition and the first dispatch of the body may be merged into one dispatch.
 *
 * While the device runs a batch, the host submits the next one and then waits for the report of the previous one.
 * The last report contains the number of iterations, and hence which swaps to make. The next run expects the
 * same number. Batches up to that number are submitted together, because a submission costs as much as several
 * iterations. If two consecutive runs had the same number, all iterations become one batch, because ending a batch
 * costs as much as two iterations. That batch begins with the steps before the loop. The steps after the loop are
 * recorded at its end, under a predicate that is 1 if the loop has ended exactly with the last condition of the batch.
 * If the expectation holds, everything is one recording and the device does not wait for the host. If not, the host
 * learns it from the report and starts the following steps as usual.
 */

#include "execute/run-loops.h"

#include <string.h>

#include "base/sizes.h"
#include "execute/profile.h"

/* The iterations per batch: of the batch that begins a loop, then of the other batches. The numbers are even, because
 * every buffer is in its own place again after two iterations (see run-recordings.c). */
enum { MAX_BATCH_ITERATIONS = 64 };
static const guint sizes[] = { 2, 2, 4, 8, 16, 32, MAX_BATCH_ITERATIONS };

/* A batch has at most 1 / STARTED_PER_BATCH of the iterations that have been started, or MIN_LIMIT iterations: those
 * after the end of the loop take time too. MIN_LIMIT iterations of a few µs each keep the device busy until the host
 * has submitted the next ones. */
enum { STARTED_PER_BATCH = 4, MIN_LIMIT = 8 };

/* AT_ONCE times the iterations of the largest batch: the most that are submitted at once, or form one batch, where the
 * loop is expected to have them. */
enum { AT_ONCE = 2, MAX_AT_ONCE = AT_ONCE * MAX_BATCH_ITERATIONS };

/* Seconds. A longer body loses more through one superfluous iteration than it gains by not waiting. */
#define MAX_AHEAD 2e-5

/* Limits for the steps around a loop that are recorded with it. They are recorded once per expected number of
 * iterations, and those after the loop are skipped in vain where the number turns out different. For steps of more than
 * MAX_AROUND seconds, waiting for the host costs little in comparison. */
enum { MAX_STEPS_AROUND = 32 };
#define MAX_AROUND 2e-4

/* Bytes between the two reports; the report of one batch is read while the next batch writes the other one. */
enum { N_REPORTS = 2, REPORT_STRIDE = 64 };

/* The largest size in bytes of the predicate's buffer; each iteration's predicate lies in a buffer of that size. */
enum { MAX_PREDICATE_BYTES = 4096 };

/* Allocated as a g_atomic_rc_box, because a concurrent run may replace it. */
typedef struct
{
  const GhloCommandBufferClass *commands;
  GhloCommandBuffer            *recording;
  guint                         size;           /* in iterations */
} IterationBatch;

/* A loop has a batch for each entry of sizes, the first of which begins the loop, and then one that contains all
 * iterations and the steps around the loop. */
enum { WHOLE = G_N_ELEMENTS (sizes), N_BATCHES };

struct _GhloRunLoop
{
  GhloRunRecordings    *recordings;
  const GhloStep       *loop;
  GhloDeviceCore       *target;
  GhloBufferRef         predicate;      /* its place in the plan's buffers */
  gsize                 stride;         /* bytes from one predicate to the next */
  gboolean              runs_ahead;     /* TRUE: the body runs ahead */
  guint                 n_sizes;        /* number of sizes whose batches do not have too many steps */
  GhloStep *const      *steps_before, *const *steps_after;     /* recorded with it; borrowed */
  guint                 n_steps_before, n_steps_after;
  GhloCommandBuffer    *recording_before;       /* a recording of steps_before alone; borrowed */
  int                   iteration_time; /* duration of a recent iteration in ns; 0: unknown; atomic */
  guint                 n_last;         /* iterations of the previous run; G_MAXUINT: unknown; atomic */
  gboolean              is_steady;      /* the run before the previous one had as many; atomic */
  IterationBatch       *batches[N_BATCHES];     /* NULL until needed; guarded by the lock of recordings */
};

static GhloBufferRef
loop_ref (const GhloRunLoop *self,
          guint              i)
{
  return (GhloBufferRef) { self->recordings->plan->n_buffers + i, 0 };
}

static const GhloBufferRef nowhere = { GHLO_STEP_NONE, 0 };

/* Returns the predicate of iteration @i of a batch. */
static GhloBufferRef
predicate_of (const GhloRunLoop *self,
              guint              i)
{
  return (GhloBufferRef) { loop_ref (self, GHLO_RUN_LOOP_PREDICATES).buffer,
                           (gint64) (i * self->stride) + self->predicate.offset };
}

/* Records iteration @i of a batch; the previous iteration has the predicate @before. */
static gboolean
record_iteration (const GhloRunLoop  *self,
                  guint               i,
                  GhloBufferRef       before,
                  GhloCommandBuffer  *recording,
                  GError            **error)
{
  const GhloCommandBufferClass *commands = self->target->command_buffers;
  const GhloStepBody *condition = &self->loop->bodies[0], *body = &self->loop->bodies[1];
  const GhloBufferRef predicate = predicate_of (self, i);
  const guint first = recording->n_commands;
  gboolean ok;

  self->recordings->moved = self->predicate.buffer;
  self->recordings->moved_to = (GhloBufferRef) { predicate.buffer, predicate.offset - self->predicate.offset };
  commands->set_predicate (recording, before);
  ok = ghlo_run_recordings_record (self->recordings, commands, condition->steps, condition->n_steps - 1, recording,
                                   error);
  commands->set_predicate (recording, self->runs_ahead ? before : predicate);
  ok = ok && ghlo_run_recordings_record (self->recordings, commands, body->steps, body->n_steps, recording, error);
  if (ok && self->runs_ahead && commands->merge_dispatches != NULL)
    ok = commands->merge_dispatches (recording, first, error);
  commands->set_predicate (recording, nowhere);
  ghlo_run_swap (self->loop, self->recordings->buffer_numbers);

  return ok;
}

/* Records a batch. In the batch that begins a loop, the first condition always runs, and so does a body beside it;
 * meanwhile all other predicates are reset. */
static gboolean
record_batch (const GhloRunLoop  *self,
              guint               size,
              gboolean            is_first,
              GhloCommandBuffer  *recording,
              GError            **error)
{
  const GhloCommandBufferClass *commands = self->target->command_buffers;
  const GhloBufferRef state = loop_ref (self, GHLO_RUN_LOOP_STATE);
  GhloBufferRef before = is_first ? nowhere : state;
  gboolean ok = !is_first || commands->count_iterations (recording, predicate_of (self, 1), MAX_AT_ONCE - 1,
                                                         self->stride, state, nowhere, error);

  for (guint i = 0; ok && i < size; i++)
    {
      ok = record_iteration (self, i, before, recording, error);
      before = predicate_of (self, i);
    }

  return ok && commands->count_iterations (recording, predicate_of (self, 0), size, self->stride, state,
                                           loop_ref (self, GHLO_RUN_LOOP_REPORT), error);
}

/* Makes the swaps of @n_conditions conditions and @n_bodies bodies. Negative numbers undo swaps. */
static void
swap (const GhloRunLoop  *self,
      gint64              n_conditions,
      gint64              n_bodies,
      guint8            **addresses)
{
  ghlo_run_swap_in (&self->loop->bodies[0], n_conditions, addresses);
  ghlo_run_swap_in (&self->loop->bodies[1], n_bodies, addresses);
  if (n_bodies % 2 != 0)
    ghlo_run_swap (self->loop, addresses);
}

/* Records the steps after the loop in the batch of all iterations. Where their predicate is 1, the last iteration
 * consisted of a condition only. */
static gboolean
record_steps_after (const GhloRunLoop  *self,
                    GhloCommandBuffer  *recording,
                    GError            **error)
{
  const GhloCommandBufferClass *commands = self->target->command_buffers;
  const GhloBufferRef state = loop_ref (self, GHLO_RUN_LOOP_STATE);
  gboolean ok;

  self->recordings->moved = GHLO_STEP_NONE;
  swap (self, 0, -1, self->recordings->buffer_numbers);
  commands->set_predicate (recording, (GhloBufferRef) { state.buffer, state.offset + GHLO_STEP_LOOP_ENDED });
  ok = ghlo_run_recordings_record (self->recordings, commands, self->steps_after, self->n_steps_after, recording,
                                   error);
  commands->set_predicate (recording, nowhere);

  return ok;
}

static void
clear_batch (gpointer data)
{
  IterationBatch *batch = data;

  batch->commands->free (batch->recording);
}

static void
release_batch (IterationBatch *batch)
{
  g_atomic_rc_box_release_full (batch, clear_batch);
}

/* Records batch number @i. */
static IterationBatch *
new_batch (const GhloRunLoop  *self,
           guint               i,
           guint               size,
           GError            **error)
{
  const GhloCommandBufferClass *commands = self->target->command_buffers;
  IterationBatch *batch = g_atomic_rc_box_new (IterationBatch);
  gboolean ok;

  self->recordings->extents[loop_ref (self, GHLO_RUN_LOOP_PREDICATES).buffer].size = MAX_AT_ONCE * self->stride;
  *batch = (IterationBatch) { commands, ghlo_run_recordings_begin (self->recordings, self->target), size };
  ok = (i != WHOLE || ghlo_run_recordings_record (self->recordings, commands, self->steps_before, self->n_steps_before,
                                                  batch->recording, error))
       && record_batch (self, size, i == 0 || i == WHOLE, batch->recording, error)
       && (i != WHOLE || record_steps_after (self, batch->recording, error));
  commands->end (batch->recording, 0);  /* 0: the real duration is measured, and limits what is submitted at once */
  if (!ok)
    g_clear_pointer (&batch, release_batch);

  return batch;
}

/* Returns batch number @i with @size iterations; the caller releases it. */
static IterationBatch *
get_batch (GhloRunLoop  *self,
           guint         i,
           guint         size,
           GError      **error)
{
  IterationBatch *batch = NULL;

  g_mutex_lock (&self->recordings->lock);
  if (self->batches[i] != NULL && self->batches[i]->size != size)
    g_clear_pointer (&self->batches[i], release_batch);
  if (self->batches[i] == NULL)
    self->batches[i] = new_batch (self, i, size, error);
  if (self->batches[i] != NULL)
    batch = g_atomic_rc_box_acquire (self->batches[i]);
  g_mutex_unlock (&self->recordings->lock);

  return batch;
}

/* Returns whether @buffer is used by steps of @body only. */
static gboolean
is_of_body (const GhloStepBuffer *buffer,
            const GhloStepBody   *body)
{
  return buffer->kind == GHLO_STEP_BUFFER_TEMPORARY && buffer->first >= body->steps[0]->number
         && buffer->last <= body->steps[body->n_steps - 1]->end;
}

/* Returns whether the steps of the condition write the predicate themselves and the predicate can be moved: its buffer
 * is used by the condition only and is not swapped. */
static gboolean
computes_predicate (const GhloRunRecordings *recordings,
                    const GhloStepBody      *condition,
                    guint32                  predicate)
{
  const GhloStepBuffer *buffer = &recordings->plan->buffers[predicate];

  for (guint i = 0; i < condition->n_steps; i++)
    for (guint k = 0; condition->steps[i]->kind == GHLO_STEP_COMPUTE && k < condition->steps[i]->n_results; k++)
      if (condition->steps[i]->results[k].buffer == predicate)
        return recordings->extents[predicate].swapped_with == predicate && is_of_body (buffer, condition)
               && buffer->size <= MAX_PREDICATE_BYTES;

  return FALSE;
}

/* Returns the length of one iteration; no steps if it cannot be recorded. */
static GhloRunLength
measure_iteration (const GhloStepPlan  *plan,
                   const GhloStep      *loop,
                   GhloDeviceCore     **target)
{
  GhloRunLength length = { 0 };

  for (guint i = 0; i < 2; i++)
    for (guint k = 0; k + (i == 0) < loop->bodies[i].n_steps; k++)
      if (!ghlo_run_is_recorded (plan, loop->bodies[i].steps[k], target, &length))
        return (GhloRunLength) { 0 };

  return length;
}

/* Returns whether the content of @buffer is not needed after the body has run once too often. */
static gboolean
is_dead_after_body (const GhloRunRecordings *recordings,
                    const GhloStep          *loop,
                    guint32                  buffer)
{
  for (guint i = 0; i < loop->n_swaps; i++)
    if (loop->swaps[i].written == buffer)
      return TRUE;

  return is_of_body (&recordings->plan->buffers[buffer], &loop->bodies[1]);
}

static gboolean
may_run_ahead (const GhloRunRecordings *recordings,
               const GhloStep          *loop)
{
  GhloRunLength length = { 0 };
  GhloDeviceCore *target = NULL;

  for (guint i = 0; i < 2; i++)
    for (guint k = 0; k + (i == 0) < loop->bodies[i].n_steps; k++)
      if (loop->bodies[i].steps[k]->kind != GHLO_STEP_COMPUTE)
        return FALSE;
  for (guint i = 0; i < loop->bodies[1].n_steps; i++)
    {
      const GhloStep *step = loop->bodies[1].steps[i];

      ghlo_run_is_recorded (recordings->plan, step, &target, &length);
      for (guint k = 0; k < step->n_results; k++)
        if (step->results[k].buffer != GHLO_STEP_NONE
            && !is_dead_after_body (recordings, loop, step->results[k].buffer))
          return FALSE;
    }

  return loop->bodies[1].n_steps > 0 && length.seconds <= MAX_AHEAD;
}

GhloRunLoop *
ghlo_run_loop_new (GhloRunRecordings  *recordings,
                   const GhloStep     *loop,
                   GError            **error)
{
  const GhloBufferRef predicate = ghlo_step_get_predicate (loop);
  GhloDeviceCore *target = NULL;
  GhloRunLength length;
  GhloRunLoop *self;

  if (predicate.buffer == GHLO_STEP_NONE || !computes_predicate (recordings, &loop->bodies[0], predicate.buffer))
    return NULL;
  length = measure_iteration (recordings->plan, loop, &target);
  if (length.n_steps == 0 || length.n_steps > GHLO_RUN_MAX_LOOP_STEPS / sizes[0]
      || length.seconds * sizes[0] > GHLO_STEP_MAX_SECONDS || target->command_buffers->count_iterations == NULL)
    return NULL;
  self = g_new0 (GhloRunLoop, 1);
  *self = (GhloRunLoop) {
    recordings, loop, target, predicate, ghlo_size_align (recordings->plan->buffers[predicate.buffer].size),
    may_run_ahead (recordings, loop), 2, .n_last = G_MAXUINT,
  };
  while (self->n_sizes < G_N_ELEMENTS (sizes) && length.n_steps * sizes[self->n_sizes] <= GHLO_RUN_MAX_LOOP_STEPS)
    self->n_sizes++;
  self->batches[0] = new_batch (self, 0, sizes[0], error);
  if (self->batches[0] == NULL)
    g_clear_pointer (&self, ghlo_run_loop_free);

  return self;
}

static gboolean
are_short (const GhloRunLoop *self,
           GhloStep *const   *steps,
           guint              n_steps)
{
  GhloDeviceCore *target = self->target;
  GhloRunLength length = { 0 };

  for (guint i = 0; i < n_steps; i++)
    if (!ghlo_run_is_recorded (self->recordings->plan, steps[i], &target, &length))
      return FALSE;

  return length.n_steps <= MAX_STEPS_AROUND && length.seconds <= MAX_AROUND;
}

/* Accepts no steps with bodies: the loop only handles swaps of its own. */
gboolean
ghlo_run_loop_set_steps_before (GhloRunLoop              *self,
                                GhloStep          *const *steps,
                                guint                     n_steps,
                                GhloCommandBuffer        *recording)
{
  for (guint i = 0; i < n_steps; i++)
    if (steps[i]->n_bodies > 0)
      return FALSE;
  if (!are_short (self, steps, n_steps))
    return FALSE;
  self->steps_before = steps;
  self->n_steps_before = n_steps;
  self->recording_before = recording;

  return TRUE;
}

void
ghlo_run_loop_set_steps_after (GhloRunLoop        *self,
                               GhloStep    *const *steps,
                               guint               n_steps)
{
  if (!are_short (self, steps, n_steps))
    return;
  self->steps_after = steps;
  self->n_steps_after = n_steps;
}

void
ghlo_run_loop_free (GhloRunLoop *self)
{
  for (guint i = 0; i < N_BATCHES; i++)
    if (self->batches[i] != NULL)
      release_batch (self->batches[i]);
  g_free (self);
}

/* The state of a loop during a run. */
typedef struct
{
  GhloRunLoop       *self;
  guint8           **addresses;
  const GhloMonitor *monitor;
  guint8            *state, *reports;           /* device addresses; the predicates follow the state */
  const guint8      *seen;                      /* the host's address of the reports */
  GhloFence         *fences[N_REPORTS];         /* owned; signaled when the report of a submission may be read */
  guint              n_iterations[N_REPORTS];   /* iterations of each submission */
  guint64            n_submitted, n_ended;      /* numbers of submissions */
  guint64            n_begun;                   /* number of iterations */
  guint              n_whole;                   /* iterations in the batch of all iterations; 0: there was none */
  guint64            n_expected;                /* conditions until the end, if it is like the last run */
  gint64             previous_end;              /* time in ns when the previous submission was seen to have ended */
} Run;

static gboolean
is_known (const Run *run)
{
  return run->n_expected != G_MAXUINT64 && run->n_begun < run->n_expected;
}

static gboolean
takes_too_long (const Run *run,
                guint      n_iterations)
{
  return n_iterations * (gint64) g_atomic_int_get (&run->self->iteration_time) > GHLO_STEP_MAX_NANOSECONDS;
}

static guint
count_at_once (const GhloRunLoop *self)
{
  return AT_ONCE * sizes[self->n_sizes - 1];
}

/* Returns the number of iterations for a batch of the whole loop, or 0 where that is not expected to pay off. */
static guint
count_whole (const Run *run)
{
  const guint64 n = run->n_expected;

  return run->n_begun == 0 && g_atomic_int_get (&run->self->is_steady) && n <= count_at_once (run->self)
         && !takes_too_long (run, (guint) n) ? (guint) n : 0;
}

/* Returns the index in sizes of the next batch. A superfluous iteration costs less than an additional batch. */
static guint
choose_size (const Run *run)
{
  const guint64 most = is_known (run) ? run->n_expected - run->n_begun + 1
                                      : MAX (run->n_begun / STARTED_PER_BATCH, MIN_LIMIT);
  guint i = 1;

  if (run->n_begun == 0)
    return 0;
  while (g_atomic_int_get (&run->self->iteration_time) > 0 && i + 1 < run->self->n_sizes && sizes[i + 1] <= most
         && !takes_too_long (run, sizes[i + 1]))
    i++;

  return i;
}

/* Starts the next batch and returns its number of iterations; 0 with @error. */
static guint
begin_batch (Run     *run,
             GError **error)
{
  const GhloCommandBufferClass *commands = run->self->target->command_buffers;
  const guint n_whole = count_whole (run), i = n_whole > 0 ? WHOLE : choose_size (run);
  const guint n = n_whole > 0 ? n_whole : sizes[i];
  IterationBatch *batch = !ghlo_monitor_cancelled (run->monitor, error) ? get_batch (run->self, i, n, error) : NULL;
  gboolean ok = batch != NULL;

  if (ok && i == 0 && run->self->n_steps_before > 0)
    ok = commands->replay (run->self->recording_before, run->addresses, run->monitor, error);
  ok = ok && commands->replay (batch->recording, run->addresses, run->monitor, error);

  if (batch != NULL)
    release_batch (batch);
  if (!ok)
    return 0;
  run->n_whole = MAX (run->n_whole, n_whole);
  run->n_begun += n;
  swap (run->self, n, n, run->addresses);

  return n;
}

/* Starts the next batch, together with the batches that are expected to follow it. */
static gboolean
begin_batches (Run     *run,
               GError **error)
{
  GhloDeviceQueue *queue = run->self->target->queue;
  const guint slot = run->n_submitted % N_REPORTS;
  guint n = 0, n_next;

  run->addresses[loop_ref (run->self, GHLO_RUN_LOOP_REPORT).buffer] = run->reports + slot * REPORT_STRIDE;
  do
    {
      const guint n_more = begin_batch (run, error);

      if (n_more == 0)
        return FALSE;
      n += n_more;
      n_next = n + sizes[choose_size (run)];
    }
  while (is_known (run) && n_next <= count_at_once (run->self) && !takes_too_long (run, n_next));
  run->n_iterations[slot] = n;
  run->n_submitted++;

  g_clear_pointer (&run->fences[slot], ghlo_fence_unref);
  run->fences[slot] = queue->klass->add_fence (queue, GHLO_WAIT_IN_RUN);

  return queue->klass->submit (queue, error);
}

/* Waits for the oldest submission in progress. */
static gboolean
await_batches (Run      *run,
               guint32  *report,
               GError  **error)
{
  const guint slot = run->n_ended++ % N_REPORTS;
  gint64 now;

  if (!ghlo_fence_wait (run->fences[slot], run->monitor, error))
    return FALSE;
  now = ghlo_run_profile_now ();
  g_atomic_int_set (&run->self->iteration_time, (int) CLAMP ((now - run->previous_end) / run->n_iterations[slot], 1,
                                                               GHLO_STEP_MAX_NANOSECONDS));
  run->previous_end = now;
  memcpy (report, run->seen + slot * REPORT_STRIDE, sizeof *report);
  /* The loop is longer than expected. */
  if (run->n_ended == run->n_submitted)
    run->n_expected = G_MAXUINT64;

  return TRUE;
}

static gsize
state_size (const GhloRunLoop *self)
{
  return ghlo_size_align (GHLO_STEP_LOOP_STATE) + MAX_AT_ONCE * self->stride;
}

static gboolean
allocate (Run     *run,
          GError **error)
{
  GhloDeviceMemory *memory = run->self->target->memory;
  gpointer host = NULL;

  run->state = memory->klass->alloc (memory, GHLO_MEMORY_DEVICE, state_size (run->self), NULL, error);
  if (run->state == NULL)
    return FALSE;
  run->reports = memory->klass->alloc (memory, GHLO_MEMORY_READBACK, N_REPORTS * REPORT_STRIDE, &host, error);
  run->seen = host;
  run->addresses[loop_ref (run->self, GHLO_RUN_LOOP_STATE).buffer] = run->state;
  run->addresses[loop_ref (run->self, GHLO_RUN_LOOP_PREDICATES).buffer] =
    run->state + ghlo_size_align (GHLO_STEP_LOOP_STATE);

  return run->reports != NULL;
}

static void
release (Run *run)
{
  GhloDeviceMemory *memory = run->self->target->memory;

  if (run->state != NULL)
    memory->klass->free (memory, run->state, state_size (run->self));
  if (run->reports != NULL)
    memory->klass->free (memory, run->reports, N_REPORTS * REPORT_STRIDE);
  for (guint i = 0; i < N_REPORTS; i++)
    g_clear_pointer (&run->fences[i], ghlo_fence_unref);
}

/* Returns whether to start more batches while the device runs others; not if the loop is expected to end in those. */
static gboolean
may_begin (const Run *run)
{
  const guint64 n_open = run->n_submitted - run->n_ended;

  return n_open == 0 || (n_open < N_REPORTS && run->n_begun < run->n_expected);
}

guint
ghlo_run_loop_run (GhloRunLoop        *self,
                   guint8            **addresses,
                   const GhloMonitor  *monitor,
                   GError            **error)
{
  Run run = { .self = self, .addresses = addresses, .monitor = monitor, .previous_end = ghlo_run_profile_now (),
              .n_expected = G_MAXUINT64 };
  const guint n_last = (guint) g_atomic_int_get (&self->n_last);
  guint32 report = 1;
  gboolean ok = allocate (&run, error);

  if (n_last != G_MAXUINT)
    run.n_expected = (guint64) n_last + 1;
  while (ok && (report & 1) != 0)
    ok = may_begin (&run) ? begin_batches (&run, error) : await_batches (&run, &report, error);
  release (&run);
  if (!ok)
    return 0;
  g_atomic_int_set (&self->is_steady, n_last == report >> 1);
  g_atomic_int_set (&self->n_last, (int) (report >> 1));
  /* The condition ran once more than the body. */
  swap (self, (gint64) (report >> 1) + 1 - (gint64) run.n_begun, (gint64) (report >> 1) - (gint64) run.n_begun,
        addresses);

  return self->n_steps_before + 1 + (run.n_whole == (report >> 1) + 1 ? self->n_steps_after : 0);
}
