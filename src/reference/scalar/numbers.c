/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements in bulk as 8-byte numbers. The common types have loops of their own; all
 * other types use the element functions of base.
 */

#include "reference/scalar/numbers.h"

#include "base/sizes.h"

#include <math.h>
#include <string.h>

/* Elements read between two checks whether to stop. */
#define PIECE ((gsize) 4096)

gpointer
ghlo_ref_scratch (gsize    count,
                  gsize    size,
                  GError **error)
{
  gpointer memory = NULL;
  gsize bytes;

  if (ghlo_size_mul (&bytes, MAX (count, 1), size)
      && bytes <= ghlo_memory_get_limit () - MIN (ghlo_memory_get_used (), ghlo_memory_get_limit ()))
    memory = g_try_malloc (bytes);
  if (memory == NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                 "no memory for %" G_GSIZE_FORMAT " scratch elements of %" G_GSIZE_FORMAT " bytes", count, size);
  return memory;
}

gpointer
ghlo_ref_scratch_zeroed (gsize    count,
                         gsize    size,
                         GError **error)
{
  gpointer memory = ghlo_ref_scratch (count, size, error);

  if (memory != NULL)
    memset (memory, 0, MAX (count, 1) * size);
  return memory;
}

static double
scalar_to_real (GhloElementType type,
                GhloScalar      scalar)
{
  switch (ghlo_element_info (type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT: return scalar.f;
    case GHLO_ELEMENT_CLASS_COMPLEX: return scalar.c.re;
    case GHLO_ELEMENT_CLASS_UNSIGNED: return (double) scalar.u;
    default: return (double) scalar.i;
    }
}

#define EACH_REAL(CTYPE) \
  for (gsize i = 0; i < n; i++) \
    reals[i] = (double) ((const CTYPE *) (gconstpointer) data)[i]

void
ghlo_ref_read_reals (GhloElementType type,
                     const guint8   *data,
                     gsize           n,
                     double         *reals)
{
  gsize size = ghlo_element_info (type)->size;

  switch (type)
    {
    case GHLO_ELEMENT_TYPE_F32: EACH_REAL (float); break;
    case GHLO_ELEMENT_TYPE_F64: EACH_REAL (double); break;
    case GHLO_ELEMENT_TYPE_I8: EACH_REAL (gint8); break;
    case GHLO_ELEMENT_TYPE_UI8: EACH_REAL (guint8); break;
    case GHLO_ELEMENT_TYPE_I16: EACH_REAL (gint16); break;
    case GHLO_ELEMENT_TYPE_I32: EACH_REAL (gint32); break;
    case GHLO_ELEMENT_TYPE_I64: EACH_REAL (gint64); break;
    default:
      for (gsize i = 0; i < n; i++)
        reals[i] = scalar_to_real (type, ghlo_element_load (type, data + i * size));
      break;
    }
}

/* Converts a real number to a scalar of @type. For an integer type it is truncated towards zero and saturated. */
static GhloScalar
scalar_from_real (GhloElementType type,
                  double          real)
{
  GhloScalar scalar = { 0 };

  switch (ghlo_element_info (type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT:
      scalar.f = real;
      break;
    case GHLO_ELEMENT_CLASS_COMPLEX:
      scalar.c.re = real;
      scalar.c.im = 0;
      break;
    case GHLO_ELEMENT_CLASS_BOOLEAN:
      scalar.i = real != 0;
      break;
    case GHLO_ELEMENT_CLASS_UNSIGNED:
      scalar.u = !(real > 0) ? 0 : real >= 0x1p64 ? G_MAXUINT64 : (guint64) real;
      break;
    default:
      scalar.i = isnan (real) ? 0
                 : real >= 0x1p63 ? G_MAXINT64
                 : real < -0x1p63 ? G_MININT64 : (gint64) real;
      break;
    }
  return scalar;
}

void
ghlo_ref_write_reals (GhloElementType type,
                      const double   *reals,
                      gsize           n,
                      guint8         *data)
{
  gsize size = ghlo_element_info (type)->size;

  if (type == GHLO_ELEMENT_TYPE_F32)
    for (gsize i = 0; i < n; i++)
      ((float *) (gpointer) data)[i] = (float) reals[i];
  else if (type == GHLO_ELEMENT_TYPE_F64)
    for (gsize i = 0; i < n; i++)
      ((double *) (gpointer) data)[i] = reals[i];
  else
    for (gsize i = 0; i < n; i++)
      ghlo_element_store (type, data + i * size, scalar_from_real (type, reals[i]));
}

#define EACH_INT(CTYPE) \
  for (gsize i = 0; i < n; i++) \
    ints[i] = (gint64) ((const CTYPE *) (gconstpointer) data)[i]

void
ghlo_ref_read_ints (GhloElementType type,
                    const guint8   *data,
                    gsize           n,
                    gint64         *ints)
{
  gsize size = ghlo_element_info (type)->size;

  switch (type)
    {
    case GHLO_ELEMENT_TYPE_I8: EACH_INT (gint8); break;
    case GHLO_ELEMENT_TYPE_UI8: EACH_INT (guint8); break;
    case GHLO_ELEMENT_TYPE_I16: EACH_INT (gint16); break;
    case GHLO_ELEMENT_TYPE_UI16: EACH_INT (guint16); break;
    case GHLO_ELEMENT_TYPE_I32: EACH_INT (gint32); break;
    case GHLO_ELEMENT_TYPE_UI32: EACH_INT (guint32); break;
    case GHLO_ELEMENT_TYPE_INDEX:
    case GHLO_ELEMENT_TYPE_I64: EACH_INT (gint64); break;
    case GHLO_ELEMENT_TYPE_UI64: EACH_INT (guint64); break;
    default:
      for (gsize i = 0; i < n; i++)
        ints[i] = ghlo_element_load (type, data + i * size).i;
      break;
    }
}

#define EACH_BACK(CTYPE) \
  for (gsize i = 0; i < n; i++) \
    ((CTYPE *) (gpointer) data)[i] = (CTYPE) ints[i]

void
ghlo_ref_write_ints (GhloElementType type,
                     const gint64   *ints,
                     gsize           n,
                     guint8         *data)
{
  gsize size = ghlo_element_info (type)->size;
  gboolean boolean = ghlo_element_info (type)->element_class == GHLO_ELEMENT_CLASS_BOOLEAN;

  switch (type)
    {
    case GHLO_ELEMENT_TYPE_I8:
    case GHLO_ELEMENT_TYPE_UI8: EACH_BACK (guint8); break;
    case GHLO_ELEMENT_TYPE_I16:
    case GHLO_ELEMENT_TYPE_UI16: EACH_BACK (guint16); break;
    case GHLO_ELEMENT_TYPE_I32:
    case GHLO_ELEMENT_TYPE_UI32: EACH_BACK (guint32); break;
    case GHLO_ELEMENT_TYPE_INDEX:
    case GHLO_ELEMENT_TYPE_I64:
    case GHLO_ELEMENT_TYPE_UI64: EACH_BACK (guint64); break;
    default:
      for (gsize i = 0; i < n; i++)
        ghlo_element_store (type, data + i * size,
                            (GhloScalar) { .i = boolean ? ints[i] != 0 : ints[i] });
      break;
    }
}

gint64 *
ghlo_ref_read_indices (GhloRefCall      *call,
                       const GhloValue  *value,
                       GError          **error)
{
  const GhloElementType type = value->type->element_type;
  g_autofree gint64 *indices = ghlo_ref_scratch (value->n_elements, sizeof (gint64), error);

  if (indices == NULL)
    return NULL;
  for (gsize at = 0, n; at < value->n_elements; at += n)
    {
      n = MIN (value->n_elements - at, PIECE);
      ghlo_ref_read_ints (type, value->data + at * ghlo_ref_element_size (value), n, indices + at);
      for (gsize i = at; type == GHLO_ELEMENT_TYPE_UI64 && i < at + n; i++)
        if (indices[i] < 0)
          indices[i] = G_MAXINT64;
      if (!ghlo_ref_work (call, n, error))
        return NULL;
    }

  return g_steal_pointer (&indices);
}

/* Rounds a double to the expressed type, in which the specification computes. */
static double
round_to (GhloElementType type,
          double          real)
{
  if (type == GHLO_ELEMENT_TYPE_F32)
    return (float) real;
  if (type == GHLO_ELEMENT_TYPE_F64)
    return real;
  return ghlo_element_round (type, (GhloScalar) { .f = real }).f;
}

double
ghlo_ref_dequantize (const GhloQuantization *quantization,
                     gsize                   channel,
                     gint64                  stored)
{
  gsize c = MIN (channel, quantization->n_scales - 1);
  double offset = (double) (stored - quantization->zero_points[c]);

  return round_to (quantization->expressed,
                   round_to (quantization->expressed, offset)
                   * round_to (quantization->expressed, quantization->scales[c]));
}

gint64
ghlo_ref_quantize (const GhloQuantization *quantization,
                   gsize                   channel,
                   double                  real)
{
  gsize c = MIN (channel, quantization->n_scales - 1);
  GhloElementType expressed = quantization->expressed;
  double scale = round_to (expressed, quantization->scales[c]);
  double value = round_to (expressed, round_to (expressed, real) / scale);

  value = round_to (expressed, value + (double) quantization->zero_points[c]);
  if (isnan (value))
    return CLAMP (quantization->zero_points[c], quantization->storage_min, quantization->storage_max);
  if (value <= (double) quantization->storage_min)
    return quantization->storage_min;
  if (value >= (double) quantization->storage_max)
    return quantization->storage_max;
  return (gint64) nearbyint (value);
}

/* The number of consecutive elements that share a channel, and the number of channels. */
static void
channel_layout (const GhloTensorType *type,
                gsize                *inner,
                gsize                *channels)
{
  *inner = 1;
  *channels = 1;
  if (type->quantization->axis < 0 || (guint) type->quantization->axis >= type->rank)
    return;

  *channels = MAX (type->dimensions[type->quantization->axis], 1);
  for (guint i = (guint) type->quantization->axis + 1; i < type->rank; i++)
    *inner *= (gsize) MAX (type->dimensions[i], 1);
}

double *
ghlo_ref_value_reals (const GhloValue *value,
                      GError         **error)
{
  const GhloTensorType *type = value->type;
  g_autofree double *reals = ghlo_ref_scratch (value->n_elements, sizeof (double), error);
  gsize inner, channels;

  if (reals == NULL)
    return NULL;
  if (type->quantization == NULL)
    {
      ghlo_ref_read_reals (type->element_type, value->data, value->n_elements, reals);
      return g_steal_pointer (&reals);
    }

  channel_layout (type, &inner, &channels);
  for (gsize i = 0; i < value->n_elements; i++)
    reals[i] = ghlo_ref_dequantize (type->quantization, i / inner % channels, ghlo_ref_load (value, i).i);
  return g_steal_pointer (&reals);
}

void
ghlo_ref_value_set_reals (GhloValue    *value,
                          const double *reals)
{
  const GhloTensorType *type = value->type;
  gsize inner, channels;

  if (type->quantization == NULL)
    {
      ghlo_ref_write_reals (type->element_type, reals, value->n_elements, value->data);
      return;
    }

  channel_layout (type, &inner, &channels);
  for (gsize i = 0; i < value->n_elements; i++)
    {
      gint64 stored = ghlo_ref_quantize (type->quantization, i / inner % channels, reals[i]);

      ghlo_ref_store (value, i, (GhloScalar) { .i = stored });
    }
}
