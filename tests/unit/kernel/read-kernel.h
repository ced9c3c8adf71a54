/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels of the files of tests/kernels.
 */

#pragma once

#include "kernel/text.h"

#include <string.h>

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
