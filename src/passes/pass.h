/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Passes: changes of a module that keep what it computes. Each is one row of one
 * table, has a name, a level from which it runs, and a switch. ghlo_passes_run ()
 * changes the module that it is given, in place; the module verifies after each
 * pass, also when a run is cancelled.
 *
 * "Keeps what it computes" is meant for NaN, infinities, signed zeros, integers that
 * wrap and empty tensors too. Of a NaN its being one is kept, not its bits.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* What changes what a program means is of no level, and runs where somebody asks for it. */
enum { GHLO_PASS_MAX_LEVEL = 3, GHLO_PASS_ASKED };

/* What an operation gives for constant operands: handed down by whoever can run it.
 * @op stands in @module and has one DENSE attribute of its operand's type for each
 * operand; @results gets one DENSE attribute of @module for each result. FALSE is no
 * misfortune, the operation then stays as it is, unless @error says cancelled. */
typedef struct
{
  gboolean (*evaluate) (gpointer                  data,
                        GhloIrModule             *module,
                        const GhloIrOp           *op,
                        const GhloIrAttr *const  *operands,
                        GPtrArray                *results,
                        GError                  **error);
  gpointer   data;
} GhloPassEvaluator;

/* Operations that a fusion pass might have merged, or has. */
typedef struct
{
  const char     *kind;                   /* "loop", "epilogue", "reduction", "map" */
  const GhloIrOp *first;                  /* of the group */
  const GhloIrOp *op;                     /* to be merged with the group; NULL where none was to be found */
  guint           number;                 /* of the merge, from 1 on; 0: there is none */
  const char     *reason;                 /* why not, as a sentence without its stop; static */
} GhloFusionCandidate;

/* Called for each candidate, in order. */
typedef void (*GhloFusionTellFunc) (gpointer                   data,
                                    const GhloIrModule        *module,
                                    const GhloFusionCandidate *candidate);

/* What fusion passes ask and tell; zeroed, they fuse all that may be fused. */
typedef struct
{
  /* NULL where the device does the operations as one step, which has yet to see how operands lie; else the
   * reason why it does not, as above. Of "channels-last", about one convolution: whether it would have that so. */
  const char         *(*declines) (gpointer               device,
                                   const char            *kind,
                                   const GhloIrOp *const *ops,
                                   guint                  n_ops);
  gpointer              device;
  GhloFusionTellFunc    tell;
  gpointer              tell_data;
} GhloPassFusion;

/* All of it borrowed; zeroed it is O0. Names that no pass has do nothing. */
typedef struct
{
  guint              level;               /* 0 … 3 */
  const char *const *on;                  /* nullable; passes to run that the level leaves out */
  const char *const *off;                 /* nullable; passes to leave out; weighs more than @on */
  const char *const *only;                /* nullable; these and no others, in this order, once each */
  gboolean           use_environment;     /* GHLO_DISABLE names more to leave out; @on and @only weigh more; and
                                             GHLO_FUSE says how many merges there may be */
  gboolean           excess_precision;    /* a value may be kept more precisely than its type says */
  gboolean           verify;              /* after each pass; a module that does not verify is INTERNAL */
  GhloPassEvaluator  evaluator;           /* without a function nothing is computed ahead of time */
  GhloPassFusion     fusion;
} GhloPassOptions;

typedef struct
{
  guint   n_runs;
  guint64 n_changes;
  gint64  microseconds;                   /* over all runs, verifying left out */
} GhloPassRecord;

/* What the passes did, by their place in the table. */
typedef struct
{
  gatomicrefcount ref_count;
  guint           n_rounds;
  guint64         n_ops_before, n_ops_after;
  gint64          microseconds;           /* fusion included */
  GhloPassRecord *records;                /* owned; ghlo_passes_count () of them */
} GhloPassReport;

/* FALSE when cancelled, or with @options->verify when a pass left something wrong.
 * @monitor and @report may be NULL; a report is one from ghlo_pass_report_new (). */
gboolean        ghlo_passes_run           (GhloIrModule          *module,
                                           const GhloPassOptions *options,
                                           const GhloMonitor     *monitor,
                                           GhloPassReport        *report,
                                           GError               **error);

/* The fusion passes, which ghlo_passes_run () runs where @options->only has them alone: they make a program
 * for one device, after what programs keep of passes. Of @report their records are filled in, and
 * their time is added. */
gboolean        ghlo_passes_fuse          (GhloIrModule          *module,
                                           const GhloPassOptions *options,
                                           const GhloMonitor     *monitor,
                                           GhloPassReport        *report,
                                           GError               **error);
/* The merges after which GHLO_FUSE stops fusion passes, G_MAXUINT without it. FALSE, with @error and
 * G_MAXUINT, where it is no number. */
gboolean        ghlo_passes_read_fuse     (guint                 *max_merges,
                                           GError               **error);

guint           ghlo_passes_count         (void);
const char     *ghlo_pass_get_name        (guint                  pass);
const char     *ghlo_pass_get_summary     (guint                  pass);
/* The least level that runs the pass, or GHLO_PASS_ASKED. */
guint           ghlo_pass_get_level       (guint                  pass);
/* Its place in the table, or -1; names that passes had before are found as well. */
int             ghlo_pass_find            (const char            *name);
/* What the pass is called that was called @name once; NULL for any other name. */
const char     *ghlo_pass_get_new_name    (const char            *name);

/* Whether @options, without their @only, have the pass run. */
gboolean        ghlo_passes_choose        (const GhloPassOptions *options,
                                           guint                  pass);

/* Whether GHLO_DISABLE may name that besides passes. */
gboolean        ghlo_passes_has_switch    (const char            *name);

/* The names and what they stand for, a line each; for `GHLO_DISABLE=help`. */
char           *ghlo_passes_help          (void);
/* TRUE when GHLO_DISABLE asks for that text. */
gboolean        ghlo_passes_help_wanted   (void);

GhloPassReport *ghlo_pass_report_new      (void);
GhloPassReport *ghlo_pass_report_ref      (GhloPassReport        *self);
void            ghlo_pass_report_unref    (GhloPassReport        *self);
/* A table of the passes that ran, for people. */
char           *ghlo_pass_report_to_string (const GhloPassReport *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPassReport, ghlo_pass_report_unref)

G_END_DECLS
