/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packs row by row where k is adjacent in memory, and k by k where the outer dimension is.
 */

#include "cpu/gemm/pack.h"

#include <string.h>

/* BUNDLES are written at the same time where the outer dimension is adjacent. Each is a separate stream of stores,
 * and many of them at equal distances would compete for the same few cache sets. */
enum { MAX_WIDTH = 64, BUNDLES = 4 };

/* The most k of a plane of numbers where the outer dimension is adjacent; the same where bundles are packed one after
 * the other, from rows that stay in the L1 cache even where they share its sets. */
enum { PLANE_K = 32, PACKED_K = 8 };

/* AHEAD is the prefetch distance in steps of k. Each step may be on another page, where the processor's prefetcher
 * does not recognize a stream. */
enum { AHEAD = 8 };

/* The routine that packs what the reader reads; NULL where there is none. */
static GhloCpuPackFunc
find_pack (const GhloCpuPacker *self)
{
  static const struct
  {
    GhloCpuConversion conversion;
    GhloCpuPack       pack;
  } rows[] = {
    { GHLO_CPU_BF16_TO_F32, GHLO_CPU_PACK_BF16 }, { GHLO_CPU_F16_TO_F32, GHLO_CPU_PACK_F16 },
    { GHLO_CPU_I8_TO_I16, GHLO_CPU_PACK_I8 }, { GHLO_CPU_U8_TO_I16, GHLO_CPU_PACK_U8 },
  };
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();

  if (self->reader.same && !self->pairs && self->group_size <= 8)
    return ghlo_cpu_find_pack (self->group_size == 4 ? GHLO_CPU_PACK_4 : GHLO_CPU_PACK_8);
  for (guint i = 0; i < G_N_ELEMENTS (rows) && self->reader.n_parts == 1; i++)
    if (self->reader.convert == routines->convert[rows[i].conversion])
      return ghlo_cpu_find_pack (rows[i].pack);

  return NULL;
}

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
  self->pack = outer_adjacent && ghlo_cpu_axis_is_uniform (outer) && ghlo_cpu_axis_is_uniform (k) ? find_pack (self)
                                                                                                  : NULL;

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

/* A plane of numbers, and its elements as they are. */
gsize
ghlo_cpu_packer_scratch (const GhloCpuPacker *self,
                         gint64               n_outer,
                         gint64               n_k)
{
  gint64 elements = self->along_k ? self->width * ghlo_round_up (n_k, 2)
                    : PLANE_K * MIN (n_outer, (gint64) (BUNDLES * self->width));

  return ghlo_size_align ((gsize) (2 * elements * self->group_size));
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
  const gint64 groups = ghlo_cpu_packer_groups (self, part->n_k), room = self->pairs ? 2 * groups : groups;
  gconstpointer pointers[MAX_WIDTH];

  if (self->reader.same && !self->pairs && part->k->stride == self->reader.size)
    {
      interleave_runs (self, part, to);
      return;
    }
  for (gint64 begin = 0; begin < part->n_outer; begin += self->width)
    {
      const gint64 n = MIN (self->width, part->n_outer - begin);
      GhloCpuPlane plane = ghlo_cpu_read_plane (&self->reader, part->data, part->outer, part->first_outer + begin, n,
                                                part->k, part->first_k, part->n_k, room, scratch);

      for (gint64 i = 0; i < n; i++)
        {
          pointers[i] = plane.data + i * plane.row;
          /* The last k of an odd number is half of a pair. */
          if (room > part->n_k)
            memset (scratch + i * plane.row + part->n_k * (gint64) self->reader.to_size, 0, self->reader.to_size);
        }
      interleave (pointers, (guint) n, self->width, (gsize) groups, to);
      to += self->width * groups * self->group_size;
    }
}

/* Copies at least four bytes without a call; the last pieces overlap. */
static inline void
copy_few (guint8       *to,
          const guint8 *from,
          gsize         n)
{
  if (n < 8)
    {
      memcpy (to, from, 4);
      memcpy (to + n - 4, from + n - 4, 4);
    }
  else if (n < 16)
    {
      memcpy (to, from, 8);
      memcpy (to + n - 8, from + n - 8, 8);
    }
  else
    {
      for (gsize i = 0; i + 16 < n; i += 16)
        memcpy (to + i, from + i, 16);
      memcpy (to + n - 16, from + n - 16, 16);
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
    default: copy_few (to, from, n); break;
    }
}

/* @second is NULL for zeros. */
static void
zip (const guint16 *first,
     const guint16 *second,
     gint64         n,
     guint16       *to)
{
  if (second == NULL)
    for (gint64 i = 0; i < n; i++)
      {
        to[2 * i] = first[i];
        to[2 * i + 1] = 0;
      }
  else
    for (gint64 i = 0; i < n; i++)
      {
        to[2 * i] = first[i];
        to[2 * i + 1] = second[i];
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
      to += width;
      ghlo_cpu_axis_cursor_next (&cursor, part->k);
    }
}

/* Writes numbers at @n_k adjacent k, in rows, to bundles. */
static void
distribute (const GhloCpuPacker *self,
            const GhloCpuPlane  *plane,
            gint64               n_outer,
            gint64               n_k,
            gsize                bundle_size,
            guint8              *to)
{
  const gsize row = self->width * self->group_size;

  for (gint64 first = 0; first < n_outer; first += self->width, to += bundle_size)
    {
      const gint64 n = MIN (self->width, n_outer - first);
      const guint8 *from = plane->data + first * (gint64) self->reader.to_size;
      guint8 *out = to;

      if (self->pairs)
        for (gint64 i = 0; i < n_k; i += 2, out += row, from += 2 * plane->row)
          zip ((gconstpointer) from, i + 1 < n_k ? (gconstpointer) (from + plane->row) : NULL, n, (gpointer) out);
      else
        for (gint64 i = 0; i < n_k; i++, out += row, from += plane->row)
          copy_bundle (out, from, (gsize) n * self->group_size);
    }
}

/* Clears the columns of the last bundle that the outer dimension does not fill. */
static void
clear_rest (const GhloCpuPacker *self,
            const GhloCpuPart   *part,
            guint8              *to)
{
  const gsize groups = (gsize) ghlo_cpu_packer_groups (self, part->n_k), row = self->width * self->group_size;
  const gint64 rest = part->n_outer % self->width;

  if (rest > 0)
    ghlo_cpu_routines ()->clear_columns (to + (gsize) (part->n_outer / self->width) * groups * row, row,
                                         (gsize) rest * self->group_size, groups);
}

/* pack_bundles () by the level's routine. */
static void
pack_rows (const GhloCpuPacker *self,
           const GhloCpuPart   *part,
           gsize                bundle_size,
           guint8              *to)
{
  const gint64 step = part->k->stride, size = self->reader.size;
  const guint8 *from = part->data + part->first_outer * size + part->first_k * step;
  const gint64 most = part->n_outer > self->width ? PACKED_K : part->n_k;

  for (gint64 i = 0, n_k; i < part->n_k; i += n_k, from += n_k * step)
    {
      n_k = MIN (most, part->n_k - i);
      for (gint64 k = 0; k < MIN (n_k, part->n_k - i - n_k); k++)
        for (gint64 byte = 0; byte < part->n_outer * size; byte += 64)
          __builtin_prefetch (from + (n_k + k) * step + byte);
      for (gint64 j = 0; j < part->n_outer; j += self->width)
        self->pack (from + j * size, step, (gsize) n_k, (gsize) (part->n_k - i - n_k),
                    (gsize) MIN (self->width, part->n_outer - j), self->width,
                    to + (gsize) (j / self->width) * bundle_size);
      to += (gsize) ghlo_cpu_packer_groups (self, n_k) * self->width * self->group_size;
    }
}

static void
pack_bundles (const GhloCpuPacker *self,
              const GhloCpuPart   *part,
              guint8              *scratch,
              guint8              *to)
{
  gsize bundle_size = (gsize) ghlo_cpu_packer_groups (self, part->n_k) * self->width * self->group_size;

  clear_rest (self, part, to);
  /* Blocks of a computed operand may have other strides than the operand. */
  if (self->pack != NULL && part->outer->stride == self->reader.size)
    {
      pack_rows (self, part, bundle_size, to);
      return;
    }
  if (self->reader.same && !self->pairs && part->outer->stride == self->reader.size)
    {
      copy_bundles (self, part, to);
      return;
    }
  for (gint64 i = 0; i < part->n_k; i += PLANE_K)
    {
      const gint64 n_k = MIN (PLANE_K, part->n_k - i);
      GhloCpuPlane plane = ghlo_cpu_read_plane (&self->reader, part->data, part->k, part->first_k + i, n_k, part->outer,
                                part->first_outer, part->n_outer, part->n_outer, scratch);

      distribute (self, &plane, part->n_outer, n_k, bundle_size, to);
      to += (gsize) ghlo_cpu_packer_groups (self, n_k) * self->width * self->group_size;
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
