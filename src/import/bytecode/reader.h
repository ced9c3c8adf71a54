/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files that read bytecode share: where the sections lie, and the tables
 * of what the file numbers. Attributes, types and properties are found first and
 * decoded when something asks for them, each once.
 *
 * Every function that reads gives FALSE or NULL after it has added one finding.
 */

#pragma once

#include "import/bytecode/bytecode.h"
#include "import/vector.h"
#include "import/vhlo/vhlo.h"

G_BEGIN_DECLS

/* Versions of the container and what came with them (MLIR: Bytecode/Encoding.h). */
enum
{
  GHLO_BYTECODE_DIALECT_VERSIONS = 1,
  GHLO_BYTECODE_REGION_SECTIONS  = 2,
  GHLO_BYTECODE_USE_LISTS        = 3,
  GHLO_BYTECODE_OP_COUNTS        = 4,   /* and no unknown locations of block arguments */
  GHLO_BYTECODE_PROPERTIES       = 5,
  GHLO_BYTECODE_NEWEST           = 6,
};

typedef enum
{
  GHLO_BYTECODE_SECTION_STRINGS,
  GHLO_BYTECODE_SECTION_DIALECTS,
  GHLO_BYTECODE_SECTION_ATTRIBUTES,
  GHLO_BYTECODE_SECTION_ATTRIBUTE_OFFSETS,
  GHLO_BYTECODE_SECTION_IR,
  GHLO_BYTECODE_SECTION_RESOURCES,
  GHLO_BYTECODE_SECTION_RESOURCE_OFFSETS,
  GHLO_BYTECODE_SECTION_DIALECT_VERSIONS,
  GHLO_BYTECODE_SECTION_PROPERTIES,
  GHLO_BYTECODE_N_SECTIONS
} GhloBytecodeSection;

/* A stretch of the file; NULL when there is none. */
typedef struct
{
  const guint8 *data, *end;
} GhloByteRange;

typedef struct
{
  const guint8 *data;
  gsize         length;       /* without the NUL behind it */
  const char   *interned;     /* NULL until something asks for it */
} GhloBytecodeString;

typedef struct
{
  const char              *name;     /* interned */
  const GhloBytecodeCodec *codec;    /* NULL when there is none of that name */
  GhloByteRange            version;
} GhloBytecodeDialectEntry;

typedef enum
{
  GHLO_BYTECODE_ENTRY_UNREAD,
  GHLO_BYTECODE_ENTRY_READING,
  GHLO_BYTECODE_ENTRY_READ,
} GhloBytecodeEntryState;

/* An attribute or a type. */
typedef struct
{
  GhloByteRange range;
  gconstpointer value;         /* GhloIrAttr or GhloIrType */
  guint32       dialect;
  guint32       weight;        /* how many parts it has when spelled out, parts of parts included */
  guint16       height;        /* how deep its parts nest */
  guint8        state;
  guint8        has_codec;     /* else text */
} GhloBytecodeEntry;

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
  GhloByteRange range;         /* empty: the key alone */
} GhloBytecodeResource;

/* An operation's kind and attributes. */
typedef struct
{
  GhloIrOpKind             kind;
  guint                    n_discardable;
  const GhloIrAttr *const *inherent;       /* in the row's order; NULL when there is none at all */
  const GhloIrNamedAttr   *discardable;    /* in name order */
} GhloBytecodeOpAttributes;

/* What an operation has become, for others that are written in the same way. */
typedef struct
{
  guint32                  op_name;        /* number + 1; 0: nothing is kept here */
  gboolean                 in_function;    /* as ghlo_vhlo_upgrade has it */
  GhloBytecodeOpAttributes attributes;     /* in the module's arena */
} GhloBytecodeKept;

/* Properties of operations are shared, mostly by operations of one name. */
typedef struct
{
  GhloByteRange    range;
  GhloBytecodeKept kept;
} GhloBytecodeProperties;

/* What the name of an operation stands for. */
typedef struct
{
  guint             dialect;         /* index of the file's dialects */
  const char       *name;            /* interned, without the dialect */
  gboolean          is_registered;   /* where the file was written; TRUE before that was kept */
  gboolean          is_known;        /* what follows has been looked up */
  GhloIrOpKind      kind;            /* INVALID for operations of VHLO */
  const GhloVhloOp *vhlo;            /* of an operation of VHLO */
  const GhloIrAttr *whole;           /* of one without a row: its whole name */
  GhloBytecodeKept  bare;            /* those without properties and dictionary */
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
  const char               *producer;      /* in the file */
  GhloIrVersion             artifact_version;
  GhloByteRange             sections[GHLO_BYTECODE_N_SECTIONS];

  GHLO_IMPORT_VECTOR (GhloBytecodeString) strings;
  GHLO_IMPORT_VECTOR (GhloBytecodeDialectEntry) dialects;
  GHLO_IMPORT_VECTOR (GhloBytecodeOpName) op_names;
  GHLO_IMPORT_VECTOR (GhloBytecodeEntry) attrs, types;
  GHLO_IMPORT_VECTOR (GhloBytecodeResource) resources;
  GHLO_IMPORT_VECTOR (GhloBytecodeProperties) properties;

  gboolean                  has_vhlo;      /* among the dialects */
  guint                     depth;         /* of entries being read */
  guint                     height;        /* of the entry being read, so far */
  guint32                   weight;
  GHashTable               *dictionaries;  /* op-attrs.c's own; NULL until it is needed */
  GhloImportMemo            memo;          /* what becomes of attributes, and of resources of a type */
  guint64                   n_unpacked;    /* bytes of constants that are not the file's own */
  gsize                     n_copied;      /* attributes of operations that the file has in fewer places */
  gsize                     sdy_text;      /* bytes of text made of sdy's attributes so far */
};

/* "the IR section", for messages. */
extern const char *const ghlo_bytecode_section_names[GHLO_BYTECODE_N_SECTIONS];

/* container.c */
/* Header, sections and tables; nothing is decoded. */
gboolean       ghlo_bytecode_open         (GhloBytecodeReader *reader);
void           ghlo_bytecode_close        (GhloBytecodeReader *reader);
/* A section with its header; @section may be one that the container does not know. */
gboolean       ghlo_bytecode_read_section (GhloByteCursor *cursor, guint *section, GhloByteRange *range);

/* entries.c */
/* How many parts what the file shares may have when it is spelled out. */
guint32        ghlo_bytecode_limit        (const GhloBytecodeReader *reader);
/* Attribute or type @index, which is in range. */
gboolean       ghlo_bytecode_use_attr     (GhloByteCursor *cursor, gsize index, const GhloIrAttr **attr);
gboolean       ghlo_bytecode_use_type     (GhloByteCursor *cursor, gsize index, const GhloIrType **type);
/* A location; NULL for the unknown one. Of locations that nest without measure
 * what nests deepest is left out. */
gboolean       ghlo_bytecode_read_location (GhloByteCursor *cursor, const GhloIrLocation **location);

/* op-attrs.c: what an operation is, and its attributes. */
typedef struct
{
  gsize             op_name;         /* index of the file's names */
  gboolean          in_function;     /* directly in the region of a func.func */
  const GhloIrAttr *dictionary;      /* NULL: none */
  gsize             properties;      /* number + 1; 0: none */
} GhloBytecodeOpParts;

/* @list of GhloIrNamedAttr is scratch. */
gboolean       ghlo_bytecode_op_attributes (GhloByteCursor *cursor, const GhloBytecodeOpParts *parts, GArray *list,
                                            GhloBytecodeOpAttributes *result);

/* ops.c */
/* The IR section; gives the outermost module. */
GhloIrOp      *ghlo_bytecode_read_ir      (GhloBytecodeReader *reader);

/* cursor.c */
/* String @index, interned. */
const char    *ghlo_bytecode_string       (GhloBytecodeReader *reader, gsize index);
GhloByteCursor ghlo_bytecode_cursor       (GhloBytecodeReader *reader, GhloByteRange range, const char *section);
/* The next @size bytes. */
gboolean       ghlo_bytecode_read_range   (GhloByteCursor *cursor, guint64 size, GhloByteRange *range);
/* Over padding, up to a place in the file that is a multiple of @alignment. */
gboolean       ghlo_bytecode_read_padding (GhloByteCursor *cursor, guint64 alignment);
/* Text that ends with a NUL, in the file. */
gboolean       ghlo_bytecode_read_c_string (GhloByteCursor *cursor, const char **text);
/* A varint and a flag in its lowest bit. */
gboolean       ghlo_bytecode_read_flagged (GhloByteCursor *cursor, guint64 *value, gboolean *flag);
/* A varint that numbers one of @n things called @what. */
gboolean       ghlo_bytecode_read_index   (GhloByteCursor *cursor, gsize n, const char *what, gsize *index);
gboolean       ghlo_bytecode_check_index  (GhloByteCursor *cursor, guint64 value, gsize n, const char *what);
gboolean       ghlo_bytecode_check_end    (GhloByteCursor *cursor, const char *what);

typedef GHLO_IMPORT_VECTOR (const GhloIrAttr *) GhloBytecodeAttrs;

/* A count and attributes. */
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
