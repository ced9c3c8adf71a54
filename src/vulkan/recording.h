/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Dispatches that are recorded once and run any number of times, with other addresses each time: shaders read those
 * from a table. Of two dispatches the second waits for the first where both touch the same bytes and one writes them.
 * Several runs at once have commands and a table each.
 */

#pragma once

#include "plan/target.h"
#include "vulkan/device.h"

G_BEGIN_DECLS

typedef struct _GhloVulkanRecording GhloVulkanRecording;

/* A word of a dispatch's table that has the address of @place; and the bytes, from @begin behind it on, that the
 * dispatch may read, or read and write. */
typedef struct
{
  guint         word;
  GhloStepPlace place;
  gint64        begin;
  gsize         size;
  gboolean      is_written;
} GhloVulkanAccess;

/* The buffer of gates that are the recording's own. */
#define GHLO_VULKAN_GATES (GHLO_STEP_NONE - 1)

/* Bytes from the least to the end of the greatest of a view's elements, and where the least is, from its first on. */
gsize ghlo_vulkan_reach (const GhloView *view,
                         gint64         *begin);

/* The place @bytes behind @place. */
static inline GhloStepPlace
ghlo_vulkan_place_at (GhloStepPlace place,
                      gint64        bytes)
{
  return (GhloStepPlace) { place.buffer, place.offset + bytes };
}

/* A number that stands for the address of @place while tables are made, and that bytes may be added to, fewer than
 * 2^39; 0 where it is nowhere. */
static inline guint64
ghlo_vulkan_number (GhloStepPlace place)
{
  if (place.buffer == GHLO_STEP_NONE)
    return 0;

  return ((guint64) (place.buffer + 1) << 40) + ((guint64) 1 << 39) + (guint64) place.offset;
}

static inline GhloStepPlace
ghlo_vulkan_number_place (guint64 number)
{
  const guint64 low = number & (((guint64) 1 << 40) - 1);

  return (GhloStepPlace) { (guint32) (number >> 40) - 1, (gint64) low - ((gint64) 1 << 39) };
}

typedef struct _GhloVulkanKernel GhloVulkanKernel;

/* A shader over points that are numbered. */
typedef struct
{
  const char             *name;           /* static or interned, for messages */
  VkPipeline              pipeline;
  guint64                 n_points;
  guint                   points_each;    /* of a workgroup */
  guint                   most_groups;    /* at once */
  gboolean                takes_turns;    /* further ones begin when those have ended: they use the same scratch */
  const GhloVulkanKernel *kernel;         /* which it does all of, without scratch; NULL: it is something else */
  /* The words of GhloSpirvPush's table: those of GhloSpirvWord, of which END and FLAG are set here, and what follows
   * them. Those of accesses are set in each run. */
  const guint64          *words;
  guint                   n_words;
  const GhloVulkanAccess *accesses;
  guint                   n_accesses;
} GhloVulkanDispatch;

GhloVulkanDevice    *ghlo_vulkan_recording_get_device (const GhloVulkanRecording *self);
/* @buffers are borrowed until ghlo_vulkan_recording_end (). */
GhloVulkanRecording *ghlo_vulkan_recording_new      (GhloVulkanDevice          *device,
                                                     const GhloStepExtent      *buffers);
void                 ghlo_vulkan_recording_dispatch (GhloVulkanRecording       *self,
                                                     const GhloVulkanDispatch  *dispatch);
/* As GhloStepRecorder has it; at first nothing is gated. */
GhloStepPlace        ghlo_vulkan_recording_gate     (GhloVulkanRecording       *self,
                                                     GhloStepPlace              place);
/* Memory of each run's own for the gates of @n branches. */
GhloStepPlace        ghlo_vulkan_recording_add_gates (GhloVulkanRecording      *self,
                                                     guint                      n);
/* Puts the @n dispatches from @first on in once more. */
void                 ghlo_vulkan_recording_repeat   (GhloVulkanRecording       *self,
                                                     guint                      first,
                                                     guint                      n);
/* The kernels of dispatch @first and the one behind it. FALSE where these cannot be one: they are something else, the
 * second waits for the first, or they are behind different gates. */
gboolean             ghlo_vulkan_recording_get_pair (const GhloVulkanRecording *self,
                                                     guint                      first,
                                                     const GhloVulkanKernel   **kernels);
/* Makes one of them: @n_groups workgroups of @pipeline, whose table is both of theirs. */
void                 ghlo_vulkan_recording_join     (GhloVulkanRecording       *self,
                                                     guint                      first,
                                                     VkPipeline                 pipeline,
                                                     guint                      n_groups);
/* The access by which a dispatch may write all of the buffer where @number is a place. */
GhloVulkanAccess     ghlo_vulkan_recording_all      (const GhloVulkanRecording *self,
                                                     guint                      word,
                                                     guint64                    number);
/* All of it takes about @seconds. */
void                 ghlo_vulkan_recording_end      (GhloVulkanRecording       *self,
                                                     double                     seconds);
/* What the device has been given of it is done all the same. */
void                 ghlo_vulkan_recording_free     (GhloVulkanRecording       *self);
/* Puts it into the queue, with buffers at @addresses. Thread-safe. */
gboolean             ghlo_vulkan_recording_replay   (GhloVulkanRecording       *self,
                                                     guint8 *const             *addresses,
                                                     const GhloMonitor         *monitor,
                                                     GError                   **error);
guint                ghlo_vulkan_recording_count    (const GhloVulkanRecording *self);
/* Whether dispatch @i waits for what is before it; @i is less than ghlo_vulkan_recording_count (). */
gboolean             ghlo_vulkan_recording_waits    (const GhloVulkanRecording *self,
                                                     guint                      i);
/* What goes wrong in a run with buffers at @addresses, if dispatch @without did not wait (G_MAXUINT: if all are as
 * they are): a sentence, which the caller frees, or NULL. */
char                *ghlo_vulkan_recording_check    (const GhloVulkanRecording *self,
                                                     guint8 *const             *addresses,
                                                     guint                      without);

/* Of memory whose addresses are in a GhloStepSpace. */
extern const GhloStepRecorder ghlo_vulkan_recorder;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloVulkanRecording, ghlo_vulkan_recording_free)

G_END_DECLS
