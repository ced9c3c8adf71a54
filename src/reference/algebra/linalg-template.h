/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Substitution and Cholesky factorization of one matrix, written once and compiled
 * for real and for complex numbers in long doubles (number-real.h, number-complex.h).
 * Matrices are row-major and dense.
 */

/* Solves M x = b in place for a triangular matrix @m of order @n. x has stride @step. */
static void
NAME (substitute) (const NUMBER *m,
                   gsize         n,
                   gboolean      lower,
                   NUMBER       *x,
                   gsize         step)
{
  for (gsize k = 0; k < n; k++)
    {
      gsize i = lower ? k : n - 1 - k;
      const NUMBER *row = m + i * n;
      NUMBER sum = x[i * step];

      if (lower)
        for (gsize j = 0; j < i; j++)
          sum -= row[j] * x[j * step];
      else
        for (gsize j = i + 1; j < n; j++)
          sum -= row[j] * x[j * step];
      x[i * step] = sum / row[i];
    }
}

/* Replaces the Hermitian matrix whose lower triangle @a holds by its lower Cholesky factor, and clears the
 * upper triangle. Returns 0, or the 1-based number of the first row and column at which the matrix is not
 * positive definite. */
static gsize
NAME (cholesky) (NUMBER *a,
                 gsize   n)
{
  for (gsize j = 0; j < n; j++)
    {
      long double pivot = REAL (a[j * n + j]);

      for (gsize k = 0; k < j; k++)
        pivot -= SIZE2 (a[j * n + k]);
      if (!(pivot > 0) || isinf (pivot))
        return j + 1;
      pivot = sqrtl (pivot);
      a[j * n + j] = pivot;
      for (gsize i = j + 1; i < n; i++)
        {
          NUMBER sum = a[i * n + j];

          for (gsize k = 0; k < j; k++)
            sum -= a[i * n + k] * CONJ (a[j * n + k]);
          a[i * n + j] = sum / pivot;
          a[j * n + i] = 0;
        }
    }
  return 0;
}
