/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Quotients that are tame: what shaders make of their operands by a root (spirv/floats.c) is the quotient rounded once,
 * for each operand of the function and any root that Vulkan allows. A sample of them, or all with -m thorough.
 */

#include <math.h>

#include "base/bits.h"
#include "kernel/evaluate.h"
#include "kernel/expand.h"

#define F32 GHLO_ELEMENT_TYPE_F32

/* Units in the last place that the square of a root is off at most: a root that is off by two itself, of a number from
 * 2 to 4, makes eight, and the square is rounded. */
enum { MOST_OFF = 9 };

static GhloKernel *
new_kernel (GhloNodeKind kind)
{
  static const gint64 strides[GHLO_KERNEL_MAX_AXES];
  GhloKernelBuilder *builder = ghlo_kernel_builder_new ("function");
  g_autofree GhloKernel *kernel = NULL;
  GhloKernel *expanded;
  guint x;

  ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "x", 4, FALSE), F32, 0, strides);
  ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "y", 4, TRUE), F32, 0, strides);
  ghlo_kernel_begin_points (builder, 0);
  x = ghlo_kernel_add_leaf (builder, GHLO_NODE_LOAD, F32, 0);
  ghlo_kernel_store (builder, ghlo_kernel_add_node (builder, kind, F32, x, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE), 1);
  ghlo_kernel_end_block (builder);
  kernel = ghlo_kernel_builder_end (builder, NULL);
  g_assert_nonnull (kernel);
  expanded = ghlo_kernel_expand (kernel, NULL);
  g_assert_nonnull (expanded);

  return expanded;
}

static guint
find_tame (const GhloKernel *kernel)
{
  guint found = GHLO_KERNEL_NONE;

  for (guint i = 0; i < kernel->n_nodes; i++)
    if (kernel->nodes[i].which == GHLO_QUOTIENT_IS_TAME && kernel->nodes[i].kind == GHLO_NODE_DIVIDE)
      {
        g_assert_cmpuint (found, ==, GHLO_KERNEL_NONE);
        found = i;
      }
  g_assert_cmpuint (found, !=, GHLO_KERNEL_NONE);

  return found;
}

/* The nodes up to @end. */
static void
evaluate (const GhloKernel *kernel,
          guint             end,
          float             x,
          guint64          *values)
{
  for (guint i = 0; i < end; i++)
    {
      const GhloKernelNode *node = &kernel->nodes[i];
      guint64 operands[3] = { 0 };

      for (guint k = 0; k < G_N_ELEMENTS (operands); k++)
        if (node->operands[k] != GHLO_KERNEL_NONE)
          operands[k] = values[node->operands[k]];
      values[i] = node->kind == GHLO_NODE_CONSTANT ? node->bits
                  : node->kind == GHLO_NODE_LOAD ? ghlo_bits_of_float (x)
                  : ghlo_node_evaluate (node->kind, node->type, ghlo_kernel_operand_type (kernel, node), operands);
    }
}

/* As ghlo_spirv_tame_quotient () does it, where the root's square is @inverse. */
static float
divide (float a,
        float b,
        float inverse)
{
  float quotient;

  inverse = fmaf (fmaf (-b, inverse, 1), inverse, inverse);
  quotient = a * inverse;

  return fmaf (fmaf (-b, quotient, a), inverse, quotient);
}

static void
check (float a,
       float b)
{
  const guint32 inverse = ghlo_bits_of_float ((float) (1 / (double) b));

  for (gint off = -MOST_OFF; off <= MOST_OFF; off++)
    if (divide (a, b, ghlo_float_of_bits (inverse + (guint32) off)) != a / b)
      g_error ("%a / %a is %a, by a root that is off by %d", (double) a, (double) b, (double) (a / b), off);
}

/* From where another polynomial is chosen below to where the argument is limited above. */
static void
test_tanh (void)
{
  g_autofree GhloKernel *kernel = new_kernel (GHLO_NODE_TANH);
  g_autofree guint64 *values = g_new (guint64, kernel->n_nodes);
  const guint quotient = find_tame (kernel);
  const guint16 *operands = kernel->nodes[quotient].operands;
  const guint32 first = ghlo_bits_of_float (0.5), end = ghlo_bits_of_float (9.1f);

  for (guint32 x = first; x < end; x += g_test_thorough () ? 1 : (guint32) g_test_rand_int_range (1, 1000))
    {
      evaluate (kernel, quotient, ghlo_float_of_bits (x), values);
      check (ghlo_float_of_bits ((guint32) values[operands[0]]), ghlo_float_of_bits ((guint32) values[operands[1]]));
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel/quotients/tanh", test_tanh);

  return g_test_run ();
}
