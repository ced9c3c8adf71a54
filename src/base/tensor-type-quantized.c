/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The public API of quantized tensor types: construction and accessors.
 */

#include "tensor-type.h"

#include "fail.h"

/* The arguments from which a type is made. */
typedef struct
{
  GhloElementType  expressed;
  int              axis;
  const double    *scales;
  gsize            n_scales;
  const gint64    *zero_points;
  gsize            n_zero_points;
  gint64           min, max;
} Parts;

static gboolean
check_types (const GhloTensorType *stored,
             GhloElementType       expressed,
             GError              **error)
{
  g_autofree char *text = stored != NULL ? ghlo_tensor_type_to_string (stored) : NULL;
  const GhloElementInfo *info = stored != NULL ? ghlo_element_info (stored->element_type) : NULL;

  if (stored == NULL || stored->quantization != NULL
      || ghlo_quantization_find_storage (info->element_class, info->bits) != stored->element_type)
    return ghlo_invalid (error, "expected the type of a tensor of integers of 2 to %d bits, which stores the numbers, "
                         "found %s", GHLO_QUANTIZATION_MAX_BITS, text != NULL ? text : "nothing");
  if (ghlo_element_type_get_size (expressed) == 0 || !ghlo_element_type_is_float (expressed))
    return ghlo_invalid (error, "expected a float type that the stored numbers express, found %s",
                         ghlo_element_type_get_size (expressed) != 0 ? ghlo_element_type_to_string (expressed)
                         : "none");

  return TRUE;
}

static gboolean
check_range (GhloElementType storage,
             Parts          *parts,
             GError        **error)
{
  gint64 min, max;

  ghlo_quantization_get_range (storage, &min, &max);
  if (parts->min == 0 && parts->max == 0)
    {
      parts->min = min;
      parts->max = max;
    }
  if (parts->min >= min && parts->max <= max && parts->min < parts->max)
    return TRUE;

  return ghlo_invalid (error, "expected a storage range within [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "], found [%"
                       G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]", min, max, parts->min, parts->max);
}

static gboolean
check_scales (const Parts *parts,
              GError     **error)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (parts->axis < -1)
    return ghlo_invalid (error, "expected an axis, or -1 for one scale, found %d", parts->axis);
  if (parts->axis == -1 && parts->n_scales != 1)
    return ghlo_invalid (error, "expected one scale for the whole tensor, found %" G_GSIZE_FORMAT
                         ": the axis says along which of its dimensions there are more", parts->n_scales);
  if (parts->n_zero_points != 0 && parts->n_zero_points != parts->n_scales)
    return ghlo_invalid (error, "expected as many zero points as scales, %" G_GSIZE_FORMAT ", found %" G_GSIZE_FORMAT,
                         parts->n_scales, parts->n_zero_points);
  for (gsize i = 0; i < parts->n_scales; i++)
    if (!ghlo_quantization_is_scale (parts->expressed, parts->scales[i]))
      return ghlo_invalid (error, "expected a positive, finite scale within %s, found %s",
                           ghlo_element_type_to_string (parts->expressed),
                           g_ascii_dtostr (text, sizeof text, parts->scales[i]));

  return TRUE;
}

static GhloTensorType *
make (const GhloTensorType *stored,
      const Parts          *parts,
      GError              **error)
{
  g_autofree gint64 *zeros = g_new0 (gint64, parts->n_scales + 1);
  g_autoptr (GhloQuantization) quantization =
    ghlo_quantization_new (stored->element_type, parts->expressed, parts->min, parts->max, parts->axis, parts->scales,
                           parts->n_zero_points > 0 ? parts->zero_points : zeros, parts->n_scales);
  g_autofree char *problem = ghlo_quantization_check_shape (quantization, stored->dimensions, stored->rank);

  if (problem != NULL)
    {
      ghlo_invalid (error, "%s", problem);
      return NULL;
    }

  return ghlo_tensor_type_new_full (stored->element_type, stored->dimensions, stored->bounds, stored->rank,
                                    quantization);
}

/**
 * ghlo_tensor_type_new_quantized: (constructor)
 * @stored: the type of the integers that are stored, of 2 to 32 bits
 * @expressed_type: the type of the real numbers that they stand for, one of floats
 * @scales: (array length=n_scales): a scale for the whole tensor, or one for each index along @axis
 * @n_scales: the number of scales
 * @zero_points: (array length=n_zero_points) (nullable): the stored number that stands for 0, for each scale; %NULL
 *   for 0
 * @n_zero_points: the number of zero points
 * @axis: the dimension along which there is a scale for each index, or -1 for one scale
 * @storage_min: the least number that is stored
 * @storage_max: the greatest number that is stored; 0, as @storage_min, for all that the type holds
 * @error: return location for an error
 *
 * Makes the type of a tensor of quantized numbers: each stands for (stored - zero point) * scale. A buffer of such a
 * type holds the stored integers. [func@Ghlo.TensorType.parse] reads such types as MLIR spells them.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when no tensor is stored or expressed in these types, a scale is not
 * positive, or the numbers of scales and zero points do not fit the axis.
 *
 * Returns: (transfer full): the type, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloTensorType *
ghlo_tensor_type_new_quantized (GhloTensorType  *stored,
                                GhloElementType  expressed_type,
                                const double    *scales,
                                gsize            n_scales,
                                const gint64    *zero_points,
                                gsize            n_zero_points,
                                int              axis,
                                gint64           storage_min,
                                gint64           storage_max,
                                GError         **error)
{
  Parts parts = { expressed_type, axis, scales, scales != NULL ? n_scales : 0,
                  zero_points, zero_points != NULL ? n_zero_points : 0, storage_min, storage_max };

  if (!check_types (stored, expressed_type, error) || !check_range (stored->element_type, &parts, error)
      || !check_scales (&parts, error))
    return NULL;

  return make (stored, &parts, error);
}

/**
 * ghlo_tensor_type_get_expressed_type:
 * @self: a tensor type
 *
 * Gives the type of the real numbers that quantized elements stand for.
 *
 * Returns: a type of floats; %GHLO_ELEMENT_TYPE_INVALID when the type is not quantized
 *
 * Since: 1.0
 */
GhloElementType
ghlo_tensor_type_get_expressed_type (const GhloTensorType *self)
{
  g_return_val_if_fail (self != NULL, GHLO_ELEMENT_TYPE_INVALID);

  return self->quantization != NULL ? self->quantization->expressed : GHLO_ELEMENT_TYPE_INVALID;
}

/**
 * ghlo_tensor_type_get_scales:
 * @self: a tensor type
 * @n_scales: (out) (optional): where to put the number of scales
 *
 * Gives the scales by which quantized elements are multiplied.
 *
 * Returns: (array length=n_scales) (transfer none) (nullable): one scale, or one for each index along the axis; %NULL
 *   when the type is not quantized
 *
 * Since: 1.0
 */
const double *
ghlo_tensor_type_get_scales (const GhloTensorType *self,
                             gsize                *n_scales)
{
  if (n_scales != NULL)
    *n_scales = 0;
  g_return_val_if_fail (self != NULL, NULL);

  if (self->quantization == NULL)
    return NULL;
  if (n_scales != NULL)
    *n_scales = self->quantization->n_scales;

  return self->quantization->scales;
}

/**
 * ghlo_tensor_type_get_zero_points:
 * @self: a tensor type
 * @n_zero_points: (out) (optional): where to put the number of zero points
 *
 * Gives the stored numbers that stand for 0.
 *
 * Returns: (array length=n_zero_points) (transfer none) (nullable): as many as there are scales; %NULL when the type is
 *   not quantized
 *
 * Since: 1.0
 */
const gint64 *
ghlo_tensor_type_get_zero_points (const GhloTensorType *self,
                                  gsize                *n_zero_points)
{
  if (n_zero_points != NULL)
    *n_zero_points = 0;
  g_return_val_if_fail (self != NULL, NULL);

  if (self->quantization == NULL)
    return NULL;
  if (n_zero_points != NULL)
    *n_zero_points = self->quantization->n_scales;

  return self->quantization->zero_points;
}

/**
 * ghlo_tensor_type_get_quantized_axis:
 * @self: a tensor type
 *
 * Gives the dimension along which each index has its own scale and zero point.
 *
 * Returns: the dimension; -1 when there is one scale for all elements, or the type is not quantized
 *
 * Since: 1.0
 */
int
ghlo_tensor_type_get_quantized_axis (const GhloTensorType *self)
{
  g_return_val_if_fail (self != NULL, -1);

  return self->quantization != NULL ? self->quantization->axis : -1;
}

/**
 * ghlo_tensor_type_get_storage_min:
 * @self: a tensor type
 *
 * Gives the least number that a quantized element is stored as.
 *
 * Returns: the number; 0 when the type is not quantized
 *
 * Since: 1.0
 */
gint64
ghlo_tensor_type_get_storage_min (const GhloTensorType *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->quantization != NULL ? self->quantization->storage_min : 0;
}

/**
 * ghlo_tensor_type_get_storage_max:
 * @self: a tensor type
 *
 * Gives the greatest number that a quantized element is stored as.
 *
 * Returns: the number; 0 when the type is not quantized
 *
 * Since: 1.0
 */
gint64
ghlo_tensor_type_get_storage_max (const GhloTensorType *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->quantization != NULL ? self->quantization->storage_max : 0;
}
