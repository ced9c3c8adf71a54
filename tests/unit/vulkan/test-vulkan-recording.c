/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Barriers: the checker of hazards by itself; and in recordings of whole programs each barrier is needed, and none is
 * missing, as the checker sees it.
 */

#include "vulkan-program.h"

#include "runtime/place.h"
#include "vulkan/hazards.h"
#include "vulkan/recording.h"

static void
test_hazards (void)
{
  g_autoptr (GhloVulkanHazards) hazards = ghlo_vulkan_hazards_new ();

  /* Reads beside each other, and writes of other bytes. */
  g_assert_cmpuint (ghlo_vulkan_hazards_add (hazards, 0, 100, 200, FALSE), ==, G_MAXUINT);
  g_assert_cmpuint (ghlo_vulkan_hazards_add (hazards, 1, 150, 250, FALSE), ==, G_MAXUINT);
  g_assert_cmpuint (ghlo_vulkan_hazards_add (hazards, 1, 250, 300, TRUE), ==, G_MAXUINT);
  g_assert_cmpuint (ghlo_vulkan_hazards_add (hazards, 1, 40, 100, TRUE), ==, G_MAXUINT);
  /* A command with itself, in place. */
  g_assert_cmpuint (ghlo_vulkan_hazards_add (hazards, 2, 400, 500, FALSE), ==, G_MAXUINT);
  g_assert_cmpuint (ghlo_vulkan_hazards_add (hazards, 2, 400, 500, TRUE), ==, G_MAXUINT);
  /* A write of what was read, by one byte; a read of what was written; a write of what was written. */
  g_assert_cmpuint (ghlo_vulkan_hazards_add (hazards, 3, 199, 200, TRUE), !=, G_MAXUINT);
  g_assert_cmpuint (ghlo_vulkan_hazards_add (hazards, 4, 0, 41, FALSE), ==, 1);
  g_assert_cmpuint (ghlo_vulkan_hazards_add (hazards, 5, 299, 1000, TRUE), !=, G_MAXUINT);
  /* Nothing is touched by nothing. */
  g_assert_cmpuint (ghlo_vulkan_hazards_add (hazards, 6, 450, 450, TRUE), ==, G_MAXUINT);
  ghlo_vulkan_hazards_barrier (hazards);
  g_assert_cmpuint (ghlo_vulkan_hazards_add (hazards, 7, 0, 1000, TRUE), ==, G_MAXUINT);
  g_assert_cmpuint (ghlo_vulkan_hazards_add (hazards, 8, 999, 1001, FALSE), ==, 7);
}

/* One of the test's own beside the device's: what is about to be run is looked at first. */
static struct
{
  guint n_dispatches, n_barriers;
} seen;

static gboolean
check_and_replay (gpointer            recording,
                  guint8 *const      *addresses,
                  const GhloMonitor  *monitor,
                  GError            **error)
{
  g_autofree char *problem = ghlo_vulkan_recording_check (recording, addresses, G_MAXUINT);
  const guint n = ghlo_vulkan_recording_count (recording);

  g_assert_cmpstr (problem, ==, NULL);
  seen.n_dispatches += n;
  for (guint i = 0; i < n; i++)
    if (ghlo_vulkan_recording_waits (recording, i))
      {
        g_autofree char *found = ghlo_vulkan_recording_check (recording, addresses, i);

        seen.n_barriers++;
        if (found == NULL)
          g_error ("dispatch %u of %u waits for nothing", i, n);
      }

  return ghlo_vulkan_recorder.replay (recording, addresses, monitor, error);
}

static void
run_program (GhloVulkanDevice *device,
             const char       *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = vulkan_program_prepare (&device->core, text, &error);
  GhloValue *outputs[1] = { NULL };

  g_assert_no_error (error);
  /* The second run takes the first one's commands, and the third, which does not wait for it, others. */
  for (guint i = 0; i < 3; i++)
    {
      ghlo_prepared_run (prepared, NULL, NULL, 0, outputs, NULL, &error);
      g_assert_no_error (error);
      if (i == 0)
        g_assert_true (ghlo_value_fetch (outputs[0], NULL, &error));
      ghlo_value_unref (outputs[0]);
    }
}

/* Chains, forks whose branches need not wait for each other, and temporaries that take the place of others. */
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

/* A body whose buffers exchange places after each iteration. */
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
  GhloVulkanDevice *device = vulkan_program_device ();
  g_autoptr (GError) error = NULL;
  GhloStepRecorder recorder = ghlo_vulkan_recorder;
  GhloStepSpace *space;

  if (device == NULL)
    return;
  ghlo_vulkan_device_open (device, NULL, &error);
  g_assert_no_error (error);
  space = (GhloStepSpace *) device->target->space;
  recorder.replay = check_and_replay;
  space->recorder = &recorder;
  run_program (device, chain);
  run_program (device, loop);
  space->recorder = &ghlo_vulkan_recorder;
  g_test_message ("%u dispatches, of which %u wait", seen.n_dispatches, seen.n_barriers);
  g_assert_cmpuint (seen.n_barriers, >, 0);
  g_assert_cmpuint (seen.n_barriers, <, seen.n_dispatches);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/recording/hazards", test_hazards);
  g_test_add_func ("/vulkan/recording/barriers", test_barriers);

  return g_test_run ();
}
