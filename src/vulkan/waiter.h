/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pending work of a queue: runs and copies that end when the queue's timeline reaches a value. Callers that poll or
 * wait find out by themselves; once there is a callback to be made, one thread per device watches the timeline.
 */

#pragma once

#include "runtime/pending.h"
#include "vulkan/device.h"

G_BEGIN_DECLS

typedef struct _GhloVulkanWaiter GhloVulkanWaiter;

GhloVulkanWaiter *ghlo_vulkan_waiter_new  (GhloVulkanDevice *device);
/* There must be no pending work. */
void              ghlo_vulkan_waiter_free (GhloVulkanWaiter *self);
/* Returns a pending that ends when everything put into the queue so far has ended. */
GhloPending      *ghlo_vulkan_waiter_add  (GhloVulkanWaiter *self);

G_END_DECLS
