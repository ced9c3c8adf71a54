/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The operations and bytes of a program, and the time that they take at given rates, as far as the program tells:
 * before there is a plan, and for a device that has not been opened.
 */

#pragma once

#include "device/device.h"

G_BEGIN_DECLS

typedef struct
{
  double   bytes;         /* read and written */
  double   scalars;       /* operations, counted as in GhloIrCost; @products holds those in products and convolutions */
  double   products[GHLO_N_PRODUCT_RATES];
  gboolean exact;         /* FALSE when a dimension or a number of iterations is not known: taken as 1 */
} GhloStepWork;

/* Adds the operations of @op and of its regions, but no bytes. */
void   ghlo_step_work_add      (GhloStepWork        *work,
                                const GhloIrOp      *op);
/* The time in seconds to move the bytes or to do the operations, whichever is longer; negative where @rates (nullable)
 * do not say. */
double ghlo_step_work_time     (const GhloStepWork    *work,
                                const GhloDeviceRates *rates);

/* Follows views in @value's block and returns the value that they are of; @value itself where it is not a view. */
const GhloIrValue *ghlo_step_source (const GhloIrValue *value);
/* The size of a tensor of known shape; 0 for anything else. */
double ghlo_step_value_bytes   (const GhloIrValue   *value);
/* The bytes that @op by itself reads of an operand, and writes of a result, if it updates in place where it can. */
double ghlo_step_bytes_read    (const GhloIrOp      *op,
                                guint                operand);
double ghlo_step_bytes_written (const GhloIrOp      *op,
                                guint                result);

G_END_DECLS
