/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Evaluates one operation on constants by running it on a device, for constant folding. The operation is put into a
 * program of its own, which is prepared, run and freed.
 */

#pragma once

#include "execute/program.h"
#include "passes/pass.h"

G_BEGIN_DECLS

/* The data of an evaluator, which it must outlive. */
typedef struct
{
  GhloDeviceCore    *device;
  const GhloMonitor *monitor;       /* borrowed; nullable; the progress of single operations is not reported */
} GhloDeviceEvaluator;

/* @self must outlive the result. */
GhloPassEvaluator ghlo_device_evaluator (GhloDeviceEvaluator *self);

G_END_DECLS
