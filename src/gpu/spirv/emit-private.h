/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the parts of the emitter. All values are scalars. Integers have no sign; booleans are those of SPIR-V.
 * Addresses are 64-bit integers that become pointers at an access. Values that live across blocks are kept in variables
 * of the function, which drivers turn into registers.
 *
 * The code of unrolled points is emitted point by point, without a loop.
 */

#pragma once

#include "gpu/spirv/builder.h"
#include "gpu/spirv/spirv.h"

G_BEGIN_DECLS

enum
{
  GHLO_SPIRV_MAX_NODES = 4096,
  SPIRV_MAX_UNROLLED = 32,      /* unrolled points of an invocation */
  SPIRV_MAX_PRELOADS = 16,      /* accesses whose elements are kept in registers at once */
  SPIRV_MAX_PRELOAD_BYTES = 192,        /* registers for elements that are loaded ahead */
};

/* Where a temporary is stored if a workgroup computes a point. */
typedef enum
{
  SPIRV_IN_VARIABLES,           /* in variables of the only invocation that uses the element, or of each invocation if
                                 * it spans no axis */
  SPIRV_UNSHARED,               /* in shared memory, though only one invocation uses the element */
  SPIRV_SHARED,
} SpirvPlace;

/* The points of an axis that are unrolled, @step apart, and the one whose code is being emitted. */
typedef struct
{
  Id      first;                /* u64: coordinate of number 0; 0 if no points are unrolled */
  guint64 step;
  guint   n;                    /* points per iteration of a loop; 0 if they are all points of the invocation */
  guint   axis, number;
} SpirvUnrolled;

/* The elements that an access loads at the unrolled points, indexed by their numbers; 0: not loaded yet. */
typedef struct
{
  guint16 access;
  guint8  axis;
  Id      first;                /* of SpirvUnrolled */
  Id      values[SPIRV_MAX_UNROLLED];
} SpirvPreload;

typedef struct
{
  GhloSpirvBuilder *builder;
  GhloSpirvFloats   floats;
  Id                glsl;               /* the extended instruction set GLSL.std.450 */
  Id                u32, u64, boolean;  /* types */
  Id                wide_fma;           /* function on three f64, or 0 */
  Id                function;           /* entry point */
  gboolean          has_vulkan_model;   /* uses Vulkan's memory model, which cooperative matrices require */
  GArray           *interface;          /* Id: all global variables */
  guint             group;              /* invocations per workgroup, or per point of a workgroup that has several */

  /* The fields below belong to the kernel that is being emitted. */
  const GhloKernel *kernel;             /* expanded: without functions */
  /* Values of the invocation; u64. */
  Id                table, number, n_invocations, scratch;
  Id                lane;               /* index among those of the workgroup that compute a point together; else 0 */
  guint             n_together;         /* points of a workgroup, if it has a lane for each */
  Id                together;           /* which of them it is; 0 if there is one */
  Id                is_there;           /* whether it exists, if there are several: workgroups compute the first of them
                                         * in place of those behind the last point, and do not store that */
  SpirvUnrolled     unrolled;
  guint             n_loops;            /* loops around the code being emitted */
  SpirvPreload      preloads[SPIRV_MAX_PRELOADS];
  guint             n_preloads, n_preloads_throughout;  /* the latter live from the beginning of a point to its end */
  guint8            places[GHLO_KERNEL_MAX_TEMPORARIES];        /* SpirvPlace, if there is a lane */
  GhloSpirvParts    parts;              /* of the first block with folds */
  gboolean          is_speculative;     /* all points are cheap, see emit.c */
  gboolean          by_four;            /* as in GhloSpirvSchedule, as is the next one */
  guint64           aligned;
  Id                part, n_points, slot;  /* SEPARATE: the part, and the slot of its results; MERGED: n_points is set,
                                            * and slot is the point's number */
  Id                zero;               /* read from the table; only if floats.folds_exactly is FALSE */
  Id                buffers[GHLO_KERNEL_MAX_BUFFERS], extents[GHLO_KERNEL_MAX_AXES];
  Id                variables[GHLO_KERNEL_MAX_TEMPORARIES];     /* for temporaries outside scratch; 0: not created
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
/* Returns a constant of an integer type. */
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
/* Marks @result, an instruction on floats, as neither to be contracted nor reassociated. */
Id   ghlo_spirv_exact         (Spirv           *self,
                               Id               result);
/* Returns base + sum of strides × coordinates + offset; a base of 0 is none. For an unrolled point this is computed
 * from the first point, so that the sums for all unrolled points differ only by a constant that is added last. */
Id   ghlo_spirv_sum           (Spirv           *self,
                               Id               base,
                               gint64           offset,
                               const gint64    *strides);

/* integers.c, floats.c, fma.c, nodes.c */
Id   ghlo_spirv_integer_node  (Spirv           *self,
                               GhloNodeKind     kind,
                               GhloElementType  type,
                               const Id        *operands);
/* The first says whether a quotient, known to be of kind @kind (0: nothing is known), can be computed from a root; the
 * second computes it. */
gboolean ghlo_spirv_shortens_quotient (const Spirv  *self,
                                       guint         kind);
Id   ghlo_spirv_short_quotient (Spirv           *self,
                                GhloQuotient     kind,
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
/* Reads @n contiguous elements of at most 32 bits: 4, 8 or 16 bytes, aligned to their size; or one element. */
void ghlo_spirv_read_adjacent (Spirv           *self,
                               GhloElementType  type,
                               guint            n,
                               Id               address,
                               Id              *elements);
/* Writes four contiguous elements of at most 32 bits, aligned to the size of all four. */
void ghlo_spirv_write_four    (Spirv           *self,
                               GhloElementType  type,
                               Id               address,
                               const Id        *elements);
/* ghlo_spirv_write_four () in two steps: packs the elements into as many words as an element has bytes, then writes
 * these. */
void ghlo_spirv_pack_four     (Spirv           *self,
                               GhloElementType  type,
                               const Id        *elements,
                               Id              *words);
void ghlo_spirv_write_words   (Spirv           *self,
                               guint            n,
                               Id               address,
                               const Id        *words);
/* Like ghlo_spirv_pack_four (), for elements that are the upper halves of the four words @sources. */
void ghlo_spirv_pack_halves   (Spirv           *self,
                               const Id        *sources,
                               Id              *words);
Id   ghlo_spirv_word          (Spirv           *self,
                               Id               address,
                               guint            index);
Id   ghlo_spirv_load          (Spirv           *self,
                               guint            access,
                               Id               fill);
/* Loads the element of an access if @inside holds (0: always). Returns zero where the access has no element. */
Id   ghlo_spirv_load_where    (Spirv           *self,
                               guint            access,
                               Id               inside);
/* Whether the elements of an access at the four points of GhloSpirvSchedule.by_four can be loaded or stored together;
 * and functions that do, at the first of the points. */
gboolean ghlo_spirv_has_four  (const Spirv     *self,
                               guint            access);
void ghlo_spirv_load_four     (Spirv           *self,
                               guint            access,
                               Id              *elements);
void ghlo_spirv_store_four    (Spirv           *self,
                               guint            access,
                               const Id        *elements);
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
/* @n elements of @type in shared memory: declares the variable, reads and writes one element. */
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

/* places.c, for workgroups that compute a point together. Chooses where temporaries are stored. */
void     ghlo_spirv_place     (Spirv                 *self);
/* Returns the number of nodes, not counting constants. */
guint    ghlo_spirv_count_nodes (const Spirv         *self,
                               guint                  first,
                               guint                  end);
/* Returns the number of points of @axes to unroll per invocation, or 0 to emit a loop. @n_nodes is the number of nodes
 * per point. */
guint    ghlo_spirv_count_unrolled (const Spirv      *self,
                               guint                  axes,
                               guint                  n_nodes);
guint    ghlo_spirv_count_unrolled_in (const Spirv   *self,
                               const GhloKernelBlock *block);
/* Whether all invocations compute a block without axes, since it writes only values that each invocation has itself. */
gboolean ghlo_spirv_is_for_all (const Spirv          *self,
                               const GhloKernelBlock *block);
gboolean ghlo_spirv_shares_carry (const Spirv         *self,
                               const GhloKernelCarry *carry);
/* Ends a block, with a barrier if invocations have something to wait for. */
void     ghlo_spirv_end_block (Spirv                 *self,
                               const GhloKernelBlock *block);

/* chains.c: the folds of the block being emitted, indexed within the block. */
typedef struct
{
  const GhloKernelBlock *block;
  Id                     chains[GHLO_KERNEL_MAX_FOLDS];         /* variables: arrays of the chains of an invocation */
  Id                     shared[2][GHLO_KERNEL_MAX_FOLDS];      /* arrays of the workgroup that stages of merges read
                                                                 * from */
} SpirvFolds;

/* Returns the number of chains per invocation. */
guint    ghlo_spirv_count_chains (const Spirv           *self,
                                  const GhloKernelBlock *block);
/* Returns the size, in elements, of the first or second shared array for merging @width chains. */
guint    ghlo_spirv_count_shared (const GhloKernelBlock *block,
                                  guint                  width,
                                  gboolean               is_second);
/* Whether some invocations may still be in the last stage of a merge while others begin the next merge of the same
 * block and overwrite what that stage reads. */
gboolean ghlo_spirv_has_late_readers (const Spirv           *self,
                                      const GhloKernelBlock *block);
void     ghlo_spirv_take_chains  (Spirv                 *self,
                                  SpirvFolds            *folds,
                                  const GhloKernelBlock *block);
void     ghlo_spirv_begin_chains (Spirv                 *self,
                                  const SpirvFolds      *folds);
/* @number is an index into the invocation's own chains. */
Id       ghlo_spirv_get_chain    (Spirv                 *self,
                                  const SpirvFolds      *folds,
                                  guint                  i,
                                  Id                     number);
void     ghlo_spirv_set_chain    (Spirv                 *self,
                                  const SpirvFolds      *folds,
                                  guint                  i,
                                  Id                     number,
                                  Id                     value);
/* Merges the values @left and @right of all folds; @merged may be either array. */
void     ghlo_spirv_merge        (Spirv                 *self,
                                  const SpirvFolds      *folds,
                                  const Id              *left,
                                  const Id              *right,
                                  Id                    *merged);
/* Merges all chains of each fold; all invocations get the results. */
void     ghlo_spirv_merge_chains (Spirv                 *self,
                                  const SpirvFolds      *folds,
                                  Id                    *merged);

/* preload.c. The first loads what is kept from the beginning of a point to its end; the second loads what @block needs
 * from the current unrolled point on. */
void ghlo_spirv_preload       (Spirv                 *self);
void ghlo_spirv_preload_next  (Spirv                 *self,
                               const GhloKernelBlock *block);
/* Returns the element at the current unrolled point, or 0 if it has not been loaded. */
Id   ghlo_spirv_get_preload   (const Spirv           *self,
                               guint                  access);

/* points.c: one part of ghlo_spirv_block_of_parts (), computed separately; and the stores of a block whose nodes have
 * been emitted. */
void ghlo_spirv_part          (Spirv                 *self);
void ghlo_spirv_stores        (Spirv                 *self,
                               const GhloKernelBlock *block);

/* module.c */
Id   ghlo_spirv_global        (Spirv           *self,
                               SpvStorageClass  class,
                               Id               type);
/* Returns a built-in input as u64; the first component of a vector. */
Id   ghlo_spirv_built_in      (Spirv           *self,
                               SpvBuiltIn       built_in,
                               gboolean         is_vector);
/* Begins and ends the module and its function, for workgroups of @group invocations. */
void ghlo_spirv_begin_module  (Spirv           *self);
void ghlo_spirv_end_module    (Spirv           *self,
                               guint            group);
/* Declares GhloSpirvPush, and loads one of its fields. */
Id   ghlo_spirv_add_push      (Spirv           *self);
Id   ghlo_spirv_load_push     (Spirv           *self,
                               Id               push,
                               guint            field);
/* Returns the number of the invocation's or workgroup's point; self->table is set from then on. */
Id   ghlo_spirv_find_point    (Spirv           *self,
                               gboolean         workgroup_per_point);
/* Returns the number of the first of several points of a workgroup, whose places are set. */
Id   ghlo_spirv_find_together (Spirv                   *self,
                               const GhloSpirvSchedule *schedule);
/* Returns the number of the first point that is not computed; 0 if there is a flag and it is 0. */
Id   ghlo_spirv_load_end      (Spirv           *self);
/* The same without a branch, for code that runs while the flag is still being loaded: what was loaded, and whether the
 * flag permits stores. */
typedef struct
{
  Id flag, is_there, word;
} SpirvPredicate;

SpirvPredicate ghlo_spirv_load_predicate (Spirv *self);
Id   ghlo_spirv_is_predicate_true (Spirv                *self,
                                   const SpirvPredicate *predicate);
/* The code up to ghlo_spirv_end_if () is executed if the point exists. */
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
/* The same for bodies so large that they must not be unrolled: processors cache some thousands of instructions. */
SpirvLoop ghlo_spirv_begin_large_loop (Spirv   *self,
                                 Id             begin,
                                 Id             end);
void      ghlo_spirv_end_loop   (Spirv         *self,
                                 SpirvLoop      loop,
                                 Id             step);
/* The code up to ghlo_spirv_end_if () is executed if @condition holds. That does nothing for 0: code that is always
 * executed. */
Id        ghlo_spirv_begin_if   (Spirv         *self,
                                 Id             condition);
void      ghlo_spirv_end_if     (Spirv         *self,
                                 Id             exit);

/* A nest of loops over points. */
typedef struct
{
  guint axes;                   /* bits */
  Id    begin, end;             /* of the first axis; 0: its whole extent */
  guint stride;                 /* of the last axis: an invocation has the coordinates c with c % stride = lane; a power
                                 * of two, or 0: all coordinates */
  guint n_unrolled;             /* points unrolled per iteration of the last axis, so that the loads of all of them are
                                 * issued before the first is computed; 0: none */
} SpirvNest;

typedef void (*SpirvPointFunc) (Spirv    *self,
                                gpointer  data);

void      ghlo_spirv_nest       (Spirv          *self,
                                 SpirvNest       nest,
                                 SpirvPointFunc  func,
                                 gpointer        data);
/* Calls @func for each point of @axes, each on one invocation if a workgroup computes the point together. @n_unrolled
 * is the result of ghlo_spirv_count_unrolled (). */
void      ghlo_spirv_spread     (Spirv          *self,
                                 guint           axes,
                                 guint           n_unrolled,
                                 SpirvPointFunc  func,
                                 gpointer        data);
/* Calls @func for coordinates of @axis in [@begin, @end), @step apart. @n_unrolled of them at a time are unrolled, as
 * in nests. */
void      ghlo_spirv_range      (Spirv          *self,
                                 guint           axis,
                                 Id              begin,
                                 Id              end,
                                 guint64         step,
                                 guint           n_unrolled,
                                 SpirvPointFunc  func,
                                 gpointer        data);
/* Unrolls all points of an invocation along @axis. The first one is current. */
SpirvUnrolled ghlo_spirv_unroll_all (const Spirv *self,
                                 guint           axis);
/* Makes number @number the current unrolled point. Returns a condition for whether that point exists; 0: it always
 * does. */
Id        ghlo_spirv_unroll_point (Spirv        *self,
                                 guint           number);
/* If a workgroup computes a point together: waits until all of its invocations arrive and see all writes, or only those
 * to shared memory. */
void      ghlo_spirv_barrier    (Spirv          *self);
void      ghlo_spirv_shared_barrier (Spirv      *self);

/* points.c, blocks.c */
void ghlo_spirv_points        (Spirv                 *self,
                               const GhloKernelBlock *block);
void ghlo_spirv_blocks        (Spirv                 *self);

G_END_DECLS
