/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The operands and dimension numbers of a dot_general, as rules read and change them. Its result has the batching
 * dimensions in the order listed, then the free dimensions of each side in the operand's order.
 */

#pragma once

#include "base/sizes.h"
#include "ir/module.h"

G_BEGIN_DECLS

enum { GHLO_DOT_LHS, GHLO_DOT_RHS };

typedef struct
{
  GhloIrValue *operands[2];
  gint64       batch[2][GHLO_MAX_RANK];
  gint64       contracting[2][GHLO_MAX_RANK];
  guint        n_batch, n_contracting;
} GhloDot;

/* FALSE where @op, which may be NULL, is not a dot_general of plain types. */
gboolean ghlo_dot_read    (const GhloIrOp *op,
                           GhloDot        *dot);
/* Whether the dimension of that side is neither a batching nor a contracting one. */
gboolean ghlo_dot_is_free (const GhloDot  *dot,
                           guint           side,
                           gint64          dimension);
guint    ghlo_dot_n_free  (const GhloDot  *dot,
                           guint           side);

G_END_DECLS
