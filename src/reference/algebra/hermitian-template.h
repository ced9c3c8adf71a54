/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hermitian matrices of which only one triangle is read, for the linear algebra
 * templates.
 */

/* Fills in the whole matrix from one triangle. Imaginary parts on the diagonal are dropped. */
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
