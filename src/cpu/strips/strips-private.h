/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The program that a kernel becomes, and a run of it. An instruction works on slots: pointers to
 * what a node is at the points of a strip. A slot's strip is scratch, which slots share where one is
 * done with; but loads may point into a buffer, and what is stored may be computed there at once.
 *
 * A block of points has up to five lists of instructions: its prologue, once a line of
 * points, for what is the same along it; its body, once a strip; its groups, for what depends on a fold along
 * the strip, n_chains points at a time; what is stored last; and the merge of its folds.
 */

#pragma once

#include "cpu/isa/strips.h"
#include "cpu/strips/strips.h"

G_BEGIN_DECLS

/* A sum of strides × coordinates, of those strides that are not 0. */
typedef struct
{
  guint  n;
  guint8 axes[GHLO_KERNEL_MAX_AXES];
  gint64 strides[GHLO_KERNEL_MAX_AXES];
} GhloCpuStripSum;

typedef struct
{
  GhloCpuStripSum        sum;
  gint64                 offset, step, end, stride;
  gint64                 lane;          /* of the position, from one lane to the next */
  GhloCpuElementwiseFunc to_s64;        /* of the node's value; NULL where it has 64 bits */
  guint16                slot;          /* of the node, or GHLO_KERNEL_NONE */
  guint8                 clamps;
  guint8                 is_varying;    /* the node along the strip */
} GhloCpuStripGuard;

/* An access as a block with its own lanes makes it. */
typedef struct
{
  GhloCpuStripSum    sum;
  gint64             offset;
  gint64             lane;              /* bytes from one lane to the next, where it is not general */
  gint64             own_lane;          /* the same without the terms */
  guint16            buffer;
  guint8             size_row;          /* elements have 1 << size_row bytes */
  guint8             is_general;        /* lanes have addresses of their own */
  guint              n_terms;
  GhloCpuStripGuard *terms;
} GhloCpuStripAccess;

typedef enum
{
  GHLO_CPU_STRIP_CALL,
  GHLO_CPU_STRIP_SPLAT,
  GHLO_CPU_STRIP_AXIS,
  GHLO_CPU_STRIP_EXTENT,
  GHLO_CPU_STRIP_LOAD,
  GHLO_CPU_STRIP_INSIDE,
  GHLO_CPU_STRIP_READ,          /* a temporary */
  GHLO_CPU_STRIP_AIM,           /* the result is computed where it is stored, if it can be */
  GHLO_CPU_STRIP_AIM_KEEP,      /* the same for a temporary */
  GHLO_CPU_STRIP_STORE,
  GHLO_CPU_STRIP_KEEP,          /* in a temporary */
  GHLO_CPU_STRIP_FOLD,
  GHLO_CPU_STRIP_UPDATE,        /* a fold becomes operand 0 */
} GhloCpuStripKind;

typedef struct
{
  guint8  kind;                 /* GhloCpuStripKind */
  guint8  n_operands;
  guint8  shifts;               /* of groups: bit i, operand i is a whole strip; bit 3: the result is */
  guint8  size_row;
  guint8  is_copied;            /* LOAD: even where the strip could stay where it is */
  guint16 result;               /* slot, or GHLO_KERNEL_NONE */
  guint16 operands[3];          /* slots, or GHLO_KERNEL_NONE */
  guint16 which;                /* access of the program, temporary, axis or fold */
  union
    {
      GhloCpuElementwiseFunc call;
      GhloCpuFoldFunc        fold;
      GhloCpuSplatFunc       splat;
      GhloCpuRampFunc        ramp;
    } loop;
} GhloCpuStripInstruction;

typedef struct
{
  gsize   offset;               /* of its strip in the scratch, or of a constant in the pool */
  guint8  size_row;
  guint8  is_constant;
  guint8  has_strip;
} GhloCpuStripSlot;

typedef struct
{
  gsize   accumulators, whole;  /* in the scratch: of chains; of all parts so far */
  guint64 identity;
  GhloCpuHalveFunc halve;       /* what the block's merge does to it, or NULL */
  guint16 temporary, left, right;
  guint8  size_row;
  guint8  is_grouped;           /* LEFT is set for each group */
} GhloCpuStripFold;

typedef struct
{
  guint first, end;
} GhloCpuStripRange;

typedef struct
{
  GhloKernelBlock        block;
  guint                  lanes;         /* axis along which its strips are, or GHLO_KERNEL_NONE: single points */
  gboolean               is_along;      /* that is an axis of the block */
  gboolean               is_halved;     /* each fold's chains by one loop */
  guint                  n_axes;        /* the others of the block, outermost first */
  guint8                 axes[GHLO_KERNEL_MAX_AXES];
  GhloCpuStripRange      prologue, body, groups, last, merge;
  guint                  left, right;   /* PRODUCT: accesses of the program, or GHLO_KERNEL_NONE */
  gsize                  strips[3];     /* PRODUCT: in the scratch */
  GhloCpuElementwiseFunc product, fma;
} GhloCpuStripBlock;

struct _GhloCpuStrips
{
  guint                    n_axes, n_parallel, n_blocks, n_slots, n_temporaries, n_folds;
  guint                    lanes, strip;
  double                   cost;
  gboolean                 is_runtime[GHLO_KERNEL_MAX_AXES];
  gint64                   extents[GHLO_KERNEL_MAX_AXES];
  GhloKernelTemporary     *temporaries;
  guint16                 *places;              /* of temporaries (kernel/places.h) */
  GhloKernelCarry         *carries;
  GhloCpuStripFold        *folds;
  GhloCpuStripBlock       *blocks;
  GArray                  *slots, *instructions, *accesses;
  GByteArray              *constants;           /* strips */
  GPtrArray               *terms;               /* owned */
  gsize                    strips_size;         /* bytes of the scratch, before temporaries */
};

/* Where a temporary is: strides in bytes. */
typedef struct
{
  guint8 *data;
  gint64  strides[GHLO_KERNEL_MAX_AXES];
  gsize   bytes;
} GhloCpuStripTemporary;

typedef struct
{
  const GhloCpuStrips        *program;
  const GhloCpuStripRoutines *routines;
  gpointer const             *buffers;
  guint8                     *scratch;
  guint8                    **slots;
  GhloCpuStripTemporary      *temporaries;
  gint64                     *offsets, *positions;      /* a strip each, for accesses that are general */
  guint8                     *inside;
  GCancellable               *cancellable;
  guint64                     work;                     /* points since it was asked */
  gboolean                    is_stopped;
  gsize                       n_lanes;                  /* parallel points at once */
  gsize                       splat;                    /* lanes that the prologue spreads to */
  gint64                      extents[GHLO_KERNEL_MAX_AXES];
  gint64                      point[GHLO_KERNEL_MAX_AXES];      /* the first of the strip */
} GhloCpuStripRun;

/* compile-node.c: the loop of @node; FALSE where there is none. Operands change places where *@swaps. */
GhloCpuNumber ghlo_cpu_strip_number (GhloElementType type);
gboolean ghlo_cpu_strip_find_call   (const GhloKernel        *kernel,
                                     const GhloKernelNode    *node,
                                     GhloCpuElementwiseFunc  *call,
                                     gboolean                *swaps);
/* The fold that @node is of what is LEFT, NULL where it is none that has a loop. */
GhloCpuFoldFunc ghlo_cpu_strip_find_fold (const GhloKernelNode *node);
/* The same of a merge of LEFT and RIGHT. */
GhloCpuHalveFunc ghlo_cpu_strip_find_halving (const GhloKernelNode *node);

/* compile-block.c */
gboolean ghlo_cpu_strip_compile_points (GhloCpuStrips     *self,
                                        const GhloKernel  *kernel,
                                        GhloCpuStripBlock *block,
                                        GError           **error);

/* compile-slots.c: the offset of @size bytes of scratch. */
gsize    ghlo_cpu_strip_take           (gsize                   *bytes,
                                        gsize                    size);
/* Gives strips to the slots of the instructions of @block. */
void     ghlo_cpu_strip_assign         (GhloCpuStrips           *self,
                                        const GhloCpuStripBlock *block,
                                        gsize                   *bytes);

/* access.c: adds an access along @lanes; what its terms' nodes are is set by the caller. */
guint    ghlo_cpu_strip_add_access     (GhloCpuStrips         *self,
                                        const GhloKernel      *kernel,
                                        guint                  number,
                                        guint                  lanes);
gint64   ghlo_cpu_strip_add_up         (const GhloCpuStripRun *run,
                                        const GhloCpuStripSum *sum,
                                        gint64                 offset);
/* The place of lane 0, and the lanes [*@begin, *@end) of @n that are inside, of an access that is not general. */
guint8  *ghlo_cpu_strip_locate         (GhloCpuStripRun          *run,
                                        const GhloCpuStripAccess *access,
                                        gsize                     n,
                                        gsize                    *begin,
                                        gsize                    *end);
/* Fills in the run's offsets and inside. */
guint8  *ghlo_cpu_strip_locate_each    (GhloCpuStripRun          *run,
                                        const GhloCpuStripAccess *access,
                                        gsize                     n);

/* run-points.c */
void     ghlo_cpu_strip_run_points     (GhloCpuStripRun         *run,
                                        const GhloCpuStripBlock *block);

/* execute.c: the instructions of @range for @n lanes, which are those from @shift on of what are whole strips. */
void     ghlo_cpu_strip_execute        (GhloCpuStripRun         *run,
                                        GhloCpuStripRange        range,
                                        const GhloCpuStripBlock *block,
                                        gsize                    shift,
                                        gsize                    n);
guint8  *ghlo_cpu_strip_temporary      (const GhloCpuStripRun   *run,
                                        guint                    number);
/* The next point of the @n axes in row-major order; FALSE where there is none. */
gboolean ghlo_cpu_strip_next           (GhloCpuStripRun         *run,
                                        const guint8            *axes,
                                        guint                    n);

/* product.c */
void     ghlo_cpu_strip_run_product    (GhloCpuStripRun         *run,
                                        const GhloCpuStripBlock *block);

static inline const GhloCpuStripAccess *
ghlo_cpu_strip_access (const GhloCpuStrips *self,
                       guint                number)
{
  return &g_array_index (self->accesses, GhloCpuStripAccess, number);
}

/* Whether to stop; @n more points are done. */
static inline gboolean
ghlo_cpu_strip_stops (GhloCpuStripRun *run,
                      gsize            n)
{
  run->work += n;
  if (run->work > 65536)
    {
      run->work = 0;
      run->is_stopped |= run->cancellable != NULL && g_cancellable_is_cancelled (run->cancellable);
    }

  return run->is_stopped;
}

/* The row of elements of @type in tables of loops by the size of elements, which is 1 << row. */
static inline guint
ghlo_cpu_strip_size_row (GhloElementType type)
{
  return (guint) __builtin_ctz (ghlo_element_info (type)->size);
}

G_END_DECLS
