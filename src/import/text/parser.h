/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the text importer share: the parser's state and the calls
 * from one part of the grammar into another.
 *
 * Every parsing function returns FALSE or NULL after it has reported exactly
 * one error; callers pass that on. Functions read from the current token on and
 * leave the first token behind what they read as the current one.
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

/* A name of the text that stands for an attribute or a type. */
typedef struct
{
  const char       *name;          /* with its # or !, in the text */
  gsize             length;
  guint32           hash;
  gboolean          resolving;     /* its definition is being read */
  gboolean          failed;
  GhloImportLexer   definition;    /* stands on the name; unused once known */
  GhloImportLexer   behind;        /* stands on the first token behind the definition */
  const GhloIrAttr *attr;          /* of a # name */
  const GhloIrType *type;          /* of a ! name */
} GhloImportAlias;

/* A blob of the {-# … #-} section. */
typedef struct
{
  const char *key;                 /* interned */
  const char *hex;                 /* the string's text without quotes and 0x */
  gsize       hex_length;
  GBytes     *bytes;               /* decoded, without the alignment; NULL until needed */
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

/* An operation being read. One for each level of nesting, used again. */
typedef struct
{
  GhloIrOpKind           kind;
  const GhloIrOpSpec    *spec;
  GhloImportPosition     position;          /* of its name */
  GHLO_IMPORT_VECTOR (GhloImportName) operands;
  guint                  group_sizes[8];    /* of the row's operand groups, by the pretty form */
  guint                  n_groups_read;
  GhloImportTypes        operand_types;
  GhloImportTypes        result_types;
  GhloImportEntries      discardable;       /* names interned */
  const GhloIrAttr      *inherent[64];      /* in the row's order */
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
  const char       *text;                   /* in the source; NULL when the slot is free */
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
  guint              depth;                 /* of attributes, types, regions */
  guint              location_depth;        /* of locations, which may nest deeper */
  guint              n_ops;                 /* since the monitor was asked */
  gboolean           stopped;               /* cancelled, or past recovery */

  GhloImportScopes   scopes;
  GHLO_IMPORT_VECTOR (GhloImportOp *) ops;  /* owned; the first n_open are in use */
  gsize              n_open;
  GHLO_IMPORT_VECTOR (const char *) dialects; /* for names without a dialect, innermost last */

  GHLO_IMPORT_VECTOR (GhloImportAlias *) aliases;   /* owned */
  guint32           *alias_slots;           /* index + 1, open addressing */
  gsize              n_alias_slots;
  gboolean           aliases_found;         /* the whole text was searched for definitions */

  GHLO_IMPORT_VECTOR (GhloImportResource) resources;
  guint64            n_unpacked;            /* bytes of constants that resources were unpacked to */
  gboolean           resources_found;
  GhloImportLexer    behind_resources;

  /* Stacks of what is being read: a function remembers the height, pushes,
   * and goes back to the height. */
  GhloImportTypes    types;
  GhloImportAttrs    attrs;
  GhloImportEntries  entries;
  GhloImportInts     ints;

  /* A resource's key (with NULL): its number + 1; with a type: the constant of it. An
   * attribute with a row of the op table that it was found to fit: itself. */
  GhloImportMemo     memo;

  GhloImportCachedType type_cache[GHLO_IMPORT_TYPE_CACHE];
  const GhloIrType    *element_types[GHLO_ELEMENT_TYPE_INDEX + 1];
} GhloImportParser;

/* parser.c: the state, tokens, errors. */
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
/* "expected @what, found …" at the current token. */
gboolean         ghlo_import_expected        (GhloImportParser *self, const char *what);
#define ghlo_import_expected(...) GHLO_FALSE_AFTER (ghlo_import_expected (__VA_ARGS__))
/* Text of the source for a message: valid UTF-8, one line, shortened. */
char            *ghlo_import_quote           (const char *text, gsize length);
gboolean         ghlo_import_enter           (GhloImportParser *self);   /* one level deeper; FALSE at the limit */
void             ghlo_import_leave           (GhloImportParser *self);
gboolean         ghlo_import_expect          (GhloImportParser *self, guint kind, const char *what);
gboolean         ghlo_import_expect_word     (GhloImportParser *self, const char *word);
gboolean         ghlo_import_parse_integer   (GhloImportParser *self, gint64 *value);
/* The current token's number; FALSE without a report when it exceeds 64 bits. */
gboolean         ghlo_import_token_unsigned  (GhloImportParser *self, guint64 *value);
gboolean         ghlo_import_token_is_hex    (const GhloImportParser *self);
double           ghlo_import_text_to_double  (const char *text, gsize length);
/* A string token, or an @symbol's, without escapes; to be freed. */
char            *ghlo_import_token_string    (GhloImportParser *self, gsize *length);
/* A word, or a string without NUL, interned: names of attributes. */
const char      *ghlo_import_parse_name      (GhloImportParser *self);
/* "@name" or "@\"name\"", interned; NULL after a report. */
const char      *ghlo_import_parse_symbol_name (GhloImportParser *self);
/* Source text from @open to its matching bracket; moves behind it. @open must
 * be the current token or behind it on its line. Returns the end, or NULL. */
/* The text of another dialect's attribute or type from behind its # or ! to the
 * end of its brackets; NULL with an error. @what is for the error. */
char            *ghlo_import_opaque_text     (GhloImportParser *self, const char *what);
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

/* Moves on and returns TRUE when the current token is of @kind. */
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

/* parse-quant.c: behind "!quant.uniform". */
/* NULL, without a report where *foreign: it is well formed, and its storage is of no tensor of ours. */
const GhloIrType     *ghlo_import_parse_quantized  (GhloImportParser *self, gboolean *foreign);

/* parse-attr.c */
const GhloIrAttr     *ghlo_import_parse_attr       (GhloImportParser *self);
/* A literal whose type is known, without ": type". @type may be NULL. */
const GhloIrAttr     *ghlo_import_parse_typed_attr (GhloImportParser *self, const GhloIrType *type);
/* An attribute in the short spelling that pretty forms use for its kind. */
const GhloIrAttr     *ghlo_import_parse_attr_of    (GhloImportParser *self, const GhloIrAttrSpec *spec);
/* "[1, 2]" appended to @ints; "?" is -1 where @dynamic. */
gboolean              ghlo_import_parse_ints       (GhloImportParser *self, GhloImportInts *ints, gboolean dynamic);
const GhloIrAttr     *ghlo_import_parse_i64s       (GhloImportParser *self);
/* "{name = value, …}"; entries are appended to self->entries, with duplicates refused. */
gboolean              ghlo_import_parse_entries    (GhloImportParser *self);
const GhloIrAttr     *ghlo_import_parse_dictionary (GhloImportParser *self);
/* TRUE when @value fits the integer type; else reports at @position. */
gboolean              ghlo_import_check_integer    (GhloImportParser *self, GhloImportPosition position,
                                                    const GhloIrType *type, gboolean negative, guint64 magnitude,
                                                    gint64 *value);

/* parse-dialect-attr.c: enumerations and structures of attrs.def. */
const GhloIrAttr     *ghlo_import_parse_dialect_attr (GhloImportParser *self);
const GhloIrAttr     *ghlo_import_parse_enum_word  (GhloImportParser *self, GhloIrEnum enumeration);
/* From its "<" on. */
const GhloIrAttr     *ghlo_import_parse_struct     (GhloImportParser *self, GhloIrStruct structure);
/* "[b, 0, f]x[0, i, o]->[b, 0, f]". */
const GhloIrAttr     *ghlo_import_parse_conv_dimensions (GhloImportParser *self);

/* parse-dense.c: from the word on. @type NULL: ": type" follows. */
const GhloIrAttr     *ghlo_import_parse_dense      (GhloImportParser *self, const GhloIrType *type);
const GhloIrAttr     *ghlo_import_parse_dense_array (GhloImportParser *self);
const GhloIrAttr     *ghlo_import_parse_dense_resource (GhloImportParser *self, const GhloIrType *type);

/* hex.c */
/* FALSE when @text has a character that is no hexadecimal digit; n_bytes * 2 characters are read. */
gboolean              ghlo_import_decode_hex       (guint8 *bytes, const char *text, gsize n_bytes);

/* resources.c */
gboolean              ghlo_import_parse_resources  (GhloImportParser *self);
/* @key is interned; @position is where the text has it. */
GBytes               *ghlo_import_find_resource    (GhloImportParser *self, GhloImportPosition position,
                                                    const char *key);

/* parse-location.c */
/* "loc(…)" when it is there; *location is unchanged otherwise. */
gboolean              ghlo_import_accept_location  (GhloImportParser *self, const GhloIrLocation **location);
const GhloIrLocation *ghlo_import_parse_location   (GhloImportParser *self);

/* parse-op.c */
gboolean              ghlo_import_parse_op         (GhloImportParser *self, GhloIrBlock *block);
gboolean              ghlo_import_parse_operand    (GhloImportParser *self, GhloImportOp *op);
/* Any number of operands, separated by commas. */
gboolean              ghlo_import_parse_operands   (GhloImportParser *self, GhloImportOp *op);
gboolean              ghlo_import_parse_value_name (GhloImportParser *self, GhloImportName *name);
/* The dictionary of attributes when it is there. */
gboolean              ghlo_import_parse_op_attrs   (GhloImportParser *self, GhloImportOp *op);
/* "<{…}>" when it is there. */
gboolean              ghlo_import_parse_properties (GhloImportParser *self, GhloImportOp *op);
void                  ghlo_import_set_inherent     (GhloImportOp *op, const char *name, const GhloIrAttr *attr);
GhloIrRegion         *ghlo_import_add_region       (GhloImportParser *self, GhloImportOp *op);
/* Types of operands and results out of a function type. */
gboolean              ghlo_import_assign_types     (GhloImportParser *self, GhloImportOp *op,
                                                    const GhloIrType *function);
gboolean              ghlo_import_op_is_isolated   (const GhloImportOp *op);
/* A name as the operation table has it: with the default dialect where it has none. */
GhloIrOpKind          ghlo_import_find_op          (GhloImportParser *self, const char *name, gsize length);
/* Whether an operation may be kept without a row: its name is plain, and its
 * dialect is not one that has rows, whose operations must be known. */
gboolean              ghlo_import_is_foreign       (const char *name, gsize length);

/* make-op.c */
gboolean              ghlo_import_make_op          (GhloImportParser *self, GhloImportOp *op, GhloIrBlock *block);
/* Gives @n consecutive values a name, and reports why it cannot. */
gboolean              ghlo_import_define           (GhloImportParser *self, const GhloImportName *name,
                                                    GhloIrValue *values, guint n);

/* parse-region.c */
/* One at the outermost level; goes on behind one that could not be read. */
gboolean              ghlo_import_parse_top_level_op (GhloImportParser *self, GhloIrBlock *block);
/* "{ … }" into @region; @arguments are the entry block's when it has no label. */
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
