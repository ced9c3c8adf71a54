/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One level's table of routines. Compiled for each level.
 */

#include "cpu/isa/routines-private.h"

#include <string.h>

void
NAME (routines_init) (GhloCpuRoutines *self)
{
  memcpy (self->tiles, NAME (tiles), sizeof (self->tiles));
  memcpy (self->complex_tiles, NAME (complex_tiles), sizeof (self->complex_tiles));
  memcpy (self->row_tiles, NAME (row_tiles), sizeof (self->row_tiles));
  self->bf16_row_tiles = NULL;
  self->weigh = NAME (weigh);
  memcpy (self->dot, NAME (dots), sizeof (self->dot));
  memcpy (self->add, NAME (adds), sizeof (self->add));
  self->multiply_nibbles = NAME (multiply_nibbles);
  self->multiply_nibbles_each = NAME (multiply_nibbles_each);
  self->split_digits = NAME (split_digits);
  self->pack_nibbles = NAME (pack_nibbles);
  memcpy (self->order, NAME (orders), sizeof (self->order));
  memcpy (self->convert, NAME (conversions), sizeof (self->convert));
  self->clear_columns = NAME (clear_columns);
  self->interleave4 = NAME (interleave4);
  self->interleave8 = NAME (interleave8);
  self->interleave16 = NAME (interleave16);
  self->clamp_indices = NAME (clamp_indices);
  self->check_indices = NAME (check_indices);
  self->are_sorted[0] = NAME (are_sorted_gint32);
  self->are_sorted[1] = NAME (are_sorted_gint64);
  self->limit_offsets = NAME (limit_offsets);
  self->count = NAME (count);
  memcpy (self->pool_gradient, NAME (pool_gradients), sizeof (self->pool_gradient));
  self->register_bytes = VECTOR_BYTES;
  memcpy (self->windows, NAME (windows), sizeof (self->windows));
  memcpy (self->pick, NAME (picks), sizeof (self->pick));
  self->find_combine_loops = NAME (find_combine_loops);
  NAME (sort_init) (&self->sort);
  NAME (top_k_init) (&self->top_k);
  self->threefry = NAME (threefry);
  self->philox = NAME (philox);
  NAME (fourier_init) (self->fourier);
  NAME (triangles_init) (self);
  memcpy (self->move, NAME (moves), sizeof (self->move));
  memcpy (self->transpose, NAME (transposes), sizeof (self->transpose));
  memcpy (self->transpose_at, NAME (transposes_at), sizeof (self->transpose_at));
  self->shuffle = NAME (find_shuffle) ();
  memcpy (self->stream, NAME (streams), sizeof (self->stream));
}
