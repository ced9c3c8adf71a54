/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sort and top_k on a Vulkan device: comparators, element types, lines of all lengths along any dimension.
 */

#include "shader-steps.h"

/* A sort of operands of @types along dimension @dimension, with @body as the comparator's body: %a0 and %b0 are
 * elements of the first operand, and so on. */
static char *
sort_text (const char *const *types,
           const char *const *elements,
           guint              n,
           guint              dimension,
           const char        *body)
{
  g_autoptr (GString) inputs = g_string_new (NULL), names = g_string_new (NULL), all = g_string_new (NULL);
  g_autoptr (GString) arguments = g_string_new (NULL), results = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    {
      const char *comma = i > 0 ? ", " : "", *element = elements[i];

      g_string_append_printf (inputs, "%s%%x%u: %s", comma, i, types[i]);
      g_string_append_printf (names, "%s%%x%u", comma, i);
      g_string_append_printf (all, "%s%s", comma, types[i]);
      g_string_append_printf (arguments, "%s%%a%u: tensor<%s>, %%b%u: tensor<%s>", comma, i, element, i, element);
      g_string_append_printf (results, "%s%%s#%u", comma, i);
    }

  return g_strdup_printf ("func.func @main(%s) -> (%s) {\n  %%s:%u = \"stablehlo.sort\"(%s) ({\n  ^bb0(%s):\n%s"
                          "    stablehlo.return %%less : tensor<i1>\n  }) {dimension = %u : i64, is_stable = true} : "
                          "(%s) -> (%s)\n  return %s : %s\n}\n",
                          inputs->str, all->str, n, names->str, arguments->str, body, dimension, all->str, all->str,
                          results->str, all->str);
}

static char *
compare (const char *direction,
         const char *element,
         gboolean    total)
{
  gboolean is_float = element[0] == 'f' || element[0] == 'b';

  return g_strdup_printf ("    %%less = stablehlo.compare %s, %%a0, %%b0, %s : (tensor<%s>, tensor<%s>) -> tensor<i1>"
                          "\n", direction, is_float ? total ? "TOTALORDER" : "FLOAT"
                          : element[0] == 'u' || g_str_equal (element, "i1") ? "UNSIGNED" : "SIGNED", element, element);
}

static const char *const all_types[] = {
  "i1", "i4", "i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64", "f8E5M2", "f8E4M3FN", "bf16", "f16", "f32",
  "f64",
};

static const char *const directions[] = { "LT", "GT", "LE", "GE" };

static void
check_one (const char *element,
           const char *shape,
           guint       dimension,
           const char *direction,
           gboolean    total,
           gboolean    few)
{
  g_autofree char *type = g_strdup_printf ("tensor<%sx%s>", shape, element);
  g_autofree char *body = compare (direction, element, total);
  g_autofree char *text = sort_text ((const char *const[]) { type }, &element, 1, dimension, body);
  g_autoptr (GhloValue) input = new_bits (type, few);

  check_step (text, "sort", (GhloValue *[]) { input }, 1, 1);
}

static void
test_types (void)
{
  static const char *const shapes[] = { "7x5x3", "2x300x2", "1x9x1", "40x1x2" };

  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (all_types); i++)
    for (guint j = 0; j < G_N_ELEMENTS (directions); j++)
      check_one (all_types[i], shapes[g_test_rand_int_range (0, G_N_ELEMENTS (shapes))],
                 (guint) g_test_rand_int_range (0, 3), directions[j], g_test_rand_bit (), g_test_rand_bit ());
}

/* Lengths around the number of elements that are sorted in shared memory, and around the tile size. */
static void
test_lengths (void)
{
  static const gint lengths[] = { 1, 2, 3, 8, 9, 63, 64, 65, 255, 256, 257, 1023, 1025, 2047, 2048, 2049, 4096, 4097,
                                  10000 };
  static const char *const narrow[] = { "f32", "i1", "i8", "ui8", "i16", "bf16", "f16", "i32", "f8E5M2" };

  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_autofree char *shape = g_strdup_printf ("%dx3", lengths[i]), *other = g_strdup_printf ("3x%d", lengths[i]);

      check_one ("f32", shape, 0, "LT", TRUE, FALSE);
      check_one ("f32", other, 1, "GE", TRUE, TRUE);
      check_one ("i64", other, 1, "GT", FALSE, i % 2);
      check_one ("f16", shape, 0, directions[i % 4], FALSE, i % 2);
    }
  /* Elements that are moved with their keys, in larger tiles too. */
  for (guint i = 0; i < G_N_ELEMENTS (narrow); i++)
    check_one (narrow[i], i == 0 ? "600000x1" : "2x3001", i == 0 ? 0 : 1, directions[i % 4], TRUE, i % 2);
}

/* A comparator that is only a partial order: the result is determined by the comparisons that are made. */
static void
test_partial (void)
{
  static const char *const body =
    "    %first = stablehlo.compare LT, %a0, %b0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    %equal = stablehlo.compare EQ, %a0, %b0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    %second = stablehlo.compare GE, %a1, %b1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
    "    %both = stablehlo.and %equal, %second : tensor<i1>\n"
    "    %less = stablehlo.or %first, %both : tensor<i1>\n";

  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < 12; i++)
    {
      /* The longest line is close to the longest that lavapipe merges. */
      gint n = i == 0 ? 21800 : g_test_rand_int_range (1, i % 3 == 0 ? 3000 : 60);
      g_autofree char *first = g_strdup_printf ("tensor<2x%dxf32>", n);
      g_autofree char *second = g_strdup_printf ("tensor<2x%dxf64>", n);
      g_autofree char *text = sort_text ((const char *const[]) { first, second },
                                         (const char *const[]) { "f32", "f64" }, 2, 1, body);
      g_autoptr (GhloValue) a = new_bits (first, TRUE), b = new_bits (second, TRUE);

      check_step (text, "sort", (GhloValue *[]) { a, b }, 2, 2);
    }
}

/* Long lines with a comparator that may leave elements unordered would be merged by a single invocation. */
static void
test_declined (void)
{
  const char *element = "f32", *type = "tensor<40000xf32>";
  g_autofree char *partial = compare ("LT", element, FALSE);
  g_autofree char *text = sort_text (&type, &element, 1, 0, partial);
  g_autofree char *other = sort_text (&type, &element, 1, 0,
                                      "    %sum = stablehlo.subtract %a0, %b0 : tensor<f32>\n"
                                      "    %less = stablehlo.compare LT, %sum, %a0 : (tensor<f32>, tensor<f32>) -> "
                                      "tensor<i1>\n");
  g_autoptr (GhloValue) input = new_bits (type, FALSE);

  if (find_vulkan () == NULL)
    return;
  check_declined (text, "sort", (GhloValue *[]) { input }, 1, 1,
                  "its comparator does not order NaN, and the sorted dimension is long");
  check_declined (other, "sort", (GhloValue *[]) { input }, 1, 1,
                  "its comparator is not a plain comparison of elements");
}

/* The form in which JAX sorts by one operand and carries others along: zeros are equal, NaNs are equal and come
 * last. */
static void
test_carried (void)
{
  static const char *const body =
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>\n"
    "    %az = stablehlo.compare EQ, %a0, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    %a = stablehlo.select %az, %zero, %a0 : tensor<i1>, tensor<f32>\n"
    "    %an = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    %ac = stablehlo.select %an, %nan, %a : tensor<i1>, tensor<f32>\n"
    "    %bz = stablehlo.compare EQ, %b0, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    %b = stablehlo.select %bz, %zero, %b0 : tensor<i1>, tensor<f32>\n"
    "    %bn = stablehlo.compare NE, %b, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    %bc = stablehlo.select %bn, %nan, %b : tensor<i1>, tensor<f32>\n"
    "    %less = stablehlo.compare LT, %ac, %bc, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>\n";
  static const char *const elements[] = { "f32", "i16", "complex<f64>" };

  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < 8; i++)
    {
      gint n = g_test_rand_int_range (1, 5000), inner = g_test_rand_int_range (1, 4);
      g_autofree char *a = g_strdup_printf ("tensor<2x%dx%dxf32>", n, inner);
      g_autofree char *b = g_strdup_printf ("tensor<2x%dx%dxi16>", n, inner);
      g_autofree char *c = g_strdup_printf ("tensor<2x%dx%dxcomplex<f64>>", n, inner);
      g_autofree char *text = sort_text ((const char *const[]) { a, b, c }, elements, 3, 1, body);
      g_autoptr (GhloValue) x = new_bits (a, i % 2), y = new_bits (b, FALSE), z = new_bits (c, FALSE);

      check_step (text, "sort", (GhloValue *[]) { x, y, z }, 3, 3);
    }
}

#define TRANSPOSED \
  "func.func @main(%%x: tensor<%1$sxi32>) -> tensor<%2$sxi32> {\n" \
  "  %%t = stablehlo.transpose %%x, dims = [1, 0] : (tensor<%1$sxi32>) -> tensor<%2$sxi32>\n" \
  "  %%s = \"stablehlo.sort\"(%%t) ({\n  ^bb0(%%a: tensor<i32>, %%b: tensor<i32>):\n" \
  "    %%less = stablehlo.compare GT, %%a, %%b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "    stablehlo.return %%less : tensor<i1>\n  }) {dimension = 1 : i64} : (tensor<%2$sxi32>) -> tensor<%2$sxi32>\n" \
  "  return %%s : tensor<%2$sxi32>\n}\n"

/* A transposed operand is copied; an empty operand is not sorted. */
static void
test_layouts (void)
{
  g_autoptr (GhloValue) input = new_bits ("tensor<30x20xi32>", TRUE), empty = new_bits ("tensor<0x4xi32>", TRUE);
  g_autofree char *transposed = g_strdup_printf (TRANSPOSED, "30x20", "20x30");
  g_autofree char *nothing = g_strdup_printf (TRANSPOSED, "0x4", "4x0");

  if (find_vulkan () == NULL)
    return;
  check_step (transposed, "sort", &input, 1, 1);
  check_step (nothing, "sort", &empty, 1, 1);
}

static void
test_top_k (void)
{
  static const char *const elements[] = { "f32", "bf16", "i8", "ui64", "f64" };

  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < 20; i++)
    {
      const char *element = elements[i % G_N_ELEMENTS (elements)];
      gint n = g_test_rand_int_range (1, i % 2 ? 6000 : 40), k = g_test_rand_int_range (1, n + 1);
      g_autofree char *type = g_strdup_printf ("tensor<3x%dx%s>", n, element);
      g_autofree char *text = g_strdup_printf (
        "func.func @main(%%x: %1$s) -> (tensor<3x%2$dx%3$s>, tensor<3x%2$dxi32>) {\n"
        "  %%v, %%i = chlo.top_k(%%x, k = %2$d) : %1$s -> (tensor<3x%2$dx%3$s>, tensor<3x%2$dxi32>)\n"
        "  return %%v, %%i : tensor<3x%2$dx%3$s>, tensor<3x%2$dxi32>\n}\n", type, k, element);
      g_autoptr (GhloValue) input = new_bits (type, i % 3 == 0);

      check_step (text, "top_k", &input, 1, 2);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/sort/types", test_types);
  g_test_add_func ("/vulkan/sort/lengths", test_lengths);
  g_test_add_func ("/vulkan/sort/partial", test_partial);
  g_test_add_func ("/vulkan/sort/declined", test_declined);
  g_test_add_func ("/vulkan/sort/carried", test_carried);
  g_test_add_func ("/vulkan/sort/layouts", test_layouts);
  g_test_add_func ("/vulkan/sort/top-k", test_top_k);

  return g_test_run ();
}
