/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How fast text is parsed: megabytes of hexadecimal constants and ordinary operations
 * per second, including verification, on one core. The best of several repetitions.
 *
 *   bench-parse [OPERATIONS] [MEGABYTES]
 */

#include <stdio.h>
#include <stdlib.h>

#include "import/import.h"
#include "ir/verify/verify.h"

enum { REPETITIONS = 5 };

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
        g_string_append_printf (text, "  %%%u = stablehlo.add %%%u, %%arg0 : tensor<128x256xf32>\n", i, i - 1);
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

/* A program with one constant of @megabytes of data, written in hex. */
static GString *
make_constant (guint megabytes)
{
  static const char digits[] = "0123456789ABCDEF";
  gsize n = (gsize) megabytes * 1024 * 1024 / 4;
  GString *text = g_string_sized_new (n * 8 + 1024);
  guint32 state = 1;

  g_string_append (text, "func.func @main() {\n  %cst = stablehlo.constant dense<\"0x");
  for (gsize i = 0; i < n * 8; i++)
    {
      state = state * 1664525 + 1013904223;
      g_string_append_c (text, digits[state >> 28]);
    }
  g_string_append_printf (text, "\"> : tensor<%" G_GSIZE_FORMAT "xf32>\n  return\n}\n", n);

  return text;
}

/* Seconds of the fastest repetition. */
static double
measure (const GString *text)
{
  double best = G_MAXDOUBLE;

  for (guint i = 0; i < REPETITIONS; i++)
    {
      g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("bench.mlir", text->str, text->len);
      gint64 start = g_get_monotonic_time ();
      g_autoptr (GhloIrModule) module = ghlo_import_text (text->str, text->len, GHLO_IMPORT_DEFAULT, diagnostics, NULL);
      g_autoptr (GError) error = NULL;

      if (module == NULL || !ghlo_ir_verify (module, diagnostics, NULL))
        {
          ghlo_diagnostics_to_error (diagnostics, &error);
          g_printerr ("%s\n", error->message);
          exit (1);
        }
      best = MIN (best, (g_get_monotonic_time () - start) / 1e6);
    }

  return best;
}

int
main (int    argc,
      char **argv)
{
  guint n_ops = argc > 1 ? (guint) atoi (argv[1]) : 300000;
  guint megabytes = argc > 2 ? (guint) atoi (argv[2]) : 64;
  g_autoptr (GString) operations = make_operations (n_ops);
  g_autoptr (GString) constant = make_constant (megabytes);
  double seconds;

  seconds = measure (operations);
  printf ("operations: %.0f per second (%u in %.3f s), %.0f MB/s of text\n", n_ops / seconds, n_ops, seconds,
          operations->len / seconds / 1e6);
  seconds = measure (constant);
  printf ("hex constant: %.0f MB/s of text, %.0f MB/s of data (%u MiB in %.3f s)\n", constant->len / seconds / 1e6,
          megabytes * 1.048576 / seconds, megabytes, seconds);

  return 0;
}
