/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fourier transforms of a row. The mixed-radix transform is the decimation in time
 * of Cooley and Tukey. The chirp transform is Bluestein's (1970): with jk = (j² +
 * k² - (j - k)²) / 2, a transform of length n becomes a convolution, which is
 * computed by transforms whose length is a power of two of at least 2n - 1.
 */

#include "reference/algebra/fourier.h"

#include "reference/scalar/numbers.h"

#include <math.h>

#define LARGEST_RADIX 31
#define MAX_FACTORS   64

/* Number of complex products between checks whether the call is to stop; they take a few milliseconds. */
#define CHECK_EVERY ((gsize) 1 << 16)
#define ROOT_COST   16

struct _GhloRefFourier
{
  GhloRefCall         *call;         /* borrowed */
  gsize                unchecked;    /* products since the last check */
  gsize                length;
  /* Mixed radix */
  guint                factors[MAX_FACTORS];
  guint                n_factors;
  GhloRefComplexParts *roots;        /* owned; exp (-2 pi i k / length) */
  GhloRefComplexParts *spare;        /* owned; a row */
  /* Bluestein; NULL for lengths that the mixed radix handles */
  GhloRefFourier      *power;        /* owned; the transform whose length is the power of two */
  GhloRefComplexParts *chirp;        /* owned; exp (-pi i k² / length) */
  GhloRefComplexParts *filter;       /* owned; the transformed conjugate chirp */
  GhloRefComplexParts *work;         /* owned; a row of the power of two */
};

static inline GhloRefComplexParts
times (GhloRefComplexParts a, GhloRefComplexParts b)
{
  return (GhloRefComplexParts) { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

/* Counts @n products towards the next check. FALSE when the call is to stop. */
static gboolean
proceed (GhloRefFourier *self,
         gsize           n,
         GError        **error)
{
  self->unchecked += n;
  if (self->unchecked < CHECK_EVERY)
    return TRUE;
  self->unchecked = 0;

  return ghlo_ref_continue (self->call, error);
}

/* exp (-2 pi i k / n), from an angle of at most an eighth of a turn. Takes as long as ROOT_COST products. */
static GhloRefComplexParts
root_of_unity (gsize k,
               gsize n)
{
  const long double turn = 6.283185307179586476925286766559005768394L;
  gsize octants = 8 * k / n;
  gsize rest = 8 * k - octants * n;           /* in units of 1 / (8 n) turns */
  gboolean mirrored = octants % 2 == 1;
  long double angle = turn * (long double) (mirrored ? n - rest : rest) / (8 * (long double) n);
  long double c = cosl (angle), s = sinl (angle);
  long double x, y;

  /* Mirroring at the diagonal swaps sine and cosine. */
  x = mirrored ? s : c;
  y = mirrored ? c : s;
  switch (octants / 2)
    {
    case 0: return (GhloRefComplexParts) { x, -y };
    case 1: return (GhloRefComplexParts) { -y, -x };
    case 2: return (GhloRefComplexParts) { -x, y };
    default: return (GhloRefComplexParts) { y, x };
    }
}

/* Factors of four first, then primes in ascending order. FALSE when a prime factor exceeds LARGEST_RADIX. */
static gboolean
factorize (GhloRefFourier *self)
{
  gsize rest = self->length;

  for (; rest % 4 == 0; rest /= 4)
    self->factors[self->n_factors++] = 4;
  for (guint p = 2; p <= LARGEST_RADIX; p++)
    for (; rest % p == 0; rest /= p)
      self->factors[self->n_factors++] = p;
  return rest == 1;
}

static gboolean
butterfly (GhloRefFourier      *self,
           guint                p,
           gsize                m,
           gsize                step,
           GhloRefComplexParts *out,
           GError             **error)
{
  GhloRefComplexParts in[LARGEST_RADIX + 1];
  gsize n = self->length;

  for (gsize u = 0; u < m; u++)
    {
      if (!proceed (self, p * p, error))
        return FALSE;
      for (guint q = 0; q < p; q++)
        in[q] = out[u + q * m];
      for (guint k = 0; k < p; k++)
        {
          gsize stride = step * (u + k * m);      /* below n = p * m * step */
          GhloRefComplexParts sum = in[0];
          gsize at = 0;

          for (guint q = 1; q < p; q++)
            {
              GhloRefComplexParts term;

              at += stride;
              at -= at >= n ? n : 0;
              term = times (in[q], self->roots[at]);
              sum.re += term.re;
              sum.im += term.im;
            }
          out[u + k * m] = sum;
        }
    }

  return TRUE;
}

/* Transforms the @n numbers at @in, which are @step apart, into @out. */
static gboolean
transform (GhloRefFourier            *self,
           guint                      factor,
           gsize                      n,
           gsize                      step,
           const GhloRefComplexParts *in,
           GhloRefComplexParts       *out,
           GError                   **error)
{
  guint p;

  if (factor == self->n_factors)
    {
      out[0] = in[0];
      return TRUE;
    }
  p = self->factors[factor];
  g_assert (p > 0);
  for (guint q = 0; q < p; q++)
    if (!transform (self, factor + 1, n / p, step * p, in + q * step, out + q * (n / p), error))
      return FALSE;

  return butterfly (self, p, n / p, step, out, error);
}

/* Each number counts as one product, since touching memory for the first time takes about as long. */
static gboolean
copy (GhloRefFourier            *self,
      const GhloRefComplexParts *from,
      gsize                      n,
      GhloRefComplexParts       *to,
      GError                   **error)
{
  for (gsize k = 0; k < n; k++)
    {
      if (!proceed (self, 1, error))
        return FALSE;
      to[k] = from[k];
    }

  return TRUE;
}

static gboolean
clear (GhloRefFourier      *self,
       GhloRefComplexParts *row,
       gsize                n,
       GError             **error)
{
  for (gsize k = 0; k < n; k++)
    {
      if (!proceed (self, 1, error))
        return FALSE;
      row[k] = (GhloRefComplexParts) { 0, 0 };
    }

  return TRUE;
}

static gboolean
init_roots (GhloRefFourier *self,
            GError        **error)
{
  self->roots = ghlo_ref_scratch (self->length, sizeof (GhloRefComplexParts), error);
  if (self->roots == NULL)
    return FALSE;
  for (gsize k = 0; k < self->length; k++)
    {
      if (!proceed (self, ROOT_COST, error))
        return FALSE;
      self->roots[k] = root_of_unity (k, self->length);
    }
  self->spare = ghlo_ref_scratch (self->length, sizeof (GhloRefComplexParts), error);
  return self->spare != NULL;
}

static gboolean
init_chirp (GhloRefFourier *self,
            GError        **error)
{
  gsize n = self->length, size = 1, square = 0;

  while (size < 2 * n - 1)
    size *= 2;
  self->power = ghlo_ref_fourier_new (self->call, size, error);
  if (self->power == NULL)
    return FALSE;
  self->chirp = ghlo_ref_scratch (n, sizeof (GhloRefComplexParts), error);
  if (self->chirp == NULL)
    return FALSE;
  self->filter = ghlo_ref_scratch (size, sizeof (GhloRefComplexParts), error);
  if (self->filter == NULL)
    return FALSE;
  self->work = ghlo_ref_scratch (size, sizeof (GhloRefComplexParts), error);
  if (self->work == NULL)
    return FALSE;

  if (!clear (self, self->filter, size, error))
    return FALSE;
  for (gsize k = 0; k < n; k++)
    {
      GhloRefComplexParts conjugate;

      if (!proceed (self, ROOT_COST, error))
        return FALSE;
      self->chirp[k] = root_of_unity (square, 2 * n);
      conjugate = (GhloRefComplexParts) { self->chirp[k].re, -self->chirp[k].im };
      self->filter[k] = conjugate;
      if (k > 0)
        self->filter[size - k] = conjugate;
      square = (square + 2 * k + 1) % (2 * n);
    }

  return ghlo_ref_fourier_run (self->power, FALSE, self->filter, error);
}

GhloRefFourier *
ghlo_ref_fourier_new (GhloRefCall *call,
                      gsize        length,
                      GError     **error)
{
  g_autoptr (GhloRefFourier) self = g_new0 (GhloRefFourier, 1);

  self->call = call;
  self->length = length;
  if (factorize (self) ? !init_roots (self, error) : !init_chirp (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
ghlo_ref_fourier_free (GhloRefFourier *self)
{
  g_clear_pointer (&self->power, ghlo_ref_fourier_free);
  g_free (self->roots);
  g_free (self->spare);
  g_free (self->chirp);
  g_free (self->filter);
  g_free (self->work);
  g_free (self);
}

/* row[k] = a[k] * b[k] */
static gboolean
multiply (GhloRefFourier            *self,
          const GhloRefComplexParts *a,
          const GhloRefComplexParts *b,
          gsize                      n,
          GhloRefComplexParts       *row,
          GError                   **error)
{
  for (gsize k = 0; k < n; k++)
    {
      if (!proceed (self, 1, error))
        return FALSE;
      row[k] = times (a[k], b[k]);
    }

  return TRUE;
}

static gboolean
run_chirp (GhloRefFourier      *self,
           GhloRefComplexParts *row,
           GError             **error)
{
  gsize n = self->length, size = self->power->length;

  return multiply (self, row, self->chirp, n, self->work, error)
         && clear (self, self->work + n, size - n, error)
         && ghlo_ref_fourier_run (self->power, FALSE, self->work, error)
         && multiply (self, self->work, self->filter, size, self->work, error)
         && ghlo_ref_fourier_run (self->power, TRUE, self->work, error)
         && multiply (self, self->work, self->chirp, n, row, error);
}

/* The inverse transform is the forward one with real and imaginary parts exchanged before and after. */
static gboolean
exchange_parts (GhloRefFourier      *self,
                GhloRefComplexParts *row,
                long double          scale,
                GError             **error)
{
  for (gsize k = 0; k < self->length; k++)
    {
      if (!proceed (self, 1, error))
        return FALSE;
      row[k] = (GhloRefComplexParts) { row[k].im * scale, row[k].re * scale };
    }

  return TRUE;
}

gboolean
ghlo_ref_fourier_run (GhloRefFourier      *self,
                      gboolean             inverse,
                      GhloRefComplexParts *row,
                      GError             **error)
{
  if (!proceed (self, self->length, error) || (inverse && !exchange_parts (self, row, 1, error)))
    return FALSE;
  if (self->power != NULL)
    {
      if (!run_chirp (self, row, error))
        return FALSE;
    }
  else if (!copy (self, row, self->length, self->spare, error)
           || !transform (self, 0, self->length, 1, self->spare, row, error))
    return FALSE;

  return !inverse || exchange_parts (self, row, 1 / (long double) self->length, error);
}
