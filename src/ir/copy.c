/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies a module. Everything is created anew in a new arena,
 * except for the bytes of constants, which are shared by reference.
 */

#include <string.h>

#include "ir/context.h"

typedef struct
{
  GhloIrModule *module;      /* the copy */
  GHashTable   *made;        /* type, attribute, location or value of the source → its copy */
  gboolean      same;        /* source and copy are in the same module, so types and attributes are not copied */
} Copier;

static const GhloIrAttr *copy_attr (Copier *self, const GhloIrAttr *attr);

static const GhloIrType *
copy_type (Copier           *self,
           const GhloIrType *type)
{
  GhloIrModule *module = self->module;
  const GhloIrType *copy = type != NULL ? g_hash_table_lookup (self->made, type) : NULL;
  g_autofree const GhloIrType **members = NULL;
  gsize n_members;

  if (self->same)
    return type;
  if (type == NULL || copy != NULL)
    return copy;

  n_members = type->members != NULL ? (gsize) type->rank + type->n_results : 0;
  members = g_new (const GhloIrType *, n_members + 1);
  for (gsize i = 0; i < n_members; i++)
    members[i] = copy_type (self, type->members[i]);

  switch (type->kind)
    {
    case GHLO_IR_TYPE_ELEMENT:
      copy = type->text != NULL ? ghlo_ir_type_named (module, type->text)
                                : ghlo_ir_type_element (module, type->element_type);
      break;
    case GHLO_IR_TYPE_QUANTIZED:
      copy = ghlo_ir_type_quantized (module, type->quantization);
      break;
    case GHLO_IR_TYPE_TENSOR:
    case GHLO_IR_TYPE_UNRANKED:
    case GHLO_IR_TYPE_MEMREF:
      {
        GhloIrType element = { .kind = GHLO_IR_TYPE_ELEMENT, .element_type = type->element_type };

        if (type->text != NULL)
          element.text = ghlo_ir_module_intern (module, type->text, -1);
        if (type->quantization != NULL)
          element.quantization = ghlo_ir_context_quantization (module, type->quantization);
        if (type->kind == GHLO_IR_TYPE_UNRANKED)
          copy = ghlo_ir_type_unranked (module, &element);
        else if (type->kind == GHLO_IR_TYPE_MEMREF)
          copy = ghlo_ir_type_memref (module, &element, type->dimensions, type->rank, copy_attr (self, type->encoding));
        else
          copy = ghlo_ir_type_tensor (module, &element, type->dimensions, type->rank, type->bounds,
                                      copy_attr (self, type->encoding));
        break;
      }
    case GHLO_IR_TYPE_TOKEN:
      copy = ghlo_ir_type_token (module);
      break;
    case GHLO_IR_TYPE_TUPLE:
      copy = ghlo_ir_type_tuple (module, members, type->rank);
      break;
    case GHLO_IR_TYPE_FUTURE:
      copy = ghlo_ir_type_future (module, members, type->rank);
      break;
    case GHLO_IR_TYPE_FUNCTION:
      copy = ghlo_ir_type_function (module, members, type->rank, members + type->rank, type->n_results);
      break;
    case GHLO_IR_TYPE_NONE:
      copy = ghlo_ir_type_none (module);
      break;
    case GHLO_IR_TYPE_OPAQUE:
      copy = ghlo_ir_type_opaque (module, type->text);
      break;
    }
  g_hash_table_insert (self->made, (gpointer) type, (gpointer) copy);

  return copy;
}

static const GhloIrLocation *
copy_location (Copier               *self,
               const GhloIrLocation *location)
{
  GhloIrModule *module = self->module;
  const GhloIrLocation *copy = location != NULL ? g_hash_table_lookup (self->made, location) : NULL;
  g_autofree const GhloIrLocation **children = NULL;

  if (self->same)
    return location;
  if (location == NULL || copy != NULL)
    return copy;

  children = g_new (const GhloIrLocation *, location->n_children + 1);
  for (guint i = 0; i < location->n_children; i++)
    children[i] = copy_location (self, location->children[i]);

  switch (location->kind)
    {
    case GHLO_IR_LOCATION_FILE:
      copy = ghlo_ir_location_file (module, location->text, location->line, location->column,
                                    location->end_line, location->end_column);
      break;
    case GHLO_IR_LOCATION_NAME:
      g_assert (location->n_children == 1);
      copy = ghlo_ir_location_name (module, location->text, children[0]);
      break;
    case GHLO_IR_LOCATION_CALL_SITE:
      g_assert (location->n_children == 2);
      copy = ghlo_ir_location_call_site (module, children[0], children[1]);
      break;
    case GHLO_IR_LOCATION_FUSED:
      copy = ghlo_ir_location_fused (module, children, location->n_children, copy_attr (self, location->metadata));
      break;
    case GHLO_IR_LOCATION_UNKNOWN:
    case GHLO_IR_LOCATION_OPAQUE:
      copy = ghlo_ir_location_unknown (module);
      break;
    }
  g_hash_table_insert (self->made, (gpointer) location, (gpointer) copy);

  return copy;
}

static const GhloIrAttr *
copy_dictionary (Copier           *self,
                 const GhloIrAttr *attr)
{
  g_autofree GhloIrNamedAttr *entries = g_new (GhloIrNamedAttr, attr->length + 1);

  for (gsize i = 0; i < attr->length; i++)
    entries[i] = (GhloIrNamedAttr) { attr->entries[i].name, copy_attr (self, attr->entries[i].value) };

  return ghlo_ir_attr_dictionary (self->module, entries, attr->length);
}

static const GhloIrAttr *
copy_dense_array (Copier           *self,
                  const GhloIrAttr *attr)
{
  if (ghlo_element_type_is_float (attr->type->element_type))
    return ghlo_ir_attr_reals (self->module, attr->type->element_type, attr->reals, attr->length);

  return ghlo_ir_attr_integers (self->module, attr->type->element_type, attr->integers, attr->length);
}

static const GhloIrAttr *
make_attr (Copier                  *self,
           const GhloIrAttr        *attr,
           const GhloIrAttr *const *children)
{
  GhloIrModule *module = self->module;

  switch (attr->kind)
    {
    case GHLO_IR_ATTR_UNIT:
      return ghlo_ir_attr_unit (module);
    case GHLO_IR_ATTR_BOOL:
      return ghlo_ir_attr_bool (module, attr->integer != 0);
    case GHLO_IR_ATTR_INTEGER:
      return ghlo_ir_attr_integer (module, copy_type (self, attr->type), attr->integer);
    case GHLO_IR_ATTR_FLOAT:
      return ghlo_ir_attr_float (module, copy_type (self, attr->type), attr->real);
    case GHLO_IR_ATTR_STRING:
      return ghlo_ir_attr_string (module, attr->text, attr->length);
    case GHLO_IR_ATTR_SYMBOL:
      return ghlo_ir_attr_symbol (module, attr->text, children, attr->length);
    case GHLO_IR_ATTR_TYPE:
      return ghlo_ir_attr_type (module, copy_type (self, attr->type));
    case GHLO_IR_ATTR_ARRAY:
      return ghlo_ir_attr_array (module, children, attr->length);
    case GHLO_IR_ATTR_DICTIONARY:
      return copy_dictionary (self, attr);
    case GHLO_IR_ATTR_DENSE:
      return ghlo_ir_attr_dense (module, copy_type (self, attr->type), g_bytes_ref (attr->dense.bytes),
                                 attr->dense.splat, attr->dense.resource);
    case GHLO_IR_ATTR_DENSE_ARRAY:
      return copy_dense_array (self, attr);
    case GHLO_IR_ATTR_DENSE_STRINGS:
      return ghlo_ir_attr_dense_strings (module, copy_type (self, attr->type), children, attr->length);
    case GHLO_IR_ATTR_ENUM:
      return ghlo_ir_attr_enum (module, attr->subkind, attr->integer);
    case GHLO_IR_ATTR_STRUCT:
      return ghlo_ir_attr_struct (module, attr->subkind, children);
    case GHLO_IR_ATTR_LOCATION:
      return ghlo_ir_attr_location (module, copy_location (self, attr->location));
    case GHLO_IR_ATTR_KEPT_ELEMENTS:
      return ghlo_ir_attr_kept_elements (module, copy_type (self, attr->type), attr->text);
    case GHLO_IR_ATTR_OPAQUE:
      return ghlo_ir_attr_opaque (module, attr->text);
    }

  return NULL;
}

static const GhloIrAttr *
copy_attr (Copier           *self,
           const GhloIrAttr *attr)
{
  const GhloIrAttr *copy = attr != NULL ? g_hash_table_lookup (self->made, attr) : NULL;
  g_autofree const GhloIrAttr **children = NULL;

  if (self->same)
    return attr;
  if (attr == NULL || copy != NULL)
    return copy;

  if (attr->children != NULL)
    {
      children = g_new (const GhloIrAttr *, attr->length + 1);
      for (gsize i = 0; i < attr->length; i++)
        children[i] = copy_attr (self, attr->children[i]);
    }
  copy = make_attr (self, attr, children);
  g_hash_table_insert (self->made, (gpointer) attr, (gpointer) copy);

  return copy;
}

static GhloIrOp *copy_op (Copier *self, const GhloIrOp *op);

static void
copy_region (Copier             *self,
             const GhloIrRegion *region,
             GhloIrRegion       *into)
{
  for (const GhloIrBlock *block = region->first; block != NULL; block = block->next)
    {
      GhloIrBlock *new_block = ghlo_ir_region_add_block (self->module, into);

      new_block->label = block->label != NULL ? ghlo_ir_module_intern (self->module, block->label, -1) : NULL;
      for (guint i = 0; i < block->n_arguments; i++)
        {
          GhloIrValue *argument = block->arguments[i];
          GhloIrValue *copy = ghlo_ir_block_add_argument (self->module, new_block, copy_type (self, argument->type),
                                                          copy_location (self, argument->location));

          copy->name = argument->name != NULL ? ghlo_ir_module_intern (self->module, argument->name, -1) : NULL;
          g_hash_table_insert (self->made, argument, copy);
        }
      for (const GhloIrOp *op = block->first; op != NULL; op = op->next)
        ghlo_ir_block_append (new_block, copy_op (self, op));
    }
}

static GhloIrOp *
copy_op (Copier         *self,
         const GhloIrOp *op)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  g_autofree GhloIrValue **operands = g_new (GhloIrValue *, op->n_operands + 1);
  g_autofree const GhloIrType **types = g_new (const GhloIrType *, op->n_results + 1);
  g_autofree GhloIrNamedAttr *attributes = g_new (GhloIrNamedAttr, spec->n_attributes + op->n_discardable + 1);
  GhloIrOpState state = {
    .kind = op->kind, .operands = operands, .n_operands = op->n_operands,
    .result_types = types, .n_results = op->n_results, .n_regions = op->n_regions,
    .attributes = attributes, .location = copy_location (self, op->location),
    .line = op->line, .column = op->column,
  };
  GhloIrOp *copy;

  for (guint i = 0; i < op->n_operands; i++)
    {
      GhloIrValue *operand = ghlo_ir_op_operand (op, i);

      operands[i] = g_hash_table_lookup (self->made, operand);
      if (operands[i] == NULL && self->same)
        operands[i] = operand;
    }
  for (guint i = 0; i < op->n_results; i++)
    types[i] = copy_type (self, op->results[i].type);
  for (guint i = 0; i < spec->n_attributes; i++)
    if (op->attributes[i] != NULL)
      attributes[state.n_attributes++] = (GhloIrNamedAttr) { spec->attributes[i].name,
                                                             copy_attr (self, op->attributes[i]) };
  for (guint i = 0; i < op->n_discardable; i++)
    attributes[state.n_attributes++] = (GhloIrNamedAttr) { op->discardable[i].name,
                                                           copy_attr (self, op->discardable[i].value) };

  copy = ghlo_ir_op_new (self->module, &state);
  for (guint i = 0; i < op->n_results; i++)
    {
      const char *name = op->results[i].name;

      copy->results[i].name = name != NULL ? ghlo_ir_module_intern (self->module, name, -1) : NULL;
      g_hash_table_insert (self->made, &op->results[i], &copy->results[i]);
    }
  for (guint i = 0; i < op->n_regions; i++)
    copy_region (self, &op->regions[i], &copy->regions[i]);

  return copy;
}

GhloIrModule *
ghlo_ir_module_copy (GhloIrModule *self)
{
  Copier copier = { .module = ghlo_ir_module_new (self->file_name) };
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL);

  copier.made = made;
  copier.module->is_binary = self->is_binary;
  copier.module->op = copy_op (&copier, self->op);

  return copier.module;
}

GhloIrOp *
ghlo_ir_op_copy (GhloIrModule   *module,
                 const GhloIrOp *op,
                 gboolean        same,
                 GHashTable     *made)
{
  Copier copier = { .module = module, .made = made, .same = same };

  return copy_op (&copier, op);
}

const GhloIrAttr *
ghlo_ir_attr_copy (GhloIrModule     *module,
                   const GhloIrAttr *attr,
                   GHashTable       *made)
{
  Copier copier = { .module = module, .made = made };

  return copy_attr (&copier, attr);
}

const GhloIrType *
ghlo_ir_type_copy (GhloIrModule     *module,
                   const GhloIrType *type,
                   GHashTable       *made)
{
  Copier copier = { .module = module, .made = made };

  return copy_type (&copier, type);
}
