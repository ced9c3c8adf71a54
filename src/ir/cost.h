/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A lower bound of the work of a program: arithmetic operations and bytes, counted from its shapes. Together with the
 * rates of a machine this gives the roofline. The bound does not depend on how an executor computes the program.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef struct
{
  double   product_operations;  /* in matrix products and convolutions; a multiply-add counts as two */
  double   scalar_operations;   /* in all other operations, one for each element computed */
  double   bytes;               /* inputs, outputs and constants, each counted once. An input of which the program
                                   only reads slices counts as much as these slices */
  gboolean exact;               /* FALSE if a dimension or a trip count is unknown; it then counts as 1 */
} GhloIrCost;

void     ghlo_ir_cost     (const GhloIrOp *function,
                           GhloIrCost     *cost);
/* Adds the arithmetic operations of @op and of its regions, as far as shapes and trip counts are known. */
void     ghlo_ir_cost_add (GhloIrCost     *cost,
                           const GhloIrOp *op);
/* Returns whether @op reads no more elements of the operand than it returns, as a slice does. */
gboolean ghlo_ir_op_reads_part (const GhloIrOp *op,
                                guint           operand);

G_END_DECLS
