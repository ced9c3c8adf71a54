/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The custom calls for the largest (or smallest) elements of each row along the
 * last dimension, in sorted order. Equal elements are ordered by index, floats by
 * IEEE 754's total order, as chlo.top_k orders them.
 */

#include <string.h>

#include "base/sizes.h"
#include "ir/custom-call.h"
#include "reference/custom-call.h"
#include "reference/custom-read.h"

typedef struct
{
  const GhloValue *operand;
  gsize            first;        /* index of the row's first element in the operand */
  gboolean         largest;
} Row;

/* Integers in the total order of floats. */
static gint64
total_order (double number)
{
  gint64 bits;

  memcpy (&bits, &number, sizeof bits);

  return bits < 0 ? bits ^ G_MAXINT64 : bits;
}

/* Negative when @a sorts before @b. */
static int
compare_scalars (GhloElementType type,
                 GhloScalar      a,
                 GhloScalar      b)
{
  switch (ghlo_element_info (type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT:
      return (total_order (a.f) > total_order (b.f)) - (total_order (a.f) < total_order (b.f));
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

static gboolean
select_rows (GhloRefCall *call,
             gint64       k,
             gboolean     largest,
             GError     **error)
{
  const GhloValue *operand = call->operands[0];
  Row row = { operand, 0, largest };
  /* The dimensions of an empty operand may be arbitrarily large. */
  gint64 length = operand->n_elements > 0 ? operand->type->dimensions[operand->type->rank - 1] : 0;
  gsize n_rows = length > 0 ? operand->n_elements / length : 0;
  g_autofree gint64 *order = length < G_MAXINT ? g_try_new (gint64, length + 1) : NULL;

  if (order == NULL)
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

/* Reads how many elements of each row to take, from the second operand or an attribute, and from which end. */
static gboolean
read_options (GhloRefCall *call,
              gint64      *k,
              gboolean    *largest,
              GError     **error)
{
  char *problem = NULL;

  *k = -1;
  *largest = TRUE;
  if (!ghlo_ir_custom_call_read_boolean (call->op, "largest", largest, &problem)
      || !ghlo_ir_custom_call_read_integer (call->op, "k", k, &problem))
    return ghlo_ref_custom_fail (call, problem, error);

  return call->n_operands == 1 || ghlo_ref_custom_read_integer (call, 1, k, error);
}

gboolean
ghlo_ref_custom_top_k (GhloRefCall *call,
                       GError     **error)
{
  gint64 dimensions[GHLO_MAX_RANK], k;
  const GhloValue *operand;
  gboolean largest;
  guint rank;

  if (!ghlo_ref_custom_counts (call, call->n_operands == 2 ? 2 : 1, 2, error)
      || !ghlo_ref_custom_numbers (call, 0, error) || !read_options (call, &k, &largest, error))
    return FALSE;
  operand = call->operands[0];
  rank = operand->type->rank;
  if (rank == 0 || ghlo_element_type_is_complex (operand->type->element_type))
    return ghlo_ref_fail (call, error, "expected a tensor of rows of elements that have an order");
  if (!ghlo_ref_custom_result_has (call, 0, operand->type->element_type, error)
      || !ghlo_ref_custom_result_has_integers (call, 1, error))
    return FALSE;

  memcpy (dimensions, operand->type->dimensions, rank * sizeof (gint64));
  if (k < 0 || k > dimensions[rank - 1])
    return ghlo_ref_fail (call, error, "expected k up to %" G_GINT64_FORMAT ", found %" G_GINT64_FORMAT,
                          dimensions[rank - 1], k);
  dimensions[rank - 1] = k;

  return ghlo_ref_result (call, 0, dimensions, rank, error) != NULL
         && ghlo_ref_result (call, 1, dimensions, rank, error) != NULL && select_rows (call, k, largest, error);
}
