/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Accesses and temporaries. A load whose guard does not hold reads what is there always, the table. A temporary that
 * spans axes lies in the scratch of all invocations: each of its elements is a row of one for each invocation, so that
 * neighbours read side by side.
 */

#include "vulkan/spirv/emit-private.h"

static guint
size_of (GhloElementType type)
{
  return ghlo_element_info (type)->size;
}

/* What an element is in memory. */
static Id
memory_type (Spirv           *self,
             GhloElementType  type)
{
  if (size_of (type) == 1)
    ghlo_spirv_capability (self->builder, SpvCapabilityStorageBuffer8BitAccess);
  if (size_of (type) == 2)
    ghlo_spirv_capability (self->builder, SpvCapabilityStorageBuffer16BitAccess);

  return type == GHLO_ELEMENT_TYPE_I1 ? ghlo_spirv_integer_type (self, 8) : ghlo_spirv_type (self, type);
}

static Id
pointer_to (Spirv *self,
            Id     type,
            Id     address)
{
  Id pointer = ghlo_spirv_unique (self->builder, SpvOpTypePointer, 0,
                                  GHLO_SPIRV_WORDS (SpvStorageClassPhysicalStorageBuffer, type));

  return CODE (SpvOpConvertUToPtr, pointer, address);
}

static Id
read_element (Spirv           *self,
              GhloElementType  type,
              Id               address)
{
  Id in_memory = memory_type (self, type);
  Id value = CODE (SpvOpLoad, in_memory, pointer_to (self, in_memory, address), SpvMemoryAccessAlignedMask,
                   size_of (type));

  if (type != GHLO_ELEMENT_TYPE_I1)
    return value;
  value = CODE (SpvOpBitwiseAnd, in_memory, value, ghlo_spirv_integer (self, 8, 1));

  return CODE (SpvOpINotEqual, self->boolean, value, ghlo_spirv_integer (self, 8, 0));
}

static void
write_element (Spirv           *self,
               GhloElementType  type,
               Id               address,
               Id               value)
{
  Id in_memory = memory_type (self, type), pointer;

  if (type == GHLO_ELEMENT_TYPE_I1)
    value = ghlo_spirv_select (self, in_memory, value, ghlo_spirv_integer (self, 8, 1),
                               ghlo_spirv_integer (self, 8, 0));
  pointer = pointer_to (self, in_memory, address);
  STATEMENT (SpvOpStore, pointer, value, SpvMemoryAccessAlignedMask, size_of (type));
}

Id
ghlo_spirv_word (Spirv *self,
                 Id     address,
                 guint  index)
{
  address = CODE (SpvOpIAdd, self->u64, address, ghlo_spirv_u64 (self, 8 * (guint64) index));

  return CODE (SpvOpLoad, self->u64, pointer_to (self, self->u64, address), SpvMemoryAccessAlignedMask, 8);
}

/* An address, and whether there is such an element; 0: always. */
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

/* The value of the term's node, in 64 bits. */
static Id
index_of (Spirv                *self,
          const GhloKernelTerm *term)
{
  GhloElementType type = self->kernel->nodes[term->node].type;
  gboolean is_signed = ghlo_node_types (type) == GHLO_NODE_TYPES_S;

  if (ghlo_element_info (type)->bits == 64)
    return self->values[term->node];

  return CODE (is_signed ? SpvOpSConvert : SpvOpUConvert, self->u64, self->values[term->node]);
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
  Id position = ghlo_spirv_sum (self, term->offset, term->strides);

  if (term->node != GHLO_KERNEL_NONE)
    position = CODE (SpvOpIAdd, self->u64, position, index_of (self, term));
  if (term->clamps)
    position = clamp (self, position, term->end);
  else
    {
      if (term->step > 1)
        {
          Id step = ghlo_spirv_u64 (self, (guint64) term->step), rest;

          rest = CODE (SpvOpSRem, self->u64, position, step);
          require (self, place, CODE (SpvOpIEqual, self->boolean, rest, ghlo_spirv_u64 (self, 0)));
          position = CODE (SpvOpSDiv, self->u64, position, step);
        }
      /* As unsigned numbers negative ones are large. */
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
  Place place = { .address = ghlo_spirv_sum (self, access->offset, access->strides) };

  for (guint i = access->first_term; i < access->first_term + access->n_terms; i++)
    add_term (self, &place, &self->kernel->terms[i]);
  place.address = CODE (SpvOpIAdd, self->u64, self->buffers[access->buffer], place.address);

  return place;
}

Id
ghlo_spirv_load (Spirv *self,
                 guint  access,
                 Id     fill)
{
  GhloElementType type = self->kernel->accesses[access].type;
  Place place = find_place (self, access);
  Id value;

  if (place.inside == 0)
    return read_element (self, type, place.address);
  if (fill == 0)
    fill = ghlo_spirv_constant (self, type, 0);
  value = read_element (self, type, ghlo_spirv_select (self, self->u64, place.inside, place.address, self->table));

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

  write_element (self, self->kernel->accesses[access].type, place.address, value);
  if (exit != 0)
    ghlo_spirv_end_if (self, exit);
}

/* The elements of a temporary, by the extents that the kernel states; FALSE where there are too many. */
static gboolean
count_elements (const GhloKernel *kernel,
                guint             number,
                gsize            *n)
{
  *n = 1;
  for (guint i = 0; i < kernel->n_axes; i++)
    if ((kernel->temporaries[number].axes & 1u << i) != 0
        && __builtin_mul_overflow (*n, (gsize) kernel->axes[i].extent, n))
      return FALSE;

  return TRUE;
}

/* Bytes of one invocation before the temporary @number; FALSE where they are too many. */
static gboolean
find_start (const GhloKernel *kernel,
            guint             number,
            gsize            *start)
{
  *start = 0;
  for (guint i = 0; i < number; i++)
    {
      gsize n;

      if (kernel->temporaries[i].axes == 0)
        continue;
      if (!count_elements (kernel, i, &n) || n > G_MAXUINT32
          || __builtin_add_overflow (*start, (n * size_of (kernel->temporaries[i].type) + 7) & ~(gsize) 7, start))
        return FALSE;
    }

  return TRUE;
}

gsize
ghlo_spirv_scratch (const GhloKernel *kernel)
{
  gsize end;

  return find_start (kernel, kernel->n_temporaries, &end) ? end : G_MAXSIZE;
}

static Id
find_element (Spirv *self,
              guint  number)
{
  const GhloKernelTemporary *temporary = &self->kernel->temporaries[number];
  Id element = ghlo_spirv_u64 (self, 0), offset;
  gsize start;

  find_start (self->kernel, number, &start);
  for (guint i = 0; i < self->kernel->n_axes; i++)
    if ((temporary->axes & 1u << i) != 0)
      {
        element = CODE (SpvOpIMul, self->u64, element, self->extents[i]);
        element = CODE (SpvOpIAdd, self->u64, element, self->point[i]);
      }
  element = CODE (SpvOpIMul, self->u64, element, self->n_invocations);
  element = CODE (SpvOpIAdd, self->u64, element, self->number);
  element = CODE (SpvOpIMul, self->u64, element, ghlo_spirv_u64 (self, size_of (temporary->type)));
  offset = CODE (SpvOpIMul, self->u64, self->n_invocations, ghlo_spirv_u64 (self, start));

  return CODE (SpvOpIAdd, self->u64, self->scratch, CODE (SpvOpIAdd, self->u64, offset, element));
}

static Id
find_variable (Spirv *self,
               guint  number)
{
  if (self->variables[number] == 0)
    self->variables[number] =
      ghlo_spirv_variable (self, ghlo_spirv_type (self, self->kernel->temporaries[number].type));

  return self->variables[number];
}

Id
ghlo_spirv_get (Spirv *self,
                guint  temporary)
{
  GhloElementType type = self->kernel->temporaries[temporary].type;

  if (self->kernel->temporaries[temporary].axes == 0)
    return CODE (SpvOpLoad, ghlo_spirv_type (self, type), find_variable (self, temporary));

  return read_element (self, type, find_element (self, temporary));
}

void
ghlo_spirv_set (Spirv *self,
                guint  temporary,
                Id     value)
{
  if (self->kernel->temporaries[temporary].axes == 0)
    STATEMENT (SpvOpStore, find_variable (self, temporary), value);
  else
    write_element (self, self->kernel->temporaries[temporary].type, find_element (self, temporary), value);
}
