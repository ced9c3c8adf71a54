/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the parts of the emitter share. All values are scalars; integers have no sign, booleans are those of SPIR-V.
 * Addresses are numbers of 64 bits, made pointers at an access. What lasts from block to block lies in variables of the
 * function, of which drivers make registers.
 */

#pragma once

#include "vulkan/spirv/builder.h"
#include "vulkan/spirv/spirv.h"

G_BEGIN_DECLS

enum
{
  GHLO_SPIRV_MAX_NODES = 4096,
  SPIRV_MAX_TOLD = 32,          /* points of an invocation that are told one by one */
  SPIRV_MAX_KEPT = 16,          /* accesses whose elements are kept at once */
  SPIRV_MAX_KEPT_BYTES = 192,   /* of registers for what is loaded ahead */
};

/* Where a temporary lies while a workgroup does a point. */
typedef enum
{
  SPIRV_IN_VARIABLES,           /* of the invocation that alone uses its elements, or in all where it spans no axis */
  SPIRV_APART,                  /* in shared memory, though one invocation alone uses an element */
  SPIRV_SHARED,
} SpirvPlace;

/* Points of an axis that are told one after the other, each a step behind the one before; and the one that is being
 * told. */
typedef struct
{
  Id      first;                /* u64: the coordinate of number 0; 0: no point is told */
  guint64 step;
  guint   n;                    /* points of an iteration of a loop; 0: these are all that the invocation has */
  guint   axis, number;
} SpirvTold;

/* What an access loads at points that are told, by their numbers; 0: is not loaded yet. */
typedef struct
{
  guint16 access;
  guint8  axis;
  Id      first;                /* of the points */
  Id      values[SPIRV_MAX_TOLD];
} SpirvKept;

typedef struct
{
  GhloSpirvBuilder *builder;
  GhloSpirvFloats   floats;
  Id                glsl;               /* the extended instructions */
  Id                u32, u64, boolean;  /* types */
  Id                wide_fma;           /* a function of three f64, or 0 */
  Id                function;           /* the entry point */
  gboolean          has_vulkan_model;   /* Vulkan's memory model, which cooperative matrices need */
  GArray           *interface;          /* Id: all variables of the module */
  guint             group;              /* invocations of a workgroup */

  /* What follows is of the kernel that is emitted. */
  const GhloKernel *kernel;             /* without functions */
  /* Of the invocation; u64. */
  Id                table, number, n_invocations, scratch;
  Id                lane;               /* its number in the workgroup, where that does a point together; or 0 */
  SpirvTold         told;
  guint             n_loops;            /* around what is emitted */
  SpirvKept         kept[SPIRV_MAX_KEPT];
  guint             n_kept, n_kept_throughout;  /* the latter from the beginning of a point to its end */
  guint8            places[GHLO_KERNEL_MAX_TEMPORARIES];        /* SpirvPlace, where there is a lane */
  GhloSpirvParts    parts;              /* of the first block */
  gboolean          is_little;          /* what all points have to do */
  Id                part, n_points, slot;  /* APART: which it is, and of what it comes to; MERGED: n_points and the
                                         * point's number are there */
  Id                zero;               /* read from the table, where floats.folds_exactly is FALSE */
  Id                buffers[GHLO_KERNEL_MAX_BUFFERS], extents[GHLO_KERNEL_MAX_AXES];
  Id                variables[GHLO_KERNEL_MAX_TEMPORARIES];     /* of temporaries that do not lie in scratch; 0: not
                                                                 * yet */

  Id                point[GHLO_KERNEL_MAX_AXES];                /* u64 */
  Id                values[GHLO_SPIRV_MAX_NODES];
  Id                left[GHLO_KERNEL_MAX_FOLDS], right[GHLO_KERNEL_MAX_FOLDS];
} Spirv;

#define CODE(op, type, ...) ghlo_spirv_code (self->builder, op, type, GHLO_SPIRV_WORDS (__VA_ARGS__))
#define GLSL(name, type, ...) CODE (SpvOpExtInst, type, self->glsl, GLSLstd450##name, __VA_ARGS__)
#define STATEMENT(op, ...) ghlo_spirv_add (self->builder, GHLO_SPIRV_CODE, op, GHLO_SPIRV_WORDS (__VA_ARGS__))

/* types.c */
Id   ghlo_spirv_integer_type  (Spirv           *self,
                               guint            bits);
Id   ghlo_spirv_type          (Spirv           *self,
                               GhloElementType  type);
Id   ghlo_spirv_pointer_type  (Spirv           *self,
                               SpvStorageClass  class,
                               Id               type);
/* A constant of an integer type. */
Id   ghlo_spirv_integer       (Spirv           *self,
                               guint            bits,
                               guint64          value);
Id   ghlo_spirv_u64           (Spirv           *self,
                               guint64          value);
Id   ghlo_spirv_constant      (Spirv           *self,
                               GhloElementType  type,
                               guint64          bits);
Id   ghlo_spirv_real          (Spirv           *self,
                               GhloElementType  type,
                               double           value);
Id   ghlo_spirv_variable      (Spirv           *self,
                               Id               type);
Id   ghlo_spirv_select        (Spirv           *self,
                               Id               type,
                               Id               condition,
                               Id               if_true,
                               Id               if_false);
/* @result, an instruction of floats, is neither contracted nor reassociated. */
Id   ghlo_spirv_exact         (Spirv           *self,
                               Id               result);
/* base + sum of strides × coordinates + offset, where 0 is no base; of a point that is told by way of the first one, so
 * that the sums of all differ by what is added last, a constant. */
Id   ghlo_spirv_sum           (Spirv           *self,
                               Id               base,
                               gint64           offset,
                               const gint64    *strides);

/* integers.c, floats.c, fma.c, nodes.c */
Id   ghlo_spirv_integer_node  (Spirv           *self,
                               GhloNodeKind     kind,
                               GhloElementType  type,
                               const Id        *operands);
/* Whether quotients of which @which is known (0: nothing) are found from a root, and these. */
gboolean ghlo_spirv_shortens_quotient (const Spirv  *self,
                                       guint         which);
Id   ghlo_spirv_short_quotient (Spirv           *self,
                                GhloQuotient     which,
                                Id               a,
                                Id               b);
Id   ghlo_spirv_float_node    (Spirv           *self,
                               GhloNodeKind     kind,
                               GhloElementType  type,
                               const Id        *operands);
Id   ghlo_spirv_fma           (Spirv           *self,
                               GhloElementType  type,
                               const Id        *operands);
Id   ghlo_spirv_convert       (Spirv           *self,
                               GhloElementType  to,
                               GhloElementType  from,
                               Id               value);
void ghlo_spirv_nodes         (Spirv           *self,
                               guint            first,
                               guint            end);

/* memory.c */
Id   ghlo_spirv_read          (Spirv           *self,
                               GhloElementType  type,
                               Id               address);
void ghlo_spirv_write         (Spirv           *self,
                               GhloElementType  type,
                               Id               address,
                               Id               value);
/* Four elements that are adjacent, of 32 bits at most, where those begin at a multiple of their size. */
void ghlo_spirv_read_four     (Spirv           *self,
                               GhloElementType  type,
                               Id               address,
                               Id              *elements);
void ghlo_spirv_write_four    (Spirv           *self,
                               GhloElementType  type,
                               Id               address,
                               const Id        *elements);
/* The same in two steps: makes words of four elements, as many as an element has bytes, and writes these. */
void ghlo_spirv_pack_four     (Spirv           *self,
                               GhloElementType  type,
                               const Id        *elements,
                               Id              *words);
void ghlo_spirv_write_words   (Spirv           *self,
                               guint            n,
                               Id               address,
                               const Id        *words);
/* Of elements that are the upper halves of four words. */
void ghlo_spirv_pack_halves   (Spirv           *self,
                               const Id        *wholes,
                               Id              *words);
Id   ghlo_spirv_word          (Spirv           *self,
                               Id               address,
                               guint            index);
Id   ghlo_spirv_load          (Spirv           *self,
                               guint            access,
                               Id               fill);
/* The element of an access where @inside holds, 0: always; zero where there is none. */
Id   ghlo_spirv_load_where    (Spirv           *self,
                               guint            access,
                               Id               inside);
Id   ghlo_spirv_inside        (Spirv           *self,
                               guint            access);
void ghlo_spirv_store         (Spirv           *self,
                               guint            access,
                               Id               value);

/* temporaries.c */
Id   ghlo_spirv_get           (Spirv           *self,
                               guint            temporary);
void ghlo_spirv_set           (Spirv           *self,
                               guint            temporary,
                               Id               value);
/* @n elements of @type in shared memory: their variable; and one of them. */
Id   ghlo_spirv_share         (Spirv           *self,
                               GhloElementType  type,
                               gsize            n);
Id   ghlo_spirv_get_shared    (Spirv           *self,
                               GhloElementType  type,
                               Id               variable,
                               Id               index);
void ghlo_spirv_set_shared    (Spirv           *self,
                               GhloElementType  type,
                               Id               variable,
                               Id               index,
                               Id               value);

/* places.c, where a workgroup does a point. Says where temporaries lie. */
void     ghlo_spirv_place     (Spirv                 *self);
/* Nodes but for constants. */
guint    ghlo_spirv_count_nodes (const Spirv         *self,
                               guint                  first,
                               guint                  end);
/* How many points of @axes an invocation has that are told one by one, with no loop; 0: there is one. @n_nodes are
 * those of a point. */
guint    ghlo_spirv_count_told (const Spirv          *self,
                               guint                  axes,
                               guint                  n_nodes);
guint    ghlo_spirv_count_told_in (const Spirv       *self,
                               const GhloKernelBlock *block);
/* Whether all invocations do a block without axes, since it writes nothing but what each of them has. */
gboolean ghlo_spirv_is_for_all (const Spirv          *self,
                               const GhloKernelBlock *block);
gboolean ghlo_spirv_shares_carry (const Spirv         *self,
                               const GhloKernelCarry *carry);
/* Behind a block: a barrier, where invocations have something to wait for. */
void     ghlo_spirv_end_block (Spirv                 *self,
                               const GhloKernelBlock *block);

/* chains.c: the folds of a block that is being emitted, by their number in it. */
typedef struct
{
  const GhloKernelBlock *block;
  Id                     chains[GHLO_KERNEL_MAX_FOLDS];         /* variables: arrays of those of an invocation */
  Id                     shared[2][GHLO_KERNEL_MAX_FOLDS];      /* of a workgroup: what stages of merges read from */
} SpirvFolds;

/* The chains that an invocation has. */
guint    ghlo_spirv_count_chains (const Spirv           *self,
                                  const GhloKernelBlock *block);
/* Elements of either array that invocations with @width chains share. */
guint    ghlo_spirv_count_shared (const GhloKernelBlock *block,
                                  guint                  width,
                                  gboolean               is_second);
/* Whether some invocations may still be at the last stage of a merge where others begin the next merge of the same
 * block, and write what those read. */
gboolean ghlo_spirv_has_late_readers (const Spirv           *self,
                                      const GhloKernelBlock *block);
void     ghlo_spirv_take_chains  (Spirv                 *self,
                                  SpirvFolds            *folds,
                                  const GhloKernelBlock *block);
void     ghlo_spirv_begin_chains (Spirv                 *self,
                                  const SpirvFolds      *folds);
/* @number is one of those that the invocation has. */
Id       ghlo_spirv_get_chain    (Spirv                 *self,
                                  const SpirvFolds      *folds,
                                  guint                  i,
                                  Id                     number);
void     ghlo_spirv_set_chain    (Spirv                 *self,
                                  const SpirvFolds      *folds,
                                  guint                  i,
                                  Id                     number,
                                  Id                     value);
/* What @left and @right come to, one of each fold; @merged may be either. */
void     ghlo_spirv_merge        (Spirv                 *self,
                                  const SpirvFolds      *folds,
                                  const Id              *left,
                                  const Id              *right,
                                  Id                    *merged);
/* What all chains of a fold come to, in all invocations. */
void     ghlo_spirv_merge_chains (Spirv                 *self,
                                  const SpirvFolds      *folds,
                                  Id                    *merged);

/* kept.c. Loads what is kept from the beginning of a point on; what @block needs from the point on that is told. */
void ghlo_spirv_keep          (Spirv                 *self);
void ghlo_spirv_keep_next     (Spirv                 *self,
                               const GhloKernelBlock *block);
/* The element at the point that is told, where it has been loaded; else 0. */
Id   ghlo_spirv_get_kept      (const Spirv           *self,
                               guint                  access);

/* points.c: a part of a block that is done apart; and what nodes of a block that has been emitted are stored to. */
void ghlo_spirv_part          (Spirv                 *self,
                               const GhloKernelBlock *block);
void ghlo_spirv_stores        (Spirv                 *self,
                               const GhloKernelBlock *block);

/* module.c */
Id   ghlo_spirv_global        (Spirv           *self,
                               SpvStorageClass  class,
                               Id               type);
/* What the device says of an invocation: the first component where it is a vector. u64. */
Id   ghlo_spirv_built_in      (Spirv           *self,
                               SpvBuiltIn       built_in,
                               gboolean         is_vector);
/* The module and its function, which is called by workgroups of @group invocations. */
void ghlo_spirv_begin_module  (Spirv           *self);
void ghlo_spirv_end_module    (Spirv           *self,
                               guint            group);
/* The variable of GhloSpirvPush, and what is in a field of it. */
Id   ghlo_spirv_add_push      (Spirv           *self);
Id   ghlo_spirv_load_push     (Spirv           *self,
                               Id               push,
                               guint            field);
/* The number of the invocation's point, or of its workgroup's; the table is there from then on. */
Id   ghlo_spirv_find_point    (Spirv           *self,
                               gboolean         group_per_point);
/* The points from which on none is done: all of them where there is a flag that is 0. */
Id   ghlo_spirv_load_end      (Spirv           *self);
/* The same without a branch, for what is done while the flag is on its way: what was loaded, and what it says. */
typedef struct
{
  Id flag, is_there, word;
} SpirvGate;

SpirvGate ghlo_spirv_load_gate (Spirv            *self);
Id   ghlo_spirv_is_open       (Spirv            *self,
                               const SpirvGate  *gate);
/* What follows, up to ghlo_spirv_end_if (), is done where there is such a point. */
Id   ghlo_spirv_begin_point   (Spirv           *self,
                               Id               point);

/* loops.c */
typedef struct
{
  Id index;                     /* u64, within the loop */
  Id variable, head, next, exit;
} SpirvLoop;

SpirvLoop ghlo_spirv_begin_loop (Spirv         *self,
                                 Id             begin,
                                 Id             end);
/* The same, of so much code that it is there once: processors keep some thousands of instructions. */
SpirvLoop ghlo_spirv_begin_large_loop (Spirv   *self,
                                 Id             begin,
                                 Id             end);
void      ghlo_spirv_end_loop   (Spirv         *self,
                                 SpirvLoop      loop,
                                 Id             step);
/* What follows, up to ghlo_spirv_end_if (), is done where @condition holds. */
Id        ghlo_spirv_begin_if   (Spirv         *self,
                                 Id             condition);
void      ghlo_spirv_end_if     (Spirv         *self,
                                 Id             exit);

/* Points of axes. */
typedef struct
{
  guint axes;                   /* bits */
  Id    begin, end;             /* of the first axis; 0: all of it */
  guint stride;                 /* of the last axis: an invocation does those c with c % stride = lane; a power of two,
                                 * or 0: all */
  guint n_told;                 /* so many of these at a time are told one after the other, so that a device loads
                                 * what all of them need before it computes the first; 0: none are */
} SpirvNest;

typedef void (*SpirvPointFunc) (Spirv    *self,
                                gpointer  data);

void      ghlo_spirv_nest       (Spirv          *self,
                                 SpirvNest       nest,
                                 SpirvPointFunc  func,
                                 gpointer        data);
/* @func at each point of @axes, by one invocation where a workgroup does them together; @n_told is what
 * ghlo_spirv_count_told () says. */
void      ghlo_spirv_spread     (Spirv          *self,
                                 guint           axes,
                                 guint           n_told,
                                 SpirvPointFunc  func,
                                 gpointer        data);
/* @func at coordinates of @axis from @begin to @end, each @step behind the one before; @n_told at a time are told, as
 * in nests. */
void      ghlo_spirv_range      (Spirv          *self,
                                 guint           axis,
                                 Id              begin,
                                 Id              end,
                                 guint64         step,
                                 guint           n_told,
                                 SpirvPointFunc  func,
                                 gpointer        data);
/* The points that an invocation of a workgroup has along @axis, of which none is told yet. */
SpirvTold ghlo_spirv_all_told   (const Spirv    *self,
                                 guint           axis);
/* The point becomes number @number of those that are told. Whether there is such a point; 0: certainly. */
Id        ghlo_spirv_tell       (Spirv          *self,
                                 guint           number);
/* Where a workgroup does a point together: all of it is here, and sees what has been written; or what is shared. */
void      ghlo_spirv_barrier    (Spirv          *self);
void      ghlo_spirv_shared_barrier (Spirv      *self);

/* points.c, blocks.c */
void ghlo_spirv_points        (Spirv                 *self,
                               const GhloKernelBlock *block);
void ghlo_spirv_blocks        (Spirv                 *self,
                               guint                  first,
                               guint                  end,
                               guint                  loops);

G_END_DECLS
