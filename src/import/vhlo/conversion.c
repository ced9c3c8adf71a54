/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Converts between an attribute of the IR and the VHLO attributes that correspond to it, with one row for each
 * conversion. Attributes that the codec writes with the same bytes (an array of integers and a tensor, a symbol and a
 * string) are not converted for writing.
 */

#include "import/vhlo/table.h"

#include <string.h>

#include "ir/verify/verify.h"

static gboolean
fail (GhloVhloCall       *call,
      const GhloVhloPart *part,
      const char         *wanted,
      const GhloIrAttr   *attr)
{
  g_autofree char *found = ghlo_ir_attr_to_string (attr);

  g_set_error (call->error, GHLO_ERROR, GHLO_ERROR_PARSE, "expected attribute '%s' of vhlo.%s to be %s, found %s",
               part->name, call->self->name, wanted, found);

  return FALSE;
}

gboolean
ghlo_vhlo_get_integers (const GhloIrAttr *attr,
                        GhloElementType   element_type,
                        gint64          **values,
                        gsize            *n)
{
  *values = NULL;
  if (attr->type == NULL || attr->type->element_type != element_type || attr->type->quantization != NULL)
    return FALSE;
  if (attr->kind == GHLO_IR_ATTR_DENSE_ARRAY)
    {
      *n = attr->length;
      *values = g_memdup2 (attr->integers, attr->length * sizeof (gint64));
      return TRUE;
    }

  return attr->kind == GHLO_IR_ATTR_DENSE && ghlo_ir_dense_to_int64 (attr, values, n);
}

const GhloIrAttr *
ghlo_vhlo_zero_pairs (GhloIrModule *module,
                      gsize         n)
{
  const gint64 dimensions[] = { (gint64) n, 2 }, zero = 0;
  const GhloIrType *tensor =
    ghlo_ir_type_tensor (module, ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_I64), dimensions, 2, NULL, NULL);

  return ghlo_ir_attr_dense (module, tensor, g_bytes_new (&zero, n > 0 ? sizeof zero : 0), n > 0, NULL);
}

static gboolean
read_same (GhloVhloCall            *call,
           const GhloVhloGroup     *group,
           const GhloIrAttr *const *parts,
           const GhloIrAttr       **attr)
{
  *attr = parts[0];

  return TRUE;
}

/* In text, the version of the custom call interface may be a number instead of an enumeration. */
static void
write_same (GhloVhloCall        *call,
            const GhloVhloGroup *group,
            const GhloIrAttr    *attr,
            const GhloIrAttr   **parts)
{
  parts[0] = group->spec->kind == GHLO_IR_KIND_ENUM && attr->kind == GHLO_IR_ATTR_INTEGER
             ? ghlo_ir_attr_enum (call->module, group->spec->detail, attr->integer) : attr;
}

static gboolean
read_integers (GhloVhloCall            *call,
               const GhloVhloGroup     *group,
               const GhloIrAttr *const *parts,
               const GhloIrAttr       **attr)
{
  gboolean is_bool = group->spec->kind == GHLO_IR_KIND_BOOL_ARRAY;
  GhloElementType element_type = is_bool ? GHLO_ELEMENT_TYPE_I1 : GHLO_ELEMENT_TYPE_I64;
  g_autofree gint64 *values = NULL;
  gsize n;

  if (!ghlo_vhlo_get_integers (parts[0], element_type, &values, &n))
    return fail (call, &group->parts[0], is_bool ? "a tensor of i1" : "a tensor of i64", parts[0]);
  *attr = ghlo_ir_attr_integers (call->module, element_type, values, n);

  return TRUE;
}

static const GhloIrAttr *
symbol_of (GhloVhloCall     *call,
           const GhloIrAttr *name)
{
  if (name->kind == GHLO_IR_ATTR_SYMBOL)
    return name;
  if (name->kind != GHLO_IR_ATTR_STRING || strlen (name->text) != name->length)
    return NULL;

  return ghlo_ir_attr_symbol (call->module, name->text, NULL, 0);
}

static gboolean
read_symbol (GhloVhloCall            *call,
             const GhloVhloGroup     *group,
             const GhloIrAttr *const *parts,
             const GhloIrAttr       **attr)
{
  *attr = symbol_of (call, parts[0]);

  return *attr != NULL || fail (call, &group->parts[0], "a name", parts[0]);
}

static gboolean
read_symbols (GhloVhloCall            *call,
              const GhloVhloGroup     *group,
              const GhloIrAttr *const *parts,
              const GhloIrAttr       **attr)
{
  gsize n = parts[0]->kind == GHLO_IR_ATTR_ARRAY ? parts[0]->length : 0;
  g_autofree const GhloIrAttr **symbols = g_new (const GhloIrAttr *, MAX (n, 1));

  if (parts[0]->kind != GHLO_IR_ATTR_ARRAY)
    return fail (call, &group->parts[0], "an array of names", parts[0]);
  for (gsize i = 0; i < n; i++)
    {
      symbols[i] = symbol_of (call, parts[0]->children[i]);
      if (symbols[i] == NULL)
        return fail (call, &group->parts[0], "an array of names", parts[0]);
    }
  *attr = ghlo_ir_attr_array (call->module, symbols, n);

  return TRUE;
}

static gboolean
read_unit (GhloVhloCall            *call,
           const GhloVhloGroup     *group,
           const GhloIrAttr *const *parts,
           const GhloIrAttr       **attr)
{
  if (parts[0]->kind != GHLO_IR_ATTR_BOOL)
    return fail (call, &group->parts[0], "true or false", parts[0]);
  *attr = ghlo_ir_attr_unit (call->module);

  return TRUE;
}

static void
write_unit (GhloVhloCall        *call,
            const GhloVhloGroup *group,
            const GhloIrAttr    *attr,
            const GhloIrAttr   **parts)
{
  parts[0] = ghlo_ir_attr_bool (call->module, TRUE);
}

/* Converts an integer of any width to an i64. */
static gboolean
read_i64 (GhloVhloCall       *call,
          const GhloVhloPart *part,
          const GhloIrAttr   *value,
          const GhloIrAttr  **attr)
{
  if (value->kind != GHLO_IR_ATTR_INTEGER)
    return fail (call, part, "an integer", value);
  *attr = ghlo_ir_attr_i64 (call->module, value->integer);

  return TRUE;
}

static gboolean
read_dims (GhloVhloCall       *call,
           const GhloVhloPart *part,
           const GhloIrAttr   *value,
           const GhloIrAttr  **attr)
{
  gpointer *kept = ghlo_import_memo_at (call->memo, value, NULL);
  g_autofree gint64 *values = NULL;
  gsize n;

  if (*kept == NULL)
    {
      if (!ghlo_vhlo_get_integers (value, GHLO_ELEMENT_TYPE_I64, &values, &n))
        return fail (call, part, "a tensor of i64", value);
      *kept = (gpointer) ghlo_ir_attr_i64s (call->module, values, n);
    }
  *attr = ((const GhloIrAttr *) *kept)->length > 0 ? *kept : NULL;

  return TRUE;
}

static gboolean
read_field (GhloVhloCall       *call,
            const GhloVhloPart *part,
            const GhloIrField  *field,
            const GhloIrAttr   *value,
            const GhloIrAttr  **attr)
{
  switch (field->kind)
    {
    case GHLO_IR_FIELD_DIMS:
      return read_dims (call, part, value, attr);
    case GHLO_IR_FIELD_INT:
      if (!read_i64 (call, part, value, attr))
        return FALSE;
      if (field->optional && (*attr)->integer == 0)
        *attr = NULL;
      return TRUE;
    case GHLO_IR_FIELD_BOOL:
      *attr = value;
      return value->kind == GHLO_IR_ATTR_BOOL || fail (call, part, "true or false", value);
    case GHLO_IR_FIELD_TYPE:
      *attr = value;
      return value->kind == GHLO_IR_ATTR_TYPE || fail (call, part, "a type", value);
    default:
      g_return_val_if_reached (FALSE);
    }
}

static gboolean
read_struct (GhloVhloCall            *call,
             const GhloVhloGroup     *group,
             const GhloIrAttr *const *parts,
             const GhloIrAttr       **attr)
{
  const GhloIrStructSpec *structure = &ghlo_ir_struct_specs[group->spec->detail];
  const GhloIrAttr *fields[GHLO_VHLO_MAX_PARTS] = { NULL };

  for (guint i = 0; i < group->n_parts; i++)
    {
      const GhloVhloPart *part = &group->parts[i];

      if (parts[i] != NULL && !read_field (call, part, &structure->fields[part->field], parts[i], &fields[part->field]))
        return FALSE;
    }
  *attr = ghlo_ir_attr_struct (call->module, group->spec->detail, fields);

  return TRUE;
}

static void
write_struct (GhloVhloCall        *call,
              const GhloVhloGroup *group,
              const GhloIrAttr    *attr,
              const GhloIrAttr   **parts)
{
  const GhloIrStructSpec *structure = &ghlo_ir_struct_specs[group->spec->detail];

  for (guint i = 0; i < group->n_parts; i++)
    {
      const GhloIrField *field = &structure->fields[group->parts[i].field];

      parts[i] = attr->children[group->parts[i].field];
      if (parts[i] == NULL)
        parts[i] = field->kind == GHLO_IR_FIELD_DIMS ? ghlo_ir_attr_i64s (call->module, NULL, 0)
                                                     : ghlo_ir_attr_i64 (call->module, 0);
    }
}

static gboolean
read_channel (GhloVhloCall            *call,
              const GhloVhloGroup     *group,
              const GhloIrAttr *const *parts,
              const GhloIrAttr       **attr)
{
  const GhloIrAttr *fields[2] = { NULL, ghlo_ir_attr_i64 (call->module, 0) };

  for (guint i = 0; i < group->n_parts; i++)
    if (!read_i64 (call, &group->parts[i], parts[i], &fields[i]))
      return FALSE;
  *attr = ghlo_ir_attr_struct (call->module, GHLO_IR_STRUCT_CHANNEL_HANDLE, fields);

  return TRUE;
}

/* No version of a collective operation has the channel's type. */
static void
write_channel (GhloVhloCall        *call,
               const GhloVhloGroup *group,
               const GhloIrAttr    *attr,
               const GhloIrAttr   **parts)
{
  for (guint i = 0; i < group->n_parts; i++)
    parts[i] = attr->children[i];
}

static gboolean
read_padding (GhloVhloCall            *call,
              const GhloVhloGroup     *group,
              const GhloIrAttr *const *parts,
              const GhloIrAttr       **attr)
{
  *attr = NULL;

  return TRUE;
}

enum { BATCH_AND_FEATURE = 2 };

static void
write_padding (GhloVhloCall        *call,
               const GhloVhloGroup *group,
               const GhloIrAttr    *attr,
               const GhloIrAttr   **parts)
{
  guint rank = ghlo_ir_op_operand (call->op, 0)->type->rank;

  parts[0] = ghlo_vhlo_zero_pairs (call->module, MAX (rank, BATCH_AND_FEATURE) - BATCH_AND_FEATURE);
}

static const struct
{
  gboolean (*read)  (GhloVhloCall *call, const GhloVhloGroup *group, const GhloIrAttr *const *parts,
                     const GhloIrAttr **attr);
  void     (*write) (GhloVhloCall *call, const GhloVhloGroup *group, const GhloIrAttr *attr,
                     const GhloIrAttr **parts);
} conversions[GHLO_VHLO_N_CONVERSIONS] = {
  [GHLO_VHLO_CONVERSION_SAME] = { read_same, write_same },
  [GHLO_VHLO_CONVERSION_INTEGERS] = { read_integers, write_same },
  [GHLO_VHLO_CONVERSION_SYMBOL] = { read_symbol, write_same },
  [GHLO_VHLO_CONVERSION_SYMBOLS] = { read_symbols, write_same },
  [GHLO_VHLO_CONVERSION_UNIT] = { read_unit, write_unit },
  [GHLO_VHLO_CONVERSION_STRUCT] = { read_struct, write_struct },
  [GHLO_VHLO_CONVERSION_ALGORITHM] = { read_struct, write_struct },
  [GHLO_VHLO_CONVERSION_CHANNEL] = { read_channel, write_channel },
  [GHLO_VHLO_CONVERSION_PADDING] = { read_padding, write_padding },
};

gboolean
ghlo_vhlo_conversion_read (GhloVhloCall             *call,
                           const GhloVhloGroup      *group,
                           const GhloIrAttr *const  *parts,
                           const GhloIrAttr        **attr)
{
  g_autofree char *problem = NULL;

  if (!conversions[group->conversion].read (call, group, parts, attr))
    return FALSE;
  problem = *attr != NULL && group->spec != NULL ? ghlo_ir_attribute_problem (group->spec, *attr) : NULL;
  if (problem == NULL)
    return TRUE;
  g_set_error (call->error, GHLO_ERROR, GHLO_ERROR_PARSE, "vhlo.%s: %s", call->self->name, problem);

  return FALSE;
}

void
ghlo_vhlo_conversion_write (GhloVhloCall         *call,
                            const GhloVhloGroup  *group,
                            const GhloIrAttr     *attr,
                            const GhloIrAttr    **parts)
{
  conversions[group->conversion].write (call, group, attr, parts);
}
