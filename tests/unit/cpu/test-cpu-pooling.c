/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Maxima, minima and sums over windows, and the gradients of maxima and minima, compared with the reference executor:
 * windows of any size, stride, dilation and padding, over numbers that include ties, infinities, NaNs and zeros of both
 * signs.
 */

#include "cpu-steps.h"

#include "kernel/kernel.h"

enum { MOST = 5 };

/* The windows of a tensor, whose last dimension has none at first. */
typedef struct
{
  guint  rank;
  gint64 operand[MOST], result[MOST];
  gint64 window[MOST], step[MOST], dilation[MOST], low[MOST], high[MOST];
} Windows;

/* Without dilations if @plain. */
static void
choose_windows (Windows  *self,
                gboolean  plain)
{
  guint windowed;

  *self = (Windows) { .rank = (guint) g_test_rand_int_range (2, MOST + 1) };
  windowed = (guint) g_test_rand_int_range (0, (gint) self->rank - 1);
  for (guint i = 0; i < self->rank; i++)
    {
      gboolean has_window = i == windowed || (i + 1 < self->rank && g_test_rand_bit ());
      gint64 reach;

      self->window[i] = has_window ? g_test_rand_int_range (1, 4) : 1;
      self->step[i] = has_window ? g_test_rand_int_range (1, 4) : 1;
      self->dilation[i] = has_window && !plain ? g_test_rand_int_range (1, 3) : 1;
      reach = (self->window[i] - 1) * self->dilation[i] + 1;
      self->low[i] = has_window && g_test_rand_bit () ? g_test_rand_int_range (plain ? 0 : -1, 4) : 0;
      self->high[i] = has_window && g_test_rand_bit () ? g_test_rand_int_range (plain ? 0 : -1, 4) : 0;
      self->operand[i] = i + 1 == self->rank ? g_test_rand_int_range (4, 75) : g_test_rand_int_range (1, 7);
      self->operand[i] = MAX (self->operand[i], reach - self->low[i] - self->high[i]);
      self->result[i] = (self->operand[i] + self->low[i] + self->high[i] - reach) / self->step[i] + 1;
    }
  /* At least one dimension must have windows. */
  if (self->window[windowed] == 1 && self->step[windowed] == 1)
    {
      self->step[windowed] = 2;
      self->result[windowed] = (self->operand[windowed] + self->low[windowed] + self->high[windowed] - 1) / 2 + 1;
    }
}

/* Exchanges the last dimension, which has no window, with another one. */
static void
exchange_last (Windows *self)
{
  gint64 *const numbers[] = { self->operand, self->result, self->window, self->step, self->dilation, self->low,
                              self->high };
  guint other = (guint) g_test_rand_int_range (0, (gint) self->rank);

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      gint64 last = numbers[i][self->rank - 1];

      numbers[i][self->rank - 1] = numbers[i][other];
      numbers[i][other] = last;
    }
}

/* Makes the last dimension a long one, with windows of any stride. */
static void
stretch_last (Windows *self)
{
  const guint last = self->rank - 1;

  self->window[last] = g_test_rand_int_range (1, 10);
  self->step[last] = g_test_rand_int_range (1, 10);
  self->dilation[last] = g_test_rand_int_range (1, 3);
  self->low[last] = g_test_rand_int_range (0, 4);
  self->high[last] = g_test_rand_int_range (0, 4);
  self->operand[last] = g_test_rand_int_range (40, 400);
  self->result[last] = (self->operand[last] + self->low[last] + self->high[last]
                        - (self->window[last] - 1) * self->dilation[last] - 1) / self->step[last] + 1;
}

static char *
print_type (const gint64 *dimensions,
            guint         rank,
            const char   *element)
{
  g_autoptr (GString) text = g_string_new ("tensor<");

  for (guint i = 0; i < rank; i++)
    g_string_append_printf (text, "%" G_GINT64_FORMAT "x", dimensions[i]);
  g_string_append_printf (text, "%s>", element);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
append_numbers (GString      *text,
                const char   *name,
                const gint64 *numbers,
                guint         rank)
{
  g_string_append_printf (text, "%s = array<i64", name);
  for (guint i = 0; i < rank; i++)
    g_string_append_printf (text, "%s %" G_GINT64_FORMAT, i > 0 ? "," : ":", numbers[i]);
  g_string_append (text, ">, ");
}

static char *
print_windows (const Windows *self,
               gboolean       dilations)
{
  g_autoptr (GString) text = g_string_new ("{");

  append_numbers (text, "window_dimensions", self->window, self->rank);
  append_numbers (text, "window_strides", self->step, self->rank);
  if (dilations)
    append_numbers (text, "window_dilations", self->dilation, self->rank);
  g_string_append (text, "padding = dense<[");
  for (guint i = 0; i < self->rank; i++)
    g_string_append_printf (text, "%s[%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]", i > 0 ? ", " : "", self->low[i],
                            self->high[i]);
  g_string_append_printf (text, "]> : tensor<%ux2xi64>}", self->rank);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Few distinct numbers, so that many are equal; with @specials including those that compare in unusual ways. */
static GhloValue *
new_numbers (const char *type,
             gboolean    specials)
{
  static const double special[] = { 0.0, -0.0, INFINITY, -INFINITY, NAN };
  GhloValue *value = new_random (type, -2, 2);

  for (gsize i = 0; i < value->n_elements; i++)
    if (specials && g_test_rand_int_range (0, 6) == 0)
      set_number (value, i, special[g_test_rand_int_range (0, G_N_ELEMENTS (special))]);
    else if (g_test_rand_bit ())
      set_number (value, i, g_test_rand_int_range (-2, 3));

  return value;
}

/* The maximal number of axes of a kernel. */
static guint
count_axes (const Windows *self)
{
  guint n = self->rank;

  for (guint i = 0; i < self->rank; i++)
    n += self->window[i] > 1;

  return n;
}

static void
test_pools (void)
{
  static const char *const kinds[] = { "maximum", "minimum", "add" };
  static const char *const elements[] = { "f32", "f64", "bf16", "f16", "i8", "ui16", "i32", "i64" };
  static const char *const nans[] = { "0x7FC00000", "0x7FF8000000000000", "0x7FC0", "0x7E00" };

  for (guint i = 0; i < 600; i++)
    {
      const char *kind = kinds[i % 3], *element = elements[i / 3 % G_N_ELEMENTS (elements)];
      gboolean is_float = strchr (element, 'f') != NULL;
      const char *start = !is_float ? (i % 3 == 2 ? "0" : "3") : i % 3 == 2 ? (i % 2 ? "0.0" : "-0.0")
                          : i % 3 == 0 ? "-1.5" : nans[i / 3 % G_N_ELEMENTS (elements)];
      g_autofree char *operand = NULL, *result = NULL, *attributes = NULL, *text = NULL;
      g_autoptr (GhloValue) a = NULL;
      Windows w;

      choose_windows (&w, FALSE);
      if (g_test_rand_bit ())
        exchange_last (&w);
      if (w.rank == 2)
        stretch_last (&w);
      operand = print_type (w.operand, w.rank, element);
      result = print_type (w.result, w.rank, element);
      attributes = print_windows (&w, TRUE);
      text = g_strdup_printf ("func.func @main(%%a: %s) -> %s {\n  %%i = stablehlo.constant dense<%s> : tensor<%s>\n"
                              "  %%0 = \"stablehlo.reduce_window\"(%%a, %%i) ({\n  ^bb0(%%x: tensor<%s>, %%y: "
                              "tensor<%s>):\n    %%z = stablehlo.%s %%x, %%y : tensor<%s>\n    stablehlo.return %%z : "
                              "tensor<%s>\n  }) %s : (%s, tensor<%s>) -> %s\n  return %%0 : %s\n}\n", operand, result,
                              start, element, element, element, kind, element, element, attributes, operand, element,
                              result, result);
      a = new_numbers (operand, is_float && i % 4 == 0);
      g_assert_true (step_check (text, "kernel", &a, 1, STEP_SAME) || count_axes (&w) > GHLO_KERNEL_MAX_AXES);
    }
}

/* The dense copy of an operand with other strides has a kernel with longer rows, which need more scratch memory. */
static void
test_scratch (void)
{
  const char *text = "func.func @main(%a: tensor<26x1x11xui64>) -> tensor<15x1x11xui64> {\n  %i = stablehlo.constant "
                     "dense<3> : tensor<ui64>\n  %0 = \"stablehlo.reduce_window\"(%a, %i) ({\n  ^bb0(%x: tensor<ui64>, "
                     "%y: tensor<ui64>):\n    %z = stablehlo.maximum %x, %y : tensor<ui64>\n    stablehlo.return %z : "
                     "tensor<ui64>\n  }) {window_dimensions = array<i64: 12, 1, 1>} : (tensor<26x1x11xui64>, "
                     "tensor<ui64>) -> tensor<15x1x11xui64>\n  return %0 : tensor<15x1x11xui64>\n}\n";

  for (guint i = 0; i < 50; i++)
    {
      g_autoptr (GhloValue) a = new_numbers ("tensor<26x1x11xui64>", FALSE);

      g_assert_true (step_check (text, "kernel", &a, 1, STEP_SAME));
    }
}

static char *
print_gradient (const char *operand,
                const char *source,
                const char *element,
                const char *direction,
                const char *start,
                const char *attributes)
{
  return g_strdup_printf ("func.func @main(%%a: %s, %%b: %s) -> %s {\n  %%i = stablehlo.constant dense<%s> : tensor<%s>"
                          "\n  %%0 = \"stablehlo.select_and_scatter\"(%%a, %%b, %%i) ({\n  ^bb0(%%x: tensor<%s>, %%y: "
                          "tensor<%s>):\n    %%z = stablehlo.compare %s, %%x, %%y : (tensor<%s>, tensor<%s>) -> "
                          "tensor<i1>\n    stablehlo.return %%z : tensor<i1>\n  }, {\n  ^bb0(%%x: tensor<%s>, %%y: "
                          "tensor<%s>):\n    %%z = stablehlo.add %%x, %%y : tensor<%s>\n    stablehlo.return %%z : "
                          "tensor<%s>\n  }) %s : (%s, %s, tensor<%s>) -> %s\n  return %%0 : %s\n}\n", operand, source,
                          operand, start, element, element, element, direction, element, element, element, element,
                          element, element, attributes, operand, source, element, operand, operand);
}

static void
test_gradients (void)
{
  static const char *const directions[] = { "GE", "GT", "LE", "LT" };
  static const char *const elements[] = { "f32", "f64" };

  for (guint i = 0; i < 400; i++)
    {
      const char *element = elements[i / 4 % 2];
      g_autofree char *operand = NULL, *source = NULL, *attributes = NULL, *text = NULL;
      g_autoptr (GhloValue) a = NULL, b = NULL;
      Windows w;

      choose_windows (&w, TRUE);
      operand = print_type (w.operand, w.rank, element);
      source = print_type (w.result, w.rank, element);
      attributes = print_windows (&w, FALSE);
      text = print_gradient (operand, source, element, directions[i % 4], "0.0", attributes);
      a = new_numbers (operand, i % 5 == 0);
      b = new_numbers (source, i % 3 == 0);
      g_assert_true (step_check (text, "pool_gradient", (GhloValue *[]) { a, b }, 2, STEP_SAME));
    }
}

/* Windows that the routines do not support are declined. */
static void
test_declined (void)
{
  g_autoptr (GhloValue) a = new_random ("tensor<3x6x8xf32>", -2, 2), b = new_random ("tensor<3x3x8xf32>", -2, 2);
  g_autoptr (GhloValue) c = new_random ("tensor<3x6x8xf32>", -2, 2), d = new_random ("tensor<3x6x4xf32>", -2, 2);
  const char *rows = "{window_dimensions = array<i64: 1, 2, 1>, window_strides = array<i64: 1, 2, 1>}";
  const char *elements = "{window_dimensions = array<i64: 1, 1, 2>, window_strides = array<i64: 1, 1, 2>}";
  g_autofree char *taken = print_gradient ("tensor<3x6x8xf32>", "tensor<3x3x8xf32>", "f32", "GE", "0.0", rows);
  g_autofree char *start = print_gradient ("tensor<3x6x8xf32>", "tensor<3x3x8xf32>", "f32", "GE", "1.0", rows);
  g_autofree char *sign = print_gradient ("tensor<3x6x8xf32>", "tensor<3x3x8xf32>", "f32", "GE", "-0.0", rows);
  g_autofree char *order = print_gradient ("tensor<3x6x8xf32>", "tensor<3x3x8xf32>", "f32", "NE", "0.0", rows);
  g_autofree char *inner = print_gradient ("tensor<3x6x8xf32>", "tensor<3x6x4xf32>", "f32", "GE", "0.0", elements);

  g_assert_true (step_check (taken, "pool_gradient", (GhloValue *[]) { a, b }, 2, STEP_SAME));
  g_assert_false (step_check (start, "pool_gradient", (GhloValue *[]) { a, b }, 2, STEP_SAME));
  g_assert_false (step_check (sign, "pool_gradient", (GhloValue *[]) { a, b }, 2, STEP_SAME));
  g_assert_false (step_check (order, "pool_gradient", (GhloValue *[]) { a, b }, 2, STEP_SAME));
  g_assert_false (step_check (inner, "pool_gradient", (GhloValue *[]) { c, d }, 2, STEP_SAME));
}

/* Rows that several threads share. */
static void
test_large (void)
{
  const char *attributes = "{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, "
                           "padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>}";
  g_autofree char *text = print_gradient ("tensor<2x61x57x32xf32>", "tensor<2x31x29x32xf32>", "f32", "GE", "0.0",
                                          attributes);
  g_autoptr (GhloValue) a = new_numbers ("tensor<2x61x57x32xf32>", FALSE);
  g_autoptr (GhloValue) b = new_numbers ("tensor<2x31x29x32xf32>", FALSE);

  g_assert_true (step_check (text, "pool_gradient", (GhloValue *[]) { a, b }, 2, STEP_SAME));
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/cpu-pooling/pools", test_pools);
  g_test_add_func ("/cpu-pooling/scratch", test_scratch);
  g_test_add_func ("/cpu-pooling/gradients", test_gradients);
  g_test_add_func ("/cpu-pooling/declined", test_declined);
  g_test_add_func ("/cpu-pooling/large", test_large);

  return g_test_run ();
}
