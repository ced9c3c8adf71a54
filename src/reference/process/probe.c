/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Probes record tensors while a program runs; another operation compares with them.
 * Without a probe directory, the tensors stay in memory until the run ends. With
 * one, each is written to a .npy file, and index.csv gets a line "id,type,file" for
 * each, in the order of recording. A run starts a new index.
 */

#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>

#include "reference/check.h"
#include "reference/frame.h"
#include "reference/kernels.h"
#include "runtime/npy.h"

static const char *
probe_directory (const GhloRefRun *run)
{
  return run->options != NULL ? run->options->probe_directory : NULL;
}

/* Appends a line to the index. Called with the run's lock held. */
static gboolean
append_index (const char       *directory,
              gboolean          is_first,
              const char       *line,
              GError          **error)
{
  g_autofree char *path = g_build_filename (directory, "index.csv", NULL);
  FILE *file = g_fopen (path, is_first ? "we" : "ae");
  gboolean ok = file != NULL && fputs (line, file) >= 0;
  int code = errno;

  if (file != NULL && fclose (file) != 0)
    {
      code = errno;
      ok = FALSE;
    }
  if (!ok)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA, "cannot write '%s': %s", path, g_strerror (code));

  return ok;
}

/* Called with the run's lock held. */
static gboolean
write_probe (GhloRefRun      *run,
             const char      *id,
             const GhloValue *value,
             GError         **error)
{
  const char *directory = probe_directory (run);
  g_autofree char *name = g_strdup_printf ("probe%u.npy", run->n_probes + 1);
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autofree char *type = ghlo_tensor_type_to_string (value->type);
  g_autofree char *line = g_strdup_printf ("%s,%s,%s\n", id, type, path);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) local_error = NULL;

  if (!ghlo_npy_save (value, file, NULL, &local_error))
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA, "cannot write '%s': %s", path, local_error->message);
      return FALSE;
    }

  return append_index (directory, run->n_probes++ == 0, line, error);
}

/* Called with the run's lock held. */
static void
keep_probe (GhloRefRun *run,
            const char *id,
            GhloValue  *value)
{
  GPtrArray *values = g_hash_table_lookup (run->probes, id);

  if (values == NULL)
    {
      values = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);
      g_hash_table_insert (run->probes, g_strdup (id), values);
    }
  g_ptr_array_add (values, ghlo_value_ref (value));
}

gboolean
ghlo_ref_probe (GhloRefCall *call,
                GError     **error)
{
  GhloRefRun *run = call->frame->process->run;
  const char *id = ghlo_ir_op_get_string (call->op, "probe_id");
  gboolean ok = TRUE;

  g_mutex_lock (&run->lock);
  if (probe_directory (run) != NULL)
    ok = write_probe (run, id != NULL ? id : "", call->operands[0], error);
  else
    keep_probe (run, id != NULL ? id : "", call->operands[0]);
  g_mutex_unlock (&run->lock);

  return ok && ghlo_ref_pass (call, 0, call->operands[0], error);
}

/* The file that the index lists for iteration @iteration of a probe. Ids may contain commas. */
static char *
find_file (const char *index,
           const char *id,
           gint64      iteration)
{
  g_auto (GStrv) lines = g_strsplit (index, "\n", -1);
  gsize length = strlen (id);

  for (gsize i = 0; lines[i] != NULL; i++)
    {
      const char *type, *path;

      if (strncmp (lines[i], id, length) != 0 || lines[i][length] != ',' || iteration-- > 0)
        continue;
      type = lines[i] + length + 1;
      /* A quantized type contains commas, but ">," only at its end. */
      path = strstr (type, ">,");
      return path != NULL ? g_strdup (path + 2) : NULL;
    }

  return NULL;
}

static GhloValue *
read_probe (GhloRefCall *call,
            const char  *id,
            gint64       iteration,
            GError     **error)
{
  const char *directory = probe_directory (call->frame->process->run);
  g_autofree char *index_path = g_build_filename (directory, "index.csv", NULL);
  g_autofree char *index = NULL, *path = NULL, *content = NULL;
  g_autoptr (GError) local_error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gsize length;

  if (g_file_get_contents (index_path, &index, NULL, &local_error))
    path = find_file (index, id, iteration);
  if (path == NULL || !g_file_get_contents (path, &content, &length, &local_error))
    {
      ghlo_ref_fail (call, error, "expected a recorded probe '%s', found %s", id,
                     local_error != NULL ? local_error->message : "none");
      return NULL;
    }
  bytes = g_bytes_new_take (g_steal_pointer (&content), length);

  return ghlo_npy_read (bytes, call->operands[0]->type, error);
}

static GhloValue *
recall_probe (GhloRefCall *call,
              const char  *id,
              gint64       iteration,
              GError     **error)
{
  GhloRefRun *run = call->frame->process->run;
  GhloValue *value = NULL;
  GPtrArray *values;

  if (probe_directory (run) != NULL)
    return read_probe (call, id, iteration, error);

  g_mutex_lock (&run->lock);
  values = g_hash_table_lookup (run->probes, id);
  if (values != NULL && iteration >= 0 && iteration < values->len)
    value = ghlo_value_ref (g_ptr_array_index (values, iteration));
  g_mutex_unlock (&run->lock);
  if (value == NULL)
    ghlo_ref_fail (call, error, "expected probe '%s' recorded %" G_GINT64_FORMAT " times, found it %u times", id,
                   iteration + 1, values != NULL ? values->len : 0);

  return value;
}

gboolean
ghlo_ref_expect_serialized_eq (GhloRefCall *call,
                               GError     **error)
{
  const char *id = ghlo_ir_op_get_string (call->op, "probe_id");
  gint64 iteration = ghlo_ir_op_get_int (call->op, "iteration", 0);
  g_autoptr (GhloValue) recorded = recall_probe (call, id != NULL ? id : "", iteration, error);

  return recorded != NULL && ghlo_ref_check_equal (call, recorded, call->operands[0], error);
}
