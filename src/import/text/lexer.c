/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Splits bytes into MLIR's tokens. Newlines only occur between tokens (strings and identifiers cannot contain one),
 * so lines are counted where blanks are skipped.
 */

#include "import/text/lexer.h"

#include <string.h>

#define L (GHLO_CHAR_LETTER | GHLO_CHAR_IDENT | GHLO_CHAR_SUFFIX)
#define D (GHLO_CHAR_DIGIT | GHLO_CHAR_HEX | GHLO_CHAR_IDENT | GHLO_CHAR_SUFFIX)
#define X (L | GHLO_CHAR_HEX)

const guint8 ghlo_import_chars[256] = {
  [' '] = GHLO_CHAR_SPACE, ['\t'] = GHLO_CHAR_SPACE, ['\r'] = GHLO_CHAR_SPACE,
  ['0' ... '9'] = D,
  ['a' ... 'f'] = X, ['g' ... 'z'] = L,
  ['A' ... 'F'] = X, ['G' ... 'Z'] = L,
  ['_'] = L,
  ['$'] = GHLO_CHAR_IDENT | GHLO_CHAR_SUFFIX,
  ['.'] = GHLO_CHAR_IDENT | GHLO_CHAR_SUFFIX,
  ['-'] = GHLO_CHAR_SUFFIX | GHLO_CHAR_PUNCT,
  ['('] = GHLO_CHAR_PUNCT, [')'] = GHLO_CHAR_PUNCT, ['['] = GHLO_CHAR_PUNCT, [']'] = GHLO_CHAR_PUNCT,
  ['{'] = GHLO_CHAR_PUNCT, ['}'] = GHLO_CHAR_PUNCT, ['<'] = GHLO_CHAR_PUNCT, ['>'] = GHLO_CHAR_PUNCT,
  [','] = GHLO_CHAR_PUNCT, [':'] = GHLO_CHAR_PUNCT, ['='] = GHLO_CHAR_PUNCT, ['+'] = GHLO_CHAR_PUNCT,
  ['*'] = GHLO_CHAR_PUNCT, ['?'] = GHLO_CHAR_PUNCT, ['|'] = GHLO_CHAR_PUNCT, ['/'] = GHLO_CHAR_PUNCT,
};

#undef L
#undef D
#undef X

void
ghlo_import_lexer_init (GhloImportLexer *self,
                        const char      *text,
                        gsize            length)
{
  *self = (GhloImportLexer) {
    .text = text,
    .end = text + length,
    .cursor = text,
    .start = text,
    .line_start = text,
    .line = 1,
    .kind = GHLO_TOKEN_END,
  };
}

void
ghlo_import_lexer_skip (GhloImportLexer *self)
{
  const char *p = self->cursor;

  for (; p < self->end; p++)
    {
      if (ghlo_import_char_is (*p, GHLO_CHAR_SPACE))
        continue;
      if (*p == '/' && p + 1 < self->end && p[1] == '/')
        {
          p = memchr (p, '\n', self->end - p);
          if (p == NULL)
            {
              p = self->end;
              break;
            }
        }
      if (*p != '\n')
        break;
      self->line++;
      self->line_start = p + 1;
    }

  self->cursor = p;
}

static const char *
skip_class (const GhloImportLexer *self,
            const char            *p,
            guint                  classes)
{
  while (p < self->end && ghlo_import_char_is (*p, classes))
    p++;

  return p;
}

static guint
invalid (GhloImportLexer *self,
         const char      *cursor,
         const char      *problem)
{
  self->cursor = cursor;
  self->problem = problem;

  return GHLO_TOKEN_INVALID;
}

/* Lexes from the opening quote on. */
static guint
lex_string (GhloImportLexer *self,
            const char      *quote)
{
  const char *p = quote + 1;

  for (;;)
    {
      const char *close = memchr (p, '"', self->end - p);
      const char *stop = close != NULL ? close : self->end;
      const char *escape = memchr (p, '\\', stop - p);
      const char *newline = memchr (p, '\n', (escape != NULL ? escape : stop) - p);

      if (newline != NULL || (close == NULL && escape == NULL))
        return invalid (self, newline != NULL ? newline : self->end, "a string without its closing quote");
      if (escape == NULL)
        {
          self->cursor = close + 1;
          return GHLO_TOKEN_STRING;
        }
      if (escape + 1 >= self->end || escape[1] == '\n')
        return invalid (self, escape + 1, "a string without its closing quote");
      if (strchr ("\"\\nt", escape[1]) != NULL && escape[1] != '\0')
        p = escape + 2;
      else if (escape + 2 < self->end && ghlo_import_char_is (escape[1], GHLO_CHAR_HEX)
               && ghlo_import_char_is (escape[2], GHLO_CHAR_HEX))
        p = escape + 3;
      else
        return invalid (self, escape + 1, "an unknown escape in a string");
    }
}

/* After %, #, ! or ^: digits only, or a letter or punctuation character followed by any of these and digits. */
static guint
lex_prefixed (GhloImportLexer *self,
              guint            kind)
{
  const char *p = self->start + 1;

  if (p < self->end && ghlo_import_char_is (*p, GHLO_CHAR_DIGIT))
    {
      self->cursor = skip_class (self, p, GHLO_CHAR_DIGIT);
      return kind;
    }
  if (p < self->end && ghlo_import_char_is (*p, GHLO_CHAR_SUFFIX))
    {
      self->cursor = skip_class (self, p, GHLO_CHAR_SUFFIX);
      return kind;
    }

  return invalid (self, p, "a sigil without a name");
}

static guint
lex_symbol (GhloImportLexer *self)
{
  const char *p = self->start + 1;

  if (p < self->end && *p == '"')
    return lex_string (self, p) == GHLO_TOKEN_STRING ? GHLO_TOKEN_AT : GHLO_TOKEN_INVALID;
  if (p >= self->end || !ghlo_import_char_is (*p, GHLO_CHAR_LETTER))
    return invalid (self, p, "'@' without a name");
  self->cursor = skip_class (self, p, GHLO_CHAR_IDENT);

  return GHLO_TOKEN_AT;
}

static guint
lex_number (GhloImportLexer *self)
{
  const char *p = self->start;

  if (*p == '0' && p + 2 < self->end && p[1] == 'x' && ghlo_import_char_is (p[2], GHLO_CHAR_HEX))
    {
      self->cursor = skip_class (self, p + 2, GHLO_CHAR_HEX);
      return GHLO_TOKEN_INTEGER;
    }

  p = skip_class (self, p, GHLO_CHAR_DIGIT);
  self->cursor = p;
  if (p >= self->end || *p != '.')
    return GHLO_TOKEN_INTEGER;

  p = skip_class (self, p + 1, GHLO_CHAR_DIGIT);
  self->cursor = p;
  if (p < self->end && (*p == 'e' || *p == 'E'))
    {
      p++;
      if (p < self->end && (*p == '+' || *p == '-'))
        p++;
      if (p < self->end && ghlo_import_char_is (*p, GHLO_CHAR_DIGIT))
        self->cursor = skip_class (self, p, GHLO_CHAR_DIGIT);
    }

  return GHLO_TOKEN_FLOAT;
}

/* Whether the text continues with @rest after the token's first character. */
static gboolean
follows (const GhloImportLexer *self,
         const char            *rest)
{
  gsize n = strlen (rest);

  return (gsize) (self->end - self->start) > n && memcmp (self->start + 1, rest, n) == 0;
}

static guint
lex_punctuation (GhloImportLexer *self)
{
  char c = *self->start;

  if (c == '-' && follows (self, ">"))
    {
      self->cursor = self->start + 2;
      return GHLO_TOKEN_ARROW;
    }
  if (c == '{' && follows (self, "-#"))
    {
      self->cursor = self->start + 3;
      return GHLO_TOKEN_META_OPEN;
    }
  self->cursor = self->start + 1;
  if (ghlo_import_char_is (c, GHLO_CHAR_PUNCT))
    return (guchar) c;

  return invalid (self, self->start + 1, "an unexpected character");
}

static guint
lex (GhloImportLexer *self)
{
  char c = *self->start;

  if (ghlo_import_char_is (c, GHLO_CHAR_LETTER))
    {
      self->cursor = skip_class (self, self->start + 1, GHLO_CHAR_IDENT);
      return GHLO_TOKEN_BARE;
    }
  if (ghlo_import_char_is (c, GHLO_CHAR_DIGIT))
    return lex_number (self);

  switch (c)
    {
    case '%':
      return lex_prefixed (self, GHLO_TOKEN_PERCENT);
    case '#':
      if (follows (self, "-}"))
        {
          self->cursor = self->start + 3;
          return GHLO_TOKEN_META_CLOSE;
        }
      return lex_prefixed (self, GHLO_TOKEN_HASH);
    case '!':
      return lex_prefixed (self, GHLO_TOKEN_BANG);
    case '^':
      return lex_prefixed (self, GHLO_TOKEN_CARET);
    case '@':
      return lex_symbol (self);
    case '"':
      return lex_string (self, self->start);
    default:
      return lex_punctuation (self);
    }
}

void
ghlo_import_lexer_next (GhloImportLexer *self)
{
  ghlo_import_lexer_skip (self);
  self->start = self->cursor;
  self->kind = self->cursor >= self->end ? GHLO_TOKEN_END : lex (self);
}

void
ghlo_import_lexer_jump (GhloImportLexer *self,
                        const char      *cursor)
{
  self->cursor = cursor;
  ghlo_import_lexer_next (self);
}

gboolean
ghlo_import_lexer_is (const GhloImportLexer *self,
                      const char            *word)
{
  gsize n = strlen (word);

  return ghlo_import_lexer_length (self) == n && memcmp (word, self->start, n) == 0;
}
