/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * In each memory, one block holds all constants and another one the temporaries of a run.
 */

#include "runtime/run-spaces.h"

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
  const GhloStepSpace *space = plan->arenas[arena].space;
  Block *block = &self->constants[arena];

  lay_out_constants (self, arena, addresses);
  if (block->size == 0)
    return TRUE;
  block->memory = space->alloc (space->self, block->size, error);
  if (block->memory == NULL)
    return FALSE;
  for (guint i = 0; i < plan->n_buffers; i++)
    if (is_constant_of (&plan->buffers[i], arena))
      {
        addresses[i] = (guint8 *) block->memory + GPOINTER_TO_SIZE (addresses[i]);
        if (space->get_host_address != NULL)
          memcpy (space->get_host_address (space->self, addresses[i]), g_bytes_get_data (plan->buffers[i].bytes, NULL),
                  plan->buffers[i].size);
        else if (!space->upload (space->self, g_bytes_get_data (plan->buffers[i].bytes, NULL), addresses[i],
                            plan->buffers[i].size, monitor, error))
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
        const GhloStepSpace *space = self->plan->arenas[i].space;

        space->free (space->self, self->constants[i].memory, self->constants[i].size);
      }
  g_free (self->constants);
  g_free (self);
}

/* Empty buffers keep their host address. */
static void
fill_addresses (const GhloStepPlan  *plan,
                GhloValue *const    *inputs,
                GhloValue *const    *outputs,
                const gpointer      *arenas,
                guint8             **addresses)
{
  for (guint i = 0; i < plan->n_buffers; i++)
    {
      const GhloStepBuffer *buffer = &plan->buffers[i];
      const GhloValue *value = NULL;

      if (buffer->space == 0 || buffer->size == 0)
        continue;
      if (buffer->kind == GHLO_STEP_BUFFER_TEMPORARY && arenas[buffer->space] != NULL)
        addresses[i] = (guint8 *) arenas[buffer->space] + buffer->offset;
      else if (buffer->kind == GHLO_STEP_BUFFER_INPUT)
        value = inputs[buffer->index];
      else if (buffer->kind == GHLO_STEP_BUFFER_OUTPUT)
        value = outputs[buffer->index];
      if (value != NULL)
        addresses[i] = GSIZE_TO_POINTER (value->storage->address);
    }
}

static gboolean
wait_for_inputs (const GhloStepPlan  *plan,
                 GhloValue *const    *inputs,
                 const GhloMonitor   *monitor,
                 GError             **error)
{
  const GhloStepSpace *space = plan->arenas[plan->io_arena].space;

  /* Submissions are executed in order, so later ones need not wait. */
  if (space != NULL && space->submit != NULL)
    return TRUE;
  for (guint i = 0; space != NULL && i < plan->n_inputs; i++)
    if (inputs[i]->storage != NULL && !ghlo_pending_wait (inputs[i]->storage->pending, monitor, error))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_run_spaces_begin (const GhloRunSpaces  *self,
                       GhloValue *const     *inputs,
                       GhloValue *const     *outputs,
                       gpointer             *arenas,
                       guint8              **addresses,
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
      arenas[i] = arena->space->alloc (arena->space->self, arena->size, error);
      if (arenas[i] == NULL)
        {
          ghlo_run_spaces_end (self, arenas);
          return FALSE;
        }
    }
  fill_addresses (plan, inputs, outputs, arenas, addresses);

  return TRUE;
}

gboolean
ghlo_run_spaces_submit (const GhloRunSpaces  *self,
                        GError              **error)
{
  for (guint i = 1; i < self->plan->n_arenas; i++)
    {
      const GhloStepSpace *space = self->plan->arenas[i].space;

      if (space->submit != NULL && !space->submit (space->self, NULL, error))
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
        arena->space->free (arena->space->self, arenas[i], arena->size);
    }
}

GhloValue *
ghlo_run_spaces_new_output (const GhloStepPlan  *plan,
                            GhloDeviceCore      *device,
                            GhloValue *const    *inputs,
                            guint                output,
                            GhloTensorType      *type,
                            GError             **error)
{
  g_autoptr (GhloStorage) storage = NULL;
  GhloValue *input;

  if (plan->aliased_inputs[output] == GHLO_STEP_NONE)
    {
      storage = ghlo_device_core_allocate (device, GHLO_MEMORY_READBACK, plan->buffers[plan->outputs[output]].size,
                                           error);
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
  const GhloStepSpace *space = plan->arenas[plan->buffers[operand->buffer].space].space;
  const guint8 *from = addresses[operand->buffer] + operand->offset;

  if (space != NULL)
    return space->download (space->self, from, bytes, size, monitor, error);
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
  const GhloStepSpace *space = plan->arenas[plan->buffers[is_download ? from : to].space].space;

  return (is_download ? space->download : space->upload) (space->self, addresses[from], addresses[to],
                                                          plan->buffers[to].size, monitor, error);
}
