/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each blob gets pages of its own: a small blob wastes most of a page, but no page is writable once its code runs.
 * The pages are counted as memory of the library.
 */

#include "cpu/jit/map.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/ghlo-error.h"
#include "cpu/jit/blob.h"
#include "runtime/memory.h"

struct _GhloCodeMap
{
  guint8 *pages;
  gsize   size;         /* a multiple of the page size */
  guint32 entry;
};

/* The machine type of this process, or EM_NONE where machine code is not supported. */
static guint
own_machine (void)
{
#if defined (__x86_64__) && defined (__LP64__)
  return EM_X86_64;
#elif defined (__aarch64__) && defined (__LP64__) && G_BYTE_ORDER == G_LITTLE_ENDIAN
  return EM_AARCH64;
#else
  return EM_NONE;
#endif
}

static gboolean
fail (const char  *what,
      gsize        size,
      GError     **error)
{
  int number = errno;

  g_set_error (error, GHLO_ERROR, number == ENOMEM ? GHLO_ERROR_OUT_OF_MEMORY : GHLO_ERROR_DEVICE,
               "%" G_GSIZE_FORMAT " bytes for machine code cannot be %s: %s", size, what, g_strerror (number));

  return FALSE;
}

static gboolean
map_pages (GhloCodeMap *self,
           GBytes      *blob,
           GError     **error)
{
  gsize size;
  const guint8 *bytes = g_bytes_get_data (blob, &size);
  gpointer pages = mmap (NULL, self->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (pages == MAP_FAILED)
    return fail ("allocated", self->size, error);
  memcpy (pages, bytes, size);
  if (mprotect (pages, self->size, PROT_READ | PROT_EXEC) != 0)
    {
      fail ("made executable", self->size, error);
      munmap (pages, self->size);
      return FALSE;
    }
  __builtin___clear_cache ((char *) pages, (char *) pages + size);
  self->pages = pages;

  return TRUE;
}

GhloCodeMap *
ghlo_code_map_new (GBytes  *blob,
                   GError **error)
{
  g_autofree GhloCodeMap *self = g_new0 (GhloCodeMap, 1);
  gsize page = (gsize) sysconf (_SC_PAGESIZE);
  GhloCodeHeader header;

  if (!ghlo_code_read_header (blob, &header, error))
    return NULL;
  if (header.machine != own_machine ())
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                           "the machine code is for another processor architecture");
      return NULL;
    }
  self->size = (header.size + page - 1) & ~(page - 1);
  self->entry = header.entry;
  if (!ghlo_memory_reserve (self->size, error))
    return NULL;
  if (!map_pages (self, blob, error))
    {
      ghlo_memory_unreserve (self->size);
      return NULL;
    }

  return g_steal_pointer (&self);
}

void
ghlo_code_map_free (GhloCodeMap *self)
{
  munmap (self->pages, self->size);
  ghlo_memory_unreserve (self->size);
  g_free (self);
}

gpointer
ghlo_code_map_get_entry (const GhloCodeMap *self)
{
  return self->pages + self->entry;
}
