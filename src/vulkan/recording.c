/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A recording is a list of commands with the words of their tables. An instance is that list in a command buffer, with
 * tables in memory that the host writes: a run sets the addresses in them and puts the commands into the queue. The
 * instance that was used longest ago is used again once the device has ended with it.
 *
 * The gates of branches lie behind an instance's tables, so that commands can name them: dispatches behind one that is
 * closed do nothing by themselves, and where they are many the device passes over them if it has conditional
 * rendering.
 */

#include "vulkan/recording.h"

#include <string.h>

#include "base/debug.h"
#include "vulkan/hazards.h"
#include "vulkan/memory.h"
#include "vulkan/pair.h"
#include "vulkan/queue.h"
#include "vulkan/shaders.h"
#include "vulkan/spirv/spirv.h"
#include "vulkan/stopwatch.h"

/* Of a dispatch, in each dimension, on all devices (VkPhysicalDeviceLimits, required limits). */
enum { MAX_GROUPS = 65535 };

/* Runs of a recording that may be on their way; the next one waits for the first of them. */
enum { MAX_INSTANCES = 64 };

/* Commands behind a gate that are not worth to be passed over together: that costs two commands, and a barrier of its
 * own where they would need none. */
enum { FEW_GATED = 3 };

/* Accesses that are looked at for one that a new one has to wait for. Behind more of them, it waits. */
enum { MAX_TOUCHED = 256 };

typedef struct
{
  const char *name;
  VkPipeline pipeline;
  guint64    n_points;
  guint      points_each, most_groups;
  gboolean   takes_turns;
  const GhloVulkanKernel *kernel;       /* of the dispatch; while it is recorded */
  gboolean   waits;             /* for what is before it */
  GhloStepPlace gate;           /* nowhere: it is always done */
  guint      table;             /* the first of its words */
  guint      first_access, n_accesses;
  guint      n_of_first;        /* of these those of the first of two dispatches that are one; else 0 */
} Command;

typedef struct
{
  GList           link;         /* in the list of instances */
  VkCommandBuffer commands;
  guint64         table;        /* address */
  guint64        *words;        /* the same */
  guint64        *addresses;    /* by access what is in its word; no address at first */
  guint64         value;        /* of the queue's timeline, when its last run is done */
} Instance;

struct _GhloVulkanRecording
{
  GhloVulkanDevice     *device;
  GArray               *commands;   /* Command */
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

gsize
ghlo_vulkan_reach (const GhloView *view,
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

GhloVulkanRecording *
ghlo_vulkan_recording_new (GhloVulkanDevice     *device,
                           const GhloStepExtent *buffers)
{
  GhloVulkanRecording *self = g_new0 (GhloVulkanRecording, 1);

  self->device = device;
  self->buffers = buffers;
  self->gate.buffer = GHLO_STEP_NONE;
  self->commands = g_array_new (FALSE, FALSE, sizeof (Command));
  self->words = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->accesses = g_array_new (FALSE, FALSE, sizeof (GhloVulkanAccess));
  g_mutex_init (&self->lock);

  return self;
}

/* Gates lie behind the tables. */
static gsize
gates_offset (const GhloVulkanRecording *self)
{
  return self->words->len * sizeof (guint64);
}

static gsize
instance_size (const GhloVulkanRecording *self)
{
  return gates_offset (self) + self->n_gates * GHLO_STEP_GATE_STRIDE;
}

void
ghlo_vulkan_recording_free (GhloVulkanRecording *self)
{
  GhloVulkanDevice *device = self->device;

  for (GList *link; (link = g_queue_pop_head_link (&self->instances)) != NULL;)
    {
      Instance *instance = link->data;

      ghlo_vulkan_memory_free (device->memory, instance->table, instance_size (self),
                               ghlo_vulkan_queue_value (device->queue));
      g_free (instance->addresses);
      g_free (instance);
    }
  if (self->pool != VK_NULL_HANDLE)
    ghlo_vulkan_queue_retire (device->queue, self->pool);
  g_array_unref (self->commands);
  g_array_unref (self->words);
  g_array_unref (self->accesses);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Whether the bytes of both overlap, where the one's buffer lies at @in_a and the other's at @in_b. */
static gboolean
overlaps (const GhloVulkanAccess *a,
          const GhloStepExtent   *in_a,
          const GhloVulkanAccess *b,
          const GhloStepExtent   *in_b)
{
  gint64 from_a = (gint64) in_a->offset + a->place.offset + a->begin;
  gint64 from_b = (gint64) in_b->offset + b->place.offset + b->begin;

  return in_a->region == in_b->region && from_a < from_b + (gint64) b->size && from_b < from_a + (gint64) a->size;
}

/* Gates are apart from all buffers. */
static const GhloStepExtent *
extent_of (const GhloVulkanRecording *self,
           guint32                    buffer)
{
  static const GhloStepExtent gates = { GHLO_VULKAN_GATES, 0, 0, GHLO_VULKAN_GATES };

  return buffer == GHLO_VULKAN_GATES ? &gates : &self->buffers[buffer];
}

/* Whether both may touch the same bytes, of which one writes some. */
static gboolean
is_conflict (const GhloVulkanRecording *self,
             const GhloVulkanAccess    *a,
             const GhloVulkanAccess    *b)
{
  const GhloStepExtent *in_a = extent_of (self, a->place.buffer), *in_b = extent_of (self, b->place.buffer);
  const GhloStepExtent *other_a = extent_of (self, in_a->partner), *other_b = extent_of (self, in_b->partner);

  if (!a->is_written && !b->is_written)
    return FALSE;
  if (in_a == in_b || in_a == other_b)
    return in_a == in_b && overlaps (a, in_a, b, in_b);

  return overlaps (a, in_a, b, in_b) || overlaps (a, other_a, b, in_b) || overlaps (a, in_a, b, other_b)
         || overlaps (a, other_a, b, other_b);
}

static const GhloVulkanAccess *
accesses_of (const GhloVulkanRecording *self,
             const Command             *command)
{
  return &g_array_index (self->accesses, GhloVulkanAccess, command->first_access);
}

/* Whether a command before has to have ended. */
static gboolean
has_conflict (const GhloVulkanRecording *self,
              const GhloVulkanAccess    *access)
{
  if (self->n_open > MAX_TOUCHED)
    return TRUE;
  for (guint i = self->first_open; i < self->commands->len; i++)
    {
      const Command *command = &g_array_index (self->commands, Command, i);

      for (guint k = 0; k < command->n_accesses; k++)
        if (is_conflict (self, &accesses_of (self, command)[k], access))
          return TRUE;
    }

  return FALSE;
}

/* One whose words and accesses are there. */
static void
add_command (GhloVulkanRecording *self,
             Command              command)
{
  const GhloVulkanAccess *accesses = accesses_of (self, &command);

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
}

GhloVulkanDevice *
ghlo_vulkan_recording_get_device (const GhloVulkanRecording *self)
{
  return self->device;
}

GhloStepPlace
ghlo_vulkan_recording_gate (GhloVulkanRecording *self,
                            GhloStepPlace        place)
{
  const GhloStepPlace before = self->gate;

  self->gate = place;

  return before;
}

GhloStepPlace
ghlo_vulkan_recording_add_gates (GhloVulkanRecording *self,
                                 guint                n)
{
  const GhloStepPlace place = { GHLO_VULKAN_GATES, (gint64) self->n_gates * GHLO_STEP_GATE_STRIDE };

  self->n_gates += n;

  return place;
}

static void
add_access (GhloVulkanRecording *self,
            Command             *command,
            GhloVulkanAccess     access)
{
  access.word += command->table;
  g_array_append_val (self->accesses, access);
  command->n_accesses++;
}

void
ghlo_vulkan_recording_dispatch (GhloVulkanRecording      *self,
                                const GhloVulkanDispatch *dispatch)
{
  Command command = {
    dispatch->name, dispatch->pipeline, dispatch->n_points, dispatch->points_each,
    MIN (dispatch->most_groups, MAX_GROUPS), dispatch->takes_turns, dispatch->kernel, FALSE, self->gate,
    self->words->len, self->accesses->len, 0, 0,
  };

  if (dispatch->n_points == 0)
    return;
  g_array_append_vals (self->words, dispatch->words, dispatch->n_words);
  g_array_index (self->words, guint64, command.table + GHLO_SPIRV_WORD_END) = dispatch->n_points;
  g_array_index (self->words, guint64, command.table + GHLO_SPIRV_WORD_FLAG) = 0;
  for (guint i = 0; i < dispatch->n_accesses; i++)
    add_access (self, &command, dispatch->accesses[i]);
  if (self->gate.buffer != GHLO_STEP_NONE)
    add_access (self, &command, (GhloVulkanAccess) { GHLO_SPIRV_WORD_FLAG, self->gate, 0, 1, FALSE });
  add_command (self, command);
}

/* Words and accesses are those of the first time. */
void
ghlo_vulkan_recording_repeat (GhloVulkanRecording *self,
                              guint                first,
                              guint                n)
{
  for (guint i = first; i < first + n; i++)
    add_command (self, g_array_index (self->commands, Command, i));
}

gboolean
ghlo_vulkan_recording_get_pair (const GhloVulkanRecording  *self,
                                guint                       first,
                                const GhloVulkanKernel    **kernels)
{
  const Command *commands = &g_array_index (self->commands, Command, first);

  if (first + 2 > self->commands->len || commands[1].waits || commands[0].gate.buffer != commands[1].gate.buffer
      || commands[0].gate.offset != commands[1].gate.offset)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    kernels[i] = commands[i].n_of_first == 0 ? commands[i].kernel : NULL;

  return kernels[0] != NULL && kernels[1] != NULL;
}

/* Words and accesses of one are behind those of the other. */
void
ghlo_vulkan_recording_join (GhloVulkanRecording *self,
                            guint                first,
                            VkPipeline           pipeline,
                            guint                n_groups)
{
  Command *commands = &g_array_index (self->commands, Command, first);
  g_autofree char *name = g_strdup_printf ("%s beside %s", commands[0].name, commands[1].name);

  commands[0].name = g_intern_string (name);
  commands[0].pipeline = pipeline;
  commands[0].n_points = n_groups;
  commands[0].points_each = 1;
  commands[0].most_groups = n_groups;
  commands[0].n_of_first = commands[0].n_accesses;
  commands[0].n_accesses += commands[1].n_accesses;
  g_array_remove_index (self->commands, first + 1);
  if (self->first_open > first)
    self->first_open--;
}

GhloVulkanAccess
ghlo_vulkan_recording_all (const GhloVulkanRecording *self,
                           guint                      word,
                           guint64                    number)
{
  const GhloStepPlace place = ghlo_vulkan_number_place (number);

  return (GhloVulkanAccess) { word, place, -place.offset, self->buffers[place.buffer].size, TRUE };
}

void
ghlo_vulkan_recording_end (GhloVulkanRecording *self,
                           double               seconds)
{
  self->buffers = NULL;
  self->seconds = seconds;
}

static void
record_command (const GhloVulkanRecording *self,
                const Command             *command,
                const Instance            *instance)
{
  const GhloVulkanFunctions *vk = self->device->vk;
  const guint64 step = (guint64) command->most_groups * command->points_each;
  GhloSpirvPush push = { .table = instance->table + command->table * sizeof (guint64) };

  vk->CmdBindPipeline (instance->commands, VK_PIPELINE_BIND_POINT_COMPUTE, command->pipeline);
  for (; push.first < command->n_points; push.first += step)
    {
      guint64 n = (command->n_points - push.first + command->points_each - 1) / command->points_each;

      if (push.first > 0 && command->takes_turns)
        ghlo_vulkan_add_barrier (vk, instance->commands);
      vk->CmdPushConstants (instance->commands, ghlo_vulkan_queue_get_layout (self->device->queue),
                            VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
      vk->CmdDispatch (instance->commands, (guint32) MIN (n, command->most_groups), 1, 1);
    }
}

/* How many commands from @first on are behind the same gate. */
static guint
count_gated (const GhloVulkanRecording *self,
             guint                      first)
{
  const GhloStepPlace gate = g_array_index (self->commands, Command, first).gate;
  guint n = 1;

  for (; first + n < self->commands->len; n++)
    {
      const GhloStepPlace next = g_array_index (self->commands, Command, first + n).gate;

      if (next.buffer != gate.buffer || next.offset != gate.offset)
        break;
    }

  return n;
}

static void
begin_conditional (const GhloVulkanRecording *self,
                   const Instance            *instance,
                   GhloStepPlace              gate)
{
  const GhloVulkanPlace place = ghlo_vulkan_memory_find (self->device->memory, instance->table + gates_offset (self)
                                                                               + (guint64) gate.offset);
  const VkConditionalRenderingBeginInfoEXT info = {
    VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, .buffer = place.buffer, .offset = place.offset,
  };

  ghlo_vulkan_add_gate_barrier (self->device->vk, instance->commands);
  self->device->vk->CmdBeginConditionalRenderingEXT (instance->commands, &info);
}

/* @n commands from @first on, behind the same gate. *reads_gates says whether the device may be reading one that what
 * comes behind the next barrier writes. */
static void
record_gated (const GhloVulkanRecording *self,
              const Instance            *instance,
              guint                      first,
              guint                      n,
              gboolean                  *reads_gates)
{
  const GhloVulkanFunctions *vk = self->device->vk;
  const GhloStepPlace gate = g_array_index (self->commands, Command, first).gate;
  const gboolean is_conditional = gate.buffer == GHLO_VULKAN_GATES && n > FEW_GATED
                                  && self->device->features.conditional.conditionalRendering;

  if (is_conditional)
    begin_conditional (self, instance, gate);
  for (guint i = first; i < first + n; i++)
    {
      const Command *command = &g_array_index (self->commands, Command, i);

      if (command->waits && (i > first || !is_conditional))
        {
          (*reads_gates ? ghlo_vulkan_add_gate_barrier : ghlo_vulkan_add_barrier) (vk, instance->commands);
          *reads_gates = FALSE;
        }
      record_command (self, command, instance);
    }
  if (is_conditional)
    vk->CmdEndConditionalRenderingEXT (instance->commands);
  *reads_gates |= is_conditional;
}

/* What was put into the queue before is waited for. */
static gboolean
begin_commands (const GhloVulkanRecording  *self,
                VkCommandBuffer             commands,
                GError                    **error)
{
  static const VkCommandBufferBeginInfo begin = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
  const GhloVulkanFunctions *vk = self->device->vk;

  if (!ghlo_vulkan_device_check (self->device, ghlo_vulkan_call (vk, BeginCommandBuffer, commands, &begin),
                                 "begin commands", error))
    return FALSE;
  ghlo_vulkan_add_barrier (vk, commands);

  return TRUE;
}

/* The host sees what they write. */
static gboolean
end_commands (const GhloVulkanRecording  *self,
              VkCommandBuffer             commands,
              GError                    **error)
{
  const GhloVulkanFunctions *vk = self->device->vk;

  ghlo_vulkan_add_last_barrier (vk, commands);

  return ghlo_vulkan_device_check (self->device, ghlo_vulkan_call (vk, EndCommandBuffer, commands), "end commands",
                                   error);
}

static gboolean
record_all (const GhloVulkanRecording  *self,
            const Instance             *instance,
            GError                    **error)
{
  gboolean reads_gates = FALSE;

  if (!begin_commands (self, instance->commands, error))
    return FALSE;
  for (guint i = 0, n; i < self->commands->len; i += n)
    {
      n = count_gated (self, i);
      record_gated (self, instance, i, n, &reads_gates);
    }

  return end_commands (self, instance->commands, error);
}

/* Puts command @number alone into the queue. */
static gboolean
put_command (GhloVulkanRecording  *self,
             Instance             *instance,
             guint                 number,
             VkCommandBuffer       commands,
             GError              **error)
{
  const Instance alone = { .commands = commands, .table = instance->table };

  if (!begin_commands (self, commands, error))
    return FALSE;
  record_command (self, &g_array_index (self->commands, Command, number), &alone);

  return end_commands (self, commands, error)
         && ghlo_vulkan_queue_put (self->device->queue, commands, self->seconds, &instance->value, error);
}

static gboolean
measure_command (GhloVulkanRecording  *self,
                 Instance             *instance,
                 guint                 number,
                 const GhloMonitor    *monitor,
                 GError              **error)
{
  GhloVulkanDevice *device = self->device;
  const Command *command = &g_array_index (self->commands, Command, number);
  const VkCommandBufferAllocateInfo info = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = self->pool, .commandBufferCount = 1 };
  VkCommandBuffer commands;
  gint64 nanoseconds = -1;
  gboolean ok;

  if (!ghlo_vulkan_device_check (device, ghlo_vulkan_call (device->vk, AllocateCommandBuffers, device->device, &info,
                                                           &commands), "make commands", error))
    return FALSE;
  ok = ghlo_vulkan_stopwatch_start (device->stopwatch, error)
       && put_command (self, instance, number, commands, error)
       && ghlo_vulkan_stopwatch_stop (device->stopwatch, &nanoseconds, monitor, error);
  if (ok)
    {
      g_debug ("dispatch %u of %u%s, %s of %" G_GUINT64_FORMAT " points: %.1f µs", number + 1, self->commands->len,
               command->waits ? ", behind a barrier" : "", command->name, command->n_points,
               (double) nanoseconds / 1000);
      device->vk->FreeCommandBuffers (device->device, self->pool, 1, &commands);
    }

  return ok;
}

/* Command by command, each after the one before has ended. What cannot be waited for stays in the pool. */
static gboolean
measure_all (GhloVulkanRecording  *self,
             Instance             *instance,
             const GhloMonitor    *monitor,
             GError              **error)
{
  gboolean ok = TRUE;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->commands->len && ok; i++)
    ok = measure_command (self, instance, i, monitor, error);
  g_mutex_unlock (&self->lock);

  return ok;
}

static void
free_instance (GhloVulkanRecording *self,
               Instance            *instance)
{
  const GhloVulkanDevice *device = self->device;

  if (instance->table != 0)
    ghlo_vulkan_memory_free (device->memory, instance->table, instance_size (self), 0);
  if (instance->commands != NULL)
    device->vk->FreeCommandBuffers (device->device, self->pool, 1, &instance->commands);
  g_free (instance->addresses);
  g_free (instance);
}

/* The lock is held. */
static Instance *
instance_new (GhloVulkanRecording  *self,
              GError              **error)
{
  GhloVulkanDevice *device = self->device;
  const VkCommandPoolCreateInfo pool = { VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = device->family };
  VkCommandBufferAllocateInfo info = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1 };
  Instance *instance;

  if (self->pool == VK_NULL_HANDLE
      && !ghlo_vulkan_device_check (device, ghlo_vulkan_call (device->vk, CreateCommandPool, device->device, &pool,
                                                              NULL, &self->pool), "make a pool of commands", error))
    {
      self->pool = VK_NULL_HANDLE;
      return NULL;
    }
  instance = g_new0 (Instance, 1);
  instance->link.data = instance;
  instance->addresses = g_new (guint64, self->accesses->len);
  memset (instance->addresses, 0xff, self->accesses->len * sizeof (guint64));
  info.commandPool = self->pool;
  instance->table = ghlo_vulkan_memory_alloc (device->memory, GHLO_VULKAN_UPLOAD, instance_size (self), error);
  if (instance->table != 0)
    {
      instance->words = (guint64 *) (gpointer) ghlo_vulkan_memory_find (device->memory, instance->table).host;
      memcpy (instance->words, self->words->data, gates_offset (self));
      if (ghlo_vulkan_device_check (device, ghlo_vulkan_call (device->vk, AllocateCommandBuffers, device->device, &info,
                                                              &instance->commands), "make commands", error)
          && record_all (self, instance, error))
        return instance;
    }
  free_instance (self, instance);

  return NULL;
}

/* One that the device has ended with, or a new one. */
static Instance *
take_instance (GhloVulkanRecording  *self,
               const GhloMonitor    *monitor,
               GError              **error)
{
  GhloVulkanQueue *queue = self->device->queue;
  Instance *instance;

  g_mutex_lock (&self->lock);
  instance = g_queue_peek_head (&self->instances);
  if (instance != NULL && self->n_instances >= MAX_INSTANCES
      && instance->value > ghlo_vulkan_queue_reached (queue, instance->value)
      && !ghlo_vulkan_queue_finish (queue, monitor, error))
    instance = NULL;
  else if (instance != NULL && instance->value <= ghlo_vulkan_queue_reached (queue, instance->value))
    g_queue_pop_head_link (&self->instances);
  else
    {
      instance = instance_new (self, error);
      self->n_instances += instance != NULL;
    }
  g_mutex_unlock (&self->lock);

  return instance;
}

guint
ghlo_vulkan_recording_count (const GhloVulkanRecording *self)
{
  return self->commands->len;
}

gboolean
ghlo_vulkan_recording_waits (const GhloVulkanRecording *self,
                             guint                      i)
{
  return g_array_index (self->commands, Command, i).waits;
}

/* With gates from @gates on. */
static guint64
address_of (const GhloVulkanAccess *access,
            guint8 *const          *addresses,
            guint64                 gates)
{
  const guint64 begin = access->place.buffer == GHLO_VULKAN_GATES ? gates
                                                                  : GPOINTER_TO_SIZE (addresses[access->place.buffer]);

  return begin + (guint64) access->place.offset;
}

char *
ghlo_vulkan_recording_check (const GhloVulkanRecording *self,
                             guint8 *const             *addresses,
                             guint                      without)
{
  const guint64 gates = (guint64) 1 << 62;      /* behind all memory */
  g_autoptr (GhloVulkanHazards) hazards = ghlo_vulkan_hazards_new ();

  for (guint i = 0; i < self->commands->len; i++)
    {
      const Command *command = &g_array_index (self->commands, Command, i);

      if (command->waits && i != without)
        ghlo_vulkan_hazards_barrier (hazards);
      for (guint k = 0; k < command->n_accesses; k++)
        {
          const GhloVulkanAccess *access = &accesses_of (self, command)[k];
          guint64 begin = address_of (access, addresses, gates) + (guint64) access->begin;
          guint other = ghlo_vulkan_hazards_add (hazards, 2 * i + (k < command->n_of_first), begin,
                                                 begin + access->size, access->is_written);

          if (other != G_MAXUINT)
            return g_strdup_printf ("dispatch %u of %u has to wait for dispatch %u: both use bytes from 0x%"
                                    G_GINT64_MODIFIER "x to 0x%" G_GINT64_MODIFIER "x", i, self->commands->len,
                                    other / 2, begin, begin + access->size);
        }
    }

  return NULL;
}

/* Runs mostly have buffers where those before had them, and what is written passes a bus. */
static void
set_addresses (const GhloVulkanRecording *self,
               Instance                  *instance,
               guint8 *const             *addresses)
{
  for (guint i = 0; i < self->accesses->len; i++)
    {
      const GhloVulkanAccess *access = &g_array_index (self->accesses, GhloVulkanAccess, i);
      const guint64 address = address_of (access, addresses, instance->table + gates_offset (self));

      if (instance->addresses[i] != address)
        instance->words[access->word] = instance->addresses[i] = address;
    }
}

gboolean
ghlo_vulkan_recording_replay (GhloVulkanRecording  *self,
                              guint8 *const        *addresses,
                              const GhloMonitor    *monitor,
                              GError              **error)
{
  Instance *instance;
  gboolean ok;

  if (self->commands->len == 0)
    return TRUE;
  if (ghlo_debug_has (GHLO_DEBUG_VULKAN))
    {
      g_autofree char *problem = ghlo_vulkan_recording_check (self, addresses, G_MAXUINT);

      if (problem != NULL)
        g_critical ("%s", problem);
    }
  instance = take_instance (self, monitor, error);
  if (instance == NULL)
    return FALSE;
  set_addresses (self, instance, addresses);
  ok = ghlo_debug_has (GHLO_DEBUG_DISPATCHES)
       ? measure_all (self, instance, monitor, error)
       : ghlo_vulkan_queue_put (self->device->queue, instance->commands, self->seconds, &instance->value, error);
  g_mutex_lock (&self->lock);
  g_queue_push_tail_link (&self->instances, &instance->link);
  g_mutex_unlock (&self->lock);

  return ok;
}

static gpointer
begin (gpointer              self,
       const GhloStepExtent *buffers)
{
  return ghlo_vulkan_recording_new (self, buffers);
}

static void
end (gpointer recording,
     double   seconds)
{
  ghlo_vulkan_recording_end (recording, seconds);
}

static GhloStepPlace
gate (gpointer      recording,
      GhloStepPlace place)
{
  return ghlo_vulkan_recording_gate (recording, place);
}

static guint
count (gpointer recording)
{
  return ghlo_vulkan_recording_count (recording);
}

static void
repeat (gpointer recording,
        guint    first,
        guint    n)
{
  ghlo_vulkan_recording_repeat (recording, first, n);
}

static gsize
get_size (gpointer recording)
{
  return instance_size (recording);
}

static gboolean
replay (gpointer            recording,
        guint8 *const      *addresses,
        const GhloMonitor  *monitor,
        GError            **error)
{
  return ghlo_vulkan_recording_replay (recording, addresses, monitor, error);
}

static void
destroy (gpointer recording)
{
  ghlo_vulkan_recording_free (recording);
}

const GhloStepRecorder ghlo_vulkan_recorder = {
  .begin = begin,
  .end = end,
  .gate = gate,
#ifdef GHLO_HAS_SHADERS
  .tally = ghlo_vulkan_shader_tally,
  .choose = ghlo_vulkan_shader_choose,
#endif
  .count = count,
  .repeat = repeat,
  .join = ghlo_vulkan_pair_join,
  .get_size = get_size,
  .replay = replay,
  .free = destroy,
};
