/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorting on a device: finds the order of the elements of each line by their keys. Short lines are sorted in shared
 * memory, long ones by a least-significant-digit radix sort with digits of up to 10 bits. Both are stable and yield the
 * CPU's order.
 */

#pragma once

#include "gpu/shaders.h"
#include "kernel/sort-comparator.h"

G_BEGIN_DECLS

typedef struct
{
  GhloGpuDevice            *device;
  const GhloSortComparator *comparator;         /* borrowed */
  gsize                     n, n_lines;         /* elements per line, and lines */
  gsize                     inner;              /* number of interleaved lines: the stride between the elements of a
                                                 * line */
  gsize                     n_tiles;            /* per line */
  guint                     carried;            /* size of the elements that are moved with their keys, the only
                                                 * operand; 0: their numbers are */
  guint                     tile_items;         /* elements of a tile for each invocation */
  guint                     max_digits, most_digits;    /* that shaders have room for, and of a pass; powers of two */
  guint                     key_bits;           /* number of low bits that may be set in the only key; 0: all */
  gboolean                  is_short;
  guint32                   partial_keys;       /* bits of the float keys whose comparison leaves NaN unordered */
  /* Offsets in the scratch, and its size in bytes. */
  gsize                     orders[2], keys[2], counts, totals, ranks, flags, runs[2], scratch;
  /* Indexed by shader, then by the logarithm of the key's size for shaders that depend on it. NULL where not
   * needed. */
  GhloVulkanPipeline       *pipelines[GHLO_GPU_N_SHADERS][4];
} GhloGpuSort;

/* Returns NULL, or a static string that says why the device does not sort such lines. */
const char         *ghlo_gpu_sort_init     (GhloGpuSort               *self,
                                            GhloGpuDevice             *device,
                                            const GhloSortComparator  *comparator,
                                            gsize                      n,
                                            gsize                      n_lines,
                                            gsize                      inner,
                                            guint                      key_bits);
/* Whether elements of @size bytes, the only operand, are moved with their keys: the result needs no permutation. */
gboolean            ghlo_gpu_sort_carry    (GhloGpuSort               *self,
                                            guint                      size);
gboolean            ghlo_gpu_sort_compile  (GhloGpuSort               *self,
                                            GError                   **error);
/* Records the sort. @operands, indexed as the comparator does, @result, if elements are carried, and @scratch are
 * encoded places. Returns the place of the order, within the scratch, for ghlo_gpu_sort_permute (). */
guint64             ghlo_gpu_sort_record   (const GhloGpuSort         *self,
                                            const guint64             *operands,
                                            guint64                    result,
                                            guint64                    scratch,
                                            GhloGpuRecording          *recording);
/* Returns the number of values of the first digit, by which pairs of at most key_bits bits are sorted; 0: they are
 * sorted otherwise. */
guint               ghlo_gpu_sort_count_digits (const GhloGpuSort     *self);
/* Records the sort of one line of pairs: a key of 32 bits at *@keys, and a number of 32 bits at *@order, unless that is
 * 0: then it is the number of the pair. Both may be the second of the scratch's @keys and @orders. If there are digits,
 * @counts has those of the first one. Sets where the sorted ones are. */
void                ghlo_gpu_sort_pairs    (const GhloGpuSort         *self,
                                            guint64                   *keys,
                                            guint64                   *order,
                                            guint64                    scratch,
                                            GhloGpuRecording          *recording);
/* The first returns the pipeline for elements of @size bytes. The second writes the first @n_kept elements of each line
 * of @operand in sorted order; if @operand is 0, it writes their indices as i32. */
GhloVulkanPipeline *ghlo_gpu_sort_permuter (const GhloGpuSort         *self,
                                            guint                      size,
                                            GError                   **error);
void                ghlo_gpu_sort_permute  (const GhloGpuSort         *self,
                                            GhloVulkanPipeline        *permuter,
                                            guint64                    order,
                                            guint64                    operand,
                                            guint64                    result,
                                            gsize                      n_kept,
                                            GhloGpuRecording          *recording);

G_END_DECLS
