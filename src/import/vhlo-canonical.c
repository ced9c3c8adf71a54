/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One form for attributes of ours that VHLO has one attribute for, so that equal
 * ones get one number in a file: a symbol is a string there, an array of integers a
 * tensor, and a tensor whose elements are all equal has one.
 */

#include "import/vhlo-private.h"

#include "import/unpack.h"

static const GhloIrAttr *
tensor_of_array (GhloIrModule     *module,
                 const GhloIrAttr *attr)
{
  const GhloElementInfo *info = ghlo_element_info (attr->type->element_type);
  const gint64 dimension = (gint64) attr->length;
  guint8 *data = g_malloc (MAX (attr->length * info->size, 1));
  gboolean splat = FALSE;
  GBytes *bytes;

  for (gsize i = 0; i < attr->length; i++)
    ghlo_element_store (attr->type->element_type, data + i * info->size, (GhloScalar) { .i = attr->integers[i] });
  bytes = ghlo_import_compress (g_bytes_new_take (data, attr->length * info->size), attr->length, info->size, &splat);

  return ghlo_ir_attr_dense (module, ghlo_ir_type_tensor (module, attr->type, &dimension, 1, NULL, NULL),
                             bytes, splat, NULL);
}

static const GhloIrAttr *
canonical_array (GhloIrModule     *module,
                 const GhloIrAttr *attr)
{
  g_autofree const GhloIrAttr **children = g_new (const GhloIrAttr *, MAX (attr->length, 1));
  gboolean same = TRUE;

  for (gsize i = 0; i < attr->length; i++)
    {
      children[i] = ghlo_vhlo_canonical (module, attr->children[i]);
      same &= children[i] == attr->children[i];
    }

  return same ? attr : ghlo_ir_attr_array (module, children, attr->length);
}

static const GhloIrAttr *
canonical_dictionary (GhloIrModule     *module,
                      const GhloIrAttr *attr)
{
  g_autofree GhloIrNamedAttr *entries = g_memdup2 (attr->entries, attr->length * sizeof (GhloIrNamedAttr));
  gboolean same = TRUE;

  for (gsize i = 0; i < attr->length; i++)
    {
      entries[i].value = ghlo_vhlo_canonical (module, attr->entries[i].value);
      same &= entries[i].value == attr->entries[i].value;
    }

  return same ? attr : ghlo_ir_attr_dictionary (module, entries, attr->length);
}

const GhloIrAttr *
ghlo_vhlo_canonical (GhloIrModule     *module,
                     const GhloIrAttr *attr)
{
  GhloElementType element_type = attr->type != NULL ? attr->type->element_type : GHLO_ELEMENT_TYPE_INVALID;

  switch (attr->kind)
    {
    case GHLO_IR_ATTR_SYMBOL:
      return attr->length == 0 ? ghlo_ir_attr_string (module, attr->text, -1) : attr;
    case GHLO_IR_ATTR_INTEGER:
      return element_type == GHLO_ELEMENT_TYPE_I1 ? ghlo_ir_attr_bool (module, attr->integer != 0) : attr;
    case GHLO_IR_ATTR_DENSE_ARRAY:
      return element_type == GHLO_ELEMENT_TYPE_I64 || element_type == GHLO_ELEMENT_TYPE_I1
             ? tensor_of_array (module, attr) : attr;
    case GHLO_IR_ATTR_DENSE:
      return ghlo_bytecode_plain_dense (module, attr);
    case GHLO_IR_ATTR_ARRAY:
      return canonical_array (module, attr);
    case GHLO_IR_ATTR_DICTIONARY:
      return canonical_dictionary (module, attr);
    default:
      return attr;
    }
}
