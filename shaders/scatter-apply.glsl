/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The body of scatter-apply.comp. There is an invocation for each place in the order of items by key. Among the places
 * of an element, one makes all of its updates, one after the other: in the first turn the first place, in later turns
 * the first one that has not been done yet.
 */

#include "common.glsl"
#include "scatter.glsl"

uint
item_at (uint place)
{
  return load_u32 (table.order + uint64_t (place) * 4);
}

uint
key_at (uint place)
{
  return load_u32 (table.keys + uint64_t (item_at (place)) * 4);
}

void
assign (uint place, uint key, uint64_t to, uint64_t updates)
{
  if (place + 1 == table.n_items || key_at (place + 1) != key)
    copy_element (updates + update_of (item_at (place)), to, SIZE);
}

void
apply (uint place, uint key, uint64_t to, uint64_t updates)
{
  uint end = uint (min (place + table.chunk, table.n_items)), before = uint (table.before);
  uint64_t value;

  if (place < before || key_at (place - before) != key || (place > before && key_at (place - before - 1) == key))
    return;
  value = load_unsigned (to, SIZE);
  for (uint i = place; i < end; i++)
    {
      if (key_at (i) != key)
        break;
      value = combine (value, load_unsigned (updates + update_of (item_at (i)), SIZE));
    }
  store_unsigned (to, SIZE, value);
}

void
main ()
{
  uint64_t point = first + gl_GlobalInvocationID.x, to, update;
  uint place, key;

  if (point >= table.head[END] || is_off (table.head[FLAG]))
    return;
  place = uint (divide (point, table.n_inner));
  key = key_at (place);
  if (key == table.n_elements)
    return;
  locate_inner (point - place * table.n_inner, to, update);
  to += table.to + uint64_t (key) * SIZE;
  update += table.updates;
  if (KIND == COMBINE_ASSIGN)
    assign (place, key, to, update);
  else
    apply (place, key, to, update);
}
