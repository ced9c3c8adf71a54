/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The devices of the machine: found by the executors on the first listing, and the same
 * instances for everybody in the process from then on. One that is lost is not listed any
 * more; the next listing asks the executors again.
 */

#pragma once

#include "runtime/device.h"

G_BEGIN_DECLS

typedef struct
{
  /* Adds devices of one executor to @devices, which has those that it found before, in the
   * order in which they are to be listed. Called with a lock held; takes its time. */
  void     (*find)         (GPtrArray *devices);
  /* Whether there may be real GPUs among them, as far as can be told in microseconds. NULL: there are none. */
  gboolean (*may_have_gpu) (void);
} GhloDeviceFinder;

/* The executors, in the order in which their devices are listed, and one without functions. */
extern const GhloDeviceFinder ghlo_device_finders[];

/* All devices, in the order in which they are listed; the first one is the default. The
 * array is the caller's. Slow the first time. */
GPtrArray      *ghlo_devices_list       (void);

/* The device of that name; NULL when there is none. */
GhloDeviceCore *ghlo_devices_find       (const char                *name);

/* Whether there are real GPUs, or may be some that were not looked for; it opens nothing. */
gboolean        ghlo_devices_may_have_gpu (void);
/* Devices of executors that may have GPUs. With @ask these are found where there may be some; else they are those that
 * were found before. The array is the caller's. */
GPtrArray      *ghlo_devices_list_gpus  (gboolean                   ask);

/* The first that there is. */
GhloDeviceCore *ghlo_devices_get_default (void);
/* Whether @name, or GHLO_DEVICE when it is NULL, leaves the choice to us. */
gboolean        ghlo_devices_is_auto    (const char                *name);
/* What a user asked for by @name, or by GHLO_DEVICE when it is NULL: the device of that name, the
 * default one for "", "auto" or nothing, or DEVICE with the names that there are. */
GhloDeviceCore *ghlo_devices_choose     (const char                *name,
                                         GError                   **error);

/* What devices are to prepare with: the CPU's steps, and the reference device to fall back to. */
GhloPrepareOptions ghlo_devices_get_options (void);
/* Has @device prepare a function with them. */
GhloPrepared   *ghlo_devices_prepare    (GhloDeviceCore            *device,
                                         GhloIrModule              *module,
                                         GhloIrOp                  *function,
                                         const GhloMonitor         *monitor,
                                         GError                   **error);

G_END_DECLS
