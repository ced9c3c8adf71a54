/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Chooses the device for a program that names none.
 */

#pragma once

#include "compiler/devices.h"

G_BEGIN_DECLS

/* The device with the name @name, or, where that is NULL, the name in GHLO_DEVICE. For "auto", "" or no name, the
 * default device or a real GPU, whichever is estimated to finish the entry function of @module first; then *@reason
 * says why, as a sentence without its full stop. The caller frees it; otherwise it is NULL. Executors that may have
 * GPUs are asked for them only where the default device takes long enough, or where they were asked before. */
GhloDeviceCore *ghlo_auto_choose (const char          *name,
                                  const GhloIrModule  *module,
                                  char               **reason,
                                  GError             **error);
/* @plan, which is freed, with @reason in front; either may be NULL. The caller frees the result. */
char           *ghlo_auto_describe (const char          *reason,
                                    char                *plan);

G_END_DECLS
