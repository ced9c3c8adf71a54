/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SPIR-V of products of matrices in tensors: result[b, m, n] = sum over k of lhs[b, m, k] × rhs[b, k, n], where b, m, n
 * and k each stand for any number of dimensions. A workgroup computes one tile of the result of one batch: it stages
 * blocks of both operands in shared memory, as numbers of the accumulator's type, and each invocation accumulates some
 * rows and columns in registers. If there are few columns, lhs is streamed instead (GhloSpirvStream).
 *
 * Each sum runs over k in ascending order; in streams it is a sum of sums over interleaved parts of k. If k is split
 * into pieces, each piece writes a plane of results of its own, to be added elsewhere.
 *
 * Subgroups that multiply cooperative matrices take operands as they are, in pieces of 16 bytes. Both must be f16,
 * bf16, i8 or ui8; the accumulator is f32 or ui32. Matrices are 16 × k and k × 16, where k steps are 32 bytes. Devices
 * do not specify how these sums are rounded.
 *
 * Operands of f32 may be split into numbers of 16 bits, which are multiplied instead (GhloSpirvSplit).
 *
 * An epilogue (GhloSpirvEpilogue) processes each element of the result, rounded as it would be stored.
 */

#pragma once

#include "gpu/spirv/spirv.h"

G_BEGIN_DECLS

/* The tensors. */
enum
{
  GHLO_SPIRV_LHS,
  GHLO_SPIRV_RHS,
  GHLO_SPIRV_RESULT,
  GHLO_SPIRV_N_TENSORS
};

/* Roles of dimensions: in all three tensors; in lhs and result; in rhs and result; in lhs and rhs. */
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
  GHLO_SPIRV_MAX_DIMENSIONS   = 8,              /* per role */
  GHLO_SPIRV_MAX_WINDOWS      = 3,
  GHLO_SPIRV_N_FORMS          = GHLO_SPIRV_N_TENSORS + GHLO_SPIRV_MAX_WINDOWS,
  GHLO_SPIRV_PRODUCT_UNROLLED = 4,              /* steps of k that are unrolled */
  GHLO_SPIRV_MAX_ACCESSES     = 12,             /* per epilogue */
  GHLO_SPIRV_TOGETHER         = 4,              /* columns of the result that are written at once where possible */
};

/* The words after those of GhloSpirvWord. Next come the windows, a GhloSpirvProductWindow each, and the dimensions,
 * role by role and outermost first: the size of each, then a stride for each tensor and window. Then comes the
 * epilogue: the addresses of its accesses' first elements, then its own dimensions except for k: the size of each, then
 * a stride for each access. Sizes, numbers and positions have at most 31 bits. */
typedef enum
{
  GHLO_SPIRV_PRODUCT_ADDRESSES,                 /* of each tensor's first element */
  GHLO_SPIRV_PRODUCT_M = GHLO_SPIRV_PRODUCT_ADDRESSES + GHLO_SPIRV_N_TENSORS,
  GHLO_SPIRV_PRODUCT_N,
  GHLO_SPIRV_PRODUCT_K,
  GHLO_SPIRV_PRODUCT_BATCHES,
  GHLO_SPIRV_PRODUCT_PIECE,                     /* steps of k in each piece but the last: a multiple of the tile's */
  GHLO_SPIRV_PRODUCT_PLANE,                     /* bytes from the result of one piece to that of the next */
  GHLO_SPIRV_PRODUCT_FACTORS,                   /* addresses of f32 factors, one per row of lhs and per column of rhs in
                                                 * each batch; if the operands are planes */
  GHLO_SPIRV_PRODUCT_FLAG = GHLO_SPIRV_PRODUCT_FACTORS + 2,     /* address of a ui32 (GhloSpirvCondition) */
  GHLO_SPIRV_PRODUCT_ZEROS,                     /* room for 32 zero bytes aligned to 16, wherever the table begins; read
                                                 * in place of what is outside */
  GHLO_SPIRV_PRODUCT_N_WORDS = GHLO_SPIRV_PRODUCT_ZEROS + 5
} GhloSpirvProductWord;

/* Where an operand of a convolution ends along one of its dimensions. The position there is linear in the coordinates
 * of rows and of k, like addresses. Positions outside [0, extent), or not a multiple of the dilation, read 0. With
 * dilation, the element is at position / dilation × stride, which is not part of the address. */
typedef struct
{
  guint64 low;                                  /* subtracted from the position */
  guint64 extent, dilation;
  gint64  stride;                               /* bytes */
} GhloSpirvProductWindow;

typedef struct
{
  guint64 size;
  gint64  strides[GHLO_SPIRV_N_FORMS];          /* bytes, 0 for tensors without the dimension; then strides of positions
                                                 * in windows */
} GhloSpirvProductDimension;

/* What operands of f32 are multiplied as.
 *
 * Planes of f16 are computed beforehand. Each row of lhs and column of rhs is scaled by a power of two, and the result
 * is scaled back. A second plane holds the remainder of each element: 16 steps of k of the first plane are followed by
 * the same 16 of the second, a matrix each. k then counts the steps of all planes, and is a multiple of 32.
 *
 * Numbers of bf16, which has the exponent range of f32, are computed while the operands are staged. */
typedef enum
{
  GHLO_SPIRV_UNSPLIT,
  GHLO_SPIRV_ONE_PLANE,
  GHLO_SPIRV_TWO_PLANES,        /* high × high + high × low + low × high */
  GHLO_SPIRV_TWO_PLANES_STEPWISE,       /* the same, but 16 steps of k at a time are summed separately and added to the
                                         * total as f32, since matrices' own sums may be rounded towards 0 */
  GHLO_SPIRV_BF16,              /* rounded to nearest even */
  GHLO_SPIRV_BF16_X3,           /* two per element, multiplied like two planes */
} GhloSpirvSplit;

/* Whether a product is computed at all. */
typedef enum
{
  GHLO_SPIRV_ALWAYS,
  GHLO_SPIRV_IF_FLAGGED,        /* if the flag is not 0 */
  GHLO_SPIRV_UNLESS_FLAGGED,
} GhloSpirvCondition;

/* All numbers are powers of two. */
typedef struct
{
  guint n_row_threads, n_column_threads;        /* invocations, or subgroups */
  guint n_rows, n_columns;                      /* per invocation, and not 2; per subgroup, multiples of 16 */
  guint n_inner;                                /* steps of k that are staged at once; at least 4 */
} GhloSpirvTile;

/* An epilogue. Each of its accesses has strides along rows, columns and batches, like tensors. It is known which of
 * them are 0, so that operands that are the same for all rows are read once. */
typedef struct
{
  const GhloKernel *kernel;                     /* expanded; a single block without axes of its own. A load of buffer 0
                                                 * is the current element. The other accesses have no terms; their
                                                 * strides and offsets are in the table */
  const GhloKernel *unexpanded;                 /* the same before expansion; NULL: there is no fast path */
  guint8            n_dimensions[GHLO_SPIRV_INNER];     /* by role */
  guint8            spans[GHLO_SPIRV_MAX_ACCESSES];     /* for each access, bits of the roles that it has strides
                                                         * along */
  guint16           adjacent;                   /* bits of accesses in which every four columns are contiguous and
                                                 * aligned to their size */
} GhloSpirvEpilogue;

/* A product that streams lhs (product-stream.c). All numbers are powers of two. */
typedef struct
{
  guint n_inner_threads;                        /* invocations of a workgroup along k, for each along rows; 0: operands
                                                 * are staged instead */
  guint n_inner, n_chunks;                      /* adjacent steps of k of a chunk; chunks of an iteration */
  guint widths[2];                              /* elements per load, by operand, along k or across it as
                                                 * is_inner_adjacent says; loads of several are of at most 16 bytes and
                                                 * aligned to their size */
} GhloSpirvStream;

/* The most rows or columns of an invocation of a stream, steps of a chunk, and chunks. */
enum { GHLO_SPIRV_STREAM_ROWS = 16, GHLO_SPIRV_STREAM_INNER = 16, GHLO_SPIRV_STREAM_CHUNKS = 8 };

/* All that a module depends on. */
typedef struct
{
  GhloSpirvTile   tile;
  GhloElementType types[GHLO_SPIRV_N_TENSORS];
  GhloElementType accumulator;                  /* f32 or f64; ui32 or ui64 for all integers, whose sums wrap; i1:
                                                 * products are "and", sums "or" */
  guint8          n_dimensions[GHLO_SPIRV_N_ROLES];
  gboolean        is_inner_adjacent[2];         /* by operand: elements along k are closer together than those along
                                                 * rows or columns, and are read together */
  guint8          n_windows;
  guint8          windowed;                     /* the operand that has the windows */
  gboolean        is_dilated;                   /* at least one window is */
  gboolean        is_rounded_twice;             /* for floats: products are rounded before they are added */
  GhloSpirvCondition condition;
  const GhloSpirvEpilogue *epilogue;            /* borrowed; nullable */
  gboolean        is_dropped;                   /* only the epilogue uses the result; it is not stored */
  GhloSpirvStream stream;
  /* For cooperative matrices. */
  guint           subgroup;                     /* invocations of a subgroup that multiplies them; 0: each invocation
                                                 * multiplies scalars */
  gboolean        is_emulated;                  /* with scalar code, for devices without matrices: slow */
  guint           n_steps[2];                   /* of a block, by operand: 1, 2 or 4 */
  guint           distance;                     /* prefetch distance: steps from fetching a part of a block to staging
                                                 * it. 1, 2, or a multiple of GHLO_SPIRV_ROUND, by whose rounds the loop
                                                 * over k is then unrolled; GHLO_SPIRV_MAX_DISTANCE at most */
  guint           n_matrices;                   /* along k, that a step multiplies: 1, or 2 with GHLO_SPIRV_BF16_X3 */
  gboolean        has_whole_tiles;              /* rows, columns and k have one dimension each, one of the first two
                                                 * at least one full tile, and rounds are whole. The last tiles end with
                                                 * the last piece, and recompute what others have computed */
  gboolean        is_short[2];                  /* with whole tiles, by operand: its rows or columns may be fewer than
                                                 * those of a tile, which then repeats the last one */
  gboolean        has_whole_vectors;            /* and also every four columns of the result, unless that is dropped,
                                                 * are contiguous and aligned to their size */
  GhloSpirvSplit  split;
} GhloSpirvProduct;

/* The extent of a matrix other than along k; the bytes of one along k, and of a piece; the steps of a round of the loop
 * over k; and the maximum prefetch distance, in steps. */
enum
{
  GHLO_SPIRV_MATRIX = 16, GHLO_SPIRV_MATRIX_BYTES = 32, GHLO_SPIRV_PIECE_BYTES = 16,
  GHLO_SPIRV_ROUND = 4, GHLO_SPIRV_MAX_DISTANCE = 3 * GHLO_SPIRV_ROUND
};

/* Whether the operands are planes that were computed beforehand. */
static inline gboolean
ghlo_spirv_takes_planes (GhloSpirvSplit split)
{
  return split >= GHLO_SPIRV_ONE_PLANE && split <= GHLO_SPIRV_TWO_PLANES_STEPWISE;
}

/* Whether planes are computed while the operands are staged. */
static inline gboolean
ghlo_spirv_makes_planes (GhloSpirvSplit split)
{
  return split >= GHLO_SPIRV_BF16;
}

/* Planes of an operand, whether in memory or only in shared memory. */
static inline guint
ghlo_spirv_n_planes (GhloSpirvSplit split)
{
  const gboolean has_two = split == GHLO_SPIRV_TWO_PLANES || split == GHLO_SPIRV_TWO_PLANES_STEPWISE
                           || split == GHLO_SPIRV_BF16_X3;

  return has_two ? 2 : 1;
}

/* The component type of the operands' matrices. */
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

/* Steps of k, as stored in memory, that one step of matrices covers. */
static inline guint
ghlo_spirv_step (const GhloSpirvProduct *self)
{
  const guint n_planes = ghlo_spirv_takes_planes (self->split) ? ghlo_spirv_n_planes (self->split) : 1;

  return ghlo_spirv_matrix_inner (self) * n_planes * self->n_matrices;
}

/* The number of words in the table after those of GhloSpirvWord, without the epilogue's, which come next. */
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
  return self->tile.n_row_threads * self->tile.n_column_threads * MAX (self->subgroup, 1)
         * MAX (self->stream.n_inner_threads, 1);
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

/* Returns a module whose entry point is "main", for workgroups of one tile each, numbered by tiles first, then by
 * batches, then by pieces of k. */
GBytes     *ghlo_spirv_emit_product    (const GhloSpirvProduct *product,
                                        const GhloSpirvFloats  *floats);
/* Returns the bytes of shared memory per workgroup. */
gsize       ghlo_spirv_product_shared  (const GhloSpirvProduct *product);
/* Returns how a tensor's elements are converted to the accumulator's type or from it: an expanded kernel of one point,
 * transfer full; NULL if they are not converted. */
GhloKernel *ghlo_spirv_product_convert (const GhloSpirvProduct *product,
                                        guint                   tensor);

G_END_DECLS
