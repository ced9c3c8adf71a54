/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A list of dispatches that is recorded once and run any number of times with different addresses, which shaders read
 * from a table. A dispatch waits for an earlier one where both touch the same bytes and one of them writes. Concurrent
 * runs each have commands and a table of their own.
 */

#pragma once

#include "device/device.h"
#include "gpu/device.h"

G_BEGIN_DECLS

typedef struct _GhloGpuRecording GhloGpuRecording;

/* The word of a dispatch's table that holds the address of @place, and the bytes that the dispatch may read, or read
 * and write: @size bytes, from @begin bytes past that address. */
typedef struct
{
  guint         word;
  GhloBufferRef place;
  gint64        begin;
  gsize         size;
  gboolean      is_written;
} GhloGpuAccess;

/* Stands for the buffer of the recording's own predicates. */
#define GHLO_GPU_PREDICATES (GHLO_STEP_NONE - 1)

/* Returns the number of bytes that the elements of @view span. @begin is set to the offset of the lowest one from the
 * first element. */
gsize ghlo_gpu_reach (const GhloView *view,
                      gint64         *begin);

/* Returns the place @bytes past @place. */
static inline GhloBufferRef
ghlo_gpu_place_at (GhloBufferRef place,
                   gint64        bytes)
{
  return (GhloBufferRef) { place.buffer, place.offset + bytes };
}

/* Encodes @place as a number that stands for its address while tables are made; 0 for GHLO_STEP_NONE. Offsets of less
 * than 2^39 bytes may be added to the number. */
static inline guint64
ghlo_gpu_place_encode (GhloBufferRef place)
{
  if (place.buffer == GHLO_STEP_NONE)
    return 0;

  return ((guint64) (place.buffer + 1) << 40) + ((guint64) 1 << 39) + (guint64) place.offset;
}

static inline GhloBufferRef
ghlo_gpu_place_decode (guint64 number)
{
  const guint64 low = number & (((guint64) 1 << 40) - 1);

  return (GhloBufferRef) { (guint32) (number >> 40) - 1, (gint64) low - ((gint64) 1 << 39) };
}

typedef struct _GhloGpuKernel GhloGpuKernel;

/* A dispatch of a shader over numbered points. */
typedef struct
{
  const char             *name;           /* static or interned, for messages */
  GhloVulkanPipeline *pipeline;
  guint64                 n_points;
  guint                   points_per_group;    /* per workgroup */
  guint                   most_groups;    /* workgroups of one dispatch */
  gboolean                takes_turns;    /* further dispatches wait for this one, as they use the same scratch */
  double                  work;           /* operations in all, roughly; 0: a few for each point and access */
  const GhloGpuKernel *kernel;         /* set where the dispatch is a whole kernel without scratch; else NULL */
  /* The words of the table that GhloSpirvPush refers to: those of GhloSpirvWord, of which END and FLAG are set by the
   * recording, then the shader's own. The words of accesses are set in each run. */
  const guint64          *words;
  guint                   n_words;
  const GhloGpuAccess *accesses;
  guint                   n_accesses;
} GhloGpuDispatch;

GhloGpuDevice    *ghlo_gpu_recording_get_device (const GhloGpuRecording  *self);
/* Borrows @buffers until ghlo_gpu_recording_end (). */
GhloGpuRecording *ghlo_gpu_recording_new        (GhloGpuDevice           *device,
                                                 const GhloBufferExtent  *buffers);
void              ghlo_gpu_recording_dispatch   (GhloGpuRecording        *self,
                                                 const GhloGpuDispatch   *dispatch);
/* Implements GhloCommandBufferClass.set_predicate; initially nothing is predicated. */
GhloBufferRef     ghlo_gpu_recording_set_predicate (GhloGpuRecording        *self,
                                                    GhloBufferRef            place);
/* Reserves the predicates of @n branches, which are separate for each run. */
GhloBufferRef     ghlo_gpu_recording_add_predicates (GhloGpuRecording        *self,
                                                     guint                    n);
/* Records the @n dispatches from @first on once more. */
void              ghlo_gpu_recording_repeat     (GhloGpuRecording        *self,
                                                 guint                    first,
                                                 guint                    n);
/* Gets the kernels of dispatch @first and the next one. Returns FALSE if the two cannot be merged: one is not a kernel,
 * the second waits for the first, or their predicates differ. */
gboolean          ghlo_gpu_recording_get_pair   (const GhloGpuRecording  *self,
                                                 guint                    first,
                                                 const GhloGpuKernel    **kernels);
/* Merges the two into one dispatch of @n_groups workgroups of @pipeline, whose table is both of theirs. */
void              ghlo_gpu_recording_merge      (GhloGpuRecording        *self,
                                                 guint                    first,
                                                 GhloVulkanPipeline      *pipeline,
                                                 guint                    n_groups);
/* Returns an access through which a dispatch may write all of the buffer that the place @number is in. */
GhloGpuAccess     ghlo_gpu_recording_all        (const GhloGpuRecording  *self,
                                                 guint                    word,
                                                 guint64                  number);
/* Ends the recording; a run is estimated to take @seconds. */
void              ghlo_gpu_recording_end        (GhloGpuRecording        *self,
                                                 double                   seconds);
/* Work that was already put into the queue still completes. */
void              ghlo_gpu_recording_free       (GhloGpuRecording        *self);
/* Puts a run into the queue, with buffers at @addresses. Thread-safe. */
gboolean          ghlo_gpu_recording_replay     (GhloGpuRecording        *self,
                                                 guint8 *const           *addresses,
                                                 const GhloMonitor       *monitor,
                                                 GError                 **error);
/* Whether dispatch @i waits for earlier ones; @i must be less than their number. */
gboolean          ghlo_gpu_recording_waits      (const GhloGpuRecording  *self,
                                                 guint                    i);
/* Checks a run with buffers at @addresses for hazards, assuming that dispatch @without does not wait (G_MAXUINT:
 * assuming nothing). Returns a sentence that describes the first hazard, or NULL; transfer full. */
char             *ghlo_gpu_recording_check      (const GhloGpuRecording  *self,
                                                 guint8 *const           *addresses,
                                                 guint                    without);

/* Records for memory whose addresses belong to a GhloDeviceMemory. */
extern const GhloCommandBufferClass ghlo_gpu_command_buffers;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloGpuRecording, ghlo_gpu_recording_free)

G_END_DECLS
