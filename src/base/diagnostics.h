/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The findings of the parser and the verifier: a list of locations and messages, which callers turn into a GError, a
 * list model or lines on a terminal.
 */

#pragma once

#include "ghlo-enums.h"

G_BEGIN_DECLS

typedef struct
{
  GhloSeverity severity;
  GQuark       domain;      /* GHLO_ERROR */
  int          code;        /* GhloError */
  guint        line;        /* 1-based; 0 when the finding has no location */
  guint        column;      /* 1-based, in bytes */
  char        *message;     /* a sentence in lower case, without a full stop at its end */
} GhloFinding;

typedef struct
{
  char      *file_name;     /* as shown in messages */
  GPtrArray *findings;      /* of GhloFinding, owned */
  guint      n_errors;
  guint      max_errors;    /* at most this many findings are kept; further errors are only counted */
  const char *source;       /* borrowed text for excerpts; nullable */
  gsize       source_length;
} GhloDiagnostics;

GhloDiagnostics *ghlo_diagnostics_new        (const char            *file_name,
                                              const char            *source,
                                              gsize                  source_length);
void             ghlo_diagnostics_free       (GhloDiagnostics       *self);
void             ghlo_diagnostics_add        (GhloDiagnostics       *self,
                                              GhloSeverity           severity,
                                              int                    code,
                                              guint                  line,
                                              guint                  column,
                                              const char            *format,
                                              ...) G_GNUC_PRINTF (6, 7);
void             ghlo_diagnostics_addv       (GhloDiagnostics       *self,
                                              GhloSeverity           severity,
                                              int                    code,
                                              guint                  line,
                                              guint                  column,
                                              const char            *format,
                                              va_list                args) G_GNUC_PRINTF (6, 0);
/* Returns "file:line:column: message", followed by the source line with a caret below it. */
char            *ghlo_diagnostics_format     (const GhloDiagnostics *self,
                                              const GhloFinding     *finding);
/* Returns the source line of a finding with a caret below it, or NULL. */
char            *ghlo_diagnostics_excerpt    (const GhloDiagnostics *self,
                                              const GhloFinding     *finding);
/* Sets @error from the first error and returns FALSE. Returns TRUE, and leaves @error alone, when there is no error. */
gboolean         ghlo_diagnostics_to_error   (const GhloDiagnostics *self,
                                              GError               **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloDiagnostics, ghlo_diagnostics_free)

G_END_DECLS
