/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attributes of the sdy dialect, which the IR keeps as text, split into fields. Each attribute has one row with the
 * format of its text and the order of its fields in bytecode (Shardy: attrs.td, bytecode.td).
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

enum { GHLO_SDY_MAX_FIELDS = 8 };

typedef enum
{
  GHLO_SDY_MANUAL_AXES,
  GHLO_SDY_MESH_AXIS,
  GHLO_SDY_MESH,
  GHLO_SDY_SUB_AXIS,
  GHLO_SDY_AXIS,
  GHLO_SDY_DIMENSION,
  GHLO_SDY_SHARDING,
  GHLO_SDY_SHARDINGS,
  GHLO_SDY_DIMENSION_MAPPING,
  GHLO_SDY_TENSOR_MAPPING,
  GHLO_SDY_RULE,
  GHLO_SDY_AXES,
  GHLO_SDY_LISTS_OF_AXES,
  GHLO_SDY_ALL_TO_ALL,
  GHLO_SDY_ALL_TO_ALLS,
  GHLO_SDY_EDGE_VALUE,
  GHLO_SDY_EDGE,
  GHLO_SDY_EDGE_STEP,
  GHLO_SDY_EDGES,
  GHLO_SDY_N_KINDS,
  GHLO_SDY_STRING = GHLO_SDY_N_KINDS,   /* not an attribute of sdy but a builtin string */
  GHLO_SDY_MESH_OR_SYMBOL,
} GhloSdyKind;

typedef enum
{
  GHLO_SDY_FIELD_NONE,
  GHLO_SDY_FIELD_NAME,        /* attrs: a STRING */
  GHLO_SDY_FIELD_INTEGER,     /* integer */
  GHLO_SDY_FIELD_INTEGERS,    /* integers */
  GHLO_SDY_FIELD_FLAG,        /* integer: 0 or 1 */
  GHLO_SDY_FIELD_PRIORITY,    /* integer; -1 if absent */
  GHLO_SDY_FIELD_ATTR,        /* attrs: one of kind @child */
  GHLO_SDY_FIELD_OPTIONAL,    /* attrs: at most one */
  GHLO_SDY_FIELD_ATTRS,       /* attrs: any number */
  GHLO_SDY_FIELD_REDUCTION,   /* integer: sum, max, min */
  GHLO_SDY_FIELD_SIDE,        /* integer: operand, result */
} GhloSdyFieldKind;

typedef struct
{
  GhloSdyFieldKind kind;
  GhloSdyKind      child;
} GhloSdyFieldSpec;

typedef struct
{
  const char       *mnemonic;   /* "sharding" */
  const char       *format;     /* of the text after the mnemonic, see sdy-attr.c */
  GhloSdyFieldSpec  fields[GHLO_SDY_MAX_FIELDS];   /* ends at the first NONE */
} GhloSdySpec;

typedef struct
{
  gint64     integer;
  GArray    *integers;          /* of gint64; NULL if empty */
  GPtrArray *attrs;             /* of GhloIrAttr, owned by the module; NULL if empty */
} GhloSdyField;

typedef struct
{
  GhloSdyKind  kind;
  GhloSdyField fields[GHLO_SDY_MAX_FIELDS];
} GhloSdyAttr;

extern const GhloSdySpec ghlo_sdy_specs[GHLO_SDY_N_KINDS];

/* Initialises all fields as empty. */
void              ghlo_sdy_attr_init   (GhloSdyAttr       *self,
                                        GhloSdyKind        kind);
void              ghlo_sdy_attr_clear  (GhloSdyAttr       *self);
/* Parses the text of an OPAQUE attribute; nested attributes are created in @module. Returns NULL on success,
 * otherwise a message that says what was expected and where, which the caller frees. */
char             *ghlo_sdy_attr_parse  (GhloSdyAttr       *self,
                                        GhloIrModule      *module,
                                        const GhloIrAttr  *attr);
/* Appends the text as Shardy prints it: "sdy.mesh<["x"=2]>". */
void              ghlo_sdy_attr_print  (const GhloSdyAttr *self,
                                        GString           *string);
/* Whether the beginning of @attr's text is that of the given kind. */
gboolean          ghlo_sdy_attr_is     (const GhloIrAttr  *attr,
                                        GhloSdyKind        kind);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloSdyAttr, ghlo_sdy_attr_clear)

static inline gsize
ghlo_sdy_field_n_attrs (const GhloSdyField *field)
{
  return field->attrs != NULL ? field->attrs->len : 0;
}

static inline gsize
ghlo_sdy_field_n_integers (const GhloSdyField *field)
{
  return field->integers != NULL ? field->integers->len : 0;
}

/* Shared by printing and parsing. Factors are named i to z, then z_1, z_2 and so on. */
enum { GHLO_SDY_LAST_LETTER = 'z' - 'i', GHLO_SDY_N_REDUCTIONS = 3, GHLO_SDY_N_SIDES = 2 };

extern const char *const ghlo_sdy_reductions[GHLO_SDY_N_REDUCTIONS];
extern const char *const ghlo_sdy_sides[GHLO_SDY_N_SIDES];

/* Returns the text after the mnemonic and sets @length to the length of the attribute's own part. Returns NULL if
 * @attr is of another kind. */
const char       *ghlo_sdy_find_body   (const GhloIrAttr  *attr,
                                        GhloSdyKind        kind,
                                        gsize             *length);
/* Reads what follows a "$" in a format: an optional letter (0 if
 * absent) and the index of a field. Returns the rest of the format. */
const char       *ghlo_sdy_read_reference (const char     *format,
                                        char              *style,
                                        guint             *index);
/* Whether any field is present in the part of the format up to the next "~". */
gboolean          ghlo_sdy_has_part    (const GhloSdyAttr *self,
                                        const char        *format);

void              ghlo_sdy_field_add   (GhloSdyField      *field,
                                        const GhloIrAttr  *attr);
void              ghlo_sdy_field_append (GhloSdyField     *field,
                                        gint64             integer);

G_END_DECLS
