/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compile reports: the immutable record of what the passes counted.
 */

#include "ghlo-compile-report-private.h"

/**
 * GhloCompileReport:
 *
 * What a compilation did to a program: the number of operations before and after,
 * and for each pass, how much it changed and how long it took. Passes are
 * identified by the names that [property@Ghlo.CompileOptions:disabled-passes]
 * takes.
 *
 * It is immutable. When the result of the passes came from a cache, the report
 * describes the earlier compilation in which they ran.
 *
 * Since: 1.0
 */
struct _GhloCompileReport
{
  gatomicrefcount  ref_count;
  GhloPassReport   *passes;      /* owned */
  const char     **names;        /* of the passes that ran; NULL-terminated array of static strings */
};

G_DEFINE_BOXED_TYPE (GhloCompileReport, ghlo_compile_report, ghlo_compile_report_ref, ghlo_compile_report_unref)

GhloCompileReport *
ghlo_compile_report_new (GhloPassReport *passes)
{
  GhloCompileReport *self = g_new0 (GhloCompileReport, 1);
  guint n = 0;

  g_atomic_ref_count_init (&self->ref_count);
  self->passes = ghlo_pass_report_ref (passes);
  self->names = g_new0 (const char *, ghlo_passes_count () + 1);
  for (guint pass = 0; pass < ghlo_passes_count (); pass++)
    if (passes->records[pass].n_runs > 0)
      self->names[n++] = ghlo_pass_get_name (pass);

  return self;
}

/**
 * ghlo_compile_report_ref:
 * @self: a report
 *
 * Takes a reference.
 *
 * Returns: (transfer full): @self
 *
 * Since: 1.0
 */
GhloCompileReport *
ghlo_compile_report_ref (GhloCompileReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

/**
 * ghlo_compile_report_unref:
 * @self: (transfer full): a report
 *
 * Drops a reference.
 *
 * Since: 1.0
 */
void
ghlo_compile_report_unref (GhloCompileReport *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  ghlo_pass_report_unref (self->passes);
  g_free (self->names);
  g_free (self);
}

/**
 * ghlo_compile_report_get_n_operations_before:
 * @self: a report
 *
 * Gets the number of operations before the passes, including functions and nested
 * operations.
 *
 * Returns: the number
 *
 * Since: 1.0
 */
guint64
ghlo_compile_report_get_n_operations_before (const GhloCompileReport *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->passes->n_ops_before;
}

/**
 * ghlo_compile_report_get_n_operations_after:
 * @self: a report
 *
 * Gets the number of operations after the passes.
 *
 * Returns: the number
 *
 * Since: 1.0
 */
guint64
ghlo_compile_report_get_n_operations_after (const GhloCompileReport *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->passes->n_ops_after;
}

/**
 * ghlo_compile_report_get_n_rounds:
 * @self: a report
 *
 * Gets how often the sequence of passes was repeated.
 *
 * Returns: the number, 0 when no pass ran
 *
 * Since: 1.0
 */
guint
ghlo_compile_report_get_n_rounds (const GhloCompileReport *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->passes->n_rounds;
}

/**
 * ghlo_compile_report_get_time:
 * @self: a report
 *
 * Gets the total time of the passes.
 *
 * Returns: the time in seconds
 *
 * Since: 1.0
 */
double
ghlo_compile_report_get_time (const GhloCompileReport *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->passes->microseconds / (double) G_USEC_PER_SEC;
}

/**
 * ghlo_compile_report_get_passes:
 * @self: a report
 *
 * Gets the names of the passes that ran, in the order in which they run.
 *
 * Returns: (transfer none) (array zero-terminated=1): the names
 *
 * Since: 1.0
 */
const char * const *
ghlo_compile_report_get_passes (const GhloCompileReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->names;
}

/* The record of pass @name; all zero when there is no such pass. */
static GhloPassRecord
find_record (const GhloCompileReport *self,
             const char              *name)
{
  int pass = name != NULL ? ghlo_pass_find (name) : -1;

  return pass >= 0 ? self->passes->records[pass] : (GhloPassRecord) { 0 };
}

/**
 * ghlo_compile_report_get_n_runs:
 * @self: a report
 * @pass: the name of a pass
 *
 * Gets how often a pass ran.
 *
 * Returns: the number, 0 for a pass that did not run or is not known
 *
 * Since: 1.0
 */
guint
ghlo_compile_report_get_n_runs (const GhloCompileReport *self,
                                const char              *pass)
{
  g_return_val_if_fail (self != NULL, 0);

  return find_record (self, pass).n_runs;
}

/**
 * ghlo_compile_report_get_n_changes:
 * @self: a report
 * @pass: the name of a pass
 *
 * Gets how many changes a pass made, over all its runs.
 *
 * Returns: the number, 0 for a pass that did not run or is not known
 *
 * Since: 1.0
 */
guint64
ghlo_compile_report_get_n_changes (const GhloCompileReport *self,
                                   const char              *pass)
{
  g_return_val_if_fail (self != NULL, 0);

  return find_record (self, pass).n_changes;
}

/**
 * ghlo_compile_report_get_pass_time:
 * @self: a report
 * @pass: the name of a pass
 *
 * Gets the total time of all runs of a pass.
 *
 * Returns: the time in seconds, 0 for a pass that did not run or is not known
 *
 * Since: 1.0
 */
double
ghlo_compile_report_get_pass_time (const GhloCompileReport *self,
                                   const char              *pass)
{
  g_return_val_if_fail (self != NULL, 0);

  return find_record (self, pass).microseconds / (double) G_USEC_PER_SEC;
}

/**
 * ghlo_compile_report_to_string:
 * @self: a report
 *
 * Formats the report as a human-readable table.
 *
 * Returns: (transfer full): the text
 *
 * Since: 1.0
 */
char *
ghlo_compile_report_to_string (const GhloCompileReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return ghlo_pass_report_to_string (self->passes);
}
