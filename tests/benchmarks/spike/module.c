/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The spike as a shared library for compare.py, which calls its kernels and XLA's
 * programs in turns in one process.
 */

#include "module.h"

#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "llvm-jit.h"
#include "runtime/parallel.h"

struct _SpikeHandle
{
  GhloKernel     *kernel;
  GhloSchedule    schedule;
  GhloKernelFunc  function;
  SpikeJitTimes   times;
  guint8         *scratch;
  gsize           scratch_size;
  char           *text;
};

static SpikeJit *jit;

SpikeHandle *
spike_open (const char *name,
            guint       number,
            guint       width)
{
  SpikeJitOptions options = { SPIKE_PASSES_FEW, 2 };
  g_autofree GhloKernel *plain = g_new0 (GhloKernel, 1);
  g_autofree char *error = NULL;
  gsize offsets[GHLO_KERNEL_MAX_TEMPORARIES];
  const SpikeKernel *spike = spike_kernels;
  SpikeHandle *self = g_new0 (SpikeHandle, 1);
  GhloMachine machine;
  const char *why;

  ghlo_machine_init_host (&machine);
  if (jit == NULL)
    jit = spike_jit_new (NULL, &error);
  while (!g_str_equal (spike->name, name))
    spike++;
  spike->make (plain);
  self->kernel = ghlo_kernel_expand (plain, machine.fma);
  if (spike->schedule (self->kernel, number, width > 0 ? width : machine.vector_bits / 32, &self->schedule)
      && ghlo_schedule_check (&self->schedule, self->kernel, &why))
    {
      self->function = spike_jit_compile (jit, self->kernel, &self->schedule, 1, &options, &self->times, NULL, &error);
      self->scratch_size = MAX (ghlo_schedule_scratch (&self->schedule, self->kernel, offsets), 64);
      self->scratch = aligned_alloc (64, self->scratch_size * ghlo_parallel_n_workers ());
      self->text = ghlo_schedule_print (&self->schedule, self->kernel);
    }
  if (self->function == NULL)
    {
      g_free (self->kernel);
      g_clear_pointer (&self, g_free);
    }

  return self;
}

double
spike_compile_milliseconds (SpikeHandle *self)
{
  return self->times.emit + self->times.passes + self->times.codegen + self->times.link;
}

const char *
spike_describe (SpikeHandle *self)
{
  return self->text;
}

typedef struct
{
  SpikeHandle    *handle;
  gpointer const *buffers;
} Call;

static void
run_part (gpointer data,
          gsize    begin,
          gsize    end,
          guint    worker)
{
  Call *call = data;

  call->handle->function (call->buffers, call->handle->scratch + worker * call->handle->scratch_size, begin, end);
}

void
spike_run (SpikeHandle    *self,
           gpointer const *buffers,
           double          nanoseconds)
{
  Call call = { self, buffers };

  ghlo_parallel_for (self->kernel->axes[0].extent, self->schedule.grain, nanoseconds, run_part, &call, NULL);
}

typedef struct
{
  guint8       *to;
  const guint8 *from;
} Copy;

static void
copy_part (gpointer data,
           gsize    begin,
           gsize    end,
           guint    worker)
{
  Copy *copy = data;

  memcpy (copy->to + begin, copy->from + begin, end - begin);
}

void
spike_copy (gpointer      to,
            gconstpointer from,
            gsize         size,
            double        nanoseconds)
{
  Copy copy = { to, from };

  ghlo_parallel_for (size, 65536, nanoseconds, copy_part, &copy, NULL);
}
