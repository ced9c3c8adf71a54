/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hermitian matrices of which one triangle is read, for templates of linear algebra.
 */

/* The whole of the matrix; what the diagonal has beside reals is left out. */
static void
NAME (mirror_triangle) (const NUMBER *a,
                        NUMBER       *full,
                        gsize         n,
                        gboolean      lower)
{
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j <= i; j++)
      {
        NUMBER number = lower ? a[i * n + j] : CONJ (a[j * n + i]);

        if (i == j)
          number = REAL (number);
        full[i * n + j] = number;
        full[j * n + i] = CONJ (number);
      }
}
