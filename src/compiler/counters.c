/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counters of compiles and runs, which are updated atomically.
 */

#include "compiler/counters.h"

GhloCounters *
ghlo_counters_new (void)
{
  GhloCounters *self = g_new0 (GhloCounters, 1);

  g_atomic_ref_count_init (&self->ref_count);

  return self;
}

GhloCounters *
ghlo_counters_ref (GhloCounters *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_counters_unref (GhloCounters *self)
{
  if (g_atomic_ref_count_dec (&self->ref_count))
    g_free (self);
}

static void
add (guint64 *counter,
     guint64  number)
{
  __atomic_add_fetch (counter, number, __ATOMIC_RELAXED);
}

static guint64
get (guint64 *counter)
{
  return __atomic_load_n (counter, __ATOMIC_RELAXED);
}

void
ghlo_counters_add_compile (GhloCounters *self,
                           gint64        start,
                           GhloCacheUse  use)
{
  if (use != GHLO_CACHE_USE_NONE)
    add (use == GHLO_CACHE_USE_HIT ? &self->n_cache_hits : &self->n_cache_misses, 1);
  add (&self->n_compiles, 1);
  add (&self->compile_time, g_get_monotonic_time () - start);
}

void
ghlo_counters_add_run (GhloCounters *self,
                       gint64        time,
                       gboolean      success)
{
  add (success ? &self->n_runs : &self->n_failures, 1);
  add (&self->run_time, (guint64) time);
}

GhloCounters
ghlo_counters_read (GhloCounters *self)
{
  if (self == NULL)
    return (GhloCounters) { 0 };

  return (GhloCounters) {
    .n_compiles = get (&self->n_compiles),
    .n_runs = get (&self->n_runs),
    .n_failures = get (&self->n_failures),
    .n_cache_hits = get (&self->n_cache_hits),
    .n_cache_misses = get (&self->n_cache_misses),
    .compile_time = get (&self->compile_time),
    .run_time = get (&self->run_time),
  };
}
