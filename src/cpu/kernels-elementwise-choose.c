/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The elementwise loops of this processor's level.
 */

#include "cpu/kernels-elementwise.h"
#include "cpu/level.h"

typedef void (*InitFunc) (GhloCpuLines *self);

void ghlo_cpu_lines_init_baseline (GhloCpuLines *self);
#if defined (__x86_64__)
void ghlo_cpu_lines_init_avx2 (GhloCpuLines *self);
void ghlo_cpu_lines_init_avx512 (GhloCpuLines *self);
#endif

static const InitFunc inits[GHLO_CPU_N_LEVELS] = {
  [GHLO_CPU_LEVEL_BASELINE] = ghlo_cpu_lines_init_baseline,
#if defined (__x86_64__)
  [GHLO_CPU_LEVEL_AVX2] = ghlo_cpu_lines_init_avx2,
  [GHLO_CPU_LEVEL_AVX512] = ghlo_cpu_lines_init_avx512,
#endif
};

const GhloCpuLines *
ghlo_cpu_lines (void)
{
  static GhloCpuLines lines;
  static gsize done;

  if (g_once_init_enter (&done))
    {
      inits[ghlo_cpu_level ()] (&lines);
      g_once_init_leave (&done, 1);
    }

  return &lines;
}
