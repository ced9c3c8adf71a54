/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reductions on a Vulkan device over random dimensions, with the bits of the CPU: of few and of many results, of short
 * and of long rows, and with a value of each result before the sums.
 */

#include "shader-steps.h"

static const char *const all_types[] = { "f32", "bf16", "f64", "i32" };
static const gint64 sizes[] = { 2, 3, 5, 8, 10, 16, 31, 64, 100, 257, 512, 3000 };

enum { RANK = 4, MOST = 1 << 19, N_PROGRAMS = 60 };

typedef struct
{
  const char *phrase;           /* in the description of a step */
  guint       least, n;
} Form;

static void
append_size (GString *text,
             gint64   size)
{
  g_string_append_printf (text, "%" G_GINT64_FORMAT "x", size);
}

/* Returns a program that adds elements, or takes their maxima, over random dimensions. Of two inputs the second has an
 * element for each result, by which those of the first are multiplied. */
static char *
make_program (GRand  *random,
              char  **types)
{
  const char *element = all_types[g_rand_int_range (random, 0, G_N_ELEMENTS (all_types))];
  const char *name = g_rand_boolean (random) ? "add" : "maximum";
  const guint rank = (guint) g_rand_int_range (random, 1, RANK + 1);
  const guint reduced = (guint) g_rand_int_range (random, 1, 1 << rank);
  g_autoptr (GString) from = g_string_new ("tensor<"), to = g_string_new ("tensor<"), axes = g_string_new (NULL);
  g_autoptr (GString) kept = g_string_new (NULL);
  gint64 n = 1;

  for (guint i = 0; i < rank; i++)
    {
      const gint64 size = CLAMP (sizes[g_rand_int_range (random, 0, G_N_ELEMENTS (sizes))], 1, MOST / n);
      GString *list = (reduced >> i & 1) != 0 ? axes : kept;

      n *= size;
      append_size (from, size);
      if (list == kept)
        append_size (to, size);
      g_string_append_printf (list, "%s%u", list->len > 0 ? ", " : "", i);
    }
  g_string_append_printf (from, "%s>", element);
  g_string_append_printf (to, "%s>", element);
  types[0] = g_strdup (from->str);
  types[1] = g_strdup (to->str);

  return g_strdup_printf (
    "func.func @main(%%x: %1$s, %%y: %2$s) -> (%2$s, %1$s) {\n"
    "  %%z = stablehlo.constant dense<%3$s> : tensor<%4$s>\n"
    "  %%b = stablehlo.broadcast_in_dim %%y, dims = [%5$s] : (%2$s) -> %1$s\n"
    "  %%m = stablehlo.multiply %%x, %%b : %1$s\n"
    "  %%r = stablehlo.reduce(%%m init: %%z) applies stablehlo.%6$s across dimensions = [%7$s] : "
    "(%1$s, tensor<%4$s>) -> %2$s\n  return %%r, %%m : %2$s, %1$s\n}\n", from->str, to->str,
    element[0] == 'i' ? "0" : "0.0", element, kept->str, name, axes->str);
}

static void
test_random (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (g_test_rand_int ());
  Form forms[] = { { "invocations per point", 3, 0 }, { "a workgroup per point", 3, 0 }, { "parts", 3, 0 },
                   { "an invocation per point, each in", 1, 0 } };

  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < N_PROGRAMS; i++)
    {
      char *types[2];
      g_autofree char *text = make_program (random, types), *plan = NULL, *cpu_plan = NULL;
      GhloValue *inputs[] = { new_random (types[0], -8, 8), new_random (types[1], -8, 8) };
      GhloValue *found[2] = { NULL }, *expected[2] = { NULL };

      plan = run_fused ("vulkan", text, inputs, found);
      cpu_plan = run_fused ("cpu", text, inputs, expected);
      for (guint k = 0; k < G_N_ELEMENTS (forms); k++)
        forms[k].n += strstr (plan, forms[k].phrase) != NULL;
      for (guint k = 0; k < 2; k++)
        {
          assert_same (found[k], expected[k], FALSE, text);
          ghlo_value_unref (inputs[k]);
          ghlo_value_unref (found[k]);
          ghlo_value_unref (expected[k]);
          g_free (types[k]);
        }
    }
  for (guint k = 0; k < G_N_ELEMENTS (forms); k++)
    {
      g_test_message ("%u of %d programs: %s", forms[k].n, N_PROGRAMS, forms[k].phrase);
      g_assert_cmpuint (forms[k].n, >=, forms[k].least);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/folds/random", test_random);

  return g_test_run ();
}
