/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A table of all code that somebody holds a reference to. The queue holds a reference to each code that it is going
 * to make; where that is the last one, the code is not made.
 */

#include "cpu/jit/code.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "base/hash.h"
#include "cpu/jit/blob.h"
#include "cpu/jit/code-target.h"
#include "cpu/jit/compile-queue.h"
#include "cpu/jit/emitter.h"
#include "cpu/jit/key.h"
#include "cpu/jit/map.h"
#include "runtime/cache-item.h"
#include "runtime/cache.h"
#include "runtime/memory.h"

/* The longest time that a waiting thread takes to notice cancellation, in µs. */
enum { PATIENCE = 20000 };

/* Bytes that LLVM may need: its library takes some 120 MB of address space. */
enum { ROOM = 256 << 20 };

typedef enum
{
  LOOKED_UP,            /* the thread that created it checks the disk cache */
  QUEUED,               /* waiting in the queue, or being compiled */
  READY,
  FAILED,
} State;

struct _GhloCode
{
  GhloCodeTask       task;      /* must be the first member */
  GhloKernel        *kernel;    /* owned */
  GhloKernelSchedule schedule;
  GBytes            *key;       /* NULL where it is not cached; used by whoever looks it up, then by the queue */
  gpointer           function;  /* atomic; points into the map */
  GhloCodeMap       *map;
  /* Guarded by the table's lock: */
  guint              n_references;
  gboolean           is_listed; /* in the table */
  State              state;
  char              *reason;    /* why it failed */
};

static struct
{
  GMutex             lock;
  GCond              settled;   /* signalled when a code becomes ready or fails */
  GHashTable        *codes;     /* set of GhloCode, borrowed */
  guint              n_tasks;   /* queued or running tasks */
  const GhloEmitter *used;      /* emitter that may have memory to give back, or NULL */
} table;

static guint
hash (gconstpointer key)
{
  const GhloCode *code = key;
  const gint64 number = (gint64) code->kernel->hash;

  return ghlo_hash_int64 (&number);
}

static gboolean
equal (gconstpointer a,
       gconstpointer b)
{
  const GhloCode *x = a, *y = b;

  return x->schedule.lanes == y->schedule.lanes && x->schedule.width == y->schedule.width
         && x->schedule.cuts == y->schedule.cuts && x->schedule.columns == y->schedule.columns
         && x->schedule.prefetches == y->schedule.prefetches && ghlo_kernel_equal (x->kernel, y->kernel);
}

static void
code_free (GhloCode *self)
{
  g_clear_pointer (&self->map, ghlo_code_map_free);
  g_clear_pointer (&self->key, g_bytes_unref);
  g_free (self->kernel);
  g_free (self->reason);
  g_free (self);
}

/* Called with the lock held. Returns whether this was the last reference; the caller then frees @self without the
 * lock. */
static gboolean
drop_reference (GhloCode *self)
{
  if (--self->n_references > 0)
    return FALSE;
  if (self->is_listed)
    g_hash_table_remove (table.codes, self);

  return TRUE;
}

/* Called with the lock held. */
static void
settle (GhloCode   *self,
        State       state,
        const char *reason)
{
  self->state = state;
  self->reason = g_strdup (reason);
  g_cond_broadcast (&table.settled);
}

/* Called with the lock held, when a task has ended or will not begin. Returns the emitter where no task is left,
 * which is to be passed to rest (); else NULL. */
static const GhloEmitter *
end_task (void)
{
  return --table.n_tasks == 0 ? g_steal_pointer (&table.used) : NULL;
}

/* Called without the lock; @emitter may be NULL. */
static void
rest (const GhloEmitter *emitter)
{
  if (emitter != NULL)
    emitter->rest ();
}

/* Maps @blob and publishes its function. */
static gboolean
use_blob (GhloCode  *self,
          GBytes    *blob,
          GError   **error)
{
  GhloCodeMap *map = ghlo_code_map_new (blob, error);

  if (map == NULL)
    return FALSE;
  self->map = map;
  __atomic_store_n (&self->function, ghlo_code_map_get_entry (map), __ATOMIC_RELEASE);

  return TRUE;
}

static GBytes *
compile (GhloCode  *self,
         GError   **error)
{
  const GhloEmitter *emitter = NULL;
  g_autoptr (GBytes) object = NULL;

  /* LLVM ends the process when it gets no memory. */
  if (ghlo_memory_check_room (ROOM, "LLVM", error))
    emitter = ghlo_code_module_open (error);
  if (emitter != NULL)
    object = emitter->compile (self->kernel, &self->schedule, ghlo_code_target (), NULL, error);

  return object != NULL ? ghlo_code_flatten (object, error) : NULL;
}

/* The code is published before it is written to disk. */
static gboolean
make (GhloCode  *self,
      GError   **error)
{
  g_autoptr (GBytes) blob = compile (self, error);

  if (blob == NULL || !use_blob (self, blob, error))
    return FALSE;
  if (self->key != NULL)
    ghlo_cache_item_write (GHLO_CACHE_CODE, self->key, self->kernel->name, blob);

  return TRUE;
}

/* Runs on a thread of the queue. */
static void
run_task (GhloCodeTask *task)
{
  GhloCode *self = (GhloCode *) task;
  g_autoptr (GError) error = NULL;
  const GhloEmitter *idle = NULL;
  gboolean is_last;

  g_mutex_lock (&table.lock);
  is_last = self->n_references == 1 && drop_reference (self);
  if (is_last)
    idle = end_task ();
  g_mutex_unlock (&table.lock);
  if (!is_last)
    {
      const GhloEmitter *emitter;

      if (!make (self, &error))
        g_debug ("the kernel %s has no machine code: %s", self->kernel->name, error->message);
      emitter = ghlo_code_module_open (NULL);
      g_mutex_lock (&table.lock);
      settle (self, error == NULL ? READY : FAILED, error != NULL ? error->message : NULL);
      is_last = drop_reference (self);
      table.used = emitter;
      idle = end_task ();
      g_mutex_unlock (&table.lock);
    }
  if (is_last)
    code_free (self);
  rest (idle);
}

/* Returns whether the disk cache had the code. */
static gboolean
look_up (GhloCode *self)
{
  g_autoptr (GBytes) blob = self->key != NULL ? ghlo_cache_item_read (GHLO_CACHE_CODE, self->key) : NULL;
  g_autoptr (GError) error = NULL;

  if (blob == NULL)
    return FALSE;
  if (use_blob (self, blob, &error))
    {
      g_mutex_lock (&table.lock);
      settle (self, READY, NULL);
      g_mutex_unlock (&table.lock);
      return TRUE;
    }
  g_debug ("the cached machine code of the kernel %s cannot be used: %s", self->kernel->name, error->message);
  if (!g_error_matches (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY))
    ghlo_cache_item_remove (GHLO_CACHE_CODE, self->key);

  return FALSE;
}

static void
enqueue (GhloCode *self)
{
  g_autoptr (GError) error = NULL;
  const GhloEmitter *idle;

  g_mutex_lock (&table.lock);
  self->state = QUEUED;
  self->n_references++;
  table.n_tasks++;
  g_mutex_unlock (&table.lock);
  if (ghlo_code_queue_push (&self->task, &error))
    return;
  g_debug ("the kernel %s has no machine code: %s", self->kernel->name, error->message);
  g_mutex_lock (&table.lock);
  drop_reference (self);
  settle (self, FAILED, error->message);
  idle = end_task ();
  g_mutex_unlock (&table.lock);
  rest (idle);
}

static GhloCode *
code_new (const GhloKernel         *kernel,
          const GhloKernelSchedule *schedule)
{
  GhloCode *self = g_new0 (GhloCode, 1);

  self->task.run = run_task;
  self->kernel = ghlo_kernel_copy (kernel);
  self->schedule = *schedule;
  self->n_references = 1;

  return self;
}

/* Returns the code from the table, or adds a new one (*@is_new), which the caller has to look up. */
static GhloCode *
find_or_add (const GhloKernel         *kernel,
             const GhloKernelSchedule *schedule,
             gboolean                 *is_new)
{
  const GhloCode key = { .kernel = (GhloKernel *) kernel, .schedule = *schedule };
  GhloCode *self;

  g_mutex_lock (&table.lock);
  if (table.codes == NULL)
    table.codes = g_hash_table_new (hash, equal);
  self = g_hash_table_lookup (table.codes, &key);
  *is_new = self == NULL;
  if (self != NULL)
    self->n_references++;
  else
    {
      self = code_new (kernel, schedule);
      g_hash_table_add (table.codes, self);
      self->is_listed = TRUE;
    }
  g_mutex_unlock (&table.lock);

  return self;
}

GhloCode *
ghlo_code_get (const GhloKernel         *kernel,
               const GhloKernelSchedule *schedule)
{
  const GhloCacheMode mode = ghlo_cache_get_mode ();
  gboolean is_new = TRUE;
  const char *id;
  GhloCode *self;

  ghlo_code_queue_init ();
  id = ghlo_code_queue_is_forked () || ghlo_code_target () == NULL ? NULL : ghlo_code_module_id ();
  if (id == NULL)
    return NULL;
  self = mode != GHLO_CACHE_OFF ? find_or_add (kernel, schedule, &is_new) : code_new (kernel, schedule);
  if (!is_new)
    return self;
  if (*id != '\0' && mode >= GHLO_CACHE_ON)
    self->key = ghlo_code_key (kernel, schedule, ghlo_code_target (), id);
  if (!look_up (self))
    enqueue (self);

  return self;
}

void
ghlo_code_unref (GhloCode *self)
{
  const GhloEmitter *idle = NULL;
  gboolean is_last;

  if (ghlo_code_queue_is_forked ())
    return;
  g_mutex_lock (&table.lock);
  is_last = drop_reference (self);
  if (!is_last && self->n_references == 1 && self->state == QUEUED && ghlo_code_queue_remove (&self->task))
    {
      is_last = drop_reference (self);
      idle = end_task ();
    }
  g_mutex_unlock (&table.lock);
  if (is_last)
    code_free (self);
  rest (idle);
}

GhloCodeFunc
ghlo_code_function (GhloCode *self)
{
  GhloCodeFunc function;

  *(gpointer *) &function = __atomic_load_n (&self->function, __ATOMIC_ACQUIRE);

  return function;
}

void
ghlo_code_prioritize (GhloCode *self)
{
  if (ghlo_code_function (self) == NULL)
    ghlo_code_queue_prioritize (&self->task);
}

gboolean
ghlo_code_wait (GhloCode           *self,
                const GhloMonitor  *monitor,
                GError            **error)
{
  gboolean is_cancelled = FALSE;

  if (ghlo_code_function (self) != NULL)
    return TRUE;
  if (!ghlo_code_queue_check (error))
    return FALSE;
  g_mutex_lock (&table.lock);
  while (self->state < READY && !is_cancelled)
    {
      g_mutex_unlock (&table.lock);
      ghlo_code_queue_prioritize (&self->task);
      is_cancelled = ghlo_monitor_cancelled (monitor, error);
      g_mutex_lock (&table.lock);
      if (self->state < READY && !is_cancelled)
        g_cond_wait_until (&table.settled, &table.lock, g_get_monotonic_time () + PATIENCE);
    }
  g_mutex_unlock (&table.lock);

  return !is_cancelled;
}

gboolean
ghlo_code_is_idle (void)
{
  gboolean is_idle;

  g_mutex_lock (&table.lock);
  is_idle = table.n_tasks == 0;
  g_mutex_unlock (&table.lock);

  return is_idle;
}

char *
ghlo_code_dup_reason (GhloCode *self)
{
  char *reason;

  if (ghlo_code_queue_is_forked ())
    return NULL;
  g_mutex_lock (&table.lock);
  reason = g_strdup (self->reason);
  g_mutex_unlock (&table.lock);

  return reason;
}

char *
ghlo_code_list (const GhloKernel          *kernel,
                const GhloKernelSchedule  *schedule,
                GError                   **error)
{
  const GhloEmitter *emitter;
  g_autoptr (GBytes) object = NULL;
  char *listing = NULL;

  if (ghlo_code_target () == NULL)
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                           "machine code is not supported on this processor");
      return NULL;
    }
  emitter = ghlo_code_module_open (error);
  if (emitter == NULL)
    return NULL;
  object = emitter->compile (kernel, schedule, ghlo_code_target (), &listing, error);
  if (object == NULL)
    g_clear_pointer (&listing, g_free);

  return listing;
}
