/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Windows over the operand, one for each element of the source. A selection is the index of the selected element
 * within its window, in row-major order, or -1 for windows that are entirely in the padding.
 */

#include "kernel/select-and-scatter.h"

#include "ir/window.h"
#include "kernel/lower/lowering.h"

#define NONE GHLO_KERNEL_NONE
#define I32  GHLO_ELEMENT_TYPE_I32
#define I1   GHLO_ELEMENT_TYPE_I1

enum { MAX_RANK = GHLO_KERNEL_MAX_AXES };

typedef struct
{
  const GhloKernelGroup *group;
  const GhloIrOp        *op;
  GhloElementType        type, stored;
  guint                  rank;
  gint64                 window[MAX_RANK], step[MAX_RANK], low[MAX_RANK];
  GhloKernelBuilder     *builder;
  /* For each dimension, the axis of the points and that of the window, or NONE where it has one element. */
  guint                  points[MAX_RANK], windows[MAX_RANK];
  guint                  window_axes;   /* as bits */
} Windows;

/* Returns the node for a comparison of the block's two arguments, in their order, or GHLO_N_NODES. */
static GhloNodeKind
find_comparison (const GhloIrBlock *block)
{
  const GhloIrOp *op = block != NULL ? block->first : NULL;

  if (op == NULL || op->next != block->last || op->kind != GHLO_OP_STABLEHLO_COMPARE || block->n_arguments != 2
      || ghlo_ir_op_operand (op, 0) != block->arguments[0] || ghlo_ir_op_operand (op, 1) != block->arguments[1]
      || ghlo_ir_op_operand (block->last, 0) != &op->results[0])
    return GHLO_N_NODES;

  return ghlo_lower_comparison (op);
}

static const char *
read_op (Windows *self)
{
  const GhloIrOp *op = self->op;
  const GhloView *operand = &self->group->operands[0], *source = &self->group->operands[1];
  gint64 n_elements = 1;
  GhloIrWindow window;
  const char *reason;

  self->type = operand->element_type;
  self->rank = operand->rank;
  self->stored = self->type == GHLO_ELEMENT_TYPE_BF16 || self->type == GHLO_ELEMENT_TYPE_F16
                 ? GHLO_ELEMENT_TYPE_UI16 : self->type;
  if (ghlo_node_types (self->stored) == 0)
    return "kernels do not support its element type";
  if (source->element_type != self->type || self->group->operands[2].element_type != self->type
      || self->group->results[0].element_type != self->type)
    return "its operands and its result differ in type";
  if (self->rank > MAX_RANK || ghlo_view_count (operand) == 0 || ghlo_view_count (source) == 0)
    return "it has too many dimensions, or no elements";
  if (find_comparison (ghlo_ir_op_region_block (op, 0)) == GHLO_N_NODES)
    return "it selects by more than a comparison";
  if (ghlo_combiner_of (ghlo_ir_op_region_block (op, 1), self->type) != GHLO_COMBINER_ADD)
    return "it scatters by another operation than addition";
  reason = ghlo_ir_window_read (&window, op);
  if (reason != NULL)
    return reason;
  for (guint i = 0; i < self->rank; i++)
    {
      self->window[i] = window.dims[i].size;
      self->step[i] = window.dims[i].stride;
      self->low[i] = window.dims[i].padding_low;
      if (__builtin_mul_overflow (n_elements, self->window[i], &n_elements) || n_elements > G_MAXINT32)
        return "its windows are too large";
    }

  return n_elements > 1 ? NULL : "its windows have one element";
}

static void
add_axes (Windows      *self,
          const gint64 *dimensions)
{
  self->window_axes = 0;
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < self->rank; i++)
      {
        guint *axes = pass == 0 ? self->points : self->windows;
        gint64 extent = pass == 0 ? dimensions[i] : self->window[i];
        char name[] = { pass == 0 ? 'p' : 'w', (char) ('0' + i), '\0' };

        axes[i] = extent > 1 ? ghlo_kernel_add_axis (self->builder, name, extent, pass == 0, FALSE) : NONE;
        if (pass == 1 && axes[i] != NONE)
          self->window_axes |= 1u << axes[i];
      }
}

static guint
add (Windows         *self,
     GhloNodeKind     kind,
     GhloElementType  type,
     guint            a,
     guint            b,
     guint            c)
{
  return ghlo_kernel_add_node (self->builder, kind, type, a, b, c);
}

static guint
integer (Windows *self,
         gint32   value)
{
  return ghlo_kernel_add_constant (self->builder, I32, (guint32) value);
}

/* Returns the index of the element within the window; @reversed counts from the last element. */
static guint
number_of_element (Windows  *self,
                   gboolean  reversed)
{
  gint32 stride = 1, last = 0;
  guint sum = NONE;

  for (guint i = self->rank; i > 0; i--)
    {
      if (self->windows[i - 1] != NONE)
        {
          guint axis = ghlo_kernel_add_leaf (self->builder, GHLO_NODE_AXIS, I32, self->windows[i - 1]);
          guint part = add (self, GHLO_NODE_MULTIPLY, I32, axis, integer (self, stride), NONE);

          sum = sum == NONE ? part : add (self, GHLO_NODE_ADD, I32, sum, part, NONE);
          last += (gint32) (self->window[i - 1] - 1) * stride;
        }
      stride *= (gint32) self->window[i - 1];
    }

  return reversed ? add (self, GHLO_NODE_SUBTRACT, I32, integer (self, last), sum, NONE) : sum;
}

static guint
decode (Windows *self,
        guint    value)
{
  if (self->stored == self->type)
    return value;

  return add (self, self->type == GHLO_ELEMENT_TYPE_F16 ? GHLO_NODE_FROM_F16 : GHLO_NODE_FROM_BF16,
              GHLO_ELEMENT_TYPE_F32, value, NONE, NONE);
}

static guint
encode (Windows *self,
        guint    value)
{
  if (self->stored == self->type)
    return value;

  return add (self, self->type == GHLO_ELEMENT_TYPE_F16 ? GHLO_NODE_TO_F16 : GHLO_NODE_TO_BF16,
              GHLO_ELEMENT_TYPE_UI16, value, NONE, NONE);
}

static GhloElementType
node_type (const Windows *self)
{
  return self->stored == self->type ? self->type : GHLO_ELEMENT_TYPE_F32;
}

/* Adds an access of the operand's element at the point of the window, which may be in the padding. */
static guint
add_operand_access (Windows *self,
                    gint64   start)
{
  const GhloView *operand = &self->group->operands[0];
  const gint64 strides[GHLO_KERNEL_MAX_AXES] = { 0 };
  guint access = ghlo_kernel_add_access (self->builder, 0, self->stored, -start, strides);

  for (guint i = 0; i < self->rank; i++)
    {
      GhloKernelTerm term = { .node = NONE, .step = 1, .end = operand->dimensions[i], .stride = operand->strides[i],
                              .offset = -self->low[i] };

      if (self->points[i] != NONE)
        term.strides[self->points[i]] = self->step[i];
      if (self->windows[i] != NONE)
        term.strides[self->windows[i]] = 1;
      ghlo_kernel_add_term (self->builder, &term);
    }

  return access;
}

/* Adds an access of the selection, which is dense, at the points. */
static guint
add_selection_access (Windows *self,
                      guint    buffer)
{
  const GhloView *source = &self->group->operands[1];
  gint64 strides[GHLO_KERNEL_MAX_AXES] = { 0 }, stride = sizeof (gint32);

  for (guint i = self->rank; i > 0; i--)
    {
      if (self->points[i - 1] != NONE)
        strides[self->points[i - 1]] = stride;
      stride *= source->dimensions[i - 1];
    }

  return ghlo_kernel_add_access (self->builder, buffer, I32, 0, strides);
}

static GhloKernel *
make_select (Windows *self,
             gint64  *start)
{
  const GhloView *source = &self->group->operands[1];
  GhloNodeKind comparison = find_comparison (ghlo_ir_op_region_block (self->op, 0));
  GhloElementType type = node_type (self);
  guint temporaries[2], value, number, access, best, chosen, is_kept, take;

  self->builder = ghlo_kernel_builder_new ("select");
  add_axes (self, source->dimensions);
  *start = ghlo_lower_add_view (self->builder, "operand", &self->group->operands[0], FALSE);
  ghlo_kernel_add_buffer (self->builder, "selection", ghlo_view_count (source) * (gint64) sizeof (gint32), TRUE);
  temporaries[0] = ghlo_kernel_add_temporary (self->builder, "value", type, 0);
  temporaries[1] = ghlo_kernel_add_temporary (self->builder, "number", I32, 0);

  ghlo_kernel_begin_points (self->builder, self->window_axes);
  value = ghlo_kernel_add_fold (self->builder, type, temporaries[0], 0);
  number = ghlo_kernel_add_fold (self->builder, I32, temporaries[1], G_MAXUINT32);
  access = add_operand_access (self, *start);
  best = ghlo_kernel_add_leaf (self->builder, GHLO_NODE_LEFT, type, value);
  chosen = ghlo_kernel_add_leaf (self->builder, GHLO_NODE_LEFT, I32, number);
  access = ghlo_kernel_add_load (self->builder, self->stored, access, NONE);
  take = ghlo_kernel_add_leaf (self->builder, GHLO_NODE_INSIDE, I1,
                               ghlo_kernel_builder_get_node (self->builder, access)->index);
  access = decode (self, access);
  is_kept = add (self, comparison, I1, best, access, NONE);
  is_kept = add (self, GHLO_NODE_AND, I1, is_kept,
                 add (self, GHLO_NODE_GREATER_EQUAL, I1, chosen, integer (self, 0), NONE), NONE);
  take = add (self, GHLO_NODE_AND, I1, take, add (self, GHLO_NODE_NOT, I1, is_kept, NONE, NONE), NONE);
  ghlo_kernel_set_update (self->builder, value, add (self, GHLO_NODE_SELECT, type, take, access, best));
  ghlo_kernel_set_update (self->builder, number,
                          add (self, GHLO_NODE_SELECT, I32, take, number_of_element (self, FALSE), chosen));
  ghlo_kernel_end_block (self->builder);

  ghlo_kernel_begin_points (self->builder, 0);
  ghlo_kernel_store (self->builder, ghlo_kernel_add_leaf (self->builder, GHLO_NODE_TEMPORARY, I32, temporaries[1]),
                     add_selection_access (self, 1));
  ghlo_kernel_end_block (self->builder);

  return ghlo_kernel_builder_end (g_steal_pointer (&self->builder), NULL);
}

/* Adds an access to a buffer with the source's shape and @strides. It addresses the window whose element the point is,
 * at each point of the window's axes. These count from the last element, so that windows are visited in order. */
static guint
add_window_access (Windows         *self,
                   guint            buffer,
                   GhloElementType  type,
                   gint64           offset,
                   const gint64    *strides)
{
  const GhloView *source = &self->group->operands[1];
  const gint64 none[GHLO_KERNEL_MAX_AXES] = { 0 };
  guint access = ghlo_kernel_add_access (self->builder, buffer, type, offset, none);

  for (guint i = 0; i < self->rank; i++)
    {
      GhloKernelTerm term = { .node = NONE, .step = self->step[i], .end = source->dimensions[i],
                              .stride = strides[i], .offset = self->low[i] - (self->window[i] - 1) };

      if (self->points[i] != NONE)
        term.strides[self->points[i]] = 1;
      if (self->windows[i] != NONE)
        term.strides[self->windows[i]] = 1;
      ghlo_kernel_add_term (self->builder, &term);
    }

  return access;
}

static GhloKernel *
make_gather (Windows *self,
             gint64  *starts)
{
  const GhloView *source = &self->group->operands[1], *result = &self->group->results[0];
  gint64 dense[MAX_RANK], strides[GHLO_KERNEL_MAX_AXES] = { 0 }, stride = sizeof (gint32);
  GhloElementType type = node_type (self);
  const gint64 none[GHLO_KERNEL_MAX_AXES] = { 0 };
  guint temporary, fold, sum, is_here, value;

  for (guint i = self->rank; i > 0; i--)
    {
      dense[i - 1] = stride;
      stride *= source->dimensions[i - 1];
    }
  self->builder = ghlo_kernel_builder_new ("gather");
  add_axes (self, result->dimensions);
  starts[0] = ghlo_lower_add_view (self->builder, "source", source, FALSE);
  starts[1] = ghlo_lower_add_view (self->builder, "init", &self->group->operands[2], FALSE);
  ghlo_kernel_add_buffer (self->builder, "selection", stride, FALSE);
  ghlo_lower_add_view (self->builder, "result", result, TRUE);
  temporary = ghlo_kernel_add_temporary (self->builder, "sum", type, 0);

  /* Adding -0 leaves every number unchanged. */
  ghlo_kernel_begin_points (self->builder, self->window_axes);
  fold = ghlo_kernel_add_fold (self->builder, type, temporary,
                               ghlo_node_types (type) == GHLO_NODE_TYPES_F ? ghlo_float_to_bits (type, -0.0) : 0);
  sum = ghlo_kernel_add_leaf (self->builder, GHLO_NODE_LEFT, type, fold);
  is_here = ghlo_kernel_add_load (self->builder, I32, add_window_access (self, 2, I32, 0, dense), integer (self, -1));
  is_here = add (self, GHLO_NODE_EQUAL, I1, is_here, number_of_element (self, TRUE), NONE);
  value = ghlo_kernel_add_load (self->builder, self->stored,
                                add_window_access (self, 0, self->stored, -starts[0], source->strides), NONE);
  value = add (self, GHLO_NODE_ADD, type, sum, decode (self, value), NONE);
  value = add (self, GHLO_NODE_SELECT, type, is_here, decode (self, encode (self, value)), sum);
  ghlo_kernel_set_update (self->builder, fold, value);
  ghlo_kernel_end_block (self->builder);

  ghlo_kernel_begin_points (self->builder, 0);
  value = ghlo_kernel_add_load (self->builder, self->stored,
                                ghlo_kernel_add_access (self->builder, 1, self->stored, -starts[1], none), NONE);
  value = add (self, GHLO_NODE_ADD, type, decode (self, value),
               ghlo_kernel_add_leaf (self->builder, GHLO_NODE_TEMPORARY, type, temporary), NONE);
  for (guint i = 0; i < self->rank; i++)
    if (self->points[i] != NONE)
      strides[self->points[i]] = result->strides[i];
  value = encode (self, value);
  ghlo_kernel_store (self->builder, value, ghlo_kernel_add_access (self->builder, 3, self->stored, 0, strides));
  ghlo_kernel_end_block (self->builder);

  return ghlo_kernel_builder_end (g_steal_pointer (&self->builder), NULL);
}

gboolean
ghlo_kernel_lower_select_and_scatter (const GhloKernelGroup  *group,
                                      GhloSelectAndScatter   *lowered,
                                      const char            **reason)
{
  Windows self = { .group = group, .op = group->op };

  *lowered = (GhloSelectAndScatter) { 0 };
  *reason = read_op (&self);
  if (*reason != NULL)
    return FALSE;
  lowered->n_windows = ghlo_view_count (&group->operands[1]);
  lowered->select = make_select (&self, &lowered->starts[0]);
  lowered->gather = make_gather (&self, &lowered->starts[1]);
  if (lowered->select != NULL && lowered->gather != NULL)
    return TRUE;
  ghlo_select_and_scatter_clear (lowered);
  *reason = "its kernels would be too large";

  return FALSE;
}

void
ghlo_select_and_scatter_clear (GhloSelectAndScatter *self)
{
  g_clear_pointer (&self->select, g_free);
  g_clear_pointer (&self->gather, g_free);
}
