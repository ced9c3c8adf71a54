/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Random bits: known answers (the specification's example; XLA's for the key and counter 1, 2, 3, 4) for each algorithm
 * and width, and the guarantees of rng.
 */

#include "kernel-programs.h"

typedef struct
{
  const char *algorithm;
  const char *type;
  guint64     next;         /* the counter's low word afterwards */
  guint64     bits[9];
} Known;

static const Known known[] = {
  { "THREE_FRY", "tensor<3x3xui32>", 0x400000009,
    { 1576285164, 740599976, 2436392515, 2249660814, 2425682526, 1497962777, 1335360347, 3981753173, 3812192618 } },
  { "THREE_FRY", "tensor<2x3xui8>", 0x400000006, { 236, 168, 67, 142, 94, 25 } },
  { "THREE_FRY", "tensor<5xui16>", 0x400000006, { 13292, 6542, 43176, 64094, 26179 } },
  { "THREE_FRY", "tensor<3xui64>", 0x400000006,
    { G_GUINT64_CONSTANT (9662219624799024108), G_GUINT64_CONSTANT (10418227120389269672),
      G_GUINT64_CONSTANT (6433701140276733507) } },
  { "PHILOX", "tensor<3x3xui32>", 0x400000006,
    { 512747620, 1298009047, 1267190206, 761827841, 1383286907, 1639995030, 2756207988, 2154813423, 2586587831 } },
  { "PHILOX", "tensor<2x3xui8>", 0x400000005, { 100, 215, 190, 1, 123, 150 } },
  { "PHILOX", "tensor<5xui16>", 0x400000005, { 59492, 3031, 51646, 37377, 18555 } },
  { "DEFAULT", "tensor<3xui64>", 0x400000005,
    { G_GUINT64_CONSTANT (5574906407289874532), G_GUINT64_CONSTANT (3272025663544478142),
      G_GUINT64_CONSTANT (7043725020835825787) } },
};

static guint64
bits_at (const GhloValue *value,
         gsize            index)
{
  return ghlo_element_load (value->type->element_type,
                            value->data + index * ghlo_element_info (value->type->element_type)->size).u;
}

static void
test_known (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    {
      g_autofree char *text =
        g_strdup_printf ("func.func @main() -> (tensor<2xui64>, %1$s) {\n"
                         "  %%s = stablehlo.constant dense<[8589934593, 17179869187]> : tensor<2xui64>\n"
                         "  %%0:2 = stablehlo.rng_bit_generator %%s, algorithm = %2$s : (tensor<2xui64>) -> "
                         "(tensor<2xui64>, %1$s)\n  return %%0#0, %%0#1 : tensor<2xui64>, %1$s\n}\n",
                         known[i].type, known[i].algorithm);
      GhloValue *outputs[2] = { NULL };

      run_text (text, NULL, 0, outputs);
      g_assert_cmpuint (bits_at (outputs[0], 0), ==, 0x200000001);
      g_assert_cmpuint (bits_at (outputs[0], 1), ==, known[i].next);
      for (gsize k = 0; k < outputs[1]->n_elements; k++)
        g_assert_cmpuint (bits_at (outputs[1], k), ==, known[i].bits[k]);
      ghlo_value_unref (outputs[0]);
      ghlo_value_unref (outputs[1]);
    }
}

/* Philox with three words of state: the counter carries into its upper half. The bits of floats are those of
 * integers. */
static void
test_state (void)
{
  expect_ok ("func.func @main() {\n"
             "  %s = stablehlo.constant dense<[1, 18446744073709551615, 7]> : tensor<3xui64>\n"
             "  %n = stablehlo.constant dense<[1, 1, 8]> : tensor<3xui64>\n"
             "  %0:2 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> "
             "(tensor<3xui64>, tensor<8xui32>)\n"
             "  %1:2 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> "
             "(tensor<3xui64>, tensor<8xf32>)\n"
             "  %2 = stablehlo.bitcast_convert %1#1 : (tensor<8xf32>) -> tensor<8xui32>\n"
             "  check.expect_eq %0#0, %n : tensor<3xui64>\n"
             "  check.expect_eq %0#1, %2 : tensor<8xui32>\n"
             "  return\n}\n");
}

static const char rng_program[] =
  "func.func @main() -> (tensor<4096xf32>, tensor<4096xf64>, tensor<4096xi8>, tensor<4096xf32>) {\n"
  "  %a = stablehlo.constant dense<-2.0> : tensor<f32>\n"
  "  %b = stablehlo.constant dense<3.0> : tensor<f32>\n"
  "  %m = stablehlo.constant dense<5.0> : tensor<f64>\n"
  "  %d = stablehlo.constant dense<2.0> : tensor<f64>\n"
  "  %i = stablehlo.constant dense<-100> : tensor<i8>\n"
  "  %j = stablehlo.constant dense<100> : tensor<i8>\n"
  "  %n = stablehlo.constant dense<4096> : tensor<1xi64>\n"
  "  %0 = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> "
  "tensor<4096xf32>\n"
  "  %1 = stablehlo.rng %m, %d, %n, distribution = NORMAL : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> "
  "tensor<4096xf64>\n"
  "  %2 = stablehlo.rng %i, %j, %n, distribution = UNIFORM : (tensor<i8>, tensor<i8>, tensor<1xi64>) -> "
  "tensor<4096xi8>\n"
  "  %3 = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> "
  "tensor<4096xf32>\n"
  "  return %0, %1, %2, %3 : tensor<4096xf32>, tensor<4096xf64>, tensor<4096xi8>, tensor<4096xf32>\n}\n";

static double
mean_of (const GhloValue *value)
{
  double sum = 0;

  for (gsize i = 0; i < value->n_elements; i++)
    sum += creal (number_at (value, i));
  return sum / (double) value->n_elements;
}

/* Ranges, means, the same numbers in every run, and different ones at another place in the program. */
static void
test_rng (void)
{
  GhloValue *first[4] = { NULL }, *second[4] = { NULL };
  guint equal = 0;

  run_text (rng_program, NULL, 0, first);
  run_text (rng_program, NULL, 0, second);
  for (gsize i = 0; i < 4096; i++)
    {
      g_assert_cmpfloat (creal (number_at (first[0], i)), >=, -2);
      g_assert_cmpfloat (creal (number_at (first[0], i)), <, 3);
      g_assert_cmpfloat (creal (number_at (first[2], i)), >=, -100);
      g_assert_cmpfloat (creal (number_at (first[2], i)), <, 100);
      equal += number_at (first[0], i) == number_at (first[3], i);
    }
  g_assert_cmpfloat (fabs (mean_of (first[0]) - 0.5), <, 0.1);
  g_assert_cmpfloat (fabs (mean_of (first[1]) - 5), <, 0.15);
  g_assert_cmpfloat (fabs (mean_of (first[2])), <, 5);
  g_assert_cmpuint (equal, <, 4);
  for (guint i = 0; i < 4; i++)
    {
      g_assert_cmpmem (first[i]->data, first[i]->n_bytes, second[i]->data, second[i]->n_bytes);
      ghlo_value_unref (first[i]);
      ghlo_value_unref (second[i]);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/random/known", test_known);
  g_test_add_func ("/kernels/random/state", test_state);
  g_test_add_func ("/kernels/random/rng", test_rng);
  return g_test_run ();
}
