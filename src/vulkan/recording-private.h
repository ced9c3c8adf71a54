/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What recording.c, which puts commands into a recording, and recording-instance.c, which runs them, both know of one.
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
  const GhloVulkanKernel *kernel;       /* of the dispatch; while it is recorded */
  gboolean                waits;        /* for what is before it */
  GhloStepPlace           gate;         /* nowhere: it is always done */
  guint                   table;        /* the first of its words */
  guint                   first_access, n_accesses;
  guint                   n_of_first;   /* of these those of the first of two dispatches that are one; else 0 */
} GhloVulkanCommand;

struct _GhloVulkanRecording
{
  GhloVulkanDevice     *device;
  GArray               *commands;   /* GhloVulkanCommand */
  GArray               *words;      /* guint64 */
  GArray               *accesses;   /* GhloVulkanAccess, the word being one of all words */
  guint                 n_gates;    /* of branches */
  double                seconds;    /* that it takes, about */
  /* While it is recorded. */
  const GhloStepExtent *buffers;
  GhloStepPlace         gate;                   /* of the next dispatches */
  guint                 first_open, n_open;     /* the first command that is not behind a barrier, and accesses since */
  GMutex                lock;       /* guards what follows, and what is made of the pool */
  VkCommandPool         pool;       /* VK_NULL_HANDLE until the first run */
  GQueue                instances;  /* those that no thread is about to run, the one used longest ago first */
  guint                 n_instances;
};

static inline const GhloVulkanCommand *
ghlo_vulkan_recording_command (const GhloVulkanRecording *self,
                               guint                      i)
{
  return &g_array_index (self->commands, GhloVulkanCommand, i);
}

/* What @access refers to, with buffers at @addresses and gates from @gates on. */
static inline guint64
ghlo_vulkan_access_address (const GhloVulkanAccess *access,
                            guint8 *const          *addresses,
                            guint64                 gates)
{
  const guint64 begin = access->place.buffer == GHLO_VULKAN_GATES ? gates
                                                                  : GPOINTER_TO_SIZE (addresses[access->place.buffer]);

  return begin + (guint64) access->place.offset;
}

/* The bytes of an instance: its tables and gates. */
gsize ghlo_vulkan_recording_instance_size  (const GhloVulkanRecording *self);
/* What the device has been given of them is done all the same. */
void  ghlo_vulkan_recording_free_instances (GhloVulkanRecording *self);

G_END_DECLS
