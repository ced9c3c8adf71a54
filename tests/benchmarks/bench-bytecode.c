/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How fast bytecode is read: operations per second, including verification,
 * gigabytes of constants per second, and the memory that opening a mapped file
 * takes. On one core; the best of several repetitions.
 *
 *   bench-bytecode [OPERATIONS] [MEGABYTES]
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "import/import.h"
#include "ir/verify/verify.h"

enum { REPETITIONS = 5 };

static void
stop (GError *error)
{
  g_printerr ("%s\n", error->message);
  exit (1);
}

/* A program of @n operations of the kinds that models are made of. */
static GString *
make_operations (guint n)
{
  GString *text = g_string_new ("func.func @main(%arg0: tensor<128x256xf32>, %arg1: tensor<256xf32>) -> "
                                "tensor<128x256xf32> {\n"
                                "  %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<256xf32>) -> "
                                "tensor<128x256xf32>\n");

  for (guint i = 1; i < n; i++)
    switch (i % 5)
      {
      case 0:
        g_string_append_printf (text, "  %%%u = stablehlo.add %%%u, %%arg0 : tensor<128x256xf32> loc(\"m.py\":%u:1)\n",
                                i, i - 1, i);
        break;
      case 1:
        g_string_append_printf (text, "  %%%u = stablehlo.multiply %%%u, %%%u : tensor<128x256xf32>\n", i, i - 1,
                                i - 1);
        break;
      case 2:
        g_string_append_printf (text, "  %%%u = stablehlo.transpose %%%u, dims = [1, 0] : "
                                "(tensor<128x256xf32>) -> tensor<256x128xf32>\n", i, i - 1);
        break;
      case 3:
        g_string_append_printf (text, "  %%%u = stablehlo.reshape %%%u : "
                                "(tensor<256x128xf32>) -> tensor<128x256xf32>\n", i, i - 1);
        break;
      default:
        g_string_append_printf (text, "  %%%u = stablehlo.tanh %%%u : tensor<128x256xf32>\n", i, i - 1);
        break;
      }
  g_string_append_printf (text, "  return %%%u : tensor<128x256xf32>\n}\n", (n - 1) % 5 == 2 ? n - 2 : n - 1);

  return text;
}

/* Returns @text as an artifact of version @target. */
static GBytes *
make_artifact (const GString *text,
               GhloIrVersion  target)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("bench.mlir", text->str, text->len);
  g_autoptr (GhloIrModule) module = ghlo_import_text (text->str, text->len, GHLO_IMPORT_DEFAULT, diagnostics, NULL);
  GError *error = NULL;
  GBytes *bytes;

  if (module == NULL || !ghlo_ir_verify (module, diagnostics, NULL))
    {
      ghlo_diagnostics_to_error (diagnostics, &error);
      stop (error);
    }
  bytes = ghlo_export_artifact (module, target, GHLO_EXPORT_DEFAULT, NULL, &error);
  if (bytes == NULL)
    stop (error);

  return bytes;
}

/* Returns an artifact with one constant of @megabytes. */
static GBytes *
make_constant (guint megabytes)
{
  gsize n = (gsize) megabytes * 1024 * 1024 / 4;
  g_autoptr (GString) text = g_string_new ("func.func @main() -> tensor<1xf32> {\n"
                                           "  %cst = stablehlo.constant dense<1.0> : tensor<1xf32>\n"
                                           "  return %cst : tensor<1xf32>\n}\n");
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("bench.mlir", text->str, text->len);
  g_autoptr (GhloIrModule) module = ghlo_import_text (text->str, text->len, GHLO_IMPORT_DEFAULT, diagnostics, NULL);
  GhloIrOp *function = ghlo_ir_module_find (module, "main");
  GhloIrOp *constant = ghlo_ir_func_get_body (function)->first;
  const gint64 dimension = (gint64) n;
  const GhloIrType *f32 = ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_F32);
  const GhloIrType *type = ghlo_ir_type_tensor (module, f32, &dimension, 1, NULL, NULL);
  guint32 *data = g_malloc (n * 4), state = 1;
  GError *error = NULL;
  GBytes *bytes;

  for (gsize i = 0; i < n; i++)
    data[i] = state = state * 1664525 + 1013904223;
  constant->results[0].type = type;
  ghlo_ir_op_set (module, constant, "value",
                  ghlo_ir_attr_dense (module, type, g_bytes_new_take (data, n * 4), FALSE, NULL));
  ghlo_ir_op_set (module, function, "function_type",
                  ghlo_ir_attr_type (module, ghlo_ir_type_function (module, NULL, 0, &type, 1)));
  bytes = ghlo_export_artifact (module, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_DEFAULT, NULL, &error);
  if (bytes == NULL)
    stop (error);

  return bytes;
}

static GhloIrModule *
read_program (GBytes *bytes)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("bench.mlirbc", NULL, 0);
  GhloIrModule *module = ghlo_import_bytecode (bytes, GHLO_IMPORT_DEFAULT, diagnostics, NULL, NULL);
  GError *error = NULL;

  if (module == NULL || !ghlo_ir_verify (module, diagnostics, NULL))
    {
      ghlo_diagnostics_to_error (diagnostics, &error);
      stop (error);
    }

  return module;
}

/* Seconds of the fastest repetition. */
static double
measure (GBytes *bytes)
{
  double best = G_MAXDOUBLE;

  for (guint i = 0; i < REPETITIONS; i++)
    {
      gint64 start = g_get_monotonic_time ();
      g_autoptr (GhloIrModule) module G_GNUC_UNUSED = read_program (bytes);

      best = MIN (best, (g_get_monotonic_time () - start) / 1e6);
    }

  return best;
}

/* Returns the anonymous pages of memory in use. */
static gint64
own_pages (void)
{
  g_autofree char *text = NULL;
  gint64 total, resident = 0, shared = 0;

  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    sscanf (text, "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, &total, &resident, &shared);

  return resident - shared;
}

/* Prints the memory that opening the file at @path takes. */
static void
measure_memory (const char *path,
                gsize       size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, &error);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GhloIrModule) module = NULL;
  gint64 before;

  if (file == NULL)
    stop (error);
  bytes = g_mapped_file_get_bytes (file);
  before = own_pages ();
  module = read_program (bytes);
  printf ("memory: %" G_GINT64_FORMAT " pages of its own for a mapped file of %.1f MB\n", own_pages () - before,
          (double) size / 1e6);
}

int
main (int    argc,
      char **argv)
{
  guint n_ops = argc > 1 ? (guint) atoi (argv[1]) : 300000;
  guint megabytes = argc > 2 ? (guint) atoi (argv[2]) : 256;
  static const GhloIrVersion targets[] = { GHLO_IR_VERSION_CURRENT, { 0, 9, 0 } };
  g_autoptr (GString) operations = make_operations (n_ops);
  g_autoptr (GBytes) constant = make_constant (megabytes);
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  double seconds;
  int fd;

  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      g_autoptr (GBytes) bytes = make_artifact (operations, targets[i]);

      seconds = measure (bytes);
      printf ("operations of %u.%u.%u: %.0f per second (%u in %.3f s), %.0f MB/s of bytecode\n", targets[i].major,
              targets[i].minor, targets[i].patch, n_ops / seconds, n_ops, seconds,
              g_bytes_get_size (bytes) / seconds / 1e6);
    }
  seconds = measure (constant);
  printf ("constants: %.1f GB/s (%u MiB in %.6f s)\n", megabytes * 1.048576e-3 / seconds, megabytes, seconds);

  fd = g_file_open_tmp ("bench-XXXXXX.mlirbc", &path, &error);
  if (fd < 0 || !g_file_set_contents (path, g_bytes_get_data (constant, NULL), (gssize) g_bytes_get_size (constant),
                                      &error))
    stop (error);
  g_close (fd, NULL);
  measure_memory (path, g_bytes_get_size (constant));
  g_unlink (path);

  return 0;
}
