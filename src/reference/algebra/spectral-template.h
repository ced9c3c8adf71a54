/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Eigenvalues of Hermitian matrices and singular values by Jacobi rotations, and reduction to Hessenberg form, for
 * spectral.c.
 */

/* Rotates rows and columns p and q so that a[p][q] becomes zero. With a[p][q] = r e, |e| = 1, the columns become
 * c p - s conj(e) q … */
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

/* Leaves the eigenvalues on the diagonal of the Hermitian matrix @a and the eigenvectors as columns of
 * @vectors, by cyclic Jacobi rotations. FALSE with @error set when the call is to stop. */
static gboolean
NAME (diagonalize) (GhloRefLapack *self,
                    NUMBER        *a,
                    gsize          n,
                    NUMBER        *vectors,
                    GError       **error)
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
          if (!ghlo_ref_continue (self->call, error))
            return FALSE;
          for (gsize q = p + 1; q < n; q++)
            {
              long double off = SIZE2 (a[p * n + q]);

              if (off <= total * JACOBI_TOLERANCE)
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

/* Sorts the eigenvalues into @values in ascending order. @order receives the columns of @vectors that belong
 * to them. */
static void
NAME (order_diagonal) (const NUMBER *a,
                       gsize         n,
                       GhloRefReal  *values,
                       gsize        *order)
{
  for (gsize i = 0; i < n; i++)
    {
      GhloRefReal value = REAL (a[i * n + i]);
      gsize to = i;

      for (; to > 0 && value < values[to - 1]; to--)
        {
          order[to] = order[to - 1];
          values[to] = values[to - 1];
        }
      order[to] = i;
      values[to] = value;
    }
}

gboolean
NAME (ghlo_ref_lapack_syevd) (GhloRefLapack *self,
                              GError       **error)
{
  NUMBER *a = ghlo_ref_lapack_array (self, "a");
  gsize n = ghlo_ref_lapack_extent (self, 'n');
  g_autofree NUMBER *full = ghlo_ref_numbers_new (IS_COMPLEX, n * n, error);
  g_autofree NUMBER *vectors = full != NULL ? ghlo_ref_numbers_new (IS_COMPLEX, n * n, error) : NULL;
  g_autofree gsize *order = vectors != NULL ? ghlo_ref_scratch (n, sizeof (gsize), error) : NULL;

  if (order == NULL)
    return FALSE;
  NAME (mirror_triangle) (a, full, n, ghlo_ref_lapack_parameter (self, "uplo") == 'L');
  if (!NAME (diagonalize) (self, full, n, vectors, error))
    return FALSE;
  NAME (order_diagonal) (full, n, ghlo_ref_lapack_array (self, "w"), order);
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < n; j++)
      a[i * n + j] = vectors[i * n + order[j]];

  return TRUE;
}

/* Makes columns p and q of @b, which has @rows rows, orthogonal, and applies the same rotation to @v. FALSE
 * where they are orthogonal already. */
static gboolean
NAME (orthogonalize) (NUMBER *b,
                      gsize   rows,
                      NUMBER *v,
                      gsize   columns,
                      gsize   p,
                      gsize   q)
{
  long double alpha = 0, beta = 0, size, zeta, t, c, s;
  NUMBER gamma = 0, phase;

  for (gsize i = 0; i < rows; i++)
    {
      alpha += SIZE2 (b[i * columns + p]);
      beta += SIZE2 (b[i * columns + q]);
      gamma += CONJ (b[i * columns + p]) * b[i * columns + q];
    }
  size = sqrtl (SIZE2 (gamma));
  if (size <= LDBL_EPSILON * sqrtl (alpha * beta) || size == 0)
    return FALSE;
  phase = gamma / size;
  zeta = (beta - alpha) / (2 * size);
  t = copysignl (1, zeta) / (fabsl (zeta) + hypotl (zeta, 1));
  c = 1 / hypotl (t, 1);
  s = t * c;
  for (gsize i = 0; i < rows + columns; i++)
    {
      NUMBER *row = i < rows ? b + i * columns : v + (i - rows) * columns;
      NUMBER x = row[p], y = row[q] * CONJ (phase);

      row[p] = c * x - s * y;
      row[q] = s * x + c * y;
    }

  return TRUE;
}

/* Appends a column orthogonal to the first @n columns of @u: the unit vector that is farthest from their
 * span, less its projection onto it, normalized. */
static void
NAME (add_column) (NUMBER *u,
                   gsize   rows,
                   gsize   stride,
                   gsize   n)
{
  long double farthest = -1, length = 0;
  gsize best = 0;

  for (gsize i = 0; i < rows; i++)
    {
      long double rest = 1;

      for (gsize j = 0; j < n; j++)
        rest -= SIZE2 (u[i * stride + j]);
      if (rest > farthest)
        {
          farthest = rest;
          best = i;
        }
    }
  for (gsize i = 0; i < rows; i++)
    u[i * stride + n] = i == best;
  for (gsize j = 0; j < 2 * n; j++)
    {
      NUMBER sum = 0;

      for (gsize i = 0; i < rows; i++)
        sum += CONJ (u[i * stride + j % n]) * u[i * stride + n];
      for (gsize i = 0; i < rows; i++)
        u[i * stride + n] -= sum * u[i * stride + j % n];
    }
  for (gsize i = 0; i < rows; i++)
    length += SIZE2 (u[i * stride + n]);
  length = sqrtl (length);
  for (gsize i = 0; i < rows; i++)
    u[i * stride + n] /= length;
}

/* Sorts the singular values into @values in descending order. @order receives the columns of @b whose
 * lengths they are. */
static void
NAME (order_columns) (const NUMBER *b,
                      gsize         rows,
                      gsize         columns,
                      GhloRefReal  *values,
                      gsize        *order)
{
  for (gsize j = 0; j < columns; j++)
    {
      GhloRefReal value = 0;
      gsize to = j;

      for (gsize i = 0; i < rows; i++)
        value += SIZE2 (b[i * columns + j]);
      value = sqrtl (value);
      for (; to > 0 && value > values[to - 1]; to--)
        {
          order[to] = order[to - 1];
          values[to] = values[to - 1];
        }
      order[to] = j;
      values[to] = value;
    }
}

/* The left and right singular vectors of the tall matrix as columns of @u and @w, in the order of the
 * singular values. They come from the orthogonalized columns @b and from the accumulated rotations @v. */
static void
NAME (order_vectors) (const NUMBER      *b,
                      const NUMBER      *v,
                      gsize              rows,
                      gsize              columns,
                      const GhloRefReal *values,
                      const gsize       *order,
                      NUMBER            *u,
                      gsize              n_left,
                      NUMBER            *w)
{
  for (gsize j = 0; j < n_left; j++)
    if (j < columns && values[j] > values[0] * LDBL_EPSILON)
      for (gsize i = 0; i < rows; i++)
        u[i * n_left + j] = b[i * columns + order[j]] / values[j];
    else
      NAME (add_column) (u, rows, n_left, j);
  for (gsize i = 0; i < columns; i++)
    for (gsize j = 0; j < columns; j++)
      w[i * columns + j] = v[i * columns + order[j]];
}

/* Copies @from, or its conjugate transpose, to @to, which has @rows rows. */
static void
NAME (copy_matrix) (const NUMBER *from,
                    NUMBER       *to,
                    gsize         rows,
                    gsize         columns,
                    gboolean      transpose)
{
  for (gsize i = 0; i < rows; i++)
    for (gsize j = 0; j < columns; j++)
      to[i * columns + j] = transpose ? CONJ (from[j * rows + i]) : from[i * columns + j];
}

static gboolean
NAME (orthogonalize_all) (GhloRefLapack *self,
                          NUMBER        *b,
                          gsize          rows,
                          NUMBER        *v,
                          gsize          columns,
                          GError       **error)
{
  gboolean changed = TRUE;

  for (gsize i = 0; i < columns * columns; i++)
    v[i] = i / columns == i % columns;
  for (guint sweep = 0; sweep < MAX_SWEEPS && changed; sweep++)
    {
      changed = FALSE;
      for (gsize p = 0; p < columns; p++)
        {
          if (!ghlo_ref_continue (self->call, error))
            return FALSE;
          for (gsize q = p + 1; q < columns; q++)
            changed |= NAME (orthogonalize) (b, rows, v, columns, p, q);
        }
    }

  return TRUE;
}

/* By one-sided Jacobi rotations of the columns of a, or of its conjugate transpose where a is wider than tall. */
gboolean
NAME (ghlo_ref_lapack_gesdd) (GhloRefLapack *self,
                              GError       **error)
{
  gsize m = ghlo_ref_lapack_extent (self, 'm'), n = ghlo_ref_lapack_extent (self, 'n');
  gsize rows = MAX (m, n), columns = MIN (m, n);
  gboolean wide = m < n;
  gsize n_left = ghlo_ref_lapack_extent (self, wide ? 'q' : 'p');
  GhloRefReal *values = ghlo_ref_lapack_array (self, "s");
  g_autofree NUMBER *b = ghlo_ref_numbers_new (IS_COMPLEX, rows * columns, error);
  g_autofree NUMBER *v = b != NULL ? ghlo_ref_numbers_new (IS_COMPLEX, columns * columns, error) : NULL;
  g_autofree NUMBER *u = v != NULL ? ghlo_ref_numbers_new (IS_COMPLEX, rows * n_left, error) : NULL;
  g_autofree NUMBER *w = u != NULL ? ghlo_ref_numbers_new (IS_COMPLEX, columns * columns, error) : NULL;
  g_autofree gsize *order = w != NULL ? ghlo_ref_scratch (columns, sizeof (gsize), error) : NULL;

  if (order == NULL)
    return FALSE;
  NAME (copy_matrix) (ghlo_ref_lapack_array (self, "a"), b, rows, columns, wide);
  if (!NAME (orthogonalize_all) (self, b, rows, v, columns, error))
    return FALSE;
  NAME (order_columns) (b, rows, columns, values, order);
  if (!ghlo_ref_lapack_is_computed (self, "u"))
    return TRUE;
  NAME (order_vectors) (b, v, rows, columns, values, order, u, n_left, w);
  /* For a wide matrix aᴴ = u s wᴴ was computed, so a = w s uᴴ. */
  NAME (copy_matrix) (wide ? w : u, ghlo_ref_lapack_array (self, "u"), m, wide ? columns : n_left, FALSE);
  NAME (copy_matrix) (wide ? u : w, ghlo_ref_lapack_array (self, "vt"), wide ? n_left : columns, n, TRUE);

  return TRUE;
}

/* The Hessenberg form of @a in @h, with zeros below, and the unitary factor in @z: a = z h zᴴ. */
static gboolean
NAME (reduce) (const NUMBER *a,
               NUMBER       *h,
               NUMBER       *z,
               gsize         n,
               GError      **error)
{
  g_autofree NUMBER *v = ghlo_ref_numbers_new (IS_COMPLEX, n, error);

  if (v == NULL)
    return FALSE;
  memcpy (h, a, n * n * sizeof (NUMBER));
  for (gsize i = 0; i < n * n; i++)
    z[i] = i / n == i % n;
  for (gsize k = 0; k + 2 < n; k++)
    {
      NUMBER *pivot = h + (k + 1) * n + k;
      gsize rows = n - k - 1;
      NUMBER tau = NAME (reflector) (pivot, pivot + n, rows - 1, n);

      NAME (take_vector) (pivot, rows, n, v);
      NAME (reflect_columns) (v, rows, tau, h + k + 1, n, n);
      NAME (reflect_rows) (v, rows, CONJ (tau), pivot + 1, n, n - k - 1);
      NAME (reflect_columns) (v, rows, tau, z + k + 1, n, n);
      for (gsize i = 1; i < rows; i++)
        pivot[i * n] = 0;
    }

  return TRUE;
}

/* Returns the first row of the unreduced block that ends with row @end. The negligible subdiagonal element above
 * the block is set to zero. */
static gsize
NAME (find_block) (NUMBER *h,
                   gsize   n,
                   gsize   end)
{
  gsize k = end;

  for (; k > 0; k--)
    {
      long double beside = sqrtl (SIZE2 (h[k * n + k])) + sqrtl (SIZE2 (h[(k - 1) * n + k - 1]));

      if (sqrtl (SIZE2 (h[k * n + k - 1])) > LDBL_EPSILON * beside)
        continue;
      h[k * n + k - 1] = 0;
      break;
    }

  return k;
}
