/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reductions on the CPU compared with the reference executor: every operation on every type, over any dimensions, with
 * special values where no rounding takes place.
 */

#include "../passes/pass-help.h"
#include "cpu-steps.h"
#include "cpu/isa/elementwise.h"
#include "cpu/steps.h"
#include "kernel/scalar.h"

#include <string.h>

/* Equal bits, or both NaN. */
#define EXACT STEP_SAME

static const char *const integer_types[] = {
  "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", NULL,
};
static const char *const float_types[] = { "bf16", "f16", "f32", "f64", NULL };
static const char *const boolean_types[] = { "i1", NULL };

static char *
join (const gint64 *numbers,
      guint         n,
      const char   *between)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? between : "", numbers[i]);

  return g_string_free (text, FALSE);
}

static char *
tensor_of (const gint64 *dimensions,
           guint         rank,
           const char   *type)
{
  g_autofree char *shape = join (dimensions, rank, "x");

  return g_strdup_printf ("tensor<%s%s%s>", shape, rank > 0 ? "x" : "", type);
}

typedef struct
{
  gint64 dimensions[6], reduced[6];
  guint  rank, n_reduced;
} Shape;

static char *
make_program (const Shape *shape,
              const char  *operation,
              const char  *type)
{
  gint64 kept[6] = { 0 };
  guint n_kept = 0;
  g_autofree char *input = tensor_of (shape->dimensions, shape->rank, type), *result = NULL;
  g_autofree char *reduced = join (shape->reduced, shape->n_reduced, ", ");

  for (guint d = 0; d < shape->rank; d++)
    {
      gboolean is_reduced = FALSE;

      for (guint i = 0; i < shape->n_reduced; i++)
        is_reduced |= shape->reduced[i] == d;
      if (!is_reduced)
        kept[n_kept++] = shape->dimensions[d];
    }
  result = tensor_of (kept, n_kept, type);

  return g_strdup_printf ("func.func @main(%%a: %s, %%i: tensor<%s>) -> %s {\n"
                          "  %%0 = stablehlo.reduce(%%a init: %%i) applies stablehlo.%s across dimensions = [%s] : "
                          "(%s, tensor<%s>) -> %s\n  return %%0 : %s\n}\n",
                          input, type, result, operation, reduced, input, type, result, result);
}

static void
fill (GhloValue *value,
      gboolean   special,
      gboolean   near_one)
{
  GhloElementType type = value->type->element_type;
  gsize size = ghlo_element_info (type)->size;

  for (gsize i = 0; i < value->n_elements; i++)
    {
      guint number = (guint) g_test_rand_int_range (0, 1 << 20);
      GhloScalar scalar = special ? pass_special (type, number) : pass_ordinary (type, number);

      /* Products of powers of two are exact. */
      if (near_one)
        scalar.f = (number & 1 ? -1 : 1) * (number % 4096 == 7 ? 2 : number % 4096 == 9 ? 0.5 : 1);
      ghlo_element_store (type, value->data + i * size, scalar);
    }
}

/* Sums of floats are rounded in another order; all other results must be equal. */
static double
tolerance_of (const char *operation,
              const char *type)
{
  if (strchr (type, 'f') == NULL || !g_str_equal (operation, "add"))
    return EXACT;

  return g_str_equal (type, "f64") ? 1e-12 : g_str_equal (type, "f32") ? 2e-5
         : g_str_equal (type, "f16") ? 2e-2 : 1e-1;
}

static void
check (const Shape *shape,
       const char  *operation,
       const char  *type,
       gboolean     special)
{
  g_autofree char *program = make_program (shape, operation, type);
  g_autofree char *input = tensor_of (shape->dimensions, shape->rank, type), *init = tensor_of (NULL, 0, type);
  g_autoptr (GhloValue) value = new_random (input, 0, 1), start = new_random (init, 0, 1);
  double tolerance = tolerance_of (operation, type);
  gboolean is_product = g_str_equal (operation, "multiply") && strchr (type, 'f') != NULL;

  fill (value, special && tolerance == EXACT && !is_product, is_product);
  fill (start, special && tolerance == EXACT && !is_product, is_product);
  g_test_message ("%s", program);
  if (!step_check (program, "reduce", (GhloValue *[]) { value, start }, 2, tolerance))
    g_error ("declined: %s", program);
}

static Shape
random_shape (void)
{
  static const gint64 sizes[] = { 1, 2, 3, 5, 17, 33, 64, 129, 300 };
  Shape shape = { .rank = (guint) g_test_rand_int_range (0, 5) };
  gint64 n = 1;

  for (guint d = 0; d < shape.rank; d++)
    {
      gint64 size = sizes[g_test_rand_int_range (0, G_N_ELEMENTS (sizes))];

      if (n * size > 20000)
        size = 2;
      if (g_test_rand_int_range (0, 40) == 0)
        size = 0;
      n *= MAX (size, 1);
      shape.dimensions[d] = size;
      if (g_test_rand_bit ())
        shape.reduced[shape.n_reduced++] = d;
    }

  return shape;
}

static void
check_types (const Shape       *shape,
             const char        *operation,
             const char *const *types)
{
  for (guint t = 0; types[t] != NULL; t++)
    {
      check (shape, operation, types[t], FALSE);
      check (shape, operation, types[t], TRUE);
    }
}

/* Every combiner has loops for all element types on which it is defined. */
static void
test_operations (void)
{
  for (guint combiner = 1; combiner < GHLO_N_COMBINERS; combiner++)
    for (guint round = 0; round < 12; round++)
      {
        GhloScalarKind kind = ghlo_combiner_scalar (combiner);
        const char *name = strchr (ghlo_ir_op_spec (ghlo_scalar_spec (kind)->op)->name, '.') + 1;
        Shape shape = random_shape ();

        if (ghlo_scalar_is_defined (kind, GHLO_ELEMENT_CLASS_SIGNED))
          check_types (&shape, name, integer_types);
        if (ghlo_scalar_is_defined (kind, GHLO_ELEMENT_CLASS_BOOLEAN))
          check_types (&shape, name, boolean_types);
        if (ghlo_scalar_is_defined (kind, GHLO_ELEMENT_CLASS_FLOAT))
          check_types (&shape, name, float_types);
      }
}

/* Short sums and products of narrow floats are rounded at each step, in the order of the dimensions: overflows,
 * infinities and all other patterns. Longer products are rounded once. */
static void
test_steps (void)
{
  for (guint i = 0; i < 200; i++)
    {
      Shape shape = random_shape ();
      const char *type = float_types[i % 2], *operation = i % 4 < 2 ? "add" : "multiply";
      g_autofree char *program = NULL, *input = NULL, *init = tensor_of (NULL, 0, type);
      g_autoptr (GhloValue) value = NULL, start = new_random (init, -2, 2);
      gint64 n_terms = 1;

      for (guint d = 0; d < shape.n_reduced; d++)
        {
          gint64 *size = &shape.dimensions[shape.reduced[d]];

          *size = *size > 0 ? g_test_rand_int_range (1, (gint32) (16 / n_terms) + 1) : *size;
          n_terms *= MAX (*size, 1);
        }
      program = make_program (&shape, operation, type);
      input = tensor_of (shape.dimensions, shape.rank, type);
      value = new_random (input, -2, 2);
      for (gsize k = 0; k < value->n_bytes; k += 2)
        if (g_test_rand_bit ())
          memcpy (value->data + k, &(guint16) { (guint16) g_test_rand_int () }, 2);
      if (!step_check (program, "reduce", (GhloValue *[]) { value, start }, 2, EXACT))
        g_error ("declined: %s", program);
    }
}

/* Products of many narrow floats are computed in f32 and rounded once: a thousand numbers near 1 leave most digits. */
static void
test_products (void)
{
  static const Shape shapes[] = {
    { { 2000 }, { 0 }, 1, 1 }, { { 2000, 7 }, { 0 }, 2, 1 }, { { 7, 2000 }, { 1 }, 2, 1 },
    { { 40, 5, 50 }, { 0, 2 }, 3, 2 },
  };

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (guint t = 0; t < 2; t++)
      {
        g_autofree char *program = make_program (&shapes[s], "multiply", float_types[t]);
        g_autofree char *input = tensor_of (shapes[s].dimensions, shapes[s].rank, float_types[t]);
        g_autofree char *init = tensor_of (NULL, 0, float_types[t]);
        g_autoptr (GhloValue) value = new_random (input, 0.95, 1.05), start = new_random (init, 1, 2);

        g_assert_true (step_check (program, "reduce", (GhloValue *[]) { value, start }, 2, t == 0 ? 8e-3 : 1e-3));
      }
}

/* Rows, columns, and alternations of both, in blocks and without. */
static void
test_ways (void)
{
  static const Shape shapes[] = {
    { { 1 << 20 }, { 0 }, 1, 1 }, { { 1024, 513 }, { 0 }, 2, 1 }, { { 1024, 513 }, { 1 }, 2, 1 },
    { { 7, 7, 512 }, { 0, 1 }, 3, 2 }, { { 300, 5, 300 }, { 0, 2 }, 3, 2 }, { { 5, 300, 300 }, { 1 }, 3, 1 },
    { { 100000, 3 }, { 0 }, 2, 1 }, { { 100000, 3 }, { 1 }, 2, 1 }, { { 2, 3, 40000 }, { 0 }, 3, 1 },
    { { 2, 3, 40000 }, { 2 }, 3, 1 }, { { 33 }, { 0 }, 1, 0 }, { { 64, 60, 32 }, { 0, 2 }, 3, 2 },
    { { 3000, 4, 9 }, { 0, 2 }, 3, 2 }, { { 50, 7, 40, 11 }, { 0, 1, 3 }, 4, 3 }, { { 9, 2, 70, 63 }, { 0, 3 }, 4, 2 },
    { { 40, 7, 90 }, { 0, 2 }, 3, 2 }, { { 700, 3, 301 }, { 0, 2 }, 3, 2 }, { { 7, 3, 301 }, { 0, 2 }, 3, 2 },
    { { 12, 3000 }, { 0 }, 2, 1 }, { { 1000, 77 }, { 0 }, 2, 1 },
  };

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      check (&shapes[s], "add", "f32", FALSE);
      check (&shapes[s], "maximum", "bf16", TRUE);
      check (&shapes[s], "minimum", "f16", TRUE);
      check (&shapes[s], "add", "i32", TRUE);
    }
}

/* At each level a scan of bf16 gives the bits that one of the same numbers in f32 gives at the lowest. */
static void
test_bf16 (void)
{
  GhloCpuElementwiseRoutines lowest, routines;

  ghlo_cpu_elementwise_routines_init (&lowest, 0);
  for (guint round = 0; round < 200; round++)
    for (guint combiner = 0; combiner < GHLO_N_COMBINERS; combiner++)
      for (guint level = 0; level <= ghlo_cpu_level () && lowest.bf16_scans[combiner] != NULL; level++)
        {
          const gsize rows = (gsize) g_test_rand_int_range (0, 9), columns = (gsize) g_test_rand_int_range (1, 160);
          g_autofree guint16 *elements = g_new (guint16, rows * columns + 1);
          g_autofree float *numbers = g_new (float, rows * columns + 1), *expected = g_new (float, columns);
          g_autofree float *found = g_new (float, columns);
          GhloCpuScan scan = { .from = (guint8 *) numbers, .from_row = (gint64) (columns * sizeof (float)),
                               .rows = rows, .columns = columns, .sums = (guint8 *) expected };

          for (gsize i = 0; i < rows * columns; i++)
            {
              const guint32 bits = (guint32) g_test_rand_int_range (0x3f00, 0x4100) << 16;

              elements[i] = (guint16) (bits >> 16);
              memcpy (&numbers[i], &bits, sizeof (bits));
            }
          for (gsize i = 0; i < columns; i++)
            expected[i] = found[i] = (float) g_test_rand_double ();
          lowest.scans[GHLO_CPU_NUMBER_F32][combiner] (&scan);
          scan.from = (guint8 *) elements;
          scan.from_row = (gint64) (columns * sizeof (guint16));
          scan.sums = (guint8 *) found;
          ghlo_cpu_elementwise_routines_init (&routines, level);
          routines.bf16_scans[combiner] (&scan);
          g_assert_cmpmem (found, columns * sizeof (float), expected, columns * sizeof (float));
        }
}

/* A sum of negative zeros is negative zero, an empty sum is the initial value. */
static void
test_zeros (void)
{
  static const gint64 sizes[] = { 0, 1, 3, 16, 17, 1000, 100000 };

  for (guint t = 0; float_types[t] != NULL; t++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      for (guint i = 0; i < 2; i++)
        {
          const Shape shape = { { sizes[s] }, { 0 }, 1, 1 };
          g_autofree char *program = make_program (&shape, "add", float_types[t]);
          g_autofree char *input = tensor_of (shape.dimensions, 1, float_types[t]);
          g_autofree char *init = tensor_of (NULL, 0, float_types[t]);
          g_autoptr (GhloValue) value = new_random (input, 0, 1), start = new_random (init, 0, 1);
          gsize size = ghlo_element_info (value->type->element_type)->size;

          for (gsize k = 0; k < value->n_elements; k++)
            ghlo_element_store (value->type->element_type, value->data + k * size, (GhloScalar) { .f = -0.0 });
          ghlo_element_store (value->type->element_type, start->data, (GhloScalar) { .f = i ? 0.0 : -0.0 });
          g_assert_true (step_check (program, "reduce", (GhloValue *[]) { value, start }, 2, EXACT));
        }
}

/* Long sums of f32 stay close to those in double. */
static void
test_accuracy (void)
{
  static const Shape shapes[] = {
    { { 3000000 }, { 0 }, 1, 1 }, { { 200000, 17 }, { 0 }, 2, 1 }, { { 17, 200000 }, { 1 }, 2, 1 },
    { { 3, 300, 5, 2, 30 }, { 0, 1, 2, 3, 4 }, 5, 5 }, { { 700, 3, 700 }, { 0, 2 }, 3, 2 },
  };

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      g_autofree char *program = make_program (&shapes[s], "add", "f32");
      g_autofree char *input = tensor_of (shapes[s].dimensions, shapes[s].rank, "f32");
      g_autoptr (GhloValue) value = new_random (input, 0.1, 1), start = new_random ("tensor<f32>", 0, 0.5);

      g_assert_true (step_check (program, "reduce", (GhloValue *[]) { value, start }, 2, 3e-6));
    }
}

static void
check_declined (const char *body,
                const char *type,
                const char *inner)
{
  g_autofree char *program =
    g_strdup_printf ("func.func @main(%%a: tensor<4x%s>, %%i: tensor<%s>) -> tensor<%s> {\n"
                     "  %%0 = \"stablehlo.reduce\"(%%a, %%i) ({\n  ^bb0(%%x: tensor<%s>, %%y: tensor<%s>):\n%s"
                     "    \"stablehlo.return\"(%%r) : (tensor<%s>) -> ()\n  }) {dimensions = array<i64: 0>} : "
                     "(tensor<4x%s>, tensor<%s>) -> tensor<%s>\n  return %%0 : tensor<%s>\n}\n",
                     type, type, inner, inner, inner, body, inner, type, type, inner, inner);
  g_autoptr (GhloIrModule) module = parse (program);
  const GhloIrOp *op = step_find_op (module);
  gint64 dimensions[] = { 4 }, strides[] = { 4 };
  GhloView operands[] = {
    { NULL, op->operands[0].value->type->element_type, 1, dimensions, strides },
    { NULL, op->operands[0].value->type->element_type, 0, dimensions, strides },
  };
  GhloView result = { NULL, op->results[0].type->element_type, 0, dimensions, strides };
  StepRequest request;

  g_assert_false (step_select (&request, &ghlo_cpu_step_reduce, op, operands, &result));
}

static void
test_declined (void)
{
  check_declined ("    %r = stablehlo.add %x, %x : tensor<f32>\n", "f32", "f32");
  check_declined ("    %r = stablehlo.subtract %x, %y : tensor<f32>\n", "f32", "f32");
  check_declined ("    %s = stablehlo.add %x, %y : tensor<f32>\n    %r = stablehlo.negate %s : tensor<f32>\n", "f32",
                  "f32");
  check_declined ("    %r = stablehlo.add %x, %y : tensor<f8E5M2>\n", "f8E5M2", "f8E5M2");
  check_declined ("    %r = stablehlo.add %x, %y : tensor<complex<f32>>\n", "complex<f32>", "complex<f32>");
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/cpu-reduce/operations", test_operations);
  g_test_add_func ("/cpu-reduce/steps", test_steps);
  g_test_add_func ("/cpu-reduce/products", test_products);
  g_test_add_func ("/cpu-reduce/ways", test_ways);
  g_test_add_func ("/cpu-reduce/bf16", test_bf16);
  g_test_add_func ("/cpu-reduce/zeros", test_zeros);
  g_test_add_func ("/cpu-reduce/accuracy", test_accuracy);
  g_test_add_func ("/cpu-reduce/declined", test_declined);

  return g_test_run ();
}
