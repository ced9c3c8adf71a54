/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bytecode assembled by tests: strings, attributes and types in the order of their addition, then the IR section as
 * given. Dialect 0 is builtin, further dialects are added; operation names are numbered from 0.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A one-byte varint, and the two bytes of longer ones. */
#define V(n) ((guint8) ((n) << 1 | 1))
#define V2(n) (guint8) ((n) << 2 | 2), (guint8) ((n) >> 6)

typedef struct
{
  guint       version;
  const char *producer;
  GPtrArray  *strings;
  GPtrArray  *dialects;       /* names */
  GArray     *op_dialects;    /* guint, the dialect of each operation name */
  GPtrArray  *op_names;
  GPtrArray  *attrs, *types;  /* GBytes; the first bytes are the dialect and whether an encoding follows */
  GPtrArray  *properties;     /* GBytes */
  GByteArray *ir;
  GByteArray *resources, *resource_offsets;   /* NULL: none */
} BytecodeFile;

BytecodeFile *bytecode_file_new         (guint         version);
void          bytecode_file_free        (BytecodeFile *self);
guint         bytecode_file_string      (BytecodeFile *self, const char *text);
guint         bytecode_file_dialect     (BytecodeFile *self, const char *name);
guint         bytecode_file_op          (BytecodeFile *self, guint dialect, const char *name);
guint         bytecode_file_attr        (BytecodeFile *self, const guint8 *data, gsize size);
guint         bytecode_file_type        (BytecodeFile *self, const guint8 *data, gsize size);
guint         bytecode_file_foreign_attr (BytecodeFile *self, guint dialect, const guint8 *data, gsize size);
guint         bytecode_file_text_attr   (BytecodeFile *self, const char *text);
guint         bytecode_file_text_type   (BytecodeFile *self, const char *text);
guint         bytecode_file_properties  (BytecodeFile *self, const guint8 *data, gsize size);
void          bytecode_file_put_varint  (GByteArray   *bytes, guint64 value);
void          bytecode_file_put_section (GByteArray   *bytes, guint id, const guint8 *data, gsize size);
GBytes       *bytecode_file_finish      (BytecodeFile *self);

#define ADD_ATTR(self, ...) \
  bytecode_file_attr (self, (const guint8[]) { __VA_ARGS__ }, sizeof (guint8[]) { __VA_ARGS__ })
#define ADD_TYPE(self, ...) \
  bytecode_file_type (self, (const guint8[]) { __VA_ARGS__ }, sizeof (guint8[]) { __VA_ARGS__ })
#define ADD_PROPERTIES(self, ...) \
  bytecode_file_properties (self, (const guint8[]) { __VA_ARGS__ }, sizeof (guint8[]) { __VA_ARGS__ })
#define PUT(bytes, ...) \
  g_byte_array_append (bytes, (const guint8[]) { __VA_ARGS__ }, sizeof (guint8[]) { __VA_ARGS__ })

G_DEFINE_AUTOPTR_CLEANUP_FUNC (BytecodeFile, bytecode_file_free)

G_END_DECLS
