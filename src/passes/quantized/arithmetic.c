/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Quantization and dequantization as operations on integers and floats, with the bits of the reference executor: each
 * of its roundings is the rounding of one operation here.
 */

#include "passes/quantized/quantized.h"

#include "passes/constant.h"
#include "passes/expand/build.h"

/* The widths of storage types whose differences f32 holds, and the range of scales with which no product overflows or
 * loses bits. */
enum { NARROW_BITS = 16 };
#define LEAST_SCALE    0x1p-100
#define GREATEST_SCALE 0x1p+100

gboolean
ghlo_quantized_is_supported (const GhloIrType *type)
{
  const GhloQuantization *quantization = type->quantization;
  gint64 least, greatest;

  if (type->kind != GHLO_IR_TYPE_TENSOR || type->encoding != NULL || type->bounds != NULL
      || !ghlo_ir_type_has_static_shape (type) || quantization->n_scales == 0)
    return FALSE;
  ghlo_quantization_get_range (quantization->storage, &least, &greatest);
  for (guint i = 0; i < quantization->n_scales; i++)
    if (quantization->zero_points[i] < least || quantization->zero_points[i] > greatest)
      return FALSE;

  return TRUE;
}

const GhloIrType *
ghlo_quantized_get_stored (GhloRewriter     *self,
                           const GhloIrType *type)
{
  return ghlo_make_type_of (self, type->quantization->storage, type);
}

gboolean
ghlo_quantized_is_exact (const GhloQuantization *quantization)
{
  for (guint i = 0; i < quantization->n_scales; i++)
    if (quantization->scales[i] < LEAST_SCALE || quantization->scales[i] > GREATEST_SCALE)
      return FALSE;

  return ghlo_element_info (quantization->storage)->bits <= NARROW_BITS
         && ghlo_expand_wide (quantization->expressed) == quantization->expressed;
}

gboolean
ghlo_quantized_has_zero_points (const GhloQuantization *quantization)
{
  for (guint i = 0; i < quantization->n_scales; i++)
    if (quantization->zero_points[i] != 0)
      return TRUE;

  return FALSE;
}

GhloIrValue *
ghlo_quantized_make_channels (GhloRewriter     *self,
                              const GhloIrType *type,
                              gint64            axis,
                              const double     *numbers,
                              guint             n)
{
  const GhloElementInfo *info = ghlo_element_info (type->element_type);
  const gint64 size = n;
  const GhloIrType *vector;
  guint8 *elements;
  guint i = 1;

  while (i < n && numbers[i] == numbers[0])
    i++;
  if (i == n)
    return ghlo_make_number (self, type, numbers[0]);

  vector = ghlo_make_type (self, type, &size, 1);
  elements = g_malloc_n (n, info->size);
  for (i = 0; i < n; i++)
    ghlo_element_store (type->element_type, elements + i * info->size,
                        info->element_class == GHLO_ELEMENT_CLASS_FLOAT ? (GhloScalar) { .f = numbers[i] }
                                                                        : (GhloScalar) { .i = (gint64) numbers[i] });

  return ghlo_make_broadcast (self, ghlo_make_constant (self, ghlo_ir_attr_dense (self->module, vector,
                                                                                  g_bytes_new_take (elements,
                                                                                                    n * info->size),
                                                                                  FALSE, NULL)),
                              &axis, type);
}

/* The zero points as elements of @type. */
static GhloIrValue *
make_zero_points (GhloRewriter           *self,
                  const GhloIrType       *type,
                  const GhloQuantization *quantization)
{
  g_autofree double *numbers = g_new (double, quantization->n_scales);

  for (guint i = 0; i < quantization->n_scales; i++)
    numbers[i] = (double) quantization->zero_points[i];

  return ghlo_quantized_make_channels (self, type, quantization->axis, numbers, quantization->n_scales);
}

GhloIrValue *
ghlo_quantized_shift (GhloRewriter           *self,
                      GhloIrValue            *stored,
                      const GhloQuantization *quantization,
                      GhloElementType         element_type)
{
  GhloIrValue *value = ghlo_make_convert (self, stored, element_type);

  if (!ghlo_quantized_has_zero_points (quantization))
    return value;

  return ghlo_make_binary (self, GHLO_OP_STABLEHLO_SUBTRACT, value, make_zero_points (self, value->type, quantization));
}

static GhloIrValue *
make_scales (GhloRewriter           *self,
             const GhloIrType       *type,
             const GhloQuantization *quantization)
{
  return ghlo_quantized_make_channels (self, type, quantization->axis, quantization->scales, quantization->n_scales);
}

/* The difference to the zero point is exact, and rounded once. */
GhloIrValue *
ghlo_quantized_dequantize (GhloRewriter           *self,
                           GhloIrValue            *stored,
                           const GhloQuantization *quantization)
{
  GhloElementType exact = ghlo_expand_wide (quantization->expressed);
  GhloIrValue *value = stored;

  if (exact == GHLO_ELEMENT_TYPE_F64 || ghlo_element_info (quantization->storage)->bits <= NARROW_BITS)
    value = ghlo_quantized_shift (self, value, quantization, exact);
  else if (ghlo_quantized_has_zero_points (quantization))
    value = ghlo_quantized_shift (self, value, quantization, GHLO_ELEMENT_TYPE_I64);
  value = ghlo_make_convert (self, value, quantization->expressed);

  return ghlo_make_binary (self, GHLO_OP_STABLEHLO_MULTIPLY, value, make_scales (self, value->type, quantization));
}

/* Conversions to integers saturate, and NaN becomes 0. */
GhloIrValue *
ghlo_quantized_quantize (GhloRewriter           *self,
                         GhloIrValue            *numbers,
                         const GhloQuantization *quantization)
{
  GhloIrValue *value = ghlo_make_convert (self, numbers, quantization->expressed);

  value = ghlo_make_binary (self, GHLO_OP_STABLEHLO_DIVIDE, value, make_scales (self, value->type, quantization));
  if (ghlo_quantized_has_zero_points (quantization))
    value = ghlo_make_binary (self, GHLO_OP_STABLEHLO_ADD, value, make_zero_points (self, value->type, quantization));
  value = ghlo_make_unary (self, GHLO_OP_STABLEHLO_ROUND_NEAREST_EVEN, value);
  value = ghlo_make_convert (self, value, quantization->storage);

  return ghlo_quantized_saturate (self, value, quantization);
}

GhloIrValue *
ghlo_quantized_saturate (GhloRewriter           *self,
                         GhloIrValue            *integers,
                         const GhloQuantization *quantization)
{
  gint64 least, greatest;

  ghlo_quantization_get_range (integers->type->element_type, &least, &greatest);
  if (quantization->storage_min > least)
    integers = ghlo_expand_with (self, GHLO_OP_STABLEHLO_MAXIMUM, integers, (double) quantization->storage_min);
  if (quantization->storage_max < greatest)
    integers = ghlo_expand_with (self, GHLO_OP_STABLEHLO_MINIMUM, integers, (double) quantization->storage_max);

  return ghlo_make_convert (self, integers, quantization->storage);
}
