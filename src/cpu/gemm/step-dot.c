/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * dot and dot_general as a step of a plan.
 */

#include "cpu/gemm/dot-general.h"
#include "cpu/gemm/followers.h"
#include "cpu/steps.h"

typedef struct
{
  GhloCpuGemm      *gemm;
  GhloCpuFollowers *followers;   /* nullable */
} Dot;

static void
release (gpointer compiled)
{
  Dot *self = compiled;

  g_clear_pointer (&self->gemm, ghlo_cpu_gemm_free);
  g_clear_pointer (&self->followers, ghlo_cpu_followers_free);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Dot, release)

/* NULL, or the reason why there is no such product. */
static const char *
read_request (Dot                   *self,
              GhloCpuGemmProblem    *problem,
              const GhloStepRequest *request)
{
  const GhloView *operands = request->operands, *result = &request->results[0];
  GhloCpuDotNumbers numbers;

  if (!ghlo_cpu_dot_numbers_read (&numbers, request->op)
      || !ghlo_cpu_dot_general_read (problem, &numbers, &operands[0], &operands[1], result, NULL))
    return "its dimension numbers do not fit its operands";
  if (request->n_followers == 0)
    return NULL;
  problem->epilogue = ghlo_cpu_epilogue_panel;
  self->followers = ghlo_cpu_followers_new (request->op, request->followers, request->n_followers, operands, result);

  return self->followers != NULL ? NULL : "what follows it is no epilogue";
}

static gboolean
select_step (gpointer               target,
             const GhloStepRequest *request,
             GhloStepSelection     *selection)
{
  g_autofree GhloCpuGemmProblem *problem = g_new (GhloCpuGemmProblem, 1);
  g_autoptr (Dot) self = g_new0 (Dot, 1);

  selection->reason = read_request (self, problem, request);
  if (selection->reason != NULL)
    return FALSE;
  self->gemm = ghlo_cpu_gemm_choose (problem, NULL);
  if (self->gemm == NULL)
    selection->reason = "products of its element types are not computed here";
  else if (self->followers != NULL && !ghlo_cpu_followers_pay (self->followers, ghlo_cpu_gemm_nanoseconds (self->gemm)))
    selection->reason = "what follows it is faster alone";
  if (selection->reason != NULL)
    return FALSE;
  if (ghlo_cpu_gemm_packed_size (self->gemm) > 0)
    selection->operands[ghlo_cpu_gemm_packs_rhs (self->gemm)].wants_data = TRUE;
  selection->nanoseconds = ghlo_cpu_gemm_nanoseconds (self->gemm);
  selection->scratch = ghlo_cpu_gemm_scratch_size (self->gemm);

  return TRUE;
}

static gpointer
compile (gpointer               target,
         const GhloStepRequest *request,
         const GhloMonitor     *monitor,
         GError               **error)
{
  g_autofree GhloCpuGemmProblem *problem = g_new (GhloCpuGemmProblem, 1);
  g_autoptr (Dot) self = g_new0 (Dot, 1);
  const char *reason = read_request (self, problem, request);

  if (reason != NULL)
    return ghlo_cpu_step_fail (request, reason, error);
  self->gemm = ghlo_cpu_gemm_prepare (problem, error);
  if (self->gemm == NULL || !ghlo_cpu_step_has_scratch (request, ghlo_cpu_gemm_scratch_size (self->gemm), error))
    return NULL;

  return g_steal_pointer (&self);
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Dot *self = compiled;
  GhloCpuEpilogueRun epilogue;

  ghlo_cpu_followers_begin (self->followers, operands, &results[0], &epilogue);

  return ghlo_cpu_gemm_run (self->gemm, operands[0].data, operands[1].data, results[0].data, scratch, &epilogue,
                            monitor, error);
}

static gsize
compiled_size (gpointer compiled)
{
  const Dot *self = compiled;

  return ghlo_cpu_gemm_packed_size (self->gemm);
}

static char *
describe (gpointer compiled)
{
  const Dot *self = compiled;

  return g_strdup (ghlo_cpu_gemm_describe (self->gemm));
}

const GhloStepImplementation ghlo_cpu_step_dot = {
  .name = "dot",
  .select = select_step,
  .compile = compile,
  .follows = ghlo_cpu_follows,
  .run = run,
  .release = release,
  .describe = describe,
  .compiled_size = compiled_size,
};
