/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin's only exported function, and the functions of the plugin itself.
 */

#include "pjrt/api.h"

#include "base/stack.h"
#include "pjrt/buffer.h"
#include "pjrt/client.h"
#include "pjrt/context.h"
#include "pjrt/error.h"
#include "pjrt/event.h"
#include "pjrt/executable.h"
#include "pjrt/ffi/ffi.h"
#include "pjrt/layouts.h"
#include "pjrt/partition/partitioners.h"
#include "pjrt/shardings.h"

#define IMPLEMENTED(name)
#define IMPLEMENTED_VOID(name)
#define UNIMPLEMENTED(name) \
  static PJRT_Error * \
  name##_unimplemented (G_GNUC_UNUSED void *args) \
  { \
    return ghlo_pjrt_error_new (PJRT_Error_Code_UNIMPLEMENTED, "GHLO does not implement PJRT_" #name); \
  }
#include "pjrt/functions.def"
#undef IMPLEMENTED
#undef IMPLEMENTED_VOID
#undef UNIMPLEMENTED

/* The functions behind those of the table, which call them with enough stack. */
static PJRT_Api implementation;

static PJRT_Error *
continue_elsewhere (GThreadFunc func,
                    void       *args)
{
  GError *error = NULL;
  GhloThread *thread = ghlo_stack_continue (func, args, &error);

  return thread != NULL ? ghlo_thread_join (thread) : ghlo_pjrt_error_take (error);
}

#define IMPLEMENTED(name) \
  static gpointer \
  name##_continued (gpointer args) \
  { \
    return implementation.PJRT_##name (args); \
  } \
  static PJRT_Error * \
  name##_with_stack (PJRT_##name##_Args *args) \
  { \
    return ghlo_stack_has (GHLO_STACK_NEED) ? implementation.PJRT_##name (args) \
                                            : continue_elsewhere (name##_continued, args); \
  }
#define IMPLEMENTED_VOID(name)
#define UNIMPLEMENTED(name)
#include "pjrt/functions.def"
#undef IMPLEMENTED
#undef IMPLEMENTED_VOID
#undef UNIMPLEMENTED

static PJRT_Error *
initialize (PJRT_Plugin_Initialize_Args *args)
{
  PJRT_NEEDS (args, extension_start);

  return NULL;
}

/* The newest version of StableHLO that the library reads. JAX writes programs in this version, or in its own version
 * where that is older. */
static const int64_t stablehlo_version[] = { 1, 20, 0 };
static const int64_t oldest_version[] = { 0, 9, 0 };

static const PJRT_NamedValue attributes[] = {
  { .struct_size = sizeof (PJRT_NamedValue), .name = "stablehlo_current_version",
    .name_size = sizeof "stablehlo_current_version" - 1, .type = PJRT_NamedValue_kInt64List,
    .int64_array_value = stablehlo_version, .value_size = G_N_ELEMENTS (stablehlo_version) },
  { .struct_size = sizeof (PJRT_NamedValue), .name = "stablehlo_minimum_version",
    .name_size = sizeof "stablehlo_minimum_version" - 1, .type = PJRT_NamedValue_kInt64List,
    .int64_array_value = oldest_version, .value_size = G_N_ELEMENTS (oldest_version) },
};

static PJRT_Error *
get_attributes (PJRT_Plugin_Attributes_Args *args)
{
  PJRT_NEEDS (args, num_attributes);
  args->attributes = attributes;
  args->num_attributes = G_N_ELEMENTS (attributes);

  return NULL;
}

/* Fills in the extensions and returns them as a list. */
static PJRT_Extension_Base *
list_extensions (void)
{
  static PJRT_Layouts_Extension layouts;
  static PJRT_Shardings_Extension shardings;
  static PJRT_Custom_Partitioner_Extension partitioners;
  static PJRT_FFI_Extension ffi;
  static PJRT_Gpu_Custom_Call bundles;

  ghlo_pjrt_layouts_fill (&layouts);
  ghlo_pjrt_shardings_fill (&shardings);
  ghlo_pjrt_partitioners_fill (&partitioners);
  ghlo_pjrt_ffi_fill (&ffi, &bundles);
  layouts.base.next = &shardings.base;
  shardings.base.next = &partitioners.base;
  partitioners.base.next = &ffi.base;
  ffi.base.next = &bundles.base;

  return &layouts.base;
}

static void
fill (PJRT_Api *api)
{
  api->struct_size = sizeof *api;
  api->extension_start = list_extensions ();
  api->pjrt_api_version.struct_size = sizeof api->pjrt_api_version;
  api->pjrt_api_version.major_version = PJRT_API_MAJOR;
  api->pjrt_api_version.minor_version = PJRT_API_MINOR;
#define IMPLEMENTED(name)
#define IMPLEMENTED_VOID(name)
#define UNIMPLEMENTED(name) api->PJRT_##name = name##_unimplemented;
#include "pjrt/functions.def"
#undef IMPLEMENTED
#undef IMPLEMENTED_VOID
#undef UNIMPLEMENTED
  api->PJRT_Plugin_Initialize = initialize;
  api->PJRT_Plugin_Attributes = get_attributes;
  ghlo_pjrt_error_add_functions (api);
  ghlo_pjrt_event_add_functions (api);
  ghlo_pjrt_client_add_functions (api);
  ghlo_pjrt_device_add_functions (api);
  ghlo_pjrt_memory_add_functions (api);
  ghlo_pjrt_topology_add_functions (api);
  ghlo_pjrt_buffer_add_functions (api);
  ghlo_pjrt_executable_add_functions (api);
  ghlo_pjrt_context_add_functions (api);
}

static void
add_stack (PJRT_Api *api)
{
  implementation = *api;
#define IMPLEMENTED(name) api->PJRT_##name = name##_with_stack;
#define IMPLEMENTED_VOID(name)
#define UNIMPLEMENTED(name)
#include "pjrt/functions.def"
#undef IMPLEMENTED
#undef IMPLEMENTED_VOID
#undef UNIMPLEMENTED
}

const PJRT_Api *
GetPjrtApi (void)
{
  static PJRT_Api api;
  static gsize filled;

  if (g_once_init_enter (&filled))
    {
      fill (&api);
      add_stack (&api);
      g_once_init_leave (&filled, 1);
    }

  return &api;
}
