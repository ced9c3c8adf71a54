/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * convolution as a step of a plan. A kernel that is a constant is brought into the
 * order that runs read it in when the step is prepared.
 */

#include "cpu/convolution/convolution.h"
#include "cpu/gemm/followers.h"
#include "cpu/steps.h"
#include "runtime/memory.h"

typedef struct
{
  GhloCpuConvolution *convolution;
  GhloCpuFollowers   *followers;      /* nullable */
  gpointer            packed;         /* packed_size bytes; NULL where the kernel is read as it is */
  gsize               packed_size;
} Prepared;

static void
release (gpointer prepared)
{
  Prepared *self = prepared;

  if (self->packed != NULL)
    ghlo_memory_free (self->packed, self->packed_size);
  g_clear_pointer (&self->convolution, ghlo_cpu_convolution_free);
  g_clear_pointer (&self->followers, ghlo_cpu_followers_free);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Prepared, release)

/* Where memory is short, the kernel stays as it is. */
static void
pack (Prepared     *self,
      const guint8 *kernel)
{
  gsize size = ghlo_cpu_convolution_scratch_size (self->convolution);
  gpointer scratch = ghlo_memory_alloc_uninitialized (size, NULL);

  self->packed_size = ghlo_cpu_convolution_packed_size (self->convolution);
  if (self->packed_size > 0 && scratch != NULL)
    self->packed = ghlo_memory_alloc_uninitialized (self->packed_size, NULL);
  if (self->packed != NULL)
    ghlo_cpu_convolution_pack (self->convolution, kernel, self->packed, scratch, NULL, NULL);
  if (scratch != NULL)
    ghlo_memory_free (scratch, size);
}

static gpointer
prepare_with (const GhloIrOp        *op,
              const GhloIrFollower  *followers,
              guint                  n_followers,
              const GhloView        *operands,
              const GhloView        *results,
              gsize                 *scratch,
              GError               **error)
{
  g_autofree GhloCpuConvolutionNumbers *numbers = g_new0 (GhloCpuConvolutionNumbers, 1);
  g_autoptr (Prepared) self = g_new0 (Prepared, 1);

  if (n_followers > 0)
    self->followers = ghlo_cpu_followers_new (op, followers, n_followers, operands, &results[0]);
  if ((self->followers == NULL) != (n_followers == 0) || !ghlo_cpu_convolution_numbers_read (numbers, op, NULL))
    return NULL;
  self->convolution = ghlo_cpu_convolution_prepare (numbers, &operands[0], &operands[1], &results[0],
                                                    n_followers > 0 ? ghlo_cpu_epilogue_panel : NULL, NULL);
  if (self->convolution == NULL
      || (n_followers > 0
          && !ghlo_cpu_followers_pay (self->followers, ghlo_cpu_convolution_nanoseconds (self->convolution))))
    return NULL;
  if (operands[1].data != NULL)
    pack (self, operands[1].data);
  *scratch = ghlo_cpu_convolution_scratch_size (self->convolution);

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

  return ghlo_cpu_convolution_run (self->convolution, operands[0].data, operands[1].data, self->packed,
                                   results[0].data, scratch, &epilogue, monitor, error);
}

static char *
describe (gpointer prepared)
{
  const Prepared *self = prepared;

  return g_strdup_printf ("%s%s", ghlo_cpu_convolution_describe (self->convolution),
                          self->packed != NULL ? ", kernel reordered" : "");
}

const GhloStepImplementation ghlo_cpu_step_convolution = {
  .name = "convolution",
  .takes = ghlo_cpu_takes_any,
  .prepare = prepare,
  .follows = ghlo_cpu_follows,
  .prepare_with = prepare_with,
  .run = run,
  .release = release,
  .describe = describe,
};
