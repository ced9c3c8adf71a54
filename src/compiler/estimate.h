/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * About how long a program takes on a device, from its operations and the device's rates alone, as runs have refined
 * these: neither passes have run, nor is there a plan, nor is the device open.
 */

#pragma once

#include "runtime/refine.h"

G_BEGIN_DECLS

typedef struct
{
  /* Of a run, from inputs in the host's memory to outputs there; below 0 where a shape or a rate is not known, or the
   * device may have too little memory. */
  double           seconds;
  /* What of it is not transfers of inputs and outputs, as ghlo_run_watch_new () takes it. */
  GhloStepRates    amounts;
  double           others;
  gboolean         is_exact;      /* all of it is done each time; FALSE: data say how often, or which branch */
  GhloRefinedRates rates;         /* the device's, by which this is estimated */
} GhloEstimate;

/* A run of @function on @device. What that declines is done by @host, with transfers. Loops of which nobody knows how
 * often they go round go round once. */
void ghlo_estimate_run (GhloDeviceCore *device,
                        GhloDeviceCore *host,
                        const GhloIrOp *function,
                        GhloEstimate   *estimate);

G_END_DECLS
