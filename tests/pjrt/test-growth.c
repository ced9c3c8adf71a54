/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory does not grow: 100,000 dispatches of each kind take no more memory than the first thousands of them. The kinds
 * are a plain program, one with a context, handlers, programs compiled ahead of time, and eight devices with a
 * collective operation. Clients, programs and topologies do not leak either.
 */

#include <malloc.h>
#include <string.h>

#include "../unit/sanitized.h"
#include "call.h"
#include "pjrt/abi-extensions.h"
#include "pjrt/ffi/abi.h"

enum { N_DEVICES = 8, N_BLOCKS = 10 };
/* Allocators and GLib may keep a little more; a leak of the smallest block per dispatch exceeds this by far. */
enum { N_DISPATCHES = SANITIZED ? 10000 : 100000, ALLOWED = 64 * 1024 };

/* The sanitizers' count of the bytes allocated by the process. */
extern size_t __sanitizer_get_current_allocated_bytes (void) __attribute__ ((weak));

static gsize
count_bytes (void)
{
  struct mallinfo2 all;

  if (__sanitizer_get_current_allocated_bytes != NULL)
    return __sanitizer_get_current_allocated_bytes ();
  all = mallinfo2 ();

  return all.uordblks + all.hblkhd;
}

static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;

  return n;
}

/* Checks that @n calls of @func leave no more memory than the first tenth of them. Memory that another thread is about
 * to free may still be allocated at one measurement, but not at all of them. */
static void
check_growth (void   (*func) (gpointer data),
              gpointer data,
              guint    n)
{
  gsize early = G_MAXSIZE, late = G_MAXSIZE;
  guint n_files = 0, n_threads = 0;

  for (guint block = 0; block < N_BLOCKS; block++)
    {
      for (guint i = 0; i < n / N_BLOCKS; i++)
        func (data);
      if (block == 0)
        {
          n_files = count_files ("/proc/self/fd");
          n_threads = count_files ("/proc/self/task");
        }
      if (block >= 1 && block < 4)
        early = MIN (early, count_bytes ());
      if (block >= N_BLOCKS - 3)
        late = MIN (late, count_bytes ());
    }
  g_test_message ("%" G_GSIZE_FORMAT " bytes, then %" G_GSIZE_FORMAT, early, late);
  g_assert_cmpuint (late, <=, early + ALLOWED);
  g_assert_cmpuint (count_files ("/proc/self/fd"), <=, n_files);
  /* Workers are started on demand, up to a number that does not depend on the dispatches. */
  g_assert_cmpuint (count_files ("/proc/self/task"), <=, n_threads + g_get_num_processors ());
}

/* A handler with a state in each stage, memory of its own, and an attribute. */

static XLA_FFI_TypeId state_type;
/* Atomic. */
static int n_states;

static void
state_free (void *state)
{
  g_free (state);
  g_atomic_int_add (&n_states, -1);
}

static void
ffi_check (XLA_FFI_Error *error)
{
  g_assert_null (error);
}

static XLA_FFI_Error *
begin (XLA_FFI_CallFrame *frame)
{
  XLA_FFI_State_Set_Args args = {
    .struct_size = sizeof args, .ctx = frame->ctx, .stage = frame->stage, .type_id = &state_type,
    .state = g_malloc (100),
  };

  g_atomic_int_inc (&n_states);
  ffi_check (frame->api->XLA_FFI_State_Set (&args));

  return NULL;
}

static XLA_FFI_Error *
twice (XLA_FFI_CallFrame *frame)
{
  XLA_FFI_DeviceMemory_Allocate_Args memory = {
    .struct_size = sizeof memory, .ctx = frame->ctx, .size = 256, .alignment = 64,
  };
  const XLA_FFI_Buffer *x, *y;

  if (frame->extension_start != NULL && frame->extension_start->type == XLA_FFI_Extension_Metadata)
    {
      XLA_FFI_Metadata *metadata = ((XLA_FFI_Metadata_Extension *) frame->extension_start)->metadata;

      metadata->api_version.major_version = 0;
      metadata->api_version.minor_version = XLA_FFI_API_MINOR;
      return NULL;
    }
  ffi_check (frame->api->XLA_FFI_DeviceMemory_Allocate (&memory));
  memset (memory.data, 1, 256);
  x = frame->args.args[0];
  y = frame->rets.rets[0];
  for (int64_t i = 0; i < x->dims[0]; i++)
    ((float *) y->data)[i] = 2 * ((const float *) x->data)[i];

  return NULL;
}

static gconstpointer
find_extension (PJRT_Extension_Type type)
{
  for (const PJRT_Extension_Base *each = api->extension_start; each != NULL; each = each->next)
    if (each->type == type)
      return each;
  g_assert_not_reached ();
}

static void
register_handler (void)
{
  const PJRT_FFI_Extension *ffi = find_extension (PJRT_Extension_Type_FFI);
  const PJRT_Gpu_Custom_Call *calls = find_extension (PJRT_Extension_Type_Gpu_Custom_Call);
  PJRT_FFI_Type_Info info = { .deleter = state_free };
  PJRT_FFI_Type_Register_Args type = {
    .struct_size = sizeof type, .type_name = "state", .type_name_size = strlen ("state"), .type_info = &info,
  };
  PJRT_Gpu_Register_Custom_Call_Args args = {
    .struct_size = sizeof args, .function_name = "test_growth", .function_name_size = strlen ("test_growth"),
    .api_version = 1, .handler_instantiate = begin, .handler_prepare = begin, .handler_execute = twice,
  };

  call_check ("type_register", ffi->type_register (&type));
  state_type.type_id = type.type_id;
  call_check ("custom_call", calls->custom_call (&args));
}

#define MAIN(line) \
  "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  " line "\n  return %0 : tensor<4xf32>\n}\n"

static const char add[] = MAIN ("%0 = stablehlo.add %a, %a : tensor<4xf32>");
static const char handled[] = MAIN ("%0 = stablehlo.custom_call @test_growth(%a) {api_version = 4 : i32, "
                                    "backend_config = {text = \"a word\", numbers = array<i64: 1, 2>}} : "
                                    "(tensor<4xf32>) -> tensor<4xf32>");

/* A program with its inputs and the way to execute it. */
typedef struct
{
  PJRT_Client           *client;
  PJRT_LoadedExecutable *executable;
  PJRT_Buffer           *input;
  gboolean               has_context;
} Fixture;

static void
set_up (Fixture               *self,
        PJRT_Client           *client,
        PJRT_LoadedExecutable *executable)
{
  *self = (Fixture) { client, executable, call_floats (client, ((const float[]) { 1, 2, 3, 4 }), 4), FALSE };
}

static void
tear_down (Fixture *self)
{
  CALL (Buffer_Destroy, .buffer = self->input);
  CALL (LoadedExecutable_Destroy, .executable = self->executable);
  CALL (Client_Destroy, .client = self->client);
}

static void
dispatch (gpointer data)
{
  const Fixture *self = data;
  PJRT_ExecuteContext *context = self->has_context ? CALL (ExecuteContext_Create).context : NULL;
  PJRT_ExecuteOptions options = { .struct_size = sizeof options, .context = context };
  PJRT_Buffer *input = self->input, *output = NULL;
  PJRT_Buffer *const *const lists[] = { &input };
  PJRT_Buffer **const outputs[] = { &output };
  PJRT_Event *done = NULL;

  CALL (LoadedExecutable_Execute, .executable = self->executable, .options = &options, .argument_lists = lists,
        .num_devices = 1, .num_args = 1, .output_lists = outputs, .device_complete_events = &done);
  CALL (Event_Await, .event = done);
  CALL (Event_Destroy, .event = done);
  CALL (Buffer_Destroy, .buffer = output);
  CALL (ExecuteContext_Destroy, .context = context);
}

static void
check_dispatches (PJRT_Client           *client,
                  PJRT_LoadedExecutable *executable,
                  gboolean               has_context)
{
  PJRT_Buffer *output;
  Fixture fixture;
  float found[4];

  set_up (&fixture, client, executable);
  fixture.has_context = has_context;
  call_check ("Execute", call_run (executable, &fixture.input, 1, &output));
  call_read (output, found, sizeof found);
  g_assert_cmpfloat (found[3], ==, 8);
  CALL (Buffer_Destroy, .buffer = output);
  check_growth (dispatch, &fixture, N_DISPATCHES);
  tear_down (&fixture);
}

static void
test_plain (void)
{
  PJRT_Client *client = call_client ("cpu");

  check_dispatches (client, call_compile (client, add), FALSE);
}

static void
test_contexts (void)
{
  PJRT_Client *client = call_client ("cpu");

  check_dispatches (client, call_compile (client, add), TRUE);
}

static void
test_handlers (void)
{
  PJRT_Client *client = call_client ("cpu");

  check_dispatches (client, call_compile (client, handled), FALSE);
  for (int i = 0; i < 20000 && g_atomic_int_get (&n_states) != 0; i++)
    g_usleep (1000);
  g_assert_cmpint (g_atomic_int_get (&n_states), ==, 0);
}

static PJRT_Executable *
compile_ahead (const char *program)
{
  PJRT_TopologyDescription *topology = CALL (TopologyDescription_Create, .topology_name = "cpu",
                                             .topology_name_size = 3).topology;
  g_autofree char *code = g_strdup (program);
  const PJRT_Program given = { .struct_size = sizeof given, .code = code, .code_size = strlen (code),
                               .format = "mlir", .format_size = strlen ("mlir") };
  PJRT_Executable *executable = CALL (Compile, .topology = topology, .program = &given).executable;

  CALL (TopologyDescription_Destroy, .topology = topology);

  return executable;
}

static void
test_ahead (void)
{
  PJRT_Executable *executable = compile_ahead (add);
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *loaded = CALL (Client_Load, .client = client, .executable = executable).loaded_executable;

  CALL (Executable_Destroy, .executable = executable);
  check_dispatches (client, loaded, FALSE);
}

/* Goes from a topology to a run, and frees everything. */
static void
load_and_run (G_GNUC_UNUSED gpointer data)
{
  PJRT_Executable *executable = compile_ahead (add);
  PJRT_Client *client = call_client ("cpu");
  Fixture fixture;

  set_up (&fixture, client, CALL (Client_Load, .client = client, .executable = executable).loaded_executable);
  CALL (Executable_Destroy, .executable = executable);
  dispatch (&fixture);
  tear_down (&fixture);
}

static void
test_loads (void)
{
  check_growth (load_and_run, NULL, N_DISPATCHES / 10);
}

/* Eight devices, each of which has a number and returns the sum of all. */

typedef struct
{
  PJRT_Client           *client;
  PJRT_LoadedExecutable *executable;
  PJRT_Buffer           *inputs[N_DEVICES];
} Together;

static PJRT_Client *
new_client (void)
{
  const PJRT_NamedValue options[] = {
    { .struct_size = sizeof (PJRT_NamedValue), .name = "device", .name_size = strlen ("device"),
      .type = PJRT_NamedValue_kString, .string_value = "cpu", .value_size = strlen ("cpu") },
    { .struct_size = sizeof (PJRT_NamedValue), .name = "devices", .name_size = strlen ("devices"),
      .type = PJRT_NamedValue_kString, .string_value = "8", .value_size = 1 },
  };

  return CALL (Client_Create, .create_options = options, .num_options = G_N_ELEMENTS (options)).client;
}

static PJRT_LoadedExecutable *
compile_together (PJRT_Client *client)
{
  /* Compile options for eight partitions. */
  static const char options[] = { 0x1a, 4, 0x20, 1, 0x28, N_DEVICES };
  g_autofree char *code = g_strdup (
    "sdy.mesh @line = <[\"z\"=8]>\n"
    "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{\"z\"}]>})\n"
    "    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{\"z\"}]>}) {\n"
    "  %n = stablehlo.negate %a : tensor<8xf32>\n"
    "  %r = sdy.manual_computation(%n) in_shardings=[<@line, [{\"z\"}]>] out_shardings=[<@line, [{\"z\"}]>] "
    "      manual_axes={\"z\"} (%p: tensor<1xf32>) {\n"
    "    %s = \"stablehlo.all_reduce\"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
    "        replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({\n"
    "    ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
    "      %z = stablehlo.add %x, %y : tensor<f32>\n"
    "      stablehlo.return %z : tensor<f32>\n"
    "    }) : (tensor<1xf32>) -> tensor<1xf32>\n"
    "    sdy.return %s : tensor<1xf32>\n"
    "  } : (tensor<8xf32>) -> tensor<8xf32>\n"
    "  return %r : tensor<8xf32>\n"
    "}\n");
  const PJRT_Program given = { .struct_size = sizeof given, .code = code, .code_size = strlen (code),
                               .format = "mlir", .format_size = strlen ("mlir") };

  return CALL (Client_Compile, .client = client, .program = &given, .compile_options = options,
               .compile_options_size = sizeof options).executable;
}

static void
dispatch_together (gpointer data)
{
  Together *self = data;
  PJRT_ExecuteOptions options = { .struct_size = sizeof options };
  PJRT_Buffer *const *lists[N_DEVICES];
  PJRT_Buffer **output_lists[N_DEVICES], *outputs[N_DEVICES] = { NULL };
  PJRT_Event *done[N_DEVICES] = { NULL };

  for (guint i = 0; i < N_DEVICES; i++)
    {
      lists[i] = &self->inputs[i];
      output_lists[i] = &outputs[i];
    }
  CALL (LoadedExecutable_Execute, .executable = self->executable, .options = &options, .argument_lists = lists,
        .num_devices = N_DEVICES, .num_args = 1, .output_lists = output_lists, .device_complete_events = done);
  for (guint i = 0; i < N_DEVICES; i++)
    {
      CALL (Event_Await, .event = done[i]);
      CALL (Event_Destroy, .event = done[i]);
    }
  for (guint i = 0; i < N_DEVICES; i++)
    CALL (Buffer_Destroy, .buffer = outputs[i]);
}

static void
test_devices (void)
{
  Together self = { .client = new_client () };
  const int64_t dims[] = { 1 };

  self.executable = compile_together (self.client);
  for (guint i = 0; i < N_DEVICES; i++)
    {
      const float number = (float) i;
      PJRT_Client_BufferFromHostBuffer_Args args
        = CALL (Client_BufferFromHostBuffer, .client = self.client, .data = &number, .type = PJRT_Buffer_Type_F32,
                .dims = dims, .num_dims = 1, .device = CALL (Client_Devices, .client = self.client).devices[i]);

      CALL (Event_Await, .event = args.done_with_host_buffer);
      CALL (Event_Destroy, .event = args.done_with_host_buffer);
      self.inputs[i] = args.buffer;
    }
  check_growth (dispatch_together, &self, N_DISPATCHES / N_DEVICES);
  for (guint i = 0; i < N_DEVICES; i++)
    CALL (Buffer_Destroy, .buffer = self.inputs[i]);
  CALL (LoadedExecutable_Destroy, .executable = self.executable);
  CALL (Client_Destroy, .client = self.client);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  call_load ();
  register_handler ();

  g_test_add_func ("/pjrt/growth/plain", test_plain);
  g_test_add_func ("/pjrt/growth/contexts", test_contexts);
  g_test_add_func ("/pjrt/growth/handlers", test_handlers);
  g_test_add_func ("/pjrt/growth/ahead", test_ahead);
  g_test_add_func ("/pjrt/growth/loads", test_loads);
  g_test_add_func ("/pjrt/growth/devices", test_devices);

  return g_test_run ();
}
