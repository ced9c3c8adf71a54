/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions that are expanded into nodes: the loops that implement them give the nodes' bits, and are within two ULPs
 * of the true value, with the reference executor's special values. The operands here are samples; exhaustive-functions
 * goes through every f32.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/ghlo-error.h"
#include "cpu/isa/elementwise.h"
#include "function-truths.h"
#include "kernel/evaluate.h"
#include "kernel/expand.h"

#include "../samples.h"
#include "../sanitized.h"

/* The samples of each function; functions have no branches, so a few are enough for sanitizers. */
enum { N_SAMPLES = SANITIZED ? 40000 : 200000 };

static GhloCpuElementwiseFunc
find_loop (GhloNodeKind kind)
{
  return ghlo_cpu_elementwise_routines ()->functions[GHLO_CPU_NUMBER_F32][kind];
}

/* Any bits, ordinary numbers, and edges. */
static float
sample (guint i)
{
  static const float edges[] = {
    0, 1, 2, 3, 0.5f, 0.25f, 0x1p-126f, 0x1p-149f, 0x1.fffffep127f, 0x1.fffffep-1f, 0x1.000002p0f, 88.72284f,
    103.97208f, 0x1.fffffcp-127f, 8388608, 16777216, 2147483648, INFINITY,
  };

  if (i < 2 * G_N_ELEMENTS (edges))
    return i % 2 == 0 ? edges[i / 2] : -edges[i / 2];
  if (i == 2 * G_N_ELEMENTS (edges))
    return NAN;
  switch (i % 4)
    {
    case 0:
      return (float) g_test_rand_double_range (-10, 10);
    case 1:
      return (float) g_test_rand_double_range (-1, 1);
    case 2:
      return (float) g_test_rand_double_range (-120, 120);
    default:
      return ghlo_float_of_bits ((guint32) g_test_rand_int ());
    }
}

/* Every function of one f32 has a true value, so that exhaustive-functions omits none. */
static void
test_truths (void)
{
  for (guint kind = 0; kind < GHLO_N_NODES; kind++)
    {
      const GhloNodeSpec *spec = ghlo_node_spec (kind);
      guint n = 0;

      if (ghlo_kernel_expansion (kind, GHLO_ELEMENT_TYPE_F32) == NULL || spec->n_operands != 1
          || spec->result_type != 0)
        continue;
      for (guint i = 0; i < n_function_truths; i++)
        n += function_truths[i].kind == kind;
      if (n != 1)
        g_error ("%s has %u truths", spec->name, n);
    }
}

static void
test_accuracy (void)
{
  const guint n = choose_samples (N_SAMPLES, N_SAMPLES);
  g_autofree float *x = g_new (float, n), *y = g_new (float, n);
  const guint8 *operands[] = { (const guint8 *) x };

  for (guint i = 0; i < n; i++)
    x[i] = sample (i);
  for (guint f = 0; f < n_function_truths; f++)
    {
      GhloCpuElementwiseFunc loop = find_loop (function_truths[f].kind);
      double worst = 0;
      guint where = 0;

      if (loop == NULL)
        continue;
      loop (operands, (guint8 *) y, n, NULL);
      for (guint i = 0; i < n; i++)
        {
          double measure = x[i] < 0 ? function_truths[f].measure : 0;
          double error = function_distance (y[i], function_truths[f].exact (x[i]), measure);

          if (error > worst)
            {
              worst = error;
              where = i;
            }
        }
      g_test_message ("%s: %.4f ulp at %.9g, expected %.9g, found %.9g", ghlo_node_spec (function_truths[f].kind)->name,
                      worst, x[where], function_truths[f].exact (x[where]), y[where]);
      if (worst > function_truths[f].ulps)
        g_test_fail ();
    }
}

/* Functions of two operands: all pairs of edges, ordinary numbers, and random bits. */
static void
test_accuracy_2 (void)
{
  enum { N_EDGES = 40 };
  const guint n = choose_samples (N_SAMPLES, N_SAMPLES);
  static const struct
  {
    GhloNodeKind kind;
    double     (*exact) (double x, double y);
    double       ulps;
  } binaries[] = {
    { GHLO_NODE_ATAN2, atan2, 0.51 },
    { GHLO_NODE_POWER, pow, 1.3 },
    { GHLO_NODE_REMAINDER_FLOAT, fmod, 0 },
  };
  g_autofree float *x = g_new (float, n), *y = g_new (float, n), *z = g_new (float, n);
  const guint8 *operands[] = { (const guint8 *) x, (const guint8 *) y };

  for (guint i = 0; i < n; i++)
    {
      x[i] = sample (i < N_EDGES * N_EDGES ? i / N_EDGES : i);
      y[i] = sample (i < N_EDGES * N_EDGES ? i % N_EDGES : i / 4);
      /* Powers that neither underflow nor overflow. */
      if (i > n / 2 && i % 4 == 3)
        y[i] = (float) (g_test_rand_double_range (-105, 89) / log (fabs (x[i])));
    }
  for (guint f = 0; f < G_N_ELEMENTS (binaries); f++)
    {
      double worst = 0;
      guint where = 0;

      find_loop (binaries[f].kind) (operands, (guint8 *) z, n, NULL);
      for (guint i = 0; i < n; i++)
        {
          double error = function_distance (z[i], binaries[f].exact (x[i], y[i]), 0);

          if (error > worst)
            {
              worst = error;
              where = i;
            }
        }
      g_test_message ("%s: %.4f ulp at (%.9g, %.9g), expected %.9g, found %.9g",
                      ghlo_node_spec (binaries[f].kind)->name, worst, x[where], y[where],
                      binaries[f].exact (x[where], y[where]), z[where]);
      if (worst > binaries[f].ulps)
        g_test_fail ();
    }
}

typedef struct
{
  GhloElementType        type;
  GhloCpuElementwiseFunc from, to_of_f32, to_of_f64;
} Conversions;

/* Checks the loop of f64, and that of f32 where @given is an f32. */
static void
check_rounded (const Conversions *self,
               double             given)
{
  const float single = (float) given;
  const guint8 *operands[] = { (const guint8 *) &given };
  const guint64 expected = ghlo_float_to_bits (self->type, given);
  guint16 found = 0;

  self->to_of_f64 (operands, (guint8 *) &found, 1, NULL);
  g_assert_true (found == expected || (isnan (given) && isnan (ghlo_float_from_bits (self->type, found))));
  operands[0] = (const guint8 *) &single;
  self->to_of_f32 (operands, (guint8 *) &found, 1, NULL);
  g_assert_true (single != given || found == expected);
  g_assert_true (!isnan (given) || found == expected || isnan (ghlo_float_from_bits (self->type, found)));
}

/* Checks @value and its neighbours in f32 and in f64. */
static void
check_around (const Conversions *self,
              double             value)
{
  check_rounded (self, value);
  check_rounded (self, nextafterf ((float) value, INFINITY));
  check_rounded (self, nextafterf ((float) value, -INFINITY));
  check_rounded (self, nextafter (value, INFINITY));
  check_rounded (self, nextafter (value, -INFINITY));
}

/* The midpoint between @value and the next number in the format; if that is infinity, where the midpoint would be. */
static double
find_middle (GhloElementType type,
             double          value,
             double          next)
{
  const double beyond = ldexp (1, ghlo_element_info (type)->bias + 1);

  return (isinf (value) ? copysign (beyond, value) : value) / 2 + (isinf (next) ? copysign (beyond, next) : next) / 2;
}

/* All numbers of a format, the midpoints between adjacent ones, the neighbours of both, and random numbers. */
static void
check_conversions (GhloElementType type,
                   GhloNodeKind    from,
                   GhloNodeKind    to)
{
  const GhloCpuElementwiseRoutines *routines = ghlo_cpu_elementwise_routines ();
  const guint n_bits = 8 * ghlo_element_info (type)->size;
  const Conversions self = { type, routines->functions[n_bits == 8 ? GHLO_CPU_NUMBER_U8 : GHLO_CPU_NUMBER_U16][from],
                             routines->functions[GHLO_CPU_NUMBER_F32][to],
                             routines->functions[GHLO_CPU_NUMBER_F64][to] };

  for (guint bits = 0; bits < 1u << n_bits; bits++)
    {
      const guint16 number = (guint16) bits;
      const guint8 *operands[] = { (const guint8 *) &number };
      double value = ghlo_float_from_bits (type, bits);
      double next = ghlo_float_from_bits (type, (bits + 1) & ((1u << n_bits) - 1));
      float found;

      self.from (operands, (guint8 *) &found, 1, NULL);
      g_assert_true (isnan (value) ? isnan (found) : found == value && !signbit (found) == !signbit (value));
      check_around (&self, value);
      check_around (&self, find_middle (type, value, next));
      check_around (&self, 2 * value);
    }
  for (guint i = 0; i < 1 << 16; i++)
    {
      check_rounded (&self, ghlo_float_of_bits (i << 16 | (guint16) g_test_rand_int ()));
      check_rounded (&self, ghlo_double_of_bits ((guint64) g_test_rand_int () << 32 | (guint32) g_test_rand_int ()));
    }
}

static void
test_conversions (void)
{
#define CONVERSIONS(ID) check_conversions (GHLO_ELEMENT_TYPE_##ID, GHLO_NODE_FROM_##ID, GHLO_NODE_TO_##ID)
  CONVERSIONS (BF16);
  CONVERSIONS (F16);
  CONVERSIONS (F4E2M1FN);
  CONVERSIONS (F6E2M3FN);
  CONVERSIONS (F6E3M2FN);
  CONVERSIONS (F8E3M4);
  CONVERSIONS (F8E4M3);
  CONVERSIONS (F8E4M3B11FNUZ);
  CONVERSIONS (F8E4M3FN);
  CONVERSIONS (F8E4M3FNUZ);
  CONVERSIONS (F8E5M2);
  CONVERSIONS (F8E5M2FNUZ);
  CONVERSIONS (F8E8M0FNU);
#undef CONVERSIONS
}

/* A kernel of one function with operands from buffers 0, … and a buffer for the result. */
static GhloKernel *
new_kernel (GhloNodeKind    kind,
            GhloElementType type)
{
  const GhloNodeSpec *spec = ghlo_node_spec (kind);
  GhloElementType result_type = spec->result_type != 0 ? spec->result_type : type;
  GhloKernelBuilder *builder = ghlo_kernel_builder_new (spec->name);
  const gint64 size = ghlo_element_info (type)->size, result_size = ghlo_element_info (result_type)->size;
  guint nodes[3] = { GHLO_KERNEL_NONE, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE };
  g_autoptr (GError) error = NULL;
  GhloKernel *kernel;

  ghlo_kernel_add_axis (builder, "i", 4, TRUE, FALSE);
  for (guint i = 0; i < spec->n_operands; i++)
    ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "x", 4 * size, FALSE), type, 0, &size);
  ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "y", 4 * result_size, TRUE), result_type, 0,
                          &result_size);
  ghlo_kernel_begin_points (builder, 0);
  for (guint i = 0; i < spec->n_operands; i++)
    nodes[i] = ghlo_kernel_add_leaf (builder, GHLO_NODE_LOAD, type, i);
  ghlo_kernel_store (builder, ghlo_kernel_add_node (builder, kind, result_type, nodes[0], nodes[1], nodes[2]),
                     spec->n_operands);
  ghlo_kernel_end_block (builder);
  kernel = ghlo_kernel_builder_end (builder, &error);
  g_assert_no_error (error);

  return kernel;
}

/* Evaluates the nodes of an expanded kernel for @x. */
static guint64
evaluate (const GhloKernel *kernel,
          const guint64    *x)
{
  g_autofree guint64 *values = g_new (guint64, kernel->n_nodes);

  for (guint i = 0; i < kernel->n_nodes; i++)
    {
      const GhloKernelNode *node = &kernel->nodes[i];
      guint64 operands[3] = { 0 };

      for (guint k = 0; k < G_N_ELEMENTS (operands); k++)
        if (node->operands[k] != GHLO_KERNEL_NONE)
          operands[k] = values[node->operands[k]];
      values[i] = node->kind == GHLO_NODE_CONSTANT ? node->bits
                  : node->kind == GHLO_NODE_LOAD ? x[node->index]
                  : ghlo_node_evaluate (node->kind, node->type, ghlo_kernel_operand_type (kernel, node), operands);
    }

  return values[kernel->stores[0].node];
}

/* A cube with a constant exponent is a few operations, and has the bits of the general power. */
static void
check_cube (GhloElementType type)
{
  const gint64 size = ghlo_element_info (type)->size;
  const guint64 three = ghlo_float_to_bits (type, 3);
  g_autofree GhloKernel *general = new_kernel (GHLO_NODE_POWER, type), *constant = NULL, *powers = NULL, *cubes = NULL;
  GhloKernelBuilder *builder = ghlo_kernel_builder_new ("cube");
  g_autoptr (GError) error = NULL;
  guint x;

  ghlo_kernel_add_axis (builder, "i", 4, TRUE, FALSE);
  ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "x", 4 * size, FALSE), type, 0, &size);
  ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "y", 4 * size, TRUE), type, 0, &size);
  ghlo_kernel_begin_points (builder, 0);
  x = ghlo_kernel_add_leaf (builder, GHLO_NODE_LOAD, type, 0);
  ghlo_kernel_store (builder, ghlo_kernel_add_node (builder, GHLO_NODE_POWER, type, x,
                                                    ghlo_kernel_add_constant (builder, type, three),
                                                    GHLO_KERNEL_NONE), 1);
  ghlo_kernel_end_block (builder);
  constant = ghlo_kernel_builder_end (builder, &error);
  g_assert_no_error (error);
  cubes = ghlo_kernel_expand (constant, &error);
  g_assert_no_error (error);
  powers = ghlo_kernel_expand (general, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (cubes->n_nodes, <, 16);

  for (guint i = 0; i < choose_samples (N_SAMPLES, N_SAMPLES) / 10; i++)
    {
      const float number = sample (i);
      const guint64 operands[] = { ghlo_float_to_bits (type, number), three };
      const guint64 found = evaluate (cubes, operands), expected = evaluate (powers, operands);
      const double value = ghlo_float_from_bits (type, found);
      const double exact = (double) ((long double) number * number * number);

      if (isnan (number))
        g_assert_true (isnan (value) && isnan (ghlo_float_from_bits (type, expected)));
      else
        g_assert_cmphex (found, ==, expected);
      /* The square's rounding error, times x, is subnormal in small cubes. */
      if (type == GHLO_ELEMENT_TYPE_F32)
        g_assert_cmpfloat (function_distance ((float) value, exact, 0), <=, fabs (exact) > 0x1p-100 ? 0.5001 : 1);
    }
}

static void
test_cube (void)
{
  check_cube (GHLO_ELEMENT_TYPE_F32);
  check_cube (GHLO_ELEMENT_TYPE_F64);
}

static void
check_bits (GhloNodeKind           kind,
            GhloElementType        type,
            GhloCpuElementwiseFunc loop)
{
  enum { N = 1000 };
  g_autofree GhloKernel *kernel = new_kernel (kind, type);
  g_autoptr (GError) error = NULL;
  g_autofree GhloKernel *expanded = ghlo_kernel_expand (kernel, &error);
  const gsize size = ghlo_element_info (type)->size;
  GhloElementType result_type = kernel->nodes[kernel->n_nodes - 1].type;
  const gsize result_size = ghlo_element_info (result_type)->size;
  guint8 x[2][N * 8], y[N * 8];
  const guint8 *operands[] = { x[0], x[1] };

  g_assert_no_error (error);
  for (guint k = 0; k < 2; k++)
    for (guint i = 0; i < N; i++)
      {
        guint64 bits = ghlo_node_types (type) == GHLO_NODE_TYPES_U
                         ? (guint64) g_test_rand_int () & ghlo_low_bits (ghlo_element_info (type)->bits)
                       : ghlo_float_to_bits (type, sample ((i * 7 + 3 * k * i) % N));

        memcpy (x[k] + i * size, &bits, size);
      }
  loop (operands, y, N, NULL);
  for (guint i = 0; i < N; i++)
    {
      guint64 given[2] = { 0 }, found = 0, expected;

      for (guint k = 0; k < 2; k++)
        memcpy (&given[k], x[k] + i * size, size);
      memcpy (&found, y + i * result_size, result_size);
      expected = evaluate (expanded, given);
      if (found != expected
          && !(ghlo_node_types (result_type) == GHLO_NODE_TYPES_F && isnan (ghlo_float_from_bits (result_type, found))
               && isnan (ghlo_float_from_bits (result_type, expected))))
        g_error ("%s: of %" G_GINT64_MODIFIER "x and %" G_GINT64_MODIFIER "x expected %" G_GINT64_MODIFIER
                 "x, found %" G_GINT64_MODIFIER "x", kernel->name, given[0], given[1], expected, found);
    }
}

static void
test_loops (void)
{
  static const struct { GhloElementType type; GhloCpuNumber number; } types[] = {
    { GHLO_ELEMENT_TYPE_UI8, GHLO_CPU_NUMBER_U8 },
    { GHLO_ELEMENT_TYPE_UI16, GHLO_CPU_NUMBER_U16 },
    { GHLO_ELEMENT_TYPE_F32, GHLO_CPU_NUMBER_F32 },
    { GHLO_ELEMENT_TYPE_F64, GHLO_CPU_NUMBER_F64 },
  };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint kind = 0; kind < GHLO_N_NODES; kind++)
      {
        GhloCpuElementwiseFunc loop = ghlo_cpu_elementwise_routines ()->functions[types[t].number][kind];

        g_assert_cmpint (loop != NULL, ==, ghlo_kernel_expansion (kind, types[t].type) != NULL);
        if (loop != NULL)
          check_bits (kind, types[t].type, loop);
      }
}

/* A fold, a load at a computed index, and a merge, all with functions among their nodes. */
static void
test_expand (void)
{
  GhloKernelBuilder *builder = ghlo_kernel_builder_new ("expand");
  const gint64 strides[2] = { 0, 4 }, result_strides[2] = { 4, 0 }, none[2] = { 0, 0 };
  const GhloKernelTerm term = { .node = 2, .clamps = 1, .step = 1, .end = 8, .stride = 4 };
  g_autofree GhloKernel *kernel = NULL, *expanded = NULL, *again = NULL;
  g_autoptr (GError) error = NULL;
  guint fold, x, index, left, right;

  ghlo_kernel_add_axis (builder, "row", 2, TRUE, FALSE);
  ghlo_kernel_add_axis (builder, "column", 8, FALSE, FALSE);
  ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "x", 32, FALSE), GHLO_ELEMENT_TYPE_F32, 0, none);
  ghlo_kernel_add_term (builder, &term);
  ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "y", 8, TRUE), GHLO_ELEMENT_TYPE_F32, 0,
                          result_strides);
  ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "z", 32, FALSE), GHLO_ELEMENT_TYPE_F32, 0, strides);
  ghlo_kernel_add_temporary (builder, "sum", GHLO_ELEMENT_TYPE_F32, 0);
  ghlo_kernel_begin_points (builder, 2);
  ghlo_kernel_set_order (builder, 4, 0);
  fold = ghlo_kernel_add_fold (builder, GHLO_ELEMENT_TYPE_F32, 0, 0);
  x = ghlo_kernel_add_leaf (builder, GHLO_NODE_LOAD, GHLO_ELEMENT_TYPE_F32, 2);
  x = ghlo_kernel_add_node (builder, GHLO_NODE_EXPONENTIAL, GHLO_ELEMENT_TYPE_F32, x, GHLO_KERNEL_NONE,
                            GHLO_KERNEL_NONE);
  index = ghlo_kernel_add_leaf (builder, GHLO_NODE_AXIS, GHLO_ELEMENT_TYPE_I32, 1);
  g_assert_cmpuint (index, ==, term.node);
  x = ghlo_kernel_add_node (builder, GHLO_NODE_ADD, GHLO_ELEMENT_TYPE_F32, x,
                            ghlo_kernel_add_leaf (builder, GHLO_NODE_LOAD, GHLO_ELEMENT_TYPE_F32, 0), GHLO_KERNEL_NONE);
  left = ghlo_kernel_add_leaf (builder, GHLO_NODE_LEFT, GHLO_ELEMENT_TYPE_F32, fold);
  ghlo_kernel_set_update (builder, fold, ghlo_kernel_add_node (builder, GHLO_NODE_ADD, GHLO_ELEMENT_TYPE_F32, left, x,
                                                               GHLO_KERNEL_NONE));
  ghlo_kernel_begin_merge (builder);
  left = ghlo_kernel_add_leaf (builder, GHLO_NODE_LEFT, GHLO_ELEMENT_TYPE_F32, fold);
  right = ghlo_kernel_add_leaf (builder, GHLO_NODE_RIGHT, GHLO_ELEMENT_TYPE_F32, fold);
  ghlo_kernel_set_merge (builder, fold, ghlo_kernel_add_node (builder, GHLO_NODE_ADD, GHLO_ELEMENT_TYPE_F32, left,
                                                              right, GHLO_KERNEL_NONE));
  ghlo_kernel_end_block (builder);
  ghlo_kernel_begin_points (builder, 0);
  ghlo_kernel_store (builder, ghlo_kernel_add_leaf (builder, GHLO_NODE_TEMPORARY, GHLO_ELEMENT_TYPE_F32, 0), 1);
  ghlo_kernel_end_block (builder);
  kernel = ghlo_kernel_builder_end (builder, &error);
  g_assert_no_error (error);

  expanded = ghlo_kernel_expand (kernel, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (expanded->n_nodes, >, kernel->n_nodes);
  for (guint i = 0; i < expanded->n_nodes; i++)
    g_assert_cmpint (ghlo_node_spec (expanded->nodes[i].kind)->role, !=, GHLO_NODE_FUNCTION);
  g_assert_cmpint (expanded->nodes[expanded->terms[0].node].kind, ==, GHLO_NODE_AXIS);
  g_assert_cmpint (expanded->nodes[expanded->folds[0].update].kind, ==, GHLO_NODE_ADD);
  g_assert_cmpuint (expanded->folds[0].merge, ==, expanded->blocks[0].end_node - 1);
  g_assert_cmpuint (expanded->folds[0].update, ==, expanded->blocks[0].first_merge - 1);
  g_assert_cmpuint (expanded->blocks[0].n_chains, ==, 4);
  /* Nothing is left to replace. */
  again = ghlo_kernel_expand (expanded, &error);
  g_assert_no_error (error);
  g_assert_true (ghlo_kernel_equal (expanded, again));
  g_assert_cmpuint (expanded->terms[0].node, >, term.node);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/functions/expand", test_expand);
  g_test_add_func ("/functions/cube", test_cube);
  g_test_add_func ("/functions/loops", test_loops);
  g_test_add_func ("/functions/truths", test_truths);
  g_test_add_func ("/functions/accuracy", test_accuracy);
  g_test_add_func ("/functions/accuracy-2", test_accuracy_2);
  g_test_add_func ("/functions/conversions", test_conversions);

  return g_test_run ();
}
