/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What functions of one f32 are compared with: the true value in double, rounded once from at least that precision, and
 * the error bound of each function. test-functions samples the operands; exhaustive-functions takes every f32.
 */

#pragma once

#include "kernel/kernel.h"

typedef struct
{
  GhloNodeKind kind;
  double     (*exact) (double x);
  double       ulps;            /* the largest error, in ULPs of f32 */
  double       measure;         /* errors of smaller results for negative operands are in ULPs of this number */
} FunctionTruth;

extern const FunctionTruth function_truths[];
extern const guint         n_function_truths;

/* The distance of @found from @exact in f32 ULPs of the larger of @exact and @measure. Zeros must have the sign of
 * @exact, and infinity counts as the number after the largest finite one. */
double function_distance (float  found,
                          double exact,
                          double measure);
