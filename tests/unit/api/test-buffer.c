/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Buffers read from and written to NumPy files, made from numbers, and copied to devices, through the shared library.
 */

#include "api-help.h"

#include <math.h>
#include <unistd.h>

#include "../limit-memory.h"

static GhloTensorType *
type_new (const char *text)
{
  g_autoptr (GError) error = NULL;
  GhloTensorType *type = ghlo_tensor_type_parse (text, &error);

  g_assert_no_error (error);

  return type;
}

static GhloBuffer *
from_doubles (const char   *text,
              const double *numbers,
              gsize         n,
              GError      **error)
{
  g_autoptr (GhloTensorType) type = type_new (text);

  return ghlo_buffer_new_from_doubles (type, numbers, n, error);
}

static GhloBuffer *
from_int64s (const char   *text,
             const gint64 *numbers,
             gsize         n,
             GError      **error)
{
  g_autoptr (GhloTensorType) type = type_new (text);

  return ghlo_buffer_new_from_int64s (type, numbers, n, error);
}

static void
assert_bytes (GhloBuffer    *buffer,
              gconstpointer  expected,
              gsize          size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = ghlo_buffer_read (buffer, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), expected, size);
}

static void
assert_refused (GhloBuffer  *buffer,
                GError     **error,
                int          code,
                const char  *pattern)
{
  g_assert_null (buffer);
  g_assert_error (*error, GHLO_ERROR, code);
  if (!g_pattern_match_simple (pattern, (*error)->message))
    g_error ("expected '%s', found '%s'", pattern, (*error)->message);
  g_clear_error (error);
}

static void
test_numbers (void)
{
  static const double halves[] = { 0.5, -1.5, 1e40 };
  static const float floats[] = { 0.5f, -1.5f, (float) G_MAXDOUBLE };
  static const guint16 brains[] = { 0x3f00, 0xbfc0, 0x7f80 };
  static const double whole[] = { -8, 7, 0 };
  static const gint8 small[] = { -8, 7, 0 };
  static const gint64 large[] = { G_MAXINT64, G_MININT64, 3 };
  static const guint8 bits[] = { 1, 0, 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloBuffer) f32 = from_doubles ("tensor<3xf32>", halves, 3, &error);
  g_autoptr (GhloBuffer) bf16 = from_doubles ("tensor<3xbf16>", halves, 3, &error);
  g_autoptr (GhloBuffer) i4 = from_doubles ("tensor<3xi4>", whole, 3, &error);
  g_autoptr (GhloBuffer) i64 = from_int64s ("tensor<3xi64>", large, 3, &error);
  g_autoptr (GhloBuffer) f64 = from_int64s ("tensor<3xf64>", large, 3, &error);
  g_autoptr (GhloBuffer) i1 = from_int64s ("tensor<3xi1>", (gint64[]) { 1, 0, 1 }, 3, &error);
  g_autoptr (GhloBuffer) scalar = from_doubles ("tensor<f64>", halves, 1, &error);
  g_autoptr (GhloBuffer) empty = from_doubles ("tensor<0x2xf64>", NULL, 0, &error);

  g_assert_no_error (error);
  assert_bytes (f32, floats, sizeof floats);
  assert_bytes (bf16, brains, sizeof brains);
  assert_bytes (i4, small, sizeof small);
  assert_bytes (i64, large, sizeof large);
  assert_bytes (f64, (double[]) { (double) G_MAXINT64, (double) G_MININT64, 3 }, 24);
  assert_bytes (i1, bits, sizeof bits);
  assert_bytes (scalar, halves, 8);
  g_assert_cmpuint (ghlo_buffer_get_size (empty), ==, 0);
}

static void
assert_doubles (const char   *text,
                const double *given,
                const double *expected,
                gsize         n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloBuffer) buffer = from_doubles (text, given, n, &error);
  g_autofree double *found = NULL;
  gsize n_found = 99;

  g_assert_no_error (error);
  found = ghlo_buffer_get_doubles (buffer, &n_found, &error);
  g_assert_no_error (error);
  g_assert_nonnull (found);
  g_assert_cmpmem (found, n_found * sizeof found[0], expected, n * sizeof expected[0]);
}

static void
test_doubles (void)
{
  static const char *floats[] = { "bf16", "f16", "f32", "f64", "f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ",
                                  "f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN" };
  static const char *integers[] = { "i4", "i8", "i16", "i32", "i64", "index" };
  static const char *naturals[] = { "ui4", "ui8", "ui16", "ui32", "ui64" };
  static const double exact[] = { 0.5, -1.5, 3 };
  static const double whole[] = { -8, 7, 0 };
  static const double natural[] = { 15, 7, 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloTensorType) complex = type_new ("tensor<2xcomplex<f32>>");
  g_autoptr (GhloBuffer) pair = ghlo_buffer_new_zeros (complex, &error);
  g_autoptr (GhloBuffer) token = ghlo_buffer_new_token ();
  g_autoptr (GhloBuffer) bare = g_object_new (GHLO_TYPE_BUFFER, NULL);
  GhloBuffer *wrong[] = { pair, token, bare };
  gsize n;

  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (floats); i++)
    {
      g_autofree char *text = g_strdup_printf ("tensor<3x%s>", floats[i]);

      assert_doubles (text, exact, exact, 3);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (integers); i++)
    {
      g_autofree char *text = g_strdup_printf ("tensor<3x%s>", integers[i]);

      assert_doubles (text, whole, whole, 3);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (naturals); i++)
    {
      g_autofree char *text = g_strdup_printf ("tensor<3x%s>", naturals[i]);

      assert_doubles (text, natural, natural, 3);
    }
  assert_doubles ("tensor<0x2xf32>", NULL, NULL, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_assert_null (ghlo_buffer_get_doubles (wrong[i], &n, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
    }
}

static void
test_zeros (void)
{
  static const guint8 nothing[24];
  g_autoptr (GhloTensorType) type = type_new ("tensor<2x3xf32>");
  g_autoptr (GhloTensorType) dynamic = type_new ("tensor<?x3xf32>");
  g_autoptr (GhloTensorType) huge = type_new ("tensor<1000000x1000000xf32>");
  g_autoptr (GhloTensorType) overflowing = type_new ("tensor<4611686018427387904x4xf32>");
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloBuffer) zeros = ghlo_buffer_new_zeros (type, &error);

  g_assert_no_error (error);
  assert_bytes (zeros, nothing, sizeof nothing);
  assert_refused (ghlo_buffer_new_zeros (dynamic, &error), &error, GHLO_ERROR_INVALID_ARGUMENT,
                  "*without dynamic dimensions, found tensor<*x3xf32>");
  assert_refused (ghlo_buffer_new_zeros (overflowing, &error), &error, GHLO_ERROR_INVALID_ARGUMENT,
                  "expected a tensor of at most 70368744177664 bytes, found tensor<4611686018427387904x4xf32>");
  assert_refused (ghlo_buffer_new_zeros (NULL, &error), &error, GHLO_ERROR_INVALID_ARGUMENT, "*nothing");
  assert_refused (ghlo_buffer_new_zeros (huge, &error), &error, GHLO_ERROR_OUT_OF_MEMORY, "*bytes are needed*");
}

static void
test_wrong_numbers (void)
{
  static const struct { const char *type; double number; const char *pattern; } cases[] = {
    { "tensor<i32>", 2.5, "*i32 holds for element 0, found 2.5" },
    { "tensor<i32>", 2147483648.0, "*i32*found 2147483648" },
    { "tensor<ui8>", -1, "*ui8*found -1" },
    { "tensor<ui64>", -1, "*ui64*found -1" },
    { "tensor<i4>", 8, "*i4*found 8" },
    { "tensor<i1>", 2, "*i1*found 2" },
    { "tensor<i64>", 0x1p63, "*i64*found 9*" },
    { "tensor<i64>", NAN, "*i64*found nan" },
    { "tensor<i64>", -INFINITY, "*i64*found -inf" },
    { "tensor<complex<f32>>", 1, "*complex*" },
    { "tensor<2xf32>", 1, "expected 2 numbers*found 1" },
    { "tensor<?xf32>", 1, "*dynamic*" },
  };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_refused (from_doubles (cases[i].type, &cases[i].number, 1, &error), &error, GHLO_ERROR_INVALID_ARGUMENT,
                    cases[i].pattern);
  assert_refused (from_int64s ("tensor<2xi8>", (gint64[]) { 127, 128 }, 2, &error), &error,
                  GHLO_ERROR_INVALID_ARGUMENT, "*i8*element 1, found 128");
  assert_refused (from_int64s ("tensor<2xi8>", NULL, 2, &error), &error, GHLO_ERROR_INVALID_ARGUMENT, "*found 0");
  assert_refused (ghlo_buffer_new_from_doubles (NULL, NULL, 0, &error), &error, GHLO_ERROR_INVALID_ARGUMENT, "*");
}

static GFile *
file_new (void)
{
  g_autofree char *name = NULL;
  g_autoptr (GError) error = NULL;
  int fd = g_file_open_tmp ("ghlo-XXXXXX.npy", &name, &error);

  g_assert_no_error (error);
  close (fd);

  return g_file_new_for_path (name);
}

static void
test_files (void)
{
  static const double numbers[] = { 1, 2, 3, 4, 5, 6 };
  static const char *const types[] = {
    "tensor<2x3xf32>", "tensor<6xf64>", "tensor<3x2xi8>", "tensor<6xui64>", "tensor<2x3xbf16>", "tensor<6xi4>",
    "tensor<6xf8E4M3FN>",
  };
  g_autoptr (GFile) file = file_new ();
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (GhloTensorType) type = type_new (types[i]);
      g_autoptr (GhloBuffer) buffer = from_doubles (types[i], numbers, 6, &error);
      g_autoptr (GhloBuffer) again = NULL;
      g_autoptr (GBytes) bytes = ghlo_buffer_get_host_bytes (buffer);

      g_assert_true (ghlo_buffer_save (buffer, file, NULL, &error));
      g_assert_no_error (error);
      again = ghlo_buffer_load (file, type, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (ghlo_tensor_type_equal (ghlo_buffer_get_tensor_type (again), type));
      assert_bytes (again, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
    }
  g_file_delete (file, NULL, NULL);
}

static void
test_files_async (void)
{
  static const double numbers[] = { 1, 2, 3, 4, 5, 6 };
  g_autoptr (GFile) file = file_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloBuffer) buffer = from_doubles ("tensor<2x3xf64>", numbers, 6, &error);
  g_autoptr (GhloBuffer) again = NULL;
  HelpWait wait;

  wait = help_wait_init ();
  ghlo_buffer_save_async (buffer, file, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  g_assert_true (ghlo_buffer_save_finish (buffer, wait.result, &error));
  g_assert_no_error (error);
  help_wait_clear (&wait);

  wait = help_wait_init ();
  ghlo_buffer_load_async (file, NULL, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  again = ghlo_buffer_load_finish (wait.result, &error);
  g_assert_no_error (error);
  assert_bytes (again, numbers, sizeof numbers);
  help_wait_clear (&wait);
  g_file_delete (file, NULL, NULL);

  wait = help_wait_init ();
  ghlo_buffer_load_async (NULL, NULL, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  assert_refused (ghlo_buffer_load_finish (wait.result, &error), &error, GHLO_ERROR_INVALID_ARGUMENT, "*nothing");
  help_wait_clear (&wait);

  wait = help_wait_init ();
  ghlo_buffer_save_async (buffer, NULL, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  g_assert_false (ghlo_buffer_save_finish (buffer, wait.result, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  help_wait_clear (&wait);
}

static void
test_wrong_files (void)
{
  static const double numbers[] = { 1, 2, 3, 4, 5, 6 };
  g_autoptr (GFile) file = file_new ();
  g_autofree char *nowhere = g_strconcat (g_file_peek_path (file), "-missing/array.npy", NULL);
  g_autoptr (GFile) missing = g_file_new_for_path (nowhere);
  g_autoptr (GhloTensorType) open = type_new ("tensor<?x3xf32>");
  g_autoptr (GhloTensorType) other = type_new ("tensor<3x2xf32>");
  g_autoptr (GhloTensorType) integers = type_new ("tensor<2x3xi32>");
  g_autoptr (GhloBuffer) token = ghlo_buffer_new_token ();
  g_autoptr (GhloBuffer) bare = g_object_new (GHLO_TYPE_BUFFER, NULL);
  g_autoptr (GhloBuffer) again = NULL;
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloBuffer) buffer = from_doubles ("tensor<2x3xf32>", numbers, 6, &error);

  g_assert_true (ghlo_buffer_save (buffer, file, NULL, &error));
  again = ghlo_buffer_load (file, open, NULL, &error);
  g_assert_no_error (error);
  assert_refused (ghlo_buffer_load (file, other, NULL, &error), &error, GHLO_ERROR_DATA,
                  "ghlo-*.npy: expected*tensor<3x2xf32>, found tensor<2x3xf32>");
  assert_refused (ghlo_buffer_load (file, integers, NULL, &error), &error, GHLO_ERROR_DATA, "*found tensor<2x3xf32>");

  g_assert_true (g_file_set_contents (g_file_peek_path (file), "no array", -1, NULL));
  assert_refused (ghlo_buffer_load (file, NULL, NULL, &error), &error, GHLO_ERROR_DATA, "ghlo-*.npy: malformed*");
  assert_refused (ghlo_buffer_load (NULL, NULL, NULL, &error), &error, GHLO_ERROR_INVALID_ARGUMENT, "*nothing");
  g_assert_null (ghlo_buffer_load (missing, NULL, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_false (ghlo_buffer_save (buffer, missing, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_cancellable_cancel (cancelled);
  g_assert_null (ghlo_buffer_load (file, NULL, cancelled, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);

  for (guint i = 0; i < 3; i++)
    {
      if (i == 2)
        ghlo_buffer_release (buffer);
      g_assert_false (ghlo_buffer_save (((GhloBuffer *[]) { token, bare, buffer })[i], file, NULL, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
    }
  g_file_delete (file, NULL, NULL);
}

static void
test_copy_to_device (void)
{
  static const double numbers[] = { 1, 2 };
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) devices = ghlo_client_list_devices (client, NULL, &error);
  g_autoptr (GhloDevice) device = g_list_model_get_item (devices, 0);
  g_autoptr (GhloDevice) bare = g_object_new (GHLO_TYPE_DEVICE, NULL);
  g_autoptr (GhloBuffer) buffer = from_doubles ("tensor<2xf64>", numbers, 2, &error);
  g_autoptr (GhloBuffer) tuple = ghlo_buffer_new_tuple (&buffer, 1, &error);
  g_autoptr (GhloBuffer) copy = ghlo_buffer_copy_to_device (buffer, device, NULL, &error);
  g_autoptr (GhloBuffer) copies = ghlo_buffer_copy_to_device (tuple, device, NULL, &error);
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse ("tensor<2xf64>", NULL);
  g_autoptr (GBytes) bytes = g_bytes_new (numbers, sizeof numbers);
  g_autoptr (GhloBuffer) lent = ghlo_buffer_new_from_bytes (type, bytes, &error);
  g_autoptr (GhloBuffer) own = ghlo_buffer_copy_to_device (lent, device, NULL, &error);
  g_autoptr (GhloBuffer) async = NULL;
  gsize n;
  HelpWait wait;

  g_assert_no_error (error);
  /* A buffer that is on the device already is shared; memory lent by the application is copied. */
  g_assert_true (copy != buffer);
  g_assert_cmpuint (ghlo_buffer_get_address (copy), ==, ghlo_buffer_get_address (buffer));
  g_assert_cmpuint (ghlo_buffer_get_address (own), !=, ghlo_buffer_get_address (lent));
  assert_bytes (copy, numbers, sizeof numbers);
  assert_bytes (own, numbers, sizeof numbers);
  assert_bytes (ghlo_buffer_get_members (copies, &n)[0], numbers, sizeof numbers);

  wait = help_wait_init ();
  ghlo_buffer_copy_to_device_async (buffer, device, NULL, help_ready, &wait);
  ghlo_buffer_release (buffer);
  help_wait_for_call (&wait);
  async = ghlo_buffer_copy_to_device_finish (buffer, wait.result, &error);
  g_assert_no_error (error);
  assert_bytes (async, numbers, sizeof numbers);
  help_wait_clear (&wait);

  assert_refused (ghlo_buffer_copy_to_device (buffer, device, NULL, &error), &error, GHLO_ERROR_INVALID_ARGUMENT,
                  "*released*");
  assert_refused (ghlo_buffer_copy_to_device (copy, bare, NULL, &error), &error, GHLO_ERROR_INVALID_ARGUMENT,
                  "*without a client");
  assert_refused (ghlo_buffer_copy_to_device (copy, NULL, NULL, &error), &error, GHLO_ERROR_INVALID_ARGUMENT,
                  "*found nothing");
  wait = help_wait_init ();
  ghlo_buffer_copy_to_device_async (copy, NULL, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  assert_refused (ghlo_buffer_copy_to_device_finish (copy, wait.result, &error), &error, GHLO_ERROR_INVALID_ARGUMENT,
                  "*found nothing");
  help_wait_clear (&wait);
}

/* A file is written block by block, here 1 GiB with 128 MiB of memory available; a file that is too large to be read
 * is an error. */
static void
test_files_limited (void)
{
  enum { EXTRA = 128 << 20 };
  g_autoptr (GhloTensorType) type = type_new ("tensor<268435456xf32>");
  g_autoptr (GFile) file = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloBuffer) buffer = NULL;

  if (!limit_memory_in_subprocess ())
    return;

  file = file_new ();
  buffer = ghlo_buffer_new_zeros (type, &error);
  g_assert_no_error (error);
  limit_memory (EXTRA);
  g_assert_true (ghlo_buffer_save (buffer, file, NULL, &error));
  g_assert_no_error (error);
  assert_refused (ghlo_buffer_load (file, NULL, NULL, &error), &error, GHLO_ERROR_OUT_OF_MEMORY, "*memory*1073741*");
  g_file_delete (file, NULL, NULL);
}

/* Whatever sign and payload a NaN has, ghlo_buffer_get_doubles () returns the canonical one. */
static void
test_nan (void)
{
  static const struct { const char *type; guint64 bits; gsize size; } rows[] = {
    { "f64", 0xffffe00000000000, 8 }, { "f64", 0x7ff0000000000001, 8 }, { "f32", 0xffc00001, 4 },
    { "bf16", 0xffff, 2 }, { "f16", 0xfe01, 2 }, { "f8E5M2", 0xff, 1 }, { "f8E4M3FNUZ", 0x80, 1 },
  };
  const double nan = NAN;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse (rows[i].type, NULL);
      g_autoptr (GBytes) bytes = g_bytes_new (&rows[i].bits, rows[i].size);
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloBuffer) buffer = ghlo_buffer_new_from_bytes (type, bytes, &error);
      g_autofree double *found = NULL;
      gsize n;

      g_assert_no_error (error);
      found = ghlo_buffer_get_doubles (buffer, &n, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (found, n * sizeof *found, &nan, sizeof nan);
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/buffer/numbers", test_numbers);
  g_test_add_func ("/buffer/doubles", test_doubles);
  g_test_add_func ("/buffer/nan", test_nan);
  g_test_add_func ("/buffer/zeros", test_zeros);
  g_test_add_func ("/buffer/wrong-numbers", test_wrong_numbers);
  g_test_add_func ("/buffer/files", test_files);
  g_test_add_func ("/buffer/files-async", test_files_async);
  g_test_add_func ("/buffer/files-limited", test_files_limited);
  g_test_add_func ("/buffer/wrong-files", test_wrong_files);
  g_test_add_func ("/buffer/copy-to-device", test_copy_to_device);

  return g_test_run ();
}
