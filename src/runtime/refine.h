/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rates of devices as ordinary runs find them: what a run takes is held against what it was estimated to take, and the
 * rates that the estimate depends on are corrected. They are what programs without a device are given to one by. Those
 * that devices state stay as they are: what a step could reach at best is told by them.
 *
 * Kept on disk beside what `ghlo calibrate` measures, for as long as the rates that they refine are the same; where
 * nothing is kept (GHLO_CACHE) nothing is refined.
 */

#pragma once

#include "runtime/device.h"

G_BEGIN_DECLS

typedef struct
{
  GhloStepRates rates;
  gboolean      is_calibrated;      /* what is refined was measured; FALSE: it is a guess */
  guint64       n_runs;             /* that refined it */
} GhloRefinedRates;

/* FALSE where the device's rates are not known. Any thread may call this. */
gboolean      ghlo_refined_rates_get (GhloDeviceCore      *device,
                                      GhloRefinedRates    *refined);

/* Looks at the runs of an executable. */
typedef struct _GhloRunWatch GhloRunWatch;

/* A run is estimated to do @amounts on @device, each of what the rate in its place is of: bytes, operations, runs and
 * steps; and to take @others seconds besides. NULL where nothing is kept. */
GhloRunWatch *ghlo_run_watch_new     (GhloDeviceCore      *device,
                                      const GhloStepRates *amounts,
                                      double               others);
/* No run goes on. */
void          ghlo_run_watch_free    (GhloRunWatch        *self);
/* Each run begins, and ends with the number that it has got here, at @now µs of the monotonic clock. */
guint64       ghlo_run_watch_begin   (GhloRunWatch        *self);
/* @taken: µs, with the transfers of @uploaded bytes of inputs and of no outputs; below 0 for a run that says nothing of
 * the device. */
void          ghlo_run_watch_end     (GhloRunWatch        *self,
                                      guint64              number,
                                      gint64               now,
                                      gint64               taken,
                                      gsize                uploaded);

G_END_DECLS
