/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A program as users run it on the CPU: after the passes, fused, and with machine code for its kernels where available.
 * For tests and benchmarks; a failure ends the process.
 */

#pragma once

#include "compiler/compilation.h"
#include "compiler/devices.h"
#include "import/import.h"
#include "ir/verify/verify.h"

typedef struct
{
  GhloIrModule    *module;              /* as parsed */
  GhloCompilation *compilation;
} CompiledProgram;

/* @text in any of the formats; messages name its origin @name. */
static inline void
compiled_program_init (CompiledProgram *self,
                       const char      *name,
                       GBytes          *text)
{
  GhloSettings *settings = ghlo_settings_new ();
  g_autoptr (GError) error = NULL;
  GhloImportSource source;
  GhloCacheUse use;
  gsize size;
  const char *data = g_bytes_get_data (text, &size);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new (name, data, size);

  self->module = ghlo_import (text, GHLO_IMPORT_DEFAULT, diagnostics, NULL, &source);
  if (self->module == NULL || !ghlo_ir_verify (self->module, diagnostics, NULL))
    {
      ghlo_diagnostics_to_error (diagnostics, &error);
      g_error ("%s: %s", name, error->message);
    }
  ghlo_import_source_clear (&source);
  settings->wait_for_code = TRUE;
  self->compilation = ghlo_compilation_new (self->module, ghlo_devices_find ("cpu"), settings, NULL, FALSE, &use,
                                            NULL, &error);
  if (self->compilation == NULL)
    g_error ("%s: %s", name, error->message);
  ghlo_settings_unref (settings);
}

static inline void
compiled_program_clear (CompiledProgram *self)
{
  ghlo_compilation_unref (self->compilation);
  ghlo_ir_module_unref (self->module);
}

/* The type of input @number. */
static inline GhloTensorType *
compiled_program_dup_type (const CompiledProgram *self,
                           guint                  number)
{
  const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (self->module));

  return ghlo_ir_type_to_tensor_type (body->arguments[number]->type);
}

static inline guint
compiled_program_n_inputs (const CompiledProgram *self)
{
  return ghlo_ir_func_get_body (ghlo_ir_module_get_entry (self->module))->n_arguments;
}
