/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shardings, and the division of tensors into parts and back. sharding-read.c reads them.
 */

#include "pjrt/sharding/sharding.h"

#include <string.h>

#include "reference/kernel.h"

GhloPjrtSharding *
ghlo_pjrt_sharding_new_whole (GhloTensorType *whole,
                              guint           n_partitions)
{
  GhloPjrtSharding *self = g_new0 (GhloPjrtSharding, 1);

  self->whole = ghlo_tensor_type_ref (whole);
  self->part = ghlo_tensor_type_ref (whole);
  self->n_partitions = n_partitions;
  self->rank = whole->rank;
  /* At least one entry, so that pointers into the arrays are valid for a scalar too. */
  self->counts = g_new (gint64, MAX (whole->rank, 1));
  for (guint i = 0; i < whole->rank; i++)
    self->counts[i] = 1;
  self->parts = g_new0 (guint, (gsize) n_partitions * MAX (whole->rank, 1));
  self->addends = g_new0 (guint, n_partitions);
  self->is_first = g_new0 (gboolean, n_partitions);
  self->is_first[0] = TRUE;
  self->bytes = g_bytes_new_static ("", 0);

  return self;
}

void
ghlo_pjrt_sharding_free (GhloPjrtSharding *self)
{
  ghlo_tensor_type_unref (self->whole);
  ghlo_tensor_type_unref (self->part);
  g_free (self->counts);
  g_free (self->parts);
  g_free (self->addends);
  g_free (self->is_first);
  g_bytes_unref (self->bytes);
  g_free (self);
}

gboolean
ghlo_pjrt_sharding_is_whole (const GhloPjrtSharding *self)
{
  for (guint i = 0; i < self->rank; i++)
    if (self->counts[i] > 1)
      return FALSE;

  return !self->is_unreduced;
}

gboolean
ghlo_pjrt_sharding_matches (const GhloPjrtSharding *self,
                            const GhloPjrtSharding *other,
                            const guint            *partitions)
{
  if (self->n_partitions != other->n_partitions || self->rank != other->rank || self->is_stacked || other->is_stacked)
    return FALSE;
  for (guint i = 0; i < self->rank; i++)
    if (self->counts[i] != other->counts[i])
      return FALSE;
  for (guint i = 0; i < self->n_partitions; i++)
    {
      if (self->addends[i] != other->addends[partitions[i]])
        return FALSE;
      for (guint j = 0; j < self->rank; j++)
        if (self->parts[(gsize) i * self->rank + j] != other->parts[(gsize) partitions[i] * self->rank + j])
          return FALSE;
    }

  return TRUE;
}

void
ghlo_pjrt_sharding_stack (GhloPjrtSharding *self)
{
  gint64 dimensions[GHLO_MAX_RANK + 1] = { 1 };
  GhloTensorType *whole = self->whole;

  for (guint i = 0; i < self->n_partitions; i++)
    dimensions[0] = MAX (dimensions[0], (gint64) self->addends[i] + 1);
  for (guint i = 0; i < self->rank; i++)
    dimensions[i + 1] = whole->dimensions[i];
  self->is_stacked = TRUE;
  self->whole = ghlo_tensor_type_new_full (whole->element_type, dimensions, NULL, self->rank + 1, NULL);
  ghlo_tensor_type_unref (whole);
}

void
ghlo_pjrt_sharding_lay_out (GhloPjrtSharding                *self,
                            const PJRT_Layouts_MemoryLayout *layout)
{
  const int64_t *order = ghlo_pjrt_layout_get_order (layout);
  g_autofree gint64 *counts = g_memdup2 (self->counts, self->rank * sizeof *counts);
  g_autofree guint *parts = g_memdup2 (self->parts, (gsize) self->n_partitions * self->rank * sizeof *parts);
  g_autoptr (GhloTensorType) whole = g_steal_pointer (&self->whole), part = g_steal_pointer (&self->part);

  self->whole = ghlo_pjrt_layout_get_stored (layout, whole);
  self->part = ghlo_pjrt_layout_get_stored (layout, part);
  ghlo_pjrt_layout_arrange (layout, counts, self->counts);
  for (gsize i = 0; i < self->n_partitions; i++)
    for (guint k = 0; k < self->rank; k++)
      self->parts[i * self->rank + self->rank - 1 - k] = parts[i * self->rank + (gsize) order[k]];
}

/* A copy between the part of @partition and its location in the whole. Elements that are contiguous in both form
 * @n_runs runs of @run bytes. */
typedef struct
{
  const GhloPjrtSharding *sharding;
  const guint            *parts;        /* of the partition */
  gsize                   start;        /* in bytes: the start of the addend, if the whole is a stack */
  guint                   last;         /* the last dimension that is divided */
  gsize                   n_runs, run;
  gint64                  strides[GHLO_MAX_RANK];       /* of the whole, in bytes */
} Copying;

static void
copying_init (Copying                *self,
              const GhloPjrtSharding *sharding,
              guint                   partition)
{
  const GhloTensorType *part = sharding->part;

  *self = (Copying) { .sharding = sharding, .parts = sharding->parts + (gsize) partition * sharding->rank };
  self->n_runs = 1;
  self->run = ghlo_element_info (part->element_type)->size;
  ghlo_shape_strides (sharding->whole->dimensions + sharding->is_stacked, sharding->rank, (gint64) self->run,
                      self->strides);
  if (sharding->is_stacked)
    {
      self->start = self->run * sharding->addends[partition];
      for (guint i = 0; i < sharding->rank; i++)
        self->start *= (gsize) sharding->whole->dimensions[i + 1];
    }
  for (guint i = 0; i < sharding->rank; i++)
    if (sharding->counts[i] > 1)
      self->last = i;
  for (guint i = 0; i < sharding->rank; i++)
    *(i < self->last ? &self->n_runs : &self->run) *= (gsize) part->dimensions[i];
}

/* Returns the offset of run @index in the whole. */
static gsize
run_offset (const Copying *self,
            gsize          index)
{
  const gint64 *dimensions = self->sharding->part->dimensions;
  gsize offset = self->start;

  for (guint i = MIN (self->last + 1, self->sharding->rank); i-- > 0;)
    {
      gsize within = i < self->last ? index % (gsize) dimensions[i] : 0;

      if (i < self->last)
        index /= (gsize) dimensions[i];
      offset += ((gsize) self->parts[i] * (gsize) dimensions[i] + within) * (gsize) self->strides[i];
    }

  return offset;
}

GhloValue *
ghlo_pjrt_sharding_split (const GhloPjrtSharding  *self,
                          GhloValue               *value,
                          guint                    partition,
                          GError                 **error)
{
  GhloValue *part;
  Copying copying;

  if (ghlo_pjrt_sharding_is_whole (self))
    return ghlo_value_ref (value);
  if (self->addends[partition] > 0 && !self->is_stacked)
    return ghlo_value_new_tensor (self->part, error);
  part = ghlo_value_new_uninitialized (self->part, error);
  if (part == NULL || part->n_bytes == 0)
    return part;
  copying_init (&copying, self, partition);
  for (gsize i = 0; i < copying.n_runs; i++)
    memcpy (part->data + i * copying.run, value->data + run_offset (&copying, i), copying.run);

  return part;
}

/* Adds @n_bytes of numbers at @from to those at @to. */
static void
add_numbers (GhloElementType  type,
             guint8          *to,
             const guint8    *from,
             gsize            n_bytes)
{
  const gsize size = ghlo_element_info (type)->size;
  GhloRefScalarOp op;
  GhloRefScalarFunc add = ghlo_ref_scalar_func_for (GHLO_OP_STABLEHLO_ADD, type, type, &op);

  for (gsize i = 0; i < n_bytes; i += size)
    {
      const GhloScalar pair[2] = { ghlo_element_load (type, to + i), ghlo_element_load (type, from + i) };

      ghlo_element_store (type, to + i, add (&op, pair));
    }
}

/* Writes the part to its location in the whole; addends other than the first are added to what is there. */
static void
put_part (const GhloPjrtSharding *self,
          guint                   partition,
          const GhloValue        *part,
          GhloValue              *whole)
{
  Copying copying;

  copying_init (&copying, self, partition);
  for (gsize i = 0; i < copying.n_runs; i++)
    {
      guint8 *to = whole->data + run_offset (&copying, i);
      const guint8 *from = part->data + i * copying.run;

      if (self->addends[partition] == 0 || self->is_stacked)
        memcpy (to, from, copying.run);
      else
        add_numbers (self->part->element_type, to, from, copying.run);
    }
}

GhloValue *
ghlo_pjrt_sharding_assemble (const GhloPjrtSharding  *self,
                             GhloValue *const        *parts,
                             GError                 **error)
{
  GhloValue *value;

  if (ghlo_pjrt_sharding_is_whole (self))
    return ghlo_value_ref (parts[0]);
  value = ghlo_value_new_uninitialized (self->whole, error);
  if (value == NULL || value->n_bytes == 0)
    return value;
  for (guint i = 0; i < self->n_partitions; i++)
    if (self->is_first[i] && self->addends[i] == 0)
      put_part (self, i, parts[i], value);
  for (guint i = 0; self->is_unreduced && i < self->n_partitions; i++)
    if (self->is_first[i] && self->addends[i] > 0)
      put_part (self, i, parts[i], value);

  return value;
}
