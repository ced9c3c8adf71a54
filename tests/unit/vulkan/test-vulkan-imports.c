/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Imported host memory that the device copies from and to directly: only the pool's blocks are imported, the right
 * bytes are copied, and an import lives as long as its block; otherwise copies go through a staging buffer.
 */

#include "vulkan-program.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ghlo-error.h"
#include "runtime/memory.h"
#include "runtime/pool.h"
#include "runtime/value.h"
#include "vulkan/imports.h"
#include "vulkan/instance.h"
#include "vulkan/memory.h"
#include "vulkan/queue.h"
#include "vulkan/transfer.h"

#define MEBIBYTE ((gsize) 1 << 20)

/* The sizes of transfers, larger and smaller than one piece of an import, and the offset in the block. */
#define SIZE   (70 * MEBIBYTE)
#define LITTLE (5 * MEBIBYTE)
#define OFFSET 4096

static const VkResult ways[] = {
  VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST,
};

/* The first call of @name fails; @name is then reset to NULL. */
static struct
{
  const char *name;
  VkResult    result;
} fault;

static VkResult
fault_cb (const char *name)
{
  if (g_strcmp0 (fault.name, name) != 0)
    return VK_SUCCESS;
  fault.name = NULL;

  return fault.result;
}

/* A device that imports host memory; the test is skipped where there is none. */
static GhloGpuDevice *
open_device (void)
{
  GhloGpuDevice *device = vulkan_program_open ();

  if (device != NULL && device->vulkan.imports == NULL)
    g_test_skip ("the device does not import host memory");

  return device != NULL && device->vulkan.imports != NULL ? device : NULL;
}

static gsize
count_imported (GhloGpuDevice *device)
{
  GhloVulkanMemoryStatistics statistics;

  ghlo_vulkan_memory_measure (device->vulkan.memory, &statistics);

  return statistics.used[GHLO_VULKAN_IMPORTED];
}

static guint8 *
allocate (gsize size)
{
  g_autoptr (GError) error = NULL;
  guint8 *memory = ghlo_memory_alloc_uninitialized (size, &error);

  g_assert_no_error (error);

  return memory;
}

static void
fill (guint8 *bytes,
      gsize   size,
      guint   seed)
{
  for (gsize i = 0; i < size; i += sizeof (guint32))
    {
      seed = seed * 1664525 + 1013904223;
      memcpy (bytes + i, &seed, sizeof seed);
    }
}

/* Memory of a type that the host does not map, so that the device copies in both directions. */
static guint64
allocate_there (GhloGpuDevice *device,
                gsize          size)
{
  g_autoptr (GError) error = NULL;
  guint64 address = ghlo_vulkan_memory_alloc (device->vulkan.memory, GHLO_VULKAN_UPLOAD, size, &error);

  g_assert_no_error (error);

  return address;
}

/* Copies @from to the device and back to @to. */
static gboolean
go_round (GhloGpuDevice  *device,
          const guint8   *from,
          guint8         *to,
          gsize           size,
          GError        **error)
{
  guint64 there = allocate_there (device, size);
  gboolean ok = ghlo_vulkan_upload (&device->vulkan, from, there, size, NULL, error)
                && ghlo_vulkan_download (&device->vulkan, there, to, size, NULL, error);

  ghlo_vulkan_memory_free (device->vulkan.memory, there, size, ghlo_vulkan_queue_value (device->vulkan.queue));

  return ok;
}

static void
check_round (GhloGpuDevice *device,
             guint8        *from,
             guint8        *to,
             guint          seed)
{
  g_autoptr (GError) error = NULL;

  fill (from, SIZE, seed);
  memset (to, 0, SIZE);
  g_assert_true (go_round (device, from, to, SIZE, &error));
  g_assert_no_error (error);
  g_assert_true (memcmp (from, to, SIZE) == 0);
}

static void
test_blocks (void)
{
  GhloGpuDevice *device = open_device ();
  guint8 *one, *other;
  gsize each;

  if (device == NULL)
    return;
  ghlo_memory_trim ();
  g_assert_cmpuint (count_imported (device), ==, 0);
  one = allocate (SIZE + OFFSET);
  other = allocate (SIZE + OFFSET);
  each = ghlo_pool_get_capacity (SIZE + OFFSET);
  for (guint i = 0; i < 3; i++)
    {
      check_round (device, one + OFFSET, other + OFFSET, i);
      g_assert_cmpuint (count_imported (device), ==, 2 * each);
    }
  /* A freed block is still imported when it is used again, and no longer once it is returned to the system. */
  ghlo_memory_free (one, SIZE + OFFSET);
  g_assert_cmpuint (count_imported (device), ==, 2 * each);
  one = allocate (SIZE + OFFSET);
  check_round (device, one, other, 7);
  g_assert_cmpuint (count_imported (device), ==, 2 * each);
  ghlo_memory_free (one, SIZE + OFFSET);
  ghlo_memory_trim ();
  g_assert_cmpuint (count_imported (device), ==, each);
  ghlo_memory_free (other, SIZE + OFFSET);
  ghlo_memory_trim ();
  g_assert_cmpuint (count_imported (device), ==, 0);
}

/* Memory outside of the pool, too small, or too large. */
static void
test_others (void)
{
  GhloGpuDevice *device = open_device ();
  const gsize limit = ghlo_memory_get_limit ();
  guint8 *lent, *own, *small;

  if (device == NULL)
    return;
  lent = g_malloc (2 * SIZE);
  check_round (device, lent, lent + SIZE, 1);
  g_assert_cmpuint (count_imported (device), ==, 0);
  small = allocate (MEBIBYTE);
  g_assert_cmpuint (ghlo_vulkan_imports_take (device->vulkan.imports, small, MEBIBYTE), ==, 0);
  ghlo_memory_free (small, MEBIBYTE);
  own = allocate (SIZE);
  g_assert_cmpuint (ghlo_vulkan_imports_take (device->vulkan.imports, own, 2 * SIZE), ==, 0);
  ghlo_memory_set_limit (3 * SIZE);
  check_round (device, own, lent, 2);
  g_assert_cmpuint (count_imported (device), ==, 0);
  ghlo_memory_set_limit (limit);
  check_round (device, lent, own, 3);
  g_assert_cmpuint (count_imported (device), >=, SIZE);
  ghlo_memory_free (own, SIZE);
  ghlo_memory_trim ();
  g_assert_cmpuint (count_imported (device), ==, 0);
  g_free (lent);
}

/* After a fork the process may have other pages than those that were imported. */
static void
test_fork (void)
{
  GhloGpuDevice *device = open_device ();
  guint8 *one, *other;
  guint64 before;
  int status;
  pid_t child;

  if (device == NULL)
    return;
  one = allocate (SIZE);
  other = allocate (SIZE);
  check_round (device, one, other, 1);
  before = ghlo_vulkan_imports_take (device->vulkan.imports, one, SIZE);
  g_assert_cmpuint (before, !=, 0);
  g_assert_cmpuint (ghlo_vulkan_imports_take (device->vulkan.imports, one + OFFSET, SIZE - OFFSET), ==,
                    before + OFFSET);
  ghlo_vulkan_imports_give (device->vulkan.imports, one + OFFSET);
  child = fork ();
  if (child == 0)
    {
      /* Freeing blocks in the child's pool does not affect the device. */
      ghlo_memory_free (other, SIZE);
      ghlo_memory_trim ();
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  check_round (device, one, other, 2);
  /* An import in use stays, and is not used by others. */
  g_assert_cmpuint (ghlo_vulkan_imports_take (device->vulkan.imports, one, SIZE), ==, 0);
  ghlo_vulkan_imports_give (device->vulkan.imports, one);
  check_round (device, other, one, 3);
  g_assert_cmpuint (ghlo_vulkan_imports_take (device->vulkan.imports, one, SIZE), !=, 0);
  ghlo_vulkan_imports_give (device->vulkan.imports, one);
  ghlo_memory_free (one, SIZE);
  ghlo_memory_free (other, SIZE);
  ghlo_memory_trim ();
  g_assert_cmpuint (count_imported (device), ==, 0);
}

static void
test_cancelled (void)
{
  GhloGpuDevice *device = open_device ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GError) error = NULL;
  guint8 *memory;
  guint64 there;

  if (device == NULL)
    return;
  memory = allocate (SIZE);
  there = allocate_there (device, SIZE);
  g_cancellable_cancel (cancellable);
  /* A transfer that has ended already may be complete in spite of the cancel. */
  if (!ghlo_vulkan_upload (&device->vulkan, memory, there, SIZE, &monitor, &error))
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  ghlo_vulkan_memory_free (device->vulkan.memory, there, SIZE, ghlo_vulkan_queue_value (device->vulkan.queue));
  ghlo_memory_free (memory, SIZE);
  ghlo_memory_trim ();
  g_assert_cmpuint (count_imported (device), ==, 0);
}

/* A lost device stays lost; another takes its place. */
static void
round_with_fault (const char *name,
                  VkResult    result)
{
  GhloGpuDevice *device = open_device ();
  guint8 *one = allocate (LITTLE), *other = allocate (LITTLE);
  g_autoptr (GError) error = NULL;
  gboolean ok;

  fill (one, LITTLE, 5);
  fault.name = name;
  fault.result = result;
  ok = go_round (device, one, other, LITTLE, &error);
  /* There is no wait for work that has ended already. */
  if (fault.name != NULL && !g_str_equal (name, "WaitSemaphores"))
    g_error ("vk%s was not called", name);
  fault.name = NULL;
  if (ok)
    g_assert_true (memcmp (one, other, LITTLE) == 0);
  else
    g_assert_true (g_error_matches (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY)
                   || g_error_matches (error, GHLO_ERROR, GHLO_ERROR_DEVICE_LOST));
  /* Only a failed import may go unreported. */
  if (g_str_equal (name, "GetMemoryHostPointerPropertiesEXT") && result != VK_ERROR_DEVICE_LOST)
    g_assert_true (ok);
  ghlo_memory_free (one, LITTLE);
  ghlo_memory_free (other, LITTLE);
  ghlo_memory_trim ();
  g_assert_cmpuint (count_imported (device), ==, 0);
  if (!ghlo_device_core_is_lost (&device->vulkan.core))
    return;
  device = open_device ();
  g_assert_nonnull (device);
  g_assert_false (ghlo_device_core_is_lost (&device->vulkan.core));
}

static void
test_faults (void)
{
  static const char *const names[] = {
    "AllocateMemory", "BeginCommandBuffer", "BindBufferMemory", "CreateBuffer", "EndCommandBuffer",
    "GetMemoryHostPointerPropertiesEXT", "GetSemaphoreCounterValue", "QueueSubmit", "ResetCommandPool",
    "WaitSemaphores",
  };
  GhloGpuDevice *device = open_device ();
  GhloVulkanFunctions *vk;

  if (device == NULL)
    return;
  vk = ghlo_vulkan_instance_get (NULL)->vk;
  vk->fault = fault_cb;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    for (guint k = 0; k < G_N_ELEMENTS (ways); k++)
      round_with_fault (names[i], ways[k]);
  vk->fault = NULL;
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/imports/blocks", test_blocks);
  g_test_add_func ("/vulkan/imports/others", test_others);
  g_test_add_func ("/vulkan/imports/fork", test_fork);
  g_test_add_func ("/vulkan/imports/cancelled", test_cancelled);
  g_test_add_func ("/vulkan/imports/faults", test_faults);

  return g_test_run ();
}
