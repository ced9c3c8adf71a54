/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *     test-pass-random [--programs=N] [--seed=S]
 *
 * Random programs of what passes rewrite: arithmetic of all kinds of elements on
 * special numbers, layouts that come and go, products, slices, branches. Each must
 * compute the same bits after O3, after each pass alone but those that change what programs
 * mean, and after those that make groups behind those that clean up for them. A failure
 * prints the program and its seed.
 */

#include "../passes/pass-help.h"
#include "../sanitized.h"
#include "check.h"
#include "options.h"

static gint64 first_seed = 1;
static int n_programs = SANITIZED ? 500 : 1000;

static const char *fusions[] = {
  "canonicalize", "reshape", "cse", "dce", "channels-last", "expand-dots", "narrow-dots", "split-windows",
  "fuse-loops", "fuse-attention", "expand-gemv", "fuse-epilogues", "fuse-reductions", "fuse-maps", NULL
};

static void
test_random (void)
{
  const RandomOptions options = { .n_steps = 24, .is_loose = TRUE, .for_passes = TRUE };
  g_autofree RandomSubject *subjects = g_new0 (RandomSubject, ghlo_passes_count () + 2);
  g_autofree const char **names = g_new0 (const char *, 2 * ghlo_passes_count ());
  guint n = 0;

  for (guint i = 0; i < ghlo_passes_count (); i++)
    {
      if (ghlo_pass_get_level (i) > GHLO_PASS_MAX_LEVEL)
        continue;
      names[2 * i] = ghlo_pass_get_name (i);
      subjects[n++] = (RandomSubject) {
        .name = (char *) names[2 * i], .device = ghlo_reference_device (), .same_bits = TRUE,
        .passes = { .level = 3, .only = names + 2 * i },
      };
    }
  subjects[n++] = (RandomSubject) {
    .name = (char *) "O3", .device = ghlo_reference_device (), .same_bits = TRUE, .passes.level = 3,
  };
  subjects[n++] = (RandomSubject) {
    .name = (char *) "fusions", .device = ghlo_reference_device (), .same_bits = TRUE, .passes.only = fusions,
  };
  g_assert_true (random_check_programs ((guint32) first_seed, (guint) n_programs, &options, subjects, n, FALSE));
}

int
main (int    argc,
      char **argv)
{
  const GOptionEntry entries[] = {
    { "programs", 0, 0, G_OPTION_ARG_INT, &n_programs, NULL, NULL },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &first_seed, NULL, NULL },
    G_OPTION_ENTRY_NULL
  };

  random_read_options (entries, &argc, &argv);
  g_test_init (&argc, &argv, NULL);
  ghlo_memory_set_limit (256 * 1024 * 1024);
  g_test_add_func ("/passes/random", test_random);

  return g_test_run ();
}
