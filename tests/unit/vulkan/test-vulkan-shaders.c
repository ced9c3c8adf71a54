/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The shaders embedded in the library are valid, whatever their specialization constants are.
 */

#include <glib/gstdio.h>
#include <spirv/unified1/spirv.h>
#include <string.h>

#include "gpu/shaders.h"
#include "gpu/spirv/spirv.h"

/* Checks a module with spirv-val. */
static void
validate (GBytes     *words,
          const char *name)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "ghlo-shader-XXXXXX", NULL), *messages = NULL;
  gint file = g_mkstemp (path), status;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (file, >=, 0);
  g_close (file, NULL);
  g_file_set_contents (path, g_bytes_get_data (words, NULL), (gssize) g_bytes_get_size (words), &error);
  g_assert_no_error (error);
  g_spawn_sync (NULL, (char *[]) { (char *) "spirv-val", (char *) "--target-env", (char *) "vulkan1.2", path, NULL },
                NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &messages, &status, &error);
  g_unlink (path);
  g_assert_no_error (error);
  if (status != 0)
    g_error ("%s: %s", name, messages);
}

static void
test_valid (void)
{
  static const guint32 sizes[] = { 1, 2, 4, 8, 16 };
  g_autofree char *validator = g_find_program_in_path ("spirv-val");

  if (validator == NULL)
    {
      g_test_skip ("there is no validator of SPIR-V");
      return;
    }
  for (guint i = 0; i < GHLO_GPU_N_SHADERS; i++)
    for (guint j = 0; j < G_N_ELEMENTS (sizes); j++)
      {
        g_autoptr (GBytes) words = ghlo_gpu_shader_get_words (i, &sizes[j], 1);

        validate (words, ghlo_gpu_shader_get_name (i));
      }
}

/* The value of specialization constant @number, either the shader's default or its replacement; @otherwise where
 * there is none. */
static guint32
read_constant (GBytes  *bytes,
               guint32  number,
               guint32  otherwise)
{
  gsize size;
  const guint32 *words = g_bytes_get_data (bytes, &size);
  guint32 id = 0;

  for (gsize i = 5; i < size / sizeof *words; i += words[i] >> SpvWordCountShift)
    {
      guint32 op = words[i] & SpvOpCodeMask;

      if (op == SpvOpDecorate && words[i + 2] == SpvDecorationSpecId && words[i + 3] == number)
        id = words[i + 1];
      if (op == SpvOpSpecConstant && words[i + 2] == id)
        return words[i + 3];
    }

  return otherwise;
}

static void
test_constants (void)
{
  const guint32 size = 8;
  g_autoptr (GBytes) plain = ghlo_gpu_shader_get_words (GHLO_GPU_SHADER_SORT_SHORT, NULL, 0);
  g_autoptr (GBytes) special = ghlo_gpu_shader_get_words (GHLO_GPU_SHADER_SORT_SHORT, &size, 1);

  g_assert_cmpuint (read_constant (plain, 0, 0), ==, 4);
  g_assert_cmpuint (read_constant (special, 0, 0), ==, 8);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/shaders/valid", test_valid);
  g_test_add_func ("/vulkan/shaders/constants", test_constants);

  return g_test_run ();
}
