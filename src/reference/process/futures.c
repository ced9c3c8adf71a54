/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Futures: a thread each, which computes results while the process that started it continues.
 */

#include "reference/process/process-private.h"

#include "base/stack.h"

/* A future's thread. The future holds one reference. The grid holds another until the thread is joined. */
typedef struct
{
  gatomicrefcount  ref_count;
  GhloRefProcess   process;
  GhloThread      *thread;
  GhloRefWorkFunc  function;
  gpointer         data;
  GDestroyNotify   free_data;
  GhloValue      **results;     /* owned, like the values */
  guint            n_results;
  GError          *error;
  int              done;        /* atomic; TRUE once results and error are final */
  GhloRefWaiter   *waiter; /* the thread that waits for it, or NULL; guarded by the grid's lock */
} Work;

static void
work_unref (Work *work)
{
  if (!g_atomic_ref_count_dec (&work->ref_count))
    return;

  if (work->results != NULL)
    ghlo_values_clear (work->results, work->n_results);
  g_free (work->results);
  g_clear_error (&work->error);
  g_clear_pointer (&work->process.tickets, g_ptr_array_unref);
  g_free (work);
}

/* Joins the thread of @wanted, or of any future where that is NULL. FALSE when there is none that is not joined yet. */
static gboolean
join_work (GhloRefGrid *grid,
           Work        *wanted)
{
  Work *work = NULL;
  guint index = 0;

  g_mutex_lock (&grid->lock);
  if (wanted == NULL ? grid->works->len > 0 : g_ptr_array_find (grid->works, wanted, &index))
    work = g_ptr_array_steal_index_fast (grid->works, index);
  g_mutex_unlock (&grid->lock);
  if (work == NULL)
    return FALSE;

  ghlo_thread_join (work->thread);
  work_unref (work);

  return TRUE;
}

/* Futures may start others while they are waited for. */
void
ghlo_ref_grid_join (GhloRefGrid *self)
{
  while (join_work (self, NULL))
    ;
}

static gpointer
run_work (gpointer data)
{
  Work *work = data;
  GhloRefGrid *grid = work->process.grid;

  if (!work->function (&work->process, work->data, work->results, &work->error))
    ghlo_ref_grid_fail (grid, work->process.was_stopped ? NULL : work->error);
  work->free_data (work->data);
  ghlo_ref_thread_release ();

  g_mutex_lock (&grid->lock);
  g_atomic_int_set (&work->done, TRUE);
  grid->n_threads--;
  if (work->waiter != NULL)
    ghlo_ref_grid_wake (grid, work->waiter);
  ghlo_ref_grid_check_deadlock (grid);
  g_mutex_unlock (&grid->lock);

  return NULL;
}

/* GhloValue calls this without a process: when an output of a run is read, which is after the thread has
 * ended, or when the last reference is dropped, which may be earlier. */
static void
finish_future (GhloValue *future)
{
  Work *work = g_steal_pointer (&future->work);

  if (work == NULL)
    return;
  if (g_atomic_int_get (&work->done) && work->error == NULL)
    {
      future->members = g_steal_pointer (&work->results);
      future->n_members = work->n_results;
    }
  work_unref (work);
}

static gboolean
start_thread (Work    *work,
              GError **error)
{
  GhloRefGrid *grid = work->process.grid;

  if (!ghlo_ref_thread_reserve (error))
    return FALSE;

  g_mutex_lock (&grid->lock);
  work->thread = ghlo_thread_try_new ("ghlo-future", run_work, work, error);
  if (work->thread != NULL)
    {
      grid->n_threads++;
      g_atomic_ref_count_inc (&work->ref_count);
      g_ptr_array_add (grid->works, work);
    }
  g_mutex_unlock (&grid->lock);
  if (work->thread == NULL)
    ghlo_ref_thread_release ();

  return work->thread != NULL;
}

GhloValue *
ghlo_ref_process_start (GhloRefProcess  *self,
                        GPtrArray       *tickets,
                        GhloRefWorkFunc  function,
                        gpointer         data,
                        GDestroyNotify   free_data,
                        guint            n_results,
                        GError         **error)
{
  Work *work = g_new0 (Work, 1);

  g_atomic_ref_count_init (&work->ref_count);
  work->process = *self;
  work->process.reported_block = NULL;
  work->process.tickets = tickets;
  work->process.n_used_tickets = 0;
  work->function = function;
  work->data = data;
  work->free_data = free_data;
  work->results = g_new0 (GhloValue *, n_results + 1);
  work->n_results = n_results;

  if (start_thread (work, error))
    return ghlo_value_new_future (work, finish_future);

  free_data (data);
  work_unref (work);

  return NULL;
}

gboolean
ghlo_ref_process_finish (GhloRefProcess *self,
                         GhloValue      *future,
                         GError        **error)
{
  Work *work = future->work;
  GhloRefWaiter waiter = { FALSE, FALSE, NULL };
  gboolean ready;

  if (work == NULL)
    return TRUE;

  g_mutex_lock (&self->grid->lock);
  waiter.ready = g_atomic_int_get (&work->done);
  work->waiter = &waiter;
  ready = ghlo_ref_process_wait_for (self, &waiter, error);
  work->waiter = NULL;
  g_mutex_unlock (&self->grid->lock);

  if (!ready)
    {
      if (*error == NULL)
        {
          self->was_stopped = TRUE;
          g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_DATA,
                               "the operation waits for processes that cannot come any more");
        }
      return FALSE;
    }

  join_work (self->grid, work);
  if (work->error != NULL)
    {
      self->was_stopped = work->process.was_stopped;
      g_propagate_error (error, g_error_copy (work->error));
      return FALSE;
    }
  finish_future (future);

  return TRUE;
}
