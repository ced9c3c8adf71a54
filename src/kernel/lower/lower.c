/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stages of lowering: points, graph, blocks.
 */

#include "kernel/lower/lowering.h"

#include "base/fail.h"
#include "ir/window.h"

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

const GhloIrValue *
ghlo_lower_get_result (const GhloKernelGroup *group,
                       guint                  result)
{
  if (group->output_value != NULL)
    return group->output_value;
  if (group->result_indices != NULL)
    result = group->result_indices[result];

  return group->body != NULL ? ghlo_ir_op_operand (group->body->last, result) : &group->op->results[result];
}

gboolean
ghlo_lower_output (GhloLowering      *self,
                   const GhloIrValue *value,
                   guint              part,
                   GhloLowerOutput   *output)
{
  if (!ghlo_lower_identity (self, value->type, FALSE, &output->index)
      && !ghlo_lower_identity (self, value->type, TRUE, &output->index))
    return GHLO_FALSE_AFTER (ghlo_lower_refuse (self, "its results have different shapes"));
  output->index.part = part;
  output->expr = ghlo_lower_encode (self, value->type->element_type, ghlo_lower_value (self, value, &output->index));

  return output->expr != GHLO_LOWER_NONE;
}

static GhloKernel *
lower_map (GhloLowering *self,
           gint64       *starts)
{
  const GhloKernelGroup *group = self->group;
  g_autofree GhloLowerOutput *outputs = g_new0 (GhloLowerOutput, 2 * group->n_results);
  guint n_outputs = 0;

  if (!ghlo_lower_find_domain (self))
    return NULL;
  for (guint i = 0; i < group->n_results; i++)
    {
      const GhloIrValue *value = ghlo_lower_get_result (group, i);

      for (guint part = 0; part < ghlo_lower_n_parts (value->type); part++)
        {
          GhloLowerOutput *output = &outputs[n_outputs++];

          output->temporary = GHLO_KERNEL_NONE;
          output->result = i;
          if (!ghlo_lower_output (self, value, part, output))
            return NULL;
        }
    }

  return ghlo_lower_emit (self, outputs, n_outputs, starts);
}

static gboolean
has_nodes (const GhloIrType *type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR && type->quantization == NULL && ghlo_ir_type_has_static_shape (type)
         && ghlo_lower_type (type->element_type) != GHLO_ELEMENT_TYPE_INVALID;
}

gboolean
ghlo_kernel_has_kind (GhloIrOpKind kind)
{
  switch (kind)
    {
    case GHLO_OP_STABLEHLO_BITCAST_CONVERT:
    case GHLO_OP_STABLEHLO_COMPOSITE:
    case GHLO_OP_STABLEHLO_CONSTANT:
    case GHLO_OP_STABLEHLO_IOTA:
    case GHLO_OP_STABLEHLO_PAD:
    case GHLO_OP_STABLEHLO_CONCATENATE:
    case GHLO_OP_STABLEHLO_DYNAMIC_SLICE:
    case GHLO_OP_STABLEHLO_GATHER:
    case GHLO_OP_STABLEHLO_REDUCE:
    case GHLO_OP_STABLEHLO_REDUCE_WINDOW:
    case GHLO_OP_STABLEHLO_CONVOLUTION:
      return TRUE;
    default:
      return ghlo_lower_is_move (kind) || ghlo_scalar_of (kind) != GHLO_SCALAR_INVALID;
    }
}

const char *
ghlo_kernel_obstacle (const GhloIrOp *op)
{
  GhloIrWindow window;

  switch (op->kind)
    {
    case GHLO_OP_STABLEHLO_BITCAST_CONVERT:
      if (ghlo_lower_has_complex (op))
        return "kernels do not reinterpret complex numbers";
      break;
    case GHLO_OP_STABLEHLO_CONSTANT:
    case GHLO_OP_STABLEHLO_IOTA:
    case GHLO_OP_STABLEHLO_PAD:
    case GHLO_OP_STABLEHLO_CONCATENATE:
    case GHLO_OP_STABLEHLO_DYNAMIC_SLICE:
    case GHLO_OP_STABLEHLO_GATHER:
    case GHLO_OP_STABLEHLO_REDUCE:
    case GHLO_OP_STABLEHLO_REDUCE_WINDOW:
      break;
    case GHLO_OP_STABLEHLO_CONVOLUTION:
      if (ghlo_lower_convolution_obstacle (op) != NULL)
        return ghlo_lower_convolution_obstacle (op);
      break;
    default:
      if (!ghlo_lower_is_move (op->kind) && ghlo_lower_scalar_obstacle (op) != NULL)
        return ghlo_lower_scalar_obstacle (op);
    }
  for (guint i = 0; i < op->n_operands; i++)
    if (!has_nodes (ghlo_ir_op_operand (op, i)->type))
      return "kernels do not support an operand's element type";
  for (guint i = 0; i < op->n_results; i++)
    if (!has_nodes (op->results[i].type))
      return "kernels do not support its element type";

  return op->kind == GHLO_OP_STABLEHLO_PAD || op->kind == GHLO_OP_STABLEHLO_REDUCE_WINDOW
         ? ghlo_ir_window_read (&window, op) : NULL;
}

const char *
ghlo_kernel_obstacle_of_group (const GhloIrOp *const *ops,
                               guint                  n_ops)
{
  const char *reason = NULL;

  for (guint i = 0; i < n_ops && reason == NULL; i++)
    reason = ghlo_kernel_obstacle (ops[i]);

  return reason;
}

static gboolean
has_elements (const GhloKernelGroup *group)
{
  for (guint i = 0; i < group->n_operands; i++)
    if (ghlo_view_count (&group->operands[i]) == 0)
      return FALSE;

  return TRUE;
}

void
ghlo_lower_init (GhloLowering          *self,
                 const GhloKernelGroup *group)
{
  *self = (GhloLowering) { .group = group, .n_points = 1 };
  self->reductions = g_hash_table_new (NULL, NULL);
  ghlo_lower_init_graph (self);
}

void
ghlo_lower_clear (GhloLowering *self)
{
  ghlo_lower_clear_graph (self);
  g_hash_table_unref (self->reductions);
}

gboolean
ghlo_kernel_lower (const GhloKernelGroup  *group,
                   GhloLoweredKernel      *lowered,
                   const char            **reason)
{
  const GhloIrOp *loop = ghlo_lower_find_loop (group);
  GhloLowering self;

  *lowered = (GhloLoweredKernel) { NULL, g_new0 (gint64, group->n_operands + group->n_results), group->n_operands };
  ghlo_lower_init (&self, group);
  if (!has_elements (group))
    ghlo_lower_refuse (&self, "it has no elements");
  else if (loop != NULL)
    lowered->kernel = ghlo_lower_loop (group, loop, lowered->starts, &lowered->begins, &self.reason);
  else
    lowered->kernel = lower_map (&self, lowered->starts);
  ghlo_lower_clear (&self);
  *reason = self.reason;
  if (lowered->kernel == NULL)
    ghlo_lowered_kernel_clear (lowered);

  return lowered->kernel != NULL;
}

guint32
ghlo_lowered_kernel_in_place (const GhloLoweredKernel *self,
                              guint                    operand)
{
  const guint shared = self->kernel->buffers[operand].shared;

  return shared != GHLO_KERNEL_NONE ? shared - self->n_operands : G_MAXUINT32;
}

gboolean
ghlo_lowered_kernel_begins (const GhloLoweredKernel *self,
                            guint                    operand)
{
  return (self->begins >> operand & 1) != 0;
}

void
ghlo_lowered_kernel_clear (GhloLoweredKernel *self)
{
  g_clear_pointer (&self->kernel, g_free);
  g_clear_pointer (&self->starts, g_free);
}
