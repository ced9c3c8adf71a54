/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A client of four devices for tests.
 */

#include "four.h"

#include <string.h>

/* Compile options as in call_compile (), for four partitions on devices 0 to 3. */
static const guint8 four[] = { 0x1a, 4, 0x20, 1, 0x28, FOUR };

PJRT_Client *
four_client (void)
{
  const PJRT_NamedValue options[] = {
    { .struct_size = sizeof (PJRT_NamedValue), .name = "device", .name_size = strlen ("device"),
      .type = PJRT_NamedValue_kString, .string_value = "cpu", .value_size = strlen ("cpu") },
    { .struct_size = sizeof (PJRT_NamedValue), .name = "devices", .name_size = strlen ("devices"),
      .type = PJRT_NamedValue_kString, .string_value = "4", .value_size = 1 },
  };

  return CALL (Client_Create, .create_options = options, .num_options = G_N_ELEMENTS (options)).client;
}

PJRT_Device *
four_device (PJRT_Client *client,
             gsize        index)
{
  return CALL (Client_Devices, .client = client).devices[index];
}

PJRT_Buffer *
four_floats (PJRT_Device   *device,
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

void
four_check (PJRT_Buffer *buffer,
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

PJRT_Error *
four_compile_with (PJRT_Client            *client,
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
    .struct_size = sizeof args, .client = client, .program = &given,
    .compile_options = (const char *) (options != NULL ? options : four),
    .compile_options_size = options != NULL ? n_options : sizeof four,
  };
  PJRT_Error *error = api->PJRT_Client_Compile (&args);

  *executable = args.executable;

  return error;
}

PJRT_Error *
four_execute (PJRT_LoadedExecutable *executable,
              FourRow               *inputs,
              gsize                  n_inputs,
              FourRow               *outputs)
{
  PJRT_ExecuteOptions options = { .struct_size = sizeof options };
  PJRT_Buffer *const *const lists[] = { inputs[0], inputs[1], inputs[2], inputs[3] };
  PJRT_Buffer **const output_lists[] = { outputs[0], outputs[1], outputs[2], outputs[3] };
  PJRT_Event *done[FOUR] = { NULL };
  PJRT_Error *error = CALL_ERROR (LoadedExecutable_Execute, .executable = executable, .options = &options,
                                  .argument_lists = lists, .num_devices = FOUR, .num_args = n_inputs,
                                  .output_lists = output_lists, .device_complete_events = done);
  PJRT_Error *late = NULL;

  for (guint i = 0; error == NULL && i < FOUR; i++)
    {
      if (late == NULL)
        late = CALL_ERROR (Event_Await, .event = done[i]);
      else
        {
          g_autofree char *message = call_take_message (CALL_ERROR (Event_Await, .event = done[i]));

          g_assert_nonnull (message);
        }
      CALL (Event_Destroy, .event = done[i]);
    }

  return error != NULL ? error : late;
}

void
four_destroy (FourRow *rows,
              gsize    n)
{
  for (guint i = 0; i < FOUR; i++)
    for (gsize j = 0; j < n; j++)
      CALL (Buffer_Destroy, .buffer = rows[i][j]);
}

PJRT_LoadedExecutable *
four_compile (PJRT_Client *client,
              const char  *program)
{
  PJRT_LoadedExecutable *executable;

  call_check ("compile", four_compile_with (client, program, NULL, 0, &executable));

  return executable;
}

PJRT_Error *
four_run (PJRT_Client *client,
          const char  *program,
          FourRow     *outputs)
{
  PJRT_LoadedExecutable *executable = four_compile (client, program);
  const int64_t dims[] = { 2 };
  FourRow inputs[FOUR];
  PJRT_Error *error;

  for (guint i = 0; i < FOUR; i++)
    {
      const float part[] = { 2.0f * i, 2.0f * i + 1 };

      inputs[i][0] = four_floats (four_device (client, i), client, part, dims, 1);
    }
  error = four_execute (executable, inputs, 1, outputs);
  four_destroy (inputs, 1);
  CALL (LoadedExecutable_Destroy, .executable = executable);

  return error;
}
