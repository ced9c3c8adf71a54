#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies bytes from one place to another, a piece per invocation.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"

layout (constant_id = 0) const uint SIZE = 4;     /* bytes of a piece */

layout (buffer_reference, std430, buffer_reference_align = 8) readonly buffer Table
{
  WORDS (head, HEAD)    /* GhloSpirvWord */
#include "copy.words"
};

layout (push_constant) uniform Push
{
  Table    table;
  uint64_t first;
};

void
main ()
{
  uint64_t piece = first + gl_GlobalInvocationID.x;

  if (piece < table.n_pieces && !is_off (table.head[FLAG]))
    store_unsigned (table.to + piece * SIZE, SIZE, load_unsigned (table.from + piece * SIZE, SIZE));
}
