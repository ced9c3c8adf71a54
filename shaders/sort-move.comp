#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The third part of a radix sort pass. A workgroup sorts a tile by its digit, stably and two bits at a time, and writes
 * the run of each digit after those of the tiles before it.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"
#include "sort.glsl"

shared uint keys[TILE];
shared uint items[TILE];
shared uint64_t sums[GROUP];
shared uint starts[DIGITS];       /* start of a digit's run in the tile */
shared uint places[DIGITS];       /* start of the run in the line */

uint
digit_of (uint key)
{
  return key >> uint (table.shift) & 255;
}

/* Returns the inclusive prefix sum over invocations, of four counts of 16 bits. */
uint64_t
sum_up (uint64_t value)
{
  uint self = gl_LocalInvocationID.x;

  barrier ();
  sums[self] = value;
  for (uint distance = 1; distance < GROUP; distance *= 2)
    {
      uint64_t other;

      barrier ();
      other = self >= distance ? sums[self - distance] : 0;
      barrier ();
      sums[self] += other;
    }
  barrier ();

  return sums[self];
}

/* Slots past the line's end get the greatest digit, and stay after all elements that have it. */
void
load (uint64_t line, uint begin)
{
  for (uint i = 0; i < ITEMS; i++)
    {
      uint slot = i * GROUP + gl_LocalInvocationID.x;

      keys[slot] = 0xffffffff;
      if (begin + slot < table.n)
        {
          uint64_t at = (line * table.n + begin + slot) * 4;

          keys[slot] = load_u32 (table.keys_from + at);
          items[slot] = load_u32 (table.order_from + at);
        }
    }
  barrier ();
}

/* Sorts the tile by bits @bit and @bit + 1 of the digit. */
void
split (uint bit)
{
  uint own_keys[ITEMS], own_items[ITEMS];
  uint64_t counts = 0, before, all, next;

  for (uint i = 0; i < ITEMS; i++)
    {
      own_keys[i] = keys[gl_LocalInvocationID.x * ITEMS + i];
      own_items[i] = items[gl_LocalInvocationID.x * ITEMS + i];
      counts += uint64_t (1) << (digit_of (own_keys[i]) >> bit & 3) * 16;
    }
  before = sum_up (counts) - counts;
  all = sums[GROUP - 1];
  /* Where each of the four values begins: after all lesser ones. */
  next = before + (all << 16) + (all << 32) + (all << 48);
  for (uint i = 0; i < ITEMS; i++)
    {
      uint field = (digit_of (own_keys[i]) >> bit & 3) * 16;
      uint slot = uint (next >> field) & 0xffff;

      next += uint64_t (1) << field;
      keys[slot] = own_keys[i];
      items[slot] = own_items[i];
    }
  barrier ();
}

void
main ()
{
  uint64_t line = divide (group_number (), table.n_tiles);
  uint tile = uint (group_number () - line * table.n_tiles), self = gl_LocalInvocationID.x;
  uint total = load_u32 (table.totals + (line * DIGITS + self) * 4);

  if (is_off (table.head[FLAG]))
    return;
  load (line, tile * TILE);
  for (uint bit = 0; bit < 8; bit += 2)
    split (bit);
  places[self] = uint (sum_up (total)) - total
                 + load_u32 (table.counts + ((line * DIGITS + self) * table.n_tiles + tile) * 4);
  for (uint i = 0; i < ITEMS; i++)
    {
      uint slot = i * GROUP + self, digit = digit_of (keys[slot]);

      if (slot == 0 || digit_of (keys[slot - 1]) != digit)
        starts[digit] = slot;
    }
  barrier ();
  for (uint i = 0; i < ITEMS; i++)
    {
      uint slot = i * GROUP + self, digit = digit_of (keys[slot]);
      uint64_t at = (line * table.n + places[digit] + slot - starts[digit]) * 4;

      if (tile * TILE + slot < table.n)
        {
          store_u32 (table.keys_to + at, keys[slot]);
          store_u32 (table.order_to + at, items[slot]);
        }
    }
}
