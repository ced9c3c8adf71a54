/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks inherent attributes against their row: required ones are present, each is of its kind, and integers are not
 * below their minimum. A table has one row for each kind of attribute.
 */

#include "ir/verify/private.h"
#include "ir/verify/sharding.h"

typedef gboolean (*KindCheck) (const GhloIrAttr *attr, const GhloIrAttrSpec *spec);

static gboolean
element_is (const GhloIrType *type,
            GhloIrTypeKind    kind,
            GhloElementType   element_type)
{
  return type != NULL && type->kind == kind && type->element_type == element_type && type->quantization == NULL;
}

static gboolean
is_any (const GhloIrAttr     *attr,
        const GhloIrAttrSpec *spec)
{
  return TRUE;
}

static gboolean
is_unit (const GhloIrAttr     *attr,
         const GhloIrAttrSpec *spec)
{
  return attr->kind == GHLO_IR_ATTR_UNIT;
}

static gboolean
is_bool (const GhloIrAttr     *attr,
         const GhloIrAttrSpec *spec)
{
  return attr->kind == GHLO_IR_ATTR_BOOL
         || (attr->kind == GHLO_IR_ATTR_INTEGER
             && element_is (attr->type, GHLO_IR_TYPE_ELEMENT, GHLO_ELEMENT_TYPE_I1));
}

static gboolean
is_integer (const GhloIrAttr     *attr,
            const GhloIrAttrSpec *spec)
{
  static const GhloElementType types[] = {
    [GHLO_IR_KIND_I32] = GHLO_ELEMENT_TYPE_I32,
    [GHLO_IR_KIND_I64] = GHLO_ELEMENT_TYPE_I64,
    [GHLO_IR_KIND_UI32] = GHLO_ELEMENT_TYPE_UI32,
    [GHLO_IR_KIND_UI64] = GHLO_ELEMENT_TYPE_UI64,
  };

  return attr->kind == GHLO_IR_ATTR_INTEGER && element_is (attr->type, GHLO_IR_TYPE_ELEMENT, types[spec->kind])
         && attr->integer >= spec->minimum;
}

static gboolean
is_float (const GhloIrAttr     *attr,
          const GhloIrAttrSpec *spec)
{
  return attr->kind == GHLO_IR_ATTR_FLOAT
         && element_is (attr->type, GHLO_IR_TYPE_ELEMENT,
                        spec->kind == GHLO_IR_KIND_F32 ? GHLO_ELEMENT_TYPE_F32 : GHLO_ELEMENT_TYPE_F64);
}

static gboolean
is_string (const GhloIrAttr     *attr,
           const GhloIrAttrSpec *spec)
{
  return attr->kind == GHLO_IR_ATTR_STRING;
}

static gboolean
is_flat_symbol (const GhloIrAttr     *attr,
                const GhloIrAttrSpec *spec)
{
  return attr->kind == GHLO_IR_ATTR_SYMBOL && attr->length == 0;
}

static gboolean
is_array_of (const GhloIrAttr     *attr,
             const GhloIrAttrSpec *spec,
             KindCheck             member)
{
  if (attr->kind != GHLO_IR_ATTR_ARRAY)
    return FALSE;
  for (gsize i = 0; i < attr->length; i++)
    if (!member (attr->children[i], spec))
      return FALSE;

  return TRUE;
}

static gboolean
is_symbols (const GhloIrAttr     *attr,
            const GhloIrAttrSpec *spec)
{
  return is_array_of (attr, spec, is_flat_symbol);
}

static gboolean
is_symbol_arrays (const GhloIrAttr     *attr,
                  const GhloIrAttrSpec *spec)
{
  return is_array_of (attr, spec, is_symbols);
}

static gboolean
is_type (const GhloIrAttr     *attr,
         const GhloIrAttrSpec *spec)
{
  return attr->kind == GHLO_IR_ATTR_TYPE;
}

static gboolean
is_array (const GhloIrAttr     *attr,
          const GhloIrAttrSpec *spec)
{
  return attr->kind == GHLO_IR_ATTR_ARRAY;
}

static gboolean
is_dictionary (const GhloIrAttr     *attr,
               const GhloIrAttrSpec *spec)
{
  return attr->kind == GHLO_IR_ATTR_DICTIONARY;
}

static gboolean
is_dictionaries (const GhloIrAttr     *attr,
                 const GhloIrAttrSpec *spec)
{
  return is_array_of (attr, spec, is_dictionary);
}

static gboolean
is_string_or_dictionary (const GhloIrAttr     *attr,
                         const GhloIrAttrSpec *spec)
{
  return attr->kind == GHLO_IR_ATTR_STRING || attr->kind == GHLO_IR_ATTR_DICTIONARY;
}

static gboolean
is_elements (const GhloIrAttr     *attr,
             const GhloIrAttrSpec *spec)
{
  return attr->kind == GHLO_IR_ATTR_DENSE || attr->kind == GHLO_IR_ATTR_DENSE_STRINGS
         || attr->kind == GHLO_IR_ATTR_KEPT_ELEMENTS;
}

static gboolean
is_i64_elements (const GhloIrAttr     *attr,
                 const GhloIrAttrSpec *spec)
{
  return attr->kind == GHLO_IR_ATTR_DENSE && element_is (attr->type, GHLO_IR_TYPE_TENSOR, GHLO_ELEMENT_TYPE_I64);
}

static gboolean
is_index_vector (const GhloIrAttr     *attr,
                 const GhloIrAttrSpec *spec)
{
  return attr->kind == GHLO_IR_ATTR_DENSE && element_is (attr->type, GHLO_IR_TYPE_TENSOR, GHLO_ELEMENT_TYPE_INDEX)
         && attr->type->rank == 1;
}

static gboolean
is_index_vectors (const GhloIrAttr     *attr,
                  const GhloIrAttrSpec *spec)
{
  return is_array_of (attr, spec, is_index_vector);
}

static gboolean
is_index_vector_arrays (const GhloIrAttr     *attr,
                        const GhloIrAttrSpec *spec)
{
  return is_array_of (attr, spec, is_index_vectors);
}

static gboolean
is_typed (const GhloIrAttr     *attr,
          const GhloIrAttrSpec *spec)
{
  return attr->kind == GHLO_IR_ATTR_BOOL
         || (attr->type != NULL && attr->kind != GHLO_IR_ATTR_TYPE && attr->kind != GHLO_IR_ATTR_DENSE_ARRAY);
}

static gboolean
is_dense_array (const GhloIrAttr     *attr,
                const GhloIrAttrSpec *spec)
{
  static const GhloElementType types[] = {
    [GHLO_IR_KIND_I32_ARRAY] = GHLO_ELEMENT_TYPE_I32,
    [GHLO_IR_KIND_I64_ARRAY] = GHLO_ELEMENT_TYPE_I64,
    [GHLO_IR_KIND_BOOL_ARRAY] = GHLO_ELEMENT_TYPE_I1,
  };

  return attr->kind == GHLO_IR_ATTR_DENSE_ARRAY && element_is (attr->type, GHLO_IR_TYPE_ELEMENT, types[spec->kind]);
}

/* In text, custom_call's api_version is an i32; only the printer writes it as a word. */
static gboolean
is_enum (const GhloIrAttr     *attr,
         const GhloIrAttrSpec *spec)
{
  gsize n_words = 0;

  if (attr->kind == GHLO_IR_ATTR_ENUM)
    return attr->subkind == spec->detail;
  if (attr->kind != GHLO_IR_ATTR_INTEGER || spec->detail != GHLO_IR_ENUM_CUSTOM_CALL_API_VERSION)
    return FALSE;
  while (ghlo_ir_enum_specs[spec->detail].words[n_words] != NULL)
    n_words++;

  return element_is (attr->type, GHLO_IR_TYPE_ELEMENT, GHLO_ELEMENT_TYPE_I32)
         && attr->integer >= 0 && (gsize) attr->integer < n_words;
}

static gboolean
is_enums (const GhloIrAttr     *attr,
          const GhloIrAttrSpec *spec)
{
  return is_array_of (attr, spec, is_enum);
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

/* Whether @attr is the right structure, and each field has the kind that readers expect. */
static gboolean
is_struct (const GhloIrAttr     *attr,
           const GhloIrAttrSpec *spec)
{
  const GhloIrStructSpec *structure = &ghlo_ir_struct_specs[spec->detail];

  if (attr->kind != GHLO_IR_ATTR_STRUCT || attr->subkind != spec->detail)
    return FALSE;
  for (guint i = 0; i < structure->n_fields; i++)
    if (!field_fits (attr->children[i], &structure->fields[i]))
      return FALSE;

  return TRUE;
}

static gboolean
is_structs (const GhloIrAttr     *attr,
            const GhloIrAttrSpec *spec)
{
  return is_array_of (attr, spec, is_struct);
}

static gboolean
is_replica_groups (const GhloIrAttr     *attr,
                   const GhloIrAttrSpec *spec)
{
  GhloIrAttrSpec mesh_axes = *spec;

  mesh_axes.detail = GHLO_IR_STRUCT_REPLICA_GROUP_MESH_AXES;

  return is_i64_elements (attr, spec) || is_struct (attr, &mesh_axes);
}

static const struct
{
  KindCheck   check;
  const char *name;
} kinds[] = {
  [GHLO_IR_KIND_ANY] = { is_any, "an attribute" },
  [GHLO_IR_KIND_UNIT] = { is_unit, "a unit attribute" },
  [GHLO_IR_KIND_BOOL] = { is_bool, "true or false" },
  [GHLO_IR_KIND_I32] = { is_integer, "an integer of type i32" },
  [GHLO_IR_KIND_I64] = { is_integer, "an integer of type i64" },
  [GHLO_IR_KIND_UI32] = { is_integer, "an integer of type ui32" },
  [GHLO_IR_KIND_UI64] = { is_integer, "an integer of type ui64" },
  [GHLO_IR_KIND_F32] = { is_float, "a float of type f32" },
  [GHLO_IR_KIND_F64] = { is_float, "a float of type f64" },
  [GHLO_IR_KIND_STRING] = { is_string, "a string" },
  [GHLO_IR_KIND_SYMBOL] = { is_flat_symbol, "a symbol" },
  [GHLO_IR_KIND_SYMBOLS] = { is_symbols, "an array of symbols" },
  [GHLO_IR_KIND_SYMBOL_ARRAYS] = { is_symbol_arrays, "an array of arrays of symbols" },
  [GHLO_IR_KIND_TYPE] = { is_type, "a type" },
  [GHLO_IR_KIND_ARRAY] = { is_array, "an array" },
  [GHLO_IR_KIND_DICTIONARY] = { is_dictionary, "a dictionary" },
  [GHLO_IR_KIND_DICTIONARIES] = { is_dictionaries, "an array of dictionaries" },
  [GHLO_IR_KIND_STRING_OR_DICTIONARY] = { is_string_or_dictionary, "a string or a dictionary" },
  [GHLO_IR_KIND_ELEMENTS] = { is_elements, "dense elements" },
  [GHLO_IR_KIND_I64_ELEMENTS] = { is_i64_elements, "dense elements of i64" },
  [GHLO_IR_KIND_INDEX_VECTORS] = { is_index_vectors, "an array of dense vectors of index" },
  [GHLO_IR_KIND_INDEX_VECTOR_ARRAYS] = { is_index_vector_arrays, "an array of arrays of dense vectors of index" },
  [GHLO_IR_KIND_TYPED] = { is_typed, "a value with a type" },
  [GHLO_IR_KIND_I32_ARRAY] = { is_dense_array, "array<i32: …>" },
  [GHLO_IR_KIND_I64_ARRAY] = { is_dense_array, "array<i64: …>" },
  [GHLO_IR_KIND_BOOL_ARRAY] = { is_dense_array, "array<i1: …>" },
  [GHLO_IR_KIND_ENUM] = { is_enum, NULL },
  [GHLO_IR_KIND_ENUMS] = { is_enums, NULL },
  [GHLO_IR_KIND_STRUCT] = { is_struct, NULL },
  [GHLO_IR_KIND_STRUCTS] = { is_structs, NULL },
  [GHLO_IR_KIND_REPLICA_GROUPS] = { is_replica_groups, "dense elements of i64 or mesh axes" },
};

static char *
describe_kind (const GhloIrAttrSpec *spec)
{
  const char *many = spec->kind == GHLO_IR_KIND_ENUMS || spec->kind == GHLO_IR_KIND_STRUCTS ? "an array of " : "";

  if (spec->kind == GHLO_IR_KIND_ENUM || spec->kind == GHLO_IR_KIND_ENUMS)
    return g_strdup_printf ("%s#%s<%s …>", many, ghlo_ir_enum_specs[spec->detail].dialect,
                            ghlo_ir_enum_specs[spec->detail].mnemonic);
  if (spec->kind == GHLO_IR_KIND_STRUCT || spec->kind == GHLO_IR_KIND_STRUCTS)
    return g_strdup_printf ("%s#%s.%s<…>", many, ghlo_ir_struct_specs[spec->detail].dialect,
                            ghlo_ir_struct_specs[spec->detail].mnemonic);
  if (spec->minimum > G_MININT64)
    return g_strdup_printf ("%s, at least %" G_GINT64_FORMAT, kinds[spec->kind].name, spec->minimum);

  return g_strdup (kinds[spec->kind].name);
}

char *
ghlo_ir_attribute_problem (const GhloIrAttrSpec *spec,
                           const GhloIrAttr     *attr)
{
  g_autofree char *wanted = NULL, *found = NULL;

  if (kinds[spec->kind].check (attr, spec))
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
