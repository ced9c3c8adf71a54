/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Quotients that shaders derive from a square root (spirv/floats.c), for any root that Vulkan's precision rules allow.
 * Bounded ones are computed once for each operand of the function: for a sample, or with -m thorough for all operands.
 * For approximate ones, in functions of bf16, all operands are tested.
 */

#include <math.h>

#include "base/bits.h"
#include "base/element.h"
#include "kernel/evaluate.h"
#include "kernel/expand.h"

#define F32  GHLO_ELEMENT_TYPE_F32
#define UI16 GHLO_ELEMENT_TYPE_UI16

/* The maximal error of a root's square in ULPs: a root with an error of two, of a number from 2 to 4, makes eight,
 * and the square is rounded. */
enum { MOST_OFF = 9 };

/* A kernel on f32, or on bf16 with a result rounded to bf16. */
static GhloKernel *
new_kernel (GhloNodeKind    kind,
            GhloElementType type)
{
  static const gint64 strides[GHLO_KERNEL_MAX_AXES];
  GhloKernelBuilder *builder = ghlo_kernel_builder_new ("function");
  g_autofree GhloKernel *kernel = NULL;
  GhloKernel *expanded;
  guint x, y;

  ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "x", 4, FALSE), type, 0, strides);
  ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "y", 4, TRUE), type, 0, strides);
  ghlo_kernel_begin_points (builder, 0);
  x = ghlo_kernel_add_leaf (builder, GHLO_NODE_LOAD, type, 0);
  if (type == UI16)
    x = ghlo_kernel_add_node (builder, GHLO_NODE_FROM_BF16, F32, x, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE);
  y = ghlo_kernel_add_node (builder, kind, F32, x, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE);
  if (type == UI16)
    y = ghlo_kernel_add_node (builder, GHLO_NODE_TO_BF16, UI16, y, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE);
  ghlo_kernel_store (builder, y, 1);
  ghlo_kernel_end_block (builder);
  kernel = ghlo_kernel_builder_end (builder, NULL);
  g_assert_nonnull (kernel);
  expanded = ghlo_kernel_expand (kernel, NULL);
  g_assert_nonnull (expanded);

  return expanded;
}

static guint
find_quotient (const GhloKernel *kernel,
               GhloQuotient      quotient)
{
  guint found = GHLO_KERNEL_NONE;

  for (guint i = 0; i < kernel->n_nodes; i++)
    if (kernel->nodes[i].kind == GHLO_NODE_DIVIDE)
      {
        g_assert_cmpuint (found, ==, GHLO_KERNEL_NONE);
        found = i;
      }
  g_assert_cmpuint (found, !=, GHLO_KERNEL_NONE);
  g_assert_cmpuint (kernel->nodes[found].quotient, ==, quotient);

  return found;
}

/* Evaluates the nodes [@first, @end) for a loaded element. */
static void
evaluate (const GhloKernel *kernel,
          guint             first,
          guint             end,
          guint64           x,
          guint64          *values)
{
  for (guint i = first; i < end; i++)
    {
      const GhloKernelNode *node = &kernel->nodes[i];
      guint64 operands[3] = { 0 };

      for (guint k = 0; k < G_N_ELEMENTS (operands); k++)
        if (node->operands[k] != GHLO_KERNEL_NONE)
          operands[k] = values[node->operands[k]];
      values[i] = node->kind == GHLO_NODE_CONSTANT ? node->bits
                  : node->kind == GHLO_NODE_LOAD ? x
                  : ghlo_node_evaluate (node->kind, node->type, ghlo_kernel_operand_type (kernel, node), operands);
    }
}

/* Divides like ghlo_spirv_short_quotient () with @inverse as the root's square. */
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

/* From the switch to another polynomial at the low end to where the argument is clamped at the high end. */
static void
test_tanh (void)
{
  g_autofree GhloKernel *kernel = new_kernel (GHLO_NODE_TANH, F32);
  g_autofree guint64 *values = g_new (guint64, kernel->n_nodes);
  const guint quotient = find_quotient (kernel, GHLO_QUOTIENT_IS_BOUNDED);
  const guint16 *operands = kernel->nodes[quotient].operands;
  const guint32 first = ghlo_bits_of_float (0.5), end = ghlo_bits_of_float (9.1f);

  for (guint32 x = first; x < end; x += g_test_thorough () ? 1 : (guint32) g_test_rand_int_range (1, 1000))
    {
      evaluate (kernel, 0, quotient, x, values);
      check (ghlo_float_of_bits ((guint32) values[operands[0]]), ghlo_float_of_bits ((guint32) values[operands[1]]));
    }
}

/* For a quotient by any root, the result is that of the correctly rounded quotient. */
static void
test_approximate (gconstpointer kind)
{
  g_autofree GhloKernel *kernel = new_kernel (GPOINTER_TO_UINT (kind), UI16);
  g_autofree guint64 *values = g_new (guint64, kernel->n_nodes);
  const guint quotient = find_quotient (kernel, GHLO_QUOTIENT_IS_APPROXIMATE), result = kernel->stores[0].node;
  const guint16 *operands = kernel->nodes[quotient].operands;

  for (guint x = 0; x < 1 << 16; x++)
    {
      guint64 expected;
      float a, inverse;

      evaluate (kernel, 0, kernel->n_nodes, x, values);
      expected = values[result];
      a = ghlo_float_of_bits ((guint32) values[operands[0]]);
      inverse = 1 / ghlo_float_of_bits ((guint32) values[operands[1]]);
      for (gint off = -MOST_OFF; off <= MOST_OFF && !isnan (a); off++)
        {
          values[quotient] = ghlo_bits_of_float (a * ghlo_float_of_bits (ghlo_bits_of_float (inverse) + (guint32) off));
          evaluate (kernel, quotient + 1, kernel->n_nodes, x, values);
          if (values[result] != expected)
            g_error ("of 0x%04x, by a root that is off by %d: 0x%04x, expected 0x%04x", x, off, (guint) values[result],
                     (guint) expected);
        }
    }
}

/* All pairs of numbers with 8 significant bits, and any root of the divisor's inverse. */
static void
test_narrow (void)
{
  for (guint a = 128; a < 256; a++)
    for (guint b = 128; b < 512; b += b < 256 ? 1 : 2)
      {
        const guint32 root = ghlo_bits_of_float ((float) (1 / sqrt ((double) b)));
        const guint64 expected = ghlo_float_to_bits (GHLO_ELEMENT_TYPE_BF16, (double) a / b);

        for (gint off = -2; off <= 2; off++)
          {
            const float inverse = ghlo_float_of_bits (root + (guint32) off), first = (float) a * inverse;

            if (ghlo_float_to_bits (GHLO_ELEMENT_TYPE_BF16, (double) (first * inverse)) != expected)
              g_error ("%u / %u by a root that is off by %d", a, b, off);
          }
      }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel/quotients/tanh", test_tanh);
  g_test_add_data_func ("/kernel/quotients/tanh-bf16", GUINT_TO_POINTER (GHLO_NODE_TANH), test_approximate);
  g_test_add_data_func ("/kernel/quotients/logistic-bf16", GUINT_TO_POINTER (GHLO_NODE_LOGISTIC), test_approximate);
  g_test_add_func ("/kernel/quotients/narrow", test_narrow);

  return g_test_run ();
}
