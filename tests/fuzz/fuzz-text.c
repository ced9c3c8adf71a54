/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parses any bytes as a program: the result is a module or an error. A module that
 * verifies is printed in both forms, and both must be readable again.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "ir/print/print.h"
#include "ir/verify/verify.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
check_round_trip (const GhloIrModule *module,
                  GhloIrPrintFlags    flags)
{
  g_autofree char *text = ghlo_ir_to_string (module, flags);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("printed", text, strlen (text));
  g_autoptr (GhloIrModule) again = ghlo_import_text (text, strlen (text), GHLO_IMPORT_ALLOW_UNREGISTERED,
                                                     diagnostics, NULL);

  if (again == NULL)
    abort ();
}

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t         size)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("fuzz", (const char *) data, size);
  g_autoptr (GhloIrModule) module = ghlo_import_text ((const char *) data, size, GHLO_IMPORT_ALLOW_UNREGISTERED,
                                                      diagnostics, NULL);

  if (module == NULL)
    {
      if (diagnostics->n_errors == 0)
        abort ();
      return 0;
    }
  if (!ghlo_ir_verify (module, diagnostics, NULL))
    return 0;
  check_round_trip (module, GHLO_IR_PRINT_DEFAULT);
  check_round_trip (module, GHLO_IR_PRINT_GENERIC);

  return 0;
}
