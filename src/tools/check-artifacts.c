/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo check --artifacts`: writes each program as a portable artifact of every
 * version of StableHLO that can represent it, and reads it back.
 */

#include "tools/check.h"

#include <stdio.h>
#include <string.h>

#include "base/ghlo-error.h"
#include "import/import.h"
#include "ir/print/print.h"
#include "ir/verify/verify.h"

/* The versions that changed the format, and the newest one. */
static const GhloIrVersion versions[GHLO_TOOL_N_VERSIONS] = {
  { 0, 9, 0 }, { 0, 10, 0 }, { 0, 11, 0 }, { 0, 12, 0 }, { 0, 13, 0 }, { 0, 14, 0 }, { 0, 15, 0 }, { 0, 16, 0 },
  { 0, 17, 0 }, { 0, 18, 0 }, { 0, 19, 0 }, { 0, 20, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 1, 2, 0 }, { 1, 3, 0 },
  { 1, 4, 0 }, { 1, 5, 0 }, { 1, 6, 0 }, { 1, 7, 0 }, { 1, 8, 0 }, { 1, 9, 0 }, { 1, 10, 0 }, { 1, 11, 0 },
  { 1, 12, 0 }, { 1, 13, 0 }, { 1, 14, 0 }, { 1, 15, 0 }, { 1, 16, 0 }, { 1, 17, 0 }, { 1, 18, 0 }, { 1, 19, 0 },
  { 1, 20, 0 },
};

gboolean
ghlo_tool_is_in_no_artifact (const GhloIrOp *op)
{
  const GhloIrOp *parent = ghlo_ir_op_get_parent (op);

  if (op->kind == GHLO_OP_UNREGISTERED || op->kind == GHLO_OP_BUILTIN_UNREALIZED_CONVERSION_CAST
      || (op->kind == GHLO_OP_STABLEHLO_RETURN && parent != NULL && parent->kind == GHLO_OP_FUNC_FUNC))
    return TRUE;
  for (guint i = 0; i < op->n_regions; i++)
    for (const GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (const GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
        if (ghlo_tool_is_in_no_artifact (inner))
          return TRUE;

  return FALSE;
}

/* Reads and verifies an artifact. NULL with @message set. */
static GhloIrModule *
read_back (GBytes  *artifact,
           char   **message)
{
  gsize size;
  const char *data = g_bytes_get_data (artifact, &size);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("<artifact>", data, size);
  g_autoptr (GhloIrModule) module = ghlo_import (artifact, GHLO_IMPORT_DEFAULT, diagnostics, NULL, NULL);

  if (module != NULL && ghlo_ir_verify (module, diagnostics, NULL))
    return g_steal_pointer (&module);
  *message = diagnostics->findings->len > 0
             ? ghlo_diagnostics_format (diagnostics, g_ptr_array_index (diagnostics->findings, 0))
             : g_strdup ("reading failed without a diagnostic");

  return NULL;
}

char *
ghlo_tool_difference (const char *a,
                      const char *b)
{
  const char *line_a = a, *line_b = b;

  for (; *a != '\0' && *a == *b; a++, b++)
    if (*a == '\n')
      line_a = a + 1, line_b = b + 1;

  return g_strdup_printf ("'%.*s' became '%.*s'", (int) MIN (strcspn (line_a, "\n"), 160), line_a,
                          (int) MIN (strcspn (line_b, "\n"), 160), line_b);
}

/* Whether an attribute may be a default: it consists of zeros, ones, first enum words and empty values only. */
static gboolean
is_trivial (const GhloIrAttr *attr)
{
  gint64 *values = NULL;
  gboolean trivial = TRUE;
  gsize n = 0;

  switch (attr->kind)
    {
    case GHLO_IR_ATTR_BOOL:
    case GHLO_IR_ATTR_INTEGER:
    case GHLO_IR_ATTR_ENUM:
      return attr->integer >= -1 && attr->integer <= 1;
    case GHLO_IR_ATTR_FLOAT:
      return attr->real == 0;
    case GHLO_IR_ATTR_STRING:
    case GHLO_IR_ATTR_DICTIONARY:
      return attr->length == 0;
    case GHLO_IR_ATTR_ARRAY:
    case GHLO_IR_ATTR_STRUCT:
      for (gsize i = 0; i < attr->length; i++)
        trivial &= attr->children[i] == NULL || is_trivial (attr->children[i]);
      return trivial;
    case GHLO_IR_ATTR_DENSE_ARRAY:
      for (gsize i = 0; i < attr->length; i++)
        trivial &= attr->integers[i] == attr->integers[0] && attr->integers[i] >= 0 && attr->integers[i] <= 1;
      return trivial;
    case GHLO_IR_ATTR_DENSE:
      trivial = ghlo_ir_dense_to_int64 (attr, &values, &n);
      for (gsize i = 0; i < n; i++)
        trivial &= values[i] == values[0] && values[i] >= 0 && values[i] <= 1;
      g_free (values);
      return trivial;
    default:
      return FALSE;
    }
}

static gboolean
is_channel (const GhloIrAttr *attr)
{
  return attr != NULL && attr->kind == GHLO_IR_ATTR_STRUCT && attr->subkind == GHLO_IR_STRUCT_CHANNEL_HANDLE;
}

/* Whether both are channels of the same number, whatever their types. */
static gboolean
is_same_channel (const GhloIrAttr *a,
                 const GhloIrAttr *b)
{
  return is_channel (a) && is_channel (b)
         && ghlo_ir_struct_get_int (a, "handle") == ghlo_ir_struct_get_int (b, "handle");
}

/* @typed says that artifacts represent the type of a channel, too. */
static gboolean
may_be_default (const GhloIrAttr *attr,
                gboolean          typed)
{
  if (!typed && is_channel (attr))
    return ghlo_ir_struct_get_int (attr, "handle") == 0;

  return is_trivial (attr);
}

static const GhloIrAttr *
copy_channel (GhloIrModule     *module,
              const GhloIrAttr *channel)
{
  const GhloIrAttr *fields[] = {
    ghlo_ir_attr_i64 (module, ghlo_ir_struct_get_int (channel, "handle")),
    ghlo_ir_attr_i64 (module, ghlo_ir_struct_get_int (channel, "type")),
  };

  return ghlo_ir_attr_struct (module, GHLO_IR_STRUCT_CHANNEL_HANDLE, fields);
}

static const GhloIrAttr *
copy_attribute (GhloIrModule     *module,
                const GhloIrAttr *attr)
{
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL);

  return ghlo_ir_attr_copy (module, attr, made);
}

/* Artifacts do not distinguish an omitted default from a written one, nor, except in send and recv, channels
 * that differ in type only. Makes @op equal to @found, the same operation read back, in these respects only. */
static void
drop_defaults (GhloIrModule   *module,
               GhloIrOp       *op,
               const GhloIrOp *found)
{
  gboolean typed = op->kind == GHLO_OP_STABLEHLO_SEND || op->kind == GHLO_OP_STABLEHLO_RECV;

  if (op->kind != found->kind || op->n_regions != found->n_regions)
    return;
  for (guint i = 0; i < ghlo_ir_op_get_spec (op)->n_attributes; i++)
    if (op->attributes[i] != NULL && found->attributes[i] == NULL && may_be_default (op->attributes[i], typed))
      op->attributes[i] = NULL;
    else if (op->attributes[i] == NULL && found->attributes[i] != NULL && may_be_default (found->attributes[i], typed))
      op->attributes[i] = copy_attribute (module, found->attributes[i]);
    else if (!typed && is_same_channel (op->attributes[i], found->attributes[i]))
      op->attributes[i] = copy_channel (module, found->attributes[i]);
  for (guint i = 0; i < op->n_regions; i++)
    {
      GhloIrBlock *block = op->regions[i].first;
      const GhloIrBlock *other = found->regions[i].first;

      for (; block != NULL && other != NULL; block = block->next, other = other->next)
        {
          GhloIrOp *inner = block->first;
          const GhloIrOp *other_inner = other->first;

          for (; inner != NULL && other_inner != NULL; inner = inner->next, other_inner = other_inner->next)
            drop_defaults (module, inner, other_inner);
        }
    }
}

/* Whether both modules are written as the same bytes. */
static gboolean
check_bytes (GhloIrModule   *a,
             GhloIrModule   *b,
             GhloIrVersion   version,
             char          **message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes_a = ghlo_export_artifact (a, version, GHLO_EXPORT_STRIP_LOCATIONS, NULL, &error);
  g_autoptr (GBytes) bytes_b = bytes_a != NULL ? ghlo_export_artifact (b, version, GHLO_EXPORT_STRIP_LOCATIONS,
                                                                       NULL, &error) : NULL;

  if (bytes_b != NULL && g_bytes_equal (bytes_a, bytes_b))
    return TRUE;
  *message = g_strdup_printf ("the artifact differs when it is written again%s%s", error != NULL ? ": " : "",
                              error != NULL ? error->message : "");

  return FALSE;
}

/* Whether @found equals @module, except for differences that artifacts do not represent. */
static gboolean
check_defaults (GhloIrModule   *module,
                GhloIrModule   *found,
                const char     *found_text,
                GhloIrVersion   version,
                char          **message)
{
  g_autoptr (GhloIrModule) expected = ghlo_ir_module_copy (module);
  g_autofree char *text = NULL;

  drop_defaults (expected, expected->op, found->op);
  text = ghlo_ir_to_string (expected, GHLO_IR_PRINT_STRIP_LOCATIONS);
  if (strcmp (text, found_text) != 0)
    {
      *message = ghlo_tool_difference (text, found_text);
      return FALSE;
    }

  return check_bytes (expected, found, version, message);
}

/* Most programs pass this fast check: both the texts and the artifacts are equal as they are. */
static gboolean
check_found (GhloIrModule   *module,
             const char     *text,
             GBytes         *artifact,
             GhloIrModule   *found,
             GhloIrVersion   version,
             char          **message)
{
  g_autofree char *found_text = ghlo_ir_to_string (found, GHLO_IR_PRINT_STRIP_LOCATIONS);
  g_autoptr (GBytes) again = NULL;

  if (strcmp (text, found_text) == 0)
    again = ghlo_export_artifact (found, version, GHLO_EXPORT_STRIP_LOCATIONS, NULL, NULL);
  if (again != NULL && g_bytes_equal (artifact, again))
    return TRUE;

  return check_defaults (module, found, found_text, version, message);
}

/* Like ghlo_tool_check_artifact (). @text is the text of @module without locations. */
static gboolean
check_version (GhloIrModule   *module,
               const char     *text,
               GhloIrVersion   version,
               gboolean       *held,
               char          **message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) artifact = ghlo_export_artifact (module, version, GHLO_EXPORT_STRIP_LOCATIONS, NULL, &error);
  g_autoptr (GhloIrModule) found = NULL;

  *held = artifact != NULL;
  if (artifact == NULL)
    {
      if (g_error_matches (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED))
        *message = g_strdup (error->message);
      else
        *message = g_strdup_printf ("writing failed, but not because the version lacks a feature: %s", error->message);
      return g_error_matches (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
    }
  found = read_back (artifact, message);

  return found != NULL && check_found (module, text, artifact, found, version, message);
}

gboolean
ghlo_tool_check_artifact (GhloIrModule  *module,
                          guint          index,
                          gboolean      *held,
                          char         **message)
{
  g_autofree char *text = ghlo_ir_to_string (module, GHLO_IR_PRINT_STRIP_LOCATIONS);

  return check_version (module, text, versions[index], held, message);
}

void
ghlo_tool_check_artifacts (GhloToolArtifacts *self,
                           GhloIrModule      *module,
                           GString           *failures)
{
  g_autofree char *text = ghlo_ir_to_string (module, GHLO_IR_PRINT_STRIP_LOCATIONS);

  for (guint i = 0; i < GHLO_TOOL_N_VERSIONS; i++)
    {
      g_autofree char *message = NULL;
      gboolean held, ok = check_version (module, text, versions[i], &held, &message);

      self->n_held[i] += held ? 1 : 0;
      self->n_refused[i] += held ? 0 : 1;
      /* The newest version must be able to represent every program. */
      if (!ok || (!held && i == GHLO_TOOL_N_VERSIONS - 1))
        g_string_append_printf (failures, "%sas an artifact of %u.%u.%u: %s", failures->len > 0 ? "\n" : "",
                                versions[i].major, versions[i].minor, versions[i].patch, message);
    }
}

void
ghlo_tool_print_artifacts (const GhloToolArtifacts *self)
{
  printf ("version   held  refused\n");
  for (guint i = 0; i < GHLO_TOOL_N_VERSIONS; i++)
    {
      g_autofree char *version = g_strdup_printf ("%u.%u.%u", versions[i].major, versions[i].minor,
                                                  versions[i].patch);

      printf ("%-7s  %5u    %5u\n", version, self->n_held[i], self->n_refused[i]);
    }
}
