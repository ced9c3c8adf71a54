/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Splits bytes into the tokens of a kernel. Newlines occur only between tokens, so lines are counted while white
 * space is skipped.
 */

#include "kernel/text/lexer.h"

#include <string.h>

void
ghlo_kernel_lexer_init (GhloKernelLexer *self,
                        const char      *text,
                        gsize            size)
{
  *self = (GhloKernelLexer) {
    .end = text + size,
    .cursor = text,
    .start = text,
    .line_start = text,
    .line = 1,
    .kind = GHLO_KERNEL_TOKEN_END,
  };
}

static gboolean
is_letter (char c)
{
  return g_ascii_isalpha (c) || c == '_';
}

static gboolean
is_letter_or_digit (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

/* Skips white space and comments. */
static void
skip (GhloKernelLexer *self)
{
  const char *p = self->cursor;

  for (; p < self->end; p++)
    {
      if (*p == '#')
        {
          p = memchr (p, '\n', self->end - p);
          if (p == NULL)
            break;
        }
      if (*p == '\n')
        {
          self->line++;
          self->line_start = p + 1;
        }
      else if (*p != ' ' && *p != '\t' && *p != '\r')
        break;
    }
  self->cursor = p != NULL ? p : self->end;
}

static guint
invalid (GhloKernelLexer *self,
         const char      *cursor,
         const char      *problem)
{
  self->cursor = cursor;
  self->problem = problem;

  return GHLO_KERNEL_TOKEN_INVALID;
}

static gboolean
at_digit (const GhloKernelLexer *self,
          const char            *p)
{
  return p < self->end && g_ascii_isdigit (*p);
}

/* Reads digits of @base from @p on into the token's value; returns their end. */
static const char *
lex_digits (GhloKernelLexer *self,
            const char      *p,
            guint            base)
{
  self->value = 0;
  self->overflows = FALSE;
  for (; p < self->end && (base == 16 ? g_ascii_isxdigit (*p) : g_ascii_isdigit (*p)); p++)
    self->overflows |= __builtin_mul_overflow (self->value, base, &self->value)
                       || __builtin_add_overflow (self->value, (guint64) g_ascii_xdigit_value (*p), &self->value);

  return p;
}

/* Ends a number at @p. */
static guint
end_number (GhloKernelLexer *self,
            const char      *p,
            guint            kind)
{
  if (p < self->end && is_letter_or_digit (*p))
    return invalid (self, p + 1, "a number that runs into a letter");
  self->cursor = p;

  return kind;
}

static const char *
skip_digits (const GhloKernelLexer *self,
             const char            *p)
{
  while (at_digit (self, p))
    p++;

  return p;
}

static guint
lex_number (GhloKernelLexer *self)
{
  const char *p = self->start, *fraction;

  if (*p == '0' && p + 2 < self->end && p[1] == 'x' && g_ascii_isxdigit (p[2]))
    return end_number (self, lex_digits (self, p + 2, 16), GHLO_KERNEL_TOKEN_HEX);
  fraction = p = lex_digits (self, p, 10);
  if (p < self->end && *p == '.' && at_digit (self, p + 1))
    p = skip_digits (self, p + 1);
  if (p < self->end && (*p == 'e' || *p == 'E'))
    {
      const char *exponent = p + 1;

      if (exponent < self->end && (*exponent == '+' || *exponent == '-'))
        exponent++;
      if (at_digit (self, exponent))
        p = skip_digits (self, exponent);
    }

  return end_number (self, p, p > fraction ? GHLO_KERNEL_TOKEN_FLOAT : GHLO_KERNEL_TOKEN_INTEGER);
}

static guint
lex_numbered (GhloKernelLexer *self,
              guint            kind)
{
  if (!at_digit (self, self->start + 1))
    return invalid (self, self->start + 1, "'%', '@' or '$' without a number");

  return end_number (self, lex_digits (self, self->start + 1, 10), kind);
}

/* Returns the length of the escape at @p, or 0 where it is invalid. Valid are \" and \\, and two hexadecimal digits for
 * a byte other than 0. */
static gsize
measure_escape (const GhloKernelLexer *self,
                const char            *p)
{
  if (p + 1 < self->end && (p[1] == '"' || p[1] == '\\'))
    return 2;
  if (p + 2 < self->end && g_ascii_isxdigit (p[1]) && g_ascii_isxdigit (p[2]) && (p[1] != '0' || p[2] != '0'))
    return 3;

  return 0;
}

static guint
lex_string (GhloKernelLexer *self)
{
  const char *p = self->start + 1;

  while (p < self->end && *p != '"')
    {
      gsize n = *p == '\\' ? measure_escape (self, p) : 1;

      if (n == 0)
        return invalid (self, p + 1, "a name with an unknown escape");
      if (*p == '\n' || *p == '\0')
        break;
      p += n;
    }
  if (p >= self->end || *p != '"')
    return invalid (self, p, "a name without a closing quote");
  self->cursor = p + 1;

  return GHLO_KERNEL_TOKEN_STRING;
}

static guint
lex (GhloKernelLexer *self)
{
  char c = *self->start;

  if (is_letter (c))
    {
      self->cursor = self->start + 1;
      while (self->cursor < self->end && is_letter_or_digit (*self->cursor))
        self->cursor++;
      return GHLO_KERNEL_TOKEN_WORD;
    }
  if (g_ascii_isdigit (c))
    return lex_number (self);
  if (c == '%')
    return lex_numbered (self, GHLO_KERNEL_TOKEN_NODE);
  if (c == '@')
    return lex_numbered (self, GHLO_KERNEL_TOKEN_ACCESS);
  if (c == '$')
    return lex_numbered (self, GHLO_KERNEL_TOKEN_FOLD);
  if (c == '"')
    return lex_string (self);
  self->cursor = self->start + 1;
  if (c != '\0' && strchr ("{}[](),:=+-*", c) != NULL)
    return (guchar) c;

  return invalid (self, self->cursor, "a character that cannot begin a token");
}

void
ghlo_kernel_lexer_next (GhloKernelLexer *self)
{
  skip (self);
  self->start = self->cursor;
  self->kind = self->cursor >= self->end ? GHLO_KERNEL_TOKEN_END : lex (self);
}

gboolean
ghlo_kernel_lexer_is (const GhloKernelLexer *self,
                      const char            *word)
{
  gsize n = strlen (word);

  return self->kind == GHLO_KERNEL_TOKEN_WORD && (gsize) (self->cursor - self->start) == n
         && memcmp (self->start, word, n) == 0;
}

char *
ghlo_kernel_lexer_name (const GhloKernelLexer *self)
{
  GString *name;

  if (self->kind == GHLO_KERNEL_TOKEN_WORD)
    return g_strndup (self->start, self->cursor - self->start);
  name = g_string_new (NULL);
  for (const char *p = self->start + 1; p < self->cursor - 1; p++)
    {
      if (*p == '\\' && g_ascii_isxdigit (p[1]))
        {
          g_string_append_c (name, g_ascii_xdigit_value (p[1]) << 4 | g_ascii_xdigit_value (p[2]));
          p += 2;
          continue;
        }
      if (*p == '\\')
        p++;
      g_string_append_c (name, *p);
    }

  return g_string_free (name, FALSE);
}

gboolean
ghlo_kernel_name_is_word (const char *name)
{
  if (!is_letter (*name))
    return FALSE;
  while (is_letter_or_digit (*name))
    name++;

  return *name == '\0';
}
