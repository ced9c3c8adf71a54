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
  GHLO_EMIT_MAX_NODES = 4096,   /* of an expanded kernel */
};

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
  Value                     variables[2][GHLO_KERNEL_MAX_TEMPORARIES];  /* of those that span none: scalars, vectors */
  Value                     operands[2][4];     /* in the frame, for calls: of f32, of f64 */
  /* What loads and stores of a memory are told apart by; of the scratch last. */
  Value                     scopes[GHLO_KERNEL_MAX_BUFFERS + 1], others[GHLO_KERNEL_MAX_BUFFERS + 1];

  gboolean                  has_masks;          /* for all that is loaded and stored */
  gsize                     stack;              /* bytes of chains in the frame */

  /* Where nodes are evaluated. */
  guint                     width;              /* lanes */
  guint                     lanes;              /* the axis whose points they are, or GHLO_KERNEL_NONE */
  Value                     mask;               /* the lanes that are there; NULL: all */
  Value                     point[GHLO_KERNEL_MAX_AXES];        /* i64; of the lanes' axis that of the first one */
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
void     ghlo_emit_store         (Emitter               *self,
                                  guint                  access,
                                  Value                  value);

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
} GhloEmitPlace;

Value    ghlo_emit_read          (Emitter               *self,
                                  const GhloEmitPlace   *place,
                                  Value                  fill);
void     ghlo_emit_write         (Emitter               *self,
                                  const GhloEmitPlace   *place,
                                  Value                  value);

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

G_END_DECLS
