/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elementwise operations on the CPU give the reference executor's bits: every operation on every element type, with
 * special values and with random bits, on dense and strided operands, in place, and with operands broadcast along
 * dimensions.
 */

#include "../passes/pass-help.h"
#include "cpu-steps.h"
#include "cpu/elementwise/compute-type.h"
#include "cpu/steps.h"

#define ELEMENTWISE "elementwise"

/* Equal bits, or both NaN. */
#define EXACT STEP_SAME

static const char *const signed_types[] = { "i8", "i16", "i32", "i64", NULL };
static const char *const unsigned_types[] = { "ui8", "ui16", "ui32", "ui64", NULL };
static const char *const float_types[] = { "bf16", "f16", "f32", "f64", NULL };
static const char *const boolean_types[] = { "i1", NULL };
static const char *const complex_types[] = { "complex<f32>", "complex<f64>", NULL };

/* The classes that an operation is defined on: b(oolean), s(igned), u(nsigned), f(loat), c(omplex). */
static const struct
{
  char               letter;
  const char *const *types;
} classes[] = {
  { 'b', boolean_types }, { 's', signed_types }, { 'u', unsigned_types }, { 'f', float_types },
  { 'c', complex_types },
};

/* The loops that must exist: for each operation the classes, where all operands have one type. */
static const struct
{
  GhloScalarKind  kind;
  const char     *classes;
} operations[] = {
  { GHLO_SCALAR_ABS, "sf" },
  { GHLO_SCALAR_ADD, "bsufc" },
  { GHLO_SCALAR_AND, "bsu" },
  { GHLO_SCALAR_CEIL, "f" },
  { GHLO_SCALAR_CLAMP, "bsuf" },
  { GHLO_SCALAR_COUNT_LEADING_ZEROS, "su" },
  { GHLO_SCALAR_DIVIDE, "suf" },
  { GHLO_SCALAR_FLOOR, "f" },
  { GHLO_SCALAR_IS_FINITE, "f" },
  { GHLO_SCALAR_MAXIMUM, "bsuf" },
  { GHLO_SCALAR_MINIMUM, "bsuf" },
  { GHLO_SCALAR_MULTIPLY, "bsuf" },
  { GHLO_SCALAR_NEGATE, "sufc" },
  { GHLO_SCALAR_NOT, "bsu" },
  { GHLO_SCALAR_OR, "bsu" },
  { GHLO_SCALAR_POPCNT, "su" },
  { GHLO_SCALAR_POWER, "su" },
  { GHLO_SCALAR_REMAINDER, "suf" },
  { GHLO_SCALAR_ROUND_NEAREST_AFZ, "f" },
  { GHLO_SCALAR_ROUND_NEAREST_EVEN, "f" },
  { GHLO_SCALAR_SHIFT_LEFT, "su" },
  { GHLO_SCALAR_SHIFT_RIGHT_ARITHMETIC, "su" },
  { GHLO_SCALAR_SHIFT_RIGHT_LOGICAL, "su" },
  { GHLO_SCALAR_SIGN, "sf" },
  { GHLO_SCALAR_SQRT, "f" },
  { GHLO_SCALAR_SUBTRACT, "sufc" },
  { GHLO_SCALAR_XOR, "bsu" },
};

/* "3x5x", with few dimensions and up to about a thousand elements. */
static char *
random_shape (void)
{
  static const int sizes[] = { 1, 2, 3, 5, 7, 17, 64, 70, 129, 300 };
  GString *shape = g_string_new (NULL);
  int rank = g_test_rand_int_range (0, 5), n = 1;

  for (int d = 0; d < rank; d++)
    {
      int size = sizes[g_test_rand_int_range (0, G_N_ELEMENTS (sizes))];

      if (n * size > 2000)
        size = 1;
      if (g_test_rand_int_range (0, 60) == 0)
        size = 0;
      n *= MAX (size, 1);
      g_string_append_printf (shape, "%dx", size);
    }

  return g_string_free (shape, FALSE);
}

/* The reference executor's loads turn signalling NaNs of f32 into quiet ones, which the total order distinguishes. */
static void
make_quiet (GhloElementType  type,
            guint8          *data)
{
  guint64 bits = 0;

  if (!ghlo_element_type_is_float (type) || !isnan (ghlo_element_load (type, data).f))
    return;
  memcpy (&bits, data, ghlo_element_info (type)->size);
  bits |= (guint64) 1 << (ghlo_element_info (type)->mantissa_bits - 1);
  memcpy (data, &bits, ghlo_element_info (type)->size);
}

/* No NaNs with payloads: for parts of complex numbers two NaNs do not compare equal. */
static gboolean plain_nans;

/* Special, small and arbitrary numbers. */
static void
fill_element (GhloElementType  type,
              guint8          *data)
{
  gsize size = ghlo_element_info (type)->size;
  guint number = (guint) g_test_rand_int_range (0, 1 << 20);

  switch (number % 4)
    {
    case 0:
    case 1:
      ghlo_element_store (type, data, pass_special (type, number / 4));
      break;
    case 2:
      ghlo_element_store (type, data, pass_ordinary (type, number / 4));
      break;
    default:
      for (gsize i = 0; i < size; i++)
        data[i] = (guint8) g_test_rand_int_range (0, 256);
      if (ghlo_element_info (type)->element_class == GHLO_ELEMENT_CLASS_BOOLEAN)
        data[0] &= 1;
      make_quiet (type, data);
      if (ghlo_element_type_is_complex (type)
          || (plain_nans && isnan (ghlo_element_load (type, data).f)))
        ghlo_element_store (type, data, pass_special (type, number / 4));
    }
}

static GhloValue *
new_numbers (const char *shape,
             const char *type)
{
  g_autofree char *text = g_strdup_printf ("tensor<%s%s>", shape, type);
  GhloValue *value = new_random (text, 0, 1);
  gsize size = ghlo_element_info (value->type->element_type)->size;

  for (gsize i = 0; i < value->n_elements; i++)
    fill_element (value->type->element_type, value->data + i * size);

  return value;
}

/* An operation of StableHLO, or of another dialect if its name has a prefix. @attributes include comma and braces,
 * or are "". Types are those of whole tensors. */
static char *
make_program (const char        *operation,
              const char        *attributes,
              const char *const *types,
              const char        *result)
{
  GString *text = g_string_new ("func.func @main(");
  guint n = g_strv_length ((char **) types);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%%u: %s", i > 0 ? ", " : "", i, types[i]);
  g_string_append_printf (text, ") -> %s {\n  %%r = \"%s%s\"(", result,
                          strchr (operation, '.') == NULL ? "stablehlo." : "", operation);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%%u", i > 0 ? ", " : "", i);
  g_string_append_printf (text, ") %s : (", attributes);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", types[i]);
  g_string_append_printf (text, ") -> %s\n  return %%r : %s\n}\n", result, result);

  return g_string_free (text, FALSE);
}

static GhloElementType
element_type_of (const char *text)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse (text, NULL);

  return type->element_type;
}

/* Operands broadcast along some dimensions: views with stride 0, in any order of dimensions. */
static void
check_repeated (const char  *program,
                GhloValue  **values,
                guint        n,
                double       tolerance)
{
  g_auto (Program) reference = { NULL };
  g_autoptr (GError) error = NULL;
  GhloValue *expected = NULL;
  GhloView views[3], given[3], result;
  StepTensor tensors[3], out;
  const GhloIrOp *op;
  gpointer compiled;
  StepRequest request;

  for (guint k = 0; k < n; k++)
    {
      const GhloTensorType *type = values[k]->type;
      gsize size = ghlo_element_info (type->element_type)->size;
      StepWalk walk;
      guint8 first[16];

      step_tensor_init (&tensors[k], type, TRUE);
      for (guint d = 0; d < type->rank; d++)
        if (g_test_rand_bit () && type->dimensions[d] > 0)
          {
            /* In a reversed dimension index 0 is at the end. */
            if (tensors[k].strides[d] < 0)
              tensors[k].view.data += tensors[k].strides[d] * (type->dimensions[d] - 1);
            tensors[k].strides[d] = 0;
          }
      tensors[k].view.dimensions = tensors[k].dimensions;
      tensors[k].view.strides = tensors[k].strides;
      views[k] = tensors[k].view;
      step_tensor_fill (&tensors[k], values[k]);
      walk = step_walk_begin (&views[k]);
      for (gsize i = 0; i < values[k]->n_elements; i++, step_walk_on (&walk))
        {
          memcpy (first, walk.element, size);
          memcpy (values[k]->data + i * size, first, size);
        }
    }
  prepare (&reference, program);
  run_program (&reference, values, n, &expected, NULL, &error);
  g_assert_no_error (error);
  step_tensor_init (&out, expected->type, FALSE);
  result = out.view;
  result.dimensions = out.dimensions;
  result.strides = out.strides;
  op = step_find_op (reference.module);
  for (guint k = 0; k < n; k++)
    {
      given[k] = views[k];
      given[k].data = NULL;
    }
  /* Repeated operands are accepted even if dense ones are preferred. */
  g_assert_true (step_select (&request, &ghlo_cpu_step_elementwise, op, given, &result));
  compiled = step_compile (&request, &ghlo_cpu_step_elementwise);
  g_assert_true (ghlo_cpu_step_elementwise.run (compiled, views, &result, NULL, NULL, &error));
  step_compare (&result, expected, tolerance, program);
  ghlo_step_free (&ghlo_cpu_step_elementwise, compiled);
  for (guint k = 0; k < n; k++)
    step_tensor_clear (&tensors[k]);
  step_tensor_clear (&out);
  ghlo_value_unref (expected);
}

/* Operands of the types "TYPE" with the shape @shape, or "" for scalars. */
static void
check (const char        *operation,
       const char        *attributes,
       const char *const *types,
       const char *const *shapes,
       guint              n,
       const char        *result_type,
       double             tolerance)
{
  g_autofree char *result = NULL, *program = NULL;
  g_auto (GStrv) full = g_new0 (char *, n + 1);
  GhloValue *values[3];
  const char *shape = "";

  for (guint i = 0; i < n; i++)
    {
      full[i] = g_strdup_printf ("tensor<%s%s>", shapes[i], types[i]);
      values[i] = new_numbers (shapes[i], types[i]);
      shape = shapes[i][0] != '\0' ? shapes[i] : shape;
    }
  result = g_strdup_printf ("tensor<%s%s>", shape, result_type);
  program = make_program (operation, attributes, (const char *const *) full, result);
  g_test_message ("%s", program);
  if (!step_check (program, ELEMENTWISE, values, n, tolerance))
    g_error ("declined: %s", program);
  check_repeated (program, values, n, tolerance);
  for (guint i = 0; i < n; i++)
    ghlo_value_unref (values[i]);
}

static void
check_within (const char        *operation,
              const char        *attributes,
              const char *const *types,
              guint              n,
              const char        *result_type,
              double             tolerance)
{
  for (guint round = 0; round < 4; round++)
    {
      g_autofree char *shape = round == 0 ? g_strdup ("") : round == 1 ? g_strdup ("1100x") : random_shape ();
      const char *const shapes[] = { shape, shape, shape };

      check (operation, attributes, types, shapes, n, result_type, tolerance);
    }
}

static void
check_shapes (const char        *operation,
              const char        *attributes,
              const char *const *types,
              guint              n,
              const char        *result_type)
{
  check_within (operation, attributes, types, n, result_type, EXACT);
}

static gboolean
has_loop (GhloScalarKind  kind,
          const char     *type)
{
  return ghlo_cpu_compute_type_loop (ghlo_cpu_compute_type (ghlo_element_type_from_string (type)), kind) != NULL;
}

static void
check_loop (GhloScalarKind  kind,
            const char     *type)
{
  const GhloScalarSpec *scalar = ghlo_scalar_spec (kind);
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (scalar->op);
  const GhloElementInfo *info = ghlo_element_info (ghlo_element_type_from_string (type));
  double ulps = ghlo_scalar_ulps (kind, info->element_class);

  check_within (spec->name, "", (const char *const[]) { type, type, type }, spec->n_operands,
                scalar->result == GHLO_SCALAR_RESULT_BOOLEAN ? "i1" : type,
                ulps > 0 ? ulps * ldexp (1, -(int) info->mantissa_bits) : EXACT);
}

/* Each loop of the table of scalar operations, except those selected by attributes and those with a test of their
 * own. */
static gboolean
is_of_one_type (GhloScalarKind kind)
{
  const GhloScalarSpec *scalar = ghlo_scalar_spec (kind);
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (scalar->op);

  for (guint i = 0; i < spec->n_attributes; i++)
    if (spec->attributes[i].presence == GHLO_IR_REQUIRED)
      return FALSE;

  return scalar->first_value == 0
         && (scalar->result == GHLO_SCALAR_RESULT_SAME || scalar->result == GHLO_SCALAR_RESULT_BOOLEAN
             || kind == GHLO_SCALAR_ABS);
}

static void
test_operations (void)
{
  for (guint kind = 1; kind < GHLO_N_SCALARS; kind++)
    for (guint c = 0; c < G_N_ELEMENTS (classes); c++)
      for (guint t = 0; is_of_one_type (kind) && classes[c].types[t] != NULL; t++)
        if (has_loop (kind, classes[c].types[t]))
          check_loop (kind, classes[c].types[t]);
}

static void
test_has_loops (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (operations); i++)
    for (guint c = 0; c < G_N_ELEMENTS (classes); c++)
      for (guint t = 0; strchr (operations[i].classes, classes[c].letter) != NULL && classes[c].types[t] != NULL; t++)
        g_assert_true (has_loop (operations[i].kind, classes[c].types[t]));
}

static void
test_compare (void)
{
  static const char *const directions[] = { "EQ", "NE", "GE", "GT", "LE", "LT" };

  for (guint c = 0; c < G_N_ELEMENTS (classes); c++)
    for (guint t = 0; classes[c].types[t] != NULL; t++)
      for (guint i = 0; i < (classes[c].letter == 'c' ? 2 : G_N_ELEMENTS (directions)); i++)
        for (guint total = 0; total < (classes[c].letter == 'f' ? 2 : 1); total++)
          {
            const char *type = classes[c].types[t];
            g_autofree char *attributes =
              g_strdup_printf ("{comparison_direction = #stablehlo<comparison_direction %s>%s}", directions[i],
                               total ? ", compare_type = #stablehlo<comparison_type TOTALORDER>" : "");

            check_shapes ("compare", attributes, (const char *const[]) { type, type }, 2, "i1");
          }
}

static void
test_convert (void)
{
  for (guint from = 0; from < 4; from++)
    for (guint s = 0; classes[from].types[s] != NULL; s++)
      for (guint to = 0; to < 4; to++)
        for (guint t = 0; classes[to].types[t] != NULL; t++)
          check_shapes ("convert", "", &classes[from].types[s], 1, classes[to].types[t]);
}

/* Numbers between two of a narrow format, and near their midpoint. */
static void
test_convert_once (void)
{
  static const char *const narrow[] = { "bf16", "f16" };

  for (guint to = 0; to < G_N_ELEMENTS (narrow); to++)
    for (guint from = 0; from < 5; from++)
      {
        static const char *const types[] = { "f64", "i64", "ui64", "i32", "ui32" };
        g_autofree char *from_type = g_strdup_printf ("tensor<4096x%s>", types[from]);
        g_autofree char *to_type = g_strdup_printf ("tensor<4096x%s>", narrow[to]);
        g_autofree char *program = make_program ("convert", "", (const char *const[]) { from_type, NULL }, to_type);
        g_autoptr (GhloValue) value = new_random (from_type, 0, 1);

        for (gsize i = 0; i < value->n_elements; i++)
          {
            int shift = g_test_rand_int_range (0, 53);
            guint64 bits = ((guint64) g_test_rand_int () << 32 | (guint32) g_test_rand_int ()) >> shift << shift;
            double number;

            bits += (guint64) g_test_rand_int_range (-1, 2);
            if (from == 0)
              {
                /* Exponents near the limits of both formats. */
                bits = (bits & ~((guint64) 0x7ff << 52))
                       | (guint64) (1023 + (int[]) { 0, 16, -14, -24, -126, -133, 127 }[i % 7]) << 52;
                memcpy (&number, &bits, sizeof (number));
                memcpy (value->data + 8 * i, &number, 8);
              }
            else if (from < 3)
              memcpy (value->data + 8 * i, (guint64[]) { bits >> (i % 40) }, 8);
            else
              memcpy (value->data + 4 * i, (guint32[]) { (guint32) (bits >> 16 >> (i % 20)) }, 4);
          }
        g_assert_true (step_check (program, ELEMENTWISE, (GhloValue *[]) { value }, 1, EXACT));
      }
}

static void
test_select (void)
{
  static const char *const shapes[] = { "", "7x", "3x70x", "1100x" };

  for (guint c = 0; c < G_N_ELEMENTS (classes); c++)
    for (guint t = 0; classes[c].types[t] != NULL; t++)
      for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
        for (guint scalar = 0; scalar < 2; scalar++)
          {
            const char *type = classes[c].types[t];

            check ("select", "", (const char *const[]) { "i1", type, type },
                   (const char *const[]) { scalar ? "" : shapes[s], shapes[s], shapes[s] }, 3, type, EXACT);
          }
}

static void
test_clamp_scalars (void)
{
  for (guint c = 0; c < 4; c++)
    for (guint t = 0; classes[c].types[t] != NULL; t++)
      for (guint which = 1; which < 4; which++)
        {
          const char *type = classes[c].types[t];

          check ("clamp", "", (const char *const[]) { type, type, type },
                 (const char *const[]) { which & 1 ? "" : "5x65x", "5x65x", which & 2 ? "" : "5x65x" }, 3, type, EXACT);
        }
}

static void
test_complex (void)
{
  plain_nans = TRUE;
  for (guint i = 0; i < 2; i++)
    {
      const char *part = float_types[2 + i], *whole = complex_types[i];

      check_shapes ("complex", "", (const char *const[]) { part, part }, 2, whole);
      check_shapes ("real", "", &whole, 1, part);
      check_shapes ("imag", "", &whole, 1, part);
      check_shapes ("real", "", &part, 1, part);
    }
  plain_nans = FALSE;
}

static void
test_complex_product (void)
{
  g_autoptr (GhloValue) a = new_random ("tensor<777xcomplex<f32>>", -2, 2);
  g_autoptr (GhloValue) b = new_random ("tensor<777xcomplex<f32>>", -2, 2);
  const char *type = "tensor<777xcomplex<f32>>";
  g_autofree char *program = make_program ("multiply", "", (const char *const[]) { type, type, NULL }, type);

  g_assert_true (step_check (program, ELEMENTWISE, (GhloValue *[]) { a, b }, 2, 1e-7));
}

static void
test_bitcast (void)
{
  static const char *const pairs[][2] = {
    { "f32", "i32" }, { "ui32", "f32" }, { "f64", "i64" }, { "bf16", "f16" }, { "i8", "ui8" }, { "i1", "i1" },
    { "i16", "bf16" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    check_shapes ("bitcast_convert", "", pairs[i], 1, pairs[i][1]);
}

static void
test_reduce_precision (void)
{
  static const int bits[][2] = { { 5, 10 }, { 8, 7 }, { 1, 0 }, { 4, 3 }, { 8, 23 }, { 11, 52 }, { 11, 20 }, { 5, 2 } };

  for (guint t = 0; float_types[t] != NULL; t++)
    for (guint i = 0; i < G_N_ELEMENTS (bits); i++)
      {
        g_autofree char *attributes = g_strdup_printf ("{exponent_bits = %d : i32, mantissa_bits = %d : i32}",
                                                       bits[i][0], bits[i][1]);

        check_shapes ("reduce_precision", attributes, &float_types[t], 1, float_types[t]);
      }
}

static void
test_rsqrt (void)
{
  static const char *const types[] = { "bf16", "f16", "f32" };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    check_shapes ("rsqrt", "", &types[t], 1, types[t]);
}

/* Every 16-bit number: the loops compute in f32 and round once more. */
static void
test_every_half (void)
{
  static const char *const unary[] = {
    "abs", "ceil", "floor", "negate", "round_nearest_afz", "round_nearest_even", "rsqrt", "sign", "sqrt",
  };
  static const char *const types[] = { "bf16", "f16" };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    {
      g_autofree char *tensor = g_strdup_printf ("tensor<65536x%s>", types[t]);
      g_autoptr (GhloValue) value = new_random (tensor, 0, 1);

      for (gsize i = 0; i < value->n_elements; i++)
        memcpy (value->data + 2 * i, &(guint16) { (guint16) i }, 2);
      for (guint i = 0; i < G_N_ELEMENTS (unary); i++)
        {
          g_autofree char *program = make_program (unary[i], "", (const char *const[]) { tensor, NULL }, tensor);

          if (!step_check (program, ELEMENTWISE, &value, 1, EXACT))
            g_error ("declined: %s", program);
        }
    }
}

/* Large enough for several threads and for parts that begin in the middle of lines. */
static void
test_large (void)
{
  static const char *const shapes[] = { "1048577x", "1021x1031x", "3x700001x", "350003x3x" };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      check ("add", "", (const char *const[]) { "f32", "f32" }, (const char *const[]) { shapes[i], shapes[i] }, 2,
             "f32", EXACT);
      check ("multiply", "", (const char *const[]) { "bf16", "bf16" },
             (const char *const[]) { shapes[i], shapes[i] }, 2, "bf16", EXACT);
    }
}

static void
test_cancelled (void)
{
  const char *type = "tensor<2097152xf32>";
  g_autofree char *program = make_program ("add", "", (const char *const[]) { type, type, NULL }, type);
  g_autoptr (GhloValue) value = new_random (type, 0, 1);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GhloIrModule) module = parse (program);
  const GhloIrOp *op = step_find_op (module);
  StepTensor tensor;
  GhloView views[2];
  gpointer compiled;
  gsize scratch = 0;

  step_tensor_init (&tensor, value->type, FALSE);
  step_tensor_fill (&tensor, value);
  views[0] = views[1] = tensor.view;
  views[0].dimensions = views[1].dimensions = tensor.dimensions;
  views[0].strides = views[1].strides = tensor.strides;
  compiled = step_new (&ghlo_cpu_step_elementwise, op, views, views, &scratch);
  g_assert_nonnull (compiled);
  g_cancellable_cancel (cancellable);
  g_assert_false (ghlo_cpu_step_elementwise.run (compiled, views, views, NULL, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  ghlo_step_free (&ghlo_cpu_step_elementwise, compiled);
  step_tensor_clear (&tensor);
}

/* Operations for which no loop computes the reference executor's result. */
static void
test_declined (void)
{
  static const char *const operations[][3] = {
    { "exponential", "complex<f64>", "complex<f64>" }, { "tanh", "complex<f32>", "complex<f32>" },
    { "abs", "complex<f32>", "f32" }, { "convert", "f8E4M3FN", "f32" }, { "convert", "i4", "i32" },
    { "convert", "f32", "complex<f32>" }, { "negate", "i4", "i4" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (operations); i++)
    {
      g_autofree char *from = g_strdup_printf ("tensor<4x%s>", operations[i][1]);
      g_autofree char *to = g_strdup_printf ("tensor<4x%s>", operations[i][2]);
      g_autofree char *program = make_program (operations[i][0], "", (const char *const[]) { from, NULL }, to);
      g_autoptr (GhloIrModule) module = parse (program);
      const GhloIrOp *op = step_find_op (module);
      gint64 dimensions[] = { 4 }, strides[] = { 4 };
      GhloView views[2] = {
        { NULL, element_type_of (from), 1, dimensions, strides },
        { NULL, element_type_of (to), 1, dimensions, strides },
      };
      StepRequest request;

      g_assert_false (step_select (&request, &ghlo_cpu_step_elementwise, op, &views[0], &views[1]));
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/cpu-elementwise/operations", test_operations);
  g_test_add_func ("/cpu-elementwise/has-loops", test_has_loops);
  g_test_add_func ("/cpu-elementwise/compare", test_compare);
  g_test_add_func ("/cpu-elementwise/convert", test_convert);
  g_test_add_func ("/cpu-elementwise/convert-once", test_convert_once);
  g_test_add_func ("/cpu-elementwise/select", test_select);
  g_test_add_func ("/cpu-elementwise/clamp-scalars", test_clamp_scalars);
  g_test_add_func ("/cpu-elementwise/complex", test_complex);
  g_test_add_func ("/cpu-elementwise/complex-product", test_complex_product);
  g_test_add_func ("/cpu-elementwise/bitcast", test_bitcast);
  g_test_add_func ("/cpu-elementwise/reduce-precision", test_reduce_precision);
  g_test_add_func ("/cpu-elementwise/rsqrt", test_rsqrt);
  g_test_add_func ("/cpu-elementwise/every-half", test_every_half);
  g_test_add_func ("/cpu-elementwise/large", test_large);
  g_test_add_func ("/cpu-elementwise/cancelled", test_cancelled);
  g_test_add_func ("/cpu-elementwise/declined", test_declined);

  return g_test_run ();
}
