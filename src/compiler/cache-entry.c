/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Serializes programs after the passes: a GVariant with the key, the summary, the report, the constants that are the
 * source program's, and the artifact.
 */

#include "compiler/cache-entry.h"

#include <string.h>

#include "import/import.h"
#include "ir/verify/verify.h"
#include "passes/walk.h"
#include "compiler/cache-key.h"

/* Key; program, device; rounds, operations before and after, µs; for each pass its name, runs, changes, µs; for each
 * shared constant its index among the constants of this program and of the source; artifact. */
#define FORMAT "(sss(uttx)a(sutx)a(uu)ay)"

static GVariant *
write_passes (const GhloPassReport *report)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(sutx)"));
  for (guint pass = 0; pass < ghlo_passes_count (); pass++)
    {
      const GhloPassRecord *record = &report->records[pass];

      if (record->n_runs > 0)
        g_variant_builder_add (&builder, "(sutx)", ghlo_pass_get_name (pass), record->n_runs, record->n_changes,
                               record->microseconds);
    }

  return g_variant_builder_end (&builder);
}

/* Turns the constants of @module whose bytes are those of a large constant of @source into splats, and lists them. No
 * other thread may use @module. */
static GVariant *
write_references (GhloIrModule *module,
                  GPtrArray    *source)
{
  g_autoptr (GPtrArray) constants = ghlo_cache_key_constants (module);
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
  GVariantBuilder builder;

  for (guint i = source->len; i-- > 0;)
    {
      const GhloIrAttr *value = ghlo_cache_key_large_value (source->pdata[i]);

      if (value != NULL)
        g_hash_table_insert (places, value->dense.bytes, GUINT_TO_POINTER (i + 1));
    }

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(uu)"));
  for (guint i = 0; i < constants->len; i++)
    {
      const GhloIrAttr *value = ghlo_cache_key_large_value (constants->pdata[i]);
      guint place = value != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (places, value->dense.bytes)) : 0;

      if (place == 0)
        continue;
      g_variant_builder_add (&builder, "(uu)", i, place - 1);
      ghlo_cache_key_elide (module, constants->pdata[i]);
    }

  return g_variant_builder_end (&builder);
}

/* A valid UTF-8 string for GVariant; file names may be any bytes. */
static GVariant *
write_text (const char *text)
{
  return g_variant_new_take_string (g_utf8_make_valid (text != NULL ? text : "", -1));
}

GBytes *
ghlo_cache_entry_write (GhloIrModule         *source,
                        GhloIrModule         *made,
                        const GhloPassReport *report,
                        const char           *key,
                        const char           *device,
                        gboolean              keep_locations)
{
  g_autoptr (GhloIrModule) copy = ghlo_ir_module_copy (made);
  g_autoptr (GPtrArray) constants = ghlo_cache_key_constants (source);
  g_autoptr (GVariant) references = g_variant_ref_sink (write_references (copy, constants));
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) artifact = NULL;
  g_autoptr (GVariant) payload = NULL;

  artifact = ghlo_export_artifact (copy, GHLO_IR_VERSION_CURRENT,
                                   keep_locations ? GHLO_EXPORT_DEFAULT : GHLO_EXPORT_STRIP_LOCATIONS, NULL, &error);
  if (artifact == NULL)
    {
      g_debug ("%s is not stored in the cache: %s", made->file_name, error->message);
      return NULL;
    }
  payload = g_variant_ref_sink (g_variant_new ("(s@s@s(uttx)@a(sutx)@a(uu)@ay)", key, write_text (made->file_name),
                                               write_text (device), report->n_rounds, report->n_ops_before,
                                               report->n_ops_after, report->microseconds, write_passes (report),
                                               references,
                                               g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, artifact, TRUE)));

  return g_variant_get_data_as_bytes (payload);
}

/* NULL for bytes that are no entry. */
static GVariant *
open_payload (GBytes *bytes)
{
  g_autoptr (GVariant) payload = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (FORMAT), bytes, FALSE));

  return g_variant_is_normal_form (payload) ? g_steal_pointer (&payload) : NULL;
}

static gboolean
read_report (GVariant       *payload,
             GhloPassReport *report)
{
  g_autoptr (GVariant) passes = g_variant_get_child_value (payload, 4);
  GVariantIter iter;
  const char *name;
  GhloPassRecord record;

  g_variant_get_child (payload, 3, "(uttx)", &report->n_rounds, &report->n_ops_before, &report->n_ops_after,
                       &report->microseconds);
  g_variant_iter_init (&iter, passes);
  while (g_variant_iter_next (&iter, "(&sutx)", &name, &record.n_runs, &record.n_changes, &record.microseconds))
    {
      int pass = ghlo_pass_find (name);

      if (pass < 0)
        return FALSE;
      report->records[pass] = record;
    }

  return TRUE;
}

static GhloIrModule *
read_artifact (GVariant          *payload,
               const char        *name,
               const GhloMonitor *monitor)
{
  g_autoptr (GVariant) program = g_variant_get_child_value (payload, 6);
  g_autoptr (GBytes) bytes = g_variant_get_data_as_bytes (program);
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new (name, data != NULL ? data : "", size);
  g_autoptr (GhloIrModule) module = NULL;

  module = ghlo_import_bytecode (bytes, GHLO_IMPORT_DEFAULT, diagnostics, monitor, NULL);
  if (module == NULL || !ghlo_ir_verify (module, diagnostics, monitor))
    return NULL;

  return g_steal_pointer (&module);
}

/* Restores the elements of the constants that are the source's. */
static gboolean
read_references (GVariant     *payload,
                 GhloIrModule *module,
                 GhloIrModule *source)
{
  g_autoptr (GVariant) references = g_variant_get_child_value (payload, 5);
  g_autoptr (GPtrArray) constants = ghlo_cache_key_constants (module);
  g_autoptr (GPtrArray) from = ghlo_cache_key_constants (source);
  GVariantIter iter;
  guint32 to, place;

  g_variant_iter_init (&iter, references);
  while (g_variant_iter_next (&iter, "(uu)", &to, &place))
    {
      const GhloIrAttr *value = place < from->len ? ghlo_cache_key_large_value (from->pdata[place]) : NULL;

      if (value == NULL || to >= constants->len || !ghlo_cache_key_restore (module, constants->pdata[to], value))
        return FALSE;
    }

  return TRUE;
}

/* Whether the entry functions of both have the same type. */
static gboolean
same_entry (GhloIrModule *a,
            GhloIrModule *b)
{
  GhloIrOp *x = ghlo_ir_module_get_entry (a), *y = ghlo_ir_module_get_entry (b);
  const GhloIrAttr *of_x = x != NULL ? ghlo_ir_op_get (x, "function_type") : NULL;
  const GhloIrAttr *of_y = y != NULL ? ghlo_ir_op_get (y, "function_type") : NULL;
  g_autofree char *text_of_x = NULL, *text_of_y = NULL;

  if (of_x == NULL || of_y == NULL || of_x->type == NULL || of_y->type == NULL || ghlo_ir_func_get_body (y) == NULL)
    return FALSE;
  text_of_x = ghlo_ir_type_to_string (of_x->type);
  text_of_y = ghlo_ir_type_to_string (of_y->type);

  return strcmp (text_of_x, text_of_y) == 0;
}

/* Clears positions in the artifact, which mean nothing to users: errors give the program's name, or the locations
 * in it. */
static void
clear_positions (GhloIrModule *module)
{
  module->is_binary = FALSE;
  for (GhloIrOp *op = module->op; op != NULL; op = ghlo_pass_next_op (op, module->op))
    op->line = op->column = 0;
}

GhloIrModule *
ghlo_cache_entry_read (GBytes            *bytes,
                       GhloIrModule      *source,
                       const char        *key,
                       const GhloMonitor *monitor,
                       GhloPassReport    *report)
{
  g_autoptr (GVariant) payload = open_payload (bytes);
  g_autoptr (GhloIrModule) module = NULL;
  const char *found;

  if (payload == NULL)
    {
      g_debug ("a cache file is malformed and ignored");
      return NULL;
    }
  g_variant_get_child (payload, 0, "&s", &found);
  if (strcmp (found, key) != 0)
    {
      g_debug ("the cache entry for %s belongs to another program and is ignored", source->file_name);
      return NULL;
    }
  module = read_artifact (payload, source->file_name, monitor);
  if (module == NULL || !read_report (payload, report) || !read_references (payload, module, source)
      || !same_entry (source, module))
    {
      g_debug ("the cache entry for %s cannot be used and is ignored", source->file_name);
      return NULL;
    }
  clear_positions (module);

  return g_steal_pointer (&module);
}

gboolean
ghlo_cache_entry_summarize (GBytes                *bytes,
                            GhloCacheEntrySummary *summary)
{
  g_autoptr (GVariant) payload = open_payload (bytes);

  *summary = (GhloCacheEntrySummary) { 0 };
  if (payload == NULL)
    return FALSE;
  g_variant_get_child (payload, 1, "s", &summary->program);
  g_variant_get_child (payload, 2, "s", &summary->device);
  g_variant_get_child (payload, 3, "(uttx)", NULL, &summary->n_ops_before, &summary->n_ops_after,
                       &summary->microseconds);

  return TRUE;
}

void
ghlo_cache_entry_summary_clear (GhloCacheEntrySummary *summary)
{
  g_free (summary->program);
  g_free (summary->device);
}
