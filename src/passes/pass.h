/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Passes: transformations of a module that preserve what it computes. Each pass is a row of one table and has a name, a
 * level from which it runs, and a switch. ghlo_passes_run () changes the module in place. The module verifies after
 * each pass, even when a run is cancelled.
 *
 * Results are preserved for NaN, infinities, signed zeros, wrapping integers and empty tensors too. A NaN stays a NaN,
 * but its bits may change.
 */

#pragma once

#include "ir/fusion.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* A pass that changes the meaning of a program belongs to no level and runs only on request. */
enum { GHLO_PASS_MAX_LEVEL = 3, GHLO_PASS_ON_REQUEST };

/* Evaluates an operation on constant operands; provided by a caller that can run it. @op is in @module and has one
 * DENSE attribute of its operand's type for each operand; one DENSE attribute of @module for each result is added
 * to @results. Returning FALSE is not an error, and the operation stays as it is, unless @error says that the run
 * was cancelled. */
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

/* Operations that a fusion pass merged, or considered merging. */
typedef struct
{
  GhloFusionKind  kind;
  const GhloIrOp *first;                  /* the first operation of the group */
  const GhloIrOp *op;                     /* the operation to be merged into it; NULL where none in particular */
  guint           number;                 /* of the merge, from 1 on; 0: not merged */
  const char     *reason;                 /* why not, as a sentence without its full stop; static */
} GhloFusionCandidate;

/* Called for each candidate, in order. */
typedef void (*GhloFusionReportFunc) (gpointer                   data,
                                      const GhloIrModule        *module,
                                      const GhloFusionCandidate *candidate);

/* The questions and reports of fusion passes. Zero-initialized, everything that may be fused is fused. */
typedef struct
{
  /* NULL where the device runs the operations as one step, as far as it can tell before the operands' layouts are
   * known; else the reason why it does not, as above. CHANNELS_LAST passes one convolution, and asks whether the
   * device prefers that layout for it; EXPAND_DOTS and EXPAND_GEMV pass one product, and ask whether the device prefers
   * multiplications and additions; NARROW_DOTS passes a product of f32, and asks whether it prefers one of bf16;
   * SPLIT_WINDOWS passes a reduction of windows, and asks whether steps cost little beside what they save. */
  const char         *(*declines) (gpointer               device,
                                   GhloFusionKind         kind,
                                   const GhloIrOp *const *ops,
                                   guint                  n_ops);
  gpointer              device;
  GhloFusionReportFunc  report_candidate;
  gpointer              report_data;
} GhloPassFusion;

/* Everything is borrowed. Zero-initialized, this is O0. Names that match no pass are ignored. */
typedef struct
{
  guint              level;               /* 0 … 3 */
  const char *const *on;                  /* nullable; passes to run although the level leaves them out */
  const char *const *off;                 /* nullable; passes to leave out; takes precedence over @on */
  const char *const *only;                /* nullable; run exactly these passes, in this order, once each */
  gboolean           use_environment;     /* also leave out the passes in GHLO_DISABLE, over which @on and @only take
                                             precedence, and limit the number of merges to GHLO_FUSE */
  gboolean           excess_precision;    /* a value may be kept more precisely than its type says */
  gboolean         (*is_registered) (gpointer    data,
                                     const char *target); /* nullable; whether the application answers calls of that
                                                             name, which are not expanded then */
  gpointer           registered_data;
  gboolean           verify;              /* verify after each pass; a module that fails is GHLO_ERROR_INTERNAL */
  GhloPassEvaluator  evaluator;           /* without a function, nothing is computed ahead of time */
  GhloPassFusion     fusion;
} GhloPassOptions;

typedef struct
{
  guint   n_runs;
  guint64 n_changes;
  gint64  microseconds;                   /* over all runs, without verification */
} GhloPassRecord;

/* What the passes did, indexed by their place in the table. */
typedef struct
{
  gatomicrefcount ref_count;
  guint           n_rounds;
  guint64         n_ops_before, n_ops_after;
  gint64          microseconds;           /* including fusion */
  GhloPassRecord *records;                /* owned; ghlo_passes_count () of them */
} GhloPassReport;

/* FALSE when cancelled, or, with @options->verify, when a pass left an invalid module. @monitor and @report may be
 * NULL; a report is made by ghlo_pass_report_new (). */
gboolean        ghlo_passes_run           (GhloIrModule          *module,
                                           const GhloPassOptions *options,
                                           const GhloMonitor     *monitor,
                                           GhloPassReport        *report,
                                           GError               **error);

/* Whether @module has calls that no executor has, and which ghlo_passes_run () therefore expands at each level. */
gboolean        ghlo_passes_required      (GhloIrModule          *module,
                                           const GhloPassOptions *options);

/* Runs the fusion passes, which ghlo_passes_run () runs only where @options->only names them. They adapt a program to
 * one device and run after the other passes, whose result is what caches keep. Fills in their records in @report and
 * adds their time. */
gboolean        ghlo_passes_fuse          (GhloIrModule          *module,
                                           const GhloPassOptions *options,
                                           const GhloMonitor     *monitor,
                                           GhloPassReport        *report,
                                           GError               **error);
/* Gets the number of merges after which GHLO_FUSE stops the fusion passes, or G_MAXUINT where it is not set. FALSE,
 * with @error set and G_MAXUINT, where it is not a number. */
gboolean        ghlo_passes_read_fuse     (guint                 *max_merges,
                                           GError               **error);

guint           ghlo_passes_count         (void);
const char     *ghlo_pass_get_name        (guint                  pass);
const char     *ghlo_pass_get_summary     (guint                  pass);
/* The lowest level that runs the pass, or GHLO_PASS_ON_REQUEST. */
guint           ghlo_pass_get_level       (guint                  pass);
/* The pass's place in the table, or -1. */
int             ghlo_pass_find            (const char            *name);

/* Whether @options select the pass, disregarding @options->only. */
gboolean        ghlo_passes_choose        (const GhloPassOptions *options,
                                           guint                  pass);

/* Whether @name is one of the names that GHLO_DISABLE accepts besides passes. */
gboolean        ghlo_passes_has_switch    (const char            *name);

/* The names that GHLO_DISABLE accepts and what they mean, one per line; for `GHLO_DISABLE=help`. */
char           *ghlo_passes_help          (void);
/* TRUE when GHLO_DISABLE asks for that text. */
gboolean        ghlo_passes_help_wanted   (void);

GhloPassReport *ghlo_pass_report_new      (void);
GhloPassReport *ghlo_pass_report_ref      (GhloPassReport        *self);
void            ghlo_pass_report_unref    (GhloPassReport        *self);
/* A table of the passes that ran, for display. */
char           *ghlo_pass_report_to_string (const GhloPassReport *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPassReport, ghlo_pass_report_unref)

G_END_DECLS
