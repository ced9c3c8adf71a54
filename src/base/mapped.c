/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linux says in /proc/self/pagemap of each page whether it is a file's. A page of a private mapping that was written to
 * is not one any more. Nothing is written to between the question and the answer, since all bytes of the pages belong
 * to what the caller keeps from being written to.
 */

#include "base/mapped.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sizes.h"

/* Less is not worth the system calls. */
enum { LEAST = 64 << 10 };

/* Of an entry, which has 64 bits for a page. */
#define IS_PRESENT (G_GUINT64_CONSTANT (1) << 63)
#define IS_SWAPPED (G_GUINT64_CONSTANT (1) << 62)
#define IS_OF_FILE (G_GUINT64_CONSTANT (1) << 61)

static gboolean
is_of_file (guint64 entry)
{
  return (entry & IS_PRESENT) != 0 ? (entry & IS_OF_FILE) != 0 : (entry & IS_SWAPPED) == 0;
}

static gboolean
are_of_files (gsize first,
              gsize end)
{
  guint64 entries[512];
  int fd = open ("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  gboolean all = fd >= 0;

  for (gsize n; all && first < end; first += n)
    {
      const gsize n_bytes = (n = MIN (end - first, G_N_ELEMENTS (entries))) * sizeof *entries;

      all = pread (fd, entries, n_bytes, (off_t) (first * sizeof *entries)) == (gssize) n_bytes;
      for (gsize i = 0; i < n && all; i++)
        all = is_of_file (entries[i]);
    }
  if (fd >= 0)
    close (fd);

  return all;
}

/* Pages that belong to other data in part stay. */
void
ghlo_mapped_release (gconstpointer data,
                     gsize         size)
{
  const gsize page = (gsize) sysconf (_SC_PAGESIZE), first = ghlo_size_ceil_div ((gsize) data, page);
  const gsize end = ((gsize) data + size) / page;

  if (size >= LEAST && first < end && are_of_files (first, end))
    madvise ((gpointer) (first * page), (end - first) * page, MADV_DONTNEED);
}

void
ghlo_mapped_release_view (const GhloView *view)
{
  gsize before = 0, after = ghlo_element_info (view->element_type)->size;

  for (guint i = 0; i < view->rank; i++)
    {
      if (view->dimensions[i] == 0)
        return;
      if (view->strides[i] < 0)
        before += (gsize) (view->dimensions[i] - 1) * (gsize) -view->strides[i];
      else
        after += (gsize) (view->dimensions[i] - 1) * (gsize) view->strides[i];
    }
  ghlo_mapped_release (view->data - before, before + after);
}
