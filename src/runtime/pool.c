/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Idle blocks are recorded in a table of fixed size. Each is in two lists: the list of its class, from which the
 * newest is taken first because it may still be in the caches, and the list of all blocks by age, from which the
 * oldest is freed first. Nothing is stored in the blocks themselves. The system is called outside the lock. Large
 * blocks, idle or not, can also be found by address.
 */

#include "runtime/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/stack.h"
#include "runtime/parallel.h"

enum { ALIGNMENT = 64, N_CLASSES = 305, MAX_IDLE = 1024, MAX_SMALL = 512, NICE = 5 };

/* Smaller blocks come from the C library. Larger ones would stay in the C library's per-thread arenas, so each is a
 * mapping of its own. */
#define MAPPED_SIZE ((gsize) 64 << 10)

/* Less idle memory than this is left alone. */
#define WORTH_TRIMMING ((gsize) 1 << 20)

/* With the address sanitizer, idle blocks are poisoned, and so are the bytes after a block in use. */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined __SANITIZE_ADDRESS__ || __has_feature (address_sanitizer)
#include <sanitizer/asan_interface.h>
enum { RED_ZONE = 64 };
#else
#define ASAN_POISON_MEMORY_REGION(memory, size) G_STMT_START { } G_STMT_END
#define ASAN_UNPOISON_MEMORY_REGION(memory, size) G_STMT_START { } G_STMT_END
enum { RED_ZONE = 0 };
#endif

/* Links are indices of entries; 0 means none. */
typedef struct
{
  gpointer memory;
  gsize    capacity;
  gint64   since;            /* g_get_monotonic_time () */
  guint16  size_class;
  guint16  newer, older;     /* in the list of all; unused entries are linked by older */
  guint16  class_newer, class_older;
} Idle;

typedef struct
{
  guint8 *memory;
  gsize   capacity;
} Huge;

static struct
{
  GMutex   lock;             /* guards the following fields; held across a fork */
  GArray  *huge;             /* of Huge: all large blocks, sorted by address; NULL before the first one */
  void   (*leaving) (gpointer block);
  guint    n_forks;
  Idle     entries[MAX_IDLE];
  guint16  newest, oldest;
  guint16  of_class[N_CLASSES];
  guint16  unused;           /* list of entries that were used before */
  guint16  n_entries;        /* entries that were ever used, including entry 0; 0: none yet */
  guint    n_small;
  gsize    idle;             /* bytes */
  gsize    most;             /* limit of idle, from the last call */
  guint64  n_made, n_taken;
  gint64   idle_time;
  GCond    trim;             /* signalled when there is something to trim */
  gboolean has_trimmer;
  gboolean no_trimmer;       /* TRUE: the thread cannot be started, or this is a forked child */
  gboolean asleep;           /* TRUE: the trimmer sleeps until it is signalled */
  gboolean touched;          /* a block was freed since the trimmer last looked */
} pool = { .idle_time = GHLO_POOL_IDLE_TIME };

/* Returns the class of @size, eight of which cover each power of two, and sets *@capacity to the size of its blocks. */
static guint
find_class (gsize  size,
            gsize *capacity)
{
  gsize last = size > 0 ? (size + RED_ZONE - 1) / ALIGNMENT : 0;    /* index of the last 64-byte unit of the block */
  guint shift = last < 8 ? 0 : 63 - (guint) __builtin_clzll (last) - 3;

  *capacity = ((last >> shift) + 1) * ALIGNMENT << shift;

  return shift * 8 + (guint) (last >> shift);
}

gsize
ghlo_pool_get_capacity (gsize size)
{
  gsize capacity;

  find_class (size, &capacity);

  return capacity;
}

/* Returns the number of huge blocks that begin at or before @memory. Called with the lock held, like the next
 * function. */
static guint
count_before (gconstpointer memory)
{
  guint low = 0, high = pool.huge != NULL ? pool.huge->len : 0;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (pool.huge, Huge, middle).memory <= (const guint8 *) memory)
        low = middle + 1;
      else
        high = middle;
    }

  return low;
}

static void
add_huge (gpointer memory,
          gsize    capacity)
{
  const Huge block = { memory, capacity };
  guint at = count_before (memory);

  if (pool.huge == NULL)
    pool.huge = g_array_new (FALSE, FALSE, sizeof (Huge));
  g_array_insert_val (pool.huge, at, block);
}

gboolean
ghlo_pool_find (gconstpointer  memory,
                gsize          size,
                gpointer      *block,
                gsize         *capacity)
{
  const Huge *found = NULL;
  guint n;

  g_mutex_lock (&pool.lock);
  n = count_before (memory);
  if (n > 0)
    found = &g_array_index (pool.huge, Huge, n - 1);
  if (found != NULL && (gsize) ((const guint8 *) memory - found->memory) <= found->capacity
      && size <= found->capacity - (gsize) ((const guint8 *) memory - found->memory))
    {
      *block = found->memory;
      *capacity = found->capacity;
    }
  else
    found = NULL;
  g_mutex_unlock (&pool.lock);

  return found != NULL;
}

void
ghlo_pool_watch (void (*leaving) (gpointer block))
{
  g_mutex_lock (&pool.lock);
  pool.leaving = leaving;
  g_mutex_unlock (&pool.lock);
}

guint
ghlo_pool_get_forks (void)
{
  guint n;

  g_mutex_lock (&pool.lock);
  n = pool.n_forks;
  g_mutex_unlock (&pool.lock);

  return n;
}

/* Removes a block from those that can be found, and reports it. */
static void
remove_huge (gpointer memory)
{
  void (*leaving) (gpointer block);

  g_mutex_lock (&pool.lock);
  leaving = pool.leaving;
  g_array_remove_index (pool.huge, count_before (memory) - 1);
  g_mutex_unlock (&pool.lock);
  if (leaving != NULL)
    leaving (memory);
}

static gpointer
map_aligned (gsize size)
{
  guint8 *start = mmap (NULL, size + GHLO_POOL_HUGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  gsize before;

  if (start == MAP_FAILED)
    return NULL;
  before = -(guintptr) start % GHLO_POOL_HUGE_SIZE;
  if (before > 0)
    munmap (start, before);
  if (before < GHLO_POOL_HUGE_SIZE)
    munmap (start + before + size, GHLO_POOL_HUGE_SIZE - before);
  madvise (start + before, size, MADV_HUGEPAGE);

  return start + before;
}

static gpointer
get_from_system (gsize capacity)
{
  gpointer memory;

  if (capacity >= GHLO_POOL_HUGE_SIZE)
    return map_aligned (capacity);
  if (capacity < MAPPED_SIZE)
    return posix_memalign (&memory, ALIGNMENT, capacity) == 0 ? memory : NULL;

  memory = mmap (NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  return memory != MAP_FAILED ? memory : NULL;
}

static void
give_to_system (gpointer memory,
                gsize    capacity)
{
  ASAN_UNPOISON_MEMORY_REGION (memory, capacity);
  if (capacity >= GHLO_POOL_HUGE_SIZE)
    remove_huge (memory);
  if (capacity >= MAPPED_SIZE)
    munmap (memory, capacity);
  else
    free (memory);
}

/* The following functions are called with the lock held. */
static void
unlink_entry (guint16 number)
{
  Idle *entry = &pool.entries[number];

  *(entry->newer != 0 ? &pool.entries[entry->newer].older : &pool.newest) = entry->older;
  *(entry->older != 0 ? &pool.entries[entry->older].newer : &pool.oldest) = entry->newer;
  *(entry->class_newer != 0 ? &pool.entries[entry->class_newer].class_older
                            : &pool.of_class[entry->size_class]) = entry->class_older;
  if (entry->class_older != 0)
    pool.entries[entry->class_older].class_newer = entry->class_newer;

  pool.idle -= entry->capacity;
  pool.n_small -= entry->capacity < MAPPED_SIZE;
  entry->older = pool.unused;
  pool.unused = number;
}

/* Removes and returns the oldest block, or returns NULL. */
static gpointer
pop_oldest (gsize *capacity)
{
  Idle *entry = &pool.entries[pool.oldest];

  if (pool.oldest == 0)
    return NULL;
  *capacity = entry->capacity;
  unlink_entry (pool.oldest);

  return entry->memory;
}

/* Requires an unused entry. */
static void
push_newest (gpointer memory,
             gsize    capacity,
             guint    size_class)
{
  guint16 number = pool.unused;
  Idle *entry;

  if (number == 0)
    {
      pool.n_entries = MAX (pool.n_entries, 1);
      number = pool.n_entries++;
    }
  entry = &pool.entries[number];
  if (pool.unused == number)
    pool.unused = entry->older;

  *entry = (Idle) {
    .memory = memory,
    .capacity = capacity,
    .since = g_get_monotonic_time (),
    .size_class = (guint16) size_class,
    .older = pool.newest,
    .class_older = pool.of_class[size_class],
  };
  *(pool.newest != 0 ? &pool.entries[pool.newest].newer : &pool.oldest) = number;
  pool.newest = number;
  if (entry->class_older != 0)
    pool.entries[entry->class_older].class_newer = number;
  pool.of_class[size_class] = number;
  pool.idle += capacity;
  pool.n_small += capacity < MAPPED_SIZE;
}

static gboolean
is_full (void)
{
  return pool.unused == 0 && pool.n_entries == MAX_IDLE;
}

/* Frees blocks that exceed the limit or are too old; releases the lock while freeing. */
static void
trim_all_due (void)
{
  gint64 now = g_get_monotonic_time ();

  while (pool.oldest != 0
         && (pool.idle > pool.most || pool.entries[pool.oldest].since + pool.idle_time <= now))
    {
      gsize capacity;
      gpointer memory = pop_oldest (&capacity);

      g_mutex_unlock (&pool.lock);
      give_to_system (memory, capacity);
      g_mutex_lock (&pool.lock);
    }
}

/* Looks from time to time while the pool is in use or holds idle memory, and sleeps otherwise. Running programs
 * therefore rarely have to wake it. */
static gpointer
trimmer (gpointer data)
{
  ghlo_parallel_lower_priority (NICE);

  g_mutex_lock (&pool.lock);
  for (;;)
    {
      gint64 until, now;

      trim_all_due ();
      pool.asleep = !pool.touched && pool.idle < WORTH_TRIMMING;
      pool.touched = FALSE;
      now = g_get_monotonic_time ();
      until = pool.oldest != 0 ? pool.entries[pool.oldest].since : now;
      if (pool.asleep)
        g_cond_wait (&pool.trim, &pool.lock);
      else
        g_cond_wait_until (&pool.trim, &pool.lock, MAX (until + pool.idle_time, now + pool.idle_time / 8));
      pool.asleep = FALSE;
    }

  return NULL;
}

static void
before_fork (void)
{
  g_mutex_lock (&pool.lock);
}

static void
after_fork_in_parent (void)
{
  pool.n_forks++;
  g_mutex_unlock (&pool.lock);
}

static void
after_fork_in_child (void)
{
  pool.has_trimmer = FALSE;
  pool.no_trimmer = TRUE;
  pool.leaving = NULL;
  g_mutex_unlock (&pool.lock);
}

static void
ensure_fork_handlers (void)
{
  static gsize done;

  if (g_once_init_enter (&done))
    {
      pthread_atfork (before_fork, after_fork_in_parent, after_fork_in_child);
      g_once_init_leave (&done, 1);
    }
}

static void
start_trimmer (void)
{
  if (ghlo_thread_start ("ghlo-trim", trimmer, NULL, NULL))
    return;
  g_mutex_lock (&pool.lock);
  pool.has_trimmer = FALSE;
  pool.no_trimmer = TRUE;
  g_mutex_unlock (&pool.lock);
}

gpointer
ghlo_pool_take (gsize size)
{
  gpointer memory = NULL;
  gsize capacity;
  guint size_class = find_class (size, &capacity);
  guint16 number;

  ensure_fork_handlers ();
  g_mutex_lock (&pool.lock);
  number = pool.of_class[size_class];
  if (number != 0)
    {
      memory = pool.entries[number].memory;
      unlink_entry (number);
      pool.n_taken++;
    }
  g_mutex_unlock (&pool.lock);

  if (memory != NULL)
    ASAN_UNPOISON_MEMORY_REGION (memory, size);

  return memory;
}

gpointer
ghlo_pool_make (gsize     size,
                gboolean *zeroed)
{
  gsize capacity = ghlo_pool_get_capacity (size);
  gpointer memory = get_from_system (capacity);

  if (memory == NULL)
    return NULL;
  ASAN_POISON_MEMORY_REGION ((guint8 *) memory + size, capacity - size);
  *zeroed = capacity >= MAPPED_SIZE;
  g_mutex_lock (&pool.lock);
  pool.n_made++;
  if (capacity >= GHLO_POOL_HUGE_SIZE)
    add_huge (memory, capacity);
  g_mutex_unlock (&pool.lock);

  return memory;
}

/* Called with the lock held. Returns whether the trimmer takes care of excess memory. */
static gboolean
request_trim (gboolean *start)
{
  *start = FALSE;
  if (pool.no_trimmer)
    return FALSE;
  if (!pool.has_trimmer)
    *start = pool.has_trimmer = pool.idle >= WORTH_TRIMMING || pool.idle > pool.most;
  else if (pool.idle > pool.most || (pool.asleep && pool.idle >= WORTH_TRIMMING))
    g_cond_signal (&pool.trim);

  return TRUE;
}

void
ghlo_pool_give (gpointer memory,
                gsize    size,
                gsize    most)
{
  gpointer refused = NULL;
  gsize capacity, refused_capacity = 0;
  guint size_class = find_class (size, &capacity);
  gboolean called, start;

  ASAN_POISON_MEMORY_REGION (memory, capacity);
  g_mutex_lock (&pool.lock);
  pool.most = most;
  pool.touched = TRUE;
  if (capacity < MAPPED_SIZE && pool.n_small == MAX_SMALL)
    {
      refused = memory;
      refused_capacity = capacity;
    }
  else
    {
      if (is_full ())
        refused = pop_oldest (&refused_capacity);
      push_newest (memory, capacity, size_class);
    }
  called = request_trim (&start);
  g_mutex_unlock (&pool.lock);

  if (refused != NULL)
    give_to_system (refused, refused_capacity);
  if (start)
    start_trimmer ();
  if (!called)
    ghlo_pool_shrink (most);
}

void
ghlo_pool_shrink (gsize most)
{
  gsize capacity;
  gpointer memory;

  do
    {
      g_mutex_lock (&pool.lock);
      memory = pool.idle > most ? pop_oldest (&capacity) : NULL;
      g_mutex_unlock (&pool.lock);
      if (memory != NULL)
        give_to_system (memory, capacity);
    }
  while (memory != NULL);
}

gsize
ghlo_pool_get_idle (void)
{
  gsize idle;

  g_mutex_lock (&pool.lock);
  idle = pool.idle;
  g_mutex_unlock (&pool.lock);

  return idle;
}

void
ghlo_pool_get_counts (guint64 *n_made,
                      guint64 *n_taken)
{
  g_mutex_lock (&pool.lock);
  *n_made = pool.n_made;
  *n_taken = pool.n_taken;
  g_mutex_unlock (&pool.lock);
}

void
ghlo_pool_set_idle_time (gint64 time)
{
  g_mutex_lock (&pool.lock);
  pool.idle_time = time;
  g_cond_signal (&pool.trim);
  g_mutex_unlock (&pool.lock);
}
