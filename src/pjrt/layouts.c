/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Layouts: rows without gaps, of which callers are told as text, dimensions from the innermost to the outermost one in
 * braces ("{1,0}").
 */

#include "pjrt/layouts.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "pjrt/buffer.h"
#include "pjrt/error.h"
#include "pjrt/executable.h"

/* A number of two digits and what separates it from the next. */
G_STATIC_ASSERT (GHLO_MAX_RANK <= 100);
enum { TEXT_SIZE = 3 * GHLO_MAX_RANK + sizeof "{}" };

struct PJRT_Layouts_MemoryLayout
{
  int64_t order[GHLO_MAX_RANK];
  gsize   size;                 /* of the text */
  char    text[TEXT_SIZE];
};

/* By the number of dimensions. */
static PJRT_Layouts_MemoryLayout layouts[GHLO_MAX_RANK + 1];

static void
init_layout (PJRT_Layouts_MemoryLayout *self,
             gsize                      rank)
{
  g_autoptr (GString) text = g_string_new ("{");

  for (gsize i = 0; i < rank; i++)
    {
      self->order[i] = (int64_t) (rank - 1 - i);
      g_string_append_printf (text, i > 0 ? ",%d" : "%d", (int) self->order[i]);
    }
  g_string_append_c (text, '}');
  self->size = text->len;
  memcpy (self->text, text->str, text->len + 1);
}

PJRT_Layouts_MemoryLayout *
ghlo_pjrt_layout_get (gsize rank)
{
  static gsize made;

  if (rank > GHLO_MAX_RANK)
    return NULL;
  if (g_once_init_enter (&made))
    {
      for (gsize i = 0; i <= GHLO_MAX_RANK; i++)
        init_layout (&layouts[i], i);
      g_once_init_leave (&made, 1);
    }

  return &layouts[rank];
}

const int64_t *
ghlo_pjrt_layout_order (const PJRT_Layouts_MemoryLayout *self)
{
  return self->order;
}

gboolean
ghlo_pjrt_layout_read_order (const PJRT_Buffer_MemoryLayout *layout,
                             gsize                           rank,
                             gsize                          *order)
{
  gboolean seen[GHLO_MAX_RANK] = { FALSE };

  if (layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled || layout->tiled.num_tiles != 0
      || layout->tiled.minor_to_major_size != rank)
    return FALSE;
  for (gsize i = 0; i < rank; i++)
    {
      const int64_t axis = layout->tiled.minor_to_major[rank - 1 - i];

      if (axis < 0 || axis >= (int64_t) rank || seen[axis])
        return FALSE;
      seen[axis] = TRUE;
      order[i] = (gsize) axis;
    }

  return TRUE;
}

GhloValue *
ghlo_pjrt_layout_reorder (const GhloValue  *value,
                          const gsize      *order,
                          GError          **error)
{
  const guint rank = value->type->rank;
  const gint64 *dims = value->type->dimensions;
  const GhloElementType element = value->type->element_type;
  gint64 dense[GHLO_MAX_RANK], sizes[GHLO_MAX_RANK], strides[GHLO_MAX_RANK];
  g_autoptr (GhloTensorType) type = NULL;

  ghlo_shape_strides (dims, rank, (gint64) ghlo_element_type_get_size (element), dense);
  for (guint i = 0; i < rank; i++)
    {
      sizes[i] = dims[order[i]];
      strides[i] = dense[order[i]];
    }
  type = ghlo_tensor_type_new (element, sizes, rank);

  return type != NULL ? ghlo_value_new_copied (type, value->data, strides, error) : NULL;
}

gboolean
ghlo_pjrt_layout_check (const PJRT_Buffer_MemoryLayout  *layout,
                        gsize                            rank,
                        GError                         **error)
{
  gsize order[GHLO_MAX_RANK];
  gboolean same = layout == NULL || ghlo_pjrt_layout_read_order (layout, rank, order);

  for (gsize i = 0; same && layout != NULL && i < rank; i++)
    same = order[i] == i;
  if (!same)
    g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                         "expected a layout of rows without gaps on the device, found another");

  return same;
}

/* Layouts are the process', whoever gave them out. */
static PJRT_Error *
layout_destroy (PJRT_Layouts_MemoryLayout_Destroy_Args *args)
{
  PJRT_NEEDS (args, layout);

  return NULL;
}

static void
keep (G_GNUC_UNUSED PJRT_Layouts_SerializedLayout *serialized)
{
}

static PJRT_Error *
layout_serialize (PJRT_Layouts_MemoryLayout_Serialize_Args *args)
{
  PJRT_NEEDS (args, serialized_layout_deleter);
  args->serialized_bytes = args->layout->text;
  args->serialized_bytes_size = args->layout->size;
  args->serialized_layout = NULL;
  args->serialized_layout_deleter = keep;

  return NULL;
}

static PJRT_Error *
find (gsize                       rank,
      PJRT_Layouts_MemoryLayout **layout)
{
  *layout = ghlo_pjrt_layout_get (rank);
  if (*layout != NULL)
    return NULL;

  return ghlo_pjrt_error_new (PJRT_Error_Code_UNIMPLEMENTED, "expected at most %d dimensions, found %zu", GHLO_MAX_RANK,
                              rank);
}

static PJRT_Error *
default_of_client (PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args *args)
{
  PJRT_NEEDS (args, layout);

  return find (args->num_dims, &args->layout);
}

static PJRT_Error *
default_of_topology (PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args *args)
{
  PJRT_NEEDS (args, layout);

  return find (args->num_dims, &args->layout);
}

static PJRT_Error *
layout_of_buffer (PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args *args)
{
  PJRT_NEEDS (args, layout);

  return find (ghlo_tensor_type_get_rank (args->buffer->type), &args->layout);
}

static PJRT_Error *
output_layouts (PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args *args)
{
  PJRT_NEEDS (args, layouts);
  args->num_outputs = args->executable->n_outputs;
  args->layouts = args->executable->layouts + args->executable->n_inputs;

  return NULL;
}

static PJRT_Error *
parameter_layouts (PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args *args)
{
  PJRT_NEEDS (args, layouts);
  args->num_parameters = args->executable->n_inputs;
  args->layouts = args->executable->layouts;

  return NULL;
}

void
ghlo_pjrt_layouts_fill (PJRT_Layouts_Extension *extension)
{
  *extension = (PJRT_Layouts_Extension) {
    .base = { .struct_size = sizeof *extension, .type = PJRT_Extension_Type_Layouts },
    .PJRT_Layouts_MemoryLayout_Destroy = layout_destroy,
    .PJRT_Layouts_MemoryLayout_Serialize = layout_serialize,
    .PJRT_Layouts_PJRT_Client_GetDefaultLayout = default_of_client,
    .PJRT_Layouts_PJRT_Buffer_MemoryLayout = layout_of_buffer,
    .PJRT_Layouts_PJRT_Topology_GetDefaultLayout = default_of_topology,
    .PJRT_Layouts_PJRT_Executable_GetOutputLayouts = output_layouts,
    .PJRT_Layouts_PJRT_Executable_GetParameterLayouts = parameter_layouts,
  };
}
