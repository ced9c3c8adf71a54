/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory use of a session's runs: carried values stay in place, and a run allocates its result and its outputs and
 * nothing else. Looks into the session's internals.
 */

#include "../count-allocations.h"

#include <ghlo/ghlo.h>

#include <string.h>

#include "base/debug.h"
#include "ghlo/session/ghlo-session-private.h"
#include "runtime/memory.h"

/* A cache that is updated one row at a time, a counter, and the result of a step. */
#define CACHE \
  "func.func @main(%cache: tensor<64x32xf32>, %i: tensor<i32>, %x: tensor<1x32xf32>) -> (tensor<64x32xf32>, " \
  "tensor<i32>, tensor<32xf32>) {\n" \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n" \
  "  %end = stablehlo.constant dense<64> : tensor<i32>\n" \
  "  %init = stablehlo.constant dense<0.0> : tensor<f32>\n" \
  "  %0 = stablehlo.dynamic_update_slice %cache, %x, %i, %zero : (tensor<64x32xf32>, tensor<1x32xf32>, tensor<i32>, " \
  "tensor<i32>) -> tensor<64x32xf32>\n" \
  "  %1 = stablehlo.add %i, %one : tensor<i32>\n" \
  "  %2 = stablehlo.remainder %1, %end : tensor<i32>\n" \
  "  %3 = stablehlo.reduce(%0 init: %init) applies stablehlo.add across dimensions = [0] : (tensor<64x32xf32>, " \
  "tensor<f32>) -> tensor<32xf32>\n" \
  "  return %0, %2, %3 : tensor<64x32xf32>, tensor<i32>, tensor<32xf32>\n" \
  "}\n"

enum { ROWS = 64, COLUMNS = 32 };

static GhloSession *
session_new (void)
{
  g_autoptr (GBytes) text = g_bytes_new_static (CACHE, strlen (CACHE));
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse ("tensor<64x32xf32>", NULL);
  g_autoptr (GhloTensorType) number = ghlo_tensor_type_parse ("tensor<i32>", NULL);
  g_autoptr (GhloBuffer) empty = ghlo_buffer_new_zeros (type, NULL), first = ghlo_buffer_new_zeros (number, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program = ghlo_program_parse (text, NULL, NULL, &error);
  g_autoptr (GhloExecutable) executable = NULL;
  GhloSession *session;

  g_assert_no_error (error);
  executable = ghlo_client_compile (client, program, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  session = ghlo_session_new (executable);
  g_assert_true (ghlo_session_carry (session, 0, 0, empty, &error));
  g_assert_true (ghlo_session_carry (session, 1, 1, first, &error));

  return session;
}

static GhloBuffer *
row_new (void)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse ("tensor<1x32xf32>", NULL);
  double ones[COLUMNS];

  for (guint i = 0; i < COLUMNS; i++)
    ones[i] = 1;

  return ghlo_buffer_new_from_doubles (type, ones, COLUMNS, NULL);
}

static void
run (GhloSession *session,
     GhloBuffer  *row,
     guint        n_outputs)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = ghlo_session_run (session, &row, 1, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, n_outputs);
}

/* The first run writes into the session's own memory; from then on no address changes. */
static void
test_addresses (void)
{
  g_autoptr (GhloSession) session = session_new ();
  g_autoptr (GhloBuffer) row = row_new ();
  float sums[COLUMNS];
  const guint8 *cache, *number;

  g_assert_true (ghlo_session_bind_output (session, 2, (guintptr) sums, sizeof sums, NULL, NULL, NULL));
  run (session, row, 0);
  cache = session->core->state[0]->data;
  number = session->core->state[1]->data;
  for (guint i = 2; i <= 1000; i++)
    {
      run (session, row, 0);
      g_assert_true (session->core->state[0]->data == cache && session->core->state[1]->data == number);
      g_assert_cmpfloat (sums[COLUMNS - 1], ==, MIN (i, ROWS));
    }
}

/* A run without sufficient memory does not begin, and the carried values stay. */
static void
test_no_memory (void)
{
  g_autoptr (GhloSession) session = session_new ();
  g_autoptr (GhloBuffer) row = row_new (), state = NULL;
  g_autoptr (GError) error = NULL;
  gsize rest;

  run (session, row, 1);
  rest = ghlo_memory_get_limit () - ghlo_memory_get_used ();
  g_assert_true (ghlo_memory_reserve (rest, &error));
  for (guint i = 0; i < 2; i++)
    {
      g_assert_null (ghlo_session_run (session, &row, 1, NULL, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
      g_clear_error (&error);
    }
  ghlo_memory_unreserve (rest);
  run (session, row, 1);
  state = ghlo_session_copy_state (session, 1, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (*(const gint32 *) ghlo_buffer_get_address (state), ==, 2);
}

static guint n_results, n_buffers;
static void (*construct_result) (GObject *object), (*construct_buffer) (GObject *object);

static void
count_result (GObject *object)
{
  n_results++;
  construct_result (object);
}

static void
count_buffer (GObject *object)
{
  n_buffers++;
  construct_buffer (object);
}

typedef struct
{
  guint   n_allocations;    /* of this thread, from the C library */
  guint64 n_blocks;         /* of tensor memory, from the system or the pool */
} Count;

static Count
count_now (void)
{
  GhloMemoryStatistics statistics;

  ghlo_memory_get_statistics (&statistics);

  return (Count) { count_own_allocations (), statistics.n_allocations + statistics.n_reuses };
}

/* The average of a hundred runs, after caches and the pool are filled. */
static Count
count_runs (GhloSession *session,
            GhloBuffer  *row,
            guint        n_outputs)
{
  enum { N_RUNS = 100 };
  Count before, after;

  for (guint i = 0; i < 20; i++)
    run (session, row, n_outputs);
  n_results = n_buffers = 0;
  before = count_now ();
  for (guint i = 0; i < N_RUNS; i++)
    run (session, row, n_outputs);
  after = count_now ();
  g_assert_cmpuint (n_results, ==, N_RUNS);
  g_assert_cmpuint (n_buffers, ==, n_outputs * N_RUNS);
  after.n_allocations -= before.n_allocations;
  after.n_blocks -= before.n_blocks;
  g_test_message ("%u outputs: %u allocations and %" G_GUINT64_FORMAT " blocks in %d runs", n_outputs,
                  after.n_allocations, after.n_blocks, N_RUNS);
  g_assert_cmpuint (after.n_allocations % N_RUNS, ==, 0);

  return (Count) { after.n_allocations / N_RUNS, after.n_blocks / N_RUNS };
}

/* Each run makes one result, one buffer for each returned output, and a fixed number of allocations: the call with
 * its inputs, the job, the run result with its list and times, and the result with its own list. A returned output adds
 * three: the result's list, its value and its buffer. With all outputs carried or bound the arena is the only tensor
 * memory. */
static void
test_objects (void)
{
  g_autoptr (GTypeClass) results = g_type_class_ref (GHLO_TYPE_RESULT), buffers = g_type_class_ref (GHLO_TYPE_BUFFER);
  g_autoptr (GhloSession) session = session_new ();
  g_autoptr (GhloBuffer) row = row_new ();
  float sums[COLUMNS] __attribute__ ((aligned (16)));
  Count given, bound;

  construct_result = G_OBJECT_CLASS (results)->constructed;
  construct_buffer = G_OBJECT_CLASS (buffers)->constructed;
  G_OBJECT_CLASS (results)->constructed = count_result;
  G_OBJECT_CLASS (buffers)->constructed = count_buffer;
  given = count_runs (session, row, 1);
  g_assert_true (ghlo_session_bind_output (session, 2, (guintptr) sums, sizeof sums, NULL, NULL, NULL));
  bound = count_runs (session, row, 0);
  G_OBJECT_CLASS (results)->constructed = construct_result;
  G_OBJECT_CLASS (buffers)->constructed = construct_buffer;

  /* With guarded blocks there is additional bookkeeping, and writes never go to the caller's memory. */
  if (ghlo_debug_has (GHLO_DEBUG_GUARD))
    return;
  g_assert_cmpuint (given.n_blocks, ==, 2);
  g_assert_cmpuint (bound.n_blocks, ==, 1);
  /* Slices count as allocations, too, where GLib is told not to cache them. */
  if (g_getenv ("G_SLICE") != NULL)
    return;
  g_assert_cmpuint (given.n_allocations, <=, 11);
  g_assert_cmpuint (bound.n_allocations, <=, 8);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/session-memory/addresses", test_addresses);
  g_test_add_func ("/session-memory/no-memory", test_no_memory);
  g_test_add_func ("/session-memory/objects", test_objects);

  return g_test_run ();
}
