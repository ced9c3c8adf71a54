/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Short rows become columns of numbers, as row.h describes. All columns are a plane, whose rows hold one element of
 * each of them. The numbers of equal elements are ordered by their positions, which are the rows of the plane. Numbers
 * hold what is more than the least rank of the plane, since that mostly has far fewer bits.
 */

#include "cpu/sort/columns.h"

#include "base/sizes.h"
#include "runtime/parallel.h"

#include <string.h>

/* The fewest rows that are sorted side by side, and their greatest length, also where there are as many rows as columns
 * or more. */
enum { MIN_LANES = 4, MAX_LENGTH = 256, MAX_FULL_LENGTH = 1024 };

/* The most numbers of a plane of more than sixteen columns, and the most columns. */
enum { PLANE = 4096, MAX_COLUMNS = 1024 };

/* Planes in the scratch, of @width columns. */
typedef struct
{
  gsize    width;
  guint8  *numbers;
  guint64 *ranks;               /* of 32 bits where these are enough */
  guint8  *elements, *sorted;   /* of one operand */
  guint32 *positions;           /* of the elements of numbers */
  guint32 *places, *old_places; /* of these in the plane; as sorted by the lower bits of ranks */
} Planes;

typedef struct
{
  const GhloCpuSortRow *row;
  gsize                 n_rows, k;
  GhloCpuSortNumbers    kind;
  Planes                planes;
  guint64               least;      /* the least rank */
  gboolean              is_exact;   /* elements can be told from their ranks, which begin at bit kind.low of numbers */
} Columns;

gboolean
ghlo_cpu_sort_columns_takes (const GhloCpuSortRow *row,
                             gsize                 n_lanes)
{
  gsize most = n_lanes < GHLO_CPU_SORT_COLUMNS ? MAX_LENGTH : MAX_FULL_LENGTH;

  return n_lanes >= MIN_LANES && row->n > 1 && row->n <= most && row->all.bits <= 64
         && (row->n <= MAX_LENGTH || !ghlo_cpu_sort_row_counts (row));
}

static gsize
width_of (gsize n_rows)
{
  return ghlo_size_ceil_div (n_rows, GHLO_CPU_SORT_COLUMNS) * GHLO_CPU_SORT_COLUMNS;
}

gsize
ghlo_cpu_sort_columns_most (const GhloCpuSortRow *row,
                            gsize                 n_rows)
{
  gsize n = PLANE / MAX (row->n, 1) / GHLO_CPU_SORT_COLUMNS * GHLO_CPU_SORT_COLUMNS;
  gsize share = width_of (ghlo_size_ceil_div (n_rows, ghlo_parallel_n_workers ()));

  return CLAMP (MIN (n, share), GHLO_CPU_SORT_COLUMNS, MAX_COLUMNS);
}

gsize
ghlo_cpu_sort_columns_scratch (const GhloCpuSortRow *row,
                               gsize                 n_rows)
{
  return width_of (n_rows) * row->n * (2 * sizeof (guint64) + 3 * sizeof (guint32) + 2 * row->most_size);
}

static Planes
find_planes (const GhloCpuSortRow *row,
             gsize                 n_rows,
             guint64              *scratch)
{
  gsize n = width_of (n_rows) * row->n;
  Planes planes = { .width = width_of (n_rows), .numbers = (guint8 *) scratch, .ranks = scratch + n };

  planes.positions = (gpointer) (planes.ranks + n);
  planes.places = planes.positions + n;
  planes.old_places = planes.places + n;
  planes.elements = (gpointer) (planes.old_places + n);
  planes.sorted = planes.elements + n * row->most_size;

  return planes;
}

static GhloCpuSortRows
plane_rows (const Columns *self,
            guint8        *plane,
            guint          size)
{
  return (GhloCpuSortRows) { plane, size, (gint64) (self->planes.width * size), size, self->n_rows, 0 };
}

/* Copies parts of the elements of rows to the plane of elements, backwards where sorting reverses equal elements. */
static void
load_elements (const Columns         *self,
               const GhloCpuSortRows *from,
               guint                  offset,
               guint                  size)
{
  GhloCpuSortRows source = *from;
  GhloCpuSortRows target = plane_rows (self, self->planes.elements, size);

  source.data += offset;
  source.size = size;
  if (self->row->comparator.reverses_equal)
    {
      source.data += (gint64) (self->row->n - 1) * source.element;
      source.element = -source.element;
    }
  /* Unused columns are sorted too, so they are initialized. */
  if (self->n_rows < self->planes.width)
    memset (target.data, 0, self->planes.width * self->row->n * size);
  ghlo_cpu_sort_rows_copy (&source, &target, self->n_rows, self->row->n);
}

/* Computes the ranks of all elements. Returns what was found, as ghlo_cpu_sort_key_append (). */
static guint
load_ranks (const Columns         *self,
            const GhloCpuSortRows *from,
            gboolean               wide,
            gpointer               ranks,
            gboolean              *unordered)
{
  const GhloCpuSortRow *row = self->row;
  guint all = 0;

  *unordered = FALSE;
  for (guint k = 0; k < row->comparator.n_keys; k++)
    {
      GhloSortKey part = row->comparator.keys[k];
      guint found;

      load_elements (self, &from[part.operand], part.offset, part.size);
      part.offset = 0;
      found = ghlo_cpu_sort_key_append (&part, &row->ranks[k], self->planes.elements, part.size, NULL,
                                        self->planes.width * row->n, k > 0, wide, ranks);
      *unordered |= part.partial && found & GHLO_CPU_RANK_NANS;
      all |= found;
    }

  return all;
}

/* Finds the positions of the elements of @k rows of numbers. */
static void
find_positions (const Columns *self,
                gsize          k)
{
  gsize n = k * self->planes.width;
  guint32 mask = (1u << self->kind.low) - 1, *positions = self->planes.positions;
  const guint32 *u32 = (gconstpointer) self->planes.numbers;
  const guint64 *u64 = (gconstpointer) self->planes.numbers;

  if (self->kind.width == GHLO_CPU_SORT_32)
    for (gsize i = 0; i < n; i++)
      positions[i] = u32[i] & mask;
  else
    for (gsize i = 0; i < n; i++)
      positions[i] = (guint32) u64[i] & mask;
}

/* Finds the places of elements at @k rows of positions. */
static void
find_places (const Columns *self,
             gsize          k,
             guint32       *places)
{
  const guint32 width = (guint32) self->planes.width, *positions = self->planes.positions;

  for (gsize row = 0; row < k; row++, places += width, positions += width)
    for (guint32 i = 0; i < width; i++)
      places[i] = positions[i] * width + i;
}

/* Sorts the numbers, of which the first @k rows are needed. */
static void
sort_numbers (const Columns *self,
              gsize          k)
{
  const GhloCpuSort *routines = &ghlo_cpu_routines ()->sort;

  if (k < self->row->n)
    routines->select[self->kind.width] (self->planes.numbers, self->row->n, self->planes.width, k);
  else
    routines->columns[self->kind.width] (self->planes.numbers, self->row->n, self->planes.width);
}

/* Makes numbers of ranks, and sorts them by these and then by row. The first @k rows are needed. */
static void
sort_ranks (Columns       *self,
            gboolean       wide,
            gconstpointer  ranks,
            guint          cut,
            guint          width,
            gsize          k)
{
  self->kind.width = width;
  ghlo_cpu_routines ()->sort.number[wide ? GHLO_CPU_SORT_64 : GHLO_CPU_SORT_32][width] (
    ranks, self->row->n, self->planes.width, self->least, cut, self->kind.low, self->planes.numbers);
  sort_numbers (self, k);
  find_positions (self, k);
}

/* Ranks, at the first @k rows of places, become numbers. */
static void
fetch_ranks (Columns       *self,
             const guint32 *places,
             gsize          k)
{
  ghlo_cpu_sort_fetch (sizeof (guint64), (const guint8 *) self->planes.ranks, self->planes.numbers, places,
                       k * self->planes.width);
}

/* Sorts ranks that are longer than numbers by @cut bits without these bits, which mostly decide nothing. FALSE where
 * they do. */
static gboolean
sort_upper (Columns *self,
            guint    cut)
{
  const gsize width = self->planes.width, n = (self->k - 1) * width;
  const guint64 *ranks = (gconstpointer) self->planes.numbers;
  gboolean descends = FALSE;

  sort_ranks (self, TRUE, self->planes.ranks, cut, GHLO_CPU_SORT_64, self->k);
  find_places (self, self->k, self->planes.places);
  fetch_ranks (self, self->planes.places, self->k);
  for (gsize i = 0; i < n; i++)
    descends |= ranks[i] > ranks[i + width];

  return !descends && ghlo_cpu_routines ()->sort.has_least (self->planes.ranks, self->row->n, width, self->least, cut,
                                                            ranks + n, self->k);
}

/* Sorts them by the lower bits first, as many as a small number has. */
static void
sort_halves (Columns *self,
             guint    cut)
{
  const Planes *planes = &self->planes;
  guint32 width = (guint32) planes->width;

  sort_ranks (self, TRUE, planes->ranks, 0, GHLO_CPU_SORT_32, self->row->n);
  find_places (self, self->row->n, planes->old_places);
  fetch_ranks (self, planes->old_places, self->row->n);
  sort_ranks (self, TRUE, planes->numbers, cut, GHLO_CPU_SORT_64, self->k);
  find_places (self, self->k, planes->places);
  for (gsize i = 0; i < self->k * width; i++)
    {
      planes->places[i] = planes->old_places[planes->places[i]];
      planes->positions[i] = planes->places[i] / width;
    }
  fetch_ranks (self, planes->places, self->k);
}

/* Sorts records of ranks. */
static void
sort_records (Columns  *self,
              gboolean  wide)
{
  const gsize n = self->row->n, width = self->planes.width;
  const guint low = g_bit_storage (n - 1);
  guint32 *narrow = (gpointer) self->planes.ranks;
  guint64 greatest;
  guint bits;

  /* Columns without elements are sorted as well, and do not add to the bits. */
  for (gsize i = 0; self->n_rows < width && i < n; i++)
    for (gsize j = self->n_rows; j < width; j++)
      if (wide)
        self->planes.ranks[i * width + j] = self->planes.ranks[i * width];
      else
        narrow[i * width + j] = narrow[i * width];
  ghlo_cpu_routines ()->sort.span[wide ? GHLO_CPU_SORT_64 : GHLO_CPU_SORT_32] (self->planes.ranks, n * width,
                                                                               &self->least, &greatest);
  bits = low + (greatest > self->least ? 64 - (guint) __builtin_clzll (greatest - self->least) : 0);
  self->kind.low = low;
  if (bits <= 64)
    {
      sort_ranks (self, wide, self->planes.ranks, 0, bits <= 32 ? GHLO_CPU_SORT_32 : GHLO_CPU_SORT_64, self->k);
      return;
    }
  if (!sort_upper (self, bits - 64))
    sort_halves (self, bits - 64);
  /* Numbers are ranks now. */
  self->kind.width = GHLO_CPU_SORT_64;
  self->kind.low = 0;
  self->least = 0;
}

/* Whether elements of the only key can be told from their ranks, after @found was found among them. */
static gboolean
is_exact (const GhloCpuSortRow *row,
          guint                 found)
{
  const GhloSortKey *key = &row->comparator.keys[0];

  return found == 0 && row->comparator.n_keys == 1 && key->size == key->element_size && !row->ranks[0].table;
}

/* Stores elements of the only key in the plane of sorted ones. */
static void
find_elements (const Columns *self,
               guint          size)
{
  ghlo_cpu_routines ()->sort.unrank[self->kind.width][g_bit_storage (size) - 1] (
    &self->row->ranks[0], self->planes.numbers, self->k * self->planes.width, self->kind.low, self->least,
    self->planes.sorted);
}

static void
store_records (const Columns         *self,
               const GhloCpuSortRows *from,
               const GhloCpuSortRows *to,
               const GhloCpuSortRows *positions)
{
  const GhloCpuSortRow *row = self->row;

  if (row->n_operands > 1 || !self->is_exact)
    find_places (self, self->k, self->planes.places);
  for (guint i = 0; i < row->n_operands; i++)
    {
      guint size = row->sizes[i];
      GhloCpuSortRows sorted = plane_rows (self, self->planes.sorted, size);

      if (self->is_exact && i == row->comparator.keys[0].operand)
        find_elements (self, size);
      else
        {
          load_elements (self, &from[i], 0, size);
          ghlo_cpu_sort_fetch (size, self->planes.elements, sorted.data, self->planes.places,
                               self->k * self->planes.width);
        }
      ghlo_cpu_sort_rows_copy (&sorted, &to[i], self->n_rows, self->k);
    }
  if (positions != NULL)
    {
      GhloCpuSortRows source = plane_rows (self, (guint8 *) self->planes.positions, 4);

      ghlo_cpu_sort_rows_copy (&source, positions, self->n_rows, self->k);
    }
}

static void
store_values (const Columns         *self,
              const GhloCpuSortRows *to)
{
  guint size = self->row->sizes[0];
  GhloCpuSortRows sorted = plane_rows (self, self->planes.sorted, size);

  find_elements (self, size);
  ghlo_cpu_sort_rows_copy (&sorted, to, self->n_rows, self->k);
}

gboolean
ghlo_cpu_sort_columns_run (const GhloCpuSortRow  *row,
                           gsize                  n_rows,
                           gsize                  k,
                           const GhloCpuSortRows *from,
                           const GhloCpuSortRows *to,
                           const GhloCpuSortRows *positions,
                           gpointer               scratch)
{
  gboolean records = !row->values || row->ranks[0].table || positions != NULL, unordered = FALSE;
  Columns self = { .row = row, .n_rows = n_rows, .k = k, .planes = find_planes (row, n_rows, scratch) };

  if (!records)
    {
      self.kind = ghlo_cpu_sort_numbers (&row->all, FALSE, 0);
      records = load_ranks (&self, from, self.kind.width == GHLO_CPU_SORT_64, self.planes.numbers, &unordered) != 0;
      if (!records)
        {
          sort_numbers (&self, k);
          store_values (&self, to);
          return TRUE;
        }
    }
  self.is_exact = is_exact (row, load_ranks (&self, from, row->all.bits > 32, self.planes.ranks, &unordered));
  if (unordered)
    return FALSE;
  sort_records (&self, row->all.bits > 32);
  store_records (&self, from, to, positions);

  return TRUE;
}
