/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The numbers that oneDNN is given: each is checked against the range in which its kernels compute.
 */

#include "cpu/library/onednn-private.h"

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
