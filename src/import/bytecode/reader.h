/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the files that read bytecode: the positions of the sections, and tables of everything that the file
 * numbers. Attributes, types and properties are first located only; each is decoded once, on first use.
 *
 * Every read function that fails adds one error and returns FALSE or NULL.
 */

#pragma once

#include "import/bytecode/bytecode.h"
#include "import/bytecode/section.h"
#include "import/vector.h"
#include "import/vhlo/vhlo.h"

G_BEGIN_DECLS

/* Versions of the container and the features they introduced (MLIR: Bytecode/Encoding.h). */
enum
{
  GHLO_BYTECODE_DIALECT_VERSIONS = 1,
  GHLO_BYTECODE_REGION_SECTIONS  = 2,
  GHLO_BYTECODE_USE_LISTS        = 3,
  GHLO_BYTECODE_OP_COUNTS        = 4,   /* also omits unknown locations of block arguments */
  GHLO_BYTECODE_PROPERTIES       = 5,
  GHLO_BYTECODE_NEWEST           = 6,
};

/* A range of the file; NULL if there is none. */
typedef struct
{
  const guint8 *data, *end;
} GhloByteRange;

typedef struct
{
  const guint8 *data;
  gsize         length;       /* without the terminating NUL */
  const char   *interned;     /* NULL until first use */
} GhloBytecodeString;

typedef struct
{
  const char              *name;     /* interned */
  const GhloBytecodeCodec *codec;    /* NULL if there is no codec of that name */
  GhloByteRange            version;
} GhloBytecodeReaderDialect;

typedef enum
{
  GHLO_BYTECODE_ENTRY_UNREAD,
  GHLO_BYTECODE_ENTRY_READING,
  GHLO_BYTECODE_ENTRY_READ,
} GhloBytecodeReaderEntryState;

/* An attribute or a type. */
typedef struct
{
  GhloByteRange range;
  gconstpointer value;         /* GhloIrAttr or GhloIrType */
  guint32       dialect;
  guint32       weight;        /* number of its parts when fully expanded, nested ones included */
  guint16       height;        /* nesting depth of its parts */
  guint8        state;
  guint8        has_codec;     /* FALSE: encoded as text */
} GhloBytecodeReaderEntry;

typedef enum
{
  GHLO_BYTECODE_RESOURCE_BLOB,
  GHLO_BYTECODE_RESOURCE_BOOLEAN,
  GHLO_BYTECODE_RESOURCE_STRING,
} GhloBytecodeResourceKind;

typedef struct
{
  const char *key;             /* interned */
  guint8      kind;            /* GhloBytecodeResourceKind */
  GhloByteRange range;         /* empty if the file has only the key */
} GhloBytecodeResource;

/* An operation's kind and attributes. */
typedef struct
{
  GhloIrOpKind             kind;
  guint                    n_discardable;
  const GhloIrAttr *const *inherent;       /* in the order of the row; NULL if there are none */
  const GhloIrNamedAttr   *discardable;    /* sorted by name */
} GhloBytecodeOpAttributes;

/* The result of decoding an operation's attributes, reused for operations that are encoded the same way. */
typedef struct
{
  guint32                  op_name;        /* number + 1; 0 if nothing is cached */
  gboolean                 in_function;    /* as for ghlo_vhlo_upgrade () */
  GhloBytecodeOpAttributes attributes;     /* in the module's arena */
} GhloBytecodeAttrCache;

/* Properties can be shared by several operations, usually of the same name. */
typedef struct
{
  GhloByteRange         range;
  GhloBytecodeAttrCache cache;
} GhloBytecodeProperties;

/* What the file knows about an operation name. */
typedef struct
{
  guint                 dialect;        /* index into the file's dialects */
  const char           *name;           /* interned, without the dialect */
  gboolean              is_registered;  /* whether the file's writer knew it; TRUE for container versions without that
                                           flag */
  gboolean              is_known;       /* the fields below are filled in */
  GhloIrOpKind          kind;           /* INVALID for an operation of VHLO */
  const GhloVhloOp     *vhlo;           /* set for an operation of VHLO */
  const GhloIrAttr     *whole;          /* for an operation without a row: its full name */
  GhloBytecodeAttrCache bare;           /* for operations without properties and dictionary */
} GhloBytecodeOpName;

struct _GhloBytecodeReader
{
  GBytes                   *bytes;         /* borrowed */
  GhloByteRange             file;
  GhloIrModule             *module;        /* borrowed */
  GhloDiagnostics          *diagnostics;   /* borrowed */
  const GhloMonitor        *monitor;       /* borrowed */
  GhloImportFlags           flags;

  guint                     version;
  const char               *producer;      /* points into the file */
  GhloIrVersion             artifact_version;
  GhloByteRange             sections[GHLO_BYTECODE_N_SECTIONS];

  GHLO_IMPORT_VECTOR (GhloBytecodeString) strings;
  GHLO_IMPORT_VECTOR (GhloBytecodeReaderDialect) dialects;
  GHLO_IMPORT_VECTOR (GhloBytecodeOpName) op_names;
  GHLO_IMPORT_VECTOR (GhloBytecodeReaderEntry) attrs, types;
  GHLO_IMPORT_VECTOR (GhloBytecodeResource) resources;
  GHLO_IMPORT_VECTOR (GhloBytecodeProperties) properties;

  gboolean                  has_vhlo;      /* one of the dialects is VHLO */
  guint                     depth;         /* of nested entries being read */
  guint                     height;        /* of the entry being read, up to now */
  guint32                   weight;
  GHashTable               *dictionaries;  /* private to op-attrs.c; NULL until first use */
  GhloImportMemo            memo;          /* conversions of attributes, and of resources by type */
  guint64                   n_unpacked;    /* bytes of constants that are copies rather than slices of the file */
  gsize                     n_copied;      /* attributes of operations that were copied rather than shared */
  gsize                     sdy_text;      /* bytes of text made from sdy attributes so far */
};

/* "the IR section", for messages. */
extern const char *const ghlo_bytecode_section_names[GHLO_BYTECODE_N_SECTIONS];

/* container.c */
/* Reads the header and locates sections and table entries; decodes nothing. */
gboolean       ghlo_bytecode_open         (GhloBytecodeReader *reader);
void           ghlo_bytecode_close        (GhloBytecodeReader *reader);
/* Reads a section and its header; @section may be unknown to the container. */
gboolean       ghlo_bytecode_read_section (GhloByteCursor *cursor, guint *section, GhloByteRange *range);

/* entries.c */
/* The limit for the number of parts of an entry when everything that it shares is expanded. */
guint32        ghlo_bytecode_limit        (const GhloBytecodeReader *reader);
/* Returns attribute or type number @index, which must be in range. */
gboolean       ghlo_bytecode_use_attr     (GhloByteCursor *cursor, gsize index, const GhloIrAttr **attr);
gboolean       ghlo_bytecode_use_type     (GhloByteCursor *cursor, gsize index, const GhloIrType **type);
/* Reads a location; NULL for an unknown one. Of a location
 * that is nested too deeply, the innermost parts are dropped. */
gboolean       ghlo_bytecode_read_location (GhloByteCursor *cursor, const GhloIrLocation **location);

/* op-attrs.c: an operation's kind and attributes. */
typedef struct
{
  gsize             op_name;         /* index into the file's operation names */
  gboolean          in_function;     /* directly in the region of a func.func */
  const GhloIrAttr *dictionary;      /* NULL if there is none */
  gsize             properties;      /* number + 1; 0 if there are none */
} GhloBytecodeOpParts;

/* @list, of GhloIrNamedAttr, is scratch space. */
gboolean       ghlo_bytecode_op_attributes (GhloByteCursor *cursor, const GhloBytecodeOpParts *parts, GArray *list,
                                            GhloBytecodeOpAttributes *result);

/* ops.c */
/* Reads the IR section and returns the outermost module. */
GhloIrOp      *ghlo_bytecode_read_ir      (GhloBytecodeReader *reader);

/* cursor.c */
/* Returns string number @index, interned. */
const char    *ghlo_bytecode_string       (GhloBytecodeReader *reader, gsize index);
GhloByteCursor ghlo_bytecode_cursor       (GhloBytecodeReader *reader, GhloByteRange range, const char *section);
/* Reads the next @size bytes. */
gboolean       ghlo_bytecode_read_range   (GhloByteCursor *cursor, guint64 size, GhloByteRange *range);
/* Skips padding up to a file offset that is a multiple of @alignment. */
gboolean       ghlo_bytecode_read_padding (GhloByteCursor *cursor, guint64 alignment);
/* Reads NUL-terminated text in place. */
gboolean       ghlo_bytecode_read_c_string (GhloByteCursor *cursor, const char **text);
/* Reads a varint with a flag in its lowest bit. */
gboolean       ghlo_bytecode_read_flagged (GhloByteCursor *cursor, guint64 *value, gboolean *flag);
/* Reads a varint that is the index of one of @n items, which errors call @what. */
gboolean       ghlo_bytecode_read_index   (GhloByteCursor *cursor, gsize n, const char *what, gsize *index);
gboolean       ghlo_bytecode_check_index  (GhloByteCursor *cursor, guint64 value, gsize n, const char *what);
gboolean       ghlo_bytecode_check_end    (GhloByteCursor *cursor, const char *what);

typedef GHLO_IMPORT_VECTOR (const GhloIrAttr *) GhloBytecodeAttrs;

/* Reads a count and that many attributes. */
gboolean       ghlo_bytecode_read_attrs   (GhloByteCursor *cursor, GhloBytecodeAttrs *attrs);

static inline gsize
ghlo_bytecode_left (const GhloByteCursor *cursor)
{
  return cursor->end - cursor->at;
}

static inline guint64
ghlo_bytecode_offset (const GhloBytecodeReader *reader,
                      const guint8             *at)
{
  return at - reader->file.data;
}

G_END_DECLS
