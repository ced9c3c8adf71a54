/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A list of dispatches that is recorded once and run any number of times with different addresses, which shaders read
 * from a table. A dispatch waits for an earlier one where both touch the same bytes and one of them writes. Concurrent
 * runs each have commands and a table of their own.
 */

#pragma once

#include "device/device.h"
#include "vulkan/device.h"

G_BEGIN_DECLS

typedef struct _GhloVulkanRecording GhloVulkanRecording;

/* The word of a dispatch's table that holds the address of @place, and the bytes that the dispatch may read, or read
 * and write: @size bytes, from @begin bytes past that address. */
typedef struct
{
  guint         word;
  GhloBufferRef place;
  gint64        begin;
  gsize         size;
  gboolean      is_written;
} GhloVulkanAccess;

/* Stands for the buffer of the recording's own gates. */
#define GHLO_VULKAN_GATES (GHLO_STEP_NONE - 1)

/* Returns the number of bytes that the elements of @view span. @begin is set to the offset of the lowest one from the
 * first element. */
gsize ghlo_vulkan_reach (const GhloView *view,
                         gint64         *begin);

/* Returns the place @bytes past @place. */
static inline GhloBufferRef
ghlo_vulkan_place_at (GhloBufferRef place,
                      gint64        bytes)
{
  return (GhloBufferRef) { place.buffer, place.offset + bytes };
}

/* Encodes @place as a number that stands for its address while tables are made; 0 for GHLO_STEP_NONE. Offsets of less
 * than 2^39 bytes may be added to the number. */
static inline guint64
ghlo_vulkan_place_encode (GhloBufferRef place)
{
  if (place.buffer == GHLO_STEP_NONE)
    return 0;

  return ((guint64) (place.buffer + 1) << 40) + ((guint64) 1 << 39) + (guint64) place.offset;
}

static inline GhloBufferRef
ghlo_vulkan_place_decode (guint64 number)
{
  const guint64 low = number & (((guint64) 1 << 40) - 1);

  return (GhloBufferRef) { (guint32) (number >> 40) - 1, (gint64) low - ((gint64) 1 << 39) };
}

typedef struct _GhloVulkanKernel GhloVulkanKernel;

/* A dispatch of a shader over numbered points. */
typedef struct
{
  const char             *name;           /* static or interned, for messages */
  VkPipeline              pipeline;
  guint64                 n_points;
  guint                   points_each;    /* per workgroup */
  guint                   most_groups;    /* workgroups of one dispatch */
  gboolean                takes_turns;    /* further dispatches wait for this one, as they use the same scratch */
  double                  work;           /* operations in all, roughly; 0: a few for each point and access */
  const GhloVulkanKernel *kernel;         /* set where the dispatch is a whole kernel without scratch; else NULL */
  /* The words of the table that GhloSpirvPush refers to: those of GhloSpirvWord, of which END and FLAG are set by the
   * recording, then the shader's own. The words of accesses are set in each run. */
  const guint64          *words;
  guint                   n_words;
  const GhloVulkanAccess *accesses;
  guint                   n_accesses;
} GhloVulkanDispatch;

GhloVulkanDevice    *ghlo_vulkan_recording_get_device (const GhloVulkanRecording *self);
/* Borrows @buffers until ghlo_vulkan_recording_end (). */
GhloVulkanRecording *ghlo_vulkan_recording_new      (GhloVulkanDevice          *device,
                                                     const GhloBufferExtent    *buffers);
void                 ghlo_vulkan_recording_dispatch (GhloVulkanRecording       *self,
                                                     const GhloVulkanDispatch  *dispatch);
/* Implements GhloCommandBufferClass.gate; initially nothing is gated. */
GhloBufferRef        ghlo_vulkan_recording_gate     (GhloVulkanRecording       *self,
                                                     GhloBufferRef              place);
/* Reserves the gates of @n branches, which are separate for each run. */
GhloBufferRef        ghlo_vulkan_recording_add_gates (GhloVulkanRecording      *self,
                                                     guint                      n);
/* Records the @n dispatches from @first on once more. */
void                 ghlo_vulkan_recording_repeat   (GhloVulkanRecording       *self,
                                                     guint                      first,
                                                     guint                      n);
/* Gets the kernels of dispatch @first and the next one. Returns FALSE if the two cannot be joined: one is not a kernel,
 * the second waits for the first, or their gates differ. */
gboolean             ghlo_vulkan_recording_get_pair (const GhloVulkanRecording *self,
                                                     guint                      first,
                                                     const GhloVulkanKernel   **kernels);
/* Joins the two into one dispatch of @n_groups workgroups of @pipeline, whose table is both of theirs. */
void                 ghlo_vulkan_recording_join     (GhloVulkanRecording       *self,
                                                     guint                      first,
                                                     VkPipeline                 pipeline,
                                                     guint                      n_groups);
/* Returns an access through which a dispatch may write all of the buffer that the place @number is in. */
GhloVulkanAccess     ghlo_vulkan_recording_all      (const GhloVulkanRecording *self,
                                                     guint                      word,
                                                     guint64                    number);
/* Ends the recording; a run is estimated to take @seconds. */
void                 ghlo_vulkan_recording_end      (GhloVulkanRecording       *self,
                                                     double                     seconds);
/* Work that was already put into the queue still completes. */
void                 ghlo_vulkan_recording_free     (GhloVulkanRecording       *self);
/* Puts a run into the queue, with buffers at @addresses. Thread-safe. */
gboolean             ghlo_vulkan_recording_replay   (GhloVulkanRecording       *self,
                                                     guint8 *const             *addresses,
                                                     const GhloMonitor         *monitor,
                                                     GError                   **error);
/* Whether dispatch @i waits for earlier ones; @i must be less than their number. */
gboolean             ghlo_vulkan_recording_waits    (const GhloVulkanRecording *self,
                                                     guint                      i);
/* Checks a run with buffers at @addresses for hazards, assuming that dispatch @without does not wait (G_MAXUINT:
 * assuming nothing). Returns a sentence that describes the first hazard, or NULL; transfer full. */
char                *ghlo_vulkan_recording_check    (const GhloVulkanRecording *self,
                                                     guint8 *const             *addresses,
                                                     guint                      without);

/* Records for memory whose addresses belong to a GhloDeviceMemory. */
extern const GhloCommandBufferClass ghlo_vulkan_command_buffers;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloVulkanRecording, ghlo_vulkan_recording_free)

G_END_DECLS
