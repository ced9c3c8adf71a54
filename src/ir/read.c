/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads operations: attributes with their defaults, groups of operands and results, regions.
 */

#include <string.h>

#include "ir/module.h"

/* Returns the value of the inherent attribute @name, or NULL, and sets @spec to its row. */
static const GhloIrAttr *
find_inherent (const GhloIrOp        *op,
               const char            *name,
               const GhloIrAttrSpec **attr_spec)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);

  for (guint i = 0; i < spec->n_attributes; i++)
    if (strcmp (spec->attributes[i].name, name) == 0)
      {
        *attr_spec = &spec->attributes[i];
        return op->attributes[i];
      }
  *attr_spec = NULL;

  return NULL;
}

const char *
ghlo_ir_op_get_name (const GhloIrOp *op)
{
  /* The row of unregistered operations has one attribute, the name. */
  if (op->kind == GHLO_OP_UNREGISTERED && op->attributes[0] != NULL && op->attributes[0]->kind == GHLO_IR_ATTR_STRING)
    return op->attributes[0]->text;

  return ghlo_ir_op_get_spec (op)->name;
}

const GhloIrAttr *
ghlo_ir_op_get (const GhloIrOp *op,
                const char     *name)
{
  const GhloIrAttrSpec *spec;
  const GhloIrAttr *value = find_inherent (op, name, &spec);

  if (spec != NULL)
    return value;

  for (guint i = 0; i < op->n_discardable; i++)
    if (strcmp (op->discardable[i].name, name) == 0)
      return op->discardable[i].value;

  return NULL;
}

const GhloIrAttr *
ghlo_ir_constant_get_splat (const GhloIrValue *value)
{
  const GhloIrAttr *attr = value->op != NULL && value->op->kind == GHLO_OP_STABLEHLO_CONSTANT
                             ? ghlo_ir_op_get (value->op, "value") : NULL;

  return attr != NULL && attr->kind == GHLO_IR_ATTR_DENSE && (attr->dense.splat || attr->dense.n_elements == 1)
         ? attr : NULL;
}

gint64
ghlo_ir_op_get_int (const GhloIrOp *op,
                    const char     *name,
                    gint64          fallback)
{
  const GhloIrAttrSpec *spec;
  const GhloIrAttr *value = find_inherent (op, name, &spec);

  if (value != NULL)
    return value->kind == GHLO_IR_ATTR_BOOL || value->kind == GHLO_IR_ATTR_INTEGER || value->kind == GHLO_IR_ATTR_ENUM
           ? value->integer : fallback;
  if (spec == NULL || spec->fallback == NULL)
    return fallback;
  if (strcmp (spec->fallback, "true") == 0)
    return 1;
  if (strcmp (spec->fallback, "false") == 0)
    return 0;

  return g_ascii_strtoll (spec->fallback, NULL, 10);
}

double
ghlo_ir_op_get_real (const GhloIrOp *op,
                     const char     *name,
                     double          fallback)
{
  const GhloIrAttrSpec *spec;
  const GhloIrAttr *value = find_inherent (op, name, &spec);

  if (value != NULL)
    return value->kind == GHLO_IR_ATTR_FLOAT ? value->real : fallback;

  return spec != NULL && spec->fallback != NULL ? g_ascii_strtod (spec->fallback, NULL) : fallback;
}

const char *
ghlo_ir_op_get_string (const GhloIrOp *op,
                       const char     *name)
{
  const GhloIrAttr *value = ghlo_ir_op_get (op, name);

  return value != NULL && (value->kind == GHLO_IR_ATTR_STRING || value->kind == GHLO_IR_ATTR_SYMBOL)
         ? value->text : NULL;
}

const gint64 *
ghlo_ir_op_get_ints (const GhloIrOp *op,
                     const char     *name,
                     gsize          *n)
{
  const GhloIrAttr *value = ghlo_ir_op_get (op, name);

  *n = 0;
  if (value == NULL || value->kind != GHLO_IR_ATTR_DENSE_ARRAY
      || ghlo_element_type_is_float (value->type->element_type))
    return NULL;
  *n = value->length;

  return value->integers;
}

gint64 *
ghlo_ir_op_dup_ints (const GhloIrOp *op,
                     const char     *name,
                     gsize          *n)
{
  const GhloIrAttr *value = ghlo_ir_op_get (op, name);
  const gint64 *integers = ghlo_ir_op_get_ints (op, name, n);
  gint64 *copy = NULL;

  if (integers != NULL)
    return g_memdup2 (integers, *n * sizeof (gint64));
  if (value != NULL)
    ghlo_ir_dense_to_int64 (value, &copy, n);

  return copy;
}

gboolean
ghlo_ir_op_ints_are (const GhloIrOp *op,
                     const char     *name,
                     gint64          value)
{
  gsize n;
  g_autofree gint64 *values = ghlo_ir_op_dup_ints (op, name, &n);

  for (gsize i = 0; i < n; i++)
    if (values[i] != value)
      return FALSE;

  return TRUE;
}

/* Finds the first index and the size of group @group of @groups among @total
 * values. At most one group may have an open size, unless the row says that its
 * variadic groups have equal sizes or the operation states all sizes in @segments. */
static gboolean
find_group (const GhloIrGroupSpec *groups,
            guint                  n_groups,
            gboolean               same_size,
            const GhloIrAttr      *segments,
            guint                  total,
            guint                  group,
            guint                 *first,
            guint                 *n)
{
  guint n_fixed = 0, n_open = 0, open_size = 0;

  *first = 0;
  if (segments != NULL)
    {
      if (segments->kind != GHLO_IR_ATTR_DENSE_ARRAY || segments->length != n_groups)
        return FALSE;
      for (guint i = 0; i <= group; i++)
        {
          if (segments->integers[i] < 0 || segments->integers[i] > total - *first)
            return FALSE;
          *n = segments->integers[i];
          if (i < group)
            *first += *n;
        }
      return TRUE;
    }

  for (guint i = 0; i < n_groups; i++)
    if (groups[i].arity == GHLO_IR_ONE)
      n_fixed++;
    else
      n_open++;
  if (total < n_fixed || (n_open == 0 && total != n_fixed) || (n_open > 1 && !same_size))
    return FALSE;
  if (n_open > 0)
    {
      if ((total - n_fixed) % n_open != 0)
        return FALSE;
      open_size = (total - n_fixed) / n_open;
    }

  for (guint i = 0; i < group; i++)
    *first += groups[i].arity == GHLO_IR_ONE ? 1 : open_size;
  *n = groups[group].arity == GHLO_IR_ONE ? 1 : open_size;

  return groups[group].arity != GHLO_IR_OPTIONAL || *n <= 1;
}

static const GhloIrAttr *
segments_of (const GhloIrOp *op,
             const char     *name)
{
  return ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_SEGMENTS ? ghlo_ir_op_get (op, name) : NULL;
}

gboolean
ghlo_ir_op_operand_group (const GhloIrOp *op,
                          guint           group,
                          guint          *first,
                          guint          *n)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);

  return find_group (spec->operands, spec->n_operands, (spec->traits & GHLO_IR_TRAIT_SAME_GROUP_SIZE) != 0,
                     segments_of (op, "operandSegmentSizes"), op->n_operands, group, first, n);
}

gboolean
ghlo_ir_op_result_group (const GhloIrOp *op,
                         guint           group,
                         guint          *first,
                         guint          *n)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);

  return find_group (spec->results, spec->n_results, FALSE,
                     segments_of (op, "resultSegmentSizes"), op->n_results, group, first, n);
}

GhloIrBlock *
ghlo_ir_op_region_block (const GhloIrOp *op,
                         guint           region)
{
  if (region >= op->n_regions || op->regions[region].first != op->regions[region].last)
    return NULL;

  return op->regions[region].first;
}

GhloIrOp *
ghlo_ir_op_get_parent (const GhloIrOp *op)
{
  return op->block != NULL && op->block->region != NULL ? op->block->region->op : NULL;
}

GhloIrBlock *
ghlo_ir_func_get_body (const GhloIrOp *func)
{
  return func->kind == GHLO_OP_FUNC_FUNC ? ghlo_ir_op_region_block (func, 0) : NULL;
}
