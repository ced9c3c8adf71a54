/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The process' memory account: what values hold now, the most they ever held,
 * and the limit. Reserving comes before allocating, so that threads that
 * allocate at the same time cannot pass the limit together.
 */

#include "runtime/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "runtime/value.h"

enum { ALIGNMENT = 64 };

/* Blocks from this size on are mapped one by one, so that the system has them back
 * as soon as they are freed. The C library would keep several of them in each
 * thread's arena, once it has seen some of the size freed. They are large enough for
 * huge pages, without which the faults would cost more than clearing does. */
#define MAPPED_SIZE ((gsize) 4 << 20)

/* The share of the machine's memory that values may hold unless told. */
#define DEFAULT_SHARE 0.9

/* All three are read and written atomically. */
static gsize used;
static gsize peak;
static gsize limit;       /* valid once limit_known is */
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
  const char *text = g_getenv ("GHLO_MEMORY_LIMIT");
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

static gpointer
map_zeroed (gsize size)
{
  gpointer memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (memory == MAP_FAILED)
    return NULL;
  madvise (memory, size, MADV_HUGEPAGE);

  return memory;
}

/* calloc leaves fresh pages of a large block untouched, which a memset over
 * aligned memory would not. What it gave is kept just before the aligned part. */
static gpointer
alloc_zeroed (gsize size)
{
  gsize padded;
  gpointer base;
  guintptr aligned;

  if (!ghlo_size_add (&padded, size, sizeof (gpointer) + ALIGNMENT))
    return NULL;
  base = calloc (1, padded);
  if (base == NULL)
    return NULL;
  aligned = ((guintptr) base + sizeof (gpointer) + ALIGNMENT - 1) & ~(guintptr) (ALIGNMENT - 1);
  ((gpointer *) aligned)[-1] = base;

  return (gpointer) aligned;
}

gpointer
ghlo_memory_alloc (gsize    size,
                   GError **error)
{
  gpointer memory;

  if (!reserve (size))
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                   "%" G_GSIZE_FORMAT " bytes are needed, but %" G_GSIZE_FORMAT " of the %" G_GSIZE_FORMAT
                   " bytes that the memory limit allows are in use",
                   size, ghlo_memory_get_used (), ghlo_memory_get_limit ());
      return NULL;
    }

  memory = size >= MAPPED_SIZE ? map_zeroed (size) : alloc_zeroed (size);
  if (memory == NULL)
    {
      __atomic_sub_fetch (&used, size, __ATOMIC_RELAXED);
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                   "%" G_GSIZE_FORMAT " bytes are needed, which the system refused", size);
    }

  return memory;
}

void
ghlo_memory_free (gpointer memory,
                  gsize    size)
{
  if (size >= MAPPED_SIZE)
    munmap (memory, size);
  else
    free (((gpointer *) memory)[-1]);
  __atomic_sub_fetch (&used, size, __ATOMIC_RELAXED);
}
