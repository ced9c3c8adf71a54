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

#include "kernel/build.h"
#include "kernel/lower.h"
#include "kernel/scalar.h"

G_BEGIN_DECLS

enum
{
  GHLO_LOWER_MAX_AXES    = 16,          /* before axes are merged */
  GHLO_LOWER_MAX_RANK    = 16,
  GHLO_LOWER_MAX_GUARDS  = 8,           /* of one index */
  GHLO_LOWER_MAX_LEVELS  = 16,
  GHLO_LOWER_MAX_ITEMS   = 4096,
  GHLO_LOWER_MAX_DEPTH   = 256,         /* of the walk back: operations that follow each other */
};

#define GHLO_LOWER_NONE G_MAXUINT32

/* offset + sum of strides × coordinates of the axes */
typedef struct
{
  gint64 offset;
  gint64 strides[GHLO_LOWER_MAX_AXES];
} GhloAffine;

/* Holds where 0 <= position < end. */
typedef struct
{
  GhloAffine position;
  gint64     end;
} GhloIndexGuard;

/* An index by the point. Where a guard does not hold it means nothing. */
typedef struct
{
  guint          rank, n_guards;
  GhloAffine     dimensions[GHLO_LOWER_MAX_RANK];
  GhloIndexGuard guards[GHLO_LOWER_MAX_GUARDS];
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
  guint32 which;                        /* LOAD, INSIDE: the leaf; FOLD, LEFT, RIGHT: the fold */
  guint32 reserved;                     /* 0: items are compared as bytes */
  guint64 bits;                         /* CONSTANT */
} GhloItem;

/* How a buffer is read. */
typedef struct
{
  guint64    buffer;
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

typedef struct
{
  const GhloKernelGroup *group;
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
  /* The graph. */
  GArray                *items;         /* of GhloItem */
  GArray                *leaves;        /* of GhloLeaf */
  GArray                *folds;         /* of GhloLowerFold */
  GArray                *coordinates;   /* of GhloAffine */
  GHashTable            *unique;        /* GhloItem → number + 1 */
  GHashTable            *memo;          /* value and index, owned, → number + 1 */
  GHashTable            *reductions;    /* GhloIrOp → its first fold + 1 */
} GhloLowering;

#define ghlo_item(self, number) (&g_array_index ((self)->items, GhloItem, number))
#define ghlo_leaf(self, number) (&g_array_index ((self)->leaves, GhloLeaf, number))
#define ghlo_fold(self, number) (&g_array_index ((self)->folds, GhloLowerFold, number))

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
/* The number that @form is at the point, of an integer type. */
guint32 ghlo_lower_coordinate    (GhloLowering     *self,
                                  GhloElementType   type,
                                  const GhloAffine *form);
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

/* types.c: values of the program as nodes, those of f16 and bf16 as f32 nodes. */

/* What nodes compute values of @type in, and what such elements are loaded as; INVALID where there are none. */
GhloElementType ghlo_lower_type     (GhloElementType  type);
GhloElementType ghlo_lower_stored   (GhloElementType  type);
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

/* scalar.c: an elementwise operation on items. Refuses what has no nodes. */
guint32 ghlo_lower_scalar        (GhloLowering     *self,
                                  const GhloIrOp   *op,
                                  const guint32    *operands);
/* Two partial results of a reduction, of nodes of @type; nothing is rounded to a narrow type. */
guint32 ghlo_lower_combine       (GhloLowering     *self,
                                  GhloCombiner      combiner,
                                  GhloElementType   type,
                                  guint32           a,
                                  guint32           b);
/* Why @op has no nodes, static; NULL where it has, as far as its kind and its operands say. */
const char *ghlo_lower_scalar_obstacle (const GhloIrOp *op);

/* What both ways of lowering need: lower.c */

/* A buffer of the builder for @view; gives where it begins, in bytes from the view's first element. */
gint64  ghlo_lower_add_view      (GhloKernelBuilder *builder,
                                  const char       *name,
                                  const GhloView   *view,
                                  gboolean          is_written);
/* Number @index of the list @name of @op, @fallback where there is none. */
gint64  ghlo_lower_number        (const GhloIrOp   *op,
                                  const char       *name,
                                  guint             index,
                                  gint64            fallback);
/* The node that the comparison @op is; GHLO_N_NODES where it is none, as the total order of floats. */
GhloNodeKind ghlo_lower_comparison (const GhloIrOp *op);

/* index.c */

/* Of a value of rank 0; with the guards of @index, where that is not NULL. */
GhloIndex ghlo_lower_no_index    (const GhloIndex  *index);
/* The index of @op's operand @operand, where its result is wanted at @index; FALSE where it is none that a
 * kernel can have. */
gboolean ghlo_lower_move         (GhloLowering     *self,
                                  const GhloIrOp   *op,
                                  guint             operand,
                                  const GhloIndex  *index,
                                  GhloIndex        *moved);
gboolean ghlo_lower_is_move      (GhloIrOpKind      op);

/* walk.c: the value of @value at @index. */
guint   ghlo_lower_wanted_hash   (gconstpointer     key);
gboolean ghlo_lower_wanted_equal (gconstpointer     a,
                                  gconstpointer     b);
guint32 ghlo_lower_value         (GhloLowering     *self,
                                  const GhloIrValue *value,
                                  const GhloIndex  *index);
/* One more guard; FALSE where there is no room for it. */
gboolean ghlo_lower_add_guard    (GhloIndex        *index,
                                  const GhloAffine *position,
                                  gint64            end);
/* @value at @inner where its guards hold, which are those of @index and more; else @fill. */
guint32 ghlo_lower_guarded       (GhloLowering     *self,
                                  const GhloIrValue *value,
                                  const GhloIndex  *inner,
                                  const GhloIndex  *index,
                                  guint32           fill);

/* domain.c */
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

/* emit.c: blocks of the graph, whose @roots are what the results are. */
GhloKernel *ghlo_lower_emit      (GhloLowering     *self,
                                  const guint32    *roots,
                                  const GhloIndex  *indices,
                                  gint64           *starts,
                                  guint16          *shared);

G_END_DECLS
