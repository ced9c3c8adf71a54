/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Layouts as orders of dimensions in memory. Callers get them as text: the dimensions in braces, innermost first
 * ("{1,0}"), which is how XLA writes layouts without tiles.
 */

#include "pjrt/layouts.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "pjrt/element-type.h"
#include "pjrt/error.h"

/* A number of two digits and a separator per dimension. */
G_STATIC_ASSERT (GHLO_MAX_RANK <= 100);
enum { TEXT_SIZE = 3 * GHLO_MAX_RANK + sizeof "{}" };

struct PJRT_Layouts_MemoryLayout
{
  gatomicrefcount ref_count;    /* of layouts that are not row-major */
  gboolean        is_row_major;
  gsize           rank;
  int64_t         order[GHLO_MAX_RANK];
  char            text[TEXT_SIZE];
};

/* The row-major layouts, by rank. */
static PJRT_Layouts_MemoryLayout rows[GHLO_MAX_RANK + 1];

static void
init_layout (PJRT_Layouts_MemoryLayout *self,
             const int64_t             *order,
             gsize                      rank)
{
  g_autoptr (GString) text = g_string_new ("{");

  g_atomic_ref_count_init (&self->ref_count);
  self->rank = rank;
  self->is_row_major = TRUE;
  for (gsize i = 0; i < rank; i++)
    {
      self->order[i] = order[i];
      self->is_row_major &= order[i] == (int64_t) (rank - 1 - i);
      g_string_append_printf (text, i > 0 ? ",%d" : "%d", (int) order[i]);
    }
  g_string_append_c (text, '}');
  memcpy (self->text, text->str, text->len + 1);
}

static void
init_rows (void)
{
  int64_t order[GHLO_MAX_RANK] = { 0 };

  for (gsize rank = 0; rank <= GHLO_MAX_RANK; rank++)
    {
      for (gsize i = 0; i < rank; i++)
        order[i] = (int64_t) (rank - 1 - i);
      init_layout (&rows[rank], order, rank);
    }
}

PJRT_Layouts_MemoryLayout *
ghlo_pjrt_layout_row_major (gsize rank)
{
  static gsize made;

  if (rank > GHLO_MAX_RANK)
    return NULL;
  if (g_once_init_enter (&made))
    {
      init_rows ();
      g_once_init_leave (&made, 1);
    }

  return &rows[rank];
}

PJRT_Layouts_MemoryLayout *
ghlo_pjrt_layout_ref (PJRT_Layouts_MemoryLayout *self)
{
  if (!self->is_row_major)
    g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_pjrt_layout_unref (PJRT_Layouts_MemoryLayout *self)
{
  if (!self->is_row_major && g_atomic_ref_count_dec (&self->ref_count))
    g_free (self);
}

/* Whether @order is a permutation of @rank dimensions. */
static gboolean
is_order (const int64_t *order,
          gsize          rank)
{
  gboolean seen[GHLO_MAX_RANK] = { FALSE };

  if (rank > GHLO_MAX_RANK)
    return FALSE;
  for (gsize i = 0; i < rank; i++)
    {
      if (order[i] < 0 || order[i] >= (int64_t) rank || seen[order[i]])
        return FALSE;
      seen[order[i]] = TRUE;
    }

  return TRUE;
}

PJRT_Layouts_MemoryLayout *
ghlo_pjrt_layout_new (const int64_t  *order,
                      gsize           rank,
                      GError        **error)
{
  PJRT_Layouts_MemoryLayout *self;

  if (!is_order (order, rank))
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                   "expected a layout that lists each of %" G_GSIZE_FORMAT " dimensions once", rank);
      return NULL;
    }
  self = g_new (PJRT_Layouts_MemoryLayout, 1);
  init_layout (self, order, rank);
  if (!self->is_row_major)
    return self;
  g_free (self);

  return ghlo_pjrt_layout_row_major (rank);
}

PJRT_Layouts_MemoryLayout *
ghlo_pjrt_layout_read (const PJRT_Buffer_MemoryLayout  *specified,
                       gsize                            rank,
                       GError                         **error)
{
  if (specified == NULL)
    return ghlo_pjrt_layout_row_major (rank);
  if (specified->type != PJRT_Buffer_MemoryLayout_Type_Tiled || specified->tiled.num_tiles != 0
      || specified->tiled.minor_to_major_size != rank)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "expected a layout that lists each of %" G_GSIZE_FORMAT
                   " dimensions once, without tiles or strides", rank);
      return NULL;
    }

  return ghlo_pjrt_layout_new (specified->tiled.minor_to_major, rank, error);
}

PJRT_Layouts_MemoryLayout *
ghlo_pjrt_layout_parse (const char  *text,
                        gsize        rank,
                        GError     **error)
{
  g_auto (GStrv) numbers = NULL;
  g_autofree char *inside = NULL;
  const gsize length = strlen (text);
  int64_t order[GHLO_MAX_RANK] = { 0 };
  gboolean ok = rank <= GHLO_MAX_RANK && length >= 2 && text[0] == '{' && text[length - 1] == '}';

  if (ok)
    {
      inside = g_strndup (text + 1, length - 2);
      numbers = g_strsplit (inside, ",", GHLO_MAX_RANK + 1);
      ok = g_strv_length (numbers) == rank;
    }
  for (gsize i = 0; ok && i < rank; i++)
    {
      guint64 number = 0;

      ok = g_ascii_string_to_unsigned (numbers[i], 10, 0, GHLO_MAX_RANK, &number, NULL);
      order[i] = (int64_t) number;
    }
  if (ok)
    return ghlo_pjrt_layout_new (order, rank, error);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
               "expected a layout that lists each of %" G_GSIZE_FORMAT " dimensions once, without tiles, found '%s'",
               rank, text);

  return NULL;
}

gboolean
ghlo_pjrt_layout_is_row_major (const PJRT_Layouts_MemoryLayout *self)
{
  return self->is_row_major;
}

gboolean
ghlo_pjrt_layout_equal (const PJRT_Layouts_MemoryLayout *self,
                        const PJRT_Layouts_MemoryLayout *other)
{
  return self == other
         || (self->rank == other->rank && memcmp (self->order, other->order, self->rank * sizeof self->order[0]) == 0);
}

const char *
ghlo_pjrt_layout_get_text (const PJRT_Layouts_MemoryLayout *self)
{
  return self->text;
}

const int64_t *
ghlo_pjrt_layout_get_order (const PJRT_Layouts_MemoryLayout *self)
{
  return self->order;
}

void
ghlo_pjrt_layout_arrange (const PJRT_Layouts_MemoryLayout *self,
                          const gint64                    *by_dimension,
                          gint64                          *in_memory)
{
  for (gsize i = 0; i < self->rank; i++)
    in_memory[self->rank - 1 - i] = by_dimension[self->order[i]];
}

void
ghlo_pjrt_layout_restore (const PJRT_Layouts_MemoryLayout *self,
                          const gint64                    *in_memory,
                          gint64                          *by_dimension)
{
  for (gsize i = 0; i < self->rank; i++)
    by_dimension[self->order[i]] = in_memory[self->rank - 1 - i];
}

GhloTensorType *
ghlo_pjrt_layout_get_stored (const PJRT_Layouts_MemoryLayout *self,
                             GhloTensorType                  *type)
{
  gint64 sizes[GHLO_MAX_RANK];

  if (self->is_row_major)
    return ghlo_tensor_type_ref (type);
  ghlo_pjrt_layout_arrange (self, type->dimensions, sizes);

  return ghlo_tensor_type_new (type->element_type, sizes, self->rank);
}

GhloTensorType *
ghlo_pjrt_layout_get_type (const PJRT_Layouts_MemoryLayout *self,
                           GhloTensorType                  *stored)
{
  gint64 sizes[GHLO_MAX_RANK];

  if (self->is_row_major)
    return ghlo_tensor_type_ref (stored);
  ghlo_pjrt_layout_restore (self, stored->dimensions, sizes);

  return ghlo_tensor_type_new (stored->element_type, sizes, self->rank);
}

GhloValue *
ghlo_pjrt_layout_convert (GhloTensorType                   *type,
                          const guint8                     *data,
                          const PJRT_Layouts_MemoryLayout  *from,
                          const PJRT_Layouts_MemoryLayout  *to,
                          GError                          **error)
{
  g_autoptr (GhloTensorType) source = ghlo_pjrt_layout_get_stored (from, type);
  g_autoptr (GhloTensorType) target = ghlo_pjrt_layout_get_stored (to, type);
  const gint64 size = (gint64) ghlo_element_type_get_size (type->element_type);
  gint64 dense[GHLO_MAX_RANK], by_dimension[GHLO_MAX_RANK], strides[GHLO_MAX_RANK];

  ghlo_shape_strides (source->dimensions, source->rank, size, dense);
  ghlo_pjrt_layout_restore (from, dense, by_dimension);
  ghlo_pjrt_layout_arrange (to, by_dimension, strides);

  return ghlo_value_new_copied (target, data, strides, error);
}

gboolean
ghlo_pjrt_shape_read (GhloPjrtShape                   *self,
                      PJRT_Buffer_Type                 element,
                      const int64_t                   *dims,
                      gsize                            n_dims,
                      const PJRT_Buffer_MemoryLayout  *layout,
                      GError                         **error)
{
  *self = (GhloPjrtShape) { .type = ghlo_pjrt_tensor_type_new (element, dims, n_dims, error) };
  if (self->type != NULL)
    self->layout = ghlo_pjrt_layout_read (layout, n_dims, error);
  if (self->layout != NULL)
    self->stored = ghlo_pjrt_layout_get_stored (self->layout, self->type);
  else
    ghlo_pjrt_shape_clear (self);

  return self->layout != NULL;
}

void
ghlo_pjrt_shape_clear (GhloPjrtShape *self)
{
  g_clear_pointer (&self->type, ghlo_tensor_type_unref);
  g_clear_pointer (&self->stored, ghlo_tensor_type_unref);
  g_clear_pointer (&self->layout, ghlo_pjrt_layout_unref);
}
