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

#define ADD(counter, number) __atomic_add_fetch (counter, number, __ATOMIC_RELAXED)
#define GET(counter) __atomic_load_n (counter, __ATOMIC_RELAXED)

void
ghlo_counters_add_compile (GhloCounters *self,
                           gint64        start,
                           GhloCacheUse  use)
{
  if (use != GHLO_CACHE_USE_NONE)
    ADD (use == GHLO_CACHE_USE_HIT ? &self->n_cache_hits : &self->n_cache_misses, 1);
  ADD (&self->n_compiles, 1);
  ADD (&self->compile_time, g_get_monotonic_time () - start);
}

void
ghlo_counters_add_run (GhloCounters *self,
                       gint64        time,
                       gboolean      success)
{
  ADD (success ? &self->n_runs : &self->n_failures, 1);
  ADD (&self->run_time, (guint64) time);
}

GhloCounters
ghlo_counters_read (GhloCounters *self)
{
  if (self == NULL)
    return (GhloCounters) { 0 };

  return (GhloCounters) {
    .n_compiles = GET (&self->n_compiles),
    .n_runs = GET (&self->n_runs),
    .n_failures = GET (&self->n_failures),
    .n_cache_hits = GET (&self->n_cache_hits),
    .n_cache_misses = GET (&self->n_cache_misses),
    .compile_time = GET (&self->compile_time),
    .run_time = GET (&self->run_time),
  };
}
