/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes single operations: the bytes are choices from which an operation is generated according
 * to its row of the op table; see unit/random/op.h. fuzz-extremes, which is compiled with EXTREMES,
 * fuzzes programs of extreme numbers. With FUZZ_COVERAGE set, how far each row came is printed at
 * the end.
 */

#include <stdlib.h>
#include <string.h>

#include "../unit/random/op.h"

#ifdef EXTREMES
enum { MEMORY_LIMIT = 256 * 1024 * 1024, MAX_BYTES = RANDOM_EXTREME_MAX_BYTES };
#define CHECK random_op_check_extreme
#else
enum { MEMORY_LIMIT = 256 * 1024 * 1024, MAX_BYTES = RANDOM_OP_MAX_BYTES };
#define CHECK random_op_check
#endif

int    LLVMFuzzerInitialize    (int *argc, char ***argv);
int    LLVMFuzzerTestOneInput  (const guint8 *data, gsize size);
gsize  LLVMFuzzerCustomMutator (guint8 *data, gsize size, gsize max_size, unsigned int seed);
gsize  LLVMFuzzerMutate        (guint8 *data, gsize size, gsize max_size);

static void
print_coverage (void)
{
  g_autofree char *coverage = random_op_coverage (TRUE);

  g_printerr ("%s\n", coverage);
}

int
LLVMFuzzerInitialize (int    *argc,
                      char ***argv)
{
  ghlo_memory_set_limit (MEMORY_LIMIT);
#ifndef EXTREMES
  /* Machine code would be ready only after the runs, and threads that compile it during the next input look like leaks.
   * Programs of extreme numbers, and fuzz-run, wait for machine code. */
  g_setenv ("GHLO_DISABLE", "llvm", TRUE);
#endif
  if (g_getenv ("FUZZ_COVERAGE") != NULL)
    atexit (print_coverage);

  return 0;
}

/* Half of the inputs are new random bytes, since the first bytes determine the meaning of the others. */
gsize
LLVMFuzzerCustomMutator (guint8       *data,
                         gsize         size,
                         gsize         max_size,
                         unsigned int  seed)
{
  g_autoptr (GRand) random = NULL;

  if (seed % 2 == 0)
    return LLVMFuzzerMutate (data, size, max_size);
  random = g_rand_new_with_seed (seed);
  size = MIN (max_size, MAX_BYTES);
  for (gsize i = 0; i < size; i++)
    data[i] = (guint8) g_rand_int (random);

  return size;
}

int
LLVMFuzzerTestOneInput (const guint8 *data,
                        gsize         size)
{
  g_autofree char *fault = CHECK (data, size);

  if (fault != NULL)
    g_error ("%s", fault);

  return 0;
}
