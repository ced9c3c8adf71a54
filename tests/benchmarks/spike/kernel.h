/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A kernel: a nest of parallel axes with an ordered list of stages under it. A stage
 * runs over inner axes, evaluates scalar expressions at each point, stores some and
 * folds some into accumulators. Nothing here says how it is run: that is a schedule's.
 * A kernel is plain memory without pointers: a copy is an assignment, two of equal
 * bytes are the same kernel, and a hash of the bytes names its code in a cache.
 */

#pragma once

#include "base/element.h"

G_BEGIN_DECLS

enum
{
  GHLO_KERNEL_MAX_AXES         = 8,
  GHLO_KERNEL_MAX_BUFFERS      = 16,
  GHLO_KERNEL_MAX_ACCESSES     = 24,
  GHLO_KERNEL_MAX_GUARDS       = 4,     /* of one access */
  GHLO_KERNEL_MAX_TEMPORARIES  = 16,
  GHLO_KERNEL_MAX_STAGES       = 8,
  GHLO_KERNEL_MAX_NODES        = 256,   /* bounds compile time and the time between two looks for a cancel */
  GHLO_KERNEL_MAX_STORES       = 4,     /* of one stage */
  GHLO_KERNEL_MAX_ACCUMULATORS = 4,     /* of one stage */
  GHLO_KERNEL_NAME             = 16,
};

#define GHLO_KERNEL_NONE G_MAXUINT16

/* What a node computes: (name, operands). Everything up to RIGHT has its own meaning of
 * `which`; comparisons give i1 and are false with a NaN, but for not_equal; minimum and
 * maximum give NaN for a NaN, and order -0 before +0; a shift's count is below the width.
 * Those after BITCAST exist until ghlo_kernel_expand (). A quotient is x / y with 1 / y at
 * hand, y within [2^-64, 2^64] and x not beyond 2^64: what a row is divided by. */
#define GHLO_NODE_KINDS(X)                                                                                            \
  X (CONSTANT, constant, 0) X (AXIS, axis, 0) X (LOAD, load, 0) X (TEMPORARY, temporary, 0) X (LEFT, left, 0)         \
  X (RIGHT, right, 0) X (ADD, add, 2) X (SUBTRACT, subtract, 2) X (MULTIPLY, multiply, 2) X (DIVIDE, divide, 2)       \
  X (FMA, fma, 3) X (MINIMUM, minimum, 2) X (MAXIMUM, maximum, 2) X (SQRT, sqrt, 1) X (AND, and, 2) X (OR, or, 2)     \
  X (XOR, xor, 2) X (SHIFT_LEFT, shift_left, 2) X (SHIFT_RIGHT, shift_right, 2) X (EQUAL, equal, 2)                   \
  X (NOT_EQUAL, not_equal, 2) X (LESS, less, 2) X (LESS_EQUAL, less_equal, 2) X (GREATER, greater, 2)                 \
  X (GREATER_EQUAL, greater_equal, 2) X (SELECT, select, 3) X (CONVERT, convert, 1) X (BITCAST, bitcast, 1)           \
  X (EXPONENTIAL, exponential, 1) X (RSQRT, rsqrt, 1) X (QUOTIENT, quotient, 3)

typedef enum
{
#define X(kind, name, n) GHLO_NODE_##kind,
  GHLO_NODE_KINDS (X)
#undef X
  GHLO_N_NODES,
} GhloNodeKind;

/* One scalar operation, in the arithmetic type: i1, i32, i64, f32 or f64. */
typedef struct
{
  guint8  kind;
  guint8  type;
  guint16 which;        /* the axis, access or temporary; of LEFT and RIGHT the accumulator */
  guint16 operands[3];  /* earlier nodes of the same stage, else GHLO_KERNEL_NONE */
  guint16 reserved[3];
  guint64 bits;         /* of CONSTANT, as the type has them, the rest 0 */
} GhloKernelNode;

typedef struct
{
  char     name[GHLO_KERNEL_NAME];
  gint64   extent;      /* 1 or more: who has nothing to do calls no kernel */
  gboolean parallel;    /* else inner: a stage's */
} GhloKernelAxis;

typedef struct
{
  char     name[GHLO_KERNEL_NAME];
  gint64   size;        /* bytes; no access reaches beyond */
  gboolean written;
} GhloKernelBuffer;

/* Holds where 0 <= offset + sum of stride × axis < end. */
typedef struct
{
  gint64 offset, end;
  gint64 strides[GHLO_KERNEL_MAX_AXES];
} GhloKernelGuard;

/* Elements of a buffer at a point. The storage type may differ from the arithmetic one
 * of the nodes that read and write it: bf16 is f32 there, i1 in bytes is i1. */
typedef struct
{
  guint8          element;      /* storage type */
  guint8          buffer;
  guint16         index;        /* a node of integer type, clamped to [0, index_end), or GHLO_KERNEL_NONE */
  guint16         fill;         /* the node that a load gives where a guard does not hold; a store does nothing there */
  guint16         n_guards;
  gint64          offset;       /* bytes */
  gint64          strides[GHLO_KERNEL_MAX_AXES];        /* bytes; 0 where the axis does not matter */
  gint64          index_stride, index_end;
  GhloKernelGuard guards[GHLO_KERNEL_MAX_GUARDS];
} GhloKernelAccess;

/* A value from one stage to later ones, one for each point of the inner axes that it
 * spans. Where it lives is the schedule's to say. */
typedef struct
{
  char   name[GHLO_KERNEL_NAME];
  guint8 type;          /* arithmetic and storage both */
  guint8 axes;          /* bit i: it spans axis i, an inner one */
} GhloKernelTemporary;

typedef struct
{
  guint16 node;
  guint16 access;       /* or GHLO_KERNEL_NONE: */
  guint16 temporary;    /* spans what the stage runs over */
} GhloKernelStore;

/* A fold over all axes of its stage. Nodes of the body see each accumulator so far as
 * LEFT. Where the order is free, nodes of the stage's merge put two partial folds
 * together, LEFT and RIGHT, neither of which is of earlier elements than the other. */
typedef struct
{
  guint8  type;
  guint8  reserved;
  guint16 temporary;    /* gets the result */
  guint16 updated;      /* node of the body */
  guint16 merged;       /* node of the merge, or GHLO_KERNEL_NONE: from the first element to the last */
  guint64 identity;     /* bits: where every lane begins, so it may be merged any number of times. An initial value
                         * that is more than that is one node in the stage after. */
} GhloKernelAccumulator;

typedef struct
{
  guint8                axes;           /* bit i: it runs over axis i, an inner one; the last of them fastest */
  guint8                n_stores, n_accumulators;
  guint16               first, first_merge, end;        /* of nodes: [first, first_merge) is the body */
  GhloKernelStore       stores[GHLO_KERNEL_MAX_STORES];
  GhloKernelAccumulator accumulators[GHLO_KERNEL_MAX_ACCUMULATORS];
} GhloKernelStage;

typedef struct
{
  char                name[GHLO_KERNEL_NAME * 2];
  guint16             n_axes, n_buffers, n_accesses, n_temporaries, n_stages, n_nodes;
  GhloKernelAxis      axes[GHLO_KERNEL_MAX_AXES];       /* the parallel ones first, outermost first */
  GhloKernelBuffer    buffers[GHLO_KERNEL_MAX_BUFFERS]; /* none overlaps one that is written */
  GhloKernelAccess    accesses[GHLO_KERNEL_MAX_ACCESSES];
  GhloKernelTemporary temporaries[GHLO_KERNEL_MAX_TEMPORARIES];
  GhloKernelStage     stages[GHLO_KERNEL_MAX_STAGES];
  GhloKernelNode      nodes[GHLO_KERNEL_MAX_NODES];
} GhloKernel;

/* Each adds one thing and gives its number. */
guint       ghlo_kernel_add_axis        (GhloKernel       *self,
                                         const char       *name,
                                         gint64            extent,
                                         gboolean          parallel);
guint       ghlo_kernel_add_buffer      (GhloKernel       *self,
                                         const char       *name,
                                         gint64            size,
                                         gboolean          written);
guint       ghlo_kernel_add_access      (GhloKernel       *self,
                                         guint             buffer,
                                         GhloElementType   element,
                                         gint64            offset,
                                         const gint64     *strides);
guint       ghlo_kernel_add_temporary   (GhloKernel       *self,
                                         const char       *name,
                                         GhloElementType   type,
                                         guint             axes);
guint       ghlo_kernel_add_node        (GhloKernel       *self,
                                         GhloNodeKind      kind,
                                         GhloElementType   type,
                                         guint             a,
                                         guint             b,
                                         guint             c);
guint       ghlo_kernel_add_leaf        (GhloKernel       *self,
                                         GhloNodeKind      kind,
                                         GhloElementType   type,
                                         guint             which);
guint       ghlo_kernel_add_float       (GhloKernel       *self,
                                         GhloElementType   type,
                                         double            value);
guint       ghlo_kernel_add_integer     (GhloKernel       *self,
                                         GhloElementType   type,
                                         gint64            value);

/* Nodes that are added from here on are the new stage's. Its merge's begin when
 * ghlo_kernel_begin_merge () is called, if at all. */
GhloKernelStage *ghlo_kernel_begin_stage (GhloKernel      *self,
                                          guint            axes);
void        ghlo_kernel_begin_merge     (GhloKernel       *self);
void        ghlo_kernel_end_stage       (GhloKernel       *self);
void        ghlo_kernel_store           (GhloKernel       *self,
                                         guint             node,
                                         guint             access);
void        ghlo_kernel_keep            (GhloKernel       *self,
                                         guint             node,
                                         guint             temporary);
/* What it becomes is set by the caller. */
guint       ghlo_kernel_add_accumulator (GhloKernel       *self,
                                         guint             temporary,
                                         double            identity);

guint64     ghlo_kernel_float_bits      (GhloElementType   type,
                                         double            value);
char       *ghlo_kernel_print           (const GhloKernel *self);

/* A copy with transcendental functions made of operations that every target has; with
 * @fma multiply-adds round once. NULL when it would have too many nodes. */
GhloKernel *ghlo_kernel_expand          (const GhloKernel *self,
                                         gboolean          fma);

G_END_DECLS
