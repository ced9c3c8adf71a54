/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Accesses. A load whose guard does not hold reads the table instead, which always exists.
 */

#include "gpu/spirv/emit-private.h"

/* Returns the type of an element in memory. */
static Id
memory_type (Spirv           *self,
             GhloElementType  type)
{
  if (ghlo_element_info (type)->size == 1)
    ghlo_spirv_capability (self->builder, SpvCapabilityStorageBuffer8BitAccess);
  if (ghlo_element_info (type)->size == 2)
    ghlo_spirv_capability (self->builder, SpvCapabilityStorageBuffer16BitAccess);

  return type == GHLO_ELEMENT_TYPE_I1 ? ghlo_spirv_integer_type (self, 8) : ghlo_spirv_type (self, type);
}

static Id
pointer_to (Spirv *self,
            Id     type,
            Id     address)
{
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassPhysicalStorageBuffer, type);

  return CODE (SpvOpConvertUToPtr, pointer, address);
}

Id
ghlo_spirv_read (Spirv           *self,
                 GhloElementType  type,
                 Id               address)
{
  Id in_memory = memory_type (self, type);
  Id value = CODE (SpvOpLoad, in_memory, pointer_to (self, in_memory, address), SpvMemoryAccessAlignedMask,
                   ghlo_element_info (type)->size);

  if (type != GHLO_ELEMENT_TYPE_I1)
    return value;
  value = CODE (SpvOpBitwiseAnd, in_memory, value, ghlo_spirv_integer (self, 8, 1));

  return CODE (SpvOpINotEqual, self->boolean, value, ghlo_spirv_integer (self, 8, 0));
}

void
ghlo_spirv_write (Spirv           *self,
                  GhloElementType  type,
                  Id               address,
                  Id               value)
{
  Id in_memory = memory_type (self, type), pointer;

  if (type == GHLO_ELEMENT_TYPE_I1)
    value = ghlo_spirv_select (self, in_memory, value, ghlo_spirv_integer (self, 8, 1),
                               ghlo_spirv_integer (self, 8, 0));
  pointer = pointer_to (self, in_memory, address);
  STATEMENT (SpvOpStore, pointer, value, SpvMemoryAccessAlignedMask, ghlo_element_info (type)->size);
}

/* Returns the type of @size words: a word of 32 bits, or a vector. */
static Id
word_type (Spirv *self,
           guint  size)
{
  return size == 1 ? self->u32 : ghlo_spirv_unique (self->builder, SpvOpTypeVector, 0,
                                                    GHLO_SPIRV_WORDS (self->u32, size));
}

/* Returns the element in the lowest bits of @word. */
static Id
from_word (Spirv           *self,
           GhloElementType  type,
           Id               word)
{
  if (type == GHLO_ELEMENT_TYPE_I1)
    return CODE (SpvOpINotEqual, self->boolean,
                 CODE (SpvOpBitwiseAnd, self->u32, word, ghlo_spirv_integer (self, 32, 1)),
                 ghlo_spirv_integer (self, 32, 0));
  if (ghlo_element_info (type)->size < sizeof (guint32))
    return CODE (SpvOpUConvert, ghlo_spirv_type (self, type), word);

  return ghlo_node_types (type) == GHLO_NODE_TYPES_F ? CODE (SpvOpBitcast, ghlo_spirv_type (self, type), word) : word;
}

static Id
to_word (Spirv           *self,
         GhloElementType  type,
         Id               element)
{
  if (type == GHLO_ELEMENT_TYPE_I1)
    return ghlo_spirv_select (self, self->u32, element, ghlo_spirv_integer (self, 32, 1),
                              ghlo_spirv_integer (self, 32, 0));
  if (ghlo_element_info (type)->size < sizeof (guint32))
    return CODE (SpvOpUConvert, self->u32, element);

  return ghlo_node_types (type) == GHLO_NODE_TYPES_F ? CODE (SpvOpBitcast, self->u32, element) : element;
}

/* Reads @n words of 32 bits, 1, 2 or 4, aligned to their size. */
static void
read_words (Spirv *self,
            guint  n,
            Id     address,
            Id    *words)
{
  Id in_memory = word_type (self, n);
  Id loaded = CODE (SpvOpLoad, in_memory, pointer_to (self, in_memory, address), SpvMemoryAccessAlignedMask, 4 * n);

  for (guint i = 0; i < n; i++)
    words[i] = n == 1 ? loaded : CODE (SpvOpCompositeExtract, self->u32, loaded, i);
}

void
ghlo_spirv_read_adjacent (Spirv           *self,
                          GhloElementType  type,
                          guint            n,
                          Id               address,
                          Id              *elements)
{
  const guint size = ghlo_element_info (type)->size, n_each = sizeof (guint32) / size;
  Id words[4];

  if (n == 1)
    {
      elements[0] = ghlo_spirv_read (self, type, address);
      return;
    }
  read_words (self, n / n_each, address, words);
  for (guint i = 0; i < n; i++)
    {
      Id word = words[i / n_each];

      if (i % n_each > 0)
        word = CODE (SpvOpShiftRightLogical, self->u32, word, ghlo_spirv_integer (self, 32, i % n_each * 8 * size));
      elements[i] = from_word (self, type, word);
    }
}

void
ghlo_spirv_pack_four (Spirv           *self,
                      GhloElementType  type,
                      const Id        *elements,
                      Id              *words)
{
  const guint size = ghlo_element_info (type)->size, n_each = sizeof (guint32) / size;

  for (guint i = 0; i < 4; i++)
    {
      Id word = to_word (self, type, elements[i]);

      if (i % n_each > 0)
        word = CODE (SpvOpBitwiseOr, self->u32, words[i / n_each],
                     CODE (SpvOpShiftLeftLogical, self->u32, word,
                           ghlo_spirv_integer (self, 32, i % n_each * 8 * size)));
      words[i / n_each] = word;
    }
}

void
ghlo_spirv_pack_halves (Spirv    *self,
                        const Id *sources,
                        Id       *words)
{
  for (guint i = 0; i < 2; i++)
    {
      Id low = CODE (SpvOpShiftRightLogical, self->u32, sources[2 * i], ghlo_spirv_integer (self, 32, 16));
      Id high = CODE (SpvOpBitwiseAnd, self->u32, sources[2 * i + 1], ghlo_spirv_integer (self, 32, 0xffff0000));

      words[i] = CODE (SpvOpBitwiseOr, self->u32, low, high);
    }
}

void
ghlo_spirv_write_words (Spirv    *self,
                        guint     n,
                        Id        address,
                        const Id *words)
{
  Id in_memory = word_type (self, n);
  Id value = n == 1 ? words[0] : ghlo_spirv_code (self->builder, SpvOpCompositeConstruct, in_memory, words, n);

  STATEMENT (SpvOpStore, pointer_to (self, in_memory, address), value, SpvMemoryAccessAlignedMask, 4 * n);
}

void
ghlo_spirv_write_four (Spirv           *self,
                       GhloElementType  type,
                       Id               address,
                       const Id        *elements)
{
  Id words[4];

  ghlo_spirv_pack_four (self, type, elements, words);
  ghlo_spirv_write_words (self, ghlo_element_info (type)->size, address, words);
}

Id
ghlo_spirv_word (Spirv *self,
                 Id     address,
                 guint  index)
{
  address = CODE (SpvOpIAdd, self->u64, address, ghlo_spirv_u64 (self, 8 * (guint64) index));

  return CODE (SpvOpLoad, self->u64, pointer_to (self, self->u64, address), SpvMemoryAccessAlignedMask, 8);
}

/* An address, and a condition for whether the element exists; 0: it always does. */
typedef struct
{
  Id address, inside;
} Place;

static void
require (Spirv *self,
         Place *place,
         Id     condition)
{
  place->inside = place->inside != 0 ? CODE (SpvOpLogicalAnd, self->boolean, place->inside, condition) : condition;
}

/* Returns the value of the term's node, as 64 bits. */
static Id
index_of (Spirv                *self,
          const GhloKernelTerm *term)
{
  GhloElementType type = self->kernel->nodes[term->node].type;
  gboolean is_signed = ghlo_node_types (type) == GHLO_NODE_TYPES_S;

  return ghlo_spirv_convert (self, is_signed ? GHLO_ELEMENT_TYPE_I64 : GHLO_ELEMENT_TYPE_UI64, type,
                             self->values[term->node]);
}

static Id
clamp (Spirv  *self,
       Id      value,
       gint64  end)
{
  Id zero = ghlo_spirv_u64 (self, 0), most = ghlo_spirv_u64 (self, (guint64) end - 1);
  value = GLSL (SMax, self->u64, value, zero);

  return GLSL (SMin, self->u64, value, most);
}

static void
add_term (Spirv                *self,
          Place                *place,
          const GhloKernelTerm *term)
{
  Id position = ghlo_spirv_sum (self, 0, term->offset, term->strides);

  if (term->node != GHLO_KERNEL_NONE)
    position = CODE (SpvOpIAdd, self->u64, position, index_of (self, term));
  if (term->clamps)
    position = clamp (self, position, term->end);
  else
    {
      if (term->step > 1)
        {
          Id step = ghlo_spirv_u64 (self, (guint64) term->step), quotient = CODE (SpvOpSDiv, self->u64, position, step);

          /* OpSRem is undefined for negative numbers. */
          require (self, place,
                   CODE (SpvOpIEqual, self->boolean, CODE (SpvOpIMul, self->u64, quotient, step), position));
          position = quotient;
        }
      /* Whether 0 <= position < end: as unsigned numbers, negative positions are large. */
      require (self, place, CODE (SpvOpULessThan, self->boolean, position, ghlo_spirv_u64 (self, (guint64) term->end)));
    }
  position = CODE (SpvOpIMul, self->u64, position, ghlo_spirv_u64 (self, (guint64) term->stride));
  place->address = CODE (SpvOpIAdd, self->u64, place->address, position);
}

static Place
find_place (Spirv *self,
            guint  number)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  Place place = { .address = ghlo_spirv_sum (self, self->buffers[access->buffer], access->offset, access->strides) };

  for (guint i = access->first_term; i < access->first_term + access->n_terms; i++)
    add_term (self, &place, &self->kernel->terms[i]);

  return place;
}

Id
ghlo_spirv_load_where (Spirv *self,
                       guint  access,
                       Id     inside)
{
  const GhloElementType type = self->kernel->accesses[access].type;
  Place place = find_place (self, access);
  const Id is_there = place.inside;
  Id value;

  if (inside != 0)
    require (self, &place, inside);
  if (place.inside != 0)
    place.address = ghlo_spirv_select (self, self->u64, place.inside, place.address, self->table);
  value = ghlo_spirv_read (self, type, place.address);

  return is_there != 0 ? ghlo_spirv_select (self, ghlo_spirv_type (self, type), is_there, value,
                                            ghlo_spirv_constant (self, type, 0))
                       : value;
}

Id
ghlo_spirv_load (Spirv *self,
                 guint  access,
                 Id     fill)
{
  GhloElementType type = self->kernel->accesses[access].type;
  Place place;
  Id value;

  if (fill == 0 || self->kernel->accesses[access].n_terms == 0)
    {
      value = ghlo_spirv_get_preload (self, access);

      return value != 0 ? value : ghlo_spirv_load_where (self, access, 0);
    }
  place = find_place (self, access);
  if (place.inside == 0)
    return ghlo_spirv_read (self, type, place.address);
  value = ghlo_spirv_read (self, type, ghlo_spirv_select (self, self->u64, place.inside, place.address, self->table));

  return ghlo_spirv_select (self, ghlo_spirv_type (self, type), place.inside, value, fill);
}

Id
ghlo_spirv_inside (Spirv *self,
                   guint  access)
{
  Id inside = find_place (self, access).inside;

  return inside != 0 ? inside : ghlo_spirv_constant (self, GHLO_ELEMENT_TYPE_I1, 1);
}

void
ghlo_spirv_store (Spirv *self,
                  guint  access,
                  Id     value)
{
  Place place = find_place (self, access);
  Id exit = place.inside != 0 ? ghlo_spirv_begin_if (self, place.inside) : 0;

  ghlo_spirv_write (self, self->kernel->accesses[access].type, place.address, value);
  ghlo_spirv_end_if (self, exit);
}

gboolean
ghlo_spirv_may_be_four (const GhloKernel *kernel,
                        guint             access,
                        guint             axis,
                        guint64           aligned)
{
  const GhloKernelAccess *of = &kernel->accesses[access];
  const gint64 size = (gint64) ghlo_element_info (of->type)->size;
  gint64 bits = of->offset;

  for (guint i = 0; i < kernel->n_axes; i++)
    if (i != axis)
      bits |= of->strides[i];

  return size <= (gint64) sizeof (guint32) && of->n_terms == 0 && (aligned >> of->buffer & 1) != 0
         && of->strides[axis] == size && bits % (4 * size) == 0;
}

gboolean
ghlo_spirv_has_four (const Spirv *self,
                     guint        access)
{
  return ghlo_spirv_may_be_four (self->kernel, access, self->unrolled.axis, self->aligned);
}

void
ghlo_spirv_load_four (Spirv *self,
                      guint  access,
                      Id    *elements)
{
  ghlo_spirv_read_adjacent (self, self->kernel->accesses[access].type, 4, find_place (self, access).address, elements);
}

void
ghlo_spirv_store_four (Spirv    *self,
                       guint     access,
                       const Id *elements)
{
  ghlo_spirv_write_four (self, self->kernel->accesses[access].type, find_place (self, access).address, elements);
}
