/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device of the tests with memory of its own, at addresses that fault where the host reads them. It computes
 * with the CPU's steps, has none for a part of the operations, element types and shapes, counts what it is
 * asked, and fails on demand. One thread uses it at a time.
 */

#pragma once

#include "runtime/device.h"

G_BEGIN_DECLS

enum { APART_STEP_TIME = 5000 };        /* nanoseconds that each step takes by its own clock */

typedef struct
{
  guint    n_blocks;                    /* of its memory that are not freed */
  guint    n_uploads, n_downloads;      /* by steps of plans and for constants, with their bytes */
  gsize    n_bytes;
  guint    n_waits;                     /* for the end of steps that were begun */
  guint    n_calls;                     /* that allocate, upload or download */
  guint    fails_at;                    /* the call that fails, counted from 1; 0: none */
  guint    cancels_at;                  /* the call that has @cancellable cancelled; 0: none */
  GCancellable *cancellable;
} ApartFigures;

extern ApartFigures apart;

/* A tenth of a GB/s to the device and from it, and ten times that in its memory, unless a test says otherwise. */
extern GhloStepRates apart_rates;

GhloDeviceCore *apart_device (void);
/* Adds it to @devices unless it is among them. */
void            apart_find_devices (GPtrArray *devices);

G_END_DECLS
