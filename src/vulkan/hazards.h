/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds accesses that need a barrier between them and have none, by addresses alone. It knows nothing of why a barrier
 * is where it is. Validation layers do not see what shaders reach by address.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _GhloVulkanHazards GhloVulkanHazards;

GhloVulkanHazards *ghlo_vulkan_hazards_new     (void);
void               ghlo_vulkan_hazards_free    (GhloVulkanHazards *self);
/* All that follows waits for all before. */
void               ghlo_vulkan_hazards_barrier (GhloVulkanHazards *self);
/* Command @number reads, or writes, bytes from @begin to before @end. The number of an earlier command that it should
 * have waited for, or G_MAXUINT. */
guint              ghlo_vulkan_hazards_add     (GhloVulkanHazards *self,
                                                guint              number,
                                                guint64            begin,
                                                guint64            end,
                                                gboolean           is_written);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloVulkanHazards, ghlo_vulkan_hazards_free)

G_END_DECLS
