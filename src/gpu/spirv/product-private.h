/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the parts of the emitter of products. Sizes, numbers and indices are 32 bits wide, addresses 64.
 */

#pragma once

#include "gpu/spirv/emit-private.h"
#include "gpu/spirv/product.h"

G_BEGIN_DECLS

enum
{
  GHLO_SPIRV_MAX_FETCHED = 64,          /* elements of an operand per invocation and block of k */
  GHLO_SPIRV_MAX_ROWS    = 8,           /* rows or columns per invocation */
  GHLO_SPIRV_MAX_PIECES  = 32,          /* pieces of a block per invocation */
  GHLO_SPIRV_MAX_SPAN    = 4,           /* matrices per subgroup along its rows or columns */
  GHLO_SPIRV_MAX_BODY    = GHLO_SPIRV_MAX_DISTANCE / GHLO_SPIRV_ROUND,  /* rounds in the body of the loop over k */
  GHLO_SPIRV_MAX_STARTS  = 3 + GHLO_SPIRV_MAX_BODY,     /* rounds, including the current one, that a round fetches
                                                         * from */
};

/* Vectors of 16 bytes needed for a row of adjacent matrices of sums. The padding places rows in different banks. */
static inline guint
ghlo_spirv_matrices_size (guint n_matrices)
{
  return GHLO_SPIRV_MATRIX * (n_matrices * GHLO_SPIRV_MATRIX / GHLO_SPIRV_TOGETHER + 1);
}

/* One operand, and the rows or columns of the tile along it. */
typedef struct
{
  guint         tensor;
  GhloSpirvRole role;
  guint         n_threads, n_each;      /* invocations along the side, and rows or columns of each */
  guint         extent;                 /* of the tile: the product of both */
  guint         length;                 /* elements of a block along the contiguous dimension: a power of two */
  guint         width;                  /* elements of a vector in shared memory: 1 or 4, along the rows or columns */
  guint         pitch;                  /* vectors from one step of k to the next */
  guint         n_vectors;              /* of the array in shared memory */
  Id            vector;                 /* type */
  Id            thread;                 /* index of the invocation along the side */
  Id            first, count;           /* index of the tile's first row or column; their number in the whole operand */
  Id            shared;                 /* variable, an array of vectors */

  guint         n_fetched;              /* elements per invocation */
  gboolean      fetches_few;            /* fewer elements than invocations */
  Id            low, high;              /* position of the invocation's first element along the contiguous dimension,
                                         * and across; 0: none */
  guint         n_windows;
  Id            bases[GHLO_SPIRV_MAX_FETCHED];          /* addresses, at step 0 of k */
  Id            positions[GHLO_SPIRV_MAX_FETCHED][GHLO_SPIRV_MAX_WINDOWS];      /* positions in windows, likewise */
  Id            variables[GHLO_SPIRV_MAX_FETCHED];      /* fetched, but not staged yet */
} SpirvSide;

/* An operand in pieces of 16 bytes, for matrices. Where planes are computed from it, a piece has 16 bytes in each
 * plane, and 32 bytes in memory. A block is some steps of k; a step is one matrix of each plane. Shared memory holds
 * two blocks, as rows of pieces along the contiguous dimension: one is multiplied while the other is staged. A block is
 * fetched in as many parts as it has steps, each with an equal number of rows of pieces; one part is fetched per
 * step. */
typedef struct
{
  guint     tensor;
  gboolean  is_inner_adjacent;          /* contiguous along k */
  guint     unit;                       /* elements per piece */
  guint     width;                      /* steps of k per step, over all planes */
  guint     n_steps;                    /* per block */
  guint     length;                     /* pieces per row: a power of two */
  guint     n_across;                   /* rows per part */
  guint     pitch;                      /* pieces from one row to the next: the length plus 1, so that rows start in
                                         * different banks */
  guint     n_loads;                    /* loads of 16 bytes per piece */
  guint     n_planes, plane;            /* planes computed from what is loaded; vectors per plane of a block */
  guint     n_vectors;                  /* per block */
  guint     n_shared;                   /* for both blocks; for lhs at least the size of a matrix of sums for each
                                         * subgroup */
  guint     n_fetchers;                 /* invocations that share out the pieces of a part */
  guint     n_fetched, n_between;       /* pieces of a part of each; rows between them */
  Id        vector, shared;             /* type; variable, an array of n_shared vectors */
  Id        low, high;                  /* the invocation's first piece: its position in the row, and its row in the
                                         * part */
  guint     n_windows;
  Id        bases[GHLO_SPIRV_MAX_PIECES];       /* addresses of the invocation's pieces at step 0 of k; offsets of their
                                                 * rows if the tile is whole, but short of rows */
  Id        positions[GHLO_SPIRV_MAX_PIECES][GHLO_SPIRV_MAX_WINDOWS];   /* positions in windows, likewise */
  Id        zeros;                      /* address of zeros, read in place of pieces outside the operand */
  Id        start;                      /* address of the invocation's first piece if the tile is inside */
  Id        across;                     /* bytes from one row of a part to the next, likewise */
  Id        held[GHLO_SPIRV_MAX_DISTANCE][GHLO_SPIRV_MAX_PIECES];       /* variables for parts that have been fetched,
                                                                         * but not staged yet */
} SpirvBlocks;

/* A round of the loop over k: GHLO_SPIRV_ROUND steps. */
typedef struct
{
  guint    number;                      /* index in the loop's body */
  Id       begin;                       /* first step of k; 32 bits */
  Id       parity;                      /* of its index among all rounds */
  gboolean is_inside;                   /* neither this round nor later ones access anything outside the operands */
  Id       starts[2][GHLO_SPIRV_MAX_STARTS];    /* if is_inside: SpirvBlocks.start at the first step of k of this round
                                                 * and the next ones, clamped to the last */
} SpirvRound;

/* The epilogue's words of the table. */
typedef struct
{
  Id addresses[GHLO_SPIRV_MAX_ACCESSES];        /* for the current batch */
  Id sizes[GHLO_SPIRV_INNER][GHLO_SPIRV_MAX_DIMENSIONS];
  Id strides[GHLO_SPIRV_INNER][GHLO_SPIRV_MAX_DIMENSIONS][GHLO_SPIRV_MAX_ACCESSES];
} SpirvEpilogue;

typedef struct
{
  Spirv                  *spirv;
  const GhloSpirvProduct *product;
  guint                   n_threads;
  guint                   first_word;   /* offset of the product's words in the table, after those of GhloSpirvWord */
  GhloKernel             *conversions[GHLO_SPIRV_N_TENSORS];    /* owned; nullable */
  /* The conversion of the result and the epilogue as expanded by ghlo_kernel_expand_fast (), which are tried first on
   * devices that flush subnormal numbers anyway; owned. fast_epilogue is NULL if it does not pay, fast_conversion if
   * elements must be exact. */
  GhloKernel             *fast_conversion, *fast_epilogue;
  guint                   sentinel;     /* node of fast_epilogue */
  GhloElementType         number;       /* element type of the accumulator; ui32 with values 0 and 1 if that is i1 */
  Id                      element;      /* the SPIR-V type of @number */
  Id                      words[GHLO_SPIRV_PRODUCT_N_WORDS];    /* read from the table */
  Id                      addresses[GHLO_SPIRV_N_TENSORS];      /* for the current batch */
  Id                      sizes[GHLO_SPIRV_N_ROLES][GHLO_SPIRV_MAX_DIMENSIONS];
  Id                      strides[GHLO_SPIRV_N_ROLES][GHLO_SPIRV_MAX_DIMENSIONS][GHLO_SPIRV_N_FORMS];
  struct { Id low, extent, dilation, stride; } windows[GHLO_SPIRV_MAX_WINDOWS];
  Id                      lane;         /* 32 bits */
  Id                      begin, end;   /* steps of k of the current piece */
  Id                      factors[2];   /* addresses, for the current batch; if the operands are split into planes */
  Id                      batch;        /* 32 bits */
  SpirvSide               sides[2];     /* lhs and rhs */
  SpirvEpilogue           epilogue;     /* set once sums are computed */
} SpirvProduct;

/* product.c */
Id   ghlo_spirv_u32              (Spirv              *self,
                                  guint               value);
Id   ghlo_spirv_add_u32          (Spirv              *self,
                                  Id                  a,
                                  guint               b);
/* All values are 32 bits. */
Id   ghlo_spirv_divide           (Spirv              *self,
                                  Id                  number,
                                  Id                  by,
                                  Id                 *remainder);
/* Loads word @word of those after GhloSpirvWord. */
Id   ghlo_spirv_product_word     (const SpirvProduct *product,
                                  guint               word);
/* Returns the address of 32 zero bytes in the table. */
Id   ghlo_spirv_product_zeros    (const SpirvProduct *product);
/* Reads the table, except for the epilogue's words. */
void ghlo_spirv_product_load_table (SpirvProduct     *product);
/* Returns word @word, already read, as 32 bits. */
Id   ghlo_spirv_product_narrow   (const SpirvProduct *product,
                                  guint               word);
/* Returns the offset in bytes of @index of a role in tensor @form, or its contribution to the position if @form is a
 * window. */
Id   ghlo_spirv_product_offset   (const SpirvProduct *product,
                                  GhloSpirvRole       role,
                                  guint               form,
                                  Id                  index);
/* Sets @positions to the contributions of @index of @role to positions in windows. */
void ghlo_spirv_product_positions (const SpirvProduct *product,
                                  GhloSpirvRole       role,
                                  Id                  index,
                                  guint               n_windows,
                                  Id                 *positions);
/* Returns whether @is_there holds and, in all windows, the sums of the outer and inner contributions are positions of
 * an element; adjusts *@address to that element. */
Id   ghlo_spirv_product_inside   (const SpirvProduct *product,
                                  guint               n_windows,
                                  const Id           *outer,
                                  const Id           *inner,
                                  Id                  is_there,
                                  Id                 *address);
/* Applies a kernel of one operand and one result to @value; returns @value if @conversion is NULL. */
Id   ghlo_spirv_product_apply    (Spirv              *self,
                                  const GhloKernel   *conversion,
                                  Id                  value);
/* Converts a loaded element to a number of the accumulator's type, or such a number to an element of the result. */
Id   ghlo_spirv_product_number   (const SpirvProduct *product,
                                  guint               tensor,
                                  Id                  value);

/* product-numbers.c: emits everything after the tile is found, for invocations that multiply scalars. */
void ghlo_spirv_numbers_body     (SpirvProduct       *product);
/* Returns a + b, numbers of the accumulator's type. */
Id   ghlo_spirv_product_add      (const SpirvProduct *product,
                                  Id                  a,
                                  Id                  b);
/* Returns sum + a × b, numbers of the accumulator's type or vectors of them. */
Id   ghlo_spirv_product_multiply_add (const SpirvProduct *product,
                                  Id                  type,
                                  Id                  a,
                                  Id                  b,
                                  Id                  sum);
/* Stores one element, whose row must exist, if its column does; computes its epilogue, if there is one. */
void ghlo_spirv_product_finish   (const SpirvProduct *product,
                                  Id                  row,
                                  Id                  column,
                                  Id                  sum);

/* product-stream.c: the same for streams. */
void ghlo_spirv_stream_body      (SpirvProduct       *product);
/* Returns the numbers in shared memory. */
guint ghlo_spirv_stream_shared   (const GhloSpirvProduct *product);

/* product-blocks.c */
void ghlo_spirv_blocks_init      (SpirvBlocks            *blocks,
                                  const GhloSpirvProduct *product,
                                  guint                   tensor);
/* Called once the tile is known. */
void ghlo_spirv_blocks_begin     (const SpirvProduct     *product,
                                  SpirvBlocks            *blocks);
/* Sets SpirvBlocks.start and across; rows, columns and k must have one dimension each. */
void ghlo_spirv_blocks_find_start (const SpirvProduct    *product,
                                  SpirvBlocks            *blocks);
/* Returns SpirvBlocks.start advanced to step @begin of k. */
Id   ghlo_spirv_blocks_start     (const SpirvProduct     *product,
                                  const SpirvBlocks      *blocks,
                                  Id                      begin);
/* Returns the index in shared memory of the block that contains step @step of the round. */
Id   ghlo_spirv_blocks_place     (const SpirvProduct     *product,
                                  const SpirvBlocks      *blocks,
                                  const SpirvRound       *round,
                                  guint                   step);
/* The first loads the invocation's pieces of part @part, counted from the round's first step; the second writes them to
 * shared memory. Pieces past the last row or column repeat the last one; pieces past the end of k, or outside a window,
 * are 0. */
void ghlo_spirv_blocks_fetch     (const SpirvProduct     *product,
                                  const SpirvBlocks      *blocks,
                                  const SpirvRound       *round,
                                  guint                   part,
                                  Id                     *pieces);
void ghlo_spirv_blocks_stage     (const SpirvProduct     *product,
                                  const SpirvBlocks      *blocks,
                                  const SpirvRound       *round,
                                  guint                   part,
                                  const Id               *pieces);
/* Keep fetched pieces in variables until they are staged. */
void ghlo_spirv_blocks_hold      (const SpirvProduct     *product,
                                  const SpirvBlocks      *blocks,
                                  const SpirvRound       *round,
                                  guint                   part,
                                  const Id               *pieces);
void ghlo_spirv_blocks_held      (const SpirvProduct     *product,
                                  const SpirvBlocks      *blocks,
                                  const SpirvRound       *round,
                                  guint                   part,
                                  Id                     *pieces);

/* product-split.c: computes the piece of each plane from what was loaded. */
void ghlo_spirv_split_piece      (const SpirvProduct     *product,
                                  const SpirvBlocks      *blocks,
                                  const Id               *loaded,
                                  Id                     *planes);

/* The matrices of a workgroup. */
typedef struct
{
  SpirvProduct *product;
  SpirvBlocks   blocks[2];
  Id            subgroup, lane;         /* index of the subgroup in the workgroup, and of the invocation in the
                                         * subgroup */
  Id            first[2];               /* first row and column of the subgroup in the tile */
  guint         n[2];                   /* matrices along rows and columns */
  guint         n_ahead;                /* steps by which operands are loaded ahead: 0 or 1 */
  Id            is_inside;              /* whether the whole tile lies within the operands */
  Id            operands[2][2][GHLO_SPIRV_MAX_SPAN];    /* variables, by step or plane, and by side */
  Id            sums[GHLO_SPIRV_MAX_SPAN][GHLO_SPIRV_MAX_SPAN]; /* variables */
  Id            partial;                /* variable for the sum of one step, if that is added separately; else 0 */
} SpirvMatrices;

/* product-matrix.c */
/* Emits everything after the tile is found. */
void ghlo_spirv_matrix_body      (SpirvProduct        *product);
/* Waits for all invocations in @scope, which then see all writes to shared memory. */
void ghlo_spirv_matrix_barrier   (const SpirvProduct  *product,
                                  SpvScope             scope);

/* product-results.c: converts and stores the sums. */
void ghlo_spirv_matrix_results   (const SpirvMatrices *matrices);

/* product-epilogue.c: for products with GhloSpirvProduct.epilogue. */
/* The epilogue's data for the current elements: one, or four adjacent columns. */
typedef struct
{
  guint    n;
  gboolean in_fours;                            /* accesses that permit it take all four at once */
  Id       addresses[GHLO_SPIRV_MAX_ACCESSES][GHLO_SPIRV_TOGETHER];
  Id       loaded[GHLO_SPIRV_MAX_ACCESSES][GHLO_SPIRV_TOGETHER];        /* 0: not loaded yet */
} SpirvElements;

/* Reads the epilogue's words of the table. */
void ghlo_spirv_epilogue_begin   (SpirvProduct        *product);
/* Whether the epilogue has operands that differ between rows, and so must be loaded for each row. */
gboolean ghlo_spirv_epilogue_loads_rows (const SpirvProduct *product);
/* Starts elements at the columns @indices, which must exist, of row 0: loads operands that are the same in all rows. */
void ghlo_spirv_epilogue_columns (const SpirvProduct  *product,
                                  const Id            *indices,
                                  guint                n,
                                  gboolean             in_fours,
                                  SpirvElements       *columns);
/* Moves to @row, which must exist: loads the other operands. */
void ghlo_spirv_epilogue_row     (const SpirvProduct  *product,
                                  const SpirvElements *columns,
                                  Id                   row,
                                  SpirvElements       *elements);
/* The number of rows of four elements that an invocation computes at once, to overlap chains of dependent nodes. On the
 * fast path they share one sentinel. Measured on an H200 with a GELU by tanh of 4096³ in bf16, in a form of 79
 * instructions an element: 42 µs with two rows, 45 with one, and 130 with four. */
enum { GHLO_SPIRV_ROWS_AT_ONCE = 2 };

/* Elements of a row, and their numbers in the accumulator's type. */
typedef struct
{
  const SpirvElements *elements;
  const Id            *numbers;
} SpirvEpilogueRow;

/* Computes and stores the epilogue's results for @n rows. */
void ghlo_spirv_epilogue_finish  (const SpirvProduct     *product,
                                  const SpirvEpilogueRow *rows,
                                  guint                   n);

/* Returns the value of the epilogue's only store for element @number, given the result's element @result. */
Id   ghlo_spirv_epilogue_value   (const SpirvProduct  *product,
                                  const SpirvElements *elements,
                                  guint                number,
                                  Id                   result);

/* product-cooperative.c: matrices by subgroup instructions. */
/* Declares what modules with matrices need; called before anything else is added. */
void ghlo_spirv_matrix_prepare   (const SpirvProduct  *product);
/* Declares a variable for a matrix of lhs, rhs or sums. */
Id   ghlo_spirv_matrix_variable  (const SpirvProduct  *product,
                                  guint                tensor);
/* Sets sums to 0, or adds @others to them element by element. */
void ghlo_spirv_matrix_clear     (const SpirvProduct  *product,
                                  Id                   sums);
void ghlo_spirv_matrix_add       (const SpirvProduct  *product,
                                  Id                   sums,
                                  Id                   others);
/* Loads a matrix of an operand from shared memory, starting at vector @place. */
void ghlo_spirv_matrix_load      (const SpirvMatrices *matrices,
                                  guint                tensor,
                                  Id                   variable,
                                  Id                   place);
/* Multiplies each element of @sums by that of a matrix in shared memory, whose rows are @pitch vectors apart. */
void ghlo_spirv_matrix_scale     (const SpirvMatrices *matrices,
                                  guint                tensor,
                                  Id                   sums,
                                  Id                   place,
                                  guint                pitch);
/* sums += a × b */
void ghlo_spirv_matrix_multiply  (const SpirvProduct  *product,
                                  Id                   a,
                                  Id                   b,
                                  Id                   sums);
/* Writes a matrix of sums to the shared memory of @tensor, starting at vector @place, with rows @pitch vectors
 * apart. */
void ghlo_spirv_matrix_put       (const SpirvMatrices *matrices,
                                  guint                tensor,
                                  Id                   sums,
                                  Id                   place,
                                  guint                pitch);

/* product-emulated.c: the same with scalar code, for GhloSpirvProduct.is_emulated. */
Id   ghlo_spirv_emulated_variable (const SpirvProduct  *product,
                                   guint                tensor);
void ghlo_spirv_emulated_clear    (const SpirvProduct  *product,
                                   Id                   sums);
void ghlo_spirv_emulated_add      (const SpirvProduct  *product,
                                   Id                   sums,
                                   Id                   others);
void ghlo_spirv_emulated_load     (const SpirvMatrices *matrices,
                                   guint                tensor,
                                   Id                   variable,
                                   Id                   place);
void ghlo_spirv_emulated_multiply (const SpirvProduct  *product,
                                   Id                   a,
                                   Id                   b,
                                   Id                   sums);
void ghlo_spirv_emulated_put      (const SpirvMatrices *matrices,
                                   guint                tensor,
                                   Id                   sums,
                                   Id                   place,
                                   guint                pitch);

/* product-stage.c */
void ghlo_spirv_side_init        (SpirvSide              *side,
                                  const GhloSpirvProduct *product,
                                  guint                   tensor);
/* Called once the tile is known. */
void ghlo_spirv_side_begin       (const SpirvProduct *product,
                                  SpirvSide          *side);
/* The first loads the invocation's elements from step @begin of k on into variables; the second writes them to shared
 * memory. */
void ghlo_spirv_side_fetch       (const SpirvProduct *product,
                                  const SpirvSide    *side,
                                  Id                  begin);
void ghlo_spirv_side_stage       (const SpirvProduct *product,
                                  const SpirvSide    *side);
/* Returns the invocation's vector @group at step @begin + @inner of the staged block. */
Id   ghlo_spirv_side_load        (const SpirvProduct *product,
                                  const SpirvSide    *side,
                                  Id                  begin,
                                  guint               inner,
                                  guint               group);
/* Returns the row or column, in the whole operand, of the invocation's element @index; 32 bits. */
Id   ghlo_spirv_side_index       (const SpirvProduct *product,
                                  const SpirvSide    *side,
                                  Id                  index);

G_END_DECLS
