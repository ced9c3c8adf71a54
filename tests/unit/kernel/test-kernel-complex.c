/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of complex<f32> as nodes: each part is within one ULP of the reference executor's result, with its
 * infinities, NaNs and signs of zeros, over all pairs of special and of ordinary parts. For powers this bound holds for
 * the number as a whole rather than for its smaller part, and only where no operand is large: the angle of a power is a
 * product, of which some 50 bits are known.
 */

#include <math.h>
#include <string.h>

#include "../passes/pass-help.h"
#include "kernel/interpret.h"
#include "kernel/lower.h"

static const float parts[] = {
  NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1, -1, 0.5f, -2.5f, 1.5f, 1e-42f, -1e-38f, 3.4e38f, -3.4e38f, 64, 7, -3, 0.1f,
  88.9f, -100, 712, 1.5707964f, -0.7071068f, 0.7071067f, 1e-5f, -1234.5f,
};

enum { N_PARTS = G_N_ELEMENTS (parts), N = N_PARTS * N_PARTS };

/* Numbers with all pairs of parts, starting from number @shift. */
static GhloValue *
new_input (const GhloIrType *type,
           guint             shift)
{
  g_autoptr (GhloTensorType) tensor = ghlo_ir_type_to_tensor_type (type);
  GhloValue *value = ghlo_value_new_tensor (tensor, NULL);
  float *numbers = (gpointer) value->data;

  for (guint i = 0; i < N; i++)
    {
      numbers[2 * i] = parts[(i + shift) % N / N_PARTS];
      numbers[2 * i + 1] = parts[(i + shift) % N % N_PARTS];
    }

  return value;
}

static gboolean
same_part (float found,
           float expected,
           float ulps)
{
  if (isnan (expected) || isnan (found))
    return isnan (expected) && isnan (found);
  if (expected == 0 || isinf (expected) || isinf (found))
    return memcmp (&found, &expected, sizeof found) == 0
           || (isfinite (found) && found != 0 && fabsf (found) <= ulps * 1e-45f);

  return fabs ((double) found - expected) <= ulps * (double) (nextafterf (fabsf (expected), INFINITY)
                                                               - fabsf (expected));
}

static gboolean
same_number (const float *found,
             const float *expected)
{
  float size = fmaxf (fabsf (expected[0]), fabsf (expected[1]));
  float unit = nextafterf (size, INFINITY) - size;

  if (isnan (expected[0]) || isnan (expected[1]))
    return isnan (found[0]) == isnan (expected[0]) && isnan (found[1]) == isnan (expected[1]);
  if (isinf (size))
    return isinf (found[0]) || isinf (found[1]);

  return fabsf (found[0] - expected[0]) <= unit && fabsf (found[1] - expected[1]) <= unit;
}

static gboolean
is_large (const float *x)
{
  return (isfinite (x[0]) && fabsf (x[0]) > 1000) || (isfinite (x[1]) && fabsf (x[1]) > 1000);
}

static void
check_powers (const float *found,
              const float *expected,
              const float *x,
              const float *y)
{
  for (guint i = 0; i < 2 * N; i += 2)
    if (!is_large (x + i) && !is_large (y + i) && !same_number (found + i, expected + i))
      g_error ("power: of (%a, %a) and (%a, %a) expected (%a, %a), found (%a, %a)", x[i], x[i + 1], y[i], y[i + 1],
               expected[i], expected[i + 1], found[i], found[i + 1]);
}

static void
check_results (const char *name,
               gboolean    is_complex,
               float       ulps,
               const float *found,
               const float *expected,
               const float *x,
               const float *y)
{
  guint n_parts = 1 + is_complex;

  for (guint i = 0; i < N * n_parts; i++)
    if (!same_part (found[i], expected[i], ulps))
      g_error ("%s: of (%a, %a) and (%a, %a) expected part %u %a, found %a", name, x[i / n_parts * 2],
               x[i / n_parts * 2 + 1], y[i / n_parts * 2], y[i / n_parts * 2 + 1], i % n_parts, expected[i], found[i]);
}

static GhloIrModule *
new_module (const char *name,
            guint       n_operands,
            gboolean    is_complex)
{
  g_autofree char *type = g_strdup_printf ("tensor<%uxcomplex<f32>>", N);
  g_autofree char *result = is_complex ? g_strdup (type) : g_strdup_printf ("tensor<%uxf32>", N);
  g_autofree char *text = g_strdup_printf ("func.func @main(%%a: %s, %%b: %s) -> %s {\n"
                                           "%%0 = \"%s\"(%%a%s) : (%s%s%s) -> %s\nreturn %%0 : %s\n}\n", type, type,
                                           result, name, n_operands > 1 ? ", %b" : "", type,
                                           n_operands > 1 ? ", " : "", n_operands > 1 ? type : "", result, result);
  g_autoptr (GError) error = NULL;
  GhloIrModule *module = pass_parse (name, text, strlen (text), &error);

  g_assert_no_error (error);

  return module;
}

static GhloView
view_of (const GhloIrType *type,
         gpointer          data)
{
  static const gint64 real_size = sizeof (float), complex_size = 2 * sizeof (float);

  return (GhloView) {
    .data = data, .element_type = type->element_type, .rank = 1, .dimensions = type->dimensions,
    .strides = ghlo_element_type_is_complex (type->element_type) ? &complex_size : &real_size,
  };
}

static void
run_kernel (const GhloIrModule *module,
            GhloValue         **inputs,
            float              *results)
{
  const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry ((GhloIrModule *) module));
  GhloView operands[2], result = view_of (body->first->results[0].type, results);
  GhloKernelGroup group = { .body = body, .n_operands = 2, .n_results = 1, .operands = operands, .results = &result };
  g_auto (GhloLoweredKernel) lowered = { 0 };
  GhloKernelMemory memory[3];
  g_autoptr (GError) error = NULL;
  const char *reason = NULL;

  for (guint i = 0; i < 2; i++)
    operands[i] = view_of (body->arguments[i]->type, inputs[i]->data);
  if (!ghlo_kernel_lower (&group, &lowered, &reason))
    g_error ("%s", reason);
  for (guint i = 0; i < 3; i++)
    memory[i] = (GhloKernelMemory) { i < 2 ? operands[i].data : result.data, lowered.kernel->buffers[i].size };
  ghlo_kernel_interpret (lowered.kernel, NULL, memory, NULL, &error);
  g_assert_no_error (error);
}

/* Functions of two operands combine numbers at several distances. */
static void
check_function (const char *name,
                guint       n_operands,
                gboolean    is_complex,
                float       ulps)
{
  g_autoptr (GhloIrModule) module = new_module (name, n_operands, is_complex);
  const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
  float *found = g_new (float, 2 * N);

  for (guint shift = 0; shift < (n_operands > 1 ? N : 1); shift += 5)
    {
      GhloValue *inputs[] = { new_input (body->arguments[0]->type, 0), new_input (body->arguments[1]->type, shift) };
      GhloValue *outputs[1] = { NULL };
      g_autoptr (GError) error = NULL;

      pass_run (module, "main", inputs, 2, outputs, &error);
      g_assert_no_error (error);
      run_kernel (module, inputs, found);
      if (strcmp (name, "stablehlo.power") == 0)
        check_powers (found, (gconstpointer) outputs[0]->data, (gconstpointer) inputs[0]->data,
                      (gconstpointer) inputs[1]->data);
      else
        check_results (name, is_complex, ulps, found, (gconstpointer) outputs[0]->data,
                       (gconstpointer) inputs[0]->data, (gconstpointer) inputs[1]->data);
      pass_clear (inputs, 2);
      pass_clear (outputs, 1);
    }
  g_free (found);
}

static void
test_functions (void)
{
  static const struct
  {
    const char *name;
    guint       n_operands;
    gboolean    is_real;
    float       ulps;
  } functions[] = {
    { "stablehlo.abs", 1, TRUE, 1 },
    { "stablehlo.cbrt", 1, FALSE, 1 },
    { "stablehlo.cosine", 1, FALSE, 1 },
    { "stablehlo.divide", 2, FALSE, 1 },
    { "stablehlo.exponential", 1, FALSE, 1 },
    { "stablehlo.exponential_minus_one", 1, FALSE, 1 },
    { "stablehlo.log", 1, FALSE, 1 },
    { "stablehlo.log_plus_one", 1, FALSE, 1 },
    { "stablehlo.logistic", 1, FALSE, 1 },
    { "stablehlo.multiply", 2, FALSE, 1 },
    { "stablehlo.power", 2, FALSE, 1 },
    { "stablehlo.rsqrt", 1, FALSE, 1 },
    { "stablehlo.sign", 1, FALSE, 1 },
    { "stablehlo.sine", 1, FALSE, 1 },
    { "stablehlo.sqrt", 1, FALSE, 1 },
    { "stablehlo.tan", 1, FALSE, 1 },
    { "stablehlo.tanh", 1, FALSE, 1 },
    { "chlo.conj", 1, FALSE, 0 },
    { "chlo.cosh", 1, FALSE, 1 },
    { "chlo.sinh", 1, FALSE, 1 },
    { "chlo.square", 1, FALSE, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    check_function (functions[i].name, functions[i].n_operands, !functions[i].is_real, functions[i].ulps);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel-complex/functions", test_functions);

  return g_test_run ();
}
