/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The internals of a recording, shared by recording.c, which adds commands, and recording-instance.c, which runs
 * them.
 */

#pragma once

#include "vulkan/recording.h"

G_BEGIN_DECLS

typedef struct
{
  const char             *name;
  VkPipeline              pipeline;
  guint64                 n_points;
  guint                   points_each, most_groups;
  gboolean                takes_turns;
  double                  work;         /* operations in all, roughly */
  const GhloVulkanKernel *kernel;       /* the dispatch's kernel, while recording */
  gboolean                waits;        /* for earlier commands */
  GhloStepPlace           gate;         /* GHLO_STEP_NONE: always executed */
  guint                   table;        /* index of its first word */
  guint                   first_access, n_accesses;
  guint                   n_of_first;   /* for two joined dispatches, the accesses of the first one; else 0 */
} GhloVulkanCommand;

struct _GhloVulkanRecording
{
  GhloVulkanDevice     *device;
  GArray               *commands;   /* GhloVulkanCommand */
  GArray               *words;      /* guint64 */
  GArray               *accesses;   /* GhloVulkanAccess, whose word is an index into @words */
  guint                 n_gates;    /* gates for branches */
  double                seconds;    /* estimated duration of a run */
  /* Valid while recording. */
  const GhloStepExtent *buffers;
  GhloStepPlace         gate;                   /* of the dispatches to come */
  guint                 first_open, n_open;     /* first command since the last barrier; accesses since it */
  GMutex                lock;       /* guards the fields below, and everything allocated from the pool */
  VkCommandPool         pool;       /* VK_NULL_HANDLE until the first run */
  GQueue                instances;  /* those not being set up by a thread, least recently used first */
  guint                 n_instances;
};

static inline const GhloVulkanCommand *
ghlo_vulkan_recording_command (const GhloVulkanRecording *self,
                               guint                      i)
{
  return &g_array_index (self->commands, GhloVulkanCommand, i);
}

/* Returns the address that @access refers to, given the address of each buffer and that of the gates. */
static inline guint64
ghlo_vulkan_access_address (const GhloVulkanAccess *access,
                            guint8 *const          *addresses,
                            guint64                 gates)
{
  const guint64 begin = access->place.buffer == GHLO_VULKAN_GATES ? gates
                                                                  : GPOINTER_TO_SIZE (addresses[access->place.buffer]);

  return begin + (guint64) access->place.offset;
}

/* Returns the bytes of an instance's tables and gates. */
gsize ghlo_vulkan_recording_instance_size  (const GhloVulkanRecording *self);
/* Work that was already put into the queue still completes. */
void  ghlo_vulkan_recording_free_instances (GhloVulkanRecording *self);

G_END_DECLS
