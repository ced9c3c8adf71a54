/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fft as a step: all kinds, for lengths with small factors, primes and others, short and long, compared with directly
 * evaluated sums or with the reference executor, which computes in long double. Errors are relative to the norm of the
 * whole result. The bits do not depend on the number of threads.
 */

#include "cpu-steps.h"

#include "runtime/parallel.h"

static const char *const kinds[] = { "FFT", "IFFT", "RFFT", "IRFFT" };

enum { FFT, IFFT, RFFT, IRFFT };

/* A program that transforms the last @rank of the dimensions @dims of the real or complex numbers, whichever are
 * more. */
static char *
new_program (guint       kind,
             gboolean    wide,
             const char *outer,
             const gint *lengths,
             guint       rank,
             char      **type)
{
  const char *part = wide ? "f64" : "f32";
  g_autoptr (GString) inside = g_string_new (NULL), whole = g_string_new (outer), half = g_string_new (outer);
  g_autofree char *full_type = NULL, *half_type = NULL;

  for (guint i = 0; i < rank; i++)
    {
      g_string_append_printf (inside, "%s%d", i > 0 ? ", " : "", lengths[i]);
      g_string_append_printf (whole, "%dx", lengths[i]);
      g_string_append_printf (half, "%dx", i + 1 < rank ? lengths[i] : lengths[i] / 2 + 1);
    }
  full_type = kind < RFFT ? g_strdup_printf ("tensor<%scomplex<%s>>", whole->str, part)
                          : g_strdup_printf ("tensor<%s%s>", whole->str, part);
  half_type = kind < RFFT ? g_strdup (full_type) : g_strdup_printf ("tensor<%scomplex<%s>>", half->str, part);
  *type = g_strdup (kind == IRFFT ? half_type : full_type);

  return g_strdup_printf ("func.func @main(%%x: %s) -> %s {\n  %%0 = stablehlo.fft %%x, type = %s, length = [%s] : "
                          "(%s) -> %s\n  return %%0 : %s\n}\n", *type, kind == IRFFT ? full_type : half_type,
                          kinds[kind], inside->str, *type, kind == IRFFT ? full_type : half_type,
                          kind == IRFFT ? full_type : half_type);
}

/* Runs the step, and again with one thread. */
static GhloValue *
run_step (const char            *text,
          GhloValue             *input,
          GhloTensorType        *type)
{
  g_auto (Program) program = { NULL };
  g_autoptr (GError) error = NULL;
  const GhloStepImplementation *step;
  const GhloIrOp *op;
  gsize size = ghlo_element_info (type->element_type)->size, scratch_size = 0;
  StepTensor from, to;
  gpointer compiled, scratch;
  GhloValue *result = ghlo_value_new_tensor (type, &error);

  g_assert_no_error (error);
  prepare (&program, text);
  op = step_find_op (program.module);
  step = step_find (op, "fft");
  step_tensor_init (&from, input->type, FALSE);
  step_tensor_fill (&from, input);
  step_tensor_init (&to, type, FALSE);
  compiled = step_new (step, op, &from.view, &to.view, &scratch_size);
  g_assert_nonnull (compiled);
  scratch = g_aligned_alloc0 (1, scratch_size + 64, 64);
  for (guint limit = 0; limit < 2; limit++)
    {
      ghlo_parallel_set_limit (limit);
      g_assert_true (step->run (compiled, &from.view, &to.view, scratch, NULL, &error));
      g_assert_no_error (error);
      if (limit == 0)
        memcpy (result->data, to.view.data, result->n_elements * size);
      else
        g_assert_cmpmem (result->data, result->n_elements * size, to.view.data, result->n_elements * size);
    }
  ghlo_parallel_set_limit (0);
  g_aligned_free (scratch);
  ghlo_step_free (step, compiled);
  step_tensor_clear (&from);
  step_tensor_clear (&to);

  return result;
}

/* The greatest prime factor. */
static gint
greatest_factor (gint n)
{
  gint factor = 1;

  for (gint d = 2; n > 1; d++)
    for (; n % d == 0; n /= d)
      factor = d;

  return factor;
}

/* The tolerated error: a rounding for each level of the transforms, most of which cancel out. */
static void
check_norm (const char   *text,
            GhloValue    *found,
            const Number *expected,
            gboolean      wide,
            const gint   *lengths,
            guint         rank)
{
  double error = 0, norm = 0, tolerance = 1.5;

  /* A chirp takes two transforms of more than twice the length, and a cycle two. */
  for (guint i = 0; i < rank; i++)
    tolerance += (greatest_factor (lengths[i]) > 97 ? 1.0 : 0.5) * log2 (lengths[i]);
  tolerance *= wide ? 0x1p-53 : 0x1p-24;

  for (gsize i = 0; i < found->n_elements; i++)
    {
      Number difference = number_at (found, i) - expected[i];

      error += creal (difference * conj (difference));
      norm += creal (expected[i] * conj (expected[i]));
    }
  if (!(sqrt (error) <= tolerance * sqrt (norm)))
    g_error ("expected a relative error of at most %g, found %g:\n%s", tolerance, sqrt (error / norm), text);
}

/* One line, by directly evaluated sums. */
static void
transform_directly (guint             kind,
                    const Number     *from,
                    gint              n,
                    Number           *to,
                    const long double (*roots)[2])
{
  gint n_to = kind == RFFT ? n / 2 + 1 : n;

  for (gint k = 0; k < n_to; k++)
    {
      long double re = 0, im = 0;

      for (gint j = 0; j < n; j++)
        {
          const long double *root = roots[(gint64) j * k % n];
          long double s = kind == IFFT || kind == IRFFT ? -root[1] : root[1];
          gboolean is_half = kind == IRFFT, is_real = is_half && (j == 0 || 2 * j == n);
          Number x = is_half && 2 * j > n ? conj (from[n - j]) : is_real ? creal (from[j]) : from[j];

          re += creal (x) * root[0] - cimag (x) * s;
          im += creal (x) * s + cimag (x) * root[0];
        }
      if (kind == IFFT || kind == IRFFT)
        {
          re /= n;
          im /= n;
        }
      to[k] = CMPLX ((double) re, kind == IRFFT ? 0 : (double) im);
    }
}

static void
check_directly (guint    kind,
                gboolean wide,
                gint     n,
                guint    n_lines)
{
  g_autofree char *outer = g_strdup_printf ("%ux", n_lines), *type = NULL;
  g_autofree char *text = new_program (kind, wide, outer, &n, 1, &type);
  g_autoptr (GhloValue) input = new_random (type, -1, 1), reference = result_of (text, &input, 1);
  g_autoptr (GhloValue) found = run_step (text, input, reference->type);
  gsize n_from = input->n_elements / n_lines, n_to = found->n_elements / n_lines;
  g_autofree Number *line = g_new (Number, n_from), *expected = g_new (Number, found->n_elements);
  g_autofree long double (*roots)[2] = g_malloc_n ((gsize) n, sizeof *roots);

  for (gint k = 0; k < n; k++)
    {
      long double angle = 2 * 3.14159265358979323846264338327950288L * k / n;

      roots[k][0] = cosl (angle);
      roots[k][1] = -sinl (angle);
    }
  for (guint l = 0; l < n_lines; l++)
    {
      for (gsize i = 0; i < n_from; i++)
        line[i] = number_at (input, l * n_from + i);
      transform_directly (kind, line, n, expected + l * n_to, (const long double (*)[2]) roots);
    }
  check_norm (text, found, expected, wide, &n, 1);
}

/* Compares with the reference executor, for any dimensions. */
static void
check (guint       kind,
       gboolean    wide,
       const char *outer,
       const gint *lengths,
       guint       rank)
{
  g_autofree char *type = NULL;
  g_autofree char *text = new_program (kind, wide, outer, lengths, rank, &type);
  g_autoptr (GhloValue) input = new_random (type, -1, 1), reference = result_of (text, &input, 1);
  g_autoptr (GhloValue) found = run_step (text, input, reference->type);
  g_autofree Number *expected = g_new (Number, MAX (found->n_elements, 1));

  for (gsize i = 0; i < found->n_elements; i++)
    expected[i] = number_at (reference, i);
  if (found->n_elements > 0)
    check_norm (text, found, expected, wide, lengths, rank);
}

static void
test_short (void)
{
  for (gint n = 1; n <= 130; n++)
    for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
      for (guint wide = 0; wide < 2; wide++)
        check_directly (kind, wide, n, n % 4 == 0 ? 1 : (guint) n % 37 + 1);
}

static void
test_long (void)
{
  static const gint lengths[] = {
    143, 169, 192, 202, 211, 254, 256, 257, 302, 360, 509, 512, 769, 1000, 1009, 1024, 1155, 2017, 2018, 2048, 3125,
    4095, 4096, 4099, 4100, 5040, 6561, 8192, 9409, 10007, 10014, 16384, 30030, 65536,
  };
  static const char *const outer[] = { "", "3x", "2x9x", "33x" };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
      for (guint wide = 0; wide < 2; wide++)
        check (kind, wide, outer[lengths[i] > 1100 ? 0 : (i + kind + wide) % 4], &lengths[i],
               1);
}

static void
test_dimensions (void)
{
  static const gint lengths[][3] = {
    { 1, 1, 1 }, { 2, 3, 5 }, { 16, 1, 7 }, { 5, 8, 3 }, { 20, 33, 2 }, { 37, 16, 18 }, { 1, 101, 40 }, { 4, 2, 300 },
  };
  static const char *const outer[] = { "", "2x", "3x2x", "40x" };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
      for (guint wide = 0; wide < 2; wide++)
        for (guint rank = 2; rank <= 3; rank++)
          check (kind, wide, outer[(i + kind + rank) % G_N_ELEMENTS (outer)], lengths[i], rank);
}

static void
test_empty (void)
{
  static const gint lengths[][2] = { { 0, 1 }, { 4, 0 }, { 0, 0 }, { 3, 4 } };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
      for (guint rank = 1; rank <= 2; rank++)
        if (lengths[i][rank - 1] > 0)
          check (kind, kind % 2 == 0, i == 3 ? "0x2x" : "2x", lengths[i], rank);
}

/* Strides, places of results, and guards around all memory. */
static void
test_layouts (void)
{
  static const gint lengths[][3] = { { 6, 5, 8 }, { 3, 17, 22 }, { 2, 3, 515 }, { 4, 1, 211 }, { 1, 1, 4900 } };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
      for (guint wide = 0; wide < 2; wide++)
        for (guint rank = 1; rank <= 3; rank++)
          {
            g_autofree char *type = NULL;
            g_autofree char *text = new_program (kind, wide, "3x", lengths[i] + 3 - rank, rank, &type);
            g_autoptr (GhloValue) input = new_random (type, -1, 1);

            g_assert_true (step_check (text, "fft", &input, 1, wide ? 1e-13 : 5e-5));
          }
}

/* A row that is not finite leaves the rows beside it alone. */
static void
test_not_finite (void)
{
  const gint n = 36;
  g_autofree char *type = NULL;
  g_autofree char *text = new_program (FFT, FALSE, "21x", &n, 1, &type);
  g_autoptr (GhloValue) input = new_random (type, -1, 1), reference = result_of (text, &input, 1);
  g_autoptr (GhloValue) before = run_step (text, input, reference->type), after = NULL;
  gsize row = 36 * 8;

  set_number (input, 5 * 36 + 3, INFINITY);
  after = run_step (text, input, reference->type);
  g_assert_cmpmem (before->data, 5 * row, after->data, 5 * row);
  g_assert_cmpmem (before->data + 6 * row, 15 * row, after->data + 6 * row, 15 * row);
}

/* Lengths without loops are left to another device. */
static void
test_declined (void)
{
  static const struct { const char *type, *kind, *lengths, *result; } cases[] = {
    { "tensor<2147483648xcomplex<f32>>", "FFT", "[2147483648]", "tensor<2147483648xcomplex<f32>>" },
    { "tensor<1048576x2xcomplex<f32>>", "FFT", "[1048576, 2]", "tensor<1048576x2xcomplex<f32>>" },
    { "tensor<5000001xf32>", "RFFT", "[5000001]", "tensor<2500001xcomplex<f32>>" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Program) program = { NULL };
      g_autofree char *text = g_strdup_printf ("func.func @main(%%x: %1$s) -> %4$s {\n  %%0 = stablehlo.fft %%x, "
                                               "type = %2$s, length = %3$s : (%1$s) -> %4$s\n  return %%0 : %4$s\n}\n",
                                               cases[i].type, cases[i].kind, cases[i].lengths, cases[i].result);
      GhloView views[2];
      StepRequest self;
      const GhloIrOp *op;
      gint64 strides[2] = { 8, 8 };

      prepare (&program, text);
      op = step_find_op (program.module);
      for (guint j = 0; j < 2; j++)
        {
          const GhloIrType *type = j == 0 ? ghlo_ir_op_operand (op, 0)->type : op->results[0].type;

          views[j] = (GhloView) { NULL, type->element_type, type->rank, type->dimensions, strides };
        }
      g_assert_false (step_select (&self, step_find (op, "fft"), op, &views[0], &views[1]));
      g_assert_nonnull (strstr (self.selection.reason, "too large"));
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/fft/short", test_short);
  g_test_add_func ("/cpu/fft/long", test_long);
  g_test_add_func ("/cpu/fft/dimensions", test_dimensions);
  g_test_add_func ("/cpu/fft/empty", test_empty);
  g_test_add_func ("/cpu/fft/layouts", test_layouts);
  g_test_add_func ("/cpu/fft/not-finite", test_not_finite);
  g_test_add_func ("/cpu/fft/declined", test_declined);
  return g_test_run ();
}
