/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sessions that write outputs to the caller's memory, through the shared library: the contents after a run, whatever
 * else lies in that memory, how long the memory must stay valid, and misuse.
 */

#include "api-help.h"

#include <string.h>

enum { N = 64, ROOM = 4 * N };

/* The first input is still read while the last output is written. */
#define MIXED \
  "func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {\n" \
  "  %0 = stablehlo.reverse %x, dims = [0] : tensor<64xf32>\n" \
  "  %1 = stablehlo.add %0, %y : tensor<64xf32>\n" \
  "  %2 = stablehlo.multiply %1, %x : tensor<64xf32>\n" \
  "  return %1, %x, %2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>\n" \
  "}\n"

/* The shape of output 0 is that of x concatenated with itself. */
#define OPEN \
  "func.func @main(%x: tensor<?xi32>, %y: tensor<2xi32>) -> (tensor<?xi32>, tensor<2xi32>) {\n" \
  "  %0 = \"stablehlo.concatenate\"(%x, %x) {dimension = 0 : i64} : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>\n" \
  "  return %0, %y : tensor<?xi32>, tensor<2xi32>\n" \
  "}\n"

/* Outputs of several types, one without elements, and one that is not a tensor. */
#define KINDS \
  "func.func @main(%z: tensor<3xcomplex<f32>>, %b: tensor<3xi1>, %d: tensor<3xf64>, %e: tensor<0xf32>, " \
  "%t: !stablehlo.token) -> (tensor<3xcomplex<f32>>, tensor<3xi1>, tensor<3xf64>, tensor<0xf32>, " \
  "!stablehlo.token) {\n" \
  "  %0 = stablehlo.add %z, %z : tensor<3xcomplex<f32>>\n" \
  "  %1 = stablehlo.not %b : tensor<3xi1>\n" \
  "  %2 = stablehlo.negate %d : tensor<3xf64>\n" \
  "  return %0, %1, %2, %e, %t : tensor<3xcomplex<f32>>, tensor<3xi1>, tensor<3xf64>, tensor<0xf32>, " \
  "!stablehlo.token\n" \
  "}\n"

/* The kinds of devices to test, where the machine has them. */
static const GhloDeviceKind kinds[] = {
  GHLO_DEVICE_KIND_CPU, GHLO_DEVICE_KIND_REFERENCE, GHLO_DEVICE_KIND_VULKAN
};

/* NULL where the machine has none. */
static GhloDevice *
find_device (GhloClient     *client,
             GhloDeviceKind  kind)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) devices = ghlo_client_list_devices (client, NULL, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < g_list_model_get_n_items (devices); i++)
    {
      g_autoptr (GhloDevice) device = g_list_model_get_item (devices, i);

      if (ghlo_device_get_kind (device) == kind)
        return g_steal_pointer (&device);
    }

  return NULL;
}

static GhloSession *
session_new (const char     *text,
             GhloDeviceKind  kind)
{
  g_autoptr (GhloProgram) program = help_parse (text);
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloDevice) device = find_device (client, kind);
  g_autoptr (GhloCompileOptions) options = ghlo_compile_options_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloExecutable) executable = NULL;

  ghlo_compile_options_set_device (options, device);
  executable = ghlo_client_compile (client, program, options, NULL, NULL, &error);
  g_assert_no_error (error);

  return ghlo_session_new (executable);
}

static void
on_release (gpointer data)
{
  g_atomic_int_inc ((int *) data);
}

static void
bind (GhloSession *session,
      guint        output,
      gpointer     memory,
      gsize        size,
      int         *n_released)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (ghlo_session_bind_output (session, output, (guintptr) memory, size,
                                           n_released != NULL ? on_release : NULL, n_released, &error));
  g_assert_no_error (error);
}

static void
fill (float *values,
      float  first)
{
  for (guint i = 0; i < N; i++)
    values[i] = first + i;
}

/* Computes the expected outputs of MIXED. */
static void
mix (const float *x,
     const float *y,
     float        expected[3][N])
{
  for (guint i = 0; i < N; i++)
    {
      expected[0][i] = x[N - 1 - i] + y[i];
      expected[1][i] = x[i];
      expected[2][i] = expected[0][i] * x[i];
    }
}

static void
assert_output (GhloResult  *result,
               guint        index,
               const float *expected)
{
  g_autoptr (GBytes) bytes = ghlo_buffer_read (ghlo_result_get_output (result, index), NULL, NULL);

  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), expected, N * sizeof *expected);
}

/* A bound output is written and not returned, until other memory or none is bound. */
static void
test_written (gconstpointer data)
{
  g_autoptr (GhloSession) session = session_new (MIXED, *(const GhloDeviceKind *) data);
  float x[N], y[N], expected[3][N], one[N], other[N];
  int n_one = 0, n_other = 0;
  g_autoptr (GhloBuffer) left = NULL, right = NULL;
  g_autoptr (GhloResult) result = NULL;
  g_autoptr (GError) error = NULL;

  fill (x, 1);
  fill (y, 100);
  mix (x, y, expected);
  left = help_buffer ("tensor<64xf32>", x, sizeof x);
  right = help_buffer ("tensor<64xf32>", y, sizeof y);
  bind (session, 2, one, sizeof one, &n_one);
  result = help_run_session (session, (GhloBuffer *[]) { left, right }, 2);
  g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, 2);
  assert_output (result, 0, expected[0]);
  assert_output (result, 1, expected[1]);
  g_assert_cmpmem (one, sizeof one, expected[2], sizeof one);
  g_assert_cmpint (n_one, ==, 0);

  bind (session, 2, other, sizeof other, &n_other);
  g_assert_cmpint (n_one, ==, 1);
  memset (one, 0, sizeof one);
  bind (session, 0, one, sizeof one, NULL);
  bind (session, 1, x, sizeof x, NULL);
  g_clear_object (&result);
  result = help_run_session (session, (GhloBuffer *[]) { right, left }, 2);
  g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, 0);
  fill (x, 1);
  mix (y, x, expected);
  g_assert_cmpmem (one, sizeof one, expected[0], sizeof one);
  g_assert_cmpmem (other, sizeof other, expected[2], sizeof other);

  g_assert_true (ghlo_session_unbind_output (session, 2, &error));
  g_assert_true (ghlo_session_unbind_output (session, 2, &error));
  g_assert_cmpint (n_other, ==, 1);
  g_clear_object (&result);
  result = help_run_session (session, (GhloBuffer *[]) { right, left }, 2);
  g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, 1);
  assert_output (result, 0, expected[2]);
  bind (session, 2, other, sizeof other, &n_other);
  g_clear_object (&session);
  g_assert_cmpint (n_other, ==, 2);
  g_assert_cmpint (n_one, ==, 1);
}

static GhloBuffer *
share (const float *values)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse ("tensor<64xf32>", NULL);
  static int n_released;
  g_autoptr (GError) error = NULL;
  GhloBuffer *buffer = ghlo_buffer_new_from_address (type, (guintptr) values, NULL, 0, on_release, &n_released, &error);

  g_assert_no_error (error);

  return buffer;
}

/* Both inputs lie in the memory, and the outputs selected by @bound are written there, at offsets chosen for this
 * round: each result is computed from the memory's contents before the run. */
static void
overlap_once (GhloSession *session,
              GRand       *random,
              guint        bound,
              float       *memory)
{
  const guint x = g_rand_int_range (random, 0, ROOM - N), y = g_rand_int_range (random, 0, ROOM - N);
  const guint gap = g_rand_int_range (random, 0, ROOM - 3 * N);
  const guint shift = g_rand_int_range (random, 0, 3);
  g_autoptr (GhloBuffer) left = share (memory + x), right = share (memory + y);
  g_autoptr (GhloResult) result = NULL;
  float expected[3][N];
  guint next = 0;

  for (guint i = 0; i < ROOM; i++)
    memory[i] = g_rand_int_range (random, -100, 100);
  mix (memory + x, memory + y, expected);
  for (guint i = 0; i < 3; i++)
    g_assert_true (ghlo_session_unbind_output (session, i, NULL));
  for (guint i = 0; i < 3; i++)
    if (bound & 1 << i)
      bind (session, i, memory + gap + (i + shift) % 3 * N, N * sizeof *memory, NULL);
  result = help_run_session (session, (GhloBuffer *[]) { left, right }, 2);
  for (guint i = 0; i < 3; i++)
    if (bound & 1 << i)
      g_assert_cmpmem (memory + gap + (i + shift) % 3 * N, N * sizeof *memory, expected[i], sizeof expected[i]);
    else
      assert_output (result, next++, expected[i]);
}

static void
test_overlap (gconstpointer data)
{
  g_autoptr (GhloSession) session = session_new (MIXED, *(const GhloDeviceKind *) data);
  const guint32 seed = g_test_rand_int ();
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autofree float *memory = g_new (float, ROOM);

  g_test_message ("seed %u", seed);
  for (guint i = 0; i < 800; i++)
    overlap_once (session, random, i % 8, memory);
}

/* A carried value that the program passes through unchanged keeps its contents, even if an output is written over
 * the initial value. */
static void
test_overlap_carried (gconstpointer data)
{
  g_autoptr (GhloSession) session = session_new (MIXED, *(const GhloDeviceKind *) data);
  float x[N], y[N], expected[3][N];
  g_autoptr (GhloBuffer) initial = NULL, right = NULL;
  g_autoptr (GError) error = NULL;

  fill (x, 1);
  fill (y, 100);
  mix (x, y, expected);
  initial = share (x);
  right = help_buffer ("tensor<64xf32>", y, sizeof y);
  g_assert_true (ghlo_session_carry (session, 1, 0, initial, &error));
  bind (session, 0, x, sizeof x, NULL);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GhloResult) result = help_run_session (session, &right, 1);

      g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, 1);
      assert_output (result, 0, expected[2]);
      g_assert_cmpmem (x, sizeof x, expected[0], sizeof x);
    }
}

/* Elements of any size at any address. */
static void
test_kinds (gconstpointer data)
{
  static const float numbers[6] = { 1, 2, 3, 4, 5, 6 }, twice[6] = { 2, 4, 6, 8, 10, 12 };
  static const double doubles[3] = { 1, -2, 3 }, negative[3] = { -1, 2, -3 };
  static const guint8 flags[3] = { 1, 0, 1 }, inverse[3] = { 0, 1, 0 };
  g_autoptr (GhloSession) session = session_new (KINDS, *(const GhloDeviceKind *) data);
  g_autoptr (GhloBuffer) z = help_buffer ("tensor<3xcomplex<f32>>", numbers, sizeof numbers);
  g_autoptr (GhloBuffer) b = help_buffer ("tensor<3xi1>", flags, sizeof flags);
  g_autoptr (GhloBuffer) d = help_buffer ("tensor<3xf64>", doubles, sizeof doubles);
  g_autoptr (GhloBuffer) e = help_buffer ("tensor<0xf32>", NULL, 0);
  g_autoptr (GhloBuffer) t = ghlo_buffer_new_token ();
  guint8 room[128] __attribute__ ((aligned (64)));
  int n_released = 0;

  for (guint shift = 0; shift < 32; shift++)
    {
      guint8 *first = room + shift / 4 * 4, *second = room + 40 + shift, *third = room + 80 + shift / 8 * 8;
      g_autoptr (GhloResult) result = NULL;

      bind (session, 0, first, sizeof twice, NULL);
      bind (session, 1, second, sizeof inverse, NULL);
      bind (session, 2, third, sizeof negative, NULL);
      bind (session, 3, shift % 2 ? room : NULL, 0, &n_released);
      result = help_run_session (session, (GhloBuffer *[]) { z, b, d, e, t }, 5);
      g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, 1);
      g_assert_cmpmem (first, sizeof twice, twice, sizeof twice);
      g_assert_cmpmem (second, sizeof inverse, inverse, sizeof inverse);
      g_assert_cmpmem (third, sizeof negative, negative, sizeof negative);
      g_assert_true (ghlo_session_unbind_output (session, 1, NULL));
      g_assert_true (ghlo_session_unbind_output (session, 2, NULL));
    }
  g_clear_object (&session);
  g_assert_cmpint (n_released, ==, 32);
}

static void
assert_refused (gboolean     done,
                GError     **error,
                const char  *pattern)
{
  g_assert_false (done);
  g_assert_error (*error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  if (!g_pattern_match_simple (pattern, (*error)->message))
    g_error ("expected '%s', found '%s'", pattern, (*error)->message);
  g_clear_error (error);
}

/* A dynamic shape is checked when a run produces it. */
static void
test_open (gconstpointer data)
{
  static const gint32 numbers[3] = { 1, 2, 3 };
  g_autoptr (GhloSession) session = session_new (OPEN, *(const GhloDeviceKind *) data);
  g_autoptr (GhloBuffer) two = help_buffer ("tensor<2xi32>", numbers, 8);
  g_autoptr (GhloBuffer) three = help_buffer ("tensor<3xi32>", numbers, sizeof numbers);
  g_autoptr (GhloResult) result = NULL;
  g_autoptr (GError) error = NULL;
  gint32 memory[4];

  bind (session, 0, memory, sizeof memory, NULL);
  g_assert_true (ghlo_session_carry (session, 1, 1, two, &error));
  result = help_run_session (session, &two, 1);
  g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, 0);
  g_assert_cmpmem (memory, sizeof memory, ((const gint32[]) { 1, 2, 1, 2 }), sizeof memory);
  assert_refused (ghlo_session_run (session, &three, 1, NULL, &error) != NULL, &error,
                  "output 0 cannot be written*expected 16 bytes, found tensor<6xi32>, which has 24");
  /* It counts as a failed run. */
  assert_refused (ghlo_session_run (session, &two, 1, NULL, &error) != NULL, &error, "*was lost*");
  g_assert_true (ghlo_session_reset (session, &error));
  g_clear_object (&result);
  result = help_run_session (session, &two, 1);
}

static void
try_bind (GhloSession *session,
          guint        output,
          guintptr     address,
          gsize        size,
          const char  *pattern)
{
  g_autoptr (GError) error = NULL;
  int n_released = 0;

  assert_refused (ghlo_session_bind_output (session, output, address, size, on_release, &n_released, &error), &error,
                  pattern);
  g_assert_cmpint (n_released, ==, 1);
  assert_refused (ghlo_session_bind_output (session, output, address, size, NULL, NULL, &error), &error, pattern);
}

static void
test_mistakes (void)
{
  g_autoptr (GhloSession) session = session_new (HELP_COUNTER, GHLO_DEVICE_KIND_CPU);
  g_autoptr (GhloSession) other = session_new (KINDS, GHLO_DEVICE_KIND_CPU);
  g_autoptr (GhloSession) bare = g_object_new (GHLO_TYPE_SESSION, NULL);
  static const gint32 zeros[2] = { 0 };
  g_autoptr (GhloBuffer) pair = help_buffer ("tensor<2xi32>", zeros, sizeof zeros);
  g_autoptr (GError) error = NULL;
  gint32 memory[8] __attribute__ ((aligned (64)));
  const guintptr address = (guintptr) memory;

  try_bind (bare, 0, address, 8, "*without an executable*");
  assert_refused (ghlo_session_unbind_output (bare, 0, &error), &error, "*without an executable*");
  try_bind (session, 2, address, 8, "expected*2 outputs*found output 2");
  assert_refused (ghlo_session_unbind_output (session, 2, &error), &error, "expected*2 outputs*found output 2");
  try_bind (session, 0, address, 4, "expected memory of 8 bytes for output 0 (tensor<2xi32>), found 4 bytes");
  try_bind (session, 0, address, 12, "expected memory of 8 bytes for output 0*found 12 bytes");
  try_bind (session, 0, address, 0, "expected memory of 8 bytes for output 0*found 0 bytes");
  try_bind (session, 0, 0, 8, "expected the address of memory for output 0*found 0");
  try_bind (session, 0, address, G_MAXSIZE, "expected memory of at most*for output 0*found*");
  try_bind (session, 0, G_MAXSIZE - 3, 8, "expected memory of at most*for output 0*found*");
  try_bind (session, 0, address + 2, 8,
            "expected memory for output 0*multiple of 4 bytes, found an address 2 bytes beyond one");
  try_bind (other, 2, address + 4, 24, "*at a multiple of 8 bytes, found an address 4 bytes beyond one");
  try_bind (other, 4, address, 0, "output 4 cannot be bound to memory: expected a tensor, found !stablehlo.token");

  bind (session, 0, memory, 8, NULL);
  try_bind (session, 1, address, 8, "output 1 cannot be bound to memory that overlaps the memory of output 0");
  try_bind (session, 1, address + 4, 8, "output 1*overlaps*output 0*");
  bind (session, 0, memory + 1, 8, NULL);
  try_bind (session, 1, address, 8, "output 1*overlaps*output 0*");
  bind (session, 1, memory + 3, 8, NULL);

  assert_refused (ghlo_session_carry (session, 1, 1, pair, &error), &error,
                  "output 1, which is bound, cannot be carried into input 1*unbind_output*");
  g_assert_true (ghlo_session_unbind_output (session, 1, &error));
  g_assert_true (ghlo_session_carry (session, 1, 1, pair, &error));
  try_bind (session, 1, address, 8, "output 1 cannot be bound to memory: it is carried into input 1");
  /* Carrying another output into the input instead returns the first output again. */
  g_assert_true (ghlo_session_unbind_output (session, 0, &error));
  g_assert_true (ghlo_session_carry (session, 0, 1, pair, &error));
  bind (session, 1, memory, 8, NULL);
  try_bind (session, 0, address + 8, 8, "output 0 cannot be bound to memory: it is carried into input 1");
}

enum { N_RUNS = 50 };

typedef struct
{
  GMainLoop *loop;
  guint      n, n_cancelled;
} Wait;

static void
on_ready (GObject      *source,
          GAsyncResult *result,
          gpointer      data)
{
  Wait *wait = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) outputs = ghlo_session_run_finish (GHLO_SESSION (source), result, &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      wait->n_cancelled++;
    }
  else
    {
      g_assert_no_error (error);
      g_assert_cmpuint (ghlo_result_get_n_outputs (outputs), ==, 0);
    }
  if (++wait->n == N_RUNS)
    g_main_loop_quit (wait->loop);
}

/* A counter with a carried total. */
static GhloSession *
counter_new (GhloDeviceKind kind)
{
  static const gint32 zeros[2] = { 0, 0 };
  GhloSession *session = session_new (HELP_COUNTER, kind);
  g_autoptr (GhloBuffer) initial = help_buffer ("tensor<2xi32>", zeros, sizeof zeros);
  g_autoptr (GError) error = NULL;

  g_assert_true (ghlo_session_carry (session, 1, 1, initial, &error));
  g_assert_no_error (error);

  return session;
}

static GhloBuffer *
step_new (void)
{
  static const gint32 step[2] = { 1, 2 };

  return help_buffer ("tensor<2xi32>", step, sizeof step);
}

/* A run writes to the memory that was bound when the run was called. */
static void
test_async (gconstpointer data)
{
  g_autoptr (GhloSession) session = counter_new (*(const GhloDeviceKind *) data);
  g_autoptr (GhloBuffer) step = step_new ();
  Wait wait = { g_main_loop_new (NULL, FALSE) };
  gint32 kept[N_RUNS][2];

  for (guint i = 0; i < N_RUNS; i++)
    {
      bind (session, 0, kept[i], sizeof kept[i], NULL);
      ghlo_session_run_async (session, &step, 1, NULL, on_ready, &wait);
    }
  g_main_loop_run (wait.loop);
  g_assert_cmpuint (wait.n_cancelled, ==, 0);
  for (guint i = 0; i < N_RUNS; i++)
    {
      g_assert_cmpint (kept[i][0], ==, i);
      g_assert_cmpint (kept[i][1], ==, 2 * i);
    }
  g_main_loop_unref (wait.loop);
}

/* Memory is released when its last run has ended, whatever is cancelled: valgrind and sanitizers would find a later
 * write. */
static void
test_freed (gconstpointer data)
{
  g_autoptr (GhloSession) session = counter_new (*(const GhloDeviceKind *) data);
  g_autoptr (GhloBuffer) step = step_new ();
  Wait wait = { g_main_loop_new (NULL, FALSE) };

  for (guint i = 0; i < N_RUNS; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      gint32 *memory = g_new (gint32, 2);

      g_assert_true (ghlo_session_bind_output (session, 0, (guintptr) memory, 8, g_free, memory, &error));
      g_assert_no_error (error);
      g_assert_true (ghlo_session_reset (session, &error));
      ghlo_session_run_async (session, &step, 1, cancellable, on_ready, &wait);
      if (i % 3 == 0)
        g_cancellable_cancel (cancellable);
    }
  g_clear_object (&session);
  g_main_loop_run (wait.loop);
  g_assert_cmpuint (wait.n_cancelled, ==, (N_RUNS + 2) / 3);
  g_main_loop_unref (wait.loop);
}

static void
wait_for_release (const int *n_released)
{
  const gint64 start = g_get_monotonic_time ();

  while (g_atomic_int_get (n_released) == 0)
    {
      g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
      g_usleep (1000);
    }
  g_assert_cmpint (g_atomic_int_get (n_released), ==, 1);
}

/* A cancelled run holds the memory until it has stopped, even if nothing else is left. */
static void
test_cancelled (gconstpointer data)
{
  g_autoptr (GhloBuffer) number = help_number ();

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GhloSession) session = session_new (HELP_ENDLESS, *(const GhloDeviceKind *) data);
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GhloResult) result = NULL;
      g_autoptr (GError) error = NULL;
      HelpWait wait = help_wait_init ();
      int n_released = 0;
      gint32 memory;

      bind (session, 0, &memory, sizeof memory, &n_released);
      ghlo_session_run_async (session, &number, 1, cancellable, help_ready, &wait);
      g_usleep (10000);
      if (i == 1)
        g_assert_true (ghlo_session_unbind_output (session, 0, NULL));
      g_assert_cmpint (g_atomic_int_get (&n_released), ==, 0);
      g_cancellable_cancel (cancellable);
      result = ghlo_session_run_finish (session, help_wait_run (&wait), &error);
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      help_wait_clear (&wait);
      if (i == 0)
        g_assert_true (ghlo_session_unbind_output (session, 0, NULL));
      g_clear_object (&session);
      wait_for_release (&n_released);
    }
}

enum { N_THREADS = 4 };

typedef struct
{
  GhloExecutable *executable;   /* of HELP_COUNTER */
  GhloSession    *session;      /* shared by all threads, with output 0 bound */
} Shared;

/* Uses the shared session and one of the thread's own, whose memory no other thread knows. */
static gpointer
run_many (gpointer data)
{
  const Shared *shared = data;
  g_autoptr (GhloSession) session = ghlo_session_new (shared->executable);
  g_autoptr (GhloBuffer) step = step_new ();
  gint32 memory[2][2];

  g_assert_true (ghlo_session_carry (session, 1, 1, step, NULL));
  for (guint i = 0; i < N_RUNS; i++)
    {
      g_autoptr (GhloResult) own = NULL, of_all = NULL;

      bind (session, 0, memory[i % 2], sizeof memory[0], NULL);
      own = help_run_session (session, &step, 1);
      g_assert_cmpint (memory[i % 2][1], ==, 2 * (i + 1));
      of_all = help_run_session (shared->session, &step, 1);
    }

  return NULL;
}

static void
test_threads (gconstpointer data)
{
  g_autoptr (GhloSession) session = counter_new (*(const GhloDeviceKind *) data);
  Shared shared = { ghlo_session_get_executable (session), session };
  GThread *threads[N_THREADS];
  gint32 memory[2];

  bind (session, 0, memory, sizeof memory, NULL);
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("run", run_many, &shared);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (memory[0], ==, N_THREADS * N_RUNS - 1);
}

int
main (int   argc,
      char *argv[])
{
  static const struct
  {
    const char    *name;
    GTestDataFunc  func;
  } tests[] = {
    { "written", test_written },
    { "overlap", test_overlap },
    { "overlap-carried", test_overlap_carried },
    { "kinds", test_kinds },
    { "open", test_open },
    { "async", test_async },
    { "freed", test_freed },
    { "cancelled", test_cancelled },
    { "threads", test_threads },
  };
  static const char *const names[] = { "cpu", "reference", "vulkan" };
  g_autoptr (GhloClient) client = ghlo_client_new ();

  g_test_init (&argc, &argv, NULL);

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      g_autoptr (GhloDevice) device = find_device (client, kinds[k]);

      for (guint i = 0; i < G_N_ELEMENTS (tests) && device != NULL; i++)
        {
          g_autofree char *path = g_strdup_printf ("/session-outputs/%s/%s", tests[i].name, names[k]);

          g_test_add_data_func (path, &kinds[k], tests[i].func);
        }
    }
  g_test_add_func ("/session-outputs/mistakes", test_mistakes);

  return g_test_run ();
}
