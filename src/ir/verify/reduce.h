/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rules for regions that combine two groups of values into one: the body of reduce and of similar operations.
 */

#pragma once

#include "ir/verify/structured.h"

G_BEGIN_DECLS

typedef struct
{
  guint            region;         /* index of the region */
  guint            n;              /* number of values that the region combines at once */
  const GhloIrUse *inputs;         /* n operands whose elements are combined */
  const GhloIrUse *inits;          /* n operands with the initial values */
  gboolean         scalar_inits;   /* only the element types of inits are checked */
  const gint64    *dims;           /* dimensions that the region's arguments may have; usually none */
  guint            n_dims;
} GhloIrReducer;

gboolean ghlo_ir_verify_reducer          (GhloIrVerifier      *verifier,
                                          const GhloIrOp      *op,
                                          const GhloIrReducer *reducer);
/* Checks that result @index has @input's shape and the element type of the value @returned that the region returns. */
gboolean ghlo_ir_verify_reduced_like     (GhloIrVerifier      *verifier,
                                          const GhloIrOp      *op,
                                          guint                index,
                                          const GhloIrType    *input,
                                          guint                region,
                                          guint                returned);

G_END_DECLS
