/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The writer's interface for codecs, and its lifetime.
 */

#include "import/bytecode/writer.h"

#include <string.h>

#include "base/hash.h"

void
ghlo_bytecode_write_byte (GhloBytecodeWriter *writer,
                          guint8              value)
{
  if (!writer->numbering)
    ghlo_bytecode_emit_byte (writer->out, value);
}

void
ghlo_bytecode_write_varint (GhloBytecodeWriter *writer,
                            guint64             value)
{
  if (!writer->numbering)
    ghlo_bytecode_emit_varint (writer->out, value);
}

void
ghlo_bytecode_write_signed (GhloBytecodeWriter *writer,
                            gint64              value)
{
  if (!writer->numbering)
    ghlo_bytecode_emit_signed (writer->out, value);
}

void
ghlo_bytecode_write_string (GhloBytecodeWriter *writer,
                            const char         *text,
                            gssize              length)
{
  if (!writer->numbering)
    ghlo_bytecode_emit_varint (writer->out,
                               ghlo_bytecode_span_number (writer, &writer->strings, text,
                                                          length < 0 ? strlen (text) : (gsize) length));
}

void
ghlo_bytecode_write_blob (GhloBytecodeWriter *writer,
                          gconstpointer       data,
                          gsize               size)
{
  if (writer->numbering)
    return;

  ghlo_bytecode_emit_varint (writer->out, size);
  ghlo_bytecode_emit_segment (writer->out, data, size);
}

void
ghlo_bytecode_write_attr (GhloBytecodeWriter  *writer,
                          GhloBytecodeDialect  dialect,
                          const GhloIrAttr    *attr)
{
  const GhloBytecodeEntry *entry = ghlo_bytecode_attr_entry (writer, dialect, attr);

  ghlo_bytecode_write_varint (writer, entry->number);
}

void
ghlo_bytecode_write_optional_attr (GhloBytecodeWriter  *writer,
                                   GhloBytecodeDialect  dialect,
                                   const GhloIrAttr    *attr)
{
  const GhloBytecodeEntry *entry = attr != NULL ? ghlo_bytecode_attr_entry (writer, dialect, attr) : NULL;

  ghlo_bytecode_write_varint (writer, entry != NULL ? (guint64) entry->number << 1 | 1 : 0);
}

void
ghlo_bytecode_write_type (GhloBytecodeWriter  *writer,
                          GhloBytecodeDialect  dialect,
                          const GhloIrType    *type)
{
  const GhloBytecodeEntry *entry = ghlo_bytecode_type_entry (writer, dialect, type);

  ghlo_bytecode_write_varint (writer, entry->number);
}

gpointer
ghlo_bytecode_writer_alloc (GhloBytecodeWriter *writer,
                            gsize               size)
{
  return ghlo_ir_arena_alloc (&writer->arena, size);
}

guint
ghlo_bytecode_writer_version (GhloBytecodeWriter *writer)
{
  return writer->version;
}

GhloIrVersion
ghlo_bytecode_writer_target (GhloBytecodeWriter *writer)
{
  return writer->target;
}

GhloIrModule *
ghlo_bytecode_writer_module (GhloBytecodeWriter *writer)
{
  return writer->module;
}

gboolean
(ghlo_bytecode_refuse) (GhloBytecodeWriter *writer,
                        GhloError           code,
                        const char         *format,
                        ...)
{
  va_list arguments;

  if (writer->error != NULL)
    return FALSE;

  va_start (arguments, format);
  writer->error = g_error_new_valist (GHLO_ERROR, code, format, arguments);
  va_end (arguments);

  return FALSE;
}

gboolean
ghlo_bytecode_writer_go_on (GhloBytecodeWriter *self)
{
  return self->error == NULL && !ghlo_monitor_cancelled (self->monitor, &self->error);
}

const GhloIrAttr *
ghlo_bytecode_text_attr (GhloBytecodeWriter *self,
                         const char         *text)
{
  const GhloIrAttr *attr = g_hash_table_lookup (self->texts, text);

  if (attr == NULL)
    {
      attr = ghlo_ir_attr_string (self->module, text, -1);
      g_hash_table_insert (self->texts, (gpointer) text, (gpointer) attr);
    }

  return attr;
}

static gboolean
span_equal (gconstpointer item,
            gconstpointer key)
{
  const GhloBytecodeSpan *a = item, *b = key;

  return a->size == b->size && memcmp (a->data, b->data, a->size) == 0;
}

guint32
ghlo_bytecode_span_number (GhloBytecodeWriter *self,
                           GhloBytecodeSpans  *spans,
                           gconstpointer       data,
                           gsize               size)
{
  guint32 hash = (guint32) ghlo_hash_bytes (data, size);
  GhloBytecodeSpan key = { .data = data, .size = size };
  GhloBytecodeSpan *span = ghlo_ir_intern_find (&spans->table, hash, span_equal, &key);

  if (span != NULL)
    return span->number;

  span = ghlo_ir_arena_alloc (&self->arena, sizeof *span);
  span->data = size > 0 ? ghlo_ir_arena_copy (&self->arena, data, size) : "";
  span->size = size;
  span->number = spans->order->len;
  ghlo_ir_intern_add (&spans->table, hash, span);
  g_ptr_array_add (spans->order, span);

  return span->number;
}

static void
free_emitter (gpointer emitter)
{
  ghlo_bytecode_emitter_clear (emitter);
  g_free (emitter);
}

static GhloBytecodeTable
new_table (void)
{
  return (GhloBytecodeTable) {
    .by_key = g_hash_table_new (NULL, NULL),
    .entries = g_ptr_array_new (),
  };
}

static void
free_table (GhloBytecodeTable *table)
{
  g_hash_table_unref (table->by_key);
  g_ptr_array_unref (table->entries);
}

static void
writer_init (GhloBytecodeWriter *self)
{
  self->casts = g_hash_table_new (NULL, NULL);
  self->block_casts = g_hash_table_new (NULL, NULL);
  self->dialects = g_ptr_array_new ();
  self->dialects_by_name = g_hash_table_new (NULL, NULL);
  self->attrs = new_table ();
  self->types = new_table ();
  self->names = new_table ();
  self->texts = g_hash_table_new (NULL, NULL);
  self->canonical = g_hash_table_new (NULL, NULL);
  self->unknown = ghlo_ir_location_unknown (self->module);
  self->strings.order = g_ptr_array_new ();
  self->properties.order = g_ptr_array_new ();
  self->nested = g_ptr_array_new_with_free_func (free_emitter);
}

static void
writer_clear (GhloBytecodeWriter *self)
{
  GHLO_IMPORT_CLEAR (&self->plans);
  g_hash_table_unref (self->casts);
  g_hash_table_unref (self->block_casts);
  g_ptr_array_unref (self->dialects);
  g_hash_table_unref (self->dialects_by_name);
  free_table (&self->attrs);
  free_table (&self->types);
  free_table (&self->names);
  g_hash_table_unref (self->texts);
  g_hash_table_unref (self->canonical);
  ghlo_ir_intern_clear (&self->strings.table);
  g_ptr_array_unref (self->strings.order);
  ghlo_ir_intern_clear (&self->properties.table);
  g_ptr_array_unref (self->properties.order);
  ghlo_bytecode_emitter_clear (&self->property);
  g_ptr_array_unref (self->nested);
  g_clear_pointer (&self->use_order, ghlo_bytecode_order_free);
  ghlo_ir_arena_clear (&self->arena);
}

/* Returns the container version for a version of the format. */
static guint
container_version (GhloIrVersion target)
{
  static const struct { GhloIrVersion below; guint version; } versions[] = {
    { { 0, 10, 0 }, 0 },
    { { 0, 12, 0 }, 1 },
    { { 0, 14, 0 }, 3 },
    { { 0, 15, 0 }, 4 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (versions); i++)
    if (ghlo_ir_version_compare (target, versions[i].below) < 0)
      return versions[i].version;

  return 6;
}

GBytes *
ghlo_export_artifact (GhloIrModule      *module,
                      GhloIrVersion      target,
                      GhloExportFlags    flags,
                      const GhloMonitor *monitor,
                      GError           **error)
{
  GhloBytecodeWriter self = {
    .module = module, .target = target, .flags = flags, .monitor = monitor, .version = container_version (target),
  };
  GhloBytecodeEmitter file = { { 0 } };
  GBytes *bytes = NULL;

  if (ghlo_ir_version_compare (target, GHLO_IR_VERSION_OLDEST) < 0
      || ghlo_ir_version_compare (target, GHLO_IR_VERSION_CURRENT) > 0)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "expected a version from %u.%u.%u to %u.%u.%u, found %u.%u.%u",
                   GHLO_IR_VERSION_OLDEST.major, GHLO_IR_VERSION_OLDEST.minor, GHLO_IR_VERSION_OLDEST.patch,
                   GHLO_IR_VERSION_CURRENT.major, GHLO_IR_VERSION_CURRENT.minor, GHLO_IR_VERSION_CURRENT.patch,
                   target.major, target.minor, target.patch);
      return NULL;
    }

  writer_init (&self);
  if (ghlo_bytecode_plan (&self) && ghlo_bytecode_number (&self) && ghlo_bytecode_write_file (&self, &file))
    {
      bytes = ghlo_bytecode_emitter_join (&file);
      if (bytes == NULL)
        ghlo_bytecode_refuse (&self, GHLO_ERROR_OUT_OF_MEMORY, "expected memory for an artifact of %" G_GSIZE_FORMAT
                              " bytes, found less", ghlo_bytecode_emitter_size (&file));
    }
  ghlo_bytecode_emitter_clear (&file);
  writer_clear (&self);
  if (bytes == NULL)
    g_propagate_error (error, self.error);

  return bytes;
}
