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
  GHLO_SPIRV_N_BLOCKS    = 2,           /* of pieces in shared memory: one is multiplied, the other staged */
};

/* One operand and the tile's rows or columns of it. */
typedef struct
{
  guint         tensor;
  GhloSpirvRole role;
  guint         n_threads, n_each;      /* invocations along it, and what each of them has */
  guint         extent;                 /* of the tile: their product */
  guint         unit;                   /* elements that are brought together, along what is adjacent */
  guint         length;                 /* such units of the block along what is adjacent: a power of two */
  guint         width;                  /* elements of a vector in shared memory: 1 or 4 along it, or a unit */
  guint         pitch;                  /* vectors from one step of k, or of units one across, to the next */
  guint         n_vectors;              /* in shared memory, of one block */
  Id            vector;                 /* type */
  Id            brought;                /* type: an element, or a vector */
  Id            thread;                 /* the invocation's number along it */
  Id            first, count;           /* of the tile, and of the whole operand */
  Id            shared;                 /* variable: an array of vectors */

  guint         n_brought;              /* units */
  gboolean      brings_few;             /* there are fewer than invocations */
  Id            low, high;              /* of the invocation's number: its place along what is adjacent, and across; 0:
                                         * not there */
  guint         n_windows;
  Id            bases[GHLO_SPIRV_MAX_BROUGHT];          /* addresses, at the first step of k */
  Id            positions[GHLO_SPIRV_MAX_BROUGHT][GHLO_SPIRV_MAX_WINDOWS];      /* the same, in windows */
  Id            variables[GHLO_SPIRV_MAX_BROUGHT];      /* what was fetched and is not staged yet */
} SpirvSide;

typedef struct
{
  Spirv                  *spirv;
  const GhloSpirvProduct *product;
  guint                   n_threads;
  GhloKernel             *conversions[GHLO_SPIRV_N_TENSORS];    /* owned; nullable */
  GhloElementType         number;       /* the accumulator's elements: numbers 0 and 1 where it is i1 */
  Id                      element;      /* their type */
  Id                      addresses[GHLO_SPIRV_N_TENSORS];      /* of this batch */
  Id                      sizes[GHLO_SPIRV_N_ROLES][GHLO_SPIRV_MAX_DIMENSIONS];
  Id                      strides[GHLO_SPIRV_N_ROLES][GHLO_SPIRV_MAX_DIMENSIONS][GHLO_SPIRV_N_FORMS];
  struct { Id low, extent, dilation, stride; } windows[GHLO_SPIRV_MAX_WINDOWS];
  Id                      lane;         /* 32 bits */
  Id                      begin, end;   /* of the piece of k */
  SpirvSide               sides[2];     /* of lhs and rhs */
} SpirvProduct;

/* product.c */
Id   ghlo_spirv_u32              (Spirv              *self,
                                  guint               value);
Id   ghlo_spirv_add_u32          (Spirv              *self,
                                  Id                  a,
                                  guint               b);
/* Bytes to the index of a role in a tensor, or its part of a position where @form is a window's. */
Id   ghlo_spirv_product_offset   (const SpirvProduct *product,
                                  GhloSpirvRole       role,
                                  guint               form,
                                  Id                  index);
/* An element that was loaded as a number, or a number as one that is stored. */
Id   ghlo_spirv_product_number   (const SpirvProduct *product,
                                  guint               tensor,
                                  Id                  value);

/* product-matrix.c */
/* What modules with cooperative matrices need, before anything else is in one; and all behind the tile's place. */
void ghlo_spirv_matrix_prepare   (const SpirvProduct *product);
void ghlo_spirv_matrix_body      (SpirvProduct       *product);

/* product-stage.c */
void ghlo_spirv_side_init        (SpirvSide          *side,
                                  const GhloSpirvProduct *product,
                                  guint               tensor);
/* Where the tile is known. There is room for @n_blocks of them in shared memory. */
void ghlo_spirv_side_begin       (const SpirvProduct *product,
                                  SpirvSide          *side,
                                  guint               n_blocks);
/* The elements from the step @begin of k on go into variables, and from there to shared memory. */
void ghlo_spirv_side_fetch       (const SpirvProduct *product,
                                  const SpirvSide    *side,
                                  Id                  begin);
void ghlo_spirv_side_stage       (const SpirvProduct *product,
                                  const SpirvSide    *side);
/* The same of pieces, which go into the block of shared memory that begins at the vector @begin. */
void ghlo_spirv_side_stage_pieces (const SpirvProduct *product,
                                  const SpirvSide    *side,
                                  Id                  begin);
/* Vector @group of the invocation at step @begin + @inner of those that are staged. */
Id   ghlo_spirv_side_load        (const SpirvProduct *product,
                                  const SpirvSide    *side,
                                  Id                  begin,
                                  guint               inner,
                                  guint               group);
/* Where, in the whole operand, the element @index of an invocation is. */
Id   ghlo_spirv_side_index       (const SpirvProduct *product,
                                  const SpirvSide    *side,
                                  guint               index);

G_END_DECLS
