/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rng_bit_generator on a Vulkan device: both algorithms, element types of all sizes, and counters that overflow.
 */

#include "shader-steps.h"

static const char *const all_types[] = {
  "i4", "ui8", "i16", "ui32", "i64", "f8E4M3FN", "bf16", "f16", "f32", "f64",
};

static const char *const shapes[] = { "", "1x", "7x", "8x", "3x5x", "4x3x", "3x6x5x", "1000x", "0x4x", "513x3x" };

static GhloValue *
new_state (guint    n_words,
           gboolean is_near_end)
{
  g_autofree char *type = g_strdup_printf ("tensor<%uxui64>", n_words);
  GhloValue *state = new_bits (type, FALSE);
  guint64 low = (guint64) -5;

  if (is_near_end)
    memcpy (state->data + 8, &low, sizeof low);

  return state;
}

static void
check_random (const char *algorithm,
              const char *element,
              const char *shape,
              guint       n_words,
              gboolean    is_near_end)
{
  g_autofree char *text = g_strdup_printf (
    "func.func @main(%%s: tensor<%1$uxui64>) -> (tensor<%1$uxui64>, tensor<%2$s%3$s>) {\n"
    "  %%t, %%r = stablehlo.rng_bit_generator %%s, algorithm = %4$s : (tensor<%1$uxui64>) -> "
    "(tensor<%1$uxui64>, tensor<%2$s%3$s>)\n"
    "  return %%t, %%r : tensor<%1$uxui64>, tensor<%2$s%3$s>\n}\n", n_words, shape, element, algorithm);
  g_autoptr (GhloValue) state = new_state (n_words, is_near_end);

  check_step (text, "random", &state, 1, 2);
}

static void
test_random (void)
{
  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (all_types); i++)
    for (guint j = 0; j < G_N_ELEMENTS (shapes); j++)
      {
        check_random ("THREE_FRY", all_types[i], shapes[j], 2, j % 2);
        check_random ((i + j) % 3 == 0 ? "DEFAULT" : "PHILOX", all_types[i], shapes[j], 2 + g_test_rand_bit (), j % 2);
      }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/random/bits", test_random);

  return g_test_run ();
}
