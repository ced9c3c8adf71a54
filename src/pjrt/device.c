/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's devices and their descriptions, and poisoning of executions that run on them.
 */

#include "pjrt/client.h"

#include <string.h>

#include "pjrt/error.h"
#include "runtime/memory.h"
#include "runtime/value.h"

static PJRT_Error *
description_id (PJRT_DeviceDescription_Id_Args *args)
{
  PJRT_NEEDS (args, id);
  args->id = args->device_description->id;

  return NULL;
}

static PJRT_Error *
description_process_index (PJRT_DeviceDescription_ProcessIndex_Args *args)
{
  PJRT_NEEDS (args, process_index);
  args->process_index = 0;

  return NULL;
}

static PJRT_Error *
description_attributes (PJRT_DeviceDescription_Attributes_Args *args)
{
  PJRT_NEEDS (args, attributes);
  args->num_attributes = 0;
  args->attributes = NULL;

  return NULL;
}

static PJRT_Error *
description_kind (PJRT_DeviceDescription_Kind_Args *args)
{
  PJRT_NEEDS (args, device_kind_size);
  args->device_kind = args->device_description->kind;
  args->device_kind_size = strlen (args->device_kind);

  return NULL;
}

static PJRT_Error *
description_debug_string (PJRT_DeviceDescription_DebugString_Args *args)
{
  PJRT_NEEDS (args, debug_string_size);
  args->debug_string = args->device_description->debug;
  args->debug_string_size = strlen (args->debug_string);

  return NULL;
}

static PJRT_Error *
description_to_string (PJRT_DeviceDescription_ToString_Args *args)
{
  PJRT_NEEDS (args, to_string_size);
  args->to_string = args->device_description->name;
  args->to_string_size = strlen (args->to_string);

  return NULL;
}

static PJRT_Error *
get_description (PJRT_Device_GetDescription_Args *args)
{
  PJRT_NEEDS (args, device_description);
  args->device_description = &args->device->description;

  return NULL;
}

static PJRT_Error *
is_addressable (PJRT_Device_IsAddressable_Args *args)
{
  PJRT_NEEDS (args, is_addressable);
  args->is_addressable = true;

  return NULL;
}

static PJRT_Error *
local_hardware_id (PJRT_Device_LocalHardwareId_Args *args)
{
  PJRT_NEEDS (args, local_hardware_id);
  args->local_hardware_id = args->device->description.id;

  return NULL;
}

static PJRT_Error *
device_addressable_memories (PJRT_Device_AddressableMemories_Args *args)
{
  PJRT_NEEDS (args, num_memories);
  args->memories = args->device->memories;
  args->num_memories = args->device->n_memories;

  return NULL;
}

static PJRT_Error *
default_memory (PJRT_Device_DefaultMemory_Args *args)
{
  PJRT_NEEDS (args, memory);
  args->memory = args->device->memories[GHLO_PJRT_MEMORY_DEVICE];

  return NULL;
}

/* The figures are for the memory of the underlying device, which several PJRT devices may share. */
static PJRT_Error *
memory_stats (PJRT_Device_MemoryStats_Args *args)
{
  GhloDeviceCore *core;
  GhloMemoryUse use;

  PJRT_NEEDS (args, peak_pool_bytes_is_set);
  core = args->device->core;
  ghlo_device_core_measure_memory (core, &use);
  memset ((char *) args + offsetof (PJRT_Device_MemoryStats_Args, bytes_in_use), 0,
          sizeof *args - offsetof (PJRT_Device_MemoryStats_Args, bytes_in_use));
  args->bytes_in_use = (gint64) use.used;
  args->peak_bytes_in_use = (gint64) use.peak;
  args->peak_bytes_in_use_is_set = true;
  args->bytes_limit = (gint64) use.total;
  args->bytes_limit_is_set = true;

  return NULL;
}

static PJRT_Error *
clear_memory_stats (PJRT_Device_ClearMemoryStats_Args *args)
{
  PJRT_NEEDS (args, device);
  ghlo_device_core_reset_memory_peak (args->device->core);

  return NULL;
}

/* Nothing to free. */
static void
keep (G_GNUC_UNUSED PJRT_Device_Attributes *attributes)
{
}

static PJRT_Error *
get_attributes (PJRT_Device_GetAttributes_Args *args)
{
  PJRT_NEEDS (args, attributes_deleter);
  args->attributes = NULL;
  args->num_attributes = 0;
  args->device_attributes = NULL;
  args->attributes_deleter = keep;

  return NULL;
}

/* Nothing is traced: NULL stands for an event to which nobody writes. */
static PJRT_Error *
create_async_tracking_event (PJRT_Device_CreateAsyncTrackingEvent_Args *args)
{
  PJRT_NEEDS (args, event);
  args->event = NULL;

  return NULL;
}

static PJRT_Error *
async_tracking_event_destroy (PJRT_AsyncTrackingEvent_Destroy_Args *args)
{
  PJRT_NEEDS (args, event);

  return NULL;
}

typedef struct
{
  int          id;
  GhloFence *end;     /* owned */
} Launch;

static void
launch_free (gpointer data)
{
  Launch *self = data;

  ghlo_fence_unref (self->end);
  g_free (self);
}

/* Executions that have ended need no record. */
static void
forget_ended (GQueue *launches)
{
  for (GList *link = launches->head, *next; link != NULL; link = next)
    {
      next = link->next;
      if (ghlo_fence_is_done (((Launch *) link->data)->end))
        {
          launch_free (link->data);
          g_queue_delete_link (launches, link);
        }
    }
}

void
ghlo_pjrt_device_add_launch (PJRT_Device *self,
                             int          id,
                             GhloFence   *end)
{
  Launch *launch = g_new (Launch, 1);

  *launch = (Launch) { id, ghlo_fence_ref (end) };
  g_mutex_lock (&self->lock);
  forget_ended (&self->launches);
  g_queue_push_tail (&self->launches, launch);
  g_mutex_unlock (&self->lock);
}

/* Returns the end of the oldest running execution with this number (transfer full), or NULL when there is none. */
static GhloFence *
find_launch (PJRT_Device *self,
             int          id)
{
  GhloFence *end = NULL;

  g_mutex_lock (&self->lock);
  forget_ended (&self->launches);
  for (GList *link = self->launches.head; link != NULL && end == NULL; link = link->next)
    if (((Launch *) link->data)->id == id)
      end = ghlo_fence_ref (((Launch *) link->data)->end);
  g_mutex_unlock (&self->lock);

  return end;
}

void
ghlo_pjrt_device_clear (PJRT_Device *self)
{
  g_free (self->description.kind);
  g_free (self->description.name);
  g_free (self->description.debug);
  for (guint i = 0; i < self->n_memories; i++)
    ghlo_pjrt_memory_clear (&self->all[i]);
  g_queue_clear_full (&self->launches, launch_free);
  g_mutex_clear (&self->lock);
}

/* Makes the outputs of the execution, and whatever depends on them, fail at once. The work of the execution
 * continues, but its results are dropped. */
static PJRT_Error *
poison_execution (PJRT_Device_PoisonExecution_Args *args)
{
  g_autoptr (GhloFence) end = NULL;

  PJRT_NEEDS (args, poisoned);
  if (args->error_code == PJRT_Error_Code_OK)
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "expected an error code for the execution, found OK");
  if (args->device->client->queue == NULL)
    return ghlo_pjrt_error_new (PJRT_Error_Code_UNIMPLEMENTED, "executions on %s cannot be poisoned",
                                args->device->description.name);
  end = find_launch (args->device, args->launch_id);
  if (end != NULL)
    ghlo_fence_signal (end, ghlo_pjrt_error_of_code (args->error_code, args->error_message, args->error_message_size));
  /* It may have ended successfully just before. */
  args->poisoned = end != NULL && ghlo_fence_get_error (end) != NULL;

  return NULL;
}

void
ghlo_pjrt_device_add_functions (PJRT_Api *api)
{
  api->PJRT_DeviceDescription_Id = description_id;
  api->PJRT_DeviceDescription_ProcessIndex = description_process_index;
  api->PJRT_DeviceDescription_Attributes = description_attributes;
  api->PJRT_DeviceDescription_Kind = description_kind;
  api->PJRT_DeviceDescription_DebugString = description_debug_string;
  api->PJRT_DeviceDescription_ToString = description_to_string;
  api->PJRT_Device_GetDescription = get_description;
  api->PJRT_Device_IsAddressable = is_addressable;
  api->PJRT_Device_LocalHardwareId = local_hardware_id;
  api->PJRT_Device_AddressableMemories = device_addressable_memories;
  api->PJRT_Device_DefaultMemory = default_memory;
  api->PJRT_Device_MemoryStats = memory_stats;
  api->PJRT_Device_ClearMemoryStats = clear_memory_stats;
  api->PJRT_Device_GetAttributes = get_attributes;
  api->PJRT_Device_PoisonExecution = poison_execution;
  api->PJRT_Device_CreateAsyncTrackingEvent = create_async_tracking_event;
  api->PJRT_AsyncTrackingEvent_Destroy = async_tracking_event_destroy;
}
