/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs a kernel as a schedule orders it, one scalar at a time, with every access
 * checked: the oracle of what emitters make, to the bit.
 */

#pragma once

#include "schedule.h"

G_BEGIN_DECLS

/* FALSE with a sentence in *@error, which the caller frees, when the kernel reaches
 * outside of a buffer or contains what is no kernel. */
gboolean ghlo_kernel_interpret (const GhloKernel   *kernel,
                                const GhloSchedule *schedule,
                                gpointer const     *buffers,
                                char              **error);

G_END_DECLS
