/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs' operations run by the CPU's library steps and by the reference executor: attributes are read correctly and
 * the results agree.
 */

#include "../reference/kernel-programs.h"

#include "../count-allocations.h"
#include "compiler/devices.h"
#include "cpu/convolution/convolution.h"
#include "cpu/gemm/axis.h"
#include "cpu/gemm/dot-general.h"
#include "cpu/isa/level.h"
#include "cpu/linalg/routine.h"
#include "reference/device.h"
#include "runtime/memory.h"

typedef struct
{
  gint64 strides[3][GHLO_MAX_RANK];
} Strides;

static GhloView
view_of (const GhloValue *value,
         gint64          *strides)
{
  GhloTensorType *type = value->type;
  gint64 stride = ghlo_element_info (type->element_type)->size;

  for (guint i = type->rank; i > 0; i--)
    {
      strides[i - 1] = stride;
      stride *= type->dimensions[i - 1];
    }

  return (GhloView) { value->data, type->element_type, type->rank, type->dimensions, strides };
}

static double
size_of (const GhloValue *value)
{
  double size = 0;

  for (gsize i = 0; i < value->n_elements; i++)
    size = MAX (size, cabs (number_at (value, i)));

  return size;
}

/* Checks that sums of @k products of numbers of these magnitudes agree. */
static void
assert_agree (const GhloValue *found,
              const GhloValue *expected,
              double           k,
              double           lhs,
              double           rhs,
              const char      *how)
{
  const GhloElementInfo *info = ghlo_element_info (found->type->element_type);
  gboolean exact = info->element_class != GHLO_ELEMENT_CLASS_FLOAT && info->element_class != GHLO_ELEMENT_CLASS_COMPLEX;
  double limit = exact ? 0 : (ldexp (1, -(int) MIN (info->mantissa_bits, 23)) * 2 + k * 0x1p-22) * k * lhs * rhs;

  g_assert_cmpuint (found->n_bytes, ==, expected->n_bytes);
  for (gsize i = 0; i < found->n_elements; i++)
    if (!(cabs (number_at (found, i) - number_at (expected, i)) <= limit))
      g_error ("%s, element %" G_GSIZE_FORMAT ": expected %.9g, found %.9g", how, i,
               creal (number_at (expected, i)), creal (number_at (found, i)));
}

static GhloIrOp *
find_op (const Program *program)
{
  return ghlo_ir_func_get_body (ghlo_ir_module_get_entry (program->module))->first;
}

static void
check_dot (const char *text,
           const char *lhs_type,
           const char *rhs_type,
           double      k)
{
  g_auto (Program) program = { NULL };
  g_autoptr (GhloValue) lhs = new_random (lhs_type, -3, 3), rhs = new_random (rhs_type, -3, 3);
  g_autoptr (GhloValue) expected = NULL, found = NULL;
  g_autoptr (GhloCpuGemm) gemm = NULL;
  g_autoptr (GError) error = NULL;
  GhloCpuGemmProblem problem;
  GhloCpuDotNumbers numbers;
  GhloView views[3];
  Strides strides;
  gpointer scratch;

  prepare (&program, text);
  run_program (&program, (GhloValue *[]) { lhs, rhs }, 2, &expected, NULL, &error);
  g_assert_no_error (error);
  found = ghlo_value_new_tensor (expected->type, NULL);
  views[0] = view_of (lhs, strides.strides[0]);
  views[1] = view_of (rhs, strides.strides[1]);
  views[2] = view_of (found, strides.strides[2]);
  g_assert_true (ghlo_cpu_dot_numbers_read (&numbers, find_op (&program)));
  g_assert_true (ghlo_cpu_dot_general_read (&problem, &numbers, &views[0], &views[1], &views[2], &error));
  gemm = ghlo_cpu_gemm_prepare (&problem, &error);
  g_assert_no_error (error);
  scratch = g_aligned_alloc (1, MAX (ghlo_cpu_gemm_scratch_size (gemm), 64), 64);
  ghlo_cpu_gemm_run (gemm, lhs->data, rhs->data, NULL, found->data, scratch, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_aligned_free (scratch);
  assert_agree (found, expected, k, size_of (lhs), size_of (rhs), ghlo_cpu_gemm_describe (gemm));
}

static void
append_sizes (GString      *text,
              const gint64 *sizes,
              guint         n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%" G_GINT64_FORMAT "x", sizes[i]);
}

static char *
tensor_text (const gint64 *sizes,
             guint         n,
             const char   *element)
{
  GString *text = g_string_new ("tensor<");

  append_sizes (text, sizes, n);
  g_string_append_printf (text, "%s>", element);

  return g_string_free (text, FALSE);
}

static char *
list_text (const gint64 *numbers,
           guint         n)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", numbers[i]);
  g_string_append_c (text, ']');

  return g_string_free (text, FALSE);
}

static gint64
pick (gint64 low,
      gint64 high)
{
  return g_test_rand_int_range ((gint) low, (gint) high + 1);
}

static void
shuffle (gint64 *numbers,
         guint   n)
{
  for (guint i = n; i > 1; i--)
    {
      gint64 other = pick (0, i - 1), kept = numbers[i - 1];

      numbers[i - 1] = numbers[other];
      numbers[other] = kept;
    }
}

/* The kinds of dimensions, which both operands have in any order. */
enum { BATCH, FREE, CONTRACTED, N_KINDS };

static void
check_random_dot (const char *element,
                  const char *result_element)
{
  gint64 sizes[N_KINDS][3], lhs_order[8], rhs_order[8], lhs_sizes[8], rhs_sizes[8], result_sizes[8], free_rhs[2];
  gint64 lhs_places[N_KINDS][3], rhs_places[N_KINDS][3];
  guint n[N_KINDS] = { (guint) pick (0, 2), (guint) pick (0, 2), (guint) pick (0, 2) }, n_rhs = (guint) pick (0, 2);
  guint lhs_rank = n[0] + n[1] + n[2], rhs_rank = n[0] + n_rhs + n[2], rank = 0, at = 0;
  double k = 1;

  for (guint kind = 0; kind < N_KINDS; kind++)
    for (guint i = 0; i < n[kind]; i++)
      {
        sizes[kind][i] = pick (pick (0, 19) == 0 ? 0 : 1, 9);
        k *= kind == CONTRACTED ? (double) sizes[kind][i] : 1;
      }
  for (guint i = 0; i < 8; i++)
    lhs_order[i] = rhs_order[i] = i;
  shuffle (lhs_order, lhs_rank);
  shuffle (rhs_order, rhs_rank);
  for (guint kind = 0; kind < N_KINDS; kind++)
    for (guint i = 0; i < n[kind]; i++, at++)
      {
        lhs_places[kind][i] = lhs_order[at];
        lhs_sizes[lhs_order[at]] = sizes[kind][i];
      }
  at = 0;
  for (guint kind = 0; kind < N_KINDS; kind++)
    for (guint i = 0; i < (kind == FREE ? n_rhs : n[kind]); i++, at++)
      {
        rhs_places[kind][i] = rhs_order[at];
        rhs_sizes[rhs_order[at]] = kind == FREE ? (free_rhs[i] = pick (1, 9)) : sizes[kind][i];
      }
  /* The result's free dimensions are in the order of the operands. */
  for (guint i = 0; i < n[BATCH]; i++)
    result_sizes[rank++] = sizes[BATCH][i];
  for (guint d = 0; d < lhs_rank; d++)
    for (guint i = 0; i < n[FREE]; i++)
      if (lhs_places[FREE][i] == d)
        result_sizes[rank++] = sizes[FREE][i];
  for (guint d = 0; d < rhs_rank; d++)
    for (guint i = 0; i < n_rhs; i++)
      if (rhs_places[FREE][i] == d)
        result_sizes[rank++] = free_rhs[i];
  {
    g_autofree char *lhs = tensor_text (lhs_sizes, lhs_rank, element);
    g_autofree char *rhs = tensor_text (rhs_sizes, rhs_rank, element);
    g_autofree char *result = tensor_text (result_sizes, rank, result_element);
    g_autofree char *lhs_batch = list_text (lhs_places[BATCH], n[BATCH]);
    g_autofree char *rhs_batch = list_text (rhs_places[BATCH], n[BATCH]);
    g_autofree char *lhs_k = list_text (lhs_places[CONTRACTED], n[CONTRACTED]);
    g_autofree char *rhs_k = list_text (rhs_places[CONTRACTED], n[CONTRACTED]);
    g_autofree char *text =
      g_strdup_printf ("func.func @main(%%a: %s, %%b: %s) -> %s {\n"
                       "  %%0 = \"stablehlo.dot_general\"(%%a, %%b) {dot_dimension_numbers = #stablehlo.dot<"
                       "lhs_batching_dimensions = %s, rhs_batching_dimensions = %s, "
                       "lhs_contracting_dimensions = %s, rhs_contracting_dimensions = %s>} : (%s, %s) -> %s\n"
                       "  return %%0 : %s\n}\n", lhs, rhs, result, lhs_batch, rhs_batch, lhs_k, rhs_k, lhs, rhs, result,
                       result);

    check_dot (text, lhs, rhs, k);
  }
}

static void
test_dot_general (void)
{
  static const char *const elements[][2] = {
    { "f32", "f32" }, { "f64", "f64" }, { "bf16", "bf16" }, { "f16", "f16" }, { "i8", "i8" }, { "i8", "i32" },
    { "ui8", "ui32" }, { "i32", "i32" }, { "i64", "i64" }, { "complex<f32>", "complex<f32>" },
    { "complex<f64>", "complex<f64>" }, { "bf16", "f32" }, { "f8E4M3FN", "f32" }, { "i1", "i1" },
    { "i8", "ui8" }, { "i4", "ui16" }, { "i8", "i4" }, { "i16", "ui64" },
  };

  for (guint e = 0; e < G_N_ELEMENTS (elements); e++)
    for (guint i = 0; i < 60; i++)
      check_random_dot (elements[e][0], elements[e][1]);
}

static void
test_dot (void)
{
  check_dot ("func.func @main(%a: tensor<5x7xf32>, %b: tensor<7x6xf32>) -> tensor<5x6xf32> {\n"
             "  %0 = stablehlo.dot %a, %b : (tensor<5x7xf32>, tensor<7x6xf32>) -> tensor<5x6xf32>\n"
             "  return %0 : tensor<5x6xf32>\n}\n", "tensor<5x7xf32>", "tensor<7x6xf32>", 7);
  check_dot ("func.func @main(%a: tensor<7xi32>, %b: tensor<7xi32>) -> tensor<i32> {\n"
             "  %0 = stablehlo.dot %a, %b : (tensor<7xi32>, tensor<7xi32>) -> tensor<i32>\n"
             "  return %0 : tensor<i32>\n}\n", "tensor<7xi32>", "tensor<7xi32>", 7);
}

static void
check_convolution (const char *text,
                   const char *lhs_type,
                   const char *rhs_type,
                   double      k)
{
  g_auto (Program) program = { NULL };
  g_autoptr (GhloValue) lhs = new_random (lhs_type, -3, 3), rhs = new_random (rhs_type, -3, 3);
  g_autoptr (GhloValue) expected = NULL, found = NULL;
  g_autoptr (GhloCpuConvolution) convolution = NULL;
  g_autoptr (GError) error = NULL;
  GhloCpuConvolutionNumbers numbers;
  GhloView views[3];
  Strides strides;
  gpointer scratch;

  prepare (&program, text);
  run_program (&program, (GhloValue *[]) { lhs, rhs }, 2, &expected, NULL, &error);
  g_assert_no_error (error);
  found = ghlo_value_new_tensor (expected->type, NULL);
  views[0] = view_of (lhs, strides.strides[0]);
  views[1] = view_of (rhs, strides.strides[1]);
  views[2] = view_of (found, strides.strides[2]);
  g_assert_null (ghlo_cpu_convolution_numbers_read (&numbers, find_op (&program)));
  convolution = ghlo_cpu_convolution_prepare (&numbers, &views[0], &views[1], &views[2], NULL, NULL, &error);
  g_assert_no_error (error);
  scratch = g_aligned_alloc (1, MAX (ghlo_cpu_convolution_scratch_size (convolution), 64), 64);
  ghlo_cpu_convolution_run (convolution, lhs->data, rhs->data, NULL, found->data, scratch, NULL, NULL, &error);
  g_assert_no_error (error);
  g_aligned_free (scratch);
  assert_agree (found, expected, k, size_of (lhs), size_of (rhs), ghlo_cpu_convolution_describe (convolution));
}

typedef struct
{
  const char *numbers, *window, *lhs, *rhs, *result;   /* shapes without the element type */
  guint       feature_groups, batch_groups;
  double      k;
} Row;

static const Row rows[] = {
  { "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "stride = [2, 1], pad = [[1, 2], [0, 1]]", "2x9x7x4", "3x2x4x6",
    "2x5x7x6", 1, 1, 24 },
  { "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", "pad = [[1, 1], [1, 1]]", "2x4x8x8", "6x4x3x3", "2x6x8x8", 1, 1, 36 },
  { "[f, 1, b, 0]x[1, o, 0, i]->[0, f, 1, b]", "", "4x8x2x9", "3x6x2x4", "8x6x6x2", 1, 1, 24 },
  { "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]", "pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2]", "2x5x5x6", "3x3x4x6",
    "2x10x10x4", 1, 1, 54 },
  { "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]", "pad = [[1, 1], [1, 1]]", "2x8x8x4", "2x8x8x6", "3x3x4x6", 1, 1, 128 },
  { "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "rhs_dilate = [2, 1], reverse = [1, 0]", "1x9x7x6", "3x2x3x4",
    "1x5x6x4", 2, 1, 18 },
  { "[b, 0, f]x[0, i, o]->[b, 0, f]", "pad = [[-1, -2]]", "4x12x3", "3x3x4", "2x7x4", 1, 2, 9 },
  { "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]", "pad = [[1, 1], [0, 0], [1, 0]]", "1x4x5x3x2", "3x2x2x2x3",
    "1x4x4x3x3", 1, 1, 24 },
  { "[b, f]x[i, o]->[b, f]", "", "3x4", "4x5", "3x5", 1, 1, 4 },
};

static void
test_convolution (void)
{
  static const char *const elements[] = { "f32", "f64", "bf16", "f16", "i8", "i32", "ui16", "i64", "complex<f32>" };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint e = 0; e < G_N_ELEMENTS (elements); e++)
      {
        const Row *row = &rows[i];
        g_autofree char *lhs = g_strdup_printf ("tensor<%sx%s>", row->lhs, elements[e]);
        g_autofree char *rhs = g_strdup_printf ("tensor<%sx%s>", row->rhs, elements[e]);
        g_autofree char *result = g_strdup_printf ("tensor<%sx%s>", row->result, elements[e]);
        g_autofree char *text =
          g_strdup_printf ("func.func @main(%%a: %s, %%b: %s) -> %s {\n"
                           "  %%0 = stablehlo.convolution(%%a, %%b) dim_numbers = %s, window = {%s} "
                           "{batch_group_count = %u : i64, feature_group_count = %u : i64} : (%s, %s) -> %s\n"
                           "  return %%0 : %s\n}\n", lhs, rhs, result, row->numbers, row->window, row->batch_groups,
                           row->feature_groups, lhs, rhs, result, result);

        check_convolution (text, lhs, rhs, row->k);
      }
}

/* The program computes with a prepacked constant, which counts towards the memory kept between runs. */
static void
test_packed_constant (void)
{
  const gsize n = 700, k = 400, bytes = n * k * sizeof (float);
  GhloDeviceCore *device = ghlo_devices_find ("cpu");
  g_auto (Program) program = { NULL };
  g_autoptr (GString) text = g_string_new ("func.func @main(%a: tensor<5x400xf32>) -> tensor<5x700xf32> {\n"
                                           "  %w = stablehlo.constant dense<\"0x");
  g_autoptr (GhloValue) input = new_random ("tensor<5x400xf32>", -3, 3);
  g_autoptr (GhloValue) expected = NULL, found = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *how = NULL;
  GhloRunFigures figures;
  g_autoptr (GhloPrepared) prepared = NULL;

  for (gsize i = 0; i < n * k; i++)
    {
      float number = (float) g_test_rand_double_range (-1, 1);
      const guint8 *b = (const guint8 *) &number;

      g_string_append_printf (text, "%02x%02x%02x%02x", b[0], b[1], b[2], b[3]);
    }
  g_string_append (text, "\"> : tensor<400x700xf32>\n"
                         "  %0 = stablehlo.dot %a, %w : (tensor<5x400xf32>, tensor<400x700xf32>) -> tensor<5x700xf32>\n"
                         "  return %0 : tensor<5x700xf32>\n}\n");
  prepare (&program, text->str);
  run_program (&program, &input, 1, &expected, NULL, &error);
  g_assert_no_error (error);

  prepared = ghlo_devices_prepare (device, program.module, ghlo_ir_module_get_entry (program.module), NULL, &error);
  g_assert_no_error (error);
  ghlo_prepared_measure (prepared, &figures);
  how = ghlo_prepared_describe (prepared);
  if (ghlo_cpu_level () > GHLO_CPU_LEVEL_BASELINE)
    g_assert_cmpuint (figures.prepared_bytes, >=, 2 * bytes);
  g_assert_true (ghlo_prepared_run (prepared, NULL, &input, 1, &found, NULL, &error));
  g_assert_no_error (error);
  assert_agree (found, expected, (double) k, 3, 1, how);
}

/* Memory kept for a program with large tensors consists of the reordered constants, which are counted. A library keeps
 * 256 KiB for the code of each of its kernels, of which a convolution has several. */
static void
test_prepared_memory (void)
{
  static const char *const texts[] = {
    "func.func @main(%a: tensor<8000000x2x2xi8>) -> tensor<8000000x2xi8> {\n"
    "  %z = stablehlo.constant dense<0> : tensor<i8>\n"
    "  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : "
    "(tensor<8000000x2x2xi8>, tensor<i8>) -> tensor<8000000x2xi8>\n  return %0 : tensor<8000000x2xi8>\n}\n",
    "func.func @main(%a: tensor<2x2000000x2x4xf32>, %b: tensor<2x4x3xf32>) -> tensor<2000000x2x3xf32> {\n"
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0, 3] x [0, 1] : "
    "(tensor<2x2000000x2x4xf32>, tensor<2x4x3xf32>) -> tensor<2000000x2x3xf32>\n"
    "  return %0 : tensor<2000000x2x3xf32>\n}\n",
    "func.func @main(%a: tensor<1x64x64x64xf32>) -> tensor<1x64x64x128xf32> {\n"
    "  %w = stablehlo.constant dense<0.5> : tensor<3x3x64x128xf32>\n"
    "  %0 = stablehlo.convolution(%a, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
    "window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
    "(tensor<1x64x64x64xf32>, tensor<3x3x64x128xf32>) -> tensor<1x64x64x128xf32>\n"
    "  return %0 : tensor<1x64x64x128xf32>\n}\n",
  };
  GhloDeviceCore *device = ghlo_devices_find ("cpu");

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GhloIrModule) module = parse (texts[i]);
      g_autoptr (GError) error = NULL;
      GhloMemoryStatistics before, after;
      GhloRunFigures figures;
      GhloPrepared *prepared;
      gsize bytes;

      ghlo_memory_get_statistics (&before);
      bytes = count_own_bytes ();
      prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, &error);
      g_assert_no_error (error);
      bytes = count_own_bytes () - bytes;
      ghlo_prepared_measure (prepared, &figures);
      ghlo_memory_get_statistics (&after);
      g_assert_cmpuint (bytes, <, 1 << 21);
      g_assert_cmpuint (figures.prepared_bytes, >=, after.used - before.used);
      ghlo_prepared_free (prepared);
    }
}

/* The positions along a merged axis are those of its dimensions. */
static void
test_axis (void)
{
  for (guint round = 0; round < 500; round++)
    {
      guint rank = (guint) pick (0, 5);
      gint64 sizes[5], strides[5], order[5], index[5] = { 0 }, stride = pick (1, 4), count = 1;
      GhloCpuAxisCursor cursor, other;
      GhloCpuAxis axis;

      for (guint i = 0; i < rank; i++)
        order[i] = i;
      if (round % 2)
        shuffle (order, rank);
      for (guint i = rank; i > 0; i--)
        {
          sizes[order[i - 1]] = pick (1, 5);
          strides[order[i - 1]] = pick (0, 3) == 0 ? -stride : stride;
          stride *= sizes[order[i - 1]] + (pick (0, 2) == 0);
          count *= sizes[order[i - 1]];
        }
      ghlo_cpu_axis_init (&axis, sizes, strides, rank);
      g_assert_cmpint (axis.count, ==, count);
      g_assert_true (ghlo_cpu_axis_is_uniform (&axis) == (ghlo_cpu_axis_factors (sizes, strides, rank) == 1));
      ghlo_cpu_axis_cursor_init (&cursor, &axis, 0);
      for (gint64 i = 0; i < count; i++)
        {
          gint64 at = 0, run_end = ghlo_cpu_axis_run_end (&axis, i, count);

          for (guint d = 0; d < rank; d++)
            at += index[d] * strides[d];
          g_assert_cmpint (ghlo_cpu_axis_at (&axis, i), ==, at);
          g_assert_cmpint (cursor.at, ==, at);
          g_assert_cmpint (cursor.left, ==, run_end - i);
          ghlo_cpu_axis_cursor_next (&cursor, &axis);
          ghlo_cpu_axis_cursor_init (&other, &axis, i);
          ghlo_cpu_axis_cursor_next_run (&other, &axis);
          if (run_end < count)
            g_assert_cmpint (other.at, ==, ghlo_cpu_axis_at (&axis, run_end));
          for (guint d = rank; d > 0 && ++index[d - 1] == sizes[d - 1]; d--)
            index[d - 1] = 0;
        }
      ghlo_cpu_axis_clear (&axis);
    }
}

/* A LAPACK custom call on a batch gives the reference executor's eigenvalues, and a cancelled one skips the
 * remaining matrices. */
static void
test_routine (void)
{
  static const char text[] =
    "func.func @main(%a: tensor<9x5x5xf64>) -> (tensor<9x5x5xf64>, tensor<9x5xf64>, tensor<9xi32>) {\n"
    "  %0:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, "
    "operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, "
    "dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<9x5x5xf64>) -> (tensor<9x5x5xf64>, "
    "tensor<9x5xf64>, tensor<9xi32>)\n"
    "  return %0#0, %0#1, %0#2 : tensor<9x5x5xf64>, tensor<9x5xf64>, tensor<9xi32>\n}\n";
  g_auto (Program) program = { NULL };
  g_autoptr (GhloValue) a = new_random ("tensor<9x5x5xf64>", -1, 1);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  GhloValue *expected[3] = { NULL }, *found[3];
  g_autoptr (GhloCpuRoutine) routine = NULL;
  g_autoptr (GError) error = NULL;
  GhloView operand, results[3];
  const char *reason;
  Strides strides, in;
  gpointer scratch;

  prepare (&program, text);
  run_program (&program, &a, 1, expected, NULL, &error);
  g_assert_no_error (error);
  operand = view_of (a, in.strides[0]);
  for (guint i = 0; i < 3; i++)
    {
      found[i] = ghlo_value_new_tensor (expected[i]->type, NULL);
      memset (found[i]->data, 0, found[i]->n_bytes);
      results[i] = view_of (found[i], strides.strides[i]);
    }
  routine = ghlo_cpu_routine_prepare (find_op (&program), &operand, results, &reason);
  if (routine == NULL)
    g_test_skip (reason);
  else
    {
      scratch = g_aligned_alloc (1, MAX (ghlo_cpu_routine_scratch_size (routine), 64), 64);
      g_assert_true (ghlo_cpu_routine_run (routine, &operand, results, scratch, NULL, &error));
      g_assert_no_error (error);
      for (gsize i = 0; i < found[1]->n_elements; i++)
        assert_near (number_at (found[1], i), number_at (expected[1], i), 5, 1e-14);

      memset (found[1]->data, 0, found[1]->n_bytes);
      g_cancellable_cancel (cancellable);
      g_assert_false (ghlo_cpu_routine_run (routine, &operand, results, scratch, &monitor, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_assert_cmpfloat (size_of (found[1]), ==, 0);
      g_aligned_free (scratch);
    }
  for (guint i = 0; i < 3; i++)
    {
      ghlo_value_unref (expected[i]);
      ghlo_value_unref (found[i]);
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/cpu-programs/dot-general", test_dot_general);
  g_test_add_func ("/cpu-programs/dot", test_dot);
  g_test_add_func ("/cpu-programs/convolution", test_convolution);
  g_test_add_func ("/cpu-programs/packed-constant", test_packed_constant);
  g_test_add_func ("/cpu-programs/prepared-memory", test_prepared_memory);
  g_test_add_func ("/cpu-programs/axis", test_axis);
  g_test_add_func ("/cpu-programs/routine", test_routine);

  return g_test_run ();
}
