/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Levels of instruction sets. The routines of this folder are compiled once for each level,
 * and those of the highest level that the processor has are used.
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
 * one variable limits both oneDNN's routines and ours. Never changes. */
GhloCpuLevel ghlo_cpu_level      (void);
const char  *ghlo_cpu_level_name (GhloCpuLevel level);

/* What the processor calls itself, "AMD EPYC 7543"; NULL where it says nothing. */
const char  *ghlo_cpu_model      (void);

/* Approximate operations per second of one core in products of f32. It decides what is worth
 * splitting and how large a part may be, and is what plans' estimates are made of. */
double       ghlo_cpu_rate       (void);

G_END_DECLS
