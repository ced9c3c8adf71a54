/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Factors are stored as f32, and undo the power of two that a row was scaled by. They are 1 for rows of zeros, and NaN
 * if the flag is to be set. Planes have the layout of their operand: what is contiguous stays contiguous. To the kernel
 * that computes them two planes are two buffers, though each lies in the gaps of the other.
 *
 * If k is contiguous, a workgroup that has read a row knows its factor, and still has the row in registers, so one
 * kernel finds the factors and computes the plane. Otherwise rows are read twice. If rows are contiguous, an invocation
 * has several steps of k, so that it loads the scale once and has many elements in flight.
 */

#include "gpu/product/plane-kernels.h"

#include "base/sizes.h"
#include "kernel/lower.h"

enum
{
  LARGEST        = 14,          /* exponent of a row's largest magnitude after scaling */
  MOST_EXPONENT  = 60,          /* maximum exponent of a row's largest magnitude, and of the factor */
  MOST_SPAN      = 29,          /* for two planes: maximum difference of the exponents of a row's largest and least
                                 * magnitude */
  BIAS           = 127,         /* of exponents of f32 */
  MANTISSA       = 23,          /* bits of f32's mantissa */
  MOST_CHAINS    = 256,         /* of folds along a contiguous dimension: invocations of a workgroup */
  LEAST_CHAINS   = 64,
  LONGEST_ROW    = 8192,        /* that these can hold in registers */
  LINES_OF_PART  = 128,         /* otherwise, steps of k per invocation */
};

#define MAGNITUDE 0x7fffffffu
#define NOT_HELD  0xffffffffu

gint64
ghlo_gpu_plane_steps (const GhloGpuProduct *product)
{
  return ghlo_round_up (product->counts[GHLO_SPIRV_INNER], GHLO_SPIRV_MATRIX * GHLO_SPIRV_ROUND);
}

void
ghlo_gpu_plane_strides (const GhloGpuProduct *product,
                        guint                 tensor,
                        gint64               *inner,
                        gint64               *outer,
                        gint64               *batch)
{
  const gint64 size = (gint64) sizeof (guint16);
  const gint64 length = ghlo_gpu_plane_steps (product) * ghlo_gpu_n_planes (product);
  const gint64 count = product->counts[ghlo_gpu_product_outer (tensor)];
  const gint64 padded = ghlo_round_up (count, GHLO_SPIRV_PIECE_BYTES / size);
  const gboolean is_inner_adjacent = product->shader.is_inner_adjacent[tensor];

  *inner = is_inner_adjacent ? size : padded * size;
  *outer = is_inner_adjacent ? length * size : size;
  *batch = is_inner_adjacent ? count * length * size : padded * length * size;
}

gint64
ghlo_gpu_plane_begin (const GhloGpuProduct *product,
                      guint                 tensor,
                      gint64               *size)
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

/* Maps an operand's dimensions to a kernel's axes, parallel ones first. */
typedef struct
{
  GhloKernelBuilder    *builder;
  const GhloGpuProduct *product;
  guint                 tensor;
  GhloSpirvRole         outer;                  /* the role of its rows or columns */
  guint                 n_axes;
  gint64                strides[GHLO_KERNEL_MAX_AXES];          /* of the operand */
  gint64                factors[GHLO_KERNEL_MAX_AXES];          /* of its factors */
  gint64                planes[GHLO_KERNEL_MAX_AXES];           /* of its planes */
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

/* Adds the dimensions of a role; @factor and @plane are the strides along the innermost one. */
static void
add_role (Axes          *self,
          GhloSpirvRole  role,
          gint64         factor,
          gint64         plane)
{
  const GhloGpuProduct *product = self->product;
  gint64 inner = product->counts[role];

  for (guint i = 0; i < product->shader.n_dimensions[role]; i++)
    {
      const GhloSpirvProductDimension *dimension = &product->dimensions[role][i];

      inner /= (gint64) dimension->size;
      add_axis (self, (gint64) dimension->size, dimension->strides[self->tensor], factor * inner, plane * inner, TRUE);
    }
}

static void
begin_axes (Axes                 *self,
            const GhloGpuProduct *product,
            guint                 tensor,
            const char           *name)
{
  *self = (Axes) { .builder = ghlo_kernel_builder_new (name), .product = product, .tensor = tensor,
                   .outer = ghlo_gpu_product_outer (tensor) };
}

/* Adds the operand and its access. @term guards the steps of k that planes have in addition to the operand's: these are
 * 0. */
static void
add_operand (const Axes           *self,
             const GhloKernelTerm *term)
{
  gint64 size, begin = ghlo_gpu_plane_begin (self->product, self->tensor, &size);

  ghlo_kernel_add_buffer (self->builder, "operand", size, FALSE);
  ghlo_kernel_add_access (self->builder, 0, GHLO_ELEMENT_TYPE_UI32, -begin, self->strides);
  if (term != NULL && term->end != ghlo_gpu_plane_steps (self->product))
    ghlo_kernel_add_term (self->builder, term);
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

/* Begins a fold over a block's points. */
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

/* Computes the bits of a factor from the largest magnitude and the least one other than 0. */
static guint
add_factor (GhloKernelBuilder    *builder,
            const GhloGpuProduct *product,
            guint                 most,
            guint                 least)
{
  guint mantissa = add_u32 (builder, MANTISSA), exponent = add_node (builder, GHLO_NODE_SHIFT_RIGHT, most, mantissa);
  guint factor = add_node (builder, GHLO_NODE_SUBTRACT, exponent, add_u32 (builder, LARGEST));
  guint beyond = add_node (builder, GHLO_NODE_SUBTRACT, exponent, add_u32 (builder, BIAS - MOST_EXPONENT));
  guint is_beyond = add_compare (builder, GHLO_NODE_GREATER, beyond, add_u32 (builder, 2 * MOST_EXPONENT)), span;

  factor = add_node (builder, GHLO_NODE_SHIFT_LEFT, factor, mantissa);
  factor = add_select (builder, is_beyond, add_u32 (builder, NOT_HELD), factor);
  if (ghlo_gpu_n_planes (product) > 1)
    {
      span = add_node (builder, GHLO_NODE_SUBTRACT, exponent,
                       add_node (builder, GHLO_NODE_SHIFT_RIGHT, least, mantissa));
      factor = add_select (builder, add_compare (builder, GHLO_NODE_GREATER, span, add_u32 (builder, MOST_SPAN)),
                           add_u32 (builder, NOT_HELD), factor);
    }

  return add_select (builder, add_compare (builder, GHLO_NODE_EQUAL, most, add_u32 (builder, 0)),
                     add_u32 (builder, BIAS << MANTISSA), factor);
}

/* Returns the number of chains of a fold over @n contiguous numbers. */
static guint
count_chains (gint64 n)
{
  guint n_chains = MOST_CHAINS;

  while (n_chains > n && n_chains > LEAST_CHAINS)
    n_chains /= 2;

  return n >= n_chains ? n_chains : 1;
}

/* Adds folds over @n steps of k, in chains if these are contiguous, else in parts: the largest magnitude, and for two
 * planes the least. */
static void
add_magnitudes (const Axes *self,
                guint       axis,
                gint64      n,
                guint      *temporaries)
{
  GhloKernelBuilder *builder = self->builder;
  const gboolean is_adjacent = self->product->shader.is_inner_adjacent[self->tensor];
  const gboolean has_least = ghlo_gpu_n_planes (self->product) > 1;
  guint folds[2], magnitude, is_zero;

  ghlo_kernel_begin_points (builder, 1u << axis);
  ghlo_kernel_set_order (builder, is_adjacent ? count_chains (n) : 1,
                         is_adjacent || n <= LINES_OF_PART ? 0 : LINES_OF_PART);
  folds[0] = begin_fold (builder, "most", 0, &temporaries[0]);
  if (has_least)
    folds[1] = begin_fold (builder, "least", G_MAXUINT32, &temporaries[1]);
  magnitude = ghlo_kernel_add_load (builder, GHLO_ELEMENT_TYPE_UI32, 0, GHLO_KERNEL_NONE);
  magnitude = add_node (builder, GHLO_NODE_AND, magnitude, add_u32 (builder, MAGNITUDE));
  update_fold (builder, folds[0], GHLO_NODE_MAXIMUM, magnitude);
  if (has_least)
    {
      is_zero = add_compare (builder, GHLO_NODE_EQUAL, magnitude, add_u32 (builder, 0));
      update_fold (builder, folds[1], GHLO_NODE_MINIMUM,
                   add_select (builder, is_zero, add_u32 (builder, G_MAXUINT32), magnitude));
    }
  ghlo_kernel_begin_merge (builder);
  merge_fold (builder, folds[0], GHLO_NODE_MAXIMUM);
  if (has_least)
    merge_fold (builder, folds[1], GHLO_NODE_MINIMUM);
  ghlo_kernel_end_block (builder);
}

/* Returns the factor for the magnitudes in @temporaries. */
static guint
find_factor (const Axes  *self,
             const guint *temporaries)
{
  guint magnitudes[2] = { GHLO_KERNEL_NONE, GHLO_KERNEL_NONE };

  for (guint i = 0; i < MIN (ghlo_gpu_n_planes (self->product), 2); i++)
    magnitudes[i] = ghlo_kernel_add_leaf (self->builder, GHLO_NODE_TEMPORARY, GHLO_ELEMENT_TYPE_UI32, temporaries[i]);

  return add_factor (self->builder, self->product, magnitudes[0], magnitudes[1]);
}

/* Stores factors, from @n steps of k along @axis, and leaves the magnitudes in @temporaries. */
static void
add_factors (const Axes *self,
             guint       axis,
             gint64      n,
             guint      *temporaries)
{
  add_magnitudes (self, axis, n, temporaries);
  ghlo_kernel_begin_points (self->builder, 0);
  ghlo_kernel_store (self->builder, find_factor (self, temporaries), 1);
  ghlo_kernel_end_block (self->builder);
}

GhloKernel *
ghlo_gpu_plane_factors (const GhloGpuProduct *product,
                        guint                 tensor,
                        gint64                factors_size)
{
  const gint64 size = (gint64) sizeof (float), n = product->counts[GHLO_SPIRV_INNER];
  guint axis, temporaries[2];
  Axes axes;

  begin_axes (&axes, product, tensor, "factors");
  add_role (&axes, GHLO_SPIRV_BATCH, product->counts[axes.outer] * size, 0);
  add_role (&axes, axes.outer, size, 0);
  axis = add_axis (&axes, n, product->dimensions[GHLO_SPIRV_INNER][0].strides[tensor], 0, 0, FALSE);
  add_operand (&axes, NULL);
  ghlo_kernel_add_buffer (axes.builder, "factors", factors_size, TRUE);
  ghlo_kernel_add_access (axes.builder, 1, GHLO_ELEMENT_TYPE_UI32, 0, axes.factors);
  add_factors (&axes, axis, n, temporaries);

  return ghlo_kernel_builder_end (axes.builder, NULL);
}

gboolean
ghlo_gpu_plane_finds_factors (const GhloGpuProduct *product,
                              guint                 tensor)
{
  return product->shader.is_inner_adjacent[tensor] && ghlo_gpu_n_planes (product) == 1
         && ghlo_gpu_plane_steps (product) <= LONGEST_ROW;
}

/* Computes the power of two that elements are multiplied by, the inverse of the factor, in a temporary. The factor is
 * computed from the temporaries @magnitudes, or loaded from memory if these are NULL. */
static guint
add_power (const Axes  *self,
           const guint *magnitudes)
{
  GhloKernelBuilder *builder = self->builder;
  guint temporary = ghlo_kernel_add_temporary (builder, "power", GHLO_ELEMENT_TYPE_F32, 0), factor, power;

  ghlo_kernel_begin_points (builder, 0);
  factor = magnitudes != NULL ? find_factor (self, magnitudes)
                              : ghlo_kernel_add_load (builder, GHLO_ELEMENT_TYPE_UI32, 1, GHLO_KERNEL_NONE);
  power = add_node (builder, GHLO_NODE_SUBTRACT, add_u32 (builder, 2u * BIAS << MANTISSA), factor);
  power = ghlo_kernel_add_node (builder, GHLO_NODE_BITCAST, GHLO_ELEMENT_TYPE_F32, power, GHLO_KERNEL_NONE,
                                GHLO_KERNEL_NONE);
  ghlo_kernel_keep (builder, power, temporary);
  ghlo_kernel_end_block (builder);

  return temporary;
}

/* Adds a block over the points of @axes that computes the planes. @power is the temporary that elements are multiplied
 * by. */
static void
add_planes (const Axes *self,
            guint       axes,
            guint       power)
{
  const GhloElementType f16 = GHLO_ELEMENT_TYPE_F16, f32 = GHLO_ELEMENT_TYPE_F32;
  GhloKernelBuilder *builder = self->builder;
  const guint n_planes = ghlo_gpu_n_planes (self->product);
  guint number, plane;

  ghlo_kernel_begin_points (builder, axes);
  number = ghlo_kernel_add_load (builder, GHLO_ELEMENT_TYPE_UI32, 0, GHLO_KERNEL_NONE);
  number = ghlo_kernel_add_node (builder, GHLO_NODE_BITCAST, f32, number, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE);
  number = ghlo_kernel_add_node (builder, GHLO_NODE_MULTIPLY, f32, number,
                                 ghlo_kernel_add_leaf (builder, GHLO_NODE_TEMPORARY, f32, power), GHLO_KERNEL_NONE);
  for (guint i = 0; i < n_planes; i++)
    {
      plane = ghlo_kernel_add_element (builder, f16, number, f32);
      ghlo_kernel_store (builder, plane, 2 + i);
      if (i + 1 < n_planes)
        number = ghlo_kernel_add_node (builder, GHLO_NODE_SUBTRACT, f32, number,
                                       ghlo_kernel_add_number (builder, f16, plane, f32), GHLO_KERNEL_NONE);
    }
  ghlo_kernel_end_block (builder);
}

/* Adds an axis of @n times @step steps of k, whose planes are @plane bytes apart. If planes have more steps than the
 * operand, the operand is addressed through the term. */
static guint
add_inner (Axes           *self,
           gint64          n,
           gint64          step,
           gint64          plane,
           gboolean        is_parallel,
           GhloKernelTerm *term)
{
  const gint64 stride = term->end == ghlo_gpu_plane_steps (self->product) ? term->stride : 0;

  term->strides[self->n_axes] = step;

  return add_axis (self, n, step * stride, 0, plane, is_parallel);
}

/* Adds the axes of the kernel that computes planes. Returns the axis that is not parallel, or GHLO_KERNEL_NONE. */
static guint
add_plane_axes (Axes           *self,
                GhloKernelTerm *term)
{
  const GhloGpuProduct *product = self->product;
  const gint64 size = (gint64) sizeof (float), n = ghlo_gpu_plane_steps (product);
  const gboolean is_adjacent = product->shader.is_inner_adjacent[self->tensor];
  gint64 inner, outer, batch, matrix;
  guint axis;

  ghlo_gpu_plane_strides (product, self->tensor, &inner, &outer, &batch);
  matrix = GHLO_SPIRV_MATRIX * ghlo_gpu_n_planes (product) * inner;
  add_role (self, GHLO_SPIRV_BATCH, product->counts[self->outer] * size, batch);
  if (!is_adjacent)
    add_inner (self, n / GHLO_SPIRV_MATRIX, GHLO_SPIRV_MATRIX, matrix, TRUE, term);
  add_role (self, self->outer, size, outer);
  if (ghlo_gpu_plane_finds_factors (product, self->tensor))
    return add_inner (self, n, 1, inner, FALSE, term);
  if (is_adjacent)
    add_inner (self, n / GHLO_SPIRV_MATRIX, GHLO_SPIRV_MATRIX, matrix, TRUE, term);
  axis = add_inner (self, GHLO_SPIRV_MATRIX, 1, inner, is_adjacent, term);

  return is_adjacent ? GHLO_KERNEL_NONE : axis;
}

GhloKernel *
ghlo_gpu_plane_planes (const GhloGpuProduct    *product,
                       guint                    tensor,
                       const GhloGpuPlanesSide *side)
{
  const gboolean finds_factors = ghlo_gpu_plane_finds_factors (product, tensor);
  GhloKernelTerm term = { .node = GHLO_KERNEL_NONE, .step = 1, .end = product->counts[GHLO_SPIRV_INNER],
                          .stride = product->dimensions[GHLO_SPIRV_INNER][0].strides[tensor] };
  guint axis, temporaries[2];
  Axes axes;

  begin_axes (&axes, product, tensor, "planes");
  axis = add_plane_axes (&axes, &term);
  add_operand (&axes, &term);
  ghlo_kernel_add_buffer (axes.builder, "factors", (gint64) side->factors_size, finds_factors);
  for (guint i = 0; i < ghlo_gpu_n_planes (product); i++)
    ghlo_kernel_add_buffer (axes.builder, i == 0 ? "high" : "low", (gint64) (side->planes_size - i * side->low_at),
                            TRUE);
  ghlo_kernel_add_access (axes.builder, 1, GHLO_ELEMENT_TYPE_UI32, 0, axes.factors);
  for (guint i = 0; i < ghlo_gpu_n_planes (product); i++)
    ghlo_kernel_add_access (axes.builder, 2 + i, GHLO_ELEMENT_TYPE_UI16, 0, axes.planes);
  if (finds_factors)
    add_factors (&axes, axis, ghlo_gpu_plane_steps (product), temporaries);
  add_planes (&axes, axis != GHLO_KERNEL_NONE ? 1u << axis : 0, add_power (&axes, finds_factors ? temporaries : NULL));

  return ghlo_kernel_builder_end (axes.builder, NULL);
}

/* Adds a fold over @axis that finds the largest factor of one operand. */
static guint
add_greatest (GhloKernelBuilder *builder,
              guint              axis,
              gint64             n)
{
  static const char *const names[] = { "most_rows", "most_columns" };
  guint temporary, fold;

  ghlo_kernel_begin_points (builder, 1u << axis);
  ghlo_kernel_set_order (builder, count_chains (n), 0);
  fold = begin_fold (builder, names[axis], 0, &temporary);
  update_fold (builder, fold, GHLO_NODE_MAXIMUM,
               ghlo_kernel_add_load (builder, GHLO_ELEMENT_TYPE_UI32, axis, GHLO_KERNEL_NONE));
  ghlo_kernel_begin_merge (builder);
  merge_fold (builder, fold, GHLO_NODE_MAXIMUM);
  ghlo_kernel_end_block (builder);

  return temporary;
}

/* Tests whether any factor of either operand is NOT_HELD, which is larger than all others. */
GhloKernel *
ghlo_gpu_plane_flag (const GhloGpuPlanesSide *sides)
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
