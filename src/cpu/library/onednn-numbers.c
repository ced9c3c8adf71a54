/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The types and numbers that oneDNN is given: each number is checked against the range in which its kernels compute.
 */

#include "cpu/library/onednn-private.h"

dnnl_data_type_t
ghlo_cpu_onednn_type (GhloElementType type)
{
  switch (type)
    {
    case GHLO_ELEMENT_TYPE_F32: return dnnl_f32;
    case GHLO_ELEMENT_TYPE_BF16: return dnnl_bf16;
    case GHLO_ELEMENT_TYPE_I8: return dnnl_s8;
    case GHLO_ELEMENT_TYPE_UI8: return dnnl_u8;
    case GHLO_ELEMENT_TYPE_I32: return dnnl_s32;
    default: return dnnl_data_type_undef;
    }
}

GhloElementType
ghlo_cpu_onednn_byte_type (GhloElementType type,
                           gboolean        must_be_signed)
{
  switch (type)
    {
    case GHLO_ELEMENT_TYPE_I1:
    case GHLO_ELEMENT_TYPE_I2:
    case GHLO_ELEMENT_TYPE_I4:
    case GHLO_ELEMENT_TYPE_I8:
    case GHLO_ELEMENT_TYPE_UI2:
    case GHLO_ELEMENT_TYPE_UI4:
      return GHLO_ELEMENT_TYPE_I8;
    case GHLO_ELEMENT_TYPE_UI8:
      return must_be_signed ? GHLO_ELEMENT_TYPE_INVALID : GHLO_ELEMENT_TYPE_UI8;
    default:
      return GHLO_ELEMENT_TYPE_INVALID;
    }
}

gboolean
ghlo_cpu_onednn_set_numbers (dnnl_dims_t   to,
                             const gint64 *numbers,
                             guint         n)
{
  for (guint i = 0; i < n; i++)
    {
      if (!ghlo_cpu_onednn_fits (numbers[i]))
        return FALSE;
      to[i] = numbers[i];
    }

  return TRUE;
}

gboolean
ghlo_cpu_onednn_multiply (gint64 *product,
                          gint64  factor)
{
  return !__builtin_mul_overflow (*product, factor, product) && ghlo_cpu_onednn_fits (*product);
}

gboolean
ghlo_cpu_onednn_describe (dnnl_memory_desc_t *layout,
                          const gint64       *dimensions,
                          guint               rank,
                          dnnl_data_type_t    type,
                          dnnl_format_tag_t   tag)
{
  dnnl_dims_t sizes;

  return ghlo_cpu_onednn_set_numbers (sizes, dimensions, rank)
         && ghlo_cpu_dnnl.memory_desc_init_by_tag (layout, (int) rank, sizes, type, tag) == dnnl_success;
}

gboolean
ghlo_cpu_onednn_describe_strided (dnnl_memory_desc_t *layout,
                                  const gint64       *dimensions,
                                  guint               rank,
                                  dnnl_data_type_t    type,
                                  const gint64       *strides)
{
  dnnl_dims_t sizes, steps;

  return ghlo_cpu_onednn_set_numbers (sizes, dimensions, rank) && ghlo_cpu_onednn_set_numbers (steps, strides, rank)
         && ghlo_cpu_dnnl.memory_desc_init_by_strides (layout, (int) rank, sizes, type, steps) == dnnl_success;
}
