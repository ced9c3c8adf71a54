/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ways to copy a block: units that registers hold, larger units, one unit repeated, or elements converted row by
 * row.
 */

#include "cpu/move/copy.h"

#include <string.h>

enum { CHUNK = 1024, BLOCK = 64, PATTERN = 512, SHORT_ROW = 8 };

/* Units of up to 64 bytes are copied by two overlapping moves of a constant size, since a call costs more. */
#define UNITS(SIZE) \
  if (size >= SIZE) \
    { \
      for (gsize i = 0; i < n; i++, to += to_stride) \
        { \
          const guint8 *unit = offsets != NULL ? from + offsets[i] : from + (gint64) i * from_stride; \
          guint8 head[SIZE], tail[SIZE]; \
\
          memcpy (head, unit, SIZE); \
          memcpy (tail, unit + size - SIZE, SIZE); \
          memcpy (to, head, SIZE); \
          memcpy (to + size - SIZE, tail, SIZE); \
        } \
      return; \
    }

void
ghlo_cpu_copy_units (const guint8 *from,
                     const gint64 *offsets,
                     gint64        from_stride,
                     guint8       *to,
                     gint64        to_stride,
                     gsize         n,
                     gsize         size)
{
  if (size > 64)
    {
      for (gsize i = 0; i < n; i++)
        memcpy (to + (gint64) i * to_stride,
                from + (offsets != NULL ? offsets[i] : (gint64) i * from_stride), size);
      return;
    }
  UNITS (32)
  UNITS (16)
  UNITS (8)
  UNITS (4)
  UNITS (2)
  UNITS (1)
}

static void
copy_units (const GhloCpuCopy       *self,
            const GhloCpuCopyTables *tables,
            const guint8            *from,
            guint8                  *to,
            gsize                    rows,
            gsize                    columns)
{
  const guint last = self->rank - 1, inner = columns < SHORT_ROW && rows > columns ? last - 1 : last;
  const guint outer = inner == last ? last - 1 : last;

  for (gsize i = 0; i < (inner == last ? rows : columns); i++)
    ghlo_cpu_copy_units (from + (gint64) i * self->from[outer], NULL, self->from[inner],
                         to + (gint64) i * self->to[outer], self->to[inner], inner == last ? columns : rows,
                         self->to_unit);
}

static void
copy_plane (const GhloCpuCopy       *self,
            const GhloCpuCopyTables *tables,
            const guint8            *from,
            guint8                  *to,
            gsize                    rows,
            gsize                    columns)
{
  guint last = self->rank - 1;

  self->plane (from, self->from[last - 1], self->from[last], to, self->to[last - 1], self->to[last], rows, columns);
}

/* Fills in the offsets of a group of dimensions, the last of which is the fastest. */
static void
fill_offsets (const GhloCpuCopy *self,
              guint              first,
              guint              end,
              const gint64      *strides,
              gint64            *offsets)
{
  gsize n = 1;

  offsets[0] = 0;
  for (guint d = end; d > first; d--)
    {
      for (gsize i = n; i < n * (gsize) self->steps[d - 1]; i++)
        offsets[i] = offsets[i - n] + strides[d - 1];
      n *= (gsize) self->steps[d - 1];
    }
}

void
ghlo_cpu_copy_fill_tables (const GhloCpuCopy *self,
                           GhloCpuCopyTables *tables)
{
  const guint column = self->rank - self->n_columns, row = column - self->n_rows;

  fill_offsets (self, row, column, self->to, tables->rows);
  fill_offsets (self, column, self->rank, self->from, tables->columns);
}

static void
copy_tables (const GhloCpuCopy       *self,
             const GhloCpuCopyTables *tables,
             const guint8            *from,
             guint8                  *to,
             gsize                    rows,
             gsize                    columns)
{
  const guint column = self->rank - self->n_columns, row = column - self->n_rows;

  self->table (from, tables->columns, to, tables->rows, rows * (gsize) ghlo_cpu_copy_inner (self, row, column),
               columns * (gsize) ghlo_cpu_copy_inner (self, column, self->rank));
}

static void
shuffle_block (const GhloCpuCopy       *self,
               const GhloCpuCopyTables *tables,
               const guint8            *from,
               guint8                  *to,
               gsize                    rows,
               gsize                    columns)
{
  const guint column = self->rank - self->n_columns;

  ghlo_cpu_routines ()->shuffle (&self->shuffle, from, self->from[column - 1], self->from[column], to,
                                 self->to[column - 1], self->to[column], rows, columns, (gsize) self->cut);
}

/* Repeats one unit @n times. While the written part is short, it is doubled; after that a pattern of many units is
 * written at a time. */
static void
fill_row (guint8       *to,
          const guint8 *from,
          gsize         unit,
          gsize         n)
{
  gsize n_bytes = n * unit, done = unit;

  if (unit == 1)
    {
      memset (to, from[0], n);
      return;
    }
  memcpy (to, from, unit);
  while (done < n_bytes)
    {
      gsize part = MIN (done, n_bytes - done);

      if (part >= PATTERN)
        part = MIN (n_bytes - done, PATTERN / unit * unit);
      memcpy (to + done, to, part);
      done += part;
    }
}

static void
fill_rows (const GhloCpuCopy       *self,
           const GhloCpuCopyTables *tables,
           const guint8            *from,
           guint8                  *to,
           gsize                    rows,
           gsize                    columns)
{
  guint last = self->rank - 1;

  for (gsize i = 0; i < rows; i++)
    fill_row (to + (gint64) i * self->to[last - 1], from + (gint64) i * self->from[last - 1], self->to_unit, columns);
}

static void
convert_row (const GhloCpuCopy *self,
             const guint8      *from,
             gint64             from_stride,
             guint8            *to,
             gint64             to_stride,
             gsize              n)
{
  if (self->writer.same && to_stride == (gint64) self->to_unit)
    ghlo_cpu_read_row (&self->reader, from, from_stride, to, n);
  else if (self->reader.same && from_stride == (gint64) self->from_unit)
    ghlo_cpu_write_row (&self->writer, from, to, to_stride, n);
  else
    for (gsize i = 0; i < n; i += CHUNK)
      {
        float numbers[CHUNK];
        gsize part = MIN (CHUNK, n - i);

        ghlo_cpu_read_row (&self->reader, from + (gint64) i * from_stride, from_stride, numbers, part);
        ghlo_cpu_write_row (&self->writer, numbers, to + (gint64) i * to_stride, to_stride, part);
      }
}

static void
convert_rows (const GhloCpuCopy       *self,
              const GhloCpuCopyTables *tables,
              const guint8            *from,
              guint8                  *to,
              gsize                    rows,
              gsize                    columns)
{
  guint last = self->rank - 1;

  for (gsize i = 0; i < rows; i++)
    convert_row (self, from + (gint64) i * self->from[last - 1], self->from[last],
                 to + (gint64) i * self->to[last - 1], self->to[last], columns);
}

/* Converts a block whose columns are adjacent in the source: each column is converted to f32, then tiles of columns
 * are transposed. */
static void
convert_transposed (const GhloCpuCopy       *self,
                    const GhloCpuCopyTables *tables,
                    const guint8            *from,
                    guint8                  *to,
                    gsize                    rows,
                    gsize                    columns)
{
  guint last = self->rank - 1;
  float numbers[BLOCK * BLOCK];

  for (gsize i = 0; i < rows; i += BLOCK)
    for (gsize j = 0; j < columns; j += BLOCK)
      {
        gsize n = MIN (BLOCK, rows - i), n_columns = MIN (BLOCK, columns - j);

        for (gsize column = 0; column < n_columns; column++)
          ghlo_cpu_read_row (&self->reader, from + (gint64) i * self->from[last - 1]
                             + (gint64) (j + column) * self->from[last],
                             (gint64) self->from_unit, numbers + column * BLOCK, n);
        self->plane ((const guint8 *) numbers, sizeof (float), BLOCK * sizeof (float),
                     to + (gint64) i * self->to[last - 1] + (gint64) j * self->to[last],
                     self->to[last - 1], self->to[last], n, n_columns);
      }
}

/* The index in GhloCpuRoutines of units of @size bytes; -1 where registers do not hold them. */
static int
unit_index (gsize size)
{
  return size <= 16 && (size & (size - 1)) == 0 ? __builtin_ctzll (size) : -1;
}

void
ghlo_cpu_copy_choose_block (GhloCpuCopy *self)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  guint last = self->rank - 1;
  int unit = unit_index (self->to_unit);
  gboolean transposes = self->from[last - 1] == (gint64) self->from_unit && self->to[last] == (gint64) self->to_unit
                        && self->from[last] != 0;

  if (self->shuffles)
    self->block = shuffle_block;
  else if (self->has_tables)
    {
      self->block = copy_tables;
      self->table = routines->transpose_at[unit];
    }
  else if (self->reader.size != 0)
    {
      transposes = transposes && self->writer.same;
      self->block = transposes ? convert_transposed : convert_rows;
      self->plane = transposes ? routines->transpose[unit] : NULL;
    }
  else if (self->from[last] == 0 && self->to[last] == (gint64) self->to_unit && self->sizes[last] >= 8
           && self->to_unit <= PATTERN)
    self->block = fill_rows;
  else if (unit >= 0)
    {
      self->block = copy_plane;
      self->plane = !transposes ? routines->move[unit]
                    : self->streams ? routines->stream[unit]
                    : routines->transpose[unit];
    }
  else
    self->block = copy_units;
}
