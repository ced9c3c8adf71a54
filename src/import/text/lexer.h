/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tokens of MLIR. The lexer is a small struct: a parser can save it, read ahead, and go back by assignment. It
 * never reads beyond the end of its text, which may contain any bytes.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Values below 256 are the punctuation character itself. */
typedef enum
{
  GHLO_TOKEN_END = 256,
  GHLO_TOKEN_INVALID,       /* GhloImportLexer.problem tells why */
  GHLO_TOKEN_BARE,          /* func.func, dense, x8xf32 */
  GHLO_TOKEN_PERCENT,       /* %name */
  GHLO_TOKEN_AT,            /* @name or @"name" */
  GHLO_TOKEN_HASH,          /* #name */
  GHLO_TOKEN_BANG,          /* !name */
  GHLO_TOKEN_CARET,         /* ^name */
  GHLO_TOKEN_INTEGER,       /* 12, 0xff */
  GHLO_TOKEN_FLOAT,         /* 1.5e-3 */
  GHLO_TOKEN_STRING,        /* includes the quotes */
  GHLO_TOKEN_ARROW,         /* -> */
  GHLO_TOKEN_META_OPEN,     /* {-# */
  GHLO_TOKEN_META_CLOSE,    /* #-} */
} GhloTokenKind;

typedef struct
{
  const char *text;         /* the whole text, borrowed */
  const char *end;
  const char *cursor;       /* after the token */
  const char *start;        /* start of the token */
  const char *line_start;   /* start of the token's line */
  guint       line;         /* line of the token, from 1 */
  guint       kind;         /* GhloTokenKind or a character */
  const char *problem;      /* of an INVALID token: a static message */
} GhloImportLexer;

/* Character classes. */
enum
{
  GHLO_CHAR_LETTER = 1 << 0,     /* a-z, A-Z, _ */
  GHLO_CHAR_DIGIT  = 1 << 1,
  GHLO_CHAR_HEX    = 1 << 2,
  GHLO_CHAR_IDENT  = 1 << 3,     /* letters, digits, $ . */
  GHLO_CHAR_SUFFIX = 1 << 4,     /* letters, digits, $ . - */
  GHLO_CHAR_SPACE  = 1 << 5,     /* space, tab, carriage return; not newline */
  GHLO_CHAR_PUNCT  = 1 << 6,     /* a token by itself */
};

extern const guint8 ghlo_import_chars[256];

static inline gboolean
ghlo_import_char_is (char c,
                     guint classes)
{
  return (ghlo_import_chars[(guchar) c] & classes) != 0;
}

void ghlo_import_lexer_init (GhloImportLexer *self,
                             const char      *text,
                             gsize            length);
/* Reads the next token. */
void ghlo_import_lexer_next (GhloImportLexer *self);
/* Continues after @cursor, which must be on the current token's line. */
void ghlo_import_lexer_jump (GhloImportLexer *self,
                             const char      *cursor);
/* Skips blanks and comments and counts lines. */
void ghlo_import_lexer_skip (GhloImportLexer *self);

static inline gsize
ghlo_import_lexer_length (const GhloImportLexer *self)
{
  return self->cursor - self->start;
}

/* Whether the current token is spelled @word. */
gboolean ghlo_import_lexer_is (const GhloImportLexer *self,
                               const char            *word);

G_END_DECLS
