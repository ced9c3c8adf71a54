/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attributes of the IR: immutable values that belong to operations.
 * Like types, they are interned per module and compared by pointer.
 *
 * Attributes of the dialects have two forms. An ENUM is one word of a list ("DEFAULT" of #stablehlo<precision
 * DEFAULT>); a STRUCT is a row of named fields (#stablehlo.gather<…>). Both lists are tables in attrs.def. An
 * attribute that no table lists is OPAQUE and kept as text.
 */

#pragma once

#include "ir/type.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_IR_ATTR_UNIT,
  GHLO_IR_ATTR_BOOL,          /* integer */
  GHLO_IR_ATTR_INTEGER,       /* type, integer (of an ELEMENT type, index included; integers of more than 64 bits are
                                 rejected) */
  GHLO_IR_ATTR_FLOAT,         /* type, real (exact: kept as a double, rounded to the type) */
  GHLO_IR_ATTR_STRING,        /* text, length (may hold NUL) */
  GHLO_IR_ATTR_SYMBOL,        /* @text, nested references in children (SYMBOL) */
  GHLO_IR_ATTR_TYPE,          /* type */
  GHLO_IR_ATTR_ARRAY,         /* children */
  GHLO_IR_ATTR_DICTIONARY,    /* entries, sorted by name */
  GHLO_IR_ATTR_DENSE,         /* type (tensor), dense data */
  GHLO_IR_ATTR_DENSE_ARRAY,   /* array<i64: …>: element type in type, integers or reals */
  GHLO_IR_ATTR_DENSE_STRINGS, /* dense<"a"> of an opaque element type: type, children */
  GHLO_IR_ATTR_KEPT_ELEMENTS, /* sparse<…> or dense_resource<__elided__>, only read on request: type, text without it */
  GHLO_IR_ATTR_ENUM,          /* enumeration, integer (its value) */
  GHLO_IR_ATTR_STRUCT,        /* structure, children: one per field, NULL if absent */
  GHLO_IR_ATTR_LOCATION,      /* location */
  GHLO_IR_ATTR_OPAQUE,        /* text without the "#": `sdy.sharding<…>` */
} GhloIrAttrKind;

/* The enumerations of attrs.def: GHLO_IR_ENUM_PRECISION … */
typedef enum
{
#define ENUMERATION(ID, dialect, mnemonic, ...) GHLO_IR_ENUM_##ID,
#define STRUCTURE(...)
#include "ir/attrs.def"
  GHLO_IR_N_ENUMS
} GhloIrEnum;

/* The structured attributes of attrs.def: GHLO_IR_STRUCT_GATHER … */
typedef enum
{
#define ENUMERATION(...)
#define STRUCTURE(ID, dialect, mnemonic, ...) GHLO_IR_STRUCT_##ID,
#include "ir/attrs.def"
  GHLO_IR_N_STRUCTS
} GhloIrStruct;

typedef enum
{
  GHLO_IR_FIELD_DIMS,        /* DENSE_ARRAY of i64; text may omit it if empty */
  GHLO_IR_FIELD_INT,         /* INTEGER of i64 */
  GHLO_IR_FIELD_BOOL,
  GHLO_IR_FIELD_TYPE,
  GHLO_IR_FIELD_STRING,
  GHLO_IR_FIELD_REAL,        /* FLOAT of f64 */
  GHLO_IR_FIELD_ATTR,        /* any */
} GhloIrFieldKind;

typedef struct
{
  const char      *name;
  GhloIrFieldKind  kind;
  gboolean         optional;
} GhloIrField;

typedef struct
{
  const char         *dialect;      /* "stablehlo" */
  const char         *mnemonic;     /* "precision" */
  const char *const  *words;        /* NULL-terminated; the index of a word is its value */
} GhloIrEnumSpec;

typedef struct
{
  const char        *dialect;
  const char        *mnemonic;      /* "gather" */
  const GhloIrField *fields;
  guint              n_fields;
} GhloIrStructSpec;

extern const GhloIrEnumSpec   ghlo_ir_enum_specs[];
extern const GhloIrStructSpec ghlo_ir_struct_specs[];

typedef struct _GhloIrLocation GhloIrLocation;

typedef struct
{
  const char       *name;           /* interned in the module */
  const GhloIrAttr *value;
} GhloIrNamedAttr;

/* Orders GhloIrNamedAttr by name; a GCompareFunc. */
int ghlo_ir_named_attr_compare (gconstpointer a,
                                gconstpointer b);

/* The elements of a dense attribute in the layout of buffers (every element in bytes of its own, row-major). A splat
 * stores one element that stands for all. */
typedef struct
{
  GBytes  *bytes;        /* owned by the module that created the attribute; executors take references */
  gboolean splat;
  gsize    n_elements;   /* number of elements of the tensor, also for a splat */
  const char *resource;  /* the key if the attribute was written as dense_resource<key>, else NULL */
} GhloIrDense;

struct _GhloIrAttr
{
  GhloIrAttrKind    kind;
  const GhloIrType *type;
  gsize             length;         /* of text, children, entries, integers, reals */
  union
  {
    gint64                   integer;      /* BOOL, INTEGER, ENUM */
    double                   real;         /* FLOAT */
    const char              *text;         /* STRING, SYMBOL, KEPT_ELEMENTS, OPAQUE; NUL-terminated */
    const GhloIrNamedAttr   *entries;      /* DICTIONARY */
    const gint64            *integers;     /* DENSE_ARRAY of integers and booleans */
    const double            *reals;        /* DENSE_ARRAY of floats */
    GhloIrDense              dense;        /* DENSE */
    const GhloIrLocation    *location;     /* LOCATION */
  };
  const GhloIrAttr *const *children;       /* ARRAY, STRUCT, SYMBOL (nested), DENSE_STRINGS */
  guint             subkind;               /* ENUM: GhloIrEnum; STRUCT: GhloIrStruct */
  guint32           extent;                /* the size of its printed form; see context.h */
};

const GhloIrAttr *ghlo_ir_attr_unit        (GhloIrModule *module);
const GhloIrAttr *ghlo_ir_attr_bool        (GhloIrModule *module, gboolean value);
const GhloIrAttr *ghlo_ir_attr_integer     (GhloIrModule *module, const GhloIrType *type, gint64 value);
const GhloIrAttr *ghlo_ir_attr_i64         (GhloIrModule *module, gint64 value);
const GhloIrAttr *ghlo_ir_attr_float       (GhloIrModule *module, const GhloIrType *type, double value);
const GhloIrAttr *ghlo_ir_attr_string      (GhloIrModule *module, const char *text, gssize length);
const GhloIrAttr *ghlo_ir_attr_symbol      (GhloIrModule *module, const char *name,
                                            const GhloIrAttr *const *nested, gsize n_nested);
const GhloIrAttr *ghlo_ir_attr_type        (GhloIrModule *module, const GhloIrType *type);
const GhloIrAttr *ghlo_ir_attr_array       (GhloIrModule *module, const GhloIrAttr *const *children, gsize n);
/* Sorts the entries by name. Names must be unique; the caller checks that. */
const GhloIrAttr *ghlo_ir_attr_dictionary  (GhloIrModule *module, const GhloIrNamedAttr *entries, gsize n);
/* @bytes holds n elements of @tensor's element type in buffer layout,
 * or one if @splat. Takes ownership of @bytes. @resource may be NULL. */
const GhloIrAttr *ghlo_ir_attr_dense       (GhloIrModule *module, const GhloIrType *tensor,
                                            GBytes *bytes, gboolean splat, const char *resource);
const GhloIrAttr *ghlo_ir_attr_dense_strings (GhloIrModule *module, const GhloIrType *tensor,
                                            const GhloIrAttr *const *children, gsize n);
const GhloIrAttr *ghlo_ir_attr_integers    (GhloIrModule *module, GhloElementType element_type,
                                            const gint64 *values, gsize n);
const GhloIrAttr *ghlo_ir_attr_i64s        (GhloIrModule *module, const gint64 *values, gsize n);
const GhloIrAttr *ghlo_ir_attr_reals       (GhloIrModule *module, GhloElementType element_type,
                                            const double *values, gsize n);
const GhloIrAttr *ghlo_ir_attr_enum        (GhloIrModule *module, GhloIrEnum enumeration, gint64 value);
/* @fields has one attribute for each field of the structure, NULL for one that is absent. */
const GhloIrAttr *ghlo_ir_attr_struct      (GhloIrModule *module, GhloIrStruct structure,
                                            const GhloIrAttr *const *fields);
const GhloIrAttr *ghlo_ir_attr_location    (GhloIrModule *module, const GhloIrLocation *location);
const GhloIrAttr *ghlo_ir_attr_kept_elements (GhloIrModule *module, const GhloIrType *tensor, const char *text);
const GhloIrAttr *ghlo_ir_attr_opaque      (GhloIrModule *module, const char *text);

/* Read a field of a STRUCT: its dimensions (empty if absent), its integer, or its attribute. */
const gint64     *ghlo_ir_struct_get_dims  (const GhloIrAttr *self, const char *field, gsize *n);
gint64            ghlo_ir_struct_get_int   (const GhloIrAttr *self, const char *field);
const GhloIrAttr *ghlo_ir_struct_get       (const GhloIrAttr *self, const char *field);

const GhloIrAttr *ghlo_ir_dictionary_get   (const GhloIrAttr *self, const char *name);

/* Returns the word of an ENUM ("HIGHEST"), or the value of a word, -1 if there is none. */
const char       *ghlo_ir_enum_word        (const GhloIrAttr *self);
gint64            ghlo_ir_enum_from_word   (GhloIrEnum enumeration, const char *word);

/* Element @index of a DENSE attribute, splat or not. */
GhloScalar        ghlo_ir_dense_get        (const GhloIrAttr *self, gsize index);
/* Reads the elements of a DENSE attribute of integers or booleans, a splat repeated for each element, into an array
 * that the caller frees. Returns FALSE for any other attribute. */
gboolean          ghlo_ir_dense_to_int64   (const GhloIrAttr *self, gint64 **values, gsize *n);

/* Appends MLIR's spelling of the attribute. The printer implements
 * this function; it is declared here because types use it. */
void              ghlo_ir_attr_append      (const GhloIrAttr *attr, GString *string);
/* The same for messages, shortened to the length of a line; owned by the caller. */
char             *ghlo_ir_attr_to_string   (const GhloIrAttr *attr);

G_END_DECLS
