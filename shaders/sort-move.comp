#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The third part of a radix sort pass. A workgroup sorts a tile by its digit, stably, and writes the run of each digit
 * after those of the tiles before it. A subgroup has adjacent elements; it numbers those with the same digit by
 * ballots.
 */

#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "common.glsl"
#include "sort.glsl"
#include "scan.glsl"

shared uint slots[TILE];                                  /* keys, then numbers of elements, sorted by digit */
shared uint counts[MAX_DIGITS / 32 * GROUP];              /* per subgroup and digit: elements in subgroups before it */
shared uint starts[MAX_DIGITS];                           /* start of a digit's run in the tile */
shared uint places[MAX_DIGITS];                           /* start of the run in the line, less that in the tile */

/* Keeps the invocations whose digits have the same bit. */
void
keep_equal (inout uvec4 peers, uint digit, uint bit)
{
  uvec4 ones = subgroupBallot ((digit & bit) != 0);

  peers &= (digit & bit) != 0 ? ones : ~ones;
}

/* Returns the invocations of the subgroup whose element has the same digit. */
uvec4
peers_of (uint digit, uint n_digits)
{
  uvec4 peers = subgroupBallot (true);

  /* Bits that no digit has change nothing, so that a loop of a constant length does for most digits. */
  UNROLL for (uint i = 0; i < 8; i++)
    keep_equal (peers, digit, 1 << i);
  for (uint bit = 256; bit < n_digits; bit *= 2)
    keep_equal (peers, digit, bit);

  return SUBGROUP <= 32 ? uvec4 (peers.x, 0, 0, 0) : peers;
}

/* Returns the elements of a line with a digit, and those in the tiles before a tile. */
uint
sum_counts (uint64_t line, uint digit, uint tile, out uint before)
{
  uint64_t counts = counts_of (line, 0) + digit * table.n_tiles * 4;
  uint n_tiles = uint (table.n_tiles), count = 0;

  if (table.totals != 0)
    {
      before = load_u32 (counts + tile * 4);
      return load_u32 (table.totals + (line * table.n_digits + digit) * 4);
    }
  before = 0;
  for (uint i = 0; i < n_tiles; i++)
    {
      uint one = load_u32 (counts + i * 4);

      count += one;
      before += i < tile ? one : 0;
    }

  return count;
}

/* Sums up the counts over subgroups, tiles and digits. */
void
scan_counts (uint64_t line, uint tile, uint self)
{
  uint n_digits = uint (table.n_digits), n_each = max (n_digits / GROUP, 1), in_tile = 0, in_line = 0, total;
  uint befores[MAX_DIGITS / GROUP];

  for (uint digit = self * n_each; digit < min ((self + 1) * n_each, n_digits); digit++)
    {
      uint sum = 0;

      UNROLL for (uint i = 0; i < SUBGROUPS; i++)
        {
          uint count = counts[i * n_digits + digit];

          counts[i * n_digits + digit] = sum;
          sum += count;
        }
      starts[digit] = sum;
      places[digit] = sum_counts (line, digit, tile, befores[digit - self * n_each]);
      in_tile += sum;
      in_line += places[digit];
    }
  in_tile = sum_before (self, in_tile, total);
  in_line = sum_before (self, in_line, total);
  for (uint digit = self * n_each; digit < min ((self + 1) * n_each, n_digits); digit++)
    {
      uint sum = starts[digit], all = places[digit];

      starts[digit] = in_tile;
      places[digit] = in_line + befores[digit - self * n_each] - in_tile;
      in_tile += sum;
      in_line += all;
    }
}

/* Slots past the line's end get the greatest digit, and stay after all elements that have it. */
void
main ()
{
  uint64_t line = divide (group_number (), table.n_tiles), keys_from, keys_to, order_to;
  uint tile = uint (group_number () - line * table.n_tiles), n = min (uint (table.n) - tile * TILE, TILE);
  uint subgroup = gl_SubgroupID, self = invocation (), n_digits = uint (table.n_digits), shift = uint (table.shift);
  uint own_keys[ITEMS], own_numbers[ITEMS], own_slots[ITEMS], own_places[ITEMS];
  uint begin = subgroup * SUBGROUP * ITEMS + gl_SubgroupInvocationID;

  if (is_off (table.head[FLAG]))
    return;
  keys_from = tile_of (table.keys_from, line, tile);
  keys_to = table.keys_to;
  order_to = table.order_to + line * table.n * SIZE;
  UNROLL for (uint i = 0; i < ITEMS; i++)
    own_keys[i] = load_u32 (keys_from + min (begin + i * SUBGROUP, n - 1) * 4);
  UNROLL for (uint i = 0; i < ITEMS; i++)
    own_numbers[i] = tile * TILE + begin + i * SUBGROUP;
  if (table.order_from != 0)
    UNROLL for (uint i = 0; i < ITEMS; i++)
      own_numbers[i] = load_u32 (tile_of (table.order_from, line, tile) + min (begin + i * SUBGROUP, n - 1) * 4);
  for (uint i = self; i < SUBGROUPS * n_digits; i += GROUP)
    counts[i] = 0;
  barrier ();
  UNROLL for (uint i = 0; i < ITEMS; i++)
    {
      uint digit, rank, before = 0;
      uvec4 peers;

      if (begin + i * SUBGROUP >= n)
        own_keys[i] = 0xffffffff;
      digit = own_keys[i] >> shift & n_digits - 1;
      peers = peers_of (digit, n_digits);
      rank = subgroupBallotExclusiveBitCount (peers);
      if (rank == 0)
        before = atomicAdd (counts[subgroup * n_digits + digit], subgroupBallotBitCount (peers));
      own_slots[i] = subgroupShuffle (before, subgroupBallotFindLSB (peers)) + rank;
    }
  barrier ();
  scan_counts (line, tile, self);
  barrier ();
  UNROLL for (uint i = 0; i < ITEMS; i++)
    {
      uint digit = own_keys[i] >> shift & n_digits - 1;

      own_slots[i] += starts[digit] + counts[subgroup * n_digits + digit];
      slots[own_slots[i]] = own_keys[i];
    }
  barrier ();
  UNROLL for (uint i = 0; i < ITEMS; i++)
    {
      own_keys[i] = slots[i * GROUP + self];
      own_places[i] = places[own_keys[i] >> shift & n_digits - 1] + i * GROUP + self;
    }
  if (keys_to != 0)
    {
      keys_to += line * table.n * 4;
      UNROLL for (uint i = 0; i < ITEMS; i++)
        if (i * GROUP + self < n)
          store_u32 (keys_to + uint64_t (own_places[i]) * 4, own_keys[i]);
    }
  barrier ();
  UNROLL for (uint i = 0; i < ITEMS; i++)
    slots[own_slots[i]] = own_numbers[i];
  barrier ();
  UNROLL for (uint i = 0; i < ITEMS; i++)
    own_numbers[i] = slots[i * GROUP + self];
  UNROLL for (uint i = 0; i < ITEMS; i++)
    if (i * GROUP + self < n)
      store_unsigned (order_to + uint64_t (own_places[i]) * SIZE, SIZE, own_numbers[i]);
}
