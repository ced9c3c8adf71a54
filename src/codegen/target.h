/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a device offers to a plan: kernels, found by operation. The device knows
 * nothing of plans, and the plan nothing of the device.
 */

#pragma once

#include "base/view.h"
#include "ir/module.h"

G_BEGIN_DECLS

#define GHLO_CODE_NO_BUFFER G_MAXUINT32

/* Where a step finds a tensor: part of a buffer, as a view. Dimensions and strides
 * live as long as the plan's module.
 * At run time it is a GhloView. */
typedef struct
{
  guint32          buffer;        /* GHLO_CODE_NO_BUFFER for a token */
  gsize            offset;        /* bytes from the buffer's start to index 0 in every dimension */
  const GhloIrType *type;         /* element type and dimensions */
  const gint64    *strides;       /* bytes, one for each dimension */
} GhloCodeOperand;

typedef struct
{
  const char *name;               /* "gemm" */
  /* Whether operand @index may come with these strides; NULL: only dense ones.
   * Results are always dense. */
  gboolean  (*takes)   (const GhloIrOp         *op,
                        guint                   index,
                        const GhloCodeOperand  *operand);
  /* The operand whose memory result 0 may take over when nobody needs it any more;
   * -1 for none. NULL: none. */
  int       (*in_place) (const GhloIrOp        *op);
  /* Something immutable that any thread may run; the operands' and results' shapes
   * and strides are those that run will see. *scratch is the memory that each run
   * wants. Declining (NULL without @error) leaves the operation to others. */
  gpointer  (*prepare) (const GhloIrOp         *op,
                        const GhloCodeOperand  *operands,
                        const GhloCodeOperand  *results,
                        gsize                  *scratch,
                        GError                **error);
  gboolean  (*run)     (gpointer                prepared,
                        const GhloView         *operands,
                        const GhloView         *results,
                        gpointer                scratch,
                        const GhloMonitor      *monitor,
                        GError                **error);
  void      (*release) (gpointer                prepared);
  /* What the plan says of it: the implementation, tiles; the caller frees it. NULL:
   * nothing more than the name. */
  char     *(*describe) (gpointer               prepared);
} GhloCodeKernel;

typedef struct
{
  const char             *name;   /* "cpu" */
  /* NULL when the device has no kernel for it. */
  const GhloCodeKernel *(*find) (const GhloIrOp *op);
} GhloCodeTarget;

G_END_DECLS
