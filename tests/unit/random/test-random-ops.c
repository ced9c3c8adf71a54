/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *     test-random-ops [--draws=N] [--seed=S] [--print] [--verbose]
 *
 * Single operations drawn at random, what fuzz-ops does without a fuzzer: the choices of
 * draw i of a run are those of seed S + i. --print shows each before it is tried. Nothing
 * that an operation asks for crashes, hangs or takes memory beyond the limits.
 */

#include <string.h>
#include <sys/resource.h>

#include "../sanitized.h"
#include "crash-note.h"
#include "op.h"
#include "options.h"

enum { MEMORY_LIMIT = 256 * 1024 * 1024, MAX_FAULTS = 10 };

/* Of address space, including memory that is not accounted for. */
#define PROCESS_LIMIT (G_GUINT64_CONSTANT (4000000) * 1024)

static gint64 first_seed = 1;
static int n_draws = SANITIZED ? 10000 : 20000;
static gboolean is_verbose, prints;

static char *
check_seed (guint32 seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  guint8 bytes[RANDOM_OP_MAX_BYTES];

  for (guint i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8) g_rand_int (random);

  if (prints)
    {
      g_autofree char *text = random_op_to_text (bytes, sizeof bytes);

      g_test_message ("%s", text);
    }

  return random_op_check (bytes, sizeof bytes);
}

static void
test_ops (void)
{
  g_autofree char *coverage = NULL;
  guint n_faults = 0;

  g_test_message ("%d operations from seed %" G_GINT64_FORMAT, n_draws, first_seed);
  for (int i = 0; i < n_draws && n_faults < MAX_FAULTS; i++)
    {
      guint32 seed = (guint32) (first_seed + i);
      g_autofree char *fault = NULL;

      crash_note ("the operation of seed", seed);
      fault = check_seed (seed);
      if (fault == NULL)
        continue;
      g_test_message ("seed %u: %s", seed, fault);
      n_faults++;
    }
  coverage = random_op_coverage (is_verbose);
  g_test_message ("%s", coverage);
  g_assert_cmpuint (n_faults, ==, 0);
}

/* Each row of the op table with size 0 in each dimension, of all operands at once and of one at a time. */
static void
test_empty (void)
{
  enum { N_EXAMPLES = 4, MAX_DIMENSIONS = 4, MAX_OPERANDS = 3 };
  g_autofree char *coverage = NULL;
  guint n_faults = 0;

  for (guint kind = 1; kind < GHLO_N_OPS && n_faults < MAX_FAULTS; kind++)
    for (guint i = 0; kind != GHLO_OP_UNREGISTERED && i < N_EXAMPLES * MAX_DIMENSIONS * (MAX_OPERANDS + 1); i++)
      {
        guint example = i % N_EXAMPLES, dimension = i / N_EXAMPLES % MAX_DIMENSIONS;
        int operand = (int) (i / N_EXAMPLES / MAX_DIMENSIONS) - 1;
        g_autofree char *fault = NULL;

        crash_note ("the empty operation of row", kind);
        fault = random_op_check_empty (kind, (guint8) example, dimension, operand);
        if (fault == NULL)
          continue;
        g_test_message ("dimension %u of operand %d: %s", dimension, operand, fault);
        n_faults++;
      }
  coverage = random_op_coverage (is_verbose);
  g_test_message ("%s", coverage);
  g_assert_cmpuint (n_faults, ==, 0);
}

/* Sanitizers reserve more addresses than any limit. */
static void
limit_process (void)
{
#if !SANITIZED
  const struct rlimit limit = { PROCESS_LIMIT, PROCESS_LIMIT };

  g_assert_cmpint (setrlimit (RLIMIT_AS, &limit), ==, 0);
#endif
}

int
main (int    argc,
      char **argv)
{
  const GOptionEntry entries[] = {
    { "draws", 0, 0, G_OPTION_ARG_INT, &n_draws, NULL, NULL },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &first_seed, NULL, NULL },
    { "print", 0, 0, G_OPTION_ARG_NONE, &prints, NULL, NULL },
    { "verbose", 0, 0, G_OPTION_ARG_NONE, &is_verbose, NULL, NULL },
    G_OPTION_ENTRY_NULL
  };

  random_read_options (entries, &argc, &argv);
  g_test_init (&argc, &argv, NULL);
  /* Guarded blocks detect overruns without sanitizers, too. */
  g_setenv ("GHLO_DEBUG", "guard", FALSE);
  ghlo_memory_set_limit (MEMORY_LIMIT);
  limit_process ();
  g_test_add_func ("/ops/empty", test_empty);
  g_test_add_func ("/ops/random", test_ops);

  return g_test_run ();
}
