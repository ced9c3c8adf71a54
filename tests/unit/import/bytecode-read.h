/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the tests of reading bytecode: a file's module, and its text.
 */

#pragma once

#include "import/import.h"
#include "ir/print/print.h"

G_BEGIN_DECLS

static inline GhloIrModule *
read_bytes (GBytes          *bytes,
            GhloImportFlags  flags,
            GhloDiagnostics *diagnostics)
{
  GhloImportSource source;
  GhloIrModule *module = ghlo_import_bytecode (bytes, flags, diagnostics, NULL, &source);

  ghlo_import_source_clear (&source);
  g_assert_cmpint (module != NULL, ==, diagnostics->n_errors == 0);

  return module;
}

static inline GhloIrModule *
read_good_bytes (GBytes *bytes)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", NULL, 0);
  GhloIrModule *module = read_bytes (bytes, GHLO_IMPORT_ALLOW_UNREGISTERED, diagnostics);
  g_autoptr (GError) error = NULL;

  ghlo_diagnostics_to_error (diagnostics, &error);
  g_assert_no_error (error);

  return module;
}

static inline void
check_text (const GhloIrModule *module,
            GhloIrPrintFlags    flags,
            const char         *expected)
{
  g_autofree char *text = ghlo_ir_to_string (module, flags);

  g_assert_cmpstr (text, ==, expected);
}

G_END_DECLS
