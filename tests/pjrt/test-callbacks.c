/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls from programs to callbacks, with functions of this test in place of Python's.
 */

#include "four.h"

#include <dlfcn.h>
#include <string.h>

#include "pjrt/callbacks.h"

enum { TWICE = 3, FAILS, LOOSE, KEEPS, N_FUNCTIONS };

/* The number of holders of each function; atomic. */
static int held[N_FUNCTIONS];
/* The array that KEEPS was called with, and the function that releases it. */
static GhloPjrtArray kept;
static void (*drop_kept) (void *owner);

static void
drop_all (const GhloPjrtCall *call)
{
  for (gsize i = 0; i < call->n_operands; i++)
    call->drop (call->operands[i].owner);
}

static int32_t
twice (const GhloPjrtCall *call)
{
  const float *x = call->operands[0].data;
  float *y = call->results[0].data;

  g_assert_cmpuint (call->n_operands, ==, 1);
  g_assert_cmpuint (call->n_results, ==, 1);
  g_assert_cmpuint (call->operands[0].size, ==, call->results[0].size);
  for (gsize i = 0; i < call->results[0].size / sizeof *y; i++)
    y[i] = 2 * x[i];
  drop_all (call);

  return 1;
}

static int32_t
call_function (const GhloPjrtCall *call)
{
  g_assert_cmpuint (call->struct_size, ==, sizeof *call);
  switch (call->index)
    {
    case TWICE:
      return twice (call);
    case LOOSE:
      /* A true boolean of NumPy may be any non-zero byte. */
      memset (call->results[0].data, 0x60, call->results[0].size);
      drop_all (call);
      return 1;
    case KEEPS:
      kept = call->operands[0];
      drop_kept = call->drop;
      return 1;
    default:
      call->fail (call->error, "ValueError: no, thank you");
      call->fail (call->error, "a second word");
      drop_all (call);
      return 0;
    }
}

static int32_t
hold (int64_t index)
{
  if (index < 0 || index >= N_FUNCTIONS)
    return 0;
  g_atomic_int_inc (&held[index]);

  return 1;
}

static void
let_go (int64_t index)
{
  g_assert_cmpint (g_atomic_int_add (&held[index], -1), >, 0);
}

/* Waits until the function is let go, which may be shortly after the end of a run. */
static void
check_let_go (int index)
{
  gint64 deadline = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;

  while (g_atomic_int_get (&held[index]) != 0)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, deadline);
      g_usleep (1000);
    }
}

static void
set_callbacks (const GhloPjrtCallbacks *callbacks)
{
  gpointer plugin = dlopen (g_getenv ("GHLO_PJRT_PLUGIN"), RTLD_LAZY | RTLD_LOCAL);
  void (*set) (const GhloPjrtCallbacks *);

  *(gpointer *) &set = dlsym (plugin, "ghlo_pjrt_set_callbacks");
  g_assert_nonnull (set);
  set (callbacks);
  dlclose (plugin);
}

static PJRT_Client *
connect (void)
{
  static const GhloPjrtCallbacks callbacks = {
    .struct_size = sizeof callbacks, .call = call_function, .hold = hold, .let_go = let_go,
  };

  set_callbacks (&callbacks);

  return call_client ("cpu");
}

/* Returns a program that calls one function on twice its input. */
static char *
make_program (int         index,
              const char *result)
{
  return g_strdup_printf (
    "func.func @main(%%a: tensor<4xf32>) -> %s {\n"
    "  %%0 = stablehlo.add %%a, %%a : tensor<4xf32>\n"
    "  %%1 = stablehlo.custom_call @ghlo_python_callback(%%0) {api_version = 4 : i32, has_side_effect = true, "
    "backend_config = {index = %d : i64}} : (tensor<4xf32>) -> %s\n"
    "  return %%1 : %s\n"
    "}\n", result, index, result, result);
}

static PJRT_LoadedExecutable *
compile (PJRT_Client *client,
         int          index,
         const char  *result)
{
  g_autofree char *program = make_program (index, result);

  return call_compile (client, program);
}

static const float numbers[] = { 1, 2, 3, 4 };

/* Checks that a program is refused whose functions do not exist in this process. */
static void
check_refusal (PJRT_Client *client,
               const char  *program)
{
  call_check_error (call_compile_error (client, program, NULL, 0), PJRT_Error_Code_UNIMPLEMENTED,
                    "which does not exist in this process");
}

static void
test_missing (void)
{
  PJRT_Client *client = call_client ("cpu");
  g_autofree char *program = make_program (TWICE, "tensor<4xf32>");

  check_refusal (client, program);
  CALL (Client_Destroy, .client = client);

  client = connect ();
  g_clear_pointer (&program, g_free);
  program = make_program (99, "tensor<4xf32>");
  check_refusal (client, program);
  check_refusal (client,
                 "func.func @main() {\n"
                 "  stablehlo.custom_call @ghlo_python_callback() {has_side_effect = true} : () -> ()\n"
                 "  return\n"
                 "}\n");
  /* Functions that were held before the missing one are let go. */
  check_refusal (client,
                 "func.func @main(%a: tensor<4xf32>) {\n"
                 "  stablehlo.custom_call @ghlo_python_callback(%a) {has_side_effect = true, api_version = 4 : i32, "
                 "backend_config = {index = 3 : i64}} : (tensor<4xf32>) -> ()\n"
                 "  stablehlo.custom_call @ghlo_python_callback(%a) {has_side_effect = true, api_version = 4 : i32, "
                 "backend_config = {index = -3 : i64}} : (tensor<4xf32>) -> ()\n"
                 "  return\n"
                 "}\n");
  check_let_go (TWICE);
  CALL (Client_Destroy, .client = client);
}

static void
test_run (void)
{
  PJRT_Client *client = connect ();
  PJRT_LoadedExecutable *twice = compile (client, TWICE, "tensor<4xf32>");
  PJRT_LoadedExecutable *loose = compile (client, LOOSE, "tensor<4xi1>");
  PJRT_Buffer *input = call_floats (client, numbers, 4), *output;
  float found[4];
  guint8 bits[4];

  g_assert_cmpint (g_atomic_int_get (&held[TWICE]), ==, 1);
  call_check ("Execute", call_run (twice, &input, 1, &output));
  call_read (output, found, sizeof found);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpfloat (found[i], ==, 4 * numbers[i]);
  CALL (Buffer_Destroy, .buffer = output);

  call_check ("Execute", call_run (loose, &input, 1, &output));
  call_read (output, bits, sizeof bits);
  g_assert_cmpmem (bits, sizeof bits, "\1\1\1\1", 4);
  CALL (Buffer_Destroy, .buffer = output);

  CALL (Buffer_Destroy, .buffer = input);
  CALL (LoadedExecutable_Destroy, .executable = twice);
  CALL (LoadedExecutable_Destroy, .executable = loose);
  CALL (Client_Destroy, .client = client);
  check_let_go (TWICE);
  check_let_go (LOOSE);
}

static void
test_failure (void)
{
  PJRT_Client *client = connect ();
  PJRT_LoadedExecutable *fails = compile (client, FAILS, "tensor<4xf32>");
  PJRT_Buffer *input = call_floats (client, numbers, 4), *output;

  call_check_error (call_run (fails, &input, 1, &output), PJRT_Error_Code_INTERNAL,
                    "'stablehlo.custom_call @ghlo_python_callback': ValueError: no, thank you");
  CALL (Buffer_Destroy, .buffer = input);
  CALL (LoadedExecutable_Destroy, .executable = fails);
  CALL (Client_Destroy, .client = client);
}

/* An operand stays valid as long as a callback keeps it, whatever runs meanwhile. */
static void
test_kept (void)
{
  static const float others[] = { 7, 7, 7, 7 };
  PJRT_Client *client = connect ();
  PJRT_LoadedExecutable *keeps = compile (client, KEEPS, "tensor<0xf32>");
  PJRT_LoadedExecutable *twice = compile (client, TWICE, "tensor<4xf32>");
  PJRT_Buffer *inputs[] = { call_floats (client, numbers, 4), call_floats (client, others, 4) }, *output;

  call_check ("Execute", call_run (keeps, &inputs[0], 1, &output));
  CALL (Buffer_Destroy, .buffer = output);
  CALL (LoadedExecutable_Destroy, .executable = keeps);
  for (guint i = 0; i < 3; i++)
    {
      call_check ("Execute", call_run (twice, &inputs[1], 1, &output));
      CALL (Buffer_Destroy, .buffer = output);
    }
  for (guint i = 0; i < 2; i++)
    CALL (Buffer_Destroy, .buffer = inputs[i]);
  CALL (LoadedExecutable_Destroy, .executable = twice);
  CALL (Client_Destroy, .client = client);

  for (guint i = 0; i < 4; i++)
    g_assert_cmpfloat (((const float *) kept.data)[i], ==, 2 * numbers[i]);
  drop_kept (kept.owner);
  check_let_go (TWICE);
  check_let_go (KEEPS);
}

/* Compiles a program that inspects the sharding of its one operand by a call of @target. */
static PJRT_Error *
inspect (const char *target,
         int         index)
{
  g_autofree char *program = g_strdup_printf (
    "sdy.mesh @line = <[\"z\"=4]>\n"
    "func.func @main(%%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{\"z\"}]>}) -> tensor<8xf32> {\n"
    "  %%n = stablehlo.negate %%a : tensor<8xf32>\n"
    "  stablehlo.custom_call @%s(%%n) {has_side_effect = true, mhlo.backend_config = {index = %d : i64}, "
    "api_version = 4 : i32} : (tensor<8xf32>) -> ()\n"
    "  return %%a : tensor<8xf32>\n"
    "}\n", target, index);
  PJRT_Client *client = four_client ();
  PJRT_LoadedExecutable *executable;
  PJRT_Error *error = four_compile_with (client, program, NULL, 0, &executable);

  if (error == NULL)
    CALL (LoadedExecutable_Destroy, .executable = executable);
  CALL (Client_Destroy, .client = client);

  return error;
}

static void
test_inspection (void)
{
  /* xla.OpSharding { type: OTHER, tiles: [4], devices: [0, 1, 2, 3] }. */
  static const guint8 line[] = { 0x08, 3, 0x1a, 1, 4, 0x22, 4, 0, 1, 2, 3 };

  call_check ("compile", inspect ("ghlo_inspect_sharding", KEEPS));
  g_assert_cmpmem (kept.data, kept.size, line, sizeof line);
  drop_kept (kept.owner);
  call_check_error (inspect ("ghlo_inspect_sharding", FAILS), PJRT_Error_Code_INTERNAL, "ValueError: no, thank you");
  call_check_error (inspect ("InspectSharding", 0), PJRT_Error_Code_UNIMPLEMENTED, "use the package jax-ghlo");
}

/* No callbacks are called after Python has ended, not even to let go of functions. */
static void
test_end (void)
{
  PJRT_Client *client = connect ();
  PJRT_LoadedExecutable *loaded = compile (client, TWICE, "tensor<4xf32>");
  PJRT_Buffer *input = call_floats (client, numbers, 4), *output;
  g_autofree char *program = make_program (TWICE, "tensor<4xf32>");

  set_callbacks (NULL);
  call_check_error (call_run (loaded, &input, 1, &output), PJRT_Error_Code_INTERNAL, "has shut down");
  check_refusal (client, program);
  CALL (Buffer_Destroy, .buffer = input);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (Client_Destroy, .client = client);
  g_assert_cmpint (g_atomic_int_get (&held[TWICE]), ==, 1);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  call_load ();

  g_test_add_func ("/pjrt/callbacks/missing", test_missing);
  g_test_add_func ("/pjrt/callbacks/run", test_run);
  g_test_add_func ("/pjrt/callbacks/failure", test_failure);
  g_test_add_func ("/pjrt/callbacks/kept", test_kept);
  g_test_add_func ("/pjrt/callbacks/inspection", test_inspection);
  g_test_add_func ("/pjrt/callbacks/end", test_end);

  return g_test_run ();
}
