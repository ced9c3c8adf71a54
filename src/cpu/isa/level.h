/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Instruction set levels. The routines of this folder are compiled once for each level, and those of the highest
 * level that the processor supports are used.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  GHLO_CPU_LEVEL_BASELINE,   /* what every processor of the architecture supports */
  GHLO_CPU_LEVEL_AVX2,       /* with FMA and F16C */
  GHLO_CPU_LEVEL_AVX512,     /* F, BW, CD, DQ, VL */
  GHLO_CPU_N_LEVELS
} GhloCpuLevel;

/* The highest level of this processor, limited by ONEDNN_MAX_CPU_ISA or DNNL_MAX_CPU_ISA, so that one variable limits
 * both oneDNN's routines and ours. Never changes. */
GhloCpuLevel ghlo_cpu_level      (void);
const char  *ghlo_cpu_level_name (GhloCpuLevel level);

/* Whether the processor sums products of pairs of bf16 (AVX512-BF16) faster than it multiplies f32; limited in the same
 * way. */
gboolean     ghlo_cpu_has_bf16   (void);

/* Whether it has sums of products of bytes (AVX512-VNNI); limited in the same way. */
gboolean     ghlo_cpu_has_vnni   (void);

/* The processor's brand string, "AMD EPYC 7543"; NULL where it has none. */
const char  *ghlo_cpu_model      (void);

/* Approximate operations per second of one core in f32 products. Decides what is worth splitting and how large a part
 * may be; plans' estimates are based on it. */
double       ghlo_cpu_rate       (void);

/* Approximate nanoseconds for one core to move a byte from or to a cache. */
#define GHLO_CPU_BYTE_TIME 0.033

G_END_DECLS
