#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Threefry-2x32-20 and Philox-4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011). Each
 * invocation computes one count; the last one advances the state.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"

layout (constant_id = 0) const uint SIZE = 4;     /* bytes of an element */

layout (buffer_reference, std430, buffer_reference_align = 8) readonly buffer Table
{
  WORDS (head, HEAD)    /* GhloSpirvWord */
#include "random.words"
};

layout (push_constant) uniform Push
{
  Table    table;
  uint64_t first;
};

/* States are tensors of integers of 32 bits or more, of any type. */
uint64_t
state_word (uint i)
{
  uint64_t from = table.state_from + i * 8;

  return load_u32 (from) | uint64_t (load_u32 (from + 4)) << 32;
}

void
put_state (uint i, uint64_t word)
{
  store_u32 (table.state_to + i * 8, uint (word));
  store_u32 (table.state_to + i * 8 + 4, uint (word >> 32));
}

void
put (uint64_t at, uint word)
{
  uint low = word & 255;

  if (at < table.n)
    store_unsigned (table.to + at * SIZE, SIZE,
                    table.is_narrow != 0 ? table.narrow[low >> 3] >> (low & 7) * 8 & 255 : word);
}

void
put_wide (uint64_t at, uint first_word, uint second_word)
{
  if (at < table.n)
    store_unsigned (table.to + at * SIZE, SIZE, first_word | uint64_t (second_word) << 32);
}

void
four_rounds (inout uvec2 x, uint k[3], uvec4 rotations, uint injection)
{
  for (uint i = 0; i < 4; i++)
    {
      x.x += x.y;
      x.y = (x.y << rotations[i] | x.y >> (32 - rotations[i])) ^ x.x;
    }
  x += uvec2 (k[injection % 3], k[(injection + 1) % 3] + injection);
}

void
threefry (uint64_t key, uint64_t low, uint64_t count)
{
  uint k[3] = { uint (key), uint (key >> 32), uint (key) ^ uint (key >> 32) ^ 0x1bd11bda };
  const uvec4 odd = uvec4 (13, 15, 26, 6), even = uvec4 (17, 29, 16, 24);
  uvec2 x = uvec2 (uint (low + count) + k[0], uint (low + count >> 32) + k[1]);
  uint64_t row, outer, h, at;

  for (uint i = 1; i <= 5; i++)
    four_rounds (x, k, (i & 1) != 0 ? odd : even, i);
  if (table.is_wide != 0)
    {
      put_wide (count, x.x, x.y);
      return;
    }
  row = divide (count, table.inner);
  outer = divide (row, (table.extent + 1) / 2);
  h = row - outer * ((table.extent + 1) / 2);
  at = (outer * table.extent + 2 * h) * table.inner + count - row * table.inner;
  put (at, x.x);
  if (2 * h + 1 < table.extent)
    put (at + table.inner, x.y);
}

void
philox (uint64_t key, uint64_t low, uint64_t high, uint64_t count)
{
  uvec2 k = uvec2 (uint (key), uint (key >> 32));
  uvec4 x;

  low += count;
  high += low < count ? 1 : 0;
  x = uvec4 (uint (low), uint (low >> 32), uint (high), uint (high >> 32));
  for (uint i = 0; i < 10; i++)
    {
      uint a_high, a_low, b_high, b_low;

      umulExtended (x.x, 0xd2511f53, a_high, a_low);
      umulExtended (x.z, 0xcd9e8d57, b_high, b_low);
      x = uvec4 (b_high ^ x.y ^ k.x, b_low, a_high ^ x.w ^ k.y, a_low);
      k += uvec2 (0x9e3779b9, 0xbb67ae85);
    }
  if (table.is_wide != 0)
    {
      put_wide (2 * count, x.x, x.y);
      put_wide (2 * count + 1, x.z, x.w);
      return;
    }
  for (uint i = 0; i < 4; i++)
    put (4 * count + i, x[i]);
}

void
main ()
{
  uint64_t count = first + gl_GlobalInvocationID.x, key, low, high;

  if (count >= table.head[END] || is_off (table.head[FLAG]))
    return;
  key = state_word (0);
  low = state_word (1);
  /* With a state of two words, Philox starts with the words reversed. */
  high = table.state_size == 16 ? key : state_word (2);
  if (count < table.n_counts)
    {
      if (table.is_threefry != 0)
        threefry (key, low, count);
      else
        philox (key, low, high, count);
      return;
    }
  put_state (0, key);
  put_state (1, low + count);
  if (table.state_size > 16)
    put_state (2, high + (low + count < low ? 1 : 0));
}
