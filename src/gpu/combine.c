/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Maps combiners to the kinds and element classes of the shaders.
 */

#include "gpu/combine.h"

static const guint32 kinds[GHLO_N_COMBINERS] = {
  [GHLO_COMBINER_NONE] = COMBINE_ASSIGN, [GHLO_COMBINER_ADD] = COMBINE_ADD,
  [GHLO_COMBINER_MULTIPLY] = COMBINE_MULTIPLY, [GHLO_COMBINER_MINIMUM] = COMBINE_MINIMUM,
  [GHLO_COMBINER_MAXIMUM] = COMBINE_MAXIMUM, [GHLO_COMBINER_AND] = COMBINE_AND, [GHLO_COMBINER_OR] = COMBINE_OR,
  [GHLO_COMBINER_XOR] = COMBINE_XOR,
};

gboolean
ghlo_gpu_combine_calculates (const GhloGpuCombine *self)
{
  return self->class >= COMBINE_IEEE && (self->kind == COMBINE_ADD || self->kind == COMBINE_MULTIPLY);
}

const char *
ghlo_gpu_combine_init (GhloGpuCombine      *self,
                       const GhloGpuDevice *device,
                       GhloCombiner         combiner,
                       GhloElementType      type)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  const guint64 *nearly = device->measured.nearly;

  *self = (GhloGpuCombine) { .size = info->size, .kind = kinds[combiner], .class = COMBINE_UNSIGNED };
  if (info->element_class == GHLO_ELEMENT_CLASS_FLOAT)
    self->class = type == GHLO_ELEMENT_TYPE_BF16 ? COMBINE_BF16 : COMBINE_IEEE;
  else if (info->element_class == GHLO_ELEMENT_CLASS_SIGNED)
    self->class = COMBINE_SIGNED;
  if (self->kind == COMBINE_ASSIGN || type == GHLO_ELEMENT_TYPE_I1)
    return NULL;
  if (info->bits != 8 * info->size || info->element_class == GHLO_ELEMENT_CLASS_COMPLEX
      || (info->element_class == GHLO_ELEMENT_CLASS_FLOAT && info->size == 1))
    return "no shader combines its element type";
  /* Floats narrower than f32 are combined as f32. */
  if (ghlo_gpu_combine_calculates (self)
      && !((nearly[GHLO_NODE_ADD] & nearly[GHLO_NODE_MULTIPLY])
           >> (info->size == 8 ? GHLO_ELEMENT_TYPE_F64 : GHLO_ELEMENT_TYPE_F32) & 1))
    return "the device does not compute it with the required accuracy";

  return NULL;
}
