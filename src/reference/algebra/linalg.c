/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * triangular_solve, cholesky, and the factorizations of custom calls, on each
 * matrix of a batch, in long doubles.
 */

#include "reference/algebra/linalg.h"

#include "base/sizes.h"
#include "reference/kernels.h"
#include "reference/scalar/numbers.h"

#include "reference/scalar/complex-math.h"
#include <math.h>
#include <string.h>

#define MAX_SWEEPS 60
#define JACOBI_TOLERANCE 1e-38L       /* of squares, against the whole matrix: the last bit of a long double */

#define NUMBER long double
#define NAME(name) name##_real
#define CONJ(x) (x)
#define REAL(x) (x)
#define IMAG(x) 0
#define SIZE2(x) ((x) * (x))
#include "reference/algebra/linalg-template.h"
#undef NUMBER
#undef NAME
#undef CONJ
#undef REAL
#undef IMAG
#undef SIZE2

static inline long double
squared_size (_Complex long double x)
{
  return creall (x) * creall (x) + cimagl (x) * cimagl (x);
}

#define NUMBER _Complex long double
#define NAME(name) name##_complex
#define CONJ(x) conjl (x)
#define REAL(x) creall (x)
#define IMAG(x) cimagl (x)
#define SIZE2(x) squared_size (x)
#include "reference/algebra/linalg-template.h"
#undef NUMBER
#undef NAME
#undef CONJ
#undef REAL
#undef IMAG
#undef SIZE2

typedef long double          Real;
typedef _Complex long double Complex;

/* The matrices in a tensor: its two last dimensions, batches before them. */
typedef struct
{
  gsize batch, rows, columns;
} Matrices;

static gboolean
find_matrices (GhloRefCall     *call,
               const GhloValue *value,
               Matrices        *self,
               GError         **error)
{
  guint rank = ghlo_ref_rank (value);
  GhloElementClass c = ghlo_element_info (value->type->element_type)->element_class;

  if (rank < 2)
    return ghlo_ref_fail (call, error, "expected matrices, found rank %u", rank);
  if (value->type->quantization == NULL && c != GHLO_ELEMENT_CLASS_FLOAT && c != GHLO_ELEMENT_CLASS_COMPLEX)
    return ghlo_ref_fail (call, error, "expected matrices of real or complex numbers");
  self->rows = (gsize) ghlo_ref_dims (value)[rank - 2];
  self->columns = (gsize) ghlo_ref_dims (value)[rank - 1];
  /* More than can be counted are those of empty matrices, which nobody looks at. */
  if (!ghlo_shape_count (ghlo_ref_dims (value), rank - 2, &self->batch))
    self->batch = 0;

  return TRUE;
}

static gboolean
is_complex (const GhloValue *value)
{
  return ghlo_element_type_is_complex (value->type->element_type);
}

/* Room for @n numbers, real or complex. */
static gpointer
numbers_new (gboolean complex_numbers,
             gsize    n,
             GError **error)
{
  return ghlo_ref_scratch (n, complex_numbers ? sizeof (Complex) : sizeof (Real), error);
}

/* @n numbers of @value from element @first on. */
static void
load_numbers (const GhloValue *value,
              gsize            first,
              gsize            n,
              gpointer         numbers)
{
  GhloElementType type = value->type->element_type;
  const GhloQuantization *quantization = value->type->quantization;

  for (gsize i = 0; i < n; i++)
    {
      GhloScalar scalar = ghlo_ref_load (value, first + i);

      if (ghlo_element_type_is_complex (type))
        ((Complex *) numbers)[i] = CMPLXL (scalar.c.re, scalar.c.im);
      else if (quantization != NULL)
        ((Real *) numbers)[i] = ghlo_ref_dequantize (quantization, 0, scalar.i);
      else
        ((Real *) numbers)[i] = scalar.f;
    }
}

static void
store_numbers (GhloValue    *value,
               gsize         first,
               gsize         n,
               gconstpointer numbers)
{
  GhloElementType type = value->type->element_type;
  const GhloQuantization *quantization = value->type->quantization;

  for (gsize i = 0; i < n; i++)
    {
      GhloScalar scalar = { 0 };

      if (ghlo_element_type_is_complex (type))
        scalar = (GhloScalar) { .c = { (double) creall (((const Complex *) numbers)[i]),
                                       (double) cimagl (((const Complex *) numbers)[i]) } };
      else if (quantization != NULL)
        scalar.i = ghlo_ref_quantize (quantization, 0, (double) ((const Real *) numbers)[i]);
      else
        scalar.f = (double) ((const Real *) numbers)[i];
      ghlo_ref_store (value, first + i, scalar);
    }
}

/* Copies a square matrix, transposed or conjugated or both; what is not in the
 * triangle that is to be read becomes zero. */
static void
take_triangle (gboolean      complex_numbers,
               gconstpointer from,
               gpointer      to,
               gsize         n,
               gboolean      lower,
               gboolean      transpose,
               gboolean      conjugate,
               gboolean      unit)
{
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < n; j++)
      {
        gsize at = transpose ? j * n + i : i * n + j;
        gboolean inside = lower ? j <= i : j >= i;

        if (complex_numbers)
          {
            Complex x = inside ? ((const Complex *) from)[i * n + j] : 0;

            ((Complex *) to)[at] = unit && i == j ? 1 : conjugate ? conjl (x) : x;
          }
        else
          ((Real *) to)[at] = unit && i == j ? 1 : inside ? ((const Real *) from)[i * n + j] : 0;
      }
}

typedef struct
{
  gboolean left, lower, unit, transpose, conjugate;
} Solve;

/* Solves for the columns (or rows) of @b. x op(a) = b is op(a)ᵀ xᵀ = bᵀ. */
static gboolean
solve_one (GhloRefCall    *call,
           const Solve    *solve,
           gboolean        complex_numbers,
           gconstpointer   triangle,
           gsize           n,
           const Matrices *b,
           gpointer        numbers,
           GError        **error)
{
  gboolean transposed = solve->transpose != !solve->left;
  gboolean lower = solve->lower != transposed;
  gsize n_vectors = solve->left ? b->columns : b->rows;
  gsize next = solve->left ? 1 : b->columns;
  gsize step = solve->left ? b->columns : 1;

  for (gsize i = 0; i < n_vectors; i++)
    {
      if (!ghlo_ref_continue (call, error))
        return FALSE;
      if (complex_numbers)
        substitute_complex (triangle, n, lower, (Complex *) numbers + i * next, step);
      else
        substitute_real (triangle, n, lower, (Real *) numbers + i * next, step);
    }
  return TRUE;
}

gboolean
ghlo_ref_triangular_solve (GhloRefCall *call,
                           GError     **error)
{
  const GhloValue *a = call->operands[0];
  const GhloValue *b = call->operands[1];
  const char *word = ghlo_ir_enum_word (ghlo_ir_op_get (call->op, "transpose_a"));
  gboolean complex_numbers = is_complex (a);
  g_autofree gpointer matrix = NULL, triangle = NULL, numbers = NULL;
  Matrices ma, mb;
  GhloValue *result;
  Solve solve = {
    .left = ghlo_ir_op_get_int (call->op, "left_side", 0) != 0,
    .lower = ghlo_ir_op_get_int (call->op, "lower", 0) != 0,
    .unit = ghlo_ir_op_get_int (call->op, "unit_diagonal", 0) != 0,
    .transpose = g_strcmp0 (word, "TRANSPOSE") == 0 || g_strcmp0 (word, "ADJOINT") == 0,
    .conjugate = g_strcmp0 (word, "ADJOINT") == 0,
  };

  if (!find_matrices (call, a, &ma, error) || !find_matrices (call, b, &mb, error))
    return FALSE;
  if (ma.rows != ma.columns || ma.rows != (solve.left ? mb.rows : mb.columns) || ma.batch != mb.batch
      || is_complex (b) != complex_numbers)
    return ghlo_ref_fail (call, error, "expected square matrices that fit the right-hand sides");
  result = ghlo_ref_result_like (call, 0, b, error);
  if (result == NULL || result->n_elements == 0)
    return result != NULL;

  matrix = numbers_new (complex_numbers, ma.rows * ma.rows, error);
  triangle = matrix != NULL ? numbers_new (complex_numbers, ma.rows * ma.rows, error) : NULL;
  numbers = triangle != NULL ? numbers_new (complex_numbers, mb.rows * mb.columns, error) : NULL;
  if (numbers == NULL)
    return FALSE;
  for (gsize i = 0; i < ma.batch; i++)
    {
      load_numbers (a, i * ma.rows * ma.rows, ma.rows * ma.rows, matrix);
      load_numbers (b, i * mb.rows * mb.columns, mb.rows * mb.columns, numbers);
      take_triangle (complex_numbers, matrix, triangle, ma.rows, solve.lower,
                     solve.transpose != !solve.left, solve.conjugate, solve.unit);
      if (!solve_one (call, &solve, complex_numbers, triangle, ma.rows, &mb, numbers, error))
        return FALSE;
      store_numbers (result, i * mb.rows * mb.columns, mb.rows * mb.columns, numbers);
    }
  return TRUE;
}

/* The other triangle is zero; a matrix that is not positive definite gives NaN. */
gboolean
ghlo_ref_cholesky (GhloRefCall *call,
                   GError     **error)
{
  const GhloValue *a = call->operands[0];
  gboolean complex_numbers = is_complex (a);
  gboolean lower = ghlo_ir_op_get_int (call->op, "lower", 0) != 0;
  g_autofree gpointer matrix = NULL, factor = NULL;
  Matrices m;
  GhloValue *result;
  gsize n;

  if (!find_matrices (call, a, &m, error))
    return FALSE;
  if (m.rows != m.columns)
    return ghlo_ref_fail (call, error, "expected square matrices");
  result = ghlo_ref_result_like (call, 0, a, error);
  if (result == NULL || result->n_elements == 0)
    return result != NULL;

  n = m.rows;
  matrix = numbers_new (complex_numbers, n * n, error);
  factor = matrix != NULL ? numbers_new (complex_numbers, n * n, error) : NULL;
  if (factor == NULL)
    return FALSE;
  for (gsize i = 0; i < m.batch; i++)
    {
      gboolean ok;

      if (!ghlo_ref_continue (call, error))
        return FALSE;
      load_numbers (a, i * n * n, n * n, matrix);
      take_triangle (complex_numbers, matrix, factor, n, lower, !lower, !lower, FALSE);
      ok = complex_numbers ? cholesky_complex (factor, n) : cholesky_real (factor, n);
      for (gsize k = 0; k < n * n && !ok; k++)
        if (complex_numbers)
          ((Complex *) factor)[k] = CMPLXL (NAN, NAN);
        else
          ((Real *) factor)[k] = NAN;
      take_triangle (complex_numbers, factor, matrix, n, TRUE, !lower, !lower, FALSE);
      store_numbers (result, i * n * n, n * n, matrix);
    }
  return TRUE;
}

/* Result @index in the operand's batch dimensions followed by @n more. */
static GhloValue *
batch_result (GhloRefCall  *call,
              guint         index,
              const gint64 *more,
              guint         n,
              GError      **error)
{
  gint64 dimensions[GHLO_MAX_RANK];
  guint batch = ghlo_ref_rank (call->operands[0]) - 2;

  memcpy (dimensions, ghlo_ref_dims (call->operands[0]), batch * sizeof (gint64));
  for (guint i = 0; i < n; i++)
    dimensions[batch + i] = more[i];
  return ghlo_ref_result (call, index, dimensions, batch + n, error);
}

/* FALSE with @error set unless the call has these numbers and plain operands. */
static gboolean
check_call (GhloRefCall *call,
            guint        n_operands,
            guint        n_results,
            Matrices    *m,
            GError     **error)
{
  if (call->n_operands != n_operands || call->op->n_results != n_results)
    return ghlo_ref_fail (call, error, "expected %u operands and %u results, found %u and %u",
                          n_operands, n_results, call->n_operands, call->op->n_results);
  for (guint i = 0; i < n_operands; i++)
    if (call->operands[i]->type->quantization != NULL
        || call->operands[i]->type->element_type != call->operands[0]->type->element_type)
      return ghlo_ref_fail (call, error, "expected operands of one real or complex type");
  return find_matrices (call, call->operands[0], m, error);
}

/* FALSE with @error set unless result @index has the operand's type or, where
 * @real, that of its real parts. */
static gboolean
check_result_type (GhloRefCall     *call,
                   const GhloValue *result,
                   gboolean         real,
                   GError         **error)
{
  GhloElementType type = call->operands[0]->type->element_type;

  if (result == NULL)
    return FALSE;
  if (result->type->element_type != (real ? ghlo_element_type_real_part (type) : type))
    return ghlo_ref_fail (call, error, "expected a result of the operand's element type");
  return TRUE;
}

gboolean
ghlo_ref_custom_qr (GhloRefCall *call,
                    GError     **error)
{
  g_autofree gpointer matrix = NULL, factors = NULL;
  GhloValue *packed, *taus;
  gboolean complex_numbers;
  Matrices m;
  gsize k, n;

  if (!check_call (call, 1, 2, &m, error))
    return FALSE;
  k = MIN (m.rows, m.columns);
  n = m.rows * m.columns;
  complex_numbers = is_complex (call->operands[0]);
  packed = ghlo_ref_result_like (call, 0, call->operands[0], error);
  taus = packed != NULL ? batch_result (call, 1, (gint64[]) { (gint64) k }, 1, error) : NULL;
  if (!check_result_type (call, packed, FALSE, error) || !check_result_type (call, taus, FALSE, error))
    return FALSE;
  matrix = numbers_new (complex_numbers, n, error);
  factors = matrix != NULL ? numbers_new (complex_numbers, k, error) : NULL;
  if (factors == NULL)
    return FALSE;

  for (gsize i = 0; i < m.batch; i++)
    {
      if (!ghlo_ref_continue (call, error))
        return FALSE;
      load_numbers (call->operands[0], i * n, n, matrix);
      if (complex_numbers)
        qr_complex (matrix, m.rows, m.columns, factors);
      else
        qr_real (matrix, m.rows, m.columns, factors);
      store_numbers (packed, i * n, n, matrix);
      store_numbers (taus, i * k, k, factors);
    }
  return TRUE;
}

gboolean
ghlo_ref_custom_householder (GhloRefCall *call,
                             GError     **error)
{
  g_autofree gpointer matrix = NULL, factors = NULL, q = NULL;
  const GhloValue *taus;
  gboolean complex_numbers;
  GhloValue *result;
  Matrices m;
  gsize k, n;

  if (!check_call (call, 2, 1, &m, error))
    return FALSE;
  taus = call->operands[1];
  n = m.rows * m.columns;
  k = ghlo_ref_rank (taus) > 0 ? (gsize) ghlo_ref_dims (taus)[ghlo_ref_rank (taus) - 1] : 0;
  if (taus->n_elements != m.batch * k || k > MIN (m.rows, m.columns))
    return ghlo_ref_fail (call, error, "expected factors for at most %" G_GSIZE_FORMAT " reflectors",
                          MIN (m.rows, m.columns));
  complex_numbers = is_complex (call->operands[0]);
  result = ghlo_ref_result_like (call, 0, call->operands[0], error);
  if (!check_result_type (call, result, FALSE, error))
    return FALSE;
  matrix = numbers_new (complex_numbers, n, error);
  factors = matrix != NULL ? numbers_new (complex_numbers, k, error) : NULL;
  q = factors != NULL ? numbers_new (complex_numbers, n, error) : NULL;
  if (q == NULL)
    return FALSE;

  for (gsize i = 0; i < m.batch; i++)
    {
      if (!ghlo_ref_continue (call, error))
        return FALSE;
      load_numbers (call->operands[0], i * n, n, matrix);
      load_numbers (taus, i * k, k, factors);
      if (complex_numbers)
        householder_complex (matrix, m.rows, m.columns, factors, k, q);
      else
        householder_real (matrix, m.rows, m.columns, factors, k, q);
      store_numbers (result, i * n, n, q);
    }
  return TRUE;
}

gboolean
ghlo_ref_custom_lu (GhloRefCall *call,
                    GError     **error)
{
  g_autofree gpointer matrix = NULL;
  g_autofree gint64 *pivots = NULL;
  g_autofree gint64 *permutation = NULL;
  GhloValue *lu, *exchanged, *permuted;
  gboolean complex_numbers;
  Matrices m;
  gsize k, n;

  if (!check_call (call, 1, 3, &m, error))
    return FALSE;
  k = MIN (m.rows, m.columns);
  n = m.rows * m.columns;
  complex_numbers = is_complex (call->operands[0]);
  lu = ghlo_ref_result_like (call, 0, call->operands[0], error);
  exchanged = lu != NULL ? batch_result (call, 1, (gint64[]) { (gint64) k }, 1, error) : NULL;
  permuted = exchanged != NULL ? batch_result (call, 2, (gint64[]) { (gint64) m.rows }, 1, error) : NULL;
  if (permuted == NULL || !check_result_type (call, lu, FALSE, error))
    return FALSE;
  if (!ghlo_element_type_is_integer (exchanged->type->element_type)
      || !ghlo_element_type_is_integer (permuted->type->element_type))
    return ghlo_ref_fail (call, error, "expected pivots and permutation of integers");
  matrix = numbers_new (complex_numbers, n, error);
  pivots = matrix != NULL ? ghlo_ref_scratch (k, sizeof (gint64), error) : NULL;
  permutation = pivots != NULL ? ghlo_ref_scratch (m.rows, sizeof (gint64), error) : NULL;
  if (permutation == NULL)
    return FALSE;

  for (gsize i = 0; i < m.batch; i++)
    {
      if (!ghlo_ref_continue (call, error))
        return FALSE;
      load_numbers (call->operands[0], i * n, n, matrix);
      if (complex_numbers)
        lu_complex (matrix, m.rows, m.columns, pivots, permutation);
      else
        lu_real (matrix, m.rows, m.columns, pivots, permutation);
      store_numbers (lu, i * n, n, matrix);
      for (gsize j = 0; j < k; j++)
        ghlo_ref_store (exchanged, i * k + j, (GhloScalar) { .i = pivots[j] });
      for (gsize j = 0; j < m.rows; j++)
        ghlo_ref_store (permuted, i * m.rows + j, (GhloScalar) { .i = permutation[j] });
    }
  return TRUE;
}

/* Makes the matrix Hermitian out of the triangle that is to be read. */
static void
mirror_triangle (gboolean complex_numbers,
                 gpointer matrix,
                 gsize    n,
                 gboolean lower)
{
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j <= i; j++)
      {
        gsize from = lower ? i * n + j : j * n + i;
        gsize to = lower ? j * n + i : i * n + j;

        if (!complex_numbers)
          ((Real *) matrix)[to] = ((Real *) matrix)[from];
        else if (i == j)
          ((Complex *) matrix)[to] = creall (((Complex *) matrix)[from]);
        else
          ((Complex *) matrix)[to] = conjl (((Complex *) matrix)[from]);
      }
}

/* Column numbers in ascending order of the diagonal; NaN last. */
static void
order_diagonal (gboolean      complex_numbers,
                gconstpointer matrix,
                gsize         n,
                Real         *values,
                gsize        *order)
{
  for (gsize i = 0; i < n; i++)
    {
      gsize to = i;

      values[i] = complex_numbers ? creall (((const Complex *) matrix)[i * n + i])
                                  : ((const Real *) matrix)[i * n + i];
      for (; to > 0 && (values[i] < values[order[to - 1]]
                        || (isnan (values[order[to - 1]]) && !isnan (values[i]))); to--)
        order[to] = order[to - 1];
      order[to] = i;
    }
}

static gboolean
run_eigh (GhloRefCall *call,
          gsize        n,
          gboolean     lower,
          GhloValue   *vectors,
          GhloValue   *values,
          GError     **error)
{
  gboolean complex_numbers = is_complex (call->operands[0]);
  g_autofree gpointer matrix = numbers_new (complex_numbers, n * n, error);
  g_autofree gpointer columns = matrix != NULL ? numbers_new (complex_numbers, n * n, error) : NULL;
  g_autofree Real *diagonal = columns != NULL ? ghlo_ref_scratch (n, sizeof (Real), error) : NULL;
  g_autofree gsize *order = diagonal != NULL ? ghlo_ref_scratch (n, sizeof (gsize), error) : NULL;
  gsize batch = n > 0 ? values->n_elements / n : 0;

  if (order == NULL)
    return FALSE;
  for (gsize b = 0; b < batch; b++)
    {
      load_numbers (call->operands[0], b * n * n, n * n, matrix);
      mirror_triangle (complex_numbers, matrix, n, lower);
      if (complex_numbers ? !eigh_complex (call, matrix, n, columns, error)
                          : !eigh_real (call, matrix, n, columns, error))
        return FALSE;
      order_diagonal (complex_numbers, matrix, n, diagonal, order);
      for (gsize j = 0; j < n; j++)
        {
          ghlo_ref_store (values, b * n + j, (GhloScalar) { .f = (double) diagonal[order[j]] });
          for (gsize i = 0; i < n; i++)
            store_numbers (vectors, b * n * n + i * n + j, 1,
                           complex_numbers ? (gconstpointer) ((Complex *) columns + i * n + order[j])
                                           : (gconstpointer) ((Real *) columns + i * n + order[j]));
        }
    }
  return TRUE;
}

gboolean
ghlo_ref_custom_eigh (GhloRefCall *call,
                      GError     **error)
{
  const GhloIrAttr *config = ghlo_ir_op_get (call->op, "backend_config");
  GhloValue *vectors, *values;
  gboolean lower = TRUE;
  guint first;
  Matrices m;

  if (!check_call (call, 1, 2, &m, error))
    return FALSE;
  if (m.rows != m.columns)
    return ghlo_ref_fail (call, error, "expected square matrices");
  if (config != NULL && config->kind == GHLO_IR_ATTR_STRING && config->text[0] == '0')
    lower = FALSE;
  /* Vectors stand first; a call that has them second is told by the rank. */
  first = call->op->results[0].type->rank == ghlo_ref_rank (call->operands[0]) ? 0 : 1;
  vectors = ghlo_ref_result_like (call, first, call->operands[0], error);
  values = vectors != NULL ? batch_result (call, 1 - first, (gint64[]) { (gint64) m.rows }, 1, error) : NULL;
  return check_result_type (call, vectors, FALSE, error)
         && check_result_type (call, values, TRUE, error)
         && run_eigh (call, m.rows, lower, vectors, values, error);
}
