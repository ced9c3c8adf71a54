#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorts short lines by 32 bits of a key, with a bitonic network in shared memory. It sorts pairs of the key and the
 * element's previous place, so that it is stable. A workgroup sorts as many lines as fit.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"
#include "sort.glsl"
#include "rank.glsl"

#define SHORT 2048

shared uint keys[SHORT];
shared uint places[SHORT];

void
load (uint64_t first_line, uint length)
{
  for (uint i = 0; i < SHORT / GROUP; i++)
    {
      uint slot = i * GROUP + gl_LocalInvocationID.x, place = slot % length;
      uint64_t line = first_line + slot / length;

      keys[slot] = 0xffffffff;
      places[slot] = place;
      if (place < table.n && line < table.n_lines)
        keys[slot] = key_of (bits_of (line, element_of (order_at (line, place))));
    }
}

bool
is_before (uint a, uint b)
{
  return keys[a] != keys[b] ? keys[a] < keys[b] : places[a] < places[b];
}

void
exchange (uint a, uint b)
{
  uint key = keys[a], place = places[a];

  keys[a] = keys[b];
  places[a] = places[b];
  keys[b] = key;
  places[b] = place;
}

void
main ()
{
  uint length = uint (table.width);
  uint64_t first_line = group_number () * (SHORT / length);

  if (is_off (table.head[FLAG]))
    return;
  load (first_line, length);
  for (uint size = 2; size <= length; size *= 2)
    for (uint distance = size / 2; distance > 0; distance /= 2)
      {
        barrier ();
        for (uint i = gl_LocalInvocationID.x; i < SHORT / 2; i += GROUP)
          {
            uint a = 2 * i - (i & (distance - 1)), b = a + distance;
            bool falls = (a % length & size) != 0;

            if (is_before (b, a) != falls)
              exchange (a, b);
          }
      }
  barrier ();
  for (uint i = 0; i < SHORT / GROUP; i++)
    {
      uint slot = i * GROUP + gl_LocalInvocationID.x, place = slot % length;
      uint64_t line = first_line + slot / length;

      if (place < table.n && line < table.n_lines)
        {
          store_u32 (table.order_to + (line * table.n + place) * 4, order_at (line, places[slot]));
          if (table.keys_to != 0)
            store_u32 (table.keys_to + (line * table.n + place) * 4, keys[slot]);
        }
    }
}
