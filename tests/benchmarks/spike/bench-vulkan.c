/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The exponential on the first Vulkan device that has addresses of buffers: SPIR-V words
 * straight from kernel and schedule, run from one recorded command buffer, compared with
 * the kernel interpreter; times beside vkCmdCopyBuffer of as many bytes.
 *
 *   bench-spike-vulkan [PREFIX]      also saves the words of each schedule as PREFIX-N.spv
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan.h>

#include "interpret.h"
#include "kernels.h"
#include "spirv-emit.h"

enum { REPETITIONS = 60 };

typedef struct
{
  VkPhysicalDevice   physical;
  VkDevice           device;
  VkQueue            queue;
  VkCommandPool      pool;
  SpikeFloatControls controls;
  char               name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
} Device;

typedef struct
{
  VkBuffer        buffer;
  VkDeviceMemory  memory;
  VkDeviceAddress address;
  gpointer        data;         /* mapped for good */
} Buffer;

/* A benchmark: whatever fails ends it with the call's name. */
static void
check (VkResult    result,
       const char *what)
{
  if (result == VK_SUCCESS)
    return;
  fprintf (stderr, "%s failed: %d\n", what, result);
  exit (1);
}

#define CHECK(call) check (call, #call)

static double
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);

  return (double) time.tv_sec * 1e6 + (double) time.tv_nsec * 1e-3;
}

static gboolean
choose_device (Device     *self,
               VkInstance  instance)
{
  VkPhysicalDevice devices[16];
  guint32 n = G_N_ELEMENTS (devices);

  vkEnumeratePhysicalDevices (instance, &n, devices);
  for (guint32 i = 0; i < n; i++)
    {
      VkPhysicalDeviceVulkan12Features features = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES };
      VkPhysicalDeviceFeatures2 all = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features };
      VkPhysicalDeviceVulkan12Properties properties = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES };
      VkPhysicalDeviceProperties2 named = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties };

      vkGetPhysicalDeviceFeatures2 (devices[i], &all);
      vkGetPhysicalDeviceProperties2 (devices[i], &named);
      if (!features.bufferDeviceAddress || !all.features.shaderInt64
          || named.properties.apiVersion < VK_API_VERSION_1_2)
        continue;
      self->physical = devices[i];
      self->controls = (SpikeFloatControls) { properties.shaderSignedZeroInfNanPreserveFloat32,
                                              properties.shaderDenormPreserveFloat32,
                                              properties.shaderRoundingModeRTEFloat32 };
      memcpy (self->name, named.properties.deviceName, sizeof self->name);
      return TRUE;
    }

  return FALSE;
}

static void
open_queue (Device *self)
{
  float priority = 1;
  VkDeviceQueueCreateInfo queue = { VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1,
                                    .pQueuePriorities = &priority };
  VkPhysicalDeviceVulkan12Features features = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                .bufferDeviceAddress = VK_TRUE };
  VkPhysicalDeviceFeatures2 all = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features,
                                    { .shaderInt64 = VK_TRUE } };
  VkDeviceCreateInfo info = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &all, .queueCreateInfoCount = 1,
                              .pQueueCreateInfos = &queue };
  VkCommandPoolCreateInfo pool = { VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
  VkQueueFamilyProperties families[16];
  guint32 n = G_N_ELEMENTS (families);

  vkGetPhysicalDeviceQueueFamilyProperties (self->physical, &n, families);
  while (!(families[queue.queueFamilyIndex].queueFlags & VK_QUEUE_COMPUTE_BIT))
    queue.queueFamilyIndex++;
  pool.queueFamilyIndex = queue.queueFamilyIndex;
  CHECK (vkCreateDevice (self->physical, &info, NULL, &self->device));
  vkGetDeviceQueue (self->device, queue.queueFamilyIndex, 0, &self->queue);
  CHECK (vkCreateCommandPool (self->device, &pool, NULL, &self->pool));
}

/* Of the device's own memory where the host sees that. */
static guint32
find_memory_type (Device  *self,
                  guint32  allowed)
{
  VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryPropertyFlags tries[] = { wanted | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, wanted };
  VkPhysicalDeviceMemoryProperties memory;

  vkGetPhysicalDeviceMemoryProperties (self->physical, &memory);
  for (guint j = 0; j < G_N_ELEMENTS (tries); j++)
    for (guint32 i = 0; i < memory.memoryTypeCount; i++)
      if ((allowed >> i & 1) && (memory.memoryTypes[i].propertyFlags & tries[j]) == tries[j])
        return i;
  check (VK_ERROR_FEATURE_NOT_PRESENT, "memory that the host sees");

  return 0;
}

static Buffer
make_buffer (Device       *self,
             VkDeviceSize  size)
{
  VkBufferCreateInfo info = { VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size,
                              .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT
                                       | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT };
  VkMemoryAllocateFlagsInfo flags = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                      .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT };
  VkMemoryAllocateInfo allocate = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags };
  VkBufferDeviceAddressInfo address = { VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO };
  VkMemoryRequirements needs;
  Buffer buffer;

  CHECK (vkCreateBuffer (self->device, &info, NULL, &buffer.buffer));
  vkGetBufferMemoryRequirements (self->device, buffer.buffer, &needs);
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex = find_memory_type (self, needs.memoryTypeBits);
  CHECK (vkAllocateMemory (self->device, &allocate, NULL, &buffer.memory));
  CHECK (vkBindBufferMemory (self->device, buffer.buffer, buffer.memory, 0));
  CHECK (vkMapMemory (self->device, buffer.memory, 0, VK_WHOLE_SIZE, 0, &buffer.data));
  address.buffer = buffer.buffer;
  buffer.address = vkGetBufferDeviceAddress (self->device, &address);

  return buffer;
}

static void
free_buffer (Device *self,
             Buffer *buffer)
{
  vkDestroyBuffer (self->device, buffer->buffer, NULL);
  vkFreeMemory (self->device, buffer->memory, NULL);
}

typedef struct
{
  VkShaderModule   module;
  VkPipelineLayout layout;
  VkPipeline       pipeline;
} Pipeline;

static Pipeline
make_pipeline (Device *self,
               GArray *code)
{
  VkShaderModuleCreateInfo module = { VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = code->len * 4,
                                      .pCode = (const guint32 *) (gpointer) code->data };
  VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof (SpikePushConstants) };
  VkPipelineLayoutCreateInfo layout = { VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .pushConstantRangeCount = 1,
                                        .pPushConstantRanges = &range };
  VkComputePipelineCreateInfo info = { VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO };
  Pipeline pipeline;

  CHECK (vkCreateShaderModule (self->device, &module, NULL, &pipeline.module));
  CHECK (vkCreatePipelineLayout (self->device, &layout, NULL, &pipeline.layout));
  info.stage = (VkPipelineShaderStageCreateInfo) { VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                   .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = pipeline.module,
                                                   .pName = "main" };
  info.layout = pipeline.layout;
  CHECK (vkCreateComputePipelines (self->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline.pipeline));

  return pipeline;
}

static void
free_pipeline (Device   *self,
               Pipeline *pipeline)
{
  vkDestroyPipeline (self->device, pipeline->pipeline, NULL);
  vkDestroyPipelineLayout (self->device, pipeline->layout, NULL);
  vkDestroyShaderModule (self->device, pipeline->module, NULL);
}

/* @pipeline NULL: copies @buffers[0] to @buffers[1]. */
static VkCommandBuffer
record (Device                   *self,
        const Pipeline           *pipeline,
        const SpikePushConstants *push,
        guint32                   groups,
        const Buffer             *buffers,
        VkDeviceSize              size)
{
  VkCommandBufferAllocateInfo allocate = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = self->pool,
                                           .commandBufferCount = 1 };
  VkCommandBufferBeginInfo begin = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
  VkMemoryBarrier barrier = { VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_HOST_READ_BIT };
  VkBufferCopy region = { .size = size };
  VkCommandBuffer commands;

  CHECK (vkAllocateCommandBuffers (self->device, &allocate, &commands));
  CHECK (vkBeginCommandBuffer (commands, &begin));
  if (pipeline != NULL)
    {
      vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->pipeline);
      vkCmdPushConstants (commands, pipeline->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof *push, push);
      vkCmdDispatch (commands, groups, 1, 1);
    }
  else
    vkCmdCopyBuffer (commands, buffers[0].buffer, buffers[1].buffer, 1, &region);
  vkCmdPipelineBarrier (commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                        VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
  CHECK (vkEndCommandBuffer (commands));

  return commands;
}

/* Least microseconds from submission to the end. */
static double
replay (Device          *self,
        VkCommandBuffer  commands,
        guint            repetitions)
{
  VkFenceCreateInfo info = { VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VkSubmitInfo submit = { VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands };
  double least = 0;
  VkFence fence;

  CHECK (vkCreateFence (self->device, &info, NULL, &fence));
  for (guint i = 0; i < repetitions; i++)
    {
      double start = now (), time;

      CHECK (vkQueueSubmit (self->queue, 1, &submit, fence));
      CHECK (vkWaitForFences (self->device, 1, &fence, VK_TRUE, G_MAXUINT64));
      time = now () - start;
      if (least == 0 || time < least)
        least = time;
      CHECK (vkResetFences (self->device, 1, &fence));
    }
  vkDestroyFence (self->device, fence, NULL);

  return least;
}

static gboolean
is_subnormal (guint32 bits)
{
  return (bits & 0x7f800000) == 0 && (bits & 0x7fffff) != 0;
}

/* Every kind of number, and in between many whose exponential is an ordinary one. */
static void
fill (Buffer *buffer,
      gsize   n)
{
  guint32 *bits = buffer->data;

  for (gsize i = 0; i < n; i++)
    if (i % 4 == 0)
      bits[i] = i * 4096;
    else
      bits[i] = 0x3f000000 + i * 2654435761u % 0x4000000 + (i & 1) * 0x80000000;
}

static guint
count_differences (const guint32 *found,
                   const guint32 *expected,
                   gsize          n,
                   guint         *subnormal)
{
  guint differences = 0;

  *subnormal = 0;
  for (gsize i = 0; i < n; i++)
    {
      gboolean nan = (found[i] & 0x7fffffff) > 0x7f800000 && (expected[i] & 0x7fffffff) > 0x7f800000;

      if (found[i] == expected[i] || nan)
        continue;
      if (is_subnormal (expected[i]))
        ++*subnormal;
      else
        differences++;
    }

  return differences;
}

static gboolean
bench_schedule (Device             *device,
                const GhloKernel   *kernel,
                const GhloSchedule *schedule,
                const char         *file)
{
  gsize n = kernel->axes[0].extent, step = (gsize) schedule->workgroup * schedule->unroll * schedule->width;
  g_autofree char *text = ghlo_schedule_print (schedule, kernel), *error = NULL;
  g_autofree guint32 *expected = g_new0 (guint32, n);
  Buffer buffers[2] = { make_buffer (device, n * 4), make_buffer (device, n * 4) }, table = make_buffer (device, 16);
  SpikePushConstants push = { table.address, 0, n };
  g_autoptr (GArray) code = NULL;
  VkCommandBuffer run, copy;
  guint differences, subnormal;
  double emitted, made, start = now ();
  Pipeline pipeline;

  code = ghlo_spirv_emit (kernel, schedule, &device->controls);
  emitted = now ();
  if (file != NULL)
    g_file_set_contents (file, code->data, code->len * 4, NULL);
  made = now ();
  pipeline = make_pipeline (device, code);
  made = now () - made;
  fill (&buffers[0], n);
  memcpy (table.data, (VkDeviceAddress[]) { buffers[0].address, buffers[1].address }, 16);
  run = record (device, &pipeline, &push, (n + step - 1) / step, NULL, 0);
  copy = record (device, NULL, NULL, 0, buffers, n * 4);
  replay (device, run, 1);
  ghlo_kernel_interpret (kernel, schedule, (gpointer[]) { buffers[0].data, expected }, &error);
  differences = count_differences (buffers[1].data, expected, n, &subnormal);
  printf ("  %s\n    %s%u differences, %u more where the answer is subnormal; %u words in %.2f ms, pipeline %.1f ms\n",
          text, error != NULL ? error : "", differences, subnormal, code->len, (emitted - start) * 1e-3, made * 1e-3);
  printf ("    %.0f µs, a copy %.0f µs\n", replay (device, run, REPETITIONS), replay (device, copy, REPETITIONS));
  free_pipeline (device, &pipeline);
  free_buffer (device, &buffers[0]);
  free_buffer (device, &buffers[1]);
  free_buffer (device, &table);

  return differences == 0 && error == NULL;
}

int
main (int    argc,
      char **argv)
{
  static const struct { guint8 width, unroll; guint16 workgroup; } tries[] = {
    { 4, 1, 64 }, { 1, 1, 64 }, { 4, 4, 64 }, { 1, 4, 64 }, { 4, 1, 256 }, { 4, 4, 256 },
  };
  VkApplicationInfo application = { VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2 };
  VkInstanceCreateInfo info = { VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application };
  g_autofree GhloKernel *plain = g_new0 (GhloKernel, 1);
  g_autofree GhloKernel *kernel = NULL;
  Device device = { NULL };
  gboolean ok = TRUE;
  VkInstance instance;

  if (vkCreateInstance (&info, NULL, &instance) != VK_SUCCESS || !choose_device (&device, instance))
    {
      printf ("no Vulkan device with addresses of buffers\n");
      return 77;
    }
  open_queue (&device);
  printf ("%s: %s NaN, %s denormals, %s to even\n", device.name, device.controls.preserves_nan ? "keeps" : "may drop",
          device.controls.preserves_denormals ? "keeps" : "may flush",
          device.controls.rounds_to_even ? "rounds" : "may not round");
  spike_kernels[0].make (plain);
  plain->axes[0].extent -= 3;   /* so that a vector is left over */
  kernel = ghlo_kernel_expand (plain, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (tries); i++)
    {
      GhloSchedule schedule = { .width = tries[i].width, .unroll = tries[i].unroll, .workgroup = tries[i].workgroup,
                                .tail = GHLO_TAIL_SCALAR, .axes = { { GHLO_UNIT_INVOCATION, 1 } } };
      g_autofree char *file = argc > 1 ? g_strdup_printf ("%s-%u.spv", argv[1], i) : NULL;

      ok &= bench_schedule (&device, kernel, &schedule, file);
    }
  vkDestroyCommandPool (device.device, device.pool, NULL);
  vkDestroyDevice (device.device, NULL);
  vkDestroyInstance (instance, NULL);

  return ok ? 0 : 1;
}
