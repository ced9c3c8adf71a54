/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cholesky and triangular_solve as steps of a plan.
 */

#include "cpu/linalg/lapack.h"
#include "cpu/steps.h"

static gpointer
prepare_cholesky (const GhloIrOp  *op,
                  const GhloView  *operands,
                  const GhloView  *results,
                  gsize           *scratch,
                  GError         **error)
{
  gboolean lower = ghlo_ir_op_get_int (op, "lower", FALSE) != 0;
  GhloCpuLapack *self = ghlo_cpu_cholesky_prepare (&operands[0], &results[0], lower, NULL);

  if (self != NULL)
    *scratch = ghlo_cpu_lapack_scratch_size (self);

  return self;
}

static gpointer
prepare_triangular_solve (const GhloIrOp  *op,
                          const GhloView  *operands,
                          const GhloView  *results,
                          gsize           *scratch,
                          GError         **error)
{
  static const struct
  {
    const char      *word;
    GhloCpuTranspose transpose;
  } transposes[] = {
    { "TRANSPOSE", GHLO_CPU_TRANSPOSED }, { "ADJOINT", GHLO_CPU_ADJOINT },
  };
  const char *word = ghlo_ir_enum_word (ghlo_ir_op_get (op, "transpose_a"));
  GhloCpuSolve solve = {
    .left = ghlo_ir_op_get_int (op, "left_side", FALSE) != 0,
    .lower = ghlo_ir_op_get_int (op, "lower", FALSE) != 0,
    .unit = ghlo_ir_op_get_int (op, "unit_diagonal", FALSE) != 0,
  };
  GhloCpuLapack *self;

  for (guint i = 0; i < G_N_ELEMENTS (transposes); i++)
    if (g_strcmp0 (word, transposes[i].word) == 0)
      solve.transpose = transposes[i].transpose;
  self = ghlo_cpu_triangular_solve_prepare (&solve, &operands[0], &operands[1], &results[0], NULL);
  if (self != NULL)
    *scratch = ghlo_cpu_lapack_scratch_size (self);

  return self;
}

/* The one operand that has the result's shape. */
static gboolean
in_place (const GhloIrOp *op,
          guint           operand,
          guint           result)
{
  return operand + 1 == op->n_operands;
}

static gboolean
run (gpointer            prepared,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  return ghlo_cpu_lapack_run (prepared, operands[0].data, operands[1].data, results[0].data, scratch, monitor, error);
}

/* cholesky has one operand only. */
static gboolean
run_cholesky (gpointer            prepared,
              const GhloView     *operands,
              const GhloView     *results,
              gpointer            scratch,
              const GhloMonitor  *monitor,
              GError            **error)
{
  return ghlo_cpu_lapack_run (prepared, operands[0].data, NULL, results[0].data, scratch, monitor, error);
}

static void
release (gpointer prepared)
{
  ghlo_cpu_lapack_free (prepared);
}

static char *
describe (gpointer prepared)
{
  return g_strdup (ghlo_cpu_lapack_describe (prepared));
}

const GhloStepImplementation ghlo_cpu_step_cholesky = {
  .name = "cholesky",
  .takes = ghlo_cpu_takes_any,
  .in_place = in_place,
  .prepare = prepare_cholesky,
  .run = run_cholesky,
  .release = release,
  .describe = describe,
};

const GhloStepImplementation ghlo_cpu_step_triangular_solve = {
  .name = "triangular_solve",
  .takes = ghlo_cpu_takes_any,
  .in_place = in_place,
  .prepare = prepare_triangular_solve,
  .run = run,
  .release = release,
  .describe = describe,
};
