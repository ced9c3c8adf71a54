/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Roots of unity.
 */

#include "base/roots.h"

#include <math.h>

/* exp (-2 pi i k / n), from an angle of at most an eighth of a turn. */
static GhloRoot
evaluate (gsize k,
          gsize n)
{
  gsize eighths = 8 * k / n, quarter = (eighths + 1) / 2;
  /* 4k - n quarter, in quarters of n: the distance from the nearest quarter turn. */
  gint64 rest = (gint64) (4 * k) - (gint64) (quarter * n);
  long double angle = 1.57079632679489661923132169163975144L * (long double) rest / (long double) n;
  long double c = cosl (angle), s = -sinl (angle);

  switch (quarter % 4)
    {
    case 0:
      return (GhloRoot) { c, s };
    case 1:
      return (GhloRoot) { s, -c };
    case 2:
      return (GhloRoot) { -c, -s };
    default:
      return (GhloRoot) { -s, c };
    }
}

gboolean
ghlo_roots_init (GhloRoots *self,
                     gsize         n)
{
  gsize n_coarse;

  self->n = n;
  self->n_fine = 1;
  while (self->n_fine * self->n_fine < n)
    self->n_fine *= 2;
  n_coarse = n / self->n_fine + 1;
  self->fine = g_try_new (GhloRoot, self->n_fine);
  self->coarse = g_try_new (GhloRoot, n_coarse);
  if (self->fine == NULL || self->coarse == NULL)
    return FALSE;
  for (gsize i = 0; i < self->n_fine; i++)
    self->fine[i] = evaluate (i % n, n);
  for (gsize i = 0; i < n_coarse; i++)
    self->coarse[i] = evaluate (i * self->n_fine % n, n);

  return TRUE;
}

void
ghlo_roots_clear (GhloRoots *self)
{
  g_clear_pointer (&self->fine, g_free);
  g_clear_pointer (&self->coarse, g_free);
}

GhloRoot
ghlo_roots_get (const GhloRoots *self,
                    gsize               k)
{
  GhloRoot a = self->coarse[k / self->n_fine], b = self->fine[k % self->n_fine];

  return k % self->n_fine == 0 ? a : (GhloRoot) { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}
