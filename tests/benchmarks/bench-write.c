/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How fast artifacts are written: operations per second for the newest version, for
 * one for which some operations are converted, and for the oldest; gigabytes of
 * constants per second. On one core; the best of several repetitions.
 *
 *   bench-write [OPERATIONS] [MEGABYTES]
 */

#include <stdio.h>
#include <stdlib.h>

#include "import/import.h"

enum { REPETITIONS = 5 };

static GhloIrModule *
parse (const GString *text)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("bench.mlir", text->str, text->len);
  GhloIrModule *module = ghlo_import_text (text->str, text->len, GHLO_IMPORT_DEFAULT, diagnostics, NULL);

  if (module == NULL)
    exit (1);

  return module;
}

/* Makes operations with one operand and with two, each with its own location. */
static GhloIrModule *
make_operations (guint n)
{
  static const char *const operations[] = { "tanh", "add", "negate", "multiply" };
  g_autoptr (GString) text = g_string_new ("func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
                                           "  %0 = stablehlo.abs %arg0 : tensor<8x8xf32>\n");

  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.%s %%%u%s : tensor<8x8xf32> loc(\"model.py\":%u:%u)\n", i,
                            operations[i % G_N_ELEMENTS (operations)], i - 1, i % 2 == 1 ? ", %arg0" : "",
                            i % 5000 + 1, i % 80 + 1);
  g_string_append_printf (text, "  return %%%u : tensor<8x8xf32>\n}\n", n - 1);

  return parse (text);
}

static GhloIrModule *
make_constant (guint megabytes)
{
  g_autoptr (GString) text = g_string_new ("func.func @main() {\n  return\n}\n");
  GhloIrModule *module = parse (text);
  const gint64 n = (gint64) megabytes * 1024 * 1024 / 4;
  const GhloIrType *type = ghlo_ir_type_tensor (module, ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_F32), &n, 1,
                                                NULL, NULL);
  guint32 *data = g_new (guint32, n);
  GhloIrNamedAttr value = { "value", NULL };

  for (gint64 i = 0; i < n; i++)
    data[i] = (guint32) i * 2654435761u;
  value.value = ghlo_ir_attr_dense (module, type, g_bytes_new_take (data, (gsize) n * 4), FALSE, NULL);
  ghlo_ir_op_insert_before (ghlo_ir_op_new (module, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_CONSTANT, .result_types = &type, .n_results = 1, .attributes = &value, .n_attributes = 1,
  }), ghlo_ir_func_get_body (ghlo_ir_module_find (module, "main"))->last);

  return module;
}

/* Seconds of the fastest repetition. */
static double
measure (GhloIrModule  *module,
         GhloIrVersion  target,
         gsize         *size)
{
  double best = G_MAXDOUBLE;

  for (guint i = 0; i < REPETITIONS; i++)
    {
      gint64 start = g_get_monotonic_time ();
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = ghlo_export_artifact (module, target, GHLO_EXPORT_DEFAULT, NULL, &error);

      if (bytes == NULL)
        {
          g_printerr ("%s\n", error->message);
          exit (1);
        }
      *size = g_bytes_get_size (bytes);
      best = MIN (best, (g_get_monotonic_time () - start) / 1e6);
    }

  return best;
}

int
main (int    argc,
      char **argv)
{
  static const GhloIrVersion targets[] = { GHLO_IR_VERSION_CURRENT, { 1, 5, 0 }, { 0, 9, 0 } };
  guint n_ops = argc > 1 ? (guint) atoi (argv[1]) : 500000;
  guint megabytes = argc > 2 ? (guint) atoi (argv[2]) : 256;
  g_autoptr (GhloIrModule) operations = make_operations (n_ops);
  g_autoptr (GhloIrModule) constant = make_constant (megabytes);
  double seconds;
  gsize size;

  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      seconds = measure (operations, targets[i], &size);
      printf ("operations for %u.%u.%u: %.0f per second (%u in %.3f s, %.1f MB)\n", targets[i].major, targets[i].minor,
              targets[i].patch, n_ops / seconds, n_ops, seconds, (double) size / 1e6);
    }
  seconds = measure (constant, GHLO_IR_VERSION_CURRENT, &size);
  printf ("constants: %.2f GB/s (%u MiB in %.3f s)\n", megabytes * 1.048576e-3 / seconds, megabytes, seconds);

  return 0;
}
