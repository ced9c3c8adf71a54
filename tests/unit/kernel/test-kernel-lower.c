/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Groups of operations as kernels: what the interpreter makes of the kernel is what the reference
 * executor makes of the program, whatever the operands' strides. Where sums are made in another
 * order, or functions are another approximation, they agree as closely as their rows say.
 */

#include "../cpu/cpu-steps.h"
#include "../passes/pass-help.h"
#include "kernel/interpret.h"
#include "kernel/lower.h"
#include "kernel/select-and-scatter.h"

#define EXACT STEP_SAME
#define NEAR  2e-6
#define HALF  1e-2

typedef struct
{
  const char *name;
  double      tolerance;
  guint       n_blocks;         /* of the kernel; 0: any */
  const char *text;
} Case;

#define FUNC(arguments, results, body) "func.func @main(" arguments ") -> " results " {\n" body "}\n"
#define SUM(to, from, dimensions, type, result) \
  to " = stablehlo.reduce(" from " init: %zero) applies stablehlo.add across dimensions = [" dimensions "] : (" type \
  ", tensor<f32>) -> " result "\n"
#define ZERO "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"

static const Case cases[] = {
  { "chain", EXACT, 1,
    FUNC ("%a: tensor<3x7xf32>, %b: tensor<3x7xf32>", "tensor<3x7xf32>",
          "%0 = stablehlo.add %a, %b : tensor<3x7xf32>\n"
          "%1 = stablehlo.multiply %0, %a : tensor<3x7xf32>\n"
          "%2 = stablehlo.sqrt %1 : tensor<3x7xf32>\n"
          "%3 = stablehlo.maximum %2, %b : tensor<3x7xf32>\n"
          "return %3 : tensor<3x7xf32>\n") },
  { "several results", EXACT, 1,
    FUNC ("%a: tensor<5x4xf32>", "(tensor<5x4xf32>, tensor<5x4xi1>)",
          "%zero = stablehlo.constant dense<0.5> : tensor<5x4xf32>\n"
          "%0 = stablehlo.compare GT, %a, %zero : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xi1>\n"
          "%1 = stablehlo.select %0, %a, %zero : tensor<5x4xi1>, tensor<5x4xf32>\n"
          "return %1, %0 : tensor<5x4xf32>, tensor<5x4xi1>\n") },
  { "narrow", EXACT, 1,
    FUNC ("%a: tensor<33xbf16>, %b: tensor<33xf16>", "(tensor<33xbf16>, tensor<33xf16>)",
          "%0 = stablehlo.multiply %a, %a : tensor<33xbf16>\n"
          "%1 = stablehlo.add %0, %a : tensor<33xbf16>\n"
          "%2 = stablehlo.convert %1 : (tensor<33xbf16>) -> tensor<33xf16>\n"
          "%3 = stablehlo.subtract %2, %b : tensor<33xf16>\n"
          "return %1, %3 : tensor<33xbf16>, tensor<33xf16>\n") },
  { "narrow sums", HALF, 0,
    FUNC ("%a: tensor<5x12xbf16>, %b: tensor<5x300xf16>", "tensor<5xbf16>",
          "%zero = stablehlo.constant dense<0.0> : tensor<bf16>\n"
          "%0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x12xbf16>, "
          "tensor<bf16>) -> tensor<5xbf16>\n"
          "return %0 : tensor<5xbf16>\n") },
  { "integers", EXACT, 1,
    FUNC ("%a: tensor<40xi32>, %b: tensor<40xi32>, %c: tensor<40xui8>", "(tensor<40xi32>, tensor<40xui8>)",
          "%0 = stablehlo.divide %a, %b : tensor<40xi32>\n"
          "%1 = stablehlo.shift_right_logical %0, %b : tensor<40xi32>\n"
          "%2 = stablehlo.sign %a : tensor<40xi32>\n"
          "%3 = stablehlo.xor %1, %2 : tensor<40xi32>\n"
          "%4 = stablehlo.convert %3 : (tensor<40xi32>) -> tensor<40xui8>\n"
          "%5 = stablehlo.shift_right_arithmetic %c, %4 : tensor<40xui8>\n"
          "return %3, %5 : tensor<40xi32>, tensor<40xui8>\n") },
  { "moves", EXACT, 1,
    FUNC ("%a: tensor<4x6xf32>, %b: tensor<6xf32>, %c: tensor<1x3x1xf32>", "tensor<3x2x4xf32>",
          "%0 = stablehlo.slice %a [0:4, 1:6:2] : (tensor<4x6xf32>) -> tensor<4x3xf32>\n"
          "%1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>\n"
          "%2 = stablehlo.broadcast_in_dim %1, dims = [0, 2] : (tensor<3x4xf32>) -> tensor<3x2x4xf32>\n"
          "%3 = stablehlo.slice %b [2:6:2] : (tensor<6xf32>) -> tensor<2xf32>\n"
          "%4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<2xf32>) -> tensor<3x2x4xf32>\n"
          "%5 = stablehlo.reshape %c : (tensor<1x3x1xf32>) -> tensor<3x1xf32>\n"
          "%6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x2x4xf32>\n"
          "%7 = stablehlo.add %2, %4 : tensor<3x2x4xf32>\n"
          "%8 = stablehlo.reverse %7, dims = [0, 2] : tensor<3x2x4xf32>\n"
          "%9 = stablehlo.subtract %8, %6 : tensor<3x2x4xf32>\n"
          "return %9 : tensor<3x2x4xf32>\n") },
  { "pad", EXACT, 1,
    FUNC ("%a: tensor<4x6xf32>, %p: tensor<f32>", "tensor<7x8xf32>",
          "%0 = stablehlo.pad %a, %p, low = [1, -1], high = [2, 3], interior = [0, 0] : (tensor<4x6xf32>, tensor<f32>) "
          "-> tensor<7x8xf32>\n"
          "%1 = stablehlo.negate %a : tensor<4x6xf32>\n"
          "%2 = stablehlo.pad %1, %p, low = [3, 2], high = [0, 0], interior = [0, 0] : (tensor<4x6xf32>, tensor<f32>) "
          "-> tensor<7x8xf32>\n"
          "%3 = stablehlo.add %0, %2 : tensor<7x8xf32>\n"
          "return %3 : tensor<7x8xf32>\n") },
  { "concatenate", EXACT, 1,
    FUNC ("%a: tensor<3x2xbf16>, %b: tensor<3x5xbf16>, %c: tensor<3x1xbf16>", "tensor<3x10xbf16>",
          "%0 = stablehlo.add %b, %b : tensor<3x5xbf16>\n"
          "%1 = stablehlo.concatenate %a, %0, %c, %a, dim = 1 : (tensor<3x2xbf16>, tensor<3x5xbf16>, tensor<3x1xbf16>, "
          "tensor<3x2xbf16>) -> tensor<3x10xbf16>\n"
          "return %1 : tensor<3x10xbf16>\n") },
  { "iota", EXACT, 1,
    FUNC ("%a: tensor<3x9xf32>", "(tensor<3x9xf32>, tensor<3x9xi8>)",
          "%0 = stablehlo.iota dim = 1 : tensor<3x9xf32>\n"
          "%1 = stablehlo.add %a, %0 : tensor<3x9xf32>\n"
          "%2 = stablehlo.iota dim = 0 : tensor<3x9xi8>\n"
          "%3 = stablehlo.reverse %2, dims = [0] : tensor<3x9xi8>\n"
          "return %1, %3 : tensor<3x9xf32>, tensor<3x9xi8>\n") },
  { "sum of rows", NEAR, 0,
    FUNC ("%a: tensor<6x1000xf32>", "tensor<6xf32>",
          ZERO SUM ("%0", "%a", "1", "tensor<6x1000xf32>", "tensor<6xf32>") "return %0 : tensor<6xf32>\n") },
  { "sum of columns", NEAR, 0,
    FUNC ("%a: tensor<1300x40xf32>", "tensor<40xf32>",
          ZERO SUM ("%0", "%a", "0", "tensor<1300x40xf32>", "tensor<40xf32>") "return %0 : tensor<40xf32>\n") },
  { "sum of all", NEAR, 0,
    FUNC ("%a: tensor<50x30x7xf32>, %b: tensor<50x30x7xf32>", "tensor<f32>",
          ZERO "%0 = stablehlo.multiply %a, %b : tensor<50x30x7xf32>\n"
          SUM ("%1", "%0", "0, 1, 2", "tensor<50x30x7xf32>", "tensor<f32>") "return %1 : tensor<f32>\n") },
  { "initial value", EXACT, 0,
    FUNC ("%a: tensor<4x9xi32>, %i: tensor<i32>", "(tensor<4xi32>, tensor<4xi32>)",
          "%0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] : (tensor<4x9xi32>, "
          "tensor<i32>) -> tensor<4xi32>\n"
          "%1 = stablehlo.reduce(%a init: %i) applies stablehlo.maximum across dimensions = [1] : (tensor<4x9xi32>, "
          "tensor<i32>) -> tensor<4xi32>\n"
          "return %0, %1 : tensor<4xi32>, tensor<4xi32>\n") },
  { "softmax", NEAR, 0,
    FUNC ("%a: tensor<2x5x70xf32>", "tensor<2x5x70xf32>",
          ZERO "%low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
          "%0 = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [2] : "
          "(tensor<2x5x70xf32>, tensor<f32>) -> tensor<2x5xf32>\n"
          "%1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x70xf32>\n"
          "%2 = stablehlo.subtract %a, %1 : tensor<2x5x70xf32>\n"
          "%3 = stablehlo.exponential %2 : tensor<2x5x70xf32>\n"
          SUM ("%4", "%3", "2", "tensor<2x5x70xf32>", "tensor<2x5xf32>")
          "%5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x70xf32>\n"
          "%6 = stablehlo.divide %3, %5 : tensor<2x5x70xf32>\n"
          "return %6 : tensor<2x5x70xf32>\n") },
  { "normalized columns", 1e-5, 0,
    FUNC ("%a: tensor<4x3x3x8xf32>, %g: tensor<8xf32>", "(tensor<4x3x3x8xf32>, tensor<8xf32>)",
          ZERO "%n = stablehlo.constant dense<36.0> : tensor<8xf32>\n"
          SUM ("%0", "%a", "0, 1, 2", "tensor<4x3x3x8xf32>", "tensor<8xf32>")
          "%1 = stablehlo.divide %0, %n : tensor<8xf32>\n"
          "%2 = stablehlo.broadcast_in_dim %1, dims = [3] : (tensor<8xf32>) -> tensor<4x3x3x8xf32>\n"
          "%3 = stablehlo.subtract %a, %2 : tensor<4x3x3x8xf32>\n"
          "%4 = stablehlo.multiply %3, %3 : tensor<4x3x3x8xf32>\n"
          SUM ("%5", "%4", "0, 1, 2", "tensor<4x3x3x8xf32>", "tensor<8xf32>")
          "%6 = stablehlo.multiply %5, %g : tensor<8xf32>\n"
          "%7 = stablehlo.broadcast_in_dim %6, dims = [3] : (tensor<8xf32>) -> tensor<4x3x3x8xf32>\n"
          "%8 = stablehlo.multiply %3, %7 : tensor<4x3x3x8xf32>\n"
          "return %8, %1 : tensor<4x3x3x8xf32>, tensor<8xf32>\n") },
  { "argmax", EXACT, 0,
    FUNC ("%a: tensor<6x50xf32>", "tensor<6xi32>",
          "%low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
          "%zero = stablehlo.constant dense<0> : tensor<i32>\n"
          "%i = stablehlo.iota dim = 1 : tensor<6x50xi32>\n"
          "%0:2 = stablehlo.reduce(%a init: %low), (%i init: %zero) across dimensions = [1] : (tensor<6x50xf32>, "
          "tensor<6x50xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)\n"
          "reducer(%x: tensor<f32>, %y: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {\n"
          "%c = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
          "%n = stablehlo.compare NE, %x, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
          "%o = stablehlo.or %c, %n : tensor<i1>\n"
          "%e = stablehlo.compare EQ, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
          "%l = stablehlo.compare LT, %j, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
          "%t = stablehlo.and %e, %l : tensor<i1>\n"
          "%s = stablehlo.or %o, %t : tensor<i1>\n"
          "%v = stablehlo.select %o, %x, %y : tensor<i1>, tensor<f32>\n"
          "%w = stablehlo.select %s, %j, %k : tensor<i1>, tensor<i32>\n"
          "stablehlo.return %v, %w : tensor<f32>, tensor<i32>\n}\n"
          "return %0#1 : tensor<6xi32>\n") },
  { "windows", EXACT, 0,
    FUNC ("%a: tensor<2x9x7x3xf32>, %i: tensor<f32>", "tensor<2x5x3x3xf32>",
          "%0 = \"stablehlo.reduce_window\"(%a, %i) <{padding = dense<[[0, 0], [1, 1], [0, 1], [0, 0]]> : "
          "tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>, "
          "window_dilations = array<i64: 1, 1, 3, 1>}> ({\n"
          "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
          "%m = stablehlo.maximum %x, %y : tensor<f32>\nstablehlo.return %m : tensor<f32>\n"
          "}) : (tensor<2x9x7x3xf32>, tensor<f32>) -> tensor<2x5x3x3xf32>\n"
          "return %0 : tensor<2x5x3x3xf32>\n") },
  { "mean of windows", NEAR, 0,
    FUNC ("%a: tensor<2x8x6xf32>", "tensor<2x4x3xf32>",
          ZERO "%q = stablehlo.constant dense<0.25> : tensor<2x4x3xf32>\n"
          "%s = stablehlo.multiply %a, %a : tensor<2x8x6xf32>\n"
          "%0 = \"stablehlo.reduce_window\"(%s, %zero) <{window_dimensions = array<i64: 1, 2, 2>, "
          "window_strides = array<i64: 1, 2, 2>}> ({\n"
          "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
          "%m = stablehlo.add %x, %y : tensor<f32>\nstablehlo.return %m : tensor<f32>\n"
          "}) : (tensor<2x8x6xf32>, tensor<f32>) -> tensor<2x4x3xf32>\n"
          "%1 = stablehlo.multiply %0, %q : tensor<2x4x3xf32>\n"
          "return %1 : tensor<2x4x3xf32>\n") },
  { "one element", NEAR, 0,
    FUNC ("%a: tensor<4x1xf32>", "tensor<4xf32>",
          ZERO SUM ("%0", "%a", "1", "tensor<4x1xf32>", "tensor<4xf32>")
          "%1 = stablehlo.add %0, %0 : tensor<4xf32>\n"
          "return %1 : tensor<4xf32>\n") },
  { "scalar", EXACT, 1,
    FUNC ("%a: tensor<f32>", "tensor<f32>",
          "%0 = stablehlo.add %a, %a : tensor<f32>\nreturn %0 : tensor<f32>\n") },
};

static GhloIrModule *
parse_case (const char *name,
            const char *text)
{
  g_autoptr (GError) error = NULL;
  GhloIrModule *module = pass_parse (name, text, strlen (text), &error);

  g_assert_no_error (error);

  return module;
}

/* The inputs in memory of their own, in any layout; results dense. */
typedef struct
{
  guint       n_operands, n_results;
  StepTensor *tensors;          /* operands, then results */
  GhloView   *views;
} Tensors;

static void
init_tensors (Tensors           *self,
              const GhloIrBlock *body,
              GhloValue        **inputs,
              gboolean           scattered)
{
  self->n_operands = body->n_arguments;
  self->n_results = body->last->n_operands;
  self->tensors = g_new0 (StepTensor, self->n_operands + self->n_results);
  self->views = g_new0 (GhloView, self->n_operands + self->n_results);
  for (guint i = 0; i < self->n_operands + self->n_results; i++)
    {
      const GhloIrValue *value = i < self->n_operands ? body->arguments[i]
                                 : ghlo_ir_op_operand (body->last, i - self->n_operands);
      g_autoptr (GhloTensorType) type = ghlo_ir_type_to_tensor_type (value->type);

      step_tensor_init (&self->tensors[i], type, scattered && i < self->n_operands);
      if (i < self->n_operands)
        step_tensor_fill (&self->tensors[i], inputs[i]);
      self->views[i] = self->tensors[i].view;
    }
}

static void
clear_tensors (Tensors *self)
{
  for (guint i = 0; i < self->n_operands + self->n_results; i++)
    step_tensor_clear (&self->tensors[i]);
  g_free (self->tensors);
  g_free (self->views);
}

static void
run_kernel (const GhloLoweredKernel *lowered,
            Tensors                 *tensors)
{
  const GhloKernel *kernel = lowered->kernel;
  g_autofree GhloKernelMemory *memory = g_new0 (GhloKernelMemory, kernel->n_buffers);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < kernel->n_buffers; i++)
    memory[i] = (GhloKernelMemory) { tensors->views[i].data + lowered->starts[i], kernel->buffers[i].size };
  ghlo_kernel_interpret (kernel, NULL, memory, NULL, &error);
  g_assert_no_error (error);
}

static void
run_select_and_scatter (const GhloSelectAndScatter *lowered,
                        Tensors                    *tensors)
{
  g_autofree gint32 *selection = g_new (gint32, lowered->n_windows);
  const gint64 *starts = lowered->starts;
  const GhloKernelMemory
    chosen = { selection, lowered->n_windows * sizeof (gint32) },
    select[] = { { tensors->views[0].data + starts[0], lowered->select->buffers[0].size }, chosen },
    gather[] = { { tensors->views[1].data + starts[1], lowered->gather->buffers[0].size },
                 { tensors->views[2].data + starts[2], lowered->gather->buffers[1].size }, chosen,
                 { tensors->views[3].data, lowered->gather->buffers[3].size } };
  g_autoptr (GError) error = NULL;

  ghlo_kernel_interpret (lowered->select, NULL, select, NULL, &error);
  g_assert_no_error (error);
  ghlo_kernel_interpret (lowered->gather, NULL, gather, NULL, &error);
  g_assert_no_error (error);
}

static void
try_case (const Case   *self,
          GhloIrModule *module,
          gboolean      scattered,
          gboolean      awkward)
{
  const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
  g_autofree GhloValue **inputs = g_new0 (GhloValue *, body->n_arguments + 1);
  g_autofree GhloValue **outputs = g_new0 (GhloValue *, body->last->n_operands + 1);
  g_auto (GhloLoweredKernel) lowered = { 0 };
  g_autoptr (GError) error = NULL;
  GhloKernelGroup group = { .body = body };
  const char *reason;
  Tensors tensors;

  for (guint i = 0; i < body->n_arguments; i++)
    inputs[i] = pass_make_input (body->arguments[i]->type, 17 * i, awkward);
  pass_run (module, "main", inputs, body->n_arguments, outputs, &error);
  g_assert_no_error (error);
  init_tensors (&tensors, body, inputs, scattered);
  group.n_operands = tensors.n_operands;
  group.n_results = tensors.n_results;
  group.operands = tensors.views;
  group.results = tensors.views + tensors.n_operands;
  if (!ghlo_kernel_lower (&group, &lowered, &reason))
    g_error ("%s: %s", self->name, reason);
  if (self->n_blocks > 0)
    g_assert_cmpuint (lowered.kernel->n_blocks, ==, self->n_blocks);
  run_kernel (&lowered, &tensors);
  for (guint i = 0; i < tensors.n_results; i++)
    step_compare (&group.results[i], outputs[i], self->tolerance, self->name);
  clear_tensors (&tensors);
  pass_clear (inputs, body->n_arguments);
  pass_clear (outputs, tensors.n_results);
}

static void
test_cases (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GhloIrModule) module = parse_case (cases[i].name, cases[i].text);

      for (guint way = 0; way < 4; way++)
        try_case (&cases[i], module, way & 1, (way & 2) != 0 && cases[i].tolerance == EXACT);
    }
}

/* Windows that overlap, leave gaps, and lie in the padding. */
static void
test_select_and_scatter (void)
{
  static const struct
  {
    const char *source, *window, *strides, *padding;
  } ways[] = {
    { "2x3x4x3", "1, 3, 2, 1", "1, 2, 2, 1", "[[0, 0], [0, 0], [0, 0], [0, 0]]" },
    { "2x7x7x3", "1, 3, 2, 1", "1, 1, 1, 1", "[[0, 0], [1, 1], [0, 0], [0, 0]]" },
    { "2x2x3x3", "1, 2, 2, 1", "1, 4, 3, 1", "[[0, 0], [0, 0], [0, 0], [0, 0]]" },
    { "2x3x5x3", "1, 2, 2, 1", "1, 4, 2, 1", "[[0, 0], [3, 2], [1, 1], [0, 0]]" },
  };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (ways); i++)
    {
      const guint way = i / 2;
      g_autofree char *text = g_strdup_printf (
        "func.func @main(%%a: tensor<2x7x8x3xf32>, %%s: tensor<%sxf32>, %%i: tensor<f32>) -> tensor<2x7x8x3xf32> {\n"
        "%%0 = \"stablehlo.select_and_scatter\"(%%a, %%s, %%i) <{window_dimensions = array<i64: %s>, "
        "window_strides = array<i64: %s>, padding = dense<%s> : tensor<4x2xi64>}> ({\n"
        "^bb0(%%x: tensor<f32>, %%y: tensor<f32>):\n"
        "%%c = stablehlo.compare %s, %%x, %%y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        "stablehlo.return %%c : tensor<i1>\n}, {\n"
        "^bb0(%%x: tensor<f32>, %%y: tensor<f32>):\n"
        "%%d = stablehlo.add %%x, %%y : tensor<f32>\nstablehlo.return %%d : tensor<f32>\n"
        "}) : (tensor<2x7x8x3xf32>, tensor<%sxf32>, tensor<f32>) -> tensor<2x7x8x3xf32>\n"
        "return %%0 : tensor<2x7x8x3xf32>\n}\n",
        ways[way].source, ways[way].window, ways[way].strides, ways[way].padding, way % 2 ? "LT" : "GE",
        ways[way].source);
      g_autoptr (GhloIrModule) module = parse_case ("select_and_scatter", text);
      const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
      GhloValue *inputs[3], *output;
      g_autoptr (GError) error = NULL;
      GhloSelectAndScatter lowered;
      Tensors tensors;
      const char *reason;

      for (guint k = 0; k < 3; k++)
        inputs[k] = pass_make_input (body->arguments[k]->type, 5 * k, FALSE);
      pass_run (module, "main", inputs, 3, &output, &error);
      g_assert_no_error (error);
      init_tensors (&tensors, body, inputs, i % 2);
      if (!ghlo_kernel_lower_select_and_scatter (&(GhloKernelGroup) { .op = body->first, .n_operands = 3,
                                                                      .n_results = 1, .operands = tensors.views,
                                                                      .results = tensors.views + 3 },
                                                 &lowered, &reason))
        g_error ("way %u: %s", way, reason);
      run_select_and_scatter (&lowered, &tensors);
      step_compare (&tensors.views[3], output, NEAR, text);
      ghlo_select_and_scatter_clear (&lowered);
      clear_tensors (&tensors);
      pass_clear (inputs, 3);
      ghlo_value_unref (output);
    }
}

/* What is no kernel says why. */
static void
test_refused (void)
{
  static const struct
  {
    const char *text, *reason;
  } refused[] = {
    { FUNC ("%a: tensor<4x6xf32>", "tensor<24xf32>",
            "%0 = stablehlo.add %a, %a : tensor<4x6xf32>\n"
            "%1 = stablehlo.reshape %0 : (tensor<4x6xf32>) -> tensor<24xf32>\nreturn %1 : tensor<24xf32>\n"),
      "its elements are where no kernel reads them" },
    { FUNC ("%a: tensor<4xcomplex<f32>>", "tensor<4xcomplex<f32>>",
            "%0 = stablehlo.add %a, %a : tensor<4xcomplex<f32>>\nreturn %0 : tensor<4xcomplex<f32>>\n"),
      "there are no nodes of an operand's element type" },
    { FUNC ("%a: tensor<4x4xf32>", "tensor<4xf32>",
            ZERO SUM ("%0", "%a", "0", "tensor<4x4xf32>", "tensor<4xf32>")
            SUM ("%1", "%a", "1", "tensor<4x4xf32>", "tensor<4xf32>")
            "%2 = stablehlo.add %0, %1 : tensor<4xf32>\nreturn %2 : tensor<4xf32>\n"),
      "its reductions are of several shapes" },
    { FUNC ("%a: tensor<4x4xf32>", "tensor<4x4xf32>",
            "%0 = stablehlo.cholesky %a : tensor<4x4xf32>\nreturn %0 : tensor<4x4xf32>\n"),
      "there is no node for it" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GhloIrModule) module = parse_case ("refused", refused[i].text);
      const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
      g_autofree GhloValue **inputs = g_new0 (GhloValue *, body->n_arguments + 1);
      g_auto (GhloLoweredKernel) lowered = { 0 };
      const char *reason = NULL;
      Tensors tensors;
      GhloKernelGroup group = { .body = body };

      for (guint k = 0; k < body->n_arguments; k++)
        inputs[k] = pass_make_input (body->arguments[k]->type, k, FALSE);
      init_tensors (&tensors, body, inputs, FALSE);
      group.n_operands = tensors.n_operands;
      group.n_results = tensors.n_results;
      group.operands = tensors.views;
      group.results = tensors.views + tensors.n_operands;
      g_assert_false (ghlo_kernel_lower (&group, &lowered, &reason));
      g_assert_cmpstr (reason, ==, refused[i].reason);
      clear_tensors (&tensors);
      pass_clear (inputs, body->n_arguments);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel-lower/cases", test_cases);
  g_test_add_func ("/kernel-lower/refused", test_refused);
  g_test_add_func ("/kernel-lower/select-and-scatter", test_select_and_scatter);

  return g_test_run ();
}
