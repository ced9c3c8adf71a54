/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin, called in the order in which JAX calls it.
 */

#include "call.h"

#include <string.h>

static const char add[] =
  "module @jit_add {\n"
  "  func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {\n"
  "    %0 = stablehlo.add %a, %b : tensor<4xf32>\n"
  "    return %0 : tensor<4xf32>\n"
  "  }\n"
  "}\n";

static const float ones[] = { 1, 1, 1, 1 }, counted[] = { 0, 1, 2, 3 };

/* The function table, every entry of which can be called. */

static void
test_table (void)
{
  const PJRT_Function *entries = (const PJRT_Function *) &api->PJRT_Error_Destroy;
  const gsize n = (sizeof *api - G_STRUCT_OFFSET (PJRT_Api, PJRT_Error_Destroy)) / sizeof *entries;

  g_assert_cmpuint (api->struct_size, ==, sizeof *api);
  g_assert_cmpint (api->pjrt_api_version.major_version, ==, 0);
  g_assert_cmpint (api->pjrt_api_version.minor_version, ==, 112);
  g_assert_cmpuint (n, ==, 138);
  for (gsize i = 0; i < n; i++)
    g_assert_true (entries[i] != NULL);
}

#define IMPLEMENTED(name)
#define IMPLEMENTED_VOID(name)
#define UNIMPLEMENTED(name) \
  call_check_error (api->PJRT_##name (NULL), PJRT_Error_Code_UNIMPLEMENTED, "GHLO does not implement PJRT_" #name);

static void
test_unimplemented (void)
{
#include "pjrt/functions.def"
}

#undef IMPLEMENTED
#undef IMPLEMENTED_VOID
#undef UNIMPLEMENTED

/* Structures of callers built with an older or a newer header. */

static void
test_sizes (void)
{
  PJRT_Client *client = call_client ("cpu");
  struct
  {
    PJRT_Client_PlatformName_Args args;
    guint64                       newer;
  } larger = { { .struct_size = sizeof larger, .client = client }, 0x5555 };
  PJRT_Client_PlatformName_Args smaller = { .struct_size = G_STRUCT_OFFSET (PJRT_Client_PlatformName_Args,
                                                                            platform_name_size), .client = client };

  call_check ("Client_PlatformName", api->PJRT_Client_PlatformName (&larger.args));
  g_assert_cmpmem (larger.args.platform_name, larger.args.platform_name_size, "ghlo", 4);
  g_assert_cmpuint (larger.newer, ==, 0x5555);
  call_check_error (api->PJRT_Client_PlatformName (&smaller), PJRT_Error_Code_INVALID_ARGUMENT,
                    "expected arguments of at least 40 bytes, found 32");
  g_assert_null (smaller.platform_name);
  CALL (Client_Destroy, .client = client);
}

/* The common prefix of errors and memories, by which callers use them without the table. */

static void
forbid (const char *key,
        size_t      key_size,
        const char *value,
        size_t      value_size,
        void       *user_arg)
{
  g_error ("there is a payload: %.*s", (int) key_size, key);
}

static void
test_error (void)
{
  PJRT_Error *error = api->PJRT_CopyToDeviceStream_GranuleSize (NULL);
  const PJRT_Error_FunctionTable *table = *(const PJRT_Error_FunctionTable **) error;
  const char *message = NULL;
  size_t size = 0;

  g_assert_cmpuint (table->struct_size, ==, sizeof *table);
  g_assert_cmpuint (table->instance_size, ==, sizeof (gpointer));
  g_assert_cmpint (table->get_code (error), ==, PJRT_Error_Code_UNIMPLEMENTED);
  table->message (error, &message, &size);
  g_assert_cmpmem (message, size, "GHLO does not implement PJRT_CopyToDeviceStream_GranuleSize",
                   strlen ("GHLO does not implement PJRT_CopyToDeviceStream_GranuleSize"));
  table->for_each_payload (error, forbid, NULL);
  CALL (Error_ForEachPayload, .error = error, .visitor = forbid);
  table->destroy (error);
}

static void
count_up (gpointer data)
{
  (*(guint *) data)++;
}

static void
test_memory (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_Memory *memory = CALL (Client_AddressableMemories, .client = client).addressable_memories[0];
  const PJRT_Memory_FunctionTable *table = *(const PJRT_Memory_FunctionTable **) memory;
  guint n_freed[2] = { 0 };
  char key;

  g_assert_cmpuint (table->struct_size, ==, sizeof *table);
  g_assert_cmpuint (table->instance_struct_size, ==, sizeof (gpointer));
  g_assert_null (table->get_user_data (memory, &key));
  table->set_user_data (memory, &key, &n_freed[0], count_up);
  g_assert_true (table->get_user_data (memory, &key) == &n_freed[0]);
  g_assert_null (table->get_user_data (memory, &table));
  table->set_user_data (memory, &key, &n_freed[1], count_up);
  g_assert_cmpuint (n_freed[0], ==, 1);
  g_assert_true (table->get_user_data (memory, &key) == &n_freed[1]);
  table->set_user_data (memory, &table, NULL, NULL);
  CALL (Client_Destroy, .client = client);
  g_assert_cmpuint (n_freed[0], ==, 1);
  g_assert_cmpuint (n_freed[1], ==, 1);
}

/* The queries of JAX before it runs anything. */

static void
check_device (PJRT_Device *device,
              int          id)
{
  PJRT_DeviceDescription *description = CALL (Device_GetDescription, .device = device).device_description;
  PJRT_Memory *memory = CALL (Device_DefaultMemory, .device = device).memory;
  PJRT_Device_AddressableMemories_Args memories = CALL (Device_AddressableMemories, .device = device);
  PJRT_Memory_AddressableByDevices_Args devices = CALL (Memory_AddressableByDevices, .memory = memory);
  PJRT_Memory_Kind_Args kind = CALL (Memory_Kind, .memory = memory);
  PJRT_Device_GetAttributes_Args attributes = CALL (Device_GetAttributes, .device = device);
  PJRT_Device_MemoryStats_Args stats = CALL (Device_MemoryStats, .device = device);
  g_autofree char *name = g_strdup_printf ("GhloDevice(id=%d)", id);
  PJRT_DeviceDescription_ToString_Args text = CALL (DeviceDescription_ToString, .device_description = description);

  g_assert_cmpint (CALL (DeviceDescription_Id, .device_description = description).id, ==, id);
  g_assert_cmpint (CALL (DeviceDescription_ProcessIndex, .device_description = description).process_index, ==, 0);
  g_assert_cmpuint (CALL (DeviceDescription_Attributes, .device_description = description).num_attributes, ==, 0);
  g_assert_cmpuint (CALL (DeviceDescription_Kind, .device_description = description).device_kind_size, >, 0);
  g_assert_cmpuint (CALL (DeviceDescription_DebugString, .device_description = description).debug_string_size, >, 0);
  g_assert_cmpmem (text.to_string, text.to_string_size, name, strlen (name));
  g_assert_true (CALL (Device_IsAddressable, .device = device).is_addressable);
  g_assert_cmpint (CALL (Device_LocalHardwareId, .device = device).local_hardware_id, ==, id);
  g_assert_cmpuint (memories.num_memories, ==, 3);
  g_assert_true (memories.memories[0] == memory);
  g_assert_cmpuint (devices.num_devices, ==, 1);
  g_assert_true (devices.devices[0] == device);
  g_assert_cmpmem (kind.kind, kind.kind_size, "device", 6);
  g_assert_cmpint (CALL (Memory_Id, .memory = memory).id, ==, id);
  CALL (Memory_Kind_Id, .memory = memory);
  CALL (Memory_ToString, .memory = memory);
  CALL (Memory_DebugString, .memory = memory);
  g_assert_cmpint (stats.bytes_in_use, >=, 0);
  g_assert_true (stats.peak_bytes_in_use_is_set && stats.peak_bytes_in_use >= stats.bytes_in_use);
  g_assert_true (stats.bytes_limit_is_set && stats.bytes_limit > 0);
  g_assert_false (stats.pool_bytes_is_set);
  g_assert_null (CALL (Device_CreateAsyncTrackingEvent, .device = device).event);
  CALL (Device_ClearMemoryStats, .device = device);
  g_assert_cmpuint (attributes.num_attributes, ==, 0);
  attributes.attributes_deleter (attributes.device_attributes);
}

static void
test_devices (void)
{
  const PJRT_NamedValue options[] = {
    { .struct_size = sizeof (PJRT_NamedValue), .name = "devices", .name_size = strlen ("devices"),
      .type = PJRT_NamedValue_kInt64, .int64_value = 3, .value_size = 1 },
  };
  PJRT_Client *client = CALL (Client_Create, .create_options = options, .num_options = 1).client;
  PJRT_TopologyDescription *topology = CALL (Client_TopologyDescription, .client = client).topology;
  PJRT_Client_Devices_Args all = CALL (Client_Devices, .client = client);
  PJRT_Client_AddressableDevices_Args ours = CALL (Client_AddressableDevices, .client = client);
  PJRT_Plugin_Attributes_Args attributes = CALL (Plugin_Attributes);
  PJRT_TopologyDescription_GetDeviceDescriptions_Args descriptions =
    CALL (TopologyDescription_GetDeviceDescriptions, .topology = topology);
  PJRT_TopologyDescription_GetMemorySpaceKindIds_Args kinds;
  int assignment[2] = { -1, -1 };

  g_assert_cmpuint (all.num_devices, ==, 3);
  g_assert_cmpuint (ours.num_addressable_devices, ==, 3);
  g_assert_cmpuint (descriptions.num_descriptions, ==, 3);
  g_assert_cmpuint (CALL (Client_AddressableMemories, .client = client).num_addressable_memories, ==, 9);
  for (int i = 0; i < 3; i++)
    {
      check_device (all.devices[i], i);
      g_assert_true (CALL (Client_LookupDevice, .client = client, .id = i).device == all.devices[i]);
      g_assert_true (CALL (Client_LookupAddressableDevice, .client = client,
                           .local_hardware_id = i).addressable_device == all.devices[i]);
    }
  call_check_error (CALL_ERROR (Client_LookupDevice, .client = client, .id = 3), PJRT_Error_Code_INVALID_ARGUMENT,
                    "expected a device ID from 0 to 2, found 3");
  CALL (Client_DefaultDeviceAssignment, .client = client, .num_replicas = 1, .num_partitions = 2,
        .default_assignment_size = 2, .default_assignment = assignment);
  g_assert_cmpint (assignment[1], ==, 1);
  call_check_error (CALL_ERROR (Client_DefaultDeviceAssignment, .client = client, .num_replicas = 2,
                                .num_partitions = 2, .default_assignment_size = 4, .default_assignment = assignment),
                    PJRT_Error_Code_INVALID_ARGUMENT, "at most 3 devices, found 2 × 2");
  g_assert_cmpmem (attributes.attributes[0].name, attributes.attributes[0].name_size, "stablehlo_current_version", 25);
  g_assert_cmpint (CALL (Client_ProcessIndex, .client = client).process_index, ==, 0);
  CALL (Client_PlatformVersion, .client = client);
  CALL (Client_UpdateGlobalProcessInfo, .client = client);
  CALL (TopologyDescription_PlatformName, .topology = topology);
  CALL (TopologyDescription_PlatformVersion, .topology = topology);
  CALL (TopologyDescription_Attributes, .topology = topology);
  g_assert_cmpuint (CALL (TopologyDescription_Fingerprint, .topology = topology).fingerprint, ==,
                    CALL (TopologyDescription_Fingerprint, .topology = topology).fingerprint);
  kinds = CALL (TopologyDescription_GetMemorySpaceKindIds, .topology = topology);
  g_assert_cmpuint (kinds.num_memory_space_kind_ids, ==, 3);
  for (guint i = 0; i < 9; i++)
    {
      PJRT_Memory *memory = CALL (Client_AddressableMemories, .client = client).addressable_memories[i];

      g_assert_cmpint (kinds.memory_space_kind_ids[i % 3], ==, CALL (Memory_Kind_Id, .memory = memory).kind_id);
      for (guint j = 0; j < i; j++)
        g_assert_cmpint (CALL (Memory_Id, .memory = memory).id, !=,
                         CALL (Memory_Id, .memory = CALL (Client_AddressableMemories,
                                                          .client = client).addressable_memories[j]).id);
    }
  CALL (TopologyDescription_Destroy, .topology = topology);
  CALL (Client_Destroy, .client = client);
}

static void
test_client_options (void)
{
  PJRT_NamedValue option = { .struct_size = sizeof option, .name = "device", .name_size = strlen ("device"),
                             .type = PJRT_NamedValue_kString, .string_value = "toaster", .value_size = 7 };

  call_check_error (CALL_ERROR (Client_Create, .create_options = &option, .num_options = 1),
                    PJRT_Error_Code_UNAVAILABLE, "toaster");
  option.string_value = "toaster.1";
  option.value_size = strlen (option.string_value);
  call_check_error (CALL_ERROR (Client_Create, .create_options = &option, .num_options = 1),
                    PJRT_Error_Code_UNAVAILABLE, "found 'toaster:1'");
  option.type = PJRT_NamedValue_kFloat;
  call_check_error (CALL_ERROR (Client_Create, .create_options = &option, .num_options = 1),
                    PJRT_Error_Code_INVALID_ARGUMENT, "option 'device': expected the name of a device");
  option = (PJRT_NamedValue) { .struct_size = sizeof option, .name = "devices", .name_size = strlen ("devices"),
                               .type = PJRT_NamedValue_kString, .string_value = "many", .value_size = 4 };
  call_check_error (CALL_ERROR (Client_Create, .create_options = &option, .num_options = 1),
                    PJRT_Error_Code_INVALID_ARGUMENT, "option 'devices': expected a number of devices from 1 to 256");
  option = (PJRT_NamedValue) { .struct_size = sizeof option, .name = "llvm", .name_size = strlen ("llvm"),
                               .type = PJRT_NamedValue_kString, .string_value = "libghlo-llvm.so",
                               .value_size = strlen ("libghlo-llvm.so") };
  call_check_error (CALL_ERROR (Client_Create, .create_options = &option, .num_options = 1),
                    PJRT_Error_Code_INVALID_ARGUMENT, "option 'llvm': expected the absolute path");
}

/* One program, from its text to its result. */

static void
check_executable (PJRT_Client           *client,
                  PJRT_LoadedExecutable *loaded)
{
  PJRT_Executable *executable = CALL (LoadedExecutable_GetExecutable, .loaded_executable = loaded).executable;
  PJRT_Executable_Name_Args name = CALL (Executable_Name, .executable = executable);
  PJRT_Executable_OutputDimensions_Args dims = CALL (Executable_OutputDimensions, .executable = executable);
  PJRT_Executable_OutputElementTypes_Args types = CALL (Executable_OutputElementTypes, .executable = executable);
  PJRT_Executable_OutputMemoryKinds_Args kinds = CALL (Executable_OutputMemoryKinds, .executable = executable);
  PJRT_LoadedExecutable_AddressableDevices_Args devices = CALL (LoadedExecutable_AddressableDevices,
                                                                .executable = loaded);
  PJRT_LoadedExecutable_GetDeviceAssignment_Args assignment = CALL (LoadedExecutable_GetDeviceAssignment,
                                                                    .executable = loaded);
  static const guint8 one_device[] = { 0x08, 1, 0x10, 1, 0x1a, 3, 0x0a, 1, 0 };
  PJRT_Executable_ParameterMemoryKinds_Args input_kinds = CALL (Executable_ParameterMemoryKinds,
                                                                .executable = executable);
  PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args ids = CALL (LoadedExecutable_AddressableDeviceLogicalIds,
                                                                     .executable = loaded);
  g_autofree char *text = NULL;
  PJRT_Program program = { .struct_size = sizeof program };

  g_assert_cmpmem (name.executable_name, name.executable_name_size, "jit_add", 7);
  g_assert_cmpuint (CALL (Executable_NumReplicas, .executable = executable).num_replicas, ==, 1);
  g_assert_cmpuint (CALL (Executable_NumPartitions, .executable = executable).num_partitions, ==, 1);
  g_assert_cmpuint (CALL (Executable_NumOutputs, .executable = executable).num_outputs, ==, 1);
  g_assert_cmpint (CALL (Executable_SizeOfGeneratedCodeInBytes, .executable = executable).size_in_bytes, >=, 0);
  g_assert_cmpuint (dims.dim_sizes[0], ==, 1);
  g_assert_cmpint (dims.dims[0], ==, 4);
  g_assert_cmpint (types.output_types[0], ==, PJRT_Buffer_Type_F32);
  g_assert_cmpmem (kinds.memory_kinds[0], kinds.memory_kind_sizes[0], "device", 6);
  g_assert_cmpuint (input_kinds.num_parameters, ==, 2);
  g_assert_cmpmem (input_kinds.memory_kinds[1], input_kinds.memory_kind_sizes[1], "device", 6);
  g_assert_cmpuint (ids.num_addressable_device_logical_ids, ==, 1);
  g_assert_cmpint (ids.addressable_device_logical_ids[0].replica, ==, 0);
  g_assert_cmpint (ids.addressable_device_logical_ids[0].partition, ==, 0);
  g_assert_true (devices.addressable_devices[0] == CALL (Client_Devices, .client = client).devices[0]);
  g_assert_cmpmem (assignment.serialized_bytes, assignment.serialized_bytes_size, one_device, sizeof one_device);
  assignment.serialized_device_assignment_deleter (assignment.serialized_device_assignment);
  g_assert_cmpuint (CALL (Executable_GetCompileOptions, .executable = executable).serialized_bytes_size, ==, 17);

  CALL (Executable_OptimizedProgram, .executable = executable, .program = &program);
  text = g_malloc0 (program.code_size + 1);
  program.code = text;
  CALL (Executable_OptimizedProgram, .executable = executable, .program = &program);
  g_assert_nonnull (strstr (text, "stablehlo.add"));
  CALL (Executable_Destroy, .executable = executable);
}

static void
test_run (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *loaded = call_compile (client, add);
  PJRT_Buffer *inputs[] = { call_floats (client, ones, 4), call_floats (client, counted, 4) }, *output = NULL;
  PJRT_Event *done = NULL, *ready;
  float sums[4];

  check_executable (client, loaded);
  call_check ("Execute", call_execute (loaded, inputs, 2, &output, &done));
  CALL (Event_Await, .event = done);
  CALL (Event_Destroy, .event = done);
  ready = CALL (Buffer_ReadyEvent, .buffer = output).event;
  CALL (Event_Await, .event = ready);
  g_assert_true (CALL (Event_IsReady, .event = ready).is_ready);
  CALL (Event_Error, .event = ready);
  CALL (Event_Destroy, .event = ready);
  call_read (output, sums, sizeof sums);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpfloat (sums[i], ==, counted[i] + 1);
  g_assert_cmpint (CALL (Buffer_ElementType, .buffer = output).type, ==, PJRT_Buffer_Type_F32);
  g_assert_cmpint (CALL (Buffer_Dimensions, .buffer = output).dims[0], ==, 4);
  g_assert_cmpuint (CALL (Buffer_UnpaddedDimensions, .buffer = output).num_dims, ==, 1);
  g_assert_cmpuint (CALL (Buffer_DynamicDimensionIndices, .buffer = output).num_dynamic_dims, ==, 0);
  g_assert_cmpuint (CALL (Buffer_OnDeviceSizeInBytes, .buffer = output).on_device_size_in_bytes, ==, 16);
  g_assert_cmpuint (CALL (Buffer_GetMemoryLayout, .buffer = output).layout.tiled.minor_to_major_size, ==, 1);
  g_assert_true (CALL (Buffer_IsOnCpu, .buffer = output).is_on_cpu);
  g_assert_true (CALL (Buffer_Memory, .buffer = output).memory
                 == CALL (Device_DefaultMemory, .device = CALL (Buffer_Device, .buffer = output).device).memory);

  /* The executable is freed before the client, buffers in any order; the last buffer frees the rest of the client. */
  CALL (LoadedExecutable_Delete, .executable = loaded);
  g_assert_true (CALL (LoadedExecutable_IsDeleted, .executable = loaded).is_deleted);
  call_check_error (call_execute (loaded, inputs, 2, &output, NULL), PJRT_Error_Code_INVALID_ARGUMENT,
                    "the executable was deleted");
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (Client_Destroy, .client = client);
  CALL (Buffer_Destroy, .buffer = output);
  CALL (Buffer_Destroy, .buffer = inputs[0]);
  CALL (Buffer_Destroy, .buffer = inputs[1]);
}

/* Errors of callers. */

/* Senseless calls are refused rather than ignored. */
static void
check_transfers (PJRT_LoadedExecutable *loaded,
                 PJRT_Buffer          **inputs)
{
  PJRT_ExecuteOptions sends = { .struct_size = sizeof sends, .num_send_ops = 1 };
  PJRT_ExecuteOptions receives = { .struct_size = sizeof receives, .num_recv_ops = 1 };
  PJRT_Buffer *const *const lists[] = { inputs };
  PJRT_Buffer *output = NULL, **const outputs[] = { &output };

  call_check_error (CALL_ERROR (LoadedExecutable_Execute, .executable = loaded, .options = &sends,
                                .argument_lists = lists, .num_devices = 1, .num_args = 2, .output_lists = outputs),
                    PJRT_Error_Code_UNIMPLEMENTED, "send to and receive from the host");
  call_check_error (CALL_ERROR (LoadedExecutable_Execute, .executable = loaded, .options = &receives,
                                .argument_lists = lists, .num_devices = 1, .num_args = 2, .output_lists = outputs),
                    PJRT_Error_Code_UNIMPLEMENTED, "send to and receive from the host");
  g_assert_null (output);
}

static void
test_refusals (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *loaded = call_compile (client, add);
  PJRT_Buffer *inputs[] = { call_floats (client, ones, 4), call_floats (client, ones, 3) }, *output = NULL;
  PJRT_Program hlo = { .struct_size = sizeof hlo, .code = (char *) "x", .code_size = 1, .format = "hlo",
                       .format_size = 3 };

  check_transfers (loaded, inputs);
  call_check_error (call_execute (loaded, inputs, 1, &output, NULL), PJRT_Error_Code_INVALID_ARGUMENT,
                    "expected 2 arguments for this program, found 1");
  call_check_error (call_execute (loaded, inputs, 2, &output, NULL), PJRT_Error_Code_INVALID_ARGUMENT,
                    "tensor<4xf32>");
  CALL (Buffer_Delete, .buffer = inputs[1]);
  call_check_error (call_execute (loaded, inputs, 2, &output, NULL), PJRT_Error_Code_INVALID_ARGUMENT,
                    "input 1 cannot be used: the buffer was deleted or donated");
  g_assert_false (CALL (Buffer_IsDeleted, .buffer = inputs[0]).is_deleted);
  call_check_error (CALL_ERROR (Client_Compile, .client = client, .program = &hlo), PJRT_Error_Code_UNIMPLEMENTED,
                    "expected a program in the format 'mlir', found 'hlo'");
  call_check_error (call_compile_error (client, "module { oops }", NULL, 0), PJRT_Error_Code_INVALID_ARGUMENT,
                    "program:1:");
  call_check_error (call_compile_error (client, add, "\x1a\x02\x28\x02", 4), PJRT_Error_Code_INVALID_ARGUMENT,
                    "at most 1 devices, found 1 × 2");
  call_check_error (call_compile_error (client, add, "\x1a\x7f", 2), PJRT_Error_Code_INVALID_ARGUMENT,
                    "expected a CompileOptionsProto");
  call_check_error (call_compile_error (client, "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n"
                                        "  return %a : tensor<?xf32>\n}\n", NULL, 0),
                    PJRT_Error_Code_UNIMPLEMENTED, "expected tensors of static shapes or tokens");
  for (guint i = 0; i < 2; i++)
    CALL (Buffer_Destroy, .buffer = inputs[i]);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (Client_Destroy, .client = client);
}

/* Memory of a buffer that both the program and the caller donate. */

static const char increment[] =
  "func.func @main(%a: tensor<1024xf32> {tf.aliasing_output = 0 : i32}) -> tensor<1024xf32> {\n"
  "  %one = stablehlo.constant dense<1.0> : tensor<1024xf32>\n"
  "  %0 = stablehlo.add %a, %one : tensor<1024xf32>\n"
  "  return %0 : tensor<1024xf32>\n"
  "}\n";

static void
test_donation (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *loaded = call_compile (client, increment);
  const int64_t kept[] = { 0 };
  PJRT_ExecuteOptions options = { .struct_size = sizeof options, .non_donatable_input_indices = kept,
                                  .num_non_donatable_input_indices = 1 };
  float numbers[1024] = { 0 };
  PJRT_Buffer *buffer = call_floats (client, numbers, 1024), *next = NULL;
  PJRT_Buffer *const *const lists[] = { &buffer };
  PJRT_Buffer **const outputs[] = { &next };
  uintptr_t address = 0;

  CALL (LoadedExecutable_Execute, .executable = loaded, .options = &options, .argument_lists = lists, .num_devices = 1,
        .num_args = 1, .output_lists = outputs);
  g_assert_false (CALL (Buffer_IsDeleted, .buffer = buffer).is_deleted);
  CALL (Buffer_Destroy, .buffer = next);
  for (guint i = 1; i <= 100; i++)
    {
      address = CALL (Buffer_UnsafePointer, .buffer = buffer).buffer_pointer;
      call_check ("Execute", call_execute (loaded, &buffer, 1, &next, NULL));
      g_assert_true (CALL (Buffer_IsDeleted, .buffer = buffer).is_deleted);
      call_check_error (CALL_ERROR (Buffer_ToHostBuffer, .src = buffer, .dst = numbers, .dst_size = sizeof numbers),
                        PJRT_Error_Code_INVALID_ARGUMENT, "deleted or donated");
      CALL (Buffer_Destroy, .buffer = buffer);
      buffer = next;
      g_assert_cmpuint (CALL (Buffer_UnsafePointer, .buffer = buffer).buffer_pointer, ==, address);
    }
  call_read (buffer, numbers, sizeof numbers);
  g_assert_cmpfloat (numbers[1023], ==, 100);

  /* A buffer with an external reference is not written to. */
  CALL (Buffer_IncreaseExternalReferenceCount, .buffer = buffer);
  call_check ("Execute", call_execute (loaded, &buffer, 1, &next, NULL));
  g_assert_cmpuint (CALL (Buffer_UnsafePointer, .buffer = next).buffer_pointer, !=, address);
  g_assert_cmpfloat (((const float *) address)[5], ==, 100);
  CALL (Buffer_DecreaseExternalReferenceCount, .buffer = buffer);
  CALL (Buffer_Destroy, .buffer = buffer);
  CALL (Buffer_Destroy, .buffer = next);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (Client_Destroy, .client = client);
}

/* Host memory with strides, and with unused bits that are set. */

static PJRT_Buffer *
from_host (PJRT_Client              *client,
           PJRT_Buffer_Type          type,
           gconstpointer             data,
           const int64_t            *dims,
           gsize                     n_dims,
           const int64_t            *strides,
           PJRT_HostBufferSemantics  semantics,
           PJRT_Event              **done)
{
  PJRT_Client_BufferFromHostBuffer_Args args =
    CALL (Client_BufferFromHostBuffer, .client = client, .data = data, .type = type, .dims = dims, .num_dims = n_dims,
          .byte_strides = strides, .num_byte_strides = strides != NULL ? n_dims : 0,
          .host_buffer_semantics = semantics);

  if (done != NULL)
    *done = args.done_with_host_buffer;
  else
    CALL (Event_Destroy, .event = args.done_with_host_buffer);

  return args.buffer;
}

static void
test_host_buffers (void)
{
  PJRT_Client *client = call_client ("cpu");
  const gint16 numbers[] = { 0, 1, 2, 3, 4, 5 };
  const guint8 truths[] = { 0, 96, 1, 255 };
  const gint8 fours[] = { 0x7f, 0x18, 0x07, (gint8) 0xf9 };
  const int64_t dims[] = { 2, 3 }, four[] = { 4 };
  const int64_t mirrored[] = { 6, -2 }, minor_to_major[] = { 0, 1 };
  PJRT_Buffer_MemoryLayout columns = { .struct_size = sizeof columns, .type = PJRT_Buffer_MemoryLayout_Type_Tiled,
                                       .tiled = { .minor_to_major = minor_to_major, .minor_to_major_size = 2 } };
  gint16 read[6];
  guint8 bytes[4];
  PJRT_Buffer *buffer;

  buffer = from_host (client, PJRT_Buffer_Type_S16, numbers + 2, dims, 2, mirrored,
                      PJRT_HostBufferSemantics_kImmutableZeroCopy, NULL);
  call_read (buffer, read, sizeof read);
  g_assert_cmpmem (read, sizeof read, ((gint16[]) { 2, 1, 0, 5, 4, 3 }), sizeof read);
  CALL (Event_Destroy, .event = CALL (Buffer_ToHostBuffer, .src = buffer, .host_layout = &columns, .dst = read,
                                      .dst_size = sizeof read).event);
  g_assert_cmpmem (read, sizeof read, ((gint16[]) { 2, 5, 1, 4, 0, 3 }), sizeof read);
  call_check_error (CALL_ERROR (Buffer_ToHostBuffer, .src = buffer, .dst = read, .dst_size = 4),
                    PJRT_Error_Code_INVALID_ARGUMENT, "expected room for 12 bytes, found 4");
  CALL (Buffer_Destroy, .buffer = buffer);

  buffer = from_host (client, PJRT_Buffer_Type_PRED, truths, four, 1, NULL,
                      PJRT_HostBufferSemantics_kImmutableZeroCopy, NULL);
  call_read (buffer, bytes, sizeof bytes);
  g_assert_cmpmem (bytes, sizeof bytes, ((guint8[]) { 0, 1, 1, 1 }), sizeof bytes);
  CALL (Buffer_Destroy, .buffer = buffer);

  buffer = from_host (client, PJRT_Buffer_Type_S4, fours, four, 1, NULL,
                      PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, NULL);
  call_read (buffer, bytes, sizeof bytes);
  g_assert_cmpmem (bytes, sizeof bytes, ((gint8[]) { -1, -8, 7, -7 }), sizeof bytes);
  CALL (Buffer_Destroy, .buffer = buffer);

  call_check_error (CALL_ERROR (Client_BufferFromHostBuffer, .client = client, .data = numbers,
                                .type = (PJRT_Buffer_Type) 99, .dims = dims, .num_dims = 2),
                    PJRT_Error_Code_UNIMPLEMENTED, "PJRT's element type 99");
  call_check_error (CALL_ERROR (Client_BufferFromHostBuffer, .client = client, .data = numbers,
                                .type = PJRT_Buffer_Type_S16, .num_dims = 3,
                                .dims = ((const int64_t[]) { INT64_MAX, INT64_MAX, 2 })),
                    PJRT_Error_Code_INVALID_ARGUMENT, "whose tensor fits into memory");
  CALL (Client_Destroy, .client = client);
}

/* Returns whether a buffer shares memory that the caller keeps. The caller is told when it is not needed any more. */
static gboolean
shares (PJRT_Client *client,
        float       *numbers,
        int64_t      n)
{
  PJRT_Event *done;
  PJRT_Buffer *buffer = from_host (client, PJRT_Buffer_Type_F32, numbers, &n, 1, NULL,
                                   PJRT_HostBufferSemantics_kImmutableZeroCopy, &done);
  float *found = CALL (Buffer_OpaqueDeviceMemoryDataPointer, .buffer = buffer).device_memory_ptr;
  const gboolean shared = found == numbers;

  g_assert_cmpint (CALL (Event_IsReady, .event = done).is_ready, !=, shared);
  g_assert_cmpfloat (found[n - 1], ==, numbers[n - 1]);
  CALL (Buffer_Delete, .buffer = buffer);
  g_assert_true (CALL (Event_IsReady, .event = done).is_ready);
  CALL (Event_Destroy, .event = done);
  CALL (Buffer_Destroy, .buffer = buffer);

  return shared;
}

/* Memory that would be slow to read in place is copied, unless the copy takes longer. */
static void
test_zero_copy (void)
{
  const int64_t n = (4 << 20) / sizeof (float) + 32;
  PJRT_Client *client = call_client ("cpu");
  float *numbers = g_aligned_alloc0 (n, sizeof *numbers, 64);

  numbers[1023] = numbers[n - 1] = 1;
  g_assert_true (shares (client, numbers, 1024));
  g_assert_true (shares (client, numbers, n));
  g_assert_false (shares (client, numbers + 4, 1020));
  g_assert_true (shares (client, numbers + 4, n - 4));
  g_aligned_free (numbers);
  CALL (Client_Destroy, .client = client);
}

/* Copies do not share memory. */
static void
test_copies (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_Buffer *buffer = call_floats (client, counted, 4), *copies[2];
  PJRT_Device *device = CALL (Buffer_Device, .buffer = buffer).device;
  float numbers[4];

  copies[0] = CALL (Buffer_CopyToDevice, .buffer = buffer, .dst_device = device).dst_buffer;
  copies[1] = CALL (Buffer_CopyToMemory, .buffer = buffer,
                    .dst_memory = CALL (Device_DefaultMemory, .device = device).memory).dst_buffer;
  for (guint i = 0; i < 2; i++)
    {
      g_assert_cmpuint (CALL (Buffer_UnsafePointer, .buffer = copies[i]).buffer_pointer, !=,
                        CALL (Buffer_UnsafePointer, .buffer = buffer).buffer_pointer);
      call_read (copies[i], numbers, sizeof numbers);
      g_assert_cmpmem (numbers, sizeof numbers, counted, sizeof counted);
      CALL (Buffer_Destroy, .buffer = copies[i]);
    }
  CALL (Buffer_Destroy, .buffer = buffer);
  CALL (Client_Destroy, .client = client);
}

/* Events that callers create. */

static void
note (PJRT_Error *error,
      void       *data)
{
  PJRT_Error **seen = data;

  g_assert_null (*seen);
  *seen = error;
}

static void
test_events (void)
{
  PJRT_Event *event = CALL (Event_Create).event;
  PJRT_Error *seen = NULL;

  g_assert_false (CALL (Event_IsReady, .event = event).is_ready);
  CALL (Event_OnReady, .event = event, .callback = note, .user_arg = &seen);
  g_assert_null (seen);
  CALL (Event_Set, .event = event, .error_code = PJRT_Error_Code_INTERNAL, .error_message = "it broke, they say",
        .error_message_size = strlen ("it broke"));
  call_check_error (seen, PJRT_Error_Code_INTERNAL, "it broke");
  call_check_error (CALL_ERROR (Event_Error, .event = event), PJRT_Error_Code_INTERNAL, "it broke");
  call_check_error (CALL_ERROR (Event_Await, .event = event), PJRT_Error_Code_INTERNAL, "it broke");
  call_check_error (CALL_ERROR (Event_Set, .event = event), PJRT_Error_Code_FAILED_PRECONDITION, "is set already");
  CALL (Event_Destroy, .event = event);
}

/* Callers see a token as a tensor without elements. */
static void
test_tokens (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *loaded = call_compile (client,
    "func.func @main(%t: !stablehlo.token, %a: tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>) {\n"
    "  %0 = stablehlo.after_all %t : !stablehlo.token\n"
    "  return %0, %a : !stablehlo.token, tensor<2xf32>\n"
    "}\n");
  const int64_t none[] = { 0 };
  PJRT_Buffer *inputs[2], *outputs[2];
  float numbers[2];

  inputs[0] = from_host (client, PJRT_Buffer_Type_PRED, NULL, none, 1, NULL,
                         PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, NULL);
  inputs[1] = call_floats (client, counted, 2);
  call_check ("Execute", call_execute (loaded, inputs, 2, outputs, NULL));
  g_assert_cmpint (CALL (Buffer_ElementType, .buffer = outputs[0]).type, ==, PJRT_Buffer_Type_TOKEN);
  g_assert_cmpint (CALL (Buffer_Dimensions, .buffer = outputs[0]).dims[0], ==, 0);
  call_read (outputs[1], numbers, sizeof numbers);
  g_assert_cmpfloat (numbers[1], ==, 1);
  for (guint i = 0; i < 2; i++)
    {
      CALL (Buffer_Destroy, .buffer = inputs[i]);
      CALL (Buffer_Destroy, .buffer = outputs[i]);
    }
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (Client_Destroy, .client = client);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  call_load ();

  g_test_add_func ("/pjrt/table", test_table);
  g_test_add_func ("/pjrt/unimplemented", test_unimplemented);
  g_test_add_func ("/pjrt/sizes", test_sizes);
  g_test_add_func ("/pjrt/error", test_error);
  g_test_add_func ("/pjrt/memory", test_memory);
  g_test_add_func ("/pjrt/devices", test_devices);
  g_test_add_func ("/pjrt/client-options", test_client_options);
  g_test_add_func ("/pjrt/run", test_run);
  g_test_add_func ("/pjrt/refusals", test_refusals);
  g_test_add_func ("/pjrt/donation", test_donation);
  g_test_add_func ("/pjrt/host-buffers", test_host_buffers);
  g_test_add_func ("/pjrt/zero-copy", test_zero_copy);
  g_test_add_func ("/pjrt/copies", test_copies);
  g_test_add_func ("/pjrt/events", test_events);
  g_test_add_func ("/pjrt/tokens", test_tokens);

  return g_test_run ();
}
