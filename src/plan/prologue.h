/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The prologue of a product (plan/epilogue.h): operations of a fusion that compute one operand of it, a matrix of
 * weights for example, from narrower or smaller values. They form a kernel over the operand's elements, and an executor
 * computes them block by block where it would have read the operand from memory.
 *
 * The points of the kernel are the operand's elements in row-major order. All of its accesses are affine and it uses no
 * coordinates, so a run may compute any box of points: with the box's extents, at the addresses of its first point.
 */

#pragma once

#include "plan/epilogue.h"

G_BEGIN_DECLS

typedef struct
{
  GhloLoweredKernel lowered;      /* buffers: the request's operands, and the block of the operand that is computed */
  guint             n_operands;   /* of the request */
  GhloElementType   type;         /* of the operand that is computed */
  gint64            row, pitch;   /* elements of a row of the operand, and from one row of a block to the next */
  gint64            extents[GHLO_KERNEL_MAX_AXES];      /* of the whole operand; the kernel states those of a block */
  guint             split;        /* axes before this one are rows, the others the elements of a row */
} GhloStepPrologue;

/* Lowers the operations that compute the operand of @product, for blocks whose rows are @pitch elements apart. The
 * operand has rows of @row elements; with @takes_rows, blocks consist of whole rows. Returns NULL, or a static string
 * that says why that is not supported. */
const char *ghlo_step_prologue_init  (GhloStepPrologue      *self,
                                      const GhloProductOp   *product,
                                      const GhloStepRequest *request,
                                      gint64                 row,
                                      gint64                 pitch,
                                      gboolean               takes_rows);
/* The largest box of axes [@first, @end) that begins at point @begin and ends at @limit or before; both are numbers of
 * points of these axes. Sets the box's starts and extents, and returns the number of its points. */
gint64      ghlo_step_prologue_box   (const GhloStepPrologue *self,
                                      guint                   first,
                                      guint                   end,
                                      gint64                  begin,
                                      gint64                  limit,
                                      gint64                 *starts,
                                      gint64                 *extents);
void        ghlo_step_prologue_clear (GhloStepPrologue      *self);

G_END_DECLS
