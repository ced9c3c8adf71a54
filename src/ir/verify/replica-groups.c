/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks replica groups: each process occurs at most once, and every process occurs if the operation requires that.
 */

#include "ir/verify/replica-groups.h"

/* Checks that the sorted @ids are distinct and, unless the groups are partial, count from 0 without gaps. */
static gboolean
verify_sorted_ids (GhloIrVerifier   *verifier,
                   const GhloIrOp   *op,
                   GhloIrGroupsKind  kind,
                   const gint64     *ids,
                   gsize             n)
{
  gsize first = 0;

  if (kind == GHLO_IR_GROUPS_PADDED)
    while (first < n && ids[first] == -1)
      first++;
  if (first < n && ids[first] < 0)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected process numbers of 0 or more in replica_groups, found %" G_GINT64_FORMAT,
                                ids[first]);

  for (gsize i = first; i < n; i++)
    {
      gint64 expected = (gint64) (i - first);

      if (i > first && ids[i] == ids[i - 1])
        return ghlo_ir_verify_fail (verifier, op,
                                    "expected each process once in replica_groups, found %" G_GINT64_FORMAT " again",
                                    ids[i]);
      if (kind != GHLO_IR_GROUPS_PARTIAL && ids[i] != expected)
        return ghlo_ir_verify_fail (verifier, op,
                                    "expected process %" G_GINT64_FORMAT " in replica_groups, found none", expected);
    }

  return TRUE;
}

static gboolean
verify_table (GhloIrVerifier   *verifier,
              const GhloIrOp   *op,
              const GhloIrAttr *groups,
              GhloIrGroupsKind  kind,
              gint64            size)
{
  const GhloIrType *type = groups->type;
  g_autofree gint64 *ids = NULL;
  gsize n = groups->dense.n_elements;

  if (type->rank != 2)
    {
      g_autofree char *found = ghlo_ir_type_to_string (type);

      return ghlo_ir_verify_fail (verifier, op, "expected replica_groups of rank 2, found %s", found);
    }
  if (n == 0 && ghlo_ir_op_get (op, "use_global_device_ids") != NULL)
    return ghlo_ir_verify_fail (verifier, op, "expected replica_groups with use_global_device_ids, found none");
  /* A splat may have more elements than memory holds, so it is not expanded. */
  if (groups->dense.splat && n > 1)
    {
      gint64 id = ghlo_ir_dense_get (groups, 0).i;

      if (id == -1 && kind == GHLO_IR_GROUPS_PADDED)
        return TRUE;
      return ghlo_ir_verify_fail (verifier, op,
                                  "expected each process once in replica_groups, found %" G_GINT64_FORMAT " for all",
                                  id);
    }
  if (!ghlo_ir_dense_to_int64 (groups, &ids, &n))
    {
      g_autofree char *found = ghlo_ir_type_to_string (type);

      return ghlo_ir_verify_fail (verifier, op, "expected integers in replica_groups, found %s", found);
    }
  ghlo_ir_sort_ints (ids, n);
  if (!verify_sorted_ids (verifier, op, kind, ids, n))
    return FALSE;
  if (size >= 0 && (type->dimensions[0] == 0 || type->dimensions[1] != size))
    return ghlo_ir_verify_fail (verifier, op,
                                "expected replica_groups of %" G_GINT64_FORMAT " processes each, found %"
                                G_GINT64_FORMAT, size, type->dimensions[0] == 0 ? 0 : type->dimensions[1]);

  return TRUE;
}

static gboolean
mesh_exists (GhloIrVerifier *verifier,
             const GhloIrOp *op)
{
  const GhloIrAttr *mesh = ghlo_ir_struct_get (ghlo_ir_op_get (op, "replica_groups"), "mesh");

  if (ghlo_ir_op_find_symbol (op, mesh->text) != NULL)
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op, "expected the mesh of replica_groups to be a symbol, found no '@%s'",
                              mesh->text);
}

gboolean
ghlo_ir_verify_replica_groups (GhloIrVerifier   *verifier,
                               const GhloIrOp   *op,
                               GhloIrGroupsKind  kind,
                               gint64            size)
{
  const GhloIrAttr *groups = ghlo_ir_op_get (op, "replica_groups");

  if (groups == NULL)
    return TRUE;
  if (groups->kind == GHLO_IR_ATTR_STRUCT)
    return ghlo_ir_struct_get (groups, "mesh")->kind != GHLO_IR_ATTR_SYMBOL
           || ghlo_ir_verify_symbol_use (verifier, op, mesh_exists);

  return verify_table (verifier, op, groups, kind, size);
}
