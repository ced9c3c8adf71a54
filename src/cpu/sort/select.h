/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the smallest of many numbers; included for each width, like template.h. Partitions the numbers around pivots
 * until the part with the boundary is short, and sorts that part; or sooner, where pivots keep partitioning badly.
 */

#define SHORT 24

static NUMBER
FUNCTION (median) (NUMBER a,
                   NUMBER b,
                   NUMBER c)
{
  NUMBER low = MIN (a, b), high = MAX (a, b);

  return MAX (low, MIN (high, c));
}

/* Moves the numbers below @pivot, which is one of the numbers, to the front and counts them. */
static gsize
FUNCTION (divide) (NUMBER *numbers,
                   gsize   n,
                   NUMBER  pivot)
{
  gsize below = 0;

  for (gsize i = 0; i < n; i++)
    {
      NUMBER number = numbers[i];

      numbers[i] = numbers[below];
      numbers[below] = number;
      below += number < pivot;
    }

  return below;
}

void
FUNCTION (ghlo_cpu_select) (NUMBER *numbers,
                            NUMBER *spare,
                            gsize   n,
                            gsize   k)
{
  guint patience = 2 * g_bit_storage (n);

  while (n > SHORT && k > 0 && k < n && patience-- > 0)
    {
      gsize below = FUNCTION (divide) (numbers, n,
                                       FUNCTION (median) (numbers[n / 4], numbers[n / 2], numbers[3 * (n / 4)]));

      if (k <= below)
        n = below;
      else
        {
          /* The pivot is the smallest of the rest, wherever it is: either the next pivot differs, or the rest is
           * sorted at the end. */
          numbers += below;
          n -= below;
          k -= below;
        }
    }
  if (k > 0 && k < n)
    {
      NUMBER *sorted = FUNCTION (sort_few) (numbers, spare, n);

      if (sorted != numbers)
        memcpy (numbers, sorted, n * sizeof (NUMBER));
    }
}

#undef SHORT
