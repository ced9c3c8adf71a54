/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/mapped.h"

#include <sys/mman.h>
#include <unistd.h>

typedef struct
{
  gsize begin, end;
} Range;

static GMutex lock;
static GArray *ranges;    /* of Range; guarded by the lock */

static void
unmap (gpointer data)
{
  GMappedFile *file = data;
  const gsize begin = (gsize) g_mapped_file_get_contents (file);

  g_mutex_lock (&lock);
  for (guint i = 0; i < ranges->len; i++)
    if (g_array_index (ranges, Range, i).begin == begin)
      {
        g_array_remove_index_fast (ranges, i);
        break;
      }
  g_mutex_unlock (&lock);
  g_mapped_file_unref (file);
}

GBytes *
ghlo_mapped_bytes (GMappedFile *file)
{
  const char *contents = g_mapped_file_get_contents (file);
  const gsize length = g_mapped_file_get_length (file);
  const Range range = { (gsize) contents, (gsize) contents + length };

  g_mutex_lock (&lock);
  if (ranges == NULL)
    ranges = g_array_new (FALSE, FALSE, sizeof (Range));
  g_array_append_val (ranges, range);
  g_mutex_unlock (&lock);

  return g_bytes_new_with_free_func (contents, length, unmap, file);
}

/* Pages that belong to other constants in part stay. */
void
ghlo_mapped_release (gconstpointer data,
                     gsize         size)
{
  const gsize page = (gsize) sysconf (_SC_PAGESIZE), begin = ((gsize) data + page - 1) & ~(page - 1);
  const gsize end = ((gsize) data + size) & ~(page - 1);
  gboolean is_mapped = FALSE;

  g_mutex_lock (&lock);
  for (guint i = 0; ranges != NULL && i < ranges->len && !is_mapped; i++)
    {
      const Range *range = &g_array_index (ranges, Range, i);

      is_mapped = begin >= range->begin && end <= range->end;
    }
  g_mutex_unlock (&lock);
  if (is_mapped && begin < end)
    madvise ((gpointer) begin, end - begin, MADV_DONTNEED);
}
