/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The time of the plugin's functions for a small program, called as JAX calls them: an execution that runs within the
 * call, and one that goes through the queue, until its end is known.
 */

#include "../pjrt/call.h"

#include <stdlib.h>

enum { N_ROUNDS = 200, N_CALLS = 500, N_QUEUED = 50 };

typedef struct
{
  PJRT_LoadedExecutable *executable;
  PJRT_Buffer           *inputs[2];
} Case;

static int
compare (gconstpointer a,
         gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Prints times in µs per call. */
static void
report (const char *name,
        double     *times)
{
  qsort (times, N_ROUNDS, sizeof *times, compare);
  g_print ("%-36s median %6.2f µs, least %6.2f µs\n", name, times[N_ROUNDS / 2], times[0]);
}

static PJRT_Buffer *
execute (Case        *self,
         PJRT_Event **done)
{
  PJRT_Buffer *output = NULL;

  call_check ("Execute", call_execute (self->executable, self->inputs, 2, &output, done));

  return output;
}

/* Measures Execute alone, including its event and output, which are destroyed outside of the measurement. */
static void
measure_execute (Case *self)
{
  static double times[N_ROUNDS];
  PJRT_Buffer *outputs[N_CALLS];
  PJRT_Event *events[N_CALLS];

  for (guint i = 0; i < N_ROUNDS; i++)
    {
      const gint64 start = g_get_monotonic_time ();

      for (guint k = 0; k < N_CALLS; k++)
        outputs[k] = execute (self, &events[k]);
      times[i] = (double) (g_get_monotonic_time () - start) / N_CALLS;
      for (guint k = 0; k < N_CALLS; k++)
        {
          CALL (Event_Destroy, .event = events[k]);
          CALL (Buffer_Destroy, .buffer = outputs[k]);
        }
    }
  report ("Execute", times);
}

/* Measures @n complete executions, until the end of all is known. */
static void
measure_calls (Case       *self,
               const char *name,
               guint       n)
{
  static double times[N_ROUNDS];

  for (guint i = 0; i < N_ROUNDS; i++)
    {
      const gint64 start = g_get_monotonic_time ();

      for (guint k = 0; k < n; k++)
        {
          PJRT_Event *done;
          PJRT_Buffer *output = execute (self, &done);

          CALL (Event_Await, .event = done);
          CALL (Event_Destroy, .event = done);
          CALL (Buffer_Destroy, .buffer = output);
        }
      times[i] = (double) (g_get_monotonic_time () - start) / n;
    }
  report (name, times);
}

int
main (void)
{
  static const float numbers[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
  Case at_once, queued;
  PJRT_Client *client;

  call_load ();
  client = call_client ("cpu");
  at_once.executable = call_compile (client,
    "func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {\n"
    "  %0 = stablehlo.add %a, %b : tensor<8xf32>\n"
    "  return %0 : tensor<8xf32>\n"
    "}\n");
  /* A loop whose time cannot be estimated. */
  queued.executable = call_compile (client,
    "func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {\n"
    "  %0 = stablehlo.while(%x = %a) : tensor<8xf32>\n"
    "    cond {\n"
    "      %1 = stablehlo.slice %x [0:1] : (tensor<8xf32>) -> tensor<1xf32>\n"
    "      %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>\n"
    "      %3 = stablehlo.constant dense<1.0> : tensor<f32>\n"
    "      %4 = stablehlo.compare GT, %2, %3 : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "      stablehlo.return %4 : tensor<i1>\n"
    "    } do {\n"
    "      %5 = stablehlo.subtract %x, %b : tensor<8xf32>\n"
    "      stablehlo.return %5 : tensor<8xf32>\n"
    "    }\n"
    "  return %0 : tensor<8xf32>\n"
    "}\n");
  for (guint i = 0; i < 2; i++)
    at_once.inputs[i] = queued.inputs[i] = call_floats (client, numbers, G_N_ELEMENTS (numbers));
  measure_execute (&at_once);
  measure_calls (&at_once, "a call within Execute", N_CALLS);
  measure_calls (&queued, "a call through the queue", N_QUEUED);
  for (guint i = 0; i < 2; i++)
    CALL (Buffer_Destroy, .buffer = at_once.inputs[i]);
  CALL (LoadedExecutable_Destroy, .executable = at_once.executable);
  CALL (LoadedExecutable_Destroy, .executable = queued.executable);
  CALL (Client_Destroy, .client = client);

  return EXIT_SUCCESS;
}
