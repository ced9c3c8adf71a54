/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Large maps on a Vulkan device, four points of which are computed together where their elements are adjacent and
 * aligned: element types of all sizes, rows of lengths that four divides or not, operands that are broadcast or
 * transposed, and results of other types.
 */

#include "shader-steps.h"

enum { N_POINTS = 1 << 18, N_KINDS = 4 };

static const char *const all_types[] = { "i8", "ui16", "bf16", "f16", "f32", "i32", "f64" };
static const guint lengths[] = { 4, 12, 100, 6, 257 };
static const char *const results[] = { NULL, "f32", "i8", "i1" };      /* NULL: the operands' type */

/* How the second operand becomes one of rows and columns: it is, or it has an element for each column or row, or its
 * rows are columns. */
static const char *const spreads[N_KINDS] = {
  "stablehlo.add %y, %y : ", "stablehlo.broadcast_in_dim %y, dims = [1] : ",
  "stablehlo.broadcast_in_dim %y, dims = [0] : ", "stablehlo.transpose %y, dims = [1, 0] : ",
};

static char *
make_program (const char *element,
              guint       length,
              guint       kind,
              const char *result,
              char      **types)
{
  const guint rows = N_POINTS / length + 1;
  g_autofree char *spread = NULL, *last = NULL, *to = NULL;

  types[0] = g_strdup_printf ("tensor<%ux%ux%s>", rows, length, element);
  types[1] = kind == 0 ? g_strdup (types[0])
             : kind == 3 ? g_strdup_printf ("tensor<%ux%ux%s>", length, rows, element)
             : g_strdup_printf ("tensor<%ux%s>", kind == 1 ? length : rows, element);
  spread = kind == 0 ? g_strdup (types[0]) : g_strdup_printf ("(%s) -> %s", types[1], types[0]);
  to = g_strdup_printf ("tensor<%ux%ux%s>", rows, length, result != NULL ? result : element);
  if (g_strcmp0 (result, "i1") == 0)
    last = g_strdup_printf ("stablehlo.compare GT, %%s, %%x : (%s, %s) -> %s", types[0], types[0], to);
  else
    last = g_strdup_printf ("stablehlo.convert %%s : (%s) -> %s", types[0], to);

  return g_strdup_printf ("func.func @main(%%x: %s, %%y: %s) -> %s {\n  %%b = %s%s\n"
                          "  %%s = stablehlo.multiply %%x, %%b : %s\n  %%r = %s\n  return %%r : %s\n}\n", types[0],
                          types[1], to, spreads[kind], spread, types[0], last, to);
}

static void
test_maps (void)
{
  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (all_types); i++)
    for (guint j = 0; j < G_N_ELEMENTS (lengths); j++)
      {
        char *types[2];
        g_autofree char *text = make_program (all_types[i], lengths[j], (i + j) % N_KINDS,
                                              results[(i * 3 + j) % G_N_ELEMENTS (results)], types);
        GhloValue *inputs[] = { new_random (types[0], 0, 8), new_random (types[1], 0, 8) };
        g_autoptr (GhloValue) found = NULL, expected = NULL;
        g_autofree char *plan = run_fused ("vulkan", text, inputs, &found);
        g_autofree char *cpu_plan = run_fused ("cpu", text, inputs, &expected);

        assert_same (found, expected, FALSE, text);
        for (guint k = 0; k < 2; k++)
          {
            ghlo_value_unref (inputs[k]);
            g_free (types[k]);
          }
      }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/maps/random", test_maps);

  return g_test_run ();
}
