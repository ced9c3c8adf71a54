/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writing a portable artifact, in four steps that share one writer:
 *
 *   plan     which operation of VHLO each operation becomes, and which casts
 *            stand between VHLO and what is written as it is (plan.c)
 *   number   dialects, names, attributes, types and values (number.c,
 *            table.c)
 *   write    the sections (write.c, write-ops.c)
 *   join     the bytes and the constants (emit.c)
 *
 * What is made up on the way, such as a dictionary of attributes, is made in the
 * module, so that equal things stay one; the module's operations and values keep
 * their numbers in their ids.
 */

#pragma once

#include "import/bytecode/emit.h"
#include "import/bytecode/bytecode.h"
#include "import/vhlo/vhlo.h"
#include "ir/arena.h"

G_BEGIN_DECLS

/* The first version whose readers know of operations that are not VHLO's. */
#define GHLO_BYTECODE_MIXED_VERSION ((GhloIrVersion) { 1, 11, 0 })

/* What came with which version of the container. */
enum
{
  GHLO_BYTECODE_HAS_DIALECT_VERSIONS = 1,
  GHLO_BYTECODE_HAS_LAZY_REGIONS     = 2,
  GHLO_BYTECODE_HAS_USE_ORDERS       = 3,
  GHLO_BYTECODE_LEAVES_OUT_UNKNOWN   = 4,   /* locations of arguments; counts names */
  GHLO_BYTECODE_HAS_PROPERTIES       = 5,
};

/* How an entry is encoded: by the codec of a dialect, or in one of these ways. */
typedef enum
{
  GHLO_BYTECODE_AS_VHLO_DICTIONARY = GHLO_BYTECODE_N_DIALECTS,   /* a builtin dictionary whose values are VHLO's */
  GHLO_BYTECODE_AS_LOCATION,                                     /* a GhloIrLocation */
  GHLO_BYTECODE_AS_TEXT,                                         /* MLIR's text, where no dialect has bytes for it */
  GHLO_BYTECODE_N_ENCODINGS
} GhloBytecodeEncoding;

typedef struct
{
  const char *name;
  guint       number;
} GhloBytecodeDialectEntry;

/* An attribute, a location, a type or the name of an operation that the file has. */
typedef struct
{
  gconstpointer             item;         /* GhloIrAttr, GhloIrLocation, GhloIrType; the name without its dialect */
  GhloBytecodeDialectEntry *dialect;
  guint32                   number;
  guint32                   references;
  guint8                    encoding;     /* GhloBytecodeDialect or GhloBytecodeEncoding; of no use to a name */
} GhloBytecodeEntry;

/* Entries of one kind. Whoever asks for an item has a key for it, its address
 * with the wanted encoding in the low bits; several keys may lead to one entry. */
typedef struct
{
  GHashTable *by_key;
  GPtrArray  *entries;                    /* by number, once numbers are given */
} GhloBytecodeTable;

/* builtin.unrealized_conversion_cast between a type of VHLO and the same type of
 * another dialect. */
typedef struct _GhloBytecodeCast GhloBytecodeCast;

struct _GhloBytecodeCast
{
  const GhloIrValue    *value;
  gboolean              to_vhlo;
  const GhloIrLocation *location;
  GhloBytecodeEntry    *name, *location_entry;
  guint32               result;           /* the number of the result */
  guint32               order;            /* as GhloBytecodePlan.order */
  GhloBytecodeCast     *next;             /* that stands behind this one */
};

/* What becomes of one operation; its id is the index of its plan. */
typedef struct
{
  const GhloVhloOp         *vhlo;         /* NULL when it is written as it is */
  const GhloIrAttr *const  *values;       /* of its attributes in VHLO */
  GhloBytecodeCast         *casts;        /* behind it */
  GhloBytecodeEntry        *name, *location, *dictionary;
  guint32                   order;        /* among operations and casts in pre-order */
  guint16                   n_values;
  guint16                   isolated : 1; /* its regions use no value from outside */
  guint16                   older : 1;    /* of an older version than the current one */
} GhloBytecodePlan;

typedef struct _GhloBytecodeOrder GhloBytecodeOrder;

/* Stretches of bytes that the file has once, by number. */
typedef struct
{
  const char *data;
  gsize       size;
  guint32     number;
} GhloBytecodeSpan;

typedef struct
{
  GhloIrInternTable table;
  GPtrArray        *order;
} GhloBytecodeSpans;

struct _GhloBytecodeWriter
{
  GhloIrModule      *module;
  GhloIrVersion      target;
  GhloExportFlags    flags;
  guint              version;             /* of the container */
  const GhloMonitor *monitor;
  GError            *error;               /* the first */

  GhloIrArena        arena;               /* everything below that is not a table */

  GHLO_IMPORT_VECTOR (GhloBytecodePlan) plans;
  GHashTable        *casts;               /* GhloIrValue → GhloBytecodeCast */
  GHashTable        *block_casts;         /* GhloIrBlock → the first cast at its start */
  gboolean           reordered;           /* uses may not be in MLIR's natural order */

  gboolean           numbering;           /* codecs are called to number, not to write */
  const GhloIrOp    *at;                  /* the operation that is numbered */
  guint              depth;               /* of entries inside each other */
  GPtrArray         *dialects;            /* GhloBytecodeDialectEntry */
  GHashTable        *dialects_by_name;
  GhloBytecodeTable  attrs, types, names;
  GHashTable        *texts;               /* text of the module's → its string attribute */
  GHashTable        *canonical;           /* attribute with encoding → the one that is written for it */
  const GhloIrLocation *unknown;

  GhloBytecodeEmitter *out;               /* where codecs write */
  GhloBytecodeSpans  strings;
  GhloBytecodeSpans  properties;
  GhloBytecodeEmitter property;           /* of the operation at hand */
  GPtrArray         *nested;              /* GhloBytecodeEmitter of nested sections, by depth */
  GhloBytecodeOrder *use_order;           /* of the value at hand */
  guint              n_written;           /* operations, for the monitor */
};

/* FALSE once something went wrong, or the monitor was cancelled. */
gboolean           ghlo_bytecode_writer_go_on   (GhloBytecodeWriter  *self);

/* The steps; FALSE with the writer's error set. */
gboolean           ghlo_bytecode_plan           (GhloBytecodeWriter  *self);
gboolean           ghlo_bytecode_number         (GhloBytecodeWriter  *self);
gboolean           ghlo_bytecode_write_file     (GhloBytecodeWriter  *self,
                                                 GhloBytecodeEmitter *file);
void               ghlo_bytecode_write_module   (GhloBytecodeWriter  *self,
                                                 GhloBytecodeEmitter *section);

/* Operations and casts of a block in order, from { NULL, NULL }: a cast where
 * there is one, else an operation. */
typedef struct
{
  const GhloIrOp   *op;
  GhloBytecodeCast *cast;
} GhloBytecodeStep;

gboolean           ghlo_bytecode_step           (GhloBytecodeWriter  *self,
                                                 const GhloIrBlock   *block,
                                                 GhloBytecodeStep    *step);

static inline GhloBytecodePlan *
ghlo_bytecode_plan_of (GhloBytecodeWriter *self,
                       const GhloIrOp     *op)
{
  return &self->plans.items[op->id];
}

/* Whether @value is made by an operation of VHLO, or by a region of one. */
gboolean           ghlo_bytecode_value_is_vhlo  (GhloBytecodeWriter  *self,
                                                 const GhloIrValue   *value);
/* The cast that an operation uses, of VHLO or not, instead of @value; or NULL. */
GhloBytecodeCast  *ghlo_bytecode_cast_for       (GhloBytecodeWriter  *self,
                                                 const GhloIrValue   *value,
                                                 gboolean             vhlo);

/* The entry of an item, made when it is asked for first. */
GhloBytecodeEntry *ghlo_bytecode_attr_entry     (GhloBytecodeWriter  *self,
                                                 guint                encoding,
                                                 const GhloIrAttr    *attr);
GhloBytecodeEntry *ghlo_bytecode_location_entry (GhloBytecodeWriter  *self,
                                                 const GhloIrLocation *location);
/* The location of an operation or a value, which is unknown when locations are stripped. */
GhloBytecodeEntry *ghlo_bytecode_debug_location (GhloBytecodeWriter  *self,
                                                 const GhloIrLocation *location);
GhloBytecodeEntry *ghlo_bytecode_type_entry     (GhloBytecodeWriter  *self,
                                                 guint                encoding,
                                                 const GhloIrType    *type);
GhloBytecodeEntry *ghlo_bytecode_name_entry     (GhloBytecodeWriter  *self,
                                                 const GhloVhloOp    *vhlo,
                                                 GhloIrOpKind         kind);
/* Whether VHLO has an encoding of @type. */
gboolean           ghlo_bytecode_type_in_vhlo   (const GhloIrType    *type);
/* Writes the bytes of an entry, or numbers what they refer to. */
void               ghlo_bytecode_write_attr_entry (GhloBytecodeWriter      *self,
                                                   const GhloBytecodeEntry *entry);
void               ghlo_bytecode_write_type_entry (GhloBytecodeWriter      *self,
                                                   const GhloBytecodeEntry *entry);

/* The number of these bytes, of which a copy is kept. */
guint32            ghlo_bytecode_span_number    (GhloBytecodeWriter  *self,
                                                 GhloBytecodeSpans   *spans,
                                                 gconstpointer        data,
                                                 gsize                size);
/* A text of the module's as an attribute. */
const GhloIrAttr  *ghlo_bytecode_text_attr      (GhloBytecodeWriter  *self,
                                                 const char          *text);

/* Writes the order of the uses of each value whose order differs from a reader's. Gives
 * whether there is such a value. */
gboolean           ghlo_bytecode_write_result_uses   (GhloBytecodeWriter     *self,
                                                      GhloBytecodeEmitter    *out,
                                                      const GhloIrOp         *op);
gboolean           ghlo_bytecode_write_argument_uses (GhloBytecodeWriter     *self,
                                                      GhloBytecodeEmitter    *out,
                                                      const GhloIrBlock      *block);
gboolean           ghlo_bytecode_write_cast_uses     (GhloBytecodeWriter     *self,
                                                      GhloBytecodeEmitter    *out,
                                                      const GhloBytecodeCast *cast);
void               ghlo_bytecode_order_free          (GhloBytecodeOrder      *self);

/* What the builtin dialect encodes besides attributes and types of its own. */
void               ghlo_bytecode_builtin_write_location        (GhloBytecodeWriter   *self,
                                                                const GhloIrLocation *location);
void               ghlo_bytecode_builtin_write_vhlo_dictionary (GhloBytecodeWriter   *self,
                                                                const GhloIrAttr     *attr);

G_END_DECLS
