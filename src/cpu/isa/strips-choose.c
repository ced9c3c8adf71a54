/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Selects the strip loops of the processor's level.
 */

#include "cpu/isa/strips.h"
#include "cpu/isa/level.h"

typedef void (*InitFunc) (GhloCpuStripRoutines *self);

void ghlo_cpu_strip_routines_init_baseline (GhloCpuStripRoutines *self);
#if defined (__x86_64__)
void ghlo_cpu_strip_routines_init_avx2 (GhloCpuStripRoutines *self);
void ghlo_cpu_strip_routines_init_avx512 (GhloCpuStripRoutines *self);
#endif

static const InitFunc inits[GHLO_CPU_N_LEVELS] = {
  [GHLO_CPU_LEVEL_BASELINE] = ghlo_cpu_strip_routines_init_baseline,
#if defined (__x86_64__)
  [GHLO_CPU_LEVEL_AVX2] = ghlo_cpu_strip_routines_init_avx2,
  [GHLO_CPU_LEVEL_AVX512] = ghlo_cpu_strip_routines_init_avx512,
#endif
};

const GhloCpuStripRoutines *
ghlo_cpu_strip_routines (void)
{
  static GhloCpuStripRoutines routines;
  static gsize done;

  if (g_once_init_enter (&done))
    {
      inits[ghlo_cpu_level ()] (&routines);
      g_once_init_leave (&done, 1);
    }

  return &routines;
}
