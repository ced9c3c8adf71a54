/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels of this processor's level.
 */

#include "cpu/kernels.h"

typedef void (*InitFunc) (GhloCpuKernels *self);

void ghlo_cpu_kernels_init_baseline (GhloCpuKernels *self);
#if defined (__x86_64__)
void ghlo_cpu_kernels_init_avx2 (GhloCpuKernels *self);
void ghlo_cpu_kernels_init_avx512 (GhloCpuKernels *self);
#endif

static const InitFunc inits[GHLO_CPU_N_LEVELS] = {
  [GHLO_CPU_LEVEL_BASELINE] = ghlo_cpu_kernels_init_baseline,
#if defined (__x86_64__)
  [GHLO_CPU_LEVEL_AVX2] = ghlo_cpu_kernels_init_avx2,
  [GHLO_CPU_LEVEL_AVX512] = ghlo_cpu_kernels_init_avx512,
#endif
};

const GhloCpuKernels *
ghlo_cpu_kernels (void)
{
  static GhloCpuKernels kernels;
  static gsize done;

  if (g_once_init_enter (&done))
    {
      inits[ghlo_cpu_level ()] (&kernels);
      g_once_init_leave (&done, 1);
    }

  return &kernels;
}
