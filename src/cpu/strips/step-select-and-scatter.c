/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * select_and_scatter as two kernels. The first stores the selections of all windows in the scratch, which the second
 * reads.
 */

#include "base/sizes.h"
#include "cpu/jit/compiled-kernel.h"
#include "cpu/steps.h"
#include "kernel/select-and-scatter.h"
#include "kernel/text.h"

typedef struct
{
  GhloSelectAndScatter lowered;
  GhloCpuKernel        select, gather;
  gsize                selection;       /* bytes of the selections, a multiple of 64 */
} Step;

static void
clear (gpointer step)
{
  Step *self = step;

  ghlo_select_and_scatter_clear (&self->lowered);
  ghlo_cpu_kernel_clear (&self->select);
  ghlo_cpu_kernel_clear (&self->gather);
}

static gboolean
finish (gpointer                step,
        GhloDeviceCore         *device,
        const GhloStepRequest  *request,
        const GhloMonitor      *monitor,
        GError                **error)
{
  Step *self = step;

  ghlo_cpu_kernel_begin (&self->select);
  ghlo_cpu_kernel_begin (&self->gather);

  return TRUE;
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  Step *self = step;
  const GhloKernelGroup group = { .op = request->op, .n_operands = request->n_operands,
                                  .n_results = request->n_results, .operands = request->operands,
                                  .results = request->results };
  const char *reason;

  if (!ghlo_kernel_lower_select_and_scatter (&group, &self->lowered, &reason))
    return reason;
  reason = ghlo_cpu_kernel_init (&self->select, self->lowered.select, FALSE);
  self->selection = ghlo_size_align ((gsize) self->lowered.n_windows * sizeof (gint32));

  return reason != NULL ? reason : ghlo_cpu_kernel_init (&self->gather, self->lowered.gather, FALSE);
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const Step *self = step;

  selection->scratch = self->selection + MAX (ghlo_cpu_kernel_scratch (&self->select),
                                              ghlo_cpu_kernel_scratch (&self->gather));
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Step *step = compiled;
  const gint64 *starts = step->lowered.starts;
  const gpointer select[] = { operands[0].data + starts[0], scratch };
  const gpointer gather[] = { operands[1].data + starts[1], operands[2].data + starts[2], scratch, results[0].data };
  gpointer rest = (guint8 *) scratch + step->selection;

  return ghlo_cpu_kernel_run (&step->select, select, rest, monitor, error)
         && ghlo_cpu_kernel_run (&step->gather, gather, rest, monitor, error);
}

static char *
describe (gpointer compiled)
{
  const Step *step = compiled;

  return g_strdup_printf ("two kernels, strips of %u and %u points", step->select.schedule.strip,
                          step->gather.schedule.strip);
}

static char *
print_kernels (gpointer       compiled,
               GhloKernelForm form)
{
  const Step *step = compiled;
  g_autofree char *select = ghlo_cpu_kernel_print (&step->select, form);
  g_autofree char *gather = ghlo_cpu_kernel_print (&step->gather, form);

  return g_strconcat (select, gather, NULL);
}

static gboolean
wait (gpointer            compiled,
      gboolean            only_begins,
      const GhloMonitor  *monitor,
      GError            **error)
{
  const Step *step = compiled;

  return ghlo_cpu_kernel_wait (&step->select, only_begins, monitor, error)
         && ghlo_cpu_kernel_wait (&step->gather, only_begins, monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_select_and_scatter = {
  .name = "select_and_scatter",
  .size = sizeof (Step),
  .keeps_selection_state = TRUE,
  .read = read_request,
  .select = fill_selection,
  .finish = finish,
  .clear = clear,
  .run = run,
  .describe = describe,
  .print_kernels = print_kernels,
  .wait = wait,
};
