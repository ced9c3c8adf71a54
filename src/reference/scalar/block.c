/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loads and stores blocks of elements, and the arithmetic of quantization
 * (specification, "Quantization computations").
 */

#include "reference/scalar/block.h"

#include <math.h>
#include <string.h>

/* The format of a double. */
enum
{
  DOUBLE_MANTISSA_BITS = 52,
  DOUBLE_BIAS = 1023,
  DOUBLE_EXPONENT_MASK = 0x7ff,
};

/* Widens a normal number, whose encoding differs from that of a double only in the exponent bias and the
 * mantissa width. FALSE for other numbers and for formats without a mantissa. */
static inline gboolean
widen_normal (const GhloElementInfo *info,
              guint                  bits,
              double                *value)
{
  guint exponent = bits >> info->mantissa_bits & ((1u << info->exponent_bits) - 1);
  guint64 wide;

  if (info->mantissa_bits == 0 || exponent == 0 || exponent + 1 == 1u << info->exponent_bits)
    return FALSE;

  wide = (guint64) (bits >> (info->bits - 1)) << 63
         | (guint64) (exponent - info->bias + DOUBLE_BIAS) << DOUBLE_MANTISSA_BITS
         | (guint64) (bits & ((1u << info->mantissa_bits) - 1)) << (DOUBLE_MANTISSA_BITS - info->mantissa_bits);
  memcpy (value, &wide, sizeof *value);

  return TRUE;
}

/* The inverse, for values that the format represents exactly. */
static inline gboolean
narrow_normal (const GhloElementInfo *info,
               double                 value,
               guint                 *bits)
{
  guint64 wide;
  int exponent;

  memcpy (&wide, &value, sizeof wide);
  exponent = (int) (wide >> DOUBLE_MANTISSA_BITS & DOUBLE_EXPONENT_MASK) - DOUBLE_BIAS + info->bias;
  if (info->mantissa_bits == 0 || exponent < 1 || exponent + 1 >= 1 << info->exponent_bits)
    return FALSE;

  *bits = (guint) (wide >> 63) << (info->bits - 1) | (guint) exponent << info->mantissa_bits
          | (guint) (wide >> (DOUBLE_MANTISSA_BITS - info->mantissa_bits) & ((1u << info->mantissa_bits) - 1));

  return TRUE;
}

static void
load_narrow (GhloElementType  type,
             const guint8    *data,
             gsize            n,
             GhloScalar      *scalars,
             gsize            stride)
{
  const GhloElementInfo *info = ghlo_element_info (type);

  for (gsize i = 0; i < n; i++)
    {
      guint bits = info->size == 1 ? data[i] : ((const guint16 *) (gconstpointer) data)[i];

      if (!widen_normal (info, bits, &scalars[i * stride].f))
        scalars[i * stride] = ghlo_element_load (type, data + i * info->size);
    }
}

static void
store_narrow (GhloElementType   type,
              guint8           *data,
              gsize             n,
              const GhloScalar *scalars)
{
  const GhloElementInfo *info = ghlo_element_info (type);

  for (gsize i = 0; i < n; i++)
    {
      guint bits;

      if (!narrow_normal (info, scalars[i].f, &bits))
        ghlo_element_store (type, data + i * info->size, scalars[i]);
      else if (info->size == 1)
        data[i] = (guint8) bits;
      else
        ((guint16 *) (gpointer) data)[i] = (guint16) bits;
    }
}

#define LOAD(c_type, member) \
  { \
    const c_type *elements = (const c_type *) (gconstpointer) data; \
    for (gsize i = 0; i < n; i++) \
      scalars[i * stride].member = (__typeof__ (scalars->member)) elements[i]; \
    return; \
  }

#define STORE(c_type, member) \
  { \
    c_type *elements = (c_type *) (gpointer) data; \
    for (gsize i = 0; i < n; i++) \
      elements[i] = (c_type) scalars[i].member; \
    return; \
  }

void
ghlo_ref_load_block (GhloElementType  type,
                     const guint8    *data,
                     gsize            n,
                     GhloScalar      *scalars,
                     gsize            stride)
{
  gsize size = ghlo_element_info (type)->size;

  switch (type)
    {
    case GHLO_ELEMENT_TYPE_F32:
      LOAD (float, f)
    case GHLO_ELEMENT_TYPE_F64:
      LOAD (double, f)
    case GHLO_ELEMENT_TYPE_I2:
    case GHLO_ELEMENT_TYPE_I4:
    case GHLO_ELEMENT_TYPE_I8:
      LOAD (gint8, i)
    case GHLO_ELEMENT_TYPE_I16:
      LOAD (gint16, i)
    case GHLO_ELEMENT_TYPE_I32:
      LOAD (gint32, i)
    case GHLO_ELEMENT_TYPE_I64:
    case GHLO_ELEMENT_TYPE_INDEX:
      LOAD (gint64, i)
    case GHLO_ELEMENT_TYPE_UI2:
    case GHLO_ELEMENT_TYPE_UI4:
    case GHLO_ELEMENT_TYPE_UI8:
      LOAD (guint8, u)
    case GHLO_ELEMENT_TYPE_UI16:
      LOAD (guint16, u)
    case GHLO_ELEMENT_TYPE_UI32:
      LOAD (guint32, u)
    case GHLO_ELEMENT_TYPE_UI64:
      LOAD (guint64, u)
    default:
      if (ghlo_element_type_is_float (type))
        load_narrow (type, data, n, scalars, stride);
      else
        for (gsize i = 0; i < n; i++)
          scalars[i * stride] = ghlo_element_load (type, data + i * size);
    }
}

/* The scalars are already rounded and wrapped to the type. */
void
ghlo_ref_store_block (GhloElementType   type,
                      guint8           *data,
                      gsize             n,
                      const GhloScalar *scalars)
{
  gsize size = ghlo_element_info (type)->size;

  switch (type)
    {
    case GHLO_ELEMENT_TYPE_F32:
      STORE (float, f)
    case GHLO_ELEMENT_TYPE_F64:
      STORE (double, f)
    case GHLO_ELEMENT_TYPE_I1:
    case GHLO_ELEMENT_TYPE_I2:
    case GHLO_ELEMENT_TYPE_I4:
    case GHLO_ELEMENT_TYPE_I8:
      STORE (gint8, i)
    case GHLO_ELEMENT_TYPE_I16:
      STORE (gint16, i)
    case GHLO_ELEMENT_TYPE_I32:
      STORE (gint32, i)
    case GHLO_ELEMENT_TYPE_I64:
    case GHLO_ELEMENT_TYPE_INDEX:
      STORE (gint64, i)
    case GHLO_ELEMENT_TYPE_UI2:
    case GHLO_ELEMENT_TYPE_UI4:
    case GHLO_ELEMENT_TYPE_UI8:
      STORE (guint8, u)
    case GHLO_ELEMENT_TYPE_UI16:
      STORE (guint16, u)
    case GHLO_ELEMENT_TYPE_UI32:
      STORE (guint32, u)
    case GHLO_ELEMENT_TYPE_UI64:
      STORE (guint64, u)
    default:
      if (ghlo_element_type_is_float (type))
        store_narrow (type, data, n, scalars);
      else
        for (gsize i = 0; i < n; i++)
          ghlo_element_store (type, data + i * size, scalars[i]);
    }
}

GhloElementType
ghlo_ref_expressed_type (const GhloIrType *type)
{
  return type->quantization != NULL ? type->quantization->expressed : type->element_type;
}

gboolean
ghlo_ref_quantized_axis_init (GhloRefQuantizedAxis   *self,
                              const GhloQuantization *quantization,
                              const gint64           *dimensions,
                              guint                   rank)
{
  *self = (GhloRefQuantizedAxis) { quantization, 1, 1 };

  if (quantization == NULL || quantization->axis < 0)
    return quantization == NULL || quantization->n_scales == 1;
  if ((guint) quantization->axis >= rank || dimensions[quantization->axis] != quantization->n_scales)
    return FALSE;

  self->extent = MAX (quantization->n_scales, 1);
  for (guint d = quantization->axis + 1; d < rank; d++)
    self->inner *= (gsize) MAX (dimensions[d], 1);

  return TRUE;
}

static inline double
rounded (GhloElementType type,
         double          value)
{
  return ghlo_element_round (type, (GhloScalar) { .f = value }).f;
}

GhloScalar
ghlo_ref_scalar_dequantize (const GhloRefQuantizedAxis *axis,
                            gsize                       offset,
                            GhloScalar                  stored)
{
  const GhloQuantization *q = axis->quantization;
  gsize channel = offset / axis->inner % axis->extent;
  GhloElementClass element_class = ghlo_element_info (q->storage)->element_class;
  double scale = rounded (q->expressed, q->scales[channel]);
  /* The storage type has at most 32 bits, so the difference is exact. */
  double difference = element_class == GHLO_ELEMENT_CLASS_SIGNED ? (double) stored.i : (double) stored.u;

  difference = rounded (q->expressed, difference - (double) q->zero_points[channel]);

  return (GhloScalar) { .f = rounded (q->expressed, difference * scale) };
}

GhloScalar
ghlo_ref_scalar_quantize (const GhloRefQuantizedAxis *axis,
                          gsize                       offset,
                          GhloScalar                  real)
{
  const GhloQuantization *q = axis->quantization;
  gsize channel = offset / axis->inner % axis->extent;
  double scale = rounded (q->expressed, q->scales[channel]);
  double scaled = rounded (q->expressed, real.f / scale);
  double shifted = rounded (q->expressed, scaled + rounded (q->expressed, (double) q->zero_points[channel]));
  gint64 stored;

  if (isnan (shifted))
    stored = 0;
  else
    stored = (gint64) rint (CLAMP (shifted, (double) q->storage_min, (double) q->storage_max));

  return (GhloScalar) { .i = CLAMP (stored, q->storage_min, q->storage_max) };
}
