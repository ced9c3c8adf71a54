/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of element types that elementwise loops compute with.
 */

#include "cpu/elementwise/compute-type.h"

static const GhloCpuComputeType types[] = {
  { GHLO_ELEMENT_TYPE_I1, GHLO_CPU_NUMBER_I1, .name = "booleans" },
  { GHLO_ELEMENT_TYPE_I8, GHLO_CPU_NUMBER_S8, .name = "i8" },
  { GHLO_ELEMENT_TYPE_I16, GHLO_CPU_NUMBER_S16, .name = "i16" },
  { GHLO_ELEMENT_TYPE_I32, GHLO_CPU_NUMBER_S32, .name = "i32" },
  { GHLO_ELEMENT_TYPE_I64, GHLO_CPU_NUMBER_S64, .name = "i64" },
  { GHLO_ELEMENT_TYPE_INDEX, GHLO_CPU_NUMBER_S64, .name = "i64" },
  { GHLO_ELEMENT_TYPE_UI8, GHLO_CPU_NUMBER_U8, .name = "ui8" },
  { GHLO_ELEMENT_TYPE_UI16, GHLO_CPU_NUMBER_U16, .name = "ui16" },
  { GHLO_ELEMENT_TYPE_UI32, GHLO_CPU_NUMBER_U32, .name = "ui32" },
  { GHLO_ELEMENT_TYPE_UI64, GHLO_CPU_NUMBER_U64, .name = "ui64" },
  { GHLO_ELEMENT_TYPE_BF16, GHLO_CPU_NUMBER_F32, TRUE, GHLO_CPU_BF16_TO_F32, GHLO_CPU_F32_TO_BF16, "f32" },
  { GHLO_ELEMENT_TYPE_F16, GHLO_CPU_NUMBER_F32, TRUE, GHLO_CPU_F16_TO_F32, GHLO_CPU_F32_TO_F16, "f32" },
  { GHLO_ELEMENT_TYPE_F32, GHLO_CPU_NUMBER_F32, .name = "f32" },
  { GHLO_ELEMENT_TYPE_F64, GHLO_CPU_NUMBER_F64, .name = "f64" },
  { GHLO_ELEMENT_TYPE_COMPLEX_F32, GHLO_CPU_NUMBER_C64, .name = "complex<f32>" },
  { GHLO_ELEMENT_TYPE_COMPLEX_F64, GHLO_CPU_NUMBER_C128, .name = "complex<f64>" },
};

const GhloCpuComputeType *
ghlo_cpu_compute_type (GhloElementType type)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (types[i].type == type)
      return &types[i];

  return NULL;
}

const GhloCpuComputeType *
ghlo_cpu_compute_type_bits (guint size)
{
  static const GhloCpuComputeType bits[] = {
    [1] = { .number = GHLO_CPU_NUMBER_U8, .name = "8 bits" },
    [2] = { .number = GHLO_CPU_NUMBER_U16, .name = "16 bits" },
    [4] = { .number = GHLO_CPU_NUMBER_U32, .name = "32 bits" },
    [8] = { .number = GHLO_CPU_NUMBER_U64, .name = "64 bits" },
    [16] = { .number = GHLO_CPU_NUMBER_C128, .name = "128 bits" },
  };

  return &bits[size];
}

GhloCpuElementwiseFunc
ghlo_cpu_compute_type_loop (const GhloCpuComputeType *self,
                            GhloScalarKind            kind)
{
  GhloElementClass element_class = ghlo_element_info (self->type)->element_class;
  const GhloCpuElementwiseRoutines *routines = ghlo_cpu_elementwise_routines ();
  const GhloCpuElementwiseFunc *functions = routines->functions[self->number];
  GhloNodeKind node;

  if (!ghlo_scalar_is_defined (kind, element_class))
    return NULL;
  node = ghlo_scalar_node (kind, element_class);
  if (functions != NULL && node != GHLO_N_NODES && functions[node] != NULL)
    return functions[node];

  return routines->loops[self->number][ghlo_scalar_on (kind, element_class)];
}

gboolean
ghlo_cpu_has_loop (GhloScalarKind kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (ghlo_cpu_compute_type_loop (&types[i], kind) != NULL)
      return TRUE;

  return FALSE;
}
