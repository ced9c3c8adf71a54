/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The chains of folds. Chains are elements of an array. They begin with the identity, are updated in the order of
 * points, and are merged half into half. Where a workgroup computes a point, chain c belongs to invocation c % group.
 * Each invocation merges its own chains first; the rest are merged through shared memory.
 *
 * That takes a barrier per stage, so there are few stages. Invocation c of a stage merges all numbers whose index is c
 * modulo the width of the next stage, which is a subtree of merging half into half. The last stage is computed by all
 * invocations, so that none waits for its result. Stages alternate between two arrays. If the number of stages is even,
 * no barrier is needed between the merges of successive iterations: the array that the next merge begins by writing was
 * last read before the latest barrier.
 */

#include "gpu/spirv/emit-private.h"

#include <string.h>

/* Numbers merged at most in a single stage, and in each of two stages; nodes of the code of a stage; and chains of an
 * invocation that are unrolled. */
enum { MAX_ALONE = 16, MAX_RADIX = 16, MAX_STAGE_NODES = 512, MAX_UNROLLED_CHAINS = 4 };

static Id
type_of (Spirv            *self,
         const SpirvFolds *folds,
         guint             i)
{
  return ghlo_spirv_type (self, ghlo_kernel_fold (self->kernel, folds->block, i)->type);
}

guint
ghlo_spirv_count_chains (const Spirv           *self,
                         const GhloKernelBlock *block)
{
  return self->lane != 0 ? MAX (block->n_chains / self->group, 1) : block->n_chains;
}

/* Returns how many of @width numbers an invocation merges in a stage. */
static guint
choose_radix (const GhloKernelBlock *block,
              guint                  width)
{
  const guint n_nodes = (guint) (block->end_node - block->first_merge);
  guint radix = width <= MAX_ALONE ? width : 1u << (g_bit_storage (width - 1) + 1) / 2;

  while (radix > 2 && (radix - 1) * n_nodes > MAX_STAGE_NODES)
    radix /= 2;
  g_assert (radix > 0);

  return radix;
}

/* Returns the number of values that enter the first stage. */
static guint
first_width (const Spirv           *self,
             const GhloKernelBlock *block)
{
  return MIN (block->n_chains, self->group);
}

guint
ghlo_spirv_count_shared (const GhloKernelBlock *block,
                         guint                  width,
                         gboolean               is_second)
{
  const guint radix = choose_radix (block, width);

  if (!is_second)
    return width;

  return radix < width ? width / radix : 0;
}

gboolean
ghlo_spirv_has_late_readers (const Spirv           *self,
                             const GhloKernelBlock *block)
{
  guint n_stages = 1, width = first_width (self, block);

  for (guint radix; (radix = choose_radix (block, width)) < width; width /= radix)
    n_stages++;

  return n_stages % 2 != 0;
}

void
ghlo_spirv_take_chains (Spirv                 *self,
                        SpirvFolds            *folds,
                        const GhloKernelBlock *block)
{
  Id n_chains = ghlo_spirv_integer (self, 32, ghlo_spirv_count_chains (self, block));

  folds->block = block;
  for (guint i = 0; i < block->n_folds; i++)
    {
      Id array = ghlo_spirv_unique (self->builder, SpvOpTypeArray, 0,
                                    GHLO_SPIRV_WORDS (type_of (self, folds, i), n_chains));

      folds->chains[i] = ghlo_spirv_variable (self, array);
      for (guint k = 0; k < 2 && self->lane != 0; k++)
        {
          const guint n = ghlo_spirv_count_shared (block, first_width (self, block), k > 0);

          if (n > 0)
            folds->shared[k][i] = ghlo_spirv_share (self, ghlo_kernel_fold (self->kernel, folds->block, i)->type, n);
        }
    }
}

static Id
find_chain (Spirv            *self,
            const SpirvFolds *folds,
            guint             i,
            Id                number)
{
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassFunction, type_of (self, folds, i));

  return CODE (SpvOpAccessChain, pointer, folds->chains[i], number);
}

Id
ghlo_spirv_get_chain (Spirv            *self,
                      const SpirvFolds *folds,
                      guint             i,
                      Id                number)
{
  return CODE (SpvOpLoad, type_of (self, folds, i), find_chain (self, folds, i, number));
}

void
ghlo_spirv_set_chain (Spirv            *self,
                      const SpirvFolds *folds,
                      guint             i,
                      Id                number,
                      Id                value)
{
  Id place = find_chain (self, folds, i, number);

  STATEMENT (SpvOpStore, place, value);
}

typedef void (*ChainFunc) (Spirv            *self,
                           const SpirvFolds *folds,
                           Id                number,
                           guint             half);

/* Calls @func for all numbers below @n. */
static void
for_chains (Spirv            *self,
            const SpirvFolds *folds,
            guint             n,
            ChainFunc         func,
            guint             half)
{
  SpirvLoop loop;

  if (self->lane != 0 && n <= MAX_UNROLLED_CHAINS)
    {
      for (guint i = 0; i < n; i++)
        func (self, folds, ghlo_spirv_u64 (self, i), half);
      return;
    }
  loop = ghlo_spirv_begin_loop (self, ghlo_spirv_u64 (self, 0), ghlo_spirv_u64 (self, n));
  func (self, folds, loop.index, half);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, 1));
}

static void
begin_chain (Spirv            *self,
             const SpirvFolds *folds,
             Id                number,
             guint             half)
{
  for (guint i = 0; i < folds->block->n_folds; i++)
    {
      const GhloKernelFold *fold = ghlo_kernel_fold (self->kernel, folds->block, i);

      ghlo_spirv_set_chain (self, folds, i, number, ghlo_spirv_constant (self, fold->type, fold->identity));
    }
}

void
ghlo_spirv_begin_chains (Spirv            *self,
                         const SpirvFolds *folds)
{
  for_chains (self, folds, ghlo_spirv_count_chains (self, folds->block), begin_chain, 0);
}

void
ghlo_spirv_merge (Spirv            *self,
                  const SpirvFolds *folds,
                  const Id         *left,
                  const Id         *right,
                  Id               *merged)
{
  const GhloKernelBlock *block = folds->block;

  memcpy (self->left + block->first_fold, left, block->n_folds * sizeof *left);
  memcpy (self->right + block->first_fold, right, block->n_folds * sizeof *right);
  ghlo_spirv_nodes (self, block->first_merge, block->end_node);
  for (guint i = 0; i < block->n_folds; i++)
    merged[i] = self->values[ghlo_kernel_fold (self->kernel, folds->block, i)->merge];
}

static void
merge_pair (Spirv            *self,
            const SpirvFolds *folds,
            Id                number,
            guint             half)
{
  Id left[GHLO_KERNEL_MAX_FOLDS], right[GHLO_KERNEL_MAX_FOLDS];
  Id upper = CODE (SpvOpIAdd, self->u64, number, ghlo_spirv_u64 (self, half));

  for (guint i = 0; i < folds->block->n_folds; i++)
    {
      left[i] = ghlo_spirv_get_chain (self, folds, i, number);
      right[i] = ghlo_spirv_get_chain (self, folds, i, upper);
    }
  ghlo_spirv_merge (self, folds, left, right, left);
  for (guint i = 0; i < folds->block->n_folds; i++)
    ghlo_spirv_set_chain (self, folds, i, number, left[i]);
}

/* Merges @radix of the @width numbers in array @from: those whose index is @first modulo width / radix. */
static void
merge_subtree (Spirv            *self,
               const SpirvFolds *folds,
               guint             from,
               guint             width,
               guint             radix,
               Id                first,
               Id               *merged)
{
  Id partial[MAX_RADIX][GHLO_KERNEL_MAX_FOLDS];

  for (guint k = 0; k < radix; k++)
    {
      Id number = CODE (SpvOpIAdd, self->u64, first, ghlo_spirv_u64 (self, k * (guint64) (width / radix)));

      for (guint i = 0; i < folds->block->n_folds; i++)
        partial[k][i] = ghlo_spirv_get_shared (self, ghlo_kernel_fold (self->kernel, folds->block, i)->type,
                                               folds->shared[from][i], number);
    }
  for (guint half = radix / 2; half > 0; half /= 2)
    for (guint k = 0; k < half; k++)
      ghlo_spirv_merge (self, folds, partial[k], partial[k + half], partial[k]);
  memcpy (merged, partial[0], folds->block->n_folds * sizeof *merged);
}

static Id
begin_some (Spirv *self,
            guint  n)
{
  return n < self->group ? ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, self->lane,
                                                            ghlo_spirv_u64 (self, n)))
                         : 0;
}

/* Publishes the invocation's values in an array in shared memory. */
static void
share (Spirv            *self,
       const SpirvFolds *folds,
       guint             to,
       const Id         *values)
{
  for (guint i = 0; i < folds->block->n_folds; i++)
    ghlo_spirv_set_shared (self, ghlo_kernel_fold (self->kernel, folds->block, i)->type, folds->shared[to][i],
                           self->lane, values[i]);
}

static void
merge_invocations (Spirv            *self,
                   const SpirvFolds *folds,
                   Id               *merged)
{
  guint width = first_width (self, folds->block), from = 0, radix;
  Id exit = begin_some (self, width);

  for (guint i = 0; i < folds->block->n_folds; i++)
    merged[i] = ghlo_spirv_get_chain (self, folds, i, ghlo_spirv_u64 (self, 0));
  share (self, folds, from, merged);
  ghlo_spirv_end_if (self, exit);
  ghlo_spirv_shared_barrier (self);
  for (; (radix = choose_radix (folds->block, width)) < width; width /= radix)
    {
      exit = begin_some (self, width / radix);
      merge_subtree (self, folds, from, width, radix, self->lane, merged);
      from = 1 - from;
      share (self, folds, from, merged);
      ghlo_spirv_end_if (self, exit);
      ghlo_spirv_shared_barrier (self);
    }
  merge_subtree (self, folds, from, width, radix, ghlo_spirv_u64 (self, 0), merged);
}

void
ghlo_spirv_merge_chains (Spirv            *self,
                         const SpirvFolds *folds,
                         Id               *merged)
{
  for (guint half = ghlo_spirv_count_chains (self, folds->block) / 2; half > 0; half /= 2)
    for_chains (self, folds, half, merge_pair, half);
  if (self->lane != 0)
    merge_invocations (self, folds, merged);
  else
    for (guint i = 0; i < folds->block->n_folds; i++)
      merged[i] = ghlo_spirv_get_chain (self, folds, i, ghlo_spirv_u64 (self, 0));
}
