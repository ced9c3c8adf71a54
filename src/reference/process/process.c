/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Grids of processes: their threads, failures and deadlocks.
 */

#include "reference/process/process-private.h"

#include "reference/frame.h"

/* How often a waiting thread checks for cancellation, and how many threads all runs of this operating system
 * process may have at a time. */
enum { POLL_INTERVAL = 10 * G_TIME_SPAN_MILLISECOND, MAX_THREADS = 1024 };

static int n_live_threads;

gboolean
ghlo_ref_thread_reserve (GError **error)
{
  if (g_atomic_int_add (&n_live_threads, 1) < MAX_THREADS)
    return TRUE;

  g_atomic_int_add (&n_live_threads, -1);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
               "expected at most %d processes and futures at a time, found more", MAX_THREADS);
  return FALSE;
}

void
ghlo_ref_thread_release (void)
{
  g_atomic_int_add (&n_live_threads, -1);
}

GhloRefGrid *
ghlo_ref_grid_new (guint             n_replicas,
                   guint             n_partitions,
                   GhloRefGrid      *parent,
                   const GhloIrAttr *infeed)
{
  GhloRefGrid *self = g_new0 (GhloRefGrid, 1);

  self->n_replicas = n_replicas;
  self->n_partitions = n_partitions;
  self->parent = parent;
  self->infeed = infeed;
  self->works = g_ptr_array_new ();
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);

  return self;
}

void
ghlo_ref_grid_free (GhloRefGrid *self)
{
  g_ptr_array_unref (self->works);
  g_clear_error (&self->error);
  g_clear_pointer (&self->rendezvous, g_hash_table_unref);
  g_clear_pointer (&self->visits, g_hash_table_unref);
  g_clear_pointer (&self->channels, g_hash_table_unref);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

guint
ghlo_ref_grid_get_replicas (const GhloRefGrid *self)
{
  return self->n_replicas;
}

guint
ghlo_ref_grid_get_partitions (const GhloRefGrid *self)
{
  return self->n_partitions;
}

void
ghlo_ref_grid_fail (GhloRefGrid  *self,
                    const GError *error)
{
  g_mutex_lock (&self->lock);
  if (error != NULL && self->error == NULL)
    self->error = g_error_copy (error);
  g_atomic_int_set (&self->failed, TRUE);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static gboolean
is_stopped (GhloRefGrid *self)
{
  for (; self != NULL; self = self->parent)
    if (g_atomic_int_get (&self->failed))
      return TRUE;

  return FALSE;
}

const char *
ghlo_ref_grid_take_infeed (GhloRefGrid *self)
{
  const char *name = NULL;

  g_mutex_lock (&self->lock);
  if (self->infeed != NULL && self->n_taken < self->infeed->length)
    name = self->infeed->children[self->n_taken++]->text;
  g_mutex_unlock (&self->lock);

  return name;
}

void
ghlo_ref_grid_check_deadlock (GhloRefGrid *self)
{
  if (self->n_blocked == 0 || self->n_blocked < self->n_threads || is_stopped (self))
    return;

  self->is_deadlocked = TRUE;
  g_atomic_int_set (&self->failed, TRUE);
  g_cond_broadcast (&self->changed);
}

void
ghlo_ref_process_begin (GhloRefProcess *self,
                        GhloRefRun     *run,
                        GhloRefGrid    *grid,
                        guint           replica,
                        guint           partition)
{
  *self = (GhloRefProcess) { .run = run, .grid = grid, .owner = self, .replica = replica, .partition = partition };

  g_mutex_lock (&grid->lock);
  grid->n_threads++;
  g_mutex_unlock (&grid->lock);
}

void
ghlo_ref_process_begin_part (GhloRefProcess *self,
                             GhloRefRun     *run,
                             GhloRefProcess *owner)
{
  *self = (GhloRefProcess) {
    .run = run, .grid = owner->grid, .owner = owner, .replica = owner->replica, .partition = owner->partition,
  };
}

static void
end_thread (GhloRefGrid *grid)
{
  g_mutex_lock (&grid->lock);
  grid->n_threads--;
  ghlo_ref_grid_check_deadlock (grid);
  g_mutex_unlock (&grid->lock);
}

void
ghlo_ref_process_end (GhloRefProcess *self)
{
  end_thread (self->grid);
}

void
ghlo_ref_process_pause (GhloRefProcess *self)
{
  end_thread (self->grid);
}

void
ghlo_ref_process_find_cause (GhloRefProcess *self,
                             GError        **error)
{
  g_mutex_lock (&self->grid->lock);
  if (self->was_stopped && self->grid->error != NULL)
    {
      g_clear_error (error);
      *error = g_error_copy (self->grid->error);
      self->was_stopped = FALSE;
    }
  g_mutex_unlock (&self->grid->lock);
}

gboolean
ghlo_ref_process_continue (GhloRefProcess *self,
                           GError        **error)
{
  if (ghlo_monitor_cancelled (self->run->monitor, error))
    return FALSE;
  if (!is_stopped (self->grid))
    return TRUE;

  self->was_stopped = TRUE;
  g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_DATA, "stopped because another process failed");

  return FALSE;
}

void
ghlo_ref_grid_wake (GhloRefGrid   *self,
                    GhloRefWaiter *waiter)
{
  waiter->ready = TRUE;
  if (waiter->blocked)
    {
      waiter->blocked = FALSE;
      self->n_blocked--;
    }
  g_cond_broadcast (&self->changed);
}

gboolean
ghlo_ref_process_wait_for (GhloRefProcess *self,
                           GhloRefWaiter  *waiter,
                           GError        **error)
{
  GhloRefGrid *grid = self->grid;

  if (!waiter->ready)
    {
      waiter->blocked = TRUE;
      grid->n_blocked++;
      ghlo_ref_grid_check_deadlock (grid);
    }
  while (!waiter->ready && !is_stopped (grid) && !ghlo_monitor_cancelled (self->run->monitor, NULL))
    g_cond_wait_until (&grid->changed, &grid->lock, g_get_monotonic_time () + POLL_INTERVAL);
  if (waiter->blocked)
    {
      waiter->blocked = FALSE;
      grid->n_blocked--;
    }

  if (waiter->ready)
    return TRUE;
  if (!grid->is_deadlocked)
    ghlo_ref_process_continue (self, error);

  return FALSE;
}
