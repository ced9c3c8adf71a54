/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's second handle to an executable, which can be run and deleted. It is created by a compile, or from a program
 * that was compiled ahead of time.
 */

#include "pjrt/executable.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "base/new.h"
#include "pjrt/error.h"

PJRT_LoadedExecutable *
ghlo_pjrt_loaded_executable_new (PJRT_Executable *executable)
{
  PJRT_LoadedExecutable *self = g_new0 (PJRT_LoadedExecutable, 1);

  self->executable = executable;

  return self;
}

static PJRT_Error *
destroy (PJRT_LoadedExecutable_Destroy_Args *args)
{
  PJRT_NEEDS (args, executable);
  if (args->executable == NULL)
    return NULL;
  ghlo_pjrt_executable_unref (args->executable->executable);
  g_free (args->executable);

  return NULL;
}

static PJRT_Error *
get_executable (PJRT_LoadedExecutable_GetExecutable_Args *args)
{
  PJRT_NEEDS (args, executable);
  args->executable = ghlo_pjrt_executable_ref (args->loaded_executable->executable);

  return NULL;
}

static PJRT_Error *
addressable_devices (PJRT_LoadedExecutable_AddressableDevices_Args *args)
{
  PJRT_NEEDS (args, num_addressable_devices);
  args->addressable_devices = args->executable->executable->devices;
  args->num_addressable_devices = args->executable->executable->n_devices;

  return NULL;
}

static PJRT_Error *
addressable_device_logical_ids (PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args *args)
{
  PJRT_NEEDS (args, num_addressable_device_logical_ids);
  args->addressable_device_logical_ids = args->executable->executable->logical_ids;
  args->num_addressable_device_logical_ids = args->executable->executable->n_devices;

  return NULL;
}

static void
bytes_unref (PJRT_Bytes *bytes)
{
  g_bytes_unref ((GBytes *) bytes);
}

static PJRT_Error *
get_device_assignment (PJRT_LoadedExecutable_GetDeviceAssignment_Args *args)
{
  GBytes *bytes;

  PJRT_NEEDS (args, serialized_device_assignment_deleter);
  bytes = ghlo_pjrt_device_assignment_write (&args->executable->executable->options);
  args->serialized_bytes = g_bytes_get_data (bytes, &args->serialized_bytes_size);
  args->serialized_device_assignment = (PJRT_Bytes *) bytes;
  args->serialized_device_assignment_deleter = bytes_unref;

  return NULL;
}

static PJRT_Error *
fingerprint (PJRT_LoadedExecutable_Fingerprint_Args *args)
{
  PJRT_NEEDS (args, executable_fingerprint_size);
  args->executable_fingerprint = args->executable->executable->fingerprint;
  args->executable_fingerprint_size = strlen (args->executable_fingerprint);

  return NULL;
}

static PJRT_Error *
delete (PJRT_LoadedExecutable_Delete_Args *args)
{
  PJRT_NEEDS (args, executable);
  g_atomic_int_set (&args->executable->is_deleted, TRUE);

  return NULL;
}

static PJRT_Error *
is_deleted (PJRT_LoadedExecutable_IsDeleted_Args *args)
{
  PJRT_NEEDS (args, is_deleted);
  args->is_deleted = g_atomic_int_get (&args->executable->is_deleted);

  return NULL;
}

/* Compiles the program again for @client's devices, with @options. */
static PJRT_Executable *
move (const PJRT_Executable  *self,
      PJRT_Client            *client,
      gconstpointer           options,
      gsize                   options_size,
      GError                **error)
{
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (PJRT_Executable) moved = NULL;

  if (self->n_manual > 0 || self->n_stacked > 0)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                   "a program with manual computations or unreduced outputs can only be loaded on the devices that it "
                   "was compiled for, found %u and %u of these", self->n_manual, self->n_stacked);
      return NULL;
    }
  moved = ghlo_pjrt_executable_new (client, options, options_size, error);
  if (moved == NULL)
    return NULL;
  memcpy (moved->fingerprint, self->fingerprint, sizeof moved->fingerprint);
  /* Compiling sets ids in the module, which other threads may be reading. */
  module = ghlo_ir_module_copy (self->core->module);

  return ghlo_pjrt_executable_compile (moved, module, self->core->settings, error) ? g_steal_pointer (&moved) : NULL;
}

static PJRT_Error *
load (PJRT_Client_Load_Args *args)
{
  PJRT_Executable *executable;
  gconstpointer own, options;
  gsize own_size, size;
  GError *error = NULL;

  PJRT_NEEDS (args, loaded_executable);
  executable = args->executable;
  own = g_bytes_get_data (executable->option_bytes, &own_size);
  size = args->compile_options_size > 0 ? args->compile_options_size : own_size;
  options = args->compile_options_size > 0 ? args->compile_options : own;
  if (executable->client == args->client && size == own_size && (size == 0 || memcmp (options, own, size) == 0))
    ghlo_pjrt_executable_ref (executable);
  else
    executable = move (executable, args->client, options, size, &error);
  if (executable == NULL)
    return ghlo_pjrt_error_take (error);
  args->loaded_executable = ghlo_pjrt_loaded_executable_new (executable);

  return NULL;
}

void
ghlo_pjrt_loaded_executable_add_functions (PJRT_Api *api)
{
  api->PJRT_LoadedExecutable_Destroy = destroy;
  api->PJRT_LoadedExecutable_GetExecutable = get_executable;
  api->PJRT_LoadedExecutable_AddressableDevices = addressable_devices;
  api->PJRT_LoadedExecutable_AddressableDeviceLogicalIds = addressable_device_logical_ids;
  api->PJRT_LoadedExecutable_GetDeviceAssignment = get_device_assignment;
  api->PJRT_LoadedExecutable_Fingerprint = fingerprint;
  api->PJRT_LoadedExecutable_Delete = delete;
  api->PJRT_LoadedExecutable_IsDeleted = is_deleted;
  api->PJRT_Client_Load = load;
}
