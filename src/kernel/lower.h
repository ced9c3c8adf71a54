/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels of groups of operations. It begins at what the group gives and walks back to what it
 * takes: reshapes, transposes, slices and the like on the way become parts of the indices
 * by which operands are read, reductions become folds, everything else nodes.
 *
 * The points of the kernel are the elements of what is reduced (all reductions of a group reduce the
 * same dimensions of one shape), or of the results where nothing is; results are of that shape, or
 * of what is left of it.
 */

#pragma once

#include "base/view.h"
#include "ir/module.h"
#include "kernel/build.h"

G_BEGIN_DECLS

/* A group: the operations of @body but for the terminator, which take its arguments and give the
 * terminator's operands; or, where that is NULL, one operation. */
typedef struct
{
  const GhloIrOp    *op;                /* where there is no body */
  const GhloIrBlock *body;
  const GhloIrOp    *given;             /* of the body, computed elsewhere: its result is the first operand, the body's
                                         * arguments those behind it; or NULL */
  const GhloIrValue *wanted;            /* of the body, depending on no reduction: the only result; NULL: those of the
                                         * terminator */
  const guint       *which;             /* of the body's results, those that are the group's; NULL: all */
  const guint       *order;             /* of the points' dimensions, where nothing is reduced: which is the outermost,
                                         * and so on; NULL: as they are */
  guint              n_operands, n_results;
  const GhloIrValue *const *inputs;     /* the operands as values, where they are not those of the operation alone:
                                         * what its regions take besides; else NULL */
  const GhloView    *operands;          /* any strides; data is not looked at */
  const GhloView    *results;           /* without gaps */
} GhloKernelGroup;

/* Buffer i of the kernel is operand i, buffer n_operands + i is result i. */
typedef struct
{
  GhloKernel *kernel;                   /* owned */
  gint64     *starts;                   /* owned; of each buffer, in bytes from the view's first element; 0 or less */
} GhloLoweredKernel;

/* FALSE with *reason, static, where the group is no kernel. */
gboolean ghlo_kernel_lower          (const GhloKernelGroup *group,
                                     GhloLoweredKernel     *lowered,
                                     const char           **reason);
/* Whether operations of the kind may be kernels, alone or as a fusion. */
gboolean ghlo_kernel_has_kind       (GhloIrOpKind           kind);
/* Why no group with @op is a kernel, static; NULL where one may be. */
const char *ghlo_kernel_obstacle    (const GhloIrOp        *op);
/* The same of a loop: @ops are the constants that it may take along, and the loop. */
const char *ghlo_kernel_loop_obstacle (const GhloIrOp *const *ops,
                                       guint                  n_ops);
void     ghlo_lowered_kernel_clear  (GhloLoweredKernel     *self);

/* What nodes load elements of @type as, and store them as; INVALID where no node does. */
GhloElementType ghlo_kernel_stored_type (GhloElementType    type);
/* The number, as a node of type @as, of an element of @type, and back: the node of an element that is nearest to the
 * node @number of type @from, which is a float where @type is a narrow one. */
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
