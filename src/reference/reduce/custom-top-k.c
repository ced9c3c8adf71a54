/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The custom calls for the largest (or smallest) elements of each row along
 * the last dimension, in order, equal ones by index. NaN is larger than all.
 */

#include <math.h>
#include <string.h>

#include "base/sizes.h"
#include "ir/custom-call.h"
#include "reference/custom-call.h"

typedef struct
{
  const GhloValue *operand;
  gsize            first;        /* element of the row's index 0 */
  gboolean         largest;
} Row;

/* Below 0 when @a stands below @b. */
static int
compare_scalars (GhloElementType type,
                 GhloScalar      a,
                 GhloScalar      b)
{
  switch (ghlo_element_info (type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT:
      if (isnan (a.f) || isnan (b.f))
        return (isnan (a.f) ? 1 : 0) - (isnan (b.f) ? 1 : 0);
      if (a.f == b.f)
        return (signbit (b.f) ? 1 : 0) - (signbit (a.f) ? 1 : 0);
      return a.f < b.f ? -1 : 1;
    case GHLO_ELEMENT_CLASS_UNSIGNED:
      return (a.u > b.u) - (a.u < b.u);
    default:
      return (a.i > b.i) - (a.i < b.i);
    }
}

static int
compare_elements (gconstpointer a,
                  gconstpointer b,
                  gpointer      data)
{
  const Row *row = data;
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  int order = compare_scalars (row->operand->type->element_type, ghlo_ref_load (row->operand, row->first + x),
                               ghlo_ref_load (row->operand, row->first + y));

  if (order == 0)
    return (x > y) - (x < y);

  return row->largest ? -order : order;
}

/* An attribute of the call, or of the dictionaries that calls carry theirs in. */
static gint64
get_option (const GhloIrOp *op,
            const char     *name,
            gint64          fallback)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (op, name);

  if (attr == NULL)
    return ghlo_ir_custom_call_get_int (op, name, fallback);

  return attr->kind == GHLO_IR_ATTR_INTEGER || attr->kind == GHLO_IR_ATTR_BOOL ? attr->integer : fallback;
}

static gboolean
select_rows (GhloRefCall *call,
             gint64       k,
             GError     **error)
{
  const GhloValue *operand = call->operands[0];
  Row row = { operand, 0, get_option (call->op, "largest", TRUE) != 0 };
  gint64 length = operand->type->dimensions[operand->type->rank - 1];
  gsize n_rows = length > 0 ? operand->n_elements / length : 0;
  g_autofree gint64 *order = g_try_new (gint64, length + 1);

  if (order == NULL || length > G_MAXINT)
    return ghlo_ref_fail (call, error, "no memory to sort %" G_GINT64_FORMAT " elements", length);
  for (gsize i = 0; i < n_rows; i++)
    {
      if (!ghlo_ref_continue (call, error))
        return FALSE;
      row.first = i * length;
      for (gint64 j = 0; j < length; j++)
        order[j] = j;
      g_qsort_with_data (order, length, sizeof (gint64), compare_elements, &row);
      for (gint64 j = 0; j < k; j++)
        {
          ghlo_ref_store (call->results[0], i * k + j, ghlo_ref_load (operand, row.first + order[j]));
          ghlo_ref_store (call->results[1], i * k + j, (GhloScalar) { .i = order[j] });
        }
    }

  return TRUE;
}

gboolean
ghlo_ref_custom_top_k (GhloRefCall *call,
                       GError     **error)
{
  const GhloValue *operand = call->n_operands > 0 ? call->operands[0] : NULL;
  gint64 dimensions[GHLO_MAX_RANK], k;

  if (operand == NULL || operand->kind != GHLO_VALUE_TENSOR || operand->type->rank == 0
      || ghlo_element_type_is_complex (operand->type->element_type) || call->op->n_results != 2)
    return ghlo_ref_fail (call, error, "expected a tensor with an order, and results for values and indices");
  if (call->n_operands > 1 && call->operands[1]->kind == GHLO_VALUE_TENSOR && call->operands[1]->n_elements == 1)
    k = ghlo_ref_load (call->operands[1], 0).i;
  else
    k = get_option (call->op, "k", -1);

  memcpy (dimensions, operand->type->dimensions, operand->type->rank * sizeof (gint64));
  if (k < 0 || k > dimensions[operand->type->rank - 1])
    return ghlo_ref_fail (call, error, "expected k up to %" G_GINT64_FORMAT ", found %" G_GINT64_FORMAT,
                          dimensions[operand->type->rank - 1], k);
  dimensions[operand->type->rank - 1] = k;
  if (ghlo_ref_result (call, 0, dimensions, operand->type->rank, error) == NULL
      || ghlo_ref_result (call, 1, dimensions, operand->type->rank, error) == NULL)
    return FALSE;
  if (call->results[0]->type->element_type != operand->type->element_type
      || !ghlo_element_type_is_integer (call->results[1]->type->element_type))
    return ghlo_ref_fail (call, error, "expected values of the operand's element type and integer indices");

  return select_rows (call, k, error);
}
