/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The program that a kernel is compiled to, and the state of one run. Instructions work on slots: pointers to the
 * values of a node at the points of a strip. The strip of a slot is in scratch memory, and slots with disjoint live
 * ranges share it. Loads may point a slot into a buffer instead, and a value that is stored may be computed in its
 * destination.
 *
 * A block of points has up to five lists of instructions. The prologue runs once per line of points and computes what
 * is the same along it. The body runs once per strip. The groups compute what depends on a fold along the strip,
 * n_chains points at a time. The last list has the remaining stores. The merge merges the chains of folds.
 */

#pragma once

#include "cpu/isa/strips.h"
#include "cpu/strips/strips.h"

G_BEGIN_DECLS

/* A sum of strides × coordinates; strides that are 0 are left out. */
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
  gint64                 lane;          /* step of the position from one lane to the next */
  GhloCpuElementwiseFunc to_s64;        /* converts the node's value; NULL where it has 64 bits */
  guint16                slot;          /* slot of the node, or GHLO_KERNEL_NONE */
  guint8                 clamps;
  guint8                 is_varying;    /* the node varies along the strip */
} GhloCpuStripGuard;

/* An access, compiled for the lanes of one block. */
typedef struct
{
  GhloCpuStripSum    sum;
  gint64             offset;
  gint64             lane;              /* bytes from one lane to the next, where not is_general */
  gint64             own_lane;          /* the same without the terms' contribution */
  guint16            buffer;
  guint8             log2_size;         /* log2 of the bytes of an element */
  guint8             is_general;        /* each lane needs an address of its own */
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
  GHLO_CPU_STRIP_LOAD_TEMPORARY,
  GHLO_CPU_STRIP_SET_DESTINATION,               /* has the result computed where it will be stored, if possible */
  GHLO_CPU_STRIP_SET_TEMPORARY_DESTINATION,     /* the same for a result that is stored to a temporary */
  GHLO_CPU_STRIP_STORE,
  GHLO_CPU_STRIP_STORE_TEMPORARY,
  GHLO_CPU_STRIP_FOLD,
  GHLO_CPU_STRIP_UPDATE,                        /* sets a fold to operand 0 */
} GhloCpuStripKind;

typedef struct
{
  guint8  kind;                 /* GhloCpuStripKind */
  guint8  n_operands;
  guint8  shifts;               /* groups only: bit i: operand i is a whole strip; bit 3: the result is */
  guint8  log2_size;
  guint8  is_copied;            /* LOAD, LOAD_TEMPORARY: always copies, instead of pointing into memory */
  guint16 result;               /* slot, or GHLO_KERNEL_NONE */
  guint16 operands[3];          /* slots, or GHLO_KERNEL_NONE */
  guint16 index;                /* of the access in the program, temporary, axis or fold */
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
  gsize   offset;               /* of its strip in the scratch; of a constant, in the pool */
  guint8  log2_size;
  guint8  is_constant;
  guint8  has_strip;
} GhloCpuStripSlot;

typedef struct
{
  gsize   accumulators, merged; /* offsets in the scratch: of the chains; of the merged parts so far */
  guint64 identity;
  GhloCpuHalveFunc halve;       /* the loop that the block's merge amounts to, or NULL */
  guint16 temporary, left, right;
  guint8  log2_size;
  guint8  is_grouped;           /* LEFT is set anew for each group */
} GhloCpuStripFold;

typedef struct
{
  guint first, end;
} GhloCpuStripRange;

typedef struct
{
  GhloKernelBlock        block;
  guint                  lanes;         /* axis that strips run along; GHLO_KERNEL_NONE: single points */
  gboolean               is_along;      /* that axis is one of the block's */
  gboolean               is_halved;     /* the chains of each fold are merged by one loop */
  guint                  n_axes;        /* the other axes of the block, outermost first */
  guint8                 axes[GHLO_KERNEL_MAX_AXES];
  GhloCpuStripRange      prologue, body, groups, last, merge;
  guint                  left, right;   /* PRODUCT: accesses of the program, or GHLO_KERNEL_NONE */
  gsize                  strips[3];     /* PRODUCT: offsets in the scratch */
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
  GByteArray              *constants;           /* strips of constants */
  GPtrArray               *terms;               /* owned; arrays of GhloCpuStripGuard */
  gsize                    strips_size;         /* bytes of scratch in front of the temporaries */
};

/* The memory of a temporary; strides are in bytes. */
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
  gint64                     *offsets, *positions;      /* one strip each, for accesses that are general */
  guint8                     *inside;
  GCancellable               *cancellable;
  guint64                     work;                     /* points since the last check for cancellation */
  gboolean                    is_stopped;
  gsize                       n_lanes;                  /* parallel points that are run at once */
  gsize                       splat;                    /* lanes that the prologue's splats fill */
  gint64                      extents[GHLO_KERNEL_MAX_AXES];
  gint64                      point[GHLO_KERNEL_MAX_AXES];      /* coordinates of the first point of the strip */
  guint                       loops;                    /* axes of the loops around, as bits */
} GhloCpuStripRun;

/* compile-node.c: finds the loop of @node; FALSE where there is none. With *@swaps the first two operands are
 * swapped. */
GhloCpuNumber ghlo_cpu_strip_number (GhloElementType type);
gboolean ghlo_cpu_strip_find_call   (const GhloKernel        *kernel,
                                     const GhloKernelNode    *node,
                                     GhloCpuElementwiseFunc  *call,
                                     gboolean                *swaps);
/* The loop of a fold whose update is @node, an operation on LEFT; NULL where there is none. */
GhloCpuFoldFunc ghlo_cpu_strip_find_fold (const GhloKernelNode *node);
/* The loop that merges chains where the merge is @node, an operation on LEFT and RIGHT; nullable. */
GhloCpuHalveFunc ghlo_cpu_strip_find_halving (const GhloKernelNode *node);

/* compile-block.c */
gboolean ghlo_cpu_strip_compile_points (GhloCpuStrips     *self,
                                        const GhloKernel  *kernel,
                                        GhloCpuStripBlock *block,
                                        GError           **error);

/* compile-slots.c: reserves @size bytes of scratch and returns their offset. */
gsize    ghlo_cpu_strip_reserve        (gsize                   *bytes,
                                        gsize                    size);
/* Assigns strips to the slots that the instructions of @block use. */
void     ghlo_cpu_strip_assign         (GhloCpuStrips           *self,
                                        const GhloCpuStripBlock *block,
                                        gsize                   *bytes);

/* access.c: adds an access for lanes along @lanes. The caller sets what comes from the nodes of its terms. */
guint    ghlo_cpu_strip_add_access     (GhloCpuStrips         *self,
                                        const GhloKernel      *kernel,
                                        guint                  number,
                                        guint                  lanes);
gint64   ghlo_cpu_strip_add_up         (const GhloCpuStripRun *run,
                                        const GhloCpuStripSum *sum,
                                        gint64                 offset);
/* Returns the address of lane 0 of an access that is not general, and the range [*@begin, *@end) of the @n lanes that
 * are in bounds. */
guint8  *ghlo_cpu_strip_locate         (GhloCpuStripRun          *run,
                                        const GhloCpuStripAccess *access,
                                        gsize                     n,
                                        gsize                    *begin,
                                        gsize                    *end);
/* Fills in run->offsets and run->inside for each lane; returns the base address. */
guint8  *ghlo_cpu_strip_locate_each    (GhloCpuStripRun          *run,
                                        const GhloCpuStripAccess *access,
                                        gsize                     n);

/* run-points.c */
void     ghlo_cpu_strip_run_points     (GhloCpuStripRun         *run,
                                        const GhloCpuStripBlock *block);

/* execute.c: executes the instructions of @range for @n lanes. In operands that are whole strips these start at lane
 * @shift. */
void     ghlo_cpu_strip_execute        (GhloCpuStripRun         *run,
                                        GhloCpuStripRange        range,
                                        const GhloCpuStripBlock *block,
                                        gsize                    shift,
                                        gsize                    n);
guint8  *ghlo_cpu_strip_temporary      (const GhloCpuStripRun   *run,
                                        guint                    number);
/* Advances to the next point of the @n axes in row-major order; FALSE after the last one. */
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

/* Accounts for @n more points; returns whether to stop. */
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

/* The base-2 logarithm of the bytes of an element; indexes tables of loops. */
static inline guint
ghlo_cpu_strip_log2_size (GhloElementType type)
{
  return (guint) __builtin_ctz (ghlo_element_info (type)->size);
}

G_END_DECLS
