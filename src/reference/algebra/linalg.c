/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * triangular_solve and cholesky, on each matrix of a batch, in long doubles.
 */

#include "reference/algebra/matrix.h"

#include "base/sizes.h"
#include "reference/kernels.h"
#include "reference/scalar/numbers.h"

#include "reference/scalar/complex-math.h"
#include <math.h>
#include <string.h>

#define IS_COMPLEX FALSE
#include "reference/algebra/number-real.h"
#include "reference/algebra/linalg-template.h"
#include "reference/algebra/number-none.h"

#define IS_COMPLEX TRUE
#include "reference/algebra/number-complex.h"
#include "reference/algebra/linalg-template.h"
#include "reference/algebra/number-none.h"

/* The matrices of a tensor: its last two dimensions, with batch dimensions before them. */
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
  /* Only batches of empty matrices can have a count that overflows; there is nothing to compute for them. */
  if (!ghlo_shape_count (ghlo_ref_dims (value), rank - 2, &self->batch))
    self->batch = 0;

  return TRUE;
}

static gboolean
is_complex (const GhloValue *value)
{
  return ghlo_element_type_is_complex (value->type->element_type);
}

typedef struct
{
  gboolean left, lower, unit, transpose, conjugate;
} Solve;

/* Solves for the columns of @b, or for its rows when the matrix is on the right: x op(a) = b is op(a)ᵀ xᵀ = bᵀ. */
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
        substitute_complex (triangle, n, lower, (GhloRefComplex *) numbers + i * next, step);
      else
        substitute_real (triangle, n, lower, (GhloRefReal *) numbers + i * next, step);
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

  matrix = ghlo_ref_numbers_new (complex_numbers, ma.rows * ma.rows, error);
  triangle = matrix != NULL ? ghlo_ref_numbers_new (complex_numbers, ma.rows * ma.rows, error) : NULL;
  numbers = triangle != NULL ? ghlo_ref_numbers_new (complex_numbers, mb.rows * mb.columns, error) : NULL;
  if (numbers == NULL)
    return FALSE;
  for (gsize i = 0; i < ma.batch; i++)
    {
      ghlo_ref_numbers_load (a, i * ma.rows * ma.rows, ma.rows * ma.rows, matrix);
      ghlo_ref_numbers_load (b, i * mb.rows * mb.columns, mb.rows * mb.columns, numbers);
      ghlo_ref_take_triangle (complex_numbers, matrix, triangle, ma.rows, solve.lower,
                     solve.transpose != !solve.left, solve.conjugate, solve.unit);
      if (!solve_one (call, &solve, complex_numbers, triangle, ma.rows, &mb, numbers, error))
        return FALSE;
      ghlo_ref_numbers_store (result, i * mb.rows * mb.columns, mb.rows * mb.columns, numbers);
    }
  return TRUE;
}

/* The result's other triangle is zero. A matrix that is not positive definite gives NaN. */
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
  matrix = ghlo_ref_numbers_new (complex_numbers, n * n, error);
  factor = matrix != NULL ? ghlo_ref_numbers_new (complex_numbers, n * n, error) : NULL;
  if (factor == NULL)
    return FALSE;
  for (gsize i = 0; i < m.batch; i++)
    {
      gboolean ok;

      if (!ghlo_ref_continue (call, error))
        return FALSE;
      ghlo_ref_numbers_load (a, i * n * n, n * n, matrix);
      ghlo_ref_take_triangle (complex_numbers, matrix, factor, n, lower, !lower, !lower, FALSE);
      ok = (complex_numbers ? cholesky_complex (factor, n) : cholesky_real (factor, n)) == 0;
      for (gsize k = 0; k < n * n && !ok; k++)
        if (complex_numbers)
          ((GhloRefComplex *) factor)[k] = CMPLXL (NAN, NAN);
        else
          ((GhloRefReal *) factor)[k] = NAN;
      ghlo_ref_take_triangle (complex_numbers, factor, matrix, n, TRUE, !lower, !lower, FALSE);
      ghlo_ref_numbers_store (result, i * n * n, n * n, matrix);
    }
  return TRUE;
}
