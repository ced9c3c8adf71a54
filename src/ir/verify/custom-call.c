/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies custom_call: layouts, aliases between operands and results, configuration, and the targets that StableHLO
 * itself defines (buffers).
 */

#include "ir/verify/common.h"

#include <string.h>

#include "base/hash.h"

/* Whether @layout is a permutation of the dimensions of a tensor of @rank. */
static gboolean
is_permutation (const GhloIrAttr *layout,
                guint             rank)
{
  g_autofree gint64 *order = NULL;
  gsize n;

  if (rank > GHLO_MAX_RANK || layout->dense.n_elements != rank)
    return FALSE;
  if (!ghlo_ir_dense_to_int64 (layout, &order, &n) || n != rank)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (order[i] < 0 || order[i] >= rank)
      return FALSE;

  return ghlo_ir_dims_unique (order, n);
}

static gboolean
layout_fits (GhloIrVerifier   *verifier,
             const GhloIrOp   *op,
             const char       *what,
             guint             index,
             const GhloIrType *type,
             const GhloIrAttr *layout)
{
  g_autofree char *text = NULL, *found = NULL;
  gboolean shaped = ghlo_ir_type_is_shaped (type);

  if (shaped ? type->kind == GHLO_IR_TYPE_UNRANKED || is_permutation (layout, type->rank)
             : type->kind != GHLO_IR_TYPE_TUPLE && layout->dense.n_elements == 0)
    return TRUE;
  text = ghlo_ir_type_to_string (type);
  if (type->kind == GHLO_IR_TYPE_TUPLE)
    return ghlo_ir_verify_fail (verifier, op, "expected no tuples with layouts, found %s #%u of type %s",
                                what, index, text);

  found = ghlo_ir_attr_to_string (layout);

  return ghlo_ir_verify_fail (verifier, op, "expected a layout of %s #%u that is %s, found %s for type %s",
                              what, index, shaped ? "a permutation of its dimensions" : "empty", found, text);
}

/* The type that result layout @index describes: a member of the tuple if that is the only result, else a result. */
static const GhloIrType *
laid_out_result (const GhloIrOp *op,
                 guint           index)
{
  const GhloIrType *first = ghlo_ir_result_type (op, 0);

  return op->n_results == 1 && first->kind == GHLO_IR_TYPE_TUPLE ? first->members[index]
                                                                 : ghlo_ir_result_type (op, index);
}

static guint
n_laid_out_results (const GhloIrOp *op)
{
  return op->n_results == 1 && ghlo_ir_result_type (op, 0)->kind == GHLO_IR_TYPE_TUPLE
         ? ghlo_ir_result_type (op, 0)->rank : op->n_results;
}

static gboolean
layouts_fit (GhloIrVerifier *verifier,
             const GhloIrOp *op)
{
  const GhloIrAttr *operands = ghlo_ir_op_get (op, "operand_layouts");
  const GhloIrAttr *results = ghlo_ir_op_get (op, "result_layouts");

  if (operands == NULL && results == NULL)
    return TRUE;
  if (operands == NULL || results == NULL)
    return ghlo_ir_verify_fail (verifier, op, "expected layouts of both operands and results or of neither,"
                                " found only %s", operands != NULL ? "operand_layouts" : "result_layouts");
  if (operands->length != op->n_operands)
    return ghlo_ir_verify_fail (verifier, op, "expected %u operand_layouts, one for each operand, found %"
                                G_GSIZE_FORMAT, op->n_operands, operands->length);
  if (results->length != n_laid_out_results (op))
    return ghlo_ir_verify_fail (verifier, op, "expected %u result_layouts, one for each result, found %"
                                G_GSIZE_FORMAT, n_laid_out_results (op), results->length);

  for (guint i = 0; i < op->n_operands; i++)
    if (!layout_fits (verifier, op, "operand", i, ghlo_ir_operand_type (op, i), operands->children[i]))
      return FALSE;
  for (guint i = 0; i < results->length; i++)
    if (!layout_fits (verifier, op, "result", i, laid_out_result (op, i), results->children[i]))
      return FALSE;

  return TRUE;
}

/* Follows @indices through the nested tuples of @type. Returns the type found, or NULL. */
static const GhloIrType *
tuple_part (const GhloIrType *type,
            const gint64     *indices,
            gsize             n)
{
  for (gsize i = 0; i < n && type != NULL; i++)
    type = type->kind == GHLO_IR_TYPE_TUPLE && indices[i] >= 0 && indices[i] < type->rank
           ? type->members[indices[i]] : NULL;

  return type;
}

/* The same for results; several results count as one tuple. */
static const GhloIrType *
output_part (const GhloIrOp *op,
             const gint64   *indices,
             gsize           n)
{
  if (op->n_results == 1)
    return tuple_part (ghlo_ir_result_type (op, 0), indices, n);
  if (n == 0 || indices[0] < 0 || indices[0] >= op->n_results)
    return NULL;

  return tuple_part (ghlo_ir_result_type (op, (guint) indices[0]), indices + 1, n - 1);
}

static gboolean
fail_indices (GhloIrVerifier   *verifier,
              const GhloIrOp   *op,
              const char       *what,
              const GhloIrType *type,
              const gint64     *indices,
              gsize             n)
{
  g_autofree char *found = ghlo_ir_ints_to_string (indices, n);
  g_autofree char *text = type != NULL ? ghlo_ir_type_to_string (type) : NULL;

  return ghlo_ir_verify_fail (verifier, op, "expected %s%s%s, found %s", what, text != NULL ? " of type " : "",
                              text != NULL ? text : "", found);
}

static gboolean
alias_fits (GhloIrVerifier   *verifier,
            const GhloIrOp   *op,
            const GhloIrAttr *alias)
{
  gint64 operand = ghlo_ir_struct_get_int (alias, "operand_index");
  const GhloIrType *from, *to;
  const gint64 *indices;
  gsize n;

  if (!ghlo_ir_verify_dim_in_range (verifier, op, "operand_index of output_operand_aliases", operand, op->n_operands))
    return FALSE;
  indices = ghlo_ir_struct_get_dims (alias, "operand_tuple_indices", &n);
  from = tuple_part (ghlo_ir_operand_type (op, (guint) operand), indices, n);
  if (from == NULL)
    return fail_indices (verifier, op, "operand_tuple_indices that name a part of an operand",
                         ghlo_ir_operand_type (op, (guint) operand), indices, n);
  indices = ghlo_ir_struct_get_dims (alias, "output_tuple_indices", &n);
  to = output_part (op, indices, n);
  if (to == NULL)
    return fail_indices (verifier, op, "output_tuple_indices that name a part of the results",
                         op->n_results == 1 ? ghlo_ir_result_type (op, 0) : NULL, indices, n);
  if (from != to)
    return ghlo_ir_verify_fail_type (verifier, op, "an aliased output of the operand's type,", from, to);

  return TRUE;
}

static gboolean
aliases_fit (GhloIrVerifier *verifier,
             const GhloIrOp *op)
{
  const GhloIrAttr *aliases = ghlo_ir_op_get (op, "output_operand_aliases");

  for (gsize i = 0; aliases != NULL && i < aliases->length; i++)
    if (!alias_fits (verifier, op, aliases->children[i]))
      return FALSE;

  return TRUE;
}

static gboolean
configuration_fits (GhloIrVerifier *verifier,
                    const GhloIrOp *op)
{
  static const gint64 typed_ffi = 4;
  const GhloIrAttr *config = ghlo_ir_op_get (op, "backend_config");
  gboolean dictionary = ghlo_ir_op_get_int (op, "api_version", 1) == typed_ffi;

  if (config == NULL
      || config->kind == (dictionary ? GHLO_IR_ATTR_DICTIONARY : GHLO_IR_ATTR_STRING))
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op, "expected %s as backend_config of this api_version, found %s",
                              dictionary ? "a dictionary" : "a string", dictionary ? "a string" : "a dictionary");
}

static gboolean
fail_buffer (GhloIrVerifier   *verifier,
             const GhloIrOp   *op,
             const char       *target,
             const char       *what,
             const GhloIrType *type)
{
  g_autofree char *found = ghlo_ir_type_to_string (type);

  return ghlo_ir_verify_fail (verifier, op, "expected %s of target %s, found %s", what, target, found);
}

/* Checks Pin and Unpin: operand and result have the same shape
 * and element type, and one is a tensor, the other a buffer. */
static gboolean
pin_fits (GhloIrVerifier *verifier,
          const GhloIrOp *op,
          const char     *target,
          gboolean        pins)
{
  const GhloIrType *from, *to;

  if (op->n_operands != 1 || op->n_results != 1)
    return ghlo_ir_verify_fail (verifier, op, "expected one input and one output of target %s, found %u and %u",
                                target, op->n_operands, op->n_results);
  from = ghlo_ir_operand_type (op, 0);
  to = ghlo_ir_result_type (op, 0);
  if ((from->kind == GHLO_IR_TYPE_MEMREF) == pins || !ghlo_ir_type_is_shaped (from))
    return fail_buffer (verifier, op, target, pins ? "a tensor as input" : "a memref as input", from);
  if ((to->kind == GHLO_IR_TYPE_MEMREF) != pins || !ghlo_ir_type_is_shaped (to))
    return fail_buffer (verifier, op, target, pins ? "a memref as output" : "a tensor as output", to);
  if (!ghlo_ir_same_element (from, to) || !ghlo_ir_shapes_compatible (from, to))
    return ghlo_ir_verify_fail_type (verifier, op, "an output with the shape and element type of", from, to);

  return TRUE;
}

static gboolean
create_buffer_fits (GhloIrVerifier *verifier,
                    const GhloIrOp *op,
                    const char     *target)
{
  if (op->n_operands == 0 && op->n_results == 1 && ghlo_ir_result_type (op, 0)->kind == GHLO_IR_TYPE_MEMREF)
    return TRUE;

  if (op->n_operands == 0 && op->n_results == 1)
    return fail_buffer (verifier, op, target, "no inputs and one memref as output", ghlo_ir_result_type (op, 0));

  return ghlo_ir_verify_fail (verifier, op, "expected no inputs and one memref as output of target %s,"
                              " found %u inputs and %u outputs", target, op->n_operands, op->n_results);
}

/* The key of a buffer: the number of its value and the indices into the value's tuples. */
static char *
part_name (gint64        value,
           const gint64 *indices,
           gsize         n)
{
  g_autofree char *text = ghlo_ir_ints_to_string (indices, n);

  return g_strdup_printf ("%" G_GINT64_FORMAT "%s", value, text);
}

/* Checks that each buffer operand occurs in at most one alias. Adds the result buffers of the aliases to @outputs. */
static gboolean
aliased_buffers_once (GhloIrVerifier *verifier,
                      const GhloIrOp *op,
                      GHashTable     *outputs)
{
  const GhloIrAttr *aliases = ghlo_ir_op_get (op, "output_operand_aliases");
  g_autoptr (GHashTable) operands = g_hash_table_new_full (ghlo_hash_string, g_str_equal, g_free, NULL);

  for (gsize i = 0; aliases != NULL && i < aliases->length; i++)
    {
      gint64 operand = ghlo_ir_struct_get_int (aliases->children[i], "operand_index");
      const gint64 *indices;
      gsize n;

      indices = ghlo_ir_struct_get_dims (aliases->children[i], "operand_tuple_indices", &n);
      if (tuple_part (ghlo_ir_operand_type (op, (guint) operand), indices, n)->kind != GHLO_IR_TYPE_MEMREF)
        continue;
      if (!g_hash_table_add (operands, part_name (operand, indices, n)))
        return ghlo_ir_verify_fail (verifier, op, "expected each buffer operand in one alias, found operand #%"
                                    G_GINT64_FORMAT " in several", operand);
      indices = ghlo_ir_struct_get_dims (aliases->children[i], "output_tuple_indices", &n);
      if (!g_hash_table_add (outputs, part_name (0, indices, n)))
        {
          g_autofree char *name = ghlo_ir_ints_to_string (indices, n);

          return ghlo_ir_verify_fail (verifier, op, "expected each buffer output in one alias, found %s in several",
                                      name);
        }
    }

  return TRUE;
}

/* Checks that each buffer in @type, which is at @indices, is the result of an alias. */
static gboolean
buffers_aliased (GhloIrVerifier   *verifier,
                 const GhloIrOp   *op,
                 GHashTable       *outputs,
                 const GhloIrType *type,
                 gint64           *indices,
                 guint             depth)
{
  g_autofree char *name = NULL;

  if (type->kind == GHLO_IR_TYPE_TUPLE && depth < GHLO_MAX_NESTING)
    {
      for (guint i = 0; i < type->rank; i++)
        {
          indices[depth] = i;
          if (!buffers_aliased (verifier, op, outputs, type->members[i], indices, depth + 1))
            return FALSE;
        }
      return TRUE;
    }
  if (type->kind != GHLO_IR_TYPE_MEMREF)
    return TRUE;

  name = part_name (0, indices, depth);
  if (g_hash_table_contains (outputs, name))
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op,
                              "expected each buffer output in an alias with an operand, found none for %s",
                              name + 1);
}

static gboolean
has_buffer (const GhloIrType *type,
            guint             depth)
{
  if (type->kind != GHLO_IR_TYPE_TUPLE || depth >= GHLO_MAX_NESTING)
    return type->kind == GHLO_IR_TYPE_MEMREF;
  for (guint i = 0; i < type->rank; i++)
    if (has_buffer (type->members[i], depth + 1))
      return TRUE;

  return FALSE;
}

static gboolean
buffers_fit (GhloIrVerifier *verifier,
             const GhloIrOp *op)
{
  g_autoptr (GHashTable) outputs = NULL;
  gint64 indices[GHLO_MAX_NESTING + 1];
  gboolean any = FALSE;

  for (guint i = 0; i < op->n_operands && !any; i++)
    any = has_buffer (ghlo_ir_operand_type (op, i), 0);
  for (guint i = 0; i < op->n_results && !any; i++)
    any = has_buffer (ghlo_ir_result_type (op, i), 0);
  if (!any)
    return TRUE;

  outputs = g_hash_table_new_full (ghlo_hash_string, g_str_equal, g_free, NULL);
  if (!aliased_buffers_once (verifier, op, outputs))
    return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    {
      indices[0] = i;
      if (!buffers_aliased (verifier, op, outputs, ghlo_ir_result_type (op, i), indices, op->n_results > 1 ? 1 : 0))
        return FALSE;
    }

  return TRUE;
}

gboolean
ghlo_ir_verify_custom_call (GhloIrVerifier *verifier,
                            const GhloIrOp *op)
{
  const char *target = ghlo_ir_op_get_string (op, "call_target_name");

  if (!layouts_fit (verifier, op) || !aliases_fit (verifier, op) || !configuration_fits (verifier, op))
    return FALSE;
  if (strcmp (target, "CreateBuffer") == 0)
    return create_buffer_fits (verifier, op, target);
  if (strcmp (target, "Pin") == 0)
    return pin_fits (verifier, op, target, TRUE);
  if (strcmp (target, "Unpin") == 0)
    return pin_fits (verifier, op, target, FALSE);

  return buffers_fit (verifier, op);
}
