/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lists of findings, and their formatting for people.
 */

#include "diagnostics.h"

#include <string.h>

#include "ghlo-error.h"
#include "text.h"

/* The longest piece of a source line that an excerpt shows, in bytes. */
enum { EXCERPT_WIDTH = 160, MAX_ERRORS = 100 };

static void
finding_free (gpointer data)
{
  GhloFinding *finding = data;

  g_free (finding->message);
  g_free (finding);
}

GhloDiagnostics *
ghlo_diagnostics_new (const char *file_name,
                      const char *source,
                      gsize       source_length)
{
  GhloDiagnostics *self = g_new0 (GhloDiagnostics, 1);
  gsize bom;

  self->file_name = g_strdup (file_name != NULL ? file_name : "<program>");
  self->findings = g_ptr_array_new_with_free_func (finding_free);
  self->max_errors = MAX_ERRORS;
  bom = source != NULL ? ghlo_text_bom (source, source_length) : 0;
  self->source = source != NULL ? source + bom : NULL;
  self->source_length = source_length - bom;

  return self;
}

void
ghlo_diagnostics_free (GhloDiagnostics *self)
{
  g_free (self->file_name);
  g_ptr_array_unref (self->findings);
  g_free (self);
}

void
ghlo_diagnostics_addv (GhloDiagnostics *self,
                       GhloSeverity     severity,
                       int              code,
                       guint            line,
                       guint            column,
                       const char      *format,
                       va_list          args)
{
  g_autofree char *message = NULL;
  GhloFinding *finding;

  if (severity == GHLO_SEVERITY_ERROR)
    self->n_errors++;
  if (self->findings->len >= self->max_errors)
    return;

  finding = g_new0 (GhloFinding, 1);
  finding->severity = severity;
  finding->domain = GHLO_ERROR;
  finding->code = code;
  finding->line = line;
  finding->column = column;
  /* Names in the message come from the program and may contain any bytes; users get UTF-8. */
  message = g_strdup_vprintf (format, args);
  finding->message = g_utf8_make_valid (message, -1);
  g_ptr_array_add (self->findings, finding);
}

void
ghlo_diagnostics_add (GhloDiagnostics *self,
                      GhloSeverity     severity,
                      int              code,
                      guint            line,
                      guint            column,
                      const char      *format,
                      ...)
{
  va_list args;

  va_start (args, format);
  ghlo_diagnostics_addv (self, severity, code, line, column, format, args);
  va_end (args);
}

/* Returns the start of line @line (1-based), or NULL when there is no such line. */
static const char *
find_line (const GhloDiagnostics *self,
           guint                  line)
{
  const char *p = self->source;
  const char *end = self->source + self->source_length;

  for (guint i = 1; i < line; i++)
    {
      p = memchr (p, '\n', end - p);
      if (p == NULL)
        return NULL;
      p++;
    }

  return p;
}

char *
ghlo_diagnostics_excerpt (const GhloDiagnostics *self,
                          const GhloFinding     *finding)
{
  g_autoptr (GString) text = NULL;
  g_autofree char *valid = NULL;
  const char *start, *end;
  gsize column, length;

  if (self->source == NULL || finding->line == 0)
    return NULL;
  start = find_line (self, finding->line);
  if (start == NULL)
    return NULL;
  end = memchr (start, '\n', self->source + self->source_length - start);
  if (end == NULL)
    end = self->source + self->source_length;

  /* A long line (a constant, say) is cut around the column. */
  column = finding->column > 0 ? finding->column - 1 : 0;
  length = end - start;
  column = MIN (column, length);
  if (column > EXCERPT_WIDTH / 2)
    {
      start += column - EXCERPT_WIDTH / 2;
      length -= column - EXCERPT_WIDTH / 2;
      column = EXCERPT_WIDTH / 2;
    }
  length = MIN (length, (gsize) EXCERPT_WIDTH);

  text = g_string_new (NULL);
  valid = g_utf8_make_valid (start, length);
  g_string_append (text, valid);
  /* A line that is not text may contain any bytes, but must not send control characters to a terminal. */
  for (char *p = text->str; *p != '\0'; p++)
    if (g_ascii_iscntrl (*p))
      *p = ' ';
  g_string_append_c (text, '\n');
  for (gsize i = 0; i < column; i++)
    if (((guchar) start[i] & 0xc0) != 0x80)
      g_string_append_c (text, ' ');
  g_string_append_c (text, '^');

  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
ghlo_diagnostics_format (const GhloDiagnostics *self,
                         const GhloFinding     *finding)
{
  g_autofree char *excerpt = ghlo_diagnostics_excerpt (self, finding);
  GString *text = g_string_new (NULL);

  if (finding->line > 0)
    g_string_append_printf (text, "%s:%u:%u: ", self->file_name, finding->line, MAX (finding->column, 1));
  else
    g_string_append_printf (text, "%s: ", self->file_name);
  g_string_append (text, finding->message);
  if (excerpt != NULL)
    g_string_append_printf (text, "\n%s", excerpt);

  return g_string_free (text, FALSE);
}

gboolean
ghlo_diagnostics_to_error (const GhloDiagnostics *self,
                           GError               **error)
{
  if (self->n_errors == 0)
    return TRUE;

  for (guint i = 0; i < self->findings->len; i++)
    {
      const GhloFinding *finding = g_ptr_array_index (self->findings, i);
      g_autofree char *message = NULL;

      if (finding->severity != GHLO_SEVERITY_ERROR)
        continue;
      message = ghlo_diagnostics_format (self, finding);
      g_set_error_literal (error, finding->domain, finding->code, message);
      break;
    }

  return FALSE;
}
