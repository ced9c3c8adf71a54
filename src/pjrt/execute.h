/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What executions on one device and on several have in common.
 */

#pragma once

#include "pjrt/executable.h"
#include "pjrt/promise.h"

G_BEGIN_DECLS

/* Of the buffers @arguments of one device those that a run may take the memory of are the caller's no more. FALSE with
 * @error set, and nothing done, where one of these is another argument as well. */
gboolean     ghlo_pjrt_give_up_inputs     (const PJRT_Executable                     *executable,
                                           const PJRT_ExecuteOptions                 *options,        /* nullable */
                                           PJRT_Buffer *const                        *arguments,
                                           GError                                   **error);
/* Whether @argument is what the program takes as input @input; INVALID_ARGUMENT says what that is. */
gboolean     ghlo_pjrt_check_input        (const PJRT_Executable                     *executable,
                                           guint                                      input,
                                           const PJRT_Buffer                         *argument,
                                           GError                                   **error);
/* What the caller has of @output on @device until it is there; takes over the reference to @promise. */
PJRT_Buffer *ghlo_pjrt_execute_promise    (const PJRT_Executable                     *executable,
                                           PJRT_Device                               *device,
                                           guint                                      output,
                                           GhloPjrtPromise                           *promise);
/* On all devices of an executable that has several: the outputs are there, and the result, the caller's, is what they
 * wait for. */
GhloPending *ghlo_pjrt_execute_partitions (const PJRT_LoadedExecutable_Execute_Args  *args,
                                           GError                                   **error);

G_END_DECLS
