/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Statistics: an immutable copy of counters.
 */

#include "ghlo-statistics-private.h"

#include "runtime/value.h"

/**
 * GhloStatistics:
 *
 * How much was compiled and run so far, and how much memory values occupy. It is a
 * snapshot and does not change.
 *
 * Since: 1.0
 */
struct _GhloStatistics
{
  gatomicrefcount ref_count;
  guint64         n_compiles;
  guint64         n_runs;
  guint64         n_failures;
  guint64         n_cache_hits;
  guint64         n_cache_misses;
  double          compile_time;    /* in seconds, like the next */
  double          run_time;
  guint64         memory_used;     /* in bytes, like the next */
  guint64         memory_peak;
};

G_DEFINE_BOXED_TYPE (GhloStatistics, ghlo_statistics, ghlo_statistics_ref, ghlo_statistics_unref)

GhloStatistics *
ghlo_statistics_new (GhloCounters *counters)
{
  GhloStatistics *self = g_new0 (GhloStatistics, 1);
  const GhloCounters read = ghlo_counters_read (counters);

  g_atomic_ref_count_init (&self->ref_count);
  self->n_compiles = read.n_compiles;
  self->n_runs = read.n_runs;
  self->n_failures = read.n_failures;
  self->n_cache_hits = read.n_cache_hits;
  self->n_cache_misses = read.n_cache_misses;
  self->compile_time = read.compile_time / (double) G_USEC_PER_SEC;
  self->run_time = read.run_time / (double) G_USEC_PER_SEC;
  self->memory_used = ghlo_memory_get_used ();
  self->memory_peak = ghlo_memory_get_peak ();

  return self;
}

/**
 * ghlo_statistics_ref:
 * @self: statistics
 *
 * Takes a reference.
 *
 * Returns: (transfer full): @self
 *
 * Since: 1.0
 */
GhloStatistics *
ghlo_statistics_ref (GhloStatistics *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

/**
 * ghlo_statistics_unref:
 * @self: (transfer full): statistics
 *
 * Drops a reference.
 *
 * Since: 1.0
 */
void
ghlo_statistics_unref (GhloStatistics *self)
{
  g_return_if_fail (self != NULL);

  if (g_atomic_ref_count_dec (&self->ref_count))
    g_free (self);
}

/**
 * ghlo_statistics_get_n_compiles:
 * @self: statistics
 *
 * Gets the number of successful compilations.
 *
 * Returns: the number
 *
 * Since: 1.0
 */
guint64
ghlo_statistics_get_n_compiles (const GhloStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_compiles;
}

/**
 * ghlo_statistics_get_n_runs:
 * @self: statistics
 *
 * Gets the number of successful runs.
 *
 * Returns: the number
 *
 * Since: 1.0
 */
guint64
ghlo_statistics_get_n_runs (const GhloStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_runs;
}

/**
 * ghlo_statistics_get_n_failures:
 * @self: statistics
 *
 * Gets the number of runs that began and then failed or were cancelled.
 *
 * Returns: the number
 *
 * Since: 1.0
 */
guint64
ghlo_statistics_get_n_failures (const GhloStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_failures;
}

/**
 * ghlo_statistics_get_n_cache_hits:
 * @self: statistics
 *
 * Gets the number of compilations that found a result to reuse: an existing
 * executable of an equal program, or the output of the passes in the cache on disk.
 *
 * Returns: the number
 *
 * Since: 1.0
 */
guint64
ghlo_statistics_get_n_cache_hits (const GhloStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_cache_hits;
}

/**
 * ghlo_statistics_get_n_cache_misses:
 * @self: statistics
 *
 * Gets the number of compilations that looked for a result to reuse and found none.
 * Compilations without [property@Ghlo.CompileOptions:caching], and those for
 * devices that run programs unmodified, do not look for one.
 *
 * Returns: the number
 *
 * Since: 1.0
 */
guint64
ghlo_statistics_get_n_cache_misses (const GhloStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_cache_misses;
}

/**
 * ghlo_statistics_get_compile_time:
 * @self: statistics
 *
 * Gets the total time of all compilations.
 *
 * Returns: the time in seconds
 *
 * Since: 1.0
 */
double
ghlo_statistics_get_compile_time (const GhloStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->compile_time;
}

/**
 * ghlo_statistics_get_run_time:
 * @self: statistics
 *
 * Gets the total time of all runs.
 *
 * Returns: the time in seconds
 *
 * Since: 1.0
 */
double
ghlo_statistics_get_run_time (const GhloStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->run_time;
}

/**
 * ghlo_statistics_get_memory_used:
 * @self: statistics
 *
 * Gets how much memory the values of the whole process occupied: buffers, and the
 * working memory of runs. Bytes of the application that buffers were created from do
 * not count.
 *
 * Returns: the number of bytes
 *
 * Since: 1.0
 */
guint64
ghlo_statistics_get_memory_used (const GhloStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->memory_used;
}

/**
 * ghlo_statistics_get_memory_peak:
 * @self: statistics
 *
 * Gets the most memory that the values of the whole process have ever occupied.
 *
 * Returns: the number of bytes
 *
 * Since: 1.0
 */
guint64
ghlo_statistics_get_memory_peak (const GhloStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->memory_peak;
}
