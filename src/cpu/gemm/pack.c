/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packs row by row where k is adjacent in memory, and k by k where the outer dimension is.
 */

#include "cpu/gemm/pack.h"

#include <string.h>

/* BUNDLES are written at the same time where the outer dimension is adjacent. Each is a separate stream of stores,
 * and many of them at equal distances would compete for the same few cache sets. */
enum { MAX_WIDTH = 64, BUNDLES = 4 };

/* AHEAD is the prefetch distance in steps of k. Each step may be on another page, where the processor's prefetcher
 * does not recognize a stream. */
enum { AHEAD = 8 };

gboolean
ghlo_cpu_packer_init (GhloCpuPacker     *self,
                      GhloElementType    type,
                      GhloCpuArithmetic  arithmetic,
                      guint              width,
                      const GhloCpuAxis *outer,
                      const GhloCpuAxis *k)
{
  gint64 size = ghlo_element_info (type)->size;
  gboolean k_adjacent = k->stride == size, outer_adjacent = outer->stride == size;

  if (!ghlo_cpu_reader_init (&self->reader, ghlo_element_type_real_part (type), arithmetic))
    return FALSE;
  if (ghlo_element_type_is_complex (type))
    ghlo_cpu_reader_pair (&self->reader);
  self->width = width;
  self->pairs = arithmetic == GHLO_CPU_I16;
  self->group_size = (guint) ghlo_cpu_sum_size (arithmetic) * self->reader.n_parts;
  self->along_k = k_adjacent != outer_adjacent ? k_adjacent : k->inner >= outer->inner;

  return TRUE;
}

gsize
ghlo_cpu_packer_size (const GhloCpuPacker *self,
                      gint64               n_outer,
                      gint64               n_k)
{
  gint64 numbers = ghlo_round_up (n_outer, self->width) * ghlo_cpu_packer_groups (self, n_k);

  return ghlo_size_align ((gsize) (numbers * self->group_size));
}

gsize
ghlo_cpu_packer_scratch (const GhloCpuPacker *self,
                         gint64               n_outer,
                         gint64               n_k)
{
  gint64 elements = self->along_k ? self->width * ghlo_round_up (n_k, 2) : 3 * ghlo_round_up (n_outer, 2);

  return ghlo_size_align ((gsize) (elements * self->group_size));
}

/* Returns @n adjacent, converted elements of an axis from @first on. Where the tensor's elements are like that
 * already, they are returned in place; else they are copied to @to. */
static const guint8 *
read_part (const GhloCpuReader *reader,
           const guint8        *data,
           const GhloCpuAxis   *axis,
           gint64               first,
           gint64               n,
           guint8              *to)
{
  guint8 *at = to;
  GhloCpuAxisCursor cursor;

  ghlo_cpu_axis_cursor_init (&cursor, axis, first);
  if (reader->same && (axis->stride == reader->size || n == 1) && cursor.left >= n)
    return data + cursor.at;

  for (gint64 part; n > 0; n -= part)
    {
      part = MIN (cursor.left, n);
      ghlo_cpu_read_row (reader, data + cursor.at, part == 1 ? reader->size : axis->stride, at, (gsize) part);
      at += (gsize) part * reader->to_size;
      ghlo_cpu_axis_cursor_next_run (&cursor, axis);
    }

  return to;
}

static GhloCpuInterleaveFunc
get_interleave (const GhloCpuPacker *self)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();

  return self->group_size == 4 ? routines->interleave4
         : self->group_size == 8 ? routines->interleave8 : routines->interleave16;
}

/* pack_along_k () where elements need no conversion and are adjacent along k, at least in its runs. */
static void
interleave_runs (const GhloCpuPacker *self,
                 const GhloCpuPart   *part,
                 guint8              *to)
{
  GhloCpuInterleaveFunc interleave = get_interleave (self);
  gint64 rows[MAX_WIDTH];
  gconstpointer pointers[MAX_WIDTH];

  for (gint64 begin = 0; begin < part->n_outer; begin += self->width)
    {
      guint n_rows = (guint) MIN (self->width, part->n_outer - begin);
      GhloCpuAxisCursor cursor;
      gint64 n;

      for (guint i = 0; i < n_rows; i++)
        rows[i] = ghlo_cpu_axis_at (part->outer, part->first_outer + begin + i);
      ghlo_cpu_axis_cursor_init (&cursor, part->k, part->first_k);
      for (gint64 left = part->n_k; left > 0; left -= n)
        {
          n = MIN (cursor.left, left);
          for (guint i = 0; i < n_rows; i++)
            pointers[i] = part->data + rows[i] + cursor.at;
          interleave (pointers, n_rows, self->width, (gsize) n, to);
          to += (gsize) (self->width * n) * self->group_size;
          ghlo_cpu_axis_cursor_skip (&cursor, part->k, n);
        }
    }
}

static void
pack_along_k (const GhloCpuPacker *self,
              const GhloCpuPart   *part,
              guint8              *scratch,
              guint8              *to)
{
  GhloCpuInterleaveFunc interleave = get_interleave (self);
  gsize groups = (gsize) ghlo_cpu_packer_groups (self, part->n_k);
  gsize outer_size = groups * self->group_size;
  gboolean is_odd = self->pairs && part->n_k % 2 != 0;
  gconstpointer pointers[MAX_WIDTH];

  if (self->reader.same && !self->pairs && part->k->stride == self->reader.size)
    {
      interleave_runs (self, part, to);
      return;
    }
  for (gint64 begin = 0; begin < part->n_outer; begin += self->width)
    {
      guint n = (guint) MIN (self->width, part->n_outer - begin);

      for (guint i = 0; i < n; i++)
        {
          guint8 *own = scratch + i * outer_size;
          const guint8 *row = part->data + ghlo_cpu_axis_at (part->outer, part->first_outer + begin + i);
          const guint8 *read = read_part (&self->reader, row, part->k, part->first_k, part->n_k, own);

          if (is_odd)
            {
              if (read != own)
                memcpy (own, read, (gsize) part->n_k * self->reader.to_size);
              memset (own + outer_size - self->reader.to_size, 0, self->reader.to_size);
              read = own;
            }
          pointers[i] = read;
        }
      interleave (pointers, n, self->width, groups, to);
      to += self->width * outer_size;
    }
}

/* The cases are the widths, in bytes, of the tiles of all levels, so that each copy becomes a few moves. */
static inline void
copy_bundle (guint8       *to,
             const guint8 *from,
             gsize         n)
{
  switch (n)
    {
    case 24: memcpy (to, from, 24); break;
    case 32: memcpy (to, from, 32); break;
    case 48: memcpy (to, from, 48); break;
    case 64: memcpy (to, from, 64); break;
    case 96: memcpy (to, from, 96); break;
    case 128: memcpy (to, from, 128); break;
    default: memcpy (to, from, n); break;
    }
}

/* Writes one k of all rows: one part into each bundle. */
static void
distribute (const GhloCpuPacker *self,
            const guint8        *from,
            gint64               n_outer,
            gsize                bundle_size,
            guint8              *to)
{
  gsize width = self->width * self->group_size;

  for (; n_outer >= self->width; n_outer -= self->width)
    {
      copy_bundle (to, from, width);
      from += width;
      to += bundle_size;
    }
  if (n_outer > 0)
    {
      gsize part = (gsize) n_outer * self->group_size;

      memcpy (to, from, part);
      memset (to + part, 0, width - part);
    }
}

static void
zip (const guint16 *first,
     const guint16 *second,
     gint64         n,
     guint16       *to)
{
  for (gint64 i = 0; i < n; i++)
    {
      to[2 * i] = first[i];
      to[2 * i + 1] = second != NULL ? second[i] : 0;
    }
}

/* Adjacent elements of one k that belong to one bundle. The offsets, in bytes, are the same at all k. */
typedef struct
{
  gint64 from;
  gsize  to;
  gsize  n_bytes;
} Piece;

static guint
find_pieces (const GhloCpuPacker *self,
             const GhloCpuPart   *part,
             gsize                bundle_size,
             Piece                pieces[])
{
  GhloCpuAxisCursor cursor;
  guint n_pieces = 0;
  gint64 n;

  ghlo_cpu_axis_cursor_init (&cursor, part->outer, part->first_outer);
  for (gint64 i = 0; i < part->n_outer; i += n)
    {
      gint64 column = i % self->width;

      n = MIN (MIN (cursor.left, self->width - column), part->n_outer - i);
      pieces[n_pieces++] = (Piece) {
        .from = cursor.at,
        .to = (gsize) (i / self->width) * bundle_size + (gsize) column * self->group_size,
        .n_bytes = (gsize) n * self->group_size,
      };
      ghlo_cpu_axis_cursor_skip (&cursor, part->outer, n);
    }

  return n_pieces;
}

/* pack_bundles () where elements need no conversion and are adjacent in the outer dimension, at least in its runs. */
static void
copy_bundles (const GhloCpuPacker *self,
              const GhloCpuPart   *part,
              guint8              *to)
{
  gsize width = self->width * self->group_size, bundle_size = (gsize) part->n_k * width;
  gsize padding = (gsize) (ghlo_round_up (part->n_outer, self->width) - part->n_outer) * self->group_size;
  gsize padding_at = (gsize) (part->n_outer / self->width) * bundle_size + width - padding;
  Piece pieces[BUNDLES * MAX_WIDTH];
  guint n_pieces = find_pieces (self, part, bundle_size, pieces);
  GhloCpuAxisCursor cursor, ahead;

  ghlo_cpu_axis_cursor_init (&cursor, part->k, part->first_k);
  ghlo_cpu_axis_cursor_init (&ahead, part->k, part->first_k + MIN (AHEAD, part->n_k - 1));
  for (gint64 i = 0; i < part->n_k; i++)
    {
      const guint8 *from = part->data + cursor.at, *next = part->data + ahead.at;

      for (guint j = 0; j < n_pieces; j++)
        {
          __builtin_prefetch (next + pieces[j].from);
          copy_bundle (to + pieces[j].to, from + pieces[j].from, pieces[j].n_bytes);
        }
      if (i + AHEAD < part->n_k - 1)
        ghlo_cpu_axis_cursor_next (&ahead, part->k);
      if (padding > 0)
        memset (to + padding_at, 0, padding);
      to += width;
      ghlo_cpu_axis_cursor_next (&cursor, part->k);
    }
}

/* Returns the elements of all rows at one k, converted, in place or in @to. */
static const guint8 *
read_rows (const GhloCpuPacker *self,
           const GhloCpuPart   *part,
           gint64               k,
           guint8              *to)
{
  return read_part (&self->reader, part->data + ghlo_cpu_axis_at (part->k, k), part->outer, part->first_outer,
                    part->n_outer, to);
}

static void
pack_bundles (const GhloCpuPacker *self,
              const GhloCpuPart   *part,
              guint8              *scratch,
              guint8              *to)
{
  gsize bundle_size = (gsize) ghlo_cpu_packer_groups (self, part->n_k) * self->width * self->group_size;
  gsize room = (gsize) ghlo_round_up (part->n_outer, 2) * self->group_size;
  gint64 step = self->pairs ? 2 : 1;

  if (self->reader.same && !self->pairs && part->outer->stride == self->reader.size)
    {
      copy_bundles (self, part, to);
      return;
    }
  for (gint64 i = 0; i < part->n_k; i += step)
    {
      const guint8 *read = read_rows (self, part, part->first_k + i, scratch);

      if (self->pairs)
        {
          const guint8 *second = NULL;

          if (i + 1 < part->n_k)
            second = read_rows (self, part, part->first_k + i + 1, scratch + room);
          zip ((gconstpointer) read, (gconstpointer) second, part->n_outer, (gpointer) (scratch + 2 * room));
          read = scratch + 2 * room;
        }
      distribute (self, read, part->n_outer, bundle_size, to);
      to += self->width * self->group_size;
    }
}

static void
pack_across_k (const GhloCpuPacker *self,
               const GhloCpuPart   *part,
               guint8              *scratch,
               guint8              *to)
{
  GhloCpuPart bundles = *part;
  gint64 step = BUNDLES * self->width;

  for (gint64 i = 0; i < part->n_outer; i += step)
    {
      bundles.first_outer = part->first_outer + i;
      bundles.n_outer = MIN (step, part->n_outer - i);
      pack_bundles (self, &bundles, scratch, to);
      to += (gsize) (step * ghlo_cpu_packer_groups (self, part->n_k)) * self->group_size;
    }
}

void
ghlo_cpu_pack (const GhloCpuPacker *self,
               const GhloCpuPart   *part,
               guint8              *scratch,
               guint8              *to)
{
  (self->along_k ? pack_along_k : pack_across_k) (self, part, scratch, to);
}
