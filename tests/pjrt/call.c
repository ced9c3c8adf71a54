/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls of the plugin's functions.
 */

#include "call.h"

#include <dlfcn.h>
#include <string.h>

const PJRT_Api *api;

void
call_load (void)
{
  const char *path = g_getenv ("GHLO_PJRT_PLUGIN");
  gpointer plugin = path != NULL ? dlopen (path, RTLD_LAZY | RTLD_LOCAL) : NULL;
  const PJRT_Api *(*get) (void);

  if (plugin == NULL)
    g_error ("GHLO_PJRT_PLUGIN: %s", path != NULL ? dlerror () : "it is not set");
  *(gpointer *) &get = dlsym (plugin, "GetPjrtApi");
  g_assert_nonnull (get);
  api = get ();
  g_assert_true (get () == api);
}

char *
call_take_message (PJRT_Error *error)
{
  PJRT_Error_Message_Args args = { .struct_size = sizeof args, .error = error };
  PJRT_Error_Destroy_Args destroy = { .struct_size = sizeof destroy, .error = error };
  char *message;

  api->PJRT_Error_Message (&args);
  message = g_strndup (args.message, args.message_size);
  api->PJRT_Error_Destroy (&destroy);

  return message;
}

void
call_check (const char *function,
            PJRT_Error *error)
{
  if (error != NULL)
    g_error ("%s: %s", function, call_take_message (error));
}

void
call_check_error (PJRT_Error      *error,
                  PJRT_Error_Code  code,
                  const char      *part)
{
  g_autofree char *message = NULL;

  g_assert_nonnull (error);
  g_assert_cmpint (CALL (Error_GetCode, .error = error).code, ==, code);
  message = call_take_message (error);
  g_test_message ("%s", message);
  g_assert_nonnull (strstr (message, part));
}

PJRT_Client *
call_client (const char *device)
{
  const PJRT_NamedValue options[] = {
    { .struct_size = sizeof (PJRT_NamedValue), .name = "device", .name_size = strlen ("device"),
      .type = PJRT_NamedValue_kString, .string_value = device, .value_size = strlen (device) },
    { .struct_size = sizeof (PJRT_NamedValue), .name = "somebody_elses", .name_size = strlen ("somebody_elses"),
      .type = PJRT_NamedValue_kBool, .bool_value = true, .value_size = 1 },
  };

  CALL (Plugin_Initialize);

  return CALL (Client_Create, .create_options = options, .num_options = G_N_ELEMENTS (options)).client;
}

PJRT_Error *
call_compile_error (PJRT_Client *client,
                    const char  *program,
                    const char  *options,
                    gsize        n_options)
{
  g_autofree char *code = g_strdup (program);
  const PJRT_Program given = {
    .struct_size = sizeof given, .code = code, .code_size = strlen (program), .format = "mlir",
    .format_size = strlen ("mlir"),
  };

  return CALL_ERROR (Client_Compile, .client = client, .program = &given, .compile_options = options,
                     .compile_options_size = n_options);
}

/* Frees the program's text after compiling, as JAX does. */
PJRT_LoadedExecutable *
call_compile (PJRT_Client *client,
              const char  *program)
{
  /* CompileOptionsProto: executable_build_options { num_replicas: 1 num_partitions: 1 device_assignment {
   * replica_count: 1 computation_count: 1 computation_devices { replica_device_ids: 0 } } }. */
  static const guint8 options[] = {
    0x1a, 15, 0x20, 1, 0x28, 1, 0x4a, 9, 0x08, 1, 0x10, 1, 0x1a, 3, 0x0a, 1, 0,
  };
  const gsize size = strlen (program);
  char *code = g_memdup2 (program, size);
  const PJRT_Program given = {
    .struct_size = sizeof given, .code = code, .code_size = size, .format = "mlir", .format_size = strlen ("mlir"),
  };
  PJRT_LoadedExecutable *executable = CALL (Client_Compile, .client = client, .program = &given,
                                            .compile_options = (const char *) options,
                                            .compile_options_size = sizeof options).executable;

  memset (code, 0xcc, size);
  g_free (code);

  return executable;
}

char *
call_serialize (PJRT_LoadedExecutable *loaded,
                gsize                 *size)
{
  PJRT_Executable *executable = CALL (LoadedExecutable_GetExecutable, .loaded_executable = loaded).executable;
  PJRT_Executable_Serialize_Args serialized = CALL (Executable_Serialize, .executable = executable);
  char *bytes = g_memdup2 (serialized.serialized_bytes, serialized.serialized_bytes_size);

  *size = serialized.serialized_bytes_size;
  serialized.serialized_executable_deleter (serialized.serialized_executable);
  CALL (Executable_Destroy, .executable = executable);

  return bytes;
}

PJRT_Buffer *
call_floats (PJRT_Client *client,
             const float *numbers,
             gsize        n)
{
  const int64_t dims[] = { (int64_t) n };
  PJRT_Client_BufferFromHostBuffer_Args args = CALL (Client_BufferFromHostBuffer, .client = client, .data = numbers,
                                                     .type = PJRT_Buffer_Type_F32, .dims = dims, .num_dims = 1);

  CALL (Event_Await, .event = args.done_with_host_buffer);
  CALL (Event_Destroy, .event = args.done_with_host_buffer);

  return args.buffer;
}

void
call_read (PJRT_Buffer *buffer,
           gpointer     bytes,
           gsize        size)
{
  PJRT_Event *event;

  g_assert_cmpuint (CALL (Buffer_ToHostBuffer, .src = buffer).dst_size, ==, size);
  event = CALL (Buffer_ToHostBuffer, .src = buffer, .dst = bytes, .dst_size = size).event;
  CALL (Event_Await, .event = event);
  CALL (Event_Destroy, .event = event);
}

PJRT_Error *
call_execute (PJRT_LoadedExecutable  *executable,
              PJRT_Buffer           **arguments,
              gsize                   n_arguments,
              PJRT_Buffer           **outputs,
              PJRT_Event            **done)
{
  PJRT_ExecuteOptions options = { .struct_size = sizeof options };
  PJRT_Buffer *const *const lists[] = { arguments };
  PJRT_Buffer **const output_lists[] = { outputs };

  return CALL_ERROR (LoadedExecutable_Execute, .executable = executable, .options = &options, .argument_lists = lists,
                     .num_devices = 1, .num_args = n_arguments, .output_lists = output_lists,
                     .device_complete_events = done);
}

PJRT_Error *
call_run (PJRT_LoadedExecutable  *executable,
          PJRT_Buffer           **arguments,
          gsize                   n_arguments,
          PJRT_Buffer           **output)
{
  PJRT_Event *done;
  PJRT_Error *error = call_execute (executable, arguments, n_arguments, output, &done);

  if (error != NULL)
    return error;
  error = CALL_ERROR (Event_Await, .event = done);
  CALL (Event_Destroy, .event = done);
  if (error != NULL)
    CALL (Buffer_Destroy, .buffer = *output);

  return error;
}
