/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A run takes an arena, which also contains the addresses of all buffers, and walks the tree of steps. Loops
 * swap addresses and do not copy contents. A run allocates nothing except for output values, arenas in device
 * memory, copies of inputs that steps read faster, and the work of the fallback executor.
 */

#include "execute/run-plan.h"

#include <string.h>

#include "base/debug.h"
#include "base/mapped.h"
#include "base/sizes.h"
#include "base/trace.h"
#include "execute/compile-plan.h"
#include "execute/run-recordings.h"
#include "execute/run-spaces.h"
#include "runtime/arena.h"
#include "runtime/background.h"
#include "runtime/memory.h"
#include "runtime/packed.h"

/* The share of planning in the progress of a compile. */
#define PLAN_SHARE 0.3

enum { LARGEST_ELEMENT = 16 };     /* bytes of a complex<f64> */

/* Who reads a buffer in its own order: nobody, nobody but one step that takes it packed where it can, or others. */
enum { NOBODY, PACKED, OTHERS };

struct _GhloRunPlan
{
  GhloStepPlan       *plan;
  GhloFallback       *fallback;      /* for the REFERENCE steps */
  GhloRunArenaCache  *arenas;
  GhloDeviceCore     *device;        /* the device in whose memory inputs and outputs are */
  guint8            **addresses;     /* of constants; NULL for other buffers */
  guint32            *slots;         /* of temporaries: the slot in the arena */
  GhloRunSpaces      *spaces;        /* NULL where everything is in host memory, like recordings */
  GhloRunRecordings  *recordings;
  gsize               plan_size;     /* bytes of the plan that are counted in the memory of the process */
  gsize               arena_size;    /* bytes, including the frame */
  guint               frame;         /* the slot that holds a run's addresses, arenas and views */
  gint                has_run;       /* atomic */
  guint8             *readers;       /* of buffers: as above */
  GhloTensorType    **types;         /* of outputs; NULL for tokens */
};

typedef struct
{
  const GhloRunPlan    *self;
  const GhloRunOptions *options;
  GhloRunProfile       *profile;      /* NULL where the run is not profiled */
  const GhloMonitor    *monitor;      /* for cancellation only */
  GhloValue *const     *inputs;
  guint8              **addresses;    /* of all buffers of the plan, then those of loops */
  gpointer             *arenas;       /* arenas in device memory */
  GhloView             *views;        /* scratch for the views of one step */
  GhloDeviceMemory     *host_memory;   /* device memory that the host's steps use; NULL: they use host memory only */
  gboolean              is_busy;      /* work that was started there may not have ended */
} Run;

/* The address of empty buffers; dereferencing is not allowed, adding 0 is. */
static guint8 nothing[64] __attribute__ ((aligned (64)));

static guint8 *
non_null (gconstpointer data)
{
  return data != NULL ? (guint8 *) data : nothing;
}

static void
free_types (GhloTensorType **types,
            guint            n)
{
  for (guint i = 0; types != NULL && i < n; i++)
    if (types[i] != NULL)
      ghlo_tensor_type_unref (types[i]);
  g_free (types);
}

/* Assigns a slot of the arena to each temporary, and the last slot to the frame. */
static gboolean
plan_arena (GhloRunPlan  *self,
            GError      **error)
{
  const GhloStepPlan *plan = self->plan;
  g_autofree gsize *offsets = g_new (gsize, plan->n_buffers + 1), *sizes = g_new (gsize, plan->n_buffers + 1);
  guint n = 0;

  for (guint i = 0; i < plan->n_buffers; i++)
    if (plan->buffers[i].kind == GHLO_STEP_BUFFER_TEMPORARY && plan->buffers[i].space == 0)
      {
        gboolean used = plan->buffers[i].first <= plan->buffers[i].last;

        offsets[n] = plan->buffers[i].offset;
        sizes[n] = used ? plan->buffers[i].size : 0;
        self->slots[i] = n++;
      }
  offsets[n] = plan->arenas[0].size;
  sizes[n] = (plan->n_buffers + GHLO_RUN_N_LOOP_BUFFERS) * sizeof (guint8 *) + plan->n_arenas * sizeof (gpointer)
             + plan->max_views * sizeof (GhloView);
  self->arena_size = offsets[n] + sizes[n];
  self->frame = n++;
  self->arenas = ghlo_run_arena_cache_new (offsets, sizes, n, self->arena_size, error);

  return self->arenas != NULL;
}

/* Counts the memory of the plan, and of the arrays that are allocated below. */
static gboolean
count_plan (GhloRunPlan  *self,
            GError      **error)
{
  const gsize each = sizeof (guint8 *) + sizeof (guint32) + sizeof (guint8);
  gsize size = ghlo_step_plan_get_size (self->plan) + self->plan->n_buffers * each;

  if (!ghlo_memory_reserve (size, error))
    return FALSE;
  self->plan_size = size;

  return TRUE;
}

static void
fill_tables (GhloRunPlan *self)
{
  const GhloStepPlan *plan = self->plan;
  const GhloIrBlock *body = ghlo_ir_func_get_body (plan->function);

  self->addresses = g_new0 (guint8 *, plan->n_buffers + 1);
  self->slots = g_new0 (guint32, plan->n_buffers + 1);
  self->types = g_new0 (GhloTensorType *, plan->n_outputs + 1);
  for (guint i = 0; i < plan->n_buffers; i++)
    if (plan->buffers[i].kind == GHLO_STEP_BUFFER_CONSTANT)
      self->addresses[i] = non_null (g_bytes_get_data (plan->buffers[i].bytes, NULL));
  for (guint i = 0; i < plan->n_outputs; i++)
    self->types[i] = ghlo_ir_type_to_tensor_type (ghlo_ir_op_operand (body->last, i)->type);
}

static void
add_reader (GhloRunPlan *self,
            guint32      buffer,
            guint8       how)
{
  if (buffer != GHLO_STEP_NONE)
    self->readers[buffer] = self->readers[buffer] == NOBODY ? how : OTHERS;
}

static void
find_readers (GhloStep *step,
              gpointer  data)
{
  const GhloStepPacking *packing = step->compiled_step != NULL ? &step->compiled_step->packing : NULL;

  for (guint i = 0; i < step->n_operands; i++)
    add_reader (data, step->operands[i].buffer,
                packing != NULL && packing->key != NULL && packing->operand == i ? PACKED : OTHERS);
  for (guint i = 0; i < step->n_results; i++)
    add_reader (data, step->results[i].buffer, OTHERS);
  for (guint i = 0; i < step->n_swaps; i++)
    {
      add_reader (data, step->swaps[i].read, OTHERS);
      add_reader (data, step->swaps[i].written, OTHERS);
    }
  for (guint i = 0; i < step->n_bodies; i++)
    if (step->bodies[i].result.strides != NULL)
      add_reader (data, step->bodies[i].result.buffer, OTHERS);
}

/* Once the steps are compiled. */
static void
find_all_readers (GhloRunPlan *self)
{
  const GhloStepPlan *plan = self->plan;

  self->readers = g_new0 (guint8, plan->n_buffers + 1);
  ghlo_step_plan_foreach (plan, find_readers, self);
  for (guint i = 0; i < plan->n_inputs; i++)
    if (plan->is_forwarded[i])
      add_reader (self, plan->inputs[i], OTHERS);
  for (guint i = 0; i < plan->n_outputs; i++)
    add_reader (self, plan->outputs[i], OTHERS);
}

static gboolean
find_spaces (GhloRunPlan        *self,
             const GhloMonitor  *monitor,
             GError            **error)
{
  if (self->plan->n_arenas == 1)
    return TRUE;
  self->spaces = ghlo_run_spaces_new (self->plan, self->addresses, monitor, error);
  if (self->spaces != NULL)
    self->recordings = ghlo_run_recordings_new (self->plan, error);

  return self->recordings != NULL;
}

GhloRunPlan *
ghlo_run_plan_new (GhloDeviceCore            *device,
                   const GhloIrModule        *module,
                   const GhloIrOp            *function,
                   const GhloPrepareOptions  *options,
                   const GhloMonitor         *monitor,
                   GError                   **error)
{
  g_autoptr (GhloRunPlan) self = g_new0 (GhloRunPlan, 1);
  GhloDeviceCore *const devices[] = { device, options->host };
  const guint n_targets = options->host != NULL && options->host != device ? 2 : 1;
  GhloMonitorPart first = { monitor, 0, PLAN_SHARE }, second = { monitor, PLAN_SHARE, 1 };
  const GhloMonitor planning = ghlo_monitor_of_part (&first), compiling = ghlo_monitor_of_part (&second);
  gsize limit = ghlo_memory_get_limit ();

  self->plan = ghlo_step_plan_new (module, function, devices, n_targets, options->may_use_host,
                                   limit - MIN (limit, ghlo_memory_get_used ()), &planning, error);
  if (self->plan == NULL || !count_plan (self, error))
    return NULL;
  self->device = device;
  fill_tables (self);
  self->fallback = ghlo_fallback_new (options->fallback, module);

  if (!plan_arena (self, error)
      || !ghlo_compile_plan (self->plan, self->fallback, options->custom_targets, &compiling, error))
    return NULL;
  find_all_readers (self);

  return find_spaces (self, monitor, error) ? g_steal_pointer (&self) : NULL;
}

void
ghlo_run_plan_free (GhloRunPlan *self)
{
  g_clear_pointer (&self->fallback, ghlo_fallback_free);
  g_clear_pointer (&self->recordings, ghlo_run_recordings_free);
  g_clear_pointer (&self->spaces, ghlo_run_spaces_free);
  g_clear_pointer (&self->arenas, ghlo_run_arena_cache_free);
  if (self->plan != NULL)
    free_types (self->types, self->plan->n_outputs);
  g_free (self->addresses);
  g_free (self->slots);
  g_free (self->readers);
  g_clear_pointer (&self->plan, ghlo_step_plan_free);
  ghlo_memory_unreserve (self->plan_size);
  g_free (self);
}

const GhloStepPlan *
ghlo_run_plan_get_plan (const GhloRunPlan *self)
{
  return self->plan;
}

typedef struct
{
  GhloRunFigures *figures;
  gsize           most;         /* the most bytes of results of one fallback step */
} Counter;

static void
count_step (GhloStep *step,
            gpointer  data)
{
  Counter *counter = data;
  gsize bytes = 0, n;

  counter->figures->n_steps++;
  for (guint i = 0; step->kind == GHLO_STEP_REFERENCE && i < step->n_results; i++)
    if (step->results[i].strides != NULL
        && ghlo_shape_count (step->results[i].type->dimensions, step->results[i].type->rank, &n))
      bytes += n * ghlo_element_info (step->results[i].type->element_type)->size;
  counter->most = MAX (counter->most, bytes);
}

void
ghlo_run_plan_measure (const GhloRunPlan *self,
                       GhloRunFigures    *figures)
{
  const GhloStepPlan *plan = self->plan;
  Counter counter = { figures };

  *figures = (GhloRunFigures) { .n_fallback_steps = plan->n_reference, .n_transfers = plan->n_transfers,
                                .transfer_bytes = plan->transfer_bytes };
  ghlo_step_plan_foreach (plan, count_step, &counter);
  figures->run_bytes = self->arena_size + counter.most;
  if (self->recordings != NULL)
    figures->run_bytes += ghlo_run_recordings_get_size (self->recordings);
  for (guint i = 1; i < plan->n_arenas; i++)
    figures->run_bytes += plan->arenas[i].size;
  for (guint i = 0; i < plan->n_compiled_steps; i++)
    figures->prepared_bytes += plan->compiled_steps[i]->packing.constant_size;
  figures->plan_bytes = self->plan_size;
  figures->prepared_bytes += self->plan_size + ghlo_fallback_get_size (self->fallback);
  for (guint i = 0; i < plan->n_buffers; i++)
    if (plan->buffers[i].kind == GHLO_STEP_BUFFER_OUTPUT)
      figures->run_bytes += plan->buffers[i].size;
    else if (plan->buffers[i].kind == GHLO_STEP_BUFFER_INPUT)
      figures->input_bytes += plan->buffers[i].size;
    else if (plan->buffers[i].kind == GHLO_STEP_BUFFER_CONSTANT)
      figures->prepared_bytes += plan->buffers[i].size;
}

/* Returns the address of @buffer for a step that runs in the buffer's memory or, with @shared, for a step of the
 * host. */
static inline guint8 *
address_of (const Run        *run,
            GhloDeviceMemory *shared,
            guint32           buffer)
{
  guint8 *address = run->addresses[buffer];

  if (G_LIKELY (shared == NULL) || run->self->plan->buffers[buffer].space == 0
      || run->self->plan->buffers[buffer].size == 0)
    return address;

  return shared->klass->map (shared, address);
}

static inline void
fill_view (const Run             *run,
           GhloDeviceMemory      *shared,
           const GhloStepOperand *operand,
           GhloView              *view)
{
  *view = ghlo_step_view (operand);
  view->data = operand->buffer != GHLO_STEP_NONE ? address_of (run, shared, operand->buffer) + operand->offset : NULL;
}

/* Fills in the views of operands and results; returns the views of the results. */
static const GhloView *
fill_views (Run              *run,
            GhloDeviceMemory *shared,
            const GhloStep   *step)
{
  GhloView *results = run->views + step->n_operands;

  for (guint i = 0; i < step->n_operands; i++)
    fill_view (run, shared, &step->operands[i], &run->views[i]);
  for (guint i = 0; i < step->n_results; i++)
    fill_view (run, shared, &step->results[i], &results[i]);

  return results;
}

/* For a step of the host in shared memory: waits until no device step still writes its operands or reads its
 * results. */
static gboolean
wait_for_shared (Run     *run,
                 GError **error)
{
  GhloDeviceQueue *queue = run->self->device->queue;
  g_autoptr (GhloFence) fence = NULL;

  if (run->host_memory == NULL || queue == NULL || !run->is_busy)
    return TRUE;
  run->is_busy = FALSE;
  fence = queue->klass->add_fence (queue, GHLO_WAIT_IN_RUN);

  return queue->klass->submit (queue, error) && ghlo_fence_wait (fence, run->monitor, error);
}

/* Whether nobody but the caller, for runs of this program, has the input. */
static gboolean
is_bound_only (const Run *run,
               guint      input)
{
  GhloValue *value = run->inputs[input];

  return run->options != NULL && run->options->bound != NULL && run->options->bound[input] == value
         && g_atomic_ref_count_compare (&value->ref_count, 2)
         && g_atomic_ref_count_compare (&value->storage->ref_count, 1);
}

/* Looks for a copy of the operand that the step reads faster, and makes it where that is due: of a program's input in
 * host memory whose bytes do not change between runs. */
static gboolean
find_packed (Run             *run,
             const GhloStep  *step,
             gpointer         scratch,
             GError         **error)
{
  const GhloStepPacking *packing = &step->compiled_step->packing;
  const guint32 number = step->operands[packing->operand].buffer;
  const GhloStepBuffer *buffer = number != GHLO_STEP_NONE ? &run->self->plan->buffers[number] : NULL;
  GhloView *view = &run->views[packing->operand];
  GhloStorage *storage;
  GhloPackedCopy *slot;
  gpointer copy;

  if (buffer == NULL || buffer->kind != GHLO_STEP_BUFFER_INPUT || buffer->space != 0)
    return TRUE;
  storage = run->inputs[buffer->index]->storage;
  if (storage->kind != GHLO_MEMORY_HOST || storage->is_call_scoped || storage->is_rewritten)
    return TRUE;
  view->packed = ghlo_packed_use (storage, packing->key, (gsize) (view->data - storage->host), &slot);
  copy = view->packed == NULL ? ghlo_packed_begin (slot, packing->size) : NULL;
  if (copy != NULL)
    {
      gboolean ok = step->implementation->pack (step->compiled_step->compiled, view, copy, scratch, run->monitor);

      view->packed = ghlo_packed_finish (slot, ok, ghlo_monitor_cancelled (run->monitor, NULL));
      if (view->packed != NULL)
        ghlo_mapped_release_view (view);
    }
  if (view->packed != NULL && !storage->is_discarded && run->self->readers[number] == PACKED
      && is_bound_only (run, buffer->index))
    ghlo_storage_discard (storage);
  if (view->packed != NULL || !storage->is_discarded)
    return TRUE;
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "input %u is not there any more", buffer->index);

  return FALSE;
}

static gboolean
run_compiled (Run             *run,
              const GhloStep  *step,
              GError         **error)
{
  GhloDeviceMemory *shared = step->target->memory == NULL ? run->host_memory : NULL;
  const GhloView *results = fill_views (run, shared, step);
  gpointer scratch = step->scratch != GHLO_STEP_NONE ? address_of (run, shared, step->scratch) : nothing;

  if (shared != NULL && !wait_for_shared (run, error))
    return FALSE;
  if (step->compiled_step->packing.key != NULL && !find_packed (run, step, scratch, error))
    return FALSE;

  return step->implementation->run (step->compiled_step->compiled, run->views, results, scratch, run->monitor, error);
}

static gboolean
run_fallback (Run             *run,
              const GhloStep  *step,
              GError         **error)
{
  gint64 start;
  const GhloView *results = fill_views (run, run->host_memory, step);
  gboolean ok;

  if (!wait_for_shared (run, error))
    return FALSE;
  start = g_get_monotonic_time ();
  ok = ghlo_fallback_run (step->fallback, run->options, run->views, results, run->monitor, error);

  if (run->options != NULL && run->options->fallback_time != NULL)
    *run->options->fallback_time += g_get_monotonic_time () - start;

  return ok;
}

static gboolean run_body (Run *run, const GhloStepBody *body, GError **error);

/* Sets *@again to whether another iteration follows. The predicate is one byte. */
static gboolean
check_condition (Run             *run,
                 const GhloStep  *step,
                 gint64           n_done,
                 gboolean        *again,
                 GError         **error)
{
  if (ghlo_monitor_cancelled (run->monitor, error))
    return FALSE;
  if (step->trips >= 0)
    {
      *again = n_done < step->trips;
      return TRUE;
    }
  if (!run_body (run, &step->bodies[0], error))
    return FALSE;
  *again = *(run->addresses[step->bodies[0].result.buffer] + step->bodies[0].result.offset) != 0;

  return TRUE;
}

static gboolean
run_loop (Run             *run,
          const GhloStep  *step,
          GError         **error)
{
  gboolean again;

  for (gint64 n = 0;; n++)
    {
      if (!check_condition (run, step, n, &again, error))
        return FALSE;
      if (!again)
        return TRUE;
      if (!run_body (run, &step->bodies[1], error))
        return FALSE;
      ghlo_run_swap (step, run->addresses);
    }
}

/* The operand is a predicate for if, and an index for case, where every index out of range selects the last branch. A
 * branch that the device could choose itself gets here where steps are profiled, or where the device would have too
 * many steps at once. */
static gboolean
run_branch (Run             *run,
            const GhloStep  *step,
            GError         **error)
{
  const gboolean is_if = step->op->kind == GHLO_OP_STABLEHLO_IF;
  guint8 predicate = 0;
  guint32 index = 0;

  if (!ghlo_run_spaces_read (run->self->plan, &step->operands[0], run->addresses,
                             is_if ? &predicate : (gpointer) &index, is_if ? sizeof predicate : sizeof index,
                             run->monitor, error))
    return FALSE;
  if (is_if)
    index = predicate != 0 ? 0 : 1;

  return run_body (run, &step->bodies[MIN (index, step->n_bodies - 1)], error);
}

static gboolean
perform_step (Run             *run,
              const GhloStep  *step,
              GError         **error)
{
  switch (step->kind)
    {
    case GHLO_STEP_COMPUTE:
      return run_compiled (run, step, error);
    case GHLO_STEP_REFERENCE:
      return run_fallback (run, step, error);
    case GHLO_STEP_LOOP:
      return run_loop (run, step, error);
    case GHLO_STEP_BRANCH:
      return run_branch (run, step, error);
    default:
      return ghlo_run_spaces_transfer (run->self->plan, step, run->addresses, run->monitor, error);
    }
}

/* Runs the steps from @first on that form a segment, possibly with a loop, or a single step where steps are profiled.
 * Returns their number; 0 with @error. */
static guint
perform_steps (Run                 *run,
               const GhloStepBody  *body,
               guint                first,
               GError             **error)
{
  const GhloStep *step = body->steps[first];
  GhloRunRecordings *recordings = run->self->recordings;

  if (recordings != NULL && ghlo_run_recordings_begin_with (recordings, step, run->profile != NULL))
    {
      run->is_busy = TRUE;
      return ghlo_run_recordings_run (recordings, body, first, run->profile != NULL, run->addresses, run->monitor,
                                      error);
    }

  return perform_step (run, step, error) ? 1 : 0;
}

/* Measures by the clock of the step's device where steps run asynchronously and the device has a clock, else by the
 * host's. */
static guint
measure_step (Run                 *run,
              const GhloStepBody  *body,
              guint                first,
              GError             **error)
{
  const GhloStep *step = body->steps[first];
  GhloDeviceQueue *queue = step->kind == GHLO_STEP_COMPUTE ? step->target->queue : NULL;
  gint64 start, elapsed, of_device = -1;
  gboolean ok;

  if (queue != NULL && !queue->klass->begin_timing (queue, error))
    return 0;
  start = ghlo_run_profile_now ();
  ok = perform_steps (run, body, first, error) == 1
       && (queue == NULL || queue->klass->end_timing (queue, &of_device, run->monitor, error));
  elapsed = ghlo_run_profile_now () - start;
  ghlo_run_profile_add (run->profile, step->number, of_device >= 0 ? of_device : elapsed);

  return ok ? 1 : 0;
}

static inline guint
run_steps (Run                 *run,
           const GhloStepBody  *body,
           guint                first,
           GError             **error)
{
  gint64 traced = ghlo_trace_begin ();
  guint n = G_UNLIKELY (run->profile != NULL) ? measure_step (run, body, first, error)
                                              : perform_steps (run, body, first, error);

  if (G_UNLIKELY (traced != 0))
    ghlo_trace_end (traced, "step", ghlo_step_get_operation (body->steps[first]));

  return n;
}

static gboolean
run_body (Run                 *run,
          const GhloStepBody  *body,
          GError             **error)
{
  for (guint i = 0, n; i < body->n_steps; i += n)
    {
      n = !ghlo_monitor_cancelled (run->monitor, error) ? run_steps (run, body, i, error) : 0;
      if (n == 0)
        return FALSE;
    }

  return TRUE;
}

/* Runs the function's own steps and reports progress to the caller. */
static inline gboolean
run_function (Run                *run,
              const GhloMonitor  *monitor,
              GError            **error)
{
  const GhloStepBody *body = &run->self->plan->body;

  for (guint i = 0, n; i < body->n_steps; i += n)
    {
      ghlo_monitor_progress (monitor, (double) i / body->n_steps, ghlo_step_get_name (body->steps[i]));
      n = !ghlo_monitor_cancelled (monitor, error) ? run_steps (run, body, i, error) : 0;
      if (n == 0)
        return FALSE;
    }

  return TRUE;
}

/* Returns an output that is an input: the same value, or the same bytes with another shape. */
static GhloValue *
alias_input (GhloValue       *input,
             GhloTensorType  *type,
             GError         **error)
{
  g_autoptr (GBytes) bytes = NULL;

  if (ghlo_tensor_type_equal (input->type, type))
    return ghlo_value_ref (input);
  bytes = ghlo_value_get_bytes (input);

  return ghlo_value_new_for_bytes (type, bytes, error);
}

/* Returns the input whose memory the output may take over because the caller gives it up and the plan allows it, or
 * NULL. */
static GhloValue *
reuse_input (const GhloRunPlan    *self,
             const GhloRunOptions *options,
             GhloValue *const     *inputs,
             guint                 output)
{
  const guint *donated = options != NULL ? options->donated_inputs : NULL;
  guint input = donated != NULL ? donated[output] : GHLO_RUN_NO_INPUT;

  if (input == GHLO_RUN_NO_INPUT || !ghlo_value_is_own (inputs[input])
      || inputs[input]->storage->kind != GHLO_MEMORY_HOST
      || !ghlo_tensor_type_equal (inputs[input]->type, self->types[output])
      || !ghlo_step_plan_may_replace (self->plan, output, input))
    return NULL;
  ghlo_packed_drop (inputs[input]->storage);

  return ghlo_value_ref (inputs[input]);
}

/* Returns whether @memory overlaps with nothing that the plan reads. */
static gboolean
is_disjoint (const GhloRunPlan *self,
             GhloValue *const  *inputs,
             const GhloValue   *memory)
{
  for (guint i = 0; i < self->plan->n_buffers; i++)
    {
      const GhloStepBuffer *buffer = &self->plan->buffers[i];

      if (buffer->kind == GHLO_STEP_BUFFER_CONSTANT
          && ghlo_value_overlaps (memory, self->addresses[i], buffer->size))
        return FALSE;
      if (buffer->kind == GHLO_STEP_BUFFER_INPUT
          && ghlo_value_overlaps (memory, inputs[buffer->index]->data, inputs[buffer->index]->n_bytes))
        return FALSE;
    }

  return TRUE;
}

/* Returns the caller's target for the output if it can be written from the first step on, else NULL. Temporaries that
 * share this memory may have larger elements, hence the alignment. Guarded blocks are preferred with GHLO_DEBUG=guard,
 * since they catch more errors. */
static GhloValue *
use_target (const GhloRunPlan    *self,
            const GhloRunOptions *options,
            GhloValue *const     *inputs,
            guint                 output)
{
  GhloValue *memory = options != NULL && options->targets != NULL ? options->targets[output] : NULL;

  if (memory == NULL || (guintptr) memory->data % LARGEST_ELEMENT != 0 || ghlo_debug_has (GHLO_DEBUG_GUARD)
      || !ghlo_tensor_type_equal (memory->type, self->types[output]) || !is_disjoint (self, inputs, memory))
    return NULL;

  return ghlo_value_ref (memory);
}

static gboolean
make_outputs (const GhloRunPlan     *self,
              const GhloRunOptions  *options,
              GhloValue *const      *inputs,
              GhloValue            **outputs,
              GError               **error)
{
  const GhloStepPlan *plan = self->plan;

  for (guint i = 0; i < plan->n_outputs; i++)
    outputs[i] = NULL;
  for (guint i = 0; i < plan->n_outputs; i++)
    {
      if (self->types[i] == NULL)
        outputs[i] = ghlo_value_new_token ();
      else if (plan->io_arena != 0)
        outputs[i] = ghlo_run_spaces_new_output (plan, self->device, options, inputs, i, self->types[i], error);
      else if (plan->aliased_inputs[i] != GHLO_STEP_NONE)
        outputs[i] = alias_input (inputs[plan->aliased_inputs[i]], self->types[i], error);
      else if ((outputs[i] = reuse_input (self, options, inputs, i)) == NULL
               && (outputs[i] = use_target (self, options, inputs, i)) == NULL)
        outputs[i] = ghlo_value_new_uninitialized (self->types[i], error);
      if (outputs[i] == NULL)
        return FALSE;
      if (options != NULL && options->shared != NULL)
        options->shared[i] = plan->aliased_inputs[i] != GHLO_STEP_NONE;
    }

  return TRUE;
}

/* Where the device works; empty values have a host address. */
static guint8 *
value_address (const GhloStepBuffer *buffer,
               const GhloValue      *value)
{
  return buffer->space == 0 || buffer->size == 0 ? non_null (value->data) : GSIZE_TO_POINTER (value->storage->address);
}

static void
fill_addresses (Run                *run,
                const GhloRunArena *arena,
                GhloValue *const   *inputs,
                GhloValue *const   *outputs)
{
  const GhloRunPlan *self = run->self;

  for (guint i = 0; i < self->plan->n_buffers; i++)
    {
      const GhloStepBuffer *buffer = &self->plan->buffers[i];

      switch (buffer->kind)
        {
        case GHLO_STEP_BUFFER_INPUT:
          run->addresses[i] = value_address (buffer, inputs[buffer->index]);
          break;
        case GHLO_STEP_BUFFER_OUTPUT:
          run->addresses[i] = value_address (buffer, outputs[buffer->index]);
          break;
        case GHLO_STEP_BUFFER_CONSTANT:
          run->addresses[i] = self->addresses[i];
          break;
        default:
          if (buffer->space != 0 && run->arenas[buffer->space] != NULL)
            run->addresses[i] = (guint8 *) run->arenas[buffer->space] + buffer->offset;
          else
            run->addresses[i] = ghlo_run_arena_slot (arena, self->slots[i]);
        }
    }
}

static gboolean
run_plan (Run                 *run,
          const GhloRunArena  *arena,
          GhloValue *const    *inputs,
          GhloValue *const    *outputs,
          const GhloMonitor   *monitor,
          GError             **error)
{
  const GhloRunSpaces *spaces = run->self->spaces;
  gboolean ok;

  if (spaces != NULL && !ghlo_run_spaces_begin (spaces, inputs, run->arenas, run->monitor, error))
    return FALSE;
  fill_addresses (run, arena, inputs, outputs);
  ok = run_function (run, monitor, error);
  if (spaces != NULL)
    {
      ok = ghlo_run_spaces_submit (spaces, ok ? error : NULL) && ok;
      ghlo_run_spaces_end (spaces, run->arenas);
    }

  return ok;
}

gboolean
ghlo_run_plan_run (GhloRunPlan           *self,
                   const GhloRunOptions  *options,
                   GhloValue *const      *inputs,
                   GhloValue            **outputs,
                   const GhloMonitor     *monitor,
                   GError               **error)
{
  const GhloMonitor quiet = { .cancellable = monitor != NULL ? monitor->cancellable : NULL };
  GhloRunArena *arena = ghlo_run_arena_cache_take (self->arenas, error);
  Run run = { .self = self, .options = options, .inputs = inputs, .profile = options != NULL ? options->profile : NULL,
              .monitor = quiet.cancellable != NULL ? &quiet : NULL,
              .host_memory = self->plan->arenas[self->plan->host].memory, .is_busy = TRUE };
  gboolean ok;

  if (arena == NULL)
    return FALSE;
  if (!g_atomic_int_get (&self->has_run))
    g_atomic_int_set (&self->has_run, TRUE);
  else
    ghlo_background_release ();
  if (run.profile != NULL)
    ghlo_run_profile_begin (run.profile, self->plan->n_steps);
  ok = make_outputs (self, options, inputs, outputs, error);
  if (ok)
    {
      run.addresses = ghlo_run_arena_slot (arena, self->frame);
      run.arenas = (gpointer *) (run.addresses + self->plan->n_buffers + GHLO_RUN_N_LOOP_BUFFERS);
      run.views = (GhloView *) (run.arenas + self->plan->n_arenas);
      ghlo_run_options_begin (options);
      ok = run_plan (&run, arena, inputs, outputs, monitor, error);
    }
  if (!ok)
    ghlo_values_clear (outputs, self->plan->n_outputs);
  ghlo_run_arena_cache_give (self->arenas, arena);

  return ok;
}
