/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attention as programs write it, for the tests of each device's step.
 */

#pragma once

#include "reference/kernel-programs.h"

typedef void (*FillFunc) (GhloValue *value,
                          guint      index);

/* Scores are of the order of some units, so that weights differ. */
static inline void
fill_real (GhloValue *value,
           guint      index)
{
  const gboolean is_float = ghlo_element_type_is_float (value->type->element_type);

  for (gsize i = 0; i < value->n_elements; i++)
    set_number (value, i, is_float ? g_test_rand_double_range (-1, 1) : g_test_rand_int_range (0, 4) > 0);
}

static inline void
compare (const GhloValue *found,
         const GhloValue *wanted,
         double           tolerance,
         const char      *text,
         const char      *plan)
{
  g_assert_cmpuint (found->n_elements, ==, wanted->n_elements);
  for (gsize k = 0; k < found->n_elements; k++)
    {
      const double x = creal (number_at (found, k)), y = creal (number_at (wanted, k));

      if (!(fabs (x - y) <= tolerance || (isnan (x) && isnan (y)) || x == y))
        g_error ("element %" G_GSIZE_FORMAT " is %g, and %g as it is written, of\n%s\n%s", k, x, y, text, plan);
    }
}

/* One case: {b} batches of {h} heads, {m} rows, {l} keys, {k} features, {n} columns; operands of type {t}, a softmax
 * of type {s}, whose maxima start from {i}; the middle part computes the logits. */
typedef struct
{
  guint       b, h, m, l, k, n;
  const char *type, *softmax;
  const char *arguments, *logits;       /* from %s to %x, of type {x} */
  const char *empty;                    /* nullable: from the softmax %p to the weights %g, of type {y} */
} Case;

static const char form[] =
  "func.func @main(%q: tensor<{b}x{h}x{m}x{k}x{t}>, %k: tensor<{b}x{h}x{l}x{k}x{t}>, "
  "%v: tensor<{b}x{h}x{l}x{n}x{t}>{a}) -> tensor<{b}x{h}x{m}x{n}x{t}> {\n"
  "  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : "
  "(tensor<{b}x{h}x{m}x{k}x{t}>, tensor<{b}x{h}x{l}x{k}x{t}>) -> {x}\n"
  "{logits}"
  "  %y = stablehlo.convert %x : ({x}) -> {y}\n"
  "  %least = stablehlo.constant dense<{i}> : tensor<{s}>\n"
  "  %zero = stablehlo.constant dense<0.0> : tensor<{s}>\n"
  "  %m0 = stablehlo.reduce(%y init: %least) applies stablehlo.maximum across dimensions = [3] : "
  "({y}, tensor<{s}>) -> tensor<{b}x{h}x{m}x{s}>\n"
  "  %m1 = stablehlo.reshape %m0 : (tensor<{b}x{h}x{m}x{s}>) -> tensor<{b}x{h}x{m}x1x{s}>\n"
  "  %m2 = stablehlo.broadcast_in_dim %m1, dims = [0, 1, 2, 3] : (tensor<{b}x{h}x{m}x1x{s}>) -> {y}\n"
  "  %d = stablehlo.subtract %y, %m2 : {y}\n"
  "  %e = stablehlo.exponential %d : {y}\n"
  "  %t0 = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : "
  "({y}, tensor<{s}>) -> tensor<{b}x{h}x{m}x{s}>\n"
  "  %t1 = stablehlo.broadcast_in_dim %t0, dims = [0, 1, 2] : (tensor<{b}x{h}x{m}x{s}>) -> {y}\n"
  "  %p = stablehlo.divide %e, %t1 : {y}\n"
  "{empty}"
  "  %w = stablehlo.convert %g : ({y}) -> {x}\n"
  "  %o = stablehlo.dot_general %w, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : "
  "({x}, tensor<{b}x{h}x{l}x{n}x{t}>) -> tensor<{b}x{h}x{m}x{n}x{t}>\n"
  "  return %o : tensor<{b}x{h}x{m}x{n}x{t}>\n}\n";

#define PLAIN "  %x = stablehlo.reshape %s : ({x}) -> {x}\n"
#define SCALE(operation, factor) \
  "  %c = stablehlo.constant dense<" factor "> : {x}\n" \
  "  %x = stablehlo." operation " %s, %c : {x}\n"
/* Excludes everything above the diagonal. */
#define CAUSAL(least) \
  "  %c = stablehlo.constant dense<0.5> : {x}\n" \
  "  %r = stablehlo.multiply %s, %c : {x}\n" \
  "  %c0 = stablehlo.iota dim = 0 : tensor<{m}x{l}xi32>\n" \
  "  %c1 = stablehlo.iota dim = 1 : tensor<{m}x{l}xi32>\n" \
  "  %c2 = stablehlo.compare GE, %c0, %c1 : (tensor<{m}x{l}xi32>, tensor<{m}x{l}xi32>) -> tensor<{m}x{l}xi1>\n" \
  "  %c3 = stablehlo.broadcast_in_dim %c2, dims = [2, 3] : (tensor<{m}x{l}xi1>) -> tensor<{b}x{h}x{m}x{l}xi1>\n" \
  "  %low = stablehlo.constant dense<" least "> : {x}\n" \
  "  %x = stablehlo.select %c3, %r, %low : tensor<{b}x{h}x{m}x{l}xi1>, {x}\n"
/* A mask of bits for each batch, and an added mask for each head, row and key. */
#define MASKS(least) \
  "  %low = stablehlo.constant dense<" least "> : {x}\n" \
  "  %c0 = stablehlo.broadcast_in_dim %m, dims = [0, 3] : (tensor<{b}x{l}xi1>) -> tensor<{b}x{h}x{m}x{l}xi1>\n" \
  "  %c1 = stablehlo.select %c0, %s, %low : tensor<{b}x{h}x{m}x{l}xi1>, {x}\n" \
  "  %c2 = stablehlo.broadcast_in_dim %a, dims = [1, 2, 3] : (tensor<{h}x{m}x{l}x{t}>) -> {x}\n" \
  "  %x = stablehlo.add %c1, %c2 : {x}\n"
/* Rows whose logits are all minus infinity have no weights: three spellings, by whether any key counts or none does. */
#define NO_WEIGHTS_BEGIN(direction) \
  "  %n0 = stablehlo.constant dense<{i}> : {y}\n" \
  "  %n1 = stablehlo.compare " direction ", %y, %n0, FLOAT : ({y}, {y}) -> {p}\n"
#define NO_WEIGHTS_REDUCE(operand, combiner, begin) \
  "  %n3 = stablehlo.constant dense<" begin "> : tensor<i1>\n" \
  "  %n4 = stablehlo.reduce(" operand " init: %n3) applies stablehlo." combiner " across dimensions = [3] : " \
  "({p}, tensor<i1>) -> tensor<{b}x{h}x{m}xi1>\n" \
  "  %n5 = stablehlo.reshape %n4 : (tensor<{b}x{h}x{m}xi1>) -> tensor<{b}x{h}x{m}x1xi1>\n"
#define NO_WEIGHTS_SELECT(row, choice) \
  "  %n7 = stablehlo.broadcast_in_dim " row ", dims = [0, 1, 2, 3] : (tensor<{b}x{h}x{m}x1xi1>) -> {p}\n" \
  "  %n8 = stablehlo.constant dense<0.0> : {y}\n" \
  "  %g = stablehlo.select %n7, " choice " : {p}, {y}\n"
#define NO_WEIGHTS_UNLESS_ANY \
  NO_WEIGHTS_BEGIN ("EQ") "  %n2 = stablehlo.not %n1 : {p}\n" NO_WEIGHTS_REDUCE ("%n2", "or", "false") \
  "  %n6 = stablehlo.not %n5 : tensor<{b}x{h}x{m}x1xi1>\n" NO_WEIGHTS_SELECT ("%n6", "%n8, %p")
#define NO_WEIGHTS_IF_NONE \
  NO_WEIGHTS_BEGIN ("EQ") NO_WEIGHTS_REDUCE ("%n1", "and", "true") NO_WEIGHTS_SELECT ("%n5", "%n8, %p")
#define WEIGHTS_IF_ANY \
  NO_WEIGHTS_BEGIN ("NE") NO_WEIGHTS_REDUCE ("%n1", "or", "false") NO_WEIGHTS_SELECT ("%n5", "%p, %n8")
/* The same in wrong ways, which are no attention. */
#define WEIGHTS_UNLESS_ANY \
  NO_WEIGHTS_BEGIN ("NE") NO_WEIGHTS_REDUCE ("%n1", "or", "false") NO_WEIGHTS_SELECT ("%n5", "%n8, %p")
#define WEIGHTS_IF_ALL \
  NO_WEIGHTS_BEGIN ("NE") NO_WEIGHTS_REDUCE ("%n1", "and", "true") NO_WEIGHTS_SELECT ("%n5", "%p, %n8")

#define MASK_ARGUMENTS ", %m: tensor<{b}x{l}xi1>, %a: tensor<{h}x{m}x{l}x{t}>"

static inline const char *
find_least (const char *type)
{
  return g_str_equal (type, "bf16") ? "0xFF80" : g_str_equal (type, "f16") ? "0xFC00"
         : g_str_equal (type, "f64") ? "0xFFF0000000000000" : "0xFF800000";
}

static inline char *
print_case (const Case *self)
{
  GString *string = g_string_new (form);
  const struct { const char *token; char *value; } tokens[] = {
    { "{empty}", g_strdup (self->empty != NULL ? self->empty : "  %g = stablehlo.reshape %p : ({y}) -> {y}\n") },
    { "{p}", g_strdup ("tensor<{b}x{h}x{m}x{l}xi1>") },
    { "{logits}", g_strdup (self->logits) }, { "{a}", g_strdup (self->arguments) },
    { "{x}", g_strdup ("tensor<{b}x{h}x{m}x{l}x{t}>") }, { "{y}", g_strdup ("tensor<{b}x{h}x{m}x{l}x{s}>") },
    { "{b}", g_strdup_printf ("%u", self->b) }, { "{h}", g_strdup_printf ("%u", self->h) },
    { "{m}", g_strdup_printf ("%u", self->m) }, { "{l}", g_strdup_printf ("%u", self->l) },
    { "{k}", g_strdup_printf ("%u", self->k) }, { "{n}", g_strdup_printf ("%u", self->n) },
    { "{t}", g_strdup (self->type) }, { "{s}", g_strdup (self->softmax) },
    { "{i}", g_strdup (find_least (self->softmax)) },
  };

  for (guint i = 0; i < G_N_ELEMENTS (tokens); i++)
    {
      g_string_replace (string, tokens[i].token, tokens[i].value, 0);
      g_free (tokens[i].value);
    }

  return g_string_free (string, FALSE);
}

/* Scores of all kinds of numbers: some queries and keys are NaN or infinite, and so are some of the numbers added. */
static inline void
fill_special (GhloValue *value,
              guint      index)
{
  static const double numbers[] = { NAN, INFINITY, -INFINITY, 0 };

  fill_real (value, index);
  if (!ghlo_element_type_is_float (value->type->element_type) || index == 2)
    return;
  for (guint i = 0; i < 8; i++)
    set_number (value, (gsize) g_test_rand_int_range (0, (gint) value->n_elements),
                numbers[index == 4 ? 1 + i % 2 : i % 4]);
}

/* All keys of the first batch are masked, and the later keys of the others. */
static inline void
fill_masked (GhloValue *value,
             guint      index)
{
  fill_real (value, index);
  for (gsize i = 0; index == 3 && i < value->n_elements; i++)
    set_number (value, i, i >= value->n_elements / 2 && i < value->n_elements / 2 + 3);
}

#define SOFTMAX(shape, rows, reduced, dims) \
  "  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>\n" \
  "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n" \
  "  %m0 = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = " reduced " : " \
  "(tensor<" shape "xf32>, tensor<f32>) -> tensor<" rows "xf32>\n" \
  "  %m1 = stablehlo.broadcast_in_dim %m0, dims = " dims " : (tensor<" rows "xf32>) -> tensor<" shape "xf32>\n" \
  "  %d = stablehlo.subtract %x, %m1 : tensor<" shape "xf32>\n" \
  "  %e = stablehlo.exponential %d : tensor<" shape "xf32>\n" \
  "  %t0 = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = " reduced " : " \
  "(tensor<" shape "xf32>, tensor<f32>) -> tensor<" rows "xf32>\n" \
  "  %t1 = stablehlo.broadcast_in_dim %t0, dims = " dims " : (tensor<" rows "xf32>) -> tensor<" shape "xf32>\n" \
  "  %p = stablehlo.divide %e, %t1 : tensor<" shape "xf32>\n"

/* Other forms in which programs express attention, and the other steps that they have. */
static const struct { const char *text; guint n_others; } attention_forms[] = {
  /* Operands and result are slices of one tensor with heads as inner dimension, as in layers. */
  { "func.func @main(%qkv: tensor<2x12x3x4x8xf32>) -> tensor<2x12x32xf32> {\n"
  "  %q0 = stablehlo.slice %qkv [0:2, 0:12, 0:1, 0:4, 0:8] : (tensor<2x12x3x4x8xf32>) -> tensor<2x12x1x4x8xf32>\n"
  "  %k0 = stablehlo.slice %qkv [0:2, 0:12, 1:2, 0:4, 0:8] : (tensor<2x12x3x4x8xf32>) -> tensor<2x12x1x4x8xf32>\n"
  "  %v0 = stablehlo.slice %qkv [0:2, 0:12, 2:3, 0:4, 0:8] : (tensor<2x12x3x4x8xf32>) -> tensor<2x12x1x4x8xf32>\n"
  "  %q = stablehlo.reshape %q0 : (tensor<2x12x1x4x8xf32>) -> tensor<2x12x4x8xf32>\n"
  "  %k = stablehlo.reshape %k0 : (tensor<2x12x1x4x8xf32>) -> tensor<2x12x4x8xf32>\n"
  "  %v = stablehlo.reshape %v0 : (tensor<2x12x1x4x8xf32>) -> tensor<2x12x4x8xf32>\n"
  "  %x = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : "
  "(tensor<2x12x4x8xf32>, tensor<2x12x4x8xf32>) -> tensor<2x4x12x12xf32>\n"
  SOFTMAX ("2x4x12x12", "2x4x12", "[3]", "[0, 1, 2]")
  "  %o = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : "
  "(tensor<2x4x12x12xf32>, tensor<2x12x4x8xf32>) -> tensor<2x4x12x8xf32>\n"
  "  %t = stablehlo.transpose %o, dims = [0, 2, 1, 3] : (tensor<2x4x12x8xf32>) -> tensor<2x12x4x8xf32>\n"
  "  %r = stablehlo.reshape %t : (tensor<2x12x4x8xf32>) -> tensor<2x12x32xf32>\n"
  "  return %r : tensor<2x12x32xf32>\n}\n", 0 },
  /* Several query heads share one key and value head, as dimensions that keys and values lack. */
  { "func.func @main(%q: tensor<2x2x3x10x8xf32>, %k: tensor<2x2x40x8xf32>, %v: tensor<2x2x40x6xf32>) -> "
  "tensor<2x2x3x10x6xf32> {\n"
  "  %x = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [4] x [3] : "
  "(tensor<2x2x3x10x8xf32>, tensor<2x2x40x8xf32>) -> tensor<2x2x3x10x40xf32>\n"
  SOFTMAX ("2x2x3x10x40", "2x2x3x10", "[4]", "[0, 1, 2, 3]")
  "  %o = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [4] x [2] : "
  "(tensor<2x2x3x10x40xf32>, tensor<2x2x40x6xf32>) -> tensor<2x2x3x10x6xf32>\n"
  "  return %o : tensor<2x2x3x10x6xf32>\n}\n", 0 },
  /* The same by broadcasting keys and values, as a copy where no pass has folded the broadcast into the products. */
  { "func.func @main(%q: tensor<2x6x10x8xf32>, %k0: tensor<2x2x40x8xf32>, %v0: tensor<2x2x40x6xf32>) -> "
  "tensor<2x6x10x6xf32> {\n"
  "  %k1 = stablehlo.broadcast_in_dim %k0, dims = [0, 1, 3, 4] : (tensor<2x2x40x8xf32>) -> tensor<2x2x3x40x8xf32>\n"
  "  %k = stablehlo.reshape %k1 : (tensor<2x2x3x40x8xf32>) -> tensor<2x6x40x8xf32>\n"
  "  %v1 = stablehlo.broadcast_in_dim %v0, dims = [0, 1, 3, 4] : (tensor<2x2x40x6xf32>) -> tensor<2x2x3x40x6xf32>\n"
  "  %v = stablehlo.reshape %v1 : (tensor<2x2x3x40x6xf32>) -> tensor<2x6x40x6xf32>\n"
  "  %x = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : "
  "(tensor<2x6x10x8xf32>, tensor<2x6x40x8xf32>) -> tensor<2x6x10x40xf32>\n"
  SOFTMAX ("2x6x10x40", "2x6x10", "[3]", "[0, 1, 2]")
  "  %o = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : "
  "(tensor<2x6x10x40xf32>, tensor<2x6x40x6xf32>) -> tensor<2x6x10x6xf32>\n"
  "  return %o : tensor<2x6x10x6xf32>\n}\n", 2 },
  /* Keys are the first operand of the product, the softmax is over the leading dimension, and values are a first
   * operand as well. */
  { "func.func @main(%q: tensor<8x20xf32>, %k: tensor<33x8xf32>, %v: tensor<5x33xf32>) -> tensor<5x20xf32> {\n"
  "  %x = stablehlo.dot_general %k, %q, contracting_dims = [1] x [0] : (tensor<33x8xf32>, tensor<8x20xf32>) -> "
  "tensor<33x20xf32>\n"
  SOFTMAX ("33x20", "20", "[0]", "[1]")
  "  %o = stablehlo.dot_general %v, %p, contracting_dims = [1] x [0] : (tensor<5x33xf32>, tensor<33x20xf32>) -> "
  "tensor<5x20xf32>\n"
  "  return %o : tensor<5x20xf32>\n}\n", 0 },
  /* The softmax is over two dimensions, and there are two feature dimensions. */
  { "func.func @main(%q: tensor<20x2x4xf32>, %k: tensor<2x5x4x3xf32>, %v: tensor<5x3x7xf32>) -> tensor<20x7xf32> {\n"
  "  %x = stablehlo.dot_general %q, %k, contracting_dims = [1, 2] x [0, 2] : (tensor<20x2x4xf32>, "
  "tensor<2x5x4x3xf32>) -> tensor<20x5x3xf32>\n"
  SOFTMAX ("20x5x3", "20", "[1, 2]", "[0]")
  "  %o = stablehlo.dot_general %p, %v, contracting_dims = [1, 2] x [0, 1] : (tensor<20x5x3xf32>, "
  "tensor<5x3x7xf32>) -> tensor<20x7xf32>\n"
  "  return %o : tensor<20x7xf32>\n}\n", 0 },
  /* Only values are repeated over batches. */
  { "func.func @main(%q: tensor<3x10x8xf32>, %k: tensor<3x17x8xf32>, %v: tensor<17x6xf32>) -> tensor<3x10x6xf32> {\n"
  "  %x = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : "
  "(tensor<3x10x8xf32>, tensor<3x17x8xf32>) -> tensor<3x10x17xf32>\n"
  SOFTMAX ("3x10x17", "3x10", "[2]", "[0, 1]")
  "  %o = stablehlo.dot_general %p, %v, contracting_dims = [2] x [0] : (tensor<3x10x17xf32>, tensor<17x6xf32>) -> "
  "tensor<3x10x6xf32>\n"
  "  return %o : tensor<3x10x6xf32>\n}\n", 0 },
};
