/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Buffers from numbers and numbers from buffers, converted to and from the element
 * type. For small tensors, for languages in which an array of numbers is not an array
 * of bytes, and for floats that a language lacks.
 */

#include "ghlo-buffer-private.h"

#include <math.h>

#include "base/element.h"
#include "base/sizes.h"
#include "runtime/place.h"

/* Whether the type has a size that can be allocated; otherwise INVALID_ARGUMENT. */
static gboolean
check_size (GhloTensorType  *tensor_type,
            GError         **error)
{
  g_autofree char *text = tensor_type != NULL ? ghlo_tensor_type_to_string (tensor_type) : NULL;

  if (tensor_type == NULL || !ghlo_tensor_type_is_static (tensor_type))
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected a tensor type without dynamic dimensions, found %s", text != NULL ? text : "nothing");
  else if (ghlo_tensor_type_get_size (tensor_type) < 0)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected a tensor of at most %" G_GSIZE_FORMAT " bytes, found %s", GHLO_MAX_TENSOR_BYTES, text);
  else
    return TRUE;

  return FALSE;
}

/* A tensor of zeros; INVALID_ARGUMENT for a type without a size. */
static GhloValue *
value_new (GhloTensorType  *tensor_type,
           GError         **error)
{
  return check_size (tensor_type, error) ? ghlo_value_new_tensor (tensor_type, error) : NULL;
}

/* The same, for a tensor that will be filled with @n_numbers real numbers. */
static GhloValue *
value_new_for (GhloTensorType  *tensor_type,
               gconstpointer    numbers,
               gsize            n_numbers,
               GError         **error)
{
  GhloValue *value = value_new (tensor_type, error);

  if (value == NULL)
    return NULL;
  if (numbers == NULL)
    n_numbers = 0;
  if (n_numbers == value->n_elements && !ghlo_element_type_is_complex (tensor_type->element_type))
    return value;

  if (n_numbers != value->n_elements)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected %" G_GSIZE_FORMAT " numbers, as many as the tensor has elements, found %" G_GSIZE_FORMAT,
                 value->n_elements, n_numbers);
  else
    g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                         "expected a tensor type of real numbers, found one of complex numbers: use new_from_bytes");
  ghlo_value_unref (value);

  return NULL;
}

/* FALSE when the element type cannot represent the integer. */
static gboolean
store_integer (GhloElementType type,
               gpointer        data,
               gint64          number)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  GhloScalar scalar = { .i = number };

  if (info->element_class == GHLO_ELEMENT_CLASS_FLOAT)
    scalar.f = (double) number;
  else if ((info->element_class == GHLO_ELEMENT_CLASS_UNSIGNED && number < 0)
           || ghlo_element_round (type, scalar).i != number)
    return FALSE;
  ghlo_element_store (type, data, scalar);

  return TRUE;
}

static gboolean
store_double (GhloElementType type,
              gpointer        data,
              double          number)
{
  if (ghlo_element_type_is_float (type))
    {
      ghlo_element_store (type, data, (GhloScalar) { .f = number });
      return TRUE;
    }

  /* The bounds are exactly representable as doubles. A NaN fails both comparisons. */
  return number >= -0x1p63 && number < 0x1p63 && (double) (gint64) number == number
         && store_integer (type, data, (gint64) number);
}

static GhloBuffer *
refuse (GhloValue  *value,
        gsize       index,
        const char *number,
        GError    **error)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "expected a number that %s holds for element %" G_GSIZE_FORMAT ", found %s",
               ghlo_element_type_to_string (value->type->element_type), index, number);
  ghlo_value_unref (value);

  return NULL;
}

/**
 * ghlo_buffer_new_zeros:
 * @tensor_type: the type of the tensor, without dynamic dimensions
 * @error: return location for an error
 *
 * Creates a buffer in host memory whose elements are all zero, for example as the
 * initial value of a cache or a counter.
 *
 * Fails with %GHLO_ERROR_OUT_OF_MEMORY when there is not enough memory.
 *
 * Returns: (transfer full): a new buffer, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_buffer_new_zeros (GhloTensorType  *tensor_type,
                       GError         **error)
{
  GhloValue *value = value_new (tensor_type, error);

  return value != NULL ? ghlo_buffer_new_for_value (value) : NULL;
}

/**
 * ghlo_buffer_new_from_doubles:
 * @tensor_type: the type of the tensor, without dynamic dimensions
 * @numbers: (array length=n_numbers) (nullable): its elements in row-major order
 * @n_numbers: the number of elements
 * @error: return location for an error
 *
 * Creates a buffer in host memory from numbers, each rounded to the nearest value
 * of the element type. For large tensors [ctor@Ghlo.Buffer.new_from_bytes] is
 * faster.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when there are too few or too many
 * numbers, when the element type is complex or, for an integer type, when a number
 * is not an integer or out of range.
 *
 * Returns: (transfer full): a new buffer, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_buffer_new_from_doubles (GhloTensorType  *tensor_type,
                              const double    *numbers,
                              gsize            n_numbers,
                              GError         **error)
{
  GhloValue *value = value_new_for (tensor_type, numbers, n_numbers, error);
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  gsize size;

  if (value == NULL)
    return NULL;
  size = ghlo_element_info (tensor_type->element_type)->size;
  for (gsize i = 0; i < value->n_elements; i++)
    if (!store_double (tensor_type->element_type, value->data + i * size, numbers[i]))
      return refuse (value, i, g_ascii_dtostr (text, sizeof text, numbers[i]), error);

  return ghlo_buffer_new_for_value (value);
}

/**
 * ghlo_buffer_new_from_int64s:
 * @tensor_type: the type of the tensor, without dynamic dimensions
 * @numbers: (array length=n_numbers) (nullable): its elements in row-major order
 * @n_numbers: the number of elements
 * @error: return location for an error
 *
 * Creates a buffer in host memory from integers; see
 * [ctor@Ghlo.Buffer.new_from_doubles].
 *
 * Returns: (transfer full): a new buffer, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_buffer_new_from_int64s (GhloTensorType  *tensor_type,
                             const gint64    *numbers,
                             gsize            n_numbers,
                             GError         **error)
{
  GhloValue *value = value_new_for (tensor_type, numbers, n_numbers, error);
  gsize size;

  if (value == NULL)
    return NULL;
  size = ghlo_element_info (tensor_type->element_type)->size;
  for (gsize i = 0; i < value->n_elements; i++)
    if (!store_integer (tensor_type->element_type, value->data + i * size, numbers[i]))
      {
        g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, numbers[i]);

        return refuse (value, i, text, error);
      }

  return ghlo_buffer_new_for_value (value);
}

static double
load_double (GhloElementType  type,
             gconstpointer    data)
{
  GhloScalar scalar = ghlo_element_load (type, data);

  switch (ghlo_element_info (type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT:
      /* Engines of dynamic languages encode pointers in other NaNs and would mistake such a NaN for a pointer. */
      return isnan (scalar.f) ? (double) NAN : scalar.f;
    case GHLO_ELEMENT_CLASS_UNSIGNED:
      return (double) scalar.u;
    default:
      return (double) scalar.i;
    }
}

/**
 * ghlo_buffer_get_doubles:
 * @self: a buffer
 * @n_numbers: (out): the number of elements
 * @error: return location for an error
 *
 * Gets the elements of a tensor of real numbers in row-major order. All floats are exact,
 * and so are integers up to 2⁵³; larger integers are rounded. All NaNs become the same
 * NaN, regardless of their sign and payload in the tensor. Data in device memory is read
 * first, as by [method@Ghlo.Buffer.read].
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when the buffer was released, does not hold a
 * tensor, or holds complex numbers, with %GHLO_ERROR_OUT_OF_MEMORY when there is not
 * enough memory, and as reading does.
 *
 * Returns: (transfer full) (array length=n_numbers): the numbers, or %NULL with @error set
 *
 * Since: 1.0
 */
double *
ghlo_buffer_get_doubles (GhloBuffer  *self,
                         gsize       *n_numbers,
                         GError     **error)
{
  g_autoptr (GhloValue) value = NULL;
  GhloElementType type;
  double *numbers;
  gsize size;

  *n_numbers = 0;
  value = ghlo_buffer_take_value (self, error);
  if (value == NULL)
    return NULL;
  if (value->kind != GHLO_VALUE_TENSOR || ghlo_element_type_is_complex (value->type->element_type))
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                           "expected a buffer that holds a tensor of real numbers, found one that does not");
      return NULL;
    }
  if (!ghlo_value_fetch (value, NULL, error))
    return NULL;

  /* Not NULL even when empty, since NULL means an error. */
  numbers = g_try_malloc_n (MAX (value->n_elements, 1), sizeof numbers[0]);
  if (numbers == NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                   "expected memory for %" G_GSIZE_FORMAT " numbers, found none", value->n_elements);
      return NULL;
    }
  type = value->type->element_type;
  size = ghlo_element_info (type)->size;
  for (gsize i = 0; i < value->n_elements; i++)
    numbers[i] = load_double (type, value->data + i * size);
  *n_numbers = value->n_elements;

  return numbers;
}
