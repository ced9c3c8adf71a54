/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the files of the printer. Functions named put_… append to the printer's text. They recurse as deep as
 * regions, attributes and types nest, which the readers limit (GHLO_MAX_NESTING).
 */

#pragma once

#include "ir/assembly.h"
#include "ir/print/print.h"

G_BEGIN_DECLS

typedef struct _GhloIrNames GhloIrNames;

typedef struct
{
  GString          *out;
  GhloIrPrintFlags  flags;
  guint             indent;      /* of the operation being printed, in spaces */
  const char       *dialect;     /* the prefix that operations omit at this place: "func.", or "" */
  GhloIrNames      *names;       /* names of values; NULL if only attributes and types are printed */
  GHashTable       *resources;   /* key → the DENSE attribute that uses the key; created on first use */
  gboolean          is_cut;      /* memory did not suffice for the elements of a constant */
} GhloIrPrinter;

/* Whether a number is followed by its type. */
typedef enum
{
  GHLO_IR_TYPED,          /* always */
  GHLO_IR_TYPED_UNUSUAL,  /* unless it is i64 or f64, the type of a bare number: in arrays */
  GHLO_IR_UNTYPED,        /* never: the reader knows the type */
} GhloIrTyping;

/* names.c */
GhloIrNames *ghlo_ir_names_new         (const GhloIrOp *op, gboolean generic);
void         ghlo_ir_names_free        (GhloIrNames *self);
/* "%arg0", "%3#1". */
void         ghlo_ir_put_value         (GhloIrPrinter *self, const GhloIrValue *value);
/* "%0:2 = ", or nothing. */
void         ghlo_ir_put_result_names  (GhloIrPrinter *self, const GhloIrOp *op);

/* attr.c */
void         ghlo_ir_put_attr          (GhloIrPrinter *self, const GhloIrAttr *attr, GhloIrTyping typing);
/* "{a = 1 : i64, b}". */
void         ghlo_ir_put_entries       (GhloIrPrinter *self, const GhloIrNamedAttr *entries, gsize n);
/* "[1, 2]". */
void         ghlo_ir_put_dims          (GhloIrPrinter *self, const gint64 *dims, gsize n);
/* The numbers of a DENSE_ARRAY, separated by commas. */
void         ghlo_ir_put_numbers       (GhloIrPrinter *self, const GhloIrAttr *array);

/* text.c: names and strings. */
void         ghlo_ir_put_quoted        (GString *out, const char *text, gsize length);
/* Puts an identifier unquoted and any other text in quotes. */
void         ghlo_ir_put_keyword       (GString *out, const char *text);
void         ghlo_ir_put_symbol        (GString *out, const char *name);
void         ghlo_ir_put_newline       (GhloIrPrinter *self);
/* Puts the text of another dialect's attribute or type on one line. */
void         ghlo_ir_put_kept_text     (GString *out, const char *text);

/* struct.c: enumerations and structures of attrs.def. */
void         ghlo_ir_put_enum          (GhloIrPrinter *self, const GhloIrAttr *attr);
void         ghlo_ir_put_struct        (GhloIrPrinter *self, const GhloIrAttr *attr);
/* The part from "<" on. */
void         ghlo_ir_put_struct_body   (GhloIrPrinter *self, const GhloIrAttr *attr);
/* "[b, 0, f]x[0, i, o]->[b, 0, f]"; if the numbers are no permutations, returns FALSE and puts nothing. */
gboolean     ghlo_ir_put_conv_dimensions (GhloIrPrinter *self, const GhloIrAttr *attr);

/* elements.c */
/* Puts a DENSE attribute without its type. */
void         ghlo_ir_put_dense         (GhloIrPrinter *self, const GhloIrAttr *attr);
/* Puts the {-# … #-} section with the resources that were printed, if any. */
void         ghlo_ir_put_resources     (GhloIrPrinter *self);

/* type.c */
void         ghlo_ir_put_type          (GhloIrPrinter *self, const GhloIrType *type);
/* "a, b". */
void         ghlo_ir_put_types         (GhloIrPrinter *self, const GhloIrType *const *types, gsize n);
/* The types after an arrow: "a", "(a, b)", "()". */
void         ghlo_ir_put_result_types  (GhloIrPrinter *self, const GhloIrType *const *types, gsize n);

/* location.c */
/* " loc(…)" if there is a location and the flags do not strip it. */
void         ghlo_ir_put_location      (GhloIrPrinter *self, const GhloIrLocation *location);
/* Without "loc(" and ")". */
void         ghlo_ir_put_location_body (GhloIrPrinter *self, const GhloIrLocation *location);

/* print.c */
void         ghlo_ir_put_op            (GhloIrPrinter *self, const GhloIrOp *op);
/* The generic form after the name: "(%0) <{…}> ({…}) {…} : (…) -> …". */
void         ghlo_ir_put_generic_body  (GhloIrPrinter *self, const GhloIrOp *op);
/* "{ … }"; with @label, a label with the entry block's arguments comes first. */
void         ghlo_ir_put_region        (GhloIrPrinter *self, const GhloIrRegion *region, gboolean label);
/* "%a: t loc(…)". */
void         ghlo_ir_put_argument      (GhloIrPrinter *self, const GhloIrValue *argument);
/* "%0, %1". */
void         ghlo_ir_put_operands      (GhloIrPrinter *self, const GhloIrOp *op, guint first, guint n);
/* "(a, b) -> c". */
void         ghlo_ir_put_functional    (GhloIrPrinter *self, const GhloIrOp *op);
/* Puts a space, @keyword (nullable) and the attributes that are neither in @shown nor equal to the row's defaults. */
void         ghlo_ir_put_attr_dict     (GhloIrPrinter *self, const GhloIrOp *op, guint64 shown, const char *keyword);

/* pretty.c */
/* Returns whether reading the pretty form would give @op back. */
gboolean     ghlo_ir_has_pretty_form   (const GhloIrOp *op);
void         ghlo_ir_put_pretty        (GhloIrPrinter *self, const GhloIrOp *op);
/* Returns whether @value is the row's default. */
gboolean     ghlo_ir_attr_is_default   (const GhloIrAttrSpec *spec, const GhloIrAttr *value);

/* Custom directives: directives.c (types, attributes), structured.c (func, module,
 * reduce, while, scan), sharding.c. */
typedef struct
{
  void     (*put)  (GhloIrPrinter *self, const GhloIrOp *op, guint64 shown);
  gboolean (*fits) (const GhloIrOp *op);   /* FALSE if the generic form is needed; NULL: always fits */
  gboolean   glued;                        /* no space before the directive */
} GhloIrPrintDirective;

const GhloIrPrintDirective *ghlo_ir_print_directive            (GhloIrAsmDirective directive);
const GhloIrPrintDirective *ghlo_ir_print_structured_directive (GhloIrAsmDirective directive);
const GhloIrPrintDirective *ghlo_ir_print_sharding_directive   (GhloIrAsmDirective directive);

static inline gboolean
ghlo_ir_attr_is (const GhloIrAttr *attr,
                 GhloIrAttrKind    kind)
{
  return attr != NULL && attr->kind == kind;
}

/* Returns whether @attr is an array<i64: 1, 2>, which has the short spelling "[1, 2]". */
static inline gboolean
ghlo_ir_attr_is_i64s (const GhloIrAttr *attr)
{
  return ghlo_ir_attr_is (attr, GHLO_IR_ATTR_DENSE_ARRAY) && attr->type->element_type == GHLO_ELEMENT_TYPE_I64;
}

G_END_DECLS
