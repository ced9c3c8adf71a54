/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Untrusted input, truncated at each byte and modified: compile options, and serialized executables, with their
 * original checksums and with recomputed ones. tests/fuzz has more random variants.
 */

#include "call.h"
#include "seal.h"

#include <string.h>

static const char twice[] =
  "module @jit_twice {\n"
  "  func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
  "    %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
  "    return %0 : tensor<4xf32>\n"
  "  }\n"
  "}\n";

/* Copies @n bytes so that reads beyond the end are detected (transfer full). */
static guint8 *
cut (gconstpointer bytes,
     gsize         n)
{
  return n > 0 ? g_memdup2 (bytes, n) : g_malloc (1);
}

/* Returns whether these are valid options, for one device. Options are read before the program, which is invalid. */
static gboolean
are_options (PJRT_Client  *client,
             const guint8 *bytes,
             gsize         n)
{
  g_autofree guint8 *exact = cut (bytes, n);
  g_autofree char *message = NULL;
  PJRT_Program program = { .struct_size = sizeof program, .code = (char *) "?", .code_size = 1, .format = "mlir",
                           .format_size = 4 };
  PJRT_Error *error = CALL_ERROR (Client_Compile, .client = client, .program = &program,
                                  .compile_options = (const char *) exact, .compile_options_size = n);

  g_assert_nonnull (error);
  g_assert_cmpint (CALL (Error_GetCode, .error = error).code, ==, PJRT_Error_Code_INVALID_ARGUMENT);
  message = call_take_message (error);

  return strstr (message, "program:1:") != NULL;
}

static void
test_options (void)
{
  static const guint8 whole[] = { 0x1a, 15, 0x20, 1, 0x28, 1, 0x4a, 9, 0x08, 1, 0x10, 1, 0x1a, 3, 0x0a, 1, 0 };
  PJRT_Client *client = call_client ("cpu");
  g_autoptr (GRand) random = g_rand_new_with_seed (14);
  guint8 bytes[sizeof whole];
  guint n_accepted = 0;

  g_assert_true (are_options (client, whole, sizeof whole));
  for (gsize n = 0; n < sizeof whole; n++)
    g_assert_cmpint (are_options (client, whole, n), ==, n == 0);
  for (gsize i = 0; i < 8 * sizeof whole; i++)
    {
      memcpy (bytes, whole, sizeof whole);
      bytes[i / 8] ^= (guint8) (1 << i % 8);
      n_accepted += are_options (client, bytes, sizeof whole);
    }
  for (guint i = 0; i < 3000; i++)
    {
      memcpy (bytes, whole, sizeof whole);
      for (guint k = 0; k < 1 + i % 4; k++)
        bytes[g_rand_int_range (random, 0, sizeof whole)] = (guint8) g_rand_int (random);
      n_accepted += are_options (client, bytes, sizeof whole);
    }
  g_test_message ("%u of %zu are options", n_accepted, 3000 + 8 * sizeof whole);
  g_assert_cmpuint (n_accepted, >, 0);
  CALL (Client_Destroy, .client = client);
}

static guint8 *
write_program (PJRT_Client *client,
               gsize       *size)
{
  PJRT_LoadedExecutable *loaded = call_compile (client, twice);
  char *bytes = call_serialize (loaded, size);

  CALL (LoadedExecutable_Destroy, .executable = loaded);

  return (guint8 *) bytes;
}

static void
check_refused (PJRT_Client  *client,
               const guint8 *bytes,
               gsize         n)
{
  g_autofree guint8 *exact = cut (bytes, n);

  call_check_error (CALL_ERROR (Executable_DeserializeAndLoad, .client = client,
                                .serialized_executable = (const char *) exact, .serialized_executable_size = n),
                    PJRT_Error_Code_INVALID_ARGUMENT, "expected a serialized executable");
}

/* Checksums detect any change. */
static void
test_checksums (void)
{
  PJRT_Client *client = call_client ("cpu");
  g_autoptr (GRand) random = g_rand_new_with_seed (14);
  gsize size;
  g_autofree guint8 *bytes = write_program (client, &size);

  for (gsize n = 0; n < size; n++)
    check_refused (client, bytes, n);
  for (gsize i = 0; i < 8 * size; i++)
    {
      bytes[i / 8] ^= (guint8) (1 << i % 8);
      check_refused (client, bytes, size);
      bytes[i / 8] ^= (guint8) (1 << i % 8);
    }
  for (guint i = 0; i < 2000; i++)
    {
      guint8 noise[256];
      gsize n = (gsize) g_rand_int_range (random, 0, sizeof noise);

      for (gsize k = 0; k < n; k++)
        noise[k] = (guint8) g_rand_int (random);
      if (i % 2 == 0 && n > 8)
        memcpy (noise, bytes, 8);
      check_refused (client, noise, n);
    }
  call_check_error (CALL_ERROR (Executable_DeserializeAndLoad, .client = client,
                                .serialized_executable = (const char *) bytes, .serialized_executable_size = size,
                                .overridden_serialized_compile_options = "\x1a\x7f",
                                .overridden_serialized_compile_options_size = 2), PJRT_Error_Code_INVALID_ARGUMENT,
                    "expected a CompileOptionsProto");
  CALL (Client_Destroy, .client = client);
}

/* Returns whether the bytes are a program, with recomputed checksums; checks that others get a suitable error. */
static gboolean
is_program (PJRT_Client  *client,
            const guint8 *bytes,
            gsize         n)
{
  g_autofree guint8 *exact = cut (bytes, n);
  g_autofree char *message = NULL;
  PJRT_Executable_DeserializeAndLoad_Args args = {
    .struct_size = sizeof args, .client = client, .serialized_executable = (const char *) exact,
    .serialized_executable_size = n,
  };
  PJRT_Error *error;
  PJRT_Error_Code code;

  seal_executable (exact, n);
  error = api->PJRT_Executable_DeserializeAndLoad (&args);
  if (error == NULL)
    {
      CALL (LoadedExecutable_Destroy, .executable = args.loaded_executable);
      return TRUE;
    }
  code = CALL (Error_GetCode, .error = error).code;
  message = call_take_message (error);
  if (code != PJRT_Error_Code_INVALID_ARGUMENT && code != PJRT_Error_Code_UNIMPLEMENTED
      && code != PJRT_Error_Code_UNAVAILABLE)
    g_error ("not an error of a program: %d, %s", code, message);
  g_assert_true (g_utf8_validate (message, -1, NULL));

  return FALSE;
}

/* Bytes as an attacker would make them. */
static void
test_sealed (void)
{
  PJRT_Client *client = call_client ("cpu");
  gsize size;
  g_autofree guint8 *bytes = write_program (client, &size);
  guint n_programs = 0;

  g_assert_true (is_program (client, bytes, size));
  for (gsize n = 0; n < size; n++)
    g_assert_false (is_program (client, bytes, n));
  for (gsize i = 0; i < 8 * size; i++)
    {
      bytes[i / 8] ^= (guint8) (1 << i % 8);
      n_programs += is_program (client, bytes, size);
      bytes[i / 8] ^= (guint8) (1 << i % 8);
    }
  g_test_message ("%u of %zu are programs", n_programs, 8 * size);
  g_assert_cmpuint (n_programs, >, 0);
  g_assert_cmpuint (n_programs, <, 8 * size);
  CALL (Client_Destroy, .client = client);
}

/* Names may be any bytes, but messages that quote them are valid text. */
static void
test_names (void)
{
  PJRT_Client *client = call_client ("cpu");
  g_autofree char *message = call_take_message (call_compile_error (client,
    "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
    "  %0 = stablehlo.custom_call @\"na\xc3me\"(%a) : (tensor<f32>) -> tensor<f32>\n"
    "  return %0 : tensor<f32>\n}\n", NULL, 0));
  const PJRT_Program other = { .struct_size = sizeof other, .code = (char *) "", .format = "h\xf0o", .format_size = 3 };
  g_autofree char *of_format = call_take_message (CALL_ERROR (Client_Compile, .client = client, .program = &other));

  g_assert_true (g_utf8_validate (message, -1, NULL));
  g_assert_nonnull (strstr (message, "found 'na\xef\xbf\xbdme'"));
  g_assert_true (g_utf8_validate (of_format, -1, NULL));
  g_assert_nonnull (strstr (of_format, "found 'h\xef\xbf\xbdo'"));
  CALL (Client_Destroy, .client = client);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  call_load ();

  g_test_add_func ("/pjrt/damage/options", test_options);
  g_test_add_func ("/pjrt/damage/checksums", test_checksums);
  g_test_add_func ("/pjrt/damage/sealed", test_sealed);
  g_test_add_func ("/pjrt/damage/names", test_names);

  return g_test_run ();
}
