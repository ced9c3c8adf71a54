/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values of a running program: made, counted and freed. Tensors own counted
 * memory or stand over bytes of someone else.
 */

#include "runtime/value.h"

#include <string.h>

#include "base/sizes.h"
#include "runtime/memory.h"

static GhloValue *
new_value (GhloValueKind kind)
{
  GhloValue *self = g_new0 (GhloValue, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->kind = kind;

  return self;
}

/* Elements and bytes of @type, or an error that says why it has none. */
static gboolean
measure (const GhloTensorType  *type,
         gsize                 *n_elements,
         gsize                 *n_bytes,
         GError               **error)
{
  g_autofree char *text = NULL;
  gsize size = ghlo_element_info (type->element_type)->size;

  for (guint i = 0; i < type->rank; i++)
    if (type->dimensions[i] < 0)
      {
        text = ghlo_tensor_type_to_string (type);
        g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                     "expected a type with a static shape for a tensor in memory, found %s", text);
        return FALSE;
      }

  if (ghlo_shape_count (type->dimensions, type->rank, n_elements)
      && ghlo_size_mul (n_bytes, *n_elements, size)
      && *n_bytes <= GHLO_MAX_TENSOR_BYTES)
    return TRUE;

  text = ghlo_tensor_type_to_string (type);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
               "expected a tensor of at most %" G_GSIZE_FORMAT " bytes, found %s",
               GHLO_MAX_TENSOR_BYTES, text);

  return FALSE;
}

static GhloValue *
new_tensor (GhloTensorType *type,
            gsize           n_elements,
            gsize           n_bytes)
{
  GhloValue *self = new_value (GHLO_VALUE_TENSOR);

  self->type = ghlo_tensor_type_ref (type);
  self->n_elements = n_elements;
  self->n_bytes = n_bytes;

  return self;
}

typedef gpointer (*AllocFunc) (gsize    size,
                               GError **error);

static GhloValue *
new_own_tensor (GhloTensorType  *type,
                AllocFunc        alloc,
                GError         **error)
{
  g_autoptr (GError) local_error = NULL;
  gsize n_elements, n_bytes;
  gpointer data;
  GhloValue *self;

  if (!measure (type, &n_elements, &n_bytes, error))
    return NULL;

  data = alloc (n_bytes, &local_error);
  if (data == NULL)
    {
      g_autofree char *text = ghlo_tensor_type_to_string (type);

      g_propagate_prefixed_error (error, g_steal_pointer (&local_error), "no memory for %s: ", text);
      return NULL;
    }
  self = new_tensor (type, n_elements, n_bytes);
  self->data = data;

  return self;
}

GhloValue *
ghlo_value_new_tensor (GhloTensorType  *type,
                       GError         **error)
{
  return new_own_tensor (type, ghlo_memory_alloc, error);
}

GhloValue *
ghlo_value_new_uninitialized (GhloTensorType  *type,
                              GError         **error)
{
  return new_own_tensor (type, ghlo_memory_alloc_uninitialized, error);
}

static gboolean
is_aligned (gconstpointer   data,
            GhloElementType type)
{
  gsize alignment = ghlo_element_info (ghlo_element_type_real_part (type))->size;

  return alignment <= 1 || (guintptr) data % alignment == 0;
}

GhloValue *
ghlo_value_new_for_bytes (GhloTensorType  *type,
                          GBytes          *bytes,
                          GError         **error)
{
  gsize n_elements, n_bytes, size;
  gconstpointer data = g_bytes_get_data (bytes, &size);
  GhloValue *self;

  if (!measure (type, &n_elements, &n_bytes, error))
    return NULL;
  if (size != n_bytes)
    {
      g_autofree char *text = ghlo_tensor_type_to_string (type);

      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "expected %" G_GSIZE_FORMAT " bytes for %s, found %" G_GSIZE_FORMAT, n_bytes, text, size);
      return NULL;
    }

  if (n_bytes == 0 || !is_aligned (data, type->element_type))
    {
      self = ghlo_value_new_uninitialized (type, error);
      if (self != NULL && n_bytes > 0)
        memcpy (self->data, data, n_bytes);
      return self;
    }

  self = new_tensor (type, n_elements, n_bytes);
  self->storage = g_bytes_ref (bytes);
  self->data = (guint8 *) data;

  return self;
}

GhloValue *
ghlo_value_new_token (void)
{
  return new_value (GHLO_VALUE_TOKEN);
}

GhloValue *
ghlo_value_new_tuple (GhloValue *const *members,
                      guint             n_members)
{
  GhloValue *self = new_value (GHLO_VALUE_TUPLE);

  self->members = g_new0 (GhloValue *, n_members);
  self->n_members = n_members;
  for (guint i = 0; i < n_members; i++)
    self->members[i] = ghlo_value_ref (members[i]);

  return self;
}

GhloValue *
ghlo_value_new_future (gpointer            work,
                       GhloValueFinishFunc finish)
{
  GhloValue *self = new_value (GHLO_VALUE_FUTURE);

  self->work = work;
  self->finish = finish;

  return self;
}

GhloValue *
ghlo_value_ref (GhloValue *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_value_unref (GhloValue *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  if (self->finish != NULL)
    self->finish (self);
  ghlo_values_clear (self->members, self->n_members);
  g_free (self->members);

  if (self->storage != NULL)
    g_bytes_unref (self->storage);
  else if (self->data != NULL)
    ghlo_memory_free (self->data, self->n_bytes);
  g_clear_pointer (&self->type, ghlo_tensor_type_unref);
  g_free (self);
}

void
ghlo_values_clear (GhloValue **values,
                   gsize       n)
{
  for (gsize i = 0; i < n; i++)
    g_clear_pointer (&values[i], ghlo_value_unref);
}

gboolean
ghlo_value_overlaps (const GhloValue *self,
                     const guint8    *data,
                     gsize            n_bytes)
{
  guintptr one = (guintptr) self->data, other = (guintptr) data;

  if (self->n_bytes == 0 || n_bytes == 0)
    return FALSE;

  return one <= other ? other - one < self->n_bytes : one - other < n_bytes;
}

static void
unref_value (gpointer data)
{
  ghlo_value_unref (data);
}

GBytes *
ghlo_value_get_bytes (GhloValue *self)
{
  return g_bytes_new_with_free_func (self->data, self->n_bytes, unref_value, ghlo_value_ref (self));
}
