/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the parts of the emitter of products share. Sizes, numbers and indices are 32 bits wide, addresses 64.
 */

#pragma once

#include "vulkan/spirv/emit-private.h"
#include "vulkan/spirv/product.h"

G_BEGIN_DECLS

enum
{
  GHLO_SPIRV_MAX_BROUGHT = 64,          /* elements of an operand that an invocation brings for a step of k */
  GHLO_SPIRV_MAX_ROWS    = 8,           /* or columns, of an invocation */
  GHLO_SPIRV_MAX_PIECES  = 32,          /* of a block that an invocation brings */
  GHLO_SPIRV_MAX_SPAN    = 4,           /* matrices of a subgroup along its rows or columns */
  GHLO_SPIRV_MAX_BODY    = GHLO_SPIRV_MAX_DISTANCE / GHLO_SPIRV_ROUND,  /* rounds of the body of the loop over k */
  GHLO_SPIRV_MAX_STARTS  = 3 + GHLO_SPIRV_MAX_BODY,     /* rounds, from one on, that it fetches parts of */
};

/* Vectors of 16 bytes of a row of matrices of sums side by side, whose rows lie in several banks. */
static inline guint
ghlo_spirv_matrices_size (guint n_matrices)
{
  return GHLO_SPIRV_MATRIX * (n_matrices * GHLO_SPIRV_MATRIX / GHLO_SPIRV_TOGETHER + 1);
}

/* One operand and the tile's rows or columns of it. */
typedef struct
{
  guint         tensor;
  GhloSpirvRole role;
  guint         n_threads, n_each;      /* invocations along it, and what each of them has */
  guint         extent;                 /* of the tile: their product */
  guint         length;                 /* elements of the block along what is adjacent: a power of two */
  guint         width;                  /* elements of a vector in shared memory: 1 or 4 along it */
  guint         pitch;                  /* vectors from one step of k to the next */
  guint         n_vectors;              /* in shared memory */
  Id            vector;                 /* type */
  Id            thread;                 /* the invocation's number along it */
  Id            first, count;           /* of the tile, and of the whole operand */
  Id            shared;                 /* variable: an array of vectors */

  guint         n_brought;              /* elements */
  gboolean      brings_few;             /* there are fewer than invocations */
  Id            low, high;              /* of the invocation's number: its place along what is adjacent, and across; 0:
                                         * not there */
  guint         n_windows;
  Id            bases[GHLO_SPIRV_MAX_BROUGHT];          /* addresses, at the first step of k */
  Id            positions[GHLO_SPIRV_MAX_BROUGHT][GHLO_SPIRV_MAX_WINDOWS];      /* the same, in windows */
  Id            variables[GHLO_SPIRV_MAX_BROUGHT];      /* what was fetched and is not staged yet */
} SpirvSide;

/* An operand in pieces of 16 bytes, for matrices; where planes are made of it, a piece is of each plane, and 32 bytes
 * in memory. A block is some steps of k, a step being a matrix of each plane. Two blocks lie in shared memory, rows of
 * pieces along what is adjacent: one is multiplied while the other is staged. A block is brought in as many parts as it
 * has steps, of as many rows of pieces each, one in each step. */
typedef struct
{
  guint     tensor;
  gboolean  is_inner_adjacent;          /* what is adjacent is k */
  guint     unit;                       /* elements of a piece */
  guint     width;                      /* steps of k of a step, all planes counted */
  guint     n_steps;                    /* of a block */
  guint     length;                     /* pieces of a row: a power of two */
  guint     n_across;                   /* rows of a part */
  guint     pitch;                      /* pieces from one row to the next: one more than there are, so that rows lie in
                                         * several banks */
  guint     n_loads;                    /* of 16 bytes, for a piece */
  guint     n_planes, plane;            /* that are made of what is loaded; vectors of each, in a block */
  guint     n_vectors;                  /* of a block */
  guint     n_shared;                   /* of both, and of lhs at least as many as a matrix of sums of each subgroup
                                         * takes */
  guint     n_brought, n_between;       /* pieces of a part that an invocation brings; rows from one to the next */
  Id        vector, shared;             /* type; variable: an array of n_shared */
  Id        low, high;                  /* what the invocation brings first: the piece of a row, the row of a part */
  guint     n_windows;
  Id        bases[GHLO_SPIRV_MAX_PIECES];       /* addresses of its pieces of a block at the first step of k … */
  Id        positions[GHLO_SPIRV_MAX_PIECES][GHLO_SPIRV_MAX_WINDOWS];   /* … and the same, in windows */
  Id        zeros;                      /* address of what is read where there is nothing */
  Id        start;                      /* that of its first piece where the tile is inside */
  Id        across;                     /* bytes from one row of a part to the next, likewise */
  Id        held[GHLO_SPIRV_MAX_DISTANCE][GHLO_SPIRV_MAX_PIECES];       /* variables: what was fetched and is not
                                                                         * staged yet, of as many parts */
} SpirvBlocks;

/* One of the loop over k, of GHLO_SPIRV_ROUND steps. */
typedef struct
{
  guint    number;                      /* in the loop's body */
  Id       begin;                       /* its first step of k; 32 bits */
  Id       parity;                      /* of its number among all */
  gboolean is_inside;                   /* the tile is, and all that is multiplied in it or later */
  Id       starts[2][GHLO_SPIRV_MAX_STARTS];    /* where is_inside: SpirvBlocks.start at the first step of k of this
                                                 * round and of the next ones, or of the last one */
} SpirvRound;

/* What the epilogue finds in the table. */
typedef struct
{
  Id addresses[GHLO_SPIRV_MAX_ACCESSES];        /* of this batch */
  Id sizes[GHLO_SPIRV_INNER][GHLO_SPIRV_MAX_DIMENSIONS];
  Id strides[GHLO_SPIRV_INNER][GHLO_SPIRV_MAX_DIMENSIONS][GHLO_SPIRV_MAX_ACCESSES];
} SpirvEpilogue;

typedef struct
{
  Spirv                  *spirv;
  const GhloSpirvProduct *product;
  guint                   n_threads;
  guint                   first_word;   /* of its words in the table, behind those of GhloSpirvWord */
  GhloKernel             *conversions[GHLO_SPIRV_N_TENSORS];    /* owned; nullable */
  /* Of the result and the epilogue, as ghlo_kernel_expand_fast () gives them, for what is tried first where the
   * device flushes subnormal numbers anyway; owned. NULL: the latter where that is not worth it, the former where
   * elements are to be exact. */
  GhloKernel             *fast_conversion, *fast_epilogue;
  guint                   sentinel;     /* node of the latter */
  GhloElementType         number;       /* the accumulator's elements: numbers 0 and 1 where it is i1 */
  Id                      element;      /* their type */
  Id                      words[GHLO_SPIRV_PRODUCT_N_WORDS];    /* of the table */
  Id                      addresses[GHLO_SPIRV_N_TENSORS];      /* of this batch */
  Id                      sizes[GHLO_SPIRV_N_ROLES][GHLO_SPIRV_MAX_DIMENSIONS];
  Id                      strides[GHLO_SPIRV_N_ROLES][GHLO_SPIRV_MAX_DIMENSIONS][GHLO_SPIRV_N_FORMS];
  struct { Id low, extent, dilation, stride; } windows[GHLO_SPIRV_MAX_WINDOWS];
  Id                      lane;         /* 32 bits */
  Id                      begin, end;   /* of the piece of k */
  Id                      factors[2];   /* addresses, of this batch, where the operands are split */
  Id                      batch;        /* 32 bits */
  SpirvSide               sides[2];     /* of lhs and rhs */
  SpirvEpilogue           epilogue;     /* once sums are there */
} SpirvProduct;

/* product.c */
Id   ghlo_spirv_u32              (Spirv              *self,
                                  guint               value);
Id   ghlo_spirv_add_u32          (Spirv              *self,
                                  Id                  a,
                                  guint               b);
/* Both are 32 bits. */
Id   ghlo_spirv_divide           (Spirv              *self,
                                  Id                  number,
                                  Id                  by,
                                  Id                 *remainder);
/* Word @word of those behind GhloSpirvWord. */
Id   ghlo_spirv_product_word     (const SpirvProduct *product,
                                  guint               word);
/* Address of 32 bytes of the table that are 0. */
Id   ghlo_spirv_product_zeros    (const SpirvProduct *product);
/* Reads the table, but for the epilogue. */
void ghlo_spirv_product_load_table (SpirvProduct     *product);
/* Word @word that was read, as 32 bits. */
Id   ghlo_spirv_product_narrow   (const SpirvProduct *product,
                                  guint               word);
/* Bytes to the index of a role in a tensor, or its part of a position where @form is a window's. */
Id   ghlo_spirv_product_offset   (const SpirvProduct *product,
                                  GhloSpirvRole       role,
                                  guint               form,
                                  Id                  index);
/* The parts of positions in windows that @index of @role has. */
void ghlo_spirv_product_positions (const SpirvProduct *product,
                                  GhloSpirvRole       role,
                                  Id                  index,
                                  guint               n_windows,
                                  Id                 *positions);
/* Whether @is_there, and the sums of both parts of positions are those of an element; *@address goes to that. */
Id   ghlo_spirv_product_inside   (const SpirvProduct *product,
                                  guint               n_windows,
                                  const Id           *outer,
                                  const Id           *inner,
                                  Id                  is_there,
                                  Id                 *address);
/* What a kernel of one operand and one result makes of @value: the same where it is NULL. */
Id   ghlo_spirv_product_apply    (Spirv              *self,
                                  const GhloKernel   *conversion,
                                  Id                  value);
/* An element that was loaded as a number, or a number as one that is stored. */
Id   ghlo_spirv_product_number   (const SpirvProduct *product,
                                  guint               tensor,
                                  Id                  value);

/* product-numbers.c: all behind the tile's place, where invocations multiply numbers. */
void ghlo_spirv_numbers_body     (SpirvProduct       *product);

/* product-blocks.c */
void ghlo_spirv_blocks_init      (SpirvBlocks            *blocks,
                                  const GhloSpirvProduct *product,
                                  guint                   tensor);
/* Where the tile is known. */
void ghlo_spirv_blocks_begin     (const SpirvProduct     *product,
                                  SpirvBlocks            *blocks);
/* Sets SpirvBlocks.start and across; rows, columns and k are of one dimension each. */
void ghlo_spirv_blocks_find_start (const SpirvProduct    *product,
                                  SpirvBlocks            *blocks);
/* SpirvBlocks.start at the step @begin of k. */
Id   ghlo_spirv_blocks_start     (const SpirvProduct     *product,
                                  const SpirvBlocks      *blocks,
                                  Id                      begin);
/* The block with step @step of the round: its first vector in shared memory. */
Id   ghlo_spirv_blocks_place     (const SpirvProduct     *product,
                                  const SpirvBlocks      *blocks,
                                  const SpirvRound       *round,
                                  guint                   step);
/* The pieces that the invocation brings of part @part, counted from the round's first step on, are loaded, and put to
 * shared memory. What is beyond the last row or column is as the last; what is beyond the end of k, or outside of a
 * window, is 0. */
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
/* In between they are in variables. */
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

/* product-split.c: what is staged in each plane of a piece, by what was loaded of it. */
void ghlo_spirv_split_piece      (const SpirvProduct     *product,
                                  const SpirvBlocks      *blocks,
                                  const Id               *loaded,
                                  Id                     *planes);

/* Matrices of a workgroup. */
typedef struct
{
  SpirvProduct *product;
  SpirvBlocks   blocks[2];
  Id            subgroup, lane;         /* its number in the workgroup, and the invocation's in it */
  Id            first[2];               /* the subgroup's row and column in the tile */
  guint         n[2];                   /* matrices along them */
  guint         n_ahead;                /* steps that operands are loaded ahead: 1, or 0 */
  Id            is_inside;              /* the tile is */
  Id            operands[2][2][GHLO_SPIRV_MAX_SPAN];    /* variables, of a step or plane and a side */
  Id            sums[GHLO_SPIRV_MAX_SPAN][GHLO_SPIRV_MAX_SPAN]; /* variables */
  Id            apart;                  /* variable: what a step comes to, where it is added apart; else 0 */
} SpirvMatrices;

/* product-matrix.c */
/* All behind the tile's place. */
void ghlo_spirv_matrix_body      (SpirvProduct        *product);
/* Everybody of @scope is here, and sees what was written to shared memory. */
void ghlo_spirv_matrix_barrier   (const SpirvProduct  *product,
                                  SpvScope             scope);

/* product-results.c: what becomes of sums. */
void ghlo_spirv_matrix_results   (const SpirvMatrices *matrices);

/* product-epilogue.c: what becomes of the result, where GhloSpirvProduct.epilogue. */
/* What an epilogue has of the elements at hand: one, or four columns side by side. */
typedef struct
{
  guint    n;
  gboolean in_fours;                            /* those accesses take four at once that may */
  Id       addresses[GHLO_SPIRV_MAX_ACCESSES][GHLO_SPIRV_TOGETHER];
  Id       loaded[GHLO_SPIRV_MAX_ACCESSES][GHLO_SPIRV_TOGETHER];        /* 0: not yet */
} SpirvElements;

/* Reads the table, for all that follows. */
void ghlo_spirv_epilogue_begin   (SpirvProduct        *product);
/* Whether it has operands that differ from row to row, which are to be loaded for each. */
gboolean ghlo_spirv_epilogue_loads_rows (const SpirvProduct *product);
/* Of the columns @indices, which are there, in row 0: loads what is the same in all rows. */
void ghlo_spirv_epilogue_columns (const SpirvProduct  *product,
                                  const Id            *indices,
                                  guint                n,
                                  gboolean             in_fours,
                                  SpirvElements       *columns);
/* The same columns in @row, which is there: loads the rest. */
void ghlo_spirv_epilogue_row     (const SpirvProduct  *product,
                                  const SpirvElements *columns,
                                  Id                   row,
                                  SpirvElements       *elements);
/* Rows of four elements that an invocation computes at once, since nodes wait for those before them, and which are told
 * of together on the fast path. Chosen on an H200 with a GELU by tanh of 4096³ in bf16 that took 1.5 times as many
 * instructions: it added 42 µs to the product with two rows, 45 with one, and 130 with four. */
enum { GHLO_SPIRV_ROWS_AT_ONCE = 2 };

/* Some elements of a row, and their numbers in the accumulator's type. */
typedef struct
{
  const SpirvElements *elements;
  const Id            *numbers;
} SpirvEpilogueRow;

/* Computes and writes what becomes of @n rows. */
void ghlo_spirv_epilogue_finish  (const SpirvProduct     *product,
                                  const SpirvEpilogueRow *rows,
                                  guint                   n);

/* What the only store of the epilogue has of element @number, where the result has @result. */
Id   ghlo_spirv_epilogue_value   (const SpirvProduct  *product,
                                  const SpirvElements *elements,
                                  guint                number,
                                  Id                   result);

/* product-cooperative.c: matrices by instructions of subgroups. */
/* What modules with them need, before anything else is in one. */
void ghlo_spirv_matrix_prepare   (const SpirvProduct  *product);
/* A variable for a matrix of lhs or rhs, or of sums. */
Id   ghlo_spirv_matrix_variable  (const SpirvProduct  *product,
                                  guint                tensor);
/* Sets sums to 0, or adds others to them, each as a number. */
void ghlo_spirv_matrix_clear     (const SpirvProduct  *product,
                                  Id                   sums);
void ghlo_spirv_matrix_add       (const SpirvProduct  *product,
                                  Id                   sums,
                                  Id                   others);
/* A matrix of an operand, from the vector @place of shared memory on. */
void ghlo_spirv_matrix_load      (const SpirvMatrices *matrices,
                                  guint                tensor,
                                  Id                   variable,
                                  Id                   place);
/* A matrix of sums that lies in the same way, in rows that are @pitch vectors apart; each of @sums times that. */
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
/* A matrix of sums, to the vector @place of the shared memory of @tensor, where rows are @pitch vectors apart. */
void ghlo_spirv_matrix_put       (const SpirvMatrices *matrices,
                                  guint                tensor,
                                  Id                   sums,
                                  Id                   place,
                                  guint                pitch);

/* product-emulated.c: the same by numbers, where GhloSpirvProduct.is_emulated. */
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
void ghlo_spirv_side_init        (SpirvSide          *side,
                                  const GhloSpirvProduct *product,
                                  guint               tensor);
/* Where the tile is known. */
void ghlo_spirv_side_begin       (const SpirvProduct *product,
                                  SpirvSide          *side);
/* The elements from the step @begin of k on go into variables, and from there to shared memory. */
void ghlo_spirv_side_fetch       (const SpirvProduct *product,
                                  const SpirvSide    *side,
                                  Id                  begin);
void ghlo_spirv_side_stage       (const SpirvProduct *product,
                                  const SpirvSide    *side);
/* Vector @group of the invocation at step @begin + @inner of those that are staged. */
Id   ghlo_spirv_side_load        (const SpirvProduct *product,
                                  const SpirvSide    *side,
                                  Id                  begin,
                                  guint               inner,
                                  guint               group);
/* Where, in the whole operand, the element @index of an invocation is; 32 bits. */
Id   ghlo_spirv_side_index       (const SpirvProduct *product,
                                  const SpirvSide    *side,
                                  Id                  index);

G_END_DECLS
