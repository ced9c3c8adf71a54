#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs after a batch of iterations of a loop whose end depends on data. Finds out how many iterations took place,
 * whether there is another one, and whether only the last condition ended the loop. An iteration's predicate is 1 if it
 * took place; once a predicate is 0, all later ones are. All predicates are reset to 0 for the next batch.
 *
 * This is for any device, while common.glsl is for those that can load single bytes.
 */

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require

/* The number of iterations of all but the largest blocks. */
#define GROUP 64

layout (local_size_x = GROUP) in;

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

shared uint n_open;

void
main ()
{
  uint64_t predicates = table.predicates & ~uint64_t (3);
  uint shift = (uint (table.predicates) & 3) * 8, n = uint (table.n), i = gl_LocalInvocationIndex;

  if (i == 0)
    n_open = 0;
  barrier ();
  for (uint k = i; k < n; k += GROUP)
    {
      U32 predicate = U32 (predicates + k * table.stride);

      if ((predicate.value >> shift & 255) != 0)
        atomicAdd (n_open, 1);
      predicate.value = 0;
    }
  barrier ();
  if (i == 0)
    {
      U32 alive = U32 (table.state), count = U32 (table.state + 4), ended = U32 (table.state + 8);
      bool goes_on = n_open == n;

      alive.value = goes_on ? 1 : 0;
      ended.value = n_open + 1 == n ? 1 : 0;
      count.value = table.report != 0 ? count.value + n_open : 0;
      if (table.report != 0)
        U32 (table.report).value = count.value << 1 | (goes_on ? 1 : 0);
    }
}
