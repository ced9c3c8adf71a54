#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Selects one of several branches: sets its predicate to 1 and all others to 0. If the outer predicate is 0, all are
 * set to 0, so this shader runs even then: predicates of an earlier run would otherwise still be 1.
 *
 * Like loop.comp, it is for any device.
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
#include "choose.words"
};

layout (push_constant) uniform Push
{
  Table    table;
  uint64_t first;
};

uint
load_byte (uint64_t address)
{
  return U32 (address & ~uint64_t (3)).value >> (uint (address) & 3) * 8 & 255;
}

void
main ()
{
  uint n = uint (table.n), chosen;

  if (table.is_predicate != 0)
    chosen = load_byte (table.index) != 0 ? 0 : 1;
  else
    chosen = min (U32 (table.index).value, n - 1);      /* as unsigned numbers, negative ones are large */
  if (table.outer != 0 && load_byte (table.outer) == 0)
    chosen = n;
  for (uint i = 0; i < n; i++)
    U32 (table.predicates + 4 * i).value = i == chosen ? 1 : 0;
}
