/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Roots of unity for the tables of transforms, in long double, so that each entry of a table is rounded once. A root is
 * the product of one of two short tables each.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  long double re, im;
} GhloCpuRoot;

typedef struct
{
  gsize        n, n_fine;
  GhloCpuRoot *fine, *coarse;      /* owned */
} GhloCpuRoots;

/* FALSE where there is no memory. */
gboolean    ghlo_cpu_roots_init  (GhloCpuRoots *self,
                                  gsize         n);
void        ghlo_cpu_roots_clear (GhloCpuRoots *self);
/* exp (-2 pi i k / n), for k < n. */
GhloCpuRoot ghlo_cpu_roots_get   (const GhloCpuRoots *self,
                                  gsize               k);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloCpuRoots, ghlo_cpu_roots_clear)

/* Rounds a number into place @i of a table of complex numbers of f64, or of f32. */
static inline void
ghlo_cpu_root_store (GhloCpuRoot root,
                     gboolean    is_f64,
                     gpointer    table,
                     gsize       i)
{
  if (is_f64)
    {
      ((double *) table)[2 * i] = (double) root.re;
      ((double *) table)[2 * i + 1] = (double) root.im;
    }
  else
    {
      ((float *) table)[2 * i] = (float) root.re;
      ((float *) table)[2 * i + 1] = (float) root.im;
    }
}

G_END_DECLS
