/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Assembles a bytecode file.
 */

#include "bytecode-file.h"

#include <string.h>

enum { NATIVE_PROPERTIES = 5, OP_COUNTS = 4, DIALECT_VERSIONS = 1 };

static void
bytes_free (gpointer data)
{
  g_bytes_unref (data);
}

BytecodeFile *
bytecode_file_new (guint version)
{
  BytecodeFile *self = g_new0 (BytecodeFile, 1);

  self->version = version;
  self->producer = "test";
  self->strings = g_ptr_array_new_with_free_func (g_free);
  self->dialects = g_ptr_array_new_with_free_func (g_free);
  self->op_dialects = g_array_new (FALSE, FALSE, sizeof (guint));
  self->op_names = g_ptr_array_new_with_free_func (g_free);
  self->attrs = g_ptr_array_new_with_free_func (bytes_free);
  self->types = g_ptr_array_new_with_free_func (bytes_free);
  self->properties = g_ptr_array_new_with_free_func (bytes_free);
  self->ir = g_byte_array_new ();
  bytecode_file_dialect (self, "builtin");

  return self;
}

void
bytecode_file_free (BytecodeFile *self)
{
  g_ptr_array_unref (self->strings);
  g_ptr_array_unref (self->dialects);
  g_array_unref (self->op_dialects);
  g_ptr_array_unref (self->op_names);
  g_ptr_array_unref (self->attrs);
  g_ptr_array_unref (self->types);
  g_ptr_array_unref (self->properties);
  g_byte_array_unref (self->ir);
  g_clear_pointer (&self->resources, g_byte_array_unref);
  g_clear_pointer (&self->resource_offsets, g_byte_array_unref);
  g_free (self);
}

guint
bytecode_file_string (BytecodeFile *self,
                      const char   *text)
{
  for (guint i = 0; i < self->strings->len; i++)
    if (strcmp (self->strings->pdata[i], text) == 0)
      return i;
  g_ptr_array_add (self->strings, g_strdup (text));

  return self->strings->len - 1;
}

guint
bytecode_file_dialect (BytecodeFile *self,
                       const char   *name)
{
  bytecode_file_string (self, name);
  g_ptr_array_add (self->dialects, g_strdup (name));

  return self->dialects->len - 1;
}

guint
bytecode_file_op (BytecodeFile *self,
                  guint         dialect,
                  const char   *name)
{
  bytecode_file_string (self, name);
  g_array_append_val (self->op_dialects, dialect);
  g_ptr_array_add (self->op_names, g_strdup (name));

  return self->op_names->len - 1;
}

static guint
add_entry (GPtrArray    *entries,
           guint         dialect,
           gboolean      has_codec,
           const guint8 *data,
           gsize         size)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  PUT (bytes, (guint8) dialect, (guint8) has_codec);
  g_byte_array_append (bytes, data, size);
  g_ptr_array_add (entries, g_byte_array_free_to_bytes (g_steal_pointer (&bytes)));

  return entries->len - 1;
}

guint
bytecode_file_attr (BytecodeFile *self,
                    const guint8 *data,
                    gsize         size)
{
  return add_entry (self->attrs, 0, TRUE, data, size);
}

guint
bytecode_file_type (BytecodeFile *self,
                    const guint8 *data,
                    gsize         size)
{
  return add_entry (self->types, 0, TRUE, data, size);
}

guint
bytecode_file_foreign_attr (BytecodeFile *self,
                            guint         dialect,
                            const guint8 *data,
                            gsize         size)
{
  return add_entry (self->attrs, dialect, TRUE, data, size);
}

guint
bytecode_file_text_attr (BytecodeFile *self,
                         const char   *text)
{
  return add_entry (self->attrs, 0, FALSE, (const guint8 *) text, strlen (text) + 1);
}

guint
bytecode_file_text_type (BytecodeFile *self,
                         const char   *text)
{
  return add_entry (self->types, 0, FALSE, (const guint8 *) text, strlen (text) + 1);
}

guint
bytecode_file_properties (BytecodeFile *self,
                          const guint8 *data,
                          gsize         size)
{
  g_ptr_array_add (self->properties, g_bytes_new (data, size));

  return self->properties->len - 1;
}

void
bytecode_file_put_varint (GByteArray *bytes,
                          guint64     value)
{
  guint n = 1;

  while (n < 9 && value >> (7 * n) != 0)
    n++;
  if (n == 9)
    {
      PUT (bytes, 0);
      for (guint i = 0; i < 8; i++)
        PUT (bytes, (guint8) (value >> (8 * i)));
      return;
    }
  value = value << n | (guint64) 1 << (n - 1);
  for (guint i = 0; i < n; i++)
    PUT (bytes, (guint8) (value >> (8 * i)));
}

void
bytecode_file_put_section (GByteArray   *bytes,
                           guint         id,
                           const guint8 *data,
                           gsize         size)
{
  PUT (bytes, (guint8) id);
  bytecode_file_put_varint (bytes, size);
  g_byte_array_append (bytes, data, size);
}

static void
put (GByteArray *file,
     guint       id,
     GByteArray *data)
{
  bytecode_file_put_section (file, id, data->data, data->len);
  g_byte_array_unref (data);
}

static GByteArray *
make_strings (const BytecodeFile *self)
{
  GByteArray *bytes = g_byte_array_new ();

  bytecode_file_put_varint (bytes, self->strings->len);
  for (guint i = self->strings->len; i > 0; i--)
    bytecode_file_put_varint (bytes, strlen (self->strings->pdata[i - 1]) + 1);
  for (guint i = 0; i < self->strings->len; i++)
    g_byte_array_append (bytes, self->strings->pdata[i], strlen (self->strings->pdata[i]) + 1);

  return bytes;
}

static GByteArray *
make_dialects (BytecodeFile *self)
{
  GByteArray *bytes = g_byte_array_new ();

  bytecode_file_put_varint (bytes, self->dialects->len);
  for (guint i = 0; i < self->dialects->len; i++)
    {
      guint name = bytecode_file_string (self, self->dialects->pdata[i]);

      bytecode_file_put_varint (bytes, self->version >= DIALECT_VERSIONS ? name << 1 : name);
    }
  if (self->version >= OP_COUNTS)
    bytecode_file_put_varint (bytes, self->op_names->len);
  for (guint i = 0; i < self->op_names->len; i++)
    {
      guint name = bytecode_file_string (self, self->op_names->pdata[i]);

      bytecode_file_put_varint (bytes, g_array_index (self->op_dialects, guint, i));
      bytecode_file_put_varint (bytes, 1);
      bytecode_file_put_varint (bytes, self->version >= NATIVE_PROPERTIES ? name << 1 | 1 : name);
    }

  return bytes;
}

/* Writes each entry in a group of its own. */
static void
put_entries (GByteArray *offsets,
             GByteArray *data,
             GPtrArray  *entries)
{
  for (guint i = 0; i < entries->len; i++)
    {
      gsize size;
      const guint8 *bytes = g_bytes_get_data (entries->pdata[i], &size);

      bytecode_file_put_varint (offsets, bytes[0]);
      bytecode_file_put_varint (offsets, 1);
      bytecode_file_put_varint (offsets, (size - 2) << 1 | bytes[1]);
      g_byte_array_append (data, bytes + 2, size - 2);
    }
}

static GByteArray *
make_properties (const BytecodeFile *self)
{
  GByteArray *bytes = g_byte_array_new ();

  bytecode_file_put_varint (bytes, self->properties->len);
  for (guint i = 0; i < self->properties->len; i++)
    {
      gsize size;
      const guint8 *data = g_bytes_get_data (self->properties->pdata[i], &size);

      bytecode_file_put_varint (bytes, size);
      g_byte_array_append (bytes, data, size);
    }

  return bytes;
}

GBytes *
bytecode_file_finish (BytecodeFile *self)
{
  GByteArray *file = g_byte_array_new (), *offsets = g_byte_array_new (), *data = g_byte_array_new ();

  PUT (file, 'M', 'L', 0xef, 'R');
  bytecode_file_put_varint (file, self->version);
  g_byte_array_append (file, (const guint8 *) self->producer, strlen (self->producer) + 1);
  put (file, 1, make_dialects (self));
  bytecode_file_put_varint (offsets, self->attrs->len);
  bytecode_file_put_varint (offsets, self->types->len);
  put_entries (offsets, data, self->attrs);
  put_entries (offsets, data, self->types);
  put (file, 3, offsets);
  put (file, 2, data);
  put (file, 4, g_byte_array_ref (self->ir));
  if (self->resource_offsets != NULL)
    put (file, 6, g_byte_array_ref (self->resource_offsets));
  if (self->resources != NULL)
    put (file, 5, g_byte_array_ref (self->resources));
  put (file, 0, make_strings (self));
  if (self->version >= NATIVE_PROPERTIES)
    put (file, 8, make_properties (self));

  return g_byte_array_free_to_bytes (file);
}
