/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the parser of kernels share: its state and the small parts of grammar.
 * Functions that read something give FALSE where it is not there, with the finding among the
 * diagnostics; or, without one, where the builder's tables are full, which its end reports.
 */

#pragma once

#include "base/diagnostics.h"
#include "base/fail.h"
#include "kernel/build.h"
#include "kernel/text-lexer.h"

G_BEGIN_DECLS

/* What is referred to by name. */
typedef enum
{
  GHLO_KERNEL_NAMED_AXIS,
  GHLO_KERNEL_NAMED_BUFFER,
  GHLO_KERNEL_NAMED_TEMPORARY,
  GHLO_KERNEL_N_NAMED
} GhloKernelNamed;

typedef struct
{
  GhloKernelLexer    lexer;     /* on the next token */
  GhloDiagnostics   *diagnostics;
  GhloKernelBuilder *builder;
  GPtrArray         *names[GHLO_KERNEL_N_NAMED];        /* owned, by number */
  guint              n_accesses, n_nodes, n_folds;
  guint              depth;     /* of blocks */
} GhloKernelParser;

/* "expected WHAT, found TOKEN", at the next token or at an earlier one. */
gboolean ghlo_kernel_parser_fail        (GhloKernelParser      *self,
                                         const char            *format,
                                         ...) G_GNUC_PRINTF (2, 3);
gboolean ghlo_kernel_parser_fail_at     (GhloKernelParser      *self,
                                         const GhloKernelLexer *place,
                                         const char            *format,
                                         ...) G_GNUC_PRINTF (3, 4);

static inline void
ghlo_kernel_parser_next (GhloKernelParser *self)
{
  ghlo_kernel_lexer_next (&self->lexer);
}

/* Whether the next token is the punctuation @c, or the word @word, which is then read. */
gboolean ghlo_kernel_parser_accept      (GhloKernelParser      *self,
                                         char                   c);
gboolean ghlo_kernel_parser_accept_word (GhloKernelParser      *self,
                                         const char            *word);
gboolean ghlo_kernel_parser_expect      (GhloKernelParser      *self,
                                         char                   c);
gboolean ghlo_kernel_parser_expect_word (GhloKernelParser      *self,
                                         const char            *word);

/* A name that is new, to be freed. */
gboolean ghlo_kernel_parser_name        (GhloKernelParser      *self,
                                         const char            *what,
                                         char                 **name);
/* The number of what has a name; of several of one name it is written behind it, "row:2". */
gboolean ghlo_kernel_parser_reference   (GhloKernelParser      *self,
                                         GhloKernelNamed        named,
                                         guint                 *number);
/* A list of axes in brackets, as bits. */
gboolean ghlo_kernel_parser_axes        (GhloKernelParser      *self,
                                         guint                 *axes);
gboolean ghlo_kernel_parser_type        (GhloKernelParser      *self,
                                         GhloElementType       *type);
/* An integer with or without a sign. */
gboolean ghlo_kernel_parser_integer     (GhloKernelParser      *self,
                                         gint64                *value);
/* The magnitude of an integer whose sign has been read. */
gboolean ghlo_kernel_parser_magnitude   (GhloKernelParser      *self,
                                         gboolean               is_negative,
                                         gint64                *value);
/* One of NODE, ACCESS and FOLD below @end, the number of those that there are. */
gboolean ghlo_kernel_parser_number      (GhloKernelParser      *self,
                                         guint                  kind,
                                         guint                  end,
                                         guint                 *number);
/* The same, which has to be the next number that is given out. */
gboolean ghlo_kernel_parser_new_number  (GhloKernelParser      *self,
                                         guint                  kind,
                                         guint                  next);

/* "access", and what is behind it. */
gboolean ghlo_kernel_parser_access      (GhloKernelParser      *self);
/* What is within the braces of points, and the closing one. */
gboolean ghlo_kernel_parser_points      (GhloKernelParser      *self);

#define ghlo_kernel_parser_fail(...)    GHLO_FALSE_AFTER (ghlo_kernel_parser_fail (__VA_ARGS__))
#define ghlo_kernel_parser_fail_at(...) GHLO_FALSE_AFTER (ghlo_kernel_parser_fail_at (__VA_ARGS__))

G_END_DECLS
