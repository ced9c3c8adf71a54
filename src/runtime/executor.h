/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The one interface between those who hold a program and those who can run it.
 * An executor prepares a module once, into something immutable that any number
 * of threads run at the same time.
 */

#pragma once

#include "ir/module.h"
#include "runtime/value.h"

G_BEGIN_DECLS

typedef struct _GhloPrepared GhloPrepared;   /* an executor's own */

/* What a run may be given besides its inputs; all optional. */
typedef struct
{
  const char *probe_directory;    /* where interpreter.probe writes; NULL keeps probes in memory */
  void      (*print) (gpointer         data,      /* interpreter.print, one call at a time; NULL drops it */
                      const char      *name,      /* of the printed value, without "%" */
                      const GhloValue *value);
  gpointer    print_data;
  /* For each output the input whose memory it may take, or GHLO_RUN_NO_INPUT: a value
   * of the caller's alone (its one reference), which is lost after the run. Where an
   * executor does take it, the output is that value. */
  const guint *replaced;
  /* For each output a tensor into whose memory it is wanted, or NULL: the caller's, which
   * nobody else writes to during the run, and apart from the others. Where an executor does
   * write there, the output is that value; anything else is the caller's to copy. */
  GhloValue *const *targets;
  /* To which the microseconds are added that an executor spends in its fallback, the
   * reference executor; NULL when nobody asks. */
  gint64      *fallback_time;
} GhloRunOptions;

#define GHLO_RUN_NO_INPUT G_MAXUINT

/* What is known of a program's runs before them. */
typedef struct
{
  guint n_steps, n_fallback_steps;
  gsize run_bytes;                /* for outputs and what is computed in between; 0 when not known */
  gsize prepared_bytes;           /* of constants and of what is prepared, kept between runs */
} GhloRunFigures;

typedef struct
{
  const char    *name;            /* "reference" */
  /* @module is verified and referenced for as long as needed; @function is one
   * of its func.func. */
  GhloPrepared *(*prepare) (GhloIrModule       *module,
                            GhloIrOp           *function,
                            const GhloMonitor  *monitor,
                            GError            **error);
  /* @inputs are borrowed; @outputs has room for the function's results and is
   * filled with references when TRUE is returned. Thread-safe. */
  gboolean      (*run)     (GhloPrepared         *prepared,
                            const GhloRunOptions *options,     /* nullable */
                            GhloValue *const     *inputs,
                            gsize                 n_inputs,
                            GhloValue           **outputs,
                            const GhloMonitor    *monitor,     /* nullable */
                            GError              **error);
  void          (*release) (GhloPrepared         *prepared);
  /* The bytes that it keeps between runs, but for the module's and what values hold. NULL for executors that
   * are nobody's fallback. */
  gsize         (*prepared_size) (const GhloPrepared *prepared);
  /* How it will run, for people; the caller frees it. NULL when there is nothing to say. */
  char         *(*describe) (GhloPrepared        *prepared);
  /* NULL together with describe. */
  void          (*measure) (GhloPrepared         *prepared,
                            GhloRunFigures       *figures);
} GhloExecutor;

G_END_DECLS
