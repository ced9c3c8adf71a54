/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Temporaries. Where an invocation computes a point, a temporary that spans axes is stored in the scratch of all
 * invocations: for each of its elements a row with one value per invocation, so that adjacent invocations access
 * adjacent memory. Where a workgroup computes a point, temporaries are in shared memory or variables, as places.c
 * decides.
 */

#include "gpu/spirv/emit-private.h"

#include "base/sizes.h"

/* Counts the elements of a temporary, by the extents in the kernel. */
static gsize
count_elements (const GhloKernel *kernel,
                guint             number)
{
  return (gsize) ghlo_kernel_count_points (kernel, kernel->temporaries[number].axes);
}

/* Adds the bytes of @n elements, rounded up to a multiple of 8. Returns FALSE if there are too many. */
static gboolean
add_bytes (gsize           *size,
           GhloElementType  type,
           gsize            n)
{
  return n <= G_MAXUINT32
         && !__builtin_add_overflow (*size, (n * ghlo_element_info (type)->size + 7) & ~(gsize) 7, size);
}

/* Finds the offset, in the bytes of one invocation, of temporary @number. Returns FALSE if it is too large. */
static gboolean
find_start (const GhloKernel *kernel,
            guint             number,
            gsize            *start)
{
  *start = 0;
  for (guint i = 0; i < number; i++)
    if (kernel->temporaries[i].axes != 0
        && !add_bytes (start, kernel->temporaries[i].type, count_elements (kernel, i)))
      return FALSE;

  return TRUE;
}

gsize
ghlo_spirv_scratch (const GhloKernel *kernel)
{
  gsize end;

  return find_start (kernel, kernel->n_temporaries, &end) ? end : G_MAXSIZE;
}

/* Whether the block stores to temporaries, which would be lost with a part. */
static gboolean
keeps_temporaries (const GhloKernel      *kernel,
                   const GhloKernelBlock *block)
{
  for (guint i = block->first_store; i < block->first_store + (guint) block->n_stores; i++)
    if (kernel->stores[i].temporary != GHLO_KERNEL_NONE)
      return TRUE;

  return FALSE;
}

/* Whether the block computes values of the parallel point alone, for the blocks behind it. */
static gboolean
is_of_point (const GhloKernel      *kernel,
             const GhloKernelBlock *block)
{
  for (guint i = block->first_store; i < block->first_store + (guint) block->n_stores; i++)
    if (kernel->stores[i].access != GHLO_KERNEL_NONE)
      return FALSE;

  return block->kind == GHLO_BLOCK_POINTS && block->axes == 0 && block->n_folds == 0;
}

const GhloKernelBlock *
ghlo_spirv_block_of_parts (const GhloKernel *kernel)
{
  const GhloKernelBlock *block = kernel->blocks, *end = kernel->blocks + kernel->n_blocks;

  while (block < end && is_of_point (kernel, block))
    block++;

  return block < end && block->kind == GHLO_BLOCK_POINTS && block->n_folds > 0 && block->split > 0
         && !keeps_temporaries (kernel, block) ? block : NULL;
}

guint64
ghlo_spirv_count_parts (const GhloKernel *kernel,
                        const gint64     *extents)
{
  const GhloKernelBlock *block = ghlo_spirv_block_of_parts (kernel);

  if (block == NULL)
    return 1;

  return (guint64) ghlo_ceil_div (extents[__builtin_ctz (block->axes)], block->split);
}

gsize
ghlo_spirv_parts_scratch (const GhloKernel *kernel,
                          guint64           n_points,
                          guint64           n_parts)
{
  const GhloKernelBlock *block = ghlo_spirv_block_of_parts (kernel);
  gsize size = block != NULL ? block->n_folds * sizeof (guint64) : 0;

  return __builtin_mul_overflow (size, n_points, &size) || __builtin_mul_overflow (size, n_parts, &size) ? G_MAXSIZE
                                                                                                          : size;
}

/* Returns the index of the temporary's element at the current point. */
static Id
find_index (Spirv *self,
            guint  number)
{
  Id index = ghlo_spirv_u64 (self, 0);

  for (guint i = 0; i < self->kernel->n_axes; i++)
    if ((self->kernel->temporaries[number].axes & 1u << i) != 0)
      {
        index = CODE (SpvOpIMul, self->u64, index, self->extents[i]);
        index = CODE (SpvOpIAdd, self->u64, index, self->point[i]);
      }

  return index;
}

static Id
find_element (Spirv *self,
              guint  number)
{
  const GhloKernelTemporary *temporary = &self->kernel->temporaries[number];
  Id element = find_index (self, number), offset;
  gsize start;

  find_start (self->kernel, number, &start);
  element = CODE (SpvOpIMul, self->u64, element, self->n_invocations);
  element = CODE (SpvOpIAdd, self->u64, element, self->number);
  element = CODE (SpvOpIMul, self->u64, element, ghlo_spirv_u64 (self, ghlo_element_info (temporary->type)->size));
  offset = CODE (SpvOpIMul, self->u64, self->n_invocations, ghlo_spirv_u64 (self, start));

  return CODE (SpvOpIAdd, self->u64, self->scratch, CODE (SpvOpIAdd, self->u64, offset, element));
}

/* Returns the type of an element in shared memory, where booleans are not allowed. */
static GhloElementType
shared_type (GhloElementType type)
{
  return type == GHLO_ELEMENT_TYPE_I1 ? GHLO_ELEMENT_TYPE_UI32 : type;
}

/* Each point of a workgroup has an array of its own, and those of several are interleaved. */
Id
ghlo_spirv_share (Spirv           *self,
                  GhloElementType  type,
                  gsize            n)
{
  Id element = ghlo_spirv_type (self, shared_type (type));
  Id array = ghlo_spirv_unique (self->builder, SpvOpTypeArray, 0,
                                GHLO_SPIRV_WORDS (element, ghlo_spirv_integer (self, 32,
                                                                               n * MAX (self->n_together, 1))));

  return ghlo_spirv_global (self, SpvStorageClassWorkgroup, array);
}

static Id
find_shared (Spirv           *self,
             GhloElementType  type,
             Id               variable,
             Id               index)
{
  Id element = ghlo_spirv_type (self, shared_type (type));
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassWorkgroup, element);

  if (self->together != 0)
    index = CODE (SpvOpIAdd, self->u64, self->together,
                  CODE (SpvOpIMul, self->u64, index, ghlo_spirv_u64 (self, self->n_together)));

  return CODE (SpvOpAccessChain, pointer, variable, CODE (SpvOpUConvert, self->u32, index));
}

Id
ghlo_spirv_get_shared (Spirv           *self,
                       GhloElementType  type,
                       Id               variable,
                       Id               index)
{
  Id value = CODE (SpvOpLoad, ghlo_spirv_type (self, shared_type (type)), find_shared (self, type, variable, index));

  if (type == GHLO_ELEMENT_TYPE_I1)
    return CODE (SpvOpINotEqual, self->boolean, value, ghlo_spirv_integer (self, 32, 0));

  return value;
}

void
ghlo_spirv_set_shared (Spirv           *self,
                       GhloElementType  type,
                       Id               variable,
                       Id               index,
                       Id               value)
{
  Id place = find_shared (self, type, variable, index);

  if (type == GHLO_ELEMENT_TYPE_I1)
    value = ghlo_spirv_select (self, self->u32, value, ghlo_spirv_integer (self, 32, 1),
                               ghlo_spirv_integer (self, 32, 0));
  STATEMENT (SpvOpStore, place, value);
}

gsize
ghlo_spirv_shared (const GhloKernel *kernel)
{
  gsize size = 0;

  for (guint i = 0; i < kernel->n_temporaries; i++)
    if (!add_bytes (&size, shared_type (kernel->temporaries[i].type), count_elements (kernel, i)))
      return G_MAXSIZE;
  for (guint i = 0; i < kernel->n_blocks; i++)
    for (guint j = 0; j < kernel->blocks[i].n_folds; j++)
      {
        const GhloKernelBlock *block = &kernel->blocks[i];
        const GhloElementType type = shared_type (kernel->folds[block->first_fold + j].type);

        if (!add_bytes (&size, type, ghlo_spirv_count_shared (block, block->n_chains, FALSE))
            || !add_bytes (&size, type, ghlo_spirv_count_shared (block, block->n_chains, TRUE)))
          return G_MAXSIZE;
      }

  return size;
}

static gboolean
is_in_shared_memory (const Spirv *self,
                     guint        number)
{
  return self->lane != 0 && self->places[number] != SPIRV_IN_VARIABLES;
}

/* Returns the number of elements that an invocation has of a temporary in variables: more than one only if its points
 * are unrolled. */
static guint
count_variables (const Spirv *self,
                 guint        number)
{
  return MAX (ghlo_spirv_count_unrolled (self, self->kernel->temporaries[number].axes, 1), 1);
}

static Id
find_variable (Spirv *self,
               guint  number)
{
  GhloElementType type = self->kernel->temporaries[number].type;
  const guint n = count_variables (self, number);
  Id element = ghlo_spirv_type (self, type);

  if (self->variables[number] != 0)
    return self->variables[number];
  if (is_in_shared_memory (self, number))
    {
      self->variables[number] = ghlo_spirv_share (self, type, count_elements (self->kernel, number));
      return self->variables[number];
    }
  if (n > 1)
    element = ghlo_spirv_unique (self->builder, SpvOpTypeArray, 0,
                                 GHLO_SPIRV_WORDS (element, ghlo_spirv_integer (self, 32, n)));
  self->variables[number] = ghlo_spirv_variable (self, element);

  return self->variables[number];
}

/* Returns the temporary's variable at the current unrolled point. */
static Id
find_unrolled (Spirv *self,
               guint  number)
{
  GhloElementType type = self->kernel->temporaries[number].type;
  Id variable = find_variable (self, number);
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassFunction, ghlo_spirv_type (self, type));

  if (count_variables (self, number) == 1)
    return variable;

  return CODE (SpvOpAccessChain, pointer, variable, ghlo_spirv_integer (self, 32, self->unrolled.number));
}

Id
ghlo_spirv_get (Spirv *self,
                guint  temporary)
{
  GhloElementType type = self->kernel->temporaries[temporary].type;

  if (is_in_shared_memory (self, temporary))
    return ghlo_spirv_get_shared (self, type, find_variable (self, temporary), find_index (self, temporary));
  if (self->lane != 0 || self->kernel->temporaries[temporary].axes == 0)
    return CODE (SpvOpLoad, ghlo_spirv_type (self, type), find_unrolled (self, temporary));

  return ghlo_spirv_read (self, type, find_element (self, temporary));
}

void
ghlo_spirv_set (Spirv *self,
                guint  temporary,
                Id     value)
{
  GhloElementType type = self->kernel->temporaries[temporary].type;

  if (is_in_shared_memory (self, temporary))
    ghlo_spirv_set_shared (self, type, find_variable (self, temporary), find_index (self, temporary), value);
  else if (self->lane != 0 || self->kernel->temporaries[temporary].axes == 0)
    {
      Id place = find_unrolled (self, temporary);

      STATEMENT (SpvOpStore, place, value);
    }
  else
    ghlo_spirv_write (self, type, find_element (self, temporary), value);
}
