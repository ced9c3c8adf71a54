#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies elements whose neighbours in one place are not neighbours in the other: a workgroup loads a box of them in the
 * order of the one, keeps them in shared memory, and stores them in the order of the other. Where elements of the box
 * lie in the two places, and in shared memory, is a sum of two numbers, which are found once: those of the inner and
 * of the outer axes of an order.
 */

#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "common.glsl"

/* The same as in src/gpu/permute.c: elements along the inner or the outer axes of a box, and axes. */
#define MAX_SIDE 256
#define MAX_AXES 8

layout (constant_id = 0) const uint SIZE = 4;           /* bytes of an element, at most 8 */
layout (constant_id = 1) const uint MAX_EACH = 16;      /* elements of an invocation */
layout (constant_id = 2) const uint N_WORDS = 4352;     /* words of shared memory for halves of elements */
const uint N_HALVES = (SIZE + 3) / 4;

layout (buffer_reference, std430, buffer_reference_align = 8) readonly buffer Table
{
  WORDS (head, HEAD)    /* GhloSpirvWord */
#include "permute.words"
};

layout (push_constant) uniform Push
{
  Table    table;
  uint64_t first;
};

shared uint words[N_WORDS * N_HALVES];
shared uvec2 inner_places[MAX_SIDE], outer_places[MAX_SIDE];    /* offsets in memory, positions in shared memory */

uint extents[MAX_AXES];         /* of this box */

/* The number of elements along axes @begin to @end of an order. */
uint
count (bool is_from, uint begin, uint end)
{
  uint n = 1;

  for (uint i = begin; i < end; i++)
    n *= extents[uint (is_from ? table.from_order[i] : table.to_order[i])];

  return n;
}

/* Finds the places of element @number of those along axes @begin to @end of an order. */
uvec2
find_place (bool is_from, uint begin, uint end, uint number)
{
  uvec2 place = uvec2 (0);

  for (uint i = begin; i < end; i++)
    {
      uint axis = uint (is_from ? table.from_order[i] : table.to_order[i]);
      uint coordinate = number % extents[axis];

      place += coordinate * uvec2 (is_from ? table.from_strides[axis] : table.to_strides[axis],
                                   table.positions[axis]);
      number /= extents[axis];
    }

  return place;
}

void
fill_places (bool is_from, uint n_inner, uint n_outer)
{
  uint split = uint (is_from ? table.n_from_inner : table.n_to_inner);

  for (uint i = gl_LocalInvocationID.x; i < n_inner; i += GROUP)
    inner_places[i] = find_place (is_from, 0, split, i);
  for (uint i = gl_LocalInvocationID.x; i < n_outer; i += GROUP)
    outer_places[i] = find_place (is_from, split, uint (table.n_axes), i);
}

void
main ()
{
  if (is_off (table.head[FLAG]))
    return;

  uint64_t box = first + gl_WorkGroupID.x;
  uint from_offset = uint (table.from_start), to_offset = uint (table.to_start), n_axes = uint (table.n_axes);

  for (uint i = 0; i < n_axes; i++)
    {
      uint size = uint (table.sizes[i]), length = uint (table.boxes[i]), n = (size + length - 1) / length;
      uint64_t rest = divide (box, n);
      uint begin = uint (box - rest * n) * length;

      extents[i] = min (length, size - begin);
      from_offset += begin * uint (table.from_strides[i]);
      to_offset += begin * uint (table.to_strides[i]);
      box = rest;
    }

  uint n_inner = count (true, 0, uint (table.n_from_inner));
  uint n_outer = count (true, uint (table.n_from_inner), n_axes), n = n_inner * n_outer;

  fill_places (true, n_inner, n_outer);
  barrier ();

  /* All loads are in flight before the first of them is needed. */
  uint inner = gl_LocalInvocationID.x % n_inner, outer = gl_LocalInvocationID.x / n_inner;
  uint step_inner = GROUP % n_inner, step_outer = GROUP / n_inner;
  uint64_t loaded[MAX_EACH];
  uint positions[MAX_EACH];

  [[unroll]] for (uint i = 0; i < MAX_EACH; i++)
    if (gl_LocalInvocationID.x + i * GROUP < n)
      {
        uvec2 place = inner_places[inner] + outer_places[outer];

        loaded[i] = load_unsigned (table.from + (from_offset + place.x), SIZE);
        positions[i] = place.y;
        inner += step_inner;
        outer += step_outer;
        if (inner >= n_inner)
          {
            inner -= n_inner;
            outer++;
          }
      }
  [[unroll]] for (uint i = 0; i < MAX_EACH; i++)
    if (gl_LocalInvocationID.x + i * GROUP < n)
      {
        words[positions[i]] = uint (loaded[i]);
        if (SIZE == 8)
          words[N_WORDS + positions[i]] = uint (loaded[i] >> 32);
      }
  barrier ();

  n_inner = count (false, 0, uint (table.n_to_inner));
  fill_places (false, n_inner, count (false, uint (table.n_to_inner), n_axes));
  barrier ();

  inner = gl_LocalInvocationID.x % n_inner;
  outer = gl_LocalInvocationID.x / n_inner;
  step_inner = GROUP % n_inner;
  step_outer = GROUP / n_inner;
  [[unroll]] for (uint i = 0; i < MAX_EACH; i++)
    if (gl_LocalInvocationID.x + i * GROUP < n)
      {
        uvec2 place = inner_places[inner] + outer_places[outer];
        uint64_t value = words[place.y];

        if (SIZE == 8)
          value |= uint64_t (words[N_WORDS + place.y]) << 32;
        store_unsigned (table.to + (to_offset + place.x), SIZE, value);
        inner += step_inner;
        outer += step_outer;
        if (inner >= n_inner)
          {
            inner -= n_inner;
            outer++;
          }
      }
}
