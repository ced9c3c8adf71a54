/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The registered handlers and types, and the extensions that register them.
 */

#include "pjrt/ffi/ffi.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "base/hash.h"
#include "pjrt/context.h"
#include "pjrt/error.h"
#include "pjrt/ffi/functions.h"

/* The first number for types that are numbered here. XLA's handlers, which bring numbers of their own, count from 1. */
#define FIRST_TYPE (G_GINT64_CONSTANT (1) << 32)

typedef struct
{
  int64_t id;
  void  (*deleter) (void *object);      /* nullable */
} Type;

G_LOCK_DEFINE_STATIC (registry);
static GHashTable *handlers;            /* name → GhloPjrtFfiHandler; never removed */
static GHashTable *types;               /* name → Type; never removed */

const GhloPjrtFfiHandler *
ghlo_pjrt_ffi_find (const char *name)
{
  const GhloPjrtFfiHandler *handler;

  G_LOCK (registry);
  handler = handlers != NULL ? g_hash_table_lookup (handlers, name) : NULL;
  G_UNLOCK (registry);

  return handler;
}

/* Checks the version of a handler, which reports its metadata without doing anything else. */
static gboolean
check_version (const char       *name,
               XLA_FFI_Handler  *handler,
               GError          **error)
{
  XLA_FFI_Metadata metadata = { .struct_size = XLA_FFI_SIZE (XLA_FFI_Metadata, traits) };
  XLA_FFI_Metadata_Extension extension = {
    .extension_base = { .struct_size = sizeof extension, .type = XLA_FFI_Extension_Metadata }, .metadata = &metadata,
  };
  XLA_FFI_CallFrame frame = {
    .struct_size = XLA_FFI_SIZE (XLA_FFI_CallFrame, attrs), .extension_start = &extension.extension_base,
    .api = ghlo_pjrt_ffi_api (),
  };
  XLA_FFI_Error *problem;

  metadata.api_version.struct_size = sizeof metadata.api_version;
  metadata.api_version.major_version = -1;
  problem = handler (&frame);
  if (problem != NULL)
    {
      ghlo_pjrt_ffi_propagate (error, problem);
      g_prefix_error (error, "handler '%s': ", name);
      return FALSE;
    }
  if (metadata.api_version.major_version == XLA_FFI_API_MAJOR)
    return TRUE;
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
               "handler '%s': expected version %d of XLA's FFI, found version %d.%d", name,
               XLA_FFI_API_MAJOR, metadata.api_version.major_version, metadata.api_version.minor_version);

  return FALSE;
}

/* Takes over @handler. If one is registered under the name already, that one stays, and @handler must be the same. */
static gboolean
insert (GhloPjrtFfiHandler  *handler,
        GError             **error)
{
  const GhloPjrtFfiHandler *known;
  gboolean is_same;

  G_LOCK (registry);
  if (handlers == NULL)
    handlers = g_hash_table_new (ghlo_hash_string, g_str_equal);
  known = g_hash_table_lookup (handlers, handler->name);
  is_same = known != NULL && memcmp (known->stages, handler->stages, sizeof handler->stages) == 0;
  if (known == NULL)
    g_hash_table_insert (handlers, handler->name, handler);
  G_UNLOCK (registry);
  if (known == NULL)
    return TRUE;
  if (!is_same)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "handler '%s': another handler has been registered under this name", handler->name);
  g_free (handler->name);
  g_free (handler);

  return is_same;
}

/* Returns NULL with @error set when @name is not a valid name. */
static char *
read_name (XLA_FFI_ByteSpan   name,
           const char        *what,
           GError           **error)
{
  if (name.ptr != NULL && name.len > 0 && g_utf8_validate_len (name.ptr, name.len, NULL))
    return g_strndup (name.ptr, name.len);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "expected the name of a %s in UTF-8, found an empty or invalid string", what);

  return NULL;
}

gboolean
ghlo_pjrt_ffi_register (XLA_FFI_ByteSpan         name,
                        XLA_FFI_Handler_Bundle   bundle,
                        GError                 **error)
{
  g_autofree char *text = read_name (name, "handler", error);
  GhloPjrtFfiHandler *handler;

  if (text == NULL)
    return FALSE;
  if (bundle.execute == NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "handler '%s': expected a function for the execute stage, found none", text);
      return FALSE;
    }
  if (!check_version (text, bundle.execute, error))
    return FALSE;
  handler = g_new0 (GhloPjrtFfiHandler, 1);
  handler->name = g_steal_pointer (&text);
  handler->stages[XLA_FFI_ExecutionStage_INSTANTIATE] = bundle.instantiate;
  handler->stages[XLA_FFI_ExecutionStage_PREPARE] = bundle.prepare;
  handler->stages[XLA_FFI_ExecutionStage_INITIALIZE] = bundle.initialize;
  handler->stages[XLA_FFI_ExecutionStage_EXECUTE] = bundle.execute;

  return insert (handler, error);
}

/* Called with the lock held. Returns a number that no type has yet. */
static int64_t
next_type (void)
{
  return FIRST_TYPE + g_hash_table_size (types);
}

static const Type *
find_type (int64_t id)
{
  GHashTableIter iter;
  gpointer type;

  if (types == NULL)
    return NULL;
  g_hash_table_iter_init (&iter, types);
  while (g_hash_table_iter_next (&iter, NULL, &type))
    if (((const Type *) type)->id == id)
      return type;

  return NULL;
}

gboolean
ghlo_pjrt_ffi_register_type (XLA_FFI_ByteSpan   name,
                             int64_t           *id,
                             void             (*deleter) (void *),
                             GError           **error)
{
  g_autofree char *text = read_name (name, "type", error);
  Type *type;
  gboolean ok;

  if (text == NULL)
    return FALSE;
  G_LOCK (registry);
  if (types == NULL)
    types = g_hash_table_new (ghlo_hash_string, g_str_equal);
  type = g_hash_table_lookup (types, text);
  if (type == NULL && (*id == 0 || find_type (*id) == NULL))
    {
      type = g_new (Type, 1);
      *type = (Type) { *id != 0 ? *id : next_type (), deleter };
      g_hash_table_insert (types, g_strdup (text), type);
    }
  ok = type != NULL && (*id == 0 || *id == type->id);
  if (ok)
    *id = type->id;
  G_UNLOCK (registry);
  if (!ok)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "type '%s': cannot be registered with ID %" G_GINT64_FORMAT ", since the name has another ID or the "
                 "ID another name", text, *id);

  return ok;
}

void
ghlo_pjrt_ffi_delete (int64_t  type,
                      void    *object)
{
  const Type *known;
  void (*deleter) (void *) = NULL;

  G_LOCK (registry);
  known = find_type (type);
  if (known != NULL)
    deleter = known->deleter;
  G_UNLOCK (registry);
  if (deleter != NULL && object != NULL)
    deleter (object);
}

/* The extensions. */

static PJRT_Error *
type_register (PJRT_FFI_Type_Register_Args *args)
{
  GError *error = NULL;

  PJRT_NEEDS (args, type_id);
  ghlo_pjrt_ffi_register_type ((XLA_FFI_ByteSpan) { args->type_name, args->type_name_size }, &args->type_id,
                               PJRT_HAS (args, type_info) && args->type_info != NULL ? args->type_info->deleter : NULL,
                               &error);

  return ghlo_pjrt_error_take (error);
}

static PJRT_Error *
user_data_add (PJRT_FFI_UserData_Add_Args *args)
{
  PJRT_NEEDS (args, user_data);
  if (args->context == NULL || args->user_data.type_id == 0)
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT,
                                "expected an execution context and a type ID that is not 0");
  if (!ghlo_pjrt_context_add (args->context, args->user_data.type_id, args->user_data.data))
    return ghlo_pjrt_error_new (PJRT_Error_Code_ALREADY_EXISTS, "the execution context has user data of type ID %"
                                G_GINT64_FORMAT " already", (gint64) args->user_data.type_id);

  return NULL;
}

static PJRT_Error *
register_bundle (const char             *name,
                 size_t                  name_size,
                 int                     api_version,
                 XLA_FFI_Handler_Bundle  bundle)
{
  GError *error = NULL;

  if (api_version != 1)
    return ghlo_pjrt_error_new (PJRT_Error_Code_UNIMPLEMENTED, "handler '%.*s': expected api_version 1 "
                                "(XLA's FFI), found api_version %d", (int) MIN (name_size, 256), name, api_version);
  ghlo_pjrt_ffi_register ((XLA_FFI_ByteSpan) { name, name_size }, bundle, &error);

  return ghlo_pjrt_error_take (error);
}

static PJRT_Error *
register_handler (PJRT_FFI_Register_Handler_Args *args)
{
  PJRT_NEEDS (args, platform_name_size);

  return register_bundle (args->target_name, args->target_name_size, args->api_version,
                          (XLA_FFI_Handler_Bundle) { .execute = args->handler });
}

static PJRT_Error *
custom_call (PJRT_Gpu_Register_Custom_Call_Args *args)
{
  PJRT_NEEDS (args, handler_execute);

  return register_bundle (args->function_name, args->function_name_size, args->api_version,
                          (XLA_FFI_Handler_Bundle) {
                            .instantiate = args->handler_instantiate, .prepare = args->handler_prepare,
                            .initialize = args->handler_initialize, .execute = args->handler_execute,
                          });
}

void
ghlo_pjrt_ffi_fill (PJRT_FFI_Extension   *ffi,
                    PJRT_Gpu_Custom_Call *bundles)
{
  *ffi = (PJRT_FFI_Extension) {
    .base = { .struct_size = sizeof *ffi, .type = PJRT_Extension_Type_FFI },
    .type_register = type_register, .user_data_add = user_data_add, .register_handler = register_handler,
  };
  *bundles = (PJRT_Gpu_Custom_Call) {
    .base = { .struct_size = sizeof *bundles, .type = PJRT_Extension_Type_Gpu_Custom_Call }, .custom_call = custom_call,
  };
}
