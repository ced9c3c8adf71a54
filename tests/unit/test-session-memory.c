/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a session's runs take: carried values stay where they are, and a run makes its
 * result and what it gives, nothing else. Looks into the session.
 */

#include "count-allocations.h"

#include <ghlo/ghlo.h>

#include <string.h>

#include "ghlo/ghlo-session-private.h"

/* A cache that is written one row at a time, a counter, and what a step gives. */
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

/* The first run writes into memory of the session's own; from then on nothing moves. */
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

/* One result a run, one buffer for each output that it gives, and always as many allocations. */
static void
test_objects (void)
{
  g_autoptr (GTypeClass) results = g_type_class_ref (GHLO_TYPE_RESULT), buffers = g_type_class_ref (GHLO_TYPE_BUFFER);
  g_autoptr (GhloSession) session = session_new ();
  g_autoptr (GhloBuffer) row = row_new ();
  float sums[COLUMNS];
  guint given, bound;

  construct_result = G_OBJECT_CLASS (results)->constructed;
  construct_buffer = G_OBJECT_CLASS (buffers)->constructed;
  G_OBJECT_CLASS (results)->constructed = count_result;
  G_OBJECT_CLASS (buffers)->constructed = count_buffer;
  for (guint i = 0; i < 20; i++)
    run (session, row, 1);
  n_results = n_buffers = 0;
  given = count_own_allocations ();
  for (guint i = 0; i < 100; i++)
    run (session, row, 1);
  given = count_own_allocations () - given;
  g_assert_cmpuint (n_results, ==, 100);
  g_assert_cmpuint (n_buffers, ==, 100);

  g_assert_true (ghlo_session_bind_output (session, 2, (guintptr) sums, sizeof sums, NULL, NULL, NULL));
  for (guint i = 0; i < 20; i++)
    run (session, row, 0);
  n_results = n_buffers = 0;
  bound = count_own_allocations ();
  for (guint i = 0; i < 100; i++)
    run (session, row, 0);
  bound = count_own_allocations () - bound;
  g_assert_cmpuint (n_results, ==, 100);
  g_assert_cmpuint (n_buffers, ==, 0);
  g_test_message ("allocations of a run that gives an output: %.2f, of one that writes it: %.2f", given / 100.0,
                  bound / 100.0);
  g_assert_cmpuint (given % 100 + bound % 100, ==, 0);

  G_OBJECT_CLASS (results)->constructed = construct_result;
  G_OBJECT_CLASS (buffers)->constructed = construct_buffer;
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/session-memory/addresses", test_addresses);
  g_test_add_func ("/session-memory/objects", test_objects);

  return g_test_run ();
}
