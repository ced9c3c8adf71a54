/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear algebra on one matrix, written once for real and once for complex
 * numbers in long doubles: linalg.c includes it with NUMBER, NAME, CONJ, REAL,
 * IMAG and SIZE2 (the squared absolute value) defined. Matrices are row-major
 * and dense.
 */

/* Solves M x = b in place for a triangular @m of order @n; x has stride @step. */
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

/* The lower factor of the Hermitian matrix whose lower triangle @a holds, in
 * place, the upper triangle cleared; FALSE when it is not positive definite. */
static gboolean
NAME (cholesky) (NUMBER *a,
                 gsize   n)
{
  for (gsize j = 0; j < n; j++)
    {
      long double pivot = REAL (a[j * n + j]);

      for (gsize k = 0; k < j; k++)
        pivot -= SIZE2 (a[j * n + k]);
      if (!(pivot > 0) || isinf (pivot))
        return FALSE;
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
  return TRUE;
}

/* Applies I - tau v vᴴ (v = (1, column @k of @a below the diagonal)) to the
 * columns of @c from @first on; both have @rows rows. */
static void
NAME (reflect) (const NUMBER *a,
                gsize         a_columns,
                gsize         rows,
                gsize         k,
                NUMBER        tau,
                NUMBER       *c,
                gsize         c_columns,
                gsize         first)
{
  for (gsize j = first; j < c_columns; j++)
    {
      NUMBER sum = c[k * c_columns + j];

      for (gsize i = k + 1; i < rows; i++)
        sum += CONJ (a[i * a_columns + k]) * c[i * c_columns + j];
      sum *= tau;
      c[k * c_columns + j] -= sum;
      for (gsize i = k + 1; i < rows; i++)
        c[i * c_columns + j] -= a[i * a_columns + k] * sum;
    }
}

/* Householder QR as LAPACK's geqrf has it: R in the upper triangle, the
 * reflectors H = I - tau v vᴴ below it, Q = H(0) H(1) … */
static void
NAME (qr) (NUMBER *a,
           gsize   rows,
           gsize   columns,
           NUMBER *taus)
{
  for (gsize k = 0; k < MIN (rows, columns); k++)
    {
      NUMBER alpha = a[k * columns + k];
      long double below = 0, beta;

      for (gsize i = k + 1; i < rows; i++)
        below += SIZE2 (a[i * columns + k]);
      if (below == 0 && IMAG (alpha) == 0)
        {
          taus[k] = 0;
          continue;
        }
      beta = -copysignl (sqrtl (SIZE2 (alpha) + below), REAL (alpha));
      taus[k] = (beta - alpha) / beta;
      for (gsize i = k + 1; i < rows; i++)
        a[i * columns + k] /= alpha - beta;
      a[k * columns + k] = beta;
      NAME (reflect) (a, columns, rows, k, CONJ (taus[k]), a, columns, k + 1);
    }
}

/* The first @columns columns of H(0) H(1) … as qr() leaves them in @a, into @q. */
static void
NAME (householder) (const NUMBER *a,
                    gsize         rows,
                    gsize         columns,
                    const NUMBER *taus,
                    gsize         n_taus,
                    NUMBER       *q)
{
  for (gsize i = 0; i < rows * columns; i++)
    q[i] = i / columns == i % columns;
  for (gsize k = n_taus; k-- > 0;)
    NAME (reflect) (a, columns, rows, k, taus[k], q, columns, 0);
}

/* LU with partial pivoting, in place; @pivots has the row exchanged with row
 * k, @permutation which row of the input each row is. */
static void
NAME (lu) (NUMBER *a,
           gsize   rows,
           gsize   columns,
           gint64 *pivots,
           gint64 *permutation)
{
  for (gsize i = 0; i < rows; i++)
    permutation[i] = (gint64) i;
  for (gsize k = 0; k < MIN (rows, columns); k++)
    {
      gsize best = k;

      for (gsize i = k + 1; i < rows; i++)
        if (SIZE2 (a[i * columns + k]) > SIZE2 (a[best * columns + k]))
          best = i;
      pivots[k] = (gint64) best;
      if (best != k)
        {
          gint64 row = permutation[k];

          permutation[k] = permutation[best];
          permutation[best] = row;
          for (gsize j = 0; j < columns; j++)
            {
              NUMBER number = a[k * columns + j];

              a[k * columns + j] = a[best * columns + j];
              a[best * columns + j] = number;
            }
        }
      if (SIZE2 (a[k * columns + k]) == 0)
        continue;
      for (gsize i = k + 1; i < rows; i++)
        {
          NUMBER factor = a[i * columns + k] / a[k * columns + k];

          a[i * columns + k] = factor;
          for (gsize j = k + 1; j < columns; j++)
            a[i * columns + j] -= factor * a[k * columns + j];
        }
    }
}

/* One Jacobi rotation of rows and columns p and q, which makes a[p][q] zero:
 * with a[p][q] = r e, |e| = 1, the columns become c p - s conj(e) q … */
static void
NAME (rotate) (NUMBER *a,
               NUMBER *vectors,
               gsize   n,
               gsize   p,
               gsize   q)
{
  NUMBER off = a[p * n + q];
  long double size = sqrtl (SIZE2 (off));
  long double theta = (REAL (a[q * n + q]) - REAL (a[p * n + p])) / (2 * size);
  long double t = copysignl (1, theta) / (fabsl (theta) + hypotl (theta, 1));
  long double c = 1 / hypotl (t, 1), s = t * c;
  NUMBER phase = off / size;

  for (gsize i = 0; i < n; i++)
    {
      NUMBER x = a[i * n + p], y = a[i * n + q] * CONJ (phase);

      a[i * n + p] = c * x - s * y;
      a[i * n + q] = s * x + c * y;
      x = vectors[i * n + p];
      y = vectors[i * n + q] * CONJ (phase);
      vectors[i * n + p] = c * x - s * y;
      vectors[i * n + q] = s * x + c * y;
    }
  for (gsize j = 0; j < n; j++)
    {
      NUMBER x = a[p * n + j], y = a[q * n + j] * phase;

      a[p * n + j] = c * x - s * y;
      a[q * n + j] = s * x + c * y;
    }
  a[p * n + q] = a[q * n + p] = 0;
}

/* Eigenvalues on the diagonal of the Hermitian @a and eigenvectors as columns
 * of @vectors, by cyclic Jacobi; FALSE with @error set when it is to stop. */
static gboolean
NAME (eigh) (GhloRefCall *call,
             NUMBER      *a,
             gsize        n,
             NUMBER      *vectors,
             GError     **error)
{
  long double total = 0;

  for (gsize i = 0; i < n * n; i++)
    {
      vectors[i] = i / n == i % n;
      total += SIZE2 (a[i]);
    }
  for (guint sweep = 0; sweep < MAX_SWEEPS; sweep++)
    {
      gboolean rotated = FALSE;

      for (gsize p = 0; p < n; p++)
        {
          if (!ghlo_ref_continue (call, error))
            return FALSE;
          for (gsize q = p + 1; q < n; q++)
            {
              long double off = SIZE2 (a[p * n + q]);

              if (off <= total * JACOBI_TOLERANCE || !isfinite (off))
                continue;
              NAME (rotate) (a, vectors, n, p, q);
              rotated = TRUE;
            }
        }
      if (!rotated)
        return TRUE;
    }
  return TRUE;
}
