/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of passes, and the loop that runs them: in rounds, until a round changes nothing or the level's number of
 * rounds is reached.
 */

#include "passes/context.h"

#include <math.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/environment.h"
#include "base/trace.h"
#include "ir/verify/verify.h"
#include "passes/walk.h"

/* In the order in which a round runs them. Transposes are folded into products before "reshape" moves them away from
 * these; "dce" comes last, so that the next round need not look at unused operations. */
const GhloPass ghlo_pass_table[] = {
  { "inline", "Replaces calls and composites by the bodies of their functions", 1, GHLO_PASS_FIRST,
    ghlo_pass_inline },
  { "lower-quantized", "Writes operations on quantized values in terms of integers and floats", 1, GHLO_PASS_FIRST,
    ghlo_pass_lower_quantized },
  { "expand", "Writes operations and calls that devices lack in terms of operations that fuse", 1, GHLO_PASS_FIRST,
    ghlo_pass_expand },
  { "whole-scatter-windows", "Drops the whole of a scatter window that is partly out of bounds, as XLA does",
    GHLO_PASS_ON_REQUEST, GHLO_PASS_FIRST, ghlo_pass_whole_scatter_windows },
  { "canonicalize", "Applies algebraic rules that hold for every value", 1, GHLO_PASS_EACH, ghlo_pass_canonicalize },
  { "fold", "Evaluates operations on constants", 1, GHLO_PASS_EACH, ghlo_pass_fold },
  { "fold-transposes", "Folds transposes into the dimension numbers of products and convolutions", 2, GHLO_PASS_EACH,
    ghlo_pass_fold_transposes },
  { "reshape", "Merges reshapes, transposes and broadcasts, and moves them to where they cancel out", 2, GHLO_PASS_EACH,
    ghlo_pass_reshape },
  { "cse", "Eliminates common subexpressions", 2, GHLO_PASS_EACH, ghlo_pass_cse },
  { "licm", "Moves loop-invariant operations out of loops", 2, GHLO_PASS_EACH, ghlo_pass_licm },
  { "count-loops", "Brings counted loops into a canonical form", 2, GHLO_PASS_EACH, ghlo_pass_count_loops },
  { "dce", "Removes operations, values and functions that nothing uses", 1, GHLO_PASS_EACH, ghlo_pass_dce },
  { "channels-last", "Keeps the operands and results of convolutions channels-last where a device prefers it", 2,
    GHLO_PASS_FUSION, ghlo_pass_channels_last },
  { "expand-dots", "Writes products that sum few terms as multiplications and additions where a device prefers it", 2,
    GHLO_PASS_FUSION, ghlo_pass_expand_dots },
  { "narrow-dots", "Writes products of values that are converted from bf16 as products of bf16 where a device prefers "
    "it", 2, GHLO_PASS_FUSION, ghlo_pass_narrow_dots },
  { "split-windows", "Reduces windows of several dimensions one dimension after the other", 1, GHLO_PASS_FUSION,
    ghlo_pass_split_windows },
  { "fuse-loops", "Fuses a loop over few elements into one step", 1, GHLO_PASS_FUSION, ghlo_pass_fuse_loops },
  { "fuse-attention", "Fuses attention into one step: the scores, their softmax, and its product with the values", 1,
    GHLO_PASS_FUSION, ghlo_pass_fuse_attention },
  { "expand-gemv", "Writes products of a vector and a matrix that is computed from narrower values as multiplications "
    "and sums where a device prefers it", 2, GHLO_PASS_FUSION, ghlo_pass_expand_gemv },
  { "fuse-epilogues", "Fuses a product or convolution with the elementwise operations around it", 1,
    GHLO_PASS_FUSION, ghlo_pass_fuse_epilogues },
  { "fuse-reductions", "Fuses reductions with the elementwise operations around them", 1,
    GHLO_PASS_FUSION, ghlo_pass_fuse_reductions },
  { "fuse-maps", "Fuses elementwise operations that produce or consume each other's results", 1,
    GHLO_PASS_FUSION, ghlo_pass_fuse_maps },
  { "widen-floats", "With excess precision, computes in f32 between the operations of a fusion on f16 and bf16", 2,
    GHLO_PASS_FUSION, ghlo_pass_widen_floats },
};

enum { N_PASSES = G_N_ELEMENTS (ghlo_pass_table) };

/* The maximum number of rounds by level. A program is finished when a round changes nothing, which for exported models
 * is the second or third round of O2; O3 would continue if it were not. */
static const guint max_rounds[GHLO_PASS_MAX_LEVEL + 1] = { 0, 2, 4, 16 };

guint
ghlo_passes_count (void)
{
  return N_PASSES;
}

const char *
ghlo_pass_get_name (guint pass)
{
  return pass < N_PASSES ? ghlo_pass_table[pass].name : NULL;
}

const char *
ghlo_pass_get_summary (guint pass)
{
  return pass < N_PASSES ? ghlo_pass_table[pass].summary : NULL;
}

guint
ghlo_pass_get_level (guint pass)
{
  return pass < N_PASSES ? ghlo_pass_table[pass].level : GHLO_PASS_MAX_LEVEL + 1;
}

int
ghlo_pass_find (const char *name)
{
  for (guint i = 0; i < N_PASSES; i++)
    if (strcmp (ghlo_pass_table[i].name, name) == 0)
      return (int) i;

  return -1;
}

static gboolean
names_contain (const char *const *names,
               guint              pass)
{
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    if (ghlo_pass_find (names[i]) == (int) pass)
      return TRUE;

  return FALSE;
}

/* The level decides, unless the switches say otherwise. */
gboolean
ghlo_passes_choose (const GhloPassOptions *options,
                    guint                  pass)
{
  const GhloPass *row = &ghlo_pass_table[pass];
  const char *variable = options->use_environment ? ghlo_environment_get ("GHLO_DISABLE") : NULL;
  g_auto (GStrv) disabled = g_strsplit_set (variable != NULL ? variable : "", ", ", -1);
  gboolean by_level = row->level <= options->level && !names_contain ((const char *const *) disabled, pass);

  return (by_level || names_contain (options->on, pass)) && !names_contain (options->off, pass);
}

static gboolean
verify_after (GhloIrModule    *module,
              const GhloPass  *pass,
              GError         **error)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new (module->file_name, NULL, 0);
  g_autoptr (GError) cause = NULL;

  if (ghlo_ir_verify (module, diagnostics, NULL))
    return TRUE;

  ghlo_diagnostics_to_error (diagnostics, &cause);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "the pass '%s' left a program that does not verify: %s",
               pass->name, cause != NULL ? cause->message : "");

  return FALSE;
}

static gboolean
run_pass (GhloIrModule     *module,
          guint             index,
          GhloPassContext  *context,
          GhloPassReport   *report,
          GError          **error)
{
  const GhloPass *pass = &ghlo_pass_table[index];
  gint64 begin = g_get_monotonic_time (), traced = ghlo_trace_begin ();
  gboolean ok;

  context->n_changes = 0;
  ok = !ghlo_monitor_cancelled (context->monitor, error) && pass->run (module, context, error);
  ghlo_trace_end (traced, "pass", pass->name);
  if (report != NULL)
    {
      GhloPassRecord *record = &report->records[index];

      record->n_runs++;
      record->n_changes += context->n_changes;
      record->microseconds += g_get_monotonic_time () - begin;
    }

  return ok && (!context->options->verify || verify_after (module, pass, error));
}

static gboolean
run_named (GhloIrModule     *module,
           GhloPassContext  *context,
           GhloPassReport   *report,
           GError          **error)
{
  for (guint i = 0; context->options->only[i] != NULL; i++)
    {
      int pass = ghlo_pass_find (context->options->only[i]);

      if (pass >= 0 && !names_contain (context->options->off, (guint) pass)
          && !run_pass (module, pass, context, report, error))
        return FALSE;
    }
  if (report != NULL)
    report->n_rounds++;

  return TRUE;
}

/* Runs one round; gets the number of its changes. */
static gboolean
run_round (GhloIrModule     *module,
           GhloPassContext  *context,
           const gboolean   *chosen,
           guint             round,
           guint64          *n_changes,
           GhloPassReport   *report,
           GError          **error)
{
  *n_changes = 0;
  for (guint i = 0; i < N_PASSES; i++)
    {
      const GhloPass *pass = &ghlo_pass_table[i];

      if (!chosen[i] || pass->schedule == GHLO_PASS_FUSION || (pass->schedule == GHLO_PASS_FIRST && round > 0))
        continue;
      /* Most programs are finished after a few rounds, whatever the limit is, so each round counts for half of the
       * remaining progress. */
      ghlo_monitor_progress (context->monitor, 1 - exp2 (-(round + (double) i / N_PASSES)), pass->name);
      if (!run_pass (module, i, context, report, error))
        return FALSE;
      *n_changes += context->n_changes;
    }
  if (report != NULL)
    report->n_rounds++;

  return TRUE;
}

static gboolean
run_level (GhloIrModule     *module,
           GhloPassContext  *context,
           GhloPassReport   *report,
           GError          **error)
{
  guint level = MIN (context->options->level, GHLO_PASS_MAX_LEVEL);
  guint n_rounds = MAX (max_rounds[level], context->options->on != NULL ? 1 : 0);
  gboolean chosen[N_PASSES];
  guint64 n_changes = 1;

  for (guint i = 0; i < N_PASSES; i++)
    chosen[i] = ghlo_passes_choose (context->options, i);
  if (!ghlo_pass_expand_required (module, context, error))
    return FALSE;
  for (guint round = 0; round < n_rounds && n_changes > 0; round++)
    if (!run_round (module, context, chosen, round, &n_changes, report, error))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_passes_read_fuse (guint   *max_merges,
                       GError **error)
{
  const char *variable = ghlo_environment_get ("GHLO_FUSE");
  guint64 n;

  *max_merges = G_MAXUINT;
  if (variable == NULL || *variable == '\0')
    return TRUE;
  if (!g_ascii_string_to_unsigned (variable, 10, 0, G_MAXINT, &n, NULL))
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "expected a number of merges from 0 to %d in GHLO_FUSE, found '%s'", G_MAXINT,
                   variable);
      return FALSE;
    }
  *max_merges = (guint) n;

  return TRUE;
}

static GhloPassContext
make_context (const GhloPassOptions *options,
              const GhloMonitor     *monitor)
{
  GhloPassContext context = { .options = options, .monitor = monitor, .max_merges = G_MAXUINT };

  if (options->use_environment)
    ghlo_passes_read_fuse (&context.max_merges, NULL);

  return context;
}

gboolean
ghlo_passes_fuse (GhloIrModule           *module,
                  const GhloPassOptions  *options,
                  const GhloMonitor      *monitor,
                  GhloPassReport         *report,
                  GError                **error)
{
  GhloPassContext context = make_context (options, monitor);
  gint64 begin = g_get_monotonic_time ();
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < N_PASSES; i++)
    if (ghlo_pass_table[i].schedule == GHLO_PASS_FUSION && ghlo_passes_choose (options, i))
      ok = run_pass (module, i, &context, report, error);
  if (report != NULL)
    report->microseconds += g_get_monotonic_time () - begin;

  return ok;
}

gboolean
ghlo_passes_run (GhloIrModule           *module,
                 const GhloPassOptions  *options,
                 const GhloMonitor      *monitor,
                 GhloPassReport         *report,
                 GError                **error)
{
  GhloPassContext context = make_context (options, monitor);
  gint64 begin = g_get_monotonic_time ();
  gboolean ok;

  if (report != NULL)
    report->n_ops_before = ghlo_pass_count_ops (module);
  ok = options->only != NULL ? run_named (module, &context, report, error)
                             : run_level (module, &context, report, error);
  if (report != NULL)
    {
      report->n_ops_after = ghlo_pass_count_ops (module);
      report->microseconds += g_get_monotonic_time () - begin;
    }

  return ok;
}
