/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values and the memory account: sizes, alignment, sharing, limits, and that all memory is returned.
 */

#include <string.h>

#include "base/tensor-type.h"
#include "runtime/memory.h"
#include "runtime/value.h"

static GhloTensorType *
make_type (GhloElementType element_type,
           gsize           rank,
           const gint64   *dimensions)
{
  return ghlo_tensor_type_new (element_type, dimensions, rank);
}

static void
test_tensor (void)
{
  const gint64 dimensions[] = { 3, 5 };
  g_autoptr (GhloTensorType) type = make_type (GHLO_ELEMENT_TYPE_F32, 2, dimensions);
  g_autoptr (GError) error = NULL;
  gsize before = ghlo_memory_get_used ();
  GhloValue *value = ghlo_value_new_tensor (type, &error);

  g_assert_no_error (error);
  g_assert_cmpint (value->kind, ==, GHLO_VALUE_TENSOR);
  g_assert_cmpuint (value->n_elements, ==, 15);
  g_assert_cmpuint (value->n_bytes, ==, 60);
  g_assert_cmpuint ((guintptr) value->data % 64, ==, 0);
  for (gsize i = 0; i < value->n_bytes; i++)
    g_assert_cmpint (value->data[i], ==, 0);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, before + 60);
  g_assert_cmpuint (ghlo_memory_get_peak (), >=, before + 60);
  memset (value->data, 0xff, value->n_bytes);
  ghlo_value_unref (value);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, before);
}

static void
test_empty (void)
{
  const gint64 dimensions[] = { 0, G_MAXINT64, G_MAXINT64 };
  g_autoptr (GhloTensorType) type = make_type (GHLO_ELEMENT_TYPE_F64, 3, dimensions);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloValue) value = ghlo_value_new_tensor (type, &error);
  g_autoptr (GBytes) none = g_bytes_new (NULL, 0);
  g_autoptr (GhloValue) imported = ghlo_value_new_for_bytes (type, none, &error);
  g_autoptr (GBytes) bytes = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (value->n_bytes, ==, 0);
  g_assert_nonnull (value->data);
  g_assert_nonnull (imported->data);
  bytes = ghlo_value_get_bytes (imported);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, 0);
}

static void
test_dynamic (void)
{
  const gint64 dimensions[] = { 2, GHLO_DYNAMIC };
  g_autoptr (GhloTensorType) type = make_type (GHLO_ELEMENT_TYPE_F32, 2, dimensions);
  g_autoptr (GError) error = NULL;

  g_assert_null (ghlo_value_new_tensor (type, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
}

static void
test_too_large (void)
{
  const gint64 huge[] = { G_MAXINT64, G_MAXINT64 };
  const gint64 large[] = { (gint64) 1 << 50 };
  g_autoptr (GhloTensorType) overflow = make_type (GHLO_ELEMENT_TYPE_I8, 2, huge);
  g_autoptr (GhloTensorType) over = make_type (GHLO_ELEMENT_TYPE_F32, 1, large);
  g_autoptr (GError) error = NULL;

  g_assert_null (ghlo_value_new_tensor (overflow, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
  g_clear_error (&error);
  g_assert_null (ghlo_value_new_tensor (over, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
}

static void
test_limit (void)
{
  const gint64 dimensions[] = { 1000 };
  g_autoptr (GhloTensorType) type = make_type (GHLO_ELEMENT_TYPE_I8, 1, dimensions);
  g_autoptr (GError) error = NULL;
  gsize limit = ghlo_memory_get_limit ();
  gsize before = ghlo_memory_get_used ();
  GhloValue *first;

  ghlo_memory_set_limit (before + 1500);
  first = ghlo_value_new_tensor (type, &error);
  g_assert_no_error (error);
  g_assert_null (ghlo_value_new_tensor (type, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
  g_assert_nonnull (strstr (error->message, "1000 bytes"));
  g_assert_nonnull (strstr (error->message, "tensor<1000xi8>"));
  g_assert_cmpuint (ghlo_memory_get_used (), ==, before + 1000);
  ghlo_value_unref (first);
  g_clear_error (&error);
  first = ghlo_value_new_tensor (type, &error);
  g_assert_no_error (error);
  ghlo_value_unref (first);
  ghlo_memory_set_limit (limit);
}

static void
test_bytes (void)
{
  const gint64 dimensions[] = { 4 };
  g_autoptr (GhloTensorType) type = make_type (GHLO_ELEMENT_TYPE_F32, 1, dimensions);
  g_autoptr (GError) error = NULL;
  _Alignas (64) guint8 raw[32] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  g_autoptr (GBytes) aligned = g_bytes_new_static (raw, 16);
  g_autoptr (GBytes) misaligned = g_bytes_new_static (raw + 1, 16);
  g_autoptr (GBytes) wrong = g_bytes_new_static (raw, 15);
  g_autoptr (GhloValue) shared = ghlo_value_new_for_bytes (type, aligned, &error);
  g_autoptr (GhloValue) copied = ghlo_value_new_for_bytes (type, misaligned, &error);
  GBytes *out;

  g_assert_no_error (error);
  g_assert_true (shared->data == raw);
  g_assert_true (copied->data != raw + 1);
  g_assert_cmpmem (copied->data, 16, raw + 1, 16);
  g_assert_null (ghlo_value_new_for_bytes (type, wrong, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);

  out = ghlo_value_get_bytes (copied);
  g_clear_pointer (&copied, ghlo_value_unref);
  g_assert_cmpmem (g_bytes_get_data (out, NULL), g_bytes_get_size (out), raw + 1, 16);
  g_bytes_unref (out);
}

static void
finish_future (GhloValue *self)
{
  if (self->work == NULL)
    return;
  g_thread_join (g_steal_pointer (&self->work));
  self->members = g_new0 (GhloValue *, 1);
  self->members[0] = ghlo_value_new_token ();
  self->n_members = 1;
}

static gpointer
run_work (gpointer data)
{
  g_atomic_int_inc ((int *) data);
  return NULL;
}

static void
test_tuple_and_future (void)
{
  const gint64 dimensions[] = { 2 };
  g_autoptr (GhloTensorType) type = make_type (GHLO_ELEMENT_TYPE_I64, 1, dimensions);
  gsize before = ghlo_memory_get_used ();
  GhloValue *members[2] = { ghlo_value_new_tensor (type, NULL), ghlo_value_new_token () };
  GhloValue *tuple = ghlo_value_new_tuple (members, 2);
  int runs = 0;

  ghlo_value_unref (members[0]);
  ghlo_value_unref (members[1]);
  g_assert_cmpuint (tuple->n_members, ==, 2);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, before + 16);
  ghlo_value_unref (tuple);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, before);

  ghlo_value_unref (ghlo_value_new_future (g_thread_new ("work", run_work, &runs), finish_future));
  g_assert_cmpint (runs, ==, 1);
}

static void
test_parse_limit (void)
{
  static const struct { const char *text; gsize limit; } good[] = {
    { "0", 0 }, { "512", 512 }, { "4k", 4096 }, { "4K", 4096 }, { "2M", 2 << 20 },
    { "1G", 1 << 30 }, { "3MiB", 3 << 20 }, { "7kb", 7 << 10 }, { "9B", 9 },
  };
  static const char *const bad[] = { "", "K", "-1", "1.5G", "4T", "12 K", "99999999999999999999", "99999999999999999G",
    "1Gx" };
  gsize limit;

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_assert_true (ghlo_memory_parse_limit (good[i].text, &limit));
      g_assert_cmpuint (limit, ==, good[i].limit);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_false (ghlo_memory_parse_limit (bad[i], &limit));
}

static gpointer
churn (gpointer data)
{
  for (guint i = 0; i < 2000; i++)
    {
      g_autoptr (GhloValue) value = ghlo_value_new_tensor (data, NULL);

      if (value != NULL)
        value->data[i % value->n_bytes] = 1;
    }

  return NULL;
}

static void
test_threads (void)
{
  const gint64 dimensions[] = { 100 };
  g_autoptr (GhloTensorType) type = make_type (GHLO_ELEMENT_TYPE_UI8, 1, dimensions);
  gsize limit = ghlo_memory_get_limit ();
  gsize before = ghlo_memory_get_used ();
  GThread *threads[4];

  ghlo_memory_set_limit (before + 250);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("churn", churn, type);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, before);
  ghlo_memory_set_limit (limit);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/value/tensor", test_tensor);
  g_test_add_func ("/value/empty", test_empty);
  g_test_add_func ("/value/dynamic", test_dynamic);
  g_test_add_func ("/value/too-large", test_too_large);
  g_test_add_func ("/value/limit", test_limit);
  g_test_add_func ("/value/bytes", test_bytes);
  g_test_add_func ("/value/tuple-and-future", test_tuple_and_future);
  g_test_add_func ("/value/parse-limit", test_parse_limit);
  g_test_add_func ("/value/threads", test_threads);

  return g_test_run ();
}
