/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes a portable artifact in four steps that share one writer:
 *
 *   plan     choose the operation of VHLO that each operation becomes, and insert
 *            casts between VHLO and operations that are written as they are (plan.c)
 *   number   dialects, names, attributes, types and values (number.c, table.c)
 *   write    the sections (write.c, write-ops.c)
 *   join     the bytes and the constants (emit.c)
 *
 * Attributes created on the way, such as dictionaries, are created in the module, so that equal ones remain a single
 * object. The ids of the module's operations and values hold their numbers.
 */

#pragma once

#include "import/bytecode/emit.h"
#include "import/bytecode/bytecode.h"
#include "import/vhlo/vhlo.h"
#include "ir/arena.h"

G_BEGIN_DECLS

/* The first version whose readers accept operations outside VHLO. */
#define GHLO_BYTECODE_MIXED_VERSION ((GhloIrVersion) { 1, 11, 0 })

/* Features by the container version that introduced them. */
enum
{
  GHLO_BYTECODE_HAS_DIALECT_VERSIONS = 1,
  GHLO_BYTECODE_HAS_LAZY_REGIONS     = 2,
  GHLO_BYTECODE_HAS_USE_ORDERS       = 3,
  GHLO_BYTECODE_LEAVES_OUT_UNKNOWN   = 4,   /* locations of arguments; the number of names is stored */
  GHLO_BYTECODE_HAS_PROPERTIES       = 5,
};

/* How an entry is encoded: by the codec of a dialect or in one of these ways. */
typedef enum
{
  GHLO_BYTECODE_AS_VHLO_DICTIONARY = GHLO_BYTECODE_N_DIALECTS,   /* a builtin dictionary with VHLO values */
  GHLO_BYTECODE_AS_LOCATION,                                     /* a GhloIrLocation */
  GHLO_BYTECODE_AS_TEXT,                                         /* MLIR's text, for items that no dialect can encode */
  GHLO_BYTECODE_N_ENCODINGS
} GhloBytecodeEncoding;

typedef struct
{
  const char *name;
  guint       number;
} GhloBytecodeDialectEntry;

/* An attribute, a location, a type or an operation name in the file. */
typedef struct
{
  gconstpointer             item;         /* GhloIrAttr, GhloIrLocation, GhloIrType; an operation name without its
                                             dialect */
  GhloBytecodeDialectEntry *dialect;
  guint32                   number;
  guint32                   references;
  guint8                    encoding;     /* GhloBytecodeDialect or GhloBytecodeEncoding; unused for names */
} GhloBytecodeEntry;

/* Entries of one kind. The key of an item is its address with the
 * wanted encoding in the low bits; several keys may map to one entry. */
typedef struct
{
  GHashTable *by_key;
  GPtrArray  *entries;                    /* by number, once numbers are assigned */
} GhloBytecodeTable;

/* A builtin.unrealized_conversion_cast between a type of VHLO and the same type of another dialect. */
typedef struct _GhloBytecodeCast GhloBytecodeCast;

struct _GhloBytecodeCast
{
  const GhloIrValue    *value;
  gboolean              to_vhlo;
  const GhloIrLocation *location;
  GhloBytecodeEntry    *name, *location_entry;
  guint32               result;           /* value number of the result */
  guint32               order;            /* like GhloBytecodePlan.order */
  GhloBytecodeCast     *next;             /* the cast that directly follows this one */
};

/* How one operation is written. The operation's id is the index of its plan. */
typedef struct
{
  const GhloVhloOp         *vhlo;         /* NULL if the operation is written as it is */
  const GhloIrAttr *const  *values;       /* values of its VHLO attributes */
  GhloBytecodeCast         *casts;        /* the casts that follow the operation */
  GhloBytecodeEntry        *name, *location, *dictionary;
  guint32                   order;        /* position among operations and casts in pre-order */
  guint16                   n_values;
  guint16                   isolated : 1; /* its regions use no value from outside */
  guint16                   older : 1;    /* written in an older version than the current one */
} GhloBytecodePlan;

typedef struct _GhloBytecodeOrder GhloBytecodeOrder;

/* Byte sequences, each stored once, with their numbers. */
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
  guint              version;             /* version of the container */
  const GhloMonitor *monitor;
  GError            *error;               /* the first error */

  GhloIrArena        arena;               /* owns everything below except the tables */

  GHLO_IMPORT_VECTOR (GhloBytecodePlan) plans;
  GHashTable        *casts;               /* GhloIrValue → GhloBytecodeCast */
  GHashTable        *block_casts;         /* GhloIrBlock → the first cast at its start */
  gboolean           reordered;           /* uses may be in another order than MLIR's natural one */

  gboolean           numbering;           /* codecs are called to number rather than to write */
  const GhloIrOp    *at;                  /* the operation being numbered */
  guint              depth;               /* nesting depth of the current entry */
  GPtrArray         *dialects;            /* GhloBytecodeDialectEntry */
  GHashTable        *dialects_by_name;
  GhloBytecodeTable  attrs, types, names;
  GHashTable        *texts;               /* text of the module → its string attribute */
  GHashTable        *canonical;           /* attribute with encoding → the attribute that is written in its place */
  const GhloIrLocation *unknown;

  GhloBytecodeEmitter *out;               /* output of the codecs */
  GhloBytecodeSpans  strings;
  GhloBytecodeSpans  properties;
  GhloBytecodeEmitter property;           /* those of the current operation */
  GPtrArray         *nested;              /* GhloBytecodeEmitter for nested sections, indexed by depth */
  GhloBytecodeOrder *use_order;           /* of the current value */
  guint              n_written;           /* number of operations so far, for the monitor */
};

/* Returns FALSE once an error has occurred or the monitor was cancelled. */
gboolean           ghlo_bytecode_writer_go_on   (GhloBytecodeWriter  *self);

/* The steps. They return FALSE with the writer's error set. */
gboolean           ghlo_bytecode_plan           (GhloBytecodeWriter  *self);
gboolean           ghlo_bytecode_number         (GhloBytecodeWriter  *self);
gboolean           ghlo_bytecode_write_file     (GhloBytecodeWriter  *self,
                                                 GhloBytecodeEmitter *file);
void               ghlo_bytecode_write_module   (GhloBytecodeWriter  *self,
                                                 GhloBytecodeEmitter *section);

/* Iterates over the operations and casts of a block in order, starting
 * from { NULL, NULL }. The step is @cast if that is not NULL, else @op. */
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

/* Whether @value is defined by an operation of VHLO or is a block argument in a region of one. */
gboolean           ghlo_bytecode_value_is_vhlo  (GhloBytecodeWriter  *self,
                                                 const GhloIrValue   *value);
/* Returns the cast that an operation (of VHLO if @vhlo) uses in place of @value, or NULL. */
GhloBytecodeCast  *ghlo_bytecode_cast_for       (GhloBytecodeWriter  *self,
                                                 const GhloIrValue   *value,
                                                 gboolean             vhlo);

/* These return the entry of an item and create it on first use. */
GhloBytecodeEntry *ghlo_bytecode_attr_entry     (GhloBytecodeWriter  *self,
                                                 guint                encoding,
                                                 const GhloIrAttr    *attr);
GhloBytecodeEntry *ghlo_bytecode_location_entry (GhloBytecodeWriter  *self,
                                                 const GhloIrLocation *location);
/* The location of an operation or a value; unknown if locations are stripped. */
GhloBytecodeEntry *ghlo_bytecode_debug_location (GhloBytecodeWriter  *self,
                                                 const GhloIrLocation *location);
GhloBytecodeEntry *ghlo_bytecode_type_entry     (GhloBytecodeWriter  *self,
                                                 guint                encoding,
                                                 const GhloIrType    *type);
GhloBytecodeEntry *ghlo_bytecode_name_entry     (GhloBytecodeWriter  *self,
                                                 const GhloVhloOp    *vhlo,
                                                 GhloIrOpKind         kind);
/* Whether VHLO can encode @type. */
gboolean           ghlo_bytecode_type_in_vhlo   (const GhloIrType    *type);
/* Write the bytes of an entry, or number the items that the entry refers to. */
void               ghlo_bytecode_write_attr_entry (GhloBytecodeWriter      *self,
                                                   const GhloBytecodeEntry *entry);
void               ghlo_bytecode_write_type_entry (GhloBytecodeWriter      *self,
                                                   const GhloBytecodeEntry *entry);

/* Returns the number of a byte sequence; keeps a copy of it. */
guint32            ghlo_bytecode_span_number    (GhloBytecodeWriter  *self,
                                                 GhloBytecodeSpans   *spans,
                                                 gconstpointer        data,
                                                 gsize                size);
/* Returns a text of the module as a string attribute. */
const GhloIrAttr  *ghlo_bytecode_text_attr      (GhloBytecodeWriter  *self,
                                                 const char          *text);

/* Write the use order of each value whose order differs from the
 * one a reader builds. Return whether there is such a value. */
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

/* Builtin encodings of items that are not attributes or types of the builtin dialect. */
void               ghlo_bytecode_builtin_write_location        (GhloBytecodeWriter   *self,
                                                                const GhloIrLocation *location);
void               ghlo_bytecode_builtin_write_vhlo_dictionary (GhloBytecodeWriter   *self,
                                                                const GhloIrAttr     *attr);

G_END_DECLS
