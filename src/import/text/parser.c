/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parser's state, its errors, and the small parts of the grammar that all other files need: expected tokens,
 * integers, names, strings.
 */

#include "import/text/parser.h"

#include <errno.h>
#include <string.h>

enum { QUOTE_LENGTH = 40 };

void
ghlo_import_parser_init (GhloImportParser  *self,
                         GhloIrModule      *module,
                         const char        *text,
                         gsize              length,
                         GhloDiagnostics   *diagnostics,
                         const GhloMonitor *monitor)
{
  memset (self, 0, sizeof *self);
  self->module = module;
  self->scopes.module = module;
  self->diagnostics = diagnostics;
  self->monitor = monitor;
  ghlo_import_scopes_open (&self->scopes);
  /* The stacks have capacity from the start, so that pointers to their tops are never NULL. */
  GHLO_IMPORT_RESERVE (&self->types);
  GHLO_IMPORT_RESERVE (&self->attrs);
  GHLO_IMPORT_RESERVE (&self->entries);
  GHLO_IMPORT_RESERVE (&self->ints);
  ghlo_import_lexer_init (&self->lexer, text != NULL ? text : "", length);
  ghlo_import_next (self);
}

static void
op_free (GhloImportOp *op)
{
  GHLO_IMPORT_CLEAR (&op->operands);
  GHLO_IMPORT_CLEAR (&op->operand_types);
  GHLO_IMPORT_CLEAR (&op->result_types);
  GHLO_IMPORT_CLEAR (&op->discardable);
  GHLO_IMPORT_CLEAR (&op->regions);
  GHLO_IMPORT_CLEAR (&op->names);
  g_free (op);
}

void
ghlo_import_parser_clear (GhloImportParser *self)
{
  ghlo_import_scopes_clear (&self->scopes);
  for (gsize i = 0; i < self->ops.n; i++)
    op_free (self->ops.items[i]);
  GHLO_IMPORT_CLEAR (&self->ops);
  GHLO_IMPORT_CLEAR (&self->dialects);
  for (gsize i = 0; i < self->aliases.n; i++)
    g_free (self->aliases.items[i]);
  GHLO_IMPORT_CLEAR (&self->aliases);
  g_free (self->alias_slots);
  for (gsize i = 0; i < self->resources.n; i++)
    g_clear_pointer (&self->resources.items[i].bytes, g_bytes_unref);
  GHLO_IMPORT_CLEAR (&self->resources);
  ghlo_import_memo_clear (&self->memo);
  GHLO_IMPORT_CLEAR (&self->types);
  GHLO_IMPORT_CLEAR (&self->attrs);
  GHLO_IMPORT_CLEAR (&self->entries);
  GHLO_IMPORT_CLEAR (&self->ints);
}

static void G_GNUC_PRINTF (4, 0)
report (GhloImportParser   *self,
        int                 code,
        GhloImportPosition  position,
        const char         *format,
        va_list             args)
{
  ghlo_diagnostics_addv (self->diagnostics, GHLO_SEVERITY_ERROR, code, position.line, position.column, format, args);
}

gboolean
(ghlo_import_fail_at) (GhloImportParser   *self,
                       GhloImportPosition  position,
                       const char         *format,
                       ...)
{
  va_list args;

  va_start (args, format);
  report (self, GHLO_ERROR_PARSE, position, format, args);
  va_end (args);

  return FALSE;
}

gboolean
(ghlo_import_fail) (GhloImportParser *self,
                    const char       *format,
                    ...)
{
  va_list args;

  va_start (args, format);
  report (self, GHLO_ERROR_PARSE, ghlo_import_position (self), format, args);
  va_end (args);

  return FALSE;
}

gboolean
(ghlo_import_unsupported) (GhloImportParser *self,
                           const char       *format,
                           ...)
{
  va_list args;

  va_start (args, format);
  report (self, GHLO_ERROR_UNSUPPORTED, ghlo_import_position (self), format, args);
  va_end (args);

  return FALSE;
}

gboolean
(ghlo_import_no_memory) (GhloImportParser   *self,
                         GhloImportPosition  position,
                         const char         *what,
                         gsize               n_bytes)
{
  ghlo_diagnostics_add (self->diagnostics, GHLO_SEVERITY_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                        position.line, position.column,
                        "expected memory for %s of %" G_GSIZE_FORMAT " bytes, found less", what, n_bytes);

  return FALSE;
}

char *
ghlo_import_quote (const char *text,
                   gsize       length)
{
  GString *quote;

  if (length > QUOTE_LENGTH)
    {
      g_autofree char *start = g_utf8_make_valid (text, QUOTE_LENGTH - 10);

      quote = g_string_new (start);
      g_string_append (quote, "…");
    }
  else
    {
      g_autofree char *whole = g_utf8_make_valid (text, length);

      quote = g_string_new (whole);
    }
  for (char *p = quote->str; *p != '\0'; p++)
    if ((guchar) *p < ' ' || *p == 0x7f)
      *p = ' ';

  return g_string_free (quote, FALSE);
}

/* Returns the end of the text on the line from @start to @end, without
 * a comment and the space before it; @start if there is no text. */
static const char *
line_text_end (const char *start,
               const char *end)
{
  gboolean quoted = FALSE;

  for (const char *p = start; p < end; p++)
    {
      if (*p == '"' && (p == start || p[-1] != '\\'))
        quoted = !quoted;
      if (!quoted && p + 1 < end && p[0] == '/' && p[1] == '/')
        {
          end = p;
          break;
        }
    }
  while (end > start && g_ascii_isspace (end[-1]))
    end--;

  return end;
}

/* The position to report for something missing: after the
 * previous token, if the current one is the first on its line. */
static GhloImportPosition
missing_position (const GhloImportParser *self)
{
  const GhloImportLexer *lexer = &self->lexer;
  const char *line = lexer->line_start;
  GhloImportPosition position = ghlo_import_position (self);

  for (const char *p = line; p < lexer->start; p++)
    if (!g_ascii_isspace (*p))
      return position;

  for (guint number = position.line - 1; number > 0; number--)
    {
      const char *end = line - 1, *start = end, *text_end;

      while (start > lexer->text && start[-1] != '\n')
        start--;
      text_end = line_text_end (start, end);
      if (text_end > start)
        return (GhloImportPosition) { number, (guint) (text_end - start) + 1 };
      line = start;
    }

  return position;
}

static gboolean
fail_expected (GhloImportParser   *self,
               GhloImportPosition  position,
               const char         *what)
{
  g_autofree char *found = NULL;

  if (ghlo_import_at (self, GHLO_TOKEN_END))
    return ghlo_import_fail_at (self, position, "expected %s, found the end of the text", what);
  if (ghlo_import_at (self, GHLO_TOKEN_INVALID))
    return ghlo_import_fail_at (self, position, "expected %s, found %s", what, self->lexer.problem);

  found = ghlo_import_quote (self->lexer.start, ghlo_import_lexer_length (&self->lexer));

  return ghlo_import_fail_at (self, position, "expected %s, found '%s'", what, found);
}

gboolean
(ghlo_import_expected) (GhloImportParser *self,
                        const char       *what)
{
  return fail_expected (self, ghlo_import_position (self), what);
}

gboolean
ghlo_import_enter (GhloImportParser *self)
{
  if (self->depth >= GHLO_MAX_NESTING)
    return ghlo_import_fail (self, "expected at most %d levels of nesting, found more", GHLO_MAX_NESTING);
  self->depth++;

  return TRUE;
}

void
ghlo_import_leave (GhloImportParser *self)
{
  self->depth--;
}

gboolean
ghlo_import_expect (GhloImportParser *self,
                    guint             kind,
                    const char       *what)
{
  return ghlo_import_accept (self, kind) || fail_expected (self, missing_position (self), what);
}

gboolean
ghlo_import_expect_word (GhloImportParser *self,
                         const char       *word)
{
  g_autofree char *what = NULL;

  if (ghlo_import_accept_word (self, word))
    return TRUE;
  what = g_strdup_printf ("'%s'", word);

  return ghlo_import_expected (self, what);
}

gboolean
ghlo_import_token_is_hex (const GhloImportParser *self)
{
  return ghlo_import_lexer_length (&self->lexer) > 2 && self->lexer.start[1] == 'x';
}

gboolean
ghlo_import_token_unsigned (GhloImportParser *self,
                            guint64          *value)
{
  gboolean hex = ghlo_import_token_is_hex (self);
  guint64 base = hex ? 16 : 10, result = 0;

  for (const char *p = self->lexer.start + (hex ? 2 : 0); p < self->lexer.cursor; p++)
    if (__builtin_mul_overflow (result, base, &result)
        || __builtin_add_overflow (result, (guint64) g_ascii_xdigit_value (*p), &result))
      return FALSE;
  *value = result;

  return TRUE;
}

gboolean
ghlo_import_parse_integer (GhloImportParser *self,
                           gint64           *value)
{
  GhloImportPosition position = ghlo_import_position (self);
  gboolean negative = ghlo_import_accept (self, '-');
  guint64 magnitude;

  if (!ghlo_import_at (self, GHLO_TOKEN_INTEGER))
    return ghlo_import_expected (self, "an integer");
  if (!ghlo_import_token_unsigned (self, &magnitude) || magnitude > (guint64) G_MAXINT64 + negative)
    return ghlo_import_fail_at (self, position, "expected an integer of at most 64 bits, found a larger one");
  *value = negative ? (gint64) (0 - magnitude) : (gint64) magnitude;
  ghlo_import_next (self);

  return TRUE;
}

/* Converts decimals of up to 15 digits with an exponent from -22 to 22. Both the digits and the power of ten are
 * exact doubles, so a single division or multiplication rounds correctly. */
static gboolean
short_decimal (const char *text,
               gsize       length,
               double     *value)
{
  static const double powers[] = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
    1e20, 1e21, 1e22,
  };
  const char *p = text, *end = text + length;
  guint64 digits = 0;
  int exponent = 0, written = 0;
  gboolean fraction = FALSE;

  if (length > 24)
    return FALSE;
  for (; p < end && *p != 'e' && *p != 'E'; p++)
    {
      if (*p == '.')
        {
          fraction = TRUE;
          continue;
        }
      digits = digits * 10 + (guint64) (*p - '0');
      exponent -= fraction;
      if (digits > G_GUINT64_CONSTANT (999999999999999))
        return FALSE;
    }
  if (p < end)
    {
      gboolean negative = p + 1 < end && p[1] == '-';

      for (p += 1 + (p + 1 < end && (p[1] == '-' || p[1] == '+')); p < end; p++)
        {
          written = written * 10 + (*p - '0');
          if (written > 1000)
            return FALSE;
        }
      exponent += negative ? -written : written;
    }
  if (exponent < -22 || exponent > 22)
    return FALSE;
  *value = exponent < 0 ? (double) digits / powers[-exponent] : (double) digits * powers[exponent];

  return TRUE;
}

double
ghlo_import_text_to_double (const char *text,
                            gsize       length)
{
  double value;

  if (!short_decimal (text, length, &value))
    {
      g_autofree char *copy = g_strndup (text, length);

      value = g_ascii_strtod (copy, NULL);
    }

  return value;
}

char *
ghlo_import_token_string (GhloImportParser *self,
                          gsize            *length)
{
  const char *p = self->lexer.start + (*self->lexer.start == '@' ? 2 : 1);
  const char *end = self->lexer.cursor - 1;
  char *string = g_malloc (end - p + 1);
  char *out = string;

  while (p < end)
    {
      if (*p != '\\')
        {
          *out++ = *p++;
          continue;
        }
      switch (p[1])
        {
        case 'n':
          *out++ = '\n';
          p += 2;
          break;
        case 't':
          *out++ = '\t';
          p += 2;
          break;
        case '"':
        case '\\':
          *out++ = p[1];
          p += 2;
          break;
        default:
          *out++ = (char) (g_ascii_xdigit_value (p[1]) << 4 | g_ascii_xdigit_value (p[2]));
          p += 3;
          break;
        }
    }
  *out = '\0';
  *length = out - string;

  return string;
}

/* Interns the current string token, which must not contain NULs. */
static const char *
intern_string (GhloImportParser *self,
               const char       *what)
{
  gsize length;
  g_autofree char *string = ghlo_import_token_string (self, &length);
  const char *result;

  if (memchr (string, '\0', length) != NULL)
    {
      ghlo_import_fail (self, "expected %s without NUL bytes, found one with them", what);
      return NULL;
    }
  result = ghlo_ir_module_intern (self->module, string, length);
  ghlo_import_next (self);

  return result;
}

const char *
ghlo_import_parse_name (GhloImportParser *self)
{
  const char *name;

  if (ghlo_import_at (self, GHLO_TOKEN_STRING))
    return intern_string (self, "a name");
  if (!ghlo_import_at (self, GHLO_TOKEN_BARE))
    {
      ghlo_import_expected (self, "a name");
      return NULL;
    }
  name = ghlo_ir_module_intern (self->module, self->lexer.start, ghlo_import_lexer_length (&self->lexer));
  ghlo_import_next (self);

  return name;
}

const char *
ghlo_import_parse_symbol_name (GhloImportParser *self)
{
  const char *name;

  if (!ghlo_import_at (self, GHLO_TOKEN_AT))
    {
      ghlo_import_expected (self, "a symbol name such as @main");
      return NULL;
    }
  if (self->lexer.start[1] == '"')
    return intern_string (self, "a symbol name");
  name = ghlo_ir_module_intern (self->module, self->lexer.start + 1, ghlo_import_lexer_length (&self->lexer) - 1);
  ghlo_import_next (self);

  return name;
}

static char
closing (char c)
{
  switch (c)
    {
    case '<': return '>';
    case '[': return ']';
    case '(': return ')';
    case '{': return '}';
    default: return '\0';
    }
}

const char *
ghlo_import_skip_balanced (GhloImportParser *self,
                           const char       *open)
{
  GhloImportPosition position = ghlo_import_position (self);
  GhloImportLexer *lexer = &self->lexer;
  char stack[GHLO_MAX_NESTING];
  guint depth = 0;
  const char *end;

  lexer->cursor = open;
  do
    {
      char close;

      ghlo_import_lexer_skip (lexer);
      lexer->start = lexer->cursor;
      if (lexer->cursor >= lexer->end)
        break;
      if (*lexer->cursor == '"')
        {
          ghlo_import_lexer_next (lexer);
          if (lexer->kind != GHLO_TOKEN_STRING)
            {
              ghlo_import_expected (self, "a terminated string");
              return NULL;
            }
          continue;
        }
      close = closing (*lexer->cursor);
      if (close != '\0')
        {
          if (depth == G_N_ELEMENTS (stack))
            {
              ghlo_import_fail (self, "expected at most %d levels of nesting, found more", GHLO_MAX_NESTING);
              return NULL;
            }
          stack[depth++] = close;
        }
      else if (*lexer->cursor == '-' && lexer->cursor + 1 < lexer->end && lexer->cursor[1] == '>')
        {
          lexer->cursor++;
        }
      else if (depth > 0 && stack[depth - 1] != '>' && *lexer->cursor == '>' && lexer->cursor + 1 < lexer->end
               && lexer->cursor[1] == '=')
        {
          /* ">=" in affine_set<(d0) : (d0 >= 0)>. */
          lexer->cursor++;
        }
      else if (strchr (">])}", *lexer->cursor) != NULL && *lexer->cursor != '\0')
        {
          g_assert (depth > 0);
          if (stack[depth - 1] != *lexer->cursor)
            {
              ghlo_import_fail (self, "expected '%c', found '%c'", stack[depth - 1], *lexer->cursor);
              return NULL;
            }
          depth--;
        }
      lexer->cursor++;
    }
  while (depth > 0);

  if (depth > 0)
    {
      ghlo_import_fail_at (self, position, "expected a matching '%c', found the end of the text", stack[depth - 1]);
      return NULL;
    }
  end = lexer->cursor;
  ghlo_import_next (self);

  return end;
}

char *
ghlo_import_opaque_text (GhloImportParser *self,
                         const char       *what)
{
  const char *start = self->lexer.start + 1, *end = self->lexer.cursor;

  if (end < self->lexer.end && *end == '<')
    end = ghlo_import_skip_balanced (self, end);
  else
    ghlo_import_next (self);
  if (end == NULL)
    return NULL;
  if (memchr (start, '\0', end - start) != NULL)
    {
      ghlo_import_fail (self, "expected %s without NUL bytes, found one with them", what);
      return NULL;
    }

  return g_strndup (start, end - start);
}
