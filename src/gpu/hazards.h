/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds accesses that lack a barrier between them, by their addresses alone, independently of the code that places the
 * barriers. Validation layers cannot do this, since they do not see accesses that shaders make by address.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _GhloGpuHazards GhloGpuHazards;

GhloGpuHazards *ghlo_gpu_hazards_new     (void);
void            ghlo_gpu_hazards_free    (GhloGpuHazards *self);
/* All later commands wait for all earlier ones. */
void            ghlo_gpu_hazards_barrier (GhloGpuHazards *self);
/* Adds a read or write by command @number of the bytes in [@begin, @end). Returns the number of an earlier command that
 * it should have waited for, or G_MAXUINT. */
guint           ghlo_gpu_hazards_add     (GhloGpuHazards *self,
                                          guint           number,
                                          guint64         begin,
                                          guint64         end,
                                          gboolean        is_written);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloGpuHazards, ghlo_gpu_hazards_free)

G_END_DECLS
