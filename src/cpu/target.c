/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of operations that the CPU has step implementations for, besides elementwise loops. Implementations of
 * the same operation are tried in the order of the table. Composites are fusions. What has no loop, such as
 * operations on 8-bit floats, becomes a kernel.
 */

#include "cpu/target.h"

#include <string.h>

#include "cpu/isa/level.h"
#include "cpu/steps.h"
#include "kernel/scalar.h"
#include "runtime/parallel.h"
#include "runtime/rates.h"

/* Approximate rates of one core: bytes moved, scalar operations, and the speed of narrow and wide products relative
 * to f32 products. RUN_SECONDS and STEP_SECONDS are the times of a run, and of a step, on a few numbers. MEMORY_CORES
 * is the number of cores up to which each one gets its full memory bandwidth. */
#define CORE_BYTES   2e10
#define CORE_SCALARS 4e9
#define NARROW_SHARE 0.5
#define WIDE_SHARE   0.5
#define RUN_SECONDS  1e-6
#define STEP_SECONDS 3e-7
enum { MEMORY_CORES = 8 };

typedef struct
{
  GhloIrOpKind                  op;
  const GhloStepImplementation *implementation;
} Row;

static const Row rows[] = {
  { GHLO_OP_CHLO_TOP_K, &ghlo_cpu_step_top_k },
  { GHLO_OP_STABLEHLO_CHOLESKY, &ghlo_cpu_step_cholesky },
  { GHLO_OP_STABLEHLO_COMPOSITE, &ghlo_cpu_step_dot },
  { GHLO_OP_STABLEHLO_COMPOSITE, &ghlo_cpu_step_convolution },
  { GHLO_OP_STABLEHLO_COMPOSITE, &ghlo_cpu_step_kernel },
  { GHLO_OP_STABLEHLO_CONCATENATE, &ghlo_cpu_step_concatenate },
  { GHLO_OP_STABLEHLO_CONVOLUTION, &ghlo_cpu_step_convolution },
  { GHLO_OP_STABLEHLO_CUSTOM_CALL, &ghlo_cpu_step_routine },
  { GHLO_OP_STABLEHLO_DOT, &ghlo_cpu_step_dot },
  { GHLO_OP_STABLEHLO_DOT_GENERAL, &ghlo_cpu_step_dot },
  { GHLO_OP_STABLEHLO_DYNAMIC_SLICE, &ghlo_cpu_step_dynamic_slice },
  { GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE, &ghlo_cpu_step_dynamic_update_slice },
  { GHLO_OP_STABLEHLO_GATHER, &ghlo_cpu_step_gather },
  { GHLO_OP_STABLEHLO_IOTA, &ghlo_cpu_step_iota },
  { GHLO_OP_STABLEHLO_PAD, &ghlo_cpu_step_pad },
  { GHLO_OP_STABLEHLO_REDUCE, &ghlo_cpu_step_reduce },
  { GHLO_OP_STABLEHLO_REDUCE, &ghlo_cpu_step_kernel },
  { GHLO_OP_STABLEHLO_REDUCE_WINDOW, &ghlo_cpu_step_cumulative },
  { GHLO_OP_STABLEHLO_REDUCE_WINDOW, &ghlo_cpu_step_kernel },
  { GHLO_OP_STABLEHLO_RNG_BIT_GENERATOR, &ghlo_cpu_step_random },
  { GHLO_OP_STABLEHLO_SCATTER, &ghlo_cpu_step_scatter },
  { GHLO_OP_STABLEHLO_SELECT_AND_SCATTER, &ghlo_cpu_step_pool_gradient },
  { GHLO_OP_STABLEHLO_SELECT_AND_SCATTER, &ghlo_cpu_step_select_and_scatter },
  { GHLO_OP_STABLEHLO_SORT, &ghlo_cpu_step_sort },
  { GHLO_OP_STABLEHLO_TRIANGULAR_SOLVE, &ghlo_cpu_step_triangular_solve },
};

static const GhloStepImplementation *
find (gpointer                      self,
      const GhloIrOp               *op,
      const GhloStepImplementation *previous)
{
  gboolean passed = previous == NULL;

  if (ghlo_cpu_has_elementwise (op->kind))
    return passed ? &ghlo_cpu_step_elementwise : previous == &ghlo_cpu_step_elementwise ? &ghlo_cpu_step_kernel : NULL;
  if (ghlo_scalar_of (op->kind) != GHLO_SCALAR_INVALID)
    return passed ? &ghlo_cpu_step_kernel : NULL;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].op == op->kind)
      {
        if (passed)
          return rows[i].implementation;
        passed = rows[i].implementation == previous;
      }

  return NULL;
}

GBytes *
ghlo_cpu_identify (void)
{
  const char *model = ghlo_cpu_model ();
  char *text = g_strdup_printf ("cpu %s; %s; %u threads", model != NULL ? model : "",
                                ghlo_cpu_level_name (ghlo_cpu_level ()), ghlo_parallel_n_workers ());

  return g_bytes_new_take (text, strlen (text));
}

const GhloStepTarget *
ghlo_cpu_target (void)
{
  static GhloStepRates rates;
  static const GhloStepTarget target = { .name = "cpu", .find = find, .copy = &ghlo_cpu_step_copy, .rates = &rates };
  static gsize known;

  if (g_once_init_enter (&known))
    {
      const guint n = ghlo_parallel_n_workers ();
      const double products = n * ghlo_cpu_rate ();
      g_autoptr (GBytes) identity = ghlo_cpu_identify ();

      if (!ghlo_rates_recall (identity, &rates))
        rates = (GhloStepRates) {
          .bytes = MIN (n, MEMORY_CORES) * CORE_BYTES, .scalars = n * CORE_SCALARS, .run = RUN_SECONDS,
          .step = STEP_SECONDS, .products = { products, products * NARROW_SHARE, products * WIDE_SHARE },
        };
      g_once_init_leave (&known, 1);
    }

  return &target;
}
