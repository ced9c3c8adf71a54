/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The loader is opened together with the first device, so that tests start without a loader and report what is missing.
 * The validation layer is enabled where it is installed.
 */

#include "shader-device.h"

#include <dlfcn.h>
#include <string.h>

#define VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"

enum { MAX_DEVICES = 16, MAX_FAMILIES = 16 };

static VKAPI_ATTR VkBool32 VKAPI_CALL
message_cb (VkDebugUtilsMessageSeverityFlagBitsEXT      severity,
            VkDebugUtilsMessageTypeFlagsEXT             types,
            const VkDebugUtilsMessengerCallbackDataEXT *message,
            gpointer                                    user_data)
{
  ShaderDevice *self = user_data;
  gboolean is_error = (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT) != 0;

  self->n_messages++;
  self->n_errors += is_error;
  g_test_message ("validation %s: %s", is_error ? "error" : "warning", message->pMessage);

  return VK_FALSE;
}

/* Messages of the loader and of drivers are ignored: they are about the machine rather than the code under test. */
static VkDebugUtilsMessengerCreateInfoEXT
describe_messenger (ShaderDevice *self)
{
  return (VkDebugUtilsMessengerCreateInfoEXT) {
    VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
    .pfnUserCallback = message_cb,
    .pUserData = self,
  };
}

static gboolean
has_validation (ShaderDevice *self)
{
  g_autofree VkLayerProperties *layers = NULL;
  guint32 n = 0;

  if (self->vk.EnumerateInstanceLayerProperties (&n, NULL) != VK_SUCCESS || n == 0)
    return FALSE;
  layers = g_new0 (VkLayerProperties, n);
  if (self->vk.EnumerateInstanceLayerProperties (&n, layers) != VK_SUCCESS)
    return FALSE;
  for (guint32 i = 0; i < n; i++)
    if (strcmp (layers[i].layerName, VALIDATION_LAYER) == 0)
      return TRUE;

  return FALSE;
}

/* FALSE where the loader lacks a function. */
static gboolean
load_functions (ShaderDevice *self)
{
  gboolean all = TRUE;

#define LOAD(name) self->vk.name = (PFN_vk##name) self->get_function (self->instance, "vk" #name);
#define LOAD_NEEDED(name) LOAD (name) all &= self->vk.name != NULL;
  if (self->instance == NULL)
    {
      SHADER_DEVICE_GLOBAL_FUNCTIONS (LOAD_NEEDED)
    }
  else
    {
      SHADER_DEVICE_FUNCTIONS (LOAD_NEEDED)
      SHADER_DEVICE_MESSAGE_FUNCTIONS (LOAD)
    }
#undef LOAD
#undef LOAD_NEEDED

  return all;
}

/* The messenger is chained, so that messages about the instance itself are received, too. */
static gboolean
create_instance (ShaderDevice *self,
                 gboolean      validated)
{
  static const char * const layers[] = { VALIDATION_LAYER };
  static const char * const extensions[] = { VK_EXT_DEBUG_UTILS_EXTENSION_NAME };
  VkDebugUtilsMessengerCreateInfoEXT messenger = describe_messenger (self);
  VkApplicationInfo application = { VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2 };
  VkInstanceCreateInfo info = {
    VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, validated ? &messenger : NULL, .pApplicationInfo = &application,
    .enabledLayerCount = validated ? 1 : 0, .ppEnabledLayerNames = layers,
    .enabledExtensionCount = validated ? 1 : 0, .ppEnabledExtensionNames = extensions,
  };

  if (self->vk.CreateInstance (&info, NULL, &self->instance) != VK_SUCCESS)
    {
      self->instance = NULL;
      return FALSE;
    }
  if (!load_functions (self))
    return FALSE;
  if (validated && self->vk.CreateDebugUtilsMessengerEXT != NULL)
    self->vk.CreateDebugUtilsMessengerEXT (self->instance, &messenger, NULL, &self->messenger);

  return TRUE;
}

static const char *
open_instance (ShaderDevice *self)
{
  self->library = dlopen ("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (self->library == NULL)
    return "no Vulkan loader";
  *(gpointer *) &self->get_function = dlsym (self->library, "vkGetInstanceProcAddr");
  if (self->get_function == NULL || !load_functions (self))
    return "the Vulkan loader lacks a function";
  /* A layer that is listed may still fail to load. */
  if (has_validation (self) && create_instance (self, TRUE))
    return NULL;
  if (self->instance == NULL && create_instance (self, FALSE))
    return NULL;

  return "no Vulkan driver";
}

/* The chain of features that a device is queried for or created with. */
typedef struct
{
  VkPhysicalDeviceFeatures2        all;
  VkPhysicalDeviceVulkan11Features features11;
  VkPhysicalDeviceVulkan12Features features12;
} Features;

static void
chain_features (Features *features)
{
  features->all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features->all.pNext = &features->features11;
  features->features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  features->features11.pNext = &features->features12;
  features->features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
}

/* The first device whose name contains GHLO_TEST_VULKAN, or by default the first CPU. */
static const char *
choose_device (ShaderDevice *self)
{
  const char *wanted = g_getenv ("GHLO_TEST_VULKAN");
  VkPhysicalDevice devices[MAX_DEVICES];
  guint32 n = MAX_DEVICES;
  VkResult result = self->vk.EnumeratePhysicalDevices (self->instance, &n, devices);

  if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || n == 0)
    return "no Vulkan device";
  for (guint32 i = 0; i < n; i++)
    {
      VkPhysicalDeviceProperties properties;

      self->vk.GetPhysicalDeviceProperties (devices[i], &properties);
      if (wanted != NULL ? strstr (properties.deviceName, wanted) == NULL
                         : properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU)
        continue;
      self->physical = devices[i];
      self->limits = properties.limits;
      memcpy (self->name, properties.deviceName, sizeof self->name);
      return properties.apiVersion < VK_API_VERSION_1_2 ? "the Vulkan device is older than 1.2" : NULL;
    }

  return wanted != NULL ? "no Vulkan device has the name of GHLO_TEST_VULKAN" : "no Vulkan device is a CPU";
}

static void
read_properties (ShaderDevice *self)
{
  VkPhysicalDeviceVulkan12Properties float_controls = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES };
  VkPhysicalDeviceMaintenance3Properties sizes = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
                                                   &float_controls };
  VkPhysicalDeviceProperties2 all = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &sizes };

  self->vk.GetPhysicalDeviceProperties2 (self->physical, &all);
  self->max_allocation = sizes.maxMemoryAllocationSize;
  self->features.preserves_denormals[0] = float_controls.shaderDenormPreserveFloat32;
  self->features.preserves_denormals[1] = float_controls.shaderDenormPreserveFloat64;
  self->features.rounds_to_even[0] = float_controls.shaderRoundingModeRTEFloat32;
  self->features.rounds_to_even[1] = float_controls.shaderRoundingModeRTEFloat64;
  self->features.preserves_nan[0] = float_controls.shaderSignedZeroInfNanPreserveFloat32;
  self->features.preserves_nan[1] = float_controls.shaderSignedZeroInfNanPreserveFloat64;
}

/* Chooses the features that a runner enables among those that the device @has. */
static gboolean
choose_features (ShaderDevice   *self,
                 const Features *has,
                 Features       *chosen)
{
  chosen->all.features.shaderInt64 = has->all.features.shaderInt64;
  chosen->all.features.shaderFloat64 = has->all.features.shaderFloat64;
  chosen->all.features.shaderInt16 = has->all.features.shaderInt16;
  chosen->features11.storageBuffer16BitAccess = has->features11.storageBuffer16BitAccess;
  chosen->features12.shaderInt8 = has->features12.shaderInt8;
  chosen->features12.storageBuffer8BitAccess = has->features12.storageBuffer8BitAccess;
  chosen->features12.bufferDeviceAddress = has->features12.bufferDeviceAddress;
  chosen->features12.timelineSemaphore = has->features12.timelineSemaphore;
  self->features.float64 = has->all.features.shaderFloat64;
  self->features.int16 = has->all.features.shaderInt16;
  self->features.int8 = has->features12.shaderInt8;
  self->features.storage8 = has->features12.storageBuffer8BitAccess;
  self->features.storage16 = has->features11.storageBuffer16BitAccess;

  return chosen->all.features.shaderInt64 && chosen->features12.bufferDeviceAddress
         && chosen->features12.timelineSemaphore;
}

/* G_MAXUINT32 where no queue family supports compute. */
static guint32
find_family (ShaderDevice *self)
{
  VkQueueFamilyProperties families[MAX_FAMILIES];
  guint32 n = MAX_FAMILIES;

  self->vk.GetPhysicalDeviceQueueFamilyProperties (self->physical, &n, families);
  for (guint32 i = 0; i < n; i++)
    if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)
      return i;

  return G_MAXUINT32;
}

static gboolean
create_device (ShaderDevice   *self,
               const Features *features,
               guint32         family)
{
  VkSemaphoreTypeCreateInfo type = { VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                     .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE };
  VkSemaphoreCreateInfo timeline = { VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type };
  VkCommandPoolCreateInfo pool = { VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                   .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT, .queueFamilyIndex = family };
  VkDeviceQueueCreateInfo queue = { VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family,
                                    .queueCount = 1, .pQueuePriorities = (const float[]) { 1 } };
  VkDeviceCreateInfo info = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, features, .queueCreateInfoCount = 1,
                              .pQueueCreateInfos = &queue };

  if (self->vk.CreateDevice (self->physical, &info, NULL, &self->device) != VK_SUCCESS)
    {
      self->device = NULL;
      return FALSE;
    }
  self->vk.GetDeviceQueue (self->device, family, 0, &self->queue);

  return self->vk.CreateCommandPool (self->device, &pool, NULL, &self->pool) == VK_SUCCESS
         && self->vk.CreateSemaphore (self->device, &timeline, NULL, &self->timeline) == VK_SUCCESS;
}

static const char *
open_device (ShaderDevice *self)
{
  const char *reason = choose_device (self);
  Features has = { 0 }, chosen = { 0 };
  guint32 family;

  if (reason != NULL)
    return reason;
  chain_features (&has);
  chain_features (&chosen);
  self->vk.GetPhysicalDeviceFeatures2 (self->physical, &has.all);
  if (!choose_features (self, &has, &chosen))
    return "the Vulkan device lacks addresses of buffers, integers of 64 bits or timeline semaphores";
  read_properties (self);
  family = find_family (self);
  if (family == G_MAXUINT32)
    return "the Vulkan device does not compute";

  return create_device (self, &chosen, family) ? NULL : "the Vulkan device does not open";
}

const char *
shader_device_open (ShaderDevice *self)
{
  const char *reason = open_instance (self);

  return reason != NULL ? reason : open_device (self);
}

void
shader_device_close (ShaderDevice *self)
{
  if (self->device != NULL)
    {
      self->vk.DestroySemaphore (self->device, self->timeline, NULL);
      self->vk.DestroyCommandPool (self->device, self->pool, NULL);
      self->vk.DestroyDevice (self->device, NULL);
    }
  if (self->messenger != VK_NULL_HANDLE)
    self->vk.DestroyDebugUtilsMessengerEXT (self->instance, self->messenger, NULL);
  if (self->instance != NULL && self->vk.DestroyInstance != NULL)
    self->vk.DestroyInstance (self->instance, NULL);
  if (self->library != NULL)
    dlclose (self->library);
}
