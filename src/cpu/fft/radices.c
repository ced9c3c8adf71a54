/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Passes of small radices: the factorization of a length, and the tables.
 */

#include "cpu/fft/radices.h"

enum { MAX_LENGTH = 1 << 30 };

/* Takes a factor out of *@n as often as it is in there. */
static void
take (GhloCpuRadices *self,
      gsize          *n,
      guint           radix)
{
  for (; *n % radix == 0; *n /= radix)
    self->radices[self->n_passes++] = (guint8) radix;
}

gboolean
ghlo_cpu_radices_read (GhloCpuRadices *self,
                       gsize           n,
                       gboolean        is_f64)
{
  self->n = n;
  self->is_f64 = is_f64;
  self->n_passes = 0;
  if (n == 0 || n > MAX_LENGTH)
    return FALSE;
  for (guint radix = 3; radix <= GHLO_CPU_FOURIER_MAX_RADIX && n > 1; radix += 2)
    take (self, &n, radix);
  /* 16 is two passes of 4 rather than one of 8 and one of 2. */
  while (n % 8 == 0 && n != 16)
    {
      self->radices[self->n_passes++] = 8;
      n /= 8;
    }
  take (self, &n, 4);
  take (self, &n, 2);

  return n == 1;
}

static gboolean
fill_twiddles (GhloCpuRadices     *self,
               const GhloRoots *roots,
               guint               pass,
               gsize               m)
{
  guint radix = self->radices[pass];
  gsize step = self->n / (radix * m), at = 0;

  self->twiddles[pass] = g_try_malloc_n (m * (radix - 1), self->is_f64 ? 16 : 8);
  if (self->twiddles[pass] == NULL)
    return FALSE;
  for (gsize k = 0; k < m; k++)
    for (guint j = 1; j < radix; j++)
      ghlo_root_store (ghlo_roots_get (roots, j * k * step), self->is_f64, self->twiddles[pass], at++);

  return TRUE;
}

/* Result k = k0 + r0 (k1 + r1 (k2 + …)) is in row k0 m0 + k1 m1 + …, where m is the product of all later radices. */
static gboolean
fill_order (GhloCpuRadices *self)
{
  self->order = g_try_new (guint32, self->n + 1);
  if (self->order == NULL)
    return FALSE;
  for (gsize k = 0; k < self->n; k++)
    {
      gsize rest = k, m = self->n, row = 0;

      for (guint pass = 0; pass < self->n_passes; pass++)
        {
          m /= self->radices[pass];
          row += rest % self->radices[pass] * m;
          rest /= self->radices[pass];
        }
      self->order[k] = (guint32) row;
    }
  self->order[self->n] = (guint32) self->n;

  return TRUE;
}

gboolean
ghlo_cpu_radices_prepare (GhloCpuRadices *self)
{
  g_auto (GhloRoots) roots = { 0 };
  gsize m = self->n;

  if (!ghlo_roots_init (&roots, self->n))
    return FALSE;
  for (guint pass = 0; pass < self->n_passes; pass++)
    {
      guint radix = self->radices[pass];

      m /= radix;
      if (m > 1 && !fill_twiddles (self, &roots, pass, m))
        return FALSE;
      if (radix % 2 == 0)
        continue;
      self->roots[pass] = g_malloc_n (radix, 16);
      for (guint k = 0; k < radix; k++)
        ghlo_root_store (ghlo_roots_get (&roots, self->n / radix * k), self->is_f64, self->roots[pass], k);
    }

  return fill_order (self);
}

void
ghlo_cpu_radices_clear (GhloCpuRadices *self)
{
  for (guint pass = 0; pass < self->n_passes; pass++)
    {
      g_clear_pointer (&self->twiddles[pass], g_free);
      g_clear_pointer (&self->roots[pass], g_free);
    }
  g_clear_pointer (&self->order, g_free);
}

gsize
ghlo_cpu_radices_size (const GhloCpuRadices *self)
{
  return self->n * ((self->is_f64 ? 16 : 8) + sizeof (guint32));
}

void
ghlo_cpu_radices_run (const GhloCpuRadices *self,
                      gpointer              rows,
                      gboolean              inverse,
                      guint                 lanes)
{
  const GhloCpuFourier *routines = &ghlo_cpu_routines ()->fourier[self->is_f64];
  gsize n_groups = 1, m = self->n;

  for (guint pass = 0; pass < self->n_passes; pass++)
    {
      guint radix = self->radices[pass];
      GhloCpuFourierPassFunc run = radix < G_N_ELEMENTS (routines->pass) ? routines->pass[radix] : NULL;

      m /= radix;
      (run != NULL ? run : routines->any_pass) (rows, n_groups, m, self->twiddles[pass], radix, self->roots[pass],
                                                inverse, lanes);
      n_groups *= radix;
    }
}
