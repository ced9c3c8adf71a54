/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Grids of processes: rendezvous, channels and futures, with one lock and one condition
 * variable for each grid. A waiting thread counts as blocked until the thread that
 * wakes it decrements the count. The count therefore reaches the number of threads
 * exactly when all of them are deadlocked.
 */

#include "reference/process/process.h"

#include "base/hash.h"
#include "reference/frame.h"

/* How often a waiting thread checks for cancellation, and how many threads all runs of this operating system
 * process may have at a time. */
enum { POLL_INTERVAL = 10 * G_TIME_SPAN_MILLISECOND, MAX_THREADS = 1024 };

/* A rendezvous of processes: each contributes values and receives those of all. */
typedef struct
{
  char       *key;
  guint       n_group, n_arrived, n_left;
  guint       n_values;
  gboolean    mismatched;       /* the members contributed different numbers of values */
  GhloValue **values;           /* n_group * n_values, owned */
  GPtrArray  *waiters;          /* of Waiter; borrowed from the stacks of waiting threads */
} Rendezvous;

/* A waiting thread. Lives on that thread's stack; guarded by the grid's lock. */
typedef struct
{
  gboolean   ready;
  gboolean   blocked;           /* counted in n_blocked */
  GhloValue *message;           /* owned; the message that a sender handed over */
} Waiter;

typedef struct
{
  GQueue  messages;             /* of GhloValue tuples, owned; empty while a thread is waiting */
  GQueue  waiters;              /* of Waiter */
  const GhloIrOp     *sender;   /* of the last message; borrowed, like its module */
  const GhloIrModule *module;
} Channel;

/* A future's thread. The future holds one reference. The grid holds another until the thread is joined. */
typedef struct
{
  gatomicrefcount  ref_count;
  GhloRefProcess   process;
  GThread         *thread;
  GhloRefWorkFunc  function;
  gpointer         data;
  GDestroyNotify   free_data;
  GhloValue      **results;     /* owned, like the values */
  guint            n_results;
  GError          *error;
  int              done;        /* atomic; TRUE once results and error are final */
  Waiter          *waiter;      /* the thread that waits for it, or NULL; guarded by the grid's lock */
} Work;

struct _GhloRefGrid
{
  guint             n_replicas, n_partitions;
  GhloRefGrid      *parent;          /* the grid whose process runs this one; borrowed */
  int               failed;          /* atomic */
  GMutex            lock;            /* guards the fields below */
  GCond             changed;
  gboolean          is_deadlocked;
  guint             n_threads, n_blocked;
  GPtrArray        *works;           /* of Work, with references: threads that are not joined yet */
  GError           *error;           /* the first failure of a future, or NULL */
  GHashTable       *rendezvous;        /* of key → Rendezvous, owned; NULL before the first */
  GHashTable       *visits;          /* of process and place → number of visits; NULL before the first */
  GHashTable       *channels;        /* of name → Channel, owned; NULL before the first */
  const GhloIrAttr *infeed;
  guint             n_taken;         /* number of infeed functions taken so far */
};

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

static void
rendezvous_free (gpointer data)
{
  Rendezvous *rendezvous = data;

  for (guint i = 0; rendezvous->values != NULL && i < rendezvous->n_group * rendezvous->n_values; i++)
    g_clear_pointer (&rendezvous->values[i], ghlo_value_unref);
  g_free (rendezvous->values);
  g_free (rendezvous->key);
  g_ptr_array_unref (rendezvous->waiters);
  g_free (rendezvous);
}

static void
channel_free (gpointer data)
{
  Channel *channel = data;

  g_queue_clear_full (&channel->messages, (GDestroyNotify) ghlo_value_unref);
  g_queue_clear (&channel->waiters);
  g_free (channel);
}

static void
work_unref (gpointer data)
{
  Work *work = data;

  if (!g_atomic_ref_count_dec (&work->ref_count))
    return;

  if (work->results != NULL)
    ghlo_values_clear (work->results, work->n_results);
  g_free (work->results);
  g_clear_error (&work->error);
  g_clear_pointer (&work->process.tickets, g_ptr_array_unref);
  g_free (work);
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
  self->works = g_ptr_array_new_with_free_func (work_unref);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);

  return self;
}

void
ghlo_ref_grid_join (GhloRefGrid *self)
{
  for (guint i = 0; i < self->works->len; i++)
    g_thread_join (((Work *) g_ptr_array_index (self->works, i))->thread);
  g_ptr_array_set_size (self->works, 0);
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

/* Stops the grid when every thread is blocked, unless a failure has stopped it already. Called with the lock held. */
static void
check_deadlock (GhloRefGrid *self)
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
  check_deadlock (grid);
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

/* Wakes the thread of @waiter. Called with the lock held. */
static void
wake (GhloRefGrid *self,
      Waiter      *waiter)
{
  waiter->ready = TRUE;
  if (waiter->blocked)
    {
      waiter->blocked = FALSE;
      self->n_blocked--;
    }
  g_cond_broadcast (&self->changed);
}

/* Waits until @waiter is ready. FALSE with @error set when the run is to stop; FALSE without an error in a
 * deadlock. Called with the lock held. */
static gboolean
wait_for (GhloRefProcess *process,
          Waiter         *waiter,
          GError        **error)
{
  GhloRefGrid *grid = process->grid;

  if (!waiter->ready)
    {
      waiter->blocked = TRUE;
      grid->n_blocked++;
      check_deadlock (grid);
    }
  while (!waiter->ready && !is_stopped (grid) && !ghlo_monitor_cancelled (process->run->monitor, NULL))
    g_cond_wait_until (&grid->changed, &grid->lock, g_get_monotonic_time () + POLL_INTERVAL);
  if (waiter->blocked)
    {
      waiter->blocked = FALSE;
      grid->n_blocked--;
    }

  if (waiter->ready)
    return TRUE;
  if (!grid->is_deadlocked)
    ghlo_ref_process_continue (process, error);

  return FALSE;
}

/* Returns how often this process has been at @place before, and counts this visit. Called with the lock held. */
static guint
count_visit (GhloRefProcess *self,
             const char     *place)
{
  GhloRefGrid *grid = self->grid;
  char *key = g_strdup_printf ("%u %s", self->replica * grid->n_partitions + self->partition, place);
  guint n;

  if (grid->visits == NULL)
    grid->visits = g_hash_table_new_full (ghlo_hash_string, g_str_equal, g_free, NULL);
  n = GPOINTER_TO_UINT (g_hash_table_lookup (grid->visits, key));
  g_hash_table_replace (grid->visits, key, GUINT_TO_POINTER (n + 1));

  return n;
}

/* Called with the lock held. */
static char *
draw_key (GhloRefProcess *self,
          const char     *name,
          const guint32  *group,
          guint           n_group)
{
  GString *key = g_string_new (name);

  for (guint i = 0; i < n_group; i++)
    g_string_append_printf (key, " %u", group[i]);
  g_string_append_printf (key, " #%u", count_visit (self, key->str));

  return g_string_free (key, FALSE);
}

char *
ghlo_ref_process_draw_ticket (GhloRefProcess *self,
                              const char     *name,
                              const guint32  *group,
                              guint           n_group)
{
  char *key;

  g_mutex_lock (&self->grid->lock);
  key = draw_key (self, name, group, n_group);
  g_mutex_unlock (&self->grid->lock);

  return key;
}

/* Takes ownership of @key. Called with the lock held. */
static Rendezvous *
find_rendezvous (GhloRefGrid *self,
                 char        *key,
                 guint        n_group,
                 guint        n_values)
{
  Rendezvous *rendezvous;

  if (self->rendezvous == NULL)
    self->rendezvous = g_hash_table_new_full (ghlo_hash_string, g_str_equal, NULL, rendezvous_free);
  rendezvous = g_hash_table_lookup (self->rendezvous, key);
  if (rendezvous != NULL)
    {
      g_free (key);
      return rendezvous;
    }

  rendezvous = g_new0 (Rendezvous, 1);
  rendezvous->key = key;
  rendezvous->n_group = n_group;
  rendezvous->n_values = n_values;
  rendezvous->values = g_new0 (GhloValue *, (gsize) n_group * n_values);
  rendezvous->waiters = g_ptr_array_new ();
  g_hash_table_insert (self->rendezvous, rendezvous->key, rendezvous);

  return rendezvous;
}

static void
store_values (Rendezvous       *rendezvous,
              guint             member,
              GhloValue *const *values,
              guint             n_values)
{
  rendezvous->n_arrived++;
  if (n_values != rendezvous->n_values)
    {
      rendezvous->mismatched = TRUE;
      return;
    }
  for (guint i = 0; i < n_values; i++)
    rendezvous->values[member * n_values + i] = ghlo_value_ref (values[i]);
}

/* Contributes to a rendezvous, waits for the other members and returns all values. Called with the lock held. */
static GhloValue **
attend (GhloRefProcess   *process,
        Rendezvous       *rendezvous,
        guint             member,
        GhloValue *const *values,
        guint             n_values,
        GError          **error)
{
  Waiter waiter = { FALSE, FALSE, NULL };
  GhloValue **all = NULL;

  store_values (rendezvous, member, values, n_values);
  if (rendezvous->n_arrived == rendezvous->n_group)
    {
      waiter.ready = TRUE;
      for (guint i = 0; i < rendezvous->waiters->len; i++)
        wake (process->grid, g_ptr_array_index (rendezvous->waiters, i));
      g_ptr_array_set_size (rendezvous->waiters, 0);
    }
  else
    g_ptr_array_add (rendezvous->waiters, &waiter);

  if (!wait_for (process, &waiter, error))
    {
      g_ptr_array_remove_fast (rendezvous->waiters, &waiter);
      if (*error == NULL)
        g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA,
                     "expected %u processes to reach this operation, found %u: no other process can reach it any more",
                     rendezvous->n_group, rendezvous->n_arrived);
      return NULL;
    }

  if (rendezvous->mismatched)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA, "expected %u values from every process, found another number",
                 rendezvous->n_values);
  else
    {
      all = g_new (GhloValue *, (gsize) rendezvous->n_group * n_values + 1);
      for (guint i = 0; i < rendezvous->n_group * n_values; i++)
        all[i] = ghlo_value_ref (rendezvous->values[i]);
    }
  if (++rendezvous->n_left == rendezvous->n_group)
    g_hash_table_remove (process->grid->rendezvous, rendezvous->key);

  return all;
}

GhloValue **
ghlo_ref_process_rendezvous (GhloRefProcess   *self,
                             const char       *name,
                             const guint32    *group,
                             guint             n_group,
                             GhloValue *const *values,
                             guint             n_values,
                             GError          **error)
{
  guint32 number = self->replica * self->grid->n_partitions + self->partition;
  guint member = 0;
  GhloValue **all;
  char *key;

  while (member < n_group && group[member] != number)
    member++;
  if (member == n_group)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL,
                   "process %u is not a member of the group that it synchronizes with", number);
      return NULL;
    }

  g_mutex_lock (&self->grid->lock);
  if (self->tickets != NULL && self->n_used_tickets < self->tickets->len)
    key = g_strdup (g_ptr_array_index (self->tickets, self->n_used_tickets++));
  else
    key = draw_key (self, name, group, n_group);
  all = attend (self, find_rendezvous (self->grid, key, n_group, n_values), member, values, n_values, error);
  g_mutex_unlock (&self->grid->lock);

  return all;
}

/* Called with the lock held. */
static Channel *
find_channel (GhloRefGrid *self,
              const char  *name)
{
  Channel *channel;

  if (self->channels == NULL)
    self->channels = g_hash_table_new_full (ghlo_hash_string, g_str_equal, g_free, channel_free);
  channel = g_hash_table_lookup (self->channels, name);
  if (channel == NULL)
    {
      channel = g_new0 (Channel, 1);
      g_queue_init (&channel->messages);
      g_queue_init (&channel->waiters);
      g_hash_table_insert (self->channels, g_strdup (name), channel);
    }

  return channel;
}

void
ghlo_ref_process_send (GhloRefProcess   *self,
                       const char       *channel_name,
                       const GhloIrOp   *sender,
                       GhloValue *const *values,
                       guint             n_values)
{
  g_autoptr (GhloValue) message = ghlo_value_new_tuple (values, n_values);
  GhloRefGrid *grid = self->grid;
  Channel *channel;
  Waiter *waiter;

  g_mutex_lock (&grid->lock);
  channel = find_channel (grid, channel_name);
  waiter = g_queue_pop_head (&channel->waiters);
  if (waiter != NULL)
    {
      waiter->message = g_steal_pointer (&message);
      wake (grid, waiter);
    }
  else
    {
      g_queue_push_tail (&channel->messages, g_steal_pointer (&message));
      channel->sender = sender;
      channel->module = self->run->program->module;
    }
  g_mutex_unlock (&grid->lock);
}

/* Of the channels that hold messages, the one whose name sorts first, so that every run reports the same one. */
static const Channel *
find_full_channel (GhloRefGrid *self)
{
  const Channel *found = NULL;
  const char *found_name = NULL;
  GHashTableIter iter;
  gpointer name, value;

  if (self->channels == NULL)
    return NULL;
  g_hash_table_iter_init (&iter, self->channels);
  while (g_hash_table_iter_next (&iter, &name, &value))
    {
      const Channel *channel = value;

      if (!g_queue_is_empty ((GQueue *) &channel->messages) && (found == NULL || strcmp (name, found_name) < 0))
        {
          found = channel;
          found_name = name;
        }
    }

  return found;
}

gboolean
ghlo_ref_grid_check_received (GhloRefGrid  *self,
                              GError      **error)
{
  const Channel *channel = find_full_channel (self);
  g_autoptr (GString) place = NULL;
  gboolean to_host;

  if (channel == NULL)
    return TRUE;
  place = g_string_new (NULL);
  ghlo_ref_append_place (place, channel->module, channel->sender);
  to_host = ghlo_ir_op_get_int (channel->sender, "is_host_transfer", FALSE) != 0;
  g_set_error (error, GHLO_ERROR, to_host ? GHLO_ERROR_UNSUPPORTED : GHLO_ERROR_DATA, "%sno process received the "
               "values sent%s", place->str,
               to_host ? " to the host; only other processes of the run can receive them" : "");

  return FALSE;
}

GhloValue *
ghlo_ref_process_receive (GhloRefProcess *self,
                          const char     *channel_name,
                          GError        **error)
{
  GhloRefGrid *grid = self->grid;
  Waiter waiter = { FALSE, FALSE, NULL };
  Channel *channel;

  g_mutex_lock (&grid->lock);
  channel = find_channel (grid, channel_name);
  waiter.message = g_queue_pop_head (&channel->messages);
  if (waiter.message == NULL)
    {
      g_queue_push_tail (&channel->waiters, &waiter);
      if (!wait_for (self, &waiter, error))
        {
          g_queue_remove (&channel->waiters, &waiter);
          if (*error == NULL)
            g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_DATA,
                                 "nothing was sent, and no other process can send any more");
        }
    }
  g_mutex_unlock (&grid->lock);

  return waiter.message;
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
    wake (grid, work->waiter);
  check_deadlock (grid);
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
  work->thread = g_thread_try_new ("ghlo-future", run_work, work, error);
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

/* Joins the thread of @work, whose function has finished. */
static void
join_work (GhloRefGrid *grid,
           Work        *work)
{
  gboolean is_mine;

  g_mutex_lock (&grid->lock);
  is_mine = g_ptr_array_find (grid->works, work, NULL);
  if (is_mine)
    {
      g_atomic_ref_count_inc (&work->ref_count);
      g_ptr_array_remove_fast (grid->works, work);
    }
  g_mutex_unlock (&grid->lock);

  if (is_mine)
    {
      g_thread_join (work->thread);
      work_unref (work);
    }
}

gboolean
ghlo_ref_process_finish (GhloRefProcess *self,
                         GhloValue      *future,
                         GError        **error)
{
  Work *work = future->work;
  Waiter waiter = { FALSE, FALSE, NULL };
  gboolean ready;

  if (work == NULL)
    return TRUE;

  g_mutex_lock (&self->grid->lock);
  waiter.ready = g_atomic_int_get (&work->done);
  work->waiter = &waiter;
  ready = wait_for (self, &waiter, error);
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
