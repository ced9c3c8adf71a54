/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What PJRT calls a topology: the devices that there are. It is a part of the client.
 */

#include "pjrt/client.h"

#include <string.h>

#include "compiler/digest.h"
#include "pjrt/error.h"

/* It goes with its client. */
static PJRT_Error *
destroy (PJRT_TopologyDescription_Destroy_Args *args)
{
  PJRT_NEEDS (args, topology);

  return NULL;
}

static PJRT_Error *
platform_name (PJRT_TopologyDescription_PlatformName_Args *args)
{
  PJRT_NEEDS (args, platform_name_size);
  args->platform_name = GHLO_PJRT_PLATFORM;
  args->platform_name_size = strlen (GHLO_PJRT_PLATFORM);

  return NULL;
}

static PJRT_Error *
platform_version (PJRT_TopologyDescription_PlatformVersion_Args *args)
{
  PJRT_NEEDS (args, platform_version_size);
  args->platform_version = args->topology->client->version;
  args->platform_version_size = strlen (args->platform_version);

  return NULL;
}

static PJRT_Error *
get_device_descriptions (PJRT_TopologyDescription_GetDeviceDescriptions_Args *args)
{
  PJRT_NEEDS (args, num_descriptions);
  args->descriptions = args->topology->descriptions;
  args->num_descriptions = args->topology->client->n_devices;

  return NULL;
}

static PJRT_Error *
attributes (PJRT_TopologyDescription_Attributes_Args *args)
{
  PJRT_NEEDS (args, num_attributes);
  args->attributes = NULL;
  args->num_attributes = 0;

  return NULL;
}

/* Of what programs that were compiled for it depend on. */
static PJRT_Error *
fingerprint (PJRT_TopologyDescription_Fingerprint_Args *args)
{
  const PJRT_Client *client;
  g_autofree char *text = NULL;
  guint8 digest[GHLO_DIGEST_SIZE];

  PJRT_NEEDS (args, fingerprint);
  client = args->topology->client;
  text = g_strdup_printf ("%s\n%s\n%u", client->version, args->topology->descriptions[0]->kind, client->n_devices);
  ghlo_digest (text, strlen (text), digest);
  memcpy (&args->fingerprint, digest, sizeof args->fingerprint);

  return NULL;
}

static PJRT_Error *
get_memory_space_kind_ids (PJRT_TopologyDescription_GetMemorySpaceKindIds_Args *args)
{
  static const int ids[] = { GHLO_PJRT_MEMORY_KIND_ID };

  PJRT_NEEDS (args, num_memory_space_kind_ids);
  args->memory_space_kind_ids = ids;
  args->num_memory_space_kind_ids = G_N_ELEMENTS (ids);

  return NULL;
}

void
ghlo_pjrt_topology_add_functions (PJRT_Api *api)
{
  api->PJRT_TopologyDescription_Destroy = destroy;
  api->PJRT_TopologyDescription_PlatformName = platform_name;
  api->PJRT_TopologyDescription_PlatformVersion = platform_version;
  api->PJRT_TopologyDescription_GetDeviceDescriptions = get_device_descriptions;
  api->PJRT_TopologyDescription_Attributes = attributes;
  api->PJRT_TopologyDescription_Fingerprint = fingerprint;
  api->PJRT_TopologyDescription_GetMemorySpaceKindIds = get_memory_space_kind_ids;
}
