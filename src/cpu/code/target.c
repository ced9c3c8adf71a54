/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Targets by level.
 */

#include "cpu/code/target.h"

#include "cpu/isa/level.h"

const GhloCodeTarget *
ghlo_code_target (void)
{
#if defined (__x86_64__)
  static const GhloCodeTarget targets[GHLO_CPU_N_LEVELS] = {
    [GHLO_CPU_LEVEL_BASELINE] = { "x86_64-unknown-linux-gnu", "x86-64", "", 16, 0, FALSE, FALSE },
    [GHLO_CPU_LEVEL_AVX2] = { "x86_64-unknown-linux-gnu", "x86-64-v3", "", 32, 4, TRUE, TRUE },
    [GHLO_CPU_LEVEL_AVX512] = { "x86_64-unknown-linux-gnu", "x86-64-v4", "", 64, 1, TRUE, TRUE },
  };

  return &targets[ghlo_cpu_level ()];
#elif defined (__aarch64__)
  static const GhloCodeTarget target = { "aarch64-unknown-linux-gnu", "generic", "", 16, 0, TRUE, TRUE };

  return &target;
#else
  return NULL;
#endif
}

const GhloMachine *
ghlo_code_machine (void)
{
  /* Nothing is called; a vector takes about a cycle, and elements that are not side by side one each. */
  static const GhloMachine machines[GHLO_CPU_N_LEVELS] = {
    [GHLO_CPU_LEVEL_BASELINE] = { 16, 32768, 1, 0, 1.3, 0.35, 0.5, 0.7 },
    [GHLO_CPU_LEVEL_AVX2] = { 32, 32768, 1, 0, 1.3, 0.35, 0.5, 0.7 },
    [GHLO_CPU_LEVEL_AVX512] = { 64, 32768, 1, 0, 1.3, 0.4, 0.5, 0.7 },
  };

  return &machines[ghlo_cpu_level ()];
}
