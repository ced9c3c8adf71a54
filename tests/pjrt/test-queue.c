/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Executions that continue after the call, on a device that uses host memory.
 */

#include "call.h"

#include <string.h>

/* Increments numbers by an input. Its time cannot be estimated. */
static const char long_increment[] =
  "func.func @main(%a: tensor<1024xf32>, %n: tensor<f32>) -> tensor<1024xf32> {\n"
  "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
  "  %one = stablehlo.constant dense<1.0> : tensor<f32>\n"
  "  %ones = stablehlo.constant dense<1.0> : tensor<1024xf32>\n"
  "  %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<f32>, tensor<1024xf32>\n"
  "    cond {\n"
  "      %c = stablehlo.compare LT, %i, %n : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
  "      stablehlo.return %c : tensor<i1>\n"
  "    } do {\n"
  "      %j = stablehlo.add %i, %one : tensor<f32>\n"
  "      %y = stablehlo.add %x, %ones : tensor<1024xf32>\n"
  "      stablehlo.return %j, %y : tensor<f32>, tensor<1024xf32>\n"
  "    }\n"
  "  return %r#1 : tensor<1024xf32>\n"
  "}\n";

/* Increments numbers quickly and in place. */
static const char increment[] =
  "func.func @main(%a: tensor<1024xf32> {tf.aliasing_output = 0 : i32}) -> tensor<1024xf32> {\n"
  "  %one = stablehlo.constant dense<1.0> : tensor<1024xf32>\n"
  "  %0 = stablehlo.add %a, %one : tensor<1024xf32>\n"
  "  return %0 : tensor<1024xf32>\n"
  "}\n";

/* A tensor larger than memory, and a user of it. */
#define HUGE_TYPE "tensor<65536x65536x64xf32>"

static const char huge[] =
  "func.func @main(%a: tensor<f32>) -> " HUGE_TYPE " {\n"
  "  %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> " HUGE_TYPE "\n"
  "  return %0 : " HUGE_TYPE "\n"
  "}\n";

static const char first_of_huge[] =
  "func.func @main(%a: " HUGE_TYPE ") -> tensor<1x1x1xf32> {\n"
  "  %0 = stablehlo.slice %a [0:1, 0:1, 0:1] : (" HUGE_TYPE ") -> tensor<1x1x1xf32>\n"
  "  return %0 : tensor<1x1x1xf32>\n"
  "}\n";

enum { N = 1024 };

typedef struct
{
  PJRT_Client           *client;
  PJRT_LoadedExecutable *slow, *quick;
  PJRT_Buffer           *zeros, *one;
  PJRT_Buffer           *later;         /* also holds one, once the gate is open */
  PJRT_AsyncHostToDeviceTransferManager *gate;
} Fixture;

static PJRT_Buffer *
scalar (PJRT_Client *client,
        float        number)
{
  PJRT_Client_BufferFromHostBuffer_Args args = CALL (Client_BufferFromHostBuffer, .client = client, .data = &number,
                                                     .type = PJRT_Buffer_Type_F32);

  CALL (Event_Destroy, .event = args.done_with_host_buffer);

  return args.buffer;
}

static void
set_up (Fixture *self)
{
  const float zeros[N] = { 0 };
  PJRT_ShapeSpec number = { .struct_size = sizeof number, .element_type = PJRT_Buffer_Type_F32 };

  self->client = call_client ("cpu");
  self->slow = call_compile (self->client, long_increment);
  self->quick = call_compile (self->client, increment);
  self->zeros = call_floats (self->client, zeros, N);
  self->one = scalar (self->client, 1);
  self->gate = CALL (Client_CreateBuffersForAsyncHostToDevice, .client = self->client, .shape_specs = &number,
                     .num_shape_specs = 1).transfer_manager;
  self->later = CALL (AsyncHostToDeviceTransferManager_RetrieveBuffer, .transfer_manager = self->gate).buffer_out;
}

/* Opens the gate, so that executions waiting for it may continue. */
static void
open_gate (const Fixture *self)
{
  const float one = 1;
  PJRT_Event *done = CALL (AsyncHostToDeviceTransferManager_TransferData, .transfer_manager = self->gate,
                           .data = &one, .transfer_size = sizeof one, .is_last_transfer = true).done_with_h2d_transfer;

  CALL (Event_Destroy, .event = done);
}

static void
tear_down (Fixture *self)
{
  CALL (Buffer_Destroy, .buffer = self->zeros);
  CALL (Buffer_Destroy, .buffer = self->one);
  CALL (Buffer_Destroy, .buffer = self->later);
  CALL (AsyncHostToDeviceTransferManager_Destroy, .transfer_manager = self->gate);
  CALL (LoadedExecutable_Destroy, .executable = self->slow);
  CALL (LoadedExecutable_Destroy, .executable = self->quick);
  CALL (Client_Destroy, .client = self->client);
}

/* Begins an execution on @from that waits for the gate. */
static PJRT_Buffer *
begin (const Fixture  *self,
       PJRT_Buffer    *from,
       PJRT_Event    **done)
{
  PJRT_Buffer *inputs[] = { from, self->later }, *output = NULL;

  call_check ("Execute", call_execute (self->slow, inputs, 2, &output, done));

  return output;
}

static void
check_numbers (PJRT_Buffer *buffer,
               float        expected)
{
  float numbers[N];

  call_read (buffer, numbers, sizeof numbers);
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat (numbers[i], ==, expected);
}

static gboolean
is_ready (PJRT_Buffer *buffer)
{
  PJRT_Event *event = CALL (Buffer_ReadyEvent, .buffer = buffer).event;
  gboolean ready = CALL (Event_IsReady, .event = event).is_ready;

  CALL (Event_Destroy, .event = event);

  return ready;
}

static void
wait_for (PJRT_Event *event)
{
  CALL (Event_Await, .event = event);
  g_assert_true (CALL (Event_IsReady, .event = event).is_ready);
  CALL (Event_Destroy, .event = event);
}

typedef struct
{
  GMutex      lock;
  GCond       changed;
  gboolean    has_ended;
  PJRT_Error *error;
} End;

static void
on_ended (PJRT_Error *error,
          void       *data)
{
  End *end = data;

  g_mutex_lock (&end->lock);
  end->has_ended = TRUE;
  end->error = error;
  g_cond_signal (&end->changed);
  g_mutex_unlock (&end->lock);
}

/* The outputs and their metadata are available at once, their content later. */
static void
test_later (void)
{
  Fixture fixture;
  End end = { .has_ended = FALSE };
  PJRT_Event *done = NULL, *read;
  PJRT_Buffer *output, *copy;
  float numbers[N];

  set_up (&fixture);
  output = begin (&fixture, fixture.zeros, &done);
  g_assert_false (CALL (Event_IsReady, .event = done).is_ready);
  g_assert_false (is_ready (output));
  g_assert_cmpint (CALL (Buffer_Dimensions, .buffer = output).dims[0], ==, N);
  g_assert_cmpint (CALL (Buffer_ElementType, .buffer = output).type, ==, PJRT_Buffer_Type_F32);
  g_assert_cmpuint (CALL (Buffer_OnDeviceSizeInBytes, .buffer = output).on_device_size_in_bytes, ==, sizeof numbers);
  CALL (Event_OnReady, .event = done, .callback = on_ended, .user_arg = &end);
  CALL (Event_Destroy, .event = done);

  copy = CALL (Buffer_CopyToDevice, .buffer = output,
               .dst_device = CALL (Buffer_Device, .buffer = output).device).dst_buffer;
  read = CALL (Buffer_ToHostBuffer, .src = output, .dst = numbers, .dst_size = sizeof numbers).event;
  g_assert_false (is_ready (copy));
  g_assert_false (CALL (Event_IsReady, .event = read).is_ready);
  open_gate (&fixture);
  wait_for (read);
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat (numbers[i], ==, 1);
  check_numbers (copy, 1);

  g_mutex_lock (&end.lock);
  while (!end.has_ended)
    g_cond_wait (&end.changed, &end.lock);
  g_mutex_unlock (&end.lock);
  g_assert_null (end.error);
  CALL (Buffer_Destroy, .buffer = copy);
  CALL (Buffer_Destroy, .buffer = output);
  tear_down (&fixture);
}

/* A chain of calls in flight, each on the output of the one before. */
static void
test_chain (void)
{
  Fixture fixture;
  PJRT_Buffer *buffer;

  set_up (&fixture);
  buffer = begin (&fixture, fixture.zeros, NULL);
  for (guint i = 0; i < 100; i++)
    {
      PJRT_Buffer *inputs[] = { buffer, fixture.one }, *next = NULL;
      gboolean donates = i % 3 == 0;

      call_check ("Execute", call_execute (donates ? fixture.quick : fixture.slow, inputs, donates ? 1 : 2, &next,
                                           NULL));
      g_assert_cmpint (CALL (Buffer_IsDeleted, .buffer = buffer).is_deleted, ==, donates);
      CALL (Buffer_Destroy, .buffer = buffer);
      buffer = next;
      /* At most 32 can be in flight. */
      if (i == 20)
        {
          g_assert_false (is_ready (buffer));
          open_gate (&fixture);
        }
    }
  check_numbers (buffer, 101);
  CALL (Buffer_Destroy, .buffer = buffer);
  tear_down (&fixture);
}

/* Nothing waits for deleted buffers, and executions under way need no object of the caller. */
static void
test_deletion (void)
{
  Fixture fixture;
  PJRT_Event *done = NULL;
  PJRT_Buffer *inputs[2], *output = NULL, *gone;

  set_up (&fixture);
  inputs[0] = begin (&fixture, fixture.zeros, NULL);
  inputs[1] = scalar (fixture.client, 1);
  call_check ("Execute", call_execute (fixture.slow, inputs, 2, &output, &done));
  for (guint i = 0; i < 2; i++)
    CALL (Buffer_Destroy, .buffer = inputs[i]);
  gone = begin (&fixture, output, NULL);
  CALL (Buffer_Delete, .buffer = gone);
  g_assert_true (CALL (Buffer_IsDeleted, .buffer = gone).is_deleted);
  call_check_error (CALL_ERROR (Buffer_ToHostBuffer, .src = gone, .dst = inputs, .dst_size = N * sizeof (float)),
                    PJRT_Error_Code_INVALID_ARGUMENT, "deleted or donated");
  CALL (LoadedExecutable_Delete, .executable = fixture.slow);
  g_assert_false (CALL (Event_IsReady, .event = done).is_ready);
  open_gate (&fixture);
  wait_for (done);
  check_numbers (output, 2);
  CALL (Buffer_Destroy, .buffer = gone);
  CALL (Buffer_Destroy, .buffer = output);
  tear_down (&fixture);
}

/* A buffer is donated when the call is made; a buffer with external references is not written to. */
static void
test_donation (void)
{
  Fixture fixture;
  PJRT_Buffer *first, *second = NULL, *third = NULL;
  const float *address;

  set_up (&fixture);
  first = begin (&fixture, fixture.zeros, NULL);
  call_check ("Execute", call_execute (fixture.quick, &first, 1, &second, NULL));
  g_assert_true (CALL (Buffer_IsDeleted, .buffer = first).is_deleted);
  g_assert_false (is_ready (second));
  CALL (Buffer_IncreaseExternalReferenceCount, .buffer = second);
  call_check ("Execute", call_execute (fixture.quick, &second, 1, &third, NULL));
  g_assert_true (CALL (Buffer_IsDeleted, .buffer = second).is_deleted);
  open_gate (&fixture);
  check_numbers (third, 3);
  address = CALL (Buffer_OpaqueDeviceMemoryDataPointer, .buffer = third).device_memory_ptr;
  g_assert_cmpfloat (address[N - 1], ==, 3);
  CALL (Buffer_DecreaseExternalReferenceCount, .buffer = second);
  CALL (Buffer_Destroy, .buffer = first);
  CALL (Buffer_Destroy, .buffer = second);
  CALL (Buffer_Destroy, .buffer = third);
  tear_down (&fixture);
}

/* A queued run reuses the memory of its input if nothing else holds that when the run starts. */
static void
test_memory (void)
{
  Fixture fixture;
  PJRT_LoadedExecutable *add;
  PJRT_Buffer *first = NULL, *reader, *inputs[2], *outputs[2] = { NULL };
  uintptr_t address;

  set_up (&fixture);
  add = call_compile (fixture.client,
    "func.func @main(%a: tensor<1024xf32> {tf.aliasing_output = 0 : i32}, %n: tensor<f32>) -> tensor<1024xf32> {\n"
    "  %0 = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<f32>) -> tensor<1024xf32>\n"
    "  %1 = stablehlo.add %a, %0 : tensor<1024xf32>\n"
    "  return %1 : tensor<1024xf32>\n"
    "}\n");
  call_check ("Execute", call_execute (fixture.quick, &fixture.zeros, 1, &first, NULL));
  address = CALL (Buffer_UnsafePointer, .buffer = first).buffer_pointer;
  reader = begin (&fixture, first, NULL);
  inputs[0] = first;
  inputs[1] = fixture.later;
  call_check ("Execute", call_execute (add, inputs, 2, &outputs[0], NULL));
  inputs[0] = outputs[0];
  inputs[1] = fixture.one;
  call_check ("Execute", call_execute (add, inputs, 2, &outputs[1], NULL));
  g_assert_true (CALL (Buffer_IsDeleted, .buffer = outputs[0]).is_deleted);
  open_gate (&fixture);
  g_assert_cmpuint (CALL (Buffer_UnsafePointer, .buffer = outputs[1]).buffer_pointer, ==, address);
  check_numbers (outputs[1], 3);
  check_numbers (reader, 2);
  CALL (Buffer_Destroy, .buffer = first);
  CALL (Buffer_Destroy, .buffer = reader);
  CALL (Buffer_Destroy, .buffer = outputs[0]);
  CALL (Buffer_Destroy, .buffer = outputs[1]);
  CALL (LoadedExecutable_Destroy, .executable = add);
  tear_down (&fixture);
}

/* A chain of donated buffers on a GPU stays where it is, although no run has ended when the next begins. */
static void
test_chain_in_place (void)
{
  enum { N_RUNS = 24, N_NUMBERS = 1 << 18 };
  static const char device[] = "vulkan";
  const PJRT_NamedValue option = {
    .struct_size = sizeof option, .name = "device", .name_size = strlen ("device"), .type = PJRT_NamedValue_kString,
    .string_value = device, .value_size = strlen (device),
  };
  PJRT_Client_Create_Args made = { .struct_size = sizeof made, .create_options = &option, .num_options = 1 };
  PJRT_Error *error = api->PJRT_Client_Create (&made);
  g_autofree float *numbers = g_new0 (float, N_NUMBERS);
  PJRT_LoadedExecutable *executable;
  PJRT_Buffer *buffer;
  PJRT_Device *gpu;
  gint64 most;

  if (error != NULL)
    {
      g_autofree char *message = call_take_message (error);

      g_test_skip (message);
      return;
    }
  executable = call_compile (made.client,
    "func.func @main(%a: tensor<262144xf32> {tf.aliasing_output = 0 : i32}) -> tensor<262144xf32> {\n"
    "  %0 = stablehlo.cosine %a : tensor<262144xf32>\n"
    "  return %0 : tensor<262144xf32>\n"
    "}\n");
  buffer = call_floats (made.client, numbers, N_NUMBERS);
  call_read (buffer, numbers, N_NUMBERS * sizeof *numbers);
  gpu = CALL (Buffer_Device, .buffer = buffer).device;
  CALL (Device_ClearMemoryStats, .device = gpu);
  most = CALL (Device_MemoryStats, .device = gpu).peak_bytes_in_use;
  for (guint i = 0; i < N_RUNS; i++)
    {
      PJRT_Buffer *next = NULL;

      call_check ("Execute", call_execute (executable, &buffer, 1, &next, NULL));
      CALL (Buffer_Destroy, .buffer = buffer);
      buffer = next;
    }
  most = CALL (Device_MemoryStats, .device = gpu).peak_bytes_in_use - most;
  g_test_message ("%" G_GINT64_FORMAT " bytes more than before the runs", most);
  g_assert_cmpint (most, <, N_NUMBERS * (gint64) sizeof *numbers);
  call_read (buffer, numbers, N_NUMBERS * sizeof *numbers);
  g_assert_cmpfloat (numbers[0], >, 0.7);
  g_assert_cmpfloat (numbers[N_NUMBERS - 1], ==, numbers[0]);
  CALL (Buffer_Destroy, .buffer = buffer);
  CALL (LoadedExecutable_Destroy, .executable = executable);
  CALL (Client_Destroy, .client = made.client);
}

static void
check_failure (PJRT_Buffer *buffer,
               char       **message)
{
  PJRT_Event *event = CALL (Buffer_ReadyEvent, .buffer = buffer).event;
  g_autofree char *found = NULL;
  PJRT_Error *error = CALL_ERROR (Event_Await, .event = event);

  g_assert_nonnull (error);
  g_assert_cmpint (CALL (Error_GetCode, .error = error).code, ==, PJRT_Error_Code_RESOURCE_EXHAUSTED);
  found = call_take_message (error);
  if (*message == NULL)
    *message = g_strdup (found);
  g_assert_cmpstr (found, ==, *message);
  CALL (Event_Destroy, .event = event);
  error = CALL_ERROR (Buffer_UnsafePointer, .buffer = buffer);
  g_assert_nonnull (error);
  g_free (found);
  found = call_take_message (error);
  g_assert_cmpstr (found, ==, *message);
}

/* A failure propagates to all dependent executions, with the first cause. */
static void
test_failure (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *fails = call_compile (client, huge), *needs = call_compile (client, first_of_huge);
  PJRT_Buffer *one = scalar (client, 1), *output = NULL, *next[2] = { NULL };
  g_autofree char *message = NULL;
  PJRT_Event *done = NULL;

  call_check ("Execute", call_execute (fails, &one, 1, &output, &done));
  call_check ("Execute", call_execute (needs, &output, 1, &next[0], NULL));
  call_check_error (CALL_ERROR (Event_Await, .event = done), PJRT_Error_Code_RESOURCE_EXHAUSTED, "65536x65536x64xf32");
  CALL (Event_Destroy, .event = done);
  check_failure (output, &message);
  check_failure (next[0], &message);
  /* Whether or not the failure is known already at the call. */
  call_check ("Execute", call_execute (needs, &output, 1, &next[1], &done));
  check_failure (next[1], &message);
  call_check_error (CALL_ERROR (Event_Await, .event = done), PJRT_Error_Code_RESOURCE_EXHAUSTED, message);
  CALL (Event_Destroy, .event = done);
  CALL (Buffer_Destroy, .buffer = one);
  CALL (Buffer_Destroy, .buffer = output);
  CALL (Buffer_Destroy, .buffer = next[0]);
  CALL (Buffer_Destroy, .buffer = next[1]);
  CALL (LoadedExecutable_Destroy, .executable = fails);
  CALL (LoadedExecutable_Destroy, .executable = needs);
  CALL (Client_Destroy, .client = client);
}

/* Destroying a client waits for its executions. */
static void
test_end (void)
{
  Fixture fixture;
  PJRT_Event *done[3] = { NULL };
  PJRT_Buffer *outputs[3];

  set_up (&fixture);
  for (guint i = 0; i < G_N_ELEMENTS (done); i++)
    outputs[i] = begin (&fixture, fixture.zeros, &done[i]);
  g_assert_false (CALL (Event_IsReady, .event = done[2]).is_ready);
  open_gate (&fixture);
  tear_down (&fixture);
  for (guint i = 0; i < G_N_ELEMENTS (done); i++)
    {
      g_assert_true (CALL (Event_IsReady, .event = done[i]).is_ready);
      CALL (Event_Destroy, .event = done[i]);
      check_numbers (outputs[i], 1);
      CALL (Buffer_Destroy, .buffer = outputs[i]);
    }
}

/* An execution with ready inputs overtakes executions that wait. */
static void
test_overtaking (void)
{
  Fixture fixture;
  PJRT_Buffer *waits, *inputs[2], *output = NULL;

  set_up (&fixture);
  waits = begin (&fixture, fixture.zeros, NULL);
  inputs[0] = fixture.zeros;
  inputs[1] = fixture.one;
  call_check ("Execute", call_execute (fixture.slow, inputs, 2, &output, NULL));
  check_numbers (output, 1);
  g_assert_false (is_ready (waits));
  open_gate (&fixture);
  check_numbers (waits, 1);
  CALL (Buffer_Destroy, .buffer = waits);
  CALL (Buffer_Destroy, .buffer = output);
  tear_down (&fixture);
}

/* A callback on the queue's thread may execute more programs and wait for executions queued behind it. */
typedef struct
{
  Fixture     *fixture;
  PJRT_Buffer *behind;          /* still queued when the callback is called */
  gint         n_checked;       /* atomic */
} Nested;

static void
call_again (PJRT_Error *error,
            void       *data)
{
  Nested *nested = data;
  PJRT_Buffer *inputs[] = { nested->behind, nested->fixture->one }, *output = NULL;

  g_assert_null (error);
  call_check ("Execute", call_execute (nested->fixture->slow, inputs, 2, &output, NULL));
  check_numbers (output, 3);
  g_assert_true (is_ready (nested->behind));
  CALL (Buffer_Destroy, .buffer = output);
  g_atomic_int_set (&nested->n_checked, 1);
}

static void
test_nested (void)
{
  Fixture fixture;
  PJRT_Event *done = NULL;
  PJRT_Buffer *first, *inputs[2];
  Nested nested = { .fixture = &fixture };

  set_up (&fixture);
  first = begin (&fixture, fixture.zeros, &done);
  inputs[0] = first;
  inputs[1] = fixture.one;
  call_check ("Execute", call_execute (fixture.slow, inputs, 2, &nested.behind, NULL));
  CALL (Event_OnReady, .event = done, .callback = call_again, .user_arg = &nested);
  CALL (Event_Destroy, .event = done);
  open_gate (&fixture);
  check_numbers (nested.behind, 2);
  while (g_atomic_int_get (&nested.n_checked) == 0)
    g_thread_yield ();
  CALL (Buffer_Destroy, .buffer = first);
  CALL (Buffer_Destroy, .buffer = nested.behind);
  tear_down (&fixture);
}

/* Only short programs run within the call. The queue's worker is blocked meanwhile. */

static const struct { const char *name, *type, *body; gboolean is_short; } choices[] = {
  { "add", "tensor<8xf32>", "  %0 = stablehlo.add %a, %a : tensor<8xf32>\n", TRUE },
  { "few-numbers", "tensor<64x64xf32>",
    "  %1 = stablehlo.cosine %a : tensor<64x64xf32>\n"
    "  %0 = stablehlo.multiply %1, %a : tensor<64x64xf32>\n", TRUE },
  { "product", "tensor<1024x1024xf32>",
    "  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]\n"
    "    : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>\n", FALSE },
  { "many-numbers", "tensor<4194304xf32>", "  %0 = stablehlo.add %a, %a : tensor<4194304xf32>\n", FALSE },
  { "loop", "tensor<16x16xf32>",
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %n = stablehlo.constant dense<10000> : tensor<i32>\n"
    "  %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<16x16xf32>\n"
    "    cond {\n"
    "      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %c : tensor<i1>\n"
    "    } do {\n"
    "      %j = stablehlo.add %i, %one : tensor<i32>\n"
    "      %y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]\n"
    "        : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>\n"
    "      stablehlo.return %j, %y : tensor<i32>, tensor<16x16xf32>\n"
    "    }\n"
    "  %0 = stablehlo.abs %r#1 : tensor<16x16xf32>\n", FALSE },
};

typedef struct
{
  GMutex   lock;
  GCond    changed;
  gboolean is_held, may_go;
} Hold;

static void
hold_up (PJRT_Error *error,
         void       *data)
{
  Hold *hold = data;

  g_assert_null (error);
  g_mutex_lock (&hold->lock);
  hold->is_held = TRUE;
  g_cond_signal (&hold->changed);
  while (!hold->may_go)
    g_cond_wait (&hold->changed, &hold->lock);
  g_mutex_unlock (&hold->lock);
}

/* Blocks the queue's worker in a callback. Returns the output of that execution. */
static PJRT_Buffer *
hold_worker (const Fixture *fixture,
             Hold          *hold)
{
  PJRT_Event *done = NULL;
  PJRT_Buffer *output = begin (fixture, fixture->zeros, &done);

  CALL (Event_OnReady, .event = done, .callback = hold_up, .user_arg = hold);
  CALL (Event_Destroy, .event = done);
  open_gate (fixture);
  g_mutex_lock (&hold->lock);
  while (!hold->is_held)
    g_cond_wait (&hold->changed, &hold->lock);
  g_mutex_unlock (&hold->lock);

  return output;
}

static void
let_worker_go (Hold *hold)
{
  g_mutex_lock (&hold->lock);
  hold->may_go = TRUE;
  g_cond_signal (&hold->changed);
  g_mutex_unlock (&hold->lock);
}

static PJRT_Buffer *
make_zeros (PJRT_Client           *client,
            PJRT_LoadedExecutable *loaded)
{
  PJRT_Executable *executable = CALL (LoadedExecutable_GetExecutable, .loaded_executable = loaded).executable;
  PJRT_Executable_OutputDimensions_Args dims = CALL (Executable_OutputDimensions, .executable = executable);
  gsize n = 1;
  g_autofree float *numbers = NULL;
  PJRT_Client_BufferFromHostBuffer_Args args;

  for (gsize i = 0; i < dims.dim_sizes[0]; i++)
    n *= (gsize) dims.dims[i];
  numbers = g_new0 (float, n);
  args = CALL (Client_BufferFromHostBuffer, .client = client, .data = numbers, .type = PJRT_Buffer_Type_F32,
               .dims = dims.dims, .num_dims = dims.dim_sizes[0]);
  CALL (Event_Destroy, .event = args.done_with_host_buffer);
  CALL (Executable_Destroy, .executable = executable);

  return args.buffer;
}

static void
test_choice (void)
{
  Fixture fixture;
  PJRT_LoadedExecutable *loaded[G_N_ELEMENTS (choices)];
  PJRT_Buffer *inputs[G_N_ELEMENTS (choices)], *outputs[G_N_ELEMENTS (choices)], *output;
  Hold hold = { .is_held = FALSE };

  set_up (&fixture);
  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    {
      g_autofree char *program = g_strdup_printf ("func.func @main(%%a: %s) -> %s {\n%s  return %%0 : %s\n}\n",
                                                  choices[i].type, choices[i].type, choices[i].body, choices[i].type);

      loaded[i] = call_compile (fixture.client, program);
      inputs[i] = make_zeros (fixture.client, loaded[i]);
    }
  output = hold_worker (&fixture, &hold);
  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    {
      g_test_message ("%s", choices[i].name);
      call_check ("Execute", call_execute (loaded[i], &inputs[i], 1, &outputs[i], NULL));
      g_assert_cmpint (is_ready (outputs[i]), ==, choices[i].is_short);
    }
  let_worker_go (&hold);
  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    {
      CALL (Buffer_UnsafePointer, .buffer = outputs[i]);
      CALL (Buffer_Destroy, .buffer = inputs[i]);
      CALL (Buffer_Destroy, .buffer = outputs[i]);
      CALL (LoadedExecutable_Destroy, .executable = loaded[i]);
    }
  CALL (Buffer_Destroy, .buffer = output);
  tear_down (&fixture);
}

/* A loop of 100 to 1000 µs, from its trip count alone. */
static const char counted_loop[] =
  "func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
  "  %n = stablehlo.constant dense<250> : tensor<i32>\n"
  "  %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<8x8xf32>\n"
  "    cond {\n"
  "      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "      stablehlo.return %c : tensor<i1>\n"
  "    } do {\n"
  "      %j = stablehlo.add %i, %one : tensor<i32>\n"
  "      %y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]\n"
  "        : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
  "      stablehlo.return %j, %y : tensor<i32>, tensor<8x8xf32>\n"
  "    }\n"
  "  return %r#1 : tensor<8x8xf32>\n"
  "}\n";

static PJRT_Buffer *
execute_one (PJRT_LoadedExecutable *loaded,
             PJRT_Buffer           *input)
{
  PJRT_Buffer *output = NULL;

  call_check ("Execute", call_execute (loaded, &input, 1, &output, NULL));

  return output;
}

/* A caller that has waited for each execution of a program gets the next one within the call; otherwise executions are
 * queued. The blocked worker makes both visible. */
static void
test_waits (void)
{
  Fixture fixture;
  PJRT_LoadedExecutable *loop;
  PJRT_Buffer *zeros, *outputs[8], *held;
  Hold hold = { .is_held = FALSE };

  set_up (&fixture);
  loop = call_compile (fixture.client, counted_loop);
  zeros = make_zeros (fixture.client, loop);
  for (guint i = 0; i < 6; i++)
    {
      outputs[i] = execute_one (loop, zeros);
      CALL (Buffer_UnsafePointer, .buffer = outputs[i]);
    }
  held = hold_worker (&fixture, &hold);
  CALL (Buffer_UnsafePointer, .buffer = held);
  outputs[6] = execute_one (loop, zeros);
  outputs[7] = execute_one (loop, zeros);
  g_assert_true (is_ready (outputs[6]));
  g_assert_false (is_ready (outputs[7]));
  let_worker_go (&hold);
  for (guint i = 0; i < G_N_ELEMENTS (outputs); i++)
    {
      CALL (Buffer_UnsafePointer, .buffer = outputs[i]);
      CALL (Buffer_Destroy, .buffer = outputs[i]);
    }
  CALL (Buffer_Destroy, .buffer = zeros);
  CALL (Buffer_Destroy, .buffer = held);
  CALL (LoadedExecutable_Destroy, .executable = loop);
  tear_down (&fixture);
}

/* One of many threads, each with a chain of its own. */
static gpointer
run_chain (gpointer data)
{
  const Fixture *fixture = data;
  PJRT_Buffer *buffer = fixture->zeros;

  for (guint i = 0; i < 200; i++)
    {
      PJRT_Buffer *inputs[] = { buffer, fixture->one }, *next = NULL;
      gboolean donates = i % 3 == 1;

      call_check ("Execute", call_execute (donates ? fixture->quick : fixture->slow, inputs, donates ? 1 : 2, &next,
                                           NULL));
      if (buffer != fixture->zeros)
        CALL (Buffer_Destroy, .buffer = buffer);
      buffer = next;
      if (i % 17 == 0)
        check_numbers (buffer, (float) i + 1);
    }
  check_numbers (buffer, 200);
  CALL (Buffer_Destroy, .buffer = buffer);

  return NULL;
}

static void
test_threads (void)
{
  Fixture fixture;
  GThread *threads[8];

  set_up (&fixture);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("chain", run_chain, &fixture);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  tear_down (&fixture);
}

static gboolean
poison (const Fixture *self,
        int            launch_id)
{
  return CALL (Device_PoisonExecution, .device = CALL (Buffer_Device, .buffer = self->zeros).device,
               .launch_id = launch_id, .error_code = PJRT_Error_Code_UNAVAILABLE, .error_message = "gone",
               .error_message_size = 4).poisoned;
}

static PJRT_Buffer *
launch (const Fixture *self,
        int            launch_id)
{
  PJRT_ExecuteOptions options = { .struct_size = sizeof options, .launch_id = launch_id };
  PJRT_Buffer *inputs[] = { self->zeros, self->later }, *output = NULL;
  PJRT_Buffer *const *const lists[] = { inputs };
  PJRT_Buffer **const outputs[] = { &output };

  CALL (LoadedExecutable_Execute, .executable = self->slow, .options = &options, .argument_lists = lists,
        .num_devices = 1, .num_args = 2, .output_lists = outputs);

  return output;
}

static void
check_poisoned (PJRT_Buffer *buffer)
{
  PJRT_Event *event = CALL (Buffer_ReadyEvent, .buffer = buffer).event;

  call_check_error (CALL_ERROR (Event_Await, .event = event), PJRT_Error_Code_UNAVAILABLE, "gone");
  CALL (Event_Destroy, .event = event);
}

/* Poisoning fails the earliest execution with a launch number at once, and those that need it; others continue. */
static void
test_poison (void)
{
  Fixture fixture;
  PJRT_Buffer *first, *second, *other, *next;
  float numbers[N];

  set_up (&fixture);
  first = launch (&fixture, 7);
  second = launch (&fixture, 7);
  other = launch (&fixture, 8);
  call_check ("Execute", call_execute (fixture.quick, &first, 1, &next, NULL));
  g_assert_false (poison (&fixture, 9));
  g_assert_false (poison (&fixture, 0));
  g_assert_true (poison (&fixture, 7));
  check_poisoned (first);
  g_assert_true (poison (&fixture, 7));
  check_poisoned (second);
  g_assert_false (poison (&fixture, 7));
  call_check_error (CALL_ERROR (Device_PoisonExecution, .device = CALL (Buffer_Device, .buffer = other).device,
                                .launch_id = 8), PJRT_Error_Code_INVALID_ARGUMENT, "found OK");
  open_gate (&fixture);
  call_read (other, numbers, sizeof numbers);
  g_assert_cmpfloat (numbers[N - 1], ==, 1);
  check_poisoned (next);
  g_assert_false (poison (&fixture, 8));
  CALL (Buffer_Destroy, .buffer = first);
  CALL (Buffer_Destroy, .buffer = second);
  CALL (Buffer_Destroy, .buffer = other);
  CALL (Buffer_Destroy, .buffer = next);
  tear_down (&fixture);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  call_load ();

  g_test_add_func ("/pjrt/queue/later", test_later);
  g_test_add_func ("/pjrt/queue/chain", test_chain);
  g_test_add_func ("/pjrt/queue/deletion", test_deletion);
  g_test_add_func ("/pjrt/queue/donation", test_donation);
  g_test_add_func ("/pjrt/queue/memory", test_memory);
  g_test_add_func ("/pjrt/queue/in-place", test_chain_in_place);
  g_test_add_func ("/pjrt/queue/failure", test_failure);
  g_test_add_func ("/pjrt/queue/poison", test_poison);
  g_test_add_func ("/pjrt/queue/end", test_end);
  g_test_add_func ("/pjrt/queue/overtaking", test_overtaking);
  g_test_add_func ("/pjrt/queue/nested", test_nested);
  g_test_add_func ("/pjrt/queue/choice", test_choice);
  g_test_add_func ("/pjrt/queue/streak", test_waits);
  g_test_add_func ("/pjrt/queue/threads", test_threads);

  return g_test_run ();
}
