/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops that kernels run in strips need besides those of elementwise.h: filling, strided and
 * indexed moves, addresses of accesses that are not affine, and folds in the order of
 * kernel/kernel.h. Compiled once for each level; nothing need be aligned. Bits do
 * not depend on the level.
 */

#pragma once

#include "cpu/isa/elementwise.h"

G_BEGIN_DECLS

/* Rows of tables by the size of elements: 1 << row bytes. */
enum { GHLO_CPU_N_STRIP_SIZES = 4 };

/* Folds: the combiners, and beside them the sum of products. */
enum
{
  GHLO_CPU_FOLD_FMA = GHLO_N_COMBINERS,
  GHLO_CPU_N_FOLDS
};

/* @n elements equal to the one at @from. */
typedef void (*GhloCpuSplatFunc)   (const guint8 *from,
                                    guint8       *to,
                                    gsize         n);
/* @first, @first + 1, …, cut to the size of elements. */
typedef void (*GhloCpuRampFunc)    (gint64        first,
                                    guint8       *to,
                                    gsize         n);
/* Strides in bytes. */
typedef void (*GhloCpuStridedFunc) (const guint8 *from,
                                    gint64        from_stride,
                                    guint8       *to,
                                    gint64        to_stride,
                                    gsize         n);
/* Adjacent elements from, or to, the places @base + @offsets, where @inside is not 0; all where it is NULL. */
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

/* A term along a strip: positions first + i × lane, and where there are any + positions[i]. */
typedef struct
{
  const gint64 *positions;      /* or NULL */
  gint64        first, lane;
  gint64        step, end, stride;
} GhloCpuStripTerm;

/* Adds what the term adds to addresses; a guard clears @inside where it does not hold. */
typedef void (*GhloCpuTermFunc)    (const GhloCpuStripTerm *term,
                                    gint64                 *offsets,
                                    guint8                 *inside,
                                    gsize                   n);

/* Element i is combined with accumulator (@first + i) % @n_chains, in order. */
typedef void (*GhloCpuFoldFunc)    (const guint8 *const *operands,
                                    guint8              *accumulators,
                                    gsize                n,
                                    gsize                n_chains,
                                    gsize                first);

typedef struct
{
  GhloCpuSplatFunc       splats[GHLO_CPU_N_STRIP_SIZES];
  GhloCpuRampFunc        ramps[GHLO_CPU_N_STRIP_SIZES];
  GhloCpuStridedFunc     strided[GHLO_CPU_N_STRIP_SIZES];
  GhloCpuGatherFunc      gathers[GHLO_CPU_N_STRIP_SIZES];
  GhloCpuScatterFunc     scatters[GHLO_CPU_N_STRIP_SIZES];
  GhloCpuTermFunc        clamp, guard;
  const GhloCpuFoldFunc *folds[GHLO_CPU_N_NUMBERS];     /* by combiner, or FMA; missing ones are NULL */
  /* result += the number at operand 0 × operand 1, by FMA; of F32 and F64. */
  GhloCpuElementwiseFunc products[GHLO_CPU_N_NUMBERS];
} GhloCpuStripRoutines;

/* The loops of ghlo_cpu_level (). */
const GhloCpuStripRoutines *ghlo_cpu_strip_routines (void);

G_END_DECLS
