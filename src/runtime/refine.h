/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rates of devices, refined by ordinary runs: the measured time of a run is compared with the estimate, and the
 * rates that the estimate depends on are corrected. Refined rates choose the device for programs that name none.
 * The rates that a device states stay unchanged; they tell what a step could reach at best.
 *
 * Refinements are kept on disk next to the results of `ghlo calibrate`, for as long as the rates that they refine
 * stay the same. Where GHLO_CACHE keeps nothing, nothing is refined.
 */

#pragma once

#include "device/device.h"

G_BEGIN_DECLS

typedef struct
{
  GhloDeviceRates rates;
  gboolean      is_calibrated;      /* TRUE: the rates that were refined had been measured; FALSE: they were a guess */
  guint64       n_runs;             /* number of runs that contributed */
} GhloRefinedRates;

/* Returns FALSE where the device's rates are not known. Thread-safe. */
gboolean      ghlo_refined_rates_get (GhloDeviceCore      *device,
                                      GhloRefinedRates    *refined);

/* Observes the runs of an executable. */
typedef struct _GhloRunWatch GhloRunWatch;

/* A run is estimated to need @amounts on @device, each field counting what the rate of the same name measures: bytes,
 * operations, runs and steps. It takes @others seconds in addition. Returns NULL where nothing is kept. */
GhloRunWatch *ghlo_run_watch_new     (GhloDeviceCore      *device,
                                      const GhloDeviceRates *amounts,
                                      double               others);
/* No run may be in progress. */
void          ghlo_run_watch_free    (GhloRunWatch        *self);
/* Each run calls begin, and end with the number that begin returned. @now is the end of the run, in µs of the monotonic
 * clock. */
guint64       ghlo_run_watch_begin   (GhloRunWatch        *self);
/* @taken is the time of the run in µs, including the upload of @uploaded bytes of inputs, but no downloads of outputs.
 * It is negative for a run that says nothing about the device. */
void          ghlo_run_watch_end     (GhloRunWatch        *self,
                                      guint64              number,
                                      gint64               now,
                                      gint64               taken,
                                      gsize                uploaded);

G_END_DECLS
