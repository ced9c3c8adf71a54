/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SPIR-V of attention: result[b, m, n] = sum over l of softmax over l (logits (sum over k of queries[b, m, k] ×
 * keys[b, l, k])) × values[b, l, n]. A workgroup has some rows of one batch, and goes over keys and values in blocks.
 * Of each row it keeps the maximum of the logits and the sum of their powers so far; where a block raises the maximum,
 * both the sum and what was added up of the values are multiplied by what that makes of earlier powers (the online
 * softmax of flash attention). So scores are never in memory.
 *
 * Operands lie in shared memory, in vectors of 16 bytes: as components of cooperative matrices, or as f32 where
 * invocations multiply numbers. Subgroups have 16 rows each, and share out columns of a block where several have the
 * same rows. All sums are f32.
 */

#pragma once

#include "vulkan/spirv/product.h"

G_BEGIN_DECLS

/* Of the tensors, as bits. */
enum
{
  GHLO_SPIRV_QUERIES,
  GHLO_SPIRV_KEYS,
  GHLO_SPIRV_VALUES,
  GHLO_SPIRV_OUTPUT,
};

/* Vectors of a block that an invocation may bring where they are fetched ahead; features, and columns of a group. */
enum { GHLO_SPIRV_ATTENTION_MAX_HELD = 64, GHLO_SPIRV_ATTENTION_MAX_COLUMNS = 256 };

/* What a module depends on. Both products have batches and rows alike, though they may be merged otherwise. */
typedef struct
{
  GhloSpirvProduct scores;              /* queries by keys; the result's type is that of the scores, and the epilogue
                                         * what makes logits of them, the only thing that it stores, if anything does */
  GhloSpirvProduct values;              /* weights by values; the type of lhs is that of the logits */
  GhloElementType  component;           /* of operands in shared memory: bf16, f16 or f32 */
  guint            n_planes;            /* 2 where each element is two numbers of bf16 (GHLO_SPIRV_BF16_X3) */
  guint            n_rows, n_length;    /* of a workgroup, and of a block: multiples of 16 */
  guint            n_features, n_columns;       /* at least as many as there are, in multiples of 16; of columns also
                                                 * of their groups */
  guint            n_column_groups;     /* subgroups that have the same rows: 1 or 2 */
  guint            subgroup;            /* invocations of a subgroup, which multiplies matrices; 0: numbers, by groups
                                         * of 16 invocations with a row each */
  gboolean         is_ahead;            /* blocks are fetched before they are staged */
  guint8           fours;               /* bits of tensors: every four neighbours of a row are adjacent, and begin at a
                                         * multiple of their size */
  guint8           across;              /* rows lie closer to each other than neighbours of a row */
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

/* Words of the table behind those of GhloSpirvWord: the scores' with their epilogue's, then the values'. */
guint   ghlo_spirv_attention_second (const GhloSpirvAttention *self);
/* Whether invocations can share out rows as they have to. */
gboolean ghlo_spirv_attention_fits  (const GhloSpirvAttention *self);
/* Bytes of shared memory that a workgroup takes. */
gsize   ghlo_spirv_attention_shared (const GhloSpirvAttention *self);
/* A module whose entry point is "main", for workgroups that are numbered rows after rows, then batch after batch. */
GBytes *ghlo_spirv_emit_attention   (const GhloSpirvAttention *self,
                                     const GhloSpirvFloats    *floats);

G_END_DECLS
