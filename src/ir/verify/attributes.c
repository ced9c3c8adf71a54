/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks inherent attributes against their row: required ones are present, each is of its kind, and integers are not
 * below their minimum. A table has one row for each kind of attribute.
 */

#include "ir/verify/from-table.h"
#include "ir/verify/sharding.h"

/* What a row's numbers do not say. */
typedef gboolean (*Further) (const GhloIrAttr *attr, const GhloIrAttrSpec *spec);

static gboolean
element_is (const GhloIrType *type,
            GhloIrTypeKind    kind,
            GhloElementType   element_type)
{
  return type != NULL && type->kind == kind && type->element_type == element_type && type->quantization == NULL;
}

static gboolean
is_bool (const GhloIrAttr     *attr,
         const GhloIrAttrSpec *spec)
{
  return attr->kind == GHLO_IR_ATTR_BOOL || element_is (attr->type, GHLO_IR_TYPE_ELEMENT, GHLO_ELEMENT_TYPE_I1);
}

static gboolean
is_flat (const GhloIrAttr     *attr,
         const GhloIrAttrSpec *spec)
{
  return attr->length == 0;
}

static gboolean
is_typed (const GhloIrAttr     *attr,
          const GhloIrAttrSpec *spec)
{
  return attr->kind == GHLO_IR_ATTR_BOOL
         || (attr->type != NULL && attr->kind != GHLO_IR_ATTR_TYPE && attr->kind != GHLO_IR_ATTR_DENSE_ARRAY);
}

/* In text, custom_call's api_version is an i32; only the printer writes it as a word. */
static gboolean
is_enum (const GhloIrAttr     *attr,
         const GhloIrAttrSpec *spec)
{
  gsize n_words = 0;

  if (attr->kind == GHLO_IR_ATTR_ENUM)
    return attr->subkind == spec->detail;
  if (spec->detail != GHLO_IR_ENUM_CUSTOM_CALL_API_VERSION)
    return FALSE;
  while (ghlo_ir_enum_specs[spec->detail].words[n_words] != NULL)
    n_words++;

  return element_is (attr->type, GHLO_IR_TYPE_ELEMENT, GHLO_ELEMENT_TYPE_I32)
         && attr->integer >= 0 && (gsize) attr->integer < n_words;
}

static gboolean
field_fits (const GhloIrAttr  *value,
            const GhloIrField *field)
{
  static const GhloIrAttrKind kinds[] = {
    [GHLO_IR_FIELD_DIMS] = GHLO_IR_ATTR_DENSE_ARRAY,
    [GHLO_IR_FIELD_INT] = GHLO_IR_ATTR_INTEGER,
    [GHLO_IR_FIELD_BOOL] = GHLO_IR_ATTR_BOOL,
    [GHLO_IR_FIELD_TYPE] = GHLO_IR_ATTR_TYPE,
    [GHLO_IR_FIELD_STRING] = GHLO_IR_ATTR_STRING,
    [GHLO_IR_FIELD_REAL] = GHLO_IR_ATTR_FLOAT,
  };

  if (value == NULL)
    return field->optional || field->kind == GHLO_IR_FIELD_DIMS;
  if (field->kind == GHLO_IR_FIELD_DIMS && !element_is (value->type, GHLO_IR_TYPE_ELEMENT, GHLO_ELEMENT_TYPE_I64))
    return FALSE;

  return field->kind == GHLO_IR_FIELD_ATTR || value->kind == kinds[field->kind];
}

/* Whether @attr is that structure, and each field has the kind that readers expect. */
static gboolean
is_structure (const GhloIrAttr *attr,
              guint             which)
{
  const GhloIrStructSpec *structure = &ghlo_ir_struct_specs[which];

  if (attr->subkind != which)
    return FALSE;
  for (guint i = 0; i < structure->n_fields; i++)
    if (!field_fits (attr->children[i], &structure->fields[i]))
      return FALSE;

  return TRUE;
}

static gboolean
is_struct (const GhloIrAttr     *attr,
           const GhloIrAttrSpec *spec)
{
  return is_structure (attr, spec->detail);
}

static gboolean
is_replica_groups (const GhloIrAttr     *attr,
                   const GhloIrAttrSpec *spec)
{
  return attr->kind == GHLO_IR_ATTR_DENSE ? element_is (attr->type, GHLO_IR_TYPE_TENSOR, GHLO_ELEMENT_TYPE_I64)
                                          : is_structure (attr, GHLO_IR_STRUCT_REPLICA_GROUP_MESH_AXES);
}

#define IS(kind)            (1u << GHLO_IR_ATTR_##kind)
#define OF(name)            .element = GHLO_ELEMENT_TYPE_##name
#define TENSOR_OF(name)     .type = GHLO_IR_TYPE_TENSOR, OF (name)

typedef struct
{
  const char      *name;        /* NULL: describe_kind () knows */
  guint32          kinds;       /* IS () of those allowed */
  GhloElementType  element;     /* of the type; INVALID: the attribute may have any type, or none */
  GhloIrTypeKind   type;        /* ELEMENT (0) or TENSOR */
  guint            rank;        /* of the type; 0: any */
  guint            n_arrays;    /* around the attribute, one in another */
  Further          further;     /* nullable */
} Row;

static const Row rows[] = {
  [GHLO_IR_KIND_ANY] = { "an attribute", G_MAXUINT32 },
  [GHLO_IR_KIND_UNIT] = { "a unit attribute", IS (UNIT) },
  [GHLO_IR_KIND_BOOL] = { "true or false", IS (BOOL) | IS (INTEGER), .further = is_bool },
  [GHLO_IR_KIND_I32] = { "an integer of type i32", IS (INTEGER), OF (I32) },
  [GHLO_IR_KIND_I64] = { "an integer of type i64", IS (INTEGER), OF (I64) },
  [GHLO_IR_KIND_UI32] = { "an integer of type ui32", IS (INTEGER), OF (UI32) },
  [GHLO_IR_KIND_UI64] = { "an integer of type ui64", IS (INTEGER), OF (UI64) },
  [GHLO_IR_KIND_F32] = { "a float of type f32", IS (FLOAT), OF (F32) },
  [GHLO_IR_KIND_F64] = { "a float of type f64", IS (FLOAT), OF (F64) },
  [GHLO_IR_KIND_STRING] = { "a string", IS (STRING) },
  [GHLO_IR_KIND_SYMBOL] = { "a symbol", IS (SYMBOL), .further = is_flat },
  [GHLO_IR_KIND_SYMBOLS] = { "an array of symbols", IS (SYMBOL), .n_arrays = 1, .further = is_flat },
  [GHLO_IR_KIND_SYMBOL_ARRAYS] = { "an array of arrays of symbols", IS (SYMBOL), .n_arrays = 2, .further = is_flat },
  [GHLO_IR_KIND_TYPE] = { "a type", IS (TYPE) },
  [GHLO_IR_KIND_ARRAY] = { "an array", IS (ARRAY) },
  [GHLO_IR_KIND_DICTIONARY] = { "a dictionary", IS (DICTIONARY) },
  [GHLO_IR_KIND_DICTIONARIES] = { "an array of dictionaries", IS (DICTIONARY), .n_arrays = 1 },
  [GHLO_IR_KIND_STRING_OR_DICTIONARY] = { "a string or a dictionary", IS (STRING) | IS (DICTIONARY) },
  [GHLO_IR_KIND_ELEMENTS] = { "dense elements", IS (DENSE) | IS (DENSE_STRINGS) | IS (KEPT_ELEMENTS) },
  [GHLO_IR_KIND_I64_ELEMENTS] = { "dense elements of i64", IS (DENSE), TENSOR_OF (I64) },
  [GHLO_IR_KIND_INDEX_VECTORS] = { "an array of dense vectors of index", IS (DENSE), TENSOR_OF (INDEX),
                                   .rank = 1, .n_arrays = 1 },
  [GHLO_IR_KIND_INDEX_VECTOR_ARRAYS] = { "an array of arrays of dense vectors of index", IS (DENSE), TENSOR_OF (INDEX),
                                         .rank = 1, .n_arrays = 2 },
  [GHLO_IR_KIND_TYPED] = { "a value with a type", G_MAXUINT32, .further = is_typed },
  [GHLO_IR_KIND_I32_ARRAY] = { "array<i32: …>", IS (DENSE_ARRAY), OF (I32) },
  [GHLO_IR_KIND_I64_ARRAY] = { "array<i64: …>", IS (DENSE_ARRAY), OF (I64) },
  [GHLO_IR_KIND_BOOL_ARRAY] = { "array<i1: …>", IS (DENSE_ARRAY), OF (I1) },
  [GHLO_IR_KIND_ENUM] = { NULL, IS (ENUM) | IS (INTEGER), .further = is_enum },
  [GHLO_IR_KIND_ENUMS] = { NULL, IS (ENUM) | IS (INTEGER), .n_arrays = 1, .further = is_enum },
  [GHLO_IR_KIND_STRUCT] = { NULL, IS (STRUCT), .further = is_struct },
  [GHLO_IR_KIND_STRUCTS] = { NULL, IS (STRUCT), .n_arrays = 1, .further = is_struct },
  [GHLO_IR_KIND_REPLICA_GROUPS] = { "dense elements of i64 or mesh axes", IS (DENSE) | IS (STRUCT),
                                    .further = is_replica_groups },
};

/* @n_arrays: the arrays that are still to be around @attr. */
static gboolean
fits (const GhloIrAttr     *attr,
      const GhloIrAttrSpec *spec,
      guint                 n_arrays)
{
  const Row *row = &rows[spec->kind];

  if (n_arrays == 0)
    return (row->kinds >> attr->kind & 1) != 0
           && (row->element == GHLO_ELEMENT_TYPE_INVALID || element_is (attr->type, row->type, row->element))
           && (row->rank == 0 || attr->type->rank == row->rank)
           && (attr->kind != GHLO_IR_ATTR_INTEGER || attr->integer >= spec->minimum)
           && (row->further == NULL || row->further (attr, spec));
  if (attr->kind != GHLO_IR_ATTR_ARRAY)
    return FALSE;
  for (gsize i = 0; i < attr->length; i++)
    if (!fits (attr->children[i], spec, n_arrays - 1))
      return FALSE;

  return TRUE;
}

static char *
describe_kind (const GhloIrAttrSpec *spec)
{
  const char *many = rows[spec->kind].n_arrays > 0 ? "an array of " : "";

  if (spec->kind == GHLO_IR_KIND_ENUM || spec->kind == GHLO_IR_KIND_ENUMS)
    return g_strdup_printf ("%s#%s<%s …>", many, ghlo_ir_enum_specs[spec->detail].dialect,
                            ghlo_ir_enum_specs[spec->detail].mnemonic);
  if (spec->kind == GHLO_IR_KIND_STRUCT || spec->kind == GHLO_IR_KIND_STRUCTS)
    return g_strdup_printf ("%s#%s.%s<…>", many, ghlo_ir_struct_specs[spec->detail].dialect,
                            ghlo_ir_struct_specs[spec->detail].mnemonic);
  if (spec->minimum > G_MININT64)
    return g_strdup_printf ("%s, at least %" G_GINT64_FORMAT, rows[spec->kind].name, spec->minimum);

  return g_strdup (rows[spec->kind].name);
}

char *
ghlo_ir_attribute_problem (const GhloIrAttrSpec *spec,
                           const GhloIrAttr     *attr)
{
  g_autofree char *wanted = NULL, *found = NULL;

  if (fits (attr, spec, rows[spec->kind].n_arrays))
    return NULL;

  wanted = describe_kind (spec);
  found = ghlo_ir_attr_to_string (attr);

  return g_strdup_printf ("expected attribute '%s' to be %s, found %s", spec->name, wanted, found);
}

/* Returns what is wrong with a structure or an attribute of sdy in @attr, or NULL. Readers check structures as they
 * read them; this catches those in programs that were built. */
static char *
find_struct_problem (GhloIrModule     *module,
                     const GhloIrAttr *attr)
{
  char *problem = attr != NULL && attr->kind == GHLO_IR_ATTR_STRUCT ? ghlo_ir_struct_problem (attr) : NULL;

  if (attr == NULL)
    return NULL;
  if (attr->kind == GHLO_IR_ATTR_OPAQUE && (g_str_has_prefix (attr->text, "sdy.")
                                            || g_str_has_prefix (attr->text, "sdy<")))
    problem = ghlo_ir_sdy_problem (module, attr);
  if (attr->kind == GHLO_IR_ATTR_STRUCT || attr->kind == GHLO_IR_ATTR_ARRAY)
    for (gsize i = 0; problem == NULL && i < attr->length; i++)
      problem = find_struct_problem (module, attr->children[i]);
  if (attr->kind == GHLO_IR_ATTR_DICTIONARY)
    for (gsize i = 0; problem == NULL && i < attr->length; i++)
      problem = find_struct_problem (module, attr->entries[i].value);

  return problem;
}

gboolean
ghlo_ir_verify_attributes (GhloIrVerifyRun *run,
                           const GhloIrOp  *op)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);

  for (guint i = 0; i < spec->n_attributes; i++)
    {
      const GhloIrAttr *attr = op->attributes[i];
      g_autofree char *problem = NULL;

      if (attr == NULL && spec->attributes[i].presence == GHLO_IR_REQUIRED)
        return ghlo_ir_verify_fail (&run->verifier, op, "expected attribute '%s', found none",
                                    spec->attributes[i].name);
      problem = attr != NULL ? ghlo_ir_attribute_problem (&spec->attributes[i], attr) : NULL;
      if (problem == NULL)
        problem = find_struct_problem (run->verifier.module, attr);
      if (problem != NULL)
        return ghlo_ir_verify_fail (&run->verifier, op, "%s", problem);
    }
  for (guint i = 0; i < op->n_discardable; i++)
    {
      g_autofree char *problem = find_struct_problem (run->verifier.module, op->discardable[i].value);

      if (problem != NULL)
        return ghlo_ir_verify_fail (&run->verifier, op, "%s", problem);
    }

  return TRUE;
}
