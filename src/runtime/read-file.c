/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See read-file.h. Local files are opened with O_NONBLOCK: opening a named pipe would otherwise wait for a writer,
 * and no cancellable could end that wait.
 */

#include "runtime/read-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/foreign-format.h"
#include "base/ghlo-error.h"

enum
{
  FIRST_SIZE = 1 << 16,       /* bytes read at first from a source of unknown size */
  BLOCK = 1 << 20,            /* the most bytes read between checks for cancellation */
  PATIENCE = 3000,            /* milliseconds for which a named pipe may have no writer */
};

/* The source, a descriptor or a stream, and the bytes read so far. */
typedef struct
{
  const char   *name;         /* the name in messages */
  int           fd;
  gboolean      waits;        /* reads of the descriptor block, so it is not polled */
  GInputStream *stream;
  GCancellable *cancellable;
  struct stat   status;       /* as of the start; for a stream only the size, 0 where unknown */
  guint8       *data;
  gsize         n_bytes, room;
} Reader;

static void
set_errno (const Reader  *self,
           int            problem,
           const char    *what,
           GError       **error)
{
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (problem), "'%s' cannot be %s: %s", self->name, what,
               g_strerror (problem));
}

static gboolean
grow (Reader  *self,
      gsize    room,
      GError **error)
{
  guint8 *larger = g_try_realloc (self->data, room);

  if (larger == NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                   "not enough memory for a file of %" G_GSIZE_FORMAT " bytes", room);
      return FALSE;
    }
  self->data = larger;
  self->room = room;

  return TRUE;
}

/* Waits until there is something to read or a writer has gone. Returns FALSE when cancelled, or when the pipe had no
 * writer for so long that none can be expected. */
static gboolean
wait_for_data (const Reader  *self,
               gboolean       has_writer,
               GError       **error)
{
  GPollFD polled[2] = { { .fd = self->fd, .events = G_IO_IN } };
  gboolean can_cancel = g_cancellable_make_pollfd (self->cancellable, &polled[1]);
  int n;

  do
    n = g_poll (polled, can_cancel ? 2 : 1, has_writer ? -1 : PATIENCE);
  while (n < 0 && errno == EINTR);
  if (can_cancel)
    g_cancellable_release_fd (self->cancellable);
  if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
    return FALSE;
  if (n == 0)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT,
                 "expected a writer of the pipe '%s', found none for %d seconds", self->name, PATIENCE / 1000);

  return n > 0;
}

/* Reads into the remaining room. Returns the number of bytes, 0 at the end, or -1 with @error set. */
static gssize
read_descriptor (const Reader  *self,
                 GError       **error)
{
  gsize size = MIN (self->room - self->n_bytes, BLOCK);

  for (gboolean waited = FALSE;;)
    {
      gssize n = read (self->fd, self->data + self->n_bytes, size);

      if (n < 0 && errno != EINTR && errno != EAGAIN)
        {
          set_errno (self, errno, "read", error);
          return -1;
        }
      if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
        return -1;
      /* A pipe without writers reads like one at its end. Before the first byte, a writer may still come. */
      if (n > 0 || (n == 0 && (self->waits || !S_ISFIFO (self->status.st_mode) || self->n_bytes > 0 || waited)))
        return n;
      if (n < 0 && errno == EINTR)
        continue;
      if (!wait_for_data (self, n < 0, error))
        return -1;
      waited = TRUE;
    }
}

static gssize
read_some (const Reader  *self,
           GError       **error)
{
  if (self->stream == NULL)
    return read_descriptor (self, error);

  return g_input_stream_read (self->stream, self->data + self->n_bytes, MIN (self->room - self->n_bytes, BLOCK),
                              self->cancellable, error);
}

static gboolean
has_changed (const Reader *self)
{
  struct stat now;

  if (self->stream != NULL || self->status.st_size == 0)
    return FALSE;

  return fstat (self->fd, &now) != 0 || now.st_size != self->status.st_size
         || now.st_mtim.tv_sec != self->status.st_mtim.tv_sec || now.st_mtim.tv_nsec != self->status.st_mtim.tv_nsec;
}

/* Reads everything. There is room for one byte more than expected, which detects sources that are longer. */
static GBytes *
read_all (Reader  *self,
          GError **error)
{
  gsize size = S_ISREG (self->status.st_mode) && self->status.st_size > 0 ? (gsize) self->status.st_size : 0;
  gsize limit = size > 0 ? size : GHLO_READ_LIMIT;
  gssize n = 1;

  if (!grow (self, MAX (size, FIRST_SIZE) + 1, error))
    return NULL;
  while (n > 0 && self->n_bytes <= limit)
    {
      if (self->n_bytes == self->room && !grow (self, MIN (self->room * 2, limit + 1), error))
        return NULL;
      n = read_some (self, error);
      if (n < 0)
        return NULL;
      self->n_bytes += n;
    }

  if (has_changed (self) || (size > 0 && self->n_bytes > limit))
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA,
                 "%s: expected a file that does not change while it is read, found it changed", self->name);
  else if (self->n_bytes > limit)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA,
                 "%s: expected at most %" G_GSIZE_FORMAT " bytes in a file that is not regular, found more", self->name,
                 limit);
  /* Shrinking a block does not fail. */
  else if (grow (self, MAX (self->n_bytes, 1), error))
    return g_bytes_new_take (g_steal_pointer (&self->data), self->n_bytes);

  return NULL;
}

static GBytes *
read_open (Reader  *self,
           GError **error)
{
  GBytes *bytes;

  if (self->stream == NULL && fstat (self->fd, &self->status) != 0)
    {
      set_errno (self, errno, "read", error);
      return NULL;
    }
  if (S_ISDIR (self->status.st_mode))
    {
      g_autofree char *what = ghlo_foreign_format_describe_folder (self->name);

      g_set_error (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY, "expected a file, found the folder '%s'%s%s", self->name,
                   what != NULL ? ", " : "", what != NULL ? what : "");
      return NULL;
    }
  bytes = read_all (self, error);
  g_free (self->data);

  return bytes;
}

GBytes *
ghlo_read_descriptor (int          fd,
                      const char  *name,
                      GError     **error)
{
  Reader reader = { .name = name, .fd = fd, .waits = TRUE };

  return read_open (&reader, error);
}

GBytes *
ghlo_read_path (const char    *path,
                GCancellable  *cancellable,
                GError       **error)
{
  g_autofree char *name = g_filename_display_name (path);
  Reader reader = { .name = name, .fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0),
                    .cancellable = cancellable };
  GBytes *bytes;

  if (reader.fd < 0)
    {
      set_errno (&reader, errno, "opened", error);
      return NULL;
    }
  bytes = read_open (&reader, error);
  g_close (reader.fd, NULL);

  return bytes;
}

static GBytes *
read_remote (GFile         *file,
             GCancellable  *cancellable,
             GError       **error)
{
  g_autoptr (GFileInputStream) stream = g_file_read (file, cancellable, error);
  g_autoptr (GFileInfo) info = NULL;
  g_autofree char *name = g_file_get_parse_name (file);
  Reader reader = { .name = name, .fd = -1, .stream = G_INPUT_STREAM (stream), .cancellable = cancellable };

  if (stream == NULL)
    return NULL;
  info = g_file_input_stream_query_info (stream, G_FILE_ATTRIBUTE_STANDARD_SIZE, cancellable, NULL);
  reader.status.st_mode = S_IFREG;
  reader.status.st_size = info != NULL ? g_file_info_get_size (info) : 0;

  return read_open (&reader, error);
}

GBytes *
ghlo_read_file (GFile         *file,
                GCancellable  *cancellable,
                GError       **error)
{
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  if (g_file_is_native (file) && g_file_peek_path (file) != NULL)
    return ghlo_read_path (g_file_peek_path (file), cancellable, error);

  return read_remote (file, cancellable, error);
}
