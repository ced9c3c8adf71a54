/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The outcome of reading a program, given as the code of the first diagnostic.
 */

#pragma once

#include "import/import.h"

/* The program of @bytes, or NULL; *@code is that of the first diagnostic, 0 if there is none. */
static inline GhloIrModule *
import_code (GBytes *bytes,
             int    *code)
{
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", data, size);
  GhloIrModule *module = ghlo_import (bytes, GHLO_IMPORT_DEFAULT, diagnostics, NULL, NULL);
  const GhloFinding *finding = diagnostics->findings->len > 0 ? diagnostics->findings->pdata[0] : NULL;

  *code = finding != NULL ? finding->code : 0;

  return module;
}
