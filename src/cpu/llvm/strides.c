/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Interleaved accesses: their elements are a few elements apart from lane to lane, such as the channels of an image or
 * the parts of complex numbers. Loads read whole vectors, with the elements in between, and pick the lanes out of
 * them. Stores whose elements interleave without gaps are combined into one. No load reads beyond the elements that
 * the block accesses: the last vectors end with the last element, unless other loads of the block cover what follows
 * it. Where not all lanes are active, only their elements are loaded.
 */

#include "cpu/llvm/emit-llvm.h"

#include <string.h>

/* Lanes that one register holds, at most all of them. */
static guint
lanes_of_register (const Emitter *self,
                   guint          size)
{
  return MIN (self->width, self->target->vector_bytes / size);
}

/* No instruction gathers elements of 2 bytes, and the taps of a window share the vectors that they are picked from;
 * short ones are taken apart as fast. */
guint
ghlo_emit_max_lane_distance (const Emitter *self,
                             guint          size)
{
  const gboolean is_shared = self->block != NULL && self->block->n_folds > 0;

  return size == 2 && is_shared && self->target->vector_bytes > 16 ? GHLO_SCHEDULE_MAX_LANE_STRIDE
                                                                   : GHLO_SCHEDULE_LANE_STRIDE;
}

guint
ghlo_emit_lane_distance (const Emitter       *self,
                         const GhloEmitPlace *place)
{
  const guint size = ghlo_element_info (place->type)->size;
  const gint64 distance = place->stride / size;

  /* Without byte shuffles, loading one element after the other is as fast. */
  if (self->width == 1 || place->offsets != NULL || place->stride % size != 0 || distance < 2
      || distance > ghlo_emit_max_lane_distance (self, size) || lanes_of_register (self, size) < 2
      || (size < 4 && !self->target->has_rounding))
    return 0;

  return (guint) distance;
}

/* A shuffle of @n lanes, whose lane i is lane lanes[i] of vectors[from[i]]; all vectors have @n lanes. */
static Value
pick (Emitter     *self,
      const Value *vectors,
      guint        n_vectors,
      const guint *from,
      const guint *lanes,
      guint        n)
{
  Value result = vectors[0];

  for (guint i = 1; i < n_vectors; i++)
    {
      Value mask[GHLO_SCHEDULE_MAX_WIDTH];

      for (guint j = 0; j < n; j++)
        mask[j] = from[j] > i ? LLVMGetPoison (self->i32)
                              : LLVMConstInt (self->i32, from[j] == i ? n + lanes[j] : i == 1 ? lanes[j] : j, FALSE);
      result = LLVMBuildShuffleVector (self->builder, result, vectors[i], LLVMConstVector (mask, n), "");
    }

  return result;
}

Value
ghlo_emit_join (Emitter *self,
                Value   *parts,
                guint    n_parts,
                guint    n)
{
  Value lanes[GHLO_SCHEDULE_MAX_WIDTH];

  g_assert (n_parts > 0);
  for (; n_parts > 1; n_parts /= 2, n *= 2)
    {
      for (guint i = 0; i < 2 * n; i++)
        lanes[i] = LLVMConstInt (self->i32, i, FALSE);
      for (guint i = 0; i < n_parts / 2; i++)
        parts[i] = LLVMBuildShuffleVector (self->builder, parts[2 * i], parts[2 * i + 1],
                                           LLVMConstVector (lanes, 2 * n), "");
    }

  return parts[0];
}

/* How many elements earlier the vector @index of @n lanes has to begin so that it ends with the last of @n elements
 * that are @lane_distance elements apart. */
static guint
back_of (guint index,
         guint lane_distance,
         guint n)
{
  const guint last = (n - 1) * lane_distance, end = (index + 1) * n - 1;

  return end > last ? end - last : 0;
}

/* The mask of @n elements from @first on, of which every lane_distance-th one is a lane's; the others are not read. */
static Value
spread_mask (Emitter *self,
             Value    mask,
             guint    lane_distance,
             guint    first,
             guint    n)
{
  Value lanes[GHLO_SCHEDULE_MAX_WIDTH];

  for (guint i = 0; i < n; i++)
    lanes[i] = LLVMConstInt (self->i32, (first + i) % lane_distance == 0 ? (first + i) / lane_distance : self->width,
                             FALSE);

  return LLVMBuildShuffleVector (self->builder, mask, LLVMConstNull (LLVMTypeOf (mask)), LLVMConstVector (lanes, n),
                                 "");
}

Value
ghlo_emit_read_interleaved (Emitter             *self,
                            const GhloEmitPlace *place,
                            Value                mask)
{
  const guint size = ghlo_element_info (place->type)->size, n = lanes_of_register (self, size);
  const guint lane_distance = ghlo_emit_lane_distance (self, place), n_parts = self->width / n;
  const gboolean covers_gaps = place->covers_gaps && mask == NULL;
  const guint before = covers_gaps ? place->elements_before : 0;
  Type type = LLVMVectorType (ghlo_emit_memory_type (self, place->type), n);
  Value parts[GHLO_SCHEDULE_MAX_WIDTH], vectors[GHLO_SCHEDULE_MAX_LANE_STRIDE];

  for (guint i = 0; i < n_parts; i++)
    {
      guint from[GHLO_SCHEDULE_MAX_WIDTH], lanes[GHLO_SCHEDULE_MAX_WIDTH];
      const gboolean is_last = i + 1 == n_parts && !covers_gaps && mask == NULL;

      for (guint j = 0; j < lane_distance; j++)
        {
          const guint back = is_last ? back_of (j, lane_distance, n) : 0;
          const gint64 first = (gint64) (i * lane_distance + j) * n - before - back;
          GhloEmitPlace row = *place;

          row.base = ghlo_emit_byte_address (self, place->base, ghlo_emit_i64 (self, first * size));
          vectors[j] = ghlo_emit_load_contiguous (self, &row, type, mask == NULL ? NULL
                                                  : spread_mask (self, mask, lane_distance, (guint) first, n));
        }
      for (guint j = 0; j < n; j++)
        {
          from[j] = (j * lane_distance + before) / n;
          lanes[j] = (j * lane_distance + before) % n + (is_last ? back_of (from[j], lane_distance, n) : 0);
        }
      parts[i] = pick (self, vectors, lane_distance, from, lanes, n);
    }

  return ghlo_emit_join (self, parts, n_parts, n);
}

void
ghlo_emit_write_interleaved (Emitter             *self,
                             const GhloEmitPlace *place,
                             guint                lane_distance,
                             const Value         *values)
{
  const guint size = ghlo_element_info (place->type)->size, n = lanes_of_register (self, size);

  for (guint i = 0; i < self->width / n; i++)
    {
      Value vectors[GHLO_SCHEDULE_MAX_LANE_STRIDE];

      for (guint j = 0; j < lane_distance; j++)
        vectors[j] = ghlo_emit_take_lanes (self, values[j], i * n, n);
      for (guint j = 0; j < lane_distance; j++)
        {
          guint from[GHLO_SCHEDULE_MAX_WIDTH], lanes[GHLO_SCHEDULE_MAX_WIDTH];
          GhloEmitPlace row = *place;

          for (guint k = 0; k < n; k++)
            {
              from[k] = (j * n + k) % lane_distance;
              lanes[k] = (j * n + k) / lane_distance;
            }
          row.base = ghlo_emit_byte_address (self, place->base,
                                             ghlo_emit_i64 (self, (gint64) (i * lane_distance + j) * n * size));
          ghlo_emit_store_contiguous (self, &row, pick (self, vectors, lane_distance, from, lanes, n));
        }
    }
}

/* Whether @other accesses the elements that are @distance bytes behind those of @access. */
static gboolean
is_neighbour (const GhloKernelAccess *access,
              const GhloKernelAccess *other,
              gint64                  distance)
{
  return other->buffer == access->buffer && other->type == access->type && other->n_terms == 0 && access->n_terms == 0
         && other->offset - access->offset == distance
         && memcmp (other->strides, access->strides, sizeof access->strides) == 0;
}

/* Whether the current block loads, at each point, the element @distance bytes behind that of @access. */
static gboolean
loads_neighbour (const Emitter          *self,
                 const GhloKernelAccess *access,
                 gint64                  distance)
{
  const GhloKernel *kernel = self->kernel;

  for (guint i = self->block->first_node; i < self->block->first_merge; i++)
    if (kernel->nodes[i].kind == GHLO_NODE_LOAD
        && is_neighbour (access, &kernel->accesses[kernel->nodes[i].index], distance))
      return TRUE;

  return FALSE;
}

void
ghlo_emit_find_neighbours (const Emitter *self,
                           guint          number,
                           GhloEmitPlace *place)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  const gint64 size = ghlo_element_info (access->type)->size;
  const guint lane_distance = ghlo_emit_lane_distance (self, place);

  for (guint i = 0; i < lane_distance && self->block != NULL && !place->covers_gaps; i++)
    if (loads_neighbour (self, access, -size * i) && loads_neighbour (self, access, size * (lane_distance - 1 - i)))
      {
        place->covers_gaps = TRUE;
        place->elements_before = (guint8) i;
      }
}

/* The store of the current block to the element @distance bytes behind that of @access, or GHLO_KERNEL_NONE. */
static guint
find_neighbour_store (const Emitter          *self,
                      const GhloKernelAccess *access,
                      gint64                  distance)
{
  const GhloKernel *kernel = self->kernel;

  for (guint i = self->block->first_store; i < self->block->first_store + (guint) self->block->n_stores; i++)
    if (kernel->stores[i].access != GHLO_KERNEL_NONE
        && is_neighbour (access, &kernel->accesses[kernel->stores[i].access], distance))
      return i;

  return GHLO_KERNEL_NONE;
}

static guint
count_stores (const Emitter *self,
              guint          buffer)
{
  const GhloKernel *kernel = self->kernel;
  guint n = 0;

  for (guint i = self->block->first_store; i < self->block->first_store + (guint) self->block->n_stores; i++)
    n += kernel->stores[i].access != GHLO_KERNEL_NONE
         && kernel->accesses[kernel->stores[i].access].buffer == buffer;

  return n;
}

guint
ghlo_emit_find_interleaved (const Emitter       *self,
                            guint                store,
                            const GhloEmitPlace *place,
                            guint               *stores)
{
  const GhloKernelAccess *access = &self->kernel->accesses[self->kernel->stores[store].access];
  const gint64 size = ghlo_element_info (access->type)->size;
  const guint lane_distance = ghlo_emit_lane_distance (self, place);

  if (lane_distance == 0 || access->n_terms > 0 || self->mask != NULL
      || count_stores (self, access->buffer) != lane_distance)
    return 0;
  for (gint64 first = 0; first < lane_distance; first++)
    {
      guint n = 0;

      while (n < lane_distance
             && (stores[n] = find_neighbour_store (self, access, size * (n - first))) != GHLO_KERNEL_NONE)
        n++;
      if (n == lane_distance)
        return n;
    }

  return 0;
}
