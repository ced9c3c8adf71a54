/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One operation run by a device, on constants: what constant folding is given to
 * compute with. The operation is put into a program of its own, prepared, run and
 * forgotten.
 */

#pragma once

#include "passes/pass.h"
#include "runtime/device.h"

G_BEGIN_DECLS

/* What an evaluator needs; lives as long as its evaluator. */
typedef struct
{
  GhloDeviceCore    *device;
  const GhloMonitor *monitor;       /* borrowed; nullable; progress of single operations is not told */
} GhloDeviceEvaluator;

/* @self is borrowed for as long as the result is used. */
GhloPassEvaluator ghlo_device_evaluator (GhloDeviceEvaluator *self);

G_END_DECLS
