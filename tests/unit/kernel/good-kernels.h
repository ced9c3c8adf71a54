/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hand-made kernels that the checker must accept: one of each form that lowering produces.
 */

#pragma once

#include "kernel/build.h"

typedef struct
{
  const char         *name;
  GhloKernelBuilder *(*begin) (void);   /* the whole kernel; tests that break a rule add to it */
} GoodKernel;

extern const GoodKernel good_kernels[];
extern const guint      n_good_kernels;

/* The kernel, which the checker must accept. */
GhloKernel *good_kernel (const char *name);
