#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies elements whose neighbours in one place are not neighbours in the other: a workgroup loads a box of them in the
 * order of the one, keeps them in shared memory, and stores them in the order of the other. What is known of the axes
 * is constant, so that nothing is left of loops over axes and of divisions by sizes. Offsets and strides are in bytes,
 * modulo 2^32.
 */

#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "common.glsl"

/* The same as in src/gpu/permute.c: axes, and elements of an invocation. */
#define N_AXES   5
#define MAX_EACH 16

layout (constant_id = 0) const uint SIZE = 4;           /* bytes of an element, at most 8 */
layout (constant_id = 1) const uint N_ELEMENTS = 1;     /* of a box */
layout (constant_id = 2) const uint N_WORDS = 1;        /* of shared memory, for a half of each element */
layout (constant_id = 3) const uint FROM_START = 0;     /* offsets of the first elements */
layout (constant_id = 4) const uint TO_START = 0;
const uint N_HALVES = (SIZE + 3) / 4;

/* By axis, those first whose elements are adjacent in the place that is read: its size, the elements of it in a box,
 * its strides in both places, and words in shared memory between neighbours; last the order of axes in the other
 * place. */
#define AXES(name, first) \
  layout (constant_id = first) const uint name##_0 = 1; \
  layout (constant_id = first + 1) const uint name##_1 = 1; \
  layout (constant_id = first + 2) const uint name##_2 = 1; \
  layout (constant_id = first + 3) const uint name##_3 = 1; \
  layout (constant_id = first + 4) const uint name##_4 = 1;
#define ARRAY(name) uint[N_AXES] (name##_0, name##_1, name##_2, name##_3, name##_4)
AXES (SIZE_OF, 5)
AXES (BOX, 10)
AXES (FROM_STRIDE, 15)
AXES (TO_STRIDE, 20)
AXES (POSITION, 25)
AXES (TO_ORDER, 30)

uint sizes[N_AXES] = ARRAY (SIZE_OF), boxes[N_AXES] = ARRAY (BOX), from_strides[N_AXES] = ARRAY (FROM_STRIDE);
uint to_strides[N_AXES] = ARRAY (TO_STRIDE), positions[N_AXES] = ARRAY (POSITION), to_order[N_AXES] = ARRAY (TO_ORDER);

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

/* Where element @number of a box is, in one of the orders: its offset from the first element of the box in that place,
 * and its position in shared memory. */
struct Place
{
  uint offset, position;
  bool exists;
};

Place
find_place (uint number, uint begins[N_AXES], bool is_from)
{
  Place place = { 0, 0, number < N_ELEMENTS };

  [[unroll]] for (uint i = 0; i < N_AXES; i++)
    {
      uint axis = is_from ? i : to_order[i], coordinate = number % boxes[axis];

      place.offset += coordinate * (is_from ? from_strides[axis] : to_strides[axis]);
      place.position += coordinate * positions[axis];
      place.exists = place.exists && begins[axis] + coordinate < sizes[axis];
      number /= boxes[axis];
    }

  return place;
}

void
main ()
{
  if (is_off (table.head[FLAG]))
    return;

  uint box = uint (first) + gl_WorkGroupID.x, from_offset = FROM_START, to_offset = TO_START, begins[N_AXES];
  uint64_t loaded[MAX_EACH];

  [[unroll]] for (uint i = 0; i < N_AXES; i++)
    {
      uint n = (sizes[i] + boxes[i] - 1) / boxes[i];

      begins[i] = box % n * boxes[i];
      from_offset += begins[i] * from_strides[i];
      to_offset += begins[i] * to_strides[i];
      box /= n;
    }

  /* All loads are in flight before the first of them is needed. */
  [[unroll]] for (uint i = 0; i < MAX_EACH; i++)
    if (i * GROUP < N_ELEMENTS)
      {
        Place place = find_place (gl_LocalInvocationID.x + i * GROUP, begins, true);

        if (place.exists)
          loaded[i] = load_unsigned (table.from + (from_offset + place.offset), SIZE);
      }
  [[unroll]] for (uint i = 0; i < MAX_EACH; i++)
    if (i * GROUP < N_ELEMENTS)
      {
        Place place = find_place (gl_LocalInvocationID.x + i * GROUP, begins, true);

        if (place.exists)
          {
            words[place.position] = uint (loaded[i]);
            if (SIZE == 8)
              words[N_WORDS + place.position] = uint (loaded[i] >> 32);
          }
      }
  barrier ();

  [[unroll]] for (uint i = 0; i < MAX_EACH; i++)
    if (i * GROUP < N_ELEMENTS)
      {
        Place place = find_place (gl_LocalInvocationID.x + i * GROUP, begins, false);

        if (place.exists)
          {
            uint64_t value = words[place.position];

            if (SIZE == 8)
              value |= uint64_t (words[N_WORDS + place.position]) << 32;
            store_unsigned (table.to + (to_offset + place.offset), SIZE, value);
          }
      }
}
