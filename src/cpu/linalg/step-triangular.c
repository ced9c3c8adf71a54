/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The steps of cholesky and triangular_solve.
 */

#include "cpu/linalg/triangular.h"
#include "cpu/steps.h"

typedef struct
{
  GhloCpuTriangular *triangular;
  gboolean           is_cholesky;
} Step;

static GhloCpuTriangular *
prepare_cholesky (const GhloStepRequest  *request,
                  GError                **error)
{
  return ghlo_cpu_cholesky_prepare (&request->operands[0], &request->results[0],
                                    ghlo_ir_op_get_int (request->op, "lower", FALSE) != 0, error);
}

static GhloCpuTriangular *
prepare_triangular_solve (const GhloStepRequest  *request,
                          GError                **error)
{
  static const struct
  {
    const char      *word;
    GhloCpuTranspose transpose;
  } transposes[] = {
    { "TRANSPOSE", GHLO_CPU_TRANSPOSED }, { "ADJOINT", GHLO_CPU_ADJOINT },
  };
  const GhloIrOp *op = request->op;
  const char *word = ghlo_ir_enum_word (ghlo_ir_op_get (op, "transpose_a"));
  GhloCpuSolve solve = {
    .left = ghlo_ir_op_get_int (op, "left_side", FALSE) != 0,
    .lower = ghlo_ir_op_get_int (op, "lower", FALSE) != 0,
    .unit = ghlo_ir_op_get_int (op, "unit_diagonal", FALSE) != 0,
  };

  for (guint i = 0; i < G_N_ELEMENTS (transposes); i++)
    if (g_strcmp0 (word, transposes[i].word) == 0)
      solve.transpose = transposes[i].transpose;

  return ghlo_cpu_triangular_solve_prepare (&solve, &request->operands[0], &request->operands[1],
                                            &request->results[0], error);
}

static GhloCpuTriangular *
prepare (const GhloStepRequest  *request,
         GError                **error)
{
  return request->op->kind == GHLO_OP_STABLEHLO_CHOLESKY ? prepare_cholesky (request, error)
                                                         : prepare_triangular_solve (request, error);
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  Step *self = step;

  self->triangular = prepare (request, NULL);
  /* triangular_solve may need its right-hand sides twice, so it cannot run in place. */
  if (request->op->kind == GHLO_OP_STABLEHLO_CHOLESKY)
    selection->operands[0].in_place = 0;
  if (self->triangular != NULL)
    selection->scratch = ghlo_cpu_triangular_scratch_size (self->triangular);
  else
    selection->reason = "matrices of its element type are not supported";
}

static gboolean
finish (gpointer                step,
        GhloDeviceCore         *device,
        const GhloStepRequest  *request,
        const GhloMonitor      *monitor,
        GError                **error)
{
  Step *self = step;

  self->triangular = prepare (request, error);
  self->is_cholesky = request->op->kind == GHLO_OP_STABLEHLO_CHOLESKY;

  return self->triangular != NULL;
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Step *self = compiled;

  /* cholesky has one operand only. */
  return ghlo_cpu_triangular_run (self->triangular, operands[0].data, self->is_cholesky ? NULL : operands[1].data,
                              results[0].data, scratch, monitor, error);
}

static void
clear (gpointer step)
{
  Step *self = step;

  g_clear_pointer (&self->triangular, ghlo_cpu_triangular_free);
}

static char *
describe (gpointer compiled)
{
  return g_strdup (ghlo_cpu_triangular_describe (((const Step *) compiled)->triangular));
}

const GhloStepImplementation ghlo_cpu_step_cholesky = {
  .name = "cholesky",
  .size = sizeof (Step),
  .select = fill_selection,
  .finish = finish,
  .clear = clear,
  .run = run,
  .describe = describe,
};

const GhloStepImplementation ghlo_cpu_step_triangular_solve = {
  .name = "triangular_solve",
  .size = sizeof (Step),
  .select = fill_selection,
  .finish = finish,
  .clear = clear,
  .run = run,
  .describe = describe,
};
