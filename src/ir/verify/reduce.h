/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rules of a region that combines two groups of values into one: the body of
 * reduce and of similar operations.
 */

#pragma once

#include "ir/verify/structured.h"

G_BEGIN_DECLS

typedef struct
{
  guint            region;         /* index of the region */
  guint            n;              /* values that it combines at once */
  const GhloIrUse *inputs;         /* n operands whose elements are combined */
  const GhloIrUse *inits;          /* n operands with the initial values */
  gboolean         scalar_inits;   /* only the element types of inits count */
  const gint64    *dims;           /* dimensions that arguments may have; mostly none */
  guint            n_dims;
} GhloIrReducer;

gboolean ghlo_ir_verify_reducer          (GhloIrVerifier      *verifier,
                                          const GhloIrOp      *op,
                                          const GhloIrReducer *reducer);
/* Result @index has @input's shape and the element type that the region returns
 * as its value @returned. */
gboolean ghlo_ir_verify_reduced_like     (GhloIrVerifier      *verifier,
                                          const GhloIrOp      *op,
                                          guint                index,
                                          const GhloIrType    *input,
                                          guint                region,
                                          guint                returned);

G_END_DECLS
