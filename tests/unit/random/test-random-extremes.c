/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *     test-random-extremes [--draws=N] [--seconds=N] [--seed=S] [--print] [--verbose]
 *
 * Random programs of windows, padding, slices, gathers and shapes that state extreme numbers, on the reference
 * executor and on everything that has to agree with it: what fuzz-extremes does without a fuzzer. The choices of draw
 * i of a run are those of seed S + i. --print shows each before it is tried.
 */

#include <unistd.h>

#include "../samples.h"
#include "../sanitized.h"
#include "crash-note.h"
#include "op.h"
#include "options.h"

enum { MEMORY_LIMIT = 256 * 1024 * 1024, MAX_FAULTS = 10, MAX_SECONDS = 600 /* for one program */,
       N_SHORT = 20000, MAX_SHORT_SECONDS = 60 };

static gint64 first_seed = 1;
static int n_draws, n_seconds;
static gboolean is_verbose, prints;

static void
draw_bytes (guint32  seed,
            guint8  *bytes,
            gsize    n)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);

  for (gsize i = 0; i < n; i++)
    bytes[i] = (guint8) g_rand_int (random);
}

static char *
check_seed (guint32 seed)
{
  guint8 bytes[RANDOM_EXTREME_MAX_BYTES];

  draw_bytes (seed, bytes, sizeof bytes);
  if (prints)
    {
      g_autofree char *text = random_op_extreme_to_text (bytes, sizeof bytes);

      g_test_message ("seed %u:\n%s", seed, text);
    }

  return random_op_check_extreme (bytes, sizeof bytes);
}

static gboolean
goes_on (int    n,
         gint64 begin)
{
  return n_seconds > 0 ? g_get_monotonic_time () - begin < (gint64) n_seconds * G_USEC_PER_SEC : n < n_draws;
}

static void
test_extremes (void)
{
  g_autofree char *coverage = NULL;
  gint64 begin = g_get_monotonic_time ();
  guint n_faults = 0;
  int n = 0;

  for (; goes_on (n, begin) && n_faults < MAX_FAULTS; n++)
    {
      guint32 seed = (guint32) (first_seed + n);
      g_autofree char *fault = NULL;

      crash_note ("the program of seed", seed);
      alarm (MAX_SECONDS);
      fault = check_seed (seed);
      if (fault == NULL)
        continue;
      g_test_message ("seed %u: %s", seed, fault);
      n_faults++;
    }
  alarm (0);
  coverage = random_op_coverage (is_verbose);
  g_test_message ("%d programs from seed %" G_GINT64_FORMAT ": %s", n, first_seed, coverage);
  g_assert_cmpuint (n_faults, ==, 0);
}

/* Programs are complete whenever the choices run out: nothing is searched for in choices that repeat. */
static void
test_few_choices (void)
{
  guint8 bytes[RANDOM_EXTREME_MAX_BYTES];

  for (guint32 i = 0; i < N_SHORT; i++)
    {
      g_autofree char *text = NULL;

      crash_note ("few choices of seed", i);
      draw_bytes (i, bytes, sizeof bytes);
      alarm (MAX_SHORT_SECONDS);
      text = random_op_extreme_to_text (bytes, i % sizeof bytes);
      g_assert_nonnull (text);
    }
  alarm (0);
}

int
main (int    argc,
      char **argv)
{
  const GOptionEntry entries[] = {
    { "draws", 0, 0, G_OPTION_ARG_INT, &n_draws, NULL, NULL },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &n_seconds, NULL, NULL },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &first_seed, NULL, NULL },
    { "print", 0, 0, G_OPTION_ARG_NONE, &prints, NULL, NULL },
    { "verbose", 0, 0, G_OPTION_ARG_NONE, &is_verbose, NULL, NULL },
    G_OPTION_ENTRY_NULL
  };

  n_draws = SANITIZED ? 500 : (int) choose_samples (400, 1000);
  random_read_options (entries, &argc, &argv);
  g_test_init (&argc, &argv, NULL);
  /* Guarded blocks detect overruns without sanitizers, too. */
  g_setenv ("GHLO_DEBUG", "guard", FALSE);
  ghlo_memory_set_limit (MEMORY_LIMIT);
  g_test_add_func ("/extremes/random", test_extremes);
  g_test_add_func ("/extremes/few-choices", test_few_choices);

  return g_test_run ();
}
