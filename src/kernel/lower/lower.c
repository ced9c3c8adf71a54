/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stages of lowering: points, graph, blocks.
 */

#include "kernel/lower/private.h"

#include "base/fail.h"

gint64
ghlo_lower_add_view (GhloKernelBuilder *builder,
                     const char        *name,
                     const GhloView    *view,
                     gboolean           is_written)
{
  gint64 least = 0, most = ghlo_element_info (view->element_type)->size;

  for (guint i = 0; i < view->rank; i++)
    {
      gint64 reach = view->strides[i] * (view->dimensions[i] - 1);

      least += MIN (reach, 0);
      most += MAX (reach, 0);
    }
  ghlo_kernel_add_buffer (builder, name, most - least, is_written);

  return least;
}

gint64
ghlo_lower_number (const GhloIrOp *op,
                   const char     *name,
                   guint           index,
                   gint64          fallback)
{
  gsize n;
  g_autofree gint64 *numbers = ghlo_ir_op_dup_ints (op, name, &n);

  return index < n ? numbers[index] : fallback;
}

static const GhloIrValue *
get_result (const GhloKernelGroup *group,
            guint                  result)
{
  return group->body != NULL ? ghlo_ir_op_operand (group->body->last, result) : &group->op->results[result];
}

/* What each result is, as it is stored, and where. */
static gboolean
find_roots (GhloLowering *self,
            guint32      *roots,
            GhloIndex    *indices)
{
  for (guint i = 0; i < self->group->n_results; i++)
    {
      const GhloIrValue *value = get_result (self->group, i);

      if (!ghlo_lower_identity (self, value->type, FALSE, &indices[i])
          && !ghlo_lower_identity (self, value->type, TRUE, &indices[i]))
        return GHLO_FALSE_AFTER (ghlo_lower_refuse (self, "its results are of several shapes"));
      roots[i] = ghlo_lower_encode (self, value->type->element_type, ghlo_lower_value (self, value, &indices[i]));
      if (roots[i] == GHLO_LOWER_NONE)
        return FALSE;
    }

  return TRUE;
}

static gboolean
has_nodes (const GhloIrType *type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR && type->quantization == NULL && ghlo_ir_type_has_static_shape (type)
         && ghlo_lower_type (type->element_type) != GHLO_ELEMENT_TYPE_INVALID;
}

const char *
ghlo_kernel_obstacle (const GhloIrOp *op)
{
  switch (op->kind)
    {
    case GHLO_OP_STABLEHLO_CONSTANT:
    case GHLO_OP_STABLEHLO_IOTA:
    case GHLO_OP_STABLEHLO_PAD:
    case GHLO_OP_STABLEHLO_CONCATENATE:
    case GHLO_OP_STABLEHLO_REDUCE:
    case GHLO_OP_STABLEHLO_REDUCE_WINDOW:
      break;
    default:
      if (!ghlo_lower_is_move (op->kind) && ghlo_lower_scalar_obstacle (op) != NULL)
        return ghlo_lower_scalar_obstacle (op);
    }
  for (guint i = 0; i < op->n_operands; i++)
    if (!has_nodes (ghlo_ir_op_operand (op, i)->type))
      return "there are no nodes of an operand's element type";
  for (guint i = 0; i < op->n_results; i++)
    if (!has_nodes (op->results[i].type))
      return "there are no nodes of its element type";

  return NULL;
}

static gboolean
has_elements (const GhloKernelGroup *group)
{
  for (guint i = 0; i < group->n_operands; i++)
    if (ghlo_view_count (&group->operands[i]) == 0)
      return FALSE;

  return TRUE;
}

gboolean
ghlo_kernel_lower (const GhloKernelGroup  *group,
                   GhloLoweredKernel      *lowered,
                   const char            **reason)
{
  GhloLowering self = { .group = group };
  g_autofree guint32 *roots = g_new0 (guint32, group->n_results);
  g_autofree GhloIndex *indices = g_new0 (GhloIndex, group->n_results);
  g_autofree guint16 *shared = g_new (guint16, group->n_operands + 1);

  for (guint i = 0; i < group->n_operands; i++)
    shared[i] = GHLO_KERNEL_NONE;
  *lowered = (GhloLoweredKernel) { NULL, g_new0 (gint64, group->n_operands + group->n_results) };
  self.memo = g_hash_table_new_full (ghlo_lower_wanted_hash, ghlo_lower_wanted_equal, g_free, NULL);
  self.reductions = g_hash_table_new (NULL, NULL);
  ghlo_lower_init_graph (&self);
  if (!has_elements (group))
    ghlo_lower_refuse (&self, "it has no elements");
  else if (ghlo_lower_find_domain (&self) && find_roots (&self, roots, indices))
    lowered->kernel = ghlo_lower_emit (&self, roots, indices, lowered->starts, shared);
  ghlo_lower_clear_graph (&self);
  g_hash_table_unref (self.memo);
  g_hash_table_unref (self.reductions);
  *reason = self.reason;
  if (lowered->kernel == NULL)
    ghlo_lowered_kernel_clear (lowered);

  return lowered->kernel != NULL;
}

void
ghlo_lowered_kernel_clear (GhloLoweredKernel *self)
{
  g_clear_pointer (&self->kernel, g_free);
  g_clear_pointer (&self->starts, g_free);
}
