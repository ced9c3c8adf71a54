/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The routines of sorts and searches for all instruction set levels that this processor supports: they give what is
 * expected of random ranks, elements and numbers.
 */

#include <string.h>

#include "cpu/isa/routines.h"
#include "base/sizes.h"

enum { MOST = 1400, MAX_SIZE = 16, ROUNDS = 12 };

typedef struct
{
  GhloCpuRoutines routines;
} Level;

static Level levels[GHLO_CPU_N_LEVELS];
static guint n_levels;

static guint8 *operands[3];

/* Fills @to with @n elements of @size random bytes. */
static void
fill (guint8 *to,
      gsize   n,
      guint   size)
{
  for (gsize i = 0; i < n * size; i++)
    to[i] = (guint8) g_test_rand_int_range (0, 256);
}

/* Numbers of 4 or 8 bytes, as the sort compares them. */
static gint
compare_numbers (gconstpointer a,
                 gconstpointer b,
                 gpointer      size)
{
  guint64 x = 0, y = 0;

  if (GPOINTER_TO_UINT (size) == sizeof (guint32))
    x = *(const guint32 *) a, y = *(const guint32 *) b;
  else
    x = *(const guint64 *) a, y = *(const guint64 *) b;

  return x < y ? -1 : x > y;
}

/* Random numbers, often with many that are equal or differ in few bits, and the greatest ones; or with upper zeros. */
static void
fill_numbers (guint8 *to,
              gsize   n,
              guint   size)
{
  gboolean few = g_test_rand_bit ();
  const guint zeros = g_test_rand_bit () ? (guint) g_test_rand_int_range (1, 40) : 0;

  for (gsize i = 0; i < n * size; i++)
    to[i] = (guint8) (few ? g_test_rand_int_range (0, 8) / 7 * 0x80 : g_test_rand_int_range (0, 256));
  if (n > 0 && g_test_rand_bit ())
    memset (to + (gsize) g_test_rand_int_range (0, (gint) n) * size, 0xff, size);
  for (gsize i = 0; size == sizeof (guint64) && i < n; i++)
    ((guint64 *) (gpointer) to)[i] >>= zeros;
}

/* Blocks, columns, and the smallest of columns. */
static void
check_sorts (guint width)
{
  guint size = 4u << width;
  gsize n = (gsize) g_test_rand_int_range (1, GHLO_CPU_SORT_BLOCK + 1), k;
  gsize n_columns = (gsize) g_test_rand_int_range (1, 4) * GHLO_CPU_SORT_COLUMNS, rows, bytes;
  g_autofree guint8 *numbers = NULL, *expected = NULL;
  guint8 *sorted;

  rows = (gsize) g_test_rand_int_range (1, g_test_rand_bit () ? 12 : 260);
  k = (gsize) g_test_rand_int_range (1, (gint) rows + 1);
  bytes = MAX (n, rows * n_columns) * size;
  numbers = g_malloc (bytes);
  expected = g_malloc (bytes);
  sorted = g_aligned_alloc (1, bytes, 64);
  fill_numbers (numbers, n, size);
  memcpy (expected, numbers, n * size);
  g_qsort_with_data (expected, (gint) n, size, compare_numbers, GUINT_TO_POINTER (size));
  for (guint level = 0; level < n_levels; level++)
    {
      memcpy (sorted, numbers, n * size);
      levels[level].routines.sort.block[width] (sorted, n);
      g_assert_cmpmem (sorted, n * size, expected, n * size);
    }

  fill_numbers (numbers, rows * n_columns, size);
  for (gsize column = 0; column < n_columns; column++)
    {
      for (gsize row = 0; row < rows; row++)
        memcpy (sorted + row * size, numbers + (row * n_columns + column) * size, size);
      g_qsort_with_data (sorted, (gint) rows, size, compare_numbers, GUINT_TO_POINTER (size));
      for (gsize row = 0; row < rows; row++)
        memcpy (expected + (row * n_columns + column) * size, sorted + row * size, size);
    }
  for (guint level = 0; level < n_levels; level++)
    {
      memcpy (sorted, numbers, rows * n_columns * size);
      levels[level].routines.sort.columns[width] (sorted, rows, n_columns);
      g_assert_cmpmem (sorted, rows * n_columns * size, expected, rows * n_columns * size);
      memcpy (sorted, numbers, rows * n_columns * size);
      levels[level].routines.sort.select[width] (sorted, rows, n_columns, k);
      g_assert_cmpmem (sorted, k * n_columns * size, expected, k * n_columns * size);
    }
  g_aligned_free (sorted);
}

/* The numbers below a pivot stay in order at the front, also where they are written over the numbers. */
static void
check_partition (guint width)
{
  guint size = 4u << width;
  gsize n = (gsize) g_test_rand_int_range (1, MOST), below = 0;
  g_autofree guint8 *numbers = g_malloc (n * size), *low = g_malloc (n * size), *high = g_malloc (n * size);
  g_autofree guint8 *from = g_malloc (n * size), *other = g_malloc (n * size);
  const guint8 *pivot;

  fill_numbers (numbers, n, size);
  pivot = numbers + (gsize) g_test_rand_int_range (0, (gint) n) * size;
  for (gsize i = 0; i < n; i++)
    if (compare_numbers (numbers + i * size, pivot, GUINT_TO_POINTER (size)) < 0)
      memcpy (low + below++ * size, numbers + i * size, size);
    else
      memcpy (high + (i - below) * size, numbers + i * size, size);
  for (guint level = 0; level < n_levels; level++)
    {
      guint8 limit[16];

      memcpy (limit, pivot, size);
      memcpy (from, numbers, n * size);
      g_assert_cmpuint (levels[level].routines.sort.partition[width] (from, n, limit, from, other), ==, below);
      g_assert_cmpmem (from, below * size, low, below * size);
      g_assert_cmpmem (other, (n - below) * size, high, (n - below) * size);
    }
}

/* Ranks of elements of 1 << unit bytes as numbers of 4 or 8 bytes, alone or below others, and elements of ranks. */
static void
check_ranks (guint unit)
{
  gboolean wide = unit == 3 || g_test_rand_bit (), append = unit < 2 && g_test_rand_bit ();
  guint64 sign = (guint64) 1 << (8 * (1u << unit) - 1), all = sign | (sign - 1);
  GhloCpuRank rank = { .positive = g_test_rand_bit () ? sign : all, .infinity = sign - 1 };
  gsize n = (gsize) g_test_rand_int_range (1, MOST), size = wide ? 8 : 4;
  guint8 *from = operands[0] + g_test_rand_int_range (0, 8);
  guint8 *numbers = operands[1], *expected = operands[2];
  const guint64 least = (guint64) g_test_rand_int_range (0, 2);
  guint found = 0;

  rank.negative = rank.positive ^ (g_test_rand_bit () ? sign - 1 : 0);
  if (unit > 0 && g_test_rand_bit ())
    {
      rank.zero = sign;
      rank.nan = all;
      rank.infinity = sign - 1 - (sign >> 4);
    }
  fill (from, n, 1u << unit);
  for (gsize i = 0; i < n; i += 5)
    memset (from + (i << unit), 0, (gsize) 1 << unit), from[((i + 1) << unit) - 1] = 0x80;
  for (guint level = 0; level < n_levels; level++)
    {
      const GhloCpuSort *routines = &levels[level].routines.sort;
      guint flags;

      memset (numbers, 0x5a, n * size);
      flags = routines->rank[wide][unit] (&rank, from, n, append, numbers);
      if (level == 0)
        found = flags, memcpy (expected, numbers, n * size);
      g_assert_cmpuint (flags, ==, found);
      g_assert_cmpmem (numbers, n * size, expected, n * size);
      if (found == 0 && !append)
        {
          const guint room = 8 * (guint) size - (8u << unit), low = room > 0 ? (guint) g_test_rand_int () % room : 0;
          g_autofree guint8 *shifted = g_memdup2 (expected, n * size);

          for (gsize i = 0; i < n; i++)
            if (wide)
              ((guint64 *) (gpointer) shifted)[i] = (((guint64 *) (gpointer) shifted)[i] - least) << low;
            else
              ((guint32 *) (gpointer) shifted)[i] = (((guint32 *) (gpointer) shifted)[i] - (guint32) least) << low;
          routines->unrank[wide][unit] (&rank, shifted, n, low, least, numbers);
          g_assert_cmpmem (numbers, n << unit, from, n << unit);
        }
    }
  for (gsize i = 0; i < n; i++)
    {
      guint64 bits = 0, number = 0;

      memcpy (&bits, from + (i << unit), (gsize) 1 << unit);
      memcpy (&number, expected + i * size, size);
      if (bits == sign)
        bits ^= rank.zero;
      bits = (bits & ~sign) > rank.infinity ? rank.nan : bits ^ (bits & sign ? rank.negative : rank.positive);
      if (append)
        bits |= (wide ? G_GUINT64_CONSTANT (0x5a5a5a5a5a5a5a5a) : 0x5a5a5a5a) << 8 * (1u << unit);
      g_assert_cmpuint (number, ==, wide ? bits : (guint32) bits);
    }
}

/* Positions below ranks. */
static void
check_positions (guint width)
{
  guint size = 4u << width, low = (guint) g_test_rand_int_range (1, (gint) (8 * size));
  gsize n = (gsize) g_test_rand_int_range (1, MOST);
  g_autofree guint8 *ranks = g_malloc (n * size), *numbers = g_malloc (n * size);
  guint32 first = (guint32) g_test_rand_int_range (0, 1000);

  fill_numbers (ranks, n, size);
  for (guint level = 0; level < n_levels; level++)
    {
      memcpy (numbers, ranks, n * size);
      levels[level].routines.sort.place[width] (numbers, n, low, first);
      for (gsize i = 0; i < n; i++)
        {
          guint64 rank = 0;

          memcpy (&rank, ranks + i * size, size);
          rank = rank << low | (first + i);
          g_assert_cmpmem (numbers + i * size, size, &rank, size);
        }
    }
}

/* Numbers of ranks of each width, and the search of columns for how many of them are among the least. */
static void
check_numbers (guint width)
{
  const GhloCpuSort *lowest = &levels[0].routines.sort;
  enum { ROWS = 37, COLUMNS = 2 * GHLO_CPU_SORT_COLUMNS, N = ROWS * COLUMNS };
  const guint size = 4u << width, cut = (guint) g_test_rand_int_range (0, 9);
  g_autofree guint8 *ranks = g_malloc (N * size), *numbers = g_malloc (N * sizeof (guint64));
  guint64 least, greatest, first = G_MAXUINT64, last = 0, limits[COLUMNS];
  gsize most = 0;

  fill_numbers (ranks, N, size);
  lowest->span[width] (ranks, N, &least, &greatest);
  for (gsize i = 0; i < N; i++)
    {
      guint64 rank = 0;

      memcpy (&rank, ranks + i * size, size);
      first = MIN (first, rank);
      last = MAX (last, rank);
    }
  g_assert_cmpuint (least, ==, first);
  g_assert_cmpuint (greatest, ==, last);
  for (guint level = 0; level < 2 * n_levels; level++)
    {
      const guint to = level % 2, to_size = 4u << to;

      levels[level / 2].routines.sort.number[width][to] (ranks, ROWS, COLUMNS, least, cut, 6, numbers);
      for (gsize i = 0; i < N; i++)
        {
          guint64 rank = 0;

          memcpy (&rank, ranks + i * size, size);
          rank = (rank - least) >> cut << 6 | i / COLUMNS;
          g_assert_cmpmem (numbers + i * to_size, to_size, &rank, to_size);
        }
    }
  for (guint i = 0; width == GHLO_CPU_SORT_64 && i < COLUMNS; i++)
    {
      const guint64 *wide = (gconstpointer) ranks;
      gsize n = 0;

      limits[i] = wide[(gsize) g_test_rand_int_range (0, ROWS) * COLUMNS + i];
      for (gsize row = 0; row < ROWS; row++)
        n += (wide[row * COLUMNS + i] - least) >> cut <= (limits[i] - least) >> cut;
      most = MAX (most, n);
    }
  for (guint level = 0; width == GHLO_CPU_SORT_64 && level < n_levels; level++)
    for (gsize k = most - 1; k <= most; k++)
      g_assert_cmpint (levels[level].routines.sort.has_least ((gconstpointer) ranks, ROWS, COLUMNS, least, cut, limits,
                                                              k), ==, k == most);
}

static guint64
rank_of (const GhloCpuRank *rank,
         const guint8      *from,
         gsize              i,
         guint              unit)
{
  guint64 bits = 0, sign = (guint64) 1 << (8 * (1u << unit) - 1);

  memcpy (&bits, from + (i << unit), (gsize) 1 << unit);

  return bits ^ (bits & sign ? rank->negative : rank->positive);
}

/* The elements of 1 << unit bytes whose ranks are at most a limit, and a rank that some groups do not exceed: k groups
 * have k elements up to the k-th rank of a group. */
static void
check_search (guint unit)
{
  guint64 sign = (guint64) 1 << (8 * (1u << unit) - 1), limit, leads[GHLO_CPU_SORT_BLOCK], kept[MOST];
  GhloCpuRank rank = { .positive = g_test_rand_bit () ? sign : sign | (sign - 1), .infinity = sign - 1 };
  gsize n = (gsize) g_test_rand_int_range (1, MOST), size = unit == 3 ? 8 : 4;
  const guint8 *from = operands[0] + g_test_rand_int_range (0, 8);
  guint32 positions[MOST], first = (guint32) g_test_rand_int_range (0, 1000);

  rank.negative = rank.positive ^ (g_test_rand_bit () ? sign - 1 : 0);
  fill ((guint8 *) from, n, 1u << unit);
  limit = rank_of (&rank, from, (gsize) g_test_rand_int_range (0, (gint) n), unit);
  for (guint level = 0; level < n_levels; level++)
    {
      const GhloCpuTopK *routines = &levels[level].routines.top_k;
      gsize n_kept = routines->filter[unit] (&rank, from, n, limit, first, kept, positions), at = 0;
      gsize n_groups = routines->lead[unit] (&rank, from, n, leads), n_up_to = 0, n_leads = 0;

      for (gsize i = 0; i < n; i++)
        {
          guint64 own = rank_of (&rank, from, i, unit);

          n_up_to += own <= limit;
          if (own > limit)
            continue;
          g_assert_cmpuint (at, <, n_kept);
          g_assert_cmpuint (positions[at], ==, first + i);
          g_assert_cmpmem ((guint8 *) kept + at * size, size, &own, size);
          at++;
        }
      g_assert_cmpuint (at, ==, n_kept);

      g_assert_cmpuint (n_groups, <=, MIN (n, GHLO_CPU_SORT_BLOCK));
      for (gsize i = 0; i < n_groups; i++)
        {
          guint64 lead = 0;

          memcpy (&lead, (guint8 *) leads + i * size, size);
          n_leads += lead <= limit;
        }
      g_assert_cmpuint (n_leads, <=, n_up_to);
      g_assert_true (n_groups == 0 || n_up_to < n || n_leads == n_groups);
    }
}

static void
test_sorts (void)
{
  for (guint i = 0; i < 40 * ROUNDS; i++)
    {
      check_sorts (i % 2);
      check_partition (i % 2);
      check_positions (i % 2);
      check_numbers (i % 2);
      check_search (i % 4);
      check_ranks (i % 4);
    }
}

int
main (int   argc,
      char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  n_levels = ghlo_cpu_level () + 1;
  for (guint level = 0; level < n_levels; level++)
    ghlo_cpu_routines_init (&levels[level].routines, level);
  for (guint i = 0; i < G_N_ELEMENTS (operands); i++)
    operands[i] = g_malloc ((MOST + 1) * MAX_SIZE);

  g_test_add_func ("/cpu-sorts", test_sorts);

  status = g_test_run ();
  for (guint i = 0; i < G_N_ELEMENTS (operands); i++)
    g_free (operands[i]);

  return status;
}
