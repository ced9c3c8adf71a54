/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The primitives of bytecode: numbers, strings, blobs, padding and the data of constants, and the error for each that
 * cannot be read.
 */

#include <string.h>

#include "import/bytecode/reader.h"

typedef struct
{
  GBytes             *bytes;
  GhloBytecodeReader  reader;
  GhloByteCursor      cursor;
} Fixture;

static void
fixture_set_up (Fixture      *self,
                gconstpointer data,
                gsize         size)
{
  const guint8 *start;

  *self = (Fixture) { .bytes = g_bytes_new (data, size) };
  /* GLib returns NULL for empty data. */
  start = size > 0 ? g_bytes_get_data (self->bytes, NULL) : (const guint8 *) "";
  self->reader.bytes = self->bytes;
  self->reader.file = (GhloByteRange) { start, start + size };
  self->reader.module = ghlo_ir_module_new ("test");
  self->reader.diagnostics = ghlo_diagnostics_new ("test", NULL, 0);
  self->cursor = ghlo_bytecode_cursor (&self->reader, self->reader.file, "the test");
}

static void
fixture_clear (Fixture *self)
{
  ghlo_ir_module_unref (self->reader.module);
  ghlo_diagnostics_free (self->reader.diagnostics);
  g_bytes_unref (self->bytes);
}

/* Checks that there is one diagnostic, with exactly this message. */
static void
check_finding (Fixture    *self,
               const char *message)
{
  const GhloFinding *finding;

  g_assert_cmpuint (self->reader.diagnostics->findings->len, ==, 1);
  finding = g_ptr_array_index (self->reader.diagnostics->findings, 0);
  g_assert_cmpstr (finding->message, ==, message);
  g_assert_cmpuint (finding->line, ==, 0);
}

static void
check_varint (guint64       expected,
              gsize         size,
              const guint8 *data)
{
  Fixture fixture;
  guint64 value;

  fixture_set_up (&fixture, data, size);
  g_assert_true (ghlo_bytecode_read_varint (&fixture.cursor, &value));
  g_assert_cmphex (value, ==, expected);
  g_assert_true (fixture.cursor.at == fixture.cursor.end);
  fixture_clear (&fixture);

  for (gsize less = 0; less < size; less++)
    {
      fixture_set_up (&fixture, data, less);
      g_assert_false (ghlo_bytecode_read_varint (&fixture.cursor, &value));
      g_assert_cmpuint (fixture.reader.diagnostics->n_errors, ==, 1);
      fixture_clear (&fixture);
    }
}

#define CHECK_VARINT(expected, ...) \
  check_varint (expected, sizeof (guint8[]) { __VA_ARGS__ }, (const guint8[]) { __VA_ARGS__ })

static void
test_varints (void)
{
  CHECK_VARINT (0, 0x01);
  CHECK_VARINT (1, 0x03);
  CHECK_VARINT (127, 0xff);
  CHECK_VARINT (128, 0x02, 0x02);
  CHECK_VARINT (0x3fff, 0xfe, 0xff);
  CHECK_VARINT (0x4000, 0x04, 0x00, 0x02);
  CHECK_VARINT (0x1fffff, 0xfc, 0xff, 0xff);
  CHECK_VARINT (0xabcdef, 0xf8, 0xde, 0xbc, 0x0a);
  CHECK_VARINT (0x7ffffffff, 0xf0, 0xff, 0xff, 0xff, 0xff);
  CHECK_VARINT (0x3ffffffffff, 0xe0, 0xff, 0xff, 0xff, 0xff, 0xff);
  CHECK_VARINT (0x1ffffffffffff, 0xc0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
  CHECK_VARINT (0x77665544332211, 0x80, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77);
  CHECK_VARINT (G_GUINT64_CONSTANT (0x8877665544332211), 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88);
  CHECK_VARINT (G_MAXUINT64, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
}

static void
test_signed (void)
{
  static const guint8 data[] = { 0x01, 0x03, 0x05, 0x07, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                 0x00, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
  static const gint64 expected[] = { 0, -1, 1, -2, G_MININT64, G_MAXINT64 };
  Fixture fixture;
  gint64 value;

  fixture_set_up (&fixture, data, sizeof data);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_assert_true (ghlo_bytecode_read_signed (&fixture.cursor, &value));
      g_assert_cmpint (value, ==, expected[i]);
    }
  g_assert_false (ghlo_bytecode_read_signed (&fixture.cursor, &value));
  check_finding (&fixture, "at byte 22, in the test: expected 1 more byte, found 0");
  fixture_clear (&fixture);
}

static void
test_counts (void)
{
  static const guint8 fits[] = { 0x05, 1, 2, 3, 4 }, false[] = { 0x07, 1, 2, 3, 4 };
  Fixture fixture;
  gsize n;

  fixture_set_up (&fixture, fits, sizeof fits);
  g_assert_true (ghlo_bytecode_read_count (&fixture.cursor, 2, &n));
  g_assert_cmpuint (n, ==, 2);
  fixture_clear (&fixture);

  fixture_set_up (&fixture, false, sizeof false);
  g_assert_false (ghlo_bytecode_read_count (&fixture.cursor, 2, &n));
  check_finding (&fixture, "at byte 0, in the test: expected a count of the items that follow, found 3,"
                           " for which 4 bytes are too few");
  fixture_clear (&fixture);
}

static void
test_indices (void)
{
  static const guint8 data[] = { 0x03, 0x05 };
  Fixture fixture;
  gsize index;

  fixture_set_up (&fixture, data, sizeof data);
  g_assert_true (ghlo_bytecode_read_index (&fixture.cursor, 2, "attribute", &index));
  g_assert_cmpuint (index, ==, 1);
  g_assert_false (ghlo_bytecode_read_index (&fixture.cursor, 2, "attribute", &index));
  check_finding (&fixture, "at byte 1, in the test: expected the index of an attribute, of which there are 2,"
                           " found 2");
  fixture_clear (&fixture);
}

static void
test_padding (void)
{
  static const guint8 good[] = { 1, 0xcb, 0xcb, 0xcb, 2 }, bad[] = { 1, 0xcb, 0, 0xcb, 2 };
  Fixture fixture;
  guint8 byte;

  fixture_set_up (&fixture, good, sizeof good);
  g_assert_true (ghlo_bytecode_read_padding (&fixture.cursor, 4));
  g_assert_true (ghlo_bytecode_read_byte (&fixture.cursor, &byte));
  g_assert_true (ghlo_bytecode_read_padding (&fixture.cursor, 4));
  g_assert_true (ghlo_bytecode_read_byte (&fixture.cursor, &byte));
  g_assert_cmpuint (byte, ==, 2);
  g_assert_false (ghlo_bytecode_read_padding (&fixture.cursor, 3));
  check_finding (&fixture, "at byte 5, in the test: expected a power of two as alignment, found 3");
  fixture_clear (&fixture);

  fixture_set_up (&fixture, bad, sizeof bad);
  g_assert_true (ghlo_bytecode_read_byte (&fixture.cursor, &byte));
  g_assert_false (ghlo_bytecode_read_padding (&fixture.cursor, 4));
  check_finding (&fixture, "at byte 2, in the test: expected the byte 0xcb of padding, found 0x00");
  fixture_clear (&fixture);
}

static void
test_blobs (void)
{
  static const guint8 data[] = { 0x07, 1, 2, 3, 0x05, 4 };
  g_autoptr (GBytes) blob = NULL;
  GBytes *none = NULL;
  Fixture fixture;

  fixture_set_up (&fixture, data, sizeof data);
  g_assert_true (ghlo_bytecode_read_blob (&fixture.cursor, &blob));
  g_assert_cmpmem (g_bytes_get_data (blob, NULL), g_bytes_get_size (blob), data + 1, 3);
  g_assert_true ((const guint8 *) g_bytes_get_data (blob, NULL) == fixture.reader.file.data + 1);
  g_assert_false (ghlo_bytecode_read_blob (&fixture.cursor, &none));
  g_assert_null (none);
  check_finding (&fixture, "at byte 4, in the test: expected a count of the items that follow, found 2,"
                           " for which 1 bytes are too few");
  fixture_clear (&fixture);
}

static const GhloIrType *
tensor_of (GhloIrModule    *module,
           GhloElementType  element,
           gint64           n)
{
  return ghlo_ir_type_tensor (module, ghlo_ir_type_element (module, element), &n, 1, NULL, NULL);
}

/* Checks the elements that a blob encodes, and whether they are used in place. */
static void
check_dense (GhloElementType  element,
             gint64           n,
             gsize            size,
             const guint8    *data,
             gboolean         resource,
             gboolean         in_place,
             gboolean         splat,
             gsize            n_expected,
             const gint64    *expected)
{
  /* One byte precedes the blob, so that it is unaligned. */
  g_autofree guint8 *file = g_malloc0 (size + 1);
  const GhloIrAttr *attr;
  const guint8 *elements;
  Fixture fixture;

  if (size > 0)
    memcpy (file + 1, data, size);
  fixture_set_up (&fixture, file, size + 1);
  attr = ghlo_bytecode_dense (&fixture.cursor, tensor_of (fixture.reader.module, element, n),
                              g_bytes_new_from_bytes (fixture.bytes, 1, size), resource ? "key" : NULL);
  g_assert_nonnull (attr);
  g_assert_cmpint (attr->kind, ==, GHLO_IR_ATTR_DENSE);
  g_assert_cmpint (attr->dense.splat, ==, splat);
  g_assert_cmpuint (attr->dense.n_elements, ==, n);
  g_assert_cmpuint (g_bytes_get_size (attr->dense.bytes), ==,
                    (splat ? 1 : n) * ghlo_element_info (element)->size);
  elements = g_bytes_get_data (attr->dense.bytes, NULL);
  g_assert_cmpint (elements == fixture.reader.file.data + 1, ==, in_place);
  for (gsize i = 0; i < n_expected; i++)
    g_assert_cmpint (ghlo_ir_dense_get (attr, i).i, ==, expected[i]);
  /* In the layout of buffers, loading and storing an element gives the same bytes. */
  for (gsize i = 0; i < (splat ? 1 : (gsize) n) && ghlo_element_info (element)->size == 1; i++)
    {
      guint8 byte;

      ghlo_element_store (element, &byte, ghlo_ir_dense_get (attr, i));
      g_assert_cmphex (byte, ==, elements[i]);
    }
  fixture_clear (&fixture);
}

#define BYTES(...) sizeof (guint8[]) { __VA_ARGS__ }, (const guint8[]) { __VA_ARGS__ }
#define VALUES(...) G_N_ELEMENTS (((gint64[]) { __VA_ARGS__ })), (const gint64[]) { __VA_ARGS__ }
#define CHECK(element, n, bytes, resource, in_place, splat, values) \
  check_dense (GHLO_ELEMENT_TYPE_##element, n, bytes, resource, in_place, splat, values)

static void
test_dense (void)
{
  CHECK (I16, 2, BYTES (1, 0, 0xff, 0xff), FALSE, TRUE, FALSE, VALUES (1, -1));
  CHECK (I16, 3, BYTES (1, 2), FALSE, TRUE, TRUE, VALUES (0x201, 0x201, 0x201));
  CHECK (I16, 2, BYTES (1, 2, 1, 2), FALSE, FALSE, TRUE, VALUES (0x201, 0x201));
  CHECK (I16, 1, BYTES (7, 0), FALSE, TRUE, TRUE, VALUES (7));
  CHECK (I16, 2, BYTES (1, 2, 1, 2), TRUE, TRUE, FALSE, VALUES (0x201, 0x201));
  CHECK (UI8, 2, BYTES (200, 201), FALSE, TRUE, FALSE, VALUES (200, 201));

  /* No elements: without data, and with one element. */
  check_dense (GHLO_ELEMENT_TYPE_F32, 0, 0, NULL, FALSE, FALSE, FALSE, 0, NULL);
  check_dense (GHLO_ELEMENT_TYPE_F32, 0, BYTES (0, 0, 0x80, 0x3f), FALSE, FALSE, FALSE, 0, NULL);
  check_dense (GHLO_ELEMENT_TYPE_I1, 0, BYTES (0xff), FALSE, FALSE, FALSE, 0, NULL);
}

static void
test_dense_booleans (void)
{
  CHECK (I1, 3, BYTES (0x05), FALSE, FALSE, FALSE, VALUES (1, 0, 1));
  CHECK (I1, 10, BYTES (0xfd, 0x03), FALSE, FALSE, FALSE, VALUES (1, 0, 1, 1, 1, 1, 1, 1, 1, 1));
  CHECK (I1, 3, BYTES (0xff), FALSE, FALSE, TRUE, VALUES (1, 1, 1));
  CHECK (I1, 20, BYTES (0xff), FALSE, FALSE, TRUE, VALUES (1, 1, 1, 1));
  CHECK (I1, 20, BYTES (0x00), FALSE, FALSE, TRUE, VALUES (0, 0, 0, 0));
  CHECK (I1, 1, BYTES (0xff), FALSE, FALSE, TRUE, VALUES (1));
  CHECK (I1, 3, BYTES (1, 0, 1), FALSE, TRUE, FALSE, VALUES (1, 0, 1));
  CHECK (I1, 3, BYTES (0xff, 0, 1), FALSE, FALSE, FALSE, VALUES (1, 0, 1));
  CHECK (I1, 3, BYTES (1, 0, 1), TRUE, TRUE, FALSE, VALUES (1, 0, 1));
}

static void
test_dense_narrow (void)
{
  CHECK (I4, 2, BYTES (0x01, 0x0e), FALSE, FALSE, FALSE, VALUES (1, -2));
  CHECK (I4, 2, BYTES (0x01, 0xfe), FALSE, TRUE, FALSE, VALUES (1, -2));
  CHECK (I4, 2, BYTES (0x03), FALSE, FALSE, TRUE, VALUES (3, 3));
  CHECK (I4, 200, BYTES (0x0f), FALSE, FALSE, TRUE, VALUES (-1, -1));
  CHECK (I2, 4, BYTES (0x02), FALSE, FALSE, TRUE, VALUES (-2, -2, -2, -2));
  CHECK (UI4, 2, BYTES (0x0f, 0x01), FALSE, TRUE, FALSE, VALUES (15, 1));
  CHECK (UI4, 2, BYTES (0xff, 0x01), FALSE, FALSE, FALSE, VALUES (15, 1));
  CHECK (I4, 3, BYTES (0xe1, 0x03), FALSE, FALSE, FALSE, VALUES (1, -2, 3));
}

static void
test_dense_wrong (void)
{
  static const guint8 data[] = { 1, 2, 3, 4, 5 };
  const gint64 dynamic = -1, four = 4;
  const GhloIrType *i32, *tf32;
  Fixture fixture;

  fixture_set_up (&fixture, data, sizeof data);
  g_assert_null (ghlo_bytecode_dense (&fixture.cursor, tensor_of (fixture.reader.module, GHLO_ELEMENT_TYPE_I32, 2),
                                      g_bytes_ref (fixture.bytes), NULL));
  check_finding (&fixture, "at byte 0, in the test: expected the data of 2 elements of i32, found 5 bytes");
  fixture_clear (&fixture);

  fixture_set_up (&fixture, data, sizeof data);
  i32 = ghlo_ir_type_element (fixture.reader.module, GHLO_ELEMENT_TYPE_I32);
  g_assert_null (ghlo_bytecode_dense (&fixture.cursor,
                                      ghlo_ir_type_tensor (fixture.reader.module, i32, &dynamic, 1, NULL, NULL),
                                      g_bytes_ref (fixture.bytes), NULL));
  check_finding (&fixture, "at byte 0, in the test: expected a tensor type with static dimensions for a constant,"
                           " found tensor<?xi32>");
  fixture_clear (&fixture);

  fixture_set_up (&fixture, data, sizeof data);
  tf32 = ghlo_ir_type_named (fixture.reader.module, "tf32");
  g_assert_null (ghlo_bytecode_dense (&fixture.cursor,
                                      ghlo_ir_type_tensor (fixture.reader.module, tf32, &four, 1, NULL, NULL),
                                      g_bytes_ref (fixture.bytes), NULL));
  check_finding (&fixture, "at byte 0, in the test: expected a constant of an element type that buffers support,"
                           " found one of tensor<4xtf32>");
  fixture_clear (&fixture);

  fixture_set_up (&fixture, data, sizeof data);
  g_assert_null (ghlo_bytecode_dense (&fixture.cursor, tensor_of (fixture.reader.module, GHLO_ELEMENT_TYPE_I32, 2),
                                      NULL, "weights"));
  check_finding (&fixture, "at byte 0, in the test: expected the data of the resource 'weights' in this file,"
                           " found none");
  fixture_clear (&fixture);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bytecode/cursor/varints", test_varints);
  g_test_add_func ("/bytecode/cursor/signed", test_signed);
  g_test_add_func ("/bytecode/cursor/counts", test_counts);
  g_test_add_func ("/bytecode/cursor/indices", test_indices);
  g_test_add_func ("/bytecode/cursor/padding", test_padding);
  g_test_add_func ("/bytecode/cursor/blobs", test_blobs);
  g_test_add_func ("/bytecode/dense/plain", test_dense);
  g_test_add_func ("/bytecode/dense/booleans", test_dense_booleans);
  g_test_add_func ("/bytecode/dense/narrow", test_dense_narrow);
  g_test_add_func ("/bytecode/dense/wrong", test_dense_wrong);

  return g_test_run ();
}
