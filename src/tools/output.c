/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Output of sub-commands, on standard output and to files. A failed write to standard output
 * is reported when the process exits, in whichever way; GOption itself exits after --help.
 */

#include "tools/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ghlo-error.h"

/* The status that a shell shows for a process killed by SIGPIPE. */
enum { ENDED_BY_SIGPIPE = 128 + SIGPIPE };

/* Occupies a standard descriptor that is closed with one that can be used only in the opposite direction, so
 * that no file opened later takes its number and receives what is printed. */
static void
occupy (int fd,
        int flags)
{
  if (fcntl (fd, F_GETFD) < 0 && errno == EBADF && open ("/dev/null", flags) != fd)
    _exit (GHLO_TOOL_FAILED);
}

/* Returns the errno of a failed write to standard output, or 0. The stream does not keep the errno of an
 * earlier failure, so another write is attempted to get it. */
static int
find_problem (void)
{
  if (fflush (stdout) != 0)
    return errno;
  if (ferror (stdout))
    return write (STDOUT_FILENO, "\n", 1) < 0 ? errno : EIO;

  return fclose (stdout) != 0 ? errno : 0;
}

/* Runs at exit, where only _exit can still change the status. */
static void
close_output (void)
{
  int problem = find_problem ();

  if (problem == EPIPE)
    _exit (ENDED_BY_SIGPIPE);
  if (problem != 0)
    ghlo_tool_error ("standard output cannot be written: %s", g_strerror (problem));
  if (problem != 0 || ferror (stderr))
    _exit (GHLO_TOOL_FAILED);
}

void
ghlo_tool_output_init (void)
{
  occupy (STDIN_FILENO, O_WRONLY);
  occupy (STDOUT_FILENO, O_RDONLY);
  occupy (STDERR_FILENO, O_WRONLY);
  /* Treat exceeding the file size limit as an ordinary write error. */
  signal (SIGXFSZ, SIG_IGN);
  atexit (close_output);
}

static gboolean
write_all (int            fd,
           const guint8  *data,
           gsize          size,
           const char    *name,
           GError       **error)
{
  while (size > 0)
    {
      gssize n = write (fd, data, MIN (size, (gsize) 1 << 30));

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        {
          g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "'%s' cannot be written: %s", name,
                       g_strerror (errno));
          return FALSE;
        }
      data += n;
      size -= n;
    }

  return TRUE;
}

gboolean
ghlo_tool_write_file (const char  *path,
                      GBytes      *bytes,
                      GError     **error)
{
  g_autofree char *target = realpath (path, NULL);
  struct stat status;
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  gboolean ok;
  int fd;

  /* Replace a file atomically, if it has a name: standard output may be a file that was deleted. */
  if (stat (path, &status) != 0 || (target != NULL && (S_ISREG (status.st_mode) || S_ISDIR (status.st_mode))))
    return g_file_set_contents_full (target != NULL ? target : path, (const char *) data, (gssize) size,
                                     G_FILE_SET_CONTENTS_CONSISTENT, 0666, error);

  fd = g_open (path, O_WRONLY | O_TRUNC | O_CLOEXEC, 0);
  if (fd < 0)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "'%s' cannot be opened: %s", path,
                   g_strerror (errno));
      return FALSE;
    }
  ok = write_all (fd, data, size, path, error);

  return g_close (fd, ok ? error : NULL) && ok;
}

char *
ghlo_tool_format_time (double seconds)
{
  if (seconds < 1e-3)
    return g_strdup_printf ("%.3g µs", seconds * 1e6);
  if (seconds < 1)
    return g_strdup_printf ("%.3g ms", seconds * 1e3);

  return g_strdup_printf ("%.3g s", seconds);
}

void
ghlo_tool_print_cell (FILE       *file,
                      const char *text,
                      int         width)
{
  int missing = width - (int) g_utf8_strlen (text, -1);

  fprintf (file, "%*s%s", MAX (missing, 0), "", text);
}
