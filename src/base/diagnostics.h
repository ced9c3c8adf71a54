/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The findings of parser and verifier: a list of locations and sentences, which
 * callers turn into a GError, a list model or lines on a terminal.
 */

#pragma once

#include "ghlo-enums.h"

G_BEGIN_DECLS

typedef struct
{
  GhloSeverity severity;
  GQuark       domain;      /* GHLO_ERROR */
  int          code;        /* GhloError */
  guint        line;        /* 1-based; 0 when there is no place */
  guint        column;      /* 1-based, in bytes */
  char        *message;     /* a sentence in lower case, without a final stop */
} GhloFinding;

typedef struct
{
  char      *file_name;     /* as messages show it */
  GPtrArray *findings;      /* of GhloFinding, owned */
  guint      n_errors;
  guint      max_errors;    /* no more than these are kept; the rest is counted */
  const char *source;       /* borrowed text for excerpts, or NULL */
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
/* "file:line:column: message", then the source line and a caret below it. */
char            *ghlo_diagnostics_format     (const GhloDiagnostics *self,
                                              const GhloFinding     *finding);
/* The source line of a finding and a caret below it, or NULL. */
char            *ghlo_diagnostics_excerpt    (const GhloDiagnostics *self,
                                              const GhloFinding     *finding);
/* Sets @error from the first error; does nothing when there is none. Returns
 * TRUE when there was no error. */
gboolean         ghlo_diagnostics_to_error   (const GhloDiagnostics *self,
                                              GError               **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloDiagnostics, ghlo_diagnostics_free)

G_END_DECLS
