/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SPIR-V of kernels: one compute shader, of which each invocation or each workgroup does one parallel point. Buffers
 * are addresses, and their elements are aligned to their size.
 *
 * Floats are computed as kernels state it where the device does that: it has to keep subnormals, to round single
 * operations to nearest even, and to divide and take roots exactly rounded. What of it a device does is measured
 * (measure.h).
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

enum { GHLO_SPIRV_GROUP = 64 };         /* invocations of a workgroup, unless a schedule says otherwise */

/* What is pushed to a shader. */
typedef struct
{
  guint64 table;                /* address of words of 64 bits (GhloSpirvWord) */
  guint64 first;                /* the point of the first invocation, or workgroup */
} GhloSpirvPush;

/* The words of a table. Behind them come the addresses of all buffers, then the extents of all axes. */
typedef enum
{
  GHLO_SPIRV_WORD_END,          /* points from here on are left out */
  GHLO_SPIRV_WORD_SCRATCH,      /* address, aligned to 8 bytes */
  GHLO_SPIRV_WORD_INVOCATIONS,  /* of the dispatch, which all have scratch */
  GHLO_SPIRV_WORD_ZERO,         /* 0, which no compiler knows */
  GHLO_SPIRV_WORD_FLAG,         /* address of a byte that the dispatch keeps: nothing is stored where that is 0; or 0 */
  GHLO_SPIRV_N_WORDS
} GhloSpirvWord;

/* How a device computes floats of 32 bits and of 64. The first three are what its driver says
 * (VkPhysicalDeviceFloatControlsProperties), and what a shader then asks for. The others none says; measure.h tests
 * them. */
typedef struct
{
  gboolean keeps_subnormals[2], rounds_to_even[2], keeps_nan[2];
  gboolean fuses[2];            /* an FMA is rounded once; else it is composed of other operations */
  gboolean rounds[2];           /* floor, ceil and the like give the integers that they should, and signs; else they are
                                 * composed */
  gboolean takes_roots[2];      /* square roots are rounded once; else they are corrected by FMAs */
  gboolean shortens_quotients;  /* its own FMA of f32 is: quotients that something is known of are found from roots,
                                 * which drivers do faster, and epilogues may round on a fast path */
  gboolean folds_exactly;       /* operations on what its compiler knows give what others give: it does not take
                                 * x × 0 for 0, nor x + 0 for x, and compares what was an i32 with constants of i64
                                 * as it is; else operands are hidden from it */
} GhloSpirvFloats;

/* The parts that folds of a kernel's first block are cut into. Where there are few parallel points for a device, one
 * shader may do parts apart, and leave what each comes to in the scratch, which another one then merges. */
typedef enum
{
  GHLO_SPIRV_PARTS_IN_TURN,
  GHLO_SPIRV_PARTS_APART,       /* a point for each part: number % points is the point, number / points the part */
  GHLO_SPIRV_PARTS_MERGED,
} GhloSpirvParts;

/* Choices that change no bit. */
typedef struct
{
  gboolean group_per_point;     /* A workgroup does a parallel point: its invocations share out the points of blocks and
                                 * the chains of folds, and temporaries lie in shared memory or, where an invocation
                                 * alone uses them, in registers. For few parallel points with long axes in them.
                                 * Else it is an invocation, with scratch. */
  gsize    shared_size;         /* bytes of shared memory that the former may take */
  guint    points_each;         /* of an invocation that needs no scratch, where parts are done in turn; 0 is 1 */
  GhloSpirvParts parts;         /* other than IN_TURN only where ghlo_spirv_count_parts () is more than 1 */
  guint    group;               /* invocations of a workgroup that does a point, a power of two; 0: GHLO_SPIRV_GROUP */
  guint64  n_points;            /* Parallel points of a kernel that mostly has a flag. Where they have little to do they
                                 * are computed while that is on its way, and it decides whether they are stored. 0:
                                 * there may be any number, or there is mostly none; a flag is looked at first. */
} GhloSpirvSchedule;

static inline guint
ghlo_spirv_group (const GhloSpirvSchedule *schedule)
{
  return schedule->group != 0 ? schedule->group : GHLO_SPIRV_GROUP;
}

/* A module whose entry point is "main"; UNSUPPORTED where the kernel is too large, or takes more shared memory. */
GBytes *ghlo_spirv_emit    (const GhloKernel         *kernel,
                            const GhloSpirvFloats    *floats,
                            const GhloSpirvSchedule  *schedule,
                            GError                  **error);
/* The same of two kernels, neither of which needs scratch or has several points for an invocation, of workgroups of the
 * larger group; a workgroup that does a point has to have as many. The first workgroup of the dispatch does all points
 * of the first kernel, and the table of the second, whose points the others have, lies behind that of the first. */
GBytes *ghlo_spirv_emit_pair (const GhloKernel *const *kernels,
                            const GhloSpirvFloats    *floats,
                            const GhloSpirvSchedule  *schedules,
                            GError                  **error);
/* The words of a kernel's table. */
static inline guint
ghlo_spirv_count_words (const GhloKernel *kernel)
{
  return GHLO_SPIRV_N_WORDS + kernel->n_buffers + kernel->n_axes;
}

/* The bytes of scratch that one invocation takes, G_MAXSIZE where they are too many. */
gsize   ghlo_spirv_scratch (const GhloKernel         *kernel);
/* Into how many parts that may be done apart the folds of the first block are cut, 1 where they may not be; and the
 * bytes of scratch that what they come to takes, G_MAXSIZE where they are too many. */
guint64 ghlo_spirv_count_parts (const GhloKernel         *kernel,
                                const gint64             *extents);
gsize   ghlo_spirv_parts_scratch (const GhloKernel       *kernel,
                                  guint64                 n_points,
                                  guint64                 n_parts);
/* Those of shared memory that a workgroup takes for a point at most. */
gsize   ghlo_spirv_shared  (const GhloKernel         *kernel);
/* The most iterations of all loops together that an invocation makes for a point, or for a part of one, INFINITY where
 * data decides. */
double  ghlo_spirv_count_iterations (const GhloKernel *kernel,
                                     const gint64     *extents,
                                     const GhloSpirvSchedule *schedule);

G_END_DECLS
