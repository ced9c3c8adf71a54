/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writing artifacts: the bytes equal upstream's, reading returns what was written, and whatever a version cannot
 * represent is refused.
 */

#include <string.h>

#include "artifact-goldens.h"
#include "import/bytecode/emit.h"
#include "import/import.h"
#include "ir/print/print.h"
#include "ir/verify/verify.h"

static GhloIrModule *
read_program (GBytes *bytes)
{
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", data, size);
  GhloIrModule *module = ghlo_import (bytes, GHLO_IMPORT_DEFAULT, diagnostics, NULL, NULL);
  g_autoptr (GError) error = NULL;

  if (module != NULL)
    ghlo_ir_verify (module, diagnostics, NULL);
  ghlo_diagnostics_to_error (diagnostics, &error);
  g_assert_no_error (error);
  g_assert_nonnull (module);

  return module;
}

static GhloIrModule *
parse (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return read_program (bytes);
}

static GBytes *
write_program (const char      *text,
               GhloIrVersion    target,
               GhloExportFlags  flags)
{
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  GBytes *bytes = ghlo_export_artifact (module, target, flags, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (bytes);

  return bytes;
}

/* Writes @text for @target, reads the artifact, and returns its text. */
static char *
through (const char      *text,
         GhloIrVersion    target,
         GhloExportFlags  flags)
{
  g_autoptr (GBytes) bytes = write_program (text, target, flags);
  g_autoptr (GhloIrModule) module = read_program (bytes);

  return ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);
}

static void
check_refused (const char    *text,
               GhloIrVersion  target,
               int            code,
               const char    *words)
{
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  GBytes *bytes = ghlo_export_artifact (module, target, GHLO_EXPORT_DEFAULT, NULL, &error);

  g_assert_null (bytes);
  g_assert_error (error, GHLO_ERROR, code);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, words));
}

static char *
to_hex (GBytes *bytes)
{
  g_autoptr (GString) hex = g_string_new (NULL);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  for (gsize i = 0; i < size; i++)
    g_string_append_printf (hex, "%02x", data[i]);

  return g_string_free (g_steal_pointer (&hex), FALSE);
}

static void
test_goldens (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (goldens); i++)
    {
      g_autoptr (GBytes) bytes = write_program (goldens[i].text, goldens[i].target, GHLO_EXPORT_STRIP_LOCATIONS);
      g_autofree char *hex = to_hex (bytes);

      g_test_message ("program %u", i);
      g_assert_cmpstr (hex, ==, goldens[i].hex);
    }
}

static void
test_header (void)
{
  static const struct { GhloIrVersion target; guint8 version; const char *producer; } rows[] = {
    { { 0, 9, 0 }, 0, "StableHLO_v0.9.0" },
    { { 0, 9, 7 }, 0, "StableHLO_v0.9.7" },
    { { 0, 10, 0 }, 1, "StableHLO_v0.10.0" },
    { { 0, 11, 3 }, 1, "StableHLO_v0.11.3" },
    { { 0, 12, 0 }, 3, "StableHLO_v0.12.0" },
    { { 0, 14, 0 }, 4, "StableHLO_v0.14.0" },
    { { 0, 15, 0 }, 6, "StableHLO_v0.15.0" },
    { { 1, 20, 0 }, 6, "StableHLO_v1.20.0" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GBytes) bytes = write_program (plain, rows[i].target, GHLO_EXPORT_DEFAULT);
      const guint8 *data = g_bytes_get_data (bytes, NULL);

      g_assert_cmpmem (data, 4, "ML\xefR", 4);
      g_assert_cmpuint (data[4], ==, rows[i].version << 1 | 1);
      g_assert_cmpstr ((const char *) data + 5, ==, rows[i].producer);
    }
}

static const char many_kinds[] =
  "module @kinds attributes {test.array = [1, \"two\", @three], test.dictionary = {a = 1.5 : f32, b = unit}, "
  "test.dense = dense<[1, -2]> : tensor<2xi4>, test.type = tuple<tensor<?xf8E4M3FN>, i7, complex<f64>>} {\n"
  "  func.func private @callee(tensor<2xi1>) -> tensor<2xi1>\n"
  "  func.func public @main(%arg0: tensor<?xf32, #stablehlo.bounds<8>>, %arg1: tensor<2xi1>, "
  "%arg2: !stablehlo.token) -> tensor<2xi1> {\n"
  "    %0 = call @callee(%arg1) {test.note = \"call\"} : (tensor<2xi1>) -> tensor<2xi1>\n"
  "    %cst = stablehlo.constant dense<[true, false]> : tensor<2xi1>\n"
  "    %1 = stablehlo.custom_call @target(%arg0, %arg2) {api_version = 4 : i32, backend_config = {key = [1, 2]}} "
  ": (tensor<?xf32, #stablehlo.bounds<8>>, !stablehlo.token) -> tensor<f32>\n"
  "    %2 = stablehlo.and %0, %cst : tensor<2xi1>\n"
  "    return %2 : tensor<2xi1>\n"
  "  }\n"
  "}\n";

/* As many elements as a type may have: their size in bytes would overflow. */
static const char huge_splats[] =
  "module {\n"
  "  func.func private @f() {\n"
  "    %c = stablehlo.constant dense<true> : tensor<9223372036854775807xi1>\n"
  "    %c_0 = stablehlo.constant dense<-3> : tensor<9223372036854775807xi4>\n"
  "    %c_1 = stablehlo.constant dense<7> : tensor<3037000499x3037000499xui32>\n"
  "    %cst = stablehlo.constant dense<1.0> : tensor<9223372036854775807xf6E2M3FN>\n"
  "    %cst_2 = stablehlo.constant dense<1.5> : tensor<9223372036854775807xf64>\n"
  "    %cst_3 = stablehlo.constant dense<(1.0, -2.0)> : tensor<9223372036854775807xcomplex<f64>>\n"
  "    %c_4 = stablehlo.constant dense<> : tensor<9223372036854775807x0x9223372036854775807xi64>\n"
  "    return\n"
  "  }\n"
  "}\n";

static const char mesh_axes[] =
  "module {\n"
  "  func.func private @mesh()\n"
  "  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {\n"
  "    %0 = \"stablehlo.all_gather\"(%arg0) {all_gather_dim = 0 : i64, replica_groups = "
  "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [0, \"x\", #stablehlo.axis_ref<name = \"x\">]>} : "
  "(tensor<2xf32>) -> tensor<2xf32>\n"
  "    return %0 : tensor<2xf32>\n"
  "  }\n"
  "}\n";

static void
test_round_trips (void)
{
  static const char *const texts[] = { plain, regions, mixed, many_kinds, huge_splats, mesh_axes };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GhloIrModule) module = parse (texts[i]);
      g_autofree char *before = ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);
      g_autofree char *after = through (texts[i], GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_DEFAULT);

      g_assert_cmpstr (after, ==, before);
    }
}

/* A few elements of 6 bits need as many bytes packed as unpacked: they are not packed. */
static void
test_six_bits (void)
{
  static const char *const texts[] = { "[-1.500000e+00, 2.000000e+00]", "[3.000000e+00, 2.000000e+00, 3.000000e+00]" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *text = g_strdup_printf (
        "module {\n  func.func public @main() -> tensor<%uxf6E2M3FN> {\n"
        "    %%cst = stablehlo.constant dense<%s> : tensor<%uxf6E2M3FN>\n"
        "    return %%cst : tensor<%uxf6E2M3FN>\n  }\n}\n", i + 2, texts[i], i + 2, i + 2);
      g_autofree char *after = through (text, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_STRIP_LOCATIONS);

      g_assert_nonnull (strstr (after, texts[i]));
    }
}

static void
test_locations (void)
{
  const char *text =
    "func.func @main(%arg0: tensor<f32> loc(\"a\")) -> tensor<f32> {\n"
    "  %0 = stablehlo.add %arg0, %arg0 : tensor<f32> loc(\"file\":1:2 to 3:4)\n"
    "  %1 = stablehlo.add %0, %0 : tensor<f32> loc(\"file\":1:2 to :4)\n"
    "  %2 = stablehlo.add %1, %1 : tensor<f32> loc(\"name\"(\"file\":5:6))\n"
    "  %3 = stablehlo.add %2, %2 : tensor<f32> loc(callsite(\"f\" at \"file\":7:0))\n"
    "  %4 = stablehlo.add %3, %3 : tensor<f32> loc(fused<\"m\">[\"f\", \"g\"])\n"
    "  return %4 : tensor<f32>\n"
    "}\n";
  g_autoptr (GhloIrModule) module = parse (text);
  g_autofree char *before = ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);
  g_autofree char *kept = through (text, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_DEFAULT);
  g_autofree char *older = through (text, (GhloIrVersion) { 1, 8, 0 }, GHLO_EXPORT_DEFAULT);
  g_autofree char *stripped = through (text, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_STRIP_LOCATIONS);

  g_assert_cmpstr (kept, ==, before);
  g_assert_nonnull (strstr (kept, "\"file\":1:2 to 3:4"));
  g_assert_null (strstr (older, " to "));
  g_assert_nonnull (strstr (older, "\"file\":1:2"));
  g_assert_nonnull (strstr (older, "\"file\":7:0"));
  g_assert_null (strstr (stripped, "file"));
}

/* A location that is the value of an attribute is kept even if locations are omitted. */
static void
test_location_attribute (void)
{
  const char *text = "module attributes {test.place = loc(\"file\":1:2)} {\n}\n";
  g_autofree char *stripped = through (text, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_STRIP_LOCATIONS);

  g_assert_nonnull (strstr (stripped, "\"file\":1:2"));
}

static void
test_refusals (void)
{
  GhloIrVersion v1_10 = { 1, 10, 0 };

  check_refused (mixed, v1_10, GHLO_ERROR_UNSUPPORTED, "sdy.mesh");
  check_refused ("func.func @main(%arg0: tensor<f32>) -> tensor<f32> {\n"
                 "  %0 = chlo.erf %arg0 : tensor<f32> -> tensor<f32>\n"
                 "  return %0 : tensor<f32>\n"
                 "}\n", v1_10, GHLO_ERROR_UNSUPPORTED, "chlo.erf needs StableHLO 1.11.0");
  check_refused ("func.func @main(%arg0: tensor<f32>) attributes {test.unit} {\n"
                 "  return\n"
                 "}\n", v1_10, GHLO_ERROR_UNSUPPORTED, "func.func");
  check_refused ("func.func @main(%arg0: tensor<f32>) -> tensor<f32> {\n"
                 "  %0 = stablehlo.tan %arg0 : tensor<f32>\n"
                 "  return %0 : tensor<f32>\n"
                 "}\n", (GhloIrVersion) { 1, 3, 0 }, GHLO_ERROR_UNSUPPORTED, "stablehlo.tan");
  check_refused (plain, (GhloIrVersion) { 0, 8, 9 }, GHLO_ERROR_INVALID_ARGUMENT, "0.8.9");
  check_refused (plain, (GhloIrVersion) { 1, 20, 1 }, GHLO_ERROR_INVALID_ARGUMENT, "1.20.1");
}

/* Operations kept without being known cannot be represented in an artifact. */
static void
test_unregistered (void)
{
  const char *text = "\"foo.bar\"() : () -> ()\n";
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", text, strlen (text));
  g_autoptr (GhloIrModule) module = ghlo_import_text (text, strlen (text), GHLO_IMPORT_ALLOW_UNREGISTERED, diagnostics,
                                                      NULL);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (module);
  g_assert_null (ghlo_export_artifact (module, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_DEFAULT, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "foo.bar"));
}

typedef struct
{
  GCancellable *cancellable;
  guint         n_calls;
  double        last;
} Watch;

static void
watch_progress (gpointer    data,
                double      fraction,
                const char *detail)
{
  Watch *watch = data;

  g_assert_cmpfloat (fraction, >=, watch->last);
  g_assert_cmpfloat (fraction, <=, 1);
  watch->last = fraction;
  watch->n_calls++;
  if (watch->cancellable != NULL)
    g_cancellable_cancel (watch->cancellable);
}

static void
test_monitor (void)
{
  g_autoptr (GhloIrModule) module = parse (plain);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  Watch watch = { NULL, 0, 0 };
  GhloMonitor monitor = { .progress = watch_progress, .progress_data = &watch };
  g_autoptr (GBytes) bytes = NULL;

  bytes = ghlo_export_artifact (module, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_DEFAULT, &monitor, &error);
  g_assert_no_error (error);
  g_assert_nonnull (bytes);
  g_assert_cmpuint (watch.n_calls, >, 0);

  /* In the middle, and before the start. */
  monitor.cancellable = cancellable;
  watch = (Watch) { cancellable, 0, 0 };
  g_assert_null (ghlo_export_artifact (module, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_DEFAULT, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_cmpuint (watch.n_calls, >, 0);
  watch.n_calls = 0;
  g_assert_null (ghlo_export_artifact (module, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_DEFAULT, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (watch.n_calls, ==, 0);
}

/* Numbers of one, two and three bytes, which are grouped by length. */
static void
test_many (void)
{
  g_autoptr (GString) text = g_string_new ("func.func @main(%arg0: tensor<f32>) -> tensor<f32> {\n");
  g_autofree char *after = NULL;

  for (guint i = 0; i < 17000; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.add %%%s%u, %%arg0 {test.number = \"%u\"} : tensor<f32>\n",
                            i, i == 0 ? "arg" : "", i == 0 ? 0 : i - 1, i);
  g_string_append (text, "  return %16999 : tensor<f32>\n}\n");
  {
    g_autoptr (GhloIrModule) module = parse (text->str);
    g_autofree char *before = ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);

    after = through (text->str, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_DEFAULT);
    g_assert_cmpstr (after, ==, before);
  }
}

/* A constant is written once, however often the program contains it, and however it was made. */
static void
test_constant (void)
{
  enum { N = 1 << 20 };
  g_autoptr (GhloIrModule) module = parse ("func.func @main() {\n  return\n}\n");
  GhloIrOp *last = ghlo_ir_func_get_body (ghlo_ir_module_find (module, "main"))->last;
  gint64 dimension = N;
  const GhloIrType *tensor = ghlo_ir_type_tensor (module, ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_I32),
                                                  &dimension, 1, NULL, NULL);
  guint32 *data = g_new (guint32, N);
  g_autoptr (GBytes) bytes = NULL, kept = NULL;
  g_autoptr (GhloIrModule) found = NULL;
  g_autoptr (GError) error = NULL;
  const GhloIrAttr *value;

  for (guint i = 0; i < N; i++)
    data[i] = i * 2654435761u;
  kept = g_bytes_new_take (data, N * sizeof *data);
  for (guint i = 0; i < 2; i++)
    {
      GhloIrNamedAttr attribute = {
        "value", ghlo_ir_attr_dense (module, tensor, g_bytes_ref (kept), FALSE, i == 0 ? NULL : "key"),
      };

      ghlo_ir_op_insert_before (ghlo_ir_op_new (module, &(GhloIrOpState) {
        .kind = GHLO_OP_STABLEHLO_CONSTANT, .result_types = &tensor, .n_results = 1,
        .attributes = &attribute, .n_attributes = 1,
      }), last);
    }

  bytes = ghlo_export_artifact (module, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_DEFAULT, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (bytes), >, N * sizeof *data);
  g_assert_cmpuint (g_bytes_get_size (bytes), <, N * sizeof *data + 1024);

  found = read_program (bytes);
  value = ghlo_ir_op_get (ghlo_ir_func_get_body (ghlo_ir_module_find (found, "main"))->first, "value");
  g_assert_true (g_bytes_equal (value->dense.bytes, kept));
}

static void
check_varint (guint64     value,
              const char *hex)
{
  GhloBytecodeEmitter emitter = { { 0 } };
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *found = NULL;

  ghlo_bytecode_emit_varint (&emitter, value);
  bytes = ghlo_bytecode_emitter_join (&emitter);
  found = to_hex (bytes);
  g_assert_cmpstr (found, ==, hex);
  ghlo_bytecode_emitter_clear (&emitter);
}

static void
test_varints (void)
{
  check_varint (0, "01");
  check_varint (127, "ff");
  check_varint (128, "0202");
  check_varint (16383, "feff");
  check_varint (16384, "040002");
  check_varint ((G_GUINT64_CONSTANT (1) << 49) - 1, "c0ffffffffffff");
  check_varint (G_GUINT64_CONSTANT (1) << 49, "8000000000000002");
  check_varint ((G_GUINT64_CONSTANT (1) << 56) - 1, "80ffffffffffffff");
  check_varint (G_GUINT64_CONSTANT (1) << 56, "000000000000000001");
  check_varint (G_MAXUINT64, "00ffffffffffffffff");
}

/* Segments in borrowed memory keep their positions in nested sections. */
static void
test_sections (void)
{
  GhloBytecodeEmitter inner = { { 0 } }, outer = { { 0 } };
  guint8 segment[300];
  g_autoptr (GBytes) bytes = NULL;
  gsize size;
  const guint8 *data;

  memset (segment, 7, sizeof segment);
  ghlo_bytecode_emit_byte (&inner, 1);
  ghlo_bytecode_emit_segment (&inner, segment, sizeof segment);
  ghlo_bytecode_emit_byte (&inner, 2);
  ghlo_bytecode_emit_segment (&inner, segment, 3);
  g_assert_cmpuint (ghlo_bytecode_emitter_size (&inner), ==, 305);
  ghlo_bytecode_emit_byte (&outer, 9);
  ghlo_bytecode_emit_section (&outer, GHLO_BYTECODE_SECTION_PROPERTIES, &inner);
  ghlo_bytecode_emit_byte (&outer, 8);

  bytes = ghlo_bytecode_emitter_join (&outer);
  data = g_bytes_get_data (bytes, &size);
  g_assert_cmpuint (size, ==, 1 + 1 + 2 + 305 + 1);
  g_assert_cmpmem (data, 5, ((guint8[]) { 9, 8, 0xc6, 0x04, 1 }), 5);
  g_assert_cmpmem (data + 5, 300, segment, 300);
  g_assert_cmpmem (data + 305, 5, ((guint8[]) { 2, 7, 7, 7, 8 }), 5);
  ghlo_bytecode_emitter_clear (&inner);
  ghlo_bytecode_emitter_clear (&outer);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bytecode-write/goldens", test_goldens);
  g_test_add_func ("/bytecode-write/header", test_header);
  g_test_add_func ("/bytecode-write/round-trips", test_round_trips);
  g_test_add_func ("/bytecode-write/six-bits", test_six_bits);
  g_test_add_func ("/bytecode-write/locations", test_locations);
  g_test_add_func ("/bytecode-write/location-attribute", test_location_attribute);
  g_test_add_func ("/bytecode-write/refusals", test_refusals);
  g_test_add_func ("/bytecode-write/unregistered", test_unregistered);
  g_test_add_func ("/bytecode-write/monitor", test_monitor);
  g_test_add_func ("/bytecode-write/many", test_many);
  g_test_add_func ("/bytecode-write/constant", test_constant);
  g_test_add_func ("/bytecode-write/varints", test_varints);
  g_test_add_func ("/bytecode-write/sections", test_sections);

  return g_test_run ();
}
