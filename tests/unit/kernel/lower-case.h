/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A function of a program lowered to one kernel: the interpreter's results for the kernel are the reference executor's
 * for the program, whatever the operands' strides are.
 */

#pragma once

#include "../cpu/cpu-steps.h"
#include "../passes/pass-help.h"
#include "kernel/interpret.h"
#include "kernel/lower.h"

G_BEGIN_DECLS

#define EXACT STEP_SAME
#define NEAR  2e-6
#define HALF  1e-2

typedef struct
{
  const char *name;
  double      tolerance;
  guint       n_blocks;         /* of the kernel; 0: any number */
  const char *text;
} LowerCase;

#define FUNC(arguments, results, body) "func.func @main(" arguments ") -> " results " {\n" body "}\n"
#define SUM(to, from, dimensions, type, result) \
  to " = stablehlo.reduce(" from " init: %zero) applies stablehlo.add across dimensions = [" dimensions "] : (" type \
  ", tensor<f32>) -> " result "\n"
#define ZERO "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"

/* The inputs in memory of their own, in any layout; the results are dense. */
typedef struct
{
  guint       n_operands, n_results;
  StepTensor *tensors;          /* operands, then results */
  GhloView   *views;
} LowerTensors;

GhloIrModule *lower_parse         (const char        *name,
                                   const char        *text);
void          lower_init_tensors  (LowerTensors      *self,
                                   const GhloIrBlock *body,
                                   GhloValue        **inputs,
                                   gboolean           scattered);
void          lower_clear_tensors (LowerTensors      *self);
/* Runs the case in all layouts and, if it is exact, with special values. */
void          lower_try           (const LowerCase   *self);
/* @text is not lowered to a kernel, for the given reason. */
void          lower_refuse        (const char        *text,
                                   const char        *reason);

G_END_DECLS
