/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of scalar operations agrees with the op table, and both agree with what the reference executor computes, on
 * every element type.
 */

#include "../passes/pass-help.h"
#include "kernel/scalar.h"
#include "reference/kernel.h"

enum { N_TYPES = GHLO_ELEMENT_TYPE_INDEX + 1, N_VALUES = 40 };

static gboolean
is_elementwise (GhloIrOpKind op)
{
  return (ghlo_ir_op_spec (op)->traits & (GHLO_IR_TRAIT_ELEMENTWISE | GHLO_IR_TRAIT_BROADCASTS_SCALARS)) != 0;
}

static gboolean
has_trait (GhloScalarKind kind,
           GhloIrTrait    trait)
{
  return (ghlo_ir_op_spec (ghlo_scalar_spec (kind)->op)->traits & trait) != 0;
}

/* Each elementwise operation has a row, or is a form of one that has; other operations have none. */
static void
test_rows (void)
{
  for (guint op = 1; op < GHLO_N_OPS; op++)
    {
      const GhloIrOpSpec *spec = ghlo_ir_op_spec (op);
      GhloScalarKind kind = ghlo_scalar_of (op);

      g_test_message ("%s", spec->name);
      g_assert_cmpint (kind != GHLO_SCALAR_INVALID, ==, is_elementwise (op) || spec->element_op != GHLO_OP_INVALID);
      if (kind != GHLO_SCALAR_INVALID)
        g_assert_cmpuint (spec->n_operands, ==, ghlo_ir_op_spec (ghlo_scalar_spec (kind)->op)->n_operands);
    }
  for (guint kind = 1; kind < GHLO_N_SCALARS; kind++)
    {
      const GhloScalarSpec *scalar = ghlo_scalar_spec (kind);
      const GhloIrOpSpec *spec = ghlo_ir_op_spec (scalar->op);

      g_test_message ("%s", spec->name);
      g_assert_true (is_elementwise (scalar->op) && (spec->traits & GHLO_IR_TRAIT_PURE) != 0);
      g_assert_cmpint (spec->element_op, ==, GHLO_OP_INVALID);
      g_assert_cmpuint (spec->n_results, ==, 1);
      g_assert_cmpuint (spec->n_regions, ==, 0);
      g_assert_cmpuint (scalar->first_value, <, spec->n_operands);
      for (guint i = 0; i < spec->n_operands; i++)
        g_assert_cmpint (spec->operands[i].arity, ==, GHLO_IR_ONE);
    }
}

/* The first type that a result may have. */
static GhloElementType
find_result (GhloScalarKind  kind,
             GhloElementType values)
{
  for (guint result = 1; result < N_TYPES; result++)
    if (ghlo_scalar_gives (kind, values, result))
      return result;

  return GHLO_ELEMENT_TYPE_INVALID;
}

/* The reference executor has a function for exactly the classes for which a row is defined. */
static void
test_functions (void)
{
  for (guint kind = 1; kind < GHLO_N_SCALARS; kind++)
    for (guint type = 1; type < N_TYPES; type++)
      {
        const GhloScalarSpec *spec = ghlo_scalar_spec (kind);
        GhloElementClass element_class = ghlo_element_info (type)->element_class;
        GhloElementType result = find_result (kind, type);
        GhloRefScalarOp op;

        g_test_message ("%s of %s", ghlo_ir_op_spec (spec->op)->name, ghlo_element_info (type)->name);
        if (ghlo_scalar_is_defined (kind, element_class) && result != GHLO_ELEMENT_TYPE_INVALID)
          g_assert_nonnull (ghlo_ref_scalar_func_for (spec->op, type, result, &op));
        else
          g_assert_null (ghlo_ref_scalar_func_for (spec->op, type, result, &op));
      }
}

/* Numbers of a type, special ones first. */
static GhloScalar
number_of (GhloElementType type,
           guint           i)
{
  GhloScalar number = i < N_VALUES / 2 ? pass_special (type, i) : pass_ordinary (type, 7 * i);

  return ghlo_element_round (type, number);
}

/* Any NaN equals any other. */
static gboolean
same_part (double a,
           double b)
{
  return (isnan (a) && isnan (b)) || (a == b && !signbit (a) == !signbit (b));
}

static gboolean
same (GhloElementType type,
      GhloScalar      a,
      GhloScalar      b)
{
  if (ghlo_element_type_is_float (type))
    return same_part (a.f, b.f);
  if (ghlo_element_type_is_complex (type))
    return same_part (a.c.re, b.c.re) && same_part (a.c.im, b.c.im);

  return a.u == b.u;
}

/* An operation whose result has its operands' type. */
typedef struct
{
  GhloScalarKind    kind;
  GhloElementType   type;
  GhloRefScalarOp   op;
  GhloRefScalarFunc func;
} Function;

/* If there are three operands the last two are equal. */
static GhloScalar
apply (const Function *function,
       GhloScalar      x,
       GhloScalar      y)
{
  return function->func (&function->op, (const GhloScalar[]) { x, y, y });
}

/* Calls @check for every operation and each element type for which it is defined. */
static void
check_all (void (*check) (const Function *function))
{
  for (guint kind = 1; kind < GHLO_N_SCALARS; kind++)
    for (guint type = 1; type < N_TYPES; type++)
      {
        Function function = { .kind = kind, .type = type };
        GhloIrOpKind op = ghlo_scalar_spec (kind)->op;

        if (ghlo_scalar_spec (kind)->first_value > 0
            || !ghlo_scalar_is_defined (kind, ghlo_element_info (type)->element_class))
          continue;
        function.func = ghlo_ref_scalar_func_for (op, type, type, &function.op);
        g_test_message ("%s of %s", ghlo_ir_op_spec (op)->name, ghlo_element_info (type)->name);
        if (function.func != NULL)
          check (&function);
      }
}

static void
check_traits (const Function *function)
{
  gboolean is_unary = ghlo_ir_op_spec (ghlo_scalar_spec (function->kind)->op)->n_operands == 1;
  gboolean is_idempotent = has_trait (function->kind, GHLO_IR_TRAIT_IDEMPOTENT);

  for (guint i = 0; i < N_VALUES; i++)
    {
      GhloScalar x = number_of (function->type, i), fx = apply (function, x, x);

      if (is_idempotent && is_unary && !ghlo_element_type_is_complex (function->type))
        g_assert_true (same (function->type, apply (function, fx, fx), fx));
      if (is_idempotent && !is_unary)
        g_assert_true (same (function->type, fx, x));
      for (guint j = 0; has_trait (function->kind, GHLO_IR_TRAIT_COMMUTATIVE) && j < N_VALUES; j++)
        {
          GhloScalar y = number_of (function->type, j);

          g_assert_true (same (function->type, apply (function, x, y), apply (function, y, x)));
        }
    }
}

static void
test_traits (void)
{
  check_all (check_traits);
}

static void
check_neutral (const Function *function)
{
  GhloScalar neutral;

  if (!ghlo_ir_op_neutral (ghlo_scalar_spec (function->kind)->op, function->type, &neutral))
    return;
  g_assert_true (same (function->type, ghlo_element_round (function->type, neutral), neutral));
  for (guint i = 0; i < N_VALUES; i++)
    {
      GhloScalar x = number_of (function->type, i);

      g_assert_true (same (function->type, apply (function, x, neutral), x));
    }
}

static void
test_neutral (void)
{
  GhloScalar neutral;

  check_all (check_neutral);
  /* Operations without a neutral element. */
  g_assert_false (ghlo_ir_op_neutral (GHLO_OP_STABLEHLO_MULTIPLY, GHLO_ELEMENT_TYPE_COMPLEX_F32, &neutral));
  g_assert_false (ghlo_ir_op_neutral (GHLO_OP_STABLEHLO_ADD, GHLO_ELEMENT_TYPE_F8E8M0FNU, &neutral));
  g_assert_false (ghlo_ir_op_neutral (GHLO_OP_STABLEHLO_SUBTRACT, GHLO_ELEMENT_TYPE_F32, &neutral));
}

/* Combiners are commutative and have a neutral element, and every such operation is a combiner. */
static void
test_combiners (void)
{
  for (guint kind = 1; kind < GHLO_N_SCALARS; kind++)
    {
      const GhloIrOpSpec *spec = ghlo_ir_op_spec (ghlo_scalar_spec (kind)->op);
      GhloCombiner combiner = ghlo_scalar_combiner (kind, GHLO_ELEMENT_CLASS_UNSIGNED);

      g_test_message ("%s", spec->name);
      g_assert_cmpint (combiner != GHLO_COMBINER_NONE, ==,
                       has_trait (kind, GHLO_IR_TRAIT_COMMUTATIVE) && spec->neutral != GHLO_IR_NEUTRAL_NONE);
      if (combiner != GHLO_COMBINER_NONE)
        g_assert_cmpint (ghlo_combiner_scalar (combiner), ==, kind);
      /* On booleans it is as what it is called there. */
      combiner = ghlo_scalar_combiner (kind, GHLO_ELEMENT_CLASS_BOOLEAN);
      if (combiner != GHLO_COMBINER_NONE)
        g_assert_cmpint (ghlo_scalar_on (kind, GHLO_ELEMENT_CLASS_BOOLEAN), ==, ghlo_combiner_scalar (combiner));
    }
}

static void
check_associative (const Function *function)
{
  GhloElementClass element_class = ghlo_element_info (function->type)->element_class;
  GhloCombiner combiner = ghlo_scalar_combiner (function->kind, element_class);

  if (combiner == GHLO_COMBINER_NONE || !ghlo_combiner_is_exact (combiner, element_class))
    return;
  for (guint i = 0; i < N_VALUES; i++)
    for (guint j = 0; j < N_VALUES; j++)
      for (guint k = 0; k < N_VALUES; k++)
        {
          GhloScalar x = number_of (function->type, i), y = number_of (function->type, j);
          GhloScalar z = number_of (function->type, k);

          g_assert_true (same (function->type, apply (function, apply (function, x, y), z),
                               apply (function, x, apply (function, y, z))));
        }
}

static void
test_associative (void)
{
  static const GhloCombiner sums[] = { GHLO_COMBINER_ADD, GHLO_COMBINER_MULTIPLY };

  check_all (check_associative);
  for (guint i = 0; i < G_N_ELEMENTS (sums); i++)
    {
      g_assert_true (ghlo_combiner_is_exact (sums[i], GHLO_ELEMENT_CLASS_SIGNED));
      g_assert_false (ghlo_combiner_is_exact (sums[i], GHLO_ELEMENT_CLASS_FLOAT));
      g_assert_false (ghlo_combiner_is_exact (sums[i], GHLO_ELEMENT_CLASS_COMPLEX));
    }
}

/* The combiner of the reducer with @body, of arguments %a and %b. */
static GhloCombiner
find_combiner (const char *type,
               const char *body)
{
  g_autofree char *text = g_strdup_printf (
    "func.func @main(%%x: tensor<4x%s>, %%i: tensor<%s>) -> tensor<%s> {\n"
    "  %%0 = \"stablehlo.reduce\"(%%x, %%i) ({\n  ^bb0(%%a: tensor<%s>, %%b: tensor<%s>):\n    %s\n"
    "    stablehlo.return %%r : tensor<%s>\n"
    "  }) {dimensions = array<i64: 0>} : (tensor<4x%s>, tensor<%s>) -> tensor<%s>\n"
    "  return %%0 : tensor<%s>\n}\n", type, type, type, type, type, body, type, type, type, type, type);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloIrModule) module = pass_parse ("reducer", text, strlen (text), &error);
  const GhloIrOp *reduce;

  g_assert_no_error (error);
  reduce = ghlo_ir_func_get_body (ghlo_ir_op_find_symbol (module->op, "main"))->first;

  return ghlo_combiner_of (ghlo_ir_op_region_block (reduce, 0), ghlo_element_type_from_string (type));
}

static void
test_find_combiner (void)
{
  g_assert_cmpint (find_combiner ("f32", "%r = stablehlo.add %a, %b : tensor<f32>"), ==, GHLO_COMBINER_ADD);
  g_assert_cmpint (find_combiner ("f32", "%r = stablehlo.minimum %b, %a : tensor<f32>"), ==, GHLO_COMBINER_MINIMUM);
  g_assert_cmpint (find_combiner ("i1", "%r = stablehlo.add %a, %b : tensor<i1>"), ==, GHLO_COMBINER_OR);
  g_assert_cmpint (find_combiner ("i1", "%r = stablehlo.multiply %a, %b : tensor<i1>"), ==, GHLO_COMBINER_AND);
  g_assert_cmpint (find_combiner ("f32", "%r = stablehlo.subtract %a, %b : tensor<f32>"), ==, GHLO_COMBINER_NONE);
  g_assert_cmpint (find_combiner ("f32", "%r = stablehlo.add %a, %a : tensor<f32>"), ==, GHLO_COMBINER_NONE);
  g_assert_cmpint (find_combiner ("f32", "%r = stablehlo.negate %b : tensor<f32>"), ==, GHLO_COMBINER_NONE);
  g_assert_cmpint (find_combiner ("f32", "%0 = stablehlo.negate %b : tensor<f32>\n"
                                         "    %r = stablehlo.add %a, %0 : tensor<f32>"), ==, GHLO_COMBINER_NONE);
  g_assert_cmpint (ghlo_combiner_of (NULL, GHLO_ELEMENT_TYPE_F32), ==, GHLO_COMBINER_NONE);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/scalar-table/rows", test_rows);
  g_test_add_func ("/scalar-table/functions", test_functions);
  g_test_add_func ("/scalar-table/traits", test_traits);
  g_test_add_func ("/scalar-table/neutral", test_neutral);
  g_test_add_func ("/scalar-table/combiners", test_combiners);
  g_test_add_func ("/scalar-table/associative", test_associative);
  g_test_add_func ("/scalar-table/find-combiner", test_find_combiner);

  return g_test_run ();
}
