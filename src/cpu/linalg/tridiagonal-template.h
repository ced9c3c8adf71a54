/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Solves tridiagonal systems and keeps pivots from being too small. Included by tridiagonal.c once for each type,
 * with these macros: NUMBER, REAL (the type of its real part), NAME, SIZE of a number (|re| + |im| for complex ones,
 * as in LAPACK's pivoting), SIGN (the real part), and EPSILON and SMALLEST of REAL. Right-hand sides are columns that
 * are @ld numbers apart.
 */

typedef struct
{
  NUMBER *below, *d, *du, *b;   /* after elimination, below is the second superdiagonal */
  gsize   n, sides, ld;
} NAME (System);

/* One step of the elimination, on rows @i and @i + 1; the latter has a number in column @i. */
static void
NAME (eliminate) (const NAME (System) *self,
                  gsize                i)
{
  NUMBER *below = self->below, *d = self->d, *du = self->du, next = d[i + 1], factor;
  gboolean exchanged = SIZE (d[i]) < SIZE (below[i]);

  factor = exchanged ? d[i] / below[i] : below[i] / d[i];
  if (exchanged)
    {
      d[i] = below[i];
      d[i + 1] = du[i] - factor * next;
      du[i] = next;
    }
  else
    d[i + 1] -= factor * du[i];
  below[i] = 0;
  if (exchanged && i + 2 < self->n)
    {
      below[i] = du[i + 1];
      du[i + 1] *= -factor;
    }
  for (gsize j = 0; j < self->sides; j++)
    {
      NUMBER *row = self->b + j * self->ld + i, first = row[0];

      row[0] = exchanged ? row[1] : first;
      row[1] = (exchanged ? first : row[1]) - factor * row[0];
    }
}

static REAL
NAME (largest_of) (const NAME (System) *self)
{
  REAL largest = 0;

  for (gsize i = 0; i < self->n; i++)
    {
      largest = MAX (largest, SIZE (self->d[i]));
      if (i + 1 < self->n)
        largest = MAX (largest, MAX (SIZE (self->du[i]), SIZE (self->below[i])));
    }

  return largest;
}

/* Perturbs a pivot that is so small that dividing numbers of up to @largest by it would overflow, as LAPACK's lagts
 * does: the perturbation doubles each time. */
static NUMBER
NAME (perturb) (NUMBER pivot,
                REAL   largest,
                REAL   perturbation)
{
  REAL size = SIZE (pivot);

  if (signbit (SIGN (pivot)))
    perturbation = -perturbation;
  while (size < 1 && (size == 0 || largest * SMALLEST > size))
    {
      pivot += perturbation;
      perturbation *= 2;
      size = SIZE (pivot);
    }

  return pivot;
}

/* Solves for row @i; the rows behind it are known. */
static void
NAME (solve_row) (const NAME (System) *self,
                  gsize                i,
                  REAL                 perturbation)
{
  REAL largest = 0;
  NUMBER pivot;

  for (gsize j = 0; j < self->sides; j++)
    {
      NUMBER *row = self->b + j * self->ld + i;

      if (i + 1 < self->n)
        row[0] -= self->du[i] * row[1];
      if (i + 2 < self->n)
        row[0] -= self->below[i] * row[2];
      largest = MAX (largest, SIZE (row[0]));
    }
  pivot = NAME (perturb) (self->d[i], largest, perturbation);
  for (gsize j = 0; j < self->sides; j++)
    self->b[j * self->ld + i] /= pivot;
}

static void
NAME (solve) (const int *n,
              const int *sides,
              NUMBER    *dl,
              NUMBER    *d,
              NUMBER    *du,
              NUMBER    *b,
              const int *ld)
{
  NAME (System) self = { .n = (gsize) *n, .sides = (gsize) *sides, .ld = (gsize) *ld };
  REAL perturbation;

  self.below = dl + 1;
  self.d = d;
  self.du = du;
  self.b = b;
  for (gsize i = 0; i + 1 < self.n; i++)
    if (SIZE (self.below[i]) != 0)
      NAME (eliminate) (&self, i);
  perturbation = MAX (NAME (largest_of) (&self) * EPSILON, SMALLEST);
  for (gsize i = self.n; i-- > 0;)
    NAME (solve_row) (&self, i, perturbation);
}

#undef NUMBER
#undef REAL
#undef NAME
#undef SIZE
#undef SIGN
#undef EPSILON
#undef SMALLEST
