/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a program must at least do: arithmetic operations and bytes, counted from
 * its shapes. This is what a machine's rates are held against (the roofline); it
 * says nothing of how an executor does it.
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

void ghlo_ir_cost (const GhloIrModule *module,
                   const GhloIrOp     *function,
                   GhloIrCost         *cost);

G_END_DECLS
