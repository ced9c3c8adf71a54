/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Buffers that are made otherwise than by one copy from the host, and access to their raw bytes.
 */

#include "call.h"

#include <string.h>

static const float counted[] = { 0, 1, 2, 3 };

/* The shape of four floats. */
#define FOUR .shape_dims = (const int64_t[]) { 4 }, .shape_num_dims = 1, .shape_element_type = PJRT_Buffer_Type_F32

static PJRT_Memory *
memory_of (PJRT_Client *client)
{
  return CALL (Client_AddressableMemories, .client = client).addressable_memories[0];
}

static void
check_floats (PJRT_Buffer *buffer,
              const float *expected)
{
  float numbers[4];

  call_read (buffer, numbers, sizeof numbers);
  g_assert_cmpmem (numbers, sizeof numbers, expected, 4 * sizeof *expected);
}

/* Checks that the event ends with this error. */
static void
check_end (PJRT_Event      *event,
           PJRT_Error_Code  code,
           const char      *part)
{
  call_check_error (CALL_ERROR (Event_Await, .event = event), code, part);
  CALL (Event_Destroy, .event = event);
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
test_uninitialized (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_Buffer *buffer = CALL (Client_CreateUninitializedBuffer, .client = client, FOUR,
                              .memory = memory_of (client)).buffer;
  float numbers[4];

  g_assert_true (is_ready (buffer));
  call_read (buffer, numbers, sizeof numbers);
  g_assert_cmpint (CALL (Buffer_ElementType, .buffer = buffer).type, ==, PJRT_Buffer_Type_F32);
  CALL (Buffer_Destroy, .buffer = buffer);
  call_check_error (CALL_ERROR (Client_CreateUninitializedBuffer, .client = client, .shape_num_dims = 1,
                                .shape_dims = ((const int64_t[]) { -4 }), .shape_element_type = PJRT_Buffer_Type_F32),
                    PJRT_Error_Code_INVALID_ARGUMENT, "whose tensor fits into memory");
  CALL (Client_Destroy, .client = client);
}

static void
test_error (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *add = call_compile (client,
    "func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = stablehlo.add %a, %b : tensor<4xf32>\n"
    "  return %0 : tensor<4xf32>\n"
    "}\n");
  PJRT_Buffer *inputs[2], *output = NULL;
  PJRT_Event *done = NULL;

  inputs[0] = call_floats (client, counted, 4);
  inputs[1] = CALL (Client_CreateErrorBuffer, .client = client, .error_code = PJRT_Error_Code_UNAVAILABLE,
                    .error_message = "it has gone, they say", .error_message_size = strlen ("it has gone"), FOUR,
                    .memory = memory_of (client)).buffer;
  check_end (CALL (Buffer_ReadyEvent, .buffer = inputs[1]).event, PJRT_Error_Code_UNAVAILABLE, "it has gone");
  call_check ("Execute", call_execute (add, inputs, 2, &output, &done));
  check_end (done, PJRT_Error_Code_UNAVAILABLE, "it has gone");
  check_end (CALL (Buffer_ReadyEvent, .buffer = output).event, PJRT_Error_Code_UNAVAILABLE, "it has gone");
  call_check_error (CALL_ERROR (Client_CreateErrorBuffer, .client = client, FOUR, .memory = memory_of (client)),
                    PJRT_Error_Code_INVALID_ARGUMENT, "found OK");
  CALL (Buffer_Destroy, .buffer = inputs[0]);
  CALL (Buffer_Destroy, .buffer = inputs[1]);
  CALL (Buffer_Destroy, .buffer = output);
  CALL (LoadedExecutable_Destroy, .executable = add);
  CALL (Client_Destroy, .client = client);
}

static void
count_up (void *memory,
          void *data)
{
  g_assert_true (memory != NULL);
  (*(guint *) data)++;
}

/* A view of foreign memory is read in place and never written to. */
static void
test_view (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *increment = call_compile (client,
    "func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {\n"
    "  %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
    "  return %0 : tensor<4xf32>\n"
    "}\n");
  float *numbers = g_aligned_alloc (4, sizeof *numbers, 64);
  guint n_freed = 0;
  PJRT_Buffer *view, *output = NULL;
  const int64_t four[] = { 4 };

  memcpy (numbers, counted, sizeof counted);
  view = CALL (Client_CreateViewOfDeviceBuffer, .client = client, .device_buffer_ptr = numbers, .dims = four,
               .num_dims = 1, .element_type = PJRT_Buffer_Type_F32, .memory = memory_of (client),
               .on_delete_callback = count_up, .on_delete_callback_arg = &n_freed).buffer;
  g_assert_cmpuint (CALL (Buffer_UnsafePointer, .buffer = view).buffer_pointer, ==, (uintptr_t) numbers);
  call_check ("Execute", call_execute (increment, &view, 1, &output, NULL));
  check_floats (output, (const float[]) { 0, 2, 4, 6 });
  g_assert_cmpmem (numbers, sizeof counted, counted, sizeof counted);
  g_assert_cmpuint (n_freed, ==, 1);
  CALL (Buffer_Destroy, .buffer = view);
  CALL (Buffer_Destroy, .buffer = output);
  view = CALL (Client_CreateViewOfDeviceBuffer, .client = client, .device_buffer_ptr = numbers, .dims = four,
               .num_dims = 1, .element_type = PJRT_Buffer_Type_F32).buffer;
  CALL (Buffer_Destroy, .buffer = view);
  CALL (Client_DmaMap, .client = client, .data = numbers, .size = sizeof counted);
  CALL (Client_DmaUnmap, .client = client, .data = numbers);
  g_aligned_free (numbers);
  CALL (LoadedExecutable_Destroy, .executable = increment);
  CALL (Client_Destroy, .client = client);
}

static void
test_alias (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_Buffer *buffer = call_floats (client, counted, 4);
  PJRT_Client_CreateAliasBuffer_Args alias = CALL (Client_CreateAliasBuffer, .client = client, FOUR,
                                                   .memory = memory_of (client));
  PJRT_Client_CreateAliasBuffer_Args failed = CALL (Client_CreateAliasBuffer, .client = client, FOUR,
                                                    .memory = memory_of (client));
  PJRT_Client_CreateAliasBuffer_Args other = CALL (Client_CreateAliasBuffer, .client = client,
                                                   .shape_element_type = PJRT_Buffer_Type_F32,
                                                   .memory = memory_of (client));

  g_assert_false (is_ready (alias.alias_buffer));
  CALL (Client_FulfillAliasBuffer, .client = client, .buffer = buffer,
        .fulfill_alias_buffer_cb = alias.fulfill_alias_buffer_cb);
  check_floats (alias.alias_buffer, counted);
  call_check_error (CALL_ERROR (Client_FulfillAliasBuffer, .client = client, .buffer = buffer,
                                .fulfill_alias_buffer_cb = other.fulfill_alias_buffer_cb),
                    PJRT_Error_Code_INVALID_ARGUMENT, "expected tensor<f32> for the alias, found tensor<4xf32>");
  CALL (Client_FulfillAliasBuffer, .client = client, .status_code = PJRT_Error_Code_INTERNAL, .error_message = "gone",
        .error_message_size = 4, .fulfill_alias_buffer_cb = other.fulfill_alias_buffer_cb);
  CALL (Client_FulfillAliasBuffer, .client = client, .status_code = PJRT_Error_Code_INTERNAL, .error_message = "lost",
        .error_message_size = 4, .fulfill_alias_buffer_cb = failed.fulfill_alias_buffer_cb);
  check_end (CALL (Buffer_ReadyEvent, .buffer = failed.alias_buffer).event, PJRT_Error_Code_INTERNAL, "lost");
  CALL (Buffer_Destroy, .buffer = buffer);
  CALL (Buffer_Destroy, .buffer = alias.alias_buffer);
  CALL (Buffer_Destroy, .buffer = failed.alias_buffer);
  CALL (Buffer_Destroy, .buffer = other.alias_buffer);
  CALL (Client_Destroy, .client = client);
}

/* Ends the dependency of a donated buffer. */
static void
end_dependency (PJRT_Buffer_DonateWithControlDependency_Args args,
                PJRT_Error_Code                              code,
                const char                                  *message)
{
  PJRT_Buffer_DonateWithControlDependency_Callback_Args end = {
    .struct_size = sizeof end, .callback_data = args.callback_data, .error_code = code, .error_message = message,
    .error_message_size = strlen (message),
  };

  args.dependency_ready_callback (&end);
}

/* A donation's new buffer has the same memory, and is ready when both the dependency and the content are ready. */
static void
test_dependency (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_Buffer *buffer = call_floats (client, counted, 4);
  const uintptr_t address = CALL (Buffer_UnsafePointer, .buffer = buffer).buffer_pointer;
  PJRT_Client_CreateAliasBuffer_Args alias = CALL (Client_CreateAliasBuffer, .client = client, FOUR,
                                                   .memory = memory_of (client));
  PJRT_Buffer_DonateWithControlDependency_Args given, late, failed;

  given = CALL (Buffer_DonateWithControlDependency, .buffer = buffer);
  g_assert_true (CALL (Buffer_IsDeleted, .buffer = buffer).is_deleted);
  call_check_error (CALL_ERROR (Buffer_DonateWithControlDependency, .buffer = buffer),
                    PJRT_Error_Code_INVALID_ARGUMENT, "deleted or donated");
  CALL (Buffer_Destroy, .buffer = buffer);
  g_assert_false (is_ready (given.out_buffer));
  end_dependency (given, PJRT_Error_Code_OK, "");
  g_assert_true (is_ready (given.out_buffer));
  check_floats (given.out_buffer, counted);
  g_assert_cmpuint (CALL (Buffer_UnsafePointer, .buffer = given.out_buffer).buffer_pointer, ==, address);

  late = CALL (Buffer_DonateWithControlDependency, .buffer = alias.alias_buffer);
  end_dependency (late, PJRT_Error_Code_OK, "");
  g_assert_false (is_ready (late.out_buffer));
  CALL (Client_FulfillAliasBuffer, .client = client, .buffer = given.out_buffer,
        .fulfill_alias_buffer_cb = alias.fulfill_alias_buffer_cb);
  check_floats (late.out_buffer, counted);

  failed = CALL (Buffer_DonateWithControlDependency, .buffer = given.out_buffer);
  end_dependency (failed, PJRT_Error_Code_INTERNAL, "it broke");
  check_end (CALL (Buffer_ReadyEvent, .buffer = failed.out_buffer).event, PJRT_Error_Code_INTERNAL, "it broke");
  CALL (Buffer_Destroy, .buffer = alias.alias_buffer);
  CALL (Buffer_Destroy, .buffer = given.out_buffer);
  CALL (Buffer_Destroy, .buffer = late.out_buffer);
  CALL (Buffer_Destroy, .buffer = failed.out_buffer);
  CALL (Client_Destroy, .client = client);
}

static void
test_bitcast (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_Buffer *buffer = call_floats (client, counted, 4), *bits;
  const int64_t dims[] = { 2, 2 }, three[] = { 3 };
  guint32 words[4];

  bits = CALL (Buffer_Bitcast, .buffer = buffer, .element_type = PJRT_Buffer_Type_U32, .dims = dims,
               .num_dims = 2).out_buffer;
  call_check_error (CALL_ERROR (Buffer_Bitcast, .buffer = buffer, .element_type = PJRT_Buffer_Type_U32, .dims = three,
                                .num_dims = 1), PJRT_Error_Code_INVALID_ARGUMENT, "expected 12 bytes");
  CALL (Buffer_Destroy, .buffer = buffer);
  g_assert_cmpuint (CALL (Buffer_Dimensions, .buffer = bits).num_dims, ==, 2);
  call_read (bits, words, sizeof words);
  g_assert_cmphex (words[1], ==, 0x3f800000);
  CALL (Buffer_Destroy, .buffer = bits);
  CALL (Client_Destroy, .client = client);
}

/* Raw bytes of a buffer. */
static void
test_raw (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_Buffer *buffer = call_floats (client, counted, 4);
  PJRT_Buffer_CopyRawToHostFuture_Args later;
  PJRT_Buffer_CopyRawToHostFuture_Callback_Args place = { .struct_size = sizeof place };
  float numbers[2] = { 0 };

  CALL (Event_Destroy, .event = CALL (Buffer_CopyRawToHost, .buffer = buffer, .dst = numbers, .offset = 4,
                                      .transfer_size = sizeof numbers).event);
  g_assert_cmpmem (numbers, sizeof numbers, counted + 1, sizeof numbers);
  call_check_error (CALL_ERROR (Buffer_CopyRawToHost, .buffer = buffer, .dst = numbers, .offset = 12,
                                .transfer_size = 8), PJRT_Error_Code_INVALID_ARGUMENT, "a range within 16 bytes");
  call_check_error (CALL_ERROR (Buffer_CopyRawToHost, .buffer = buffer, .dst = numbers, .offset = INT64_MAX,
                                .transfer_size = 8), PJRT_Error_Code_INVALID_ARGUMENT, "a range within 16 bytes");
  call_check_error (CALL_ERROR (Buffer_CopyRawToHost, .buffer = buffer, .dst = numbers, .offset = -1,
                                .transfer_size = 8), PJRT_Error_Code_INVALID_ARGUMENT, "a range within 16 bytes");

  later = CALL (Buffer_CopyRawToHostFuture, .buffer = buffer, .offset = 8, .transfer_size = sizeof numbers);
  g_assert_false (CALL (Event_IsReady, .event = later.event).is_ready);
  CALL (Buffer_Destroy, .buffer = buffer);
  place.callback_data = later.callback_data;
  place.dst = numbers;
  later.future_ready_callback (&place);
  CALL (Event_Await, .event = later.event);
  CALL (Event_Destroy, .event = later.event);
  g_assert_cmpmem (numbers, sizeof numbers, counted + 2, sizeof numbers);

  buffer = call_floats (client, counted, 4);
  later = CALL (Buffer_CopyRawToHostFuture, .buffer = buffer, .transfer_size = 4);
  place = (PJRT_Buffer_CopyRawToHostFuture_Callback_Args) {
    .struct_size = sizeof place, .callback_data = later.callback_data, .error_code = PJRT_Error_Code_CANCELLED,
    .error_message = "never", .error_message_size = strlen ("never"),
  };
  later.future_ready_callback (&place);
  check_end (later.event, PJRT_Error_Code_CANCELLED, "never");
  CALL (Buffer_Destroy, .buffer = buffer);
  CALL (Client_Destroy, .client = client);
}

/* Content that comes in parts. */

static PJRT_AsyncHostToDeviceTransferManager *
create (PJRT_Client *client)
{
  static const int64_t four[] = { 4 };
  PJRT_ShapeSpec specs[] = {
    { .struct_size = sizeof *specs, .dims = four, .num_dims = 1, .element_type = PJRT_Buffer_Type_F32 },
    { .struct_size = sizeof *specs, .dims = four, .num_dims = 1, .element_type = PJRT_Buffer_Type_PRED },
  };

  return CALL (Client_CreateBuffersForAsyncHostToDevice, .client = client, .shape_specs = specs, .num_shape_specs = 2,
               .memory = memory_of (client)).transfer_manager;
}

static void
bring (PJRT_AsyncHostToDeviceTransferManager *manager,
       int                                    index,
       gconstpointer                          data,
       int64_t                                offset,
       int64_t                                size,
       gboolean                               is_last)
{
  CALL (Event_Destroy, .event = CALL (AsyncHostToDeviceTransferManager_TransferData, .transfer_manager = manager,
                                      .buffer_index = index, .data = data, .offset = offset, .transfer_size = size,
                                      .is_last_transfer = is_last).done_with_h2d_transfer);
}

static void
test_transfer (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_AsyncHostToDeviceTransferManager *manager = create (client);
  PJRT_Buffer *buffers[2];
  const guint8 truths[] = { 0, 96, 1, 255 };
  guint8 bytes[4];

  g_assert_true (CALL (AsyncHostToDeviceTransferManager_Device, .transfer_manager = manager).device_out
                 == CALL (Client_Devices, .client = client).devices[0]);
  g_assert_cmpuint (CALL (AsyncHostToDeviceTransferManager_BufferCount, .transfer_manager = manager).buffer_count, ==,
                    2);
  g_assert_cmpuint (CALL (AsyncHostToDeviceTransferManager_BufferSize, .transfer_manager = manager).buffer_size, ==,
                    16);
  for (int i = 0; i < 2; i++)
    buffers[i] = CALL (AsyncHostToDeviceTransferManager_RetrieveBuffer, .transfer_manager = manager,
                       .buffer_index = i).buffer_out;
  call_check_error (CALL_ERROR (AsyncHostToDeviceTransferManager_RetrieveBuffer, .transfer_manager = manager),
                    PJRT_Error_Code_FAILED_PRECONDITION, "retrieved already");
  CALL (AsyncHostToDeviceTransferManager_AddMetadata, .transfer_manager = manager);
  bring (manager, 0, counted + 2, 8, 8, FALSE);
  g_assert_false (is_ready (buffers[0]));
  bring (manager, 0, counted, 0, 8, TRUE);
  g_assert_true (is_ready (buffers[0]));
  check_floats (buffers[0], counted);
  call_check_error (CALL_ERROR (AsyncHostToDeviceTransferManager_TransferData, .transfer_manager = manager,
                                .data = counted, .transfer_size = 4),
                    PJRT_Error_Code_FAILED_PRECONDITION, "is complete already");
  call_check_error (CALL_ERROR (AsyncHostToDeviceTransferManager_TransferData, .transfer_manager = manager,
                                .buffer_index = 1, .data = counted, .offset = 1, .transfer_size = 4),
                    PJRT_Error_Code_INVALID_ARGUMENT, "expected a range within 4 bytes");
  call_check_error (CALL_ERROR (AsyncHostToDeviceTransferManager_TransferData, .transfer_manager = manager,
                                .buffer_index = 2), PJRT_Error_Code_INVALID_ARGUMENT, "index below 2, found 2");
  CALL (Event_Destroy, .event = CALL (AsyncHostToDeviceTransferManager_TransferLiteral, .transfer_manager = manager,
                                      .buffer_index = 1, .data = truths, .shape_num_dims = 1,
                                      .shape_dims = ((const int64_t[]) { 4 }),
                                      .shape_element_type = PJRT_Buffer_Type_PRED).done_with_h2d_transfer);
  CALL (AsyncHostToDeviceTransferManager_Destroy, .transfer_manager = manager);
  call_read (buffers[1], bytes, sizeof bytes);
  g_assert_cmpmem (bytes, sizeof bytes, ((const guint8[]) { 0, 1, 1, 1 }), sizeof bytes);
  for (int i = 0; i < 2; i++)
    CALL (Buffer_Destroy, .buffer = buffers[i]);
  CALL (Client_Destroy, .client = client);
}

/* Transfers that fail or are abandoned. */
static void
test_given_up (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_AsyncHostToDeviceTransferManager *manager = create (client);
  PJRT_Buffer *buffers[2];

  for (int i = 0; i < 2; i++)
    buffers[i] = CALL (AsyncHostToDeviceTransferManager_RetrieveBuffer, .transfer_manager = manager,
                       .buffer_index = i).buffer_out;
  CALL (AsyncHostToDeviceTransferManager_SetBufferError, .transfer_manager = manager, .buffer_index = 1,
        .error_code = PJRT_Error_Code_INTERNAL, .error_message = "no file", .error_message_size = strlen ("no file"));
  check_end (CALL (Buffer_ReadyEvent, .buffer = buffers[1]).event, PJRT_Error_Code_INTERNAL, "no file");
  CALL (AsyncHostToDeviceTransferManager_Destroy, .transfer_manager = manager);
  check_end (CALL (Buffer_ReadyEvent, .buffer = buffers[0]).event, PJRT_Error_Code_CANCELLED, "abandoned");
  for (int i = 0; i < 2; i++)
    CALL (Buffer_Destroy, .buffer = buffers[i]);
  manager = create (client);
  CALL (AsyncHostToDeviceTransferManager_Destroy, .transfer_manager = manager);
  CALL (Client_Destroy, .client = client);
}

/* A device's memory kinds: a buffer is in the one where it was made or copied, an output in the one that it names. */
static void
test_memories (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *loaded = call_compile (client,
    "func.func @main(%a: tensor<4xf32> {mhlo.memory_kind = \"unpinned_host\"})\n"
    "    -> (tensor<4xf32> {mhlo.memory_kind = \"pinned_host\"}, tensor<4xf32> {mhlo.memory_kind = \"abacus\"}) {\n"
    "  %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
    "  return %0, %a : tensor<4xf32>, tensor<4xf32>\n"
    "}\n");
  PJRT_Executable *executable = CALL (LoadedExecutable_GetExecutable, .loaded_executable = loaded).executable;
  PJRT_Executable_OutputMemoryKinds_Args outputs = CALL (Executable_OutputMemoryKinds, .executable = executable);
  PJRT_Executable_ParameterMemoryKinds_Args inputs = CALL (Executable_ParameterMemoryKinds, .executable = executable);
  PJRT_Device *device = CALL (Client_Devices, .client = client).devices[0];
  PJRT_Memory *const *memories = CALL (Device_AddressableMemories, .device = device).memories;
  const int64_t dims[] = { 4 };
  PJRT_Client_BufferFromHostBuffer_Args made = CALL (Client_BufferFromHostBuffer, .client = client, .data = counted,
                                                     .type = PJRT_Buffer_Type_F32, .dims = dims, .num_dims = 1,
                                                     .memory = memories[2]);
  PJRT_Buffer *copy, *results[2];
  float numbers[4];

  CALL (Event_Destroy, .event = made.done_with_host_buffer);
  g_assert_cmpmem (inputs.memory_kinds[0], inputs.memory_kind_sizes[0], "unpinned_host", 13);
  g_assert_cmpmem (outputs.memory_kinds[0], outputs.memory_kind_sizes[0], "pinned_host", 11);
  g_assert_cmpmem (outputs.memory_kinds[1], outputs.memory_kind_sizes[1], "device", 6);
  g_assert_true (CALL (Buffer_Memory, .buffer = made.buffer).memory == memories[2]);
  copy = CALL (Buffer_CopyToMemory, .buffer = made.buffer, .dst_memory = memories[1]).dst_buffer;
  g_assert_true (CALL (Buffer_Memory, .buffer = copy).memory == memories[1]);
  /* The first is deleted, and the copy stays. */
  call_check ("Execute", call_execute (loaded, &made.buffer, 1, results, NULL));
  CALL (Buffer_Delete, .buffer = made.buffer);
  call_read (copy, numbers, sizeof numbers);
  g_assert_cmpmem (numbers, sizeof numbers, counted, sizeof counted);
  call_read (results[0], numbers, sizeof numbers);
  g_assert_cmpfloat (numbers[3], ==, 2 * counted[3]);
  g_assert_true (CALL (Buffer_Memory, .buffer = results[0]).memory == memories[1]);
  g_assert_true (CALL (Buffer_Memory, .buffer = results[1]).memory == memories[0]);
  CALL (Buffer_Destroy, .buffer = made.buffer);
  CALL (Buffer_Destroy, .buffer = copy);
  CALL (Buffer_Destroy, .buffer = results[0]);
  CALL (Buffer_Destroy, .buffer = results[1]);
  CALL (Executable_Destroy, .executable = executable);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (Client_Destroy, .client = client);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  call_load ();

  g_test_add_func ("/pjrt/buffers/uninitialized", test_uninitialized);
  g_test_add_func ("/pjrt/buffers/error", test_error);
  g_test_add_func ("/pjrt/buffers/view", test_view);
  g_test_add_func ("/pjrt/buffers/alias", test_alias);
  g_test_add_func ("/pjrt/buffers/dependency", test_dependency);
  g_test_add_func ("/pjrt/buffers/bitcast", test_bitcast);
  g_test_add_func ("/pjrt/buffers/raw", test_raw);
  g_test_add_func ("/pjrt/buffers/transfer", test_transfer);
  g_test_add_func ("/pjrt/buffers/given-up", test_given_up);

  g_test_add_func ("/pjrt/buffers/memories", test_memories);

  return g_test_run ();
}
