/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * In each memory, one block holds all constants and another one the temporaries of a run.
 */

#include "execute/run-spaces.h"

#include <string.h>

#include "base/sizes.h"

typedef struct
{
  gpointer memory;      /* NULL where there is nothing to hold */
  gsize    size;
} Block;

struct _GhloRunSpaces
{
  const GhloStepPlan *plan;
  Block              *constants;    /* one for each arena of the plan; unused for the host's */
};

/* Returns whether @buffer is a constant in @arena that has bytes and that steps read. */
static gboolean
is_constant_of (const GhloStepBuffer *buffer,
                guint                 arena)
{
  return buffer->kind == GHLO_STEP_BUFFER_CONSTANT && buffer->space == arena && buffer->first <= buffer->last
         && buffer->size > 0;
}

/* Stores the offsets in @addresses, where they stay until memory is allocated. */
static void
lay_out_constants (const GhloRunSpaces  *self,
                   guint                 arena,
                   guint8              **addresses)
{
  const GhloStepPlan *plan = self->plan;
  gsize size = 0;

  for (guint i = 0; i < plan->n_buffers; i++)
    if (is_constant_of (&plan->buffers[i], arena))
      {
        addresses[i] = GSIZE_TO_POINTER (size);
        size += ghlo_size_align (plan->buffers[i].size);
      }
  self->constants[arena].size = size;
}

static gboolean
upload_constants (const GhloRunSpaces  *self,
                  guint                 arena,
                  guint8              **addresses,
                  const GhloMonitor    *monitor,
                  GError              **error)
{
  const GhloStepPlan *plan = self->plan;
  GhloDeviceMemory *memory = plan->arenas[arena].memory;
  Block *block = &self->constants[arena];

  lay_out_constants (self, arena, addresses);
  if (block->size == 0)
    return TRUE;
  block->memory = memory->klass->alloc (memory, GHLO_MEMORY_DEVICE, block->size, NULL, error);
  if (block->memory == NULL)
    return FALSE;
  for (guint i = 0; i < plan->n_buffers; i++)
    if (is_constant_of (&plan->buffers[i], arena))
      {
        addresses[i] = (guint8 *) block->memory + GPOINTER_TO_SIZE (addresses[i]);
        if (ghlo_device_memory_is_shared (memory))
          memcpy (memory->klass->map (memory, addresses[i]), g_bytes_get_data (plan->buffers[i].bytes, NULL),
                  plan->buffers[i].size);
        else if (!memory->klass->upload (memory, g_bytes_get_data (plan->buffers[i].bytes, NULL), addresses[i],
                                         plan->buffers[i].size, FALSE, monitor, error))
          return FALSE;
      }

  return TRUE;
}

GhloRunSpaces *
ghlo_run_spaces_new (const GhloStepPlan  *plan,
                     guint8             **addresses,
                     const GhloMonitor   *monitor,
                     GError             **error)
{
  g_autoptr (GhloRunSpaces) self = g_new0 (GhloRunSpaces, 1);
  const GhloMonitor quiet = { .cancellable = monitor != NULL ? monitor->cancellable : NULL };

  self->plan = plan;
  self->constants = g_new0 (Block, plan->n_arenas);
  for (guint i = 1; i < plan->n_arenas; i++)
    if (!upload_constants (self, i, addresses, &quiet, error))
      return NULL;

  return g_steal_pointer (&self);
}

void
ghlo_run_spaces_free (GhloRunSpaces *self)
{
  for (guint i = 1; i < self->plan->n_arenas; i++)
    if (self->constants[i].memory != NULL)
      {
        GhloDeviceMemory *memory = self->plan->arenas[i].memory;

        memory->klass->free (memory, self->constants[i].memory, self->constants[i].size);
      }
  g_free (self->constants);
  g_free (self);
}

/* A queue executes in order, so that its work waits for inputs by itself. Fails where the writer of an input is
 * known to have failed. */
static gboolean
wait_for_inputs (const GhloStepPlan  *plan,
                 GhloValue *const    *inputs,
                 const GhloMonitor   *monitor,
                 GError             **error)
{
  const gboolean is_queued = plan->devices[0]->queue != NULL;

  for (guint i = 0; plan->io_arena != 0 && i < plan->n_inputs; i++)
    {
      GhloFence *fence = inputs[i]->storage != NULL ? inputs[i]->storage->fence : NULL;

      if (fence != NULL && (!is_queued || ghlo_fence_is_done (fence)) && !ghlo_fence_wait (fence, monitor, error))
        return FALSE;
    }

  return TRUE;
}

gboolean
ghlo_run_spaces_begin (const GhloRunSpaces  *self,
                       GhloValue *const     *inputs,
                       gpointer             *arenas,
                       const GhloMonitor    *monitor,
                       GError              **error)
{
  const GhloStepPlan *plan = self->plan;

  if (!wait_for_inputs (plan, inputs, monitor, error))
    return FALSE;
  memset (arenas, 0, plan->n_arenas * sizeof *arenas);
  for (guint i = 1; i < plan->n_arenas; i++)
    {
      const GhloStepArena *arena = &plan->arenas[i];

      if (arena->size == 0)
        continue;
      arenas[i] = arena->memory->klass->alloc (arena->memory, GHLO_MEMORY_SCRATCH, arena->size, NULL, error);
      if (arenas[i] == NULL)
        {
          ghlo_run_spaces_end (self, arenas);
          return FALSE;
        }
    }

  return TRUE;
}

gboolean
ghlo_run_spaces_submit (const GhloRunSpaces  *self,
                        GError              **error)
{
  for (guint i = 0; i < self->plan->n_devices; i++)
    {
      GhloDeviceQueue *queue = self->plan->devices[i]->queue;

      if (queue != NULL && !queue->klass->submit (queue, error))
        return FALSE;
    }

  return TRUE;
}

void
ghlo_run_spaces_end (const GhloRunSpaces *self,
                     gpointer            *arenas)
{
  for (guint i = 1; i < self->plan->n_arenas; i++)
    {
      const GhloStepArena *arena = &self->plan->arenas[i];

      if (arenas[i] != NULL)
        arena->memory->klass->free (arena->memory, arenas[i], arena->size);
    }
}

/* Returns the storage of an input that the caller gives up for @output, if the step that writes the output does so in
 * place, as recordings expect; or NULL. The device only reads memory for uploads. */
static GhloStorage *
take_over (const GhloStepPlan   *plan,
           GhloDeviceCore       *device,
           const GhloRunOptions *options,
           GhloValue *const     *inputs,
           guint                 output)
{
  const guint input = options != NULL && options->donated_inputs != NULL ? options->donated_inputs[output]
                                                                         : GHLO_RUN_NO_INPUT;
  const GhloStepDonation *donation = &plan->donations[output];
  GhloStorage *storage;
  gboolean is_in_place = FALSE;

  for (guint i = 0; i < donation->n_inputs; i++)
    is_in_place |= donation->inputs[i] == input;
  if (!is_in_place || !ghlo_step_plan_may_replace (plan, output, input) || !ghlo_value_is_own (inputs[input]))
    return NULL;
  storage = inputs[input]->storage;
  if (storage->device != device || storage->kind == GHLO_MEMORY_UPLOAD)
    return NULL;
  g_atomic_pointer_set (&inputs[input]->data, NULL);
  g_clear_pointer (&storage->copy, ghlo_storage_unref);

  return ghlo_storage_ref (storage);
}

GhloValue *
ghlo_run_spaces_new_output (const GhloStepPlan    *plan,
                            GhloDeviceCore        *device,
                            const GhloRunOptions  *options,
                            GhloValue *const      *inputs,
                            guint                  output,
                            GhloTensorType        *type,
                            GError               **error)
{
  g_autoptr (GhloStorage) storage = NULL;
  GhloValue *input;

  if (plan->aliased_inputs[output] == GHLO_STEP_NONE)
    {
      storage = take_over (plan, device, options, inputs, output);
      if (storage == NULL)
        storage = ghlo_storage_new_on (device, GHLO_MEMORY_READBACK, plan->buffers[plan->outputs[output]].size, error);
      return storage != NULL ? ghlo_value_new_over (type, storage, error) : NULL;
    }
  input = inputs[plan->aliased_inputs[output]];

  return ghlo_tensor_type_equal (input->type, type) ? ghlo_value_ref (input)
                                                    : ghlo_value_new_over (type, input->storage, error);
}

gboolean
ghlo_run_spaces_read (const GhloStepPlan     *plan,
                      const GhloStepOperand  *operand,
                      guint8 *const          *addresses,
                      gpointer                bytes,
                      gsize                   size,
                      const GhloMonitor      *monitor,
                      GError                **error)
{
  GhloDeviceMemory *memory = plan->arenas[plan->buffers[operand->buffer].space].memory;
  const guint8 *from = addresses[operand->buffer] + operand->offset;

  if (memory != NULL)
    return memory->klass->download (memory, from, bytes, size, monitor, error);
  memcpy (bytes, from, size);

  return TRUE;
}

gboolean
ghlo_run_spaces_transfer (const GhloStepPlan  *plan,
                          const GhloStep      *step,
                          guint8 *const       *addresses,
                          const GhloMonitor   *monitor,
                          GError             **error)
{
  guint32 from = step->operands[0].buffer, to = step->results[0].buffer;
  gboolean is_download = plan->buffers[to].space == 0;
  GhloDeviceMemory *memory = plan->arenas[plan->buffers[is_download ? from : to].space].memory;
  const gsize size = plan->buffers[to].size;

  return is_download ? memory->klass->download (memory, addresses[from], addresses[to], size, monitor, error)
                     : memory->klass->upload (memory, addresses[from], addresses[to], size, FALSE, monitor, error);
}
