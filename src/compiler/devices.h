/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The devices of the machine. Executors find them on the first listing; from then on, everything in the process uses
 * the same instances. A lost device is no longer listed, and the next listing asks its executor again.
 */

#pragma once

#include "execute/program.h"

G_BEGIN_DECLS

typedef struct
{
  /* Adds the devices of one executor to @devices, which contains those that it found before, in the order in which they
   * are to be listed. Called with a lock held; may take a while. */
  void     (*find)         (GPtrArray *devices);
  /* Whether there may be real GPUs among them, as far as can be told within microseconds. NULL: there are none. */
  gboolean (*may_have_gpu) (void);
  /* What the names of its devices begin with, and why it found none; NULL where it finds some. Called with the same
   * lock held after it was asked for its devices. Both NULL: it always has devices. */
  const char *name;
  const char *(*explain)   (void);
} GhloDeviceFinder;

/* The executors, in the order in which their devices are listed, terminated by an entry without functions. */
extern const GhloDeviceFinder ghlo_device_registry[];

/* All devices, in listing order; the first one is the default. The caller owns the array. Slow the first time. */
GPtrArray      *ghlo_devices_list       (void);

/* Why executors found no devices: newly allocated, a line for each of them, without the name that
 * ghlo_devices_choose () reports; NULL where all have some. With @name, only the executor of such devices. */
char           *ghlo_devices_explain    (const char                *name);

/* The device with the name @name; NULL when there is none. */
GhloDeviceCore *ghlo_devices_find       (const char                *name);

/* Whether there are real GPUs, or may be some that were not searched for. Opens no device. */
gboolean        ghlo_devices_may_have_gpu (void);
/* The devices of executors that may have GPUs. With @ask, executors that were not asked before are asked if they may
 * have some; otherwise, only devices that were found before are returned. The caller owns the array. */
GPtrArray      *ghlo_devices_list_gpus  (gboolean                   ask);

/* The first device that there is. */
GhloDeviceCore *ghlo_devices_get_default (void);
/* Whether @name, or GHLO_DEVICE when it is NULL, leaves the choice of device to the library. */
gboolean        ghlo_devices_is_auto    (const char                *name);
/* The device that a user requests with @name, or with GHLO_DEVICE when it is NULL. For "", "auto" or no name, this is
 * the default device. If there is no such device, the error DEVICE lists the names that there are. */
GhloDeviceCore *ghlo_devices_choose     (const char                *name,
                                         GError                   **error);

/* The options that devices are to prepare with: the CPU's steps, and the reference device as fallback. */
GhloPrepareOptions ghlo_devices_get_options (void);
/* Lets @device prepare a function with these options. */
GhloPrepared   *ghlo_devices_prepare    (GhloDeviceCore            *device,
                                         GhloIrModule              *module,
                                         GhloIrOp                  *function,
                                         const GhloMonitor         *monitor,
                                         GError                   **error);

G_END_DECLS
