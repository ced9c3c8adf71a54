/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fused epilogues of products and convolutions on a Vulkan device: programs give the same bits as without these
 * fusions, whichever shader computes the product and whichever the epilogue.
 */

#include "../reference/kernel-programs.h"
#include "../sanitized.h"
#include "vulkan-program.h"

#include "gpu/spirv/product.h"
#include "gpu/steps.h"
#include "runtime/place.h"

enum { MAX_INPUTS = 6, MAX_OUTPUTS = 4 };

/* An open copy of the device; NULL where there is none, in which case the test is skipped. The copy fuses epilogues
 * into products whether that is faster or not; with @is_emulated it has emulated matrices. */
static GhloGpuDevice *
get_device (gboolean is_emulated)
{
  static VulkanProgramCopy copies[2];
  GhloGpuDevice *copy = vulkan_program_copy (&copies[is_emulated ? 1 : 0]);

  if (copy == NULL)
    return NULL;
  copy->fuses_always = TRUE;
  if (is_emulated)
    {
      copy->emulates_matrices = TRUE;
      copy->forced_splits = 1u << GHLO_SPIRV_ONE_PLANE | 1u << GHLO_SPIRV_TWO_PLANES
                            | 1u << GHLO_SPIRV_TWO_PLANES_STEPWISE;
      copy->vulkan.matrices = (guint64) 1 << GHLO_ELEMENT_TYPE_BF16 | (guint64) 1 << GHLO_ELEMENT_TYPE_F16
                              | (guint64) 1 << GHLO_ELEMENT_TYPE_I8 | (guint64) 1 << GHLO_ELEMENT_TYPE_UI8;
    }

  return copy;
}

/* Computes @text on @device, with fusions; those of products only unless @is_unfused. The plan's description goes to
 * *plan, which the caller frees. */
static void
compute (GhloGpuDevice  *device,
         const char     *text,
         gboolean        is_unfused,
         GhloValue     **inputs,
         GhloValue     **outputs,
         char          **plan)
{
  const char *const disabled[] = { "fuse-epilogues", NULL };
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GhloPrepared) prepared = NULL;
  g_autoptr (GError) error = NULL;
  GhloIrOp *entry = ghlo_ir_module_get_entry (module);
  const GhloIrBlock *body = ghlo_ir_func_get_body (entry);

  prepared = vulkan_program_fuse (device, module, is_unfused ? disabled : NULL);
  *plan = ghlo_prepared_describe (prepared);
  vulkan_program_watch (device);
  ghlo_prepared_run (prepared, NULL, inputs, body->n_arguments, outputs, NULL, &error);
  vulkan_program_unwatch (device);
  g_assert_no_error (error);
  for (guint i = 0; i < body->last->n_operands; i++)
    {
      ghlo_value_fetch (outputs[i], NULL, &error);
      g_assert_no_error (error);
    }
}

typedef void (*FillFunc) (GhloValue *value);

static void
fill_real (GhloValue *value)
{
  for (gsize i = 0; i < value->n_elements; i++)
    set_number (value, i, ghlo_element_type_is_float (value->type->element_type)
                          ? g_test_rand_double_range (-1, 1) : g_test_rand_int_range (-3, 4));
}

/* Numbers of all magnitudes, whose cubes may overflow or nearly so, and some NaNs. */
static void
fill_wide (GhloValue *value)
{
  for (gsize i = 0; i < value->n_elements; i++)
    set_number (value, i, ldexp (g_test_rand_double_range (-1, 1), g_test_rand_int_range (-4, 50)));
  for (guint i = 0; i < 3; i++)
    set_number (value, (gsize) g_test_rand_int_range (0, (gint32) value->n_elements), i == 0 ? NAN : INFINITY);
}

/* Numbers that planes cannot represent. */
static void
fill_infinite (GhloValue *value)
{
  fill_real (value);
  if (ghlo_element_type_is_float (value->type->element_type))
    set_number (value, value->n_elements / 2, INFINITY);
}

/* Runs @text on @device with and without fusions of products: the bits are the same, the fused plan contains
 * @expected, and has fewer steps, unless an epilogue is a separate kernel. */
static void
check (GhloGpuDevice *device,
       const char    *text,
       FillFunc       fill,
       const char    *expected)
{
  g_autoptr (GhloIrModule) module = parse (text);
  const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
  GhloValue *inputs[MAX_INPUTS], *outputs[2][MAX_OUTPUTS];
  g_autofree char *plan = NULL, *plan_unfused = NULL;

  g_assert_cmpuint (body->n_arguments, <=, MAX_INPUTS);
  g_assert_cmpuint (body->last->n_operands, <=, MAX_OUTPUTS);
  for (guint i = 0; i < body->n_arguments; i++)
    {
      g_autoptr (GhloTensorType) type = ghlo_ir_type_to_tensor_type (body->arguments[i]->type);

      inputs[i] = ghlo_value_new_tensor (type, NULL);
      fill (inputs[i]);
    }
  for (guint unfused = 0; unfused < 2; unfused++)
    compute (device, text, unfused != 0, inputs, outputs[unfused], unfused != 0 ? &plan_unfused : &plan);
  g_test_message ("%s", plan);
  if (strstr (plan, expected) == NULL)
    g_error ("expected '%s' in\n%s\nof\n%s", expected, plan, text);
  g_assert_null (strstr (plan_unfused, "epilogue"));
  for (guint i = 0; i < body->last->n_operands; i++)
    {
      const GhloValue *found = outputs[0][i], *wanted = outputs[1][i];
      const gsize size = ghlo_element_info (found->type->element_type)->size;

      for (gsize k = 0; k < found->n_elements; k++)
        if (memcmp (found->data + k * size, wanted->data + k * size, size) != 0
            && !(isnan (creal (number_at (found, k))) && isnan (creal (number_at (wanted, k)))))
          g_error ("element %" G_GSIZE_FORMAT " of result %u is %g, and %g without fusion, of\n%s\n%s", k, i,
                   creal (number_at (found, k)), creal (number_at (wanted, k)), text, plan);
    }
  for (guint unfused = 0; unfused < 2; unfused++)
    {
      for (guint i = 0; i < body->last->n_operands; i++)
        ghlo_value_unref (outputs[unfused][i]);
    }
  for (guint i = 0; i < body->n_arguments; i++)
    ghlo_value_unref (inputs[i]);
}

/* A matrix product: {m} x {k} by {k} x {n} of {l}, to {m} x {n} of {r}, with precision {p}. */
typedef struct
{
  gint64      m, n, k;
  const char *lhs, *result, *precision;
} Sizes;

static char *
print (const char  *text,
       const Sizes *sizes)
{
  GString *string = g_string_new (text);
  const struct { const char *token; char *value; } tokens[] = {
    { "{t}", g_strdup ("tensor<{m}x{n}x{r}>") }, { "{f}", g_strdup ("tensor<{m}x{n}xf32>") },
    { "{m}", g_strdup_printf ("%" G_GINT64_FORMAT, sizes->m) },
    { "{n}", g_strdup_printf ("%" G_GINT64_FORMAT, sizes->n) },
    { "{k}", g_strdup_printf ("%" G_GINT64_FORMAT, sizes->k) }, { "{l}", g_strdup (sizes->lhs) },
    { "{r}", g_strdup (sizes->result) }, { "{p}", g_strdup (sizes->precision) },
  };

  for (guint i = 0; i < G_N_ELEMENTS (tokens); i++)
    {
      g_string_replace (string, tokens[i].token, tokens[i].value, 0);
      g_free (tokens[i].value);
    }

  return g_string_free (string, FALSE);
}

#define BEGIN(operands, results) \
  "func.func @main(%a: tensor<{m}x{k}x{l}>, %b: tensor<{k}x{n}x{l}>" operands ") -> (" results ") {\n" \
  "  %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [{p}, {p}] : " \
  "(tensor<{m}x{k}x{l}>, tensor<{k}x{n}x{l}>) -> {t}\n"
#define BIAS(result, of) \
  "  %bias = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<{n}x{r}>) -> {t}\n" \
  "  " result " = stablehlo.add " of ", %bias : {t}\n"
#define RETURN(values, types) "  return " values " : " types "\n}\n"

/* A bias for each column. */
static const char bias[] = BEGIN (", %c: tensor<{n}x{r}>", "{t}") BIAS ("%x", "%p") RETURN ("%x", "{t}");

/* GELU by tanh in f32, after a bias. */
static const char gelu[] =
  BEGIN (", %c: tensor<{n}x{r}>", "{t}") BIAS ("%x", "%p")
  "  %f = stablehlo.convert %x : ({t}) -> {f}\n"
  "  %third = stablehlo.constant dense<0.044715> : {f}\n"
  "  %root = stablehlo.constant dense<0.797884583> : {f}\n"
  "  %half = stablehlo.constant dense<0.5> : {f}\n"
  "  %one = stablehlo.constant dense<1.0> : {f}\n"
  "  %g0 = stablehlo.multiply %f, %f : {f}\n"
  "  %g1 = stablehlo.multiply %g0, %f : {f}\n"
  "  %g2 = stablehlo.multiply %g1, %third : {f}\n"
  "  %g3 = stablehlo.add %f, %g2 : {f}\n"
  "  %g4 = stablehlo.multiply %g3, %root : {f}\n"
  "  %g5 = stablehlo.tanh %g4 : {f}\n"
  "  %g6 = stablehlo.add %g5, %one : {f}\n"
  "  %g7 = stablehlo.multiply %g6, %f : {f}\n"
  "  %g8 = stablehlo.multiply %g7, %half : {f}\n"
  "  %y = stablehlo.convert %g8 : ({f}) -> {t}\n"
  RETURN ("%y", "{t}");

/* GELU by tanh, with each operation rounded to the product's type; its operand is a result, too. */
static const char rounded_gelu[] =
  BEGIN (", %c: tensor<{n}x{r}>", "{t}, {t}") BIAS ("%x", "%p")
  "  %third = stablehlo.constant dense<0.044715> : {t}\n"
  "  %root = stablehlo.constant dense<0.797884583> : {t}\n"
  "  %half = stablehlo.constant dense<0.5> : {t}\n"
  "  %one = stablehlo.constant dense<1.0> : {t}\n"
  "  %g0 = stablehlo.multiply %x, %x : {t}\n"
  "  %g1 = stablehlo.multiply %g0, %x : {t}\n"
  "  %g2 = stablehlo.multiply %g1, %third : {t}\n"
  "  %g3 = stablehlo.add %x, %g2 : {t}\n"
  "  %g4 = stablehlo.multiply %g3, %root : {t}\n"
  "  %g5 = stablehlo.tanh %g4 : {t}\n"
  "  %g6 = stablehlo.add %g5, %one : {t}\n"
  "  %g7 = stablehlo.multiply %g6, %half : {t}\n"
  "  %y = stablehlo.multiply %g7, %x : {t}\n"
  RETURN ("%y, %x", "{t}, {t}");

/* The sign of a cube selects one of two other values: a NaN in place of a large number would select the other. */
static const char choice[] =
  BEGIN (", %c: tensor<{n}x{r}>", "{t}, {t}") BIAS ("%x", "%p")
  "  %q0 = stablehlo.multiply %x, %x : {t}\n"
  "  %q1 = stablehlo.multiply %q0, %x : {t}\n"
  "  %zero = stablehlo.constant dense<0.0> : {t}\n"
  "  %is = stablehlo.compare GT, %q1, %zero : ({t}, {t}) -> tensor<{m}x{n}xi1>\n"
  "  %q2 = stablehlo.add %x, %q1 : {t}\n"
  "  %q3 = stablehlo.multiply %q2, %x : {t}\n"
  "  %q4 = stablehlo.subtract %q3, %x : {t}\n"
  "  %q5 = stablehlo.multiply %q4, %x : {t}\n"
  "  %q6 = stablehlo.tanh %q5 : {t}\n"
  "  %y = stablehlo.select %is, %x, %zero : tensor<{m}x{n}xi1>, {t}\n"
  RETURN ("%y, %q6", "{t}, {t}");

/* Too expensive as an epilogue where tiles are in registers: these functions expand into hundreds of nodes. */
static const char heavy[] =
  BEGIN (", %c: tensor<{n}x{r}>", "{t}") BIAS ("%x", "%p")
  "  %f = stablehlo.convert %x : ({t}) -> {f}\n"
  "  %g0 = stablehlo.cosine %f : {f}\n"
  "  %g1 = stablehlo.sine %g0 : {f}\n"
  "  %g2 = stablehlo.power %g1, %f : {f}\n"
  "  %g3 = stablehlo.cosine %g2 : {f}\n"
  "  %y = stablehlo.convert %g3 : ({f}) -> {t}\n"
  RETURN ("%y", "{t}");

/* The results are the product, relu, the mask of relu, and a wider type. */
static const char relu[] =
  BEGIN (", %c: tensor<{n}x{r}>", "{t}, {t}, tensor<{m}x{n}xi1>, tensor<{m}x{n}xf64>") BIAS ("%x", "%p")
  "  %false = stablehlo.constant dense<false> : tensor<{m}x{n}xi1>\n"
  "  %zeros = stablehlo.convert %false : (tensor<{m}x{n}xi1>) -> {t}\n"
  "  %is = stablehlo.compare GT, %x, %zeros : ({t}, {t}) -> tensor<{m}x{n}xi1>\n"
  "  %y = stablehlo.select %is, %x, %zeros : tensor<{m}x{n}xi1>, {t}\n"
  "  %w = stablehlo.convert %y : ({t}) -> tensor<{m}x{n}xf64>\n"
  RETURN ("%p, %y, %is, %w", "{t}, {t}, tensor<{m}x{n}xi1>, tensor<{m}x{n}xf64>");

/* A factor for each row, one transposed operand, one that is not transposed, and a result of bytes. */
static const char rows[] =
  BEGIN (", %c: tensor<{m}x{r}>, %d: tensor<{n}x{m}x{r}>, %e: {t}", "{t}, tensor<{m}x{n}xi8>")
  "  %s = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<{m}x{r}>) -> {t}\n"
  "  %u = stablehlo.transpose %d, dims = [1, 0] : (tensor<{n}x{m}x{r}>) -> {t}\n"
  "  %x = stablehlo.multiply %p, %s : {t}\n"
  "  %y = stablehlo.add %x, %u : {t}\n"
  "  %z = stablehlo.subtract %y, %e : {t}\n"
  "  %i = stablehlo.convert %z : ({t}) -> tensor<{m}x{n}xi8>\n"
  RETURN ("%z, %i", "{t}, tensor<{m}x{n}xi8>");

/* A bias and an addend that is read where the result is written. */
static const char residual[] =
  BEGIN (", %c: tensor<{n}x{r}>, %d: {t}", "{t}") BIAS ("%x", "%p")
  "  %y = stablehlo.add %x, %d : {t}\n"
  RETURN ("%y", "{t}");

/* Runs each of the sizes with one of @share epilogues. */
static void
check_all (GhloGpuDevice *device,
           const Sizes   *sizes,
           guint          n_sizes,
           guint          share,
           FillFunc       fill,
           const char    *expected)
{
  static const char *const texts[] = { bias, gelu, relu, rows, residual };

  for (guint i = 0; device != NULL && i < n_sizes; i++)
    for (guint t = i % share; t < G_N_ELEMENTS (texts); t += SANITIZED ? 4 : share)
      {
        g_autofree char *text = print (texts[t], &sizes[i]);

        check (device, text, fill, expected);
      }
}

/* Products by invocations, in tiles of all shapes. */
static void
test_numbers (void)
{
  static const Sizes sizes[] = {
    { 33, 65, 20, "f32", "f32", "DEFAULT" }, { 70, 7, 31, "bf16", "bf16", "DEFAULT" },
    { 130, 1, 9, "f16", "f32", "DEFAULT" }, { 1, 129, 17, "f32", "bf16", "DEFAULT" },
    { 5, 8, 40, "i8", "i32", "DEFAULT" }, { 550, 515, 12, "f32", "f32", "DEFAULT" },
    { 1281, 1290, 8, "f32", "f16", "DEFAULT" },
  };

  check_all (get_device (FALSE), sizes, G_N_ELEMENTS (sizes), 1, fill_real, "steps of k at once, and an epilogue");
}

/* k is split into pieces: the kernel that adds them has the epilogue. */
static void
test_pieces (void)
{
  static const Sizes sizes[] = {
    { 33, 65, 1500, "f32", "f32", "DEFAULT" }, { 5, 3, 9001, "bf16", "bf16", "DEFAULT" },
    { 3, 1, 40000, "f16", "f32", "DEFAULT" },
  };

  check_all (get_device (FALSE), sizes, G_N_ELEMENTS (sizes), 1, fill_real, "pieces, and an epilogue");
}

/* Products by matrices: inner tiles, where four elements are written at once, and tiles at edges. */
static void
test_matrices (void)
{
  static const Sizes sizes[] = {
    { 64, 128, 48, "bf16", "bf16", "DEFAULT" }, { 48, 72, 64, "f16", "f32", "DEFAULT" },
    { 40, 64, 128, "i8", "i32", "DEFAULT" }, { 64, 64, 64, "ui8", "ui8", "DEFAULT" },
    { 50, 72, 64, "bf16", "f32", "DEFAULT" },
  };

  check_all (get_device (TRUE), sizes, G_N_ELEMENTS (sizes), 2, fill_real, "matrices, and an epilogue");
}

/* A device that flushes subnormal numbers: roundings on the fast path, and those that are redone. */
static void
test_fast_path (void)
{
  static const Sizes sizes[] = {
    { 64, 64, 32, "bf16", "bf16", "DEFAULT" }, { 50, 72, 64, "bf16", "bf16", "DEFAULT" },
  };
  static const char *const texts[] = { rounded_gelu, choice, gelu, relu };
  static const FillFunc fills[] = { fill_real, fill_wide };
  GhloGpuDevice *device = get_device (TRUE);

  if (device == NULL)
    return;
  device->measured.floats.keeps_subnormals[0] = FALSE;
  device->measured.floats.shortens_quotients = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint t = 0; t < G_N_ELEMENTS (texts); t += SANITIZED || i > 0 ? G_N_ELEMENTS (texts) : 1)
      for (guint f = 0; f < G_N_ELEMENTS (fills); f++)
        {
          g_autofree char *text = print (texts[t], &sizes[i]);

          check (device, text, fills[f], "matrices, and an epilogue");
        }
}

/* Products by planes of f16, and by invocations where planes cannot represent the operands. */
static void
test_planes (void)
{
  static const Sizes sizes[] = {
    { 66, 65, 45, "f32", "f32", "DEFAULT" }, { 32, 64, 33, "f32", "f32", "HIGH" },
    { 32, 64, 40, "f32", "f32", "HIGHEST" }, { 64, 64, 32, "f32", "f32", "DEFAULT" },
  };

  check_all (get_device (TRUE), sizes, G_N_ELEMENTS (sizes), 4, fill_real, "f16, ");
  check_all (get_device (TRUE), sizes, G_N_ELEMENTS (sizes), 4, fill_infinite, "f16, ");
}

/* Products by planes, with k split into pieces. */
static void
test_planes_in_pieces (void)
{
  static const Sizes sizes[] = { { 32, 64, 1540, "f32", "f32", "DEFAULT" } };

  check_all (get_device (TRUE), sizes, G_N_ELEMENTS (sizes), 4, fill_real, "pieces, and an epilogue");
  check_all (get_device (TRUE), sizes, G_N_ELEMENTS (sizes), 4, fill_infinite, "pieces, and an epilogue");
}

/* Batches, dimensions that epilogues and products split differently, and results in other orders. */
static void
test_dimensions (void)
{
  static const struct { const char *text, *expected; } cases[] = {
    /* A bias for each position in a sequence, and one for each head. */
    { "func.func @main(%a: tensor<3x10x20xf32>, %b: tensor<20x24xf32>, %c: tensor<10x24xf32>, %d: tensor<4xf32>) -> "
      "tensor<3x10x4x6xf32> {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [2] x [0] : (tensor<3x10x20xf32>, tensor<20x24xf32>) -> "
      "tensor<3x10x24xf32>\n"
      "  %1 = stablehlo.reshape %0 : (tensor<3x10x24xf32>) -> tensor<3x10x4x6xf32>\n"
      "  %2 = stablehlo.reshape %c : (tensor<10x24xf32>) -> tensor<10x4x6xf32>\n"
      "  %3 = stablehlo.broadcast_in_dim %2, dims = [1, 2, 3] : (tensor<10x4x6xf32>) -> tensor<3x10x4x6xf32>\n"
      "  %4 = stablehlo.add %1, %3 : tensor<3x10x4x6xf32>\n"
      "  %5 = stablehlo.broadcast_in_dim %d, dims = [2] : (tensor<4xf32>) -> tensor<3x10x4x6xf32>\n"
      "  %6 = stablehlo.multiply %4, %5 : tensor<3x10x4x6xf32>\n"
      "  return %6 : tensor<3x10x4x6xf32>\n}\n", "once, and an epilogue" },
    /* Attention: a mask, and batch dimensions in the middle of operands. */
    { "func.func @main(%q: tensor<2x9x3x8xf32>, %k: tensor<2x11x3x8xf32>, %m: tensor<2x9x11xi1>) -> "
      "tensor<2x3x9x11xf32> {\n"
      "  %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : "
      "(tensor<2x9x3x8xf32>, tensor<2x11x3x8xf32>) -> tensor<2x3x9x11xf32>\n"
      "  %1 = stablehlo.broadcast_in_dim %m, dims = [0, 2, 3] : (tensor<2x9x11xi1>) -> tensor<2x3x9x11xi1>\n"
      "  %low = stablehlo.constant dense<-1.0e+30> : tensor<2x3x9x11xf32>\n"
      "  %2 = stablehlo.select %1, %0, %low : tensor<2x3x9x11xi1>, tensor<2x3x9x11xf32>\n"
      "  return %2 : tensor<2x3x9x11xf32>\n}\n", "once, and an epilogue" },
    /* The result is transposed, so that rows of lhs become columns. */
    { "func.func @main(%a: tensor<2x9x3x8xf32>, %b: tensor<2x8x40xf32>, %c: tensor<40xf32>) -> "
      "tensor<40x3x2x9xf32> {\n"
      "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [3] x [1] : "
      "(tensor<2x9x3x8xf32>, tensor<2x8x40xf32>) -> tensor<2x9x3x40xf32>\n"
      "  %1 = stablehlo.broadcast_in_dim %c, dims = [3] : (tensor<40xf32>) -> tensor<2x9x3x40xf32>\n"
      "  %2 = stablehlo.add %0, %1 : tensor<2x9x3x40xf32>\n"
      "  %3 = stablehlo.transpose %2, dims = [3, 2, 0, 1] : (tensor<2x9x3x40xf32>) -> tensor<40x3x2x9xf32>\n"
      "  return %3 : tensor<40x3x2x9xf32>\n}\n", "epilogue" },
    /* x + x W: the product's operand is the epilogue's, too. */
    { "func.func @main(%a: tensor<40x40xf32>, %b: tensor<40x40xf32>) -> tensor<40x40xf32> {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<40x40xf32>, tensor<40x40xf32>) -> "
      "tensor<40x40xf32>\n"
      "  %1 = stablehlo.add %0, %a : tensor<40x40xf32>\n"
      "  %2 = stablehlo.reverse %b, dims = [0, 1] : tensor<40x40xf32>\n"
      "  %3 = stablehlo.multiply %1, %2 : tensor<40x40xf32>\n"
      "  return %3 : tensor<40x40xf32>\n}\n", "once, and an epilogue" },
    /* Shaders of products do not support coordinates in epilogues. */
    { "func.func @main(%a: tensor<40x30xf32>, %b: tensor<30x20xf32>) -> (tensor<40x20xf32>, tensor<40x20xf32>) {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<40x30xf32>, tensor<30x20xf32>) -> "
      "tensor<40x20xf32>\n"
      "  %1 = stablehlo.iota dim = 0 : tensor<40x20xf32>\n"
      "  %2 = stablehlo.add %0, %1 : tensor<40x20xf32>\n"
      "  %3 = stablehlo.multiply %2, %2 : tensor<40x20xf32>\n"
      "  return %0, %3 : tensor<40x20xf32>, tensor<40x20xf32>\n}\n",
      "nodes in a separate kernel: it uses coordinates" },
  };
  GhloGpuDevice *device = get_device (FALSE);

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (cases); i++)
    check (device, cases[i].text, fill_real, cases[i].expected);
}

#define CONVOLUTION(numbers, window, groups, lhs, rhs, result, channel, features) \
  "func.func @main(%a: tensor<" lhs "xf32>, %b: tensor<" rhs "xf32>, %c: tensor<" features "xf32>) -> " \
  "(tensor<" result "xf32>, tensor<" result "xi1>) {\n" \
  "  %0 = stablehlo.convolution(%a, %b) dim_numbers = " numbers ", window = {" window "} " \
  "{batch_group_count = 1 : i64, feature_group_count = " groups " : i64} : " \
  "(tensor<" lhs "xf32>, tensor<" rhs "xf32>) -> tensor<" result "xf32>\n" \
  "  %1 = stablehlo.broadcast_in_dim %c, dims = [" channel "] : (tensor<" features "xf32>) -> " \
  "tensor<" result "xf32>\n" \
  "  %2 = stablehlo.add %0, %1 : tensor<" result "xf32>\n" \
  "  %zero = stablehlo.constant dense<0.0> : tensor<" result "xf32>\n" \
  "  %3 = stablehlo.maximum %2, %zero : tensor<" result "xf32>\n" \
  "  %4 = stablehlo.compare GT, %2, %zero : (tensor<" result "xf32>, tensor<" result "xf32>) -> " \
  "tensor<" result "xi1>\n" \
  "  return %3, %4 : tensor<" result "xf32>, tensor<" result "xi1>\n}\n"

static void
test_convolutions (void)
{
  static const char *const texts[] = {
    CONVOLUTION ("[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "pad = [[1, 1], [1, 1]]", "1", "2x9x9x5", "3x3x5x20",
                 "2x9x9x20", "3", "20"),
    CONVOLUTION ("[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", "stride = [2, 1], pad = [[0, 0], [2, 1]]", "1", "2x4x11x9",
                 "12x4x3x2", "2x12x5x11", "1", "12"),
    CONVOLUTION ("[b, 0, f]x[0, i, o]->[0, b, f]", "pad = [[1, 1]]", "6", "3x17x6", "3x1x12", "17x3x12", "2", "12"),
  };
  GhloGpuDevice *device = get_device (FALSE);

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (texts); i++)
    check (device, texts[i], fill_real, " nodes\"");     /* and not: in a separate kernel */
}

/* More operands than a shader has words for. */
static void
test_many (void)
{
  g_autoptr (GString) text = g_string_new (
    "func.func @main(%a: tensor<20x30xf32>, %b: tensor<30x20xf32>, %c: tensor<14x20xf32>) -> tensor<20x20xf32> {\n"
    "  %p0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<20x30xf32>, tensor<30x20xf32>) -> "
    "tensor<20x20xf32>\n");
  GhloGpuDevice *device = get_device (FALSE);

  for (guint i = 0; i < 14; i++)
    g_string_append_printf (text,
      "  %%s%u = stablehlo.slice %%c [%u:%u, 0:20] : (tensor<14x20xf32>) -> tensor<1x20xf32>\n"
      "  %%r%u = stablehlo.broadcast_in_dim %%s%u, dims = [0, 1] : (tensor<1x20xf32>) -> tensor<20x20xf32>\n"
      "  %%p%u = stablehlo.%s %%p%u, %%r%u : tensor<20x20xf32>\n", i, i, i + 1, i, i, i + 1,
      i % 2 == 0 ? "add" : "multiply", i, i);
  g_string_append (text, "  return %p14 : tensor<20x20xf32>\n}\n");
  if (device != NULL)
    check (device, text->str, fill_real, "in a separate kernel: it has too many operands and results");
}

/* Cheap epilogues are fused with matrices, or where an invocation has one element; any epilogue is fused where k is
 * split into pieces. */
static void
test_worth (void)
{
  static const Sizes numbers = { 40, 50, 30, "f32", "f32", "DEFAULT" }, one = { 5, 6, 30, "f32", "f32", "DEFAULT" };
  static const Sizes pieces = { 40, 50, 600, "f32", "f32", "DEFAULT" };
  static const Sizes matrices = { 32, 32, 64, "bf16", "f32", "DEFAULT" };
  static const struct { const char *text; const Sizes *sizes; gboolean is_emulated; const char *expected; } cases[] = {
    { heavy, &one, FALSE, "nodes in a separate kernel: that is faster" },
    { gelu, &one, FALSE, "once, and an epilogue of 16 nodes\"" },
    { rows, &one, FALSE, "once, and an epilogue of 8 nodes\"" },
    { rows, &numbers, FALSE, "nodes in a separate kernel: that is faster" },
    { gelu, &pieces, FALSE, "pieces, and an epilogue of 16 nodes\"" },
    { heavy, &matrices, TRUE, "nodes in a separate kernel: that is faster" },
    { gelu, &matrices, TRUE, "matrices, and an epilogue of 16 nodes\"" },
    { rows, &matrices, TRUE, "matrices, and an epilogue of 8 nodes\"" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = print (cases[i].text, cases[i].sizes);
      GhloGpuDevice *device = get_device (cases[i].is_emulated);

      if (device == NULL)
        return;
      device->fuses_always = FALSE;
      check (device, text, fill_real, cases[i].expected);
    }
}

int
main (int    argc,
      char **argv)
{
  g_setenv ("GHLO_DEBUG", "vulkan", FALSE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/epilogues/numbers", test_numbers);
  g_test_add_func ("/vulkan/epilogues/pieces", test_pieces);
  g_test_add_func ("/vulkan/epilogues/matrices", test_matrices);
  g_test_add_func ("/vulkan/epilogues/fast-path", test_fast_path);
  g_test_add_func ("/vulkan/epilogues/planes", test_planes);
  g_test_add_func ("/vulkan/epilogues/planes-in-pieces", test_planes_in_pieces);
  g_test_add_func ("/vulkan/epilogues/dimensions", test_dimensions);
  g_test_add_func ("/vulkan/epilogues/convolutions", test_convolutions);
  g_test_add_func ("/vulkan/epilogues/many", test_many);
  g_test_add_func ("/vulkan/epilogues/worth", test_worth);

  return g_test_run ();
}
