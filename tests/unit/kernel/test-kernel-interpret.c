/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The semantics of kernels, compared with numbers worked out by hand: each node at the edges of its types, the order of
 * folds, carried values, and accesses at their bounds.
 */

#include "base/bits.h"
#include "base/ghlo-error.h"
#include "good-kernels.h"
#include "kernel/evaluate.h"
#include "kernel/interpret.h"

#include <math.h>
#include <string.h>

#define NONE GHLO_KERNEL_NONE
#define I1   GHLO_ELEMENT_TYPE_I1
#define I8   GHLO_ELEMENT_TYPE_I8
#define I16  GHLO_ELEMENT_TYPE_I16
#define I32  GHLO_ELEMENT_TYPE_I32
#define I64  GHLO_ELEMENT_TYPE_I64
#define U8   GHLO_ELEMENT_TYPE_UI8
#define U16  GHLO_ELEMENT_TYPE_UI16
#define U32  GHLO_ELEMENT_TYPE_UI32
#define U64  GHLO_ELEMENT_TYPE_UI64
#define F32  GHLO_ELEMENT_TYPE_F32
#define F64  GHLO_ELEMENT_TYPE_F64

#define STRIDES(...) ((const gint64[GHLO_KERNEL_MAX_AXES]) { __VA_ARGS__ })

/* Bits of numbers of a type. */
static guint64
f32 (double value)
{
  return ghlo_bits_of_float ((float) value);
}

static guint64
f64 (double value)
{
  return ghlo_bits_of_double (value);
}

static gboolean
is_nan (GhloElementType type,
        guint64         bits)
{
  return type == F32 ? isnan (ghlo_float_of_bits ((guint32) bits)) : isnan (ghlo_double_of_bits (bits));
}

/* The value of a node on constants, in a kernel of one point that stores it. */
static guint64
compute (GhloNodeKind     kind,
         GhloElementType  type,
         GhloElementType  operand_type,
         const guint64   *operands)
{
  GhloKernelBuilder *b = ghlo_kernel_builder_new ("node");
  g_autofree GhloKernel *kernel = NULL;
  g_autoptr (GError) error = NULL;
  guint64 result = 0;
  GhloKernelMemory memory = { &result, ghlo_element_info (type)->size };
  guint nodes[3] = { NONE, NONE, NONE };

  ghlo_kernel_add_buffer (b, "y", (gint64) memory.size, TRUE);
  ghlo_kernel_add_access (b, 0, type, 0, STRIDES (0));
  ghlo_kernel_begin_points (b, 0);
  for (guint i = 0; i < ghlo_node_spec (kind)->n_operands; i++)
    nodes[i] = ghlo_kernel_add_constant (b, kind == GHLO_NODE_SELECT && i == 0 ? I1 : operand_type, operands[i]);
  ghlo_kernel_store (b, ghlo_kernel_add_node (b, kind, type, nodes[0], nodes[1], nodes[2]), 0);
  ghlo_kernel_end_block (b);
  kernel = ghlo_kernel_builder_end (b, &error);
  g_assert_no_error (error);
  ghlo_kernel_interpret (kernel, NULL, &memory, NULL, &error);
  g_assert_no_error (error);

  return ghlo_node_load (type, &result);
}

/* Operands and result as bits; -1 and similar are truncated to the type. */
typedef struct
{
  GhloNodeKind    kind;
  GhloElementType type;         /* of the operands */
  gint64          a, b, c;
  GhloElementType result_type;
  gint64          result;
} Case;

#define SAME(KIND, type, a, b, result)    { GHLO_NODE_##KIND, type, a, b, 0, type, result }
#define BOOLEAN(KIND, type, a, b, result) { GHLO_NODE_##KIND, type, a, b, 0, I1, result }
#define OWN(KIND, type, a, to, result)    { GHLO_NODE_##KIND, type, a, 0, 0, to, result }

static void
check_cases (const Case *cases,
             guint       n)
{
  for (guint i = 0; i < n; i++)
    {
      const Case *c = &cases[i];
      const guint64 operands[] = { ghlo_node_cut (c->kind == GHLO_NODE_SELECT ? I1 : c->type, (guint64) c->a),
                                   ghlo_node_cut (c->type, (guint64) c->b), ghlo_node_cut (c->type, (guint64) c->c) };
      guint64 expected = ghlo_node_cut (c->result_type, (guint64) c->result);
      guint64 found = compute (c->kind, c->result_type, c->type, operands);

      g_test_message ("%s %s 0x%" G_GINT64_MODIFIER "x 0x%" G_GINT64_MODIFIER "x", ghlo_node_spec (c->kind)->name,
                      ghlo_element_info (c->type)->name, operands[0], operands[1]);
      if (ghlo_node_types (c->result_type) == GHLO_NODE_TYPES_F && is_nan (c->result_type, expected))
        g_assert_true (is_nan (c->result_type, found));
      else
        g_assert_cmphex (found, ==, expected);
    }
}

static void
test_integers (void)
{
  static const Case cases[] = {
    SAME (ADD, I8, 127, 1, -128),
    SAME (ADD, U64, -1, 2, 1),
    SAME (SUBTRACT, U16, 0, 1, 65535),
    SAME (MULTIPLY, I32, 65536, 65536, 0),
    SAME (MULTIPLY_HIGH, I32, -2, 3, -1),
    SAME (MULTIPLY_HIGH, U32, -2, 3, 2),
    SAME (MULTIPLY_HIGH, I64, G_MININT64, G_MININT64, G_GINT64_CONSTANT (1) << 62),
    SAME (MULTIPLY_HIGH, U64, -1, -1, -2),
    SAME (MULTIPLY_HIGH, I8, 100, 100, 39),
    SAME (DIVIDE, I32, -7, 2, -3),
    SAME (DIVIDE, I32, 5, 0, -1),
    SAME (DIVIDE, U8, 5, 0, 255),
    SAME (DIVIDE, I32, G_MININT32, -1, G_MININT32),
    SAME (DIVIDE, I64, G_MININT64, -1, G_MININT64),
    SAME (DIVIDE, U32, -1, 2, G_MAXINT32),
    SAME (REMAINDER, I32, -7, 2, -1),
    SAME (REMAINDER, I32, -7, 0, -7),
    SAME (REMAINDER, I8, -128, -1, 0),
    SAME (REMAINDER, U8, 200, 7, 4),
    SAME (MINIMUM, I8, -1, 1, -1),
    SAME (MINIMUM, U8, -1, 1, 1),
    SAME (MAXIMUM, I64, G_MININT64, 0, 0),
    SAME (MAXIMUM, U64, G_MININT64, 0, G_MININT64),
    SAME (NEGATE, I16, -32768, 0, -32768),
    SAME (NEGATE, U8, 1, 0, 255),
    SAME (ABS, I8, -128, 0, -128),
    SAME (ABS, I8, -127, 0, 127),
    SAME (ABS, U8, 200, 0, 200),
    SAME (AND, U8, 0x3c, 0x0f, 0x0c),
    SAME (OR, I1, 0, 1, 1),
    SAME (XOR, I1, 1, 1, 0),
    SAME (NOT, I1, 1, 0, 0),
    SAME (NOT, I16, 0, 0, -1),
    SAME (SHIFT_LEFT, I8, 3, 7, -128),
    SAME (SHIFT_LEFT, I8, 3, 8, 0),
    SAME (SHIFT_LEFT, I8, 3, -1, 0),
    SAME (SHIFT_RIGHT, I8, -128, 7, -1),
    SAME (SHIFT_RIGHT, I8, -128, 8, -1),
    SAME (SHIFT_RIGHT, I8, 64, -1, 0),
    SAME (SHIFT_RIGHT, U8, 128, 7, 1),
    SAME (SHIFT_RIGHT, U8, 128, 8, 0),
    SAME (SHIFT_RIGHT, I64, -1, 64, -1),
    SAME (SHIFT_LEFT, U64, 1, 63, G_MININT64),
    SAME (COUNT_LEADING_ZEROS, I16, 0, 0, 16),
    SAME (COUNT_LEADING_ZEROS, I16, -1, 0, 0),
    SAME (COUNT_LEADING_ZEROS, U64, 1, 0, 63),
    SAME (POPCNT, I8, -1, 0, 8),
    SAME (POPCNT, U64, -1, 0, 64),
    BOOLEAN (EQUAL, U8, -1, 255, 1),
    BOOLEAN (NOT_EQUAL, I1, 1, 0, 1),
    BOOLEAN (LESS, I8, -1, 1, 1),
    BOOLEAN (LESS, U8, -1, 1, 0),
    BOOLEAN (LESS_EQUAL, I1, 0, 0, 1),
    BOOLEAN (GREATER, U64, -1, 1, 1),
    BOOLEAN (GREATER_EQUAL, I64, -1, 1, 0),
    { GHLO_NODE_SELECT, I8, 1, 7, -7, I8, 7 },
    { GHLO_NODE_SELECT, I8, 0, 7, -7, I8, -7 },
  };

  check_cases (cases, G_N_ELEMENTS (cases));
}

static void
test_floats (void)
{
  const gint64 nan_32 = 0x7fc00000, minus_zero_32 = 0x80000000;
  const gint64 nan_64 = G_GINT64_CONSTANT (0x7ff8) << 48, minus_zero_64 = G_MININT64;
  const Case cases[] = {
    SAME (ADD, F32, f32 (16777216), f32 (1), f32 (16777216)),
    SAME (ADD, F32, f32 (16777218), f32 (1), f32 (16777220)),
    SAME (ADD, F64, f64 (16777216), f64 (1), f64 (16777217)),
    SAME (SUBTRACT, F32, f32 (INFINITY), f32 (INFINITY), nan_32),
    SAME (MULTIPLY, F32, f32 (1e-30), f32 (1e-15), 1),
    SAME (MULTIPLY, F32, f32 (1e-30), f32 (1e-16), 0),
    SAME (MULTIPLY, F32, 0x00800000, f32 (0.5), 0x00400000),
    SAME (DIVIDE, F32, f32 (1), minus_zero_32, f32 (-INFINITY)),
    SAME (DIVIDE, F64, 0, 0, nan_64),
    SAME (MINIMUM, F32, nan_32, f32 (1), nan_32),
    SAME (MINIMUM, F32, f32 (1), nan_32, nan_32),
    SAME (MINIMUM, F32, 0, minus_zero_32, minus_zero_32),
    SAME (MINIMUM, F32, minus_zero_32, 0, minus_zero_32),
    SAME (MAXIMUM, F64, 0, minus_zero_64, 0),
    SAME (MAXIMUM, F64, minus_zero_64, 0, 0),
    SAME (MAXIMUM, F64, f64 (INFINITY), nan_64, nan_64),
    SAME (NEGATE, F32, 0, 0, minus_zero_32),
    SAME (ABS, F64, minus_zero_64, 0, 0),
    SAME (SQRT, F32, f32 (2), 0, 0x3fb504f3),
    SAME (SQRT, F32, minus_zero_32, 0, minus_zero_32),
    SAME (SQRT, F64, f64 (-1), 0, nan_64),
    SAME (FLOOR, F32, f32 (-0.5), 0, f32 (-1)),
    SAME (CEIL, F32, f32 (-0.5), 0, minus_zero_32),
    SAME (TRUNCATE, F64, f64 (-1.9), 0, f64 (-1)),
    SAME (ROUND_NEAREST_EVEN, F32, f32 (2.5), 0, f32 (2)),
    SAME (ROUND_NEAREST_EVEN, F32, f32 (3.5), 0, f32 (4)),
    SAME (ROUND_NEAREST_EVEN, F64, f64 (-0.5), 0, minus_zero_64),
    SAME (ROUND_NEAREST_EVEN, F64, f64 (0.49999999999999994), 0, 0),
    /* (1 + 2^-12)^2 - 1 - 2^-11, which would be 0 if the product were rounded. */
    { GHLO_NODE_FMA, F32, f32 (1 + 1 / 4096.0), f32 (1 + 1 / 4096.0), f32 (-1 - 1 / 2048.0), F32,
      f32 (1 / 16777216.0) },
    BOOLEAN (EQUAL, F32, nan_32, nan_32, 0),
    BOOLEAN (NOT_EQUAL, F32, nan_32, nan_32, 1),
    BOOLEAN (EQUAL, F32, 0, minus_zero_32, 1),
    BOOLEAN (LESS, F64, nan_64, f64 (1), 0),
    BOOLEAN (LESS_EQUAL, F64, f64 (1), nan_64, 0),
    BOOLEAN (GREATER, F32, nan_32, f32 (1), 0),
    BOOLEAN (GREATER_EQUAL, F32, 0, minus_zero_32, 1),
  };

  check_cases (cases, G_N_ELEMENTS (cases));
}

static void
test_conversions (void)
{
  const gint64 nan_32 = 0x7fc00000;
  const Case cases[] = {
    OWN (CONVERT, F32, f32 (-1.9), I8, -1),
    OWN (CONVERT, F32, f32 (300), I8, 127),
    OWN (CONVERT, F32, f32 (-300), I8, -128),
    OWN (CONVERT, F32, f32 (-0.9), U8, 0),
    OWN (CONVERT, F32, f32 (-5), U64, 0),
    OWN (CONVERT, F32, nan_32, I32, 0),
    OWN (CONVERT, F32, nan_32, I1, 1),
    OWN (CONVERT, F32, 0x80000000, I1, 0),
    OWN (CONVERT, F32, f32 (INFINITY), I64, G_MAXINT64),
    OWN (CONVERT, F64, f64 (-INFINITY), I64, G_MININT64),
    OWN (CONVERT, F64, f64 (1e300), U64, -1),
    OWN (CONVERT, F64, f64 (9223372036854775808.0), U64, G_MININT64),
    OWN (CONVERT, F64, f64 (2147483647.5), I32, G_MAXINT32),
    OWN (CONVERT, F64, f64 (4294967295.5), U32, -1),
    OWN (CONVERT, F64, f64 (1 + 1 / 16777216.0), F32, f32 (1)),
    OWN (CONVERT, F64, f64 (1e300), F32, f32 (INFINITY)),
    OWN (CONVERT, I32, 16777217, F32, f32 (16777216)),
    OWN (CONVERT, I32, 16777219, F32, f32 (16777220)),
    OWN (CONVERT, U64, -1, F32, f32 (18446744073709551616.0)),
    OWN (CONVERT, I64, -1, F64, f64 (-1)),
    OWN (CONVERT, I8, -1, U32, -1),
    OWN (CONVERT, U8, -1, I32, 255),
    OWN (CONVERT, I32, 256, I8, 0),
    OWN (CONVERT, I32, 256, I1, 1),
    OWN (CONVERT, I1, 1, I8, 1),
    OWN (CONVERT, I1, 1, F32, f32 (1)),
    OWN (BITCAST, F32, f32 (1), I32, 0x3f800000),
    OWN (BITCAST, U64, G_MININT64, F64, G_MININT64),
    OWN (BITCAST, I8, -1, U8, 255),
  };

  check_cases (cases, G_N_ELEMENTS (cases));
}

/* Runs @kernel over memory of its buffers. */
static void
run (const GhloKernel *kernel,
     const gint64     *extents,
     GhloKernelMemory *memory)
{
  g_autoptr (GError) error = NULL;

  ghlo_kernel_interpret (kernel, extents, memory, NULL, &error);
  g_assert_no_error (error);
}

static GhloKernel *
end (GhloKernelBuilder *builder)
{
  g_autoptr (GError) error = NULL;
  GhloKernel *kernel = ghlo_kernel_builder_end (builder, &error);

  g_assert_no_error (error);

  return kernel;
}

/* A fold that records its order in hexadecimal digits: an element appends its number, counted from 1 in row-major
 * order, and a merge appends all digits of the right operand; a second fold counts the digits. */
static guint64
fold_order (gint64 rows,
            gint64 columns,
            guint  n_chains,
            gint64 split)
{
  GhloKernelBuilder *b = ghlo_kernel_builder_new ("order");
  g_autofree GhloKernel *kernel = NULL;
  guint64 result = 0;
  GhloKernelMemory memory = { &result, 8 };
  guint fold, left, right, base, digit, scale;

  ghlo_kernel_add_axis (b, "row", rows, FALSE, FALSE);
  ghlo_kernel_add_axis (b, "column", columns, FALSE, FALSE);
  ghlo_kernel_add_buffer (b, "y", 8, TRUE);
  ghlo_kernel_add_access (b, 0, U64, 0, STRIDES (0));
  ghlo_kernel_add_temporary (b, "digits", U64, 0);
  ghlo_kernel_add_temporary (b, "scale", U64, 0);
  ghlo_kernel_begin_points (b, 3);
  ghlo_kernel_set_order (b, n_chains, split);
  fold = ghlo_kernel_add_fold (b, U64, 0, 0);
  scale = ghlo_kernel_add_fold (b, U64, 1, 1);
  base = ghlo_kernel_add_constant (b, U64, 16);
  left = ghlo_kernel_add_leaf (b, GHLO_NODE_AXIS, U64, 0);
  right = ghlo_kernel_add_leaf (b, GHLO_NODE_EXTENT, U64, 1);
  digit = ghlo_kernel_add_node (b, GHLO_NODE_MULTIPLY, U64, left, right, NONE);
  right = ghlo_kernel_add_leaf (b, GHLO_NODE_AXIS, U64, 1);
  digit = ghlo_kernel_add_node (b, GHLO_NODE_ADD, U64, digit, right, NONE);
  right = ghlo_kernel_add_constant (b, U64, 1);
  digit = ghlo_kernel_add_node (b, GHLO_NODE_ADD, U64, digit, right, NONE);
  left = ghlo_kernel_add_leaf (b, GHLO_NODE_LEFT, U64, fold);
  left = ghlo_kernel_add_node (b, GHLO_NODE_MULTIPLY, U64, left, base, NONE);
  ghlo_kernel_set_update (b, fold, ghlo_kernel_add_node (b, GHLO_NODE_ADD, U64, left, digit, NONE));
  left = ghlo_kernel_add_leaf (b, GHLO_NODE_LEFT, U64, scale);
  ghlo_kernel_set_update (b, scale, ghlo_kernel_add_node (b, GHLO_NODE_MULTIPLY, U64, left, base, NONE));
  ghlo_kernel_begin_merge (b);
  left = ghlo_kernel_add_leaf (b, GHLO_NODE_LEFT, U64, fold);
  right = ghlo_kernel_add_leaf (b, GHLO_NODE_RIGHT, U64, scale);
  left = ghlo_kernel_add_node (b, GHLO_NODE_MULTIPLY, U64, left, right, NONE);
  right = ghlo_kernel_add_leaf (b, GHLO_NODE_RIGHT, U64, fold);
  ghlo_kernel_set_merge (b, fold, ghlo_kernel_add_node (b, GHLO_NODE_ADD, U64, left, right, NONE));
  left = ghlo_kernel_add_leaf (b, GHLO_NODE_LEFT, U64, scale);
  right = ghlo_kernel_add_leaf (b, GHLO_NODE_RIGHT, U64, scale);
  ghlo_kernel_set_merge (b, scale, ghlo_kernel_add_node (b, GHLO_NODE_MULTIPLY, U64, left, right, NONE));
  ghlo_kernel_end_block (b);
  ghlo_kernel_begin_points (b, 0);
  ghlo_kernel_store (b, ghlo_kernel_add_leaf (b, GHLO_NODE_TEMPORARY, U64, 0), 0);
  ghlo_kernel_end_block (b);
  kernel = end (b);
  run (kernel, NULL, &memory);

  return result;
}

static void
test_order (void)
{
  g_assert_cmphex (fold_order (1, 9, 1, 0), ==, 0x123456789);
  g_assert_cmphex (fold_order (3, 3, 1, 0), ==, 0x123456789);
  /* Chains of columns 0 and 2, 1 and 3: first to last in each, row by row. */
  g_assert_cmphex (fold_order (2, 4, 2, 0), ==, 0x13572468);
  /* Four chains, the last two with one element fewer; merged are 0 with 2, 1 with 3, then both. */
  g_assert_cmphex (fold_order (1, 6, 4, 0), ==, 0x153264);
  /* More chains than elements. */
  g_assert_cmphex (fold_order (3, 2, 8, 0), ==, 0x135246);
  /* Splitting rows into parts changes the order only if there are several chains, too. */
  g_assert_cmphex (fold_order (3, 3, 1, 2), ==, 0x123456789);
  g_assert_cmphex (fold_order (3, 4, 2, 2), ==, 0x135724689bac);
  g_assert_cmphex (fold_order (3, 3, 2, 100), ==, fold_order (3, 3, 2, 0));
}

/* The folds of a block see each other's values from before the point. */
static void
test_folds_together (void)
{
  g_autofree GhloKernel *kernel = good_kernel ("rows");
  float x[35], y[35];
  GhloKernelMemory memory[] = { { x, sizeof x }, { y, sizeof y } };
  float chains[4] = { 0 };

  for (guint i = 0; i < 35; i++)
    x[i] = 0.1f * (float) (i * i % 31) - 1;
  run (kernel, NULL, memory);
  for (guint i = 0; i < 7; i++)
    chains[i % 4] += x[i];
  g_assert_cmpfloat (y[2], ==, (x[2] - fminf (fminf (fminf (x[0], x[1]), fminf (x[2], x[3])),
                                              fminf (fminf (x[4], x[5]), x[6])))
                               / ((chains[0] + chains[2]) + (chains[1] + chains[3])));
}

static void
test_columns (void)
{
  g_autofree GhloKernel *kernel = good_kernel ("columns");
  float x[15], y[3];
  GhloKernelMemory memory[] = { { x, sizeof x }, { y, sizeof y } };
  const gint64 extents[] = { 3, 3 };

  for (guint i = 0; i < 15; i++)
    x[i] = 1.0f / (float) (i + 3);
  run (kernel, NULL, memory);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpfloat (y[i], ==, (((x[i] + x[i + 3]) + (x[i + 6] + x[i + 9])) + x[i + 12]) / 5);
  /* With another extent of the axis whose extent may vary. */
  run (kernel, extents, memory);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpfloat (y[i], ==, ((x[i] + x[i + 3]) + x[i + 6]) / 3);
}

static void
test_accesses (void)
{
  g_autofree GhloKernel *windows = good_kernel ("windows"), *gather = good_kernel ("gather");
  g_autofree GhloKernel *update = good_kernel ("update"), *concatenation = good_kernel ("concatenation");
  float x[9] = { 3, 1, 4, 1, 5, 9, 2, 6, 5 }, y[18], table[12];
  gint32 index[6] = { 2, -1, G_MAXINT32, 0, 3, 4 };
  gint64 start = 7;
  float rows[6] = { 1, 2, 3, 4, 5, 6 }, updated[15];
  GhloKernelMemory for_windows[] = { { x, 36 }, { y, 36 } };
  GhloKernelMemory for_gather[] = { { index, sizeof index }, { table, sizeof table }, { y, sizeof y } };
  GhloKernelMemory for_update[] = { { &start, 8 }, { rows, sizeof rows }, { updated, sizeof updated } };
  GhloKernelMemory for_concatenation[] = { { x, 12 }, { x + 3, 16 }, { y, 28 } };

  run (windows, NULL, for_windows);
  /* Elements 2 w + p - 1 over 2 where that is even: of each window the one in the middle, or the two beside it. */
  for (gint i = 0; i < 9; i++)
    g_assert_cmpfloat (y[i], ==, x[i]);
  for (guint i = 0; i < 12; i++)
    table[i] = (float) i;
  run (gather, NULL, for_gather);
  g_assert_cmpfloat (y[0], ==, 6);
  g_assert_cmpfloat (y[4], ==, 1);
  g_assert_cmpfloat (y[8], ==, 11);
  g_assert_cmpfloat (y[17], ==, 11);
  for (guint i = 0; i < 15; i++)
    updated[i] = -1;
  run (update, NULL, for_update);
  for (guint i = 0; i < 15; i++)
    g_assert_cmpfloat (updated[i], ==, i < 9 ? -1 : (float) (i - 8));
  run (concatenation, NULL, for_concatenation);
  for (guint i = 0; i < 7; i++)
    g_assert_cmpfloat (y[i], ==, x[i]);
}

static void
test_in_place (void)
{
  g_autofree GhloKernel *kernel = good_kernel ("map");
  float x[6] = { 1, 2, 3, 4, 5, 6 }, y[6] = { 10, 20, 30, 40, 50, 60 };
  GhloKernelMemory memory[] = { { x, sizeof x }, { y, sizeof y } };
  const gint64 extents[] = { 4 };

  run (kernel, extents, memory);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpfloat (y[i], ==, i < 4 ? 20 * (i + 1) - (i + 1.0) : 10 * (i + 1));
}

static void
test_loops (void)
{
  g_autofree GhloKernel *recurrence = good_kernel ("recurrence"), *counter = good_kernel ("while");
  float x[24], w[9], all[24], last[6];
  gint32 y[5] = { -1, -1, -1, -1, -1 };
  GhloKernelMemory memory[] = { { x, sizeof x }, { w, sizeof w }, { all, sizeof all }, { last, sizeof last } };
  GhloKernelMemory for_counter = { y, sizeof y };

  for (guint i = 0; i < 24; i++)
    x[i] = (float) i;
  memset (w, 0, sizeof w);
  run (recurrence, NULL, memory);
  for (guint i = 0; i < 24; i++)
    g_assert_cmpfloat (all[i], ==, x[i]);
  for (guint i = 0; i < 3; i++)
    {
      g_assert_cmpfloat (last[i], ==, x[9 + i]);
      g_assert_cmpfloat (last[3 + i], ==, x[21 + i]);
    }
  run (counter, NULL, &for_counter);
  for (gint i = 0; i < 5; i++)
    g_assert_cmpint (y[i], ==, i % 2 == 1 ? i : 0);
}

/* Sums of products by FMA in row-major order of the inner axes. */
static void
test_product (void)
{
  enum { NO = GHLO_KERNEL_NONE };
  GhloKernelBuilder *b = ghlo_kernel_builder_new ("product");
  g_autofree GhloKernel *kernel = NULL;
  float left[12], right[18], y[6];
  GhloKernelMemory memory[] = { { left, sizeof left }, { right, sizeof right }, { y, sizeof y } };

  ghlo_kernel_add_axis (b, "m", 2, FALSE, FALSE);
  ghlo_kernel_add_axis (b, "k", 2, FALSE, FALSE);
  ghlo_kernel_add_axis (b, "n", 3, FALSE, FALSE);
  ghlo_kernel_add_axis (b, "l", 3, FALSE, FALSE);
  ghlo_kernel_add_buffer (b, "left", 48, FALSE);
  ghlo_kernel_add_buffer (b, "right", 72, FALSE);
  ghlo_kernel_add_buffer (b, "y", 24, TRUE);
  ghlo_kernel_add_access (b, 0, F32, 0, STRIDES (24, 12, 0, 4));
  ghlo_kernel_add_access (b, 1, F32, 0, STRIDES (0, 36, 4, 12));
  ghlo_kernel_add_access (b, 2, F32, 0, STRIDES (12, 0, 4));
  ghlo_kernel_add_temporary (b, "c", F32, 5);
  ghlo_kernel_add_product (b, 1, 4, 10, (GhloKernelFactor) { 0, NO }, (GhloKernelFactor) { 1, NO }, 0);
  ghlo_kernel_begin_points (b, 5);
  ghlo_kernel_store (b, ghlo_kernel_add_leaf (b, GHLO_NODE_TEMPORARY, F32, 0), 2);
  ghlo_kernel_end_block (b);
  kernel = end (b);
  for (guint i = 0; i < 12; i++)
    left[i] = 1.0f / (float) (i + 3);
  for (guint i = 0; i < 18; i++)
    right[i] = 1.0f / (float) (i + 7);
  run (kernel, NULL, memory);
  for (guint m = 0; m < 2; m++)
    for (guint n = 0; n < 3; n++)
      {
        float sum = 0;

        for (guint k = 0; k < 6; k++)
          sum = fmaf (left[6 * m + k], right[3 * k + n], sum);
        g_assert_cmpfloat (y[3 * m + n], ==, sum);
      }
}

static void
check_error (const GhloKernel *kernel,
             const gint64     *extents,
             GhloKernelMemory *memory,
             GQuark            domain,
             gint              code)
{
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancelled };
  g_autoptr (GError) error = NULL;

  if (domain == G_IO_ERROR)
    g_cancellable_cancel (cancelled);
  g_assert_false (ghlo_kernel_interpret (kernel, extents, memory, &monitor, &error));
  g_assert_error (error, domain, code);
}

static void
test_errors (void)
{
  g_autofree GhloKernel *kernel = good_kernel ("map"), *large = NULL;
  GhloKernelBuilder *b = ghlo_kernel_builder_new ("large");
  float x[6] = { 0 }, y[6] = { 0 };
  GhloKernelMemory memory[] = { { x, sizeof x }, { y, 20 } };
  const gint64 zero[] = { 0 }, seven[] = { 7 };

  check_error (kernel, NULL, memory, GHLO_ERROR, GHLO_ERROR_INTERNAL);
  memory[1].size = sizeof y;
  check_error (kernel, seven, memory, GHLO_ERROR, GHLO_ERROR_INTERNAL);
  check_error (kernel, zero, memory, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  check_error (kernel, NULL, memory, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  ghlo_kernel_add_axis (b, "i", GHLO_KERNEL_INTERPRET_BYTES / 16, FALSE, TRUE);
  ghlo_kernel_add_temporary (b, "most", I1, 1);
  ghlo_kernel_add_temporary (b, "one more", I1, 0);
  large = end (b);
  check_error (large, NULL, NULL, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel/interpret/integers", test_integers);
  g_test_add_func ("/kernel/interpret/floats", test_floats);
  g_test_add_func ("/kernel/interpret/conversions", test_conversions);
  g_test_add_func ("/kernel/interpret/order", test_order);
  g_test_add_func ("/kernel/interpret/folds-together", test_folds_together);
  g_test_add_func ("/kernel/interpret/columns", test_columns);
  g_test_add_func ("/kernel/interpret/accesses", test_accesses);
  g_test_add_func ("/kernel/interpret/in-place", test_in_place);
  g_test_add_func ("/kernel/interpret/loops", test_loops);
  g_test_add_func ("/kernel/interpret/product", test_product);
  g_test_add_func ("/kernel/interpret/errors", test_errors);

  return g_test_run ();
}
