/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies operations between processes: collectives, send and recv, infeed and outfeed, and process ids.
 */

#include "ir/verify/reduce.h"
#include "ir/verify/replica-groups.h"

/* Channel types. */
enum { DEVICE_TO_DEVICE = 1, DEVICE_TO_HOST = 2, HOST_TO_DEVICE = 3 };

/* Checks that global device ids come with a channel whose id is at least @least. */
static gboolean
verify_channel (GhloIrVerifier *verifier,
                const GhloIrOp *op,
                gint64          least)
{
  const GhloIrAttr *handle = ghlo_ir_op_get (op, "channel_handle");
  gint64 id = handle != NULL ? ghlo_ir_struct_get_int (handle, "handle") : 0;

  if (ghlo_ir_op_get (op, "use_global_device_ids") == NULL || id >= least)
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op,
                              "expected a channel handle of %" G_GINT64_FORMAT
                              " or more with use_global_device_ids, found %" G_GINT64_FORMAT, least, id);
}

/* Reads the attribute @name, which must be a dimension of @type. */
static gboolean
read_dimension (GhloIrVerifier   *verifier,
                const GhloIrOp   *op,
                const char       *name,
                const GhloIrType *type,
                gint64           *dimension)
{
  *dimension = ghlo_ir_op_get_int (op, name, 0);
  if (*dimension >= 0 && *dimension < (gint64) type->rank)
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op, "expected %s in [0, %u), found %" G_GINT64_FORMAT,
                              name, type->rank, *dimension);
}

/* Checks that the sizes are equal except in @dimension, where
 * that of @larger must be a multiple of that of @smaller. */
static gboolean
verify_split (GhloIrVerifier   *verifier,
              const GhloIrOp   *op,
              const GhloIrType *larger,
              const GhloIrType *smaller,
              gint64            dimension)
{
  gint64 large, small;

  if (larger->rank != smaller->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected operand and result of the same rank, found ranks %u and %u",
                                larger->rank, smaller->rank);
  for (gint64 i = 0; i < larger->rank; i++)
    if (i != dimension && !ghlo_ir_dims_compatible (larger->dimensions[i], smaller->dimensions[i]))
      return ghlo_ir_verify_fail (verifier, op,
                                  "expected operand and result of equal sizes except in dimension %" G_GINT64_FORMAT
                                  ", found sizes %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                                  " of dimension %" G_GINT64_FORMAT,
                                  dimension, larger->dimensions[i], smaller->dimensions[i], i);

  large = larger->dimensions[dimension];
  small = smaller->dimensions[dimension];
  if (small == 0 || (large >= 0 && small > 0 && (large == 0 || large % small != 0)))
    return ghlo_ir_verify_fail (verifier, op,
                                "expected one size of dimension %" G_GINT64_FORMAT " to be a multiple of the other"
                                ", found sizes %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT, dimension, large, small);

  return TRUE;
}

/* Checks that result @index has the element type of operand @index. */
static gboolean
verify_same_element (GhloIrVerifier *verifier,
                     const GhloIrOp *op,
                     guint           index)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, index);
  const GhloIrType *result = ghlo_ir_result_type (op, index);

  return ghlo_ir_same_element (operand, result)
         || ghlo_ir_fail_type (verifier, op, "the element type of result", index, operand, result);
}

gboolean
ghlo_ir_verify_all_gather (GhloIrVerifier *verifier,
                           const GhloIrOp *op)
{
  if (!ghlo_ir_verify_replica_groups (verifier, op, GHLO_IR_GROUPS_EQUAL, -1)
      || !verify_channel (verifier, op, 0)
      || !ghlo_ir_verify_result_count (verifier, op, op->n_operands))
    return FALSE;

  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloIrType *operand = ghlo_ir_operand_type (op, i);
      gint64 dimension;

      if (!read_dimension (verifier, op, "all_gather_dim", operand, &dimension)
          || !verify_split (verifier, op, ghlo_ir_result_type (op, i), operand, dimension)
          || !verify_same_element (verifier, op, i))
        return FALSE;
    }

  return TRUE;
}

/* Checks the region that combines elements of operand @index. */
static gboolean
verify_computation (GhloIrVerifier *verifier,
                    const GhloIrOp *op,
                    guint           index)
{
  const GhloIrReducer reducer = {
    .n = 1, .inputs = op->operands + index, .inits = op->operands + index, .scalar_inits = TRUE,
  };

  return ghlo_ir_verify_reducer (verifier, op, &reducer);
}

static gboolean
verify_reductions (GhloIrVerifier *verifier,
                   const GhloIrOp *op,
                   guint           n)
{
  if (!ghlo_ir_verify_result_count (verifier, op, n))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!verify_computation (verifier, op, i)
        || !ghlo_ir_verify_reduced_like (verifier, op, i, ghlo_ir_operand_type (op, i), 0, 0))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ir_verify_all_reduce (GhloIrVerifier *verifier,
                           const GhloIrOp *op)
{
  return ghlo_ir_verify_replica_groups (verifier, op, GHLO_IR_GROUPS_PADDED, -1)
         && verify_channel (verifier, op, 1)
         && verify_reductions (verifier, op, op->n_operands);
}

gboolean
ghlo_ir_verify_reduce_scatter (GhloIrVerifier *verifier,
                               const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  GhloIrReturned returned = ghlo_ir_region_returned (op, 0);
  gint64 dimension;

  if (!ghlo_ir_verify_replica_groups (verifier, op, GHLO_IR_GROUPS_EQUAL, -1)
      || !verify_computation (verifier, op, 0)
      || !read_dimension (verifier, op, "scatter_dimension", operand, &dimension)
      || !verify_channel (verifier, op, 1)
      || !verify_split (verifier, op, operand, result, dimension))
    return FALSE;
  if (!ghlo_ir_same_element (result, ghlo_ir_returned_type (&returned, 0)))
    return ghlo_ir_fail_type (verifier, op, "the element type of result", 0,
                              ghlo_ir_returned_type (&returned, 0), result);

  return TRUE;
}

/* Infers the shape of @operand with one dimension divided and another multiplied by @count. */
static gboolean
infer_exchanged (GhloIrVerifier   *verifier,
                 const GhloIrOp   *op,
                 const GhloIrType *operand,
                 gint64            count,
                 GhloIrShape      *shape)
{
  gint64 split, concat;

  if (!read_dimension (verifier, op, "split_dimension", operand, &split)
      || !read_dimension (verifier, op, "concat_dimension", operand, &concat))
    return FALSE;
  if (operand->dimensions[split] >= 0 && operand->dimensions[split] % count != 0)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected the split dimension to be a multiple of split_count %" G_GINT64_FORMAT
                                ", found %" G_GINT64_FORMAT, count, operand->dimensions[split]);

  ghlo_ir_shape_from_type (shape, operand);
  if (shape->dimensions[split] >= 0)
    shape->dimensions[split] /= count;
  if (shape->bounds[split] >= 0)
    shape->bounds[split] /= count;
  if ((shape->dimensions[concat] >= 0
       && __builtin_mul_overflow (shape->dimensions[concat], count, &shape->dimensions[concat]))
      || (shape->bounds[concat] >= 0
          && __builtin_mul_overflow (shape->bounds[concat], count, &shape->bounds[concat])))
    return ghlo_ir_verify_fail (verifier, op,
                                "expected the size of the concat dimension to be within 63 bits, found %"
                                G_GINT64_FORMAT " times split_count %" G_GINT64_FORMAT,
                                operand->dimensions[concat] >= 0 ? operand->dimensions[concat]
                                                                 : ghlo_ir_type_bound (operand, (guint) concat),
                                count);

  return TRUE;
}

gboolean
ghlo_ir_verify_all_to_all (GhloIrVerifier *verifier,
                           const GhloIrOp *op)
{
  gint64 count = ghlo_ir_op_get_int (op, "split_count", 1);
  GhloIrShape shape;

  if (!ghlo_ir_verify_replica_groups (verifier, op, GHLO_IR_GROUPS_EQUAL, count)
      || !ghlo_ir_verify_result_count (verifier, op, op->n_operands))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    if (!infer_exchanged (verifier, op, ghlo_ir_operand_type (op, i), count, &shape)
        || !ghlo_ir_verify_inferred (verifier, op, i, &shape, ghlo_ir_operand_type (op, i))
        || !verify_same_element (verifier, op, i))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ir_verify_collective_permute (GhloIrVerifier *verifier,
                                   const GhloIrOp *op)
{
  return ghlo_ir_verify_pairs (verifier, op, ghlo_ir_op_get (op, "source_target_pairs"))
         && ghlo_ir_verify_inferred_type (verifier, op, 0, ghlo_ir_operand_type (op, 0));
}

/* Counts the data operands. With has_dynamic_root, the last
 * operand contains the roots, one i32 for each data operand. */
static gboolean
verify_roots (GhloIrVerifier *verifier,
              const GhloIrOp *op,
              guint          *n_data)
{
  gboolean dynamic = ghlo_ir_op_get (op, "has_dynamic_root") != NULL;
  const GhloIrType *roots;

  *n_data = op->n_operands - (dynamic && op->n_operands > 0 ? 1 : 0);
  if (*n_data == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected at least one operand%s, found none",
                                dynamic ? " in addition to the roots" : "");
  if (!dynamic)
    return TRUE;

  roots = ghlo_ir_operand_type (op, *n_data);
  if (roots->rank == 1 && roots->dimensions[0] == *n_data && roots->quantization == NULL
      && roots->element_type == GHLO_ELEMENT_TYPE_I32)
    return TRUE;
  else
    {
      g_autofree char *found = ghlo_ir_type_to_string (roots);

      return ghlo_ir_verify_fail (verifier, op, "expected roots of type tensor<%uxi32> as the last operand, found %s",
                                  *n_data, found);
    }
}

gboolean
ghlo_ir_verify_collective_broadcast (GhloIrVerifier *verifier,
                                     const GhloIrOp *op)
{
  guint n;

  if (!ghlo_ir_verify_replica_groups (verifier, op, GHLO_IR_GROUPS_PARTIAL, -1)
      || !verify_roots (verifier, op, &n)
      || !ghlo_ir_verify_result_count (verifier, op, n))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!ghlo_ir_verify_inferred_type (verifier, op, i, ghlo_ir_operand_type (op, i)))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ir_verify_collective_reduce (GhloIrVerifier *verifier,
                                  const GhloIrOp *op)
{
  guint n;

  return ghlo_ir_verify_replica_groups (verifier, op, GHLO_IR_GROUPS_PADDED, -1)
         && verify_channel (verifier, op, 1)
         && verify_roots (verifier, op, &n)
         && verify_reductions (verifier, op, n);
}

/* Checks the channel's type: @host_type for a host transfer, else DEVICE_TO_DEVICE. */
static gboolean
verify_transfer (GhloIrVerifier *verifier,
                 const GhloIrOp *op,
                 gint64          host_type)
{
  gboolean is_host = ghlo_ir_op_get_int (op, "is_host_transfer", 0) != 0;
  gint64 expected = is_host ? host_type : DEVICE_TO_DEVICE;
  gint64 found = ghlo_ir_struct_get_int (ghlo_ir_op_get (op, "channel_handle"), "type");
  const GhloIrAttr *pairs = ghlo_ir_op_get (op, "source_target_pairs");

  if (found != expected)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected channel type %" G_GINT64_FORMAT " where is_host_transfer is %s, found %"
                                G_GINT64_FORMAT, expected, is_host ? "true" : "false", found);

  return pairs == NULL || pairs->dense.n_elements == 0 || ghlo_ir_verify_pairs (verifier, op, pairs);
}

/* Checks the results of recv and infeed: tensors, then a token. */
static gboolean
verify_received (GhloIrVerifier *verifier,
                 const GhloIrOp *op)
{
  if (op->n_results == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected a token as the last result, found no results");

  for (guint i = 0; i < op->n_results; i++)
    {
      const GhloIrType *type = ghlo_ir_result_type (op, i);
      gboolean last = i + 1 == op->n_results;
      g_autofree char *found = NULL;

      if (last ? type->kind == GHLO_IR_TYPE_TOKEN : type->kind == GHLO_IR_TYPE_TENSOR)
        continue;
      found = ghlo_ir_type_to_string (type);
      return ghlo_ir_verify_fail (verifier, op, "expected result %u to be a %s, found %s",
                                  i, last ? "token" : "tensor", found);
    }

  return TRUE;
}

gboolean
ghlo_ir_verify_send (GhloIrVerifier *verifier,
                     const GhloIrOp *op)
{
  return verify_transfer (verifier, op, DEVICE_TO_HOST);
}

gboolean
ghlo_ir_verify_recv (GhloIrVerifier *verifier,
                     const GhloIrOp *op)
{
  return verify_transfer (verifier, op, HOST_TO_DEVICE) && verify_received (verifier, op);
}

/* Checks the layout of an infeed: a list of integers for each tensor. */
static gboolean
verify_layout (GhloIrVerifier   *verifier,
               const GhloIrOp   *op,
               const GhloIrAttr *layout)
{
  if (layout->length != op->n_results - 1)
    return ghlo_ir_verify_fail (verifier, op, "expected layout of %u lists, found %" G_GSIZE_FORMAT,
                                op->n_results - 1, layout->length);
  for (gsize i = 0; i < layout->length; i++)
    {
      const GhloIrAttr *list = layout->children[i];
      gboolean good = list->kind == GHLO_IR_ATTR_ARRAY;

      for (gsize j = 0; good && j < list->length; j++)
        good = list->children[j]->kind == GHLO_IR_ATTR_INTEGER;
      if (!good)
        {
          g_autofree char *found = ghlo_ir_attr_to_string (list);

          return ghlo_ir_verify_fail (verifier, op, "expected a list of integers at index %" G_GSIZE_FORMAT
                                      " of layout, found %s", i, found);
        }
    }

  return TRUE;
}

gboolean
ghlo_ir_verify_infeed (GhloIrVerifier *verifier,
                       const GhloIrOp *op)
{
  const GhloIrAttr *layout = ghlo_ir_op_get (op, "layout");

  return verify_received (verifier, op) && (layout == NULL || verify_layout (verifier, op, layout));
}

/* The row already checks everything: tensors and a token as operands, a token as result. */
gboolean
ghlo_ir_verify_outfeed (GhloIrVerifier *verifier,
                        const GhloIrOp *op)
{
  return TRUE;
}

/* The row already checks everything: tokens as operands, a token as result. */
gboolean
ghlo_ir_verify_after_all (GhloIrVerifier *verifier,
                          const GhloIrOp *op)
{
  return TRUE;
}

static gboolean
verify_process_number (GhloIrVerifier *verifier,
                       const GhloIrOp *op)
{
  g_autofree char *found = NULL;

  if (ghlo_ir_type_is_scalar (ghlo_ir_result_type (op, 0), GHLO_ELEMENT_TYPE_UI32))
    return TRUE;
  found = ghlo_ir_type_to_string (ghlo_ir_result_type (op, 0));

  return ghlo_ir_verify_fail (verifier, op, "expected a result of type tensor<ui32>, found %s", found);
}

gboolean
ghlo_ir_verify_replica_id (GhloIrVerifier *verifier,
                           const GhloIrOp *op)
{
  return verify_process_number (verifier, op);
}

gboolean
ghlo_ir_verify_partition_id (GhloIrVerifier *verifier,
                             const GhloIrOp *op)
{
  return verify_process_number (verifier, op);
}
