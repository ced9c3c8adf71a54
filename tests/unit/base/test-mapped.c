/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pages of mapped files can be given back, are read again on their next use, and nothing else is given back.
 */

#include "base/mapped.h"

#include <glib/gstdio.h>
#include <string.h>
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

static guint64
add_up (GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  guint64 sum = 0;

  for (gsize i = 0; i < size; i++)
    sum += data[i];

  return sum;
}

static void
test_release (void)
{
  g_autofree char *name = NULL;
  g_autofree guint8 *memory = g_malloc (SIZE);
  g_autoptr (GBytes) bytes = NULL, slice = NULL;
  GMappedFile *file;
  guint64 sum = 0;
  gint64 before, after;
  int fd = g_file_open_tmp ("ghlo-mapped-XXXXXX", &name, NULL);

  for (gsize i = 0; i < SIZE; i++)
    sum += memory[i] = (guint8) (i * 7 + i / 256);
  g_assert_true (g_file_set_contents (name, (const char *) memory, SIZE, NULL));
  close (fd);
  file = g_mapped_file_new (name, FALSE, NULL);
  g_assert_nonnull (file);
  bytes = ghlo_mapped_bytes (file);
  slice = g_bytes_new_from_bytes (bytes, 1, SIZE - 2);

  g_assert_cmpuint (add_up (bytes), ==, sum);
  before = count_resident ();
  ghlo_mapped_release (g_bytes_get_data (slice, NULL), g_bytes_get_size (slice));
  after = count_resident ();
  g_test_message ("%" G_GINT64_FORMAT " KB of files, then %" G_GINT64_FORMAT, before, after);
  g_assert_cmpint (before - after, >=, (SIZE >> 10) - 64);
  g_assert_cmpuint (add_up (bytes), ==, sum);

  /* Anonymous memory would be lost. */
  ghlo_mapped_release (memory, SIZE);
  for (gsize i = 0; i < SIZE; i++)
    g_assert_cmpuint (memory[i], ==, (guint8) (i * 7 + i / 256));
  ghlo_mapped_release (g_bytes_get_data (bytes, NULL), 1);
  g_clear_pointer (&slice, g_bytes_unref);
  g_clear_pointer (&bytes, g_bytes_unref);
  g_unlink (name);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/mapped/release", test_release);

  return g_test_run ();
}
