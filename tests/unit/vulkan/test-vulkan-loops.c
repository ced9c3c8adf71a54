/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops that a device goes through by itself: the reference device's bits, whatever changes places and however often,
 * without a barrier too few or too many.
 */

#include "vulkan-program.h"

#include <string.h>

#include "compiler/devices.h"
#include "runtime/place.h"

enum { MAX_OUTPUTS = 4 };

/* What programs begin with: %zero, %x and %y are carried, and %one is a constant. */
#define BEGIN(results) \
  "func.func @main() -> " results " {\n" \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n" \
  "  %x = stablehlo.iota dim = 0 : tensor<32xi32>\n" \
  "  %y = stablehlo.multiply %x, %x : tensor<32xi32>\n"

/* Of %i, which counts to %u. */
#define COUNTED \
  "  cond {\n" \
  "    %n = stablehlo.constant dense<%u> : tensor<i32>\n" \
  "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "    stablehlo.return %c : tensor<i1>\n" \
  "  } do {\n" \
  "    %next = stablehlo.add %i, %one : tensor<i32>\n"

/* Two buffers that change places. */
static const char moved[] =
  BEGIN ("(tensor<32xi32>, tensor<i32>)")
  "  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<32xi32>\n"
  COUNTED
  "    %s = stablehlo.reverse %v, dims = [0] : tensor<32xi32>\n"
  "    %t = stablehlo.add %s, %y : tensor<32xi32>\n"
  "    %u = stablehlo.subtract %t, %v : tensor<32xi32>\n"
  "    stablehlo.return %next, %u : tensor<i32>, tensor<32xi32>\n"
  "  }\n"
  "  return %r#1, %r#0 : tensor<32xi32>, tensor<i32>\n"
  "}\n";

/* One that is written where it is read. */
static const char in_place[] =
  BEGIN ("(tensor<32xi32>, tensor<i32>)")
  "  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<32xi32>\n"
  COUNTED
  "    %u = stablehlo.add %v, %y : tensor<32xi32>\n"
  "    stablehlo.return %next, %u : tensor<i32>, tensor<32xi32>\n"
  "  }\n"
  "  return %r#1, %r#0 : tensor<32xi32>, tensor<i32>\n"
  "}\n";

/* Carried values that change places themselves, and one that is handed on; what comes behind the loop takes the memory
 * of what has changed places in it. */
static const char swapped[] =
  BEGIN ("(tensor<32xi32>, tensor<32xi32>)")
  "  %r:4 = stablehlo.while(%i = %zero, %v = %x, %w = %y, %k = %y) : tensor<i32>, tensor<32xi32>, tensor<32xi32>, "
  "tensor<32xi32>\n"
  COUNTED
  "    %s = stablehlo.reverse %v, dims = [0] : tensor<32xi32>\n"
  "    %t = stablehlo.add %s, %k : tensor<32xi32>\n"
  "    stablehlo.return %next, %w, %t, %k : tensor<i32>, tensor<32xi32>, tensor<32xi32>, tensor<32xi32>\n"
  "  }\n"
  "  %0 = stablehlo.reverse %r#1, dims = [0] : tensor<32xi32>\n"
  "  %1 = stablehlo.reverse %r#2, dims = [0] : tensor<32xi32>\n"
  "  %2 = stablehlo.multiply %0, %1 : tensor<32xi32>\n"
  "  %3 = stablehlo.reverse %2, dims = [0] : tensor<32xi32>\n"
  "  %4 = stablehlo.subtract %3, %0 : tensor<32xi32>\n"
  "  %5 = stablehlo.reverse %4, dims = [0] : tensor<32xi32>\n"
  "  %6 = stablehlo.add %5, %3 : tensor<32xi32>\n"
  "  return %4, %6 : tensor<32xi32>, tensor<32xi32>\n"
  "}\n";

/* As many iterations inside as outside. */
static const char nested[] =
  BEGIN ("(tensor<32xi32>, tensor<32xi32>)")
  "  %r:3 = stablehlo.while(%i = %zero, %v = %x, %w = %y) : tensor<i32>, tensor<32xi32>, tensor<32xi32>\n"
  COUNTED
  "    %q:2 = stablehlo.while(%j = %zero, %a = %v) : tensor<i32>, tensor<32xi32>\n"
  "    cond {\n"
  "      %m = stablehlo.constant dense<%u> : tensor<i32>\n"
  "      %d = stablehlo.compare LT, %j, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "      stablehlo.return %d : tensor<i1>\n"
  "    } do {\n"
  "      %after = stablehlo.add %j, %one : tensor<i32>\n"
  "      %b = stablehlo.reverse %a, dims = [0] : tensor<32xi32>\n"
  "      %e = stablehlo.add %b, %w : tensor<32xi32>\n"
  "      %f = stablehlo.subtract %e, %a : tensor<32xi32>\n"
  "      stablehlo.return %after, %f : tensor<i32>, tensor<32xi32>\n"
  "    }\n"
  "    %s = stablehlo.reverse %w, dims = [0] : tensor<32xi32>\n"
  "    %t = stablehlo.add %s, %q#1 : tensor<32xi32>\n"
  "    stablehlo.return %next, %q#1, %t : tensor<i32>, tensor<32xi32>, tensor<32xi32>\n"
  "  }\n"
  "  return %r#1, %r#2 : tensor<32xi32>, tensor<32xi32>\n"
  "}\n";

/* With %u in the place of @n. */
static char *
fill_in (const char *text,
         guint       n)
{
  g_autofree char *number = g_strdup_printf ("%u", n);
  g_auto (GStrv) parts = g_strsplit (text, "%u>", -1);
  g_autofree char *with = g_strconcat (number, ">", NULL);

  return g_strjoinv (with, parts);
}

static void
run (GhloPrepared  *prepared,
     GhloValue    **outputs)
{
  g_autoptr (GError) error = NULL;

  ghlo_prepared_run (prepared, NULL, NULL, 0, outputs, NULL, &error);
  g_assert_no_error (error);
}

static void
compare (GhloPrepared *prepared,
         GhloValue   **outputs,
         GhloValue   **expected)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < prepared->n_outputs; i++)
    {
      ghlo_value_fetch (outputs[i], NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (outputs[i]->data, outputs[i]->n_bytes, expected[i]->data, expected[i]->n_bytes);
    }
  ghlo_values_clear (outputs, prepared->n_outputs);
}

/* Each step by itself. */
static void
check_profile (GhloPrepared *prepared,
               GhloValue   **expected)
{
  g_autoptr (GhloRunProfile) profile = ghlo_run_profile_new ();
  const GhloRunOptions options = { .profile = profile };
  g_autoptr (GError) error = NULL;
  GhloValue *outputs[MAX_OUTPUTS];

  ghlo_prepared_run (prepared, &options, NULL, 0, outputs, NULL, &error);
  g_assert_no_error (error);
  compare (prepared, outputs, expected);
}

/* Two runs at once, then one more, which takes the first one's commands. How many recordings a run begins. */
static guint
check_program (GhloVulkanDevice *device,
               const char       *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) oracle = vulkan_program_prepare (ghlo_devices_find ("reference"), text, &error);
  g_autoptr (GhloPrepared) prepared = NULL;
  GhloValue *expected[MAX_OUTPUTS], *outputs[3][MAX_OUTPUTS];
  guint n_replays;

  g_assert_no_error (error);
  run (oracle, expected);
  vulkan_program_watch (device);
  prepared = vulkan_program_prepare (&device->core, text, &error);
  g_assert_no_error (error);
  run (prepared, outputs[0]);
  run (prepared, outputs[1]);
  compare (prepared, outputs[0], expected);
  run (prepared, outputs[2]);
  compare (prepared, outputs[1], expected);
  compare (prepared, outputs[2], expected);
  n_replays = vulkan_program_unwatch (device).n_replays;
  check_profile (prepared, expected);
  ghlo_values_clear (expected, oracle->n_outputs);
  g_assert_cmpuint (n_replays % 3, ==, 0);

  return n_replays / 3;
}

static GhloVulkanDevice *
open_device (void)
{
  GhloVulkanDevice *device = vulkan_program_device ();
  g_autoptr (GError) error = NULL;

  if (device != NULL)
    ghlo_vulkan_device_open (device, NULL, &error);
  g_assert_no_error (error);

  return device;
}

static void
test_counted (void)
{
  static const char *const texts[] = { moved, in_place, swapped, nested };
  static const guint trips[] = { 0, 1, 2, 3, 8, 13 };
  GhloVulkanDevice *device = open_device ();

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (texts); i++)
    for (guint k = 0; k < G_N_ELEMENTS (trips); k++)
      {
        g_autofree char *text = fill_in (texts[i], trips[k]);

        g_assert_cmpuint (check_program (device, text), ==, 1);
      }
}

/* More iterations than are recorded at once, and what is left of them. */
static void
test_long (void)
{
  static const struct
  {
    const char *text;
    guint       trips, least, most;     /* recordings that a run begins */
  } cases[] = {
    { moved, 300, 1, 1 }, { moved, 1500, 3, 12 }, { moved, 2047, 3, 12 }, { swapped, 2047, 3, 12 },
    { in_place, 2048, 2, 8 }, { nested, 40, 3, 50 },
  };
  GhloVulkanDevice *device = open_device ();

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = fill_in (cases[i].text, cases[i].trips);
      guint n_replays = check_program (device, text);

      g_test_message ("%u iterations: %u recordings", cases[i].trips, n_replays);
      g_assert_cmpuint (n_replays, >=, cases[i].least);
      g_assert_cmpuint (n_replays, <=, cases[i].most);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/loops/counted", test_counted);
  g_test_add_func ("/vulkan/loops/long", test_long);

  return g_test_run ();
}
