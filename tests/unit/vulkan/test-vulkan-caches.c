/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pipelines and measurements of a device are cached on disk: a second process creates no pipeline that the first one
 * created, and measures nothing again. Damaged data and data of another device are replaced.
 *
 * Mesa's lavapipe caches no pipelines. Mesa's RADV does, even without such a card: RADV_FORCE_FAMILY makes it list a
 * device that compiles but runs nothing.
 */

#include "gpu/core.h"
#include "gpu/properties.h"
#include "gpu/self-test.h"
#include "gpu/spirv/probe.h"
#include "runtime/cache.h"
#include "runtime/rates-cache.h"
#include "vulkan/handles.h"
#include "vulkan/pipelines.h"
#include "vulkan/properties.h"
#include "vulkan/queue.h"

#include "compiler/devices.h"
#include "import/import.h"
#include "vulkan/instance.h"

#include <glib/gstdio.h>
#include <string.h>

enum { N_THREADS = 8, N_SHADERS = 3 };

/* The number of calls of vkCreateComputePipelines, and the number of the one that fails, from 1 on; 0 for none. */
static struct
{
  gint n_calls;         /* atomic */
  gint failing;
  gint is_slow;
} pipelines_made;

/* The name of a call that always fails; nullable. */
static const char *failing_call;

static VkResult
fault_cb (const char *name)
{
  gint number;

  if (g_strcmp0 (name, failing_call) == 0)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  if (!g_str_equal (name, "CreateComputePipelines"))
    return VK_SUCCESS;
  number = g_atomic_int_add (&pipelines_made.n_calls, 1) + 1;
  if (pipelines_made.is_slow)
    g_usleep (50000);

  return number == pipelines_made.failing ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS;
}

static void
watch_pipelines (gboolean slow,
                 gint     failing)
{
  ghlo_vulkan_instance_get (NULL)->vk->fault = fault_cb;
  g_atomic_int_set (&pipelines_made.n_calls, 0);
  pipelines_made.is_slow = slow;
  pipelines_made.failing = failing;
  failing_call = NULL;
}

/* The machine's devices, not opened, which are never freed. */
static GPtrArray *
find_devices (void)
{
  static GPtrArray *all;
  GPtrArray *devices = g_ptr_array_new ();

  ghlo_gpu_find_devices (devices);
  if (all == NULL)
    all = g_ptr_array_new ();
  g_ptr_array_extend (all, devices, NULL, NULL);

  return devices;
}

/* The first of them; NULL where there is none, in which case the test is skipped. */
static GhloGpuDevice *
new_device (void)
{
  g_autoptr (GPtrArray) devices = find_devices ();

  if (devices->len > 0)
    return devices->pdata[0];
  g_test_skip ("there is no Vulkan device");

  return NULL;
}

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

static GhloVulkanPipelines *
new_pipelines (GhloGpuDevice *device,
               gboolean       on_disk)
{
  return ghlo_vulkan_pipelines_new (&device->vulkan, on_disk);
}

/* One of N_SHADERS. */
static GBytes *
make_shader (const GhloGpuDevice *device,
             guint                number)
{
  static const GhloElementType types[N_SHADERS] = { GHLO_ELEMENT_TYPE_I32, GHLO_ELEMENT_TYPE_I64,
                                                    GHLO_ELEMENT_TYPE_F32 };
  const guint64 known = (guint64) 1 << GHLO_ELEMENT_TYPE_I32 | (guint64) 1 << GHLO_ELEMENT_TYPE_F32
                        | (guint64) 1 << GHLO_ELEMENT_TYPE_I64;
  g_autoptr (GhloProbe) probe = ghlo_probe_new (types[number], known);
  g_autoptr (GError) error = NULL;
  GBytes *words = ghlo_spirv_emit (probe->kernel, &device->promises,
                                   &(GhloSpirvSchedule) { .workgroup_per_point = FALSE }, &error);

  g_assert_no_error (error);

  return words;
}

/* Replaces a call that fails where there is no card. */
static VkResult VKAPI_CALL
wait_for_nothing (VkDevice device)
{
  return VK_SUCCESS;
}

/* Opens as much of @device as pipelines need: nothing can be run on it. */
static void
open_for_pipelines (GhloGpuDevice *device)
{
  GhloVulkanHandles *handles = device->vulkan.handles;
  const VkDeviceQueueCreateInfo queue = {
    VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = handles->family, .queueCount = 1,
    .pQueuePriorities = (const float[]) { 0 },
  };
  const char *const extensions[] = { VK_EXT_PIPELINE_CREATION_FEEDBACK_EXTENSION_NAME };
  const VkDeviceCreateInfo info = {
    VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &handles->features.core, .queueCreateInfoCount = 1,
    .pQueueCreateInfos = &queue, .enabledExtensionCount = handles->has_feedback ? 1 : 0,
    .ppEnabledExtensionNames = extensions,
  };
  const VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof (GhloSpirvPush) };
  const VkPipelineLayoutCreateInfo of_layout = { VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                 .pushConstantRangeCount = 1, .pPushConstantRanges = &range };
  GhloVulkanFunctions *vk = ghlo_vulkan_instance_get (NULL)->vk;

  vk->DeviceWaitIdle = wait_for_nothing;
  g_assert_cmpint (vk->CreateDevice (handles->physical, &info, NULL, &handles->device), ==, VK_SUCCESS);
  g_assert_cmpint (vk->CreatePipelineLayout (handles->device, &of_layout, NULL, &handles->layout), ==, VK_SUCCESS);
}

/* The device whose name is @wish or whose title begins with @wish. */
static GhloGpuDevice *
choose_device (const char *wish)
{
  g_autoptr (GPtrArray) devices = find_devices ();

  for (guint i = 0; i < devices->len; i++)
    {
      GhloGpuDevice *device = devices->pdata[i];

      if (g_str_equal (device->vulkan.core.names[0], wish) || g_str_has_prefix (device->vulkan.core.title, wish))
        return device;
    }

  return NULL;
}

/* A process that looks for the device GHLO_TEST_DEVICE. */
static void
test_look (void)
{
  g_assert_nonnull (choose_device (g_getenv ("GHLO_TEST_DEVICE")));
}

/* A process that creates all shaders for that device. */
static void
test_make (void)
{
  GhloGpuDevice *device = choose_device (g_getenv ("GHLO_TEST_DEVICE"));
  g_autoptr (GError) error = NULL;
  GhloVulkanPipelineCounts counts;
  GhloVulkanPipelines *pipelines;

  g_assert_nonnull (device);
  open_for_pipelines (device);
  pipelines = ghlo_vulkan_pipelines_new (&device->vulkan, TRUE);
  for (guint i = 0; i < N_SHADERS; i++)
    {
      g_autoptr (GBytes) words = make_shader (device, i);

      g_assert_true (ghlo_vulkan_pipelines_get (pipelines, words, &error) != NULL);
      g_assert_no_error (error);
    }
  ghlo_vulkan_pipelines_count (pipelines, &counts);
  g_print ("made %u, found %u\n", counts.n_made, counts.n_found);
  ghlo_vulkan_pipelines_free (pipelines);
}

/* Runs a process that must create @made pipelines and find all others in the cache. */
static void
run_process (guint made)
{
  g_autofree char *pattern = g_strdup_printf ("*made %u, found %u\n*", made, N_SHADERS - made);

  g_test_trap_subprocess ("/vulkan/caches/subprocess/make", 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout (pattern);
}

static guint
count_files (void)
{
  g_autoptr (GPtrArray) files = ghlo_cache_list (NULL);

  return files->len;
}

/* Makes the contents of all files look like another driver's by changing the identifier in the header of pipeline
 * caches, which follows four words and is a part of the key as well. */
static void
change_drivers (void)
{
  static const guint32 header[2] = { 32, VK_PIPELINE_CACHE_HEADER_VERSION_ONE };
  g_autoptr (GPtrArray) files = ghlo_cache_list (NULL);

  for (guint i = 0; i < files->len; i++)
    {
      const char *name = ((const GhloCacheFile *) files->pdata[i])->name;
      g_autoptr (GBytes) file = ghlo_cache_read (name), changed = NULL;
      gsize size, place = 0;
      guint8 *data = g_bytes_unref_to_data (g_steal_pointer (&file), &size);

      while (place + 32 <= size && memcmp (data + place, header, sizeof header) != 0)
        place++;
      g_assert_cmpuint (place + 32, <=, size);
      data[place + 16] ^= 1;
      changed = g_bytes_new_take (data, size);
      ghlo_cache_write (name, changed);
    }
}

/* Whether the driver of the device GHLO_TEST_DEVICE caches pipelines. */
static gboolean
compare_processes (void)
{
  ghlo_cache_clear (NULL);
  run_process (N_SHADERS);
  if (count_files () == 0)
    {
      run_process (N_SHADERS);
      g_test_message ("the driver of %s keeps nothing", g_getenv ("GHLO_TEST_DEVICE"));
      return FALSE;
    }
  g_assert_cmpuint (count_files (), ==, N_SHADERS);
  run_process (0);
  change_drivers ();
  run_process (N_SHADERS);
  run_process (0);

  return TRUE;
}

/* For each device of the machine, and for an emulated card. */
static void
test_processes (void)
{
  g_autoptr (GPtrArray) devices = find_devices ();
  guint n_keeping = 0;

  for (guint i = 0; i < devices->len; i++)
    {
      g_setenv ("GHLO_TEST_DEVICE", ((const GhloDeviceCore *) devices->pdata[i])->names[0], TRUE);
      n_keeping += compare_processes ();
    }
  g_setenv ("GHLO_TEST_DEVICE", "Null hardware", TRUE);
  g_setenv ("RADV_FORCE_FAMILY", "NAVI21", TRUE);
  /* A driver that does not know the family ends the process. */
  g_test_trap_subprocess ("/vulkan/caches/subprocess/look", 0, 0);
  if (g_test_trap_has_passed ())
    n_keeping += compare_processes ();
  g_unsetenv ("RADV_FORCE_FAMILY");
  if (n_keeping == 0)
    g_test_skip ("no Vulkan driver keeps pipelines");
}

typedef struct
{
  GhloVulkanPipelines *pipelines;
  GBytes              *words;
  GhloVulkanPipeline  *pipeline;
  GError              *error;
} Wish;

static gpointer
get_pipeline (gpointer data)
{
  Wish *self = data;

  self->pipeline = ghlo_vulkan_pipelines_get (self->pipelines, self->words, &self->error);

  return NULL;
}

/* Many threads ask for one pipeline at once. The @failing-th attempt to create it fails, or none where @failing is
 * 0. */
static void
run_threads (GhloGpuDevice *device,
             gint           failing)
{
  g_autoptr (GBytes) words = make_shader (device, 0);
  GhloVulkanPipelines *pipelines = new_pipelines (device, FALSE);
  GhloVulkanPipelineCounts counts;
  GThread *threads[N_THREADS];
  Wish wishes[N_THREADS];
  GhloVulkanPipeline *pipeline;
  gint n_failures = 0;

  watch_pipelines (TRUE, failing);
  for (guint i = 0; i < N_THREADS; i++)
    {
      wishes[i] = (Wish) { pipelines, words, NULL, NULL };
      threads[i] = g_thread_new ("pipeline", get_pipeline, &wishes[i]);
    }
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  pipeline = ghlo_vulkan_pipelines_get (pipelines, words, NULL);
  for (guint i = 0; i < N_THREADS; i++)
    {
      g_assert_true (wishes[i].pipeline == (wishes[i].error == NULL ? pipeline : NULL));
      n_failures += wishes[i].error != NULL;
      g_clear_error (&wishes[i].error);
    }
  ghlo_vulkan_pipelines_count (pipelines, &counts);
  g_assert_cmpuint (counts.n_made, ==, 1);
  g_assert_cmpint (n_failures, ==, failing);
  g_assert_cmpint (g_atomic_int_get (&pipelines_made.n_calls), ==, 1 + failing);
  ghlo_vulkan_pipelines_free (pipelines);
}

static void
test_threads (void)
{
  GhloGpuDevice *device = open_new_device ();

  if (device == NULL)
    return;
  run_threads (device, 0);
  run_threads (device, 1);
}

/* A pipeline is created even if the cache fails. */
static void
test_failures (void)
{
  static const char *const calls[] = { "CreatePipelineCache", "GetPipelineCacheData", NULL };
  GhloGpuDevice *device = open_new_device ();

  if (device == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      GhloVulkanPipelines *pipelines = new_pipelines (device, TRUE);
      g_autoptr (GBytes) words = make_shader (device, 0);
      g_autoptr (GError) error = NULL;

      watch_pipelines (FALSE, 0);
      failing_call = calls[i];
      g_assert_true (ghlo_vulkan_pipelines_get (pipelines, words, &error) != NULL);
      g_assert_no_error (error);
      failing_call = NULL;
      ghlo_vulkan_pipelines_free (pipelines);
    }
}

/* Opens a new device and returns the number of pipelines that this created. */
static gint
count_probes (GhloSpirvDevice *measured)
{
  GhloGpuDevice *device;

  watch_pipelines (FALSE, 0);
  device = open_new_device ();
  *measured = device->measured;

  return g_atomic_int_get (&pipelines_made.n_calls);
}

static void
test_measured (void)
{
  GhloGpuDevice *device = new_device ();
  GhloSpirvDevice first, second, recalled;
  gint n_probes;

  if (device == NULL)
    return;
  ghlo_cache_clear (NULL);
  g_assert_false (ghlo_gpu_recall (device, &recalled));
  n_probes = count_probes (&first);
  g_assert_cmpint (n_probes, >, 4);
  g_assert_cmpuint (count_files (), ==, 1);
  g_assert_true (ghlo_gpu_recall (device, &recalled));
  g_assert_cmpmem (&recalled, sizeof recalled, &first, sizeof first);
  g_assert_cmpint (count_probes (&second), ==, 0);
  g_assert_cmpmem (&second, sizeof second, &first, sizeof first);
  /* Nothing is remembered where the cache is switched off. */
  g_setenv ("GHLO_CACHE", "off", TRUE);
  g_assert_cmpint (count_probes (&second), ==, n_probes);
  g_assert_false (ghlo_gpu_recall (device, &recalled));
  g_unsetenv ("GHLO_CACHE");
  /* Nothing is known about a device with other features enabled. */
  g_assert_true (ghlo_gpu_recall (device, &recalled));
  device->vulkan.types ^= (guint64) 1 << GHLO_ELEMENT_TYPE_I8;
  g_assert_false (ghlo_gpu_recall (device, &recalled));
}

/* A cancelled opening leaves nothing behind, not even on disk. */
static void
test_cancelled (void)
{
  GhloGpuDevice *device = new_device ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GError) error = NULL;

  if (device == NULL)
    return;
  ghlo_cache_clear (NULL);
  g_cancellable_cancel (cancellable);
  g_assert_false (ghlo_gpu_device_open (device, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_false (ghlo_vulkan_device_is_open (&device->vulkan));
  g_assert_cmpuint (count_files (), ==, 0);
  g_clear_error (&error);
  g_assert_true (ghlo_gpu_device_open (device, NULL, &error));
  g_assert_no_error (error);
}

/* The last byte of the file belongs to the last set of types. */
static void
test_damaged (void)
{
  GhloGpuDevice *device = new_device ();
  g_autoptr (GPtrArray) files = NULL;
  g_autoptr (GBytes) file = NULL, changed = NULL;
  GhloSpirvDevice first, second;
  gint n_probes;
  guint8 *data;
  gsize size;

  if (device == NULL)
    return;
  ghlo_cache_clear (NULL);
  n_probes = count_probes (&first);
  files = ghlo_cache_list (NULL);
  file = ghlo_cache_read (((const GhloCacheFile *) files->pdata[0])->name);
  data = g_bytes_unref_to_data (g_steal_pointer (&file), &size);
  data[size - 1] ^= 0x80;
  changed = g_bytes_new_take (data, size);
  ghlo_cache_write (((const GhloCacheFile *) files->pdata[0])->name, changed);
  g_assert_cmpint (count_probes (&second), ==, n_probes);
  g_assert_cmpmem (&second, sizeof second, &first, sizeof first);
  g_assert_cmpint (count_probes (&second), ==, 0);
}

/* A device that computes all of @types exactly. */
static GhloSpirvDevice
exact_device (guint64                types,
              const GhloSpirvFloats *promises)
{
  GhloSpirvDevice device = { .floats = *promises, .types = types };

  for (guint i = 0; i < 2; i++)
    device.floats.fuses[i] = device.floats.rounds[i] = device.floats.takes_roots[i] = TRUE;
  device.floats.shortens_quotients = device.floats.folds_exactly = TRUE;
  for (guint kind = 0; kind < GHLO_N_NODES; kind++)
    device.exact[kind] = device.nearly[kind] = types;

  return device;
}

static void
test_plausible (void)
{
  const guint64 all = ghlo_node_all_types (), f64 = (guint64) 1 << GHLO_ELEMENT_TYPE_F64;
  const GhloSpirvFloats promises = { .rounds_to_even = { TRUE, FALSE } };
  const GhloSpirvDevice good = exact_device (all, &promises);
  GhloSpirvDevice device = good;

  g_assert_true (ghlo_spirv_device_is_plausible (&device, all, &promises));
  g_assert_false (ghlo_spirv_device_is_plausible (&device, all & ~f64, &promises));
  device.floats.rounds_to_even[1] = TRUE;
  g_assert_false (ghlo_spirv_device_is_plausible (&device, all, &promises));
  device = good;
  device.floats.fuses[1] = 2;
  g_assert_false (ghlo_spirv_device_is_plausible (&device, all, &promises));
  device = good;
  device.floats.shortens_quotients = 2;
  g_assert_false (ghlo_spirv_device_is_plausible (&device, all, &promises));
  device = good;
  device.nearly[GHLO_NODE_ADD] &= ~f64;
  g_assert_false (ghlo_spirv_device_is_plausible (&device, all, &promises));
  device.exact[GHLO_NODE_ADD] &= ~f64;
  g_assert_true (ghlo_spirv_device_is_plausible (&device, all, &promises));
  device.nearly[GHLO_NODE_ADD] = device.exact[GHLO_NODE_ADD] = G_MAXUINT64;
  g_assert_false (ghlo_spirv_device_is_plausible (&device, all, &promises));
}

static char *
join_fact (GArray     *properties,
           const char *name)
{
  for (guint i = 0; i < properties->len; i++)
    {
      const GhloDeviceProperty *property = &g_array_index (properties, GhloDeviceProperty, i);

      if (g_str_equal (property->name, name))
        return g_strjoinv (", ", property->words);
    }

  return NULL;
}

static void
assert_numbers (const GhloSpirvDevice *measured,
                const char            *flushes,
                const char            *composes,
                const char            *leaves)
{
  const GhloDeviceCoreClass klass = { 0 };
  g_autoptr (GArray) properties = ghlo_device_core_list_properties (&(GhloDeviceCore) { .klass = &klass });
  g_autofree char *flushed = NULL, *composed = NULL, *left = NULL;

  ghlo_gpu_add_numbers (measured, properties);
  flushed = join_fact (properties, "flushes");
  composed = join_fact (properties, "composes");
  left = join_fact (properties, "leaves_to_cpu");
  g_assert_cmpstr (flushed, ==, flushes);
  g_assert_cmpstr (composed, ==, composes);
  g_assert_cmpstr (left, ==, leaves);
}

static void
test_numbers (void)
{
  const guint64 all = ghlo_node_all_types (), f32 = (guint64) 1 << GHLO_ELEMENT_TYPE_F32;
  GhloSpirvDevice device = exact_device (all, &(GhloSpirvFloats) { .rounds_to_even = { TRUE, TRUE } });

  assert_numbers (&device, "", "", "");
  device.exact[GHLO_NODE_ADD] &= ~f32;
  device.floats.fuses[0] = device.floats.rounds[1] = FALSE;
  assert_numbers (&device, "subnormal f32", "fma f32, rounding f64", "");
  device.floats.takes_roots[1] = FALSE;
  assert_numbers (&device, "subnormal f32", "fma f32, rounding f64, sqrt f64", "");
  device.exact[GHLO_NODE_SQRT] &= ~f32;
  device.nearly[GHLO_NODE_SQRT] &= ~f32;
  assert_numbers (&device, "subnormal f32", "fma f32, rounding f64, sqrt f64", "sqrt f32");
  device = exact_device (all & ~((guint64) 1 << GHLO_ELEMENT_TYPE_F64), &(GhloSpirvFloats) { .keeps_nan = { TRUE } });
  assert_numbers (&device, "", "", "all f64");
}

enum { N_PIPELINES = 24 };

/* A program that needs that many pipelines. */
static GhloIrModule *
make_program (void)
{
  static const char *const types[] = { "i8", "i16", "i32", "i64", "ui32", "f32" };
  static const char *const ops[] = { "add", "multiply", "divide", "maximum" };
  g_autoptr (GString) text = g_string_new ("func.func @main() {\n");
  g_autoptr (GhloDiagnostics) diagnostics = NULL;
  g_autoptr (GBytes) bytes = NULL;
  GhloIrModule *module;

  G_STATIC_ASSERT (G_N_ELEMENTS (types) * G_N_ELEMENTS (ops) == N_PIPELINES);
  for (guint i = 0; i < N_PIPELINES; i++)
    {
      const char *type = types[i % G_N_ELEMENTS (types)], *op = ops[i / G_N_ELEMENTS (types)];

      g_string_append_printf (text, "  %%x%u = stablehlo.iota dim = 0 : tensor<4x%s>\n"
                              "  %%y%u = stablehlo.%s %%x%u, %%x%u : tensor<4x%s>\n"
                              "  check.expect_eq %%y%u, %%y%u : tensor<4x%s>\n",
                              i, type, i, op, i, i, type, i, i, type);
    }
  g_string_append (text, "  return\n}\n");
  diagnostics = ghlo_diagnostics_new ("test", text->str, text->len);
  bytes = g_bytes_new (text->str, text->len);
  module = ghlo_import (bytes, GHLO_IMPORT_DEFAULT, diagnostics, NULL, NULL);
  if (module == NULL)
    g_error ("%s", ((const GhloFinding *) diagnostics->findings->pdata[0])->message);

  return module;
}

typedef struct
{
  double last;
  guint  n_steps;
} Progress;

static void
progress_cb (gpointer    data,
             double      fraction,
             const char *detail)
{
  Progress *self = data;

  g_assert_cmpfloat (fraction, <=, 1);
  self->n_steps += fraction > self->last;
  self->last = MAX (self->last, fraction);
}

/* Compiles the program of many pipelines for @device and returns the number of progress reports. */
static guint
count_progress (GhloGpuDevice *device)
{
  g_autoptr (GhloIrModule) module = make_program ();
  g_autoptr (GhloPrepared) prepared = NULL;
  g_autoptr (GError) error = NULL;
  Progress progress = { 0 };
  const GhloMonitor monitor = { .progress = progress_cb, .progress_data = &progress };

  watch_pipelines (FALSE, 0);
  prepared = ghlo_devices_prepare (&device->vulkan.core, module, ghlo_ir_module_get_entry (module), &monitor, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_atomic_int_get (&pipelines_made.n_calls), >=, N_PIPELINES);

  return progress.n_steps;
}

/* Progress of a compile that opens and measures the device, and of one that creates pipelines only. */
static void
test_progress (void)
{
  GhloGpuDevice *device = new_device ();

  if (device == NULL)
    return;
  ghlo_cache_clear (NULL);
  g_assert_cmpuint (count_progress (device), >=, 6 + N_PIPELINES / 8);
  device = open_new_device ();
  g_assert_cmpuint (count_progress (device), >=, N_PIPELINES / 8);
}

/* The properties about a device that is not open, which querying does not open. */
static void
test_facts (void)
{
  GhloGpuDevice *device = new_device ();
  g_autoptr (GArray) properties = NULL, known = NULL;
  GhloSpirvDevice measured;

  if (device == NULL)
    return;
  ghlo_cache_clear (NULL);
  properties = ghlo_device_core_list_properties (&device->vulkan.core);
  g_assert_cmpuint (properties->len, >=, 4);
  for (guint i = 0; i < properties->len; i++)
    {
      const GhloDeviceProperty *property = &g_array_index (properties, GhloDeviceProperty, i);

      g_assert_cmpuint (strlen (property->label), <=, 10);
      g_assert_true (property->words != NULL ? property->words[0] != NULL : property->number > 0);
    }
  g_assert_false (ghlo_vulkan_device_is_open (&device->vulkan));
  count_probes (&measured);
  known = ghlo_device_core_list_properties (&device->vulkan.core);
  g_assert_cmpuint (known->len, ==, properties->len + 3);
  g_assert_false (ghlo_vulkan_device_is_open (&device->vulkan));
}

/* The rates are those of the device's type until rates are measured; a software device has none. Only real GPUs are
 * chosen automatically. */
static void
test_rates (void)
{
  static const VkPhysicalDeviceType types[] = {
    VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU,
    VK_PHYSICAL_DEVICE_TYPE_CPU, VK_PHYSICAL_DEVICE_TYPE_OTHER,
  };
  GhloGpuDevice *found = new_device ();

  if (found == NULL)
    return;
  ghlo_cache_clear (NULL);
  g_assert_true (found->vulkan.core.is_gpu != (found->vulkan.handles->type == VK_PHYSICAL_DEVICE_TYPE_CPU));
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      GhloVulkanDevice device = found->vulkan;
      GhloVulkanHandles handles = *device.handles;
      gboolean is_gpu = i < 3;
      GBytes *identity = found->vulkan.core.identity;
      GhloDeviceRates measured = { .bytes = 1e9, .products = { 1e9 }, .scalars = 1e9 };
      const GhloDeviceRates *rates;

      device.rates = (GhloDeviceRates) { 0 };
      device.core.is_gpu = FALSE;
      device.handles = &handles;
      handles.type = types[i];
      ghlo_vulkan_rates_init (&device);
      rates = device.core.rates;
      g_assert_true (device.core.is_gpu == is_gpu && (rates != NULL) == is_gpu);
      for (guint k = 0; is_gpu && k < GHLO_RATES_N_FIELDS; k++)
        g_assert_cmpfloat (ghlo_rates_get (rates, k), >, 0);

      /* The same whatever is measured. */
      ghlo_rates_keep (identity, "device", &measured);
      ghlo_vulkan_rates_init (&device);
      g_assert_true (device.core.is_gpu == is_gpu);
      g_assert_cmpmem (device.core.rates, sizeof measured, &measured, sizeof measured);
      ghlo_cache_clear (NULL);
    }
}

int
main (int    argc,
      char **argv)
{
  g_autofree char *folder = NULL, *inner = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  g_unsetenv ("GHLO_CACHE");
  if (!g_test_subprocess ())
    {
      folder = g_dir_make_tmp ("ghlo-test-XXXXXX", NULL);
      inner = g_build_filename (folder, "ghlo-1.0", NULL);
      g_setenv ("XDG_CACHE_HOME", folder, TRUE);
    }
  g_test_add_func ("/vulkan/caches/subprocess/look", test_look);
  g_test_add_func ("/vulkan/caches/subprocess/make", test_make);
  g_test_add_func ("/vulkan/caches/processes", test_processes);
  g_test_add_func ("/vulkan/caches/threads", test_threads);
  g_test_add_func ("/vulkan/caches/failures", test_failures);
  g_test_add_func ("/vulkan/caches/measured", test_measured);
  g_test_add_func ("/vulkan/caches/cancelled", test_cancelled);
  g_test_add_func ("/vulkan/caches/damaged", test_damaged);
  g_test_add_func ("/vulkan/caches/plausible", test_plausible);
  g_test_add_func ("/vulkan/caches/numbers", test_numbers);
  g_test_add_func ("/vulkan/caches/progress", test_progress);
  g_test_add_func ("/vulkan/caches/properties", test_facts);
  g_test_add_func ("/vulkan/caches/rates", test_rates);
  status = g_test_run ();
  if (folder != NULL)
    {
      ghlo_cache_clear (NULL);
      g_rmdir (inner);
      g_rmdir (folder);
    }

  return status;
}
