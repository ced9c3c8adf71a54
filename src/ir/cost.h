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

void ghlo_ir_cost (const GhloIrModule *module,
                   const GhloIrOp     *function,
                   GhloIrCost         *cost);

G_END_DECLS
