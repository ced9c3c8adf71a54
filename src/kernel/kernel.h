/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A kernel: the unit that becomes one piece of machine code. It is a nest of parallel axes that contains a tree of
 * blocks. Blocks evaluate scalar nodes at points, load and store elements of buffers, and compute folds. A kernel
 * defines its results to the bit, including the order of every fold. How it is executed is up to a schedule, which
 * changes no bit.
 *
 * A kernel is one immutable block of memory: tables that refer to each other by index. It is freed with g_free ().
 * Kernels are made by kernel/build.h, which rejects those that fail ghlo_kernel_check (). Code that receives a
 * kernel may rely on everything stated here.
 *
 * Parallel axes come first, the outermost first. All blocks run once at each of their points, in any order. The other
 * axes belong to blocks. A buffer that is written overlaps no other buffer, and is read, if at all, only at the
 * element that the same point writes; where there is a single parallel point, blocks of one point may read and write
 * any of its elements, one after the other, and it begins with what the caller has put there. Another buffer may share
 * its memory as a whole, in some runs or in all; the same restriction then applies to reads of that buffer. A
 * temporary holds one value for each point of the axes that it spans, none of which is parallel; each parallel point
 * has temporaries of its own.
 */

#pragma once

#include "base/element.h"

G_BEGIN_DECLS

enum
{
  GHLO_KERNEL_MAX_AXES        = 8,
  GHLO_KERNEL_MAX_BUFFERS     = 64,
  GHLO_KERNEL_MAX_ACCESSES    = 256,
  GHLO_KERNEL_MAX_TERMS       = 256,
  GHLO_KERNEL_MAX_TEMPORARIES = 256,
  GHLO_KERNEL_MAX_BLOCKS      = 128,
  GHLO_KERNEL_MAX_DEPTH       = 8,      /* nesting of blocks */
  GHLO_KERNEL_MAX_FOLDS       = 64,
  GHLO_KERNEL_MAX_STORES      = 256,
  GHLO_KERNEL_MAX_CARRIES     = 256,
  GHLO_KERNEL_MAX_NODES       = 8192,
  GHLO_KERNEL_MAX_CHAINS      = 256,
};

/* Stands for "none" in place of any index. */
#define GHLO_KERNEL_NONE G_MAXUINT16

typedef enum
{
#define LEAF(ID, ...)     GHLO_NODE_##ID,
#define NODE(ID, ...)     GHLO_NODE_##ID,
#define FUNCTION(ID, ...) GHLO_NODE_##ID,
#include "kernel/node.def"
  GHLO_N_NODES
} GhloNodeKind;

/* What is known about a quotient of f32 that allows computing it from the reciprocal square root of the divisor
 * (spirv/floats.c), which is not correct for all quotients. test-kernel-quotients covers the quotients that functions
 * contain. The bits of results are the same in any case. */
typedef enum
{
  GHLO_QUOTIENT_IS_BOUNDED = 1, /* two refinement steps from there yield the correctly rounded quotient */
  GHLO_QUOTIENT_IS_APPROXIMATE, /* the derived result is the same if it is off by 10 ULP; divisor in [1, 2^20] */
  GHLO_QUOTIENT_IS_NARROW,      /* both operands are any bf16 numbers; it is rounded to bf16 and not used otherwise */
} GhloQuotient;

/* A scalar computation at one point. Its type is i1, i8 … i64, ui8 … ui64, f32 or f64. */
typedef struct
{
  guint8  kind;         /* GhloNodeKind */
  guint8  type;         /* GhloElementType of the result */
  union                 /* 0 for other nodes */
  {
    guint16 index;      /* of leaves: of the axis, access, temporary or fold */
    guint16 quotient;   /* of a DIVIDE of f32: a GhloQuotient, or 0 */
  };
  guint16 operands[3];  /* earlier nodes of the same block, or of the same merge; unused ones are GHLO_KERNEL_NONE */
  guint16 reserved[3];  /* 0, as are all reserved fields: tables are compared as bytes */
  guint64 bits;         /* of CONSTANT: the value's bits, zero-extended; else 0 */
} GhloKernelNode;

typedef struct
{
  const char *name;
  gint64      extent;           /* at least 1: a kernel without work must not be called */
  guint8      is_parallel;
  guint8      is_runtime;       /* a run may have another extent; the code does not depend on the extent */
} GhloKernelAxis;

typedef struct
{
  const char *name;
  gint64      size;             /* in bytes; no access reaches beyond */
  gboolean    is_written;
  guint16     shared;           /* of a buffer that is not written: the written one whose memory it may have, or NONE */
} GhloKernelBuffer;

/* A part of an access that is not affine, or not always in bounds. Its position is
 *
 *   offset + sum of strides × coordinates + the value of the node, if there is one
 *
 * A guard holds where the position is a multiple of step and position / step is within [0, end). Guards express
 * padding, with or without interior padding, windows at the border, and the parts of a concatenation. A term that
 * clamps brings the position into [0, end) instead, as for the index of a gather or the start of a dynamic slice. In
 * both cases (position / step) × stride is added to the address.
 */
typedef struct
{
  guint16 node;                 /* an integer node of the block that uses the access, or GHLO_KERNEL_NONE */
  guint8  clamps;               /* if TRUE, step is 1 */
  guint8  reserved[5];
  gint64  offset, step, end;
  gint64  stride;               /* in bytes; may be 0 */
  gint64  strides[GHLO_KERNEL_MAX_AXES];
} GhloKernelTerm;

/* The elements of a buffer by coordinates, at offset + sum of strides × coordinates + the terms' contributions.
 * Elements have their usual representation (i1 is a byte, 0 or 1) and are aligned to their size. Where a guard does not
 * hold, a load does not read and a store does not write. */
typedef struct
{
  guint8  type;                 /* of the node that loads or is stored */
  guint8  reserved;
  guint16 buffer;
  guint16 first_term, n_terms;
  gint64  offset;               /* bytes */
  gint64  strides[GHLO_KERNEL_MAX_AXES];        /* bytes */
} GhloKernelAccess;

typedef struct
{
  const char *name;
  guint8      type;
  guint8      axes;             /* bit i: it spans axis i */
} GhloKernelTemporary;

/* Stores a node to an access or to a temporary. The temporary spans only axes of the block and of the loops around
 * it. */
typedef struct
{
  guint16 node;
  guint16 access;               /* or GHLO_KERNEL_NONE */
  guint16 temporary;            /* or GHLO_KERNEL_NONE */
} GhloKernelStore;

/* A fold over all axes of its POINTS block. In the nodes of the block, LEFT is the accumulator, and update is the node
 * whose value becomes the new accumulator. In the nodes of the block's merge, LEFT and RIGHT are two partial results.
 *
 * The order is fixed. The last axis of the block is distributed over n_chains chains: coordinate c belongs to chain c %
 * n_chains. The first axis is cut into parts of split coordinates, the last of which may be shorter. In each part, each
 * chain starts with the identity and visits its points in row-major order. Then chains are merged, c with c + n / 2,
 * where n starts as n_chains and is halved each time. Finally parts are merged, each with the result of all parts
 * before it. All folds of a block are updated together and merged together.
 */
typedef struct
{
  guint8  type;
  guint8  reserved;
  guint16 temporary;            /* receives the result; spans none of the block's axes */
  guint16 update;               /* a node of the block */
  guint16 merge;                /* a node of the merge; GHLO_KERNEL_NONE: there is one chain and one part */
  guint64 identity;             /* its bits */
} GhloKernelFold;

/* A value carried by a loop: the temporary has the value of first in the first iteration, and in each later iteration
 * the value that next had at the end of the previous one. After the loop it has the value that the next iteration would
 * have seen. For an IF: the value where the predicate is false (first) or true (next). All three temporaries have the
 * same type and span the same axes. */
typedef struct
{
  guint16 temporary, first, next;
} GhloKernelCarry;

typedef enum
{
  GHLO_BLOCK_POINTS,            /* evaluates nodes, stores and folds at each point of its axes (once, if it has none) */
  GHLO_BLOCK_LOOP,              /* runs its inner blocks for each coordinate of one axis, in ascending order */
  GHLO_BLOCK_WHILE,             /* runs its inner blocks while a predicate is true; those before body compute it */
  GHLO_BLOCK_IF,                /* runs its inner blocks where a predicate is true */
  GHLO_BLOCK_PRODUCT,           /* computes a temporary with axes rows and columns: sums of left × right over the inner
                                 * axes, each starting from zero, by FMA, in row-major order of the inner axes */
  GHLO_N_BLOCKS
} GhloBlockKind;

/* An operand of a product: an access without terms, or a temporary. */
typedef struct
{
  guint16 access, temporary;    /* one of them is GHLO_KERNEL_NONE */
} GhloKernelFactor;

/* Blocks are in execution order, each before the blocks inside it. Fields that do not apply to a kind are 0, or
 * GHLO_KERNEL_NONE if they are indices. */
typedef struct
{
  guint8           kind;
  guint8           axes;                        /* bits; POINTS: any number; LOOP: one; PRODUCT: all of the next
                                                 * three */
  guint8           rows, columns, inner;        /* PRODUCT: bits of axes */
  guint8           reserved;
  guint16          end;                         /* the first block after those inside it */
  guint16          body;                        /* WHILE: the first block of the body */
  guint16          predicate;                   /* WHILE, IF: a temporary of type i1; spans axes of loops around */
  guint16          first_node, first_merge, end_node;
  guint16          first_store, n_stores;
  guint16          first_fold, n_folds;
  guint16          first_carry, n_carries;
  guint16          n_chains;                    /* POINTS with folds: a power of two; see GhloKernelFold */
  gint64           split;                       /* coordinates of the first axis in each part; 0: one part */
  GhloKernelFactor left, right;                 /* PRODUCT */
  guint16          result;                      /* PRODUCT: the temporary that receives it */
  guint16          reserved_end[3];
} GhloKernelBlock;

typedef struct
{
  const char                *name;
  gsize                      size;              /* of the whole kernel, in bytes */
  guint64                    hash;              /* of everything that code depends on: not names, sizes of buffers, or
                                                 * extents of run-time axes; the same in all processes */
  guint16                    n_axes, n_parallel, n_buffers, n_accesses, n_terms, n_temporaries;
  guint16                    n_blocks, n_stores, n_folds, n_carries, n_nodes;
  const GhloKernelAxis      *axes;              /* the parallel ones first */
  const GhloKernelBuffer    *buffers;
  const GhloKernelAccess    *accesses;
  const GhloKernelTerm      *terms;
  const GhloKernelTemporary *temporaries;
  const GhloKernelBlock     *blocks;
  const GhloKernelStore     *stores;
  const GhloKernelFold      *folds;
  const GhloKernelCarry     *carries;
  const GhloKernelNode      *nodes;
} GhloKernel;

/* Returns the buffer that identifies the memory of @buffer for hazard analysis. */
static inline guint
ghlo_kernel_memory (const GhloKernel *self,
                    guint             buffer)
{
  return self->buffers[buffer].shared != GHLO_KERNEL_NONE ? self->buffers[buffer].shared : buffer;
}

/* Returns whether the kernel stores to the memory of @buffer. */
static inline gboolean
ghlo_kernel_is_written (const GhloKernel *self,
                        guint             buffer)
{
  return self->buffers[ghlo_kernel_memory (self, buffer)].is_written;
}

/* Returns fold @i of a block. */
static inline const GhloKernelFold *
ghlo_kernel_fold (const GhloKernel      *self,
                  const GhloKernelBlock *block,
                  guint                  i)
{
  return &self->folds[block->first_fold + i];
}

/* Returns the last of @axes (bits), or GHLO_KERNEL_NONE if there are none. */
static inline guint
ghlo_kernel_last_axis (guint axes)
{
  return axes == 0 ? GHLO_KERNEL_NONE : 31 - (guint) __builtin_clz (axes);
}

/* Classes of types, as bits. */
typedef enum
{
  GHLO_NODE_TYPES_B = 1 << 0,
  GHLO_NODE_TYPES_S = 1 << 1,
  GHLO_NODE_TYPES_U = 1 << 2,
  GHLO_NODE_TYPES_F = 1 << 3,
} GhloNodeTypes;

typedef enum
{
  GHLO_NODE_LEAF,
  GHLO_NODE_PRIMITIVE,
  GHLO_NODE_FUNCTION,
} GhloNodeRole;

typedef struct
{
  const char  *name;
  GhloNodeRole role;
  guint8       n_operands;      /* of LOAD: at most one */
  guint8       operand_types;   /* GhloNodeTypes, or 0, in which case operand_type applies */
  guint8       operand_type;    /* GhloElementType */
  guint8       result_types;    /* GhloNodeTypes if the result has the node's own type, or 0: result_type applies */
  guint8       result_type;     /* GhloElementType; INVALID: that of the operands */
} GhloNodeSpec;

const GhloNodeSpec *ghlo_node_spec  (GhloNodeKind    kind);
/* Returns GHLO_N_NODES where no node has that name. */
GhloNodeKind        ghlo_node_named (const char     *name);
/* Returns the class of @type, 0 where nodes cannot have that type. */
guint               ghlo_node_types (GhloElementType type);
/* Returns all types that nodes may have, as bits: 1 << type. */
guint64             ghlo_node_all_types (void);
/* Returns the keyword of a block. */
const char         *ghlo_kernel_block_word (GhloBlockKind kind);

/* Returns the type of a node's operands (for SELECT, of the two alternatives). It is the node's own type except for
 * comparisons, conversions and functions that are defined for one type. INVALID where there are no operands. */
GhloElementType     ghlo_kernel_operand_type (const GhloKernel     *self,
                                              const GhloKernelNode *node);

/* Returns the axes of the loops around @block, as bits. */
guint               ghlo_kernel_loops_around (const GhloKernel      *self,
                                              const GhloKernelBlock *block);
/* Returns the number of points of @axes (bits), G_MAXINT64 if there are more. */
gint64              ghlo_kernel_count_points (const GhloKernel      *self,
                                              guint                  axes);

/* Returns whether the kernel is one block of parallel points with affine accesses. */
gboolean            ghlo_kernel_is_elementwise (const GhloKernel   *self);
/* Returns whether a value depends on where its point is, other than by what is loaded there. */
gboolean            ghlo_kernel_uses_coordinates (const GhloKernel *self);
/* Returns whether both kernels compile to the same code: they may differ in names, sizes of buffers and extents of
 * run-time axes only. */
gboolean            ghlo_kernel_equal        (const GhloKernel     *self,
                                              const GhloKernel     *other);
/* Appends everything that code depends on: equal bytes for kernels that are ghlo_kernel_equal (), different bytes
 * else. */
void                ghlo_kernel_append_key   (const GhloKernel     *self,
                                              GByteArray           *bytes);
/* Before the kernel is used: gives an access other strides, in bytes for each axis, and the axes other extents, which
 * are those of runs. An axis with 0 keeps its extent, in all runs. */
void                ghlo_kernel_set_layout   (GhloKernel           *self,
                                              guint                 access,
                                              const gint64         *strides,
                                              const gint64         *extents);
/* Returns a copy; free it with g_free (). */
GhloKernel         *ghlo_kernel_copy         (const GhloKernel     *self);

G_END_DECLS
