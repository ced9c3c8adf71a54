/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the files of the kernel parser: its state and the small parts of the grammar. Functions that parse
 * something return FALSE where it is missing. The diagnostics then say what was found; if they do not, the
 * builder's tables are full, which ends up in the error of ghlo_kernel_builder_end ().
 */

#pragma once

#include "base/diagnostics.h"
#include "base/fail.h"
#include "kernel/build.h"
#include "kernel/text/lexer.h"

G_BEGIN_DECLS

/* Things that are referred to by name. */
typedef enum
{
  GHLO_KERNEL_NAMED_AXIS,
  GHLO_KERNEL_NAMED_BUFFER,
  GHLO_KERNEL_NAMED_TEMPORARY,
  GHLO_KERNEL_N_NAMED
} GhloKernelNamed;

typedef struct
{
  GhloKernelLexer    lexer;     /* at the next token */
  GhloDiagnostics   *diagnostics;
  GhloKernelBuilder *builder;
  GPtrArray         *names[GHLO_KERNEL_N_NAMED];        /* owned, by index */
  guint              n_accesses, n_nodes, n_folds;
  guint              depth;     /* nesting of blocks */
} GhloKernelParser;

/* Report "expected WHAT, found TOKEN" at the next token, or at an earlier one. */
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

/* Consume the next token if it is the punctuation @c, or the word @word. */
gboolean ghlo_kernel_parser_accept      (GhloKernelParser      *self,
                                         char                   c);
gboolean ghlo_kernel_parser_accept_word (GhloKernelParser      *self,
                                         const char            *word);
gboolean ghlo_kernel_parser_expect      (GhloKernelParser      *self,
                                         char                   c);
gboolean ghlo_kernel_parser_expect_word (GhloKernelParser      *self,
                                         const char            *word);

/* Parses the name in a declaration; free it with g_free (). */
gboolean ghlo_kernel_parser_name        (GhloKernelParser      *self,
                                         const char            *what,
                                         char                 **name);
/* Parses a reference by name. If several things have the name, the index follows: "row:2". */
gboolean ghlo_kernel_parser_reference   (GhloKernelParser      *self,
                                         GhloKernelNamed        named,
                                         guint                 *number);
/* Parses a list of axes in brackets into bits. */
gboolean ghlo_kernel_parser_axes        (GhloKernelParser      *self,
                                         guint                 *axes);
gboolean ghlo_kernel_parser_type        (GhloKernelParser      *self,
                                         GhloElementType       *type);
/* Parses an integer with an optional sign. */
gboolean ghlo_kernel_parser_integer     (GhloKernelParser      *self,
                                         gint64                *value);
/* Parses the magnitude of an integer whose sign has been parsed. */
gboolean ghlo_kernel_parser_magnitude   (GhloKernelParser      *self,
                                         gboolean               is_negative,
                                         gint64                *value);
/* Parses the number of a NODE, ACCESS or FOLD, which must be below @end, the count of those so far. */
gboolean ghlo_kernel_parser_number      (GhloKernelParser      *self,
                                         guint                  kind,
                                         guint                  end,
                                         guint                 *number);
/* The same where the number must be @next, the next one to be assigned. */
gboolean ghlo_kernel_parser_new_number  (GhloKernelParser      *self,
                                         guint                  kind,
                                         guint                  next);

/* Parses an access, from the word "access" on. */
gboolean ghlo_kernel_parser_access      (GhloKernelParser      *self);
/* Parses the contents of a points block and the closing brace. */
gboolean ghlo_kernel_parser_points      (GhloKernelParser      *self);

#define ghlo_kernel_parser_fail(...)    GHLO_FALSE_AFTER (ghlo_kernel_parser_fail (__VA_ARGS__))
#define ghlo_kernel_parser_fail_at(...) GHLO_FALSE_AFTER (ghlo_kernel_parser_fail_at (__VA_ARGS__))

G_END_DECLS
