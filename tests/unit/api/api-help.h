/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the tests of the public API: programs, and short forms of calls that must succeed. Everything goes through
 * the public API.
 */

#pragma once

#include <ghlo/ghlo.h>

#include "../sanitized.h"
#include "../soon.h"

G_BEGIN_DECLS

#define HELP_ADD \
  "func.func @main(%left: tensor<2x3xf32>, %right: tensor<2x3xf32>) -> tensor<2x3xf32> {\n" \
  "  %0 = stablehlo.add %left, %right : tensor<2x3xf32>\n" \
  "  return %0 : tensor<2x3xf32>\n" \
  "}\n"

/* Returns its input twice, and a constant. */
#define HELP_IDENTITY \
  "func.func @main(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<2xi32>) {\n" \
  "  %0 = stablehlo.constant dense<[7, 8]> : tensor<2xi32>\n" \
  "  return %x, %x, %0 : tensor<4xi32>, tensor<4xi32>, tensor<2xi32>\n" \
  "}\n"

/* Runs until cancelled; takes one number. */
#define HELP_ENDLESS \
  "func.func @main(%x: tensor<i32>) -> tensor<i32> {\n" \
  "  %true = stablehlo.constant dense<true> : tensor<i1>\n" \
  "  %0:2 = stablehlo.while(%go = %true, %i = %x) : tensor<i1>, tensor<i32>\n" \
  "    cond {\n" \
  "      stablehlo.return %go : tensor<i1>\n" \
  "    } do {\n" \
  "      %1 = stablehlo.add %i, %i : tensor<i32>\n" \
  "      stablehlo.return %go, %1 : tensor<i1>, tensor<i32>\n" \
  "    }\n" \
  "  return %0#1 : tensor<i32>\n" \
  "}\n"

/* Adds step to total: output 0 is the old total, output 1 the new one. */
#define HELP_COUNTER \
  "func.func @main(%step: tensor<2xi32>, %total: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {\n" \
  "  %0 = stablehlo.add %total, %step : tensor<2xi32>\n" \
  "  return %total, %0 : tensor<2xi32>, tensor<2xi32>\n" \
  "}\n"

/* Sanitizers and valgrind multiply all run times. */
#define HELP_SLOWER (SANITIZED || g_getenv ("GHLO_TEST_SLOW") != NULL ? 10 : 1)

/* The time limit for the answer of a cancelled call, in µs. */
#define HELP_CANCEL_LIMIT (50000 * HELP_SLOWER)

GhloProgram    *help_parse         (const char     *text);
GhloExecutable *help_compile       (const char     *text);
GhloBuffer     *help_buffer        (const char   *type,
                                    gconstpointer data,
                                    gsize         size);
/* A scalar for HELP_ENDLESS, and two buffers of six floats for HELP_ADD. */
GhloBuffer     *help_number        (void);
GhloBuffer     *help_counts        (void);
GhloBuffer     *help_ones          (void);
/* The elements of a tensor, which the buffer keeps in host memory once they have been read. */
gpointer        help_read          (GhloBuffer     *buffer);
/* Checks the only output of HELP_ADD for counts and ones. */
void            help_assert_sum    (GhloResult     *result);
GhloResult     *help_run_session   (GhloSession        *session,
                                    GhloBuffer * const *inputs,
                                    gsize               n_inputs);
/* Starts a thread that cancels after @microseconds; the caller joins the thread. */
GThread        *help_cancel_later  (GCancellable *cancellable,
                                    guint         microseconds);

/* One async call and its answer. */
typedef struct
{
  GMainContext *context;
  GAsyncResult *result;    /* NULL until the callback is called */
  GThread      *thread;    /* the thread of the callback */
} HelpWait;

/* A wait in this thread's context; help_ready is the callback, and the wait is its data. */
HelpWait        help_wait_init     (void);
void            help_ready         (GObject      *source,
                                    GAsyncResult *result,
                                    gpointer      wait);
/* Iterates the context until the answer arrives; the result is valid until help_wait_clear. */
GAsyncResult   *help_wait_run      (HelpWait       *wait);
/* The same directly after the call, which must not have called back before it returned. */
GAsyncResult   *help_wait_for_call (HelpWait       *wait);
void            help_wait_clear    (HelpWait       *wait);


G_END_DECLS
