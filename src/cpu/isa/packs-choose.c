/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Selects the packing loops of the processor's level.
 */

#include "cpu/isa/level.h"
#include "cpu/isa/packs.h"

extern const GhloCpuPackFunc ghlo_cpu_packs_baseline[GHLO_CPU_N_PACKS];
#if defined (__x86_64__)
extern const GhloCpuPackFunc ghlo_cpu_packs_avx2[GHLO_CPU_N_PACKS];
extern const GhloCpuPackFunc ghlo_cpu_packs_avx512[GHLO_CPU_N_PACKS];
#endif

static const GhloCpuPackFunc *const packs[GHLO_CPU_N_LEVELS] = {
  [GHLO_CPU_LEVEL_BASELINE] = ghlo_cpu_packs_baseline,
#if defined (__x86_64__)
  [GHLO_CPU_LEVEL_AVX2] = ghlo_cpu_packs_avx2,
  [GHLO_CPU_LEVEL_AVX512] = ghlo_cpu_packs_avx512,
#endif
};

GhloCpuPackFunc
ghlo_cpu_find_pack (GhloCpuPack pack)
{
  return packs[ghlo_cpu_level ()][pack];
}
