/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Selects the routines of the processor's level.
 */

#include "cpu/isa/routines.h"

typedef void (*InitFunc) (GhloCpuRoutines *self);

void ghlo_cpu_routines_init_baseline (GhloCpuRoutines *self);
#if defined (__x86_64__)
extern const GhloCpuRowTileFunc ghlo_cpu_bf16_row_tiles[GHLO_CPU_MAX_HEIGHTS][2];

void ghlo_cpu_multiply_nibbles_vnni (const GhloCpuNibbles *p);
void ghlo_cpu_routines_init_avx2 (GhloCpuRoutines *self);
void ghlo_cpu_routines_init_avx512 (GhloCpuRoutines *self);
#endif

static const InitFunc inits[GHLO_CPU_N_LEVELS] = {
  [GHLO_CPU_LEVEL_BASELINE] = ghlo_cpu_routines_init_baseline,
#if defined (__x86_64__)
  [GHLO_CPU_LEVEL_AVX2] = ghlo_cpu_routines_init_avx2,
  [GHLO_CPU_LEVEL_AVX512] = ghlo_cpu_routines_init_avx512,
#endif
};

void
ghlo_cpu_routines_init (GhloCpuRoutines *self,
                        GhloCpuLevel     level)
{
  inits[level] (self);
#if defined (__x86_64__)
  if (level == GHLO_CPU_LEVEL_AVX512 && ghlo_cpu_has_bf16 ())
    self->bf16_row_tiles = ghlo_cpu_bf16_row_tiles;
  if (level == GHLO_CPU_LEVEL_AVX512 && ghlo_cpu_has_vnni ())
    self->multiply_nibbles = ghlo_cpu_multiply_nibbles_vnni;
#endif
}

const GhloCpuRoutines *
ghlo_cpu_routines (void)
{
  static GhloCpuRoutines routines;
  static gsize done;

  if (g_once_init_enter (&done))
    {
      ghlo_cpu_routines_init (&routines, ghlo_cpu_level ());
      g_once_init_leave (&done, 1);
    }

  return &routines;
}
