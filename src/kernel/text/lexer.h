/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The lexer of kernel text. Tokens are names, quoted names, numbers, and references to nodes (%3), accesses (@3)
 * and folds ($3). The lexer is a small struct over borrowed bytes of any content, and never reads beyond their end.
 * A copy of the struct marks a position in the text.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A token of punctuation has its character as its kind, below 256. */
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
  const char *cursor;           /* after the token */
  const char *start;            /* of the token */
  const char *line_start;       /* of the token's line */
  guint       line;             /* line of the token, from 1 */
  guint       kind;             /* GhloKernelTokenKind or a character */
  guint64     value;            /* of NODE, ACCESS, FOLD, INTEGER and HEX */
  gboolean    overflows;        /* the value exceeds 64 bits */
  const char *problem;          /* of INVALID: a static text that describes the token */
} GhloKernelLexer;

void     ghlo_kernel_lexer_init  (GhloKernelLexer       *self,
                                  const char            *text,
                                  gsize                  size);
/* Advances to the next token. */
void     ghlo_kernel_lexer_next  (GhloKernelLexer       *self);
/* Returns whether the token is the unquoted word @word. */
gboolean ghlo_kernel_lexer_is    (const GhloKernelLexer *self,
                                  const char            *word);
/* Returns the name that a WORD or STRING denotes, newly allocated. */
char    *ghlo_kernel_lexer_name  (const GhloKernelLexer *self);

/* Returns whether @name needs no quotes. */
gboolean ghlo_kernel_name_is_word (const char *name);

G_END_DECLS
