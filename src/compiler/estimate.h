/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Estimates how long a program takes on a device, from its operations and the device's rates as refined by runs. At
 * this point neither have passes run, nor is there a plan, nor is the device open.
 */

#pragma once

#include "runtime/refine.h"

G_BEGIN_DECLS

typedef struct
{
  /* The time of a run, from inputs in the host's memory to outputs there. Negative where a shape or a rate is not
   * known, or the device may have too little memory. */
  double           seconds;
  /* The parts of it except the transfers of inputs and outputs, as ghlo_run_watch_new () takes them. */
  GhloDeviceRates    amounts;
  double           others;
  gboolean         is_exact;      /* each run does all of it; FALSE: iterations or branches depend on data */
  GhloRefinedRates rates;         /* the device's rates on which the estimate is based */
} GhloEstimate;

/* Estimates a run of @function on @device. Operations that the device declines run on @host, with transfers. Loops
 * whose number of iterations is not known count once. */
void ghlo_estimate_run (GhloDeviceCore *device,
                        GhloDeviceCore *host,
                        const GhloIrOp *function,
                        GhloEstimate   *estimate);

G_END_DECLS
