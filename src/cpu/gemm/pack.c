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
                 const guint8        *data,
                 const GhloCpuAxis   *outer,
                 gint64               first_outer,
                 gint64               n_outer,
                 const GhloCpuAxis   *k,
                 gint64               first_k,
                 gint64               n_k,
                 guint8              *to)
{
  GhloCpuInterleaveFunc interleave = get_interleave (self);
  gint64 rows[MAX_WIDTH];
  gconstpointer pointers[MAX_WIDTH];

  for (gint64 begin = 0; begin < n_outer; begin += self->width)
    {
      guint n = (guint) MIN (self->width, n_outer - begin);
      GhloCpuAxisCursor cursor;
      gint64 part;

      for (guint i = 0; i < n; i++)
        rows[i] = ghlo_cpu_axis_at (outer, first_outer + begin + i);
      ghlo_cpu_axis_cursor_init (&cursor, k, first_k);
      for (gint64 left = n_k; left > 0; left -= part)
        {
          part = MIN (cursor.left, left);
          for (guint i = 0; i < n; i++)
            pointers[i] = data + rows[i] + cursor.at;
          interleave (pointers, n, self->width, (gsize) part, to);
          to += (gsize) (self->width * part) * self->group_size;
          ghlo_cpu_axis_cursor_skip (&cursor, k, part);
        }
    }
}

static void
pack_along_k (const GhloCpuPacker *self,
              const guint8        *data,
              const GhloCpuAxis   *outer,
              gint64               first_outer,
              gint64               n_outer,
              const GhloCpuAxis   *k,
              gint64               first_k,
              gint64               n_k,
              guint8              *scratch,
              guint8              *to)
{
  GhloCpuInterleaveFunc interleave = get_interleave (self);
  gsize groups = (gsize) ghlo_cpu_packer_groups (self, n_k);
  gsize outer_size = groups * self->group_size;
  gboolean is_odd = self->pairs && n_k % 2 != 0;
  gconstpointer pointers[MAX_WIDTH];

  if (self->reader.same && !self->pairs && k->stride == self->reader.size)
    {
      interleave_runs (self, data, outer, first_outer, n_outer, k, first_k, n_k, to);
      return;
    }
  for (gint64 begin = 0; begin < n_outer; begin += self->width)
    {
      guint n = (guint) MIN (self->width, n_outer - begin);

      for (guint i = 0; i < n; i++)
        {
          guint8 *own = scratch + i * outer_size;
          const guint8 *read = read_part (&self->reader, data + ghlo_cpu_axis_at (outer, first_outer + begin + i),
                                          k, first_k, n_k, own);

          if (is_odd)
            {
              if (read != own)
                memcpy (own, read, (gsize) n_k * self->reader.to_size);
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

/* Adjacent elements of one k that belong to one bundle. */
typedef struct
{
  gint64 from;       /* offsets in bytes: of the k in the tensor, and of its row in the first bundle */
  gsize  to;
  gsize  n_bytes;
} Piece;

static guint
find_pieces (const GhloCpuPacker *self,
             const GhloCpuAxis   *outer,
             gint64               first_outer,
             gint64               n_outer,
             gsize                bundle_size,
             Piece                pieces[])
{
  GhloCpuAxisCursor cursor;
  guint n_pieces = 0;
  gint64 n;

  ghlo_cpu_axis_cursor_init (&cursor, outer, first_outer);
  for (gint64 i = 0; i < n_outer; i += n)
    {
      gint64 column = i % self->width;

      n = MIN (MIN (cursor.left, self->width - column), n_outer - i);
      pieces[n_pieces++] = (Piece) {
        .from = cursor.at,
        .to = (gsize) (i / self->width) * bundle_size + (gsize) column * self->group_size,
        .n_bytes = (gsize) n * self->group_size,
      };
      ghlo_cpu_axis_cursor_skip (&cursor, outer, n);
    }

  return n_pieces;
}

/* pack_bundles () where elements need no conversion and are adjacent in the outer dimension, at least in its runs. */
static void
copy_bundles (const GhloCpuPacker *self,
              const guint8        *data,
              const GhloCpuAxis   *outer,
              gint64               first_outer,
              gint64               n_outer,
              const GhloCpuAxis   *k,
              gint64               first_k,
              gint64               n_k,
              guint8              *to)
{
  gsize width = self->width * self->group_size, bundle_size = (gsize) n_k * width;
  gsize padding = (gsize) (ghlo_round_up (n_outer, self->width) - n_outer) * self->group_size;
  gsize padding_at = (gsize) (n_outer / self->width) * bundle_size + width - padding;
  Piece pieces[BUNDLES * MAX_WIDTH];
  guint n_pieces = find_pieces (self, outer, first_outer, n_outer, bundle_size, pieces);
  GhloCpuAxisCursor cursor, ahead;

  ghlo_cpu_axis_cursor_init (&cursor, k, first_k);
  ghlo_cpu_axis_cursor_init (&ahead, k, first_k + MIN (AHEAD, n_k - 1));
  for (gint64 i = 0; i < n_k; i++)
    {
      const guint8 *from = data + cursor.at, *next = data + ahead.at;

      for (guint j = 0; j < n_pieces; j++)
        {
          __builtin_prefetch (next + pieces[j].from);
          copy_bundle (to + pieces[j].to, from + pieces[j].from, pieces[j].n_bytes);
        }
      if (i + AHEAD < n_k - 1)
        ghlo_cpu_axis_cursor_next (&ahead, k);
      if (padding > 0)
        memset (to + padding_at, 0, padding);
      to += width;
      ghlo_cpu_axis_cursor_next (&cursor, k);
    }
}

static void
pack_bundles (const GhloCpuPacker *self,
              const guint8        *data,
              const GhloCpuAxis   *outer,
              gint64               first_outer,
              gint64               n_outer,
              const GhloCpuAxis   *k,
              gint64               first_k,
              gint64               n_k,
              guint8              *scratch,
              guint8              *to)
{
  gsize bundle_size = (gsize) ghlo_cpu_packer_groups (self, n_k) * self->width * self->group_size;
  gsize room = (gsize) ghlo_round_up (n_outer, 2) * self->group_size;
  gint64 step = self->pairs ? 2 : 1;

  if (self->reader.same && !self->pairs && outer->stride == self->reader.size)
    {
      copy_bundles (self, data, outer, first_outer, n_outer, k, first_k, n_k, to);
      return;
    }
  for (gint64 i = 0; i < n_k; i += step)
    {
      const guint8 *read = read_part (&self->reader, data + ghlo_cpu_axis_at (k, first_k + i), outer, first_outer,
                                      n_outer, scratch);

      if (self->pairs)
        {
          const guint8 *second = NULL;

          if (i + 1 < n_k)
            second = read_part (&self->reader, data + ghlo_cpu_axis_at (k, first_k + i + 1), outer, first_outer,
                                n_outer, scratch + room);
          zip ((gconstpointer) read, (gconstpointer) second, n_outer, (gpointer) (scratch + 2 * room));
          read = scratch + 2 * room;
        }
      distribute (self, read, n_outer, bundle_size, to);
      to += self->width * self->group_size;
    }
}

static void
pack_across_k (const GhloCpuPacker *self,
               const guint8        *data,
               const GhloCpuAxis   *outer,
               gint64               first_outer,
               gint64               n_outer,
               const GhloCpuAxis   *k,
               gint64               first_k,
               gint64               n_k,
               guint8              *scratch,
               guint8              *to)
{
  gint64 step = BUNDLES * self->width;

  for (gint64 i = 0; i < n_outer; i += step)
    {
      pack_bundles (self, data, outer, first_outer + i, MIN (step, n_outer - i), k, first_k, n_k, scratch, to);
      to += (gsize) (step * ghlo_cpu_packer_groups (self, n_k)) * self->group_size;
    }
}

void
ghlo_cpu_pack (const GhloCpuPacker *self,
               const guint8        *data,
               const GhloCpuAxis   *outer,
               gint64               first_outer,
               gint64               n_outer,
               const GhloCpuAxis   *k,
               gint64               first_k,
               gint64               n_k,
               guint8              *scratch,
               guint8              *to)
{
  (self->along_k ? pack_along_k : pack_across_k) (self, data, outer, first_outer, n_outer, k, first_k, n_k, scratch,
                                                  to);
}
