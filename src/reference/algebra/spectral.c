/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Eigenvalues, singular values and Schur forms, by iteration. The Schur form of a complex matrix is found by
 * single-shift QR steps (Golub and Van Loan, Matrix Computations, 7.3), that of a real matrix by Francis'
 * double-shift steps (7.5). Eigenvectors come from the triangular Schur form; a real one is made triangular in
 * complex numbers first.
 */

#include "reference/algebra/lapack.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "reference/scalar/numbers.h"

/* Iteration limits (Jacobi sweeps; QR steps for one eigenvalue), and the number of steps after which an
 * exceptional shift is tried. */
enum { MAX_SWEEPS = 60, MAX_STEPS = 300, OTHER_SHIFT = 10 };

/* Bound on the elements of an eigenvector that is not normalized yet. */
#define LARGEST sqrtl (sqrtl (LDBL_MAX))

#define JACOBI_TOLERANCE 1e-38L       /* for squared elements relative to the squared norm of the matrix: the last
                                       * bit of a long double */

typedef GhloRefReal    Real;
typedef GhloRefComplex Complex;

#define IS_COMPLEX FALSE
#include "reference/algebra/number-real.h"
#include "reference/algebra/reflect-template.h"
#include "reference/algebra/hermitian-template.h"
#include "reference/algebra/spectral-template.h"
#include "reference/algebra/number-none.h"

#define IS_COMPLEX TRUE
#include "reference/algebra/number-complex.h"
#include "reference/algebra/reflect-template.h"
#include "reference/algebra/hermitian-template.h"
#include "reference/algebra/spectral-template.h"
#include "reference/algebra/number-none.h"

/* Rows @k and @k + 1 become c x + s y and -conj (s) x + c y, from column @first on. */
static void
rotate_rows (Complex *h,
             gsize    n,
             gsize    k,
             gsize    first,
             Real     c,
             Complex  s)
{
  for (gsize j = first; j < n; j++)
    {
      Complex x = h[k * n + j], y = h[(k + 1) * n + j];

      h[k * n + j] = c * x + s * y;
      h[(k + 1) * n + j] = c * y - conjl (s) * x;
    }
}

/* Applies the conjugate transpose of the rotation from the right, to the first @rows rows. */
static void
rotate_columns (Complex *h,
                gsize    n,
                gsize    k,
                gsize    rows,
                Real     c,
                Complex  s)
{
  for (gsize i = 0; i < rows; i++)
    {
      Complex x = h[i * n + k], y = h[i * n + k + 1];

      h[i * n + k] = c * x + conjl (s) * y;
      h[i * n + k + 1] = c * y - s * x;
    }
}

/* Finds the rotation that maps (x, y) to (r, 0), with real c. */
static void
find_rotation (Complex  x,
               Complex  y,
               Real    *c,
               Complex *s)
{
  Real size = sqrtl (ghlo_ref_squared_size (x)), r = hypotl (size, sqrtl (ghlo_ref_squared_size (y)));

  *c = r > 0 ? size / r : 1;
  *s = r == 0 ? 0 : size > 0 ? x / size * conjl (y) / r : 1;
}

/* Wilkinson's shift: of the two eigenvalues of the last 2x2 block, the one nearer to the last diagonal element. */
static Complex
find_shift (const Complex *h,
            gsize          n,
            gsize          end,
            guint          step)
{
  Complex a = h[(end - 1) * n + end - 1], b = h[(end - 1) * n + end], c = h[end * n + end - 1], d = h[end * n + end];
  Complex half = (a - d) / 2, root = csqrtl (half * half + b * c);

  if (step % OTHER_SHIFT == 0)
    return d + sqrtl (ghlo_ref_squared_size (c));
  if (creall (half) * creall (root) + cimagl (half) * cimagl (root) > 0)
    root = -root;

  return d + half + root;
}

static gboolean
fill_rotations (gsize     n,
                Real    **c,
                Complex **s,
                GError  **error)
{
  *c = ghlo_ref_numbers_new (FALSE, n, error);
  *s = *c != NULL ? ghlo_ref_numbers_new (TRUE, n, error) : NULL;

  return *s != NULL;
}

/* Reduces the Hessenberg form to a triangle, accumulating the rotations in @z. */
static gboolean
triangulate_complex (GhloRefLapack *self,
                     Complex       *h,
                     Complex       *z,
                     gsize          n,
                     GError       **error)
{
  g_autofree Real *c = NULL;
  g_autofree Complex *s = NULL;
  guint step = 0;

  if (!fill_rotations (n, &c, &s, error))
    return FALSE;
  for (gsize end = n > 0 ? n - 1 : 0; end > 0;)
    {
      gsize begin = find_block_complex (h, n, end);
      Complex shift;

      if (!ghlo_ref_continue (self->call, error))
        return FALSE;
      if (begin == end || step > MAX_STEPS)
        {
          self->info = begin < end ? (gint64) end + 1 : self->info;
          end--, step = 0;
          continue;
        }
      shift = find_shift (h, n, end, ++step);
      for (gsize i = begin; i <= end; i++)
        h[i * n + i] -= shift;
      for (gsize k = begin; k < end; k++)
        {
          find_rotation (h[k * n + k], h[(k + 1) * n + k], &c[k], &s[k]);
          rotate_rows (h, n, k, k, c[k], s[k]);
          h[(k + 1) * n + k] = 0;
        }
      for (gsize k = begin; k < end; k++)
        {
          rotate_columns (h, n, k, k + 2, c[k], s[k]);
          rotate_columns (z, n, k, n, c[k], s[k]);
        }
      for (gsize i = begin; i <= end; i++)
        h[i * n + i] += shift;
    }

  return TRUE;
}

/* Rotates rows and columns @k and @k + 1, and the columns of @z. */
static void
turn (Real *h,
      Real *z,
      gsize n,
      gsize k,
      Real  c,
      Real  s)
{
  for (gsize j = 0; j < n; j++)
    {
      Real x = h[k * n + j], y = h[(k + 1) * n + j];

      h[k * n + j] = c * x + s * y;
      h[(k + 1) * n + j] = c * y - s * x;
    }
  for (gsize i = 0; i < 2 * n; i++)
    {
      Real *row = i < n ? h + i * n : z + (i - n) * n, x = row[k], y = row[k + 1];

      row[k] = c * x + s * y;
      row[k + 1] = c * y - s * x;
    }
}

/* Standardizes a 2x2 block: it becomes triangular where its eigenvalues are real; otherwise its diagonal
 * elements become equal. */
static void
finish_block (Real *h,
              Real *z,
              gsize n,
              gsize k)
{
  Real *first = h + k * n + k, *second = first + n;
  Real half = (first[0] - second[1]) / 2, discriminant = half * half + first[1] * second[0];

  if (second[0] == 0)
    return;
  if (discriminant >= 0)
    {
      Real x = half + copysignl (sqrtl (discriminant), half), r = hypotl (x, second[0]);

      turn (h, z, n, k, x / r, second[0] / r);
      second[0] = 0;
    }
  else
    {
      Real angle = atan2l (-2 * half, first[1] + second[0]) / 2;

      if (half != 0)
        turn (h, z, n, k, cosl (angle), sinl (angle));
      first[0] = second[1] = (first[0] + second[1]) / 2;
    }
}

/* One Francis step on rows @begin to @end, which are at least three. */
static void
step_twice (Real *h,
            Real *z,
            gsize n,
            gsize begin,
            gsize end,
            guint step)
{
#define H(i, j) h[(i) * n + (j)]
  Real sum = H (end - 1, end - 1) + H (end, end);
  Real product = H (end - 1, end - 1) * H (end, end) - H (end - 1, end) * H (end, end - 1);
  Real x[3], v[3];

  if (step % OTHER_SHIFT == 0)
    {
      Real size = fabsl (H (end, end - 1)) + fabsl (H (end - 1, end - 2));

      sum = 1.5L * size;
      product = size * size;
    }
  x[0] = H (begin, begin) * (H (begin, begin) - sum) + H (begin, begin + 1) * H (begin + 1, begin) + product;
  x[1] = H (begin + 1, begin) * (H (begin, begin) + H (begin + 1, begin + 1) - sum);
  x[2] = H (begin + 1, begin) * H (begin + 2, begin + 1);

  for (gsize k = begin; k < end; k++)
    {
      gsize count = MIN (3, end - k + 1);
      Real tau;

      for (gsize i = 0; k > begin && i < count; i++)
        x[i] = H (k + i, k - 1);
      tau = reflector_real (&x[0], &x[1], count - 1, 1);
      take_vector_real (x, count, 1, v);
      reflect_rows_real (v, count, tau, &H (k, 0), n, n);
      reflect_columns_real (v, count, tau, &H (0, k), n, n);
      reflect_columns_real (v, count, tau, z + k, n, n);
      for (gsize i = 1; k > begin && i < count; i++)
        H (k + i, k - 1) = 0;
    }
#undef H
}

static gboolean
triangulate_real (GhloRefLapack *self,
                  Real          *h,
                  Real          *z,
                  gsize          n,
                  GError       **error)
{
  guint step = 0;

  for (gsize end = n > 0 ? n - 1 : 0; end > 0;)
    {
      gsize begin = find_block_real (h, n, end);

      if (!ghlo_ref_continue (self->call, error))
        return FALSE;
      if (begin + 1 < end && step <= MAX_STEPS)
        {
          step_twice (h, z, n, begin, end, ++step);
          continue;
        }
      if (begin + 1 < end)
        self->info = (gint64) end + 1;
      else if (begin + 1 == end)
        finish_block (h, z, n, begin);
      end -= MIN (end, begin == end ? 1 : 2);
      step = 0;
    }

  return TRUE;
}

static gboolean
schur_complex (GhloRefLapack *self,
               Complex       *t,
               Complex       *z,
               GError       **error)
{
  gsize n = ghlo_ref_lapack_extent (self, 'n');

  return reduce_complex (ghlo_ref_lapack_array (self, "a"), t, z, n, error)
         && triangulate_complex (self, t, z, n, error);
}

static gboolean
schur_real (GhloRefLapack *self,
            Real          *t,
            Real          *z,
            GError       **error)
{
  gsize n = ghlo_ref_lapack_extent (self, 'n');

  return reduce_real (ghlo_ref_lapack_array (self, "a"), t, z, n, error) && triangulate_real (self, t, z, n, error);
}

/* Reads the eigenvalues off the diagonal blocks. Of a conjugate pair, the one with the positive imaginary
 * part comes first. */
static void
read_blocks (const Real *t,
             gsize       n,
             Real       *re,
             Real       *im)
{
  for (gsize i = 0; i < n; i++)
    {
      const Real *at = t + i * n + i;

      re[i] = at[0];
      im[i] = 0;
      if (i + 1 == n || at[n] == 0)
        continue;
      im[i] = sqrtl (fabsl (at[1])) * sqrtl (fabsl (at[n]));
      re[i + 1] = at[0];
      im[i + 1] = -im[i];
      i++;
    }
}

gboolean
ghlo_ref_lapack_gees_complex (GhloRefLapack *self,
                              GError       **error)
{
  gsize n = ghlo_ref_lapack_extent (self, 'n');
  Complex *values = ghlo_ref_lapack_array (self, "w");
  g_autofree Complex *t = ghlo_ref_numbers_new (TRUE, n * n, error);

  if (t == NULL || !schur_complex (self, t, ghlo_ref_lapack_array (self, "vs"), error))
    return FALSE;
  memcpy (ghlo_ref_lapack_array (self, "a"), t, n * n * sizeof (Complex));
  for (gsize i = 0; i < n; i++)
    values[i] = t[i * n + i];
  *(gint64 *) ghlo_ref_lapack_array (self, "sdim") = 0;

  return TRUE;
}

gboolean
ghlo_ref_lapack_gees_real (GhloRefLapack *self,
                           GError       **error)
{
  gsize n = ghlo_ref_lapack_extent (self, 'n');
  g_autofree Real *t = ghlo_ref_numbers_new (FALSE, n * n, error);

  if (t == NULL || !schur_real (self, t, ghlo_ref_lapack_array (self, "vs"), error))
    return FALSE;
  memcpy (ghlo_ref_lapack_array (self, "a"), t, n * n * sizeof (Real));
  read_blocks (t, n, ghlo_ref_lapack_array (self, "wr"), ghlo_ref_lapack_array (self, "wi"));
  *(gint64 *) ghlo_ref_lapack_array (self, "sdim") = 0;

  return TRUE;
}

/* Scales a vector to length 1 with a real largest element. */
static void
normalize (Complex *vectors,
           gsize    n,
           gsize    column)
{
  Real length = 0, largest = 0;
  Complex phase = 1;

  for (gsize i = 0; i < n; i++)
    {
      Real size = ghlo_ref_squared_size (vectors[i * n + column]);

      length += size;
      if (size > largest)
        {
          largest = size;
          phase = conjl (vectors[i * n + column]) / sqrtl (size);
        }
    }
  for (gsize i = 0; i < n; i++)
    vectors[i * n + column] *= phase / sqrtl (length);
}

/* Solves (t - t[k][k]) x = 0, or the same from the left. The difference of (nearly) equal eigenvalues is
 * replaced by @least, the last bit of the matrix. */
static void
solve_vector (const Complex *t,
              gsize          n,
              gsize          k,
              gboolean       left,
              Real           least,
              Complex       *x)
{
  for (gsize i = 0; i < n; i++)
    x[i] = i == k;
  for (gsize step = 1; left ? k + step < n : step <= k; step++)
    {
      gsize i = left ? k + step : k - step;
      Complex sum = 0, difference = t[i * n + i] - t[k * n + k];
      Real size;

      if (left)
        for (gsize j = k; j < i; j++)
          sum += conjl (x[j]) * t[j * n + i];
      else
        for (gsize j = i + 1; j <= k; j++)
          sum += t[i * n + j] * x[j];
      if (cabsl (difference) < least)
        difference = least;
      x[i] = left ? conjl (-sum / difference) : -sum / difference;
      size = cabsl (x[i]);
      for (gsize j = 0; size > LARGEST && j < n; j++)
        x[j] /= size;
    }
}

/* Eigenvectors as columns of @vectors: z x, where x is an eigenvector of the triangle. */
static gboolean
find_vectors (const Complex *t,
              const Complex *z,
              gsize          n,
              gboolean       left,
              Complex       *vectors,
              GError       **error)
{
  g_autofree Complex *x = ghlo_ref_numbers_new (TRUE, n, error);
  Real total = 0;

  if (x == NULL)
    return FALSE;
  for (gsize i = 0; i < n * n; i++)
    total += ghlo_ref_squared_size (t[i]);
  for (gsize k = 0; k < n; k++)
    {
      solve_vector (t, n, k, left, MAX (sqrtl (total) * LDBL_EPSILON, LDBL_MIN), x);
      for (gsize i = 0; i < n; i++)
        {
          Complex sum = 0;

          for (gsize j = 0; j < n; j++)
            sum += z[i * n + j] * x[j];
          vectors[i * n + k] = sum;
        }
      normalize (vectors, n, k);
    }

  return TRUE;
}

static gboolean
find_both_vectors (GhloRefLapack *self,
                   const Complex *t,
                   const Complex *z,
                   GError       **error)
{
  static const char *const names[] = { "vl", "vr" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (ghlo_ref_lapack_is_computed (self, names[i])
        && !find_vectors (t, z, ghlo_ref_lapack_extent (self, 'n'), i == 0, ghlo_ref_lapack_array (self, names[i]),
                          error))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ref_lapack_geev_complex (GhloRefLapack *self,
                              GError       **error)
{
  gsize n = ghlo_ref_lapack_extent (self, 'n');
  Complex *values = ghlo_ref_lapack_array (self, "w");
  g_autofree Complex *t = ghlo_ref_numbers_new (TRUE, n * n, error);
  g_autofree Complex *z = t != NULL ? ghlo_ref_numbers_new (TRUE, n * n, error) : NULL;

  if (z == NULL || !schur_complex (self, t, z, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    values[i] = t[i * n + i];

  return find_both_vectors (self, t, z, error);
}

/* Makes the 2x2 blocks of the real Schur form triangular, in complex numbers. */
static void
split_blocks (Complex    *t,
              Complex    *z,
              gsize       n,
              const Real *im)
{
  for (gsize k = 0; k + 1 < n; k++)
    {
      Complex s;
      Real c;

      if (im[k] <= 0)
        continue;
      find_rotation (CMPLXL (0, im[k]), t[(k + 1) * n + k], &c, &s);
      rotate_rows (t, n, k, 0, c, s);
      rotate_columns (t, n, k, n, c, s);
      rotate_columns (z, n, k, n, c, s);
      t[(k + 1) * n + k] = 0;
    }
}

/* Makes the vectors of real eigenvalues real, and those of conjugate eigenvalues conjugate. */
static void
make_real (Complex    *vectors,
           gsize       n,
           const Real *im)
{
  for (gsize i = 0; i < n; i++)
    for (gsize k = 0; k < n; k++)
      if (im[k] == 0)
        vectors[i * n + k] = creall (vectors[i * n + k]);
      else if (im[k] < 0)
        vectors[i * n + k] = conjl (vectors[i * n + k - 1]);
}

gboolean
ghlo_ref_lapack_geev_real (GhloRefLapack *self,
                           GError       **error)
{
  gsize n = ghlo_ref_lapack_extent (self, 'n');
  Real *re = ghlo_ref_lapack_array (self, "wr"), *im = ghlo_ref_lapack_array (self, "wi");
  g_autofree Real *form = ghlo_ref_numbers_new (FALSE, 2 * n * n, error);
  g_autofree Complex *t = form != NULL ? ghlo_ref_numbers_new (TRUE, 2 * n * n, error) : NULL;
  Complex *z = t != NULL ? t + n * n : NULL;

  if (t == NULL || !schur_real (self, form, form + n * n, error))
    return FALSE;
  read_blocks (form, n, re, im);
  for (gsize i = 0; i < 2 * n * n; i++)
    t[i] = form[i];
  split_blocks (t, z, n, im);
  if (!find_both_vectors (self, t, z, error))
    return FALSE;
  if (ghlo_ref_lapack_is_computed (self, "vl"))
    make_real (ghlo_ref_lapack_array (self, "vl"), n, im);
  if (ghlo_ref_lapack_is_computed (self, "vr"))
    make_real (ghlo_ref_lapack_array (self, "vr"), n, im);

  return TRUE;
}
