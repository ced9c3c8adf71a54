/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the processor can do, as far as kernels of our own differ by it. The same
 * source is compiled once for each level, and the highest one that runs is used.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  GHLO_CPU_LEVEL_BASELINE,   /* what every processor of the architecture has */
  GHLO_CPU_LEVEL_AVX2,       /* with FMA and F16C */
  GHLO_CPU_LEVEL_AVX512,     /* F, BW, CD, DQ, VL */
  GHLO_CPU_N_LEVELS
} GhloCpuLevel;

/* The highest level of this processor, no higher than DNNL_MAX_CPU_ISA says, so that
 * one variable sets both oneDNN's kernels and ours. Never changes. */
GhloCpuLevel ghlo_cpu_level      (void);
const char  *ghlo_cpu_level_name (GhloCpuLevel level);

/* Operations per second of one core in products of f32, about: for deciding what is
 * worth splitting and how large a piece may be, never for reporting. */
double       ghlo_cpu_rate       (void);

G_END_DECLS
