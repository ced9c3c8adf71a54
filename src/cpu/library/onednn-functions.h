/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The oneDNN functions that are called, by their names without "dnnl_". The library is opened when first needed, and
 * nothing links it: programs without products neither wait for it nor spend memory on it, and where it is not
 * installed, other code does its work.
 */

#pragma once

#include <oneapi/dnnl/dnnl.h>

#define GHLO_CPU_DNNL_FUNCTIONS(FUNCTION) \
  FUNCTION (dilated_convolution_backward_data_desc_init) \
  FUNCTION (dilated_convolution_backward_weights_desc_init) \
  FUNCTION (dilated_convolution_forward_desc_init) \
  FUNCTION (engine_create) \
  FUNCTION (get_effective_cpu_isa) \
  FUNCTION (matmul_desc_init) \
  FUNCTION (memory_create) \
  FUNCTION (memory_desc_get_size) \
  FUNCTION (memory_desc_init_by_strides) \
  FUNCTION (memory_desc_init_by_tag) \
  FUNCTION (memory_desc_init_submemory) \
  FUNCTION (memory_destroy) \
  FUNCTION (memory_set_data_handle) \
  FUNCTION (primitive_attr_create) \
  FUNCTION (primitive_attr_destroy) \
  FUNCTION (primitive_attr_set_scratchpad_mode) \
  FUNCTION (primitive_create) \
  FUNCTION (primitive_desc_create) \
  FUNCTION (primitive_desc_destroy) \
  FUNCTION (primitive_desc_iterator_create) \
  FUNCTION (primitive_desc_iterator_destroy) \
  FUNCTION (primitive_desc_iterator_fetch) \
  FUNCTION (primitive_desc_iterator_next) \
  FUNCTION (primitive_desc_query) \
  FUNCTION (primitive_desc_query_md) \
  FUNCTION (primitive_destroy) \
  FUNCTION (primitive_execute) \
  FUNCTION (reorder_primitive_desc_create) \
  FUNCTION (sgemm) \
  FUNCTION (stream_create) \
  FUNCTION (stream_destroy) \
  FUNCTION (version)

typedef struct
{
#define GHLO_CPU_DNNL_FIELD(name) __typeof__ (dnnl_##name) *name;
  GHLO_CPU_DNNL_FUNCTIONS (GHLO_CPU_DNNL_FIELD)
#undef GHLO_CPU_DNNL_FIELD
} GhloCpuDnnl;

/* Filled in once oneDNN turns out to be available. */
extern GhloCpuDnnl ghlo_cpu_dnnl;
