/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of this folder share: the graph that a group is made into before blocks are made
 * of it. An item of the graph is the value of some operation at some index, as a function of the point;
 * equal ones are one item.
 *
 * A group with reductions has levels. An item of level l needs folds of levels below l. Items that do
 * not depend on inner axes are row items. Blocks run in the order row 0, full 0, row 1, full 1, …,
 * and folds of level l belong to the full block l.
 */

#pragma once

#include "ir/arena.h"
#include "kernel/build.h"
#include "kernel/lower.h"
#include "kernel/scalar.h"

G_BEGIN_DECLS

enum
{
  GHLO_LOWER_MAX_AXES    = 16,          /* before axes are merged */
  GHLO_LOWER_LOOP_AXIS   = GHLO_LOWER_MAX_AXES - 1,     /* that of a loop, where the kernel is one */
  GHLO_LOWER_MAX_STARTS  = 8,
  GHLO_LOWER_MAX_VARIABLES = GHLO_LOWER_MAX_AXES + GHLO_LOWER_MAX_STARTS,
  GHLO_LOWER_MAX_RANK    = 16,
  GHLO_LOWER_MAX_GUARDS  = 8,           /* of one index */
  GHLO_LOWER_MAX_LEVELS  = 16,
  GHLO_LOWER_MAX_ITEMS   = 4096,
  GHLO_LOWER_MAX_DEPTH   = 256,         /* of the walk back: operations that follow each other */
};

#define GHLO_LOWER_NONE G_MAXUINT32

/* offset + sum of strides × coordinates of the axes, and then the starts */
typedef struct
{
  gint64 offset;
  gint64 strides[GHLO_LOWER_MAX_VARIABLES];
} GhloAffine;

/* Holds where 0 <= position < end; without starts. */
typedef struct
{
  const GhloAffine *position;
  gint64            end;
} GhloIndexGuard;

/* An index by the point. Where a guard does not hold it means nothing. Its forms are the lowering's, which has each
 * of them once, so that pointers are compared. */
typedef struct
{
  guint             rank, n_guards;
  guint             part;               /* of a complex number: 0 for the real part, 1 for the imaginary one; else 0 */
  const GhloAffine *dimensions[GHLO_LOWER_MAX_RANK];
  GhloIndexGuard    guards[GHLO_LOWER_MAX_GUARDS];
} GhloIndex;

/* Kinds of items beyond those of nodes. */
enum
{
  GHLO_ITEM_FOLD = GHLO_N_NODES,        /* what a fold gives; which: the fold */
  GHLO_ITEM_COORDINATE,                 /* an affine form of the point; which: its number */
};

typedef struct
{
  guint8  kind, type;
  guint8  is_row, level;
  guint32 operands[3];                  /* items, or GHLO_LOWER_NONE */
  guint32 which;                        /* LOAD, INSIDE: the leaf; FOLD, LEFT, RIGHT: the fold; TEMPORARY: twice the
                                         * carried value, and its part */
  guint32 reserved;                     /* 0: items are compared as bytes */
  guint64 bits;                         /* CONSTANT */
} GhloItem;

/* Where a slice begins: an integer of the program, brought to [0, end). */
typedef struct
{
  guint32 item;
  gint64  end;
} GhloLowerStart;

/* How a buffer is read. */
typedef struct
{
  guint      buffer;
  GhloIndex  index;                     /* of the operand's own dimensions */
} GhloLeaf;

typedef struct
{
  GhloElementType type;                 /* of the node */
  guint64         identity;
  guint32         update, merge;        /* items; merge may be GHLO_LOWER_NONE */
  guint           level;
  guint           n_chains;             /* 0: as the shape has it; else 1 */
} GhloLowerFold;

/* What becomes of an item, which is a value or one part of complex ones. */
typedef struct
{
  guint32   item;
  guint16   temporary;                  /* or GHLO_KERNEL_NONE: */
  guint     result;                     /* it is stored there, at */
  GhloIndex index;                      /* of temporaries with the strides that say whether it is a row */
} GhloLowerRoot;

/* loop.c: the values that a loop carries. */
typedef enum
{
  GHLO_CARRIED_SAME,                    /* handed on as it is */
  GHLO_CARRIED_COUNTER,                 /* of a counted loop: a multiple of the axis' coordinate */
  GHLO_CARRIED_STACK,                   /* each iteration writes a part of it, and none reads it: the result itself */
  GHLO_CARRIED_KEPT,                    /* in temporaries */
} GhloCarriedKind;

/* Its temporaries: as GhloKernelCarry has them. */
enum { GHLO_CARRIED_NOW, GHLO_CARRIED_FIRST, GHLO_CARRIED_NEXT, GHLO_CARRIED_N };

typedef struct
{
  GhloCarriedKind    kind;
  const GhloIrType  *type;
  const GhloIrValue *first, *next;
  gboolean           is_row;            /* of one element */
  guint16            temporaries[2][GHLO_CARRIED_N];   /* of its parts; those of complex numbers have two */
} GhloLowerCarried;

/* A loop that is counted has an axis for its iterations; any other a condition. */
typedef struct
{
  const GhloIrOp    *op;
  const GhloIrBlock *condition, *body;  /* condition: NULL where the loop is counted */
  gint64             start, step, trips;
  guint              n_carried;
  GhloLowerCarried  *carried;           /* owned */
} GhloLowerLoop;

typedef struct
{
  const GhloKernelGroup *group;
  const GhloLowerLoop   *loop;          /* that this is a stage of, or NULL */
  const char            *reason;        /* why there is no kernel; static */
  guint                  depth;
  /* The domain. */
  guint                  n_axes, n_parallel;
  gint64                 extents[GHLO_LOWER_MAX_AXES];
  guint                  rank;          /* of what is reduced */
  gint64                 dimensions[GHLO_LOWER_MAX_RANK];
  gint                   axes[GHLO_LOWER_MAX_RANK];     /* of each the axis, or -1 where it has one element */
  guint64                is_reduced;    /* bits of its dimensions */
  const GhloIrOp        *window;        /* the reduction of windows, or NULL */
  guint                  n_starts;
  GhloLowerStart         starts[GHLO_LOWER_MAX_STARTS];
  /* The graph. */
  GhloIrArena            arena;
  GhloIrInternTable      forms;         /* of GhloAffine, in the arena */
  const GhloAffine      *zero;          /* one of them */
  GArray                *items;         /* of GhloItem */
  GArray                *leaves;        /* of GhloLeaf */
  GArray                *folds;         /* of GhloLowerFold */
  GArray                *coordinates;   /* of const GhloAffine *, forms */
  GhloIrInternTable      unique;        /* number + 1 of each item */
  GhloIrInternTable      memo;          /* of walk.c */
  GHashTable            *reductions;    /* GhloIrOp → its first fold + 1 */
} GhloLowering;

#define ghlo_item(self, number) (&g_array_index ((self)->items, GhloItem, number))
#define ghlo_leaf(self, number) (&g_array_index ((self)->leaves, GhloLeaf, number))
#define ghlo_fold(self, number) (&g_array_index ((self)->folds, GhloLowerFold, number))
#define ghlo_coordinate(self, number) g_array_index ((self)->coordinates, const GhloAffine *, number)

/* Remembers the first reason; gives GHLO_LOWER_NONE. */
guint32 ghlo_lower_refuse        (GhloLowering     *self,
                                  const char       *reason);

/* graph.c */
void    ghlo_lower_init_graph    (GhloLowering     *self);
void    ghlo_lower_clear_graph   (GhloLowering     *self);
guint32 ghlo_lower_node          (GhloLowering     *self,
                                  GhloNodeKind      kind,
                                  GhloElementType   type,
                                  guint32           a,
                                  guint32           b,
                                  guint32           c);
guint32 ghlo_lower_constant      (GhloLowering     *self,
                                  GhloElementType   type,
                                  guint64           bits);
guint32 ghlo_lower_float         (GhloLowering     *self,
                                  GhloElementType   type,
                                  double            value);
guint32 ghlo_lower_side          (GhloLowering     *self,
                                  GhloNodeKind      kind,       /* LEFT, RIGHT */
                                  guint             fold);
guint32 ghlo_lower_fold_result   (GhloLowering     *self,
                                  guint             fold);
/* The number that @form, one of the lowering, is at the point, of an integer type. */
guint32 ghlo_lower_coordinate    (GhloLowering     *self,
                                  GhloElementType   type,
                                  const GhloAffine *form);
/* What a carried value, or one part of it, is in this iteration, as it is stored. */
guint32 ghlo_lower_carried_item  (GhloLowering     *self,
                                  GhloElementType   type,
                                  guint             carried,
                                  guint             part,
                                  gboolean          is_row);
/* Of a buffer at @index, of the node type that its elements are stored as; @fill, or zero, where a guard does
 * not hold. */
guint32 ghlo_lower_load          (GhloLowering     *self,
                                  guint             buffer,
                                  GhloElementType   type,
                                  const GhloIndex  *index,
                                  guint32           fill);
/* Whether all guards of @index hold. */
guint32 ghlo_lower_inside        (GhloLowering     *self,
                                  const GhloIndex  *index);

/* types.c: values of the program as nodes, those of floats below 32 bits as f32 nodes, those of complex numbers by
 * their parts. */

/* What nodes compute values of @type in, and what such elements are loaded as; INVALID where there are none. */
GhloElementType ghlo_lower_type     (GhloElementType  type);
GhloElementType ghlo_lower_stored   (GhloElementType  type);
/* Whether exact operations on numbers of @type give numbers of it: not where a negative zero, a sign, or a NaN is
 * missing. */
gboolean ghlo_lower_is_closed    (GhloElementType   type);
guint32 ghlo_lower_decode        (GhloLowering     *self,
                                  GhloElementType   type,
                                  guint32           stored);
guint32 ghlo_lower_encode        (GhloLowering     *self,
                                  GhloElementType   type,
                                  guint32           value);
/* @value rounded to @type, of which it is one that was just computed. */
guint32 ghlo_lower_round         (GhloLowering     *self,
                                  GhloElementType   type,
                                  guint32           value);

/* scalar.c: an elementwise operation on items, none of them complex. Refuses what has no nodes. */
guint32 ghlo_lower_scalar        (GhloLowering     *self,
                                  const GhloIrOp   *op,
                                  const guint32    *operands);
guint32 ghlo_lower_convert       (GhloLowering     *self,
                                  GhloElementType   from,
                                  GhloElementType   to,
                                  guint32           value);
/* Two partial results of a reduction, of nodes of @type; nothing is rounded to a narrow type. */
guint32 ghlo_lower_combine       (GhloLowering     *self,
                                  GhloCombiner      combiner,
                                  GhloElementType   type,
                                  guint32           a,
                                  guint32           b);
/* Why @op has no nodes, static; NULL where it has, as far as its kind and its operands say. */
const char *ghlo_lower_scalar_obstacle (const GhloIrOp *op);

/* complex.c */

typedef struct
{
  guint32 re, im;
} GhloComplexItem;

/* The parts of the result of @op, an operation that takes or gives complex numbers; of operands that are real, both
 * parts are the number. Refuses what has no nodes. */
GhloComplexItem ghlo_lower_complex  (GhloLowering         *self,
                                     const GhloIrOp        *op,
                                     const GhloComplexItem *operands);
/* Two partial results of a reduction, of parts of @type. */
GhloComplexItem ghlo_lower_complex_combine (GhloLowering    *self,
                                            GhloCombiner     combiner,
                                            GhloElementType  type,
                                            GhloComplexItem  x,
                                            GhloComplexItem  y);
/* Whether values of @op are complex numbers. */
gboolean ghlo_lower_has_complex  (const GhloIrOp   *op);
/* Why such an operation has no nodes, static; NULL where it has. */
const char *ghlo_lower_complex_obstacle (const GhloIrOp *op);

/* bits.c: operations on nodes of @type that are such on bits. */
guint32 ghlo_lower_next_after    (GhloLowering     *self,
                                  const GhloIrOp   *op,
                                  GhloElementType   type,
                                  const guint32    *operands);
guint32 ghlo_lower_reduce_precision (GhloLowering  *self,
                                  const GhloIrOp   *op,
                                  GhloElementType   type,
                                  const guint32    *operands);

/* What both ways of lowering need: lower.c */

/* A buffer of the builder for @view; gives where it begins, in bytes from the view's first element. */
gint64  ghlo_lower_add_view      (GhloKernelBuilder *builder,
                                  const char       *name,
                                  const GhloView   *view,
                                  gboolean          is_written);
/* The value that is result @result of the group. */
const GhloIrValue *ghlo_lower_get_result (const GhloKernelGroup *group,
                                          guint                  result);
/* Number @index of the list @name of @op, @fallback where there is none. */
gint64  ghlo_lower_number        (const GhloIrOp   *op,
                                  const char       *name,
                                  guint             index,
                                  gint64            fallback);
/* The node that the comparison @op is; GHLO_N_NODES where it is none, as the total order of floats. */
GhloNodeKind ghlo_lower_comparison (const GhloIrOp *op);

/* index.c */

/* The one of the lowering that is equal to @form. */
const GhloAffine *ghlo_lower_form (GhloLowering     *self,
                                  const GhloAffine *form);
/* @form, moved on by @distance. */
const GhloAffine *ghlo_lower_shift (GhloLowering     *self,
                                  const GhloAffine *form,
                                  gint64            distance);
/* The first element of a value of @rank dimensions; guards and part are those of @index, where that is not NULL. */
GhloIndex ghlo_lower_origin      (GhloLowering     *self,
                                  guint             rank,
                                  const GhloIndex  *index);
/* Whether both are the same element, guards and parts aside. */
gboolean ghlo_lower_same_place   (const GhloIndex  *a,
                                  const GhloIndex  *b);
gboolean ghlo_lower_same_index   (const GhloIndex  *a,
                                  const GhloIndex  *b);
/* The index of @op's operand @operand, where its result is wanted at @index; FALSE where it is none that a
 * kernel can have. */
gboolean ghlo_lower_move         (GhloLowering     *self,
                                  const GhloIrOp   *op,
                                  guint             operand,
                                  const GhloIndex  *index,
                                  GhloIndex        *moved);
gboolean ghlo_lower_is_move      (GhloIrOpKind      op);

/* start.c */

/* The result of @op, a dynamic slice or a gather, at @index. */
guint32 ghlo_lower_started       (GhloLowering     *self,
                                  const GhloIrOp   *op,
                                  const GhloIndex  *index);
gboolean ghlo_lower_has_starts   (const GhloAffine *form);
/* Whether @index has start number @start. */
gboolean ghlo_lower_uses_start   (const GhloIndex  *index,
                                  guint             start);

/* walk.c: the value of @value at @index. */
guint32 ghlo_lower_value         (GhloLowering     *self,
                                  const GhloIrValue *value,
                                  const GhloIndex  *index);
/* One more guard; FALSE where there is no room for it, or @position, one of the lowering, has starts. */
gboolean ghlo_lower_add_guard    (GhloIndex        *index,
                                  const GhloAffine *position,
                                  gint64            end);
/* @value at @inner where its guards hold, which are those of @index and more; else @fill. */
guint32 ghlo_lower_guarded       (GhloLowering     *self,
                                  const GhloIrValue *value,
                                  const GhloIndex  *inner,
                                  const GhloIndex  *index,
                                  guint32           fill);

/* domain.c: from the group, or from @type, of which @reduced (bits) are reduced. */
gboolean ghlo_lower_set_domain   (GhloLowering     *self,
                                  const GhloIrType *type,
                                  guint64           reduced);
gboolean ghlo_lower_find_domain  (GhloLowering     *self);
guint64 ghlo_lower_reduced_dimensions (const GhloIrOp *op);
/* The elements of @type, one for each point of the domain, or of its parallel axes with @is_row. FALSE where the shapes
 * differ. */
gboolean ghlo_lower_identity     (GhloLowering     *self,
                                  const GhloIrType *type,
                                  gboolean          is_row,
                                  GhloIndex        *index);

/* reduce.c: the fold of result @result of @op, whose value is wanted at @index. */
guint32 ghlo_lower_reduce        (GhloLowering     *self,
                                  const GhloIrOp   *op,
                                  guint             result,
                                  const GhloIndex  *index);

/* lower.c */
void    ghlo_lower_init          (GhloLowering          *self,
                                  const GhloKernelGroup *group);
void    ghlo_lower_clear         (GhloLowering          *self);
/* 2 of complex numbers, else 1. */
static inline guint
ghlo_lower_n_parts (const GhloIrType *type)
{
  return ghlo_element_type_is_complex (type->element_type) ? 2 : 1;
}

/* Part @part of @value as it is stored, and where: at each point, or where it is the same at all of them, once. FALSE
 * where it is of another shape. */
gboolean ghlo_lower_root         (GhloLowering          *self,
                                  const GhloIrValue     *value,
                                  guint                  part,
                                  GhloLowerRoot         *root);

/* loop.c: values in a loop that the kernel is */

static inline gboolean
ghlo_lower_is_counted (const GhloLowering *self)
{
  return self->loop != NULL && self->loop->condition == NULL;
}

/* The loop of @group, or NULL. */
const GhloIrOp *ghlo_lower_find_loop (const GhloKernelGroup *group);
/* An argument of one of the loop's regions, or what it is in the end, at @index. */
guint32 ghlo_lower_carried       (GhloLowering      *self,
                                  const GhloIrValue *value,
                                  const GhloIndex   *index);
/* What @loop carries; NULL, or why that is no kernel, static. */
const char *ghlo_lower_read_loop (GhloLowerLoop     *loop,
                                  const GhloIrOp    *op);

/* loop-forms.c: whether @start is in [0, @end) in each iteration, as a form of its coordinate. */
gboolean ghlo_lower_slice_start  (const GhloLowerLoop *loop,
                                  const GhloIrValue   *start,
                                  gint64               end,
                                  GhloAffine          *form);
void    ghlo_lower_add_start     (GhloAffine          *form,
                                  const GhloAffine    *start);
/* Whether carried value @number is a stack. */
gboolean ghlo_lower_is_stack     (const GhloLowerLoop *loop,
                                  guint                number);
/* The part of a stack that @op, a dynamic_update_slice, writes: where its elements at @update are of all. */
gboolean ghlo_lower_stack_index  (GhloLowering        *self,
                                  const GhloIrOp      *op,
                                  const GhloIndex     *update,
                                  GhloIndex           *index);

/* lower-loop.c: a group of the loop @op and constants; NULL with *reason, static, where it is no kernel. */
GhloKernel *ghlo_lower_loop      (const GhloKernelGroup *group,
                                  const GhloIrOp        *op,
                                  gint64                *starts,
                                  const char           **reason);

/* emit.c: blocks of the graph, whose @roots are what the results are. */
GhloKernel *ghlo_lower_emit      (GhloLowering        *self,
                                  const GhloLowerRoot *roots,
                                  guint                n_roots,
                                  gint64              *starts);

G_END_DECLS
