/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls of the plugin's functions. The plugin is loaded as frameworks load it, and used only through its table.
 */

#pragma once

#include "pjrt/abi.h"

G_BEGIN_DECLS

/* The function table of the plugin that GHLO_PJRT_PLUGIN names. */
extern const PJRT_Api *api;

void     call_load         (void);
/* Frees the error and returns its message (transfer full). */
char    *call_take_message (PJRT_Error      *error);
/* Aborts the test if there is an error. */
void     call_check        (const char      *function,
                            PJRT_Error      *error);
/* Checks that there is an error with this code and @part in its message, and frees the error. */
void     call_check_error  (PJRT_Error      *error,
                            PJRT_Error_Code  code,
                            const char      *part);

/* Calls PJRT's function with these arguments, checks that it succeeds, and returns the arguments with the outputs. */
#define CALL(function, ...) \
  (__extension__ ({ \
    PJRT_##function##_Args args_ = { .struct_size = sizeof args_, __VA_ARGS__ }; \
    call_check (#function, api->PJRT_##function (&args_)); \
    args_; \
  }))

/* The same, but returns the error. */
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
/* Serializes the executable (transfer full). */
char                  *call_serialize (PJRT_LoadedExecutable *loaded,
                                       gsize                 *size);
/* Makes a dense copy of @n numbers in one dimension. */
PJRT_Buffer           *call_floats    (PJRT_Client           *client,
                                       const float           *numbers,
                                       gsize                  n);
/* Waits for @buffer and reads its bytes. */
void                   call_read      (PJRT_Buffer           *buffer,
                                       gpointer               bytes,
                                       gsize                  size);
PJRT_Error            *call_execute   (PJRT_LoadedExecutable *executable,
                                       PJRT_Buffer          **arguments,
                                       gsize                  n_arguments,
                                       PJRT_Buffer          **outputs,
                                       PJRT_Event           **done);
/* Executes and waits. Returns NULL and sets @output to the only output, or returns the error and leaves no output. */
PJRT_Error            *call_run       (PJRT_LoadedExecutable *executable,
                                       PJRT_Buffer          **arguments,
                                       gsize                  n_arguments,
                                       PJRT_Buffer          **output);

G_END_DECLS
