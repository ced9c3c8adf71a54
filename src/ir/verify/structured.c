/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks sets of dimensions, values returned by regions, index vectors, and lists of pairs.
 */

#include "ir/verify/structured.h"

#include <stdlib.h>

GhloIrReturned
ghlo_ir_region_returned (const GhloIrOp *op,
                         guint           region)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, region);
  const GhloIrOp *last = block != NULL ? block->last : NULL;

  if (last == NULL || (ghlo_ir_op_get_spec (last)->traits & GHLO_IR_TRAIT_TERMINATOR) == 0)
    return (GhloIrReturned) { NULL, 0 };

  return (GhloIrReturned) { last->operands, last->n_operands };
}

gboolean
ghlo_ir_verify_dim_set (GhloIrVerifier *verifier,
                        const GhloIrOp *op,
                        const char     *name,
                        const gint64   *values,
                        gsize           n,
                        guint           rank,
                        guint64        *seen)
{
  for (gsize i = 0; i < n; i++)
    {
      if (values[i] < 0 || values[i] >= (gint64) rank)
        return ghlo_ir_verify_fail (verifier, op, "expected %s in [0, %u), found %" G_GINT64_FORMAT,
                                    name, rank, values[i]);
      if ((*seen & (G_GUINT64_CONSTANT (1) << values[i])) != 0)
        return ghlo_ir_verify_fail (verifier, op,
                                    "expected each dimension once, found %" G_GINT64_FORMAT " again in %s",
                                    values[i], name);
      *seen |= G_GUINT64_CONSTANT (1) << values[i];
    }

  return TRUE;
}

gboolean
ghlo_ir_verify_dims_sorted (GhloIrVerifier *verifier,
                            const GhloIrOp *op,
                            const char     *name,
                            const gint64   *values,
                            gsize           n)
{
  for (gsize i = 1; i < n; i++)
    if (values[i] < values[i - 1])
      return ghlo_ir_verify_fail (verifier, op,
                                  "expected %s in increasing order, found %" G_GINT64_FORMAT
                                  " after %" G_GINT64_FORMAT,
                                  name, values[i], values[i - 1]);

  return TRUE;
}

gboolean
ghlo_ir_verify_result_count (GhloIrVerifier *verifier,
                             const GhloIrOp *op,
                             guint           expected)
{
  if (op->n_results == expected)
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op, "expected %u result%s, found %u",
                              expected, expected == 1 ? "" : "s", op->n_results);
}

gboolean
(ghlo_ir_fail_type) (GhloIrVerifier   *verifier,
                     const GhloIrOp   *op,
                     const char       *what,
                     guint             index,
                     const GhloIrType *expected,
                     const GhloIrType *found)
{
  g_autofree char *expected_text = ghlo_ir_type_to_string (expected);
  g_autofree char *found_text = ghlo_ir_type_to_string (found);

  return ghlo_ir_verify_fail (verifier, op, "expected %s %u of a type compatible with %s, found %s",
                              what, index, expected_text, found_text);
}

gboolean
ghlo_ir_verify_same_shapes (GhloIrVerifier *verifier,
                            const GhloIrOp *op,
                            guint           first,
                            guint           n,
                            const char     *what)
{
  for (guint i = 1; i < n; i++)
    {
      const GhloIrType *expected = ghlo_ir_operand_type (op, first);
      const GhloIrType *found = ghlo_ir_operand_type (op, first + i);
      g_autofree char *expected_text = NULL;
      g_autofree char *found_text = NULL;

      if (ghlo_ir_shapes_compatible (expected, found))
        continue;
      expected_text = ghlo_ir_type_to_string (expected);
      found_text = ghlo_ir_type_to_string (found);
      return ghlo_ir_verify_fail (verifier, op, "expected %s of compatible shapes, found %s and %s",
                                  what, expected_text, found_text);
    }

  return TRUE;
}

static int
compare_ints (gconstpointer a,
              gconstpointer b)
{
  gint64 x = *(const gint64 *) a;
  gint64 y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

void
ghlo_ir_sort_ints (gint64 *values,
                   gsize   n)
{
  if (n > 1)
    qsort (values, n, sizeof (gint64), compare_ints);
}

/* Checks that column @column of the pairs @ids has neither duplicates nor negative values. */
static gboolean
verify_column (GhloIrVerifier *verifier,
               const GhloIrOp *op,
               const gint64   *ids,
               gsize           n_pairs,
               guint           column)
{
  const char *what = column == 0 ? "source" : "target";
  g_autofree gint64 *sorted = g_new (gint64, n_pairs);

  for (gsize i = 0; i < n_pairs; i++)
    sorted[i] = ids[2 * i + column];
  ghlo_ir_sort_ints (sorted, n_pairs);

  if (n_pairs > 0 && sorted[0] < 0)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected process numbers of 0 or more in source_target_pairs, found %" G_GINT64_FORMAT,
                                sorted[0]);
  for (gsize i = 1; i < n_pairs; i++)
    if (sorted[i] == sorted[i - 1])
      return ghlo_ir_verify_fail (verifier, op,
                                  "expected each %s once in source_target_pairs, found %" G_GINT64_FORMAT " again",
                                  what, sorted[i]);

  return TRUE;
}

gboolean
ghlo_ir_verify_pairs (GhloIrVerifier   *verifier,
                      const GhloIrOp   *op,
                      const GhloIrAttr *pairs)
{
  const GhloIrType *type = pairs->type;
  g_autofree gint64 *ids = NULL;
  gsize n;

  if (type->rank != 2 || type->dimensions[1] != 2)
    {
      g_autofree char *found = ghlo_ir_type_to_string (type);

      return ghlo_ir_verify_fail (verifier, op, "expected source_target_pairs of shape (N, 2), found %s", found);
    }
  /* A splat may have more elements than memory holds, so it is not expanded. */
  if (pairs->dense.splat && pairs->dense.n_elements > 2)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected each source once in source_target_pairs, found %" G_GINT64_FORMAT " for all",
                                ghlo_ir_dense_get (pairs, 0).i);
  if (!ghlo_ir_dense_to_int64 (pairs, &ids, &n))
    {
      g_autofree char *found = ghlo_ir_type_to_string (type);

      return ghlo_ir_verify_fail (verifier, op, "expected integers in source_target_pairs, found %s", found);
    }

  return verify_column (verifier, op, ids, n / 2, 0) && verify_column (verifier, op, ids, n / 2, 1);
}

gboolean
ghlo_ir_verify_index_vector (GhloIrVerifier   *verifier,
                             const GhloIrOp   *op,
                             const GhloIrType *indices,
                             const char       *map_name,
                             gsize             n_map,
                             gint64            index_vector_dim)
{
  gint64 size;

  if (index_vector_dim < 0 || index_vector_dim > (gint64) indices->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected index_vector_dim in [0, %u], found %" G_GINT64_FORMAT,
                                indices->rank, index_vector_dim);
  size = index_vector_dim == indices->rank ? 1 : indices->dimensions[index_vector_dim];
  if (size >= 0 && size != (gint64) n_map)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected %s of %" G_GINT64_FORMAT " dimensions, the length of an index, found %"
                                G_GSIZE_FORMAT, map_name, size, n_map);

  return TRUE;
}
