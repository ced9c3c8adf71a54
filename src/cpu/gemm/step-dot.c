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
} Prepared;

static void
release (gpointer prepared)
{
  Prepared *self = prepared;

  g_clear_pointer (&self->gemm, ghlo_cpu_gemm_free);
  g_clear_pointer (&self->followers, ghlo_cpu_followers_free);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Prepared, release)

static gpointer
prepare_with (const GhloIrOp        *op,
              const GhloIrFollower  *followers,
              guint                  n_followers,
              const GhloView        *operands,
              const GhloView        *results,
              gsize                 *scratch,
              GError               **error)
{
  g_autoptr (Prepared) self = g_new0 (Prepared, 1);
  GhloCpuDotNumbers numbers;

  if (n_followers > 0)
    self->followers = ghlo_cpu_followers_new (op, followers, n_followers, operands, &results[0]);
  if ((self->followers == NULL) != (n_followers == 0) || !ghlo_cpu_dot_numbers_read (&numbers, op))
    return NULL;
  self->gemm = ghlo_cpu_dot_general_prepare (&numbers, &operands[0], &operands[1], &results[0],
                                             n_followers > 0 ? ghlo_cpu_epilogue_panel : NULL, NULL);
  if (self->gemm == NULL
      || (n_followers > 0 && !ghlo_cpu_followers_pay (self->followers, ghlo_cpu_gemm_nanoseconds (self->gemm))))
    return NULL;
  *scratch = ghlo_cpu_gemm_scratch_size (self->gemm);

  return g_steal_pointer (&self);
}

static gpointer
prepare (const GhloIrOp  *op,
         const GhloView  *operands,
         const GhloView  *results,
         gsize           *scratch,
         GError         **error)
{
  return prepare_with (op, NULL, 0, operands, results, scratch, error);
}

static gboolean
run (gpointer            prepared,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Prepared *self = prepared;
  GhloCpuEpilogueRun epilogue;

  ghlo_cpu_followers_begin (self->followers, operands, &results[0], &epilogue);

  return ghlo_cpu_gemm_run (self->gemm, operands[0].data, operands[1].data, results[0].data, scratch, &epilogue,
                            monitor, error);
}

static gsize
prepared_size (gpointer prepared)
{
  const Prepared *self = prepared;

  return ghlo_cpu_gemm_packed_size (self->gemm);
}

static char *
describe (gpointer prepared)
{
  const Prepared *self = prepared;

  return g_strdup (ghlo_cpu_gemm_describe (self->gemm));
}

const GhloStepImplementation ghlo_cpu_step_dot = {
  .name = "dot",
  .takes = ghlo_cpu_takes_any,
  .prepare = prepare,
  .follows = ghlo_cpu_follows,
  .prepare_with = prepare_with,
  .run = run,
  .release = release,
  .describe = describe,
  .prepared_size = prepared_size,
};
