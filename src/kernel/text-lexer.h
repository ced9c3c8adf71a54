/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tokens of a kernel's text: names, quoted names, numbers, and the numbers of nodes (%3),
 * accesses (@3) and folds ($3). The lexer is a small struct over borrowed bytes of any kind, beyond which
 * it never reads; a copy of it is a place in the text.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Kinds below 256 are the punctuation character itself. */
typedef enum
{
  GHLO_KERNEL_TOKEN_END = 256,
  GHLO_KERNEL_TOKEN_INVALID,    /* GhloKernelLexer.problem says why */
  GHLO_KERNEL_TOKEN_WORD,       /* row, softmax_1 */
  GHLO_KERNEL_TOKEN_STRING,     /* "any name" */
  GHLO_KERNEL_TOKEN_NODE,       /* %3 */
  GHLO_KERNEL_TOKEN_ACCESS,     /* @3 */
  GHLO_KERNEL_TOKEN_FOLD,       /* $3 */
  GHLO_KERNEL_TOKEN_INTEGER,    /* 12 */
  GHLO_KERNEL_TOKEN_HEX,        /* 0x7fc00000 */
  GHLO_KERNEL_TOKEN_FLOAT,      /* 0.125, 1e-45 */
} GhloKernelTokenKind;

typedef struct
{
  const char *end;              /* of the text */
  const char *cursor;           /* behind the token */
  const char *start;            /* of the token */
  const char *line_start;       /* of the token's line */
  guint       line;             /* of the token, from 1 */
  guint       kind;             /* GhloKernelTokenKind or a character */
  guint64     value;            /* of NODE, ACCESS, FOLD, INTEGER and HEX */
  gboolean    overflows;        /* whether that has more than 64 bits */
  const char *problem;          /* of INVALID: what the token is instead, a static text */
} GhloKernelLexer;

void     ghlo_kernel_lexer_init  (GhloKernelLexer       *self,
                                  const char            *text,
                                  gsize                  size);
/* Reads the next token. */
void     ghlo_kernel_lexer_next  (GhloKernelLexer       *self);
/* Whether the token is the word @word, unquoted. */
gboolean ghlo_kernel_lexer_is    (const GhloKernelLexer *self,
                                  const char            *word);
/* The name that a WORD or a STRING stands for. */
char    *ghlo_kernel_lexer_name  (const GhloKernelLexer *self);

/* Whether @name can stand without quotes. */
gboolean ghlo_kernel_name_is_word (const char *name);

G_END_DECLS
