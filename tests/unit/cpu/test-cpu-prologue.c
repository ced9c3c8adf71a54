/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products with a prologue: one operand is computed from narrow weights, in all forms that programs have for that, and
 * compared with the reference executor, which computes all of it separately. Numbers are such that sums are exact in
 * any order, and that intermediate values have to be rounded, so results are the same to the bit.
 */

#include "../compiled-program.h"
#include "../reference/kernel-programs.h"
#include "../sanitized.h"

#include "execute/program.h"

enum { N_CASES = SANITIZED ? 100 : 300, MAX_INPUTS = 6 };

typedef enum { BY_TENSOR, BY_CHANNEL, BY_GROUP, N_SCALES } Scales;

/* Types of weights, and integers of them. */
typedef struct
{
  const char *type;
  gint        least, most;
} Range;

/* A random product of vectors x and a matrix of weights. */
typedef struct
{
  gint64      m, n, k, group, batch;   /* batch: 0 for none */
  Scales      scales;
  gboolean    k_is_last, is_lhs;       /* of the matrix: whether k is its last dimension, and whether it is lhs */
  gboolean    has_zero_point, has_epilogue, reshapes_first;
  const Range *range;                  /* of weights */
  const char *narrow, *scale, *type;   /* of weights, of scales, and of the product */
  GString    *text;                    /* of the function's body, then of the program */
  char       *result;                  /* type */
  guint       n_inputs;
  char       *types[MAX_INPUTS];
} Case;

static const char *
pick (const char *const *names,
      guint              n)
{
  return names[g_test_rand_int_range (0, (gint) n)];
}

static gint64
pick_size (gint64 most)
{
  return g_test_rand_int_range (1, g_test_rand_bit () ? 9 : (gint) most + 1);
}

/* Whether weights have up to four bits. */
static gboolean
is_narrow (const Case *self)
{
  return strcspn (self->narrow, "i") < 2 && strpbrk (self->narrow, "24") != NULL;
}

static void
choose (Case *self)
{
  static const Range narrow[] = {
    { "i8", -9, 9 }, { "ui8", 0, 9 }, { "i4", -8, 7 }, { "ui4", 0, 15 }, { "i2", -2, 1 }, { "i4", -8, 7 },
    { "f8E4M3FN", -9, 9 }, { "f8E5M2", -9, 9 }, { "bf16", -9, 9 }, { "f16", -9, 9 },
  };
  static const char *const wide[] = { "f32", "f32", "bf16", "f16" };

  self->m = g_test_rand_bit () ? g_test_rand_int_range (1, 5) : pick_size (70);
  self->group = 1 << g_test_rand_int_range (3, 7);
  self->scales = (Scales) g_test_rand_int_range (0, N_SCALES);
  self->k = self->scales == BY_GROUP ? self->group * g_test_rand_int_range (1, 8) : pick_size (500);
  self->n = pick_size (700);
  self->batch = g_test_rand_int_range (0, 4) == 0 ? g_test_rand_int_range (1, 4) : 0;
  self->k_is_last = g_test_rand_bit ();
  self->is_lhs = g_test_rand_int_range (0, 4) == 0;
  self->has_zero_point = g_test_rand_bit ();
  self->has_epilogue = g_test_rand_bit ();
  self->reshapes_first = g_test_rand_bit ();
  self->type = pick (wide, G_N_ELEMENTS (wide));
  /* Conversions to bf16 or f16 round, since scales have more bits. */
  self->scale = g_test_rand_bit () ? "f32" : self->type;
  self->range = &narrow[g_test_rand_int_range (0, g_str_equal (self->type, "f32") ? G_N_ELEMENTS (narrow) : 8)];
  self->narrow = self->range->type;
  /* Mostly of a size for which it pays to read weights of four bits as such. */
  if (is_narrow (self) && g_test_rand_int_range (0, 4) > 0)
    {
      self->m = g_test_rand_int_range (1, 12);
      self->n = g_test_rand_int_range (100, 700);
      self->batch = 0;
    }
}

/* Lists dimensions of the matrix, or of its scales: groups that are not split have the size 0. */
static char *
type_of (const Case *self,
         gint64      n,
         gint64      k,
         gint64      group,
         const char *element)
{
  GString *type = g_string_new ("tensor<");
  const gint64 sizes[] = { self->batch, self->k_is_last ? n : k, self->k_is_last ? k : group,
                           self->k_is_last ? group : n };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (sizes[i] > 0)
      g_string_append_printf (type, "%" G_GINT64_FORMAT "x", sizes[i]);
  g_string_append_printf (type, "%s>", element);

  return g_string_free (type, FALSE);
}

static guint
add_input (Case *self,
           char *type)
{
  self->types[self->n_inputs] = type;

  return self->n_inputs++;
}

static char *
without_groups (const Case *self,
                const char *element)
{
  return type_of (self, self->n, self->k, 0, element);
}

/* The matrix as it is while it is scaled. */
static char *
scaled_type (const Case *self,
             const char *element)
{
  return self->scales == BY_GROUP ? type_of (self, self->n, self->k / self->group, self->group, element)
                                  : without_groups (self, element);
}

/* Multiplies the value of the name @value by scales. */
static void
append_scales (Case       *self,
               const char *value)
{
  g_autofree char *full = scaled_type (self, self->scale);
  const guint first = self->batch > 0 ? 1 : 0;
  g_autofree char *dims = NULL;
  char *type;
  guint input;

  if (self->scales == BY_TENSOR)
    {
      type = g_strdup_printf ("tensor<%s>", self->scale);
      dims = g_strdup ("");
    }
  else if (self->scales == BY_CHANNEL)
    {
      type = g_strdup_printf ("tensor<%" G_GINT64_FORMAT "x%s>", self->n, self->scale);
      dims = g_strdup_printf ("%u", first + (self->k_is_last ? 0 : 1));
    }
  else
    {
      type = type_of (self, self->n, self->k / self->group, 0, self->scale);
      dims = g_strdup_printf ("%s%u, %u", first > 0 ? "0, " : "", first, first + (self->k_is_last ? 1 : 2));
    }
  input = add_input (self, type);
  g_string_append_printf (self->text, "  %%s = stablehlo.broadcast_in_dim %%arg%u, dims = [%s] : (%s) -> %s\n"
                          "  %%scaled = stablehlo.multiply %%%s, %%s : %s\n", input, dims, type, full, value, full);
}

static void
append_conversion (Case       *self,
                   const char *from,
                   const char *to,
                   const char *from_type,
                   const char *to_type)
{
  g_string_append_printf (self->text, "  %%%s = stablehlo.%s %%%s : (%s) -> %s\n", to,
                          g_str_has_suffix (to, "shaped") ? "reshape" : "convert", from, from_type, to_type);
}

/* Appends what computes the matrix %w of the product's type. */
static void
append_matrix (Case *self)
{
  const guint input = add_input (self, without_groups (self, self->narrow));
  g_autofree char *flat = without_groups (self, self->scale), *full = scaled_type (self, self->scale);
  g_autofree char *narrow = scaled_type (self, self->narrow), *last = scaled_type (self, self->type);
  g_autofree char *result = without_groups (self, self->type), *name = g_strdup_printf ("arg%u", input);
  const char *value = "wide";

  if (self->reshapes_first)
    {
      append_conversion (self, name, "shaped", self->types[input], narrow);
      append_conversion (self, "shaped", "wide", narrow, full);
    }
  else
    {
      append_conversion (self, name, "long", self->types[input], flat);
      append_conversion (self, "long", "reshaped", flat, full);
      value = "reshaped";
    }
  if (self->has_zero_point)
    {
      g_string_append_printf (self->text, "  %%zero = stablehlo.constant dense<3.0> : %s\n"
                              "  %%moved = stablehlo.subtract %%%s, %%zero : %s\n", full, value, full);
      value = "moved";
    }
  append_scales (self, value);
  append_conversion (self, "scaled", "narrowed", full, last);
  append_conversion (self, "narrowed", "w_shaped", last, result);
}

static void
append_product (Case *self)
{
  const guint k_dimension = self->batch > 0 ? 1 : 0, b = k_dimension;
  g_autofree char *matrix = without_groups (self, self->type);
  g_autofree char *batch = self->batch > 0 ? g_strdup_printf ("%" G_GINT64_FORMAT "x", self->batch) : g_strdup ("");
  char *x = g_strdup_printf ("tensor<%s%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%s>", batch, self->m, self->k,
                             self->type);
  char *result = g_strdup_printf ("tensor<%s%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%s>", batch,
                                             self->is_lhs ? self->n : self->m, self->is_lhs ? self->m : self->n,
                                             self->type);
  const guint input = add_input (self, x), of_x = b + 1, of_w = b + (self->k_is_last ? 1 : 0);
  g_autofree char *x_name = g_strdup_printf ("arg%u", input);

  g_string_append_printf (self->text,
                          "  %%y = stablehlo.dot_general %%%s, %%%s, %scontracting_dims = [%u] x [%u] : "
                          "(%s, %s) -> %s\n",
                          self->is_lhs ? "w_shaped" : x_name, self->is_lhs ? x_name : "w_shaped",
                          b > 0 ? "batching_dims = [0] x [0], " : "", self->is_lhs ? of_w : of_x,
                          self->is_lhs ? of_x : of_w, self->is_lhs ? matrix : x, self->is_lhs ? x : matrix, result);
  if (self->has_epilogue)
    g_string_append_printf (self->text, "  %%z = stablehlo.negate %%y : %s\n", result);
  g_string_append_printf (self->text, "  return %%%s : %s\n}\n", self->has_epilogue ? "z" : "y", result);
  self->result = result;
}

static void
write_text (Case *self)
{
  g_autoptr (GString) head = g_string_new ("func.func @main(");

  self->text = g_string_new (NULL);
  append_matrix (self);
  append_product (self);
  for (guint i = 0; i < self->n_inputs; i++)
    g_string_append_printf (head, "%s%%arg%u: %s", i > 0 ? ", " : "", i, self->types[i]);
  g_string_append_printf (head, ") -> %s {\n", self->result);
  g_string_prepend (self->text, head->str);
}

/* Integers from @least to @most, in units of @unit. */
static GhloValue *
new_numbers (const char *text,
             gint       least,
             gint       most,
             double     unit)
{
  GhloValue *value = new_random (text, 0, 0);

  for (gsize i = 0; i < value->n_elements; i++)
    set_number (value, i, g_test_rand_int_range (least, most + 1) * unit);

  return value;
}

static void
check_case (const Case *self,
            guint      *n_computed,
            guint      *n_packed)
{
  g_autoptr (GBytes) bytes = g_bytes_new (self->text->str, self->text->len);
  g_autoptr (GhloValue) w = new_numbers (self->types[0], self->range->least, self->range->most, 1);
  /* With excess precision, weights that go with a single vector, or of few bits, are not rounded to those of scales. */
  const gboolean rounds = g_str_equal (self->scale, "f32") || (self->m > 1 && !is_narrow (self));
  g_autoptr (GhloValue) scales = new_numbers (self->types[1], rounds ? 32 : 1, rounds ? 63 : 2, 0x1p-5);
  g_autoptr (GhloValue) x = new_numbers (self->types[2], -2, 2, 1);
  g_autoptr (GhloValue) expected = result_of (self->text->str, (GhloValue *[]) { w, scales, x }, 3);
  g_autoptr (GhloValue) found = NULL;
  g_autofree char *printed = NULL;
  g_autoptr (GError) error = NULL;
  CompiledProgram program;

  compiled_program_init (&program, "program", bytes);
  printed = ghlo_step_plan_print (ghlo_prepared_get_plan (program.compilation->prepared));
  *n_computed += strstr (printed, "computed operand") != NULL;
  *n_packed += strstr (printed, "weights of 4 bits") != NULL;
  ghlo_prepared_run (program.compilation->prepared, NULL, (GhloValue *[]) { w, scales, x }, 3, &found, NULL, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < found->n_elements; i++)
    if (number_at (found, i) != number_at (expected, i))
      g_error ("%s\n%s\nelement %" G_GSIZE_FORMAT ": expected %.9g, found %.9g", self->text->str, printed, i,
               creal (number_at (expected, i)), creal (number_at (found, i)));
  compiled_program_clear (&program);
}

static void
test_random (void)
{
  guint n_computed = 0, n_packed = 0;

  for (guint i = 0; i < N_CASES; i++)
    {
      Case c = { 0 };

      choose (&c);
      write_text (&c);
      check_case (&c, &n_computed, &n_packed);
      g_string_free (c.text, TRUE);
      g_free (c.result);
      for (guint k = 0; k < c.n_inputs; k++)
        g_free (c.types[k]);
    }
  g_test_message ("%u of %u products compute an operand, %u read weights of 4 bits", n_computed, (guint) N_CASES,
                  n_packed);
  g_assert_cmpuint (n_computed + n_packed, >, N_CASES / 2);
  g_assert_cmpuint (n_packed, >, N_CASES / 20);
}

/* Random numbers of f32, times a power of two up to 2^@range. */
static GhloValue *
new_reals (const char *text,
           double      least,
           double      most,
           gint        range)
{
  GhloValue *value = new_random (text, 0, 0);

  for (gsize i = 0; i < value->n_elements; i++)
    set_number (value, i, ldexp (g_test_rand_double_range (least, most), g_test_rand_int_range (0, range + 1)));

  return value;
}

/* Three rows, 160 columns, and three groups of 48 weights of a column. */
#define NIBBLES_OF(precision) \
  "func.func @main(%x: tensor<3x144xf32>, %w: tensor<3x48x160xui4>, %s: tensor<3x1x160xf32>, %z: tensor<3x1x160xui4>)" \
  " -> tensor<3x160xf32> {\n" \
  "  %0 = stablehlo.convert %w : (tensor<3x48x160xui4>) -> tensor<3x48x160xf32>\n" \
  "  %1 = stablehlo.convert %z : (tensor<3x1x160xui4>) -> tensor<3x1x160xf32>\n" \
  "  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<3x1x160xf32>) -> tensor<3x48x160xf32>\n" \
  "  %3 = stablehlo.subtract %0, %2 : tensor<3x48x160xf32>\n" \
  "  %4 = stablehlo.broadcast_in_dim %s, dims = [0, 1, 2] : (tensor<3x1x160xf32>) -> tensor<3x48x160xf32>\n" \
  "  %5 = stablehlo.multiply %3, %4 : tensor<3x48x160xf32>\n" \
  "  %6 = stablehlo.reshape %5 : (tensor<3x48x160xf32>) -> tensor<144x160xf32>\n" \
  "  %7 = stablehlo.dot_general %x, %6, contracting_dims = [1] x [0]" precision \
  " : (tensor<3x144xf32>, tensor<144x160xf32>) -> tensor<3x160xf32>\n" \
  "  return %7 : tensor<3x160xf32>\n}\n"

#define NIBBLES NIBBLES_OF ("")

static gboolean
reads_nibbles (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autofree char *printed = NULL;
  CompiledProgram program;

  compiled_program_init (&program, "nibbles", bytes);
  printed = ghlo_step_plan_print (ghlo_prepared_get_plan (program.compilation->prepared));
  compiled_program_clear (&program);

  return strstr (printed, "weights of 4 bits") != NULL;
}

/* Where nothing is exact, an error is that of f32, of sums of the largest absolute values; numbers that do not fit into
 * blocks, and scales for which sums of integers are no intermediate values, give what separate operations give. */
static void
test_nibbles (void)
{
  enum { M = 3, K = 144, N = 160, GROUP = 48 };
  g_autoptr (GBytes) text = g_bytes_new_static (NIBBLES, strlen (NIBBLES));
  CompiledProgram program;

  g_assert_true (reads_nibbles (NIBBLES));
  g_assert_false (reads_nibbles (NIBBLES_OF (", precision = [HIGHEST, HIGHEST]")));
  compiled_program_init (&program, "nibbles", text);
  for (guint round = 0; round < 40; round++)
    {
      g_autoptr (GhloValue) x = new_reals ("tensor<3x144xf32>", -1, 1, round % 2 == 0 ? 0 : 12);
      g_autoptr (GhloValue) w = new_numbers ("tensor<3x48x160xui4>", 0, 15, 1);
      g_autoptr (GhloValue) scales = new_reals ("tensor<3x1x160xf32>", 0.5, 1, 3);
      g_autoptr (GhloValue) zeros = new_numbers ("tensor<3x1x160xui4>", 0, 15, 1);
      GhloValue *inputs[] = { x, w, scales, zeros };
      g_autoptr (GhloValue) expected = NULL, found = NULL;
      g_autoptr (GError) error = NULL;
      const double special[] = { INFINITY, -INFINITY, NAN, 0x1p100, 0x1p-100, 0x1p-140, 0 };

      if (round >= 20)
        set_number (x, (gsize) g_test_rand_int_range (0, M * K), special[round % G_N_ELEMENTS (special)]);
      if (round >= 30)
        set_number (scales, (gsize) g_test_rand_int_range (0, 3 * N), special[round % 3 == 0 ? 0 : 6]);
      expected = result_of (NIBBLES, inputs, 4);
      ghlo_prepared_run (program.compilation->prepared, NULL, inputs, 4, &found, NULL, &error);
      g_assert_no_error (error);
      for (gsize i = 0; i < M * N; i++)
        {
          const double wanted = creal (number_at (expected, i)), b = creal (number_at (found, i));
          double sum = 0, size = 0;

          for (gsize k = 0; k < K; k++)
            {
              const gsize at = k / GROUP * N + i % N;
              const double factor = creal (number_at (x, i / N * K + k) * number_at (scales, at));

              sum += factor * creal (number_at (w, k * N + i % N) - number_at (zeros, at));
              size += 16 * fabs (factor);
            }
          g_assert_true (isfinite (size) ? fabs (sum - b) <= size * (round < 20 ? 0x1p-23 : 0x1p-20)
                                         : wanted == b || (isnan (wanted) && isnan (b)));
        }
    }
  compiled_program_clear (&program);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/cpu-prologue/random", test_random);
  g_test_add_func ("/cpu-prologue/nibbles", test_nibbles);

  return g_test_run ();
}
