/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels made by hand that the checker has to accept: one of each form that lowering makes.
 */

#pragma once

#include "kernel/build.h"

typedef struct
{
  const char         *name;
  GhloKernelBuilder *(*begin) (void);   /* all of it; whoever wants to break it adds something */
} GoodKernel;

extern const GoodKernel good_kernels[];
extern const guint      n_good_kernels;

/* The kernel, which has to be accepted. */
GhloKernel *good_kernel (const char *name);
