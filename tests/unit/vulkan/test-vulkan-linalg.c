/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cholesky and triangular_solve on a Vulkan device: all variants, of sizes around the block sizes. The expected result
 * is the CPU's in f64, rounded.
 */

#include "shader-steps.h"

#include <float.h>

/* The same numbers converted to f64. */
static GhloValue *
widen (const GhloValue *value,
       const char      *type)
{
  GhloValue *wide = new_tensor (type);

  for (gsize i = 0; i < value->n_elements; i++)
    ((double *) (gpointer) wide->data)[i] = ((const float *) (gconstpointer) value->data)[i];

  return wide;
}

/* Returns @form with the two tensor types in place of $a and $b. */
static char *
fill (const char       *form,
      const char       *element,
      const char *const shapes[2])
{
  GString *text = g_string_new (form);

  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *type = g_strdup_printf ("tensor<%sx%s>", shapes[i], element);

      g_string_replace (text, i == 0 ? "$a" : "$b", type, 0);
    }

  return g_string_free (text, FALSE);
}

/* Runs @form with @shapes filled in, in f32 on the device and in f64 on the CPU. Elements are sums of up to @n products
 * of f32 of the size of the largest one, whose roundings mostly cancel out. */
static void
check_linalg (const char       *implementation,
              const char       *form,
              const char *const shapes[2],
              GhloValue       **inputs,
              guint             n_inputs,
              guint             n)
{
  double most = 0;
  GhloValue *found = NULL, *expected = NULL, *wide[2];
  g_autofree char *text = fill (form, "f32", shapes);
  g_autofree char *text_of_f64 = fill (form, "f64", shapes);
  StepSearch search;

  for (guint i = 0; i < n_inputs; i++)
    {
      g_autofree char *type = g_strdup_printf ("tensor<%sxf64>", shapes[i]);

      wide[i] = widen (inputs[i], type);
    }
  run_on (ghlo_devices_find ("cpu"), text_of_f64, implementation, wide, n_inputs, &expected, &search);
  run_on (ghlo_devices_find ("vulkan"), text, implementation, inputs, n_inputs, &found, &search);
  if (!search.found)
    g_error ("the device has no step (%s) for\n%s", search.reason != NULL ? search.reason : "?", text);
  for (gsize i = 0; i < expected->n_elements; i++)
    most = fmax (most, fabs (((const double *) (gconstpointer) expected->data)[i]));
  for (gsize i = 0; i < expected->n_elements; i++)
    {
      double e = ((const double *) (gconstpointer) expected->data)[i];
      double f = ((const float *) (gconstpointer) found->data)[i];

      if (!(isnan (e) ? isnan (f) : fabs (f - e) <= most * sqrt (n) * FLT_EPSILON))
        g_error ("element %" G_GSIZE_FORMAT " is %.9g, expected %.9g, in\n%s", i, f, e, text);
    }
  ghlo_value_unref (found);
  ghlo_value_unref (expected);
  for (guint i = 0; i < n_inputs; i++)
    ghlo_value_unref (wide[i]);
}

/* @batch matrices of @n × @n with a large diagonal, so that they can be factored and systems are well conditioned;
 * symmetric for factorizations. Elements that must not be read are NaN. */
static GhloValue *
new_matrices (guint    batch,
              guint    n,
              gboolean is_symmetric,
              gboolean lower,
              gboolean has_diagonal)
{
  g_autofree char *type = g_strdup_printf ("tensor<%ux%ux%uxf32>", batch, n, n);
  GhloValue *value = new_random (type, -1, 1);

  for (guint b = 0; b < batch; b++)
    for (guint i = 0; i < n; i++)
      for (guint j = 0; j < n; j++)
        {
          float *at = (float *) (gpointer) value->data + (b * n + i) * n + j;

          if (lower ? j > i : j < i)
            *at = NAN;
          else if (i == j)
            *at = has_diagonal ? *at + (is_symmetric ? (float) n : 2) : NAN;
          else if (!is_symmetric)
            *at /= (float) n;
        }

  return value;
}

static const guint sizes[] = { 1, 2, 5, 31, 63, 64, 65, 130, 200 };

static void
test_cholesky (void)
{
  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < 2 * G_N_ELEMENTS (sizes); i++)
    {
      const guint n = sizes[i / 2], batch = 1 + i % 3;
      g_autofree char *shape = g_strdup_printf ("%ux%ux%u", batch, n, n);
      const char *form = i % 2
                         ? "func.func @main(%x: $a) -> $a {\n"
                           "  %y = \"stablehlo.cholesky\"(%x) {lower = true} : ($a) -> $a\n  return %y : $a\n}\n"
                         : "func.func @main(%x: $a) -> $a {\n"
                           "  %y = \"stablehlo.cholesky\"(%x) {lower = false} : ($a) -> $a\n  return %y : $a\n}\n";
      GhloValue *input = new_matrices (batch, n, TRUE, i % 2, TRUE);

      check_linalg ("cholesky", form, (const char *[]) { shape, "" }, &input, 1, n);
      ghlo_value_unref (input);
    }
}

/* One matrix of three has no factorization: a pivot is negative, zero or NaN, in the first block or the second, and
 * in the last row, too. */
static void
test_no_factor (void)
{
  static const float pivots[] = { -1, 0, NAN, -INFINITY };
  static const guint rows[] = { 0, 7, 70, 89 };
  static const char form[] =
    "func.func @main(%x: $a) -> $a {\n"
    "  %y = \"stablehlo.cholesky\"(%x) {lower = true} : ($a) -> $a\n  return %y : $a\n}\n";

  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (pivots) * G_N_ELEMENTS (rows); i++)
    {
      GhloValue *input = new_matrices (3, 90, TRUE, TRUE, TRUE);
      float *matrix = (float *) (gpointer) input->data + 90 * 90;
      const guint row = rows[i / G_N_ELEMENTS (pivots)];

      for (guint j = 0; j < row; j++)
        matrix[row * 90 + j] = 0;
      matrix[row * 91] = pivots[i % G_N_ELEMENTS (pivots)];
      check_linalg ("cholesky", form, (const char *[]) { "3x90x90", "" }, &input, 1, 90);
      ghlo_value_unref (input);
    }
}

static void
test_triangular_solve (void)
{
  static const char *const transposes[] = { "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" };

  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < 24 * G_N_ELEMENTS (sizes); i++)
    {
      const guint n = sizes[i / 24], m = (guint) g_test_rand_int_range (1, 140), batch = 1 + i % 2;
      const gboolean left = i & 1, lower = i >> 1 & 1, unit = i >> 2 & 1;
      g_autofree char *a = g_strdup_printf ("%ux%ux%u", batch, n, n);
      g_autofree char *b = left ? g_strdup_printf ("%ux%ux%u", batch, n, m) : g_strdup_printf ("%ux%ux%u", batch, m, n);
      g_autofree char *type = g_strdup_printf ("tensor<%sxf32>", b);
      g_autofree char *form = g_strdup_printf (
        "func.func @main(%%a: $a, %%b: $b) -> $b {\n"
        "  %%x = \"stablehlo.triangular_solve\"(%%a, %%b) {left_side = %s, lower = %s, unit_diagonal = %s, "
        "transpose_a = #stablehlo<transpose %s>} : ($a, $b) -> $b\n  return %%x : $b\n}\n", left ? "true" : "false",
        lower ? "true" : "false", unit ? "true" : "false", transposes[i / 8 % 3]);
      GhloValue *inputs[] = { new_matrices (batch, n, FALSE, lower, !unit), new_random (type, -2, 2) };

      check_linalg ("triangular_solve", form, (const char *[]) { a, b }, inputs, 2, n);
      ghlo_value_unref (inputs[0]);
      ghlo_value_unref (inputs[1]);
    }
}

static void
test_declined (void)
{
  static const char *const text =
    "func.func @main(%x: tensor<4x4xf64>) -> tensor<4x4xf64> {\n"
    "  %y = \"stablehlo.cholesky\"(%x) {lower = true} : (tensor<4x4xf64>) -> tensor<4x4xf64>\n"
    "  return %y : tensor<4x4xf64>\n}\n";
  g_autoptr (GhloValue) input = new_random ("tensor<4x4xf64>", -1, 1);

  if (find_vulkan () == NULL)
    return;
  check_declined (text, "cholesky", &input, 1, 1, "only f32 is supported");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/linalg/cholesky", test_cholesky);
  g_test_add_func ("/vulkan/linalg/no-factor", test_no_factor);
  g_test_add_func ("/vulkan/linalg/triangular-solve", test_triangular_solve);
  g_test_add_func ("/vulkan/linalg/declined", test_declined);

  return g_test_run ();
}
