/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the parts of the emitter share. A value of LLVM is a scalar as long as it is the same in all lanes, and
 * is widened where it meets a vector. What lasts from block to block lies in variables of the
 * function's frame, of which LLVM makes registers.
 */

#pragma once

#include "cpu/emit/emit.h"

#include <llvm-c/Core.h>

G_BEGIN_DECLS

typedef LLVMValueRef Value;
typedef LLVMTypeRef  Type;

enum
{
  GHLO_EMIT_MAX_STACK = 32768,  /* bytes of chains that lie in the frame */
  GHLO_EMIT_MAX_FRAME = 65536,  /* bytes of the frame, with what registers have no room for */
  GHLO_EMIT_MAX_NODES = 4096,   /* of an expanded kernel */
  GHLO_EMIT_MAX_GUARDS = 16,    /* that are known at once by a cut */
  GHLO_EMIT_MAX_STAGED = 4,     /* accesses whose elements are turned */
  GHLO_EMIT_MAX_CUTS  = 6,      /* of one loop */
};

/* What is known of a guard at the points that code is being made for. */
typedef enum
{
  GHLO_EMIT_GUARD_OPEN,
  GHLO_EMIT_GUARD_HOLDS,        /* but for the step, which positions may yet be no multiples of */
  GHLO_EMIT_GUARD_FAILS,
} GhloEmitGuard;

typedef struct
{
  const GhloKernel         *kernel;     /* without functions */
  const GhloKernelSchedule *schedule;
  const GhloCodeTarget     *target;

  LLVMContextRef            context;
  LLVMModuleRef             module;
  LLVMBuilderRef            builder;
  LLVMBuilderRef            entry;      /* behind the variables at the function's beginning */
  Value                     function;
  Type                      i1, i8, i32, i64, pointer;

  /* Of the function's call. */
  Value                     call, scratch;
  Value                     buffers[GHLO_KERNEL_MAX_BUFFERS];
  Value                     extents[GHLO_KERNEL_MAX_AXES];
  Value                     places[GHLO_KERNEL_MAX_TEMPORARIES];        /* of temporaries that span axes */
  guint16                   shared[GHLO_KERNEL_MAX_TEMPORARIES];        /* with which each shares its place */
  Value                     variables[2][GHLO_KERNEL_MAX_TEMPORARIES];  /* of those that span none: scalars, vectors */
  Value                     operands[2][4];     /* in the frame, for calls: of f32, of f64 */
  /* What loads and stores of a memory are told apart by; of the scratch last. */
  Value                     scopes[GHLO_KERNEL_MAX_BUFFERS + 1], others[GHLO_KERNEL_MAX_BUFFERS + 1];

  gboolean                  has_masks;          /* for all that is loaded and stored */
  gsize                     stack;              /* bytes of chains in the frame */

  /* Where nodes are evaluated. */
  const GhloKernelBlock    *block;              /* of points; NULL: none */
  guint                     width;              /* lanes */
  guint                     lanes;              /* the axis whose points they are, or GHLO_KERNEL_NONE */
  Value                     mask;               /* the lanes that are there; NULL: all */
  Value                     point[GHLO_KERNEL_MAX_AXES];        /* i64; of the lanes' axis that of the first one */
  guint                     fixed;              /* bits: axes whose point is the current one */
  guint8                    guards[GHLO_KERNEL_MAX_TERMS];      /* GhloEmitGuard */
  gboolean                  has_cuts;           /* loops are cut */
  Value                     staged[GHLO_KERNEL_MAX_ACCESSES];   /* vectors in the frame, one for each row; or NULL */
  Value                     staged_row;
  Value                     values[GHLO_EMIT_MAX_NODES];
  Value                     left[GHLO_KERNEL_MAX_FOLDS], right[GHLO_KERNEL_MAX_FOLDS];  /* what folds have come to */
} Emitter;

/* types.c */
Type     ghlo_emit_type          (Emitter               *self,
                                  GhloElementType        type);
/* What an element is in memory. */
Type     ghlo_emit_memory_type   (Emitter               *self,
                                  GhloElementType        type);
/* Of as many lanes as there are, where there is more than one. */
Type     ghlo_emit_vector        (Emitter               *self,
                                  Type                   type);
gboolean ghlo_emit_is_vector     (Value                  value);
/* @type, or vectors of it where @value is one. */
Type     ghlo_emit_type_like     (Emitter               *self,
                                  Type                   type,
                                  Value                  value);
/* In all lanes. */
Value    ghlo_emit_widen         (Emitter               *self,
                                  Value                  value);
void     ghlo_emit_widen_pair    (Emitter               *self,
                                  Value                 *a,
                                  Value                 *b);
Value    ghlo_emit_i64           (Emitter               *self,
                                  gint64                 value);
Value    ghlo_emit_constant      (Emitter               *self,
                                  GhloElementType        type,
                                  guint64                bits);
/* @value of @type, in all lanes where @like is a vector. */
Value    ghlo_emit_integer       (Emitter               *self,
                                  Type                   type,
                                  gint64                 value,
                                  Value                  like);
/* 0, @step, 2 × @step, …, one for each lane. */
Value    ghlo_emit_steps         (Emitter               *self,
                                  Type                   type,
                                  gint64                 step);
/* Calls the intrinsic that is overloaded on @types. */
Value    ghlo_emit_intrinsic     (Emitter               *self,
                                  const char            *name,
                                  const Type            *types,
                                  guint                  n_types,
                                  const Value           *arguments,
                                  guint                  n_arguments);
/* Both hold; either may be NULL, which always does. */
Value    ghlo_emit_and           (Emitter               *self,
                                  Value                  a,
                                  Value                  b);
Value    ghlo_emit_select        (Emitter               *self,
                                  Value                  condition,
                                  Value                  if_true,
                                  Value                  if_false);
Value    ghlo_emit_clamp         (Emitter               *self,
                                  Value                  value,
                                  Value                  least,
                                  Value                  greatest);
/* Which lanes are among those from @from on and before @to, of which either may be anything. */
Value    ghlo_emit_lanes_from_to (Emitter               *self,
                                  Value                  from,
                                  Value                  to);
/* The @n lanes of @value, a vector, from @first on; a scalar where @n is 1. */
Value    ghlo_emit_take_lanes    (Emitter               *self,
                                  Value                  value,
                                  guint                  first,
                                  guint                  n);
/* A block of the function, without instructions. */
LLVMBasicBlockRef ghlo_emit_add_block (Emitter          *self);
/* A variable in the function's frame. */
Value    ghlo_emit_variable      (Emitter               *self,
                                  Type                   type);
Value    ghlo_emit_byte_address  (Emitter               *self,
                                  Value                  base,
                                  Value                  offset);
/* offset + sum of strides × coordinates, in the first lane. */
Value    ghlo_emit_sum           (Emitter               *self,
                                  gint64                 offset,
                                  const gint64          *strides);

/* nodes.c, integers.c */
Value    ghlo_emit_primitive     (Emitter               *self,
                                  const GhloKernelNode  *node,
                                  const Value           *operands);
Value    ghlo_emit_integer_node  (Emitter               *self,
                                  GhloNodeKind           kind,
                                  GhloElementType        type,
                                  Value                  a,
                                  Value                  b);
Value    ghlo_emit_convert       (Emitter               *self,
                                  GhloElementType        to,
                                  GhloElementType        from,
                                  Value                  value);
Value    ghlo_emit_fma           (Emitter               *self,
                                  GhloElementType        type,
                                  Value                  a,
                                  Value                  b,
                                  Value                  c);

/* access.c */
Value    ghlo_emit_load          (Emitter               *self,
                                  guint                  access,
                                  Value                  fill);
Value    ghlo_emit_inside        (Emitter               *self,
                                  guint                  access);
/* Whether lanes of the access @number, which has terms, lie apart. */
gboolean ghlo_emit_is_scattered  (const Emitter         *self,
                                  guint                  access);
/* What the store @number of the block says; those that fill a row together at once, at the last one's turn. */
void     ghlo_emit_store         (Emitter               *self,
                                  guint                  number);

/* temporary.c */
Value    ghlo_emit_get           (Emitter               *self,
                                  guint                  temporary);
void     ghlo_emit_set           (Emitter               *self,
                                  guint                  temporary,
                                  Value                  value);

/* memory.c: loads and stores of all lanes that are there, @stride bytes apart, or where @offsets say besides. */
typedef struct
{
  guint    memory;              /* of which buffer; n_buffers: scratch */
  guint8   type;
  Value    base;                /* pointer; of the first lane */
  gint64   stride;
  Value    offsets;             /* <i64>, bytes to be added in each lane; or NULL */
  Value    inside;              /* i1, or <i1>: whether there is such an element; NULL: yes */
  gboolean is_whole;            /* of lanes a few elements apart: what is between them is loaded too, and as much */
  guint8   member;              /* behind the last one, but for so many elements, which are in front of the first */
} GhloEmitPlace;

Value    ghlo_emit_read          (Emitter               *self,
                                  const GhloEmitPlace   *place,
                                  Value                  fill);
void     ghlo_emit_write         (Emitter               *self,
                                  const GhloEmitPlace   *place,
                                  Value                  value);

/* As memory has @value. */
Value    ghlo_emit_to_memory     (Emitter               *self,
                                  const GhloEmitPlace   *place,
                                  Value                  value);
/* One vector of @type of elements side by side, all of which are there. */
Value    ghlo_emit_load_row      (Emitter               *self,
                                  const GhloEmitPlace   *place,
                                  Type                   type);
void     ghlo_emit_store_row     (Emitter               *self,
                                  const GhloEmitPlace   *place,
                                  Value                  value);

/* strides.c: how many elements lanes are apart, where they are picked from whole vectors; else 0. */
guint    ghlo_emit_apart         (const Emitter         *self,
                                  const GhloEmitPlace   *place);
/* In memory's type; all lanes are there. */
Value    ghlo_emit_read_apart    (Emitter               *self,
                                  const GhloEmitPlace   *place,
                                  guint                  apart);
/* All @apart values between lanes, in memory's type, from the first one's @place on. */
void     ghlo_emit_write_apart   (Emitter               *self,
                                  const GhloEmitPlace   *place,
                                  guint                  apart,
                                  const Value           *values);
/* Sets is_whole and member of @place of the access @number, which is loaded. */
void     ghlo_emit_find_beside   (const Emitter         *self,
                                  guint                  number,
                                  GhloEmitPlace         *place);
/* The stores of the block that fill a row together with @store, in the order of their elements; their number, or 0. */
guint    ghlo_emit_find_row      (const Emitter         *self,
                                  guint                  store,
                                  const GhloEmitPlace   *place,
                                  guint                 *stores);

/* cuts.c: coordinates [begin, end) and what is known of guards there. */
typedef struct
{
  Value  begin, end;
  guint8 guards[GHLO_KERNEL_MAX_TERMS];         /* GhloEmitGuard */
} GhloEmitCut;

/* Does what is to be done at @index, NULL: where the point is. */
typedef void (*GhloEmitPoint)    (Emitter               *self,
                                  gpointer               data,
                                  Value                  index);
/* Fills in up to GHLO_EMIT_MAX_CUTS of @axis, for loops that go by @step through what @block (NULL: all blocks) loads
 * and stores; their number. */
guint    ghlo_emit_find_cuts     (Emitter               *self,
                                  const GhloKernelBlock *block,
                                  guint                  axis,
                                  gint64                 step,
                                  GhloEmitCut           *cuts);
/* From @begin while below @end, which is a multiple of @step away; @cuts where they are. */
void     ghlo_emit_cut_loop      (Emitter               *self,
                                  const GhloEmitCut     *cuts,
                                  guint                  n_cuts,
                                  Value                  begin,
                                  Value                  end,
                                  gint64                 step,
                                  GhloEmitPoint          func,
                                  gpointer               data);
/* Code for parallel points that are known: one for each part of them in which guards are known, and one for others. */
void     ghlo_emit_versions      (Emitter               *self,
                                  GhloEmitPoint          func,
                                  gpointer               data);

/* stage.c: how many rows of the axis @rows are to be done together, 0: none; and for which accesses. */
guint    ghlo_emit_choose_rows   (const Emitter         *self,
                                  guint                  rows,
                                  guint8                *is_staged);
/* All points of the lanes in @n rows from the point on. */
void     ghlo_emit_rows          (Emitter               *self,
                                  guint                  rows,
                                  guint                  n,
                                  const guint8          *is_staged,
                                  void                 (*func) (Emitter *self, gpointer data, guint number));
/* The vector of the access @number in the current row. */
Value    ghlo_emit_read_staged   (Emitter               *self,
                                  guint                  number);

/* loops.c */
typedef struct
{
  LLVMBasicBlockRef body, exit;
  Value             index, end;
} GhloEmitLoop;

/* From @begin while below @end, at least once where @is_certain. */
GhloEmitLoop ghlo_emit_begin_loop (Emitter              *self,
                                   Value                 begin,
                                   Value                 end,
                                   gboolean              is_certain);
void         ghlo_emit_end_loop   (Emitter              *self,
                                   GhloEmitLoop          loop,
                                   Value                 step);
/* Does what is to be done with the vector @number of some that come after each other. */
typedef void (*GhloEmitVector)    (Emitter              *self,
                                   gpointer              data,
                                   guint                 number);
/* Points of several axes, those of the lanes' axis in vectors, as the innermost. */
typedef struct
{
  const GhloKernelBlock *block; /* whose points they are; NULL: nothing is loaded or stored with guards */
  guint           axes;         /* bits */
  Value           begin, end;   /* of the first axis; NULL: all of it */
  gint64          alignment;    /* of begin: a divisor of it */
  guint           n;            /* vectors after each other; in each round all of them, but for the last round */
  GhloEmitVector  func;
  gpointer        data;
} GhloEmitNest;

void         ghlo_emit_nest       (Emitter              *self,
                                   const GhloEmitNest   *nest);
/* The points [begin, end) of the lanes' axis, one vector after the other. */
void         ghlo_emit_range      (Emitter              *self,
                                   Value                 begin,
                                   Value                 end,
                                   GhloEmitVector        func,
                                   gpointer              data);
/* Lays the points of @axis in @width lanes, unless parallel ones lie there; ghlo_emit_leave () undoes it. */
typedef struct
{
  guint width, lanes;
  Value mask;
} GhloEmitLanes;

GhloEmitLanes ghlo_emit_enter     (Emitter              *self,
                                   guint                 axis,
                                   guint                 width);
/* As many lanes as the schedule says, or as there are points of @axis. */
guint        ghlo_emit_choose_width (Emitter            *self,
                                     guint               axis);
void         ghlo_emit_leave      (Emitter              *self,
                                   GhloEmitLanes         saved);
/* Returns from the function where whoever called it wants that. */
void         ghlo_emit_stop       (Emitter              *self);

/* nodes.c, points.c, blocks.c */
void     ghlo_emit_node          (Emitter               *self,
                                  guint                  number);
void     ghlo_emit_nodes         (Emitter               *self,
                                  guint                  first,
                                  guint                  end);
void     ghlo_emit_points        (Emitter               *self,
                                  const GhloKernelBlock *block);
void     ghlo_emit_blocks        (Emitter               *self,
                                  guint                  first,
                                  guint                  end,
                                  guint                  loops);

/* function.c */
gboolean ghlo_emit_function      (LLVMModuleRef             module,
                                  const GhloKernel         *kernel,
                                  const GhloKernelSchedule *schedule,
                                  const GhloCodeTarget     *target,
                                  GError                  **error);

/* pages.c */
/* Those of LLVM's code and constants that are in memory. Other threads may be using them. */
void     ghlo_emit_give_back_pages (void);

G_END_DECLS
