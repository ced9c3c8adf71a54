/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Refining a device's rates from the measured times of runs. The test chooses the times and when they are reported.
 */

#include "runtime/refine.h"

#include <glib/gstdio.h>
#include <math.h>

#include "runtime/cache-item.h"
#include "runtime/cache.h"
#include "runtime/rates-cache.h"

/* Runs per lesson if each takes a tenth of a second, lessons per watch, µs between runs. */
enum { RUNS = 4, LESSONS = 16, INTERVAL = 300000 };

static const GhloDeviceRates base = {
  .bytes = 1e9, .products = { 1e9, 1e9, 1e9 }, .scalars = 1e9, .uploads = 1e9, .downloads = 1e9, .run = 1e-3,
  .step = 1e-4,
};

typedef struct
{
  GhloDeviceCore core;
  GhloDeviceRates  rates;
  const char    *name;
} Device;

static gint64 now = G_USEC_PER_SEC;

static GhloDeviceCoreClass klass = { .name = "test" };
static gboolean keeps = TRUE;

/* The device as found by a process that has not seen @name before. Devices are never freed. */
static GhloDeviceCore *
find_device (const char            *name,
             const GhloDeviceRates *rates)
{
  static const char *const names[] = { "test:0", NULL };
  static GPtrArray *devices;
  Device *self = g_new0 (Device, 1);

  if (devices == NULL)
    devices = g_ptr_array_new ();
  g_ptr_array_add (devices, self);
  self->core = (GhloDeviceCore) { .klass = &klass, .names = names, .title = name };
  self->rates = *rates;
  self->core.rates = &self->rates;
  self->core.identity = keeps ? g_bytes_new (name, strlen (name)) : NULL;
  self->name = name;

  return &self->core;
}

static void
run (GhloRunWatch *watch,
     double        seconds,
     gsize         uploaded)
{
  guint64 number = ghlo_run_watch_begin (watch);

  now += INTERVAL;
  ghlo_run_watch_end (watch, number, now, (gint64) (seconds * G_USEC_PER_SEC), uploaded);
}

static void
run_often (GhloRunWatch *watch,
           double        seconds,
           guint         n)
{
  for (guint i = 0; i < n; i++)
    run (watch, seconds, 0);
}

/* The refined time of one resource relative to its time at the base rates. */
static double
slowness (GhloDeviceCore *device,
          guint           field)
{
  GhloRefinedRates refined;
  double ratio;

  g_assert_true (ghlo_refined_rates_get (device, &refined));
  ratio = ghlo_rates_get (&refined.rates, field) / ghlo_rates_get (&base, field);

  return ghlo_rates_fields[field].is_time ? ratio : 1 / ratio;
}

enum { BYTES = 0, UPLOADS = 5, RUN = 7 };

static guint64
n_runs (GhloDeviceCore *device)
{
  GhloRefinedRates refined;

  g_assert_true (ghlo_refined_rates_get (device, &refined));

  return refined.n_runs;
}

/* One rate is a fifth of the stated one. One of all runs is undisturbed: noise is not learned. */
static void
test_converges (void)
{
  GhloDeviceCore *device = find_device ("converges", &base);
  const GhloDeviceRates amounts = { .bytes = 1e8 };
  GhloRunWatch *watch = ghlo_run_watch_new (device, &amounts, 0);

  for (guint i = 0; i < LESSONS * 2 * RUNS; i++)
    run (watch, i == 2 ? 0.5 : g_test_rand_double_range (0.6, 3), 0);
  g_assert_cmpfloat_with_epsilon (slowness (device, BYTES), 5, 0.1);
  for (guint i = 1; i < GHLO_RATES_N_FIELDS; i++)
    g_assert_cmpfloat (slowness (device, i), ==, 1);
  ghlo_run_watch_free (watch);
}

/* Programs that depend on several rates in different proportions, and of which the host does a part. */
static void
test_shares (void)
{
  GhloDeviceCore *device = find_device ("shares", &base);
  const double truth[GHLO_RATES_N_FIELDS] = { 3, 1, 1, 1, 1, 0.4, 1, 0.2, 1 };

  for (guint i = 0; i < 60; i++)
    {
      const GhloDeviceRates amounts = { .bytes = i % 3 == 0 ? 1e9 : 1e6, .run = i % 3 == 1 ? 100 : 1 };
      const gsize uploaded = i % 3 == 2 ? 100000000 : 0;
      GhloRunWatch *watch = ghlo_run_watch_new (device, &amounts, 0.001);
      GhloDeviceRates all = amounts;
      double seconds = 0.001;

      all.uploads = (double) uploaded;
      for (guint k = 0; k < GHLO_RATES_N_FIELDS; k++)
        seconds += truth[k] * ghlo_rates_time (&base, &all, k);
      for (guint k = 0; k <= RUNS; k++)
        run (watch, seconds, uploaded);
      ghlo_run_watch_free (watch);
    }
  g_assert_cmpfloat_with_epsilon (slowness (device, BYTES), 3, 0.1);
  g_assert_cmpfloat_with_epsilon (slowness (device, UPLOADS), 0.4, 0.02);
  g_assert_cmpfloat_with_epsilon (slowness (device, RUN), 0.2, 0.01);
}

/* Ignored runs: first ones, concurrent ones, failed ones, too short ones; and runs that are too few. */
static void
test_ignored (void)
{
  GhloDeviceCore *device = find_device ("ignored", &base);
  const GhloDeviceRates amounts = { .bytes = 1e8 };
  GhloRunWatch *watch = ghlo_run_watch_new (device, &amounts, 0), *other = ghlo_run_watch_new (device, &amounts, 0);

  run (watch, 0.001, 0);
  for (guint i = 0; i < 100; i++)
    {
      guint64 first = ghlo_run_watch_begin (watch), second = ghlo_run_watch_begin (other);

      now += INTERVAL;
      ghlo_run_watch_end (watch, first, now, 50, 0);
      ghlo_run_watch_end (other, second, now, 50, 0);
      run (watch, -1, 0);
      run (watch, 5e-6, 0);
    }
  /* Each of another kind, and three of one. */
  for (guint i = 0; i < 100; i++)
    run (watch, 1, i);
  run_often (watch, 1, 3);
  ghlo_run_watch_free (watch);
  ghlo_run_watch_free (other);
  g_assert_cmpuint (n_runs (device), ==, 0);
  g_assert_cmpfloat (slowness (device, BYTES), ==, 1);

  /* One more is enough, or a second less if there will be no more. */
  watch = ghlo_run_watch_new (device, &amounts, 0);
  run_often (watch, 0.05, 1 + RUNS);
  g_assert_cmpuint (n_runs (device), ==, 0);
  ghlo_run_watch_free (watch);
  g_assert_cmpuint (n_runs (device), ==, RUNS);
  g_assert_cmpfloat_with_epsilon (slowness (device, BYTES), pow (0.5, 0.3), 1e-6);
}

/* A lesson changes a rate at most by a factor of 8, and all lessons together by 1000; and a watch stops at some
 * time. */
static void
test_bounds (void)
{
  GhloDeviceCore *device = find_device ("bounds", &base);
  const GhloDeviceRates amounts = { .bytes = 1e3 };
  GhloRunWatch *watch = ghlo_run_watch_new (device, &amounts, 0);
  guint64 n;

  run_often (watch, 1e6, 1 + RUNS);
  g_assert_cmpfloat_with_epsilon (slowness (device, BYTES), pow (8, 0.3), 0.01);
  run_often (watch, 1e6, LESSONS * RUNS);
  n = n_runs (device);
  run_often (watch, 1e6, LESSONS * RUNS);
  g_assert_cmpuint (n_runs (device), ==, n);
  ghlo_run_watch_free (watch);
  for (guint i = 0; i < 10; i++)
    {
      watch = ghlo_run_watch_new (device, &amounts, 0);
      run_often (watch, 1e6, LESSONS * RUNS);
      ghlo_run_watch_free (watch);
    }
  g_assert_cmpfloat_with_epsilon (slowness (device, BYTES), 1000, 10);
}

static void
learn_some (GhloDeviceCore *device)
{
  const GhloDeviceRates amounts = { .bytes = 1e8 };
  GhloRunWatch *watch = ghlo_run_watch_new (device, &amounts, 0);

  run_often (watch, 0.3, 1 + 4 * RUNS);
  ghlo_run_watch_free (watch);
}

/* Replaces the contents of the cache file. */
static void
write_instead (const char    *name,
               gconstpointer  content,
               gsize          size)
{
  g_autoptr (GBytes) identity = g_bytes_new (name, strlen (name)), key = ghlo_rates_key (identity);
  g_autoptr (GBytes) bytes = g_bytes_new (content, size);

  ghlo_cache_item_write (GHLO_CACHE_REFINEMENT, key, name, bytes);
}

static void
test_kept (void)
{
  GhloDeviceCore *device = find_device ("kept", &base), *again;
  g_autoptr (GBytes) identity = g_bytes_new_static ("kept", 4), key = ghlo_rates_key (identity), content = NULL;
  GhloDeviceRates calibrated = base;
  GhloRefinedRates refined;
  gsize size;
  const guint8 *data;

  learn_some (device);
  g_assert_cmpfloat (slowness (device, BYTES), >, 1.5);
  again = find_device ("kept", &base);
  g_assert_cmpfloat (slowness (again, BYTES), ==, slowness (device, BYTES));
  g_assert_cmpuint (n_runs (again), ==, 4 * RUNS);
  g_assert_cmpuint (n_runs (find_device ("another", &base)), ==, 0);

  /* After measuring other rates nothing is known about those. */
  calibrated.bytes = 2e9;
  ghlo_rates_keep (identity, "kept", &calibrated);
  g_assert_true (ghlo_refined_rates_get (find_device ("kept", &calibrated), &refined));
  g_assert_true (refined.is_calibrated && refined.n_runs == 0);
  g_assert_cmpfloat (refined.rates.bytes, ==, 2e9);
  g_assert_true (ghlo_refined_rates_get (again, &refined) && !refined.is_calibrated);
  ((Device *) again)->rates = calibrated;
  g_assert_true (ghlo_refined_rates_get (again, &refined) && refined.is_calibrated && refined.n_runs == 0);

  /* Files that are damaged in some way. */
  content = ghlo_cache_item_read (GHLO_CACHE_REFINEMENT, key);
  data = g_bytes_get_data (content, &size);
  for (guint i = 0; i < GHLO_RATES_N_FIELDS; i++)
    {
      const double wrong[] = { NAN, -INFINITY, 7, -1e300 };

      for (guint k = 0; k < G_N_ELEMENTS (wrong); k++)
        {
          g_autofree guint8 *bytes = g_memdup2 (data, size);

          memcpy (bytes + sizeof (GhloDeviceRates) + i * sizeof (double), &wrong[k], sizeof (double));
          write_instead ("kept", bytes, size);
          g_assert_cmpuint (n_runs (find_device ("kept", &base)), ==, 0);
        }
    }
  write_instead ("kept", data, size - 1);
  g_assert_cmpuint (n_runs (find_device ("kept", &base)), ==, 0);
  write_instead ("kept", data, 0);
  g_assert_cmpuint (n_runs (find_device ("kept", &base)), ==, 0);
  write_instead ("kept", data, size);
  g_assert_cmpuint (n_runs (find_device ("kept", &base)), ==, 4 * RUNS);
}

/* The file is written at intervals, and when an executable is freed. */
static void
test_written (void)
{
  GhloDeviceCore *device = find_device ("written", &base);
  const GhloDeviceRates amounts = { .bytes = 1e8 };
  GhloRunWatch *watch = ghlo_run_watch_new (device, &amounts, 0);

  run_often (watch, 0.3, 1 + RUNS);
  g_assert_cmpuint (n_runs (find_device ("written", &base)), ==, RUNS);
  run_often (watch, 0.3, RUNS);
  g_assert_cmpuint (n_runs (find_device ("written", &base)), ==, RUNS);
  now += 60 * G_USEC_PER_SEC;
  run_often (watch, 0.3, RUNS);
  g_assert_cmpuint (n_runs (find_device ("written", &base)), >=, 2 * RUNS);
  ghlo_run_watch_free (watch);
}

/* Nothing is kept, and runs are not watched. */
static void
test_off (void)
{
  const GhloDeviceRates amounts = { .bytes = 1 };

  if (g_test_subprocess ())
    {
      g_assert_null (ghlo_run_watch_new (find_device ("converges", &base), &amounts, 0));
      g_assert_cmpuint (n_runs (find_device ("converges", &base)), ==, 0);
      return;
    }
  g_setenv ("GHLO_CACHE", "off", TRUE);
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
  g_setenv ("GHLO_CACHE", "memory", TRUE);
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
  g_unsetenv ("GHLO_CACHE");
  keeps = FALSE;
  g_assert_null (ghlo_run_watch_new (find_device ("off", &base), &amounts, 0));
  keeps = TRUE;
}

enum { THREADS = 4, MANY = 100000 };

static gpointer
run_many (gpointer watch)
{
  for (guint i = 0; i < MANY; i++)
    ghlo_run_watch_end (watch, ghlo_run_watch_begin (watch), 2 * G_USEC_PER_SEC + i, 1000, 0);

  return NULL;
}

/* However runs of several threads overlap, those that run alone are counted once each, including the last. */
static void
test_threads (void)
{
  GhloDeviceCore *device = find_device ("threads", &base);
  const GhloDeviceRates amounts = { .run = 1 };
  GhloRunWatch *watch = ghlo_run_watch_new (device, &amounts, 0);
  GThread *threads[THREADS];
  gint64 start;

  for (guint i = 0; i < THREADS; i++)
    threads[i] = g_thread_new ("runs", run_many, watch);
  for (guint i = 0; i < THREADS; i++)
    g_thread_join (threads[i]);
  start = g_get_monotonic_time ();
  run_many (watch);
  g_test_message ("%.1f ns a run", (double) (g_get_monotonic_time () - start) * 1000 / MANY);
  ghlo_run_watch_free (watch);
  g_assert_cmpuint (n_runs (device), >=, MANY - 1);
  g_assert_cmpuint (n_runs (device), <=, (THREADS + 1) * MANY - 1);
  g_assert_cmpfloat_with_epsilon (slowness (device, RUN), 1, 1e-9);
}

int
main (int   argc,
      char *argv[])
{
  g_autofree char *folder = NULL, *inner = NULL;
  gboolean is_inner;
  int status;

  g_test_init (&argc, &argv, NULL);
  /* The folder of the test that runs this one. */
  is_inner = g_test_subprocess ();
  if (!is_inner)
    {
      folder = g_dir_make_tmp ("ghlo-test-XXXXXX", NULL);
      inner = g_build_filename (folder, "ghlo-1.0", NULL);
      g_setenv ("XDG_CACHE_HOME", folder, TRUE);
      g_unsetenv ("GHLO_CACHE");
    }

  g_test_add_func ("/refine/converges", test_converges);
  g_test_add_func ("/refine/shares", test_shares);
  g_test_add_func ("/refine/ignored", test_ignored);
  g_test_add_func ("/refine/bounds", test_bounds);
  g_test_add_func ("/refine/kept", test_kept);
  g_test_add_func ("/refine/written", test_written);
  g_test_add_func ("/refine/off", test_off);
  g_test_add_func ("/refine/threads", test_threads);

  status = g_test_run ();
  if (!is_inner)
    {
      ghlo_cache_clear (NULL);
      g_rmdir (inner);
      g_rmdir (folder);
    }

  return status;
}
