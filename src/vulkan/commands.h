/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Command buffers of dispatches, and the pools that they are allocated from. A pool and its command buffers belong to
 * one thread at a time.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

typedef struct _GhloVulkanCommandPool GhloVulkanCommandPool;

/* Bytes of the push constants of each dispatch. */
enum { GHLO_VULKAN_PUSH_SIZE = 16 };

/* @is_transient: the pool's command buffers are short-lived, or reset often. */
GhloVulkanCommandPool *ghlo_vulkan_command_pool_new      (GhloVulkanDevice       *device,
                                                          gboolean                is_transient,
                                                          GError                **error);
/* The device must be done with all of its command buffers, which are freed with it; see ghlo_vulkan_queue_retire (). */
void                   ghlo_vulkan_command_pool_free     (GhloVulkanCommandPool  *self);
GhloVulkanCommands    *ghlo_vulkan_command_pool_allocate (GhloVulkanCommandPool  *self,
                                                          GError                **error);
/* Frees one command buffer. */
void                   ghlo_vulkan_command_pool_release  (GhloVulkanCommandPool  *self,
                                                          GhloVulkanCommands     *commands);
/* Empties all command buffers. */
gboolean               ghlo_vulkan_command_pool_reset    (GhloVulkanCommandPool  *self,
                                                          GError                **error);

/* The commands wait for everything put into the queue before. */
gboolean ghlo_vulkan_commands_begin             (GhloVulkanCommands      *self,
                                                 GhloVulkanDevice        *device,
                                                 GError                 **error);
/* Makes all writes visible to the host once the timeline says that they are done. Each command buffer ends so, since
 * one for that barrier alone would cost 1.5 µs. */
gboolean ghlo_vulkan_commands_end               (GhloVulkanCommands      *self,
                                                 GhloVulkanDevice        *device,
                                                 GError                 **error);
/* Sets the pipeline of the dispatches that follow. */
void     ghlo_vulkan_commands_bind              (GhloVulkanCommands      *self,
                                                 const GhloVulkanDevice  *device,
                                                 GhloVulkanPipeline      *pipeline);
/* Dispatches @n_groups workgroups, with GHLO_VULKAN_PUSH_SIZE bytes of push constants at @push. */
void     ghlo_vulkan_commands_dispatch          (GhloVulkanCommands      *self,
                                                 const GhloVulkanDevice  *device,
                                                 gconstpointer            push,
                                                 guint32                  n_groups);
/* The commands that follow see all earlier writes, and write only after all earlier reads. */
void     ghlo_vulkan_commands_barrier           (GhloVulkanCommands      *self,
                                                 const GhloVulkanDevice  *device);
/* The same, where the device itself reads predicates before or after the barrier. */
void     ghlo_vulkan_commands_predicate_barrier (GhloVulkanCommands      *self,
                                                 const GhloVulkanDevice  *device);
/* The commands up to end_predicate () are skipped where the 32-bit number at @address, in memory of the kind UPLOAD, is
 * 0 by then. The device must have predicates (has_predicates). */
void     ghlo_vulkan_commands_begin_predicate   (GhloVulkanCommands      *self,
                                                 const GhloVulkanDevice  *device,
                                                 guint64                  address);
void     ghlo_vulkan_commands_end_predicate     (GhloVulkanCommands      *self,
                                                 const GhloVulkanDevice  *device);

G_END_DECLS
