/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fences of a queue, which are signaled when the queue's timeline reaches a value. Callers that poll or wait find
 * out by themselves; once there is a callback to be made, one thread per device watches the timeline.
 */

#pragma once

#include "device/fence.h"
#include "vulkan/device.h"

G_BEGIN_DECLS

typedef struct _GhloVulkanWaiter GhloVulkanWaiter;

GhloVulkanWaiter *ghlo_vulkan_waiter_new  (GhloVulkanDevice *device);
/* No fence may be unsignaled. */
void              ghlo_vulkan_waiter_free (GhloVulkanWaiter *self);
/* Returns a fence that is signaled when everything put into the queue so far has ended. */
GhloFence        *ghlo_vulkan_waiter_add  (GhloVulkanWaiter *self,
                                           GhloWait          wait);
/* These are as in GhloDeviceQueueClass; what is watched must have been submitted. */
gboolean          ghlo_vulkan_waiter_has_reached (GhloVulkanWaiter  *self,
                                                  guint64            value,
                                                  GError           **error);
void              ghlo_vulkan_waiter_watch (GhloVulkanWaiter *self,
                                            guint64           value);

G_END_DECLS
