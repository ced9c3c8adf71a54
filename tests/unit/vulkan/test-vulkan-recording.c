/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Barriers: tests of the hazard checker itself, and of recordings of whole programs, in which each barrier is necessary
 * and none is missing according to the checker. Also the driver calls that a run makes.
 */

#include "vulkan-program.h"

#include "gpu/core.h"
#include "gpu/hazards.h"
#include "gpu/kernel.h"
#include "gpu/recording.h"
#include "gpu/spirv/spirv.h"
#include "runtime/place.h"
#include "vulkan/instance.h"

static void
test_hazards (void)
{
  g_autoptr (GhloGpuHazards) hazards = ghlo_gpu_hazards_new ();

  /* Reads that overlap reads, and writes of other bytes. */
  g_assert_cmpuint (ghlo_gpu_hazards_add (hazards, 0, 100, 200, FALSE), ==, G_MAXUINT);
  g_assert_cmpuint (ghlo_gpu_hazards_add (hazards, 1, 150, 250, FALSE), ==, G_MAXUINT);
  g_assert_cmpuint (ghlo_gpu_hazards_add (hazards, 1, 250, 300, TRUE), ==, G_MAXUINT);
  g_assert_cmpuint (ghlo_gpu_hazards_add (hazards, 1, 40, 100, TRUE), ==, G_MAXUINT);
  /* A command reads and writes the same bytes in place. */
  g_assert_cmpuint (ghlo_gpu_hazards_add (hazards, 2, 400, 500, FALSE), ==, G_MAXUINT);
  g_assert_cmpuint (ghlo_gpu_hazards_add (hazards, 2, 400, 500, TRUE), ==, G_MAXUINT);
  /* The same on bytes that another command has read. */
  g_assert_cmpuint (ghlo_gpu_hazards_add (hazards, 0, 600, 700, FALSE), ==, G_MAXUINT);
  g_assert_cmpuint (ghlo_gpu_hazards_add (hazards, 2, 650, 660, FALSE), ==, G_MAXUINT);
  g_assert_cmpuint (ghlo_gpu_hazards_add (hazards, 2, 650, 660, TRUE), ==, 0);
  /* A write after a read that overlaps by one byte; a read after a write; a write after a write. */
  g_assert_cmpuint (ghlo_gpu_hazards_add (hazards, 3, 199, 200, TRUE), !=, G_MAXUINT);
  g_assert_cmpuint (ghlo_gpu_hazards_add (hazards, 4, 0, 41, FALSE), ==, 1);
  g_assert_cmpuint (ghlo_gpu_hazards_add (hazards, 5, 299, 1000, TRUE), !=, G_MAXUINT);
  /* An empty range conflicts with nothing. */
  g_assert_cmpuint (ghlo_gpu_hazards_add (hazards, 6, 450, 450, TRUE), ==, G_MAXUINT);
  ghlo_gpu_hazards_barrier (hazards);
  g_assert_cmpuint (ghlo_gpu_hazards_add (hazards, 7, 0, 1000, TRUE), ==, G_MAXUINT);
  g_assert_cmpuint (ghlo_gpu_hazards_add (hazards, 8, 999, 1001, FALSE), ==, 7);
}

/* A dispatch that accesses a whole buffer. */
static void
touch (GhloGpuRecording *recording,
       guint32           buffer,
       gboolean          is_written)
{
  const guint64 words[GHLO_SPIRV_N_WORDS + 1] = { 0 };
  const GhloGpuAccess access = { GHLO_SPIRV_N_WORDS, { buffer, 0 }, 0, 64, is_written };

  ghlo_gpu_recording_dispatch (recording, &(GhloGpuDispatch) {
    .n_points = 1, .points_per_group = 1, .most_groups = 1, .words = words, .n_words = G_N_ELEMENTS (words),
    .accesses = &access, .n_accesses = 1,
  });
}

/* Buffers 0 and 1 may have changed places, so that 2 may alias either of them. */
static void
test_partners (void)
{
  const GhloBufferExtent extents[] = { { 0, 0, 64, 1 }, { 0, 64, 64, 0 }, { 0, 64, 64, 2 }, { 0, 128, 64, 3 } };
  static const struct
  {
    guint32  buffer;
    gboolean is_written, waits;
  } touches[] = {
    { 0, FALSE, FALSE }, { 1, TRUE, FALSE }, { 3, TRUE, FALSE }, { 2, FALSE, TRUE }, { 0, TRUE, TRUE },
    { 3, FALSE, FALSE }, { 1, TRUE, FALSE }, { 2, TRUE, TRUE }, { 0, FALSE, TRUE },
  };
  g_autoptr (GhloGpuRecording) recording = ghlo_gpu_recording_new (NULL, extents);

  for (guint i = 0; i < G_N_ELEMENTS (touches); i++)
    {
      touch (recording, touches[i].buffer, touches[i].is_written);
      g_assert_cmpint (ghlo_gpu_recording_waits (recording, i), ==, touches[i].waits);
    }
  /* A second iteration: reads and writes of bytes untouched since the last barrier, then a second write. */
  ghlo_gpu_recording_repeat (recording, 0, 3);
  g_assert_cmpuint (((GhloCommandBuffer *) recording)->n_commands, ==, G_N_ELEMENTS (touches) + 3);
  g_assert_false (ghlo_gpu_recording_waits (recording, G_N_ELEMENTS (touches)));
  g_assert_false (ghlo_gpu_recording_waits (recording, G_N_ELEMENTS (touches) + 1));
  g_assert_false (ghlo_gpu_recording_waits (recording, G_N_ELEMENTS (touches) + 2));
  ghlo_gpu_recording_repeat (recording, 1, 1);
  g_assert_true (ghlo_gpu_recording_waits (recording, G_N_ELEMENTS (touches) + 3));
}

/* A dispatch of a kernel, which these tests never look into. */
static void
touch_by_kernel (GhloGpuRecording *recording,
                 guint32           buffer,
                 gboolean          is_written)
{
  static const GhloGpuKernel kernel;
  const guint64 words[GHLO_SPIRV_N_WORDS + 1] = { 0 };
  const GhloGpuAccess access = { GHLO_SPIRV_N_WORDS, { buffer, 0 }, 0, 64, is_written };

  ghlo_gpu_recording_dispatch (recording, &(GhloGpuDispatch) {
    .name = "kernel", .kernel = &kernel, .n_points = 1, .points_per_group = 1, .most_groups = 1, .words = words,
    .n_words = G_N_ELEMENTS (words), .accesses = &access, .n_accesses = 1,
  });
}

/* A merged pair of dispatches is waited for like both of them, and the checker still counts two. */
static void
test_join (void)
{
  const GhloBufferExtent extents[] = { { 0, 0, 64, 0 }, { 0, 64, 64, 1 }, { 0, 128, 64, 2 }, { 0, 192, 64, 3 } };
  guint8 *const disjoint[] = { GSIZE_TO_POINTER (0x1000), GSIZE_TO_POINTER (0x2000), GSIZE_TO_POINTER (0x3000),
                               GSIZE_TO_POINTER (0x4000) };
  guint8 *const together[] = { disjoint[0], disjoint[0], disjoint[2], disjoint[3] };
  g_autoptr (GhloGpuRecording) recording = ghlo_gpu_recording_new (NULL, extents);
  const GhloGpuKernel *kernels[2];
  g_autofree char *none = NULL, *within = NULL;

  touch (recording, 3, TRUE);
  touch_by_kernel (recording, 0, TRUE);
  touch_by_kernel (recording, 1, FALSE);
  touch_by_kernel (recording, 0, FALSE);
  touch_by_kernel (recording, 1, TRUE);
  ghlo_gpu_recording_set_predicate (recording, (GhloBufferRef) { 2, 0 });
  touch_by_kernel (recording, 3, FALSE);
  /* No kernel; the second dispatch waits; the predicates differ; there is no next dispatch. */
  g_assert_false (ghlo_gpu_recording_get_pair (recording, 0, kernels));
  g_assert_false (ghlo_gpu_recording_get_pair (recording, 2, kernels));
  g_assert_false (ghlo_gpu_recording_get_pair (recording, 4, kernels));
  g_assert_false (ghlo_gpu_recording_get_pair (recording, 5, kernels));
  g_assert_true (ghlo_gpu_recording_get_pair (recording, 1, kernels));
  ghlo_gpu_recording_merge (recording, 1, VK_NULL_HANDLE, 2);
  g_assert_cmpuint (((GhloCommandBuffer *) recording)->n_commands, ==, 5);
  g_assert_false (ghlo_gpu_recording_get_pair (recording, 0, kernels));
  g_assert_false (ghlo_gpu_recording_get_pair (recording, 1, kernels));
  g_assert_false (ghlo_gpu_recording_waits (recording, 1));
  g_assert_true (ghlo_gpu_recording_waits (recording, 2));
  touch (recording, 1, FALSE);
  g_assert_true (ghlo_gpu_recording_waits (recording, 5));
  none = ghlo_gpu_recording_check (recording, disjoint, G_MAXUINT);
  g_assert_cmpstr (none, ==, NULL);
  within = ghlo_gpu_recording_check (recording, together, G_MAXUINT);
  g_assert_cmpstr (within, !=, NULL);
}

static void
run_program (GhloGpuDevice *device,
             const char    *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = vulkan_program_prepare (&device->vulkan.core, text, &error);
  GhloValue *outputs[1] = { NULL };

  g_assert_no_error (error);
  /* The second run uses the first one's commands, and the third, which does not wait for the second, has others. */
  for (guint i = 0; i < 3; i++)
    {
      ghlo_prepared_run (prepared, NULL, NULL, 0, outputs, NULL, &error);
      g_assert_no_error (error);
      if (i == 0)
        g_assert_true (ghlo_value_fetch (outputs[0], NULL, &error));
      ghlo_value_unref (outputs[0]);
    }
}

/* Chains, forks whose branches need not wait for each other, and temporaries that reuse the memory of others. */
static const char chain[] =
  "func.func @main() -> tensor<64xf32> {\n"
  "  %i = stablehlo.iota dim = 0 : tensor<64x64xf32>\n"
  "  %0 = stablehlo.sine %i : tensor<64x64xf32>\n"
  "  %1 = stablehlo.cosine %i : tensor<64x64xf32>\n"
  "  %2 = stablehlo.tanh %i : tensor<64x64xf32>\n"
  "  %3 = stablehlo.transpose %0, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>\n"
  "  %4 = stablehlo.reverse %1, dims = [0] : tensor<64x64xf32>\n"
  "  %5 = stablehlo.add %3, %4 : tensor<64x64xf32>\n"
  "  %6 = stablehlo.multiply %5, %2 : tensor<64x64xf32>\n"
  "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
  "  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, "
  "tensor<f32>) -> tensor<64xf32>\n"
  "  %8 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x64xf32>, "
  "tensor<f32>) -> tensor<64xf32>\n"
  "  %9 = stablehlo.subtract %7, %8 : tensor<64xf32>\n"
  "  return %9 : tensor<64xf32>\n"
  "}\n";

/* A body whose buffers change places after each iteration. */
static const char loop[] =
  "func.func @main() -> tensor<32xf32> {\n"
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
  "  %x = stablehlo.iota dim = 0 : tensor<32xf32>\n"
  "  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<32xf32>\n"
  "  cond {\n"
  "    %n = stablehlo.constant dense<100> : tensor<i32>\n"
  "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
  "    %next = stablehlo.add %i, %one : tensor<i32>\n"
  "    %s = stablehlo.reverse %v, dims = [0] : tensor<32xf32>\n"
  "    %t = stablehlo.sine %s : tensor<32xf32>\n"
  "    %u = stablehlo.add %t, %v : tensor<32xf32>\n"
  "    stablehlo.return %next, %u : tensor<i32>, tensor<32xf32>\n"
  "  }\n"
  "  return %r#1 : tensor<32xf32>\n"
  "}\n";

static void
test_barriers (void)
{
  GhloGpuDevice *device = vulkan_program_device ();
  g_autoptr (GError) error = NULL;
  VulkanProgramReplays seen;

  if (device == NULL)
    return;
  ghlo_gpu_device_open (device, NULL, &error);
  g_assert_no_error (error);
  vulkan_program_watch (device);
  run_program (device, chain);
  run_program (device, loop);
  seen = vulkan_program_unwatch (device);
  g_test_message ("%u dispatches, of which %u wait", seen.n_dispatches, seen.n_barriers);
  g_assert_cmpuint (seen.n_barriers, >, 0);
  g_assert_cmpuint (seen.n_barriers, <, seen.n_dispatches);
}

/* Copies of more dimensions than kernels have axes: an output that is an input, and a repeated one. */
static void
test_many_dimensions (void)
{
#define TEN "2x2x2x2x2x2x2x2x2x2xf32"
  static const char text[] = "func.func @main() -> (tensor<" TEN ">, tensor<2x" TEN ">) {\n"
                             "  %n = stablehlo.iota dim = 0 : tensor<1024xf32>\n"
                             "  %x = stablehlo.reshape %n : (tensor<1024xf32>) -> tensor<" TEN ">\n"
                             "  %y = stablehlo.broadcast %x, sizes = [2] : (tensor<" TEN ">) -> tensor<2x" TEN ">\n"
                             "  return %x, %y : tensor<" TEN ">, tensor<2x" TEN ">\n"
                             "}\n";
#undef TEN
  GhloGpuDevice *device = vulkan_program_open ();

  if (device != NULL)
    g_assert_cmpuint (vulkan_program_check (device, text, NULL, 0).n_replays, ==, 3);
}

static GString *calls;

static VkResult
note_call (const char *name)
{
  g_string_append_printf (calls, "%s ", name);

  return VK_SUCCESS;
}

/* The driver calls of a small run before it returns, with the commands and memory of an earlier run: each additional
 * call is time that the caller waits. */
static void
test_calls (void)
{
  static const char text[] = "func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {\n"
                             "  %y = stablehlo.negate %x : tensor<256xf32>\n"
                             "  return %y : tensor<256xf32>\n"
                             "}\n";
  static const gint64 dimensions[] = { 256 };
  GhloGpuDevice *device = vulkan_program_open ();
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F32, dimensions, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloValue) input = ghlo_value_new_tensor (type, &error);
  g_autoptr (GhloPrepared) prepared = NULL;

  if (device == NULL)
    return;
  prepared = vulkan_program_prepare (&device->vulkan.core, text, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GhloFence) fence = NULL;
      g_autoptr (GhloValue) output = NULL;

      calls = g_string_new (NULL);
      ghlo_vulkan_instance_get (NULL)->vk->fault = note_call;
      ghlo_prepared_start (prepared, NULL, &input, 1, &output, &fence, NULL, &error);
      ghlo_vulkan_instance_get (NULL)->vk->fault = NULL;
      g_assert_no_error (error);
      g_assert_true (ghlo_value_fetch (output, NULL, &error));
      if (i > 0)
        g_assert_cmpstr (calls->str, ==, "QueueSubmit ");
      g_string_free (calls, TRUE);
    }
}

/* GHLO_DEBUG=dispatches, which is read only once. */
static void
test_dispatches (void)
{
  GhloGpuDevice *device;
  g_autoptr (GError) error = NULL;

  if (g_test_subprocess ())
    {
      g_setenv ("GHLO_DEBUG", "dispatches", TRUE);
      g_setenv ("G_MESSAGES_DEBUG", "Ghlo", TRUE);
    }
  device = vulkan_program_device ();
  if (device == NULL)
    return;
  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      g_test_trap_assert_stdout ("*dispatch 1 of *, * points: *dispatch 2 of *, behind a barrier, * points: *");
      return;
    }
  ghlo_gpu_device_open (device, NULL, &error);
  g_assert_no_error (error);
  run_program (device, chain);
  run_program (device, loop);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/recording/hazards", test_hazards);
  g_test_add_func ("/vulkan/recording/partners", test_partners);
  g_test_add_func ("/vulkan/recording/join", test_join);
  g_test_add_func ("/vulkan/recording/barriers", test_barriers);
  g_test_add_func ("/vulkan/recording/many-dimensions", test_many_dimensions);
  g_test_add_func ("/vulkan/recording/calls", test_calls);
  g_test_add_func ("/vulkan/recording/dispatches", test_dispatches);

  return g_test_run ();
}
