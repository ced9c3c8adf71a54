/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A client of several devices: where buffers are, where programs run, and programs that run on all of them.
 */

#include <string.h>

#include "call.h"

enum { N_DEVICES = 4 };

static PJRT_Client *
new_client (void)
{
  const PJRT_NamedValue options[] = {
    { .struct_size = sizeof (PJRT_NamedValue), .name = "device", .name_size = strlen ("device"),
      .type = PJRT_NamedValue_kString, .string_value = "cpu", .value_size = strlen ("cpu") },
    { .struct_size = sizeof (PJRT_NamedValue), .name = "devices", .name_size = strlen ("devices"),
      .type = PJRT_NamedValue_kString, .string_value = "4", .value_size = 1 },
  };

  return CALL (Client_Create, .create_options = options, .num_options = G_N_ELEMENTS (options)).client;
}

static PJRT_Device *
device_of (PJRT_Client *client,
           gsize        index)
{
  return CALL (Client_Devices, .client = client).devices[index];
}

static PJRT_Buffer *
floats_on (PJRT_Device   *device,
           PJRT_Client   *client,
           const float   *numbers,
           const int64_t *dims,
           gsize          n_dims)
{
  PJRT_Client_BufferFromHostBuffer_Args args = CALL (Client_BufferFromHostBuffer, .client = client, .data = numbers,
                                                     .type = PJRT_Buffer_Type_F32, .dims = dims, .num_dims = n_dims,
                                                     .device = device);

  CALL (Event_Await, .event = args.done_with_host_buffer);
  CALL (Event_Destroy, .event = args.done_with_host_buffer);

  return args.buffer;
}

static void
check_floats (PJRT_Buffer *buffer,
              PJRT_Device *device,
              const float *expected,
              gsize        n)
{
  g_autofree float *found = g_new0 (float, n);

  g_assert_true (CALL (Buffer_Device, .buffer = buffer).device == device);
  g_assert_true (CALL (Buffer_Memory, .buffer = buffer).memory == CALL (Device_DefaultMemory, .device = device).memory);
  call_read (buffer, found, n * sizeof *found);
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat (found[i], ==, expected[i]);
}

static void
test_copies (void)
{
  const float numbers[] = { 1, 2, 3 };
  const int64_t dims[] = { 3 };
  PJRT_Client *client = new_client ();
  PJRT_Buffer *buffer = floats_on (device_of (client, 2), client, numbers, dims, 1);
  PJRT_Buffer *other = CALL (Buffer_CopyToDevice, .buffer = buffer, .dst_device = device_of (client, 3)).dst_buffer;
  PJRT_Buffer *third = CALL (Buffer_CopyToMemory, .buffer = other,
                             .dst_memory = CALL (Device_DefaultMemory,
                                                 .device = device_of (client, 1)).memory).dst_buffer;
  PJRT_Buffer *same = CALL (Buffer_CopyToDevice, .buffer = buffer, .dst_device = device_of (client, 2)).dst_buffer;

  g_assert_true (CALL (Buffer_UnsafePointer, .buffer = buffer).buffer_pointer
                 == CALL (Buffer_UnsafePointer, .buffer = third).buffer_pointer);
  g_assert_true (CALL (Buffer_UnsafePointer, .buffer = buffer).buffer_pointer
                 != CALL (Buffer_UnsafePointer, .buffer = same).buffer_pointer);
  CALL (Buffer_Delete, .buffer = buffer);
  check_floats (other, device_of (client, 3), numbers, 3);
  check_floats (third, device_of (client, 1), numbers, 3);
  CALL (Buffer_Destroy, .buffer = buffer);
  CALL (Buffer_Destroy, .buffer = other);
  CALL (Buffer_Destroy, .buffer = third);
  CALL (Buffer_Destroy, .buffer = same);
  CALL (Client_Destroy, .client = client);
}

static PJRT_Error *
compile (PJRT_Client            *client,
         const char             *program,
         const guint8           *options,
         gsize                   n_options,
         PJRT_LoadedExecutable **executable)
{
  g_autofree char *code = g_strdup (program);
  const PJRT_Program given = {
    .struct_size = sizeof given, .code = code, .code_size = strlen (program), .format = "mlir",
    .format_size = strlen ("mlir"),
  };
  PJRT_Client_Compile_Args args = {
    .struct_size = sizeof args, .client = client, .program = &given, .compile_options = (const char *) options,
    .compile_options_size = n_options,
  };
  PJRT_Error *error = api->PJRT_Client_Compile (&args);

  *executable = args.executable;

  return error;
}

static const char donating[] =
  "func.func @main(%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<3xf32> {\n"
  "  %sum = stablehlo.add %x, %x : tensor<3xf32>\n"
  "  return %sum : tensor<3xf32>\n"
  "}\n";

static void
execute_one (PJRT_LoadedExecutable *executable,
             PJRT_Buffer           *argument,
             PJRT_Device           *device,
             PJRT_Buffer          **output)
{
  PJRT_ExecuteOptions options = { .struct_size = sizeof options };
  PJRT_Buffer *const arguments[] = { argument };
  PJRT_Buffer *const *const lists[] = { arguments };
  PJRT_Buffer **const output_lists[] = { output };

  CALL (LoadedExecutable_Execute, .executable = executable, .options = &options, .argument_lists = lists,
        .num_devices = 1, .num_args = 1, .output_lists = output_lists, .execute_device = device);
}

/* On the device of its assignment, or on one that is named; what a copy elsewhere shares is not written to. */
static void
test_placement (void)
{
  /* As call_compile ()'s, for device 2; the second portable. */
  static const guint8 on_two[] = { 0x1a, 15, 0x20, 1, 0x28, 1, 0x4a, 9, 0x08, 1, 0x10, 1, 0x1a, 3, 0x0a, 1, 2 };
  static const guint8 portable[] = { 0x1a, 4, 0x20, 1, 0x28, 1, 0x20, 1 };
  const float numbers[] = { 1, 2, 3 }, sums[] = { 2, 4, 6 };
  const int64_t dims[] = { 3 };
  PJRT_Client *client = new_client ();
  PJRT_Buffer *buffer = floats_on (device_of (client, 2), client, numbers, dims, 1), *copy, *output;
  PJRT_LoadedExecutable *executable;

  call_check ("compile", compile (client, donating, on_two, sizeof on_two, &executable));
  copy = CALL (Buffer_CopyToDevice, .buffer = buffer, .dst_device = device_of (client, 0)).dst_buffer;
  execute_one (executable, buffer, NULL, &output);
  check_floats (output, device_of (client, 2), sums, 3);
  check_floats (copy, device_of (client, 0), numbers, 3);
  g_assert_true (CALL (Buffer_IsDeleted, .buffer = buffer).is_deleted);
  CALL (Buffer_Destroy, .buffer = output);
  CALL (LoadedExecutable_Destroy, .executable = executable);

  call_check ("compile", compile (client, donating, portable, sizeof portable, &executable));
  execute_one (executable, copy, device_of (client, 3), &output);
  check_floats (output, device_of (client, 3), sums, 3);
  CALL (Buffer_Destroy, .buffer = output);
  CALL (Buffer_Destroy, .buffer = copy);
  CALL (Buffer_Destroy, .buffer = buffer);
  CALL (LoadedExecutable_Destroy, .executable = executable);
  CALL (Client_Destroy, .client = client);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  call_load ();

  g_test_add_func ("/pjrt/devices/copies", test_copies);
  g_test_add_func ("/pjrt/devices/placement", test_placement);

  return g_test_run ();
}
