/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies on a Vulkan device whose results have other neighbours than their operands: random ranks, sizes, orders and
 * element types, some of them reversed or sliced before, with the bits of the CPU.
 */

#include "shader-steps.h"

static const char *const all_types[] = { "i8", "bf16", "f32", "i64", "complex<f32>", "complex<f64>" };
static const gint64 sizes[] = { 1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 100, 257, 1000 };

enum { RANK = 5, LEAST = 1 << 14, MOST = 1 << 18, N_PROGRAMS = 60 };

/* Returns "tensor<2x3xf32>" for the sizes in @order. */
static char *
type_of (const gint64 *dimensions,
         const guint  *order,
         guint         rank,
         const char   *element)
{
  GString *text = g_string_new ("tensor<");

  for (guint i = 0; i < rank; i++)
    g_string_append_printf (text, "%" G_GINT64_FORMAT "x", dimensions[order[i]]);
  g_string_append_printf (text, "%s>", element);

  return g_string_free (text, FALSE);
}

/* Returns a program that reverses or slices its input, or does neither, and transposes it. */
static char *
make_program (GRand  *random,
              char  **input)
{
  const char *element = all_types[g_rand_int_range (random, 0, G_N_ELEMENTS (all_types))];
  const guint rank = (guint) g_rand_int_range (random, 2, RANK + 1), kind = (guint) g_rand_int_range (random, 0, 3);
  const gint64 most = g_rand_int_range (random, LEAST, MOST);
  gint64 dimensions[RANK], whole[RANK], n = 1;
  guint in_order[RANK], order[RANK];
  g_autoptr (GString) permutation = g_string_new (NULL), ranges = g_string_new (NULL), text = g_string_new (NULL);
  g_autofree char *from = NULL, *to = NULL;

  for (guint i = 0; i < rank; i++)
    {
      const guint other = (guint) g_rand_int_range (random, 0, (gint32) i + 1);

      dimensions[i] = CLAMP (sizes[g_rand_int_range (random, 0, G_N_ELEMENTS (sizes))], 1, MAX (most / n, 1));
      n *= dimensions[i];
      whole[i] = kind == 1 ? dimensions[i] * (1 + i % 2) + 1 : dimensions[i];
      in_order[i] = i;
      order[i] = order[other];
      order[other] = i;
      g_string_append_printf (ranges, "%s1:%" G_GINT64_FORMAT ":%u", i > 0 ? ", " : "", whole[i], 1 + i % 2);
    }
  for (guint i = 0; i < rank; i++)
    g_string_append_printf (permutation, "%s%u", i > 0 ? ", " : "", order[i]);
  *input = type_of (whole, in_order, rank, element);
  from = type_of (dimensions, in_order, rank, element);
  to = type_of (dimensions, order, rank, element);
  g_string_append_printf (text, "func.func @main(%%x: %s) -> %s {\n", *input, to);
  if (kind == 0)
    g_string_append_printf (text, "  %%y = stablehlo.reverse %%x, dims = [%u] : %s\n", rank - 1, *input);
  if (kind == 1)
    g_string_append_printf (text, "  %%y = stablehlo.slice %%x [%s] : (%s) -> %s\n", ranges->str, *input, from);
  g_string_append_printf (text, "  %%r = stablehlo.transpose %%%s, dims = [%s] : (%s) -> %s\n  return %%r : %s\n}\n",
                          kind < 2 ? "y" : "x", permutation->str, from, to, to);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

static GhloValue *
run (const char  *device,
     const char  *text,
     GhloValue   *input,
     gboolean    *has_boxes)
{
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = ghlo_devices_prepare (ghlo_devices_find (device), module,
                                                            ghlo_ir_module_get_entry (module), NULL, &error);
  g_autofree char *plan = NULL;
  GhloValue *output;

  g_assert_no_error (error);
  plan = ghlo_prepared_describe (prepared);
  *has_boxes = strstr (plan, "in boxes") != NULL;
  ghlo_prepared_run (prepared, NULL, &input, 1, &output, NULL, &error);
  g_assert_no_error (error);
  ghlo_value_fetch (output, NULL, &error);
  g_assert_no_error (error);

  return output;
}

static void
test_permute (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (g_test_rand_int ());
  guint n_boxes = 0;

  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < N_PROGRAMS; i++)
    {
      g_autofree char *type = NULL, *text = make_program (random, &type);
      g_autoptr (GhloValue) input = new_bits (type, FALSE);
      gboolean has_boxes, cpu_has_boxes;
      g_autoptr (GhloValue) found = run ("vulkan", text, input, &has_boxes);
      g_autoptr (GhloValue) expected = run ("cpu", text, input, &cpu_has_boxes);

      assert_same (found, expected, FALSE, text);
      n_boxes += has_boxes;
    }
  g_test_message ("%u of %d programs copy boxes", n_boxes, N_PROGRAMS);
  g_assert_cmpuint (n_boxes, >, N_PROGRAMS / 10);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/permute/random", test_permute);

  return g_test_run ();
}
