/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What operations do, and how long that takes at given rates, as far as the program tells: before there is a plan, and
 * for a device that is not open.
 */

#pragma once

#include "plan/target.h"

G_BEGIN_DECLS

typedef struct
{
  double   bytes;         /* read and written */
  double   scalars;       /* operations, as in GhloIrCost; the next in products and convolutions */
  double   products[GHLO_STEP_N_PRODUCTS];
  gboolean exact;         /* FALSE when a dimension or a number of iterations is not known: taken as 1 */
} GhloStepWork;

/* Adds the operations of @op and of what is inside of it, and no bytes. */
void   ghlo_step_work_add      (GhloStepWork        *work,
                                const GhloIrOp      *op);
/* The longer of moving the bytes and doing the operations, in seconds; below 0 where @rates (nullable) do not say. */
double ghlo_step_work_time     (const GhloStepWork  *work,
                                const GhloStepRates *rates);
/* Adds to @amounts, each in the place of its rate, what takes that time: bytes, or operations. */
void   ghlo_step_work_bound    (const GhloStepWork  *work,
                                const GhloStepRates *rates,
                                GhloStepRates       *amounts);

/* What @value is a view of, in its block: itself where it is none. */
const GhloIrValue *ghlo_step_source (const GhloIrValue *value);
/* Of a tensor of known shape; 0 for anything else. */
double ghlo_step_value_bytes   (const GhloIrValue   *value);
/* What @op, by itself, reads of an operand, and writes of a result, where it changes what it can in place. */
double ghlo_step_bytes_read    (const GhloIrOp      *op,
                                guint                operand);
double ghlo_step_bytes_written (const GhloIrOp      *op,
                                guint                result);

G_END_DECLS
