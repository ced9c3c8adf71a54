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
} GhloRoot;

typedef struct
{
  gsize        n, n_fine;
  GhloRoot *fine, *coarse;      /* owned */
} GhloRoots;

/* FALSE where there is no memory. */
gboolean    ghlo_roots_init  (GhloRoots *self,
                                  gsize         n);
void        ghlo_roots_clear (GhloRoots *self);
/* exp (-2 pi i k / n), for k < n. */
GhloRoot ghlo_roots_get   (const GhloRoots *self,
                                  gsize               k);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloRoots, ghlo_roots_clear)

/* Rounds a number into place @i of a table of complex numbers of f64, or of f32. */
static inline void
ghlo_root_store (GhloRoot root,
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
