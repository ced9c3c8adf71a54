/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Properties of programs, and serialized programs.
 */

#include "call.h"

#include <pthread.h>
#include <string.h>

#include "../unit/sanitized.h"

static const char product[] =
  "module @jit_product {\n"
  "  func.func public @main(%a: tensor<8x16xf32> {tf.aliasing_output = 1 : i32}, %b: tensor<16x4xf32>)\n"
  "      -> (tensor<8x4xf32>, tensor<8x16xf32>) {\n"
  "    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]\n"
  "      : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>\n"
  "    %1 = stablehlo.negate %a : tensor<8x16xf32>\n"
  "    return %0, %1 : tensor<8x4xf32>, tensor<8x16xf32>\n"
  "  }\n"
  "}\n";

static const char twice[] =
  "module @jit_twice {\n"
  "  func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
  "    %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
  "    return %0 : tensor<4xf32>\n"
  "  }\n"
  "}\n";

static PJRT_Executable *
executable_of (PJRT_LoadedExecutable *loaded)
{
  return CALL (LoadedExecutable_GetExecutable, .loaded_executable = loaded).executable;
}

static void
test_costs (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *loaded = call_compile (client, product);
  PJRT_Executable *executable = executable_of (loaded);
  PJRT_Executable_GetCostAnalysis_Args costs = CALL (Executable_GetCostAnalysis, .executable = executable);
  PJRT_Executable_GetCompiledMemoryStats_Args memory = CALL (Executable_GetCompiledMemoryStats,
                                                             .executable = executable);
  PJRT_Executable_GetCompiledMemoryStats_Args older = {
    .struct_size = G_STRUCT_OFFSET (PJRT_Executable_GetCompiledMemoryStats_Args, total_allocation_bytes),
    .executable = executable, .peak_unpadded_heap_bytes = -7,
  };
  const float bytes = 4 * (2 * 8 * 16 + 16 * 4 + 8 * 4);

  g_assert_cmpuint (costs.num_properties, >=, 2);
  g_assert_cmpstr (costs.properties[0].name, ==, "flops");
  g_assert_cmpfloat (costs.properties[0].float_value, ==, 2 * 8 * 16 * 4 + 8 * 16);
  g_assert_cmpstr (costs.properties[1].name, ==, "bytes accessed");
  g_assert_cmpfloat (costs.properties[1].float_value, ==, bytes);
  g_assert_true (CALL (Executable_GetCostAnalysis, .executable = executable).properties == costs.properties);

  g_assert_cmpint (memory.argument_size_in_bytes, ==, 4 * (8 * 16 + 16 * 4));
  g_assert_cmpint (memory.output_size_in_bytes, ==, 4 * (8 * 4 + 8 * 16));
  g_assert_cmpint (memory.alias_size_in_bytes, ==, 4 * 8 * 16);
  g_assert_cmpint (memory.temp_size_in_bytes, >=, 0);
  g_assert_cmpint (memory.host_temp_size_in_bytes, ==, 0);
  g_assert_cmpint (memory.peak_memory_in_bytes, >=, 4 * (8 * 16 + 16 * 4 + 8 * 4));
  call_check ("GetCompiledMemoryStats", api->PJRT_Executable_GetCompiledMemoryStats (&older));
  g_assert_cmpint (older.total_size_in_bytes, ==, memory.total_size_in_bytes);
  g_assert_cmpint (older.peak_unpadded_heap_bytes, ==, -7);
  CALL (Executable_Destroy, .executable = executable);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (Client_Destroy, .client = client);
}

static char *
fingerprint_of (PJRT_LoadedExecutable *loaded)
{
  PJRT_Executable *executable = executable_of (loaded);
  PJRT_Executable_Fingerprint_Args found = CALL (Executable_Fingerprint, .executable = executable);
  PJRT_LoadedExecutable_Fingerprint_Args other = CALL (LoadedExecutable_Fingerprint, .executable = loaded);
  char *text = g_strndup (found.executable_fingerprint, found.executable_fingerprint_size);

  g_assert_cmpmem (other.executable_fingerprint, other.executable_fingerprint_size, text, strlen (text));
  CALL (Executable_Destroy, .executable = executable);

  return text;
}

static void
test_fingerprints (void)
{
  PJRT_Client *client = call_client ("cpu");
  const char *const programs[] = { product, twice, product };
  char *texts[3];

  for (guint i = 0; i < 3; i++)
    {
      PJRT_LoadedExecutable *loaded = call_compile (client, programs[i]);

      texts[i] = fingerprint_of (loaded);
      g_assert_cmpuint (strlen (texts[i]), ==, 32);
      CALL (LoadedExecutable_Destroy, .executable = loaded);
    }
  g_assert_cmpstr (texts[0], ==, texts[2]);
  g_assert_cmpstr (texts[0], !=, texts[1]);
  for (guint i = 0; i < 3; i++)
    g_free (texts[i]);
  CALL (Client_Destroy, .client = client);
}

static void
test_serialize (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *loaded = call_compile (client, twice);
  g_autofree char *first = fingerprint_of (loaded), *second = NULL, *bytes = NULL;
  PJRT_Executable *executable;
  PJRT_Executable_Name_Args name;
  PJRT_Buffer *input = call_floats (client, ((const float[]) { 0, 1, 2, 3 }), 4), *output = NULL;
  float numbers[4];
  gsize size;

  bytes = call_serialize (loaded, &size);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  loaded = CALL (Executable_DeserializeAndLoad, .client = client, .serialized_executable = bytes,
                 .serialized_executable_size = size).loaded_executable;
  memset (bytes, 0xcc, size);
  second = fingerprint_of (loaded);
  g_assert_cmpstr (first, ==, second);
  executable = executable_of (loaded);
  name = CALL (Executable_Name, .executable = executable);
  g_assert_cmpmem (name.executable_name, name.executable_name_size, "jit_twice", strlen ("jit_twice"));
  g_assert_cmpuint (CALL (Executable_GetCompileOptions, .executable = executable).serialized_bytes_size, ==, 17);
  call_check ("Execute", call_execute (loaded, &input, 1, &output, NULL));
  call_read (output, numbers, sizeof numbers);
  g_assert_cmpfloat (numbers[3], ==, 6);
  CALL (Buffer_Destroy, .buffer = input);
  CALL (Buffer_Destroy, .buffer = output);
  CALL (Executable_Destroy, .executable = executable);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (Client_Destroy, .client = client);
}

/* @text is appended to @program 200 times. */
static void
repeat (GString    *program,
        const char *text)
{
  for (guint i = 0; i < 200; i++)
    g_string_append (program, text);
}

static void *
run_deep (void *data)
{
  const char *program = data;
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *loaded = call_compile (client, program);
  PJRT_Executable *executable = executable_of (loaded);
  PJRT_Buffer *input = call_floats (client, (float[]) { 1, 2 }, 2), *output;
  float numbers[2];

  call_check ("execute", call_run (loaded, &input, 1, &output));
  call_read (output, numbers, sizeof numbers);
  g_assert_cmpfloat (numbers[1], ==, 4);
  CALL (Executable_GetCostAnalysis, .executable = executable);
  CALL (Executable_Destroy, .executable = executable);
  g_free (call_serialize (loaded, &(gsize) { 0 }));
  CALL (Buffer_Destroy, .buffer = input);
  CALL (Buffer_Destroy, .buffer = output);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (Client_Destroy, .client = client);

  return NULL;
}

/* The caller's stack is too small for the program, and sanitizers need more in any case. */
static void
test_small_stack (void)
{
  const gsize size = (SANITIZED ? 512 : 32) * 1024;
  g_autoptr (GString) program = g_string_new ("func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                                              "  %c = stablehlo.constant dense<true> : tensor<i1>\n  %r = ");
  pthread_attr_t attributes;
  pthread_t thread;

  repeat (program, "\"stablehlo.if\"(%c) ({\n  %s = ");
  g_string_append (program, "stablehlo.add %x, %x : tensor<2xf32>\n");
  repeat (program, "  stablehlo.return %s : tensor<2xf32>\n}, {\n  stablehlo.return %x : tensor<2xf32>\n"
                   "}) : (tensor<i1>) -> tensor<2xf32>\n");
  g_string_append (program, "  return %r : tensor<2xf32>\n}\n");
  g_assert_cmpint (pthread_attr_init (&attributes), ==, 0);
  g_assert_cmpint (pthread_attr_setstacksize (&attributes, size), ==, 0);
  g_assert_cmpint (pthread_create (&thread, &attributes, run_deep, program->str), ==, 0);
  g_assert_cmpint (pthread_join (thread, NULL), ==, 0);
  pthread_attr_destroy (&attributes);
}

/* A run cannot take the memory of a buffer that is another input as well: it is refused, and nothing is given up. */
static void
test_repeated (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *loaded = call_compile (client,
    "func.func @main(%a: tensor<4xf32> {jax.buffer_donor = true}, %b: tensor<4xf32>, %c: tensor<4xf32>,\n"
    "                %d: tensor<4xf32> {jax.buffer_donor = true}) -> (tensor<4xf32>, tensor<4xf32>) {\n"
    "  %0 = stablehlo.add %a, %b : tensor<4xf32>\n"
    "  %1 = stablehlo.add %c, %d : tensor<4xf32>\n"
    "  return %0, %1 : tensor<4xf32>, tensor<4xf32>\n"
    "}\n");
  const float counted[] = { 0, 1, 2, 3 };
  /* Which of three buffers each input is; all but the last row are refused. */
  static const guint wanted[][4] = { { 0, 0, 1, 2 }, { 0, 1, 0, 2 }, { 0, 1, 2, 0 }, { 0, 1, 2, 2 }, { 0, 1, 1, 2 } };
  PJRT_Buffer *buffers[3], *outputs[2];
  float numbers[4];

  for (guint i = 0; i < 3; i++)
    buffers[i] = call_floats (client, counted, 4);
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      const gboolean is_last = i + 1 == G_N_ELEMENTS (wanted);
      PJRT_Buffer *inputs[4];
      PJRT_Error *error;

      for (guint k = 0; k < 4; k++)
        inputs[k] = buffers[wanted[i][k]];
      error = call_execute (loaded, inputs, 4, outputs, NULL);
      if (is_last)
        call_check ("Execute", error);
      else
        call_check_error (error, PJRT_Error_Code_INVALID_ARGUMENT, "pass a donated buffer only once");
      for (guint k = 0; k < 3; k++)
        g_assert_cmpint (CALL (Buffer_IsDeleted, .buffer = buffers[k]).is_deleted, ==, is_last && k != 1);
    }
  for (guint i = 0; i < 2; i++)
    {
      call_read (outputs[i], numbers, sizeof numbers);
      g_assert_cmpfloat (numbers[3], ==, 6);
      CALL (Buffer_Destroy, .buffer = outputs[i]);
    }
  for (guint i = 0; i < 3; i++)
    CALL (Buffer_Destroy, .buffer = buffers[i]);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (Client_Destroy, .client = client);
}

/* CompileOptionsProto { env_option_overrides { key: @name value { @value } } } of an OptionOverrideProto's bytes. */
static GByteArray *
write_override (const char *name,
                const char *value)
{
  const guint8 lengths[] = { 0x3a, (guint8) (strlen (name) + strlen (value) + 4), 0x0a, (guint8) strlen (name) };
  const guint8 last[] = { 0x12, (guint8) strlen (value) };
  GByteArray *bytes = g_byte_array_new ();

  g_byte_array_append (bytes, lengths, sizeof lengths);
  g_byte_array_append (bytes, (const guint8 *) name, strlen (name));
  g_byte_array_append (bytes, last, sizeof last);
  g_byte_array_append (bytes, (const guint8 *) value, strlen (value));

  return bytes;
}

static void
test_overrides (void)
{
  /* Fields: 1 a text, 2 a boolean, 3 an integer, 4 a real number. */
  static const struct
  {
    const char *name, *value, *problem;
  } rows[] = {
    { "xla_allow_excess_precision", "\x10\x01", NULL },
    { "xla_allow_excess_precision", "\x0a\x05" "False", NULL },
    { "xla_allow_excess_precision", "\x18\x01", "xla_allow_excess_precision, '1' is not a valid bool value." },
    { "xla_allow_excess_precision", "", "'nothing' is not a valid bool value." },
    { "xla_allow_excess_precision", "\x0a\x02\xff\x61", "is not a valid bool value." },
    { "xla_backend_optimization_level", "\x18\x03", NULL },
    { "xla_backend_optimization_level", "\x18\x7f", NULL },
    { "xla_backend_optimization_level", "\x0a\x01" "1", NULL },
    { "xla_backend_optimization_level", "\x0a\x01" "x", "'x' is not a valid int32 value." },
    { "xla_backend_optimization_level", "\x21" "12345678", "'a real number' is not a valid int32 value." },
    { "xla_embed_ir_in_executable", "\x0a\x03" "yes", "'yes' is not a valid bool value." },
    { "xla_of_another_compiler", "\x0a\x03" "yes", NULL },
    { "", "\x10\x01", "No such compile option: ''" },
    { "abacus", "\x10\x01", "No such compile option: 'abacus'" },
    { "abacus", "\x0a\x09", "expected a CompileOptionsProto" },
  };
  PJRT_Client *client = call_client ("cpu");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GByteArray) options = write_override (rows[i].name, rows[i].value);
      PJRT_Client_Compile_Args args = { .struct_size = sizeof args, .client = client };
      const PJRT_Program program = {
        .struct_size = sizeof program, .code = (char *) twice, .code_size = strlen (twice), .format = "mlir",
        .format_size = strlen ("mlir"),
      };
      PJRT_Error *error;

      args.program = &program;
      args.compile_options = (const char *) options->data;
      args.compile_options_size = options->len;
      error = api->PJRT_Client_Compile (&args);
      if (rows[i].problem != NULL)
        call_check_error (error, PJRT_Error_Code_INVALID_ARGUMENT, rows[i].problem);
      else
        {
          call_check ("Compile", error);
          CALL (LoadedExecutable_Destroy, .executable = args.executable);
        }
    }
  CALL (Client_Destroy, .client = client);
}

/* Callers cannot receive data that a program sends to the host, whichever device runs it. */
static void
test_sent_to_host (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *loaded = call_compile (client,
    "func.func @main(%x: tensor<4xf32>, %t: !stablehlo.token) -> tensor<4xf32> {\n"
    "  %s = \"stablehlo.send\"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>,\n"
    "      is_host_transfer = true} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token\n"
    "  return %x : tensor<4xf32>\n"
    "}\n");
  PJRT_Buffer *inputs[2], *output = NULL;

  inputs[0] = call_floats (client, ((const float[]) { 1, 2, 3, 4 }), 4);
  inputs[1] = inputs[0];
  call_check_error (call_run (loaded, inputs, 2, &output), PJRT_Error_Code_UNIMPLEMENTED,
                    "'stablehlo.send': no process received the values sent to the host");
  CALL (Buffer_Destroy, .buffer = inputs[0]);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (Client_Destroy, .client = client);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  call_load ();

  g_test_add_func ("/pjrt/programs/costs", test_costs);
  g_test_add_func ("/pjrt/programs/fingerprints", test_fingerprints);
  g_test_add_func ("/pjrt/programs/serialize", test_serialize);
  g_test_add_func ("/pjrt/programs/repeated", test_repeated);
  g_test_add_func ("/pjrt/programs/small-stack", test_small_stack);
  g_test_add_func ("/pjrt/programs/overrides", test_overrides);
  g_test_add_func ("/pjrt/programs/sent-to-host", test_sent_to_host);

  return g_test_run ();
}
