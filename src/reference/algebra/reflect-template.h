/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Householder reflections H = I - tau v vᴴ with v = (1, …), in LAPACK's convention, for the linear algebra
 * templates. The elements of v are contiguous here.
 */

/* Finds H with Hᴴ (alpha, x) = (beta, 0) and returns tau. beta replaces alpha, and the rest of v replaces the @n
 * numbers at @x, which are @step apart. */
static NUMBER
NAME (reflector) (NUMBER *alpha,
                  NUMBER *x,
                  gsize   n,
                  gsize   step)
{
  long double below = 0, beta;
  NUMBER tau, first = *alpha;

  for (gsize i = 0; i < n; i++)
    below += SIZE2 (x[i * step]);
  if (below == 0 && IMAG (first) == 0)
    return 0;
  beta = -copysignl (sqrtl (SIZE2 (first) + below), REAL (first));
  tau = (beta - first) / beta;
  for (gsize i = 0; i < n; i++)
    x[i * step] /= first - beta;
  *alpha = beta;

  return tau;
}

/* Copies v, whose last @n - 1 elements follow @from, @step apart. */
static void
NAME (take_vector) (const NUMBER *from,
                    gsize         n,
                    gsize         step,
                    NUMBER       *v)
{
  v[0] = 1;
  for (gsize i = 1; i < n; i++)
    v[i] = from[i * step];
}

/* C = H C. C has @n rows, which are @stride apart. */
static void
NAME (reflect_rows) (const NUMBER *v,
                     gsize         n,
                     NUMBER        tau,
                     NUMBER       *c,
                     gsize         stride,
                     gsize         columns)
{
  for (gsize j = 0; j < columns; j++)
    {
      NUMBER sum = 0;

      for (gsize i = 0; i < n; i++)
        sum += CONJ (v[i]) * c[i * stride + j];
      sum *= tau;
      for (gsize i = 0; i < n; i++)
        c[i * stride + j] -= v[i] * sum;
    }
}

/* C = C H. C has @n columns. */
static void
NAME (reflect_columns) (const NUMBER *v,
                        gsize         n,
                        NUMBER        tau,
                        NUMBER       *c,
                        gsize         stride,
                        gsize         rows)
{
  for (gsize i = 0; i < rows; i++)
    {
      NUMBER sum = 0;

      for (gsize j = 0; j < n; j++)
        sum += c[i * stride + j] * v[j];
      sum *= tau;
      for (gsize j = 0; j < n; j++)
        c[i * stride + j] -= sum * CONJ (v[j]);
    }
}
