/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin's extensions, found by the way in which callers find them.
 */

#include "call.h"

#include <string.h>

#include "pjrt/abi-extensions.h"

static const char program[] =
  "module @jit_f {\n"
  "  func.func public @main(%a: tensor<2x3x4xf32>, %b: tensor<f32>) -> (tensor<f32>, tensor<4x3xi8>) {\n"
  "    %0 = stablehlo.constant dense<0> : tensor<4x3xi8>\n"
  "    return %b, %0 : tensor<f32>, tensor<4x3xi8>\n"
  "  }\n"
  "}\n";

static gpointer
find (PJRT_Extension_Type type,
      gsize               size)
{
  for (PJRT_Extension_Base *base = api->extension_start; base != NULL; base = base->next)
    if (base->type == type)
      {
        g_assert_cmpuint (base->struct_size, ==, size);
        return base;
      }
  g_error ("there is no extension of type %d", type);
}

/* Like CALL, for a function of an extension. */
#define CALL_OF(extension, function, ...) \
  (__extension__ ({ \
    PJRT_##function##_Args args_ = { .struct_size = sizeof args_, __VA_ARGS__ }; \
    call_check (#function, (extension)->PJRT_##function (&args_)); \
    args_; \
  }))

static void
check_text (const PJRT_Layouts_Extension *layouts,
            PJRT_Layouts_MemoryLayout    *layout,
            const char                   *expected)
{
  PJRT_Layouts_MemoryLayout_Serialize_Args text = CALL_OF (layouts, Layouts_MemoryLayout_Serialize, .layout = layout);

  g_assert_cmpmem (text.serialized_bytes, text.serialized_bytes_size, expected, strlen (expected));
  text.serialized_layout_deleter (text.serialized_layout);
}

static void
check_default (const PJRT_Layouts_Extension *layouts,
               PJRT_Client                  *client,
               gsize                         rank,
               const char                   *expected)
{
  PJRT_TopologyDescription *topology = CALL (Client_TopologyDescription, .client = client).topology;
  g_autofree int64_t *dims = g_new0 (int64_t, rank);
  PJRT_Layouts_MemoryLayout *layout;

  layout = CALL_OF (layouts, Layouts_PJRT_Client_GetDefaultLayout, .client = client, .type = PJRT_Buffer_Type_F32,
                    .dims = dims, .num_dims = rank).layout;
  check_text (layouts, layout, expected);
  CALL_OF (layouts, Layouts_MemoryLayout_Destroy, .layout = layout);
  layout = CALL_OF (layouts, Layouts_PJRT_Topology_GetDefaultLayout, .topology_description = topology,
                    .type = PJRT_Buffer_Type_S4, .dims = dims, .num_dims = rank).layout;
  check_text (layouts, layout, expected);
  CALL_OF (layouts, Layouts_MemoryLayout_Destroy, .layout = layout);
}

static void
test_layouts (void)
{
  const PJRT_Layouts_Extension *layouts = find (PJRT_Extension_Type_Layouts, sizeof *layouts);
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *loaded = call_compile (client, program);
  PJRT_Executable *executable = CALL (LoadedExecutable_GetExecutable, .loaded_executable = loaded).executable;
  PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args outputs =
    CALL_OF (layouts, Layouts_PJRT_Executable_GetOutputLayouts, .executable = executable);
  PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args inputs =
    CALL_OF (layouts, Layouts_PJRT_Executable_GetParameterLayouts, .executable = executable);
  PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args wide = { .struct_size = sizeof wide, .client = client,
                                                          .num_dims = 65 };
  PJRT_Buffer *buffer = call_floats (client, ((const float[]) { 1, 2 }), 2);
  PJRT_Buffer_MemoryLayout order;

  check_default (layouts, client, 0, "{}");
  check_default (layouts, client, 1, "{0}");
  check_default (layouts, client, 12, "{11,10,9,8,7,6,5,4,3,2,1,0}");
  call_check_error (layouts->PJRT_Layouts_PJRT_Client_GetDefaultLayout (&wide), PJRT_Error_Code_UNIMPLEMENTED,
                    "expected at most 64 dimensions, found 65");
  check_text (layouts, CALL_OF (layouts, Layouts_PJRT_Buffer_MemoryLayout, .buffer = buffer).layout, "{0}");
  order = CALL (Buffer_GetMemoryLayout, .buffer = buffer).layout;
  g_assert_cmpuint (order.tiled.minor_to_major_size, ==, 1);
  g_assert_cmpint (order.tiled.minor_to_major[0], ==, 0);

  g_assert_cmpuint (inputs.num_parameters, ==, 2);
  check_text (layouts, inputs.layouts[0], "{2,1,0}");
  check_text (layouts, inputs.layouts[1], "{}");
  g_assert_cmpuint (outputs.num_outputs, ==, 2);
  check_text (layouts, outputs.layouts[0], "{}");
  check_text (layouts, outputs.layouts[1], "{1,0}");

  CALL (Buffer_Destroy, .buffer = buffer);
  CALL (Executable_Destroy, .executable = executable);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (Client_Destroy, .client = client);
}

/* Nothing is said of them, without which callers would read the program. */
static void
test_shardings (void)
{
  const PJRT_Shardings_Extension *shardings = find (PJRT_Extension_Type_Shardings, sizeof *shardings);
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *loaded = call_compile (client, program);
  PJRT_Executable *executable = CALL (LoadedExecutable_GetExecutable, .loaded_executable = loaded).executable;
  const char *const nothing[] = { "" };
  const size_t sizes[] = { 0 };
  PJRT_Shardings_PJRT_Executable_ParameterShardings_Args inputs =
    CALL_OF (shardings, Shardings_PJRT_Executable_ParameterShardings, .executable = executable,
             .shardings = nothing, .sharding_sizes = sizes);
  PJRT_Shardings_PJRT_Executable_OutputShardings_Args outputs =
    CALL_OF (shardings, Shardings_PJRT_Executable_OutputShardings, .executable = executable, .shardings = nothing,
             .sharding_sizes = sizes);

  g_assert_cmpuint (inputs.num_parameters, ==, 2);
  g_assert_null (inputs.shardings);
  g_assert_null (inputs.sharding_sizes);
  g_assert_cmpuint (outputs.num_outputs, ==, 2);
  g_assert_null (outputs.shardings);
  g_assert_null (outputs.sharding_sizes);
  CALL (Executable_Destroy, .executable = executable);
  CALL (LoadedExecutable_Destroy, .executable = loaded);
  CALL (Client_Destroy, .client = client);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  call_load ();

  g_test_add_func ("/pjrt/layouts", test_layouts);
  g_test_add_func ("/pjrt/shardings", test_shardings);

  return g_test_run ();
}
