/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Work on the fake device's thread: runs and copies, in the order of submission. A run reads its inputs into host
 * memory, runs the program prepared by the CPU device, and writes the outputs to the device memory allocated for them.
 */

#include "calls.h"

#include "compiler/devices.h"
#include "runtime/place.h"

typedef struct
{
  GhloDeviceCore   *device;
  guint             n_outputs;
  GhloPrepared     *inner;         /* the CPU's */
  GhloIrModule     *module;
  const GhloIrType *type;          /* of the function; the module's */
  gboolean          is_static;     /* the outputs' sizes are known before a run */
} Prepared;

static gboolean
has_known_size (const GhloIrType *type)
{
  if (type->kind == GHLO_IR_TYPE_TENSOR)
    return ghlo_ir_type_has_static_shape (type);
  if (type->kind == GHLO_IR_TYPE_TOKEN)
    return TRUE;
  if (type->kind != GHLO_IR_TYPE_TUPLE)
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    if (!has_known_size (type->members[i]))
      return FALSE;

  return TRUE;
}

static const GhloIrType *
output_type (const Prepared *self,
             guint           output)
{
  return self->type->members[self->type->rank + output];
}

gpointer
fake_load (GhloDeviceCore            *device,
           GhloIrModule              *module,
           GhloIrOp                  *function,
           const GhloPrepareOptions  *options,
           gsize                     *size,
           const GhloMonitor         *monitor,
           GError                   **error)
{
  GhloPrepared *inner = NULL;
  Prepared *self;

  if (fake_begin (device, FAKE_PREPARE, monitor, error))
    inner = ghlo_device_core_prepare (ghlo_devices_find ("cpu"), module, function, options, monitor, error);
  if (inner == NULL)
    return NULL;

  self = g_new0 (Prepared, 1);
  self->device = device;
  self->inner = inner;
  self->module = ghlo_ir_module_ref (module);
  self->type = ghlo_ir_op_get (function, "function_type")->type;
  self->n_outputs = self->type->n_results;
  self->is_static = TRUE;
  for (guint i = 0; i < self->type->n_results; i++)
    self->is_static &= has_known_size (output_type (self, i));
  fake_count (FAKE_PREPARED, 1);
  *size = ghlo_prepared_get_size (inner);

  return self;
}

void
fake_free (gpointer program)
{
  Prepared *self = program;

  fake_count (FAKE_PREPARED, -1);
  ghlo_prepared_free (self->inner);
  ghlo_ir_module_unref (self->module);
  g_free (self);
}

const GhloPrepared *
fake_get_inner (gpointer program)
{
  return ((const Prepared *) program)->inner;
}

/* An input. For a tensor it has the memory and the pending operation that writes it, but no reference on the storage,
 * so that a later run can reuse the storage when this is the last user. Other values are never written to. */
typedef struct
{
  GhloTensorType *type;        /* owned, like all fields; NULL for other values */
  FakeMemory     *memory;
  GhloFence    *fence;     /* nullable */
  GhloValue      *value;
} Operand;

typedef struct
{
  Prepared          *prepared;      /* outlives the run, like everything that the next two point to */
  GhloRunOptions     options;
  const GhloMonitor *monitor;
  Operand           *operands;
  gsize              n_operands;
  GPtrArray         *memory;        /* of FakeMemory; for each tensor of the outputs, in their order */
  GhloValue        **results;       /* in host memory; used only by a call that waits for the run */
  gboolean           is_waited_for; /* by the call that started the run, which then frees it */
  GhloFence       *fence;
} Run;

static Operand
operand_of (GhloValue *input)
{
  if (input->kind != GHLO_VALUE_TENSOR)
    return (Operand) { .value = ghlo_value_ref (input) };

  return (Operand) {
    .type = ghlo_tensor_type_ref (input->type),
    .memory = fake_memory_ref (fake_storage_get (input->storage)),
    .fence = input->storage->fence != NULL ? ghlo_fence_ref (input->storage->fence) : NULL,
  };
}

static void
operand_clear (Operand *operand)
{
  g_clear_pointer (&operand->type, ghlo_tensor_type_unref);
  g_clear_pointer (&operand->memory, fake_memory_unref);
  g_clear_pointer (&operand->fence, ghlo_fence_unref);
  g_clear_pointer (&operand->value, ghlo_value_unref);
}

static Run *
run_new (Prepared             *prepared,
         const GhloRunOptions *options,
         GhloValue *const     *inputs,
         gsize                 n_inputs,
         const GhloMonitor    *monitor)
{
  Run *run = g_new0 (Run, 1);

  run->prepared = prepared;
  if (options != NULL)
    run->options = *options;
  run->options.donated_inputs = NULL;
  run->options.targets = NULL;
  run->options.begun = NULL;
  run->options.shared = NULL;
  run->monitor = monitor;
  run->operands = g_new (Operand, n_inputs + 1);
  run->n_operands = n_inputs;
  for (gsize i = 0; i < n_inputs; i++)
    run->operands[i] = operand_of (inputs[i]);
  run->memory = g_ptr_array_new_with_free_func ((GDestroyNotify) fake_memory_unref);
  run->results = g_new0 (GhloValue *, prepared->n_outputs + 1);
  run->is_waited_for = !prepared->is_static;
  run->fence = ghlo_fence_new ();

  return run;
}

static void
run_free (Run *run)
{
  for (gsize i = 0; i < run->n_operands; i++)
    operand_clear (&run->operands[i]);
  g_free (run->operands);
  g_ptr_array_unref (run->memory);
  ghlo_values_clear (run->results, run->prepared->n_outputs);
  g_free (run->results);
  ghlo_fence_unref (run->fence);
  g_free (run);
}

/* Reads a tensor into host memory. Its writer has ended, since it was submitted to this thread before. */
static GhloValue *
fetch_tensor (GhloTensorType     *type,
              FakeMemory         *memory,
              GhloFence          *fence,
              const GhloMonitor  *monitor,
              GError            **error)
{
  g_autoptr (GhloValue) value = NULL;

  if (!ghlo_fence_wait (fence, NULL, error))
    return NULL;
  value = ghlo_value_new_uninitialized (type, error);

  return value != NULL && fake_memory_read (memory, value->data, monitor, error) ? g_steal_pointer (&value) : NULL;
}

static GhloValue *
fetch (GhloValue          *value,
       const GhloMonitor  *monitor,
       GError            **error)
{
  g_autoptr (GPtrArray) members = NULL;

  if (value->kind == GHLO_VALUE_TENSOR)
    return fetch_tensor (value->type, fake_storage_get (value->storage), value->storage->fence, monitor, error);
  if (value->kind != GHLO_VALUE_TUPLE)
    return ghlo_value_ref (value);

  members = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);
  for (guint i = 0; i < value->n_members; i++)
    {
      GhloValue *member = fetch (value->members[i], monitor, error);

      if (member == NULL)
        return NULL;
      g_ptr_array_add (members, member);
    }

  return ghlo_value_new_tuple ((GhloValue *const *) members->pdata, members->len);
}

/* Writes the tensors of a result to the run's memory; *next is the index of the next tensor. */
static gboolean
store (const Run  *run,
       GhloValue  *result,
       guint      *next,
       GError    **error)
{
  if (result->kind == GHLO_VALUE_TENSOR)
    return fake_memory_write (run->memory->pdata[(*next)++], result->data, run->monitor, error);
  for (guint i = 0; i < result->n_members; i++)
    if (!store (run, result->members[i], next, error))
      return FALSE;

  return TRUE;
}

static gboolean
compute (Run             *run,
         GhloDeviceCore  *device,
         GError         **error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);
  guint next = 0;

  for (gsize i = 0; i < run->n_operands; i++)
    {
      const Operand *operand = &run->operands[i];
      GhloValue *input = operand->value != NULL ? fetch (operand->value, run->monitor, error)
                         : fetch_tensor (operand->type, operand->memory, operand->fence, run->monitor, error);

      if (input == NULL)
        return FALSE;
      g_ptr_array_add (inputs, input);
    }
  if (!fake_begin (device, FAKE_RUN, run->monitor, error)
      || !ghlo_prepared_run (run->prepared->inner, &run->options, (GhloValue *const *) inputs->pdata, inputs->len,
                             run->results, run->monitor, error))
    return FALSE;
  for (guint i = 0; i < run->prepared->n_outputs && !run->is_waited_for; i++)
    if (!store (run, run->results[i], &next, error))
      return FALSE;

  return TRUE;
}

/* Called on the device's thread. The run is freed before its end is announced. */
static void
run_work (gpointer data,
          gpointer device)
{
  Run *run = data;
  g_autoptr (GhloFence) fence = ghlo_fence_ref (run->fence);
  GError *error = NULL;

  compute (run, device, &error);
  for (guint i = 0; i < run->memory->len; i++)
    fake_memory_fail (run->memory->pdata[i], error);
  if (!run->is_waited_for)
    run_free (run);
  fake_count (FAKE_RUNS, -1);
  ghlo_fence_signal (fence, error);
}

/* Returns storage for a tensor: the storage of @donated (nullable) if that is donated, or else new storage. */
static GhloStorage *
storage_for (Run                   *run,
             const GhloTensorType  *type,
             GhloValue             *donated,
             GError               **error)
{
  GhloDeviceCore *device = run->prepared->device;
  gsize size = ghlo_tensor_type_get_size (type);
  g_autoptr (GhloStorage) storage = NULL;

  if (donated != NULL && ghlo_value_is_own (donated) && donated->storage->device == device
      && donated->n_bytes == size)
    {
      g_atomic_pointer_set (&donated->data, NULL);
      storage = ghlo_storage_ref (donated->storage);
    }
  else
    storage = ghlo_storage_new_on (device, GHLO_MEMORY_READBACK, size, error);
  if (storage == NULL)
    return NULL;
  g_clear_pointer (&storage->copy, ghlo_storage_unref);
  g_clear_pointer (&storage->fence, ghlo_fence_unref);
  storage->fence = ghlo_fence_ref (run->fence);
  g_ptr_array_add (run->memory, fake_memory_ref (fake_storage_get (storage)));

  return g_steal_pointer (&storage);
}

static GhloValue *
output_new (Run               *run,
            const GhloIrType  *type,
            GhloValue         *donated,
            GError           **error)
{
  g_autoptr (GhloTensorType) tensor_type = ghlo_ir_type_to_tensor_type (type);
  g_autoptr (GPtrArray) members = NULL;

  if (tensor_type != NULL)
    {
      g_autoptr (GhloStorage) storage = storage_for (run, tensor_type, donated, error);

      return storage != NULL ? ghlo_value_new_over (tensor_type, storage, error) : NULL;
    }
  if (type->kind != GHLO_IR_TYPE_TUPLE)
    return ghlo_value_new_token ();

  members = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);
  for (guint i = 0; i < type->rank; i++)
    {
      GhloValue *member = output_new (run, type->members[i], NULL, error);

      if (member == NULL)
        return NULL;
      g_ptr_array_add (members, member);
    }

  return ghlo_value_new_tuple ((GhloValue *const *) members->pdata, members->len);
}

/* Creates the outputs that the run is to write. */
static gboolean
make_outputs (Run                   *run,
              const GhloRunOptions  *options,
              GhloValue *const      *inputs,
              GhloValue            **outputs,
              GError               **error)
{
  const guint *donated_inputs = options != NULL ? options->donated_inputs : NULL;

  for (guint i = 0; i < run->prepared->n_outputs; i++)
    {
      guint donated = donated_inputs != NULL ? donated_inputs[i] : GHLO_RUN_NO_INPUT;
      GhloValue *given_up = donated != GHLO_RUN_NO_INPUT ? inputs[donated] : NULL;

      outputs[i] = output_new (run, output_type (run->prepared, i), given_up, error);
      if (outputs[i] != NULL)
        continue;
      ghlo_values_clear (outputs, i);
      return FALSE;
    }

  return TRUE;
}

/* Waits for a run whose outputs have dynamic sizes, and creates the outputs. */
static gboolean
finish (Run        *run,
        GhloValue **outputs,
        GError    **error)
{
  const Prepared *prepared = run->prepared;
  gboolean ok = ghlo_fence_wait (run->fence, NULL, error);

  for (guint i = 0; i < prepared->n_outputs && ok; i++)
    {
      outputs[i] = ghlo_value_place (run->results[i], prepared->device, run->monitor, error);
      ok = outputs[i] != NULL;
      if (!ok)
        ghlo_values_clear (outputs, i);
    }
  run_free (run);

  return ok;
}

gboolean
fake_start (gpointer               program,
            const GhloRunOptions  *options,
            GhloValue *const      *inputs,
            gsize                  n_inputs,
            GhloValue            **outputs,
            GhloFence            **fence,
            const GhloMonitor     *monitor,
            GError               **error)
{
  Prepared *self = program;
  GError *problem = NULL;
  Run *run;

  if (!fake_begin (self->device, FAKE_START, monitor, error))
    return FALSE;
  ghlo_run_options_begin (options);
  run = run_new (self, options, inputs, n_inputs, monitor);
  if (self->is_static && !make_outputs (run, options, inputs, outputs, &problem))
    {
      /* Donated storage now waits for this run, which will not write to it. */
      ghlo_fence_signal (run->fence, g_error_copy (problem));
      g_propagate_error (error, problem);
      run_free (run);
      return FALSE;
    }
  if (self->is_static)
    *fence = ghlo_fence_ref (run->fence);
  fake_count (FAKE_RUNS, 1);
  fake_submit (self->device, run_work, run);

  return self->is_static || finish (run, outputs, error);
}

typedef struct
{
  FakeMemory *from, *to;
} Copy;

static void
copy_work (gpointer data,
           gpointer device)
{
  Copy *copy = data;

  fake_memory_copy (copy->from, copy->to);
  fake_memory_unref (copy->from);
  fake_memory_unref (copy->to);
  g_free (copy);
  fake_count (FAKE_RUNS, -1);
}

gboolean
fake_copy (GhloDeviceCore  *self,
           FakeMemory      *from,
           FakeMemory      *to,
           GError         **error)
{
  Copy *copy;

  if (!fake_begin (self, FAKE_COPY, NULL, error))
    return FALSE;
  copy = g_new (Copy, 1);
  *copy = (Copy) { fake_memory_ref (from), fake_memory_ref (to) };
  fake_count (FAKE_RUNS, 1);
  fake_submit (self, copy_work, copy);

  return TRUE;
}
