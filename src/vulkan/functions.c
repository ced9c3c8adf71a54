/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loads Vulkan's functions, and translates their results to errors.
 */

#include "vulkan/functions.h"

#include <dlfcn.h>

#include "base/ghlo-error.h"

#define LIBRARY "libvulkan.so.1"

static PFN_vkGetInstanceProcAddr get_function;

static gboolean
refuse (const char  *name,
        GError     **error)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE, "the Vulkan loader " LIBRARY " has no vk%s", name);

  return FALSE;
}

/* @instance is NULL for global functions. */
#define LOAD(name) self->name = (PFN_vk##name) get_function (instance, "vk" #name);
#define LOAD_NEEDED(name) \
  LOAD (name) \
  if (self->name == NULL) \
    return refuse (#name, error);

static gboolean
load_global (GhloVulkanFunctions  *self,
             GError              **error)
{
  const VkInstance instance = NULL;

  GHLO_VULKAN_GLOBAL_FUNCTIONS (LOAD_NEEDED)

  return TRUE;
}

gboolean
ghlo_vulkan_functions_load (GhloVulkanFunctions  *self,
                            VkInstance            instance,
                            GError              **error)
{
  GHLO_VULKAN_FUNCTIONS (LOAD_NEEDED)
  GHLO_VULKAN_MESSAGE_FUNCTIONS (LOAD)
  GHLO_VULKAN_EXTENSION_FUNCTIONS (LOAD)
  self->GetPhysicalDeviceCooperativeMatrixPropertiesKHR
    = (GhloVulkanCooperativeFunc) get_function (instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");

  return TRUE;
}

#undef LOAD
#undef LOAD_NEEDED

GhloVulkanFunctions *
ghlo_vulkan_functions_open (GError **error)
{
  gpointer library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  g_autofree GhloVulkanFunctions *self = NULL;

  if (library == NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE, "there is no Vulkan loader: %s", dlerror ());
      return NULL;
    }
  *(gpointer *) &get_function = dlsym (library, "vkGetInstanceProcAddr");
  self = g_new0 (GhloVulkanFunctions, 1);
  if (get_function == NULL)
    refuse ("GetInstanceProcAddr", error);
  if (get_function == NULL || !load_global (self, error))
    return NULL;

  return g_steal_pointer (&self);
}

const char *
ghlo_vulkan_result_name (VkResult result)
{
  switch (result)
    {
#define ROW(name) case name: return #name;
    ROW (VK_SUCCESS)
    ROW (VK_NOT_READY)
    ROW (VK_TIMEOUT)
    ROW (VK_INCOMPLETE)
    ROW (VK_ERROR_OUT_OF_HOST_MEMORY)
    ROW (VK_ERROR_OUT_OF_DEVICE_MEMORY)
    ROW (VK_ERROR_INITIALIZATION_FAILED)
    ROW (VK_ERROR_DEVICE_LOST)
    ROW (VK_ERROR_MEMORY_MAP_FAILED)
    ROW (VK_ERROR_LAYER_NOT_PRESENT)
    ROW (VK_ERROR_EXTENSION_NOT_PRESENT)
    ROW (VK_ERROR_FEATURE_NOT_PRESENT)
    ROW (VK_ERROR_INCOMPATIBLE_DRIVER)
    ROW (VK_ERROR_TOO_MANY_OBJECTS)
    ROW (VK_ERROR_UNKNOWN)
    ROW (VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS)
    ROW (VK_ERROR_NOT_PERMITTED_KHR)
#undef ROW
    default:
      return "an unknown VkResult";
    }
}

gboolean
ghlo_vulkan_check (VkResult     result,
                   const char  *what,
                   GError     **error)
{
  GhloError code;

  switch (result)
    {
    case VK_SUCCESS:
      return TRUE;
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      code = GHLO_ERROR_OUT_OF_MEMORY;
      break;
    case VK_ERROR_DEVICE_LOST:
      code = GHLO_ERROR_DEVICE_LOST;
      break;
    default:
      code = GHLO_ERROR_DEVICE;
    }
  g_set_error (error, GHLO_ERROR, code, "the Vulkan driver could not %s: %s", what, ghlo_vulkan_result_name (result));

  return FALSE;
}
