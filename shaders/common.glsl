/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Included first by all shaders but choose.comp and loop.comp. The words of a shader's table are listed in NAME.words,
 * which both sides include: here they declare the members of Table, in C those of a structure of guint64. The push
 * constants are GhloSpirvPush of src/gpu/spirv/spirv.h.
 *
 * Buffers are passed as addresses. Values are loaded and stored as integers, since devices may flush floats.
 */

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

/* Invocations per workgroup; the same as GHLO_GPU_SHADER_GROUP. */
#define GROUP 256

layout (local_size_x = GROUP) in;

/* Loops whose length is a specialization constant, over arrays that belong in registers: not all drivers unroll them by
 * themselves. */
#define UNROLL [[unroll]]

/* Values of GhloSpirvWord. */
#define HEAD 5
#define END  0
#define FLAG 4

#define WORD(name) uint64_t name;
#define WORDS(name, n) uint64_t name[n];

layout (buffer_reference, std430, buffer_reference_align = 1) buffer U8 { uint8_t value; };
layout (buffer_reference, std430, buffer_reference_align = 2) buffer U16 { uint16_t value; };
layout (buffer_reference, std430, buffer_reference_align = 4) buffer U32 { uint value; };
layout (buffer_reference, std430, buffer_reference_align = 8) buffer U64 { uint64_t value; };

uint
load_u32 (uint64_t address)
{
  return U32 (address).value;
}

void
store_u32 (uint64_t address, uint value)
{
  U32 (address).value = value;
}

/* Whether the dispatch must do nothing; uniform across all invocations. Loads the four bytes that contain the flag, so
 * that no device needs to load single bytes. */
bool
is_off (uint64_t flag)
{
  return flag != 0 && (load_u32 (flag & ~uint64_t (3)) >> (uint (flag) & 3) * 8 & 255) == 0;
}

/* Loads an unsigned integer of @size bytes, at most 8. */
uint64_t
load_unsigned (uint64_t address, uint size)
{
  switch (size)
    {
    case 1:
      return uint64_t (uint (U8 (address).value));
    case 2:
      return uint64_t (uint (U16 (address).value));
    case 4:
      return uint64_t (U32 (address).value);
    default:
      return U64 (address).value;
    }
}

void
store_unsigned (uint64_t address, uint size, uint64_t value)
{
  switch (size)
    {
    case 1:
      U8 (address).value = uint8_t (uint (value));
      break;
    case 2:
      U16 (address).value = uint16_t (uint (value));
      break;
    case 4:
      U32 (address).value = uint (value);
      break;
    default:
      U64 (address).value = value;
    }
}

/* Copies an element of @size bytes, at most 16. */
void
copy_element (uint64_t from, uint64_t to, uint size)
{
  store_unsigned (to, size, load_unsigned (from, size));
  if (size == 16)
    U64 (to + 8).value = U64 (from + 8).value;
}

/* Divides in 64 bits, which is slow, only where necessary. */
uint64_t
divide (uint64_t a, uint64_t b)
{
  return ((a | b) >> 32) == 0 ? uint64_t (uint (a) / uint (b)) : a / b;
}
