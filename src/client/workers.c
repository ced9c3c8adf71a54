/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Thread pools, created when first needed. They are exclusive (their threads belong to one pool), since most workers
 * lower their priority and GLib would otherwise lend the threads to other pools.
 */

#include "client/workers.h"

#include <pthread.h>

#include "base/ghlo-error.h"
#include "base/stack.h"
#include "runtime/parallel.h"

enum { MAX_THREADS = 256 };

/* Added to the nice value of the process. */
static const int nice_values[GHLO_N_WORKERS] = {
  [GHLO_WORKERS_COMPILE] = 10, [GHLO_WORKERS_RUN] = 2, [GHLO_WORKERS_CALL] = 0,
};

typedef struct
{
  GFunc    func;
  gpointer data;
} Item;

/* Whether the library was used, and whether this process is a forked child of one in which it was used. A fork
 * handler sets the second flag: every call of the library checks it, and comparing process numbers would take a
 * system call. Both are atomic, since a fork may happen while another thread holds the lock. */
static gint is_used, is_forked;

static struct
{
  GMutex       lock;                   /* guards the fields below */
  GThreadPool *pools[GHLO_N_WORKERS];  /* NULL until needed */
  guint        limit;                  /* threads for runs; 0: as the environment sets it */
} workers;

/* Called with the lock held. */
static guint
count_threads (GhloWorkers kind)
{
  guint n = workers.limit > 0 ? MIN (workers.limit, (guint) MAX_THREADS) : ghlo_parallel_n_workers ();

  return kind == GHLO_WORKERS_COMPILE ? MAX (n / 2, 1) : n;
}

/* Each worker lowers its own priority, once. */
static void
lower_priority (int nicer)
{
  static GPrivate done = G_PRIVATE_INIT (NULL);

  if (nicer == 0 || g_private_get (&done) != NULL)
    return;
  g_private_set (&done, GINT_TO_POINTER (1));
  ghlo_parallel_lower_priority (nicer);
}

static gpointer
work_item (gpointer data)
{
  const Item *item = data;

  item->func (item->data, NULL);

  return NULL;
}

/* GLib's threads have the stack that is the default of the process. */
static void
work (gpointer data,
      gpointer user_data)
{
  g_autofree Item *item = data;

  lower_priority (GPOINTER_TO_INT (user_data));
  ghlo_stack_call (work_item, item);
}

static void
on_forked (void)
{
  g_atomic_int_set (&is_forked, TRUE);
}

gboolean
ghlo_workers_check (GError **error)
{
  if (!g_atomic_int_get (&is_used) && g_atomic_int_compare_and_exchange (&is_used, FALSE, TRUE))
    pthread_atfork (NULL, NULL, on_forked);
  if (!g_atomic_int_get (&is_forked))
    return TRUE;

  g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_DEVICE,
                       "the library cannot be used in a process that was forked after its first use: "
                       "fork earlier, or start a new program");

  return FALSE;
}

gboolean
ghlo_workers_is_owner (void)
{
  return g_atomic_int_get (&is_used) && !g_atomic_int_get (&is_forked);
}

/* Called with the lock held. Where the system cannot start all threads of the pool, fewer are enough. */
static GThreadPool *
get_pool (GhloWorkers   kind,
          GError      **error)
{
  g_autoptr (GError) local_error = NULL;
  GThreadPool *pool = workers.pools[kind];

  if (pool != NULL)
    return pool;

  pool = g_thread_pool_new (work, GINT_TO_POINTER (nice_values[kind]), count_threads (kind), TRUE, &local_error);
  if (local_error != NULL && (pool == NULL || g_thread_pool_get_num_threads (pool) == 0))
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE, "no thread could be started: %s", local_error->message);
      if (pool != NULL)
        g_thread_pool_free (pool, TRUE, FALSE);
      return NULL;
    }
  workers.pools[kind] = pool;

  return pool;
}

void
ghlo_workers_set_limit (guint limit)
{
  g_mutex_lock (&workers.lock);
  workers.limit = limit;
  for (guint kind = 0; kind < GHLO_N_WORKERS; kind++)
    if (workers.pools[kind] != NULL)
      g_thread_pool_set_max_threads (workers.pools[kind], (int) count_threads (kind), NULL);
  g_mutex_unlock (&workers.lock);
  ghlo_parallel_set_limit (limit);
}

guint
ghlo_workers_get_limit (void)
{
  guint limit;

  g_mutex_lock (&workers.lock);
  limit = workers.limit;
  g_mutex_unlock (&workers.lock);

  return limit;
}

gboolean
ghlo_workers_push (GhloWorkers   kind,
                   GFunc         func,
                   gpointer      data,
                   GError      **error)
{
  GThreadPool *pool;
  Item *item;

  g_mutex_lock (&workers.lock);
  pool = get_pool (kind, error);
  g_mutex_unlock (&workers.lock);
  if (pool == NULL)
    return FALSE;

  item = g_new (Item, 1);
  item->func = func;
  item->data = data;
  /* This cannot fail: the pool is exclusive, so its threads are already running. */
  g_thread_pool_push (pool, item, NULL);

  return TRUE;
}

typedef struct
{
  gpointer       data;
  GDestroyNotify destroy;
} Rubbish;

static void
destroy_rubbish (gpointer data,
                 gpointer user_data)
{
  g_autofree Rubbish *rubbish = data;

  rubbish->destroy (rubbish->data);
}

void
ghlo_workers_free (gpointer       data,
                   GDestroyNotify destroy)
{
  Rubbish *rubbish;

  if (!ghlo_workers_is_owner ())
    {
      destroy (data);
      return;
    }

  rubbish = g_new (Rubbish, 1);
  rubbish->data = data;
  rubbish->destroy = destroy;
  if (!ghlo_workers_push (GHLO_WORKERS_COMPILE, destroy_rubbish, rubbish, NULL))
    destroy_rubbish (rubbish, NULL);
}
