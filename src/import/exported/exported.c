/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of jax.export. Since 2026, the types of inputs and outputs are indices into a list of types; before that,
 * each type was stored by itself, and files of that time have both (JAX: jax/_src/export/serialization.py).
 * Shardings, effects and the function's derivative, which is a nested exported function, are ignored: the module is
 * all that is needed to run the program.
 */

#include "import/exported/exported.h"

#include <string.h>

#include "import/exported/tree.h"

/* Fields of Exported and of AbstractValue (serialization.fbs). */
enum
{
  FIELD_SERIALIZATION_VERSION,
  FIELD_FUNCTION_NAME,
  FIELD_IN_TREE,
  FIELD_IN_AVALS,
  FIELD_OUT_TREE,
  FIELD_OUT_AVALS,
  FIELD_NR_DEVICES_SHORT,
  FIELD_PLATFORMS = 9,
  FIELD_MODULE = 13,
  FIELD_CALLING_CONVENTION,
  FIELD_KEPT_INPUTS,
  FIELD_USES_GLOBAL_CONSTANTS,
  FIELD_NR_DEVICES = 18,
  FIELD_UNIQUE_AVALS,
  FIELD_IN_AVALS_INDICES = 22,
  FIELD_OUT_AVALS_INDICES,
};
enum { AVAL_KIND, AVAL_SHAPE, AVAL_DTYPE, AVAL_MEMORY_SPACE };

/* Newer versions of the file format have been written as version 3 so far. */
#define MAX_SERIALIZATION_VERSION 255

/* JAX's short names for element types, by their number in the file. */
static const char *const dtype_names[] = {
  "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16",
  "f32", "f64", "c64", "c128", "bf16", "i4", "u4", "f8_e4m3b11fnuz", "f8_e4m3fn", "f8_e4m3fnuz",
  "f8_e5m2", "f8_e5m2fnuz", "float0", "f8_e4m3", "f8_e3m4", "f8_e8m0fnu", "f4_e2m1fn",
  "key<fry>", "key<rbg>", "key<urbg>",
};

static const char *const memory_names[] = { "", "", "<host>", "<any>" };

/* A flatbuffer does not identify its schema, so the field list of the root table must look like that of an exported
 * function. Text cannot: its first four bytes would be an offset of more than 150 MB to no such table. */
gboolean
ghlo_exported_is (const guint8 *data,
                  gsize         size)
{
  static const guint needed[] = {
    FIELD_SERIALIZATION_VERSION, FIELD_FUNCTION_NAME, FIELD_IN_TREE, FIELD_OUT_TREE, FIELD_PLATFORMS, FIELD_MODULE,
    FIELD_CALLING_CONVENTION,
  };
  GhloFlatbuffer file;
  GhloFlatTable table;
  guint64 version;

  ghlo_flatbuffer_init (&file, data, size, "the exported function", NULL);
  if (!ghlo_flatbuffer_root (&file, &table)
      || !ghlo_flat_scalar (&file, &table, FIELD_SERIALIZATION_VERSION, 2, 0, &version)
      || version == 0 || version > MAX_SERIALIZATION_VERSION)
    return FALSE;
  for (guint i = 0; i < table.n_fields; i++)
    if (ghlo_flat_field (&file, &table, i) >= table.at + table.size)
      return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (needed); i++)
    if (ghlo_flat_field (&file, &table, needed[i]) == 0)
      return FALSE;

  return TRUE;
}

/* Appends a type such as "f32[b,4]". */
static gboolean
append_aval (GhloFlatbuffer      *file,
             const GhloFlatTable *aval,
             GString             *string)
{
  GhloFlatVector shape;
  guint64 dtype, memory;

  if (!ghlo_flat_scalar (file, aval, AVAL_DTYPE, 1, 0, &dtype)
      || !ghlo_flat_scalar (file, aval, AVAL_MEMORY_SPACE, 1, 0, &memory)
      || !ghlo_flat_vector (file, aval, AVAL_SHAPE, 4, &shape))
    return FALSE;
  if (dtype >= G_N_ELEMENTS (dtype_names))
    return ghlo_flatbuffer_fail (file, aval->at, "expected an element type below %" G_GSIZE_FORMAT ", found %"
                                 G_GUINT64_FORMAT, G_N_ELEMENTS (dtype_names), dtype);
  if (memory >= G_N_ELEMENTS (memory_names))
    return ghlo_flatbuffer_fail (file, aval->at, "expected a kind of memory below %" G_GSIZE_FORMAT ", found %"
                                 G_GUINT64_FORMAT, G_N_ELEMENTS (memory_names), memory);
  g_string_append_printf (string, "%s%s[", dtype_names[dtype], memory_names[memory]);
  for (gsize i = 0; i < shape.n; i++)
    {
      const char *text;
      gsize length;

      if (!ghlo_flat_string_at (file, &shape, i, &text, &length))
        return FALSE;
      if (i > 0)
        g_string_append_c (string, ',');
      g_string_append_len (string, text, length);
    }
  g_string_append_c (string, ']');

  return TRUE;
}

/* Finds the types of inputs or outputs. */
static gboolean
find_avals (GhloFlatbuffer      *file,
            const GhloFlatTable *table,
            guint                index_field,
            guint                field,
            GhloFlatVector      *indices,
            GhloFlatVector      *avals)
{
  if (!ghlo_flat_vector (file, table, index_field, 4, indices))
    return FALSE;

  return ghlo_flat_vector (file, table, indices->n > 0 ? FIELD_UNIQUE_AVALS : field, 4, avals);
}

static gboolean
read_types (GhloFlatbuffer      *file,
            const GhloFlatTable *table,
            guint                index_field,
            guint                field,
            char              ***types,
            gsize               *n)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  GhloFlatVector indices, avals;

  if (!find_avals (file, table, index_field, field, &indices, &avals))
    return FALSE;
  *n = indices.n > 0 ? indices.n : avals.n;
  for (gsize i = 0; i < *n; i++)
    {
      gsize number = indices.n > 0 ? ghlo_flat_element (file, &indices, 4, i) : i;
      g_autoptr (GString) string = g_string_new (NULL);
      GhloFlatTable aval;

      if (number >= avals.n)
        return ghlo_flatbuffer_fail (file, indices.at + 4 * i, "expected a type below %" G_GSIZE_FORMAT ", found %"
                                     G_GSIZE_FORMAT, avals.n, number);
      if (!ghlo_flat_table_at (file, &avals, number, &aval) || !append_aval (file, &aval, string))
        return FALSE;
      g_ptr_array_add (found, g_string_free (g_steal_pointer (&string), FALSE));
    }
  g_ptr_array_add (found, NULL);
  *types = (char **) g_ptr_array_free (g_steal_pointer (&found), FALSE);

  return TRUE;
}

/* @n is the number of types and must be the number of leaves. */
static gboolean
read_tree (GhloFlatbuffer      *file,
           const GhloFlatTable *table,
           guint                field,
           gsize                n,
           char              ***paths,
           char               **text)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) string = g_string_new (NULL);
  GhloFlatTable tree;

  if (!ghlo_flat_table (file, table, field, &tree)
      || !ghlo_exported_read_tree (file, &tree, field == FIELD_IN_TREE, found, string))
    return FALSE;
  if (found->len != n)
    return ghlo_flatbuffer_fail (file, tree.at, "expected a tree of %" G_GSIZE_FORMAT " leaves, one for each type, "
                                 "found %u", n, found->len);
  g_ptr_array_add (found, NULL);
  *paths = (char **) g_ptr_array_free (g_steal_pointer (&found), FALSE);
  *text = g_string_free (g_steal_pointer (&string), FALSE);

  return TRUE;
}

static gboolean
read_platforms (GhloFlatbuffer      *file,
                const GhloFlatTable *table,
                char              ***platforms)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  GhloFlatVector vector;

  if (!ghlo_flat_vector (file, table, FIELD_PLATFORMS, 4, &vector))
    return FALSE;
  for (gsize i = 0; i < vector.n; i++)
    {
      const char *text;
      gsize length;

      if (!ghlo_flat_string_at (file, &vector, i, &text, &length))
        return FALSE;
      g_ptr_array_add (found, g_strndup (text, length));
    }
  g_ptr_array_add (found, NULL);
  *platforms = (char **) g_ptr_array_free (g_steal_pointer (&found), FALSE);

  return TRUE;
}

static gboolean
read_kept_inputs (GhloFlatbuffer      *file,
                  const GhloFlatTable *table,
                  GhloExported        *self)
{
  GhloFlatVector vector;
  gint64 previous = -1;

  if (!ghlo_flat_vector (file, table, FIELD_KEPT_INPUTS, 2, &vector))
    return FALSE;
  self->kept_inputs = g_new (guint, vector.n);
  self->n_kept_inputs = vector.n;
  for (gsize i = 0; i < vector.n; i++)
    {
      gint64 number = ghlo_flat_element (file, &vector, 2, i);

      if (number <= previous || number >= self->n_inputs)
        return ghlo_flatbuffer_fail (file, vector.at + 2 * i, "expected numbers of inputs below %u in rising order, "
                                     "found %" G_GINT64_FORMAT, self->n_inputs, number);
      self->kept_inputs[i] = previous = number;
    }

  return TRUE;
}

static gboolean
read_numbers (GhloFlatbuffer      *file,
              const GhloFlatTable *table,
              GhloExported        *self)
{
  guint64 convention, devices_short, devices, constants;

  if (!ghlo_flat_scalar (file, table, FIELD_CALLING_CONVENTION, 2, 0, &convention)
      || !ghlo_flat_scalar (file, table, FIELD_NR_DEVICES_SHORT, 2, 0, &devices_short)
      || !ghlo_flat_scalar (file, table, FIELD_NR_DEVICES, 4, 0, &devices)
      || !ghlo_flat_scalar (file, table, FIELD_USES_GLOBAL_CONSTANTS, 1, 0, &constants))
    return FALSE;
  self->calling_convention = convention;
  self->n_devices = devices != 0 ? devices : devices_short;
  self->uses_global_constants = constants != 0;

  return TRUE;
}

static gboolean
read_module (GhloFlatbuffer      *file,
             const GhloFlatTable *table,
             GBytes              *bytes,
             GBytes             **module)
{
  GhloFlatVector vector;

  if (!ghlo_flat_vector (file, table, FIELD_MODULE, 1, &vector))
    return FALSE;
  if (vector.n == 0)
    return ghlo_flatbuffer_fail (file, table->at, "expected a module, found none");
  *module = g_bytes_new_from_bytes (bytes, vector.at, vector.n);

  return TRUE;
}

static gboolean
read_exported (GhloFlatbuffer      *file,
               const GhloFlatTable *table,
               GhloExported        *self)
{
  const char *name;
  gsize length, n_inputs, n_outputs;

  if (!read_numbers (file, table, self)
      || !ghlo_flat_string (file, table, FIELD_FUNCTION_NAME, &name, &length)
      || !read_platforms (file, table, &self->platforms)
      || !read_types (file, table, FIELD_IN_AVALS_INDICES, FIELD_IN_AVALS, &self->input_types, &n_inputs)
      || !read_types (file, table, FIELD_OUT_AVALS_INDICES, FIELD_OUT_AVALS, &self->output_types, &n_outputs)
      || !read_tree (file, table, FIELD_IN_TREE, n_inputs, &self->input_paths, &self->input_tree)
      || !read_tree (file, table, FIELD_OUT_TREE, n_outputs, &self->output_paths, &self->output_tree))
    return FALSE;
  self->function_name = g_strndup (name != NULL ? name : "", length);
  self->n_inputs = n_inputs;

  return read_kept_inputs (file, table, self);
}

GhloExported *
ghlo_exported_read (GBytes          *bytes,
                    GBytes         **module,
                    GhloDiagnostics *diagnostics)
{
  g_autoptr (GhloExported) self = g_new0 (GhloExported, 1);
  GhloFlatbuffer file;
  GhloFlatTable table;
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  *module = NULL;
  ghlo_flatbuffer_init (&file, data, size, "the exported function", diagnostics);
  if (!ghlo_flatbuffer_root (&file, &table)
      || !read_exported (&file, &table, self)
      || !read_module (&file, &table, bytes, module))
    return NULL;

  return g_steal_pointer (&self);
}

void
ghlo_exported_free (GhloExported *self)
{
  g_free (self->function_name);
  g_strfreev (self->platforms);
  g_free (self->kept_inputs);
  g_strfreev (self->input_paths);
  g_strfreev (self->output_paths);
  g_strfreev (self->input_types);
  g_strfreev (self->output_types);
  g_free (self->input_tree);
  g_free (self->output_tree);
  g_free (self);
}
