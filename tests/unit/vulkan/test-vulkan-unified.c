/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where a device and the host share memory, inputs, outputs and values passed between their steps are not copied. They
 * are copied where memory is separate, or where GHLO_DISABLE contains unified-memory, as in this test's second run.
 */

#include "vulkan-program.h"

#include <string.h>

#include "base/debug.h"
#include "base/ghlo-error.h"
#include "compiler/devices.h"
#include "runtime/memory.h"
#include "runtime/place.h"
#include "vulkan/handles.h"
#include "vulkan/memory.h"
#include "vulkan/queue.h"

/* The elements of a tensor that lies in a block of the pool that may be imported, 4 MiB. */
enum { N = 1 << 20 };

#define PROGRAM(body) \
  "func.func @main(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {\n" body \
  "  return %0 : tensor<1048576xf32>\n}\n"

static const char add[] = PROGRAM ("  %0 = stablehlo.add %x, %x : tensor<1048576xf32>\n");

/* The output is an input. */
static const char same[] = PROGRAM ("  %0 = stablehlo.optimization_barrier %x : tensor<1048576xf32>\n");

/* The CPU solves and the device does the rest, by turns: each one's results are the other's operands, whole, in part
 * and transposed, and memory that was read once is overwritten. */
static const char turns[] =
  "func.func @main(%a: tensor<64x64xf64>, %b: tensor<64x64xf64>) -> (tensor<64x64xf64>, tensor<64x64xf64>) {\n"
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
  "  %n = stablehlo.constant dense<5> : tensor<i32>\n"
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
  "  %half = stablehlo.constant dense<0.5> : tensor<64x64xf64>\n"
  "  %r:2 = stablehlo.while(%i = %zero, %y = %b) : tensor<i32>, tensor<64x64xf64>\n"
  "  cond {\n"
  "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %j = stablehlo.add %i, %one : tensor<i32>\n"
  "    %s = \"stablehlo.triangular_solve\"(%a, %y) {left_side = true, lower = true, unit_diagonal = false, "
  "transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<64x64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>\n"
  "    %t = stablehlo.transpose %s, dims = [1, 0] : (tensor<64x64xf64>) -> tensor<64x64xf64>\n"
  "    %u = stablehlo.multiply %t, %half : tensor<64x64xf64>\n"
  "    %v = stablehlo.add %u, %y : tensor<64x64xf64>\n"
  "    stablehlo.return %j, %v : tensor<i32>, tensor<64x64xf64>\n"
  "  }\n"
  "  %p = stablehlo.slice %r#1 [16:48, 0:64] : (tensor<64x64xf64>) -> tensor<32x64xf64>\n"
  "  %q = stablehlo.concatenate %p, %p, dim = 0 : (tensor<32x64xf64>, tensor<32x64xf64>) -> tensor<64x64xf64>\n"
  "  %w = \"stablehlo.triangular_solve\"(%a, %q) {left_side = true, lower = true, unit_diagonal = false, "
  "transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<64x64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>\n"
  "  %z = stablehlo.subtract %w, %r#1 : tensor<64x64xf64>\n"
  "  return %w, %z : tensor<64x64xf64>, tensor<64x64xf64>\n"
  "}\n";

/* The driver's own functions, which are replaced by counting ones. */
static PFN_vkCmdCopyBuffer copy_buffer;
static PFN_vkQueueSubmit submit;
static guint n_copies, n_submissions;

static VKAPI_ATTR void VKAPI_CALL
count_copy (VkCommandBuffer     commands,
            VkBuffer            from,
            VkBuffer            to,
            uint32_t            n,
            const VkBufferCopy *regions)
{
  n_copies += n;
  copy_buffer (commands, from, to, n, regions);
}

static VKAPI_ATTR VkResult VKAPI_CALL
count_submission (VkQueue             queue,
                  uint32_t            n,
                  const VkSubmitInfo *infos,
                  VkFence             fence)
{
  n_submissions++;

  return submit (queue, n, infos, fence);
}

/* An open device, with the counts reset. */
static GhloGpuDevice *
begin (void)
{
  GhloGpuDevice *device = vulkan_program_open ();
  GhloVulkanFunctions *vk;

  if (device == NULL)
    return NULL;
  if (ghlo_debug_disables ("unified-memory"))
    g_assert_false (ghlo_vulkan_device_is_unified (&device->vulkan));
  vk = ghlo_vulkan_instance_get (NULL)->vk;
  if (copy_buffer == NULL)
    {
      copy_buffer = vk->CmdCopyBuffer;
      submit = vk->QueueSubmit;
    }
  vk->CmdCopyBuffer = count_copy;
  vk->QueueSubmit = count_submission;
  n_copies = n_submissions = 0;

  return device;
}

/* The same, where memory is unified. */
static GhloGpuDevice *
begin_unified (void)
{
  GhloGpuDevice *device = begin ();

  if (device == NULL || ghlo_vulkan_device_is_unified (&device->vulkan))
    return device;
  g_test_skip ("the device's memory is not the host's");

  return NULL;
}

static void
check_copies (const GhloGpuDevice *device)
{
  if (ghlo_vulkan_device_is_unified (&device->vulkan))
    g_assert_cmpuint (n_copies, ==, 0);
  else
    g_assert_cmpuint (n_copies, >, 0);
}

static GhloValue *
make_value (float first)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F32, (const gint64[]) { N }, 1);
  g_autoptr (GError) error = NULL;
  GhloValue *value = ghlo_value_new_uninitialized (type, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < N; i++)
    ((float *) (gpointer) value->data)[i] = first + (float) (i % 1024);

  return value;
}

/* Checks for the elements of make_value (), each multiplied by @factor. */
static void
check_elements (gconstpointer bytes,
                float         first,
                float         factor)
{
  const float *elements = bytes;

  for (guint i = 0; i < N; i++)
    if (elements[i] != factor * (first + (float) (i % 1024)))
      g_error ("element %u is %g", i, (double) elements[i]);
}

static GhloPrepared *
prepare (GhloGpuDevice *device,
         const char    *text)
{
  g_autoptr (GError) error = NULL;
  GhloPrepared *prepared = vulkan_program_prepare (&device->vulkan.core, text, &error);

  g_assert_no_error (error);

  return prepared;
}

/* Begins a run, which may continue after the return. */
static GhloValue *
start (GhloPrepared          *prepared,
       const GhloRunOptions  *options,
       GhloValue             *input,
       GhloFence            **fence)
{
  g_autoptr (GError) error = NULL;
  GhloValue *output = NULL;

  ghlo_prepared_start (prepared, options, &input, 1, &output, fence, NULL, &error);
  g_assert_no_error (error);

  return output;
}

static GBytes *
read_bytes (GhloValue *value)
{
  g_autoptr (GError) error = NULL;

  ghlo_value_fetch (value, NULL, &error);
  g_assert_no_error (error);

  return ghlo_value_get_bytes (value);
}

static gsize
count_used (GhloGpuDevice *device)
{
  GhloMemoryUse use;

  ghlo_device_core_measure_memory (&device->vulkan.core, &use);

  return use.used;
}

#define LOCAL   VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define VISIBLE (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
#define CACHED  VK_MEMORY_PROPERTY_HOST_CACHED_BIT

/* Heap 0 is device-local and has 8 units; heap 1 has 16 units and is not device-local, except where both are. */
static const struct
{
  const char           *name;
  VkPhysicalDeviceType  type;
  VkMemoryPropertyFlags types[2];       /* of heap 0 and of heap 1 */
  guint64               expected;
} machines[] = {
  { "software", VK_PHYSICAL_DEVICE_TYPE_CPU, { LOCAL | VISIBLE | CACHED, 0 }, 8 },
  { "integrated", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, { LOCAL | VISIBLE | CACHED, 0 }, 8 },
  { "carve-out", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, { LOCAL | VISIBLE, VISIBLE | CACHED }, 16 },
  { "never cached", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, { LOCAL | VISIBLE, VISIBLE }, 0 },
  { "not coherent", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
    { LOCAL | VISIBLE, LOCAL | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | CACHED }, 0 },
  { "card", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, { LOCAL, VISIBLE | CACHED }, 0 },
  { "card with all of it in a window", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, { LOCAL | VISIBLE, VISIBLE | CACHED }, 0 },
  { "card that says more", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, { LOCAL | VISIBLE | CACHED, VISIBLE | CACHED }, 0 },
  { "virtual card", VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, { LOCAL, VISIBLE | CACHED }, 0 },
  { "virtual, integrated", VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, { LOCAL | VISIBLE | CACHED, 0 }, 8 },
  { "virtual, a part of it", VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, { LOCAL | VISIBLE | CACHED, LOCAL }, 0 },
};

#undef LOCAL
#undef VISIBLE
#undef CACHED

static void
test_machines (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (machines); i++)
    {
      const gboolean is_local = (machines[i].types[1] & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
      GhloVulkanHandles handles = {
        .type = machines[i].type,
        .memory_types = {
          .memoryTypeCount = 2, .memoryTypes = { { machines[i].types[0], 0 }, { machines[i].types[1], 1 } },
          .memoryHeapCount = 2,
          .memoryHeaps = { { 8, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT }, { 16, is_local ? VK_MEMORY_HEAP_DEVICE_LOCAL_BIT
                                                                                  : 0 } },
        },
      };
      const GhloVulkanDevice device = { .handles = &handles };

      g_test_message ("%s", machines[i].name);
      g_assert_cmpuint (ghlo_vulkan_memory_find_unified (&device), ==, machines[i].expected);
    }
}

/* An output is read where it lies, and keeps its contents until its last reader is done, whatever runs follow. */
static void
test_outputs (void)
{
  GhloGpuDevice *device = begin ();
  g_autoptr (GhloPrepared) prepared = NULL;
  g_autoptr (GhloValue) input = NULL;
  g_autoptr (GhloFence) fence = NULL;
  g_autoptr (GBytes) bytes = NULL, again = NULL;
  GhloValue *output;
  gsize used;

  if (device == NULL)
    return;
  prepared = prepare (device, add);
  input = make_value (1);
  output = start (prepared, NULL, input, &fence);
  g_assert_true (ghlo_fence_wait (fence, NULL, NULL));
  n_submissions = n_copies = 0;
  bytes = read_bytes (output);
  again = read_bytes (output);
  check_copies (device);
  g_assert_true (g_bytes_get_data (bytes, NULL) == g_bytes_get_data (again, NULL));
  if (ghlo_vulkan_device_is_unified (&device->vulkan))
    {
      g_assert_cmpuint (n_submissions, ==, 0);
      g_assert_true (g_bytes_get_data (bytes, NULL) == output->storage->host);
    }
  ghlo_value_unref (output);
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (GhloValue) other = make_value ((float) i + 5);
      GhloValue *next = NULL;

      vulkan_program_run (prepared, &other, 1, &next);
      ghlo_value_unref (next);
    }
  check_elements (g_bytes_get_data (bytes, NULL), 1, 2);
  device->vulkan.handles->vk->DeviceWaitIdle (device->vulkan.handles->device);
  used = count_used (device);
  g_clear_pointer (&bytes, g_bytes_unref);
  g_assert_cmpuint (count_used (device), ==, used);
  g_clear_pointer (&again, g_bytes_unref);
  if (ghlo_vulkan_device_is_unified (&device->vulkan))
    g_assert_cmpuint (count_used (device), ==, used - N * sizeof (float));
}

/* A carried value is not overwritten while somebody reads it. */
static void
test_carried (void)
{
  enum { RUNS = 5 };
  const guint donated_inputs[] = { 0 };
  const GhloRunOptions options = { .donated_inputs = donated_inputs };
  GhloGpuDevice *device = begin ();
  g_autoptr (GhloPrepared) prepared = NULL;
  GhloValue *state;
  GBytes *seen[RUNS];

  if (device == NULL)
    return;
  prepared = prepare (device, add);
  state = make_value (3);
  for (guint i = 0; i < RUNS; i++)
    {
      g_autoptr (GhloFence) fence = NULL;
      GhloValue *next = start (prepared, &options, state, &fence);

      ghlo_value_unref (state);
      state = next;
      seen[i] = read_bytes (state);
    }
  ghlo_value_unref (state);
  for (guint i = 0; i < RUNS; i++)
    {
      check_elements (g_bytes_get_data (seen[i], NULL), 3, (float) (2 << i));
      g_bytes_unref (seen[i]);
    }
}

/* Waits until the run has released @value, which it does at its end. */
static void
wait_for_own (GhloValue *value)
{
  for (guint i = 0; i < 1000 && !ghlo_value_is_own (value); i++)
    g_usleep (1000);
  g_assert_true (ghlo_value_is_own (value));
}

/* Whether the device reads a copy of @value, and not its own memory. */
static gboolean
is_copied (GhloValue     *value,
           GhloGpuDevice *device)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloValue) placed = ghlo_value_place_read_only (value, &device->vulkan.core, NULL, &error);

  g_assert_no_error (error);

  return placed->storage->host != value->storage->host;
}

/* Memory of the pool is read in place, other memory is copied once by the host. */
static void
test_inputs (void)
{
  GhloGpuDevice *device = begin ();
  g_autoptr (GhloPrepared) prepared = NULL;
  g_autoptr (GhloValue) input = NULL, lent = NULL, output = NULL;
  g_autoptr (GhloFence) fence = NULL;
  g_autoptr (GBytes) bytes = NULL, result = NULL;
  gboolean views;

  if (device == NULL)
    return;
  prepared = prepare (device, add);
  views = ghlo_vulkan_device_is_unified (&device->vulkan) && device->vulkan.imports != NULL;
  input = make_value (2);
  g_assert_true (is_copied (input, device) == !views);
  output = start (prepared, NULL, input, &fence);
  check_copies (device);
  result = read_bytes (output);
  check_elements (g_bytes_get_data (result, NULL), 2, 2);
  wait_for_own (input);
  check_elements (input->data, 2, 1);
  g_clear_pointer (&result, g_bytes_unref);
  g_clear_pointer (&fence, ghlo_fence_unref);
  g_clear_pointer (&output, ghlo_value_unref);

  bytes = g_bytes_new_take (g_memdup2 (input->data, input->n_bytes), input->n_bytes);
  lent = ghlo_value_new_for_bytes (input->type, bytes, NULL);
  n_copies = 0;
  g_assert_true (is_copied (lent, device));
  output = start (prepared, NULL, lent, &fence);
  check_copies (device);
  result = read_bytes (output);
  check_elements (g_bytes_get_data (result, NULL), 2, 2);
}

/* The run holds the last reference to its input, and the next run's memory may be the same. */
static void
test_dropped (void)
{
  enum { RUNS = 8 };
  GhloGpuDevice *device = begin ();
  g_autoptr (GhloPrepared) prepared = NULL;
  GhloValue *outputs[RUNS];

  if (device == NULL)
    return;
  prepared = prepare (device, add);
  for (guint i = 0; i < RUNS; i++)
    {
      g_autoptr (GhloFence) fence = NULL;
      g_autoptr (GhloValue) input = make_value ((float) i);

      outputs[i] = start (prepared, NULL, input, &fence);
    }
  for (guint i = 0; i < RUNS; i++)
    {
      g_autoptr (GBytes) bytes = read_bytes (outputs[i]);

      check_elements (g_bytes_get_data (bytes, NULL), (float) i, 2);
      ghlo_value_unref (outputs[i]);
    }
  device->vulkan.handles->vk->DeviceWaitIdle (device->vulkan.handles->device);
}

/* Nobody may write to an output that shares the input's memory, nor to device memory that is visible to the host. */
static void
test_same (void)
{
  GhloGpuDevice *device = begin_unified ();
  GhloDeviceCore *cpu = ghlo_devices_find ("cpu");
  g_autoptr (GhloPrepared) prepared = NULL;
  g_autoptr (GhloValue) input = NULL, output = NULL, on_host = NULL, back = NULL;
  g_autoptr (GError) error = NULL;

  if (device == NULL)
    return;
  prepared = prepare (device, same);
  input = make_value (4);
  vulkan_program_run (prepared, &input, 1, &output);
  g_assert_false (ghlo_value_is_own (output));
  on_host = ghlo_value_place (output, cpu, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (ghlo_value_is_on_host (on_host));
  g_assert_null (ghlo_value_get_device (on_host));
  g_assert_false (ghlo_value_is_own (on_host));
  check_elements (on_host->data, 4, 1);
  back = ghlo_value_place (on_host, &device->vulkan.core, NULL, &error);
  g_assert_no_error (error);
  g_clear_pointer (&output, ghlo_value_unref);
  g_clear_pointer (&input, ghlo_value_unref);
  check_elements (on_host->data, 4, 1);
  g_assert_true (ghlo_value_fetch (back, NULL, &error));
  check_elements (back->data, 4, 1);
  g_assert_cmpuint (n_copies, ==, 0);
}

/* Results of a lost device can no longer be read, while those already read stay available. */
static void
test_lost (void)
{
  GhloGpuDevice *device = begin_unified ();
  g_autoptr (GhloPrepared) prepared = NULL;
  g_autoptr (GhloValue) input = NULL, one = NULL, other = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  if (device == NULL)
    return;
  prepared = prepare (device, add);
  input = make_value (6);
  vulkan_program_run (prepared, &input, 1, &one);
  vulkan_program_run (prepared, &input, 1, &other);
  bytes = read_bytes (one);
  ghlo_device_core_lose (&device->vulkan.core);
  g_assert_false (ghlo_value_fetch (other, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE_LOST);
  g_atomic_int_set (&device->vulkan.core.lost, FALSE);
  check_elements (g_bytes_get_data (bytes, NULL), 6, 2);
}

static GhloValue *
make_matrix (gboolean is_triangle)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F64, (const gint64[]) { 64, 64 }, 2);
  GhloValue *value = ghlo_value_new_tensor (type, NULL);

  for (guint i = 0; i < 64 * 64; i++)
    if (!is_triangle || i / 64 >= i % 64)
      ((double *) (gpointer) value->data)[i] = i / 64 == i % 64 ? 4 : 0.01 * (double) (i % 37);

  return value;
}

/* Steps of the device and of the CPU pass their results to each other in place. */
static void
test_steps (void)
{
  GhloGpuDevice *device = begin ();
  g_autoptr (GhloPrepared) prepared = NULL, oracle = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloValue) triangle = NULL, matrix = NULL;
  GhloValue *inputs[2], *outputs[2] = { NULL }, *expected[2] = { NULL };
  GhloRunFigures figures;

  if (device == NULL)
    return;
  inputs[0] = triangle = make_matrix (TRUE);
  inputs[1] = matrix = make_matrix (FALSE);
  oracle = vulkan_program_prepare (ghlo_devices_find ("cpu"), turns, &error);
  g_assert_no_error (error);
  vulkan_program_run (oracle, inputs, 2, expected);
  prepared = prepare (device, turns);
  g_assert_true (ghlo_prepared_measure (prepared, &figures));
  if (ghlo_vulkan_device_is_unified (&device->vulkan))
    g_assert_cmpuint (figures.transfer_bytes, ==, 0);
  else
    g_assert_cmpuint (figures.transfer_bytes, >=, 64 * 64 * sizeof (double));
  for (guint i = 0; i < 3; i++)
    {
      n_copies = 0;
      vulkan_program_run (prepared, inputs, 2, outputs);
      check_copies (device);
      vulkan_program_compare (prepared, outputs, expected);
    }
  ghlo_values_clear (expected, 2);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/unified/machines", test_machines);
  g_test_add_func ("/vulkan/unified/outputs", test_outputs);
  g_test_add_func ("/vulkan/unified/carried", test_carried);
  g_test_add_func ("/vulkan/unified/inputs", test_inputs);
  g_test_add_func ("/vulkan/unified/dropped", test_dropped);
  g_test_add_func ("/vulkan/unified/same", test_same);
  g_test_add_func ("/vulkan/unified/lost", test_lost);
  g_test_add_func ("/vulkan/unified/steps", test_steps);

  return g_test_run ();
}
