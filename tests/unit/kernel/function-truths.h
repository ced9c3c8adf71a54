/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What functions of one f32 are held against: the truth in double, rounded once from at least that many digits, and
 * how far each function may be from it. test-functions takes samples of it, exhaustive-functions every f32.
 */

#pragma once

#include "kernel/kernel.h"

typedef struct
{
  GhloNodeKind kind;
  double     (*exact) (double x);
  double       ulps;            /* the greatest error, in units in the last place of f32 */
  double       measure;         /* that of smaller results of negative operands is in units in this
                                 * one's last place */
} FunctionTruth;

extern const FunctionTruth function_truths[];
extern const guint         n_function_truths;

/* The distance of @found from @exact in units in the last place of the latter or of @measure in f32. Zeros have to have
 * its sign, and infinity is where the number after the greatest would be. */
double function_distance (float  found,
                          double exact,
                          double measure);
