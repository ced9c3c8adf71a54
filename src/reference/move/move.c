/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operations that rearrange or repeat the elements of their operand: broadcasts,
 * transpose, reverse, concatenate. Each is one copied box per operand.
 */

#include "reference/move/box.h"
#include "reference/kernels.h"
#include "reference/scalar/numbers.h"

/* Creates result 0 with shape @dimensions; the operand's dimension i becomes dimension map[i]. */
static gboolean
broadcast_to (GhloRefCall  *call,
              const gint64 *dimensions,
              guint         rank,
              const gint64 *map,
              gsize         n_map,
              GError      **error)
{
  const GhloValue *operand = call->operands[0];
  gint64 to[GHLO_MAX_RANK], own[GHLO_MAX_RANK], from[GHLO_MAX_RANK] = { 0 };
  GhloValue *result = ghlo_ref_result (call, 0, dimensions, rank, error);

  if (result == NULL)
    return FALSE;
  if (n_map != ghlo_ref_rank (operand))
    return ghlo_ref_fail (call, error, "expected %u broadcast dimensions, found %" G_GSIZE_FORMAT,
                          ghlo_ref_rank (operand), n_map);
  if (result->n_elements > 0)
    ghlo_ref_strides (ghlo_ref_dims (operand), ghlo_ref_rank (operand), own);
  for (gsize i = 0; i < n_map; i++)
    {
      gint64 extent = ghlo_ref_dims (operand)[i];

      if (map[i] < 0 || map[i] >= rank)
        return ghlo_ref_fail (call, error, "expected broadcast dimensions below %u, found %" G_GINT64_FORMAT,
                              rank, map[i]);
      if (extent != 1 && extent != dimensions[map[i]])
        return ghlo_ref_fail (call, error, "expected dimension %" G_GINT64_FORMAT " of the result to be %"
                              G_GINT64_FORMAT ", found %" G_GINT64_FORMAT, map[i], extent, dimensions[map[i]]);
      if (extent != 1 && result->n_elements > 0)
        from[map[i]] = own[i];
    }
  if (result->n_elements == 0)
    return TRUE;

  ghlo_ref_strides (dimensions, rank, to);
  return ghlo_ref_copy (call, ghlo_ref_element_size (operand), rank, dimensions, result->data, to,
                        operand->data, from, error);
}

/* stablehlo.broadcast: adds new dimensions before those of the operand. */
gboolean
ghlo_ref_broadcast_leading (GhloRefCall *call,
                            GError     **error)
{
  g_autofree gint64 *sizes = NULL;
  gint64 dimensions[GHLO_MAX_RANK], map[GHLO_MAX_RANK];
  guint rank = ghlo_ref_rank (call->operands[0]);
  gsize n_sizes;

  sizes = ghlo_ir_op_dup_ints (call->op, "broadcast_sizes", &n_sizes);
  if (n_sizes + rank > GHLO_MAX_RANK)
    return ghlo_ref_fail (call, error, "expected a result of a rank of at most %d, found %" G_GSIZE_FORMAT,
                          GHLO_MAX_RANK, n_sizes + rank);
  for (gsize i = 0; i < n_sizes; i++)
    dimensions[i] = sizes[i];
  for (guint i = 0; i < rank; i++)
    {
      dimensions[n_sizes + i] = ghlo_ref_dims (call->operands[0])[i];
      map[i] = (gint64) n_sizes + i;
    }
  return broadcast_to (call, dimensions, (guint) n_sizes + rank, map, rank, error);
}

/* A result dimension that is dynamic in the program's type takes its size from the operand dimension mapped
 * to it, if any. */
gboolean
ghlo_ref_broadcast_in_dim (GhloRefCall *call,
                           GError     **error)
{
  const GhloIrType *type = call->op->results[0].type;
  g_autofree gint64 *map = NULL;
  gint64 dimensions[GHLO_MAX_RANK];
  gsize n_map;

  map = ghlo_ir_op_dup_ints (call->op, "broadcast_dimensions", &n_map);
  for (guint i = 0; i < type->rank; i++)
    dimensions[i] = type->dimensions[i];
  for (gsize i = 0; i < n_map && i < ghlo_ref_rank (call->operands[0]); i++)
    if (map[i] >= 0 && map[i] < type->rank && dimensions[map[i]] < 0)
      dimensions[map[i]] = ghlo_ref_dims (call->operands[0])[i];
  return broadcast_to (call, dimensions, type->rank, map, n_map, error);
}

gboolean
ghlo_ref_dynamic_broadcast_in_dim (GhloRefCall *call,
                                   GError     **error)
{
  g_autofree gint64 *dimensions = ghlo_ref_read_indices (call, call->operands[1], error);
  g_autofree gint64 *map = NULL;
  gsize n_map;

  if (dimensions == NULL)
    return FALSE;
  map = ghlo_ir_op_dup_ints (call->op, "broadcast_dimensions", &n_map);
  return broadcast_to (call, dimensions, (guint) call->operands[1]->n_elements, map, n_map, error);
}

gboolean
ghlo_ref_transpose (GhloRefCall *call,
                    GError     **error)
{
  const GhloValue *operand = call->operands[0];
  gint64 dimensions[GHLO_MAX_RANK], own[GHLO_MAX_RANK], to[GHLO_MAX_RANK], from[GHLO_MAX_RANK];
  guint rank = ghlo_ref_rank (operand);
  g_autofree gint64 *permutation = NULL;
  GhloValue *result;
  gsize n;

  permutation = ghlo_ir_op_dup_ints (call->op, "permutation", &n);
  if (n != rank)
    return ghlo_ref_fail (call, error, "expected a permutation of %u dimensions, found %" G_GSIZE_FORMAT, rank, n);
  for (guint i = 0; i < rank; i++)
    {
      if (permutation[i] < 0 || permutation[i] >= rank)
        return ghlo_ref_fail (call, error, "expected a permutation of %u dimensions, found %" G_GINT64_FORMAT " in it",
                              rank, permutation[i]);
      dimensions[i] = ghlo_ref_dims (operand)[permutation[i]];
    }
  result = ghlo_ref_result (call, 0, dimensions, rank, error);
  if (result == NULL)
    return FALSE;
  if (result->n_elements == 0)
    return TRUE;

  ghlo_ref_strides (ghlo_ref_dims (operand), rank, own);
  ghlo_ref_strides (dimensions, rank, to);
  for (guint i = 0; i < rank; i++)
    from[i] = own[permutation[i]];
  return ghlo_ref_copy (call, ghlo_ref_element_size (operand), rank, dimensions, result->data, to,
                        operand->data, from, error);
}

gboolean
ghlo_ref_reverse (GhloRefCall *call,
                  GError     **error)
{
  const GhloValue *operand = call->operands[0];
  gint64 to[GHLO_MAX_RANK], from[GHLO_MAX_RANK];
  GhloValue *result = ghlo_ref_result_like (call, 0, operand, error);
  const guint8 *first = operand->data;
  g_autofree gint64 *dimensions = NULL;
  guint rank = ghlo_ref_rank (operand);
  gsize n;

  if (result == NULL)
    return FALSE;
  if (result->n_elements == 0)
    return TRUE;
  dimensions = ghlo_ir_op_dup_ints (call->op, "dimensions", &n);
  ghlo_ref_strides (ghlo_ref_dims (operand), rank, to);
  ghlo_ref_strides (ghlo_ref_dims (operand), rank, from);
  for (gsize i = 0; i < n; i++)
    {
      gint64 d = dimensions[i];

      if (d < 0 || d >= rank || from[d] < 0)
        return ghlo_ref_fail (call, error, "expected different dimensions below %u, found %" G_GINT64_FORMAT, rank, d);
      first += (ghlo_ref_dims (operand)[d] - 1) * from[d] * (gint64) ghlo_ref_element_size (operand);
      from[d] = -from[d];
    }
  return ghlo_ref_copy (call, ghlo_ref_element_size (operand), rank, ghlo_ref_dims (operand), result->data, to,
                        first, from, error);
}

/* Checks the operands' shapes and sums up the concatenated dimension. */
static gboolean
concatenated_shape (GhloRefCall *call,
                    gint64       dimension,
                    gint64      *dimensions,
                    GError     **error)
{
  guint rank = ghlo_ref_rank (call->operands[0]);

  for (guint i = 0; i < rank; i++)
    dimensions[i] = i == dimension ? 0 : ghlo_ref_dims (call->operands[0])[i];
  for (guint o = 0; o < call->n_operands; o++)
    {
      if (ghlo_ref_rank (call->operands[o]) != rank)
        return ghlo_ref_fail (call, error, "expected rank %u for operand %u, found %u", rank, o,
                              ghlo_ref_rank (call->operands[o]));
      for (guint i = 0; i < rank; i++)
        if (i == dimension)
          {
            if (__builtin_add_overflow (dimensions[i], ghlo_ref_dims (call->operands[o])[i], &dimensions[i]))
              return ghlo_ref_fail (call, error, "expected dimension %u of the result to fit into 64 bits, found more",
                                    i);
          }
        else if (ghlo_ref_dims (call->operands[o])[i] != dimensions[i])
          return ghlo_ref_fail (call, error, "expected dimension %u of operand %u to be %" G_GINT64_FORMAT
                                ", found %" G_GINT64_FORMAT,
                                i, o, dimensions[i], ghlo_ref_dims (call->operands[o])[i]);
    }
  return TRUE;
}

gboolean
ghlo_ref_concatenate (GhloRefCall *call,
                      GError     **error)
{
  gint64 dimension = ghlo_ir_op_get_int (call->op, "dimension", 0);
  gint64 dimensions[GHLO_MAX_RANK], to[GHLO_MAX_RANK], from[GHLO_MAX_RANK];
  GhloValue *result;
  guint8 *place;
  guint rank;

  rank = call->n_operands > 0 ? ghlo_ref_rank (call->operands[0]) : 0;
  if (dimension < 0 || dimension >= rank)
    return ghlo_ref_fail (call, error, "expected a dimension below the rank %u, found %" G_GINT64_FORMAT,
                          rank, dimension);
  if (!concatenated_shape (call, dimension, dimensions, error))
    return FALSE;
  result = ghlo_ref_result (call, 0, dimensions, rank, error);
  if (result == NULL)
    return FALSE;
  if (result->n_elements == 0)
    return TRUE;

  place = result->data;
  ghlo_ref_strides (dimensions, rank, to);
  for (guint o = 0; o < call->n_operands; o++)
    {
      const GhloValue *operand = call->operands[o];

      ghlo_ref_strides (ghlo_ref_dims (operand), rank, from);
      if (!ghlo_ref_copy (call, ghlo_ref_element_size (result), rank, ghlo_ref_dims (operand), place, to,
                          operand->data, from, error))
        return FALSE;
      place += (gsize) ghlo_ref_dims (operand)[dimension] * (gsize) to[dimension] * ghlo_ref_element_size (result);
    }
  return TRUE;
}
