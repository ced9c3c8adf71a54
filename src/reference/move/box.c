/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies of boxes. The innermost work is either a memcpy of a contiguous run or a
 * two-dimensional tile of single elements. A tile is small enough that both sides
 * stay in the L1 cache whatever their strides are.
 */

#include "reference/move/box.h"

#include <string.h>

#define TILE 16
#define BYTES_BETWEEN_CHECKS ((gsize) 8 << 20)

static void
drop_dimension (GhloRefBox *self,
                guint       index)
{
  for (guint i = index; i + 1 < self->rank; i++)
    {
      self->dimensions[i] = self->dimensions[i + 1];
      self->dst[i] = self->dst[i + 1];
      self->src[i] = self->src[i + 1];
    }
  self->rank--;
}

static void
swap_dimensions (GhloRefBox *self,
                 guint       a,
                 guint       b)
{
  gint64 dimension = self->dimensions[a];
  gint64 dst = self->dst[a];
  gint64 src = self->src[a];

  self->dimensions[a] = self->dimensions[b];
  self->dst[a] = self->dst[b];
  self->src[a] = self->src[b];
  self->dimensions[b] = dimension;
  self->dst[b] = dst;
  self->src[b] = src;
}

/* Merges adjacent dimensions that form a single dimension on both sides. */
static void
join_dimensions (GhloRefBox *self)
{
  for (guint i = 0; i + 1 < self->rank;)
    {
      gint64 inner = self->dimensions[i + 1];

      if (self->dst[i] == self->dst[i + 1] * inner && self->src[i] == self->src[i + 1] * inner)
        {
          self->dimensions[i + 1] *= self->dimensions[i];
          drop_dimension (self, i);
        }
      else
        i++;
    }
}

/* Without a contiguous run, makes the two innermost loops the ones with the smallest strides on either side. */
static void
order_for_tiles (GhloRefBox *self)
{
  guint nearest = 0;

  if (self->rank < 2)
    return;

  for (guint i = 0; i + 1 < self->rank; i++)
    {
      gint64 step = ABS (self->src[i]);
      gint64 least = ABS (self->src[nearest]);

      if (step != 0 && (least == 0 || step < least))
        nearest = i;
    }
  swap_dimensions (self, nearest, self->rank - 2);
}

void
ghlo_ref_box_init (GhloRefBox   *self,
                   gsize         element_size,
                   guint         rank,
                   const gint64 *dimensions,
                   const gint64 *dst_strides,
                   const gint64 *src_strides)
{
  self->rank = 0;
  self->empty = FALSE;
  self->size = element_size;
  self->run = element_size;

  for (guint i = 0; i < rank; i++)
    self->empty |= dimensions[i] <= 0;
  if (self->empty)
    return;

  /* A box that is not empty and fits in memory has fewer than GHLO_MAX_RANK dimensions larger than 1. */
  for (guint i = 0; i < rank; i++)
    {
      if (dimensions[i] == 1)
        continue;
      g_assert (self->rank < GHLO_MAX_RANK);
      self->dimensions[self->rank] = dimensions[i];
      self->dst[self->rank] = dst_strides[i] * (gint64) element_size;
      self->src[self->rank] = src_strides[i] * (gint64) element_size;
      self->rank++;
    }

  join_dimensions (self);
  if (self->rank > 0
      && self->dst[self->rank - 1] == (gint64) element_size
      && self->src[self->rank - 1] == (gint64) element_size)
    {
      self->run = element_size * (gsize) self->dimensions[self->rank - 1];
      self->rank--;
    }
  else
    order_for_tiles (self);
}

#define TILE_LOOP(SIZE) \
  for (gint64 i = i0; i < i1; i++) \
    for (gint64 j = j0; j < j1; j++) \
      memcpy (dst + i * self->dst[outer] + j * self->dst[inner], \
              src + i * self->src[outer] + j * self->src[inner], SIZE)

/* Copies one tile of the two innermost dimensions. */
static void
copy_tile (const GhloRefBox *self,
           guint8           *dst,
           const guint8     *src,
           gint64            i0,
           gint64            i1,
           gint64            j0,
           gint64            j1)
{
  guint outer = self->rank - 2;
  guint inner = self->rank - 1;

  switch (self->size)
    {
    case 1: TILE_LOOP (1); break;
    case 2: TILE_LOOP (2); break;
    case 4: TILE_LOOP (4); break;
    case 8: TILE_LOOP (8); break;
    default: TILE_LOOP (self->size); break;
    }
}

#define LINE_LOOP(SIZE) \
  for (gint64 j = 0; j < n; j++) \
    memcpy (dst + j * dst_step, src + j * src_step, SIZE)

static void
copy_row (const GhloRefBox *self,
          guint8           *dst,
          const guint8     *src)
{
  gint64 n = self->dimensions[self->rank - 1];
  gint64 dst_step = self->dst[self->rank - 1];
  gint64 src_step = self->src[self->rank - 1];

  switch (self->size)
    {
    case 1: LINE_LOOP (1); break;
    case 2: LINE_LOOP (2); break;
    case 4: LINE_LOOP (4); break;
    case 8: LINE_LOOP (8); break;
    default: LINE_LOOP (self->size); break;
    }
}

static void
copy_plane (const GhloRefBox *self,
            guint8           *dst,
            const guint8     *src)
{
  gint64 rows = self->dimensions[self->rank - 2];
  gint64 columns = self->dimensions[self->rank - 1];

  /* A broadcast source or short rows gain nothing from tiles. */
  if (self->src[self->rank - 1] == 0 || columns <= TILE || rows == 1)
    {
      for (gint64 i = 0; i < rows; i++)
        copy_row (self, dst + i * self->dst[self->rank - 2], src + i * self->src[self->rank - 2]);
      return;
    }

  for (gint64 i = 0; i < rows; i += TILE)
    for (gint64 j = 0; j < columns; j += TILE)
      copy_tile (self, dst, src, i, MIN (i + TILE, rows), j, MIN (j + TILE, columns));
}

/* The number of inner dimensions that one step of the outer loop copies. */
static guint
inner_rank (const GhloRefBox *self)
{
  return self->run == self->size ? MIN (self->rank, 2) : 0;
}

static void
copy_inner (const GhloRefBox *self,
            guint             inner,
            guint8           *dst,
            const guint8     *src)
{
  if (inner == 2)
    copy_plane (self, dst, src);
  else if (inner == 1)
    copy_row (self, dst, src);
  else
    memcpy (dst, src, self->run);
}

static gsize
inner_bytes (const GhloRefBox *self,
             guint             inner)
{
  gsize bytes = self->run;

  for (guint i = self->rank - inner; i < self->rank; i++)
    bytes *= (gsize) self->dimensions[i];
  return bytes;
}

/* Copies the inner dimensions, @bytes in all, one of which, or the contiguous run, is cut into pieces. */
static gboolean
copy_pieces (const GhloRefBox *self,
             GhloRefCall      *call,
             guint             inner,
             gsize             bytes,
             guint8           *dst,
             const guint8     *src,
             GError          **error)
{
  guint longest = self->rank - inner;
  gint64 n = (gint64) self->run, dst_step = 1, src_step = 1, most;

  for (guint i = longest; i < self->rank; i++)
    if (self->dimensions[i] >= self->dimensions[longest])
      {
        longest = i;
        n = self->dimensions[i];
        dst_step = self->dst[i];
        src_step = self->src[i];
      }
  most = MAX (n / (gint64) (bytes / BYTES_BETWEEN_CHECKS), 1);
  for (gint64 i = 0; i < n; i += most)
    {
      GhloRefBox piece = *self;

      if (inner > 0)
        piece.dimensions[longest] = MIN (most, n - i);
      else
        piece.run = (gsize) MIN (most, n - i);
      copy_inner (&piece, inner, dst + i * dst_step, src + i * src_step);
      if (call != NULL && !ghlo_ref_continue (call, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
copy (const GhloRefBox *self,
      GhloRefCall      *call,
      guint8           *dst,
      const guint8     *src,
      GError          **error)
{
  gint64 index[GHLO_MAX_RANK] = { 0 };
  guint inner = inner_rank (self);
  guint outer = self->rank - inner;
  gsize step = inner_bytes (self, inner);
  gsize since_check = 0;

  for (;;)
    {
      guint d = outer;

      if (step <= BYTES_BETWEEN_CHECKS)
        copy_inner (self, inner, dst, src);
      else if (!copy_pieces (self, call, inner, step, dst, src, error))
        return FALSE;
      since_check += step;
      if (call != NULL && since_check >= BYTES_BETWEEN_CHECKS)
        {
          if (!ghlo_ref_continue (call, error))
            return FALSE;
          since_check = 0;
        }

      while (d > 0 && ++index[d - 1] == self->dimensions[d - 1])
        {
          d--;
          dst -= (self->dimensions[d] - 1) * self->dst[d];
          src -= (self->dimensions[d] - 1) * self->src[d];
          index[d] = 0;
        }
      if (d == 0)
        return TRUE;
      dst += self->dst[d - 1];
      src += self->src[d - 1];
    }
}

gboolean
ghlo_ref_box_copy (const GhloRefBox *self,
                   GhloRefCall      *call,
                   guint8           *dst,
                   const guint8     *src,
                   GError          **error)
{
  return self->empty || copy (self, call, dst, src, error);
}

void
ghlo_ref_box_copy_small (const GhloRefBox *self,
                         guint8           *dst,
                         const guint8     *src)
{
  if (!self->empty)
    copy (self, NULL, dst, src, NULL);
}

gboolean
ghlo_ref_copy (GhloRefCall  *call,
               gsize         element_size,
               guint         rank,
               const gint64 *dimensions,
               guint8       *dst,
               const gint64 *dst_strides,
               const guint8 *src,
               const gint64 *src_strides,
               GError      **error)
{
  GhloRefBox box;

  ghlo_ref_box_init (&box, element_size, rank, dimensions, dst_strides, src_strides);
  return ghlo_ref_box_copy (&box, call, dst, src, error);
}

gboolean
ghlo_ref_copy_bytes (GhloRefCall  *call,
                     guint8       *dst,
                     const guint8 *src,
                     gsize         n,
                     GError      **error)
{
  const gint64 dimension = (gint64) n, step = 1;

  return ghlo_ref_copy (call, 1, 1, &dimension, dst, &step, src, &step, error);
}

gboolean
ghlo_ref_fill (GhloRefCall  *call,
               guint8       *dst,
               const guint8 *element,
               gsize         element_size,
               gsize         count,
               GError      **error)
{
  gsize done = 1, most = BYTES_BETWEEN_CHECKS / element_size;

  if (count == 0)
    return TRUE;

  /* The filled part doubles, up to the size that is copied between two checks. */
  memcpy (dst, element, element_size);
  while (done < count)
    {
      gsize n = MIN (MIN (done, most), count - done);

      if (n == most && call != NULL && !ghlo_ref_continue (call, error))
        return FALSE;
      memcpy (dst + done * element_size, dst, n * element_size);
      done += n;
    }

  return TRUE;
}
