/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorting of numbers; included once for each width. The includer defines NUMBER, the type, and FUNCTION (f), the name
 * of the width's f. Few numbers are merge sorted, many are radix sorted, least significant digit first.
 */

/* Size of the blocks that are sorted by insertion before they are merged. */
#define BLOCK 12

/* Fewer numbers are not radix sorted, which counts 256 buckets for each digit. */
#define MIN_RADIX 128

static void
FUNCTION (insert) (NUMBER *numbers,
                   gsize   n)
{
  for (gsize i = 1; i < n; i++)
    {
      NUMBER number = numbers[i];
      gsize to = i;

      for (; to > 0 && number < numbers[to - 1]; to--)
        numbers[to] = numbers[to - 1];
      numbers[to] = number;
    }
}

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

static NUMBER *
FUNCTION (sort_few) (NUMBER *numbers,
                     NUMBER *spare,
                     gsize   n)
{
  for (gsize i = 0; i < n; i += BLOCK)
    FUNCTION (insert) (numbers + i, MIN (BLOCK, n - i));
  for (gsize width = BLOCK; width < n; width *= 2)
    {
      NUMBER *kept = numbers;

      for (gsize i = 0; i < n; i += 2 * width)
        {
          gsize middle = MIN (i + width, n), end = MIN (i + 2 * width, n);

          FUNCTION (merge_two) (numbers + i, numbers + middle, numbers + middle, numbers + end, spare + i, end - i);
        }
      numbers = spare;
      spare = kept;
    }

  return numbers;
}

/* Counts the values of each digit, and checks whether the numbers are sorted already. FALSE when cancelled. */
static gboolean
FUNCTION (count_digits) (const NUMBER      *numbers,
                         gsize              n,
                         guint              low,
                         guint              digits,
                         const GhloMonitor *monitor,
                         guint32            counts[][256],
                         gboolean          *ordered)
{
  NUMBER last = numbers[0] >> low;

  *ordered = TRUE;
  memset (counts, 0, digits * sizeof (counts[0]));
  for (gsize begin = 0; begin < n; begin += GHLO_CPU_SORT_CHECK_INTERVAL)
    {
      gsize end = MIN (begin + GHLO_CPU_SORT_CHECK_INTERVAL, n);

      if (ghlo_cpu_sort_is_cancelled (begin, monitor))
        return FALSE;
      for (gsize i = begin; i < end; i++)
        {
          NUMBER number = numbers[i] >> low;

          *ordered &= last <= number;
          last = number;
          for (guint d = 0; d < digits; d++)
            counts[d][(guint8) (number >> (8 * d))]++;
        }
    }

  return TRUE;
}

static gboolean
FUNCTION (move_digit) (const NUMBER      *from,
                       NUMBER            *to,
                       gsize              n,
                       guint              shift,
                       guint32            offsets[256],
                       const GhloMonitor *monitor)
{
  for (gsize begin = 0; begin < n; begin += GHLO_CPU_SORT_CHECK_INTERVAL)
    {
      gsize end = MIN (begin + GHLO_CPU_SORT_CHECK_INTERVAL, n);

      if (ghlo_cpu_sort_is_cancelled (begin, monitor))
        return FALSE;
      for (gsize i = begin; i < end; i++)
        to[offsets[(guint8) (from[i] >> shift)]++] = from[i];
    }

  return TRUE;
}

gboolean
FUNCTION (ghlo_cpu_sort) (NUMBER             *numbers,
                          NUMBER             *spare,
                          gsize               n,
                          guint               low,
                          guint               bits,
                          const GhloMonitor  *monitor,
                          NUMBER            **sorted)
{
  guint32 counts[sizeof (NUMBER)][256];
  guint digits = bits / 8;
  gboolean ordered;

  *sorted = numbers;
  if (n < MIN_RADIX)
    {
      *sorted = FUNCTION (sort_few) (numbers, spare, n);
      return TRUE;
    }
  if (!FUNCTION (count_digits) (numbers, n, low, digits, monitor, counts, &ordered))
    return FALSE;
  for (guint d = 0; d < digits && !ordered; d++)
    {
      guint32 first = (guint32) ((*sorted)[0] >> (low + 8 * d)) & 255, offset = 0;
      NUMBER *to = *sorted == numbers ? spare : numbers;

      if (counts[d][first] == n)
        continue;
      for (guint i = 0; i < 256; i++)
        {
          guint32 count = counts[d][i];

          counts[d][i] = offset;
          offset += count;
        }
      if (!FUNCTION (move_digit) (*sorted, to, n, low + 8 * d, counts[d], monitor))
        return FALSE;
      *sorted = to;
    }

  return TRUE;
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

#undef BLOCK
#undef MIN_RADIX
