/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads the kernels of tests/kernels.
 */

#pragma once

#include <string.h>

#include "base/text.h"
#include "kernel/text.h"

/* The file names, in order. Where the files are missing the test fails and says which. */
static inline GPtrArray *
list_kernels (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "kernels", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) files = g_dir_open (folder, 0, &error);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  g_assert_no_error (error);
  for (const char *name; (name = g_dir_read_name (files)) != NULL;)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, ghlo_text_compare);

  return names;
}

/* To be freed by g_free (). */
static inline GhloKernel *
read_kernel (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "kernels", name, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  GhloKernel *kernel;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  kernel = ghlo_kernel_parse (text, strlen (text), &error);
  g_assert_no_error (error);

  return kernel;
}
