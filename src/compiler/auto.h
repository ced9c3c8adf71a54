/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which device a program runs on that names none.
 */

#pragma once

#include "compiler/devices.h"
#include "runtime/refine.h"

G_BEGIN_DECLS

/* The device of that name, or that GHLO_DEVICE names where it is NULL; for "auto", "" or nothing the one on which the
 * entry function of @module is estimated to end first, of the default one and real GPUs: *reason, which the caller
 * frees, says why, as a sentence without its stop, and is NULL otherwise. Executors that may have GPUs are asked for
 * them only where the default device takes long enough, or they were asked before. */
GhloDeviceCore *ghlo_auto_choose (const char          *name,
                                  const GhloIrModule  *module,
                                  char               **reason,
                                  GError             **error);
/* What runs of @prepared, which was made of @module, are to be told to, so that later choices know more; NULL where
 * nobody chooses, nothing is kept, or such runs tell nothing of the device. The caller frees it. */
GhloRunWatch   *ghlo_auto_watch  (GhloPrepared        *prepared,
                                  const GhloIrModule  *module);
/* @plan, a text that is taken over, with @reason in front; either may be NULL. The caller frees it. */
char           *ghlo_auto_tell   (const char          *reason,
                                  char                *plan);

G_END_DECLS
