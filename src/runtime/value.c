/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Creates, counts and frees values. A tensor with memory of its own is allocated together with its storage.
 */

#include "runtime/value.h"

#include <string.h>

#include "base/new.h"
#include "base/sizes.h"
#include "base/stack.h"
#include "runtime/memory.h"

static GhloValue *
new_value (GhloValueKind kind)
{
  GhloValue *self = ghlo_new0 (GhloValue);

  g_atomic_ref_count_init (&self->ref_count);
  self->kind = kind;

  return self;
}

/* Computes the number of elements and bytes of @type, or fails with the reason why it has none. */
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

/* Freed with the last reference to storage; value holds one of these. */
typedef struct
{
  GhloValue   value;
  GhloStorage storage;
} HostTensor;

static void
destroy_inline (GhloStorage *storage)
{
  ghlo_storage_clear_host (storage);
  g_free ((guint8 *) storage - G_STRUCT_OFFSET (HostTensor, storage));
}

static gboolean
has_inline_storage (const GhloValue *self)
{
  return self->storage == &((const HostTensor *) self)->storage && self->storage->destroy == destroy_inline;
}

static void
init_tensor (GhloValue      *self,
             GhloTensorType *type,
             GhloStorage    *storage,
             gsize           n_elements)
{
  self->type = ghlo_tensor_type_ref (type);
  self->n_elements = n_elements;
  self->n_bytes = storage->size;
  self->storage = storage;
  if (storage->kind == GHLO_MEMORY_HOST)
    self->data = storage->host;
}

/* Returns a tensor over host memory, which counts as owned until the storage's release function is set. */
static GhloValue *
new_host_tensor (GhloTensorType *type,
                 gpointer        memory,
                 gsize           n_elements,
                 gsize           n_bytes)
{
  HostTensor *self = ghlo_new0 (HostTensor);

  self->storage.destroy = destroy_inline;
  g_atomic_ref_count_init (&self->value.ref_count);
  self->value.kind = GHLO_VALUE_TENSOR;
  ghlo_storage_init_host (&self->storage, memory, n_bytes);
  init_tensor (&self->value, type, &self->storage, n_elements);

  return &self->value;
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

  if (!measure (type, &n_elements, &n_bytes, error))
    return NULL;

  data = alloc (n_bytes, &local_error);
  if (data == NULL)
    {
      g_autofree char *text = ghlo_tensor_type_to_string (type);

      g_propagate_prefixed_error (error, g_steal_pointer (&local_error), "no memory for %s: ", text);
      return NULL;
    }

  return new_host_tensor (type, data, n_elements, n_bytes);
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

/* Checks that @size bytes are a tensor of @type, and returns the number of elements. */
static gboolean
check_size (const GhloTensorType  *type,
            gsize                  size,
            gsize                 *n_elements,
            GError               **error)
{
  g_autofree char *text = NULL;
  gsize n_bytes;

  if (!measure (type, n_elements, &n_bytes, error))
    return FALSE;
  if (size == n_bytes)
    return TRUE;

  text = ghlo_tensor_type_to_string (type);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "expected %" G_GSIZE_FORMAT " bytes for %s, found %" G_GSIZE_FORMAT, n_bytes, text, size);

  return FALSE;
}

GhloValue *
ghlo_value_new_over (GhloTensorType  *type,
                     GhloStorage     *storage,
                     GError         **error)
{
  gsize n_elements;
  GhloValue *self;

  if (!check_size (type, storage->size, &n_elements, error))
    return NULL;
  self = new_value (GHLO_VALUE_TENSOR);
  init_tensor (self, type, ghlo_storage_ref (storage), n_elements);

  return self;
}

GhloValue *
ghlo_value_new_for_bytes (GhloTensorType  *type,
                          GBytes          *bytes,
                          GError         **error)
{
  gsize n_elements, size;
  gconstpointer data = g_bytes_get_data (bytes, &size);
  GhloValue *self;

  if (!check_size (type, size, &n_elements, error))
    return NULL;
  if (size == 0 || !is_aligned (data, type->element_type))
    {
      self = ghlo_value_new_uninitialized (type, error);
      if (self != NULL && size > 0)
        memcpy (self->data, data, size);
      return self;
    }

  self = new_host_tensor (type, (gpointer) data, n_elements, size);
  self->storage->release = (GDestroyNotify) g_bytes_unref;
  self->storage->owner_data = g_bytes_ref (bytes);

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

static gpointer
clear_members (gpointer data)
{
  GhloValue *self = data;

  ghlo_values_clear (self->members, self->n_members);

  return NULL;
}

void
ghlo_value_unref (GhloValue *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  if (self->finish != NULL)
    self->finish (self);
  if (self->n_members > 0)
    ghlo_stack_call (clear_members, self);
  g_free (self->members);

  g_clear_pointer (&self->type, ghlo_tensor_type_unref);
  if (self->storage != NULL && has_inline_storage (self))
    {
      ghlo_storage_unref (self->storage);
      return;
    }
  g_clear_pointer (&self->storage, ghlo_storage_unref);
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

gboolean
ghlo_value_is_own (GhloValue *self)
{
  return self->kind == GHLO_VALUE_TENSOR && g_atomic_ref_count_compare (&self->ref_count, 1)
         && ghlo_storage_is_own (self->storage);
}

GBytes *
ghlo_value_get_bytes (GhloValue *self)
{
  GhloStorage *copy = g_atomic_pointer_get (&self->storage->copy);
  GhloStorage *storage = copy != NULL ? copy : self->storage;

  return g_bytes_new_with_free_func (storage->host, storage->size, (GDestroyNotify) ghlo_storage_unref,
                                     ghlo_storage_ref (storage));
}
