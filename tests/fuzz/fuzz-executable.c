/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loads any bytes as a serialized executable: in the format of the PJRT plugin, of the library or, with any other
 * beginning, of the cache on disk. Checksums are recomputed first, so that damage gets past them. The result is an
 * error, or a program that is serialized and loaded again.
 *
 * The seeds are made here, and mutated in two ways: as bytes, or member by member with a consistent frame.
 */

#include <stdint.h>
#include <string.h>

#include "../pjrt/call.h"
#include "../pjrt/seal.h"
#include "base/ghlo-error.h"
#include "compiler/cache-entry.h"
#include "compiler/digest.h"
#include "compiler/read-module.h"
#include "compiler/serialize.h"
#include "ir/verify/verify.h"
#include "pjrt/api.h"
#include "runtime/value.h"

enum { MEMORY_LIMIT = 256 * 1024 * 1024, N_DEVICES = 2, MAGIC = 8 };

int    LLVMFuzzerInitialize    (int *argc, char ***argv);
int    LLVMFuzzerTestOneInput  (const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator (uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate        (uint8_t *data, size_t size, size_t max_size);

/* A program for one device, and one for two. */
static const char *const programs[] = {
  "module @jit_f {\n"
  "  func.func public @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<4xf32>)\n"
  "      -> (tensor<4xf32>, tensor<i1>) {\n"
  "    %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n"
  "    %0 = stablehlo.add %a, %b : tensor<4xf32>\n"
  "    %1 = stablehlo.multiply %0, %c : tensor<4xf32>\n"
  "    %t = stablehlo.constant dense<true> : tensor<i1>\n"
  "    return %1, %t : tensor<4xf32>, tensor<i1>\n"
  "  }\n"
  "}\n",
  "func.func @main(%t: !stablehlo.token, %x: tensor<i32>) -> (!stablehlo.token, tensor<i32>) {\n"
  "  %0 = stablehlo.while(%n = %x) : tensor<i32>\n"
  "    cond {\n      %c = stablehlo.constant dense<9> : tensor<i32>\n"
  "      %1 = stablehlo.compare LT, %n, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "      stablehlo.return %1 : tensor<i1>\n    } do {\n      %1 = stablehlo.add %n, %n : tensor<i32>\n"
  "      stablehlo.return %1 : tensor<i32>\n    }\n  return %t, %0 : !stablehlo.token, tensor<i32>\n}\n",
  ("func.func private @main(%x: tensor<2xi4>) -> tensor<2xi4> {\n"
   "  %0 = stablehlo.custom_call @LayoutConstraint(%x) {backend_config = \"text\"} : (tensor<2xi4>) -> tensor<2xi4>\n"
   "  return %0 : tensor<2xi4>\n}\n"),
};

static const char sharded[] =
  "sdy.mesh @line = <[\"z\"=2]>\n"
  "func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@line, [{\"z\"}]>}) -> tensor<4xf32> {\n"
  "  %0 = stablehlo.negate %a : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n";

/* CompileOptionsProto of one device, and of two partitions. */
static const char one[] = "", two[] = { 0x1a, 2, 0x28, 2 };

static PJRT_Client *client;             /* lives as long as the process, like the next two */
static GPtrArray *seeds;                /* of GBytes */
static GhloIrModule *source;            /* the module of the cache's entries */

static void
free_bytes (gpointer bytes)
{
  g_bytes_unref (bytes);
}

/* Adds @program in PJRT's format, and in the library's, with which PJRT's format ends. */
static void
add_seeds (const char *program,
           const char *options,
           gsize       n_options)
{
  g_autofree char *code = g_strdup (program);
  const PJRT_Program given = {
    .struct_size = sizeof given, .code = code, .code_size = strlen (code), .format = "mlir", .format_size = 4,
  };
  PJRT_LoadedExecutable *loaded = CALL (Client_Compile, .client = client, .program = &given,
                                        .compile_options = options, .compile_options_size = n_options).executable;
  gsize size;
  char *written = call_serialize (loaded, &size);
  GBytes *bytes = g_bytes_new_take (written, size);
  g_autofree guint8 *copy = g_memdup2 (written, size);
  const gsize library = seal_executable (copy, size) - GHLO_DIGEST_SIZE - MAGIC;

  g_ptr_array_add (seeds, bytes);
  g_ptr_array_add (seeds, g_bytes_new_from_bytes (bytes, library, size - library));
  CALL (LoadedExecutable_Destroy, .executable = loaded);
}

static GhloIrModule *
read_text (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GError) error = NULL;
  GhloIrModule *module = ghlo_read_program (bytes, "seed", NULL, NULL, &error);

  if (module == NULL)
    g_error ("%s", error->message);

  return module;
}

static void
add_entries (void)
{
  g_autoptr (GhloPassReport) report = ghlo_pass_report_new ();

  source = read_text (programs[0]);
  report->records[0].n_runs = 1;
  g_ptr_array_add (seeds, ghlo_cache_entry_write (source, source, report, "key", "cpu", TRUE));
  g_ptr_array_add (seeds, ghlo_cache_entry_write (source, source, report, "key", "cpu", FALSE));
}

int
LLVMFuzzerInitialize (int    *argc,
                      char ***argv)
{
  const PJRT_NamedValue options[] = {
    { .struct_size = sizeof *options, .name = "device", .name_size = strlen ("device"),
      .type = PJRT_NamedValue_kString, .string_value = "cpu", .value_size = strlen ("cpu") },
    { .struct_size = sizeof *options, .name = "devices", .name_size = strlen ("devices"),
      .type = PJRT_NamedValue_kInt64, .int64_value = N_DEVICES, .value_size = 1 },
  };

  ghlo_memory_set_limit (MEMORY_LIMIT);
  /* Machine code would be ready only after the runs, and a cache on disk would make runs depend on earlier ones. */
  g_setenv ("GHLO_DISABLE", "llvm", TRUE);
  g_setenv ("GHLO_CACHE", "off", TRUE);
  api = GetPjrtApi ();
  client = CALL (Client_Create, .create_options = options, .num_options = G_N_ELEMENTS (options)).client;
  seeds = g_ptr_array_new_with_free_func (free_bytes);
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    add_seeds (programs[i], one, 0);
  add_seeds (sharded, two, sizeof two);
  add_entries ();

  return 0;
}

/* Mutations of members, down to strings, numbers and bytes. */

static GVariant *change (GVariant *value, GRand *random);

static GVariant *
change_bytes (GVariant *value)
{
  gsize size;
  gconstpointer data = g_variant_get_fixed_array (value, &size, 1);
  const gsize room = size + 64;
  guint8 *bytes = g_malloc (room);

  if (size > 0)
    memcpy (bytes, data, size);
  size = LLVMFuzzerMutate (bytes, size, room);

  return g_variant_new_from_data (g_variant_get_type (value), bytes, size, TRUE, g_free, bytes);
}

static GVariant *
change_text (GVariant *value)
{
  gsize size;
  const char *text = g_variant_get_string (value, &size);
  const gsize room = size + 64;
  g_autofree char *bytes = g_malloc (room);

  memcpy (bytes, text, size);
  size = LLVMFuzzerMutate ((guint8 *) bytes, size, room);

  return g_variant_new_take_string (g_utf8_make_valid (bytes, (gssize) size));
}

static GVariant *
change_number (GVariant *value,
               GRand    *random)
{
  gsize size = g_variant_get_size (value);
  guint8 *bytes = g_malloc (size);

  g_variant_store (value, bytes);
  bytes[g_rand_int_range (random, 0, (gint32) size)] = (guint8) (g_rand_boolean (random) ? g_rand_int (random) : 0xff);

  return g_variant_new_from_data (g_variant_get_type (value), bytes, size, FALSE, g_free, bytes);
}

/* Changes a member, or removes or duplicates one of an array. */
static GVariant *
change_members (GVariant *value,
                GRand    *random)
{
  const gboolean is_list = g_variant_is_of_type (value, G_VARIANT_TYPE_ARRAY);
  const gsize n = g_variant_n_children (value);
  const gsize place = n > 0 ? (gsize) g_rand_int_range (random, 0, (gint32) n) : 0;
  const int how = is_list ? g_rand_int_range (random, 0, 3) : 0;
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GVariant) member = g_variant_get_child_value (value, i);

      if (how != 1 || i != place)
        g_ptr_array_add (members, how == 0 && i == place ? g_variant_ref_sink (change (member, random))
                                                         : g_variant_ref (member));
      if (how == 2 && i == place)
        g_ptr_array_add (members, g_variant_ref (member));
    }
  if (!is_list)
    return g_variant_new_tuple ((GVariant *const *) members->pdata, members->len);

  return g_variant_new_array (g_variant_type_element (g_variant_get_type (value)),
                              (GVariant *const *) members->pdata, members->len);
}

static GVariant *
change (GVariant *value,
        GRand    *random)
{
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BYTESTRING))
    return change_bytes (value);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return change_text (value);
  if (g_variant_is_container (value))
    return change_members (value, random);

  return change_number (value, random);
}

/* The types are those of src/compiler. */
static const char *
payload_type (const guint8 *data,
              gsize         size)
{
  return size >= 4 && memcmp (data, "GHLO", 4) == 0 ? "(s(ubbbasas)ssayas)" : "(sss(uttx)a(sutx)a(uu)ay)";
}

/* Returns the new size, or 0 where there is no room. */
static gsize
change_part (guint8 *data,
             gsize   size,
             gsize   max_size,
             GRand  *random)
{
  const gsize head = size >= 4 && memcmp (data, "GHLO", 4) == 0 ? seal_executable (data, size) : 0;
  guint8 *copy = g_memdup2 (data + head, size - head);
  g_autoptr (GVariant) payload = g_variant_ref_sink (
    g_variant_new_from_data (G_VARIANT_TYPE (payload_type (data, size)), copy, size - head, FALSE, g_free, copy));
  g_autoptr (GVariant) changed = g_variant_ref_sink (change (payload, random));
  g_autoptr (GBytes) bytes = g_variant_get_data_as_bytes (changed);
  gsize n;
  gconstpointer made = g_bytes_get_data (bytes, &n);

  if (n > max_size - head)
    return 0;
  if (n > 0)
    memcpy (data + head, made, n);

  return head + n;
}

size_t
LLVMFuzzerCustomMutator (uint8_t      *data,
                         size_t        size,
                         size_t        max_size,
                         unsigned int  seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  gsize changed;

  if (size < MAGIC || g_rand_int_range (random, 0, 16) == 0)
    {
      GBytes *chosen = seeds->pdata[g_rand_int_range (random, 0, (gint32) seeds->len)];
      gsize n;
      gconstpointer bytes = g_bytes_get_data (chosen, &n);

      size = MIN (n, max_size);
      memcpy (data, bytes, size);
    }
  changed = g_rand_int_range (random, 0, 3) > 0 ? change_part (data, size, max_size, random) : 0;

  return changed > 0 ? changed : LLVMFuzzerMutate (data, size, max_size);
}

/* Checks that the error is one that an untrusted program may cause, including a lack of memory. */
static void
check_error (PJRT_Error *error)
{
  const PJRT_Error_Code code = CALL (Error_GetCode, .error = error).code;
  g_autofree char *message = call_take_message (error);

  if ((code != PJRT_Error_Code_INVALID_ARGUMENT && code != PJRT_Error_Code_UNIMPLEMENTED
       && code != PJRT_Error_Code_RESOURCE_EXHAUSTED && code != PJRT_Error_Code_UNAVAILABLE)
      || *message == '\0' || !g_utf8_validate (message, -1, NULL))
    g_error ("not an error of a program: %d, %s", code, message);
}

static PJRT_LoadedExecutable *
load (const char *bytes,
      gsize       size)
{
  PJRT_Executable_DeserializeAndLoad_Args args = {
    .struct_size = sizeof args, .client = client, .serialized_executable = bytes, .serialized_executable_size = size,
  };
  PJRT_Error *error = api->PJRT_Executable_DeserializeAndLoad (&args);

  if (error != NULL)
    check_error (error);

  return args.loaded_executable;
}

static void
check_plugin (const guint8 *data,
              gsize         size)
{
  PJRT_LoadedExecutable *loaded = load ((const char *) data, size), *again;
  PJRT_Executable *executable;
  PJRT_Executable_Serialize_Args written = { .struct_size = sizeof written };
  PJRT_Error *error;

  if (loaded == NULL)
    return;
  executable = CALL (LoadedExecutable_GetExecutable, .loaded_executable = loaded).executable;
  written.executable = executable;
  error = api->PJRT_Executable_Serialize (&written);
  if (error != NULL)
    check_error (error);
  else
    {
      again = load (written.serialized_bytes, written.serialized_bytes_size);
      if (again == NULL)
        g_error ("what was written cannot be read");
      CALL (LoadedExecutable_Destroy, .executable = again);
      written.serialized_executable_deleter (written.serialized_executable);
    }
  CALL (Executable_Destroy, .executable = executable);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
}

/* Loads in the library's format; the PJRT client loads the result as well. */
static void
check_library (const guint8 *data,
               gsize         size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_auto (GhloCompileRequest) request = { NULL };
  g_autoptr (GError) error = NULL;

  if (ghlo_compile_request_read (&request, bytes, NULL, &error) != (error == NULL))
    g_error ("a request comes with an error, or none without");
  if (error != NULL && !g_error_matches (error, GHLO_ERROR, GHLO_ERROR_DATA)
      && !g_error_matches (error, GHLO_ERROR, GHLO_ERROR_DEVICE)
      && !g_error_matches (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY))
    g_error ("not an error of data: %s", error->message);
}

static void
check_entry (const guint8 *data,
             gsize         size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("entry", "", 0);
  g_auto (GhloCacheEntrySummary) summary = { NULL };
  g_autoptr (GhloPassReport) report = ghlo_pass_report_new ();

  module = ghlo_cache_entry_read (bytes, source, "key", NULL, report);
  if (module != NULL && !ghlo_ir_verify (module, diagnostics, NULL))
    g_error ("what the cache has is wrong");
  if (!ghlo_cache_entry_summarize (bytes, &summary) && module != NULL)
    g_error ("what the cache has is not shown");
}

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t         size)
{
  g_autofree guint8 *sealed = g_memdup2 (data, size);

  if (size < MAGIC || memcmp (data, "GHLO", 4) != 0)
    check_entry (data, size);
  else
    {
      seal_executable (sealed, size);
      if (memcmp (data, "GHLOPJR", 7) == 0)
        check_plugin (sealed, size);
      else
        check_library (sealed, size);
    }

  return 0;
}
