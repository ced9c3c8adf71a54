/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The cost of the fallback executor's steps: the time to prepare a program that consists of them, and the memory that
 * the prepared program holds, as counted by the C library's allocator.
 *
 *   bench-fallback [STEPS] [CALLS]
 */

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "compiler/devices.h"
#include "import/import.h"
#include "ir/verify/verify.h"

/* Writes a chain of operations, each on the result of the one before: equal ones, or calls of one function. */
static GString *
make_chain (guint    n,
            gboolean called)
{
  GString *text = g_string_new ("func.func private @f(%0: tensor<4xf32>) -> tensor<4xf32> {\n"
                                "  %1 = stablehlo.tanh %0 : tensor<4xf32>\n  return %1 : tensor<4xf32>\n}\n"
                                "func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {\n");

  for (guint i = 0; i < n; i++)
    if (called)
      g_string_append_printf (text, "  %%%u = call @f(%%%u) : (tensor<4xf32>) -> tensor<4xf32>\n", i + 1, i);
    else
      g_string_append_printf (text, "  %%%u = stablehlo.tanh %%%u : tensor<4xf32>\n", i + 1, i);
  g_string_append_printf (text, "  return %%%u : tensor<4xf32>\n}\n", n);

  return text;
}

/* Writes operations that have different shapes. */
static GString *
make_different (guint n)
{
  GString *text = g_string_new ("func.func @main(");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%a%u: tensor<%uxf32>", i > 0 ? ", " : "", i, i + 1);
  g_string_append (text, ") {\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.tanh %%a%u : tensor<%uxf32>\n", i, i, i + 1);
  g_string_append (text, "  return\n}\n");

  return text;
}

/* Writes custom calls that name a small function, and another function of @beside operations. */
static GString *
make_calls (guint n,
            guint beside)
{
  GString *text = g_string_new ("func.func private @f(%0: tensor<4xf32>) -> tensor<4xf32> {\n"
                                "  return %0 : tensor<4xf32>\n}\n"
                                "func.func @other(%0: tensor<4xf32>) {\n");

  for (guint i = 0; i < beside; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.add %%%u, %%%u : tensor<4xf32>\n", i + 1, i, i);
  g_string_append (text, "  return\n}\nfunc.func @main(%0: tensor<4x4xf32>) -> tensor<4x4xf32> {\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "  %%%u, %%t%u = stablehlo.custom_call @Qr(%%%u) {called_computations = [@f]} : "
                            "(tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>)\n", i + 1, i, i);
  g_string_append_printf (text, "  return %%%u : tensor<4x4xf32>\n}\n", n);

  return text;
}

static gsize
heap_in_use (void)
{
  struct mallinfo2 info = mallinfo2 ();

  return info.uordblks + info.hblkhd;
}

static void
fail (const GError *error)
{
  g_printerr ("%s\n", error->message);
  exit (1);
}

static void
measure (const char *name,
         guint       n,
         GString    *text)
{
  GhloDeviceCore *device = ghlo_devices_find ("cpu");
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("bench.mlir", text->str, text->len);
  g_autoptr (GhloIrModule) module = ghlo_import_text (text->str, text->len, GHLO_IMPORT_DEFAULT, diagnostics, NULL);
  g_autoptr (GError) error = NULL;
  GhloRunFigures figures = { 0 };
  GhloPrepared *prepared;
  gsize before;
  gint64 start;

  if (module == NULL || !ghlo_ir_verify (module, diagnostics, NULL))
    {
      ghlo_diagnostics_to_error (diagnostics, &error);
      fail (error);
    }
  before = heap_in_use ();
  start = g_get_monotonic_time ();
  prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, &error);
  if (prepared == NULL)
    fail (error);
  ghlo_prepared_measure (prepared, &figures);
  printf ("%-40s %8.2f ms %9.0f KB held, %9.0f KB told, %u of %u steps\n", name,
          (g_get_monotonic_time () - start) / 1e3, (heap_in_use () - before) / 1e3, figures.prepared_bytes / 1e3,
          figures.n_fallback_steps, figures.n_steps);
  ghlo_prepared_free (prepared);
  g_string_free (text, TRUE);
}

int
main (int    argc,
      char **argv)
{
  guint n = argc > 1 ? (guint) atoi (argv[1]) : 10000, calls = argc > 2 ? (guint) atoi (argv[2]) : 200;

  measure ("one operation", 1, make_chain (1, FALSE));
  measure ("equal operations", n, make_chain (n, FALSE));
  measure ("operations of different shapes", n, make_different (n));
  measure ("calls of one operation", n, make_chain (n, TRUE));
  measure ("custom calls", calls, make_calls (calls, 0));
  measure ("custom calls beside 4000 operations", calls, make_calls (calls, 4000));

  return 0;
}
