/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What PJRT calls a topology: the devices that there are. It is a part of the client.
 */

#include "pjrt/client.h"

#include <string.h>

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

void
ghlo_pjrt_topology_add_functions (PJRT_Api *api)
{
  api->PJRT_TopologyDescription_Destroy = destroy;
  api->PJRT_TopologyDescription_PlatformName = platform_name;
  api->PJRT_TopologyDescription_PlatformVersion = platform_version;
  api->PJRT_TopologyDescription_GetDeviceDescriptions = get_device_descriptions;
  api->PJRT_TopologyDescription_Attributes = attributes;
}
