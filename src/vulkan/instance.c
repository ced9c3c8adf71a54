/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The instance is never destroyed, since the drivers of lost devices may still have threads running.
 */

#include "vulkan/instance.h"

#include <string.h>

#include "base/debug.h"
#include "base/ghlo-error.h"
#include "runtime/memory.h"

#define VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"

/* What users can do where the loader makes no instance, or lists no devices: no driver is installed, or none loads. */
#define NO_DRIVER \
  "a Vulkan loader was found, but no driver that loads (VK_LOADER_DEBUG=error,driver shows which ones it tries)"

static VKAPI_ATTR VkBool32 VKAPI_CALL
on_message (VkDebugUtilsMessageSeverityFlagBitsEXT      severity,
            VkDebugUtilsMessageTypeFlagsEXT             types,
            const VkDebugUtilsMessengerCallbackDataEXT *message,
            gpointer                                    user_data)
{
  g_critical ("%s", message->pMessage);

  return VK_FALSE;
}

/* General messages of the loader and of drivers about the machine are left out. */
static const VkDebugUtilsMessengerCreateInfoEXT messenger_info = {
  VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
  .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
  .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
  .pfnUserCallback = on_message,
};

static gboolean
has_validation (const GhloVulkanFunctions *vk)
{
  g_autofree VkLayerProperties *layers = NULL;
  guint32 n = 0;

  if (!ghlo_debug_has (GHLO_DEBUG_VULKAN)
      || ghlo_vulkan_call (vk, EnumerateInstanceLayerProperties, &n, NULL) != VK_SUCCESS)
    return FALSE;
  layers = g_new0 (VkLayerProperties, n + 1);
  if (ghlo_vulkan_call (vk, EnumerateInstanceLayerProperties, &n, layers) != VK_SUCCESS)
    return FALSE;
  for (guint32 i = 0; i < n; i++)
    if (strcmp (layers[i].layerName, VALIDATION_LAYER) == 0)
      return TRUE;
  g_debug ("GHLO_DEBUG=vulkan: the validation layer is not installed");

  return FALSE;
}

/* Enables synchronization validation, which is off by default. */
static gboolean
create_instance (GhloVulkanInstance  *self,
                 GError             **error)
{
  static const char *const layers[] = { VALIDATION_LAYER };
  static const char *const extensions[] = { VK_EXT_DEBUG_UTILS_EXTENSION_NAME };
  static const VkValidationFeatureEnableEXT enabled[] = { VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT };
  const VkValidationFeaturesEXT features = { VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, &messenger_info,
                                             G_N_ELEMENTS (enabled), enabled };
  const VkApplicationInfo application = { VK_STRUCTURE_TYPE_APPLICATION_INFO, .pEngineName = "GHLO",
                                          .apiVersion = VK_API_VERSION_1_2 };
  gboolean validates = has_validation (self->vk);
  VkInstance instance = NULL;
  const VkInstanceCreateInfo info = {
    VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, validates ? &features : NULL, .pApplicationInfo = &application,
    .enabledLayerCount = validates ? G_N_ELEMENTS (layers) : 0, .ppEnabledLayerNames = layers,
    .enabledExtensionCount = validates ? G_N_ELEMENTS (extensions) : 0, .ppEnabledExtensionNames = extensions,
  };

  if (!ghlo_vulkan_check (ghlo_vulkan_call (self->vk, CreateInstance, &info, NULL, &instance), "create an instance",
                          error)
      || !ghlo_vulkan_functions_load (self->vk, instance, error))
    return FALSE;
  self->instance = instance;
  if (validates && self->vk->CreateDebugUtilsMessengerEXT != NULL)
    self->vk->CreateDebugUtilsMessengerEXT (self->instance, &messenger_info, NULL, &self->messenger);

  return TRUE;
}

/* Once opened, the loader stays open and serves later attempts as well. */
const GhloVulkanInstance *
ghlo_vulkan_instance_get (GError **error)
{
  static GMutex lock;
  static GhloVulkanInstance self;
  gboolean ok;

  g_mutex_lock (&lock);
  if (self.vk == NULL)
    self.vk = ghlo_vulkan_functions_open (error);
  ok = self.vk != NULL
       && (self.instance != NULL || ghlo_memory_check_room (GHLO_VULKAN_ROOM, "the Vulkan drivers", error));
  if (ok && self.instance == NULL && !create_instance (&self, error))
    {
      g_prefix_error (error, NO_DRIVER ": ");
      ok = FALSE;
    }
  g_mutex_unlock (&lock);

  return ok ? &self : NULL;
}

guint
ghlo_vulkan_instance_list (const GhloVulkanInstance  *self,
                           VkPhysicalDevice          *devices,
                           GError                   **error)
{
  guint32 n = GHLO_VULKAN_MAX_DEVICES;
  VkResult result = ghlo_vulkan_call (self->vk, EnumeratePhysicalDevices, self->instance, &n, devices);

  if (result != VK_INCOMPLETE && !ghlo_vulkan_check (result, "list its devices", error))
    return 0;
  if (n == 0)
    g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_DEVICE, NO_DRIVER);

  return n;
}
