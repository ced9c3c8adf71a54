/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Outlining operations into functions: the functions' arguments and results, and what is copied along.
 */

#include "../reference/reference-programs.h"

#include "ir/outline.h"
#include "ir/print/print.h"

/* The operations of "main" from number @first on. */
static void
get_ops (const GhloIrModule  *module,
         guint                first,
         const GhloIrOp     **ops,
         guint                n_ops)
{
  const GhloIrOp *op = ghlo_ir_func_get_body (ghlo_ir_module_find (module, "main"))->first;

  for (; first > 0; first--)
    op = op->next;
  for (guint i = 0; i < n_ops; i++, op = op->next)
    ops[i] = op;
}

static void
assert_verifies (GhloIrModule *module)
{
  g_autofree char *text = ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("outlined.mlir", text, strlen (text));
  g_autoptr (GError) error = NULL;

  ghlo_ir_verify (module, diagnostics, NULL);
  ghlo_diagnostics_to_error (diagnostics, &error);
  g_assert_no_error (error);
}

/* The names of values in the text, separated by spaces. */
static char *
names_of (const GPtrArray *values)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < values->len; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? " " : "", ((GhloIrValue *) g_ptr_array_index (values, i))->name);

  return g_string_free (names, FALSE);
}

/* Checks the inputs and results of @n_ops operations of "main", outlined into a new module and into their own. */
static void
assert_outlined (const char *text,
                 guint       first,
                 guint       n_ops,
                 const char *inputs,
                 const char *results)
{
  g_autoptr (GhloIrModule) source = parse (text), other = ghlo_ir_outline_module_new (source);
  GhloIrModule *modules[] = { other, source };
  const GhloIrOp *ops[8];

  get_ops (source, first, ops, n_ops);
  for (guint m = 0; m < G_N_ELEMENTS (modules); m++)
    {
      g_autoptr (GPtrArray) taken = g_ptr_array_new (), same = g_ptr_array_new (), given = g_ptr_array_new ();
      const GhloIrOp *function = ghlo_ir_outline (modules[m], ops, n_ops, "outlined", taken, given);
      const GhloIrBlock *body = ghlo_ir_func_get_body (function);
      g_autofree char *taken_names = names_of (taken), *given_names = names_of (given);
      guint n = 0;

      g_assert_cmpstr (taken_names, ==, inputs);
      g_assert_cmpstr (given_names, ==, results);
      ghlo_ir_outline_inputs (ops, n_ops, same);
      g_assert_cmpmem (same->pdata, same->len * sizeof (gpointer), taken->pdata, taken->len * sizeof (gpointer));
      g_assert_cmpuint (body->n_arguments, ==, taken->len);
      for (guint i = 0; i < taken->len; i++)
        g_assert_cmpstr (body->arguments[i]->name, ==, ((GhloIrValue *) taken->pdata[i])->name);
      g_assert_cmpuint (body->last->n_operands, ==, given->len);
      for (const GhloIrOp *op = body->first; op != body->last; op = op->next)
        g_assert_true (op->kind == ops[n++]->kind && op != ops[n - 1]);
      g_assert_cmpuint (n, ==, n_ops);
      g_assert_true (ghlo_ir_module_find (modules[m], ghlo_ir_op_get_string (function, "sym_name")) == function);
      assert_verifies (modules[m]);
    }
}

#define F32 "tensor<f32>"

static const char captures[] =
  "func.func @main(%a: " F32 ", %b: " F32 ", %c: " F32 ", %p: tensor<i1>) -> (" F32 ", " F32 ") {\n"
  "  %x = stablehlo.add %b, %b : " F32 "\n"
  "  %y, %unused = \"stablehlo.if\"(%p) ({\n"
  "    %s = stablehlo.subtract %c, %x : " F32 "\n"
  "    %t = \"stablehlo.if\"(%p) ({\n"
  "      stablehlo.return %a : " F32 "\n"
  "    }, {\n"
  "      stablehlo.return %s : " F32 "\n"
  "    }) : (tensor<i1>) -> " F32 "\n"
  "    stablehlo.return %t, %c : " F32 ", " F32 "\n"
  "  }, {\n"
  "    stablehlo.return %b, %x : " F32 ", " F32 "\n"
  "  }) : (tensor<i1>) -> (" F32 ", " F32 ")\n"
  "  %z = stablehlo.multiply %y, %a : " F32 "\n"
  "  %w = stablehlo.negate %z : " F32 "\n"
  "  return %w, %z : " F32 ", " F32 "\n"
  "}\n";

/* Operands come before the values that regions capture; each value is an input once. A result used only within the
 * group is no result of the function. */
static void
test_inputs_and_results (void)
{
  assert_outlined (captures, 0, 1, "b", "x");
  assert_outlined (captures, 1, 1, "p c x a b", "y unused");
  assert_outlined (captures, 1, 2, "p a c x b", "unused z");
  assert_outlined (captures, 0, 4, "b p a c", "unused z w");
  assert_outlined (captures, 2, 2, "y a", "z w");
}

static const char symbols[] =
  "func.func private @mesh(tensor<f32>) -> tensor<f32> attributes {stablehlo.mesh = #stablehlo.mesh<axes = "
  "[#stablehlo.mesh_axis<name = \"x\", size = 1>]>}\n"
  "func.func private @gather(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
  "  %0 = \"stablehlo.all_gather\"(%a) {all_gather_dim = 0 : i64, replica_groups = "
  "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = \"x\">]>} : "
  "(tensor<2xf32>) -> tensor<2xf32>\n"
  "  return %0 : tensor<2xf32>\n"
  "}\n"
  "func.func private @in_region(%a: tensor<2xf32>, %p: tensor<i1>) -> tensor<2xf32> {\n"
  "  %0 = \"stablehlo.if\"(%p) ({\n"
  "    %1 = func.call @gather(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
  "    stablehlo.return %1 : tensor<2xf32>\n"
  "  }, {\n"
  "    stablehlo.return %a : tensor<2xf32>\n"
  "  }) : (tensor<i1>) -> tensor<2xf32>\n"
  "  return %0 : tensor<2xf32>\n"
  "}\n"
  "func.func private @unrelated(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
  "  %0 = func.call @gather(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
  "  return %0 : tensor<2xf32>\n"
  "}\n"
  "func.func @main(%a: tensor<2xf32>, %p: tensor<i1>) {\n"
  "  %0 = stablehlo.tanh %a : tensor<2xf32>\n"
  "  %1 = \"stablehlo.all_gather\"(%0) {all_gather_dim = 0 : i64, replica_groups = "
  "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = \"x\">]>} : "
  "(tensor<2xf32>) -> tensor<2xf32>\n"
  "  %2 = stablehlo.custom_call @nested(%1) {mhlo.config = {callees = [unit, {deep = @in_region}]}} : "
  "(tensor<2xf32>) -> tensor<2xf32>\n"
  "  %3 = \"stablehlo.if\"(%p) ({\n"
  "    %4 = func.call @gather(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
  "    stablehlo.return %4 : tensor<2xf32>\n"
  "  }, {\n"
  "    stablehlo.return %a : tensor<2xf32>\n"
  "  }) : (tensor<i1>) -> tensor<2xf32>\n"
  "  %5 = stablehlo.custom_call @recursive(%1) {called_computations = [@main]} : (tensor<2xf32>) -> tensor<2xf32>\n"
  "  return\n"
  "}\n";

/* Checks the functions of a module into which each of @n_ops operations of "main" is outlined. */
static void
assert_functions (const GhloIrModule *source,
                  guint               first,
                  guint               n_ops,
                  const char         *expected)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_outline_module_new (source);
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < n_ops; i++)
    {
      g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
      const GhloIrOp *op;

      get_ops (source, first + i, &op, 1);
      ghlo_ir_outline (module, &op, 1, "op", inputs, NULL);
    }
  for (const GhloIrOp *op = ghlo_ir_op_region_block (module->op, 0)->first; op != NULL; op = op->next)
    g_string_append_printf (names, "%s%s", op->previous != NULL ? " " : "", ghlo_ir_op_get_string (op, "sym_name"));
  g_assert_cmpstr (names->str, ==, expected);
  assert_verifies (module);
}

/* Referenced symbols are copied along, wherever the reference is and transitively, and nothing else is. */
static void
test_symbols (void)
{
  static const char *const expected[] = {
    "op.0", "op.0 mesh", "op.0 in_region gather mesh", "op.0 gather mesh", "op.0 main mesh in_region gather",
  };
  g_autoptr (GhloIrModule) source = parse (symbols);

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    assert_functions (source, i, 1, expected[i]);
}

/* A second function outlined into the module reuses the symbols that both refer to. */
static void
test_shared_symbols (void)
{
  g_autoptr (GhloIrModule) source = parse (symbols);

  assert_functions (source, 0, 4, "op.0 op.1 mesh op.3 in_region gather op.6");
}

/* No function takes the name of a symbol that may have to be copied later. */
static void
test_names (void)
{
  static const char text[] =
    "func.func private @op.0() -> tensor<f32> {\n"
    "  %0 = stablehlo.constant dense<1.0> : tensor<f32>\n"
    "  return %0 : tensor<f32>\n"
    "}\n"
    "func.func @main(%a: tensor<f32>) {\n"
    "  %0 = stablehlo.tanh %a : tensor<f32>\n"
    "  %1 = stablehlo.custom_call @callee(%a) {called_computations = [@op.0]} : (tensor<f32>) -> tensor<f32>\n"
    "  return\n"
    "}\n";
  g_autoptr (GhloIrModule) source = parse (text);

  assert_functions (source, 0, 2, "op.1 op.2 op.0");
}

/* A nested module is copied as a whole; its symbols are not confused with those outside. */
static void
test_nested_modules (void)
{
  static const char text[] =
    "module {\n"
    "  module @inner {\n"
    "    func.func private @f() {\n"
    "      return\n"
    "    }\n"
    "    func.func private @g() {\n"
    "      func.call @f() : () -> ()\n"
    "      return\n"
    "    }\n"
    "  }\n"
    "  func.func private @f() {\n"
    "    return\n"
    "  }\n"
    "  func.func @main(%a: tensor<f32>) {\n"
    "    %0 = stablehlo.tanh %a {mhlo.about = @inner} : tensor<f32>\n"
    "    %1 = stablehlo.tanh %a {mhlo.about = @f} : tensor<f32>\n"
    "    return\n"
    "  }\n"
    "}\n";
  g_autoptr (GhloIrModule) source = parse (text);

  assert_functions (source, 0, 2, "op.0 inner op.2 f");
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/outline/inputs-and-results", test_inputs_and_results);
  g_test_add_func ("/outline/symbols", test_symbols);
  g_test_add_func ("/outline/shared-symbols", test_shared_symbols);
  g_test_add_func ("/outline/names", test_names);
  g_test_add_func ("/outline/nested-modules", test_nested_modules);

  return g_test_run ();
}
