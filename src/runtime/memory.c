/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The memory account of the process: the bytes in use, their maximum so far, and the limit. Memory is reserved
 * before it is allocated, so that concurrent allocations cannot exceed the limit together.
 */

#include "runtime/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/debug.h"
#include "base/environment.h"
#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "runtime/guard.h"
#include "runtime/pool.h"
#include "runtime/value.h"

/* The share of the machine's memory that values may use by default. */
#define DEFAULT_SHARE 0.9

/* 1 / IDLE_PART of the limit may be idle. */
enum { IDLE_PART = 2 };

/* The most bytes of an idle block that are cleared. That takes 20 ms, which no cancel can end; the system clears new
 * pages one by one, when they are first written. */
#define MAX_CLEARED ((gsize) 64 << 20)

/* Read and written atomically. */
static gsize used;
static gsize peak;
static gsize limit;       /* valid once limit_known is set */
static gsize limit_known;

gboolean
ghlo_memory_parse_limit (const char *string,
                         gsize      *result)
{
  static const char units[] = "kmg";
  char *end;
  guint64 value;
  gsize factor = 1;

  if (!g_ascii_isdigit (string[0]))
    return FALSE;
  errno = 0;
  value = g_ascii_strtoull (string, &end, 10);
  if (errno != 0)
    return FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (units) - 1; i++)
    if (g_ascii_tolower (*end) == units[i])
      {
        factor = (gsize) 1 << (10 * (i + 1));
        end++;
        if (end[0] == 'i' && g_ascii_tolower (end[1]) == 'b')
          end++;
        break;
      }
  if (g_ascii_tolower (*end) == 'b')
    end++;

  return *end == '\0' && value <= G_MAXSIZE && ghlo_size_mul (result, (gsize) value, factor);
}

static gsize
get_default_limit (void)
{
  const char *text = ghlo_environment_get ("GHLO_MEMORY_LIMIT");
  long pages = sysconf (_SC_PHYS_PAGES);
  long page_size = sysconf (_SC_PAGESIZE);
  gsize result;

  if (text != NULL && text[0] != '\0')
    {
      if (ghlo_memory_parse_limit (text, &result))
        return result;
      g_debug ("GHLO_MEMORY_LIMIT is '%s'; expected bytes with an optional K, M or G", text);
    }
  if (pages <= 0 || page_size <= 0)
    return G_MAXSIZE;

  return (gsize) ((double) pages * (double) page_size * DEFAULT_SHARE);
}

static void
ensure_limit (void)
{
  if (g_once_init_enter (&limit_known))
    {
      __atomic_store_n (&limit, get_default_limit (), __ATOMIC_RELAXED);
      g_once_init_leave (&limit_known, 1);
    }
}

gsize
ghlo_memory_get_used (void)
{
  return __atomic_load_n (&used, __ATOMIC_RELAXED);
}

void
ghlo_memory_reset_peak (void)
{
  __atomic_store_n (&peak, ghlo_memory_get_used (), __ATOMIC_RELAXED);
}

gsize
ghlo_memory_get_peak (void)
{
  return __atomic_load_n (&peak, __ATOMIC_RELAXED);
}

gsize
ghlo_memory_get_limit (void)
{
  ensure_limit ();

  return __atomic_load_n (&limit, __ATOMIC_RELAXED);
}

void
ghlo_memory_set_limit (gsize new_limit)
{
  ensure_limit ();
  __atomic_store_n (&limit, new_limit, __ATOMIC_RELAXED);
}

static gboolean
reserve (gsize size)
{
  gsize allowed = ghlo_memory_get_limit ();
  gsize before = __atomic_load_n (&used, __ATOMIC_RELAXED);
  gsize after, most;

  do
    {
      if (!ghlo_size_add (&after, before, size) || after > allowed)
        return FALSE;
    }
  while (!__atomic_compare_exchange_n (&used, &before, after, FALSE, __ATOMIC_RELAXED, __ATOMIC_RELAXED));

  most = __atomic_load_n (&peak, __ATOMIC_RELAXED);
  while (after > most
         && !__atomic_compare_exchange_n (&peak, &most, after, FALSE, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;

  return TRUE;
}

/* Frees idle memory until idle and used memory together are within the limit. */
static void
make_room (void)
{
  gsize allowed = ghlo_memory_get_limit ();

  ghlo_pool_shrink (allowed - MIN (ghlo_memory_get_used (), allowed));
}

static gpointer
make_block (gsize     size,
            gboolean *zeroed)
{
  gpointer memory;

  make_room ();
  memory = ghlo_pool_make (size, zeroed);
  if (memory != NULL)
    return memory;

  ghlo_pool_shrink (0);

  return ghlo_pool_make (size, zeroed);
}

static gpointer
get_block (gsize    size,
           gboolean zeroed)
{
  gboolean is_zeroed = FALSE;
  gpointer memory;

  if (ghlo_debug_has (GHLO_DEBUG_GUARD))
    return ghlo_guard_alloc (size, zeroed);

  memory = zeroed && size > MAX_CLEARED ? NULL : ghlo_pool_take (size);
  if (memory == NULL)
    memory = make_block (size, &is_zeroed);
  if (memory != NULL && zeroed && !is_zeroed)
    memset (memory, 0, size);

  return memory;
}

static void
refuse (gsize    size,
        GError **error)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
               "%" G_GSIZE_FORMAT " bytes are needed, but %" G_GSIZE_FORMAT " of the %" G_GSIZE_FORMAT
               " bytes that the memory limit allows are in use",
               size, ghlo_memory_get_used (), ghlo_memory_get_limit ());
}

gboolean
ghlo_memory_reserve (gsize    size,
                     GError **error)
{
  if (!reserve (size))
    {
      refuse (size, error);
      return FALSE;
    }
  make_room ();

  return TRUE;
}

void
ghlo_memory_unreserve (gsize size)
{
  __atomic_sub_fetch (&used, size, __ATOMIC_RELAXED);
}

static gpointer
allocate (gsize      size,
          gboolean   zeroed,
          GError   **error)
{
  gpointer memory;

  if (size > GHLO_POOL_MAX_SIZE || !reserve (size))
    {
      refuse (size, error);
      return NULL;
    }

  memory = get_block (size, zeroed);
  if (memory == NULL)
    {
      ghlo_memory_unreserve (size);
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                   "cannot allocate %" G_GSIZE_FORMAT " bytes", size);
    }

  return memory;
}

gpointer
ghlo_memory_alloc (gsize    size,
                   GError **error)
{
  return allocate (size, TRUE, error);
}

gpointer
ghlo_memory_alloc_uninitialized (gsize    size,
                                 GError **error)
{
  return allocate (size, FALSE, error);
}

/* Reduces the memory in use last, so that the block is counted, as used or idle, at all times. */
void
ghlo_memory_free (gpointer memory,
                  gsize    size)
{
  if (ghlo_debug_has (GHLO_DEBUG_GUARD))
    ghlo_guard_free (memory, size);
  else
    ghlo_pool_give (memory, size, ghlo_memory_get_limit () / IDLE_PART);
  ghlo_memory_unreserve (size);
}

void
ghlo_memory_trim (void)
{
  ghlo_pool_shrink (0);
}

static gboolean
has_room (gsize size)
{
  gpointer memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  return memory != MAP_FAILED && munmap (memory, size) == 0;
}

gboolean
ghlo_memory_check_room (gsize        size,
                        const char  *user,
                        GError     **error)
{
  if (has_room (size))
    return TRUE;
  ghlo_memory_trim ();
  if (has_room (size))
    return TRUE;
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
               "expected %" G_GSIZE_FORMAT " MiB of memory that the system would give to %s, found less", size >> 20,
               user);

  return FALSE;
}

void
ghlo_memory_get_statistics (GhloMemoryStatistics *statistics)
{
  *statistics = (GhloMemoryStatistics) {
    .used = ghlo_memory_get_used (),
    .idle = ghlo_pool_get_idle (),
    .peak = ghlo_memory_get_peak (),
  };
  ghlo_pool_get_counts (&statistics->n_allocations, &statistics->n_reuses);
}
