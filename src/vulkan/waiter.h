/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What goes on in a queue after the calls that began it: runs and copies that end when the queue's timeline has reached
 * a value. Who looks or waits sees it; once somebody is to be called back, one thread of the device ends them.
 */

#pragma once

#include "runtime/pending.h"
#include "vulkan/device.h"

G_BEGIN_DECLS

typedef struct _GhloVulkanWaiter GhloVulkanWaiter;

GhloVulkanWaiter *ghlo_vulkan_waiter_new  (GhloVulkanDevice *device);
/* Nothing is pending any more. */
void              ghlo_vulkan_waiter_free (GhloVulkanWaiter *self);
/* One that ends when all has ended that was put into the queue so far. */
GhloPending      *ghlo_vulkan_waiter_add  (GhloVulkanWaiter *self);

G_END_DECLS
