/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops over numbers of f32 or f64, written once for both.
 */

#include "cpu/linalg/complete.h"

#include <math.h>
#include <string.h>

static const GhloCpuLapackArray *
find (const GhloIrLapackCall   *call,
      const GhloCpuLapackArray *arrays,
      const char               *name)
{
  const GhloIrLapackArgument *argument = ghlo_ir_lapack_argument (call, name);

  return argument != NULL ? &arrays[argument - call->arguments] : NULL;
}

/* The product of 0 and a number that is not finite is NaN, so a sum of such products needs no branches. */
#define DEFINE_FUNCTIONS(Number) \
  static gboolean \
  are_finite_##Number (const Number *numbers, \
                       gsize         n) \
  { \
    Number sum = 0; \
    \
    for (gsize i = 0; i < n; i++) \
      sum += numbers[i] * 0; \
    \
    return sum == 0; \
  } \
  \
  /* The index, from 1 on, of the first number of the diagonal that is not positive and finite; or 0. */ \
  static int \
  find_indefinite_##Number (const Number *matrix, \
                            gsize         n, \
                            gsize         parts) \
  { \
    for (gsize i = 0; i < n; i++) \
      { \
        Number number = matrix[i * (n + 1) * parts]; \
        \
        if (!(number > 0) || isinf (number)) \
          return (int) i + 1; \
      } \
    \
    return 0; \
  } \
  \
  /* Eigenvectors of real matrices: those of conjugate eigenvalues are conjugate too, and LAPACK stores the real and \
   * imaginary part of the first one in their two columns. */ \
  static void \
  combine_pairs_##Number (const Number *columns, \
                          const Number *imaginary, \
                          gsize         n, \
                          Number       *result) \
  { \
    for (gsize j = 0; j < n; j++) \
      { \
        gboolean is_pair = imaginary[j] != 0 && j + 1 < n; \
        \
        for (gsize i = 0; i < n; i++) \
          { \
            Number *to = result + 2 * (i * n + j), re = columns[j * n + i], im = 0; \
            \
            if (is_pair) \
              { \
                im = columns[(j + 1) * n + i]; \
                to[2] = re; \
                to[3] = -im; \
              } \
            to[0] = re; \
            to[1] = im; \
          } \
        j += is_pair; \
      } \
  }

DEFINE_FUNCTIONS (float)
DEFINE_FUNCTIONS (double)

static gboolean
are_finite (const GhloIrLapackCall *call,
            gconstpointer           data,
            gsize                   first,
            gsize                   n)
{
  gsize parts = call->is_complex ? 2 : 1;

  if (ghlo_cpu_lapack_is_single (call))
    return are_finite_float ((const float *) data + first * parts, n * parts);

  return are_finite_double ((const double *) data + first * parts, n * parts);
}

gboolean
ghlo_cpu_lapack_is_finite (const GhloIrLapackCall   *call,
                           const GhloCpuLapackArray *arrays)
{
  const GhloCpuLapackArray *a = find (call, arrays, "a");
  const GhloIrLapackParameter *uplo = ghlo_ir_lapack_parameter (call, "uplo");
  gsize n = (gsize) a->argument->extents[0];
  gboolean is_finite = TRUE;

  if (uplo == NULL)
    return are_finite (call, a->data, 0, a->count);
  for (gsize j = 0; j < n && is_finite; j++)
    is_finite = uplo->value == 'L' ? are_finite (call, a->data, j * n + j, n - j)
                                   : are_finite (call, a->data, j * n, j + 1);

  return is_finite;
}

static void
fill_nan (GhloElementType  type,
          guint8          *data,
          gsize            n)
{
  GhloScalar nan = ghlo_element_type_is_complex (type) ? (GhloScalar) { .c = { NAN, NAN } }
                                                       : (GhloScalar) { .f = NAN };
  gsize size = ghlo_element_info (type)->size;

  for (gsize i = 0; i < n; i++)
    ghlo_element_store (type, data + i * size, nan);
}

void
ghlo_cpu_lapack_fill_nan (const GhloIrLapackCall   *call,
                          const GhloCpuLapackArray *arrays)
{
  for (guint i = 0; i < call->n_arguments; i++)
    {
      const GhloIrLapackArgument *argument = arrays[i].argument;

      if (argument->result < 0 || !argument->is_computed)
        continue;
      if (argument->element == 'I')
        memset (arrays[i].result, 0, arrays[i].count * sizeof (int));
      /* Results that are in scratch are copied from there later. */
      else if (argument->type == call->type && arrays[i].data != NULL)
        fill_nan (argument->type, arrays[i].data, arrays[i].count);
      else
        fill_nan (argument->type, arrays[i].result, arrays[i].count);
    }
}

static void
complete_vectors (const GhloIrLapackCall   *call,
                  const GhloCpuLapackArray *arrays,
                  const char               *name)
{
  const GhloCpuLapackArray *vectors = find (call, arrays, name), *imaginary = find (call, arrays, "wi");
  gsize n = (gsize) vectors->argument->extents[0];

  if (imaginary == NULL || !vectors->argument->is_computed)
    return;
  if (ghlo_cpu_lapack_is_single (call))
    combine_pairs_float (vectors->data, imaginary->data, n, vectors->result);
  else
    combine_pairs_double (vectors->data, imaginary->data, n, vectors->result);
}

void
ghlo_cpu_lapack_permute (int   *pivots,
                         gsize  n_pivots,
                         int   *rows,
                         gsize  n_rows)
{
  for (gsize i = 0; i < n_rows; i++)
    rows[i] = (int) i;
  for (gsize i = 0; i < n_pivots; i++)
    {
      int other = --pivots[i], row = rows[i];

      if (other < 0 || (gsize) other >= n_rows)
        continue;
      rows[i] = rows[other];
      rows[other] = row;
    }
}

/* OpenBLAS does not stop at NaN, so the diagonal is searched. Beyond the row where OpenBLAS has stopped, the matrix
 * is undefined. */
static void
complete_factor (const GhloIrLapackCall   *call,
                 const GhloCpuLapackArray *arrays,
                 int                      *info)
{
  const GhloCpuLapackArray *a = find (call, arrays, "a");
  gsize n = (gsize) a->argument->extents[0], parts = call->is_complex ? 2 : 1;
  int first = ghlo_cpu_lapack_is_single (call) ? find_indefinite_float (a->data, n, parts)
                                               : find_indefinite_double (a->data, n, parts);

  if (first != 0 && (*info == 0 || first < *info))
    *info = first;
}

void
ghlo_cpu_lapack_complete (const GhloIrLapackCall   *call,
                          const GhloCpuLapackArray *arrays,
                          int                      *info)
{
  if (call->routine == GHLO_IR_LAPACK_POTRF)
    complete_factor (call, arrays, info);
  else if (call->routine == GHLO_IR_LAPACK_LU)
    {
      const GhloCpuLapackArray *pivots = find (call, arrays, "ipiv"), *rows = find (call, arrays, "perm");

      ghlo_cpu_lapack_permute (pivots->result, pivots->count, rows->result, rows->count);
    }
  else if (call->routine == GHLO_IR_LAPACK_GEEV)
    {
      complete_vectors (call, arrays, "vl");
      complete_vectors (call, arrays, "vr");
    }
}
