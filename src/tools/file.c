/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads files of programs in any form. Text may hold several programs, separated by
 * lines "// -----".
 */

#include "tools/tool.h"

#include <string.h>
#include <unistd.h>

#include "base/ghlo-error.h"
#include "ir/verify/verify.h"
#include "runtime/read-file.h"

GBytes *
ghlo_tool_read_file (const char *path,
                     GError    **error)
{
  if (strcmp (path, "-") == 0)
    return ghlo_read_descriptor (STDIN_FILENO, "standard input", error);

  return ghlo_read_path (path, NULL, error);
}

static void
section_clear (gpointer data)
{
  GhloToolSection *section = data;

  g_bytes_unref (section->bytes);
}

static void
add_section (GhloToolFile *self,
             gsize         start,
             gsize         end,
             guint         first_line)
{
  const GhloToolSection section = {
    .bytes = g_bytes_new_from_bytes (self->file.bytes, start, end - start),
    .first_line = first_line,
  };

  g_array_append_val (self->sections, section);
}

static void
split_text (GhloToolFile *self)
{
  gsize length, section = 0, next;
  const char *text = g_bytes_get_data (self->file.bytes, &length);
  guint line = 1, first_line = 1;

  for (gsize at = 0; at < length; at = next, line++)
    {
      const char *end = memchr (text + at, '\n', length - at);

      next = end != NULL ? (gsize) (end - text) + 1 : length;
      if (length - at >= 8 && memcmp (text + at, "// -----", 8) == 0)
        {
          add_section (self, section, at, first_line);
          section = next;
          first_line = line + 1;
        }
    }
  add_section (self, section, length, first_line);
}

gboolean
ghlo_tool_file_open (GhloToolFile  *self,
                     const char    *path,
                     gboolean       split,
                     GError       **error)
{
  gboolean is_stdin = strcmp (path, "-") == 0;

  *self = (GhloToolFile) { .name = is_stdin ? "<stdin>" : path };
  if (is_stdin || !ghlo_import_file_map (&self->file, path, GHLO_IMPORT_FILE_LIMIT))
    {
      self->file.bytes = ghlo_tool_read_file (path, error);
      if (self->file.bytes == NULL)
        return FALSE;
    }

  self->is_text = ghlo_import_is_text (self->file.bytes);
  self->sections = g_array_new (FALSE, FALSE, sizeof (GhloToolSection));
  g_array_set_clear_func (self->sections, section_clear);
  if (split && self->is_text)
    split_text (self);
  else
    add_section (self, 0, g_bytes_get_size (self->file.bytes), 1);

  return TRUE;
}

void
ghlo_tool_file_clear (GhloToolFile *self)
{
  g_clear_pointer (&self->sections, g_array_unref);
  ghlo_import_file_clear (&self->file);
}

GhloIrModule *
ghlo_tool_parse (const char         *name,
                 GBytes             *bytes,
                 GhloImportFlags     flags,
                 GhloDiagnostics   **diagnostics,
                 GhloImportSource   *source)
{
  g_autoptr (GhloIrModule) module = NULL;
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  *diagnostics = ghlo_diagnostics_new (name, data != NULL ? data : "", size);
  module = ghlo_import (bytes, flags, *diagnostics, NULL, source);
  if (module == NULL || !ghlo_ir_verify (module, *diagnostics, NULL))
    return NULL;

  return g_steal_pointer (&module);
}

GhloIrModule *
ghlo_tool_file_parse (GhloToolFile      *self,
                      guint              index,
                      GhloImportFlags    flags,
                      GhloDiagnostics  **diagnostics,
                      GhloImportSource  *source)
{
  const GhloToolSection *section = &g_array_index (self->sections, GhloToolSection, index);
  g_autoptr (GhloIrModule) module = ghlo_tool_parse (self->name, section->bytes, flags, diagnostics, source);

  if (!ghlo_import_file_has_changed (&self->file))
    return g_steal_pointer (&module);

  ghlo_diagnostics_free (*diagnostics);
  *diagnostics = ghlo_diagnostics_new (self->name, NULL, 0);
  ghlo_diagnostics_add (*diagnostics, GHLO_SEVERITY_ERROR, GHLO_ERROR_DATA, 0, 0, GHLO_IMPORT_FILE_CHANGED);

  return NULL;
}

GhloIrModule *
ghlo_tool_load (const char        *path,
                GhloImportSource  *source)
{
  g_auto (GhloToolFile) file = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloDiagnostics) diagnostics = NULL;
  GhloIrModule *module;

  if (!ghlo_tool_file_open (&file, path, FALSE, &error))
    {
      ghlo_tool_error ("%s", error->message);
      return NULL;
    }
  module = ghlo_tool_file_parse (&file, 0, GHLO_IMPORT_DEFAULT, &diagnostics, source);
  if (module == NULL)
    ghlo_tool_print_findings (diagnostics);

  return module;
}
