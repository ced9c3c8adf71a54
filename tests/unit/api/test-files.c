/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loading paths that are no regular readable files: endless ones, pipes that nothing is written to, unreadable ones,
 * and files that grow. Every call ends with an error that says why.
 */

#include "api-help.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

/* The number of seconds that a call may take; for an empty pipe it takes three. */
enum { LIMIT = 10 };

static void
assert_refused (GFile        *file,
                GQuark        domain,
                int           code,
                const char   *text)
{
  g_autoptr (GError) error = NULL, buffer_error = NULL;
  gint64 start = g_get_monotonic_time ();

  g_assert_null (ghlo_program_load (file, NULL, &error));
  g_assert_error (error, domain, code);
  g_assert_nonnull (strstr (error->message, text));
  g_assert_null (ghlo_buffer_load (file, NULL, NULL, &buffer_error));
  g_assert_error (buffer_error, domain, code);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 2 * LIMIT * G_USEC_PER_SEC * HELP_SLOWER);
}

static void
test_endless (void)
{
  g_autoptr (GFile) file = g_file_new_for_path ("/dev/zero");

  assert_refused (file, GHLO_ERROR, GHLO_ERROR_DATA,
                  "/dev/zero: expected at most 1073741824 bytes in a file that is not regular, found more");
}

static void
test_folder (void)
{
  g_autoptr (GFile) file = g_file_new_for_path ("/");

  assert_refused (file, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY, "expected a file, found the folder '/'");
}

static char *
make_name (void)
{
  g_autofree char *folder = g_dir_make_tmp ("ghlo-XXXXXX", NULL);

  return g_build_filename (folder, "model.mlir", NULL);
}

static void
remove_name (char *name)
{
  g_autofree char *folder = g_path_get_dirname (name);

  g_unlink (name);
  g_rmdir (folder);
  g_free (name);
}

static void
test_forbidden (void)
{
  char *name = make_name ();
  g_autofree char *contents = NULL;
  g_autoptr (GFile) file = g_file_new_for_path (name);

  g_assert_true (g_file_set_contents (name, HELP_ADD, -1, NULL));
  g_assert_cmpint (g_chmod (name, 0), ==, 0);
  if (g_file_get_contents (name, &contents, NULL, NULL))
    g_test_skip ("this user may read all files");
  else
    assert_refused (file, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED, "cannot be opened: Permission denied");
  remove_name (name);
}

static gint64
cancel_a_silent_pipe (G_GNUC_UNUSED gpointer data)
{
  char *name = make_name ();
  g_autoptr (GFile) file = g_file_new_for_path (name);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GThread *thread;
  gint64 start;

  g_assert_cmpint (mkfifo (name, 0600), ==, 0);
  thread = help_cancel_later (cancellable, 20000);
  start = g_get_monotonic_time ();
  g_assert_null (ghlo_program_load (file, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  start = g_get_monotonic_time () - start - 20000;
  g_thread_join (thread);
  remove_name (name);

  return start;
}

static void
test_silent_pipe (void)
{
  char *name = make_name ();
  g_autoptr (GFile) file = g_file_new_for_path (name);

  g_assert_cmpint (mkfifo (name, 0600), ==, 0);
  assert_refused (file, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "found none for 3 seconds");
  remove_name (name);
  soon_assert (cancel_a_silent_pipe, NULL, 2 * HELP_CANCEL_LIMIT);
}

/* Starts late, and writes in two parts. */
static gpointer
write_slowly (gpointer data)
{
  const char *name = data;
  FILE *pipe;

  g_usleep (50000);
  pipe = g_fopen (name, "w");
  for (guint i = 0; i < 2; i++)
    {
      const char *part = &HELP_ADD[i * 40];
      gsize size = i == 0 ? 40 : strlen (part);

      g_assert_cmpint (fwrite (part, 1, size, pipe), ==, size);
      fflush (pipe);
      g_usleep (50000);
    }
  fclose (pipe);

  return NULL;
}

static void
test_pipe (void)
{
  char *name = make_name ();
  g_autoptr (GFile) file = g_file_new_for_path (name);
  g_autoptr (GhloProgram) program = NULL;
  g_autoptr (GError) error = NULL;
  GThread *thread;

  g_assert_cmpint (mkfifo (name, 0600), ==, 0);
  thread = g_thread_new ("writer", write_slowly, name);
  program = ghlo_program_load (file, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (program);
  g_thread_join (thread);
  remove_name (name);
}

typedef struct
{
  const char *name;
  gint        stop;     /* atomic */
} Writer;

static gpointer
keep_appending (gpointer data)
{
  Writer *writer = data;
  FILE *file = g_fopen (writer->name, "a");

  while (!g_atomic_int_get (&writer->stop))
    {
      fputs ("// more\n", file);
      fflush (file);
    }
  fclose (file);

  return NULL;
}

/* A file that grows faster than it is read: each load ends, with an error if it noticed that the file changed. */
static void
test_growing (void)
{
  char *name = make_name ();
  g_autoptr (GFile) file = g_file_new_for_path (name);
  Writer writer = { .name = name };
  /* A writer that gets no processor appends nothing for a while. */
  const gint64 end = g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND;
  gboolean refused = FALSE;
  GThread *thread;

  g_assert_true (g_file_set_contents (name, HELP_ADD, -1, NULL));
  thread = g_thread_new ("writer", keep_appending, &writer);
  while (!refused && g_get_monotonic_time () < end)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloProgram) program = ghlo_program_load (file, NULL, &error);

      refused = program == NULL;
      if (refused)
        {
          g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DATA);
          g_assert_nonnull (strstr (error->message, "expected a file that does not change while it is read"));
        }
    }
  g_atomic_int_set (&writer.stop, 1);
  g_thread_join (thread);
  g_assert_true (refused);
  remove_name (name);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/files/endless", test_endless);
  g_test_add_func ("/files/folder", test_folder);
  g_test_add_func ("/files/forbidden", test_forbidden);
  g_test_add_func ("/files/silent-pipe", test_silent_pipe);
  g_test_add_func ("/files/pipe", test_pipe);
  g_test_add_func ("/files/growing", test_growing);

  return g_test_run ();
}
