/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where values are, and how they move between the host and devices. For a tuple each function applies to all
 * members; values without tensors count as being everywhere.
 */

#pragma once

#include "runtime/value.h"

G_BEGIN_DECLS

/* Returns whether the host can read all members of a value that is not a tensor. */
gboolean        ghlo_value_has_host_members (const GhloValue *self);

/* Returns whether the host can read the value as it is. */
static inline gboolean
ghlo_value_is_on_host (const GhloValue *self)
{
  return self->kind == GHLO_VALUE_TENSOR ? __atomic_load_n (&self->data, __ATOMIC_ACQUIRE) != NULL
                                         : ghlo_value_has_host_members (self);
}

/* Returns whether the value is where @device works: in the device's memory, or on the host for a device that works
 * there. */
gboolean        ghlo_value_is_on       (const GhloValue    *self,
                                        GhloDeviceCore     *device);
/* Returns the device whose memory holds the tensor, or the first tensor of a tuple that is on a device; NULL for host
 * memory. */
GhloDeviceCore *ghlo_value_get_device  (const GhloValue    *self);

/* Makes the value readable for the host; it also stays where it is. Waits until it is written. */
gboolean        ghlo_value_fetch       (GhloValue          *self,
                                        const GhloMonitor  *monitor,
                                        GError            **error);
/* Returns the value where @device works: a reference to @self if it is there already, else a copy. */
GhloValue      *ghlo_value_place       (GhloValue          *self,
                                        GhloDeviceCore     *device,
                                        const GhloMonitor  *monitor,
                                        GError            **error);
/* The same for read-only use by @device, which may access the value's own memory, so that nothing is copied. */
GhloValue      *ghlo_value_place_read_only (GhloValue          *self,
                                            GhloDeviceCore     *device,
                                            const GhloMonitor  *monitor,
                                            GError            **error);
/* Returns a copy of a value that is where @device works, in new memory there. The copy may be pending. */
GhloValue      *ghlo_value_copy        (GhloValue          *self,
                                        GhloDeviceCore     *device,
                                        GError            **error);

/* Returns what writes the value, borrowed, until that has ended without an error; NULL for a value that is written. */
GhloFence    *ghlo_value_get_fence (const GhloValue    *self);

G_END_DECLS
