/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A kernel: what becomes one piece of machine code. A nest of parallel axes, and under it a tree
 * of blocks, which evaluate scalar nodes at points, load and store elements of buffers, and fold.
 * It says what is computed, to the bit: also the order of every fold. How it is run is a
 * schedule's choice, and changes no bit.
 *
 * A kernel is one immutable block of memory, tables that refer to each other by number, and is
 * freed by g_free (). kernel/build.h makes them, and none that ghlo_kernel_check () refuses; so
 * whoever has one may rely on what is said here.
 *
 * Parallel axes come first, outermost first; everything is done once at each of their points, in
 * any order. Other axes are those of blocks. A buffer that is written overlaps no other buffer,
 * and is read, if at all, at the very place that the same point writes. Another one may share its memory
 * as a whole, in some runs or in all, and is read like that too. A temporary holds one value
 * for each point of the axes that it spans, none of which is parallel, and anew at each parallel point.
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
  GHLO_KERNEL_MAX_DEPTH       = 8,      /* of blocks within each other */
  GHLO_KERNEL_MAX_FOLDS       = 64,
  GHLO_KERNEL_MAX_STORES      = 256,
  GHLO_KERNEL_MAX_CARRIES     = 256,
  GHLO_KERNEL_MAX_NODES       = 8192,
  GHLO_KERNEL_MAX_CHAINS      = 256,
};

/* No number of anything. */
#define GHLO_KERNEL_NONE G_MAXUINT16

typedef enum
{
#define LEAF(ID, ...)     GHLO_NODE_##ID,
#define NODE(ID, ...)     GHLO_NODE_##ID,
#define FUNCTION(ID, ...) GHLO_NODE_##ID,
#include "kernel/node.def"
  GHLO_N_NODES
} GhloNodeKind;

/* What is known of a quotient of f32, so that it may be found from the divisor's root (spirv/floats.c), though that is
 * not so of all: test-kernel-quotients goes through those that functions have. It changes no bit of a result. */
typedef enum
{
  GHLO_QUOTIENT_IS_BOUNDED = 1, /* two steps from there give it, rounded once */
  GHLO_QUOTIENT_IS_APPROXIMATE, /* what is made of it is the same where it is off by 10 units in the last place; the
                                 * divisor is from 1 to 2^20 */
  GHLO_QUOTIENT_IS_NARROW,      /* of any two numbers of bf16; it is rounded to bf16, and nothing else is made of it */
} GhloQuotient;

/* What is computed at one point, of type i1, i8 … i64, ui8 … ui64, f32 or f64. */
typedef struct
{
  guint8  kind;         /* GhloNodeKind */
  guint8  type;         /* GhloElementType, of the result */
  guint16 which;        /* of leaves: the axis, access, temporary or fold; of a DIVIDE of f32 a GhloQuotient or 0; 0
                         * of all else */
  guint16 operands[3];  /* earlier nodes of the same block, or of the same merge; the rest GHLO_KERNEL_NONE */
  guint16 reserved[3];  /* 0, as are all fields of that name: tables are compared as bytes */
  guint64 bits;         /* of CONSTANT, as the type has them, with zeros above; else 0 */
} GhloKernelNode;

typedef struct
{
  const char *name;
  gint64      extent;           /* 1 or more: whoever has nothing to do calls no kernel */
  guint8      is_parallel;
  guint8      is_runtime;       /* a run may have another extent, which the code does not depend on */
} GhloKernelAxis;

typedef struct
{
  const char *name;
  gint64      size;             /* bytes; no access reaches beyond */
  gboolean    is_written;
  guint16     shared;           /* of one that is not written: the written one whose memory it may have; or
                                 * GHLO_KERNEL_NONE */
} GhloKernelBuffer;

/* A part of an access that is not affine, or not always inside. Its position is
 *
 *   offset + sum of strides × coordinates + the value of the node, if there is one
 *
 * A guard holds where the position is a multiple of step, and position / step is within [0, end): that
 * is a pad, with or without an interior; a window at the border; one part of a concatenation. A
 * position that clamps is brought to [0, end) instead: a gather's index, the start of a dynamic
 * slice. Either way (position / step) × stride is added to the address. */
typedef struct
{
  guint16 node;                 /* integer, of the block of the access, or GHLO_KERNEL_NONE */
  guint8  clamps;               /* step is 1 */
  guint8  reserved[5];
  gint64  offset, step, end;
  gint64  stride;               /* bytes; may be 0 */
  gint64  strides[GHLO_KERNEL_MAX_AXES];
} GhloKernelTerm;

/* The elements of a buffer by coordinates: at offset + sum of strides × coordinates + what its
 * terms add. Elements are as in all buffers (i1 is a byte, 0 or 1) and aligned to their size.
 * Where a guard does not hold, a load reads nothing and a store writes nothing. */
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

/* Into one of two places. What a temporary spans are axes of the block and of loops around it. */
typedef struct
{
  guint16 node;
  guint16 access;               /* or GHLO_KERNEL_NONE */
  guint16 temporary;            /* or GHLO_KERNEL_NONE */
} GhloKernelStore;

/* A fold over all axes of its block of points. Nodes of the block see as LEFT what it is so far; its
 * update is the node of what it is with this point. In the nodes of the block's merge LEFT and
 * RIGHT are two partial folds.
 *
 * Its order: the last axis of the block is dealt out to n_chains, coordinate c to chain c % n_chains,
 * and the first axis is cut into parts of split coordinates, of which the last may be shorter. In each
 * part each chain begins with the identity and goes through its points in row-major order. Then
 * chains are merged, c with c + n / 2 as n halves, n_chains first; then parts, each with all before it.
 * All folds of a block are updated at once, and merged at once. */
typedef struct
{
  guint8  type;
  guint8  reserved;
  guint16 temporary;            /* gets the result; spans none of the block's axes */
  guint16 update;               /* node of the block */
  guint16 merge;                /* node of the merge; GHLO_KERNEL_NONE: one chain, one part */
  guint64 identity;             /* bits */
} GhloKernelFold;

/* What a temporary is in the first iteration of a loop, and in each after another. After the loop
 * it is what the next iteration would have seen. Of a WHEN: what it is where the predicate is
 * false (first) and where it is true (next). The three are of one type and span the same axes. */
typedef struct
{
  guint16 temporary, first, next;
} GhloKernelCarry;

typedef enum
{
  GHLO_BLOCK_POINTS,            /* at each point of its axes evaluates its nodes, stores and folds; no axes: once */
  GHLO_BLOCK_LOOP,              /* its blocks for each coordinate of one axis, first to last */
  GHLO_BLOCK_WHILE,             /* its blocks as long as a predicate is true, which those before body compute */
  GHLO_BLOCK_WHEN,              /* its blocks where a predicate is true */
  GHLO_BLOCK_PRODUCT,           /* a temporary of rows and columns: sums of left × right over the inner axes, each
                                 * from zero on, by FMA, in row-major order of the inner axes */
  GHLO_N_BLOCKS
} GhloBlockKind;

/* One factor of a product: an access without terms, or a temporary. */
typedef struct
{
  guint16 access, temporary;    /* one of them GHLO_KERNEL_NONE */
} GhloKernelFactor;

/* Blocks stand in the order of running, each before those within it. Fields that a kind does not
 * have are 0, and GHLO_KERNEL_NONE where they are numbers of something. */
typedef struct
{
  guint8           kind;
  guint8           axes;                        /* POINTS: bits; LOOP: its bit; PRODUCT: all three of the following */
  guint8           rows, columns, inner;        /* PRODUCT: bits of axes */
  guint8           reserved;
  guint16          end;                         /* the first block behind those within it */
  guint16          body;                        /* WHILE */
  guint16          predicate;                   /* WHILE, WHEN: a temporary of type i1; spans axes of loops around */
  guint16          first_node, first_merge, end_node;
  guint16          first_store, n_stores;
  guint16          first_fold, n_folds;
  guint16          first_carry, n_carries;
  guint16          n_chains;                    /* POINTS with folds: a power of two */
  gint64           split;                       /* coordinates of the first axis in a part; 0: one part */
  GhloKernelFactor left, right;                 /* PRODUCT */
  guint16          result;                      /* PRODUCT: the temporary */
  guint16          reserved_end[3];
} GhloKernelBlock;

typedef struct
{
  const char                *name;
  gsize                      size;              /* of all of it, in bytes */
  guint64                    hash;              /* of what code depends on: no names, no sizes of buffers, no
                                                 * extents of run-time axes; equal in all processes */
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

/* The buffer that says which memory @buffer is, as far as hazards are concerned. */
static inline guint
ghlo_kernel_memory (const GhloKernel *self,
                    guint             buffer)
{
  return self->buffers[buffer].shared != GHLO_KERNEL_NONE ? self->buffers[buffer].shared : buffer;
}

/* Whether there are stores into its memory. */
static inline gboolean
ghlo_kernel_is_written (const GhloKernel *self,
                        guint             buffer)
{
  return self->buffers[ghlo_kernel_memory (self, buffer)].is_written;
}

/* The last of @axes, which are bits; GHLO_KERNEL_NONE where there is none. */
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
  guint8       n_operands;      /* of LOAD up to one */
  guint8       operand_types;   /* GhloNodeTypes, or 0: */
  guint8       operand_type;    /* GhloElementType */
  guint8       result_types;    /* GhloNodeTypes where the result has the node's own type, or 0: */
  guint8       result_type;     /* GhloElementType; INVALID: that of the operands */
} GhloNodeSpec;

const GhloNodeSpec *ghlo_node_spec  (GhloNodeKind    kind);
/* GHLO_N_NODES where there is none of that name. */
GhloNodeKind        ghlo_node_named (const char     *name);
/* The class of @type, 0 where nodes have no such type. */
guint               ghlo_node_types (GhloElementType type);

/* The type of a node's operands (of those that SELECT chooses from): its own but for comparisons, conversions
 * and functions of one type. INVALID where there are none. */
GhloElementType     ghlo_kernel_operand_type (const GhloKernel     *self,
                                              const GhloKernelNode *node);

/* Whether both have the same code: equal but for names, sizes of buffers and extents of run-time axes. */
gboolean            ghlo_kernel_equal        (const GhloKernel     *self,
                                              const GhloKernel     *other);
/* Appends what code depends on: the same bytes for kernels that are equal, others for others. */
void                ghlo_kernel_append_key   (const GhloKernel     *self,
                                              GByteArray           *bytes);
/* To be freed by g_free (). */
GhloKernel         *ghlo_kernel_copy         (const GhloKernel     *self);

G_END_DECLS
