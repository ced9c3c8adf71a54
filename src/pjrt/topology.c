/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A topology in PJRT is the set of devices. It is a part of a client, but callers need not have the client.
 *
 * The serialized form consists of lines: a format identifier, the name of the device, the number of PJRT devices, the
 * platform's version, and the model.
 */

#include "pjrt/client.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "base/new.h"
#include "compiler/digest.h"
#include "pjrt/element-type.h"
#include "pjrt/error.h"
#include "pjrt/layouts.h"

#define FIRST_LINE "GHLO topology 1"

/* A longer text is not a topology of this plugin. */
enum { MAX_SIZE = 4096 };

/* Creates a topology with a client of its own. */
static PJRT_TopologyDescription *
topology_new (const GhloPjrtOptions  *options,
              GError                **error)
{
  PJRT_Client *client = ghlo_pjrt_client_new (options, error);
  PJRT_TopologyDescription *self;

  if (client == NULL)
    return NULL;
  self = ghlo_new0 (PJRT_TopologyDescription);
  self->client = client;
  self->descriptions = client->topology.descriptions;
  self->is_apart = TRUE;

  return self;
}

static void
topology_free (PJRT_TopologyDescription *self)
{
  ghlo_pjrt_client_unref (self->client);
  g_free (self);
}

/* Creates the topology of the device with the given name, or of the one that the options name. */
static PJRT_Error *
create (PJRT_TopologyDescription_Create_Args *args)
{
  g_auto (GhloPjrtOptions) options = GHLO_PJRT_OPTIONS_INIT;
  GError *error = NULL;

  PJRT_NEEDS (args, topology);
  if (args->topology_name_size > 0)
    options.device = g_strndup (args->topology_name, args->topology_name_size);
  if (ghlo_pjrt_options_read (&options, args->create_options, args->num_options, &error))
    args->topology = topology_new (&options, &error);

  return ghlo_pjrt_error_take (error);
}

/* A client's own topology is freed with the client. */
static PJRT_Error *
destroy (PJRT_TopologyDescription_Destroy_Args *args)
{
  PJRT_NEEDS (args, topology);
  if (args->topology != NULL && args->topology->is_apart)
    topology_free (args->topology);

  return NULL;
}

static char *
to_text (const PJRT_TopologyDescription *self)
{
  return g_strdup_printf (FIRST_LINE "\n%s\n%u\n%s\n%s\n", self->client->core->names[0], self->client->n_devices,
                          self->client->version, self->descriptions[0]->kind);
}

static void
serialized_free (PJRT_SerializedTopology *serialized)
{
  g_free (serialized);
}

static PJRT_Error *
serialize (PJRT_TopologyDescription_Serialize_Args *args)
{
  char *text;

  PJRT_NEEDS (args, serialized_topology_deleter);
  text = to_text (args->topology);
  args->serialized_bytes = text;
  args->serialized_bytes_size = strlen (text);
  args->serialized_topology = (PJRT_SerializedTopology *) text;
  args->serialized_topology_deleter = serialized_free;

  return NULL;
}

/* Parses the device name and the number of devices from @text. */
static gboolean
read_text (const char       *text,
           GhloPjrtOptions  *options,
           GError          **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint64 n = 0;

  if (g_strv_length (lines) != 6 || strcmp (lines[0], FIRST_LINE) != 0
      || !g_ascii_string_to_unsigned (lines[2], 10, 1, GHLO_PJRT_MAX_DEVICES, &n, NULL))
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_DATA, "expected a serialized topology, found other data");
      return FALSE;
    }
  options->device = g_strdup (lines[1]);
  options->n_devices = (guint) n;

  return TRUE;
}

/* Reads the topology of a device that is present and unchanged: programs cannot be compiled for other devices. */
static PJRT_TopologyDescription *
read_topology (const char  *text,
               GError     **error)
{
  g_auto (GhloPjrtOptions) options = GHLO_PJRT_OPTIONS_INIT;
  PJRT_TopologyDescription *self;
  g_autofree char *found = NULL;

  if (!read_text (text, &options, error))
    return NULL;
  self = topology_new (&options, error);
  if (self == NULL)
    return NULL;
  found = to_text (self);
  if (strcmp (found, text) == 0)
    return self;
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE,
               "expected the topology of the present device, %s, found that of another device or version",
               self->descriptions[0]->debug);
  topology_free (self);

  return NULL;
}

static PJRT_Error *
deserialize (PJRT_TopologyDescription_Deserialize_Args *args)
{
  g_autofree char *text = NULL;
  GError *error = NULL;

  PJRT_NEEDS (args, topology);
  text = g_strndup (args->serialized_topology, MIN (args->serialized_topology_size, MAX_SIZE));
  args->topology = read_topology (text, &error);

  return ghlo_pjrt_error_take (error);
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

/* A hash of everything that programs compiled for this topology depend on. */
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
  static const int ids[GHLO_PJRT_N_MEMORIES] = {
    GHLO_PJRT_MEMORY_DEVICE, GHLO_PJRT_MEMORY_PINNED_HOST, GHLO_PJRT_MEMORY_UNPINNED_HOST,
  };

  PJRT_NEEDS (args, num_memory_space_kind_ids);
  args->memory_space_kind_ids = ids;
  args->num_memory_space_kind_ids = args->topology->client->devices[0]->n_memories;

  return NULL;
}

static void
shape_free (const char *bytes)
{
  g_free ((gpointer) bytes);
}

static PJRT_Error *
make_canonical_shape (PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args *args)
{
  g_auto (GhloPjrtShape) shape = { NULL };
  GError *error = NULL;
  guint n_kinds;

  PJRT_NEEDS (args, serialized_shape_deleter);
  n_kinds = args->topology->client->devices[0]->n_memories;
  if (args->memory_space_kind_id < 0 || (guint) args->memory_space_kind_id >= n_kinds)
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "expected a memory kind ID below %u, found %d",
                                n_kinds, args->memory_space_kind_id);
  if (!ghlo_pjrt_shape_read (&shape, args->element_type, args->dims, args->num_dims, args->layout, &error))
    return ghlo_pjrt_error_take (error);
  args->serialized_shape = g_bytes_unref_to_data (ghlo_pjrt_shape_write (args->element_type, args->dims,
                                                                         ghlo_pjrt_layout_get_order (shape.layout),
                                                                         args->num_dims),
                                                  &args->serialized_shape_size);
  args->serialized_shape_deleter = shape_free;

  return NULL;
}

void
ghlo_pjrt_topology_add_functions (PJRT_Api *api)
{
  api->PJRT_TopologyDescription_Create = create;
  api->PJRT_TopologyDescription_Destroy = destroy;
  api->PJRT_TopologyDescription_Serialize = serialize;
  api->PJRT_TopologyDescription_Deserialize = deserialize;
  api->PJRT_TopologyDescription_PlatformName = platform_name;
  api->PJRT_TopologyDescription_PlatformVersion = platform_version;
  api->PJRT_TopologyDescription_GetDeviceDescriptions = get_device_descriptions;
  api->PJRT_TopologyDescription_Attributes = attributes;
  api->PJRT_TopologyDescription_Fingerprint = fingerprint;
  api->PJRT_TopologyDescription_GetMemorySpaceKindIds = get_memory_space_kind_ids;
  api->PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace = make_canonical_shape;
}
