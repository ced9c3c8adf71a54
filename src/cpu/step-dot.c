/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * dot and dot_general as a step of a plan.
 */

#include "base/ghlo-error.h"
#include "cpu/dot-general.h"
#include "cpu/steps.h"

static gpointer
prepare (const GhloIrOp  *op,
         const GhloView  *operands,
         const GhloView  *results,
         gsize           *scratch,
         GError         **error)
{
  GhloCpuDotNumbers numbers;
  GhloCpuGemm *gemm;

  if (!ghlo_cpu_dot_numbers_read (&numbers, op))
    return NULL;
  gemm = ghlo_cpu_dot_general_prepare (&numbers, &operands[0], &operands[1], &results[0], NULL, NULL);
  if (gemm != NULL)
    *scratch = ghlo_cpu_gemm_scratch_size (gemm);

  return gemm;
}

static gboolean
run (gpointer            prepared,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  return ghlo_cpu_gemm_run (prepared, operands[0].data, operands[1].data, results[0].data, scratch, NULL, monitor,
                            error);
}

static void
release (gpointer prepared)
{
  ghlo_cpu_gemm_free (prepared);
}

static gsize
prepared_size (gpointer prepared)
{
  return ghlo_cpu_gemm_packed_size (prepared);
}

static char *
describe (gpointer prepared)
{
  return g_strdup (ghlo_cpu_gemm_describe (prepared));
}

const GhloCodeKernel ghlo_cpu_step_dot = {
  .name = "dot",
  .takes = ghlo_cpu_takes_any,
  .prepare = prepare,
  .run = run,
  .release = release,
  .describe = describe,
  .prepared_size = prepared_size,
};
