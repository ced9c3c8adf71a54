/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attention as one step of a Vulkan device, compared with the reference executor's result of the unfused program:
 * computed by single invocations, and by cooperative matrices, which are emulated where the device lacks them.
 *
 * GHLO_TEST_MODULES=DIR  writes modules with cooperative matrices there
 */

#include "../attention-programs.h"
#include "../sanitized.h"
#include "vulkan-program.h"

#include "gpu/spirv/attention.h"
#include "gpu/steps.h"
#include "runtime/place.h"

enum { MAX_INPUTS = 6 };

/* What computes the products: invocations; emulated 16-bit matrices; or the device's own matrices, for which
 * operands of f32 are split. */
typedef enum { NUMBERS, EMULATED, COOPERATIVE } Way;

/* An open copy of the device; NULL where there is none, in which case the test is skipped. */
static GhloGpuDevice *
get_device (Way way)
{
  static const guint64 types = (guint64) 1 << GHLO_ELEMENT_TYPE_BF16 | (guint64) 1 << GHLO_ELEMENT_TYPE_F16;
  static VulkanProgramCopy copies[COOPERATIVE + 1];
  GhloGpuDevice *copy = vulkan_program_copy (&copies[way]);

  if (copy == NULL)
    return NULL;
  if (way == COOPERATIVE && (copy->vulkan.matrices & types) != types)
    {
      g_test_skip ("there is no device with cooperative matrices");
      return NULL;
    }
  copy->vulkan.matrices = way == NUMBERS ? 0 : types;
  copy->emulates_matrices = way == EMULATED;
  copy->fuses_always = TRUE;
  copy->forced_splits = way == NUMBERS ? 0 : 1u << GHLO_SPIRV_BF16_X3;

  return copy;
}

/* The result of @text on @device. The plan's description goes to *plan, which the caller frees. */
static GhloValue *
compute (GhloGpuDevice        *device,
         const char           *text,
         const char    *const *disabled,
         GhloValue           **inputs,
         char                **plan)
{
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GhloPrepared) prepared = NULL;
  g_autoptr (GError) error = NULL;
  GhloValue *output = NULL;
  const guint n = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module))->n_arguments;

  prepared = vulkan_program_fuse (device, module, disabled);
  *plan = ghlo_prepared_describe (prepared);
  vulkan_program_watch (device);
  ghlo_prepared_run (prepared, NULL, inputs, n, &output, NULL, &error);
  vulkan_program_unwatch (device);
  g_assert_no_error (error);
  ghlo_value_fetch (output, NULL, &error);
  g_assert_no_error (error);

  return output;
}

/* The tolerance for values up to 1: for f32 by matrices the precision of a split into bf16, for narrow types some
 * ULPs, since weights are rounded at other points. */
static double
find_tolerance (GhloElementType type,
                gboolean        is_split)
{
  switch (type)
    {
    case GHLO_ELEMENT_TYPE_BF16: return 3 * 0x1p-8;
    case GHLO_ELEMENT_TYPE_F16: return 3 * 0x1p-11;
    default: return is_split ? 1e-4 : 4e-6;
    }
}

/* Checks that @text is one step named "attention" besides @n_others other steps, that @expected is in the plan, and
 * the result. */
static void
check (GhloGpuDevice *device,
       const char    *text,
       FillFunc       fill,
       guint          n_others,
       const char    *expected)
{
  g_autoptr (GhloIrModule) module = parse (text);
  const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
  g_autofree char *plan = NULL, *head = NULL;
  g_autoptr (GhloValue) found = NULL, wanted = NULL;
  GhloValue *inputs[MAX_INPUTS];

  g_assert_cmpuint (body->n_arguments, <=, MAX_INPUTS);
  for (guint i = 0; i < body->n_arguments; i++)
    {
      g_autoptr (GhloTensorType) type = ghlo_ir_type_to_tensor_type (body->arguments[i]->type);

      inputs[i] = ghlo_value_new_tensor (type, NULL);
      fill (inputs[i], i);
    }
  found = compute (device, text, NULL, inputs, &plan);
  g_test_message ("%s", plan);
  head = g_strdup_printf ("plan: %u step", 1 + n_others);
  if (strstr (plan, " attention ") == NULL || strstr (plan, expected) == NULL || !g_str_has_prefix (plan, head))
    g_error ("expected %s, attention and '%s' in\n%s\nof\n%s", head, expected, plan, text);
  wanted = result_of (text, inputs, body->n_arguments);
  compare (found, wanted, find_tolerance (body->arguments[0]->type->element_type, device->vulkan.matrices != 0), text,
           plan);
  for (guint i = 0; i < body->n_arguments; i++)
    ghlo_value_unref (inputs[i]);
}

static void
check_cases (Way         way,
             const Case *cases,
             guint       n_cases,
             FillFunc    fill,
             const char *expected)
{
  GhloGpuDevice *device = get_device (way);

  for (guint i = 0; device != NULL && i < n_cases; i += SANITIZED ? 2 : 1)
    {
      g_autofree char *text = print_case (&cases[i]);

      check (device, text, fill, strstr (cases[i].logits, "iota") != NULL ? 1 : 0, expected);
    }
}

/* Block and row counts with and without remainders; a causal mask, and others; few features, and many. */
static void
test_numbers (void)
{
  static const Case cases[] = {
    { 1, 2, 32, 64, 16, 32, "f32", "f32", "", SCALE ("multiply", "0.25") },
    { 2, 3, 37, 37, 24, 24, "f32", "f32", "", CAUSAL ("0xFF800000") },
    { 2, 2, 1, 75, 7, 5, "f32", "f32", MASK_ARGUMENTS, MASKS ("-1.0e9") },
    { 1, 1, 20, 17, 128, 16, "f32", "f32", "", SCALE ("divide", "11.3") },
    { 1, 1, 5, 1, 16, 100, "bf16", "f32", "", PLAIN },
    { 1, 2, 17, 48, 20, 20, "f16", "f16", MASK_ARGUMENTS, MASKS ("-6.5e4") },
  };

  check_cases (NUMBERS, cases, G_N_ELEMENTS (cases), fill_real, "keys at once, logits");
}

static void
check_matrices (Way way)
{
  static const Case cases[] = {
    { 1, 2, 64, 64, 32, 32, "bf16", "bf16", "", CAUSAL ("0xFF80") },
    { 2, 1, 37, 75, 20, 24, "bf16", "f32", MASK_ARGUMENTS, MASKS ("-3.3895e38") },
    { 1, 1, 1, 130, 64, 7, "f16", "f16", "", SCALE ("divide", "4.0") },
    { 1, 2, 40, 40, 24, 40, "f32", "f32", "", CAUSAL ("-1.0e9") },
  };

  check_cases (way, cases, G_N_ELEMENTS (cases), fill_real, "keys at once, by cooperative matrices");
}

static void
test_matrices (void)
{
  check_matrices (EMULATED);
}

static void
test_cooperative (void)
{
  static const Case cases[] = {
    { 1, 2, 512, 512, 64, 64, "bf16", "bf16", "", CAUSAL ("-1.0e9") },
    { 1, 3, 197, 197, 64, 64, "f16", "f32", "", SCALE ("multiply", "0.125") },
    { 1, 2, 300, 300, 128, 128, "f32", "f32", "", CAUSAL ("-1.0e9") },
  };

  check_matrices (COOPERATIVE);
  check_cases (COOPERATIVE, cases, G_N_ELEMENTS (cases), fill_real, "keys at once, by cooperative matrices");
}

static void
test_special (void)
{
  static const Case cases[] = {
    { 2, 2, 19, 70, 9, 9, "f32", "f32", MASK_ARGUMENTS, MASKS ("0xFF800000") },
    { 2, 2, 19, 70, 9, 9, "f32", "f32", MASK_ARGUMENTS, MASKS ("-3.4e38") },
    { 2, 2, 19, 70, 9, 9, "f32", "f32", MASK_ARGUMENTS, MASKS ("0xFF800000"), NO_WEIGHTS_UNLESS_ANY },
    { 2, 2, 19, 70, 9, 9, "f32", "f32", MASK_ARGUMENTS, MASKS ("0xFF800000"), WEIGHTS_IF_ANY },
  };
  static const Case halves[] = {
    { 2, 2, 19, 70, 9, 9, "f32", "f32", MASK_ARGUMENTS, MASKS ("0xFF800000") },
    { 2, 2, 19, 70, 9, 9, "f32", "f32", MASK_ARGUMENTS, MASKS ("0xFF800000"), NO_WEIGHTS_IF_NONE },
  };

  check_cases (NUMBERS, cases, G_N_ELEMENTS (cases), fill_special, "keys at once, logits");
  check_cases (NUMBERS, cases, G_N_ELEMENTS (cases), fill_masked, "keys at once, logits");
  check_cases (EMULATED, halves, G_N_ELEMENTS (halves), fill_special, "matrices");
  check_cases (EMULATED, halves, G_N_ELEMENTS (halves), fill_masked, "matrices");
}

static void
test_forms (void)
{
  GhloGpuDevice *device = get_device (NUMBERS);

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (attention_forms); i++)
    check (device, attention_forms[i].text, fill_real, attention_forms[i].n_others, "keys at once, logits");
}

static void
check_declined (GhloGpuDevice *device,
                const char    *text)
{
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GhloPrepared) prepared = vulkan_program_fuse (device, module, NULL);
  g_autofree char *plan = ghlo_prepared_describe (prepared);

  if (strstr (plan, " attention ") != NULL)
    g_error ("expected no attention in\n%s\nof\n%s", plan, text);
}

/* Programs that are not fused into an attention step. */
static void
test_declined (void)
{
#define SCORES \
  "  %x = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<20x8xf32>, tensor<33x8xf32>) -> " \
  "tensor<20x33xf32>\n"
#define VALUES \
  "  %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<20x33xf32>, tensor<33x6xf32>) -> " \
  "tensor<20x6xf32>\n"
#define BEGIN(results) \
  "func.func @main(%q: tensor<20x8xf32>, %k: tensor<33x8xf32>, %v: tensor<33x6xf32>) -> (" results ") {\n" SCORES
  static const char *const texts[] = {
    /* Weights or sums are results of the program, as a gradient needs them. */
    BEGIN ("tensor<20x6xf32>, tensor<20x33xf32>") SOFTMAX ("20x33", "20", "[1]", "[0]") VALUES
    "  return %o, %p : tensor<20x6xf32>, tensor<20x33xf32>\n}\n",
    BEGIN ("tensor<20x6xf32>, tensor<20xf32>") SOFTMAX ("20x33", "20", "[1]", "[0]") VALUES
    "  return %o, %t0 : tensor<20x6xf32>, tensor<20xf32>\n}\n",
    BEGIN ("tensor<20x6xf32>, tensor<20x33xf32>") SOFTMAX ("20x33", "20", "[1]", "[0]") VALUES
    "  return %o, %x : tensor<20x6xf32>, tensor<20x33xf32>\n}\n",
    /* No softmax: maxima and sums are broadcast over columns. */
    "func.func @main(%q: tensor<20x8xf32>, %k: tensor<20x8xf32>, %v: tensor<20x6xf32>) -> tensor<20x6xf32> {\n"
    "  %x = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<20x8xf32>, tensor<20x8xf32>) -> "
    "tensor<20x20xf32>\n"
    SOFTMAX ("20x20", "20", "[1]", "[1]")
    "  %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<20x20xf32>, tensor<20x6xf32>) -> "
    "tensor<20x6xf32>\n"
    "  return %o : tensor<20x6xf32>\n}\n",
    /* The softmax is over rows, while values are indexed by columns. */
    "func.func @main(%q: tensor<20x8xf32>, %k: tensor<20x8xf32>, %v: tensor<20x6xf32>) -> tensor<20x6xf32> {\n"
    "  %x = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<20x8xf32>, tensor<20x8xf32>) -> "
    "tensor<20x20xf32>\n"
    SOFTMAX ("20x20", "20", "[0]", "[1]")
    "  %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<20x20xf32>, tensor<20x6xf32>) -> "
    "tensor<20x6xf32>\n"
    "  return %o : tensor<20x6xf32>\n}\n",
  };
  static const Case cases[] = {
    /* A softmax with fewer bits than the result, one of types that shaders do not multiply, and an attention without
     * keys. */
    { 1, 2, 20, 40, 16, 8, "f32", "bf16", "", SCALE ("multiply", "0.25") },
    { 1, 2, 20, 40, 16, 8, "f64", "f64", "", SCALE ("multiply", "0.25") },
    { 1, 2, 20, 0, 16, 8, "f32", "f32", "", SCALE ("multiply", "0.25") },
  };
  GhloGpuDevice *device = get_device (NUMBERS);

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (texts); i++)
    check_declined (device, texts[i]);
  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = print_case (&cases[i]);

      check_declined (device, text);
    }
}

/* A tile has few rows, one per word, unless heads of a group share keys. */
static void
test_few_rows (void)
{
  static const Case few = { 1, 2, 1, 40, 16, 8, "f32", "f32", "", SCALE ("multiply", "0.25") };
  GhloGpuDevice *device = get_device (NUMBERS);
  g_autofree char *text = print_case (&few);

  if (device == NULL)
    return;
  device->fuses_always = FALSE;
  check_declined (device, text);
}

/* Without the pass there are three steps with equal results. */
static void
test_switch (void)
{
  static const Case one = { 1, 2, 20, 40, 16, 8, "f32", "f32", "", SCALE ("multiply", "0.25") };
  const char *const disabled[] = { "fuse-attention", NULL };
  g_autofree char *text = print_case (&one), *plan = NULL, *plan_unfused = NULL;
  GhloGpuDevice *device = get_device (NUMBERS);
  g_autoptr (GhloValue) found = NULL, wanted = NULL;
  GhloValue *inputs[3];

  if (device == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    inputs[i] = new_random (i == 0 ? "1x2x20x16xf32" : i == 1 ? "1x2x40x16xf32" : "1x2x40x8xf32", -1, 1);
  found = compute (device, text, NULL, inputs, &plan);
  wanted = compute (device, text, disabled, inputs, &plan_unfused);
  g_assert_true (g_str_has_prefix (plan, "plan: 1 step,"));
  g_assert_nonnull (strstr (plan, " attention stablehlo.dot_general + multiply + "));
  g_assert_nonnull (strstr (plan, " + dot_general \"tiles of 32 rows, 32 keys at once, logits of "));
  g_assert_true (g_str_has_prefix (plan_unfused, "plan: 3 steps,"));
  g_assert_null (strstr (plan_unfused, "attention"));
  compare (found, wanted, find_tolerance (GHLO_ELEMENT_TYPE_F32, FALSE), text, plan_unfused);
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    ghlo_value_unref (inputs[i]);
}

static guint
count_instructions (GBytes *words,
                    guint   op)
{
  gsize size;
  const guint32 *code = g_bytes_get_data (words, &size);
  guint n = 0;

  for (gsize i = 5; i < size / sizeof *code; i += code[i] >> 16)
    n += (code[i] & 0xffff) == op;

  return n;
}

/* Modules with cooperative matrices, which old validators do not know: they are written to the folder
 * GHLO_TEST_MODULES, if that is set, to be validated elsewhere. */
static void
test_modules (void)
{
  static const GhloElementType types[] = { GHLO_ELEMENT_TYPE_F16, GHLO_ELEMENT_TYPE_BF16, GHLO_ELEMENT_TYPE_F32 };
  static const GhloSpirvFloats floats = { .keeps_nan = { TRUE, TRUE }, .folds_exactly = TRUE };
  const char *folder = g_getenv ("GHLO_TEST_MODULES");

  for (guint i = 0; i < 2 * G_N_ELEMENTS (types); i++)
    {
      const GhloElementType type = types[i / 2];
      const gboolean is_split = type == GHLO_ELEMENT_TYPE_F32;
      const guint n_groups = 1 + i % 2, n_rows = is_split ? 32 : 64;
      GhloSpirvAttention attention = {
        .scores = { .types = { type, type, type }, .accumulator = GHLO_ELEMENT_TYPE_F32, .subgroup = 32,
                    .split = is_split ? GHLO_SPIRV_BF16_X3 : GHLO_SPIRV_UNSPLIT, .n_dimensions = { 1, 1, 1, 1 } },
        .values = { .types = { type, type, type }, .accumulator = GHLO_ELEMENT_TYPE_F32,
                    .n_dimensions = { 2, 1, 1, 1 } },
        .component = is_split ? GHLO_ELEMENT_TYPE_BF16 : type, .n_planes = is_split ? 2 : 1,
        .n_rows = n_rows, .n_length = 64, .n_features = 64, .n_columns = 64, .n_column_groups = n_groups,
        .subgroup = 32, .is_ahead = TRUE, .fours = 0xf,
      };
      g_autoptr (GBytes) words = ghlo_spirv_emit_attention (&attention, &floats);
      g_autofree char *name = g_strdup_printf ("attention-%u.spv", i);
      g_autofree char *path = folder != NULL ? g_build_filename (folder, name, NULL) : NULL;

      g_assert_true (ghlo_spirv_attention_fits (&attention));
      g_assert_cmpuint (ghlo_spirv_attention_shared (&attention), <=, 48 << 10);
      /* Two products of four steps, each of which has four adjacent matrices, or two. */
      g_assert_cmpuint (count_instructions (words, 4459), ==, (is_split ? 3 : 1) * 2 * 4 * 4 / n_groups);
      if (path != NULL)
        g_assert_true (g_file_set_contents (path, g_bytes_get_data (words, NULL), (gssize) g_bytes_get_size (words),
                                            NULL));
    }
}

int
main (int    argc,
      char **argv)
{
  g_setenv ("GHLO_DEBUG", "vulkan", FALSE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/attention/numbers", test_numbers);
  g_test_add_func ("/vulkan/attention/matrices", test_matrices);
  g_test_add_func ("/vulkan/attention/cooperative", test_cooperative);
  g_test_add_func ("/vulkan/attention/special", test_special);
  g_test_add_func ("/vulkan/attention/forms", test_forms);
  g_test_add_func ("/vulkan/attention/declined", test_declined);
  g_test_add_func ("/vulkan/attention/few-rows", test_few_rows);
  g_test_add_func ("/vulkan/attention/switch", test_switch);
  g_test_add_func ("/vulkan/attention/modules", test_modules);

  return g_test_run ();
}
