/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of targets, one for each instruction set level.
 */

#include "cpu/jit/code-target.h"

#include "cpu/isa/level.h"

#if defined (__x86_64__)
#include <cpuid.h>
#endif

#if defined (__x86_64__) && defined (__LP64__)

/* Whether the processor has the instructions of x86-64-v3 that the AVX2 level (AVX2, FMA and F16C) does not imply. */
static gboolean
has_bit_instructions (void)
{
  guint eax, ebx, ecx, edx;

  return __get_cpuid (1, &eax, &ebx, &ecx, &edx) && (ecx & bit_MOVBE) != 0
         && __get_cpuid_count (7, 0, &eax, &ebx, &ecx, &edx) && (ebx & bit_BMI) != 0 && (ebx & bit_BMI2) != 0
         && __get_cpuid (0x80000001, &eax, &ebx, &ecx, &edx) && (ecx & bit_LZCNT) != 0;
}

/* Computed once: within a virtual machine each CPUID instruction takes 20 µs. */
static GhloCpuLevel
get_level (void)
{
  static gsize level;

  if (g_once_init_enter (&level))
    g_once_init_leave (&level, 1 + (has_bit_instructions () ? ghlo_cpu_level () : GHLO_CPU_LEVEL_BASELINE));

  return (GhloCpuLevel) (level - 1);
}

#else

static GhloCpuLevel
get_level (void)
{
  return ghlo_cpu_level ();
}

#endif

const GhloCodeTarget *
ghlo_code_target (void)
{
#if defined (__x86_64__) && defined (__LP64__)
  static const GhloCodeTarget targets[GHLO_CPU_N_LEVELS] = {
    [GHLO_CPU_LEVEL_BASELINE] = { "x86_64-unknown-linux-gnu", "x86-64", "", 16, 0, FALSE, FALSE, FALSE },
    [GHLO_CPU_LEVEL_AVX2] = { "x86_64-unknown-linux-gnu", "x86-64-v3", "", 32, 4, TRUE, TRUE, TRUE },
    [GHLO_CPU_LEVEL_AVX512] = { "x86_64-unknown-linux-gnu", "x86-64-v4", "", 64, 1, TRUE, TRUE, TRUE, TRUE },
  };

  return &targets[get_level ()];
#elif defined (__aarch64__) && defined (__LP64__) && G_BYTE_ORDER == G_LITTLE_ENDIAN
  static const GhloCodeTarget target = { "aarch64-unknown-linux-gnu", "generic", "", 16, 0, TRUE, TRUE, TRUE, FALSE,
                                         TRUE };

  return &target;
#else
  return NULL;
#endif
}

const GhloMachine *
ghlo_code_machine (void)
{
  /* Code calls no loops per node. A vector operation takes about one cycle, and so does each element that is not
   * adjacent. */
  static const GhloMachine machines[GHLO_CPU_N_LEVELS] = {
    [GHLO_CPU_LEVEL_BASELINE] = { 16, 32768, 0, 1.3, 0.35, 0.5, 0.7, 0.04, 4 },
    [GHLO_CPU_LEVEL_AVX2] = { 32, 32768, 0, 1.3, 0.35, 0.5, 0.7, 0.04, 4 },
    [GHLO_CPU_LEVEL_AVX512] = { 64, 32768, 0, 1.3, 0.4, 0.5, 0.7, 0.04, 4 },
  };

  return &machines[get_level ()];
}
