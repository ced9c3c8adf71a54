/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorting of numbers; included once for each width. The includer defines NUMBER, the type, and FUNCTION (f), the name
 * of the width's f. Numbers are partitioned around pivots until few are left, which a routine sorts. Where pivots keep
 * partitioning badly, the rest is merge sorted instead.
 */

#define WIDTH (sizeof (NUMBER) == 4 ? GHLO_CPU_SORT_32 : GHLO_CPU_SORT_64)


/* Numbers whose median is a pivot. */
#define SAMPLE 32

/* Merges the first @n numbers of two sorted runs. Of equal numbers, those on the left come first. */
static void
FUNCTION (merge_two) (const NUMBER *left,
                      const NUMBER *left_end,
                      const NUMBER *right,
                      const NUMBER *right_end,
                      NUMBER       *to,
                      gsize         n)
{
  NUMBER *end = to + n;
  gsize rest;

  while (to < end && left < left_end && right < right_end)
    {
      NUMBER a = *left, b = *right;
      gsize from_right = b < a;

      *to++ = from_right ? b : a;
      left += 1 - from_right;
      right += from_right;
    }
  rest = (gsize) (end - to);
  if (left < left_end)
    memcpy (to, left, rest * sizeof (NUMBER));
  else if (rest > 0)
    memcpy (to, right, rest * sizeof (NUMBER));
}

/* How many of the first @n merged numbers come from the left run. */
static gsize
FUNCTION (split_merge) (const NUMBER *left,
                        gsize         n_left,
                        const NUMBER *right,
                        gsize         n_right,
                        gsize         n)
{
  gsize low = n > n_right ? n - n_right : 0, high = MIN (n, n_left);

  while (low < high)
    {
      gsize middle = low + (high - low) / 2;

      if (right[n - middle - 1] < left[middle])
        high = middle;
      else
        low = middle + 1;
    }

  return low;
}

void
FUNCTION (ghlo_cpu_merge) (const NUMBER     *from,
                           const GhloCpuRun *runs,
                           gsize             n_runs,
                           NUMBER           *to,
                           gsize             begin,
                           gsize             end)
{
  gsize at = 0;

  for (gsize i = 0; i < n_runs && at < end; i += 2)
    {
      const GhloCpuRun none = { 0, 0 }, *a = &runs[i], *b = i + 1 < n_runs ? &runs[i + 1] : &none;
      const NUMBER *left = from + a->begin, *right = from + b->begin;
      gsize n = a->n + b->n, first, last, skipped;

      if (at + n > begin)
        {
          first = begin > at ? begin - at : 0;
          last = MIN (end - at, n);
          skipped = FUNCTION (split_merge) (left, a->n, right, b->n, first);
          FUNCTION (merge_two) (left + skipped, left + a->n, right + (first - skipped), right + b->n, to + at + first,
                                last - first);
        }
      at += n;
    }
}

static gboolean
FUNCTION (merge_sort) (NUMBER            *numbers,
                       NUMBER            *spare,
                       gsize              n,
                       const GhloMonitor *monitor)
{
  for (gsize i = 0; i < n; i += GHLO_CPU_SORT_BLOCK)
    {
      if (ghlo_cpu_sort_is_cancelled (i, monitor))
        return FALSE;
      ghlo_cpu_routines ()->sort.block[WIDTH] (numbers + i, MIN (GHLO_CPU_SORT_BLOCK, n - i));
    }
  for (gsize width = GHLO_CPU_SORT_BLOCK; width < n; width *= 2)
    {
      for (gsize i = 0; i < n; i += 2 * width)
        {
          gsize left = MIN (width, n - i), both = MIN (2 * width, n - i);
          const GhloCpuRun runs[] = { { 0, left }, { left, both - left } };

          for (gsize at = 0; at < both; at += GHLO_CPU_SORT_CHECK_INTERVAL)
            {
              if (ghlo_cpu_sort_is_cancelled (i + at, monitor))
                return FALSE;
              FUNCTION (ghlo_cpu_merge) (numbers + i, runs, 2, spare + i, at,
                                         MIN (at + GHLO_CPU_SORT_CHECK_INTERVAL, both));
            }
        }
      if (!ghlo_cpu_sort_copy ((guint8 *) numbers, (const guint8 *) spare, n * sizeof (NUMBER), monitor))
        return FALSE;
    }

  return TRUE;
}

/* Moves the numbers below @pivot to the front and counts them. FALSE when cancelled. */
static gboolean
FUNCTION (partition) (NUMBER            *numbers,
                      NUMBER            *spare,
                      gsize              n,
                      NUMBER             pivot,
                      const GhloMonitor *monitor,
                      gsize             *n_below)
{
  gsize below = 0, step = GHLO_CPU_SORT_CHECK_INTERVAL;

  for (gsize i = 0; i < n; i += step)
    {
      if (n >= step / 64 && ghlo_monitor_cancelled (monitor, NULL))
        return FALSE;
      below += ghlo_cpu_routines ()->sort.partition[WIDTH] (numbers + i, MIN (step, n - i), &pivot, numbers + below,
                                                            spare + (i - below));
    }
  *n_below = below;

  return ghlo_cpu_sort_copy ((guint8 *) (numbers + below), (const guint8 *) spare, (n - below) * sizeof (NUMBER),
                             monitor);
}

/* Moves numbers that are below all others to the front and counts them: at least one, and all only where they are
 * equal. *@equal: those at the front are equal. FALSE when cancelled. */
static gboolean
FUNCTION (divide) (NUMBER            *numbers,
                   NUMBER            *spare,
                   gsize              n,
                   const GhloMonitor *monitor,
                   gsize             *n_below,
                   gboolean          *equal)
{
  NUMBER sample[SAMPLE], pivot;

  for (gsize i = 0; i < SAMPLE; i++)
    sample[i] = numbers[i * (n / SAMPLE)];
  ghlo_cpu_routines ()->sort.block[WIDTH] (sample, SAMPLE);
  pivot = sample[SAMPLE / 2];
  if (!FUNCTION (partition) (numbers, spare, n, pivot, monitor, n_below))
    return FALSE;
  *equal = *n_below == 0;
  if (!*equal)
    return TRUE;
  if (pivot != (NUMBER) ~(NUMBER) 0)
    return FUNCTION (partition) (numbers, spare, n, pivot + 1, monitor, n_below);
  *n_below = n;

  return TRUE;
}

static gboolean
FUNCTION (sort_rest) (NUMBER            *numbers,
                      NUMBER            *spare,
                      gsize              n,
                      guint              patience,
                      const GhloMonitor *monitor)
{
  gsize below;
  gboolean equal;

  for (; n > GHLO_CPU_SORT_BLOCK; patience--)
    {
      gsize shorter;

      if (patience == 0)
        return FUNCTION (merge_sort) (numbers, spare, n, monitor);
      if (!FUNCTION (divide) (numbers, spare, n, monitor, &below, &equal))
        return FALSE;
      shorter = MIN (below, n - below);
      if (!equal && !FUNCTION (sort_rest) (shorter == below ? numbers : numbers + below, spare, shorter, patience - 1,
                                           monitor))
        return FALSE;
      if (equal || shorter == below)
        numbers += below;
      n = equal ? n - below : n - shorter;
    }
  ghlo_cpu_routines ()->sort.block[WIDTH] (numbers, n);

  return TRUE;
}

gboolean
FUNCTION (ghlo_cpu_sort) (NUMBER            *numbers,
                          NUMBER            *spare,
                          gsize              n,
                          const GhloMonitor *monitor)
{
  return FUNCTION (sort_rest) (numbers, spare, n, 2 * g_bit_storage (n), monitor);
}

gboolean
FUNCTION (ghlo_cpu_select) (NUMBER            *numbers,
                            NUMBER            *spare,
                            gsize              n,
                            gsize              k,
                            const GhloMonitor *monitor)
{
  gsize below;
  gboolean equal;

  for (guint patience = 2 * g_bit_storage (n); n > GHLO_CPU_SORT_BLOCK && patience > 0 && k > 0 && k < n; patience--)
    {
      if (!FUNCTION (divide) (numbers, spare, n, monitor, &below, &equal))
        return FALSE;
      if (k <= below && equal)
        return TRUE;
      if (k <= below)
        n = below;
      else
        {
          numbers += below;
          n -= below;
          k -= below;
        }
    }

  return k == 0 || k >= n || FUNCTION (ghlo_cpu_sort) (numbers, spare, n, monitor);
}

#undef WIDTH
#undef SAMPLE
