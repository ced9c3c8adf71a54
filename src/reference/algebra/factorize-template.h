/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The factorizations that end after a known number of steps, and solvers of linear systems, for factorize.c.
 * Results are laid out as LAPACK's documentation says.
 */

gboolean
NAME (ghlo_ref_lapack_potrf) (GhloRefLapack *self,
                              GError       **error)
{
  NUMBER *a = ghlo_ref_lapack_array (self, "a");
  gsize n = ghlo_ref_lapack_extent (self, 'n');
  gboolean lower = ghlo_ref_lapack_parameter (self, "uplo") == 'L';
  g_autofree NUMBER *factor = ghlo_ref_numbers_new (IS_COMPLEX, n * n, error);

  if (factor == NULL)
    return FALSE;
  ghlo_ref_take_triangle (IS_COMPLEX, a, factor, n, lower, !lower, !lower, FALSE);
  self->info = (gint64) NAME (cholesky) (factor, n);
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j <= i; j++)
      a[lower ? i * n + j : j * n + i] = lower ? factor[i * n + j] : CONJ (factor[i * n + j]);

  return TRUE;
}

static void
NAME (exchange_rows) (NUMBER *a,
                      gsize   columns,
                      gsize   i,
                      gsize   j)
{
  for (gsize k = 0; k < columns && i != j; k++)
    {
      NUMBER number = a[i * columns + k];

      a[i * columns + k] = a[j * columns + k];
      a[j * columns + k] = number;
    }
}

/* Stores L and U in one matrix, by partial pivoting. Pivot indices count from @base. */
static void
NAME (factorize) (GhloRefLapack *self,
                  gint64         base)
{
  NUMBER *a = ghlo_ref_lapack_array (self, "a");
  gint64 *pivots = ghlo_ref_lapack_array (self, "ipiv");
  gsize rows = ghlo_ref_lapack_extent (self, 'm'), columns = ghlo_ref_lapack_extent (self, 'n');

  for (gsize k = 0; k < MIN (rows, columns); k++)
    {
      gsize best = k;

      for (gsize i = k + 1; i < rows; i++)
        if (SIZE2 (a[i * columns + k]) > SIZE2 (a[best * columns + k]))
          best = i;
      pivots[k] = (gint64) best + base;
      NAME (exchange_rows) (a, columns, k, best);
      if (SIZE2 (a[k * columns + k]) == 0)
        {
          self->info = self->info != 0 ? self->info : (gint64) k + 1;
          continue;
        }
      for (gsize i = k + 1; i < rows; i++)
        {
          NUMBER factor = a[i * columns + k] / a[k * columns + k];

          a[i * columns + k] = factor;
          for (gsize j = k + 1; j < columns; j++)
            a[i * columns + j] -= factor * a[k * columns + j];
        }
    }
}

gboolean
NAME (ghlo_ref_lapack_getrf) (GhloRefLapack *self,
                              GError       **error)
{
  NAME (factorize) (self, 1);

  return TRUE;
}

gboolean
NAME (ghlo_ref_lapack_lu) (GhloRefLapack *self,
                           GError       **error)
{
  const gint64 *pivots = ghlo_ref_lapack_array (self, "ipiv");
  gint64 *permutation = ghlo_ref_lapack_array (self, "perm");

  NAME (factorize) (self, 0);
  for (gsize i = 0; i < ghlo_ref_lapack_extent (self, 'm'); i++)
    permutation[i] = (gint64) i;
  for (gsize i = 0; i < ghlo_ref_lapack_extent (self, 'k'); i++)
    {
      gint64 row = permutation[i];

      permutation[i] = permutation[pivots[i]];
      permutation[pivots[i]] = row;
    }

  return TRUE;
}

gboolean
NAME (ghlo_ref_lapack_geqrf) (GhloRefLapack *self,
                              GError       **error)
{
  NUMBER *a = ghlo_ref_lapack_array (self, "a"), *taus = ghlo_ref_lapack_array (self, "tau");
  gsize m = ghlo_ref_lapack_extent (self, 'm'), n = ghlo_ref_lapack_extent (self, 'n');
  g_autofree NUMBER *v = ghlo_ref_numbers_new (IS_COMPLEX, m, error);

  if (v == NULL)
    return FALSE;
  for (gsize k = 0; k < MIN (m, n); k++)
    {
      NUMBER *pivot = a + k * n + k;

      taus[k] = NAME (reflector) (pivot, pivot + n, m - k - 1, n);
      NAME (take_vector) (pivot, m - k, n, v);
      NAME (reflect_rows) (v, m - k, CONJ (taus[k]), pivot + 1, n, n - k - 1);
    }

  return TRUE;
}

/* The first columns of the product H(0) H(1) … */
gboolean
NAME (ghlo_ref_lapack_orgqr) (GhloRefLapack *self,
                              GError       **error)
{
  NUMBER *a = ghlo_ref_lapack_array (self, "a");
  const NUMBER *taus = ghlo_ref_lapack_array (self, "tau");
  gsize m = ghlo_ref_lapack_extent (self, 'm'), n = ghlo_ref_lapack_extent (self, 'n');
  g_autofree NUMBER *q = ghlo_ref_numbers_new (IS_COMPLEX, m * n, error);
  g_autofree NUMBER *v = q != NULL ? ghlo_ref_numbers_new (IS_COMPLEX, m, error) : NULL;

  if (v == NULL)
    return FALSE;
  for (gsize i = 0; i < m * n; i++)
    q[i] = i / n == i % n;
  for (gsize k = ghlo_ref_lapack_extent (self, 't'); k-- > 0;)
    {
      NAME (take_vector) (a + k * n + k, m - k, n, v);
      NAME (reflect_rows) (v, m - k, taus[k], q + k * n, n, n);
    }
  memcpy (a, q, m * n * sizeof (NUMBER));

  return TRUE;
}

gboolean
NAME (ghlo_ref_lapack_ormqr) (GhloRefLapack *self,
                              GError       **error)
{
  const NUMBER *a = ghlo_ref_lapack_array (self, "a"), *taus = ghlo_ref_lapack_array (self, "tau");
  NUMBER *c = ghlo_ref_lapack_array (self, "c");
  gsize m = ghlo_ref_lapack_extent (self, 'm'), n = ghlo_ref_lapack_extent (self, 'n');
  gsize order = ghlo_ref_lapack_extent (self, 'r'), stride = ghlo_ref_lapack_extent (self, 's');
  gsize count = ghlo_ref_lapack_extent (self, 't');
  gboolean left = ghlo_ref_lapack_parameter (self, "left") == 'L';
  gboolean transpose = ghlo_ref_lapack_parameter (self, "transpose") != 'N';
  g_autofree NUMBER *v = ghlo_ref_numbers_new (IS_COMPLEX, order, error);

  if (v == NULL)
    return FALSE;
  for (gsize i = 0; i < count; i++)
    {
      /* The reflection that stands next to c in the product is applied first. */
      gsize k = left == transpose ? i : count - 1 - i;
      NUMBER tau = transpose ? CONJ (taus[k]) : taus[k];

      NAME (take_vector) (a + k * stride + k, order - k, stride, v);
      if (left)
        NAME (reflect_rows) (v, order - k, tau, c + k * n, n, n);
      else
        NAME (reflect_columns) (v, order - k, tau, c + k, n, m);
    }

  return TRUE;
}

static void
NAME (exchange_columns) (NUMBER *a,
                         gsize   rows,
                         gsize   columns,
                         gsize   i,
                         gsize   j,
                         gint64 *numbers)
{
  gint64 number = numbers[i];

  for (gsize k = 0; k < rows; k++)
    {
      NUMBER x = a[k * columns + i];

      a[k * columns + i] = a[k * columns + j];
      a[k * columns + j] = x;
    }
  numbers[i] = numbers[j];
  numbers[j] = number;
}

/* Returns the column, from @k on, that is longest below row @k. */
static gsize
NAME (longest_column) (const NUMBER *a,
                       gsize         rows,
                       gsize         columns,
                       gsize         k)
{
  long double longest = -1;
  gsize best = k;

  for (gsize j = k; j < columns; j++)
    {
      long double length = 0;

      for (gsize i = k; i < rows; i++)
        length += SIZE2 (a[i * columns + j]);
      if (length > longest)
        {
          longest = length;
          best = j;
        }
    }

  return best;
}

/* Columns that jpvt marks are moved to the front in their order and are not exchanged again. */
gboolean
NAME (ghlo_ref_lapack_geqp3) (GhloRefLapack *self,
                              GError       **error)
{
  NUMBER *a = ghlo_ref_lapack_array (self, "a"), *taus = ghlo_ref_lapack_array (self, "tau");
  gint64 *numbers = ghlo_ref_lapack_array (self, "jpvt");
  gsize m = ghlo_ref_lapack_extent (self, 'm'), n = ghlo_ref_lapack_extent (self, 'n'), fixed = 0;
  g_autofree NUMBER *v = ghlo_ref_numbers_new (IS_COMPLEX, m, error);

  if (v == NULL)
    return FALSE;
  for (gsize j = 0; j < n; j++)
    {
      gboolean is_fixed = numbers[j] != 0;

      numbers[j] = (gint64) j + 1;
      if (is_fixed)
        NAME (exchange_columns) (a, m, n, j, fixed++, numbers);
    }
  for (gsize k = 0; k < MIN (m, n); k++)
    {
      NUMBER *pivot = a + k * n + k;

      if (!ghlo_ref_continue (self->call, error))
        return FALSE;
      if (k >= fixed)
        NAME (exchange_columns) (a, m, n, k, NAME (longest_column) (a, m, n, k), numbers);
      taus[k] = NAME (reflector) (pivot, pivot + n, m - k - 1, n);
      NAME (take_vector) (pivot, m - k, n, v);
      NAME (reflect_rows) (v, m - k, CONJ (taus[k]), pivot + 1, n, n - k - 1);
    }

  return TRUE;
}

gboolean
NAME (ghlo_ref_lapack_gehrd) (GhloRefLapack *self,
                              GError       **error)
{
  NUMBER *a = ghlo_ref_lapack_array (self, "a"), *taus = ghlo_ref_lapack_array (self, "tau");
  gsize n = ghlo_ref_lapack_extent (self, 'n');
  gsize low = (gsize) ghlo_ref_lapack_parameter (self, "low") - 1;
  gsize end = (gsize) ghlo_ref_lapack_parameter (self, "high");
  g_autofree NUMBER *v = ghlo_ref_numbers_new (IS_COMPLEX, n, error);

  if (v == NULL)
    return FALSE;
  for (gsize i = 0; i + 1 < n; i++)
    taus[i] = 0;
  for (gsize k = low; k + 1 < end; k++)
    {
      NUMBER *pivot = a + (k + 1) * n + k;
      gsize rows = end - k - 1;

      taus[k] = NAME (reflector) (pivot, pivot + n, rows - 1, n);
      NAME (take_vector) (pivot, rows, n, v);
      NAME (reflect_columns) (v, rows, taus[k], a + k + 1, n, end);
      NAME (reflect_rows) (v, rows, CONJ (taus[k]), pivot + 1, n, n - k - 1);
    }

  return TRUE;
}

/* Reflections are found from the first column on for the lower triangle, and from the last column for the upper one. */
gboolean
NAME (ghlo_ref_lapack_sytrd) (GhloRefLapack *self,
                              GError       **error)
{
  NUMBER *a = ghlo_ref_lapack_array (self, "a"), *taus = ghlo_ref_lapack_array (self, "tau");
  GhloRefReal *d = ghlo_ref_lapack_array (self, "d"), *e = ghlo_ref_lapack_array (self, "e");
  gsize n = ghlo_ref_lapack_extent (self, 'n');
  gboolean lower = ghlo_ref_lapack_parameter (self, "uplo") == 'L';
  g_autofree NUMBER *full = ghlo_ref_numbers_new (IS_COMPLEX, n * n, error);
  g_autofree NUMBER *v = full != NULL ? ghlo_ref_numbers_new (IS_COMPLEX, n, error) : NULL;

  if (v == NULL)
    return FALSE;
  NAME (mirror_triangle) (a, full, n, lower);
  for (gsize k = 0; k + 1 < n; k++)
    {
      gsize column = lower ? k : n - 1 - k, first = lower ? k + 1 : 0, count = n - 1 - k;
      gsize next = lower ? first : count - 1, at = MIN (column, next);
      NUMBER *pivot = full + next * n + column, *block = full + first * n + first;

      /* For the upper triangle, the vector's 1 is its last element. */
      taus[at] = lower ? NAME (reflector) (pivot, pivot + n, count - 1, n)
                       : NAME (reflector) (pivot, full + column, count - 1, n);
      e[at] = REAL (*pivot);
      for (gsize i = 0; i < count; i++)
        v[i] = first + i == next ? 1 : full[(first + i) * n + column];
      NAME (reflect_columns) (v, count, taus[at], block, n, count);
      NAME (reflect_rows) (v, count, CONJ (taus[at]), block, n, count);
    }
  for (gsize i = 0; i < n; i++)
    {
      d[i] = REAL (full[i * n + i]);
      for (gsize j = 0; j <= i; j++)
        a[lower ? i * n + j : j * n + i] = full[lower ? i * n + j : j * n + i];
      a[i * n + i] = d[i];
    }

  return TRUE;
}

/* x op (a) = b is solved as op (a)ᵀ xᵀ = bᵀ. */
gboolean
NAME (ghlo_ref_lapack_trsm) (GhloRefLapack *self,
                             GError       **error)
{
  NUMBER *b = ghlo_ref_lapack_array (self, "b");
  gsize m = ghlo_ref_lapack_extent (self, 'm'), n = ghlo_ref_lapack_extent (self, 'n');
  gsize order = ghlo_ref_lapack_extent (self, 'r');
  gboolean left = ghlo_ref_lapack_parameter (self, "side") == 'L';
  gboolean lower = ghlo_ref_lapack_parameter (self, "uplo") == 'L';
  gint64 transpose = ghlo_ref_lapack_parameter (self, "trans_x");
  gboolean transposed = (transpose != 'N') != !left;
  g_autofree NUMBER *triangle = ghlo_ref_numbers_new (IS_COMPLEX, order * order, error);

  if (triangle == NULL)
    return FALSE;
  ghlo_ref_take_triangle (IS_COMPLEX, ghlo_ref_lapack_array (self, "a"), triangle, order, lower, transposed,
                          transpose == 'C', ghlo_ref_lapack_parameter (self, "diag") == 'U');
  for (gsize i = 0; i < (left ? n : m); i++)
    {
      if (!ghlo_ref_continue (self->call, error))
        return FALSE;
      NAME (substitute) (triangle, order, lower != transposed, b + (left ? i : i * n), left ? n : 1);
    }

  return TRUE;
}
