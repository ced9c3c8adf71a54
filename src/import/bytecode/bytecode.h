/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MLIR bytecode between the container (sections, numbering, operations), which
 * knows no dialect, and the dialects' encodings of attributes and types, which
 * know nothing of the container (MLIR: docs/BytecodeFormat.md).
 *
 * There is one representation inside, the IR's: an attribute or type of VHLO, of
 * the builtin dialect or of StableHLO is a GhloIrAttr or GhloIrType, and a codec
 * is a pair of functions from and to bytes. A codec that writes is called twice
 * for each thing, once to number what it refers to and once to write it; it sees
 * no difference.
 */

#pragma once

#include "base/fail.h"
#include "import/import.h"

G_BEGIN_DECLS

/* Whose encoding an attribute or a type is written in. */
typedef enum
{
  GHLO_BYTECODE_BUILTIN,
  GHLO_BYTECODE_VHLO,
  GHLO_BYTECODE_STABLEHLO,
  GHLO_BYTECODE_CHLO,
  GHLO_BYTECODE_SDY,
  GHLO_BYTECODE_N_DIALECTS
} GhloBytecodeDialect;

typedef struct _GhloBytecodeReader GhloBytecodeReader;
typedef struct _GhloBytecodeWriter GhloBytecodeWriter;

/* A stretch of the file that is being read. Each function that reads moves @at;
 * one that cannot adds one finding, with section and byte offset, and gives FALSE. */
typedef struct
{
  GhloBytecodeReader *reader;
  const guint8       *at, *end;
  const char         *section;      /* "the IR section", for messages */
} GhloByteCursor;

GhloIrModule *ghlo_bytecode_module        (GhloByteCursor *cursor);
/* The version of the container, 0 to 6. */
guint         ghlo_bytecode_version       (GhloByteCursor *cursor);
/* Of a portable artifact its version; 0.0.0 for other bytecode. */
GhloIrVersion ghlo_bytecode_artifact_version (GhloByteCursor *cursor);

gboolean ghlo_bytecode_read_byte          (GhloByteCursor *cursor, guint8 *value);
gboolean ghlo_bytecode_read_varint        (GhloByteCursor *cursor, guint64 *value);
gboolean ghlo_bytecode_read_signed        (GhloByteCursor *cursor, gint64 *value);
/* Reads a count of items that follow, each of at least @size bytes. A count that exceeds
 * the bytes left is refused before anything is allocated. */
gboolean ghlo_bytecode_read_count         (GhloByteCursor *cursor, gsize size, gsize *n);
/* The text is interned in the module and NUL-terminated; it may hold NULs. */
gboolean ghlo_bytecode_read_string        (GhloByteCursor *cursor, const char **text, gsize *length);
/* A varint length and bytes, as a slice of the file without a copy, at any
 * alignment. The caller owns the reference. */
gboolean ghlo_bytecode_read_blob          (GhloByteCursor *cursor, GBytes **bytes);
gboolean ghlo_bytecode_read_attr          (GhloByteCursor *cursor, const GhloIrAttr **attr);
/* NULL when there is none: 0, or number << 1 | 1. */
gboolean ghlo_bytecode_read_optional_attr (GhloByteCursor *cursor, const GhloIrAttr **attr);
gboolean ghlo_bytecode_read_type          (GhloByteCursor *cursor, const GhloIrType **type);
/* An attribute that must be of one kind. */
gboolean ghlo_bytecode_read_attr_of       (GhloByteCursor *cursor, GhloIrAttrKind kind, const GhloIrAttr **attr);
/* "an array", for messages. */
const char *ghlo_bytecode_kind_name       (GhloIrAttrKind kind);
/* Encodings that the builtin dialect and VHLO share (plain.c). A name is a string
 * without zero bytes. */
gboolean ghlo_bytecode_read_name          (GhloByteCursor *cursor, const char **name);
gboolean ghlo_bytecode_read_array         (GhloByteCursor *cursor, const GhloIrAttr **attr);
gboolean ghlo_bytecode_read_dictionary    (GhloByteCursor *cursor, const GhloIrAttr **attr);
gboolean ghlo_bytecode_read_string_attr   (GhloByteCursor *cursor, const GhloIrAttr **attr);
gboolean ghlo_bytecode_read_type_attr     (GhloByteCursor *cursor, const GhloIrAttr **attr);
/* Whether a STRUCT that was read here is right by itself. */
gboolean ghlo_bytecode_check_struct       (GhloByteCursor *cursor, const GhloIrAttr *attr);
/* The constant of type @tensor in a resource, whose handle (a varint) follows. */
gboolean ghlo_bytecode_read_resource      (GhloByteCursor *cursor, const GhloIrType *tensor, const GhloIrAttr **attr);
/* A DENSE attribute of @blob, elements as MLIR packs them, little-endian: one to a
 * byte at least, booleans eight to a byte, or one element for all. A blob of
 * read_blob stays a slice of the file where it is in buffer layout. Takes @blob
 * over; NULL after a finding, as when @blob is NULL (a resource without data).
 * @resource is its key, else NULL. */
const GhloIrAttr *ghlo_bytecode_dense     (GhloByteCursor *cursor, const GhloIrType *tensor,
                                           GBytes *blob, const char *resource);
/* The bits of an integer or a float of @width up to 64: a byte up to 8 of them, else
 * a signed varint. */
gboolean ghlo_bytecode_read_bits          (GhloByteCursor *cursor, guint width, guint64 *bits);
/* A count and dimensions, GHLO_DYNAMIC where dynamic; room for GHLO_MAX_RANK. */
gboolean ghlo_bytecode_read_shape         (GhloByteCursor *cursor, gint64 *dimensions, gsize *rank);
/* A type that tensors can have as elements. */
gboolean ghlo_bytecode_read_element       (GhloByteCursor *cursor, const GhloIrType **element);
/* A shape and an element type; an encoding, which may be bounds, before them when
 * @is_encoded. */
gboolean ghlo_bytecode_read_tensor        (GhloByteCursor *cursor, gboolean is_encoded, const GhloIrType **type);
gboolean ghlo_bytecode_read_plain_tensor  (GhloByteCursor *cursor, const GhloIrType **type);
gboolean ghlo_bytecode_read_encoded_tensor (GhloByteCursor *cursor, const GhloIrType **type);
gboolean ghlo_bytecode_read_unranked_tensor (GhloByteCursor *cursor, const GhloIrType **type);
/* A count and the members' types. */
gboolean ghlo_bytecode_read_tuple         (GhloByteCursor *cursor, const GhloIrType **type);
/* A count and types, onto the end of @types. */
gboolean ghlo_bytecode_read_types         (GhloByteCursor *cursor, GPtrArray *types);
/* Adds a finding at the cursor's offset; gives FALSE. */
gboolean ghlo_bytecode_fail               (GhloByteCursor *cursor, GhloError code, const char *format, ...)
                                           G_GNUC_PRINTF (3, 4);
#define ghlo_bytecode_fail(...) GHLO_FALSE_AFTER (ghlo_bytecode_fail (__VA_ARGS__))

void ghlo_bytecode_write_byte             (GhloBytecodeWriter *writer, guint8 value);
void ghlo_bytecode_write_varint           (GhloBytecodeWriter *writer, guint64 value);
void ghlo_bytecode_write_signed           (GhloBytecodeWriter *writer, gint64 value);
/* As ghlo_bytecode_read_bits () reads them; bits beyond @width are left out. */
void ghlo_bytecode_write_bits             (GhloBytecodeWriter *writer, guint width, guint64 bits);
void ghlo_bytecode_write_string           (GhloBytecodeWriter *writer, const char *text, gssize length);
/* Length and bytes; the bytes must live until the writer is done. */
void ghlo_bytecode_write_blob             (GhloBytecodeWriter *writer, gconstpointer data, gsize size);
/* The elements of a DENSE as a blob, packed as MLIR packs them. */
void ghlo_bytecode_write_elements         (GhloBytecodeWriter *writer, const GhloIrAttr *attr);
/* Writes an attribute in @dialect's encoding, or in another's when only that dialect has
 * it (an sdy sharding among VHLO attributes). */
void ghlo_bytecode_write_attr             (GhloBytecodeWriter *writer, GhloBytecodeDialect dialect,
                                           const GhloIrAttr *attr);
void ghlo_bytecode_write_optional_attr    (GhloBytecodeWriter *writer, GhloBytecodeDialect dialect,
                                           const GhloIrAttr *attr);
void ghlo_bytecode_write_type             (GhloBytecodeWriter *writer, GhloBytecodeDialect dialect,
                                           const GhloIrType *type);
/* Memory that lives as long as the writer. */
gpointer ghlo_bytecode_writer_alloc       (GhloBytecodeWriter *writer, gsize size);
guint         ghlo_bytecode_writer_version  (GhloBytecodeWriter *writer);
GhloIrVersion ghlo_bytecode_writer_target   (GhloBytecodeWriter *writer);
GhloIrModule *ghlo_bytecode_writer_module   (GhloBytecodeWriter *writer);
/* Keeps the first reason why this program cannot be written; gives FALSE. */
gboolean ghlo_bytecode_refuse             (GhloBytecodeWriter *writer, GhloError code, const char *format, ...)
                                           G_GNUC_PRINTF (3, 4);
#define ghlo_bytecode_refuse(...) GHLO_FALSE_AFTER (ghlo_bytecode_refuse (__VA_ARGS__))

/* One dialect's encoding. A reader stands after the entry's start; it must read
 * the entry to its end. A writer gives FALSE after ghlo_bytecode_refuse, when it
 * cannot write the thing. @has_attr and @has_type say whether it could. */
typedef struct
{
  const char *name;
  gboolean (*read_attr)  (GhloByteCursor *cursor, const GhloIrAttr **attr);
  gboolean (*read_type)  (GhloByteCursor *cursor, const GhloIrType **type);
  gboolean (*has_attr)   (const GhloIrAttr *attr);
  gboolean (*has_type)   (const GhloIrType *type);
  gboolean (*write_attr) (GhloBytecodeWriter *writer, const GhloIrAttr *attr);
  gboolean (*write_type) (GhloBytecodeWriter *writer, const GhloIrType *type);
} GhloBytecodeCodec;

extern const GhloBytecodeCodec ghlo_bytecode_builtin;
extern const GhloBytecodeCodec ghlo_bytecode_vhlo;
extern const GhloBytecodeCodec ghlo_bytecode_stablehlo;
extern const GhloBytecodeCodec ghlo_bytecode_chlo;
extern const GhloBytecodeCodec ghlo_bytecode_sdy;

/* By GhloBytecodeDialect. */
extern const GhloBytecodeCodec *const ghlo_bytecode_codecs[GHLO_BYTECODE_N_DIALECTS];

/* Properties of operations outside of VHLO, as MLIR generates their encoding:
 * inherent attributes in the dialect's order. Gives GhloIrNamedAttr. */
gboolean ghlo_bytecode_read_properties    (GhloByteCursor *cursor, GhloIrOpKind kind, GArray *attributes);
gboolean ghlo_bytecode_write_properties   (GhloBytecodeWriter *writer, const GhloIrOp *op);
/* Whether operations of that kind have properties at all. */
gboolean ghlo_bytecode_has_properties     (GhloIrOpKind kind);

G_END_DECLS
