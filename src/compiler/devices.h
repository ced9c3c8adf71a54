/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The devices of the machine. A device's core belongs to the process and is never freed,
 * so that workers may hold it without counting.
 */

#pragma once

#include "base/ghlo-enums.h"
#include "runtime/executor.h"

G_BEGIN_DECLS

typedef struct
{
  GhloDeviceKind kind;
  const char    *name;
  const char    *driver;
  const char    *const   *features;           /* NULL-terminated */
  gboolean       wants_passes;                /* FALSE: programs run as they are written */
  guint64            (*get_memory) (void);    /* bytes that programs may use */
  const GhloExecutor *(*get_executor) (void);
} GhloDeviceCore;

/* All devices of the machine, found on the first call, in the order in which
 * they are listed; the first one is the default. NULL-terminated. */
const GhloDeviceCore *const *ghlo_device_cores       (void);

/* The core that runs a program when no device is asked for: the one that
 * GHLO_DEVICE names, else the first. DEVICE when there is none of that kind. */
const GhloDeviceCore        *ghlo_device_core_choose (GError              **error);

/* The first of a kind, by the name that GHLO_DEVICE takes; NULL when there is none. */
const GhloDeviceCore        *ghlo_device_core_find   (const char           *kind);
const char                  *ghlo_device_core_kind   (const GhloDeviceCore *core);

G_END_DECLS
