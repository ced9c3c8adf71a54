/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the tests of custom calls share: programs, and a function that logs its calls.
 */

#pragma once

#include "api-help.h"

/* Calls "scale" with four numbers plus 1, and returns its result plus 1. */
#define CALLS_SCALE(attributes) \
  "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n" \
  "  %one = stablehlo.constant dense<1.0> : tensor<4xf32>\n" \
  "  %0 = stablehlo.add %x, %one : tensor<4xf32>\n" \
  "  %1 = stablehlo.custom_call @scale(%0) {" attributes "} : (tensor<4xf32>) -> tensor<4xf32>\n" \
  "  %2 = stablehlo.add %1, %one : tensor<4xf32>\n" \
  "  return %2 : tensor<4xf32>\n" \
  "}\n"

/* Returns what "f" returns. */
#define CALLS_F "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n" \
                "  %0 = stablehlo.custom_call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>\n" \
                "  return %0 : tensor<4xf32>\n" \
                "}\n"

extern const float calls_counts[4];

/* A function's data, and what it has observed. */
typedef struct
{
  gint     n_calls;       /* atomic, like the next */
  gint     n_destroyed;
  float    factor;
  GThread *thread;        /* of the latest call */
  GString *order;         /* nullable, like the next */
  gpointer kept;
} CallLog;

/* The destroy function of a registration: counts. */
void            calls_destroyed            (gpointer                data);
/* Multiplies by the factor of its data, a CallLog. */
gboolean        calls_scale                (GhloCustomCall         *call,
                                            gpointer                data,
                                            GError                **error);
/* A client whose programs may call @function as @target, with @seen as its data. */
GhloClient     *calls_client               (const char             *target,
                                            GhloCustomCallFunction  function,
                                            CallLog                *seen);
GhloExecutable *calls_compile              (GhloClient             *client,
                                            const char             *text);
/* For devices that run programs as they are, and for devices that make plans. */
GhloExecutable *calls_compile_on_reference (GhloClient             *client,
                                            const char             *text);
/* Runs a program of one tensor<4xf32>, with calls_counts. */
GhloResult     *calls_execute              (GhloExecutable         *executable,
                                            GError                **error);
/* Checks the output of CALLS_SCALE for such a run, or runs it and checks its output. */
void            calls_assert_output        (GhloResult             *result,
                                            float                   factor);
void            calls_assert_scales        (GhloExecutable         *executable,
                                            float                   factor);
