/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SPIR-V of kernels: one compute shader, in which each invocation or each workgroup computes one parallel point.
 * Buffers are passed as addresses; their elements are aligned to their size.
 *
 * Floats are computed as kernels specify if the device permits: it must preserve subnormals, round single operations to
 * nearest even, and round quotients and roots correctly. Which of this a device does is measured (measure.h).
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

enum { GHLO_SPIRV_GROUP = 64 };         /* invocations per workgroup, unless a schedule says otherwise */

/* A shader's push constants. */
typedef struct
{
  guint64 table;                /* address of the table, words of 64 bits (GhloSpirvWord) */
  guint64 first;                /* number of the first invocation's or workgroup's point */
} GhloSpirvPush;

/* The words of a table. The addresses of all buffers follow, then the extents of all axes. */
typedef enum
{
  GHLO_SPIRV_WORD_END,          /* number of the first point that is not computed */
  GHLO_SPIRV_WORD_SCRATCH,      /* address, aligned to 8 bytes */
  GHLO_SPIRV_WORD_INVOCATIONS,  /* invocations of the dispatch that have scratch */
  GHLO_SPIRV_WORD_ZERO,         /* 0, unknown to compilers */
  GHLO_SPIRV_WORD_FLAG,         /* address of a byte that the dispatch does not change: nothing is stored if the byte is
                                 * 0; or 0: no flag */
  GHLO_SPIRV_N_WORDS
} GhloSpirvWord;

/* How a device computes floats of 32 bits, and of 64. The first three are promised by the driver
 * (VkPhysicalDeviceFloatControlsProperties), and requested by shaders. No driver reports the others; measure.h measures
 * them. */
typedef struct
{
  gboolean keeps_subnormals[2], rounds_to_even[2], keeps_nan[2];
  gboolean fuses[2];            /* FMAs are rounded once; else they are composed of other operations */
  gboolean rounds[2];           /* floor, ceil and the like return the correct integers and signs; else they are
                                 * composed */
  gboolean takes_roots[2];      /* square roots are rounded once; else they are corrected by FMAs */
  gboolean shortens_quotients;  /* the native FMA of f32 is rounded once: quotients of certain kinds are computed from
                                 * roots, which is faster in drivers, and epilogues may have a fast path */
  gboolean folds_exactly;       /* the compiler folds constants exactly: it does not replace x × 0 by 0 or x + 0 by x,
                                 * and compares a sign-extended i32 correctly with constants of i64; else operands are
                                 * hidden from it */
} GhloSpirvFloats;

/* How the parts of the folds of a kernel's first block with folds are computed. If there are few parallel points for a
 * device, one shader can compute all parts separately and leave their results in the scratch, where another one merges
 * them. */
typedef enum
{
  GHLO_SPIRV_PARTS_IN_TURN,
  GHLO_SPIRV_PARTS_SEPARATE,    /* a point per part: number % points is the point, number / points the part */
  GHLO_SPIRV_PARTS_MERGED,
} GhloSpirvParts;

/* Choices that do not change any result. */
typedef struct
{
  /* A workgroup computes a parallel point, or several: the invocations of each share out the points of blocks and the
   * chains of folds.
   * Temporaries are in shared memory or, if only one invocation uses them, in registers. For few parallel points with
   * long axes inside. Else an invocation computes a point, with scratch. */
  gboolean workgroup_per_point;
  gsize    shared_size;         /* bytes of shared memory available in the former case */
  guint    points_per_invocation;       /* of one that needs no scratch, with parts in turn; 0 means 1 */
  gboolean by_four;             /* A point of the schedule is four adjacent ones, of a kernel of one block of points
                                 * without folds, whose stores have no terms, and whose last parallel axis has a
                                 * multiple of four. */
  guint64  aligned;             /* bits of buffers that are aligned to 16 bytes, for loads and stores of four */
  GhloSpirvParts parts;         /* other than IN_TURN only if ghlo_spirv_count_parts () is more than 1 */
  guint    group;               /* invocations that compute a point together, a power of two; 0: GHLO_SPIRV_GROUP */
  guint    points_per_group;    /* of such points in a workgroup, a power of two; 0 means 1. More than one only if all
                                 * blocks are of points */
  gboolean has_adjacent_points; /* adjacent invocations of such a workgroup belong to adjacent points, not to one */
  guint64  n_points;            /* Parallel points of a kernel that usually has a flag. If the points are cheap, they
                                 * are computed while the flag is being loaded, and the flag only decides whether
                                 * results are stored. 0: unknown, or usually no flag; a flag is checked first. */
} GhloSpirvSchedule;

static inline guint
ghlo_spirv_group (const GhloSpirvSchedule *schedule)
{
  return schedule->group != 0 ? schedule->group : GHLO_SPIRV_GROUP;
}

static inline guint
ghlo_spirv_points_per_group (const GhloSpirvSchedule *schedule)
{
  return MAX (schedule->points_per_group, 1);
}

/* Returns a module whose entry point is "main", or NULL with UNSUPPORTED if the kernel is too large or needs more
 * shared memory. */
GBytes *ghlo_spirv_emit    (const GhloKernel         *kernel,
                            const GhloSpirvFloats    *floats,
                            const GhloSpirvSchedule  *schedule,
                            GError                  **error);
/* The same for two kernels, neither of which may need scratch or several points per invocation. Workgroups have the
 * size of the larger group; a kernel with a workgroup per point must have that size. The first workgroup of the
 * dispatch computes all points of the first kernel, and the others those of the second, whose table follows that of the
 * first. */
GBytes *ghlo_spirv_emit_pair (const GhloKernel *const *kernels,
                            const GhloSpirvFloats    *floats,
                            const GhloSpirvSchedule  *schedules,
                            GError                  **error);
/* Returns the number of words of a kernel's table. */
static inline guint
ghlo_spirv_count_words (const GhloKernel *kernel)
{
  return GHLO_SPIRV_N_WORDS + kernel->n_buffers + kernel->n_axes;
}

/* Returns the bytes of scratch per invocation, G_MAXSIZE if there are too many. */
gsize   ghlo_spirv_scratch (const GhloKernel         *kernel);
/* Returns the first block with folds if it has parts that can be computed separately, with each of them what the blocks
 * before it compute; else NULL. */
const GhloKernelBlock *ghlo_spirv_block_of_parts (const GhloKernel *kernel);
/* The first returns the number of parts of that block, or 1. The second returns the bytes of scratch for the results of
 * the parts, G_MAXSIZE if there are too many. */
guint64 ghlo_spirv_count_parts (const GhloKernel         *kernel,
                                const gint64             *extents);
gsize   ghlo_spirv_parts_scratch (const GhloKernel       *kernel,
                                  guint64                 n_points,
                                  guint64                 n_parts);
/* Whether four elements of an access, at adjacent points along @axis, are adjacent and aligned, given that the buffers
 * of the bits in @aligned are aligned to 16 bytes. */
gboolean ghlo_spirv_may_be_four (const GhloKernel        *kernel,
                                 guint                    access,
                                 guint                    axis,
                                 guint64                  aligned);
/* Returns an upper bound of the bytes of shared memory that a workgroup needs for each of its points. */
gsize   ghlo_spirv_shared  (const GhloKernel         *kernel);
/* Returns the maximum number of iterations, over all loops together, that an invocation executes for a point or a part
 * of one; INFINITY if it depends on data. */
double  ghlo_spirv_count_iterations (const GhloKernel        *kernel,
                                     const gint64            *extents,
                                     const GhloSpirvSchedule *schedule);

G_END_DECLS
