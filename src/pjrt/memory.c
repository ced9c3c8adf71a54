/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's memories: each device has one or several, to which frameworks attach data.
 */

#include "pjrt/client.h"

#include <string.h>

#include "pjrt/error.h"

typedef struct
{
  void           *data;
  GDestroyNotify  dtor;         /* nullable */
} UserData;

static void
user_data_free (gpointer data)
{
  UserData *self = data;

  if (self->dtor != NULL)
    self->dtor (self->data);
  g_free (self);
}

static void *
get_user_data (PJRT_Memory *memory,
               const void  *key)
{
  const UserData *found;
  void *data;

  g_mutex_lock (&memory->lock);
  found = g_hash_table_lookup (memory->user_data, key);
  data = found != NULL ? found->data : NULL;
  g_mutex_unlock (&memory->lock);

  return data;
}

static void
set_user_data (PJRT_Memory    *memory,
               const void     *key,
               void           *data,
               GDestroyNotify  dtor)
{
  UserData *entry = g_new (UserData, 1);
  gpointer old_key, old = NULL;

  entry->data = data;
  entry->dtor = dtor;
  g_mutex_lock (&memory->lock);
  g_hash_table_steal_extended (memory->user_data, key, &old_key, &old);
  g_hash_table_insert (memory->user_data, (gpointer) key, entry);
  g_mutex_unlock (&memory->lock);
  if (old != NULL)
    user_data_free (old);
}

static const PJRT_Memory_FunctionTable table = {
  .struct_size = sizeof table,
  .instance_struct_size = sizeof (const PJRT_Memory_FunctionTable *),
  .get_user_data = get_user_data,
  .set_user_data = set_user_data,
};

const char *const ghlo_pjrt_memory_kinds[GHLO_PJRT_N_MEMORIES] = {
  [GHLO_PJRT_MEMORY_DEVICE] = "device",
  [GHLO_PJRT_MEMORY_PINNED_HOST] = "pinned_host",
  [GHLO_PJRT_MEMORY_UNPINNED_HOST] = "unpinned_host",
};

void
ghlo_pjrt_memory_init (PJRT_Memory *self,
                       PJRT_Device *device,
                       guint        kind)
{
  self->vtable = &table;
  self->device = device;
  self->kind = kind;
  self->name = g_strdup_printf ("%s memory of %s", ghlo_pjrt_memory_kinds[kind], device->description.name);
  g_mutex_init (&self->lock);
  self->user_data = g_hash_table_new_full (NULL, NULL, NULL, user_data_free);
}

void
ghlo_pjrt_memory_clear (PJRT_Memory *self)
{
  g_hash_table_unref (self->user_data);
  g_mutex_clear (&self->lock);
  g_free (self->name);
}

static PJRT_Error *
memory_id (PJRT_Memory_Id_Args *args)
{
  PJRT_NEEDS (args, id);
  args->id = args->memory->device->description.id
             + (int) (args->memory->kind * args->memory->device->client->n_devices);

  return NULL;
}

static PJRT_Error *
memory_kind (PJRT_Memory_Kind_Args *args)
{
  PJRT_NEEDS (args, kind_size);
  args->kind = ghlo_pjrt_memory_kinds[args->memory->kind];
  args->kind_size = strlen (args->kind);

  return NULL;
}

static PJRT_Error *
memory_kind_id (PJRT_Memory_Kind_Id_Args *args)
{
  PJRT_NEEDS (args, kind_id);
  args->kind_id = (int) args->memory->kind;

  return NULL;
}

static PJRT_Error *
memory_debug_string (PJRT_Memory_DebugString_Args *args)
{
  PJRT_NEEDS (args, debug_string_size);
  args->debug_string = args->memory->name;
  args->debug_string_size = strlen (args->debug_string);

  return NULL;
}

static PJRT_Error *
memory_to_string (PJRT_Memory_ToString_Args *args)
{
  PJRT_NEEDS (args, to_string_size);
  args->to_string = args->memory->name;
  args->to_string_size = strlen (args->to_string);

  return NULL;
}

static PJRT_Error *
memory_addressable_by_devices (PJRT_Memory_AddressableByDevices_Args *args)
{
  PJRT_NEEDS (args, num_devices);
  args->devices = &args->memory->device->self;
  args->num_devices = 1;

  return NULL;
}

void
ghlo_pjrt_memory_add_functions (PJRT_Api *api)
{
  api->PJRT_Memory_Id = memory_id;
  api->PJRT_Memory_Kind = memory_kind;
  api->PJRT_Memory_Kind_Id = memory_kind_id;
  api->PJRT_Memory_DebugString = memory_debug_string;
  api->PJRT_Memory_ToString = memory_to_string;
  api->PJRT_Memory_AddressableByDevices = memory_addressable_by_devices;
}
