/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where values lie, and their ways between the host and devices. Of a tuple all of this
 * holds for each member; what is no tensor lies everywhere.
 */

#pragma once

#include "runtime/device.h"

G_BEGIN_DECLS

/* Whether all members of a value, which is no tensor, can be read by the host. */
gboolean        ghlo_value_has_host_members (const GhloValue *self);

/* Whether the value can be read by the host as it is. */
static inline gboolean
ghlo_value_is_on_host (const GhloValue *self)
{
  return self->kind == GHLO_VALUE_TENSOR ? __atomic_load_n (&self->data, __ATOMIC_ACQUIRE) != NULL
                                         : ghlo_value_has_host_members (self);
}

/* Whether it lies where @device works: in its memory, or on the host for one that works there. */
gboolean        ghlo_value_is_on       (const GhloValue    *self,
                                        GhloDeviceCore     *device);
/* The device whose memory a tensor lies in, or the first tensor of a tuple; NULL for the host's. */
GhloDeviceCore *ghlo_value_get_device  (const GhloValue    *self);

/* Has the host see the value, which stays where it is. Waits until it is written. */
gboolean        ghlo_value_fetch       (GhloValue          *self,
                                        const GhloMonitor  *monitor,
                                        GError            **error);
/* The value where @device works: a reference to @self when it is there, else a copy. */
GhloValue      *ghlo_value_place       (GhloValue          *self,
                                        GhloDeviceCore     *device,
                                        const GhloMonitor  *monitor,
                                        GError            **error);
/* The same for @device to read alone, which may be of the memory that the value lies in, so that nothing is copied.
 * What is copied to the device's own is added to @copied, bytes, which may be NULL. */
GhloValue      *ghlo_value_show        (GhloValue          *self,
                                        GhloDeviceCore     *device,
                                        gsize              *copied,
                                        const GhloMonitor  *monitor,
                                        GError            **error);
/* Of a value that is where @device works, one like it there in memory that nobody else has. It may be pending. */
GhloValue      *ghlo_value_copy        (GhloValue          *self,
                                        GhloDeviceCore     *device,
                                        GError            **error);

/* What writes it, borrowed, as long as that has not ended well; NULL for what is written. */
GhloPending    *ghlo_value_get_pending (const GhloValue    *self);

G_END_DECLS
