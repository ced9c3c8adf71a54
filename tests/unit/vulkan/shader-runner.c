/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Only memory is kept between runs: each run creates its module, pipeline and commands, and destroys them.
 */

#include "shader-device.h"

#include <string.h>

enum { ALIGNMENT = 64 };

/* ns; lavapipe compiles when a shader is run, which takes seconds on a busy machine. */
#define TIMEOUT (240 * G_GUINT64_CONSTANT (1000000000))

typedef struct
{
  VkBuffer       buffer;
  VkDeviceMemory memory;      /* mapped for good */
} Allocation;

struct ShaderRunner
{
  ShaderDevice                 on;
  const ShaderDeviceFunctions *vk;            /* and its device, as a shorthand */
  VkDevice                     device;
  GArray                      *allocations;   /* Allocation */
  guint64                      n_runs;        /* the timeline's value once all runs have ended */
  gboolean                     stuck;         /* the device may still be running the last submission */
};

ShaderRunner *
shader_runner_new (const char **reason)
{
  g_autoptr (ShaderRunner) self = g_new0 (ShaderRunner, 1);

  self->allocations = g_array_new (FALSE, TRUE, sizeof (Allocation));
  *reason = shader_device_open (&self->on);
  self->vk = &self->on.vk;
  self->device = self->on.device;

  return *reason == NULL ? g_steal_pointer (&self) : NULL;
}

void
shader_runner_free (ShaderRunner *self)
{
  /* Objects that the device still uses must not be destroyed, and waiting for it might never end. */
  if (self->stuck)
    return;
  shader_runner_free_all (self);
  shader_device_close (&self->on);
  g_array_unref (self->allocations);
  g_free (self);
}

const char *
shader_runner_get_name (ShaderRunner *self)
{
  return self->on.name;
}

const ShaderFeatures *
shader_runner_get_features (ShaderRunner *self)
{
  return &self->on.features;
}

gboolean
shader_runner_is_validated (ShaderRunner *self)
{
  return self->on.messenger != VK_NULL_HANDLE;
}

guint
shader_runner_n_messages (ShaderRunner *self)
{
  return self->on.n_messages;
}

/* A type of memory that the host reads fast, where there is one. G_MAXUINT32 where no type is visible to the host. */
static guint32
find_memory_type (ShaderRunner *self,
                  guint32       allowed)
{
  VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryPropertyFlags tries[] = { wanted | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, wanted };
  VkPhysicalDeviceMemoryProperties memory;

  self->vk->GetPhysicalDeviceMemoryProperties (self->on.physical, &memory);
  for (guint j = 0; j < G_N_ELEMENTS (tries); j++)
    for (guint32 i = 0; i < memory.memoryTypeCount; i++)
      if ((allowed >> i & 1) && (memory.memoryTypes[i].propertyFlags & tries[j]) == tries[j])
        return i;

  return G_MAXUINT32;
}

/* On failure @allocation contains what was made before the error. */
static gboolean
allocate (ShaderRunner *self,
          VkDeviceSize  size,
          Allocation   *allocation,
          gpointer     *host)
{
  VkBufferCreateInfo info = {
    VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size,
    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
  };
  VkMemoryAllocateFlagsInfo flags = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                      .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT };
  VkMemoryAllocateInfo memory = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags };
  VkMemoryRequirements needs;

  if (self->vk->CreateBuffer (self->device, &info, NULL, &allocation->buffer) != VK_SUCCESS)
    return FALSE;
  self->vk->GetBufferMemoryRequirements (self->device, allocation->buffer, &needs);
  memory.allocationSize = needs.size;
  memory.memoryTypeIndex = find_memory_type (self, needs.memoryTypeBits);
  if (memory.memoryTypeIndex == G_MAXUINT32 || needs.size > self->on.max_allocation)
    return FALSE;

  return self->vk->AllocateMemory (self->device, &memory, NULL, &allocation->memory) == VK_SUCCESS
         && self->vk->BindBufferMemory (self->device, allocation->buffer, allocation->memory, 0) == VK_SUCCESS
         && self->vk->MapMemory (self->device, allocation->memory, 0, VK_WHOLE_SIZE, 0, host) == VK_SUCCESS;
}

static void
allocation_free (ShaderRunner     *self,
                 const Allocation *allocation)
{
  self->vk->DestroyBuffer (self->device, allocation->buffer, NULL);
  self->vk->FreeMemory (self->device, allocation->memory, NULL);
}

guint64
shader_runner_alloc (ShaderRunner *self,
                     gsize         size,
                     gpointer     *host)
{
  VkBufferDeviceAddressInfo info = { VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO };
  Allocation allocation = { VK_NULL_HANDLE, VK_NULL_HANDLE };
  gpointer mapped = NULL;
  guint64 address, padding;

  *host = NULL;
  if (size > self->on.max_allocation || size > G_MAXSIZE - ALIGNMENT)
    return 0;
  /* Devices guarantee no alignment of addresses, so space for aligning is added. */
  if (!allocate (self, size + ALIGNMENT, &allocation, &mapped))
    {
      allocation_free (self, &allocation);
      return 0;
    }
  g_array_append_val (self->allocations, allocation);
  info.buffer = allocation.buffer;
  address = self->vk->GetBufferDeviceAddress (self->device, &info);
  padding = -address % ALIGNMENT;
  *host = (guint8 *) mapped + padding;
  memset (*host, 0, size);

  return address + padding;
}

void
shader_runner_free_all (ShaderRunner *self)
{
  if (self->stuck)
    return;
  for (guint i = 0; i < self->allocations->len; i++)
    allocation_free (self, &g_array_index (self->allocations, Allocation, i));
  g_array_set_size (self->allocations, 0);
}

/* The objects that one run creates. */
typedef struct
{
  VkShaderModule   module;
  VkPipelineLayout layout;
  VkPipeline       pipeline;
  VkCommandBuffer  commands;
} Run;

static gboolean
check (VkResult     result,
       const char  *call,
       GError     **error)
{
  if (result == VK_SUCCESS)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s gave VkResult %d", call, result);

  return FALSE;
}

/* Drivers crash on invalid modules, so such a run ends here. */
static gboolean
check_messages (ShaderRunner  *self,
                guint          n_errors_before,
                GError       **error)
{
  if (self->on.n_errors == n_errors_before)
    return TRUE;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "the validation layer found an error");

  return FALSE;
}

static gboolean
check_arguments (ShaderRunner  *self,
                 gsize          n_words,
                 gsize          push_size,
                 guint          n_groups,
                 GError       **error)
{
  if (self->stuck)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_BUSY, "the device has not ended an earlier run");
  else if (n_words == 0 || n_words > G_MAXSIZE / sizeof (guint32))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "expected a module, found %" G_GSIZE_FORMAT " words",
                 n_words);
  else if (push_size > self->on.limits.maxPushConstantsSize || push_size % 4 != 0)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                 "expected push constants in words, at most %u bytes, found %" G_GSIZE_FORMAT,
                 self->on.limits.maxPushConstantsSize, push_size);
  else if (n_groups > self->on.limits.maxComputeWorkGroupCount[0])
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "expected at most %u workgroups, found %u",
                 self->on.limits.maxComputeWorkGroupCount[0], n_groups);
  else
    return TRUE;

  return FALSE;
}

static gboolean
make_pipeline (ShaderRunner   *self,
               Run            *run,
               const guint32  *words,
               gsize           n_words,
               guint32         push_size,
               GError        **error)
{
  VkShaderModuleCreateInfo module = { VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                      .codeSize = n_words * sizeof *words, .pCode = words };
  VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, push_size };
  VkPipelineLayoutCreateInfo layout = { VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                        .pushConstantRangeCount = push_size > 0 ? 1 : 0,
                                        .pPushConstantRanges = &range };
  VkComputePipelineCreateInfo info = { VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO };
  guint n_errors = self->on.n_errors;

  if (!check (self->vk->CreateShaderModule (self->device, &module, NULL, &run->module), "vkCreateShaderModule", error)
      || !check_messages (self, n_errors, error)
      || !check (self->vk->CreatePipelineLayout (self->device, &layout, NULL, &run->layout), "vkCreatePipelineLayout",
                 error))
    return FALSE;
  info.stage = (VkPipelineShaderStageCreateInfo) { VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                   .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = run->module,
                                                   .pName = "main" };
  info.layout = run->layout;

  return check (self->vk->CreateComputePipelines (self->device, VK_NULL_HANDLE, 1, &info, NULL, &run->pipeline),
                "vkCreateComputePipelines", error)
         && check_messages (self, n_errors, error);
}

static gboolean
record (ShaderRunner   *self,
        Run            *run,
        gconstpointer   push,
        guint32         push_size,
        guint           n_groups,
        GError        **error)
{
  VkCommandBufferAllocateInfo info = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = self->on.pool,
                                       .commandBufferCount = 1 };
  VkCommandBufferBeginInfo begin = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT };
  /* The barrier covers later runs, too, which do not wait for this one in the queue. */
  VkMemoryBarrier barrier = { VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT
                                               | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT };
  guint n_errors = self->on.n_errors;

  if (!check (self->vk->AllocateCommandBuffers (self->device, &info, &run->commands), "vkAllocateCommandBuffers", error)
      || !check (self->vk->BeginCommandBuffer (run->commands, &begin), "vkBeginCommandBuffer", error))
    return FALSE;
  self->vk->CmdBindPipeline (run->commands, VK_PIPELINE_BIND_POINT_COMPUTE, run->pipeline);
  if (push_size > 0)
    self->vk->CmdPushConstants (run->commands, run->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_size, push);
  self->vk->CmdDispatch (run->commands, n_groups, 1, 1);
  self->vk->CmdPipelineBarrier (run->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                               VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0,
                               NULL, 0, NULL);

  return check (self->vk->EndCommandBuffer (run->commands), "vkEndCommandBuffer", error)
         && check_messages (self, n_errors, error);
}

/* After any failure past the submission it is unknown whether the device has finished. */
static gboolean
submit (ShaderRunner  *self,
        const Run     *run,
        GError       **error)
{
  guint64 value = self->n_runs + 1;
  VkTimelineSemaphoreSubmitInfo values = { VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                           .signalSemaphoreValueCount = 1, .pSignalSemaphoreValues = &value };
  VkSubmitInfo info = { VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, .commandBufferCount = 1,
                        .pCommandBuffers = &run->commands, .signalSemaphoreCount = 1,
                        .pSignalSemaphores = &self->on.timeline };
  VkSemaphoreWaitInfo wait = { VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1,
                               .pSemaphores = &self->on.timeline, .pValues = &value };
  VkResult result;

  if (!check (self->vk->QueueSubmit (self->on.queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit", error))
    return FALSE;
  self->n_runs = value;
  result = self->vk->WaitSemaphores (self->device, &wait, TIMEOUT);
  self->stuck = result != VK_SUCCESS;
  if (result == VK_TIMEOUT)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "the shader has not ended in four minutes");
      return FALSE;
    }

  return check (result, "vkWaitSemaphores", error);
}

static void
run_clear (ShaderRunner *self,
           Run          *run)
{
  if (run->commands != NULL)
    self->vk->FreeCommandBuffers (self->device, self->on.pool, 1, &run->commands);
  self->vk->DestroyPipeline (self->device, run->pipeline, NULL);
  self->vk->DestroyPipelineLayout (self->device, run->layout, NULL);
  self->vk->DestroyShaderModule (self->device, run->module, NULL);
}

gboolean
shader_runner_run (ShaderRunner   *self,
                   const guint32  *words,
                   gsize           n_words,
                   gconstpointer   push,
                   gsize           push_size,
                   guint           n_groups,
                   GError        **error)
{
  Run run = { VK_NULL_HANDLE, VK_NULL_HANDLE, VK_NULL_HANDLE, NULL };
  gboolean ok;

  if (!check_arguments (self, n_words, push_size, n_groups, error))
    return FALSE;
  ok = make_pipeline (self, &run, words, n_words, push_size, error)
       && record (self, &run, push, push_size, n_groups, error)
       && submit (self, &run, error);
  if (!self->stuck)
    run_clear (self, &run);

  return ok;
}
