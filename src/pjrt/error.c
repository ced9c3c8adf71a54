/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The library's errors as PJRT's: an absl::Status code and a message.
 */

#include "pjrt/error.h"

#include <gio/gio.h>
#include <string.h>

#include "base/ghlo-error.h"

struct PJRT_Error
{
  const PJRT_Error_FunctionTable *vtable;
  PJRT_Error_Code  code;
  char            *message;
};

/* By GhloError. For the inverse, the first row with the code counts. */
static const struct { GhloError ours; PJRT_Error_Code theirs; } codes[] = {
  { GHLO_ERROR_INVALID_ARGUMENT, PJRT_Error_Code_INVALID_ARGUMENT },
  { GHLO_ERROR_PARSE, PJRT_Error_Code_INVALID_ARGUMENT },
  { GHLO_ERROR_VERIFY, PJRT_Error_Code_INVALID_ARGUMENT },
  { GHLO_ERROR_DATA, PJRT_Error_Code_INVALID_ARGUMENT },
  { GHLO_ERROR_UNSUPPORTED, PJRT_Error_Code_UNIMPLEMENTED },
  { GHLO_ERROR_DEVICE, PJRT_Error_Code_UNAVAILABLE },
  { GHLO_ERROR_DEVICE_LOST, PJRT_Error_Code_UNAVAILABLE },
  { GHLO_ERROR_OUT_OF_MEMORY, PJRT_Error_Code_RESOURCE_EXHAUSTED },
  { GHLO_ERROR_INTERNAL, PJRT_Error_Code_INTERNAL },
};

static void
get_message (const PJRT_Error  *self,
             const char       **message,
             size_t            *message_size)
{
  *message = self->message;
  *message_size = strlen (self->message);
}

static PJRT_Error_Code
get_code_of (const PJRT_Error *self)
{
  return self->code;
}

/* Errors have no payloads. */
static void
for_each_payload_of (G_GNUC_UNUSED const PJRT_Error          *self,
                     G_GNUC_UNUSED PJRT_Error_PayloadVisitor  visitor,
                     G_GNUC_UNUSED void                      *user_arg)
{
}

static const PJRT_Error_FunctionTable table = {
  .struct_size = sizeof table,
  .instance_size = sizeof (const PJRT_Error_FunctionTable *),
  .destroy = ghlo_pjrt_error_free,
  .message = get_message,
  .get_code = get_code_of,
  .for_each_payload = for_each_payload_of,
};

/* A message may quote any bytes from a program, while callers expect UTF-8. */
static PJRT_Error *
error_new (PJRT_Error_Code  code,
           const char      *message)
{
  PJRT_Error *self = g_new (PJRT_Error, 1);

  self->vtable = &table;
  self->code = code;
  self->message = g_utf8_make_valid (message, -1);

  return self;
}

static PJRT_Error_Code
code_of (const GError *error)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return PJRT_Error_Code_CANCELLED;
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    if (g_error_matches (error, GHLO_ERROR, codes[i].ours))
      return codes[i].theirs;

  return PJRT_Error_Code_UNKNOWN;
}

PJRT_Error *
ghlo_pjrt_error_take (GError *error)
{
  PJRT_Error *self;

  if (error == NULL)
    return NULL;
  self = error_new (code_of (error), error->message);
  g_error_free (error);

  return self;
}

PJRT_Error *
ghlo_pjrt_error_new (PJRT_Error_Code  code,
                     const char      *format,
                     ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);

  return error_new (code, message);
}

PJRT_Error *
ghlo_pjrt_error_new_short (const char *function,
                           size_t      found,
                           size_t      expected)
{
  return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT,
                              "%s: expected arguments of at least %zu bytes, found %zu", function, expected, found);
}

GError *
ghlo_pjrt_error_of_code (PJRT_Error_Code  code,
                         const char      *message,
                         size_t           message_size)
{
  g_autofree char *text = g_strndup (message != NULL ? message : "", message != NULL ? message_size : 0);

  if (code == PJRT_Error_Code_CANCELLED)
    return g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, text);
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    if (codes[i].theirs == code)
      return g_error_new_literal (GHLO_ERROR, codes[i].ours, text);

  return g_error_new_literal (GHLO_ERROR, GHLO_ERROR_INTERNAL, text);
}

PJRT_Error *
ghlo_pjrt_error_of_range (gint64 offset,
                          gint64 size,
                          gint64 all)
{
  if (offset >= 0 && size >= 0 && size <= all && offset <= all - size)
    return NULL;

  return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT,
                              "expected a range within %" G_GINT64_FORMAT " bytes, found %" G_GINT64_FORMAT
                              " bytes at offset %" G_GINT64_FORMAT, all, size, offset);
}

void
ghlo_pjrt_error_free (PJRT_Error *self)
{
  if (self == NULL)
    return;
  g_free (self->message);
  g_free (self);
}

static void
destroy (PJRT_Error_Destroy_Args *args)
{
  if (PJRT_HAS (args, error))
    ghlo_pjrt_error_free (args->error);
}

static void
message (PJRT_Error_Message_Args *args)
{
  if (!PJRT_HAS (args, message_size))
    return;
  get_message (args->error, &args->message, &args->message_size);
}

static PJRT_Error *
get_code (PJRT_Error_GetCode_Args *args)
{
  PJRT_NEEDS (args, code);
  args->code = args->error->code;

  return NULL;
}

static PJRT_Error *
for_each_payload (PJRT_Error_ForEachPayload_Args *args)
{
  PJRT_NEEDS (args, user_arg);

  return NULL;
}

void
ghlo_pjrt_error_add_functions (PJRT_Api *api)
{
  api->PJRT_Error_Destroy = destroy;
  api->PJRT_Error_Message = message;
  api->PJRT_Error_GetCode = get_code;
  api->PJRT_Error_ForEachPayload = for_each_payload;
}
