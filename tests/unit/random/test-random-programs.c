/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *     test-random-programs [--programs=N] [--seed=S] [--device=NAME] [--verbose]
 *
 * Random programs over all operations and element types, on the reference executor as
 * they are, after the passes of each level, with each pass switched off alone, and on
 * each device, or on that of --device alone. Program i of a run has seed S + i, from 1
 * on unless --seed says another.
 */

#include "../plan/discrete-device.h"
#include "../sanitized.h"
#include "check.h"
#include "cpu/device.h"
#include "options.h"
#include "reference/device.h"
#include "runtime/memory.h"
#ifdef GHLO_HAS_VULKAN
#include "gpu/core.h"
#endif

enum { N_LONG = 5000 };

const GhloDeviceFinder ghlo_device_registry[] = {
  { ghlo_cpu_find_devices },
#ifdef GHLO_HAS_VULKAN
  { ghlo_gpu_find_devices, ghlo_gpu_may_exist },
#endif
  { ghlo_reference_find_devices },
  { discrete_find_devices },
  { NULL }
};

/* The devices that must agree with the reference executor, and the levels of passes before. */
static const struct
{
  const char *name;
  guint       level;
  gboolean    same_bits, is_elsewhere;
  const char *without;      /* a pass; nullable */
  gboolean    may_use_host, excess_precision;
} devices[] = {
  { "reference", 0, TRUE },
  { "reference", 1, TRUE },
  { "reference", 2, TRUE },
  { "cpu", 0, FALSE },
  { "cpu", 1, FALSE },
  { "cpu", 2, FALSE },
  { "cpu", 2, FALSE, TRUE },
  { "cpu", 2, FALSE, FALSE, "fuse-epilogues" },
  { "cpu", 2, FALSE, FALSE, NULL, FALSE, TRUE },
  { "discrete", 0, FALSE },
  { "discrete", 2, FALSE },
  { "discrete", 2, FALSE, FALSE, NULL, TRUE },
  { "vulkan", 0, FALSE },
  { "vulkan", 1, FALSE },
  { "vulkan", 2, FALSE },
  { "vulkan", 2, FALSE, FALSE, NULL, FALSE, TRUE },
};

static gint64 first_seed = 1;
static int n_programs = SANITIZED ? 250 : 500;
static gboolean is_verbose;
static char *device_name;       /* NULL: all except Vulkan devices */

static void
leave_out (RandomSubject *subject,
           const char    *pass)
{
  char **off = g_new0 (char *, 2);

  off[0] = g_strdup (pass);
  subject->passes.off = (const char *const *) off;
}

static gboolean
is_asked_for (const char *name)
{
  return device_name != NULL ? g_str_equal (name, device_name) : !g_str_equal (name, "vulkan");
}

static GArray *
list_subjects (void)
{
  GArray *subjects = g_array_new (FALSE, TRUE, sizeof (RandomSubject));

  for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
    {
      RandomSubject subject = {
        .name = g_strdup_printf ("%s at O%u%s%s%s%s%s", devices[i].name, devices[i].level,
                                 devices[i].is_elsewhere ? " into the caller's memory" : "",
                                 devices[i].without != NULL ? " without " : "",
                                 devices[i].without != NULL ? devices[i].without : "",
                                 devices[i].may_use_host ? " and the CPU where that is quicker" : "",
                                 devices[i].excess_precision ? " with excess precision" : ""),
        .device = ghlo_devices_find (devices[i].name), .passes.level = devices[i].level,
        .passes.excess_precision = devices[i].excess_precision,
        .same_bits = devices[i].same_bits, .is_elsewhere = devices[i].is_elsewhere,
        .may_use_host = devices[i].may_use_host,
      };

      if (!is_asked_for (devices[i].name))
        {
          g_free (subject.name);
          continue;
        }
      if (devices[i].without != NULL)
        leave_out (&subject, devices[i].without);
      g_array_append_val (subjects, subject);
    }
  for (guint i = 0; i < (device_name == NULL ? ghlo_passes_count () : 0); i++)
    {
      RandomSubject subject = {
        .name = g_strdup_printf ("reference at O2 without %s", ghlo_pass_get_name (i)),
        .device = ghlo_reference_device (), .passes.level = 2, .same_bits = TRUE
      };

      leave_out (&subject, ghlo_pass_get_name (i));
      g_array_append_val (subjects, subject);
    }

  return subjects;
}

static void
test_programs (void)
{
  GArray *subjects;
  const RandomOptions options = { .n_steps = 24 };
  g_autofree char *missing = NULL;
  gboolean agree;

  if (device_name != NULL && ghlo_devices_find (device_name) == NULL)
    {
      g_test_skip ("there is no such device");
      return;
    }
  /* Close to the CPU's times for a few elements, so that some steps are faster there. */
  discrete_rates = (GhloDeviceRates) {
    .bytes = 1e9, .products = { 5e7, 5e7, 5e7 }, .scalars = 5e7, .uploads = 1e9, .downloads = 1e9, .run = 3e-7,
    .step = 1e-7,
  };
  subjects = list_subjects ();
  g_test_message ("%d programs from seed %" G_GINT64_FORMAT, n_programs, first_seed);
  agree = random_check_programs ((guint32) first_seed, (guint) n_programs, &options,
                                 (RandomSubject *) (gpointer) subjects->data, subjects->len, is_verbose);
  random_coverage_print (is_verbose);
  missing = random_coverage_missing ();
  if (missing != NULL)
    g_test_message ("never made:%s", missing);
  if (n_programs >= N_LONG)
    g_assert_null (missing);
  g_assert_true (agree);
  for (guint i = 0; i < subjects->len; i++)
    {
      RandomSubject *subject = &g_array_index (subjects, RandomSubject, i);

      g_free (subject->name);
      g_strfreev ((char **) subject->passes.off);
    }
  g_array_unref (subjects);
  g_assert_cmpuint (discrete.n_blocks, ==, 0);
  if (device_name == NULL)
    g_assert_cmpuint (discrete.n_uploads + discrete.n_downloads, >, 0);
}

int
main (int    argc,
      char **argv)
{
  const GOptionEntry entries[] = {
    { "programs", 0, 0, G_OPTION_ARG_INT, &n_programs, NULL, NULL },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &first_seed, NULL, NULL },
    { "device", 0, 0, G_OPTION_ARG_STRING, &device_name, NULL, NULL },
    { "verbose", 0, 0, G_OPTION_ARG_NONE, &is_verbose, NULL, NULL },
    G_OPTION_ENTRY_NULL
  };

  random_read_options (entries, &argc, &argv);
  g_test_init (&argc, &argv, NULL);
  ghlo_memory_set_limit (256 * 1024 * 1024);
  g_test_add_func ("/programs/random", test_programs);

  return g_test_run ();
}
