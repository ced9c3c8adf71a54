/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the library finds and opens the module that links LLVM: when there is a kernel to compile, but not for a kernel
 * whose code is on disk. A process may exit at any time. Each case runs in a process of its own.
 */

#include "base/ghlo-error.h"
#include "cpu/jit/compiled-kernel.h"
#include "cpu/jit/emitter.h"
#include "kernel/text.h"
#include "runtime/cache.h"

#include "../kernel/read-kernel.h"
#include "../sanitized.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

/* With sanitizers, LLVM itself is linked. */
static gboolean
is_open (void)
{
  g_autofree char *maps = NULL;

  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));

  return (!SANITIZED && strstr (maps, "libLLVM") != NULL) || strstr (maps, "libghlo-llvm") != NULL;
}

/* Fills each buffer with small f32 numbers. */
static void
fill (const GhloKernel *kernel,
      gpointer         *buffers)
{
  for (guint i = 0; i < kernel->n_buffers; i++)
    {
      gsize n = (gsize) kernel->buffers[i].size / sizeof (float);

      buffers[i] = g_aligned_alloc (n, sizeof (float), 64);
      for (gsize j = 0; j < n; j++)
        ((float *) buffers[i])[j] = (float) ((j * 7 + i) % 31) / 8;
    }
}

static void
run (const GhloCpuKernel *kernel,
     gpointer            *buffers)
{
  gpointer scratch = g_aligned_alloc (1, ghlo_cpu_kernel_scratch (kernel), 64);
  g_autoptr (GError) error = NULL;

  fill (kernel->kernel, buffers);
  ghlo_cpu_kernel_run (kernel, buffers, scratch, NULL, &error);
  g_assert_no_error (error);
  g_aligned_free (scratch);
}

/* Strips and machine code give the same bits. */
static void
compare (GhloCpuKernel *kernel)
{
  gpointer expected[GHLO_KERNEL_MAX_BUFFERS], found[GHLO_KERNEL_MAX_BUFFERS];
  GhloCode *code = g_steal_pointer (&kernel->code);

  run (kernel, expected);
  kernel->code = code;
  g_assert_nonnull (ghlo_code_function (code));
  run (kernel, found);
  for (guint i = 0; i < kernel->kernel->n_buffers; i++)
    {
      g_assert_cmpmem (found[i], (gsize) kernel->kernel->buffers[i].size,
                       expected[i], (gsize) kernel->kernel->buffers[i].size);
      g_aligned_free (expected[i]);
      g_aligned_free (found[i]);
    }
}

/* Starts with an empty disk cache, or with the previous process' cache. */
static void
use (gboolean is_kept)
{
  g_autofree GhloKernel *kernel = read_kernel ("layer-norm.kernel");
  GhloCpuKernel both = { .kernel = NULL };
  g_autoptr (GError) error = NULL;

  g_assert_null (ghlo_cpu_kernel_init (&both, kernel, FALSE));
  g_assert_cmpuint (strlen (ghlo_code_module_id ()), >=, 16);
  g_assert_false (is_open ());
  ghlo_cpu_kernel_begin (&both);
  if (is_kept)
    g_assert_nonnull (ghlo_code_function (both.code));
  g_assert_true (ghlo_cpu_kernel_wait (&both, FALSE, NULL, &error));
  g_assert_no_error (error);
  compare (&both);
  g_assert_true (is_open () == !is_kept);
  ghlo_cpu_kernel_clear (&both);
}

static void
test_make (void)
{
  use (FALSE);
}

static void
test_kept (void)
{
  use (TRUE);
}

static void
test_opened (void)
{
  ghlo_cache_clear (NULL);
  g_test_trap_subprocess ("/code/module/subprocess/make", 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_subprocess ("/code/module/subprocess/kept", 0, 0);
  g_test_trap_assert_passed ();
  g_assert_false (is_open ());
}

/* The kB of LLVM's files that are mapped unmodified. */
static guint64
count_mapped (void)
{
  g_autofree char *maps = NULL;
  g_auto (GStrv) lines = NULL;
  gboolean is_llvm = FALSE;
  guint64 sum = 0;

  g_assert_true (g_file_get_contents ("/proc/self/smaps", &maps, NULL, NULL));
  lines = g_strsplit (maps, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *colon = strchr (lines[i], ':');

      if (colon == NULL || colon[1] != ' ')     /* a device number: the first line of a mapping */
        is_llvm = strstr (lines[i], "libLLVM") != NULL || strstr (lines[i], "libghlo-llvm") != NULL;
      else if (is_llvm && (g_str_has_prefix (lines[i], "Shared_Clean:")
                           || g_str_has_prefix (lines[i], "Private_Clean:")))
        sum += g_ascii_strtoull (colon + 1, NULL, 10);
    }

  return sum;
}

enum { MOST_MAPPED = 4096, PATIENCE_SECONDS = 60 };

/* Soon after the last compile hardly any of LLVM is mapped; compiling again gives the same code. */
static void
test_rests (void)
{
  g_autofree GhloKernel *kernel = read_kernel ("layer-norm.kernel");
  gint64 end = g_get_monotonic_time () + PATIENCE_SECONDS * G_USEC_PER_SEC;
  GhloCpuKernel both = { .kernel = NULL };
  g_autofree char *first = NULL, *second = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_null (ghlo_cpu_kernel_init (&both, kernel, FALSE));
  first = ghlo_cpu_kernel_print (&both, GHLO_KERNEL_FORM_CODE);
  g_assert_cmpuint (count_mapped (), >, MOST_MAPPED);
  ghlo_cpu_kernel_begin (&both);
  g_assert_true (ghlo_cpu_kernel_wait (&both, FALSE, NULL, &error));
  g_assert_no_error (error);
  while (count_mapped () > MOST_MAPPED)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_usleep (5000);
    }
  second = ghlo_cpu_kernel_print (&both, GHLO_KERNEL_FORM_CODE);
  g_assert_cmpstr (first, ==, second);
  compare (&both);
  ghlo_cpu_kernel_clear (&both);
}

static void
test_given_back (void)
{
  ghlo_cache_clear (NULL);
  g_test_trap_subprocess ("/code/module/subprocess/rests", 0, 0);
  g_test_trap_assert_passed ();
}

/* A module in another place is refused unless it belongs to this library, and the error says so. */
static void
test_other (void)
{
  g_autoptr (GError) error = NULL;

  ghlo_code_module_set_path (g_getenv ("GHLO_TEST_PATH"));
  /* The first path that was set stays in effect. */
  ghlo_code_module_set_path ("/nowhere/libghlo-llvm.so");
  g_assert_nonnull (ghlo_code_module_id ());
  g_assert_null (ghlo_code_module_open (&error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, g_getenv ("GHLO_TEST_EXPECTED")));
}

static void
test_others (void)
{
  static const struct { const char *path, *other, *expected; } cases[] = {
    { GHLO_TEST_OTHER_MODULE, "version", "expected version " GHLO_VERSION ", found version 0.0.1" },
    { GHLO_TEST_OTHER_MODULE, "glib", "another copy of GLib" },
    { "/dev/null", "nothing", "/dev/null" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_setenv ("GHLO_TEST_PATH", cases[i].path, TRUE);
      g_setenv ("GHLO_TEST_OTHER", cases[i].other, TRUE);
      g_setenv ("GHLO_TEST_EXPECTED", cases[i].expected, TRUE);
      g_test_trap_subprocess ("/code/module/subprocess/other", 0, 0);
      g_test_trap_assert_passed ();
    }
}

/* Exits while the module is being opened, or while it compiles. */
static void
test_end (void)
{
  g_autofree GhloKernel *kernel = read_kernel ("layer-norm.kernel");
  GhloCpuKernel both = { .kernel = NULL };

  g_assert_null (ghlo_cpu_kernel_init (&both, kernel, FALSE));
  ghlo_cpu_kernel_begin (&both);
  g_usleep ((gulong) g_ascii_strtoull (g_getenv ("GHLO_TEST_DELAY"), NULL, 10));
  exit (0);
}

static void
test_ends (void)
{
  for (guint i = 0; i < 16; i++)
    {
      g_autofree char *delay = g_strdup_printf ("%u", i * i * 300);

      ghlo_cache_clear (NULL);
      g_setenv ("GHLO_TEST_DELAY", delay, TRUE);
      g_test_trap_subprocess ("/code/module/subprocess/end", 0, 0);
      g_test_trap_assert_passed ();
    }
}

int
main (int    argc,
      char **argv)
{
  g_autofree char *folder = NULL, *inner = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  if (!g_test_subprocess ())
    {
      folder = g_dir_make_tmp ("ghlo-test-XXXXXX", NULL);
      g_setenv ("XDG_CACHE_HOME", folder, TRUE);
      g_unsetenv ("GHLO_CACHE");
      g_unsetenv ("GHLO_DISABLE");
    }
  g_test_add_func ("/code/module/opened", test_opened);
  g_test_add_func ("/code/module/given-back", test_given_back);
  g_test_add_func ("/code/module/ends", test_ends);
  g_test_add_func ("/code/module/others", test_others);
  g_test_add_func ("/code/module/subprocess/make", test_make);
  g_test_add_func ("/code/module/subprocess/kept", test_kept);
  g_test_add_func ("/code/module/subprocess/rests", test_rests);
  g_test_add_func ("/code/module/subprocess/end", test_end);
  g_test_add_func ("/code/module/subprocess/other", test_other);
  status = g_test_run ();
  if (folder != NULL)
    {
      inner = g_build_filename (folder, "ghlo-1.0", NULL);
      ghlo_cache_clear (NULL);
      g_rmdir (inner);
      g_rmdir (folder);
    }

  return status;
}
