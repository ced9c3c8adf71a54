/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Roundings to bf16 in chains of nodes: those computed in f32 have the bits of base/float-bits.c; those of the fast
 * path have the same bits or signal a mismatch by NaN.
 */

#include <math.h>

#include "base/bits.h"
#include "base/element.h"
#include "kernel/evaluate.h"
#include "kernel/expand.h"

#define NONE GHLO_KERNEL_NONE
#define F32  GHLO_ELEMENT_TYPE_F32
#define UI16 GHLO_ELEMENT_TYPE_UI16
#define BF16 GHLO_ELEMENT_TYPE_BF16

/* Builds a chain of nodes on the element of a buffer. */
typedef guint (*ChainFunc) (GhloKernelBuilder *builder,
                            guint              x,
                            guint             *second);

/* A kernel on an element of @type; its results are the chain's node and, where the chain sets one, *@second. */
static GhloKernel *
new_kernel (GhloElementType type,
            ChainFunc       chain)
{
  static const gint64 strides[GHLO_KERNEL_MAX_AXES];
  GhloKernelBuilder *builder = ghlo_kernel_builder_new ("chain");
  g_autoptr (GError) error = NULL;
  guint first, second = NONE;
  GhloKernel *kernel;

  ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "x", 4, FALSE), type, 0, strides);
  ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "y", 4, TRUE), F32, 0, strides);
  ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "z", 4, TRUE), F32, 0, strides);
  ghlo_kernel_begin_points (builder, 0);
  first = chain (builder, ghlo_kernel_add_leaf (builder, GHLO_NODE_LOAD, type, 0), &second);
  ghlo_kernel_store (builder, first, 1);
  ghlo_kernel_store (builder, second != NONE ? second : first, 2);
  ghlo_kernel_end_block (builder);
  kernel = ghlo_kernel_builder_end (builder, &error);
  g_assert_no_error (error);

  return kernel;
}

/* Evaluates the nodes of an expanded kernel for an element; the last result is the bits of @sentinel. */
static void
evaluate (const GhloKernel *kernel,
          guint             sentinel,
          guint32           element,
          guint32           results[3])
{
  g_autofree guint64 *values = g_new (guint64, kernel->n_nodes);

  for (guint i = 0; i < kernel->n_nodes; i++)
    {
      const GhloKernelNode *node = &kernel->nodes[i];
      guint64 operands[3] = { 0 };

      for (guint k = 0; k < G_N_ELEMENTS (operands); k++)
        if (node->operands[k] != NONE)
          operands[k] = values[node->operands[k]];
      values[i] = node->kind == GHLO_NODE_CONSTANT ? node->bits
                  : node->kind == GHLO_NODE_LOAD ? element
                  : ghlo_node_evaluate (node->kind, node->type, ghlo_kernel_operand_type (kernel, node), operands);
    }
  for (guint i = 0; i < 2; i++)
    results[i] = (guint32) values[kernel->stores[i].node];
  results[2] = (guint32) values[sentinel];
}

static gboolean
is_nan (guint32 bits)
{
  return isnan (ghlo_float_of_bits (bits));
}

/* Equal bits; any NaN equals any other. */
static gboolean
is_same (guint32 a,
         guint32 b)
{
  return a == b || (is_nan (a) && is_nan (b));
}

static guint
add (GhloKernelBuilder *builder,
     GhloNodeKind       kind,
     guint              a,
     guint              b)
{
  return ghlo_kernel_add_node (builder, kind, F32, a, b, NONE);
}

static guint
rounded (GhloKernelBuilder *builder,
         guint              x)
{
  guint narrow = ghlo_kernel_add_node (builder, GHLO_NODE_TO_BF16, UI16, x, NONE, NONE);

  return ghlo_kernel_add_node (builder, GHLO_NODE_FROM_BF16, F32, narrow, NONE, NONE);
}

static guint
round_once (GhloKernelBuilder *builder,
            guint              x,
            guint             *second)
{
  return rounded (builder, x);
}

static GhloKernel *
expand (const GhloKernel *kernel)
{
  g_autoptr (GError) error = NULL;
  GhloKernel *expanded = ghlo_kernel_expand (kernel, &error);

  g_assert_no_error (error);

  return expanded;
}

static void
check_rounding (const GhloKernel *exact,
                const GhloKernel *fast,
                guint             sentinel,
                guint32           bits)
{
  const float x = ghlo_float_of_bits (bits);
  const guint32 expected = (guint32) ghlo_float_to_bits (BF16, x) << 16;
  guint32 found[3];

  evaluate (exact, 0, bits, found);
  if (!is_same (found[0], expected))
    g_error ("%a (0x%08x) was rounded to 0x%08x in place of 0x%08x", (double) x, bits, found[0], expected);
  evaluate (fast, sentinel, bits, found);
  g_assert_true (is_nan (found[0]) == is_nan (found[2]));
  if (is_nan (found[0]) ? fabsf (x) < 0x1p111f : fabsf (x) >= 0x1p-126f && found[0] != expected)
    g_error ("%a (0x%08x) was rounded fast to 0x%08x in place of 0x%08x", (double) x, bits, found[0], expected);
}

/* Neighbours of all bf16 numbers and of the midpoints between them, and random numbers; then all mantissas of one
 * exponent. */
static void
test_roundings (void)
{
  static const guint16 lower[] = { 0, 1, 0x7fff, 0x8000, 0x8001, 0xffff };
  g_autofree GhloKernel *kernel = new_kernel (F32, round_once), *exact = expand (kernel);
  guint sentinel;
  g_autofree GhloKernel *fast = ghlo_kernel_expand_fast (kernel, &sentinel);

  g_assert_cmpuint (fast->n_nodes, <, exact->n_nodes);
  for (guint upper = 0; upper < 1 << 16; upper++)
    {
      for (guint i = 0; i < G_N_ELEMENTS (lower); i++)
        check_rounding (exact, fast, sentinel, upper << 16 | lower[i]);
      check_rounding (exact, fast, sentinel, upper << 16 | (guint16) g_test_rand_int ());
    }
  for (guint mantissa = 0; mantissa < 1 << 23; mantissa += g_test_thorough () ? 1 : 29)
    check_rounding (exact, fast, sentinel, (guint32) g_test_rand_int_range (40, 200) << 23 | mantissa);
}

/* x (1 + tanh (a (x + b x³))) / 2, in bf16, and what tanh is of. */
static guint
add_gelu (GhloKernelBuilder *builder,
          guint              x,
          guint             *second)
{
  guint number = ghlo_kernel_add_node (builder, GHLO_NODE_FROM_BF16, F32, x, NONE, NONE), value;

  value = rounded (builder, add (builder, GHLO_NODE_MULTIPLY, number, number));
  value = rounded (builder, add (builder, GHLO_NODE_MULTIPLY, value, number));
  value = rounded (builder, add (builder, GHLO_NODE_MULTIPLY, value, ghlo_kernel_add_float (builder, F32, 0.0446777)));
  value = rounded (builder, add (builder, GHLO_NODE_ADD, value, number));
  value = rounded (builder, add (builder, GHLO_NODE_MULTIPLY, value, ghlo_kernel_add_float (builder, F32, 0.796875)));
  *second = value;
  value = rounded (builder, add (builder, GHLO_NODE_TANH, value, NONE));
  value = rounded (builder, add (builder, GHLO_NODE_ADD, value, ghlo_kernel_add_float (builder, F32, 1)));
  value = rounded (builder, add (builder, GHLO_NODE_MULTIPLY, value, ghlo_kernel_add_float (builder, F32, 0.5)));

  return rounded (builder, add (builder, GHLO_NODE_MULTIPLY, value, number));
}

static guint
count (const GhloKernel *kernel,
       GhloNodeKind      kind)
{
  guint n = 0;

  for (guint i = 0; i < kernel->n_nodes; i++)
    n += kernel->nodes[i].kind == kind;

  return n;
}

/* Half of a sum, with a single rounding. */
static guint
add_half (GhloKernelBuilder *builder,
          guint              x,
          guint             *second)
{
  guint number = ghlo_kernel_add_node (builder, GHLO_NODE_FROM_BF16, F32, x, NONE, NONE);
  guint sum = rounded (builder, add (builder, GHLO_NODE_ADD, number, ghlo_kernel_add_float (builder, F32, 1.5)));

  return rounded (builder, add (builder, GHLO_NODE_MULTIPLY, sum, ghlo_kernel_add_float (builder, F32, -0.5)));
}

/* The same, where the sum itself is a result. */
static guint
keep_sum (GhloKernelBuilder *builder,
          guint              x,
          guint             *second)
{
  guint number = ghlo_kernel_add_node (builder, GHLO_NODE_FROM_BF16, F32, x, NONE, NONE);

  *second = rounded (builder, add (builder, GHLO_NODE_ADD, number, ghlo_kernel_add_float (builder, F32, -1.5)));

  return rounded (builder, add (builder, GHLO_NODE_MULTIPLY, ghlo_kernel_add_float (builder, F32, 4), *second));
}

static float factor;

static guint
round_product (GhloKernelBuilder *builder,
               guint              x,
               guint             *second)
{
  guint number = ghlo_kernel_add_node (builder, GHLO_NODE_FROM_BF16, F32, x, NONE, NONE);
  guint other = ghlo_kernel_add_float (builder, F32, (double) factor);

  *second = rounded (builder, add (builder, GHLO_NODE_MULTIPLY, number, number));

  return rounded (builder, g_test_rand_bit () ? add (builder, GHLO_NODE_MULTIPLY, number, other)
                                              : add (builder, GHLO_NODE_MULTIPLY, other, number));
}

static void
check_product (guint32 result,
               double  x,
               double  y)
{
  const guint32 expected = (guint32) ghlo_float_to_bits (BF16, x * y) << 16;
  const gboolean is_large = !(fabs (x) < 0x1p111 && fabs (y) < 0x1p111 && fabs (x * y) < 0x1p111);

  if (is_nan (result) ? !is_large : !(fabs (x * y) < 0x1p-126 && x * y != 0) && result != expected)
    g_error ("%a × %a is 0x%08x on the fast path, expected 0x%08x", x, y, result, expected);
}

/* All bf16 numbers multiplied by themselves, and by numbers with a sample of mantissas. */
static void
test_products (void)
{
  for (guint mantissa = 0; mantissa < 128; mantissa += g_test_thorough () ? 1 : (guint) g_test_rand_int_range (1, 12))
    {
      g_autofree GhloKernel *kernel = NULL, *fast = NULL;
      guint sentinel;

      factor = (float) ghlo_float_from_bits (BF16, (guint64) g_test_rand_int_range (0, 510) << 7 | mantissa);
      kernel = new_kernel (UI16, round_product);
      fast = ghlo_kernel_expand_fast (kernel, &sentinel);
      /* Both products and a multiple of the number; that of the constant is known. By powers of two nothing is
       * rounded. */
      g_assert_cmpuint (count (fast, GHLO_NODE_MULTIPLY), ==, 3);
      g_assert_true (count (fast, GHLO_NODE_SUBTRACT) == 2 || mantissa == 0);
      for (guint bits = 0; bits < 1 << 16; bits++)
        {
          const double x = ghlo_float_from_bits (BF16, bits);
          guint32 found[3];

          evaluate (fast, sentinel, bits, found);
          g_assert_true ((is_nan (found[0]) || is_nan (found[1])) == is_nan (found[2]));
          check_product (found[0], x, (double) factor);
          check_product (found[1], x, x);
        }
    }
}

/* The square selects one of two numbers. */
static guint
add_choice (GhloKernelBuilder *builder,
            guint              x,
            guint             *second)
{
  guint number = ghlo_kernel_add_node (builder, GHLO_NODE_FROM_BF16, F32, x, NONE, NONE);
  guint square = rounded (builder, add (builder, GHLO_NODE_MULTIPLY, number, number));
  guint limit = ghlo_kernel_add_float (builder, F32, 0x1p120), is_less;

  is_less = ghlo_kernel_add_node (builder, GHLO_NODE_LESS, GHLO_ELEMENT_TYPE_I1, square, limit, NONE);
  *second = ghlo_kernel_add_node (builder, GHLO_NODE_SELECT, F32, is_less, limit, number);

  return rounded (builder, add (builder, GHLO_NODE_ADD, square, number));
}

static void
check_chain (ChainFunc chain,
             float     least,
             guint     most_wrong)
{
  g_autofree GhloKernel *kernel = new_kernel (UI16, chain), *exact = expand (kernel);
  guint n_wrong = 0, sentinel;
  g_autofree GhloKernel *fast = ghlo_kernel_expand_fast (kernel, &sentinel);

  g_assert_nonnull (fast);
  for (guint bits = 0; bits < 1 << 16; bits++)
    {
      const double x = ghlo_float_from_bits (BF16, bits);
      guint32 expected[3], found[3];

      evaluate (exact, 0, bits, expected);
      evaluate (fast, sentinel, bits, found);
      if (is_nan (found[2]))
        n_wrong += !isnan (x);
      else if (!(fabs (x) < least && x != 0))
        for (guint i = 0; i < 2; i++)
          if (!is_same (found[i], expected[i]))
            g_error ("result %u of %a: 0x%08x on the fast path, expected 0x%08x", i, x, found[i], expected[i]);
    }
  g_assert_cmpuint (n_wrong, >, 0);
  g_assert_cmpuint (n_wrong, <=, most_wrong);
}

/* Half of a number alone is rounded and halved in three operations, and together with the number in four. */
static void
test_scaled (void)
{
  static const struct { ChainFunc chain; guint n; } cases[] = { { add_half, 3 }, { keep_sum, 4 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree GhloKernel *kernel = new_kernel (UI16, cases[i].chain);
      guint sentinel;
      g_autofree GhloKernel *fast = ghlo_kernel_expand_fast (kernel, &sentinel);

      g_assert_cmpuint (count (fast, GHLO_NODE_MULTIPLY) + count (fast, GHLO_NODE_FMA)
                        + count (fast, GHLO_NODE_SUBTRACT), ==, cases[i].n);
    }
}

/* Of all numbers of bf16 whose cubes, or squares, are not subnormal. What a square has decided on is never wrong, so
 * that it is not rounded on the fast path; and the numbers of 2^36 and more have too large cubes. */
static void
test_chains (void)
{
  check_chain (add_gelu, 0x1p-40f, 2 * (128 - 36 + 1) * 128);
  check_chain (add_choice, 0x1p-63f, 2 * (128 - 55 + 1) * 128);
  check_chain (add_half, 0, 2 * (128 - 110 + 1) * 128);
  check_chain (keep_sum, 0, 2 * (128 - 109 + 1) * 128);
}

/* A function on bf16 with a rounded result, for which fewer nodes are as exact. */
static GhloNodeKind function;

static guint
round_function (GhloKernelBuilder *builder,
                guint              x,
                guint             *second)
{
  guint number = ghlo_kernel_add_node (builder, GHLO_NODE_FROM_BF16, F32, x, NONE, NONE);

  return rounded (builder, add (builder, function, number, NONE));
}

/* The same, where the function itself is a result. */
static guint
keep_function (GhloKernelBuilder *builder,
               guint              x,
               guint             *second)
{
  guint number = ghlo_kernel_add_node (builder, GHLO_NODE_FROM_BF16, F32, x, NONE, NONE);

  *second = add (builder, function, number, NONE);

  return rounded (builder, *second);
}

/* The only quotient in the expansion of @chain on bf16. */
static guint
find_quotient (ChainFunc chain)
{
  g_autofree GhloKernel *kernel = new_kernel (UI16, chain), *expanded = expand (kernel);
  guint found = NONE;

  for (guint i = 0; i < expanded->n_nodes; i++)
    if (expanded->nodes[i].kind == GHLO_NODE_DIVIDE)
      {
        g_assert_cmpuint (found, ==, NONE);
        found = expanded->nodes[i].index;
      }

  return found;
}

static guint
invert (GhloKernelBuilder *builder,
        guint              x,
        guint             *second)
{
  guint number = ghlo_kernel_add_node (builder, GHLO_NODE_FROM_BF16, F32, x, NONE, NONE);

  return rounded (builder, add (builder, GHLO_NODE_DIVIDE, ghlo_kernel_add_float (builder, F32, 1), number));
}

/* The quotient is a result, too. */
static guint
invert_both (GhloKernelBuilder *builder,
             guint              x,
             guint             *second)
{
  guint number = ghlo_kernel_add_node (builder, GHLO_NODE_FROM_BF16, F32, x, NONE, NONE);

  *second = add (builder, GHLO_NODE_DIVIDE, ghlo_kernel_add_float (builder, F32, 1), number);

  return rounded (builder, *second);
}

/* The dividend has too many digits. */
static guint
invert_more (GhloKernelBuilder *builder,
             guint              x,
             guint             *second)
{
  guint number = ghlo_kernel_add_node (builder, GHLO_NODE_FROM_BF16, F32, x, NONE, NONE);

  return rounded (builder, add (builder, GHLO_NODE_DIVIDE, ghlo_kernel_add_float (builder, F32, 0x1.01p0), number));
}

static void
test_quotients (void)
{
  g_assert_cmpuint (find_quotient (invert), ==, GHLO_QUOTIENT_IS_NARROW);
  g_assert_cmpuint (find_quotient (invert_both), ==, 0);
  g_assert_cmpuint (find_quotient (invert_more), ==, 0);
}

static double
logistic (double x)
{
  return 1 / (1 + exp (-x));
}

static void
check_function (GhloNodeKind kind,
                double     (*truth) (double x))
{
  g_autofree GhloKernel *kernel = NULL, *kept = NULL, *exact = NULL, *whole = NULL, *fast = NULL;
  guint sentinel;

  function = kind;
  kernel = new_kernel (UI16, round_function);
  kept = new_kernel (UI16, keep_function);
  exact = expand (kernel);
  whole = expand (kept);
  fast = ghlo_kernel_expand_fast (kernel, &sentinel);
  g_assert_cmpuint (exact->n_nodes + 10, <, whole->n_nodes);
  for (guint bits = 0; bits < 1 << 16; bits++)
    {
      const guint32 expected = (guint32) ghlo_float_to_bits (BF16, truth (ghlo_float_from_bits (BF16, bits))) << 16;
      const GhloKernel *kernels[] = { exact, whole, fast };
      const gboolean is_low = (expected & G_MAXINT32) < 0x800000 && (bits & G_MAXINT16) != 0;

      for (guint i = 0; i < G_N_ELEMENTS (kernels); i++)
        {
          guint32 found[3];

          evaluate (kernels[i], i == 2 ? sentinel : 0, bits, found);
          if (!is_same (found[0], expected) && !(i == 2 && is_low && (found[0] & G_MAXINT32) <= 0x800000))
            g_error ("function %u, way %u: of 0x%04x it is 0x%08x, expected 0x%08x", kind, i, bits, found[0], expected);
        }
    }
}

/* All bf16 numbers, compared with the true value. */
static void
test_functions (void)
{
  check_function (GHLO_NODE_TANH, tanh);
  check_function (GHLO_NODE_LOGISTIC, logistic);
}

/* Chains where nothing is to be rounded, and where an error would not be noticed. */
static guint
add_comparison (GhloKernelBuilder *builder,
                guint              x,
                guint             *second)
{
  guint is_less = ghlo_kernel_add_node (builder, GHLO_NODE_LESS, GHLO_ELEMENT_TYPE_I1, rounded (builder, x), x, NONE);

  return ghlo_kernel_add_node (builder, GHLO_NODE_SELECT, F32, is_less, x, ghlo_kernel_add_float (builder, F32, 1));
}

static guint
add_sum (GhloKernelBuilder *builder,
         guint              x,
         guint             *second)
{
  return add (builder, GHLO_NODE_ADD, x, x);
}

static void
test_none (void)
{
  static const ChainFunc chains[] = { add_comparison, add_sum };

  for (guint i = 0; i < G_N_ELEMENTS (chains); i++)
    {
      g_autofree GhloKernel *kernel = new_kernel (F32, chains[i]);

      guint sentinel;

      g_assert_null (ghlo_kernel_expand_fast (kernel, &sentinel));
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel/roundings/one", test_roundings);
  g_test_add_func ("/kernel/roundings/chains", test_chains);
  g_test_add_func ("/kernel/roundings/scaled", test_scaled);
  g_test_add_func ("/kernel/roundings/products", test_products);
  g_test_add_func ("/kernel/roundings/functions", test_functions);
  g_test_add_func ("/kernel/roundings/quotients", test_quotients);
  g_test_add_func ("/kernel/roundings/none", test_none);

  return g_test_run ();
}
