/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls of the plugin's functions: the plugin is loaded as others load it, and known by its table alone.
 */

#pragma once

#include "pjrt/abi.h"

G_BEGIN_DECLS

/* The table, of the plugin that GHLO_PJRT_PLUGIN names. */
extern const PJRT_Api *api;

void     call_load         (void);
/* The error's message, which the caller frees; the error goes. */
char    *call_take_message (PJRT_Error      *error);
/* Ends the test where there is an error. */
void     call_check        (const char      *function,
                            PJRT_Error      *error);
/* That there is one of that code with that in its message, which goes. */
void     call_check_error  (PJRT_Error      *error,
                            PJRT_Error_Code  code,
                            const char      *part);

/* PJRT's function with these arguments, which are left as it left them. */
#define CALL(function, ...) \
  (__extension__ ({ \
    PJRT_##function##_Args args_ = { .struct_size = sizeof args_, __VA_ARGS__ }; \
    call_check (#function, api->PJRT_##function (&args_)); \
    args_; \
  }))

/* The same for its error. */
#define CALL_ERROR(function, ...) \
  (__extension__ ({ \
    PJRT_##function##_Args args_ = { .struct_size = sizeof args_, __VA_ARGS__ }; \
    api->PJRT_##function (&args_); \
  }))

PJRT_Client           *call_client    (const char            *device);
PJRT_LoadedExecutable *call_compile   (PJRT_Client           *client,
                                       const char            *program);
PJRT_Error            *call_compile_error (PJRT_Client       *client,
                                       const char            *program,
                                       const char            *options,
                                       gsize                  n_options);
/* Its bytes; the caller frees them. */
char                  *call_serialize (PJRT_LoadedExecutable *loaded,
                                       gsize                 *size);
/* Dense, copied; of @n numbers in one dimension. */
PJRT_Buffer           *call_floats    (PJRT_Client           *client,
                                       const float           *numbers,
                                       gsize                  n);
/* The bytes of @buffer, which are waited for. */
void                   call_read      (PJRT_Buffer           *buffer,
                                       gpointer               bytes,
                                       gsize                  size);
PJRT_Error            *call_execute   (PJRT_LoadedExecutable *executable,
                                       PJRT_Buffer          **arguments,
                                       gsize                  n_arguments,
                                       PJRT_Buffer          **outputs,
                                       PJRT_Event           **done);
/* The same, waited for: its one output, which is there, or the error, and then no output is left. */
PJRT_Error            *call_run       (PJRT_LoadedExecutable *executable,
                                       PJRT_Buffer          **arguments,
                                       gsize                  n_arguments,
                                       PJRT_Buffer          **output);

G_END_DECLS
