/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Factors are as f32 in memory what undoes the power of two: 1 for rows of zeros, a NaN where the flag is to be set.
 * Planes lie as operands do: what is adjacent stays so. To the kernel that makes them, two planes are two buffers,
 * though each lies in the gaps of the other.
 */

#include "vulkan/product/plane-kernels.h"

#include "base/sizes.h"
#include "kernel/lower.h"

enum
{
  LARGEST        = 14,          /* exponent of a row's largest magnitude when it is scaled */
  MOST_EXPONENT  = 60,          /* of a row's largest magnitude, and of what undoes it */
  MOST_SPAN      = 29,          /* of two planes: between the exponents of a row's largest and least magnitude */
  BIAS           = 127,         /* of exponents of f32 */
  MANTISSA       = 23,          /* its bits */
  CHAINS         = 64,          /* of folds along what is adjacent: invocations of a workgroup */
  LINES_OF_PART  = 128,         /* of others, steps of k that an invocation goes through */
};

#define MAGNITUDE 0x7fffffffu
#define NOT_HELD  0xffffffffu

gint64
ghlo_vulkan_plane_steps (const GhloVulkanProduct *product)
{
  return ghlo_round_up (product->counts[GHLO_SPIRV_INNER], GHLO_SPIRV_MATRIX * GHLO_SPIRV_ROUND);
}

void
ghlo_vulkan_plane_strides (const GhloVulkanProduct *product,
                           guint                    tensor,
                           gint64                  *inner,
                           gint64                  *outer,
                           gint64                  *batch)
{
  const gint64 size = (gint64) sizeof (guint16);
  const gint64 length = ghlo_vulkan_plane_steps (product) * ghlo_vulkan_n_planes (product);
  const gint64 count = product->counts[ghlo_vulkan_product_outer (tensor)];
  const gint64 padded = ghlo_round_up (count, GHLO_SPIRV_PIECE_BYTES / size);
  const gboolean is_inner_adjacent = product->shader.is_inner_adjacent[tensor];

  *inner = is_inner_adjacent ? size : padded * size;
  *outer = is_inner_adjacent ? length * size : size;
  *batch = is_inner_adjacent ? count * length * size : padded * length * size;
}

gint64
ghlo_vulkan_plane_begin (const GhloVulkanProduct *product,
                         guint                    tensor,
                         gint64                  *size)
{
  gint64 begin = 0, end = (gint64) sizeof (float);

  for (guint role = 0; role < GHLO_SPIRV_N_ROLES; role++)
    for (guint i = 0; i < product->shader.n_dimensions[role]; i++)
      {
        const GhloSpirvProductDimension *dimension = &product->dimensions[role][i];
        const gint64 last = ((gint64) dimension->size - 1) * dimension->strides[tensor];

        *(last < 0 ? &begin : &end) += last;
      }
  *size = end - begin;

  return begin;
}

/* Where an operand's dimensions become a kernel's axes: parallel ones first. */
typedef struct
{
  GhloKernelBuilder       *builder;
  const GhloVulkanProduct *product;
  guint                    tensor;
  GhloSpirvRole            outer;               /* its rows or columns */
  guint                    n_axes;
  gint64                   strides[GHLO_KERNEL_MAX_AXES];       /* of the operand */
  gint64                   factors[GHLO_KERNEL_MAX_AXES];       /* of its factors */
  gint64                   planes[GHLO_KERNEL_MAX_AXES];        /* of its planes */
} Axes;

static guint
add_axis (Axes     *self,
          gint64    extent,
          gint64    stride,
          gint64    factor,
          gint64    plane,
          gboolean  is_parallel)
{
  static const char *const names[GHLO_KERNEL_MAX_AXES] = { "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7" };

  self->strides[self->n_axes] = stride;
  self->factors[self->n_axes] = factor;
  self->planes[self->n_axes] = plane;
  ghlo_kernel_add_axis (self->builder, names[self->n_axes], extent, is_parallel, FALSE);

  return self->n_axes++;
}

/* The dimensions of a role; @factor and @plane are the strides along its innermost one. */
static void
add_role (Axes          *self,
          GhloSpirvRole  role,
          gint64         factor,
          gint64         plane)
{
  const GhloVulkanProduct *product = self->product;
  gint64 inner = product->counts[role];

  for (guint i = 0; i < product->shader.n_dimensions[role]; i++)
    {
      const GhloSpirvProductDimension *dimension = &product->dimensions[role][i];

      inner /= (gint64) dimension->size;
      add_axis (self, (gint64) dimension->size, dimension->strides[self->tensor], factor * inner, plane * inner, TRUE);
    }
}

static void
begin_axes (Axes                    *self,
            const GhloVulkanProduct *product,
            guint                    tensor,
            const char              *name)
{
  *self = (Axes) { .builder = ghlo_kernel_builder_new (name), .product = product, .tensor = tensor,
                   .outer = ghlo_vulkan_product_outer (tensor) };
}

static guint
add_u32 (GhloKernelBuilder *builder,
         guint              value)
{
  return ghlo_kernel_add_constant (builder, GHLO_ELEMENT_TYPE_UI32, value);
}

static guint
add_node (GhloKernelBuilder *builder,
          GhloNodeKind       kind,
          guint              a,
          guint              b)
{
  return ghlo_kernel_add_node (builder, kind, GHLO_ELEMENT_TYPE_UI32, a, b, GHLO_KERNEL_NONE);
}

static guint
add_compare (GhloKernelBuilder *builder,
             GhloNodeKind       kind,
             guint              a,
             guint              b)
{
  return ghlo_kernel_add_node (builder, kind, GHLO_ELEMENT_TYPE_I1, a, b, GHLO_KERNEL_NONE);
}

static guint
add_select (GhloKernelBuilder *builder,
            guint              condition,
            guint              if_true,
            guint              if_false)
{
  return ghlo_kernel_add_node (builder, GHLO_NODE_SELECT, GHLO_ELEMENT_TYPE_UI32, condition, if_true, if_false);
}

/* A fold by @kind over a block's points. */
static guint
begin_fold (GhloKernelBuilder *builder,
            const char        *name,
            guint32            identity,
            guint             *temporary)
{
  *temporary = ghlo_kernel_add_temporary (builder, name, GHLO_ELEMENT_TYPE_UI32, 0);

  return ghlo_kernel_add_fold (builder, GHLO_ELEMENT_TYPE_UI32, *temporary, identity);
}

static void
update_fold (GhloKernelBuilder *builder,
             guint              fold,
             GhloNodeKind       kind,
             guint              value)
{
  guint left = ghlo_kernel_add_leaf (builder, GHLO_NODE_LEFT, GHLO_ELEMENT_TYPE_UI32, fold);

  ghlo_kernel_set_update (builder, fold, add_node (builder, kind, left, value));
}

static void
merge_fold (GhloKernelBuilder *builder,
            guint              fold,
            GhloNodeKind       kind)
{
  guint left = ghlo_kernel_add_leaf (builder, GHLO_NODE_LEFT, GHLO_ELEMENT_TYPE_UI32, fold);
  guint right = ghlo_kernel_add_leaf (builder, GHLO_NODE_RIGHT, GHLO_ELEMENT_TYPE_UI32, fold);

  ghlo_kernel_set_merge (builder, fold, add_node (builder, kind, left, right));
}

/* The bits of a factor by those of the greatest and the least magnitude but 0. */
static guint
add_factor (GhloKernelBuilder       *builder,
            const GhloVulkanProduct *product,
            guint                    most,
            guint                    least)
{
  guint mantissa = add_u32 (builder, MANTISSA), exponent = add_node (builder, GHLO_NODE_SHIFT_RIGHT, most, mantissa);
  guint factor = add_node (builder, GHLO_NODE_SUBTRACT, exponent, add_u32 (builder, LARGEST));
  guint beyond = add_node (builder, GHLO_NODE_SUBTRACT, exponent, add_u32 (builder, BIAS - MOST_EXPONENT));
  guint is_beyond = add_compare (builder, GHLO_NODE_GREATER, beyond, add_u32 (builder, 2 * MOST_EXPONENT)), span;

  factor = add_node (builder, GHLO_NODE_SHIFT_LEFT, factor, mantissa);
  factor = add_select (builder, is_beyond, add_u32 (builder, NOT_HELD), factor);
  if (ghlo_vulkan_n_planes (product) > 1)
    {
      span = add_node (builder, GHLO_NODE_SUBTRACT, exponent,
                       add_node (builder, GHLO_NODE_SHIFT_RIGHT, least, mantissa));
      factor = add_select (builder, add_compare (builder, GHLO_NODE_GREATER, span, add_u32 (builder, MOST_SPAN)),
                           add_u32 (builder, NOT_HELD), factor);
    }

  return add_select (builder, add_compare (builder, GHLO_NODE_EQUAL, most, add_u32 (builder, 0)),
                     add_u32 (builder, BIAS << MANTISSA), factor);
}

/* Folds over k, in chains where that is adjacent, else in parts. */
static void
add_magnitudes (const Axes *self,
                guint       axis,
                guint      *most,
                guint      *least)
{
  GhloKernelBuilder *builder = self->builder;
  const gint64 n = self->product->counts[GHLO_SPIRV_INNER];
  const gboolean is_adjacent = self->product->shader.is_inner_adjacent[self->tensor];
  guint folds[2], magnitude, is_zero;

  ghlo_kernel_begin_points (builder, 1u << axis);
  ghlo_kernel_set_order (builder, is_adjacent && n >= CHAINS ? CHAINS : 1,
                         is_adjacent || n <= LINES_OF_PART ? 0 : LINES_OF_PART);
  folds[0] = begin_fold (builder, "most", 0, most);
  folds[1] = begin_fold (builder, "least", G_MAXUINT32, least);
  magnitude = ghlo_kernel_add_load (builder, GHLO_ELEMENT_TYPE_UI32, 0, GHLO_KERNEL_NONE);
  magnitude = add_node (builder, GHLO_NODE_AND, magnitude, add_u32 (builder, MAGNITUDE));
  is_zero = add_compare (builder, GHLO_NODE_EQUAL, magnitude, add_u32 (builder, 0));
  update_fold (builder, folds[0], GHLO_NODE_MAXIMUM, magnitude);
  update_fold (builder, folds[1], GHLO_NODE_MINIMUM,
               add_select (builder, is_zero, add_u32 (builder, G_MAXUINT32), magnitude));
  ghlo_kernel_begin_merge (builder);
  merge_fold (builder, folds[0], GHLO_NODE_MAXIMUM);
  merge_fold (builder, folds[1], GHLO_NODE_MINIMUM);
  ghlo_kernel_end_block (builder);
}

GhloKernel *
ghlo_vulkan_plane_factors (const GhloVulkanProduct *product,
                           guint                    tensor,
                           gint64                   factors_size)
{
  const gint64 size = (gint64) sizeof (float);
  gint64 operand_size, begin = ghlo_vulkan_plane_begin (product, tensor, &operand_size);
  guint axis, most, least, factor;
  Axes axes;

  begin_axes (&axes, product, tensor, "factors");
  add_role (&axes, GHLO_SPIRV_BATCH, product->counts[axes.outer] * size, 0);
  add_role (&axes, axes.outer, size, 0);
  axis = add_axis (&axes, product->counts[GHLO_SPIRV_INNER], product->dimensions[GHLO_SPIRV_INNER][0].strides[tensor],
                   0, 0, FALSE);
  ghlo_kernel_add_buffer (axes.builder, "operand", operand_size, FALSE);
  ghlo_kernel_add_buffer (axes.builder, "factors", factors_size, TRUE);
  ghlo_kernel_add_access (axes.builder, 0, GHLO_ELEMENT_TYPE_UI32, -begin, axes.strides);
  ghlo_kernel_add_access (axes.builder, 1, GHLO_ELEMENT_TYPE_UI32, 0, axes.factors);
  add_magnitudes (&axes, axis, &most, &least);
  ghlo_kernel_begin_points (axes.builder, 0);
  most = ghlo_kernel_add_leaf (axes.builder, GHLO_NODE_TEMPORARY, GHLO_ELEMENT_TYPE_UI32, most);
  least = ghlo_kernel_add_leaf (axes.builder, GHLO_NODE_TEMPORARY, GHLO_ELEMENT_TYPE_UI32, least);
  factor = add_factor (axes.builder, product, most, least);
  ghlo_kernel_store (axes.builder, factor, 1);
  ghlo_kernel_end_block (axes.builder);

  return ghlo_kernel_builder_end (axes.builder, NULL);
}

/* The element, multiplied by the power of two, as f32. */
static guint
add_scaled (GhloKernelBuilder *builder)
{
  guint element = ghlo_kernel_add_load (builder, GHLO_ELEMENT_TYPE_F32, 0, GHLO_KERNEL_NONE);
  guint factor = ghlo_kernel_add_load (builder, GHLO_ELEMENT_TYPE_UI32, 1, GHLO_KERNEL_NONE);
  guint power = add_node (builder, GHLO_NODE_SUBTRACT, add_u32 (builder, 2u * BIAS << MANTISSA), factor);

  power = ghlo_kernel_add_node (builder, GHLO_NODE_BITCAST, GHLO_ELEMENT_TYPE_F32, power, GHLO_KERNEL_NONE,
                                GHLO_KERNEL_NONE);

  return ghlo_kernel_add_node (builder, GHLO_NODE_MULTIPLY, GHLO_ELEMENT_TYPE_F32, element, power, GHLO_KERNEL_NONE);
}

static void
add_planes (GhloKernelBuilder       *builder,
            const GhloVulkanProduct *product)
{
  const GhloElementType f16 = GHLO_ELEMENT_TYPE_F16, f32 = GHLO_ELEMENT_TYPE_F32;
  guint number, plane;

  ghlo_kernel_begin_points (builder, 0);
  number = add_scaled (builder);
  for (guint i = 0; i < ghlo_vulkan_n_planes (product); i++)
    {
      plane = ghlo_kernel_add_element (builder, f16, number, f32);
      ghlo_kernel_store (builder, plane, 2 + i);
      if (i + 1 < ghlo_vulkan_n_planes (product))
        number = ghlo_kernel_add_node (builder, GHLO_NODE_SUBTRACT, f32, number,
                                       ghlo_kernel_add_number (builder, f16, plane, f32), GHLO_KERNEL_NONE);
    }
  ghlo_kernel_end_block (builder);
}

/* Steps of k in two axes: of matrices, and in one. Where those of planes are more, the operand's are a term's. */
static void
add_inner (Axes           *self,
           gint64          plane,
           GhloKernelTerm *term)
{
  const gint64 n = ghlo_vulkan_plane_steps (self->product);
  const gint64 stride = term->end == n ? term->stride : 0;

  term->strides[self->n_axes] = GHLO_SPIRV_MATRIX;
  add_axis (self, n / GHLO_SPIRV_MATRIX, GHLO_SPIRV_MATRIX * stride, 0,
            GHLO_SPIRV_MATRIX * ghlo_vulkan_n_planes (self->product) * plane, TRUE);
  term->strides[self->n_axes] = 1;
  add_axis (self, GHLO_SPIRV_MATRIX, stride, 0, plane, TRUE);
}

GhloKernel *
ghlo_vulkan_plane_planes (const GhloVulkanProduct    *product,
                          guint                       tensor,
                          const GhloVulkanPlanesSide *side)
{
  const gint64 size = (gint64) sizeof (float), n = product->counts[GHLO_SPIRV_INNER];
  gint64 operand_size, begin = ghlo_vulkan_plane_begin (product, tensor, &operand_size), inner, outer, batch;
  GhloKernelTerm term = { .node = GHLO_KERNEL_NONE, .step = 1, .end = n,
                          .stride = product->dimensions[GHLO_SPIRV_INNER][0].strides[tensor] };
  Axes axes;

  ghlo_vulkan_plane_strides (product, tensor, &inner, &outer, &batch);
  begin_axes (&axes, product, tensor, "planes");
  add_role (&axes, GHLO_SPIRV_BATCH, product->counts[axes.outer] * size, batch);
  if (!product->shader.is_inner_adjacent[tensor])
    add_inner (&axes, inner, &term);
  add_role (&axes, axes.outer, size, outer);
  if (product->shader.is_inner_adjacent[tensor])
    add_inner (&axes, inner, &term);
  ghlo_kernel_add_buffer (axes.builder, "operand", operand_size, FALSE);
  ghlo_kernel_add_buffer (axes.builder, "factors", (gint64) side->factors_size, FALSE);
  for (guint i = 0; i < ghlo_vulkan_n_planes (product); i++)
    ghlo_kernel_add_buffer (axes.builder, i == 0 ? "high" : "low", (gint64) (side->planes_size - i * side->low_at),
                            TRUE);
  ghlo_kernel_add_access (axes.builder, 0, GHLO_ELEMENT_TYPE_F32, -begin, axes.strides);
  /* What is beyond the end of k is 0. */
  if (ghlo_vulkan_plane_steps (product) != n)
    ghlo_kernel_add_term (axes.builder, &term);
  ghlo_kernel_add_access (axes.builder, 1, GHLO_ELEMENT_TYPE_UI32, 0, axes.factors);
  for (guint i = 0; i < ghlo_vulkan_n_planes (product); i++)
    ghlo_kernel_add_access (axes.builder, 2 + i, GHLO_ELEMENT_TYPE_UI16, 0, axes.planes);
  add_planes (axes.builder, product);

  return ghlo_kernel_builder_end (axes.builder, NULL);
}

/* The greatest of one operand's factors, a fold over @axis. */
static guint
add_greatest (GhloKernelBuilder *builder,
              guint              axis,
              gint64             n)
{
  static const char *const names[] = { "most_rows", "most_columns" };
  guint temporary, fold;

  ghlo_kernel_begin_points (builder, 1u << axis);
  ghlo_kernel_set_order (builder, n >= CHAINS ? CHAINS : 1, 0);
  fold = begin_fold (builder, names[axis], 0, &temporary);
  update_fold (builder, fold, GHLO_NODE_MAXIMUM,
               ghlo_kernel_add_load (builder, GHLO_ELEMENT_TYPE_UI32, axis, GHLO_KERNEL_NONE));
  ghlo_kernel_begin_merge (builder);
  merge_fold (builder, fold, GHLO_NODE_MAXIMUM);
  ghlo_kernel_end_block (builder);

  return temporary;
}

/* Whether there is a factor of either operand that is NOT_HELD, which is the greatest then. */
GhloKernel *
ghlo_vulkan_plane_flag (const GhloVulkanPlanesSide *sides)
{
  static const char *const names[] = { "rows", "columns", "of_rows", "of_columns" };
  const gint64 size = (gint64) sizeof (float), strides[][2] = { { size, 0 }, { 0, size }, { 0, 0 } };
  GhloKernelBuilder *builder = ghlo_kernel_builder_new ("flag");
  guint factors[2], is_beyond;

  for (guint i = 0; i < 2; i++)
    ghlo_kernel_add_axis (builder, names[i], (gint64) sides[i].factors_size / size, FALSE, FALSE);
  for (guint i = 0; i < 2; i++)
    ghlo_kernel_add_buffer (builder, names[2 + i], (gint64) sides[i].factors_size, FALSE);
  ghlo_kernel_add_buffer (builder, "flag", sizeof (guint32), TRUE);
  for (guint i = 0; i < 3; i++)
    ghlo_kernel_add_access (builder, i, GHLO_ELEMENT_TYPE_UI32, 0, strides[i]);
  for (guint i = 0; i < 2; i++)
    factors[i] = add_greatest (builder, i, (gint64) sides[i].factors_size / size);
  ghlo_kernel_begin_points (builder, 0);
  for (guint i = 0; i < 2; i++)
    factors[i] = ghlo_kernel_add_leaf (builder, GHLO_NODE_TEMPORARY, GHLO_ELEMENT_TYPE_UI32, factors[i]);
  is_beyond = add_compare (builder, GHLO_NODE_EQUAL, add_node (builder, GHLO_NODE_MAXIMUM, factors[0], factors[1]),
                           add_u32 (builder, NOT_HELD));
  ghlo_kernel_store (builder, add_select (builder, is_beyond, add_u32 (builder, 1), add_u32 (builder, 0)), 2);
  ghlo_kernel_end_block (builder);

  return ghlo_kernel_builder_end (builder, NULL);
}
