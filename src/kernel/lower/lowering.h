/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the files of this folder: the graph that is built from a group, and from which blocks are emitted. An
 * expression of the graph is the value of an operation at an index, as a function of the point. Expressions are
 * interned: equal expressions are one.
 *
 * A group with reductions has levels. An expression of level l needs folds of levels below l. Expressions that do not
 * depend on inner axes are row expressions. Blocks run in the order row 0, full 0, row 1, full 1, …, and folds of level
 * l belong to full block l.
 */

#pragma once

#include "ir/arena.h"
#include "ir/window.h"
#include "kernel/build.h"
#include "kernel/lower.h"
#include "kernel/scalar.h"

G_BEGIN_DECLS

enum
{
  GHLO_LOWER_MAX_AXES    = 16,          /* before axes are merged */
  GHLO_LOWER_LOOP_AXIS   = GHLO_LOWER_MAX_AXES - 1,     /* the axis of the loop, where the kernel is a loop */
  GHLO_LOWER_MAX_DYNAMIC_OFFSETS = 8,
  GHLO_LOWER_MAX_VARIABLES = GHLO_LOWER_MAX_AXES + GHLO_LOWER_MAX_DYNAMIC_OFFSETS,
  GHLO_LOWER_MAX_RANK    = 16,
  GHLO_LOWER_MAX_GUARDS  = 8,           /* guards of one index */
  GHLO_LOWER_MAX_LEVELS  = 16,
  GHLO_LOWER_MAX_EXPRS   = 4096,
  GHLO_LOWER_MAX_DEPTH   = 256,         /* depth of the walk back: operations in a chain */
  GHLO_LOWER_MAX_UPDATES = 8,           /* of one array in an iteration of a loop */
};

#define GHLO_LOWER_NONE G_MAXUINT32

/* The limit of indices, and of addresses in bytes. The distance between two fits 63 bits. */
#define GHLO_LOWER_MAX_MAGNITUDE ((gint64) 1 << 61)

/* offset + sum of strides × variables: the coordinates of the axes, then the dynamic offsets */
typedef struct
{
  gint64 offset;
  gint64 strides[GHLO_LOWER_MAX_VARIABLES];
} GhloAffine;

/* Holds where position is a multiple of step and 0 <= position / step < end; position uses no dynamic offsets. Where
 * step is more than 1, position / step is the index in @dimension of an operand, whose own function there is 0. */
typedef struct
{
  const GhloAffine *position;
  gint64            end, step;
  guint64           dimension;
} GhloIndexGuard;

/* An index as a function of the point; undefined where a guard does not hold. Its affine functions are interned by the
 * lowering, so they are compared by pointer. */
typedef struct
{
  guint             rank, n_guards;
  guint             part;               /* 0 or 1: the real or imaginary part of a complex number; else 0 */
  const GhloAffine *dimensions[GHLO_LOWER_MAX_RANK];
  GhloIndexGuard    guards[GHLO_LOWER_MAX_GUARDS];
} GhloIndex;

/* Kinds of expressions in addition to those of nodes. */
enum
{
  GHLO_EXPR_FOLD = GHLO_N_NODES,        /* the result of a fold; ref: the fold */
  GHLO_EXPR_COORDINATE,                 /* an affine function of the coordinates; ref: its number */
};

typedef struct
{
  guint8  kind, type;
  guint8  is_row, level;
  guint32 operands[3];                  /* expressions, or GHLO_LOWER_NONE */
  guint32 ref;                          /* LOAD, INSIDE: the read; FOLD, LEFT, RIGHT: the fold; TEMPORARY: 2 × the
                                         * carried value + its part */
  guint32 reserved;                     /* 0: expressions are compared as bytes */
  guint64 bits;                         /* CONSTANT */
} GhloExpr;

/* A start index of a slice or gather that is known at run time only: an integer expression, clamped to [0, end). */
typedef struct
{
  guint32 expr;
  gint64  end;
} GhloDynamicOffset;

/* A read of a buffer. */
typedef struct
{
  guint      buffer;
  GhloIndex  index;                     /* in the dimensions of the operand */
} GhloLowerRead;

typedef struct
{
  GhloElementType type;                 /* of the node */
  guint64         identity;
  guint32         update, merge;        /* expressions; merge is nullable: GHLO_LOWER_NONE */
  guint           level;
  guint           n_chains;             /* 0: derived from the shape; else 1 */
} GhloLowerFold;

/* Where an expression goes, which is a value or one part of a complex value. */
typedef struct
{
  guint32   expr;
  guint16   temporary;                  /* the temporary that receives it, or GHLO_KERNEL_NONE where it is stored */
  guint     result;                     /* the result that it is stored to, at index */
  GhloIndex index;                      /* for temporaries, its strides only tell whether the value is a row */
} GhloLowerOutput;

/* loop.c: the kinds of loop-carried values. */
typedef enum
{
  GHLO_CARRIED_INVARIANT,               /* passed on unchanged */
  GHLO_CARRIED_COUNTER,                 /* of a counted loop: a linear function of the axis' coordinate */
  GHLO_CARRIED_STACK,                   /* each iteration writes a part that none reads: written to the result
                                         * directly */
  GHLO_CARRIED_ARRAY,                   /* each iteration reads and writes single elements: they are in the result */
  GHLO_CARRIED_TEMPORARY,               /* kept in temporaries */
} GhloCarriedKind;

/* The temporaries of a carried value, as in GhloKernelCarry. */
enum { GHLO_CARRIED_CURRENT, GHLO_CARRIED_FIRST, GHLO_CARRIED_NEXT, GHLO_CARRIED_N };

typedef struct
{
  GhloCarriedKind    kind;
  guint              result;            /* of an ARRAY: the result of the group that it becomes */
  const GhloIrType  *type;
  const GhloIrValue *first, *next;
  gboolean           is_row;            /* it has one element */
  guint16            temporaries[2][GHLO_CARRIED_N];   /* for each part; complex numbers have two parts */
} GhloLowerCarried;

/* A counted loop has an axis for its iterations; other loops have a condition. */
typedef struct
{
  const GhloIrOp    *op;
  const GhloIrBlock *condition, *body;  /* condition is NULL for a counted loop */
  gint64             start, step, trips;
  guint              n_carried;
  GhloLowerCarried  *carried;           /* owned */
} GhloLowerLoop;

typedef struct
{
  const GhloKernelGroup *group;
  const GhloLowerLoop   *loop;          /* the loop that this stage belongs to, or NULL */
  const char            *reason;        /* why there is no kernel; a static text */
  guint                  depth;
  /* The domain: the axes of the points. */
  guint                  n_axes, n_parallel;
  gint64                 extents[GHLO_LOWER_MAX_AXES];
  gint64                 n_points;      /* the product of the extents, without that of a loop */
  guint                  rank;          /* of the shape that is reduced */
  gint64                 dimensions[GHLO_LOWER_MAX_RANK];
  gint                   axes[GHLO_LOWER_MAX_RANK];     /* for each dimension its axis; -1 for one element */
  guint64                is_reduced;    /* bits of the reduced dimensions */
  const GhloIrOp        *window;        /* the reduce_window or convolution, or NULL */
  guint                  n_dynamic_offsets;
  GhloDynamicOffset      dynamic_offsets[GHLO_LOWER_MAX_DYNAMIC_OFFSETS];
  /* The graph. */
  GhloIrArena            arena;
  GhloIrInternTable      affines;       /* of GhloAffine, interned in the arena */
  const GhloAffine      *zero;          /* the affine function 0 */
  GArray                *exprs;         /* of GhloExpr */
  GArray                *reads;         /* of GhloLowerRead */
  GArray                *folds;         /* of GhloLowerFold */
  GArray                *coordinates;   /* of const GhloAffine *, interned */
  GhloIrInternTable      unique;        /* from expressions to their number + 1 */
  GhloIrInternTable      memo;          /* belongs to walk.c */
  GHashTable            *reductions;    /* from GhloIrOp to its first fold + 1 */
} GhloLowering;

#define ghlo_expr(self, number) (&g_array_index ((self)->exprs, GhloExpr, number))
#define ghlo_lower_read(self, number) (&g_array_index ((self)->reads, GhloLowerRead, number))
#define ghlo_fold(self, number) (&g_array_index ((self)->folds, GhloLowerFold, number))
#define ghlo_coordinate(self, number) g_array_index ((self)->coordinates, const GhloAffine *, number)

/* Records the reason if it is the first one; returns GHLO_LOWER_NONE. */
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
guint32 ghlo_lower_fold_operand  (GhloLowering     *self,
                                  GhloNodeKind      kind,       /* LEFT, RIGHT */
                                  guint             fold);
guint32 ghlo_lower_fold_result   (GhloLowering     *self,
                                  guint             fold);
/* Returns the value of @affine, an interned affine function, at the point, as an integer type. */
guint32 ghlo_lower_coordinate    (GhloLowering     *self,
                                  GhloElementType   type,
                                  const GhloAffine *affine);
/* Returns a carried value, or one part of it, in the current iteration, as its stored type. */
guint32 ghlo_lower_carried_expr  (GhloLowering     *self,
                                  GhloElementType   type,
                                  guint             carried,
                                  guint             part,
                                  gboolean          is_row);
/* Loads from a buffer at @index as the type that nodes load its elements as; where a guard does not hold, the value is
 * @fill, or zero. */
guint32 ghlo_lower_load          (GhloLowering     *self,
                                  guint             buffer,
                                  GhloElementType   type,
                                  const GhloIndex  *index,
                                  guint32           fill);
/* Returns whether all guards of @index hold, as an expression. */
guint32 ghlo_lower_inside        (GhloLowering     *self,
                                  const GhloIndex  *index);

/* types.c: how values of the program are represented by nodes. Floats of fewer than 32 bits are f32 nodes, integers of
 * fewer than 8 bits are bytes, and complex numbers are represented by their parts. */

/* Return the types in which nodes compute with values of @type, and as which they load its elements; INVALID where
 * there are none. */
GhloElementType ghlo_lower_type     (GhloElementType  type);
GhloElementType ghlo_lower_stored   (GhloElementType  type);
/* Returns whether @type is an integer of fewer than 8 bits. */
gboolean ghlo_lower_is_small     (GhloElementType   type);
/* Returns whether exact operations on numbers of @type yield numbers of @type. FALSE for small integers, and for float
 * formats without a negative zero, without signs, or without NaN. */
gboolean ghlo_lower_is_closed    (GhloElementType   type);
guint32 ghlo_lower_decode        (GhloLowering     *self,
                                  GhloElementType   type,
                                  guint32           stored);
guint32 ghlo_lower_encode        (GhloLowering     *self,
                                  GhloElementType   type,
                                  guint32           value);
/* Rounds or wraps @value, which has just been computed, to @type. */
guint32 ghlo_lower_round         (GhloLowering     *self,
                                  GhloElementType   type,
                                  guint32           value);

/* scalar.c: an elementwise operation on expressions that are not complex. Refuses operations without nodes. */
guint32 ghlo_lower_scalar        (GhloLowering     *self,
                                  const GhloIrOp   *op,
                                  const guint32    *operands);
/* Combines two partial results of a reduction, as nodes of @type, without rounding to a narrow type. */
guint32 ghlo_lower_combine       (GhloLowering     *self,
                                  GhloCombiner      combiner,
                                  GhloElementType   type,
                                  guint32           a,
                                  guint32           b);
/* Returns why @op has no nodes, a static text, or NULL where it has, as far as its kind and operands tell. */
const char *ghlo_lower_scalar_obstacle (const GhloIrOp *op);

/* convert.c: converts @value, a number of @from, to @to. */
guint32 ghlo_lower_convert       (GhloLowering     *self,
                                  GhloElementType   from,
                                  GhloElementType   to,
                                  guint32           value);
/* Whether all numbers of integer type @from are numbers of the float type @to. */
gboolean ghlo_lower_holds_integers (GhloElementType to,
                                    GhloElementType from);

/* complex.c */

typedef struct
{
  guint32 re, im;
} GhloComplexExpr;

/* Returns the parts of the result of @op, an operation with complex operands or results. Of a real operand, both parts
 * are the number. Refuses operations without nodes. */
GhloComplexExpr ghlo_lower_complex  (GhloLowering          *self,
                                     const GhloIrOp        *op,
                                     const GhloComplexExpr *operands);
/* Combines two partial results of a reduction; their parts have @type. */
GhloComplexExpr ghlo_lower_complex_combine (GhloLowering    *self,
                                            GhloCombiner     combiner,
                                            GhloElementType  type,
                                            GhloComplexExpr  x,
                                            GhloComplexExpr  y);
/* Returns whether @op has complex operands or results. */
gboolean ghlo_lower_has_complex  (const GhloIrOp   *op);
/* Returns why such an operation has no nodes, a static text, or NULL where it has. */
const char *ghlo_lower_complex_obstacle (const GhloIrOp *op);

/* bits.c: operations that manipulate the bits of nodes of @type. */
guint32 ghlo_lower_next_after    (GhloLowering     *self,
                                  const GhloIrOp   *op,
                                  GhloElementType   type,
                                  const guint32    *operands);
guint32 ghlo_lower_reduce_precision (GhloLowering  *self,
                                  const GhloIrOp   *op,
                                  GhloElementType   type,
                                  const guint32    *operands);

/* bitcast.c: returns the result of @op, a bitcast_convert, at @index. */
guint32 ghlo_lower_bitcast       (GhloLowering     *self,
                                  const GhloIrOp   *op,
                                  const GhloIndex  *index);

/* arg-reduction.c: whether the order of the elements has no effect on @op, a reduction with two results whose body
 * makes @updates of @left and @elements, if of two states with different positions the lower one is on the left. Where
 * the first result is not used, its value may depend on the order. */
gboolean ghlo_lower_is_arg_reduction (GhloLowering   *self,
                                      const GhloIrOp *op,
                                      const guint32  *left,
                                      const guint32  *elements,
                                      const guint32  *updates,
                                      const guint64  *inits);

/* lower.c: shared by both ways of lowering. */

/* Adds a buffer for @view. Returns where it begins, in bytes from the view's first element. */
gint64  ghlo_lower_add_view      (GhloKernelBuilder *builder,
                                  const char        *name,
                                  const GhloView    *view,
                                  gboolean           is_written);
/* Returns the value that is result @result of the group. */
const GhloIrValue *ghlo_lower_get_result (const GhloKernelGroup *group,
                                          guint                  result);
/* Returns the node for the comparison @op; GHLO_N_NODES where there is none, as for the total order of floats. */
GhloNodeKind ghlo_lower_comparison (const GhloIrOp *op);

/* index.c */

/* Adds to *@sum the largest magnitude of @affine at any point and dynamic offset, times that of @factor. Returns FALSE
 * where it exceeds the limit. */
gboolean ghlo_lower_add_magnitude (const GhloLowering *self,
                                   const GhloAffine   *affine,
                                   gint64              factor,
                                   gint64             *sum);
/* Returns the interned affine function that is equal to @affine. Refuses the group where its magnitude exceeds the
 * limit. */
const GhloAffine *ghlo_lower_affine (GhloLowering     *self,
                                     const GhloAffine *affine);
/* Returns @affine + @other × @factor. */
const GhloAffine *ghlo_lower_add_affine (GhloLowering     *self,
                                         const GhloAffine *affine,
                                         const GhloAffine *other,
                                         gint64            factor);
/* Returns @affine + @distance. */
const GhloAffine *ghlo_lower_shift (GhloLowering     *self,
                                  const GhloAffine *affine,
                                  gint64            distance);
/* Returns the index of the first element of a value of @rank dimensions, with the guards and part of @index
 * (nullable). */
GhloIndex ghlo_lower_origin      (GhloLowering     *self,
                                  guint             rank,
                                  const GhloIndex  *index);
/* Returns whether both indices are the same element, regardless of guards and parts. */
gboolean ghlo_lower_same_element (const GhloIndex  *a,
                                  const GhloIndex  *b);
gboolean ghlo_lower_same_index   (const GhloIndex  *a,
                                  const GhloIndex  *b);
/* Sets *@moved to the index of operand @operand of @op that yields the result at @index; FALSE where a kernel cannot
 * express it. */
gboolean ghlo_lower_move         (GhloLowering     *self,
                                  const GhloIrOp   *op,
                                  guint             operand,
                                  const GhloIndex  *index,
                                  GhloIndex        *moved);
gboolean ghlo_lower_is_move      (GhloIrOpKind      op);

/* dynamic-offset.c */

/* Returns the result of @op, a dynamic slice or a gather, at @index. */
guint32 ghlo_lower_gather        (GhloLowering     *self,
                                  const GhloIrOp   *op,
                                  const GhloIndex  *index);
gboolean ghlo_lower_has_dynamic_offsets (const GhloAffine *affine);
/* Sets *@moved to where the dynamic_update_slice @op writes the element of its update that is at @index. */
gboolean ghlo_lower_update_index (GhloLowering     *self,
                                  const GhloIrOp   *op,
                                  const GhloIndex  *index,
                                  GhloIndex        *moved);
/* Returns whether @index uses dynamic offset @number. */
gboolean ghlo_lower_uses_dynamic_offset (const GhloIndex *index,
                                         guint            number);

/* walk.c: returns the operand of the group that is @value, or -1. */
gint    ghlo_lower_find_operand  (const GhloLowering *self,
                                  const GhloIrValue  *value);
/* Loads an element of @value from @buffer; where a guard of @index does not hold, the value is @fill. */
guint32 ghlo_lower_load_value    (GhloLowering      *self,
                                  const GhloIrValue *value,
                                  guint              buffer,
                                  const GhloIndex   *index,
                                  guint32            fill);
/* Returns @value at @index. */
guint32 ghlo_lower_value         (GhloLowering      *self,
                                  const GhloIrValue *value,
                                  const GhloIndex   *index);
/* Adds a guard; FALSE where there is no room, or where @position, an interned affine function, has dynamic
 * offsets. */
gboolean ghlo_lower_add_guard    (GhloIndex        *index,
                                  const GhloAffine *position,
                                  gint64            end);
/* Makes @position of a window, an interned affine function that counts the padding between elements, the index of
 * @value in @dimension, with the guards that this needs. Between elements there is padding only where the value is read
 * from memory: elsewhere the index would not be affine. Returns NULL, or why it cannot. */
const char *ghlo_lower_set_position (GhloLowering          *self,
                                     const GhloIrValue     *value,
                                     const GhloIrWindowDim *window,
                                     const GhloAffine      *position,
                                     guint                  dimension,
                                     GhloIndex             *index);
/* Returns @value at @inner where the guards of @inner hold, which include those of @index; elsewhere @fill. */
guint32 ghlo_lower_guarded       (GhloLowering      *self,
                                  const GhloIrValue *value,
                                  const GhloIndex   *inner,
                                  const GhloIndex   *index,
                                  guint32            fill);

/* domain.c: sets the domain to @type, of which the dimensions @reduced (bits) are reduced, or derives it from the
 * group. */
gboolean ghlo_lower_set_domain   (GhloLowering     *self,
                                  const GhloIrType *type,
                                  guint64           reduced);
gboolean ghlo_lower_find_domain  (GhloLowering     *self);
guint64 ghlo_lower_reduced_dimensions (const GhloIrOp *op);
/* Sets *@index to the elements of @type, one for each point of the domain, or with @is_row one for each parallel point.
 * Returns FALSE where the shapes differ. */
gboolean ghlo_lower_identity     (GhloLowering     *self,
                                  const GhloIrType *type,
                                  gboolean          is_row,
                                  GhloIndex        *index);

/* convolve.c: returns the result of @op, whose groups have one feature each, at @index; and why its groups do not. */
guint32 ghlo_lower_convolve      (GhloLowering     *self,
                                  const GhloIrOp   *op,
                                  const GhloIndex  *index);
const char *ghlo_lower_convolution_obstacle (const GhloIrOp *op);

/* reduce.c: adds a fold of values of @type, which need the folds below @level, without update and merge. */
guint   ghlo_lower_add_fold      (GhloLowering     *self,
                                  GhloElementType   type,
                                  guint             level,
                                  guint64           identity,
                                  guint             n_chains);
/* Returns the fold for result @result of @op, whose value is wanted at @index. */
guint32 ghlo_lower_reduce        (GhloLowering     *self,
                                  const GhloIrOp   *op,
                                  guint             result,
                                  const GhloIndex  *index);

/* lower.c */
void    ghlo_lower_init          (GhloLowering          *self,
                                  const GhloKernelGroup *group);
void    ghlo_lower_clear         (GhloLowering          *self);
/* Returns 2 for complex numbers, else 1. */
static inline guint
ghlo_lower_n_parts (const GhloIrType *type)
{
  return ghlo_element_type_is_complex (type->element_type) ? 2 : 1;
}

/* Sets *@output to part @part of @value as it is stored, and to its place: one element for each point, or one element
 * where it is the same at all points. Returns FALSE where @value has another shape. */
gboolean ghlo_lower_output       (GhloLowering          *self,
                                  const GhloIrValue     *value,
                                  guint                  part,
                                  GhloLowerOutput       *output);

/* loop.c: values of the loop that the kernel is. */

static inline gboolean
ghlo_lower_is_counted (const GhloLowering *self)
{
  return self->loop != NULL && self->loop->condition == NULL;
}

/* Returns the loop of @group, or NULL. */
const GhloIrOp *ghlo_lower_find_loop (const GhloKernelGroup *group);
/* Returns an argument of one of the loop's regions, or the final value of a result, at @index. */
guint32 ghlo_lower_carried       (GhloLowering      *self,
                                  const GhloIrValue *value,
                                  const GhloIndex   *index);
/* Fills in @loop. Returns NULL, or why it cannot be a kernel, a static text. */
const char *ghlo_lower_read_loop (GhloLowerLoop     *loop,
                                  const GhloIrOp    *op);

/* Lists the updates of single elements of carried value @number in an iteration, the last one first, where nothing else
 * reads the array between them. Returns their number: 0 where it is changed otherwise. */
guint   ghlo_lower_list_updates  (const GhloLowerLoop *loop,
                                  guint                number,
                                  const GhloIrOp     **updates);

/* loop-affine.c: returns whether @start is in [0, @end) in each iteration, and sets *@affine to it as a function of the
 * loop's coordinate. */
gboolean ghlo_lower_slice_start  (const GhloLowerLoop *loop,
                                  const GhloIrValue   *start,
                                  gint64               end,
                                  GhloAffine          *affine);
/* Returns whether @value has a single use, by @user. */
gboolean ghlo_lower_is_used_by   (const GhloIrValue   *value,
                                  const GhloIrOp      *user);
/* Returns whether carried value @number is a stack. */
gboolean ghlo_lower_is_stack     (const GhloLowerLoop *loop,
                                  guint                number);
/* Sets *@index to the elements of the stack that @op, a dynamic_update_slice, writes, for the elements of its update at
 * @update. */
gboolean ghlo_lower_stack_index  (GhloLowering        *self,
                                  const GhloIrOp      *op,
                                  const GhloIndex     *update,
                                  GhloIndex           *index);

/* lower-loop.c: lowers a group of the loop @op and constants; NULL with *@reason, a static text, where that fails. */
GhloKernel *ghlo_lower_loop      (const GhloKernelGroup *group,
                                  const GhloIrOp        *op,
                                  gint64                *starts,
                                  guint64               *begins,
                                  const char           **reason);

/* emit.c: emits the blocks of the graph, whose @outputs become the results. */
GhloKernel *ghlo_lower_emit      (GhloLowering          *self,
                                  const GhloLowerOutput *outputs,
                                  guint                  n_outputs,
                                  gint64                *starts);

G_END_DECLS
