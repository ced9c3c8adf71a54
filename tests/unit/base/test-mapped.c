/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pages of mapped files can be given back, are read again on their next use, and nothing else is given back.
 */

#include "base/mapped.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 16 << 20 };

/* Kilobytes of files in memory. */
static gint64
count_resident (void)
{
  g_autofree char *status = NULL;
  const char *line;

  g_assert_true (g_file_get_contents ("/proc/self/status", &status, NULL, NULL));
  line = strstr (status, "RssFile:");
  g_assert_nonnull (line);

  return g_ascii_strtoll (line + strlen ("RssFile:"), NULL, 10);
}

static guint8
element (gsize i)
{
  return (guint8) (i * 7 + i / 256);
}

/* A file of SIZE bytes, in a new mapping. */
static guint8 *
map_file (int protection,
          int flags)
{
  g_autofree guint8 *content = g_malloc (SIZE);
  g_autofree char *name = NULL;
  guint8 *data;
  int fd = g_file_open_tmp ("ghlo-mapped-XXXXXX", &name, NULL);

  g_assert_cmpint (fd, >=, 0);
  for (gsize i = 0; i < SIZE; i++)
    content[i] = element (i);
  for (gsize done = 0; done < SIZE;)
    {
      gssize n = write (fd, content + done, SIZE - done);

      g_assert_cmpint (n, >, 0);
      done += (gsize) n;
    }
  data = mmap (NULL, SIZE, protection, flags, fd, 0);
  g_assert_true (data != MAP_FAILED);
  close (fd);
  g_unlink (name);

  return data;
}

static void
check_elements (const guint8 *data,
                gsize         begin,
                gsize         end)
{
  for (gsize i = begin; i < end; i++)
    g_assert_cmpuint (data[i], ==, element (i));
}

/* Both what GLib maps and what NumPy does. */
static void
test_release (gconstpointer flags)
{
  guint8 *data = map_file (PROT_READ, GPOINTER_TO_INT (flags));
  gint64 before, after;

  check_elements (data, 0, SIZE);
  before = count_resident ();
  ghlo_mapped_release (data + 1, SIZE - 2);
  after = count_resident ();
  g_test_message ("%" G_GINT64_FORMAT " KB of files, then %" G_GINT64_FORMAT, before, after);
  g_assert_cmpint (before - after, >=, (SIZE >> 10) - 64);
  check_elements (data, 0, SIZE);
  ghlo_mapped_release (data, 1);
  munmap (data, SIZE);
}

/* A page that was written to is not the file's any more. */
static void
test_written (void)
{
  guint8 *data = map_file (PROT_READ | PROT_WRITE, MAP_PRIVATE);

  data[SIZE / 2] = 1;
  data[SIZE - 1] = 2;
  ghlo_mapped_release (data, SIZE);
  g_assert_cmpuint (data[SIZE / 2], ==, 1);
  g_assert_cmpuint (data[SIZE - 1], ==, 2);
  check_elements (data, 0, SIZE / 2);
  munmap (data, SIZE);
}

static void
test_anonymous (void)
{
  g_autofree guint8 *memory = g_malloc (SIZE);

  for (gsize i = 0; i < SIZE; i++)
    memory[i] = element (i);
  ghlo_mapped_release (memory, SIZE);
  check_elements (memory, 0, SIZE);
}

/* All that lies between the elements of a view goes, and nothing before or behind it. */
static void
test_view (void)
{
  guint8 *data = map_file (PROT_READ, MAP_PRIVATE);
  const gint64 dimensions[] = { 4, SIZE / 16 }, strides[] = { -(SIZE / 4), 4 };
  const GhloView view = { .data = data + 3 * (SIZE / 4), .element_type = GHLO_ELEMENT_TYPE_F32, .rank = 2,
                          .dimensions = dimensions, .strides = strides };
  const GhloView empty = { .data = data, .element_type = GHLO_ELEMENT_TYPE_F32, .rank = 1,
                           .dimensions = (const gint64[]) { 0 }, .strides = strides };
  gint64 before, after;

  check_elements (data, 0, SIZE);
  before = count_resident ();
  ghlo_mapped_release_view (&empty);
  after = count_resident ();
  g_assert_cmpint (before - after, <, SIZE >> 11);
  ghlo_mapped_release_view (&view);
  after = count_resident ();
  g_assert_cmpint (before - after, >=, (SIZE >> 10) - 64);
  check_elements (data, 0, SIZE);
  munmap (data, SIZE);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_data_func ("/mapped/release/private", GINT_TO_POINTER (MAP_PRIVATE), test_release);
  g_test_add_data_func ("/mapped/release/shared", GINT_TO_POINTER (MAP_SHARED), test_release);
  g_test_add_func ("/mapped/written", test_written);
  g_test_add_func ("/mapped/anonymous", test_anonymous);
  g_test_add_func ("/mapped/view", test_view);

  return g_test_run ();
}
