/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rules of custom calls: the rule that a call carries, or an elementwise rule for calls that return their
 * operand. A rule that does not fit its operation is ignored, since programs may come from untrusted sources.
 */

#include "pjrt/sharding/mesh.h"
#include "pjrt/sharding/rule.h"

/* The fields of sdy's op_sharding_rule. */
enum { SIZES, OPERANDS, RESULTS, REDUCTION, NEED_REPLICATION, PERMUTATION, BLOCKED };

static gint64
get_integer (const GhloSdyField *field,
             guint               index)
{
  return g_array_index (field->integers, gint64, index);
}

static gboolean
lists (const GhloSdyField *field,
       gint64              factor)
{
  for (guint i = 0; i < ghlo_sdy_field_n_integers (field); i++)
    if (get_integer (field, i) == factor)
      return TRUE;

  return FALSE;
}

static void
add_factors (GhloPjrtRule      *self,
             const GhloSdyAttr *parsed)
{
  for (guint i = 0; i < ghlo_sdy_field_n_integers (&parsed->fields[SIZES]); i++)
    {
      const gboolean needs_communication = lists (&parsed->fields[REDUCTION], i)
                                           || lists (&parsed->fields[NEED_REPLICATION], i)
                                           || lists (&parsed->fields[PERMUTATION], i);

      ghlo_pjrt_rule_add (self, get_integer (&parsed->fields[SIZES], i),
                          lists (&parsed->fields[BLOCKED], i) ? GHLO_PJRT_BLOCKED
                          : needs_communication               ? GHLO_PJRT_NEEDS_COMMUNICATION
                                                              : GHLO_PJRT_PASS_THROUGH);
    }
}

/* Enters the factors of dimension @dimension of tensor @tensor, which must be in ascending order. */
static gboolean
assign_factors (GhloPjrtRule       *self,
                guint               tensor,
                guint               dimension,
                const GhloSdyField *factors)
{
  gint64 last = -1;

  for (guint i = 0; i < ghlo_sdy_field_n_integers (factors); i++)
    {
      const gint64 factor = get_integer (factors, i);
      int *entry;

      if (factor <= last || factor >= (gint64) self->factors->len)
        return FALSE;
      entry = &g_array_index (self->dimensions, int, (gsize) factor * self->n_tensors + tensor);
      if (*entry != GHLO_PJRT_NO_DIMENSION)
        return FALSE;
      *entry = (int) dimension;
      last = factor;
    }

  return last >= 0;
}

static gboolean
assign_tensor_factors (GhloPjrtRule     *self,
                       GhloIrModule     *module,
                       guint             tensor,
                       const GhloIrAttr *attr)
{
  g_auto (GhloSdyAttr) mapping = { 0 };

  if (!ghlo_pjrt_read_sdy (module, attr, GHLO_SDY_TENSOR_MAPPING, &mapping, NULL)
      || ghlo_sdy_field_n_attrs (&mapping.fields[0]) != g_array_index (self->ranks, guint, tensor))
    return FALSE;
  for (guint i = 0; i < ghlo_sdy_field_n_attrs (&mapping.fields[0]); i++)
    {
      g_auto (GhloSdyAttr) factors = { 0 };

      if (!ghlo_pjrt_read_sdy (module, ghlo_pjrt_sdy_get (&mapping, 0, i), GHLO_SDY_DIMENSION_MAPPING, &factors, NULL)
          || !assign_factors (self, tensor, i, &factors.fields[0]))
        return FALSE;
    }

  return TRUE;
}

gboolean
ghlo_pjrt_rule_read_attribute (GhloPjrtRule     *self,
                               GhloIrModule     *module,
                               const GhloIrAttr *attr)
{
  g_auto (GhloSdyAttr) parsed = { 0 };
  const guint n_results = self->n_tensors - self->n_operands;

  if (!ghlo_pjrt_read_sdy (module, attr, GHLO_SDY_RULE, &parsed, NULL)
      || ghlo_sdy_field_n_attrs (&parsed.fields[OPERANDS]) != self->n_operands
      || ghlo_sdy_field_n_attrs (&parsed.fields[RESULTS]) != n_results
      || ghlo_sdy_field_n_integers (&parsed.fields[SIZES]) > GHLO_PJRT_MAX_ENTRIES / MAX (self->n_tensors, 1))
    return FALSE;
  add_factors (self, &parsed);
  for (guint i = 0; i < self->n_tensors; i++)
    {
      const guint field = i < self->n_operands ? OPERANDS : RESULTS;
      const guint index = i < self->n_operands ? i : i - self->n_operands;

      if (!assign_tensor_factors (self, module, i, ghlo_pjrt_sdy_get (&parsed, field, index)))
        return FALSE;
    }

  return TRUE;
}

gboolean
ghlo_pjrt_call_is_elementwise (const GhloIrOp *op)
{
  static const char *const targets[] = {
    "annotate_device_placement", "InspectSharding", "LayoutConstraint", "mhlo.erf", "MoveToDevice", "MoveToHost", NULL,
  };

  return op->n_operands == 1 && op->n_results == 1 && op->results[0].type == ghlo_ir_op_operand (op, 0)->type
         && g_strv_contains (targets, ghlo_ir_op_get_string (op, "call_target_name"));
}
