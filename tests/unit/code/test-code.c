/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Machine code of kernels is shared, made in the background, kept on disk and swapped in between runs; whatever fails,
 * kernels still run in strips. The emitter is the tests' own, which makes all of this observable from outside.
 */

#include "base/ghlo-error.h"
#include "cpu/jit/code-target.h"
#include "cpu/jit/compiled-kernel.h"
#include "cpu/jit/emitter.h"
#include "cpu/jit/key.h"
#include "runtime/background.h"
#include "runtime/cache-item.h"
#include "runtime/cache.h"

#include "../sanitized.h"
#include "fake-emitter.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char id[] = "the tests' emitter";

static const GhloKernelSchedule schedule = { .lanes = 0, .width = 8, .cost = 1, .grain = 1 };

static void
await_idle (void)
{
  while (!ghlo_code_is_idle ())
    g_usleep (100);
}

/* Code of an earlier case may have been available before it was on disk. */
static void
begin (void)
{
  fake_emitter_set (FAKE_WORKS);
  fake_emitter_release ();
  await_idle ();
  ghlo_cache_clear (NULL);
  g_assert_true (fake_emitter_install (id));
}

/* As where a plan is run again at once, so that the background begins. */
static GhloCode *
get_code (const GhloKernel         *kernel,
          const GhloKernelSchedule *how)
{
  GhloCode *code = ghlo_code_get (kernel, how);

  ghlo_background_release ();

  return code;
}

static void
assert_computes (GhloCode *code,
                 float     constant)
{
  float x[3] = { 1, 2, 3 }, y[3] = { 0, 0, 0 };
  gpointer buffers[] = { x, y };
  GhloCodeCall call = { .buffers = buffers };
  GhloCodeFunc function = ghlo_code_function (code);

  g_assert_nonnull (function);
  g_assert_true (function (&call, 1, 3));
  g_assert_cmpfloat (y[0], ==, 0);
  g_assert_cmpfloat (y[1], ==, 2 + constant + FAKE_EXCESS);
  g_assert_cmpfloat (y[2], ==, 3 + constant + FAKE_EXCESS);
}

static void
wait_for (GhloCode *code)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (ghlo_code_wait (code, NULL, &error));
  g_assert_no_error (error);
}

/* The emitter is told once when there is nothing more to compile, and only if it has compiled. This case must be the
 * first, as an earlier one's last compile might be reported late. */
static void
test_rest (void)
{
  g_autofree GhloKernel *one = fake_kernel ("one", 100, 1), *two = fake_kernel ("two", 100, 2);
  g_autofree GhloKernel *dropped = fake_kernel ("dropped", 100, 3), *next = fake_kernel ("next", 100, 4);
  GhloCode *a, *b;

  begin ();
  fake_emitter_hold ();
  a = get_code (one, &schedule);
  b = get_code (two, &schedule);
  fake_emitter_await (1);
  ghlo_code_unref (get_code (dropped, &schedule));
  g_assert_cmpuint (fake_emitter_rests (), ==, 0);
  fake_emitter_release ();
  wait_for (a);
  wait_for (b);
  fake_emitter_await_rests (1);
  ghlo_code_unref (b);

  b = get_code (two, &schedule);
  g_assert_nonnull (ghlo_code_function (b));
  g_assert_cmpuint (fake_emitter_rests (), ==, 1);
  ghlo_code_unref (b);
  ghlo_code_unref (a);

  a = get_code (next, &schedule);
  wait_for (a);
  fake_emitter_await_rests (2);
  ghlo_code_unref (a);
}

/* Equal kernels with equal schedules share code, others do not. */
static void
test_shared (void)
{
  g_autofree GhloKernel *one = fake_kernel ("one", 100, 5), *two = fake_kernel ("two", 200, 5);
  g_autofree GhloKernel *other = fake_kernel ("other", 100, 6);
  GhloKernelSchedule schedules[] = { schedule, schedule, schedule, schedule, schedule };
  GhloCode *codes[G_N_ELEMENTS (schedules)];
  g_autoptr (GhloCode) a = NULL, b = NULL, c = NULL;
  guint count = fake_emitter_count ();

  begin ();
  schedules[0].width = 4;
  schedules[1].lanes = GHLO_KERNEL_NONE;
  schedules[2].cuts = 1;
  schedules[3].columns = 64;
  schedules[4].prefetches = TRUE;
  a = get_code (one, &schedule);
  b = get_code (two, &schedule);
  c = get_code (other, &schedule);
  g_assert_true (a == b && a != c);
  wait_for (a);
  wait_for (c);
  assert_computes (a, 5);
  assert_computes (c, 6);
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      codes[i] = get_code (one, &schedules[i]);
      g_assert_true (codes[i] != a);
      for (guint j = 0; j < i; j++)
        g_assert_true (codes[i] != codes[j]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      wait_for (codes[i]);
      assert_computes (codes[i], 5);
      ghlo_code_unref (codes[i]);
    }
  g_assert_cmpuint (fake_emitter_count () - count, ==, 2 + G_N_ELEMENTS (codes));
  g_assert_null (ghlo_code_dup_reason (a));
}

/* With the cache off nothing is shared or kept. */
static void
test_off (void)
{
  g_autofree GhloKernel *kernel = fake_kernel ("off", 100, 7);
  g_autoptr (GhloCode) a = NULL, b = NULL;

  begin ();
  g_setenv ("GHLO_CACHE", "off", TRUE);
  a = get_code (kernel, &schedule);
  b = get_code (kernel, &schedule);
  g_unsetenv ("GHLO_CACHE");
  g_assert_true (a != b);
  wait_for (a);
  wait_for (b);
  assert_computes (a, 7);
  assert_computes (b, 7);
}

static guint
count_files (void)
{
  g_autoptr (GPtrArray) files = ghlo_cache_list (NULL);

  return files->len;
}

/* Whether the code of @kernel had to be compiled. */
static gboolean
is_made (const GhloKernel *kernel)
{
  guint count = fake_emitter_count ();
  g_autoptr (GhloCode) code = get_code (kernel, &schedule);

  wait_for (code);
  assert_computes (code, 8);
  await_idle ();

  return fake_emitter_count () > count;
}

static void
damage_file (gsize from_end)
{
  g_autoptr (GPtrArray) files = ghlo_cache_list (NULL);
  const GhloCacheFile *file = files->pdata[0];
  g_autoptr (GBytes) bytes = ghlo_cache_read (file->name);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  g_autofree guint8 *copy = g_memdup2 (data, size);
  g_autoptr (GBytes) changed = NULL;

  if (from_end > size)
    {
      g_autofree char *path = g_build_filename (ghlo_cache_get_path (), file->name, NULL);

      g_assert_true (g_file_set_contents (path, (char *) copy, (gssize) size, NULL));
      return;
    }
  changed = g_bytes_new (copy, size - from_end);
  ghlo_cache_write (file->name, changed);
}

static void
test_disk (void)
{
  g_autofree GhloKernel *kernel = fake_kernel ("disk", 100, 8);

  begin ();
  g_assert_true (is_made (kernel));
  g_assert_false (is_made (kernel));
  /* Another emitter makes other code. */
  g_assert_true (fake_emitter_install ("another"));
  g_assert_true (is_made (kernel));
  g_assert_cmpuint (count_files (), ==, 2);
  g_assert_true (fake_emitter_install (id));
  g_assert_false (is_made (kernel));
  /* Without an emitter no code is found. */
  g_setenv ("GHLO_DISABLE", "fold,llvm", TRUE);
  g_assert_null (get_code (kernel, &schedule));
  g_unsetenv ("GHLO_DISABLE");
  g_setenv ("GHLO_CACHE", "memory", TRUE);
  g_assert_true (is_made (kernel));
  g_unsetenv ("GHLO_CACHE");
}

/* An incomplete file, and a complete one whose code is damaged: both are replaced. */
static void
test_damage (void)
{
  g_autofree GhloKernel *kernel = fake_kernel ("damage", 100, 8);

  begin ();
  g_assert_true (is_made (kernel));
  damage_file (G_MAXSIZE);
  g_assert_true (is_made (kernel));
  g_assert_false (is_made (kernel));
  damage_file (10);
  g_assert_true (is_made (kernel));
  g_assert_false (is_made (kernel));
}

/* The key in the file is compared, in addition to the file's name. */
static void
test_collision (void)
{
  g_autofree GhloKernel *kernel = fake_kernel ("key", 100, 8), *other = fake_kernel ("key", 100, 9);
  g_autoptr (GBytes) key = ghlo_code_key (kernel, &schedule, ghlo_code_target (), id);
  g_autoptr (GBytes) another = ghlo_code_key (other, &schedule, ghlo_code_target (), id);
  g_autoptr (GBytes) blob = g_bytes_new_static ("blob", 4), found = NULL, contents = NULL;
  g_autoptr (GPtrArray) files = NULL;
  g_autofree char *name = NULL, *first = NULL;
  GhloCacheItem item;

  begin ();
  ghlo_cache_item_write (GHLO_CACHE_CODE, key, "its name", blob);
  found = ghlo_cache_item_read (GHLO_CACHE_CODE, key);
  g_assert_true (g_bytes_equal (found, blob));
  files = ghlo_cache_list (NULL);
  g_assert_cmpuint (files->len, ==, 1);
  first = g_strdup (((GhloCacheFile *) files->pdata[0])->name);
  contents = ghlo_cache_read (first);
  name = ghlo_cache_item_summarize (contents, &item);
  g_assert_cmpstr (name, ==, "its name");
  g_assert_cmpint (item, ==, GHLO_CACHE_CODE);
  /* An item of another kind is not found, though it has the same key. */
  g_assert_null (ghlo_cache_item_read (GHLO_CACHE_PIPELINE, key));

  ghlo_cache_clear (NULL);
  ghlo_cache_item_write (GHLO_CACHE_CODE, another, "other", blob);
  g_ptr_array_unref (files);
  files = ghlo_cache_list (NULL);
  ghlo_cache_write (((GhloCacheFile *) files->pdata[0])->name, contents);
  g_assert_null (ghlo_cache_item_read (GHLO_CACHE_CODE, another));
  g_clear_pointer (&name, g_free);
  name = ghlo_cache_item_summarize (blob, &item);
  g_assert_null (name);
}

/* Failures that keep a kernel in strips. */
static void
test_failures (void)
{
  static const struct
  {
    FakeMode    mode;
    const char *reason;
  } cases[] = {
    { FAKE_UNSUPPORTED, "the test wants it so" },
    { FAKE_GARBAGE, "the object file is cut off" },
    { FAKE_UNDEFINED, "*undefined symbol 'other'" },
    { FAKE_OTHER_MACHINE, "*" },
  };

  begin ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree GhloKernel *kernel = fake_kernel ("fails", 100, (float) i);
      g_autoptr (GhloCode) code = NULL;
      g_autofree char *reason = NULL;

      fake_emitter_set (cases[i].mode);
      code = get_code (kernel, &schedule);
      wait_for (code);
      g_assert_null (ghlo_code_function (code));
      reason = ghlo_code_dup_reason (code);
      g_assert_nonnull (reason);
      g_assert_true (g_pattern_match_simple (cases[i].reason, reason));
    }
  g_assert_cmpuint (count_files (), ==, 0);
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (30000);
  g_cancellable_cancel (cancellable);

  return NULL;
}

static void
test_wait (void)
{
  g_autofree GhloKernel *kernel = fake_kernel ("waits", 100, 8), *dropped = fake_kernel ("dropped", 100, 9);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GhloCode) code = NULL;
  g_autoptr (GError) error = NULL;
  guint count;
  GThread *thread;

  begin ();
  count = fake_emitter_count ();
  fake_emitter_hold ();
  code = get_code (kernel, &schedule);
  fake_emitter_await (count + 1);
  thread = g_thread_new (NULL, cancel_soon, cancellable);
  g_assert_false (ghlo_code_wait (code, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
  g_assert_null (ghlo_code_function (code));

  /* Code that is no longer needed is not begun: the background thread is held up by the other compile. */
  ghlo_code_unref (get_code (dropped, &schedule));
  fake_emitter_release ();
  wait_for (code);
  g_usleep (20000);
  g_assert_cmpuint (fake_emitter_count (), ==, count + 1);
  assert_computes (code, 8);
}

/* Two kernels, of which the first holds up the only background thread. */
static void
hold_background (GhloCode   *codes[2],
                 const char *name)
{
  g_autofree GhloKernel *one = fake_kernel (name, 100, 8), *two = fake_kernel (name, 100, 9);
  guint count = fake_emitter_count ();

  fake_emitter_hold ();
  codes[0] = get_code (one, &schedule);
  fake_emitter_await (count + 1);
  g_assert_cmpint (fake_emitter_nice (), >, getpriority (PRIO_PROCESS, 0));
  codes[1] = get_code (two, &schedule);
}

/* Code that is waited for is compiled without the background threads, at the waiting thread's priority. */
static void
test_prioritize (void)
{
  GhloCode *codes[2];
  guint count;

  begin ();
  count = fake_emitter_count ();
  hold_background (codes, "hurries");
  fake_emitter_pass ();
  wait_for (codes[1]);
  assert_computes (codes[1], 9);
  g_assert_cmpint (fake_emitter_nice (), ==, getpriority (PRIO_PROCESS, 0));
  g_assert_null (ghlo_code_function (codes[0]));
  fake_emitter_release ();
  wait_for (codes[0]);
  assert_computes (codes[0], 8);
  g_assert_cmpuint (fake_emitter_count (), ==, count + 2);
  ghlo_code_unref (codes[0]);
  ghlo_code_unref (codes[1]);
}

static gpointer
wait_in_thread (gpointer code)
{
  wait_for (code);
  assert_computes (code, 9);

  return NULL;
}

/* One of two waiters for a kernel gives up during the compile; the kernel is compiled once. */
static void
test_two_waiters (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GError) error = NULL;
  GThread *canceller, *waiter;
  GhloCode *codes[2];
  guint count;

  begin ();
  count = fake_emitter_count ();
  hold_background (codes, "twice");
  waiter = g_thread_new (NULL, wait_in_thread, codes[1]);
  fake_emitter_await (count + 2);
  canceller = g_thread_new (NULL, cancel_soon, cancellable);
  g_assert_false (ghlo_code_wait (codes[1], &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (canceller);
  fake_emitter_release ();
  g_thread_join (waiter);
  wait_for (codes[0]);
  g_assert_cmpuint (fake_emitter_count (), ==, count + 2);
  ghlo_code_unref (codes[0]);
  ghlo_code_unref (codes[1]);
}

/* All prioritized code is compiled in parallel, as far as there are processors; code that is no longer needed is not
 * compiled. */
static void
test_prioritize_many (void)
{
  g_autofree GhloKernel *three = fake_kernel ("many", 100, 10);
  GhloCode *codes[2], *dropped;
  guint count;

  begin ();
  count = fake_emitter_count ();
  hold_background (codes, "many");
  dropped = get_code (three, &schedule);
  ghlo_code_prioritize (codes[1]);
  fake_emitter_await (count + 2);
  ghlo_code_prioritize (dropped);
  ghlo_code_unref (dropped);
  fake_emitter_release ();
  wait_for (codes[0]);
  wait_for (codes[1]);
  g_usleep (20000);
  g_assert_cmpuint (fake_emitter_count (), ==, count + 2);
  ghlo_code_unref (codes[0]);
  ghlo_code_unref (codes[1]);
}

/* The last reference is dropped during the compile. */
static void
test_abandoned (void)
{
  begin ();
  for (guint i = 0; i < 30; i++)
    {
      g_autofree GhloKernel *kernel = fake_kernel ("abandoned", 100, (float) i);
      guint count = fake_emitter_count ();
      GhloCode *code = get_code (kernel, &schedule);

      if (i % 3 == 0)
        fake_emitter_await (count + 1);
      else if (i % 3 == 1)
        g_usleep ((gulong) i * 20);
      ghlo_code_unref (code);
    }
}

enum { N_RUNS = 60 };

typedef struct
{
  GhloCpuKernel *kernel;
  gint           n_code;        /* atomic: number of runs by code so far */
} Swap;

static gpointer
run_often (gpointer data)
{
  Swap *swap = data;
  const GhloCpuKernel *kernel = swap->kernel;
  const gsize n = (gsize) kernel->n_points;
  g_autofree float *x = g_new (float, n), *y = g_new (float, n);
  gpointer scratch = g_aligned_alloc (1, ghlo_cpu_kernel_scratch (kernel), 64);
  gpointer buffers[] = { x, y };
  gboolean was_code = FALSE;

  for (gsize i = 0; i < n; i++)
    x[i] = (float) (i % 1000);
  for (guint i = 0; i < N_RUNS || !was_code; i++)
    {
      gboolean is_code;

      g_assert_true (ghlo_cpu_kernel_run (kernel, buffers, scratch, NULL, NULL));
      is_code = y[0] > FAKE_EXCESS;
      g_assert_true (is_code || !was_code);
      for (gsize j = 0; j < n; j++)
        g_assert_cmpfloat (y[j], ==, x[j] + 3 + (is_code ? FAKE_EXCESS : 0));
      was_code = is_code;
      g_atomic_int_add (&swap->n_code, is_code);
      if (i == N_RUNS / 2)
        fake_emitter_release ();
    }
  g_aligned_free (scratch);

  return NULL;
}

/* Threads run a kernel while its code becomes available; each run uses either strips or code throughout. */
static void
test_swap (void)
{
  g_autofree GhloKernel *kernel = fake_kernel ("swap", SANITIZED ? 30000 : 100000, 3);
  GhloCpuKernel both = { .kernel = NULL };
  Swap swap = { .kernel = &both };
  GThread *threads[3];

  begin ();
  fake_emitter_hold ();
  g_assert_null (ghlo_cpu_kernel_init (&both, kernel, FALSE));
  ghlo_cpu_kernel_begin (&both);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new (NULL, run_often, &swap);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (swap.n_code, >, 0);
  ghlo_cpu_kernel_clear (&both);
}

/* A run by code stops when the monitor says so. */
static void
test_cancelled_run (void)
{
  g_autofree GhloKernel *kernel = fake_kernel ("stops", 1000, 3);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autofree float *x = g_new0 (float, 1000), *y = g_new0 (float, 1000);
  gpointer buffers[] = { x, y }, scratch;
  GhloCpuKernel both = { .kernel = NULL };
  g_autoptr (GError) error = NULL;

  begin ();
  g_assert_null (ghlo_cpu_kernel_init (&both, kernel, FALSE));
  ghlo_cpu_kernel_begin (&both);
  wait_for (both.code);
  scratch = g_aligned_alloc (1, ghlo_cpu_kernel_scratch (&both), 64);
  g_assert_true (ghlo_cpu_kernel_run (&both, buffers, scratch, &monitor, &error));
  g_assert_cmpfloat (y[999], ==, 3 + FAKE_EXCESS);
  g_cancellable_cancel (cancellable);
  g_assert_false (ghlo_cpu_kernel_run (&both, buffers, scratch, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_aligned_free (scratch);
  ghlo_cpu_kernel_clear (&both);
}

static int
be_child (GhloCode         *ready,
          GhloCode         *begun,
          const GhloKernel *kernel)
{
  g_autoptr (GError) error = NULL;

  if (ghlo_code_function (ready) == NULL || get_code (kernel, &schedule) != NULL)
    return 1;
  if (ghlo_code_wait (begun, NULL, &error) || !g_error_matches (error, GHLO_ERROR, GHLO_ERROR_DEVICE))
    return 2;
  assert_computes (ready, 1);
  ghlo_code_unref (begun);
  ghlo_code_unref (ready);

  return 0;
}

static void
test_fork (void)
{
  g_autofree GhloKernel *one = fake_kernel ("one", 100, 1), *two = fake_kernel ("two", 100, 2);
  g_autoptr (GhloCode) ready = NULL, begun = NULL;
  int status;
  pid_t child;

  begin ();
  ready = get_code (one, &schedule);
  wait_for (ready);
  fake_emitter_hold ();
  begun = get_code (two, &schedule);
  child = fork ();
  if (child == 0)
    _exit (be_child (ready, begun, one));
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
  fake_emitter_release ();
  wait_for (begun);
}

static gpointer
release_later (gpointer data)
{
  g_usleep (200000);
  printf ("released\n");
  fflush (stdout);
  fake_emitter_release ();

  return NULL;
}

static void
destroy (void)
{
  printf ("destroyed\n");
}

/* Exit waits for compiles that have begun and drops the others: LLVM's own destructors, which it may register at any
 * time, run afterwards. */
static void
test_exit (void)
{
  g_autofree GhloKernel *one = fake_kernel ("one", 100, 1), *two = fake_kernel ("two", 100, 2);
  guint count = fake_emitter_count ();

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      g_test_trap_assert_stdout ("*released\ndestroyed\n*");
      return;
    }
  begin ();
  fake_emitter_hold ();
  get_code (one, &schedule);
  get_code (two, &schedule);
  fake_emitter_await (count + 1);
  atexit (destroy);
  g_thread_unref (g_thread_new (NULL, release_later, NULL));
  exit (0);
}

static void
test_list (void)
{
  g_autofree GhloKernel *kernel = fake_kernel ("listed", 100, 1);
  g_autofree char *listing = NULL;
  g_autoptr (GError) error = NULL;

  begin ();
  listing = ghlo_code_list (kernel, &schedule, &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (listing, "kernel listed for "));
  fake_emitter_set (FAKE_UNSUPPORTED);
  g_assert_null (ghlo_code_list (kernel, &schedule, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
}

/* The time to load code from disk; a cached run does so for each of its kernels. */
static void
test_speed (void)
{
  g_autofree GhloKernel *kernel = fake_kernel ("speed", 100, 8);
  double best = G_MAXDOUBLE;
  guint count;

  begin ();
  g_assert_true (is_made (kernel));
  count = fake_emitter_count ();
  for (guint i = 0; i < 300; i++)
    {
      g_autoptr (GhloCode) code = NULL;

      g_test_timer_start ();
      code = get_code (kernel, &schedule);
      best = MIN (best, g_test_timer_elapsed ());
      g_assert_nonnull (ghlo_code_function (code));
    }
  g_assert_cmpuint (fake_emitter_count (), ==, count);
  g_test_message ("%.1f us for code that is on disk", best * 1e6);
}

static void
add_tests (void)
{
  g_test_add_func ("/code/rest", test_rest);
  g_test_add_func ("/code/shared", test_shared);
  g_test_add_func ("/code/off", test_off);
  g_test_add_func ("/code/disk", test_disk);
  g_test_add_func ("/code/damage", test_damage);
  g_test_add_func ("/code/collision", test_collision);
  g_test_add_func ("/code/failures", test_failures);
  g_test_add_func ("/code/wait", test_wait);
  g_test_add_func ("/code/prioritize", test_prioritize);
  g_test_add_func ("/code/prioritize-many", test_prioritize_many);
  g_test_add_func ("/code/two-waiters", test_two_waiters);
  g_test_add_func ("/code/abandoned", test_abandoned);
  g_test_add_func ("/code/swap", test_swap);
  g_test_add_func ("/code/cancelled-run", test_cancelled_run);
  g_test_add_func ("/code/fork", test_fork);
  g_test_add_func ("/code/exit", test_exit);
  g_test_add_func ("/code/list", test_list);
  g_test_add_func ("/code/speed", test_speed);
}

static void
test_no_compiler (void)
{
  g_test_skip ("there is no C compiler");
}

int
main (int    argc,
      char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("ghlo-test-XXXXXX", &error);
  g_autofree char *inner = g_build_filename (folder, "ghlo-1.0", NULL);
  int status;

  g_assert_no_error (error);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_unsetenv ("GHLO_CACHE");
  g_unsetenv ("GHLO_DISABLE");
  /* One background thread, and one more for code that is waited for. */
  g_setenv ("GHLO_THREADS", "2", TRUE);
  g_test_init (&argc, &argv, NULL);
  if (ghlo_code_target () == NULL || !fake_emitter_install (id))
    g_test_add_func ("/code/no-compiler", test_no_compiler);
  else
    add_tests ();
  status = g_test_run ();
  ghlo_cache_clear (NULL);
  g_rmdir (inner);
  g_rmdir (folder);

  return status;
}
