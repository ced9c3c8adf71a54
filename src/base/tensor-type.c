/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tensor types: construction, spelling and comparison. They are immutable and reference-counted, so that any thread
 * may hold a reference.
 */

#include "tensor-type.h"

#include <string.h>

#include "float-text.h"
#include "hash.h"
#include "sizes.h"

/**
 * GhloTensorType:
 *
 * The type of a tensor: an element type and dimensions.
 *
 * A dimension of [const@Ghlo.DYNAMIC] is not known before a program runs. A
 * tensor without dimensions is a scalar. Types are spelled as MLIR spells them,
 * `tensor<2x?xf32>`.
 *
 * A `GhloTensorType` is immutable and may be used from many threads.
 *
 * Since: 1.0
 */

G_DEFINE_BOXED_TYPE (GhloTensorType, ghlo_tensor_type, ghlo_tensor_type_ref, ghlo_tensor_type_unref)

static gboolean
has_bound (const gint64 *bounds,
           gsize         rank)
{
  for (gsize i = 0; bounds != NULL && i < rank; i++)
    if (bounds[i] >= 0)
      return TRUE;

  return FALSE;
}

GhloTensorType *
ghlo_tensor_type_new_full (GhloElementType   element_type,
                           const gint64     *dimensions,
                           const gint64     *bounds,
                           gsize             rank,
                           GhloQuantization *quantization)
{
  GhloTensorType *self = g_malloc0 (sizeof *self + rank * sizeof self->dimensions[0]);

  g_atomic_ref_count_init (&self->ref_count);
  self->element_type = element_type;
  self->quantization = quantization != NULL ? ghlo_quantization_ref (quantization) : NULL;
  self->rank = (guint) rank;
  for (gsize i = 0; i < rank; i++)
    self->dimensions[i] = dimensions[i];
  if (has_bound (bounds, rank))
    self->bounds = g_memdup2 (bounds, rank * sizeof bounds[0]);

  return self;
}

/**
 * ghlo_tensor_type_new:
 * @element_type: the element type
 * @dimensions: (array length=n_dimensions) (nullable): the dimensions, outermost
 *   first; [const@Ghlo.DYNAMIC] where not known
 * @n_dimensions: the number of dimensions, 0 for a scalar
 *
 * Makes a tensor type.
 *
 * Returns: (transfer full) (nullable): the type, or %NULL when the element type
 *   is not a valid one, a dimension is negative without being
 *   [const@Ghlo.DYNAMIC], or there are more than 64 dimensions
 *
 * Since: 1.0
 */
GhloTensorType *
ghlo_tensor_type_new (GhloElementType  element_type,
                      const gint64    *dimensions,
                      gsize            n_dimensions)
{
  if (ghlo_element_type_get_size (element_type) == 0 || n_dimensions > GHLO_MAX_RANK
      || (n_dimensions > 0 && dimensions == NULL))
    return NULL;
  for (gsize i = 0; i < n_dimensions; i++)
    if (dimensions[i] < GHLO_DYNAMIC)
      return NULL;

  return ghlo_tensor_type_new_full (element_type, dimensions, NULL, n_dimensions, NULL);
}

/**
 * ghlo_tensor_type_ref:
 * @self: a tensor type
 *
 * Takes a reference.
 *
 * Returns: (transfer full): @self
 *
 * Since: 1.0
 */
GhloTensorType *
ghlo_tensor_type_ref (GhloTensorType *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

/**
 * ghlo_tensor_type_unref:
 * @self: (transfer full): a tensor type
 *
 * Gives a reference back; the type is freed with its last one.
 *
 * Since: 1.0
 */
void
ghlo_tensor_type_unref (GhloTensorType *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_clear_pointer (&self->quantization, ghlo_quantization_unref);
  g_free (self->bounds);
  g_free (self);
}

/**
 * ghlo_tensor_type_get_element_type:
 * @self: a tensor type
 *
 * Gives the type of the elements; for a quantized tensor, the type in which they
 * are stored.
 *
 * Returns: the element type
 *
 * Since: 1.0
 */
GhloElementType
ghlo_tensor_type_get_element_type (const GhloTensorType *self)
{
  g_return_val_if_fail (self != NULL, GHLO_ELEMENT_TYPE_INVALID);

  return self->element_type;
}

/**
 * ghlo_tensor_type_get_rank:
 * @self: a tensor type
 *
 * Gives the number of dimensions.
 *
 * Returns: the number of dimensions, 0 for a scalar
 *
 * Since: 1.0
 */
guint
ghlo_tensor_type_get_rank (const GhloTensorType *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->rank;
}

/**
 * ghlo_tensor_type_get_dimensions:
 * @self: a tensor type
 * @n_dimensions: (out) (optional): where to put the number of dimensions
 *
 * Gives the dimensions, outermost first.
 *
 * Returns: (array length=n_dimensions) (transfer none) (nullable): the
 *   dimensions, [const@Ghlo.DYNAMIC] where not known; %NULL for a scalar
 *
 * Since: 1.0
 */
const gint64 *
ghlo_tensor_type_get_dimensions (const GhloTensorType *self,
                                 gsize                *n_dimensions)
{
  if (n_dimensions != NULL)
    *n_dimensions = 0;
  g_return_val_if_fail (self != NULL, NULL);

  if (n_dimensions != NULL)
    *n_dimensions = self->rank;

  return self->rank > 0 ? self->dimensions : NULL;
}

/**
 * ghlo_tensor_type_is_static:
 * @self: a tensor type
 *
 * Tells whether every dimension is known.
 *
 * Returns: %TRUE when no dimension is [const@Ghlo.DYNAMIC]
 *
 * Since: 1.0
 */
gboolean
ghlo_tensor_type_is_static (const GhloTensorType *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  for (guint i = 0; i < self->rank; i++)
    if (self->dimensions[i] < 0)
      return FALSE;

  return TRUE;
}

/**
 * ghlo_tensor_type_is_quantized:
 * @self: a tensor type
 *
 * Tells whether the elements are integers that stand for real numbers.
 *
 * Returns: %TRUE when the type is quantized
 *
 * Since: 1.0
 */
gboolean
ghlo_tensor_type_is_quantized (const GhloTensorType *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->quantization != NULL;
}

/**
 * ghlo_tensor_type_get_n_elements:
 * @self: a tensor type
 *
 * Gives the number of elements.
 *
 * Returns: the number of elements, or -1 when a dimension is not known or the
 *   number does not fit
 *
 * Since: 1.0
 */
gint64
ghlo_tensor_type_get_n_elements (const GhloTensorType *self)
{
  gsize count;

  g_return_val_if_fail (self != NULL, -1);

  if (!ghlo_shape_count (self->dimensions, self->rank, &count) || count > (gsize) G_MAXINT64)
    return -1;

  return (gint64) count;
}

/**
 * ghlo_tensor_type_get_size:
 * @self: a tensor type
 *
 * Gives the number of bytes that a tensor of this type takes in a buffer.
 *
 * Returns: the size in bytes, or -1 when a dimension is not known or the size
 *   does not fit
 *
 * Since: 1.0
 */
gint64
ghlo_tensor_type_get_size (const GhloTensorType *self)
{
  gint64 count = ghlo_tensor_type_get_n_elements (self);
  gint64 size;

  if (count < 0
      || __builtin_mul_overflow (count, (gint64) ghlo_element_type_get_size (self->element_type), &size))
    return -1;

  return size;
}

gboolean
ghlo_tensor_type_is_dense (const GhloTensorType *self,
                           const gint64         *byte_strides)
{
  gint64 wanted[GHLO_MAX_RANK];

  if (byte_strides == NULL)
    return TRUE;
  ghlo_shape_strides (self->dimensions, self->rank, (gint64) ghlo_element_type_get_size (self->element_type), wanted);
  for (guint i = 0; i < self->rank; i++)
    if (self->dimensions[i] > 1 && byte_strides[i] != wanted[i])
      return FALSE;

  return TRUE;
}

void
ghlo_dimension_append (gint64   dimension,
                       GString *string)
{
  if (dimension < 0)
    g_string_append_c (string, '?');
  else
    g_string_append_printf (string, "%" G_GINT64_FORMAT, dimension);
}

/**
 * ghlo_tensor_type_to_string:
 * @self: a tensor type
 *
 * Spells the type as MLIR does, such as `tensor<2x?xf32>`.
 *
 * Returns: (transfer full): the spelling
 *
 * Since: 1.0
 */
char *
ghlo_tensor_type_to_string (const GhloTensorType *self)
{
  GString *string;

  g_return_val_if_fail (self != NULL, NULL);

  string = g_string_new ("tensor<");
  for (guint i = 0; i < self->rank; i++)
    {
      ghlo_dimension_append (self->dimensions[i], string);
      g_string_append_c (string, 'x');
    }
  if (self->quantization != NULL)
    ghlo_quantization_append (self->quantization, string);
  else
    g_string_append (string, ghlo_element_type_to_string (self->element_type));
  for (guint i = 0; self->bounds != NULL && i < self->rank; i++)
    {
      g_string_append (string, i == 0 ? ", #stablehlo.bounds<" : ", ");
      ghlo_dimension_append (self->bounds[i], string);
    }
  g_string_append (string, self->bounds != NULL ? ">>" : ">");

  return g_string_free (string, FALSE);
}

static gboolean
numbers_equal (const gint64 *a,
               const gint64 *b,
               gsize         n)
{
  if (a == NULL || b == NULL)
    return a == b;

  return n == 0 || memcmp (a, b, n * sizeof a[0]) == 0;
}

/**
 * ghlo_tensor_type_equal:
 * @a: a tensor type
 * @b: another tensor type
 *
 * Compares two types: element type, dimensions, bounds and quantization.
 *
 * Returns: %TRUE when both are the same type
 *
 * Since: 1.0
 */
gboolean
ghlo_tensor_type_equal (const GhloTensorType *a,
                        const GhloTensorType *b)
{
  g_return_val_if_fail (a != NULL && b != NULL, FALSE);

  if (a == b)
    return TRUE;

  return a->element_type == b->element_type && a->rank == b->rank
         && numbers_equal (a->dimensions, b->dimensions, a->rank)
         && numbers_equal (a->bounds, b->bounds, a->rank)
         && ghlo_quantization_equal (a->quantization, b->quantization);
}

/**
 * ghlo_tensor_type_hash:
 * @self: a tensor type
 *
 * Gives a number that is the same for equal types within this process. It differs
 * between processes and cannot be predicted by whoever chooses the types.
 *
 * Returns: the hash
 *
 * Since: 1.0
 */
guint
ghlo_tensor_type_hash (const GhloTensorType *self)
{
  GhloHash hash;

  g_return_val_if_fail (self != NULL, 0);

  hash = ghlo_hash_begin ();
  ghlo_hash_add (&hash, self->element_type);
  ghlo_hash_add_bytes (&hash, self->dimensions, self->rank * sizeof (gint64));
  ghlo_hash_add_bytes (&hash, self->bounds, self->bounds != NULL ? self->rank * sizeof (gint64) : 0);
  ghlo_hash_add (&hash, self->quantization != NULL ? ghlo_quantization_hash (self->quantization) : 0);

  return (guint) ghlo_hash_end (&hash);
}
