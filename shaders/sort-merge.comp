#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorts lines with unordered elements. The result depends on which elements are compared, so the comparisons are those
 * of src/cpu/sort/partial.c. An invocation sorts a block, or merges two runs; all other lines are left alone.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"
#include "sort.glsl"

#define BLOCK 8

bool
is_before (uint64_t line, uint a, uint b)
{
  for (uint k = 0; k < uint (table.n_keys); k++)
    {
      uint64_t ranks = table.ranks + (k * table.n_lines + line) * table.n * 8;
      uint64_t x = U64 (ranks + uint64_t (a) * 8).value, y = U64 (ranks + uint64_t (b) * 8).value;

      if ((table.partial_keys >> k & 1) != 0 && (x == 0 || y == 0))
        return false;
      if (x != y)
        return x < y;
    }

  return table.reverses_equal != 0;
}

void
put (uint64_t line, uint place, uint element)
{
  store_u32 (table.order_to + (line * table.n + place) * 4, table.is_last != 0 ? element_of (element) : element);
}

void
insert (uint64_t line, uint begin, uint end)
{
  uint order[BLOCK];

  for (uint i = begin; i < end; i++)
    {
      uint to = i - begin;

      while (to > 0 && is_before (line, i, order[to - 1]))
        {
          order[to] = order[to - 1];
          to--;
        }
      order[to] = i;
    }
  for (uint i = begin; i < end; i++)
    put (line, i, order[i - begin]);
}

void
merge (uint64_t line, uint begin, uint middle, uint end)
{
  uint left = begin, right = middle;
  bool overlap = middle < end && is_before (line, order_at (line, middle), order_at (line, middle - 1));

  for (uint to = begin; to < end; to++)
    {
      bool from_right = left == middle;

      if (overlap && left < middle && right < end)
        from_right = is_before (line, order_at (line, right), order_at (line, left));
      put (line, to, order_at (line, from_right ? right++ : left++));
    }
}

void
main ()
{
  uint64_t point = first + gl_GlobalInvocationID.x, n_each, line;
  uint length, begin, n = uint (table.n);

  if (point >= table.head[END] || is_off (table.head[FLAG]))
    return;
  length = table.width == 1 ? BLOCK : 2 * uint (table.width);
  n_each = (n + length - 1) / length;
  line = divide (point, n_each);
  begin = uint (point - line * n_each) * length;
  if (load_u32 (table.flags + line * 4) == 0)
    return;
  if (table.width == 1)
    insert (line, begin, min (begin + length, n));
  else
    merge (line, begin, min (begin + length / 2, n), min (begin + length, n));
}
