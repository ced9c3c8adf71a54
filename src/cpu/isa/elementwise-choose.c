/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Selects the elementwise loops of the processor's level.
 */

#include "cpu/isa/elementwise.h"
#include "cpu/isa/level.h"

typedef void (*InitFunc) (GhloCpuElementwiseRoutines *self);

void ghlo_cpu_elementwise_routines_init_baseline (GhloCpuElementwiseRoutines *self);
#if defined (__x86_64__)
void ghlo_cpu_elementwise_routines_init_avx2 (GhloCpuElementwiseRoutines *self);
void ghlo_cpu_elementwise_routines_init_avx512 (GhloCpuElementwiseRoutines *self);
#endif

static const InitFunc inits[GHLO_CPU_N_LEVELS] = {
  [GHLO_CPU_LEVEL_BASELINE] = ghlo_cpu_elementwise_routines_init_baseline,
#if defined (__x86_64__)
  [GHLO_CPU_LEVEL_AVX2] = ghlo_cpu_elementwise_routines_init_avx2,
  [GHLO_CPU_LEVEL_AVX512] = ghlo_cpu_elementwise_routines_init_avx512,
#endif
};

void
ghlo_cpu_elementwise_routines_init (GhloCpuElementwiseRoutines *self,
                                    GhloCpuLevel                level)
{
  inits[level] (self);
}

const GhloCpuElementwiseRoutines *
ghlo_cpu_elementwise_routines (void)
{
  static GhloCpuElementwiseRoutines routines;
  static gsize done;

  if (g_once_init_enter (&done))
    {
      ghlo_cpu_elementwise_routines_init (&routines, ghlo_cpu_level ());
      g_once_init_leave (&done, 1);
    }

  return &routines;
}
