/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A convolution as a product: rows are the positions of the window in all images, columns are output features, and k is
 * the elements of the window times input features. Groups are batches. If a window may extend beyond the image or fall
 * between its elements, the image gets a window in the sense of the shader (GhloSpirvProductWindow).
 */

#include "gpu/product/reading.h"

#include "base/sizes.h"
#include "ir/window.h"

/* A spatial dimension. */
typedef struct
{
  gint64   image, window, output;               /* sizes */
  gint64   step, low, image_dilation, window_dilation;
  gint64   lhs, rhs, result;                    /* strides */
  guint    number;                              /* index of the shader's window; GHLO_SPIRV_MAX_WINDOWS: none */
} Spatial;

typedef struct
{
  GhloGpuProduct        *product;
  const GhloStepRequest *request;
  const GhloIrAttr      *numbers;
  guint                  n_spatial;
  gboolean               is_dilated;
  GhloIrWindow           window;
  Spatial                spatial[GHLO_MAX_RANK];
} Reader;

static gint64
get_number (const Reader *self,
            const char   *field)
{
  return ghlo_ir_struct_get_int (self->numbers, field);
}

static gint64
get_place (const Reader *self,
           const char   *field,
           guint         i)
{
  gsize n;

  return ghlo_ir_struct_get_dims (self->numbers, field, &n)[i];
}

/* Whether positions fit into 31 bits, and their distances in bytes into 62. */
static gboolean
has_reach (const Spatial         *self,
           const GhloIrWindowDim *window)
{
  const gint64 reach = (self->output - 1) * self->step + (self->window - 1) * self->window_dilation;

  return reach <= G_MAXINT32 && self->image * self->image_dilation <= G_MAXINT32
         && self->low >= -G_MAXINT32 && self->low <= G_MAXINT32 && reach - self->low <= G_MAXINT32
         && ghlo_ir_window_fits_bytes (window, self->lhs);
}

/* Whether the window always covers existing elements only. */
static gboolean
is_inside (const Spatial *self)
{
  return self->image_dilation == 1 && self->low <= 0
         && (self->output - 1) * self->step + (self->window - 1) * self->window_dilation - self->low < self->image;
}

static gboolean
read_spatial (Reader *self,
              guint   i)
{
  const GhloIrWindowDim *window = &self->window.dims[i];
  const GhloView *lhs = &self->request->operands[0], *rhs = &self->request->operands[1];
  const GhloView *result = &self->request->results[0];
  const gint64 l = get_place (self, "input_spatial_dimensions", i);
  const gint64 r = get_place (self, "kernel_spatial_dimensions", i);
  const gint64 o = get_place (self, "output_spatial_dimensions", i);
  Spatial *spatial = &self->spatial[i];

  *spatial = (Spatial) {
    .image = window->input, .window = window->size, .output = window->output,
    .step = window->stride, .low = window->padding_low,
    .image_dilation = window->base_dilation, .window_dilation = window->window_dilation,
    .lhs = lhs->strides[l], .rhs = rhs->strides[r], .result = result->strides[o], .number = GHLO_SPIRV_MAX_WINDOWS,
  };
  if (window->is_reversed && spatial->window > 0)
    {
      self->product->starts[GHLO_SPIRV_RHS] += (spatial->window - 1) * spatial->rhs;
      spatial->rhs = -spatial->rhs;
    }
  self->is_dilated = self->is_dilated || spatial->image_dilation > 1;

  return has_reach (spatial, window);
}

/* Assigns windows to the dimensions that need one. Returns FALSE if there are too many. */
static gboolean
add_windows (Reader *self)
{
  GhloGpuProduct *product = self->product;

  product->shader.is_dilated = self->is_dilated;
  product->shader.windowed = GHLO_SPIRV_LHS;
  for (guint i = 0; i < self->n_spatial; i++)
    {
      Spatial *spatial = &self->spatial[i];

      /* If any dimension is dilated, addresses are computed from the positions in all windows. */
      if (!self->is_dilated)
        product->starts[GHLO_SPIRV_LHS] -= spatial->low * spatial->lhs;
      if (is_inside (spatial) && !self->is_dilated)
        continue;
      if (product->shader.n_windows == GHLO_SPIRV_MAX_WINDOWS)
        return FALSE;
      spatial->number = product->shader.n_windows++;
      product->windows[spatial->number] = (GhloSpirvProductWindow) {
        .low = (guint32) spatial->low, .dilation = (guint64) spatial->image_dilation, .stride = spatial->lhs,
        .extent = spatial->image > 0 ? (guint64) ((spatial->image - 1) * spatial->image_dilation + 1) : 0,
      };
      if (self->is_dilated)
        spatial->lhs = 0;
    }

  return TRUE;
}

static gboolean
append (Reader        *self,
        GhloSpirvRole  role,
        gint64         size,
        gint64         lhs,
        gint64         rhs,
        gint64         result)
{
  const GhloSpirvProductDimension dimension = { (guint64) size, { lhs, rhs, result } };

  return ghlo_gpu_product_append (self->product, role, &dimension);
}

/* Appends the positions of the window or the elements of the window, which are @each apart. */
static gboolean
append_spatial (Reader        *self,
                GhloSpirvRole  role,
                const Spatial *spatial)
{
  const gint64 each = role == GHLO_SPIRV_ROWS ? spatial->step : spatial->window_dilation;
  GhloSpirvProductDimension dimension = {
    (guint64) (role == GHLO_SPIRV_ROWS ? spatial->output : spatial->window),
    { each * spatial->lhs, role == GHLO_SPIRV_INNER ? spatial->rhs : 0, role == GHLO_SPIRV_ROWS ? spatial->result : 0 },
  };

  if (spatial->number < GHLO_SPIRV_MAX_WINDOWS)
    dimension.strides[GHLO_SPIRV_N_TENSORS + spatial->number] = each;

  return ghlo_gpu_product_append (self->product, role, &dimension);
}

static gboolean
append_all (Reader *self)
{
  const GhloView *lhs = &self->request->operands[0], *rhs = &self->request->operands[1];
  const GhloView *result = &self->request->results[0];
  const gint64 feature_groups = ghlo_ir_op_get_int (self->request->op, "feature_group_count", 1);
  const gint64 batch_groups = ghlo_ir_op_get_int (self->request->op, "batch_group_count", 1);
  const gint64 in = get_number (self, "input_feature_dimension"), batch = get_number (self, "input_batch_dimension");
  const gint64 rhs_in = get_number (self, "kernel_input_feature_dimension");
  const gint64 rhs_out = get_number (self, "kernel_output_feature_dimension");
  const gint64 out = get_number (self, "output_feature_dimension");
  const gint64 images = get_number (self, "output_batch_dimension");
  const gint64 n_in = rhs->dimensions[rhs_in], n_images = result->dimensions[images];
  const gint64 n_out = result->dimensions[out] / (feature_groups * batch_groups);
  const gint64 rhs_group = n_out * rhs->strides[rhs_out], result_group = n_out * result->strides[out];
  const gint64 lhs_group = n_images * lhs->strides[batch];
  const gboolean are_images_adjacent = lhs->strides[batch] == (gint64) ghlo_element_info (lhs->element_type)->size;
  gboolean ok = append (self, GHLO_SPIRV_BATCH, feature_groups, n_in * lhs->strides[in], rhs_group, result_group)
                && append (self, GHLO_SPIRV_BATCH, batch_groups, lhs_group, rhs_group, result_group)
                && append (self, GHLO_SPIRV_COLUMNS, n_out, 0, rhs->strides[rhs_out], result->strides[out]);

  /* The dimension that is contiguous comes last. That is usually features, but images in gradients of weights. */
  for (guint turn = 0; ok && turn < 2; turn++)
    {
      if ((turn == 1) == are_images_adjacent)
        ok = append (self, GHLO_SPIRV_ROWS, n_images, lhs->strides[batch], 0, result->strides[images]);
      else
        for (guint i = 0; ok && i < self->n_spatial; i++)
          ok = append_spatial (self, GHLO_SPIRV_ROWS, &self->spatial[i]);
    }
  for (guint i = 0; ok && i < self->n_spatial; i++)
    ok = append_spatial (self, GHLO_SPIRV_INNER, &self->spatial[i]);

  return ok && append (self, GHLO_SPIRV_INNER, n_in, lhs->strides[in], rhs->strides[rhs_in], 0);
}

gboolean
ghlo_gpu_product_read_convolution (GhloGpuProduct        *self,
                                   const GhloStepRequest *request)
{
  g_autofree Reader *reader = g_new0 (Reader, 1);

  reader->product = self;
  reader->request = request;
  reader->numbers = ghlo_ir_op_get (request->op, "dimension_numbers");
  if (ghlo_ir_window_read (&reader->window, request->op) != NULL)
    return FALSE;
  reader->n_spatial = reader->window.rank;
  for (guint i = 0; i < reader->n_spatial; i++)
    if (!read_spatial (reader, i))
      return FALSE;

  return add_windows (reader) && append_all (reader);
}
