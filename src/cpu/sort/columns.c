/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Short rows become columns of numbers, as row.h describes. All columns are a plane, whose rows hold one element of
 * each of them. The numbers of equal elements are ordered by the places of the elements in the plane.
 */

#include "cpu/sort/columns.h"

#include "base/sizes.h"

#include <string.h>

/* The fewest rows that are sorted side by side, and their greatest length. */
enum { MIN_LANES = 4, MAX_LENGTH = 256 };

/* Numbers of a plane, unless sixteen columns have more, and the most columns. */
enum { PLANE = 4096, MAX_COLUMNS = 1024 };

/* Planes in the scratch, of @width columns. */
typedef struct
{
  gsize   width;
  guint8 *numbers;
  guint8 *ranks;              /* of 64 bits, for numbers of 128 */
  guint8 *elements, *sorted;  /* of one operand */
  guint8 *places;             /* 32 bits for each number: the place of its element in the plane */
} Planes;

typedef struct
{
  const GhloCpuSortRow *row;
  gsize                 n_rows, k;
  GhloCpuSortNumbers    kind;
  Planes                planes;
} Columns;

gboolean
ghlo_cpu_sort_columns_takes (const GhloCpuSortRow *row,
                             gsize                 n_lanes)
{
  return n_lanes >= MIN_LANES && row->n > 1 && row->n <= MAX_LENGTH && row->all.bits <= 64;
}

gsize
ghlo_cpu_sort_columns_most (const GhloCpuSortRow *row)
{
  gsize n = PLANE / MAX (row->n, 1) / GHLO_CPU_SORT_COLUMNS * GHLO_CPU_SORT_COLUMNS;

  return CLAMP (n, GHLO_CPU_SORT_COLUMNS, MAX_COLUMNS);
}

/* Lays out the planes; their addresses are then offsets from @scratch. */
static gboolean
find_planes (const GhloCpuSortRow *row,
             gsize                 n_rows,
             guint8               *scratch,
             Planes               *planes,
             gsize                *size)
{
  gsize n, numbers, ranks, elements, sorted, places;

  planes->width = ghlo_size_ceil_div (n_rows, GHLO_CPU_SORT_COLUMNS) * GHLO_CPU_SORT_COLUMNS;
  *size = 0;
  if (!ghlo_size_mul (&n, planes->width, row->n) || !ghlo_size_reserve (size, &numbers, n, sizeof (GhloCpuU128))
      || !ghlo_size_reserve (size, &ranks, n, sizeof (guint64))
      || !ghlo_size_reserve (size, &elements, n, row->most_size)
      || !ghlo_size_reserve (size, &sorted, n, row->most_size)
      || !ghlo_size_reserve (size, &places, n, sizeof (guint32)))
    return FALSE;
  planes->numbers = scratch + numbers;
  planes->ranks = scratch + ranks;
  planes->elements = scratch + elements;
  planes->sorted = scratch + sorted;
  planes->places = scratch + places;

  return TRUE;
}

gboolean
ghlo_cpu_sort_columns_scratch (const GhloCpuSortRow *row,
                               gsize                 n_rows,
                               gsize                *scratch)
{
  Planes planes;

  return find_planes (row, n_rows, NULL, &planes, scratch);
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

/* Computes the numbers. Returns what was found among the elements of keys, as ghlo_cpu_sort_key_append (). */
static guint
load_numbers (const Columns         *self,
              const GhloCpuSortRows *from,
              gboolean              *unordered)
{
  const GhloCpuSortRow *row = self->row;
  gboolean wide = self->kind.width != GHLO_CPU_SORT_32;
  guint8 *ranks = self->kind.width == GHLO_CPU_SORT_128 ? self->planes.ranks : self->planes.numbers;
  gsize n = self->planes.width * row->n;
  guint all = 0;

  *unordered = FALSE;
  for (guint k = 0; k < row->comparator.n_keys; k++)
    {
      GhloSortKey part = row->comparator.keys[k];
      guint found;

      load_elements (self, &from[part.operand], part.offset, part.size);
      part.offset = 0;
      found = ghlo_cpu_sort_key_append (&part, &row->ranks[k], self->planes.elements, part.size, NULL, n, k > 0, wide,
                                        ranks);
      *unordered |= part.partial && found & GHLO_CPU_RANK_NANS;
      all |= found;
    }
  if (self->kind.records)
    ghlo_cpu_routines ()->sort.place[self->kind.width] (ranks, n, self->kind.low, 0, self->planes.numbers);

  return all;
}

/* Finds the places of the elements of the first @k sorted numbers of each column. */
static void
find_places (const Columns *self,
             guint32       *places)
{
  gsize n = self->k * self->planes.width;
  guint32 mask = self->kind.low < 32 ? (1u << self->kind.low) - 1 : G_MAXUINT32;
  const guint32 *u32 = (gconstpointer) self->planes.numbers;
  const guint64 *u64 = (gconstpointer) self->planes.numbers;
  const GhloCpuU128 *u128 = (gconstpointer) self->planes.numbers;

  if (self->kind.width == GHLO_CPU_SORT_32)
    for (gsize i = 0; i < n; i++)
      places[i] = u32[i] & mask;
  else if (self->kind.width == GHLO_CPU_SORT_64)
    for (gsize i = 0; i < n; i++)
      places[i] = (guint32) u64[i] & mask;
  else
    for (gsize i = 0; i < n; i++)
      places[i] = (guint32) u128[i];
}

static void
store_records (const Columns         *self,
               const GhloCpuSortRows *from,
               const GhloCpuSortRows *to,
               const GhloCpuSortRows *positions)
{
  const GhloCpuSortRow *row = self->row;
  guint32 *places = (gpointer) self->planes.places, width = (guint32) self->planes.width;
  gsize n = self->k * width;

  find_places (self, places);
  for (guint i = 0; i < row->n_operands; i++)
    {
      guint size = row->sizes[i];
      GhloCpuSortRows sorted = plane_rows (self, self->planes.sorted, size);

      load_elements (self, &from[i], 0, size);
      ghlo_cpu_sort_fetch (size, self->planes.elements, sorted.data, places, n);
      ghlo_cpu_sort_rows_copy (&sorted, &to[i], self->n_rows, self->k);
    }
  if (positions != NULL)
    {
      GhloCpuSortRows source = plane_rows (self, self->planes.places, 4);
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

  ghlo_cpu_routines ()->sort.unrank[g_bit_storage (size) - 1] (&self->row->ranks[0], self->planes.numbers,
                                                               self->k * self->planes.width, sorted.data);
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
  const GhloCpuSort *routines = &ghlo_cpu_routines ()->sort;
  gboolean records = !row->values || row->ranks[0].table || positions != NULL, unordered;
  Columns self = { .row = row, .n_rows = n_rows, .k = k };
  gsize ignored;

  find_planes (row, n_rows, scratch, &self.planes, &ignored);
  self.kind = ghlo_cpu_sort_numbers (&row->all, records, self.planes.width * row->n);
  if (load_numbers (&self, from, &unordered) != 0 && !records && !unordered)
    {
      records = TRUE;
      self.kind = ghlo_cpu_sort_numbers (&row->all, TRUE, self.planes.width * row->n);
      load_numbers (&self, from, &unordered);
    }
  if (unordered)
    return FALSE;
  if (k < row->n)
    routines->select[self.kind.width] (self.planes.numbers, row->n, self.planes.width, k);
  else
    routines->columns[self.kind.width] (self.planes.numbers, row->n, self.planes.width);
  if (records)
    store_records (&self, from, to, positions);
  else
    store_values (&self, to);

  return TRUE;
}
