/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of other formats are recognized by what their writers begin with, and programs are not.
 */

#include "base/foreign-format.h"

#include <glib/gstdio.h>
#include <string.h>

static const struct
{
  const char *bytes;
  gsize       size;
  const char *found;    /* how the description begins; NULL: of no such format */
} cases[] = {
#define CASE(bytes, found) { bytes, sizeof (bytes) - 1, found }
  CASE ("\x08\x0a\x12\x07pytorch\x1a\x05" "2.9.0", "an ONNX model"),
  CASE ("\x08\x08:\xff\x01", "an ONNX model"),
  CASE ("GGUF\3\0\0\0", "weights in the format of llama.cpp"),
  CASE ("\x1c\0\0\0TFL3", "a model of TensorFlow Lite"),
  CASE ("\x40\0\0\0\0\0\0\0{\"a\":", "weights (safetensors)"),
  CASE ("\x93NUMPY\1\0", "an array of NumPy"),
  CASE ("\x89HDF\r\n\x1a\n", "an HDF5 file"),
  CASE ("\x80\2}q", "a pickle"),
#define ARCHIVE(name, length) "PK\3\4zzzzzzzzzzzzzzzzzzzzzz" length "\0\0\0" name
  CASE (ARCHIVE ("w.npy", "\5"), "an archive of arrays of NumPy"),
  CASE (ARCHIVE ("metadata.json", "\x0d"), "a model of Keras"),
  CASE (ARCHIVE ("m/data.pkl", "\x0a"), "a program or weights of PyTorch"),
  CASE (ARCHIVE ("archive_format", "\x0e"), "a program or weights of PyTorch"),
  CASE (ARCHIVE ("other", "\5"), "a ZIP archive"),
  CASE (ARCHIVE ("npy", "\xff"), "a ZIP archive"),
  CASE ("", NULL),
  CASE ("\x08", NULL),
  CASE ("ML\xefR", NULL),
  CASE ("func.func @main() { return }", NULL),
  CASE ("module {\n}\n", NULL),
  CASE ("\n\n{TFL3}", NULL),
  CASE ("#map = affine_map<()>", NULL),
};

static void
test_files (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      /* Of its own size, so that a sanitizer sees what is read behind it. */
      g_autofree guint8 *copy = g_memdup2 (cases[i].bytes, cases[i].size);
      const char *found = ghlo_foreign_format_describe (copy, cases[i].size);

      g_test_message ("case %u: %s", i, found != NULL ? found : "of no known format");
      if (cases[i].found == NULL)
        g_assert_null (found);
      else
        g_assert_true (found != NULL && g_str_has_prefix (found, cases[i].found));
    }
}

/* Each beginning of a file is recognized or not, and nothing behind it is read. */
static void
test_beginnings (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gsize size = 0; size < cases[i].size; size++)
      {
        g_autofree guint8 *copy = g_memdup2 (cases[i].bytes, size);

        ghlo_foreign_format_describe (copy, size);
      }
}

static void
test_folder (void)
{
  g_autofree char *folder = g_dir_make_tmp ("ghlo-XXXXXX", NULL);
  g_autofree char *functions = g_build_filename (folder, "functions", NULL);
  g_autofree char *program = g_build_filename (functions, "forward.bytecode", NULL);
  g_autofree char *found = NULL;

  g_assert_null (ghlo_foreign_format_describe_folder (folder));
  g_assert_no_errno (g_mkdir (functions, 0700));
  g_assert_true (g_file_set_contents (program, "", 0, NULL));
  found = ghlo_foreign_format_describe_folder (folder);
  g_assert_true (found != NULL && g_str_has_prefix (found, "which torch_xla wrote") && strstr (found, program) != NULL);
  g_unlink (program);
  g_rmdir (functions);
  g_rmdir (folder);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/foreign-format/files", test_files);
  g_test_add_func ("/foreign-format/beginnings", test_beginnings);
  g_test_add_func ("/foreign-format/folder", test_folder);

  return g_test_run ();
}
