#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Behind each condition of a loop that data ends: whether there is another iteration, and how many there were. Once
 * there was none there is none any more, whatever the predicate's byte is; and the next predicate, which no condition
 * computes then, becomes 0.
 *
 * This is for any device, while common.glsl is for those that load single bytes.
 */

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require

layout (local_size_x = 1) in;

#define WORD(name) uint64_t name;

layout (buffer_reference, std430, buffer_reference_align = 4) buffer U32 { uint value; };

layout (buffer_reference, std430, buffer_reference_align = 8) readonly buffer Table
{
  uint64_t head[5];     /* GhloSpirvWord */
#include "loop.words"
};

layout (push_constant) uniform Push
{
  Table    table;
  uint64_t first;
};

void
main ()
{
  uint64_t predicate = table.predicate;
  U32 alive = U32 (table.state), count = U32 (table.state + 4);
  uint byte = U32 (predicate & ~uint64_t (3)).value >> (uint (predicate) & 3) * 8 & 255;
  bool is_first = table.is_first != 0, goes_on = byte != 0 && (is_first || alive.value != 0);
  uint n = (is_first ? 0 : count.value) + (goes_on ? 1 : 0);

  alive.value = goes_on ? 1 : 0;
  count.value = n;
  if (table.next != 0 && !goes_on)
    atomicAnd (U32 (table.next & ~uint64_t (3)).value, ~(255 << (uint (table.next) & 3) * 8));
  if (table.report != 0)
    U32 (table.report).value = n << 1 | (goes_on ? 1 : 0);
}
