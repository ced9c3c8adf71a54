/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Expansions on devices: spellings of one function that exporters write agree, and none has a step on the reference
 * executor. Calls of other libraries that are malformed say why, and the application's own functions precede them.
 */

#include "pass-help.h"

#include "compiler/compilation.h"
#include "compiler/devices.h"
#include "runtime/custom-calls.h"

#define NORM_HEAD \
  "func.func @main(%x: tensor<2x5x7xf32>, %s: tensor<5xf32>, %o: tensor<5xf32>) -> tensor<2x5x7xf32> {\n"
#define ROWS_HEAD \
  "func.func @main(%x: tensor<6x9xf32>, %s: tensor<9xf32>, %o: tensor<9xf32>) -> tensor<6x9xf32> {\n"
#define MAP_HEAD "func.func @main(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {\n"
#define SUM \
  "({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n  %c = stablehlo.add %a, %b : tensor<f32>\n" \
  "  stablehlo.return %c : tensor<f32>\n}) "
#define CALL(name, attributes) \
  "  %0 = stablehlo.custom_call @" name "(%x) {" attributes "} : (tensor<6x9xf32>) -> tensor<6x9xf32>\n" \
  "  return %0 : tensor<6x9xf32>\n}\n"

/* The mean and variance of each feature, as JAX spells them. */
#define BY_HAND \
  "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n" \
  "  %n = stablehlo.constant dense<14.0> : tensor<5xf32>\n" \
  "  %e = stablehlo.constant dense<0.5> : tensor<5xf32>\n" \
  "  %sum = \"stablehlo.reduce\"(%x, %zero) " SUM "{dimensions = array<i64: 0, 2>} : " \
  "(tensor<2x5x7xf32>, tensor<f32>) -> tensor<5xf32>\n" \
  "  %mean = stablehlo.divide %sum, %n : tensor<5xf32>\n" \
  "  %means = stablehlo.broadcast_in_dim %mean, dims = [1] : (tensor<5xf32>) -> tensor<2x5x7xf32>\n" \
  "  %d = stablehlo.subtract %x, %means : tensor<2x5x7xf32>\n" \
  "  %d2 = stablehlo.multiply %d, %d : tensor<2x5x7xf32>\n" \
  "  %squares = \"stablehlo.reduce\"(%d2, %zero) " SUM "{dimensions = array<i64: 0, 2>} : " \
  "(tensor<2x5x7xf32>, tensor<f32>) -> tensor<5xf32>\n" \
  "  %variance = stablehlo.divide %squares, %n : tensor<5xf32>\n"

/* Each group ends with NULL; the first spelling gives the answer, on the reference device. */
static const char *const spellings[] = {
  NORM_HEAD
  "  %0:3 = \"stablehlo.batch_norm_training\"(%x, %s, %o) {epsilon = 0.5 : f32, feature_index = 1 : i64} : "
  "(tensor<2x5x7xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<2x5x7xf32>, tensor<5xf32>, tensor<5xf32>)\n"
  "  return %0#0 : tensor<2x5x7xf32>\n}\n",
  NORM_HEAD BY_HAND
  "  %0 = \"stablehlo.batch_norm_inference\"(%x, %s, %o, %mean, %variance) {epsilon = 0.5 : f32, "
  "feature_index = 1 : i64} : (tensor<2x5x7xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) "
  "-> tensor<2x5x7xf32>\n"
  "  return %0 : tensor<2x5x7xf32>\n}\n",
  NORM_HEAD BY_HAND
  "  %v = stablehlo.add %variance, %e : tensor<5xf32>\n"
  "  %r = stablehlo.rsqrt %v : tensor<5xf32>\n"
  "  %k = stablehlo.multiply %r, %s : tensor<5xf32>\n"
  "  %ks = stablehlo.broadcast_in_dim %k, dims = [1] : (tensor<5xf32>) -> tensor<2x5x7xf32>\n"
  "  %os = stablehlo.broadcast_in_dim %o, dims = [1] : (tensor<5xf32>) -> tensor<2x5x7xf32>\n"
  "  %p = stablehlo.multiply %d, %ks : tensor<2x5x7xf32>\n"
  "  %0 = stablehlo.add %p, %os : tensor<2x5x7xf32>\n"
  "  return %0 : tensor<2x5x7xf32>\n}\n",
  NULL,
  ROWS_HEAD
  "  %one = stablehlo.constant dense<1.0> : tensor<6xf32>\n"
  "  %nil = stablehlo.constant dense<0.0> : tensor<6xf32>\n"
  "  %0:3 = \"stablehlo.batch_norm_training\"(%x, %one, %nil) {epsilon = 0.5 : f32, feature_index = 0 : i64} : "
  "(tensor<6x9xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<6x9xf32>, tensor<6xf32>, tensor<6xf32>)\n"
  "  %ss = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<9xf32>) -> tensor<6x9xf32>\n"
  "  %os = stablehlo.broadcast_in_dim %o, dims = [1] : (tensor<9xf32>) -> tensor<6x9xf32>\n"
  "  %1 = stablehlo.multiply %0#0, %ss : tensor<6x9xf32>\n"
  "  %2 = stablehlo.add %1, %os : tensor<6x9xf32>\n"
  "  return %2 : tensor<6x9xf32>\n}\n",
  ROWS_HEAD
  "  %0 = stablehlo.custom_call @mps.layer_norm(%x, %s, %o) {backend_config = \"{\\\"eps\\\": 0.5}\"} : "
  "(tensor<6x9xf32>, tensor<9xf32>, tensor<9xf32>) -> tensor<6x9xf32>\n"
  "  return %0 : tensor<6x9xf32>\n}\n",
  ROWS_HEAD
  "  %0 = stablehlo.custom_call @fused_layer_norm(%x, %s, %o) {backend_config = {eps = 0.5 : f64}, "
  "api_version = 4 : i32} : (tensor<6x9xf32>, tensor<9xf32>, tensor<9xf32>) -> tensor<6x9xf32>\n"
  "  return %0 : tensor<6x9xf32>\n}\n",
  NULL,
  MAP_HEAD "  %0 = chlo.erf %x : tensor<6x9xf32> -> tensor<6x9xf32>\n  return %0 : tensor<6x9xf32>\n}\n",
  MAP_HEAD CALL ("mhlo.erf", "mhlo.attributes = {}, mhlo.version = 1 : i64"),
  "func.func private @erf.impl(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {\n"
  "  %0 = chlo.erf %x : tensor<6x9xf32> -> tensor<6x9xf32>\n  return %0 : tensor<6x9xf32>\n}\n"
  MAP_HEAD
  "  %0 = stablehlo.composite \"chlo.erf\" %x {decomposition = @erf.impl} : (tensor<6x9xf32>) -> tensor<6x9xf32>\n"
  "  return %0 : tensor<6x9xf32>\n}\n",
  NULL,
  MAP_HEAD CALL ("mps.gelu", "backend_config = \"\""),
  MAP_HEAD CALL ("fused_gelu", "backend_config = \"{\\\"approximate\\\": true}\""),
  MAP_HEAD
  "  %h = stablehlo.constant dense<0.5> : tensor<6x9xf32>\n"
  "  %one = stablehlo.constant dense<1.0> : tensor<6x9xf32>\n"
  "  %a = stablehlo.constant dense<0.797884583> : tensor<6x9xf32>\n"
  "  %b = stablehlo.constant dense<0.044715> : tensor<6x9xf32>\n"
  "  %x2 = stablehlo.multiply %x, %x : tensor<6x9xf32>\n"
  "  %x3 = stablehlo.multiply %x, %x2 : tensor<6x9xf32>\n"
  "  %0 = stablehlo.multiply %x3, %b : tensor<6x9xf32>\n"
  "  %1 = stablehlo.add %x, %0 : tensor<6x9xf32>\n"
  "  %2 = stablehlo.multiply %a, %1 : tensor<6x9xf32>\n"
  "  %3 = stablehlo.tanh %2 : tensor<6x9xf32>\n"
  "  %4 = stablehlo.add %3, %one : tensor<6x9xf32>\n"
  "  %5 = stablehlo.multiply %4, %h : tensor<6x9xf32>\n"
  "  %6 = stablehlo.multiply %x, %5 : tensor<6x9xf32>\n"
  "  return %6 : tensor<6x9xf32>\n}\n",
  NULL,
  /* Marks for a partitioner and for memories are the value itself. */
  MAP_HEAD "  %0 = stablehlo.abs %x : tensor<6x9xf32>\n  return %0 : tensor<6x9xf32>\n}\n",
  MAP_HEAD "  %1 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = \"{replicated}\"} : "
  "(tensor<6x9xf32>) -> tensor<6x9xf32>\n"
  "  %2 = stablehlo.custom_call @annotate_device_placement(%1) {has_side_effect = true} : "
  "(tensor<6x9xf32>) -> tensor<6x9xf32>\n"
  "  %0 = stablehlo.abs %2 : tensor<6x9xf32>\n  return %0 : tensor<6x9xf32>\n}\n",
  NULL,
};

static GhloIrModule *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  GhloIrModule *module = pass_parse ("a.mlir", text, strlen (text), &error);

  g_assert_no_error (error);

  return module;
}

static GhloCompilation *
compile (GhloIrModule       *module,
         GhloDeviceCore     *device,
         GhloCustomTargets  *custom_targets,
         GError            **error)
{
  GhloSettings *settings = ghlo_settings_new ();
  GhloCompilation *compilation;
  GhloCacheUse use;

  settings->caching = FALSE;
  compilation = ghlo_compilation_new (module, device, settings, custom_targets, FALSE, &use, NULL, error);
  ghlo_settings_unref (settings);

  return compilation;
}

/* Runs the program on @device; the only result. */
static GhloValue *
run (GhloIrModule    *module,
     GhloCompilation *compilation)
{
  const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);
  g_autoptr (GError) error = NULL;
  GhloValue *output = NULL;

  for (guint i = 0; i < body->n_arguments; i++)
    g_ptr_array_add (inputs, pass_make_input (body->arguments[i]->type, i + 3, FALSE));
  ghlo_prepared_run (compilation->prepared, NULL, (GhloValue **) inputs->pdata, inputs->len, &output, NULL, &error);
  g_assert_no_error (error);

  return output;
}

static void
assert_no_fallback (const char      *text,
                    GhloCompilation *compilation)
{
  GhloRunFigures figures;

  g_assert_true (ghlo_prepared_measure (compilation->prepared, &figures));
  if (figures.n_fallback_steps > 0)
    g_error ("%u steps on the reference executor: %s", figures.n_fallback_steps, text);
}

static void
test_spellings (void)
{
  GhloDeviceCore *cpu = ghlo_devices_find ("cpu"), *vulkan = ghlo_devices_find ("vulkan");
  g_autoptr (GhloValue) wanted = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (spellings); i++)
    {
      g_autoptr (GhloIrModule) module = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *difference = NULL;
      g_autoptr (GhloValue) found = NULL;
      GhloCompilation *compilation;

      if (spellings[i] == NULL)
        {
          g_clear_pointer (&wanted, ghlo_value_unref);
          continue;
        }
      module = parse (spellings[i]);
      if (wanted == NULL)
        {
          compilation = compile (module, ghlo_reference_device (), NULL, &error);
          g_assert_no_error (error);
          wanted = run (module, compilation);
          ghlo_compilation_unref (compilation);
        }
      compilation = compile (module, cpu, NULL, &error);
      g_assert_no_error (error);
      assert_no_fallback (spellings[i], compilation);
      found = run (module, compilation);
      difference = pass_compare (wanted, found, 1e-5);
      if (difference != NULL)
        g_error ("%s in %s", difference, spellings[i]);
      ghlo_compilation_unref (compilation);
      compilation = vulkan != NULL ? compile (module, vulkan, NULL, &error) : NULL;
      g_assert_no_error (error);
      if (compilation != NULL)
        assert_no_fallback (spellings[i], compilation);
      g_clear_pointer (&compilation, ghlo_compilation_unref);
    }
}

/* Calls with the operands that their types state, and what is said of them. */
static const struct
{
  const char *call, *types, *message;
} wrong[] = {
  { "@mps.gelu(%x)", "(tensor<2x4xf32>) -> tensor<2x3xf32>",
    "*expected tensor<2x4xf32> as result 0, found tensor<2x3xf32>" },
  { "@mps.gelu(%x, %x)", "(tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>",
    "*expected 1 to 1 operands and 1 results, found 2 and 1" },
  { "@mps.gelu(%i)", "(tensor<i32>) -> tensor<f32>", "*expected floats other than f64 as operand 0, found i32" },
  { "@mps.gelu(%d)", "(tensor<f64>) -> tensor<f32>", "*expected numbers of f64 as result 0, found f32" },
  { "@mps.gelu(%y)", "(tensor<?xf32>) -> tensor<?xf32>", "*expected tensors of static shapes" },
  { "@mps.gelu(%x) {backend_config = \"{\\\"exact\\\": true}\"}", "(tensor<2x4xf32>) -> tensor<2x4xf32>",
    "*expected 'nothing' in the configuration of mps.gelu, found 'exact'" },
  { "@mps.softmax(%x) {backend_config = \"{\\\"axis\\\": 2}\"}", "(tensor<2x4xf32>) -> tensor<2x4xf32>",
    "*expected a dimension of the operand as 'axis' of mps.softmax, found 2*" },
  { "@mps.softmax(%x) {backend_config = \"{\\\"axis\\\": 0.5}\"}", "(tensor<2x4xf32>) -> tensor<2x4xf32>",
    "*expected an integer as 'axis'*" },
  { "@mps.softmax(%x) {backend_config = \"axis: 0\"}", "(tensor<2x4xf32>) -> tensor<2x4xf32>",
    "*expected an object in JSON as the configuration of mps.softmax, found \"axis: 0\"" },
  { "@mps.softmax(%x) {backend_config = \"{\\\"axis\\\": 0, \\\"axis\\\": 1}\"}",
    "(tensor<2x4xf32>) -> tensor<2x4xf32>", "*expected an object in JSON*" },
  { "@mps.softmax(%x) {backend_config = \"{\\\"axis\\\": 0} x\"}", "(tensor<2x4xf32>) -> tensor<2x4xf32>",
    "*expected an object in JSON*" },
  { "@mps.softmax(%s)", "(tensor<f32>) -> tensor<f32>", "*expected a dimension of the operand as 'axis'*" },
  { "@mps.layer_norm(%x, %v, %w)", "(tensor<2x4xf32>, tensor<3xf32>, tensor<4xf32>) -> tensor<2x4xf32>",
    "*expected operand 1 to be broadcast to tensor<2x4xf32>, found tensor<3xf32>" },
  { "@mps.layer_norm(%x, %x, %w)", "(tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>",
    "*expected vectors as weight and bias*" },
  { "@mps.addmm(%x, %x, %w)", "(tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>",
    "*expected matrices to multiply as operands 0 and 1" },
  { "@mps.rope(%x, %i) {backend_config = \"{\\\"dims\\\": 3}\"}", "(tensor<2x4xf32>, tensor<i32>) -> tensor<2x4xf32>",
    "*expected positions and a size*found 3" },
  { "@mps.rope(%x, %i) {backend_config = \"{\\\"dims\\\": 9223372036854775806}\"}",
    "(tensor<2x4xf32>, tensor<i32>) -> tensor<2x4xf32>", "*expected positions and a size*found 9223372036854775806" },
  { "@mps.sdpa(%q, %k, %k, %x)",
    "(tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<2x4xf32>) -> tensor<1x2x3x4xf32>",
    "*expected booleans or floats as the mask, to be broadcast to 1x2x3x5" },
  { "@mps.sdpa_causal(%q, %k, %k)",
    "(tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32>",
    "*expected as many keys as queries with a causal mask, found 5 and 3" },
  { "@mps.dequantize(%u, %x, %x) {backend_config = \"{\\\"bits\\\": 3}\"}",
    "(tensor<2x4xui32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x32xf32>",
    "*expected 4 or 8 as 'bits'*found 3 and 64" },
  { "@mps.dequantize(%u, %x, %x)", "(tensor<2x4xui32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x32xf32>",
    "*expected words of ui32, and floats as a scale and a bias for each group of 64 numbers" },
  { "@fused_scaled_dot_product_attention(%q, %q, %q) {backend_config = \"{\\\"has_mask\\\": true}\"}",
    "(tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>",
    "*expected a mask as operand 3 exactly where 'has_mask' is true" },
  { "@fused_rope(%x, %x) {backend_config = \"{\\\"base_freq\\\": 10000.0}\"}",
    "(tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>", "*found 'base_freq'" },
  { "@fused_rms_norm(%x, %w) {backend_config = \"{\\\"axes\\\": [0, -2]}\"}",
    "(tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>", "*expected different dimensions of operand 0 as 'axes'" },
  { "@fused_elementwise(%x, %x) {backend_config = \"{\\\"ops\\\": [\\\"abs\\\"]}\"}",
    "(tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>", "*expected 1 operands for 'ops', found 2" },
  { "@fused_elementwise(%x) {backend_config = \"{\\\"ops\\\": [\\\"gamma\\\"]}\"}",
    "(tensor<2x4xf32>) -> tensor<2x4xf32>", "*found 'gamma'" },
  { "@fused_transformer_block(%x)", "(tensor<2x4xf32>) -> tensor<2x4xf32>", "*not documented" },
  { "@fused_conv_bias_act(%q, %q) {window_strides = array<i64: 0, 1>, backend_config = \"{\\\"has_bias\\\": false}\"}",
    "(tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x1x4xf32>",
    "*expected numbers from 1 to 2147483647 as 'window_strides', found 0" },
};

static void
test_wrong (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    for (guint level = 0; level < 3; level += 2)
      {
        g_autofree char *text = g_strdup_printf (
          "func.func @main(%%x: tensor<2x4xf32>, %%y: tensor<?xf32>, %%i: tensor<i32>, %%d: tensor<f64>, "
          "%%s: tensor<f32>, %%v: tensor<3xf32>, %%w: tensor<4xf32>, %%q: tensor<1x2x3x4xf32>, "
          "%%k: tensor<1x2x5x4xf32>, %%u: tensor<2x4xui32>) {\n"
          "  %%0 = stablehlo.custom_call %s : %s\n  return\n}\n", wrong[i].call, wrong[i].types);
        g_autoptr (GhloIrModule) module = parse (text);
        g_autoptr (GError) error = NULL;

        g_assert_false (ghlo_passes_run (module, &(GhloPassOptions) { .level = level }, NULL, NULL, &error));
        g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
        if (!g_pattern_match_simple (wrong[i].message, error->message)
            || !g_str_has_prefix (error->message, "a.mlir:2:"))
          g_error ("expected '%s', found '%s'", wrong[i].message, error->message);
      }
}

static gboolean
answer (G_GNUC_UNUSED gpointer     data,
        const GhloCustomCallFrame *frame,
        G_GNUC_UNUSED GError     **error)
{
  frame->results[0] = ghlo_value_ref (frame->operands[0]);

  return TRUE;
}

/* An application that has functions of these names keeps them, on every device and at every level. */
static void
test_registered (void)
{
  static const char text[] = MAP_HEAD CALL ("mps.gelu", "whose = \"the application's\"");
  g_autoptr (GhloCustomTarget) target = ghlo_custom_target_new ("mps.gelu", answer, NULL, NULL);
  g_autoptr (GhloCustomTargets) targets = ghlo_custom_targets_with (NULL, target);
  GhloDeviceCore *devices[] = { ghlo_reference_device (), ghlo_devices_find ("cpu") };

  for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
    {
      g_autoptr (GhloIrModule) module = parse (text);
      g_autoptr (GError) error = NULL;
      GhloCompilation *compilation = compile (module, devices[i], targets, &error);
      const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
      g_autoptr (GhloValue) same = pass_make_input (body->arguments[0]->type, 3, FALSE);
      g_autoptr (GhloValue) found = NULL;

      g_assert_no_error (error);
      found = run (module, compilation);
      g_assert_cmpmem (same->data, same->n_bytes, found->data, found->n_bytes);
      ghlo_compilation_unref (compilation);
    }
}

/* A pass that is switched off is an optimization that is left out, not a call that nothing answers. */
static void
test_switched_off (void)
{
  static const char *const off[] = { "expand", NULL };
  g_autoptr (GhloIrModule) module = parse (MAP_HEAD "  %1 = stablehlo.custom_call @mhlo.erf(%x) : "
                                           "(tensor<6x9xf32>) -> tensor<6x9xf32>\n"
                                           "  %0 = stablehlo.custom_call @mps.gelu(%1) : "
                                           "(tensor<6x9xf32>) -> tensor<6x9xf32>\n"
                                           "  return %0 : tensor<6x9xf32>\n}\n");
  g_autoptr (GError) error = NULL;
  g_autofree char *printed = NULL;

  ghlo_passes_run (module, &(GhloPassOptions) { .level = 2, .off = off, .verify = TRUE }, NULL, NULL, &error);
  g_assert_no_error (error);
  printed = ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);
  g_assert_nonnull (strstr (printed, "@mhlo.erf"));
  g_assert_null (strstr (printed, "@mps.gelu"));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/expand/spellings", test_spellings);
  g_test_add_func ("/passes/expand/wrong", test_wrong);
  g_test_add_func ("/passes/expand/registered", test_registered);
  g_test_add_func ("/passes/expand/switched-off", test_switched_off);

  return g_test_run ();
}
