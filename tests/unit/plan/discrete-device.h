/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A test device with memory of its own, at addresses that fault when the host reads them. The device computes with the
 * CPU's steps, lacks some operations, element types and shapes, counts the calls that it gets, and fails on demand.
 * Only one thread may use it at a time.
 */

#pragma once

#include "execute/program.h"

G_BEGIN_DECLS

enum { DISCRETE_STEP_TIME = 5000 };     /* nanoseconds that each step takes by the device's own clock */

typedef struct
{
  guint    n_blocks;                    /* of its memory that are allocated */
  guint    n_uploads, n_downloads;      /* by steps of plans and for constants, with their bytes */
  gsize    n_bytes;
  guint    n_waits;                     /* for the end of steps that were begun */
  guint    n_calls;                     /* that allocate, upload or download */
  guint    fails_at;                    /* the number of the call that fails, from 1 on; 0: none */
  guint    cancels_at;                  /* the number of the call that cancels @cancellable; 0: none */
  GCancellable *cancellable;
} DiscreteFigures;

extern DiscreteFigures discrete;

/* By default a tenth of a GB/s for transfers in either direction, and ten times that within the device's memory. */
extern GhloDeviceRates discrete_rates;

GhloDeviceCore *discrete_device (void);
/* Adds the device to @devices unless it is there already. */
void            discrete_find_devices (GPtrArray *devices);

G_END_DECLS
