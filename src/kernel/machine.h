/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A model of a processor for choosing schedules: plain numbers, which executors fill in for the device that they
 * run on.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint  vector_bytes;          /* size of a vector register */
  gsize  l1_bytes;              /* L1 data cache of one core */
  double call_time;             /* nanoseconds of overhead per call of a loop */
  double wait_time;             /* latency of an operation, in nanoseconds */
  double vector_time;           /* nanoseconds per operation on a vector */
  double strided_time;          /* nanoseconds to load or store an element that is not adjacent to the previous one */
  double indexed_time;          /* the same for an element with an address of its own */
  double byte_time;             /* nanoseconds to move one byte from or to memory */
  double line_time;             /* nanoseconds to store to a cache line that is not in the L1 data cache */
} GhloMachine;

G_END_DECLS
