/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Failing Vulkan calls: each function fails when a device is opened, when a program is compiled for it and when the
 * program runs, in each of the ways in which drivers fail. The program either fails with the corresponding error or
 * runs all the same, nothing is leaked, and the next run is unaffected.
 */

#include "vulkan-program.h"

#include "base/ghlo-error.h"
#include "execute/profile.h"
#include "gpu/core.h"
#include "runtime/cache.h"
#include "vulkan/handles.h"
#include "vulkan/memory.h"

#include <glib/gstdio.h>
#include <string.h>

static const VkResult ways[] = {
  VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST,
};

/* Steps of the device and of the CPU, and transfers between them. */
static const char steps[] =
  "func.func @main() -> tensor<64xf32> {\n"
  "  %i = stablehlo.iota dim = 0 : tensor<64x64xf32>\n"
  "  %one = stablehlo.constant dense<1.0> : tensor<64x64xf32>\n"
  "  %x = stablehlo.add %i, %one : tensor<64x64xf32>\n"
  "  %p = stablehlo.dot_general %x, %one, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) "
  "-> tensor<64x64xf32>\n"
  "  %q = stablehlo.subtract %p, %x : tensor<64x64xf32>\n"
  "  %r = stablehlo.iota dim = 0 : tensor<64x64xi32>\n"
  "  %c = stablehlo.iota dim = 1 : tensor<64x64xi32>\n"
  "  %d = stablehlo.compare EQ, %r, %c : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi1>\n"
  "  %u = stablehlo.convert %d : (tensor<64x64xi1>) -> tensor<64x64xf32>\n"
  "  %wu = stablehlo.convert %u : (tensor<64x64xf32>) -> tensor<64x64xf64>\n"
  "  %wq = stablehlo.convert %q : (tensor<64x64xf32>) -> tensor<64x64xf64>\n"
  "  %wt = \"stablehlo.triangular_solve\"(%wu, %wq) {left_side = true, lower = true, unit_diagonal = false, "
  "transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<64x64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>\n"
  "  %t = stablehlo.convert %wt : (tensor<64x64xf64>) -> tensor<64x64xf32>\n"
  "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
  "  %s = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, "
  "tensor<f32>) -> tensor<64xf32>\n"
  "  %j = stablehlo.iota dim = 0 : tensor<64xf32>\n"
  "  %k = stablehlo.constant dense<4032.0> : tensor<64xf32>\n"
  "  %jk = stablehlo.multiply %j, %k : tensor<64xf32>\n"
  "  %e = stablehlo.add %jk, %k : tensor<64xf32>\n"
  "  stablehlo.custom_call @check.expect_eq(%s, %e) {has_side_effect = true} : (tensor<64xf32>, tensor<64xf32>) -> ()\n"
  "  return %s : tensor<64xf32>\n"
  "}\n";

/* A loop that the device iterates by itself, and nothing else. */
static const char loop[] =
  "func.func @main() -> tensor<64xf32> {\n"
  "  %x = stablehlo.iota dim = 0 : tensor<64xf32>\n"
  "  %r = stablehlo.while(%v = %x) : tensor<64xf32>\n"
  "  cond {\n"
  "    %at = stablehlo.slice %v [0:1] : (tensor<64xf32>) -> tensor<1xf32>\n"
  "    %first = stablehlo.reshape %at : (tensor<1xf32>) -> tensor<f32>\n"
  "    %most = stablehlo.constant dense<40.0> : tensor<f32>\n"
  "    %c = stablehlo.compare LT, %first, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %one = stablehlo.constant dense<1.0> : tensor<64xf32>\n"
  "    %next = stablehlo.add %v, %one : tensor<64xf32>\n"
  "    stablehlo.return %next : tensor<64xf32>\n"
  "  }\n"
  "  return %r : tensor<64xf32>\n"
  "}\n";

static const char *program = steps;

/* The call that is to fail: the first of @name, which is then reset to NULL. */
static struct
{
  const char *name;
  VkResult    result;
  GHashTable *seen;     /* names of the calls that were made; nullable */
} fault;

static VkResult
fault_cb (const char *name)
{
  if (fault.seen != NULL)
    g_hash_table_add (fault.seen, (gpointer) name);
  if (g_strcmp0 (fault.name, name) != 0)
    return VK_SUCCESS;
  fault.name = NULL;

  return fault.result;
}

static GhloVulkanFunctions *
functions (void)
{
  const GhloVulkanInstance *instance = ghlo_vulkan_instance_get (NULL);

  return instance != NULL ? instance->vk : NULL;
}

/* A copy of the first device, not opened; the test is skipped where there is none. Like all devices it is never
 * freed. */
static GhloGpuDevice *
new_device (void)
{
  static GPtrArray *devices;
  g_autoptr (GPtrArray) found = g_ptr_array_new ();

  ghlo_gpu_find_devices (found);
  if (found->len == 0)
    {
      g_test_skip ("there is no Vulkan device");
      return NULL;
    }
  if (devices == NULL)
    devices = g_ptr_array_new ();
  g_ptr_array_extend (devices, found, NULL, NULL);

  return found->pdata[0];
}

/* Runs the program as it is and profiled. */
static gboolean
run_program (GhloGpuDevice  *device,
             GError        **error)
{
  g_autoptr (GhloPrepared) prepared = vulkan_program_prepare (&device->vulkan.core, program, error);
  GhloRunProfile *profile = ghlo_run_profile_new ();
  const GhloRunOptions measured = { .profile = profile };
  gboolean ok = prepared != NULL;

  for (guint i = 0; ok && i < 2; i++)
    {
      GhloValue *outputs[1] = { NULL };

      ok = ghlo_prepared_run (prepared, i == 1 ? &measured : NULL, NULL, 0, outputs, NULL, error);
      if (ok)
        ghlo_value_unref (outputs[0]);
    }
  ghlo_run_profile_free (profile);

  return ok;
}

/* A device that is lost here is not lost to its driver, which carries on. */
static void
assert_nothing_left (GhloGpuDevice *device)
{
  GhloVulkanMemoryStatistics statistics;

  device->vulkan.handles->vk->DeviceWaitIdle (device->vulkan.handles->device);
  ghlo_vulkan_memory_measure (device->vulkan.memory, &statistics);
  g_assert_cmpuint (statistics.used[GHLO_VULKAN_LOCAL], ==, 0);
  g_assert_cmpuint (statistics.used[GHLO_VULKAN_READBACK], ==, 0);
  g_assert_cmpuint (statistics.used[GHLO_VULKAN_UPLOAD], ==, 0);
  ghlo_vulkan_memory_trim (device->vulkan.memory);
}

static void
assert_error (const GError *error,
              VkResult      result,
              const char   *name)
{
  GhloError code = result == VK_ERROR_DEVICE_LOST ? GHLO_ERROR_DEVICE_LOST : GHLO_ERROR_OUT_OF_MEMORY;

  if (!g_error_matches (error, GHLO_ERROR, (gint) code))
    g_error ("%s in vk%s: %s", ghlo_vulkan_result_name (result), name, error->message);
}

/* Commands that cannot be submitted may belong to several programs: the device is given up. */
static void
assert_may_lose (VkResult    result,
                 const char *name)
{
  if (result != VK_ERROR_DEVICE_LOST && !g_str_equal (name, "EndCommandBuffer") && !g_str_equal (name, "QueueSubmit"))
    g_error ("%s in vk%s loses the device", ghlo_vulkan_result_name (result), name);
}

/* Records the names of calls from here on, until they are taken. */
static void
watch_calls (void)
{
  functions ()->fault = fault_cb;
  fault.seen = g_hash_table_new (g_str_hash, g_str_equal);
}

static GHashTable *
take_calls (void)
{
  return g_steal_pointer (&fault.seen);
}

static void
set_fault (const char *name,
           VkResult    result)
{
  fault.name = name;
  fault.result = result;
}

/* The disk cache is empty, so that the device is measured. */
static void
open_with_fault (const char *name,
                 VkResult    result)
{
  GhloGpuDevice *device = new_device ();
  g_autoptr (GError) error = NULL;

  ghlo_cache_clear (NULL);
  set_fault (name, result);
  if (!ghlo_gpu_device_open (device, NULL, &error))
    assert_error (error, result, name);
  g_assert_null (fault.name);
  g_clear_error (&error);
  if (ghlo_device_core_is_lost (&device->vulkan.core))
    {
      assert_may_lose (result, name);
      device = new_device ();
    }
  g_assert_true (ghlo_gpu_device_open (device, NULL, &error));
  g_assert_no_error (error);
  assert_nothing_left (device);
}

static void
test_open (void)
{
  GhloGpuDevice *device = new_device ();
  g_autoptr (GHashTable) calls = NULL;
  g_autoptr (GError) error = NULL;
  GHashTableIter iter;
  gpointer name;

  if (device == NULL)
    return;
  ghlo_cache_clear (NULL);
  watch_calls ();
  g_assert_true (ghlo_gpu_device_open (device, NULL, &error));
  g_assert_no_error (error);
  calls = take_calls ();
  g_assert_cmpuint (g_hash_table_size (calls), >=, 15);
  g_hash_table_iter_init (&iter, calls);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
      open_with_fault (name, ways[i]);
}

/* An open device without pipelines. */
static GhloGpuDevice *
open_new_device (void)
{
  GhloGpuDevice *device = new_device ();
  g_autoptr (GError) error = NULL;

  if (device == NULL)
    return NULL;
  g_assert_true (ghlo_gpu_device_open (device, NULL, &error));
  g_assert_no_error (error);

  return device;
}

static void
compile_with_fault (const char *name,
                    VkResult    result)
{
  GhloGpuDevice *device = open_new_device ();
  g_autoptr (GError) error = NULL, again = NULL;

  set_fault (name, result);
  if (!run_program (device, &error))
    {
      assert_error (error, result, name);
      /* The disk cache is optional. */
      g_assert_null (strstr (name, "Cache"));
    }
  if (fault.name != NULL)
    g_error ("vk%s was not called", name);
  if (ghlo_device_core_is_lost (&device->vulkan.core))
    {
      assert_may_lose (result, name);
      return;
    }
  g_assert_true (run_program (device, &again));
  g_assert_no_error (again);
  assert_nothing_left (device);
}

static void
test_compile (void)
{
  GhloGpuDevice *device = open_new_device ();
  g_autoptr (GHashTable) calls = NULL;
  g_autoptr (GError) error = NULL;
  GHashTableIter iter;
  gpointer name;

  if (device == NULL)
    return;
  watch_calls ();
  g_assert_true (run_program (device, &error));
  g_assert_no_error (error);
  calls = take_calls ();
  g_assert_true (g_hash_table_contains (calls, "CreatePipelineCache"));
  g_assert_true (g_hash_table_contains (calls, "GetPipelineCacheData"));
  g_hash_table_iter_init (&iter, calls);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
      compile_with_fault (name, ways[i]);
}

static void
run_with_fault (const char *name,
                VkResult    result)
{
  GhloGpuDevice *device = vulkan_program_device ();
  g_autoptr (GError) error = NULL, again = NULL;

  g_assert_true (run_program (device, &error));
  g_assert_no_error (error);
  assert_nothing_left (device);
  set_fault (name, result);
  if (!run_program (device, &error))
    assert_error (error, result, name);
  if (fault.name != NULL)
    g_error ("vk%s was not called", name);
  if (ghlo_device_core_is_lost (&device->vulkan.core))
    {
      assert_may_lose (result, name);
      /* The device stays lost, and another takes its place. */
      g_assert_false (run_program (device, &again));
      g_assert_error (again, GHLO_ERROR, GHLO_ERROR_DEVICE_LOST);
      g_assert_true (vulkan_program_device () != device);
      g_clear_error (&again);
    }
  assert_nothing_left (device);
  g_assert_true (run_program (vulkan_program_device (), &again));
  g_assert_no_error (again);
  assert_nothing_left (vulkan_program_device ());
}

static void
try_run (void)
{
  GhloGpuDevice *device = vulkan_program_device ();
  g_autoptr (GHashTable) calls = NULL;
  g_autoptr (GError) error = NULL;
  GHashTableIter iter;
  gpointer name;

  if (device == NULL)
    return;
  g_assert_true (run_program (device, &error));
  g_assert_no_error (error);
  assert_nothing_left (device);
  watch_calls ();
  g_assert_true (run_program (device, &error));
  g_assert_no_error (error);
  calls = take_calls ();
  g_assert_cmpuint (g_hash_table_size (calls), >=, 5);
  g_hash_table_iter_init (&iter, calls);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
      run_with_fault (name, ways[i]);
}

static void
test_run (void)
{
  program = steps;
  try_run ();
}

static void
test_loop (void)
{
  program = loop;
  try_run ();
}

/* Handles of objects that were not created, as drivers may leave them. */
static VKAPI_ATTR VkResult VKAPI_CALL
create_no_buffer (VkDevice                     device,
                  const VkBufferCreateInfo    *info,
                  const VkAllocationCallbacks *allocator,
                  VkBuffer                    *buffer)
{
  memset (buffer, 0xa5, sizeof (*buffer));

  return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static VKAPI_ATTR VkResult VKAPI_CALL
allocate_no_memory (VkDevice                     device,
                    const VkMemoryAllocateInfo  *info,
                    const VkAllocationCallbacks *allocator,
                    VkDeviceMemory              *memory)
{
  memset (memory, 0xa5, sizeof (*memory));

  return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static void
test_handles (void)
{
  GhloGpuDevice *device = open_new_device ();
  GhloVulkanFunctions *vk = functions ();
  const GhloVulkanFunctions kept = vk != NULL ? *vk : (GhloVulkanFunctions) { 0 };

  if (device == NULL)
    return;
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;

      ghlo_vulkan_memory_trim (device->vulkan.memory);
      if (i == 0)
        vk->CreateBuffer = create_no_buffer;
      else
        vk->AllocateMemory = allocate_no_memory;
      g_assert_cmpuint (ghlo_vulkan_memory_alloc (device->vulkan.memory, GHLO_VULKAN_LOCAL, 1 << 26, &error), ==, 0);
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
      *vk = kept;
    }
  assert_nothing_left (device);
}

int
main (int    argc,
      char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("ghlo-test-XXXXXX", NULL);
  g_autofree char *inner = g_build_filename (folder, "ghlo-1.0", NULL);
  int status;

  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_unsetenv ("GHLO_CACHE");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/faults/open", test_open);
  g_test_add_func ("/vulkan/faults/compile", test_compile);
  g_test_add_func ("/vulkan/faults/run", test_run);
  g_test_add_func ("/vulkan/faults/loop", test_loop);
  g_test_add_func ("/vulkan/faults/handles", test_handles);
  status = g_test_run ();
  ghlo_cache_clear (NULL);
  g_rmdir (inner);
  g_rmdir (folder);

  return status;
}
