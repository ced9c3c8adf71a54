/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The spike's kernels, written by hand as a fusion pass would make them, and the
 * schedules that are tried on each.
 */

#pragma once

#include "schedule.h"

G_BEGIN_DECLS

typedef struct
{
  const char   *name;
  const char   *program;        /* what it is in the benchmark's table, or a program beside this file */
  void        (*make)     (GhloKernel         *kernel);
  /* Fills @schedule with try number @number for vectors of @width lanes of 32 bits;
   * FALSE after the last. Number 0 is the best one. */
  gboolean    (*schedule) (const GhloKernel   *kernel,
                           guint               number,
                           guint               width,
                           GhloSchedule       *schedule);
} SpikeKernel;

extern const SpikeKernel spike_kernels[];
extern const guint       spike_n_kernels;

G_END_DECLS
