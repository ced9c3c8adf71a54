/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The interface between the two halves of the code for MLIR bytecode: the container (sections, numbering,
 * operations), which knows no dialect, and the dialects' encodings of attributes and types, which know nothing of the
 * container (MLIR: docs/BytecodeFormat.md).
 *
 * Internally there is only the representation of the IR: an attribute or type of VHLO, of the builtin dialect or of
 * StableHLO is a GhloIrAttr or GhloIrType, and a codec is a pair of functions that convert from and to bytes. The
 * writing function of a codec is called twice for each item, first to number everything that the item refers to, then
 * to write it; the function itself cannot tell the two calls apart.
 */

#pragma once

#include "base/fail.h"
#include "import/import.h"

G_BEGIN_DECLS

/* The dialect whose encoding an attribute or a type is written in. */
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

/* A range of the file that is being read. Each read function advances @at. If it fails, it adds one error, with
 * section and byte offset, and returns FALSE. */
typedef struct
{
  GhloBytecodeReader *reader;
  const guint8       *at, *end;
  const char         *section;      /* "the IR section", for messages */
} GhloByteCursor;

GhloIrModule *ghlo_bytecode_module        (GhloByteCursor *cursor);
/* The version of the container, 0 to 6. */
guint         ghlo_bytecode_version       (GhloByteCursor *cursor);
/* The version of a portable artifact; 0.0.0 for other bytecode. */
GhloIrVersion ghlo_bytecode_artifact_version (GhloByteCursor *cursor);

gboolean ghlo_bytecode_read_byte          (GhloByteCursor *cursor, guint8 *value);
gboolean ghlo_bytecode_read_varint        (GhloByteCursor *cursor, guint64 *value);
gboolean ghlo_bytecode_read_signed        (GhloByteCursor *cursor, gint64 *value);
/* Reads the number of items that follow, each of at least @size bytes. Rejects a count that exceeds the bytes left
 * before anything is allocated. */
gboolean ghlo_bytecode_read_count         (GhloByteCursor *cursor, gsize size, gsize *n);
/* The text is interned in the module and NUL-terminated; it may also contain NULs. */
gboolean ghlo_bytecode_read_string        (GhloByteCursor *cursor, const char **text, gsize *length);
/* Reads a varint length and the bytes as a slice of the file, without a copy and at any alignment. Transfer full. */
gboolean ghlo_bytecode_read_blob          (GhloByteCursor *cursor, GBytes **bytes);
gboolean ghlo_bytecode_read_attr          (GhloByteCursor *cursor, const GhloIrAttr **attr);
/* NULL if there is none. Encoded as 0, or as number << 1 | 1. */
gboolean ghlo_bytecode_read_optional_attr (GhloByteCursor *cursor, const GhloIrAttr **attr);
gboolean ghlo_bytecode_read_type          (GhloByteCursor *cursor, const GhloIrType **type);
/* Reads an attribute that must be of the given kind. */
gboolean ghlo_bytecode_read_attr_of       (GhloByteCursor *cursor, GhloIrAttrKind kind, const GhloIrAttr **attr);
/* "an array", for messages. */
const char *ghlo_bytecode_kind_name       (GhloIrAttrKind kind);
/* Encodings that the builtin dialect and VHLO share (plain.c). A name is a string without zero bytes. */
gboolean ghlo_bytecode_read_name          (GhloByteCursor *cursor, const char **name);
gboolean ghlo_bytecode_read_array         (GhloByteCursor *cursor, const GhloIrAttr **attr);
gboolean ghlo_bytecode_read_dictionary    (GhloByteCursor *cursor, const GhloIrAttr **attr);
gboolean ghlo_bytecode_read_string_attr   (GhloByteCursor *cursor, const GhloIrAttr **attr);
gboolean ghlo_bytecode_read_type_attr     (GhloByteCursor *cursor, const GhloIrAttr **attr);
/* Checks a STRUCT attribute by itself. */
gboolean ghlo_bytecode_check_struct       (GhloByteCursor *cursor, const GhloIrAttr *attr);
/* Reads the constant of type @tensor whose data is in a resource; the handle, a varint, follows. */
gboolean ghlo_bytecode_read_resource      (GhloByteCursor *cursor, const GhloIrType *tensor, const GhloIrAttr **attr);
/* Makes a DENSE attribute of @blob: elements as MLIR packs them, little-endian, each in at least one byte except
 * booleans, which are packed eight to a byte; or one element that stands for all. A blob from read_blob that is
 * already in buffer layout stays a slice of the file. Takes ownership of @blob. @resource is its key, else NULL.
 * Returns NULL after an error; a NULL @blob (a resource without data) is one. */
const GhloIrAttr *ghlo_bytecode_dense     (GhloByteCursor *cursor, const GhloIrType *tensor,
                                           GBytes *blob, const char *resource);
/* Reads the bits of an integer or float of up to 64 bits: one byte for a @width of up to 8, else a signed varint. */
gboolean ghlo_bytecode_read_bits          (GhloByteCursor *cursor, guint width, guint64 *bits);
/* Reads a rank and the dimensions, GHLO_DYNAMIC for dynamic ones. @dimensions has room for GHLO_MAX_RANK. */
gboolean ghlo_bytecode_read_shape         (GhloByteCursor *cursor, gint64 *dimensions, gsize *rank);
/* Reads a type that elements of tensors can have. */
gboolean ghlo_bytecode_read_element       (GhloByteCursor *cursor, const GhloIrType **element);
/* Reads a shape and an element type; if @is_encoded, an encoding, which may be bounds, comes first. */
gboolean ghlo_bytecode_read_tensor        (GhloByteCursor *cursor, gboolean is_encoded, const GhloIrType **type);
gboolean ghlo_bytecode_read_plain_tensor  (GhloByteCursor *cursor, const GhloIrType **type);
gboolean ghlo_bytecode_read_encoded_tensor (GhloByteCursor *cursor, const GhloIrType **type);
gboolean ghlo_bytecode_read_unranked_tensor (GhloByteCursor *cursor, const GhloIrType **type);
/* Reads the number of members and their types. */
gboolean ghlo_bytecode_read_tuple         (GhloByteCursor *cursor, const GhloIrType **type);
/* Reads a count and that many types, which it appends to @types. */
gboolean ghlo_bytecode_read_types         (GhloByteCursor *cursor, GPtrArray *types);
/* Adds an error at the cursor's offset. Always returns FALSE. */
gboolean ghlo_bytecode_fail               (GhloByteCursor *cursor, GhloError code, const char *format, ...)
                                           G_GNUC_PRINTF (3, 4);
#define ghlo_bytecode_fail(...) GHLO_FALSE_AFTER (ghlo_bytecode_fail (__VA_ARGS__))

void ghlo_bytecode_write_byte             (GhloBytecodeWriter *writer, guint8 value);
void ghlo_bytecode_write_varint           (GhloBytecodeWriter *writer, guint64 value);
void ghlo_bytecode_write_signed           (GhloBytecodeWriter *writer, gint64 value);
/* The inverse of ghlo_bytecode_read_bits (); bits beyond @width are dropped. */
void ghlo_bytecode_write_bits             (GhloBytecodeWriter *writer, guint width, guint64 bits);
void ghlo_bytecode_write_string           (GhloBytecodeWriter *writer, const char *text, gssize length);
/* Writes length and bytes. The bytes must stay valid until the writer is done. */
void ghlo_bytecode_write_blob             (GhloBytecodeWriter *writer, gconstpointer data, gsize size);
/* Writes the elements of a DENSE attribute as a blob, packed as MLIR packs them. */
void ghlo_bytecode_write_elements         (GhloBytecodeWriter *writer, const GhloIrAttr *attr);
/* Writes an attribute in @dialect's encoding, or in that of another dialect if @dialect has none for it (an sdy
 * sharding among VHLO attributes). */
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
/* Sets the error that this program cannot be written, unless one is set already. Always returns FALSE. */
gboolean ghlo_bytecode_refuse             (GhloBytecodeWriter *writer, GhloError code, const char *format, ...)
                                           G_GNUC_PRINTF (3, 4);
#define ghlo_bytecode_refuse(...) GHLO_FALSE_AFTER (ghlo_bytecode_refuse (__VA_ARGS__))

/* The encoding of one dialect. Read functions are called with the cursor at the start of the entry and must read it
 * to its end. Write functions return FALSE after ghlo_bytecode_refuse () for an item that cannot be written.
 * @has_attr and @has_type tell whether the dialect has an encoding for the item. */
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

/* Indexed by GhloBytecodeDialect. */
extern const GhloBytecodeCodec *const ghlo_bytecode_codecs[GHLO_BYTECODE_N_DIALECTS];

/* The properties of operations outside VHLO, in the encoding that MLIR generates: inherent attributes in the
 * dialect's order. Reading appends GhloIrNamedAttr. */
gboolean ghlo_bytecode_read_properties    (GhloByteCursor *cursor, GhloIrOpKind kind, GArray *attributes);
gboolean ghlo_bytecode_write_properties   (GhloBytecodeWriter *writer, const GhloIrOp *op);
/* Whether operations of that kind have properties. */
gboolean ghlo_bytecode_has_properties     (GhloIrOpKind kind);

G_END_DECLS
