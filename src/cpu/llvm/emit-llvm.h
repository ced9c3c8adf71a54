/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the parts of the emitter. A value is an LLVM scalar as long as it is the same in all lanes, and is
 * widened when it meets a vector. What lives across kernel blocks is kept in variables of the function's frame, which
 * LLVM promotes to registers.
 */

#pragma once

#include "cpu/llvm/emit.h"

#include <llvm-c/Core.h>

G_BEGIN_DECLS

typedef LLVMValueRef Value;
typedef LLVMTypeRef  Type;

enum
{
  GHLO_EMIT_MAX_STACK = 32768,  /* bytes of fold chains and staged rows in the frame */
  GHLO_EMIT_MAX_FRAME = 65536,  /* bytes of the frame, spilled registers included */
  GHLO_EMIT_MAX_NODES = 4096,   /* nodes of an expanded kernel */
  GHLO_EMIT_MAX_GUARDS = 16,    /* guards that one cut decides */
  GHLO_EMIT_MAX_STAGED = 4,     /* accesses that are transposed through the frame */
  GHLO_EMIT_MAX_CUTS  = 6,      /* cuts of one loop */
};

/* What is known of a guard at the points that code is being emitted for. */
typedef enum
{
  GHLO_EMIT_GUARD_OPEN,
  GHLO_EMIT_GUARD_HOLDS,        /* but positions may still be no multiples of the step */
  GHLO_EMIT_GUARD_FAILS,
} GhloEmitGuard;

typedef struct
{
  const GhloKernel         *kernel;     /* expanded: the target has its functions */
  const GhloKernelSchedule *schedule;
  const GhloCodeTarget     *target;

  LLVMContextRef            context;
  LLVMModuleRef             module;
  LLVMBuilderRef            builder;
  LLVMBuilderRef            entry;      /* appends variables to the entry block */
  Value                     function;
  Type                      i1, i8, i32, i64, pointer;

  /* Arguments of the kernel function. */
  Value                     call, dummy;
  Value                     buffers[GHLO_KERNEL_MAX_BUFFERS];
  Value                     extents[GHLO_KERNEL_MAX_AXES];
  Value                     places[GHLO_KERNEL_MAX_TEMPORARIES];        /* addresses of temporaries that span axes */
  guint16                   shared[GHLO_KERNEL_MAX_TEMPORARIES];        /* the temporary whose place each one shares */
  Value                     variables[2][GHLO_KERNEL_MAX_TEMPORARIES];  /* of those that span no axis: scalars,
                                                                         * vectors */
  Value                     operands[2][4];     /* in the frame, for FMA calls: of f32, of f64 */
  /* Alias scopes of the loads and stores of each memory, the scratch last: its own, and all others. */
  Value                     scopes[GHLO_KERNEL_MAX_BUFFERS + 1], others[GHLO_KERNEL_MAX_BUFFERS + 1];

  gboolean                  has_masks;          /* masked loads and stores exist for all types accessed */
  gsize                     stack;              /* bytes of fold chains and staged rows in the frame */

  /* The current insertion context. */
  const GhloKernelBlock    *block;              /* the block of points; NULL outside of one */
  guint                     width;              /* lanes */
  guint                     lanes;              /* the axis that lanes run along, or GHLO_KERNEL_NONE */
  Value                     mask;               /* <i1>, the active lanes; NULL: all */
  Value                     point[GHLO_KERNEL_MAX_AXES];        /* i64; on the lanes' axis that of the first lane */
  guint                     fixed;              /* bit mask of axes whose current coordinate is in point[] */
  guint8                    guards[GHLO_KERNEL_MAX_TERMS];      /* GhloEmitGuard */
  gboolean                  has_cuts;           /* loops may be cut */
  Value                     staged[GHLO_KERNEL_MAX_ACCESSES];   /* vectors in the frame, one per row; or NULL */
  Value                     staged_row;
  Value                     first_column;       /* of the columns that are being folded together; NULL: none are */
  Value                     values[GHLO_EMIT_MAX_NODES];
  Value                     left[GHLO_KERNEL_MAX_FOLDS], right[GHLO_KERNEL_MAX_FOLDS];  /* values of folds so far */
} Emitter;

/* types.c */
Type     ghlo_emit_type          (Emitter               *self,
                                  GhloElementType        type);
/* The type of an element in memory. */
Type     ghlo_emit_memory_type   (Emitter               *self,
                                  GhloElementType        type);
/* A vector of @type with the current number of lanes, or @type where there is one lane. */
Type     ghlo_emit_vector        (Emitter               *self,
                                  Type                   type);
gboolean ghlo_emit_is_vector     (Value                  value);
/* @type, or a vector of it where @value is a vector. */
Type     ghlo_emit_type_like     (Emitter               *self,
                                  Type                   type,
                                  Value                  value);
/* Broadcasts @value to all lanes; vectors are returned as they are. */
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
/* The constant @value of @type, in all lanes where @like is a vector. */
Value    ghlo_emit_integer       (Emitter               *self,
                                  Type                   type,
                                  gint64                 value,
                                  Value                  like);
/* The constant vector 0, @step, 2 × @step, …, with one element for each lane. */
Value    ghlo_emit_steps         (Emitter               *self,
                                  Type                   type,
                                  gint64                 step);
/* Calls the intrinsic @name, overloaded on @types. */
Value    ghlo_emit_intrinsic     (Emitter               *self,
                                  const char            *name,
                                  const Type            *types,
                                  guint                  n_types,
                                  const Value           *arguments,
                                  guint                  n_arguments);
/* The logical and; either operand may be NULL, which stands for true. */
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
/* The mask of the lanes in [@from, @to), where both bounds may be any number. */
Value    ghlo_emit_lanes_from_to (Emitter               *self,
                                  Value                  from,
                                  Value                  to);
/* Extracts lanes [@first, @first + @n) of the vector @value; a scalar where @n is 1. */
Value    ghlo_emit_take_lanes    (Emitter               *self,
                                  Value                  value,
                                  guint                  first,
                                  guint                  n);
/* Appends an empty basic block to the function. */
LLVMBasicBlockRef ghlo_emit_add_block (Emitter          *self);
/* Allocates a variable in the function's frame. */
Value    ghlo_emit_variable      (Emitter               *self,
                                  Type                   type);
Value    ghlo_emit_byte_address  (Emitter               *self,
                                  Value                  base,
                                  Value                  offset);
/* offset + sum of strides × coordinates, for the first lane. */
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

/* access.c. @fill (nullable, zero then) is the value where a guard fails. */
Value    ghlo_emit_load          (Emitter               *self,
                                  guint                  access,
                                  Value                  fill);
Value    ghlo_emit_inside        (Emitter               *self,
                                  guint                  access);
/* Fetches @n adjacent elements of @access, without terms, from @ahead bytes behind the first lane's on, into the
 * caches. There need not be memory. */
void     ghlo_emit_prefetch      (Emitter               *self,
                                  guint                  access,
                                  guint                  n,
                                  gint64                 ahead);
/* How many nodes it counts for that the lanes of @access are not adjacent, if it has terms. */
guint    ghlo_emit_count_gather  (const Emitter         *self,
                                  guint                  access);
/* Emits the store @number of the block. Stores whose elements interleave without gaps are emitted at once, in
 * place of the last one. */
void     ghlo_emit_store         (Emitter               *self,
                                  guint                  number);

/* temporary.c */
Value    ghlo_emit_get           (Emitter               *self,
                                  guint                  temporary);
void     ghlo_emit_set           (Emitter               *self,
                                  guint                  temporary,
                                  Value                  value);

/* memory.c: loads and stores of all active lanes, which are @stride bytes apart, or at @offsets in addition. */
typedef struct
{
  guint    memory;              /* index of the buffer's memory; n_buffers is the scratch */
  guint8   type;
  Value    base;                /* pointer to the element of the first lane */
  gint64   stride;
  Value    offsets;             /* <i64>, bytes added in each lane; or NULL */
  Value    inside;              /* i1 or <i1>: whether the element exists; NULL: always */
  Value    inside_all;          /* i1: the part of inside that is the same in all lanes; NULL: there is none */
  Value    inside_lanes;        /* <i1>: the other part, likewise */
  gboolean covers_gaps;         /* the block also loads all elements between the lanes */
  guint8   elements_before;     /* for covers_gaps: how many of them are in front of the first lane */
} GhloEmitPlace;

Value    ghlo_emit_read          (Emitter               *self,
                                  const GhloEmitPlace   *place,
                                  Value                  fill);
void     ghlo_emit_write         (Emitter               *self,
                                  const GhloEmitPlace   *place,
                                  Value                  value);

/* Converts @value to its type in memory. */
Value    ghlo_emit_to_memory     (Emitter               *self,
                                  const GhloEmitPlace   *place,
                                  Value                  value);
/* Loads one vector of @type of contiguous elements: all, or those for which the vector @mask holds. */
Value    ghlo_emit_load_contiguous (Emitter             *self,
                                    const GhloEmitPlace *place,
                                    Type                 type,
                                    Value                mask);
void     ghlo_emit_store_contiguous (Emitter             *self,
                                     const GhloEmitPlace *place,
                                     Value                value);

/* strides.c: the most elements of @size bytes from lane to lane where lanes are picked from whole vectors. */
guint    ghlo_emit_max_lane_distance (const Emitter     *self,
                                      guint              size);
/* The distance between lanes in elements, where lanes are picked from whole vectors; else 0. */
guint    ghlo_emit_lane_distance (const Emitter         *self,
                                  const GhloEmitPlace   *place);
/* The result has memory's type, in those lanes where the vector @mask holds; NULL: in all. */
Value    ghlo_emit_read_interleaved (Emitter             *self,
                                     const GhloEmitPlace *place,
                                     Value                mask);
/* Concatenates @n_parts vectors of @n lanes; both are powers of two. Changes @parts. */
Value    ghlo_emit_join          (Emitter               *self,
                                  Value                 *parts,
                                  guint                  n_parts,
                                  guint                  n);
/* Interleaves @lane_distance vectors and stores them from @place, the place of the first one, on. @values have
 * memory's type. */
void     ghlo_emit_write_interleaved (Emitter             *self,
                                      const GhloEmitPlace *place,
                                      guint                lane_distance,
                                      const Value         *values);
/* Sets covers_gaps and elements_before of @place, the place of the access @number, which is loaded. */
void     ghlo_emit_find_neighbours (const Emitter       *self,
                                    guint                number,
                                    GhloEmitPlace       *place);
/* Finds the stores of the block whose elements interleave with those of @store without gaps, in the order of their
 * elements. Returns how many they are, or 0. */
guint    ghlo_emit_find_interleaved (const Emitter       *self,
                                     guint                store,
                                     const GhloEmitPlace *place,
                                     guint               *stores);

/* cuts.c: a range of coordinates [begin, end), and what is known of guards there. */
typedef struct
{
  Value  begin, end;
  guint8 guards[GHLO_KERNEL_MAX_TERMS];         /* GhloEmitGuard */
} GhloEmitCut;

/* Emits the code for the coordinate @index; NULL where all coordinates are in self->point already. */
typedef void (*GhloEmitPoint)    (Emitter               *self,
                                  gpointer               data,
                                  Value                  index);
/* Fills in up to GHLO_EMIT_MAX_CUTS cuts of @axis, for loops that advance by @step over what @block (NULL: all
 * blocks) loads and stores. Returns their number. */
guint    ghlo_emit_find_cuts     (Emitter               *self,
                                  const GhloKernelBlock *block,
                                  guint                  axis,
                                  gint64                 step,
                                  GhloEmitCut           *cuts);
/* Emits a loop from @begin while below @end, a multiple of @step away. Within @cuts it uses what they know of
 * guards. */
void     ghlo_emit_cut_loop      (Emitter               *self,
                                  const GhloEmitCut     *cuts,
                                  guint                  n_cuts,
                                  Value                  begin,
                                  Value                  end,
                                  gint64                 step,
                                  GhloEmitPoint          func,
                                  gpointer               data);
/* Emits versions of the code for the current parallel point: one for each range of points where guards are known, and
 * one for the others. */
void     ghlo_emit_versions      (Emitter               *self,
                                  GhloEmitPoint          func,
                                  gpointer               data);

/* stage.c: returns how many rows along the axis @rows are computed together, 0 for none, in calls of at most
 * *@most_points, and marks the accesses that are transposed. */
guint    ghlo_emit_choose_rows   (const Emitter         *self,
                                  guint                  rows,
                                  guint8                *is_staged,
                                  gint64                *most_points);
/* Emits all points of the lanes' axis in @n rows, from the current point on. */
void     ghlo_emit_rows          (Emitter               *self,
                                  guint                  rows,
                                  guint                  n,
                                  const guint8          *is_staged,
                                  void                 (*func) (Emitter *self, gpointer data, guint number));
/* Emits all points of the folds of @block along @axis, of @extent, where each lane reads a row of its own along it.
 * FALSE where there are no such rows. */
gboolean ghlo_emit_tiles         (Emitter               *self,
                                  const GhloKernelBlock *block,
                                  guint                  axis,
                                  gint64                 extent,
                                  GhloEmitPoint          func,
                                  gpointer               data);
/* Returns the vector of the access @number for the current row. */
Value    ghlo_emit_read_staged   (Emitter               *self,
                                  guint                  number);

/* temporary.c: the elements of a temporary at the current columns. */
GhloEmitPlace ghlo_emit_column_place (Emitter           *self,
                                      guint              temporary);

/* columns.c: emits the points [begin, end) of the lanes' axis, whole vectors, where the schedule has columns. */
void     ghlo_emit_columns       (Emitter               *self,
                                  Value                  begin,
                                  Value                  end);

/* loops.c, nest.c */
typedef struct
{
  LLVMBasicBlockRef body, exit;
  Value             index, end;
} GhloEmitLoop;

/* Counts from @begin while below @end; with @is_certain the body runs at least once. */
GhloEmitLoop ghlo_emit_begin_loop (Emitter              *self,
                                   Value                 begin,
                                   Value                 end,
                                   gboolean              is_certain);
void         ghlo_emit_end_loop   (Emitter              *self,
                                   GhloEmitLoop          loop,
                                   Value                 step);
/* A loop over pieces [index, @piece_end) of [@begin, @end), of @length but for the last one. Before each of them the
 * function returns if the caller asks it to stop. */
GhloEmitLoop ghlo_emit_begin_pieces (Emitter            *self,
                                     Value               begin,
                                     Value               end,
                                     Value               length,
                                     Value              *piece_end);
/* Emits vector @number of several consecutive ones. */
typedef void (*GhloEmitVector)    (Emitter              *self,
                                   gpointer              data,
                                   guint                 number);
/* A loop nest over several axes; the lanes' axis is innermost and goes by vectors. */
typedef struct
{
  const GhloKernelBlock *block; /* block of the points; NULL: there are no guarded accesses */
  guint           axes;         /* bit mask */
  Value           begin, end;   /* range of the first axis; NULL: all of it */
  gint64          alignment;    /* begin is a multiple of this */
  guint           n;            /* consecutive vectors of an iteration; only the last iteration may have fewer */
  gint64          inner;        /* points of a nest that func emits; may be 0 where it emits none */
  GhloEmitVector  func;
  gpointer        data;
  /* Set by ghlo_emit_nest (): the axis along which the code checks whether to stop, or GHLO_KERNEL_NONE where the nest
   * is short, and the coordinates between two checks. */
  guint           stops;
  gint64          piece;
} GhloEmitNest;

void         ghlo_emit_nest       (Emitter              *self,
                                   const GhloEmitNest   *nest);
/* Emits the points [begin, end) of the lanes' axis of @nest, n vectors after n vectors. @begin is a multiple of
 * @alignment, or NULL for 0. */
void         ghlo_emit_vectors    (Emitter              *self,
                                   const GhloEmitNest   *nest,
                                   Value                 begin,
                                   Value                 end,
                                   gint64                alignment);
/* Emits the points [begin, end) of the lanes' axis, one vector after the other. @begin is NULL for 0. */
void         ghlo_emit_range      (Emitter              *self,
                                   Value                 begin,
                                   Value                 end,
                                   GhloEmitVector        func,
                                   gpointer              data);
/* Makes @width points of @axis the lanes, unless lanes are parallel points already; ghlo_emit_leave () undoes it. */
typedef struct
{
  guint width, lanes;
  Value mask;
} GhloEmitLanes;

GhloEmitLanes ghlo_emit_enter     (Emitter              *self,
                                   guint                 axis,
                                   guint                 width);
/* The schedule's width, or fewer lanes where @axis has fewer points. */
guint        ghlo_emit_choose_width (Emitter            *self,
                                     guint               axis);
void         ghlo_emit_leave      (Emitter              *self,
                                   GhloEmitLanes         saved);
/* Returns from the function where the caller asks it to stop. */
void         ghlo_emit_stop       (Emitter              *self);
/* The same, not in every iteration: for a loop whose iterations may be short. */
void         ghlo_emit_stop_at    (Emitter              *self,
                                   Value                 iteration);

/* nodes.c, points.c, blocks.c */
void     ghlo_emit_node          (Emitter               *self,
                                  guint                  number);
void     ghlo_emit_nodes         (Emitter               *self,
                                  guint                  first,
                                  guint                  end);
void     ghlo_emit_points        (Emitter               *self,
                                  const GhloKernelBlock *block);
void     ghlo_emit_blocks        (Emitter               *self);

/* function.c */
gboolean ghlo_emit_function      (LLVMModuleRef             module,
                                  const GhloKernel         *kernel,
                                  const GhloKernelSchedule *schedule,
                                  const GhloCodeTarget     *target,
                                  GError                  **error);

/* pages.c */
/* Gives back the resident pages of LLVM's code and constants. Other threads may be using them meanwhile. */
void     ghlo_emit_give_back_pages (void);

G_END_DECLS
