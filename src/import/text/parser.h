/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the files of the text importer: the parser's state and the functions for the parts of the grammar.
 *
 * Every parsing function that fails reports exactly one error and returns FALSE or NULL; callers pass that on.
 * Functions start at the current token and leave the first token after the text they read as the current one.
 */

#pragma once

#include "base/fail.h"
#include "import/import.h"
#include "import/text/lexer.h"
#include "import/memo.h"
#include "import/text/scope.h"
#include "import/text/unpack.h"
#include "import/vector.h"
#include "ir/assembly.h"

G_BEGIN_DECLS

typedef struct
{
  guint line, column;
} GhloImportPosition;

/* An alias: a name for an attribute or a type. */
typedef struct
{
  const char       *name;          /* including its # or !, points into the text */
  gsize             length;
  guint32           hash;
  gboolean          resolving;     /* its definition is being read */
  gboolean          failed;
  GhloImportLexer   definition;    /* at the name; unused once the alias is known */
  GhloImportLexer   behind;        /* at the first token after the definition */
  const GhloIrAttr *attr;          /* for a # name */
  const GhloIrType *type;          /* for a ! name */
} GhloImportAlias;

/* A blob of the {-# … #-} section. */
typedef struct
{
  const char *key;                 /* interned */
  const char *hex;                 /* the string's text without quotes and 0x */
  gsize       hex_length;
  GBytes     *bytes;               /* decoded, without the alignment; NULL until first use */
} GhloImportResource;

typedef GHLO_IMPORT_VECTOR (const GhloIrType *) GhloImportTypes;
typedef GHLO_IMPORT_VECTOR (const GhloIrAttr *) GhloImportAttrs;
typedef GHLO_IMPORT_VECTOR (GhloIrNamedAttr) GhloImportEntries;
typedef GHLO_IMPORT_VECTOR (gint64) GhloImportInts;

/* A result name of an operation: "%a:2". */
typedef struct
{
  GhloImportName  name;
  guint           n;
} GhloImportResultName;

/* An operation being read. There is one for each nesting level, and they are reused. */
typedef struct
{
  GhloIrOpKind           kind;
  const GhloIrOpSpec    *spec;
  GhloImportPosition     position;          /* position of its name */
  GHLO_IMPORT_VECTOR (GhloImportName) operands;
  guint                  group_sizes[8];    /* sizes of the row's operand groups, set by the pretty form */
  guint                  n_groups_read;
  GhloImportTypes        operand_types;
  GhloImportTypes        result_types;
  GhloImportEntries      discardable;       /* names are interned */
  const GhloIrAttr      *inherent[64];      /* in the order of the row */
  GHLO_IMPORT_VECTOR (GhloIrRegion *) regions;
  GHLO_IMPORT_VECTOR (GhloImportResultName) names;
  const GhloIrLocation  *location;
} GhloImportOp;

/* An argument of a region's entry block that the operation's pretty form declares. */
typedef struct
{
  GhloImportName         name;
  const GhloIrType      *type;
  const GhloIrLocation  *location;
} GhloImportArgument;

typedef GHLO_IMPORT_VECTOR (GhloImportArgument) GhloImportArguments;

typedef struct
{
  const char       *text;                   /* points into the source; NULL if the slot is free */
  guint32           length;
  guint32           hash;
  const GhloIrType *type;
} GhloImportCachedType;

enum { GHLO_IMPORT_TYPE_CACHE = 1024 };

typedef struct
{
  GhloImportLexer    lexer;
  GhloIrModule      *module;
  GhloDiagnostics   *diagnostics;
  const GhloMonitor *monitor;
  GhloImportFlags    flags;
  guint              depth;                 /* nesting depth of attributes, types and regions */
  guint              location_depth;        /* the same for locations, which may nest deeper */
  guint              n_ops;                 /* since the monitor was last checked */
  gboolean           stopped;               /* cancelled, or unable to recover */

  GhloImportScopes   scopes;
  GHLO_IMPORT_VECTOR (GhloImportOp *) ops;  /* owned; the first n_open are in use */
  gsize              n_open;
  GHLO_IMPORT_VECTOR (const char *) dialects; /* default dialects for names without one, innermost last */

  GHLO_IMPORT_VECTOR (GhloImportAlias *) aliases;   /* owned */
  guint32           *alias_slots;           /* index + 1, open addressing */
  gsize              n_alias_slots;
  gboolean           aliases_found;         /* the whole text has been searched for definitions */

  GHLO_IMPORT_VECTOR (GhloImportResource) resources;
  guint64            n_unpacked;            /* bytes of constants that were unpacked from resources */
  gboolean           resources_found;
  GhloImportLexer    behind_resources;

  /* Stacks of items being read: a function saves the height, pushes items, and restores the height at the end. */
  GhloImportTypes    types;
  GhloImportAttrs    attrs;
  GhloImportEntries  entries;
  GhloImportInts     ints;

  /* Caches. (resource key, NULL) → number + 1 of the resource. (resource key, type) → the constant. (attribute, row
   * of the op table) → the attribute, if it fits the row. */
  GhloImportMemo     memo;

  GhloImportCachedType type_cache[GHLO_IMPORT_TYPE_CACHE];
  const GhloIrType    *element_types[GHLO_ELEMENT_TYPE_INDEX + 1];
} GhloImportParser;

/* parser.c: state, tokens, errors. */
void             ghlo_import_parser_init     (GhloImportParser *self, GhloIrModule *module, const char *text,
                                              gsize length, GhloDiagnostics *diagnostics, const GhloMonitor *monitor);
void             ghlo_import_parser_clear    (GhloImportParser *self);
/* These add an error and return FALSE. */
gboolean         ghlo_import_fail            (GhloImportParser *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
#define ghlo_import_fail(...) GHLO_FALSE_AFTER (ghlo_import_fail (__VA_ARGS__))
gboolean         ghlo_import_fail_at         (GhloImportParser *self, GhloImportPosition position,
                                              const char *format, ...) G_GNUC_PRINTF (3, 4);
#define ghlo_import_fail_at(...) GHLO_FALSE_AFTER (ghlo_import_fail_at (__VA_ARGS__))
gboolean         ghlo_import_unsupported     (GhloImportParser *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
#define ghlo_import_unsupported(...) GHLO_FALSE_AFTER (ghlo_import_unsupported (__VA_ARGS__))
gboolean         ghlo_import_no_memory       (GhloImportParser *self, GhloImportPosition position, const char *what,
                                              gsize n_bytes);
#define ghlo_import_no_memory(...) GHLO_FALSE_AFTER (ghlo_import_no_memory (__VA_ARGS__))
/* Reports "expected @what, found …" at the current token. */
gboolean         ghlo_import_expected        (GhloImportParser *self, const char *what);
#define ghlo_import_expected(...) GHLO_FALSE_AFTER (ghlo_import_expected (__VA_ARGS__))
/* Source text for a message: valid UTF-8, on one line, shortened. */
char            *ghlo_import_quote           (const char *text, gsize length);
gboolean         ghlo_import_enter           (GhloImportParser *self);   /* one level deeper; FALSE at the limit */
void             ghlo_import_leave           (GhloImportParser *self);
gboolean         ghlo_import_expect          (GhloImportParser *self, guint kind, const char *what);
gboolean         ghlo_import_expect_word     (GhloImportParser *self, const char *word);
gboolean         ghlo_import_parse_integer   (GhloImportParser *self, gint64 *value);
/* The number that the current token spells. Returns FALSE without a report if it exceeds 64 bits. */
gboolean         ghlo_import_token_unsigned  (GhloImportParser *self, guint64 *value);
gboolean         ghlo_import_token_is_hex    (const GhloImportParser *self);
double           ghlo_import_text_to_double  (const char *text, gsize length);
/* Returns the text of a string or @symbol token with its escapes resolved; free with g_free (). */
char            *ghlo_import_token_string    (GhloImportParser *self, gsize *length);
/* A bare word, or a string without NULs, interned: attribute names. */
const char      *ghlo_import_parse_name      (GhloImportParser *self);
/* "@name" or "@\"name\"", interned; NULL after a report. */
const char      *ghlo_import_parse_symbol_name (GhloImportParser *self);
/* Returns the text of another dialect's attribute or type, from after its # or ! to the end of its brackets; NULL
 * after a report. @what is for the error message. */
char            *ghlo_import_opaque_text     (GhloImportParser *self, const char *what);
/* Skips source text from @open to its matching bracket. @open must be at the current token or after it on the same
 * line. Returns the end of the skipped text, or NULL after a report. */
const char      *ghlo_import_skip_balanced   (GhloImportParser *self, const char *open);

static inline GhloImportPosition
ghlo_import_position (const GhloImportParser *self)
{
  return (GhloImportPosition) {
    .line = self->lexer.line,
    .column = (guint) (self->lexer.start - self->lexer.line_start) + 1,
  };
}

static inline gboolean
ghlo_import_at (const GhloImportParser *self,
                guint                   kind)
{
  return self->lexer.kind == kind;
}

static inline gboolean
ghlo_import_at_word (const GhloImportParser *self,
                     const char             *word)
{
  return self->lexer.kind == GHLO_TOKEN_BARE && ghlo_import_lexer_is (&self->lexer, word);
}

static inline void
ghlo_import_next (GhloImportParser *self)
{
  ghlo_import_lexer_next (&self->lexer);
}

/* Advances and returns TRUE if the current token is of @kind. */
static inline gboolean
ghlo_import_accept (GhloImportParser *self,
                    guint             kind)
{
  if (self->lexer.kind != kind)
    return FALSE;
  ghlo_import_lexer_next (&self->lexer);

  return TRUE;
}

static inline gboolean
ghlo_import_accept_word (GhloImportParser *self,
                         const char       *word)
{
  if (!ghlo_import_at_word (self, word))
    return FALSE;
  ghlo_import_lexer_next (&self->lexer);

  return TRUE;
}

/* parse-alias.c */
gboolean              ghlo_import_parse_alias      (GhloImportParser *self);
const GhloIrAttr     *ghlo_import_attr_alias       (GhloImportParser *self);
const GhloIrType     *ghlo_import_type_alias       (GhloImportParser *self);

/* parse-type.c */
const GhloIrType     *ghlo_import_parse_type       (GhloImportParser *self);
/* "(types) -> types". */
const GhloIrType     *ghlo_import_parse_function_type (GhloImportParser *self);
/* One or more types, separated by commas, appended to @types. */
gboolean              ghlo_import_parse_types      (GhloImportParser *self, GhloImportTypes *types);
const GhloIrType     *ghlo_import_element_type     (GhloImportParser *self, GhloElementType element_type);

/* parse-quant.c: after "!quant.uniform". */
/* Returns NULL after a report, or without one if *foreign is set: the
 * type is well formed, but GHLO's tensors cannot have its storage type. */
const GhloIrType     *ghlo_import_parse_quantized  (GhloImportParser *self, gboolean *foreign);

/* parse-attr.c */
const GhloIrAttr     *ghlo_import_parse_attr       (GhloImportParser *self);
/* A literal without ": type", since its type is known. @type may be NULL. */
const GhloIrAttr     *ghlo_import_parse_typed_attr (GhloImportParser *self, const GhloIrType *type);
/* An attribute in the short spelling that pretty forms use for its kind. */
const GhloIrAttr     *ghlo_import_parse_attr_of    (GhloImportParser *self, const GhloIrAttrSpec *spec);
/* Appends "[1, 2]" to @ints; with @dynamic, "?" is read as -1. */
gboolean              ghlo_import_parse_ints       (GhloImportParser *self, GhloImportInts *ints, gboolean dynamic);
const GhloIrAttr     *ghlo_import_parse_i64s       (GhloImportParser *self);
/* "{name = value, …}". Appends the entries to self->entries and rejects duplicates. */
gboolean              ghlo_import_parse_entries    (GhloImportParser *self);
const GhloIrAttr     *ghlo_import_parse_dictionary (GhloImportParser *self);
/* Whether the value fits the integer type; otherwise reports at @position. */
gboolean              ghlo_import_check_integer    (GhloImportParser *self, GhloImportPosition position,
                                                    const GhloIrType *type, gboolean negative, guint64 magnitude,
                                                    gint64 *value);

/* parse-dialect-attr.c: enumerations and structures of attrs.def. */
const GhloIrAttr     *ghlo_import_parse_dialect_attr (GhloImportParser *self);
const GhloIrAttr     *ghlo_import_parse_enum_word  (GhloImportParser *self, GhloIrEnum enumeration);
/* The part from "<" on. */
const GhloIrAttr     *ghlo_import_parse_struct     (GhloImportParser *self, GhloIrStruct structure);
/* "[b, 0, f]x[0, i, o]->[b, 0, f]". */
const GhloIrAttr     *ghlo_import_parse_conv_dimensions (GhloImportParser *self);

/* parse-dense.c: from the keyword on. If @type is NULL, ": type" follows. */
const GhloIrAttr     *ghlo_import_parse_dense      (GhloImportParser *self, const GhloIrType *type);
const GhloIrAttr     *ghlo_import_parse_dense_array (GhloImportParser *self);
const GhloIrAttr     *ghlo_import_parse_dense_resource (GhloImportParser *self, const GhloIrType *type);

/* hex.c */
/* Reads n_bytes * 2 characters. Returns FALSE if one of them is not a hexadecimal digit. */
gboolean              ghlo_import_decode_hex       (guint8 *bytes, const char *text, gsize n_bytes);

/* resources.c */
gboolean              ghlo_import_parse_resources  (GhloImportParser *self);
/* @key is interned; @position is the place of the reference, for errors. */
GBytes               *ghlo_import_find_resource    (GhloImportParser *self, GhloImportPosition position,
                                                    const char *key);

/* parse-location.c */
/* Accepts an optional "loc(…)". If absent, *location is unchanged. */
gboolean              ghlo_import_accept_location  (GhloImportParser *self, const GhloIrLocation **location);
const GhloIrLocation *ghlo_import_parse_location   (GhloImportParser *self);

/* parse-op.c */
gboolean              ghlo_import_parse_op         (GhloImportParser *self, GhloIrBlock *block);
gboolean              ghlo_import_parse_operand    (GhloImportParser *self, GhloImportOp *op);
/* Any number of operands, separated by commas. */
gboolean              ghlo_import_parse_operands   (GhloImportParser *self, GhloImportOp *op);
gboolean              ghlo_import_parse_value_name (GhloImportParser *self, GhloImportName *name);
/* The optional attribute dictionary. */
gboolean              ghlo_import_parse_op_attrs   (GhloImportParser *self, GhloImportOp *op);
/* The optional "<{…}>". */
gboolean              ghlo_import_parse_properties (GhloImportParser *self, GhloImportOp *op);
void                  ghlo_import_set_inherent     (GhloImportOp *op, const char *name, const GhloIrAttr *attr);
GhloIrRegion         *ghlo_import_add_region       (GhloImportParser *self, GhloImportOp *op);
/* Takes the types of operands and results from a function type. */
gboolean              ghlo_import_assign_types     (GhloImportParser *self, GhloImportOp *op,
                                                    const GhloIrType *function);
gboolean              ghlo_import_op_is_isolated   (const GhloImportOp *op);
/* Looks up an operation name, with the default dialect if it has none. */
GhloIrOpKind          ghlo_import_find_op          (GhloImportParser *self, const char *name, gsize length);
/* Whether an operation without a row may be kept: its name is plain, and its dialect has no rows. In a dialect that
 * has rows, every operation must be known. */
gboolean              ghlo_import_is_foreign       (const char *name, gsize length);

/* make-op.c */
gboolean              ghlo_import_make_op          (GhloImportParser *self, GhloImportOp *op, GhloIrBlock *block);
/* Gives @n consecutive values a name; reports an error if that is impossible. */
gboolean              ghlo_import_define           (GhloImportParser *self, const GhloImportName *name,
                                                    GhloIrValue *values, guint n);

/* parse-region.c */
/* Parses one operation at the outermost level. After an error, continues behind the operation. */
gboolean              ghlo_import_parse_top_level_op (GhloImportParser *self, GhloIrBlock *block);
/* Parses "{ … }" into @region. @arguments are those of the entry block if it has no label. */
gboolean              ghlo_import_parse_region     (GhloImportParser *self, GhloIrRegion *region,
                                                    const GhloImportArguments *arguments, gboolean isolated);

/* parse-pretty.c */
gboolean              ghlo_import_parse_pretty     (GhloImportParser *self, GhloImportOp *op);

/* Custom directives: parse-directives.c, parse-structured.c (func, module, reduce,
 * while, scan), parse-sharding.c. */
typedef gboolean (*GhloImportDirective) (GhloImportParser *self, GhloImportOp *op);

extern const GhloImportDirective ghlo_import_directives[GHLO_IR_N_DIRECTIVES];

gboolean ghlo_import_directive_reduce          (GhloImportParser *self, GhloImportOp *op);
gboolean ghlo_import_directive_while           (GhloImportParser *self, GhloImportOp *op);
gboolean ghlo_import_directive_scan            (GhloImportParser *self, GhloImportOp *op);
gboolean ghlo_import_directive_func            (GhloImportParser *self, GhloImportOp *op);
gboolean ghlo_import_directive_module          (GhloImportParser *self, GhloImportOp *op);
gboolean ghlo_import_directive_sdy_mesh        (GhloImportParser *self, GhloImportOp *op);
gboolean ghlo_import_directive_sdy_constraint  (GhloImportParser *self, GhloImportOp *op);
gboolean ghlo_import_directive_sdy_manual      (GhloImportParser *self, GhloImportOp *op);

G_END_DECLS
