/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The dimensions of the result are parallel axes; the pieces are the axis of a fold.
 */

#include "gpu/product/split-k.h"

#include "kernel/lower.h"

/* The roles of the result's dimensions, outermost first. */
static const GhloSpirvRole roles[] = { GHLO_SPIRV_BATCH, GHLO_SPIRV_ROWS, GHLO_SPIRV_COLUMNS };

GhloElementType
ghlo_gpu_product_plane_type (const GhloGpuProduct *product)
{
  const GhloElementType accumulator = product->shader.accumulator;

  return accumulator == GHLO_ELEMENT_TYPE_I1 ? GHLO_ELEMENT_TYPE_UI32 : accumulator;
}

guint64
ghlo_gpu_product_plane_size (const GhloGpuProduct *product)
{
  guint64 n = ghlo_element_info (ghlo_gpu_product_plane_type (product))->size;

  for (guint i = 0; i < G_N_ELEMENTS (roles); i++)
    n *= (guint64) product->counts[roles[i]];

  return n;
}

/* A kernel that is being built. */
typedef struct
{
  GhloKernelBuilder     *builder;
  const GhloGpuProduct  *product;
  const GhloGpuEpilogue *epilogue;           /* nullable */
  guint                  n_axes;
  gint64                 planes[GHLO_KERNEL_MAX_AXES], result[GHLO_KERNEL_MAX_AXES];            /* strides */
  gint64                 accesses[GHLO_SPIRV_MAX_ACCESSES][GHLO_KERNEL_MAX_AXES];               /* of the epilogue */
  gint64                 end;                   /* bytes from the result's first element to the end of the last one */
} Sum;

/* Returns FALSE if there are too many axes. */
static gboolean
add_axis (Sum     *self,
          guint64  size,
          gint64   result)
{
  const GhloElementType type = ghlo_gpu_product_plane_type (self->product);
  g_autofree char *name = g_strdup_printf ("d%u", self->n_axes);

  if (self->n_axes == GHLO_KERNEL_MAX_AXES - 1)
    return FALSE;
  ghlo_kernel_add_axis (self->builder, name, (gint64) size, TRUE, FALSE);
  for (guint i = 0; i <= self->n_axes; i++)
    self->planes[i] = i < self->n_axes ? self->planes[i] * (gint64) size
                                       : (gint64) ghlo_element_info (type)->size;
  self->result[self->n_axes++] = result;
  self->end += ((gint64) size - 1) * result;

  return TRUE;
}

/* With an epilogue, its dimensions are used, which describe the result as well. */
static gboolean
add_axes_of (Sum           *self,
             GhloSpirvRole  role)
{
  const GhloGpuEpilogue *epilogue = self->epilogue;
  gboolean ok = TRUE;

  for (guint i = 0; epilogue == NULL && ok && i < self->product->shader.n_dimensions[role]; i++)
    {
      const GhloSpirvProductDimension *dimension = &self->product->dimensions[role][i];

      ok = add_axis (self, dimension->size, dimension->strides[GHLO_SPIRV_RESULT]);
    }
  for (guint i = 0; epilogue != NULL && ok && i < epilogue->shader.n_dimensions[role]; i++)
    {
      const GhloGpuEpilogueDimension *dimension = &epilogue->dimensions[role][i];
      gint64 result = 0;

      for (guint a = 0; a < epilogue->kernel->n_accesses && self->n_axes < GHLO_KERNEL_MAX_AXES; a++)
        {
          self->accesses[a][self->n_axes] = dimension->strides[a];
          if (epilogue->kernel->accesses[a].buffer == 0)
            result = dimension->strides[a];
        }
      ok = add_axis (self, dimension->size, result);
    }

  return ok;
}

/* Adds the buffers, without the epilogue's first one, and the accesses of planes, result and epilogue. */
static void
add_buffers (Sum *self)
{
  const GhloGpuProduct *product = self->product;
  const GhloKernel *kernel = self->epilogue != NULL ? self->epilogue->kernel : NULL;
  const gint64 plane = (gint64) ghlo_gpu_product_plane_size (product);
  guint first = 0;

  ghlo_kernel_add_buffer (self->builder, "planes", product->n_pieces * plane, FALSE);
  if (!product->shader.is_dropped)
    first = ghlo_kernel_add_buffer (self->builder, "result", self->end, TRUE);
  for (guint i = 1; kernel != NULL && i < kernel->n_buffers; i++)
    ghlo_kernel_add_buffer (self->builder, kernel->buffers[i].name, kernel->buffers[i].size,
                            kernel->buffers[i].is_written);
  self->planes[self->n_axes] = plane;
  ghlo_kernel_add_access (self->builder, 0, ghlo_gpu_product_plane_type (product), 0, self->planes);
  if (!product->shader.is_dropped)
    ghlo_kernel_add_access (self->builder, 1, ghlo_kernel_stored_type (product->shader.types[GHLO_SPIRV_RESULT]), 0,
                            self->result);
  for (guint a = 0; kernel != NULL && a < kernel->n_accesses; a++)
    if (kernel->accesses[a].buffer != 0)
      ghlo_kernel_add_access (self->builder, first + kernel->accesses[a].buffer, kernel->accesses[a].type,
                              kernel->accesses[a].offset, self->accesses[a]);
}

/* Adds up the pieces in a temporary, and returns that. */
static guint
add_sum (GhloKernelBuilder *builder,
         guint              axis,
         GhloElementType    type,
         gboolean           is_or)
{
  guint sum = ghlo_kernel_add_temporary (builder, "sum", type, 0), fold, left, piece, next;

  ghlo_kernel_begin_points (builder, 1u << axis);
  fold = ghlo_kernel_add_fold (builder, type, sum, 0);
  left = ghlo_kernel_add_leaf (builder, GHLO_NODE_LEFT, type, fold);
  piece = ghlo_kernel_add_load (builder, type, 0, GHLO_KERNEL_NONE);
  next = ghlo_kernel_add_node (builder, is_or ? GHLO_NODE_OR : GHLO_NODE_ADD, type, left, piece, GHLO_KERNEL_NONE);
  ghlo_kernel_set_update (builder, fold, next);
  ghlo_kernel_end_block (builder);

  return sum;
}

/* Adds the epilogue's nodes, with @element in place of its loads of the product, and its stores. */
static void
add_epilogue (const Sum *self,
              guint      element)
{
  const GhloKernel *kernel = self->epilogue->fusion->lowered.kernel;
  g_autofree guint *nodes = g_new (guint, kernel->n_nodes);
  guint accesses[GHLO_SPIRV_MAX_ACCESSES], n = self->product->shader.is_dropped ? 1 : 2;

  for (guint a = 0; a < kernel->n_accesses; a++)
    accesses[a] = kernel->accesses[a].buffer != 0 ? n++ : GHLO_KERNEL_NONE;
  for (guint i = 0; i < kernel->n_nodes; i++)
    {
      const GhloKernelNode *node = &kernel->nodes[i];
      guint operands[G_N_ELEMENTS (node->operands)];

      for (guint k = 0; k < G_N_ELEMENTS (operands); k++)
        operands[k] = node->operands[k] != GHLO_KERNEL_NONE ? nodes[node->operands[k]] : GHLO_KERNEL_NONE;
      if (node->kind == GHLO_NODE_CONSTANT)
        nodes[i] = ghlo_kernel_add_constant (self->builder, node->type, node->bits);
      else if (node->kind != GHLO_NODE_LOAD)
        nodes[i] = ghlo_kernel_add_node (self->builder, node->kind, node->type, operands[0], operands[1], operands[2]);
      else
        nodes[i] = accesses[node->index] == GHLO_KERNEL_NONE
                   ? element : ghlo_kernel_add_load (self->builder, node->type, accesses[node->index],
                                                     GHLO_KERNEL_NONE);
    }
  for (guint i = 0; i < kernel->n_stores; i++)
    ghlo_kernel_store (self->builder, nodes[kernel->stores[i].node], accesses[kernel->stores[i].access]);
}

GhloKernel *
ghlo_gpu_product_pieces (const GhloGpuProduct  *product,
                         const GhloGpuEpilogue *epilogue)
{
  const GhloElementType type = product->shader.types[GHLO_SPIRV_RESULT];
  const GhloElementType plane_type = ghlo_gpu_product_plane_type (product);
  g_autoptr (GhloKernelBuilder) builder = ghlo_kernel_builder_new ("pieces");
  Sum self = { .builder = builder, .product = product, .epilogue = epilogue, .end = ghlo_element_info (type)->size };
  guint node;

  for (guint i = 0; i < G_N_ELEMENTS (roles); i++)
    if (!add_axes_of (&self, roles[i]))
      return NULL;
  ghlo_kernel_add_axis (builder, "piece", product->n_pieces, FALSE, FALSE);
  add_buffers (&self);
  node = add_sum (builder, self.n_axes, plane_type, product->shader.accumulator == GHLO_ELEMENT_TYPE_I1);
  ghlo_kernel_begin_points (builder, 0);
  node = ghlo_kernel_add_leaf (builder, GHLO_NODE_TEMPORARY, plane_type, node);
  node = ghlo_kernel_add_element (builder, type, node, plane_type);
  if (!product->shader.is_dropped)
    ghlo_kernel_store (builder, node, 1);
  if (epilogue != NULL)
    add_epilogue (&self, node);
  ghlo_kernel_end_block (builder);

  return ghlo_kernel_builder_end (g_steal_pointer (&builder), NULL);
}
