/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The compiler works in a temporary folder of its own.
 */

#include "code-objects.h"

#include <glib/gstdio.h>
#include <string.h>

/* FALSE where the compiler is not installed. */
static gboolean
run_compiler (const char *compiler,
              const char *options,
              const char *source,
              const char *object)
{
  g_autofree char *line = g_strdup_printf ("%s -c -fPIC -ffreestanding -fno-stack-protector %s -o %s %s", compiler,
                                           options, object, source);
  g_autofree char *errors = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  if (!g_spawn_command_line_sync (line, NULL, &errors, &status, &error))
    {
      g_assert_error (error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT);
      return FALSE;
    }
  if (status != 0)
    g_error ("%s: %s", line, errors);

  return TRUE;
}

GBytes *
code_object_compile (const char *compiler,
                     const char *options,
                     const char *source)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("ghlo-code-XXXXXX", &error);
  g_autofree char *text = NULL, *object = NULL, *contents = NULL;
  gsize size = 0;

  g_assert_no_error (error);
  text = g_build_filename (folder, "kernel.c", NULL);
  object = g_build_filename (folder, "kernel.o", NULL);
  if (strchr (source, '\n') != NULL)
    {
      g_file_set_contents (text, source, -1, &error);
      g_assert_no_error (error);
    }
  if (run_compiler (compiler, options, strchr (source, '\n') != NULL ? text : source, object))
    {
      g_file_get_contents (object, &contents, &size, &error);
      g_assert_no_error (error);
    }
  g_unlink (text);
  g_unlink (object);
  g_rmdir (folder);

  return size > 0 ? g_bytes_new_take (g_steal_pointer (&contents), size) : NULL;
}
