/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes the sections of bytecode in MLIR's order (lib/Bytecode/Writer/BytecodeWriter.cpp), which determines the
 * order in which strings are numbered.
 */

#include "import/bytecode/writer.h"

#include <string.h>

static const char magic[] = { 'M', 'L', '\xef', 'R' };

/* Returns the end of the run of entries of one dialect that starts at @first. */
static guint
end_of_run (const GPtrArray *entries,
            guint            first)
{
  const GhloBytecodeEntry *start = entries->pdata[first], *entry;
  guint end = first + 1;

  for (; end < entries->len; end++)
    {
      entry = entries->pdata[end];
      if (entry->dialect != start->dialect)
        break;
    }

  return end;
}

typedef void (*EmitEntry) (GhloBytecodeWriter      *self,
                           const GhloBytecodeEntry *entry,
                           gpointer                 data);

/* For each run of entries of one dialect: the dialect's number,
 * the length of the run, and what @emit writes for each entry. */
static void
emit_runs (GhloBytecodeWriter  *self,
           const GPtrArray     *entries,
           GhloBytecodeEmitter *out,
           EmitEntry            emit,
           gpointer             data)
{
  for (guint first = 0, end; first < entries->len; first = end)
    {
      const GhloBytecodeEntry *start = entries->pdata[first];

      end = end_of_run (entries, first);
      ghlo_bytecode_emit_varint (out, start->dialect->number);
      ghlo_bytecode_emit_varint (out, end - first);
      for (guint i = first; i < end; i++)
        emit (self, entries->pdata[i], data);
    }
}

static void
emit_name (GhloBytecodeWriter      *self,
           const GhloBytecodeEntry *entry,
           gpointer                 data)
{
  const char *name = entry->item;
  guint32 number = ghlo_bytecode_span_number (self, &self->strings, name, strlen (name));

  if (self->version < GHLO_BYTECODE_HAS_PROPERTIES)
    ghlo_bytecode_emit_varint (data, number);
  else
    ghlo_bytecode_emit_flagged (data, number, TRUE);   /* the operation is registered */
}

static void
write_dialects (GhloBytecodeWriter  *self,
                GhloBytecodeEmitter *out)
{
  ghlo_bytecode_emit_varint (out, self->dialects->len);
  for (guint i = 0; i < self->dialects->len; i++)
    {
      const GhloBytecodeDialectEntry *dialect = self->dialects->pdata[i];
      guint32 number = ghlo_bytecode_span_number (self, &self->strings, dialect->name, strlen (dialect->name));

      if (self->version < GHLO_BYTECODE_HAS_DIALECT_VERSIONS)
        ghlo_bytecode_emit_varint (out, number);
      else
        ghlo_bytecode_emit_flagged (out, number, FALSE);   /* without a dialect version */
    }

  if (self->version >= GHLO_BYTECODE_LEAVES_OUT_UNKNOWN)
    ghlo_bytecode_emit_varint (out, self->names.entries->len);
  emit_runs (self, self->names.entries, out, emit_name, out);
}

static void
write_text (GhloBytecodeWriter *self,
            GString            *text)
{
  if (!self->numbering)
    ghlo_bytecode_emit_bytes (self->out, text->str, text->len + 1);
}

void
ghlo_bytecode_write_attr_entry (GhloBytecodeWriter      *self,
                                const GhloBytecodeEntry *entry)
{
  g_autoptr (GString) text = NULL;

  switch (entry->encoding)
    {
    case GHLO_BYTECODE_AS_VHLO_DICTIONARY:
      ghlo_bytecode_builtin_write_vhlo_dictionary (self, entry->item);
      break;
    case GHLO_BYTECODE_AS_LOCATION:
      ghlo_bytecode_builtin_write_location (self, entry->item);
      break;
    case GHLO_BYTECODE_AS_TEXT:
      text = g_string_new (NULL);
      ghlo_ir_attr_append (entry->item, text);
      write_text (self, text);
      break;
    default:
      ghlo_bytecode_codecs[entry->encoding]->write_attr (self, entry->item);
      break;
    }
}

void
ghlo_bytecode_write_type_entry (GhloBytecodeWriter      *self,
                                const GhloBytecodeEntry *entry)
{
  g_autoptr (GString) text = NULL;

  if (entry->encoding != GHLO_BYTECODE_AS_TEXT)
    {
      ghlo_bytecode_codecs[entry->encoding]->write_type (self, entry->item);
      return;
    }

  text = g_string_new (NULL);
  ghlo_ir_type_append (entry->item, text);
  write_text (self, text);
}

typedef struct
{
  GhloBytecodeEmitter *offsets;
  void               (*write) (GhloBytecodeWriter      *self,
                               const GhloBytecodeEntry *entry);
} EntryOutput;

/* Writes an entry's bytes, and their size with a flag that tells whether a dialect's encoding is used. */
static void
emit_entry (GhloBytecodeWriter      *self,
            const GhloBytecodeEntry *entry,
            gpointer                 data)
{
  const EntryOutput *output = data;
  gsize start = ghlo_bytecode_emitter_size (self->out);

  output->write (self, entry);
  ghlo_bytecode_emit_flagged (output->offsets, ghlo_bytecode_emitter_size (self->out) - start,
                              entry->encoding != GHLO_BYTECODE_AS_TEXT);
}

/* Writes attributes and types, preceded by the section with their sizes. */
static void
write_entries (GhloBytecodeWriter  *self,
               GhloBytecodeEmitter *file)
{
  GhloBytecodeEmitter offsets = { { 0 } }, content = { { 0 } };

  self->out = &content;
  ghlo_bytecode_emit_varint (&offsets, self->attrs.entries->len);
  ghlo_bytecode_emit_varint (&offsets, self->types.entries->len);
  emit_runs (self, self->attrs.entries, &offsets, emit_entry,
             &(EntryOutput) { &offsets, ghlo_bytecode_write_attr_entry });
  emit_runs (self, self->types.entries, &offsets, emit_entry,
             &(EntryOutput) { &offsets, ghlo_bytecode_write_type_entry });
  self->out = NULL;

  ghlo_bytecode_emit_section (file, GHLO_BYTECODE_SECTION_ATTRIBUTE_OFFSETS, &offsets);
  ghlo_bytecode_emit_section (file, GHLO_BYTECODE_SECTION_ATTRIBUTES, &content);
  ghlo_bytecode_emitter_clear (&offsets);
  ghlo_bytecode_emitter_clear (&content);
}

/* The sizes come last first and include each text's NUL. */
static void
write_strings (GhloBytecodeWriter  *self,
               GhloBytecodeEmitter *out)
{
  const GPtrArray *order = self->strings.order;

  ghlo_bytecode_emit_varint (out, order->len);
  for (guint i = order->len; i > 0; i--)
    {
      const GhloBytecodeSpan *string = order->pdata[i - 1];

      ghlo_bytecode_emit_varint (out, string->size + 1);
    }
  for (guint i = 0; i < order->len; i++)
    {
      const GhloBytecodeSpan *string = order->pdata[i];

      ghlo_bytecode_emit_bytes (out, string->data, string->size);
      ghlo_bytecode_emit_byte (out, 0);
    }
}

static void
write_properties (GhloBytecodeWriter  *self,
                  GhloBytecodeEmitter *out)
{
  const GPtrArray *order = self->properties.order;

  ghlo_bytecode_emit_varint (out, order->len);
  for (guint i = 0; i < order->len; i++)
    {
      const GhloBytecodeSpan *properties = order->pdata[i];

      ghlo_bytecode_emit_varint (out, properties->size);
      ghlo_bytecode_emit_bytes (out, properties->data, properties->size);
    }
}

/* Constants are part of their attributes, so there are no
 * resources. MLIR nevertheless writes the two sections for them. */
static void
write_resources (GhloBytecodeWriter  *self,
                 GhloBytecodeEmitter *out)
{
  ghlo_bytecode_emit_varint (out, 0);
}

static void
emit_section (GhloBytecodeWriter  *self,
              GhloBytecodeEmitter *file,
              GhloBytecodeSection  section,
              void               (*write) (GhloBytecodeWriter  *self,
                                           GhloBytecodeEmitter *out))
{
  GhloBytecodeEmitter content = { { 0 } };

  if (write != NULL)
    write (self, &content);
  ghlo_bytecode_emit_section (file, section, &content);
  ghlo_bytecode_emitter_clear (&content);
}

gboolean
ghlo_bytecode_write_file (GhloBytecodeWriter  *self,
                          GhloBytecodeEmitter *file)
{
  g_autofree char *producer = g_strdup_printf ("StableHLO_v%u.%u.%u", self->target.major, self->target.minor,
                                               self->target.patch);

  ghlo_bytecode_emit_bytes (file, magic, sizeof magic);
  ghlo_bytecode_emit_varint (file, self->version);
  ghlo_bytecode_emit_bytes (file, producer, strlen (producer) + 1);

  emit_section (self, file, GHLO_BYTECODE_SECTION_DIALECTS, write_dialects);
  write_entries (self, file);
  emit_section (self, file, GHLO_BYTECODE_SECTION_IR, ghlo_bytecode_write_module);
  emit_section (self, file, GHLO_BYTECODE_SECTION_RESOURCE_OFFSETS, write_resources);
  emit_section (self, file, GHLO_BYTECODE_SECTION_RESOURCES, NULL);
  emit_section (self, file, GHLO_BYTECODE_SECTION_STRINGS, write_strings);
  if (self->version >= GHLO_BYTECODE_HAS_PROPERTIES)
    emit_section (self, file, GHLO_BYTECODE_SECTION_PROPERTIES, write_properties);

  return ghlo_bytecode_writer_go_on (self);
}
