/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How much device memory runs hold: no more, and little less, than the estimate before the run, and none after the end;
 * and how memory is allocated in blocks.
 */

#include "vulkan-program.h"

#include "runtime/place.h"
#include "vulkan/handles.h"
#include "vulkan/memory.h"
#include "vulkan/queue.h"
#include "vulkan/transfer.h"

/* Two products with intermediate values in the arena, a sum, and several opportunities to reuse memory. */
static const char layers[] =
  "func.func @main(%x: tensor<256x512xf32>, %v: tensor<512x512xf32>, %w: tensor<512x512xf32>) -> (tensor<256x512xf32>, "
  "tensor<256xf32>) {\n"
  "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
  "  %a = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<256x512xf32>, tensor<512x512xf32>) -> "
  "tensor<256x512xf32>\n"
  "  %b = stablehlo.tanh %a : tensor<256x512xf32>\n"
  "  %c = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<256x512xf32>, tensor<512x512xf32>) -> "
  "tensor<256x512xf32>\n"
  "  %d = stablehlo.sine %c : tensor<256x512xf32>\n"
  "  %e = stablehlo.dot_general %d, %v, contracting_dims = [1] x [0] : (tensor<256x512xf32>, tensor<512x512xf32>) -> "
  "tensor<256x512xf32>\n"
  "  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<256x512xf32>, "
  "tensor<f32>) -> tensor<256xf32>\n"
  "  return %e, %s : tensor<256x512xf32>, tensor<256xf32>\n"
  "}\n";

/* A loop that swaps its carried values, and a sort, which needs scratch. */
static const char loop[] =
  "func.func @main(%x: tensor<30000xf32>) -> tensor<30000xf32> {\n"
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
  "  %n = stablehlo.constant dense<7> : tensor<i32>\n"
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
  "  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<30000xf32>\n"
  "  cond {\n"
  "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %j = stablehlo.add %i, %one : tensor<i32>\n"
  "    %z = stablehlo.reverse %y, dims = [0] : tensor<30000xf32>\n"
  "    %t = stablehlo.add %z, %y : tensor<30000xf32>\n"
  "    stablehlo.return %j, %t : tensor<i32>, tensor<30000xf32>\n"
  "  }\n"
  "  %s = \"stablehlo.sort\"(%r#1) ({\n"
  "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
  "    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  }) {dimension = 0 : i64, is_stable = true} : (tensor<30000xf32>) -> tensor<30000xf32>\n"
  "  return %s : tensor<30000xf32>\n"
  "}\n";

static const struct
{
  const char *name, *text;
  const char *types[4];         /* of the program's inputs, NULL-terminated */
} programs[] = {
  { "layers", layers, { "tensor<256x512xf32>", "tensor<512x512xf32>", "tensor<512x512xf32>" } },
  { "loop", loop, { "tensor<30000xf32>" } },
};

static GhloValue *
make_input (GhloDeviceCore *device,
            const char     *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse (text, &error);
  g_autoptr (GhloValue) zeros = NULL;
  GhloValue *value;

  g_assert_no_error (error);
  zeros = ghlo_value_new_tensor (type, &error);
  g_assert_no_error (error);
  value = ghlo_value_place (zeros, device, NULL, &error);
  g_assert_no_error (error);

  return value;
}

static void
run (GhloPrepared     *prepared,
     GhloValue *const *inputs,
     guint             n_inputs)
{
  g_autoptr (GError) error = NULL;
  GhloValue *outputs[2] = { NULL };

  ghlo_prepared_run (prepared, NULL, inputs, n_inputs, outputs, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < ghlo_prepared_get_n_outputs (prepared); i++)
    {
      g_assert_true (ghlo_value_fetch (outputs[i], NULL, &error));
      ghlo_value_unref (outputs[i]);
    }
}

static void
test_peak (gconstpointer data)
{
  const guint at = GPOINTER_TO_UINT (data);
  GhloGpuDevice *device = vulkan_program_device ();
  g_autoptr (GError) error = NULL;
  GhloValue *inputs[G_N_ELEMENTS (programs[0].types)];
  GhloPrepared *prepared;
  GhloRunFigures figures;
  GhloMemoryUse use;
  gsize planned;
  guint n = 0;

  if (device == NULL)
    return;
  prepared = vulkan_program_prepare (&device->vulkan.core, programs[at].text, &error);
  g_assert_no_error (error);
  ghlo_device_core_measure_memory (&device->vulkan.core, &use);
  g_assert_cmpuint (use.peak, >=, use.used);
  g_assert_true (ghlo_prepared_measure (prepared, &figures));
  planned = ghlo_run_figures_peak (&figures);
  for (; programs[at].types[n] != NULL; n++)
    inputs[n] = make_input (&device->vulkan.core, programs[at].types[n]);
  ghlo_device_core_reset_memory_peak (&device->vulkan.core);
  for (guint i = 0; i < 3; i++)
    run (prepared, inputs, n);

  ghlo_device_core_measure_memory (&device->vulkan.core, &use);
  g_assert_cmpuint (use.peak, <=, planned);
  g_assert_cmpuint (use.peak, >=, planned / 10 * 9);
  g_assert_cmpuint (use.used, >=, figures.input_bytes);
  for (guint i = 0; i < n; i++)
    ghlo_value_unref (inputs[i]);
  ghlo_prepared_free (prepared);
  device->vulkan.handles->vk->DeviceWaitIdle (device->vulkan.handles->device);
  ghlo_device_core_measure_memory (&device->vulkan.core, &use);
  g_assert_cmpuint (use.used, ==, 0);
  g_assert_cmpuint (use.peak, >, 0);
  ghlo_device_core_reset_memory_peak (&device->vulkan.core);
  ghlo_device_core_measure_memory (&device->vulkan.core, &use);
  g_assert_cmpuint (use.peak, ==, 0);
}

/* The memory of pending uploads is bounded, however many there are; and an upload need not wait for another one's
 * end. */
static void
test_staged (void)
{
  enum { N_UPLOADS = 5 };
  const gsize size = 12 << 20, most = 32 << 20;
  GhloGpuDevice *device = vulkan_program_open ();
  g_autofree guint8 *bytes = g_malloc0 (size);
  g_autoptr (GError) error = NULL;
  GhloVulkanMemoryStatistics before, now;
  guint64 addresses[N_UPLOADS];

  if (device == NULL)
    return;
  ghlo_vulkan_memory_measure (device->vulkan.memory, &before);
  for (guint i = 0; i < N_UPLOADS; i++)
    {
      addresses[i] = ghlo_vulkan_memory_alloc (device->vulkan.memory, GHLO_VULKAN_LOCAL, size, &error);
      g_assert_no_error (error);
      g_assert_true (ghlo_vulkan_upload (&device->vulkan, bytes, addresses[i], size, NULL, &error));
      ghlo_vulkan_memory_measure (device->vulkan.memory, &now);
      g_assert_cmpuint (now.used[GHLO_VULKAN_UPLOAD], <=, MAX (most, before.used[GHLO_VULKAN_UPLOAD] + size));
      if (i == 1)
        g_assert_cmpuint (now.used[GHLO_VULKAN_UPLOAD], >=, 2 * size);
    }
  g_assert_true (ghlo_vulkan_queue_finish (device->vulkan.queue, NULL, &error));
  for (guint i = 0; i < N_UPLOADS; i++)
    ghlo_vulkan_memory_free (device->vulkan.memory, addresses[i], size, 0);
  ghlo_vulkan_memory_measure (device->vulkan.memory, &now);
  g_assert_cmpuint (now.all_used, ==, before.all_used);
}

/* Small needs take little memory, and large ones few blocks, none of which is larger than needed. */
static void
test_growth (void)
{
  enum { N_PIECES = 96 };
  const gsize piece = 1 << 20;
  GhloGpuDevice *device = vulkan_program_open ();
  g_autoptr (GError) error = NULL;
  GhloVulkanMemoryStatistics before, now;
  guint64 addresses[N_PIECES];

  if (device == NULL)
    return;
  g_assert_true (ghlo_vulkan_queue_finish (device->vulkan.queue, NULL, &error));
  g_assert_no_error (error);
  ghlo_vulkan_memory_trim (device->vulkan.memory);
  ghlo_vulkan_memory_measure (device->vulkan.memory, &before);
  g_assert_cmpuint (before.used[GHLO_VULKAN_LOCAL], ==, 0);
  for (guint i = 0; i < N_PIECES; i++)
    {
      addresses[i] = ghlo_vulkan_memory_alloc (device->vulkan.memory, GHLO_VULKAN_LOCAL, piece, &error);
      g_assert_no_error (error);
      ghlo_vulkan_memory_measure (device->vulkan.memory, &now);
      g_assert_cmpuint (now.reserved - before.reserved, <=, MAX (4 * piece, 3 * (i + 1) * piece));
    }
  g_assert_cmpuint (now.n_blocks - before.n_blocks, <=, 7);
  for (guint i = 0; i < N_PIECES; i++)
    ghlo_vulkan_memory_free (device->vulkan.memory, addresses[i], piece, 0);
  ghlo_vulkan_memory_trim (device->vulkan.memory);
  ghlo_vulkan_memory_measure (device->vulkan.memory, &now);
  g_assert_cmpuint (now.reserved, ==, before.reserved);
}

/* What the queue uses next may lie in what it still uses, where the host sees neither: the copies are in order. */
static void
test_order (void)
{
  enum { SIZE = 1 << 16 };
  static const GhloVulkanMemoryKind kinds[] = { GHLO_VULKAN_SCRATCH, GHLO_VULKAN_LOCAL };
  GhloGpuDevice *device = vulkan_program_open ();
  g_autoptr (GError) error = NULL;

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (kinds); i++)
    {
      GhloVulkanMemory *memory = device->vulkan.memory;
      GhloVulkanQueue *queue = device->vulkan.queue;
      const gboolean is_ordered = kinds[i] == GHLO_VULKAN_SCRATCH || !ghlo_vulkan_device_is_unified (&device->vulkan);
      guint8 bytes[SIZE];
      guint64 ends[4], between[2];

      for (guint k = 0; k < 4; k++)
        {
          ends[k] = ghlo_vulkan_memory_alloc (memory, GHLO_VULKAN_LOCAL, SIZE, &error);
          g_assert_no_error (error);
          memset (bytes, (int) k + 1, SIZE);
          g_assert_true (ghlo_vulkan_upload (&device->vulkan, bytes, ends[k], SIZE, NULL, &error));
        }
      for (guint k = 0; k < 2; k++)
        {
          between[k] = ghlo_vulkan_memory_alloc (memory, kinds[i], SIZE, &error);
          g_assert_true (ghlo_vulkan_queue_copy (queue, ends[k], between[k], SIZE, &error));
          g_assert_true (ghlo_vulkan_queue_copy (queue, between[k], ends[k + 2], SIZE, &error));
          ghlo_vulkan_memory_free (memory, between[k], SIZE, ghlo_vulkan_queue_value (queue));
        }
      g_assert_true ((between[0] == between[1]) == is_ordered);
      for (guint k = 0; k < 4; k++)
        {
          g_assert_true (ghlo_vulkan_download (&device->vulkan, ends[k], bytes, SIZE, NULL, &error));
          g_assert_cmpuint (bytes[0], ==, k % 2 + 1);
          g_assert_cmpuint (bytes[SIZE - 1], ==, k % 2 + 1);
          ghlo_vulkan_memory_free (memory, ends[k], SIZE, ghlo_vulkan_queue_value (queue));
        }
    }
}

/* Empty blocks stay up to a part of the memory, those that were used last, and the last one whatever its size. */
static void
test_idle (void)
{
  enum { N_BLOCKS = 24 };
  GhloGpuDevice *device = vulkan_program_open ();
  g_autoptr (GError) error = NULL;
  GhloVulkanMemoryStatistics before, now;
  guint64 addresses[N_BLOCKS], large, again;
  gsize kept, size;

  if (device == NULL)
    return;
  g_assert_true (ghlo_vulkan_queue_finish (device->vulkan.queue, NULL, &error));
  ghlo_vulkan_memory_trim (device->vulkan.memory);
  ghlo_vulkan_memory_measure (device->vulkan.memory, &before);
  kept = ghlo_vulkan_memory_most_empty (device->vulkan.memory);
  size = kept / (N_BLOCKS / 2);
  if (kept + size > device->vulkan.max_allocation / 2)
    {
      g_test_skip ("a block is smaller than what is kept");
      return;
    }
  for (guint i = 0; i < N_BLOCKS; i++)
    {
      addresses[i] = ghlo_vulkan_memory_alloc (device->vulkan.memory, GHLO_VULKAN_LOCAL, size, &error);
      g_assert_no_error (error);
    }
  for (guint i = 0; i < N_BLOCKS; i++)
    ghlo_vulkan_memory_free (device->vulkan.memory, addresses[i], size, 0);
  ghlo_vulkan_memory_measure (device->vulkan.memory, &now);
  g_assert_cmpuint (now.reserved - before.reserved, <=, kept);
  g_assert_cmpuint (now.reserved - before.reserved, >, kept / 2);
  again = ghlo_vulkan_memory_alloc (device->vulkan.memory, GHLO_VULKAN_LOCAL, size, &error);
  for (guint i = 0; i < N_BLOCKS / 2; i++)
    g_assert_cmpuint (again, !=, addresses[i]);
  ghlo_vulkan_memory_free (device->vulkan.memory, again, size, 0);

  large = ghlo_vulkan_memory_alloc (device->vulkan.memory, GHLO_VULKAN_LOCAL, kept + size, &error);
  g_assert_no_error (error);
  ghlo_vulkan_memory_free (device->vulkan.memory, large, kept + size, 0);
  ghlo_vulkan_memory_measure (device->vulkan.memory, &now);
  g_assert_cmpuint (now.reserved - before.reserved, >=, kept + size);
  g_assert_cmpuint (now.reserved - before.reserved, <, kept + 2 * size);
  ghlo_vulkan_memory_trim (device->vulkan.memory);
  ghlo_vulkan_memory_measure (device->vulkan.memory, &now);
  g_assert_cmpuint (now.reserved, ==, before.reserved);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/memory/growth", test_growth);
  g_test_add_func ("/vulkan/memory/staged", test_staged);
  g_test_add_func ("/vulkan/memory/order", test_order);
  g_test_add_func ("/vulkan/memory/idle", test_idle);
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *path = g_strconcat ("/vulkan/memory/", programs[i].name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_peak);
    }

  return g_test_run ();
}
