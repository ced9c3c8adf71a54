/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A recording is a list of commands with the words of their tables. A command waits for the commands before it if both
 * use the same bytes and one of them writes; recording-instance.c turns the list into command buffers and runs them.
 */

#include "gpu/recording-private.h"

#include "gpu/hazards.h"
#include "gpu/pair.h"
#include "gpu/shaders.h"
#include "gpu/spirv/spirv.h"

/* The maximum number of workgroups in each dimension of a dispatch, guaranteed by Vulkan (VkPhysicalDeviceLimits,
 * required limits). */
enum { MAX_GROUPS = 65535 };

/* The number of earlier accesses that a new one is compared with. If there are more, the new command waits. */
enum { MAX_TOUCHED = 256 };

gsize
ghlo_gpu_reach (const GhloView *view,
                gint64         *begin)
{
  gint64 end = (gint64) ghlo_element_info (view->element_type)->size;

  *begin = 0;
  if (ghlo_view_count (view) == 0)
    return 0;
  for (guint i = 0; i < view->rank; i++)
    {
      gint64 last = (view->dimensions[i] - 1) * view->strides[i];

      if (last < 0)
        *begin += last;
      else
        end += last;
    }

  return (gsize) (end - *begin);
}

GhloGpuRecording *
ghlo_gpu_recording_new (GhloGpuDevice          *device,
                        const GhloBufferExtent *buffers)
{
  GhloGpuRecording *self = g_new0 (GhloGpuRecording, 1);

  self->device = device;
  self->buffers = buffers;
  self->predicate.buffer = GHLO_STEP_NONE;
  self->commands = g_array_new (FALSE, FALSE, sizeof (GhloGpuCommand));
  self->words = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->accesses = g_array_new (FALSE, FALSE, sizeof (GhloGpuAccess));
  g_mutex_init (&self->lock);

  return self;
}

void
ghlo_gpu_recording_free (GhloGpuRecording *self)
{
  ghlo_gpu_recording_free_instances (self);
  g_array_unref (self->commands);
  g_array_unref (self->words);
  g_array_unref (self->accesses);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Whether the bytes of both accesses overlap, given where the buffer of each lies. */
static gboolean
overlaps (const GhloGpuAccess    *a,
          const GhloBufferExtent *in_a,
          const GhloGpuAccess    *b,
          const GhloBufferExtent *in_b)
{
  gint64 from_a = (gint64) in_a->offset + a->place.offset + a->begin;
  gint64 from_b = (gint64) in_b->offset + b->place.offset + b->begin;

  return in_a->allocation == in_b->allocation && from_a < from_b + (gint64) b->size
         && from_b < from_a + (gint64) a->size;
}

/* Predicates are disjoint from all buffers. */
static const GhloBufferExtent *
extent_of (const GhloGpuRecording *self,
           guint32                 buffer)
{
  static const GhloBufferExtent predicates = { GHLO_GPU_PREDICATES, 0, 0, GHLO_GPU_PREDICATES };

  return buffer == GHLO_GPU_PREDICATES ? &predicates : &self->buffers[buffer];
}

/* Whether both accesses may touch the same bytes and at least one writes. A buffer may also lie at the
 * extent of the one that it is swapped with. */
static gboolean
is_conflict (const GhloGpuRecording *self,
             const GhloGpuAccess    *a,
             const GhloGpuAccess    *b)
{
  const GhloBufferExtent *in_a = extent_of (self, a->place.buffer), *in_b = extent_of (self, b->place.buffer);
  const GhloBufferExtent *other_a = extent_of (self, in_a->swapped_with);
  const GhloBufferExtent *other_b = extent_of (self, in_b->swapped_with);

  if (!a->is_written && !b->is_written)
    return FALSE;
  if (in_a == in_b || in_a == other_b)
    return in_a == in_b && overlaps (a, in_a, b, in_b);

  return overlaps (a, in_a, b, in_b) || overlaps (a, other_a, b, in_b) || overlaps (a, in_a, b, other_b)
         || overlaps (a, other_a, b, other_b);
}

static const GhloGpuAccess *
accesses_of (const GhloGpuRecording *self,
             const GhloGpuCommand   *command)
{
  return &g_array_index (self->accesses, GhloGpuAccess, command->first_access);
}

/* Whether the access requires an earlier command to have ended. */
static gboolean
has_conflict (const GhloGpuRecording *self,
              const GhloGpuAccess    *access)
{
  if (self->n_open > MAX_TOUCHED)
    return TRUE;
  for (guint i = self->first_open; i < self->commands->len; i++)
    {
      const GhloGpuCommand *command = ghlo_gpu_recording_command (self, i);

      for (guint k = 0; k < command->n_accesses; k++)
        if (is_conflict (self, &accesses_of (self, command)[k], access))
          return TRUE;
    }

  return FALSE;
}

/* Adds a command whose words and accesses have been appended. */
static void
add_command (GhloGpuRecording *self,
             GhloGpuCommand    command)
{
  const GhloGpuAccess *accesses = accesses_of (self, &command);

  command.waits = FALSE;
  for (guint i = 0; i < command.n_accesses && !command.waits; i++)
    command.waits = accesses[i].size > 0 && has_conflict (self, &accesses[i]);
  if (command.waits)
    {
      self->first_open = self->commands->len;
      self->n_open = 0;
    }
  self->n_open += command.n_accesses;
  g_array_append_val (self->commands, command);
  self->base.n_commands = self->commands->len;
}

GhloGpuDevice *
ghlo_gpu_recording_get_device (const GhloGpuRecording *self)
{
  return self->device;
}

GhloBufferRef
ghlo_gpu_recording_set_predicate (GhloGpuRecording *self,
                                  GhloBufferRef     place)
{
  const GhloBufferRef before = self->predicate;

  self->predicate = place;

  return before;
}

GhloBufferRef
ghlo_gpu_recording_add_predicates (GhloGpuRecording *self,
                                   guint             n)
{
  const GhloBufferRef place = { GHLO_GPU_PREDICATES, (gint64) self->n_predicates * GHLO_STEP_PREDICATE_STRIDE };

  self->n_predicates += n;

  return place;
}

static void
add_access (GhloGpuRecording *self,
            GhloGpuCommand   *command,
            GhloGpuAccess     access)
{
  access.word += command->table;
  g_array_append_val (self->accesses, access);
  command->n_accesses++;
}

/* Returns the operations of @dispatch: at least one for each point, and for each word that it may access. */
static double
count_work (const GhloGpuDispatch *dispatch)
{
  double words = 0;

  for (guint i = 0; i < dispatch->n_accesses; i++)
    words += (double) dispatch->accesses[i].size / sizeof (guint32);

  return MAX (dispatch->work, MAX (words, (double) dispatch->n_points));
}

void
ghlo_gpu_recording_dispatch (GhloGpuRecording      *self,
                             const GhloGpuDispatch *dispatch)
{
  GhloGpuCommand command = {
    dispatch->name, dispatch->pipeline, dispatch->n_points, dispatch->points_per_group,
    MIN (dispatch->most_groups, MAX_GROUPS), dispatch->takes_turns, count_work (dispatch), dispatch->kernel, FALSE,
    self->predicate,
    self->words->len, self->accesses->len, 0, 0,
  };

  if (dispatch->n_points == 0)
    return;
  g_array_append_vals (self->words, dispatch->words, dispatch->n_words);
  g_array_index (self->words, guint64, command.table + GHLO_SPIRV_WORD_END) = dispatch->n_points;
  g_array_index (self->words, guint64, command.table + GHLO_SPIRV_WORD_FLAG) = 0;
  for (guint i = 0; i < dispatch->n_accesses; i++)
    add_access (self, &command, dispatch->accesses[i]);
  if (self->predicate.buffer != GHLO_STEP_NONE)
    add_access (self, &command, (GhloGpuAccess) { GHLO_SPIRV_WORD_FLAG, self->predicate, 0, 1, FALSE });
  add_command (self, command);
}

/* The copies share the words and accesses of the originals. */
void
ghlo_gpu_recording_repeat (GhloGpuRecording *self,
                           guint             first,
                           guint             n)
{
  for (guint i = first; i < first + n; i++)
    add_command (self, *ghlo_gpu_recording_command (self, i));
}

gboolean
ghlo_gpu_recording_get_pair (const GhloGpuRecording  *self,
                             guint                    first,
                             const GhloGpuKernel    **kernels)
{
  const GhloGpuCommand *commands = ghlo_gpu_recording_command (self, first);

  if (first + 2 > self->commands->len || commands[1].waits
      || commands[0].predicate.buffer != commands[1].predicate.buffer
      || commands[0].predicate.offset != commands[1].predicate.offset)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    kernels[i] = commands[i].n_of_first == 0 ? commands[i].kernel : NULL;

  return kernels[0] != NULL && kernels[1] != NULL;
}

/* The words and accesses of the two commands are adjacent. */
void
ghlo_gpu_recording_merge (GhloGpuRecording   *self,
                          guint               first,
                          GhloVulkanPipeline *pipeline,
                          guint               n_groups)
{
  GhloGpuCommand *commands = &g_array_index (self->commands, GhloGpuCommand, first);
  g_autofree char *name = g_strdup_printf ("%s beside %s", commands[0].name, commands[1].name);

  commands[0].name = g_intern_string (name);
  commands[0].pipeline = pipeline;
  commands[0].n_points = n_groups;
  commands[0].points_per_group = 1;
  commands[0].most_groups = n_groups;
  commands[0].n_of_first = commands[0].n_accesses;
  commands[0].n_accesses += commands[1].n_accesses;
  g_array_remove_index (self->commands, first + 1);
  self->base.n_commands = self->commands->len;
  if (self->first_open > first)
    self->first_open--;
}

GhloGpuAccess
ghlo_gpu_recording_all (const GhloGpuRecording *self,
                        guint                   word,
                        guint64                 number)
{
  const GhloBufferRef place = ghlo_gpu_place_decode (number);

  return (GhloGpuAccess) { word, place, -place.offset, self->buffers[place.buffer].size, TRUE };
}

void
ghlo_gpu_recording_end (GhloGpuRecording *self,
                        double            seconds)
{
  self->buffers = NULL;
  self->seconds = seconds;
  self->base.run_bytes = ghlo_gpu_recording_instance_size (self);
}

gboolean
ghlo_gpu_recording_waits (const GhloGpuRecording *self,
                          guint                   i)
{
  return ghlo_gpu_recording_command (self, i)->waits;
}

char *
ghlo_gpu_recording_check (const GhloGpuRecording *self,
                          guint8 *const          *addresses,
                          guint                   without)
{
  const guint64 predicates = (guint64) 1 << 62;      /* past all memory */
  g_autoptr (GhloGpuHazards) hazards = ghlo_gpu_hazards_new ();

  for (guint i = 0; i < self->commands->len; i++)
    {
      const GhloGpuCommand *command = ghlo_gpu_recording_command (self, i);

      if (command->waits && i != without)
        ghlo_gpu_hazards_barrier (hazards);
      for (guint k = 0; k < command->n_accesses; k++)
        {
          const GhloGpuAccess *access = &accesses_of (self, command)[k];
          guint64 begin = ghlo_gpu_access_address (access, addresses, predicates) + (guint64) access->begin;
          guint other = ghlo_gpu_hazards_add (hazards, 2 * i + (k < command->n_of_first), begin,
                                              begin + access->size, access->is_written);

          if (other != G_MAXUINT)
            return g_strdup_printf ("dispatch %u of %u has to wait for dispatch %u: both use bytes from 0x%"
                                    G_GINT64_MODIFIER "x to 0x%" G_GINT64_MODIFIER "x", i, self->commands->len,
                                    other / 2, begin, begin + access->size);
        }
    }

  return NULL;
}

static GhloGpuRecording *
recording_of (GhloCommandBuffer *commands)
{
  return (GhloGpuRecording *) commands;
}

static GhloCommandBuffer *
begin (GhloDeviceCore         *device,
       const GhloBufferExtent *buffers)
{
  return &ghlo_gpu_recording_new ((GhloGpuDevice *) device, buffers)->base;
}

static void
end (GhloCommandBuffer *commands,
     double             seconds)
{
  ghlo_gpu_recording_end (recording_of (commands), seconds);
}

static GhloBufferRef
set_predicate (GhloCommandBuffer *commands,
               GhloBufferRef      predicate)
{
  return ghlo_gpu_recording_set_predicate (recording_of (commands), predicate);
}

static void
repeat (GhloCommandBuffer *commands,
        guint              first,
        guint              n)
{
  ghlo_gpu_recording_repeat (recording_of (commands), first, n);
}

static gboolean
replay (GhloCommandBuffer  *commands,
        guint8 *const      *addresses,
        const GhloMonitor  *monitor,
        GError            **error)
{
  return ghlo_gpu_recording_replay (recording_of (commands), addresses, monitor, error);
}

static void
destroy (GhloCommandBuffer *commands)
{
  ghlo_gpu_recording_free (recording_of (commands));
}

const GhloCommandBufferClass ghlo_gpu_command_buffers = {
  .begin = begin,
  .end = end,
  .set_predicate = set_predicate,
  .count_iterations = ghlo_gpu_shader_count_iterations,
  .select_branch = ghlo_gpu_shader_select_branch,
  .repeat = repeat,
  .merge_dispatches = ghlo_gpu_pair_merge,
  .replay = replay,
  .free = destroy,
};
