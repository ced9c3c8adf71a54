/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SPIR-V of attention: result[b, m, n] = sum over l of softmax over l (logits (sum over k of queries[b, m, k] × keys[b,
 * l, k])) × values[b, l, n]. A workgroup has some rows of one batch, and iterates over blocks of keys and values. For
 * each row it keeps the maximum of the logits and the sum of their powers so far. Where a block raises the maximum,
 * both that sum and the accumulated values are rescaled accordingly (the online softmax of flash attention), so scores
 * are never written to memory.
 *
 * Operands are staged in shared memory, in vectors of 16 bytes: as components of cooperative matrices, or as f32 where
 * invocations multiply scalars. Each subgroup has 16 rows; where several have the same rows, they share out the columns
 * of a block. All sums are f32.
 */

#pragma once

#include "gpu/spirv/product.h"

G_BEGIN_DECLS

/* The tensors; also used as bit numbers. */
enum
{
  GHLO_SPIRV_QUERIES,
  GHLO_SPIRV_KEYS,
  GHLO_SPIRV_VALUES,
  GHLO_SPIRV_OUTPUT,
};

/* The maximum number of vectors of a block per invocation where blocks are fetched ahead, and the maximum number of
 * features and of columns of a group. */
enum { GHLO_SPIRV_ATTENTION_MAX_HELD = 64, GHLO_SPIRV_ATTENTION_MAX_COLUMNS = 256 };

/* All that a module depends on. Both products have the same batches and rows, though these may be merged
 * differently. */
typedef struct
{
  GhloSpirvProduct scores;              /* queries × keys; the result's type is that of the scores. The epilogue turns
                                         * them into logits, which are its only store */
  GhloSpirvProduct values;              /* weights × values; the type of lhs is that of the logits */
  GhloElementType  component;           /* type of operands in shared memory: bf16, f16 or f32 */
  guint            n_planes;            /* 2 if each element is split into two numbers of bf16 (GHLO_SPIRV_BF16_X3) */
  guint            n_rows, n_length;    /* per workgroup, and per block: multiples of 16 */
  guint            n_features, n_columns;       /* rounded up to multiples of 16; columns also to a multiple of their
                                                 * groups */
  guint            n_column_groups;     /* subgroups that share the same rows: 1 or 2 */
  guint            subgroup;            /* invocations of a subgroup that multiplies matrices; 0: groups of 16
                                         * invocations multiply scalars, with a row each */
  gboolean         is_ahead;            /* blocks are fetched into variables ahead of being staged */
  guint8           fours;               /* bits of tensors in which every four elements of a row are contiguous and
                                         * aligned to their size */
  gboolean         has_empty_rows;      /* rows without any key are 0, instead of NaN */
  guint8           across;              /* bits of tensors in which rows are closer together than the elements of a
                                         * row */
} GhloSpirvAttention;

/* Invocations of a group that has 16 rows, and of a workgroup. */
static inline guint
ghlo_spirv_attention_lanes (const GhloSpirvAttention *self)
{
  return self->subgroup > 0 ? self->subgroup : GHLO_SPIRV_MATRIX;
}

static inline guint
ghlo_spirv_attention_threads (const GhloSpirvAttention *self)
{
  return self->n_rows / GHLO_SPIRV_MATRIX * self->n_column_groups * ghlo_spirv_attention_lanes (self);
}

/* Returns the offset of the second product's words in the table, after those of GhloSpirvWord. They follow the words of
 * the scores and of their epilogue. */
guint   ghlo_spirv_attention_second (const GhloSpirvAttention *self);
/* Whether the invocations can share out rows as the emitter requires. */
gboolean ghlo_spirv_attention_fits  (const GhloSpirvAttention *self);
/* Returns the bytes of shared memory per workgroup. */
gsize   ghlo_spirv_attention_shared (const GhloSpirvAttention *self);
/* Returns a module whose entry point is "main". Workgroups are numbered by rows first, then by batches. */
GBytes *ghlo_spirv_emit_attention   (const GhloSpirvAttention *self,
                                     const GhloSpirvFloats    *floats);

G_END_DECLS
