/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads any bytes as a program in any form: the result is a module or an error. A module that
 * verifies is printed in both forms, and both must be readable again. It is also written as
 * an artifact, where an artifact can represent it, which must be readable too.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "ir/print/print.h"
#include "ir/verify/verify.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
check_text (const GhloIrModule *module,
            GhloIrPrintFlags    flags)
{
  g_autofree char *text = ghlo_ir_to_string (module, flags);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("printed", text, strlen (text));
  g_autoptr (GhloIrModule) again = ghlo_import_text (text, strlen (text), GHLO_IMPORT_ALLOW_UNREGISTERED,
                                                     diagnostics, NULL);

  if (again == NULL)
    abort ();
}

static void
check_artifact (GhloIrModule *module)
{
  g_autoptr (GBytes) bytes = ghlo_export_artifact (module, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_DEFAULT, NULL, NULL);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("artifact", NULL, 0);
  g_autoptr (GhloIrModule) again = NULL;

  if (bytes == NULL)
    return;
  again = ghlo_import_bytecode (bytes, GHLO_IMPORT_ALLOW_UNREGISTERED, diagnostics, NULL, NULL);
  if (again == NULL)
    abort ();
}

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t         size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("fuzz", g_bytes_get_data (bytes, NULL), size);
  g_auto (GhloImportSource) source = { 0 };
  g_autoptr (GhloIrModule) module = ghlo_import (bytes, GHLO_IMPORT_ALLOW_UNREGISTERED, diagnostics, NULL, &source);

  if (module == NULL)
    {
      if (diagnostics->n_errors == 0)
        abort ();
      return 0;
    }
  if (!ghlo_ir_verify (module, diagnostics, NULL))
    return 0;
  check_text (module, GHLO_IR_PRINT_DEFAULT);
  check_text (module, GHLO_IR_PRINT_GENERIC);
  check_artifact (module);

  return 0;
}
