/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How an algorithm computes a product or a convolution. The algorithms of a table are asked one after the other, and
 * each fills in a way of its own: what one leaves that declines half-way is dropped before the next is asked, and a
 * state is freed by the function that came with it.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gpointer        state;          /* the algorithm's own; nullable */
  GDestroyNotify  release;        /* frees the state */
  char           *description;    /* nullable, owned */
  double          nanoseconds;    /* approximate, on one thread */
  gboolean        copies;         /* a library works on copies of the operands or the result */
  gboolean        packs_each;     /* of a product: rhs is packed in each run, which an algorithm below may do better */
  gsize           scratch_size;   /* bytes for a run; of a product: for one tile */
  gsize           packed_size;    /* bytes of an operand in the order that runs read, which may be packed ahead */
  GBytes         *packing;        /* nullable, owned; names that order: equal ones make equal copies of equals */
  gint64          tile_rows, tile_columns;    /* of a product's result */
  gint64          pitch;          /* of a product with an operand that is computed: elements between rows of a block */
} GhloCpuWay;

static inline void
ghlo_cpu_way_clear (GhloCpuWay *self)
{
  if (self->state != NULL)
    self->release (self->state);
  g_free (self->description);
  g_clear_pointer (&self->packing, g_bytes_unref);
  *self = (GhloCpuWay) { 0 };
}

/* Takes over @state. */
static inline void
ghlo_cpu_way_set_state (GhloCpuWay     *self,
                        gpointer        state,
                        GDestroyNotify  release)
{
  g_assert (self->state == NULL);
  self->state = state;
  self->release = release;
}

/* Returns the state of the algorithm whose states @release frees. */
static inline gpointer
ghlo_cpu_way_get_state (const GhloCpuWay *self,
                        GDestroyNotify    release)
{
  g_assert (self->release == release);

  return self->state;
}

/* Moves @way into @self, which is empty. */
static inline void
ghlo_cpu_way_move (GhloCpuWay *self,
                   GhloCpuWay *way)
{
  *self = *way;
  *way = (GhloCpuWay) { 0 };
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloCpuWay, ghlo_cpu_way_clear)

G_END_DECLS
