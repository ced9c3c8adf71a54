/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Solvers of tridiagonal systems for factorize.c, by elimination with row exchanges: LAPACK's gtsv, and JAX's
 * variant for systems that are singular or nearly so.
 */

/* The arrays of a routine. dl starts at its second number; after the elimination it holds the second
 * superdiagonal. b ends up with the solution. */
typedef struct
{
  NUMBER *dl, *d, *du, *b;
  gsize   n, sides;
} NAME (Tridiagonal);

static NAME (Tridiagonal)
NAME (take_tridiagonal) (const GhloRefLapack *self)
{
  return (NAME (Tridiagonal)) {
    .dl = (NUMBER *) ghlo_ref_lapack_array (self, "dl") + 1, .d = ghlo_ref_lapack_array (self, "d"),
    .du = ghlo_ref_lapack_array (self, "du"), .b = ghlo_ref_lapack_array (self, "b"),
    .n = ghlo_ref_lapack_extent (self, 'n'), .sides = ghlo_ref_lapack_extent (self, 's'),
  };
}

/* One elimination step on rows @i and @i + 1, one of which has a nonzero number in column @i. */
static void
NAME (eliminate) (NAME (Tridiagonal) *self,
                  gsize               i)
{
  NUMBER *dl = self->dl, *d = self->d, *du = self->du, *b = self->b;
  gboolean exchanged = SIZE2 (d[i]) < SIZE2 (dl[i]);
  NUMBER factor = exchanged ? d[i] / dl[i] : dl[i] / d[i], next = d[i + 1];

  if (exchanged)
    {
      d[i] = dl[i];
      d[i + 1] = du[i] - factor * next;
      du[i] = next;
      NAME (exchange_rows) (b, self->sides, i, i + 1);
    }
  else
    d[i + 1] -= factor * du[i];
  dl[i] = 0;
  if (exchanged && i + 2 < self->n)
    {
      dl[i] = du[i + 1];
      du[i + 1] *= -factor;
    }
  for (gsize j = 0; j < self->sides; j++)
    b[(i + 1) * self->sides + j] -= factor * b[i * self->sides + j];
}

/* Subtracts the contribution of the solution rows known so far from row @i of the right-hand sides. */
static NUMBER *
NAME (subtract_known) (NAME (Tridiagonal) *self,
                       gsize               i)
{
  gsize sides = self->sides;
  NUMBER *row = self->b + i * sides;

  for (gsize j = 0; j < sides && i + 1 < self->n; j++)
    row[j] -= self->du[i] * row[sides + j];
  for (gsize j = 0; j < sides && i + 2 < self->n; j++)
    row[j] -= self->dl[i] * row[2 * sides + j];

  return row;
}

gboolean
NAME (ghlo_ref_lapack_gtsv) (GhloRefLapack *self,
                             GError       **error)
{
  NAME (Tridiagonal) system = NAME (take_tridiagonal) (self);

  for (gsize i = 0; i < system.n; i++)
    {
      gboolean is_last = i + 1 == system.n;

      if (!ghlo_ref_continue (self->call, error))
        return FALSE;
      if (SIZE2 (system.d[i]) == 0 && (is_last || SIZE2 (system.dl[i]) == 0))
        {
          self->info = (gint64) i + 1;
          return TRUE;
        }
      if (!is_last)
        NAME (eliminate) (&system, i);
    }
  for (gsize i = system.n; i-- > 0;)
    {
      NUMBER *row = NAME (subtract_known) (&system, i);

      for (gsize j = 0; j < system.sides; j++)
        row[j] /= system.d[i];
    }

  return TRUE;
}

/* Perturbs the pivot, as LAPACK's lagts does, until dividing @row by it cannot overflow. The perturbation
 * doubles at each attempt. */
static NUMBER
NAME (perturb) (NUMBER        pivot,
                const NUMBER *row,
                gsize         sides,
                long double   perturbation,
                long double   smallest)
{
  long double size = sqrtl (SIZE2 (pivot)), largest = 0;

  for (gsize j = 0; j < sides; j++)
    largest = fmaxl (largest, sqrtl (SIZE2 (row[j])));
  perturbation = copysignl (perturbation, REAL (pivot));
  while (size < 1 && (size == 0 || largest * smallest > size))
    {
      pivot += perturbation;
      perturbation *= 2;
      size = sqrtl (SIZE2 (pivot));
    }

  return pivot;
}

/* The largest absolute value that the elimination leaves in any row. */
static long double
NAME (largest_of) (const NAME (Tridiagonal) *self)
{
  long double largest = 0;

  for (gsize i = 0; i < self->n; i++)
    {
      largest = fmaxl (largest, SIZE2 (self->d[i]));
      if (i + 1 < self->n)
        largest = fmaxl (largest, fmaxl (SIZE2 (self->du[i]), SIZE2 (self->dl[i])));
    }

  return sqrtl (largest);
}

gboolean
NAME (ghlo_ref_lapack_lagts) (GhloRefLapack *self,
                              GError       **error)
{
  const GhloElementInfo *info = ghlo_element_info (self->lapack->type);
  NAME (Tridiagonal) system = NAME (take_tridiagonal) (self);
  /* The smallest normal number of the type; the reciprocal of a smaller pivot would overflow. */
  long double smallest = ldexpl (1, 2 - (1 << (info->exponent_bits - 1))), perturbation;

  for (gsize i = 0; i + 1 < system.n; i++)
    {
      if (!ghlo_ref_continue (self->call, error))
        return FALSE;
      if (SIZE2 (system.dl[i]) != 0)
        NAME (eliminate) (&system, i);
    }
  perturbation = fmaxl (ldexpl (NAME (largest_of) (&system), -info->mantissa_bits), smallest);
  for (gsize i = system.n; i-- > 0;)
    {
      NUMBER *row = NAME (subtract_known) (&system, i);
      NUMBER pivot = NAME (perturb) (system.d[i], row, system.sides, perturbation, smallest);

      for (gsize j = 0; j < system.sides; j++)
        row[j] /= pivot;
    }

  return TRUE;
}
