/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Accesses whose elements are a few elements apart from lane to lane, such as the channels of an image or the parts
 * of complex numbers. Loads read whole vectors, with the elements in between, and pick the lanes out of them; stores
 * that fill a row together are interleaved into one. No load reads beyond the elements that the block accesses: the
 * last vectors end with the last element, unless other loads of the block cover what follows it.
 */

#include "cpu/emit/emit-private.h"

#include <string.h>

/* Lanes that one register holds, at most all of them. */
static guint
lanes_of_register (const Emitter *self,
                   guint          size)
{
  return MIN (self->width, self->target->vector_bytes / size);
}

guint
ghlo_emit_apart (const Emitter       *self,
                 const GhloEmitPlace *place)
{
  const guint size = ghlo_element_info (place->type)->size;
  const gint64 apart = place->stride / size;

  /* Without byte shuffles, loading one element after the other is as fast. */
  if (self->width == 1 || place->offsets != NULL || place->stride % size != 0 || apart < 2
      || apart > GHLO_SCHEDULE_MAX_APART || lanes_of_register (self, size) < 2
      || (size < 4 && !self->target->has_rounding))
    return 0;

  return (guint) apart;
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

/* Concatenates @n_parts vectors of @n lanes. */
static Value
join (Emitter *self,
      Value   *parts,
      guint    n_parts,
      guint    n)
{
  Value lanes[GHLO_SCHEDULE_MAX_WIDTH];

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

/* How many elements earlier the vector @which of @n lanes has to begin so that it ends with the last of @n elements
 * that are @apart from each other. */
static guint
back_of (guint which,
         guint apart,
         guint n)
{
  const guint last = (n - 1) * apart, end = (which + 1) * n - 1;

  return end > last ? end - last : 0;
}

Value
ghlo_emit_read_apart (Emitter             *self,
                      const GhloEmitPlace *place,
                      guint                apart)
{
  const guint size = ghlo_element_info (place->type)->size, n = lanes_of_register (self, size);
  const guint before = place->is_whole ? place->member : 0, n_parts = self->width / n;
  Type type = LLVMVectorType (ghlo_emit_memory_type (self, place->type), n);
  Value parts[GHLO_SCHEDULE_MAX_WIDTH], vectors[GHLO_SCHEDULE_MAX_APART];

  for (guint i = 0; i < n_parts; i++)
    {
      guint from[GHLO_SCHEDULE_MAX_WIDTH], lanes[GHLO_SCHEDULE_MAX_WIDTH];
      const gboolean is_last = i + 1 == n_parts && !place->is_whole;

      for (guint j = 0; j < apart; j++)
        {
          const gint64 first = (gint64) (i * apart + j) * n - before - (is_last ? back_of (j, apart, n) : 0);
          GhloEmitPlace row = *place;

          row.base = ghlo_emit_byte_address (self, place->base, ghlo_emit_i64 (self, first * size));
          vectors[j] = ghlo_emit_load_row (self, &row, type);
        }
      for (guint j = 0; j < n; j++)
        {
          from[j] = (j * apart + before) / n;
          lanes[j] = (j * apart + before) % n + (is_last ? back_of (from[j], apart, n) : 0);
        }
      parts[i] = pick (self, vectors, apart, from, lanes, n);
    }

  return join (self, parts, n_parts, n);
}

void
ghlo_emit_write_apart (Emitter             *self,
                       const GhloEmitPlace *place,
                       guint                apart,
                       const Value         *values)
{
  const guint size = ghlo_element_info (place->type)->size, n = lanes_of_register (self, size);

  for (guint i = 0; i < self->width / n; i++)
    {
      Value vectors[GHLO_SCHEDULE_MAX_APART];

      for (guint j = 0; j < apart; j++)
        vectors[j] = ghlo_emit_take_lanes (self, values[j], i * n, n);
      for (guint j = 0; j < apart; j++)
        {
          guint from[GHLO_SCHEDULE_MAX_WIDTH], lanes[GHLO_SCHEDULE_MAX_WIDTH];
          GhloEmitPlace row = *place;

          for (guint k = 0; k < n; k++)
            {
              from[k] = (j * n + k) % apart;
              lanes[k] = (j * n + k) / apart;
            }
          row.base = ghlo_emit_byte_address (self, place->base,
                                             ghlo_emit_i64 (self, (gint64) (i * apart + j) * n * size));
          ghlo_emit_store_row (self, &row, pick (self, vectors, apart, from, lanes, n));
        }
    }
}

/* Whether @other accesses the elements that are @distance bytes behind those of @access. */
static gboolean
is_beside (const GhloKernelAccess *access,
           const GhloKernelAccess *other,
           gint64                  distance)
{
  return other->buffer == access->buffer && other->type == access->type && other->n_terms == 0 && access->n_terms == 0
         && other->offset - access->offset == distance
         && memcmp (other->strides, access->strides, sizeof access->strides) == 0;
}

/* Whether the current block loads, at each point, the element @distance bytes behind that of @access. */
static gboolean
loads_beside (const Emitter          *self,
              const GhloKernelAccess *access,
              gint64                  distance)
{
  const GhloKernel *kernel = self->kernel;

  for (guint i = self->block->first_node; i < self->block->first_merge; i++)
    if (kernel->nodes[i].kind == GHLO_NODE_LOAD
        && is_beside (access, &kernel->accesses[kernel->nodes[i].which], distance))
      return TRUE;

  return FALSE;
}

void
ghlo_emit_find_beside (const Emitter *self,
                       guint          number,
                       GhloEmitPlace *place)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  const gint64 size = ghlo_element_info (access->type)->size;
  const guint apart = ghlo_emit_apart (self, place);

  for (guint i = 0; i < apart && self->block != NULL && !place->is_whole; i++)
    if (loads_beside (self, access, -size * i) && loads_beside (self, access, size * (apart - 1 - i)))
      {
        place->is_whole = TRUE;
        place->member = (guint8) i;
      }
}

/* The store of the current block to the element @distance bytes behind that of @access, or GHLO_KERNEL_NONE. */
static guint
stores_beside (const Emitter          *self,
               const GhloKernelAccess *access,
               gint64                  distance)
{
  const GhloKernel *kernel = self->kernel;

  for (guint i = self->block->first_store; i < self->block->first_store + (guint) self->block->n_stores; i++)
    if (kernel->stores[i].access != GHLO_KERNEL_NONE
        && is_beside (access, &kernel->accesses[kernel->stores[i].access], distance))
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
ghlo_emit_find_row (const Emitter       *self,
                    guint                store,
                    const GhloEmitPlace *place,
                    guint               *stores)
{
  const GhloKernelAccess *access = &self->kernel->accesses[self->kernel->stores[store].access];
  const gint64 size = ghlo_element_info (access->type)->size;
  const guint apart = ghlo_emit_apart (self, place);

  if (apart == 0 || access->n_terms > 0 || self->mask != NULL || count_stores (self, access->buffer) != apart)
    return 0;
  for (gint64 first = 0; first < apart; first++)
    {
      guint n = 0;

      while (n < apart && (stores[n] = stores_beside (self, access, size * (n - first))) != GHLO_KERNEL_NONE)
        n++;
      if (n == apart)
        return n;
    }

  return 0;
}
