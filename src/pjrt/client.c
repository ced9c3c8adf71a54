/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's client and its devices.
 */

#include "pjrt/client.h"

#include <string.h>

#include "client/workers.h"
#include "compiler/devices.h"
#include "pjrt/error.h"
#include "runtime/parallel.h"

PJRT_Client *
ghlo_pjrt_client_ref (PJRT_Client *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_pjrt_client_unref (PJRT_Client *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  for (guint i = 0; i < self->n_devices; i++)
    ghlo_pjrt_device_clear (&self->all[i]);
  g_free (self->all);
  g_free (self->devices);
  g_free (self->memories);
  g_free (self->topology.descriptions);
  g_free (self->version);
  ghlo_counters_unref (self->counters);
  g_mutex_clear (&self->history.lock);
  g_clear_pointer (&self->queue, ghlo_pjrt_queue_unref);
  g_free (self);
}

static void
device_init (PJRT_Device *self,
             PJRT_Client *client,
             guint        id)
{
  GhloDeviceCore *core = client->core;

  self->client = client;
  self->core = core;
  self->description.id = (int) id;
  self->description.kind = g_strdup (core->model != NULL ? core->model : core->title);
  self->description.name = g_strdup_printf ("GhloDevice(id=%u)", id);
  self->description.debug = g_strdup_printf ("%s, %s: %s", self->description.name, core->names[0], core->title);
  self->n_memories = ghlo_device_core_is_host (core) ? GHLO_PJRT_N_MEMORIES : 1;
  for (guint i = 0; i < self->n_memories; i++)
    {
      ghlo_pjrt_memory_init (&self->all[i], self, i);
      self->memories[i] = &self->all[i];
      client->memories[client->n_memories++] = &self->all[i];
    }
  self->self = self;
  g_mutex_init (&self->lock);
  g_queue_init (&self->launches);
}

static PJRT_Client *
client_new (GhloDeviceCore *core,
            guint           n_devices)
{
  PJRT_Client *self = g_new0 (PJRT_Client, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->core = core;
  self->version = g_strdup_printf ("GHLO " GHLO_VERSION ", %s", core->driver);
  self->n_devices = n_devices;
  self->all = g_new0 (PJRT_Device, n_devices);
  self->devices = g_new (PJRT_Device *, n_devices);
  self->memories = g_new (PJRT_Memory *, (gsize) n_devices * GHLO_PJRT_N_MEMORIES);
  self->topology.client = self;
  self->topology.descriptions = g_new (PJRT_DeviceDescription *, n_devices);
  self->counters = ghlo_counters_new ();
  self->queue = ghlo_device_core_is_host (core) ? ghlo_pjrt_queue_new () : NULL;
  for (guint i = 0; i < n_devices; i++)
    {
      device_init (&self->all[i], self, i);
      self->devices[i] = &self->all[i];
      self->topology.descriptions[i] = &self->all[i].description;
    }

  return self;
}

PJRT_Device *
ghlo_pjrt_client_find (PJRT_Client *self,
                       gint64       id)
{
  return id >= 0 && id < (gint64) self->n_devices ? &self->all[id] : NULL;
}

/* Returns the device with that name. By default this is the first hardware GPU, or the default device where there is
 * none. */
static GhloDeviceCore *
choose_device (const char  *name,
               GError     **error)
{
  g_autoptr (GPtrArray) gpus = NULL;

  if (!ghlo_devices_is_auto (name))
    return ghlo_devices_choose (name, error);
  gpus = ghlo_devices_list_gpus (TRUE);
  for (guint i = 0; i < gpus->len; i++)
    if (((GhloDeviceCore *) gpus->pdata[i])->is_gpu)
      return gpus->pdata[i];

  return ghlo_devices_get_default ();
}

PJRT_Client *
ghlo_pjrt_client_new (const GhloPjrtOptions  *options,
                      GError                **error)
{
  GhloDeviceCore *core;

  if (!ghlo_workers_check (error))
    return NULL;
  /* Frameworks have no main loop and wait for results, so workers need not run at a lower priority. */
  ghlo_parallel_set_nice (0);
  core = choose_device (options->device, error);

  return core != NULL ? client_new (core, options->n_devices) : NULL;
}

static PJRT_Error *
create (PJRT_Client_Create_Args *args)
{
  g_auto (GhloPjrtOptions) options = GHLO_PJRT_OPTIONS_INIT;
  GError *error = NULL;

  PJRT_NEEDS (args, client);
  if (ghlo_pjrt_options_read (&options, args->create_options, args->num_options, &error))
    args->client = ghlo_pjrt_client_new (&options, &error);

  return ghlo_pjrt_error_take (error);
}

static PJRT_Error *
destroy (PJRT_Client_Destroy_Args *args)
{
  PJRT_NEEDS (args, client);
  if (args->client == NULL)
    return NULL;
  if (args->client->queue != NULL)
    ghlo_pjrt_queue_drain (args->client->queue);
  ghlo_pjrt_client_unref (args->client);

  return NULL;
}

static PJRT_Error *
platform_name (PJRT_Client_PlatformName_Args *args)
{
  PJRT_NEEDS (args, platform_name_size);
  args->platform_name = GHLO_PJRT_PLATFORM;
  args->platform_name_size = strlen (GHLO_PJRT_PLATFORM);

  return NULL;
}

static PJRT_Error *
process_index (PJRT_Client_ProcessIndex_Args *args)
{
  PJRT_NEEDS (args, process_index);
  args->process_index = 0;

  return NULL;
}

static PJRT_Error *
platform_version (PJRT_Client_PlatformVersion_Args *args)
{
  PJRT_NEEDS (args, platform_version_size);
  args->platform_version = args->client->version;
  args->platform_version_size = strlen (args->client->version);

  return NULL;
}

static PJRT_Error *
topology_description (PJRT_Client_TopologyDescription_Args *args)
{
  PJRT_NEEDS (args, topology);
  args->topology = &args->client->topology;

  return NULL;
}

static PJRT_Error *
devices (PJRT_Client_Devices_Args *args)
{
  PJRT_NEEDS (args, num_devices);
  args->devices = args->client->devices;
  args->num_devices = args->client->n_devices;

  return NULL;
}

static PJRT_Error *
addressable_devices (PJRT_Client_AddressableDevices_Args *args)
{
  PJRT_NEEDS (args, num_addressable_devices);
  args->addressable_devices = args->client->devices;
  args->num_addressable_devices = args->client->n_devices;

  return NULL;
}

static PJRT_Error *
look_up (PJRT_Client  *client,
         int           id,
         PJRT_Device **device)
{
  *device = ghlo_pjrt_client_find (client, id);
  if (*device != NULL)
    return NULL;

  return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "expected a device ID from 0 to %u, found %d",
                              client->n_devices - 1, id);
}

static PJRT_Error *
lookup_device (PJRT_Client_LookupDevice_Args *args)
{
  PJRT_NEEDS (args, device);

  return look_up (args->client, args->id, &args->device);
}

static PJRT_Error *
lookup_addressable_device (PJRT_Client_LookupAddressableDevice_Args *args)
{
  PJRT_NEEDS (args, addressable_device);

  return look_up (args->client, args->local_hardware_id, &args->addressable_device);
}

static PJRT_Error *
addressable_memories (PJRT_Client_AddressableMemories_Args *args)
{
  PJRT_NEEDS (args, num_addressable_memories);
  args->addressable_memories = args->client->memories;
  args->num_addressable_memories = args->client->n_memories;

  return NULL;
}

/* Lists replicas one after the other, with the partitions of each next to each other. */
static PJRT_Error *
default_device_assignment (PJRT_Client_DefaultDeviceAssignment_Args *args)
{
  gint64 n;

  PJRT_NEEDS (args, default_assignment);
  n = (gint64) args->num_replicas * args->num_partitions;
  if (args->num_replicas < 1 || args->num_partitions < 1 || n > args->client->n_devices)
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT,
                                "expected replicas × partitions of at least 1 and at most %u devices, found %d × %d",
                                args->client->n_devices, args->num_replicas, args->num_partitions);
  if (args->default_assignment_size < (gsize) n)
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "expected an array for %d devices, found %zu",
                                (int) n, args->default_assignment_size);
  for (int i = 0; i < n; i++)
    args->default_assignment[i] = i;

  return NULL;
}

/* Nothing to do, since there is only one process. */
static PJRT_Error *
update_global_process_info (PJRT_Client_UpdateGlobalProcessInfo_Args *args)
{
  PJRT_NEEDS (args, client);

  return NULL;
}

void
ghlo_pjrt_client_add_functions (PJRT_Api *api)
{
  api->PJRT_Client_Create = create;
  api->PJRT_Client_Destroy = destroy;
  api->PJRT_Client_PlatformName = platform_name;
  api->PJRT_Client_ProcessIndex = process_index;
  api->PJRT_Client_PlatformVersion = platform_version;
  api->PJRT_Client_TopologyDescription = topology_description;
  api->PJRT_Client_Devices = devices;
  api->PJRT_Client_AddressableDevices = addressable_devices;
  api->PJRT_Client_LookupDevice = lookup_device;
  api->PJRT_Client_LookupAddressableDevice = lookup_addressable_device;
  api->PJRT_Client_AddressableMemories = addressable_memories;
  api->PJRT_Client_DefaultDeviceAssignment = default_device_assignment;
  api->PJRT_Client_UpdateGlobalProcessInfo = update_global_process_info;
}
