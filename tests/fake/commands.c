/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Command buffers of the fake device (device/command-buffer.h): a list of functions with the places of what they work
 * on. A run takes the addresses of the buffers, and the queue's thread then calls one function after the other; so no
 * command has to wait for another, nothing is merged, and what the buffers may overlap does not matter.
 */

#include "calls.h"

#include <string.h>

/* The number that the recording gives to a buffer of its own, for the predicates of branches. */
enum { PREDICATES = GHLO_STEP_NONE - 1 };

typedef struct
{
  GhloCommandBuffer base;
  gatomicrefcount   ref_count;     /* runs in the queue hold references */
  GhloDeviceCore   *device;
  GArray           *commands;      /* of Command */
  GArray           *places;        /* of GhloBufferRef, of all commands */
  GhloBufferRef     predicate;     /* of the commands that are recorded now */
  guint32           n_buffers;     /* whose addresses a run needs */
  gsize             predicates;    /* bytes */
} Recording;

typedef struct
{
  Recording         *recording;
  guint8           **addresses;
  guint8            *predicates;   /* the recording's own buffer, in host memory */
  GhloMonitor        monitor;      /* with a reference to the cancellable */
} Run;

typedef struct _Command Command;

struct _Command
{
  gboolean      (*perform) (const Command       *self,
                            const Run           *run,
                            const GhloBufferRef *places,
                            GError             **error);
  GhloBufferRef   predicate;
  guint           first;           /* of its places */
  guint           n_read, n_written;     /* places that it reads, and after them, those that it writes */
  const FakeStep *step;
  guint           n;               /* branches or iterations */
  gboolean        is_if;
  gsize           stride;
};

static Recording *
recording_of (GhloCommandBuffer *commands)
{
  return (Recording *) commands;
}

static void
unref (Recording *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_array_unref (self->commands);
  g_array_unref (self->places);
  g_free (self);
}

static GhloCommandBuffer *
begin (GhloDeviceCore         *device,
       const GhloBufferExtent *buffers)
{
  Recording *self = g_new0 (Recording, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->device = device;
  self->commands = g_array_new (FALSE, TRUE, sizeof (Command));
  self->places = g_array_new (FALSE, FALSE, sizeof (GhloBufferRef));
  self->predicate.buffer = GHLO_STEP_NONE;

  return &self->base;
}

static void
end (GhloCommandBuffer *commands,
     double             seconds)
{
  commands->run_bytes = recording_of (commands)->predicates;
}

/* Notes which buffers a run has to have. */
static void
need (Recording *self,
      guint32    buffer)
{
  if (buffer < PREDICATES)
    self->n_buffers = MAX (self->n_buffers, buffer + 1);
}

static void
add_places (Recording           *self,
            const GhloBufferRef *places,
            guint                n)
{
  for (guint i = 0; i < n; i++)
    need (self, places[i].buffer);
  g_array_append_vals (self->places, places, n);
}

/* Adds a command whose places are the last ones. */
static void
add_command (Recording *self,
             Command    command)
{
  command.predicate = self->predicate;
  need (self, command.predicate.buffer);
  g_array_append_val (self->commands, command);
  self->base.n_commands = self->commands->len;
}

/* Where the queue's thread finds the bytes; NULL where there are none. */
static guint8 *
bytes_at (const Run     *run,
          GhloBufferRef  place)
{
  if (place.buffer == GHLO_STEP_NONE)
    return NULL;
  if (place.buffer == PREDICATES)
    return run->predicates + place.offset;

  return fake_memory_at (run->addresses[place.buffer] + place.offset);
}

static gboolean
perform_step (const Command        *self,
              const Run            *run,
              const GhloBufferRef  *places,
              GError              **error)
{
  static guint8 nothing[64] __attribute__ ((aligned (64)));
  const FakeStep *step = self->step;
  const guint n = step->n_operands + step->n_results;
  g_autofree GhloView *views = g_new (GhloView, n + 1);
  guint8 *scratch = bytes_at (run, places[n]);

  for (guint i = 0; i < n; i++)
    {
      views[i] = step->views[i];
      /* The address of an empty tensor is not the device's. */
      views[i].data = views[i].element_type == GHLO_ELEMENT_TYPE_INVALID ? NULL
                      : ghlo_view_count (&views[i]) == 0 ? nothing : bytes_at (run, places[i]);
    }

  return step->inner->run (step->compiled, views, views + step->n_operands, scratch != NULL ? scratch : nothing,
                           &run->monitor, error);
}

void
fake_commands_put_step (GhloCommandBuffer   *commands,
                        const FakeStep      *step,
                        const GhloBufferRef *operands,
                        const GhloBufferRef *results,
                        GhloBufferRef        scratch)
{
  Recording *self = recording_of (commands);
  const Command command = { .perform = perform_step, .first = self->places->len, .n_read = step->n_operands,
                            .n_written = step->n_results, .step = step };

  add_places (self, operands, step->n_operands);
  add_places (self, results, step->n_results);
  add_places (self, &scratch, 1);
  add_command (self, command);
}

static GhloBufferRef
set_predicate (GhloCommandBuffer *commands,
               GhloBufferRef      predicate)
{
  Recording *self = recording_of (commands);
  const GhloBufferRef previous = self->predicate;

  self->predicate = predicate;

  return previous;
}

/* The places: the index, the predicates, and the predicate around them. */
static gboolean
perform_select (const Command        *self,
                const Run            *run,
                const GhloBufferRef  *places,
                GError              **error)
{
  const guint8 *index = bytes_at (run, places[0]), *around = bytes_at (run, places[2]);
  guint8 *predicates = bytes_at (run, places[1]);
  guint32 taken;

  if (self->is_if)
    taken = *index != 0 ? 0 : 1;
  else
    memcpy (&taken, index, sizeof taken);
  taken = MIN (taken, self->n - 1);
  for (guint i = 0; i < self->n; i++)
    predicates[i * GHLO_STEP_PREDICATE_STRIDE] = i == taken && (around == NULL || *around != 0);

  return TRUE;
}

static gboolean
select_branch (GhloCommandBuffer *commands,
               GhloBufferRef      index,
               gboolean           is_if,
               guint              n,
               GhloBufferRef     *predicates,
               GError           **error)
{
  Recording *self = recording_of (commands);
  const GhloBufferRef around = set_predicate (commands, (GhloBufferRef) { GHLO_STEP_NONE, 0 });
  const Command command = { .perform = perform_select, .first = self->places->len, .n_read = 1, .n = n,
                            .is_if = is_if };

  *predicates = (GhloBufferRef) { PREDICATES, (gint64) self->predicates };
  self->predicates += n * GHLO_STEP_PREDICATE_STRIDE;
  add_places (self, (const GhloBufferRef[]) { index, *predicates, around }, 3);
  /* The predicates are written in any case. */
  add_command (self, command);
  set_predicate (commands, around);

  return TRUE;
}

/* The places: the predicates, the state and the report. The state is the predicate of what follows in a word of its
 * own, the number of iterations, and the predicate of what follows the loop. */
static gboolean
perform_count (const Command        *self,
               const Run            *run,
               const GhloBufferRef  *places,
               GError              **error)
{
  guint8 *predicates = bytes_at (run, places[0]), *state = bytes_at (run, places[1]);
  guint8 *report = bytes_at (run, places[2]);
  guint32 n = 0, all = 0;

  while (report != NULL && n < self->n && predicates[n * self->stride] != 0)
    n++;
  for (guint i = 0; i < self->n; i++)
    predicates[i * self->stride] = 0;
  if (report != NULL)
    memcpy (&all, state + sizeof all, sizeof all);
  all += n;
  state[0] = report != NULL && n == self->n;
  memcpy (state + sizeof all, &all, sizeof all);
  state[GHLO_STEP_LOOP_ENDED] = report != NULL && n + 1 == self->n;
  all = 2 * all + state[0];
  if (report != NULL)
    memcpy (report, &all, sizeof all);

  return TRUE;
}

static gboolean
count_iterations (GhloCommandBuffer *commands,
                  GhloBufferRef      predicates,
                  guint              n,
                  gsize              stride,
                  GhloBufferRef      state,
                  GhloBufferRef      report,
                  GError           **error)
{
  Recording *self = recording_of (commands);
  const Command command = { .perform = perform_count, .first = self->places->len, .n_read = 1, .n = n,
                            .stride = stride };

  add_places (self, (const GhloBufferRef[]) { predicates, state, report }, 3);
  add_command (self, command);

  return TRUE;
}

/* Their places are those of the originals. */
static void
repeat (GhloCommandBuffer *commands,
        guint              first,
        guint              n)
{
  Recording *self = recording_of (commands);

  for (guint i = first; i < first + n; i++)
    {
      const Command command = g_array_index (self->commands, Command, i);

      g_array_append_val (self->commands, command);
    }
  commands->n_commands = self->commands->len;
}

/* Does not touch results behind a predicate of 0. */
static gboolean
perform (const Run      *run,
         const Command  *command,
         GError        **error)
{
  GhloDeviceMemory *memory = run->recording->device->memory;
  const GhloBufferRef *places = &g_array_index (run->recording->places, GhloBufferRef, command->first);
  const guint8 *predicate = bytes_at (run, command->predicate);

  if (ghlo_monitor_cancelled (&run->monitor, error))
    return FALSE;
  if (predicate != NULL && *predicate == 0)
    return TRUE;
  for (guint i = 0; i < command->n_read; i++)
    if (places[i].buffer < PREDICATES && !fake_memory_check (memory, run->addresses[places[i].buffer], error))
      return FALSE;
  if (!command->perform (command, run, places, error))
    return FALSE;
  for (guint i = command->n_read; i < command->n_read + command->n_written; i++)
    if (places[i].buffer != GHLO_STEP_NONE)
      fake_memory_set_error (memory, run->addresses[places[i].buffer], NULL);

  return TRUE;
}

/* Nothing that the run was to write has been written, as far as others know. */
static void
fail (const Run    *run,
      const GError *error)
{
  const Recording *self = run->recording;

  for (guint i = 0; i < self->commands->len; i++)
    {
      const Command *command = &g_array_index (self->commands, Command, i);

      for (guint k = 0; k < command->n_written; k++)
        {
          const GhloBufferRef *place = &g_array_index (self->places, GhloBufferRef,
                                                       command->first + command->n_read + k);

          if (place->buffer != GHLO_STEP_NONE)
            fake_memory_set_error (self->device->memory, run->addresses[place->buffer], error);
        }
    }
}

static void
run_now (gpointer   data,
         GError   **error)
{
  Run *run = data;
  g_autoptr (GError) problem = NULL;
  gboolean ok = fake_begin (run->recording->device, FAKE_RUN, &run->monitor, &problem);

  for (guint i = 0; ok && i < run->recording->commands->len; i++)
    ok = perform (run, &g_array_index (run->recording->commands, Command, i), &problem);
  if (!ok)
    {
      fail (run, problem);
      g_propagate_error (error, g_steal_pointer (&problem));
    }
  unref (run->recording);
  g_free (run->addresses);
  g_free (run->predicates);
  g_clear_object (&run->monitor.cancellable);
  g_free (run);
}

static gboolean
replay (GhloCommandBuffer  *commands,
        guint8 *const      *addresses,
        const GhloMonitor  *monitor,
        GError            **error)
{
  Recording *self = recording_of (commands);
  Run *run;

  if (!fake_begin (self->device, FAKE_START, monitor, error))
    return FALSE;
  run = g_new (Run, 1);
  *run = (Run) {
    .recording = self, .addresses = g_memdup2 (addresses, self->n_buffers * sizeof *addresses),
    .predicates = g_malloc0 (self->predicates),
  };
  /* The caller's monitor is there during the call. */
  if (monitor != NULL)
    g_set_object (&run->monitor.cancellable, monitor->cancellable);
  g_atomic_ref_count_inc (&self->ref_count);
  fake_queue_put (self->device->queue, run_now, run);

  return TRUE;
}

static void
destroy (GhloCommandBuffer *commands)
{
  unref (recording_of (commands));
}

const GhloCommandBufferClass fake_command_buffers = {
  .begin = begin,
  .end = end,
  .set_predicate = set_predicate,
  .count_iterations = count_iterations,
  .select_branch = select_branch,
  .repeat = repeat,
  .replay = replay,
  .free = destroy,
};
