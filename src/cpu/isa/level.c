/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Detects the level once, from the processor and from the environment.
 */

#include "cpu/isa/level.h"

#include <string.h>

#if defined (__x86_64__)
#include <cpuid.h>
#endif

static const struct
{
  const char *name;
  double      rate;
} levels[] = {
  [GHLO_CPU_LEVEL_BASELINE] = { "baseline", 30e9 },
  [GHLO_CPU_LEVEL_AVX2] = { "avx2", 90e9 },
  [GHLO_CPU_LEVEL_AVX512] = { "avx512", 170e9 },
};

static GhloCpuLevel
find_level (void)
{
#if defined (__x86_64__)
  guint eax, ebx, ecx, edx;

  /* __builtin_cpu_supports also checks that the system saves these registers. */
  __builtin_cpu_init ();
  if (!__builtin_cpu_supports ("avx2") || !__builtin_cpu_supports ("fma")
      || !__get_cpuid (1, &eax, &ebx, &ecx, &edx) || (ecx & bit_F16C) == 0)
    return GHLO_CPU_LEVEL_BASELINE;
  if (!__builtin_cpu_supports ("avx512f") || !__builtin_cpu_supports ("avx512bw")
      || !__builtin_cpu_supports ("avx512cd") || !__builtin_cpu_supports ("avx512dq")
      || !__builtin_cpu_supports ("avx512vl"))
    return GHLO_CPU_LEVEL_AVX2;
  return GHLO_CPU_LEVEL_AVX512;
#else
  return GHLO_CPU_LEVEL_BASELINE;
#endif
}

/* Sums of pairs of bf16 take half as long as as many multiplications of f32 on AMD's processors, twice as long on
 * Intel's. */
static gboolean
find_bf16 (void)
{
#if defined (__x86_64__)
  return __builtin_cpu_supports ("avx512bf16") && !__builtin_cpu_is ("intel");
#else
  return FALSE;
#endif
}

static gboolean
find_vnni (void)
{
#if defined (__x86_64__)
  return __builtin_cpu_supports ("avx512vnni");
#else
  return FALSE;
#endif
}

/* oneDNN's names of instruction sets, and the highest level that each one includes, and whether it has more. */
static GhloCpuLevel
find_limit (gboolean *has_bf16,
            gboolean *has_vnni)
{
  static const struct
  {
    const char   *prefix;
    GhloCpuLevel  level;
    gboolean      lacks_bf16, lacks_vnni;
  } limits[] = {
    { "AVX512_CORE_VNNI", GHLO_CPU_LEVEL_AVX512, TRUE },
    { "AVX512_CORE_", GHLO_CPU_LEVEL_AVX512 },
    { "AVX512_CORE", GHLO_CPU_LEVEL_AVX512, TRUE, TRUE },
    { "AVX512_MIC", GHLO_CPU_LEVEL_AVX2 },
    { "AVX2", GHLO_CPU_LEVEL_AVX2 },
    { "AVX", GHLO_CPU_LEVEL_BASELINE },
    { "SSE41", GHLO_CPU_LEVEL_BASELINE },
  };
  const char *wish = g_getenv ("ONEDNN_MAX_CPU_ISA");

  if (wish == NULL)
    wish = g_getenv ("DNNL_MAX_CPU_ISA");
  for (guint i = 0; wish != NULL && i < G_N_ELEMENTS (limits); i++)
    if (g_ascii_strncasecmp (wish, limits[i].prefix, strlen (limits[i].prefix)) == 0)
      {
        *has_bf16 = !limits[i].lacks_bf16;
        *has_vnni = !limits[i].lacks_vnni;
        return limits[i].level;
      }

  return GHLO_CPU_N_LEVELS - 1;
}

/* The level, plus N_LEVELS where it has bf16, and twice that where it has VNNI. */
static gsize
get_state (void)
{
  static gsize state;

  if (g_once_init_enter (&state))
    {
      gboolean has_bf16 = TRUE, has_vnni = TRUE;
      const GhloCpuLevel level = MIN (find_level (), find_limit (&has_bf16, &has_vnni));

      has_bf16 = has_bf16 && level == GHLO_CPU_LEVEL_AVX512 && find_bf16 ();
      has_vnni = has_vnni && level == GHLO_CPU_LEVEL_AVX512 && find_vnni ();
      g_once_init_leave (&state, 1 + level + (has_bf16 ? GHLO_CPU_N_LEVELS : 0)
                                 + (has_vnni ? 2 * GHLO_CPU_N_LEVELS : 0));
    }

  return state - 1;
}

GhloCpuLevel
ghlo_cpu_level (void)
{
  return (GhloCpuLevel) (get_state () % GHLO_CPU_N_LEVELS);
}

gboolean
ghlo_cpu_has_bf16 (void)
{
  return get_state () / GHLO_CPU_N_LEVELS % 2 == 1;
}

gboolean
ghlo_cpu_has_vnni (void)
{
  return get_state () / GHLO_CPU_N_LEVELS >= 2;
}

const char *
ghlo_cpu_level_name (GhloCpuLevel level)
{
  return levels[level].name;
}

/* The brand string: 48 bytes in the registers of three leaves, padded with spaces. */
static char *
read_model (void)
{
#if defined (__x86_64__)
  guint32 registers[12];
  char text[sizeof registers + 1] = "";

  for (guint i = 0; i < 3; i++)
    if (!__get_cpuid (0x80000002 + i, &registers[4 * i], &registers[4 * i + 1], &registers[4 * i + 2],
                      &registers[4 * i + 3]))
      return NULL;
  memcpy (text, registers, sizeof registers);
  g_strstrip (text);
  if (*text != '\0')
    return g_utf8_make_valid (text, -1);
#endif

  return NULL;
}

const char *
ghlo_cpu_model (void)
{
  static gsize done;
  static char *model;

  if (g_once_init_enter (&done))
    {
      model = read_model ();
      g_once_init_leave (&done, 1);
    }

  return model;
}

double
ghlo_cpu_rate (void)
{
  return levels[ghlo_cpu_level ()].rate;
}
