/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values in device memory that the host cannot access, runs that end later, and failures of either.
 */

#include "runtime/storage.h"

#include <string.h>

#include "compiler/devices.h"
#include "fake.h"
#include "import/import.h"
#include "runtime/place.h"

#define DOUBLE \
  "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n" \
  "  %0 = stablehlo.add %x, %x : tensor<4xf32>\n" \
  "  return %0 : tensor<4xf32>\n}\n"

#define NEGATE \
  "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n" \
  "  %0 = stablehlo.negate %x : tensor<4xf32>\n" \
  "  return %0 : tensor<4xf32>\n}\n"

#define DOUBLE_ANY \
  "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n" \
  "  %0 = stablehlo.add %x, %x : tensor<?xf32>\n" \
  "  return %0 : tensor<?xf32>\n}\n"

#define PAIR \
  "func.func @main(%x: tuple<tensor<4xf32>, !stablehlo.token>) -> tuple<tensor<4xf32>, !stablehlo.token> {\n" \
  "  %0 = stablehlo.get_tuple_element %x[0] : (tuple<tensor<4xf32>, !stablehlo.token>) -> tensor<4xf32>\n" \
  "  %1 = stablehlo.get_tuple_element %x[1] : (tuple<tensor<4xf32>, !stablehlo.token>) -> !stablehlo.token\n" \
  "  %2 = stablehlo.add %0, %0 : tensor<4xf32>\n" \
  "  %3 = stablehlo.tuple %2, %1 : tuple<tensor<4xf32>, !stablehlo.token>\n" \
  "  return %3 : tuple<tensor<4xf32>, !stablehlo.token>\n}\n"

static const float counts[4] = { 1, 2, 3, 4 };

static GhloDeviceCore *
find_fake (void)
{
  GhloDeviceCore *device = ghlo_devices_find ("fake");

  g_assert_nonnull (device);

  return device;
}

static GhloPrepared *
prepare (GhloDeviceCore *device,
         const char     *text)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test.mlir", text, strlen (text));
  g_autoptr (GhloIrModule) module = ghlo_import_text (text, strlen (text), GHLO_IMPORT_DEFAULT, diagnostics, NULL);
  g_autoptr (GError) error = NULL;
  GhloPrepared *prepared;

  g_assert_nonnull (module);
  prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, &error);
  g_assert_no_error (error);

  return prepared;
}

static GhloValue *
make_counts (void)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F32, (const gint64[]) { 4 }, 1);
  GhloValue *value = ghlo_value_new_uninitialized (type, NULL);

  memcpy (value->data, counts, sizeof counts);

  return value;
}

static GhloValue *
place (GhloValue *value)
{
  g_autoptr (GError) error = NULL;
  GhloValue *placed = ghlo_value_place (value, find_fake (), NULL, &error);

  g_assert_no_error (error);

  return placed;
}

static void
assert_counts (GhloValue *value,
               float      factor)
{
  g_autoptr (GError) error = NULL;

  ghlo_value_fetch (value, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (ghlo_value_is_on_host (value));
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    g_assert_cmpfloat (((const float *) (gconstpointer) value->data)[i], ==, factor * counts[i]);
}

/* Begins a run with one input and one output. */
static GhloValue *
start (GhloPrepared         *prepared,
       const GhloRunOptions *options,
       GhloValue            *input)
{
  g_autoptr (GhloFence) fence = NULL;
  g_autoptr (GError) error = NULL;
  GhloValue *output = NULL;

  ghlo_prepared_start (prepared, options, &input, 1, &output, &fence, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (output->kind != GHLO_VALUE_TENSOR || output->storage->fence == fence);

  return output;
}

static void
test_place (void)
{
  {
    g_autoptr (GhloValue) value = make_counts ();
    g_autoptr (GhloValue) placed = place (value);
    g_autoptr (GhloValue) again = place (placed);
    g_autoptr (GhloValue) same = ghlo_value_place (value, ghlo_devices_find ("cpu"), NULL, NULL);
    guint n = fake_count_calls (FAKE_DOWNLOAD);

    g_assert_true (ghlo_value_get_device (value) == NULL);
    g_assert_true (same == value);
    g_assert_true (ghlo_value_get_device (placed) == find_fake ());
    g_assert_true (ghlo_value_is_on (placed, find_fake ()));
    g_assert_false (ghlo_value_is_on_host (placed));
    g_assert_null (placed->storage->host);
    g_assert_true (again == placed);
    g_assert_cmpuint (fake_count_calls (FAKE_UPLOAD), ==, 1);

    /* The value is copied to the host once, and stays where it is. */
    assert_counts (placed, 1);
    assert_counts (placed, 1);
    g_assert_true (ghlo_value_get_device (placed) == find_fake ());
    g_assert_cmpuint (fake_count_calls (FAKE_DOWNLOAD), ==, n + 1);
  }
  fake_assert_nothing_left (0);
}

/* A device that works in host memory reads the host copy, and does not write to it where it is a copy of another
 * device's value. */
static void
test_place_back (void)
{
  {
    GhloDeviceCore *cpu = ghlo_devices_find ("cpu");
    const guint donated_inputs[] = { 0 };
    const GhloRunOptions options = { .donated_inputs = donated_inputs };
    g_autoptr (GhloPrepared) prepared = prepare (cpu, NEGATE);
    g_autoptr (GhloValue) value = make_counts ();
    g_autoptr (GhloValue) placed = place (value);
    g_autoptr (GhloValue) back = ghlo_value_place (placed, cpu, NULL, NULL);
    g_autoptr (GhloValue) copy = ghlo_value_copy (back, cpu, NULL);
    g_autoptr (GhloValue) output = start (prepared, &options, placed);

    g_assert_true (ghlo_value_get_device (back) == NULL);
    assert_counts (back, 1);
    assert_counts (copy, 1);
    g_assert_true (back->data != copy->data);
    g_assert_true (ghlo_value_get_device (output) == NULL);
    assert_counts (output, -1);
    assert_counts (placed, 1);
  }
  fake_assert_nothing_left (0);
}

/* Values that share storage share the host copy. */
static void
test_shared (void)
{
  {
    g_autoptr (GhloValue) value = make_counts ();
    g_autoptr (GhloValue) placed = place (value);
    g_autoptr (GhloValue) other = ghlo_value_new_over (placed->type, placed->storage, NULL);
    guint n = fake_count_calls (FAKE_DOWNLOAD);

    assert_counts (placed, 1);
    g_assert_false (ghlo_value_is_on_host (other));
    assert_counts (other, 1);
    g_assert_true (other->data == placed->data);
    g_assert_cmpuint (fake_count_calls (FAKE_DOWNLOAD), ==, n + 1);
  }
  fake_assert_nothing_left (0);
}

/* A value of its own over shared storage, copied to the host by a thread. */
typedef struct
{
  GhloValue    *value;
  GCancellable *cancellable;     /* nullable: threads that have one are cancelled */
} Reader;

static gpointer
read_on_thread (gpointer data)
{
  Reader *reader = data;
  const GhloMonitor monitor = { .cancellable = reader->cancellable };
  g_autoptr (GError) error = NULL;

  if (reader->cancellable == NULL)
    assert_counts (reader->value, 1);
  else
    {
      g_assert_false (ghlo_value_fetch (reader->value, &monitor, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    }
  ghlo_value_unref (reader->value);

  return NULL;
}

/* Threads that arrive during a read wait for it; if it fails, one of them reads again. */
static void
test_read_by_many (void)
{
  for (guint cancelled = 0; cancelled < 2; cancelled++)
    {
      g_autoptr (GhloValue) value = make_counts ();
      g_autoptr (GhloValue) placed = place (value);
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      Reader readers[4];
      GThread *threads[G_N_ELEMENTS (readers)];
      guint n = fake_count_calls (FAKE_DOWNLOAD);

      /* The first read is slow. */
      fake_take_time (FAKE_DOWNLOAD, cancelled ? 60 * G_USEC_PER_SEC : 30000);
      for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
        {
          readers[i].value = ghlo_value_new_over (placed->type, placed->storage, NULL);
          readers[i].cancellable = cancelled && i == 0 ? cancellable : NULL;
          threads[i] = g_thread_new (NULL, read_on_thread, &readers[i]);
          while (fake_count_calls (FAKE_DOWNLOAD) == n)
            g_usleep (100);
          fake_take_time (FAKE_DOWNLOAD, 0);
        }
      g_cancellable_cancel (cancellable);
      for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
        g_thread_join (threads[i]);
      g_assert_cmpuint (fake_count_calls (FAKE_DOWNLOAD), ==, n + 1 + cancelled);
    }
  fake_assert_nothing_left (0);
}

static void
test_copy (void)
{
  {
    g_autoptr (GhloValue) value = make_counts ();
    g_autoptr (GhloValue) placed = place (value);
    g_autoptr (GhloValue) copy = ghlo_value_copy (placed, find_fake (), NULL);

    g_assert_true (ghlo_value_get_device (copy) == find_fake ());
    g_assert_true (copy->storage != placed->storage);
    assert_counts (copy, 1);
    g_assert_null (ghlo_value_get_fence (copy));
  }
  fake_assert_nothing_left (0);
}

/* A run reads the outputs of the previous run, which has not written them yet. */
static void
test_run (void)
{
  {
    g_autoptr (GhloPrepared) prepared = prepare (find_fake (), DOUBLE);
    g_autoptr (GhloValue) value = make_counts ();
    g_autoptr (GhloValue) one = NULL, two = NULL, copy = NULL;

    fake_take_time (FAKE_RUN, 20000);
    one = start (prepared, NULL, value);
    two = start (prepared, NULL, one);
    copy = ghlo_value_copy (two, find_fake (), NULL);
    g_assert_nonnull (ghlo_value_get_fence (two));
    g_assert_false (ghlo_value_is_on_host (one));
    assert_counts (copy, 4);
    g_assert_null (ghlo_value_get_fence (two));
    assert_counts (two, 4);
    assert_counts (one, 2);
    fake_take_time (FAKE_RUN, 200);
  }
  fake_assert_nothing_left (0);
}

/* Donated memory is updated in place, even while the run that makes its contents is in progress. */
static void
test_replace (void)
{
  {
    const guint donated_inputs[] = { 0 };
    const GhloRunOptions options = { .donated_inputs = donated_inputs };
    g_autoptr (GhloPrepared) prepared = prepare (find_fake (), NEGATE);
    g_autoptr (GhloValue) value = make_counts ();
    GhloValue *state = place (value);
    GhloStorage *storage = state->storage;
    guint n = fake_count_calls (FAKE_ALLOCATE);

    assert_counts (state, 1);
    for (guint i = 0; i < 3; i++)
      {
        GhloValue *next = start (prepared, &options, state);

        ghlo_value_unref (state);
        state = next;
        g_assert_true (state->storage == storage);
      }
    assert_counts (state, -1);
    g_assert_cmpuint (fake_count_calls (FAKE_ALLOCATE), ==, n);

    /* A value with other references is not changed. */
    {
      g_autoptr (GhloValue) kept = ghlo_value_ref (state);
      g_autoptr (GhloValue) next = start (prepared, &options, state);

      assert_counts (next, 1);
      assert_counts (kept, -1);
    }
    ghlo_value_unref (state);
  }
  fake_assert_nothing_left (0);
}

/* Outputs whose size is known only when they are complete, and outputs that are not tensors. */
static void
test_kinds (void)
{
  {
    g_autoptr (GhloPrepared) any = prepare (find_fake (), DOUBLE_ANY), pair = prepare (find_fake (), PAIR);
    g_autoptr (GhloValue) value = make_counts ();
    g_autoptr (GhloValue) placed = place (value);
    g_autoptr (GhloValue) token = ghlo_value_new_token ();
    g_autoptr (GhloValue) tuple = ghlo_value_new_tuple ((GhloValue *[]) { placed, token }, 2);
    g_autoptr (GhloValue) one = start (any, NULL, placed), two = start (pair, NULL, tuple);

    g_assert_true (ghlo_value_is_on (one, find_fake ()));
    assert_counts (one, 2);
    g_assert_cmpuint (two->n_members, ==, 2);
    g_assert_cmpint (two->members[1]->kind, ==, GHLO_VALUE_TOKEN);
    g_assert_true (ghlo_value_is_on (two, find_fake ()));
    g_assert_true (ghlo_value_get_device (two) == find_fake ());
    assert_counts (two->members[0], 2);
  }
  fake_assert_nothing_left (0);
}

/* Runs that wait for a failing run fail with its error, and nothing is leaked. */
static void
test_run_fails (void)
{
  {
    g_autoptr (GhloPrepared) prepared = prepare (find_fake (), DOUBLE);
    g_autoptr (GhloValue) value = make_counts ();
    g_autoptr (GhloValue) one = NULL, two = NULL, copy = NULL, other = NULL;

    fake_fail (FAKE_RUN, 1, GHLO_ERROR_OUT_OF_MEMORY);
    one = start (prepared, NULL, value);
    two = start (prepared, NULL, one);
    copy = ghlo_value_copy (one, find_fake (), NULL);
    other = start (prepared, NULL, value);
    for (guint i = 0; i < 3; i++)
      {
        GhloValue *bad = (GhloValue *[]) { one, two, copy }[i];
        g_autoptr (GError) error = NULL;

        g_assert_false (ghlo_value_fetch (bad, NULL, &error));
        g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
        g_assert_true (bad == copy || ghlo_value_get_fence (bad) != NULL);
      }
    assert_counts (other, 2);
    g_assert_true (fake_has_failed ());
  }
  fake_assert_nothing_left (0);
}

/* Each call fails once with the requested error. */
static void
test_fails (void)
{
  static const GhloError codes[] = { GHLO_ERROR_DEVICE, GHLO_ERROR_OUT_OF_MEMORY };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autoptr (GhloValue) value = make_counts ();
      g_autoptr (GhloValue) placed = place (value);
      g_autoptr (GError) error = NULL;

      for (FakeCall call = FAKE_ALLOCATE; call <= FAKE_UPLOAD; call++)
        {
          fake_fail (call, 1, codes[i]);
          g_assert_null (ghlo_value_place (value, find_fake (), NULL, &error));
          g_assert_error (error, GHLO_ERROR, codes[i]);
          g_clear_error (&error);
        }
      fake_fail (FAKE_COPY, 1, codes[i]);
      g_assert_null (ghlo_value_copy (placed, find_fake (), &error));
      g_assert_error (error, GHLO_ERROR, codes[i]);
      g_clear_error (&error);
      fake_fail (FAKE_DOWNLOAD, 1, codes[i]);
      g_assert_false (ghlo_value_fetch (placed, NULL, &error));
      g_assert_error (error, GHLO_ERROR, codes[i]);
      assert_counts (placed, 1);
    }
  fake_assert_nothing_left (0);
}

static void
test_cancel (void)
{
  {
    g_autoptr (GhloValue) value = make_counts ();
    g_autoptr (GhloValue) placed = place (value);
    g_autoptr (GCancellable) cancellable = g_cancellable_new ();
    const GhloMonitor monitor = { .cancellable = cancellable };
    g_autoptr (GError) error = NULL;

    g_cancellable_cancel (cancellable);
    g_assert_null (ghlo_value_place (value, find_fake (), &monitor, &error));
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    g_clear_error (&error);
    g_assert_false (ghlo_value_fetch (placed, &monitor, &error));
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    assert_counts (placed, 1);
  }
  fake_assert_nothing_left (0);
}

/* All runs in progress end with the loss, and data already on the host can still be read. */
static void
test_lost (void)
{
  {
    GhloDeviceCore *lost = find_fake ();
    g_autoptr (GhloPrepared) prepared = prepare (find_fake (), DOUBLE), after = NULL;
    g_autoptr (GhloValue) value = make_counts ();
    g_autoptr (GhloValue) read = place (value), unread = place (value), one = NULL, two = NULL, output = NULL;
    g_autoptr (GError) error = NULL;

    assert_counts (read, 1);
    fake_fail (FAKE_RUN, 1, GHLO_ERROR_DEVICE_LOST);
    one = start (prepared, NULL, value);
    two = start (prepared, NULL, one);
    g_assert_false (ghlo_fence_wait (two->storage->fence, NULL, &error));
    g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE_LOST);
    g_clear_error (&error);
    g_assert_true (ghlo_device_core_is_lost (lost));
    g_assert_false (ghlo_value_fetch (unread, NULL, &error));
    g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE_LOST);
    g_clear_error (&error);
    g_assert_null (ghlo_value_place (value, lost, NULL, &error));
    g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE_LOST);
    g_clear_error (&error);
    assert_counts (read, 1);

    g_assert_true (find_fake () != lost);
    after = prepare (find_fake (), DOUBLE);
    output = start (after, NULL, read);
    assert_counts (output, 2);
  }
  fake_assert_nothing_left (0);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/storage/place", test_place);
  g_test_add_func ("/storage/place-back", test_place_back);
  g_test_add_func ("/storage/shared", test_shared);
  g_test_add_func ("/storage/read-by-many", test_read_by_many);
  g_test_add_func ("/storage/copy", test_copy);
  g_test_add_func ("/storage/run", test_run);
  g_test_add_func ("/storage/replace", test_replace);
  g_test_add_func ("/storage/kinds", test_kinds);
  g_test_add_func ("/storage/run-fails", test_run_fails);
  g_test_add_func ("/storage/fails", test_fails);
  g_test_add_func ("/storage/cancel", test_cancel);
  g_test_add_func ("/storage/lost", test_lost);

  return g_test_run ();
}
