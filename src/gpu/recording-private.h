/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The internals of a recording, shared by recording.c, which adds commands, and recording-instance.c and
 * recording-pieces.c, which run them.
 */

#pragma once

#include "gpu/recording.h"
#include "vulkan/commands.h"

G_BEGIN_DECLS

typedef struct
{
  const char          *name;
  GhloVulkanPipeline  *pipeline;
  guint64              n_points;
  guint                points_per_group, most_groups;
  gboolean             takes_turns;
  double               work;            /* operations in all, roughly */
  const GhloGpuKernel *kernel;       /* the dispatch's kernel, while recording */
  gboolean             waits;           /* for earlier commands */
  GhloBufferRef        predicate;       /* GHLO_STEP_NONE: always executed */
  guint                table;           /* index of its first word */
  guint                first_access, n_accesses;
  guint                n_of_first;      /* for two merged dispatches, the accesses of the first one; else 0 */
} GhloGpuCommand;

struct _GhloGpuRecording
{
  GhloCommandBuffer     base;
  GhloGpuDevice     *device;
  GArray               *commands;   /* GhloGpuCommand */
  GArray               *words;      /* guint64 */
  GArray               *accesses;   /* GhloGpuAccess, whose word is an index into @words */
  guint                 n_predicates; /* of branches */
  double                seconds;    /* estimated duration of a run */
  /* Valid while recording. */
  const GhloBufferExtent *buffers;
  GhloBufferRef         predicate;              /* of the dispatches to come */
  guint                 first_open, n_open;     /* first command since the last barrier; accesses since it */
  GMutex                lock;       /* guards the fields below, and everything allocated from the pool */
  GhloVulkanCommandPool *pool;      /* NULL until the first run */
  GQueue                instances;  /* those not being set up by a thread, least recently used first */
  guint                 n_instances;
  double                slowness;   /* how many times longer pieces take than estimated, in the last run; 0: no run */
};

static inline const GhloGpuCommand *
ghlo_gpu_recording_command (const GhloGpuRecording *self,
                            guint                   i)
{
  return &g_array_index (self->commands, GhloGpuCommand, i);
}

/* Returns the address that @access refers to, given the address of each buffer and that of the predicates. */
static inline guint64
ghlo_gpu_access_address (const GhloGpuAccess    *access,
                         guint8 *const          *addresses,
                         guint64                 predicates)
{
  const guint64 begin = access->place.buffer == GHLO_GPU_PREDICATES ? predicates
                                                                  : GPOINTER_TO_SIZE (addresses[access->place.buffer]);

  return begin + (guint64) access->place.offset;
}

typedef struct
{
  GList               link;     /* in recording->instances */
  GhloVulkanCommands *commands;
  guint64             table;    /* device address of the tables */
  guint64            *words;    /* the tables as the host sees them */
  guint64            *addresses;    /* the last address stored for each access; initially invalid */
  guint64             value;    /* of the queue's timeline at which the last run is done */
} GhloGpuReplay;

/* Records the points [@first, @end) of @command; both are multiples of its points_per_group, or the end of its
 * points. */
void     ghlo_gpu_recording_put_points     (const GhloGpuRecording  *self,
                                            const GhloGpuCommand    *command,
                                            const GhloGpuReplay     *instance,
                                            guint64                  first,
                                            guint64                  end);
/* recording-pieces.c: whether a run is to be put into the queue in pieces, and what does that. */
gboolean ghlo_gpu_recording_is_long        (GhloGpuRecording        *self);
gboolean ghlo_gpu_recording_replay_pieces  (GhloGpuRecording        *self,
                                            GhloGpuReplay           *instance,
                                            const GhloMonitor       *monitor,
                                            GError                 **error);
/* Returns the bytes of an instance's tables and predicates. */
gsize    ghlo_gpu_recording_instance_size  (const GhloGpuRecording  *self);
/* Work that was already put into the queue still completes. */
void     ghlo_gpu_recording_free_instances (GhloGpuRecording        *self);

G_END_DECLS
