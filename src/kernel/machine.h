/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A processor as whoever chooses a schedule sees it: plain numbers. Executors fill it in for
 * the device that they run on.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint  vector_bytes;          /* of one register */
  gsize  l1_bytes;              /* data cache of one core */
  guint  n_cores;
  double call_time;             /* nanoseconds that a call of a loop takes besides its points */
  double wait_time;             /* of one operation that the next one waits for */
  double vector_time;           /* of one operation on one vector */
  double strided_time;          /* to load or store one element that is not beside the one before */
  double indexed_time;          /* the same by an address of its own */
  double byte_time;             /* to bring one byte from or to memory */
} GhloMachine;

G_END_DECLS
