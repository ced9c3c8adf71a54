/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lowers groups of operations to kernels. Lowering starts at the results of the group and walks back to its
 * operands: reshapes, transposes, slices and the like become part of the indices at which operands are read,
 * reductions become folds, and all other operations become nodes.
 *
 * The points of the kernel are the elements of the shape that is reduced (all reductions of a group reduce the same
 * dimensions of one shape), or of the results where nothing is reduced. Results have that shape, or what reduction
 * leaves of it.
 */

#pragma once

#include "base/view.h"
#include "ir/module.h"
#include "kernel/build.h"

G_BEGIN_DECLS

/* A group of operations: those of @body except its terminator, whose operands are the results of the group and whose
 * block arguments are its operands; or a single operation where body is NULL. */
typedef struct
{
  const GhloIrOp    *op;                /* where body is NULL */
  const GhloIrBlock *body;
  const GhloIrOp    *input_op;          /* an operation of the body that is computed elsewhere: its result is the first
                                         * operand of the group, followed by the body's arguments; nullable */
  const GhloIrValue *output_value;      /* a value of the body that depends on no reduction: the only result of the
                                         * group; NULL: the terminator's operands are */
  const guint       *result_indices;    /* the indices of the body's results that the group has; NULL: all */
  const guint       *order;             /* a permutation of the points' dimensions, the outermost first, where nothing
                                         * is reduced; NULL: as they are */
  gboolean           computes_parts;    /* a run may compute part of the points: of the elements from any index on, with
                                         * addresses that begin there, and with other extents */
  guint              n_operands, n_results;
  const GhloIrValue *const *inputs;     /* the operands as values, where a single operation's regions use other values
                                         * besides its operands; else NULL */
  const GhloView    *operands;          /* with arbitrary strides; the data is not accessed */
  const GhloView    *results;           /* dense */
} GhloKernelGroup;

/* Buffer i of the kernel is operand i; buffer n_operands + i is result i. */
typedef struct
{
  GhloKernel *kernel;                   /* owned */
  gint64     *starts;                   /* owned; of each buffer, in bytes from the view's first element; 0 or
                                         * negative */
  guint       n_operands;               /* of the group */
  guint64     begins;                   /* operands (bits) with whose elements the results of buffers[].shared begin;
                                         * the caller has to put them there */
} GhloLoweredKernel;

/* Returns FALSE with *@reason, a static text, where the group cannot be lowered. */
gboolean ghlo_kernel_lower          (const GhloKernelGroup *group,
                                     GhloLoweredKernel     *lowered,
                                     const char           **reason);
/* Returns whether operations of this kind can be lowered, alone or in a fusion. */
gboolean ghlo_kernel_has_kind       (GhloIrOpKind           kind);
/* Returns why no group with @op can be lowered, a static text, or NULL where one may be. */
const char *ghlo_kernel_obstacle    (const GhloIrOp        *op);
/* The same for several operations: why one of them is in no group. */
const char *ghlo_kernel_obstacle_of_group (const GhloIrOp *const *ops,
                                           guint                  n_ops);
/* The same for a loop: @ops are the constants that it may include, followed by the loop. */
const char *ghlo_kernel_loop_obstacle (const GhloIrOp *const *ops,
                                       guint                  n_ops);
/* Returns the result that may have the memory of that operand, or G_MAXUINT32 where none may. */
guint32  ghlo_lowered_kernel_in_place (const GhloLoweredKernel *self,
                                       guint                    operand);
/* Returns whether that result has to begin with the elements of the operand. */
gboolean ghlo_lowered_kernel_begins (const GhloLoweredKernel *self,
                                     guint                    operand);
void     ghlo_lowered_kernel_clear  (GhloLoweredKernel     *self);

/* Returns the type that nodes use to load and store elements of @type, or INVALID where they cannot. */
GhloElementType ghlo_kernel_stored_type (GhloElementType    type);
/* ghlo_kernel_add_number () converts the loaded element @stored of @type to a node of type @as. ghlo_kernel_add_element
 * () does the reverse: it rounds node @number of type @from, a float where @type is a narrow one, to the nearest
 * element. */
guint    ghlo_kernel_add_number     (GhloKernelBuilder     *builder,
                                     GhloElementType        type,
                                     guint                  stored,
                                     GhloElementType        as);
guint    ghlo_kernel_add_element    (GhloKernelBuilder     *builder,
                                     GhloElementType        type,
                                     guint                  number,
                                     GhloElementType        from);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloLoweredKernel, ghlo_lowered_kernel_clear)

G_END_DECLS
