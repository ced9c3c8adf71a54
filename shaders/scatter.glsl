/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the places of the items of a scatter.
 */

#include "combine.glsl"

layout (buffer_reference, std430, buffer_reference_align = 8) readonly buffer Table
{
  WORDS (head, HEAD)    /* GhloSpirvWord */
#include "scatter.words"
};

layout (push_constant) uniform Push
{
  Table    table;
  uint64_t first;
};

/* Returns an index as a signed number; larger unsigned numbers become the greatest signed one. */
int64_t
load_index (uint64_t address)
{
  uint64_t bits = load_unsigned (address, uint (table.index_size));
  uint shift = 64 - 8 * uint (table.index_size);

  if (table.index_is_signed != 0)
    return int64_t (bits << shift) >> shift;

  return int64_t (bits) < 0 ? int64_t (0x7fffffffffffffffl) : int64_t (bits);
}

/* Finds the offsets of an item in the result and in the updates. Returns false if it is outside the result. */
bool
locate (uint item, out uint64_t to, out uint64_t update)
{
  uint indices[MAX_DIMS + 1];
  uint64_t index = 0;

  to = update = 0;
  if (table.is_simple != 0)
    {
      int64_t start = load_index (table.starts[0] + item * table.index_strides[0]);

      to = item * table.to_strides[0] + uint64_t (start) * table.part_strides[0];
      update = item * table.update_strides[0];
      return start >= 0 && start <= int64_t (table.limits[0]);
    }
  indices[MAX_DIMS] = 0;
  for (uint d = uint (table.n_dims); d-- > 0;)
    {
      uint size = uint (table.sizes[d]), at = item % size;

      item /= size;
      indices[d] = at;
      index += at * table.index_strides[d];
      to += at * table.to_strides[d];
      update += at * table.update_strides[d];
    }
  for (uint i = 0; i < uint (table.n_parts); i++)
    {
      int64_t limit = int64_t (table.limits[i]), start = load_index (table.starts[i] + index);

      if (table.clamps != 0)
        start = clamp (start, int64_t (0), limit);
      else if (start <= limit)
        start += indices[uint (table.part_dims[i])];
      if (start < 0 || start > limit)
        return false;
      to += uint64_t (start) * table.part_strides[i];
    }

  return true;
}

uint64_t
update_of (uint item)
{
  uint64_t update = 0;

  for (uint d = uint (table.n_dims); d-- > 1;)
    {
      uint size = uint (table.sizes[d]);

      update += item % size * table.update_strides[d];
      item /= size;
    }

  return update + item * table.update_strides[0];
}

/* Finds the offsets of an inner point relative to its item. */
void
locate_inner (uint64_t point, out uint64_t to, out uint64_t update)
{
  to = update = 0;
  for (uint d = uint (table.n_inner_dims); d-- > 0;)
    {
      uint64_t row = divide (point, table.inner_sizes[d]), at = point - row * table.inner_sizes[d];

      point = row;
      to += at * table.inner_to_strides[d];
      update += at * table.inner_update_strides[d];
    }
}
