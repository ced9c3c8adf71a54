/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The least work of a program: arithmetic operations and bytes, counted from its
 * shapes. With a machine's rates it gives the roofline; it does not depend on how an
 * executor computes the program.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef struct
{
  double   product_operations;  /* of products and convolutions; a multiply-add is two */
  double   scalar_operations;   /* of everything else, one for each element computed */
  double   bytes;               /* inputs (of those only cut from what is cut), outputs and constants, each once */
  gboolean exact;               /* FALSE when a dimension or a number of iterations is not known: taken as 1 */
} GhloIrCost;

void     ghlo_ir_cost     (const GhloIrOp *function,
                           GhloIrCost     *cost);
/* Adds the operations of @op and of what is inside of it, where its shapes and numbers of iterations are known. */
void     ghlo_ir_cost_add (GhloIrCost     *cost,
                           const GhloIrOp *op);
/* Whether @op reads no more of that operand than it gives. */
gboolean ghlo_ir_op_cuts  (const GhloIrOp *op,
                           guint           operand);

G_END_DECLS
