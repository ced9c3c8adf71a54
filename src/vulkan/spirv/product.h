/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SPIR-V of products of matrices in tensors: result[b, m, n] = sum over k of lhs[b, m, k] × rhs[b, k, n], where each of
 * b, m, n and k is any number of dimensions. A workgroup does one tile of the result of one batch: it stages blocks of
 * both operands in shared memory, as numbers of the accumulator's type, and each of its invocations has some rows and
 * columns in registers.
 *
 * Each sum goes through k in ascending order. Where k is cut into pieces, each is a plane of results of its own, for
 * somebody else to add.
 *
 * Subgroups that multiply cooperative matrices take operands as they are, in pieces of 16 bytes. Both are f16, bf16, i8
 * or ui8; the accumulator is f32 or ui32. The matrices are 16 × k and k × 16, where k steps are 32 bytes. Of the sums'
 * rounding a device says nothing.
 *
 * Operands of f32 may be split into numbers of 16 bits, which are multiplied as such (GhloSpirvSplit).
 *
 * An epilogue (GhloSpirvEpilogue) has each element of the result at hand, rounded as it would be written.
 */

#pragma once

#include "vulkan/spirv/spirv.h"

G_BEGIN_DECLS

/* Of the tensors. */
enum
{
  GHLO_SPIRV_LHS,
  GHLO_SPIRV_RHS,
  GHLO_SPIRV_RESULT,
  GHLO_SPIRV_N_TENSORS
};

/* What dimensions are: of all three tensors, of lhs and result, of rhs and result, of lhs and rhs. */
typedef enum
{
  GHLO_SPIRV_BATCH,
  GHLO_SPIRV_ROWS,
  GHLO_SPIRV_COLUMNS,
  GHLO_SPIRV_INNER,
  GHLO_SPIRV_N_ROLES
} GhloSpirvRole;

enum
{
  GHLO_SPIRV_MAX_DIMENSIONS   = 8,              /* of a role */
  GHLO_SPIRV_MAX_WINDOWS      = 3,
  GHLO_SPIRV_N_FORMS          = GHLO_SPIRV_N_TENSORS + GHLO_SPIRV_MAX_WINDOWS,
  GHLO_SPIRV_PRODUCT_UNROLLED = 4,              /* steps of k that code is repeated for */
  GHLO_SPIRV_MAX_ACCESSES     = 12,             /* of an epilogue */
  GHLO_SPIRV_TOGETHER         = 4,              /* columns of the result that are written at once where they can be */
};

/* The words behind those of GhloSpirvWord. Behind these come the windows, of which each has a GhloSpirvProductWindow,
 * and the dimensions, outermost first, those of one role after those of another: of each its size, and as many strides
 * as there are tensors and windows. Then the epilogue: the addresses of its accesses' first elements, and dimensions of
 * its own, but for k: of each its size, and the strides of all accesses. Sizes, numbers and positions have at most 31
 * bits. */
typedef enum
{
  GHLO_SPIRV_PRODUCT_ADDRESSES,                 /* of each tensor's first element */
  GHLO_SPIRV_PRODUCT_M = GHLO_SPIRV_PRODUCT_ADDRESSES + GHLO_SPIRV_N_TENSORS,
  GHLO_SPIRV_PRODUCT_N,
  GHLO_SPIRV_PRODUCT_K,
  GHLO_SPIRV_PRODUCT_BATCHES,
  GHLO_SPIRV_PRODUCT_PIECE,                     /* steps of k in each piece but the last: a multiple of the tile's */
  GHLO_SPIRV_PRODUCT_PLANE,                     /* bytes from one piece's result to the next one's */
  GHLO_SPIRV_PRODUCT_FACTORS,                   /* addresses of f32: of lhs one for each row of each batch, of rhs one
                                                 * for each column; where the operands are split */
  GHLO_SPIRV_PRODUCT_FLAG = GHLO_SPIRV_PRODUCT_FACTORS + 2,     /* address of a ui32 (GhloSpirvCondition) */
  GHLO_SPIRV_PRODUCT_ZEROS,                     /* 32 bytes from a multiple of 16 on, wherever the table begins; read in
                                                 * the place of what is not there */
  GHLO_SPIRV_PRODUCT_N_WORDS = GHLO_SPIRV_PRODUCT_ZEROS + 5
} GhloSpirvProductWord;

/* Where an operand of a convolution ends in one of its dimensions. The position there is linear in the coordinates of
 * rows and of k, as addresses are; what is not in [0, extent), or at no multiple of the dilation, is 0. Where there is
 * dilation, elements lie at position / dilation × stride, and addresses leave that out. */
typedef struct
{
  guint64 low;                                  /* what is taken off the position */
  guint64 extent, dilation;
  gint64  stride;                               /* bytes */
} GhloSpirvProductWindow;

typedef struct
{
  guint64 size;
  gint64  strides[GHLO_SPIRV_N_FORMS];          /* bytes, 0 of a tensor without it; then of windows' positions */
} GhloSpirvProductDimension;

/* What operands of f32 are multiplied as.
 *
 * Planes of f16 are made beforehand. Each row of lhs and column of rhs is multiplied by a power of two, and the result
 * by what undoes that. A second plane has what the first leaves of each element: behind 16 steps of k of the first come
 * the same 16 of the second, a matrix each. k counts the steps of all planes, and is a multiple of 32 then.
 *
 * Numbers of bf16, which has the exponents of f32, are made while the operands are staged. */
typedef enum
{
  GHLO_SPIRV_WHOLE,             /* as they are */
  GHLO_SPIRV_ONE_PLANE,
  GHLO_SPIRV_TWO_PLANES,        /* high × high + high × low + low × high */
  GHLO_SPIRV_TWO_PLANES_APART,  /* the same, 16 steps of k summed up apart and added to the others as f32: matrices'
                                 * own sums may be rounded towards 0 */
  GHLO_SPIRV_BF16,              /* rounded to nearest even */
  GHLO_SPIRV_BF16_X3,           /* two for each element, multiplied as two planes are */
} GhloSpirvSplit;

/* When a product is done at all. */
typedef enum
{
  GHLO_SPIRV_ALWAYS,
  GHLO_SPIRV_IF_FLAGGED,        /* the flag is not 0 */
  GHLO_SPIRV_UNLESS_FLAGGED,
} GhloSpirvCondition;

/* All numbers are powers of two. */
typedef struct
{
  guint n_row_threads, n_column_threads;        /* invocations, or subgroups */
  guint n_rows, n_columns;                      /* of one of them; not 2; of a subgroup multiples of 16 */
  guint n_inner;                                /* steps of k that are staged at once; 4 at least */
} GhloSpirvTile;

/* What becomes of the result. An access has a place for each row, column and batch, as tensors have; which of the words
 * are 0 is known, so that what is the same for all rows is read once. */
typedef struct
{
  const GhloKernel *kernel;                     /* an expanded one: one block without axes of its own. Of buffer 0 it
                                                 * loads the element at hand. Its other accesses have no terms; strides
                                                 * and offsets are the table's. */
  const GhloKernel *whole;                      /* the same with its functions; NULL: it is done in no other way */
  guint8            n_dimensions[GHLO_SPIRV_INNER];     /* by roles */
  guint8            spans[GHLO_SPIRV_MAX_ACCESSES];     /* bits of the roles that an access has strides along */
  guint16           adjacent;                   /* bits of accesses: every four columns are adjacent, and begin at a
                                                 * multiple of their size */
} GhloSpirvEpilogue;

/* What a module depends on. */
typedef struct
{
  GhloSpirvTile   tile;
  GhloElementType types[GHLO_SPIRV_N_TENSORS];
  GhloElementType accumulator;                  /* f32, f64; ui32 and ui64 for all integers, whose sums wrap; i1:
                                                 * products are "and", sums "or" */
  guint8          n_dimensions[GHLO_SPIRV_N_ROLES];
  gboolean        is_inner_adjacent[2];         /* of an operand: neighbours along k lie closer than those along its
                                                 * rows or columns, and are read together */
  guint8          n_windows;
  guint8          windowed;                     /* the operand that these are of */
  gboolean        is_dilated;                   /* one of them is */
  gboolean        is_rounded_twice;             /* floats: products are rounded before they are added */
  GhloSpirvCondition condition;
  const GhloSpirvEpilogue *epilogue;            /* borrowed; NULL: none */
  gboolean        is_dropped;                   /* the result is the epilogue's alone: it is not written */
  /* Of cooperative matrices. */
  guint           subgroup;                     /* invocations of a subgroup, which multiplies them; 0: each invocation
                                                 * multiplies numbers */
  gboolean        is_emulated;                  /* by numbers of invocations, for devices without matrices: slow */
  guint           n_steps[2];                   /* of an operand's block: 1, 2 or 4 */
  guint           distance;                     /* prefetch distance: steps from where a part of a block is fetched to
                                                 * where it is staged. 1, 2, or whole rounds, of which the loop over k
                                                 * has as many side by side then; GHLO_SPIRV_MAX_DISTANCE at most */
  guint           n_matrices;                   /* along k, that a step multiplies: 1, or 2 of GHLO_SPIRV_BF16_X3 */
  gboolean        has_whole_tiles;              /* rows, columns and k are one dimension each, there is a tile of them
                                                 * at least, and rounds are whole. The last tiles end with the last
                                                 * piece, and do again what others have done */
  gboolean        has_whole_vectors;            /* and every four columns of the result, unless that is dropped, are
                                                 * adjacent and begin at a multiple of their size */
  GhloSpirvSplit  split;
} GhloSpirvProduct;

/* A matrix' rows or columns that are not along k; a round of the loop over k, in steps of matrices; and how far ahead
 * of being staged blocks may be fetched, likewise. */
enum
{
  GHLO_SPIRV_MATRIX = 16, GHLO_SPIRV_MATRIX_BYTES = 32, GHLO_SPIRV_PIECE_BYTES = 16,
  GHLO_SPIRV_ROUND = 4, GHLO_SPIRV_MAX_DISTANCE = 3 * GHLO_SPIRV_ROUND
};

/* Whether the operands are planes that were made of others. */
static inline gboolean
ghlo_spirv_takes_planes (GhloSpirvSplit split)
{
  return split >= GHLO_SPIRV_ONE_PLANE && split <= GHLO_SPIRV_TWO_PLANES_APART;
}

/* Whether planes are made while the operands are staged. */
static inline gboolean
ghlo_spirv_makes_planes (GhloSpirvSplit split)
{
  return split >= GHLO_SPIRV_BF16;
}

/* Planes of an operand, in memory or in shared memory alone. */
static inline guint
ghlo_spirv_n_planes (GhloSpirvSplit split)
{
  return split == GHLO_SPIRV_TWO_PLANES || split == GHLO_SPIRV_TWO_PLANES_APART || split == GHLO_SPIRV_BF16_X3 ? 2 : 1;
}

/* What matrices of operands consist of. */
static inline GhloElementType
ghlo_spirv_component (const GhloSpirvProduct *self)
{
  return ghlo_spirv_makes_planes (self->split) ? GHLO_ELEMENT_TYPE_BF16 : self->types[GHLO_SPIRV_LHS];
}

/* Elements of a piece, and steps of k of a matrix. */
static inline guint
ghlo_spirv_piece (const GhloSpirvProduct *self)
{
  return GHLO_SPIRV_PIECE_BYTES / ghlo_element_info (ghlo_spirv_component (self))->size;
}

static inline guint
ghlo_spirv_matrix_inner (const GhloSpirvProduct *self)
{
  return GHLO_SPIRV_MATRIX_BYTES / ghlo_element_info (ghlo_spirv_component (self))->size;
}

/* Steps of k, as memory has them, that matrices do at once. */
static inline guint
ghlo_spirv_step (const GhloSpirvProduct *self)
{
  const guint n_planes = ghlo_spirv_takes_planes (self->split) ? ghlo_spirv_n_planes (self->split) : 1;

  return ghlo_spirv_matrix_inner (self) * n_planes * self->n_matrices;
}

/* Words of the table behind those of GhloSpirvWord, but for the epilogue's, which come next. */
static inline guint
ghlo_spirv_product_words (const GhloSpirvProduct *self)
{
  guint n = GHLO_SPIRV_PRODUCT_N_WORDS + self->n_windows * (guint) (sizeof (GhloSpirvProductWindow) / sizeof (guint64));

  for (guint role = 0; role < GHLO_SPIRV_N_ROLES; role++)
    n += self->n_dimensions[role] * (1u + GHLO_SPIRV_N_TENSORS + self->n_windows);

  return n;
}

/* Invocations of a workgroup. */
static inline guint
ghlo_spirv_product_threads (const GhloSpirvProduct *self)
{
  return self->tile.n_row_threads * self->tile.n_column_threads * MAX (self->subgroup, 1);
}

static inline guint
ghlo_spirv_tile_rows (const GhloSpirvTile *self)
{
  return self->n_row_threads * self->n_rows;
}

static inline guint
ghlo_spirv_tile_columns (const GhloSpirvTile *self)
{
  return self->n_column_threads * self->n_columns;
}

/* A module whose entry point is "main", for workgroups of one tile each, which are numbered tile after tile, then batch
 * after batch, then piece after piece of k. */
GBytes     *ghlo_spirv_emit_product    (const GhloSpirvProduct *product,
                                        const GhloSpirvFloats  *floats);
/* Bytes of shared memory that a workgroup takes. */
gsize       ghlo_spirv_product_shared  (const GhloSpirvProduct *product);
/* What becomes of a tensor's elements on their way to the accumulator or from there: an expanded kernel of one point,
 * which the caller frees; NULL where they stay what they are. */
GhloKernel *ghlo_spirv_product_convert (const GhloSpirvProduct *product,
                                        guint                   tensor);

G_END_DECLS
