/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Headers of .npy files: those that NumPy and other software write, and those that a reader must refuse.
 */

#include <string.h>

#include "runtime/npy.h"

#define PLAIN "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }\n"

/* A file of @version with @header followed by @n_bytes bytes 0, 1, 2 ... */
static GByteArray *
file_new (guint       version,
          const char *header,
          guint       n_bytes)
{
  gsize length = strlen (header);
  const guint8 prefix[] = { 0x93, 'N', 'U', 'M', 'P', 'Y', version, 0, length & 0xff, length >> 8, 0, 0 };
  GByteArray *file = g_byte_array_new ();

  g_byte_array_append (file, prefix, version == 1 ? 10 : 12);
  g_byte_array_append (file, (const guint8 *) header, length);
  for (guint8 i = 0; i < n_bytes; i++)
    g_byte_array_append (file, &i, 1);

  return file;
}

/* Reads exactly @size bytes of @file; reading beyond them is an error. */
static GhloValue *
read_file (const GByteArray *file,
           gsize             size,
           GError          **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (file->data, size);

  return ghlo_npy_read (bytes, NULL, error);
}

static const struct
{
  guint       version;
  const char *header;
  const char *type;
  guint8      second;    /* the first byte of the second element */
} valid[] = {
  { 1, PLAIN, "tensor<2x3xi16>", 2 },
  { 2, PLAIN, "tensor<2x3xi16>", 2 },
  { 3, PLAIN, "tensor<2x3xi16>", 2 },
  { 1, "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }\n", "tensor<2x3xi16>", 4 },
  { 1, "{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3), }\n", "tensor<2x3xi16>", 3 },
  { 1, "{'descr': '=i2', 'fortran_order': False, 'shape': (2, 3), }\n", "tensor<2x3xi16>", 2 },
  { 1, "{\"shape\":(12,),\"fortran_order\":False,\"descr\":\"|u1\"}", "tensor<12xui8>", 1 },
  { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3)}", "tensor<3xf32>", 4 },
  { 1, "{ 'fortran_order' : True , 'shape' : ( 1 , 0 , 9223372036854775807 ) , 'descr' : '<c16' }  \n",
    "tensor<1x0x9223372036854775807xcomplex<f64>>", 0 },
  { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n", "tensor<f64>", 0 },
};

static void
test_valid (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (valid); i++)
    {
      g_autoptr (GByteArray) file = file_new (valid[i].version, valid[i].header, 12);
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloValue) value = read_file (file, file->len, &error);
      g_autofree char *type = NULL;

      g_assert_no_error (error);
      type = ghlo_tensor_type_to_string (value->type);
      g_assert_cmpstr (type, ==, valid[i].type);
      if (value->n_elements > 1)
        g_assert_cmpint (value->data[value->n_bytes / value->n_elements], ==, valid[i].second);
    }
}

#define DESCR(descr) "{'descr': " descr ", 'fortran_order': False, 'shape': (1,)}"
#define SHAPE(shape) "{'descr': '<i2', 'fortran_order': False, 'shape': " shape "}"
#define SIZES_16     "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"

static const struct
{
  const char *header;
  const char *message;   /* a pattern of the error */
} wrong[] = {
  { "", "*not a dictionary" },
  { "{", "*not a dictionary" },
  { "'descr': '<i2', 'fortran_order': False, 'shape': (1,)", "*not a dictionary" },
  { "{'descr': '<i2', 'fortran_order': False, 'shape': (1,)", "*not a dictionary" },
  { "{'descr': '<i2' 'fortran_order': False, 'shape': (1,)}", "*not a dictionary" },
  { "{'descr': '<i2', 'fortran_order': False, 'shape': (1,)} {}", "*text after*" },
  { "{'descr': '<i2', 'shape': (1,)}", "*without*" },
  { "{'descr': '<i2', 'fortran_order': False}", "*without*" },
  { "{}", "*without*" },
  { "{'descr': '<i2', 'descr': '<i2', 'fortran_order': False, 'shape': (1,)}", "*each once" },
  { "{'order': '<i2', 'fortran_order': False, 'shape': (1,)}", "*each once" },
  { "{'note': \"'descr': '<i2', 'shape': (1,)\", 'fortran_order': False}", "*each once" },
  { "{'descr': '<i2', 'fortran_order': 0, 'shape': (1,)}", "*neither True nor False" },
  { "{'descr': '<i2', 'fortran_order': Truely, 'shape': (1,)}", "*not a dictionary" },
  { DESCR ("[('a', '<i2')]"), "*no simple 'descr'*" },
  { DESCR ("'<i2"), "*" },
  { DESCR ("''"), "*byte order" },
  { DESCR ("'i2'"), "*byte order" },
  { DESCR ("'<'"), "*kind of element" },
  { DESCR ("'<2'"), "*kind of element" },
  { DESCR ("'<\n2'"), "*kind of element" },
  { DESCR ("'<i'"), "*element size" },
  { DESCR ("'<i0'"), "*element size" },
  { DESCR ("'<i-2'"), "*element size" },
  { DESCR ("'<i 2'"), "*element size" },
  { DESCR ("'<i18446744073709551618'"), "*element size" },
  { DESCR ("'<M8[ns]'"), "*'M8[ns]' has no counterpart: expected booleans, * found dates" },
  { DESCR ("'|O'"), "*'O' has no counterpart: *, found Python objects" },
  { DESCR ("'<U4'"), "*'U4' has no counterpart: *, found text" },
  { DESCR ("'<i16'"), "*'i16' has no counterpart: *, found integers" },
  { DESCR ("'<f16'"), "*'f16' has no counterpart: *, found floats of another size" },
  { DESCR ("'<c32'"), "*'c32' has no counterpart: *, found complex numbers of another size" },
  { "{'descr':'<", "*no simple 'descr'*" },
  { SHAPE ("3"), "*not a tuple" },
  { SHAPE ("(2, 3"), "*not a tuple of sizes*" },
  { SHAPE ("(2 3)"), "*not a tuple of sizes*" },
  { SHAPE ("(2,, 3)"), "*not a tuple of sizes*" },
  { SHAPE ("(,)"), "*not a tuple of sizes*" },
  { SHAPE ("(-18446744073709551615,)"), "*not a tuple of sizes*" },
  { SHAPE ("(-1,)"), "*not a tuple of sizes*" },
  { SHAPE ("(+1,)"), "*not a tuple of sizes*" },
  { SHAPE ("(9223372036854775808,)"), "*not a tuple of sizes*" },
  { SHAPE ("(" SIZES_16 SIZES_16 SIZES_16 SIZES_16 "1)"), "*more than 64 dimensions" },
  { SHAPE ("(7,)"), "*the elements of the header's shape, found 12 bytes" },
  { SHAPE ("(4294967296, 4294967296)"), "*the elements of the header's shape*" },
  { SHAPE ("(9223372036854775807,)"), "*the elements of the header's shape*" },
};

static void
assert_refused (const GByteArray *file,
                gsize             size,
                const char       *pattern)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (read_file (file, size, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DATA);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("expected %s, found %s", pattern, error->message);
}

static void
test_wrong (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GByteArray) file = file_new (1, wrong[i].header, 12);

      assert_refused (file, file->len, wrong[i].message);
    }
}

static void
test_prefix (void)
{
  g_autoptr (GByteArray) file = file_new (1, PLAIN, 12);

  file->data[6] = 0;
  assert_refused (file, file->len, "*unknown version");
  file->data[6] = 4;
  assert_refused (file, file->len, "*unknown version");
  file->data[6] = 1;
  file->data[9] = 0xff;
  assert_refused (file, file->len, "*header is cut off");
  file->data[0] = 'x';
  assert_refused (file, file->len, "*magic number*");
}

/* A file truncated anywhere is refused; so is one whose header states that it ends there. */
static void
test_cut (void)
{
  gsize length = strlen (PLAIN);

  for (guint version = 1; version <= 3; version++)
    {
      g_autoptr (GByteArray) file = file_new (version, PLAIN, 12);
      gsize prefix = version == 1 ? 10 : 12;

      for (gsize size = 0; size < file->len; size++)
        assert_refused (file, size, "malformed .npy file: *");
      for (gsize size = MAX (prefix, 12); size + 2 < prefix + length; size++)
        {
          file->data[8] = (guint8) (size - prefix);
          assert_refused (file, size, "malformed .npy file: *");
        }
    }
}

/* Whatever value a byte of the header has, the reader returns. */
static void
test_bytes (void)
{
  g_autoptr (GByteArray) file = file_new (1, PLAIN, 12);

  for (gsize i = 0; i < file->len - 12; i++)
    {
      guint8 own = file->data[i];

      for (guint byte = 0; byte < 256; byte++)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (GhloValue) value = NULL;

          file->data[i] = (guint8) byte;
          value = read_file (file, file->len, &error);
          g_assert_true ((value == NULL) == (error != NULL));
        }
      file->data[i] = own;
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/npy/valid", test_valid);
  g_test_add_func ("/npy/wrong", test_wrong);
  g_test_add_func ("/npy/prefix", test_prefix);
  g_test_add_func ("/npy/cut", test_cut);
  g_test_add_func ("/npy/bytes", test_bytes);

  return g_test_run ();
}
