/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's extension for layouts: those of buffers, and of what executables take and return.
 */

#include <string.h>

#include "pjrt/buffer.h"
#include "pjrt/error.h"
#include "pjrt/executable.h"
#include "pjrt/layouts.h"

static PJRT_Error *
layout_destroy (PJRT_Layouts_MemoryLayout_Destroy_Args *args)
{
  PJRT_NEEDS (args, layout);
  if (args->layout != NULL)
    ghlo_pjrt_layout_unref (args->layout);

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
  args->serialized_bytes = ghlo_pjrt_layout_get_text (args->layout);
  args->serialized_bytes_size = strlen (args->serialized_bytes);
  args->serialized_layout = NULL;
  args->serialized_layout_deleter = keep;

  return NULL;
}

static PJRT_Error *
find_rows (gsize                       rank,
           PJRT_Layouts_MemoryLayout **layout)
{
  *layout = ghlo_pjrt_layout_row_major (rank);
  if (*layout != NULL)
    return NULL;

  return ghlo_pjrt_error_new (PJRT_Error_Code_UNIMPLEMENTED, "expected at most %d dimensions, found %zu", GHLO_MAX_RANK,
                              rank);
}

static PJRT_Error *
default_of_client (PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args *args)
{
  PJRT_NEEDS (args, layout);

  return find_rows (args->num_dims, &args->layout);
}

static PJRT_Error *
default_of_topology (PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args *args)
{
  PJRT_NEEDS (args, layout);

  return find_rows (args->num_dims, &args->layout);
}

static PJRT_Error *
layout_of_buffer (PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args *args)
{
  PJRT_NEEDS (args, layout);
  args->layout = ghlo_pjrt_layout_ref (args->buffer->layout);

  return NULL;
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
