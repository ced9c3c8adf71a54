/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which dimensions of a copy are the rows and the columns of its blocks. Where one is too short for either, dimensions
 * next to it join it. Where blocks stay too narrow, each register of the result is picked from a few registers of the
 * source, if these hold all of it.
 */

#include "cpu/move/copy.h"

#include <math.h>

/* Rows and columns of fewer bytes grow. SIDE_BYTES: of a square in registers. */
enum { ROW_BYTES = 64, COLUMN_BYTES = 128, SIDE_BYTES = 16 };

/* Approximate cycles for each byte that is transposed in registers, or in narrow planes; for each unit that is moved
 * alone, along a row and where rows are short; and of a shuffle for each place and each part. */
#define SQUARE_CYCLES 0.2
#define NARROW_CYCLES 0.6
#define UNIT_CYCLES   1.5
#define SHORT_CYCLES  4.0
#define PLACE_CYCLES  2.0
#define PART_CYCLES   3.0

/* Bytes of a block of shuffles, and the fewest rows that are worth a loop of them. */
enum { SHUFFLED_BYTES = 16 << 10, FEW_ROWS = 4 };

/* Dimensions (bits) that are rows, adjacent in the source, and columns, adjacent in the destination. */
typedef struct
{
  guint64 rows, columns;
  gint64  n_rows, n_columns;
} Groups;

/* Adds the dimension whose elements follow those of the group; FALSE where there is none, or it is in @other. */
static gboolean
grow (const GhloCpuCopy *self,
      const gint64      *strides,
      guint64            other,
      guint64           *group,
      gint64            *n)
{
  for (guint i = 0; i < self->rank; i++)
    if (((*group | other) >> i & 1) == 0 && strides[i] == *n * (gint64) self->to_unit)
      {
        *group |= (guint64) 1 << i;
        *n *= self->sizes[i];
        return TRUE;
      }

  return FALSE;
}

/* FALSE where the source's smallest stride is that of the last dimension. */
static gboolean
find_groups (const GhloCpuCopy *self,
             gboolean           is_raw,
             Groups            *groups)
{
  const guint last = self->rank - 1;
  const gint64 unit = (gint64) self->to_unit;
  guint best = last;
  gboolean grows = is_raw && self->to_unit <= SIDE_BYTES && (self->to_unit & (self->to_unit - 1)) == 0;

  for (guint i = 0; i < last; i++)
    if (self->from[i] != 0 && self->from[last] != 0 && ABS (self->from[i]) < ABS (self->from[best]))
      best = i;
  *groups = (Groups) { (guint64) 1 << best, (guint64) 1 << last, self->sizes[best], self->sizes[last] };
  if (best == last)
    return FALSE;
  grows = grows && self->from[best] == unit && self->to[last] == unit;
  while (grows)
    {
      const gboolean more_columns = groups->n_columns * unit < COLUMN_BYTES;
      const gboolean more_rows = groups->n_rows * unit < ROW_BYTES;

      grows = FALSE;
      if (more_columns && (!more_rows || groups->n_columns <= groups->n_rows))
        grows = grow (self, self->to, groups->rows, &groups->columns, &groups->n_columns);
      if (more_rows && !grows)
        grows = grow (self, self->from, groups->columns, &groups->rows, &groups->n_rows);
      if (more_columns && !grows)
        grows = grow (self, self->to, groups->rows, &groups->columns, &groups->n_columns);
    }

  return TRUE;
}

/* Moves the dimensions of @groups to the end: rows, the slowest in the source first, and then columns. */
static void
apply_groups (GhloCpuCopy  *self,
              const Groups *groups)
{
  GhloCpuCopy old = *self;
  guint n = 0;

  for (guint pass = 0; pass < 3; pass++)
    for (guint i = 0, first = n; i < self->rank; i++)
      {
        const guint group = (groups->columns >> i & 1) != 0 ? 2 : groups->rows >> i & 1;
        guint at = n;

        if (group != pass)
          continue;
        for (; pass == 1 && at > first && ABS (self->from[at - 1]) < ABS (old.from[i]); at--)
          {
            self->sizes[at] = self->sizes[at - 1];
            self->from[at] = self->from[at - 1];
            self->to[at] = self->to[at - 1];
          }
        self->sizes[at] = old.sizes[i];
        self->from[at] = old.from[i];
        self->to[at] = old.to[i];
        n++;
      }
  self->n_rows = (guint) __builtin_popcountll (groups->rows);
  self->n_columns = (guint) __builtin_popcountll (groups->columns);
}

/* Finds parts of the source that hold @n units of the last dimensions, the slowest of which is @first. */
static gboolean
find_parts (const GhloCpuCopy *self,
            guint              first,
            gint64             n,
            GhloCpuShuffle    *shuffle)
{
  const gint64 unit = (gint64) self->to_unit;
  gint64 offsets[GHLO_CPU_SHUFFLE_BYTES], least;
  guint64 left = 0;

  *shuffle = (GhloCpuShuffle) { .n_bytes = (guint64) (n * unit) };
  for (gint64 i = 0; i < n; i++)
    {
      gint64 rest = i;

      offsets[i] = 0;
      for (guint d = self->rank; d > first; d--)
        {
          const gint64 index = d - 1 == first ? rest : rest % self->sizes[d - 1];

          offsets[i] += index * self->from[d - 1];
          rest /= self->sizes[d - 1];
        }
      left |= (guint64) 1 << i;
    }
  while (left != 0)
    {
      const guint k = shuffle->n_parts++;

      if (k == GHLO_CPU_SHUFFLE_MAX_PARTS)
        return FALSE;
      least = G_MAXINT64;
      for (gint64 i = 0; i < n; i++)
        if ((left >> i & 1) != 0)
          least = MIN (least, offsets[i]);
      shuffle->offsets[k] = least;
      for (gint64 i = 0; i < n; i++)
        if ((left >> i & 1) != 0 && offsets[i] + unit <= least + GHLO_CPU_SHUFFLE_BYTES)
          {
            left &= ~((guint64) 1 << i);
            for (gint64 j = 0; j < unit; j++)
              {
                shuffle->places[k][i * unit + j] = (guint8) (offsets[i] - least + j);
                shuffle->loads[k] |= (guint64) 1 << (offsets[i] - least + j);
                shuffle->stores[k] |= (guint64) 1 << (i * unit + j);
              }
          }
    }

  return TRUE;
}

/* Returns the cycles for each byte of the best shuffle, which begins at the dimension *@first. */
static double
find_shuffle (GhloCpuCopy *self,
              guint       *first)
{
  const gint64 unit = (gint64) self->to_unit;
  double best = G_MAXDOUBLE;
  gint64 n = 1;

  for (guint i = self->rank; i > 0 && self->to[i - 1] == n * unit && n * unit <= GHLO_CPU_SHUFFLE_BYTES; i--)
    {
      const gint64 size = self->sizes[i - 1], most = MIN (GHLO_CPU_SHUFFLE_BYTES / (n * unit), size);

      /* Registers of the same number of elements; then of half as many, and so on. */
      for (gint64 next = ghlo_ceil_div (size, ghlo_ceil_div (size, most)), cut = 0; next != cut; next = (cut + 1) / 2)
        {
          GhloCpuShuffle shuffle;
          double cycles;

          cut = next;
          if (!find_parts (self, i - 1, n * cut, &shuffle))
            continue;
          cycles = (PLACE_CYCLES + PART_CYCLES * shuffle.n_parts) / (double) (n * cut * unit);
          if (cycles < best)
            {
              best = cycles;
              *first = i - 1;
              self->cut = cut;
              self->shuffle = shuffle;
            }
        }
      n *= size;
    }

  return best;
}

/* Returns the cycles for each byte of blocks without shuffles. */
static double
find_cycles (const GhloCpuCopy *self,
             gboolean           crosses,
             const Groups      *groups)
{
  const double unit = (double) self->to_unit;
  const guint last = self->rank - 1;
  const gboolean in_registers = self->to_unit <= SIDE_BYTES && (self->to_unit & (self->to_unit - 1)) == 0;

  if (!in_registers || !crosses || self->to[last] != (gint64) self->to_unit)
    return (self->sizes[last] < 8 ? SHORT_CYCLES : UNIT_CYCLES) / unit;
  if ((double) MIN (groups->n_rows, groups->n_columns) * unit >= SIDE_BYTES)
    return SQUARE_CYCLES;

  return MIN (NARROW_CYCLES, SHORT_CYCLES / unit);
}

/* Makes the dimensions from @first on columns, and the one whose places are closest in the source rows. */
static Groups
find_rows (const GhloCpuCopy *self,
           guint              first)
{
  Groups groups = { .columns = ~(guint64) 0 << first & (~(guint64) 0 >> (GHLO_MAX_RANK - self->rank)) };
  guint rows = 0;

  for (guint i = 1; i < first; i++)
    if (self->sizes[rows] < FEW_ROWS ? self->sizes[i] > self->sizes[rows]
        : self->sizes[i] >= FEW_ROWS && ABS (self->from[i]) < ABS (self->from[rows]))
      rows = i;
  groups.rows = (guint64) 1 << rows;

  return groups;
}

gboolean
ghlo_cpu_copy_find_groups (GhloCpuCopy *self,
                           gboolean     is_raw)
{
  const guint last = self->rank - 1;
  Groups groups;
  gboolean crosses = find_groups (self, is_raw, &groups);
  guint first = last;

  self->n_rows = self->n_columns = 1;
  if (is_raw && self->to_unit <= GHLO_CPU_SHUFFLE_BYTES && ghlo_cpu_routines ()->shuffle != NULL && !self->streams
      && self->from[last] != 0 && ABS (self->from[last]) != (gint64) self->to_unit
      && find_shuffle (self, &first) < find_cycles (self, crosses, &groups))
    {
      self->shuffles = TRUE;
      groups = find_rows (self, first);
      apply_groups (self, &groups);

      return FALSE;
    }
  if (!crosses)
    return FALSE;
  apply_groups (self, &groups);
  self->has_tables = self->n_rows + self->n_columns > 2;

  return TRUE;
}

void
ghlo_cpu_copy_cut_groups (GhloCpuCopy *self)
{
  const guint first = self->rank - self->n_columns, row = first - self->n_rows;
  const gint64 unit = (gint64) self->to_unit;
  const gint64 n_rows = ghlo_cpu_copy_inner (self, row, first);
  const gint64 n_columns = ghlo_cpu_copy_inner (self, first, self->rank);
  gint64 rows, columns;

  if (self->shuffles)
    {
      /* Each block, the last one too, has enough for a register. */
      columns = MAX (SHUFFLED_BYTES / (n_columns * unit), 2 * (gint64) sqrt ((double) self->sizes[first]));
      columns = ghlo_ceil_div (self->sizes[first], ghlo_ceil_div (self->sizes[first], columns));
      rows = MAX (SHUFFLED_BYTES / (n_columns * columns * unit), 1);
    }
  else
    {
      columns = MAX (GHLO_CPU_COPY_MAX_COLUMNS / n_columns, 1);
      rows = MAX (GHLO_CPU_COPY_MAX_ROWS / n_rows, 1);
    }
  for (guint i = 0; i < self->rank; i++)
    self->steps[i] = i < row ? 1 : self->sizes[i];
  self->steps[row] = MIN (rows, self->sizes[row]);
  self->steps[first] = MIN (columns, self->sizes[first]);
}
