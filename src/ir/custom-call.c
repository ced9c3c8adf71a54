/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Looks up options among the attributes of a call and in each of its configuration dictionaries.
 */

#include "ir/custom-call.h"

const GhloIrMhloTarget ghlo_ir_mhlo_targets[] = {
  { "mhlo.acos", GHLO_OP_CHLO_ACOS },
  { "mhlo.acosh", GHLO_OP_CHLO_ACOSH },
  { "mhlo.asin", GHLO_OP_CHLO_ASIN },
  { "mhlo.asinh", GHLO_OP_CHLO_ASINH },
  { "mhlo.atan", GHLO_OP_CHLO_ATAN },
  { "mhlo.atanh", GHLO_OP_CHLO_ATANH },
  { "mhlo.cosh", GHLO_OP_CHLO_COSH },
  { "mhlo.erf", GHLO_OP_CHLO_ERF },
  { "mhlo.erf_inv", GHLO_OP_CHLO_ERF_INV },
  { "mhlo.sinh", GHLO_OP_CHLO_SINH },
  { "mhlo.tan", GHLO_OP_STABLEHLO_TAN },
  { NULL, GHLO_OP_INVALID },
};

GhloIrOpKind
ghlo_ir_mhlo_find (const char *target)
{
  const GhloIrMhloTarget *row = ghlo_ir_mhlo_targets;

  while (row->target != NULL && g_strcmp0 (row->target, target) != 0)
    row++;

  return row->kind;
}

const GhloIrAttr *
ghlo_ir_custom_call_get (const GhloIrOp *op,
                         const char     *name)
{
  static const char *const dictionaries[] = { "mhlo.attributes", "backend_config", "mhlo.backend_config" };
  const GhloIrAttr *own = ghlo_ir_op_get (op, name);

  if (own != NULL)
    return own;
  for (guint i = 0; i < G_N_ELEMENTS (dictionaries); i++)
    {
      const GhloIrAttr *dictionary = ghlo_ir_op_get (op, dictionaries[i]);
      const GhloIrAttr *found = dictionary != NULL && dictionary->kind == GHLO_IR_ATTR_DICTIONARY
                                ? ghlo_ir_dictionary_get (dictionary, name) : NULL;

      if (found != NULL)
        return found;
    }

  return NULL;
}

gboolean
(ghlo_ir_custom_call_refuse) (const GhloIrOp *op,
                              const char     *name,
                              const char     *expected,
                              char          **problem)
{
  const GhloIrAttr *attr = ghlo_ir_custom_call_get (op, name);
  g_autofree char *found = attr != NULL ? ghlo_ir_attr_to_string (attr) : g_strdup ("nothing");

  *problem = g_strdup_printf ("expected %s as '%s' of %s, found %s", expected, name,
                              ghlo_ir_op_get_string (op, "call_target_name"), found);

  return FALSE;
}

/* Sets *attr to the attribute, or NULL if absent. Fails if its
 * kind is not in @kinds, a set of bits 1 << GhloIrAttrKind. */
static gboolean
find (const GhloIrOp    *op,
      const char        *name,
      guint              kinds,
      const char        *expected,
      const GhloIrAttr **attr,
      char             **problem)
{
  *attr = ghlo_ir_custom_call_get (op, name);

  return *attr == NULL || (kinds >> (*attr)->kind & 1) != 0
         || ghlo_ir_custom_call_refuse (op, name, expected, problem);
}

gboolean
ghlo_ir_custom_call_read_integer (const GhloIrOp  *op,
                                  const char      *name,
                                  gint64          *value,
                                  char           **problem)
{
  const GhloIrAttr *attr;

  if (!find (op, name, 1u << GHLO_IR_ATTR_INTEGER, "an integer", &attr, problem))
    return FALSE;
  if (attr != NULL)
    *value = attr->integer;

  return TRUE;
}

gboolean
ghlo_ir_custom_call_read_boolean (const GhloIrOp  *op,
                                  const char      *name,
                                  gboolean        *value,
                                  char           **problem)
{
  const GhloIrAttr *attr;

  if (!find (op, name, 1u << GHLO_IR_ATTR_BOOL | 1u << GHLO_IR_ATTR_INTEGER, "true or false", &attr, problem))
    return FALSE;
  if (attr != NULL)
    *value = attr->integer != 0;

  return TRUE;
}

gboolean
ghlo_ir_custom_call_read_real (const GhloIrOp  *op,
                               const char      *name,
                               double          *value,
                               char           **problem)
{
  const GhloIrAttr *attr;

  if (!find (op, name, 1u << GHLO_IR_ATTR_FLOAT, "a float", &attr, problem))
    return FALSE;
  if (attr != NULL)
    *value = attr->real;

  return TRUE;
}

gboolean
ghlo_ir_custom_call_read_text (const GhloIrOp  *op,
                               const char      *name,
                               const char     **value,
                               char           **problem)
{
  const GhloIrAttr *attr;

  if (!find (op, name, 1u << GHLO_IR_ATTR_STRING, "a string", &attr, problem))
    return FALSE;
  if (attr != NULL)
    *value = attr->text;

  return TRUE;
}

gboolean
ghlo_ir_custom_call_read_word (const GhloIrOp  *op,
                               const char      *name,
                               GhloIrEnum       enumeration,
                               const char     **value,
                               char           **problem)
{
  const GhloIrEnumSpec *spec = &ghlo_ir_enum_specs[enumeration];
  g_autofree char *expected = g_strdup_printf ("#%s<%s NAME>", spec->dialect, spec->mnemonic);
  const GhloIrAttr *attr;

  if (!find (op, name, 1u << GHLO_IR_ATTR_ENUM, expected, &attr, problem))
    return FALSE;
  if (attr != NULL && attr->subkind != enumeration)
    return ghlo_ir_custom_call_refuse (op, name, expected, problem);
  if (attr != NULL)
    *value = ghlo_ir_enum_word (attr);

  return TRUE;
}

gboolean
ghlo_ir_custom_call_is_hint (const GhloIrOp *op)
{
  return op->kind == GHLO_OP_STABLEHLO_CUSTOM_CALL && op->n_results == 0
         && g_strcmp0 (ghlo_ir_op_get_string (op, "call_target_name"), "control_dep") == 0;
}
