/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Maps large program files; see file.h.
 */

#include "import/file.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>

static gboolean
is_large (const struct stat *status,
          gsize              limit)
{
  return S_ISREG (status->st_mode) && status->st_size > 0 && (guint64) status->st_size > limit;
}

gboolean
ghlo_import_file_map (GhloImportFile *self,
                      const char     *path,
                      gsize           limit)
{
  g_autoptr (GMappedFile) mapped = NULL;
  struct stat status;
  int fd;

  /* Checked before opening: opening a file that is not regular may block, or affect a process at its other end. */
  if (stat (path, &status) != 0 || !is_large (&status, limit))
    return FALSE;
  fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  if (fd < 0)
    return FALSE;
  if (fstat (fd, &status) == 0 && is_large (&status, limit))
    mapped = g_mapped_file_new_from_fd (fd, FALSE, NULL);
  if (mapped == NULL)
    {
      g_close (fd, NULL);
      return FALSE;
    }

  *self = (GhloImportFile) {
    .bytes = g_mapped_file_get_bytes (mapped),
    .is_mapped = TRUE,
    .fd = fd,
    .size = status.st_size,
    .seconds = status.st_mtim.tv_sec,
    .nanoseconds = status.st_mtim.tv_nsec,
  };

  return TRUE;
}

gboolean
ghlo_import_file_has_changed (const GhloImportFile *self)
{
  struct stat status;

  if (!self->is_mapped)
    return FALSE;

  return fstat (self->fd, &status) != 0 || status.st_size != self->size
         || (gsize) status.st_size != g_bytes_get_size (self->bytes)
         || status.st_mtim.tv_sec != self->seconds || status.st_mtim.tv_nsec != self->nanoseconds;
}

void
ghlo_import_file_clear (GhloImportFile *self)
{
  g_clear_pointer (&self->bytes, g_bytes_unref);
  if (self->is_mapped)
    g_close (self->fd, NULL);
  self->is_mapped = FALSE;
}
