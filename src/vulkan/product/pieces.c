/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The dimensions of the result are parallel axes, and the pieces a fold's.
 */

#include "vulkan/product/pieces.h"

#include "kernel/lower.h"

/* The roles that the result has, outermost first. */
static const GhloSpirvRole roles[] = { GHLO_SPIRV_BATCH, GHLO_SPIRV_ROWS, GHLO_SPIRV_COLUMNS };

GhloElementType
ghlo_vulkan_product_planed (const GhloVulkanProduct *product)
{
  const GhloElementType accumulator = product->shader.accumulator;

  return accumulator == GHLO_ELEMENT_TYPE_I1 ? GHLO_ELEMENT_TYPE_UI32 : accumulator;
}

guint64
ghlo_vulkan_product_plane (const GhloVulkanProduct *product)
{
  guint64 n = ghlo_element_info (ghlo_vulkan_product_planed (product))->size;

  for (guint i = 0; i < G_N_ELEMENTS (roles); i++)
    n *= (guint64) product->counts[roles[i]];

  return n;
}

/* Axes, and the strides of both buffers along them; the bytes from the result's first element to the end of the last
 * one, or 0 where there are too many dimensions. */
static gint64
add_axes (GhloKernelBuilder       *builder,
          const GhloVulkanProduct *product,
          gint64                   strides[2][GHLO_KERNEL_MAX_AXES])
{
  gint64 dense = (gint64) ghlo_vulkan_product_plane (product);
  gint64 end = (gint64) ghlo_element_info (product->shader.types[GHLO_SPIRV_RESULT])->size;
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (roles); i++)
    for (guint j = 0; j < product->shader.n_dimensions[roles[i]]; j++)
      {
        const GhloSpirvProductDimension *dimension = &product->dimensions[roles[i]][j];
        g_autofree char *name = g_strdup_printf ("d%u", n);

        if (n == GHLO_KERNEL_MAX_AXES - 1)
          return 0;
        ghlo_kernel_add_axis (builder, name, (gint64) dimension->size, TRUE, FALSE);
        dense /= (gint64) dimension->size;
        strides[0][n] = dense;
        strides[1][n++] = dimension->strides[GHLO_SPIRV_RESULT];
        end += ((gint64) dimension->size - 1) * dimension->strides[GHLO_SPIRV_RESULT];
      }
  ghlo_kernel_add_axis (builder, "piece", product->n_pieces, FALSE, FALSE);
  strides[0][n] = (gint64) ghlo_vulkan_product_plane (product);

  return end;
}

/* Their sum, in a temporary. */
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

GhloKernel *
ghlo_vulkan_product_pieces (const GhloVulkanProduct *product)
{
  g_autoptr (GhloKernelBuilder) builder = ghlo_kernel_builder_new ("pieces");
  const GhloElementType type = product->shader.types[GHLO_SPIRV_RESULT], planed = ghlo_vulkan_product_planed (product);
  gint64 strides[2][GHLO_KERNEL_MAX_AXES] = { { 0 } }, end = add_axes (builder, product, strides);
  guint axis = 0, sum;

  if (end == 0)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (roles); i++)
    axis += product->shader.n_dimensions[roles[i]];
  ghlo_kernel_add_buffer (builder, "planes", product->n_pieces * (gint64) ghlo_vulkan_product_plane (product), FALSE);
  ghlo_kernel_add_buffer (builder, "result", end, TRUE);
  ghlo_kernel_add_access (builder, 0, planed, 0, strides[0]);
  ghlo_kernel_add_access (builder, 1, ghlo_kernel_stored_type (type), 0, strides[1]);
  sum = add_sum (builder, axis, planed, product->shader.accumulator == GHLO_ELEMENT_TYPE_I1);
  ghlo_kernel_begin_points (builder, 0);
  sum = ghlo_kernel_add_leaf (builder, GHLO_NODE_TEMPORARY, planed, sum);
  ghlo_kernel_store (builder, ghlo_kernel_add_element (builder, type, sum, planed), 1);
  ghlo_kernel_end_block (builder);

  return ghlo_kernel_builder_end (g_steal_pointer (&builder), NULL);
}
