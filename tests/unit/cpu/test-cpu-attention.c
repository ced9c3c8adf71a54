/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attention as one step of the CPU, compared with the reference executor's result of the unfused program. The device
 * here is one that fuses attention of any size.
 */

#include "../attention-programs.h"

#include "../sanitized.h"
#include "compiler/devices.h"
#include "compiler/optimize.h"
#include "cpu/attention/attention.h"
#include "execute/program.h"
#include "runtime/parallel.h"

enum { MAX_INPUTS = 6 };

static const char *
accept_attention (GhloDeviceCore        *self,
                  GhloFusionKind         kind,
                  const GhloIrOp *const *ops,
                  guint                  n_ops)
{
  if (kind == GHLO_FUSION_ATTENTION)
    return ghlo_cpu_attention_obstacle (ops, n_ops);

  return ghlo_devices_find ("cpu")->klass->unsupported_reason (self, kind, ops, n_ops);
}

static GhloDeviceCore *
get_device (void)
{
  static GhloDeviceCoreClass klass;
  static GhloDeviceCore device;

  if (device.klass == NULL)
    {
      device = *ghlo_devices_find ("cpu");
      klass = *device.klass;
      klass.unsupported_reason = accept_attention;
      device.klass = &klass;
    }

  return &device;
}

/* Products of few terms stay products. */
static GhloPrepared *
fuse_for (GhloDeviceCore *device,
          const char     *text)
{
  static const char *const disabled[] = { "expand-dots", NULL };
  const GhloOptimizeOptions options = { .level = 2, .disabled = disabled, .excess_precision = TRUE };
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  GhloPrepared *prepared;

  ghlo_fuse (module, device, &options, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, &error);
  g_assert_no_error (error);

  return prepared;
}

static GhloPrepared *
fuse (const char *text)
{
  return fuse_for (get_device (), text);
}

static GhloValue *
run (GhloPrepared  *prepared,
     GhloValue    **inputs,
     guint          n_inputs)
{
  g_autoptr (GError) error = NULL;
  GhloValue *output = NULL;

  ghlo_prepared_run (prepared, NULL, inputs, n_inputs, &output, NULL, &error);
  g_assert_no_error (error);

  return output;
}

/* Values are up to 1, and scores some units. */
static double
find_tolerance (GhloElementType type)
{
  switch (type)
    {
    case GHLO_ELEMENT_TYPE_BF16: return 3 * 0x1p-8;
    case GHLO_ELEMENT_TYPE_F16: return 3 * 0x1p-11;
    case GHLO_ELEMENT_TYPE_F64: return 1e-14;
    default: return 4e-6;
    }
}

/* Whether two values have the same bits. */
static void
check_same (const GhloValue *found,
            const GhloValue *wanted,
            guint            n_threads,
            const char      *plan)
{
  g_assert_cmpuint (found->n_bytes, ==, wanted->n_bytes);
  if (memcmp (found->data, wanted->data, found->n_bytes) != 0)
    g_error ("other bits on %u threads by\n%s", n_threads, plan);
}

/* Checks that @text becomes a step named "attention" whose description has @expected, its result, and that this does
 * not depend on the number of threads. */
static void
check_within (const char *text,
              FillFunc    fill,
              const char *expected,
              double      tolerance)
{
  g_autoptr (GhloIrModule) module = parse (text);
  const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
  g_autoptr (GhloPrepared) prepared = fuse (text);
  g_autofree char *plan = ghlo_prepared_describe (prepared);
  g_autoptr (GhloValue) found = NULL, wanted = NULL;
  GhloValue *inputs[MAX_INPUTS];

  g_assert_cmpuint (body->n_arguments, <=, MAX_INPUTS);
  for (guint i = 0; i < body->n_arguments; i++)
    {
      g_autoptr (GhloTensorType) type = ghlo_ir_type_to_tensor_type (body->arguments[i]->type);

      inputs[i] = ghlo_value_new_tensor (type, NULL);
      fill (inputs[i], i);
    }
  g_test_message ("%s", plan);
  if (strstr (plan, " attention ") == NULL || strstr (plan, expected) == NULL)
    g_error ("expected attention and '%s' in\n%s\nof\n%s", expected, plan, text);
  found = run (prepared, inputs, body->n_arguments);
  wanted = result_of (text, inputs, body->n_arguments);
  compare (found, wanted, tolerance, text, plan);
  for (guint n = 1; n <= ghlo_parallel_n_workers (); n++)
    {
      g_autoptr (GhloValue) again = NULL;

      ghlo_parallel_set_limit (n);
      again = run (prepared, inputs, body->n_arguments);
      check_same (again, found, n, plan);
    }
  ghlo_parallel_set_limit (0);
  for (guint i = 0; i < body->n_arguments; i++)
    ghlo_value_unref (inputs[i]);
}

/* The same within what its operands' type has. */
static void
check (const char *text,
       FillFunc    fill,
       const char *expected)
{
  g_autoptr (GhloIrModule) module = parse (text);
  const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));

  check_within (text, fill, expected, find_tolerance (body->arguments[0]->type->element_type));
}

static void
check_cases (const Case *cases,
             guint       n_cases,
             FillFunc    fill,
             const char *expected)
{
  for (guint i = 0; i < n_cases; i += SANITIZED ? 2 : 1)
    {
      g_autofree char *text = print_case (&cases[i]);

      check (text, fill, expected);
    }
}

/* Rows and keys of one block, of several, and of parts of blocks. */
static void
test_tiles (void)
{
  static const Case cases[] = {
    { 1, 2, 32, 64, 16, 32, "f32", "f32", "", SCALE ("multiply", "0.25") },
    { 2, 3, 37, 37, 24, 24, "f32", "f32", "", CAUSAL ("0xFF800000") },
    { 1, 1, 400, 530, 40, 33, "f32", "f32", "", SCALE ("divide", "11.3") },
    { 1, 1, 9, 700, 160, 1, "f32", "f32", MASK_ARGUMENTS, MASKS ("-1.0e9") },
    { 1, 1, 20, 17, 600, 520, "f32", "f32", "", SCALE ("multiply", "0.1") },
    { 1, 2, 64, 64, 32, 32, "bf16", "bf16", "", CAUSAL ("0xFF80") },
    { 2, 1, 37, 75, 20, 24, "bf16", "f32", MASK_ARGUMENTS, MASKS ("-3.3895e38") },
    { 1, 2, 17, 300, 20, 20, "f16", "f16", MASK_ARGUMENTS, MASKS ("-6.5e4") },
    { 1, 2, 50, 300, 20, 20, "f64", "f64", MASK_ARGUMENTS, MASKS ("-1.0e9") },
  };

  check_cases (cases, G_N_ELEMENTS (cases), fill_real, "tiles");
  check_cases (cases + 5, 1, fill_real, ghlo_cpu_has_bf16 () ? "tiles of bf16," : "tiles of f32,");
}

/* Attention in bf16 whose operands are converted to f32, of which queries and keys are scaled. The products of the
 * queries and keys are those of bf16, so that neither has to be in memory as f32. */
static char *
print_converted (guint       h,
                 guint       m,
                 guint       l,
                 guint       k,
                 const char *factor)
{
  static const char text[] =
    "func.func @main(%q: tensor<{h}x{m}x{k}xbf16>, %k: tensor<{h}x{l}x{k}xbf16>, %v: tensor<{h}x{l}x{k}xbf16>) -> "
    "tensor<{h}x{m}x{k}xf32> {\n"
    "  %q0 = stablehlo.convert %q : (tensor<{h}x{m}x{k}xbf16>) -> tensor<{h}x{m}x{k}xf32>\n"
    "  %k0 = stablehlo.convert %k : (tensor<{h}x{l}x{k}xbf16>) -> tensor<{h}x{l}x{k}xf32>\n"
    "  %w = stablehlo.convert %v : (tensor<{h}x{l}x{k}xbf16>) -> tensor<{h}x{l}x{k}xf32>\n"
    "  %f0 = stablehlo.constant dense<{f}> : tensor<{h}x{m}x{k}xf32>\n"
    "  %f1 = stablehlo.constant dense<{f}> : tensor<{h}x{k}x{l}xf32>\n"
    "  %q1 = stablehlo.multiply %q0, %f0 : tensor<{h}x{m}x{k}xf32>\n"
    "  %k1 = stablehlo.transpose %k0, dims = [0, 2, 1] : (tensor<{h}x{l}x{k}xf32>) -> tensor<{h}x{k}x{l}xf32>\n"
    "  %k2 = stablehlo.multiply %k1, %f1 : tensor<{h}x{k}x{l}xf32>\n"
    "  %x = stablehlo.dot_general %q1, %k2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
    "(tensor<{h}x{m}x{k}xf32>, tensor<{h}x{k}x{l}xf32>) -> tensor<{h}x{m}x{l}xf32>\n"
    SOFTMAX ("{h}x{m}x{l}", "{h}x{m}", "[2]", "[0, 1]")
    "  %o = stablehlo.dot_general %p, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
    "(tensor<{h}x{m}x{l}xf32>, tensor<{h}x{l}x{k}xf32>) -> tensor<{h}x{m}x{k}xf32>\n"
    "  return %o : tensor<{h}x{m}x{k}xf32>\n}\n";
  GString *string = g_string_new (text);
  const struct { const char *token; guint size; } sizes[] = { { "{h}", h }, { "{m}", m }, { "{l}", l }, { "{k}", k } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *size = g_strdup_printf ("%u", sizes[i].size);

      g_string_replace (string, sizes[i].token, size, 0);
    }
  g_string_replace (string, "{f}", factor, 0);

  return g_string_free (string, FALSE);
}

/* Weights and values stay f32, with results to match. */
static void
test_converted (void)
{
  static const struct { guint h, m, l, k; const char *factor; } cases[] = {
    { 2, 300, 270, 64, "0.3535" }, { 1, 40, 37, 33, "0.5" }, { 3, 13, 520, 7, "1.0" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = print_converted (cases[i].h, cases[i].m, cases[i].l, cases[i].k, cases[i].factor);

      check_within (text, fill_real, ghlo_cpu_has_bf16 () ? "tiles of bf16 and f32" : "tiles of f32",
                    find_tolerance (GHLO_ELEMENT_TYPE_F32));
    }
}

/* Few rows; keys are in parts where there are many of them. */
static void
test_vectors (void)
{
  static const Case cases[] = {
    { 2, 2, 1, 75, 7, 5, "f32", "f32", MASK_ARGUMENTS, MASKS ("-1.0e9") },
    { 1, 1, 5, 1, 16, 100, "bf16", "f32", "", PLAIN },
    { 1, 1, 8, 1300, 64, 7, "f16", "f16", "", SCALE ("divide", "4.0") },
    { 1, 3, 3, 33, 1, 1, "f64", "f64", "", SCALE ("divide", "4.0") },
    { 1, 1, 1, 9000, 128, 128, "f32", "f32", "", SCALE ("multiply", "0.1") },
    { 1, 1, 2, 9000, 128, 96, "bf16", "f32", MASK_ARGUMENTS, MASKS ("-1.0e9") },
  };

  check_cases (cases, G_N_ELEMENTS (cases), fill_real, "vectors");
  check_cases (cases + 4, 1, fill_real, " parts");
}

/* Scores of all kinds of numbers, and rows without any key. */
static void
test_special (void)
{
  static const Case cases[] = {
    { 2, 2, 19, 70, 9, 9, "f32", "f32", MASK_ARGUMENTS, MASKS ("0xFF800000") },
    { 2, 2, 19, 700, 9, 9, "f32", "f32", MASK_ARGUMENTS, MASKS ("-3.4e38") },
    { 2, 2, 3, 1100, 9, 9, "f32", "f32", MASK_ARGUMENTS, MASKS ("0xFF800000") },
    { 2, 1, 1, 20000, 40, 40, "bf16", "f32", MASK_ARGUMENTS, MASKS ("0xFF80") },
    { 2, 2, 19, 700, 9, 9, "f64", "f64", MASK_ARGUMENTS, MASKS ("0xFFF0000000000000") },
    { 2, 2, 19, 70, 9, 9, "f32", "f32", MASK_ARGUMENTS, MASKS ("0xFF800000"), NO_WEIGHTS_UNLESS_ANY },
    { 2, 2, 19, 700, 9, 9, "f64", "f64", MASK_ARGUMENTS, MASKS ("0xFFF0000000000000"), NO_WEIGHTS_IF_NONE },
    { 2, 1, 1, 20000, 40, 40, "bf16", "f32", MASK_ARGUMENTS, MASKS ("0xFF80"), WEIGHTS_IF_ANY },
    { 2, 2, 33, 70, 9, 9, "bf16", "bf16", MASK_ARGUMENTS, MASKS ("0xFF80"), NO_WEIGHTS_UNLESS_ANY },
  };

  check_cases (cases, G_N_ELEMENTS (cases), fill_special, "attention");
  check_cases (cases, G_N_ELEMENTS (cases), fill_masked, "attention");
}

/* A value of a late key is infinite: times a weight of 0 it is NaN, also where all keys of its block are masked. */
static void
fill_infinite (GhloValue *value,
               guint      index)
{
  fill_real (value, index);
  if (index == 2)
    set_number (value, value->n_elements - 1, -INFINITY);
}

/* Blocks of keys that a mask excludes for all rows of a block, or for all but some. */
static void
test_masked_blocks (void)
{
  static const Case cases[] = {
    { 1, 2, 600, 600, 16, 20, "f32", "f32", "", CAUSAL ("-1.0e9") },
    { 1, 2, 600, 600, 16, 20, "bf16", "f32", "", CAUSAL ("0xFF80") },
    { 1, 1, 500, 900, 16, 20, "f64", "f64", "", CAUSAL ("-1.0e9") },
    { 2, 1, 60, 1100, 8, 8, "f32", "f32", "", CAUSAL ("-3.0") },
  };

  check_cases (cases, G_N_ELEMENTS (cases), fill_real, "tiles");
  check_cases (cases, G_N_ELEMENTS (cases), fill_infinite, "tiles");
}

static void
test_forms (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (attention_forms); i++)
    check (attention_forms[i].text, fill_real, "attention");
}

/* A random order of four dimensions, and its inverse, as text. */
static void
draw_order (guint  order[4],
            char **text,
            char **inverse)
{
  guint places[4];

  for (guint i = 0; i < 4; i++)
    {
      const guint k = (guint) g_test_rand_int_range (0, (gint) i + 1);

      order[i] = order[k];
      order[k] = i;
    }
  for (guint i = 0; i < 4; i++)
    places[order[i]] = i;
  *text = g_strdup_printf ("[%u, %u, %u, %u]", order[0], order[1], order[2], order[3]);
  *inverse = g_strdup_printf ("[%u, %u, %u, %u]", places[0], places[1], places[2], places[3]);
}

/* Makes the argument @name of @text, of type @type with these sizes, one with its dimensions in a random order. */
static void
permute_argument (GString     *text,
                  const char  *name,
                  const guint  sizes[4],
                  const char  *type)
{
  g_autofree char *order_text = NULL, *inverse = NULL, *argument = NULL, *permuted = NULL, *from = NULL, *to = NULL;
  g_autofree char *line = NULL;
  guint order[4];

  draw_order (order, &order_text, &inverse);
  from = g_strdup_printf ("tensor<%ux%ux%ux%ux%s>", sizes[0], sizes[1], sizes[2], sizes[3], type);
  to = g_strdup_printf ("tensor<%ux%ux%ux%ux%s>", sizes[order[0]], sizes[order[1]], sizes[order[2]],
                        sizes[order[3]], type);
  argument = g_strdup_printf ("%s: %s", name, from);
  permuted = g_strdup_printf ("%s0: %s", name, to);
  line = g_strdup_printf (" {\n  %s = stablehlo.transpose %s0, dims = %s : (%s) -> %s\n", name, name, inverse, to,
                          from);
  g_assert_cmpuint (g_string_replace (text, argument, permuted, 1), ==, 1);
  g_assert_cmpuint (g_string_replace (text, " {\n", line, 1), ==, 1);
}

/* The same for the result. */
static void
permute_result (GString     *text,
                const guint  sizes[4],
                const char  *type)
{
  g_autofree char *order_text = NULL, *inverse = NULL, *from = NULL, *to = NULL, *line = NULL, *last = NULL;
  g_autofree char *head = NULL, *new_head = NULL;
  guint order[4];

  draw_order (order, &order_text, &inverse);
  from = g_strdup_printf ("tensor<%ux%ux%ux%ux%s>", sizes[0], sizes[1], sizes[2], sizes[3], type);
  to = g_strdup_printf ("tensor<%ux%ux%ux%ux%s>", sizes[order[0]], sizes[order[1]], sizes[order[2]],
                        sizes[order[3]], type);
  head = g_strdup_printf (" -> %s {\n", from);
  new_head = g_strdup_printf (" -> %s {\n", to);
  last = g_strdup_printf ("  return %%o : %s\n", from);
  line = g_strdup_printf ("  %%z = stablehlo.transpose %%o, dims = %s : (%s) -> %s\n  return %%z : %s\n", order_text,
                          from, to, to);
  g_assert_cmpuint (g_string_replace (text, head, new_head, 1), ==, 1);
  g_assert_cmpuint (g_string_replace (text, last, line, 1), ==, 1);
}

/* Random sizes, types, logits and layouts. */
static void
test_random (void)
{
  static const char *const types[] = { "f32", "bf16", "f16", "f64" };
  static const struct { const char *arguments, *logits; } kinds[] = {
    { "", PLAIN }, { "", SCALE ("multiply", "0.3") }, { "", CAUSAL ("-6.0e4") },
    { MASK_ARGUMENTS, MASKS ("-6.0e4") },
  };
  const guint n = g_test_slow () ? 400 : SANITIZED ? 12 : 60;

  for (guint i = 0; i < n; i++)
    {
      const guint type = (guint) g_test_rand_int_range (0, G_N_ELEMENTS (types));
      const guint kind = (guint) g_test_rand_int_range (0, G_N_ELEMENTS (kinds));
      const gboolean is_small = g_test_rand_bit ();
      const Case one = {
        .b = (guint) g_test_rand_int_range (1, 4), .h = (guint) g_test_rand_int_range (1, 4),
        .m = (guint) g_test_rand_int_range (1, is_small ? 12 : 301),
        .l = (guint) g_test_rand_int_range (1, is_small ? 600 : 301),
        .k = (guint) g_test_rand_int_range (1, is_small ? 161 : 40),
        .n = (guint) g_test_rand_int_range (1, is_small ? 161 : 40),
        .type = types[type], .softmax = type < 3 && g_test_rand_bit () ? "f32" : types[type],
        .arguments = kinds[kind].arguments, .logits = kinds[kind].logits,
      };
      g_autofree char *text = print_case (&one);
      GString *permuted = g_string_new (text);

      permute_argument (permuted, "%q", (guint[]) { one.b, one.h, one.m, one.k }, one.type);
      permute_argument (permuted, "%k", (guint[]) { one.b, one.h, one.l, one.k }, one.type);
      permute_argument (permuted, "%v", (guint[]) { one.b, one.h, one.l, one.n }, one.type);
      permute_result (permuted, (guint[]) { one.b, one.h, one.m, one.n }, one.type);
      check (permuted->str, fill_real, "attention");
      g_string_free (permuted, TRUE);
    }
}

static void
check_declined (const char *text)
{
  g_autoptr (GhloPrepared) prepared = fuse (text);
  g_autofree char *plan = ghlo_prepared_describe (prepared);

  if (strstr (plan, " attention ") != NULL)
    g_error ("expected no attention in\n%s\nof\n%s", plan, text);
}

static void
test_declined (void)
{
  static const Case cases[] = {
    /* A softmax with fewer bits than the result, an attention without keys, and heads of many features. */
    { 1, 2, 20, 40, 16, 8, "f32", "bf16", "", SCALE ("multiply", "0.25") },
    { 1, 2, 20, 0, 16, 8, "f32", "f32", "", SCALE ("multiply", "0.25") },
    { 1, 2, 20, 40, 2000, 8, "f32", "f32", "", SCALE ("multiply", "0.25") },
    /* Weights of 0 where a row has keys, or where it has not all keys. */
    { 1, 2, 20, 40, 16, 8, "f32", "f32", "", SCALE ("multiply", "0.25"), WEIGHTS_UNLESS_ANY },
    { 1, 2, 20, 40, 16, 8, "f32", "f32", "", SCALE ("multiply", "0.25"), WEIGHTS_IF_ALL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = print_case (&cases[i]);

      check_declined (text);
    }
  /* Logits with a kernel, whose keys are not adjacent. */
  check_declined ("func.func @main(%q: tensor<8x20xf32>, %k: tensor<33x8xf32>, %v: tensor<5x33xf32>) -> "
                  "tensor<5x20xf32> {\n"
                  "  %s = stablehlo.dot_general %k, %q, contracting_dims = [1] x [0] : (tensor<33x8xf32>, "
                  "tensor<8x20xf32>) -> tensor<33x20xf32>\n"
                  "  %x = stablehlo.negate %s : tensor<33x20xf32>\n"
                  SOFTMAX ("33x20", "20", "[0]", "[1]")
                  "  %o = stablehlo.dot_general %v, %p, contracting_dims = [1] x [0] : (tensor<5x33xf32>, "
                  "tensor<33x20xf32>) -> tensor<5x20xf32>\n"
                  "  return %o : tensor<5x20xf32>\n}\n");
}

/* Which sizes the CPU takes: scores that would be in memory, and long keys of few heads. */
static void
test_sizes (void)
{
  static const struct { Case one; gboolean is_step; } cases[] = {
    { { 1, 8, 512, 512, 64, 64, "f32", "f32", "", SCALE ("multiply", "0.1") }, TRUE },
    { { 1, 4, 8, 16384, 64, 64, "f32", "f32", "", SCALE ("multiply", "0.1") }, TRUE },
    { { 1, 1, 1, 16384, 64, 64, "f32", "f32", "", SCALE ("multiply", "0.1") }, TRUE },
    { { 1, 8, 8, 1024, 64, 64, "f32", "f32", "", SCALE ("multiply", "0.1") }, FALSE },
    { { 1, 8, 128, 128, 64, 64, "f32", "f32", "", SCALE ("multiply", "0.1") }, FALSE },
    { { 1, 8, 4096, 77, 64, 64, "f32", "f32", "", SCALE ("multiply", "0.1") }, FALSE },
    { { 1, 32, 1, 2048, 64, 64, "f32", "f32", "", SCALE ("multiply", "0.1") }, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = print_case (&cases[i].one);
      g_autoptr (GhloPrepared) prepared = fuse_for (ghlo_devices_find ("cpu"), text);
      g_autofree char *plan = ghlo_prepared_describe (prepared);

      if ((strstr (plan, " attention ") != NULL) != cases[i].is_step)
        g_error ("expected %s step in\n%s", cases[i].is_step ? "one" : "no such", plan);
    }
}

/* A run that is cancelled ends soon, with an error. */
static gpointer
cancel_later (gpointer cancellable)
{
  g_usleep (20000);
  g_cancellable_cancel (cancellable);

  return NULL;
}

static void
test_cancel (void)
{
  static const Case large = { 1, 8, 4000, 4000, 64, 64, "f32", "f32", "", SCALE ("multiply", "0.25") };
  g_autofree char *text = print_case (&large);
  g_autoptr (GhloPrepared) prepared = fuse (text);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GThread) thread = NULL;
  g_autoptr (GError) error = NULL;
  GhloValue *inputs[3], *output = NULL;
  const GhloMonitor monitor = { .cancellable = cancellable };

  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    inputs[i] = new_random ("1x8x4000x64xf32", -1, 1);
  thread = g_thread_new ("cancel", cancel_later, cancellable);
  g_assert_false (ghlo_prepared_run (prepared, NULL, inputs, 3, &output, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (g_steal_pointer (&thread));
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    ghlo_value_unref (inputs[i]);
}

int
main (int    argc,
      char **argv)
{
  g_setenv ("GHLO_THREADS", "3", FALSE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/attention/tiles", test_tiles);
  g_test_add_func ("/cpu/attention/converted", test_converted);
  g_test_add_func ("/cpu/attention/vectors", test_vectors);
  g_test_add_func ("/cpu/attention/special", test_special);
  g_test_add_func ("/cpu/attention/masked-blocks", test_masked_blocks);
  g_test_add_func ("/cpu/attention/forms", test_forms);
  g_test_add_func ("/cpu/attention/random", test_random);
  g_test_add_func ("/cpu/attention/declined", test_declined);
  g_test_add_func ("/cpu/attention/sizes", test_sizes);
  g_test_add_func ("/cpu/attention/cancel", test_cancel);

  return g_test_run ();
}
