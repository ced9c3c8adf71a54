/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The loops that kernels in strips need besides those of elementwise.h: filling, strided and indexed moves, addresses
 * of accesses that are not affine, and folds in the order that kernel/kernel.h defines. Compiled once for each level.
 * Nothing needs alignment, and the results have the same bits at every level.
 */

#pragma once

#include "cpu/isa/elementwise.h"

G_BEGIN_DECLS

/* Rows of tables that are indexed by element size: 1 << row bytes. */
enum { GHLO_CPU_N_STRIP_SIZES = 4 };

/* Folds: the combiners, and the sum of products. */
enum
{
  GHLO_CPU_FOLD_FMA = GHLO_N_COMBINERS,
  GHLO_CPU_N_FOLDS
};

/* Writes @n copies of the element at @from. */
typedef void (*GhloCpuSplatFunc)   (const guint8 *from,
                                    guint8       *to,
                                    gsize         n);
/* Writes @first, @first + 1, …, truncated to the size of elements. */
typedef void (*GhloCpuRampFunc)    (gint64        first,
                                    guint8       *to,
                                    gsize         n);
/* Strides are in bytes. */
typedef void (*GhloCpuStridedFunc) (const guint8 *from,
                                    gint64        from_stride,
                                    guint8       *to,
                                    gint64        to_stride,
                                    gsize         n);
/* Moves adjacent elements from, or to, @base + @offsets where @inside is not 0; all of them where it is NULL. */
typedef void (*GhloCpuGatherFunc)  (const guint8 *base,
                                    const gint64 *offsets,
                                    const guint8 *inside,
                                    guint8       *to,
                                    gsize         n);
typedef void (*GhloCpuScatterFunc) (guint8       *base,
                                    const gint64 *offsets,
                                    const guint8 *inside,
                                    const guint8 *from,
                                    gsize         n);

/* A term along a strip. The position in lane i is first + i × lane, plus positions[i] where there are any. */
typedef struct
{
  const gint64 *positions;      /* nullable */
  gint64        first, lane;
  gint64        step, end, stride;
} GhloCpuStripTerm;

/* Adds the term's contribution to addresses; a guard clears @inside where it fails. */
typedef void (*GhloCpuTermFunc)    (const GhloCpuStripTerm *term,
                                    gint64                 *offsets,
                                    guint8                 *inside,
                                    gsize                   n);

/* Combines element i with accumulator (@first + i) % @n_chains, in order. */
typedef void (*GhloCpuFoldFunc)    (const guint8 *const *operands,
                                    guint8              *accumulators,
                                    gsize                n,
                                    gsize                n_chains,
                                    gsize                first);

/* Merges all accumulators into the first: repeatedly merges the upper half into the lower half. */
typedef void (*GhloCpuHalveFunc)   (guint8              *accumulators,
                                    gsize                n_chains);

typedef struct
{
  GhloCpuSplatFunc       splats[GHLO_CPU_N_STRIP_SIZES];
  GhloCpuRampFunc        ramps[GHLO_CPU_N_STRIP_SIZES];
  GhloCpuStridedFunc     strided[GHLO_CPU_N_STRIP_SIZES];
  GhloCpuGatherFunc      gathers[GHLO_CPU_N_STRIP_SIZES];
  GhloCpuScatterFunc     scatters[GHLO_CPU_N_STRIP_SIZES];
  GhloCpuTermFunc        clamp, guard;
  const GhloCpuFoldFunc *folds[GHLO_CPU_N_NUMBERS];     /* indexed by combiner, or FMA; NULL where missing */
  const GhloCpuHalveFunc *halvings[GHLO_CPU_N_NUMBERS]; /* indexed by combiner */
  /* result += number × elements, by FMA; operand 0 is the number, operand 1 the elements. For F32 and F64. */
  GhloCpuElementwiseFunc products[GHLO_CPU_N_NUMBERS];
} GhloCpuStripRoutines;

/* The loops of ghlo_cpu_level (). */
const GhloCpuStripRoutines *ghlo_cpu_strip_routines (void);

G_END_DECLS
