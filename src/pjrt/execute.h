/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts that executions on one device and on several devices share.
 */

#pragma once

#include "pjrt/executable.h"
#include "pjrt/future.h"

G_BEGIN_DECLS

/* Takes away from the caller those of the buffers @arguments of one device whose memory a run may take. Returns
 * FALSE with @error set, and without effect, when such a buffer is also another argument. */
gboolean     ghlo_pjrt_give_up_inputs     (const PJRT_Executable                     *executable,
                                           const PJRT_ExecuteOptions                 *options,        /* nullable */
                                           PJRT_Buffer *const                        *arguments,
                                           GError                                   **error);
/* Checks that @argument fits input @input of the program; sets INVALID_ARGUMENT with the expected type or layout
 * otherwise. */
gboolean     ghlo_pjrt_check_input        (const PJRT_Executable                     *executable,
                                           guint                                      input,
                                           const PJRT_Buffer                         *argument,
                                           GError                                   **error);
/* Returns the buffer that stands for @output on @device until the future is set. Takes over the reference to
 * @future. */
PJRT_Buffer *ghlo_pjrt_execute_future    (const PJRT_Executable                     *executable,
                                           PJRT_Device                               *device,
                                           guint                                      output,
                                           GhloPjrtFuture                           *future);
/* Starts an execution on all devices of an executable that has several. Creates the output buffers and returns the
 * end of the execution (transfer full). */
GhloFence *ghlo_pjrt_execute_partitions (const PJRT_LoadedExecutable_Execute_Args  *args,
                                           GError                                   **error);

G_END_DECLS
