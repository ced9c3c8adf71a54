/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each block is one buffer over one allocation, with a sorted list of its free ranges. Allocation is best fit. Requests
 * larger than a block get a block of their own. What only the queue uses is allocated again as soon as it is freed,
 * since the queue executes in order: runs that are queued use the same memory one after the other. Memory that the host
 * sees is free once the timeline has passed its last use.
 */

#include "vulkan/memory.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "vulkan/handles.h"
#include "vulkan/place.h"
#include "vulkan/properties.h"
#include "vulkan/queue.h"

#define MEBIBYTE ((gsize) 1 << 20)

typedef struct
{
  gsize offset, size;
} Range;

typedef struct
{
  GhloVulkanMemoryKind kind;
  VkBuffer             buffer;
  VkDeviceMemory       memory;
  guint64              address;       /* of the buffer */
  gsize                size;
  gsize                first;         /* offset of the first aligned address */
  gsize                used;
  guint64              value;         /* of the timeline, until which freed ranges may be in use */
  guint64              clock;         /* of the memory, when the block was last used */
  guint8              *host;          /* nullable */
  GArray              *free;          /* of Range; sorted, and merged where adjacent */
} Block;

/* A freed range of memory that the host sees, which the device may use until the timeline reaches @value. */
typedef struct
{
  guint64 address;
  gsize   size;
  guint64 value;
} Retired;

struct _GhloVulkanMemory
{
  GhloVulkanDevice *device;
  gsize             most_empty;       /* bytes of empty blocks that are kept for the next runs */
  GMutex            lock;             /* guards the fields below */
  GPtrArray        *blocks;           /* sorted by address */
  guint64           clock;            /* counts uses of blocks */
  GQueue            retired;          /* roughly ordered by value; a range may have to wait for the one before it */
  gsize             used[GHLO_VULKAN_N_MEMORY_KINDS], reserved;
  gsize             peak;             /* maximum of count_used () */
};

/* Properties of the memory types for each kind, in order of preference. */
static const VkMemoryPropertyFlags wishes[GHLO_VULKAN_N_MEMORY_KINDS][3] = {
#define LOCAL    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define VISIBLE  (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
#define CACHED   VK_MEMORY_PROPERTY_HOST_CACHED_BIT
  [GHLO_VULKAN_LOCAL] = { LOCAL, VISIBLE | CACHED, VISIBLE },
  [GHLO_VULKAN_SCRATCH] = { LOCAL, VISIBLE | CACHED, VISIBLE },
  [GHLO_VULKAN_UPLOAD] = { LOCAL | VISIBLE, VISIBLE, VISIBLE },
  [GHLO_VULKAN_READBACK] = { VISIBLE | CACHED, VISIBLE, VISIBLE },
  [GHLO_VULKAN_IMPORTED] = { VISIBLE | CACHED, VISIBLE, VISIBLE },
};

/* The same for local memory of a unified device. A carve-out of the host's memory that only the device sees can be
 * slower than memory that the host caches (ggml-org/llama.cpp 23762, 11592). */
static const VkMemoryPropertyFlags unified_wishes[] = { LOCAL | VISIBLE | CACHED, VISIBLE | CACHED };
#undef LOCAL
#undef VISIBLE
#undef CACHED

/* Maximum size of shared blocks of each kind. Upload blocks are small, since the host's window into device memory may
 * be. */
static const gsize block_sizes[GHLO_VULKAN_N_MEMORY_KINDS] = {
  [GHLO_VULKAN_LOCAL] = 64 * MEBIBYTE, [GHLO_VULKAN_SCRATCH] = 64 * MEBIBYTE, [GHLO_VULKAN_UPLOAD] = 8 * MEBIBYTE,
  [GHLO_VULKAN_READBACK] = 16 * MEBIBYTE,
};

/* The first block is smaller by this factor. */
#define FIRST_SHARE 16

GhloVulkanMemory *
ghlo_vulkan_memory_new (GhloVulkanDevice *device)
{
  GhloVulkanMemory *self = g_new0 (GhloVulkanMemory, 1);

  self->device = device;
  for (guint32 i = 0; i < device->handles->memory_types.memoryHeapCount; i++)
    self->most_empty = MAX (self->most_empty, (gsize) device->handles->memory_types.memoryHeaps[i].size / 16);
  self->blocks = g_ptr_array_new ();
  g_mutex_init (&self->lock);

  return self;
}

static void
block_free (GhloVulkanMemory *self,
            Block            *block)
{
  const GhloVulkanHandles *handles = self->device->handles;
  const GhloVulkanFunctions *vk = handles->vk;

  vk->DestroyBuffer (handles->device, block->buffer, NULL);
  vk->FreeMemory (handles->device, block->memory, NULL);
  g_array_unref (block->free);
  g_free (block);
}

void
ghlo_vulkan_memory_destroy (GhloVulkanMemory *self)
{
  for (guint i = 0; i < self->blocks->len; i++)
    block_free (self, self->blocks->pdata[i]);
  g_ptr_array_unref (self->blocks);
  g_queue_clear_full (&self->retired, g_free);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Returns the type with the largest heap among those with the first wish that any type meets: some devices have a small
 * heap that is equally fast (ggml-org/llama.cpp 16832, 20670). Returns G_MAXUINT32 if no type in @allowed meets any
 * wish. */
static guint32
find_type (const GhloVulkanDevice      *device,
           guint32                      allowed,
           const VkMemoryPropertyFlags *wanted,
           guint                        n)
{
  const VkPhysicalDeviceMemoryProperties *memory = &device->handles->memory_types;
  guint32 found = G_MAXUINT32;

  for (guint k = 0; k < n && found == G_MAXUINT32; k++)
    for (guint32 i = 0; i < memory->memoryTypeCount; i++)
      if ((allowed >> i & 1) && (memory->memoryTypes[i].propertyFlags & wanted[k]) == wanted[k]
          && (found == G_MAXUINT32 || memory->memoryHeaps[memory->memoryTypes[i].heapIndex].size
                                      > memory->memoryHeaps[memory->memoryTypes[found].heapIndex].size))
        found = i;

  return found;
}

static gboolean
is_local (GhloVulkanMemoryKind kind)
{
  return kind == GHLO_VULKAN_LOCAL || kind == GHLO_VULKAN_SCRATCH;
}

static guint32
choose_type (const GhloVulkanDevice *device,
             GhloVulkanMemoryKind    kind,
             guint32                 allowed)
{
  guint32 found = is_local (kind) && ghlo_vulkan_device_is_unified (device)
                  ? find_type (device, allowed, unified_wishes, G_N_ELEMENTS (unified_wishes)) : G_MAXUINT32;

  return found != G_MAXUINT32 ? found : find_type (device, allowed, wishes[kind], G_N_ELEMENTS (wishes[kind]));
}

/* Whether the host maps memory of @type that is used as @kind. */
static gboolean
is_host_visible (const GhloVulkanDevice *device,
                 GhloVulkanMemoryKind    kind,
                 guint32                 type)
{
  const GhloVulkanHandles *handles = device->handles;

  return (handles->memory_types.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0
         && (!is_local (kind) || ghlo_vulkan_device_is_unified (device));
}

/* The host reads the visible memory of a discrete card over the bus, uncached: 0.03 GB/s were measured. Uncached memory
 * is better read once, by a copy, and memory without coherence would have to be flushed. For devices that are neither
 * discrete, integrated nor CPUs, such as those of virtual machines, only device-local memory counts, and only if it is
 * all of their memory. */
guint64
ghlo_vulkan_memory_find_unified (const GhloVulkanDevice *device)
{
  const GhloVulkanHandles *handles = device->handles;
  const VkPhysicalDeviceMemoryProperties *memory = &handles->memory_types;
  const gboolean shares = handles->type == VK_PHYSICAL_DEVICE_TYPE_CPU
                          || handles->type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  const guint main_heap = ghlo_vulkan_main_heap (device);
  const guint32 type = handles->type != VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU
                       ? find_type (device, G_MAXUINT32, unified_wishes, shares ? G_N_ELEMENTS (unified_wishes) : 1)
                       : G_MAXUINT32;
  guint64 size = type != G_MAXUINT32 ? memory->memoryHeaps[memory->memoryTypes[type].heapIndex].size : 0;

  return shares || (main_heap != G_MAXUINT && size >= memory->memoryHeaps[main_heap].size) ? size : 0;
}

/* Some drivers allocate more memory than there is, and lose the device later (Mesa, ggml-org/llama.cpp 29213), so the
 * budget is checked first. */
static gboolean
check_budget (const GhloVulkanDevice  *device,
              guint32                  type,
              gsize                    size,
              GError                 **error)
{
  guint32 heap = device->handles->memory_types.memoryTypes[type].heapIndex;
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget;

  if (!ghlo_vulkan_device_get_budget (device, &budget))
    return TRUE;
  if (budget.heapUsage[heap] <= budget.heapBudget[heap] && size <= budget.heapBudget[heap] - budget.heapUsage[heap])
    return TRUE;
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY, "%" G_GSIZE_FORMAT " bytes of memory are not available on "
               "%s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " are in use", size, device->core.title,
               (guint64) budget.heapUsage[heap], (guint64) budget.heapBudget[heap]);

  return FALSE;
}

/* Like choose_type (), but sets @error if no type will do. */
static guint32
require_type (const GhloVulkanDevice  *device,
              GhloVulkanMemoryKind     kind,
              guint32                  allowed,
              GError                 **error)
{
  const guint32 type = choose_type (device, kind, allowed);

  if (type == G_MAXUINT32)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE, "the driver of %s has no memory type for its buffers",
                 device->core.title);

  return type;
}

/* Allocates @size bytes of @type and binds them to the block's buffer. @import extends the allocate info; nullable. */
static gboolean
bind (GhloVulkanDevice  *device,
      Block             *block,
      guint32            type,
      gsize              size,
      gconstpointer      import,
      GError           **error)
{
  const GhloVulkanHandles *handles = device->handles;
  const VkMemoryAllocateFlagsInfo flags = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, import,
                                            .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT };
  const VkMemoryAllocateInfo info = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, size, type };

  return ghlo_vulkan_device_check (device, ghlo_vulkan_create (handles->vk, AllocateMemory, &block->memory,
                                                               handles->device, &info, NULL), "allocate memory", error)
         && ghlo_vulkan_device_check (device, ghlo_vulkan_call (handles->vk, BindBufferMemory, handles->device,
                                                                block->buffer, block->memory, 0),
                                      "bind memory to a buffer", error);
}

static gboolean
allocate (GhloVulkanDevice  *device,
          Block             *block,
          GError           **error)
{
  const GhloVulkanHandles *handles = device->handles;
  const GhloVulkanFunctions *vk = handles->vk;
  VkMemoryRequirements needs;
  guint32 type;

  vk->GetBufferMemoryRequirements (handles->device, block->buffer, &needs);
  type = require_type (device, block->kind, needs.memoryTypeBits, error);
  if (type == G_MAXUINT32 || !check_budget (device, type, needs.size, error)
      || !bind (device, block, type, needs.size, NULL, error))
    return FALSE;
  if (!is_host_visible (device, block->kind, type))
    return TRUE;

  return ghlo_vulkan_device_check (device, ghlo_vulkan_call (vk, MapMemory, handles->device, block->memory, 0,
                                                             VK_WHOLE_SIZE, 0, (void **) &block->host),
                                   "map memory", error);
}

/* Imports the host memory at block->host. */
static gboolean
import (GhloVulkanDevice  *device,
        Block             *block,
        GError           **error)
{
  const GhloVulkanHandles *handles = device->handles;
  const GhloVulkanFunctions *vk = handles->vk;
  const VkImportMemoryHostPointerInfoEXT info = {
    VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
    .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, .pHostPointer = block->host,
  };
  VkMemoryHostPointerPropertiesEXT properties = { VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT };
  VkMemoryRequirements needs;
  guint32 type;

  if (!ghlo_vulkan_device_check (device, ghlo_vulkan_call (vk, GetMemoryHostPointerPropertiesEXT, handles->device,
                                                           info.handleType, block->host, &properties),
                                 "query the memory types for an import", error))
    return FALSE;
  vk->GetBufferMemoryRequirements (handles->device, block->buffer, &needs);
  if (needs.size > block->size)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE, "the driver of %s needs %" G_GUINT64_FORMAT " bytes for an "
                   "imported buffer of %" G_GSIZE_FORMAT " bytes", device->core.title, (guint64) needs.size,
                   block->size);
      return FALSE;
    }
  type = require_type (device, block->kind, needs.memoryTypeBits & properties.memoryTypeBits, error);

  return type != G_MAXUINT32 && bind (device, block, type, block->size, &info, error);
}

/* @host is the memory to import, or NULL to allocate. */
static Block *
block_new (GhloVulkanMemory      *self,
           GhloVulkanMemoryKind   kind,
           gpointer               host,
           gsize                  size,
           GError               **error)
{
  static const VkExternalMemoryBufferCreateInfo external = {
    VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
    .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
  };
  GhloVulkanDevice *device = self->device;
  const GhloVulkanHandles *handles = device->handles;
  const VkBufferCreateInfo info = {
    VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, host != NULL ? &external : NULL, .size = size,
    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT
             | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT
             | (kind == GHLO_VULKAN_UPLOAD && device->has_predicates
                ? VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT : 0),
  };
  VkBufferDeviceAddressInfo address = { VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO };
  Block *block = g_new0 (Block, 1);
  Range all;

  block->kind = kind;
  block->size = size;
  block->host = host;
  block->free = g_array_new (FALSE, FALSE, sizeof (Range));
  if (!ghlo_vulkan_device_check (device, ghlo_vulkan_create (handles->vk, CreateBuffer, &block->buffer,
                                                             handles->device, &info, NULL), "create a buffer", error)
      || !(host != NULL ? import : allocate) (device, block, error))
    {
      block_free (self, block);
      return NULL;
    }
  address.buffer = block->buffer;
  block->address = handles->vk->GetBufferDeviceAddress (handles->device, &address);
  block->first = (gsize) (-block->address % GHLO_VULKAN_ALIGNMENT);
  all = (Range) { block->first, (size - block->first) / GHLO_VULKAN_ALIGNMENT * GHLO_VULKAN_ALIGNMENT };
  g_array_append_val (block->free, all);

  return block;
}

/* Returns the index of the last block that begins at or before @address, or -1. */
static gint
find_block (const GhloVulkanMemory *self,
            guint64                 address)
{
  guint low = 0, high = self->blocks->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (((const Block *) self->blocks->pdata[middle])->address <= address)
        low = middle + 1;
      else
        high = middle;
    }

  return (gint) low - 1;
}

static void
add_block (GhloVulkanMemory *self,
           Block            *block)
{
  g_ptr_array_insert (self->blocks, find_block (self, block->address) + 1, block);
  self->reserved += block->size;
}

static gsize
count_empty (const GhloVulkanMemory *self)
{
  gsize size = 0;

  for (guint i = 0; i < self->blocks->len; i++)
    {
      const Block *block = self->blocks->pdata[i];

      size += block->used == 0 ? block->size : 0;
    }

  return size;
}

/* Frees empty blocks that the device is done with, the least recently used first, until at most @kept bytes are empty.
 * The one that was used last stays, unless nothing is kept: the next run would allocate it again. */
static void
drop_empty (GhloVulkanMemory *self,
            gsize             kept)
{
  const gsize empty = count_empty (self);
  const guint64 reached = empty > kept ? ghlo_vulkan_queue_reached (self->device->queue, G_MAXUINT64) : 0;

  for (gsize left = empty; left > kept;)
    {
      Block *oldest = NULL;
      guint at = 0;

      for (guint i = 0; i < self->blocks->len; i++)
        {
          Block *block = self->blocks->pdata[i];

          if (block->used == 0 && block->value <= reached && (kept == 0 || block->clock < self->clock)
              && (oldest == NULL || block->clock < oldest->clock))
            {
              oldest = block;
              at = i;
            }
        }
      if (oldest == NULL)
        return;
      left -= oldest->size;
      self->reserved -= oldest->size;
      g_ptr_array_remove_index (self->blocks, at);
      block_free (self, oldest);
    }
}

/* Frees a range, merging it with adjacent free ranges. */
static void
give (GhloVulkanMemory *self,
      guint64           address,
      gsize             size,
      guint64           value)
{
  Block *block = self->blocks->pdata[find_block (self, address)];
  Range range = { (gsize) (address - block->address), size }, *ranges = (gpointer) block->free->data;
  guint i = 0;

  while (i < block->free->len && ranges[i].offset < range.offset)
    i++;
  block->used -= size;
  block->value = MAX (block->value, value);
  block->clock = ++self->clock;
  self->used[block->kind] -= size;
  if (i < block->free->len && range.offset + range.size == ranges[i].offset)
    {
      range.size += ranges[i].size;
      g_array_remove_index (block->free, i);
      ranges = (gpointer) block->free->data;
    }
  if (i > 0 && ranges[i - 1].offset + ranges[i - 1].size == range.offset)
    ranges[i - 1].size += range.size;
  else
    g_array_insert_val (block->free, i, range);
  if (block->used == 0)
    drop_empty (self, self->most_empty);
}

/* Excludes imported memory, which is the host's. */
static gsize
count_used (const GhloVulkanMemory *self)
{
  gsize used = 0;

  for (guint i = 0; i < GHLO_VULKAN_IMPORTED; i++)
    used += self->used[i];

  return used;
}

/* Frees the retired ranges that the device is done with, now that the timeline has reached @reached. */
static void
collect_until (GhloVulkanMemory *self,
               guint64           reached)
{
  for (const Retired *first; (first = g_queue_peek_head (&self->retired)) != NULL && first->value <= reached;)
    {
      g_autofree Retired *retired = g_queue_pop_head (&self->retired);

      give (self, retired->address, retired->size, retired->value);
    }
}

static void
collect (GhloVulkanMemory *self)
{
  const Retired *last = g_queue_peek_tail (&self->retired);

  if (last != NULL)
    collect_until (self, ghlo_vulkan_queue_reached (self->device->queue, last->value));
}

/* Returns the block of the kind with the smallest free range of at least @size bytes, and the range's index in it, or
 * NULL. */
static Block *
find_room (const GhloVulkanMemory *self,
           GhloVulkanMemoryKind    kind,
           gsize                   size,
           guint                  *at)
{
  Block *best = NULL;

  for (guint i = 0; i < self->blocks->len; i++)
    {
      Block *block = self->blocks->pdata[i];
      const Range *ranges = (gconstpointer) block->free->data;

      for (guint k = 0; block->kind == kind && k < block->free->len; k++)
        if (ranges[k].size >= size
            && (best == NULL || ranges[k].size < g_array_index (best->free, Range, *at).size))
          {
            best = block;
            *at = k;
          }
    }

  return best;
}

/* Returns 0 if no block of the kind has room. */
static guint64
take (GhloVulkanMemory     *self,
      GhloVulkanMemoryKind  kind,
      gsize                 size)
{
  guint at;
  Block *best = find_room (self, kind, size, &at);
  Range *range;
  guint64 address;

  if (best == NULL)
    return 0;
  range = &g_array_index (best->free, Range, at);
  address = best->address + range->offset;
  range->offset += size;
  range->size -= size;
  if (range->size == 0)
    g_array_remove_index (best->free, at);
  best->used += size;
  best->clock = ++self->clock;
  self->used[kind] += size;
  self->peak = MAX (self->peak, count_used (self));

  return address;
}

static gsize
round_up (gsize size)
{
  return ghlo_size_ceil_div (MAX (size, 1), GHLO_VULKAN_ALIGNMENT) * GHLO_VULKAN_ALIGNMENT;
}

/* Returns the size of a new block for @least bytes. Each block is as large as all existing ones of its kind together,
 * so that small programs take little memory and large ones have few blocks. Sizes are power-of-two multiples of the
 * first, so that freed blocks fit later requests. */
static gsize
choose_size (const GhloVulkanMemory *self,
             GhloVulkanMemoryKind    kind,
             gsize                   least)
{
  gsize size = block_sizes[kind] / FIRST_SHARE, wanted = 0;

  for (guint i = 0; i < self->blocks->len; i++)
    {
      const Block *block = self->blocks->pdata[i];

      wanted += block->kind == kind ? block->size : 0;
    }
  wanted = MAX (wanted, least);
  while (size < wanted && size < block_sizes[kind])
    size *= 2;

  return MIN (size, self->device->max_allocation);
}

/* Adds a block of the usual size, or of the minimum size if there is not enough memory for that. */
static gboolean
reserve (GhloVulkanMemory      *self,
         GhloVulkanMemoryKind   kind,
         gsize                  size,
         GError               **error)
{
  const gsize least = size + GHLO_VULKAN_ALIGNMENT, usual = choose_size (self, kind, least);
  Block *block = NULL;

  if (least < usual)
    block = block_new (self, kind, NULL, usual, NULL);
  if (block == NULL)
    block = block_new (self, kind, NULL, least, error);
  if (block != NULL)
    add_block (self, block);

  return block != NULL;
}

/* Called with the lock held, which is released meanwhile. Waits for the queue, and frees all empty blocks; returns
 * whether @size bytes have to be reserved after that. */
static gboolean
drop_all (GhloVulkanMemory     *self,
          GhloVulkanMemoryKind  kind,
          gsize                 size)
{
  guint at;

  g_mutex_unlock (&self->lock);
  ghlo_vulkan_queue_finish (self->device->queue, NULL, NULL);
  g_mutex_lock (&self->lock);
  collect (self);
  drop_empty (self, 0);

  return find_room (self, kind, size, &at) == NULL;
}

guint64
ghlo_vulkan_memory_alloc (GhloVulkanMemory      *self,
                          GhloVulkanMemoryKind   kind,
                          gsize                  size,
                          GError               **error)
{
  guint64 address = 0;
  gsize rounded;

  if (size > self->device->max_allocation - MIN (self->device->max_allocation, 2 * GHLO_VULKAN_ALIGNMENT))
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY, "expected at most %" G_GSIZE_FORMAT
                   " bytes of memory in one allocation on %s, found %" G_GSIZE_FORMAT, self->device->max_allocation,
                   self->device->core.title, size);
      return 0;
    }
  rounded = round_up (size);
  g_mutex_lock (&self->lock);
  collect (self);
  address = take (self, kind, rounded);
  if (address == 0)
    {
      g_autoptr (GError) first = NULL;

      if (!reserve (self, kind, rounded, &first))
        {
          if (!g_error_matches (first, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY))
            g_propagate_error (error, g_steal_pointer (&first));
          else if (drop_all (self, kind, rounded))
            reserve (self, kind, rounded, error);
        }
      address = take (self, kind, rounded);
    }
  g_mutex_unlock (&self->lock);

  return address;
}

/* Whether what uses the block next is in the queue behind what used it last. */
static gboolean
is_ordered (const Block *block)
{
  return block->kind == GHLO_VULKAN_SCRATCH || (block->kind == GHLO_VULKAN_LOCAL && block->host == NULL);
}

void
ghlo_vulkan_memory_free (GhloVulkanMemory *self,
                         guint64           address,
                         gsize             size,
                         guint64           value)
{
  const Retired retired = { address, round_up (size), value };
  /* The driver is not queried here; the next allocation does so. */
  const guint64 seen = ghlo_vulkan_queue_reached (self->device->queue, 0);

  g_mutex_lock (&self->lock);
  collect_until (self, seen);
  if (value <= seen || is_ordered (self->blocks->pdata[find_block (self, address)]))
    give (self, address, retired.size, value);
  else
    g_queue_push_tail (&self->retired, g_memdup2 (&retired, sizeof retired));
  g_mutex_unlock (&self->lock);
}

GhloVulkanPlace
ghlo_vulkan_memory_find (GhloVulkanMemory *self,
                         guint64           address)
{
  GhloVulkanPlace place;
  const Block *block;

  g_mutex_lock (&self->lock);
  block = self->blocks->pdata[find_block (self, address)];
  place = (GhloVulkanPlace) { block->kind, block->buffer, address - block->address,
                              block->host != NULL ? block->host + (address - block->address) : NULL };
  g_mutex_unlock (&self->lock);

  return place;
}

guint8 *
ghlo_vulkan_memory_map (GhloVulkanMemory *self,
                        guint64           address)
{
  return ghlo_vulkan_memory_find (self, address).host;
}

/* The block has no free ranges, so nothing is ever allocated from it. */
guint64
ghlo_vulkan_memory_import (GhloVulkanMemory  *self,
                           gpointer           host,
                           gsize              size,
                           GError           **error)
{
  const gsize alignment = self->device->handles->host_alignment;
  Block *block;
  guint64 address;

  if ((guintptr) host % alignment != 0 || size % alignment != 0 || size > self->device->max_allocation)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE, "expected at most %" G_GSIZE_FORMAT " bytes of memory, by "
                   "multiples of %" G_GSIZE_FORMAT ", for %s, found %" G_GSIZE_FORMAT, self->device->max_allocation,
                   alignment, self->device->core.title, size);
      return 0;
    }
  g_mutex_lock (&self->lock);
  block = block_new (self, GHLO_VULKAN_IMPORTED, host, size, error);
  if (block != NULL)
    {
      g_array_set_size (block->free, 0);
      block->used = size;
      self->used[block->kind] += size;
      add_block (self, block);
    }
  address = block != NULL ? block->address : 0;
  g_mutex_unlock (&self->lock);

  return address;
}

void
ghlo_vulkan_memory_unimport (GhloVulkanMemory *self,
                             guint64           address)
{
  gint i;
  Block *block;

  g_mutex_lock (&self->lock);
  i = find_block (self, address);
  block = self->blocks->pdata[i];
  self->used[block->kind] -= block->size;
  self->reserved -= block->size;
  g_ptr_array_remove_index (self->blocks, (guint) i);
  block_free (self, block);
  g_mutex_unlock (&self->lock);
}

gsize
ghlo_vulkan_memory_most_empty (const GhloVulkanMemory *self)
{
  return self->most_empty;
}

void
ghlo_vulkan_memory_trim (GhloVulkanMemory *self)
{
  g_mutex_lock (&self->lock);
  collect (self);
  drop_empty (self, 0);
  g_mutex_unlock (&self->lock);
}

void
ghlo_vulkan_memory_measure (GhloVulkanMemory           *self,
                            GhloVulkanMemoryStatistics *statistics)
{
  g_mutex_lock (&self->lock);
  collect (self);
  *statistics = (GhloVulkanMemoryStatistics) { .all_used = count_used (self), .peak = self->peak,
                                               .reserved = self->reserved, .n_blocks = self->blocks->len };
  memcpy (statistics->used, self->used, sizeof self->used);
  g_mutex_unlock (&self->lock);
}

void
ghlo_vulkan_memory_reset_peak (GhloVulkanMemory *self)
{
  g_mutex_lock (&self->lock);
  collect (self);
  self->peak = count_used (self);
  g_mutex_unlock (&self->lock);
}
