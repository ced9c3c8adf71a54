/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Convolutions by oneDNN. Its im2col implementation ("gemm") is refused, since ours reads any layout and is faster.
 */

#include "cpu/library/onednn-private.h"

#include <string.h>

/* Indices of the memories of a convolution's primitive. */
enum { SOURCE, WEIGHTS = GHLO_CPU_PRIMITIVE_WEIGHTS, RESULT, N_MEMORIES };

/* The window in oneDNN's terms: dilates of 0 mean no dilation. */
typedef struct
{
  dnnl_dims_t strides, dilates, low, high;
} Window;

static const int arguments[][N_MEMORIES] = {
  [GHLO_CPU_FORWARD] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST },
  [GHLO_CPU_BACKWARD_DATA] = { DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST },
  [GHLO_CPU_BACKWARD_WEIGHTS] = { DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST },
};

/* Describes a tensor [images, features, spatial …] in channels-last order. */
static gboolean
describe_tensor (dnnl_memory_desc_t            *layout,
                 const GhloCpuConvolutionShape *shape,
                 GhloElementType                type,
                 gint64                         features,
                 const gint64                  *spatial)
{
  static const dnnl_format_tag_t tags[] = { dnnl_nwc, dnnl_nhwc, dnnl_ndhwc };
  gint64 dimensions[2 + GHLO_CPU_MAX_SPATIAL] = { shape->images, features };

  g_assert (shape->n_spatial > 0 && shape->n_spatial <= G_N_ELEMENTS (tags));
  memcpy (dimensions + 2, spatial, shape->n_spatial * sizeof (gint64));

  return ghlo_cpu_onednn_describe (layout, dimensions, shape->n_spatial + 2, ghlo_cpu_onednn_type (type),
                                   tags[shape->n_spatial - 1]);
}

/* Fills in [group (if there are several), result feature, source feature, spatial …]; returns the rank. */
static guint
find_weights (const GhloCpuConvolutionShape *shape,
              dnnl_dims_t                    dimensions)
{
  guint n = 0;

  if (shape->groups > 1)
    dimensions[n++] = shape->groups;
  dimensions[n++] = shape->result_features / shape->groups;
  dimensions[n++] = shape->source_features / shape->groups;
  for (guint i = 0; i < shape->n_spatial; i++)
    dimensions[n++] = shape->kernel[i];

  return n;
}

/* Padding behind the source. Where the last positions of the source are not reached, but are fewer than a stride, it
 * is 0. */
static gint64
find_high (const GhloCpuConvolutionShape *shape,
           guint                          i)
{
  gint64 reach = (shape->kernel[i] - 1) * shape->dilation[i] + 1;
  gint64 high = (shape->result[i] - 1) * shape->strides[i] + reach - shape->source[i] - shape->low[i];

  return high < 0 && -high < shape->strides[i] ? 0 : high;
}

/* Finds the numbers of the window; FALSE where one of them does not fit. Those that are given are checked before any is
 * computed from them. */
static gboolean
find_window (const GhloCpuConvolutionShape *shape,
             Window                        *window)
{
  guint n = shape->n_spatial;
  gint64 dilates[GHLO_CPU_MAX_SPATIAL], high[GHLO_CPU_MAX_SPATIAL];

  for (guint i = 0; i < n; i++)
    {
      if (!ghlo_cpu_onednn_fits (shape->source[i]) || !ghlo_cpu_onednn_fits (shape->kernel[i])
          || !ghlo_cpu_onednn_fits (shape->result[i]) || !ghlo_cpu_onednn_fits (shape->dilation[i]))
        return FALSE;
      dilates[i] = shape->dilation[i] - 1;
    }
  if (!ghlo_cpu_onednn_set_numbers (window->strides, shape->strides, n)
      || !ghlo_cpu_onednn_set_numbers (window->dilates, dilates, n)
      || !ghlo_cpu_onednn_set_numbers (window->low, shape->low, n))
    return FALSE;
  for (guint i = 0; i < n; i++)
    high[i] = find_high (shape, i);

  return ghlo_cpu_onednn_set_numbers (window->high, high, n);
}

/* oneDNN also computes the bytes of each tensor, with padding. */
static gboolean
check_sizes (const GhloCpuConvolutionShape *shape,
             const Window                  *window)
{
  gint64 source = ghlo_element_info (shape->source_type)->size;
  gint64 weights = ghlo_element_info (shape->weights_type)->size;
  gint64 result = ghlo_element_info (shape->result_type)->size;

  if (!ghlo_cpu_onednn_multiply (&source, shape->images) || !ghlo_cpu_onednn_multiply (&source, shape->source_features)
      || !ghlo_cpu_onednn_multiply (&weights, shape->source_features / shape->groups)
      || !ghlo_cpu_onednn_multiply (&weights, shape->result_features)
      || !ghlo_cpu_onednn_multiply (&result, shape->images)
      || !ghlo_cpu_onednn_multiply (&result, shape->result_features))
    return FALSE;
  for (guint i = 0; i < shape->n_spatial; i++)
    if (!ghlo_cpu_onednn_multiply (&source, window->low[i] + shape->source[i] + window->high[i])
        || !ghlo_cpu_onednn_multiply (&weights, shape->kernel[i])
        || !ghlo_cpu_onednn_multiply (&result, shape->result[i]))
      return FALSE;

  return TRUE;
}

static gboolean
describe (const GhloCpuConvolutionShape *shape,
          const GhloCpuPrimitive        *like,
          dnnl_convolution_desc_t       *description)
{
  const GhloCpuDnnl *dnnl = &ghlo_cpu_dnnl;
  dnnl_memory_desc_t source, weights, result;
  dnnl_dims_t dimensions;
  guint n = find_weights (shape, dimensions);
  Window w;

  if (!find_window (shape, &w) || !check_sizes (shape, &w))
    return FALSE;
  if (!describe_tensor (&source, shape, shape->source_type, shape->source_features, shape->source)
      || !describe_tensor (&result, shape, shape->result_type, shape->result_features, shape->result))
    return FALSE;
  if (like != NULL)
    weights = like->memories[WEIGHTS].layout;
  else if (!ghlo_cpu_onednn_describe (&weights, dimensions, n, ghlo_cpu_onednn_type (shape->weights_type),
                                      dnnl_format_tag_any))
    return FALSE;

  switch (shape->direction)
    {
    case GHLO_CPU_BACKWARD_DATA:
      return dnnl->dilated_convolution_backward_data_desc_init (description, dnnl_convolution_direct, &source, &weights,
                                                                &result, w.strides, w.dilates, w.low, w.high)
             == dnnl_success;
    case GHLO_CPU_BACKWARD_WEIGHTS:
      return dnnl->dilated_convolution_backward_weights_desc_init (description, dnnl_convolution_direct, &source,
                                                                   &weights, NULL, &result, w.strides, w.dilates,
                                                                   w.low, w.high) == dnnl_success;
    default:
      return dnnl->dilated_convolution_forward_desc_init (description, dnnl_forward_inference, dnnl_convolution_direct,
                                                          &source, &weights, NULL, &result, w.strides, w.dilates,
                                                          w.low, w.high) == dnnl_success;
    }
}

GhloCpuPrimitive *
ghlo_cpu_onednn_convolution (const GhloCpuConvolutionShape *shape,
                             const GhloCpuPrimitive        *like)
{
  g_autoptr (GhloCpuPrimitive) primitive = NULL;
  dnnl_convolution_desc_t description;

  if (!ghlo_cpu_onednn_available ()
      || (ghlo_element_type_is_integer (shape->source_type) && !ghlo_cpu_onednn_has_integers ())
      || !describe (shape, like, &description))
    return NULL;
  primitive = ghlo_cpu_primitive_get (&description, sizeof (description), arguments[shape->direction], N_MEMORIES);
  if (primitive == NULL || strstr (primitive->name, "gemm") != NULL)
    return NULL;

  return g_steal_pointer (&primitive);
}

gboolean
ghlo_cpu_onednn_run_convolution (GhloCpuPrimitive *self,
                                 gconstpointer     source,
                                 gconstpointer     weights,
                                 gconstpointer     result,
                                 gpointer          scratch,
                                 GError          **error)
{
  return ghlo_cpu_primitive_run (self, (gpointer const[]) { (gpointer) source, (gpointer) weights, (gpointer) result },
                                 scratch, error);
}

GhloCpuPrimitive *
ghlo_cpu_onednn_reorder_weights (const GhloCpuPrimitive        *self,
                                 const GhloCpuConvolutionShape *shape,
                                 const gint64                  *strides,
                                 gint64                         begin,
                                 gint64                         end,
                                 gboolean                       back)
{
  const dnnl_memory_desc_t *layout = &self->memories[WEIGHTS].layout;
  dnnl_memory_desc_t whole, plain, own = *layout;
  dnnl_dims_t dimensions, offsets = { 0 };
  guint n = find_weights (shape, dimensions), features = shape->groups > 1;
  gboolean is_part = end - begin < dimensions[features];

  if (!ghlo_cpu_onednn_describe_strided (&whole, dimensions, n, ghlo_cpu_onednn_type (shape->weights_type),
                                         strides + (shape->groups > 1 ? 0 : 1)))
    return NULL;
  plain = whole;
  offsets[features] = begin;
  dimensions[features] = end - begin;
  /* Sums of the weights of bytes, where the processor needs them, are behind all weights: a part has no place for its
   * own. */
  if (is_part
      && (layout->extra.flags != dnnl_memory_extra_flag_none
          || ghlo_cpu_dnnl.memory_desc_init_submemory (&own, layout, dimensions, offsets) != dnnl_success
          || ghlo_cpu_dnnl.memory_desc_init_submemory (&plain, &whole, dimensions, offsets)
             != dnnl_success))
    return NULL;

  return back ? ghlo_cpu_primitive_get_reorder (&own, &plain) : ghlo_cpu_primitive_get_reorder (&plain, &own);
}

gboolean
ghlo_cpu_onednn_run_reorder (GhloCpuPrimitive *self,
                             gconstpointer     from,
                             gpointer          to,
                             gpointer          scratch,
                             GError          **error)
{
  return ghlo_cpu_primitive_run (self, (gpointer const[]) { (gpointer) from, to }, scratch, error);
}
