/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "runtime/read-file.h"

#include "base/ghlo-error.h"
#include "base/sizes.h"

/* Bytes that are read at first where nothing says how many there are, as of a pipe. */
enum { FIRST_SIZE = 1 << 16 };

static gsize
find_size (GFileInputStream *stream,
           GCancellable     *cancellable)
{
  g_autoptr (GFileInfo) info = g_file_input_stream_query_info (stream, G_FILE_ATTRIBUTE_STANDARD_SIZE, cancellable,
                                                               NULL);
  goffset size = info != NULL ? g_file_info_get_size (info) : 0;

  return MAX (size, FIRST_SIZE);
}

static gboolean
grow (guint8 **data,
      gsize    room,
      GError **error)
{
  guint8 *larger = g_try_realloc (*data, room);

  if (larger == NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                   "expected memory for a file of %" G_GSIZE_FORMAT " bytes, found less", room);
      return FALSE;
    }
  *data = larger;

  return TRUE;
}

/* All of the stream, with room for one byte more than is expected, which shows the end. */
static GBytes *
read_stream (GFileInputStream  *stream,
             GCancellable      *cancellable,
             GError           **error)
{
  gsize room = find_size (stream, cancellable) + 1, n_bytes = 0, n;
  g_autofree guint8 *data = NULL;

  if (!grow (&data, room, error))
    return NULL;
  while (g_input_stream_read_all (G_INPUT_STREAM (stream), data + n_bytes, room - n_bytes, &n, cancellable, error))
    {
      n_bytes += n;
      if (n_bytes < room)
        {
          /* A shorter block is never refused. */
          if (!grow (&data, MAX (n_bytes, 1), error))
            return NULL;
          return g_bytes_new_take (g_steal_pointer (&data), n_bytes);
        }
      if (!ghlo_size_mul (&room, room, 2))
        room = G_MAXSSIZE;
      if (!grow (&data, room, error))
        return NULL;
    }

  return NULL;
}

GBytes *
ghlo_read_file (GFile         *file,
                GCancellable  *cancellable,
                GError       **error)
{
  g_autoptr (GFileInputStream) stream = g_file_read (file, cancellable, error);

  return stream != NULL ? read_stream (stream, cancellable, error) : NULL;
}
