/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Short rows become columns of numbers, as row.h describes. All columns are a plane, whose rows hold one element of
 * each of them. The numbers of equal elements are ordered by the places of the elements in the plane.
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
  guint64 *ranks;               /* that do not fit into numbers beside places */
  guint8  *elements, *sorted;   /* of one operand */
  guint32 *places, *old_places; /* of the elements of numbers in the plane; as sorted by the lower bits of ranks */
} Planes;

typedef struct
{
  const GhloCpuSortRow *row;
  gsize                 n_rows, k;
  GhloCpuSortNumbers    kind;
  Planes                planes;
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
  return width_of (n_rows) * row->n * (2 * sizeof (guint64) + 2 * sizeof (guint32) + 2 * row->most_size);
}

static Planes
find_planes (const GhloCpuSortRow *row,
             gsize                 n_rows,
             guint64              *scratch)
{
  gsize n = width_of (n_rows) * row->n;
  Planes planes = { .width = width_of (n_rows), .numbers = (guint8 *) scratch, .ranks = scratch + n };

  planes.places = (gpointer) (planes.ranks + n);
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

/* Finds the places of the elements of @k rows of numbers. */
static void
find_places (const Columns *self,
             gsize          k,
             guint32       *places)
{
  gsize n = k * self->planes.width;
  guint32 mask = (1u << self->kind.low) - 1;
  const guint32 *u32 = (gconstpointer) self->planes.numbers;
  const guint64 *u64 = (gconstpointer) self->planes.numbers;

  if (self->kind.width == GHLO_CPU_SORT_32)
    for (gsize i = 0; i < n; i++)
      places[i] = u32[i] & mask;
  else
    for (gsize i = 0; i < n; i++)
      places[i] = (guint32) u64[i] & mask;
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

/* Sorts ranks that do not fit into numbers beside places: by the @cut lower bits first, which are no more than a place
 * has. */
static void
sort_halves (Columns *self,
             guint    cut)
{
  const Planes *planes = &self->planes;
  guint32 *lower = (gpointer) planes->numbers, mask = (1u << cut) - 1;
  guint64 *upper = (gpointer) planes->numbers;
  gsize n = planes->width * self->row->n;
  guint low = self->kind.low;

  for (gsize i = 0; i < n; i++)
    lower[i] = ((guint32) planes->ranks[i] & mask) << low | (guint32) i;
  self->kind.width = GHLO_CPU_SORT_32;
  sort_numbers (self, self->row->n);
  find_places (self, self->row->n, planes->old_places);
  for (gsize i = 0; i < n; i++)
    upper[i] = planes->ranks[planes->old_places[i]] >> cut << low | i;
  self->kind.width = GHLO_CPU_SORT_64;
  sort_numbers (self, self->k);
  find_places (self, self->k, planes->places);
  for (gsize i = 0; i < self->k * planes->width; i++)
    planes->places[i] = planes->old_places[planes->places[i]];
  if (self->is_exact)
    ghlo_cpu_sort_fetch (sizeof (guint64), (const guint8 *) planes->ranks, planes->numbers, planes->places,
                         self->k * planes->width);
  self->kind.low = 0;
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
    &self->row->ranks[0], self->planes.numbers, self->k * self->planes.width, self->kind.low, self->planes.sorted);
}

static void
store_records (const Columns         *self,
               const GhloCpuSortRows *from,
               const GhloCpuSortRows *to,
               const GhloCpuSortRows *positions)
{
  const GhloCpuSortRow *row = self->row;
  guint32 *places = self->planes.places, width = (guint32) self->planes.width;
  gsize n = self->k * width;

  for (guint i = 0; i < row->n_operands; i++)
    {
      guint size = row->sizes[i];
      GhloCpuSortRows sorted = plane_rows (self, self->planes.sorted, size);

      if (self->is_exact && i == row->comparator.keys[0].operand)
        find_elements (self, size);
      else
        {
          load_elements (self, &from[i], 0, size);
          ghlo_cpu_sort_fetch (size, self->planes.elements, sorted.data, places, n);
        }
      ghlo_cpu_sort_rows_copy (&sorted, &to[i], self->n_rows, self->k);
    }
  if (positions != NULL)
    {
      GhloCpuSortRows source = plane_rows (self, (guint8 *) places, 4);
      guint64 inverse = ((guint64) 1 << 32) / width + 1;

      /* Exact as long as places times width are below 2^32. */
      for (gsize i = 0; i < n; i++)
        places[i] = (guint32) (places[i] * inverse >> 32);
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
  guint bits;

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
  self.kind = ghlo_cpu_sort_numbers (&row->all, TRUE, self.planes.width * row->n);
  bits = row->all.bits + self.kind.low;
  self.is_exact = is_exact (row, load_ranks (&self, from, self.kind.width == GHLO_CPU_SORT_64,
                                             bits > 64 ? (gpointer) self.planes.ranks : self.planes.numbers,
                                             &unordered));
  if (unordered)
    return FALSE;
  if (bits > 64)
    sort_halves (&self, bits - 64);
  else
    {
      ghlo_cpu_routines ()->sort.place[self.kind.width] (self.planes.numbers, self.planes.width * row->n,
                                                         self.kind.low, 0);
      sort_numbers (&self, k);
      find_places (&self, k, self.planes.places);
    }
  store_records (&self, from, to, positions);

  return TRUE;
}
