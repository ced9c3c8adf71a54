/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Topologies without a client, their serialization, programs compiled for them, and clients that load these programs.
 */

#include "call.h"

#include <string.h>

static const char twice[] =
  "module @jit_twice {\n"
  "  func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
  "    %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
  "    return %0 : tensor<4xf32>\n"
  "  }\n"
  "}\n";

/* Creates a topology of @n devices, which is a text. */
static PJRT_TopologyDescription *
new_topology (const char *n)
{
  const PJRT_NamedValue options[] = {
    { .struct_size = sizeof *options, .name = "devices", .name_size = strlen ("devices"),
      .type = PJRT_NamedValue_kString, .string_value = n, .value_size = strlen (n) },
  };

  return CALL (TopologyDescription_Create, .topology_name = "cpu, they say", .topology_name_size = strlen ("cpu"),
               .create_options = options, .num_options = G_N_ELEMENTS (options)).topology;
}

static char *
to_text (PJRT_TopologyDescription *topology)
{
  PJRT_TopologyDescription_Serialize_Args args = CALL (TopologyDescription_Serialize, .topology = topology);
  char *text = g_strndup (args.serialized_bytes, args.serialized_bytes_size);

  args.serialized_topology_deleter (args.serialized_topology);

  return text;
}

static void
test_topology (void)
{
  PJRT_TopologyDescription *topology = new_topology ("3"), *again;
  PJRT_TopologyDescription_GetDeviceDescriptions_Args found;
  g_autofree char *text = to_text (topology), *text_again = NULL;

  found = CALL (TopologyDescription_GetDeviceDescriptions, .topology = topology);
  g_assert_cmpuint (found.num_descriptions, ==, 3);
  g_assert_cmpint (CALL (DeviceDescription_Id, .device_description = found.descriptions[2]).id, ==, 2);
  again = CALL (TopologyDescription_Deserialize, .serialized_topology = text,
                .serialized_topology_size = strlen (text)).topology;
  text_again = to_text (again);
  g_assert_cmpstr (text, ==, text_again);
  g_assert_cmpuint (CALL (TopologyDescription_Fingerprint, .topology = again).fingerprint, ==,
                    CALL (TopologyDescription_Fingerprint, .topology = topology).fingerprint);
  CALL (TopologyDescription_Destroy, .topology = again);
  CALL (TopologyDescription_Destroy, .topology = topology);
  CALL (TopologyDescription_Destroy, .topology = NULL);
  call_check_error (CALL_ERROR (TopologyDescription_Create, .topology_name = "cup", .topology_name_size = 3),
                    PJRT_Error_Code_UNAVAILABLE, "'cup'");
}

/* The client owns its topology, even if callers destroy it. */
static void
test_of_client (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_TopologyDescription *topology = CALL (Client_TopologyDescription, .client = client).topology;
  g_autofree char *text = NULL;

  CALL (TopologyDescription_Destroy, .topology = topology);
  text = to_text (topology);
  g_assert_true (g_str_has_prefix (text, "GHLO topology 1\ncpu\n1\n"));
  CALL (Client_Destroy, .client = client);
}

static PJRT_Error *
read_error (const char *text,
            gsize       n)
{
  g_autofree char *exact = n > 0 ? g_memdup2 (text, n) : g_malloc (1);

  return CALL_ERROR (TopologyDescription_Deserialize, .serialized_topology = exact, .serialized_topology_size = n);
}

/* Returns whether the text is a topology; checks that a topology is written as the same text. */
static gboolean
reads (const char *text,
       gsize       size)
{
  PJRT_TopologyDescription_Deserialize_Args args = {
    .struct_size = sizeof args, .serialized_topology = text, .serialized_topology_size = size,
  };
  PJRT_Error *error = api->PJRT_TopologyDescription_Deserialize (&args);
  g_autofree char *again = NULL;

  if (error != NULL)
    {
      g_free (call_take_message (error));
      return FALSE;
    }
  again = to_text (args.topology);
  g_assert_cmpmem (again, strlen (again), text, size);
  CALL (TopologyDescription_Destroy, .topology = args.topology);

  return TRUE;
}

static void
test_damage (void)
{
  PJRT_TopologyDescription *topology = new_topology ("1");
  g_autofree char *text = to_text (topology);
  const gsize size = strlen (text);
  g_autofree char *long_text = g_strnfill (100000, 'x');
  guint n_read = 0;

  for (gsize n = 0; n < size; n++)
    call_check_error (read_error (text, n), PJRT_Error_Code_INVALID_ARGUMENT, "expected a serialized topology");
  for (gsize i = 0; i < 8 * size; i++)
    {
      text[i / 8] = (char) (text[i / 8] ^ 1 << i % 8);
      n_read += reads (text, size);
      text[i / 8] = (char) (text[i / 8] ^ 1 << i % 8);
    }
  /* One bit changed: 3, 5 and 9 devices instead of 1. */
  g_assert_cmpuint (n_read, ==, 3);
  call_check_error (read_error ("GHLO topology 1\ncpu\n1\nGHLO 0.0\nz80\n", 36), PJRT_Error_Code_UNAVAILABLE,
                    "expected the topology of the present device");
  call_check_error (read_error ("GHLO topology 1\ncpu\n257\nv\nk\n", 28), PJRT_Error_Code_INVALID_ARGUMENT,
                    "expected a serialized topology");
  call_check_error (read_error (long_text, 100000), PJRT_Error_Code_INVALID_ARGUMENT, "expected a serialized topology");
  CALL (TopologyDescription_Destroy, .topology = topology);
}

static PJRT_Executable *
compile_for (PJRT_TopologyDescription *topology,
             const char               *program)
{
  g_autofree char *code = g_strdup (program);
  const PJRT_Program given = { .struct_size = sizeof given, .code = code, .code_size = strlen (code),
                               .format = "mlir", .format_size = strlen ("mlir") };

  return CALL (Compile, .topology = topology, .program = &given).executable;
}

static void
check_runs (PJRT_Client           *client,
            PJRT_LoadedExecutable *loaded)
{
  PJRT_Buffer *input = call_floats (client, ((const float[]) { 0, 1, 2, 3 }), 4), *output = NULL;
  PJRT_Device *device = CALL (Buffer_Device, .buffer = input).device;
  float numbers[4];

  g_assert_true (CALL (LoadedExecutable_AddressableDevices, .executable = loaded).addressable_devices[0] == device);
  call_check ("Execute", call_execute (loaded, &input, 1, &output, NULL));
  g_assert_true (CALL (Buffer_Device, .buffer = output).device == device);
  call_read (output, numbers, sizeof numbers);
  g_assert_cmpfloat (numbers[3], ==, 6);
  CALL (Buffer_Destroy, .buffer = input);
  CALL (Buffer_Destroy, .buffer = output);
}

/* Destroys the topology before the program that was compiled for it. */
static void
test_compile (void)
{
  PJRT_TopologyDescription *topology = new_topology ("1");
  PJRT_Executable *executable = compile_for (topology, twice);
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *loaded;

  call_check_error (CALL_ERROR (Compile, .topology = topology,
                                .program = &(PJRT_Program) { .format = "hlo", .format_size = 3 }),
                    PJRT_Error_Code_UNIMPLEMENTED, "found 'hlo'");
  CALL (TopologyDescription_Destroy, .topology = topology);
  g_assert_cmpmem (CALL (Executable_Name, .executable = executable).executable_name, 9, "jit_twice", 9);
  g_assert_cmpuint (CALL (Executable_NumOutputs, .executable = executable).num_outputs, ==, 1);
  loaded = CALL (Client_Load, .client = client, .executable = executable).loaded_executable;
  call_check_error (CALL_ERROR (Client_Load, .client = client, .executable = executable,
                                .compile_options = "\x1a\x02\x28\x02", .compile_options_size = 4),
                    PJRT_Error_Code_INVALID_ARGUMENT, "at most 1 devices, found 1 × 2");
  CALL (Executable_Destroy, .executable = executable);
  check_runs (client, loaded);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (Client_Destroy, .client = client);
}

/* A client loads a program compiled for its own topology without a copy, unless it is to run on another device. */
static void
test_own (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_Executable *executable = compile_for (CALL (Client_TopologyDescription, .client = client).topology, twice);
  PJRT_LoadedExecutable *loaded = CALL (Client_Load, .client = client, .executable = executable).loaded_executable;
  PJRT_LoadedExecutable *other = CALL (Client_Load, .client = client, .executable = executable,
                                       .compile_options = "\x1a\x04\x20\x01\x28\x01",
                                       .compile_options_size = 6).loaded_executable;
  PJRT_Executable *found = CALL (LoadedExecutable_GetExecutable, .loaded_executable = loaded).executable;
  PJRT_Executable *found_other = CALL (LoadedExecutable_GetExecutable, .loaded_executable = other).executable;

  g_assert_true (found == executable);
  g_assert_true (found_other != executable);
  check_runs (client, loaded);
  check_runs (client, other);
  CALL (Executable_Destroy, .executable = found);
  CALL (Executable_Destroy, .executable = found_other);
  CALL (Executable_Destroy, .executable = executable);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (LoadedExecutable_Destroy, .executable = other);
  CALL (Client_Destroy, .client = client);
}

/* Manual computations have been taken out of the program, so it cannot be loaded. */
static void
test_manual (void)
{
  static const char program[] =
    "sdy.mesh @line = <[\"z\"=2]>\n"
    "func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@line, [{\"z\"}]>})\n"
    "    -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@line, [{\"z\"}]>}) {\n"
    "  %r = sdy.manual_computation(%a) in_shardings=[<@line, [{\"z\"}]>] out_shardings=[<@line, [{\"z\"}]>] "
    "manual_axes={\"z\"} (%x: tensor<2xf32>) {\n"
    "    %n = stablehlo.negate %x : tensor<2xf32>\n"
    "    sdy.return %n : tensor<2xf32>\n"
    "  } : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  return %r : tensor<4xf32>\n}\n";
  PJRT_TopologyDescription *topology = new_topology ("2");
  PJRT_Client *client = call_client ("cpu");
  g_autofree char *code = g_strdup (program);
  const PJRT_Program given = { .struct_size = sizeof given, .code = code, .code_size = strlen (code),
                               .format = "mlir", .format_size = strlen ("mlir") };
  PJRT_Executable *executable = CALL (Compile, .topology = topology, .program = &given,
                                      .compile_options = "\x1a\x02\x28\x02", .compile_options_size = 4).executable;

  call_check_error (CALL_ERROR (Client_Load, .client = client, .executable = executable),
                    PJRT_Error_Code_UNIMPLEMENTED, "with manual computations");
  CALL (Executable_Destroy, .executable = executable);
  CALL (TopologyDescription_Destroy, .topology = topology);
  CALL (Client_Destroy, .client = client);
}

#define SHAPE(...) CALL (TopologyDescription_MakeCanonicalShapeForMemorySpace, .topology = topology, __VA_ARGS__)

static void
check_shape (PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args  args,
             const char                                                     *expected,
             gsize                                                           n)
{
  g_assert_cmpmem (args.serialized_shape, args.serialized_shape_size, expected, n);
  args.serialized_shape_deleter (args.serialized_shape);
}

/* Shapes as xla::Shape::ToProto () writes them: f32[2,300]{1,0}, s8[] and s4[5]{0}. */
static void
test_shapes (void)
{
  static const char floats[] = "\x10\x0b\x1a\x03\x02\xac\x02*\x07\n\x02\x01\x00\x80\x01\x01" "2\x02\x00";
  static const char scalar[] = { 0x10, 2, '*', 3, (char) 0x80, 1, 1 };
  static const char fours[] = { 0x10, 0x15, 0x1a, 1, 5, '*', 6, 0x0a, 1, 0, (char) 0x80, 1, 1, '2', 1, 0 };
  const int64_t dims[] = { 2, 300 }, five[] = { 5 };
  PJRT_TopologyDescription *topology = new_topology ("1");

  check_shape (SHAPE (.dims = dims, .num_dims = 2, .element_type = PJRT_Buffer_Type_F32), floats, sizeof floats);
  check_shape (SHAPE (.element_type = PJRT_Buffer_Type_S8), scalar, sizeof scalar);
  check_shape (SHAPE (.dims = five, .num_dims = 1, .element_type = PJRT_Buffer_Type_S4), fours, sizeof fours);
  call_check_error (CALL_ERROR (TopologyDescription_MakeCanonicalShapeForMemorySpace, .topology = topology,
                                .memory_space_kind_id = 7, .element_type = PJRT_Buffer_Type_S8),
                    PJRT_Error_Code_INVALID_ARGUMENT, "expected a memory kind ID below 3, found 7");
  call_check_error (CALL_ERROR (TopologyDescription_MakeCanonicalShapeForMemorySpace, .topology = topology,
                                .element_type = PJRT_Buffer_Type_TOKEN),
                    PJRT_Error_Code_UNIMPLEMENTED, "is not supported");
  for (PJRT_Buffer_Type type = PJRT_Buffer_Type_PRED; type <= PJRT_Buffer_Type_F4E2M1FN; type++)
    if (type != PJRT_Buffer_Type_TOKEN)
      {
        PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args args = SHAPE (.element_type = type);

        g_assert_cmpuint (args.serialized_shape_size, ==, sizeof scalar);
        g_assert_cmpint (args.serialized_shape[1], !=, 0);
        args.serialized_shape_deleter (args.serialized_shape);
      }
  CALL (TopologyDescription_Destroy, .topology = topology);
}

/* An execution accepts a context, whatever its contents; the tests of the FFI use contexts. */
static void
test_context (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *loaded = call_compile (client, twice);
  PJRT_ExecuteContext *context = CALL (ExecuteContext_Create).context;
  PJRT_ExecuteOptions options = { .struct_size = sizeof options, .context = context };
  PJRT_Buffer *input = call_floats (client, ((const float[]) { 0, 1, 2, 3 }), 4), *output = NULL;
  PJRT_Buffer *const *const lists[] = { &input };
  PJRT_Buffer **const outputs[] = { &output };

  g_assert_nonnull (context);
  CALL (LoadedExecutable_Execute, .executable = loaded, .options = &options, .argument_lists = lists, .num_devices = 1,
        .num_args = 1, .output_lists = outputs);
  CALL (ExecuteContext_Destroy, .context = context);
  CALL (ExecuteContext_Destroy, .context = NULL);
  CALL (Buffer_Destroy, .buffer = input);
  CALL (Buffer_Destroy, .buffer = output);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (Client_Destroy, .client = client);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  call_load ();

  g_test_add_func ("/pjrt/ahead/topology", test_topology);
  g_test_add_func ("/pjrt/ahead/of-client", test_of_client);
  g_test_add_func ("/pjrt/ahead/damage", test_damage);
  g_test_add_func ("/pjrt/ahead/compile", test_compile);
  g_test_add_func ("/pjrt/ahead/own", test_own);
  g_test_add_func ("/pjrt/ahead/manual", test_manual);
  g_test_add_func ("/pjrt/ahead/shapes", test_shapes);
  g_test_add_func ("/pjrt/ahead/context", test_context);

  return g_test_run ();
}
